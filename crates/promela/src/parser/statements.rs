//! Statements.

use tertium_base::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::ast::{Branch, Exclusive, Expr, ExprKind, ForLoop, ForRange, Label, LabelRef, Stmt, StmtKind, VarRef};
use crate::lexer::TokenKind;

impl Parser {
    /// `{ … }` as a body of a proctype: later declarations are steps, those at its beginning are not.
    pub(crate) fn body(&mut self) -> Parsed<(Vec<Stmt>, Span)> {
        self.started = false;
        let result = self.braces();
        self.started = false;
        result
    }

    /// `{ … }` inside a body; returns the statements and the closing brace.
    pub(crate) fn block(&mut self) -> Parsed<(Vec<Stmt>, Span)> {
        self.started = true;
        self.braces()
    }

    fn braces(&mut self) -> Parsed<(Vec<Stmt>, Span)> {
        self.expect_sign("{")?;
        let body = self.sequence("a statement");
        let end = self.expect_sign("}")?;
        Ok((body, end))
    }

    /// Statements up to something that ends a row of them. Mistakes inside are reported and skipped.
    fn sequence(&mut self, what: &str) -> Vec<Stmt> {
        let mut body = Vec::new();
        let before = self.diagnostics.len();
        loop {
            if self.at_closing() {
                // `;` before the end is allowed, nothing at all is not.
                if body.is_empty() && self.diagnostics.len() == before {
                    let _ = self.expected::<()>(what);
                }
                return body;
            }
            let start = self.at;
            match self.step() {
                Ok(stmt) => body.push(stmt),
                Err(_) => self.skip_statement(start),
            }
            if self.gave_up() || self.ends() {
                return body;
            }
            if !self.separator() && !self.at_closing() {
                self.missing_separator();
                if self.at == start {
                    self.advance();
                }
            }
        }
    }

    fn at_closing(&self) -> bool {
        let token = self.token();
        self.ends() || token.is_sign("}") || token.is_sign("::") || token.is_word("fi") || token.is_word("od")
    }

    /// `;` and `->`, any number. After `}` and `else` none is needed.
    fn separator(&mut self) -> bool {
        let last = &self.tokens[self.at.saturating_sub(1)];
        let mut found = last.is_sign("}") || last.is_word("else");
        while self.eat_sign(";") || self.eat_sign("->") {
            found = true;
        }
        found
    }

    fn missing_separator(&mut self) {
        let last = self.tokens[self.at.saturating_sub(1)].span;
        let token = self.token().clone();
        if let TokenKind::Bad(_) = token.kind {
            let _ = self.expected::<()>("`;`");
            return;
        }
        let diagnostic = Diagnostic::error("E0505", format!("expected `;` or `->` before `{}`", token.text))
            .at(token.span, "another statement begins here")
            .also(Span::new(last.end, last.end), "the separator is missing here")
            .help("put `;` or `->` between two statements");
        self.report(diagnostic);
    }

    /// Goes on behind the statement in which a mistake was found.
    fn skip_statement(&mut self, start: usize) {
        // The mistake may have been found behind brackets that belong to the statement: count from its beginning.
        let mut depth = 0i32;
        let mut position = start;
        while position < self.at {
            depth += nesting(&self.tokens[position]);
            position += 1;
        }
        loop {
            let token = self.token();
            let closing = nesting(token) < 0;
            let separates = token.is_sign(";") || token.is_sign("->") || token.is_sign("::");
            if self.ends() || (depth <= 0 && (closing || separates)) {
                if self.at == start && !self.ends() && !closing {
                    self.advance();
                }
                return;
            }
            depth += nesting(token);
            self.advance();
        }
    }

    /// A declaration, an `xr`/`xs` promise, a predicate or a statement, with `unless`.
    fn step(&mut self) -> Parsed<Stmt> {
        let start = self.span();
        if self.is_declaration() {
            let step = self.started;
            let vars = self.var_decl()?;
            return Ok(plain(StmtKind::Decl { vars, step }, self.since(start)));
        }
        if self.is_word("xr") || self.is_word("xs") {
            let which = if &*self.advance().text == "xr" { Exclusive::Receive } else { Exclusive::Send };
            let channels = self.separated(Self::var_ref)?;
            return Ok(plain(StmtKind::Exclusive(which, channels), self.since(start)));
        }
        if self.is_predicate() {
            self.advance();
            let predicate = self.full_expr()?;
            return Ok(plain(StmtKind::Pred(predicate), self.since(start)));
        }
        let body = self.statement()?;
        if !self.eat_word("unless") {
            return Ok(body);
        }
        let escape = self.statement()?;
        let span = self.since(body.span);
        // A label in front of the whole belongs to the whole.
        let mut body = body;
        let labels = std::mem::take(&mut body.labels);
        let is_block =
            matches!(body.kind, StmtKind::Block(_) | StmtKind::Atomic(_) | StmtKind::DStep(_) | StmtKind::Inline(_));
        if let Some(label) = labels.first().filter(|_| !is_block).or(escape.labels.first()) {
            let diagnostic = Diagnostic::error("E0514", "a part of `unless` has a label")
                .at(label.name.span, "not a place of its own")
                .help("put the label before the whole: `L: { … unless … }`");
            return self.error(diagnostic);
        }
        Ok(Stmt { labels, kind: StmtKind::Unless(Box::new(body), Box::new(escape)), span })
    }

    pub(crate) fn statement(&mut self) -> Parsed<Stmt> {
        let mut labels = Vec::new();
        while self.is_label() {
            let name = self.name()?;
            self.advance();
            let id = self.new_label();
            labels.push(Label { id, name });
            if self.is_declaration() || self.is_word("xr") || self.is_word("xs") {
                let diagnostic = Diagnostic::error("E0514", "a label stands before a declaration")
                    .at(labels[labels.len() - 1].name.span, "marks no statement")
                    .help("put the label before the first statement behind the declarations");
                return self.error(diagnostic);
            }
        }
        let start = self.span();
        if let Some(last) = labels.last()
            && (self.at_closing() || self.is_sign(";") || self.is_sign("->"))
        {
            let span = last.name.span;
            self.started = true;
            return Ok(Stmt { labels, kind: StmtKind::Expr(Expr { kind: ExprKind::Skip, span }), span });
        }
        let kind = self.nested(Self::statement_kind)?;
        self.started = true;
        Ok(Stmt { labels, kind, span: self.since(start) })
    }

    fn is_label(&self) -> bool {
        self.is_name()
            && self.next_token(1).is_sign(":")
            && !(self.proctypes.contains(&self.token().text) && super::is_name(self.next_token(2)))
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        self.embedded_c()?;
        let token = self.token().clone();
        if token.is_sign("{") {
            return Ok(StmtKind::Block(self.block()?.0));
        }
        if token.kind != TokenKind::Word {
            return Ok(StmtKind::Expr(self.full_expr()?));
        }
        match &*token.text {
            "if" => Ok(StmtKind::If(self.branches("fi")?)),
            "do" => Ok(StmtKind::Do(self.branches("od")?)),
            "atomic" | "d_step" => {
                self.advance();
                let body = self.block()?.0;
                Ok(if &*token.text == "atomic" { StmtKind::Atomic(body) } else { StmtKind::DStep(body) })
            }
            "for" => self.for_loop(),
            "select" => self.select(),
            "break" | "else" => {
                self.advance();
                Ok(if &*token.text == "break" { StmtKind::Break } else { StmtKind::Else })
            }
            "goto" => {
                self.advance();
                let id = self.new_ref();
                Ok(StmtKind::Goto(LabelRef { id, name: self.name()? }))
            }
            "assert" => {
                self.advance();
                Ok(StmtKind::Assert(self.full_expr()?))
            }
            "printf" => self.printf(),
            "printm" => self.printm(),
            "set_priority" => self.set_priority(),
            "return" => self.return_value(),
            _ if self.is_inline_call() => self.inline_call(None),
            _ if self.is_name() => self.begins_with_name(),
            _ => self.word_statement(),
        }
    }

    /// An expression, or a keyword in the wrong place.
    fn word_statement(&mut self) -> Parsed<StmtKind> {
        const EXPRESSIONS: &[&str] = &[
            "true",
            "false",
            "skip",
            "timeout",
            "np_",
            "len",
            "full",
            "empty",
            "nfull",
            "nempty",
            "enabled",
            "pc_value",
            "get_priority",
            "run",
        ];
        if EXPRESSIONS.contains(&&*self.token().text) {
            return Ok(StmtKind::Expr(self.full_expr()?));
        }
        self.expected("a statement")
    }

    /// Assignment, send, receive, or an expression that begins with a name.
    fn begins_with_name(&mut self) -> Parsed<StmtKind> {
        if self.next_token(1).is_sign("(") {
            return self.unknown_call();
        }
        let place = self.var_ref()?;
        let token = self.token().clone();
        if token.kind != TokenKind::Sign {
            return Ok(StmtKind::Expr(self.named_expr(place)?));
        }
        match &*token.text {
            "=" => {
                self.advance();
                if self.is_inline_call() {
                    return self.inline_call(Some(place));
                }
                Ok(StmtKind::Assign(place, self.full_expr()?))
            }
            "++" | "--" => {
                self.advance();
                Ok(if &*token.text == "++" { StmtKind::Increment(place) } else { StmtKind::Decrement(place) })
            }
            "!" | "!!" => {
                self.advance();
                let args = self.send_args()?;
                Ok(StmtKind::Send { channel: place, args, sorted: &*token.text == "!!" })
            }
            "?" | "??" if !self.next_token(1).is_sign("[") => {
                self.advance();
                let keep = self.eat_sign("<");
                let args = self.receive_args()?;
                if keep {
                    self.expect_sign(">")?;
                }
                Ok(StmtKind::Receive { channel: place, args, random: &*token.text == "??", keep })
            }
            _ => Ok(StmtKind::Expr(self.named_expr(place)?)),
        }
    }

    fn named_expr(&mut self, place: VarRef) -> Parsed<Expr> {
        let first = self.reference(place)?;
        self.expr_from(first)
    }

    fn unknown_call(&mut self) -> Parsed<StmtKind> {
        let token = self.token().clone();
        let mut diagnostic = Diagnostic::error("E0509", format!("no inline is named `{}`", token.text))
            .at(token.span, "called here")
            .note("an inline or macro must be defined before its first call");
        let inlines: Vec<String> = self.inlines.keys().map(ToString::to_string).collect();
        let known = inlines.iter().map(String::as_str);
        if self.proctypes.contains(&token.text) {
            diagnostic = diagnostic.help(format!("to start a process write `run {}(…)`", token.text));
        } else if let Some(close) = tertium_base::diagnostic::closest_name(&token.text, known) {
            diagnostic = diagnostic.help(format!("an inline with a similar name exists: `{close}`"));
        } else if let Some(close) = Self::close_keyword(&token.text) {
            diagnostic = diagnostic.help(format!("a word of the language is similar: `{close}`"));
        }
        self.error(diagnostic)
    }

    fn branches(&mut self, end: &str) -> Parsed<Vec<Branch>> {
        let start = self.advance().span;
        // The end of a line before the first `::` is no separator.
        self.eat_sign(";");
        let mut all = Vec::new();
        while self.is_sign("::") {
            let start = self.advance().span;
            self.started = true;
            let body = self.sequence("a statement behind `::`");
            all.push(Branch { body, span: self.since(start) });
        }
        if !self.is_word(end) {
            let what = if all.is_empty() { "`::`".to_owned() } else { format!("`::` or `{end}`") };
            return self.expected(&what);
        }
        if all.is_empty() {
            let diagnostic = Diagnostic::error("E0505", "there is no option to choose from");
            return self.error(diagnostic.at(start, "has no `::`"));
        }
        self.advance();
        Ok(all)
    }

    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.advance();
        self.expect_sign("(")?;
        let var = self.var_ref()?;
        let over = if self.eat_word("in") {
            ForRange::In(self.var_ref()?)
        } else if self.eat_sign(":") {
            let (from, to) = self.range()?;
            ForRange::Range(from, to)
        } else {
            return self.expected("`:` or `in`");
        };
        self.expect_sign(")")?;
        while self.eat_sign(";") {}
        let body = self.block()?.0;
        Ok(StmtKind::For(Box::new(ForLoop { var, over, body })))
    }

    fn select(&mut self) -> Parsed<StmtKind> {
        self.advance();
        self.expect_sign("(")?;
        let var = self.var_ref()?;
        self.expect_sign(":")?;
        let (from, to) = self.range()?;
        self.expect_sign(")")?;
        Ok(StmtKind::Select(var, from, to))
    }

    fn range(&mut self) -> Parsed<(Expr, Expr)> {
        let from = self.expr()?;
        self.expect_sign("..")?;
        Ok((from, self.expr()?))
    }

    fn printf(&mut self) -> Parsed<StmtKind> {
        self.advance();
        self.expect_sign("(")?;
        if self.token().kind != TokenKind::Text {
            return self.expected("a text in quotation marks");
        }
        let mut format = String::new();
        while self.token().kind == TokenKind::Text {
            let text = self.advance().text;
            format.push_str(text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(""));
        }
        let args = if self.eat_sign(",") { self.separated(Self::expr)? } else { Vec::new() };
        self.expect_sign(")")?;
        Ok(StmtKind::Printf(format, args))
    }

    fn printm(&mut self) -> Parsed<StmtKind> {
        self.advance();
        self.expect_sign("(")?;
        let value = self.expr()?;
        self.expect_sign(")")?;
        Ok(StmtKind::Printm(value))
    }

    fn set_priority(&mut self) -> Parsed<StmtKind> {
        self.advance();
        self.expect_sign("(")?;
        let pid = self.expr()?;
        self.expect_sign(",")?;
        let value = self.expr()?;
        self.expect_sign(")")?;
        Ok(StmtKind::SetPriority(pid, value))
    }

    /// `return e` is an assignment to what the call of the inline is assigned to.
    fn return_value(&mut self) -> Parsed<StmtKind> {
        let start = self.advance().span;
        let value = self.full_expr()?;
        match self.calls.last().and_then(|call| call.result.clone()) {
            Some(place) => Ok(StmtKind::Assign(place, value)),
            None => {
                let diagnostic = Diagnostic::error("E0509", "`return` gives its value to nothing").at(start, "here");
                self.error(diagnostic.help("`return` belongs into an inline that is called as `v = f(…)`"))
            }
        }
    }
}

/// What a token adds to the number of open brackets.
fn nesting(token: &crate::lexer::Token) -> i32 {
    match (token.kind, &*token.text) {
        (TokenKind::Sign, "{" | "(" | "[") | (TokenKind::Word, "if" | "do") => 1,
        (TokenKind::Sign, "}" | ")" | "]") | (TokenKind::Word, "fi" | "od") => -1,
        _ => 0,
    }
}

fn plain(kind: StmtKind, span: Span) -> Stmt {
    Stmt { labels: Vec::new(), kind, span }
}
