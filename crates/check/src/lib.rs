//! What is the value of a formula on a structure?
//!
//! One folder per engine; all take a [`Task`] and answer with [`Values`] at the states asked about.
//! An engine that cannot do a task says why ([`Unsupported`]) before it is run.
//!
//! Not here: programs, predicates, solvers.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_check::explicit::Explicit;
//! use tertium_check::{Ask, Engine, Task};
//! use tertium_evidence::Reading;
//! use tertium_lattice::Belnap;
//! use tertium_logic::{Logic, ParseOptions, parse};
//! use tertium_model::KmtsBuilder;
//!
//! // One state that may stay as it is, and a label that is left open.
//! let mut builder = KmtsBuilder::new();
//! let (state, p) = (builder.add_state("s"), builder.add_prop("p"));
//! builder.set_label(state, p, Belnap::Unknown);
//! builder.add_edge(state, state, true, false, None);
//! let model = builder.finish().expect("it is small");
//!
//! let formula = parse("AG (p | !p)", &ParseOptions::in_logic(Logic::Ctl)).formula.expect("it is one");
//! let budget = Budget::unlimited();
//! let task = Task::new(&model, &formula, Reading::default(), Ask::All, &budget).expect("`p` is known");
//! // A value is made from those of the parts: that every completion agrees is not seen (`thorough` does).
//! assert_eq!(Explicit.values(&task).expect("no limit is set").at(state), Belnap::Unknown);
//! ```

pub mod automata;
pub mod explicit;
pub mod family;
pub mod game;
pub mod lattice_valued;
pub mod query;
pub mod ranked_game;
pub mod reduction;
mod rounds;
pub mod symbolic;
pub mod synthesis;
mod task;
pub mod thorough;
mod values;
pub mod witness;

pub use task::{Ask, BindError, Engine, EngineError, Filter, Task, Unsupported};
pub use values::Values;
