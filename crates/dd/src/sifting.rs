//! In which order would diagrams be smaller? Sifting (Rudell 1993), on a copy.
//!
//! Blocks of bits, each a variable of the program with the bits for its value afterwards, are moved one after the other through all places, by swaps of adjacent
//! levels, and stay where the diagrams were smallest (group sifting; Panda, Somenzi 1995). A swap changes only nodes of its two levels, and no function. The copy has
//! plain edges; the store keeps its order, and whoever asks builds anew in the order that was found.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use oxidd::util::FxHasher;
use tertium_base::{Budget, Stopped};

use crate::set::{Root, Set};
use crate::store::Bit;

/// A block goes on in one direction as long as the diagrams have at most this many hundredths of the nodes that they had at its best place.
const MOST_GROWTH: usize = 120;
/// Diagrams with more nodes than this are not copied.
const MOST_NODES: usize = 1 << 17;
/// All blocks are sifted so often, if each time saves a tenth.
const ROUNDS: usize = 3;

/// An order of blocks, and what it brings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiftedOrder {
    /// The blocks in their new order, by their places in the old one.
    pub blocks: Vec<usize>,
    /// How many nodes the diagrams had.
    pub before: usize,
    /// And in the new order.
    pub after: usize,
}

/// A better order of `blocks` for these sets, which follow each other without gaps from the first bit on; bits after them stay where they are. Blocks are
/// sifted until swaps have looked at `most_visited` nodes. None if the diagrams are too large.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached.
pub fn sifted(
    sets: &[Set],
    blocks: &[Vec<Bit>],
    most_visited: usize,
    budget: &Budget,
) -> Result<Option<SiftedOrder>, Stopped> {
    let bits = sets.first().map_or(0, |set| set.store.bit_count());
    let Some(mut forest) = Forest::copied(sets, bits) else { return Ok(None) };
    let mut order = Order::new(blocks);
    let before = forest.size;
    for _ in 0..ROUNDS {
        let start = forest.size;
        order.all_sifted(&mut forest, most_visited, budget)?;
        if forest.visited > most_visited || forest.size * 10 > start * 9 {
            break;
        }
    }
    Ok(Some(SiftedOrder { blocks: order.blocks, before, after: forest.size }))
}

/// The order of blocks while it changes.
struct Order {
    blocks: Vec<usize>,
    widths: Vec<usize>,
}

impl Order {
    fn new(blocks: &[Vec<Bit>]) -> Self {
        debug_assert!(
            blocks.iter().flatten().enumerate().all(|(at, bit)| bit.index() == at),
            "blocks follow each other without gaps"
        );
        Self { blocks: (0..blocks.len()).collect(), widths: blocks.iter().map(Vec::len).collect() }
    }

    /// The level of the first bit of the block at a place.
    fn level(&self, place: usize) -> usize {
        self.blocks[..place].iter().map(|&block| self.widths[block]).sum()
    }

    /// Sifts every block once, the one with most nodes first.
    fn all_sifted(&mut self, forest: &mut Forest, most_visited: usize, budget: &Budget) -> Result<(), Stopped> {
        let mut heaviest: Vec<(usize, usize)> = (0..self.blocks.len())
            .map(|place| (forest.nodes_at(self.level(place), self.widths[self.blocks[place]]), self.blocks[place]))
            .collect();
        heaviest.sort_unstable_by_key(|&(nodes, block)| (std::cmp::Reverse(nodes), block));
        for (_, block) in heaviest {
            budget.check()?;
            if forest.visited > most_visited {
                break;
            }
            self.sift(forest, block);
        }
        Ok(())
    }

    /// Moves a block through all places, the nearer end first, and back to the best one.
    fn sift(&mut self, forest: &mut Forest, block: usize) {
        let Some(start) = self.blocks.iter().position(|&other| other == block) else { return };
        let (mut best, mut place) = ((forest.size, start), start);
        let last = self.blocks.len() - 1;
        let ends = if start > last / 2 { [last, 0] } else { [0, last] };
        for end in ends {
            while place != end {
                place = self.moved(forest, place, end);
                if forest.size < best.0 {
                    best = (forest.size, place);
                }
                if forest.size * 100 > best.0 * MOST_GROWTH {
                    break;
                }
            }
        }
        while place != best.1 {
            place = self.moved(forest, place, best.1);
        }
    }

    /// Moves the block at a place by one place towards another.
    fn moved(&mut self, forest: &mut Forest, place: usize, towards: usize) -> usize {
        let upper = place.min(if towards < place { place - 1 } else { place });
        let (first, a, b) = (self.level(upper), self.widths[self.blocks[upper]], self.widths[self.blocks[upper + 1]]);
        for done in 0..b {
            for level in (first + done..first + done + a).rev() {
                forest.swap(level);
            }
        }
        self.blocks.swap(upper, upper + 1);
        if towards < place { place - 1 } else { place + 1 }
    }
}

/// A node: its bit, and where the ways lead without and with it.
#[derive(Clone, Copy)]
struct Node {
    bit: usize,
    unset: usize,
    set: usize,
    uses: usize,
}

const EMPTY: usize = 0;
const FULL: usize = 1;

/// Diagrams without marks on edges, with a table for each level.
struct Forest {
    nodes: Vec<Node>,
    free: Vec<usize>,
    /// By bit: the nodes that there are, by what they lead to.
    unique: Vec<HashMap<(usize, usize), usize, BuildHasherDefault<FxHasher>>>,
    bit_at: Vec<usize>,
    size: usize,
    /// How many nodes swaps have looked at.
    visited: usize,
}

impl Forest {
    fn new(bits: usize) -> Self {
        let leaf = Node { bit: usize::MAX, unset: 0, set: 0, uses: 1 };
        Self {
            nodes: vec![leaf; 2],
            free: Vec::new(),
            unique: vec![HashMap::default(); bits],
            bit_at: (0..bits).collect(),
            size: 0,
            visited: 0,
        }
    }

    /// A copy of some sets; none if it has too many nodes.
    #[expect(
        clippy::mutable_key_type,
        reason = "a diagram is its node's number; what can change is the store behind it"
    )]
    fn copied(sets: &[Set], bits: usize) -> Option<Self> {
        let mut forest = Self::new(bits);
        let mut known: HashMap<Set, usize> = HashMap::new();
        for set in sets {
            let mut open = vec![set.clone()];
            while let Some(part) = open.last() {
                let place = match part.root() {
                    Root::Empty => EMPTY,
                    Root::Full => FULL,
                    Root::Node { bit, unset, set } => match (known.get(&unset), known.get(&set)) {
                        (Some(&unset), Some(&set)) => forest.made(bit.index(), unset, set),
                        (first, second) => {
                            let missing = [(first, unset), (second, set)];
                            open.extend(missing.into_iter().filter(|(known, _)| known.is_none()).map(|(_, set)| set));
                            continue;
                        }
                    },
                };
                if forest.size > MOST_NODES {
                    return None;
                }
                if let Some(part) = open.pop() {
                    known.insert(part, place);
                }
            }
            forest.nodes[*known.get(set)?].uses += 1;
        }
        Some(forest)
    }

    fn nodes_at(&self, level: usize, width: usize) -> usize {
        self.bit_at[level..level + width].iter().map(|&bit| self.unique[bit].len()).sum()
    }

    /// The node for a bit with these ways; nobody uses a new one yet.
    fn made(&mut self, bit: usize, unset: usize, set: usize) -> usize {
        if unset == set {
            return unset;
        }
        if let Some(&known) = self.unique[bit].get(&(unset, set)) {
            return known;
        }
        let node = Node { bit, unset, set, uses: 0 };
        let place = match self.free.pop() {
            Some(place) => {
                self.nodes[place] = node;
                place
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
        self.nodes[unset].uses += 1;
        self.nodes[set].uses += 1;
        self.unique[bit].insert((unset, set), place);
        self.size += 1;
        place
    }

    /// One user less; a node without any is gone.
    fn left(&mut self, place: usize) {
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            self.nodes[place].uses -= 1;
            let Node { bit, unset, set, uses } = self.nodes[place];
            if uses == 0 && place > FULL {
                self.unique[bit].remove(&(unset, set));
                self.free.push(place);
                self.size -= 1;
                open.extend([unset, set]);
            }
        }
    }

    /// Where the ways from a node lead that ask for a bit next, or would.
    fn ways(&self, place: usize, bit: usize) -> (usize, usize) {
        let node = &self.nodes[place];
        if place > FULL && node.bit == bit { (node.unset, node.set) } else { (place, place) }
    }

    /// Swaps a level with the one below it. Nodes keep their places and their functions.
    fn swap(&mut self, level: usize) {
        let (upper, lower) = (self.bit_at[level], self.bit_at[level + 1]);
        let asks = |this: &Self, place: usize| place > FULL && this.nodes[place].bit == lower;
        let mut changed: Vec<usize> = (self.unique[upper].iter())
            .filter(|((unset, set), _)| asks(self, *unset) || asks(self, *set))
            .map(|(_, &place)| place)
            .collect();
        // The same whatever the tables' order is.
        changed.sort_unstable();
        self.visited += self.unique[upper].len() + self.unique[lower].len() + 1;
        for &place in &changed {
            let Node { unset, set, .. } = self.nodes[place];
            self.unique[upper].remove(&(unset, set));
        }
        for place in changed {
            let Node { unset, set, .. } = self.nodes[place];
            let ((a, b), (c, d)) = (self.ways(unset, lower), self.ways(set, lower));
            let (first, second) = (self.made(upper, a, c), self.made(upper, b, d));
            self.nodes[first].uses += 1;
            self.nodes[second].uses += 1;
            let node = &mut self.nodes[place];
            (node.bit, node.unset, node.set) = (lower, first, second);
            self.unique[lower].insert((first, second), place);
            self.left(unset);
            self.left(set);
        }
        self.bit_at.swap(level, level + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Diagrams, Limits};

    /// `x0 = x4 & x1 = x5 & …`: exponential as it stands, linear with partners together.
    fn partners(diagrams: &Diagrams, pairs: usize) -> Set {
        let bit = |at: usize| diagrams.bit(Bit::new(at)).expect("no limit is set");
        (0..pairs).fold(diagrams.full(), |all, at| {
            let same = bit(at).iff(&bit(at + pairs)).expect("no limit is set");
            all.and(&same).expect("no limit is set")
        })
    }

    #[test]
    fn partners_are_brought_together() {
        let pairs = 8;
        let diagrams = Diagrams::new(2 * pairs, Limits::for_listed(1 << 14), &Budget::unlimited()).expect("small");
        let set = partners(&diagrams, pairs);
        let blocks: Vec<Vec<Bit>> = (0..2 * pairs).map(|at| vec![Bit::new(at)]).collect();
        let found = sifted(&[set], &blocks, 1 << 20, &Budget::unlimited()).expect("no limit").expect("few nodes");
        assert!(found.before > 500 && found.after == 3 * pairs, "{found:?}");
        let mut place = vec![0; 2 * pairs];
        found.blocks.iter().enumerate().for_each(|(at, &block)| place[block] = at);
        assert!((0..pairs).all(|at| place[at].abs_diff(place[at + pairs]) == 1), "{found:?}");
    }

    #[test]
    fn swaps_change_no_function_and_leave_reduced_diagrams() {
        let (bits, mut random) = (7, 20_261_118u64);
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(random >> 33).expect("31 bits") % below
        };
        for _ in 0..40 {
            let diagrams = Diagrams::new(bits, Limits::for_listed(1 << 10), &Budget::unlimited()).expect("small");
            let rows: Vec<u128> = (0..1 + next(90)).map(|_| next(1 << bits) as u128).collect();
            let all: Vec<Bit> = (0..bits).map(Bit::new).collect();
            let set = diagrams.listed(&all, rows.clone()).expect("no limit is set");
            let mut forest = Forest::copied(&[set], bits).expect("few nodes");
            for _ in 0..30 {
                forest.swap(next(bits - 1));
                agrees(&forest, &rows, bits);
            }
        }
    }

    fn agrees(forest: &Forest, rows: &[u128], bits: usize) {
        let root = (0..forest.nodes.len()).rev().find(|&at| !forest.free.contains(&at) && is_root(forest, at));
        let root = root.expect("somebody uses it");
        for row in 0..1u128 << bits {
            let mut at = root;
            while at > FULL {
                let Node { bit, unset, set, .. } = forest.nodes[at];
                at = if row >> (bits - 1 - bit) & 1 == 1 { set } else { unset };
            }
            assert_eq!(at == FULL, rows.contains(&row), "row {row}");
        }
        let mut level = vec![0; bits];
        forest.bit_at.iter().enumerate().for_each(|(at, &bit)| level[bit] = at);
        let live = || (2..forest.nodes.len()).filter(|at| !forest.free.contains(at)).map(|at| forest.nodes[at]);
        assert_eq!(live().count(), forest.size);
        for node in live() {
            assert!(node.unset != node.set && node.uses > 0);
            for next in [node.unset, node.set].into_iter().filter(|&next| next > FULL) {
                assert!(level[forest.nodes[next].bit] > level[node.bit], "ordered");
            }
        }
    }

    /// Whether more use a node than other nodes do.
    fn is_root(forest: &Forest, place: usize) -> bool {
        let live = (2..forest.nodes.len()).filter(|at| !forest.free.contains(at));
        let inner: usize = live
            .map(|at| usize::from(forest.nodes[at].unset == place) + usize::from(forest.nodes[at].set == place))
            .sum();
        forest.nodes[place].uses > inner + usize::from(place <= FULL)
    }
}
