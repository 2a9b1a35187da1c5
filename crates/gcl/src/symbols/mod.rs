//! Which names does a text declare, and where are they used?
//!
//! For editors: [`symbols`] walks the tree with the rules by which expressions look names up (the family's index, then
//! locals, then globals; labels and locals of other processes through `P@l` and `P.x`). Values and types come from the
//! same declarations that a program is made of. Works on texts with mistakes as far as they have a tree.
//!
//! Not here: what is wrong with a text ([`crate::compile`]).

mod properties;
mod statements;
mod sugar;

use std::collections::BTreeMap;

use tertium_base::narrow::to_i64;
use tertium_base::{Span, Symbol, SymbolKind, SymbolTable};

use crate::ast::sugar::StmtSugar;
use crate::ast::{
    Block, Expr, ExprKind, File, Ident, Initial, Item, ProcessDecl, ProcessRef, Range, SCHEDULER, StmtKind, TypeExpr,
    TypeKind, VarDecl, VarRef, is_scheduler,
};
use crate::lexer::{Token, TokenKind, lex};
use crate::names::{Elaborator, Entity, Progress};

/// The names of a process.
#[derive(Default)]
struct Inside<'a> {
    index: Option<(&'a str, usize)>,
    locals: BTreeMap<&'a str, usize>,
    labels: BTreeMap<&'a str, usize>,
}

struct Namer<'a> {
    text: &'a str,
    tokens: &'a [Token],
    values: Elaborator<'a>,
    table: SymbolTable,
    globals: BTreeMap<&'a str, usize>,
    types: BTreeMap<&'a str, usize>,
    processes: BTreeMap<&'a str, Inside<'a>>,
    /// The process whose text is being walked.
    here: Option<&'a str>,
    /// The names that quantifiers, `for` and procedures bring in.
    bound: BTreeMap<String, usize>,
    /// The fields of records, by their names.
    fields: BTreeMap<String, Vec<usize>>,
    /// The parameters and labels of procedures.
    procedures: BTreeMap<&'a str, Inside<'a>>,
    /// The procedure whose text is being walked.
    within: Option<&'a str>,
}

/// All names of a text.
///
/// ```
/// let table = tertium_gcl::symbols::symbols("system s const N = 2 var x : 0..N = N");
/// let n = table.at(15).unwrap();
/// assert_eq!(table.symbols()[n.symbol].notes, ["value 2"]);
/// assert_eq!(table.places(n.symbol).len(), 3);
/// ```
#[must_use]
pub fn symbols(text: &str) -> SymbolTable {
    let lexed = lex(text);
    let (file, _) = crate::parser::parse(text, &lexed);
    let plain = crate::expand_sized(text, file.clone(), &BTreeMap::new()).file;
    let mut values = Elaborator::new(text, "");
    values.declarations(&plain);
    let mut namer = Namer {
        text,
        tokens: &lexed.tokens,
        values,
        table: SymbolTable::default(),
        globals: BTreeMap::new(),
        types: BTreeMap::new(),
        processes: BTreeMap::new(),
        here: None,
        bound: BTreeMap::new(),
        fields: BTreeMap::new(),
        procedures: BTreeMap::new(),
        within: None,
    };
    namer.declare(&file);
    for item in &file.items {
        namer.item(item);
    }
    namer.table.finish();
    namer.table
}

impl<'a> Namer<'a> {
    /// A stretch of the text on one line.
    fn snippet(&self, span: Span) -> String {
        self.text[span.start..span.end].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// From the word before a name to the end of its declaration.
    fn extent(&self, name: Span, end: usize) -> Span {
        let at = self.tokens.partition_point(|token| token.span.start < name.start);
        let start = at.checked_sub(1).map_or(name.start, |before| self.tokens[before].span.start);
        Span::new(start, end.max(name.end))
    }

    fn symbol(&mut self, name: &Ident, kind: SymbolKind, extent: Span, detail: String, parent: Option<usize>) -> usize {
        self.table.declare(Symbol {
            name: name.name.clone(),
            kind,
            span: name.span,
            extent,
            detail,
            notes: Vec::new(),
            parent,
        })
    }

    /// A symbol that its declaration describes as it stands.
    fn plain(&mut self, name: &Ident, kind: SymbolKind, end: usize, parent: Option<usize>) -> usize {
        let extent = self.extent(name.span, end);
        let detail = self.snippet(extent);
        self.symbol(name, kind, extent, detail, parent)
    }

    fn global(&mut self, name: &'a Ident, symbol: usize) {
        self.globals.entry(&name.name).or_insert(symbol);
    }

    fn declare(&mut self, file: &'a File) {
        if let Some(name) = &file.name {
            self.plain(name, SymbolKind::System, name.span.end, None);
        }
        for item in &file.items {
            match item {
                Item::Const(name, expr) => self.named(name, SymbolKind::Constant, expr),
                Item::AtLeast(name, expr) => {
                    let symbol = self.plain(name, SymbolKind::Constant, expr.span.end, None);
                    self.global(name, symbol);
                    self.table.symbols_mut()[symbol].notes.push("any number from there on".to_owned());
                }
                Item::Define(name, expr) => self.named(name, SymbolKind::Definition, expr),
                Item::Predicate(Some(name), expr) => self.named(name, SymbolKind::Predicate, expr),
                Item::Enumeration(name, members) => self.enumeration(name, members),
                Item::Alias(name, ty) => {
                    let symbol = self.plain(name, SymbolKind::Type, ty.span.end, None);
                    self.record(ty, symbol);
                    self.types.entry(&name.name).or_insert(symbol);
                }
                Item::Var(decl) => {
                    for (name, symbol) in self.variables(decl, SymbolKind::Variable, None) {
                        self.global(name, symbol);
                    }
                }
                Item::Function(name, _, result) => {
                    let symbol = self.plain(name, SymbolKind::Function, result.span.end, None);
                    self.global(name, symbol);
                }
                Item::Process(decl) => self.process(decl),
                Item::Property(decl) => {
                    self.plain(&decl.name, SymbolKind::Property, decl.span.end, None);
                }
                Item::Sugar(sugar) => self.declare_sugar(sugar),
                _ => {}
            }
        }
    }

    /// A constant, definition or predicate, with its type or value.
    fn named(&mut self, name: &'a Ident, kind: SymbolKind, expr: &Expr) {
        let symbol = self.plain(name, kind, expr.span.end, None);
        self.global(name, symbol);
        let found = self.values.named.iter().find(|known| known.ident.span == name.span);
        let Some(Progress::Done(Some(typed))) = found.map(|known| known.progress) else { return };
        let note = match self.values.program.exprs.constant(typed.id) {
            Some(value) if kind == SymbolKind::Constant => {
                let program = &self.values.program;
                format!("value {}", program.show_value(Self::shown_type(typed.ty), value))
            }
            _ => format!("type {}", self.values.type_name(typed.ty)),
        };
        self.table.symbols_mut()[symbol].notes.push(note);
    }

    const fn shown_type(ty: crate::names::Ty) -> tertium_program::Type {
        match ty {
            crate::names::Ty::Bool => tertium_program::Type::Bool,
            crate::names::Ty::Int | crate::names::Ty::Bits(_) => tertium_program::Type::Int,
            crate::names::Ty::Enum(id) => tertium_program::Type::Enum(id),
        }
    }

    fn enumeration(&mut self, name: &'a Ident, members: &'a [Ident]) {
        let end = members.last().map_or(name.span.end, |last| last.span.end);
        let symbol = self.plain(name, SymbolKind::Type, end, None);
        self.types.entry(&name.name).or_insert(symbol);
        for (position, member) in members.iter().enumerate() {
            let detail = format!("{} : {}", member.name, name.name);
            let id = self.symbol(member, SymbolKind::Member, member.span, detail, Some(symbol));
            self.table.symbols_mut()[id].notes.push(format!("number {position} of {}", members.len()));
            self.global(member, id);
        }
    }

    fn variables(&mut self, decl: &'a VarDecl, kind: SymbolKind, parent: Option<usize>) -> Vec<(&'a Ident, usize)> {
        let end = match &decl.initial {
            None => decl.ty.span.end,
            Some(Initial::Same(expr)) => expr.span.end,
            Some(Initial::Each(_, span)) => span.end,
        };
        let rest = self.snippet(Span::new(decl.ty.span.start, end));
        let mut all = Vec::new();
        for name in &decl.names {
            let detail = format!("var {} : {rest}", name.name);
            let symbol = self.symbol(name, kind, Span::new(name.span.start, end), detail, parent);
            if let Some(note) = self.resolved(name, decl) {
                self.table.symbols_mut()[symbol].notes.push(note);
            }
            if decl.initial.is_none() {
                self.table.symbols_mut()[symbol].notes.push("starts with any value of its type".to_owned());
            }
            all.push((name, symbol));
        }
        all
    }

    /// The type of a variable where its declaration leaves work to the reader.
    fn resolved(&self, name: &Ident, decl: &VarDecl) -> Option<String> {
        let written = self.snippet(decl.ty.span);
        let variables = &self.values.program.variables;
        let variable = match self.values.globals.get(name.name.as_str()) {
            Some(&(Entity::Var(id), span)) if span == name.span => self.values.program.variable(id),
            _ => variables.iter().find(|known| known.span == name.span)?,
        };
        let cells: String =
            variable.dimensions.iter().map(|size| format!("array[{}..{}] of ", size.lo, size.hi())).collect();
        let shown = format!("{cells}{}", self.values.program.show_type(variable.ty));
        (shown != written).then(|| format!("type {shown}"))
    }

    fn process(&mut self, decl: &'a ProcessDecl) {
        let extent = self.extent(decl.name.span, decl.end.end);
        let family = decl.family.as_ref().map_or_else(String::new, |(index, range)| {
            format!("[{} : {}]", index.name, self.snippet(range.lo.span.to(range.hi.span)))
        });
        let detail = format!("process {}{family}", decl.name.name);
        let symbol = self.symbol(&decl.name, SymbolKind::Process, extent, detail, None);
        self.global(&decl.name, symbol);
        let members = self.values.groups.iter().find(|group| group.decl.name.span == decl.name.span);
        if let (Some(group), true) = (members, decl.family.is_some()) {
            let last = group.lo + to_i64(group.processes.len()) - 1;
            let note = format!("{} members, {} to {last}", group.processes.len(), group.lo);
            self.table.symbols_mut()[symbol].notes.push(note);
        }
        let mut inside = Inside::default();
        if let Some((index, range)) = &decl.family {
            let detail = format!("{} : {}", index.name, self.snippet(range.lo.span.to(range.hi.span)));
            let id = self.symbol(index, SymbolKind::Parameter, index.span, detail, Some(symbol));
            inside.index = Some((index.name.as_str(), id));
        }
        for locals in &decl.locals {
            for (name, id) in self.variables(locals, SymbolKind::Local, Some(symbol)) {
                inside.locals.entry(name.name.as_str()).or_insert(id);
            }
        }
        self.labels(&decl.body, symbol, &mut inside);
        self.processes.entry(&decl.name.name).or_insert(inside);
    }

    fn labels(&mut self, block: &'a Block, process: usize, inside: &mut Inside<'a>) {
        for statement in block {
            for label in &statement.labels {
                let line = self.snippet(statement.span);
                let shown: String = line.chars().take(60).collect();
                let detail = format!("{}: {shown}", label.name);
                let id = self.symbol(label, SymbolKind::Label, label.span, detail, Some(process));
                inside.labels.entry(label.name.as_str()).or_insert(id);
            }
            for block in blocks(&statement.kind) {
                self.labels(block, process, inside);
            }
        }
    }

    fn use_global(&mut self, name: &Ident) {
        if let Some(&symbol) = self.globals.get(name.name.as_str()) {
            self.table.use_at(name.span, symbol);
        }
    }

    fn use_value(&mut self, name: &Ident) {
        let inside = self.here.and_then(|process| self.processes.get(process));
        let text = name.name.as_str();
        let own = inside.and_then(|inside| match inside.index {
            Some((index, symbol)) if index == text => Some(symbol),
            _ => inside.locals.get(text).copied(),
        });
        match self.bound.get(text).copied().or(own) {
            Some(symbol) => self.table.use_at(name.span, symbol),
            None => self.use_global(name),
        }
    }

    fn item(&mut self, item: &'a Item) {
        match item {
            Item::Const(_, expr)
            | Item::AtLeast(_, expr)
            | Item::Define(_, expr)
            | Item::Predicate(_, expr)
            | Item::Justice(expr)
            | Item::Init(expr) => self.expr(expr),
            Item::Compassion(often, then) => [often, then].into_iter().for_each(|expr| self.expr(expr)),
            Item::Enumeration(..) => {}
            Item::Alias(_, ty) => self.ty(ty),
            Item::Var(decl) => self.var_decl(decl),
            Item::Function(_, arguments, result) => arguments.iter().chain([result]).for_each(|ty| self.ty(ty)),
            Item::Process(decl) => self.process_uses(decl),
            Item::Spotlight(processes) | Item::Fair(_, processes) => {
                processes.iter().for_each(|process| self.process_ref(process));
            }
            Item::Environment(processes) => {
                let known = self.globals.contains_key(SCHEDULER);
                let named = processes.iter().filter(|process| known || !is_scheduler(process));
                named.for_each(|process| self.process_ref(process));
            }
            Item::Keep(variables) => variables.iter().for_each(|variable| self.kept(variable)),
            Item::Property(decl) => self.property(decl),
            Item::Sugar(sugar) => self.item_sugar(sugar),
        }
    }

    fn var_decl(&mut self, decl: &'a VarDecl) {
        self.ty(&decl.ty);
        match &decl.initial {
            None => {}
            Some(Initial::Same(expr)) => self.expr(expr),
            Some(Initial::Each(values, _)) => values.iter().for_each(|value| self.expr(value)),
        }
    }

    fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeKind::Int | TypeKind::Nat | TypeKind::Bool | TypeKind::Bits(_) => {}
            TypeKind::Range(range) => self.range(range),
            TypeKind::Name(name) => {
                if let Some(&symbol) = self.types.get(name.as_str()) {
                    self.table.use_at(ty.span, symbol);
                }
            }
            TypeKind::Array(range, inner) => {
                self.range(range);
                self.ty(inner);
            }
            TypeKind::Sugar(sugar) => self.type_sugar(sugar),
        }
    }

    fn range(&mut self, range: &Range) {
        self.expr(&range.lo);
        self.expr(&range.hi);
    }

    fn process_ref(&mut self, process: &ProcessRef) {
        self.use_global(&process.name);
        process.index.iter().for_each(|index| self.expr(index));
    }

    fn local_of(&mut self, process: &ProcessRef, name: &Ident) {
        self.process_ref(process);
        let inside = self.processes.get(process.name.name.as_str());
        if let Some(&symbol) = inside.and_then(|inside| inside.locals.get(name.name.as_str())) {
            self.table.use_at(name.span, symbol);
        }
    }

    fn kept(&mut self, variable: &VarRef) {
        match &variable.process {
            Some(process) => self.local_of(process, &variable.name),
            None => self.use_global(&variable.name),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Deadlock => {}
            ExprKind::Name(name) => self.use_value(name),
            ExprKind::Index(name, indices) => {
                self.use_value(name);
                indices.iter().for_each(|index| self.expr(index));
            }
            ExprKind::Call(name, arguments) => {
                self.use_global(name);
                if let Some(&symbol) = self.types.get(name.name.as_str()) {
                    self.table.use_at(name.span, symbol);
                }
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::At(process, label) => {
                self.process_ref(process);
                self.label(Some(&process.name.name), label);
            }
            ExprKind::Field(process, name, indices) => {
                if self.processes.contains_key(process.name.name.as_str()) {
                    self.local_of(process, name);
                } else {
                    self.use_value(&process.name);
                    process.index.iter().for_each(|index| self.expr(index));
                    self.field(name);
                }
                indices.iter().for_each(|index| self.expr(index));
            }
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.expr(inner),
            ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().for_each(|part| self.expr(part)),
            ExprKind::Implies(left, right)
            | ExprKind::Iff(left, right)
            | ExprKind::Compare(_, left, right)
            | ExprKind::Bitwise(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Sum(first, rest) => {
                self.expr(first);
                rest.iter().for_each(|(_, part)| self.expr(part));
            }
            ExprKind::Product(first, rest) => {
                self.expr(first);
                rest.iter().for_each(|(_, part)| self.expr(part));
            }
            ExprKind::If(condition, yes, no) => [condition, yes, no].into_iter().for_each(|part| self.expr(part)),
            ExprKind::Sugar(sugar) => self.expr_sugar(sugar),
        }
    }
}

/// The blocks inside a statement.
fn blocks(kind: &StmtKind) -> Vec<&Block> {
    match kind {
        StmtKind::If(branches, otherwise) => branches.iter().map(|(_, block)| block).chain(otherwise).collect(),
        StmtKind::While(_, block) | StmtKind::Loop(block) | StmtKind::Atomic(block) => vec![block],
        StmtKind::Choose(blocks) => blocks.iter().collect(),
        StmtKind::Sugar(sugar) => match sugar.as_ref() {
            StmtSugar::For(_, _, block) => vec![block],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Whether a text can be a name.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let lexed = lex(text);
    let single =
        matches!(lexed.tokens[..], [Token { kind: TokenKind::Word, span }, _] if span == Span::new(0, text.len()));
    single && lexed.diagnostics.is_empty() && !keywords().contains(&text)
}

/// Words that cannot be names.
#[must_use]
pub fn keywords() -> &'static [&'static str] {
    crate::lexer::KEYWORDS
}

/// Words with a meaning of their own in some places, which may be names in others.
#[must_use]
pub fn soft_words() -> &'static [&'static str] {
    crate::lexer::SOFT_WORDS
}
