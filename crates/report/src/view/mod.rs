//! What a check found out, in names and words.
//!
//! The stable face of `--format json`: fields are added, never changed or removed, without a new
//! [`SCHEMA_VERSION`].

mod evidence;
mod value;

use serde::Serialize;
pub use tertium_evidence::{Provenance, Technique};

pub use self::evidence::{
    CompletionView, EndView, EvidenceView, InstanceView, OpenView, PlayView, RepeatsView, RunView, StepView, TakenView,
};
pub use self::value::ValueView;
pub use crate::explained::{CutStepView, CutView, QueryView};
pub use crate::ordered::Ordered;
pub use crate::several::Tally;

/// Version of every document's shape.
pub const SCHEMA_VERSION: u32 = 2;

/// The program that wrote a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This program in the given version.
    #[must_use]
    pub fn tertium(version: &str) -> Self {
        Self { name: "tertium", version: version.to_owned() }
    }
}

/// What was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Input {
    /// The path as the user wrote it.
    pub file: String,
    /// `gcl`, `promela` or `kmts`.
    pub kind: &'static str,
}

/// Everything that one `check` has to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckReport {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// Of what.
    pub input: Input,
    /// One entry per property, in the order asked.
    pub results: Vec<ResultView>,
    /// The lattice that values are taken from, if the user wrote one down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lattice: Option<LatticeView>,
    /// Remarks about the input as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Message>,
}

/// A finite De Morgan lattice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LatticeView {
    /// Its name; may be empty.
    pub name: String,
    /// Its elements.
    pub elements: Vec<String>,
    /// Those that are no join of others.
    pub join_irreducibles: Vec<String>,
    /// For each join-irreducible element the one that negation pairs it with.
    pub star: Ordered<String>,
}

/// A warning or error with its stable code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Such as `W0301`.
    pub code: String,
    /// One line that stands alone.
    pub message: String,
}

/// What was found out about one property.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultView {
    /// The property's name.
    pub name: String,
    /// Whether the name is worth showing to people.
    #[serde(skip)]
    pub show_name: bool,
    /// Its formula, as canonical text.
    pub formula: String,
    /// The logic it is written in.
    pub logic: &'static str,
    /// `true`, `false`, `unknown`, `both`, or the name of an element of the user's lattice.
    pub value: ValueView,
    /// Why the run ended early: `timeout`, `memory` or `interrupted`; the value is then `unknown`.
    pub stopped: Option<&'static str>,
    /// The undecided elements of the model that keep the value open, the deciding one first.
    pub reasons: Vec<ReasonView>,
    /// What proves the answer.
    pub evidence: EvidenceView,
    /// What it cost.
    pub stats: Stats,
    /// The semantics the answer was given under.
    pub reading: ReadingView,
    /// Which engine decided, and by which technique.
    pub provenance: Provenance,
    /// The state that decides the value, where several were asked about or one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The value at every state, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_state: Option<Ordered<String>>,
    /// For a query: what its placeholder stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<QueryView>,
    /// Over a lattice: why the value is at least some elements, and not at least others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<CutView>,
    /// For a parameterised structure: for which parameters each value occurs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Ordered<String>>,
    /// For a parameterised structure: the value of every instance, if there are few.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instances: Option<Vec<InstanceView>>,
    /// If the model leaves a size open: for which sizes the value holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<SizesView>,
    /// For an unknown: how the question got to what leaves it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenView>,
    /// For an unknown: changes to the model that would settle the first reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decide: Vec<String>,
    /// Which way the answer was found, and why this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
    /// Variables that cannot matter to the property, and were not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Processes that cannot matter to the property, and were not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out_processes: Vec<String>,
    /// How much of an abstraction was made, if that was done on demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_demand: Option<OnDemandView>,
    /// The rounds of abstraction and refinement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundView>,
    /// Ranking functions, if the answer rests on some: a counterexample would decrease one of them for ever.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<String>,
    /// What holds in every state that can be reached, as far as it was found out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub established: Vec<String>,
    /// Commands worth trying next, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// For a property of all members of a family: those for which the counterexample shows that it fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_case: Option<Ordered<i64>>,
    /// For a false without a run: an initial state from which it fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fails_from: Option<FailingStartView>,
    /// For an unknown: two states of the program that one abstract state stands for, and that differ in what is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_states: Option<TwoStatesView>,
    /// Whether the property holds for a reason that says little, told in the warnings.
    pub vacuous: bool,
    /// Whether the model has no initial state: whatever is said of all of them is true.
    #[serde(skip_serializing_if = "is_false")]
    pub empty: bool,
    /// For what is true of runs: the faults in which some of them end. It holds on every run up to there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub up_to: Vec<String>,
    /// Remarks about this result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Message>,
    /// The value that the user expected, if any was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// Whether the answer counts as a success: it is the expected one or, without expectation, true.
    #[serde(skip)]
    pub verdict: Verdict,
}

impl ResultView {
    /// A property about which nothing is known since the run ended before it was looked at.
    #[must_use]
    pub fn not_begun(name: &str, formula: &str, logic: &'static str, stopped: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            show_name: true,
            formula: formula.to_owned(),
            logic,
            value: ValueView::UNKNOWN,
            stopped: Some(stopped),
            reasons: Vec::new(),
            evidence: EvidenceView::none(),
            stats: Stats::default(),
            reading: ReadingView { semantics: "compositional", deadlock: "mu", ltl: None },
            provenance: Provenance::NONE,
            state: None,
            per_state: None,
            query: None,
            cuts: Vec::new(),
            condition: None,
            instances: None,
            sizes: None,
            open: None,
            decide: Vec::new(),
            choice: None,
            left_out: Vec::new(),
            left_out_processes: Vec::new(),
            on_demand: None,
            rounds: Vec::new(),
            ranking: Vec::new(),
            established: Vec::new(),
            next: Vec::new(),
            failing_case: None,
            fails_from: None,
            two_states: None,
            vacuous: false,
            empty: false,
            up_to: Vec::new(),
            warnings: Vec::new(),
            expected: None,
            verdict: Verdict::Open,
        }
    }
}

/// Two states of a program that one abstract state stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TwoStatesView {
    /// The abstract state: places, values, and what the predicates say.
    pub of: String,
    /// Both states: the first does what is open, the second does not.
    pub states: Vec<ConcreteStateView>,
    /// Conditions that would tell them apart, if some are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A state of a program, and what it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConcreteStateView {
    /// Its values.
    pub values: Ordered<String>,
    /// What it does, in words.
    pub does: String,
}

/// An initial state from which a property fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailingStartView {
    /// The values there.
    pub values: Ordered<String>,
    /// How many states are reached from there, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<usize>,
    /// Where the processes are in those, each combination once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
}

/// For which sizes a value holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SizesView {
    /// The constant that is left open.
    pub constant: String,
    /// Its least value.
    pub at_least: i64,
    /// The value for which the property is false; null if it is true for every value, or open.
    pub value: Option<i64>,
    /// Values for which it is true, if it is open for others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<i64>,
}

/// How a result counts for the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// The property holds, or has the expected value.
    Success,
    /// It is unknown, or the run was stopped.
    Open,
    /// It is false, or not what was expected.
    Failure,
}

/// The semantics of one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadingView {
    /// `compositional`, or `thorough`.
    pub semantics: &'static str,
    /// What a deadlock means.
    pub deadlock: &'static str,
    /// How open steps weaken a linear formula; none for branching ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ltl: Option<&'static str>,
}

/// An undecided element of the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ReasonView {
    /// A label is unknown.
    Label {
        /// Where.
        state: String,
        /// Which.
        prop: String,
    },
    /// A step is possible, not certain.
    Edge {
        /// From here.
        from: String,
        /// To there.
        to: String,
        /// `exists`: the property needs the step; `forall`: a counterexample could use it.
        direction: &'static str,
        /// The player who chooses it; none if the structure has no players.
        #[serde(skip_serializing_if = "Option::is_none")]
        owner: Option<String>,
    },
    /// Some step into a set is certain, which one is open.
    Hyper {
        /// From here.
        from: String,
        /// Into these.
        members: Vec<String>,
        /// `exists` or `forall`.
        direction: &'static str,
        /// The player who chooses it; none if the structure has no players.
        #[serde(skip_serializing_if = "Option::is_none")]
        owner: Option<String>,
    },
    /// A program cannot be explored to the end.
    Limit {
        /// What is in the way.
        what: String,
        /// The variable or function it is about.
        #[serde(skip_serializing_if = "Option::is_none")]
        about: Option<String>,
        /// The line where that stands.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
        /// What would help.
        help: String,
    },
}

/// How much of an abstraction was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OnDemandView {
    /// Abstract states of which it was asked what follows.
    pub made: usize,
    /// States that were met, and of which that did not matter.
    pub left: usize,
}

/// One round of abstracting and checking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoundView {
    /// The predicates that are new in it.
    pub predicates: Vec<String>,
    /// The processes that are new in the spotlight.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<String>,
    /// How many names stand for unknown values.
    #[serde(skip_serializing_if = "is_zero")]
    pub parameters: usize,
    /// Abstract states that were visited.
    pub states: usize,
    /// Calls to the decision procedure until its end.
    pub solver_calls: usize,
    /// What it left open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
}

/// What an answer cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// States of the structure.
    pub states: usize,
    /// Its steps: plain edges and hyper edges.
    pub transitions: usize,
    /// Predicates of the abstraction; none for a structure that was given.
    pub predicates: usize,
    /// Rounds of refinement.
    pub refinements: usize,
    /// Calls to the decision procedure.
    pub solver_calls: usize,
    /// Wall-clock time.
    pub time_ms: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}
