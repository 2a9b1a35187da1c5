//! How does a finite program become bits, sets of states and a transition relation over decision diagrams?
//!
//! The program's state is a row of bits ([`cells`]); which bits stand where is the variable order (`variable_order`). Its steps are
//! executed symbolically, once for all states (`enabled`, `actions`, `evaluation`, `bit_vector`), and become a transition relation
//! that is partitioned by process (`relation`), and by what becomes of single variables where steps write many at once (`synchronous`); an [`Encoding`] also has the set of states that it reaches. `never` claims with
//! variables of their own become automata over sets ([`never_claim`]).
//!
//! Channels and processes that come and go are fixed places first ([`instantiated`]), and numbers with few values are known by them
//! ([`tertium_program::analysis::value_sets`]). Only programs with boundedly many of them and finite types are encoded; others are refused with the reason.
//!
//! Not here: what properties say, and whether they hold.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_encode::{Encoding, InstantiatedProgram};
//! use tertium_load::program::from_text;
//!
//! let text = "system s var x : 0..9 = 0 process P { while x < 9 { x := x + 1; } }";
//! let file = from_text("s.gcl", text.to_owned(), &[], None).expect("no mistakes");
//! let subject = InstantiatedProgram::new(&file.program, &[]).expect("it is finite");
//! let encoding = Encoding::of(&subject, &Budget::unlimited(), &mut |_| {}).expect("no limit is set");
//! assert!(encoding.figures().states >= 10.0);
//! ```

mod actions;
mod bit_vector;
pub mod cells;
mod enabled;
pub mod encoding;
mod evaluation;
mod force;
pub mod instantiated;
mod kept_sets;
pub mod never_claim;
mod news;
mod relation;
mod reordering;
mod size;
mod synchronous;
mod variable_order;

use tertium_base::Stopped;

pub use cells::range;
pub use encoding::Encoding;
pub use instantiated::{Bounds, InstantiatedProgram};
pub use kept_sets::ReachedSets;
pub use news::{EncodingNews, NearStates};
pub use size::{EncodingSize, StateSpaceEstimate, estimate};

/// Why a program, or a question about it, has no encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodingError {
    /// It has something that is not encoded, in words.
    Unfit(String),
    /// A limit was reached.
    Stopped(Stopped),
}

impl EncodingError {
    pub(crate) fn unfit(reason: impl Into<String>) -> Self {
        Self::Unfit(reason.into())
    }
}

impl From<Stopped> for EncodingError {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}
