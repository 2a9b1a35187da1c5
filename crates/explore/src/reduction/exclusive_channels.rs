//! Exclusive channels: which are used by one process alone, in one direction? (`xr` and `xs` in Promela; Holzmann, Peled 1994.)
//!
//! A send and a receive on one buffered channel do not disturb each other, so a process that alone sends to a channel, or
//! alone receives from it, may do so at any time. Which channels a variable may hold is found once for the whole program:
//! those it starts with, is given as an argument, is assigned or receives. A channel is exclusive if only one process
//! that runs once has to do with it, if everybody uses the element of an array that his own pid names, or if the program
//! promises it; a promise that something relies on must be watched ([`super::promises`]).

use std::collections::BTreeSet;

use tertium_program::{
    Action, ChannelId, Direction, Expr, ExprId, Field, Hold, InitialValue, Location, ProcessId, Program, Scope, Step,
    Type, VarId,
};

/// Some channels, by declaration; `None` for any.
type Set = Option<BTreeSet<ChannelId>>;

fn add(set: &mut Set, more: &Set) -> bool {
    match (set.as_mut(), more) {
        (None, _) => false,
        (Some(_), None) => {
            *set = None;
            true
        }
        (Some(mine), Some(more)) => {
            let before = mine.len();
            mine.extend(more);
            mine.len() > before
        }
    }
}

fn meet(some: &Set, others: &Set) -> bool {
    match (some, others) {
        (Some(some), Some(others)) => !some.is_disjoint(others),
        (Some(some), None) | (None, Some(some)) => !some.is_empty(),
        (None, None) => true,
    }
}

/// Something that a process, or a question, does with a channel.
#[derive(Clone, Debug)]
struct Use {
    /// Whose code it is; none for a question.
    process: Option<ProcessId>,
    channels: Set,
    /// The array of which it takes the element with its own pid.
    own_element: Option<VarId>,
}

/// Everything that is done with channels.
#[derive(Clone, Debug)]
pub(super) struct ExclusiveChannels {
    /// Variables that some step writes.
    assigned: BTreeSet<VarId>,
    /// What each variable may hold.
    held: Vec<Set>,
    sends: Vec<Use>,
    receives: Vec<Use>,
    /// Where it matters how many messages there are, or which.
    looks: Vec<Use>,
    /// Sends that may put a message before others.
    sorted: Vec<Use>,
    /// Whether at most one instance of a process ever exists.
    once: Vec<bool>,
}

impl ExclusiveChannels {
    pub fn of(program: &Program, seen: &[ExprId]) -> Self {
        let assigned = assigned(program);
        let mut channels = Self {
            held: held(program, &assigned),
            assigned,
            sends: Vec::new(),
            receives: Vec::new(),
            looks: Vec::new(),
            sorted: Vec::new(),
            once: once(program),
        };
        channels.look_at(program, None, seen);
        for step in &program.steps {
            channels.add_step(program, step);
        }
        channels
    }

    fn add_step(&mut self, program: &Program, step: &Step) {
        let touched = super::step_accesses::StepAccesses::by(program, step);
        self.look_at(program, Some(step.process), &touched.looked_at);
        match &step.action {
            Action::Send { channel, sorted, .. } => {
                let mut used = self.used(program, Some(step.process), *channel);
                self.sends.push(used.clone());
                if *sorted {
                    // Whoever sorts decides what comes first, so all who do are several.
                    used.own_element = None;
                    self.sorted.push(used);
                }
            }
            Action::Receive { pattern, .. } => {
                self.receives.push(self.used(program, Some(step.process), pattern.channel));
            }
            _ => {}
        }
        // What yields to a send or a receive, or ranks behind it, sees whether that is possible. In the middle of a block the
        // process itself does: it goes on, or the block is interrupted.
        let location = program.location(step.process, step.source);
        if location.hold != Hold::Free
            && let Some(channel) = message_channel(&step.action)
        {
            self.looks.push(self.used(program, Some(step.process), channel));
        }
        let rivals = location.steps.iter().copied().filter(|&id| {
            let rival = program.step(id);
            rival.rank < step.rank || step.yields_to.contains(&id)
        });
        for rival in rivals.collect::<Vec<_>>() {
            match &program.step(rival).action {
                Action::Send { channel, .. } => self.looks.push(self.used(program, Some(step.process), *channel)),
                Action::Receive { pattern, .. } => {
                    self.looks.push(self.used(program, Some(step.process), pattern.channel));
                }
                _ => {}
            }
        }
    }

    fn look_at(&mut self, program: &Program, process: Option<ProcessId>, roots: &[ExprId]) {
        for id in program.exprs.reachable(roots) {
            let channel = match program.exprs.get(id) {
                Expr::Length(channel) => channel,
                Expr::Poll(pattern) => program.exprs.pattern(pattern).channel,
                _ => continue,
            };
            self.looks.push(self.used(program, process, channel));
        }
    }

    fn used(&self, program: &Program, process: Option<ProcessId>, channel: ExprId) -> Use {
        let own_element = match program.exprs.get(channel) {
            Expr::Element(var, indices) if is_fixed_row(program, &self.assigned, var) => {
                match program.exprs.list(indices) {
                    [index] if program.exprs.get(*index) == Expr::OwnPid => Some(var),
                    _ => None,
                }
            }
            _ => None,
        };
        Use { process, channels: denoted(program, &self.assigned, &self.held, channel), own_element }
    }

    /// Whether some step writes a variable.
    pub fn is_assigned(&self, var: VarId) -> bool {
        self.assigned.contains(&var)
    }

    /// Whether at most one instance of a process ever exists.
    pub fn runs_once(&self, process: ProcessId) -> bool {
        self.once[process.index()]
    }

    /// Whether somebody else sees that a process of this kind has come to, or has left, a location: there it waits to meet
    /// others in a channel without a buffer, and somebody looks at whether that is possible.
    pub fn waiting_is_seen(&self, program: &Program, process: ProcessId, location: &Location) -> bool {
        let channels = location.steps.iter().filter_map(|&step| message_channel(&program.step(step).action));
        channels.into_iter().any(|channel| {
            let mine = self.used(program, Some(process), channel).channels;
            let meets = mine.as_ref().is_none_or(|all| all.iter().any(|&one| program.channel(one).capacity == 0));
            meets && self.looks.iter().any(|look| meet(&look.channels, &mine))
        })
    }

    /// Whether nobody else disturbs, or is disturbed by, a process that uses a channel in this direction. `promised` says
    /// that the program promises it.
    pub fn are_alone(
        &self,
        program: &Program,
        process: ProcessId,
        channel: ExprId,
        direction: Direction,
        promised: bool,
    ) -> bool {
        let mine = self.used(program, Some(process), channel);
        let Some(channels) = &mine.channels else { return false };
        let buffered = channels.iter().all(|&channel| program.channel(channel).capacity > 0);
        let once = self.once[process.index()];
        let others = |uses: &[Use]| {
            uses.iter().any(|used| {
                let own = once && used.process == Some(process);
                meet(&used.channels, &mine.channels) && !own
            })
        };
        let rivals = match direction {
            Direction::Send => &self.sends,
            Direction::Receive => &self.receives,
        };
        // Pids differ, so everybody who takes his own element takes another one.
        let by_pid = mine.own_element.is_some()
            && rivals.iter().all(|used| !meet(&used.channels, &mine.channels) || used.own_element == mine.own_element);
        let overtaken = direction == Direction::Receive && others(&self.sorted);
        // A channel of a process's own is another one in each instance, but may be handed on.
        let exclusive = promised || by_pid || !others(rivals);
        buffered && exclusive && !others(&self.looks) && !overtaken
    }
}

/// The channel that an action is about.
fn message_channel(action: &Action) -> Option<ExprId> {
    match action {
        Action::Send { channel, .. } => Some(*channel),
        Action::Receive { pattern, .. } => Some(pattern.channel),
        _ => None,
    }
}

/// What each variable may hold, whoever's it is and whenever.
fn held(program: &Program, assigned: &BTreeSet<VarId>) -> Vec<Set> {
    let mut held: Vec<Set> = vec![Some(BTreeSet::new()); program.variables.len()];
    for (var, set) in held.iter_mut().enumerate() {
        let variable = &program.variables[var];
        if let InitialValue::Channel(first) = variable.initial {
            *set = Some((first.index()..first.index() + variable.cells()).map(ChannelId::new).collect());
        } else if variable.ty == Type::Channel && variable.initial == InitialValue::Any {
            *set = None;
        }
    }
    let globals: Vec<ChannelId> = (0..program.channels.len())
        .map(ChannelId::new)
        .filter(|&channel| program.channel(channel).scope == Scope::Global)
        .collect();
    for instance in &program.instances {
        for &local in &program.process(instance.process).locals {
            let InitialValue::Argument(position) = program.variable(local).initial else { continue };
            let number = instance.arguments.get(position as usize).copied().unwrap_or(0);
            let channel = usize::try_from(number).ok().and_then(|number| globals.get(number.wrapping_sub(1)));
            if let Some(&channel) = channel.filter(|_| program.variable(local).ty == Type::Channel) {
                add(&mut held[local.index()], &Some(BTreeSet::from([channel])));
            }
        }
    }
    while spread(program, assigned, &mut held) {}
    held
}

/// Hands on what variables hold, once round; says whether anything changed.
fn spread(program: &Program, assigned: &BTreeSet<VarId>, held: &mut [Set]) -> bool {
    let mut changed = false;
    let mut sent: Set = Some(BTreeSet::new());
    for step in &program.steps {
        if let Action::Send { message, .. } = &step.action {
            for (at, &value) in message.iter().enumerate() {
                add(&mut sent, &given_to(program, assigned, held, value, carries_channels(program, message.len(), at)));
            }
        }
    }
    for step in &program.steps {
        let (assigns, started) = match &step.action {
            Action::Assign(assigns) => (assigns.as_slice(), None),
            Action::Run { process, arguments, then, .. } => (then.as_slice(), Some((*process, arguments))),
            Action::Receive { pattern, .. } => {
                for field in &pattern.fields {
                    if let Field::Bind(place) = field {
                        changed |= add(&mut held[place.variable().index()], &sent);
                    }
                }
                continue;
            }
            _ => continue,
        };
        for assign in assigns {
            let var = assign.place.variable();
            let more = given_to(program, assigned, held, assign.value, program.variable(var).ty == Type::Channel);
            changed |= add(&mut held[var.index()], &more);
        }
        let Some((process, arguments)) = started else { continue };
        for &local in &program.process(process).locals {
            let channel = program.variable(local).ty == Type::Channel;
            let more = match program.variable(local).initial {
                InitialValue::Argument(position) => arguments
                    .get(position as usize)
                    .map(|&argument| given_to(program, assigned, held, argument, channel)),
                _ => None,
            };
            if let Some(more) = more {
                changed |= add(&mut held[local.index()], &more);
            }
        }
    }
    for (at, variable) in program.variables.iter().enumerate() {
        if let InitialValue::Computed(expr) = variable.initial {
            let more = given_to(program, assigned, held, expr, variable.ty == Type::Channel);
            changed |= add(&mut held[at], &more);
        }
    }
    changed
}

/// Whether some channel takes messages of this length with a channel at this position.
fn carries_channels(program: &Program, length: usize, at: usize) -> bool {
    program.channels.iter().any(|channel| channel.fields.len() == length && channel.fields[at] == Type::Channel)
}

/// The channels that a value may be a number of; any if it is to be a channel and nobody knows which.
fn given_to(program: &Program, assigned: &BTreeSet<VarId>, held: &[Set], value: ExprId, is_channel: bool) -> Set {
    let given = given(program, assigned, held, value);
    let known = given.as_ref().is_none_or(|set| !set.is_empty()) || is_variable(program, value);
    if is_channel && !known && program.exprs.constant(value) != Some(0) { None } else { given }
}

/// Whether a value is that of a variable for channels, which holds what it was given.
fn is_variable(program: &Program, value: ExprId) -> bool {
    match program.exprs.get(value) {
        Expr::Var(var) | Expr::Element(var, _) | Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => {
            program.variable(var).ty == Type::Channel
        }
        _ => false,
    }
}

/// The channels that a value may be a number of: those of a variable, or, if it is computed, all that go into it, and
/// any if there are such.
fn given(program: &Program, assigned: &BTreeSet<VarId>, held: &[Set], value: ExprId) -> Set {
    match program.exprs.get(value) {
        Expr::Var(var) | Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => held[var.index()].clone(),
        Expr::Element(var, _) => match &held[var.index()] {
            Some(none) if none.is_empty() => Some(BTreeSet::new()),
            _ => denoted(program, assigned, held, value),
        },
        Expr::Wrap(_, inner) => given(program, assigned, held, inner),
        Expr::Length(_) | Expr::Capacity(_) | Expr::Poll(_) => Some(BTreeSet::new()),
        _ => {
            let holds = |&id: &ExprId| match program.exprs.get(id) {
                Expr::Var(var) | Expr::Element(var, _) | Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => {
                    held[var.index()].as_ref().is_none_or(|set| !set.is_empty())
                }
                _ => false,
            };
            let computed = program.exprs.sort(value) == tertium_program::Sort::Int
                && program.exprs.reachable(&[value]).iter().any(holds);
            if computed { None } else { Some(BTreeSet::new()) }
        }
    }
}

/// The channels that an expression which is used as one may mean.
fn denoted(program: &Program, assigned: &BTreeSet<VarId>, held: &[Set], channel: ExprId) -> Set {
    match program.exprs.get(channel) {
        Expr::Var(var) => held[var.index()].clone().filter(|set| !set.is_empty()),
        Expr::Element(var, indices) => {
            let all = held[var.index()].clone().filter(|set| !set.is_empty())?;
            let variable = program.variable(var);
            // An array that is never assigned holds its own channels, in order.
            let (InitialValue::Channel(first), [index], [dimension]) =
                (&variable.initial, program.exprs.list(indices), variable.dimensions.as_slice())
            else {
                return Some(all);
            };
            let fixed = program.exprs.constant(*index).filter(|_| is_fixed_row(program, assigned, var));
            Some(match fixed.and_then(|index| usize::try_from(index - dimension.lo).ok()) {
                Some(cell) if cell < variable.cells() => BTreeSet::from([ChannelId::new(first.index() + cell)]),
                _ => all,
            })
        }
        _ => None,
    }
}

/// Whether an array of everybody's holds its own channels, in order, always.
fn is_fixed_row(program: &Program, assigned: &BTreeSet<VarId>, var: VarId) -> bool {
    let variable = program.variable(var);
    let own = matches!(variable.initial, InitialValue::Channel(_)) && variable.scope == Scope::Global;
    own && !assigned.contains(&var)
}

/// The variables that some step writes.
fn assigned(program: &Program) -> BTreeSet<VarId> {
    let written = |step: &Step| super::step_accesses::StepAccesses::by(program, step).written().collect::<Vec<_>>();
    program.steps.iter().flat_map(written).collect()
}

/// For each process whether at most one instance of it ever exists: it runs from the start and is never started again, or is
/// started by one step that is taken at most once.
fn once(program: &Program) -> Vec<bool> {
    let mut once = vec![false; program.processes.len()];
    let starts = |process: usize| {
        program.steps.iter().filter(
            move |step| matches!(&step.action, Action::Run { process: started, .. } if started.index() == process),
        )
    };
    // Each round may learn of one more process that it is started by one that runs once.
    for _ in 0..program.processes.len() {
        let before = once.clone();
        for (process, once) in once.iter_mut().enumerate() {
            let instances = program.instances.iter().filter(|instance| instance.process.index() == process).count();
            let steps: Vec<&Step> = starts(process).collect();
            *once = match (instances, steps.as_slice()) {
                (0 | 1, []) => true,
                (0, [step]) => before[step.process.index()] && !is_repeated(program, step),
                _ => false,
            };
        }
        if once == before {
            break;
        }
    }
    once
}

/// Whether a way leads from the target of a step back to its source.
fn is_repeated(program: &Program, step: &Step) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![step.target];
    while let Some(at) = open.pop() {
        if at == step.source {
            return true;
        }
        if seen.insert(at) {
            open.extend(program.location(step.process, at).steps.iter().map(|&next| program.step(next).target));
        }
    }
    false
}
