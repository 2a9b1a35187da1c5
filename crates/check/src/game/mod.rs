//! What is the value of a branching formula, and who can force it?

pub mod parity;
