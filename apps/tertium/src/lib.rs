//! Tertium as a library: load a model, check its properties, read the verdicts.
//!
//! A property is **true**, **false** or **unknown**. A definite verdict is about the real system, whatever is still open in the model; an
//! unknown says what is missing. Models are partial structures (`.kmts`, `.json`), guarded commands (`.gcl`) and Promela (`.pml`).
//!
//! ```
//! use tertium::{Budget, Model, Options, Verdict};
//!
//! # fn main() -> Result<(), tertium::Failure> {
//! let model = Model::from_text("lamp.gcl", "
//!     system lamp
//!     var on : bool = false
//!     var turns : 0..3 = 0
//!     process Hand { loop { when turns < 3 do on, turns := !on, turns + 1; } }
//!     property few : ltl G (turns <= 3)
//!     property dark : ltl G !on
//! ")?;
//! let report = tertium::check(&model, &Options::default(), &Budget::unlimited(), &())?;
//! assert!(matches!(report.of("few").unwrap().verdict, Verdict::Holds(_)));
//!
//! // What is false comes with a counterexample.
//! let Verdict::Fails(evidence) = &report.of("dark").unwrap().verdict else { panic!("the lamp is lit") };
//! let run = evidence.run.as_ref().unwrap();
//! assert_eq!(run.steps[1].values[0], ("on".to_owned(), "true".to_owned()));
//! # Ok(())
//! # }
//! ```
//!
//! Work is limited by a [`Budget`] (time, memory, a flag that cancels it) and tells an [`Observer`] what it is doing. What a limit keeps from being
//! decided is [`Verdict::Stopped`], never an error and never a guess. [`Failure`] says what is wrong with a model, with places.
//!
//! Which engine decides is up to the strategy ([`Wishes`] steer it); [`PropertyReport::provenance`] tells which one did. More in `docs/embedding.md`.
//!
//! [`command`] is the command line, for programs that want to have it inside.
//!
//! Not here: the engines, which are crates of their own.

pub mod command;
mod library;

pub use library::{Evidence, LoadOptions, Model, Options, PropertyReport, Report, Run, RunStep, check};
pub use tertium_base::{Budget, StopReason};
pub use tertium_driver::strategy::{Approach, SpotlightWish, Wishes};
pub use tertium_driver::{
    Belnap, Counts, Failure, Located, Logic, ModelLanguage, ModelSource, Observer, Verdict, look_for_solver_in,
    provenance::Provenance,
};
