//! A system whose families have one size each, as one that leaves a size open: which families can be counted?
//!
//! Those over the range that has the most members, each with the arrays over the same range that only it uses, and only at the
//! stepping member's own index. The end of that range becomes a size that is left open, with the condition that it is what the text says. Then everything
//! that is known of systems of every size applies, and the other sizes are excluded from the start.

use std::collections::BTreeMap;

use tertium_base::Span;

use super::Refused;
use super::one_program::{compare, ident, int, name};
use super::size_dependence::refused;
use crate::ast::{Comparison, Expr, ExprKind, File, Ident, Item, ProcessDecl, Range, TypeExpr, TypeKind, VarDecl};
use crate::names::Elaborator;
use crate::rewrite::{visit, visit_block, visit_declaration};

/// The size that is left open.
const SIZE: &str = "#size";
/// Families with fewer members are not worth counting.
const FEWEST: usize = 3;

/// The file with the size of its largest families left open; `sizes` are values for what its text leaves open.
pub(super) fn opened(text: &str, mut file: File, sizes: &BTreeMap<String, i64>) -> Result<File, Refused> {
    for item in &mut file.items {
        if let Item::AtLeast(constant, _) = item
            && let Some(&value) = sizes.get(&constant.name)
        {
            *item = Item::Const(constant.clone(), int(value, constant.span));
        }
    }
    let Some((range, span)) = largest(text, &file) else {
        return Err(refused("no family has many members", Span::default(), "there is nothing to count"));
    };
    let (hi, alike) = (range.hi.clone(), shown(text, &range));
    let mut items = Vec::new();
    for item in &file.items {
        match item {
            Item::Process(decl) => {
                let mut decl = decl.clone();
                if let Some((_, range)) = decl.family.as_mut().filter(|(_, range)| shown(text, range) == alike) {
                    range.hi = name(SIZE, range.hi.span);
                }
                items.push(Item::Process(decl));
            }
            Item::Var(decl) => items.extend(variables(text, &file, decl, &alike)),
            other => items.push(other.clone()),
        }
    }
    items.push(Item::AtLeast(ident(SIZE, span), hi.clone()));
    items.push(Item::Init(compare(Comparison::Eq, name(SIZE, span), hi)));
    Ok(File { name: file.name.clone(), items })
}

/// A range as it is written, without spaces.
fn shown(text: &str, range: &Range) -> [String; 2] {
    let both = [range.lo.span, range.hi.span];
    both.map(|span| text[span.start..span.end].split_whitespace().collect::<String>())
}

/// The range of families with the most members in all, and where it stands.
fn largest(text: &str, file: &File) -> Option<(Range, Span)> {
    let mut least = Elaborator::new(text, "");
    least.declarations(file);
    let mut members: BTreeMap<[String; 2], (usize, &Range)> = BTreeMap::new();
    for group in &least.groups {
        if let Some((_, range)) = &group.decl.family {
            members.entry(shown(text, range)).or_insert((0, range)).0 += group.processes.len();
        }
    }
    let (count, range) = members.into_values().max_by_key(|(count, _)| *count)?;
    (count >= FEWEST).then(|| (range.clone(), range.lo.span.to(range.hi.span)))
}

/// A declaration, its names apart if some of them belong to members and others do not.
fn variables(text: &str, file: &File, decl: &VarDecl, alike: &[String; 2]) -> Vec<Item> {
    let TypeKind::Array(range, inner) = &decl.ty.kind else { return vec![Item::Var(decl.clone())] };
    if shown(text, range) != *alike || matches!(inner.kind, TypeKind::Array(..)) {
        return vec![Item::Var(decl.clone())];
    }
    let of_members = TypeExpr {
        kind: TypeKind::Array(
            Box::new(Range { hi: name(SIZE, range.hi.span), ..range.as_ref().clone() }),
            inner.clone(),
        ),
        span: decl.ty.span,
    };
    let one = |array: &Ident| {
        let owned =
            matches!(decl.initial, None | Some(crate::ast::Initial::Same(_))) && is_owned(text, file, array, alike);
        let ty = if owned { of_members.clone() } else { decl.ty.clone() };
        Item::Var(VarDecl { names: vec![array.clone()], ty, initial: decl.initial.clone() })
    };
    decl.names.iter().map(one).collect()
}

/// Whether one family alone uses an array, each member its own cell.
fn is_owned(text: &str, file: &File, array: &Ident, alike: &[String; 2]) -> bool {
    let mut users = 0;
    for item in &file.items {
        let Item::Process(decl) = item else { continue };
        let Some(own) = uses(decl, array) else { continue };
        let counted = decl.family.as_ref().is_some_and(|(_, range)| shown(text, range) == *alike);
        if !own || !counted {
            return false;
        }
        users += 1;
    }
    users == 1
}

/// Whether a process looks at its own cell of an array only; none if it does not look at the array.
fn uses(decl: &ProcessDecl, array: &Ident) -> Option<bool> {
    let index = decl.family.as_ref().map(|(index, _)| index.name.clone());
    let own = |parts: &[Expr]| matches!(parts, [Expr { kind: ExprKind::Name(name), .. }] if Some(&name.name) == index.as_ref());
    let (mut used, mut clean) = (false, true);
    let mut see = |part: &Expr| {
        match &part.kind {
            ExprKind::Index(name, parts) if name.name == array.name => (used, clean) = (true, clean && own(parts)),
            // The array as a whole.
            ExprKind::Name(name) if name.name == array.name => (used, clean) = (true, false),
            _ => {}
        }
    };
    let mut targets = Vec::new();
    visit_block(&decl.body, &mut see, &mut |target| targets.push((target.name.clone(), target.indices.clone())));
    for locals in &decl.locals {
        visit_declaration(locals, &mut |part| visit(part, &mut see));
    }
    for (_, indices) in targets.iter().filter(|(name, _)| name.name == array.name) {
        (used, clean) = (true, clean && own(indices));
    }
    used.then_some(clean)
}
