//! How is a formula written? Text to node table ([`parse`]) and back ([`printer`]).
//!
//! Not here: normal forms and anything that changes a formula.

mod bounds;
mod hints;
mod nodes;
pub mod parse;
pub mod printer;
mod scope;
mod stack;
#[cfg(test)]
mod tests;
pub(crate) mod token;
