//! Statements and blocks.

use tertium_base::Diagnostic;

use super::{Parsed, Parser};
use crate::ast::sugar::StmtSugar;
use crate::ast::{Assignment, Block, Expr, Ident, Range, Source, Stmt, StmtKind, Target};
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `{ statement… }`.
    pub(crate) fn block(&mut self) -> Parsed<Block> {
        self.nested(|p| {
            p.expect_sign("{")?;
            let block = p.statements();
            p.expect_sign("}")?;
            Ok(block)
        })
    }

    /// Statements up to a closing brace. Mistakes are skipped over.
    pub(crate) fn statements(&mut self) -> Block {
        let mut block = Block::new();
        while !self.is_sign("}") && !self.ends() && !self.gave_up() {
            if self.eat_sign(";") {
                continue;
            }
            if self.is_item() && !self.is_word("var") {
                break;
            }
            match self.statement() {
                Ok(statement) => block.push(statement),
                Err(_) => self.skip_statement(),
            }
        }
        block
    }

    /// Skips to after the next `;`, or to the `}` that closes this block.
    pub(crate) fn skip_statement(&mut self) {
        let mut open = 0u32;
        while !self.ends() {
            match self.token().kind {
                TokenKind::Sign("{") => open += 1,
                TokenKind::Sign("}") if open == 0 => return,
                TokenKind::Sign("}") => open -= 1,
                TokenKind::Sign(";") if open == 0 => {
                    self.advance();
                    return;
                }
                TokenKind::Word if open == 0 && self.is_item() && !self.is_word("var") => return,
                _ => {}
            }
            let closed = self.is_sign("}");
            self.advance();
            if closed && open == 0 {
                return;
            }
        }
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let mut labels = Vec::new();
        while self.is_name() && self.next_token(1).kind == TokenKind::Sign(":") {
            labels.push(self.name()?);
            self.expect_sign(":")?;
        }
        if self.is_sign("}") {
            // A label at the end of a block names the place after its last statement.
            let span = labels.last().map_or(self.token().span, |label: &Ident| label.span);
            return Ok(Stmt { labels, kind: StmtKind::Choose(vec![Block::new()]), span });
        }
        let start = self.token().span;
        let kind = self.statement_kind()?;
        let span = self.since(start);
        let has_block = match &kind {
            StmtKind::If(..) | StmtKind::While(..) | StmtKind::Loop(_) | StmtKind::Choose(_) | StmtKind::Atomic(_) => {
                true
            }
            StmtKind::Sugar(sugar) => matches!(**sugar, StmtSugar::For(..)),
            _ => false,
        };
        // `when e do x := f goto L` needs no semicolon between its two halves.
        let waits = match &kind {
            StmtKind::When(..) => true,
            StmtKind::Sugar(sugar) => matches!(**sugar, StmtSugar::Communicate(Some(_), _)),
            _ => false,
        };
        let goto_follows = waits && self.is_word("goto");
        if !has_block && !goto_follows && !self.is_sign("}") && !self.eat_sign(";") {
            let at = tertium_base::Span::new(self.last_end(), self.last_end());
            let next = self.text_of(self.token().span).to_owned();
            let mut diagnostic =
                Diagnostic::error("E0402", format!("expected `;` after this statement, found `{next}`"))
                    .at(at, "`;` is missing here");
            if let Some(hint) = self.neighbour_hint("`;`") {
                diagnostic = diagnostic.help(hint);
            }
            // Nothing needs skipping: the next statement begins right here.
            self.diagnostics.push(diagnostic);
        }
        Ok(Stmt { labels, kind, span })
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        let token = self.token();
        if token.kind != TokenKind::Word {
            return self.expected("a statement");
        }
        let word = self.text_of(token.span);
        if self.is_for() {
            return self.for_loop();
        }
        if let Some(hint) = self.statement_hint() {
            return self.error(hint);
        }
        if self.is_name() && self.next_token(1).kind == TokenKind::Sign("(") {
            return self.call();
        }
        if self.is_name() {
            return self.change(None);
        }
        self.advance();
        match word {
            "skip" => Ok(StmtKind::Skip),
            "stop" => Ok(StmtKind::Stop),
            "await" | "assume" => Ok(StmtKind::Await(self.expr()?)),
            "assert" => Ok(StmtKind::Assert(self.expr()?)),
            "goto" => Ok(StmtKind::Goto(self.name()?)),
            "when" => self.guarded(),
            "if" => self.branches(),
            "while" => {
                let condition = self.expr()?;
                Ok(StmtKind::While(condition, self.block()?))
            }
            "loop" => Ok(StmtKind::Loop(self.block()?)),
            "atomic" => Ok(StmtKind::Atomic(self.block()?)),
            "choose" => {
                let mut blocks = vec![self.block()?];
                while self.eat_word("or") {
                    blocks.push(self.block()?);
                }
                Ok(StmtKind::Choose(blocks))
            }
            "var" => {
                let diagnostic = Diagnostic::error("E0402", "a declaration after the first statement")
                    .at(token.span, "local variables are declared first")
                    .help("move it to the beginning of the process");
                self.error(diagnostic)
            }
            _ => {
                self.jump_to(self.position() - 1);
                self.expected("a statement")
            }
        }
    }

    fn guarded(&mut self) -> Parsed<StmtKind> {
        let condition = self.expr()?;
        self.expect_word("do")?;
        if self.eat_word("skip") {
            return Ok(StmtKind::When(condition, None));
        }
        self.change(Some(condition))
    }

    fn branches(&mut self) -> Parsed<StmtKind> {
        let condition = self.expr()?;
        let mut branches = vec![(condition, self.block()?)];
        while self.eat_word("else") {
            if !self.eat_word("if") {
                return Ok(StmtKind::If(branches, Some(self.block()?)));
            }
            let condition = self.expr()?;
            branches.push((condition, self.block()?));
        }
        Ok(StmtKind::If(branches, None))
    }

    /// What changes variables or channels, if `condition` holds.
    fn change(&mut self, condition: Option<Expr>) -> Parsed<StmtKind> {
        let targets = self.separated(Self::target)?;
        if targets.len() == 1 && (self.is_sign("!") || self.is_sign("?")) {
            return self.communication(condition, targets);
        }
        let assignment = self.assignment(targets)?;
        Ok(match condition {
            Some(condition) => StmtKind::When(condition, Some(assignment)),
            None => StmtKind::Assign(assignment),
        })
    }

    fn assignment(&mut self, targets: Vec<Target>) -> Parsed<Assignment> {
        if self.is_sign("=") || self.is_sign("==") {
            let span = self.token().span;
            let diagnostic = Diagnostic::error("E0402", format!("expected `:=`, found `{}`", self.text_of(span)))
                .at(span, "this compares")
                .help("assign with `:=`");
            return self.error(diagnostic);
        }
        for (sign, minus) in [("+=", false), ("-=", true)] {
            if self.eat_sign(sign) {
                return self.changed_by(targets, minus);
            }
        }
        self.expect_sign(":=")?;
        let sources = self.separated(Self::source)?;
        Ok(Assignment { targets, sources })
    }

    pub(super) fn target(&mut self) -> Parsed<Target> {
        let name = self.name()?;
        let start = name.span;
        let indices = self.indices()?;
        let accessors = self.accessors()?;
        Ok(Target { name, indices, accessors, span: self.since(start) })
    }

    pub(super) fn source(&mut self) -> Parsed<Source> {
        let start = self.token().span;
        if !self.eat_sign("*") {
            return Ok(Source::Value(self.expr()?));
        }
        if !self.eat_word("in") {
            return Ok(Source::Any(start));
        }
        let Range { lo, hi } = self.range()?;
        Ok(Source::Within(Range { lo, hi }, self.since(start)))
    }
}
