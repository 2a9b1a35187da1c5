//! How large is the state space of a program, counted on a graphics processor?

use std::time::Instant;

use tertium_base::Diagnostic;
use tertium_base::StopReason;
use tertium_explore::compiled::Compiled;
use tertium_explore::search::{Finding, Progress};
use tertium_explore::successors::RowSuccessors;
use tertium_gpu::cuda::CudaDevice;
use tertium_gpu::device::DeviceError;
use tertium_gpu::search::{Options, SearchError, search};

use super::answer::Reason;
use super::explore::Counts;
use super::safety::Effort;
use super::space::{Space, stop_word};
use crate::failure::Failure;

/// The table has so many places at first.
const CAPACITY: u64 = 1 << 24;

/// Visits every state on the first device of CUDA.
///
/// # Errors
/// If there is none, if it fails, or if such programs or options are not for it.
pub fn explore_on_device(
    space: &Space<'_>,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Counts, Failure> {
    let start = Instant::now();
    let compiled = Compiled::of(&space.semantics);
    let options =
        Options { max_states: effort.limit(space), stop_at_finding: false, budget: effort.budget, capacity: CAPACITY };
    let found = search(&compiled, &space.initial, &options, &mut CudaDevice::new, progress).map_err(refused)?;
    let summary = &found.summary;
    let mut reasons: Vec<Reason> = space.open.iter().cloned().collect();
    let faults = summary.findings.keys().filter_map(|finding| match finding {
        Finding::Fault(fault) => space.fault_reason(fault),
        _ => None,
    });
    reasons.extend(faults);
    if summary.stopped.is_some_and(|stopped| stopped.0 == StopReason::Count) {
        reasons.push(space.limit_reason(effort.limit(space).unwrap_or(summary.states)));
    }
    Ok(Counts {
        states: summary.states,
        transitions: summary.transitions,
        depth: summary.depth,
        deadlocks: summary.deadlocks,
        errors: summary.faults,
        complete: summary.complete() && reasons.is_empty(),
        stopped: summary.stopped.and_then(stop_word),
        reasons,
        elapsed: start.elapsed(),
        bytes: usize::try_from(found.bytes_per_state).unwrap_or(0).saturating_mul(summary.states),
        words: space.stepper.words(),
    })
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
        SearchError::Unsupported(_) | SearchError::Layouts => {
            Diagnostic::error("E0377", format!("{error}")).help("`--device cpu` searches all programs").into()
        }
    }
}
