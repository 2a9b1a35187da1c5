//! What is the value of an expression in a state?
//!
//! Plain recursion over the expression table, written to be checked by reading: it is the oracle for
//! anything faster. Front ends bound the depth of expressions, so recursion is safe.

use std::collections::BTreeMap;

use tertium_base::narrow::{to_i64, to_usize};

use crate::build::{NoValue, apply_binary, apply_unary};
use crate::expr::{Binary, Expr, ExprId, Field, ListId, PatternId, Place};
use crate::fault::FaultKind;
use crate::graph::{LocationId, ProcessId};
use crate::layout::{FRAME_LOCATION, FRAME_PRIORITY, FRAME_PROCESS};
use crate::semantics::Semantics;
use crate::types::{FunctionId, Scope, VarId};

impl From<NoValue> for FaultKind {
    fn from(reason: NoValue) -> Self {
        match reason {
            NoValue::DivisionByZero => Self::DivisionByZero,
            NoValue::TooLarge => Self::TooLarge,
        }
    }
}

/// Values for uninterpreted functions, so that a run found by reasoning can be replayed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interpretation {
    values: BTreeMap<(FunctionId, Vec<i64>), i64>,
    otherwise: BTreeMap<FunctionId, i64>,
}

impl Interpretation {
    /// Sets the value of a function at some arguments.
    pub fn set(&mut self, function: FunctionId, arguments: Vec<i64>, value: i64) {
        self.values.insert((function, arguments), value);
    }

    /// Sets the value of a function at all arguments for which none is set.
    pub fn set_otherwise(&mut self, function: FunctionId, value: i64) {
        self.otherwise.insert(function, value);
    }

    /// The value of a function at some arguments, if known.
    #[must_use]
    pub fn get(&self, function: FunctionId, arguments: &[i64]) -> Option<i64> {
        let exact = self.values.get(&(function, arguments.to_vec()));
        exact.or_else(|| self.otherwise.get(&function)).copied()
    }
}

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The state's slots.
    pub slots: &'a [i64],
    /// Where its frames begin.
    pub frames: &'a [usize],
    /// The executing process's pid, if a process is executing.
    pub me: Option<usize>,
    /// The values of the step's inputs.
    pub inputs: &'a [i64],
    /// The value of [`Expr::Timeout`].
    pub timeout: bool,
    /// How many processes wait for an answer: each asks whether another can step, on behalf of the one before.
    pub asking: usize,
}

impl Context<'_> {
    /// The process that the instance with this pid runs.
    #[must_use]
    pub fn process_of(&self, pid: usize) -> ProcessId {
        ProcessId::new(to_usize(self.slots[self.frames[pid] + FRAME_PROCESS]))
    }

    /// The location of the instance with this pid.
    #[must_use]
    pub fn location_of(&self, pid: usize) -> LocationId {
        LocationId::new(to_usize(self.slots[self.frames[pid] + FRAME_LOCATION]))
    }

    fn frame(&self, pid: i64) -> Result<usize, FaultKind> {
        let frame = usize::try_from(pid).ok().and_then(|pid| self.frames.get(pid));
        frame.copied().ok_or(FaultKind::NoProcess(pid))
    }
}

type Value = Result<i64, FaultKind>;

impl Semantics<'_> {
    /// The value of an expression; truth values are 0 and 1.
    ///
    /// # Errors
    /// What goes wrong while evaluating.
    pub fn value(&self, id: ExprId, context: &Context<'_>) -> Value {
        match self.program().exprs.get(id) {
            Expr::Bool(value) => Ok(i64::from(value)),
            Expr::Int(value) => Ok(value),
            Expr::Member(_, position) => Ok(i64::from(position)),
            Expr::Var(var) => Ok(context.slots[self.base(var, context)?]),
            Expr::Element(var, indices) => {
                let base = self.base(var, context)?;
                Ok(context.slots[base + self.cell(var, indices, context)?])
            }
            Expr::Input(position, _) => context.inputs.get(position as usize).copied().ok_or(FaultKind::UnboundedInput),
            Expr::Unary(op, a) => Ok(apply_unary(op, self.value(a, context)?)?),
            Expr::Binary(op, a, b) => self.binary(op, a, b, context),
            Expr::If(c, a, b) => self.value(if self.value(c, context)? != 0 { a } else { b }, context),
            Expr::Wrap(width, a) => Ok(width.wrap(self.value(a, context)?)),
            Expr::Apply(function, arguments) => self.apply(function, arguments, context),
            Expr::At(process, location) => self.only_instance_at(process, location, context),
            other => self.system_value(other, context),
        }
    }

    fn binary(&self, op: Binary, a: ExprId, b: ExprId, context: &Context<'_>) -> Value {
        let left = self.value(a, context)?;
        match (op, left != 0) {
            (Binary::And, false) => Ok(0),
            (Binary::Or, true) | (Binary::Implies, false) => Ok(1),
            _ => Ok(apply_binary(op, left, self.value(b, context)?)?),
        }
    }

    fn values(&self, list: ListId, context: &Context<'_>) -> Result<Vec<i64>, FaultKind> {
        self.program().exprs.list(list).iter().map(|&id| self.value(id, context)).collect()
    }

    fn apply(&self, function: FunctionId, arguments: ListId, context: &Context<'_>) -> Value {
        let arguments = self.values(arguments, context)?;
        self.functions.get(function, &arguments).ok_or(FaultKind::Uninterpreted(function))
    }

    /// The first slot of a variable, as the executing process sees it.
    fn base(&self, var: VarId, context: &Context<'_>) -> Result<usize, FaultKind> {
        let slot = self.layout().variable(var);
        let Scope::Local(process) = self.program().variable(var).scope else { return Ok(slot) };
        if let Some(me) = context.me.filter(|&me| context.process_of(me) == process) {
            return Ok(context.frames[me] + slot);
        }
        Ok(self.only_frame(process, context)? + slot)
    }

    fn only_frame(&self, process: ProcessId, context: &Context<'_>) -> Result<usize, FaultKind> {
        let pid = self.layout().only_instance(process).ok_or(FaultKind::NoProcess(-1))?;
        let frame = context.frame(i64::from(pid))?;
        if context.slots[frame + FRAME_PROCESS] != to_i64(process.index()) {
            return Err(FaultKind::NoProcess(i64::from(pid)));
        }
        Ok(frame)
    }

    fn only_instance_at(&self, process: ProcessId, location: LocationId, context: &Context<'_>) -> Value {
        let frame = self.only_frame(process, context)?;
        Ok(i64::from(context.slots[frame + FRAME_LOCATION] == to_i64(location.index())))
    }

    /// The position of a cell in its array.
    fn cell(&self, var: VarId, indices: ListId, context: &Context<'_>) -> Result<usize, FaultKind> {
        let mut cell = 0;
        let dimensions = &self.program().variable(var).dimensions;
        for (&index, dimension) in self.program().exprs.list(indices).iter().zip(dimensions) {
            let index = self.value(index, context)?;
            if index < dimension.lo || index > dimension.hi() {
                return Err(FaultKind::Index { array: var, index });
            }
            cell = cell * dimension.len as usize + to_usize(index - dimension.lo);
        }
        Ok(cell)
    }

    /// The slot that an assignment to `place` writes.
    pub(crate) fn slot(&self, place: Place, context: &Context<'_>) -> Result<usize, FaultKind> {
        match place {
            Place::Var(var) => self.base(var, context),
            Place::Element(var, indices) => Ok(self.base(var, context)? + self.cell(var, indices, context)?),
        }
    }

    /// Values that depend on channels, on other instances or on what is enabled.
    fn system_value(&self, expr: Expr, context: &Context<'_>) -> Value {
        match expr {
            Expr::Remote(pid, var) => {
                let frame = self.remote_frame(pid, var, context)?;
                Ok(frame.map_or(0, |frame| context.slots[frame + self.layout().variable(var)]))
            }
            Expr::RemoteElement(pid, var, indices) => {
                let cell = self.cell(var, indices, context)?;
                let frame = self.remote_frame(pid, var, context)?;
                Ok(frame.map_or(0, |frame| context.slots[frame + self.layout().variable(var) + cell]))
            }
            Expr::RemoteAt(pid, process, location) => {
                let there = [to_i64(process.index()), to_i64(location.index())];
                let frame = context.frame(self.value(pid, context)?);
                Ok(frame.map_or(0, |frame| i64::from(context.slots[frame..frame + 2] == there)))
            }
            Expr::FirstInstance(process) => {
                let first = (0..context.frames.len()).find(|&pid| context.process_of(pid) == process);
                Ok(first.map_or(-1, |pid| to_i64(pid)))
            }
            Expr::Length(channel) => {
                Ok(to_i64(self.queue(self.value(channel, context)?, context)?.length(context.slots)))
            }
            Expr::Capacity(channel) => Ok(to_i64(self.queue(self.value(channel, context)?, context)?.capacity)),
            Expr::Poll(pattern) => self.poll(pattern, context),
            Expr::Timeout => Ok(i64::from(context.timeout)),
            Expr::ProcessCount => Ok(to_i64(context.frames.len())),
            Expr::OwnPid => context.me.map(|me| to_i64(me)).ok_or(FaultKind::NoProcess(-1)),
            Expr::NonProgress => Ok(i64::from(!self.some_process(context, |location| location.progress))),
            Expr::Accepting => Ok(i64::from(self.some_process(context, |location| location.accept))),
            Expr::LocationOf(pid) => {
                let frame = context.frame(self.value(pid, context)?);
                Ok(frame.map_or(0, |frame| context.slots[frame + FRAME_LOCATION] + 1))
            }
            Expr::PriorityOf(pid) => {
                let frame = context.frame(self.value(pid, context)?);
                Ok(frame.map_or(0, |frame| context.slots[frame + FRAME_PRIORITY]))
            }
            Expr::Deadlock if context.me.is_some() => Err(FaultKind::Circular),
            Expr::Enabled(pid) => {
                let pid = self.value(pid, context)?;
                let there = context.frame(pid).is_ok();
                Ok(i64::from(there && self.can_step(context, to_usize(pid))?))
            }
            Expr::Deadlock => Ok(i64::from(self.is_deadlock_at(context.slots)?)),
            _ => Err(FaultKind::Circular),
        }
    }

    /// The frame of the instance with this pid, if it runs the process whose variable is read.
    fn remote_frame(&self, pid: ExprId, var: VarId, context: &Context<'_>) -> Result<Option<usize>, FaultKind> {
        let frame = context.frame(self.value(pid, context)?).ok();
        let runs = |frame: &usize| Scope::Local(ProcessId::new(to_usize(context.slots[frame + FRAME_PROCESS])));
        Ok(frame.filter(|frame| self.program().variable(var).scope == runs(frame)))
    }

    fn some_process(&self, context: &Context<'_>, is: impl Fn(&crate::graph::Location) -> bool) -> bool {
        (0..context.frames.len())
            .any(|pid| is(self.program().location(context.process_of(pid), context.location_of(pid))))
    }

    fn poll(&self, pattern: PatternId, context: &Context<'_>) -> Value {
        let pattern = self.program().exprs.pattern(pattern);
        let queue = self.queue(self.value(pattern.channel, context)?, context)?;
        if queue.capacity == 0 {
            return Err(FaultKind::PollWithoutBuffer);
        }
        // A question may leave out the last fields.
        let missing = queue.fields.saturating_sub(pattern.fields.len());
        if missing == 0 {
            return Ok(i64::from(self.find_message(pattern, queue, context)?.is_some()));
        }
        let mut whole = pattern.clone();
        whole.fields.extend(std::iter::repeat_n(Field::Skip, missing));
        Ok(i64::from(self.find_message(&whole, queue, context)?.is_some()))
    }

    /// Whether a message has the values that a pattern asks for.
    pub(crate) fn matches(&self, fields: &[Field], message: &[i64], context: &Context<'_>) -> Result<bool, FaultKind> {
        if fields.len() != message.len() {
            return Err(FaultKind::MessageShape);
        }
        for (field, &value) in fields.iter().zip(message) {
            if let Field::Match(wanted) = *field
                && self.value(wanted, context)? != value
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
