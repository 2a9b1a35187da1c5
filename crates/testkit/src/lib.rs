//! Where do tests get their inputs, and what do they compare with?
//!
//! Random structures, refinements, completions and formulas from a printed seed ([`for_random_cases`]),
//! and evaluators written as plainly as the definitions allow ([`reference`](mod@reference)). Nothing
//! here is fast, and nothing here is shared with the engines: that is its worth.
//!
//! A dev-dependency only. The crates that this one uses (`base`, `lattice`, `model`, `logic`) can use
//! it in their `tests/` folder, not in unit tests: there, their types would exist twice.
//!
//! Not here: engines, file formats, anything a user's run needs.
//!
//! ```
//! use tertium_logic::Logic;
//! use tertium_testkit::reference::{Deadlocks, branching_values};
//! use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};
//!
//! for_random_cases(20, |case| {
//!     let structure = case.structure(&StructureShape::default());
//!     let formula = case.formula(&FormulaShape::new(Logic::Ctl));
//!     let values = branching_values(&structure, &formula, Deadlocks::Mu);
//!     assert_eq!(values.len(), structure.state_count());
//! });
//! ```

mod cases;
pub mod completions;
pub mod corpus;
pub mod families;
pub mod formulas;
mod growth;
pub mod horn;
mod mutated;
pub mod nusmv;
pub mod programs;
pub mod promela;
pub mod reference;
pub mod refinements;
mod rng;
mod show;
pub mod smv;
pub mod spin;
pub mod structures;

pub use cases::{Case, for_random_cases};
pub use formulas::FormulaShape;
pub use growth::{assert_linear, processor_time_of};
pub use mutated::mutated;
pub use programs::{ProgramShape, random_program};
pub use promela::random_promela;
pub use refinements::Refinement;
pub use rng::Rng;
pub use show::{show_formula, show_structure};
pub use structures::StructureShape;
