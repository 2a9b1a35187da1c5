//! One search on several machines.
//!
//! Processes meet at their addresses ([`meeting`], [`hosts`]) and search together ([`search()`]): each process keeps the states that belong to it, its threads share them, levels are
//! rounds of a timely dataflow (Murray et al. 2013), and whoever is lost ends the search without an answer ([`ClusterFailure`]). The answers are those
//! of the search on one machine: the same counts, and runs as short. What everybody has is written down on the way ([`checkpoints`]).
//!
//! Not here: formulas, files, what a finding means.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_cluster::{ClusterOptions, Team, search};
//! use tertium_explore::search::Blind;
//! use tertium_explore::successors::Plain;
//! use tertium_program::Semantics;
//!
//! let text = "system s var x : 0..9 = 0 process P { while x < 9 { x := x + 1; } }";
//! let program = tertium_gcl::compile(text).program.expect("no mistakes");
//! let (semantics, budget) = (Semantics::new(&program), Budget::unlimited());
//! let plain = Plain::of(&semantics);
//! let initial = semantics.initial_states(1, &budget).expect("there is one");
//! let rows: Vec<Vec<u32>> = initial.iter().map(|state| plain.row(state)).collect();
//! let options = ClusterOptions { max_states: None, budget: &budget, checkpoints: None, masked_after: ClusterOptions::MASKED_AFTER };
//! let meeting = Team::alone(2).meet(&budget).expect("nobody to wait for");
//! let found = search(meeting, (&plain, &Blind), &rows, &|_| Vec::new(), &options, &mut |_| {}).expect("nobody is lost");
//! assert!(found.summary.complete());
//! assert_eq!(found.cost.workers, 2);
//! ```

pub mod checkpoints;
mod cycles;
mod failure;
pub mod hosts;
mod key_codes;
mod lasso;
mod launch;
mod leader;
mod masks;
pub mod meeting;
mod outbox;
mod own_states;
mod owners;
mod peers;
mod rounds;
mod search;
mod threads;
mod waves;

pub use checkpoints::ClusterCheckpoints;
pub use cycles::ClusterCycles;
pub use failure::ClusterFailure;
pub use launch::{search, search_with_cycles};
pub use meeting::{Meeting, Team};
pub use search::{ClusterCost, ClusterOptions, ClusterSearch};
