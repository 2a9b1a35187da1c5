//! Recurrent sets (Gupta, Henzinger, Majumdar, Rybalchenko and Xu 2008): does a run break a linear property for ever although no state repeats?
//!
//! Theirs are solved for by templates and constraints; here a set is what a cycle that was run needs, pulled back to its beginning.
//!
//! The program is run together with the automaton of the negated property, for a while. Where both processes and automaton are back where they were, with all
//! marks passed and no fair process treated unfairly, the steps in between may be a cycle that can be taken for ever: if a set is found that
//! they never leave, they are. The run is then made by the definition of a step, the cycle several times, and the set becomes a structure that can be certified.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use crate::limits;
use crate::refine::{Chosen, Cycle, Recurrent, recurrent};
use tertium_abstraction::{AbstractState, OperationId, System};
use tertium_base::Budget;
use tertium_base::narrow::{to_u32, to_usize};
use tertium_logic::Logic;
use tertium_logic::automata::{Tgba, Translation, TranslationError, ltl_to_tgba};
use tertium_program::{Fairness, LocationId, Move, Outcome, Semantics, State};
use tertium_smt::TermId;

use crate::answer::Repeats;
use crate::predicate_abstraction::Prepared;
use crate::predicate_abstraction::basis::Basis;
use crate::predicate_abstraction::concretise::with_values;
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_trace::run::{self, Run, Taken};

/// One state of program and automaton, and how it was reached.
pub(super) struct Node {
    pub(super) state: State,
    watching: usize,
    pub(super) before: Option<(usize, Vec<Move>)>,
    /// The transition of the automaton that was taken on the way here: from which of its states, and which one there.
    taken: (usize, usize),
    /// Which marks were passed, and who was treated fairly, since all were; nothing where that is not told apart.
    pub(super) progress: u64,
}

pub(super) struct RecurrentSetSearch<'a> {
    pub(super) file: &'a ProgramFile,
    pub(super) semantics: Semantics<'a>,
    pub(super) automaton: &'a Tgba,
    pub(super) asked: &'a PropertyQuery,
    /// Processes that are treated fairly, by pid; the second kind even if they can step only now and then.
    pub(super) fair: [BTreeSet<u32>; 2],
    pub(super) nodes: Vec<Node>,
    /// Whether states are told apart by what happened on the way: a cycle in which everybody steps may come back to states on its way.
    pub(super) tells_progress: bool,
    /// Values to try where an input may have any; without these, such steps are left out.
    pub(super) guesses: Vec<i64>,
}

/// Cycles that were looked at.
#[derive(Default)]
struct TriedCycles {
    by_steps: HashMap<Vec<OperationId>, usize>,
    all: usize,
    /// Ways that were drawn as cycles, whatever became of them.
    drawn: usize,
}

impl TriedCycles {
    /// Counts a cycle; whether it should be looked at.
    fn is_worth_it(&mut self, operations: &[OperationId]) -> bool {
        let count = self.by_steps.entry(operations.to_vec()).or_default();
        *count += 1;
        let worth = *count <= limits::RECURRENT_SETS_MOST_OF_ONE;
        self.all += usize::from(worth);
        worth
    }

    fn is_enough(&self) -> bool {
        self.all >= limits::RECURRENT_SETS_MOST_CYCLES || self.drawn >= limits::RECURRENT_SETS_MOST_DRAWN
    }
}

/// A run without end that repeats no state.
pub(super) struct EndlessRun {
    pub(super) run: Run,
    /// The set in which its cycle stays.
    pub(super) repeats: Repeats,
    /// What a certificate can be made of.
    pub(super) basis: Basis,
    /// How many states were looked at.
    pub(super) states: usize,
}

/// The positions on the way to a cycle, and its own.
pub(super) struct Lasso<'a> {
    /// The nodes from the beginning to where the cycle begins.
    pub(super) stem: Vec<usize>,
    /// The nodes of the cycle, once round.
    pub(super) positions: &'a [usize],
    pub(super) cycle: &'a Cycle,
    pub(super) set: &'a Recurrent,
}

/// A run that breaks a linear property for ever; `farther`: where nothing else has decided.
pub(super) fn find(
    file: &ProgramFile,
    prepared: &mut Prepared,
    asked: &PropertyQuery,
    all_fair: bool,
    farther: bool,
    budget: &Budget,
) -> Result<Option<EndlessRun>, Failure> {
    if asked.formula.logic() != Logic::Ltl || prepared.moved.is_some() {
        return Ok(None);
    }
    let options = Translation { classical: true, ..Translation::default() };
    let automaton = match ltl_to_tgba(&asked.formula, true, options, budget) {
        Ok(automaton) if automaton.marks <= 64 && !automaton.states.is_empty() => automaton,
        Err(TranslationError::Stopped(stopped)) => return Err(stopped.into()),
        _ => return Ok(None),
    };
    let with = |fairness: Fairness| {
        let instances = file.program.instances.iter().enumerate();
        let fair = instances.filter(|(_, instance)| file.program.process(instance.process).fairness == fairness);
        fair.map(|(pid, _)| to_u32(pid)).collect::<BTreeSet<u32>>()
    };
    let weak = if all_fair { (0..to_u32(file.program.instances.len())).collect() } else { with(Fairness::Weak) };
    let semantics = Semantics::new(&file.program);
    let fair = [weak, with(Fairness::Strong)];
    let mut search = RecurrentSetSearch {
        file,
        semantics,
        automaton: &automaton,
        asked,
        fair,
        nodes: Vec::new(),
        tells_progress: false,
        guesses: Vec::new(),
    };
    if farther && !search.goes_farther() {
        return Ok(None);
    }
    search.look(prepared, budget)
}

impl RecurrentSetSearch<'_> {
    fn look(&mut self, prepared: &mut Prepared, budget: &Budget) -> Result<Option<EndlessRun>, Failure> {
        let start = AbstractState { locations: self.entries(), kept: Vec::new(), cube: Vec::new(), stopped: false };
        let samples = prepared.system.initial_samples(&start, limits::RECURRENT_SETS_MOST_STARTS)?;
        let mut known: HashSet<(State, usize, u64)> = HashSet::new();
        let mut tried = TriedCycles::default();
        let mut queue = VecDeque::new();
        for first in samples.iter().filter_map(|cells| with_values(&self.semantics, cells)) {
            if known.insert((first.clone(), self.automaton.initial, 0)) {
                queue.push_back(self.nodes.len());
                let watching = self.automaton.initial;
                self.nodes.push(Node { state: first, watching, before: None, taken: (0, 0), progress: 0 });
            }
        }
        while let Some(number) = queue.pop_front() {
            budget.check()?;
            let (state, watching) = (self.nodes[number].state.clone(), self.nodes[number].watching);
            let Some(passing) = self.passing(&state, watching) else { continue };
            for (moves, next) in self.steps(&state) {
                for &transition in &passing {
                    let target = self.automaton.states[watching][transition].target;
                    let new = self.nodes.len();
                    if new >= limits::RECURRENT_SETS_MOST_NODES {
                        return Ok(None);
                    }
                    let progress = self.progress(number, &moves, (watching, transition));
                    // Also a step to a state that is known may close a cycle.
                    self.nodes.push(Node {
                        state: next.clone(),
                        watching: target,
                        before: Some((number, moves.clone())),
                        taken: (watching, transition),
                        progress,
                    });
                    if let Some(found) = self.closing(prepared, new, &mut tried)? {
                        return Ok(Some(found));
                    }
                    if known.insert((next.clone(), target, progress)) {
                        queue.push_back(new);
                    } else {
                        self.nodes.pop();
                    }
                    if tried.is_enough() {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(None)
    }

    fn entries(&self) -> Vec<LocationId> {
        self.file.program.processes.iter().map(|process| process.entry).collect()
    }

    /// Which transitions of the automaton a state passes; none if an atom has no value there.
    fn passing(&self, state: &State, watching: usize) -> Option<Vec<usize>> {
        let atoms: Option<Vec<bool>> = self
            .asked
            .atoms
            .iter()
            .map(|&atom| self.semantics.observe(atom, state).ok().map(|value| value != 0))
            .collect();
        let atoms = atoms?;
        let transitions = self.automaton.states[watching].iter().enumerate();
        let passes = |guard: &tertium_logic::automata::Guard| {
            guard.passes(|literal| atoms[literal.atom().index()] != literal.is_negative())
        };
        let mut found: Vec<usize> =
            transitions.filter(|(_, transition)| passes(&transition.guard)).map(|(at, _)| at).collect();
        // The automaton goes on as soon as it can, so that it is seen to stay where it ends.
        found.sort_by_key(|&at| self.automaton.states[watching][at].target == watching);
        Some(found)
    }

    /// Whether the steps since an earlier state on the way here can be taken for ever.
    fn closing(
        &self,
        prepared: &mut Prepared,
        last: usize,
        tried: &mut TriedCycles,
    ) -> Result<Option<EndlessRun>, Failure> {
        let system = &mut prepared.system;
        let here = (self.locations(&self.nodes[last].state), self.nodes[last].watching);
        let mut way = vec![last];
        while let Some((before, _)) = &self.nodes[way[way.len() - 1]].before {
            way.push(*before);
            let node = &self.nodes[*before];
            if way.len() > limits::RECURRENT_SETS_LONGEST + 1 {
                break;
            }
            if node.watching != here.1 || self.locations(&node.state) != here.0 {
                continue;
            }
            tried.drawn += 1;
            let positions: Vec<usize> = way.iter().rev().copied().collect();
            let Some(cycle) = self.cycle(system, &positions) else { continue };
            if !self.lasts(&positions, &cycle) || !tried.is_worth_it(&cycle.operations) {
                continue;
            }
            if let Some(set) = recurrent(system, &cycle)? {
                let stem = self.stem(positions[0]);
                let lasso = Lasso { stem, positions: &positions, cycle: &cycle, set: &set };
                if let Some((run, repeats)) = self.shown(system, &lasso)? {
                    let basis = self.certified_by(system, &lasso, &prepared.later)?;
                    return Ok(Some(EndlessRun { run, repeats, basis, states: self.nodes.len() }));
                }
            }
            if tried.is_enough() {
                break;
            }
        }
        Ok(None)
    }

    /// Whether the cycle can be taken some times more from where it ended, the automaton seeing what it wants; with inputs nobody knows.
    fn lasts(&self, positions: &[usize], cycle: &Cycle) -> bool {
        if cycle.inputs.iter().any(|inputs| !inputs.is_empty()) {
            return true;
        }
        let mut state = self.nodes[positions[positions.len() - 1]].state.clone();
        for _ in 0..limits::RECURRENT_SETS_TRIED_AGAIN {
            for &node in &positions[1..] {
                let Some((_, moves)) = &self.nodes[node].before else { return false };
                let (from, transition) = self.nodes[node].taken;
                let passes = self.passing(&state, from).is_some_and(|passing| passing.contains(&transition));
                let Ok(Outcome::Next(next)) = run::execute(&self.semantics, &state, moves) else { return false };
                if !passes {
                    return false;
                }
                state = State::visible(next.slots);
            }
        }
        true
    }

    pub(super) fn locations(&self, state: &State) -> Vec<LocationId> {
        let frames = self.semantics.layout().frames(&state.slots);
        let mut locations = self.entries();
        for (instance, frame) in self.file.program.instances.iter().zip(&frames) {
            locations[instance.process.index()] = LocationId::new(to_usize(state.slots[frame + 1]));
        }
        locations
    }

    /// The steps between these nodes as a cycle, if the automaton accepts it and it is fair.
    fn cycle(&self, system: &mut System, positions: &[usize]) -> Option<Cycle> {
        let marks = positions[1..].iter().fold(0, |all, &node| {
            let (from, transition) = self.nodes[node].taken;
            all | self.automaton.states[from][transition].marks.0
        });
        let every = if self.automaton.marks == 64 { u64::MAX } else { (1 << self.automaton.marks) - 1 };
        if marks & every != every {
            return None;
        }
        let steps = positions.len() - 1;
        let mut cycle = Cycle {
            locations: positions[..steps].iter().map(|&at| self.locations(&self.nodes[at].state)).collect(),
            operations: Vec::new(),
            inputs: Vec::new(),
            wanted: Vec::new(),
            cells: Vec::new(),
        };
        for (&from, &to) in positions.iter().zip(&positions[1..]) {
            let (_, moves) = self.nodes[to].before.as_ref()?;
            let taken: Vec<_> = moves.iter().map(|one| one.step).collect();
            let operation = system.operations().with_ids().find(|(_, operation)| operation.steps == taken);
            cycle.operations.push(operation?.0);
            cycle.inputs.push(moves.iter().flat_map(|one| one.inputs.iter().copied()).collect());
            cycle.wanted.push(self.tests(system, self.nodes[to].taken)?);
            cycle.cells.push(self.cells(&self.nodes[from].state)?);
        }
        self.fairly(system, positions, &mut cycle).then_some(cycle)
    }

    /// What the automaton looks at, as terms.
    fn tests(&self, system: &mut System, (from, transition): (usize, usize)) -> Option<Vec<TermId>> {
        let mut found = Vec::new();
        for literal in self.automaton.states[from][transition].guard.literals() {
            let atom = self.asked.atoms[literal.atom().index()];
            let term = system.condition(atom, !literal.is_negative()).ok()?;
            if system.speaks_of_deadlock(term) {
                return None;
            }
            found.push(term);
        }
        Some(found)
    }

    pub(super) fn cells(&self, state: &State) -> Option<Vec<Vec<i64>>> {
        let program = self.semantics.program();
        let mut found = Vec::new();
        for var in program.variable_ids() {
            let first = self.semantics.layout().fixed_slot(program, var)?;
            found.push(state.slots[first..first + program.variable(var).cells()].to_vec());
        }
        Some(found)
    }

    /// Sees to it that every fair process steps in the cycle, or cannot where it should.
    fn fairly(&self, system: &mut System, positions: &[usize], cycle: &mut Cycle) -> bool {
        let moved = |node: &usize| self.nodes[*node].before.as_ref().and_then(|(_, moves)| run::moved_by(moves));
        let movers: BTreeSet<u32> = positions[1..].iter().filter_map(moved).collect();
        for (always, fair) in self.fair.iter().enumerate() {
            for &pid in fair.difference(&movers) {
                let mut resting = Vec::new();
                for (at, &node) in positions[..positions.len() - 1].iter().enumerate() {
                    let able = self
                        .semantics
                        .successors(&self.nodes[node].state)
                        .iter()
                        .any(|successor| run::moved_by(&successor.moves) == Some(pid));
                    if let Some(condition) = (!able).then(|| self.unable(system, pid, &cycle.locations[at])).flatten() {
                        resting.push((at, condition));
                    }
                }
                let enough = if always == 1 { resting.len() + 1 == positions.len() } else { !resting.is_empty() };
                if !enough {
                    return false;
                }
                let needed = if always == 1 { resting.len() } else { 1 };
                for (at, condition) in resting.into_iter().take(needed) {
                    cycle.wanted[at].push(condition);
                }
            }
        }
        true
    }

    /// When a process cannot step from its location; none where that depends on inputs.
    pub(super) fn unable(&self, system: &mut System, pid: u32, locations: &[LocationId]) -> Option<TermId> {
        let process = self.file.program.instances[pid as usize].process;
        let mut parts = Vec::new();
        for operation in system.leaving(process, locations[process.index()]).to_vec() {
            if !system.operations()[operation].inputs.is_empty() {
                return None;
            }
            let (relation, fault) = (system.operations()[operation].relation, system.fault(operation));
            let (terms, _) = system.asking();
            let able = terms.or(relation, fault);
            parts.push(terms.not(able));
        }
        let (terms, _) = system.asking();
        Some(terms.all(&parts))
    }

    /// The nodes from the beginning to this one.
    fn stem(&self, last: usize) -> Vec<usize> {
        let mut stem = vec![last];
        while let Some((before, _)) = &self.nodes[stem[stem.len() - 1]].before {
            stem.push(*before);
        }
        stem.reverse();
        stem
    }

    /// The run: to the cycle, and some times round it. None if the definition of a step does not allow it.
    fn shown(
        &self,
        system: &mut System,
        &Lasso { ref stem, positions, cycle, set }: &Lasso<'_>,
    ) -> Result<Option<(Run, Repeats)>, Failure> {
        let mut whenever = Vec::new();
        for &condition in &set.conditions {
            let Some(expr) = system.expression(condition) else { return Ok(None) };
            let text = system.program().show(expr);
            if !whenever.contains(&text) {
                whenever.push(text);
            }
        }
        let mut run = Run {
            first: self.nodes[stem[0]].state.clone(),
            steps: Vec::new(),
            loop_start: None,
            fault: None,
            deadlock: false,
        };
        for &node in &stem[1..] {
            if let Some((_, moves)) = &self.nodes[node].before {
                run.steps.push(Taken { moves: moves.clone(), state: self.nodes[node].state.clone() });
            }
        }
        let start = run.steps.len();
        for _ in 0..limits::RECURRENT_SETS_SHOWN {
            for at in 0..cycle.operations.len() {
                let Some((_, moves)) = &self.nodes[positions[at + 1]].before else { return Ok(None) };
                let Some(moves) = self.again(moves, run.last(), cycle, set.chosen, at) else { return Ok(None) };
                let Ok(Outcome::Next(state)) = run::execute(&self.semantics, run.last(), &moves) else {
                    return Ok(None);
                };
                run.steps.push(Taken { moves, state: State::visible(state.slots) });
            }
        }
        Ok(Some((run, Repeats { start, length: cycle.operations.len(), whenever })))
    }

    /// The moves of the cycle's step, from another state: inputs as they are chosen.
    fn again(&self, moves: &[Move], state: &State, cycle: &Cycle, chosen: Chosen, at: usize) -> Option<Vec<Move>> {
        let Chosen::Beside(var, cell) = chosen else { return Some(moves.to_vec()) };
        let further = self.cells(state)?[var][cell].checked_sub(cycle.cells[at][var][cell])?;
        let mut moves = moves.to_vec();
        for one in &mut moves {
            let inputs = &self.file.program.step(one.step).inputs;
            for (input, value) in inputs.iter().zip(&mut one.inputs) {
                if input.domain != tertium_program::Domain::Type(tertium_program::Type::Bool) {
                    *value = value.checked_add(further)?;
                }
            }
        }
        Some(moves)
    }
}
