//! When nobody chose: are states visited, or are they sets?
//!
//! What the types allow is an upper bound on the states; a short search is a lower one. Sets are tried where the bound is far away
//! and the search does not end soon. They get a limited number of nodes, so that the choice depends on the program alone
//! and not on the clock; when those are used up, the search has its turn.

use tertium_base::{Budget, Diagnostic, StopReason, memory};
use tertium_encode::{InstantiatedProgram, estimate};

use crate::Observer;
use crate::engines::EngineChoice;
use crate::failure::{Failure, Located};
use crate::program::branching::Collected;
use crate::program::check::{CheckOptions, Outcome, report_to};
use crate::program::questions::Question;
use crate::program::safety::Effort;
use crate::program::space::Space;
use crate::program::{Language, ProgramFile};

/// What sets may take before the search has its turn.
const ROOM: usize = 512 << 20;

/// When sets are tried.
#[derive(Clone, Copy)]
struct Measure {
    /// Fewer states than this power of ten are visited in any case.
    few: f64,
    /// Variables with more values are counted up one by one, which takes long over sets, too.
    widest: u64,
    /// A search that ends within this many states is the better choice.
    short: usize,
    /// What sets may take before the search has its turn.
    room: usize,
}

impl Measure {
    /// Models in Promela are mostly written for a search, and a message needs bits in every place of its channel: sets get less room.
    fn of(language: Language) -> Self {
        match language {
            Language::Promela => Self { few: 10.0, widest: 4096, short: 1_000_000, room: 64 << 20 },
            Language::Gcl => Self { few: 8.0, widest: u64::MAX, short: 200_000, room: ROOM },
        }
    }
}

/// The answers by sets, if the user left the choice and they are the better one.
///
/// # Errors
/// If a run cannot be repeated, which is a fault of this program.
pub fn instead_of_search(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Option<Outcome>, Failure> {
    let chosen = options.engine != EngineChoice::Auto || options.max_states.is_some();
    if chosen || options.deadlock.is_some() || options.linear.is_some() {
        return Ok(None);
    }
    let measure = Measure::of(file.language);
    let Ok(estimate) = InstantiatedProgram::new(&file.program, &[]).and_then(|subject| estimate(&subject)) else {
        return Ok(None);
    };
    let log10 = estimate.log10_states;
    if log10 < measure.few || estimate.widest > measure.widest {
        return Ok(None);
    }
    if is_short(file, measure.short, options, budget, observer)? {
        return Ok(None);
    }
    let outcome = within(measure.room, file, questions, options, budget, observer)?;
    let full = |outcome: &Outcome| outcome.answers.iter().any(|answer| answer.stopped == Some(StopReason::Memory));
    Ok(outcome.filter(|outcome| !full(outcome)).map(|outcome| with_note(outcome, log10, measure.short)))
}

/// The answers by sets to what few processes of very many leave open; none if something cannot be encoded. Questions for which there
/// is not room enough stay open.
///
/// # Errors
/// If a run cannot be repeated, which is a fault of this program.
pub fn after_spotlight(
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Option<Outcome>, Failure> {
    if file.language != Language::Gcl {
        return Ok(None);
    }
    within(ROOM, file, questions, options, budget, observer)
}

/// The answers by sets that take no more than so many bytes; none if something is not encoded.
fn within(
    room: usize,
    file: &ProgramFile,
    questions: &[Question],
    options: &CheckOptions,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<Option<Outcome>, Failure> {
    let room = memory::in_use().saturating_add(room);
    let small = budget.clone().with_memory(Some(budget.memory_limit().map_or(room, |limit| limit.min(room))));
    match super::decide::check(file, questions, options, &small, observer) {
        Ok(outcome) => Ok(Some(outcome)),
        Err(Failure::Input(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Whether a search ends soon.
fn is_short(
    file: &ProgramFile,
    short: usize,
    options: &CheckOptions,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<bool, Failure> {
    let space = match Space::new(&file.program, budget) {
        Ok(space) => space,
        // The search itself says so better.
        Err(Failure::Stopped(_)) => return Ok(true),
        Err(failure) => return Err(failure),
    };
    if space.open.is_some() {
        return Ok(false);
    }
    let effort = Effort {
        threads: options.threads,
        max_states: Some(short),
        reduction: options.reduction,
        store: options.store,
        budget,
    };
    let collected = Collected::visit(&space, &effort, &mut report_to(observer, "looking ahead", Some(short)));
    Ok(collected.explored().summary.stopped.is_none_or(|stopped| stopped.0 != StopReason::Count))
}

fn with_note(mut outcome: Outcome, log10: f64, short: usize) -> Outcome {
    let message = format!(
        "decided over sets: by its types the program has at most 10^{} states, and a search had seen {short} without \
         an end",
        log10.ceil()
    );
    let note = Diagnostic::note_only("W0431", message).help("`--engine explicit` visits the states one by one");
    outcome.remarks.push(Located::nowhere(note));
    outcome
}
