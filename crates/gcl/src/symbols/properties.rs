//! Names that formulas use: in atoms, and as players.

use tertium_base::SymbolKind;

use super::Namer;
use crate::ast::{Ident, PropertyDecl};
use crate::formula::atoms_of;
use crate::lexer::{Token, TokenKind};

impl Namer<'_> {
    pub(super) fn property(&mut self, decl: &PropertyDecl) {
        let families = |name: &str| self.processes.get(name).is_some_and(|inside| inside.index.is_some());
        let (binder, atoms) = atoms_of(self.text, self.tokens, decl, &families);
        if let Some(binder) = binder {
            self.use_global(&binder.family);
            binder.range.iter().for_each(|range| self.range(range));
            for name in &binder.names {
                let detail = match &binder.range {
                    Some(range) => format!("a number of {}", self.snippet(range.lo.span.to(range.hi.span))),
                    None => format!("a member of {}", binder.family.name),
                };
                let symbol = self.symbol(name, SymbolKind::Parameter, name.span, detail, None);
                self.bound.insert(name.name.clone(), symbol);
            }
        }
        for atom in atoms {
            self.expr(&atom);
        }
        self.players(decl);
        self.bound.clear();
    }

    /// Processes in `<<P, Q[i]>>` and `[[P]]`, and what numbers their members.
    fn players(&mut self, decl: &PropertyDecl) {
        let tokens = self.tokens;
        let mut open: Option<&str> = None;
        for pair in tokens[decl.tokens.clone()].windows(2) {
            let (token, next) = (&pair[0], &pair[1]);
            match (open, token.kind) {
                (None, TokenKind::Sign("<")) if doubled(token, next) => open = Some(">"),
                (None, TokenKind::Sign("[")) if doubled(token, next) => open = Some("]"),
                (Some(closer), TokenKind::Sign(sign)) if sign == closer && doubled(token, next) => open = None,
                (Some(_), TokenKind::Word) => {
                    let name = self.text[token.span.start..token.span.end].to_owned();
                    self.player(&Ident { name, span: token.span });
                }
                _ => {}
            }
        }
    }

    fn player(&mut self, name: &Ident) {
        if let Some(&symbol) = self.bound.get(name.name.as_str()) {
            self.table.use_at(name.span, symbol);
        } else if self.processes.contains_key(name.name.as_str()) {
            self.use_global(name);
        }
    }
}

/// Whether two brackets stand together.
fn doubled(token: &Token, next: &Token) -> bool {
    token.kind == next.kind && token.span.end == next.span.start
}
