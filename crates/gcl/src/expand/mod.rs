//! Which plain program does a text stand for?
//!
//! Desugaring, from tree to tree: procedures are inlined and `for` is unrolled (`inline`), channels become variables with a length
//! (`channels`), records one variable for each field (`types`, `places`), sets arrays of truth values (`sets`), an invariant a property and a predicate.
//! All places are kept, so that messages and runs point to what the user wrote. Quantifiers keep their form but for what they range over: their bounds
//! may depend on the index of a family, and are known only where processes are made.
//!
//! Guarantee: what [`expand`] returns has no other sugar, unless a mistake has been reported; then it stands where the mistake is.

mod channels;
mod constants;
mod declarations;
mod exprs;
mod inline;
mod places;
mod sets;
mod statements;
mod types;

pub(crate) use self::inline::COPY;

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Diagnostic, Span};

use crate::ast::sugar::{ExprSugar, ItemSugar, ProcedureDecl, TypeSugar};
use crate::ast::{Expr, ExprKind, File, Ident, Item, ProcessDecl, Range, TypeExpr, TypeKind};
use crate::names::twice;

/// More cells than this are not written out at once.
const MOST_CELLS: usize = 4096;
/// More elements than this a set may not have.
const MOST_ELEMENTS: usize = 256;
/// More fields than this a record may not have, those of records inside counted.
const MOST_FIELDS: usize = 1024;

/// What is known of a channel.
#[derive(Clone, Debug)]
pub(crate) struct ChannelTable {
    /// How many messages it holds.
    capacity: i64,
    /// The type of a message.
    message: TypeExpr,
}

/// What names stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    /// Integer constants.
    constants: BTreeMap<String, i64>,
    /// Constants of which nothing is known but their least value.
    open: BTreeSet<String>,
    /// Types with names, of which each uses only those before it.
    types: BTreeMap<String, TypeExpr>,
    /// How many variables one of such a type stands for.
    leaves: BTreeMap<String, usize>,
    /// The first member of each enumeration.
    enumerations: BTreeMap<String, Ident>,
    globals: BTreeMap<String, TypeExpr>,
    locals: BTreeMap<String, BTreeMap<String, TypeExpr>>,
    /// Families with their ranges.
    families: BTreeMap<String, Range>,
    channels: BTreeMap<String, ChannelTable>,
    procedures: BTreeMap<String, ProcedureDecl>,
    functions: BTreeSet<String>,
    /// Definitions that ask for `deadlock`, directly or through others.
    deadlocks: BTreeSet<String>,
}

/// What values constants have.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownConstants {
    /// Their values.
    pub values: BTreeMap<String, i64>,
    /// Those that stand for every number from the least on.
    pub open: BTreeSet<String>,
}

/// A text without sugar.
#[derive(Clone, Debug)]
pub(crate) struct Expanded {
    pub file: File,
    pub tables: Tables,
    pub diagnostics: Vec<Diagnostic>,
}

/// Removes one file's sugar.
pub(crate) fn expand(file: File, known: KnownConstants) -> Expanded {
    let mut diagnostics = Vec::new();
    let tables = tables(&file, known, &mut diagnostics);
    let mut expansion = Expansion::new(&tables);
    let mut items = Vec::new();
    for item in file.items {
        expansion.item(item, &mut items);
    }
    diagnostics.extend(expansion.diagnostics);
    Expanded { file: File { name: file.name, items }, tables, diagnostics }
}

/// The first declaration of every name, if one of two with the same name has sugar; others are looked at later.
fn check_names(file: &File, diagnostics: &mut Vec<Diagnostic>) {
    let mut known: BTreeMap<&str, (Span, bool)> = BTreeMap::new();
    for item in &file.items {
        let (names, sugar): (Vec<&Ident>, bool) = match item {
            Item::Const(name, _) | Item::AtLeast(name, _) | Item::Define(name, _) | Item::Function(name, ..) => {
                (vec![name], false)
            }
            Item::Predicate(Some(name), _) => (vec![name], false),
            Item::Enumeration(_, members) => (members.iter().collect(), false),
            Item::Process(decl) => (vec![&decl.name], false),
            Item::Var(decl) => (decl.names.iter().collect(), true),
            Item::Sugar(sugar) => match sugar.as_ref() {
                ItemSugar::Channel(decl) => (decl.names.iter().collect(), true),
                ItemSugar::Procedure(decl) => (vec![&decl.name], true),
                ItemSugar::Invariant(..) | ItemSugar::Import(..) => continue,
            },
            _ => continue,
        };
        for name in names {
            if let Some(&(first, other)) = known.get(name.name.as_str()) {
                if sugar || other {
                    diagnostics.push(twice(name, first));
                }
                continue;
            }
            known.insert(&name.name, (name.span, sugar));
        }
    }
}

fn tables(file: &File, known: KnownConstants, diagnostics: &mut Vec<Diagnostic>) -> Tables {
    let mut tables = Tables { constants: known.values, open: known.open, ..Tables::default() };
    check_names(file, diagnostics);
    for item in &file.items {
        // Enumerations may stand behind their uses.
        if let Item::Enumeration(name, members) = item {
            tables.enumerations.extend(members.first().map(|first| (name.name.clone(), first.clone())));
        }
    }
    for item in &file.items {
        match item {
            Item::Alias(name, ty) => tables.alias(name, ty, diagnostics),
            Item::Function(name, ..) => {
                tables.functions.insert(name.name.clone());
            }
            Item::Var(decl) => {
                tables.globals.extend(decl.names.iter().map(|name| (name.name.clone(), decl.ty.clone())));
            }
            Item::Process(decl) => tables.process(decl),
            Item::Sugar(sugar) => {
                if let ItemSugar::Procedure(decl) = sugar.as_ref() {
                    tables.procedures.entry(decl.name.name.clone()).or_insert_with(|| decl.clone());
                }
            }
            _ => {}
        }
    }
    tables.find_deadlocks(file);
    let mut expansion = Expansion::new(&tables);
    let mut channels = Vec::new();
    for item in &file.items {
        if let Item::Sugar(sugar) = item
            && let ItemSugar::Channel(decl) = sugar.as_ref()
        {
            channels.extend(expansion.channel_tables(decl));
        }
    }
    diagnostics.extend(expansion.diagnostics);
    for (name, ty, channel) in channels {
        tables.globals.insert(name.clone(), ty);
        tables.channels.insert(name, channel);
    }
    tables
}

impl Tables {
    fn find_deadlocks(&mut self, file: &File) {
        loop {
            let before = self.deadlocks.len();
            for item in &file.items {
                if let Item::Define(name, expr) = item
                    && self.mentions_deadlock(expr)
                {
                    self.deadlocks.insert(name.name.clone());
                }
            }
            if self.deadlocks.len() == before {
                return;
            }
        }
    }

    fn mentions_deadlock(&self, expr: &Expr) -> bool {
        let mut found = false;
        crate::rewrite::visit(expr, &mut |part| {
            found |= match &part.kind {
                ExprKind::Deadlock => true,
                ExprKind::Name(name) => self.deadlocks.contains(&name.name),
                _ => false,
            };
        });
        found
    }

    /// Enters a type, unless it uses one that is not there yet: a type that uses itself has no end.
    fn alias(&mut self, name: &Ident, ty: &TypeExpr, diagnostics: &mut Vec<Diagnostic>) {
        match self.leaves_of(ty) {
            Ok(leaves) if leaves > MOST_FIELDS => {
                let message = format!("a record may have at most {MOST_FIELDS} fields in all");
                diagnostics.push(Diagnostic::error("E0415", message).at(name.span, "has more"));
            }
            Ok(leaves) => {
                self.types.entry(name.name.clone()).or_insert_with(|| ty.clone());
                self.leaves.entry(name.name.clone()).or_insert(leaves);
            }
            // Plain types are looked at later.
            Err(_) if !matches!(ty.kind, TypeKind::Sugar(_)) => {}
            Err((unknown, span)) => {
                let diagnostic = Diagnostic::error("E0405", format!("no type is named `{unknown}`"));
                diagnostics.push(diagnostic.at(span, "unknown type, or one that is declared later"));
            }
        }
    }

    /// How many variables one of a type stands for, or a type that is not known.
    fn leaves_of(&self, ty: &TypeExpr) -> Result<usize, (String, Span)> {
        match &ty.kind {
            TypeKind::Int | TypeKind::Nat | TypeKind::Bool | TypeKind::Range(_) | TypeKind::Bits(_) => Ok(1),
            TypeKind::Name(name) if self.enumerations.contains_key(name) => Ok(1),
            TypeKind::Name(name) => self.leaves.get(name).copied().ok_or_else(|| (name.clone(), ty.span)),
            TypeKind::Array(_, inner) => self.leaves_of(inner),
            TypeKind::Sugar(sugar) => match sugar.as_ref() {
                TypeSugar::Set(elements) => self.leaves_of(elements),
                TypeSugar::Record(fields) => {
                    fields.iter().try_fold(0usize, |sum, (_, ty)| Ok(sum.saturating_add(self.leaves_of(ty)?)))
                }
            },
        }
    }

    fn process(&mut self, decl: &ProcessDecl) {
        let locals = decl.locals.iter().flat_map(|locals| locals.names.iter().map(|name| (name, &locals.ty)));
        let locals = locals.map(|(name, ty)| (name.name.clone(), ty.clone())).collect();
        self.locals.insert(decl.name.name.clone(), locals);
        if let Some((_, range)) = &decl.family {
            self.families.insert(decl.name.name.clone(), range.clone());
        }
    }
}

/// Expands what stands in one place.
pub(crate) struct Expansion<'t> {
    tables: &'t Tables,
    pub diagnostics: Vec<Diagnostic>,
    /// The process whose variables are visible.
    process: Option<String>,
    /// Names that stand for numbers: the family's index, and what quantifiers bind.
    bound: Vec<String>,
    /// How many procedures and passes of `for` have been written out, for the labels inside of them.
    copies: usize,
    /// How many statements they have in all.
    copied: usize,
    /// What calls in the process at hand pass.
    passed: Vec<(Expr, TypeExpr)>,
}

/// What stands where a mistake has been reported.
fn broken(span: Span) -> Expr {
    Expr { kind: ExprKind::Sugar(Box::new(ExprSugar::Set(Vec::new()))), span }
}

impl<'t> Expansion<'t> {
    /// Outside of all processes.
    pub(crate) fn new(tables: &'t Tables) -> Self {
        Self {
            tables,
            diagnostics: Vec::new(),
            process: None,
            bound: Vec::new(),
            copies: 0,
            copied: 0,
            passed: Vec::new(),
        }
    }

    /// From now on these names stand for numbers.
    pub(crate) fn bind(&mut self, names: impl Iterator<Item = String>) {
        self.bound.extend(names);
    }

    /// Reports a mistake, once: what is written out several times has it as often.
    fn report(&mut self, diagnostic: Diagnostic) {
        let place = |known: &Diagnostic| known.primary.as_ref().map(|label| label.span);
        let again = |known: &Diagnostic| known.code == diagnostic.code && place(known) == place(&diagnostic);
        if !self.diagnostics.iter().any(again) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }

    fn item(&mut self, item: Item, items: &mut Vec<Item>) {
        match item {
            Item::Const(..) | Item::AtLeast(..) | Item::Enumeration(..) => items.push(item),
            Item::Alias(name, ty) => {
                if !self.is_structured(&ty) {
                    items.push(Item::Alias(name, ty));
                }
            }
            Item::Var(decl) => items.extend(self.variables(&decl).into_iter().map(Item::Var)),
            Item::Init(expr) => items.push(Item::Init(self.expr(&expr))),
            Item::Define(name, expr) => items.push(Item::Define(name, self.expr(&expr))),
            Item::Predicate(name, expr) => items.push(Item::Predicate(name, self.expr(&expr))),
            Item::Justice(expr) => items.push(Item::Justice(self.expr(&expr))),
            Item::Compassion(often, then) => items.push(Item::Compassion(self.expr(&often), self.expr(&then))),
            Item::Process(decl) => items.push(Item::Process(Box::new(self.process_decl(&decl)))),
            Item::Keep(variables) => {
                items.push(Item::Keep(variables.iter().flat_map(|variable| self.kept(variable)).collect()));
            }
            Item::Function(..) | Item::Spotlight(_) | Item::Fair(..) | Item::Environment(_) | Item::Property(_) => {
                items.push(item);
            }
            Item::Sugar(sugar) => match *sugar {
                ItemSugar::Invariant(condition, property) => {
                    // Abstract states cannot be told apart by what is enabled.
                    if !self.tables.mentions_deadlock(&condition) {
                        items.push(Item::Predicate(None, self.expr(&condition)));
                    }
                    items.push(Item::Property(property));
                }
                ItemSugar::Channel(decl) => items.extend(self.channel(&decl).into_iter().map(Item::Var)),
                // Looked at where they are called, and where files are put together.
                ItemSugar::Procedure(_) | ItemSugar::Import(..) => {}
            },
        }
    }

    fn process_decl(&mut self, decl: &ProcessDecl) -> ProcessDecl {
        self.process = Some(decl.name.name.clone());
        self.bound.extend(decl.family.as_ref().map(|(index, _)| index.name.clone()));
        let locals = decl.locals.iter().flat_map(|locals| self.variables(locals)).collect();
        let inlined = self.inline(&decl.body);
        let body = self.block(&inlined);
        let passed = std::mem::take(&mut self.passed);
        let passed = passed.into_iter().map(|(value, ty)| (self.expr(&value), ty)).collect();
        self.process = None;
        self.bound.clear();
        ProcessDecl { name: decl.name.clone(), family: decl.family.clone(), locals, body, end: decl.end, passed }
    }
}
