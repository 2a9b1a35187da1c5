//! Which families have every size, what belongs to their members, and does each look at itself alone?

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Diagnostic, Span};

use super::{AskedMembers, Refused};
use crate::ast::sugar::{BindingDomain, ExprSugar};
use crate::ast::{Expr, ExprKind, File, Ident, Item, ProcessDecl, ProcessRef, Range, TypeExpr, TypeKind, VarDecl};
use crate::rewrite::{visit, visit_block, visit_declaration};

/// What cannot be told for every size.
pub(super) fn refused(message: impl Into<String>, span: Span, why: &str) -> Refused {
    Box::new(Diagnostic::error("E0422", message.into()).at(span, why))
}

/// Where a text declares something of a type `bits[n]`.
fn bit_vector(text: &str) -> Option<Span> {
    let tokens = crate::lexer::lex(text).tokens;
    let word = |token: &crate::lexer::Token| &text[token.span.start..token.span.end];
    let declares = |three: &&[crate::lexer::Token]| {
        [":", "of", "=", ","].contains(&word(&three[0])) && word(&three[1]) == "bits" && word(&three[2]) == "["
    };
    tokens.windows(3).find(declares).map(|three| three[1].span)
}

/// A family of every size.
pub(super) struct Family<'a> {
    pub decl: &'a ProcessDecl,
    pub index: &'a Ident,
    pub range: &'a Range,
    /// How many members are processes of their own.
    pub count: usize,
    /// Numbers that the question names, by position.
    pub constants: BTreeMap<i64, usize>,
    /// Arrays whose cells belong to members, with their declarations.
    pub owned: Vec<(&'a Ident, &'a VarDecl)>,
    /// Whether the number of a member matters otherwise than to find its cells.
    pub numbered: bool,
}

/// What of a file depends on the size.
pub(super) struct SizeDependence<'a> {
    /// The constant.
    pub size: &'a Ident,
    /// The size, and constants that are computed from it.
    pub sized: BTreeSet<&'a str>,
    /// Names of types that depend on it.
    pub types: BTreeMap<&'a str, &'a TypeExpr>,
    pub families: Vec<Family<'a>>,
}

impl<'a> SizeDependence<'a> {
    pub fn of(text: &str, file: &'a File, asked: &AskedMembers) -> Result<Self, Refused> {
        if let Some(span) = bit_vector(text) {
            return Err(refused("bit-vectors", span, "looked at size by size only"));
        }
        let mut open = file.items.iter().filter_map(|item| match item {
            Item::AtLeast(name, _) => Some(name),
            _ => None,
        });
        let Some(size) = open.next() else {
            let message = "no constant is left open";
            return Err(refused(message, Span::default(), "`const N >= 1` leaves one open"));
        };
        if let Some(second) = open.next() {
            let message = format!("`{}` and `{}` are both left open", size.name, second.name);
            return Err(refused(message, second.span, "only one size can be looked at for every value"));
        }
        let mut shape = SizeDependence { size, sized: BTreeSet::new(), types: BTreeMap::new(), families: Vec::new() };
        shape.sized.insert(&size.name);
        shape.find_sized(file);
        shape.find_families(file)?;
        shape.check_quantifiers(file, asked)?;
        shape.find_owned(text, file)?;
        shape.find_members(file, asked)?;
        Ok(shape)
    }

    /// Constants and types that depend on the size; constants may stand in any order.
    fn find_sized(&mut self, file: &'a File) {
        loop {
            let before = self.sized.len() + self.types.len();
            for item in &file.items {
                match item {
                    Item::Const(name, value) if self.depends(value) => {
                        self.sized.insert(&name.name);
                    }
                    Item::Alias(name, ty) if self.type_depends(ty) => {
                        self.types.insert(&name.name, ty);
                    }
                    _ => {}
                }
            }
            if self.sized.len() + self.types.len() == before {
                return;
            }
        }
    }

    /// Whether an expression depends on the size.
    pub fn depends(&self, expr: &Expr) -> bool {
        let mut found = false;
        visit(expr, &mut |part| {
            found |= matches!(&part.kind, ExprKind::Name(name) if self.sized.contains(name.name.as_str()));
        });
        found
    }

    pub fn range_depends(&self, range: &Range) -> bool {
        self.depends(&range.lo) || self.depends(&range.hi)
    }

    pub fn type_depends(&self, ty: &TypeExpr) -> bool {
        match &ty.kind {
            TypeKind::Int | TypeKind::Nat | TypeKind::Bool | TypeKind::Bits(_) | TypeKind::Sugar(_) => false,
            TypeKind::Range(range) => self.range_depends(range),
            TypeKind::Name(name) => self.types.contains_key(name.as_str()),
            TypeKind::Array(range, inner) => self.range_depends(range) || self.type_depends(inner),
        }
    }

    /// A type with names that depend on the size put in.
    pub fn resolved<'t>(&'t self, ty: &'t TypeExpr) -> &'t TypeExpr {
        match &ty.kind {
            TypeKind::Name(name) => self.types.get(name.as_str()).map_or(ty, |known| self.resolved(known)),
            _ => ty,
        }
    }

    fn find_families(&mut self, file: &'a File) -> Result<(), Refused> {
        for item in &file.items {
            let Item::Process(decl) = item else { continue };
            let Some((index, range)) = &decl.family else { continue };
            if !self.range_depends(range) {
                continue;
            }
            if self.depends(&range.lo) || !self.grows(&range.hi) {
                let span = range.lo.span.to(range.hi.span);
                let message = format!("`{}` does not grow by one member with `{}`", decl.name.name, self.size.name);
                return Err(refused(message, span, "a family of every size goes from a number to the size"));
            }
            for locals in &decl.locals {
                let types = VarDecl { initial: None, ..locals.clone() };
                let mut indexed = false;
                visit_declaration(&types, &mut |part| {
                    indexed |= matches!(&part.kind, ExprKind::Name(name) if name.name == index.name);
                });
                if indexed {
                    return Err(refused(
                        "a type that depends on the index",
                        locals.ty.span,
                        "looked at size by size only",
                    ));
                }
            }
            let (constants, owned) = (BTreeMap::new(), Vec::new());
            self.families.push(Family { decl, index, range, count: 0, constants, owned, numbered: false });
        }
        Ok(())
    }

    /// Quantifiers speak of numbers: those of members are not known, and how many there are.
    fn check_quantifiers(&self, file: &File, asked: &AskedMembers) -> Result<(), Refused> {
        let taken = |name: &Ident| {
            let index = self.families.iter().any(|family| family.index.name == name.name);
            index || asked.binder.iter().flat_map(|binder| &binder.names).any(|known| known.name == name.name)
        };
        let mut wrong = None;
        let mut see = |part: &Expr| {
            if let ExprKind::Sugar(sugar) = &part.kind
                && let ExprSugar::Quantified(_, binding, _) = sugar.as_ref()
            {
                let depends = match &binding.domain {
                    BindingDomain::Range(range) => self.range_depends(range),
                    BindingDomain::Named(_) => true,
                };
                if (depends || binding.names.iter().any(taken)) && wrong.is_none() {
                    wrong = Some(part.span);
                }
            }
        };
        for item in &file.items {
            match item {
                Item::Const(_, expr) | Item::Define(_, expr) | Item::Init(expr) => visit(expr, &mut see),
                Item::Var(decl) => visit_declaration(decl, &mut see),
                Item::Process(decl) => {
                    visit_block(&decl.body, &mut see, &mut |_| {});
                    decl.locals.iter().for_each(|locals| visit_declaration(locals, &mut see));
                }
                _ => {}
            }
        }
        asked.atoms.iter().for_each(|atom| visit(atom, &mut see));
        match wrong {
            Some(span) => Err(refused("a quantifier that depends on the size", span, "looked at size by size only")),
            None => Ok(()),
        }
    }

    /// Whether an expression is the size, or the size and something that does not depend on it.
    fn grows(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => name.name == self.size.name,
            ExprKind::Sum(first, rest) => self.grows(first) && rest.iter().all(|(_, part)| !self.depends(part)),
            _ => false,
        }
    }

    fn find_owned(&mut self, text: &str, file: &'a File) -> Result<(), Refused> {
        for item in &file.items {
            let Item::Var(decl) = item else { continue };
            let TypeKind::Array(range, inner) = &decl.ty.kind else { continue };
            if !self.range_depends(range) {
                continue;
            }
            if matches!(self.resolved(inner).kind, TypeKind::Array(..)) {
                return Err(refused(
                    "an array of arrays over the size",
                    decl.ty.span,
                    "one cell for each member is needed",
                ));
            }
            for name in &decl.names {
                let owner = self.owner(text, file, name, range)?;
                self.families[owner].owned.push((name, decl));
            }
        }
        Ok(())
    }

    /// The family to whose members the cells of an array belong.
    fn owner(&self, text: &str, file: &File, array: &Ident, range: &Range) -> Result<usize, Refused> {
        let shown = |range: &Range| {
            let both = [range.lo.span, range.hi.span];
            both.map(|span| text[span.start..span.end].split_whitespace().collect::<String>())
        };
        let mut users: BTreeSet<&str> = BTreeSet::new();
        for item in &file.items {
            if let Item::Process(decl) = item {
                let mut used = false;
                let mut see = |part: &Expr| {
                    used |= matches!(&part.kind, ExprKind::Index(name, _) if name.name == array.name);
                };
                let mut written = false;
                visit_block(&decl.body, &mut see, &mut |target| written |= target.name.name == array.name);
                if used || written {
                    users.insert(&decl.name.name);
                }
            }
        }
        let alike = |family: &Family<'_>| shown(family.range) == shown(range);
        let fits = |family: &Family<'_>| alike(family) && users.iter().all(|user| *user == family.decl.name.name);
        let message = || format!("the cells of `{}` do not belong to the members of one family", array.name);
        let why = "an array over the size needs the range of a family, and only that family may use it";
        self.families.iter().position(fits).ok_or_else(|| refused(message(), array.span, why))
    }

    /// Which members the question names, and whether members look at themselves alone.
    fn find_members(&mut self, file: &'a File, asked: &AskedMembers) -> Result<(), Refused> {
        for family in &mut self.families {
            if let Some(binder) = asked.binder.as_ref().filter(|binder| binder.family.name == family.decl.name.name) {
                family.count = binder.names.len();
            }
        }
        for atom in &asked.atoms {
            self.find_constants(asked, atom)?;
        }
        for item in &file.items {
            match item {
                Item::Define(_, expr) | Item::Init(expr) => self.find_constants(asked, expr)?,
                Item::Process(decl) => self.looks_at_itself(decl)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Members with a number of their own, as in `P[2]@crit`.
    fn find_constants(&mut self, asked: &AskedMembers, expr: &Expr) -> Result<(), Refused> {
        let mut named: Vec<(String, Expr)> = Vec::new();
        let mut deadlock = None;
        visit(expr, &mut |part| match &part.kind {
            ExprKind::At(who, _) | ExprKind::Field(who, ..) => {
                named.extend(who.index.as_ref().map(|index| (who.name.name.clone(), index.as_ref().clone())));
            }
            ExprKind::Index(array, parts) if !parts.is_empty() => named.push((array.name.clone(), parts[0].clone())),
            ExprKind::Deadlock => deadlock = Some(part.span),
            _ => {}
        });
        if let Some(span) = deadlock {
            return Err(refused("`deadlock` is looked at size by size", span, "not known for every size"));
        }
        let bound = |index: &Expr| {
            let names = asked.binder.as_ref().map_or(&[][..], |binder| &binder.names);
            matches!(&index.kind, ExprKind::Name(name) if names.iter().any(|known| known.name == name.name))
        };
        for (name, index) in named {
            let of = |family: &Family<'_>| {
                family.decl.name.name == name || family.owned.iter().any(|(array, _)| array.name == name)
            };
            let Some(at) = self.families.iter().position(of) else { continue };
            let bound_here =
                asked.binder.as_ref().is_some_and(|binder| binder.family.name == self.families[at].decl.name.name);
            match index.kind {
                _ if bound(&index) && bound_here => {}
                ExprKind::Int(number) if !bound_here => {
                    let family = &mut self.families[at];
                    if !family.constants.contains_key(&number) {
                        family.count += 1;
                        family.constants.insert(number, family.count);
                    }
                }
                _ => {
                    let why = "members are named by numbers, or by the names that `forall` brings in, not by both";
                    return Err(refused(format!("which member of `{name}` this is"), index.span, why));
                }
            }
        }
        Ok(())
    }

    /// Whether the members of a family, and all other processes, leave members alone that they are not.
    fn looks_at_itself(&mut self, decl: &'a ProcessDecl) -> Result<(), Refused> {
        let own = self.families.iter().position(|family| family.decl.name.name == decl.name.name);
        let index = own.map(|at| self.families[at].index.name.clone());
        let is_index = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if Some(&name.name) == index.as_ref());
        let owned =
            |name: &str| self.families.iter().any(|family| family.owned.iter().any(|(array, _)| array.name == name));
        let (mut wrong, mut uses, mut cells): (Option<(Span, String)>, usize, usize) = (None, 0, 0);
        let mut see = |part: &Expr| match &part.kind {
            ExprKind::Index(array, parts) if owned(&array.name) => {
                if parts.first().is_some_and(is_index) {
                    cells += 1;
                } else {
                    wrong.get_or_insert((part.span, array.name.clone()));
                }
            }
            ExprKind::At(who, _) | ExprKind::Field(who, ..) if self.is_sized(who) => {
                wrong.get_or_insert((part.span, who.name.name.clone()));
            }
            ExprKind::Name(_) if is_index(part) => uses += 1,
            _ => {}
        };
        let mut targets = Vec::new();
        visit_block(&decl.body, &mut see, &mut |target| targets.push((target.name.clone(), target.indices.clone())));
        decl.locals.iter().for_each(|locals| visit_declaration(locals, &mut see));
        for (name, indices) in &targets {
            if owned(&name.name) {
                if indices.first().is_some_and(is_index) {
                    cells += 1;
                } else {
                    wrong.get_or_insert((name.span, name.name.clone()));
                }
            }
        }
        if let Some((span, name)) = wrong {
            let message = format!("this looks at another member of `{name}`");
            return Err(refused(message, span, "for every size, a member may look at itself and at what all share"));
        }
        if let Some(at) = own {
            self.families[at].numbered = uses > cells;
        }
        Ok(())
    }

    fn is_sized(&self, who: &ProcessRef) -> bool {
        self.families.iter().any(|family| family.decl.name.name == who.name.name)
    }
}
