//! Interval analysis with widening and narrowing (Cousot and Cousot 1977): between which values does every variable lie in every
//! state that can be reached?
//!
//! Initial values, assignments, messages and arguments are propagated until nothing changes; guards and locations are not looked
//! at. A bound that keeps moving jumps to that of its type. Then a few rounds from there give back what the jump lost. Any other domain
//! that knows something of the values of expressions can be asked on the way ([`PartnerDomain`]): both together are a reduced product.

mod domain;
mod evaluation;
mod fixpoint;

use std::collections::BTreeMap;

use crate::expr::ExprId;
use crate::graph::Program;
use crate::types::VarId;

pub use domain::Interval;
pub use evaluation::{ExprIntervals, stored};

/// A domain that bounds values of expressions too, perhaps more tightly.
pub trait PartnerDomain {
    /// Variables lie in these intervals from now on.
    fn begin_round(&mut self, program: &Program, variables: &[Interval]);
    /// Between which values an expression lies.
    fn bounds(&mut self, program: &Program, value: ExprId) -> Interval;
}

/// Nobody to ask.
struct NoPartner;

impl PartnerDomain for NoPartner {
    fn begin_round(&mut self, _: &Program, _: &[Interval]) {}

    fn bounds(&mut self, _: &Program, _: ExprId) -> Interval {
        Interval::ALL
    }
}

/// A field of the messages with so many fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MessageField {
    /// How many fields such a message has.
    pub of: usize,
    /// Which of them.
    pub at: usize,
}

/// The intervals of a program's variables, and of what is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Intervals {
    variables: Vec<Option<Interval>>,
    fields: BTreeMap<MessageField, Interval>,
}

impl Intervals {
    /// The intervals of a program.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        fixpoint::Fixpoint::new(program, None).solve(&mut NoPartner)
    }

    /// The same or smaller ones, with what another domain knows.
    #[must_use]
    pub fn refined(&self, program: &Program, partner: &mut impl PartnerDomain) -> Self {
        fixpoint::Fixpoint::new(program, Some(self)).solve(partner)
    }

    /// The values of a variable's cells in states that can be reached; nothing if no process that has it ever starts.
    #[must_use]
    pub fn variable(&self, var: VarId) -> Option<Interval> {
        self.variables[var.index()]
    }

    /// What is sent in a field, before the channel stores it; nothing if no such message is sent.
    #[must_use]
    pub fn field(&self, field: MessageField) -> Option<Interval> {
        self.fields.get(&field).copied()
    }

    fn nothing(program: &Program) -> Self {
        Self { variables: vec![None; program.variables.len()], fields: BTreeMap::new() }
    }
}
