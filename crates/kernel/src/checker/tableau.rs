//! What must hold now and what next, for a set of obligations to be met? The plain tableau rules.

use std::collections::BTreeSet;

use tertium_base::{Budget, Stopped};
use tertium_model::{Kmts, StateId};

use super::linear::{Linear, Op, Sight};

/// One way to meet a set of obligations at a position of a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct TableauBranch {
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

/// What is looked at while obligations are expanded.
#[derive(Clone, Copy)]
pub(crate) struct Tableau<'a> {
    pub(crate) linear: &'a Linear,
    pub(crate) sight: Sight,
    pub(crate) model: &'a Kmts,
    pub(crate) budget: &'a Budget,
}

impl Tableau<'_> {
    /// All ways to meet `obligations` at a state; none is a state of which nothing is known.
    pub(crate) fn ways(&self, obligations: &[u32], state: Option<StateId>) -> Result<Vec<TableauBranch>, Stopped> {
        let settled = self.settled(state);
        let mut open = vec![Partial { todo: obligations.to_vec(), ..Partial::default() }];
        let mut found = BTreeSet::new();
        let mut ticks = 0;
        while let Some(partial) = open.pop() {
            self.budget.tick(&mut ticks)?;
            found.extend(self.expand(partial, &settled, &mut open));
        }
        Ok(found.into_iter().collect())
    }

    /// For each operator whether the state's labels decide it, whatever comes next.
    fn settled(&self, state: Option<StateId>) -> Vec<Option<bool>> {
        let mut settled: Vec<Option<bool>> = Vec::with_capacity(self.linear.ops.len());
        for &op in &self.linear.ops {
            let of = |at: u32| settled[at as usize];
            let value = match op {
                Op::And(a, b) => and(of(a), of(b)),
                Op::Or(a, b) => or(of(a), of(b)),
                Op::Until(a, b) => or(of(b), and(of(a), None)),
                Op::Release(a, b) => and(of(b), or(of(a), None)),
                Op::Next(_) => None,
                Op::Step(wanted) => match (self.sight, wanted) {
                    // On a possible path there is never evidence against the step.
                    (Sight::Optimistic, true) => Some(true),
                    (Sight::Pessimistic, false) => Some(false),
                    _ => None,
                },
                Op::True | Op::False | Op::Literal(..) => self.linear.holds(op, state, true, self.sight, self.model),
            };
            settled.push(value);
        }
        settled
    }

    /// Follows one alternative to its end, leaving the others it meets in `open`; none if it cannot be met.
    fn expand(&self, mut partial: Partial, settled: &[Option<bool>], open: &mut Vec<Partial>) -> Option<TableauBranch> {
        while let Some(at) = partial.todo.pop() {
            match settled[at as usize] {
                Some(true) => continue,
                Some(false) => return None,
                None if !partial.done.insert(at) => continue,
                None => {}
            }
            match self.linear.ops[at as usize] {
                Op::And(a, b) => partial.todo.extend([a, b]),
                Op::Next(a) => {
                    partial.next.insert(a);
                }
                Op::Step(wanted) => partial.step = Some(wanted),
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
                Op::True | Op::False | Op::Literal(..) => {}
            }
        }
        Some(TableauBranch {
            step: partial.step,
            next: partial.next.into_iter().collect(),
            postponed: partial.postponed.into_iter().collect(),
        })
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    and(a.map(|a| !a), b.map(|b| !b)).map(|value| !value)
}
