//! Expressions, and the small things inside them.

use tertium_base::{Diagnostic, Span};

use super::formulas::{Term, TermKind};
use super::{DEEPEST_EXPR, Parsed, Parser};
use crate::ast::{
    Binary, Expr, ExprKind, Formula, FormulaKind, LabelRef, LtlOp, Probe, RecvArg, RefPart, Remote, Run, Unary, VarRef,
};
use crate::lexer::TokenKind;

/// How strongly unary operators bind.
const TIGHTEST: u8 = 20;

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

/// The operator a sign stands for, and how strongly it binds; all group to the left.
fn binary(sign: &str) -> Option<(Binary, u8)> {
    Some(match sign {
        "||" | "\\/" => (Binary::Or, 2),
        "&&" | "/\\" => (Binary::And, 3),
        "|" => (Binary::BitOr, 5),
        "^" => (Binary::BitXor, 6),
        "&" => (Binary::BitAnd, 7),
        "==" => (Binary::Eq, 8),
        "!=" => (Binary::Ne, 8),
        "<" => (Binary::Lt, 9),
        "<=" => (Binary::Le, 9),
        ">" => (Binary::Gt, 9),
        ">=" => (Binary::Ge, 9),
        "<<" => (Binary::Shl, 10),
        ">>" => (Binary::Shr, 10),
        "+" => (Binary::Add, 11),
        "-" => (Binary::Sub, 11),
        "*" => (Binary::Mul, 12),
        "/" => (Binary::Div, 12),
        "%" => (Binary::Rem, 12),
        _ => return None,
    })
}

impl Parser {
    /// An expression in which `full(q)` and the like may stand, joined by `&&` and `||`.
    pub(crate) fn full_expr(&mut self) -> Parsed<Expr> {
        let term = self.term(0)?;
        self.as_value(term)
    }

    /// An expression in which they may not.
    pub(crate) fn expr(&mut self) -> Parsed<Expr> {
        let term = self.term(0)?;
        self.no_probe(&term)?;
        self.as_value(term)
    }

    /// An expression that begins with something read already.
    pub(crate) fn expr_from(&mut self, first: Expr) -> Parsed<Expr> {
        let term = self.climb(Term::value(first), 0)?;
        self.as_value(term)
    }

    /// Spin's grammar keeps questions about channels from being negated or computed with.
    fn no_probe(&mut self, term: &Term) -> Parsed<()> {
        if !term.probe || self.in_formula {
            return Ok(());
        }
        let diagnostic =
            Diagnostic::error("E0521", "`full`, `empty`, `nfull` and `nempty` cannot be negated or computed with")
                .at(term.span(), "only `&&` and `||` may stand around it")
                .note("reduction relies on which of the four questions is asked")
                .help("write `nfull(q)` for `!full(q)` and `nempty(q)` for `!empty(q)`, or compare `len(q)`");
        self.error(diagnostic)
    }

    pub(crate) fn term(&mut self, weakest: u8) -> Parsed<Term> {
        self.nested(|parser| {
            let first = parser.operand()?;
            parser.climb(first, weakest)
        })
    }

    /// Operators that bind at least as strongly as `weakest`, with their right operands.
    fn climb(&mut self, mut left: Term, weakest: u8) -> Parsed<Term> {
        loop {
            if let Some((op, strength)) = self.temporal_binary().filter(|(_, strength)| *strength >= weakest) {
                self.advance();
                let right = self.term(strength + 1)?;
                left = self.join_formula(op, left, right)?;
                continue;
            }
            let token = self.token();
            let found = if token.kind == TokenKind::Sign { binary(&token.text) } else { None };
            let Some((op, strength)) = found.filter(|(_, strength)| *strength >= weakest) else { return Ok(left) };
            self.advance();
            let right = self.term(strength + 1)?;
            left = self.join(op, left, right)?;
        }
    }

    fn join(&mut self, op: Binary, left: Term, right: Term) -> Parsed<Term> {
        let logical = matches!(op, Binary::And | Binary::Or);
        if logical && (left.is_formula() || right.is_formula()) {
            return self.join_formula(if op == Binary::And { LtlOp::And } else { LtlOp::Or }, left, right);
        }
        if let (Binary::BitAnd | Binary::BitOr, true) = (op, left.is_formula() || right.is_formula()) {
            let (op, sign) = if op == Binary::BitAnd { (LtlOp::And, "&&") } else { (LtlOp::Or, "||") };
            let span = left.span().to(right.span());
            let diagnostic = Diagnostic::warning("W0502", format!("one sign between formulas is read as `{sign}`"));
            self.report(diagnostic.at(span, "formulas are not joined bit by bit").help(format!("write `{sign}`")));
            return self.join_formula(op, left, right);
        }
        if !logical {
            self.no_probe(&left)?;
            self.no_probe(&right)?;
        }
        let probe = left.probe || right.probe;
        let depth = self.deeper(left.depth.max(right.depth), right.span())?;
        let (left, right) = (self.as_value(left)?, self.as_value(right)?);
        let span = left.span.to(right.span);
        let kind = TermKind::Value(expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), span));
        Ok(Term { kind, depth, probe })
    }

    fn join_formula(&mut self, op: LtlOp, left: Term, right: Term) -> Parsed<Term> {
        let depth = self.deeper(left.depth.max(right.depth), right.span())?;
        let span = left.span().to(right.span());
        let kind = FormulaKind::Binary(op, Box::new(left.formula()), Box::new(right.formula()));
        Ok(Term { kind: TermKind::Formula(Formula { kind, span }), depth, probe: false })
    }

    fn deeper(&mut self, depth: u32, span: Span) -> Parsed<u32> {
        if depth < DEEPEST_EXPR {
            return Ok(depth + 1);
        }
        let diagnostic = Diagnostic::error("E0506", format!("this expression is more than {DEEPEST_EXPR} levels deep"))
            .at(span, "too deep here")
            .note("a row of one operator is as deep as it is long")
            .help("put parts of a long row in round brackets");
        self.error(diagnostic)
    }

    fn operand(&mut self) -> Parsed<Term> {
        let start = self.span();
        if let Some((make, length)) = self.temporal_unary() {
            for _ in 0..length {
                self.advance();
            }
            let inner = self.term(TIGHTEST)?;
            let depth = self.deeper(inner.depth, start)?;
            let inner = inner.formula();
            let formula = Formula { span: start.to(inner.span), kind: make(Box::new(inner)) };
            return Ok(Term { kind: TermKind::Formula(formula), depth, probe: false });
        }
        let op = match &*self.token().text {
            "!" if self.token().kind == TokenKind::Sign => Unary::Not,
            "-" if self.token().kind == TokenKind::Sign => Unary::Negate,
            "~" if self.token().kind == TokenKind::Sign => Unary::Complement,
            _ => return self.primary(),
        };
        self.advance();
        let inner = self.term(TIGHTEST)?;
        self.no_probe(&inner)?;
        let depth = self.deeper(inner.depth, start)?;
        if op == Unary::Not && inner.is_formula() {
            let inner = inner.formula();
            let formula = Formula { span: start.to(inner.span), kind: FormulaKind::Not(Box::new(inner)) };
            return Ok(Term { kind: TermKind::Formula(formula), depth, probe: false });
        }
        let probe = inner.probe;
        let inner = self.as_value(inner)?;
        let span = start.to(inner.span);
        Ok(Term { kind: TermKind::Value(expr(ExprKind::Unary(op, Box::new(inner)), span)), depth, probe })
    }

    fn primary(&mut self) -> Parsed<Term> {
        self.embedded_c()?;
        let token = self.token().clone();
        match token.kind {
            TokenKind::Sign if &*token.text == "(" => self.bracketed(),
            TokenKind::Int | TokenKind::Char => {
                let value = self.number()?;
                Ok(Term::value(expr(ExprKind::Int(value), token.span)))
            }
            TokenKind::Word => {
                let value = self.word(&token.text, token.span)?;
                let probe = matches!(value.kind, ExprKind::Probe(probe, _) if probe != Probe::Len);
                Ok(Term { probe, ..Term::value(value) })
            }
            _ => self.expected("an expression"),
        }
    }

    /// `( e )` or `( c -> a : b )`.
    fn bracketed(&mut self) -> Parsed<Term> {
        let start = self.advance().span;
        let mut inner = self.term(0)?;
        if !self.in_formula && self.eat_sign("->") {
            self.no_probe(&inner)?;
            let (yes, no) = (self.term(0)?, (self.expect_sign(":")?, self.term(0)?).1);
            self.no_probe(&yes)?;
            self.no_probe(&no)?;
            let depth = self.deeper(inner.depth.max(yes.depth).max(no.depth), start)?;
            let condition = self.as_value(inner)?;
            let (yes, no) = (self.as_value(yes)?, self.as_value(no)?);
            let kind = ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
            inner = Term { depth, ..Term::value(expr(kind, start)) };
        }
        self.expect_sign(")")?;
        let span = self.since(start);
        match &mut inner.kind {
            TermKind::Value(expr) => expr.span = span,
            TermKind::Formula(formula) => formula.span = span,
        }
        Ok(inner)
    }

    /// Everything that begins with a word.
    fn word(&mut self, word: &str, start: Span) -> Parsed<Expr> {
        let constant = match word {
            "true" => Some(ExprKind::Bool(true)),
            "false" => Some(ExprKind::Bool(false)),
            "skip" => Some(ExprKind::Skip),
            "timeout" => Some(ExprKind::Timeout),
            "np_" => Some(ExprKind::NonProgress),
            _ => None,
        };
        if let Some(kind) = constant {
            self.advance();
            return Ok(expr(kind, start));
        }
        let probe = match word {
            "len" => Some(Probe::Len),
            "full" => Some(Probe::Full),
            "empty" => Some(Probe::Empty),
            "nfull" => Some(Probe::Nfull),
            "nempty" => Some(Probe::Nempty),
            _ => None,
        };
        if let Some(probe) = probe {
            self.advance();
            self.expect_sign("(")?;
            let channel = self.var_ref()?;
            self.expect_sign(")")?;
            return Ok(expr(ExprKind::Probe(probe, channel), self.since(start)));
        }
        let function: Option<fn(Box<Expr>) -> ExprKind> = match word {
            "enabled" => Some(ExprKind::Enabled),
            "pc_value" => Some(ExprKind::PcValue),
            "get_priority" => Some(ExprKind::GetPriority),
            _ => None,
        };
        if let Some(function) = function {
            self.advance();
            self.expect_sign("(")?;
            let inner = self.expr()?;
            self.expect_sign(")")?;
            return Ok(expr(function(Box::new(inner)), self.since(start)));
        }
        if word == "run" {
            return self.run();
        }
        if self.is_inline_call() {
            let diagnostic = Diagnostic::error("E0509", format!("the inline `{word}` is called inside an expression"))
                .at(start, "not a statement here")
                .note("an inline stands for statements, not for a value")
                .help(format!("assign its result first: `v = {word}(…)`, or use `#define`"));
            return self.error(diagnostic);
        }
        if !self.is_name() {
            return self.expected("an expression");
        }
        let reference = self.var_ref()?;
        self.reference(reference)
    }

    /// What a reference begins: a remote reference, a poll, or itself.
    pub(crate) fn reference(&mut self, reference: VarRef) -> Parsed<Expr> {
        let start = reference.span;
        let single = reference.parts.len() == 1;
        if single && self.is_sign("@") {
            self.advance();
            let label = LabelRef { id: reference.id, name: self.name()? };
            return Ok(expr(ExprKind::At(remote(reference), label), self.since(start)));
        }
        let is_process = self.proctypes.contains(reference.parts[0].name.name.as_str());
        if single && is_process && self.is_sign(":") && super::is_name(self.next_token(1)) {
            self.advance();
            let start = self.span();
            let part = self.ref_part()?;
            let var = VarRef { id: reference.id, parts: vec![part], span: self.since(start) };
            let process = remote(reference);
            let span = process.process.span.to(var.span);
            return Ok(expr(ExprKind::RemoteVar(process, var), span));
        }
        let random = self.is_sign("??");
        if (random || self.is_sign("?")) && self.next_token(1).is_sign("[") {
            self.advance();
            self.advance();
            let args = self.receive_args()?;
            self.expect_sign("]")?;
            return Ok(expr(ExprKind::Poll { channel: reference, args, random }, self.since(start)));
        }
        Ok(expr(ExprKind::Ref(reference), start))
    }

    fn run(&mut self) -> Parsed<Expr> {
        let start = self.advance().span;
        let process = self.name()?;
        self.expect_sign("(")?;
        let args = if self.is_sign(")") { Vec::new() } else { self.separated(Self::expr)? };
        self.expect_sign(")")?;
        let priority = self.priority()?;
        Ok(expr(ExprKind::Run(Box::new(Run { process, args, priority })), self.since(start)))
    }

    /// `priority 3`, or nothing.
    pub(crate) fn priority(&mut self) -> Parsed<Option<Expr>> {
        if !self.eat_word("priority") {
            return Ok(None);
        }
        let span = self.span();
        match self.token().kind {
            TokenKind::Int | TokenKind::Char => Ok(Some(expr(ExprKind::Int(self.number()?), span))),
            TokenKind::Word if self.is_name() => {
                let reference = self.var_ref()?;
                Ok(Some(expr(ExprKind::Ref(reference), span)))
            }
            _ => self.expected("a number"),
        }
    }

    /// `a[i].f.g[j]`.
    pub(crate) fn var_ref(&mut self) -> Parsed<VarRef> {
        let start = self.span();
        let mut parts = vec![self.ref_part()?];
        while self.eat_sign(".") {
            parts.push(self.ref_part()?);
        }
        let id = self.new_ref();
        Ok(VarRef { id, parts, span: self.since(start) })
    }

    fn ref_part(&mut self) -> Parsed<RefPart> {
        let name = self.name()?;
        let mut index = None;
        if self.is_sign("[") && !(self.in_formula && self.next_token(1).is_sign("]")) {
            self.advance();
            index = Some(self.expr()?);
            self.expect_sign("]")?;
        }
        Ok(RefPart { name, index })
    }

    /// `a, eval(b), 3`, `a(b, c)`, `(a, b)`.
    pub(crate) fn receive_args(&mut self) -> Parsed<Vec<RecvArg>> {
        let mut all = Vec::new();
        // Brackets group nothing: how many are open is all there is to know.
        let mut open = 0u32;
        loop {
            while self.eat_sign("(") {
                open += 1;
            }
            all.push(self.receive_arg()?);
            if open > 0 && self.eat_sign(")") {
                open -= 1;
                while open > 0 && self.eat_sign(")") {
                    open -= 1;
                }
                if !self.eat_sign(",") {
                    break;
                }
            } else if !self.eat_sign(",") && !self.is_sign("(") {
                break;
            }
        }
        if open > 0 { self.expected("`)`") } else { Ok(all) }
    }

    fn receive_arg(&mut self) -> Parsed<RecvArg> {
        let start = self.span();
        if self.eat_word("eval") {
            self.expect_sign("(")?;
            let value = self.expr()?;
            self.expect_sign(")")?;
            return Ok(RecvArg::Eval(value));
        }
        let negative = self.eat_sign("-");
        let token = self.token().clone();
        match (token.kind, &*token.text) {
            (TokenKind::Int | TokenKind::Char, _) => {
                let value = self.number()?;
                Ok(RecvArg::Const(if negative { value.wrapping_neg() } else { value }, self.since(start)))
            }
            (TokenKind::Word, "true" | "skip" | "false") => {
                self.advance();
                let value = i64::from(&*token.text != "false");
                Ok(RecvArg::Const(if negative { -value } else { value }, self.since(start)))
            }
            _ if negative => self.expected("a number"),
            _ if self.is_name() => Ok(RecvArg::Place(self.var_ref()?)),
            _ => self.expected("a variable, a constant or `eval(…)`"),
        }
    }

    /// `a, b` or `a(b, c)`: what is sent.
    pub(crate) fn send_args(&mut self) -> Parsed<Vec<Expr>> {
        let mut all = vec![self.expr()?];
        if self.eat_sign("(") {
            all.extend(self.separated(Self::expr)?);
            self.expect_sign(")")?;
            return Ok(all);
        }
        while self.eat_sign(",") {
            all.push(self.expr()?);
        }
        Ok(all)
    }
}

fn remote(mut reference: VarRef) -> Remote {
    let part = reference.parts.swap_remove(0);
    Remote { process: part.name, pid: part.index.map(Box::new) }
}
