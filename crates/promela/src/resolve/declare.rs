//! Declarations: types, variables, channels and constants.

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};

use super::Resolver;
use super::names::Global;
use crate::ast::{
    ChannelInit, Declarator, Expr, Initializer, MtypeDecl, TypeKind, TypeName, Typedef, VarDecl, Visibility,
};
use crate::symbols::{ChannelShape, DataType, MtypeSet, Owner, StructId, Structure, Symbol, SymbolId, UnitKind};

/// Structures may be nested this deep.
const DEEPEST: u32 = 64;
/// A variable may have this many cells.
const MOST_CELLS: u64 = 1 << 20;

impl<'a> Resolver<'a> {
    /// Declares `mtype` constants. Spin numbers those of one declaration from the last to the first.
    pub(crate) fn mtype(&mut self, decl: &MtypeDecl) {
        let set = self.mtype_set(decl.set.as_ref().map_or("_unnamed_", |name| name.name.as_str()));
        for name in decl.names.iter().rev() {
            if self.new_global(name, Global::Constant { set }) {
                self.symbols.mtypes[set as usize].names.push(name.name.clone());
            }
        }
        if self.symbols.mtypes[set as usize].names.len() > 255 {
            self.error("E0513", "a set of `mtype` constants has at most 255", decl.span, "more than 255 with this");
        }
    }

    fn mtype_set(&mut self, name: &str) -> u32 {
        let sets = &mut self.symbols.mtypes;
        let position = sets.iter().position(|set| set.name == name).unwrap_or_else(|| {
            sets.push(MtypeSet { name: name.to_owned(), names: Vec::new() });
            sets.len() - 1
        });
        u32::try_from(position).unwrap_or(0)
    }

    pub(crate) fn typedef(&mut self, typedef: &'a Typedef) {
        let id = StructId::new(self.symbols.structures.len());
        let mut fields: Vec<Symbol> = Vec::new();
        for decl in &typedef.fields {
            for declarator in &decl.vars {
                let Some(field) = self.symbol(decl, declarator, Owner::Global) else { continue };
                if let Some(old) = fields.iter().find(|old| old.name == field.name) {
                    let diagnostic = Diagnostic::error("E0511", format!("two fields are named `{}`", field.name))
                        .at(field.span, "second one")
                        .also(old.span, "first one");
                    self.diagnostics.push(diagnostic);
                    continue;
                }
                fields.push(field);
            }
        }
        let (mut cells, mut depth) = (0u64, 0);
        for field in &fields {
            let (inner, below) = self.extent(field.ty);
            cells = cells.saturating_add(inner.saturating_mul(u64::from(field.size.unwrap_or(1))));
            depth = depth.max(below + 1);
        }
        if depth > DEEPEST || cells > MOST_CELLS {
            let message = format!("`{}` is too large: {cells} cells, {depth} levels deep", typedef.name.name);
            self.error("E0513", message, typedef.name.span, "more than a state can hold");
            (cells, depth) = (1, 1);
            fields.clear();
        }
        if self.new_global(&typedef.name, Global::Typedef(id)) {
            self.structs.push((cells, depth));
            let name = typedef.name.name.clone();
            self.symbols.structures.push(Structure { name, fields, span: typedef.name.span });
        }
    }

    /// How many cells a value of a type has, and how deep structures are nested in it.
    fn extent(&self, ty: DataType) -> (u64, u32) {
        match ty {
            DataType::Struct(id) => self.structs[id.index()],
            _ => (1, 0),
        }
    }

    /// The types of all cells of a structure, in order; arrays of structures cannot be sent.
    pub(crate) fn spread(&mut self, ty: DataType, span: Span) -> Vec<DataType> {
        let DataType::Struct(id) = ty else { return vec![ty] };
        let fields = self.symbols.structure(id).fields.clone();
        let mut all = Vec::new();
        for field in fields {
            if field.size.is_some() && matches!(field.ty, DataType::Struct(_)) {
                let message = format!("`{}` is an array of structures and cannot be part of a message", field.name);
                let diagnostic = Diagnostic::error("E0512", message).at(span, "sent or passed as a whole");
                self.report(diagnostic.also(field.span, "the array"));
                return all;
            }
            let inner = self.spread(field.ty, span);
            for _ in 0..field.size.unwrap_or(1) {
                all.extend(&inner);
            }
        }
        all
    }

    /// Declares variables or parameters.
    pub(crate) fn variables(&mut self, decl: &'a VarDecl, owner: Owner, params: bool) {
        for declarator in &decl.vars {
            if let (true, Some(initial)) = (params, &declarator.initial) {
                let diagnostic =
                    Diagnostic::error("E0522", format!("parameter `{}` has an initial value", declarator.name.name))
                        .at(span_of(initial), "not used");
                self.report(diagnostic.note("a parameter gets its value from `run`; active processes get 0"));
            }
            if let (true, Some(size)) = (params, &declarator.size) {
                let diagnostic =
                    Diagnostic::error("E0512", format!("parameter `{}` is an array", declarator.name.name))
                        .at(size.span, "arrays cannot be passed")
                        .help("pass an index into a global array");
                self.report(diagnostic);
            }
            let Some(mut symbol) = self.symbol(decl, declarator, owner) else { continue };
            if params {
                self.passed_array(&symbol);
            }
            let unit = match owner {
                Owner::Unit(unit) => Some(unit),
                Owner::Global => None,
            };
            if let (true, Some(unit)) = (params, unit) {
                symbol.param = u32::try_from(self.symbols.units[unit.index()].params.len()).ok();
            }
            self.enter(declarator, symbol, params);
        }
    }

    /// No part of a parameter may be an array, however deep in structures it lies.
    fn passed_array(&mut self, symbol: &Symbol) {
        let (mut open, mut seen) = (vec![symbol.ty], std::collections::BTreeSet::new());
        while let Some(ty) = open.pop() {
            let DataType::Struct(id) = ty else { continue };
            if !seen.insert(id) {
                continue;
            }
            let structure = self.symbols.structure(id);
            if let Some(field) = structure.fields.iter().find(|field| field.size.is_some()) {
                let diagnostic = Diagnostic::error("E0512", format!("parameter `{}` contains an array", symbol.name))
                    .at(symbol.span, "arrays cannot be passed")
                    .also(field.span, "the array")
                    .help("pass an index into a global array");
                self.report(diagnostic);
                return;
            }
            open.extend(structure.fields.iter().map(|field| field.ty));
        }
    }

    fn enter(&mut self, declarator: &Declarator, symbol: Symbol, param: bool) {
        let id = SymbolId::new(self.symbols.variables.len());
        let owner = symbol.owner;
        self.symbols.variables.push(symbol);
        let new = match owner {
            Owner::Global => self.new_global(&declarator.name, Global::Variable(id)),
            Owner::Unit(_) => self.new_local(&declarator.name, id),
        };
        if let Owner::Unit(unit) = owner {
            let unit = &mut self.symbols.units[unit.index()];
            unit.locals.push(id);
            if param {
                unit.params.push(id);
            }
        }
        if new {
            self.symbols.declared[declarator.id.index()] = Some(id);
        }
    }

    /// What a declarator declares; none if it cannot be told.
    fn symbol(&mut self, decl: &'a VarDecl, declarator: &'a Declarator, owner: Owner) -> Option<Symbol> {
        let ty = self.data_type(&decl.ty, declarator)?;
        let name = &declarator.name;
        if decl.visibility == Visibility::Hidden && matches!(ty, DataType::Bit | DataType::Bool) {
            let diagnostic = Diagnostic::error("E0512", format!("`{}` has one bit and cannot be hidden", name.name));
            self.report(diagnostic.at(name.span, "declared `hidden`").help("use `hidden byte`"));
        }
        if let (Visibility::Hidden, Owner::Unit(_)) = (decl.visibility, owner) {
            let diagnostic = Diagnostic::error("E0512", format!("`{}` is local and cannot be hidden", name.name));
            self.report(diagnostic.at(name.span, "declared `hidden`").help("hide a global variable"));
        }
        if let (Owner::Unit(_), Some(UnitKind::Never)) = (owner, self.place.kind) {
            let diagnostic = Diagnostic::error("E0517", format!("a `never` claim declares `{}`", name.name));
            self.report(diagnostic.at(name.span, "a claim has no variables").help("declare it outside of the claim"));
        }
        let size = match &declarator.size {
            None => None,
            Some(size) => Some(self.array_size(name.name.as_str(), size, ty)?),
        };
        let channel = self.initial(declarator, ty, size);
        Some(Symbol {
            name: name.name.clone(),
            decl: declarator.id,
            ty,
            size,
            visibility: decl.visibility,
            owner,
            param: None,
            channel,
            span: name.span,
        })
    }

    fn array_size(&mut self, name: &str, size: &Expr, ty: DataType) -> Option<u32> {
        let value = self.size_constant(size, "the size of an array")?;
        let cells = self.extent(ty).0;
        match u32::try_from(value) {
            Ok(length) if length > 0 && u64::from(length).saturating_mul(cells) <= MOST_CELLS => Some(length),
            _ => {
                let message = format!("the array `{name}` cannot have {value} cells");
                self.error("E0513", message, size.span, "not a size");
                None
            }
        }
    }

    fn data_type(&mut self, ty: &TypeName, declarator: &Declarator) -> Option<DataType> {
        let found = self.named_type(ty)?;
        match (&declarator.width, found) {
            (Some(width), DataType::Unsigned(_)) => {
                let bits = self.constant(width).and_then(|bits| u8::try_from(bits).ok());
                if let Some(bits @ 1..=31) = bits {
                    return Some(DataType::Unsigned(bits));
                }
                self.error("E0513", "`unsigned` has between 1 and 31 bits", width.span, "not such a number");
                None
            }
            (None, DataType::Unsigned(_)) => {
                let diagnostic =
                    Diagnostic::error("E0513", format!("`{}` says not how many bits it has", declarator.name.name))
                        .at(declarator.name.span, "declared `unsigned`")
                        .help(format!("write `unsigned {} : 4`", declarator.name.name));
                self.report(diagnostic);
                None
            }
            (Some(width), _) => {
                self.error("E0513", "only `unsigned` can say how many bits it has", width.span, "not `unsigned`");
                None
            }
            (None, found) => Some(found),
        }
    }

    fn named_type(&mut self, ty: &TypeName) -> Option<DataType> {
        Some(match &ty.kind {
            TypeKind::Bit => DataType::Bit,
            TypeKind::Bool => DataType::Bool,
            TypeKind::Byte => DataType::Byte,
            TypeKind::Pid => DataType::Pid,
            TypeKind::Short => DataType::Short,
            TypeKind::Int => DataType::Int,
            TypeKind::Unsigned => DataType::Unsigned(0),
            TypeKind::Chan => DataType::Chan,
            TypeKind::Mtype(set) => {
                DataType::Mtype(self.mtype_set(set.as_ref().map_or("_unnamed_", |set| set.name.as_str())))
            }
            TypeKind::User(name) => match self.scopes.global(&name.name) {
                Some((Global::Typedef(id), _)) => DataType::Struct(id),
                _ => {
                    let mut diagnostic = Diagnostic::error("E0510", format!("no type is named `{}`", name.name))
                        .at(name.span, "not declared before this place");
                    let types = self.symbols.structures.iter().map(|structure| structure.name.as_str());
                    let basic = ["bit", "bool", "byte", "short", "int", "unsigned", "mtype", "chan", "pid"];
                    if let Some(close) = closest_name(&name.name, types.chain(basic)) {
                        diagnostic = diagnostic.help(format!("a type with a similar name exists: `{close}`"));
                    }
                    self.report(diagnostic);
                    return None;
                }
            },
        })
    }

    /// Checks what stands behind `=`; returns the channel it makes.
    fn initial(&mut self, declarator: &'a Declarator, ty: DataType, size: Option<u32>) -> Option<ChannelShape> {
        let name = &declarator.name;
        match declarator.initial.as_ref()? {
            Initializer::Value(value) => {
                self.value(value);
                if super::exprs::runs(value) > 0 {
                    self.error("E0520", "`run` cannot give an initial value", value.span, "starts a process");
                }
                if ty == DataType::Chan && self.constant(value).is_some() {
                    self.error("E0512", format!("`{}` is a channel, not a number", name.name), value.span, "a number");
                }
                self.other_set(ty, value);
                None
            }
            Initializer::List(values, span) => {
                if size.is_none() {
                    let message = format!("`{}` is no array, but gets a list of values", name.name);
                    self.error("E0522", message, *span, "values for an array");
                }
                for value in values {
                    if self.constant(value).is_none() {
                        self.error("E0513", "values for an array must be constants", value.span, "not a constant");
                    }
                    self.value(value);
                }
                None
            }
            Initializer::Channel(init) => {
                if ty != DataType::Chan {
                    let message = format!("`{}` is not of type `chan`", name.name);
                    let diagnostic = Diagnostic::error("E0522", message).at(init.span, "makes a channel");
                    self.report(diagnostic.help(format!("declare it as `chan {}`", name.name)));
                }
                self.channel(init)
            }
        }
    }

    fn channel(&mut self, init: &ChannelInit) -> Option<ChannelShape> {
        let capacity = self.size_constant(&init.capacity, "the size of a channel")?;
        let Ok(capacity @ 0..=65535) = u32::try_from(capacity) else {
            let message = format!("a channel cannot hold {capacity} messages");
            self.error("E0513", message, init.capacity.span, "not between 0 and 65535");
            return None;
        };
        let mut fields = Vec::new();
        for ty in &init.fields {
            if ty.kind == TypeKind::Unsigned {
                self.error("E0512", "`unsigned` cannot be a field of a message", ty.span, "has no fixed width");
                continue;
            }
            if let Some(found) = self.named_type(ty) {
                let cells = self.spread(found, ty.span);
                fields.extend(cells);
            }
        }
        self.widest = self.widest.max(fields.len());
        self.rendezvous |= capacity == 0;
        Some(ChannelShape { capacity, fields })
    }

    /// A declaration among statements. Channels can only be made where a process begins.
    pub(crate) fn local_variables(&mut self, decl: &'a VarDecl, step: bool) {
        let Some(unit) = self.place.unit else { return };
        for declarator in &decl.vars {
            if let (true, Some(Initializer::Channel(init))) = (step, &declarator.initial) {
                let message = format!("the channel `{}` is made in the middle of a process", declarator.name.name);
                let diagnostic = Diagnostic::error("E0522", message)
                    .at(init.span, "made here")
                    .help("declare it before the first statement of the proctype");
                self.report(diagnostic);
            }
        }
        self.variables(decl, Owner::Unit(unit), false);
        if matches!(self.place.kind, Some(UnitKind::Trace)) && step {
            self.error("E0517", "a trace has no variables that change", decl.span, "set here");
        }
    }
}

fn span_of(initial: &Initializer) -> Span {
    match initial {
        Initializer::Value(value) => value.span,
        Initializer::List(_, span) => *span,
        Initializer::Channel(init) => init.span,
    }
}
