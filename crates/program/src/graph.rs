//! What is a program, once its language is forgotten?
//!
//! Processes with locations; between locations, steps with a guard, inputs and one action. Every front end
//! lowers to this, every analysis reads it. What a step *does* is defined once, in [`crate::semantics`]; the
//! same steps as terms are in [`crate::terms`].
//!
//! A *process* here is code; an *instance* is a running copy with a pid. Languages whose processes are all
//! known in advance make one process per instance, so that a [`VarId`] alone names a cell of the state.

use std::collections::BTreeMap;

use tertium_base::narrow::to_i64;
use tertium_base::{Span, id_type};

use crate::expr::{ExprId, Exprs, Field, Pattern, Place, Sort};
use crate::types::{Channel, ChannelId, EnumId, Enumeration, Function, FunctionId, Scope, Type, VarId, Variable};

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

/// What happens to exclusive control when a process arrives at a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Hold {
    /// It is given up: other processes may step next. States here are visible.
    #[default]
    Free,
    /// It is kept while the process can step; when it cannot, the state is visible and others may step
    /// (inside Promela's `atomic`).
    WhileEnabled,
    /// It is kept; a way of executing the block that gets stuck here does not exist (inside `atomic` of
    /// guarded commands: the whole block is one step or none).
    Indivisible,
    /// It is kept; of several enabled steps the first is taken, and none enabled is a fault (inside `d_step`).
    Deterministic,
}

/// A control point of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// The steps that leave it, in source order.
    pub steps: Vec<StepId>,
    /// The labels that stand here.
    pub labels: Vec<String>,
    /// Whether a process may rest here for ever without that being a deadlock.
    pub end: bool,
    /// Whether being here is progress.
    pub progress: bool,
    /// Whether being here infinitely often is an acceptance cycle.
    pub accept: bool,
    /// What arriving here does to exclusive control.
    pub hold: Hold,
    /// The statement that starts here.
    pub span: Span,
}

/// What the scheduler promises to a process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Fairness {
    /// Nothing.
    #[default]
    None,
    /// If it can step at every moment from some point on, it steps infinitely often.
    Weak,
    /// If it can step infinitely often, it steps infinitely often.
    Strong,
}

/// A piece of code that instances run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    /// The name for people: `P` or `P[2]`.
    pub name: String,
    /// Its local variables, parameters first.
    pub locals: Vec<VarId>,
    /// Its local channels.
    pub channels: Vec<ChannelId>,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Where an instance starts.
    pub entry: LocationId,
    /// It can step only while this holds.
    pub provided: Option<ExprId>,
    /// Having a choice between steps is a fault.
    pub deterministic: bool,
    /// What the scheduler promises.
    pub fairness: Fairness,
    /// Where it is declared.
    pub span: Span,
}

impl Process {
    /// The location with this label.
    #[must_use]
    pub fn labelled(&self, label: &str) -> Option<LocationId> {
        self.locations.iter().position(|location| location.labels.iter().any(|l| l == label)).map(LocationId::new)
    }
}

/// A process that runs from the start; its pid is its position in [`Program::instances`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The code.
    pub process: ProcessId,
    /// Values for [`crate::types::InitialValue::Argument`].
    pub arguments: Vec<i64>,
    /// Its priority, used if [`Program::priorities`].
    pub priority: i64,
}

/// Which values an input may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// Every value of a type.
    Type(Type),
    /// All integers from the first to the second; none if they are in the wrong order.
    Range(ExprId, ExprId),
}

/// A value that the environment, or chance, chooses for a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// A name for people.
    pub name: String,
    /// Which values.
    pub domain: Domain,
}

/// `place := value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assign {
    /// What is written.
    pub place: Place,
    /// What it gets; evaluated before anything is written.
    pub value: ExprId,
}

/// What a step does besides moving on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Simultaneous assignments; if two write one place, the last one stays. None at all is `skip`.
    Assign(Vec<Assign>),
    /// A fault if it does not hold.
    Assert(ExprId),
    /// Sends a message; blocks while the channel is full, or, without a buffer, until a receiver is ready.
    Send {
        /// The channel.
        channel: ExprId,
        /// One value per field.
        message: Vec<ExprId>,
        /// Whether the message is put in numerical order instead of last.
        sorted: bool,
    },
    /// Receives a message that matches. Fields are bound left to right, each seeing those before it.
    Receive {
        /// Which message.
        pattern: Pattern,
        /// Whether the message stays in the channel.
        keep: bool,
    },
    /// Starts an instance. Its pid is input 0 of the assignments that follow.
    Run {
        /// The code.
        process: ProcessId,
        /// The arguments.
        arguments: Vec<ExprId>,
        /// The new instance's priority.
        priority: Option<ExprId>,
        /// Done once the pid is known.
        then: Vec<Assign>,
    },
    /// Sets the priority of the process with this pid.
    SetPriority {
        /// Whose.
        pid: ExprId,
        /// The new priority.
        value: ExprId,
    },
    /// Shows a text; `%d`-like marks in the format stand for the values.
    Print {
        /// The format.
        format: String,
        /// The values.
        values: Vec<ExprId>,
    },
    /// Ends the instance and removes it; only the youngest instance can do that.
    End,
    /// Assignments while others move too: two processes meet, or one starts another. Only where the processes are fixed;
    /// no language says it, it is what meeting and starting become when processes are taken apart.
    Together {
        /// As in [`Self::Assign`].
        assigns: Vec<Assign>,
        /// Who else moves, and to where.
        moves: Vec<(ProcessId, LocationId)>,
        /// Who gets control, if not whoever steps; one of those who move. It is kept only inside a block. Nobody if somebody
        /// is started, which one of the steps at a location always can do.
        control: Option<ProcessId>,
    },
}

impl Action {
    /// Nothing.
    #[must_use]
    pub const fn skip() -> Self {
        Self::Assign(Vec::new())
    }
}

/// One thing a process can do at one of its locations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Whose it is.
    pub process: ProcessId,
    /// From where.
    pub source: LocationId,
    /// To where; meaningless after [`Action::End`].
    pub target: LocationId,
    /// Of the steps at one location only those of the lowest rank that has an enabled step may be taken:
    /// an `unless` escape ranks before the body.
    pub rank: u32,
    /// It can be taken only if none of these steps can; they have the same rank and stand before it at the same
    /// location. `else` yields to the options before it, an option of an `if` at the start of a `d_step` to those before.
    pub yields_to: Vec<StepId>,
    /// Arriving by this step gives up control, whatever the location says: it jumps into the middle of a block.
    pub frees: bool,
    /// Values that are chosen when it is taken.
    pub inputs: Vec<Input>,
    /// It can be taken only if this holds; may speak of the inputs.
    pub guard: ExprId,
    /// What it does.
    pub action: Action,
    /// Where it stands.
    pub span: Span,
    /// How it reads.
    pub text: String,
}

impl Step {
    /// The variables that it writes.
    #[must_use]
    pub fn written(&self) -> Vec<VarId> {
        match &self.action {
            Action::Assign(assigns) | Action::Run { then: assigns, .. } | Action::Together { assigns, .. } => {
                assigns.iter().map(|assign| assign.place.variable()).collect()
            }
            Action::Receive { pattern, .. } => {
                let bound = |field: &Field| if let Field::Bind(place) = field { Some(place.variable()) } else { None };
                pattern.fields.iter().filter_map(bound).collect()
            }
            _ => Vec::new(),
        }
    }
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
    /// Variables that abstraction should keep concrete.
    pub keep: Vec<VarId>,
    /// What is asked.
    pub properties: Vec<Property>,
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

    /// What remains of a value when it is stored in a message, a parameter or a variable that receives it. Machine
    /// integers and enumerations of 256 members (bytes with names) are truncated, other types take what they are given.
    #[must_use]
    pub fn stored(&self, ty: Type, value: i64) -> i64 {
        match ty {
            Type::Wrapped(width) => width.wrap(value),
            Type::Enum(id) if self.enumeration(id).members.len() == 256 => value & 255,
            _ => value,
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
