//! Tokens to tree: modules and what they declare. Expressions and formulas are read by `exprs`.
//!
//! Mistakes are collected; after one, reading goes on at the next declaration.

mod exprs;
mod specs;
mod types;
mod words;

use tertium_base::{Diagnostic, Span};

pub use self::words::KEYWORDS;
use self::words::begins_declaration;
use crate::ast::{
    AssignDecl, AssignKind, ConstraintKind, Expr, ExprKind, Item, Model, Module, Name, SpecKind, VarDecl, VarKind,
};
use crate::lexer::{Token, TokenKind, tokens};

/// Expressions may be nested this deep.
const DEEPEST: usize = 200;

/// Nothing: what went wrong is noted.
pub(crate) struct Wrong;
type Read<T> = Result<T, Wrong>;

/// Reads tokens one after the other.
pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// Whether a `U` belongs to a quantifier around.
    inside_path: bool,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads a whole text.
pub(crate) fn parse(text: &str) -> (Model, Vec<Diagnostic>) {
    let mut parser = Parser::new(text);
    let model = parser.model();
    (model, parser.diagnostics)
}

/// Reads one expression or formula that is the whole text.
pub(crate) fn parse_expr(text: &str) -> (Option<Expr>, Vec<Diagnostic>) {
    let mut parser = Parser::new(text);
    let read = parser.expr().ok();
    if read.is_some() && parser.kind() != &TokenKind::End {
        let _: Read<()> = parser.unexpected("the end of the formula");
    }
    let diagnostics = parser.diagnostics;
    (read.filter(|_| diagnostics.is_empty()), diagnostics)
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        let (tokens, diagnostics) = tokens(text);
        Self { text, tokens, at: 0, depth: 0, inside_path: false, diagnostics }
    }

    fn kind(&self) -> &TokenKind {
        &self.tokens[self.at].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The end of the last token that was read.
    fn last_end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].span.end
    }

    fn from(&self, start: usize) -> Span {
        Span::new(start, self.last_end().max(start))
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), TokenKind::Word(found) if found == word)
    }

    fn is_mark(&self, mark: &str) -> bool {
        *self.kind() == TokenKind::Mark(mark_of(mark))
    }

    fn mark_after(&self, mark: &str) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|token| token.kind == TokenKind::Mark(mark_of(mark)))
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn require(&mut self, mark: &str) -> Read<()> {
        if self.take_mark(mark) { Ok(()) } else { self.unexpected(&format!("`{mark}`")) }
    }

    fn unexpected<T>(&mut self, wanted: &str) -> Read<T> {
        let span = self.span();
        let found = match self.kind() {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", &self.text[span.start..span.end]),
        };
        let error =
            Diagnostic::error("E0703", format!("{wanted} should stand here, not {found}")).at(span, "unexpected");
        self.fail(error)
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Read<T> {
        self.diagnostics.push(diagnostic);
        Err(Wrong)
    }

    /// A construct that is known and not taken.
    fn refused<T>(&mut self, what: &str, span: Span, help: &str) -> Read<T> {
        self.fail(Diagnostic::error("E0704", format!("{what} cannot be read")).at(span, "not supported").help(help))
    }

    fn name(&mut self) -> Read<Name> {
        let span = self.span();
        match self.kind() {
            TokenKind::Word(word) if !KEYWORDS.contains(&word.as_str()) => {
                let name = Name { name: word.clone(), span };
                self.advance();
                Ok(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    fn model(&mut self) -> Model {
        let mut model = Model::default();
        while *self.kind() != TokenKind::End {
            let before = self.at;
            match self.module() {
                Ok(module) => model.modules.push(module),
                Err(Wrong) => {
                    while *self.kind() != TokenKind::End && !self.is_word("MODULE") || self.at == before {
                        if *self.kind() == TokenKind::End {
                            break;
                        }
                        self.advance();
                    }
                }
            }
        }
        model
    }

    fn module(&mut self) -> Read<Module> {
        if !self.take_word("MODULE") {
            return self.unexpected("`MODULE`");
        }
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.take_mark("(") {
            while !self.is_mark(")") {
                parameters.push(self.name()?);
                if !self.take_mark(",") {
                    break;
                }
            }
            self.require(")")?;
        }
        self.take_mark(";");
        let mut items = Vec::new();
        while *self.kind() != TokenKind::End && !self.is_word("MODULE") {
            let before = self.at;
            if self.section(&mut items).is_err() {
                self.skip_section(before);
            }
        }
        Ok(Module { name, parameters, items })
    }

    /// Goes on at the next declaration.
    fn skip_section(&mut self, before: usize) {
        if self.at == before {
            self.advance();
        }
        while *self.kind() != TokenKind::End && !self.at_section() {
            self.advance();
        }
    }

    fn at_section(&self) -> bool {
        matches!(self.kind(), TokenKind::Word(word) if begins_declaration(word))
    }

    fn section(&mut self, items: &mut Vec<Item>) -> Read<()> {
        let start = self.span();
        let TokenKind::Word(word) = self.kind().clone() else { return self.unexpected("a declaration") };
        if word == "MODULE" || !begins_declaration(&word) {
            return self.unexpected("a declaration such as `VAR` or `ASSIGN`");
        }
        self.advance();
        match word.as_str() {
            "VAR" => self.variables(VarKind::State, items),
            "IVAR" => self.variables(VarKind::Input, items),
            "FROZENVAR" => self.variables(VarKind::Frozen, items),
            "DEFINE" | "MDEFINE" => self.defines(items),
            "CONSTANTS" => self.constants(items),
            "ASSIGN" => self.assigns(items),
            "INIT" => self.constraint(ConstraintKind::Init, items),
            "TRANS" => self.constraint(ConstraintKind::Trans, items),
            "INVAR" => self.constraint(ConstraintKind::Invar, items),
            "FAIRNESS" | "JUSTICE" => self.constraint(ConstraintKind::Justice, items),
            "COMPASSION" => self.compassion(items),
            "SPEC" | "CTLSPEC" => self.spec(SpecKind::Ctl, start, items),
            "LTLSPEC" => self.spec(SpecKind::Ltl, start, items),
            "INVARSPEC" => self.spec(SpecKind::Invariant, start, items),
            "COMPUTE" => self.compute(start, items),
            "PSLSPEC" => self.refused("`PSLSPEC`", start, "write the property as `LTLSPEC` or `CTLSPEC`"),
            "ISA" => self.inherited(items),
            "PRED" => self.predicate(items),
            "MIRROR" => self.mirrored(items),
            other => {
                let what = format!("`{other}`");
                self.refused(&what, start, "leave it out")
            }
        }
    }

    /// A name with points and indices, as in models that were flattened: `VAR e1.token : boolean; a[0] : boolean;`.
    fn path(&mut self) -> Read<Name> {
        let mut name = self.name()?;
        let start = name.span.start;
        loop {
            let longer = if self.take_mark(".") {
                format!("{}.{}", name.name, self.field()?.name)
            } else if self.take_mark("[") {
                let index = self.index()?;
                self.require("]")?;
                format!("{}[{index}]", name.name)
            } else {
                return Ok(name);
            };
            name = Name { name: longer, span: self.from(start) };
        }
    }

    /// A number with its sign, as names that are declared have it.
    fn index(&mut self) -> Read<i64> {
        let negative = self.take_mark("-");
        let TokenKind::Number(number) = *self.kind() else { return self.unexpected("a number") };
        self.advance();
        Ok(if negative { -number } else { number })
    }

    fn variables(&mut self, kind: VarKind, items: &mut Vec<Item>) -> Read<()> {
        while !self.at_section() && *self.kind() != TokenKind::End {
            let name = self.path()?;
            self.require(":")?;
            let ty = self.type_expr()?;
            self.require(";")?;
            items.push(Item::Var(VarDecl { kind, name, ty }));
        }
        Ok(())
    }

    /// Expressions with commas between them, up to a mark.
    fn list(&mut self, end: &str) -> Read<Vec<Expr>> {
        let mut members = Vec::new();
        while !self.is_mark(end) {
            members.push(self.expr()?);
            if !self.take_mark(",") {
                break;
            }
        }
        Ok(members)
    }

    fn defines(&mut self, items: &mut Vec<Item>) -> Read<()> {
        while !self.at_section() && *self.kind() != TokenKind::End {
            let target = self.postfix()?;
            let defined = match target.kind {
                ExprKind::Name(name) => Ok((None, Name { name, span: target.span })),
                ExprKind::Field(of, name) => Ok((Some(*of), name)),
                _ => Err(target.span),
            };
            let (of, name) = match defined {
                Ok(defined) => defined,
                Err(span) => {
                    let error = Diagnostic::error("E0703", "a name should stand here, or a path to one");
                    return self.fail(error.at(span, "cannot be defined"));
                }
            };
            self.require(":=")?;
            let value = self.expr()?;
            self.require(";")?;
            items.push(match of {
                Some(of) => Item::DefineIn(of, name, value),
                None => Item::Define(name, value),
            });
        }
        Ok(())
    }

    fn constants(&mut self, items: &mut Vec<Item>) -> Read<()> {
        let mut names = Vec::new();
        while !self.is_mark(";") {
            match self.kind() {
                TokenKind::Number(_) => self.advance(),
                _ => names.push(self.path()?),
            }
            if !self.take_mark(",") {
                break;
            }
        }
        self.require(";")?;
        items.push(Item::Constants(names));
        Ok(())
    }

    fn assigns(&mut self, items: &mut Vec<Item>) -> Read<()> {
        while !self.at_section() && *self.kind() != TokenKind::End {
            let start = self.span().start;
            let kind = match self.kind() {
                TokenKind::Word(word) if word == "init" => AssignKind::Init,
                TokenKind::Word(word) if word == "next" => AssignKind::Next,
                _ => AssignKind::Current,
            };
            let target = if kind == AssignKind::Current {
                self.postfix()?
            } else {
                self.advance();
                self.require("(")?;
                let target = self.postfix()?;
                self.require(")")?;
                target
            };
            self.require(":=")?;
            let value = self.expr()?;
            let span = self.from(start);
            self.require(";")?;
            items.push(Item::Assign(AssignDecl { kind, target, value, span }));
        }
        Ok(())
    }

    fn constraint(&mut self, kind: ConstraintKind, items: &mut Vec<Item>) -> Read<()> {
        let condition = self.expr()?;
        self.take_mark(";");
        items.push(Item::Constraint(kind, condition));
        Ok(())
    }

    fn compassion(&mut self, items: &mut Vec<Item>) -> Read<()> {
        self.require("(")?;
        let often = self.expr()?;
        self.require(",")?;
        let then = self.expr()?;
        self.require(")")?;
        self.take_mark(";");
        items.push(Item::Compassion(often, then));
        Ok(())
    }

    /// `ISA m`: what the other module declares is declared here.
    fn inherited(&mut self, items: &mut Vec<Item>) -> Read<()> {
        items.push(Item::Inherits(self.name()?));
        self.take_mark(";");
        Ok(())
    }

    fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth <= DEEPEST {
            return Ok(());
        }
        self.depth -= 1;
        let span = self.span();
        let message = format!("expressions are nested more than {DEEPEST} deep");
        self.fail(Diagnostic::error("E0705", message).at(span, "too deep").help("name a part of it with `DEFINE`"))
    }
}

/// Marks are compared by their text.
fn mark_of(mark: &str) -> &'static str {
    crate::lexer::mark(mark)
}
