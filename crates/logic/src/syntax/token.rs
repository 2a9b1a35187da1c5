//! Which pieces does the text of a formula fall into?
//!
//! What is a keyword depends on the logic: `X` is an operator of LTL, an ordinary name in CTL and often a
//! variable in the mu-calculus. So the lexer is told the logic. Names are read as long as possible, so
//! `Fp` is one atom and `F p` is an operator and an atom.
//!
//! Not here: how tokens combine (`stack`).

use tertium_base::{Diagnostic, Span};

use super::bounds::bounds;
use crate::coalition::Coalition;
use crate::formula::Logic;
use crate::query;

/// A connective between two formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Infix {
    Iff,
    Implies,
    Or,
    Xor,
    And,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

impl Infix {
    /// How strongly it binds; all below [`UNARY`].
    pub(crate) const fn strength(self) -> u8 {
        match self {
            Self::Iff => 1,
            Self::Implies => 2,
            Self::Or => 3,
            Self::Xor => 4,
            Self::And => 5,
            Self::Until | Self::Release | Self::WeakUntil | Self::StrongRelease => TEMPORAL,
        }
    }

    /// Whether `a op b op c` reads as `a op (b op c)`.
    pub(crate) const fn groups_right(self) -> bool {
        matches!(self, Self::Implies) || self.is_temporal()
    }

    /// Whether it speaks of paths.
    pub(crate) const fn is_temporal(self) -> bool {
        self.strength() == TEMPORAL
    }
}

/// The strength of `U`, `R`, `W` and `M`.
pub(crate) const TEMPORAL: u8 = 6;
/// The strength of everything that stands before one operand.
pub(crate) const UNARY: u8 = 7;

/// `A` or `E`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Quantifier {
    All,
    Exists,
}

/// `X`, `F` or `G`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PathOp {
    Next,
    Finally,
    Globally,
}

/// `mu` or `nu`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binder {
    Mu,
    Nu,
}

/// `<…>` or `[…]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Modality {
    Diamond,
    Box,
}

/// One piece of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token<'t> {
    Open,
    Close,
    SquareOpen,
    SquareClose,
    Infix(Infix),
    Not,
    Path(PathOp),
    Quantified(Quantifier, PathOp),
    Quantifier(Quantifier),
    /// `[0,5]` behind `F` and `G`, or `0..5` behind `ABF` and its kin: from which position to which.
    Bounds(u32, u32),
    Binder(Binder),
    Modal(Modality, Option<&'t str>),
    /// `<<P, Q>>` or `[[P, Q]]`.
    Coalition(Coalition),
    True,
    False,
    Word(&'t str),
    Quoted(String),
    /// `?` or `?{p, q}`: what a query asks for.
    Placeholder(String),
    Number(&'t str),
    Equals,
    Dot,
    /// `[]`, `<>`, `<` or `>` where the logic gives it no meaning.
    Foreign(&'t str),
    End,
}

/// A token and where it stands.
pub(crate) type Placed<'t> = (Token<'t>, Span);

/// The tokens of a text, an end marker last, and what could not be read.
pub(crate) struct Lexed<'t> {
    pub(crate) tokens: Vec<Placed<'t>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Where `[]` or `<>` occurs first, whose meaning depends on the logic.
    pub(crate) first_box: Option<Span>,
}

/// The meaning of a word that is not a name in this logic.
pub(crate) fn keyword(logic: Logic, word: &str) -> Option<Token<'static>> {
    let everywhere = match word {
        "true" => Some(Token::True),
        "false" => Some(Token::False),
        "not" => Some(Token::Not),
        "and" => Some(Token::Infix(Infix::And)),
        "or" => Some(Token::Infix(Infix::Or)),
        "xor" => Some(Token::Infix(Infix::Xor)),
        _ => None,
    };
    everywhere.or_else(|| match logic {
        Logic::Pml => modal_keyword(word),
        Logic::Mu => modal_keyword(word).or(match word {
            "mu" => Some(Token::Binder(Binder::Mu)),
            "nu" => Some(Token::Binder(Binder::Nu)),
            _ => None,
        }),
        Logic::Ltl => path_keyword(word).or_else(|| until_keyword(word)),
        Logic::Ctl => state_keyword(word).or_else(|| until_keyword(word)),
        Logic::CtlStar | Logic::Atl | Logic::AtlStar => {
            path_keyword(word).or_else(|| state_keyword(word)).or_else(|| until_keyword(word))
        }
    })
}

fn modal_keyword(word: &str) -> Option<Token<'static>> {
    match word {
        "AX" => Some(Token::Modal(Modality::Box, None)),
        "EX" => Some(Token::Modal(Modality::Diamond, None)),
        _ => None,
    }
}

fn path_keyword(word: &str) -> Option<Token<'static>> {
    path_op(word).map(Token::Path)
}

fn path_op(word: &str) -> Option<PathOp> {
    match word {
        "X" => Some(PathOp::Next),
        "F" => Some(PathOp::Finally),
        "G" => Some(PathOp::Globally),
        _ => None,
    }
}

fn state_keyword(word: &str) -> Option<Token<'static>> {
    let quantifier = match word.as_bytes().first()? {
        b'A' => Quantifier::All,
        b'E' => Quantifier::Exists,
        _ => return None,
    };
    match &word[1..] {
        "" => Some(Token::Quantifier(quantifier)),
        rest => path_op(rest).map(|op| Token::Quantified(quantifier, op)),
    }
}

fn until_keyword(word: &str) -> Option<Token<'static>> {
    let infix = match word {
        "U" => Infix::Until,
        "R" | "V" => Infix::Release,
        "W" => Infix::WeakUntil,
        "M" => Infix::StrongRelease,
        _ => return None,
    };
    Some(Token::Infix(infix))
}

/// The operators of several characters, longest first, and what they mean whatever the logic.
const SYMBOLS: [(&str, Token<'static>); 14] = [
    ("<->", Token::Infix(Infix::Iff)),
    ("<=>", Token::Infix(Infix::Iff)),
    ("->", Token::Infix(Infix::Implies)),
    ("=>", Token::Infix(Infix::Implies)),
    ("==", Token::Equals),
    ("||", Token::Infix(Infix::Or)),
    ("\\/", Token::Infix(Infix::Or)),
    ("|", Token::Infix(Infix::Or)),
    ("&&", Token::Infix(Infix::And)),
    ("/\\", Token::Infix(Infix::And)),
    ("&", Token::Infix(Infix::And)),
    ("!", Token::Not),
    ("~", Token::Not),
    ("=", Token::Equals),
];

/// Splits a text into the tokens of one logic.
pub(crate) fn lex(text: &str, logic: Logic) -> Lexed<'_> {
    let lexed = Lexed { tokens: Vec::new(), diagnostics: Vec::new(), first_box: None };
    let mut lexer = Lexer { text, logic, at: 0, lexed };
    while lexer.step() {}
    lexer.lexed.tokens.push((Token::End, Span::new(text.len(), text.len())));
    lexer.lexed
}

struct Lexer<'t> {
    text: &'t str,
    logic: Logic,
    at: usize,
    lexed: Lexed<'t>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn push(&mut self, token: Token<'t>, length: usize) {
        self.lexed.tokens.push((token, Span::new(self.at, self.at + length)));
        self.at += length;
    }

    /// Reads one token; false at the end of the text.
    fn step(&mut self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return false };
        if first.is_whitespace() {
            self.at += first.len_utf8();
        } else if is_name_start(first) {
            self.word();
        } else if first.is_ascii_digit() || (first == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
            self.push(Token::Number(&rest[..digits]), digits);
        } else if first == '"' {
            self.quoted();
        } else {
            self.symbol(first);
        }
        true
    }

    fn word(&mut self) {
        let rest = self.rest();
        let after_binder = matches!(self.lexed.tokens.last(), Some((Token::Binder(_), _)));
        // `nu X.p` binds `X`: the dot ends the variable there, while `P.x` is one name elsewhere.
        let length = if after_binder { simple_name_length(rest) } else { name_length(rest) };
        let word = &rest[..length];
        if !after_binder && self.bounded(word) {
            return;
        }
        let token = if after_binder { None } else { keyword(self.logic, word) };
        self.push(token.unwrap_or(Token::Word(word)), length);
    }

    /// `F[0,5]`, `AG[1,2]`, `ABF 0..4`: an operator and its bounds; false if it is something else.
    fn bounded(&mut self, word: &str) -> bool {
        let plain = word.strip_prefix("AB").map(|op| format!("A{op}"));
        let plain = plain.or_else(|| word.strip_prefix("EB").map(|op| format!("E{op}")));
        let token = match keyword(self.logic, plain.as_deref().unwrap_or(word)) {
            Some(token @ (Token::Path(op) | Token::Quantified(_, op))) if op != PathOp::Next => token,
            _ => return false,
        };
        let rest = &self.rest()[word.len()..];
        let spaces = rest.len() - rest.trim_start().len();
        let bounds = if plain.is_some() {
            bounds(rest.trim_start(), "..")
        } else {
            rest.trim_start().strip_prefix('[').and_then(|inside| {
                let (lo, hi, length) = bounds(inside, ",")?;
                let closed = inside[length..].trim_start();
                closed.starts_with(']').then(|| (lo, hi, inside.len() - closed.len() + 2))
            })
        };
        let Some((lo, hi, length)) = bounds else { return false };
        self.push(token, word.len());
        self.at += spaces;
        self.push(Token::Bounds(lo, hi), length);
        true
    }

    fn quoted(&mut self) {
        let rest = self.rest();
        let mut content = String::new();
        let mut characters = rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => return self.push(Token::Quoted(content), at + 1),
                '\\' => match characters.next() {
                    Some((_, escaped @ ('"' | '\\'))) => content.push(escaped),
                    Some((_, other)) => content.extend(['\\', other]),
                    None => content.push('\\'),
                },
                _ => content.push(character),
            }
        }
        let diagnostic = Diagnostic::error("E0109", "a quoted atom is not closed")
            .at(Span::new(self.at, self.at + 1), "no `\"` follows")
            .help("close it with `\"`; a quote inside is written `\\\"`");
        self.lexed.diagnostics.push(diagnostic);
        self.push(Token::Quoted(content), rest.len());
    }

    fn symbol(&mut self, first: char) {
        let rest = self.rest();
        // `E[[[P]] F p U q]`: the first bracket groups, for no name begins with one.
        let opens = rest.starts_with("<<") || (rest.starts_with("[[") && !rest.starts_with("[[["));
        if self.logic.is_strategic() && opens {
            return self.coalition();
        }
        if let Some((symbol, token)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            return self.push(token.clone(), symbol.len());
        }
        match first {
            '(' => self.push(Token::Open, 1),
            ')' => self.push(Token::Close, 1),
            '.' => self.push(Token::Dot, 1),
            ']' => self.push(Token::SquareClose, 1),
            '?' => self.placeholder(),
            '[' => self.bracket(Modality::Box, ']'),
            '<' => self.bracket(Modality::Diamond, '>'),
            '>' => self.push(Token::Foreign(">"), 1),
            _ => self.stray(),
        }
    }

    /// `[`, `[]`, `[act]` and the same with angles.
    fn bracket(&mut self, modality: Modality, closer: char) {
        let rest = self.rest();
        let is_modal = matches!(self.logic, Logic::Pml | Logic::Mu);
        let content = rest[1..].find(['[', ']', '<', '>', '"', '&', '|', '\n']).map(|end| &rest[1..=end]);
        let closed = content.filter(|content| rest[content.len() + 1..].starts_with(closer));
        match closed {
            Some(content) if content.trim().is_empty() => {
                let length = content.len() + 2;
                self.lexed.first_box.get_or_insert(Span::new(self.at, self.at + length));
                let token = match (self.logic, modality) {
                    (Logic::Pml | Logic::Mu, _) => Token::Modal(modality, None),
                    (Logic::Ctl, Modality::Box) => Token::Foreign("[]"),
                    (Logic::Ctl, Modality::Diamond) => Token::Foreign("<>"),
                    (_, Modality::Box) => Token::Path(PathOp::Globally),
                    (_, Modality::Diamond) => Token::Path(PathOp::Finally),
                };
                self.push(token, length);
            }
            Some(content) if is_modal => {
                let action = content.trim();
                self.push(Token::Modal(modality, (action != "true").then_some(action)), content.len() + 2);
            }
            _ if modality == Modality::Box => self.push(Token::SquareOpen, 1),
            _ => self.push(Token::Foreign("<"), 1),
        }
    }

    /// `<<P, Q>>`, `[[P, Q]]`: names, quoted or not, with commas between them, or `all`.
    fn coalition(&mut self) {
        let rest = self.rest();
        let cannot_avoid = rest.starts_with('[');
        let closer = if cannot_avoid { "]]" } else { ">>" };
        let (mut at, mut names, mut all) = (2, Vec::new(), false);
        let blanks = |at: usize| at + rest[at..].len() - rest[at..].trim_start().len();
        let closed = loop {
            at = blanks(at);
            if rest[at..].starts_with(closer) {
                break true;
            }
            let Some((name, length, quoted)) = player_name(&rest[at..]) else { break false };
            at = blanks(at + length);
            all |= !quoted && name == "all";
            names.push(name);
            if rest[at..].starts_with(',') {
                at += 1;
            } else if !rest[at..].starts_with(closer) {
                break false;
            }
        };
        if !closed {
            let diagnostic = Diagnostic::error("E0116", "a coalition is not written as one")
                .at(Span::new(self.at, self.at + at.max(2)), format!("expected a name of a player, `,` or `{closer}`"))
                .help("write `<<P, Q>> F p`, `[[P]] G p`, `<<>>` for nobody or `<<all>>` for everybody");
            self.lexed.diagnostics.push(diagnostic);
        }
        let coalition = if all { Coalition::all(cannot_avoid) } else { Coalition::new(names, cannot_avoid) };
        self.push(Token::Coalition(coalition), if closed { at + 2 } else { at });
    }

    /// `?`, or `?{p, q}` with names and commas inside.
    fn placeholder(&mut self) {
        let rest = self.rest();
        let Some(list) = rest.strip_prefix("?{") else {
            return self.push(Token::Placeholder(query::ANY.to_owned()), 1);
        };
        let Some(end) = list.find('}') else {
            let diagnostic = Diagnostic::error("E0114", "the list of a placeholder is not closed")
                .at(Span::new(self.at, self.at + 2), "no `}` follows")
                .help("list propositions with commas between them, such as `?{p, q}`");
            self.lexed.diagnostics.push(diagnostic);
            return self.push(Token::Placeholder(query::ANY.to_owned()), rest.len());
        };
        let names: Vec<&str> = list[..end].split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        self.push(Token::Placeholder(query::placeholder_text(&names)), end + 3);
    }

    /// Characters that mean nothing; a run of them is one mistake.
    fn stray(&mut self) {
        let rest = self.rest();
        let known =
            |c: char| c.is_whitespace() || is_name_start(c) || c.is_ascii_digit() || "()[]<>\"!~&|=-/\\.?".contains(c);
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let length = rest[first..].find(known).map_or(rest.len(), |end| first + end);
        let shown: String = rest[..length].chars().take(12).collect();
        let diagnostic = Diagnostic::error("E0101", format!("`{shown}` is not part of any formula"))
            .at(Span::new(self.at, self.at + length), "unknown symbol")
            .help("comparisons and arithmetic go into quoted atoms, such as `\"x + 1 > y\"`");
        self.lexed.diagnostics.push(diagnostic);
        self.at += length;
    }
}

/// The player that a text begins with, how long it is written, and whether in quotes.
fn player_name(text: &str) -> Option<(String, usize, bool)> {
    if let Some(inside) = text.strip_prefix('"') {
        let end = inside.find(['"', '\n']).filter(|&end| end > 0 && inside[end..].starts_with('"'))?;
        return Some((inside[..end].to_owned(), end + 2, true));
    }
    text.starts_with(is_name_start).then(|| {
        let length = name_length(text);
        (text[..length].to_owned(), length, false)
    })
}

pub(crate) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_simple_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn simple_name_length(text: &str) -> usize {
    text.find(|c| !is_simple_name(c)).unwrap_or(text.len())
}

/// The length of the name that a text starts with: letters, digits, `_`, then `.x`, `@label` and `[2]`.
pub(crate) fn name_length(text: &str) -> usize {
    let mut length = simple_name_length(text);
    loop {
        let rest = &text[length..];
        let more = match rest.as_bytes().first() {
            Some(b'.' | b'@') => match simple_name_length(&rest[1..]) {
                0 => 0,
                name => name + 1,
            },
            Some(b'[') => index_length(rest),
            _ => 0,
        };
        if more == 0 {
            return length;
        }
        length += more;
    }
}

/// The length of `[2]` or `[-2]`, zero if there is none.
fn index_length(text: &str) -> usize {
    let digits_from = if text[1..].starts_with('-') { 2 } else { 1 };
    let digits = text[digits_from..].bytes().take_while(u8::is_ascii_digit).count();
    let end = digits_from + digits;
    if digits > 0 && text[end..].starts_with(']') { end + 1 } else { 0 }
}
