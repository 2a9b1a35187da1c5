//! Which states can a program reach, and what happens on the way?
//!
//! States are packed rows of words ([`pack`], [`ranges`]), produced on demand ([`successors`], [`compiled`]) and numbered by a
//! store that threads share ([`store`]). [`search`] visits them, all
//! or, where that is enough, fewer ([`reduction`]). [`rows`] writes rows as bytes; [`rowwise`] shows them to the search that abstract states share.
//!
//! Not here: formulas beyond what an observer asks of a state.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_explore::search::Blind;
//! use tertium_explore::search::breadth::{Options, breadth_first};
//! use tertium_explore::successors::Plain;
//! use tertium_program::Semantics;
//!
//! let text = "system s var x : 0..9 = 0 process P { while x < 9 { x := x + 1; } }";
//! let program = tertium_gcl::compile(text).program.expect("no mistakes");
//! let (semantics, budget) = (Semantics::new(&program), Budget::unlimited());
//! let plain = Plain::of(&semantics);
//! let initial = semantics.initial_states(1, &budget).expect("there is one");
//! let rows: Vec<Vec<u32>> = initial.iter().map(|state| plain.row(state)).collect();
//! let options = Options { threads: 1, max_states: None, stop_at_finding: false, budget: &budget };
//! let found = breadth_first(&plain, &Blind, &rows, &options, &mut |_| {});
//! assert!(found.summary.complete());
//! assert_eq!((found.summary.faults, found.summary.deadlocks), (0, 0));
//! ```

mod blocks;
mod channels;
pub mod code;
pub mod compiled;
pub mod functions;
mod masked_steps;
mod offers;
pub mod pack;
pub mod ranges;
pub mod reduction;
pub mod rows;
pub mod rowwise;
pub mod search;
mod seen;
mod step_cache;
mod steps;
pub mod store;
pub mod successors;
