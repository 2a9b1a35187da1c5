//! One set per join-irreducible element: values in any finite De Morgan lattice.
//!
//! The set of `j` holds the states whose value is at least `j`. Conjunction, disjunction and `EX` act on each set by itself; the
//! negation of the set of `j` is that of its partner.

use tertium_base::{StopReason, Stopped};
use tertium_dd::{Diagrams, Limits, Set, TransitionRelation, with_deep_stack};
use tertium_lattice::Element;
use tertium_logic::{ActionId, AtomId, ElementId};
use tertium_model::StateId;

use super::evaluate::value;
use super::listed::Code;
use super::values::Representation;
use crate::EngineError;
use crate::lattice_valued::{LatticeTask, lattice_supports};

/// The formula's value at every state.
///
/// # Errors
/// If the formula is not one of PML, CTL or mu-calculus, or a limit is reached.
pub fn lattice_values(task: &LatticeTask<'_>) -> Result<Vec<Element>, EngineError> {
    lattice_supports(task.formula)?;
    let on_its_own = with_deep_stack(|| values(task));
    Ok(on_its_own.map_err(|_| Stopped(StopReason::Memory))??)
}

fn values(task: &LatticeTask<'_>) -> Result<Vec<Element>, Stopped> {
    let cuts = Cuts::new(task)?;
    let sets = value(&cuts, task.formula)?;
    let lattice = task.model.lattice();
    let at = |state: StateId| {
        let holds = |j: Element| {
            let number = lattice.join_irreducibles().iter().position(|&known| known == j);
            number.is_some_and(|number| cuts.code.contains(&sets[number], state.index()))
        };
        lattice.from_cuts(holds)
    };
    Ok(task.model.states().map(at).collect())
}

struct Cuts {
    diagrams: Diagrams,
    code: Code,
    /// For each join-irreducible element its partner.
    partner: Vec<usize>,
    relations: Vec<TransitionRelation>,
    labels: Vec<Vec<Set>>,
    elements: Vec<Vec<bool>>,
}

impl Cuts {
    fn new(task: &LatticeTask<'_>) -> Result<Self, Stopped> {
        let (model, lattice) = (task.model, task.model.lattice());
        let irreducible = lattice.join_irreducibles();
        let code = Code::new(model.state_count(), 0);
        let size = (model.state_count() + model.edge_count()) * irreducible.len();
        let diagrams = Diagrams::new(2 * code.bits.len(), Limits::for_listed(size), task.budget)?;
        let mut relations = Vec::new();
        for &j in irreducible {
            let of = |state: StateId| {
                let edges = model.edges_from(state).iter().filter(|edge| lattice.cut(edge.value, j));
                edges.map(move |edge| (state, edge.target))
            };
            let steps = code.steps(&diagrams, model.states().flat_map(of))?;
            relations.push(code.relation(&diagrams, steps)?);
        }
        let mut labels = Vec::new();
        for &prop in &task.props {
            let mut sets = Vec::new();
            for &j in irreducible {
                let holds = |&state: &usize| lattice.cut(model.label(StateId::new(state), prop), j);
                let known = prop.index() < model.props().len();
                sets.push(code.states(&diagrams, (0..model.state_count()).filter(|_| known).filter(holds))?);
            }
            labels.push(sets);
        }
        let partner = |&j: &Element| irreducible.iter().position(|&other| other == lattice.star(j)).unwrap_or(0);
        let cuts_of = |&value: &Element| irreducible.iter().map(|&j| lattice.cut(value, j)).collect();
        Ok(Self {
            code,
            partner: irreducible.iter().map(partner).collect(),
            relations,
            labels,
            elements: task.elements.iter().map(cuts_of).collect(),
            diagrams,
        })
    }

    fn both(
        &self,
        a: &[Set],
        b: &[Set],
        map: impl Fn(&Set, &Set) -> Result<Set, Stopped>,
    ) -> Result<Vec<Set>, Stopped> {
        a.iter().zip(b).map(|(a, b)| map(a, b)).collect()
    }
}

impl Representation for Cuts {
    type Value = Vec<Set>;

    fn constant(&self, truth: bool) -> Vec<Set> {
        vec![self.diagrams.constant(truth); self.partner.len()]
    }

    fn element(&self, element: ElementId) -> Vec<Set> {
        self.elements[element.index()].iter().map(|&holds| self.diagrams.constant(holds)).collect()
    }

    fn atom(&self, atom: AtomId) -> Vec<Set> {
        self.labels[atom.index()].clone()
    }

    fn not(&self, a: &Vec<Set>) -> Result<Vec<Set>, Stopped> {
        Ok(self.partner.iter().map(|&partner| a[partner].not()).collect())
    }

    fn and(&self, a: &Vec<Set>, b: &Vec<Set>) -> Result<Vec<Set>, Stopped> {
        self.both(a, b, Set::and)
    }

    fn or(&self, a: &Vec<Set>, b: &Vec<Set>) -> Result<Vec<Set>, Stopped> {
        self.both(a, b, Set::or)
    }

    fn exists_next(&self, _: Option<ActionId>, a: &Vec<Set>) -> Result<Vec<Set>, Stopped> {
        self.relations.iter().zip(a).map(|(relation, target)| relation.preimage(target)).collect()
    }
}
