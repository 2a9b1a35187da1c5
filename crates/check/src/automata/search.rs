//! From which product nodes does an accepting path start?
//!
//! One depth-first search that merges cycles as they close. As soon as the part still open contains a
//! cycle with all marks, or reaches a node already known to win, everything still open can go there
//! too: it is marked as won and dropped without looking at the rest of its edges. So a part where
//! every node wins costs hardly more than its nodes, and one where none wins is walked once. One word
//! a node; no table of reversed edges. Two searches, of certain and of possible paths, can tell each
//! other what they know.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};

use super::product::{Cursor, Product};

const FRESH: u32 = 0;
const WON: u32 = u32::MAX;
const LOST: u32 = u32::MAX - 1;

/// An inner node of the current path.
#[derive(Clone, Copy, Debug)]
struct SearchFrame {
    state: u32,
    memory: u32,
    cursor: Cursor,
}

/// A part of the current path that is strongly connected already.
#[derive(Clone, Copy, Debug)]
struct Root {
    rank: u32,
    /// Marks of the steps inside, and a bit for "there is one".
    marks: u64,
    /// Marks of the step by which the part was entered.
    entry: u64,
}

/// Set once a part has an inner step.
const INNER: u64 = 1 << 63;

/// What is known of each product node, and the working space of the walks.
#[derive(Debug)]
pub(crate) struct ComponentSearch {
    rank: Vec<u32>,
    path: Vec<SearchFrame>,
    /// Nodes whose part is not finished, in order of discovery; a node's rank is its place here plus one.
    open: Vec<u32>,
    roots: Vec<Root>,
    ticks: u32,
}

impl ComponentSearch {
    /// Nothing known yet.
    ///
    /// # Errors
    /// If the table would not fit.
    pub(crate) fn new(product: &Product<'_, '_>, budget: &Budget) -> Result<Self, Stopped> {
        if product.len() >= LOST as usize {
            return Err(Stopped(StopReason::Count));
        }
        budget.reserve(product.len() * 4)?;
        let rank = vec![FRESH; product.len()];
        Ok(Self { rank, path: Vec::new(), open: Vec::new(), roots: Vec::new(), ticks: 0 })
    }

    /// What is known of a node: whether an accepting path starts there.
    pub(crate) fn verdict(&self, node: usize) -> Option<bool> {
        match self.rank[node] {
            WON => Some(true),
            LOST => Some(false),
            _ => None,
        }
    }

    /// Whether an accepting path starts at this node. `known` may tell it of nodes not yet looked at.
    ///
    /// # Errors
    /// If the budget ends; the search must not be used any more then.
    pub(crate) fn wins(
        &mut self,
        product: &Product<'_, '_>,
        node: usize,
        known: impl Fn(usize) -> Option<bool>,
        budget: &Budget,
    ) -> Result<bool, Stopped> {
        if self.rank[node] == FRESH && self.walk(product, node, known, budget)? {
            for node in self.open.drain(..) {
                self.rank[node as usize] = WON;
            }
            self.path.clear();
            self.roots.clear();
        }
        Ok(self.rank[node] == WON)
    }

    /// Walks until everything open turns out to win, or nothing is open any more.
    fn walk(
        &mut self,
        product: &Product<'_, '_>,
        start: usize,
        known: impl Fn(usize) -> Option<bool>,
        budget: &Budget,
    ) -> Result<bool, Stopped> {
        if let Some(wins) = known(start) {
            self.rank[start] = if wins { WON } else { LOST };
            return Ok(false);
        }
        let full = product.full | INNER;
        self.enter(start, product.state(start), start % product.width(), 0);
        if product.accepts_prefix(start) {
            return Ok(true);
        }
        while let Some(frame) = self.path.last_mut() {
            budget.tick(&mut self.ticks)?;
            let from = (frame.state as usize, frame.memory as usize);
            let Some(step) = product.next_from(from.0, from.1, &mut frame.cursor) else {
                self.leave(from.0 * product.width() + from.1);
                continue;
            };
            let wins = match self.rank[step.target] {
                FRESH => match known(step.target) {
                    Some(wins) => {
                        self.rank[step.target] = if wins { WON } else { LOST };
                        wins
                    }
                    None => {
                        self.enter(step.target, step.step.target, step.memory as usize, step.marks);
                        product.accepts_prefix(step.target)
                    }
                },
                WON => true,
                LOST => false,
                rank => self.merge(rank, step.marks) & full == full,
            };
            if wins {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn enter(&mut self, node: usize, state: usize, memory: usize, entry: u64) {
        self.open.push(to_u32(node));
        let rank = to_u32(self.open.len());
        self.rank[node] = rank;
        self.path.push(SearchFrame { state: to_u32(state), memory: to_u32(memory), cursor: Cursor::default() });
        self.roots.push(Root { rank, marks: 0, entry });
    }

    /// Joins everything from the part of `rank` on; returns the marks of the joined part.
    fn merge(&mut self, rank: u32, marks: u64) -> u64 {
        let mut sum = marks | INNER;
        while let Some(root) = self.roots.last_mut() {
            sum |= root.marks;
            if root.rank <= rank {
                root.marks = sum;
                break;
            }
            sum |= root.entry;
            self.roots.pop();
        }
        sum
    }

    /// The node at the end of the path has no more successors.
    fn leave(&mut self, node: usize) {
        self.path.pop();
        let rank = self.rank[node];
        if self.roots.last().is_some_and(|root| root.rank == rank) {
            self.roots.pop();
            for node in self.open.drain(rank as usize - 1..) {
                self.rank[node as usize] = LOST;
            }
        }
    }
}
