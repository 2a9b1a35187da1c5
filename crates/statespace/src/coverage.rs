//! Which statements are never reached, and which guards never hold?
//!
//! One pass over all states by the definition of a step, which ends as soon as every step has been taken. StepNarration only when every
//! state was visited: what is not seen in part of them may happen elsewhere.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tertium_base::{BitSet, Diagnostic, Span, StopReason, Stopped};
use tertium_explore::search::Progress;
use tertium_program::search::{Limits, nearest_first};
use tertium_program::{Action, FaultKind, Outcome, ProcessId, Program, State, StepId, Successors};
use tertium_trace::run::arrival;

use super::branching::Collected;
use super::safety::Effort;
use super::space::Space;

pub use tertium_cegar::options::Covered;

/// Larger state spaces are not looked through.
pub const MOST_STATES: usize = 200_000;
/// The same where processes come and go, whose steps take the definition longer.
const MOST_STATES_WITHOUT_LAYOUT: usize = 20_000;

fn most_states(space: &Space<'_>) -> usize {
    if space.semantics.layout().is_fixed() { MOST_STATES } else { MOST_STATES_WITHOUT_LAYOUT }
}

/// All statements, with what happens to them; `None` if that is not known.
pub fn statements(
    space: &Space<'_>,
    collected: Option<Collected>,
    effort: &Effort<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<Vec<Covered>>, Stopped> {
    let program = space.program();
    let all = program.steps.len();
    let mut seen = StatementsSeen { taken: BitSet::empty(all), passed: BitSet::empty(all), count: 0, complete: true };
    match collected {
        Some(collected) if collected.explored().store.len() > most_states(space) => return Ok(None),
        Some(collected) => {
            let mut ticks = 0;
            for number in 0..collected.explored().store.len() {
                effort.budget.tick(&mut ticks)?;
                if seen.count == all {
                    break;
                }
                seen.look(space, &space.state(&collected.row(number)), &mut |_| {});
            }
        }
        None => seen.walk(space, effort, progress)?,
    }
    let known = seen.complete || seen.count == all;
    Ok(known.then(|| covered(program, &seen)))
}

struct StatementsSeen {
    taken: BitSet,
    /// Those that led somewhere: what goes wrong is taken, but nothing behind it is reached by that.
    passed: BitSet,
    /// How many were taken.
    count: usize,
    /// Whether every state was visited and every step understood.
    complete: bool,
}

impl StatementsSeen {
    fn look(&mut self, space: &Space<'_>, state: &State, next: &mut dyn FnMut(&State)) {
        for successor in space.semantics.successors(state) {
            let wrong = usize::from(arrival(&successor.outcome).is_none());
            let fine = successor.moves.len().saturating_sub(wrong);
            for (number, mv) in successor.moves.iter().enumerate() {
                for step in std::iter::once(mv.step).chain(mv.partner.map(|(_, step)| step)) {
                    self.count += usize::from(self.taken.insert(step.index()));
                    if number < fine {
                        self.passed.insert(step.index());
                    }
                }
            }
            if let Outcome::Fault { fault, .. } = &successor.outcome {
                self.complete &= fault.kind.is_error() && fault.kind != FaultKind::EndlessBlock;
            }
            if let Some(state) = arrival(&successor.outcome) {
                next(state);
            }
        }
    }

    /// Visits states until every step was taken, or all of them.
    fn walk(
        &mut self,
        space: &Space<'_>,
        effort: &Effort<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Stopped> {
        let most = most_states(space);
        let limit = effort.limit(space).unwrap_or(most).min(most);
        let all = space.program().steps.len();
        let limits = Limits { most: limit, budget: effort.budget };
        let walked =
            nearest_first(&mut CoverageSuccessors { seen: self, space }, limits, &mut |walk, reached, number| {
                let (states, queue) = (reached.states.len(), reached.states.len() - number);
                progress(Progress { states, queue, depth: 0, bytes: 0 });
                Ok(if walk.seen.count == all { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            });
        match walked {
            Err(Stopped(StopReason::Count)) => self.complete = false,
            walked => _ = walked?,
        }
        Ok(())
    }
}

/// The states as rows, by the definition of a step, and what is seen on the way.
struct CoverageSuccessors<'w, 'p> {
    seen: &'w mut StatementsSeen,
    space: &'w Space<'p>,
}

impl Successors for CoverageSuccessors<'_, '_> {
    type State = Vec<u32>;
    type Step = ();
    type Failure = Stopped;

    fn initial(&mut self) -> Result<Vec<Vec<u32>>, Stopped> {
        Ok(self.space.initial.clone())
    }

    fn after(&mut self, row: &Vec<u32>, arrive: &mut dyn FnMut((), Vec<u32>) -> usize) -> Result<(), Stopped> {
        let space = self.space;
        self.seen.look(space, &space.state(row), &mut |state| {
            arrive((), space.plain.row(state));
        });
        Ok(())
    }
}

/// Instances of one family share their text; a statement is idle if it is in all of them.
fn covered(program: &Program, seen: &StatementsSeen) -> Vec<Covered> {
    let mut reached: Vec<BitSet> =
        program.processes.iter().map(|process| BitSet::empty(process.locations.len())).collect();
    let begun = program.instances.iter().map(|instance| instance.process);
    let started = seen.passed.iter().filter_map(|at| match program.step(StepId::new(at)).action {
        Action::Run { process, .. } => Some(process),
        _ => None,
    });
    for process in begun.chain(started) {
        reached[process.index()].insert(program.process(process).entry.index());
    }
    for step in seen.passed.iter().map(|at| program.step(StepId::new(at))) {
        reached[step.process.index()].insert(step.target.index());
    }
    let mut texts: BTreeMap<(usize, usize, &str), (bool, bool)> = BTreeMap::new();
    let watches = |process: ProcessId| {
        program.claims.contains(&process) || program.trace.as_ref().is_some_and(|trace| trace.process == process)
    };
    for id in program.step_ids() {
        let step = program.step(id);
        // That a process never ends, or a claim never moves, is often meant.
        if step.action == Action::End || watches(step.process) {
            continue;
        }
        let never = program.exprs.constant(step.guard) == Some(0);
        let entry = texts.entry((step.span.start, step.span.end, step.text.as_str())).or_default();
        entry.0 |= seen.taken.contains(id.index()) || never;
        entry.1 |= reached[step.process.index()].contains(step.source.index());
    }
    let covered = |((start, end, text), (taken, reached)): ((usize, usize, &str), (bool, bool))| Covered {
        span: Span::new(start, end),
        text: shortened(text),
        taken,
        reached,
    };
    texts.into_iter().map(covered).collect()
}

/// Warnings about what never happens; statements that follow each other in the text and are never reached get one together.
#[must_use]
pub fn warnings(statements: &[Covered]) -> Vec<Diagnostic> {
    let idle = |statement: &Covered| !statement.taken && !statement.reached;
    let groups = statements.chunk_by(|before, after| idle(before) && idle(after));
    groups.filter(|group| !group[0].taken).map(warning).collect()
}

fn warning(group: &[Covered]) -> Diagnostic {
    let (first, more) = (&group[0], group.len() - 1);
    let text = &first.text;
    if first.reached {
        return Diagnostic::warning("W0402", format!("`{text}` is never possible"))
            .at(first.span, "reached, but its guard is false whenever it is");
    }
    let after = match more {
        0 => String::new(),
        1 => ", nor is the statement after it".to_owned(),
        _ => format!(", nor are the {more} statements after it"),
    };
    let warning = Diagnostic::warning("W0404", format!("`{text}` is never reached{after}"));
    let warning = warning.at(first.span, "no run gets here");
    match group.last() {
        Some(last) if more > 0 => warning.also(last.span, "down to here"),
        _ => warning,
    }
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 60 { line } else { format!("{}...", line.chars().take(57).collect::<String>()) }
}
