//! Which tokens are left when `#define`, `#include` and `#if` have done their work?
//!
//! What Spin leaves to the C preprocessor, done here, so that no C compiler is needed and every place in a message
//! is one of the user's own text. Line markers (`# 7 "file"`) are obeyed: text that was preprocessed before is told
//! by its original lines.
//!
//! Not here: `inline`, which is part of the language ([`crate::parser`]).

mod condition;
pub(crate) mod hide;
mod macros;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};

pub(crate) use condition::character;
use macros::{Macro, Macros};

use crate::lexer::{Token, TokenKind, lex};
use crate::sources::Sources;

/// Files may include each other this deep.
const DEEPEST: usize = 40;
/// This many files may be included in all.
const MOST_FILES: usize = 2000;
/// Included files may have this many bytes in all.
const MOST_BYTES: usize = 64 << 20;

/// How a file that a model includes is read: the path of the model, and the path of the file.
pub type Loader<'a> = &'a dyn Fn(&Path, &Path) -> io::Result<String>;

/// What is defined from outside, and how included files are found.
pub struct Options<'a> {
    /// Macros: a name, or a name with parameters (`MAX(a, b)`), and what it stands for.
    pub defines: Vec<(String, String)>,
    /// Reads an included file.
    pub load: Loader<'a>,
}

impl Default for Options<'_> {
    /// Nothing defined; files are read from the disk, as far as that is allowed ([`crate::include`]).
    fn default() -> Self {
        Self { defines: Vec::new(), load: &crate::include::read }
    }
}

/// The tokens of a model, where they come from, and what was wrong.
pub(crate) struct Preprocessed {
    /// The last one is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    pub sources: Sources,
    pub diagnostics: Vec<Diagnostic>,
}

/// Preprocesses a model. `name` is its path: what it includes is searched beside it.
pub(crate) fn preprocess(name: &str, text: &str, options: &Options<'_>) -> Preprocessed {
    let mut state = State {
        options,
        sources: Sources::default(),
        macros: Macros::default(),
        output: Vec::new(),
        pending: Vec::new(),
        conditions: Vec::new(),
        given: BTreeMap::new(),
        files: Vec::new(),
        bytes: 0,
        read: 0,
    };
    let offset = state.sources.add(name, text);
    state.outside();
    state.file(Path::new(name), text, offset);
    let end = offset + text.len();
    let span = Span::new(end, end);
    state.output.push(Token {
        kind: TokenKind::End,
        text: "".into(),
        span,
        newline: true,
        space: true,
        hide: hide::Hide::default(),
    });
    Preprocessed { tokens: state.output, sources: state.sources, diagnostics: state.macros.diagnostics }
}

/// One open `#if`.
struct Condition {
    /// Whether the lines around it count.
    outer: bool,
    /// Whether one of its parts was taken.
    taken: bool,
    /// Whether the present part counts.
    active: bool,
    /// Whether `#else` was seen.
    last: bool,
    span: Span,
}

struct State<'a> {
    options: &'a Options<'a>,
    sources: Sources,
    macros: Macros,
    output: Vec<Token>,
    /// Tokens since the last directive, not yet expanded.
    pending: Vec<Token>,
    conditions: Vec<Condition>,
    /// What was defined from outside and not since: as it was given, and what it stands for.
    given: BTreeMap<Rc<str>, (String, String)>,
    /// The files being read, outermost first.
    files: Vec<PathBuf>,
    bytes: usize,
    read: usize,
}

const DIRECTIVES: &[&str] = &[
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "line", "error", "warning",
    "pragma", "ident",
];

impl State<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.macros.diagnostics.push(diagnostic);
    }

    fn broken(&mut self, message: impl Into<String>, span: Span, label: &str) {
        self.report(Diagnostic::error("E0502", message).at(span, label));
    }

    /// Definitions given from outside, as if they stood in a text of their own.
    fn outside(&mut self) {
        for (name, value) in &self.options.defines {
            let (text, shown_as) = (format!("{name} {value}"), format!("{name}={value}"));
            let offset = self.sources.add("<command line>", text.clone());
            let mut tokens = lex(&text, offset);
            tokens.pop();
            let span = Span::new(offset, offset + text.len());
            self.define(&tokens, span);
            if let Some(name) = tokens.first() {
                self.given.insert(Rc::clone(&name.text), (shown_as, shown(&tokens[1..])));
            }
        }
    }

    fn file(&mut self, path: &Path, text: &str, offset: usize) {
        self.files.push(path.to_path_buf());
        let outer = self.conditions.len();
        let tokens = lex(text, offset);
        let mut at = 0;
        while tokens[at].kind != TokenKind::End {
            if tokens[at].is_sign("#") && tokens[at].newline {
                let end = line_end(&tokens, at + 1);
                self.flush();
                self.directive(&tokens[at], &tokens[at + 1..end], text, offset);
                at = end;
            } else {
                if self.active() {
                    self.pending.push(tokens[at].clone());
                }
                at += 1;
            }
        }
        self.flush();
        while self.conditions.len() > outer {
            if let Some(open) = self.conditions.pop() {
                let diagnostic = Diagnostic::error("E0502", "this `#if` has no `#endif`").at(open.span, "begins here");
                self.report(diagnostic.help("end the lines it governs with `#endif`"));
            }
        }
        self.files.pop();
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            let tokens = std::mem::take(&mut self.pending);
            let expanded = self.macros.expand(tokens);
            self.output.extend(expanded);
        }
    }

    fn active(&self) -> bool {
        self.conditions.last().is_none_or(|condition| condition.active)
    }

    /// One line that begins with `#`.
    fn directive(&mut self, hash: &Token, line: &[Token], text: &str, offset: usize) {
        let Some(first) = line.first() else { return };
        let rest = &line[1..];
        let span = hash.span.to(line[line.len() - 1].span);
        let word = if first.kind == TokenKind::Word { &*first.text } else { "" };
        match word {
            "if" | "ifdef" | "ifndef" => self.begin(word, rest, span),
            "elif" => self.another(rest, span),
            "else" => self.otherwise(span),
            "endif" => {
                if self.conditions.pop().is_none() {
                    self.broken("this `#endif` has no `#if`", span, "nothing to end");
                }
            }
            _ if !self.active() => {}
            "define" => {
                self.warn_if_given(rest, span);
                self.define(rest, span);
            }
            "undef" => match rest {
                [name] if name.kind == TokenKind::Word => {
                    self.macros.table.remove(&name.text);
                }
                _ => self.broken("`#undef` takes one name", span, "not one name"),
            },
            "include" => self.include(rest, span, text, offset),
            "line" => self.marker(rest, span, text, offset),
            "error" => self.broken(format!("#error: {}", shown(rest)), span, "the text asks to be refused here"),
            "warning" => {
                let diagnostic = Diagnostic::warning("W0501", format!("#warning: {}", shown(rest)));
                self.report(diagnostic.at(span, "the text warns here"));
            }
            "pragma" | "ident" => {}
            _ if first.kind == TokenKind::Int => self.marker(line, span, text, offset),
            _ => {
                let mut diagnostic = Diagnostic::error("E0502", format!("`#{}` is no directive", first.text))
                    .at(span, "unknown directive");
                if let Some(close) = closest_name(&first.text, DIRECTIVES.iter().copied()) {
                    diagnostic = diagnostic.help(format!("a directive with a similar name exists: `#{close}`"));
                }
                self.report(diagnostic);
            }
        }
    }

    fn begin(&mut self, word: &str, rest: &[Token], span: Span) {
        let outer = self.active();
        let holds = outer
            && match word {
                "if" => self.condition(rest, span),
                _ => match rest.first() {
                    Some(name) if name.kind == TokenKind::Word => {
                        self.macros.table.contains_key(&name.text) == (word == "ifdef")
                    }
                    _ => {
                        self.broken(format!("`#{word}` takes a name"), span, "no name here");
                        false
                    }
                },
            };
        self.conditions.push(Condition { outer, taken: holds, active: holds, last: false, span });
    }

    fn another(&mut self, rest: &[Token], span: Span) {
        let (outer, taken, last) = match self.conditions.last() {
            Some(open) => (open.outer, open.taken, open.last),
            None => return self.broken("this `#elif` has no `#if`", span, "nothing to go on with"),
        };
        if last {
            return self.broken("this `#elif` stands after `#else`", span, "too late");
        }
        let holds = outer && !taken && self.condition(rest, span);
        if let Some(open) = self.conditions.last_mut() {
            open.active = holds;
            open.taken |= holds;
        }
    }

    fn otherwise(&mut self, span: Span) {
        let Some(open) = self.conditions.last_mut() else {
            return self.broken("this `#else` has no `#if`", span, "nothing to go on with");
        };
        open.active = open.outer && !open.taken;
        open.taken = true;
        if std::mem::replace(&mut open.last, true) {
            self.broken("this `#if` has two `#else`", span, "the second one");
        }
    }

    fn condition(&mut self, rest: &[Token], span: Span) -> bool {
        let mut tokens = Vec::new();
        let mut at = 0;
        while let Some(token) = rest.get(at) {
            at += 1;
            if !token.is_word("defined") {
                tokens.push(token.clone());
                continue;
            }
            let bracket = rest.get(at).is_some_and(|next| next.is_sign("("));
            let name = rest.get(at + usize::from(bracket));
            let known = name.is_some_and(|name| self.macros.table.contains_key(&name.text));
            at += if bracket { 3 } else { 1 };
            tokens.push(Token { kind: TokenKind::Int, text: if known { "1" } else { "0" }.into(), ..token.clone() });
        }
        let expanded = self.macros.expand(tokens);
        let end = Span::new(span.end, span.end);
        match condition::evaluate(&expanded, end) {
            Ok(value) => value != 0,
            Err(condition::Wrong(what, at)) => {
                self.broken(what, at, "in this condition");
                false
            }
        }
    }

    /// Warns if a definition of the text replaces one that was given from outside by another one.
    fn warn_if_given(&mut self, rest: &[Token], span: Span) {
        let Some(name) = rest.first() else { return };
        let Some((given, body)) = self.given.remove(&name.text) else { return };
        if shown(&rest[1..]) == body {
            return;
        }
        let message = format!("`-D {given}` has no effect from here on: the text defines `{}` again", name.text);
        let diagnostic = Diagnostic::warning("W0508", message)
            .at(span, format!("from here on `{}` is this", name.text))
            .help(format!("put the definition between `#ifndef {}` and `#endif`, so that it is a default", name.text));
        self.report(diagnostic);
    }

    fn define(&mut self, rest: &[Token], span: Span) {
        let Some(name) = rest.first().filter(|name| name.kind == TokenKind::Word) else {
            return self.broken("`#define` takes a name", span, "no name here");
        };
        let mut found = Macro { params: None, variadic: false, body: rest[1..].to_vec() };
        if rest.get(1).is_some_and(|next| next.is_sign("(") && !next.space) {
            let Some((params, variadic, end)) = parameters(&rest[2..]) else {
                return self.broken("the parameters of this macro are not names with commas between", span, "here");
            };
            found = Macro { params: Some(params), variadic, body: rest[2 + end..].to_vec() };
        }
        self.macros.table.insert(Rc::clone(&name.text), found);
    }

    fn include(&mut self, rest: &[Token], span: Span, text: &str, offset: usize) {
        let expanded;
        let line = match rest.first() {
            Some(first) if first.kind == TokenKind::Word => {
                expanded = self.macros.expand(rest.to_vec());
                &expanded[..]
            }
            _ => rest,
        };
        let Some(name) = included(line, text, offset) else {
            return self.broken("`#include` takes a file name in quotation marks", span, "no file name here");
        };
        let here = self.files.last().and_then(|file| file.parent()).unwrap_or(Path::new(""));
        let path = here.join(&name);
        if self.files.len() >= DEEPEST {
            let message = format!("files include each other more than {DEEPEST} levels deep");
            let mut diagnostic = Diagnostic::error("E0503", message).at(span, "not read any more");
            if self.files.contains(&path) {
                diagnostic = diagnostic.note(format!("`{}` includes itself", path.display()));
            }
            return self.report(diagnostic.help("guard the file with `#ifndef` … `#define` … `#endif`"));
        }
        self.read += 1;
        let model = self.files.first().unwrap_or(&path);
        match (self.options.load)(model, &path) {
            Ok(text) if self.read <= MOST_FILES && self.bytes + text.len() <= MOST_BYTES => {
                self.bytes += text.len();
                let offset = self.sources.add(path.display().to_string(), text.clone());
                self.file(&path, &text, offset);
            }
            Ok(_) => {
                // Said once: a file that includes itself twice would say it without end.
                if self.read == MOST_FILES + 1 || self.bytes <= MOST_BYTES {
                    self.bytes = MOST_BYTES + 1;
                    let diagnostic = Diagnostic::error("E0503", "too much is included").at(span, "not read any more");
                    self.report(diagnostic.help("does a file include itself without a guard?"));
                }
            }
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.display());
                let diagnostic = Diagnostic::error("E0503", message).at(span, "included here");
                self.report(if error.kind() == io::ErrorKind::PermissionDenied {
                    diagnostic.help("`--include-dir DIR` allows files of another folder")
                } else {
                    diagnostic.note("files are searched beside the file that includes them")
                });
            }
        }
    }

    /// `7 "file"`: the next line counts as line 7 of that file.
    fn marker(&mut self, rest: &[Token], span: Span, text: &str, offset: usize) {
        let Some(line) = rest.first().and_then(|number| number.text.parse().ok()) else {
            return self.broken("a line marker begins with a number", span, "no number here");
        };
        let next = text[span.end - offset..].find('\n').map_or(text.len(), |newline| span.end - offset + newline + 1);
        let name = match rest.get(1) {
            Some(name) if name.kind == TokenKind::Text => name.text.trim_matches('"').to_owned(),
            _ => self.sources.place(span).0.to_owned(),
        };
        self.sources.mark(offset + next, name, line);
    }
}

/// Where the line that goes on at `at` ends.
fn line_end(tokens: &[Token], at: usize) -> usize {
    tokens[at..].iter().position(|token| token.newline).map_or(tokens.len(), |length| at + length)
}

fn shown(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (position, token) in tokens.iter().enumerate() {
        if token.space && position > 0 {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
}

/// `a, b, ...)`: names, whether the last takes the rest, and how many tokens that was.
fn parameters(tokens: &[Token]) -> Option<(Vec<Rc<str>>, bool, usize)> {
    let mut names: Vec<Rc<str>> = Vec::new();
    let mut at = 0;
    if tokens.first()?.is_sign(")") {
        return Some((names, false, 1));
    }
    loop {
        let token = tokens.get(at)?;
        if token.is_sign("..") && tokens.get(at + 1)?.is_sign(".") {
            names.push("__VA_ARGS__".into());
            return tokens.get(at + 2)?.is_sign(")").then_some((names, true, at + 3));
        }
        if token.kind != TokenKind::Word {
            return None;
        }
        names.push(Rc::clone(&token.text));
        let next = tokens.get(at + 1)?;
        if next.is_sign(")") {
            return Some((names, false, at + 2));
        }
        if !next.is_sign(",") {
            return None;
        }
        at += 2;
    }
}

/// The name in `"file"` or `<file>`.
fn included(line: &[Token], text: &str, offset: usize) -> Option<String> {
    let first = line.first()?;
    if first.kind == TokenKind::Text {
        return Some(first.text.trim_matches('"').to_owned());
    }
    let last = line.iter().rev().find(|token| token.is_sign(">"))?;
    let inside = first.is_sign("<").then(|| text.get(first.span.end - offset..last.span.start - offset))??;
    Some(inside.trim().to_owned())
}

#[cfg(test)]
mod tests;
