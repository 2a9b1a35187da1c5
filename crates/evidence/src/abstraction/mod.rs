//! Proofs over predicates: abstract states, and why they stand for all that a program does.
//!
//! An [`Abstraction`] lists predicates over the cells of a program and abstract states over them. It is believed only if every
//! [`Obligation`] about it holds: formulas that are written here anew from the program, by the definition of a step, and that any
//! SMT-LIB solver can decide. [`Grounds`] writes them; `invariant` those of "nothing bad is ever reached", `structure` those of "this
//! finite structure is an abstraction of the program", about which an ordinary certificate then speaks.
//!
//! Nothing here is shared with the engines that find such proofs. Not here: asking a solver (`driver`).

mod grounds;
mod invariant;
mod machine;
mod meetings;
mod messages;
mod parse;
mod print;
mod ranks;
mod roster;
mod shape;
mod steps;
mod structure;
pub mod terms;
mod values;

pub use grounds::{Expected, Grounds, Obligation};
pub use machine::{Machine, NoTerm};
pub use ranks::{Questions, Rank, Taken};
pub use shape::of_every_state;
pub use steps::{Input, Moves, Slip, Way, Wrong};
pub use structure::{Frame, Structure};

/// A set of program states.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AbstractState {
    /// The location of each process that there can be; none where it may be anywhere.
    pub at: Vec<Option<u32>>,
    /// The values of the cells that stay concrete.
    pub values: Vec<i64>,
    /// The values of the predicates; none where it may be either.
    pub cube: Vec<Option<bool>>,
}

/// A process that may be started later. That there are no others is an obligation, too.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Later {
    /// The number that it has while it runs.
    pub pid: u32,
    /// The name of its code.
    pub process: String,
    /// Parameters by which it is told from others with the same number and code, and their values.
    pub given: Vec<(String, i64)>,
}

/// Predicates, and abstract states over them. Terms are SMT-LIB text over the cells of the program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Abstraction {
    /// Processes that may be started later; abstract states list their locations after those of the others.
    pub later: Vec<Later>,
    /// Parts that other terms, and later parts, share: `#0` is the first of them, and so on.
    pub shared: Vec<String>,
    /// What holds of every state that can be reached.
    pub always: Vec<String>,
    /// Cells whose values are kept.
    pub cells: Vec<String>,
    /// The predicates.
    pub predicates: Vec<String>,
    /// The abstract states.
    pub states: Vec<AbstractState>,
}

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
