//! In which ways can a set of obligations be met now, and what is left for later?
//!
//! A way is a conjunction of tests of the present letter, the obligations for the next position, and the
//! eventualities that it puts off. Ways that another one makes superfluous are dropped; since `p` and `!p`
//! are independent tests, that is a matter of set inclusion alone.

use std::collections::HashMap;

use tertium_base::{Budget, StopReason, Stopped};

use super::tgba::{Guard, Literal, is_subset, union};
use crate::formula::{Formula, Node, NodeId};

/// More ways than this to meet one set of obligations end as a reached limit.
const MOST_WAYS: usize = 1 << 18;

/// A set of obligations, sorted.
pub(crate) type Obligations = Vec<NodeId>;

/// One way to meet obligations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct ExpansionBranch {
    pub(crate) guard: Guard,
    pub(crate) next: Obligations,
    /// The `U` and `F` nodes that are still owed and were not met now.
    pub(crate) postponed: Obligations,
}

impl ExpansionBranch {
    fn and(&self, other: &Self) -> Self {
        Self {
            guard: self.guard.and(&other.guard),
            next: union(&self.next, &other.next),
            postponed: union(&self.postponed, &other.postponed),
        }
    }

    fn size(&self) -> usize {
        self.guard.literals().len() + self.next.len() + self.postponed.len()
    }

    /// A summary: a way covers another one only if its bits are among the other's.
    fn print(&self) -> u64 {
        let guard = self.guard.literals().iter().map(|literal| literal.bit());
        let next = self.next.iter().map(|node| node.index().wrapping_mul(0x9e37) >> 3);
        guard.chain(next).fold(0, |bits, item| bits | 1 << (item % 64))
    }

    fn covers(&self, other: &Self) -> bool {
        self.guard.is_weaker_or_equal(&other.guard)
            && is_subset(&self.next, &other.next)
            && is_subset(&self.postponed, &other.postponed)
    }
}

/// Computes ways, remembering them by node.
pub(crate) struct Expander<'f> {
    formula: &'f Formula,
    known: HashMap<NodeId, Vec<ExpansionBranch>>,
    /// The parts of what `G` and `R` hold, as far as they were asked for.
    parts: HashMap<NodeId, Obligations>,
    /// Whether guards with `p` and `!p` are dropped.
    classical: bool,
    budget: &'f Budget,
    counter: u32,
}

impl<'f> Expander<'f> {
    pub(crate) fn new(formula: &'f Formula, classical: bool, budget: &'f Budget) -> Self {
        Self { formula, known: HashMap::new(), parts: HashMap::new(), classical, budget, counter: 0 }
    }

    /// The obligations without those that another one contains at every position: `b` beside `G (b & c)` or
    /// `a R b`. The ways to meet them are the same, since meeting `b` twice in one way is the least way.
    pub(crate) fn without_repeated(&mut self, obligations: &Obligations) -> Obligations {
        let mut repeated = std::collections::HashSet::new();
        for &obligation in obligations {
            if let Node::Globally(held) | Node::Release(_, held) = self.formula.node(obligation) {
                let formula = self.formula;
                let parts = self.parts.entry(held).or_insert_with(|| conjuncts(formula, held));
                repeated.extend(parts.iter().copied());
            }
        }
        obligations.iter().copied().filter(|obligation| !repeated.contains(obligation)).collect()
    }

    /// The ways to meet all these obligations, none superfluous, in order.
    pub(crate) fn ways(&mut self, obligations: &[NodeId]) -> Result<Vec<ExpansionBranch>, Stopped> {
        let mut all = vec![ExpansionBranch::default()];
        for &obligation in obligations {
            self.prepare(obligation)?;
            let ways = std::mem::take(self.known.entry(obligation).or_default());
            let product = self.product(&all, &ways);
            self.known.insert(obligation, ways);
            all = product?;
        }
        Ok(all)
    }

    /// Makes the ways of a node known, operands first, with a stack of its own.
    fn prepare(&mut self, root: NodeId) -> Result<(), Stopped> {
        let mut todo = vec![root];
        while let Some(&node) = todo.last() {
            if self.known.contains_key(&node) {
                todo.pop();
                continue;
            }
            let operands = now_relevant(self.formula.node(node));
            let missing: Vec<NodeId> =
                operands.into_iter().flatten().filter(|id| !self.known.contains_key(id)).collect();
            if missing.is_empty() {
                let ways = self.node_ways(node)?;
                self.known.insert(node, ways);
                todo.pop();
            } else {
                todo.extend(missing);
            }
        }
        Ok(())
    }

    fn node_ways(&mut self, id: NodeId) -> Result<Vec<ExpansionBranch>, Stopped> {
        let later = |next: Vec<NodeId>, postponed: Vec<NodeId>| {
            vec![ExpansionBranch { guard: Guard::default(), next, postponed }]
        };
        let of = |id: NodeId| self.known[&id].clone();
        Ok(match self.formula.node(id) {
            Node::True => vec![ExpansionBranch::default()],
            Node::Next(a) => later(conjuncts(self.formula, a), Vec::new()),
            Node::And(a, b) => {
                let (a, b) = (of(a), of(b));
                self.product(&a, &b)?
            }
            Node::Or(a, b) => {
                let either = [of(a), of(b)].concat();
                self.minimal(either)?
            }
            Node::Finally(b) => {
                let either = [of(b), later(vec![id], vec![id])].concat();
                self.minimal(either)?
            }
            Node::Globally(b) => {
                let b = of(b);
                self.product(&b, &later(vec![id], Vec::new()))?
            }
            Node::Until(a, b) => {
                let (a, b) = (of(a), of(b));
                let put_off = self.product(&a, &later(vec![id], vec![id]))?;
                self.minimal([b, put_off].concat())?
            }
            Node::Release(a, b) => {
                let (a, b) = (of(a), of(b));
                let released = self.minimal([a, later(vec![id], Vec::new())].concat())?;
                self.product(&b, &released)?
            }
            Node::Atom(atom) => vec![literal_way(Literal::new(atom, false))],
            Node::Not(operand) => match self.formula.node(operand) {
                Node::Atom(atom) => vec![literal_way(Literal::new(atom, true))],
                _ => Vec::new(),
            },
            // Everything else is not in positive normal form of LTL; the translator has refused it.
            _ => Vec::new(),
        })
    }

    fn product(
        &mut self,
        first: &[ExpansionBranch],
        second: &[ExpansionBranch],
    ) -> Result<Vec<ExpansionBranch>, Stopped> {
        let mut all = Vec::new();
        for one in first {
            for other in second {
                self.budget.tick(&mut self.counter)?;
                let way = one.and(other);
                if !(self.classical && way.guard.is_contradictory()) {
                    all.push(way);
                }
            }
            if all.len() > MOST_WAYS {
                all = self.minimal(all)?;
            }
        }
        self.minimal(all)
    }

    /// Drops every way that another one covers.
    fn minimal(&mut self, mut ways: Vec<ExpansionBranch>) -> Result<Vec<ExpansionBranch>, Stopped> {
        ways.sort_unstable();
        ways.dedup();
        // What covers a way is smaller, so with small ones first only those kept so far need comparing.
        let mut order: Vec<usize> = (0..ways.len()).collect();
        order.sort_by_key(|&at| ways[at].size());
        let prints: Vec<u64> = ways.iter().map(ExpansionBranch::print).collect();
        let mut kept: Vec<usize> = Vec::new();
        for at in order {
            let mut covered = false;
            for &candidate in &kept {
                self.budget.tick(&mut self.counter)?;
                if prints[candidate] & !prints[at] == 0 && ways[candidate].covers(&ways[at]) {
                    covered = true;
                    break;
                }
            }
            if !covered {
                kept.push(at);
            }
        }
        if kept.len() > MOST_WAYS {
            return Err(Stopped(StopReason::Count));
        }
        kept.sort_unstable();
        Ok(kept.into_iter().map(|at| std::mem::take(&mut ways[at])).collect())
    }
}

fn literal_way(literal: Literal) -> ExpansionBranch {
    ExpansionBranch { guard: Guard::new(vec![literal]), ..ExpansionBranch::default() }
}

/// The operands whose ways at the present position matter.
fn now_relevant(node: Node) -> [Option<NodeId>; 2] {
    match node {
        Node::Next(_) | Node::Not(_) => [None, None],
        other => {
            let mut operands = other.children();
            [operands.next(), operands.next()]
        }
    }
}

/// The parts of a conjunction, sorted; `true` has none.
pub(crate) fn conjuncts(formula: &Formula, root: NodeId) -> Obligations {
    let mut parts = Vec::new();
    let mut todo = vec![root];
    let mut seen = std::collections::HashSet::new();
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        match formula.node(id) {
            Node::And(a, b) => todo.extend([a, b]),
            Node::True => {}
            _ => parts.push(id),
        }
    }
    parts.sort_unstable();
    parts
}
