//! The run inside a proof, for people.
//!
//! Claims of an existential kind (`EF p` true, `AG p` false, `EG p` true) follow one run or lasso. Where
//! a proof branches, the run ends or follows one branch, and says so.

use std::collections::HashMap;

use tertium_evidence::{Choice, Claim};
use tertium_logic::{Node, NodeId};
use tertium_model::StateId;

use crate::Task;

/// How a run enters a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunStep {
    /// It begins there.
    Start,
    /// By a step that is certain.
    Certain,
    /// By one of several steps of which some one is certain; the run shows the first.
    OneOf,
}

/// A run that a proof follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadableRun {
    /// The states in order, and how each is entered.
    pub states: Vec<(StateId, RunStep)>,
    /// Where the run goes back to after its last state, if it goes on forever.
    pub loop_start: Option<usize>,
    /// Whether the run with its labels is the whole proof: nothing branches.
    pub complete: bool,
}

/// The run that claims follow from their first one on. A run of one state means that the proof needs no step,
/// or branches at once.
#[must_use]
pub fn readable_run(task: &Task<'_>, claims: &[Claim]) -> Option<ReadableRun> {
    let first = claims.first()?;
    let by_place: HashMap<(StateId, NodeId, bool), &Claim> =
        claims.iter().map(|claim| ((claim.state, claim.node, claim.positive), claim)).collect();
    let steps_below = has_steps(task);
    let mut run = ReadableRun { states: vec![(first.state, RunStep::Start)], loop_start: None, complete: true };
    let mut seen: HashMap<(StateId, NodeId, bool), usize> = HashMap::new();
    let mut place = (first.state, first.node, first.positive);
    loop {
        if let Some(&at) = seen.get(&place) {
            close_loop(&mut run, at);
            return Some(run);
        }
        seen.insert(place, run.states.len() - 1);
        let claim = by_place.get(&place)?;
        match follow(task, claim, &steps_below) {
            Follow::End { complete } => {
                run.complete &= complete;
                return Some(run);
            }
            Follow::Here { node, positive, alone } => {
                run.complete &= alone;
                place = (place.0, node, positive);
            }
            Follow::Step { to, node, how, alone } => {
                run.complete &= alone;
                run.states.push((to, how));
                place = (to, node, place.2);
            }
        }
    }
}

/// The last state repeats an earlier visit, so the run goes from its predecessor back there.
fn close_loop(run: &mut ReadableRun, at: usize) {
    if run.states.len() - 1 > at {
        run.states.pop();
        run.loop_start = Some(at);
    }
}

enum Follow {
    End { complete: bool },
    Here { node: NodeId, positive: bool, alone: bool },
    Step { to: StateId, node: NodeId, how: RunStep, alone: bool },
}

/// For each node whether a step can be needed at or below it.
fn has_steps(task: &Task<'_>) -> Vec<bool> {
    let mut steps = Vec::with_capacity(task.formula.nodes().len());
    for &node in task.formula.nodes() {
        let own = matches!(
            node,
            Node::All(_)
                | Node::Exists(_)
                | Node::Diamond(..)
                | Node::Box(..)
                | Node::Var(_)
                | Node::Mu(..)
                | Node::Nu(..)
        );
        let below = node.children().any(|child| steps[child.index()]);
        steps.push(own || below);
    }
    steps
}

fn follow(task: &Task<'_>, claim: &Claim, steps: &[bool]) -> Follow {
    let formula = task.formula;
    let positive = claim.positive;
    let node = formula.node(claim.node);
    let path = match node {
        Node::All(path) | Node::Exists(path) => Some(formula.node(path)),
        _ => None,
    };
    match (&claim.choice, node) {
        (Choice::Into(members), _) => {
            let Some(&to) = members.first() else { return Follow::End { complete: true } };
            let how = if members.len() == 1 { RunStep::Certain } else { RunStep::OneOf };
            let target = match (node, path) {
                (Node::Diamond(_, a) | Node::Box(_, a), _) | (_, Some(Node::Next(a))) => a,
                _ => claim.node,
            };
            let side = path.is_none_or(|path| side_is_literal(path, steps));
            Follow::Step { to, node: target, how, alone: members.len() == 1 && side }
        }
        (Choice::Onward | Choice::Along(_), _) => Follow::End { complete: false },
        (Choice::Operand(number), _) => {
            let operands: Vec<NodeId> = path.unwrap_or(node).children().collect();
            operand(node, path, &operands, *number, positive, steps)
        }
        (Choice::None, Node::Not(a)) => here(a, !positive, true, steps),
        (Choice::None, Node::Mu(_, a) | Node::Nu(_, a)) => here(a, positive, true, steps),
        (Choice::None, Node::Var(var)) => match binder(task, var) {
            Some(binder) => here(binder, positive, true, steps),
            None => Follow::End { complete: false },
        },
        (Choice::None, Node::And(a, b) | Node::Or(a, b)) => both((a, positive), (b, positive), steps),
        (Choice::None, Node::Implies(a, b)) => both((a, !positive), (b, positive), steps),
        (Choice::None, Node::Diamond(..) | Node::Box(..)) => Follow::End { complete: false },
        (Choice::None, _) => Follow::End { complete: path.is_none() },
    }
}

fn operand(node: Node, path: Option<Node>, operands: &[NodeId], number: u8, positive: bool, steps: &[bool]) -> Follow {
    match (node, path) {
        (Node::Iff(..) | Node::Xor(..), _) => Follow::End { complete: !operands.iter().any(|at| steps[at.index()]) },
        // A release that stops needs both operands.
        (_, Some(Node::Release(a, b) | Node::StrongRelease(a, b) | Node::Until(a, b) | Node::WeakUntil(a, b)))
            if number == 0 =>
        {
            both((a, positive), (b, positive), steps)
        }
        (Node::Implies(a, _), _) if number == 0 => here(a, !positive, true, steps),
        _ => match operands.get(usize::from(number)) {
            Some(&chosen) => here(chosen, positive, true, steps),
            None => Follow::End { complete: false },
        },
    }
}

fn here(node: NodeId, positive: bool, alone: bool, steps: &[bool]) -> Follow {
    if steps[node.index()] { Follow::Here { node, positive, alone } } else { Follow::End { complete: alone } }
}

/// Of two needs the one with steps; if both have some, the first, and the run is not all.
fn both(first: (NodeId, bool), second: (NodeId, bool), steps: &[bool]) -> Follow {
    match (steps[first.0.index()], steps[second.0.index()]) {
        (true, other) => here(first.0, first.1, !other, steps),
        (false, _) => here(second.0, second.1, true, steps),
    }
}

/// Whether what holds on the way is a matter of labels.
fn side_is_literal(path: Node, steps: &[bool]) -> bool {
    match path {
        Node::Next(_) => true,
        Node::Finally(_) => true,
        _ => path.children().all(|child| !steps[child.index()]),
    }
}

fn binder(task: &Task<'_>, var: tertium_logic::VarId) -> Option<NodeId> {
    task.formula
        .node_ids()
        .find(|&id| matches!(task.formula.node(id), Node::Mu(bound, _) | Node::Nu(bound, _) if bound == var))
}
