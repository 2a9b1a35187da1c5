//! What is a program, once its language is forgotten?
//!
//! Processes with locations; between locations, steps with a guard, inputs and one action. Every front end
//! lowers to this, every analysis reads it. What a step *does* is defined once, in [`crate::semantics`]; the
//! same steps as terms are in [`crate::terms`].
//!
//! A *process* here is code; an *instance* is a running copy with a pid. Languages whose processes are all
//! known in advance make one process per instance, so that a [`VarId`] alone names a cell of the state.

mod action;
mod process;

use std::collections::BTreeMap;

use tertium_base::narrow::to_i64;
use tertium_base::{Span, id_type};

pub use self::action::{Action, Assign, Domain, Input, Step};
pub use self::process::{Fairness, Hold, Instance, Location, Process};
use crate::expr::{ExprId, Exprs, Sort};
use crate::types::{
    Channel, ChannelId, EnumId, Enumeration, Function, FunctionId, Scope, Type, VarId, Variable, Width,
};

id_type! {
    /// A process: code that instances run.
    pub struct ProcessId;
}
id_type! {
    /// A location of one process; its index is the value of the program counter.
    pub struct LocationId;
}
id_type! {
    /// A step of one program.
    pub struct StepId;
}

/// An automaton over the events on some channels: the events that happen must be those it allows (or, if it is
/// `negated`, must not lead to its end).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Its code, which has no instances: receives, whose patterns say which messages are meant.
    pub process: ProcessId,
    /// Those of its steps that stand for sends; the others stand for receives.
    pub sends: Vec<StepId>,
    /// The global variable that holds its location.
    pub variable: VarId,
    /// Whether events must not happen in this way.
    pub negated: bool,
}

/// What is done with a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// Messages are put into it.
    Send,
    /// Messages are taken out of it, or copied.
    Receive,
}

/// What the program says of a channel without anything enforcing it: only this process uses it in this direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Promise {
    /// Whose instances each claim the channel that they hold.
    pub process: ProcessId,
    /// The variable that holds the channel.
    pub channel: VarId,
    /// What nobody else does.
    pub direction: Direction,
    /// Where it stands.
    pub span: Span,
}

/// A named expression over the program's state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The name; predicates without one are named by their text.
    pub name: String,
    /// Its meaning.
    pub expr: ExprId,
    /// Where it stands.
    pub span: Span,
}

/// A question about the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// The name of the logic: `pml`, `ctl`, `ctl*`, `ltl` or `mu`.
    pub logic: String,
    /// The formula as the user wrote it.
    pub source: String,
    /// The formula in the syntax of the logic's own parser; everything over the program is an atom.
    pub formula: String,
    /// What the atoms of `formula` mean, by their text.
    pub atoms: BTreeMap<String, ExprId>,
    /// Where it stands.
    pub span: Span,
}

/// A number of steps that is asked for: from states of one kind to states of another, along infinite paths that keep a promise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distance {
    /// Its name.
    pub name: String,
    /// How it was written.
    pub source: String,
    /// Whether the least number is asked for, or the largest that is needed.
    pub least: bool,
    /// Where paths begin, a branching formula.
    pub from: Property,
    /// Where they lead, a branching formula.
    pub to: Property,
    /// What paths keep, a linear formula.
    pub promise: Property,
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// All expressions that the rest speaks of.
    pub exprs: Exprs,
    /// Enumerations.
    pub enumerations: Vec<Enumeration>,
    /// All variables.
    pub variables: Vec<Variable>,
    /// All channels.
    pub channels: Vec<Channel>,
    /// Uninterpreted functions.
    pub functions: Vec<Function>,
    /// All processes.
    pub processes: Vec<Process>,
    /// All steps.
    pub steps: Vec<Step>,
    /// What runs from the start.
    pub instances: Vec<Instance>,
    /// What holds of the initial states besides the variables' initial values.
    pub init: Option<ExprId>,
    /// Names for expressions.
    pub defines: Vec<Named>,
    /// Predicates for abstraction.
    pub predicates: Vec<Named>,
    /// Processes that abstraction should keep apart from the rest.
    pub spotlight: Vec<ProcessId>,
    /// Processes that are one player, the environment, together with the scheduler; the others are the player `system`. None if every
    /// process is a player of its own, and so is the scheduler.
    pub environment: Option<Vec<ProcessId>>,
    /// Variables that abstraction should keep concrete.
    pub keep: Vec<VarId>,
    /// What is asked.
    pub properties: Vec<Property>,
    /// Which numbers of steps are asked for.
    pub distances: Vec<Distance>,
    /// Code that watches the states of runs and has no instances: Promela's `never` claims.
    pub claims: Vec<ProcessId>,
    /// Code that watches the events of runs.
    pub trace: Option<Trace>,
    /// Channels that are said to be used by one process only.
    pub promises: Vec<Promise>,
    /// Set to the pid of whoever stepped last, if declared; if two processes meet, the receiver. A deterministic block
    /// is one step, so that inside it this is who stepped before.
    pub last: Option<VarId>,
    /// What each step sets that to, none if to nothing, where it is not the pid of whoever takes it: in programs in which every
    /// copy of a process has code of its own. Empty elsewhere.
    pub stepped: Vec<Option<u32>>,
    /// Variables that cannot matter to what is asked, and to which nothing is assigned any more: what is known of them here is not so in the
    /// program that this one is a [slice](crate::analysis::cone_of_influence) of. Empty for what a front end makes.
    pub left_out: std::collections::BTreeSet<VarId>,
    /// Whether only the enabled processes of highest priority may step.
    pub priorities: bool,
    /// Whether a run goes on after a failed assertion as if it had held (the fault is told all the same).
    pub persistent: bool,
}

impl Program {
    /// A program with nothing in it.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds an enumeration.
    pub fn add_enumeration(&mut self, enumeration: Enumeration) -> EnumId {
        self.enumerations.push(enumeration);
        EnumId::new(self.enumerations.len() - 1)
    }

    /// Adds a variable; a local one is also entered in its process.
    pub fn add_variable(&mut self, variable: Variable) -> VarId {
        let id = VarId::new(self.variables.len());
        if let Scope::Local(process) = variable.scope {
            self.processes[process.index()].locals.push(id);
        }
        self.variables.push(variable);
        id
    }

    /// Adds a channel; a local one is also entered in its process.
    pub fn add_channel(&mut self, channel: Channel) -> ChannelId {
        let id = ChannelId::new(self.channels.len());
        if let Scope::Local(process) = channel.scope {
            self.processes[process.index()].channels.push(id);
        }
        self.channels.push(channel);
        id
    }

    /// Adds a function.
    pub fn add_function(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId::new(self.functions.len() - 1)
    }

    /// Adds a process without locations.
    pub fn add_process(&mut self, name: impl Into<String>, span: Span) -> ProcessId {
        self.processes.push(Process {
            name: name.into(),
            locals: Vec::new(),
            channels: Vec::new(),
            locations: Vec::new(),
            entry: LocationId::new(0),
            provided: None,
            deterministic: false,
            fairness: Fairness::None,
            span,
        });
        ProcessId::new(self.processes.len() - 1)
    }

    /// Adds a location to a process.
    pub fn add_location(&mut self, process: ProcessId, location: Location) -> LocationId {
        let locations = &mut self.processes[process.index()].locations;
        locations.push(location);
        LocationId::new(locations.len() - 1)
    }

    /// Adds a step; it is also entered in its source location.
    pub fn add_step(&mut self, step: Step) -> StepId {
        let id = StepId::new(self.steps.len());
        self.processes[step.process.index()].locations[step.source.index()].steps.push(id);
        self.steps.push(step);
        id
    }

    /// An enumeration.
    #[must_use]
    pub fn enumeration(&self, id: EnumId) -> &Enumeration {
        &self.enumerations[id.index()]
    }

    /// A variable.
    #[inline]
    #[must_use]
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// A channel.
    #[must_use]
    pub fn channel(&self, id: ChannelId) -> &Channel {
        &self.channels[id.index()]
    }

    /// A function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// A process.
    #[inline]
    #[must_use]
    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[id.index()]
    }

    /// A step.
    #[inline]
    #[must_use]
    pub fn step(&self, id: StepId) -> &Step {
        &self.steps[id.index()]
    }

    /// A location.
    #[inline]
    #[must_use]
    pub fn location(&self, process: ProcessId, location: LocationId) -> &Location {
        &self.processes[process.index()].locations[location.index()]
    }

    /// All variables' ids.
    pub fn variable_ids(&self) -> impl DoubleEndedIterator<Item = VarId> + use<> {
        (0..self.variables.len()).map(VarId::new)
    }

    /// All processes' ids.
    pub fn process_ids(&self) -> impl DoubleEndedIterator<Item = ProcessId> + use<> {
        (0..self.processes.len()).map(ProcessId::new)
    }

    /// All steps' ids.
    pub fn step_ids(&self) -> impl DoubleEndedIterator<Item = StepId> + use<> {
        (0..self.steps.len()).map(StepId::new)
    }

    /// The expression for a plain variable.
    pub fn read(&mut self, var: VarId) -> ExprId {
        let sort = self.sort_of(self.variable(var).ty);
        self.exprs.var(var, sort)
    }

    /// The sort of values of a type.
    #[must_use]
    pub const fn sort_of(&self, ty: Type) -> Sort {
        match ty {
            Type::Bool => Sort::Bool,
            _ => Sort::Int,
        }
    }

    /// Smallest and largest value of a type; `None` where there is no such bound.
    #[must_use]
    pub fn bounds(&self, ty: Type) -> (Option<i64>, Option<i64>) {
        match ty {
            Type::Int => (None, None),
            Type::Nat => (Some(0), None),
            Type::Bool => (Some(0), Some(1)),
            Type::Range { lo, hi } => (Some(lo), Some(hi)),
            Type::Enum(id) => (Some(0), Some(to_i64(self.enumeration(id).members.len()) - 1)),
            Type::Wrapped(width) => (Some(width.lowest()), Some(width.highest())),
            Type::Channel => (Some(0), None),
        }
    }

    /// What remains of a value when it is stored in a message, a parameter or a variable that receives it.
    #[must_use]
    pub fn stored(&self, ty: Type, value: i64) -> i64 {
        self.stored_width(ty).map_or(value, |width| width.wrap(value))
    }

    /// How much of a value is kept when it is stored, none if all of it: machine integers and enumerations of 256 members (bytes
    /// with names) are truncated, other types take what they are given.
    #[must_use]
    pub fn stored_width(&self, ty: Type) -> Option<Width> {
        match ty {
            Type::Wrapped(width) => Some(width),
            Type::Enum(id) if self.enumeration(id).members.len() == 256 => Some(Width { bits: 8, signed: false }),
            _ => None,
        }
    }

    /// Whether a value belongs to a type.
    #[must_use]
    pub fn admits(&self, ty: Type, value: i64) -> bool {
        let (lo, hi) = self.bounds(ty);
        lo.is_none_or(|lo| lo <= value) && hi.is_none_or(|hi| value <= hi)
    }

    /// Whether it is a fault of some process to have a choice.
    #[must_use]
    pub fn must_be_deterministic(&self) -> bool {
        self.processes.iter().any(|process| process.deterministic)
    }

    /// Who has stepped when a process takes a step, perhaps with a partner that takes another. Inside a deterministic block nobody has
    /// before it ends; a sender who meets its receiver there has.
    #[must_use]
    pub fn who_steps(&self, (pid, step): (u32, StepId), partner: Option<(u32, StepId)>) -> Option<u32> {
        let goes_on = |id: StepId| {
            let step = self.step(id);
            let hold = self.location(step.process, step.target).hold;
            step.action != Action::End && !step.frees && hold == Hold::Deterministic
        };
        match partner {
            Some((receiver, receive)) if !goes_on(receive) => Some(receiver),
            _ => Some(pid).filter(|_| partner.is_some() || !goes_on(step)),
        }
    }

    /// Whether the processes are fixed: none is created or removed, and each has exactly one instance. Then every
    /// variable is one place of the state, whoever speaks of it, and steps can be read as terms.
    #[must_use]
    pub fn is_static(&self) -> bool {
        let mut instances = vec![0; self.processes.len()];
        self.instances.iter().for_each(|instance| instances[instance.process.index()] += 1);
        let watches = |process: usize| {
            let id = ProcessId::new(process);
            self.claims.contains(&id) || self.trace.as_ref().is_some_and(|trace| trace.process == id)
        };
        (instances.iter().enumerate()).all(|(process, &count)| count == 1 || (count == 0 && watches(process)))
            && self.trace.is_none()
            && !self.must_be_deterministic()
            && self.steps.iter().all(|step| !matches!(step.action, Action::Run { .. } | Action::End))
    }
}
