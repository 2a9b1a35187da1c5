//! Which locations are private in a program whose processes come and go?
//!
//! As in [`crate::reduction`], but by variable instead of by slot: a step is private if it assigns only locals of its own
//! process that nobody else and no question ever looks at, and reads only those and globals that are never
//! written. Processes that come and go do not disturb such a step, nor does it disturb them; channels are left alone.

use std::collections::BTreeSet;

use tertium_base::BitSet;
use tertium_program::{
    Action, Assign, Domain, Expr, ExprId, Field, Hold, Place, ProcessId, Program, Scope, Step, VarId,
};

/// The private locations of each process, as far as a question that looks at `seen` is concerned; none at all if
/// something depends on more than can be told here.
pub(crate) fn private_locations(program: &Program, seen: &[ExprId]) -> Option<Vec<BitSet>> {
    let watched = program.trace.is_some() || program.must_be_deterministic();
    if program.priorities || program.last.is_some() || watched {
        return None;
    }
    let mut shared = Shared::default();
    shared.look_at(program, None, seen)?;
    for step in &program.steps {
        let touched = Touched::by(program, step);
        shared.look_at(program, Some(step.process), &touched.looked_at)?;
        for &var in &touched.written {
            let own = program.variable(var).scope == Scope::Local(step.process);
            let set = if own { continue } else { &mut shared.written };
            set.insert(var);
        }
    }
    let of_process = |process: ProcessId| {
        let locations = &program.process(process).locations;
        let mut private = BitSet::empty(locations.len());
        for (at, location) in locations.iter().enumerate() {
            let steps = location.steps.iter().map(|&step| program.step(step));
            if !location.steps.is_empty() && steps.into_iter().all(|step| shared.leaves_alone(program, step)) {
                private.insert(at);
            }
        }
        private
    };
    Some(program.process_ids().map(of_process).collect())
}

/// What more than one process, or a question, has to do with.
#[derive(Default)]
struct Shared {
    /// Locals that somebody else looks at.
    read: BTreeSet<VarId>,
    /// Globals that are assigned, and locals that somebody else assigns.
    written: BTreeSet<VarId>,
    /// Processes whose location somebody else looks at.
    watched: BTreeSet<ProcessId>,
}

impl Shared {
    /// Notes what code of `owner`, or a question, looks at; none if that cannot be told.
    fn look_at(&mut self, program: &Program, owner: Option<ProcessId>, roots: &[ExprId]) -> Option<()> {
        for id in program.exprs.reachable(roots) {
            match program.exprs.get(id) {
                Expr::Var(var) | Expr::Element(var, _)
                    if owner.is_some_and(|owner| program.variable(var).scope == Scope::Local(owner)) => {}
                Expr::Var(var) | Expr::Element(var, _) | Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => {
                    self.read.insert(var);
                }
                Expr::At(process, _) | Expr::RemoteAt(_, process, _) => {
                    self.watched.insert(process);
                }
                Expr::Timeout
                | Expr::NonProgress
                | Expr::Accepting
                | Expr::Enabled(_)
                | Expr::LocationOf(_)
                | Expr::PriorityOf(_) => return None,
                // Deadlocks are never put off, so asking for them sees no single step.
                Expr::Deadlock if owner.is_none() => {}
                Expr::Deadlock => return None,
                _ => {}
            }
        }
        Some(())
    }

    fn leaves_alone(&self, program: &Program, step: &Step) -> bool {
        let free = |location| program.location(step.process, location).hold == Hold::Free;
        let simple = matches!(step.action, Action::Assign(_) | Action::Assert(_) | Action::Print { .. });
        if !simple || !free(step.source) || !free(step.target) || self.watched.contains(&step.process) {
            return false;
        }
        let own = |var: VarId| program.variable(var).scope == Scope::Local(step.process);
        let touched = Touched::by(program, step);
        let alone = |var: &VarId| own(*var) && !self.read.contains(var) && !self.written.contains(var);
        touched.written.iter().all(alone)
            && program.exprs.reachable(&touched.looked_at).into_iter().all(|id| match program.exprs.get(id) {
                Expr::Var(var) | Expr::Element(var, _) => {
                    let global = program.variable(var).scope == Scope::Global;
                    !self.written.contains(&var) && (own(var) || global)
                }
                Expr::Bool(_)
                | Expr::Int(_)
                | Expr::Member(..)
                | Expr::Input(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::If(..)
                | Expr::Wrap(..)
                | Expr::OwnPid => true,
                _ => false,
            })
    }
}

/// What one step looks at and assigns.
#[derive(Default)]
struct Touched {
    looked_at: Vec<ExprId>,
    written: Vec<VarId>,
}

impl Touched {
    fn by(program: &Program, step: &Step) -> Self {
        let mut touched = Self { looked_at: vec![step.guard], written: Vec::new() };
        touched.looked_at.extend(program.process(step.process).provided);
        for input in &step.inputs {
            if let Domain::Range(lo, hi) = input.domain {
                touched.looked_at.extend([lo, hi]);
            }
        }
        match &step.action {
            Action::Assign(assigns) => touched.assigns(program, assigns),
            Action::Assert(condition) => touched.looked_at.push(*condition),
            Action::Send { channel, message, .. } => {
                touched.looked_at.push(*channel);
                touched.looked_at.extend(message);
            }
            Action::Receive { pattern, .. } => {
                touched.looked_at.push(pattern.channel);
                for field in &pattern.fields {
                    match *field {
                        Field::Match(value) => touched.looked_at.push(value),
                        Field::Bind(place) => touched.place(program, place),
                        Field::Skip => {}
                    }
                }
            }
            Action::Run { arguments, priority, then, process } => {
                touched.looked_at.extend(arguments);
                touched.looked_at.extend(priority);
                touched.assigns(program, then);
                // What the new process computes at its start, it looks at then.
                for &local in &program.process(*process).locals {
                    if let tertium_program::InitialValue::Computed(expr) = program.variable(local).initial {
                        touched.looked_at.push(expr);
                    }
                }
            }
            Action::SetPriority { pid, value } => touched.looked_at.extend([*pid, *value]),
            Action::Print { values, .. } => touched.looked_at.extend(values),
            Action::End => {}
        }
        touched
    }

    fn assigns(&mut self, program: &Program, assigns: &[Assign]) {
        for assign in assigns {
            self.place(program, assign.place);
            self.looked_at.push(assign.value);
        }
    }

    fn place(&mut self, program: &Program, place: Place) {
        self.written.push(place.variable());
        if let Place::Element(_, indices) = place {
            self.looked_at.extend(program.exprs.list(indices));
        }
    }
}
