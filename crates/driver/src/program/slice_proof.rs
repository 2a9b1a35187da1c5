//! What proves an answer that was found on a slice?
//!
//! The kernel knows nothing of slices: a certificate is about the whole program, and says what it says for all values of what was left out. The states of the slice become abstract
//! states of the program, in which the cells that matter have the values of the state, and the others any; steps of the slice are possible and certain steps between them. That it is so
//! are ordinary obligations. What is not written down: programs with channels or processes that come and go, and slices with many states; of these, what holds of every state is proved by
//! a set (`symbolic`) or predicates (`refinement_loop`), if they say it.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_cegar::limits;
use tertium_cegar::predicate_abstraction::AbstractionOptions;
use tertium_cegar::predicate_abstraction::basis::Basis;
use tertium_cegar::refinement_loop;
use tertium_evidence::abstraction::{AbstractState, Abstraction, Structure};
use tertium_kernel::vocabulary::{NoTerm, Vocabulary};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_program::analysis::Intervals;
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{ExprId, Outcome, Program, Semantics, State, VarId};

use super::answer::ProgramAnswer;
use super::check::{CheckOptions, CheckOutcome};
use super::linear::scheduling;
use super::questions::{PropertyQuery, Question};
use super::run::{Run, moved_by};
use super::slice::Slice;
use super::symbolic;
use crate::failure::Failure;

/// Slices with more states are not written down state by state.
const MOST_STATES: usize = 1_500;
/// Predicates are looked for in so many rounds.
const MOST_REFINEMENTS: u32 = 10;
/// Initial states are looked for among so many candidates.
const MOST_INITIAL: u64 = 1 << 16;
/// Of arrays with more elements nothing is told.
const MOST_CELLS: usize = 64;

/// The structure that certifies a run round a cycle of the slice, on which something that was left out may count: one abstract state for each position until the cycle
/// closes in the slice, and one for everything else.
pub(super) fn lasso(slice: &Slice<'_>, asked: &PropertyQuery, run: &Run) -> Basis {
    let positions: Vec<&State> = run.states().take(run.steps.len()).collect();
    let Some(start) = run.loop_start else { return Basis::Untold("the run does not go round".to_owned()) };
    if positions.len() > limits::LASSO_STRUCTURE_LONGEST {
        let most = limits::LASSO_STRUCTURE_LONGEST;
        return Basis::Untold(format!("the run has more than {most} positions before it repeats"));
    }
    let semantics = Semantics::new(&slice.file.program);
    let over = match Writer::of(slice).and_then(|writer| writer.positions(&positions)) {
        Ok(over) => over,
        Err(NoTerm(why)) => return Basis::Untold(why),
    };
    let (rest, processes) = (to_u32(positions.len()), to_u32(slice.file.program.instances.len()));
    let mut found = Structure { untold: vec![rest], initial: vec![0, rest], ..Structure::default() };
    for (at, state) in positions.iter().enumerate() {
        let Some(mover) = moved_by(&run.steps[at].moves) else {
            return Basis::Untold("the run rests on its way".to_owned());
        };
        let next = to_u32(if at + 1 == positions.len() { start } else { at + 1 });
        found.labels.push(labels(&semantics, &asked.atoms, state));
        found.certain.push((to_u32(at), Some(mover), vec![next]));
        let able: BTreeSet<u32> =
            semantics.successors(state).iter().filter_map(|successor| moved_by(&successor.moves)).collect();
        for process in (0..processes).filter(|process| able.contains(process)) {
            let to = if process == mover { vec![next, rest] } else { vec![rest] };
            found.steps.push((to_u32(at), process, to));
        }
    }
    found.labels.push(vec![None; asked.atoms.len()]);
    Basis::Structure(over, Box::new(found))
}

/// What the answer of a slice rests on, so that a certificate can be made of it; why there is nothing.
///
/// # Errors
/// If a limit of the user's is reached, or two parts of this program disagree.
pub(super) fn basis(
    slice: &Slice<'_>,
    question: &Question,
    answer: &ProgramAnswer,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Basis, Failure> {
    let mut by_states = match question {
        Question::Property(asked) => asked.invariant.is_some() && answer.value() == of_all_states(asked),
        Question::Never(_) => answer.value() == Belnap::True,
        Question::Watched(_) => {
            return Ok(Basis::Untold("claims and labels are proved on the program's graph only".to_owned()));
        }
    };
    let explored = match explored(&slice.file.program, budget)? {
        Ok(explored) => explored,
        Err(_) if by_states => {
            return by_sets_or_predicates(slice, question, answer.value(), options, budget);
        }
        Err(why) => return Ok(Basis::Untold(why)),
    };
    // From one of several initial states something may not be reached that is from another.
    by_states &= explored.initial == 1 || answer.value() == Belnap::True;
    let states: Vec<&State> = explored.states.iter().collect();
    let over = match Writer::of(slice).and_then(|writer| writer.over(&states)) {
        Ok(over) => over,
        Err(_) if by_states => {
            return by_sets_or_predicates(slice, question, answer.value(), options, budget);
        }
        Err(NoTerm(why)) => return Ok(Basis::Untold(why)),
    };
    Ok(match question {
        Question::Property(asked) if !by_states => {
            let semantics = Semantics::new(&slice.file.program);
            let mut drawn = explored.drawn(&semantics, &asked.atoms);
            drawn.steps.extend(steps_of_idle_processes(slice, drawn.labels.len()));
            // Only that linear formulas are true can rest on strong fairness.
            if answer.value() == Belnap::True && asked.formula.logic() == Logic::Ltl {
                drawn.strong = scheduling(&slice.whole.program).strong;
            }
            Basis::Structure(over, Box::new(drawn))
        }
        _ => Basis::States(over),
    })
}

/// Whatever a process does that is left out, it changes nothing that is told.
fn steps_of_idle_processes(slice: &Slice<'_>, states: usize) -> Vec<(u32, u32, Vec<u32>)> {
    let instances = slice.whole.program.instances.iter().zip(0..);
    let idle: Vec<u32> =
        instances.filter(|(instance, _)| slice.idle.contains(&instance.process)).map(|(_, pid)| pid).collect();
    (0..to_u32(states)).flat_map(|at| idle.iter().map(move |&pid| (at, pid, vec![at]))).collect()
}

/// The value of an invariant that no state breaks.
fn of_all_states(asked: &PropertyQuery) -> Belnap {
    if asked.exists { Belnap::False } else { Belnap::True }
}

/// The set of all states of the slice, if sets can say it, or else what predicates say of all its states.
fn by_sets_or_predicates(
    slice: &Slice<'_>,
    question: &Question,
    value: Belnap,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Basis, Failure> {
    let options = CheckOptions { keep_basis: true, look_for_idle: false, ..options.clone() };
    let asked = [question.clone()];
    let sets = symbolic::check(&slice.file, &asked, &options, budget, &());
    let complete = |mut over: Abstraction| {
        slice.complete(&mut over, None);
        Basis::States(over)
    };
    if let Some(over) = basis_of(sets, value)? {
        return Ok(complete(over));
    }
    let (how, rounds) = (AbstractionOptions::default(), MOST_REFINEMENTS);
    let abstracted = refinement_loop::check(&slice.file, &asked, &options, &how, rounds, budget, &());
    let untold =
        "what is left of the program has too many states, and neither sets nor predicates say what holds of them";
    Ok(basis_of(abstracted, value)?.map_or_else(|| Basis::Untold(untold.to_owned()), complete))
}

/// What an engine's answer rests on, if it has this value; none if it cannot do what was asked.
fn basis_of(found: Result<CheckOutcome, Failure>, value: Belnap) -> Result<Option<Abstraction>, Failure> {
    match found {
        Ok(outcome) => {
            let answer = outcome.answers.into_iter().next().filter(|answer| answer.value() == value);
            let basis = answer.and_then(|answer| answer.basis().cloned());
            Ok(basis.and_then(|basis| if let Basis::States(over) = basis { Some(over) } else { None }))
        }
        Err(Failure::Input(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// All states of a slice, and its steps.
struct SliceGraph {
    states: Vec<State>,
    initial: usize,
    /// From, by whom, to.
    steps: BTreeMap<(u32, u32), BTreeSet<u32>>,
}

/// All states, if there are few; why not.
fn explored(program: &Program, budget: &Budget) -> Result<Result<SliceGraph, String>, Failure> {
    let semantics = Semantics::new(program).within(budget);
    let Ok(mut states) = semantics.initial_states(MOST_INITIAL, budget) else {
        return Ok(Err("the initial states are too many to be listed".to_owned()));
    };
    states.sort();
    states.dedup();
    let initial = states.len();
    let mut numbers: BTreeMap<State, u32> = states.iter().cloned().zip(0..).collect();
    let mut steps: BTreeMap<(u32, u32), BTreeSet<u32>> = BTreeMap::new();
    let mut at = 0;
    while at < states.len() {
        budget.check()?;
        if states.len() > MOST_STATES {
            return Ok(Err(format!("what is left of the program has more than {MOST_STATES} states")));
        }
        for successor in semantics.successors(&states[at]) {
            let (Some(by), outcome) = (moved_by(&successor.moves), successor.outcome) else { continue };
            let next = match outcome {
                Outcome::Next(next) => next,
                Outcome::Fault { fault, .. } if fault.kind.is_error() => continue,
                Outcome::Fault { .. } => return Ok(Err("not every step can be computed".to_owned())),
            };
            let number = *numbers.entry(next.clone()).or_insert_with(|| {
                states.push(next);
                to_u32(states.len() - 1)
            });
            steps.entry((to_u32(at), by)).or_default().insert(number);
        }
        at += 1;
    }
    Ok(Ok(SliceGraph { states, initial, steps }))
}

impl SliceGraph {
    fn drawn(&self, semantics: &Semantics<'_>, atoms: &[ExprId]) -> Structure {
        let mut found = Structure { initial: (0..to_u32(self.initial)).collect(), ..Structure::default() };
        found.labels = self.states.iter().map(|state| labels(semantics, atoms, state)).collect();
        let mut able: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (&(from, by), to) in &self.steps {
            found.steps.push((from, by, to.iter().copied().collect()));
            found.certain.extend(to.iter().map(|&to| (from, Some(by), vec![to])));
            able.entry(from).or_default().push(by);
        }
        found.stops = (0..to_u32(self.states.len())).filter(|at| !able.contains_key(at)).collect();
        found.able = able.into_iter().collect();
        found
    }
}

fn labels(semantics: &Semantics<'_>, atoms: &[ExprId], state: &State) -> Vec<Option<bool>> {
    atoms.iter().map(|&atom| semantics.observe(atom, state).ok().map(|value| value != 0)).collect()
}

/// Writes states of a slice as abstract states of the program.
struct Writer<'a> {
    slice: &'a Slice<'a>,
    semantics: Semantics<'a>,
    words: Vocabulary<'a>,
}

impl<'a> Writer<'a> {
    fn of(slice: &'a Slice<'a>) -> Result<Self, NoTerm> {
        let program = &slice.whole.program;
        if !program.is_static() || !program.channels.is_empty() {
            return Err(NoTerm("processes come and go, or there are channels".to_owned()));
        }
        Ok(Self { slice, semantics: Semantics::new(program), words: Vocabulary::new(program)? })
    }

    /// The cells that matter, and these states.
    fn over(mut self, states: &[&State]) -> Result<Abstraction, NoTerm> {
        let cells = self.cells();
        let mut told = Abstraction { always: self.bounds(), ..Abstraction::default() };
        for &(var, cell, _) in &cells {
            told.cells.push(self.words.cell(var, cell).ok_or_else(|| self.no_cell(var))?);
        }
        for state in states {
            let values = cells.iter().map(|&(_, _, slot)| state.slots[slot]).collect();
            told.states.push(AbstractState { at: self.places(state), values, cube: Vec::new() });
        }
        self.slice.complete(&mut told, None);
        Ok(told)
    }

    /// A predicate for each of these states, and at the end one more state that contains everything.
    fn positions(mut self, states: &[&State]) -> Result<Abstraction, NoTerm> {
        let cells = self.cells();
        let mut told = Abstraction { always: self.bounds(), ..Abstraction::default() };
        for (number, state) in states.iter().enumerate() {
            let values: Vec<(VarId, usize, i64)> =
                cells.iter().map(|&(var, cell, slot)| (var, cell, state.slots[slot])).collect();
            told.predicates.push(self.words.holds_with(&[], &values)?);
            let mut cube = vec![None; states.len()];
            cube[number] = Some(true);
            told.states.push(AbstractState { at: self.places(state), values: Vec::new(), cube });
        }
        let everywhere = vec![None; self.semantics.layout().initial_frames().len()];
        told.states.push(AbstractState { at: everywhere, values: Vec::new(), cube: vec![None; states.len()] });
        self.slice.complete(&mut told, None);
        Ok(told)
    }

    /// The cells that matter, and their slots.
    fn cells(&self) -> Vec<(VarId, usize, usize)> {
        let program = &self.slice.whole.program;
        let mut found = Vec::new();
        for var in program.variable_ids().filter(|var| !self.slice.left_out.contains(var)) {
            // A variable of code without instances has no place.
            let Some(first) = self.semantics.layout().fixed_slot(program, var) else { continue };
            found.extend((0..program.variable(var).cells()).map(|cell| (var, cell, first + cell)));
        }
        found
    }

    fn no_cell(&self, var: VarId) -> NoTerm {
        NoTerm(format!("`{}` has no cell of its own", self.slice.whole.program.show_variable(var)))
    }

    /// Where the processes are.
    fn places(&self, state: &State) -> Vec<Option<u32>> {
        let frames = self.semantics.layout().initial_frames();
        frames.iter().map(|frame| u32::try_from(state.slots[frame + FRAME_LOCATION]).ok()).collect()
    }

    /// What interval analysis of the whole program says: assignments to what was left out do not go wrong by that.
    fn bounds(&mut self) -> Vec<String> {
        let program = &self.slice.whole.program;
        let known = Intervals::of(program);
        let mut told = Vec::new();
        for var in program.variable_ids() {
            let (Some(interval), cells) = (known.variable(var), program.variable(var).cells()) else { continue };
            if cells <= MOST_CELLS {
                told.extend((0..cells).filter_map(|cell| self.words.bounded(var, cell, (interval.lo, interval.hi))));
            }
        }
        told
    }
}
