//! Where do variables, structures and channels go?
//!
//! A structure is spread over its plain parts: `m.r[1].c[2]` is a cell of the array `m.r[].c` with two indices. A channel
//! that is declared with a buffer becomes a channel of the program and a variable that holds its number.

use std::collections::BTreeMap;

use tertium_base::Span;
use tertium_base::narrow::{to_i64, to_u32};
use tertium_program::{
    Channel, Dimension, EnumId, Enumeration, ExprId, InitialValue, Scope, Type, VarId, Variable, Width,
};

use super::Lowering;
use crate::ast::{self, DeclId, Declarator, Expr, Initializer, Item, RefId, Stmt, StmtKind, VarDecl};
use crate::symbols::{ChannelShape, DataType, Meaning, Owner, Symbol, SymbolId, UnitId, UnitKind};

/// A byte whose values have names.
const NAMED_VALUES: usize = 256;

/// What types and declarations are, by number.
#[derive(Default)]
pub(super) struct Types {
    mtypes: BTreeMap<u32, EnumId>,
    /// Declarators that are executed as steps: they start as 0.
    late: BTreeMap<DeclId, bool>,
}

/// What Spin's verifiers store: bits of an array, and the only field of a message, have a byte each and keep it all.
fn stored(ty: DataType, alone: bool) -> DataType {
    match ty {
        DataType::Bit | DataType::Bool if alone => DataType::Byte,
        _ => ty,
    }
}

/// The program's type of a machine integer.
pub(super) const fn machine(bits: u8, signed: bool) -> Type {
    Type::Wrapped(Width { bits, signed })
}

/// A plain part of a variable.
pub(super) struct Part {
    /// Positions of fields on the way.
    pub fields: Vec<u32>,
    /// The name with `[]` where indices come before the end.
    pub name: String,
    /// One entry per index.
    pub dimensions: Vec<Dimension>,
    /// What a cell holds.
    pub ty: DataType,
    /// The declaration of the field, or of the variable itself.
    pub decl: DeclId,
    /// The channel that each cell holds at first.
    pub channel: Option<ChannelShape>,
}

impl<'a> Lowering<'a> {
    pub(super) fn declare_types(&mut self) {
        let mut late = BTreeMap::new();
        self.each_stmt(&mut |stmt| {
            if let StmtKind::Decl { vars, step: true } = &stmt.kind {
                late.extend(vars.vars.iter().map(|declarator| (declarator.id, true)));
            }
        });
        self.types.late = late;
    }

    /// The program's type of a plain cell.
    pub(super) fn plain_type(&mut self, ty: DataType) -> Type {
        match ty {
            DataType::Bit | DataType::Bool => machine(1, false),
            DataType::Byte | DataType::Pid => machine(8, false),
            DataType::Short => machine(16, true),
            DataType::Int | DataType::Struct(_) => machine(32, true),
            DataType::Unsigned(bits) => machine(bits.clamp(1, 32), false),
            DataType::Mtype(set) => Type::Enum(self.mtype(set)),
            DataType::Chan => Type::Channel,
        }
    }

    fn mtype(&mut self, set: u32) -> EnumId {
        if let Some(&id) = self.types.mtypes.get(&set) {
            return id;
        }
        let known = self.symbols.mtypes.get(set as usize);
        let member = |value: usize| {
            let name = self.symbols.mtype_name(set, to_i64(value));
            name.map_or_else(|| value.to_string(), str::to_owned)
        };
        let members: Vec<String> = (0..NAMED_VALUES).map(member).collect();
        let name = match known {
            Some(set) if set.name != "_unnamed_" => format!("mtype:{}", set.name),
            _ => "mtype".to_owned(),
        };
        let id = self.program.add_enumeration(Enumeration { name, members, span: Span::default() });
        self.types.mtypes.insert(set, id);
        id
    }

    /// The plain parts of a symbol, fields in order.
    pub(super) fn parts(&self, symbol: &Symbol) -> Vec<Part> {
        let mut found = Vec::new();
        let dimension = |size: Option<u32>| size.map(|len| Dimension { lo: 0, len: len.max(1) });
        let mut open = vec![Part {
            fields: Vec::new(),
            name: symbol.name.clone(),
            dimensions: dimension(symbol.size).into_iter().collect(),
            ty: stored(symbol.ty, symbol.size.is_some()),
            decl: symbol.decl,
            channel: symbol.channel.clone(),
        }];
        while let Some(part) = open.pop() {
            let DataType::Struct(id) = part.ty else {
                found.push(part);
                continue;
            };
            let holes = part.name.matches("[]").count();
            let outer = if part.dimensions.len() > holes { format!("{}[]", part.name) } else { part.name.clone() };
            for (at, field) in self.symbols.structure(id).fields.iter().enumerate().rev() {
                open.push(Part {
                    fields: [part.fields.as_slice(), &[to_u32(at)]].concat(),
                    name: format!("{outer}.{}", field.name),
                    dimensions: part.dimensions.iter().copied().chain(dimension(field.size)).collect(),
                    ty: stored(field.ty, field.size.is_some()),
                    decl: field.decl,
                    channel: field.channel.clone(),
                });
            }
        }
        found
    }

    pub(super) fn declare_variables(&mut self) {
        let declarators = self.declarators();
        for at in 0..self.symbols.variables.len() {
            let symbol = &self.symbols.variables[at];
            if symbol.owner == Owner::Global {
                self.declare(SymbolId::new(at), symbol, Scope::Global, &declarators);
            }
        }
        for (at, unit) in self.symbols.units.iter().enumerate() {
            let process = self.processes[&UnitId::new(at)];
            // The values of parameters stand before everything that may be computed from them.
            let mut arguments = 0;
            for &id in &unit.locals {
                let symbol = self.symbols.variable(id);
                if symbol.param.is_some() {
                    self.declare_parameter(id, symbol, Scope::Local(process), &mut arguments);
                } else {
                    self.declare(id, symbol, Scope::Local(process), &declarators);
                }
            }
        }
        if self.mentions_last() {
            let last =
                self.variable("_last".to_owned(), machine(8, false), Vec::new(), Scope::Global, InitialValue::Same(0));
            self.program.last = Some(last);
        }
    }

    fn mentions_last(&self) -> bool {
        let last =
            |meaning: &Option<Meaning>| matches!(meaning, Some(Meaning::Predefined(crate::symbols::Predefined::Last)));
        self.symbols.meanings.iter().any(last)
    }

    pub(super) fn variable(
        &mut self,
        name: String,
        ty: Type,
        dimensions: Vec<Dimension>,
        scope: Scope,
        initial: InitialValue,
    ) -> VarId {
        let span = Span::default();
        let name = self.told_apart(name, scope);
        self.program.add_variable(Variable { name, ty, dimensions, scope, initial, hidden: false, span })
    }

    /// Blocks beside each other may have variables of one name, as an inline has that is called twice: the second copy of `t` is told as
    /// `t#2`, so that a run shows which of them changes.
    fn told_apart(&mut self, name: String, scope: Scope) -> String {
        let copies = self.copies.entry((scope, name.clone())).or_insert(0);
        *copies += 1;
        if *copies == 1 { name } else { format!("{name}#{copies}") }
    }

    fn declare(
        &mut self,
        id: SymbolId,
        symbol: &'a Symbol,
        scope: Scope,
        declarators: &BTreeMap<DeclId, &'a Declarator>,
    ) {
        let late = self.types.late.contains_key(&symbol.decl);
        self.current = match symbol.owner {
            Owner::Unit(unit) => Some(unit),
            Owner::Global => None,
        };
        for part in self.parts(symbol) {
            let cells: usize = part.dimensions.iter().map(|dimension| dimension.len as usize).product();
            let declarator = declarators.get(&part.decl).copied();
            let initial = match (&part.channel, declarator.and_then(|declarator| declarator.initial.as_ref())) {
                _ if late => InitialValue::Same(0),
                (Some(shape), _) => InitialValue::Channel(self.channels(&part.name, shape, cells, scope, symbol.span)),
                (None, Some(Initializer::Value(value))) => self.initial(value),
                (None, Some(Initializer::List(values, _))) => self.initial_list(values, cells),
                (None, _) => InitialValue::Same(0),
            };
            let ty = self.plain_type(part.ty);
            let initial = self.cut_to(ty, initial);
            let var = self.variable(part.name, ty, part.dimensions, scope, initial);
            self.program.variables[var.index()].hidden = symbol.visibility == ast::Visibility::Hidden;
            self.program.variables[var.index()].span = symbol.span;
            self.places.insert((id, part.fields), var);
        }
        self.current = None;
    }

    fn declare_parameter(&mut self, id: SymbolId, symbol: &'a Symbol, scope: Scope, arguments: &mut u32) {
        for part in self.parts(symbol) {
            let ty = self.plain_type(part.ty);
            let var = self.variable(part.name, ty, part.dimensions, scope, InitialValue::Argument(*arguments));
            self.program.variables[var.index()].span = symbol.span;
            self.places.insert((id, part.fields), var);
            *arguments += 1;
        }
    }

    /// Channels in one row; the first of them.
    fn channels(
        &mut self,
        name: &str,
        shape: &ChannelShape,
        cells: usize,
        scope: Scope,
        span: Span,
    ) -> tertium_program::ChannelId {
        let alone = shape.fields.len() == 1;
        let fields: Vec<Type> = shape.fields.iter().map(|&field| self.plain_type(stored(field, alone))).collect();
        let mut first = None;
        for cell in 0..cells {
            let name = if cells == 1 { name.to_owned() } else { format!("{name}[{cell}]") };
            let channel = Channel { name, capacity: shape.capacity, fields: fields.clone(), scope, span };
            let id = self.program.add_channel(channel);
            first = first.or(Some(id));
        }
        first.unwrap_or_else(|| tertium_program::ChannelId::new(0))
    }

    fn initial(&mut self, value: &'a Expr) -> InitialValue {
        let expr = self.value(value);
        match self.program.exprs.constant(expr) {
            Some(value) => InitialValue::Same(value),
            None => InitialValue::Computed(expr),
        }
    }

    /// What remains of constants in cells of this type, so that no analysis sees a value that no state has.
    fn cut_to(&self, ty: Type, initial: InitialValue) -> InitialValue {
        let cut = |value: i64| self.program.stored(ty, value);
        match initial {
            InitialValue::Same(value) => InitialValue::Same(cut(value)),
            InitialValue::Each(values) => InitialValue::Each(values.into_iter().map(cut).collect()),
            other => other,
        }
    }

    /// Cells without a value of their own get the last one.
    fn initial_list(&mut self, values: &'a [Expr], cells: usize) -> InitialValue {
        let given: Vec<i64> = values.iter().filter_map(|value| self.constant(value)).collect();
        let last = given.last().copied().unwrap_or(0);
        InitialValue::Each((0..cells).map(|cell| given.get(cell).copied().unwrap_or(last)).collect())
    }

    /// The value of an expression that is the same in every state.
    pub(super) fn constant(&mut self, expr: &'a Expr) -> Option<i64> {
        let value = self.value(expr);
        self.program.exprs.constant(value)
    }

    fn declarators(&self) -> BTreeMap<DeclId, &'a Declarator> {
        let mut found = BTreeMap::new();
        let mut note = |vars: &'a VarDecl| found.extend(vars.vars.iter().map(|declarator| (declarator.id, declarator)));
        for item in &self.file.items {
            match item {
                Item::Vars(vars) => note(vars),
                Item::Typedef(typedef) => typedef.fields.iter().for_each(&mut note),
                Item::Proctype(proctype) => proctype.params.iter().for_each(&mut note),
                _ => {}
            }
        }
        self.each_stmt(&mut |stmt| {
            if let StmtKind::Decl { vars, .. } = &stmt.kind {
                note(vars);
            }
        });
        found
    }

    /// A counter of a loop over the messages of a channel.
    pub(super) fn counter(&mut self, unit: UnitId, loop_id: RefId, capacity: u32) -> VarId {
        if let Some(&var) = self.scratch.get(&loop_id) {
            return var;
        }
        let process = self.processes[&unit];
        let ty = if capacity > 255 { machine(16, true) } else { machine(8, false) };
        let name = format!("counter_{}", self.scratch.len() + 1);
        let var = self.variable(name, ty, Vec::new(), Scope::Local(process), InitialValue::Same(0));
        self.scratch.insert(loop_id, var);
        var
    }

    /// Whether the code of a unit is watched only: claims and traces have no local state.
    pub(super) fn watches(&self, unit: UnitId) -> bool {
        matches!(self.symbols.unit(unit).kind, UnitKind::Never | UnitKind::Trace)
    }

    /// What remains of a value in a variable of this type.
    pub(super) fn fit(&mut self, ty: Type, value: ExprId) -> ExprId {
        let width = match ty {
            Type::Wrapped(width) => width,
            Type::Enum(_) => Width { bits: 8, signed: false },
            _ => return value,
        };
        self.wrapped(width, value)
    }

    /// Looks at every statement of the model.
    pub(super) fn each_stmt(&self, look: &mut dyn FnMut(&'a Stmt)) {
        let mut open: Vec<&'a Stmt> = Vec::new();
        for at in 0..self.symbols.units.len() {
            open.extend(self.body(UnitId::new(at)).0.iter().rev());
        }
        while let Some(stmt) = open.pop() {
            look(stmt);
            match &stmt.kind {
                StmtKind::Block(body) | StmtKind::Atomic(body) | StmtKind::DStep(body) => open.extend(body),
                StmtKind::Inline(inlined) => open.extend(&inlined.body),
                StmtKind::If(branches) | StmtKind::Do(branches) => {
                    open.extend(branches.iter().flat_map(|branch| &branch.body));
                }
                StmtKind::For(looped) => open.extend(&looped.body),
                StmtKind::Unless(body, escape) => open.extend([&**body, &**escape]),
                _ => {}
            }
        }
    }
}
