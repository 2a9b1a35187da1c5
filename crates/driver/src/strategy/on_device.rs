//! Every state, and every linear property, on a graphics processor; what it is not asked goes on to a search on the processor.

use tertium_base::{Diagnostic, StopReason};
use tertium_cegar::answer::ProgramAnswer;
use tertium_load::questions::Question;

use super::engine::{Applies, EngineId, EngineOutcome, ProgramEngine, Situation};
use crate::failure::Failure;
use crate::program::safety::Effort;
use crate::program::space::Space;

/// States are visited on a graphics processor.
pub(super) struct SearchOnDevice;

impl ProgramEngine for SearchOnDevice {
    fn id(&self) -> EngineId {
        EngineId::Device
    }

    fn applies(&self, situation: &Situation<'_>) -> Applies {
        Applies::when(situation.request.wishes.options.on_device)
    }

    fn run(&self, situation: &Situation<'_>, open: &[Question]) -> Result<EngineOutcome, Failure> {
        let wanted = &situation.request.wishes.options;
        let space = match Space::new(&situation.request.file.program, situation.budget) {
            Err(Failure::Stopped(stopped)) => return Ok(stopped_all(open, stopped.0)),
            space => space?,
        };
        let space = if wanted.fair { fair_to_all(space)? } else { space };
        let effort = Effort {
            threads: wanted.threads,
            max_states: wanted.max_states,
            reduction: false,
            store: wanted.store,
            budget: situation.budget,
        };
        let found = decide(&space, open, &effort, situation)?;
        let answer = |question: &Question| found.iter().find(|answer| answer.name == question.name()).cloned();
        Ok(EngineOutcome { answers: open.iter().map(answer).collect(), ..EngineOutcome::default() })
    }
}

fn stopped_all(open: &[Question], why: StopReason) -> EngineOutcome {
    let answers = open.iter().map(|question| Some(ProgramAnswer::about(question).stopped_by(why)));
    EngineOutcome { answers: answers.collect(), ..EngineOutcome::default() }
}

/// How many processes are started on the way is known only when all states are.
fn fair_to_all(space: Space<'_>) -> Result<Space<'_>, Failure> {
    let count = space.fixed_processes().ok_or_else(|| {
        Diagnostic::error("E0377", "processes that are started on the way cannot be treated fairly on a device")
            .help("use `active` processes, or leave out `--device`")
    })?;
    Ok(space.fair_to(count))
}

/// What is said where no search on a graphics processor was built in.
#[must_use]
pub fn built_without_device() -> Failure {
    Diagnostic::error("E0378", "there is no graphics processor to search on: this program was built without it")
        .help("build with the feature `gpu`, or leave out `--device`")
        .into()
}

#[cfg(feature = "gpu")]
fn decide(
    space: &Space<'_>,
    open: &[Question],
    effort: &Effort<'_>,
    situation: &Situation<'_>,
) -> Result<Vec<ProgramAnswer>, Failure> {
    use crate::program::device;

    situation.observer.phase("preparing the search on a device");
    let mut tell =
        tertium_statespace::check::report_to(situation.observer, "visiting states on a device", effort.limit(space));
    Ok(device::decide(space, (open, device::Linear::Asked), effort, &mut tell)?.answers)
}

#[cfg(not(feature = "gpu"))]
fn decide(_: &Space<'_>, _: &[Question], _: &Effort<'_>, _: &Situation<'_>) -> Result<Vec<ProgramAnswer>, Failure> {
    Err(built_without_device())
}
