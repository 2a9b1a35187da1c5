//! What a formula is, in words: normal forms, size, automaton.

use serde::Serialize;

use crate::view::Tool;

/// Everything that one `formula` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormulaReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// The formula as canonical text.
    pub formula: String,
    /// Its logic.
    pub logic: &'static str,
    /// Distinct sub-formulas.
    pub size: usize,
    /// Its atomic propositions.
    pub atoms: Vec<String>,
    /// Whether an engine for unfinished models can stop at the compositional value, as far as the quick test sees.
    pub self_minimising: SelfMinimising,
    /// The positive normal form, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pnf: Option<String>,
    /// A form that loses less when its parts are valued one by one, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimised: Option<MinimisedView>,
    /// Whether the test is to be told in full.
    #[serde(skip)]
    pub tell_test: bool,
    /// The automaton, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automaton: Option<AutomatonView>,
}

/// The quick test whether the compositional value is already the strongest one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SelfMinimising {
    /// On structures whose steps are all decided.
    pub decided_steps: bool,
    /// On structures with open steps.
    pub open_steps: bool,
    /// What stands in the way, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
}

/// A semantic minimisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MinimisedView {
    /// The formula.
    pub formula: String,
    /// Its logic, which need not be that of the formula it was made from.
    pub logic: &'static str,
    /// Whether its value is the strongest on every structure; if there is a formula for refuting, as far as it is true.
    pub exact: bool,
    /// The formula that is false wherever it must be, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuting: Option<String>,
    /// The kinds of structures that are left out: `mixed`, `total`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<&'static str>,
}

/// A generalised Büchi automaton for a linear formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AutomatonView {
    /// Its states.
    pub states: usize,
    /// Its transitions.
    pub transitions: usize,
    /// Its acceptance sets.
    pub acceptance_sets: usize,
    /// What the deterministic automaton over two-valued letters needs to accept.
    pub deterministic_kind: &'static str,
    /// Its states, if there are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deterministic_states: Option<usize>,
    /// The automaton in the Hanoi omega-automata format, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hoa: Option<String>,
}
