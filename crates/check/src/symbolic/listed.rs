//! A structure that lists its states, as sets: states are numbered in binary.

use tertium_base::{BitSet, Stopped};
use tertium_dd::{Bit, Diagrams, Limits, RelationPart, Set, TransitionRelation};
use tertium_evidence::{Deadlock, LinearReading};
use tertium_logic::Logic;
use tertium_model::{Edge, HyperEdge, HyperId, Kmts, PropId, StateId};

use super::ends::add_ends;
use super::evaluate::Atoms;
use super::linear::KnownFixpoints;
use super::stepwise::{Graded, StepKind, StepValues};
use super::structure::{Hyper, Steps, Structure};
use super::values::Pair;
use crate::{Ask, Filter, Task, Values};

/// The bits for numbers of states, before and after a step, the highest digit first.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub bits: Vec<(Bit, Bit)>,
}

impl Code {
    /// Bits for this many states, from number `first` on.
    pub fn new(states: usize, first: usize) -> Self {
        let digits = states.saturating_sub(1).checked_ilog2().map_or(1, |log| log as usize + 1);
        Self { bits: (0..digits).map(|at| (Bit::new(first + 2 * at), Bit::new(first + 2 * at + 1))).collect() }
    }

    pub fn now(&self) -> Vec<Bit> {
        self.bits.iter().map(|&(now, _)| now).collect()
    }

    pub fn both(&self) -> Vec<Bit> {
        self.bits.iter().flat_map(|&(now, later)| [now, later]).collect()
    }

    /// A step as a row over [`Self::both`].
    pub fn step(&self, from: StateId, to: StateId) -> u128 {
        let digit = |state: StateId, at: usize| (state.index() >> at & 1) as u128;
        (0..self.bits.len()).map(|at| digit(from, at) << (2 * at + 1) | digit(to, at) << (2 * at)).sum()
    }

    /// These states.
    pub fn states(&self, diagrams: &Diagrams, states: impl Iterator<Item = usize>) -> Result<Set, Stopped> {
        diagrams.listed(&self.now(), states.map(|state| state as u128).collect())
    }

    /// These steps.
    pub fn steps(&self, diagrams: &Diagrams, steps: impl Iterator<Item = (StateId, StateId)>) -> Result<Set, Stopped> {
        diagrams.listed(&self.both(), steps.map(|(from, to)| self.step(from, to)).collect())
    }

    /// The steps as a relation, without parts if there are none.
    pub fn relation(&self, diagrams: &Diagrams, steps: Set) -> Result<TransitionRelation, Stopped> {
        if steps.is_empty() {
            return Ok(TransitionRelation::default());
        }
        Ok(TransitionRelation { parts: vec![RelationPart::new(diagrams, steps, &self.bits)?] })
    }

    /// Whether a state belongs to a set over [`Self::now`].
    pub fn contains(&self, set: &Set, state: usize) -> bool {
        let (first, digits) = (self.bits.first().map_or(0, |(now, _)| now.index()), self.bits.len());
        set.contains(|bit| {
            let Some(at) = bit.index().checked_sub(first) else { return false };
            at.is_multiple_of(2) && at / 2 < digits && state >> (digits - 1 - at / 2) & 1 == 1
        })
    }
}

/// The structure of one task as sets.
#[derive(Debug)]
pub(super) struct Listed {
    pub structure: Structure,
    code: Code,
    states: usize,
    /// The bit that says that a path has ended, if paths can.
    pub ended: Option<Bit>,
    /// The values of steps, if they enter the formula and something is open.
    pub values: Option<StepValues>,
}

impl Listed {
    pub fn new(task: &Task<'_>) -> Result<Self, Stopped> {
        let writer = Writer::new(task)?;
        let mut steps = Vec::new();
        for filter in filters(task) {
            steps.push((filter, writer.filtered(filter)?));
        }
        let states = writer.code.states(&writer.diagrams, 0..task.model.state_count())?;
        let mut structure = Structure {
            diagrams: writer.diagrams.clone(),
            bits: writer.code.bits.clone(),
            states,
            steps,
            known: KnownFixpoints::default(),
        };
        let mut values = writer.values(task)?;
        if let Some(ended) = writer.ended {
            let ends = add_ends(&mut structure, ended)?;
            if let (Some(values), Some(ends)) = (&mut values, &ends) {
                ends.add_to(values)?;
            }
        }
        let ended = writer.ended.map(|(now, _)| now);
        Ok(Self { structure, code: writer.code, states: task.model.state_count(), ended, values })
    }

    /// The meaning of the task's names.
    pub fn atoms(&self, task: &Task<'_>) -> Atoms {
        let used = |at: usize| {
            task.formula.nodes().iter().any(|node| matches!(node, tertium_logic::Node::Atom(id) if id.index() == at))
        };
        let label = |(at, &prop): (usize, &PropId)| if used(at) { self.label(task.model, prop).ok() } else { None };
        Atoms {
            labels: task.props.iter().enumerate().map(label).collect(),
            elements: task.elements.clone(),
            filters: task.filters.clone(),
        }
    }

    fn label(&self, model: &Kmts, prop: PropId) -> Result<Pair, Stopped> {
        let (yes, open) = model.label_sets(prop);
        let set = |states: &BitSet| self.code.states(&self.structure.diagrams, states.iter());
        Ok(Pair { yes: set(yes)?, open: set(open)? })
    }

    /// The values state by state.
    pub fn values(&self, pair: &Pair) -> Values {
        let set = |set: &Set| BitSet::from_fn(self.states, |state| self.code.contains(set, state));
        let for_true = set(&pair.yes);
        let not_refuted = if pair.is_decided() { for_true.clone() } else { set(&pair.open) };
        Values { for_true, not_refuted }
    }
}

/// All kinds of steps that a task speaks of.
fn filters(task: &Task<'_>) -> Vec<Filter> {
    let mut filters = vec![Filter::Any];
    for &filter in &task.filters {
        if !filters.contains(&filter) {
            filters.push(filter);
        }
    }
    if speaks_of_paths(task) {
        filters.extend((0..task.model.fairness().len()).map(Filter::Fair).filter(|fair| !task.filters.contains(fair)));
    }
    filters
}

/// Whether the formula's operators look at whole paths, so that a path that ends must be one.
fn speaks_of_paths(task: &Task<'_>) -> bool {
    matches!(task.formula.logic(), Logic::Ltl | Logic::CtlStar)
}

struct Writer<'a> {
    model: &'a Kmts,
    diagrams: Diagrams,
    code: Code,
    choice: Vec<Bit>,
    /// The bit that says that a path has ended, if paths can.
    ended: Option<(Bit, Bit)>,
    total: bool,
}

impl<'a> Writer<'a> {
    fn new(task: &Task<'a>) -> Result<Self, Stopped> {
        let model = task.model;
        let most = model.states().map(|state| model.hyper_range(state).len()).max().unwrap_or(0);
        let choices = most.saturating_sub(1).checked_ilog2().map_or(usize::from(most > 0), |log| log as usize + 1);
        let code = Code::new(model.state_count(), choices);
        let first_free = choices + 2 * code.bits.len();
        let ends = task.reading.deadlock == Deadlock::Maximal && speaks_of_paths(task);
        let size = model.state_count() + model.edge_count() + model.hyper_count();
        let limits = match task.ask {
            Ask::All | Ask::At(_) => Limits::for_listed(size),
        };
        let diagrams = Diagrams::new(first_free + 2 * usize::from(ends), limits, task.budget)?;
        Ok(Self {
            model,
            diagrams,
            code,
            choice: (0..choices).map(Bit::new).collect(),
            ended: ends.then(|| (Bit::new(first_free), Bit::new(first_free + 1))),
            total: model.total() || task.reading.deadlock == Deadlock::Total,
        })
    }

    fn relation(&self, keep: impl Fn(Edge) -> bool) -> Result<TransitionRelation, Stopped> {
        let of = |state: StateId| {
            let keep = &keep;
            self.model.edges_from(state).filter(move |edge| keep(*edge)).map(move |edge| (state, edge.target))
        };
        let steps = self.code.steps(&self.diagrams, self.model.states().flat_map(of))?;
        self.code.relation(&self.diagrams, steps)
    }

    /// Whether an edge surely is of the kind that a filter asks for.
    fn surely(&self, filter: Filter) -> impl Fn(Edge) -> bool {
        let model = self.model;
        move |edge| match filter {
            Filter::Any => true,
            Filter::Action(action) => edge.action == Some(action),
            Filter::Fair(at) => model.fairness()[at].certain.contains(edge.id.index()),
        }
    }

    /// Whether an edge may be of that kind.
    fn perhaps(&self, filter: Filter) -> impl Fn(Edge) -> bool {
        let model = self.model;
        move |edge| match filter {
            Filter::Any => true,
            Filter::Action(action) => edge.action == Some(action),
            Filter::Fair(at) => model.fairness()[at].possible.contains(edge.id.index()),
        }
    }

    fn filtered(&self, filter: Filter) -> Result<Steps, Stopped> {
        let (model, surely, perhaps) = (self.model, self.surely(filter), self.perhaps(filter));
        let possible = self.relation(|edge| edge.may && perhaps(edge))?;
        let same = model
            .states()
            .flat_map(|state| model.edges_from(state))
            .all(|edge| (edge.may && perhaps(edge)) == (edge.must && surely(edge)));
        let certain = if same { None } else { Some(self.relation(|edge| edge.must && surely(edge))?) };
        let hyper = self.hyper(filter)?;
        // Totality speaks of some step, not of one with a given action.
        let together = if self.total && !matches!(filter, Filter::Action(_)) {
            let all = self.relation(|edge| edge.may)?;
            let unsure = self.relation(|edge| edge.may && !surely(edge))?;
            let states = all.sources(&self.diagrams)?.minus(&unsure.sources(&self.diagrams)?)?;
            Some((states, all))
        } else {
            None
        };
        Ok(Steps { possible, certain, hyper, together })
    }

    /// The values of steps, if the task's reading multiplies them into the operators and they are not all true.
    fn values(&self, task: &Task<'_>) -> Result<Option<StepValues>, Stopped> {
        let normalised = match task.reading.linear {
            LinearReading::Tg => false,
            LinearReading::TgPnf => true,
            LinearReading::Bg | LinearReading::BgTotal | LinearReading::Hyper => return Ok(None),
        };
        if task.formula.logic() != Logic::Ltl || task.is_decided() {
            return Ok(None);
        }
        let constraints = (0..self.model.fairness().len()).map(Filter::Fair);
        let mut kinds = Vec::new();
        for filter in std::iter::once(Filter::Any).chain(constraints) {
            kinds.push((filter, self.kind(filter)?));
        }
        Ok(Some(StepValues { normalised, kinds }))
    }

    /// Parallel edges have a value each.
    fn kind(&self, filter: Filter) -> Result<StepKind, Stopped> {
        let perhaps = self.graded(self.perhaps(filter))?;
        Ok(if filter == Filter::Any {
            StepKind::known(perhaps)
        } else {
            StepKind { perhaps, surely: self.graded(self.surely(filter))? }
        })
    }

    fn graded(&self, counts: impl Fn(Edge) -> bool) -> Result<Graded, Stopped> {
        Ok(Graded {
            certain: self.relation(|edge| edge.may && edge.must && counts(edge))?,
            open: self.relation(|edge| edge.may && !edge.must && counts(edge))?,
        })
    }

    fn hyper(&self, filter: Filter) -> Result<Option<Hyper>, Stopped> {
        let (mut choices, mut members) = (Vec::new(), Vec::new());
        let digits = self.code.bits.len();
        for state in self.model.states() {
            for (number, at) in self.model.hyper_range(state).enumerate() {
                let edge = self.model.hyper(HyperId::new(at));
                if self.selects(filter, state, edge) {
                    choices.push((number as u128) << digits | state.index() as u128);
                    let row = |&member: &StateId| (number as u128) << (2 * digits) | self.code.step(state, member);
                    members.extend(edge.members.iter().map(row));
                }
            }
        }
        if choices.is_empty() {
            return Ok(None);
        }
        let with_choice = |bits: Vec<Bit>| [self.choice.clone(), bits].concat();
        let diagrams = &self.diagrams;
        Ok(Some(Hyper {
            choices: diagrams.listed(&with_choice(self.code.now()), choices)?,
            members: diagrams.listed(&with_choice(self.code.both()), members)?,
            choice: diagrams.quantified(self.choice.iter().copied())?,
            later: diagrams.quantified(self.code.bits.iter().map(|&(_, later)| later))?,
            to_later: diagrams.renaming(self.code.bits.iter().copied())?,
        }))
    }

    /// Whether a hyper edge surely is of the kind that a filter asks for.
    fn selects(&self, filter: Filter, state: StateId, edge: HyperEdge<'_>) -> bool {
        match filter {
            Filter::Any => true,
            Filter::Action(action) => edge.action == Some(action),
            Filter::Fair(at) => edge.members.iter().all(|&member| {
                let fits = |step: &Edge| step.target == member && step.action == edge.action;
                let mut steps = self.model.edges_from(state).filter(fits).peekable();
                let certain = &self.model.fairness()[at].certain;
                steps.peek().is_some() && steps.all(|step| certain.contains(step.id.index()))
            }),
        }
    }
}
