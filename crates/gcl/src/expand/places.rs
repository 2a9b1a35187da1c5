//! Which variable, and which part of it, does a path mean?

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};

use super::Expansion;
use super::types::{Cell, Structure, int};
use crate::ast::sugar::{Accessor, ExprSugar};
use crate::ast::{Expr, ExprKind, Ident, ProcessRef, Target, TypeExpr, TypeKind};

/// A part of a structured variable.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Place {
    /// Whose it is, if it is another process's.
    pub owner: Option<ProcessRef>,
    /// The variable and the fields so far.
    pub name: Ident,
    pub indices: Vec<Expr>,
    pub ty: TypeExpr,
    pub span: Span,
}

impl Place {
    /// A single value of it.
    pub(super) fn cell(&self, cell: &Cell) -> (Ident, Vec<Expr>) {
        let name = Ident { name: format!("{}{}", self.name.name, cell.fields), span: self.name.span };
        let own = cell.indices.iter().map(|&at| int(at, self.span));
        (name, self.indices.iter().cloned().chain(own).collect())
    }

    /// The same place at a further index.
    pub(super) fn at(&self, index: Expr) -> Expr {
        let indices = self.indices.iter().cloned().chain([index]).collect();
        read(self.owner.clone(), self.name.clone(), indices, self.span)
    }
}

/// Reads a variable.
pub(super) fn read(owner: Option<ProcessRef>, name: Ident, indices: Vec<Expr>, span: Span) -> Expr {
    let kind = match owner {
        Some(owner) => ExprKind::Field(owner, name, indices),
        None if indices.is_empty() => ExprKind::Name(name),
        None => ExprKind::Index(name, indices),
    };
    Expr { kind, span }
}

impl Expansion<'_> {
    /// The type of a variable that is visible here.
    pub(super) fn visible(&self, name: &str) -> Option<&TypeExpr> {
        if self.bound.iter().any(|bound| bound == name) {
            return None;
        }
        let locals = self.process.as_ref().and_then(|process| self.tables.locals.get(process));
        locals.and_then(|locals| locals.get(name)).or_else(|| self.tables.globals.get(name))
    }

    /// The path that an expression is, if it is one: its name, what follows it, and whose it is.
    fn path_of(&self, expr: &Expr) -> Option<(Option<ProcessRef>, Ident, Vec<Accessor>)> {
        let indexed = |indices: &[Expr]| indices.iter().cloned().map(Accessor::Index).collect::<Vec<_>>();
        match &expr.kind {
            ExprKind::Name(name) => Some((None, name.clone(), Vec::new())),
            ExprKind::Index(name, indices) => Some((None, name.clone(), indexed(indices))),
            ExprKind::Field(who, field, indices) => {
                let mut path: Vec<Accessor> =
                    who.index.iter().map(|index| Accessor::Index((**index).clone())).collect();
                path.push(Accessor::Field(field.clone()));
                path.extend(indexed(indices));
                Some(self.owned(&who.name, path))
            }
            ExprKind::Sugar(sugar) => match sugar.as_ref() {
                ExprSugar::Path(name, path) => Some(self.owned(name, path.clone())),
                _ => None,
            },
            _ => None,
        }
    }

    /// A path that may begin with a process.
    fn owned(&self, name: &Ident, path: Vec<Accessor>) -> (Option<ProcessRef>, Ident, Vec<Accessor>) {
        let is_process = self.visible(&name.name).is_none() && self.tables.locals.contains_key(&name.name);
        if is_process {
            let (index, rest) = match path.split_first() {
                Some((Accessor::Index(index), rest)) => (Some(Box::new(index.clone())), rest),
                _ => (None, path.as_slice()),
            };
            if let Some((Accessor::Field(local), rest)) = rest.split_first() {
                return (Some(ProcessRef { name: name.clone(), index }), local.clone(), rest.to_vec());
            }
        }
        (None, name.clone(), path)
    }

    /// What an expression is, if it names a part of a structured variable and there is no mistake in it. Nothing is expanded.
    pub(super) fn structure_of(&self, expr: &Expr) -> Option<Structure> {
        let (owner, name, path) = self.path_of(expr)?;
        let ty = match &owner {
            Some(who) => self.tables.locals.get(&who.name.name).and_then(|locals| locals.get(&name.name)),
            None => self.visible(&name.name),
        };
        let mut ty = ty.filter(|ty| self.is_structured(ty)).cloned()?;
        for accessor in &path {
            ty = match (accessor, self.structure(&ty)) {
                (Accessor::Index(_), Structure::Array(_, inner)) => inner,
                (Accessor::Index(_), Structure::Set(_)) => TypeExpr { kind: TypeKind::Bool, span: ty.span },
                (Accessor::Field(field), _) => {
                    self.distributed(&ty)?.into_iter().find(|(name, _)| name.name == field.name)?.1
                }
                _ => return None,
            };
        }
        Some(self.structure(&ty))
    }

    /// The part of a structured variable that an expression names. `Ok(None)`: it names none; `Err`: a mistake has been reported.
    pub(super) fn place_of(&mut self, expr: &Expr) -> Result<Option<Place>, ()> {
        let Some((owner, name, path)) = self.path_of(expr) else { return Ok(None) };
        let ty = match &owner {
            Some(who) => self.tables.locals.get(&who.name.name).and_then(|locals| locals.get(&name.name)),
            None => self.visible(&name.name),
        };
        let Some(ty) = ty.filter(|ty| self.is_structured(ty)).cloned() else { return Ok(None) };
        let owner = owner.map(|who| {
            let index = who.index.map(|index| Box::new(self.expr(&index)));
            ProcessRef { name: who.name, index }
        });
        let start = Place { owner, name, indices: Vec::new(), ty, span: expr.span };
        self.walk(start, &path).map(Some).ok_or(())
    }

    /// The part of a structured variable that is written to.
    pub(super) fn place_written(&mut self, target: &Target) -> Result<Option<Place>, ()> {
        let ty = self.visible(&target.name.name).filter(|ty| self.is_structured(ty)).cloned();
        let Some(ty) = ty else {
            if !target.accessors.is_empty() {
                self.report(not_a_record(self.tables.locals.contains_key(&target.name.name), &target.name));
                return Err(());
            }
            return Ok(None);
        };
        if self.tables.channels.contains_key(&target.name.name) {
            let diagnostic =
                Diagnostic::error("E0413", format!("the channel `{}` cannot be assigned", target.name.name));
            self.report(diagnostic.at(target.span, "a channel").help("send with `c ! e`, receive with `c ? x`"));
            return Err(());
        }
        let path: Vec<Accessor> =
            target.indices.iter().cloned().map(Accessor::Index).chain(target.accessors.iter().cloned()).collect();
        let start = Place { owner: None, name: target.name.clone(), indices: Vec::new(), ty, span: target.span };
        self.walk(start, &path).map(Some).ok_or(())
    }

    /// Follows fields and indices.
    pub(super) fn walk(&mut self, mut place: Place, path: &[Accessor]) -> Option<Place> {
        for accessor in path {
            place.ty = match (accessor, self.structure(&place.ty)) {
                (Accessor::Index(index), Structure::Array(_, inner)) => {
                    let index = self.expr(index);
                    place.indices.push(index);
                    inner
                }
                // `s[2]`, as states and predicates show it.
                (Accessor::Index(index), Structure::Set(_)) => {
                    let index = self.expr(index);
                    place.indices.push(index);
                    TypeExpr { kind: TypeKind::Bool, span: place.ty.span }
                }
                (Accessor::Index(index), _) => {
                    let diagnostic = Diagnostic::error("E0407", format!("`{}` is not an array", place.name.name))
                        .at(index.span, "cannot be indexed");
                    return self.fail(diagnostic);
                }
                (Accessor::Field(field), _) => {
                    let (name, ty) = self.field(&place, field)?;
                    place.name.name.push_str(&format!(".{name}"));
                    ty
                }
            };
        }
        Some(place)
    }

    /// The type of a field. `rs.a` of an array of records is the array of their fields, as it is shown.
    fn field(&mut self, place: &Place, field: &Ident) -> Option<(String, TypeExpr)> {
        let leaves = match self.structure(&place.ty) {
            Structure::Array(..) => self.distributed(&place.ty),
            Structure::Record(fields) => Some(fields),
            _ => None,
        };
        let Some(fields) = leaves else {
            let message = format!("`{}` is not a record", place.name.name);
            return self.fail(Diagnostic::error("E0407", message).at(field.span, "has no fields"));
        };
        if let Some((name, ty)) = fields.iter().find(|(name, _)| name.name == field.name) {
            return Some((name.name.clone(), ty.clone()));
        }
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.name.as_str()).collect();
        let message = format!("`{}` has no field `{}`", place.name.name, field.name);
        let diagnostic = Diagnostic::error("E0405", message).at(field.span, "unknown field");
        let diagnostic = match closest_name(&field.name, names.iter().copied()) {
            Some(close) => diagnostic.help(format!("a similar name exists: `{close}`")),
            None => diagnostic.note(format!("its fields are: {}", names.join(", "))),
        };
        self.fail(diagnostic)
    }

    /// The fields of the records in an array, each as an array.
    fn distributed(&self, ty: &TypeExpr) -> Option<Vec<(Ident, TypeExpr)>> {
        match self.structure(ty) {
            Structure::Record(fields) => Some(fields),
            Structure::Array(range, inner) => {
                let array = |(name, inner): (Ident, TypeExpr)| {
                    let kind = TypeKind::Array(Box::new(range.clone()), Box::new(inner));
                    (name, TypeExpr { kind, span: ty.span })
                };
                Some(self.distributed(&inner)?.into_iter().map(array).collect())
            }
            _ => None,
        }
    }
}

fn not_a_record(is_process: bool, name: &Ident) -> Diagnostic {
    if is_process {
        return Diagnostic::error("E0413", "another process's variable cannot be assigned")
            .at(name.span, "only its own process assigns it")
            .help("make it a global variable");
    }
    Diagnostic::error("E0407", format!("`{}` is not a record", name.name)).at(name.span, "has no fields")
}
