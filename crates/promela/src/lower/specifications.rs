//! What does the model ask about itself?
//!
//! `ltl` blocks become properties whose atoms are expressions; `pred` becomes predicates; `trace` and `notrace` become the
//! automaton that watches events. `never` claims are units like others and need nothing here.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::narrow::to_i64;
use tertium_program::{Action, ExprId, Field, InitialValue, Named, Pattern, Property, Scope, StepId, Trace, Type};

use super::Lowering;
use crate::ast::{ExprKind, Formula, FormulaKind, Item, LabelId, Ltl, LtlOp, StmtKind};
use crate::symbols::{Meaning, UnitId, UnitKind};

impl<'a> Lowering<'a> {
    pub(super) fn properties(&mut self) {
        let mut unnamed = 0;
        for item in &self.file.items {
            match item {
                Item::Ltl(ltl) => {
                    let name = match &ltl.name {
                        Some(name) => name.name.clone(),
                        None => {
                            unnamed += 1;
                            format!("ltl_{}", unnamed - 1)
                        }
                    };
                    self.formula(name, ltl);
                }
                Item::Pred(condition) => {
                    let expr = self.condition(condition);
                    let name = self.text(condition.span);
                    self.program.predicates.push(Named { name, expr, span: condition.span });
                }
                _ => {}
            }
        }
        self.local_predicates();
        self.watch_events();
    }

    /// The labels that expressions of the form `P@label` ask about.
    pub(super) fn labels_seen_from_outside(&self) -> BTreeSet<LabelId> {
        let mut found = BTreeSet::new();
        self.each_expr(&mut |expr| {
            if let ExprKind::At(_, label) = &expr.kind
                && let Some(Meaning::Label(id)) = self.symbols.meaning(label.id)
            {
                found.insert(*id);
            }
        });
        found
    }

    fn formula(&mut self, name: String, ltl: &'a Ltl) {
        let mut atoms = BTreeMap::new();
        let formula = self.written(&ltl.formula, &mut atoms);
        self.program.properties.push(Property {
            name,
            logic: "ltl".to_owned(),
            source: ltl.text.clone(),
            formula,
            atoms,
            span: ltl.span,
        });
    }

    /// The formula for the logics' own parser; the parser of models bounds its depth.
    fn written(&mut self, formula: &'a Formula, atoms: &mut BTreeMap<String, ExprId>) -> String {
        match &formula.kind {
            FormulaKind::Atom(expr) => {
                let condition = self.condition(expr);
                match self.program.exprs.constant(condition) {
                    Some(value) => (value != 0).to_string(),
                    None => {
                        let text = self.atom_name(expr.span, condition, atoms);
                        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
                    }
                }
            }
            FormulaKind::Not(a) => format!("!({})", self.written(a, atoms)),
            FormulaKind::Next(a) => format!("X ({})", self.written(a, atoms)),
            FormulaKind::Always(a) => format!("G ({})", self.written(a, atoms)),
            FormulaKind::Eventually(a) => format!("F ({})", self.written(a, atoms)),
            FormulaKind::Binary(op, a, b) => {
                let (a, b) = (self.written(a, atoms), self.written(b, atoms));
                let op = match op {
                    LtlOp::And => "&&",
                    LtlOp::Or => "||",
                    LtlOp::Implies => "->",
                    LtlOp::Iff => "<->",
                    LtlOp::Until => "U",
                    LtlOp::WeakUntil => "W",
                    LtlOp::Release => "R",
                };
                format!("({a}) {op} ({b})")
            }
        }
    }

    /// The text of an atom; macros may give one text to several meanings.
    fn atom_name(&self, span: tertium_base::Span, condition: ExprId, atoms: &mut BTreeMap<String, ExprId>) -> String {
        let written = self.text(span);
        let plain = if written.is_empty() { self.program.show(condition) } else { written };
        let mut text = plain.clone();
        let mut number = 1;
        while atoms.get(&text).is_some_and(|&known| known != condition) {
            number += 1;
            text = format!("{plain} #{number}");
        }
        atoms.insert(text.clone(), condition);
        text
    }

    fn local_predicates(&mut self) {
        let mut found = Vec::new();
        for at in 0..self.symbols.units.len() {
            let unit = UnitId::new(at);
            for stmt in self.body(unit).0 {
                if let StmtKind::Pred(condition) = &stmt.kind {
                    found.push((unit, condition));
                }
            }
        }
        for (unit, condition) in found {
            self.current = Some(unit);
            let expr = self.condition(condition);
            let name = format!("{}: {}", self.symbols.unit(unit).name, self.text(condition.span));
            self.program.predicates.push(Named { name, expr, span: condition.span });
        }
        self.current = None;
    }

    /// Turns the code of a trace into an automaton over events.
    fn watch_events(&mut self) {
        let Some(at) = self.symbols.units.iter().position(|unit| unit.kind == UnitKind::Trace) else { return };
        let unit = UnitId::new(at);
        let Item::Trace(item) = &self.file.items[self.symbols.unit(unit).item] else { return };
        let process = self.processes[&unit];
        let mut sends: Vec<StepId> = Vec::new();
        for id in self.program.step_ids().filter(|&id| self.program.step(id).process == process).collect::<Vec<_>>() {
            let action = self.program.step(id).action.clone();
            let (channel, fields) = match action {
                Action::Send { channel, message, .. } => {
                    sends.push(id);
                    let known = |&value: &ExprId| match self.program.exprs.constant(value) {
                        Some(_) => Field::Match(value),
                        None => Field::Skip,
                    };
                    (channel, message.iter().map(known).collect())
                }
                Action::Receive { pattern, .. } => {
                    let any = |field: &Field| if matches!(field, Field::Bind(_)) { Field::Skip } else { *field };
                    (pattern.channel, pattern.fields.iter().map(any).collect())
                }
                _ => continue,
            };
            let pattern = Pattern { channel, fields, anywhere: false };
            self.program.steps[id.index()].action = Action::Receive { pattern, keep: true };
        }
        let code = self.program.process(process);
        let (entry, last) = (to_i64(code.entry.index()), to_i64(code.locations.len()) - 1);
        let initial = InitialValue::Same(entry);
        let variable =
            self.variable("_event".to_owned(), Type::Range { lo: 0, hi: last }, Vec::new(), Scope::Global, initial);
        self.program.trace = Some(Trace { process, sends, variable, negated: item.negated });
    }
}
