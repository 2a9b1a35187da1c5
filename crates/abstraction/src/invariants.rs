//! Interval analysis with widening (Cousot and Cousot 1977): what is known of every variable before any question is asked?
//!
//! Intervals by propagating initial values and assignments, flow-insensitively, with a jump to the type's bounds where
//! they keep growing. What is found holds in every reachable state, so it is part of every question.

use tertium_program::{Action, Assign, Domain, Expr, Field, InitialValue, Place, Program, Step, Type, VarId};
use tertium_smt::{Bounds, Terms};

use crate::translate::Translator;

/// Rounds after which a bound that still moves is dropped.
const PATIENCE: usize = 4;

/// For every variable, smallest and largest value of its cells in reachable states.
#[must_use]
pub fn intervals(program: &Program) -> Vec<Bounds> {
    let types: Vec<Bounds> = program.variables.iter().map(|variable| type_bounds(program, variable.ty)).collect();
    let mut known: Vec<Bounds> = program.variable_ids().map(|var| initial(program, var, types[var.index()])).collect();
    for round in 0.. {
        let mut next = known.clone();
        let mut terms = Terms::new();
        let mut translator = Translator::new(program, &known, &mut terms);
        for step in &program.steps {
            for write in writes(program, step) {
                let (var, value) = match write {
                    Write::Assign(assign) => {
                        (assign.place.variable(), value_of(program, step, assign, &mut translator, &mut terms))
                    }
                    Write::Anything(var) => (var, (None, None)),
                };
                let within = meet(value, types[var.index()]);
                next[var.index()] = join(next[var.index()], within);
            }
        }
        if next == known {
            return known;
        }
        if round >= PATIENCE {
            for ((new, old), ty) in next.iter_mut().zip(&known).zip(&types) {
                new.0 = if new.0 == old.0 { new.0 } else { ty.0 };
                new.1 = if new.1 == old.1 { new.1 } else { ty.1 };
            }
        }
        known = next;
    }
    types
}

fn type_bounds(program: &Program, ty: Type) -> Bounds {
    let (lo, hi) = program.bounds(ty);
    (lo.map(i128::from), hi.map(i128::from))
}

fn initial(program: &Program, var: VarId, ty: Bounds) -> Bounds {
    let variable = program.variable(var);
    let spread = |values: &[i64]| {
        let least = values.iter().min().map(|&value| i128::from(value));
        (least, values.iter().max().map(|&value| i128::from(value)))
    };
    let values = match &variable.initial {
        InitialValue::Same(value) => spread(&[*value]),
        InitialValue::Each(values) => spread(values),
        _ => return ty,
    };
    // A value that the type cannot hold is truncated when it is stored.
    let fits = |value: Option<i128>| ty.0.is_none_or(|lo| value >= Some(lo)) && ty.1.is_none_or(|hi| value <= Some(hi));
    if fits(values.0) && fits(values.1) { values } else { ty }
}

enum Write {
    Assign(Assign),
    Anything(VarId),
}

fn writes(program: &Program, step: &Step) -> Vec<Write> {
    let mut found: Vec<Write> = match &step.action {
        Action::Assign(assigns) | Action::Together { assigns, .. } => {
            assigns.iter().map(|&assign| Write::Assign(assign)).collect()
        }
        Action::Receive { pattern, .. } => pattern
            .fields
            .iter()
            .filter_map(|field| match field {
                Field::Bind(place) => Some(Write::Anything(place.variable())),
                Field::Match(_) | Field::Skip => None,
            })
            .collect(),
        Action::Run { process, then, .. } => {
            let locals = program.process(*process).locals.iter().copied();
            then.iter().map(|assign| assign.place.variable()).chain(locals).map(Write::Anything).collect()
        }
        Action::Assert(_) | Action::Send { .. } | Action::SetPriority { .. } | Action::Print { .. } | Action::End => {
            Vec::new()
        }
    };
    found.extend(program.last.map(Write::Anything));
    found
}

fn value_of(program: &Program, step: &Step, assign: Assign, translator: &mut Translator, terms: &mut Terms) -> Bounds {
    if let Expr::Input(position, _) = program.exprs.get(assign.value) {
        return match step.inputs.get(position as usize).map(|input| input.domain) {
            Some(Domain::Type(ty)) => type_bounds(program, ty),
            Some(Domain::Range(lo, hi)) => {
                let mut bound = |expr| translator.term(program, expr, terms).map(|term| terms.bounds(term));
                match (bound(lo), bound(hi)) {
                    (Ok(lo), Ok(hi)) => (lo.0, hi.1),
                    _ => (None, None),
                }
            }
            None => (None, None),
        };
    }
    if let Place::Element(_, indices) = assign.place {
        for &index in program.exprs.list(indices) {
            if translator.term(program, index, terms).is_err() {
                return (None, None);
            }
        }
    }
    match translator.term(program, assign.value, terms) {
        Ok(term) if terms.sort(term) == tertium_smt::Sort::Int => terms.bounds(term),
        _ => (None, None),
    }
}

fn meet(value: Bounds, ty: Bounds) -> Bounds {
    let lo = match (value.0, ty.0) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    };
    let hi = match (value.1, ty.1) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    // A write that never fits never happens; the type's bounds are always right.
    if matches!((lo, hi), (Some(lo), Some(hi)) if lo > hi) { ty } else { (lo, hi) }
}

fn join(a: Bounds, b: Bounds) -> Bounds {
    (a.0.zip(b.0).map(|(a, b)| a.min(b)), a.1.zip(b.1).map(|(a, b)| a.max(b)))
}
