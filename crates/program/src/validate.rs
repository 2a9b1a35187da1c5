//! Is a program well formed?
//!
//! Front ends promise this much, and everything that reads programs relies on it. A violation is a fault of the front end,
//! never of the user, so it is told as a plain sentence. Tests of front ends call it on everything they lower.

use crate::expr::{DEEPEST, Expr, ExprId, LARGEST, Place, Sort};
use crate::graph::{Action, Assign, Domain, Program, StepId};
use crate::types::{InitialValue, Scope};

impl Program {
    /// What is wrong with the way this program was built; empty for every program that a front end may return.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (id, process) in self.processes.iter().enumerate() {
            if process.entry.index() >= process.locations.len() {
                found.push(format!("process {id} has no entry"));
            }
        }
        for id in self.step_ids() {
            found.extend(self.step_violations(id).into_iter().map(|what| format!("step {}: {what}", id.index())));
        }
        for (id, variable) in self.variables.iter().enumerate() {
            if variable.dimensions.iter().any(|dimension| dimension.len == 0) {
                found.push(format!("variable {id} has no cells"));
            }
            if let InitialValue::Each(values) = &variable.initial
                && values.len() != variable.cells()
            {
                found.push(format!("variable {id} has {} initial values", values.len()));
            }
        }
        found.extend(self.init.and_then(|init| self.truth_violation(init, true)));
        for named in &self.predicates {
            found.extend(self.truth_violation(named.expr, true));
        }
        for atom in self.properties.iter().flat_map(|property| property.atoms.values()) {
            found.extend(self.truth_violation(*atom, false));
        }
        found
    }

    fn step_violations(&self, id: StepId) -> Vec<String> {
        let step = self.step(id);
        let mut found = Vec::new();
        let locations = &self.process(step.process).locations;
        let ends = step.action == Action::End;
        if step.source.index() >= locations.len() || (!ends && step.target.index() >= locations.len()) {
            found.push("leads out of its process".to_owned());
            return found;
        }
        if !locations[step.source.index()].steps.contains(&id) {
            found.push("is not entered at its source".to_owned());
        }
        found.extend(self.truth_violation(step.guard, true));
        for input in &step.inputs {
            if let Domain::Range(lo, hi) = input.domain
                && (self.exprs.sort(lo), self.exprs.sort(hi)) != (Sort::Int, Sort::Int)
            {
                found.push("an input's range is not of numbers".to_owned());
            }
        }
        match &step.action {
            Action::Assign(assigns) | Action::Together { assigns, .. } => {
                found.extend(assigns.iter().filter_map(|assign| self.assign_violation(assign)))
            }
            Action::Assert(condition) => found.extend(self.truth_violation(*condition, true)),
            Action::Run { process, then, .. } => {
                found.extend(then.iter().filter_map(|assign| self.assign_violation(assign)));
                let locals = &self.process(*process).locals;
                if locals.iter().any(|&local| self.variable(local).initial == InitialValue::Any) {
                    found.push("creates a process whose locals may hold anything".to_owned());
                }
            }
            _ => {}
        }
        found
    }

    fn assign_violation(&self, assign: &Assign) -> Option<String> {
        let variable = self.variable(assign.place.variable());
        let indices = match assign.place {
            Place::Var(_) => 0,
            Place::Element(_, list) => self.exprs.list(list).len(),
        };
        if indices != variable.dimensions.len() {
            return Some(format!("assigns `{}` with {indices} indices", variable.name));
        }
        if self.exprs.sort(assign.value) != self.sort_of(variable.ty) {
            return Some(format!("assigns `{}` a value of another sort", variable.name));
        }
        self.expr_violation(assign.value, true)
    }

    fn truth_violation(&self, expr: ExprId, in_step: bool) -> Option<String> {
        if self.exprs.sort(expr) != Sort::Bool {
            return Some(format!("`{}` is no truth value", self.show(expr)));
        }
        self.expr_violation(expr, in_step)
    }

    fn expr_violation(&self, root: ExprId, in_step: bool) -> Option<String> {
        if self.exprs.depth(root) > DEEPEST || self.exprs.size(root) > LARGEST {
            return Some("an expression is too large".to_owned());
        }
        for id in self.exprs.reachable(&[root]) {
            let wrong = match self.exprs.get(id) {
                Expr::Var(var) => !self.variable(var).dimensions.is_empty(),
                Expr::Element(var, list) => self.exprs.list(list).len() != self.variable(var).dimensions.len(),
                Expr::At(process, location) => location.index() >= self.process(process).locations.len(),
                Expr::Deadlock => in_step,
                Expr::OldVar(_) | Expr::OldElement(..) => true,
                Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => self.variable(var).scope == Scope::Global,
                _ => false,
            };
            if wrong {
                return Some(format!("`{}` has no place here", self.show(id)));
            }
        }
        None
    }
}
