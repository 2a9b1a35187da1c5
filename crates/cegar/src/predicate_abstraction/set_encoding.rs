//! How does an abstraction over predicates become sets of states?
//!
//! A bit for each predicate, a few for the place of each process, and one more of each for what comes after a step.

use crate::limits;
use tertium_abstraction::assignments::Cube;
use tertium_abstraction::truth::{Guard, Truth, TruthNode, TruthStep};
use tertium_abstraction::{Initial, Operation, System};
use tertium_base::{Budget, Stopped};
use tertium_check::symbolic::{
    Atoms, Graded, Hyper, KnownFixpoints, Pair, StepKind, StepValues, Steps, Structure, linear_value_by, stepwise_value,
};
use tertium_check::{EngineError, Filter};
use tertium_dd::{Bit, Diagrams, Limits, RelationPart, Set, TransitionRelation};
use tertium_lattice::Kleene;
use tertium_logic::Formula;
use tertium_program::{Binary, Expr, ExprId, LocationId, Unary};

use tertium_evidence::LinearReading;

/// What ends the work.
pub(super) enum Trouble {
    Stopped(Stopped),
    Failed(tertium_abstraction::Failed),
}

impl From<Stopped> for Trouble {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<tertium_abstraction::Failed> for Trouble {
    fn from(why: tertium_abstraction::Failed) -> Self {
        Self::Failed(why)
    }
}

/// The abstraction as sets.
pub(super) struct Encoded {
    pub(super) diagrams: Diagrams,
    pub(super) bits: Vec<(Bit, Bit)>,
    /// By process: the bits of its location, the highest first.
    pub(super) locations: Vec<Vec<(Bit, Bit)>>,
    pub(super) predicates: Vec<(Bit, Bit)>,
    pub(super) all: Steps,
    /// The steps of which it is open whether they can be taken.
    pub(super) open: TransitionRelation,
    /// The initial states, each with whether it surely stands for one of the program.
    pub(super) initial: Vec<(Set, bool)>,
    /// Everything that may be reached.
    pub(super) states: Set,
    /// Where some step surely can be taken.
    pub(super) surely_enabled: Set,
    /// Where some step may go wrong.
    pub(super) perhaps_wrong: Set,
    /// Where all processes are at an end.
    pub(super) ended: Set,
}

impl Encoded {
    pub(super) fn new(system: &mut System, budget: &Budget) -> Result<Self, Trouble> {
        let steps = system.truth_program()?;
        let initial = system.initial_states()?;
        let choices = steps.len().max(2).next_power_of_two().ilog2() as usize;
        let (locations, predicates, count) = layout(system, &steps, choices);
        let limits = Limits::for_unlisted(budget);
        let limits = Limits { cache: limits.cache.min(limits::SET_ENCODING_MOST_RESULTS), ..limits };
        let diagrams = Diagrams::new(count, limits, budget)?;
        let mut bits: Vec<(Bit, Bit)> = locations.iter().flatten().chain(&predicates).copied().collect();
        bits.sort_unstable();
        let empty = diagrams.empty();
        let mut encoded = Self {
            all: Steps {
                possible: TransitionRelation::default(),
                certain: Some(TransitionRelation::default()),
                hyper: None,
                together: None,
            },
            open: TransitionRelation::default(),
            initial: Vec::new(),
            states: empty.clone(),
            surely_enabled: empty.clone(),
            perhaps_wrong: empty.clone(),
            ended: diagrams.full(),
            diagrams,
            bits,
            locations,
            predicates,
        };
        encoded.add_steps(system, &steps, choices)?;
        encoded.add_ends(system)?;
        let mut start = empty;
        for Initial { state, certain } in &initial {
            let set = encoded.state(&state.locations, &state.cube)?;
            start = start.or(&set)?;
            encoded.initial.push((set, *certain));
        }
        encoded.states = encoded.all.possible.reachable(&start, None)?;
        Ok(encoded)
    }

    pub(super) fn location(&self, process: usize, at: usize, later: bool) -> Result<Set, Stopped> {
        let bits = &self.locations[process];
        let digit = |(number, &(now, next)): (usize, &(Bit, Bit))| {
            (if later { next } else { now }, at >> (bits.len() - 1 - number) & 1 == 1)
        };
        self.diagrams.cube(&bits.iter().enumerate().map(digit).collect::<Vec<_>>())
    }

    pub(super) fn cube(&self, cube: &Cube) -> Result<Set, Stopped> {
        let values: Vec<(Bit, bool)> = cube.iter().map(|&(at, value)| (self.predicates[at].0, value)).collect();
        self.diagrams.cube(&values)
    }

    pub(super) fn any(&self, cubes: &[Cube]) -> Result<Set, Stopped> {
        let mut all = self.diagrams.empty();
        for cube in cubes {
            all = all.or(&self.cube(cube)?)?;
        }
        Ok(all)
    }

    pub(super) fn state(&self, locations: &[LocationId], cube: &[Kleene]) -> Result<Set, Stopped> {
        let definite = |(at, value): (usize, &Kleene)| match value {
            Kleene::True => Some((at, true)),
            Kleene::False => Some((at, false)),
            Kleene::Unknown => None,
        };
        let mut set = self.cube(&cube.iter().enumerate().filter_map(definite).collect())?;
        for (process, &at) in locations.iter().enumerate() {
            set = set.and(&self.location(process, at.index(), false)?)?;
        }
        Ok(set)
    }

    pub(super) fn truth(&self, truth: &Truth) -> Result<Set, Stopped> {
        let mut sets: Vec<Set> = Vec::with_capacity(truth.nodes.len());
        for node in &truth.nodes {
            let set = match node {
                TruthNode::Constant(value) => self.diagrams.constant(*value),
                TruthNode::Predicate(at) => self.diagrams.bit(self.predicates[*at].0)?,
                TruthNode::Not(a) => sets[*a].not(),
                TruthNode::All(parts) => {
                    parts.iter().try_fold(self.diagrams.full(), |all, &part| all.and(&sets[part]))?
                }
                TruthNode::Same(a, b) => sets[*a].iff(&sets[*b])?,
                TruthNode::Choose(c, a, b) => sets[*c].ite(&sets[*a], &sets[*b])?,
            };
            sets.push(set);
        }
        Ok(sets.pop().unwrap_or_else(|| self.diagrams.full()))
    }

    pub(super) fn add_steps(
        &mut self,
        system: &System,
        steps: &[TruthStep],
        choice_bits: usize,
    ) -> Result<(), Stopped> {
        let choice: Vec<Bit> = (0..choice_bits).map(Bit::new).collect();
        let (mut choices, mut members) = (self.diagrams.empty(), self.diagrams.empty());
        let mut certain = TransitionRelation::default();
        for (number, step) in steps.iter().enumerate() {
            let operation = &system.operations()[step.operation];
            let mut here = self.diagrams.full();
            for (process, at) in operation.sources() {
                here = here.and(&self.location(process.index(), at.index(), false)?)?;
            }
            let (guard, exact) = match &step.guard {
                Guard::Exactly(truth) => (self.truth(truth)?, true),
                Guard::Except(cubes) => (self.any(cubes)?.not(), false),
            };
            let taken = here.and(&guard)?;
            // Going wrong does not wait for anyone.
            let here = self.location(operation.process.index(), operation.source.index(), false)?;
            let wrong = here.minus(&self.any(&step.harmless)?)?;
            self.perhaps_wrong = self.perhaps_wrong.or(&wrong)?;
            let moved = operation.arrivals().flat_map(|(process, _)| self.locations[process.index()].iter().copied());
            let mut written: Vec<(Bit, Bit)> = moved.collect();
            written.extend(step.assignments.iter().map(|assignment| self.predicates[assignment.predicate]));
            written.sort_unstable();
            let (possible, sure) = self.targets(step, &taken, operation)?;
            let part = RelationPart::new(&self.diagrams, possible.clone(), &written)?;
            self.open.parts.push(if exact { part.with_steps(possible.minus(&sure)?) } else { part.clone() });
            if exact {
                self.surely_enabled = self.surely_enabled.or(&taken)?;
                certain.parts.push(part.with_steps(sure));
                let digit = |(at, &bit): (usize, &Bit)| (bit, number >> at & 1 == 1);
                let this = self.diagrams.cube(&choice.iter().enumerate().map(digit).collect::<Vec<_>>())?;
                choices = choices.or(&taken.and(&this)?)?;
                let mut whole = possible.and(&this)?;
                for &(now, later) in self.bits.iter().rev().filter(|pair| !written.contains(pair)) {
                    whole = whole.and(&self.diagrams.bit(now)?.iff(&self.diagrams.bit(later)?)?)?;
                }
                members = members.or(&whole)?;
            }
            self.all.possible.parts.push(part);
        }
        self.all.certain = Some(certain);
        self.all.hyper = Some(Hyper {
            choices,
            members,
            choice: self.diagrams.quantified(choice)?,
            later: self.diagrams.quantified(self.bits.iter().map(|&(_, later)| later))?,
            to_later: self.diagrams.renaming(self.bits.iter().copied())?,
        });
        Ok(())
    }

    /// Where a step may lead, and where it leads if every predicate's value afterwards is known.
    pub(super) fn targets(&self, step: &TruthStep, taken: &Set, operation: &Operation) -> Result<(Set, Set), Stopped> {
        let mut there = taken.clone();
        for (process, at) in operation.arrivals() {
            there = there.and(&self.location(process.index(), at.index(), true)?)?;
        }
        let (mut possible, mut sure) = (there.clone(), there);
        for assignment in &step.assignments {
            let later = self.diagrams.bit(self.predicates[assignment.predicate].1)?;
            let (holds, fails) = (self.any(&assignment.holds)?, self.any(&assignment.fails)?);
            possible = possible.and(&holds.not().or(&later)?)?.and(&fails.not().or(&later.not())?)?;
            let known = holds.and(&later)?.or(&fails.and(&later.not())?)?;
            sure = sure.and(&known)?;
        }
        let sure = sure.and(&possible)?;
        Ok((possible, sure))
    }

    pub(super) fn add_ends(&mut self, system: &System) -> Result<(), Stopped> {
        for (process, code) in system.program().processes.iter().enumerate() {
            let mut rests = self.diagrams.empty();
            for (at, location) in code.locations.iter().enumerate() {
                if location.end {
                    rests = rests.or(&self.location(process, at, false)?)?;
                }
            }
            self.ended = self.ended.and(&rests)?;
        }
        Ok(())
    }

    /// Staying where no step is sure.
    pub(super) fn stay(&self) -> Result<RelationPart, Stopped> {
        RelationPart::new(&self.diagrams, self.states.minus(&self.surely_enabled)?, &[])
    }

    /// The structure; with `stutter`, a state in which no step is sure may also stay as it is.
    pub(super) fn structure(&self, stutter: bool) -> Result<Structure, Stopped> {
        let mut steps = self.all.clone();
        if stutter {
            steps.possible.parts.push(self.stay()?);
            // A run steps or stays.
            steps.together = Some((self.states.clone(), steps.possible.clone()));
        }
        let (diagrams, states) = (self.diagrams.clone(), self.states.clone());
        Ok(Structure {
            diagrams,
            bits: self.bits.clone(),
            states,
            steps: vec![(Filter::Any, steps)],
            known: KnownFixpoints::default(),
        })
    }

    /// The value of a linear formula. Nobody asks for strategies over certain sets unless they are asked for by name: they take
    /// longer.
    pub(super) fn linear(
        &self,
        structure: &Structure,
        formula: &Formula,
        atoms: &Atoms,
        reading: Option<LinearReading>,
        stutter: bool,
    ) -> Result<Pair, EngineError> {
        let reading = reading.unwrap_or(LinearReading::Bg);
        if !matches!(reading, LinearReading::Tg | LinearReading::TgPnf) {
            return linear_value_by(structure, formula, atoms, &0.into(), reading, stutter);
        }
        let mut steps = Graded { certain: self.all.sure().clone(), open: self.open.clone() };
        if stutter {
            steps.open.parts.push(self.stay()?);
        }
        let kinds = vec![(Filter::Any, StepKind::known(steps))];
        let values = StepValues { normalised: reading == LinearReading::TgPnf, kinds };
        stepwise_value(structure, formula, atoms, &0.into(), &values, false)
    }

    /// The labels of an expression, as far as predicates and locations say it.
    pub(super) fn label(&self, system: &mut System, expr: ExprId) -> Result<Pair, Trouble> {
        let unknown = Pair { yes: self.diagrams.empty(), open: self.diagrams.full() };
        let defined = system.program_mut().defined(expr);
        let program = system.program().clone();
        if program.exprs.constant(defined) != Some(1) {
            return Ok(unknown);
        }
        let mut known: std::collections::HashMap<ExprId, Pair> = std::collections::HashMap::new();
        for id in program.exprs.reachable(&[expr]) {
            if program.exprs.sort(id) != tertium_program::Sort::Bool {
                continue;
            }
            let operand = |id: ExprId| known.get(&id).cloned().unwrap_or_else(|| unknown.clone());
            let pair = match program.exprs.get(id) {
                Expr::Bool(value) => Pair::decided(self.diagrams.constant(value)),
                Expr::At(process, at) => Pair::decided(self.location(process.index(), at.index(), false)?),
                Expr::Unary(Unary::Not, a) => operand(a).not(),
                Expr::Binary(op @ (Binary::And | Binary::Or | Binary::Implies), a, b) => {
                    let (a, b) = (operand(a), operand(b));
                    let a = if op == Binary::Implies { a.not() } else { a };
                    let join = if op == Binary::And { Set::and } else { Set::or };
                    Pair { yes: join(&a.yes, &b.yes)?, open: join(&a.open, &b.open)? }
                }
                Expr::Deadlock => unknown.clone(),
                _ => match system.truth_of(id)? {
                    Some((yes, no)) => Pair { yes: self.truth(&yes)?, open: self.truth(&no)?.not() },
                    None => unknown.clone(),
                },
            };
            known.insert(id, pair);
        }
        Ok(known.remove(&expr).unwrap_or(unknown))
    }
}

/// A bit with the one that stands for it after a step.
type Twice = (Bit, Bit);

/// Bits for choices first, then each process's location with the predicates that it changes; and how many bits that makes.
fn layout(system: &System, steps: &[TruthStep], choices: usize) -> (Vec<Vec<Twice>>, Vec<Twice>, usize) {
    let processes = system.program().processes.len();
    let count = system.predicates().len();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); count];
    for step in steps {
        let process = system.operations()[step.operation].process.index();
        for assignment in &step.assignments {
            users[assignment.predicate].push(process);
        }
    }
    let owner = |at: usize| if users[at].is_empty() { 0 } else { users[at].iter().sum::<usize>() / users[at].len() };
    let mut next = choices;
    let mut pair = || {
        let pair = (Bit::new(next), Bit::new(next + 1));
        next += 2;
        pair
    };
    let (mut locations, mut predicates) = (Vec::new(), vec![(Bit::new(0), Bit::new(0)); count]);
    for process in 0..processes.max(1) {
        if let Some(code) = system.program().processes.get(process) {
            let digits = code.locations.len().saturating_sub(1).checked_ilog2().map_or(0, |log| log as usize + 1);
            locations.push((0..digits).map(|_| pair()).collect());
        }
        for at in (0..count).filter(|&at| owner(at) == process) {
            predicates[at] = pair();
        }
    }
    (locations, predicates, next)
}
