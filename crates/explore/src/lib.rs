//! Which states can a program reach, and what happens on the way?
//!
//! States are packed rows of words ([`pack`], [`ranges`]), produced on demand ([`successors`], [`compiled`]) and numbered by a
//! store that threads share ([`store`]). [`search`] visits them, all
//! or, where that is enough, fewer ([`reduction`]). [`rowwise`] shows rows to the search that abstract states share.
//!
//! Not here: formulas beyond what an observer asks of a state.

mod blocks;
mod channels;
pub mod code;
pub mod compiled;
mod offers;
pub mod pack;
pub mod ranges;
pub mod reduction;
pub mod rowwise;
pub mod search;
mod seen;
mod step_cache;
mod steps;
pub mod store;
pub mod successors;
