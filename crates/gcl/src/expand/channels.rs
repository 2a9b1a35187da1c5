//! Channels with a buffer, as variables: how many messages are in it, and which.
//!
//! `chan c : T capacity n` is a record of `len`, the number of messages, and `buf`, the messages from the oldest on. Entries behind the last message have
//! one fixed value, so that equal contents are equal states. Sending waits while the buffer is full, receiving while it is empty.

use tertium_base::narrow::to_i64;
use tertium_base::{Diagnostic, Span};

use super::places::Place;
use super::sets::{all, compare};
use super::statements::written;
use super::types::{Structure, int};
use super::{ChannelTable, Expansion, MOST_CELLS};
use crate::ast::sugar::{Accessor, ChannelDecl, Communication, TypeSugar};
use crate::ast::{
    Assignment, Comparison, Expr, ExprKind, Ident, Initial, Range, Source, StmtKind, Target, TypeExpr, TypeKind,
    VarDecl,
};

impl Expansion<'_> {
    /// The type that a channel has as a variable, and what is known of it.
    pub(super) fn channel_tables(&mut self, decl: &ChannelDecl) -> Vec<(String, TypeExpr, ChannelTable)> {
        let Some(capacity) = self.capacity(decl) else { return Vec::new() };
        let span = decl.ty.span;
        let range = |hi: i64| Box::new(Range { lo: int(0, span), hi: int(hi, span) });
        let kind = |kind: TypeKind| TypeExpr { kind, span };
        let field = |name: &str, ty: TypeExpr| (Ident { name: name.to_owned(), span }, ty);
        let buffer = kind(TypeKind::Array(range(capacity - 1), Box::new(decl.ty.clone())));
        let fields = vec![field("len", kind(TypeKind::Range(range(capacity)))), field("buf", buffer)];
        let mut ty = kind(TypeKind::Sugar(Box::new(TypeSugar::Record(fields))));
        if let Some(row) = &decl.row {
            ty = kind(TypeKind::Array(Box::new(row.clone()), Box::new(ty)));
        }
        let one = |name: &Ident| {
            let table = ChannelTable { capacity, message: decl.ty.clone() };
            (name.name.clone(), ty.clone(), table)
        };
        decl.names.iter().map(one).collect()
    }

    fn capacity(&mut self, decl: &ChannelDecl) -> Option<i64> {
        let span = decl.capacity.span;
        let capacity = self.known_number(&decl.capacity, "the capacity of a channel")?;
        if capacity == 0 {
            let diagnostic = Diagnostic::error("E0424", "a channel without a buffer")
                .at(span, "holds no message")
                .note("that sender and receiver step together has no form in guarded commands; Promela models have it")
                .help("give it room for one message: `capacity 1`");
            return self.fail(diagnostic);
        }
        let cells = self.cells(&decl.ty)?.len().max(1);
        if !(1..=to_i64(MOST_CELLS / cells)).contains(&capacity) {
            let message = format!("a channel of such messages holds between 1 and {} of them", MOST_CELLS / cells);
            return self.fail(Diagnostic::error("E0415", message).at(span, "not this many"));
        }
        Some(capacity)
    }

    /// The variables that channels are.
    pub(super) fn channel(&mut self, decl: &ChannelDecl) -> Vec<VarDecl> {
        let Some(name) = decl.names.first() else { return Vec::new() };
        let Some(ty) = self.tables.globals.get(&name.name).cloned() else { return Vec::new() };
        if !self.tables.channels.contains_key(&name.name) || !self.check_type(&decl.ty) {
            return Vec::new();
        }
        let of = |fields: &str, leaf: &TypeExpr| {
            let mut inner = leaf.clone();
            while let TypeKind::Array(_, element) = self.resolved(&inner).kind {
                inner = *element;
            }
            let value = if fields == ".len" { int(0, leaf.span) } else { self.some_value(&inner) };
            let named = |name: &Ident| Ident { name: format!("{}{fields}", name.name), span: name.span };
            let names = decl.names.iter().map(named).collect();
            VarDecl { names, ty: leaf.clone(), initial: Some(Initial::Same(value)) }
        };
        self.leaves(&ty).iter().map(|(fields, leaf)| of(fields, leaf)).collect()
    }

    /// The channel that a target names, and the number of messages in it.
    fn channel_of(&mut self, target: &Target) -> Option<(Place, ChannelTable)> {
        let Some(table) = self.tables.channels.get(&target.name.name).cloned() else {
            let diagnostic = Diagnostic::error("E0407", format!("`{}` is not a channel", target.name.name))
                .at(target.name.span, "cannot be sent to or received from")
                .help("declare it: `chan c : 0..3 capacity 1`");
            return self.fail(diagnostic);
        };
        let ty = self.tables.globals.get(&target.name.name)?.clone();
        let start = Place { owner: None, name: target.name.clone(), indices: Vec::new(), ty, span: target.span };
        let path: Vec<Accessor> =
            target.indices.iter().cloned().map(Accessor::Index).chain(target.accessors.iter().cloned()).collect();
        let place = self.walk(start, &path)?;
        if matches!(self.structure(&place.ty), Structure::Record(_)) {
            return Some((place, table));
        }
        let message = format!("`{}` is a row of channels", target.name.name);
        self.fail(Diagnostic::error("E0407", message).at(target.span, "which of them? give an index"))
    }

    fn part(&mut self, channel: &Place, name: &str) -> Option<Place> {
        let field = Accessor::Field(Ident { name: name.to_owned(), span: channel.span });
        self.walk(channel.clone(), &[field])
    }

    /// `len(c)`.
    pub(super) fn length(&mut self, channel: &Expr) -> Option<Expr> {
        let target = match &channel.kind {
            ExprKind::Name(name) => (name.clone(), Vec::new()),
            ExprKind::Index(name, indices) => (name.clone(), indices.clone()),
            _ => {
                let diagnostic = Diagnostic::error("E0407", "expected a channel");
                return self.fail(diagnostic.at(channel.span, "`len` asks how many messages are in a channel"));
            }
        };
        let target = Target { name: target.0, indices: target.1, accessors: Vec::new(), span: channel.span };
        let (place, _) = self.channel_of(&target)?;
        let length = self.part(&place, "len")?;
        Some(super::places::read(None, length.name, length.indices, channel.span))
    }

    /// A send or receive as an assignment with a guard.
    pub(super) fn communicate(
        &mut self,
        condition: Option<&Expr>,
        communication: &Communication,
        span: Span,
    ) -> Option<StmtKind> {
        let condition = condition.map(|condition| self.expr(condition));
        let mut plain = Assignment { targets: Vec::new(), sources: Vec::new() };
        let guard = match communication {
            Communication::Send(channel, message) => self.send(channel, message, &mut plain, span)?,
            Communication::Receive(channel, to) => self.receive(channel, to, &mut plain, span)?,
        };
        let guard = all(condition.into_iter().chain([guard]).collect(), span);
        Some(StmtKind::When(guard, Some(plain)))
    }

    /// The length as an expression, and one message more or less.
    fn change_length(&mut self, channel: &Place, less: bool, plain: &mut Assignment, span: Span) -> Option<Expr> {
        let length = self.part(channel, "len")?;
        let value = super::places::read(None, length.name.clone(), length.indices.clone(), span);
        let changed = ExprKind::Sum(Box::new(value.clone()), vec![(less, int(1, span))]);
        plain.targets.push(written(&length));
        plain.sources.push(Source::Value(Expr { kind: changed, span }));
        Some(value)
    }

    fn send(&mut self, channel: &Target, message: &Source, plain: &mut Assignment, span: Span) -> Option<Expr> {
        let (channel, table) = self.channel_of(channel)?;
        let length = self.change_length(&channel, false, plain, span)?;
        let buffer = self.part(&channel, "buf")?;
        let entry = self.walk(buffer, &[Accessor::Index(length.clone())])?;
        let sources = match message {
            Source::Value(value) => {
                self.values(&table.message, value, &entry)?.into_iter().map(Source::Value).collect()
            }
            Source::Any(any) => vec![Source::Any(*any); self.cells(&table.message)?.len()],
            Source::Within(range, place) => {
                let range = Range { lo: self.expr(&range.lo), hi: self.expr(&range.hi) };
                vec![Source::Within(range, *place)]
            }
        };
        self.assign_cells(&entry, sources, plain)?;
        Some(compare(Comparison::Lt, length, int(table.capacity, span), span))
    }

    fn receive(&mut self, channel: &Target, to: &Target, plain: &mut Assignment, span: Span) -> Option<Expr> {
        let (channel, table) = self.channel_of(channel)?;
        let length = self.change_length(&channel, true, plain, span)?;
        let buffer = self.part(&channel, "buf")?;
        let cells = self.cells(&table.message)?;
        let entry = |at: i64| Place {
            indices: buffer.indices.iter().cloned().chain([int(at, span)]).collect(),
            ty: table.message.clone(),
            ..buffer.clone()
        };
        let value = |at: i64, cell| {
            let (name, indices) = entry(at).cell(cell);
            super::places::read(None, name, indices, span)
        };
        for at in 0..table.capacity {
            for cell in &cells {
                let (name, indices) = entry(at).cell(cell);
                plain.targets.push(Target { name, indices, accessors: Vec::new(), span });
                let next =
                    if at + 1 < table.capacity { value(at + 1, cell) } else { self.vacant(&table.message, cell) };
                plain.sources.push(Source::Value(next));
            }
        }
        let oldest: Vec<Expr> = cells.iter().map(|cell| value(0, cell)).collect();
        self.take(to, &table.message, oldest, plain)?;
        Some(compare(Comparison::Gt, length, int(0, span), span))
    }

    /// What stands behind the last message.
    fn vacant(&mut self, message: &TypeExpr, cell: &super::types::Cell) -> Expr {
        let leaves = self.leaves(message);
        let leaf = leaves.into_iter().find(|(fields, _)| *fields == cell.fields).map(|(_, ty)| ty);
        let mut ty = leaf.unwrap_or_else(|| message.clone());
        while let TypeKind::Array(_, element) = self.resolved(&ty).kind {
            ty = *element;
        }
        self.some_value(&ty)
    }

    /// The message goes to a variable of its type.
    fn take(&mut self, to: &Target, message: &TypeExpr, values: Vec<Expr>, plain: &mut Assignment) -> Option<()> {
        let Some(place) = self.place_written(to).ok()? else {
            let [value] = values.as_slice() else {
                let diagnostic = Diagnostic::error("E0407", "the message is a record or a set");
                return self.fail(diagnostic.at(to.span, "this is a single variable"));
            };
            let indices = to.indices.iter().map(|index| self.expr(index)).collect();
            plain.targets.push(Target { indices, accessors: Vec::new(), ..to.clone() });
            plain.sources.push(Source::Value(value.clone()));
            return Some(());
        };
        if self.cells(&place.ty)? != self.cells(message)? {
            let diagnostic = Diagnostic::error("E0407", "the message has another type");
            return self.fail(diagnostic.at(to.span, "does not take it"));
        }
        self.assign_cells(&place, values.into_iter().map(Source::Value).collect(), plain)
    }
}
