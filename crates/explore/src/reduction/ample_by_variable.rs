//! Ample sets, by variable: which locations are private in a program whose processes come and go?
//!
//! As in [`super::ample_by_slot`], but by variable instead of by slot: a step is private if it assigns only variables of its
//! own process that nobody else and no question ever looks at, and reads only those and globals that are never
//! written. Processes that come and go do not disturb such a step, nor does it disturb them. A location at which a
//! process can only send to, or only receive from, one channel that is its own in that direction is private too.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::BitSet;
use tertium_program::{
    Action, Direction, Expr, ExprId, Hold, Location, ProcessId, Program, Promise, Scope, Step, VarId,
};

use super::exclusive_channels::ExclusiveChannels;
use super::step_accesses::StepAccesses;

/// The private locations of each process, and the promises that they rely on, by position.
pub(super) struct AmpleLocations {
    pub locations: Vec<BitSet>,
    pub relied_on: BTreeSet<usize>,
}

/// The private locations as far as a question that looks at `seen` is concerned; none at all if something depends on more
/// than can be told here. ExclusiveChannels that the program promises to be exclusive count as such if `trusting`.
pub(super) fn ample_locations(program: &Program, seen: &[ExprId], trusting: bool) -> Option<AmpleLocations> {
    let watched = program.trace.is_some() || program.must_be_deterministic();
    if program.priorities || program.last.is_some() || watched {
        return None;
    }
    let mut shared = Shared::default();
    shared.look_at(program, None, seen)?;
    for step in &program.steps {
        let touched = StepAccesses::by(program, step);
        shared.look_at(program, Some(step.process), &touched.looked_at)?;
        touched.written().for_each(|var| shared.write(program, step.process, var));
    }
    let analysis = VariableIndependence { program, shared, channels: ExclusiveChannels::of(program, seen), trusting };
    let mut private = AmpleLocations { locations: Vec::new(), relied_on: BTreeSet::new() };
    for process in program.process_ids() {
        let locations = &program.process(process).locations;
        let mut set = BitSet::empty(locations.len());
        for (at, location) in locations.iter().enumerate() {
            if let Some(relied_on) = analysis.is_ample(location) {
                set.insert(at);
                private.relied_on.extend(relied_on);
            }
        }
        private.locations.push(set);
    }
    Some(private)
}

/// What more than one process, or a question, has to do with.
#[derive(Default)]
struct Shared {
    /// Variables that somebody else than their owner, or a question, looks at.
    read: BTreeSet<VarId>,
    /// Variables that somebody else than their owner assigns.
    written: BTreeSet<VarId>,
    /// The only process whose code has to do with a global; none if there are several.
    user: BTreeMap<VarId, Option<ProcessId>>,
    /// Globals that are assigned.
    changing: BTreeSet<VarId>,
    /// Processes whose location somebody else looks at.
    watched: BTreeSet<ProcessId>,
    /// Whether a question looks for labels of acceptance, and of progress.
    accepting: bool,
    progress: bool,
}

impl Shared {
    /// Notes what code of `owner`, or a question, looks at; none if that cannot be told.
    fn look_at(&mut self, program: &Program, owner: Option<ProcessId>, roots: &[ExprId]) -> Option<()> {
        for id in program.exprs.reachable(roots) {
            match program.exprs.get(id) {
                Expr::Var(var) | Expr::Element(var, _) => match (program.variable(var).scope, owner) {
                    (Scope::Local(local), Some(owner)) if local == owner => {}
                    (Scope::Global, Some(owner)) => self.used_by(owner, var),
                    _ => _ = self.read.insert(var),
                },
                Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => {
                    self.read.insert(var);
                }
                Expr::At(process, _) | Expr::RemoteAt(_, process, _) => {
                    self.watched.insert(process);
                }
                // While a process can step at a private location, nobody else's time-out runs.
                Expr::Timeout => owner.map(|_| ())?,
                Expr::Accepting if owner.is_none() => self.accepting = true,
                Expr::NonProgress if owner.is_none() => self.progress = true,
                Expr::NonProgress | Expr::Accepting | Expr::Enabled(_) | Expr::LocationOf(_) | Expr::PriorityOf(_) => {
                    return None;
                }
                // Deadlocks are never put off, so asking for them sees no single step.
                Expr::Deadlock if owner.is_none() => {}
                Expr::Deadlock => return None,
                _ => {}
            }
        }
        Some(())
    }

    fn write(&mut self, program: &Program, owner: ProcessId, var: VarId) {
        match program.variable(var).scope {
            Scope::Global => {
                self.changing.insert(var);
                self.used_by(owner, var);
            }
            Scope::Local(local) if local == owner => {}
            Scope::Local(_) => _ = self.written.insert(var),
        }
    }

    fn used_by(&mut self, process: ProcessId, var: VarId) {
        self.user.entry(var).and_modify(|user| *user = user.filter(|&user| user == process)).or_insert(Some(process));
    }
}

struct VariableIndependence<'p> {
    program: &'p Program,
    shared: Shared,
    channels: ExclusiveChannels,
    trusting: bool,
}

impl VariableIndependence<'_> {
    /// The promises that a private location relies on; none if it is not private.
    fn is_ample(&self, location: &Location) -> Option<Vec<usize>> {
        let steps: Vec<&Step> = location.steps.iter().map(|&step| self.program.step(step)).collect();
        let first = steps.first()?;
        let same_channel = |step: &&Step| used_channel(&step.action) == used_channel(&first.action);
        if !steps.iter().all(same_channel) || !steps.iter().all(|step| self.leaves_alone(step)) {
            return None;
        }
        let Some((channel, direction)) = used_channel(&first.action) else { return Some(Vec::new()) };
        let alone = |promised| self.channels.are_alone(self.program, first.process, channel, direction, promised);
        if alone(false) {
            return Some(Vec::new());
        }
        let promise = self.promise(first.process, channel, direction).filter(|_| self.trusting && alone(true))?;
        Some(vec![promise])
    }

    /// The promise that a channel is the process's own in this direction. Which channel that is must not change.
    fn promise(&self, process: ProcessId, channel: ExprId, direction: Direction) -> Option<usize> {
        let Expr::Var(var) = self.program.exprs.get(channel) else { return None };
        let meant =
            |promise: &Promise| promise.process == process && promise.channel == var && promise.direction == direction;
        self.program.promises.iter().position(meant).filter(|_| !self.channels.is_assigned(var))
    }

    /// Whether a step has to do with nobody else, channels apart.
    fn leaves_alone(&self, step: &Step) -> bool {
        let (program, shared) = (self.program, &self.shared);
        let place = |location| program.location(step.process, location);
        let (source, target) = (place(step.source), place(step.target));
        let simple = match &step.action {
            Action::Assign(_) | Action::Assert(_) | Action::Print { .. } | Action::Send { .. } => true,
            // A message somewhere in the channel may come to be there at any time.
            Action::Receive { pattern, .. } => !pattern.anywhere,
            _ => false,
        };
        let seen = shared.watched.contains(&step.process)
            || (shared.accepting && source.accept != target.accept)
            || (shared.progress && source.progress != target.progress);
        let waits = |location| self.channels.waiting_is_seen(program, step.process, location);
        if !simple || source.hold != Hold::Free || target.hold != Hold::Free || seen || waits(source) || waits(target) {
            return false;
        }
        let touched = StepAccesses::by(program, step);
        touched.written().all(|var| self.is_own(step.process, var))
            && program.exprs.reachable(&touched.looked_at).into_iter().all(|id| match program.exprs.get(id) {
                Expr::Var(var) | Expr::Element(var, _) => self.is_steady(step.process, var),
                Expr::Bool(_)
                | Expr::Int(_)
                | Expr::Member(..)
                | Expr::Input(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::If(..)
                | Expr::Wrap(..)
                | Expr::Capacity(_)
                | Expr::OwnPid => true,
                _ => false,
            })
    }

    /// Whether only this process has to do with a variable, and no question.
    fn is_own(&self, process: ProcessId, var: VarId) -> bool {
        let shared = &self.shared;
        let own = match self.program.variable(var).scope {
            Scope::Local(local) => local == process,
            Scope::Global => {
                self.channels.runs_once(process) && shared.user.get(&var).copied().flatten() == Some(process)
            }
        };
        own && !shared.read.contains(&var) && !shared.written.contains(&var)
    }

    /// Whether nobody else changes a variable that a process reads.
    fn is_steady(&self, process: ProcessId, var: VarId) -> bool {
        match self.program.variable(var).scope {
            Scope::Local(local) => local == process && !self.shared.written.contains(&var),
            Scope::Global => {
                !self.shared.changing.contains(&var)
                    || (self.channels.runs_once(process)
                        && self.shared.user.get(&var).copied().flatten() == Some(process))
            }
        }
    }
}

/// The channel that an action sends to or receives from.
fn used_channel(action: &Action) -> Option<(ExprId, Direction)> {
    match action {
        Action::Send { channel, .. } => Some((*channel, Direction::Send)),
        Action::Receive { pattern, .. } => Some((pattern.channel, Direction::Receive)),
        _ => None,
    }
}
