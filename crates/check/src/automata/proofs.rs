//! What proves a definite linear answer, and what leaves an open one open?
//!
//! A refutation is a lasso of certain steps, a certain prefix, the absence of any path to the contrary, or a strategy
//! over certain sets; truth is the absence of a refuting path. An open answer has a possible path that
//! would refute the formula, and the elements that keep it from being certain.

use tertium_evidence::{OpenQuestion, PlayStep, Proof, Reason, StepDirection};
use tertium_lattice::Belnap;
use tertium_logic::{Logic, Node, NodeId};
use tertium_model::StateId;

use super::automaton::Automaton;
use super::lasso::{AcceptingPath, Position, accepting_path};
use super::paths::Paths;
use super::product::{Product, Side};
use super::question::{EdgeValues, Meaning, Question, Questions};
use super::{linear_questions, star, translate};
use crate::{Ask, Engine, EngineError, Task};

/// The proof that the task's formula has this value at this state; none if it has not.
///
/// # Errors
/// If the task is not supported or a limit is reached.
pub fn linear_certificate(task: &Task<'_>, state: StateId, value: Belnap) -> Result<Option<Proof>, EngineError> {
    super::AutomataEngine.supports(task)?;
    let at_state = Task { ask: Ask::At(std::slice::from_ref(&state)), ..task.clone() };
    if task.formula.logic() == Logic::CtlStar {
        return star_certificate(&at_state, state, value);
    }
    let found = super::AutomataEngine.values(&at_state)?.at(state);
    match value {
        Belnap::True if found.for_true() => Ok(Some(Proof::NoPath)),
        Belnap::False if found.for_false() => refutation(&at_state, state),
        _ => Ok(None),
    }
}

/// The values of all quantified nodes at all states.
fn star_certificate(task: &Task<'_>, state: StateId, value: Belnap) -> Result<Option<Proof>, EngineError> {
    let everywhere = Task { ask: Ask::All, ..task.clone() };
    let (values, quantified) = star::values(&everywhere)?;
    let found = values.at(state);
    let proved = match value {
        Belnap::True => found.for_true(),
        Belnap::False => found.for_false(),
        Belnap::Unknown | Belnap::Both => false,
    };
    let labels = quantified.into_iter().map(|(node, values)| {
        let claimed_true = task.model.states().filter(|&state| values.at(state).for_true()).collect();
        let claimed_false = task.model.states().filter(|&state| values.at(state).for_false()).collect();
        (node, claimed_true, claimed_false)
    });
    Ok(proved.then(|| Proof::Labels(labels.collect())))
}

/// Why an LTL formula that is false at a state is so; tries the plainest witness first.
fn refutation(task: &Task<'_>, state: StateId) -> Result<Option<Proof>, EngineError> {
    let paths = Paths::new(task);
    let mut questions = linear_questions(task);
    let root = task.formula.root();
    let question = questions.question(root, false, paths.edge_values());
    let automaton = translate::automaton(&question, task.budget)?;
    let product = Product::new(&paths.graph, &question.meanings, &automaton, paths.certain_side());
    if let Some(path) = accepting_path(&product, state.index(), task.budget)? {
        return Ok(Some(lasso(&paths, &product, &path)));
    }
    if paths.prefixes_count() {
        let product = product.with_open_future(automaton.accepts_unknown());
        if let Some(path) = accepting_path(&product, state.index(), task.budget)? {
            return Ok(Some(lasso(&paths, &product, &path)));
        }
    }
    if paths.absence_counts() {
        let contrary = questions.question(root, true, EdgeValues::Ignored);
        let automaton = translate::automaton(&contrary, task.budget)?;
        let product = Product::new(&paths.graph, &contrary.meanings, &automaton, Side::Possible);
        if accepting_path(&product, state.index(), task.budget)?.is_none() {
            return Ok(Some(Proof::NoPath));
        }
    }
    if !paths.plays_count() {
        return Ok(None);
    }
    super::plays::strategy(&paths, &mut questions, root, state)
}

/// The states of a path; entering a dead copy ends it.
fn lasso(paths: &Paths<'_, '_>, product: &Product<'_, '_>, path: &AcceptingPath) -> Proof {
    let state = |node: usize| product.state(node);
    let real = |node: &usize| !paths.graph.is_copy(*node);
    let named = |at: usize| StateId::new(at);
    let stem: Vec<StateId> =
        path.stem.iter().map(|at| state(at.node)).chain(path.end.map(state)).filter(real).map(named).collect();
    let cycle: Vec<StateId> = path.cycle.iter().map(|at| state(at.node)).filter(real).map(named).collect();
    Proof::Lasso { stem, cycle }
}

/// The possible path that keeps an open answer from being true (or an existential one from being false),
/// and the unknown labels it reads and uncertain steps it takes, in order. None if there is no such path.
///
/// # Errors
/// If the task is not supported or a limit is reached.
pub fn linear_open_question(task: &Task<'_>, state: StateId) -> Result<Option<OpenQuestion>, EngineError> {
    super::AutomataEngine.supports(task)?;
    if task.formula.logic() == Logic::CtlStar {
        return star_open_question(task, state);
    }
    let paths = Paths::new(task);
    let mut questions = linear_questions(task);
    let root = task.formula.root();
    let question = questions.question(root, false, paths.edge_values());
    let mut answer = OpenQuestion::default();
    let found = open_path(&paths, &question, (root, state), StepDirection::Forall, &mut answer)?;
    Ok(found.map(|_| answer))
}

/// Atoms that stand for quantified nodes and have no value where the path read them.
type OpenNodes = Vec<(u32, StateId)>;

/// Adds the possible path of a question from a state and its reasons to the answer.
fn open_path(
    paths: &Paths<'_, '_>,
    question: &Question<'_>,
    (node, state): (NodeId, StateId),
    direction: StepDirection,
    answer: &mut OpenQuestion,
) -> Result<Option<OpenNodes>, EngineError> {
    let budget = paths.task.budget;
    let automaton = translate::automaton(question, budget)?;
    let product = Product::new(&paths.graph, &question.meanings, &automaton, Side::Possible);
    let Some(path) = accepting_path(&product, state.index(), budget)? else { return Ok(None) };
    if answer.play.is_empty() {
        tell_path(paths, &product, &path, node, answer);
    }
    let mut nodes = OpenNodes::new();
    for position in path.stem.iter().chain(&path.cycle) {
        let at = product.state(position.node);
        add_labels(paths, question, &automaton, (at, position), answer, &mut nodes);
        add_step(paths, at, position, direction, answer);
    }
    Ok(Some(nodes))
}

/// The states of the path, and where it loops unless it ends.
fn tell_path(
    paths: &Paths<'_, '_>,
    product: &Product<'_, '_>,
    path: &AcceptingPath,
    node: NodeId,
    answer: &mut OpenQuestion,
) {
    let real = |positions: &[Position]| -> Vec<PlayStep> {
        let states = positions.iter().map(|position| product.state(position.node));
        let told = |at: usize| PlayStep { state: StateId::new(at), node, positive: true };
        states.filter(|&at| !paths.graph.is_copy(at)).map(told).collect()
    };
    answer.play = real(&path.stem);
    let cycle = real(&path.cycle);
    answer.loop_start = (!cycle.is_empty()).then_some(answer.play.len());
    answer.play.extend(cycle);
}

fn add_labels(
    paths: &Paths<'_, '_>,
    question: &Question<'_>,
    automaton: &Automaton,
    (at, position): (usize, &Position),
    answer: &mut OpenQuestion,
    nodes: &mut OpenNodes,
) {
    let state = StateId::new(paths.graph.origin(at));
    let Some(transition) = automaton.transitions.iter().flatten().nth(position.transition as usize) else { return };
    for literal in &transition.cube {
        let Meaning::Labels(for_true, not_refuted) = &question.meanings[literal.atom as usize] else { continue };
        if for_true.contains(state.index()) || !not_refuted.contains(state.index()) {
            continue;
        }
        match paths.task.props.get(literal.atom as usize) {
            Some(&prop) => add_reason(answer, Reason::Label { state, prop }),
            None => nodes.push((literal.atom, state)),
        }
    }
}

fn add_step(
    paths: &Paths<'_, '_>,
    at: usize,
    position: &Position,
    direction: StepDirection,
    answer: &mut OpenQuestion,
) {
    if position.step.must || paths.graph.is_copy(at) {
        return;
    }
    let from = StateId::new(at);
    let to = StateId::new(paths.graph.origin(position.step.target));
    if position.step.edge.is_some() && paths.task.model.must_successors(from).any(|target| target == to) {
        return;
    }
    let hyper = paths.task.model.hyper_from(from).find(|edge| edge.members.contains(&to));
    match hyper {
        Some(edge) if position.step.edge.is_some() => {
            add_reason(answer, Reason::Hyper { from, members: edge.members.to_vec(), direction });
        }
        _ if position.step.edge.is_some() => add_reason(answer, Reason::Edge { from, to, direction }),
        // Whether the run ends here depends on the steps that are possible but not certain.
        _ => {
            for to in paths.task.model.may_successors(from) {
                add_reason(answer, Reason::Edge { from, to, direction: StepDirection::Exists });
            }
        }
    }
}

fn add_reason(answer: &mut OpenQuestion, reason: Reason) {
    if !answer.reasons.contains(&reason) {
        answer.reasons.push(reason);
    }
}

/// The path of the outermost open quantifier, then those of the inner ones whose unknown values it read.
fn star_open_question(task: &Task<'_>, state: StateId) -> Result<Option<OpenQuestion>, EngineError> {
    let task = &star::guarded(task);
    let everywhere = Task { ask: Ask::All, ..task.clone() };
    let (values, quantified) = star::values(&everywhere)?;
    if values.at(state) != Belnap::Unknown {
        return Ok(None);
    }
    let paths = Paths::new(task);
    let mut questions = Questions::new(task);
    let mut known = quantified.iter().peekable();
    for id in task.formula.node_ids() {
        let value = known.next_if(|(node, _)| *node == id).map(|(_, values)| values);
        questions.push(task, task.formula.node(id), value);
    }
    let mut answer = OpenQuestion::default();
    let mut todo = open_parts(task, &quantified, task.formula.root(), state, &mut answer);
    let mut seen = todo.clone();
    while let Some((node, state)) = todo.pop() {
        let (inner, positive, direction) = match task.formula.node(node) {
            Node::Exists(inner) => (inner, true, StepDirection::Exists),
            Node::All(inner) => (inner, false, StepDirection::Forall),
            _ => (node, false, StepDirection::Forall),
        };
        let question = questions.question(inner, positive, EdgeValues::Ignored);
        let Some(open) = open_path(&paths, &question, (node, state), direction, &mut answer)? else { continue };
        for (atom, state) in open {
            let Some(node) = questions.node_of_atom(atom) else { continue };
            if !seen.contains(&(node, state)) {
                seen.push((node, state));
                todo.push((node, state));
            }
        }
    }
    Ok(Some(answer))
}

/// The quantified nodes, outside other quantifiers, that are unknown at a state; labels go to the answer at once.
fn open_parts(
    task: &Task<'_>,
    quantified: &star::QuantifiedValues,
    root: NodeId,
    state: StateId,
    answer: &mut OpenQuestion,
) -> Vec<(NodeId, StateId)> {
    let mut open = Vec::new();
    let mut todo = vec![root];
    let mut path_formula = false;
    while let Some(id) = todo.pop() {
        match task.formula.node(id) {
            Node::Exists(_) | Node::All(_) => {
                let value = quantified.iter().find(|(node, _)| *node == id).map(|(_, values)| values.at(state));
                if value == Some(Belnap::Unknown) && !open.contains(&(id, state)) {
                    open.push((id, state));
                }
            }
            Node::Atom(atom) => {
                let prop = task.props[atom.index()];
                if task.model.label(state, prop) == Belnap::Unknown {
                    add_reason(answer, Reason::Label { state, prop });
                }
            }
            node => {
                path_formula |= node.is_path_operator();
                todo.extend(node.children());
            }
        }
    }
    if path_formula {
        answer.reasons.clear();
        return vec![(root, state)];
    }
    open
}
