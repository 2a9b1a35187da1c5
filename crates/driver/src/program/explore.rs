//! How large is the state space of a program?

use std::path::Path;
use std::time::{Duration, Instant};

use tertium_base::narrow::to_u32;
use tertium_base::{Diagnostic, StopReason, Stopped};
use tertium_explore::reduction::ReductionKinds;
use tertium_explore::search::breadth::{Explored, Options, breadth_first};
use tertium_explore::search::compaction::compact_search;
use tertium_explore::search::depth::depth_first;
use tertium_explore::search::{Blind, Finding, Progress, Summary};
use tertium_explore::store::{Keeping, StateStore};
use tertium_explore::successors::{Expansion, RowSuccessors};
use tertium_model::{Kmts, Model};
use tertium_program::ExprId;

use super::answer::Reason;
use super::bitstate::few_kept;
use super::branching::{Collected, GraphOptions};
use super::checkpoints::Checkpoints;
use super::disk::has_limits;
use super::safety::Effort;
use super::space::{Space, stop_word};
use crate::export::{Target, export};
use crate::failure::Failure;
use crate::input::Loaded;

/// What an exploration counted.
#[derive(Clone, Debug)]
pub struct Counts {
    /// Different states.
    pub states: usize,
    /// Steps between them, counting every way.
    pub transitions: usize,
    /// The largest number of steps that a shortest way to a state needs; of a run followed, if depth came first.
    pub depth: usize,
    /// States in which no process can step although not all are at their ends.
    pub deadlocks: usize,
    /// Steps that go wrong.
    pub errors: usize,
    /// Whether every state was visited and every step understood.
    pub complete: bool,
    /// The limit that ended the work early; none for the limit on states.
    pub stopped: Option<StopReason>,
    /// Why it is not complete.
    pub reasons: Vec<Reason>,
    /// Wall-clock time of the search.
    pub elapsed: Duration,
    /// How much of it went by before the first state was expanded: a device needs code.
    pub preparation: Duration,
    /// Bytes in the state store.
    pub bytes: usize,
    /// Words of a packed state.
    pub words: usize,
}

impl Counts {
    /// Of what a search has seen, in how long and with how many bytes.
    pub(super) fn of(
        space: &Space<'_>,
        summary: &Summary,
        errors: usize,
        effort: &Effort<'_>,
        (elapsed, bytes): (Duration, usize),
    ) -> Self {
        let reasons = reasons(space, summary, effort);
        Self {
            states: summary.states,
            transitions: summary.transitions,
            depth: summary.depth,
            deadlocks: summary.deadlocks,
            errors,
            complete: summary.complete() && reasons.is_empty(),
            stopped: summary.stopped.and_then(stop_word),
            reasons,
            elapsed,
            preparation: Duration::ZERO,
            bytes,
            words: space.stepper.words(),
        }
    }
}

/// In which order states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchOrder {
    /// Level by level, with all threads; depths are least.
    #[default]
    Breadth,
    /// One run to its end before the next, with one thread; depths are those of the runs followed.
    Depth,
}

/// Visits every state.
///
/// # Errors
/// If the graph was wanted and cannot be had.
pub fn explore(
    space: &Space<'_>,
    order: SearchOrder,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Counts, Collected), Failure> {
    explore_with(space, order, effort, None, progress)
}

/// The same, written down as it goes on, or gone on with.
///
/// # Errors
/// As [`explore`], and if what was written down cannot be gone on with.
pub fn explore_with(
    space: &Space<'_>,
    order: SearchOrder,
    effort: &Effort<'_>,
    checkpoints: Option<&mut Checkpoints>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Counts, Collected), Failure> {
    let start = Instant::now();
    if effort.store != Keeping::Exact {
        let nothing = StateStore::new(space.stepper.words());
        let nothing = Explored::unlevelled(Summary::default(), nothing);
        return Ok((estimate(space, effort, progress), Collected::of(nothing)));
    }
    let fewer = if effort.reduction { space.reduced(&[], ReductionKinds::ALL) } else { None };
    let options = Options {
        threads: effort.threads,
        max_states: effort.limit(space),
        stop_at_finding: false,
        budget: effort.budget,
    };
    let (stepper, initial) =
        fewer.as_ref().map_or((&space.stepper, &space.initial), |fewer| (&fewer.stepper, &fewer.initial));
    let explored = match (order, checkpoints) {
        (SearchOrder::Breadth, Some(checkpoints)) => {
            checkpoints.search(space, (stepper, initial), effort, &options, progress)?
        }
        (SearchOrder::Breadth, None) => breadth_first(stepper, &Blind, initial, &options, progress),
        (SearchOrder::Depth, _) => depth_first(stepper, &Blind, initial, &options, progress),
    };
    let elapsed = start.elapsed();
    let errors = errors(space, &explored, effort)?;
    let counts = Counts::of(space, &explored.summary, errors, effort, (elapsed, explored.store.bytes()));
    Ok((counts, Collected::of(explored)))
}

/// Counts with a store that may take a state for another one.
fn estimate(space: &Space<'_>, effort: &Effort<'_>, progress: &mut dyn FnMut(Progress)) -> Counts {
    let start = Instant::now();
    let fewer = if effort.reduction { space.reduced(&[], ReductionKinds::ALL) } else { None };
    let (stepper, initial) =
        fewer.as_ref().map_or((&space.stepper, &space.initial), |fewer| (&fewer.stepper, &fewer.initial));
    let options =
        Options { threads: 1, max_states: effort.limit(space), stop_at_finding: false, budget: effort.budget };
    let found = compact_search(stepper, &Blind, initial, effort.store, &options, progress);
    let summary = &found.summary;
    let mut reasons: Vec<Reason> = space.open.iter().cloned().collect();
    if summary.stopped.is_some_and(|stopped| stopped.0 == StopReason::Count) {
        reasons.push(space.limit_reason(effort.limit(space).unwrap_or(summary.states)));
    }
    reasons.push(few_kept(effort.store, found.coverage));
    Counts {
        states: summary.states,
        transitions: summary.transitions,
        depth: summary.depth,
        deadlocks: summary.deadlocks,
        errors: summary.faults,
        complete: false,
        stopped: summary.stopped.and_then(stop_word),
        reasons,
        elapsed: start.elapsed(),
        preparation: Duration::ZERO,
        bytes: found.bytes,
        words: space.stepper.words(),
    }
}

/// Why an exploration that has seen this is not complete.
fn reasons(space: &Space<'_>, summary: &Summary, effort: &Effort<'_>) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = space.open.iter().cloned().collect();
    for finding in summary.findings.keys() {
        if let Finding::Fault(fault) = finding
            && let Some(reason) = space.fault_reason(fault)
            && !reasons.contains(&reason)
        {
            reasons.push(reason);
        }
    }
    if summary.stopped.is_some_and(|stopped| stopped.0 == StopReason::Count) {
        reasons.push(space.limit_reason(effort.limit(space).unwrap_or(summary.states)));
    }
    reasons
}

/// Steps that go wrong; what only cannot be computed is not counted.
fn errors(space: &Space<'_>, explored: &Explored, effort: &Effort<'_>) -> Result<usize, Failure> {
    if !has_limits(&explored.summary) {
        return Ok(explored.summary.faults);
    }
    let (mut scratch, mut found) = (space.stepper.scratch(), Expansion::default());
    let (mut branches, mut ticks, mut count) = (explored.store.branches(), 0, 0);
    // States of the last level may not have been looked at when a limit ended the search.
    for number in 0..explored.store.len() {
        effort.budget.tick(&mut ticks)?;
        explored.store.read(to_u32(number), &mut branches);
        space.stepper.expand(branches.words(), &mut scratch, &mut found);
        count += found.faults.iter().filter(|fault| fault.kind.is_error()).count();
    }
    Ok(count)
}

/// The format that a file's name asks for.
///
/// # Errors
/// If it asks for none that is known.
pub fn graph_format(path: &Path) -> Result<Target, Failure> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("dot" | "gv") => Ok(Target::Dot),
        Some("aut") => Ok(Target::Aut),
        Some("json") => Ok(Target::Json),
        Some("kmts") => Ok(Target::Kmts),
        _ => Err(Diagnostic::error("E0321", format!("`--graph {}`: the name says no format", path.display()))
            .help("name a file that ends in `.dot`, `.aut`, `.json` or `.kmts`")
            .into()),
    }
}

/// The graph as text: states are numbered as they were met, actions are the processes that step, and the program's
/// predicates are the propositions.
///
/// # Errors
/// If not all states were visited (a part would be read as the graph of another program), or a limit is reached meanwhile.
pub fn graph(
    space: &Space<'_>,
    counts: &Counts,
    collected: &Collected,
    effort: &Effort<'_>,
    target: Target,
) -> Result<Vec<u8>, Failure> {
    if !counts.complete {
        return Err(Stopped(counts.stopped.unwrap_or(StopReason::Count)).into());
    }
    let predicates: Vec<(String, ExprId)> =
        space.program().predicates.iter().map(|named| (named.name.clone(), named.expr)).collect();
    let model = collected.structure(space, &predicates, effort, GraphOptions::default())?;
    if target == Target::Aut {
        return Ok(labelled(&model).into_bytes());
    }
    let loaded = Loaded::of_model("", Model::Kmts(model));
    let mut text = Vec::new();
    export(&loaded, target, &mut text).map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(text)
}

/// The Aldebaran form, labelled by who steps. It has one initial state; several get one before them.
fn labelled(model: &Kmts) -> String {
    let (states, init) = (model.state_count(), model.init());
    let mut edges = Vec::new();
    for from in model.states() {
        for edge in model.edges_from(from) {
            let label = edge.action.map_or("i", |action| model.actions()[action.index()].as_str());
            edges.push(format!("({}, \"{label}\", {})", from.index(), edge.target.index()));
        }
    }
    let (first, count) = match init {
        [only] => (only.index(), states),
        _ => {
            edges.extend(init.iter().map(|state| format!("({states}, \"init\", {})", state.index())));
            (states, states + 1)
        }
    };
    format!("des ({first}, {}, {count})\n{}\n", edges.len(), edges.join("\n"))
}
