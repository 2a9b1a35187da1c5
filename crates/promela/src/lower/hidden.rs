//! Which hidden variables need not be kept?
//!
//! A hidden variable is not part of Spin's states. Where nothing but hidden variables depends on its value, dropping every
//! write to it is exact. One that is read elsewhere is kept: a search that forgets it could miss states.

use tertium_program::{Action, Binary, Expr, ExprId, Field, Program, VarId};

/// Drops the writes to hidden variables that nothing else depends on.
pub(super) fn drop_unread(program: &mut Program) {
    let hidden: Vec<VarId> = program.variable_ids().filter(|&var| program.variable(var).hidden).collect();
    if hidden.is_empty() {
        return;
    }
    let read = read(program);
    for var in hidden {
        if read.contains(&var) {
            program.variables[var.index()].hidden = false;
        }
    }
    let gone = |var: VarId, program: &Program| program.variable(var).hidden;
    for at in 0..program.steps.len() {
        let mut action = program.steps[at].action.clone();
        match &mut action {
            Action::Assign(assigns) | Action::Run { then: assigns, .. } => {
                assigns.retain(|assign| !gone(assign.place.variable(), program));
            }
            Action::Receive { pattern, .. } => {
                for field in &mut pattern.fields {
                    if matches!(field, Field::Bind(place) if gone(place.variable(), program)) {
                        *field = Field::Skip;
                    }
                }
            }
            _ => {}
        }
        program.steps[at].action = action;
    }
}

/// The variables that something visible depends on.
fn read(program: &Program) -> std::collections::BTreeSet<VarId> {
    let mut roots: Vec<ExprId> = program.processes.iter().filter_map(|process| process.provided).collect();
    roots.extend(program.properties.iter().flat_map(|property| property.atoms.values().copied()));
    roots.extend(program.predicates.iter().map(|named| named.expr));
    for step in &program.steps {
        roots.push(step.guard);
        match &step.action {
            Action::Assign(assigns) => {
                for assign in assigns {
                    indices(program, assign.place, &mut roots);
                    if !program.variable(assign.place.variable()).hidden {
                        roots.push(assign.value);
                    }
                }
            }
            Action::Assert(condition) => roots.push(*condition),
            Action::Send { channel, message, .. } => {
                roots.push(*channel);
                roots.extend(message);
            }
            Action::Receive { pattern, .. } => {
                roots.push(pattern.channel);
                for field in &pattern.fields {
                    match *field {
                        Field::Match(value) => roots.push(value),
                        Field::Bind(place) => indices(program, place, &mut roots),
                        Field::Skip => {}
                    }
                }
            }
            Action::Run { arguments, priority, then, .. } => {
                roots.extend(arguments);
                roots.extend(priority);
                roots.extend(then.iter().map(|assign| assign.value));
            }
            Action::SetPriority { pid, value } => roots.extend([*pid, *value]),
            Action::Print { values, .. } => roots.extend(values),
            Action::End | Action::Together { .. } => {}
        }
    }
    let mut kept = std::collections::BTreeSet::new();
    for assign in program.steps.iter().flat_map(|step| match &step.action {
        Action::Assign(assigns) => assigns.as_slice(),
        _ => &[],
    }) {
        // Computing the value may go wrong, which must not be lost.
        if program.exprs.reachable(&[assign.value]).into_iter().any(|id| may_fail(program, id)) {
            kept.insert(assign.place.variable());
        }
    }
    let reads = |id: ExprId| match program.exprs.get(id) {
        Expr::Var(var) | Expr::Element(var, _) | Expr::Remote(_, var) | Expr::RemoteElement(_, var, _) => Some(var),
        _ => None,
    };
    kept.extend(program.exprs.reachable(&roots).into_iter().filter_map(reads));
    kept
}

fn may_fail(program: &Program, id: ExprId) -> bool {
    match program.exprs.get(id) {
        Expr::Binary(op, _, divisor) => {
            matches!(op, Binary::Quotient | Binary::Remainder)
                && program.exprs.constant(divisor).is_none_or(|by| by == 0)
        }
        Expr::Element(..) | Expr::RemoteElement(..) | Expr::Length(_) | Expr::Capacity(_) | Expr::Poll(_) => true,
        _ => false,
    }
}

fn indices(program: &Program, place: tertium_program::Place, roots: &mut Vec<ExprId>) {
    if let tertium_program::Place::Element(_, list) = place {
        roots.extend(program.exprs.list(list));
    }
}
