//! What the page shows, as values.
//!
//! A [`Page`] is written into the page as JSON and is also a document of its own, which `tertium view` reads again. Fields are
//! added, never changed or removed, without a new [`PAGE_VERSION`]. Indices count from 0; values of formulas are the letters
//! `t`, `f`, `u` and `b`, one per state or step, in one text.

use serde::Serialize;

use crate::ordered::Ordered;
use crate::view::{CheckReport, ValueView};

/// Version of the document's shape.
pub const PAGE_VERSION: u32 = 1;

/// Everything that the page shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Page {
    /// [`PAGE_VERSION`].
    pub page_version: u32,
    /// The answers.
    pub report: CheckReport,
    /// The model in one line.
    pub description: String,
    /// The texts of the model, the main one first.
    pub sources: Vec<SourceView>,
    /// What the page shows besides the answer, for each result.
    pub details: Vec<Detail>,
    /// Structures that details point to.
    pub graphs: Vec<GraphView>,
    /// Which statements were taken; none for a structure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageView>,
    /// For a live page: of each result, whether its run can be gone along.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<Vec<bool>>,
}

impl Page {
    /// A page with the answers alone.
    #[must_use]
    pub fn new(report: CheckReport, description: &str) -> Self {
        Self {
            page_version: PAGE_VERSION,
            report,
            description: description.to_owned(),
            sources: Vec::new(),
            details: Vec::new(),
            graphs: Vec::new(),
            coverage: None,
            live: None,
        }
    }
}

/// A text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceView {
    /// Its name.
    pub file: String,
    /// The whole text.
    pub text: String,
}

/// What the page shows of one result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Detail {
    /// The cause in a sentence or two.
    pub headline: Vec<String>,
    /// One sentence for each of the result's reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explanations: Vec<String>,
    /// The processes, in the program's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<String>,
    /// The formula and its parts, outermost first, with their values along the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfolded: Vec<FormulaRow>,
    /// Which parts decide at which steps, from the whole formula down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blame: Vec<BlameView>,
    /// What each process could do at each step of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<MovesView>,
    /// Messages through channels with a buffer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<MessageView>,
    /// What the loop of a lasso does for each process.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fairness: Vec<FairView>,
    /// The structure that was checked, as an index into the graphs of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<usize>,
    /// Formulas with their values at the states of that graph, the property first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formulas: Vec<ValuesView>,
    /// The states of that graph which the run or the open question passes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<usize>,
    /// Where the path loops back to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_loop: Option<usize>,
    /// The state at which the question stays open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<usize>,
    /// The structures of all rounds of refinement, the first one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundView>,
    /// What these structures are, if not rounds of refinement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds_of: Option<&'static str>,
    /// For an unknown: how it could go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<WaysView>,
    /// For what is true: what the proof rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofView>,
}

/// A part of a formula along a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormulaRow {
    /// The part.
    pub formula: String,
    /// How deep it stands.
    pub depth: usize,
    /// Its value at each step.
    pub values: String,
}

/// A part of the formula that decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlameView {
    /// At this step.
    pub at: usize,
    /// Which row of the unfolded formula.
    pub row: usize,
    /// The part.
    pub formula: String,
    /// Its value there.
    pub value: char,
    /// Whether it is this part's value from that step on for ever, rather than at that step, which decides.
    pub forever: bool,
}

/// What processes can do along a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MovesView {
    /// The statements that occur.
    pub statements: Vec<StatementView>,
    /// For each state of the run what could come next: twice the statement's index, plus one if it is possible.
    pub at: Vec<Vec<usize>>,
}

/// A statement of a process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct StatementView {
    /// Whose.
    pub process: String,
    /// Where.
    pub line: usize,
    /// The text.
    pub text: String,
    /// In which file, unless it is the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A message through a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MessageView {
    /// The channel.
    pub channel: String,
    /// The message.
    pub text: String,
    /// The step that sends it.
    pub from: usize,
    /// The step that receives it, if the run has it.
    pub to: Option<usize>,
}

/// What a loop does for one process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FairView {
    /// The process.
    pub process: String,
    /// What is assumed of the scheduler: `none`, `weak` or `strong`.
    pub declared: &'static str,
    /// How often it steps in one round.
    pub steps: usize,
    /// In how many of the loop's states it could step.
    pub possible: usize,
    /// How many states the loop has.
    pub states: usize,
    /// The same in words.
    pub remark: String,
}

/// A structure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GraphView {
    /// The states' names.
    pub states: Vec<String>,
    /// The propositions.
    pub props: Vec<String>,
    /// For each state the propositions' values.
    pub labels: Vec<String>,
    /// Initial states.
    pub init: Vec<usize>,
    /// From, to, possible, certain, and the action if there are several.
    pub edges: Vec<(usize, usize, u8, u8, Option<String>)>,
    /// From, and the states of which one is certain.
    pub hyper: Vec<(usize, Vec<usize>)>,
    /// Edges, by their numbers, that were only possible and have been decided: 1 if the step is there, 0 if not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decided: Vec<(usize, u8)>,
    /// Concrete states that abstract ones stand for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<SampleView>,
}

/// A formula's values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValuesView {
    /// The formula.
    pub formula: String,
    /// Its value at each state.
    pub values: String,
}

/// A concrete state that an abstract one stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SampleView {
    /// The abstract state.
    pub state: usize,
    /// Values of variables, in one line.
    pub values: String,
}

/// One round of refinement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoundView {
    /// The abstraction of this round.
    pub graph: usize,
    /// Formulas with their values at its states.
    pub formulas: Vec<ValuesView>,
    /// The path that was looked at.
    pub path: Vec<usize>,
    /// Where it loops back to.
    #[serde(rename = "loop")]
    pub loop_start: Option<usize>,
    /// Where it stayed open.
    pub focus: Option<usize>,
    /// What was learnt from it, in words.
    pub note: String,
    /// Predicates that are new in this round.
    pub predicates: Vec<String>,
}

/// How something open could go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WaysView {
    /// Two concrete states that one abstract state does not tell apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<WayView>,
    /// Conditions that would tell those states apart.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What the property would be if the first reason were decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantView>,
}

/// A concrete state, and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WayView {
    /// A line for people.
    pub title: String,
    /// `true`, `false` or `unknown`: the side it stands for.
    pub kind: &'static str,
    /// More about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The values of its variables.
    pub values: Ordered<String>,
}

/// A decision, and what comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VariantView {
    /// What is decided, as the end of "if …".
    pub change: String,
    /// The property's value then.
    pub value: ValueView,
}

/// What a proof rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProofView {
    /// What was shown, and how.
    pub summary: Vec<String>,
    /// What always holds, in few lines; each follows from the list below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invariant_summary: Vec<InvariantView>,
    /// What always holds, place by place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invariant: Vec<InvariantView>,
    /// The predicates of the abstraction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predicates: Vec<String>,
    /// Which step to choose where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strategy: Vec<ChoiceView>,
}

impl ProofView {
    /// Takes the whole list of what always holds, and tells it in few lines, too.
    pub fn rest_on(&mut self, invariant: Vec<InvariantView>) {
        self.invariant_summary = super::invariant::summary(&invariant);
        self.invariant = invariant;
    }
}

/// What holds at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InvariantView {
    /// Where the processes are.
    pub at: String,
    /// What holds then.
    pub holds: String,
}

/// A choice of a strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChoiceView {
    /// At this state.
    pub from: String,
    /// This step.
    pub to: String,
}

/// Which statements were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CoverageView {
    /// Whether every state was visited; else a statement that was not seen may still be taken.
    pub complete: bool,
    /// The statements.
    pub lines: Vec<CoveredView>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoveredView {
    /// Where it stands.
    pub line: usize,
    /// `taken`, `never possible` or `never reached`.
    pub status: &'static str,
    /// The statement.
    pub text: String,
}
