//! Which members of a family does a formula speak of? `forall i != j in P :` before it.

use crate::ast::sugar::{Binding, BindingDomain, Quantifier};
use crate::ast::{Expr, ExprKind, Ident, Range};
use crate::parser::{Parsed, Parser};

/// `forall i != j in P :` before a formula: pairwise different members of a family, or numbers of a range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Binder {
    /// The names of the members.
    pub names: Vec<Ident>,
    /// The family; without a name, if it is a range.
    pub family: Ident,
    /// The range, if it is no family.
    pub range: Option<Range>,
    /// How many tokens it takes.
    pub(super) length: usize,
}

/// What a formula begins with, if it speaks of members of a family or numbers of a range.
pub(crate) fn binder(parser: &mut Parser<'_>, is_family: &dyn Fn(&str) -> bool) -> Parsed<Option<Binder>> {
    if parser.quantifier() != Some(Quantifier::Forall) {
        return Ok(None);
    }
    parser.advance();
    let Binding { names, domain } = parser.binding()?;
    let length = parser.position();
    Ok(match domain {
        BindingDomain::Range(range) => {
            let family = Ident { name: String::new(), span: range.lo.span.to(range.hi.span) };
            Some(Binder { names, family, range: Some(*range), length })
        }
        BindingDomain::Named(Expr { kind: ExprKind::Name(family), .. }) if is_family(&family.name) => {
            Some(Binder { names, family, range: None, length })
        }
        BindingDomain::Named(_) => {
            // A set or a type: part of the formula, which begins before it.
            parser.jump_to(0);
            None
        }
    })
}
