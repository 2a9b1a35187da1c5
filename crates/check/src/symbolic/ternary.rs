//! One diagram with three values: what two sets are compared with.
//!
//! Steps have three values too: certain, possible, none. So `EX` is one product. It is for structures without hyper edges in
//! which what is certain is possible; the measurements say when it pays.

use tertium_base::{BitSet, StopReason, Stopped};
use tertium_dd::{Bit, Limits, Ternary, TernaryRelation, TernaryStore, with_deep_stack};
use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_logic::{ActionId, AtomId, ElementId, Logic, Node};
use tertium_model::StateId;

use super::evaluate::value;
use super::listed::Code;
use super::values::Representation;
use crate::task::require_logic;
use crate::{EngineError, Filter, Task, Unsupported, Values, rounds};

/// The values of a formula of PML, CTL or the mu-calculus at every state.
///
/// # Errors
/// If the structure or the formula needs more than three values, or a limit is reached.
pub fn ternary_values(task: &Task<'_>) -> Result<Values, EngineError> {
    supported(task)?;
    let on_its_own = with_deep_stack(|| values(task));
    Ok(on_its_own.map_err(|_| Stopped(StopReason::Memory))??)
}

fn supported(task: &Task<'_>) -> Result<(), Unsupported> {
    require_logic("ternary", task.formula, &[Logic::Pml, Logic::Ctl, Logic::Mu])?;
    let decline = |reason: &str| Err(Unsupported { engine: "ternary", reason: reason.to_owned() });
    let total = task.model.total() || task.reading.deadlock == Deadlock::Total;
    if task.model.is_mixed() || task.model.hyper_count() > 0 || total {
        return decline("a step there is more than certain, possible or absent");
    }
    if task.reading.deadlock == Deadlock::Maximal && task.formula.logic() == Logic::Ctl {
        return decline("paths that end have no value among three");
    }
    let selects = |node: &Node| matches!(node, Node::Diamond(Some(action), _) | Node::Box(Some(action), _) if task.filters[action.index()] != Filter::Any);
    if task.formula.nodes().iter().any(selects) || task.elements.contains(&Belnap::Both) {
        return decline("it knows one kind of steps and three values");
    }
    if rounds::nesting(task.formula) > rounds::DEEPEST {
        return decline("its fixpoints nest too deep");
    }
    Ok(())
}

fn values(task: &Task<'_>) -> Result<Values, Stopped> {
    let model = task.model;
    let code = Code::new(model.state_count(), 0);
    let bits = 2 * code.bits.len();
    let store =
        TernaryStore::new(bits, Limits::for_listed(4 * (model.state_count() + model.edge_count())), task.budget)?;
    let mut rows = std::collections::BTreeMap::new();
    for state in model.states() {
        for edge in model.edges_from(state).filter(|edge| edge.may) {
            let certain = rows.entry(code.step(state, edge.target)).or_insert(false);
            *certain |= edge.must;
        }
    }
    let rows: Vec<(u128, Option<bool>)> =
        rows.into_iter().map(|(row, certain)| (row, certain.then_some(true))).collect();
    let relation = TernaryRelation { steps: split(&store, &code.both(), &rows)? };
    let mut labels = Vec::new();
    for &prop in &task.props {
        let known = prop.index() < model.props().len();
        let label = |state: StateId| match model.label(state, prop) {
            Belnap::True => Some((state.index() as u128, Some(true))),
            Belnap::Unknown => Some((state.index() as u128, None)),
            Belnap::False | Belnap::Both => None,
        };
        let rows: Vec<(u128, Option<bool>)> = model.states().filter(|_| known).filter_map(label).collect();
        labels.push(split(&store, &code.now(), &rows)?);
    }
    let ternaries = Ternaries { store, relation, labels, elements: task.elements.clone() };
    let found = value(&ternaries, task.formula)?;
    let digits = code.bits.len();
    let at = |state: usize| {
        found.value(bits, |bit| bit.index().is_multiple_of(2) && state >> (digits - 1 - bit.index() / 2) & 1 == 1)
    };
    Ok(Values {
        for_true: BitSet::from_fn(model.state_count(), |state| at(state) == Some(true)),
        not_refuted: BitSet::from_fn(model.state_count(), |state| at(state) != Some(false)),
    })
}

/// The function with these values at these rows and false elsewhere; as deep as there are digits.
fn split(store: &TernaryStore, bits: &[Bit], rows: &[(u128, Option<bool>)]) -> Result<Ternary, Stopped> {
    let Some((first, rest)) = bits.split_first() else {
        return Ok(store.constant(rows.first().map_or(Some(false), |&(_, value)| value)));
    };
    if rows.is_empty() {
        return Ok(store.constant(Some(false)));
    }
    let at = rows.partition_point(|(row, _)| row >> rest.len() & 1 == 0);
    let (no, yes) = (split(store, rest, &rows[..at])?, split(store, rest, &rows[at..])?);
    store.branch(*first, &yes, &no)
}

struct Ternaries {
    store: TernaryStore,
    relation: TernaryRelation,
    labels: Vec<Ternary>,
    elements: Vec<Belnap>,
}

impl Representation for Ternaries {
    type Value = Ternary;

    fn constant(&self, truth: bool) -> Ternary {
        self.store.constant(Some(truth))
    }

    fn element(&self, element: ElementId) -> Ternary {
        self.store.constant(match self.elements[element.index()] {
            Belnap::True => Some(true),
            Belnap::False => Some(false),
            Belnap::Unknown | Belnap::Both => None,
        })
    }

    fn atom(&self, atom: AtomId) -> Ternary {
        self.labels[atom.index()].clone()
    }

    fn not(&self, a: &Ternary) -> Result<Ternary, Stopped> {
        a.not()
    }

    fn and(&self, a: &Ternary, b: &Ternary) -> Result<Ternary, Stopped> {
        a.and(b)
    }

    fn or(&self, a: &Ternary, b: &Ternary) -> Result<Ternary, Stopped> {
        a.or(b)
    }

    fn exists_next(&self, _: Option<ActionId>, a: &Ternary) -> Result<Ternary, Stopped> {
        self.store.exists_next(&self.relation, a)
    }
}
