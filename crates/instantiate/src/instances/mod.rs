//! One process per running copy, so that every variable is one place of the state.
//!
//! Languages whose processes have several copies, begin later or end, are brought into the form that terms can speak of: each
//! copy that there can be (`starts`) gets code and variables of its own, and what is said of processes is said of copies
//! (`copies`). A copy that is not there rests at a last location of its own; starting it is a joint step of whoever does, ending
//! is a step that only the youngest copy can take. Channels become variables (`queues`, `messages`), or rendezvous of two copies
//! (`rendezvous`). Priorities (`priorities`), what is asked about what is enabled (`enabled`), events that are watched (`events`) and
//! processes that must not have a choice (`determined`) become conditions of steps. Nothing else changes; what cannot be said this way is refused.

mod making;

use std::collections::{BTreeSet, HashMap};

use tertium_program::{ExprId, InitialValue, Named, Place, ProcessId, Program, Semantics, StepId, VarId};

pub(crate) use self::making::Making;
use crate::copies::Copies;
use crate::queues::Queues;
use crate::starts::{Copy, Starts};
use crate::{Unsupported, timeouts};

/// Arrays of copies that begin later may have this many cells.
const MOST_CELLS: usize = 256;
/// A channel with more variables than this is not abstracted.
const MOST_QUEUE_CELLS: usize = 64;
/// The same where no solver has to think about them.
const MOST_EXACT_CELLS: usize = 512;

/// Where a step comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The pid of whoever takes it.
    pub pid: u32,
    /// The step of the original.
    pub step: StepId,
    /// Whom it meets, and the step of the original that is taken there.
    pub partner: Option<(u32, StepId)>,
}

/// A copy that may be started later: its number, its code, and the values of parameters that it is told from others by.
pub type LaterCopy = (usize, ProcessId, Vec<(VarId, i64)>);

/// A program with one process per copy.
#[derive(Clone, Debug)]
pub struct Instantiated {
    /// The program.
    pub program: Program,
    /// For each of its predicates, which one of the original it comes from.
    pub origins: Vec<usize>,
    /// The variables that its channels became.
    pub channels: Vec<VarId>,
    /// For each of its steps, where it comes from.
    pub steps: Vec<Origin>,
    /// Its steps that stand for a statement on a value that is no channel, or with a message of another shape.
    pub misused: BTreeSet<StepId>,
    /// Its steps that stand for events which a `trace` does not allow, or a `notrace` forbids.
    pub strayed: BTreeSet<StepId>,
    /// The variable of whoever watches events, and the values with which it may rest.
    pub resting: Option<(VarId, Vec<i64>)>,
    copies: Copies,
}

impl Instantiated {
    /// Takes a program apart, as solvers need it: time-outs are conditions on the state.
    ///
    /// # Errors
    /// What of it cannot be said with one process per copy.
    pub fn new(old: &Program) -> Result<Self, Unsupported> {
        let mut instantiated = Self::made(old, false)?;
        let steps = &instantiated.steps;
        timeouts::close(&mut instantiated.program).map_err(|step| Unsupported::Step(steps[step.index()].step))?;
        instantiated.finished(old)
    }

    /// Takes a program apart such that it has one state for each of the original: copies that are gone leave nothing behind.
    /// Time-outs stay as they are.
    ///
    /// # Errors
    /// What of it cannot be said with one process per copy.
    pub fn exactly(old: &Program) -> Result<Self, Unsupported> {
        Self::made(old, true)?.finished(old)
    }

    /// How many channels there are; their numbers begin with 1.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.copies.queues.len()
    }

    pub(crate) const fn copies(&self) -> &Copies {
        &self.copies
    }

    fn made(old: &Program, exact: bool) -> Result<Self, Unsupported> {
        let special = old.last.is_some() || old.priorities || old.trace.is_some() || old.must_be_deterministic();
        if special && !exact {
            return Err(Unsupported::Processes);
        }
        let starts = Starts::of(old).map_err(Unsupported::Starts)?;
        let mut program = old.clone();
        program.processes.clear();
        program.steps.clear();
        program.variables.clear();
        program.instances.clear();
        program.spotlight.clear();
        program.claims.clear();
        program.channels.clear();
        (program.priorities, program.trace) = (false, None);
        let most_cells = if exact { MOST_EXACT_CELLS } else { MOST_QUEUE_CELLS };
        let copies = Copies { starts, queues: Queues::of(old, most_cells), exact, ..Copies::default() };
        let mut making = Making {
            old,
            program,
            copies,
            origins: Vec::new(),
            misused: BTreeSet::new(),
            strayed: BTreeSet::new(),
            wrong: BTreeSet::new(),
            watcher: None,
            straying: HashMap::new(),
            exact,
        };
        making.add_globals();
        for copy in 0..making.copies.starts.copies.len() {
            making.add_copy(copy)?;
        }
        making.watcher = making.watcher()?;
        for copy in 0..making.copies.starts.copies.len() {
            making.add_steps(copy)?;
        }
        making.close_enabled()?;
        making.determine()?;
        making.respect_priorities()?;
        let Making { mut program, copies, origins: steps, misused, strayed, watcher, .. } = making;
        let resting = watcher.map(|watcher| (watcher.variable, watcher.ends));
        program.keep = old.keep.iter().flat_map(|&var| copies.everywhere(var)).collect();
        program.last = old.last.and_then(|last| copies.shared.get(&last).copied());
        if program.last.is_some() {
            let who = |origin: &Origin| old.who_steps((origin.pid, origin.step), origin.partner);
            program.stepped = steps.iter().map(who).collect();
        }
        let channels = copies.queues.variables();
        Ok(Self { program, origins: Vec::new(), channels, steps, misused, strayed, resting, copies })
    }

    fn finished(mut self, old: &Program) -> Result<Self, Unsupported> {
        self.add_initial(old)?;
        self.add_predicates(old);
        self.program.properties.clear();
        Ok(self)
    }

    /// An expression that an observer of the original evaluates.
    ///
    /// # Errors
    /// If it speaks of what has no meaning in copies.
    pub fn observed(&mut self, old: &Program, expr: ExprId) -> Result<ExprId, Unsupported> {
        let exprs = &mut self.program.exprs;
        let moved = self.copies.moved(old, exprs, expr, None)?;
        let known = self.copies.with_enabled(exprs, moved);
        let known = known.ok_or_else(|| Unsupported::Expression(old.show(expr)))?;
        // An observer never sees a time-out.
        let none = exprs.bool(false);
        Ok(if known == moved { moved } else { timeouts::with(exprs, known, none) })
    }

    /// What a global variable of the original became.
    #[must_use]
    pub fn shared(&self, old: VarId) -> Option<VarId> {
        self.copies.shared.get(&old).copied()
    }

    /// A place that an observer of the original writes.
    ///
    /// # Errors
    /// If it is not everyone's, or an index speaks of what has no meaning in copies.
    pub fn observed_place(&mut self, old: &Program, place: Place) -> Result<Place, Unsupported> {
        let refused = || Unsupported::Expression(old.show_variable(place.variable()));
        let var = self.shared(place.variable()).ok_or_else(refused)?;
        let Place::Element(_, list) = place else { return Ok(Place::Var(var)) };
        let mut indices = Vec::new();
        for index in old.exprs.list(list).to_vec() {
            indices.push(self.observed(old, index)?);
        }
        Ok(Place::Element(var, self.program.exprs.add_list(&indices)))
    }

    /// The copies that may be started later, in the order of their processes. None if one that runs from the start may be started again.
    #[must_use]
    pub fn later(&self) -> Option<Vec<LaterCopy>> {
        let starts = &self.copies.starts;
        if (0..starts.initial).any(|copy| starts.is_started(copy)) {
            return None;
        }
        let told = |copy: &Copy| {
            let constants = copy.constants.iter().map(|(&parameter, &value)| (parameter, value));
            (copy.pid, copy.process, constants.collect())
        };
        Some(starts.copies[starts.initial..].iter().map(told).collect())
    }

    fn add_initial(&mut self, old: &Program) -> Result<(), Unsupported> {
        if let Some(init) = old.init {
            self.program.init = Some(self.observed(old, init)?);
        }
        let computed = |var: &VarId| matches!(old.variable(*var).initial, InitialValue::Computed(_));
        let semantics = Semantics::new(old);
        // Where anything may be there at first, what is computed from it is not known either.
        let anything = old.variables.iter().any(|variable| variable.initial == InitialValue::Any);
        let slots = semantics.first_slots().ok().filter(|_| !anything);
        for var in old.variable_ids().filter(computed) {
            let slots = slots.as_ref().ok_or(Unsupported::Initial(var))?;
            let frames = semantics.layout().frames(slots);
            let first = semantics.layout().variable(var);
            let mut set = |new: VarId, from: usize| {
                let values = slots[from + first..][..old.variable(var).cells()].to_vec();
                self.program.variables[new.index()].initial = InitialValue::Each(values);
            };
            if let Some(&new) = self.copies.shared.get(&var) {
                set(new, 0);
            }
            for (own, &frame) in self.copies.own.iter().zip(&frames) {
                if let Some(&new) = own.get(&var) {
                    set(new, frame);
                }
            }
        }
        Ok(())
    }

    /// A predicate over locals is one for each copy.
    fn add_predicates(&mut self, old: &Program) {
        self.program.predicates.clear();
        for (origin, named) in old.predicates.iter().enumerate() {
            let mut found: Vec<(String, ExprId)> = Vec::new();
            if let Ok(expr) = self.observed(old, named.expr) {
                found.push((named.name.clone(), expr));
            } else {
                for copy in 0..self.copies.starts.copies.len() {
                    if let Ok(expr) = self.copies.moved(old, &mut self.program.exprs, named.expr, Some(copy)) {
                        let pid = self.copies.starts.copies[copy].pid;
                        found.push((format!("{} ({pid})", named.name), expr));
                    }
                }
            }
            for (name, expr) in found {
                self.program.predicates.push(Named { name, expr, span: named.span });
                self.origins.push(origin);
            }
        }
    }
}

/// The name of a copy: its process's, with its pid where there are several, and a mark where several may have that pid.
fn name(old: &Program, copies: &[Copy], at: usize) -> String {
    let (code, copy) = (&old.process(copies[at].process).name, &copies[at]);
    let alike = |copies: &[Copy]| copies.iter().filter(|other| other.process == copy.process).count();
    let same = copies[..at].iter().filter(|other| other.process == copy.process && other.pid == copy.pid).count();
    match (alike(copies), same) {
        (1, _) => code.clone(),
        (_, 0) => format!("{code}({})", copy.pid),
        (_, same) => format!("{code}({}.{})", copy.pid, same + 1),
    }
}
