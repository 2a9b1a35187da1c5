//! What was found out about one question to a program.

use std::sync::Arc;
use std::time::Duration;

use tertium_base::{Diagnostic, StopReason};
use tertium_lattice::Belnap;

use crate::abstracted::basis::Basis;
use crate::abstracted::looked::Looked;
use crate::parameterised::Sizes;
use tertium_evidence::observer::Observer;
use tertium_evidence::provenance::{Engine, Provenance, Technique};
use tertium_load::ProgramFile;
use tertium_load::questions::Question;
use tertium_trace::run::Run;

pub use tertium_evidence::unknown::Reason;
pub use tertium_trace::run::Repeats;

/// What abstraction cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverWork {
    /// How many predicates.
    pub predicates: usize,
    /// Calls of the solver so far.
    pub calls: usize,
    /// Models of earlier questions that saved a call.
    pub recalled: usize,
}

/// How much of an abstraction was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnDemand {
    /// Abstract states of which it was asked what follows.
    pub made: usize,
    /// States that were met, and of which that did not matter.
    pub left: usize,
}

/// One round of abstracting and checking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Round {
    /// The predicates that are new in it.
    pub predicates: Vec<String>,
    /// The processes that are new in the spotlight.
    pub processes: Vec<String>,
    /// How many parameters stand for unknown values.
    pub parameters: usize,
    /// Abstract states that were visited.
    pub states: usize,
    /// Calls of the solver until its end.
    pub calls: usize,
    /// What it left open, if anything, and what was done about it.
    pub open: Option<String>,
}

/// Everything found out about one question.
#[derive(Clone, Debug)]
pub struct ProgramAnswer {
    /// Its name.
    pub name: String,
    /// Whether the user gave the name.
    pub named: bool,
    /// The formula, or the mistake that should not happen, in words.
    pub formula: String,
    /// The logic's name; `safety` for what is checked without being asked.
    pub logic: &'static str,
    /// The value.
    pub value: Belnap,
    /// The limit that ended the work early.
    pub stopped: Option<StopReason>,
    /// Why the value is unknown.
    pub reasons: Vec<Reason>,
    /// What breaks it, repeated by the definition of a step.
    pub run: Option<Run>,
    /// Why its end can be taken for ever, if no state of it repeats.
    pub repeats: Option<Repeats>,
    /// What a state without successors means to it.
    pub deadlock: &'static str,
    /// What decided it, and how.
    pub provenance: Provenance,
    /// States that were visited for it.
    pub states: usize,
    /// Steps that were looked at for it.
    pub transitions: usize,
    /// What abstraction cost, if it was used.
    pub solver: Option<SolverWork>,
    /// How much of the abstraction was made, if that was done on demand.
    pub on_demand: Option<OnDemand>,
    /// Which way it was found, and why this one.
    pub choice: Option<String>,
    /// The rounds of abstraction, if more was looked at in each.
    pub rounds: Vec<Round>,
    /// How often something was added.
    pub refinements: usize,
    /// Ranking functions, if the answer rests on some: a counterexample would decrease one of them for ever.
    pub ranking: Vec<String>,
    /// What holds in every state that can be reached, as far as it was found out: one line for each combination of locations.
    pub established: Vec<String>,
    /// The processes that were looked at closely, if not all were.
    pub spotlight: Option<Vec<String>>,
    /// Whether all completions of the abstraction were looked at to decide it.
    pub by_completions: bool,
    /// For which values of what no step changes the property has which value.
    pub condition: Vec<(Belnap, String)>,
    /// For which sizes it holds, if the file leaves a size open.
    pub sizes: Option<Sizes>,
    /// The system of one size that the run belongs to, if the file leaves a size open.
    pub system: Option<Arc<ProgramFile>>,
    /// Remarks.
    pub warnings: Vec<Diagnostic>,
    /// Whether it holds for a reason that says little.
    pub vacuous: bool,
    /// Whether that was looked for.
    pub vacuity_sought: bool,
    /// What a certificate can be made of, if it was found over abstract states.
    pub basis: Option<Arc<Basis>>,
    /// What the rounds looked at, if they can be drawn.
    pub looked: Option<Arc<Looked>>,
    /// Wall-clock time; what several questions share is counted for the first of them.
    pub elapsed: Duration,
}

/// A state without successors is taken to stay for ever.
pub const STUTTER: &str = "stutter";

impl ProgramAnswer {
    /// Tells an observer the value, if it is a definite one: such a value stays.
    pub fn tell(&self, observer: &dyn Observer) {
        if matches!(self.value, Belnap::True | Belnap::False) {
            observer.answered(&self.name, self.value);
        }
    }

    /// A question about which nothing is known yet.
    #[must_use]
    pub fn about(question: &Question) -> Self {
        match question {
            Question::Property(asked) => {
                Self::open(&asked.name, asked.named, &asked.source, asked.formula.logic().name())
            }
            Question::Never(mistake) => Self::open(mistake.name(), true, mistake.claim(), "safety"),
            Question::Watched(watched) => {
                Self { deadlock: STUTTER, ..Self::open(&watched.name, true, &watched.claim, watched.logic()) }
            }
        }
    }

    /// The same, by what the report says of the question.
    #[must_use]
    pub fn open(name: &str, named: bool, formula: &str, logic: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            named,
            formula: formula.to_owned(),
            logic,
            value: Belnap::Unknown,
            stopped: None,
            reasons: Vec::new(),
            run: None,
            repeats: None,
            deadlock: if logic == "ltl" { STUTTER } else { "mu" },
            provenance: Provenance::new(Engine::Explore, Technique::ExplicitStateSearch),
            states: 0,
            transitions: 0,
            solver: None,
            on_demand: None,
            choice: None,
            rounds: Vec::new(),
            refinements: 0,
            ranking: Vec::new(),
            established: Vec::new(),
            spotlight: None,
            by_completions: false,
            condition: Vec::new(),
            sizes: None,
            system: None,
            warnings: Vec::new(),
            vacuous: false,
            vacuity_sought: false,
            basis: None,
            looked: None,
            elapsed: Duration::ZERO,
        }
    }
}
