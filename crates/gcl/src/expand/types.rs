//! What do records and sets consist of?
//!
//! A variable of a structured type becomes one variable for each *leaf*, an entry without fields; a leaf has a *cell* for each combination of indices.

use std::collections::BTreeSet;

use tertium_base::{Diagnostic, Span};

use super::{Expansion, MOST_CELLS, MOST_ELEMENTS};
use crate::ast::sugar::TypeSugar;
use crate::ast::{Expr, ExprKind, Ident, Range, TypeExpr, TypeKind};

/// Names of types that stand for each other are followed this far.
const MOST_ALIASES: usize = 64;

/// A type, one level deep.
#[derive(Clone, Debug)]
pub(super) enum Structure {
    /// A single value, or a type that is not known.
    Single,
    Array(Range, TypeExpr),
    Record(Vec<(Ident, TypeExpr)>),
    /// Over these elements.
    Set(Range),
}

/// Fields without those that have the name of an earlier one, which are told where the type is declared.
fn named_once(mut fields: Vec<(Ident, TypeExpr)>) -> Vec<(Ident, TypeExpr)> {
    let mut known = BTreeSet::new();
    fields.retain(|(name, _)| known.insert(name.name.clone()));
    fields
}

/// A single value inside of a variable: the fields that lead to it, and its indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub fields: String,
    pub indices: Vec<i64>,
}

pub(super) fn int(value: i64, span: Span) -> Expr {
    Expr { kind: ExprKind::Int(value), span }
}

impl Expansion<'_> {
    /// A type in which names of types are put in at the outermost level.
    pub(super) fn resolved(&self, ty: &TypeExpr) -> TypeExpr {
        let mut known = ty.clone();
        for _ in 0..MOST_ALIASES {
            let TypeKind::Name(name) = &known.kind else { return known };
            match self.tables.types.get(name) {
                Some(other) => known = other.clone(),
                None => return known,
            }
        }
        // They go round; whoever reads the declarations says so.
        TypeExpr { kind: TypeKind::Int, span: ty.span }
    }

    pub(super) fn structure(&self, ty: &TypeExpr) -> Structure {
        match self.resolved(ty).kind {
            TypeKind::Array(range, inner) => Structure::Array(*range, *inner),
            TypeKind::Sugar(sugar) => match *sugar {
                TypeSugar::Record(fields) => Structure::Record(named_once(fields)),
                TypeSugar::Set(elements) => match self.resolved(&elements).kind {
                    TypeKind::Range(range) => Structure::Set(*range),
                    _ => Structure::Single,
                },
            },
            _ => Structure::Single,
        }
    }

    /// Whether a type has records or sets in it.
    pub(super) fn is_structured(&self, ty: &TypeExpr) -> bool {
        match self.resolved(ty).kind {
            TypeKind::Array(_, inner) => self.is_structured(&inner),
            TypeKind::Sugar(_) => true,
            _ => false,
        }
    }

    /// The elements that a set may have.
    pub(super) fn elements(&mut self, range: &Range) -> Option<(i64, i64)> {
        let (lo, hi) = self.known_range(range, "the range of a set")?;
        let span = range.lo.span.to(range.hi.span);
        if hi < lo {
            let message = format!("the range {lo}..{hi} is empty");
            return self.fail(Diagnostic::error("E0409", message).at(span, "ends before it begins"));
        }
        if hi.abs_diff(lo) >= MOST_ELEMENTS as u64 {
            let message = format!("a set may have at most {MOST_ELEMENTS} elements");
            return self.fail(Diagnostic::error("E0415", message).at(span, "too many"));
        }
        Some((lo, hi))
    }

    /// Whether the parts of a type make sense; what does not is reported.
    pub(super) fn check_type(&mut self, ty: &TypeExpr) -> bool {
        let TypeKind::Sugar(sugar) = &ty.kind else {
            return match &ty.kind {
                TypeKind::Array(_, inner) => self.check_type(inner),
                TypeKind::Name(name) => match self.tables.types.get(name) {
                    Some(known) => self.check_type(known),
                    None => true,
                },
                _ => true,
            };
        };
        match sugar.as_ref() {
            TypeSugar::Record(fields) => {
                for (at, (name, _)) in fields.iter().enumerate() {
                    if let Some((first, _)) = fields[..at].iter().find(|(known, _)| known.name == name.name) {
                        self.report(crate::names::twice(name, first.span));
                    }
                }
                fields.iter().all(|(_, ty)| self.check_type(ty))
            }
            TypeSugar::Set(elements) => match self.resolved(elements).kind {
                TypeKind::Range(range) => self.elements(&range).is_some(),
                TypeKind::Name(name) if !self.tables.enumerations.contains_key(&name) => {
                    let message = format!("no type is named `{name}`");
                    self.report(Diagnostic::error("E0405", message).at(elements.span, "unknown type"));
                    false
                }
                _ => {
                    let diagnostic = Diagnostic::error("E0407", "sets are over ranges of numbers")
                        .at(elements.span, "no range")
                        .help("write for example `set of 0..7`");
                    self.report(diagnostic);
                    false
                }
            },
        }
    }

    /// The variables that one of this type becomes: the fields that lead to each, and its type.
    pub(super) fn leaves(&self, ty: &TypeExpr) -> Vec<(String, TypeExpr)> {
        let span = ty.span;
        match self.structure(ty) {
            Structure::Single => vec![(String::new(), ty.clone())],
            Structure::Array(range, inner) => {
                let array = |inner: TypeExpr| {
                    let kind = TypeKind::Array(Box::new(range.clone()), Box::new(inner));
                    TypeExpr { kind, span }
                };
                self.leaves(&inner).into_iter().map(|(fields, inner)| (fields, array(inner))).collect()
            }
            Structure::Record(fields) => fields
                .iter()
                .flat_map(|(name, ty)| {
                    let longer = |(rest, ty): (String, TypeExpr)| (format!(".{}{rest}", name.name), ty);
                    self.leaves(ty).into_iter().map(longer).collect::<Vec<_>>()
                })
                .collect(),
            Structure::Set(range) => {
                let truth = TypeExpr { kind: TypeKind::Bool, span };
                vec![(String::new(), TypeExpr { kind: TypeKind::Array(Box::new(range), Box::new(truth)), span })]
            }
        }
    }

    /// All single values of a type, in the order of the text; sets count as arrays of truth values.
    pub(super) fn cells(&mut self, ty: &TypeExpr) -> Option<Vec<Cell>> {
        let cells = self.cells_of(ty)?;
        if cells.len() <= MOST_CELLS {
            return Some(cells);
        }
        let message = format!("more than {MOST_CELLS} values at once");
        self.fail(Diagnostic::error("E0415", message).at(ty.span, "this type has too many"))
    }

    fn cells_of(&mut self, ty: &TypeExpr) -> Option<Vec<Cell>> {
        let (range, inner) = match self.structure(ty) {
            Structure::Single => return Some(vec![Cell { fields: String::new(), indices: Vec::new() }]),
            Structure::Record(fields) => {
                let mut all = Vec::new();
                for (name, ty) in &fields {
                    let longer = |cell: Cell| Cell { fields: format!(".{}{}", name.name, cell.fields), ..cell };
                    all.extend(self.cells(ty)?.into_iter().map(longer));
                }
                return Some(all);
            }
            Structure::Set(range) => {
                (self.elements(&range)?, vec![Cell { fields: String::new(), indices: Vec::new() }])
            }
            Structure::Array(range, inner) => {
                (self.known_range(&range, "the size of an array that is copied")?, self.cells(&inner)?)
            }
        };
        let count = usize::try_from(range.1.saturating_sub(range.0).saturating_add(1)).unwrap_or(0);
        if count.saturating_mul(inner.len()) > MOST_CELLS {
            let message = format!("more than {MOST_CELLS} values at once");
            return self.fail(Diagnostic::error("E0415", message).at(ty.span, "this type has too many"));
        }
        let indexed = |at: i64, cell: &Cell| {
            let indices = [at].into_iter().chain(cell.indices.iter().copied()).collect();
            Cell { fields: cell.fields.clone(), indices }
        };
        Some((range.0..=range.1).flat_map(|at| inner.iter().map(move |cell| indexed(at, cell))).collect())
    }

    /// A value that a cell of a type may have, for what nobody looks at.
    pub(super) fn some_value(&self, ty: &TypeExpr) -> Expr {
        let span = ty.span;
        let kind = match self.resolved(ty).kind {
            TypeKind::Bool => ExprKind::Bool(false),
            TypeKind::Range(range) => return range.lo,
            TypeKind::Name(name) => match self.tables.enumerations.get(&name) {
                Some(first) => ExprKind::Name(Ident { name: first.name.clone(), span }),
                None => ExprKind::Int(0),
            },
            _ => ExprKind::Int(0),
        };
        Expr { kind, span }
    }
}
