//! What stands in a file, and what is asked of it?
//!
//! Structures with may and must or over a lattice ([`structure`]), programs ([`program`], [`promela`]), systems of every size
//! ([`sizes`]), the properties written with them ([`property`]) and what every program is asked besides ([`questions`]). Shared by
//! whoever looks for answers and whoever checks them: nothing here decides anything.
//!
//! Not here: engines (`driver`), the check of proofs (`kernel`).

pub mod cuts;
pub mod failure;
pub mod program;
pub mod promela;
pub mod property;
pub mod questions;
pub mod sizes;
pub mod structure;

pub use failure::{Failure, Located};
pub use program::ProgramFile;
pub use structure::Loaded;
