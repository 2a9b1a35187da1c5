//! Which infinite words satisfy a formula of linear time? Automata that recognise them.
//!
//! Generalised Büchi automata over four-valued letters ([`tgba`]), translated from LTL ([`build`], with
//! [`plain`] as its oracle) and shrunk ([`simulate`]); deterministic parity automata, made on demand ([`determinise`],
//! [`tracker`]).
//!
//! Exchange with other tools: [`hoa`], [`hoa_read`].
//!
//! Not here: products with models, and emptiness checks on them.

mod acceptance;
pub mod build;
pub mod determinise;
mod expand;
pub mod hoa;
pub mod hoa_read;
pub mod plain;
mod rewrite;
mod safra;
pub mod simulate;
#[cfg(test)]
mod sizes_tests;
#[cfg(test)]
mod tests;
pub mod tgba;
pub mod tracker;

pub use build::{Translation, TranslationError, ltl_to_tgba};
pub use determinise::{AcceptanceKind, Determiniser};
pub use hoa::Letters;
pub use hoa_read::read_hoa;
pub use plain::plain_tableau;
pub use simulate::reduce;
pub use tgba::{Guard, Literal, Marks, Size, Tgba, Transition};
pub use tracker::Tracker;
