//! What certifies a run without end that repeats no state?
//!
//! A recurrent set (Gupta, Henzinger, Majumdar, Rybalchenko, Xu 2008) as a structure over predicates: the states of the stem one by one, for each
//! position of the cycle the set of states from which the rest of it can be taken, and one further state for everything else, of which nothing is told.
//! The step of the run is certain at each of them; a certain lasso refutes the property. That it all is so are ordinary obligations of the kernel.

use std::collections::BTreeSet;

use tertium_abstraction::System;
use tertium_base::Stopped;
use tertium_base::narrow::to_u32;
use tertium_evidence::abstraction::{AbstractState, Abstraction, Later, Structure};
use tertium_kernel::vocabulary::{NoTerm, Vocabulary};
use tertium_program::{ExprId, LocationId, VarId};
use tertium_smt::{Purpose, Reply, TermId};

use super::recurrent_sets::{Lasso, RecurrentSetSearch};
use crate::limits;
use crate::predicate_abstraction::basis::{self, Basis};
use crate::refine::at_positions;
use tertium_load::Failure;
use tertium_trace::run;

/// What is known at one position of the run.
pub(super) struct Position {
    /// Where every process is, by process.
    pub(super) locations: Vec<LocationId>,
    /// Who takes the step from here.
    pub(super) mover: u32,
    /// What describes the states that are meant.
    pub(super) states: Described,
    /// The values of the property's atoms, as far as they are the same in all these states.
    pub(super) labels: Vec<Option<bool>>,
    /// Processes that surely cannot step here.
    pub(super) resting: BTreeSet<u32>,
}

/// The states that are meant at a position.
pub(super) enum Described {
    /// The one in which all cells have these values, by variable.
    Cells(Vec<Vec<i64>>),
    /// Those in which all of these hold.
    Conditions(Vec<TermId>),
}

impl RecurrentSetSearch<'_> {
    /// The structure over predicates that certifies the run.
    pub(super) fn certified_by(
        &self,
        system: &mut System,
        lasso: &Lasso<'_>,
        later: &Result<Vec<Later>, NoTerm>,
    ) -> Result<Basis, Failure> {
        let mover = |node: usize| self.nodes[node].before.as_ref().and_then(|(_, moves)| run::moved_by(moves));
        let mut positions = Vec::new();
        for pair in lasso.stem.windows(2) {
            let state = &self.nodes[pair[0]].state;
            let (Some(mover), Some(cells)) = (mover(pair[1]), self.cells(state)) else { return Ok(untold()) };
            let value = |&atom: &ExprId| self.semantics.observe(atom, state).ok().map(|value| value != 0);
            let labels = self.asked.atoms.iter().map(value).collect();
            let (locations, states, resting) = (self.locations(state), Described::Cells(cells), BTreeSet::new());
            positions.push(Position { locations, mover, states, labels, resting });
        }
        let start = positions.len();
        for (at, conditions) in at_positions(system, lasso.cycle, lasso.set).into_iter().enumerate() {
            let Some(mover) = mover(lasso.positions[at + 1]) else { return Ok(untold()) };
            let locations = lasso.cycle.locations[at].clone();
            let labels = labels(system, &self.asked.atoms, &locations, &conditions)?;
            let resting = self.resting(system, &locations, &conditions)?;
            let states = Described::Conditions(conditions);
            positions.push(Position { locations, mover, states, labels, resting });
        }
        Ok(certifying(system, &positions, Some(start), later))
    }

    /// The processes treated fairly that cannot step where these conditions hold.
    fn resting(
        &self,
        system: &mut System,
        locations: &[LocationId],
        conditions: &[TermId],
    ) -> Result<BTreeSet<u32>, Failure> {
        let mut resting = BTreeSet::new();
        for &pid in self.fair.iter().flatten() {
            let Some(unable) = self.unable(system, pid, locations) else { continue };
            if follows(system, locations, conditions, unable)? {
                resting.insert(pid);
            }
        }
        Ok(resting)
    }
}

/// The values of the atoms that follow from conditions.
pub(super) fn labels(
    system: &mut System,
    atoms: &[ExprId],
    locations: &[LocationId],
    conditions: &[TermId],
) -> Result<Vec<Option<bool>>, Failure> {
    let mut labels = Vec::new();
    for &atom in atoms {
        let mut label = None;
        for value in [true, false] {
            let Ok(term) = system.condition(atom, value) else { continue };
            if !system.speaks_of_deadlock(term) && follows(system, locations, conditions, term)? {
                label = Some(value);
                break;
            }
        }
        labels.push(label);
    }
    Ok(labels)
}

fn untold() -> Basis {
    Basis::Untold("the states of the run cannot be told over cells".to_owned())
}

/// The structure that certifies a run through these positions, which goes back to position `start` after the last one; without a `start`, all initial states are at the first position, and nothing is told of what follows the last one.
pub(super) fn certifying(
    system: &mut System,
    positions: &[Position],
    start: Option<usize>,
    later: &Result<Vec<Later>, NoTerm>,
) -> Basis {
    if positions.len() > limits::LASSO_STRUCTURE_LONGEST {
        return Basis::Untold(format!(
            "the run has more than {} positions before it repeats",
            limits::LASSO_STRUCTURE_LONGEST
        ));
    }
    match over(system, positions, later) {
        Ok(over) => {
            let processes = system.program().instances.len() + over.later.len();
            Basis::Structure(over, Box::new(drawn(positions, start, to_u32(processes))))
        }
        Err(NoTerm(why)) => Basis::Untold(why),
    }
}

/// The predicates, one for each position, and the abstract states that they describe; the last one contains everything.
fn over(
    system: &mut System,
    positions: &[Position],
    later: &Result<Vec<Later>, NoTerm>,
) -> Result<Abstraction, NoTerm> {
    let mut over = Abstraction { later: later.clone()?, ..basis::over(system)? };
    (over.cells, over.predicates) = (Vec::new(), Vec::new());
    let mut conditions = Vec::new();
    for position in positions {
        conditions.push(expressions(system, position)?);
    }
    let program = system.program();
    let mut words = Vocabulary::new(program)?;
    let everywhere = vec![None; program.instances.len() + over.later.len()];
    for (number, (position, conditions)) in positions.iter().zip(conditions).enumerate() {
        over.predicates.push(predicate(&mut words, position, &conditions)?);
        let mut at = everywhere.clone();
        for (place, instance) in at.iter_mut().zip(&program.instances) {
            *place = position.locations.get(instance.process.index()).map(|at| at.number());
        }
        let mut cube = vec![None; positions.len()];
        cube[number] = Some(true);
        over.states.push(AbstractState { at, values: Vec::new(), cube });
    }
    over.states.push(AbstractState { at: everywhere, values: Vec::new(), cube: vec![None; positions.len()] });
    Ok(over)
}

/// The conditions of a position as expressions of the program.
fn expressions(system: &mut System, position: &Position) -> Result<Vec<ExprId>, NoTerm> {
    let Described::Conditions(conditions) = &position.states else { return Ok(Vec::new()) };
    let told = |&condition: &TermId| system.expression(condition);
    let told: Option<Vec<ExprId>> = conditions.iter().map(told).collect();
    told.ok_or_else(|| NoTerm("what the cycle needs cannot be told as an expression".to_owned()))
}

/// The states of a position as one term.
fn predicate(words: &mut Vocabulary<'_>, position: &Position, conditions: &[ExprId]) -> Result<String, NoTerm> {
    let mut cells = Vec::new();
    if let Described::Cells(values) = &position.states {
        for (var, values) in values.iter().enumerate() {
            let var = VarId::new(var);
            // In the program that this is a slice of, what is left out has other values.
            if !words.program().left_out.contains(&var) {
                cells.extend(values.iter().enumerate().map(|(at, &value)| (var, at, value)));
            }
        }
    }
    words.holds_with(conditions, &cells)
}

/// The steps: at each position that of the run is certain, and whatever else can be stepped leads to where nothing is told.
fn drawn(positions: &[Position], start: Option<usize>, processes: u32) -> Structure {
    let rest = to_u32(positions.len());
    let mut found = Structure { untold: vec![rest], ..Structure::default() };
    found.initial = if start.is_some() { vec![0, rest] } else { vec![0] };
    for (at, position) in (0u32..).zip(positions) {
        found.labels.push(position.labels.clone());
        let next = match start {
            None if at + 1 == rest => {
                found.untold.insert(0, at);
                continue;
            }
            Some(start) if at + 1 == rest => to_u32(start),
            _ => at + 1,
        };
        found.certain.push((at, Some(position.mover), vec![next]));
        for process in (0..processes).filter(|process| !position.resting.contains(process)) {
            let to = if process == position.mover { vec![next, rest] } else { vec![rest] };
            found.steps.push((at, process, to));
        }
    }
    let atoms = positions.first().map_or(0, |position| position.labels.len());
    found.labels.push(vec![None; atoms]);
    found
}

/// Whether something follows from conditions at these locations.
fn follows(
    system: &mut System,
    locations: &[LocationId],
    conditions: &[TermId],
    consequence: TermId,
) -> Result<bool, Stopped> {
    let places = system.located(locations, &[]);
    let (terms, queries) = system.asking();
    let here = terms.substitute(consequence, &places);
    let not = terms.not(here);
    let question: Vec<TermId> = conditions.iter().copied().chain([not]).collect();
    Ok(queries.satisfiable(terms, Purpose::Path, &question)? == Reply::Unsat)
}
