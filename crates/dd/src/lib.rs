//! Which rows of bits belong to a set, when there are too many to list?
//!
//! [`Diagrams`] is one store of decision diagrams with its limits; a [`Set`] is a set of rows over its bits, a
//! [`TransitionRelation`] a set of steps between rows in parts that each say which bits they write; images, preimages and what is
//! reachable are computed by saturation. [`Ternary`] diagrams hold one of
//! three values per row. Everything that may run out of nodes or time returns `Stopped` instead, also in the middle of an
//! operation; nothing here panics for want of memory. [`Set::to_words`] writes a set down for another store.
//!
//! The diagrams are OxiDD's; none of its types is visible outside. Not here: what bits mean.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_dd::{Bit, Diagrams, Limits};
//!
//! let diagrams = Diagrams::new(4, Limits::for_listed(16), &Budget::unlimited())?;
//! let first = diagrams.bit(Bit::new(0))?;
//! let other = diagrams.bit(Bit::new(3))?;
//! let either = first.or(&other)?;
//! assert_eq!(either.count(4), 12.0);
//! assert!(first.is_subset(&either)?);
//! # Ok::<(), tertium_base::Stopped>(())
//! ```

mod conjunction;
mod gauge;
mod manager;
mod portable;
mod relation;
mod saturation;
mod set;
mod sifting;
mod stack;
mod store;
mod ternary;

pub use conjunction::CLUSTER_NODES;
pub use gauge::Gauge;
pub use relation::{RelationPart, TransitionRelation};
pub use set::{QuantifiedBits, Renaming, Root, Set};
pub use sifting::{SiftedOrder, sifted};
pub use stack::{with_deep_stack, with_deep_stack_meanwhile};
pub use store::{Bit, Diagrams, Limits, MOST_BITS};
pub use ternary::{Ternary, TernaryRelation, TernaryStore};
