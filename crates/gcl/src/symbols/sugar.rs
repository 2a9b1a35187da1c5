//! Names that records, channels, procedures, `for` and quantifiers bring in, and where they are used.

use tertium_base::{Span, SymbolKind};

use super::{Inside, Namer};
use crate::ast::sugar::{
    Accessor, Binding, BindingDomain, ChannelDecl, Communication, ExprSugar, ItemSugar, ProcedureDecl, SetPart,
    StmtSugar, TypeSugar,
};
use crate::ast::{Ident, Target, TypeExpr, TypeKind};

impl<'a> Namer<'a> {
    pub(super) fn declare_sugar(&mut self, sugar: &'a ItemSugar) {
        match sugar {
            ItemSugar::Invariant(_, property) => {
                let symbol = self.plain(&property.name, SymbolKind::Property, property.span.end, None);
                self.table.symbols_mut()[symbol].notes.push("a property, and a predicate for abstraction".to_owned());
            }
            ItemSugar::Channel(decl) => self.channel(decl),
            ItemSugar::Procedure(decl) => self.procedure(decl),
            ItemSugar::Import(..) => {}
        }
    }

    fn channel(&mut self, decl: &'a ChannelDecl) {
        let end = decl.capacity.span.end;
        let rest = self.snippet(Span::new(decl.ty.span.start, end));
        for name in &decl.names {
            let row = decl
                .row
                .as_ref()
                .map_or_else(String::new, |row| format!("[{}]", self.snippet(row.lo.span.to(row.hi.span))));
            let detail = format!("chan {}{row} : {rest}", name.name);
            let symbol = self.symbol(name, SymbolKind::Variable, Span::new(name.span.start, end), detail, None);
            self.global(name, symbol);
        }
    }

    fn procedure(&mut self, decl: &'a ProcedureDecl) {
        let extent = self.extent(decl.name.span, decl.end.end);
        let parameters: Vec<String> = decl
            .parameters
            .iter()
            .map(|parameter| {
                let var = if parameter.variable { "var " } else { "" };
                format!("{var}{} : {}", parameter.name.name, self.snippet(parameter.ty.span))
            })
            .collect();
        let detail = format!("procedure {}({})", decl.name.name, parameters.join(", "));
        let symbol = self.symbol(&decl.name, SymbolKind::Inline, extent, detail, None);
        self.global(&decl.name, symbol);
        let mut inside = Inside::default();
        for (parameter, detail) in decl.parameters.iter().zip(parameters) {
            let id = self.symbol(&parameter.name, SymbolKind::Parameter, parameter.name.span, detail, Some(symbol));
            inside.locals.entry(parameter.name.name.as_str()).or_insert(id);
        }
        self.labels(&decl.body, symbol, &mut inside);
        self.procedures.entry(&decl.name.name).or_insert(inside);
    }

    /// The fields of a record type.
    pub(super) fn record(&mut self, ty: &'a TypeExpr, parent: usize) {
        let TypeKind::Sugar(sugar) = &ty.kind else { return };
        let TypeSugar::Record(fields) = sugar.as_ref() else { return };
        for (name, ty) in fields {
            let detail = format!("{} : {}", name.name, self.snippet(ty.span));
            let symbol = self.symbol(name, SymbolKind::Field, name.span, detail, Some(parent));
            self.fields.entry(name.name.clone()).or_default().push(symbol);
        }
    }

    /// A field is known by its name if only one record has it.
    pub(super) fn field(&mut self, name: &Ident) {
        if let Some(&[symbol]) = self.fields.get(&name.name).map(Vec::as_slice) {
            self.table.use_at(name.span, symbol);
        }
    }

    fn accessors(&mut self, path: &[Accessor]) {
        for accessor in path {
            match accessor {
                Accessor::Index(index) => self.expr(index),
                Accessor::Field(field) => self.field(field),
            }
        }
    }

    pub(super) fn target(&mut self, target: &Target) {
        self.use_value(&target.name);
        target.indices.iter().for_each(|index| self.expr(index));
        self.accessors(&target.accessors);
    }

    pub(super) fn item_sugar(&mut self, sugar: &'a ItemSugar) {
        match sugar {
            ItemSugar::Invariant(condition, _) => self.expr(condition),
            ItemSugar::Channel(decl) => {
                decl.row.iter().for_each(|row| self.range(row));
                self.ty(&decl.ty);
                self.expr(&decl.capacity);
            }
            ItemSugar::Procedure(decl) => {
                decl.parameters.iter().for_each(|parameter| self.ty(&parameter.ty));
                let inside = self.procedures.get(decl.name.name.as_str());
                let own = inside.map(|inside| inside.locals.iter().map(|(&name, &id)| (name.to_owned(), id)).collect());
                self.bound = own.unwrap_or_default();
                self.within = Some(&decl.name.name);
                self.block(&decl.body);
                self.within = None;
                self.bound.clear();
            }
            ItemSugar::Import(..) => {}
        }
    }

    pub(super) fn type_sugar(&mut self, sugar: &TypeSugar) {
        match sugar {
            TypeSugar::Record(fields) => fields.iter().for_each(|(_, ty)| self.ty(ty)),
            TypeSugar::Set(elements) => self.ty(elements),
        }
    }

    /// Brings in a name for as long as `inside` lasts.
    fn with_bound(&mut self, names: &[Ident], detail: &str, inside: impl FnOnce(&mut Self)) {
        let before = self.bound.clone();
        for name in names {
            let symbol = self.symbol(name, SymbolKind::Parameter, name.span, format!("{} : {detail}", name.name), None);
            self.bound.insert(name.name.clone(), symbol);
        }
        inside(self);
        self.bound = before;
    }

    pub(super) fn statement_sugar(&mut self, sugar: &'a StmtSugar) {
        match sugar {
            StmtSugar::For(name, range, body) => {
                self.range(range);
                let detail = self.snippet(range.lo.span.to(range.hi.span));
                self.with_bound(std::slice::from_ref(name), &detail, |namer| namer.block(body));
            }
            StmtSugar::Call(name, arguments) => {
                self.use_global(name);
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            StmtSugar::Communicate(condition, communication) => {
                condition.iter().for_each(|condition| self.expr(condition));
                match communication {
                    Communication::Send(channel, value) => {
                        self.target(channel);
                        self.source(value);
                    }
                    Communication::Receive(channel, to) => [channel, to].into_iter().for_each(|at| self.target(at)),
                }
            }
        }
    }

    pub(super) fn expr_sugar(&mut self, sugar: &ExprSugar) {
        match sugar {
            ExprSugar::Quantified(_, Binding { names, domain }, body) => {
                let detail = match domain {
                    BindingDomain::Range(range) => {
                        self.range(range);
                        self.snippet(range.lo.span.to(range.hi.span))
                    }
                    BindingDomain::Named(named) => {
                        self.expr(named);
                        self.snippet(named.span)
                    }
                };
                self.with_bound(names, &detail, |namer| namer.expr(body));
            }
            ExprSugar::Path(name, path) => {
                self.use_value(name);
                self.accessors(path);
            }
            ExprSugar::In(element, set) => [element, set].into_iter().for_each(|part| self.expr(part)),
            ExprSugar::Set(parts) => {
                for part in parts {
                    match part {
                        SetPart::Element(element) => self.expr(element),
                        SetPart::Range(range) => self.range(range),
                    }
                }
            }
        }
    }
}
