//! What is declared: types, constants, variables, functions, processes.
//!
//! Declarations may stand in any order, except that a type name must be declared before it is used.

use tertium_base::Diagnostic;
use tertium_base::narrow::{to_i64, to_u32};
use tertium_program::{
    Dimension, Enumeration, Function, InitialValue, Instance, ProcessId, Scope, Type, VarId, Variable, Width,
};

use crate::ast::{File, Ident, Initial, Item, ProcessDecl, Range, TypeExpr, TypeKind, VarDecl};
use crate::flow::flow_of;
use crate::names::{Elaborator, Entity, ExprContext, Group, NamedExpr, Progress, Ty, Typed, Use, twice};

/// More processes than this are refused.
const MOST_PROCESSES: i64 = 100_000;
/// More cells than this, over all variables, are refused.
const MOST_CELLS: usize = 1 << 24;

impl<'a> Elaborator<'a> {
    /// Enters everything that the file declares.
    pub(crate) fn declarations(&mut self, file: &'a File) {
        for item in &file.items {
            match item {
                Item::Const(name, expr) => self.name_expr(name, expr, true),
                Item::AtLeast(name, expr) => self.at_least(name, expr),
                Item::Define(name, expr) | Item::Predicate(Some(name), expr) => self.name_expr(name, expr, false),
                Item::Enumeration(name, members) => self.enumeration(name, members),
                _ => {}
            }
        }
        self.least_values();
        for item in &file.items {
            match item {
                Item::Alias(name, ty) => self.alias(name, ty),
                Item::Function(name, arguments, result) => self.function(name, arguments, result),
                Item::Var(decl) => self.variables(decl, None, &ExprContext::global(Use::Constant)),
                _ => {}
            }
        }
        for item in &file.items {
            if let Item::Process(decl) = item {
                self.process(decl);
            }
        }
        for entry in 0..self.named.len() {
            let span = self.named[entry].ident.span;
            self.named(entry, span, &ExprContext::global(Use::Formula));
        }
    }

    fn name_expr(&mut self, ident: &'a Ident, expr: &'a crate::ast::Expr, constant: bool) {
        self.named.push(NamedExpr { ident, expr, constant, progress: Progress::Untouched });
        self.declare(ident, Entity::Named(self.named.len() - 1));
    }

    /// A constant of which only the least value is said: it has the value that is wanted, or else the least.
    fn at_least(&mut self, ident: &'a Ident, expr: &'a crate::ast::Expr) {
        self.name_expr(ident, expr, true);
        let entry = self.named.len() - 1;
        if let Some(&value) = self.sizes.get(&ident.name) {
            let id = self.program.exprs.int(value);
            self.named[entry].progress = Progress::Done(Some(Typed { id, ty: Ty::Int }));
        }
        self.open.push((entry, None));
    }

    /// The least values of constants that may be any number from there on.
    fn least_values(&mut self) {
        for at in 0..self.open.len() {
            let expr = self.named[self.open[at].0].expr;
            self.open[at].1 = self.constant(expr, Ty::Int, &ExprContext::global(Use::Constant));
        }
    }

    fn declare_type(&mut self, name: &'a Ident, ty: Type, dimensions: Vec<Dimension>) {
        if let Some(&(_, first)) = self.types.get(name.name.as_str()) {
            self.report(twice(name, first));
            return;
        }
        self.types.insert(&name.name, ((ty, dimensions), name.span));
    }

    fn enumeration(&mut self, name: &'a Ident, members: &'a [Ident]) {
        let names = members.iter().map(|member| member.name.clone()).collect();
        let id = self.program.add_enumeration(Enumeration { name: name.name.clone(), members: names, span: name.span });
        for (position, member) in members.iter().enumerate() {
            self.declare(member, Entity::Member(id, to_u32(position)));
        }
        self.declare_type(name, Type::Enum(id), Vec::new());
    }

    fn alias(&mut self, name: &'a Ident, ty: &'a TypeExpr) {
        if let Some((ty, dimensions)) = self.resolve_type(ty, &ExprContext::global(Use::Constant)) {
            self.declare_type(name, ty, dimensions);
        }
    }

    /// The type of a cell, and the dimensions around it.
    pub(crate) fn resolve_type(&mut self, ty: &'a TypeExpr, place: &ExprContext<'_>) -> Option<(Type, Vec<Dimension>)> {
        let plain = |ty| Some((ty, Vec::new()));
        match &ty.kind {
            TypeKind::Int => plain(Type::Int),
            TypeKind::Nat => plain(Type::Nat),
            TypeKind::Bool => plain(Type::Bool),
            TypeKind::Bits(bits) => plain(Type::Wrapped(Width { bits: *bits, signed: false })),
            TypeKind::Range(range) => {
                let (lo, hi) = self.constant_range(range, place)?;
                plain(Type::Range { lo, hi })
            }
            TypeKind::Name(name) => self.named_type(name, ty.span),
            // Expanded, or a mistake has been reported.
            TypeKind::Sugar(_) => None,
            TypeKind::Array(range, inner) => {
                let dimension = self.dimension(range, place);
                let (ty, inner) = self.resolve_type(inner, place)?;
                let mut dimensions = vec![dimension?];
                dimensions.extend(inner);
                Some((ty, dimensions))
            }
        }
    }

    fn named_type(&mut self, name: &str, span: tertium_base::Span) -> Option<(Type, Vec<Dimension>)> {
        if let Some((found, _)) = self.types.get(name) {
            return Some(found.clone());
        }
        let known = self.types.keys().copied().chain(["int", "nat", "bool"]);
        let mut diagnostic = Diagnostic::error("E0405", format!("no type is named `{name}`")).at(span, "unknown type");
        if let Some(close) = tertium_base::diagnostic::closest_name(name, known) {
            diagnostic = diagnostic.help(format!("a similar name exists: `{close}`"));
        }
        self.fail(diagnostic)
    }

    fn dimension(&mut self, range: &'a Range, place: &ExprContext<'_>) -> Option<Dimension> {
        let (lo, hi) = self.constant_range(range, place)?;
        let len = u32::try_from(hi.abs_diff(lo).saturating_add(1)).ok().filter(|&len| len as usize <= MOST_CELLS);
        match len {
            Some(len) => Some(Dimension { lo, len }),
            None => {
                let diagnostic = Diagnostic::error("E0415", "this array is too large")
                    .at(range.lo.span.to(range.hi.span), format!("more than {MOST_CELLS} cells"));
                self.fail(diagnostic)
            }
        }
    }

    fn function(&mut self, name: &'a Ident, arguments: &'a [TypeExpr], result: &'a TypeExpr) {
        let place = ExprContext::global(Use::Constant);
        let mut simple = |ty: &'a TypeExpr| {
            let (resolved, dimensions) = self.resolve_type(ty, &place)?;
            if dimensions.is_empty() {
                return Some(resolved);
            }
            self.fail(Diagnostic::error("E0407", "functions take and give single values").at(ty.span, "an array"))
        };
        let arguments: Vec<Option<Type>> = arguments.iter().map(&mut simple).collect();
        let result = simple(result);
        // A mistake in one type must not make every use of the function another one.
        let arguments = arguments.into_iter().map(|ty| ty.unwrap_or(Type::Int)).collect();
        let result = result.unwrap_or(Type::Int);
        let function = Function { name: name.name.clone(), arguments, result, span: name.span };
        let id = self.program.add_function(function);
        self.declare(name, Entity::Function(id));
    }

    /// Declares variables, global or local to a process.
    fn variables(&mut self, decl: &'a VarDecl, owner: Option<ProcessId>, place: &ExprContext<'_>) {
        // With a broken type the names are entered all the same, so that uses of them are not reported too.
        let (ty, dimensions) = self.resolve_type(&decl.ty, place).unwrap_or((Type::Int, Vec::new()));
        let cells: usize = dimensions.iter().map(|dimension| dimension.len as usize).product();
        self.cells = self.cells.saturating_add(cells.saturating_mul(decl.names.len()));
        if self.cells > MOST_CELLS {
            let diagnostic = Diagnostic::error("E0415", format!("all variables together have over {MOST_CELLS} cells"));
            self.report(diagnostic.at(decl.ty.span, "too many"));
            return;
        }
        let initial = self.initial_value(decl, ty, cells, place);
        for name in &decl.names {
            let scope = owner.map_or(Scope::Global, Scope::Local);
            let id = self.program.add_variable(Variable {
                name: name.name.clone(),
                ty,
                dimensions: dimensions.clone(),
                scope,
                initial: initial.clone(),
                hidden: false,
                span: name.span,
            });
            if owner.is_none() {
                self.declare(name, Entity::Var(id));
            }
        }
    }

    fn initial_value(&mut self, decl: &'a VarDecl, ty: Type, cells: usize, place: &ExprContext<'_>) -> InitialValue {
        let value = match &decl.initial {
            None => None,
            Some(Initial::Same(expr)) => self.value_for(expr, ty, place).map(InitialValue::Same),
            Some(Initial::Each(values, span)) if values.len() != cells => {
                let diagnostic = Diagnostic::error("E0412", format!("{cells} values are needed"));
                self.report(diagnostic.at(*span, format!("{} given", values.len())));
                None
            }
            Some(Initial::Each(values, _)) => {
                let values: Vec<Option<i64>> = values.iter().map(|value| self.value_for(value, ty, place)).collect();
                values.into_iter().collect::<Option<_>>().map(InitialValue::Each)
            }
        };
        value.unwrap_or(InitialValue::Any)
    }

    /// A constant that belongs to a type.
    fn value_for(&mut self, expr: &'a crate::ast::Expr, ty: Type, place: &ExprContext<'_>) -> Option<i64> {
        let value = self.constant(expr, Self::ty_of(ty), place)?;
        self.check_fits(value, ty, expr.span).then_some(value)
    }

    /// Whether a constant belongs to a type; reports it if not.
    pub(crate) fn check_fits(&mut self, value: i64, ty: Type, span: tertium_base::Span) -> bool {
        let fits = self.program.admits(ty, value);
        if !fits {
            let name = self.program.show_type(ty);
            let diagnostic = Diagnostic::error("E0410", format!("{value} is not a value of type `{name}`"));
            self.report(diagnostic.at(span, format!("outside of `{name}`")));
        }
        fits
    }

    fn process(&mut self, decl: &'a ProcessDecl) {
        let members = match &decl.family {
            None => Some((0, 0)),
            Some((_, range)) => self.constant_range(range, &ExprContext::global(Use::Constant)),
        };
        let (lo, hi) = members.unwrap_or((0, 0));
        let so_far = to_i64(self.program.processes.len());
        if hi.abs_diff(lo) >= (MOST_PROCESSES - so_far).unsigned_abs() {
            let diagnostic = Diagnostic::error("E0415", format!("more than {MOST_PROCESSES} processes"));
            self.report(diagnostic.at(decl.name.span, "too many members"));
            return;
        }
        let (flow, diagnostics) = flow_of(decl);
        diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        let locals = self.local_names(decl);
        let group = self.groups.len();
        self.groups.push(Group { decl, lo, processes: Vec::new(), locals, flow });
        for index in lo..=hi {
            self.member(group, index);
        }
        self.declare(&decl.name, Entity::Process(group));
    }

    fn local_names(&mut self, decl: &'a ProcessDecl) -> std::collections::BTreeMap<&'a str, usize> {
        let mut locals = std::collections::BTreeMap::new();
        let mut spans = std::collections::BTreeMap::new();
        for (position, name) in decl.locals.iter().flat_map(|decl| &decl.names).enumerate() {
            if let Some(&first) = spans.get(name.name.as_str()) {
                self.report(twice(name, first));
                continue;
            }
            spans.insert(name.name.as_str(), name.span);
            locals.insert(name.name.as_str(), position);
        }
        locals
    }

    fn member(&mut self, group: usize, index: i64) {
        let decl = self.groups[group].decl;
        let name = match decl.family {
            Some(_) => format!("{}[{index}]", decl.name.name),
            None => decl.name.name.clone(),
        };
        let process = self.program.add_process(name, decl.name.span);
        self.groups[group].processes.push(process);
        self.program.instances.push(Instance { process, arguments: Vec::new(), priority: 1 });
        let place = ExprContext {
            process: None,
            index: decl.family.as_ref().map(|(name, _)| (name.name.as_str(), index)),
            uses: Use::Constant,
        };
        for locals in &decl.locals {
            self.variables(locals, Some(process), &place);
        }
    }

    /// The variable that `x` or `P.x` names, for `keep`.
    pub(crate) fn kept(&mut self, reference: &crate::ast::VarRef) -> Vec<VarId> {
        let place = ExprContext::global(Use::Constant);
        let Some(process) = &reference.process else {
            if let Some(&(Entity::Var(var), _)) = self.globals.get(reference.name.name.as_str()) {
                return vec![var];
            }
            let diagnostic = self.unknown(&reference.name, "variable", &place);
            self.report(diagnostic);
            return Vec::new();
        };
        let members = self.members(process);
        let mut kept = Vec::new();
        for (group, member) in members {
            let position = self.groups[group].locals.get(reference.name.name.as_str()).copied();
            let process = self.groups[group].processes[member];
            match position.and_then(|position| self.program.process(process).locals.get(position)) {
                Some(&var) => kept.push(var),
                None => {
                    let diagnostic = self.unknown(&reference.name, "local variable", &place);
                    self.report(diagnostic);
                }
            }
        }
        kept
    }

    /// One process, or all members of a family named without an index.
    pub(crate) fn members(&mut self, process: &crate::ast::ProcessRef) -> Vec<(usize, usize)> {
        if process.index.is_none()
            && let Some(&(Entity::Process(group), _)) = self.globals.get(process.name.name.as_str())
        {
            return (0..self.groups[group].processes.len()).map(|member| (group, member)).collect();
        }
        self.process_ref(process, &ExprContext::global(Use::Constant)).into_iter().collect()
    }
}
