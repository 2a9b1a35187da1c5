//! What kind of formula is it, and how hard?
//!
//! Syntactic tests that engines use to choose an algorithm and that users see in reports. All are loops
//! over the node table.
//!
//! Not here: anything that depends on a model.

use tertium_base::BitSet;

use crate::formula::{Formula, Logic, Node, NodeId, VarId};
use crate::normal::positive_normal_form;

/// Whether every temporal operator has a quantifier of its own and the other way round, with no actions
/// and no fixpoints; PML formulas without actions count.
#[must_use]
pub fn is_ctl(formula: &Formula) -> bool {
    if formula.logic() == Logic::Ltl || formula.node(formula.root()).is_path_operator() {
        return false;
    }
    formula.nodes().iter().all(|&node| match node {
        Node::All(path) | Node::Exists(path) => formula.node(path).is_path_operator(),
        Node::Mu(..)
        | Node::Nu(..)
        | Node::Var(_)
        | Node::Box(Some(_), _)
        | Node::Diamond(Some(_), _)
        | Node::Coalition(..) => false,
        other => other.children().all(|operand| !formula.node(operand).is_path_operator()),
    })
}

/// Number of operators and leaves when written out as a tree; saturates.
#[must_use]
pub fn tree_size(formula: &Formula) -> u64 {
    let mut sizes: Vec<u64> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let operands = node.children().map(|operand| sizes[operand.index()]);
        sizes.push(operands.fold(1, u64::saturating_add));
    }
    sizes[formula.root().index()]
}

/// Whether, negation pushed inwards, only universal path quantifiers and modalities occur.
#[must_use]
pub fn universal_only(formula: &Formula) -> bool {
    let normal = positive_normal_form(formula, false);
    !normal.nodes().iter().any(|node| matches!(node, Node::Exists(_) | Node::Diamond(..) | Node::Coalition(..)))
}

/// Whether, negation pushed inwards, only existential path quantifiers and modalities occur. A formula of
/// LTL is universal, unless it speaks of the first position only.
#[must_use]
pub fn existential_only(formula: &Formula) -> bool {
    let normal = positive_normal_form(formula, false);
    let linear = formula.logic() == Logic::Ltl;
    !normal.nodes().iter().any(|&node| {
        matches!(node, Node::All(_) | Node::Box(..) | Node::Coalition(..)) || (linear && node.is_path_operator())
    })
}

/// Whether one run can show that a formula has this value: that something happens on some path, or that something does not on all of them. What counts are the outermost
/// quantifiers and modalities, negation pushed inwards; below fixpoints they are those of the operand.
#[must_use]
pub fn shown_by_one_run(formula: &Formula, value: bool) -> bool {
    let normal = positive_normal_form(formula, false);
    let (mut some_path, mut all_paths) = (false, false);
    let mut open = vec![normal.root()];
    let mut seen = vec![false; normal.nodes().len()];
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match normal.node(id) {
            Node::Exists(_) | Node::Diamond(..) => some_path = true,
            Node::All(_) | Node::Box(..) | Node::Coalition(..) => all_paths = true,
            node if node.is_path_operator() => all_paths = true,
            node => open.extend(node.children()),
        }
    }
    if value { some_path } else { all_paths || !some_path }
}

/// The atoms that occur both negated and not, negation pushed inwards.
#[must_use]
pub fn mixed_atoms(formula: &Formula) -> Vec<crate::formula::AtomId> {
    let normal = positive_normal_form(formula, false);
    let mut plain = vec![false; normal.atoms().len()];
    let mut negated = vec![false; normal.atoms().len()];
    for id in normal.node_ids() {
        let is_negation = matches!(normal.node(id), Node::Not(_));
        for operand in normal.node(id).children().chain((id == normal.root()).then_some(id)) {
            if let Node::Atom(atom) = normal.node(operand) {
                let list = if is_negation { &mut negated } else { &mut plain };
                list[atom.index()] = true;
            }
        }
    }
    (0..plain.len()).filter(|&at| plain[at] && negated[at]).map(crate::formula::AtomId::new).collect()
}

/// The fixpoint variables that occur outside every modality below their fixpoint, in the order of their ids.
///
/// Such formulas are evaluated as they are; only constructions that unfold fixpoints need guarded ones.
#[must_use]
pub fn unguarded_variables(formula: &Formula) -> Vec<VarId> {
    let count = formula.nodes().len();
    // The topmost node from which each node is reached without passing a modality. Every way from the root to
    // an occurrence passes its binder, so a node at or above the binder suffices to know that one does.
    let mut topmost: Vec<usize> = (0..count).collect();
    let mut binder = vec![None; formula.variables().len()];
    let mut unguarded = Vec::new();
    for id in formula.node_ids().rev() {
        let node = formula.node(id);
        match node {
            Node::Diamond(..) | Node::Box(..) => continue,
            Node::Mu(variable, _) | Node::Nu(variable, _) => binder[variable.index()] = Some(id.index()),
            Node::Var(variable) if binder[variable.index()].is_some_and(|at| topmost[id.index()] >= at) => {
                unguarded.push(variable);
            }
            _ => {}
        }
        for operand in node.children() {
            let from = topmost[id.index()];
            let entry = &mut topmost[operand.index()];
            *entry = (*entry).max(from);
        }
    }
    unguarded.sort_unstable();
    unguarded
}

/// How deeply least and greatest fixpoints depend on one another (Emerson and Lei): 0 without fixpoints, 1 if
/// no fixpoint uses the variable of one of the other kind around it.
///
/// For enormous formulas (nodes times variables beyond 2^30) nesting is counted instead of dependence, which
/// is never less.
#[must_use]
pub fn alternation_depth(formula: &Formula) -> usize {
    let normal = positive_normal_form(formula, false);
    let variables = normal.variables().len();
    if normal.nodes().len().saturating_mul(variables) > 1 << 30 {
        return nesting_depth(&normal);
    }
    let mut least = vec![None; variables];
    for node in normal.nodes() {
        match node {
            Node::Mu(variable, _) => least[variable.index()] = Some(true),
            Node::Nu(variable, _) => least[variable.index()] = Some(false),
            _ => {}
        }
    }
    let mut free: Vec<BitSet> = Vec::with_capacity(normal.nodes().len());
    let mut depth: Vec<usize> = Vec::with_capacity(normal.nodes().len());
    // What inner fixpoints of the other kind demand of the fixpoint whose variable they use.
    let mut demanded = vec![0; variables];
    for &node in normal.nodes() {
        let mut here = node.children().map(|operand| depth[operand.index()]).max().unwrap_or(0);
        let mut used = BitSet::empty(variables);
        node.children().for_each(|operand: NodeId| used.union_with(&free[operand.index()]));
        match node {
            Node::Var(variable) => {
                used.insert(variable.index());
            }
            Node::Mu(variable, _) | Node::Nu(variable, _) => {
                used.remove(variable.index());
                here = here.max(1).max(demanded[variable.index()]);
                for outer in used.iter().filter(|&outer| least[outer] != least[variable.index()]) {
                    demanded[outer] = demanded[outer].max(here + 1);
                }
            }
            _ => {}
        }
        free.push(used);
        depth.push(here);
    }
    depth[normal.root().index()]
}

/// The longest chain of fixpoints of changing kind inside one another.
fn nesting_depth(normal: &Formula) -> usize {
    let mut depth: Vec<[usize; 2]> = Vec::with_capacity(normal.nodes().len());
    for node in normal.nodes() {
        let mut here = [0; 2];
        for operand in node.children() {
            let below = depth[operand.index()];
            here = [here[0].max(below[0]), here[1].max(below[1])];
        }
        match node {
            Node::Mu(..) => here[0] = here[0].max(here[1] + 1),
            Node::Nu(..) => here[1] = here[1].max(here[0] + 1),
            _ => {}
        }
        depth.push(here);
    }
    depth[normal.root().index()].into_iter().max().unwrap_or(0)
}
