//! In which order are obligations settled, and which may be passed over?
//!
//! Obligations that lead to each other are one *block*; blocks are numbered so that obligations lead to
//! the same block or a smaller one. A block in which all fixpoints are of one kind needs one priority
//! (all of CTL is like that); in the others an outer fixpoint gets a priority that is not smaller than
//! those of the fixpoints inside it, and as small as its kind allows.

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, graph};
use tertium_logic::{Formula, Node, NodeId};

use super::plan::{Obligation, Rule, dual};

/// What the solver needs to know of each obligation.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Its block.
    pub block: Vec<u32>,
    /// Its priority.
    pub priority: Vec<u32>,
    /// Obligations that are positions even where only one move is left: fixpoints whose priority counts,
    /// and what would otherwise be passed over forever (`mu X. X`).
    pub anchored: BitSet,
}

impl Order {
    /// Orders the obligations, and shortens rules so that they lead past jumps.
    pub fn new(formula: &Formula, rules: &mut [Rule], lasting: &[Option<bool>]) -> Self {
        let block = components(rules, false);
        let count = block.iter().max().map_or(0, |&last| last as usize + 1);
        let mut kinds = vec![(false, false); count];
        for (obligation, good) in lasting.iter().enumerate() {
            let (some_good, some_bad) = &mut kinds[block[obligation] as usize];
            *some_good |= *good == Some(true);
            *some_bad |= *good == Some(false);
        }
        let fixpoints = fixpoint_priorities(formula, lasting, &block);
        let priority_of = |obligation: usize| match kinds[block[obligation] as usize] {
            (true, true) => fixpoints[obligation],
            (false, true) => 1,
            _ => 0,
        };
        let priority: Vec<u32> = (0..rules.len()).map(priority_of).collect();
        let mut anchored = unguarded(rules);
        for obligation in 0..rules.len() {
            if priority[obligation] > 0 && kinds[block[obligation] as usize] == (true, true) {
                anchored.insert(obligation);
            }
        }
        pass_jumps(rules, &anchored);
        Self { block, priority, anchored }
    }
}

/// For fixpoints in blocks of both kinds: the least priority of their kind that no fixpoint inside exceeds.
fn fixpoint_priorities(formula: &Formula, lasting: &[Option<bool>], block: &[u32]) -> Vec<u32> {
    let mut priority = vec![0; lasting.len()];
    let mut inside = vec![0u32; lasting.len()];
    for id in formula.node_ids() {
        for side in 0..2 {
            let obligation = id.index() * 2 + side;
            let mut most = 0;
            operands(formula, id, to_u32(side), |operand| {
                if block[operand as usize] == block[obligation] {
                    most = most.max(inside[operand as usize]);
                }
            });
            if let Some(good) = lasting[obligation] {
                let right_kind = most.is_multiple_of(2) == good;
                most += u32::from(!right_kind);
                priority[obligation] = most;
            }
            inside[obligation] = most;
        }
    }
    priority
}

/// The obligations about the operands of a node.
fn operands(formula: &Formula, id: NodeId, side: u32, mut visit: impl FnMut(Obligation)) {
    let same = |child: NodeId| to_u32(child.index() * 2) | side;
    match formula.node(id) {
        Node::Var(_) => {}
        Node::Not(a) => visit(dual(same(a))),
        Node::Implies(a, b) => {
            visit(dual(same(a)));
            visit(same(b));
        }
        Node::Iff(a, b) | Node::Xor(a, b) => {
            for child in [a, b] {
                visit(same(child));
                visit(dual(same(child)));
            }
        }
        Node::All(path) | Node::Exists(path) => formula.node(path).children().for_each(|child| visit(same(child))),
        node => node.children().for_each(|child| visit(same(child))),
    }
}

/// Obligations that can come back to themselves without a step.
fn unguarded(rules: &[Rule]) -> BitSet {
    let component = components(rules, true);
    let mut size = vec![0u32; rules.len()];
    component.iter().for_each(|&at| size[at as usize] += 1);
    BitSet::from_fn(rules.len(), |obligation| {
        let own = component[obligation];
        size[own as usize] > 1 || rules[obligation].targets(true).any(|to| to as usize == obligation)
    })
}

/// Leads every rule past the jumps behind it.
fn pass_jumps(rules: &mut [Rule], anchored: &BitSet) {
    let mut end: Vec<Obligation> = (0..to_u32(rules.len())).collect();
    let mut known = BitSet::empty(rules.len());
    let mut chain = Vec::new();
    for start in 0..to_u32(rules.len()) {
        let mut at = start;
        while !known.contains(at as usize) {
            match rules[at as usize] {
                Rule::Jump(to) if !anchored.contains(at as usize) => {
                    chain.push(at);
                    at = to;
                }
                _ => break,
            }
        }
        let last = end[at as usize];
        known.insert(at as usize);
        for passed in chain.drain(..) {
            end[passed as usize] = last;
            known.insert(passed as usize);
        }
    }
    for rule in rules {
        let to = |obligation: Obligation| end[obligation as usize];
        *rule = match *rule {
            Rule::Constant(_) | Rule::Label(..) => *rule,
            Rule::Jump(a) => Rule::Jump(to(a)),
            Rule::Any(a, b) => Rule::Any(to(a), to(b)),
            Rule::All(a, b) => Rule::All(to(a), to(b)),
            Rule::Diamond(step, a) => Rule::Diamond(step, to(a)),
            Rule::Box(step, a) => Rule::Box(step, to(a)),
        };
    }
}

/// The strongly connected component of each obligation, those that others lead to first.
fn components(rules: &[Rule], same_state: bool) -> Vec<u32> {
    graph::components(rules.len(), |at| rules[at].targets(same_state).map(|to| to as usize)).of
}
