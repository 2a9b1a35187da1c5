//! All instances of a parameterised structure at once: parameters are further bits.
//!
//! A step is in the relation for the assignments under which it is there; a formula's value is a set of pairs of an assignment
//! and a state. What is left of it at one state are the assignments with each value.

use tertium_base::{StopReason, Stopped};
use tertium_dd::{Bit, Diagrams, Limits, Set, TransitionRelation, with_deep_stack};
use tertium_evidence::{Deadlock, LinearReading};
use tertium_lattice::{Belnap, Kleene};
use tertium_logic::{Formula, Logic};
use tertium_model::{ExprNode, ParamModel, ParamValue, PropId, StateId};

use super::ends::{Ends, add_ends};
use super::evaluate::{Atoms, evaluate};
use super::linear::{KnownFixpoints, linear_value, linear_value_by};
use super::listed::Code;
use super::star::star_value;
use super::stepwise::{Graded, StepKind, StepValues, stepwise_value};
use super::structure::{Steps, Structure};
use super::values::Pair;
use crate::family::{Condition, Cube, FamilyAnswer, FamilyError, FamilyTask};
use crate::task::FAIR_PREFIX;
use crate::{BindError, EngineError, Filter, Unsupported, rounds};

/// More cubes than this are not written out.
const MOST_CUBES: usize = 100_000;

/// The value over all instances, with the conditions under which they have which value, without trying any.
///
/// # Errors
/// If a name is unknown, the formula or its reading is not one of those that sets decide, or the budget ends.
pub fn family_sets(task: &FamilyTask<'_>) -> Result<FamilyAnswer, FamilyError> {
    supported(task).map_err(EngineError::from)?;
    with_deep_stack(|| answer(task)).map_err(|_| FamilyError::Engine(Stopped(StopReason::Memory).into()))?
}

fn supported(task: &FamilyTask<'_>) -> Result<(), Unsupported> {
    if rounds::nesting(task.formula) > rounds::DEEPEST {
        return Err(Unsupported { engine: super::NAME, reason: "its fixpoints nest too deep".to_owned() });
    }
    Ok(())
}

fn answer(task: &FamilyTask<'_>) -> Result<FamilyAnswer, FamilyError> {
    let model = task.model;
    let params: Vec<Bit> = (0..model.params().len()).map(Bit::new).collect();
    let code = Code::new(model.state_count(), params.len());
    let size = (model.state_count() + model.edges().len()).saturating_mul(1 + params.len());
    let limits = Limits::for_listed(size.max(1 << 14));
    let first_free = params.len() + 2 * code.bits.len();
    let ends =
        task.reading.deadlock == Deadlock::Maximal && matches!(task.formula.logic(), Logic::Ltl | Logic::CtlStar);
    let ended = ends.then(|| (Bit::new(first_free), Bit::new(first_free + 1)));
    let diagrams = Diagrams::new(first_free + 2 * usize::from(ends), limits, task.budget)?;
    let family = Family { model, conditions: conditions(model, &diagrams)?, code, diagrams, ended };
    let (atoms, fairness) = (family.atoms(task.formula)?, model.fair().len());
    let mut structure = family.structure(task, &atoms)?;
    let ends = ended.map(|ended| add_ends(&mut structure, ended)).transpose()?.flatten();
    let pair = match task.formula.logic() {
        Logic::Ltl => family.linear(task, &structure, ends.as_ref(), &atoms)?,
        Logic::CtlStar => {
            let ended = ended.map(|(now, _)| now);
            star_value(&structure, task.formula, &atoms, &fairness.into(), ended)?
        }
        logic => {
            let ending = task.reading.deadlock == Deadlock::Maximal && logic == Logic::Ctl;
            evaluate(&structure, task.formula, &atoms, ending)?
        }
    };
    family.at(&pair, task.state, &params)
}

/// The assignments under which each expression holds.
fn conditions(model: &ParamModel, diagrams: &Diagrams) -> Result<Vec<Set>, Stopped> {
    let mut sets: Vec<Set> = Vec::new();
    for node in model.exprs().nodes() {
        let set = match node {
            ExprNode::Constant(value) => diagrams.constant(*value),
            ExprNode::Param(param) => diagrams.bit(Bit::new(param.index()))?,
            ExprNode::Not(part) => sets[part.index()].not(),
            ExprNode::And(parts) => parts.iter().try_fold(diagrams.full(), |all, part| all.and(&sets[part.index()]))?,
            ExprNode::Or(parts) => parts.iter().try_fold(diagrams.empty(), |all, part| all.or(&sets[part.index()]))?,
        };
        sets.push(set);
    }
    Ok(sets)
}

struct Family<'a> {
    model: &'a ParamModel,
    diagrams: Diagrams,
    code: Code,
    conditions: Vec<Set>,
    /// The bit that says that a path has ended, if paths can.
    ended: Option<(Bit, Bit)>,
}

impl Family<'_> {
    fn is_total(&self, task: &FamilyTask<'_>) -> bool {
        self.model.total() || task.reading.deadlock == Deadlock::Total
    }

    /// The assignments under which a value is true, and those under which it is not false.
    fn condition(&self, value: ParamValue) -> (Set, Set) {
        let constant = |all| self.diagrams.constant(all);
        match value {
            ParamValue::Constant(value) => (constant(value == Kleene::True), constant(value != Kleene::False)),
            ParamValue::Expr(expr) => (self.conditions[expr.index()].clone(), self.conditions[expr.index()].clone()),
        }
    }

    /// Rows that have values, by value: those where it is true, and those where it is not false.
    fn valued<T: Clone>(
        &self,
        mut entries: Vec<(ParamValue, T)>,
        set: impl Fn(Vec<T>) -> Result<Set, Stopped>,
    ) -> Result<Pair, Stopped> {
        entries.sort_by_key(|(value, _)| *value);
        let (mut yes, mut open) = (self.diagrams.empty(), self.diagrams.empty());
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            let rows = set(group.iter().map(|(_, row)| row.clone()).collect())?;
            let (surely, perhaps) = self.condition(group[0].0);
            yes = yes.or(&rows.and(&surely)?)?;
            open = open.or(&rows.and(&perhaps)?)?;
        }
        Ok(Pair { yes, open })
    }

    fn steps(&self, keep: impl Fn(StateId, StateId) -> bool) -> Result<Pair, Stopped> {
        let kept = self.model.edges().iter().filter(|edge| keep(edge.from, edge.to));
        let entries = kept.map(|edge| (edge.value, (edge.from, edge.to))).collect();
        self.valued(entries, |steps: Vec<(StateId, StateId)>| self.code.steps(&self.diagrams, steps.into_iter()))
    }

    fn linear(
        &self,
        task: &FamilyTask<'_>,
        structure: &Structure,
        ends: Option<&Ends>,
        atoms: &Atoms,
    ) -> Result<Pair, EngineError> {
        let (formula, fairness) = (task.formula, self.model.fair().len().into());
        let total = self.is_total(task) || self.ended.is_some();
        match task.reading.linear {
            linear @ (LinearReading::Tg | LinearReading::TgPnf) => {
                let mut values = self.values(linear == LinearReading::TgPnf)?;
                ends.map_or(Ok(()), |ends| ends.add_to(&mut values))?;
                stepwise_value(structure, formula, atoms, &fairness, &values, false)
            }
            LinearReading::Hyper if total => {
                linear_value_by(structure, formula, atoms, &fairness, LinearReading::Hyper, true)
            }
            LinearReading::BgTotal => {
                linear_value_by(structure, formula, atoms, &fairness, LinearReading::BgTotal, true)
            }
            // Families have no certain sets but those of totality.
            LinearReading::Bg | LinearReading::Hyper => linear_value(structure, formula, atoms, &fairness),
        }
    }

    /// The values of steps under each assignment.
    fn values(&self, normalised: bool) -> Result<StepValues, Stopped> {
        let relation = |set: &Set| self.code.relation(&self.diagrams, set.clone());
        let kind = |steps: &Pair| -> Result<StepKind, Stopped> {
            let open = relation(&steps.open.minus(&steps.yes)?)?;
            Ok(StepKind::known(Graded { certain: relation(&steps.yes)?, open }))
        };
        let mut kinds = vec![(Filter::Any, kind(&self.steps(|_, _| true)?)?)];
        for (at, fair) in self.model.fair().iter().enumerate() {
            kinds.push((Filter::Fair(at), kind(&self.steps(|from, to| fair.contains(&(from, to)))?)?));
        }
        Ok(StepValues { normalised, kinds })
    }

    fn structure(&self, task: &FamilyTask<'_>, atoms: &Atoms) -> Result<Structure, Stopped> {
        let total = self.is_total(task);
        let all = self.steps(|_, _| true)?;
        let relation = |set: &Set| self.code.relation(&self.diagrams, set.clone());
        let possible = relation(&all.open)?;
        let mut filters = vec![Filter::Any];
        filters.extend((0..self.model.fair().len()).map(Filter::Fair));
        filters.extend(atoms.filters.iter().copied().filter(|filter| !matches!(filter, Filter::Any | Filter::Fair(_))));
        let mut steps = Vec::new();
        for filter in filters {
            let chosen = match filter {
                Filter::Any => all.clone(),
                Filter::Fair(at) => self.steps(|from, to| self.model.fair()[at].contains(&(from, to)))?,
                Filter::Action(_) => Pair::decided(self.diagrams.empty()),
            };
            let certain = if chosen.is_decided() { None } else { Some(relation(&chosen.yes)?) };
            let together = if total && !matches!(filter, Filter::Action(_)) {
                let unsure: TransitionRelation = relation(&all.open.minus(&chosen.open)?)?;
                Some((possible.sources(&self.diagrams)?.minus(&unsure.sources(&self.diagrams)?)?, possible.clone()))
            } else {
                None
            };
            steps.push((filter, Steps { possible: relation(&chosen.open)?, certain, hyper: None, together }));
        }
        let states = self.code.states(&self.diagrams, 0..self.model.state_count())?;
        Ok(Structure {
            diagrams: self.diagrams.clone(),
            bits: self.code.bits.clone(),
            states,
            steps,
            known: KnownFixpoints::default(),
        })
    }

    fn atoms(&self, formula: &Formula) -> Result<Atoms, FamilyError> {
        use tertium_logic::Node;
        let uses = |wanted: &dyn Fn(Node) -> bool| formula.nodes().iter().any(|&node| wanted(node));
        let mut errors = Vec::new();
        let mut atoms = Atoms::default();
        for (at, atom) in formula.atoms().iter().enumerate() {
            let prop = self.model.props().iter().position(|name| *name == atom.text);
            let used = uses(&|node| matches!(node, Node::Atom(id) if id.index() == at));
            atoms.labels.push(match prop {
                Some(prop) if used => Some(self.label(PropId::new(prop))?),
                _ => None,
            });
            if used && prop.is_none() {
                errors.push(BindError::Atom(at));
            }
        }
        for (at, name) in formula.elements().iter().enumerate() {
            let value = crate::task::belnap_by_name(name);
            if value.is_none() && uses(&|node| matches!(node, Node::Element(id) if id.index() == at)) {
                errors.push(BindError::Element(at));
            }
            atoms.elements.push(value.unwrap_or(Belnap::Unknown));
        }
        for (at, name) in formula.actions().iter().enumerate() {
            let constraint = name.strip_prefix(FAIR_PREFIX).and_then(|number| number.parse().ok());
            let constraint = constraint.filter(|&number: &usize| number < self.model.fair().len());
            let carries =
                |node| matches!(node, Node::Diamond(Some(id), _) | Node::Box(Some(id), _) if id.index() == at);
            if constraint.is_none() && uses(&carries) {
                errors.push(BindError::Action(at));
            }
            atoms.filters.push(constraint.map_or(Filter::Any, Filter::Fair));
        }
        if errors.is_empty() { Ok(atoms) } else { Err(FamilyError::Bind(errors)) }
    }

    fn label(&self, prop: PropId) -> Result<Pair, Stopped> {
        let entries = self.model.states().map(|state| (self.model.label(state, prop), state.index())).collect();
        self.valued(entries, |states: Vec<usize>| self.code.states(&self.diagrams, states.into_iter()))
    }

    /// What is left of a value at one state.
    fn at(&self, pair: &Pair, state: StateId, params: &[Bit]) -> Result<FamilyAnswer, FamilyError> {
        let mut here = self.code.states(&self.diagrams, std::iter::once(state.index()))?;
        let ended = self.ended.map(|(now, _)| now);
        if let Some(ended) = ended {
            here = here.minus(&self.diagrams.bit(ended)?)?;
        }
        let bits = self.diagrams.quantified(self.code.now().into_iter().chain(ended))?;
        let yes = pair.yes.and_exists(&here, &bits)?;
        let open = pair.open.and_exists(&here, &bits)?;
        let classes = [yes.and(&open)?, open.not().minus(&yes)?, open.minus(&yes)?.or(&yes.minus(&open)?)?];
        let mut cubes: [Vec<Cube>; 3] = Default::default();
        for (set, cubes) in classes.iter().zip(&mut cubes) {
            *cubes = set.cubes(params, MOST_CUBES)?;
        }
        let [holds, fails, open] = [0, 1, 2].map(|at| {
            let off: Vec<Cube> = (0..3).filter(|&other| other != at).flat_map(|other| cubes[other].clone()).collect();
            Condition::minimal(&cubes[at], &off)
        });
        let value = Belnap::from_evidence(holds.is_always(), fails.is_always());
        Ok(FamilyAnswer { value, holds, fails, open, evaluated: 1 })
    }
}
