//! Does no possible path contradict a linear answer?

use std::collections::HashMap;

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_model::{Edge, StateId};

use super::linear::{Linear, Sight, Steps, translate};
use super::search::{FairStep, Found, PathSearch, Paths};
use super::structure::Structure;
use super::{Case, Rejection, misfit};
use tertium_evidence::{Deadlock, LinearReading};

/// The infinite paths of a structure, ended ones going round in a copy of their last state if deadlocks
/// are read as ends of paths. Vertices are states, then the copies, then a state of which nothing is known.
pub(super) struct StatePaths<'a> {
    structure: Structure<'a>,
    certain: bool,
    open_future: bool,
}

impl<'a> StatePaths<'a> {
    /// Paths of possible steps.
    pub(super) fn possible(structure: Structure<'a>) -> Self {
        Self { structure, certain: false, open_future: false }
    }

    /// Paths of plain certain steps.
    pub(super) fn certain(structure: Structure<'a>) -> Self {
        Self { structure, certain: true, open_future: false }
    }

    /// The same paths and their prefixes, each followed by states of which nothing is known.
    pub(super) fn and_prefixes(self) -> Self {
        Self { open_future: true, ..self }
    }

    fn count(&self) -> usize {
        self.structure.model.state_count()
    }

    fn fairness(&self, edge: &Edge) -> Vec<u32> {
        let constraints = self.structure.model.fairness().iter().enumerate();
        let counts = constraints.filter(|(_, fair)| {
            let edges = if self.certain { &fair.certain } else { &fair.possible };
            edges.contains(edge.id.index())
        });
        counts.map(|(at, _)| to_u32(at)).collect()
    }

    /// The step into the copy where a path ends, if it can (or, for certain paths, must) end here.
    fn end(&self, state: StateId) -> Option<FairStep> {
        if self.structure.deadlock != Deadlock::Maximal {
            return None;
        }
        let dead = self.structure.model.is_dead(state);
        let may_end = !self.certain && !self.structure.has_certain(state);
        let target = to_u32(self.count() + state.index());
        (dead || may_end).then_some(FairStep { target, certain: dead, fair: Vec::new() })
    }
}

impl Paths for StatePaths<'_> {
    fn state(&self, vertex: u32) -> Option<StateId> {
        let known = (vertex as usize) < 2 * self.count();
        known.then(|| StateId::new(vertex as usize % self.count()))
    }

    fn steps(&self, vertex: u32) -> Vec<FairStep> {
        if vertex as usize >= self.count() {
            // A path that ended takes no step of any fairness constraint.
            return vec![FairStep { target: vertex, certain: true, fair: Vec::new() }];
        }
        let state = StateId::new(vertex as usize);
        let edges = self.structure.model.edges_from(state);
        let taken = edges.filter(|edge| if self.certain { edge.must } else { edge.may });
        let step =
            |edge: Edge| FairStep { target: edge.target.number(), certain: edge.must, fair: self.fairness(&edge) };
        let target = 2 * to_u32(self.count());
        let open = self.open_future.then_some(FairStep { target, certain: true, fair: Vec::new() });
        taken.map(step).chain(self.end(state)).chain(open).collect()
    }

    fn constraints(&self) -> usize {
        self.structure.constraints()
    }
}

pub(super) fn check(case: &Case<'_>) -> Result<(), Rejection> {
    if case.certificate.value == Belnap::True {
        let linear = case.linear(false, case.steps_read())?;
        return no_possible_path(case, &linear, "refutes the formula");
    }
    if !case.counts_on_totality() {
        return Err(misfit(
            "that no path satisfies the formula proves `false` only where every state surely has a successor (readings `bg-total`, or `hyper` with totality)",
        ));
    }
    if !case.absence_counts() {
        return Err(misfit("that no fair path satisfies the formula proves nothing: there may be no fair path at all"));
    }
    case.some_path_refutes()?;
    let linear = case.linear(true, Steps::Ignored)?;
    no_possible_path(case, &linear, "satisfies the formula")
}

fn no_possible_path(case: &Case<'_>, linear: &Linear, what: &str) -> Result<(), Rejection> {
    match possible_paths(case, linear)?.example {
        None => Ok(()),
        Some(path) => Err(Diagnostic::error("E0617", format!("a possible path {what}: {} …", case.path(&path))).into()),
    }
}

fn possible_paths(case: &Case<'_>, linear: &Linear) -> Result<Found, Rejection> {
    let paths = StatePaths::possible(case.structure);
    let start = case.certificate.state.number();
    Ok(case.search(linear, Sight::Optimistic).run(&paths, &[start])?)
}

impl Case<'_> {
    pub(super) fn search<'b>(&'b self, linear: &'b Linear, sight: Sight) -> PathSearch<'b> {
        PathSearch { linear, sight, model: self.structure.model, budget: self.budget }
    }

    /// The formula about paths, or its negation.
    pub(super) fn linear(&self, positive: bool, steps: Steps) -> Result<Linear, Rejection> {
        translate(self.formula, &self.names, self.formula.root(), positive, steps, &HashMap::new())
            .ok_or_else(|| misfit("the formula has an operator that speaks of more than one path"))
    }

    /// How the reading lets the value of steps enter.
    pub(super) fn steps_read(&self) -> Steps {
        match self.certificate.reading.linear {
            LinearReading::Tg => Steps::Literal,
            LinearReading::TgPnf => Steps::Normal,
            LinearReading::Bg | LinearReading::BgTotal | LinearReading::Hyper => Steps::Ignored,
        }
    }

    /// Whether the reading lets falsity rest on every real state having a successor, and so it is.
    pub(super) fn counts_on_totality(&self) -> bool {
        let ends_stutter = self.structure.deadlock == Deadlock::Maximal;
        match self.certificate.reading.linear {
            LinearReading::BgTotal => true,
            LinearReading::Hyper => self.structure.total || ends_stutter,
            LinearReading::Bg | LinearReading::Tg | LinearReading::TgPnf => false,
        }
    }

    /// Whether a certain prefix counts if no future can repair it.
    pub(super) fn prefixes_count(&self) -> bool {
        self.counts_on_totality() && self.structure.constraints() == 0
    }

    /// Whether it counts that no possible path says the contrary. With fairness constraints only for the
    /// reading that takes a fair path for granted.
    pub(super) fn absence_counts(&self) -> bool {
        self.prefixes_count() || self.certificate.reading.linear == LinearReading::BgTotal
    }

    /// What stands for a refuting path takes it for granted that there is one: some path must possibly refute.
    pub(super) fn some_path_refutes(&self) -> Result<(), Rejection> {
        if possible_paths(self, &self.linear(false, Steps::Ignored)?)?.example.is_some() {
            return Ok(());
        }
        let message = format!(
            "no possible path from {} refutes the formula: nothing shows that there is a path",
            self.state(self.certificate.state)
        );
        Err(Diagnostic::error("E0621", message).into())
    }

    /// A path as text; long ones are cut in the middle.
    pub(super) fn path(&self, states: &[StateId]) -> String {
        const SHOWN: usize = 12;
        let name = |state: &StateId| self.state(*state);
        if states.len() <= SHOWN {
            return states.iter().map(name).collect::<Vec<_>>().join(", ");
        }
        let ends = [&states[..SHOWN / 2], &states[states.len() - SHOWN / 2..]];
        ends.map(|part| part.iter().map(name).collect::<Vec<_>>().join(", ")).join(", …, ")
    }
}

/// How a step between two states comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StepKind {
    /// Along a plain certain edge, which can be chosen.
    Certain,
    /// Along a possible edge, which can be chosen.
    Possible,
    /// As the only member of a certain set: which edge it is, is not chosen.
    Forced,
}

/// Whether a step surely counts for a fairness constraint.
pub(super) fn step_counts(
    structure: &Structure<'_>,
    from: StateId,
    to: StateId,
    constraint: usize,
    kind: StepKind,
) -> bool {
    let counted = &structure.model.fairness()[constraint].certain;
    let counts = |edge: &Edge| counted.contains(edge.id.index());
    let mut edges = structure.model.edges_from(from).filter(|edge| edge.target == to);
    match kind {
        StepKind::Certain => edges.any(|edge| edge.must && counts(&edge)),
        StepKind::Possible => edges.any(|edge| edge.may && counts(&edge)),
        StepKind::Forced => edges.all(|edge| counts(&edge)),
    }
}
