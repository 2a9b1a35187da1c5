//! Declarations: what stands at the top level of a file.

use std::collections::BTreeSet;

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::arithmetic::WIDEST;
use crate::ast::{File, Initial, Item, ProcessDecl, PropertyDecl, TypeExpr, TypeKind, VarDecl, VarRef};
use crate::fairness::as_condition;
use crate::lexer::{FILE_SEPARATOR, ITEMS, SOFT_ITEMS, TokenKind};

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut file = File::default();
        if self.eat_word("system") {
            file.name = self.name().ok();
        } else {
            let span = self.token().span;
            let diagnostic = Diagnostic::error("E0402", "the text does not begin with `system NAME`");
            self.diagnostics.push(diagnostic.at(span, "expected `system`"));
        }
        while !self.ends() && !self.gave_up() {
            if self.eat_sign(FILE_SEPARATOR) {
                // An imported text has a name of its own, which does not matter here.
                if self.eat_word("system") {
                    let _ = self.name();
                }
                continue;
            }
            let before = self.position();
            match self.item() {
                Ok(item) => file.items.push(item),
                Err(_) => self.skip_item(before),
            }
            while self.eat_sign(";") {}
        }
        name_conditions(&mut file);
        file
    }

    fn skip_item(&mut self, began: usize) {
        if self.position() == began {
            self.advance();
        }
        while !self.ends() && !self.is_item() {
            self.advance();
        }
    }

    fn item(&mut self) -> Parsed<Item> {
        let token = self.token();
        if !self.is_item() {
            return self.no_item();
        }
        let word = self.text_of(token.span);
        self.advance();
        match word {
            "const" => {
                let name = self.name()?;
                if self.eat_sign(">=") {
                    return Ok(Item::AtLeast(name, self.expr()?));
                }
                self.expect_sign("=")?;
                Ok(Item::Const(name, self.expr()?))
            }
            "type" => self.type_item(),
            "var" => Ok(Item::Var(self.var_decl()?)),
            "init" => Ok(Item::Init(self.expr()?)),
            "define" => {
                let name = self.name()?;
                self.expect_sign("=")?;
                Ok(Item::Define(name, self.expr()?))
            }
            "function" => self.function(),
            "process" => self.process(),
            "predicate" => self.predicate(),
            "spotlight" => Ok(Item::Spotlight(self.separated(Self::process_ref)?)),
            "keep" => Ok(Item::Keep(self.separated(Self::var_ref)?)),
            "fair" => self.fair(),
            "compassion" => self.compassion(),
            "strong" => {
                self.expect_word("fair")?;
                Ok(Item::Fair(true, self.separated(Self::process_ref)?))
            }
            "environment" => Ok(Item::Environment(self.separated(Self::process_ref)?)),
            "property" => self.property(),
            "invariant" => self.invariant(),
            "chan" => self.channel(),
            "procedure" => self.procedure(),
            "import" => self.import(),
            _ => self.error(Diagnostic::error("E0402", "a second `system`").at(token.span, "one file, one system")),
        }
    }

    /// `fair P, Q`, or `fair CONDITION` where that is no list of names.
    fn fair(&mut self) -> Parsed<Item> {
        let (begin, known) = (self.position(), self.diagnostics.len());
        if let Ok(processes) = self.separated(Self::process_ref)
            && (self.ends() || self.is_item() || self.is_sign(";") || self.is_sign(FILE_SEPARATOR))
        {
            return Ok(Item::Fair(false, processes));
        }
        self.jump_to(begin);
        self.diagnostics.truncate(known);
        Ok(Item::Justice(self.expr()?))
    }

    fn compassion(&mut self) -> Parsed<Item> {
        self.expect_sign("(")?;
        let often = self.expr()?;
        self.expect_sign(",")?;
        let then = self.expr()?;
        self.expect_sign(")")?;
        Ok(Item::Compassion(often, then))
    }

    /// What follows `spotlight` or `keep`, as a text of its own.
    pub(crate) fn list_item(&mut self, keyword: &str) -> Parsed<Item> {
        let item = match keyword {
            "keep" => Item::Keep(self.separated(Self::var_ref)?),
            _ => Item::Spotlight(self.separated(Self::process_ref)?),
        };
        if self.ends() { Ok(item) } else { self.expected("`,` or the end") }
    }

    fn no_item(&mut self) -> Parsed<Item> {
        let token = self.token();
        let word = self.text_of(token.span);
        let mut diagnostic = Diagnostic::error("E0402", format!("expected a declaration, found `{word}`"))
            .at(token.span, "no declaration begins like this");
        let items = || ITEMS.iter().chain(SOFT_ITEMS).copied();
        if let Some(hint) = self.declaration_hint() {
            return self.error(diagnostic.help(hint));
        }
        diagnostic = match closest_name(word, items()) {
            Some(known) => diagnostic.help(format!("did you mean `{known}`?")),
            None if self.is_sign("}") => diagnostic.help("there is one `}` too many, or a `{` is missing before"),
            None => {
                diagnostic.help(format!("declarations begin with one of: {}", items().collect::<Vec<_>>().join(", ")))
            }
        };
        self.error(diagnostic)
    }

    fn type_item(&mut self) -> Parsed<Item> {
        let name = self.name()?;
        self.expect_sign("=")?;
        if self.is_word("record") && self.next_token(1).kind == TokenKind::Sign("{") {
            return Ok(Item::Alias(name, self.record()?));
        }
        if !self.eat_sign("{") {
            return Ok(Item::Alias(name, self.type_expr()?));
        }
        let members = self.separated(Self::name)?;
        self.expect_sign("}")?;
        Ok(Item::Enumeration(name, members))
    }

    pub(crate) fn var_decl(&mut self) -> Parsed<VarDecl> {
        let names = self.separated(Self::name)?;
        self.expect_sign(":")?;
        let ty = self.type_expr()?;
        let initial = if self.eat_sign("=") { Some(self.initial()?) } else { None };
        Ok(VarDecl { names, ty, initial })
    }

    fn initial(&mut self) -> Parsed<Initial> {
        let start = self.token().span;
        if !self.eat_sign("[") {
            return Ok(Initial::Same(self.expr()?));
        }
        let values = self.separated(Self::expr)?;
        self.expect_sign("]")?;
        Ok(Initial::Each(values, self.since(start)))
    }

    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let start = self.token().span;
        let kind = self.nested(Self::type_kind)?;
        Ok(TypeExpr { kind, span: self.since(start) })
    }

    fn type_kind(&mut self) -> Parsed<TypeKind> {
        if self.eat_word("int") {
            return Ok(TypeKind::Int);
        }
        if self.eat_word("nat") {
            return Ok(TypeKind::Nat);
        }
        if self.eat_word("bool") {
            return Ok(TypeKind::Bool);
        }
        if self.eat_word("array") {
            self.expect_sign("[")?;
            let range = self.range()?;
            self.expect_sign("]")?;
            self.expect_word("of")?;
            return Ok(TypeKind::Array(Box::new(range), Box::new(self.type_expr()?)));
        }
        if self.is_word("bits") && self.next_token(1).kind == TokenKind::Sign("[") {
            return self.bits_type();
        }
        if self.is_word("set") && self.text_of(self.next_token(1).span) == "of" {
            return self.set_type();
        }
        if self.is_name() && !self.range_follows() {
            return Ok(TypeKind::Name(self.name()?.name));
        }
        if self.is_name() || matches!(self.token().kind, TokenKind::Int | TokenKind::Sign("(" | "-")) {
            return Ok(TypeKind::Range(Box::new(self.range()?)));
        }
        self.expected("a type")
    }

    /// `bits[8]`: the width is written as a number.
    fn bits_type(&mut self) -> Parsed<TypeKind> {
        self.advance();
        self.expect_sign("[")?;
        let token = self.token();
        if token.kind != TokenKind::Int {
            return self.expected("a number of bits");
        }
        self.advance();
        let bits = self.text_of(token.span).parse().ok().filter(|bits| (1..=WIDEST).contains(bits));
        let Some(bits) = bits else {
            let diagnostic = Diagnostic::error("E0415", "bit-vectors of this width cannot be read");
            return self.error(diagnostic.at(token.span, format!("1 to {WIDEST} bits")));
        };
        self.expect_sign("]")?;
        Ok(TypeKind::Bits(bits))
    }

    /// Whether the name that comes next begins a range.
    fn range_follows(&self) -> bool {
        match self.next_token(1).kind {
            TokenKind::Sign(sign) => ["..", "+", "-", "*", "("].contains(&sign),
            TokenKind::Word => ["div", "mod"].contains(&self.text_of(self.next_token(1).span)),
            _ => false,
        }
    }

    fn function(&mut self) -> Parsed<Item> {
        let name = self.name()?;
        self.expect_sign("(")?;
        let arguments = if self.is_sign(")") { Vec::new() } else { self.separated(Self::type_expr)? };
        self.expect_sign(")")?;
        self.expect_sign(":")?;
        Ok(Item::Function(name, arguments, self.type_expr()?))
    }

    fn process(&mut self) -> Parsed<Item> {
        let name = self.name()?;
        let mut family = None;
        if self.eat_sign("[") {
            let index = self.name()?;
            self.expect_sign(":")?;
            family = Some((index, self.range()?));
            self.expect_sign("]")?;
        }
        self.expect_sign("{")?;
        let mut locals = Vec::new();
        while self.eat_word("var") {
            match self.var_decl() {
                Ok(decl) => locals.push(decl),
                Err(_) => self.skip_declaration(),
            }
            while self.eat_sign(";") {}
        }
        let body = self.statements();
        let end = self.token().span;
        if !self.eat_sign("}") {
            let diagnostic = Diagnostic::error("E0402", format!("process `{}` is not closed", name.name))
                .at(end, "expected `}`")
                .also(name.span, "begins here");
            self.diagnostics.push(diagnostic);
        }
        Ok(Item::Process(Box::new(ProcessDecl { name, family, locals, body, end, passed: Vec::new() })))
    }

    /// Skips what is left of a local declaration: the rest of its line's tokens up to a likely statement.
    fn skip_declaration(&mut self) {
        let line = |p: &Self, at: Span| p.text[..at.start].matches('\n').count();
        let here = line(self, self.token().span);
        while !self.ends() && !self.is_sign("}") && !self.is_sign(";") && line(self, self.token().span) == here {
            self.advance();
        }
    }

    fn predicate(&mut self) -> Parsed<Item> {
        let named = self.is_name() && self.next_token(1).kind == TokenKind::Sign(":");
        let name = if named { Some(self.name()?) } else { None };
        if named {
            self.expect_sign(":")?;
        }
        Ok(Item::Predicate(name, self.expr()?))
    }

    fn var_ref(&mut self) -> Parsed<VarRef> {
        let first = self.process_ref()?;
        if self.eat_sign(".") {
            return Ok(VarRef { process: Some(first), name: self.name()? });
        }
        if let Some(index) = first.index {
            let diagnostic = Diagnostic::error("E0402", "`keep` takes whole arrays")
                .at(index.span, "no index here")
                .help(format!("write `keep {}`", first.name.name));
            return self.error(diagnostic);
        }
        Ok(VarRef { process: None, name: first.name })
    }

    fn property(&mut self) -> Parsed<Item> {
        let name = self.name()?;
        self.expect_sign(":")?;
        let mut logic = self.name()?;
        if self.is_sign("*") && self.token().span.start == logic.span.end {
            logic.span = logic.span.to(self.advance().span);
            logic.name.push('*');
        }
        let first = self.position();
        let start = self.token().span;
        // After a bracket or a comma a name is due: there `system` and `environment` are players and begin no item.
        let mut name_is_due = false;
        while !self.ends() && (name_is_due || !self.is_item()) && !self.is_sign(";") {
            let token = self.advance();
            name_is_due = ["<", "[", ","].contains(&self.text_of(token.span));
        }
        if self.position() == first {
            return self.expected("a formula");
        }
        let (tokens, span) = (first..self.position(), self.since(start));
        Ok(Item::Property(PropertyDecl { name, logic, tokens, span, invariant: false }))
    }
}

/// `fair x` with a variable or definition `x` is a condition, not a process.
fn name_conditions(file: &mut File) {
    let mut declared: BTreeSet<String> = BTreeSet::new();
    for item in &file.items {
        match item {
            Item::Var(decl) => declared.extend(decl.names.iter().map(|name| name.name.clone())),
            Item::Define(name, _) => _ = declared.insert(name.name.clone()),
            _ => {}
        }
    }
    for item in &mut file.items {
        if let Item::Fair(false, named) = item
            && let [one] = named.as_slice()
            && declared.contains(&one.name.name)
        {
            *item = Item::Justice(as_condition(one));
        }
    }
}
