//! Specifications, and what is said to abstraction.

use tertium_base::Span;

use super::{Parser, Read};
use crate::ast::{Expr, Item, Name, SpecDecl, SpecKind};
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn spec(&mut self, kind: SpecKind, start: Span, items: &mut Vec<Item>) -> Read<()> {
        let name = self.given_name()?;
        let formula = self.expr()?;
        let context = self.context()?;
        self.take_mark(";");
        let span = Span::new(start.start, self.last_end());
        items.push(Item::Spec(SpecDecl { kind, name, formula, goal: None, context, span }));
        Ok(())
    }

    pub(super) fn compute(&mut self, start: Span, items: &mut Vec<Item>) -> Read<()> {
        let name = self.given_name()?;
        let kind = if self.take_word("MIN") {
            SpecKind::Least
        } else if self.take_word("MAX") {
            SpecKind::Most
        } else {
            return self.unexpected("`MIN` or `MAX`");
        };
        self.require("[")?;
        let formula = self.expr()?;
        self.require(",")?;
        let goal = Some(self.expr()?);
        self.require("]")?;
        let context = self.context()?;
        self.take_mark(";");
        let span = Span::new(start.start, self.last_end());
        items.push(Item::Spec(SpecDecl { kind, name, formula, goal, context, span }));
        Ok(())
    }

    fn given_name(&mut self) -> Read<Option<Name>> {
        if !self.take_word("NAME") {
            return Ok(None);
        }
        let name = self.path()?;
        self.require(":=")?;
        Ok(Some(name))
    }

    /// `IN a.b`: the instance in which the names of a specification are looked up.
    fn context(&mut self) -> Read<Option<Expr>> {
        if self.take_word("IN") { self.postfix().map(Some) } else { Ok(None) }
    }

    /// `PRED e`, `PRED n := e`, `PRED <n> := e`, each perhaps with a number first: a predicate for abstraction.
    pub(super) fn predicate(&mut self, items: &mut Vec<Item>) -> Read<()> {
        if self.take_mark("[") {
            self.index()?;
            self.require("]")?;
        }
        let name = if self.take_mark("<") {
            let name = self.path()?;
            self.require(">")?;
            Some(name)
        } else if matches!(self.kind(), TokenKind::Word(_)) && self.mark_after(":=") {
            Some(self.name()?)
        } else {
            None
        };
        if name.is_some() {
            self.require(":=")?;
        }
        let condition = self.expr()?;
        self.take_mark(";");
        items.push(Item::Predicate(name, condition));
        Ok(())
    }

    /// `MIRROR x`: a variable that abstraction keeps.
    pub(super) fn mirrored(&mut self, items: &mut Vec<Item>) -> Read<()> {
        items.push(Item::Mirror(self.postfix()?));
        self.take_mark(";");
        Ok(())
    }
}
