//! What can be said about a system, how is it written, and into which forms can it be brought?
//!
//! Formulas of PML, CTL, CTL*, LTL and the modal mu-calculus: the node table ([`formula`]), text to formula
//! and back ([`syntax`]), normal forms and laws ([`normal`], [`simplify`](mod@simplify), [`minimise`], [`disjunctive`]), branching time as fixpoints
//! ([`translate`]), formulas for which only some steps count ([`relativise`](mod@relativise)), what kind of formula it is ([`classify`]), which branching formulas are linear ones ([`common_fragment`]), automata for linear time ([`automata`]) and for trees ([`alternating`]).
//!
//! [`summary`] puts together what there is to know about one formula.
//!
//! Not here: models, and evaluating anything on them.
//!
//! ```
//! use tertium_logic::{Logic, ParseOptions, parse, positive_normal_form};
//!
//! let parsed = parse("!(p U q)", &ParseOptions::in_logic(Logic::Ltl));
//! let formula = parsed.formula.expect("it is one");
//! assert_eq!(positive_normal_form(&formula, false).text(), "!p R !q");
//! ```

pub mod alternating;
pub mod automata;
mod branching_form;
pub mod classify;
mod coalition;
mod coalition_form;
pub mod common_fragment;
pub mod disjunctive;
mod fixpoint_form;
#[cfg(test)]
mod forms_tests;
pub mod formula;
mod generalised_reactivity;
mod logic_name;
pub mod minimise;
pub mod normal;
mod promise;
pub mod query;
pub mod relativise;
pub mod simplify;
pub mod summary;
pub mod syntax;
#[cfg(test)]
mod testing;
pub mod translate;

pub use branching_form::branching_form;
pub use coalition::{Coalition, CoalitionId, Players, unknown_player};
pub use coalition_form::{OWNER_PREFIX, coalition_form, owner_atom};
pub use common_fragment::linear_form;
pub use fixpoint_form::{FairPaths, StrongConstraint, ability, fair_fixpoint_form, fixpoint_form, is_ability};
pub use formula::{ActionId, Atom, AtomId, ElementId, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};
pub use generalised_reactivity::{GeneralisedReactivity, Recurrence, generalised_reactivity, is_safety};
pub use normal::positive_normal_form;
pub use promise::under_promise;
pub use relativise::{MarkedSteps, relativise};
pub use simplify::simplify;
pub use summary::{Summary, summarise};
pub use syntax::parse::{ParseOptions, Parsed, parse};
pub use translate::{ctl_to_mu, ending_ctl, fair_ctl};
