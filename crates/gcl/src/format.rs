//! How should a text be laid out?
//!
//! Works on tokens and comments, never on the tree, so a text with mistakes can be laid out too and no token is ever lost.
//! A block that stands on one line stays on one line; otherwise every statement gets its own. Blank lines between
//! parts are kept, one at most. Labels of statements in a row are lined up. Formulas are left as they are written.

use tertium_base::Span;

use crate::lexer::{Lexed, Token, TokenKind, begins_item, lex};

/// One-line blocks longer than this are broken up.
const WIDEST: usize = 110;

/// Lays out a text. Laying out the result changes nothing.
///
/// ```
/// let text = "system s var x:0..3=0 process P{l:x:=x+1;}";
/// let neat = tertium_gcl::format::format(text);
/// assert_eq!(neat, "system s\nvar x : 0..3 = 0\nprocess P { l: x := x + 1; }\n");
/// assert_eq!(tertium_gcl::format::format(&neat), neat);
/// ```
#[must_use]
pub fn format(text: &str) -> String {
    let lexed = lex(text);
    let pieces = pieces(text, &lexed);
    let mut layout = Layout::new(text, &pieces);
    layout.run();
    align_labels(layout.lines).iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A token, a comment or a whole formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    what: What,
    span: Span,
    /// How many line breaks stand before it.
    breaks: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Token(TokenKind),
    LineComment,
    BlockComment,
    /// The formula of a property.
    Formula,
    /// What could not be read.
    Stray,
}

fn pieces(text: &str, lexed: &Lexed) -> Vec<Piece> {
    let tokens = lexed.tokens.iter().filter(|token| token.kind != TokenKind::End);
    let mut all: Vec<(Span, What)> = tokens.map(|token| (token.span, What::Token(token.kind))).collect();
    all.extend(lexed.comments.iter().map(|&span| {
        (span, if text[span.start..].starts_with("//") { What::LineComment } else { What::BlockComment })
    }));
    // What could not be read is kept all the same.
    let stray = lexed.diagnostics.iter().filter_map(|diagnostic| diagnostic.primary.as_ref());
    all.extend(stray.map(|label| (label.span, What::Stray)));
    all.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    all.dedup_by(|(later, _), (earlier, _)| later.start < earlier.end);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut end = 0;
    for (span, what) in join_formulas(text, &lexed.tokens, all) {
        let breaks = text[end.min(span.start)..span.start].matches('\n').count();
        pieces.push(Piece { what, span, breaks });
        end = span.end;
    }
    pieces
}

/// Makes one piece of every formula that has no comment inside.
fn join_formulas(text: &str, tokens: &[Token], all: Vec<(Span, What)>) -> Vec<(Span, What)> {
    let word = |token: &Token| &text[token.span.start..token.span.end];
    let mut formulas = Vec::new();
    let mut at = 0;
    while at + 4 < tokens.len() {
        let header = tokens[at].kind == TokenKind::Word
            && word(&tokens[at]) == "property"
            && tokens[at + 2].kind == TokenKind::Sign(":")
            && tokens[at + 3].kind == TokenKind::Word;
        if !header {
            at += 1;
            continue;
        }
        let mut first = at + 4;
        if tokens[first].kind == TokenKind::Sign("*") && tokens[first].span.start == tokens[first - 1].span.end {
            first += 1;
        }
        let ends = |at: usize| {
            let texts = [at, at + 1, at + 2].map(|at| tokens.get(at).map_or("", word));
            matches!(tokens[at].kind, TokenKind::End | TokenKind::Sign(";")) || begins_item(texts)
        };
        let last = (first..tokens.len()).find(|&at| ends(at)).unwrap_or(tokens.len() - 1);
        if last > first {
            formulas.push(tokens[first].span.to(tokens[last - 1].span));
        }
        at = last.max(at + 1);
    }
    let mut joined: Vec<(Span, What)> = Vec::new();
    let mut formulas = formulas.into_iter().peekable();
    for (span, what) in all {
        while formulas.next_if(|formula| formula.end <= span.start).is_some() {}
        match formulas.peek() {
            Some(formula) if formula.start <= span.start && what_is_token(what) => match joined.last_mut() {
                Some((open, What::Formula)) if open.start >= formula.start => open.end = span.end,
                _ => joined.push((span, What::Formula)),
            },
            _ => joined.push((span, what)),
        }
    }
    joined
}

const fn what_is_token(what: What) -> bool {
    matches!(what, What::Token(_))
}

struct Layout<'a> {
    text: &'a str,
    pieces: &'a [Piece],
    /// For every opening brace, the position of the closing one.
    closing: Vec<usize>,
    /// For every closing brace, the position of the opening one.
    opening: Vec<Option<usize>>,
    lines: Vec<String>,
    line: String,
    indent: usize,
    /// For every piece, the innermost brace that is open there.
    within: Vec<Option<usize>>,
    /// The closing brace of the one-line block at hand.
    one_line_until: Option<usize>,
    /// Whether something other than a comment or blank line is on the line.
    fresh: bool,
}

impl<'a> Layout<'a> {
    fn new(text: &'a str, pieces: &'a [Piece]) -> Self {
        let mut closing = vec![usize::MAX; pieces.len()];
        let mut opening = vec![None; pieces.len()];
        let (mut open, mut within) = (Vec::new(), Vec::with_capacity(pieces.len()));
        for (at, piece) in pieces.iter().enumerate() {
            within.push(open.last().copied());
            match piece.what {
                What::Token(TokenKind::Sign("{")) => open.push(at),
                What::Token(TokenKind::Sign("}")) => {
                    if let Some(opened) = open.pop() {
                        closing[opened] = at;
                        opening[at] = Some(opened);
                    }
                }
                _ => {}
            }
        }
        Self {
            text,
            pieces,
            closing,
            opening,
            within,
            lines: Vec::new(),
            line: String::new(),
            indent: 0,
            one_line_until: None,
            fresh: true,
        }
    }

    fn run(&mut self) {
        for at in 0..self.pieces.len() {
            self.piece(at);
        }
        self.end_line();
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
    }

    fn word(&self, at: usize) -> &'a str {
        let span = self.pieces[at].span;
        &self.text[span.start..span.end]
    }

    fn sign(&self, at: usize) -> &'static str {
        match self.pieces.get(at).map(|piece| piece.what) {
            Some(What::Token(TokenKind::Sign(sign))) => sign,
            _ => "",
        }
    }

    fn end_line(&mut self) {
        if !self.fresh {
            self.lines.push(std::mem::take(&mut self.line));
        }
        self.fresh = true;
    }

    fn put(&mut self, text: &str, space: bool) {
        if self.fresh {
            self.line = "  ".repeat(self.indent);
            self.fresh = false;
        } else if space {
            self.line.push(' ');
        }
        self.line.push_str(text);
    }

    fn piece(&mut self, at: usize) {
        let piece = self.pieces[at];
        match piece.what {
            What::LineComment | What::BlockComment => return self.comment(at),
            What::Token(TokenKind::Sign("}")) if self.opening[at].is_none_or(|open| !self.opens_set(open)) => {
                return self.close(at);
            }
            What::Token(TokenKind::Word) if self.begins_item(at) || self.ends_declaration(at) => self.end_line(),
            _ => {}
        }
        if self.fresh && piece.breaks > 1 && !self.lines.is_empty() && !self.after_open() {
            self.lines.push(String::new());
        }
        let space = !self.fresh && self.spaced(at);
        let text = self.word(at).split('\n').map(str::trim).collect::<Vec<_>>().join(" ");
        self.put(&text, space);
        if piece.what == What::Stray {
            // It may be the beginning of something that lasts to the end of its line.
            return self.end_line();
        }
        match self.sign(at) {
            "{" if !self.opens_set(at) => self.open(at),
            ";" if self.one_line_until.is_none() && !self.comment_follows(at) => self.end_line(),
            _ => {}
        }
    }

    fn after_open(&self) -> bool {
        self.lines.last().is_some_and(|line| line.ends_with('{'))
    }

    /// Whether a comment stands behind this piece on the same line.
    fn comment_follows(&self, at: usize) -> bool {
        self.pieces
            .get(at + 1)
            .is_some_and(|next| !what_is_token(next.what) && next.what != What::Formula && next.breaks == 0)
    }

    fn begins_item(&self, at: usize) -> bool {
        let word = self.word(at);
        let after_strong = word == "fair" && at > 0 && self.word(at - 1) == "strong";
        // A parameter of a procedure may be a variable.
        let parameter = word == "var" && matches!(self.sign(at.wrapping_sub(1)), "(" | ",");
        self.is_item(at) && !after_strong && !parameter && (self.one_line_until.is_none() || word != "var")
    }

    fn is_item(&self, at: usize) -> bool {
        let text = |at: usize| if at < self.pieces.len() { self.word(at) } else { "" };
        what_is_token(self.pieces[at].what) && begins_item([at, at + 1, at + 2].map(text))
    }

    /// Whether the brace at `at` begins a set, which is part of an expression.
    fn opens_set(&self, at: usize) -> bool {
        if self.sign(at) != "{" || at == 0 {
            return false;
        }
        let before = self.sign(at - 1);
        let compares = before == "=" && !(at >= 3 && self.word(at - 3) == "type");
        compares
            || matches!(
                before,
                ":=" | "+=" | "-=" | "==" | "!=" | "<=" | ">=" | "+" | "-" | "*" | "(" | "," | "[" | "!"
            )
            || (before.is_empty() && matches!(self.word(at - 1), "in" | "then"))
    }

    /// Whether the piece at `at` stands directly inside of the braces of a record.
    fn in_record(&self, at: usize) -> bool {
        self.within[at].is_some_and(|open| open > 0 && self.word(open - 1) == "record")
    }

    /// Whether a local declaration, which has no semicolon, ends before the word at `at`: two operands in a row are
    /// never one expression.
    fn ends_declaration(&self, at: usize) -> bool {
        let declares = self.line.trim_start().starts_with("var ")
            && self.indent > 0
            && !self.fresh
            && self.one_line_until.is_none();
        let joins = matches!(self.word(at), "of" | "in" | "div" | "mod" | "and" | "or" | "then" | "else");
        if !declares || joins || at == 0 {
            return false;
        }
        match self.pieces[at - 1].what {
            What::Token(TokenKind::Int) => true,
            What::Token(TokenKind::Word) => {
                self.is_name(at - 1) || matches!(self.word(at - 1), "int" | "nat" | "bool" | "true" | "false")
            }
            What::Token(TokenKind::Sign(sign)) => matches!(sign, ")" | "]"),
            _ => false,
        }
    }

    fn comment(&mut self, at: usize) {
        let piece = self.pieces[at];
        let text = self.word(at).trim_end();
        let own_line = piece.breaks > 0 || self.fresh;
        if own_line {
            self.end_line();
            if piece.breaks > 1 && !self.lines.is_empty() && !self.after_open() {
                self.lines.push(String::new());
            }
        }
        let mut parts = text.lines();
        self.put(parts.next().unwrap_or(""), true);
        // Inner lines of a comment are the author's drawing; they are kept as they are.
        for part in parts {
            self.lines.push(std::mem::take(&mut self.line));
            part.trim_end().clone_into(&mut self.line);
        }
        let next_breaks = self.pieces.get(at + 1).is_none_or(|next| next.breaks > 0);
        if piece.what == What::LineComment
            || (own_line && next_breaks)
            || (next_breaks && self.one_line_until.is_none())
        {
            self.end_line();
        }
    }

    fn open(&mut self, at: usize) {
        if self.one_line_until.is_some() {
            return;
        }
        if self.fits_on_line(at) {
            self.one_line_until = Some(self.closing[at]);
            return;
        }
        self.indent += 1;
        if !self.comment_follows(at) {
            self.end_line();
        }
    }

    /// Whether a block stands on one line, has no comment, and is short. Blocks in blocks make a line hard to read.
    fn fits_on_line(&self, at: usize) -> bool {
        let close = self.closing[at];
        if close == usize::MAX {
            return false;
        }
        let inside = &self.pieces[at + 1..=close];
        let plain = inside.iter().all(|piece| piece.breaks == 0 && (what_is_token(piece.what)));
        let declares = (at + 1..close).any(|at| self.word(at) == "var");
        let nested = inside.iter().filter(|piece| piece.what == What::Token(TokenKind::Sign("{"))).count();
        let length: usize = inside.iter().map(|piece| piece.span.end - piece.span.start + 1).sum();
        plain && !declares && nested <= 1 && self.line.len() + length <= WIDEST
    }

    fn close(&mut self, at: usize) {
        if let Some(until) = self.one_line_until {
            let tight = self.sign(at.wrapping_sub(1)) == "{" || self.closes_enumeration(at);
            self.put("}", !tight);
            if until == at {
                self.one_line_until = None;
                self.after_close(at);
            }
            return;
        }
        self.end_line();
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        self.indent = self.indent.saturating_sub(1);
        self.put("}", false);
        self.after_close(at);
    }

    /// Whether the brace at `at` closes the members of a type, which are written without space inside the braces.
    fn closes_enumeration(&self, at: usize) -> bool {
        self.opening[at].is_some_and(|open| self.opens_enumeration(open))
    }

    fn opens_enumeration(&self, at: usize) -> bool {
        self.sign(at) == "{" && self.sign(at.wrapping_sub(1)) == "="
    }

    fn after_close(&mut self, at: usize) {
        let next = self.pieces.get(at + 1);
        let joins = next.is_some_and(|next| {
            what_is_token(next.what) && matches!(self.word(at + 1), "else" | "or" | ";" | "," | ")")
        });
        if !joins && !self.comment_follows(at) {
            self.end_line();
        }
    }

    /// Whether a space stands between a piece and the one before it.
    fn spaced(&self, at: usize) -> bool {
        let (left, right) = (self.sign(at.wrapping_sub(1)), self.sign(at));
        let formula = self.pieces[at].what == What::Formula;
        if formula || at == 0 {
            return true;
        }
        let closes_set = right == "}" && self.opening[at].is_some_and(|open| self.opens_set(open));
        let tight_right = closes_set || matches!(right, "," | ";" | ")" | "]" | ".." | "@" | ".");
        let tight_left = matches!(left, "(" | "[" | ".." | "@" | "." | "~") || (left == "!" && !self.sends(at - 1));
        let braces = left == "{" && (self.opens_enumeration(at - 1) || self.opens_set(at - 1));
        let tight_left = tight_left || braces;
        let call = matches!(right, "(" | "[") && self.is_name(at - 1);
        let label = right == ":" && self.is_label(at);
        let minus = left == "-" && self.is_prefix(at - 1);
        let star = right == "*" && self.is_logic(at);
        let shift = matches!((left, right), ("<", "<") | (">", ">"))
            && self.pieces[at].span.start == self.pieces[at - 1].span.end;
        let tight = tight_right || tight_left || call || label || minus || star || shift;
        !tight || self.would_join(at)
    }

    /// Whether two signs without space between them would be read as something else.
    fn would_join(&self, at: usize) -> bool {
        let (left, right) = (self.sign(at - 1), self.sign(at));
        !left.is_empty() && !right.is_empty() && lex(&format!("{left}{right}")).tokens[0].span.end != left.len()
    }

    fn is_name(&self, at: usize) -> bool {
        let word = self.word(at);
        matches!(self.pieces[at].what, What::Token(TokenKind::Word))
            && (crate::lexer::KEYWORDS.binary_search(&word).is_err() || word == "array")
            || self.sign(at) == "]"
    }

    /// Whether the `!` at `at` sends to a channel.
    fn sends(&self, at: usize) -> bool {
        at > 0 && self.is_name(at - 1)
    }

    /// Whether the colon at `at` ends a label: it stands in a block, not in a declaration, an index, a record or a quantifier.
    fn is_label(&self, at: usize) -> bool {
        let item =
            (0..at).rev().find(|&before| matches!(self.sign(before), ";" | "{" | "}" | "[") || self.is_item(before));
        let quantifies = (item.map_or(0, |item| item + 1)..at).any(|before| self.word(before) == "in");
        if quantifies || self.in_record(at) {
            return false;
        }
        item.is_some_and(|before| matches!(self.sign(before), ";" | "{" | "}"))
            && (self.indent > 0 || self.one_line_until.is_some())
            || item.is_some_and(|before| self.local_declaration_before(before, at))
    }

    /// A label may follow a local declaration, which has no semicolon.
    fn local_declaration_before(&self, item: usize, colon: usize) -> bool {
        self.word(item) == "var" && (item + 1..colon).any(|at| self.sign(at) == ":") && self.in_block()
    }

    const fn in_block(&self) -> bool {
        self.indent > 0 || self.one_line_until.is_some()
    }

    /// Whether the minus at `at` is a sign, not a difference.
    fn is_prefix(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        match self.pieces[before].what {
            What::Token(TokenKind::Int | TokenKind::Text) => false,
            What::Token(TokenKind::Word) => !self.is_name(before) && !matches!(self.word(before), "true" | "false"),
            What::Token(TokenKind::Sign(sign)) => !matches!(sign, ")" | "]"),
            _ => true,
        }
    }

    /// Whether the star at `at` belongs to the name of a logic, `ctl*`.
    fn is_logic(&self, at: usize) -> bool {
        at >= 4 && self.word(at - 4) == "property" && self.pieces[at].span.start == self.pieces[at - 1].span.end
    }
}

/// Lines up what follows the labels of statements in a row.
fn align_labels(lines: Vec<String>) -> Vec<String> {
    let mut aligned = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < lines.len() {
        let Some((indent, _)) = label_of(&lines[at]) else {
            aligned.push(lines[at].clone());
            at += 1;
            continue;
        };
        let same = |line: &String| label_of(line).filter(|(other, _)| *other == indent);
        let run = lines[at..].iter().take_while(|line| same(line).is_some()).count();
        let width = lines[at..at + run].iter().filter_map(same).map(|(_, end)| end).max().unwrap_or(0);
        for line in &lines[at..at + run] {
            let end = label_of(line).map_or(0, |(_, end)| end);
            aligned.push(format!("{}{} {}", &line[..end], " ".repeat(width - end), line[end..].trim_start()));
        }
        at += run;
    }
    aligned
}

/// The indentation of a line that begins with a label, and where the label ends.
fn label_of(line: &str) -> Option<(usize, usize)> {
    let indent = line.len() - line.trim_start().len();
    let name = line[indent..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(0);
    let end = indent + name + 1;
    let labelled = name > 0 && line[indent + name..].starts_with(": ") && indent > 0;
    labelled.then_some((indent, end))
}
