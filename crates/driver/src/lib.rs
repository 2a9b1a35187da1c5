//! How do the parts work together to answer a user's question?
//!
//! The only place where stages meet: load a model ([`input`]), gather and bind properties
//! ([`property`]), choose an engine ([`engines`], for programs the [`strategy`]), evaluate, explain and re-check ([`check`]), and the
//! smaller questions of [`compare`], [`formula`] and [`export`]. [`editor`] helps with texts that are being written. For people who
//! read a run, [`unfold`] values a formula along it, and [`picture`] tells what is to be seen in a structure.
//!
//! Not here: arguments, printing, exit codes. Results are values; long work watches a budget and
//! tells an [`Observer`] what it is doing. Properties of structures are decided in `structures`, programs abstracted and refined in `cegar`.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_driver::Belnap;
//! use tertium_driver::program::questions::questions;
//! use tertium_driver::program::from_text;
//! use tertium_driver::strategy::{ProgramQuery, Wishes, decide};
//!
//! let text = "system s var x : 0..3 = 0 process P { loop { if x < 3 { x := x + 1; } else { x := 0; } } }\n\
//!             property comes_back: ltl G F x = 0";
//! let file = from_text("s.gcl", text.to_owned(), &[], None).expect("no mistakes");
//! let asked = questions(&file, &[], false).expect("all names are known");
//! let query = ProgramQuery { file: &file, questions: &asked, wishes: &Wishes::default() };
//! let outcome = decide(&query, &Budget::unlimited(), &()).expect("it can be run");
//! assert!(outcome.answers.iter().all(|answer| answer.value() == Belnap::True));
//! ```

pub mod editor;
pub mod formula;
pub mod program;
pub mod strategy;

pub use tertium_cegar::observer::ProgramObserver;
pub use tertium_evidence::observer::{Aside, Counts, Observer};
pub use tertium_evidence::provenance;
pub use tertium_evidence::{Deadlock, LinearReading, Reading, Reason, Verdict};
pub use tertium_lattice::Belnap;
pub use tertium_load::structure as input;
pub use tertium_load::{Failure, Located, ModelLanguage, ModelSource, failure, property};
pub use tertium_logic::{Formula, Logic, Node};
pub use tertium_model::{Kmts, PropId, StateId};
pub use tertium_structures::{
    answer, bind, check, compare, completion, engines, merge, paths, picture, precision, prove, query, reduce,
    satisfiability, structure_abstraction, synthesis, translate, vacuity,
};
pub use tertium_trace::unfold;
pub use tertium_translate::structures as export;

/// Looks for the solver's library in this folder, too: for programs that have it beside a file of their own.
pub fn look_for_solver_in(folder: &std::path::Path) {
    tertium_smt::loading::search::also_look_in(folder);
}

/// Ends the solvers that run as processes of their own: for whoever ends this process without returning from what it does.
pub fn end_solvers() {
    tertium_smt::process::end_all();
}
