//! Which initial values are open, and related to nothing else?
//!
//! Such a variable can be left out of a program like any other: one of its values stands for all ([cone of influence](super::cone_of_influence)).

use std::collections::{BTreeMap, BTreeSet};

use super::cone_of_influence::read_by;
use super::partial_evaluation::evaluate;
use crate::expr::{Expr, ExprId};
use crate::graph::Program;
use crate::initial::conjuncts;
use crate::types::{InitialValue, Type, VarId};

/// So many values of one variable are tried.
const MOST_TRIED: i64 = 4096;

/// Initial values that are open and that nothing relates to those of other variables.
pub(super) struct Starts {
    /// One of the values that each of these variables may have, and what `init` says of it alone.
    pub open: BTreeMap<VarId, (i64, Vec<ExprId>)>,
    /// What `init` says of others.
    pub others: Vec<ExprId>,
}

impl Starts {
    /// Those of a program.
    pub fn of(program: &Program) -> Self {
        let all: Vec<ExprId> = program.init.iter().flat_map(|&init| conjuncts(program, init)).collect();
        let mut own: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
        let mut related = BTreeSet::new();
        for &conjunct in &all {
            let read = read_by(program, &[conjunct]);
            match (read.len(), read.first()) {
                (1, Some(&var)) => own.entry(var).or_default().push(conjunct),
                _ => related.extend(read),
            }
        }
        let mut open = BTreeMap::new();
        for var in program.variable_ids().filter(|var| !related.contains(var)) {
            let conjuncts = own.remove(&var).unwrap_or_default();
            if let Some(value) = first_value(program, var, &conjuncts) {
                open.insert(var, (value, conjuncts));
            }
        }
        let is_own = |conjunct: &ExprId| open.values().any(|(_, own): &(i64, Vec<ExprId>)| own.contains(conjunct));
        let others = all.into_iter().filter(|conjunct| !is_own(conjunct)).collect();
        Self { open, others }
    }

    /// Gives the variables that are left out one value each.
    pub fn fix(self, sliced: &mut Program) {
        let mut left = self.others;
        for (var, (value, conjuncts)) in self.open {
            if sliced.left_out.contains(&var) {
                sliced.variables[var.index()].initial = InitialValue::Same(value);
            } else {
                left.extend(conjuncts);
            }
        }
        if sliced.init.is_some() {
            let all = sliced.exprs.all(&left);
            sliced.init = Some(all).filter(|&all| sliced.exprs.constant(all) != Some(1));
        }
    }
}

/// A value with which a variable may begin, if nothing but these conditions says which.
fn first_value(program: &Program, var: VarId, conjuncts: &[ExprId]) -> Option<i64> {
    let variable = program.variable(var);
    let plain = variable.initial == InitialValue::Any && variable.ty != Type::Channel;
    if !plain || (!conjuncts.is_empty() && !variable.dimensions.is_empty()) {
        return None;
    }
    let (lo, hi) = program.bounds(variable.ty);
    let first = lo.unwrap_or_else(|| hi.map_or(0, |hi| hi.min(0)));
    let last = first.saturating_add(MOST_TRIED).min(hi.unwrap_or(i64::MAX));
    let holds = |value: i64, conjunct: ExprId| {
        let known = evaluate(&program.exprs, conjunct, &|expr, _| (expr == Expr::Var(var)).then_some(value));
        known.is_ok_and(|known| known != 0)
    };
    (first..=last).find(|&value| conjuncts.iter().all(|&conjunct| holds(value, conjunct)))
}
