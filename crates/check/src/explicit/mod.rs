//! What is the value of a branching formula at every state, by labelling?
//!
//! Each sub-formula gets a pair of state sets, operands first. PML and CTL cost a constant number
//! of walks over the edges per operator, both sets together; the mu-calculus iterates its fixpoints
//! (`fixpoint`), with the shapes of CTL operators recognised and labelled like them.
//!
//! Not here: linear formulas (`automata`) and evidence (`witness`).

mod fixpoint;
mod next;
mod pair;
mod pending;
mod predecessors;
mod release;
mod structure;
mod until;

use tertium_base::Stopped;
use tertium_evidence::Deadlock;
use tertium_logic::{Formula, Logic, Node, NodeId};

use crate::rounds;
use crate::task::require_logic;
use crate::{Engine, EngineError, Filter, Task, Unsupported, Values};
use pair::Pair;
use structure::Structure;

/// The labelling engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explicit;

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        require_logic(self.name(), task.formula, &[Logic::Pml, Logic::Ctl, Logic::Mu])?;
        if rounds::nesting(task.formula) > rounds::DEEPEST {
            return Err(Unsupported {
                engine: self.name(),
                reason: format!("its fixpoints nest more than {} deep", rounds::DEEPEST),
            });
        }
        Ok(())
    }

    fn values(&self, task: &Task<'_>) -> Result<Values, EngineError> {
        self.supports(task)?;
        let structure = Structure::new(task)?;
        let pair = if task.formula.nodes().iter().any(|node| matches!(node, Node::Mu(..) | Node::Nu(..))) {
            fixpoint::evaluate(&structure, task)?
        } else {
            label(&structure, task)?
        };
        Ok(pair.into_values())
    }
}

/// Labels a formula without fixpoint variables, forgetting sets that no later operator reads.
fn label(structure: &Structure<'_>, task: &Task<'_>) -> Result<Pair, Stopped> {
    let formula = task.formula;
    let last_use = last_uses(formula);
    let mut pairs: Vec<Option<Pair>> = vec![None; formula.nodes().len()];
    for id in formula.node_ids() {
        let get = |operand: NodeId| pairs[operand.index()].as_ref();
        let pair = operator(structure, task, formula.node(id), &get)?;
        pairs[id.index()] = pair;
        // Only what stands one or two levels below (under a path operator) can have been read last here.
        for child in formula.node(id).children() {
            for read in formula.node(child).children().chain([child]) {
                if last_use[read.index()] == id.index() {
                    pairs[read.index()] = None;
                }
            }
        }
    }
    let root = pairs[formula.root().index()].take();
    Ok(root.unwrap_or_else(|| Pair::empty(structure.states())))
}

/// For each node the last node that reads its sets. A path operator reads nothing itself: the
/// quantifier above it does.
fn last_uses(formula: &Formula) -> Vec<usize> {
    let mut last = vec![usize::MAX; formula.nodes().len()];
    for id in formula.node_ids() {
        let node = formula.node(id);
        for child in node.children() {
            last[child.index()] = id.index();
            if matches!(node, Node::All(_) | Node::Exists(_)) {
                for operand in formula.node(child).children() {
                    last[operand.index()] = id.index();
                }
            }
        }
    }
    last
}

/// The sets of one operator, given those of its operands; none for an operator over paths.
fn operator<'p>(
    structure: &Structure<'_>,
    task: &Task<'_>,
    node: Node,
    get: &dyn Fn(NodeId) -> Option<&'p Pair>,
) -> Result<Option<Pair>, Stopped> {
    let states = structure.states();
    let fetch = |id: NodeId| get(id).cloned().unwrap_or_else(|| Pair::empty(states));
    structure.budget().check()?;
    Ok(Some(match node {
        Node::True => Pair::full(states),
        Node::False => Pair::empty(states),
        Node::Element(element) => Pair::constant(states, task.elements[element.index()]),
        Node::Atom(atom) => Pair::label(task.model, task.props[atom.index()]),
        Node::Not(a) => fetch(a).not(),
        Node::And(a, b) => fetch(a).and(&fetch(b)),
        Node::Or(a, b) => fetch(a).or(&fetch(b)),
        Node::Implies(a, b) => fetch(a).not().or(&fetch(b)),
        Node::Iff(a, b) => iff(&fetch(a), &fetch(b)),
        Node::Xor(a, b) => iff(&fetch(a), &fetch(b)).not(),
        Node::Diamond(action, a) => next::exists_next(structure, task.filter(action), &fetch(a))?,
        Node::Box(action, a) => next::exists_next(structure, task.filter(action), &fetch(a).not())?.not(),
        Node::Exists(path) => exists(structure, task.formula.node(path), &fetch, false)?,
        Node::All(path) => exists(structure, task.formula.node(path), &fetch, true)?.not(),
        Node::Next(_)
        | Node::Finally(_)
        | Node::Globally(_)
        | Node::Until(..)
        | Node::Release(..)
        | Node::WeakUntil(..)
        | Node::StrongRelease(..)
        | Node::Coalition(..)
        | Node::Var(_)
        | Node::Mu(..)
        | Node::Nu(..) => return Ok(None),
    }))
}

fn iff(a: &Pair, b: &Pair) -> Pair {
    let neither = a.clone().not().and(&b.clone().not());
    a.clone().and(b).or(&neither)
}

/// `E path`, or with `negated` the sets of `E !path`, from which `A path` follows by negation.
fn exists(
    structure: &Structure<'_>,
    path: Node,
    fetch: &dyn Fn(NodeId) -> Pair,
    negated: bool,
) -> Result<Pair, Stopped> {
    let states = structure.states();
    let take = |id: NodeId| if negated { fetch(id).not() } else { fetch(id) };
    let until = |a: Pair, b: Pair| until::exists_until(structure, &a, &b);
    let release = |a: Pair, b: Pair| release::exists_release(structure, &a, &b);
    match (path, negated) {
        (Node::Next(a), _) => next::exists_next(structure, Filter::Any, &take(a)),
        (Node::Finally(a), false) | (Node::Globally(a), true) => until(Pair::full(states), take(a)),
        (Node::Globally(a), false) | (Node::Finally(a), true) => release(Pair::empty(states), take(a)),
        (Node::Until(a, b), false) | (Node::Release(a, b), true) => until(take(a), take(b)),
        (Node::Release(a, b), false) | (Node::Until(a, b), true) => release(take(a), take(b)),
        // a W b is b R (a | b), and a M b is b U (a & b); negation swaps the two.
        (Node::WeakUntil(a, b), false) => release(take(b), take(a).or(&take(b))),
        (Node::WeakUntil(a, b), true) => until(take(b), take(a).and(&take(b))),
        (Node::StrongRelease(a, b), false) => until(take(b), take(a).and(&take(b))),
        (Node::StrongRelease(a, b), true) => release(take(b), take(a).or(&take(b))),
        // A quantifier over a state formula: its value where a path exists at all is the formula's own.
        _ => Ok(Pair::empty(states)),
    }
}

/// Whether the convention lets a finite path end in a deadlock. It speaks of the operators of CTL;
/// fixpoints that a user writes mean what they say.
fn ends_in_deadlock(task: &Task<'_>) -> bool {
    task.reading.deadlock == Deadlock::Maximal && task.formula.logic() == Logic::Ctl
}
