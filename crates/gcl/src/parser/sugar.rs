//! Constructs that stand for others: quantifiers, sets, records, `for`, calls, channels, `invariant`, `procedure`, `import`.

use tertium_base::{Diagnostic, Span};

use super::exprs::expr;
use super::{Parsed, Parser};
use crate::ast::sugar::{
    Accessor, Binding, BindingDomain, ChannelDecl, Communication, ExprSugar, ItemSugar, ParameterDecl, ProcedureDecl,
    Quantifier, SetPart, StmtSugar, TypeSugar,
};
use crate::ast::{
    Assignment, Comparison, Expr, ExprKind, Ident, Item, ProcessRef, PropertyDecl, Range, Source, StmtKind, Target,
    TypeExpr, TypeKind,
};
use crate::lexer::TokenKind;

fn sugar(sugar: ExprSugar, span: Span) -> Expr {
    expr(ExprKind::Sugar(Box::new(sugar)), span)
}

fn item(sugar: ItemSugar) -> Item {
    Item::Sugar(Box::new(sugar))
}

impl Parser<'_> {
    /// The quantifier that begins here: its word is one only before `NAME in` and `NAME !=`.
    pub(crate) fn quantifier(&self) -> Option<Quantifier> {
        let word = self.text_of(self.token().span);
        let quantifier = Quantifier::ALL.into_iter().find(|quantifier| quantifier.word() == word)?;
        let (name, then) = (self.next_token(1), self.next_token(2));
        let binds = then.kind == TokenKind::Sign("!=") || self.text_of(then.span) == "in";
        (self.token().kind == TokenKind::Word && name.kind == TokenKind::Word && binds).then_some(quantifier)
    }

    /// `i != j in lo..hi :`, behind the quantifier's word.
    pub(crate) fn binding(&mut self) -> Parsed<Binding> {
        let mut names: Vec<Ident> = vec![self.name()?];
        while self.eat_sign("!=") {
            let name = self.name()?;
            if let Some(first) = names.iter().find(|known| known.name == name.name) {
                return self.error(crate::names::twice(&name, first.span));
            }
            names.push(name);
        }
        self.expect_word("in")?;
        let first = self.sum()?;
        let domain = if self.eat_sign("..") {
            BindingDomain::Range(Box::new(Range { lo: first, hi: self.sum()? }))
        } else {
            BindingDomain::Named(first)
        };
        self.expect_sign(":")?;
        Ok(Binding { names, domain })
    }

    /// A quantifier with its body. That of `forall` and `exists` goes on as far as it can, that of the others ends before a comparison.
    pub(super) fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Expr> {
        let start = self.advance().span;
        self.nested(|p| {
            let binding = p.binding()?;
            let body = match quantifier {
                Quantifier::Forall | Quantifier::Exists => p.expr()?,
                Quantifier::Sum | Quantifier::Min | Quantifier::Max => p.sum()?,
                Quantifier::Count => p.counted()?,
            };
            Ok(sugar(ExprSugar::Quantified(quantifier, binding, body), p.since(start)))
        })
    }

    /// The condition of `count`: not a comparison, unless it stands in parentheses.
    fn counted(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        if self.eat_sign("!") || self.eat_sign("~") || self.eat_word("not") {
            let inner = self.nested(Self::counted)?;
            return Ok(expr(ExprKind::Not(Box::new(inner)), self.since(start)));
        }
        self.primary()
    }

    /// Whether `in` or `not in` comes next; if so, which.
    pub(super) fn membership(&self) -> Option<bool> {
        if self.is_word("in") {
            return Some(false);
        }
        (self.is_word("not") && self.text_of(self.next_token(1).span) == "in").then_some(true)
    }

    /// `x in s`, `x in lo..hi`, and the same with `not in`.
    pub(super) fn member(&mut self, element: Expr, outside: bool) -> Parsed<Expr> {
        let start = element.span;
        if outside {
            self.advance();
        }
        self.expect_word("in")?;
        let first = self.sum()?;
        let inside = if self.eat_sign("..") {
            let last = self.sum()?;
            let span = self.since(start);
            let compare = |op, left: &Expr, right: Expr| {
                expr(ExprKind::Compare(op, Box::new(left.clone()), Box::new(right)), span)
            };
            let both = vec![compare(Comparison::Ge, &element, first), compare(Comparison::Le, &element, last)];
            expr(ExprKind::And(both), span)
        } else {
            sugar(ExprSugar::In(element, first), self.since(start))
        };
        let span = inside.span;
        Ok(if outside { expr(ExprKind::Not(Box::new(inside)), span) } else { inside })
    }

    /// `{1, 3..5}`.
    pub(super) fn set(&mut self) -> Parsed<Expr> {
        let start = self.expect_sign("{")?;
        let part = |p: &mut Self| {
            let first = p.sum()?;
            Ok(if p.eat_sign("..") {
                SetPart::Range(Range { lo: first, hi: p.sum()? })
            } else {
                SetPart::Element(first)
            })
        };
        let parts = if self.is_sign("}") { Vec::new() } else { self.separated(part)? };
        self.expect_sign("}")?;
        Ok(sugar(ExprSugar::Set(parts), self.since(start)))
    }

    /// `.a`, `.a[2].b`: what follows a name and its indices.
    pub(super) fn accessors(&mut self) -> Parsed<Vec<Accessor>> {
        let mut accessors = Vec::new();
        while self.eat_sign(".") {
            accessors.push(Accessor::Field(self.name()?));
            accessors.extend(self.indices()?.into_iter().map(Accessor::Index));
        }
        Ok(accessors)
    }

    /// What a name with indices is, if fields follow: the variable of a process, or a path into a record.
    pub(super) fn fields(&mut self, name: Ident, mut indices: Vec<Expr>) -> Parsed<ExprKind> {
        let accessors = self.accessors()?;
        let fields = accessors.iter().filter(|accessor| matches!(accessor, Accessor::Field(_))).count();
        if fields > 1 || indices.len() > 1 {
            let all = indices.into_iter().map(Accessor::Index).chain(accessors).collect();
            return Ok(ExprKind::Sugar(Box::new(ExprSugar::Path(name, all))));
        }
        let process = ProcessRef { name: name.clone(), index: indices.pop().map(Box::new) };
        let (mut field, mut inner) = (name, Vec::new());
        for accessor in accessors {
            match accessor {
                Accessor::Field(name) => field = name,
                Accessor::Index(index) => inner.push(index),
            }
        }
        Ok(ExprKind::Field(process, field, inner))
    }

    pub(super) fn is_for(&self) -> bool {
        let then = self.text_of(self.next_token(2).span);
        self.is_word("for") && self.next_token(1).kind == TokenKind::Word && then == "in"
    }

    pub(super) fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let name = self.name()?;
        self.expect_word("in")?;
        let range = self.range()?;
        Ok(StmtKind::Sugar(Box::new(StmtSugar::For(name, range, self.block()?))))
    }

    pub(super) fn call(&mut self) -> Parsed<StmtKind> {
        let name = self.name()?;
        self.expect_sign("(")?;
        let arguments = if self.is_sign(")") { Vec::new() } else { self.separated(Self::expr)? };
        self.expect_sign(")")?;
        Ok(StmtKind::Sugar(Box::new(StmtSugar::Call(name, arguments))))
    }

    /// `! e` or `? x` behind a channel.
    pub(super) fn communication(&mut self, condition: Option<Expr>, mut channel: Vec<Target>) -> Parsed<StmtKind> {
        let Some(channel) = channel.pop() else { return self.expected("a channel") };
        let communication = if self.eat_sign("!") {
            Communication::Send(channel, self.source()?)
        } else {
            self.expect_sign("?")?;
            Communication::Receive(channel, self.target()?)
        };
        Ok(StmtKind::Sugar(Box::new(StmtSugar::Communicate(condition, communication))))
    }

    /// `x += e` is `x := x + e`.
    pub(super) fn changed_by(&mut self, targets: Vec<Target>, minus: bool) -> Parsed<Assignment> {
        let amounts = self.separated(Self::expr)?;
        let value = |target: &Target| {
            let accessors: Vec<Accessor> =
                target.indices.iter().cloned().map(Accessor::Index).chain(target.accessors.iter().cloned()).collect();
            let kind = match (target.indices.is_empty(), target.accessors.is_empty()) {
                (true, true) => ExprKind::Name(target.name.clone()),
                (false, true) => ExprKind::Index(target.name.clone(), target.indices.clone()),
                _ => ExprKind::Sugar(Box::new(ExprSugar::Path(target.name.clone(), accessors))),
            };
            expr(kind, target.span)
        };
        let changed = |(target, amount): (&Target, &Expr)| {
            let kind = ExprKind::Sum(Box::new(value(target)), vec![(minus, amount.clone())]);
            Source::Value(expr(kind, amount.span))
        };
        let mut sources: Vec<Source> = targets.iter().zip(&amounts).map(changed).collect();
        // Too many are reported where assignments are looked at.
        sources.extend(amounts.into_iter().skip(targets.len()).map(Source::Value));
        Ok(Assignment { targets, sources })
    }

    /// `record { a : T, b, c : U }`.
    pub(super) fn record(&mut self) -> Parsed<TypeExpr> {
        let start = self.expect_word("record")?;
        self.expect_sign("{")?;
        let mut fields = Vec::new();
        loop {
            let mut names = vec![self.name()?];
            while self.eat_sign(",") {
                names.push(self.name()?);
            }
            self.expect_sign(":")?;
            let ty = self.type_expr()?;
            fields.extend(names.into_iter().map(|name| (name, ty.clone())));
            let more = self.eat_sign(",") || self.eat_sign(";");
            if !more || self.is_sign("}") {
                break;
            }
        }
        self.expect_sign("}")?;
        let kind = TypeKind::Sugar(Box::new(TypeSugar::Record(fields)));
        Ok(TypeExpr { kind, span: self.since(start) })
    }

    /// `set of lo..hi`.
    pub(super) fn set_type(&mut self) -> Parsed<TypeKind> {
        self.advance();
        self.expect_word("of")?;
        Ok(TypeKind::Sugar(Box::new(TypeSugar::Set(self.type_expr()?))))
    }

    /// `chan c : T capacity 2`, `chan c[1..3] : T capacity 2`.
    pub(super) fn channel(&mut self) -> Parsed<Item> {
        let names = self.separated(Self::name)?;
        let row = if self.eat_sign("[") {
            let range = self.range()?;
            self.expect_sign("]")?;
            Some(range)
        } else {
            None
        };
        self.expect_sign(":")?;
        let ty = self.type_expr()?;
        if !self.is_word("capacity") {
            let at = Span::new(self.last_end(), self.last_end());
            let diagnostic = Diagnostic::error("E0402", "how many messages does this channel hold?")
                .at(at, "expected `capacity`")
                .help("write for example `capacity 1`");
            return self.error(diagnostic);
        }
        self.advance();
        let capacity = self.sum()?;
        Ok(item(ItemSugar::Channel(ChannelDecl { names, row, ty, capacity })))
    }

    /// `procedure p(i : 0..3, var x : bool) {…}`.
    pub(super) fn procedure(&mut self) -> Parsed<Item> {
        let name = self.name()?;
        self.expect_sign("(")?;
        let parameter = |p: &mut Self| {
            let variable = p.eat_word("var");
            let name = p.name()?;
            p.expect_sign(":")?;
            Ok(ParameterDecl { name, variable, ty: p.type_expr()? })
        };
        let parameters = if self.is_sign(")") { Vec::new() } else { self.separated(parameter)? };
        self.expect_sign(")")?;
        self.expect_sign("{")?;
        if self.is_word("var") {
            let diagnostic = Diagnostic::error("E0402", "a procedure has no variables of its own")
                .at(self.token().span, "declared inside a procedure")
                .help("declare it in the process and pass it: `procedure p(var t : int)`");
            self.diagnostics.push(diagnostic);
            while !self.ends() && !self.is_sign(";") && !self.is_sign("}") {
                self.advance();
            }
        }
        let body = self.statements();
        let end = self.token().span;
        if !self.eat_sign("}") {
            let diagnostic = Diagnostic::error("E0402", format!("procedure `{}` is not closed", name.name))
                .at(end, "expected `}`")
                .also(name.span, "begins here");
            self.diagnostics.push(diagnostic);
        }
        Ok(item(ItemSugar::Procedure(ProcedureDecl { name, parameters, body, end })))
    }

    /// `invariant NAME : e`.
    pub(super) fn invariant(&mut self) -> Parsed<Item> {
        let name = self.name()?;
        self.expect_sign(":")?;
        let (first, start) = (self.position(), self.token().span);
        let condition = self.expr()?;
        if !self.ends() && !self.is_item() && !self.is_sign(";") {
            return self.expected("the end of the invariant");
        }
        let logic = Ident { name: "ltl".to_owned(), span: name.span };
        let (tokens, span) = (first..self.position(), self.since(start));
        let property = PropertyDecl { name, logic, tokens, span, invariant: true };
        Ok(item(ItemSugar::Invariant(condition, property)))
    }

    /// `import "file.gcl"`.
    pub(super) fn import(&mut self) -> Parsed<Item> {
        let span = self.advance().span;
        let text = self.text_of(span).trim_matches('"').to_owned();
        Ok(item(ItemSugar::Import(text, span)))
    }
}
