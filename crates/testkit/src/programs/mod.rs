//! Small programs of guarded commands: random ones, and their state spaces by brute force.
//!
//! [`random_program`] writes texts with bounded domains; [`state_space`] runs a text from its tree, without the program
//! graph, without locations, one statement at a time. It is what explorers are compared with.

mod expressions;
mod random;
mod reference;
mod statements;

pub use random::{ProgramShape, random_program};
pub use reference::{Space, state_space};
