//! The states of one program on demand, and where they begin.

use std::sync::Arc;

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};
use tertium_cegar::answer::Reason;
use tertium_explore::compiled::{self, Compiled};
use tertium_explore::reduction::ReductionKinds;
use tertium_explore::reduction::promises::{self, BrokenPromise};
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::checkpoint_folder::CheckpointFolder;
use tertium_explore::search::liveness::Scheduling;
use tertium_explore::search::{Finding, Observer, Progress};
use tertium_explore::successors::{Expansion, MaskedState, Plain, RowSuccessors};
use tertium_load::failure::Failure;
use tertium_native::compiler::NativeCompiler;
use tertium_native::with_native_steps;
use tertium_program::{ExprId, FaultKind, NoInitialStates, Program, Semantics, State, Type, VarId};
use tertium_steps::machine::Source;
use tertium_trace::wording;

use super::reduced_program::ReducedProgram;
use super::safety::Effort;

/// At most this many candidates for initial states are tried.
const MOST_INITIAL: u64 = 1 << 24;

/// Successors by compiled steps where the program can be compiled, else by the definition.
#[derive(Clone, Debug)]
pub enum Stepper<'p> {
    /// Fast.
    Compiled(Box<Compiled<'p>>),
    /// By the definition alone.
    Plain(Box<Plain<'p>>),
}

impl RowSuccessors for Stepper<'_> {
    type Scratch = Option<compiled::Scratch>;

    fn words(&self) -> usize {
        match self {
            Self::Compiled(compiled) => compiled.words(),
            Self::Plain(plain) => plain.words(),
        }
    }

    fn scratch(&self) -> Self::Scratch {
        match self {
            Self::Compiled(compiled) => Some(compiled.scratch()),
            Self::Plain(_) => None,
        }
    }

    fn expand(&self, row: &[u32], scratch: &mut Self::Scratch, found: &mut Expansion) {
        match (self, scratch) {
            (Self::Compiled(compiled), Some(scratch)) => compiled.expand(row, scratch, found),
            (Self::Compiled(compiled), None) => compiled.plain().expand(row, &mut (), found),
            (Self::Plain(plain), _) => plain.expand(row, &mut (), found),
        }
    }

    fn expand_masked(&self, state: MaskedState<'_>, scratch: &mut Self::Scratch, keys: &mut Vec<u64>) -> bool {
        match (self, scratch) {
            (Self::Compiled(compiled), Some(scratch)) => compiled.expand_masked(state, scratch, keys),
            _ => false,
        }
    }

    fn expand_private(&self, row: &[u32], scratch: &mut Self::Scratch, found: &mut Expansion) -> bool {
        match (self, scratch) {
            (Self::Compiled(compiled), Some(scratch)) => compiled.expand_private(row, scratch, found),
            _ => false,
        }
    }
}

/// A program ready to be explored.
#[derive(Clone, Debug)]
pub struct Space<'p> {
    /// The definition of a step.
    pub semantics: Semantics<'p>,
    /// The same over rows.
    pub plain: Plain<'p>,
    /// Every step.
    pub stepper: Stepper<'p>,
    /// Where it begins; empty if `open` says why that is not known.
    pub initial: Vec<Vec<u32>>,
    /// Why the initial states cannot be listed.
    pub open: Option<Reason>,
    /// What the scheduler promises.
    pub scheduling: Scheduling,
    /// Whether searches may rely on what the program promises about its channels.
    pub(crate) keeps_promises: bool,
    /// How the steps of large searches are computed.
    pub(crate) steps: StepsBy,
    /// Where searches that visit every state are written down.
    pub(crate) checkpoints: Option<Arc<CheckpointFolder>>,
}

/// How the steps of large searches are computed. All ways find the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepsBy {
    /// By code for this processor, made while the search runs.
    NativeCode,
    /// By an interpreter.
    #[default]
    Interpreter,
}

impl StepsBy {
    /// The same successors, computed in this way.
    pub(crate) fn of<'p>(self, compiled: Compiled<'p>) -> Compiled<'p> {
        let native = |compiled: &Compiled<'p>| {
            let plain = compiled.plain();
            let source = Source::of(plain.semantics(), plain.packing(), compiled.reduction())?;
            NativeCompiler::new(source)
        };
        match (self == Self::NativeCode).then(|| native(&compiled)).flatten() {
            Some(compiler) => with_native_steps(compiled, Arc::new(compiler)),
            None => compiled,
        }
    }
}

/// Looks at states for promises that are not kept.
struct PromiseWatcher<'s, 'p>(&'s Space<'p>);

impl Observer for PromiseWatcher<'_, '_> {
    type Scratch = ();

    fn scratch(&self) {}

    fn look(&self, row: &[u32], (): &mut (), broken: &mut dyn FnMut(usize)) {
        if promises::broken(&self.0.semantics, &self.0.state(row)).is_some() {
            broken(0);
        }
    }
}

impl<'p> Space<'p> {
    /// Prepares a program.
    ///
    /// # Errors
    /// If a limit is reached while the initial states are listed.
    pub fn new(program: &'p Program, budget: &Budget) -> Result<Self, Failure> {
        let semantics = Semantics::new(program).within(budget);
        let plain = Plain::of(&semantics);
        let steps = StepsBy::default();
        let stepper = Stepper::Compiled(Box::new(steps.of(Compiled::of(&semantics))));
        let (initial, open) = match semantics.initial_states(MOST_INITIAL, budget) {
            Ok(states) => (states.iter().map(|state| plain.row(state)).collect(), None),
            Err(NoInitialStates::Stopped(stopped)) => return Err(stopped.into()),
            Err(why) => (Vec::new(), Some(wording::no_initial(program, &why))),
        };
        let scheduling = super::linear::scheduling(program);
        Ok(Self {
            semantics,
            plain,
            stepper,
            initial,
            open,
            scheduling,
            keeps_promises: false,
            steps,
            checkpoints: None,
        })
    }

    /// The same with steps computed in another way.
    #[must_use]
    pub fn with_steps(mut self, steps: StepsBy) -> Self {
        self.steps = steps;
        self.stepper = Stepper::Compiled(Box::new(steps.of(Compiled::of(&self.semantics))));
        self
    }

    /// The same; searches that visit every state are written down there, and gone on with.
    #[must_use]
    pub fn with_checkpoints(mut self, checkpoints: Option<Arc<CheckpointFolder>>) -> Self {
        self.checkpoints = checkpoints;
        self
    }

    /// The same with other limits for following uninterruptible blocks.
    #[must_use]
    pub fn within(&self, budget: &Budget) -> Self {
        Self { semantics: self.semantics.clone().within(budget), ..self.clone() }
    }

    /// What is left of the program for a question about these expressions; none if nothing can be left out.
    #[must_use]
    pub fn reduced(&self, seen: &[ExprId], kinds: ReductionKinds) -> Option<ReducedProgram<'p>> {
        ReducedProgram::of(self, seen, ReductionKinds { promises: self.keeps_promises, ..kinds })
    }

    /// Looks whether the program keeps what it promises about its channels; if all of it is kept, searches may rely on it.
    /// Says which promise is not.
    pub fn watch_promises(&mut self, effort: &Effort<'_>, progress: &mut dyn FnMut(Progress)) -> Option<BrokenPromise> {
        if self.program().promises.is_empty() || self.open.is_some() {
            return None;
        }
        let watcher = PromiseWatcher(self);
        let kinds = ReductionKinds { promises: true, ..ReductionKinds::ALL };
        let reduced = ReducedProgram::of(self, &[], kinds)?;
        let options = Options {
            threads: effort.threads,
            max_states: effort.limit(self),
            stop_at_finding: false,
            budget: effort.budget,
        };
        let found = breadth_first(&reduced.stepper, &watcher, &reduced.initial, &options, progress);
        // Of several that one search meets, which one is told must not depend on threads.
        let broken = found.summary.findings.iter().find_map(|(finding, place)| match finding {
            Finding::Broken(_) => promises::broken(&self.semantics, &self.state(&place.row)),
            _ => None,
        });
        let kept = broken.is_none() && found.summary.is_whole();
        self.keeps_promises = kept;
        broken
    }

    /// How many processes there are, if none is started on the way.
    #[must_use]
    pub fn fixed_processes(&self) -> Option<usize> {
        let starts = |step: &tertium_program::Step| matches!(step.action, tertium_program::Action::Run { .. });
        let is_fixed = self.semantics.layout().is_fixed() || !self.program().steps.iter().any(starts);
        is_fixed.then(|| self.program().instances.len())
    }

    /// The same, with a scheduler that is weakly fair to the processes with the first `count` pids.
    #[must_use]
    pub fn fair_to(mut self, count: usize) -> Self {
        let weak = (0..to_u32(count)).filter(|pid| !self.scheduling.strong.contains(pid)).collect();
        self.scheduling.weak = weak;
        self
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.semantics.program()
    }

    /// The state in a row.
    #[must_use]
    pub fn state(&self, row: &[u32]) -> State {
        self.plain.state(row)
    }

    /// The variables without bounds that some step writes or that start anywhere.
    #[must_use]
    pub fn unbounded(&self) -> Vec<VarId> {
        let program = self.program();
        let mut written = tertium_base::BitSet::empty(program.variables.len());
        for step in &program.steps {
            if let tertium_program::Action::Assign(assigns) = &step.action {
                assigns.iter().for_each(|assign| {
                    written.insert(assign.place.variable().index());
                });
            }
        }
        let endless = |var: &VarId| matches!(program.variable(*var).ty, Type::Int | Type::Nat);
        program.variable_ids().filter(endless).filter(|var| written.contains(var.index())).collect()
    }

    /// Why a search that reached its limit could not finish.
    #[must_use]
    pub fn limit_reason(&self, limit: usize) -> Reason {
        let unbounded = self.unbounded();
        let program = self.program();
        if let Some(&first) = unbounded.first() {
            let names: Vec<String> = unbounded.iter().take(4).map(|&var| program.show_variable(var)).collect();
            let dots = if unbounded.len() > 4 { ", ..." } else { "" };
            let verb = if unbounded.len() == 1 { "has" } else { "have" };
            return Reason {
                what: format!(
                    "{}{dots} {verb} no bounds; the search ended at {limit} states without seeing all",
                    names.join(", ")
                ),
                about: Some(program.show_variable(first)),
                span: Some(program.variable(first).span),
                help: format!(
                    "give {} a range, or raise the limit: `--max-states {}`",
                    names[0],
                    limit.saturating_mul(10)
                ),
            };
        }
        Reason {
            what: format!("the search ended at {limit} states without seeing all"),
            about: None,
            span: None,
            help: format!("`--max-states {}`", limit.saturating_mul(10)),
        }
    }

    /// What it means that something cannot be computed concretely; none for a mistake of the program.
    #[must_use]
    pub fn fault_reason(&self, fault: &tertium_program::Fault) -> Option<Reason> {
        if fault.kind.is_error() {
            return None;
        }
        let program = self.program();
        let span = fault.step.map(|step| program.step(step).span);
        let (what, about, help) = match &fault.kind {
            FaultKind::Uninterpreted(function) => {
                let name = program.function(*function).name.clone();
                let what = format!("nothing is known about the function `{name}`");
                (what, Some(name), "replace it by a definition or by `* in lo..hi`".to_owned())
            }
            FaultKind::UnboundedInput => (
                "a value is chosen among too many integers to try one by one".to_owned(),
                None,
                "choose from a small range: `x := * in lo..hi`".to_owned(),
            ),
            FaultKind::BlockTooLong => (
                "an uninterruptible block was not followed to its end: it has too many steps or ways through"
                    .to_owned(),
                None,
                "raise `--timeout` and `--memory`, or divide the block".to_owned(),
            ),
            _ => (
                "a value needs more than 64 bits".to_owned(),
                None,
                "give the variable a range, so that it cannot grow for ever".to_owned(),
            ),
        };
        Some(Reason { what, about, span, help })
    }
}

/// A limit as a word for the report; a limit on the number of states is a reason instead.
#[must_use]
pub fn stop_word(stopped: Stopped) -> Option<tertium_base::StopReason> {
    (stopped.0 != tertium_base::StopReason::Count).then_some(stopped.0)
}
