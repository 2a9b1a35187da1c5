//! What was found out about one question to a program.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tertium_base::{Diagnostic, StopReason};
use tertium_lattice::Belnap;

use crate::observer::ProgramObserver;
use crate::parameterised::Sizes;
use crate::predicate_abstraction::basis::Basis;
use crate::predicate_abstraction::round_history::RoundHistory;
use tertium_evidence::Verdict;
use tertium_evidence::provenance::{Engine, Provenance, Technique};
use tertium_load::ProgramFile;
use tertium_load::questions::Question;
use tertium_program::{ProcessId, VarId};
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

/// What shows a definite answer about a program.
#[derive(Clone, Debug, Default)]
pub struct ProgramEvidence {
    /// A counterexample, or a witness of what exists, repeated by the definition of a step.
    pub run: Option<Run>,
    /// Why its end can be taken for ever, if no state of it repeats.
    pub repeats: Option<Repeats>,
    /// The system of one size that the run belongs to, if the file leaves a size open.
    pub system: Option<Arc<ProgramFile>>,
    /// What a certificate can be made of, if it was found over abstract states or sets.
    pub basis: Option<Arc<Basis>>,
    /// Ranking functions, if the answer rests on some: a counterexample would decrease one of them for ever.
    pub ranking: Vec<String>,
}

/// An initial state from which a property fails, where no run shows that: `EF p` is false if nothing leads from there to `p`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailingStart {
    /// The state as names and values.
    pub values: Vec<(String, String)>,
    /// How many states are reached from there, if they were counted.
    pub reached: Option<usize>,
    /// Where the processes are in those, each combination once.
    pub places: Vec<String>,
}

/// Whether a property holds for a reason that says little.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Vacuity {
    /// That was not looked for.
    #[default]
    NotSought,
    /// It does not, as far as that was looked for.
    NotFound,
    /// It does.
    Vacuous,
    /// The program has no initial state: whatever is said of all of them is true.
    NoInitialState,
}

impl Vacuity {
    /// What was looked for, and whether it was found.
    #[must_use]
    pub const fn sought(vacuous: bool) -> Self {
        if vacuous { Self::Vacuous } else { Self::NotFound }
    }
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// States that were visited for it.
    pub states: usize,
    /// Steps that were looked at for it.
    pub transitions: usize,
    /// What abstraction cost, if it was used.
    pub solver: Option<SolverWork>,
    /// How much of the abstraction was made, if that was done on the fly.
    pub on_demand: Option<OnDemand>,
    /// How often something was added to an abstraction.
    pub refinements: usize,
    /// Wall-clock time; what several questions share is counted for the first of them.
    pub elapsed: Duration,
}

/// What was found out about one question: the verdict, who gave it, what it cost, and what else is worth telling.
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
    /// What a state without successors means to it.
    pub deadlock: &'static str,
    /// What was found out.
    pub verdict: Verdict<ProgramEvidence, Reason>,
    /// What decided it, and how.
    pub provenance: Provenance,
    /// What it cost.
    pub cost: Cost,
    /// Which way it was found, and why this one.
    pub choice: Option<String>,
    /// The rounds of abstraction, if more was looked at in each.
    pub rounds: Vec<Round>,
    /// What the rounds looked at, if they can be drawn.
    pub round_history: Option<Arc<RoundHistory>>,
    /// What holds in every state that can be reached, as far as it was found out: one line for each combination of locations.
    pub established: Vec<String>,
    /// Variables that cannot matter to it, and were not looked at.
    pub left_out: BTreeSet<VarId>,
    /// Processes that cannot matter to it, and were not looked at.
    pub idle: BTreeSet<ProcessId>,
    /// The processes that were looked at closely, if not all were.
    pub spotlight: Option<Vec<String>>,
    /// For which values of what no step changes the property has which value.
    pub condition: Vec<(Belnap, String)>,
    /// For which sizes it holds, if the file leaves a size open.
    pub sizes: Option<Sizes>,
    /// For a property of all members of a family: those for which a counterexample shows that it fails.
    pub failing_case: Option<Vec<(String, i64)>>,
    /// For a false without a run: an initial state from which it fails.
    pub fails_from: Option<FailingStart>,
    /// Whether it holds for a reason that says little.
    pub vacuity: Vacuity,
    /// Remarks.
    pub warnings: Vec<Diagnostic>,
}

/// A state without successors is taken to stay for ever.
pub const STUTTER: &str = "stutter";

impl ProgramAnswer {
    /// Tells an observer the answer, if it is a definite one: such an answer stays.
    pub fn tell(&self, observer: &dyn ProgramObserver) {
        if self.verdict.is_definite() {
            observer.decided(self);
        }
    }

    /// The value that stands in reports.
    #[must_use]
    pub const fn value(&self) -> Belnap {
        self.verdict.value()
    }

    /// The limit that was reached, if one was.
    #[must_use]
    pub const fn stopped(&self) -> Option<StopReason> {
        self.verdict.stopped()
    }

    /// Why it is open; nothing if it is not.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        self.verdict.reasons()
    }

    /// Whether it is about a program without initial states.
    #[must_use]
    pub fn starts_nowhere(&self) -> bool {
        self.vacuity == Vacuity::NoInitialState
    }

    /// The run that shows it.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        self.verdict.evidence()?.run.as_ref()
    }

    /// Why the end of the run can be taken for ever, if no state of it repeats.
    #[must_use]
    pub fn repeats(&self) -> Option<&Repeats> {
        self.verdict.evidence()?.repeats.as_ref()
    }

    /// What a certificate can be made of.
    #[must_use]
    pub fn basis(&self) -> Option<&Basis> {
        self.verdict.evidence()?.basis.as_deref()
    }

    /// The system of one size that the run belongs to.
    #[must_use]
    pub fn system(&self) -> Option<&ProgramFile> {
        self.verdict.evidence()?.system.as_deref()
    }

    /// The ranking functions that it rests on.
    #[must_use]
    pub fn ranking(&self) -> &[String] {
        self.verdict.evidence().map_or(&[], |evidence| &evidence.ranking)
    }

    /// Whether it holds for a reason that says little.
    #[must_use]
    pub fn is_vacuous(&self) -> bool {
        matches!(self.vacuity, Vacuity::Vacuous | Vacuity::NoInitialState)
    }

    /// Completes what shows a definite answer; an open one has nothing to show.
    pub fn show(&mut self, complete: impl FnOnce(&mut ProgramEvidence)) {
        self.verdict.evidence_mut().map(complete);
    }

    /// The run that shows it, if there is one.
    pub fn show_run(&mut self, run: Option<Run>) {
        self.show(|evidence| evidence.run = run);
    }

    /// What a certificate can be made of.
    pub fn rest_on(&mut self, basis: Basis) {
        self.show(|evidence| evidence.basis = Some(Arc::new(basis)));
    }

    /// A limit was reached, if one was.
    pub fn stop_if(&mut self, limit: Option<StopReason>) {
        if let Some(limit) = limit {
            self.verdict.stop(limit);
        }
    }

    /// A question about which nothing is known yet.
    #[must_use]
    pub fn about(question: &Question) -> Self {
        match question {
            Question::Property(asked) => {
                Self::open(&asked.name, asked.named, &asked.source, asked.formula.logic().name())
            }
            Question::Never(never) => Self::open(&never.name, true, never.mistake.claim(), "safety"),
            Question::Watched(watched) => {
                Self { deadlock: STUTTER, ..Self::open(&watched.name, true, &watched.claim, watched.logic()) }
            }
        }
    }

    /// A question that a limit kept from being decided.
    #[must_use]
    pub fn stopped_by(self, limit: StopReason) -> Self {
        let mut stopped = self;
        stopped.verdict.stop(limit);
        stopped
    }

    /// The same, by what the report says of the question.
    #[must_use]
    pub fn open(name: &str, named: bool, formula: &str, logic: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            named,
            formula: formula.to_owned(),
            logic,
            deadlock: if logic == "ltl" { STUTTER } else { "mu" },
            verdict: Verdict::default(),
            provenance: Provenance::new(Engine::Explore, Technique::ExplicitStateSearch),
            cost: Cost::default(),
            choice: None,
            rounds: Vec::new(),
            round_history: None,
            established: Vec::new(),
            left_out: BTreeSet::new(),
            idle: BTreeSet::new(),
            spotlight: None,
            condition: Vec::new(),
            sizes: None,
            failing_case: None,
            fails_from: None,
            vacuity: Vacuity::NotSought,
            warnings: Vec::new(),
        }
    }
}
