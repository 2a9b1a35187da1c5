//! Types of variables, and instances of modules, which stand where types do.

use super::{KEYWORDS, Parser, Read};
use crate::ast::{Name, TypeExpr};
use crate::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn type_expr(&mut self) -> Read<TypeExpr> {
        let span = self.span();
        let word = if let TokenKind::Word(word) = self.kind() { word.clone() } else { String::new() };
        match word.as_str() {
            "boolean" => self.plain(TypeExpr::Boolean),
            "integer" => self.plain(TypeExpr::Integer),
            "real" | "clock" => self.refused(
                &format!("the type `{word}`"),
                span,
                "values are truth values, whole numbers, words and symbols",
            ),
            "Word" if !self.mark_after("[") => self.range_or_instance(),
            "unsigned" | "signed" | "word" | "Word" => {
                self.advance();
                let (signed, whole) = (word == "signed", matches!(word.as_str(), "word" | "Word"));
                if !whole && !self.take_word("word") && !self.take_word("Word") {
                    return self.unexpected("`word`");
                }
                self.require("[")?;
                let bits = self.sum()?;
                self.require("]")?;
                Ok(TypeExpr::Word { bits, signed })
            }
            "array" => {
                self.advance();
                if self.is_word("word") || self.is_word("Word") || self.is_word("integer") {
                    return self.refused(
                        "an array over all words or integers",
                        span,
                        "give its indices: `array 0..7 of T`",
                    );
                }
                let lo = self.sum()?;
                self.require("..")?;
                let hi = self.sum()?;
                if !self.take_word("of") {
                    return self.unexpected("`of`");
                }
                self.deeper()?;
                let element = self.type_expr();
                self.depth -= 1;
                Ok(TypeExpr::Array(lo, hi, Box::new(element?)))
            }
            "process" => {
                self.advance();
                let name = self.name()?;
                self.instance(name, true)
            }
            _ if self.take_mark("{") => {
                let members = self.list("}")?;
                self.require("}")?;
                Ok(TypeExpr::Enumeration(members))
            }
            _ => self.range_or_instance(),
        }
    }

    fn plain(&mut self, ty: TypeExpr) -> Read<TypeExpr> {
        self.advance();
        Ok(ty)
    }

    fn range_or_instance(&mut self) -> Read<TypeExpr> {
        let is_name = matches!(self.kind(), TokenKind::Word(word) if !KEYWORDS.contains(&word.as_str()));
        if is_name && (self.mark_after(";") || self.mark_after("(")) {
            let name = self.name()?;
            return self.instance(name, false);
        }
        let lo = self.sum()?;
        self.require("..")?;
        let hi = self.sum()?;
        Ok(TypeExpr::Range(lo, hi))
    }

    fn instance(&mut self, name: Name, process: bool) -> Read<TypeExpr> {
        let mut arguments = Vec::new();
        if self.take_mark("(") {
            arguments = self.list(")")?;
            self.require(")")?;
        }
        Ok(TypeExpr::Module { name, arguments, process })
    }
}
