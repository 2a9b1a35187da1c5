//! Which run does a trail of Spin describe?
//!
//! A trail names the process of every step and a number of Spin's own for the transition. The numbers depend on how Spin
//! arranged the model, so the run is found again by a search: over what the named process can do at each line, back and
//! forth until the whole trail fits and ends as a counterexample does. Numbers still help: they grow with the text,
//! and one number is one statement. Runs for which that is so are looked for first; [`Followed::numbers`] says whether
//! one was found.
//!
//! Not here: what the steps of a claim in the trail were. They are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tertium_base::narrow::to_usize;
use tertium_base::{Budget, Diagnostic};
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{Fault, FaultKind, Hold, LocationId, Move, Outcome, ProcessId, Semantics, State};

use crate::run::{Run, Taken};
use tertium_load::Failure;
use tertium_load::program::{Language, ProgramFile};

/// Longer trails are refused: the search keeps a state per line.
const MOST_LINES: usize = 1 << 20;
/// Moves that a search with numbers may try per line of the trail, and at least.
const TRIES_PER_LINE: usize = 64;
/// See [`TRIES_PER_LINE`].
const LEAST_TRIES: usize = 100_000;
/// Spin merges statements into one step; more than this many of one process in a row are not tried.
const MOST_MERGED: usize = 32;

/// One step of the trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    pid: u32,
    number: i64,
    /// Whether a claim moved just before. It does in visible states alone, so no atomic block was under way.
    after_claim: bool,
}

/// A trail as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trail {
    lines: Vec<Line>,
    /// The position in `lines` where the part begins that goes on for ever.
    cycle: Option<usize>,
    /// How many steps of a claim were left out; none if there was no claim.
    claim_steps: Option<usize>,
    /// Whether the last thing read was a step of the claim.
    claim_moved: bool,
    merged: bool,
}

/// What the numbers of the transitions say about the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// They grow with the text.
    InOrder,
    /// Each stands for one statement.
    Consistent,
    /// No run of these processes gives each number one statement.
    Contradict,
    /// There were too many runs to compare.
    NotCompared,
}

/// A run that fits a trail.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The run.
    pub run: Run,
    /// How it fits the numbers.
    pub numbers: Numbers,
    /// Whether it ends as counterexamples do.
    pub ends_badly: bool,
    /// Steps of a claim that were left out.
    pub claim_steps: usize,
}

fn unreadable(line: usize, text: &str) -> Failure {
    let shown: String = text.chars().take(40).collect();
    Diagnostic::error("E0595", format!("line {line} of the trail is no step: `{shown}`"))
        .help("a trail of Spin consists of lines `depth:process:transition`")
        .into()
}

/// Reads the trail in a file's text, for a program.
///
/// # Errors
/// If it is no trail, or the program is none of Promela.
pub fn of(file: &ProgramFile, path: &Path, text: &str) -> Result<Trail, Failure> {
    if file.language != Language::Promela {
        let what = format!("`{}` is a trail of Spin, but the program is none of Promela", path.display());
        return Err(Diagnostic::error("E0595", what).help("give the model that the trail was made from").into());
    }
    read(text)
}

/// Reads a trail.
///
/// # Errors
/// If a line is none of a trail.
pub fn read(text: &str) -> Result<Trail, Failure> {
    let mut trail = Trail { lines: Vec::new(), cycle: None, claim_steps: None, claim_moved: false, merged: false };
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || unreadable(at + 1, line);
        let fields: Result<Vec<i64>, _> = line.trim().split(':').map(str::parse).collect();
        let Ok([depth, pid, number]) = <[i64; 3]>::try_from(fields.map_err(|_| wrong())?) else { return Err(wrong()) };
        match depth {
            -1 => trail.cycle = Some(trail.lines.len()),
            -2 => trail.claim_steps = Some(0),
            -4 => trail.merged = true,
            _ if depth < 0 => {}
            _ => trail.step(u32::try_from(pid).map_err(|_| wrong())?, number),
        }
        if trail.lines.len() > MOST_LINES {
            return Err(Diagnostic::error("E0595", format!("the trail has more than {MOST_LINES} steps")).into());
        }
    }
    Ok(trail)
}

impl Trail {
    /// With a claim, the claim is process 0 and the others follow.
    fn step(&mut self, pid: u32, number: i64) {
        let pid = match (&mut self.claim_steps, pid.checked_sub(1)) {
            (None, _) => pid,
            (Some(_), Some(pid)) => pid,
            (Some(count), None) => {
                *count += 1;
                self.claim_moved = true;
                return;
            }
        };
        self.lines.push(Line { pid, number, after_claim: self.claim_moved });
        self.claim_moved = false;
    }
}

/// Looks for the run of a trail.
///
/// # Errors
/// If no run fits, or a limit is reached.
pub fn follow(semantics: &Semantics<'_>, first: &State, trail: &Trail, budget: &Budget) -> Result<Followed, Failure> {
    let mut furthest = 0;
    // Steps of a claim say nothing about how the run itself ends, unless it goes round.
    let bad_ends: &[bool] =
        if trail.claim_steps.is_some() && trail.cycle.is_none() { &[false] } else { &[true, false] };
    for &ends_badly in bad_ends {
        let mut compared = true;
        for use_of in [Numbers::InOrder, Numbers::Consistent, Numbers::Contradict] {
            let mut search = TrailSearch::new(semantics, trail, use_of, ends_badly);
            let found = search.run(first, budget)?;
            furthest = furthest.max(search.furthest);
            compared &= !search.gave_up;
            if let Some(run) = found {
                let numbers = if use_of == Numbers::Contradict && !compared { Numbers::NotCompared } else { use_of };
                let ends_badly = run.fault.is_some() || run.deadlock || run.loop_start.is_some();
                return Ok(Followed { run, numbers, ends_badly, claim_steps: trail.claim_steps.unwrap_or(0) });
            }
        }
    }
    let place = if furthest < trail.lines.len() {
        format!("process {} cannot make step {} of it", trail.lines[furthest].pid, furthest + 1)
    } else {
        "its cycle is none".to_owned()
    };
    Err(Diagnostic::error("E0596", format!("no run of this model fits the trail: {place}"))
        .note("steps of a claim are not counted")
        .help("the trail may be one of another model, or of other macros (`-D`)")
        .into())
}

/// One move that was chosen, and what else there was.
struct ChosenMove {
    line: usize,
    state: State,
    /// Moves of the process of the line before that it may have merged.
    merged: usize,
    options: Vec<Candidate>,
    /// The frame in which the cycle begins: the one whose move accounts for its first line.
    entry: Option<usize>,
    /// The numbers that the move which is being tried was the first to use.
    bound: Vec<i64>,
}

#[derive(Clone)]
struct Candidate {
    mv: Move,
    /// Lines of the trail that it accounts for.
    lines: usize,
}

struct TrailSearch<'s, 'p> {
    semantics: &'s Semantics<'p>,
    trail: &'s Trail,
    numbers: Numbers,
    must_end_badly: bool,
    /// The statement that each number stands for.
    known: BTreeMap<i64, (usize, usize)>,
    /// Where the search without numbers has been: the line, the state, and the state in which the cycle began.
    seen: BTreeSet<(usize, State, Option<State>)>,
    tries: usize,
    gave_up: bool,
    furthest: usize,
}

/// What a move leads to.
enum After {
    State(State),
    Fault(Fault),
}

impl<'s, 'p> TrailSearch<'s, 'p> {
    fn new(semantics: &'s Semantics<'p>, trail: &'s Trail, numbers: Numbers, must_end_badly: bool) -> Self {
        let (known, seen) = (BTreeMap::new(), BTreeSet::new());
        Self { semantics, trail, numbers, must_end_badly, known, seen, tries: 0, gave_up: false, furthest: 0 }
    }

    fn run(&mut self, first: &State, budget: &Budget) -> Result<Option<Run>, Failure> {
        let most = LEAST_TRIES.max(self.trail.lines.len().saturating_mul(TRIES_PER_LINE));
        let mut path = vec![self.frame(0, first.clone(), 0, None)];
        let mut moves: Vec<Candidate> = Vec::new();
        if self.is_end(&path, None) {
            return Ok(Some(self.finished(&path, &moves, None)));
        }
        loop {
            let depth = path.len().saturating_sub(1);
            let Some(frame) = path.last_mut() else { return Ok(None) };
            budget.check()?;
            for number in frame.bound.drain(..) {
                self.known.remove(&number);
            }
            moves.truncate(depth);
            let Some(candidate) = frame.options.pop() else {
                path.pop();
                continue;
            };
            self.tries += 1;
            if self.numbers != Numbers::Contradict && self.tries > most {
                self.gave_up = true;
                return Ok(None);
            }
            let (line, merged, from) = (frame.line + candidate.lines, frame.merged, frame.state.clone());
            let begins = candidate.lines > 0 && self.trail.cycle.is_some_and(|start| frame.line >= start);
            let mut entry = frame.entry;
            if !self.fits(frame, &candidate) {
                continue;
            }
            self.furthest = self.furthest.max(line);
            let merged = if candidate.lines > 0 { 0 } else { merged + 1 };
            let after = self.after(&from, &candidate.mv);
            entry = entry.or(begins.then(|| path.len() - 1));
            moves.push(candidate);
            match after {
                Some(After::State(next)) => {
                    if self.numbers == Numbers::Contradict {
                        let began = entry.map(|at| path[at].state.clone());
                        if !self.seen.insert((line, next.clone(), began)) {
                            continue;
                        }
                    }
                    path.push(self.frame(line, next, merged, entry));
                    if self.is_end(&path, None) {
                        return Ok(Some(self.finished(&path, &moves, None)));
                    }
                }
                Some(After::Fault(fault)) if line == self.trail.lines.len() => {
                    if self.is_end(&path, Some(&fault)) {
                        return Ok(Some(self.finished(&path, &moves, Some(fault))));
                    }
                }
                Some(After::Fault(_)) | None => {}
            }
        }
    }

    /// What can be tried in a state, the most likely last: what accounts for the next line before what the line before
    /// may have merged.
    fn frame(&self, line: usize, state: State, merged: usize, entry: Option<usize>) -> ChosenMove {
        let lines = &self.trail.lines;
        // A `d_step` is one line, and a claim does not move inside any block.
        let claim_moves = lines.get(line).is_some_and(|line| line.after_claim);
        let in_d_step = self.is_inside_d_step(&state);
        let inside = in_d_step || (state.holder.is_some() && claim_moves);
        let (mut next, mut silent) = (Vec::new(), Vec::new());
        for mv in self.semantics.moves(&state) {
            let pids: Vec<u32> = std::iter::once(mv.pid).chain(mv.partner.map(|(pid, _)| pid)).collect();
            let follows = lines
                .get(line..line + pids.len())
                .is_some_and(|wanted| wanted.iter().zip(&pids).all(|(line, pid)| line.pid == *pid));
            let before = line.checked_sub(1).map(|at| lines[at].pid);
            let may_be_merged = self.trail.merged && merged < MOST_MERGED && mv.partner.is_none();
            if !inside && follows {
                next.push(Candidate { mv: mv.clone(), lines: pids.len() });
            }
            if before == Some(mv.pid) && (in_d_step || may_be_merged) {
                silent.push(Candidate { mv, lines: 0 });
            }
        }
        let merged = if in_d_step { 0 } else { merged };
        let options = next.into_iter().chain(silent).rev().collect();
        ChosenMove { line, state, merged, options, entry, bound: Vec::new() }
    }

    /// A whole `d_step` is one line.
    fn is_inside_d_step(&self, state: &State) -> bool {
        let Some(holder) = state.holder else { return false };
        let frames = self.semantics.layout().frames(&state.slots);
        let Some(&frame) = frames.get(holder as usize) else { return false };
        let process = ProcessId::new(to_usize(state.slots[frame + FRAME_PROCESS]));
        let location = LocationId::new(to_usize(state.slots[frame + FRAME_LOCATION]));
        self.semantics.program().location(process, location).hold == Hold::Deterministic
    }

    /// Whether the numbers of the lines may stand for the statements of a move; notes them as far as they do.
    fn fits(&mut self, frame: &mut ChosenMove, candidate: &Candidate) -> bool {
        if self.numbers == Numbers::Contradict {
            return true;
        }
        let steps = std::iter::once(candidate.mv.step).chain(candidate.mv.partner.map(|(_, step)| step));
        for (line, id) in self.trail.lines[frame.line..frame.line + candidate.lines].iter().zip(steps) {
            let step = self.semantics.program().step(id);
            let place = (step.process.index(), step.span.start);
            match self.known.get(&line.number) {
                Some(&known) if known != place => return false,
                Some(_) => {}
                None if self.numbers == Numbers::InOrder && !self.in_order(line.number, place) => return false,
                None => {
                    self.known.insert(line.number, place);
                    frame.bound.push(line.number);
                }
            }
        }
        true
    }

    /// Whether smaller numbers stand before this place and larger ones behind it.
    fn in_order(&self, number: i64, (_, place): (usize, usize)) -> bool {
        let before = self.known.range(..number).next_back().is_none_or(|(_, known)| known.1 < place);
        before && self.known.range(number..).next().is_none_or(|(_, known)| place < known.1)
    }

    /// Executes a move; a block that waits is left.
    fn after(&self, from: &State, mv: &Move) -> Option<After> {
        match self.semantics.execute(from, mv)? {
            Outcome::Fault { fault, .. } => Some(After::Fault(fault)),
            Outcome::Next(next) if next.holder.is_some() && self.semantics.moves(&next).is_empty() => {
                if self.is_inside_d_step(&next) {
                    let kind = FaultKind::BlockedInDeterministic;
                    return Some(After::Fault(Fault { kind, step: Some(mv.step) }));
                }
                Some(After::State(State::visible(next.slots)))
            }
            Outcome::Next(next) => Some(After::State(next)),
        }
    }

    /// Whether the trail ends here as it should.
    fn is_end(&self, path: &[ChosenMove], fault: Option<&Fault>) -> bool {
        let Some(last) = path.last() else { return false };
        if fault.is_some() {
            return self.trail.cycle.is_none();
        }
        if last.line < self.trail.lines.len() || last.state.holder.is_some() {
            return false;
        }
        match self.trail.cycle {
            Some(_) => last.entry.is_none_or(|at| path[at].state == last.state),
            None => !self.must_end_badly || self.semantics.is_deadlock(&last.state),
        }
    }

    /// The run through the frames.
    fn finished(&self, path: &[ChosenMove], moves: &[Candidate], fault: Option<Fault>) -> Run {
        let first = path[0].state.clone();
        let mut run = Run { first, steps: Vec::new(), loop_start: None, fault: None, deadlock: false };
        let entry = path.last().and_then(|last| last.entry);
        let mut block = Vec::new();
        for (at, candidate) in moves.iter().enumerate() {
            if entry == Some(at) {
                run.loop_start = Some(run.steps.len());
            }
            block.push(candidate.mv.clone());
            if let Some(next) = path.get(at + 1).filter(|next| next.state.holder.is_none()) {
                run.steps.push(Taken { moves: std::mem::take(&mut block), state: next.state.clone() });
            }
        }
        if self.trail.cycle.is_some() && entry.is_none() {
            // Nothing but the claim moves for ever: the last state stays.
            run.loop_start = Some(run.steps.len());
            run.steps.push(Taken { moves: Vec::new(), state: run.last().clone() });
        }
        run.deadlock = fault.is_none() && run.loop_start.is_none() && self.semantics.is_deadlock(run.last());
        run.fault = fault.map(|fault| (block, fault));
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_claims_and_cycles_are_read() {
        let trail = read("-2:2:-2\n-4:-4:-4\n1:0:13\n2:2:8\n-1:-1:-1\n3:0:19\n4:1:7\n").expect("a trail");
        let line = |pid, number| Line { pid, number, after_claim: true };
        assert_eq!(trail.lines, [line(1, 8), line(0, 7)]);
        assert_eq!((trail.cycle, trail.claim_steps, trail.merged), (Some(1), Some(2), true));
        let plain = read("1:0:13\n").expect("a trail");
        assert_eq!((plain.lines.len(), plain.cycle, plain.claim_steps, plain.merged), (1, None, None, false));
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["{}", "1:2", "1:2:3:4", "1:-2:3", "1:x:3", "1:99999999999999999999:3", "1:4294967296:1"] {
            assert!(matches!(read(text), Err(Failure::Input(_))), "{text}");
        }
    }
}
