//! Text to tokens: words, numbers, word constants, marks; comments are `-- …` and `/-- … --/`.

use tertium_base::{Diagnostic, Span};

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name or keyword.
    Word(String),
    /// A whole number.
    Number(i64),
    /// A constant of a machine word, such as `0ud8_255`.
    Constant(WordConstant),
    /// A number with a fraction or an exponent, which no construct that is read here takes.
    Fraction,
    /// Punctuation or an operator.
    Mark(&'static str),
    /// The end of the text.
    End,
}

/// `0ud8_255`: bits, sign, value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WordConstant {
    pub bits: u32,
    pub signed: bool,
    pub value: i128,
}

/// A token and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// Longer marks first.
const MARKS: [&str; 37] = [
    "<->", "-->", ":=", "::", "..", "->", "<<", ">>", "<=", ">=", "!=", "=", "<", ">", "+", "-", "*", "/", "!", "&",
    "|", "(", ")", "[", "]", "{", "}", ",", ";", ":", "?", ".", "@", "~", "'", "\"", "#",
];

/// The mark with this text; nothing else is ever asked for.
pub(crate) fn mark(text: &str) -> &'static str {
    MARKS.into_iter().find(|mark| *mark == text).unwrap_or("")
}

/// The tokens of a text, an end after them, and what is wrong.
pub(crate) fn tokens(text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), diagnostics: Vec::new() };
    lexer.run();
    let end = text.len();
    lexer.tokens.push(Token { kind: TokenKind::End, span: Span::new(end, end) });
    (lexer.tokens, lexer.diagnostics)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    diagnostics: Vec<Diagnostic>,
}

fn is_first(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_later(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#' | '\\')
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn run(&mut self) {
        while let Some(next) = self.rest().chars().next() {
            let start = self.at;
            if next.is_whitespace() {
                self.at += next.len_utf8();
            } else if self.rest().starts_with("--") && !self.rest().starts_with("-->") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/--") {
                self.long_comment(start);
            } else if next == '#' && self.begins_line() {
                // `# 12 "model.smv"`: from which line of which file a preprocessor has what follows.
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if next == '"' && self.quoted_length().is_some() {
                self.at += self.quoted_length().unwrap_or(0);
                self.push(TokenKind::Word(self.text[start..self.at].to_owned()), start);
            } else if is_first(next) {
                let length = self.word_length();
                self.at += length;
                self.push(TokenKind::Word(self.text[start..self.at].to_owned()), start);
            } else if next.is_ascii_digit() {
                self.number(start);
            } else if let Some(mark) = MARKS.into_iter().find(|mark| self.rest().starts_with(mark)) {
                self.at += mark.len();
                self.push(TokenKind::Mark(mark), start);
            } else {
                self.at += next.len_utf8();
                let span = Span::new(start, self.at);
                let message = format!("`{}` cannot stand in a model", next.escape_default());
                self.diagnostics.push(Diagnostic::error("E0700", message).at(span, "not a character of the language"));
            }
        }
    }

    /// A name; `-` may stand inside one, as NuSMV has it, if a letter follows without a space.
    fn word_length(&self) -> usize {
        let rest = self.rest();
        let mut length = 0;
        loop {
            let more = &rest[length..];
            length += more.find(|c: char| !is_later(c)).unwrap_or(more.len());
            if !rest[length..].strip_prefix('-').is_some_and(|more| more.starts_with(is_later)) {
                return length;
            }
            length += 1;
        }
    }

    /// Whether nothing stands before on this line.
    fn begins_line(&self) -> bool {
        self.at == 0 || self.text[..self.at].ends_with('\n')
    }

    /// The length of a name in quotes, which are part of it: `"a b"`.
    fn quoted_length(&self) -> Option<usize> {
        self.rest()[1..].find('"').map(|length| length + 2).filter(|&length| !self.rest()[..length].contains('\n'))
    }

    fn long_comment(&mut self, start: usize) {
        match self.rest().find("--/") {
            Some(length) => self.at += length + 3,
            None => {
                self.at = self.text.len();
                let error = Diagnostic::error("E0701", "a comment does not end");
                let span = Span::new(start, start + 3);
                self.diagnostics.push(error.at(span, "begins here").help("end it with `--/`"));
            }
        }
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, span: Span::new(start, self.at) });
    }

    fn number(&mut self, start: usize) {
        let rest = self.rest();
        let length = rest.find(|c: char| !is_later(c)).unwrap_or(rest.len());
        let piece = &rest[..length];
        let digits = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(length);
        if digits == length {
            let fraction =
                rest[length..].strip_prefix('.').is_some_and(|more| more.starts_with(|c: char| c.is_ascii_digit()));
            if fraction {
                self.at += length + 1;
                self.at += self.rest().find(|c: char| !is_later(c)).unwrap_or(self.rest().len());
                return self.push(TokenKind::Fraction, start);
            }
            let value = piece.parse::<i64>();
            self.at += length;
            match value {
                Ok(value) => self.push(TokenKind::Number(value), start),
                Err(_) => self.wrong(start, "a number that needs more than 64 bits"),
            }
            return;
        }
        // `0sd8_-5`: the sign stands inside the constant.
        let (mut whole, mut negative) = (length, false);
        if piece.ends_with('_') && rest[length..].starts_with('-') {
            let more = &rest[length + 1..];
            whole = length + 1 + more.find(|c: char| !is_later(c)).unwrap_or(more.len());
            negative = true;
        }
        let text = rest[..whole].to_owned();
        self.at += whole;
        match constant(&text, negative) {
            Some(constant) => self.push(TokenKind::Constant(constant), start),
            None => self.wrong(start, "neither a number nor a constant of a word"),
        }
    }

    fn wrong(&mut self, start: usize, what: &str) {
        let span = Span::new(start, self.at);
        let error = Diagnostic::error("E0702", "a number cannot be read").at(span, what);
        self.diagnostics.push(error.help("words are written `0ud8_255`, `0sd8_-5`, `0b4_1010`, `0h8_ff`, `0o6_17`"));
        self.push(TokenKind::Number(0), start);
    }
}

/// `0[u|s](b|o|d|h)[bits]_digits`.
fn constant(text: &str, negative: bool) -> Option<WordConstant> {
    let mut rest = text.strip_prefix('0')?;
    let mut signed = false;
    if let Some(more) = rest.strip_prefix(['u', 's']) {
        signed = rest.starts_with('s');
        rest = more;
    }
    let (radix, per_digit) = match rest.chars().next()?.to_ascii_lowercase() {
        'b' => (2, 1),
        'o' => (8, 3),
        'd' => (10, 0),
        'h' => (16, 4),
        _ => return None,
    };
    let (bits, digits) = rest[1..].split_once('_')?;
    let digits = digits.replace(['_', '-'], "");
    if digits.is_empty() {
        return None;
    }
    let bits: u32 = match (bits, per_digit) {
        ("", 0) => return None,
        ("", per_digit) => u32::try_from(digits.len()).ok()?.checked_mul(per_digit)?,
        (bits, _) => bits.parse().ok()?,
    };
    let magnitude = i128::from_str_radix(&digits, radix).ok()?;
    let value = if negative { -magnitude } else { magnitude };
    // A signed constant that is written by its bits has the highest one as its sign.
    let value = if signed && radix != 10 && bits < 100 && magnitude >> (bits.max(1) - 1) & 1 == 1 && !negative {
        value - (1i128 << bits)
    } else {
        value
    };
    Some(WordConstant { bits, signed, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_words_and_comments() {
        let (tokens, wrong) = tokens("a.b--c\n:=0ud8_255 -- x\n/-- y --/ 0sd4_-3 p1..2");
        assert!(wrong.is_empty());
        let kinds: Vec<String> = tokens.iter().map(|token| format!("{:?}", token.kind)).collect();
        assert_eq!(kinds[1], "Mark(\".\")");
        assert_eq!(kinds[3], "Mark(\":=\")");
        assert!(kinds[4].contains("value: 255") && kinds[5].contains("value: -3"), "{kinds:?}");
        assert_eq!(kinds[7], "Mark(\"..\")");
    }

    #[test]
    fn constants_by_their_bits_have_a_sign() {
        assert_eq!(constant("0sb4_1111", false).map(|c| c.value), Some(-1));
        assert_eq!(constant("0h_ff", false).map(|c| (c.bits, c.value)), Some((8, 255)));
        assert_eq!(constant("0x_ff", false), None);
    }
}
