//! What is a step? The one definition, used to explore, simulate and replay.
//!
//! [`Semantics::moves`] says what can be done in a state, [`Semantics::execute`] what comes of it, and
//! [`Semantics::successors`] puts the moves of uninterruptible blocks together into the steps that others see.
//! Written for reading, not for speed: it is the oracle for anything faster.
//!
//! Not here: ways through blocks ([`crate::follow`]), effects ([`crate::effect`]), expressions ([`crate::eval`]), initial states ([`crate::initial`]).

use tertium_base::Budget;
use tertium_base::narrow::to_u32;

use crate::effect::After;
use crate::eval::{Context, Interpretation};
use crate::expr::Expr;
use crate::fault::{Fault, FaultKind};
use crate::follow::LONGEST_BLOCK;
use crate::graph::{Action, Domain, Hold, Program, Step, StepId};
use crate::layout::{FRAME_PRIORITY, Layout};
use crate::state::{Move, Outcome, State, Successor};

/// Inputs with more combinations of values than this are not tried one by one.
pub const MOST_INPUTS: u64 = 1 << 20;

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct Semantics<'p> {
    program: &'p Program,
    layout: Layout,
    pub(crate) functions: Interpretation,
    uses_timeout: bool,
    uses_indivisible: bool,
    persistent: bool,
    /// Time and memory for following uninterruptible blocks.
    pub(crate) budget: Budget,
    /// Ways through a block with more moves than this are not followed to their ends.
    pub(crate) longest_block: usize,
}

impl<'p> Semantics<'p> {
    /// The program with all its functions unknown.
    #[must_use]
    pub fn new(program: &'p Program) -> Self {
        Self {
            program,
            layout: Layout::of(program),
            functions: Interpretation::default(),
            uses_timeout: (0..program.exprs.len())
                .any(|id| program.exprs.get(crate::expr::ExprId::new(id)) == Expr::Timeout),
            uses_indivisible: (program.processes.iter().flat_map(|process| &process.locations))
                .any(|location| location.hold == Hold::Indivisible),
            persistent: program.persistent,
            budget: Budget::unlimited(),
            longest_block: LONGEST_BLOCK,
        }
    }

    /// The same within limits: a block that is not followed to its end when they are reached is a
    /// [`FaultKind::BlockTooLong`], which says nothing about the program.
    #[must_use]
    pub fn within(mut self, budget: &Budget) -> Self {
        self.budget = budget.clone();
        self
    }

    /// The same with another bound on the moves of one way through a block.
    #[must_use]
    pub fn with_longest_block(mut self, moves: usize) -> Self {
        self.longest_block = moves;
        self
    }

    /// The limits within which blocks are followed.
    #[must_use]
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// How many moves one way through a block may have.
    #[must_use]
    pub const fn longest_block(&self) -> usize {
        self.longest_block
    }

    /// The same, but a run goes on after a failed assertion as if it had held (the fault is told all the same).
    #[must_use]
    pub fn persistent(mut self) -> Self {
        self.persistent = true;
        self
    }

    /// Whether runs go on after failed assertions.
    #[must_use]
    pub const fn is_persistent(&self) -> bool {
        self.persistent
    }

    /// The same with values for functions.
    #[must_use]
    pub fn with_functions(mut self, functions: Interpretation) -> Self {
        self.functions = functions;
        self
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Where things lie in its states.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// A context for evaluating properties in a state: no process executes.
    #[must_use]
    pub fn observer<'a>(&self, slots: &'a [i64], frames: &'a [usize]) -> Context<'a> {
        Context { slots, frames, me: None, inputs: &[], timeout: false, asking: 0 }
    }

    /// The value of an expression in a state, seen from outside.
    ///
    /// # Errors
    /// What goes wrong while evaluating.
    pub fn observe(&self, expr: crate::expr::ExprId, state: &State) -> Result<i64, FaultKind> {
        self.value(expr, &self.observer(&state.slots, &self.layout.frames(&state.slots)))
    }

    /// Everything that can be done in a state, by pid, then in source order.
    ///
    /// If somebody holds control, only that process moves; an empty answer then means that it is stuck. A move
    /// whose guard cannot be evaluated is listed: executing it says what goes wrong.
    #[must_use]
    pub fn moves(&self, state: &State) -> Vec<Move> {
        let frames = self.layout.frames(&state.slots);
        if let Some(holder) = state.holder {
            if self.is_outranked(&state.slots, &frames, holder as usize) {
                return Vec::new();
            }
            return self.moves_of(&state.slots, &frames, holder as usize, false);
        }
        self.moves_of_all(&state.slots, &frames, self.needs_timeout(state, &frames))
    }

    pub(crate) const fn uses_timeout(&self) -> bool {
        self.uses_timeout
    }

    /// Whether nothing can be done but what waits for a timeout.
    pub(crate) fn needs_timeout(&self, state: &State, frames: &[usize]) -> bool {
        self.uses_timeout && state.holder.is_none() && self.moves_of_all(&state.slots, frames, false).is_empty()
    }

    fn moves_of_all(&self, slots: &[i64], frames: &[usize], timeout: bool) -> Vec<Move> {
        let mut moves: Vec<Move> =
            (0..frames.len()).flat_map(|pid| self.moves_of(slots, frames, pid, timeout)).collect();
        if self.program.priorities {
            let priority = |pid: u32| slots[frames[pid as usize] + FRAME_PRIORITY];
            let highest = moves.iter().map(|a| priority(a.pid)).max();
            moves.retain(|a| Some(priority(a.pid)) == highest);
        }
        moves
    }

    /// Whether somebody of higher priority can step, which interrupts a block unless it is deterministic.
    fn is_outranked(&self, slots: &[i64], frames: &[usize], pid: usize) -> bool {
        if !self.program.priorities {
            return false;
        }
        let context = self.observer(slots, frames);
        let location = self.program.location(context.process_of(pid), context.location_of(pid));
        let priority = |pid: usize| slots[frames[pid] + FRAME_PRIORITY];
        location.hold != Hold::Deterministic
            && (0..frames.len())
                .any(|other| priority(other) > priority(pid) && !self.moves_of(slots, frames, other, false).is_empty())
    }

    /// What one process can do, whoever else could.
    fn moves_of(&self, slots: &[i64], frames: &[usize], pid: usize, timeout: bool) -> Vec<Move> {
        let context = Context { slots, frames, me: Some(pid), inputs: &[], timeout, asking: 0 };
        let location = self.program.location(context.process_of(pid), context.location_of(pid));
        let mut ranks: Vec<u32> = location.steps.iter().map(|&step| self.program.step(step).rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        for rank in ranks {
            let steps = location.steps.iter().copied().filter(|&step| self.program.step(step).rank == rank);
            let mut moves: Vec<Move> = Vec::new();
            for step in steps {
                let yields_to = &self.program.step(step).yields_to;
                if !moves.iter().any(|mv| yields_to.contains(&mv.step)) {
                    moves.extend(self.moves_by(step, &context));
                }
            }
            if location.hold == Hold::Deterministic {
                moves.truncate(1);
            }
            if !moves.is_empty() {
                return moves;
            }
        }
        Vec::new()
    }

    fn moves_by(&self, id: StepId, context: &Context<'_>) -> Vec<Move> {
        let pid = context.me.map_or(0, |me| to_u32(me));
        self.try_moves_by(id, pid, context)
            .unwrap_or_else(|_| vec![Move { pid, step: id, inputs: Vec::new(), partner: None }])
    }

    fn try_moves_by(&self, id: StepId, pid: u32, context: &Context<'_>) -> Result<Vec<Move>, FaultKind> {
        if !self.is_provided(self.program.step(id), context)? {
            return Ok(Vec::new());
        }
        self.moves_if_provided(id, pid, context)
    }

    fn moves_if_provided(&self, id: StepId, pid: u32, context: &Context<'_>) -> Result<Vec<Move>, FaultKind> {
        let step = self.program.step(id);
        if self.guard_without_inputs(step, context)? == Some(false) {
            return Ok(Vec::new());
        }
        let mut moves = Vec::new();
        for inputs in self.input_values(step, context)? {
            let context = Context { inputs: &inputs, ..*context };
            if self.value(step.guard, &context)? == 0 {
                continue;
            }
            for partner in self.ways(step, &context)? {
                moves.push(Move { pid, step: id, inputs: inputs.clone(), partner });
            }
        }
        Ok(moves)
    }

    pub(crate) fn is_provided(&self, step: &Step, context: &Context<'_>) -> Result<bool, FaultKind> {
        match self.program.process(step.process).provided {
            // Nothing interrupts a deterministic block.
            Some(_) if self.program.location(step.process, step.source).hold == Hold::Deterministic => Ok(true),
            Some(condition) => Ok(self.value(condition, context)? != 0),
            None => Ok(true),
        }
    }

    /// The guard's value if it does not depend on the step's inputs.
    fn guard_without_inputs(&self, step: &Step, context: &Context<'_>) -> Result<Option<bool>, FaultKind> {
        match self.value(step.guard, context) {
            Ok(value) => Ok(Some(value != 0)),
            Err(FaultKind::UnboundedInput) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// All combinations of values for the inputs of a step.
    pub(crate) fn input_values(&self, step: &Step, context: &Context<'_>) -> Result<Vec<Vec<i64>>, FaultKind> {
        let mut rows = vec![Vec::new()];
        for input in &step.inputs {
            let (lo, hi) = self.input_bounds(input.domain, context)?;
            let (Some(lo), Some(hi)) = (lo, hi) else { return Err(FaultKind::UnboundedInput) };
            let width = if hi < lo { 0 } else { hi.abs_diff(lo).saturating_add(1) };
            if width.saturating_mul(rows.len() as u64) > MOST_INPUTS {
                return Err(FaultKind::UnboundedInput);
            }
            let extended = |row: Vec<i64>| (lo..=hi).map(move |value| [row.as_slice(), &[value]].concat());
            rows = rows.into_iter().flat_map(extended).collect();
        }
        Ok(rows)
    }

    pub(crate) fn input_bounds(
        &self,
        domain: Domain,
        context: &Context<'_>,
    ) -> Result<(Option<i64>, Option<i64>), FaultKind> {
        match domain {
            Domain::Type(ty) => Ok(self.program.bounds(ty)),
            Domain::Range(lo, hi) => Ok((Some(self.value(lo, context)?), Some(self.value(hi, context)?))),
        }
    }

    /// In how many ways the action can be done: none if it blocks; one per partner if it meets one.
    pub(crate) fn ways(&self, step: &Step, context: &Context<'_>) -> Result<Vec<Option<(u32, StepId)>>, FaultKind> {
        let possible = match &step.action {
            Action::Send { channel, message, .. } => {
                let queue = self.queue(self.value(*channel, context)?, context)?;
                if queue.capacity == 0 {
                    return self.partners(queue, message, context);
                }
                queue.length(context.slots) < queue.capacity
            }
            Action::Receive { pattern, .. } => {
                // On a channel without a buffer the sender makes the move, so the receiver has none of its own.
                let queue = self.queue(self.value(pattern.channel, context)?, context)?;
                queue.capacity > 0 && self.find_message(pattern, queue, context)?.is_some()
            }
            Action::End => context.me.is_some_and(|me| me + 1 == context.frames.len()),
            _ => true,
        };
        Ok(if possible { vec![None] } else { Vec::new() })
    }

    /// What comes of a move; `None` if the state does not offer it.
    ///
    /// A move whose inputs are unbounded is offered without values; with any values of the right type it may be
    /// executed too, which is how runs found by reasoning are replayed.
    #[must_use]
    pub fn execute(&self, state: &State, mv: &Move) -> Option<Outcome> {
        if self.is_plain(state, mv) && self.takes_inputs(state, mv) {
            return Some(self.perform(state, mv));
        }
        let offered = self.moves(state);
        let listed = offered.contains(mv) || {
            let without_inputs = Move { inputs: Vec::new(), ..mv.clone() };
            offered.contains(&without_inputs) && self.takes_inputs(state, mv)
        };
        listed.then(|| self.perform(state, mv))
    }

    /// Whether a move is offered whenever its inputs fit and its guard holds: nothing else decides about it.
    fn is_plain(&self, state: &State, mv: &Move) -> bool {
        let (frames, step) = (self.layout.frames(&state.slots), self.program.step(mv.step));
        let free = state.holder.is_none() && !self.program.priorities && !self.uses_timeout && mv.partner.is_none();
        let (true, true) = (free, (mv.pid as usize) < frames.len()) else { return false };
        let context = self.observer(&state.slots, &frames);
        let at = (context.process_of(mv.pid as usize), context.location_of(mv.pid as usize));
        let location = self.program.location(at.0, at.1);
        at == (step.process, step.source)
            && location.hold == Hold::Free
            && self.program.process(at.0).provided.is_none()
            && step.yields_to.is_empty()
            && matches!(step.action, crate::graph::Action::Assign(_))
            && location.steps.iter().all(|&id| self.program.step(id).rank == step.rank)
    }

    fn takes_inputs(&self, state: &State, mv: &Move) -> bool {
        let frames = self.layout.frames(&state.slots);
        let step = self.program.step(mv.step);
        let (me, timeout) = (Some(mv.pid as usize), self.needs_timeout(state, &frames));
        let context = Context { slots: &state.slots, frames: &frames, me, inputs: &mv.inputs, timeout, asking: 0 };
        self.inputs_fit(step, &mv.inputs, &context) == Ok(true) && self.value(step.guard, &context) != Ok(0)
    }

    /// What comes of a move that the state offers.
    pub(crate) fn perform(&self, state: &State, mv: &Move) -> Outcome {
        let fault = |kind| Fault { kind, step: Some(mv.step) };
        match self.apply_move(state, mv) {
            Ok(After { state, failed: Some(kind) }) => Outcome::Fault { fault: fault(kind), next: Some(state) },
            Ok(After { state: next, failed: None }) if self.is_a_choice(state, mv) => {
                Outcome::Fault { fault: fault(FaultKind::NotDeterministic), next: Some(next) }
            }
            Ok(After { state, failed: None }) => Outcome::Next(state),
            Err(kind) => Outcome::Fault { fault: fault(kind), next: None },
        }
    }

    /// Whether a process that must not have a choice had another step before this one. A step that always can be taken
    /// and does nothing does not count.
    fn is_a_choice(&self, state: &State, mv: &Move) -> bool {
        let step = self.program.step(mv.step);
        if !self.program.process(step.process).deterministic {
            return false;
        }
        let idle = matches!(&step.action, Action::Assign(assigns) if assigns.is_empty());
        let trivial = idle && self.program.exprs.constant(step.guard).is_some_and(|value| value != 0);
        let before = |other: &&Move| other.pid == mv.pid && other.step != mv.step;
        !trivial && self.moves(state).iter().take_while(|other| *other != mv).any(|other| before(&other))
    }

    /// The steps as others see them: every way through an uninterruptible block is one.
    ///
    /// In the order of [`Self::moves`], and for each first move depth first. The states are visible ones.
    #[must_use]
    pub fn successors(&self, state: &State) -> Vec<Successor> {
        self.successors_by(state, self.moves(state))
    }

    /// Whether the statement that the process with this pid is at can be executed, whatever its priority is and
    /// whether it is provided with control or not: what `enabled` asks.
    ///
    /// # Errors
    /// If the answer depends on itself, or a guard cannot be evaluated.
    pub(crate) fn can_step(&self, context: &Context<'_>, pid: usize) -> Result<bool, FaultKind> {
        if self.uses_indivisible {
            return self.steps_to_an_end(context.slots, pid);
        }
        // Whoever asks for the second time would wait for its own answer.
        if context.me == Some(pid) || context.asking > context.frames.len() {
            return Err(FaultKind::Circular);
        }
        let context = Context { me: Some(pid), inputs: &[], asking: context.asking + 1, ..*context };
        let location = self.program.location(context.process_of(pid), context.location_of(pid));
        for &step in &location.steps {
            if !self.moves_if_provided(step, to_u32(pid), &context)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a process can step in a visible state, all the way to the next one.
    fn steps_to_an_end(&self, slots: &[i64], pid: usize) -> Result<bool, FaultKind> {
        let state = State::visible(slots.to_vec());
        let moves = self.moves(&state).into_iter().filter(|mv| mv.pid as usize == pid);
        any_known(&self.successors_by(&state, moves))
    }

    /// Whether no process can step although not all are at an end; not if that is not known.
    #[must_use]
    pub fn is_deadlock(&self, state: &State) -> bool {
        self.is_deadlock_at(&state.slots) == Ok(true)
    }

    pub(crate) fn is_deadlock_at(&self, slots: &[i64]) -> Result<bool, FaultKind> {
        Ok(!self.all_at_end(slots) && self.is_stuck(slots)?)
    }

    fn is_stuck(&self, slots: &[i64]) -> Result<bool, FaultKind> {
        let state = State::visible(slots.to_vec());
        if !self.uses_indivisible {
            return Ok(self.moves(&state).is_empty());
        }
        Ok(!any_known(&self.successors(&state))?)
    }

    /// Whether every process, and the automaton that watches events, is at a location where it may rest. As in Spin, nothing
    /// is asked of the automaton when no process is left.
    #[must_use]
    pub fn all_at_end(&self, slots: &[i64]) -> bool {
        let frames = self.layout.frames(slots);
        let context = self.observer(slots, &frames);
        (0..frames.len()).all(|pid| self.program.location(context.process_of(pid), context.location_of(pid)).end)
            && (frames.is_empty() || self.events_may_end(slots))
    }
}

/// Whether there is a step. Ways that were not followed to their ends may lead nowhere.
fn any_known(found: &[Successor]) -> Result<bool, FaultKind> {
    let cut = |successor: &Successor| matches!(&successor.outcome, Outcome::Fault { fault, .. } if fault.kind == FaultKind::BlockTooLong);
    if !found.is_empty() && found.iter().all(cut) { Err(FaultKind::BlockTooLong) } else { Ok(!found.is_empty()) }
}
