//! What can coalitions enforce, where their path formulas have large automata?
//!
//! ATL* by products (Alur, Henzinger and Kupferman 2002): coalitions from the inside out, each as two parity games on the structure beside a deterministic automaton: one for the coalition and its formula, one for the others and the
//! negation. Who wins the first with certain moves against possible ones makes the formula true, who wins the second likewise makes it false. Small automata have a form in the mu-calculus (`tertium_logic::coalition_form`), with which every
//! engine does; this is for the others.
//!
//! A winning strategy of the outermost coalition is told as positions and moves, which the kernel checks.

use tertium_base::{BitSet, Budget};
use tertium_evidence::Proof;
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Atom, Coalition, Formula, FormulaBuilder, Logic, Node, NodeId};
use tertium_model::{Kmts, KmtsBuilder, StateId};

use super::{SynthesisTask, decline, synthesise, winning_states};
use crate::EngineError;

/// A formula about players, and where it is asked.
#[derive(Clone, Copy, Debug)]
pub struct CoalitionTask<'a> {
    /// The structure, with owners.
    pub model: &'a Kmts,
    /// The formula, of ATL or ATL*.
    pub formula: &'a Formula,
    /// Whether every state surely has a successor.
    pub total: bool,
    /// The limits.
    pub budget: &'a Budget,
}

/// The value of the formula at every state.
///
/// # Errors
/// If the formula is of another logic or uses names that the structure does not have, or a limit is reached.
pub fn coalition_values(task: &CoalitionTask<'_>) -> Result<Vec<Belnap>, EngineError> {
    let formula = task.formula;
    goes_on(task.model)?;
    let mut values: Vec<Option<Vec<Belnap>>> = Vec::with_capacity(formula.nodes().len());
    for id in formula.node_ids() {
        task.budget.check()?;
        let value = match contested(task.model, formula, id) {
            Some((path, movers)) => Some(enforced(task, &values, path, &movers)?),
            None => of_states(task, &values, formula.node(id))?,
        };
        values.push(value);
    }
    values.swap_remove(formula.root().index()).ok_or_else(|| decline("it is not a formula about states"))
}

/// Where a play ends, operators have values that no infinite path gives them.
fn goes_on(model: &Kmts) -> Result<(), EngineError> {
    match model.states().find(|&state| model.is_dead(state)) {
        None => Ok(()),
        Some(dead) => {
            let name = model.state_name(dead);
            Err(decline(&format!("a play can end at `{name}`, and large path formulas are read on plays that go on")))
        }
    }
}

/// The path formula of a quantifier or coalition, and for each state whether those who are to enforce it move there.
fn contested(model: &Kmts, formula: &Formula, node: NodeId) -> Option<(NodeId, Vec<bool>)> {
    let (path, coalition) = match formula.node(node) {
        Node::All(path) => (path, Coalition::all(true)),
        Node::Exists(path) => (path, Coalition::all(false)),
        Node::Coalition(id, path) => (path, formula.coalitions()[id.index()].clone()),
        _ => return None,
    };
    let moves = |state| coalition.contains(model.owner_name(state)) != coalition.cannot_avoid;
    Some((path, model.states().map(moves).collect()))
}

/// The values of a node about states; none if it is about paths.
fn of_states(
    task: &CoalitionTask<'_>,
    values: &[Option<Vec<Belnap>>],
    node: Node,
) -> Result<Option<Vec<Belnap>>, EngineError> {
    let all = |value: Belnap| Ok(Some(vec![value; task.model.state_count()]));
    match node {
        Node::True => return all(Belnap::True),
        Node::False => return all(Belnap::False),
        Node::Atom(atom) => {
            let name = &task.formula.atoms()[atom.index()].text;
            let prop = task.model.prop_by_name(name);
            let prop = prop.ok_or_else(|| decline(&format!("the structure has no proposition named `{name}`")))?;
            return Ok(Some(task.model.states().map(|state| task.model.label(state, prop)).collect()));
        }
        Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => {}
        _ if node.is_path_operator() => return Ok(None),
        _ => return Err(decline("it has an operator that is not one of ATL*")),
    }
    if node.children().any(|child| values[child.index()].is_none()) {
        return Ok(None);
    }
    let of = |child: NodeId, state: usize| values[child.index()].as_ref().map_or(Belnap::Unknown, |all| all[state]);
    let value = |state: usize| match node {
        Node::Not(a) => of(a, state).not(),
        Node::And(a, b) => of(a, state).and(of(b, state)),
        Node::Or(a, b) => of(a, state).or(of(b, state)),
        Node::Implies(a, b) => of(a, state).not().or(of(b, state)),
        Node::Iff(a, b) => same(of(a, state), of(b, state)),
        Node::Xor(a, b) => same(of(a, state), of(b, state)).not(),
        _ => Belnap::Unknown,
    };
    Ok(Some((0..task.model.state_count()).map(value).collect()))
}

/// Whether both have the same value.
fn same(a: Belnap, b: Belnap) -> Belnap {
    a.and(b).or(a.not().and(b.not()))
}

/// The values of "the movers can enforce the path formula".
fn enforced(
    task: &CoalitionTask<'_>,
    values: &[Option<Vec<Belnap>>],
    path: NodeId,
    movers: &[bool],
) -> Result<Vec<Belnap>, EngineError> {
    if let Some(known) = &values[path.index()] {
        return Ok(known.clone());
    }
    let (objective, standing) = linear(task.formula, values, path);
    let model = labelled(task, &standing.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    let others: Vec<bool> = movers.iter().map(|&mover| !mover).collect();
    let states: Vec<StateId> = model.states().collect();
    let won = |mine: &[bool], negated: bool| -> Result<BitSet, EngineError> {
        let (model, states, objective, budget) = (&model, &states[..], &objective, task.budget);
        winning_states(&SynthesisTask { model, mine, silent: &[], states, objective, negated, budget })
    };
    let (yes, no) = (won(movers, false)?, won(&others, true)?);
    Ok((0..states.len()).map(|at| Belnap::from_evidence(yes.contains(at), no.contains(at))).collect())
}

/// A path formula over atoms that stand for its parts about states, and the values of those.
fn linear(formula: &Formula, values: &[Option<Vec<Belnap>>], path: NodeId) -> (Formula, Vec<Vec<Belnap>>) {
    let mut used = vec![false; path.index() + 1];
    used[path.index()] = true;
    for at in (0..=path.index()).rev().filter(|&at| values[at].is_none()) {
        if used[at] {
            formula.node(NodeId::new(at)).children().for_each(|child| used[child.index()] = true);
        }
    }
    let mut builder = FormulaBuilder::new();
    let (mut made, mut standing): (Vec<Option<NodeId>>, Vec<Vec<Belnap>>) = (vec![None; path.index() + 1], Vec::new());
    for at in (0..=path.index()).filter(|&at| used[at]) {
        made[at] = match &values[at] {
            Some(known) => {
                standing.push(known.clone());
                Some(builder.atom(Atom { text: format!("{}", standing.len() - 1), quoted: true }))
            }
            None => {
                let node = formula.node(NodeId::new(at));
                Some(builder.add(node.map_children(|child| made[child.index()].unwrap_or(child))))
            }
        };
    }
    let root = made[path.index()].unwrap_or(path);
    (builder.finish(root, Logic::Ltl), standing)
}

/// The structure with these labels, named by numbers, and with what totality makes certain as sets.
fn labelled(task: &CoalitionTask<'_>, labels: &[&[Belnap]]) -> Result<Kmts, EngineError> {
    let mut builder = KmtsBuilder::new();
    for state in task.model.states() {
        builder.add_state(task.model.state_name(state));
    }
    for (number, values) in labels.iter().enumerate() {
        let prop = builder.add_prop(&number.to_string());
        values.iter().enumerate().for_each(|(at, &value)| builder.set_label(StateId::new(at), prop, value));
    }
    with_steps(task, builder)
}

fn with_steps(task: &CoalitionTask<'_>, mut builder: KmtsBuilder) -> Result<Kmts, EngineError> {
    let mut ticks = 0;
    for state in task.model.states() {
        task.budget.tick(&mut ticks)?;
        for edge in task.model.edges_from(state) {
            builder.add_edge(state, edge.target, edge.may, edge.must, None);
        }
        for set in task.model.hyper_from(state) {
            builder.add_hyper(state, set.members, None);
        }
        let mut all: Vec<StateId> = task.model.may_successors(state).collect();
        all.sort_unstable();
        all.dedup();
        if task.total && !all.is_empty() {
            builder.add_hyper(state, &all, None);
        }
    }
    builder.finish().map_err(|_| tertium_base::Stopped(tertium_base::StopReason::Count).into())
}

/// Whether no quantifier or coalition stands inside a path formula.
fn is_about_single_paths(formula: &Formula, path: NodeId) -> bool {
    let mut used = vec![false; path.index() + 1];
    used[path.index()] = true;
    for at in (0..=path.index()).rev() {
        let node = formula.node(NodeId::new(at));
        if used[at] && matches!(node, Node::All(_) | Node::Exists(_) | Node::Coalition(..)) {
            return false;
        }
        if used[at] {
            node.children().for_each(|child| used[child.index()] = true);
        }
    }
    true
}

/// A strategy of the coalition that the whole formula is about, or of all others, which shows this definite value at a state; none if the formula is about more than one coalition, or the value is another one.
///
/// # Errors
/// As [`coalition_values`].
pub fn coalition_strategy(
    task: &CoalitionTask<'_>,
    state: StateId,
    value: Belnap,
) -> Result<Option<Proof>, EngineError> {
    let formula = task.formula;
    goes_on(task.model)?;
    let (mut root, mut positive) = (formula.root(), value == Belnap::True);
    while let Node::Not(inner) = formula.node(root) {
        (root, positive) = (inner, !positive);
    }
    let Some((path, movers)) = contested(task.model, formula, root) else { return Ok(None) };
    if !is_about_single_paths(formula, path) {
        return Ok(None);
    }
    let mut atoms: Vec<Option<Vec<Belnap>>> = vec![None; formula.nodes().len()];
    for id in formula.node_ids().take(path.index() + 1) {
        if contested(task.model, formula, id).is_none() {
            atoms[id.index()] = of_states(task, &atoms, formula.node(id))?;
        }
    }
    let (objective, standing) = linear(formula, &atoms, path);
    let model = labelled(task, &standing.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
    let mine: Vec<bool> = movers.iter().map(|&mover| mover == positive).collect();
    let (states, negated, budget) = ([state], !positive, task.budget);
    let objective = &objective;
    let (model, mine, states) = (&model, &mine[..], &states[..]);
    let found = synthesise(&SynthesisTask { model, mine, silent: &[], states, objective, negated, budget })?;
    Ok(found.strategy.map(|closed| {
        let positions = closed.origin.iter().copied().zip(closed.memory.iter().copied()).collect();
        let targets = |at: StateId| closed.structure.may_successors(at).map(|to| to.number()).collect();
        Proof::Plays { positions, moves: closed.structure.states().map(targets).collect() }
    }))
}
