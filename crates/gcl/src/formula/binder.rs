//! Which members of a family does a formula speak of? `forall i != j in P :` before it.

use crate::ast::Ident;
use crate::lexer::TokenKind;
use crate::parser::{Parsed, Parser};

/// `forall i != j in P :` before a formula: pairwise different members of a family.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Binder {
    /// The names of the members.
    pub names: Vec<Ident>,
    /// The family.
    pub family: Ident,
    /// How many tokens it takes.
    pub(super) length: usize,
}

/// What a formula begins with, if it speaks of members of a family.
pub(crate) fn binder(parser: &mut Parser<'_>) -> Parsed<Option<Binder>> {
    let introduces =
        |kind: TokenKind, text: &str| kind == TokenKind::Sign("!=") || (kind == TokenKind::Word && text == "in");
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
