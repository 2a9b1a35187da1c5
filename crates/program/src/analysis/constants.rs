//! Constant propagation (Kildall 1973): what do a process's own variables hold at each of its locations, whatever happened before?
//!
//! Constants are followed from where a process begins along its steps; what others write is left out. A block with a loop over
//! such a variable is a row of steps.

use std::collections::{BTreeMap, BTreeSet};

use super::partial_evaluation::evaluate;
use crate::{
    Action, Assign, Expr, ExprId, InitialValue, LocationId, Place, ProcessId, Program, Scope, Step, Type, VarId,
};

/// Variables with the values that they surely have.
pub type Values = BTreeMap<VarId, i64>;

/// By process and location; nothing for locations that no process comes to.
#[derive(Debug)]
pub struct Constants(BTreeMap<(ProcessId, LocationId), Values>);

impl Constants {
    /// Follows all processes of a program in which each has one copy.
    pub fn of(program: &Program) -> Self {
        let mut found = Self(BTreeMap::new());
        let own = own_variables(program);
        let mut open: Vec<(ProcessId, LocationId)> = Vec::new();
        for process in program.process_ids() {
            let entry = program.process(process).entry;
            let begins: Values =
                own.iter().filter(|&&(owner, ..)| owner == process).map(|&(_, var, value)| (var, value)).collect();
            found.join((process, entry), begins.clone(), &mut open);
            for (step, target) in moved_by_others(program, process) {
                let from = if step.1 { None } else { program.places(step.0).get(&process).copied() };
                // Who is started begins with the same; who meets somebody comes from where it was, which is followed below.
                if step.1 {
                    found.join((process, target), begins.clone(), &mut open);
                } else if from.is_none() {
                    found.join((process, target), Values::new(), &mut open);
                }
            }
        }
        while let Some((process, at)) = open.pop() {
            let before = found.0.get(&(process, at)).cloned().unwrap_or_default();
            for &id in &program.location(process, at).steps {
                let step = program.step(id);
                let after = after(program, &own, &before, step);
                found.join((process, step.target), after, &mut open);
            }
            for (step, target) in moved_by_others(program, process) {
                if !step.1 && program.places(step.0).get(&process).copied() == Some(at) {
                    found.join((process, target), before.clone(), &mut open);
                }
            }
        }
        found
    }

    /// What is known at a location.
    pub fn at(&self, process: ProcessId, location: LocationId) -> Values {
        self.0.get(&(process, location)).cloned().unwrap_or_default()
    }

    /// Everything that is known.
    pub fn all(&self) -> impl Iterator<Item = (ProcessId, LocationId, &Values)> + '_ {
        self.0.iter().map(|(&(process, at), values)| (process, at, values))
    }

    fn join(&mut self, at: (ProcessId, LocationId), values: Values, open: &mut Vec<(ProcessId, LocationId)>) {
        match self.0.get_mut(&at) {
            None => {
                self.0.insert(at, values);
                open.push(at);
            }
            Some(known) => {
                let before = known.len();
                known.retain(|var, value| values.get(var) == Some(value));
                if known.len() < before {
                    open.push(at);
                }
            }
        }
    }
}

/// Plain local variables that only their process writes, with what they begin with.
fn own_variables(program: &Program) -> Vec<(ProcessId, VarId, i64)> {
    let mut others: BTreeSet<VarId> = BTreeSet::new();
    for step in &program.steps {
        for var in step.written() {
            if program.variable(var).scope != Scope::Local(step.process) {
                others.insert(var);
            }
        }
    }
    let own = program.variable_ids().filter(|var| !others.contains(var));
    own.filter_map(|var| {
        let variable = program.variable(var);
        let plain = variable.dimensions.is_empty() && variable.ty != Type::Bool;
        let (Scope::Local(process), true) = (variable.scope, plain) else { return None };
        let value = match &variable.initial {
            InitialValue::Same(value) => *value,
            InitialValue::Each(values) => *values.first()?,
            _ => return None,
        };
        Some((process, var, program.stored(variable.ty, value)))
    })
    .collect()
}

/// The steps of others that move a process, and to where; whether they start it.
fn moved_by_others(program: &Program, process: ProcessId) -> Vec<((ExprId, bool), LocationId)> {
    let mut found = Vec::new();
    for step in &program.steps {
        if let Action::Together { moves, control, .. } = &step.action {
            let here = moves.iter().filter(|&&(who, _)| who == process);
            found.extend(here.map(|&(_, target)| ((step.guard, control.is_none()), target)));
        }
    }
    found
}

fn after(program: &Program, own: &[(ProcessId, VarId, i64)], before: &Values, step: &Step) -> Values {
    let mut after = before.clone();
    let (Action::Assign(assigns) | Action::Together { assigns, .. }) = &step.action else { return after };
    for Assign { place, value } in assigns {
        let Place::Var(var) = *place else { continue };
        let value = evaluate(&program.exprs, *value, &|expr, _| match expr {
            Expr::Var(var) => before.get(&var).copied(),
            _ => None,
        });
        let followed = own.iter().any(|&(_, known, _)| known == var);
        match value.ok().filter(|_| followed) {
            Some(value) => after.insert(var, value),
            None => after.remove(&var),
        };
    }
    after
}
