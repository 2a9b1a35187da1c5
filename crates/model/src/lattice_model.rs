//! Structures whose edges and labels take values in any finite De Morgan lattice.
//!
//! Not here: the lattice itself (crate `lattice`) and evaluation.

use tertium_lattice::{DeMorganLattice, Element};

use crate::kmts::{PropId, StateId};
use crate::names::Names;

/// An edge with its value as seen from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatticeEdge {
    /// Where it leads.
    pub target: StateId,
    /// How true it is that the edge is there. Edges that are not mentioned have the bottom element.
    pub value: Element,
}

/// A lattice-valued structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatticeModel {
    pub(crate) lattice: DeMorganLattice,
    pub(crate) lattice_name: Option<String>,
    /// Whether the name is enough to know the lattice, so that writers need not spell it out.
    pub(crate) built_in: bool,
    pub(crate) state_names: Names,
    pub(crate) props: Vec<String>,
    /// State by state, in the order of `props`.
    pub(crate) labels: Vec<Element>,
    pub(crate) edge_offsets: Vec<u32>,
    /// Sorted by target; parallel edges are joined.
    pub(crate) edges: Vec<LatticeEdge>,
    pub(crate) init: Vec<StateId>,
}

impl LatticeModel {
    /// The lattice of values.
    #[must_use]
    pub fn lattice(&self) -> &DeMorganLattice {
        &self.lattice
    }

    /// The name that the input gives the lattice.
    #[must_use]
    pub fn lattice_name(&self) -> Option<&str> {
        self.lattice_name.as_deref()
    }

    /// How many states there are; zero if the input describes a lattice alone.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.state_names.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + ExactSizeIterator + use<> {
        (0..self.state_count()).map(StateId::new)
    }

    /// A state's name.
    #[must_use]
    pub fn state_name(&self, state: StateId) -> &str {
        self.state_names.get(state.index())
    }

    /// The names of all states.
    #[must_use]
    pub fn state_names(&self) -> &Names {
        &self.state_names
    }

    /// The state with this name.
    #[must_use]
    pub fn state_by_name(&self, name: &str) -> Option<StateId> {
        self.state_names.position(name).map(StateId::new)
    }

    /// The propositions' names.
    #[must_use]
    pub fn props(&self) -> &[String] {
        &self.props
    }

    /// The value of a proposition at a state.
    #[must_use]
    pub fn label(&self, state: StateId, prop: PropId) -> Element {
        self.labels[state.index() * self.props.len() + prop.index()]
    }

    /// A state's edges, by target.
    #[must_use]
    pub fn edges_from(&self, state: StateId) -> &[LatticeEdge] {
        let at = state.index();
        &self.edges[self.edge_offsets[at] as usize..self.edge_offsets[at + 1] as usize]
    }

    /// How many edges there are.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The initial states.
    #[must_use]
    pub fn init(&self) -> &[StateId] {
        &self.init
    }
}
