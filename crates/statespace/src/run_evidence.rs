//! Does a run show what it is said to show?
//!
//! A run is evidence for one value of one question: a state that breaks an invariant, a fault, a deadlock, an infinite run that
//! violates a linear formula or that a `never` claim matches, a state that `EF p` asks for. Whether it is, [`shows`] finds out from
//! the run, the question and the definition of a step alone; where the run comes from does not matter.
//!
//! Not here: whether it is a run of the program ([`tertium_trace::simulate::Simulator::replay`]).

use tertium_base::narrow::to_u32;
use tertium_explore::search::liveness::Scheduling;
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::questions::{Mistake, MonitorQuery, PropertyQuery, Question, WatchKind};
use tertium_logic::Logic;
use tertium_program::{Outcome, Semantics, State};
use tertium_trace::narration;
use tertium_trace::run::{self, Run, arrival, moved_by};

use super::{claims, linear, notes};

/// What a run shows of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvidence {
    /// That it has this value.
    Value(Belnap),
    /// Nothing; the reason.
    Nothing(String),
    /// It cannot be told from the run alone; the reason.
    Open(String),
}

/// What a run of the program shows of a question. With `fair` the scheduler is weakly fair to every process; what the program
/// declares counts in any case.
///
/// # Errors
/// If the parts of the question cannot be evaluated.
pub fn shows(semantics: &Semantics<'_>, question: &Question, run: &Run, fair: bool) -> Result<RunEvidence, Failure> {
    if let Question::Never(never) = question {
        return Ok(mistaken(semantics, never.mistake, run));
    }
    let fairness = scheduling(semantics, run, fair);
    let run = match fair_run(semantics, run, &fairness) {
        Ok(run) => run,
        Err(other) => return Ok(other),
    };
    match question {
        Question::Property(asked) => Ok(valued(semantics, asked, &run)),
        Question::Watched(watched) => matched(semantics, watched, &run),
        Question::Never(never) => Ok(mistaken(semantics, never.mistake, &run)),
    }
}

/// Whether the end of a run is a mistake of this kind.
fn mistaken(semantics: &Semantics<'_>, mistake: Mistake, run: &Run) -> RunEvidence {
    let nothing = |what: &str| RunEvidence::Nothing(what.to_owned());
    if matches!(mistake, Mistake::Deadlock | Mistake::EndState) {
        let is_deadlock = run.loop_start.is_none() && semantics.is_deadlock(run.last());
        return if is_deadlock { RunEvidence::Value(Belnap::False) } else { nothing("its last state is no deadlock") };
    }
    match &run.fault {
        Some((_, fault)) if Mistake::of(&fault.kind) == Some(mistake) => RunEvidence::Value(Belnap::False),
        Some((_, fault)) => {
            RunEvidence::Nothing(format!("what goes wrong at its end is another mistake: {}", fault.kind.name()))
        }
        None => nothing("nothing goes wrong at its end"),
    }
}

/// Who must step on the loop of a run: what the program declares, and everybody if the scheduler is fair.
fn scheduling(semantics: &Semantics<'_>, run: &Run, fair: bool) -> Scheduling {
    let mut found = linear::scheduling(semantics.program());
    if fair {
        let processes = run.states().map(|state| semantics.layout().frames(&state.slots).len()).max().unwrap_or(0);
        found.weak = (0..to_u32(processes)).filter(|pid| !found.strong.contains(pid)).collect();
    }
    found
}

/// The run, with steps taken by those who must step where several can take one; or why it does not count.
fn fair_run(semantics: &Semantics<'_>, run: &Run, fairness: &Scheduling) -> Result<Run, RunEvidence> {
    let Some(start) = run.loop_start else { return Ok(run.clone()) };
    let states: Vec<State> = run.states().cloned().collect();
    let (stem, cycle) = (&states[..start], &states[start..states.len() - 1]);
    let wanted: Vec<u32> = fairness.weak.iter().chain(&fairness.strong).copied().collect();
    let led = run::connect_lasso(semantics, stem, cycle, &wanted)
        .map_err(|_| RunEvidence::Nothing("it is not a run of the program".to_owned()))?;
    let rests = led.steps.iter().any(|taken| taken.moves.is_empty());
    if (rests || !wanted.is_empty()) && cycle.iter().any(|state| goes_on_unknown(semantics, state)) {
        return Err(RunEvidence::Open("it is not known how the program can go on from a state of its loop".to_owned()));
    }
    match wanted.iter().find(|&&pid| starves(semantics, &led, cycle, fairness.strong.contains(&pid), pid)) {
        Some(pid) => Err(RunEvidence::Nothing(format!("it is not fair to the process with number {pid}"))),
        None => Ok(led),
    }
}

/// Whether a limit of running programs hides what can come next.
fn goes_on_unknown(semantics: &Semantics<'_>, state: &State) -> bool {
    let hidden = |outcome: &Outcome| matches!(outcome, Outcome::Fault { fault, .. } if !fault.kind.is_error());
    semantics.successors(state).iter().any(|successor| hidden(&successor.outcome))
}

/// Whether a process never steps on the loop although fairness wants it to.
fn starves(semantics: &Semantics<'_>, run: &Run, cycle: &[State], strong: bool, pid: u32) -> bool {
    let start = run.loop_start.unwrap_or(0);
    if run.steps[start..].iter().any(|taken| moved_by(&taken.moves) == Some(pid)) {
        return false;
    }
    let can_step = |state: &State| {
        let mut successors = semantics.successors(state).into_iter();
        successors.any(|next| moved_by(&next.moves) == Some(pid) && arrival(&next.outcome).is_some())
    };
    if strong { cycle.iter().any(can_step) } else { cycle.iter().all(can_step) }
}

/// The value of a formula, as far as this run settles it.
fn valued(semantics: &Semantics<'_>, asked: &PropertyQuery, run: &Run) -> RunEvidence {
    // Where a state without successors is not repeated for ever, a path that rests is none.
    let rests = run.steps.iter().any(|taken| taken.moves.is_empty());
    if rests && asked.formula.logic() != Logic::Ltl {
        return RunEvidence::Open(
            "it rests at a state without successors, which branching formulas may not count".to_owned(),
        );
    }
    let seen = narration::seen(semantics, asked, run);
    if seen.atoms.iter().flatten().any(|value| !matches!(value, Belnap::True | Belnap::False)) {
        return RunEvidence::Open("a condition of the formula has no value in one of its states".to_owned());
    }
    match tertium_trace::unfold::value(&asked.formula, &seen) {
        value @ (Belnap::True | Belnap::False) if asked.formula.logic() != Logic::Ltl => RunEvidence::Value(value),
        Belnap::False => RunEvidence::Value(Belnap::False),
        Belnap::True => RunEvidence::Nothing("the formula holds on it".to_owned()),
        _ if run.loop_start.is_none() => RunEvidence::Nothing("it ends before the formula is decided".to_owned()),
        _ => RunEvidence::Open("the formula speaks of other runs, too".to_owned()),
    }
}

/// Whether what watches infinite runs accepts this one.
fn matched(semantics: &Semantics<'_>, watched: &MonitorQuery, run: &Run) -> Result<RunEvidence, Failure> {
    let whole = if run.loop_start.is_some() { run.clone() } else { prolonged(run) };
    let read = match watched.kind {
        WatchKind::Claim(claim) => match notes::Notes::of(semantics, claim)? {
            Some(notes) => notes.judged(whole),
            None => claims::judged(semantics, &claims::automaton(semantics.program(), watched.kind)?, whole),
        },
        kind => {
            let automaton = claims::automaton(semantics.program(), kind)?;
            let rests = run.loop_start.is_none() || run.steps.iter().any(|taken| taken.moves.is_empty());
            if !automaton.stutters && rests {
                return Ok(RunEvidence::Nothing("it ends, and a run that ends is no cycle".to_owned()));
            }
            claims::judged(semantics, &automaton, whole)
        }
    };
    // A finite run shows something only if what is forbidden has happened when its last state was read.
    let stays = semantics.successors(run.last()).is_empty();
    let happened = |read: &Run| stays || (read.loop_start.is_none() && read.steps.len() <= run.steps.len());
    Ok(match read {
        Ok(read) if run.loop_start.is_some() || happened(&read) => RunEvidence::Value(Belnap::False),
        Ok(_) | Err(Failure::Internal(_)) => RunEvidence::Nothing("nothing that is forbidden happens on it".to_owned()),
        Err(failure) => return Err(failure),
    })
}

/// A finite run as one that stays at its last state, with one position more before that: so it can be told whether something has
/// happened by the end of the run or only while it stays.
fn prolonged(run: &Run) -> Run {
    let mut whole = run.clone();
    let stay = run::Taken { moves: Vec::new(), state: run.last().clone() };
    whole.steps.extend([stay.clone(), stay.clone(), stay]);
    whole.loop_start = Some(run.steps.len() + 2);
    whole
}
