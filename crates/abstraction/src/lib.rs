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

pub mod assignments;
pub mod choices;
pub mod collect;
mod diagram;
pub mod expand;
pub mod hyper;
pub mod initial;
pub mod invariants;
pub mod keep;
mod more;
pub mod options;
pub mod paths;
pub mod possible;
pub mod ranking;
pub mod samples;
pub mod spotlight;
pub mod state;
pub mod system;
pub mod translate;
pub mod truth;
pub mod view;
pub mod zones;

pub use collect::{EdgeCounts, Explored, Shape};
pub use expand::{AbstractStep, Expansion, Failed};
pub use initial::Initial;
pub use options::{Kind, Options};
pub use paths::PossiblePaths;
pub use possible::PossibleStep;
pub use ranking::Change;
pub use state::AbstractState;
pub use system::{Operation, Predicate, System};
pub use tertium_instantiate::Unsupported;
