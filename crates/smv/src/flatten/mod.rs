//! Which variables, definitions and constraints does a model have once its modules are instantiated?
//!
//! Every instance has a scope of its own: what it declares and what it is given. A parameter is the expression that was written for it, read
//! in the scope of whoever wrote it (call by reference). Nothing here has a value yet, except the bounds of types.

mod names;

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span, id_type};

use crate::ast::{
    AssignDecl, ConstraintKind, Expr, ExprKind, Item, Model, Module, Name, SpecDecl, TypeExpr, VarDecl, VarKind,
};

id_type! {
    /// An instance of a module.
    pub(crate) struct InstanceId;
}
id_type! {
    /// A variable of the whole model.
    pub(crate) struct FlatId;
}
id_type! {
    /// A definition in one instance.
    pub(crate) struct DefineId;
}

/// Models with more instances or variables than this are not taken.
const MOST: usize = 100_000;
/// Instances may be nested this deep.
const DEEPEST: usize = 64;
/// Names may lead to other names so often.
const LONGEST_CHAIN: usize = 200;

/// What a type allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FlatType {
    Bool,
    Int,
    Range(i64, i64),
    /// Symbols, perhaps with numbers among them.
    Symbols(Vec<String>),
    /// Numbers that are no range.
    Numbers(Vec<i64>),
    Word {
        bits: u32,
        signed: bool,
    },
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct FlatVariable {
    pub name: String,
    pub kind: VarKind,
    pub ty: FlatType,
    pub span: Span,
}

/// What a name or a path of names means.
#[derive(Clone, Debug)]
pub(crate) enum Meaning<'m> {
    Variable(FlatId),
    /// Elements, the first of which has this index.
    Elements(i64, Vec<Meaning<'m>>),
    Instance(InstanceId),
    Define(DefineId),
    /// What was written for a parameter, and by whom.
    Argument(&'m Expr, InstanceId),
    /// Whether the process of this instance takes the step.
    Running(InstanceId),
    Symbol(String),
}

/// An instance of a module.
#[derive(Clone, Debug)]
pub(crate) struct Instance<'m> {
    /// What stands before its names: empty, or `a.b.`.
    pub prefix: String,
    /// Which process it belongs to.
    pub process: usize,
    /// Where its module is declared.
    pub span: Span,
    names: BTreeMap<&'m str, Meaning<'m>>,
}

/// A model without modules.
#[derive(Debug, Default)]
pub(crate) struct Flat<'m> {
    pub instances: Vec<Instance<'m>>,
    pub variables: Vec<FlatVariable>,
    pub defines: Vec<(InstanceId, &'m Expr)>,
    pub assigns: Vec<(InstanceId, &'m AssignDecl)>,
    pub constraints: Vec<(InstanceId, ConstraintKind, &'m Expr)>,
    pub compassion: Vec<(InstanceId, &'m Expr, &'m Expr)>,
    /// Specifications: where they are declared, and the instance in which their names are looked up.
    pub specs: Vec<(InstanceId, &'m SpecDecl, InstanceId)>,
    /// Predicates for abstraction, some with names.
    pub predicates: Vec<(InstanceId, Option<&'m Name>, &'m Expr)>,
    /// Variables that abstraction keeps.
    pub mirrored: Vec<(InstanceId, &'m Expr)>,
    /// The instances that are processes, the main one first.
    pub processes: Vec<InstanceId>,
    pub symbols: BTreeSet<String>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Instantiates the modules of a model, `main` first.
pub(crate) fn flatten(model: &Model) -> Flat<'_> {
    let mut flat = Flat::default();
    collect_symbols(model, &mut flat.symbols);
    let mut modules: BTreeMap<&str, &Module> = BTreeMap::new();
    for module in &model.modules {
        if let Some(first) = modules.insert(&module.name.name, module) {
            let message = format!("two modules are named `{}`", module.name.name);
            flat.diagnostics
                .push(Diagnostic::error("E0706", message).at(module.name.span, "again").also(first.name.span, "first"));
        }
    }
    let Some(main) = modules.get("main") else {
        let error = Diagnostic::error("E0707", "there is no module `main`");
        flat.diagnostics.push(error.at(Span::default(), "a model begins with it").help("write `MODULE main`"));
        return flat;
    };
    if let Some(parameter) = main.parameters.first() {
        let error = Diagnostic::error("E0708", "`main` has parameters");
        flat.diagnostics.push(error.at(parameter.span, "nobody gives it a value"));
    }
    let mut work = Flattening { modules: &modules, flat, path: Vec::new(), elsewhere: Vec::new() };
    work.instance(main, String::new(), BTreeMap::new(), 0);
    work.define_elsewhere();
    work.place_specifications();
    work.flat
}

fn collect_symbols(model: &Model, symbols: &mut BTreeSet<String>) {
    fn of_type(ty: &TypeExpr, symbols: &mut BTreeSet<String>) {
        match ty {
            TypeExpr::Enumeration(members) => {
                symbols.extend(members.iter().filter_map(path_text));
            }
            TypeExpr::Array(_, _, element) => of_type(element, symbols),
            _ => {}
        }
    }
    for item in model.modules.iter().flat_map(|module| &module.items) {
        match item {
            Item::Var(decl) => of_type(&decl.ty, symbols),
            Item::Constants(names) => symbols.extend(names.iter().map(|name| name.name.clone())),
            _ => {}
        }
    }
}

/// `a.b.c` as one name.
fn path_text(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Field(of, field) => Some(format!("{}.{}", path_text(of)?, field.name)),
        _ => None,
    }
}

struct Flattening<'m, 'w> {
    modules: &'w BTreeMap<&'m str, &'m Module>,
    flat: Flat<'m>,
    /// The modules that are being instantiated.
    path: Vec<&'m str>,
    /// Definitions in other instances: by whom, where, which name, and what it is.
    elsewhere: Vec<(InstanceId, &'m Expr, &'m Name, &'m Expr)>,
}

impl<'m> Flattening<'m, '_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.flat.diagnostics.push(diagnostic);
    }

    fn instance(
        &mut self,
        module: &'m Module,
        prefix: String,
        given: BTreeMap<&'m str, Meaning<'m>>,
        process: usize,
    ) -> InstanceId {
        let id = InstanceId::new(self.flat.instances.len());
        if self.flat.processes.len() == process {
            self.flat.processes.push(id);
        }
        self.flat.instances.push(Instance { prefix, process, span: module.name.span, names: given });
        self.path.push(&module.name.name);
        let mut items = Vec::new();
        self.declared_items(module, &mut vec![&module.name.name], &mut items);
        self.declare_defines(&items, id);
        for item in &items {
            if let Item::Var(decl) = item {
                self.variable(decl, id);
            }
        }
        for item in items {
            match item {
                Item::Assign(assign) => self.flat.assigns.push((id, assign)),
                Item::Constraint(kind, condition) => self.flat.constraints.push((id, *kind, condition)),
                Item::Compassion(often, then) => self.flat.compassion.push((id, often, then)),
                Item::Spec(spec) => self.flat.specs.push((id, spec, id)),
                Item::Predicate(name, condition) => self.flat.predicates.push((id, name.as_ref(), condition)),
                Item::Mirror(variable) => self.flat.mirrored.push((id, variable)),
                Item::DefineIn(of, name, value) => self.elsewhere.push((id, of, name, value)),
                Item::Var(_) | Item::Define(..) | Item::Constants(_) | Item::Inherits(_) => {}
            }
        }
        self.path.pop();
        id
    }

    /// What a module declares, with what it has from others by `ISA`.
    fn declared_items(&mut self, module: &'m Module, heirs: &mut Vec<&'m str>, items: &mut Vec<&'m Item>) {
        for item in &module.items {
            let Item::Inherits(name) = item else {
                items.push(item);
                continue;
            };
            match self.modules.get(name.name.as_str()) {
                None => self.unknown_module(&name.name, name.span),
                Some(&other) if heirs.contains(&name.name.as_str()) || heirs.len() >= DEEPEST => {
                    let error = Diagnostic::error("E0712", format!("`{}` is part of itself", other.name.name));
                    self.report(error.at(name.span, "would have no end"));
                }
                Some(&other) if !other.parameters.is_empty() => {
                    let error = Diagnostic::error("E0713", format!("`{}` has parameters", name.name));
                    self.report(error.at(name.span, "`ISA` gives none").also(other.name.span, "declared here"));
                }
                Some(&other) => {
                    heirs.push(&other.name.name);
                    self.declared_items(other, heirs, items);
                    heirs.pop();
                }
            }
        }
    }

    fn unknown_module(&mut self, name: &str, span: Span) {
        let mut error = Diagnostic::error("E0711", format!("no module is named `{name}`")).at(span, "not known");
        if let Some(close) = closest_name(name, self.modules.keys().copied()) {
            error = error.help(format!("did you mean `{close}`?"));
        }
        self.report(error);
    }

    fn declare_defines(&mut self, items: &[&'m Item], id: InstanceId) {
        for item in items {
            if let Item::Define(name, value) = item {
                let define = DefineId::new(self.flat.defines.len());
                self.flat.defines.push((id, value));
                self.declare(id, &name.name, name.span, Meaning::Define(define));
            }
        }
    }

    /// `DEFINE a.x := e`, once every instance is there: `e` is read where it was written.
    fn define_elsewhere(&mut self) {
        for (by, of, name, value) in std::mem::take(&mut self.elsewhere) {
            let Some(Meaning::Instance(id)) = self.flat.meaning(of, by) else {
                let error = Diagnostic::error("E0711", "a definition in something that is no instance");
                self.report(error.at(of.span, "should be an instance of a module"));
                continue;
            };
            let define = DefineId::new(self.flat.defines.len());
            self.flat.defines.push((by, value));
            self.declare(id, &name.name, name.span, Meaning::Define(define));
        }
    }

    /// `SPEC f IN a.b`, once every instance is there: names are looked up in `a.b`, which is a path from `main`, wherever the specification stands.
    fn place_specifications(&mut self) {
        for at in 0..self.flat.specs.len() {
            let spec = self.flat.specs[at].1;
            let Some(context) = &spec.context else { continue };
            match self.flat.meaning(context, InstanceId::new(0)) {
                Some(Meaning::Instance(id)) => self.flat.specs[at].2 = id,
                _ => {
                    let error = Diagnostic::error("E0711", "a specification in something that is no instance");
                    self.report(error.at(context.span, "should be an instance of a module"));
                }
            }
        }
    }

    fn declare(&mut self, id: InstanceId, name: &'m str, span: Span, meaning: Meaning<'m>) {
        if self.flat.instances[id.index()].names.insert(name, meaning).is_some() {
            let message = format!("`{name}` is declared twice");
            self.report(Diagnostic::error("E0706", message).at(span, "again"));
        }
    }

    fn variable(&mut self, decl: &'m VarDecl, id: InstanceId) {
        let full = format!("{}{}", self.flat.instances[id.index()].prefix, decl.name.name);
        if let Some(meaning) = self.typed(&decl.ty, decl, full, id) {
            self.declare(id, &decl.name.name, decl.name.span, meaning);
        }
    }

    fn typed(&mut self, ty: &'m TypeExpr, decl: &'m VarDecl, full: String, id: InstanceId) -> Option<Meaning<'m>> {
        let span = decl.name.span;
        if self.flat.variables.len() + self.flat.instances.len() > MOST {
            if self.flat.variables.len() + self.flat.instances.len() == MOST + 1 {
                let message = format!("the model has more than {MOST} variables and instances");
                self.report(Diagnostic::error("E0709", message).at(span, "too many"));
            }
            return None;
        }
        let flat = match ty {
            TypeExpr::Boolean => FlatType::Bool,
            TypeExpr::Integer => FlatType::Int,
            TypeExpr::Range(lo, hi) => {
                let (lo, hi) = (self.number(lo, id)?, self.number(hi, id)?);
                if hi < lo {
                    self.report(
                        Diagnostic::error("E0710", format!("the range {lo}..{hi} is empty")).at(span, "has no value"),
                    );
                    return None;
                }
                FlatType::Range(lo, hi)
            }
            TypeExpr::Word { bits, signed } => {
                let number = self.number(bits, id)?;
                match u32::try_from(number).ok().filter(|bits| (1..=32).contains(bits)) {
                    Some(bits) => FlatType::Word { bits, signed: *signed },
                    None => {
                        let error = Diagnostic::error("E0704", format!("words of {number} bits cannot be read"));
                        self.report(error.at(span, "not supported").help("words have 1 to 32 bits"));
                        return None;
                    }
                }
            }
            TypeExpr::Enumeration(members) => self.enumeration(members, span, id)?,
            TypeExpr::Array(lo, hi, element) => {
                let (lo, hi) = (self.number(lo, id)?, self.number(hi, id)?);
                let count = usize::try_from(hi.checked_sub(lo)?.checked_add(1)?).unwrap_or(0);
                if count == 0 || count > MOST {
                    self.report(
                        Diagnostic::error("E0710", format!("an array over {lo}..{hi}"))
                            .at(span, "has no element, or too many"),
                    );
                    return None;
                }
                let mut elements = Vec::new();
                for index in lo..=hi {
                    elements.push(self.typed(element, decl, format!("{full}[{index}]"), id)?);
                }
                return Some(Meaning::Elements(lo, elements));
            }
            TypeExpr::Module { name, arguments, process } => {
                return self.submodule(&name.name, name.span, arguments, *process, full, id);
            }
        };
        self.flat.variables.push(FlatVariable { name: full, kind: decl.kind, ty: flat, span });
        Some(Meaning::Variable(FlatId::new(self.flat.variables.len() - 1)))
    }

    fn submodule(
        &mut self,
        name: &str,
        span: Span,
        arguments: &'m [Expr],
        process: bool,
        full: String,
        id: InstanceId,
    ) -> Option<Meaning<'m>> {
        let Some(&module) = self.modules.get(name) else {
            self.unknown_module(name, span);
            return None;
        };
        if self.path.contains(&module.name.name.as_str()) || self.path.len() >= DEEPEST {
            let error = Diagnostic::error("E0712", format!("`{name}` is part of itself"));
            self.report(error.at(span, "would have no end"));
            return None;
        }
        if arguments.len() != module.parameters.len() {
            let (wanted, found) = (module.parameters.len(), arguments.len());
            let error = Diagnostic::error("E0713", format!("`{name}` has {wanted} parameters and is given {found}"));
            self.report(error.at(span, "another number").also(module.name.span, "declared here"));
            return None;
        }
        let given = module.parameters.iter().zip(arguments);
        let given = given.map(|(parameter, value)| (parameter.name.as_str(), Meaning::Argument(value, id))).collect();
        let of = if process { self.flat.processes.len() } else { self.flat.instances[id.index()].process };
        Some(Meaning::Instance(self.instance(module, format!("{full}."), given, of)))
    }

    fn enumeration(&mut self, members: &'m [Expr], span: Span, id: InstanceId) -> Option<FlatType> {
        let (mut names, mut numbers, mut truths): (Vec<String>, Vec<i64>, usize) = (Vec::new(), Vec::new(), 0);
        for member in members {
            if let ExprKind::Bool(_) = member.kind {
                truths += 1;
            } else if let ExprKind::Range(lo, hi) = &member.kind {
                let (lo, hi) = (self.number(lo, id)?, self.number(hi, id)?);
                if hi < lo || hi.saturating_sub(lo) >= 65_536 {
                    let message = format!("the range {lo}..{hi} in an enumeration is empty or too large");
                    self.report(Diagnostic::error("E0710", message).at(span, "65,536 numbers at most"));
                    return None;
                }
                numbers.extend(lo..=hi);
            } else if let Some(name) = path_text(member) {
                names.push(name);
            } else {
                numbers.push(self.number(member, id)?);
            }
        }
        let mixed = truths > 0 && (!names.is_empty() || !numbers.is_empty());
        if mixed || members.is_empty() {
            let error = Diagnostic::error("E0710", "an enumeration of truth values and others, or of nothing");
            self.report(error.at(span, "has no type"));
            return None;
        }
        if truths > 0 {
            return Some(FlatType::Bool);
        }
        if names.is_empty() {
            numbers.sort_unstable();
            numbers.dedup();
            let (lo, hi) = (*numbers.first()?, *numbers.last()?);
            let whole = usize::try_from(hi - lo).is_ok_and(|width| width + 1 == numbers.len());
            return Some(if whole { FlatType::Range(lo, hi) } else { FlatType::Numbers(numbers) });
        }
        let mut all = names;
        all.extend(numbers.iter().map(i64::to_string));
        let mut seen = BTreeSet::new();
        all.retain(|name| seen.insert(name.clone()));
        Some(FlatType::Symbols(all))
    }

    /// The value of an expression that must be a number.
    fn number(&mut self, expr: &'m Expr, id: InstanceId) -> Option<i64> {
        let found = self.flat.number(expr, id, 0);
        if found.is_none() {
            let error = Diagnostic::error("E0714", "this must be a constant number").at(expr.span, "is none");
            self.report(error);
        }
        found
    }
}
