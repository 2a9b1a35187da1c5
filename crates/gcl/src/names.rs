//! What does a name mean?
//!
//! The tables that declarations fill and expressions ask, and the messages for names that are not there.

use std::collections::{BTreeMap, HashSet};

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};
use tertium_program::{EnumId, ExprId, FunctionId, ProcessId, Program, Type, VarId};

use crate::ast::{Expr, Ident, ProcessDecl};
use crate::flow::Flow;

/// The kinds of values that expressions have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Bool,
    Int,
    /// So many bits: numbers from 0 that wrap around.
    Bits(u8),
    Enum(EnumId),
}

/// An expression that makes sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Typed {
    pub id: ExprId,
    pub ty: Ty,
}

/// What a global name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entity {
    /// A constant, definition or predicate: an entry of [`Elaborator::named`].
    Named(usize),
    Member(EnumId, u32),
    Var(VarId),
    Function(FunctionId),
    /// An entry of [`Elaborator::groups`].
    Process(usize),
}

/// How far a named expression is worked out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    Untouched,
    /// Being worked out: meeting it again is a circle.
    Busy,
    /// `None`: a mistake in it has been reported.
    Done(Option<Typed>),
}

/// A constant, definition or predicate.
#[derive(Clone, Debug)]
pub(crate) struct NamedExpr<'a> {
    pub ident: &'a Ident,
    pub expr: &'a Expr,
    pub constant: bool,
    pub progress: Progress,
}

/// A process declaration with its members; a plain process is a family of one.
#[derive(Clone, Debug)]
pub(crate) struct Group<'a> {
    pub decl: &'a ProcessDecl,
    /// The smallest index.
    pub lo: i64,
    pub processes: Vec<ProcessId>,
    /// Positions in the list of locals of every member.
    pub locals: BTreeMap<&'a str, usize>,
    pub flow: Flow<'a>,
}

/// How an expression may look at the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// Not at all.
    Constant,
    /// At everything but what is enabled.
    Guard,
    /// At everything.
    Formula,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExprContext<'a> {
    /// The process whose locals are visible: group and member.
    pub process: Option<(usize, usize)>,
    /// The name and value of the family's index.
    pub index: Option<(&'a str, i64)>,
    pub uses: Use,
}

impl ExprContext<'_> {
    /// Outside of all processes.
    pub const fn global(uses: Use) -> Self {
        Self { process: None, index: None, uses }
    }
}

/// Turns a tree into a program, collecting mistakes.
#[derive(Debug)]
pub(crate) struct Elaborator<'a> {
    pub text: &'a str,
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    reported: HashSet<(&'static str, Option<Span>)>,
    pub globals: BTreeMap<&'a str, (Entity, Span)>,
    pub types: BTreeMap<&'a str, ((Type, Vec<tertium_program::Dimension>), Span)>,
    pub named: Vec<NamedExpr<'a>>,
    pub groups: Vec<Group<'a>>,
    pub cells: usize,
    /// Values for constants of which only the least value is said.
    pub sizes: BTreeMap<String, i64>,
    /// Those constants: entries of `named`, with their least values.
    pub open: Vec<(usize, Option<i64>)>,
    /// What members of families with every size stand for, if that is what is looked at.
    pub members: Option<crate::parameterised::Members>,
    /// What names stand for that are expanded.
    pub tables: std::rc::Rc<crate::expand::Tables>,
    /// What is promised of runs by conditions.
    pub fairness: Vec<crate::fairness::FairnessCondition>,
    /// How many expressions are being worked out inside each other, definitions included.
    pub depth: u32,
}

impl<'a> Elaborator<'a> {
    pub fn new(text: &'a str, name: &str) -> Self {
        Self {
            text,
            program: Program::new(name),
            diagnostics: Vec::new(),
            reported: HashSet::new(),
            globals: BTreeMap::new(),
            types: BTreeMap::new(),
            named: Vec::new(),
            groups: Vec::new(),
            cells: 0,
            sizes: BTreeMap::new(),
            open: Vec::new(),
            members: None,
            tables: std::rc::Rc::default(),
            fairness: Vec::new(),
            depth: 0,
        }
    }

    /// The plain variables that `keep` names outside of the file.
    pub fn leaves_kept(&mut self, variables: &[crate::ast::VarRef]) -> Vec<crate::ast::VarRef> {
        let tables = std::rc::Rc::clone(&self.tables);
        let mut expansion = crate::expand::Expansion::new(&tables);
        variables.iter().flat_map(|variable| expansion.kept(variable)).collect()
    }

    /// An expression from outside of the file without sugar, in which these names stand for numbers; mistakes in it are reported.
    pub fn expanded(&mut self, expr: &Expr, bound: &[(String, i64)]) -> Expr {
        let tables = std::rc::Rc::clone(&self.tables);
        let mut expansion = crate::expand::Expansion::new(&tables);
        expansion.bind(bound.iter().map(|(name, _)| name.clone()));
        let expr = expansion.expr(expr);
        expansion.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        expr
    }

    /// Reports a mistake, once: members of a family would repeat it.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        let place = diagnostic.primary.as_ref().map(|label| label.span);
        if self.reported.insert((diagnostic.code, place)) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports a mistake; the expression has no value.
    pub fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }

    /// From now on nothing counts as reported before.
    pub fn forget_reported(&mut self) {
        self.reported.clear();
    }

    /// Enters a global name.
    pub fn declare(&mut self, ident: &'a Ident, entity: Entity) {
        if let Some(&(_, first)) = self.globals.get(ident.name.as_str()) {
            self.report(twice(ident, first));
            return;
        }
        self.globals.insert(&ident.name, (entity, ident.span));
    }

    pub fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Bool => "bool".to_owned(),
            Ty::Int => "int".to_owned(),
            Ty::Bits(bits) => format!("bits[{bits}]"),
            Ty::Enum(id) => self.program.enumeration(id).name.clone(),
        }
    }

    pub const fn ty_of(ty: Type) -> Ty {
        match ty {
            Type::Bool => Ty::Bool,
            Type::Enum(id) => Ty::Enum(id),
            Type::Wrapped(width) => Ty::Bits(width.bits),
            _ => Ty::Int,
        }
    }

    /// The message for a name that is not there.
    pub fn unknown(&self, name: &Ident, what: &str, place: &ExprContext<'_>) -> Diagnostic {
        let locals = place.process.map(|(group, _)| &self.groups[group].locals);
        let local_names = locals.into_iter().flat_map(|locals| locals.keys().copied());
        let known = self.globals.keys().copied().chain(local_names).chain(place.index.map(|(name, _)| name));
        let diagnostic =
            Diagnostic::error("E0405", format!("no {what} is named `{}`", name.name)).at(name.span, "unknown name");
        match closest_name(&name.name, known) {
            _ if ["TRUE", "FALSE", "True", "False"].contains(&name.name.as_str()) => {
                diagnostic.help(format!("write `{}`", name.name.to_ascii_lowercase()))
            }
            Some(close) => diagnostic.help(format!("a similar name exists: `{close}`")),
            None => self.local_elsewhere(&name.name, diagnostic),
        }
    }

    fn local_elsewhere(&self, name: &str, diagnostic: Diagnostic) -> Diagnostic {
        match self.groups.iter().find(|group| group.locals.contains_key(name)) {
            Some(group) => {
                let process = &group.decl.name.name;
                let index = if group.decl.family.is_some() { "[…]" } else { "" };
                diagnostic.help(format!("process `{process}` has a local `{name}`: write `{process}{index}.{name}`"))
            }
            None => diagnostic,
        }
    }
}

/// The message for a name that is declared twice.
pub(crate) fn twice(ident: &Ident, first: Span) -> Diagnostic {
    Diagnostic::error("E0406", format!("`{}` is declared twice", ident.name))
        .at(ident.span, "declared again here")
        .also(first, "first declared here")
}
