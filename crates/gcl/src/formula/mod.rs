//! What does a property ask?
//!
//! Formulas belong to the logics, their atoms to the program. This module finds the atoms in a formula (comparisons,
//! `P@label`, names; the longest piece that is an expression without connectives), gives them their meaning, and hands
//! the formula with its atoms marked to the logics' own parser, whose messages it moves back to the source.

mod atoms;
mod binder;

use std::collections::BTreeMap;

use tertium_base::narrow::to_i64;
use tertium_base::{Diagnostic, Span};
use tertium_logic::{Coalition, Formula, Logic, Node, ParseOptions};
use tertium_program::{ExprId, Property};

use self::atoms::{Marker, names_like_operators};
pub(crate) use self::binder::{Binder, binder};
use crate::ast::{Expr, PropertyDecl};
use crate::lexer::{Token, TokenKind};
use crate::names::{Elaborator, Entity, ExprContext, Ty, Use};
use crate::parser::Parser;
use crate::rewrite;

/// More cases than this of one `forall` are not written out.
const MOST_CASES: usize = 4096;

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
pub(crate) fn atoms_of(text: &str, tokens: &[Token], decl: &PropertyDecl) -> (Option<Binder>, Vec<Expr>) {
    read_atoms(text, &tokens_of(tokens, decl), Logic::from_name(&decl.logic.name))
}

/// As [`atoms_of`], for tokens that are a formula.
pub(crate) fn read_atoms(text: &str, tokens: &[Token], logic: Option<Logic>) -> (Option<Binder>, Vec<Expr>) {
    let binder = binder(&mut Parser::new(text, tokens)).ok().flatten();
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
        if let Some((formula, logic, atoms)) = self.formula(text, &formula, Some(logic)) {
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

    /// A formula in the logics' syntax, its logic, and the meaning of its atoms.
    pub(crate) fn formula(
        &mut self,
        text: &str,
        tokens: &[Token],
        logic: Option<Logic>,
    ) -> Option<(String, Logic, BTreeMap<String, ExprId>)> {
        let mut parser = Parser::new(text, tokens);
        let Ok(binder) = binder(&mut parser) else {
            parser.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
            return None;
        };
        let Some(binder) = binder else {
            let found = self.one_case(text, tokens, logic, &[])?;
            return Some((found.formula, found.logic, found.atoms));
        };
        let tokens = &tokens[binder.length..];
        let cases = self.cases(&binder)?;
        let (mut parts, mut atoms, mut always, mut of) = (Vec::new(), BTreeMap::new(), None, logic);
        for case in &cases {
            let bound: Vec<(String, i64)> =
                binder.names.iter().map(|name| name.name.clone()).zip(case.iter().copied()).collect();
            let found = self.one_case(text, tokens, logic, &bound)?;
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

    /// The members that names of a `forall` stand for, one after the other.
    fn cases(&mut self, binder: &Binder) -> Option<Vec<Vec<i64>>> {
        let wanted = binder.names.len();
        let group = match self.globals.get(binder.family.name.as_str()) {
            Some(&(Entity::Process(group), _)) if self.groups[group].decl.family.is_some() => group,
            _ => {
                let message = format!("`{}` is no family of processes", binder.family.name);
                let help = "write `forall i in P : …` for a family `process P[i : 1..3]`";
                return self
                    .fail(Diagnostic::error("E0416", message).at(binder.family.span, "not a family").help(help));
            }
        };
        let (lo, count) = (self.groups[group].lo, self.groups[group].processes.len());
        if self.members.is_some() {
            return Some(vec![(lo..).take(wanted).collect()]);
        }
        let many = (0..wanted).try_fold(1usize, |cases, at| cases.checked_mul(count.saturating_sub(at)));
        if many.is_none_or(|many| many > MOST_CASES) {
            let message = format!("`forall` has more than {MOST_CASES} cases here");
            return self.fail(Diagnostic::error("E0415", message).at(binder.family.span, format!("{count} members")));
        }
        let mut cases: Vec<Vec<i64>> = vec![Vec::new()];
        for _ in 0..wanted {
            let longer = |case: &Vec<i64>| {
                let free: Vec<i64> = (lo..lo + to_i64(count)).filter(|member| !case.contains(member)).collect();
                free.into_iter().map(|member| [case.as_slice(), &[member]].concat()).collect::<Vec<_>>()
            };
            cases = cases.iter().flat_map(longer).collect();
        }
        Some(cases)
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
        let diagnostic = Diagnostic::error("E0123", format!("the model has no player named `{name}`"))
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
        logic: Option<Logic>,
        bound: &[(String, i64)],
    ) -> Option<OneCase> {
        let mut names = names_like_operators(text, tokens, logic);
        if let Some((name, span)) = names.find(|(name, _)| self.globals.contains_key(*name)) {
            let of = logic.map_or("the logics", Logic::name);
            let message = format!("`{name}` is an operator of {of} in a formula, and a name of the program");
            let help = format!("write the whole comparison in quotes, for example `\"{name} = 1\"`");
            return self.fail(Diagnostic::error("E0423", message).at(span, "taken for the operator").help(help));
        }
        let mut marker = Marker::new(text, tokens, logic);
        if self.members.is_none() {
            marker.numbers = bound.to_vec();
        }
        let complete = marker.run();
        let Marker { parser, marked, .. } = marker;
        parser.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        let mut atoms = BTreeMap::new();
        for (text, atom) in &marked.atoms {
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
