//! Which texts belong to a system?
//!
//! `import "file.gcl"` puts the declarations of another file beside those of this one. Reading files is not done here: whoever does (`tertium-load`) asks
//! [`imports`] which are wanted and puts all texts one behind the other with [`joined`]. Places then count over the whole, with one byte between two texts.

use tertium_base::{Diagnostic, Span};

use crate::ast::sugar::ItemSugar;
use crate::ast::{File, Item};
use crate::lexer::{FILE_SEPARATOR, TokenKind, lex};

/// What stands between two texts.
pub const SEPARATOR: &str = FILE_SEPARATOR;

/// The files that a text asks for, and where it does.
///
/// ```
/// let wanted = tertium_gcl::imports::imports("system s import \"lib.gcl\" var x : bool");
/// assert_eq!(wanted[0].0, "lib.gcl");
/// ```
#[must_use]
pub fn imports(text: &str) -> Vec<(String, Span)> {
    let tokens = lex(text).tokens;
    let word = |span: Span| &text[span.start..span.end];
    let mut found = Vec::new();
    for pair in tokens.windows(2) {
        if pair[0].kind == TokenKind::Word && word(pair[0].span) == "import" && pair[1].kind == TokenKind::Text {
            found.push((word(pair[1].span).trim_matches('"').to_owned(), pair[1].span));
        }
    }
    found
}

/// Texts one behind the other, the system's own first.
#[must_use]
pub fn joined(texts: &[&str]) -> String {
    texts.join(FILE_SEPARATOR)
}

/// The message for a file that cannot be imported.
pub fn refused(message: String, span: Span, why: String) -> Diagnostic {
    Diagnostic::error("E0426", message).at(span, why)
}

/// The messages for files that nobody has put in: a text that comes from no file has no folder to look in.
pub(crate) fn missing(file: &File, text: &str) -> Vec<Diagnostic> {
    if text.contains(FILE_SEPARATOR) {
        return Vec::new();
    }
    let wanted = file.items.iter().filter_map(|item| match item {
        Item::Sugar(sugar) => match sugar.as_ref() {
            ItemSugar::Import(name, span) => Some((name, *span)),
            _ => None,
        },
        _ => None,
    });
    let message = |(name, span): (&String, Span)| {
        refused(format!("`{name}` cannot be imported into a text without a file"), span, "not read".to_owned())
    };
    wanted.map(message).collect()
}
