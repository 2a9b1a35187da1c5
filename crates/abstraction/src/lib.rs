//! From a program and predicates to a finite structure whose definite answers hold of the program.
//!
//! [`System`] prepares a program: its steps as terms ([`translate`]), what is known beforehand ([`invariants`]), which
//! variables stay concrete ([`keep`]). An [`AbstractState`] is a set of program states; [`expand`] finds what may and what
//! must follow, [`hyper`] which sets are certain, [`initial`] where it begins, and [`collect`] makes the structure.
//! [`possible`] finds only what may follow, [`paths`] whole paths of that, [`ranking`] what steps do to ranking functions. What was found is kept in decision diagrams (`diagram`), so that states which do not differ in
//! what a step depends on cost one look. [`assignments`] tells the same as a program over truth values, [`truth`] as formulas over
//! them. Programs with several copies of a process come in the form that `tertium-instantiate` gives them. [`spotlight`] looks at
//! some processes closely and at the others hardly at all; [`zones`] only at how far variables are apart.
//!
//! Guarantee: every step of the program is covered by a possible step, every program state that an abstract state stands for
//! meets every certain set, and every label is what all those program states agree on. Not here: choosing predicates.
//!
//! ```
//! # if std::env::var_os("TERTIUM_Z3").is_none() {
//! #     // SAFETY: no other thread reads the environment yet. The solver lies where `make` puts it.
//! #     unsafe { std::env::set_var("TERTIUM_Z3", concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/z3/lib")) };
//! # }
//! use tertium_abstraction::{Explored, Options, Predicate, System};
//! use tertium_base::Budget;
//! use tertium_smt::{Limit, Queries, Z3};
//!
//! // A number without bounds, and the one thing that is to be known of it.
//! let text = "system s var x : nat = 0 process P { loop { x := x + 1; } } predicate x = 0";
//! let program = tertium_gcl::compile(text).program.expect("no mistakes");
//! let predicates: Vec<Predicate> = program
//!     .predicates
//!     .iter()
//!     .map(|named| Predicate { name: named.name.clone(), expr: named.expr })
//!     .collect();
//! let (budget, limit) = (Budget::unlimited(), Limit::default());
//! let queries = Queries::new(Box::new(Z3::new().expect("it is installed")), limit, &budget);
//! let options = Options { keep_small: false, ..Options::default() };
//! let mut system = System::new(&program, &predicates, &options, queries).expect("it can be abstracted");
//! let explored = Explored::visit(&mut system, &budget, &mut |_, _| {}).expect("no limit is set");
//! assert_eq!(explored.states.len(), 2);
//! ```

pub mod approximation;
pub mod assignments;
pub mod choices;
pub mod collect;
mod cover;
mod diagram;
pub mod expand;
mod guard_text;
pub mod horn;
pub mod hyper;
pub mod initial;
mod input_elimination;
pub mod invariants;
pub mod keep;
pub mod linear_rank;
mod local_predicates;
mod more;
pub mod options;
pub mod paths;
pub mod possible;
mod ranked_sets;
pub mod ranking;
pub mod samples;
pub mod spotlight;
pub mod state;
pub mod system;
pub mod translate;
pub mod truth;
pub mod view;
pub mod zones;

pub use collect::{EdgeCounts, Explored, StructureOptions};
pub use expand::{AbstractStep, Expansion, Failed, OperationFault};
pub use horn::BadTerm;
pub use initial::Initial;
pub use options::{AbstractionKind, Options};
pub use paths::PossiblePaths;
pub use possible::PossibleStep;
pub use ranking::Change;
pub use state::AbstractState;
pub use system::{Operation, OperationId, Operations, Predicate, System};
pub use tertium_instantiate::Unsupported;
