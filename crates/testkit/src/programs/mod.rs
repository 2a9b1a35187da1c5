//! Small programs of guarded commands: random ones, and their state spaces by brute force.
//!
//! [`random_program`] writes texts with bounded domains; [`state_space`] runs a text from its tree, without the program
//! graph, without locations, one statement at a time. It is what explorers are compared with.

mod constructs;
mod expressions;
mod random;
mod reference;
mod statements;

pub use constructs::{ConstructPair, construct_properties, random_construct_pair};
pub use random::{ProgramShape, random_program};
pub use reference::{Space, state_space};
