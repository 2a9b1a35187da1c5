//! Which rows of bits belong to a set, when there are too many to list?
//!
//! [`Diagrams`] is one store of decision diagrams with its limits; a [`Set`] is a set of rows over its bits, a
//! [`Relation`] a set of steps between rows in parts that each say which bits they write. [`Ternary`] diagrams hold one of
//! three values per row. Everything that may run out of nodes or time returns `Stopped` instead, also in the middle of an
//! operation; nothing here panics for want of memory.
//!
//! The diagrams are OxiDD's; none of its types is visible outside. Not here: what bits mean.

mod firing;
mod manager;
mod relation;
mod set;
mod stack;
mod store;
mod ternary;

pub use relation::{Part, Relation};
pub use set::{Bits, Renaming, Root, Set};
pub use stack::{with_deep_stack, with_deep_stack_meanwhile};
pub use store::{Bit, Diagrams, Limits, MOST_BITS};
pub use ternary::{Ternary, TernaryRelation, TernaryStore};
