//! Which processes can there be, with which numbers, and who starts whom?
//!
//! The number of a process is how many there were when it was started, and only the youngest can go. So the stack of processes
//! is followed, with the places of those that start others and the values that are plain to see; everything else is
//! left open, so that no stack is missed. Where the stack grows without end, or beyond what can be told apart, the statement is
//! refused.
//!
//! Not here: what becomes of the copies ([`crate::instances`]).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tertium_base::narrow::{to_i64, to_usize};
use tertium_program::analysis::partial_evaluation::evaluate;
use tertium_program::{
    Action, Assign, ChannelId, Expr, ExprId, Hold, InitialValue, LocationId, Place, ProcessId, Program, Scope, Step,
    StepId, Type, VarId,
};

/// More copies of processes than this are not told apart.
pub const MOST_COPIES: usize = 64;
/// Stacks with more processes are not followed.
const DEEPEST: usize = 32;
/// More stacks than this are not followed.
const MOST_STACKS: usize = 20_000;

/// A process with its number, and what it was given.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Copy {
    pub(crate) pid: usize,
    pub(crate) process: ProcessId,
    /// Parameters that have this value as long as it runs.
    pub(crate) constants: BTreeMap<VarId, i64>,
}

/// All copies of processes that there can be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    /// Those that run from the start come first, by pid.
    pub(crate) copies: Vec<Copy>,
    /// How many run from the start.
    pub(crate) initial: usize,
    /// Whom a copy may start with a step.
    pub(crate) by: BTreeMap<(usize, StepId), BTreeSet<usize>>,
}

/// What is followed besides places.
#[derive(Clone, Copy)]
struct Depth {
    /// Globals and locals that are written, or locals only, or neither.
    globals: bool,
    locals: bool,
    /// Whether all parameters that never change tell copies apart, or only channels.
    parameters: bool,
}

const DEPTHS: [Depth; 4] = [
    Depth { globals: true, locals: true, parameters: true },
    Depth { globals: true, locals: true, parameters: false },
    Depth { globals: false, locals: true, parameters: false },
    Depth { globals: false, locals: false, parameters: false },
];

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct ProcessFrame {
    copy: usize,
    /// Where it is; of those that start nobody this is not followed.
    at: LocationId,
    locals: BTreeMap<VarId, i64>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Stack {
    frames: Vec<ProcessFrame>,
    globals: BTreeMap<VarId, i64>,
    /// Who holds control; nobody allows more.
    holder: Option<usize>,
}

struct Follow<'p> {
    program: &'p Program,
    depth: Depth,
    /// By process: whether it starts others, and whether it ends.
    starters: Vec<bool>,
    ending: Vec<bool>,
    written: BTreeSet<VarId>,
    /// Written by processes that are not followed.
    untold: BTreeSet<VarId>,
    /// The number of the first channel of each copy.
    first_channel: Vec<i64>,
    found: Starts,
}

impl Starts {
    /// All copies that there can be.
    ///
    /// # Errors
    /// A statement that starts more than can be told apart.
    pub(crate) fn of(program: &Program) -> Result<Self, StepId> {
        let mut outcome = Ok(Self::default());
        for depth in DEPTHS {
            outcome = Follow::new(program, depth).follow();
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    /// Whether a copy is ever started.
    pub(crate) fn is_started(&self, copy: usize) -> bool {
        self.by.values().any(|started| started.contains(&copy))
    }
}

/// The steps that a process can come to, as its graph tells.
pub(crate) fn reached(program: &Program, process: ProcessId) -> Vec<StepId> {
    let mut seen: BTreeSet<LocationId> = BTreeSet::new();
    let mut open = vec![program.process(process).entry];
    let mut steps = Vec::new();
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            for &step in &program.location(process, at).steps {
                steps.push(step);
                open.push(program.step(step).target);
            }
        }
    }
    steps.sort_unstable();
    steps
}

impl<'p> Follow<'p> {
    fn new(program: &'p Program, depth: Depth) -> Self {
        let steps: Vec<Vec<StepId>> = program.process_ids().map(|process| reached(program, process)).collect();
        let any = |is: fn(&Action) -> bool| -> Vec<bool> {
            steps.iter().map(|steps| steps.iter().any(|&step| is(&program.step(step).action))).collect()
        };
        let starters = any(|action| matches!(action, Action::Run { .. }));
        let ending = any(|action| matches!(action, Action::End));
        let written = program.steps.iter().flat_map(Step::written).collect();
        let others = program.steps.iter().filter(|step| !starters[step.process.index()]);
        let untold = others.flat_map(Step::written).collect();
        let (first_channel, found) = (Vec::new(), Starts::default());
        Self { program, depth, starters, ending, written, untold, first_channel, found }
    }

    fn follow(mut self) -> Result<Starts, StepId> {
        let mut stack = Stack { frames: Vec::new(), globals: BTreeMap::new(), holder: None };
        for var in self.program.variable_ids() {
            let variable = self.program.variable(var);
            if variable.scope == Scope::Global
                && let Some(value) = self.begins(var, &stack, &[])
            {
                self.put(&mut stack, None, var, Some(value));
            }
        }
        for (pid, instance) in self.program.instances.iter().enumerate() {
            self.add_copy(Copy { pid, process: instance.process, constants: BTreeMap::new() });
            let arguments: Vec<Option<i64>> = instance.arguments.iter().map(|&value| Some(value)).collect();
            self.push(&mut stack, pid, &arguments);
        }
        self.found.initial = self.found.copies.len();
        let starter = self.found.copies.iter().any(|copy| self.starters[copy.process.index()]);
        if starter {
            self.explore(stack)?;
        }
        Ok(self.found)
    }

    fn explore(&mut self, first: Stack) -> Result<(), StepId> {
        let mut known: HashSet<Stack> = HashSet::from([first.clone()]);
        let mut open = vec![first];
        let starts = |&id: &StepId| matches!(self.program.step(id).action, Action::Run { .. });
        let Some(mut last) = self.program.step_ids().find(starts) else { return Ok(()) };
        while let Some(stack) = open.pop() {
            let mut next = Vec::new();
            for pid in 0..stack.frames.len() {
                if stack.holder.is_none_or(|holder| holder == pid) {
                    self.moves(&stack, pid, &mut next, &mut last)?;
                }
            }
            if stack.holder.is_some_and(|holder| !self.surely_goes_on(&stack, holder)) {
                next.push(Stack { holder: None, ..stack.clone() });
            }
            for stack in next {
                if known.len() >= MOST_STACKS {
                    return Err(last);
                }
                if known.insert(stack.clone()) {
                    open.push(stack);
                }
            }
        }
        Ok(())
    }

    /// What a process can make of the stack.
    fn moves(&mut self, stack: &Stack, pid: usize, next: &mut Vec<Stack>, last: &mut StepId) -> Result<(), StepId> {
        let process = self.process(stack, pid);
        let youngest = pid + 1 == stack.frames.len();
        if !self.starters[process.index()] {
            if youngest && self.ending[process.index()] {
                next.push(popped(stack));
            }
            return Ok(());
        }
        let program = self.program;
        for &id in &program.location(process, stack.frames[pid].at).steps {
            let step = program.step(id);
            if !self.may_be_taken(stack, pid, step) {
                continue;
            }
            let hold = program.location(process, step.target).hold;
            let mut after = stack.clone();
            after.frames[pid].at = step.target;
            after.holder = Some(pid).filter(|_| hold != Hold::Free && !step.frees);
            match &step.action {
                Action::Assign(assigns) => self.assign(stack, &mut after, pid, assigns, None),
                Action::Send { channel, .. } => self.meets(stack, pid, *channel, &mut after),
                Action::Receive { pattern, .. } => {
                    self.meets(stack, pid, pattern.channel, &mut after);
                    for var in step.written() {
                        self.put(&mut after, Some(pid), var, None);
                    }
                }
                Action::Run { process, arguments, then, .. } => {
                    *last = id;
                    let arguments: Vec<Option<i64>> =
                        arguments.iter().map(|&value| self.value(value, stack, pid, None)).collect();
                    self.assign(stack, &mut after, pid, then, Some(to_i64(stack.frames.len())));
                    self.start((stack.frames[pid].copy, id), &mut after, *process, &arguments)?;
                }
                Action::End if youngest => after = popped(stack),
                Action::End => continue,
                Action::Assert(_) | Action::Print { .. } | Action::SetPriority { .. } | Action::Together { .. } => {}
            }
            next.push(after);
        }
        Ok(())
    }

    /// On a channel without a buffer control goes to somebody else.
    fn meets(&self, stack: &Stack, pid: usize, channel: ExprId, after: &mut Stack) {
        let number = self.value(channel, stack, pid, None);
        let globals = self.global_channels();
        let known = number.and_then(|number| globals.get(usize::try_from(number).ok()?.checked_sub(1)?));
        if known.is_none_or(|&id| self.program.channel(id).capacity == 0) {
            after.holder = None;
        }
    }

    fn may_be_taken(&self, stack: &Stack, pid: usize, step: &Step) -> bool {
        // Nothing interrupts a deterministic block.
        let within = self.program.location(step.process, step.source).hold == Hold::Deterministic;
        let provided = self.program.process(step.process).provided.filter(|_| !within);
        let off = |expr: ExprId| self.value(expr, stack, pid, None) == Some(0);
        let before = |&rival: &StepId| self.surely_taken(stack, pid, self.program.step(rival));
        !off(step.guard) && !provided.is_some_and(off) && !step.yields_to.iter().any(before)
    }

    /// Whether a step can be taken for certain, as far as what it yields to allows.
    fn surely_taken(&self, stack: &Stack, pid: usize, step: &Step) -> bool {
        let on = |expr: ExprId| self.value(expr, stack, pid, None).is_some_and(|value| value != 0);
        let free =
            matches!(step.action, Action::Assign(_) | Action::Assert(_) | Action::Print { .. } | Action::Run { .. });
        let provided = self.program.process(step.process).provided;
        free && step.inputs.is_empty() && on(step.guard) && provided.is_none_or(on)
    }

    fn surely_goes_on(&self, stack: &Stack, pid: usize) -> bool {
        let location = self.program.location(self.process(stack, pid), stack.frames[pid].at);
        // Somebody of higher priority interrupts a block, unless it is deterministic.
        let interrupted = self.program.priorities && location.hold != Hold::Deterministic;
        !interrupted && location.steps.iter().any(|&step| self.surely_taken(stack, pid, self.program.step(step)))
    }

    fn start(
        &mut self,
        by: (usize, StepId),
        stack: &mut Stack,
        process: ProcessId,
        arguments: &[Option<i64>],
    ) -> Result<(), StepId> {
        let mut constants = BTreeMap::new();
        for &local in &self.program.process(process).locals {
            let variable = self.program.variable(local);
            let told = self.depth.parameters || variable.ty == Type::Channel;
            if let InitialValue::Argument(position) = variable.initial
                && told
                && !self.written.contains(&local)
                && let Some(&Some(value)) = arguments.get(position as usize)
                && (variable.ty != Type::Channel || self.lasts(stack, value))
            {
                constants.insert(local, self.program.stored(variable.ty, value));
            }
        }
        let copy = self.add_copy(Copy { pid: stack.frames.len(), process, constants });
        if self.found.copies.len() > MOST_COPIES || stack.frames.len() >= DEEPEST {
            return Err(by.1);
        }
        self.found.by.entry(by).or_default().insert(copy);
        self.push(stack, copy, arguments);
        Ok(())
    }

    /// Whether a channel is there as long as a process that is started now: everyone's, or of one that is older.
    fn lasts(&self, stack: &Stack, number: i64) -> bool {
        let own = |frame: &ProcessFrame| {
            let first = self.first_channel[frame.copy];
            let count = to_i64(self.program.process(self.found.copies[frame.copy].process).channels.len());
            (first..first + count).contains(&number)
        };
        (1..=to_i64(self.global_channels().len())).contains(&number) || stack.frames.iter().any(own)
    }

    fn add_copy(&mut self, copy: Copy) -> usize {
        if let Some(known) = self.found.copies.iter().position(|known| *known == copy) {
            return known;
        }
        let before = self.found.copies.last();
        let count = before.map_or(0, |last| to_i64(self.program.process(last.process).channels.len()));
        let first = self.first_channel.last().copied().unwrap_or(to_i64(self.global_channels().len()) + 1);
        self.first_channel.push(first + count);
        self.found.copies.push(copy);
        self.found.copies.len() - 1
    }

    fn push(&self, stack: &mut Stack, copy: usize, arguments: &[Option<i64>]) {
        let process = self.found.copies[copy].process;
        let pid = stack.frames.len();
        stack.frames.push(ProcessFrame { copy, at: self.program.process(process).entry, locals: BTreeMap::new() });
        if self.starters[process.index()] {
            for &local in &self.program.process(process).locals {
                let value = self.begins(local, stack, arguments);
                self.put(stack, Some(pid), local, value);
            }
        }
    }

    fn process(&self, stack: &Stack, pid: usize) -> ProcessId {
        self.found.copies[stack.frames[pid].copy].process
    }

    /// What a variable begins with: a global, or a local of the youngest process.
    fn begins(&self, var: VarId, stack: &Stack, arguments: &[Option<i64>]) -> Option<i64> {
        let variable = self.program.variable(var);
        let value = match &variable.initial {
            InitialValue::Any | InitialValue::Each(_) => return None,
            InitialValue::Same(value) => *value,
            InitialValue::Argument(position) => (*arguments.get(*position as usize).unwrap_or(&Some(0)))?,
            InitialValue::Computed(expr) => self.value(*expr, stack, stack.frames.len().checked_sub(1)?, None)?,
            InitialValue::Channel(first) => return self.channel(*first, 0, stack.frames.last()),
        };
        Some(self.program.stored(variable.ty, value))
    }

    fn global_channels(&self) -> Vec<ChannelId> {
        let all = (0..self.program.channels.len()).map(ChannelId::new);
        all.filter(|&id| self.program.channel(id).scope == Scope::Global).collect()
    }

    /// The number of a channel, counted as [`crate::queues`] does: global ones first, then those of each copy.
    fn channel(&self, first: ChannelId, offset: usize, frame: Option<&ProcessFrame>) -> Option<i64> {
        let id = ChannelId::new(first.index() + offset);
        if let Some(at) = self.global_channels().iter().position(|&known| known == id) {
            return Some(to_i64(at) + 1);
        }
        let copy = frame?.copy;
        let own = &self.program.process(self.found.copies[copy].process).channels;
        let at = own.iter().position(|&known| known == id)?;
        Some(self.first_channel[copy] + to_i64(at))
    }

    /// Whether the value of a variable is followed.
    fn is_followed(&self, var: VarId) -> bool {
        let variable = self.program.variable(var);
        if !variable.dimensions.is_empty() {
            return false;
        }
        match variable.scope {
            _ if !self.written.contains(&var) => true,
            Scope::Global => self.depth.globals && !self.untold.contains(&var),
            Scope::Local(_) => self.depth.locals,
        }
    }

    fn put(&self, stack: &mut Stack, pid: Option<usize>, var: VarId, value: Option<i64>) {
        let local = matches!(self.program.variable(var).scope, Scope::Local(_));
        let values = match pid.filter(|_| local) {
            Some(pid) => &mut stack.frames[pid].locals,
            None => &mut stack.globals,
        };
        match value.filter(|_| self.is_followed(var)) {
            Some(value) => values.insert(var, value),
            None => values.remove(&var),
        };
    }

    fn assign(&self, before: &Stack, after: &mut Stack, pid: usize, assigns: &[Assign], input: Option<i64>) {
        for assign in assigns {
            let value = self.value(assign.value, before, pid, input);
            if let Place::Var(var) = assign.place {
                self.put(after, Some(pid), var, value);
            }
        }
    }

    /// The value of an expression for a process, if it is plain to see.
    fn value(&self, id: ExprId, stack: &Stack, pid: usize, input: Option<i64>) -> Option<i64> {
        let exprs = &self.program.exprs;
        let frame = stack.frames.get(pid);
        let value = evaluate(exprs, id, &|leaf, of| match leaf {
            Expr::Var(var) => match self.program.variable(var).scope {
                Scope::Global => stack.globals.get(&var).copied(),
                Scope::Local(process) if self.process(stack, pid) == process => frame?.locals.get(&var).copied(),
                Scope::Local(_) => None,
            },
            Expr::Element(var, indices) => {
                let &[index] = exprs.list(indices) else { return None };
                self.element(var, of(index).ok()?, frame)
            }
            Expr::Input(0, _) => input,
            Expr::OwnPid => Some(to_i64(pid)),
            Expr::ProcessCount => Some(to_i64(stack.frames.len())),
            _ => None,
        });
        value.ok()
    }

    /// A cell of an array that is never written.
    fn element(&self, var: VarId, index: i64, frame: Option<&ProcessFrame>) -> Option<i64> {
        let variable = self.program.variable(var);
        let &[dimension] = variable.dimensions.as_slice() else { return None };
        if self.written.contains(&var) || index < dimension.lo || index > dimension.hi() {
            return None;
        }
        let cell = to_usize(index - dimension.lo);
        match &variable.initial {
            InitialValue::Same(value) => Some(self.program.stored(variable.ty, *value)),
            InitialValue::Each(values) => values.get(cell).copied(),
            InitialValue::Channel(first) => self.channel(*first, cell, frame),
            _ => None,
        }
    }
}

fn popped(stack: &Stack) -> Stack {
    let mut after = stack.clone();
    after.frames.pop();
    after.holder = None;
    after
}
