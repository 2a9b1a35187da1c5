//! Which relations hold on either side of a condition, and after which start?
//!
//! Abstract interpretation joins what is known along all ways to a location. Where a loop does one thing as long as `x < m` and another one from there, or a property speaks of those runs only that begin with `c <= 9`, what is
//! joined says nothing. So the states are told apart by a few conditions (trace partitioning: Rival and Mauborgne 2007), and the hypothesis of a property, `p` in `p -> phi`, is taken to hold at the start. What is found then become
//! predicates; nothing rests on it.

use tertium_load::failure::Failure;
use tertium_load::questions::{PropertyQuery, QuestionId};
use tertium_logic::{Formula, Node, NodeId};
use tertium_program::analysis::LocationInvariants;
use tertium_program::analysis::location_invariants::{LinearConstraint, Relation, partitioned_constraints};
use tertium_program::{Action, Binary, Expr, ExprId, Place, Program, Sort, Unary, VarId};

use super::Loop;
use super::targets::Target;
use crate::answer::Round;
use crate::limits;
use crate::predicate_abstraction::{Prepared, atoms_of, failed, prepare};

impl Loop<'_> {
    /// Proves a property that single states decide with what holds in the cells of a partition; the round that this takes, if it does.
    pub(super) fn by_partition(&mut self, number: QuestionId) -> Result<Option<Round>, Failure> {
        let question = &self.questions[number.index()];
        self.work.observer.phase(&format!("{}: invariants of a partition", question.name()));
        let asked: Vec<ExprId> = atoms_of(question).collect();
        let mut own = prepare(self.work.file, &asked, &self.how, self.work.budget)?;
        let target = Target::of(&mut own, number, question, self.work.options);
        let target = target.map_err(|why| failed(self.work.file, own.system.program(), why))?;
        let Some(target) = target else { return Ok(None) };
        let before = own.system.predicates().len();
        let all = [Kinds::Equations, Kinds::All].into_iter();
        for (by, kinds) in all.flat_map(|kinds| PARTITIONS.map(|by| (by, kinds))) {
            own.system.keep_predicates(before);
            if add_partition(&mut own, None, by, kinds) {
                let why = "relations that hold on either side of a condition exclude it";
                let round = self.excluded_over(&mut own, &target, why)?;
                if round.is_some() {
                    return Ok(round);
                }
            }
        }
        Ok(None)
    }
}

/// What becomes a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kinds {
    /// Equations of several variables.
    Equations,
    /// Everything.
    All,
}

/// What states are told apart by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PartitionBy {
    /// Which of the constants that they are compared with variables have.
    Constants,
    /// Conditions of conditional values, then the first predicates.
    Conditions,
}

/// All partitions that are tried.
pub(super) const PARTITIONS: [PartitionBy; 2] = [PartitionBy::Constants, PartitionBy::Conditions];

/// Adds what holds in the cells of a partition as predicates, after the hypothesis of a property if it has one; whether any is new.
pub(super) fn add_partition(
    prepared: &mut Prepared,
    asked: Option<&PropertyQuery>,
    by: PartitionBy,
    kinds: Kinds,
) -> bool {
    let conditions = conditions(prepared, by);
    if conditions.is_empty() {
        return false;
    }
    let known = everywhere(prepared.system.program());
    let start = asked.and_then(|asked| hypothesis(prepared, asked));
    let found = match start {
        Some(start) => partitioned_constraints(&restricted(prepared.system.program(), start), &conditions),
        None => partitioned_constraints(prepared.system.program(), &conditions),
    };
    add(prepared, &conditions, found.into_iter().filter(|one| !known.contains(one)).collect(), kinds)
}

/// Adds what holds in all runs that begin as the hypothesis of a property says; whether any is new.
pub(super) fn add_hypothesis(prepared: &mut Prepared, asked: &PropertyQuery, kinds: Kinds) -> bool {
    let Some(hypothesis) = hypothesis(prepared, asked) else { return false };
    let known = everywhere(prepared.system.program());
    let restricted = restricted(prepared.system.program(), hypothesis);
    let mut found: Vec<LinearConstraint<VarId>> = Vec::new();
    for one in everywhere(&restricted) {
        if !known.contains(&one) && !found.contains(&one) {
            found.push(one);
        }
    }
    add(prepared, &[], found, kinds)
}

/// A program that begins only where a condition holds.
pub(super) fn restricted(program: &Program, start: ExprId) -> Program {
    let mut restricted = program.clone();
    let init = restricted.init.map(|init| restricted.exprs.add(Expr::Binary(Binary::And, init, start)));
    restricted.init = init.or(Some(start));
    restricted
}

/// What holds at locations, whatever the process.
fn everywhere(program: &Program) -> Vec<LinearConstraint<VarId>> {
    at_all_locations(program, &LocationInvariants::of(program))
}

/// The invariants of all locations.
pub(super) fn at_all_locations(program: &Program, found: &LocationInvariants) -> Vec<LinearConstraint<VarId>> {
    let mut all: Vec<LinearConstraint<VarId>> = Vec::new();
    for process in program.process_ids() {
        for location in (0..program.process(process).locations.len()).map(tertium_program::LocationId::new) {
            all.extend(found.at(process, location).into_iter().flatten().cloned());
        }
    }
    all
}

/// Adds constraints as predicates, equations first, then those of several variables; whether any is new.
pub(super) fn add(
    prepared: &mut Prepared,
    conditions: &[ExprId],
    mut constraints: Vec<LinearConstraint<VarId>>,
    kinds: Kinds,
) -> bool {
    let several = |one: &LinearConstraint<VarId>| one.terms.len() > 1;
    let equation = |one: &LinearConstraint<VarId>| several(one) && matches!(one.relation, Relation::Equal(_));
    if kinds == Kinds::Equations {
        constraints.retain(equation);
        if constraints.is_empty() {
            return false;
        }
    }
    let before = prepared.system.predicates().len();
    constraints.sort_by_key(|one| (!equation(one), !several(one)));
    let program = prepared.system.program_mut();
    let mut exprs: Vec<ExprId> = constraints.iter().filter_map(|one| one.expr(program)).collect();
    exprs.truncate(limits::PARTITION_MOST_PREDICATES);
    for &expr in conditions.iter().chain(&exprs) {
        if let Ok(term) = prepared.system.condition(expr, true) {
            prepared.system.learn_predicate(term);
        }
    }
    prepared.system.predicates().len() > before
}

/// The conditions of a partition.
fn conditions(prepared: &mut Prepared, by: PartitionBy) -> Vec<ExprId> {
    let predicates: Vec<ExprId> = prepared.system.predicates().iter().map(|predicate| predicate.expr).collect();
    let program = prepared.system.program_mut();
    let found = match by {
        PartitionBy::Constants => of_constants(program),
        PartitionBy::Conditions => {
            let values: Vec<ExprId> = program.steps.iter().flat_map(assigned_values).collect();
            let reachable = program.exprs.reachable(&values).into_iter();
            let conditional = reachable.filter_map(|id| match program.exprs.get(id) {
                Expr::If(condition, ..) => Some(condition),
                _ => None,
            });
            conditional.chain(predicates).collect()
        }
    };
    let mut chosen: Vec<ExprId> = Vec::new();
    for condition in found.into_iter().map(|condition| positive(program, condition)) {
        let odd = |id: ExprId| matches!(program.exprs.get(id), Expr::Input(..) | Expr::At(..) | Expr::Apply(..));
        let plain = !program.exprs.reachable(&[condition]).into_iter().any(odd);
        if plain && !chosen.contains(&condition) && chosen.len() < limits::PARTITION_MOST_CONDITIONS {
            chosen.push(condition);
        }
    }
    chosen
}

/// For plain variables that guards compare with constants: which of these they are.
fn of_constants(program: &mut Program) -> Vec<ExprId> {
    let guards: Vec<ExprId> = program.steps.iter().map(|step| step.guard).collect();
    let mut compared: Vec<(VarId, i64)> = Vec::new();
    for id in program.exprs.reachable(&guards) {
        let Expr::Binary(Binary::Eq | Binary::Ne, a, b) = program.exprs.get(id) else { continue };
        if let (Expr::Var(var), Some(value)) = (program.exprs.get(a), program.exprs.constant(b))
            && !compared.contains(&(var, value))
        {
            compared.push((var, value));
        }
    }
    let equals = |(var, value): (VarId, i64)| {
        let (read, value) = (program.read(var), program.exprs.int(value));
        program.exprs.add(Expr::Binary(Binary::Eq, read, value))
    };
    compared.into_iter().map(equals).collect()
}

fn assigned_values(step: &tertium_program::Step) -> Vec<ExprId> {
    match &step.action {
        Action::Assign(assigns) | Action::Together { assigns, .. } => {
            assigns.iter().filter(|assign| matches!(assign.place, Place::Var(_))).map(|assign| assign.value).collect()
        }
        _ => Vec::new(),
    }
}

fn positive(program: &Program, condition: ExprId) -> ExprId {
    match program.exprs.get(condition) {
        Expr::Unary(Unary::Not, inner) => inner,
        _ => condition,
    }
}

/// The condition on initial states that a property has for a hypothesis; none if it has none.
pub(super) fn hypothesis(prepared: &mut Prepared, asked: &PropertyQuery) -> Option<ExprId> {
    let formula = &asked.formula;
    let mut assumed = Vec::new();
    let mut denied = Vec::new();
    let mut open = vec![formula.root()];
    while let Some(node) = open.pop() {
        match formula.node(node) {
            Node::Implies(a, b) => {
                assumed.extend(is_of_states(formula, a).then_some(a));
                open.push(b);
            }
            Node::Or(a, b) => open.extend([a, b]),
            // The negation fails where the hypothesis holds, and the rest.
            Node::And(a, b) => open.extend([a, b]),
            _ if is_of_states(formula, node) => denied.push(node),
            _ => {}
        }
    }
    let is_conjunction = matches!(formula.node(formula.root()), Node::And(..));
    let mut conditions: Vec<(ExprId, bool)> = Vec::new();
    for (nodes, holds) in [(assumed, true), (denied, is_conjunction)] {
        for node in nodes {
            conditions.push((condition_of(prepared, asked, node)?, holds));
        }
    }
    let program = prepared.system.program_mut();
    let mut all: Option<ExprId> = None;
    for (condition, holds) in conditions {
        let condition = if holds { condition } else { program.exprs.add(Expr::Unary(Unary::Not, condition)) };
        all = Some(all.map_or(condition, |all| program.exprs.add(Expr::Binary(Binary::And, all, condition))));
    }
    all
}

/// Whether a part of a formula speaks of one state.
pub(super) fn is_of_states(formula: &Formula, node: NodeId) -> bool {
    match formula.node(node) {
        Node::Atom(_) | Node::True | Node::False => true,
        Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Implies(..) => {
            formula.node(node).children().all(|child| is_of_states(formula, child))
        }
        _ => false,
    }
}

/// The condition that a part of a formula is.
pub(super) fn condition_of(prepared: &mut Prepared, asked: &PropertyQuery, node: NodeId) -> Option<ExprId> {
    let binary = |prepared: &mut Prepared, op, a, b| {
        let (a, b) = (condition_of(prepared, asked, a)?, condition_of(prepared, asked, b)?);
        Some(prepared.system.program_mut().exprs.add(Expr::Binary(op, a, b)))
    };
    match asked.formula.node(node) {
        Node::Atom(atom) => {
            let expr = prepared.expr(*asked.atoms.get(atom.index())?);
            (prepared.system.program().exprs.sort(expr) == Sort::Bool).then_some(expr)
        }
        Node::Not(a) => {
            let a = condition_of(prepared, asked, a)?;
            Some(prepared.system.program_mut().exprs.add(Expr::Unary(Unary::Not, a)))
        }
        Node::And(a, b) => binary(prepared, Binary::And, a, b),
        Node::Or(a, b) => binary(prepared, Binary::Or, a, b),
        Node::Implies(a, b) => binary(prepared, Binary::Implies, a, b),
        _ => None,
    }
}
