//! What must hold for the text to have a meaning: some branch of a `case` is taken, an index lies in its array.
//!
//! Where that is seen by trying the few values of what it depends on, nothing is asked. Else it becomes a property.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tertium_base::{Diagnostic, Span};
use tertium_program::build::{apply_binary, apply_unary};
use tertium_program::{Binary, Domain, Expr as Node, ExprId, Input, Program, Property, Sort};

use super::{Lowered, Lowering, reads_inputs};
use crate::ast::{ConstraintKind, Expr, ExprKind, VarKind};
use crate::flatten::{DefineId, FlatId, InstanceId, Meaning};

/// So many combinations of values are tried.
const MOST_TRIED: u64 = 4096;

/// What specifications and conditions on states ask of steps.
#[derive(Default)]
pub(super) struct AskedOfSteps {
    /// Inputs whose values must be part of the state.
    pub inputs: BTreeSet<FlatId>,
    /// Whether somebody asks who steps.
    pub running: bool,
    seen: BTreeSet<DefineId>,
    assigned: BTreeSet<FlatId>,
}

impl<'m> Lowering<'m> {
    /// Notes that a condition must hold wherever the text around is read.
    pub(super) fn must_hold(&mut self, condition: ExprId, span: Span, what: &'static str) -> Lowered<()> {
        if self.program.exprs.constant(condition) == Some(1) {
            return Ok(());
        }
        let path = self.path.clone();
        let here = self.program.exprs.all(&path);
        let condition = self.program.exprs.implies(here, condition);
        let inputs = self.input_bounds();
        if always_holds(&self.program, &inputs, condition) {
            return Ok(());
        }
        if reads_inputs(&self.program, condition) {
            let error = Diagnostic::error("E0729", format!("it cannot be seen that {what}"));
            return self
                .fail(error.at(span, "depends on what a step chooses").help("end a `case` with a branch `TRUE : …`"));
        }
        let key = (span.start, span.end);
        let known = self.obligations.get(&key).map(|(known, _)| *known);
        let both = known.map_or(condition, |known| self.program.exprs.and(known, condition));
        self.obligations.insert(key, (both, what));
        Ok(())
    }

    /// For each position of an input the values that it has in steps of any process.
    fn input_bounds(&self) -> Vec<Option<(i64, i64)>> {
        let most = self.drafts.iter().map(|draft| draft.inputs.len()).max().unwrap_or(0);
        let of = |input: &Input| match input.domain {
            Domain::Type(ty) => {
                let (lo, hi) = self.program.bounds(ty);
                lo.zip(hi)
            }
            Domain::Range(..) => None,
        };
        let at = |position: usize| {
            let all = self.drafts.iter().filter_map(|draft| draft.inputs.get(position)).map(of);
            all.reduce(|a, b| a.zip(b).map(|((lo, hi), (least, most))| (lo.min(least), hi.max(most)))).flatten()
        };
        (0..most).map(at).collect()
    }

    /// Asks what could not be seen.
    pub(super) fn ask_obligations(&mut self) {
        let mut names = BTreeSet::new();
        for (&(start, end), &(condition, what)) in &self.obligations {
            let line = self.text[..start].matches('\n').count() + 1;
            let kind = if what.contains("index") { "index" } else { "case" };
            let mut name = format!("{kind}_line_{line}");
            let mut number = 1;
            while !names.insert(name.clone()) || self.program.properties.iter().any(|known| known.name == name) {
                number += 1;
                name = format!("{kind}_line_{line}_{number}");
            }
            let atom = what.to_owned();
            self.program.properties.push(Property {
                name,
                logic: "ltl".to_owned(),
                source: format!("G ({what})"),
                formula: format!("G \"{atom}\""),
                atoms: BTreeMap::from([(atom, condition)]),
                span: Span::new(start, end),
            });
        }
    }

    /// Which inputs and processes conditions on states speak of.
    pub(super) fn asked_of_steps(&self) -> AskedOfSteps {
        let mut asked = AskedOfSteps::default();
        for formula in &self.asked {
            self.asks(formula, InstanceId::new(0), &mut asked);
        }
        for &(_, spec, scope) in &self.flat.specs {
            self.asks(&spec.formula, scope, &mut asked);
            if let Some(goal) = &spec.goal {
                self.asks(goal, scope, &mut asked);
            }
        }
        for &(scope, kind, condition) in &self.flat.constraints {
            let plain = matches!(self.flat.meaning(condition, scope), Some(Meaning::Running(_))) && !self.may_stop;
            match kind {
                ConstraintKind::Justice if plain => {}
                ConstraintKind::Trans => {}
                _ => self.asks(condition, scope, &mut asked),
            }
        }
        for &(scope, often, then) in &self.flat.compassion {
            self.asks(often, scope, &mut asked);
            self.asks(then, scope, &mut asked);
        }
        asked
    }

    /// Whether an expression speaks of a step: `next` stands in it, or in a definition that it names.
    pub(super) fn speaks_of_next(&self, root: &'m Expr, scope: InstanceId) -> bool {
        let (mut open, mut seen) = (vec![(root, scope)], BTreeSet::new());
        while let Some((expr, scope)) = open.pop() {
            if matches!(expr.kind, ExprKind::Next(_)) {
                return true;
            }
            let named = matches!(expr.kind, ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..));
            match self.flat.meaning(expr, scope).filter(|_| named) {
                Some(Meaning::Define(id)) if seen.insert(id) => {
                    let (scope, value) = self.flat.defines[id.index()];
                    open.push((value, scope));
                }
                Some(Meaning::Argument(value, of)) => open.push((value, of)),
                Some(_) => {}
                None => open.extend(expr.children().into_iter().map(|child| (child, scope))),
            }
        }
        false
    }

    fn asks(&self, root: &'m Expr, scope: InstanceId, asked: &mut AskedOfSteps) {
        let mut open: Vec<(&'m Expr, InstanceId)> = vec![(root, scope)];
        while let Some((expr, scope)) = open.pop() {
            let named = matches!(expr.kind, ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..));
            match self.flat.meaning(expr, scope).filter(|_| named) {
                Some(meaning) => self.asks_meaning(&meaning, asked, &mut open),
                None => open.extend(expr.children().into_iter().map(|child| (child, scope))),
            }
        }
    }

    fn asks_meaning(&self, meaning: &Meaning<'m>, asked: &mut AskedOfSteps, open: &mut Vec<(&'m Expr, InstanceId)>) {
        match meaning {
            Meaning::Variable(id) => {
                if self.flat.variables[id.index()].kind == VarKind::Input {
                    asked.inputs.insert(*id);
                } else if let Some((scope, assign)) = self.vars[id.index()].current
                    && asked.assigned.insert(*id)
                {
                    open.push((&assign.value, scope));
                }
            }
            Meaning::Elements(_, elements) => {
                for element in elements {
                    self.asks_meaning(element, asked, open);
                }
            }
            Meaning::Define(id) => {
                if asked.seen.insert(*id) {
                    let (scope, value) = self.flat.defines[id.index()];
                    open.push((value, scope));
                }
            }
            Meaning::Argument(value, of) => open.push((value, *of)),
            Meaning::Running(_) => asked.running = true,
            Meaning::Instance(_) | Meaning::Symbol(_) => {}
        }
    }
}

/// Whether a condition holds for all values of what it depends on, if these are few.
fn always_holds(program: &Program, inputs: &[Option<(i64, i64)>], condition: ExprId) -> bool {
    let order = program.exprs.reachable(&[condition]);
    let mut leaves: Vec<(ExprId, i64, i64)> = Vec::new();
    let mut combinations = 1u64;
    for &id in &order {
        let (lo, hi) = match program.exprs.get(id) {
            Node::Var(var) => match program.bounds(program.variable(var).ty) {
                (Some(lo), Some(hi)) => (lo, hi),
                _ => return false,
            },
            Node::Input(_, Sort::Bool) => (0, 1),
            Node::Input(position, _) => match inputs.get(position as usize).copied().flatten() {
                Some(bounds) => bounds,
                None => return false,
            },
            _ => continue,
        };
        combinations = combinations.saturating_mul(hi.abs_diff(lo).saturating_add(1));
        if combinations > MOST_TRIED {
            return false;
        }
        leaves.push((id, lo, hi));
    }
    let mut values: HashMap<ExprId, i64> = leaves.iter().map(|&(id, lo, _)| (id, lo)).collect();
    loop {
        if evaluate(program, &order, &values).is_none_or(|value| value == 0) {
            return false;
        }
        let Some(turn) = leaves.iter().position(|(id, _, hi)| values[id] < *hi) else { return true };
        for &(id, lo, _) in &leaves[..turn] {
            values.insert(id, lo);
        }
        if let Some(value) = values.get_mut(&leaves[turn].0) {
            *value += 1;
        }
    }
}

/// The value of the last of some expressions, each after its operands; none if there is none.
fn evaluate(program: &Program, order: &[ExprId], leaves: &HashMap<ExprId, i64>) -> Option<i64> {
    let mut known: HashMap<ExprId, Option<i64>> = HashMap::new();
    let mut last = None;
    for &id in order {
        let of = |operand: ExprId| known.get(&operand).copied().flatten();
        let value = match program.exprs.get(id) {
            Node::Var(_) | Node::Input(..) => leaves.get(&id).copied(),
            Node::Unary(op, a) => of(a).and_then(|a| apply_unary(op, a).ok()),
            Node::Binary(Binary::And, a, b) => match of(a) {
                Some(0) => Some(0),
                a => a.and(of(b)),
            },
            Node::Binary(Binary::Or, a, b) => match of(a) {
                Some(0) => of(b),
                a => a,
            },
            Node::Binary(Binary::Implies, a, b) => match of(a) {
                Some(0) => Some(1),
                a => a.and(of(b)),
            },
            Node::Binary(op, a, b) => of(a).zip(of(b)).and_then(|(a, b)| apply_binary(op, a, b).ok()),
            Node::If(c, a, b) => of(c).and_then(|c| if c == 0 { of(b) } else { of(a) }),
            Node::Wrap(width, a) => of(a).map(|a| width.wrap(a)),
            _ => program.exprs.constant(id),
        };
        known.insert(id, value);
        last = value;
    }
    last
}
