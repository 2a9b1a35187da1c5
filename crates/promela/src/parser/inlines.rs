//! What does a call of an `inline` stand for?
//!
//! For the tokens of its body with the arguments put in, read where the call stands: names in it mean what they
//! mean there. Spin does the same.

use std::rc::Rc;

use tertium_base::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::ast::{Ident, Inlined, Stmt, StmtKind, VarRef};
use crate::lexer::{Token, TokenKind};

/// Calls may be nested this deep.
const DEEPEST: usize = 16;
/// Calls may make this many tokens.
const MOST: usize = 1_000_000;

/// The definition of an `inline`.
#[derive(Debug)]
pub(crate) struct Inline {
    name: Ident,
    params: Vec<Rc<str>>,
    /// From `{` to `}`.
    body: Vec<Token>,
}

/// A call being read.
pub(crate) struct Call {
    /// Which, and where the call stands.
    pub name: Ident,
    /// What `return` assigns to.
    pub result: Option<VarRef>,
}

impl Parser {
    /// `inline f(a, b) { … }`.
    pub(crate) fn inline(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.name()?;
        self.expect_sign("(")?;
        let params = if self.is_sign(")") { Vec::new() } else { self.separated(Self::name)? };
        self.expect_sign(")")?;
        self.eat_sign(";");
        if !self.is_sign("{") {
            return self.expected("`{`");
        }
        let start = self.at;
        self.skip_brackets("{", "}");
        let body = self.tokens[start..self.at].to_vec();
        if !body.last().is_some_and(|token| token.is_sign("}")) {
            return self.expected("`}`");
        }
        if let Some(old) = self.inlines.get(name.name.as_str()) {
            let diagnostic = Diagnostic::error("E0511", format!("`{}` is defined twice", name.name))
                .at(name.span, "second definition")
                .also(old.name.span, "first definition");
            self.report(diagnostic);
        }
        if self.proctypes.contains(name.name.as_str()) {
            let diagnostic = Diagnostic::error("E0511", format!("`{}` is the name of a `proctype`, too", name.name))
                .at(name.span, "the name of an `inline`")
                .help("choose another name for one of them");
            self.report(diagnostic);
        }
        let params = params.into_iter().map(|param| param.name.as_str().into()).collect();
        self.inlines.insert(name.name.as_str().into(), Rc::new(Inline { name, params, body }));
        Ok(())
    }

    /// Whether a call of an inline comes next.
    pub(crate) fn is_inline_call(&self) -> bool {
        self.token().kind == TokenKind::Word
            && self.inlines.contains_key(&self.token().text)
            && self.next_token(1).is_sign("(")
    }

    /// `f(x, y)` as a statement, or what stands behind `v =`.
    pub(crate) fn inline_call(&mut self, result: Option<VarRef>) -> Parsed<StmtKind> {
        let name = self.name()?;
        let Some(inline) = self.inlines.get(name.name.as_str()).cloned() else { return self.expected("a statement") };
        let arguments = self.inline_arguments()?;
        let call = Call { name: Ident { span: self.since(name.span), ..name }, result };
        self.check_call(&inline, &call, arguments.len())?;
        let tokens = self.instantiate(&inline, &arguments, call.name.span)?;
        let body = self.read_instance(tokens, call)?;
        Ok(StmtKind::Inline(body))
    }

    fn check_call(&mut self, inline: &Inline, call: &Call, given: usize) -> Parsed<()> {
        let name = &call.name.name;
        if given != inline.params.len() {
            let message = format!("`{name}` has {} parameters, but {given} are given", inline.params.len());
            let diagnostic = Diagnostic::error("E0509", message).at(call.name.span, "called here");
            return self.error(diagnostic.also(inline.name.span, "defined here"));
        }
        if self.calls.iter().any(|outer| outer.name.name == *name) {
            let diagnostic = Diagnostic::error("E0509", format!("`{name}` calls itself"))
                .at(call.name.span, "called here")
                .note("an `inline` is put in place of its call, so it cannot call itself")
                .help("use a loop, or a proctype that is started with `run`");
            return self.error(diagnostic);
        }
        if self.calls.len() >= DEEPEST {
            let message = format!("inlines call each other more than {DEEPEST} levels deep");
            return self.error(Diagnostic::error("E0509", message).at(call.name.span, "too deep here"));
        }
        Ok(())
    }

    /// `(x + 1, y[2])` as rows of tokens.
    fn inline_arguments(&mut self) -> Parsed<Vec<Vec<Token>>> {
        self.expect_sign("(")?;
        let mut all = vec![Vec::new()];
        let mut depth = 0u32;
        loop {
            if self.ends() || self.is_sign("}") || self.is_sign("{") {
                return self.expected("`)`");
            }
            if self.is_sign(")") && depth == 0 {
                break;
            }
            let token = self.advance();
            if token.is_sign("(") || token.is_sign("[") {
                depth += 1;
            } else if token.is_sign(")") || token.is_sign("]") {
                depth = depth.saturating_sub(1);
            }
            if token.is_sign(",") && depth == 0 {
                all.push(Vec::new());
            } else if let Some(last) = all.last_mut() {
                last.push(token);
            }
        }
        self.advance();
        if all.len() == 1 && all[0].is_empty() {
            all.clear();
        }
        Ok(all)
    }

    fn instantiate(&mut self, inline: &Inline, arguments: &[Vec<Token>], call: Span) -> Parsed<Vec<Token>> {
        let mut tokens = Vec::with_capacity(inline.body.len() + 1);
        for token in &inline.body {
            let param = inline.params.iter().position(|param| token.kind == TokenKind::Word && *param == token.text);
            match param.and_then(|position| arguments.get(position)) {
                // In place of the parameter, so that a statement's span stays inside the definition.
                Some(argument) => tokens.extend(argument.iter().map(|part| Token { span: token.span, ..part.clone() })),
                None => tokens.push(token.clone()),
            }
        }
        self.made += tokens.len();
        if self.made > MOST {
            let diagnostic =
                Diagnostic::error("E0509", format!("calls of inlines make more than {MOST} words of text"))
                    .at(call, "the last one that is put in");
            // One message is enough: nothing more is read.
            let end = self.tokens.len() - 1;
            self.at = end;
            return self.error(diagnostic);
        }
        let span = inline.body.last().map_or(call, |last| last.span);
        tokens.push(Token { kind: TokenKind::End, text: "".into(), span, ..inline.body[0].clone() });
        Ok(tokens)
    }

    /// Reads the tokens of a call, then goes on behind it.
    fn read_instance(&mut self, tokens: Vec<Token>, call: Call) -> Parsed<Inlined> {
        let name = call.name.clone();
        let outer = std::mem::replace(&mut self.tokens, tokens.into());
        let at = std::mem::replace(&mut self.at, 0);
        self.calls.push(call);
        let body: Parsed<Vec<Stmt>> = self.nested(|parser| parser.block().map(|(body, _)| body));
        self.calls.pop();
        self.tokens = outer;
        self.at = at;
        Ok(Inlined { name, body: body? })
    }
}
