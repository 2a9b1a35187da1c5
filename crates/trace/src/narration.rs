//! What else is there to see in a run?
//!
//! For people who walk through it: what every process could have done at each state, which message was received where, what
//! a loop does for each process, and what the parts of the formula are worth along the way. All of it is computed by the
//! definition of a step from the run alone.

use std::collections::BTreeMap;

use tertium_base::narrow::{to_u32, to_usize};
use tertium_lattice::Belnap;
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{
    Action, ChannelId, Fairness, LocationId, Move, ProcessId, Program, Semantics, Slot, State, StepId,
};

use crate::run::Run;
use crate::unfold::{Seen, Unfolded, unfold};
use crate::wording::statement;
use tertium_load::ProgramFile;
use tertium_load::questions::PropertyQuery;

/// Longer runs are told without what processes could have done.
const LONGEST_TOLD: usize = 20_000;
/// Messages are paired up in runs up to this length.
const LONGEST_PAIRED: usize = 20_000;

/// A statement that a process could come to next.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// Whose.
    pub pid: u32,
    /// Its name.
    pub process: String,
    /// Which.
    pub step: StepId,
}

/// What processes could do along a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// The statements that occur.
    pub candidates: Vec<Candidate>,
    /// For each state which of them come next, and whether each is possible.
    pub at: Vec<Vec<(usize, bool)>>,
}

/// A message through a channel with a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The channel.
    pub channel: String,
    /// The message.
    pub text: String,
    /// The step that sends it, counted from 1.
    pub from: usize,
    /// The step that receives it.
    pub to: Option<usize>,
}

/// What the loop of a lasso does for one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Treated {
    /// The process.
    pub process: String,
    /// What is assumed of the scheduler.
    pub declared: Fairness,
    /// How often it steps in one round.
    pub steps: usize,
    /// In how many states of the loop it could step.
    pub possible: usize,
    /// How many states the loop has.
    pub states: usize,
}

impl Treated {
    /// In words, with the assumption that would leave the loop out.
    #[must_use]
    pub fn remark(&self) -> String {
        let times = |count: usize| if count == 1 { "once".to_owned() } else { format!("{count} times") };
        match self.declared {
            _ if self.steps > 0 => format!("steps {} in each round", times(self.steps)),
            _ if self.possible == 0 => "waits for ever: no step of it is possible".to_owned(),
            Fairness::None if self.possible == self.states => {
                "never steps although it always could: weak fairness (`fair`) would exclude this loop".to_owned()
            }
            Fairness::None => {
                "never steps although it could now and then: only strong fairness would exclude this loop".to_owned()
            }
            Fairness::Weak => {
                "never steps; it cannot in every state, so weak fairness allows that (strong would not)".to_owned()
            }
            Fairness::Strong => "never steps".to_owned(),
        }
    }
}

/// The names of the processes that a run begins with or that step in it, by pid.
#[must_use]
pub fn processes(file: &ProgramFile, run: &Run) -> Vec<String> {
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    let layout = tertium_program::layout::Layout::of(&file.program);
    for (pid, frame) in layout.frames(&run.first.slots).into_iter().enumerate() {
        let process = ProcessId::new(to_usize(run.first.slots[frame + FRAME_PROCESS]));
        names.insert(to_u32(pid), file.process_name(process, to_u32(pid)));
    }
    names.into_values().collect()
}

/// What processes could do in each state of a run; nothing if it is too long.
#[must_use]
pub fn choices(file: &ProgramFile, semantics: &Semantics<'_>, run: &Run) -> Choices {
    let mut found = Choices::default();
    if run.steps.len() > LONGEST_TOLD {
        return found;
    }
    let mut known: BTreeMap<(u32, StepId), usize> = BTreeMap::new();
    for state in run.states() {
        let moves = semantics.moves(state);
        let mut next = Vec::new();
        for (pid, step) in candidates(semantics, state) {
            let number = *known.entry((pid, step)).or_insert_with(|| {
                let process = file.process_name(file.program.step(step).process, pid);
                found.candidates.push(Candidate { pid, process, step });
                found.candidates.len() - 1
            });
            next.push((number, moves.iter().any(|mv| takes(mv, pid, step))));
        }
        found.at.push(next);
    }
    found
}

fn takes(mv: &Move, pid: u32, step: StepId) -> bool {
    (mv.pid == pid && mv.step == step) || mv.partner == Some((pid, step))
}

/// The statements at which the processes stand; ending is none.
fn candidates(semantics: &Semantics<'_>, state: &State) -> Vec<(u32, StepId)> {
    let program = semantics.program();
    let mut found = Vec::new();
    for (pid, frame) in semantics.layout().frames(&state.slots).into_iter().enumerate() {
        let process = ProcessId::new(to_usize(state.slots[frame + FRAME_PROCESS]));
        let location = LocationId::new(to_usize(state.slots[frame + FRAME_LOCATION]));
        let steps = &program.location(process, location).steps;
        let real = steps.iter().filter(|&&step| program.step(step).action != Action::End);
        found.extend(real.map(|&step| (to_u32(pid), step)));
    }
    found
}

/// A candidate's statement as it was written.
#[must_use]
pub fn candidate_text(program: &Program, candidate: &Candidate) -> String {
    statement(program, candidate.step, &[])
}

/// Which message was received where, seen from the contents of the channels.
#[must_use]
pub fn messages(semantics: &Semantics<'_>, run: &Run) -> Vec<Sent> {
    if semantics.program().channels.is_empty() || run.steps.len() > LONGEST_PAIRED {
        return Vec::new();
    }
    let mut sent: Vec<Sent> = Vec::new();
    let mut waiting: BTreeMap<(ChannelId, Option<u32>), Vec<usize>> = BTreeMap::new();
    let mut before = contents(semantics, &run.first);
    for (at, taken) in run.steps.iter().enumerate() {
        let now = contents(semantics, &taken.state);
        for (key, queue) in &now {
            let old = before.get(key).cloned().unwrap_or_default();
            let line = waiting.entry(*key).or_default();
            let position = old.iter().zip(queue).position(|(a, b)| a != b);
            if queue.len() == old.len() + 1 {
                let position = position.unwrap_or(old.len());
                line.insert(position.min(line.len()), sent.len());
                let channel = semantics.program().channel(key.0);
                sent.push(Sent {
                    channel: channel.name.clone(),
                    text: told(semantics.program(), key.0, &queue[position]),
                    from: at + 1,
                    to: None,
                });
            } else if queue.len() + 1 == old.len() {
                let position = position.unwrap_or(queue.len());
                if position < line.len() {
                    sent[line.remove(position)].to = Some(at + 1);
                }
            }
        }
        before = now;
    }
    sent
}

/// The messages in each channel with a buffer.
fn contents(semantics: &Semantics<'_>, state: &State) -> BTreeMap<(ChannelId, Option<u32>), Vec<Vec<i64>>> {
    let program = semantics.program();
    let mut found = BTreeMap::new();
    for (at, slot) in semantics.layout().slots(program, &state.slots).iter().enumerate() {
        if let Slot::Length { channel, pid } = *slot
            && program.channel(channel).capacity > 0
        {
            let width = program.channel(channel).fields.len();
            let message = |number: usize| {
                let first = at + 1 + number * width;
                state.slots[first..first + width].to_vec()
            };
            found.insert((channel, pid), (0..to_usize(state.slots[at])).map(message).collect());
        }
    }
    found
}

fn told(program: &Program, channel: ChannelId, message: &[i64]) -> String {
    let fields = program.channel(channel).fields.iter().zip(message);
    fields.map(|(&ty, &value)| program.show_value(ty, value)).collect::<Vec<_>>().join(" ")
}

/// What the loop of a lasso does for each process; nothing for other runs.
#[must_use]
pub fn treatment(file: &ProgramFile, semantics: &Semantics<'_>, run: &Run, fair: bool) -> Vec<Treated> {
    let Some(start) = run.loop_start else { return Vec::new() };
    let states: Vec<&State> = run.states().collect();
    let round = &states[start..states.len().saturating_sub(1).max(start)];
    let frames = semantics.layout().frames(&states[start].slots);
    let mut found = Vec::new();
    for (pid, frame) in frames.into_iter().enumerate() {
        let process = ProcessId::new(to_usize(states[start].slots[frame + FRAME_PROCESS]));
        let pid = to_u32(pid);
        let by = |mv: &Move| mv.pid == pid || mv.partner.is_some_and(|(partner, _)| partner == pid);
        let steps = run.steps[start..].iter().filter(|taken| taken.moves.iter().any(by)).count();
        let possible = round.iter().filter(|state| semantics.moves(state).iter().any(by)).count();
        let declared = if fair { Fairness::Weak } else { file.program.process(process).fairness };
        let process = file.process_name(process, pid);
        found.push(Treated { process, declared, steps, possible, states: round.len() });
    }
    found
}

/// The formula along a run of the program.
#[must_use]
pub fn along(semantics: &Semantics<'_>, asked: &PropertyQuery, run: &Run) -> Unfolded {
    unfold(&asked.formula, &seen(semantics, asked, run))
}

/// A run of the program as the atoms of a formula see it.
#[must_use]
pub fn seen(semantics: &Semantics<'_>, asked: &PropertyQuery, run: &Run) -> Seen {
    let value = |atom: &tertium_program::ExprId, state: &State| match semantics.observe(*atom, state) {
        Ok(0) => Belnap::False,
        Ok(_) => Belnap::True,
        Err(_) => Belnap::Unknown,
    };
    let mut atoms: Vec<Vec<Belnap>> =
        run.states().map(|state| asked.atoms.iter().map(|atom| value(atom, state)).collect()).collect();
    // The last state of a lasso is the one to which it returns.
    if run.loop_start.is_some() && atoms.len() > 1 {
        atoms.pop();
    }
    Seen { atoms, loop_start: run.loop_start, certain: true }
}
