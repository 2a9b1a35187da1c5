//! What was found out about one property.

use std::sync::Arc;
use std::time::Duration;

use tertium_base::{Diagnostic, StopReason};
use tertium_evidence::{Certificate, CertificatePlace, OpenQuestion, Provenance, Reading, Verdict};
use tertium_lattice::{Belnap, Element};
use tertium_logic::translate::fair_action;
use tertium_logic::{Formula, Node, NodeId, OWNER_PREFIX};
use tertium_model::{Kmts, StateId};

pub use tertium_check::thorough::Completion;

/// A path through the structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its states.
    pub states: Vec<StateId>,
    /// The index to which the last state returns, forever.
    pub loop_start: Option<usize>,
}

/// A truth value of whatever domain the structure has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of a structure with may and must.
    Belnap(Belnap),
    /// Of a structure over a lattice that the user wrote down.
    Element {
        /// The element's name.
        name: String,
        /// Whether it is the top of the truth order.
        is_top: bool,
        /// Whether it is the bottom of the truth order.
        is_bottom: bool,
    },
}

impl Value {
    /// The word for it in reports: `true`, `false`, `unknown`, `both`, or the element's name.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Belnap(Belnap::True) => "true",
            Self::Belnap(Belnap::False) => "false",
            Self::Belnap(Belnap::Unknown) => "unknown",
            Self::Belnap(Belnap::Both) => "both",
            Self::Element { name, .. } => name,
        }
    }

    /// Whether the property holds.
    #[must_use]
    pub fn is_true(&self) -> bool {
        matches!(self, Self::Belnap(Belnap::True) | Self::Element { is_top: true, .. })
    }

    /// Whether the property fails.
    #[must_use]
    pub fn is_false(&self) -> bool {
        matches!(self, Self::Belnap(Belnap::False) | Self::Element { is_bottom: true, .. })
    }
}

/// What shows a definite answer about a structure; its proofs stand beside the verdict, since values between have some, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StructureEvidence {
    /// The run that tells most of the proof.
    pub run: Option<Run>,
    /// Over a lattice that the user wrote down: the element, which is its top or its bottom.
    pub element: Option<String>,
}

/// Why the value is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenReason {
    /// What is unknown in the structure leaves it so; the formula is the one whose nodes this speaks of.
    Question(Box<(OpenQuestion, Formula)>),
    /// It is an element between bottom and top of a lattice that the user wrote down, which has this name.
    Element(String),
}

/// For which parameters a property has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The value.
    pub value: Belnap,
    /// The parameters' values, as an expression over them.
    pub when: String,
}

/// The value of one instance of a parameterised structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The parameters with their values.
    pub parameters: Vec<(String, bool)>,
    /// The property's value.
    pub value: Belnap,
}

/// A proof and the structure that it is about.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The model, one instance of it, or one cut.
    pub place: CertificatePlace,
    /// The instance or cut; none for the model itself.
    pub structure: Option<Arc<Kmts>>,
    /// The proof.
    pub certificate: Certificate,
}

/// Why a value in a lattice is at least a join-irreducible element, or is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutEvidence {
    /// The element.
    pub element: Element,
    /// Whether the value is at least this element.
    pub above: bool,
    /// The state that it is told of.
    pub state: StateId,
    /// The run that shows it, where one run does.
    pub run: Option<Run>,
}

/// What a query's placeholder stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryAnswer {
    /// The propositions that answers may speak of.
    pub atoms: Vec<String>,
    /// The strongest formulas with which the query is true.
    pub strongest: Vec<String>,
    /// The strongest formulas with which it is not false, where these are others.
    pub not_refuted: Option<Vec<String>>,
}

/// The same in names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutStory {
    /// The element.
    pub element: String,
    /// Whether the value is at least this element.
    pub above: bool,
    /// The state that it is told of.
    pub state: String,
    /// The run that shows it; empty where one run does not.
    pub run: Vec<CutStep>,
    /// The index of the step to which the last one returns, forever.
    pub loop_start: Option<usize>,
}

/// One state of a run over a lattice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutStep {
    /// Its name.
    pub state: String,
    /// The values of the formula's propositions.
    pub labels: Vec<(String, String)>,
    /// The value of the edge to the next state of the run.
    pub edge: Option<String>,
}

/// Everything found out about one property.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The property's name.
    pub name: String,
    /// Whether the user gave the name.
    pub named: bool,
    /// The formula that was checked.
    pub formula: Formula,
    /// What was found out.
    pub verdict: Verdict<StructureEvidence, OpenReason>,
    /// What decided it, and how.
    pub provenance: Provenance,
    /// `compositional`, or `thorough`.
    pub semantics: &'static str,
    /// The reading it was given under.
    pub reading: Reading,
    /// The state that decides the value.
    pub state: Option<StateId>,
    /// The value at every state, if asked for; in the structure's order.
    pub per_state: Option<Vec<Value>>,
    /// Proofs of a definite value, with the structure that each is about: of false one, of true one for
    /// every state asked about; of a lattice's element, one for every cut.
    pub certificates: Vec<Proved>,
    /// For a query: what its placeholder stands for. The value is that of the weakest formula, `true`.
    pub query: Option<QueryAnswer>,
    /// Over a lattice: why the value is what it is, by the elements from which the rest follows.
    pub cuts: Vec<CutEvidence>,
    /// Whether the independent checker accepted the proof in this run.
    pub checked: bool,
    /// For a thorough unknown: a completion that satisfies the property, and one that violates it.
    pub completions: Option<Box<[Completion; 2]>>,
    /// The instance that the run and what is open are told of; none for the model itself.
    pub structure: Option<Arc<Kmts>>,
    /// For a parameterised structure: when each value occurs.
    pub conditions: Option<Vec<Condition>>,
    /// For a parameterised structure with few parameters: every instance.
    pub instances: Option<Vec<Instance>>,
    /// Whether the property holds for a reason that says little.
    pub vacuous: bool,
    /// Remarks.
    pub warnings: Vec<Diagnostic>,
    /// Wall-clock time.
    pub elapsed: Duration,
}

impl Answer {
    /// The value that stands in reports; `unknown` if the run was stopped.
    #[must_use]
    pub fn value(&self) -> Value {
        let Some(name) = self.element() else { return Value::Belnap(self.verdict.value()) };
        let (is_top, is_bottom) =
            (matches!(self.verdict, Verdict::Holds(_)), matches!(self.verdict, Verdict::Fails(_)));
        Value::Element { name: name.to_owned(), is_top, is_bottom }
    }

    /// The element of the user's lattice that the value is.
    fn element(&self) -> Option<&str> {
        if let Some(evidence) = self.verdict.evidence() {
            return evidence.element.as_deref();
        }
        self.verdict.reasons().iter().find_map(|reason| match reason {
            OpenReason::Element(name) => Some(name.as_str()),
            OpenReason::Question(_) => None,
        })
    }

    /// The limit that was reached, if one was.
    #[must_use]
    pub const fn stopped(&self) -> Option<StopReason> {
        self.verdict.stopped()
    }

    /// The run that tells most of the proof.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        self.verdict.evidence()?.run.as_ref()
    }

    /// What leaves the value open, and the formula whose nodes it speaks of.
    #[must_use]
    pub fn open(&self) -> Option<&(OpenQuestion, Formula)> {
        self.verdict.reasons().iter().find_map(|reason| match reason {
            OpenReason::Question(question) => Some(&**question),
            OpenReason::Element(_) => None,
        })
    }

    /// Adds what leaves the value open; nothing if it is not, or nothing was found.
    pub(crate) fn leave_open(&mut self, question: Option<(OpenQuestion, Formula)>) {
        if let Some(question) = question {
            self.verdict.leave_open(OpenReason::Question(Box::new(question)));
        }
    }

    /// A part of the formula that an open question speaks of, in at most so many characters. Fairness is checked by a formula with
    /// fixpoints whose parts nobody wrote; for those the property stands.
    #[must_use]
    pub fn open_part(&self, node: NodeId, longest: usize) -> String {
        let Some((_, formula)) = self.open() else { return self.formula.text() };
        let fair = format!("<{}>", fair_action(0));
        let own = matches!(formula.node(node), Node::Atom(_) | Node::Not(_));
        if !own && formula.text().contains(&fair) && !self.formula.text().contains(&fair) {
            return format!("{} on fair paths", self.formula.text());
        }
        if !own && formula.text().contains(OWNER_PREFIX) {
            return self.formula.text();
        }
        formula.text_of(node, longest)
    }

    /// Whether the value is Kleene's third.
    #[must_use]
    pub fn value_is_unknown(&self) -> bool {
        self.verdict.is_open() && self.element().is_none()
    }
}
