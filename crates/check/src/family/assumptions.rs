//! What does an answer over a family assume?
//!
//! Two things are not visible in the answer. An instance with a deadlock makes linear formulas vacuously true. And
//! a parameter that stands for a choice made anew at each visit of a state, rather than for a value
//! fixed along the run, is harmless only for formulas whose truth and falsity need no memory, without
//! fairness, and if no two states share it.

use tertium_base::{BitSet, Diagnostic};
use tertium_lattice::Kleene;
use tertium_logic::{Formula, Logic, Node, NodeId};
use tertium_model::{ExprNode, ParamModel, ParamValue, PropId, StateId};

use super::condition::{Condition, Cube};
use super::partial::open_params;
use super::{FamilyAnswer, FamilyError, FamilyTask};

/// With more parameters, instances with a deadlock are not looked for.
const MOST_PARAMETERS: usize = 16;

/// For each expression the assignments that satisfy it. The first parameter is the lowest bit.
struct Tables {
    exprs: Vec<BitSet>,
    count: usize,
}

impl Tables {
    fn new(model: &ParamModel) -> Self {
        let count = 1 << model.params().len();
        let mut exprs: Vec<BitSet> = Vec::new();
        for node in model.exprs().nodes() {
            let table = match node {
                ExprNode::Constant(true) => BitSet::full(count),
                ExprNode::Constant(false) => BitSet::empty(count),
                ExprNode::Param(param) => BitSet::from_fn(count, |bits| bits >> param.index() & 1 != 0),
                ExprNode::Not(part) => complement(&exprs[part.index()]),
                ExprNode::And(parts) => parts.iter().fold(BitSet::full(count), |mut all, part| {
                    all.intersect_with(&exprs[part.index()]);
                    all
                }),
                ExprNode::Or(parts) => parts.iter().fold(BitSet::empty(count), |mut some, part| {
                    some.union_with(&exprs[part.index()]);
                    some
                }),
            };
            exprs.push(table);
        }
        Self { exprs, count }
    }

    /// The assignments under which a step is possible.
    fn possible(&self, value: ParamValue) -> BitSet {
        match value {
            ParamValue::Constant(Kleene::False) => BitSet::empty(self.count),
            ParamValue::Constant(_) => BitSet::full(self.count),
            ParamValue::Expr(expr) => self.exprs[expr.index()].clone(),
        }
    }
}

fn complement(set: &BitSet) -> BitSet {
    let mut other = set.clone();
    other.complement();
    other
}

/// The assignments under which a state without successors can be reached; none if there are too many to look at.
pub(super) fn deadlocked(task: &FamilyTask<'_>) -> Result<Option<BitSet>, FamilyError> {
    let model = task.model;
    if model.params().len() > MOST_PARAMETERS {
        return Ok(None);
    }
    let tables = Tables::new(model);
    task.budget.reserve(model.state_count() * tables.count.div_ceil(8))?;
    let mut reached = vec![BitSet::empty(tables.count); model.state_count()];
    reached[task.state.index()] = BitSet::full(tables.count);
    let mut todo = vec![task.state];
    let mut ticks = 0;
    while let Some(state) = todo.pop() {
        task.budget.tick(&mut ticks)?;
        for edge in model.edges_from(state) {
            let mut through = tables.possible(edge.value);
            through.intersect_with(&reached[state.index()]);
            if !through.is_subset(&reached[edge.to.index()]) {
                reached[edge.to.index()].union_with(&through);
                todo.push(edge.to);
            }
        }
    }
    let mut dead = BitSet::empty(tables.count);
    for state in model.states() {
        dead.union_with(&stuck(model, &tables, state, &reached[state.index()]));
    }
    Ok(Some(dead))
}

/// The assignments in `reached` under which a state has no successor.
fn stuck(model: &ParamModel, tables: &Tables, state: StateId, reached: &BitSet) -> BitSet {
    let mut leaving = BitSet::empty(tables.count);
    for edge in model.edges_from(state) {
        leaving.union_with(&tables.possible(edge.value));
    }
    leaving.complement();
    leaving.intersect_with(reached);
    leaving
}

/// The condition under which a state without successors can be reached from the asked state; none if
/// there are too many parameters to look at all instances.
///
/// # Errors
/// If the budget ends.
pub fn deadlocked_instances(task: &FamilyTask<'_>) -> Result<Option<Condition>, FamilyError> {
    let Some(dead) = deadlocked(task)? else { return Ok(None) };
    let minterm =
        |bits: usize| -> Cube { (0..task.model.params().len()).map(|at| Some(bits >> at & 1 != 0)).collect() };
    let (on, off): (Vec<usize>, Vec<usize>) = (0..dead.len()).partition(|&bits| dead.contains(bits));
    let [on, off] = [on, off].map(|all| all.into_iter().map(minterm).collect::<Vec<Cube>>());
    Ok(Some(Condition::minimal(&on, &off)))
}

/// What an answer about a family assumes, as warnings (W0251 to W0253).
///
/// # Errors
/// If the budget ends.
pub fn family_warnings(task: &FamilyTask<'_>, answer: &FamilyAnswer) -> Result<Vec<Diagnostic>, FamilyError> {
    let mut warnings = Vec::new();
    if task.model.params().is_empty() {
        return Ok(warnings);
    }
    if task.formula.logic() == Logic::Ltl {
        warnings.extend(deadlock_warning(task)?);
    }
    let settled = !answer.holds.is_never() || !answer.fails.is_never();
    if let Some(why) = rigidity_matters(task).filter(|_| settled) {
        warnings.push(
            Diagnostic::warning("W0251", "the answer takes every parameter to be fixed along the whole run")
                .note(why)
                .help("if a parameter stands for a branch that can be decided differently each time, use a hyper-must edge"),
        );
    }
    Ok(warnings)
}

/// Why the answer could be wrong if parameters were chosen anew at each visit of a state; none if it could not.
fn rigidity_matters(task: &FamilyTask<'_>) -> Option<String> {
    const REST: &str = "so a choice that is made anew at each visit of a state is not covered";
    if !task.model.fair().is_empty() {
        return Some(format!("the structure has fairness constraints, {REST}"));
    }
    if !is_positional(task.formula) {
        return Some(format!("whether the formula holds depends on the history, {REST}"));
    }
    let name = |at: usize| &task.model.params()[at];
    widespread_parameter(task.model).map(|at| format!("`{}` occurs at several states or in a label, {REST}", name(at)))
}

/// A parameter that does not belong to the edges of one state alone.
fn widespread_parameter(model: &ParamModel) -> Option<usize> {
    let nothing_fixed: Cube = vec![None; model.params().len()];
    let mut home: Vec<Option<StateId>> = vec![None; model.params().len()];
    for edge in model.edges() {
        for at in open_params(model, &nothing_fixed, edge.value) {
            if home[at].is_some_and(|known| known != edge.from) {
                return Some(at);
            }
            home[at] = Some(edge.from);
        }
    }
    let labels = model.states().flat_map(|state| (0..model.props().len()).map(move |prop| (state, PropId::new(prop))));
    labels.flat_map(|(state, prop)| open_params(model, &nothing_fixed, model.label(state, prop))).next()
}

fn deadlock_warning(task: &FamilyTask<'_>) -> Result<Option<Diagnostic>, FamilyError> {
    let Some(dead) = deadlocked_instances(task)? else {
        let message =
            format!("with {} parameters, instances with a deadlock are not looked for", task.model.params().len());
        return Ok(Some(
            Diagnostic::warning("W0253", message).note("a linear formula is vacuously true where all paths end"),
        ));
    };
    if dead.is_never() {
        return Ok(None);
    }
    let message = format!("some instances can reach a state without successors: {}", dead.text(task.model.params()));
    let warning = Diagnostic::warning("W0252", message)
        .note("linear formulas speak of infinite paths, so they may be vacuously true there")
        .help("give the state a step in every instance, or check with `--deadlock maximal`");
    Ok(Some(warning))
}

/// Whether truth and falsity of an LTL formula can be decided without memory: one temporal operator, `G F` or `F G`,
/// over propositional formulas, or the negation of one.
#[must_use]
pub fn is_positional(formula: &Formula) -> bool {
    if formula.logic() != Logic::Ltl {
        return false;
    }
    let mut flat: Vec<bool> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let propositional = match node {
            Node::True | Node::False | Node::Atom(_) | Node::Element(_) => true,
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => {
                node.children().all(|child| flat[child.index()])
            }
            _ => false,
        };
        flat.push(propositional);
    }
    let flat = |id: NodeId| flat[id.index()];
    let mut root = formula.node(formula.root());
    while let Node::Not(inner) = root {
        root = formula.node(inner);
    }
    match root {
        Node::Finally(a) | Node::Globally(a) if flat(a) => true,
        Node::Globally(a) => matches!(formula.node(a), Node::Finally(b) if flat(b)),
        Node::Finally(a) => matches!(formula.node(a), Node::Globally(b) if flat(b)),
        Node::Until(a, b) | Node::Release(a, b) | Node::WeakUntil(a, b) | Node::StrongRelease(a, b) => {
            flat(a) && flat(b)
        }
        _ => flat(formula.root()),
    }
}
