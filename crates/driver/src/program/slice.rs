//! Slicing: how is what was found on a program without some of its variables told of the whole program?
//!
//! A [`Slice`] is the program without what cannot matter to some questions ([cone of influence](tertium_program::analysis::cone_of_influence)). It has the values of the program, and its runs
//! are projections of the program's: [`Slice::lift`] repeats a run on the program itself by the definition of a step, with the same moves and inputs, so that what was left out
//! has its true values. A cycle of the slice need not close in the program, where something may count: it is then told with why it can be taken for ever
//! ([`Repeats`]), and never as a loop. What proves it is in `slice_proof`.

use std::collections::BTreeSet;

use tertium_cegar::limits;
use tertium_cegar::predicate_abstraction::basis::Basis;
use tertium_evidence::abstraction::{Abstraction, Structure};
use tertium_kernel::vocabulary::Vocabulary;
use tertium_program::analysis::cone_of_influence::{Part, slice};
use tertium_program::analysis::copy_propagation::Propagation;
use tertium_program::{ExprId, LocationId, Outcome, ProcessId, Semantics, Slot, State, Step, VarId};

use super::answer::{ProgramAnswer, Repeats};
use super::live_ranges::LiveRanges;
use super::questions::{Mistake, Question};
use super::run::{self, Run, Taken, goes_on};
use super::{ProgramFile, slice_proof};
use crate::failure::Failure;

/// A cycle is gone round at most so often until what was left out has the same values again.
const MOST_ROUNDS: usize = 64;
/// And with at most so many steps.
const MOST_STEPS: usize = 4_000;

/// A program without what cannot matter to some questions.
#[derive(Clone, Debug)]
pub struct Slice<'a> {
    /// The whole program.
    pub whole: &'a ProgramFile,
    /// The program without assignments to what is left out.
    pub file: ProgramFile,
    /// What is left out.
    pub left_out: BTreeSet<VarId>,
    /// The processes that are left out: they stay where they begin.
    pub idle: BTreeSet<ProcessId>,
    /// What the slice rests on where copies were propagated: what holds in the program whenever a process is at a location.
    facts: Vec<(ProcessId, LocationId, ExprId)>,
    /// Where locals are dead, if the slice forgets them.
    live_ranges: Option<LiveRanges>,
}

impl<'a> Slice<'a> {
    /// A part of a program; none if nothing is left out.
    #[must_use]
    pub fn of(whole: &'a ProgramFile, part: &Part) -> Option<Self> {
        Self::with_copies(whole, None, part)
    }

    /// A part of a program in which copies were propagated.
    #[must_use]
    pub fn with_copies(whole: &'a ProgramFile, copies: Option<&Propagation>, part: &Part) -> Option<Self> {
        let program = slice(copies.map_or(&whole.program, |copies| &copies.program), part);
        if program.left_out.is_empty() && part.idle.is_empty() {
            return None;
        }
        let left_out = program.left_out.clone();
        let facts = copies.map(|copies| copies.facts.clone()).unwrap_or_default();
        let idle = part.idle.clone();
        Some(Self { whole, file: ProgramFile { program, ..whole.clone() }, left_out, idle, facts, live_ranges: None })
    }

    /// The program in which locals are forgotten where questions about `seen` cannot tell; none if nothing is.
    #[must_use]
    pub fn with_live_ranges(whole: &'a ProgramFile, seen: &[ExprId]) -> Option<Self> {
        let live_ranges = LiveRanges::of(&whole.program, seen)?;
        let file = ProgramFile { program: live_ranges.program.clone(), ..whole.clone() };
        let left_out = whole.program.left_out.clone();
        Some(Self { whole, file, left_out, idle: BTreeSet::new(), facts: Vec::new(), live_ranges: Some(live_ranges) })
    }

    /// A program without what was left out of an answer.
    #[must_use]
    pub fn behind(whole: &'a ProgramFile, answer: &ProgramAnswer) -> Option<Self> {
        let variables = whole.program.variable_ids().filter(|var| !answer.left_out.contains(var)).collect();
        let copies = Propagation::of(&whole.program, &answer.left_out);
        Self::with_copies(whole, copies.as_ref(), &Part { variables, idle: answer.idle.clone() })
    }

    /// Says in a proof what the slice rests on, and nothing about where processes are that it leaves out.
    pub(super) fn complete(&self, over: &mut Abstraction, structure: Option<&mut Structure>) {
        if let Some(live_ranges) = &self.live_ranges {
            live_ranges.pull_back(over, structure);
        }
        if self.idle.is_empty() && self.facts.is_empty() {
            return;
        }
        let program = &self.file.program;
        for state in &mut over.states {
            for (instance, at) in program.instances.iter().zip(&mut state.at) {
                if self.idle.contains(&instance.process) {
                    *at = None;
                }
            }
        }
        let Ok(mut words) = Vocabulary::new(program) else { return };
        for &(process, location, fact) in &self.facts {
            let Some(pid) = program.instances.iter().position(|instance| instance.process == process) else { continue };
            if let Ok(Some(told)) = words.holds_at((pid, location.index()), Some(fact)) {
                over.always.push(told);
            }
        }
    }

    /// An answer about the slice as one about the program; none if its run cannot be told of the program: values become too large to be
    /// computed, or something counts in a block that never ends.
    ///
    /// # Errors
    /// If the definition of a step does not repeat the run, which is a fault of this program.
    pub fn lift(&self, question: &Question, mut answer: ProgramAnswer) -> Result<Option<ProgramAnswer>, Failure> {
        // Families are counted by what the text says, and a system of one size is another program: neither was sliced.
        let counted = matches!(answer.basis(), Some(Basis::Counted(_)));
        if counted || answer.system().is_some() {
            return Ok(Some(answer));
        }
        if self.live_ranges.is_none() {
            answer.left_out.clone_from(&self.left_out);
            answer.idle.clone_from(&self.idle);
        }
        self.complete_basis(&mut answer);
        let Some(found) = answer.run().cloned() else { return Ok(Some(answer)) };
        let lifting = Lifting { slice: self, semantics: Semantics::new(&self.whole.program) };
        let lifted = match lifting.run(&found) {
            // A block in which something counts repeats no state: whether it ends is asked of the whole program.
            Err(_) if matches!(question, Question::Never(never) if never.mistake == Mistake::EndlessAtomic) => None,
            lifted => lifted?,
        };
        let Some((run, repeats)) = lifted else { return Ok(None) };
        // What is dead differs from round to round, and proofs of such cycles say what every cell holds.
        if repeats.is_some() && self.live_ranges.is_some() {
            return Ok(None);
        }
        let basis = repeats.as_ref().map(|_| match question {
            Question::Property(asked) => slice_proof::lasso(self, asked, &found),
            _ => Basis::Untold("a cycle that closes in no state is proved for properties only".to_owned()),
        });
        answer.show(|evidence| {
            evidence.run = Some(run);
            if repeats.is_some() {
                evidence.repeats = repeats;
                evidence.basis = basis.map(std::sync::Arc::new);
            }
        });
        Ok(Some(answer))
    }
}

impl Slice<'_> {
    fn complete_basis(&self, answer: &mut ProgramAnswer) {
        let basis = match answer.basis() {
            Some(Basis::States(over)) => {
                let mut over = over.clone();
                self.complete(&mut over, None);
                over.states.sort();
                over.states.dedup();
                Basis::States(over)
            }
            Some(Basis::Structure(over, structure)) => {
                let (mut over, mut structure) = (over.clone(), structure.clone());
                self.complete(&mut over, Some(&mut structure));
                Basis::Structure(over, structure)
            }
            _ => return,
        };
        answer.show(|evidence| evidence.basis = Some(std::sync::Arc::new(basis)));
    }
}

/// Repeats runs of a slice on the program.
struct Lifting<'a> {
    slice: &'a Slice<'a>,
    semantics: Semantics<'a>,
}

/// A run of the program, and why its end can be taken for ever if no state of it repeats.
type LiftedRun = (Run, Option<Repeats>);

impl Lifting<'_> {
    fn run(&self, found: &Run) -> Result<Option<LiftedRun>, Failure> {
        if self.semantics.is_initial(&found.first) != Ok(true) {
            return Err(lost("it begins elsewhere"));
        }
        let mut lifted =
            Run { first: found.first.clone(), steps: Vec::new(), loop_start: None, fault: None, deadlock: false };
        if !self.follow(&mut lifted, &found.steps)? {
            return Ok(None);
        }
        if let Some((_, fault)) = &found.fault {
            lifted = run::with_fault(&self.semantics, lifted, fault)?;
        }
        if found.deadlock {
            lifted = run::with_deadlock(&self.semantics, lifted)?;
        }
        match found.loop_start {
            None => Ok(Some((lifted, None))),
            Some(start) => self.endless(lifted, &found.steps[start..], start),
        }
    }

    /// Takes the same steps; says whether all of them can be computed.
    fn follow(&self, lifted: &mut Run, steps: &[Taken]) -> Result<bool, Failure> {
        for taken in steps {
            if taken.moves.is_empty() {
                let state = lifted.last().clone();
                lifted.steps.push(Taken { moves: Vec::new(), state });
                continue;
            }
            let outcome = run::execute(&self.semantics, lifted.last(), &taken.moves)?;
            if matches!(&outcome, Outcome::Fault { fault, .. } if !fault.kind.is_error()) {
                return Ok(false);
            }
            let Some(next) = goes_on(&self.semantics, &outcome) else { return Err(lost("a step goes wrong")) };
            let state = State::visible(next.slots.clone());
            if self.seen(&state) != self.seen(&taken.state) {
                return Err(lost("a step leads elsewhere"));
            }
            lifted.steps.push(Taken { moves: taken.moves.clone(), state });
        }
        Ok(true)
    }

    /// A state as the slice sees it.
    fn seen(&self, state: &State) -> Vec<i64> {
        let (program, layout) = (&self.slice.whole.program, self.semantics.layout());
        let mut slots = match &self.slice.live_ranges {
            Some(live_ranges) => live_ranges.image(&self.semantics, state).slots,
            None => state.slots.clone(),
        };
        for (at, slot) in layout.slots(program, &state.slots).into_iter().enumerate() {
            if matches!(slot, Slot::Cell { var, .. } if self.slice.left_out.contains(&var)) {
                slots[at] = 0;
            }
        }
        slots
    }

    /// Goes round a cycle until a state comes back; if none does soon, says why it can be taken for ever.
    fn endless(&self, mut lifted: Run, cycle: &[Taken], start: usize) -> Result<Option<LiftedRun>, Failure> {
        let mut begins = vec![start];
        let rounds = MOST_ROUNDS.min(MOST_STEPS / cycle.len().max(1)).max(1);
        for round in 0..rounds {
            if round > 0 && !self.follow(&mut lifted, cycle)? {
                break;
            }
            let states: Vec<&State> = lifted.states().collect();
            let last = states.len() - 1;
            if let Some(&begin) = begins.iter().find(|&&begin| states[begin] == states[last]) {
                lifted.loop_start = Some(begin);
                return Ok(Some((lifted, None)));
            }
            begins.push(last);
        }
        let shown = start + limits::RECURRENT_SETS_SHOWN * cycle.len();
        if lifted.steps.len() < shown && !self.follow_to(&mut lifted, cycle, shown)? {
            return Ok(None);
        }
        lifted.steps.truncate(shown);
        let whenever = self.whenever(lifted.states().nth(start).unwrap_or(&lifted.first));
        Ok(Some((lifted, Some(Repeats { start, length: cycle.len(), whenever }))))
    }

    fn follow_to(&self, lifted: &mut Run, cycle: &[Taken], steps: usize) -> Result<bool, Failure> {
        while lifted.steps.len() < steps {
            if !self.follow(lifted, cycle)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What makes the cycle possible, and holds again after it: the values of what matters and can change.
    fn whenever(&self, state: &State) -> Vec<String> {
        let (program, layout) = (&self.slice.file.program, self.semantics.layout());
        let assigned: BTreeSet<VarId> = program.steps.iter().flat_map(Step::written).collect();
        let mut told = Vec::new();
        for (slot, &value) in layout.slots(program, &state.slots).into_iter().zip(&state.slots) {
            let matters = match slot {
                Slot::Cell { var, .. } => assigned.contains(&var),
                Slot::Length { .. } | Slot::Message { .. } => true,
                _ => false,
            };
            if matters {
                let name = program.slot_name(layout, &state.slots, slot);
                told.push(format!("{name} = {}", program.slot_value(slot, value)));
            }
        }
        told
    }
}

fn lost(what: &str) -> Failure {
    Failure::Internal(format!("a run of a slice cannot be repeated on the program: {what}"))
}
