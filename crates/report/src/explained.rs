//! What explains a value in a lattice, and what answers a query, in names and words.

use serde::Serialize;

use crate::ordered::Ordered;

/// What a query's placeholder stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueryView {
    /// The propositions that answers may speak of.
    pub atoms: Vec<String>,
    /// The strongest formulas with which the query is true.
    pub strongest: Vec<String>,
    /// The strongest formulas with which it is not false, where these are others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_refuted: Option<Vec<String>>,
    /// Whether the query was proved with each of the strongest, and seen not to be true with anything stronger.
    pub checked: bool,
}

/// Why a value in a lattice is at least a join-irreducible element, or is not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CutView {
    /// The element.
    pub element: String,
    /// Whether the value is at least this element.
    pub above: bool,
    /// The state that it is told of.
    pub state: String,
    /// The run that shows it; empty where one run does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub run: Vec<CutStepView>,
    /// The index of the step to which the last one returns, forever.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub loop_start: Option<usize>,
}

/// One state of a run over a lattice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CutStepView {
    /// Its name.
    pub state: String,
    /// The values of the propositions that the formula speaks of.
    pub labels: Ordered<String>,
    /// The value of the edge to the next state of the run; none at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<String>,
}
