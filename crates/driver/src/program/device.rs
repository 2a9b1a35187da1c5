//! What single states and single runs of a program break, decided on a graphics processor.

use std::cell::RefCell;

use tertium_base::narrow::to_u32;
use tertium_base::{Diagnostic, Stopped};
use tertium_explore::compiled::Compiled;
use tertium_explore::search::liveness::{LivenessOutcome, Monitor as _};
use tertium_explore::search::{Observer, Progress};
use tertium_gpu::automaton::{Automaton, Move};
use tertium_gpu::cuda::CudaDevice;
use tertium_gpu::cycles::search_cycle;
use tertium_gpu::device::{Device, DeviceError};
use tertium_gpu::search::{Options, SearchError, Watched, search};
use tertium_gpu::source::SearchSource;
use tertium_statespace::outside::{self, FormulaProduct, OutsideSearch};

use super::answer::ProgramAnswer;
use super::asked::Asked;
use super::explore::Counts;
use super::questions::Question;
use super::safety::Effort;
use super::space::Space;
use crate::failure::Failure;

/// The table has so many places at first, if there is memory: growing means to enter all states once more.
const CAPACITY: u64 = 1 << 28;
/// So many states are looked at before the search: some tenths of a second.
const LOOK_AT: usize = 1 << 19;

/// What a device found.
#[derive(Debug)]
pub struct DeviceOutcome {
    /// What was counted.
    pub counts: Counts,
    /// One answer for each question that single states or single runs decide, in their order.
    pub answers: Vec<ProgramAnswer>,
    /// The names of the other questions.
    pub not_asked: Vec<String>,
}

/// Visits every state on the first device of CUDA and decides what single ones and single runs break.
///
/// # Errors
/// If there is none, if it fails, or if such programs or properties are not for it.
pub fn decide(
    space: &Space<'_>,
    asked: (&[Question], Linear),
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<DeviceOutcome, Failure> {
    decide_with(space, asked, effort, (&mut CudaDevice::new, CAPACITY), progress)
}

/// Whether linear properties are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linear {
    /// Each by a search of its own.
    Asked,
    /// They are named as not asked, since their products are larger than what is counted.
    NotAsked,
}

/// Makes a device for a source.
pub type Making<'m, D> = dyn FnMut(&SearchSource) -> Result<D, DeviceError> + 'm;

/// The same on a device that is made for the source, with so many places of the table at first.
///
/// # Errors
/// As [`decide`].
pub fn decide_with<D: Device>(
    space: &Space<'_>,
    (questions, linear): (&[Question], Linear),
    effort: &Effort<'_>,
    (make, capacity): (&mut Making<'_, D>, u64),
    progress: &mut dyn FnMut(Progress),
) -> Result<DeviceOutcome, Failure> {
    let asked = Asked::of(space, questions, linear == Linear::Asked);
    let compiled = Compiled::of(&space.semantics);
    let mut counted = None;
    let answers = outside::decide(space, (&asked.goals, &asked.linear), effort, &mut |observer, products| {
        let (atoms, scratch) = (observer.atoms(), RefCell::new(observer.scratch()));
        let broken = |row: &[u32]| {
            let mut broken = Vec::new();
            observer.look(row, &mut scratch.borrow_mut(), &mut |condition| broken.push(condition));
            broken
        };
        let options = Options {
            max_states: effort.limit(space),
            stop_at_finding: false,
            budget: effort.budget,
            capacity,
            look_at: LOOK_AT,
            watched: (!atoms.is_empty()).then_some(Watched { atoms: &atoms, broken: &broken }),
        };
        let found = search(&compiled, &space.initial, &options, make, progress).map_err(refused)?;
        let each = products.iter().map(|product| cycle(space, (&compiled, product), &options, make, progress));
        let cycles = each.collect::<Result<_, _>>()?;
        counted = Some((found.summary.clone(), found.bytes_per_state, (found.preparation, found.searching)));
        Ok(OutsideSearch { summary: found.summary, runs: found.runs, cycles })
    })?;
    let (summary, bytes, (preparation, searching)) =
        counted.ok_or_else(|| Failure::Internal("nothing was searched".to_owned()))?;
    let bytes = usize::try_from(bytes).unwrap_or(0).saturating_mul(summary.states);
    let counts = Counts::of(space, &summary, summary.faults, effort, (preparation + searching, bytes));
    let counts = Counts { preparation, ..counts };
    Ok(DeviceOutcome { counts, answers: asked.in_order(answers), not_asked: asked.not_asked() })
}

/// Looks for an accepted fair run.
fn cycle<D: Device>(
    space: &Space<'_>,
    (compiled, product): (&Compiled<'_>, &FormulaProduct<'_, '_>),
    options: &Options<'_>,
    make: &mut Making<'_, D>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Result<LivenessOutcome, Stopped>, Failure> {
    let automaton = table(product);
    let options = Options { watched: None, ..options.clone() };
    let found = search_cycle(compiled, &space.initial, (&automaton, product), &options, make, progress);
    let found = found.map_err(refused)?;
    let (states, transitions) = (found.states, found.transitions);
    let outcome = LivenessOutcome { lasso: found.lasso, states, transitions, faults: found.faults };
    Ok(found.stopped.map_or(Ok(outcome), Err))
}

/// The automaton of a property as a table; a guard that asks for an atom and its negation is never passed.
fn table(product: &FormulaProduct<'_, '_>) -> Automaton {
    let monitor = product.monitor();
    let tgba = monitor.automaton();
    let moves = tgba.states.iter().map(|transitions| {
        let possible = transitions.iter().filter(|transition| !transition.guard.is_contradictory());
        let moves = possible.map(|transition| {
            let bit = |atom: usize| 1_u32.checked_shl(to_u32(atom)).unwrap_or(0);
            let literals = transition.guard.literals();
            let care = literals.iter().fold(0, |care, literal| care | bit(literal.atom().index()));
            let holding = literals.iter().filter(|literal| !literal.is_negative());
            let values = holding.fold(0, |values, literal| values | bit(literal.atom().index()));
            Move { care, values, target: to_u32(transition.target), marks: low_word(transition.marks.0) }
        });
        moves.collect()
    });
    Automaton {
        atoms: monitor.atoms(),
        moves: moves.collect(),
        marks: monitor.marks(),
        stutters: monitor.stutters(),
        fair: product.scheduling().clone(),
    }
}

/// The marks that a device knows; an automaton with more is refused.
fn low_word(marks: u64) -> u32 {
    u32::try_from(marks & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

/// Why a device does not do it, for people.
fn refused(error: SearchError) -> Failure {
    match error {
        SearchError::Wrong(what) => Failure::Internal(what),
        SearchError::Device(DeviceError::Missing(why)) => {
            Diagnostic::error("E0375", format!("there is no graphics processor to search on: {why}"))
                .help("install the driver and the run-time compiler of CUDA, or leave out `--device`")
                .into()
        }
        SearchError::Device(error) => {
            Diagnostic::error("E0376", format!("{error}")).help("`--device cpu` searches without it").into()
        }
        SearchError::Unsupported(_) | SearchError::Layouts | SearchError::Atoms => {
            Diagnostic::error("E0377", format!("{error}")).help("`--device cpu` searches all programs").into()
        }
    }
}
