//! What may be taken to hold of the members that are only counted?
//!
//! Properties that say what holds in every state, of some members or of what all share. They are shown together, by induction over steps: if all of
//! them hold up to some state, a step of a counted member begins where they hold, so a program in which such members step only there
//! can do whatever the system can do next. Whoever uses a property in this way must show it in the same way.

use std::collections::BTreeMap;

use tertium_base::Span;
use tertium_base::narrow::to_i64;
use tertium_logic::Logic;

use super::one_program::{int, name, number};
use super::size_dependence::{Family, SizeDependence};
use crate::Addition;
use crate::ast::{Expr, ExprKind, File, Ident, Item, ProcessRef};
use crate::expand::{Expansion, Tables};
use crate::formula::{binder, tokens_of};
use crate::lexer::{Token, lex};
use crate::parser::Parser;
use crate::rewrite;

/// A property that holds in every state.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub title: String,
    /// The members it speaks of.
    names: Vec<String>,
    /// Their family; none if it speaks of what all share.
    family: Option<String>,
    condition: Expr,
}

/// The properties of a file and of the command line that can be used.
pub(super) fn all(text: &str, file: &File, tables: &Tables, additions: &[Addition]) -> Vec<Lemma> {
    let tokens = lex(text).tokens;
    let is_family = |name: &str| super::is_family(file, name);
    let mut found = Vec::new();
    for item in &file.items {
        if let Item::Property(decl) = item {
            let formula = (tokens_of(&tokens, decl), decl.invariant);
            found.extend(read(text, &formula, Logic::from_name(&decl.logic.name), &decl.name.name, &is_family));
        }
    }
    for addition in additions {
        if let Addition::Property { name, logic, text } = addition {
            let formula = (lex(text).tokens, false);
            found.extend(read(text, &formula, logic.or(Some(Logic::Ltl)), name, &is_family));
        }
    }
    found.into_iter().filter_map(|lemma| lemma.expanded(tables)).collect()
}

/// `G` and a condition on states, for members of one family or for none.
fn read(
    text: &str,
    (tokens, invariant): &(Vec<Token>, bool),
    logic: Option<Logic>,
    title: &str,
    is_family: &dyn Fn(&str) -> bool,
) -> Option<Lemma> {
    let mut parser = Parser::new(text, tokens);
    let binder = binder(&mut parser, is_family).ok()?;
    if binder.as_ref().is_some_and(|binder| binder.range.is_some()) {
        return None;
    }
    if !invariant && (logic != Some(Logic::Ltl) || !parser.eat_word("G")) {
        return None;
    }
    let condition = if *invariant { parser.expr() } else { parser.negation() };
    let condition = condition.ok().filter(|_| parser.ends())?;
    let mut plain = true;
    rewrite::visit(&condition, &mut |part| plain &= part.kind != ExprKind::Deadlock);
    let names = binder.iter().flat_map(|binder| &binder.names).map(|name| name.name.clone()).collect();
    let family = binder.map(|binder| binder.family.name);
    plain.then(|| Lemma { title: title.to_owned(), names, family, condition })
}

/// Whom a name stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// The member that steps.
    Other,
    /// A member that is a process of its own, by position.
    Own(usize),
}

/// A member that steps: its family, and the labels of where it is.
pub(super) struct Stepping<'a> {
    pub family: &'a Family<'a>,
    pub labels: &'a [&'a str],
    /// The names of its variables.
    pub variables: Vec<&'a str>,
}

/// The variable that holds the cell of the member that steps.
pub(super) fn cell_name(array: &str) -> String {
    format!("{array}[own]")
}

impl Lemma {
    /// With a condition without sugar; none if some remains.
    fn expanded(self, tables: &Tables) -> Option<Self> {
        let mut expansion = Expansion::new(tables);
        let condition = expansion.expr(&self.condition);
        let mut plain = expansion.diagnostics.is_empty();
        rewrite::visit(&condition, &mut |part| plain &= !matches!(part.kind, ExprKind::Sugar(_)));
        plain.then_some(Self { condition, ..self })
    }

    /// What it says when a counted member steps: of that member, with those that are processes of their own.
    pub fn said_of(&self, shape: &SizeDependence<'_>, stepping: &Stepping<'_>) -> Vec<Expr> {
        if !self.is_clear(shape, stepping) {
            return Vec::new();
        }
        let Some(title) = &self.family else { return vec![self.condition.clone()] };
        let Some(family) = shape.families.iter().find(|family| family.decl.name.name == *title) else {
            return Vec::new();
        };
        let same = title == &stepping.family.decl.name.name;
        let mut whom: Vec<Who> = (1..=family.count).map(Who::Own).collect();
        whom.extend(same.then_some(Who::Other));
        let mut cases: Vec<Vec<Who>> = vec![Vec::new()];
        for _ in &self.names {
            let longer = |case: &Vec<Who>| {
                let free: Vec<Who> = whom.iter().copied().filter(|who| !case.contains(who)).collect();
                free.into_iter().map(|who| [case.as_slice(), &[who]].concat()).collect::<Vec<_>>()
            };
            cases = cases.iter().flat_map(longer).collect();
        }
        cases.iter().map(|case| self.of(family, stepping, case)).collect()
    }

    /// Whether all its names mean the same where members step, and it names members only by what `forall` brings in.
    fn is_clear(&self, shape: &SizeDependence<'_>, stepping: &Stepping<'_>) -> bool {
        let bound = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if self.names.contains(&name.name));
        let mut clear = true;
        rewrite::visit(&self.condition, &mut |part| match &part.kind {
            ExprKind::Name(name) | ExprKind::Index(name, _) if !self.names.contains(&name.name) => {
                let hidden =
                    stepping.variables.contains(&name.name.as_str()) || name.name == stepping.family.index.name;
                let owner =
                    shape.families.iter().find(|family| family.owned.iter().any(|(array, _)| array.name == name.name));
                let own = owner.is_none_or(|owner| {
                    let first = match &part.kind {
                        ExprKind::Index(_, parts) => parts.first(),
                        _ => None,
                    };
                    Some(&owner.decl.name.name) == self.family.as_ref() && first.is_some_and(bound)
                });
                clear &= !hidden && own;
            }
            ExprKind::At(who, _) | ExprKind::Field(who, ..) => {
                let sized = shape.families.iter().any(|family| family.decl.name.name == who.name.name);
                let index = who.index.as_deref();
                let own = Some(&who.name.name) == self.family.as_ref();
                clear &= if sized { own && index.is_some_and(bound) } else { !index.is_some_and(bound) };
            }
            _ => {}
        });
        clear
    }

    /// Whether it compares numbers of members.
    pub fn numbers(&self) -> bool {
        let bare = rewrite::expr(&self.condition, &|part| {
            matches!(part.kind, ExprKind::At(..) | ExprKind::Field(..) | ExprKind::Index(..))
                .then(|| Expr { kind: ExprKind::Bool(true), span: part.span })
        });
        let mut found = false;
        rewrite::visit(&bare, &mut |part| {
            found |= matches!(&part.kind, ExprKind::Name(name) if self.names.contains(&name.name));
        });
        found
    }

    fn of(&self, family: &Family<'_>, stepping: &Stepping<'_>, case: &[Who]) -> Expr {
        let known: BTreeMap<&str, Who> = self.names.iter().map(String::as_str).zip(case.iter().copied()).collect();
        let whom = |index: Option<&Expr>| match &index?.kind {
            ExprKind::Name(name) => known.get(name.name.as_str()).copied(),
            _ => None,
        };
        let own = |who: &ProcessRef, at: usize, span: Span| ProcessRef {
            name: who.name.clone(),
            index: Some(Box::new(int(to_i64(at), span))),
        };
        rewrite::expr(&self.condition, &|part| {
            let span = part.span;
            let kind = match &part.kind {
                ExprKind::At(who, label) => match whom(who.index.as_deref())? {
                    Who::Other => ExprKind::Bool(stepping.labels.contains(&label.name.as_str())),
                    Who::Own(at) => ExprKind::At(own(who, at, span), label.clone()),
                },
                ExprKind::Field(who, field, parts) => match whom(who.index.as_deref())? {
                    Who::Other => ExprKind::Name(field.clone()),
                    Who::Own(at) => ExprKind::Field(own(who, at, span), field.clone(), parts.clone()),
                },
                ExprKind::Index(array, parts) if family.owned.iter().any(|(known, _)| known.name == array.name) => {
                    match whom(parts.first())? {
                        Who::Other => ExprKind::Name(Ident { name: cell_name(&array.name), span }),
                        Who::Own(at) => ExprKind::Index(array.clone(), vec![int(to_i64(at), span)]),
                    }
                }
                ExprKind::Name(bound) => match known.get(bound.name.as_str())? {
                    Who::Other => return Some(name(&family.index.name, span)),
                    Who::Own(at) => return Some(number(family, *at, span)),
                },
                _ => return None,
            };
            Some(Expr { kind, span })
        })
    }
}
