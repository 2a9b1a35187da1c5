//! Which states have been seen?
//!
//! A state is a row of `u32` words. [`StateStore`] gives each different row a dense number, and the row
//! back from the number. Rows of one or two words are kept as they are; longer ones by tree compression, as a tree of pairs
//! (`tree_compression`), so that parts which many states share are stored once. Bits that never vary are left out (`masking`). Several threads may insert at the
//! same time; growing needs the store for oneself.
//!
//! [`CompactStore`] keeps less of a row, and may take it for another one.
//!
//! Not here: what the words mean (`pack`).

mod agreed_mask;
mod batch;
mod bit_mask;
mod compaction;
mod masking;
mod pairs;
mod segments;
mod split;
mod tree_compression;

pub use agreed_mask::VaryingBits;
pub use batch::Batch;
pub use bit_mask::BitMask;
pub use compaction::{CompactStore, Keeping};
pub use pairs::Full;
pub use tree_compression::{Branches, StateStore, trimmed};
