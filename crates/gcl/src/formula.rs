//! What does a property ask?
//!
//! Formulas belong to the logics, their atoms to the program. This module finds the atoms in a formula (comparisons,
//! `P@label`, names; the longest piece that is an expression without connectives), gives them their meaning, and hands
//! the formula with its atoms marked to the logics' own parser, whose messages it moves back to the source.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use tertium_base::narrow::to_i64;
use tertium_base::{Diagnostic, Span};
use tertium_logic::{Formula, Logic, Node, ParseOptions};
use tertium_program::{ExprId, Property};

use crate::ast::{Expr, ExprKind, Ident, PropertyDecl};
use crate::lexer::{Kind, Token, lex};
use crate::names::{Elaborator, Entity, Place, Ty, Use};
use crate::parser::{Parsed, Parser};
use crate::rewrite;

/// More cases than this of one `forall` are not written out.
const MOST_CASES: usize = 4096;

/// Which words are operators.
#[derive(Clone, Copy)]
struct Words {
    before: &'static [&'static str],
    between: &'static [&'static str],
    quantifiers: &'static [&'static str],
    binders: &'static [&'static str],
}

fn words(logic: Option<Logic>) -> Words {
    let between: &[&str] = &["U", "R", "V", "W", "M"];
    let quantifiers: &[&str] = &["A", "E"];
    let binders: &[&str] = &["mu", "nu"];
    let state: &[&str] = &["AX", "EX", "AF", "EF", "AG", "EG"];
    let none: &[&str] = &[];
    match logic {
        Some(Logic::Pml) => Words { before: &["AX", "EX"], between: none, quantifiers: none, binders: none },
        Some(Logic::Mu) => Words { before: &["AX", "EX"], between: none, quantifiers: none, binders },
        Some(Logic::Ltl) => Words { before: &["X", "F", "G"], between, quantifiers: none, binders: none },
        Some(Logic::Ctl) => Words { before: state, between, quantifiers, binders: none },
        Some(Logic::CtlStar) => {
            Words { before: &["X", "F", "G", "AX", "EX", "AF", "EF", "AG", "EG"], between, quantifiers, binders: none }
        }
        None => Words { before: &["X", "F", "G", "AX", "EX", "AF", "EF", "AG", "EG"], between, quantifiers, binders },
    }
}

/// A formula with its atoms marked.
#[derive(Default)]
struct Marked {
    /// In the syntax of the logics' parser.
    formula: String,
    /// Which stretch of the source each stretch of `formula` comes from, by where it begins.
    origins: Vec<(usize, Span)>,
    /// The atoms by their text.
    atoms: BTreeMap<String, Expr>,
    /// Atoms whose text stands further left already.
    repeated: Vec<Expr>,
}

impl Marked {
    fn push(&mut self, text: &str, from: Span) {
        if !self.formula.is_empty() {
            self.formula.push(' ');
        }
        self.origins.push((self.formula.len(), from));
        self.formula.push_str(text);
    }

    /// The place in the source of a place in `formula`.
    fn origin(&self, span: Span) -> Span {
        let at = |offset: usize| {
            let after = self.origins.partition_point(|&(begin, _)| begin <= offset);
            self.origins.get(after.saturating_sub(1)).map_or(Span::default(), |&(_, from)| from)
        };
        if span.start >= self.formula.len() {
            let end = self.origins.last().map_or(0, |&(_, from)| from.end);
            return Span::new(end, end);
        }
        at(span.start).to(at(span.end.saturating_sub(1).max(span.start)))
    }
}

/// Finds the atoms of one formula.
struct Marker<'a> {
    text: &'a str,
    parser: Parser<'a>,
    /// For every opening parenthesis the position of the closing one.
    closing: Vec<usize>,
    words: Words,
    bound: BTreeSet<String>,
    /// Numbers that are shown in place of names.
    numbers: Vec<(String, i64)>,
    marked: Marked,
}

impl<'a> Marker<'a> {
    fn new(text: &'a str, tokens: &'a [Token], logic: Option<Logic>) -> Self {
        Self {
            text,
            parser: Parser::new(text, tokens),
            closing: closing_brackets(tokens),
            words: words(logic),
            bound: BTreeSet::new(),
            numbers: Vec::new(),
            marked: Marked::default(),
        }
    }

    /// Goes through the formula; false if an atom could not be read.
    fn run(&mut self) -> bool {
        let mut wants_operand = true;
        while !self.parser.ends() {
            wants_operand = if wants_operand {
                match self.operand() {
                    Ok(still) => still,
                    Err(_) => return false,
                }
            } else {
                self.operator()
            };
        }
        true
    }

    fn copy(&mut self) {
        let span = self.parser.advance().span;
        self.marked.push(&self.text[span.start..span.end], span);
    }

    /// What may stand where an operand is due; says whether one is still due.
    fn operand(&mut self) -> Result<bool, crate::parser::Reported> {
        let token = self.parser.token();
        let word = &self.text[token.span.start..token.span.end];
        match token.kind {
            Kind::Sign("!" | "~") => self.copy(),
            Kind::Sign("[" | "<") => self.modality(),
            Kind::Sign("(") if !self.begins_atom() => self.copy(),
            Kind::Word if word == "not" || self.words.before.contains(&word) => self.copy(),
            Kind::Word if self.words.quantifiers.contains(&word) => {
                self.copy();
                if self.parser.is_sign("[") {
                    self.copy();
                }
            }
            Kind::Word if self.words.binders.contains(&word) => {
                self.copy();
                self.bound.insert(self.text[self.parser.token().span.start..self.parser.token().span.end].to_owned());
                self.copy();
                if self.parser.is_sign(".") {
                    self.copy();
                }
            }
            Kind::Word if self.bound.contains(word) => {
                self.copy();
                return Ok(false);
            }
            Kind::Text => {
                self.quoted()?;
                return Ok(false);
            }
            // A closing bracket or an operator here is for the logics' parser to complain about.
            Kind::Sign(sign) if !["-", "("].contains(&sign) => self.copy(),
            _ => {
                let atom = self.parser.comparison()?;
                self.atom(atom);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What may stand after an operand; says whether an operand is due next.
    fn operator(&mut self) -> bool {
        let span = self.parser.token().span;
        let text = &self.text[span.start..span.end];
        let connects =
            ["&&", "||", "&", "|", "->", "<->", "=>", "<=>", "\\/", "/\\", "and", "or", "xor"].contains(&text);
        let closes = [")", "]"].contains(&text);
        let operand = match self.parser.token().kind {
            Kind::Word | Kind::Int | Kind::Text => !connects && !self.words.between.contains(&text),
            _ => text == "(",
        };
        // An operand where a connective is due is marked like any other; the logics' parser says what is missing.
        if !operand {
            self.copy();
        }
        !closes
    }

    /// `[]`, `<>`, `[act]`, `<act>`: copied as they stand.
    fn modality(&mut self) {
        let closer = if self.parser.is_sign("[") { "]" } else { ">" };
        let start = self.parser.advance().span;
        while !self.parser.ends() && !self.parser.is_sign(closer) {
            self.parser.advance();
        }
        let end = self.parser.advance().span;
        let span = start.to(end);
        self.marked.push(&self.text[span.start..span.end], span);
    }

    /// Whether the parenthesis that comes next is part of an atom, as in `(x + 1) < y`.
    fn begins_atom(&self) -> bool {
        let after = self.closing[self.parser.position()] + 1;
        let token = self.parser.next_token(after - self.parser.position());
        match token.kind {
            Kind::Sign(sign) => ["=", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*"].contains(&sign),
            Kind::Word => ["div", "mod"].contains(&&self.text[token.span.start..token.span.end]),
            _ => false,
        }
    }

    fn atom(&mut self, atom: Expr) {
        let span = atom.span;
        if let ExprKind::Bool(value) = atom.kind {
            self.marked.push(if value { "true" } else { "false" }, span);
            return;
        }
        let text = self.text[span.start..span.end].split_whitespace().collect::<Vec<_>>().join(" ");
        self.add_atom(text, atom, span);
    }

    fn add_atom(&mut self, text: String, atom: Expr, span: Span) {
        let text = numbered(&text, &self.numbers);
        let shown = if self.is_plain(&text) { text.clone() } else { format!("\"{text}\"") };
        self.marked.push(&shown, span);
        match self.marked.atoms.entry(text) {
            Entry::Vacant(entry) => {
                entry.insert(atom);
            }
            Entry::Occupied(_) => self.marked.repeated.push(atom),
        }
    }

    /// Whether the logics read the text as one name.
    fn is_plain(&self, text: &str) -> bool {
        let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let operator = |word: &str| {
            let Words { before, between, quantifiers, binders } = self.words;
            [before, between, quantifiers, binders, &["not", "and", "or", "xor", "true", "false"]]
                .iter()
                .any(|words| words.contains(&word))
        };
        let mut parts = text.split('@');
        let plain =
            |part: &str| !part.is_empty() && part.chars().all(name) && !part.starts_with(|c: char| c.is_ascii_digit());
        let first = parts.next().unwrap_or("");
        let first = match first.split_once('[') {
            Some((process, index)) => {
                let digits = index.strip_suffix(']').unwrap_or("");
                if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
                    return false;
                }
                process
            }
            None => first,
        };
        plain(first) && !operator(first) && parts.all(plain)
    }

    /// `"x > 0"`: a whole expression as one atom.
    fn quoted(&mut self) -> Result<(), crate::parser::Reported> {
        let span = self.parser.advance().span;
        let inside = &self.text[span.start + 1..span.end - 1];
        let lexed = lex(inside);
        let mut parser = Parser::new(inside, &lexed.tokens);
        parser.diagnostics.extend(lexed.diagnostics.iter().cloned());
        let expr = parser.expr();
        if expr.is_ok() && !parser.ends() {
            let _ = parser.expected::<()>("the end of the atom");
        }
        let failed = !parser.diagnostics.is_empty();
        let moved = parser.diagnostics.into_iter().map(|diagnostic| diagnostic.shifted(span.start + 1));
        self.parser.diagnostics.extend(moved);
        match expr {
            Ok(expr) if !failed => {
                let mut expr = expr;
                // Mistakes in its meaning are shown at the whole atom.
                shift(&mut expr, span.start + 1);
                let text = inside.split_whitespace().collect::<Vec<_>>().join(" ");
                self.add_atom(text, expr, span);
                Ok(())
            }
            _ => Err(crate::parser::Reported),
        }
    }
}

/// Moves all places of an expression to the right.
fn shift(expr: &mut Expr, by: usize) {
    expr.span = expr.span.shifted(by);
    let ident = |ident: &mut crate::ast::Ident| ident.span = ident.span.shifted(by);
    match &mut expr.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Deadlock => {}
        ExprKind::Name(name) => ident(name),
        ExprKind::Index(name, parts) | ExprKind::Call(name, parts) => {
            ident(name);
            parts.iter_mut().for_each(|part| shift(part, by));
        }
        ExprKind::At(process, label) => {
            ident(&mut process.name);
            ident(label);
            process.index.iter_mut().for_each(|part| shift(part, by));
        }
        ExprKind::Field(process, name, parts) => {
            ident(&mut process.name);
            ident(name);
            process.index.iter_mut().for_each(|part| shift(part, by));
            parts.iter_mut().for_each(|part| shift(part, by));
        }
        ExprKind::Not(a) | ExprKind::Negate(a) => shift(a, by),
        ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter_mut().for_each(|part| shift(part, by)),
        ExprKind::Implies(a, b) | ExprKind::Iff(a, b) | ExprKind::Compare(_, a, b) => {
            shift(a, by);
            shift(b, by);
        }
        ExprKind::Sum(a, rest) => {
            shift(a, by);
            rest.iter_mut().for_each(|(_, part)| shift(part, by));
        }
        ExprKind::Product(a, rest) => {
            shift(a, by);
            rest.iter_mut().for_each(|(_, part)| shift(part, by));
        }
        ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(|part| shift(part, by)),
    }
}

fn closing_brackets(tokens: &[Token]) -> Vec<usize> {
    let mut closing = vec![tokens.len() - 1; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Sign("(") => open.push(at),
            Kind::Sign(")") => {
                if let Some(opened) = open.pop() {
                    closing[opened] = at;
                }
            }
            _ => {}
        }
    }
    closing
}

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

/// A text with numbers in place of some names.
fn numbered(text: &str, numbers: &[(String, i64)]) -> String {
    if numbers.is_empty() {
        return text.to_owned();
    }
    let (mut shown, mut rest, mut before) = (String::new(), text, ' ');
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(first) = rest.chars().next() {
        let end =
            if part_of_name(first) { rest.find(|c| !part_of_name(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (piece, after) = rest.split_at(end);
        let number = numbers.iter().find(|(name, _)| name == piece && !['.', '@'].contains(&before));
        match number {
            Some((_, number)) => shown.push_str(&number.to_string()),
            None => shown.push_str(piece),
        }
        before = if first.is_whitespace() { before } else { first };
        rest = after;
    }
    shown
}

/// `forall i != j in P :` before a formula: pairwise different members of a family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Binder {
    /// The names of the members.
    pub names: Vec<Ident>,
    /// The family.
    pub family: Ident,
    /// How many tokens it takes.
    length: usize,
}

/// What a formula begins with, if it speaks of members of a family.
pub(crate) fn binder(parser: &mut Parser<'_>) -> Parsed<Option<Binder>> {
    let introduces = |kind: Kind, text: &str| kind == Kind::Sign("!=") || (kind == Kind::Word && text == "in");
    let after = parser.next_token(2);
    if !parser.is_word("forall") || !introduces(after.kind, parser.text_of(after.span)) {
        return Ok(None);
    }
    parser.advance();
    let mut names = vec![parser.name()?];
    while parser.eat_sign("!=") {
        let name = parser.name()?;
        if let Some(first) = names.iter().find(|known| known.name == name.name) {
            return parser.error(crate::names::twice(&name, first.span));
        }
        names.push(name);
    }
    parser.expect_word("in")?;
    let family = parser.name()?;
    parser.expect_sign(":")?;
    Ok(Some(Binder { names, family, length: parser.position() }))
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
    formula.push(Token { kind: Kind::End, span: Span::new(decl.span.end, decl.span.end) });
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

    /// A formula for certain members.
    fn one_case(
        &mut self,
        text: &str,
        tokens: &[Token],
        logic: Option<Logic>,
        bound: &[(String, i64)],
    ) -> Option<OneCase> {
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
            if let Some(id) = self.of_type(&atom, Ty::Bool, &Place::global(Use::Formula)) {
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
        let always = always(&formula).filter(|operator| marked.formula.starts_with(&format!("{operator} ")));
        let complete = atoms.len() == marked.atoms.len();
        complete.then(|| OneCase { formula: marked.formula, logic: formula.logic(), atoms, always })
    }
}
