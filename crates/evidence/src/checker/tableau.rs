//! What must hold now and what next, for a set of obligations to be met? The plain tableau rules.

use std::collections::BTreeSet;

use tertium_model::{Kmts, StateId};

use super::linear::{Linear, Op, Sight};

/// One way to meet a set of obligations at a position of a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Way {
    /// What the step taken must be, if that matters: certain, or not certain.
    pub(crate) step: Option<bool>,
    /// Obligations at the next position, ascending.
    pub(crate) next: Vec<u32>,
    /// The `U` operators whose goal was put off, ascending.
    pub(crate) postponed: Vec<u32>,
}

#[derive(Clone, Default)]
struct Partial {
    todo: Vec<u32>,
    done: BTreeSet<u32>,
    step: Option<bool>,
    next: BTreeSet<u32>,
    postponed: BTreeSet<u32>,
}

/// All ways to meet `obligations` at a state, its labels read by `sight`; none is a state of which nothing is known.
pub(crate) fn ways(
    linear: &Linear,
    obligations: &[u32],
    state: Option<StateId>,
    sight: Sight,
    model: &Kmts,
) -> Vec<Way> {
    let mut open = vec![Partial { todo: obligations.to_vec(), ..Partial::default() }];
    let mut found = BTreeSet::new();
    'alternatives: while let Some(mut partial) = open.pop() {
        while let Some(at) = partial.todo.pop() {
            if !partial.done.insert(at) {
                continue;
            }
            match linear.ops[at as usize] {
                Op::And(a, b) => partial.todo.extend([a, b]),
                Op::Next(a) => {
                    partial.next.insert(a);
                }
                Op::Or(a, b) => {
                    let mut other = partial.clone();
                    other.todo.push(b);
                    open.push(other);
                    partial.todo.push(a);
                }
                Op::Until(a, b) => {
                    let mut other = partial.clone();
                    other.todo.push(a);
                    other.next.insert(at);
                    other.postponed.insert(at);
                    open.push(other);
                    partial.todo.push(b);
                }
                Op::Release(a, b) => {
                    partial.todo.push(b);
                    let mut other = partial.clone();
                    other.next.insert(at);
                    open.push(other);
                    partial.todo.push(a);
                }
                Op::Step(wanted) => {
                    if !require_step(&mut partial, wanted, sight) {
                        continue 'alternatives;
                    }
                }
                literal @ (Op::True | Op::False | Op::Literal(..)) => {
                    if linear.holds(literal, state, true, sight, model) != Some(true) {
                        continue 'alternatives;
                    }
                }
            }
        }
        found.insert(Way {
            step: partial.step,
            next: partial.next.into_iter().collect(),
            postponed: partial.postponed.into_iter().collect(),
        });
    }
    found.into_iter().collect()
}

/// Notes what a literal about the step asks of it; says whether that can be met at all.
fn require_step(partial: &mut Partial, wanted: bool, sight: Sight) -> bool {
    match (sight, wanted) {
        (Sight::Optimistic, true) => true,
        (Sight::Pessimistic, false) => false,
        _ => {
            partial.step = Some(wanted);
            true
        }
    }
}
