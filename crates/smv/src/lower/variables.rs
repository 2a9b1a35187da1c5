//! What is the value of a variable, now and after a step?
//!
//! After a step it is what `next(x) := e` says; where that is a set, or nothing is said, the step chooses (an input). `x := e` without a choice is a
//! name for `e`. A variable that another process assigns to stays as it is.

use tertium_base::{Diagnostic, Span};
use tertium_program::{Domain, Expr as Node, ExprId, Input, Type, Width};

use super::{Lowered, Lowering, Moment, NextValue, Wrong};
use crate::ast::VarKind;
use crate::flatten::{DefineId, FlatId, FlatType, InstanceId};
use crate::values::{Choice, Ty, Typed, moved, numbered, position_of};

impl<'m> Lowering<'m> {
    /// The value of a definition, found once for every moment.
    pub(super) fn defined(&mut self, id: DefineId, moment: Moment, span: Span) -> Lowered<Choice> {
        if let Some(known) = self.defined.get(&(id, moment)) {
            return known.clone().ok_or(Wrong);
        }
        // Whoever asks again meanwhile asks in a circle.
        self.defined.insert((id, moment), None);
        let (scope, value) = self.flat.defines[id.index()];
        let known = std::mem::take(&mut self.path);
        let found = self.value(value, scope, moment);
        self.path = known;
        if found.is_err() && self.diagnostics.is_empty() {
            let error = Diagnostic::error("E0716", "a definition depends on itself").at(span, "leads back to itself");
            return self.fail(error);
        }
        self.defined.insert((id, moment), found.as_ref().ok().cloned());
        found
    }

    /// The value of a variable.
    pub(super) fn read(&mut self, id: FlatId, moment: Moment, span: Span) -> Lowered<Choice> {
        let kind = self.flat.variables[id.index()].kind;
        if self.vars[id.index()].alias {
            return self.alias(id, moment, span);
        }
        let raw = match (moment, self.vars[id.index()].var) {
            (Moment::State | Moment::Step { next: false, .. }, Some(var)) => self.program.read(var),
            (Moment::Step { process, next: true }, Some(_)) => self.next_value(id, process, span)?,
            (Moment::Step { process, next: false }, None) => self.input_of(id, process),
            (Moment::Step { .. }, None) => {
                return self.wrong("E0719", "an input has no value after the step", span);
            }
            (Moment::State, None) => {
                debug_assert_eq!(kind, VarKind::Input, "all others have a place");
                return self.wrong("E0725", "an input cannot stand here: it belongs to steps, not to states", span);
            }
        };
        Ok(Choice::One(self.typed(id, raw)))
    }

    /// What `x := e` says.
    fn alias(&mut self, id: FlatId, moment: Moment, span: Span) -> Lowered<Choice> {
        if let Some(known) = self.aliases.get(&(id, moment)) {
            let Some(known) = known.clone() else {
                let name = &self.flat.variables[id.index()].name;
                let error = Diagnostic::error("E0716", format!("`{name}` depends on itself"));
                return self.fail(error.at(span, "leads back to itself"));
            };
            return Ok(known);
        }
        self.aliases.insert((id, moment), None);
        let Some((scope, assign)) = self.vars[id.index()].current else { return Err(Wrong) };
        let known = std::mem::take(&mut self.path);
        let found = self.value(&assign.value, scope, moment);
        self.path = known;
        let Choice::One(found) = found? else { return self.wrong("E0718", "a set cannot stand here", span) };
        let raw = self.fitted(found, id, assign.span)?;
        let typed = Choice::One(self.typed(id, raw));
        self.aliases.insert((id, moment), Some(typed.clone()));
        Ok(typed)
    }

    /// What stands in the place of a variable, as a value.
    pub(super) fn typed(&mut self, id: FlatId, raw: ExprId) -> Typed {
        match &self.flat.variables[id.index()].ty {
            FlatType::Bool => Typed { ty: Ty::Bool, expr: raw },
            FlatType::Int | FlatType::Range(..) => Typed { ty: Ty::Int, expr: raw },
            FlatType::Symbols(members) => {
                let of = self.enums.with(&mut self.program, members.clone());
                Typed { ty: Ty::Symbol(of), expr: raw }
            }
            FlatType::Numbers(numbers) => {
                let numbers = numbers.clone();
                Typed { ty: Ty::Int, expr: numbered(&mut self.program, raw, &numbers) }
            }
            FlatType::Word { bits, signed } => {
                let width = Width { bits: u8::try_from(*bits).unwrap_or(32), signed: *signed };
                Typed { ty: Ty::Word(width), expr: raw }
            }
        }
    }

    /// The type of the place of a variable.
    pub(super) fn place_type(&mut self, id: FlatId) -> Type {
        match &self.flat.variables[id.index()].ty {
            FlatType::Bool => Type::Bool,
            FlatType::Int => Type::Int,
            FlatType::Range(lo, hi) => Type::Range { lo: *lo, hi: *hi },
            FlatType::Symbols(members) => Type::Enum(self.enums.with(&mut self.program, members.clone())),
            FlatType::Numbers(numbers) => {
                let names = numbers.iter().map(i64::to_string).collect();
                Type::Enum(self.enums.with(&mut self.program, names))
            }
            FlatType::Word { bits, signed } => {
                Type::Wrapped(Width { bits: u8::try_from(*bits).unwrap_or(32), signed: *signed })
            }
        }
    }

    /// A value as one for the place of a variable; outside its bounds where the type has no such value.
    pub(super) fn fitted(&mut self, value: Typed, id: FlatId, span: Span) -> Lowered<ExprId> {
        let ty = self.flat.variables[id.index()].ty.clone();
        let value = if matches!(ty, FlatType::Symbols(_)) { self.as_symbol(value, span)? } else { value };
        let raw = match (&ty, value.ty) {
            (FlatType::Bool, _) => self.as_truth(value, span)?,
            (FlatType::Int | FlatType::Range(..), Ty::Int) => value.expr,
            (FlatType::Int | FlatType::Range(..), Ty::Bool) => self.as_number(value.expr),
            (FlatType::Numbers(numbers), Ty::Int) => position_of(&mut self.program, value.expr, numbers),
            (FlatType::Symbols(members), Ty::Symbol(from)) => {
                let to = self.enums.with(&mut self.program, members.clone());
                moved(&mut self.program, value.expr, from, to)
            }
            (FlatType::Word { bits, signed }, Ty::Word(width))
                if u32::from(width.bits) == *bits && width.signed == *signed =>
            {
                value.expr
            }
            (_, found) => {
                let name = &self.flat.variables[id.index()].name;
                let error = Diagnostic::error("E0721", format!("a value of another type than that of `{name}`"));
                return self.fail(error.at(span, format!("is {}", found.word())));
            }
        };
        let place = self.place_type(id);
        if let Some(value) = self.program.exprs.constant(raw)
            && !self.program.admits(place, value)
        {
            let name = &self.flat.variables[id.index()].name;
            let error = Diagnostic::error("E0726", format!("the type of `{name}` has no such value"));
            return self.fail(error.at(span, "assigned here"));
        }
        Ok(raw)
    }

    /// What stands in the place of a variable after a step of a process.
    pub(super) fn next_value(&mut self, id: FlatId, process: usize, span: Span) -> Lowered<ExprId> {
        match self.nexts.get(&(id, process)) {
            Some(NextValue::Known(raw)) => return Ok(*raw),
            Some(NextValue::Busy) => {
                let name = &self.flat.variables[id.index()].name;
                let error = Diagnostic::error("E0716", format!("the next value of `{name}` depends on itself"));
                return self.fail(error.at(span, "leads back to itself"));
            }
            None => {}
        }
        let facts = self.vars[id.index()];
        let Some(var) = facts.var else { return Err(Wrong) };
        let now = self.program.read(var);
        if self.flat.variables[id.index()].kind == VarKind::Frozen {
            return Ok(now);
        }
        let raw = match self.assigned.get(&(id, process)).copied() {
            None if facts.next => now,
            Some((scope, assign)) => {
                self.nexts.insert((id, process), NextValue::Busy);
                let known = std::mem::take(&mut self.path);
                let value = self.value(&assign.value, scope, Moment::Step { process, next: false });
                self.path = known;
                match value? {
                    Choice::One(value) => self.fitted(value, id, assign.value.span)?,
                    Choice::Many(all) => {
                        let raw = self.chosen(id, process);
                        let may = self.one_of(id, raw, &all, assign.value.span)?;
                        self.drafts[process].guards.push(may);
                        raw
                    }
                }
            }
            None => {
                let raw = self.chosen(id, process);
                // Others may be asked for this one before it is known what it is.
                self.nexts.insert((id, process), NextValue::Known(raw));
                if let Some((scope, assign)) = facts.current {
                    let value = self.value(&assign.value, scope, Moment::Step { process, next: true })?;
                    let all = value.alternatives(&mut self.program);
                    let may = self.one_of(id, raw, &all, assign.value.span)?;
                    self.drafts[process].guards.push(may);
                }
                raw
            }
        };
        self.nexts.insert((id, process), NextValue::Known(raw));
        Ok(raw)
    }

    /// Whether what stands in a place is one of some values.
    pub(super) fn one_of(&mut self, id: FlatId, raw: ExprId, all: &[(ExprId, Typed)], span: Span) -> Lowered<ExprId> {
        let mut may = Vec::new();
        let mut values = std::collections::BTreeSet::new();
        for (when, value) in all {
            let value = self.fitted(*value, id, span)?;
            if self.program.exprs.constant(*when) == Some(1) {
                values.extend(self.program.exprs.constant(value));
            }
            let is = self.program.exprs.eq(raw, value);
            may.push(self.program.exprs.and(*when, is));
        }
        let place = self.place_type(id);
        if let (Some(lo), Some(hi)) = self.program.bounds(place)
            && i64::try_from(values.len()).is_ok_and(|count| hi.checked_sub(lo).is_some_and(|width| count - 1 == width))
        {
            return Ok(self.program.exprs.bool(true));
        }
        Ok(self.program.exprs.any(&may))
    }

    /// A value that a step chooses for the place of a variable.
    fn chosen(&mut self, id: FlatId, process: usize) -> ExprId {
        let ty = self.place_type(id);
        let name = format!("next({})", self.flat.variables[id.index()].name);
        self.new_input(name, ty, process)
    }

    pub(super) fn new_input(&mut self, name: String, ty: Type, process: usize) -> ExprId {
        let inputs = &mut self.drafts[process].inputs;
        let position = tertium_base::narrow::to_u32(inputs.len());
        inputs.push(Input { name, domain: Domain::Type(ty) });
        let sort = self.program.sort_of(ty);
        self.program.exprs.add(Node::Input(position, sort))
    }

    /// The value of an input during a step.
    fn input_of(&mut self, id: FlatId, process: usize) -> ExprId {
        if let Some(NextValue::Known(raw)) = self.nexts.get(&(id, process)) {
            return *raw;
        }
        let ty = self.place_type(id);
        let raw = self.new_input(self.flat.variables[id.index()].name.clone(), ty, process);
        self.nexts.insert((id, process), NextValue::Known(raw));
        raw
    }

    /// Whether the process of an instance takes the step.
    pub(super) fn running(&mut self, of: InstanceId, moment: Moment) -> ExprId {
        let which = self.flat.instances[of.index()].process;
        match (self.selector, moment) {
            (Some(selector), Moment::State | Moment::Step { next: false, .. }) => {
                let (read, number) = (self.program.read(selector), self.program.exprs.int(crate::to_i64(which)));
                self.program.exprs.eq(read, number)
            }
            (Some(_), Moment::Step { process, next: true }) => {
                let read = self.selected(process);
                let number = self.program.exprs.int(crate::to_i64(which));
                self.program.exprs.eq(read, number)
            }
            (None, Moment::Step { process, .. }) => self.program.exprs.bool(process == which),
            // One process that takes every step.
            (None, Moment::State) => self.program.exprs.bool(true),
        }
    }
}
