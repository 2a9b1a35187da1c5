//! Declarations: what stands at the top level of a model, and variables anywhere.

use tertium_base::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::ast::{
    Active, ChannelInit, Declarator, Expr, ExprKind, File, Init, Initializer, Item, Ltl, MtypeDecl, Never, Proctype,
    Trace, TypeKind, TypeName, Typedef, VarDecl, Visibility,
};
use crate::lexer::TokenKind;

/// Words that begin an item; recovery looks for them at the beginning of a line.
const ITEMS: &[&str] = &[
    "active",
    "proctype",
    "D_proctype",
    "init",
    "never",
    "trace",
    "notrace",
    "ltl",
    "typedef",
    "inline",
    "mtype",
    "hidden",
    "show",
    "local",
    "bit",
    "bool",
    "byte",
    "pid",
    "short",
    "int",
    "unsigned",
    "chan",
    "c_code",
    "c_decl",
    "c_state",
    "c_track",
];

impl Parser {
    pub(crate) fn file(&mut self) -> File {
        let mut items = Vec::new();
        while !self.ends() && !self.gave_up() {
            let start = self.at;
            if self.eat_sign(";") || self.eat_sign("->") {
                continue;
            }
            self.depth = 0;
            match self.item() {
                Ok(Some(item)) => items.push(item),
                Ok(None) => {}
                Err(_) => self.skip_item(start),
            }
        }
        File { items, refs: self.refs, decls: self.decls, labels: self.labels }
    }

    /// Goes on at the next line that begins with a word for an item.
    fn skip_item(&mut self, start: usize) {
        if self.at == start {
            self.advance();
        }
        while !self.ends() {
            let token = self.token();
            if token.newline && token.kind == TokenKind::Word && ITEMS.contains(&&*token.text) {
                return;
            }
            self.advance();
        }
    }

    /// One item; none for an `inline`, which leaves nothing in the tree.
    fn item(&mut self) -> Parsed<Option<Item>> {
        self.embedded_c()?;
        let token = self.token().clone();
        if token.kind != TokenKind::Word {
            return self.expected("a declaration");
        }
        match &*token.text {
            "active" | "proctype" | "D_proctype" => Ok(Some(Item::Proctype(Box::new(self.proctype()?)))),
            "init" => self.init().map(Some),
            "never" => self.never().map(Some),
            "trace" | "notrace" => {
                self.advance();
                let (body, end) = self.body()?;
                let negated = &*token.text == "notrace";
                Ok(Some(Item::Trace(Trace { negated, body, end, span: token.span })))
            }
            "ltl" => self.ltl().map(|ltl| Some(Item::Ltl(Box::new(ltl)))),
            "typedef" => self.typedef().map(|typedef| Some(Item::Typedef(typedef))),
            "inline" => self.inline().map(|()| None),
            "mtype" if self.is_mtype_set() => self.mtype().map(|mtype| Some(Item::Mtype(mtype))),
            _ if self.is_predicate() => {
                self.advance();
                Ok(Some(Item::Pred(self.full_expr()?)))
            }
            _ if self.is_declaration() => Ok(Some(Item::Vars(self.var_decl()?))),
            _ => self.no_item(),
        }
    }

    fn no_item<T>(&mut self) -> Parsed<T> {
        let token = self.token().clone();
        let mut diagnostic = Diagnostic::error("E0505", format!("expected a declaration, found `{}`", token.text))
            .at(token.span, "begins no declaration");
        if let Some(close) = Self::close_keyword(&token.text).filter(|close| *close != &*token.text) {
            diagnostic = diagnostic.help(format!("a word of the language is similar: `{close}`"));
        } else {
            diagnostic = diagnostic.note("statements stand inside `proctype`, `init`, `never` or `inline`");
        }
        self.error(diagnostic)
    }

    /// `pred EXPR`; `pred` is a name like any other elsewhere.
    pub(crate) fn is_predicate(&self) -> bool {
        let next = self.next_token(1);
        let begins_expression = match next.kind {
            TokenKind::Word => !next.is_word("in"),
            TokenKind::Int | TokenKind::Char => true,
            TokenKind::Sign => next.is_sign("(") || (next.is_sign("!") && next.space),
            _ => false,
        };
        self.is_word("pred") && begins_expression && !self.inlines.contains_key("pred")
    }

    /// Whether a declaration of variables comes next: a type, or two names in a row.
    pub(crate) fn is_declaration(&self) -> bool {
        const BEGIN: &[&str] =
            &["hidden", "show", "local", "bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan"];
        let token = self.token();
        if token.kind != TokenKind::Word {
            return false;
        }
        BEGIN.contains(&&*token.text) || (self.is_name() && super::is_name(self.next_token(1)) && !self.is_predicate())
    }

    fn proctype(&mut self) -> Parsed<Proctype> {
        let start = self.span();
        let active = self.active()?;
        if !self.is_word("proctype") && !self.is_word("D_proctype") {
            return self.expected("`proctype`");
        }
        let deterministic = &*self.advance().text == "D_proctype";
        let name = self.name()?;
        self.expect_sign("(")?;
        let params = if self.is_sign(")") { Vec::new() } else { self.params()? };
        self.expect_sign(")")?;
        let priority = self.priority()?;
        let provided = self.provided()?;
        let (body, end) = self.body()?;
        let span = self.since(start);
        Ok(Proctype { name, active, deterministic, params, priority, provided, body, end, span })
    }

    fn active(&mut self) -> Parsed<Option<Active>> {
        let span = self.span();
        if !self.eat_word("active") {
            return Ok(None);
        }
        let mut count = None;
        if self.eat_sign("[") {
            count = Some(self.expr()?);
            self.expect_sign("]")?;
        }
        Ok(Some(Active { count, span: self.since(span) }))
    }

    fn params(&mut self) -> Parsed<Vec<VarDecl>> {
        let mut all = vec![self.var_decl()?];
        while self.eat_sign(";") {
            if self.is_sign(")") {
                break;
            }
            all.push(self.var_decl()?);
        }
        Ok(all)
    }

    fn provided(&mut self) -> Parsed<Option<Expr>> {
        if !self.eat_word("provided") {
            return Ok(None);
        }
        self.expect_sign("(")?;
        let condition = self.full_expr()?;
        self.expect_sign(")")?;
        Ok(Some(condition))
    }

    fn init(&mut self) -> Parsed<Item> {
        let span = self.advance().span;
        let priority = self.priority()?;
        let (body, end) = self.body()?;
        Ok(Item::Init(Init { priority, body, end, span }))
    }

    fn never(&mut self) -> Parsed<Item> {
        let span = self.advance().span;
        let name = if self.is_name() { Some(self.name()?) } else { None };
        let (body, end) = self.body()?;
        Ok(Item::Never(Never { name, body, end, span }))
    }

    fn ltl(&mut self) -> Parsed<Ltl> {
        let start = self.advance().span;
        let name = if self.is_name() { Some(self.name()?) } else { None };
        self.expect_sign("{")?;
        let first = self.at;
        let formula = self.formula()?;
        let text = self.text_between(first, self.at);
        while self.eat_sign(";") {}
        self.expect_sign("}")?;
        Ok(Ltl { name, formula, text, span: self.since(start) })
    }

    /// The tokens as text, one blank where blanks were.
    fn text_between(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        for token in &self.tokens[from..to] {
            if token.space && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&token.text);
        }
        text
    }

    fn typedef(&mut self) -> Parsed<Typedef> {
        let start = self.advance().span;
        let name = self.name()?;
        self.expect_sign("{")?;
        let mut fields = Vec::new();
        while !self.is_sign("}") {
            fields.push(self.var_decl()?);
            if !self.eat_sign(";") {
                break;
            }
            while self.eat_sign(";") {}
        }
        if fields.is_empty() {
            return self.expected("a field");
        }
        self.expect_sign("}")?;
        Ok(Typedef { name, fields, span: self.since(start) })
    }

    /// `mtype = {`, `mtype {`, `mtype:name = {`.
    fn is_mtype_set(&self) -> bool {
        let at = if self.next_token(1).is_sign(":") { 3 } else { 1 };
        self.next_token(at).is_sign("{") || (self.next_token(at).is_sign("=") && self.next_token(at + 1).is_sign("{"))
    }

    fn mtype(&mut self) -> Parsed<MtypeDecl> {
        let start = self.advance().span;
        let set = if self.eat_sign(":") { Some(self.name()?) } else { None };
        self.eat_sign("=");
        self.expect_sign("{")?;
        let mut names = vec![self.name()?];
        while !self.is_sign("}") {
            if !self.eat_sign(",") && !self.is_name() {
                return self.expected("`,` or `}`");
            }
            if self.is_name() {
                names.push(self.name()?);
            }
        }
        self.advance();
        Ok(MtypeDecl { set, names, span: self.since(start) })
    }

    /// `hidden byte a, b[3] = 1`.
    pub(crate) fn var_decl(&mut self) -> Parsed<VarDecl> {
        let start = self.span();
        let visibility = match &*self.token().text {
            "hidden" => Visibility::Hidden,
            "show" => Visibility::Show,
            "local" => Visibility::Local,
            _ => Visibility::Plain,
        };
        if visibility != Visibility::Plain {
            self.advance();
        }
        if self.is_word("mtype") && self.is_mtype_set() {
            let span = self.span();
            let diagnostic = Diagnostic::error("E0505", "constants of `mtype` are declared at the top level")
                .at(span, "inside of something")
                .help(
                    "move the declaration out of the proctype or typedef, and give it no `hidden`, `show` or `local`",
                );
            return self.error(diagnostic);
        }
        let ty = self.type_name()?;
        let vars = self.separated(Self::declarator)?;
        Ok(VarDecl { visibility, ty, vars, span: self.since(start) })
    }

    fn type_name(&mut self) -> Parsed<TypeName> {
        let token = self.token().clone();
        if token.kind != TokenKind::Word {
            return self.expected("a type");
        }
        let kind = match &*token.text {
            "bit" => TypeKind::Bit,
            "bool" => TypeKind::Bool,
            "byte" => TypeKind::Byte,
            "pid" => TypeKind::Pid,
            "short" => TypeKind::Short,
            "int" => TypeKind::Int,
            "unsigned" => TypeKind::Unsigned,
            "chan" => TypeKind::Chan,
            "mtype" => TypeKind::Mtype(None),
            _ if self.is_name() => TypeKind::User(self.name()?),
            _ => return self.expected("a type"),
        };
        if let TypeKind::User(_) = kind {
            return Ok(TypeName { kind, span: token.span });
        }
        self.advance();
        if matches!(kind, TypeKind::Mtype(_)) && self.eat_sign(":") {
            let set = self.name()?;
            return Ok(TypeName { kind: TypeKind::Mtype(Some(set)), span: self.since(token.span) });
        }
        Ok(TypeName { kind, span: token.span })
    }

    fn declarator(&mut self) -> Parsed<Declarator> {
        let id = self.new_decl();
        let name = self.name()?;
        let (mut width, mut size) = (None, None);
        if self.eat_sign(":") {
            let span = self.span();
            if !matches!(self.token().kind, TokenKind::Int) {
                return self.expected("a number of bits");
            }
            width = Some(Expr { kind: ExprKind::Int(self.number()?), span });
        } else if self.eat_sign("[") {
            size = Some(self.expr()?);
            self.expect_sign("]")?;
        }
        let initial = if self.eat_sign("=") { Some(self.initializer()?) } else { None };
        let span = self.since(name.span);
        Ok(Declarator { id, name, width, size, initial, span })
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        let start = self.span();
        if self.is_sign("[") {
            return self.channel_init(start).map(Initializer::Channel);
        }
        if !self.eat_sign("{") {
            return Ok(Initializer::Value(self.expr()?));
        }
        let values = self.separated(Self::expr)?;
        self.expect_sign("}")?;
        Ok(Initializer::List(values, self.since(start)))
    }

    fn channel_init(&mut self, start: Span) -> Parsed<ChannelInit> {
        self.expect_sign("[")?;
        let capacity = self.expr()?;
        self.expect_sign("]")?;
        if !self.eat_word("of") {
            return self.expected("`of`");
        }
        self.expect_sign("{")?;
        let fields = self.separated(Self::type_name)?;
        self.expect_sign("}")?;
        Ok(ChannelInit { capacity, fields, span: self.since(start) })
    }
}
