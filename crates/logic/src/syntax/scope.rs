//! Is what was parsed meaningful: are fixpoints monotone, and is a CTL* formula about states?
//!
//! Works on the parse tree, where every occurrence has one parent, so that one pass from the root down
//! knows the negations above each occurrence.

use tertium_base::{Diagnostic, Span};

use crate::formula::{FormulaBuilder, Logic, Node};

/// What is wrong with a tree that is grammatical.
pub(super) fn check(tree: &[(Node, Span)], logic: Logic, names: &FormulaBuilder) -> Vec<Diagnostic> {
    match logic {
        Logic::Mu => monotone(tree, names),
        Logic::CtlStar | Logic::AtlStar => state_formula(tree, logic),
        Logic::Atl => {
            let mut found = state_formula(tree, logic);
            if found.is_empty() {
                found = one_operator_each(tree);
            }
            found
        }
        Logic::Pml | Logic::Ctl | Logic::Ltl => Vec::new(),
    }
}

/// Negations above an occurrence: their parity, and how many `<->` and `xor` (which count both ways).
#[derive(Clone, Copy, Default)]
struct Above {
    odd: bool,
    both: u32,
}

fn monotone(tree: &[(Node, Span)], names: &FormulaBuilder) -> Vec<Diagnostic> {
    let mut above = vec![Above::default(); tree.len()];
    let mut binders: Vec<Option<(Above, Span)>> = vec![None; names.variable_count()];
    let mut diagnostics = Vec::new();
    for at in (0..tree.len()).rev() {
        let (node, span) = tree[at];
        let here = above[at];
        let negated = Above { odd: !here.odd, ..here };
        match node {
            Node::Mu(variable, _) | Node::Nu(variable, _) => binders[variable.index()] = Some((here, span)),
            Node::Var(variable) => {
                if let Some((binder, bound_at)) = binders[variable.index()]
                    && (binder.odd != here.odd || binder.both != here.both)
                {
                    diagnostics.push(not_monotone(names.variable_name(variable), span, bound_at));
                }
            }
            _ => {}
        }
        for child in node.children() {
            above[child.index()] = here;
        }
        match node {
            Node::Not(operand) | Node::Implies(operand, _) => above[operand.index()] = negated,
            Node::Iff(left, right) | Node::Xor(left, right) => {
                let both = Above { both: here.both + 1, ..here };
                above[left.index()] = both;
                above[right.index()] = both;
            }
            _ => {}
        }
    }
    diagnostics.reverse();
    diagnostics.truncate(20);
    diagnostics
}

fn not_monotone(name: &str, span: Span, bound_at: Span) -> Diagnostic {
    let name: String = name.chars().take(40).collect();
    Diagnostic::error("E0111", format!("the fixpoint variable `{name}` occurs under an odd number of negations"))
        .at(span, "negated here, seen from its fixpoint")
        .also(Span::new(bound_at.start, bound_at.start + 2), "bound here")
        .note(
            "such a fixpoint need not exist; the left side of `->` and both sides of `<->` and `xor` count as negated",
        )
        .help("use the dual fixpoint: `!mu X. f(X)` is `nu X. !f(!X)`")
}

/// The root of a CTL* formula must be a state formula: no temporal operator outside a quantifier.
fn state_formula(tree: &[(Node, Span)], logic: Logic) -> Vec<Diagnostic> {
    let mut outside = vec![false; tree.len()];
    if let Some(root) = outside.last_mut() {
        *root = true;
    }
    for at in (0..tree.len()).rev() {
        if !outside[at] {
            continue;
        }
        let (node, span) = tree[at];
        match node {
            Node::All(_) | Node::Exists(_) | Node::Coalition(..) => {}
            _ if node.is_path_operator() => {
                let message = format!("a path formula stands where {} needs a state formula", logic.name());
                let diagnostic =
                    Diagnostic::error("E0112", message).at(span, "speaks of a path that no quantifier chooses");
                let help = match logic.is_strategic() {
                    true => "put a coalition before it, with brackets around what it is about: `<<P>> (p U q)`",
                    false => "put `A` or `E` before it, or use `--logic ltl` for \"on all paths\"",
                };
                return vec![diagnostic.help(help)];
            }
            _ => node.children().for_each(|child| outside[child.index()] = true),
        }
    }
    Vec::new()
}

/// In ATL a coalition stands directly before one temporal operator, whose operands are about states.
fn one_operator_each(tree: &[(Node, Span)]) -> Vec<Diagnostic> {
    let is_path = |at: crate::formula::NodeId| tree[at.index()].0.is_path_operator();
    for &(node, span) in tree {
        let fits = match node {
            Node::All(path) | Node::Exists(path) | Node::Coalition(_, path) => is_path(path),
            _ => !node.children().any(is_path),
        };
        if !fits {
            let diagnostic =
                Diagnostic::error("E0117", "in atl a coalition stands before one temporal operator, and each has one")
                    .at(span, "not a coalition with one of `X`, `F`, `G`, `U`, `R`, `W`, `M`")
                    .help("write `<<P>> F p` or `<<P>> (p U q)`; for other path formulas use `--logic atl*`");
            return vec![diagnostic];
        }
    }
    Vec::new()
}
