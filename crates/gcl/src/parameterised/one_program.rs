//! The text of a system of every size as that of one program.
//!
//! The size becomes a variable that no step changes; types that depend on it become wider; members that the question names are a family of
//! that many processes, each with a number that nobody knows; the others are counted (`others`).

use tertium_base::Span;
use tertium_base::narrow::to_i64;

use super::lemma::Lemma;
use super::others::{self, Counted};
use super::size_dependence::{Family, SizeDependence, refused};
use super::{AskedMembers, KnownMembers, Members, Purpose, Refused};
use crate::ast::{
    Block, Comparison, Expr, ExprKind, File, Ident, Initial, Item, ProcessDecl, ProcessRef, Range, Stmt, StmtKind,
    Target, TypeExpr, TypeKind, VarDecl, VarRef,
};
use crate::names::Elaborator;
use crate::rewrite;

/// A program in place of a system of every size.
pub(super) struct OneProgram {
    pub file: File,
    pub members: Members,
    pub exact: bool,
    pub widened: bool,
    pub families: Vec<(String, usize)>,
}

pub(super) fn ident(name: impl Into<String>, span: Span) -> Ident {
    Ident { name: name.into(), span }
}

pub(super) fn name(text: &str, span: Span) -> Expr {
    Expr { kind: ExprKind::Name(ident(text, span)), span }
}

pub(super) fn int(value: i64, span: Span) -> Expr {
    Expr { kind: ExprKind::Int(value), span }
}

pub(super) fn compare(op: Comparison, left: Expr, right: Expr) -> Expr {
    let span = left.span;
    Expr { kind: ExprKind::Compare(op, Box::new(left), Box::new(right)), span }
}

pub(super) fn sum(first: Expr, rest: Vec<(bool, Expr)>) -> Expr {
    let span = first.span;
    Expr { kind: ExprKind::Sum(Box::new(first), rest), span }
}

pub(super) fn all(mut parts: Vec<Expr>, span: Span) -> Expr {
    match parts.len() {
        0 => Expr { kind: ExprKind::Bool(true), span },
        1 => parts.remove(0),
        _ => Expr { kind: ExprKind::And(parts), span },
    }
}

/// The number of a member that is a process of its own.
pub(super) fn number(family: &Family<'_>, at: usize, span: Span) -> Expr {
    let numbers = ident(numbers(family), span);
    Expr { kind: ExprKind::Index(numbers, vec![int(to_i64(at), span)]), span }
}

fn numbers(family: &Family<'_>) -> String {
    format!("#{}", family.decl.name.name)
}

fn members(shape: &SizeDependence<'_>, asked: &AskedMembers) -> Members {
    let bound = asked.binder.as_ref().map(|binder| binder.family.name.clone());
    let mut members = Members { bound, ..Members::default() };
    for family in &shape.families {
        let known = KnownMembers {
            index: family.index.name.clone(),
            count: family.count,
            numbers: numbers(family),
            constants: family.constants.clone(),
        };
        members.families.insert(family.decl.name.name.clone(), known);
        let own = |(array, _): &(&Ident, &VarDecl)| (array.name.clone(), family.decl.name.name.clone());
        members.owned.extend(family.owned.iter().map(own));
    }
    members
}

/// The program for one question.
pub(super) fn file(
    text: &str,
    file: &File,
    least: &Elaborator<'_>,
    asked: &AskedMembers,
    (purpose, lemmas): (Purpose<'_>, &[Lemma]),
) -> Result<OneProgram, Refused> {
    let mut shape = SizeDependence::of(text, file, asked)?;
    if purpose == Purpose::Faults {
        // Any member, besides those with a number that the text names.
        shape.families.iter_mut().for_each(|family| family.count += 1);
    }
    let members = members(&shape, asked);
    let bound: Vec<(String, i64)> =
        asked.binder.iter().flat_map(|binder| &binder.names).map(|name| name.name.clone()).zip(1..).collect();
    let numbered = asked.atoms.iter().any(|atom| {
        let mut found = false;
        rewrite::visit(&members.in_formula(atom, &bound), &mut |part| {
            found |= matches!(&part.kind, ExprKind::Index(array, _) if array.name.starts_with('#'));
        });
        found
    });
    let mut telling = Telling {
        text,
        shape: &shape,
        members: &members,
        least,
        items: Vec::new(),
        conditions: Vec::new(),
        exact: true,
        wide: false,
        numbered: numbered || lemmas.iter().any(Lemma::numbers),
        lemmas,
    };
    for item in &file.items {
        telling.item(item)?;
    }
    let Telling { mut items, conditions, exact, wide, .. } = telling;
    if wide {
        // A value outside of its type ends a run; here it does not, so nothing may be promised about going on.
        items.retain(|item| !matches!(item, Item::Fair(..)));
    }
    items.extend(conditions.into_iter().map(Item::Init));
    if !exact {
        items.push(idle(shape.size.span));
    }
    let families = shape.families.iter().map(|family| (family.decl.name.name.clone(), family.count)).collect();
    let file = File { name: file.name.clone(), items };
    Ok(OneProgram { file, members, exact, widened: wide, families })
}

/// Whoever is not told exactly may also do nothing.
fn idle(span: Span) -> Item {
    let skip = Stmt { labels: Vec::new(), kind: StmtKind::Skip, span };
    let body = vec![Stmt { labels: Vec::new(), kind: StmtKind::Loop(vec![skip]), span }];
    let decl = ProcessDecl {
        name: ident("(rest)", span),
        family: None,
        locals: Vec::new(),
        body,
        end: span,
        passed: Vec::new(),
    };
    Item::Process(Box::new(decl))
}

struct Telling<'a> {
    text: &'a str,
    shape: &'a SizeDependence<'a>,
    members: &'a Members,
    least: &'a Elaborator<'a>,
    items: Vec<Item>,
    /// What holds at the start.
    conditions: Vec<Expr>,
    exact: bool,
    /// Whether a type was made wider.
    wide: bool,
    /// Whether the question asks for numbers of members.
    numbered: bool,
    lemmas: &'a [Lemma],
}

impl Telling<'_> {
    fn item(&mut self, item: &Item) -> Result<(), Refused> {
        match item {
            Item::Const(name, value) if self.shape.depends(value) => {
                self.items.push(Item::Define(name.clone(), value.clone()));
            }
            Item::AtLeast(name, least) => self.size(name, least),
            Item::Alias(name, _) if self.shape.types.contains_key(name.name.as_str()) => {}
            Item::Var(decl) => self.variables(decl)?,
            Item::Init(expr) => self.items.push(Item::Init(self.members.in_formula(expr, &[]))),
            Item::Define(name, expr) => {
                self.items.push(Item::Define(name.clone(), self.members.in_formula(expr, &[])));
            }
            Item::Function(name, arguments, result) => {
                if arguments.iter().chain([result]).any(|ty| self.shape.type_depends(ty)) {
                    return Err(refused(
                        format!("the type of `{}` depends on the size", name.name),
                        name.span,
                        "not known for every size",
                    ));
                }
                self.items.push(item.clone());
            }
            Item::Process(decl) => self.process(decl)?,
            Item::Predicate(_, expr) if self.is_of_members(expr) || has_quantifier(expr) => {}
            // Owners matter to games alone, which are not played for every size; sugar was expanded before.
            Item::Spotlight(_) | Item::Environment(_) | Item::Sugar(_) => {}
            Item::Keep(kept) => {
                let shared =
                    |kept: &&VarRef| kept.process.is_none() && !self.members.owned.contains_key(&kept.name.name);
                let kept: Vec<VarRef> = kept.iter().filter(shared).cloned().collect();
                if !kept.is_empty() {
                    self.items.push(Item::Keep(kept));
                }
            }
            Item::Fair(strong, processes) => {
                let processes: Vec<ProcessRef> = processes.iter().filter_map(|who| self.fair(who)).collect();
                if !processes.is_empty() {
                    self.items.push(Item::Fair(*strong, processes));
                }
            }
            Item::Justice(condition) | Item::Compassion(condition, _) => {
                return Err(refused("fairness on a condition", condition.span, "not known for every size"));
            }
            Item::Const(..) | Item::Enumeration(..) | Item::Alias(..) | Item::Predicate(..) | Item::Property(_) => {
                self.items.push(item.clone());
            }
        }
        Ok(())
    }

    fn size(&mut self, name: &Ident, least: &Expr) {
        let from_nought = self.least.open.iter().any(|(_, least)| least.is_some_and(|least| least >= 0));
        let kind = if from_nought { TypeKind::Nat } else { TypeKind::Int };
        let ty = TypeExpr { kind, span: name.span };
        self.items.push(Item::Var(VarDecl { names: vec![name.clone()], ty, initial: None }));
        self.conditions.push(compare(Comparison::Ge, self::name(&name.name, name.span), least.clone()));
    }

    fn is_of_members(&self, expr: &Expr) -> bool {
        let mut found = false;
        rewrite::visit(expr, &mut |part| {
            found |= match &part.kind {
                ExprKind::At(who, _) | ExprKind::Field(who, ..) => self.members.families.contains_key(&who.name.name),
                ExprKind::Index(array, _) => self.members.owned.contains_key(&array.name),
                _ => false,
            };
        });
        found
    }

    /// A process that is treated fairly, if it is one of its own.
    fn fair(&self, who: &ProcessRef) -> Option<ProcessRef> {
        let Some(known) = self.members.families.get(&who.name.name) else { return Some(who.clone()) };
        if known.count == 0 {
            return None;
        }
        let Some(index) = &who.index else { return Some(who.clone()) };
        let position = self.members.position(&who.name.name, index, &[])?;
        Some(ProcessRef { name: who.name.clone(), index: Some(Box::new(int(position, index.span))) })
    }

    /// A type that does not depend on the size, and the range that it would have.
    fn wider(&mut self, ty: &TypeExpr) -> (TypeExpr, Option<Range>) {
        let shape = self.shape;
        let resolved = shape.resolved(ty);
        match &resolved.kind {
            TypeKind::Range(range) if shape.range_depends(range) => {
                (self.exact, self.wide) = (false, true);
                (TypeExpr { kind: TypeKind::Int, span: ty.span }, Some(range.as_ref().clone()))
            }
            TypeKind::Array(range, inner) => {
                let (inner, _) = self.wider(inner);
                (TypeExpr { kind: TypeKind::Array(range.clone(), Box::new(inner)), span: ty.span }, None)
            }
            _ => (ty.clone(), None),
        }
    }

    fn variables(&mut self, decl: &VarDecl) -> Result<(), Refused> {
        if let TypeKind::Array(range, inner) = &decl.ty.kind
            && self.shape.range_depends(range)
        {
            return self.cells(decl, inner);
        }
        if self.shape.type_depends(&decl.ty) && matches!(self.shape.resolved(&decl.ty).kind, TypeKind::Array(..)) {
            let TypeKind::Array(range, _) = &self.shape.resolved(&decl.ty).kind else { return Ok(()) };
            if self.shape.range_depends(range) {
                return Err(refused("an array over the size", decl.ty.span, "write its type here"));
            }
        }
        let places: Vec<Expr> = decl.names.iter().map(|known| name(&known.name, known.span)).collect();
        let told = self.declared(decl, &places, &|expr| expr.clone());
        self.items.push(Item::Var(told));
        Ok(())
    }

    /// A declaration with types and initial values that do not depend on the size; `places` read its variables.
    fn declared(&mut self, decl: &VarDecl, places: &[Expr], told: &dyn Fn(&Expr) -> Expr) -> VarDecl {
        let (ty, range) = self.wider(&decl.ty);
        let scalar = !matches!(self.shape.resolved(&decl.ty).kind, TypeKind::Array(..));
        let mut initial = decl.initial.clone();
        let computed = match &decl.initial {
            Some(Initial::Same(value)) => self.is_computed(value),
            Some(Initial::Each(values, _)) => values.iter().any(|value| self.is_computed(value)),
            None => false,
        };
        if computed {
            initial = None;
            self.exact &= scalar;
        }
        for place in places.iter().filter(|_| scalar) {
            if let (Some(Initial::Same(value)), true) = (&decl.initial, computed) {
                self.conditions.push(compare(Comparison::Eq, place.clone(), told(value)));
            } else if let (Some(range), None) = (&range, &decl.initial) {
                self.conditions.push(compare(Comparison::Ge, place.clone(), told(&range.lo)));
                self.conditions.push(compare(Comparison::Le, place.clone(), told(&range.hi)));
            }
        }
        VarDecl { names: decl.names.clone(), ty, initial }
    }

    /// Whether a value is no constant: it depends on the size, or on the index of a family.
    fn is_computed(&self, value: &Expr) -> bool {
        let mut indexed = false;
        rewrite::visit(value, &mut |part| {
            let index = |name: &Ident| self.members.families.values().any(|known| known.index == name.name);
            indexed |= matches!(&part.kind, ExprKind::Name(name) if index(name));
        });
        indexed || self.shape.depends(value)
    }

    /// An array over the size: the cells of the members that are processes of their own.
    fn cells(&mut self, decl: &VarDecl, inner: &TypeExpr) -> Result<(), Refused> {
        if let Some(Initial::Each(_, span)) = &decl.initial {
            return Err(refused(
                "a list of values for an array over the size",
                *span,
                "one value for all cells is needed",
            ));
        }
        for array in &decl.names {
            let owner = self
                .shape
                .families
                .iter()
                .find(|family| family.owned.iter().any(|(known, _)| known.name == array.name));
            let Some(count) = owner.map(|owner| owner.count).filter(|&count| count > 0) else { continue };
            let (inner, range) = self.wider(inner);
            let both = Range { lo: int(1, decl.ty.span), hi: int(to_i64(count), decl.ty.span) };
            let ty = TypeExpr { kind: TypeKind::Array(Box::new(both), Box::new(inner)), span: decl.ty.span };
            let mut told = VarDecl { names: vec![array.clone()], ty, initial: decl.initial.clone() };
            for at in 1..=count {
                let cell =
                    Expr { kind: ExprKind::Index(array.clone(), vec![int(to_i64(at), array.span)]), span: array.span };
                match &decl.initial {
                    Some(Initial::Same(value)) if self.is_computed(value) => {
                        told.initial = None;
                        self.conditions.push(compare(Comparison::Eq, cell, value.clone()));
                    }
                    None => {
                        let Some(range) = &range else { continue };
                        self.conditions.push(compare(Comparison::Ge, cell.clone(), range.lo.clone()));
                        self.conditions.push(compare(Comparison::Le, cell, range.hi.clone()));
                    }
                    Some(_) => {}
                }
            }
            self.items.push(Item::Var(told));
        }
        Ok(())
    }

    fn process(&mut self, decl: &ProcessDecl) -> Result<(), Refused> {
        let family = self.shape.families.iter().find(|family| family.decl.name.name == decl.name.name);
        let Some(family) = family else {
            let own = |known: &Ident| {
                let who = ProcessRef { name: decl.name.clone(), index: None };
                Expr { kind: ExprKind::Field(who, known.clone(), Vec::new()), span: known.span }
            };
            let mut told = decl.clone();
            // Looked at with the least size.
            told.passed.clear();
            for locals in &mut told.locals {
                // Members of a family of one size start alike, or with any value.
                let places: Vec<Expr> =
                    if decl.family.is_none() { locals.names.iter().map(own).collect() } else { Vec::new() };
                let widened = self.declared(locals, &places, &|expr| expr.clone());
                self.exact &= decl.family.is_none() || widened.initial == locals.initial;
                *locals = widened;
            }
            self.items.push(Item::Process(Box::new(told)));
            return Ok(());
        };
        self.exact &= !family.numbered;
        if family.count > 0 {
            self.own(family);
        }
        let Counted { items, conditions, exact } =
            others::counted(self.text, (self.shape, self.lemmas), family, self.least)?;
        self.exact &= exact;
        self.items.extend(items);
        self.conditions.extend(conditions);
        Ok(())
    }

    /// The members that are processes of their own.
    fn own(&mut self, family: &Family<'_>) {
        let span = family.decl.name.span;
        if family.numbered || self.numbered {
            self.number(family);
        }
        let index = &family.index.name;
        let position = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if name.name == *index);
        let told = |expr: &Expr, at: &Expr| {
            rewrite::expr(expr, &|part| match &part.kind {
                ExprKind::Index(array, parts) if self.members.owned.contains_key(&array.name) => {
                    Some(Expr { kind: ExprKind::Index(array.clone(), parts.clone()), span: part.span })
                }
                _ if position(part) => {
                    let numbers = ident(numbers(family), part.span);
                    Some(Expr { kind: ExprKind::Index(numbers, vec![at.clone()]), span: part.span })
                }
                _ => None,
            })
        };
        let here = name(index, family.index.span);
        let target = |target: &Target| {
            let own = self.members.owned.contains_key(&target.name.name);
            let indices =
                target.indices.iter().map(|part| if own { part.clone() } else { told(part, &here) }).collect();
            Target { name: target.name.clone(), indices, accessors: Vec::new(), span: target.span }
        };
        let body: Block = rewrite::block(
            &family.decl.body,
            &|part| (position(part) || is_cell(part, self.members)).then(|| told(part, &here)),
            &target,
        );
        let mut locals = Vec::new();
        for decl in &family.decl.locals {
            let mut widened = decl.clone();
            for at in 1..=family.count {
                let field = |known: &Ident| {
                    let who =
                        ProcessRef { name: family.decl.name.clone(), index: Some(Box::new(int(to_i64(at), span))) };
                    Expr { kind: ExprKind::Field(who, known.clone(), Vec::new()), span: known.span }
                };
                let places: Vec<Expr> = decl.names.iter().map(field).collect();
                let numbered =
                    |expr: &Expr| rewrite::expr(expr, &|part| position(part).then(|| number(family, at, part.span)));
                widened = self.declared(decl, &places, &numbered);
            }
            locals.push(widened);
        }
        let range = Range { lo: int(1, span), hi: int(to_i64(family.count), span) };
        let decl = ProcessDecl {
            name: family.decl.name.clone(),
            family: Some((family.index.clone(), range)),
            locals,
            body,
            end: family.decl.end,
            passed: Vec::new(),
        };
        self.items.push(Item::Process(Box::new(decl)));
    }

    /// Numbers of members: within the range, and different.
    fn number(&mut self, family: &Family<'_>) {
        let span = family.index.span;
        let range = Range { lo: int(1, span), hi: int(to_i64(family.count), span) };
        let inner = TypeExpr { kind: TypeKind::Int, span };
        let ty = TypeExpr { kind: TypeKind::Array(Box::new(range), Box::new(inner)), span };
        self.items.push(Item::Var(VarDecl { names: vec![ident(numbers(family), span)], ty, initial: None }));
        for at in 1..=family.count {
            let own = number(family, at, span);
            self.conditions.push(compare(Comparison::Ge, own.clone(), family.range.lo.clone()));
            self.conditions.push(compare(Comparison::Le, own.clone(), family.range.hi.clone()));
            for other in 1..at {
                self.conditions.push(compare(Comparison::Ne, own.clone(), number(family, other, span)));
            }
            let constant = family.constants.iter().find(|&(_, &position)| position == at);
            if let Some((&constant, _)) = constant {
                self.conditions.push(compare(Comparison::Eq, own, int(constant, span)));
            }
        }
    }
}

/// Whether an expression has a quantifier in it, whose numbers may be those of members.
fn has_quantifier(expr: &Expr) -> bool {
    let mut found = false;
    rewrite::visit(expr, &mut |part| found |= matches!(part.kind, ExprKind::Sugar(_)));
    found
}

fn is_cell(part: &Expr, members: &Members) -> bool {
    matches!(&part.kind, ExprKind::Index(array, _) if members.owned.contains_key(&array.name))
}

/// The members of a family that are no processes of their own, in all: a sum over its range.
pub(super) fn remaining(family: &Family<'_>, span: Span) -> Expr {
    let size = vec![(true, family.range.lo.clone()), (false, int(1 - to_i64(family.count), span))];
    sum(family.range.hi.clone(), size)
}
