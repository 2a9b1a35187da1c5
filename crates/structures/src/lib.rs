//! What is the value of each property of a structure, and why?
//!
//! A [`Session`](check::Session) binds a structure to the options of one run. For every property it asks an engine of `check`
//! for the value ([`engines`]), finds the evidence and has the kernel re-check it ([`prove`]), and looks whether a true property is true
//! for a poor reason ([`vacuity`]). Structures over a lattice, families of structures and the values that all completions agree on have
//! files of their own. [`compare`] relates two structures, [`translate`](mod@translate) writes one as another kind, [`reduce`] merges states that cannot be told apart, [`structure_abstraction`] those that a
//! partition puts together, [`satisfiability`] finds a model of a formula, [`completion`] decides what a model leaves open so that its properties hold, and [`picture`] tells what is to be seen in one.
//!
//! Not here: programs, and how they become structures (`abstraction`, `cegar`); reading files (`load`).
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_load::structure::from_text;
//! use tertium_structures::check::{CheckOptions, Session};
//!
//! let text = "state off lamp: f\nstate on lamp: t\ninit off\noff -must-> on\non -may-> off\n";
//! let budget = Budget::unlimited();
//! let loaded = from_text("lamp.kmts", text, &budget).expect("no mistakes");
//! let session = Session::new(&loaded, CheckOptions::default(), &budget).expect("nothing contradicts");
//! let given = ["EF lamp", "AG EF !lamp"].map(str::to_owned);
//! let values: Vec<String> = session
//!     .properties(&given, &[])
//!     .expect("they are formulas")
//!     .iter()
//!     .map(|property| session.check(property, &budget, &()).expect("no limit is set").value().word().to_owned())
//!     .collect();
//! // That the lamp goes off again is possible, but not certain.
//! assert_eq!(values, ["true", "unknown"]);
//! ```

pub mod answer;
pub mod bind;
pub mod check;
pub mod coalitions;
pub mod compare;
pub mod completion;
pub mod engines;
mod family;
mod lattice;
pub mod merge;
pub mod module;
pub mod paths;
pub mod picture;
pub mod precision;
pub mod prove;
pub mod query;
pub mod reduce;
pub mod satisfiability;
pub mod structure_abstraction;
pub mod synthesis;
mod thorough;
mod thorough_family;
pub mod translate;
pub mod vacuity;
