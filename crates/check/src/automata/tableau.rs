//! The plain tableau from a linear formula to an automaton.
//!
//! A state is a set of obligations; a transition is one way to meet them now, with the literals it
//! reads, the obligations it leaves for the next position, and a mark for every until that it does
//! not put off. Small enough to be seen correct; tests compare every other construction with it.

use std::collections::{BTreeSet, HashMap};

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};
use tertium_logic::{Formula, Node, NodeId};

use super::automaton::{Automaton, Literal, MAX_MARKS, Transition};

/// One way, still open, to meet a set of obligations.
#[derive(Clone, Default)]
struct TableauBranch {
    todo: Vec<NodeId>,
    met: BTreeSet<NodeId>,
    cube: BTreeSet<Literal>,
    next: BTreeSet<NodeId>,
    put_off: BTreeSet<NodeId>,
}

/// The automaton of a formula in positive normal form.
///
/// # Errors
/// If the budget ends, or there are more untils than marks.
pub(crate) fn plain_automaton(formula: &Formula, budget: &Budget) -> Result<Automaton, Stopped> {
    let untils: Vec<NodeId> =
        formula.node_ids().filter(|&id| matches!(formula.node(id), Node::Until(..) | Node::Finally(_))).collect();
    if untils.len() > MAX_MARKS as usize {
        return Err(Stopped(StopReason::Count));
    }
    let mut numbers: HashMap<Vec<NodeId>, u32> = HashMap::new();
    let start = vec![formula.root()];
    numbers.insert(start.clone(), 0);
    let mut sets = vec![start];
    let mut automaton = Automaton { initial: vec![0], transitions: Vec::new(), marks: to_u32(untils.len()) };
    let mut at = 0;
    while at < sets.len() {
        let mut steps = Vec::new();
        for way in ways(formula, &sets[at], budget)? {
            let next: Vec<NodeId> = way.next.into_iter().collect();
            let target = *numbers.entry(next).or_insert_with_key(|next| {
                sets.push(next.clone());
                to_u32(sets.len()) - 1
            });
            let mark = |(bit, until): (usize, &NodeId)| u64::from(!way.put_off.contains(until)) << bit;
            let marks = untils.iter().enumerate().map(mark).fold(0, |sum, mark| sum | mark);
            steps.push(Transition { cube: way.cube.into_iter().collect(), target, marks });
        }
        automaton.transitions.push(steps);
        at += 1;
    }
    automaton.drop_covered();
    Ok(automaton)
}

fn ways(formula: &Formula, obligations: &[NodeId], budget: &Budget) -> Result<Vec<TableauBranch>, Stopped> {
    let mut open = vec![TableauBranch { todo: obligations.to_vec(), ..TableauBranch::default() }];
    let mut finished = Vec::new();
    let mut ticks = 0;
    while let Some(mut way) = open.pop() {
        budget.tick(&mut ticks)?;
        let Some(id) = way.todo.pop() else {
            finished.push(way);
            continue;
        };
        if !way.met.insert(id) {
            open.push(way);
            continue;
        }
        match formula.node(id) {
            Node::True => {}
            Node::False => continue,
            Node::Atom(atom) => {
                way.cube.insert(Literal { atom: atom.number(), positive: true });
            }
            Node::Not(inner) => {
                if let Node::Atom(atom) = formula.node(inner) {
                    way.cube.insert(Literal { atom: atom.number(), positive: false });
                }
            }
            Node::And(a, b) => way.todo.extend([a, b]),
            Node::Or(a, b) => {
                let mut other = way.clone();
                other.todo.push(b);
                open.push(other);
                way.todo.push(a);
            }
            Node::Next(a) => {
                way.next.insert(a);
            }
            Node::Finally(a) => {
                open.push(put_off(&way, id));
                way.todo.push(a);
            }
            Node::Until(a, b) => {
                let mut later = put_off(&way, id);
                later.todo.push(a);
                open.push(later);
                way.todo.push(b);
            }
            Node::Globally(a) => {
                way.next.insert(id);
                way.todo.push(a);
            }
            Node::Release(a, b) => {
                let mut onward = way.clone();
                onward.next.insert(id);
                onward.todo.push(b);
                open.push(onward);
                way.todo.extend([a, b]);
            }
            other => debug_assert!(false, "not in positive normal form: {other:?}"),
        }
        open.push(way);
    }
    Ok(finished)
}

fn put_off(way: &TableauBranch, until: NodeId) -> TableauBranch {
    let mut later = way.clone();
    later.next.insert(until);
    later.put_off.insert(until);
    later
}
