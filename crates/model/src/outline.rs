//! Which names does a `.kmts` text declare, and where are they used?
//!
//! For editors: a second, forgiving reader of the grammar in `docs/formats.md` that only notes names. A name
//! is declared where its statement says so (`state`, `props`, `actions`, `params`), else where it stands first.
//!
//! Not here: names inside formulas; whoever knows formulas adds them ([`Outline::formulas`]).

use std::collections::BTreeMap;

use tertium_base::{Span, Symbol, SymbolKind, SymbolTable};

use crate::read::{KEYWORDS, is_bare, is_bare_name, split_logic};

/// The names of a text.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The symbols and their uses outside of formulas.
    pub table: SymbolTable,
    /// For each property its symbol, the logic it names, and where its formula stands.
    pub formulas: Vec<(usize, Option<String>, Span)>,
}

/// Words that cannot be names without quotes.
#[must_use]
pub fn keywords() -> &'static [&'static str] {
    &KEYWORDS
}

/// Whether a text can be a name without quotes.
#[must_use]
pub fn is_name(text: &str) -> bool {
    is_bare_name(text)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TokenKind {
    Name,
    Quoted,
    Sign(u8),
    Break,
    End,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: TokenKind,
    /// Of a quoted name, the inside.
    span: Span,
}

/// One place where a name stands.
struct Mention {
    name: String,
    span: Span,
    declares: bool,
    /// The rest of its line, if it declares.
    extent: Span,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    mentions: BTreeMap<SymbolKind, Vec<Mention>>,
    properties: Vec<(Mention, Option<String>, Span)>,
    /// Values that may be expressions over parameters.
    values: Vec<Span>,
}

/// All names of a text.
///
/// ```
/// let outline = tertium_model::outline::outline("state a p: t\nstate b\na -must-> b\n");
/// let b = outline.table.at(20).unwrap().symbol;
/// assert_eq!(outline.table.places(b).len(), 2);
/// ```
#[must_use]
pub fn outline(text: &str) -> Outline {
    let mut scanner = Scanner { text, at: 0, mentions: BTreeMap::new(), properties: Vec::new(), values: Vec::new() };
    loop {
        match scanner.peek().kind {
            TokenKind::End => break,
            TokenKind::Break => {
                scanner.next();
            }
            _ => scanner.line(),
        }
    }
    scanner.finish()
}

impl Scanner<'_> {
    /// The next token, without taking it.
    fn peek(&self) -> Token {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            match bytes.get(at) {
                Some(b' ' | b'\t' | b'\r') => at += 1,
                Some(b'#') => at += self.text[at..].find('\n').unwrap_or(self.text.len() - at),
                _ => break,
            }
        }
        let token = |kind, start, end| Token { kind, span: Span::new(start, end) };
        match bytes.get(at) {
            None => token(TokenKind::End, self.text.len(), self.text.len()),
            Some(b'\n') => token(TokenKind::Break, at, at + 1),
            Some(b'"') => {
                let end = quotation_end(bytes, at + 1);
                token(TokenKind::Quoted, at + 1, end)
            }
            Some(&byte) if is_bare(byte) => {
                let length = bytes[at..].iter().position(|&byte| !is_bare(byte)).unwrap_or(bytes.len() - at);
                token(TokenKind::Name, at, at + length)
            }
            Some(&byte) => token(TokenKind::Sign(byte), at, at + 1),
        }
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        let closing = token.kind == TokenKind::Quoted && self.text.as_bytes().get(token.span.end) == Some(&b'"');
        self.at = token.span.end + usize::from(closing);
        token
    }

    fn is_sign(&self, sign: u8) -> bool {
        self.peek().kind == TokenKind::Sign(sign)
    }

    fn takes(&mut self, sign: u8) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.next();
        }
        found
    }

    fn text_of(&self, token: Token) -> &str {
        &self.text[token.span.start..token.span.end]
    }

    fn line_end(&self, from: usize) -> usize {
        self.text[from..].find('\n').map_or(self.text.len(), |length| from + length)
    }

    fn skip_line(&mut self) {
        self.at = self.line_end(self.at);
    }

    /// A name, if one comes next.
    fn name(&mut self, kind: SymbolKind, declares: bool) -> bool {
        let token = self.peek();
        if !matches!(token.kind, TokenKind::Name | TokenKind::Quoted) {
            return false;
        }
        self.next();
        let mention = self.mention(token, declares);
        self.mentions.entry(kind).or_default().push(mention);
        true
    }

    fn mention(&self, token: Token, declares: bool) -> Mention {
        let end = self.text[token.span.start..self.line_end(token.span.start)].split('#').next().unwrap_or("");
        let extent = Span::new(token.span.start, (token.span.start + end.trim_end().len()).max(token.span.end));
        Mention { name: self.text_of(token).to_owned(), span: token.span, declares, extent }
    }

    fn list(&mut self, kind: SymbolKind, declares: bool) {
        while self.name(kind, declares) && self.takes(b',') {}
    }

    fn line(&mut self) {
        let token = self.peek();
        let word = self.text_of(token).to_owned();
        let keyword = token.kind == TokenKind::Name && KEYWORDS.contains(&word.as_str());
        if !matches!(token.kind, TokenKind::Name | TokenKind::Quoted) {
            return self.skip_line();
        }
        let before = self.at;
        self.next();
        if self.is_sign(b'-') || !keyword {
            self.at = before;
            self.name(SymbolKind::State, false);
            self.edge();
            return self.skip_line();
        }
        match word.as_str() {
            "state" => self.state(),
            "init" => self.list(SymbolKind::State, false),
            "props" => self.list(SymbolKind::Proposition, true),
            "actions" => self.list(SymbolKind::Action, true),
            "params" => self.list(SymbolKind::Parameter, true),
            "lattice" => self.lattice(),
            "fair" => self.fairness(),
            "owner" => self.owner(),
            "property" => self.property(),
            _ => {}
        }
        self.skip_line();
    }

    fn state(&mut self) {
        if !self.name(SymbolKind::State, true) {
            return;
        }
        while self.name(SymbolKind::Proposition, false) && self.takes(b':') {
            self.value(b',');
            if !self.takes(b',') {
                return;
            }
        }
    }

    /// Text up to `stop` or the end of the line.
    fn value(&mut self, stop: u8) {
        let end = self.line_end(self.at);
        let rest = &self.text.as_bytes()[self.at..end];
        let length = rest.iter().position(|&byte| byte == stop || byte == b'#').unwrap_or(rest.len());
        self.values.push(Span::new(self.at, self.at + length));
        self.at += length;
    }

    fn edge(&mut self) {
        if !self.takes(b'-') {
            return;
        }
        if self.takes(b'[') {
            self.value(b']');
            self.takes(b']');
        } else {
            self.next();
            if self.takes(b':') {
                self.name(SymbolKind::Action, false);
            }
        }
        self.arrow();
        if !self.takes(b'{') {
            self.name(SymbolKind::State, false);
            return;
        }
        self.block(|scanner| {
            scanner.name(SymbolKind::State, false);
        });
    }

    fn arrow(&mut self) {
        self.takes(b'-');
        self.takes(b'>');
    }

    /// What stands between commas up to `}`, over line breaks.
    fn block(&mut self, mut each: impl FnMut(&mut Self)) {
        loop {
            let before = self.at;
            match self.peek().kind {
                TokenKind::End => return,
                TokenKind::Sign(b'}') => {
                    self.next();
                    return;
                }
                TokenKind::Break | TokenKind::Sign(b',') => {
                    self.next();
                }
                _ => each(self),
            }
            if self.at == before {
                self.next();
            }
        }
    }

    fn fairness(&mut self) {
        while self.takes(b'{') {
            self.block(|scanner| {
                scanner.name(SymbolKind::State, false);
                scanner.takes(b'-');
                if !scanner.takes(b'>') {
                    scanner.name(SymbolKind::Action, false);
                    scanner.arrow();
                }
                scanner.name(SymbolKind::State, false);
            });
            let certain = self.peek();
            if certain.kind == TokenKind::Name && self.text_of(certain) == "certain" {
                self.next();
            }
        }
    }

    /// `owner STATE, ... = PLAYER`
    fn owner(&mut self) {
        self.list(SymbolKind::State, false);
        if self.takes(b'=') {
            self.name(SymbolKind::Player, false);
        }
    }

    fn lattice(&mut self) {
        let mut opens = self.takes(b'{');
        if !opens {
            self.next();
            opens = self.takes(b'{');
        }
        if opens {
            self.block(|scanner| {
                scanner.next();
            });
        }
    }

    fn property(&mut self) {
        let token = self.next();
        if !matches!(token.kind, TokenKind::Name | TokenKind::Quoted) || !self.takes(b':') {
            return;
        }
        let mention = self.mention(token, true);
        let end = self.line_end(self.at);
        let line = &self.text[self.at..end];
        let start = self.at + line.len() - line.trim_start().len();
        let formula = without_comment(&self.text[start..end]);
        let (logic, from) = split_logic(formula);
        let span = Span::new(start + from, start + formula.len());
        self.properties.push((mention, logic.map(str::to_owned), span));
    }

    fn finish(self) -> Outline {
        let mut outline = Outline::default();
        let mut params = BTreeMap::new();
        let mut order: Vec<(usize, SymbolKind, String)> = Vec::new();
        let mut groups: BTreeMap<(SymbolKind, String), Vec<&Mention>> = BTreeMap::new();
        for (&kind, mentions) in &self.mentions {
            for mention in mentions {
                groups.entry((kind, mention.name.clone())).or_default().push(mention);
            }
        }
        for ((kind, name), mentions) in &groups {
            order.push((declaring(mentions).span.start, *kind, name.clone()));
        }
        order.sort();
        for (_, kind, name) in order {
            let Some(mentions) = groups.get(&(kind, name.clone())) else { continue };
            let id = outline.table.declare(self.symbol(kind, declaring(mentions)));
            mentions.iter().for_each(|mention| outline.table.use_at(mention.span, id));
            if kind == SymbolKind::Parameter {
                params.insert(name, id);
            }
        }
        for &value in &self.values {
            for span in words(self.text, value) {
                if let Some(&id) = params.get(&self.text[span.start..span.end]) {
                    outline.table.use_at(span, id);
                }
            }
        }
        for (mention, logic, formula) in &self.properties {
            let id = outline.table.declare(self.symbol(SymbolKind::Property, mention));
            outline.formulas.push((id, logic.clone(), *formula));
        }
        outline.table.finish();
        outline
    }

    fn symbol(&self, kind: SymbolKind, mention: &Mention) -> Symbol {
        let whole = matches!(kind, SymbolKind::State | SymbolKind::Property) && mention.declares;
        let extent = if whole { mention.extent } else { mention.span };
        let shown = self.text[extent.start..extent.end].split_whitespace().collect::<Vec<_>>().join(" ");
        let detail = format!("{} {shown}", kind.word());
        let (name, span) = (mention.name.clone(), mention.span);
        Symbol { name, kind, span, extent, detail, notes: Vec::new(), parent: None }
    }
}

/// The mention that declares, else the first.
fn declaring<'m>(mentions: &[&'m Mention]) -> &'m Mention {
    mentions.iter().find(|mention| mention.declares).unwrap_or(&mentions[0])
}

fn quotation_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() && bytes[at] != b'"' && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' && bytes.get(at + 1).is_some_and(|&next| next != b'\n') { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// A line without the comment at its end; `#` inside double quotes begins none.
fn without_comment(line: &str) -> &str {
    let mut in_quotes = false;
    let end = line.bytes().position(|byte| {
        in_quotes ^= byte == b'"';
        byte == b'#' && !in_quotes
    });
    line[..end.unwrap_or(line.len())].trim_end()
}

/// The bare names in a stretch of text.
pub(crate) fn words(text: &str, within: Span) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let length = bytes[at..within.end].iter().take_while(|&&byte| is_bare(byte)).count();
        if length > 0 {
            found.push(Span::new(at, at + length));
        }
        at += length.max(1);
    }
    found
}
