//! Which states have been seen?
//!
//! A state is a row of `u32` words. [`StateStore`] gives each different row a dense number, and the row
//! back from the number. Rows of one or two words are kept as they are; longer ones as a tree of pairs
//! (`tree`), so that parts which many states share are stored once. Several threads may insert at the
//! same time; growing needs the store for oneself.
//!
//! [`CompactStore`] keeps less of a row, and may take it for another one.
//!
//! Not here: what the words mean (`pack`).

mod batch;
mod compaction;
mod pairs;
mod split;
mod tree;

pub use batch::Batch;
pub use compaction::{CompactStore, Keeping};
pub use pairs::Full;
pub use tree::{Branches, StateStore, trimmed};
