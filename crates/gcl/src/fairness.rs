//! Fairness on conditions: `fair CONDITION` and `compassion (p, q)`.
//!
//! They are promises about runs, and so part of every property that speaks of paths: linear ones are asked of runs that keep them, quantifiers of branching ones
//! go over such paths.

use tertium_base::Diagnostic;
use tertium_logic::{Logic, ParseOptions, parse, under_promise};
use tertium_program::{ExprId, Property};

use crate::ast::{Expr, ExprKind, Item, ProcessRef};
use crate::names::{Elaborator, ExprContext, Ty, Use};

/// What is promised of runs, with the text of each condition.
#[derive(Clone, Debug)]
pub(crate) enum FairnessCondition {
    /// It holds again and again.
    Justice(String, ExprId),
    /// If the first holds again and again, so does the second.
    Compassion((String, ExprId), (String, ExprId)),
}

impl<'a> Elaborator<'a> {
    /// `fair CONDITION`, `compassion (p, q)`.
    pub(crate) fn fairness_condition(&mut self, item: &'a Item) {
        let condition = match item {
            Item::Justice(condition) => self.promised(condition).map(|(text, id)| FairnessCondition::Justice(text, id)),
            Item::Compassion(often, then) => {
                let (often, then) = (self.promised(often), self.promised(then));
                often.zip(then).map(|(often, then)| FairnessCondition::Compassion(often, then))
            }
            _ => None,
        };
        self.fairness.extend(condition);
    }

    fn promised(&mut self, condition: &'a Expr) -> Option<(String, ExprId)> {
        let id = self.of_type(condition, Ty::Bool, &ExprContext::global(Use::Formula))?;
        Some((self.snippet(condition.span), id))
    }

    /// Puts what is promised into every property that speaks of paths; after all of them are there.
    pub(crate) fn apply_fairness(&mut self) {
        if self.fairness.is_empty() {
            return;
        }
        let conditions = std::mem::take(&mut self.fairness);
        let mut properties = std::mem::take(&mut self.program.properties);
        for property in &mut properties {
            if let Some(reason) = kept(property, &conditions) {
                self.report(Diagnostic::error("E0427", reason).at(property.span, "speaks of steps, not of paths"));
            }
        }
        self.program.properties = properties;
    }
}

/// Changes one property; returns why that cannot be.
fn kept(property: &mut Property, conditions: &[FairnessCondition]) -> Option<String> {
    let no = || Some(format!("fairness on conditions is for ltl, ctl and ctl*, not for `{}`", property.logic));
    let Some(logic) = Logic::from_name(&property.logic) else { return no() };
    let formula = parse(&property.formula, &ParseOptions::in_logic(logic)).formula?;
    let mut atom = |text: &str, id: ExprId| {
        let (mut name, mut number) = (text.to_owned(), 1);
        while property.atoms.get(&name).is_some_and(|&known| known != id) {
            number += 1;
            name = format!("{text} #{number}");
        }
        property.atoms.insert(name.clone(), id);
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    };
    let parts: Vec<String> = conditions
        .iter()
        .map(|condition| match condition {
            FairnessCondition::Justice(text, id) => format!("G F {}", atom(text, *id)),
            FairnessCondition::Compassion((p, often), (q, then)) => {
                format!("((G F {}) -> (G F {}))", atom(p, *often), atom(q, *then))
            }
        })
        .collect();
    let promise = parse(&parts.join(" && "), &ParseOptions::in_logic(Logic::Ltl)).formula?;
    let Some(found) = under_promise(&formula, &promise) else { return no() };
    (property.formula, property.logic) = (found.text(), found.logic().name().to_owned());
    None
}

/// `fair x`, read as a list of processes, where `x` is no process: a condition.
pub(crate) fn as_condition(named: &ProcessRef) -> Expr {
    let span = named.name.span;
    match &named.index {
        None => Expr { kind: ExprKind::Name(named.name.clone()), span },
        Some(index) => {
            let span = span.to(index.span);
            Expr { kind: ExprKind::Index(named.name.clone(), vec![(**index).clone()]), span }
        }
    }
}
