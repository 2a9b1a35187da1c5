//! Where are the atoms in the text of a formula?
//!
//! Finds the longest pieces that are expressions without connectives, and marks them for the parser of the logics.
//!
//! Not here: what atoms mean (`super`).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use tertium_base::Span;
use tertium_logic::Logic;

use crate::ast::sugar::Binding;
use crate::ast::{Expr, ExprKind};
use crate::lexer::{Token, TokenKind, lex};
use crate::parser::{Parser, Reported};
use crate::rewrite;

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
        Some(Logic::CtlStar | Logic::Atl | Logic::AtlStar) => {
            Words { before: &["X", "F", "G", "AX", "EX", "AF", "EF", "AG", "EG"], between, quantifiers, binders: none }
        }
        None => Words { before: &["X", "F", "G", "AX", "EX", "AF", "EF", "AG", "EG"], between, quantifiers, binders },
    }
}

/// Words that stand where an operand is due and are operators of the logic there, but are compared, added or located as names are. (Inside of a comparison, and where an operator between operands cannot stand, a word is a name.)
pub(super) fn names_like_operators<'a>(
    text: &'a str,
    tokens: &'a [Token],
    logic: Option<Logic>,
) -> impl Iterator<Item = (&'a str, Span)> {
    let Words { before, quantifiers, .. } = words(logic);
    let sign = |at: Option<usize>| match at.and_then(|at| tokens.get(at)).map(|token| token.kind) {
        Some(TokenKind::Sign(sign)) => sign,
        _ => "",
    };
    // `F -x = 1` and `F <a> p` are formulas, so that a sign or a modality may follow an operator.
    let compared = move |at: usize| {
        matches!(sign(Some(at + 1)), "=" | "==" | "!=" | "<=" | ">" | ">=" | "+" | "*" | "@")
            && !matches!(sign(at.checked_sub(1)), "=" | "==" | "!=" | "<" | "<=" | ">=" | "+" | "-" | "*")
    };
    tokens.iter().enumerate().filter(move |(at, token)| token.kind == TokenKind::Word && compared(*at)).filter_map(
        move |(_, token)| {
            let word = &text[token.span.start..token.span.end];
            let operator = [before, quantifiers].iter().any(|words| words.contains(&word));
            operator.then_some((word, token.span))
        },
    )
}

/// A formula with its atoms marked.
#[derive(Default)]
pub(super) struct Marked {
    /// In the syntax of the logics' parser.
    pub(super) formula: String,
    /// Which stretch of the source each stretch of `formula` comes from, by where it begins.
    origins: Vec<(usize, Span)>,
    /// The atoms by their text.
    pub(super) atoms: BTreeMap<String, Expr>,
    /// Atoms whose text stands further left already.
    pub(super) repeated: Vec<Expr>,
}

impl Marked {
    pub(super) fn push(&mut self, text: &str, from: Span) {
        if !self.formula.is_empty() {
            self.formula.push(' ');
        }
        self.origins.push((self.formula.len(), from));
        self.formula.push_str(text);
    }

    /// The place in the source of a place in `formula`.
    pub(super) fn origin(&self, span: Span) -> Span {
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
pub(super) struct Marker<'a> {
    pub(super) text: &'a str,
    pub(super) parser: Parser<'a>,
    /// For every opening parenthesis the position of the closing one.
    closing: Vec<usize>,
    words: Words,
    pub(super) bound: BTreeSet<String>,
    /// Numbers that are shown in place of names.
    pub(super) numbers: Vec<(String, i64)>,
    /// Numbers that quantifiers around put in place of names.
    pub(super) inner: Vec<(String, i64)>,
    /// What a quantifier around operators of the logic goes through; it is read as one case if nobody says.
    pub(super) cases: Option<&'a Cases<'a>>,
    pub(super) marked: Marked,
}

/// The numbers that a quantifier's names stand for, one case after the other, given those of quantifiers around it; none if a mistake
/// has been reported.
pub(super) type Cases<'c> = dyn Fn(&Binding, &[(String, i64)]) -> Option<Vec<Vec<i64>>> + 'c;

impl<'a> Marker<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token], logic: Option<Logic>) -> Self {
        Self {
            text,
            parser: Parser::new(text, tokens),
            closing: closing_brackets(tokens),
            words: words(logic),
            bound: BTreeSet::new(),
            numbers: Vec::new(),
            inner: Vec::new(),
            cases: None,
            marked: Marked::default(),
        }
    }

    /// Goes through the formula; false if an atom could not be read.
    pub(super) fn run(&mut self) -> bool {
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

    /// Goes through a part of a formula that stands for several; false if an atom could not be read.
    pub(super) fn run_part(&mut self, tokens: &[Token]) -> bool {
        let mut part = Marker {
            text: self.text,
            parser: Parser::new(self.text, tokens),
            closing: closing_brackets(tokens),
            words: self.words,
            bound: self.bound.clone(),
            numbers: self.numbers.clone(),
            inner: self.inner.clone(),
            cases: self.cases,
            marked: std::mem::take(&mut self.marked),
        };
        let complete = part.run();
        let Marker { parser, marked, .. } = part;
        let mistakes = parser.diagnostics;
        self.marked = marked;
        self.parser.diagnostics.extend(mistakes);
        complete
    }

    /// Whether a word is an operator of the logic, or a variable of one.
    pub(super) fn is_logical_word(&self, word: &str) -> bool {
        let Words { before, between, quantifiers, binders } = self.words;
        [before, between, quantifiers, binders].iter().any(|words| words.contains(&word)) || self.bound.contains(word)
    }

    fn copy(&mut self) {
        let span = self.parser.advance().span;
        self.marked.push(&self.text[span.start..span.end], span);
    }

    /// `F[0,5]`, `AG[1,2]`, `ABF 0..4`: an operator with bounds is copied with them; false if it is something else.
    fn bounded_operator(&mut self, word: &str) -> bool {
        let plain = word.strip_prefix("AB").map(|op| format!("A{op}"));
        let plain = plain.or_else(|| word.strip_prefix("EB").map(|op| format!("E{op}")));
        let operator = plain.as_deref().unwrap_or(word);
        if !matches!(operator, "F" | "G" | "AF" | "EF" | "AG" | "EG") || !self.words.before.contains(&operator) {
            return false;
        }
        let behind = |at: usize| self.parser.next_token(at).kind;
        let (sign, number) = (TokenKind::Sign, TokenKind::Int);
        let length = if plain.is_some() && [1, 2, 3].map(behind) == [number, sign(".."), number] {
            4
        } else if plain.is_none() && [1, 2, 3, 4, 5].map(behind) == [sign("["), number, sign(","), number, sign("]")] {
            6
        } else {
            return false;
        };
        (0..length).for_each(|_| self.copy());
        true
    }

    /// What may stand where an operand is due; says whether one is still due.
    fn operand(&mut self) -> Result<bool, Reported> {
        let token = self.parser.token();
        let word = &self.text[token.span.start..token.span.end];
        if let Some(quantifier) = self.parser.quantifier().filter(|quantifier| quantifier.is_logical()) {
            self.quantified(quantifier)?;
            return Ok(false);
        }
        if self.bounded_operator(word) {
            return Ok(true);
        }
        match token.kind {
            TokenKind::Sign("!" | "~") => self.copy(),
            TokenKind::Sign("[" | "<") if self.opens_coalition() => self.coalition(),
            TokenKind::Sign("[" | "<") => self.modality(),
            TokenKind::Sign("(") if !self.begins_atom() => self.copy(),
            TokenKind::Word if word == "not" || self.words.before.contains(&word) => self.copy(),
            TokenKind::Word if self.words.quantifiers.contains(&word) => {
                self.copy();
                if self.parser.is_sign("[") {
                    self.copy();
                }
            }
            TokenKind::Word if self.words.binders.contains(&word) => {
                self.copy();
                self.bound.insert(self.text[self.parser.token().span.start..self.parser.token().span.end].to_owned());
                self.copy();
                if self.parser.is_sign(".") {
                    self.copy();
                }
            }
            TokenKind::Word if self.bound.contains(word) => {
                self.copy();
                return Ok(false);
            }
            TokenKind::Text => {
                self.quoted()?;
                return Ok(false);
            }
            // A closing bracket or an operator here is for the logics' parser to complain about.
            TokenKind::Sign(sign) if !["-", "("].contains(&sign) => self.copy(),
            _ => {
                let atom = self.parser.comparison()?;
                self.atom(atom);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What may stand after an operand; says whether an operand is due next.
    pub(super) fn operator(&mut self) -> bool {
        let span = self.parser.token().span;
        let text = &self.text[span.start..span.end];
        let connects =
            ["&&", "||", "&", "|", "->", "<->", "=>", "<=>", "\\/", "/\\", "and", "or", "xor"].contains(&text);
        let closes = [")", "]"].contains(&text);
        let operand = match self.parser.token().kind {
            TokenKind::Word | TokenKind::Int | TokenKind::Text => !connects && !self.words.between.contains(&text),
            _ => text == "(",
        };
        // An operand where a connective is due is marked like any other; the logics' parser says what is missing.
        if !operand {
            self.copy();
        }
        !closes
    }

    /// Whether two brackets stand together: `<<` or `[[`.
    fn opens_coalition(&self) -> bool {
        self.doubled(if self.parser.is_sign("[") { "[" } else { "<" })
    }

    fn doubled(&self, sign: &'static str) -> bool {
        let next = self.parser.next_token(1);
        self.parser.is_sign(sign)
            && next.kind == TokenKind::Sign(sign)
            && next.span.start == self.parser.token().span.end
    }

    /// `<<P, Q[i]>>` and `[[P]]`, with the numbers of members; a bracket after it groups a path formula.
    fn coalition(&mut self) {
        let closer = if self.parser.is_sign("[") { "]" } else { ">" };
        let start = self.parser.advance().span;
        while !self.parser.ends() && !self.doubled(closer) {
            self.parser.advance();
        }
        self.parser.advance();
        // `[[P[1]]]`: the first bracket closes the index.
        while closer == "]" && self.doubled(closer) {
            self.parser.advance();
        }
        let end = self.parser.advance().span;
        let span = start.to(end);
        let text = numbered(&self.text[span.start..span.end], &self.numbers);
        self.marked.push(&text, span);
        if self.parser.is_sign("[") && !self.opens_coalition() {
            self.copy();
        }
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
            TokenKind::Sign(sign) => ["=", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*"].contains(&sign),
            TokenKind::Word => ["div", "mod"].contains(&&self.text[token.span.start..token.span.end]),
            _ => false,
        }
    }

    pub(super) fn atom(&mut self, atom: Expr) {
        let span = atom.span;
        if let ExprKind::Bool(value) = atom.kind {
            self.marked.push(if value { "true" } else { "false" }, span);
            return;
        }
        let text = self.text[span.start..span.end].split_whitespace().collect::<Vec<_>>().join(" ");
        self.add_atom(text, atom, span);
    }

    fn add_atom(&mut self, text: String, atom: Expr, span: Span) {
        let atom = rewrite::with_numbers(&atom, &self.inner);
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
    fn quoted(&mut self) -> Result<(), Reported> {
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
                // Mistakes in its meaning are shown at the whole atom.
                let expr = rewrite::placed(&expr, &|part| part.shifted(span.start + 1));
                let text = inside.split_whitespace().collect::<Vec<_>>().join(" ");
                self.add_atom(text, expr, span);
                Ok(())
            }
            _ => Err(Reported),
        }
    }
}

fn closing_brackets(tokens: &[Token]) -> Vec<usize> {
    let mut closing = vec![tokens.len() - 1; tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Sign("(") => open.push(at),
            TokenKind::Sign(")") => {
                if let Some(opened) = open.pop() {
                    closing[opened] = at;
                }
            }
            _ => {}
        }
    }
    closing
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
