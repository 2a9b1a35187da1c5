//! Which words and signs does the text consist of?
//!
//! Every byte is part of a token, a comment or white space. A sign that no token begins with is reported and
//! skipped, so the parser always gets something to work with.

use tertium_base::{Diagnostic, Span};

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or a keyword.
    Word,
    /// A number.
    Int,
    /// `"text"`.
    Text,
    /// A sign, as written.
    Sign(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where.
    pub span: Span,
}

/// Words that cannot be names.
pub const KEYWORDS: &[&str] = &[
    "and",
    "array",
    "assert",
    "assume",
    "atomic",
    "await",
    "bool",
    "choose",
    "const",
    "deadlock",
    "define",
    "div",
    "do",
    "else",
    "environment",
    "fair",
    "false",
    "function",
    "goto",
    "if",
    "in",
    "init",
    "int",
    "keep",
    "loop",
    "mod",
    "nat",
    "not",
    "of",
    "or",
    "predicate",
    "process",
    "property",
    "skip",
    "spotlight",
    "stop",
    "strong",
    "system",
    "then",
    "true",
    "type",
    "var",
    "when",
    "while",
];

/// Words that begin an item.
pub const ITEMS: &[&str] = &[
    "system",
    "const",
    "type",
    "var",
    "init",
    "define",
    "function",
    "process",
    "predicate",
    "spotlight",
    "keep",
    "fair",
    "strong",
    "environment",
    "property",
];

/// What stands between the texts of a system and those that it imports: the file separator of ASCII.
pub const FILE_SEPARATOR: &str = "\u{1c}";

/// Signs, longer ones before their beginnings.
const SIGNS: &[&str] = &[
    "<->",
    "<=>",
    ":=",
    "+=",
    "-=",
    "..",
    "==",
    "!=",
    "<=",
    ">=",
    "&&",
    "||",
    "->",
    "=>",
    "\\/",
    "/\\",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    "=",
    "<",
    ">",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "~",
    "&",
    "|",
    ".",
    "@",
    "^",
    "?",
    FILE_SEPARATOR,
];

/// Words that begin an item where a name (or, for `import`, a text) follows; elsewhere they are names.
pub const SOFT_ITEMS: &[&str] = &["chan", "compassion", "import", "invariant", "procedure"];

/// Words with a meaning of their own in some places, which are names everywhere else.
pub const SOFT_WORDS: &[&str] = &[
    "bits",
    "capacity",
    "card",
    "chan",
    "compassion",
    "count",
    "exists",
    "for",
    "forall",
    "import",
    "invariant",
    "len",
    "max",
    "min",
    "procedure",
    "record",
    "set",
    "sum",
];

/// Whether an item begins with the first of three tokens, given by their texts.
#[must_use]
pub fn begins_item(tokens: [&str; 3]) -> bool {
    let name = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && KEYWORDS.binary_search(&word).is_err()
    };
    match tokens {
        ["compassion", "(", _] => true,
        ["import", text, _] => text.starts_with('"'),
        ["chan", first, then] => name(first) && [":", ",", "["].contains(&then),
        ["invariant", first, then] => name(first) && then == ":",
        ["procedure", first, then] => name(first) && then == "(",
        [word, ..] => word == FILE_SEPARATOR || ITEMS.contains(&word),
    }
}

/// A comment, `//…` or `/*…*/`.
pub type Comment = Span;

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Lexed {
    /// The tokens; the last one is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// The comments.
    pub comments: Vec<Comment>,
    /// What could not be read.
    pub diagnostics: Vec<Diagnostic>,
}

/// Splits a text into tokens.
#[must_use]
pub fn lex(text: &str) -> Lexed {
    let mut lexed = Lexed { tokens: Vec::new(), comments: Vec::new(), diagnostics: Vec::new() };
    let mut at = 0;
    while at < text.len() {
        at = next(text, at, &mut lexed);
    }
    lexed.tokens.push(Token { kind: TokenKind::End, span: Span::new(text.len(), text.len()) });
    lexed
}

/// Reads what begins at `at`; returns where it ends.
fn next(text: &str, at: usize, lexed: &mut Lexed) -> usize {
    let rest = &text[at..];
    let first = rest.chars().next().unwrap_or(' ');
    let run = |accept: fn(char) -> bool| at + rest.find(|c| !accept(c)).unwrap_or(rest.len());
    let mut token = |kind, end| {
        lexed.tokens.push(Token { kind, span: Span::new(at, end) });
        end
    };
    if first.is_whitespace() {
        return run(char::is_whitespace);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        return token(TokenKind::Word, run(|c| c.is_ascii_alphanumeric() || c == '_'));
    }
    if first.is_ascii_digit() {
        return token(TokenKind::Int, run(|c| c.is_ascii_digit()));
    }
    if rest.starts_with("//") {
        let end = at + rest.find('\n').unwrap_or(rest.len());
        lexed.comments.push(Span::new(at, end));
        return end;
    }
    if rest.starts_with("/*") {
        return block_comment(text, at, lexed);
    }
    if first == '"' {
        return quoted(text, at, lexed);
    }
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return token(TokenKind::Sign(sign), at + sign.len());
    }
    let end = at + first.len_utf8();
    let diagnostic = Diagnostic::error("E0401", format!("`{}` has no meaning here", first.escape_debug()));
    lexed.diagnostics.push(diagnostic.at(Span::new(at, end), "unexpected character"));
    end
}

fn block_comment(text: &str, at: usize, lexed: &mut Lexed) -> usize {
    let end = text[at + 2..].find("*/").map(|inside| at + 2 + inside + 2);
    if end.is_none() {
        let diagnostic = Diagnostic::error("E0401", "this comment does not end");
        lexed.diagnostics.push(diagnostic.at(Span::new(at, at + 2), "begins here").help("end it with `*/`"));
    }
    let end = end.unwrap_or(text.len());
    lexed.comments.push(Span::new(at, end));
    end
}

fn quoted(text: &str, at: usize, lexed: &mut Lexed) -> usize {
    let line = &text[at + 1..];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let Some(inside) = line.find('"') else {
        let end = at + 1 + line.len();
        let diagnostic = Diagnostic::error("E0401", "this quotation does not end on its line");
        lexed.diagnostics.push(diagnostic.at(Span::new(at, end), "no closing `\"`").help("end it with `\"`"));
        return end;
    };
    let end = at + 1 + inside + 1;
    lexed.tokens.push(Token { kind: TokenKind::Text, span: Span::new(at, end) });
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let lexed = lex(text);
        assert_eq!(lexed.diagnostics, []);
        lexed.tokens.iter().map(|token| &text[token.span.start..token.span.end]).collect()
    }

    #[test]
    fn takes_the_longest_sign() {
        assert_eq!(words("a<->b<=>c:=1..n"), ["a", "<->", "b", "<=>", "c", ":=", "1", "..", "n", ""]);
        assert_eq!(words("x<-1 // c\n/* d */ y"), ["x", "<", "-", "1", "y", ""]);
    }

    #[test]
    fn goes_on_after_what_it_cannot_read() {
        let lexed = lex("x # y é \"open\nz /* end");
        assert_eq!(lexed.diagnostics.len(), 4);
        assert_eq!(lexed.tokens.len(), 4);
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
        assert!(ITEMS.iter().all(|item| KEYWORDS.binary_search(item).is_ok()));
        assert!(SOFT_WORDS.is_sorted() && SOFT_WORDS.iter().all(|word| KEYWORDS.binary_search(word).is_err()));
        assert!(SOFT_ITEMS.iter().all(|item| SOFT_WORDS.contains(item)));
    }

    #[test]
    fn words_of_the_language_that_may_be_names() {
        assert!(
            begins_item(["chan", "c", ":"])
                && begins_item(["import", "\"a\"", "var"])
                && begins_item(["var", "x", ":"])
        );
        assert!(
            !begins_item(["chan", ":=", "1"])
                && !begins_item(["invariant", "&&", "x"])
                && !begins_item(["x", ":", "y"])
        );
    }
}
