//! What does the program do, one step at a time?
//!
//! A [`Simulator`] holds the states passed so far. Whoever leads it (chance, a stored run, a person) picks from what the
//! definition of a step offers. A stored run can be a guide: one goes along it, leaves it for another step, and comes back.

mod guide;
mod watch;

use tertium_base::narrow::below;
use tertium_base::{Budget, Diagnostic};
use tertium_program::{Fault, Move, Outcome, Semantics, State, Successor};

use crate::itf::Stored;
use crate::run::{self, Run, Taken, arrival};
use crate::trail::{self, Followed, Trail};
use crate::wording::{self, StepNarration};
pub use guide::{Beside, Until};
use tertium_load::Failure;
use tertium_load::program::ProgramFile;
use watch::Watch;

/// At most this many candidates for initial states are tried.
const MOST_INITIAL: u64 = 1 << 20;

/// Numbers that look like chance, the same for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// Begins at a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        below(mixed ^ (mixed >> 31), bound.max(1))
    }
}

/// Something that can be done next.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Who does what.
    pub told: StepNarration,
    /// What goes wrong if it is done.
    pub fault: Option<String>,
    successor: Successor,
}

/// Why a run has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The last step went wrong.
    Fault(String),
    /// What the last step leads to cannot be computed, which says nothing about the program.
    Limit(String),
    /// No process can step although not all are at their ends.
    Deadlock,
    /// All processes are at their ends.
    Finished,
}

/// A walk through the states of a program.
#[derive(Debug)]
pub struct Simulator<'f> {
    file: &'f ProgramFile,
    semantics: Semantics<'f>,
    initial: Vec<State>,
    run: Run,
    watches: Vec<Watch>,
    /// A stored run to go along.
    guide: Option<Run>,
}

impl<'f> Simulator<'f> {
    /// Starts in the first initial state.
    ///
    /// # Errors
    /// If there is none, or they cannot be listed.
    pub fn new(file: &'f ProgramFile, budget: &Budget) -> Result<Self, Failure> {
        let semantics = Semantics::new(&file.program).within(budget);
        let initial = match semantics.initial_states(MOST_INITIAL, budget) {
            Ok(states) => states,
            Err(tertium_program::NoInitialStates::Stopped(stopped)) => return Err(stopped.into()),
            Err(why) => return Err(no_start(file, &why)),
        };
        let Some(first) = initial.first().cloned() else {
            return Err(Diagnostic::error("E0323", "the program has no initial state")
                .help("look at `init`: no values of the variables satisfy it")
                .into());
        };
        let run = Run { first, steps: Vec::new(), loop_start: None, fault: None, deadlock: false };
        Ok(Self { file, semantics, initial, run, watches: Vec::new(), guide: None })
    }

    /// Starts where a stored run starts, also where initial states cannot be listed; whether that is one of them, and what
    /// comes next, [`Self::replay`] finds out.
    #[must_use]
    pub fn along(file: &'f ProgramFile, stored: &Stored) -> Self {
        let first = stored.states[0].clone();
        let run = Run { first: first.clone(), steps: Vec::new(), loop_start: None, fault: None, deadlock: false };
        let semantics = Semantics::new(&file.program);
        Self { file, semantics, initial: vec![first], run, watches: Vec::new(), guide: None }
    }

    /// How many initial states there are.
    #[must_use]
    pub fn initial_count(&self) -> usize {
        self.initial.len()
    }

    /// Starts anew in another initial state.
    pub fn start_at(&mut self, number: usize) {
        if let Some(first) = self.initial.get(number).cloned() {
            self.run = Run { first, steps: Vec::new(), loop_start: None, fault: None, deadlock: false };
        }
    }

    /// What has happened so far.
    #[must_use]
    pub const fn run(&self) -> &Run {
        &self.run
    }

    /// How many steps were taken.
    #[must_use]
    pub fn position(&self) -> usize {
        self.run.steps.len()
    }

    /// The values now.
    #[must_use]
    pub fn values(&self) -> Vec<(String, String)> {
        wording::values(&self.semantics, self.run.last())
    }

    /// What can be done next; nothing after a fault.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        if self.run.fault.is_some() {
            return Vec::new();
        }
        let program = &self.file.program;
        let tell = |successor: Successor| {
            let fault = fault_of(&successor.outcome).map(|fault| wording::tell_fault(program, fault));
            Some(Choice { told: wording::tell(self.file, &successor.moves)?, fault, successor })
        };
        self.semantics.successors(self.run.last()).into_iter().filter_map(tell).collect()
    }

    /// Takes a step that was offered. Each of its moves is executed by the definition of a step.
    ///
    /// # Errors
    /// If the step is not offered any more, which is a fault of this program.
    pub fn take(&mut self, choice: &Choice) -> Result<(), Failure> {
        let moves: Vec<Move> = choice.successor.moves.clone();
        // Whoever goes on from the end of a stored loop does not return as it does.
        self.run.loop_start = None;
        if let Some(fault) = fault_of(&choice.successor.outcome) {
            self.run.fault = Some((moves, fault.clone()));
            return Ok(());
        }
        let outcome = run::execute(&self.semantics, self.run.last(), &moves)?;
        let state = run::goes_on(&self.semantics, &outcome).map(|state| State::visible(state.slots.clone()));
        let expected = arrival(&choice.successor.outcome);
        match state {
            Some(state) if Some(&state) == expected => self.run.steps.push(Taken { moves, state }),
            _ => return Err(Failure::Internal("a step that was offered leads elsewhere".to_owned())),
        }
        Ok(())
    }

    /// Why it does not go on, if it does not.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        if let Some((_, fault)) = &self.run.fault {
            let told = wording::tell_fault(&self.file.program, fault);
            return Some(if fault.kind.is_error() { Ending::Fault(told) } else { Ending::Limit(told) });
        }
        if !self.choices().is_empty() {
            return None;
        }
        let all = self.semantics.all_at_end(&self.run.last().slots);
        Some(if all { Ending::Finished } else { Ending::Deadlock })
    }

    /// Marks a run that ends in a deadlock as such.
    pub fn close(&mut self) {
        self.run.deadlock = self.ending() == Some(Ending::Deadlock);
    }

    /// Goes back to the state after this many steps.
    pub fn jump(&mut self, position: usize) {
        self.run.fault = None;
        self.run.loop_start = None;
        self.run.deadlock = false;
        self.run.steps.truncate(position);
    }

    /// Goes back this many steps; a step that went wrong counts as one.
    pub fn back(&mut self, count: usize) {
        let position = (self.run.length()).saturating_sub(count);
        self.jump(position);
    }

    /// Lets chance take up to `steps` steps.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn walk(&mut self, steps: usize, chance: &mut Chance, budget: &Budget) -> Result<(), Failure> {
        for _ in 0..steps {
            budget.check()?;
            let choices = self.choices();
            if choices.is_empty() {
                return Ok(());
            }
            self.take(&choices[chance.below(choices.len())])?;
        }
        Ok(())
    }

    /// Follows a trail of Spin.
    ///
    /// # Errors
    /// If it is a trail of another model, or a limit is reached.
    pub fn follow(&mut self, trail: &Trail, budget: &Budget) -> Result<Followed, Failure> {
        let followed = trail::follow(&self.semantics, &self.run.first, trail, budget)?;
        self.run = followed.run.clone();
        Ok(followed)
    }

    /// Follows a stored run; each step must be one that the definition of a step allows.
    ///
    /// # Errors
    /// Where the stored run is no run of this program.
    pub fn replay(&mut self, stored: &Stored) -> Result<(), Failure> {
        let wrong = |at: usize, what: &str| {
            Failure::from(
                Diagnostic::error("E0324", format!("the stored run is not a run of this program: {what}"))
                    .note(format!("the first {at} of its states are fine")),
            )
        };
        if !self.semantics.is_initial(&stored.states[0]).unwrap_or(false) {
            return Err(wrong(0, "its first state is not an initial one"));
        }
        self.run.first = stored.states[0].clone();
        self.jump(0);
        let closing = stored.loop_start.map(|start| &stored.states[start]);
        for (at, state) in stored.states.iter().skip(1).chain(closing).enumerate() {
            let from = self.run.last().clone();
            let moves = run::ways(&self.semantics, &from, state).into_iter().next();
            let rests = stored.loop_start.is_some() && from == *state && self.choices().is_empty();
            let moves = match moves {
                Some(moves) => moves,
                None if rests => Vec::new(),
                None => return Err(wrong(at + 1, &format!("no step leads from state {at} to the next"))),
            };
            self.run.steps.push(Taken { moves, state: state.clone() });
        }
        self.run.loop_start = stored.loop_start;
        let count = stored.states.len();
        if stored.deadlock && (stored.loop_start.is_some() || !self.semantics.is_deadlock(self.run.last())) {
            return Err(wrong(count, "its end is no deadlock"));
        }
        if stored.fails.is_some() {
            self.run.fault = self.stored_fault(stored);
            if self.run.fault.is_none() {
                return Err(wrong(count, "nothing goes wrong at its end as it is said to"));
            }
        }
        Ok(())
    }

    /// The step that goes wrong at the end, if there is one of the kind that is stored; the one by the same process in the same
    /// line, if there are several.
    fn stored_fault(&self, stored: &Stored) -> Option<(Vec<Move>, Fault)> {
        let (kind, process, line) = stored.fails.as_ref().filter(|_| stored.loop_start.is_none())?;
        let mut found = None;
        for successor in self.semantics.successors(self.run.last()) {
            let Some(fault) = fault_of(&successor.outcome).filter(|fault| fault.kind.name() == kind) else { continue };
            let told = wording::tell(self.file, &successor.moves);
            let same = told.is_some_and(|told| Some(told.process) == *process && Some(told.line as u64) == *line);
            if same || found.is_none() {
                found = Some((successor.moves, fault.clone()));
            }
            if same {
                break;
            }
        }
        found
    }
}

fn fault_of(outcome: &Outcome) -> Option<&Fault> {
    match outcome {
        Outcome::Fault { fault, .. } => Some(fault),
        Outcome::Next(_) => None,
    }
}

fn no_start(file: &ProgramFile, why: &tertium_program::NoInitialStates) -> Failure {
    let reason = wording::no_initial(&file.program, why);
    Diagnostic::error("E0323", reason.what).help(reason.help).into()
}
