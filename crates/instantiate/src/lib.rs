//! Which program has one process per running copy, plain variables and guarded steps, and the same states?
//!
//! Solvers and decision diagrams speak of a fixed row of cells. Promela's processes come and go, own channels, have priorities
//! and wait for time-outs; [`Instantiated`] is the same program with all of this laid out as cells and steps, and
//! [`Restoring`] reads its states as states of the original again. Predicate abstraction and the diagram encoding both begin here.
//!
//! `starts` finds which copies there can be, [`instances`] gives each code and variables of its own (`copies` says what
//! expressions mean there, `begins` how a copy begins). Buffered channels are variables (`queues`, `messages`), unbuffered
//! ones are `rendezvous`; `priorities`, `timeouts`, `enabled`, `determined` and `events` become conditions of steps.
//!
//! Guarantee: the same reachable states and steps, or an [`Unsupported`] that says what has no such form. Not here: solvers,
//! diagrams, and whatever loses information.
//!
//! ```
//! use tertium_instantiate::Instantiated;
//! use tertium_promela::{Options, lower::lower, read};
//!
//! let text = "proctype P() { skip } init { run P(); run P() }";
//! let model = read("two.pml", text, &Options::default());
//! let program = lower(&model.file, &model.symbols, &model.sources).program;
//! let instantiated = Instantiated::new(&program).expect("boundedly many copies");
//! // `init` and both copies of `P` are processes of their own, there from the start.
//! assert_eq!(instantiated.program.processes.len(), 3);
//! assert!(instantiated.program.is_static());
//! ```

mod begins;
mod copies;
mod determined;
mod enabled;
mod events;
pub mod instances;
mod messages;
mod priorities;
mod queues;
mod rendezvous;
pub mod restored;
mod starts;
mod timeouts;
mod unsupported;

pub use instances::{Instantiated, LaterCopy, Origin};
pub use restored::Restoring;
pub use starts::MOST_COPIES;
pub use unsupported::Unsupported;
