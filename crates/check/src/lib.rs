//! What is the value of a formula on a structure?
//!
//! One folder per engine; all take a [`Task`] and answer with [`Values`] at the states asked about.
//! An engine that cannot do a task says why ([`Unsupported`]) before it is run.
//!
//! Not here: programs, predicates, solvers.

pub mod automata;
pub mod explicit;
pub mod family;
pub mod game;
pub mod lattice_valued;
pub mod query;
pub mod reduction;
mod rounds;
pub mod symbolic;
mod task;
pub mod thorough;
mod values;
pub mod witness;

pub use task::{Ask, BindError, Engine, EngineError, Filter, Task, Unsupported};
pub use values::Values;
