//! What does a property ask?
//!
//! Formulas belong to the logics, their atoms to the program. This module finds the atoms in a formula (comparisons,
//! `P@label`, names; the longest piece that is an expression without connectives), gives them their meaning, and hands
//! the formula with its atoms marked to the logics' own parser, whose messages it moves back to the source.

mod atoms;
mod binder;
mod quantified;

use std::collections::BTreeMap;

use tertium_base::narrow::to_i64;
use tertium_base::{Diagnostic, Span};
use tertium_logic::{Coalition, Formula, Logic, Node, ParseOptions};
use tertium_program::{ExprId, Property};

use self::atoms::{Marker, names_like_operators};
pub(crate) use self::binder::{Binder, binder};
use crate::ast::sugar::{Binding, BindingDomain, ExprSugar, Quantifier};
use crate::ast::{Expr, ExprKind, PropertyDecl};
use crate::lexer::{Token, TokenKind};
use crate::names::{Elaborator, Entity, ExprContext, Ty, Use};
use crate::parser::Parser;
use crate::quantifiers::{different, too_many};
use crate::rewrite;

/// A formula for certain members.
struct OneCase {
    /// In the syntax of the logics' parser.
    formula: String,
    logic: Logic,
    atoms: BTreeMap<String, ExprId>,
    /// The operator it begins with, if it says that something always holds.
    always: Option<&'static str>,
}

/// The operator of a formula that says that something always holds.
fn always(formula: &Formula) -> Option<&'static str> {
    match formula.node(formula.root()) {
        Node::Globally(_) => Some("G"),
        Node::All(inner) if matches!(formula.node(inner), Node::Globally(_)) => Some("AG"),
        _ => None,
    }
}

/// The atoms of a property, each as often as it stands there, and whom it speaks of; as many as can be read.
pub(crate) fn atoms_of(
    text: &str,
    tokens: &[Token],
    decl: &PropertyDecl,
    is_family: &dyn Fn(&str) -> bool,
) -> (Option<Binder>, Vec<Expr>) {
    read_atoms(text, &tokens_of(tokens, decl), Logic::from_name(&decl.logic.name), is_family)
}

/// As [`atoms_of`], for tokens that are a formula.
pub(crate) fn read_atoms(
    text: &str,
    tokens: &[Token],
    logic: Option<Logic>,
    is_family: &dyn Fn(&str) -> bool,
) -> (Option<Binder>, Vec<Expr>) {
    let binder = binder(&mut Parser::new(text, tokens), is_family).ok().flatten();
    let begin = binder.as_ref().map_or(0, |binder| binder.length);
    let mut marker = Marker::new(text, &tokens[begin..], logic);
    marker.run();
    (binder, marker.marked.atoms.into_values().chain(marker.marked.repeated).collect())
}

/// The tokens of a property's formula, with an end.
pub(crate) fn tokens_of(tokens: &[Token], decl: &PropertyDecl) -> Vec<Token> {
    let mut formula: Vec<Token> = tokens[decl.tokens.clone()].to_vec();
    formula.push(Token { kind: TokenKind::End, span: Span::new(decl.span.end, decl.span.end) });
    formula
}

impl Elaborator<'_> {
    /// A property of the file.
    pub(crate) fn property(&mut self, decl: &PropertyDecl, tokens: &[Token]) {
        let Some(logic) = Logic::from_name(&decl.logic.name) else {
            let names: Vec<&str> = Logic::ALL.iter().map(|logic| logic.name()).collect();
            let diagnostic = Diagnostic::error("E0418", format!("no logic is named `{}`", decl.logic.name))
                .at(decl.logic.span, "unknown logic")
                .help(format!("the logics are: {}", names.join(", ")));
            self.report(diagnostic);
            return;
        };
        if let Some(first) = self.program.properties.iter().find(|property| property.name == decl.name.name) {
            let diagnostic = crate::names::twice(&decl.name, first.span);
            self.report(diagnostic);
            return;
        }
        let formula = tokens_of(tokens, decl);
        let text = self.text;
        if let Some((formula, logic, atoms)) = self.formula(text, &formula, Some(logic), decl.invariant) {
            let source = self.snippet(decl.span);
            let span = decl.name.span;
            self.program.properties.push(Property {
                name: decl.name.name.clone(),
                logic: logic.name().to_owned(),
                source,
                formula,
                atoms,
                span,
            });
        }
    }

    /// A formula in the logics' syntax, its logic, and the meaning of its atoms. That of an `invariant` says what always holds.
    pub(crate) fn formula(
        &mut self,
        text: &str,
        tokens: &[Token],
        logic: Option<Logic>,
        invariant: bool,
    ) -> Option<(String, Logic, BTreeMap<String, ExprId>)> {
        let mut parser = Parser::new(text, tokens);
        let is_family =
            |name: &str| self.groups.iter().any(|group| group.decl.name.name == name && group.decl.family.is_some());
        let Ok(binder) = binder(&mut parser, &is_family) else {
            parser.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
            return None;
        };
        let Some(binder) = binder else {
            let found = self.one_case(text, tokens, (logic, invariant), &[])?;
            return Some((found.formula, found.logic, found.atoms));
        };
        let tokens = &tokens[binder.length..];
        let cases = self.cases(&binder)?;
        let (mut parts, mut atoms, mut always, mut of) = (Vec::new(), BTreeMap::new(), None, logic);
        for case in &cases {
            let bound: Vec<(String, i64)> =
                binder.names.iter().map(|name| name.name.clone()).zip(case.iter().copied()).collect();
            let found = self.one_case(text, tokens, (logic, invariant), &bound)?;
            (always, of) = (found.always, Some(found.logic));
            parts.push(found.formula);
            atoms.extend(found.atoms);
        }
        // Nobody is there to break it.
        let none = || "true".to_owned();
        let formula = match always {
            // `G` of all together, so that single states decide it.
            Some(operator) => {
                let inside = parts.iter().map(|part| format!("({})", part[operator.len()..].trim_start()));
                format!("{operator} ({})", inside.collect::<Vec<_>>().join(" && "))
            }
            None if parts.len() > 1 => parts.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" && "),
            None => parts.pop().unwrap_or_else(none),
        };
        Some((formula, of.unwrap_or(Logic::Ltl), atoms))
    }

    /// The members or numbers that names of a `forall` stand for, one after the other.
    fn cases(&mut self, binder: &Binder) -> Option<Vec<Vec<i64>>> {
        let wanted = binder.names.len();
        let span = binder.family.span;
        if let Some(range) = &binder.range {
            if self.members.is_some() {
                let message = "`forall` over a range of numbers";
                return self.fail(Diagnostic::error("E0422", message).at(span, "looked at size by size only"));
            }
            let binding =
                Binding { names: binder.names.clone(), domain: BindingDomain::Range(Box::new(range.clone())) };
            let (lo, hi) = self.numbers_of(&binding, &ExprContext::global(Use::Constant))?;
            let cases = different(lo, hi, wanted);
            return cases.or_else(|| self.fail(too_many("forall", span)));
        }
        let group = match self.globals.get(binder.family.name.as_str()) {
            Some(&(Entity::Process(group), _)) => group,
            _ => return None,
        };
        let (lo, count) = (self.groups[group].lo, self.groups[group].processes.len());
        if self.members.is_some() {
            return Some(vec![(lo..).take(wanted).collect()]);
        }
        let cases = different(lo, lo + to_i64(count) - 1, wanted);
        cases.or_else(|| self.fail(too_many("forall", span)))
    }

    /// The numbers that a quantifier around operators of the logic goes through.
    fn temporal_cases(&mut self, binding: &Binding, around: &[(String, i64)]) -> Option<Vec<Vec<i64>>> {
        let span = binding.names[0].span;
        let whole = |body: Expr| {
            let sugar = ExprSugar::Quantified(Quantifier::Count, binding.clone(), body);
            Expr { kind: ExprKind::Sugar(Box::new(sugar)), span }
        };
        let expanded = self.expanded(&whole(Expr { kind: ExprKind::Bool(true), span }), around);
        let ExprKind::Sugar(sugar) = &expanded.kind else { return None };
        let ExprSugar::Quantified(_, known, body) = sugar.as_ref() else { return None };
        if body.kind != ExprKind::Bool(true) {
            let message = "a set changes while the formula goes on";
            let diagnostic =
                Diagnostic::error("E0416", message).at(span, "goes through a set around temporal operators");
            return self.fail(diagnostic.help("go through a range, and ask `i in s` where it is meant"));
        }
        let BindingDomain::Range(range) = &known.domain else { return None };
        let range = crate::ast::Range {
            lo: rewrite::with_numbers(&range.lo, around),
            hi: rewrite::with_numbers(&range.hi, around),
        };
        let binding = Binding { names: binding.names.clone(), domain: BindingDomain::Range(Box::new(range)) };
        if self.members.is_some() {
            let message = "a quantifier inside of the formula";
            return self.fail(Diagnostic::error("E0422", message).at(span, "looked at size by size only"));
        }
        let (lo, hi) = self.numbers_of(&binding, &ExprContext::global(Use::Constant))?;
        different(lo, hi, binding.names.len()).or_else(|| self.fail(too_many("forall", span)))
    }

    /// The names of players: processes, members of families and the scheduler, or the environment and the system.
    fn players(&self) -> Vec<String> {
        if self.program.environment.is_some() {
            return vec!["environment".to_owned(), "system".to_owned()];
        }
        let processes = self.program.instances.iter().map(|at| self.program.process(at.process).name.clone());
        processes.chain([crate::ast::SCHEDULER.to_owned()]).collect()
    }

    fn known_players(&mut self, coalition: &Coalition, span: Span) -> Option<()> {
        let known = self.players();
        let Some(name) = coalition.names().iter().find(|name| !known.contains(name)) else { return Some(()) };
        let diagnostic = tertium_logic::unknown_player(name)
            .at(span, "not known to the model")
            .note(format!("players of the model: {}", known.join(", ")));
        let close = tertium_base::diagnostic::closest_name(name, known.iter().map(String::as_str));
        self.fail(match close {
            Some(close) => diagnostic.help(format!("did you mean `{close}`?")),
            None => diagnostic.help("players are processes, members of families as `P[1]`, and `scheduler`"),
        })
    }

    /// A formula for certain members.
    fn one_case(
        &mut self,
        text: &str,
        tokens: &[Token],
        (logic, invariant): (Option<Logic>, bool),
        bound: &[(String, i64)],
    ) -> Option<OneCase> {
        let mut names = names_like_operators(text, tokens, logic);
        if let Some((name, span)) = names.find(|(name, _)| self.globals.contains_key(*name)) {
            let of = logic.map_or("the logics", Logic::name);
            let message = format!("`{name}` is an operator of {of} in a formula, and a name of the program");
            let help = format!("write the whole comparison in quotes, for example `\"{name} = 1\"`");
            return self.fail(Diagnostic::error("E0423", message).at(span, "taken for the operator").help(help));
        }
        let shown = if self.members.is_none() { bound.to_vec() } else { Vec::new() };
        let this = std::cell::RefCell::new(&mut *self);
        let cases = |binding: &Binding, around: &[(String, i64)]| {
            let around: Vec<(String, i64)> = bound.iter().chain(around).cloned().collect();
            this.borrow_mut().temporal_cases(binding, &around)
        };
        let mut marker = Marker::new(text, tokens, logic);
        marker.numbers = shown;
        marker.cases = Some(&cases);
        if invariant {
            marker.marked.push("G", Span::new(tokens[0].span.start, tokens[0].span.start));
            marker.marked.push("(", tokens[0].span);
        }
        let complete = marker.run();
        if invariant {
            let end = tokens[tokens.len() - 1].span;
            marker.marked.push(")", end);
        }
        let Marker { parser, marked, .. } = marker;
        parser.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        let mut atoms = BTreeMap::new();
        for (text, atom) in &marked.atoms {
            let atom = &self.expanded(atom, bound);
            let atom = match &self.members {
                Some(members) => members.in_formula(atom, bound),
                None => rewrite::with_numbers(atom, bound),
            };
            if let Some(id) = self.of_type(&atom, Ty::Bool, &ExprContext::global(Use::Formula)) {
                atoms.insert(text.clone(), id);
            }
        }
        if !complete {
            return None;
        }
        let parsed = tertium_logic::parse(&marked.formula, &ParseOptions { logic, elements: Vec::new() });
        for mut diagnostic in parsed.diagnostics {
            for label in diagnostic.primary.iter_mut().chain(&mut diagnostic.secondary) {
                label.span = marked.origin(label.span);
            }
            self.report(diagnostic);
        }
        let formula = parsed.formula?;
        for (coalition, &span) in formula.coalitions().iter().zip(&parsed.coalition_spans) {
            self.known_players(coalition, marked.origin(span))?;
        }
        let always = always(&formula).filter(|operator| marked.formula.starts_with(&format!("{operator} ")));
        let complete = atoms.len() == marked.atoms.len();
        complete.then(|| OneCase { formula: marked.formula, logic: formula.logic(), atoms, always })
    }
}
