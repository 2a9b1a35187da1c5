//! Which automaton does a text in the Hanoi Omega-Automata format describe?
//!
//! Reads version 1 as other translators write it: explicit labels, acceptance on states or transitions, Büchi or
//! generalised Büchi. Everything else is refused with its place. No recursion: labels are evaluated on a stack.

mod label;
mod lexer;

use std::collections::HashMap;

use tertium_base::{Diagnostic, Span};

use self::label::Label;
use self::lexer::{Token, lex};
use crate::automata::tgba::{Marks, Tgba, Transition};

/// Labels with more conjunctions than this are refused.
const MOST_TERMS: usize = 4096;

/// Reads the first automaton of a text.
///
/// # Errors
/// What is wrong, and where.
pub fn read_hoa(text: &str) -> Result<Tgba, Box<Diagnostic>> {
    let tokens = lex(text)?;
    // Every state is written down, so a number beyond the text's length is a mistake; it must not cost memory.
    let mut reader = Reader { tokens, at: 0, most_states: text.len(), header: Header::default() };
    reader.read_header()?;
    reader.read_body()
}

fn syntax(span: Span, message: &str, expected: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("E0131", message).at(span, format!("expected {expected}")))
}

fn unsupported(span: Span, message: &str, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("E0132", message).at(span, "not supported").help(help))
}

fn out_of_range(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("E0133", format!("{what} is out of range")).at(span, "too large"))
}

#[derive(Default)]
struct Header<'t> {
    states: Option<usize>,
    starts: Vec<usize>,
    atoms: Vec<String>,
    aliases: HashMap<&'t str, Label>,
    /// The acceptance sets that must be met, in the order of our marks.
    accepting: Option<Vec<usize>>,
    sets: usize,
}

struct Reader<'t> {
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
    most_states: usize,
    header: Header<'t>,
}

impl<'t> Reader<'t> {
    fn token(&self) -> &Token<'t> {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn takes(&mut self, sign: char) -> bool {
        let found = *self.token() == Token::Sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: char) -> Result<(), Box<Diagnostic>> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        syntax(self.span(), "the automaton cannot be read here", expected)
    }

    fn number(&mut self, what: &str) -> Result<usize, Box<Diagnostic>> {
        let Token::Number(number) = *self.token() else { return Err(self.unexpected(what)) };
        self.advance();
        Ok(number)
    }

    fn number_below(&mut self, bound: usize, what: &str) -> Result<usize, Box<Diagnostic>> {
        let span = self.span();
        let number = self.number(what)?;
        if number < bound { Ok(number) } else { Err(out_of_range(span, what)) }
    }

    // --- Header ---

    fn read_header(&mut self) -> Result<(), Box<Diagnostic>> {
        let version = [Token::Header("HOA"), Token::Word("v1")];
        if self.tokens.len() < 2 || self.tokens[0].0 != version[0] || self.tokens[1].0 != version[1] {
            let diagnostic = Diagnostic::error("E0130", "this is not an automaton in the Hanoi format, version 1");
            return Err(Box::new(diagnostic.at(self.span(), "expected `HOA: v1`")));
        }
        self.at = 2;
        loop {
            let span = self.span();
            match self.token().clone() {
                Token::Marker("BODY") => {
                    self.advance();
                    return Ok(());
                }
                Token::Header(name) => {
                    self.advance();
                    self.header_item(name, span)?;
                }
                _ => return Err(self.unexpected("a header or `--BODY--`")),
            }
        }
    }

    fn header_item(&mut self, name: &'t str, span: Span) -> Result<(), Box<Diagnostic>> {
        match name {
            "States" => self.header.states = Some(self.number_below(self.most_states, "the number of states")?),
            "Start" => {
                let state = self.number_below(self.most_states, "a state")?;
                if *self.token() == Token::Sign('&') {
                    return Err(alternating(self.span()));
                }
                self.header.starts.push(state);
            }
            "AP" => self.propositions()?,
            "Alias" => {
                let Token::Alias(alias) = *self.token() else { return Err(self.unexpected("a name such as `@a`")) };
                self.advance();
                let label = self.label()?;
                self.header.aliases.insert(alias, label);
            }
            "Acceptance" => self.acceptance()?,
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                return Err(unsupported(span, &format!("the header `{name}:` may change the meaning"), "remove it"));
            }
            _ => {
                while !matches!(self.token(), Token::Header(_) | Token::Marker(_) | Token::End) {
                    self.advance();
                }
            }
        }
        Ok(())
    }

    fn propositions(&mut self) -> Result<(), Box<Diagnostic>> {
        let count = self.number("the number of propositions")?;
        let mut atoms = Vec::new();
        while let Token::Text(name) = self.token().clone() {
            atoms.push(name);
            self.advance();
        }
        if atoms.len() != count {
            return Err(self.unexpected(&format!("{count} quoted names after `AP:`")));
        }
        self.header.atoms = atoms;
        Ok(())
    }

    /// `t`, or a conjunction of `Inf(n)`, with brackets anywhere.
    fn acceptance(&mut self) -> Result<(), Box<Diagnostic>> {
        self.header.sets = self.number("the number of acceptance sets")?;
        let mut needed = Vec::new();
        loop {
            let span = self.span();
            match self.token().clone() {
                Token::Word("Inf") => {
                    self.advance();
                    self.expect('(')?;
                    if *self.token() == Token::Sign('!') {
                        return Err(not_buchi(span));
                    }
                    needed.push(self.number_below(self.header.sets, "an acceptance set")?);
                    self.expect(')')?;
                }
                Token::Word("t") | Token::Sign('&' | '(' | ')') => self.advance(),
                Token::Header(_) | Token::Marker(_) | Token::End => break,
                _ => return Err(not_buchi(span)),
            }
        }
        needed.sort_unstable();
        needed.dedup();
        if needed.len() > Marks::MOST {
            return Err(unsupported(self.span(), "more than 64 acceptance sets", "use fewer sets"));
        }
        self.header.accepting = Some(needed);
        Ok(())
    }

    // --- Labels ---

    // --- Body ---

    fn read_body(mut self) -> Result<Tgba, Box<Diagnostic>> {
        let Some(needed) = self.header.accepting.clone() else {
            let diagnostic = Diagnostic::error("E0134", "the header has no `Acceptance:`");
            return Err(Box::new(diagnostic.at(self.span(), "before this")));
        };
        let mut states: Vec<Vec<Transition>> = Vec::new();
        let declared = self.header.states.unwrap_or(self.most_states);
        while let Token::Header("State") = *self.token() {
            self.advance();
            self.state(&mut states, declared, &needed)?;
        }
        match self.token() {
            Token::Marker("END") => Ok(self.finish(states, needed.len())),
            Token::Marker("ABORT") => Err(unsupported(self.span(), "the automaton was aborted", "write it again")),
            _ => Err(self.unexpected("`State:` or `--END--`")),
        }
    }

    fn state(
        &mut self,
        states: &mut Vec<Vec<Transition>>,
        bound: usize,
        needed: &[usize],
    ) -> Result<(), Box<Diagnostic>> {
        let state_label = if *self.token() == Token::Sign('[') { Some(self.bracketed_label()?) } else { None };
        let state = self.number_below(bound, "a state")?;
        if let Token::Text(_) = self.token() {
            self.advance();
        }
        let state_marks = self.marks(needed)?;
        let mut transitions = Vec::new();
        loop {
            let label = match (self.token(), &state_label) {
                (Token::Sign('['), None) => self.bracketed_label()?,
                (Token::Number(_), Some(label)) => label.clone(),
                (Token::Number(_), None) => return Err(implicit(self.span())),
                (Token::Sign('['), Some(_)) => return Err(self.unexpected("an edge without label, the state has one")),
                _ => break,
            };
            let target = self.number_below(bound, "a state")?;
            if *self.token() == Token::Sign('&') {
                return Err(alternating(self.span()));
            }
            let marks = self.marks(needed)?.union(state_marks);
            transitions.extend(label.passes.into_iter().map(|guard| Transition { guard, target, marks }));
        }
        let highest = transitions.iter().map(|transition| transition.target).chain([state]).max().unwrap_or(state);
        if highest >= states.len() {
            states.resize(highest + 1, Vec::new());
        }
        states[state].append(&mut transitions);
        Ok(())
    }

    fn bracketed_label(&mut self) -> Result<Label, Box<Diagnostic>> {
        self.expect('[')?;
        let label = self.label()?;
        self.expect(']')?;
        Ok(label)
    }

    fn marks(&mut self, needed: &[usize]) -> Result<Marks, Box<Diagnostic>> {
        let mut marks = Marks::default();
        if !self.takes('{') {
            return Ok(marks);
        }
        while !self.takes('}') {
            let set = self.number_below(self.header.sets, "an acceptance set")?;
            if let Ok(mark) = needed.binary_search(&set) {
                marks = marks.union(Marks(1 << mark));
            }
        }
        Ok(marks)
    }

    fn finish(self, mut states: Vec<Vec<Transition>>, marks: usize) -> Tgba {
        let starts: Vec<usize> = self.header.starts.iter().copied().filter(|&start| start < states.len()).collect();
        let initial = match starts[..] {
            [] => return Tgba::empty(self.header.atoms),
            [start] => start,
            // Several ways to start are one new state with all their first steps.
            _ => {
                states.push(starts.iter().flat_map(|&start| states[start].clone()).collect());
                states.len() - 1
            }
        };
        Tgba { atoms: self.header.atoms, states, initial, marks }
    }
}

fn too_complex(span: Span) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0135", format!("a label has more than {MOST_TERMS} alternatives")).at(span, "too large"),
    )
}

fn alternating(span: Span) -> Box<Diagnostic> {
    unsupported(
        span,
        "the automaton is alternating",
        "use a nondeterministic automaton (`autfilt --dualize` or similar)",
    )
}

fn implicit(span: Span) -> Box<Diagnostic> {
    unsupported(span, "the edge has no label", "write explicit labels (in Spot: without `-Hi`)")
}

fn not_buchi(span: Span) -> Box<Diagnostic> {
    unsupported(span, "the acceptance is not generalised Büchi", "convert it first (in Spot: `autfilt --gba`)")
}
