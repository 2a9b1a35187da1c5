//! What single states of a program break, decided on a graphics processor.

use std::cell::RefCell;
use std::time::Instant;

use tertium_base::Diagnostic;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::{Observer, Progress};
use tertium_gpu::cuda::CudaDevice;
use tertium_gpu::device::{Device, DeviceError};
use tertium_gpu::search::{Options, SearchError, Watched, search};
use tertium_gpu::source::SearchSource;
use tertium_statespace::outside::{self, OutsideSearch};

use super::answer::ProgramAnswer;
use super::asked::Asked;
use super::explore::Counts;
use super::questions::Question;
use super::safety::Effort;
use super::space::Space;
use crate::failure::Failure;

/// The table has so many places at first, if there is memory: growing means to enter all states once more.
const CAPACITY: u64 = 1 << 28;

/// What a device found.
#[derive(Debug)]
pub struct DeviceOutcome {
    /// What was counted.
    pub counts: Counts,
    /// One answer for each question that single states decide, in their order.
    pub answers: Vec<ProgramAnswer>,
    /// The names of the other questions.
    pub not_asked: Vec<String>,
}

/// Visits every state on the first device of CUDA and decides what single ones break.
///
/// # Errors
/// If there is none, if it fails, or if such programs or properties are not for it.
pub fn decide(
    space: &Space<'_>,
    questions: &[Question],
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<DeviceOutcome, Failure> {
    decide_with(space, questions, effort, &mut CudaDevice::new, progress)
}

/// The same on a device that is made for the source.
fn decide_with<D: Device>(
    space: &Space<'_>,
    questions: &[Question],
    effort: &Effort<'_>,
    make: &mut dyn FnMut(&SearchSource) -> Result<D, DeviceError>,
    progress: &mut dyn FnMut(Progress),
) -> Result<DeviceOutcome, Failure> {
    let start = Instant::now();
    let asked = Asked::of(space, questions, false);
    let compiled = Compiled::of(&space.semantics);
    let mut counted = None;
    let answers = outside::decide(space, (&asked.goals, &[]), effort, &mut |observer, _| {
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
            capacity: CAPACITY,
            watched: (!atoms.is_empty()).then_some(Watched { atoms: &atoms, broken: &broken }),
        };
        let found = search(&compiled, &space.initial, &options, make, progress).map_err(refused)?;
        counted = Some((found.summary.clone(), found.bytes_per_state, found.preparation));
        Ok(OutsideSearch { summary: found.summary, runs: found.runs, cycles: Vec::new() })
    })?;
    let (summary, bytes, preparation) = counted.ok_or_else(|| Failure::Internal("nothing was searched".to_owned()))?;
    let bytes = usize::try_from(bytes).unwrap_or(0).saturating_mul(summary.states);
    let counts = Counts::of(space, &summary, summary.faults, effort, (start.elapsed(), bytes));
    let counts = Counts { preparation, ..counts };
    Ok(DeviceOutcome { counts, answers: asked.in_order(answers), not_asked: asked.not_asked() })
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
