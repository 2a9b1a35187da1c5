//! What does an abstraction of a program decide, and what has it to know to decide more?
//!
//! Counterexample-guided abstraction refinement and its relatives. [`predicate_abstraction`] answers on one abstraction over given predicates;
//! [`refinement_loop`] finds predicates by itself, after difference bounds (zones), with ranking functions and recurrent sets for
//! what happens without end; [`spotlight`] looks at some processes only; [`parameterised`] answers for systems of every size, over programs in which
//! members are counted ([`counter_abstraction`]). [`coalition_games`] says what [`players`] can enforce. [`refine`] says what an open question asks for. [`structure_proof`] proves what was decided on a structure.
//!
//! Answers, and how they are wanted, are values of [`answer`] and [`options`]; whether there is a solver, [`solver`] says.
//!
//! Not here: reading files (`load`), which engine is asked when (`driver`), how a program is abstracted (`abstraction`), how a structure is
//! checked (`structures`).
//!
//! ```
//! # if std::env::var_os("TERTIUM_Z3").is_none() {
//! #     // SAFETY: no other thread reads the environment yet. The solver lies where `make` puts it.
//! #     unsafe { std::env::set_var("TERTIUM_Z3", concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/z3/lib")) };
//! # }
//! use tertium_base::Budget;
//! use tertium_cegar::predicate_abstraction::AbstractionOptions;
//! use tertium_cegar::options::CheckOptions;
//! use tertium_cegar::refinement_loop::{self, DEFAULT_REFINEMENTS};
//! use tertium_lattice::Belnap;
//! use tertium_load::program::from_text;
//! use tertium_load::questions::questions;
//!
//! // Numbers without bounds: nobody can list the states.
//! let text = "system s var x : nat = 0 process P { loop { x := x + 2; } } property never: ltl G x != 1";
//! let file = from_text("s.gcl", text.to_owned(), &[], None).expect("no mistakes");
//! let asked = questions(&file, &["never".to_owned()], false).expect("it is a question of the file");
//! let (options, abstraction) = (CheckOptions::default(), AbstractionOptions::default());
//! let outcome =
//!     refinement_loop::check(&file, &asked, &options, &abstraction, DEFAULT_REFINEMENTS, &Budget::unlimited(), &());
//! assert_eq!(outcome.expect("it can be abstracted").answers[0].value(), Belnap::True);
//! ```

pub mod answer;
pub mod coalition_games;
pub mod counter_abstraction;
pub mod limits;
pub mod observer;
pub mod options;
pub mod parameterised;
pub mod players;
pub mod predicate_abstraction;
mod ranked_structure;
pub mod refine;
pub mod refinement_loop;
pub mod single_states;
pub mod solver;
pub mod spotlight;
pub mod structure_proof;
