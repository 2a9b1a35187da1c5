//! Variables of structured types: one variable for each leaf.

use tertium_base::Diagnostic;

use super::Expansion;
use super::places::Place;
use super::types::{Cell, Structure};
use crate::ast::{Expr, Ident, Initial, TypeExpr, TypeKind, VarDecl, VarRef};

impl Expansion<'_> {
    /// The plain variables that a declaration stands for.
    pub(super) fn variables(&mut self, decl: &VarDecl) -> Vec<VarDecl> {
        if !self.is_structured(&decl.ty) {
            return vec![decl.clone()];
        }
        if !self.check_type(&decl.ty) {
            return Vec::new();
        }
        let initial = match &decl.initial {
            None => None,
            Some(initial) => match self.initial(decl, initial) {
                Some(values) => Some(values),
                None => return Vec::new(),
            },
        };
        let leaves = self.leaves(&decl.ty);
        let mut all = Vec::new();
        for (at, (fields, ty)) in leaves.iter().enumerate() {
            let named = |name: &Ident| Ident { name: format!("{}{fields}", name.name), span: name.span };
            let initial = initial.as_ref().map(|initial| initial[at].clone());
            all.push(VarDecl { names: decl.names.iter().map(named).collect(), ty: ty.clone(), initial });
        }
        all
    }

    /// What each leaf starts with.
    fn initial(&mut self, decl: &VarDecl, initial: &Initial) -> Option<Vec<Initial>> {
        let to = Place {
            owner: None,
            name: decl.names[0].clone(),
            indices: Vec::new(),
            ty: decl.ty.clone(),
            span: decl.ty.span,
        };
        match initial {
            Initial::Same(value) => self.filled(&decl.ty, value, &to),
            Initial::Each(values, span) => {
                let Structure::Array(range, inner) = self.structure(&decl.ty) else {
                    let diagnostic = Diagnostic::error("E0407", "a list of values is for arrays");
                    return self.fail(diagnostic.at(*span, "not for records and sets"));
                };
                let (lo, hi) = self.known_range(&range, "the size of an array with a list of values")?;
                let wanted = usize::try_from(hi.saturating_sub(lo).saturating_add(1)).unwrap_or(0);
                if wanted != values.len() {
                    let diagnostic = Diagnostic::error("E0412", format!("{wanted} values are needed"));
                    return self.fail(diagnostic.at(*span, format!("{} given", values.len())));
                }
                let cells = self.cells(&inner)?;
                let rows: Vec<Option<Vec<Expr>>> = values.iter().map(|value| self.values(&inner, value, &to)).collect();
                let rows: Vec<Vec<Expr>> = rows.into_iter().collect::<Option<_>>()?;
                let leaves = self.leaves(&decl.ty);
                let of_leaf = |fields: &str| {
                    let own = |row: &Vec<Expr>| picked(&cells, row, fields);
                    Initial::Each(rows.iter().flat_map(own).collect(), *span)
                };
                Some(leaves.iter().map(|(fields, _)| of_leaf(fields)).collect())
            }
        }
    }

    /// What each leaf starts with if all cells of the arrays around start alike.
    fn filled(&mut self, ty: &TypeExpr, value: &Expr, to: &Place) -> Option<Vec<Initial>> {
        let mut inner = ty.clone();
        let mut around = Vec::new();
        while let Structure::Array(range, element) = self.structure(&inner) {
            around.push(range);
            inner = element;
        }
        let values = self.values(&inner, value, to)?;
        let cells = self.cells(&inner)?;
        let mut all = Vec::new();
        for (fields, ty) in self.leaves(&inner) {
            let own = picked(&cells, &values, &fields);
            all.push(match self.resolved(&ty).kind {
                TypeKind::Array(..) => {
                    let mut copies = 1usize;
                    for range in &around {
                        let (lo, hi) = self.known_range(range, "the size of an array of sets or arrays")?;
                        copies = copies.saturating_mul(usize::try_from(hi.saturating_sub(lo) + 1).unwrap_or(0));
                    }
                    if copies.saturating_mul(own.len()) > super::MOST_CELLS {
                        let message = "too many initial values";
                        return self
                            .fail(Diagnostic::error("E0415", message).at(value.span, "for an array of this size"));
                    }
                    Initial::Each(own.iter().cycle().take(own.len() * copies).cloned().collect(), value.span)
                }
                _ => Initial::Same(own[0].clone()),
            });
        }
        Some(all)
    }

    /// The plain variables that `keep` names.
    pub(crate) fn kept(&mut self, kept: &VarRef) -> Vec<VarRef> {
        let ty = match &kept.process {
            Some(who) => self.tables.locals.get(&who.name.name).and_then(|locals| locals.get(&kept.name.name)),
            None => self.tables.globals.get(&kept.name.name),
        };
        let Some(ty) = ty.filter(|ty| self.is_structured(ty)).cloned() else { return vec![kept.clone()] };
        let leaf = |(fields, _): (String, TypeExpr)| VarRef {
            process: kept.process.clone(),
            name: Ident { name: format!("{}{fields}", kept.name.name), span: kept.name.span },
        };
        self.leaves(&ty).into_iter().map(leaf).collect()
    }
}

/// The values of one leaf's cells.
fn picked(cells: &[Cell], values: &[Expr], fields: &str) -> Vec<Expr> {
    let own = cells.iter().zip(values).filter(|(cell, _)| cell.fields == fields);
    own.map(|(_, value)| value.clone()).collect()
}
