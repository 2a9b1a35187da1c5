//! Which form of a formula is refuted exactly where no completion satisfies it?
//!
//! Valued part by part, `<>p & []!p` is not refuted although nothing satisfies it: its parts do not know of each other. In
//! *disjunctive* form every conjunction of modalities says what a successor must satisfy at once, here `<>(p & !p)`, which is
//! false. A formula of that form is refuted exactly where no completion satisfies it: the parts of a conjunction are literals of
//! different atoms, and modalities whose successors can be chosen one by one, since a completion may have a state twice.
//!
//! A set of formulas is taken apart into alternatives, each with its literals, what some successor satisfies and what all do;
//! `<>h & []g` becomes `<>(h & g) & []g`. Fixpoints are unfolded, and a set that comes back is a variable. If all fixpoints are
//! least, a path on which something is always left to show has unfolded one for ever, so the variables are least; if all are
//! greatest, greatest. Other fixpoints would have to be told apart by an automaton over the sets; they have no such form here,
//! nor have modalities with actions.

use std::collections::{BTreeSet, HashMap};

use tertium_base::{Budget, StopReason, Stopped};

use crate::formula::{AtomId, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};
use crate::normal::positive_normal_form;

/// More alternatives of one set are too many to be of use.
const MOST_BRANCHES: usize = 512;
/// More sets than this are too many to be of use.
const MOST_SETS: usize = 5000;
/// Sets are nested at most this deep, since forms are made from the inside out.
const DEEPEST: usize = 100;

/// The disjunctive form of a formula of PML or the mu-calculus, or of its negation if `negated`; none if it has none here.
///
/// # Errors
/// If the budget ends, or the form is too large.
pub fn disjunctive_form(formula: &Formula, negated: bool, budget: &Budget) -> Result<Option<Formula>, Stopped> {
    if !matches!(formula.logic(), Logic::Pml | Logic::Mu) {
        return Ok(None);
    }
    let normal = positive_normal_form(formula, negated);
    let Some(binders) = Binders::of(&normal) else { return Ok(None) };
    let mut work = Work {
        normal: &normal,
        binders,
        builder: normal.to_builder(),
        known: HashMap::new(),
        open: Vec::new(),
        sets: 0,
        ticks: 0,
        budget,
    };
    let root = work.form(&BTreeSet::from([work.binders.unfolded(&normal, normal.root())]))?;
    Ok(Some(work.builder.finish(root, formula.logic())))
}

/// What fixpoint variables stand for.
struct Binders {
    bodies: HashMap<VarId, NodeId>,
    least: bool,
}

impl Binders {
    /// None unless all fixpoints are of one kind, every variable is bound once and guarded, and no modality has an action.
    fn of(normal: &Formula) -> Option<Self> {
        let mut bodies = HashMap::new();
        let (mut least, mut greatest) = (false, false);
        for node in normal.nodes() {
            match *node {
                Node::Mu(var, body) | Node::Nu(var, body) => {
                    *(if matches!(node, Node::Mu(..)) { &mut least } else { &mut greatest }) = true;
                    if bodies.insert(var, body).is_some() {
                        return None;
                    }
                }
                Node::Diamond(Some(_), _) | Node::Box(Some(_), _) | Node::Element(_) => return None,
                _ => {}
            }
        }
        (!(least && greatest) && is_guarded(normal, &bodies)).then_some(Self { bodies, least })
    }
}

impl Binders {
    /// What a fixpoint or its variable unfolds to; other nodes are what they are.
    fn unfolded(&self, normal: &Formula, mut id: NodeId) -> NodeId {
        loop {
            id = match normal.node(id) {
                Node::Mu(_, body) | Node::Nu(_, body) => body,
                Node::Var(var) => match self.bodies.get(&var) {
                    Some(&body) => body,
                    None => return id,
                },
                _ => return id,
            };
        }
    }
}

/// Whether every way from a variable's binder to the variable passes a modality.
fn is_guarded(normal: &Formula, bodies: &HashMap<VarId, NodeId>) -> bool {
    let next = |id: NodeId| -> Vec<NodeId> {
        match normal.node(id) {
            Node::Diamond(..) | Node::Box(..) => Vec::new(),
            Node::Var(var) => bodies.get(&var).copied().into_iter().collect(),
            node => node.children().collect(),
        }
    };
    let mut waiting = vec![0usize; normal.nodes().len()];
    for id in normal.node_ids() {
        for child in next(id) {
            waiting[child.index()] += 1;
        }
    }
    let mut free: Vec<NodeId> = normal.node_ids().filter(|id| waiting[id.index()] == 0).collect();
    let mut sorted = 0;
    while let Some(id) = free.pop() {
        sorted += 1;
        for child in next(id) {
            waiting[child.index()] -= 1;
            if waiting[child.index()] == 0 {
                free.push(child);
            }
        }
    }
    sorted == normal.nodes().len()
}

/// One way to satisfy a set of formulas.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Branch {
    literals: BTreeSet<(AtomId, bool)>,
    /// Each holds at some successor.
    some: BTreeSet<NodeId>,
    /// All hold at every successor.
    all: BTreeSet<NodeId>,
}

impl Branch {
    /// Whether this one asks for no more than the other.
    fn covers(&self, other: &Self) -> bool {
        self.literals.is_subset(&other.literals) && self.some.is_subset(&other.some) && self.all.is_subset(&other.all)
    }
}

/// A set that is being written, with its variable and whether that occurred.
struct Open {
    set: BTreeSet<NodeId>,
    var: Option<VarId>,
}

struct Work<'w> {
    normal: &'w Formula,
    binders: Binders,
    builder: FormulaBuilder,
    /// The forms of sets; only where no variable can be open in them.
    known: HashMap<BTreeSet<NodeId>, NodeId>,
    open: Vec<Open>,
    sets: usize,
    ticks: u32,
    budget: &'w Budget,
}

impl Work<'_> {
    /// The form of a conjunction; as deep as [`DEEPEST`].
    fn form(&mut self, set: &BTreeSet<NodeId>) -> Result<NodeId, Stopped> {
        if let Some(&known) = self.known.get(set) {
            return Ok(known);
        }
        if let Some(at) = self.open.iter().position(|open| open.set == *set) {
            let var = match self.open[at].var {
                Some(var) => var,
                None => *self.open[at].var.insert(self.builder.fresh_variable("X")),
            };
            return Ok(self.builder.add(Node::Var(var)));
        }
        self.sets += 1;
        if self.sets > MOST_SETS || self.open.len() >= DEEPEST {
            return Err(Stopped(StopReason::Count));
        }
        let branches = self.branches(set)?;
        self.open.push(Open { set: set.clone(), var: None });
        let mut any = self.builder.add(Node::False);
        for branch in &branches {
            let one = self.branch(branch)?;
            any = self.or(any, one);
        }
        let var = self.open.pop().and_then(|open| open.var);
        let form = match var {
            Some(var) if self.binders.least => self.builder.add(Node::Mu(var, any)),
            Some(var) => self.builder.add(Node::Nu(var, any)),
            None => any,
        };
        if self.binders.bodies.is_empty() {
            self.known.insert(set.clone(), form);
        }
        Ok(form)
    }

    /// All ways to satisfy the formulas of a set, without those that ask for more than another.
    fn branches(&mut self, set: &BTreeSet<NodeId>) -> Result<Vec<Branch>, Stopped> {
        let mut found: Vec<Branch> = Vec::new();
        let mut open = vec![(set.iter().rev().copied().collect::<Vec<NodeId>>(), Branch::default())];
        while let Some((mut todo, mut branch)) = open.pop() {
            self.budget.tick(&mut self.ticks)?;
            let mut consistent = true;
            while let Some(id) = todo.pop().filter(|_| consistent) {
                match self.normal.node(id) {
                    Node::True => {}
                    Node::Atom(atom) => consistent = literal(&mut branch, atom, true),
                    Node::Not(a) => match self.normal.node(a) {
                        Node::Atom(atom) => consistent = literal(&mut branch, atom, false),
                        _ => consistent = false,
                    },
                    Node::And(a, b) => todo.extend([b, a]),
                    Node::Or(a, b) => {
                        let mut other = todo.clone();
                        other.push(b);
                        open.push((other, branch.clone()));
                        todo.push(a);
                    }
                    Node::Diamond(_, a) => {
                        branch.some.insert(self.binders.unfolded(self.normal, a));
                    }
                    Node::Box(_, a) => {
                        branch.all.insert(self.binders.unfolded(self.normal, a));
                    }
                    Node::Mu(..) | Node::Nu(..) | Node::Var(_) => match self.binders.unfolded(self.normal, id) {
                        free if free == id => consistent = false,
                        body => todo.push(body),
                    },
                    _ => consistent = false,
                }
            }
            if consistent && !found.iter().any(|other| other.covers(&branch)) {
                found.retain(|other| !branch.covers(other));
                found.push(branch);
            }
            if found.len() > MOST_BRANCHES || open.len() > MOST_BRANCHES {
                return Err(Stopped(StopReason::Count));
            }
        }
        // Short ones first.
        found.sort_by_cached_key(|branch| (branch.some.len() + branch.all.len(), branch.clone()));
        Ok(found)
    }

    fn branch(&mut self, branch: &Branch) -> Result<NodeId, Stopped> {
        let mut whole = self.builder.add(Node::True);
        for &(atom, positive) in &branch.literals {
            let mut literal = self.builder.add(Node::Atom(atom));
            if !positive {
                literal = self.builder.add(Node::Not(literal));
            }
            whole = self.and(whole, literal);
        }
        for &wanted in &branch.some {
            let mut at_once = branch.all.clone();
            at_once.insert(wanted);
            let form = self.form(&at_once)?;
            let some =
                if self.builder.node(form) == Node::False { form } else { self.builder.add(Node::Diamond(None, form)) };
            whole = self.and(whole, some);
        }
        if !branch.all.is_empty() {
            let form = self.form(&branch.all)?;
            let all =
                if self.builder.node(form) == Node::True { form } else { self.builder.add(Node::Box(None, form)) };
            whole = self.and(whole, all);
        }
        Ok(whole)
    }

    fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.builder.node(a), self.builder.node(b)) {
            (Node::True, _) | (_, Node::False) => b,
            (_, Node::True) | (Node::False, _) => a,
            _ => self.builder.add(Node::And(a, b)),
        }
    }

    fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.builder.node(a), self.builder.node(b)) {
            (Node::False, _) | (_, Node::True) => b,
            (_, Node::False) | (Node::True, _) => a,
            _ if a == b => a,
            _ => self.builder.add(Node::Or(a, b)),
        }
    }
}

/// Adds a literal; whether its negation was not there.
fn literal(branch: &mut Branch, atom: AtomId, positive: bool) -> bool {
    branch.literals.insert((atom, positive));
    !branch.literals.contains(&(atom, !positive))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    fn form(text: &str, logic: Logic) -> String {
        let formula = parse(text, &ParseOptions::in_logic(logic)).formula.expect("it is one");
        let found = disjunctive_form(&formula, false, &Budget::unlimited()).expect("it is small");
        found.map_or("none".to_owned(), |form| form.text())
    }

    #[test]
    fn modalities_learn_of_each_other() {
        assert_eq!(form("<>p & []!p", Logic::Pml), "false");
        assert_eq!(form("<>p & []q", Logic::Pml), "EX (p & q) & AX q");
        assert_eq!(form("p & !p | q", Logic::Pml), "q");
        assert_eq!(form("(<>p & [](q | !p)) & []<>r", Logic::Pml), "EX (p & q & EX r) & AX (!p & EX r | q & EX r)");
    }

    #[test]
    fn sets_that_come_back_are_variables() {
        assert_eq!(form("mu X. p | <> X", Logic::Mu), "mu X. p | EX X");
        assert_eq!(form("(nu X. p & [] X) & <> !p", Logic::Mu), "false");
        assert_eq!(form("nu X. mu Y. (p & <> X) | <> Y", Logic::Mu), "none");
        assert_eq!(form("<a> p", Logic::Pml), "none");
        assert_eq!(form("mu X. p | X", Logic::Mu), "none");
    }
}
