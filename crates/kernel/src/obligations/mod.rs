//! Proofs over predicates: abstract states, and why they stand for all that a program does.
//!
//! An [`Abstraction`] lists predicates over the cells of a program and abstract states over them. It is believed only if every
//! [`Obligation`] about it holds: formulas that are written here anew from the program, by the definition of a step, and that any
//! SMT-LIB solver can decide. [`ProofObligations`] writes them; `invariant` those of "nothing bad is ever reached", `drawing` those of "this
//! finite structure is an abstraction of the program", about which an ordinary certificate then speaks.
//!
//! Not here: asking a solver ([`crate::solve`]).

mod deadlocks;
mod drawing;
mod drawing_obligations;
mod effects;
mod invariant;
mod machine;
mod messages;
mod parse;
mod print;
mod priorities;
mod proof_obligations;
pub(crate) mod ranks;
mod rendezvous;
mod roster;
mod shape;
mod steps;
pub mod terms;
mod values;

pub use drawing::{Drawn, StructureReading};
pub use machine::{Machine, NoTerm};
pub use proof_obligations::{Expected, Obligation, ProofObligations};
pub(crate) use shape::of_every_state;
pub use steps::{Input, Moves, Slip, StepPath, Wrong};
use tertium_evidence::abstraction::{AbstractState, Abstraction, Later};

/// What an invariant excludes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal<'a> {
    /// States in which a propositional part of a formula does not surely have a value. Its atoms are expressions of the program.
    Condition {
        /// The formula.
        formula: &'a tertium_logic::Formula,
        /// The part of it.
        root: tertium_logic::NodeId,
        /// The value.
        holds: bool,
        /// What the atoms mean.
        atoms: &'a [tertium_program::ExprId],
    },
    /// States from which a step goes wrong in this way.
    Wrong(Wrong),
    /// States in which no process can step although not all may rest.
    Stuck,
    /// Blocks that go round for ever.
    Endless,
}
