//! What is so under some parameters and not under others?
//!
//! A parameterised structure has edges and labels whose values are `t`, `u`, `f` or boolean expressions over
//! parameters. Each assignment of the parameters gives an ordinary structure ([`ParamModel::instance`]).
//!
//! Not here: checking all instances at once, which is an engine's business.

use tertium_base::Stopped;
use tertium_lattice::{Belnap, Kleene};

use crate::builder::{KmtsBuilder, ModelTooLarge};
use crate::expr::{ExprId, ExprTable};
use crate::kmts::{Kmts, PropId, StateId};
use crate::names::Names;

/// The value of an edge or a label before the parameters are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParamValue {
    /// The same in every instance.
    Constant(Kleene),
    /// True in the instances that satisfy the expression, false in the others.
    Expr(ExprId),
}

/// An edge with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParamEdge {
    /// Where it begins.
    pub from: StateId,
    /// Where it leads.
    pub to: StateId,
    /// Whether it is there; parallel edges count as their disjunction.
    pub value: ParamValue,
}

/// A parameterised structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamModel {
    pub(crate) state_names: Names,
    pub(crate) props: Vec<String>,
    pub(crate) params: Vec<String>,
    pub(crate) exprs: ExprTable,
    /// State by state, in the order of `props`.
    pub(crate) labels: Vec<ParamValue>,
    /// Sorted; edges of one state stand together.
    pub(crate) edges: Vec<ParamEdge>,
    pub(crate) edge_offsets: Vec<u32>,
    pub(crate) fair: Vec<Vec<(StateId, StateId)>>,
    pub(crate) init: Vec<StateId>,
    pub(crate) total: bool,
}

impl ParamModel {
    /// How many states there are.
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

    /// The propositions' names.
    #[must_use]
    pub fn props(&self) -> &[String] {
        &self.props
    }

    /// The parameters' names.
    #[must_use]
    pub fn params(&self) -> &[String] {
        &self.params
    }

    /// The expressions that values refer to.
    #[must_use]
    pub fn exprs(&self) -> &ExprTable {
        &self.exprs
    }

    /// The value of a proposition at a state.
    #[must_use]
    pub fn label(&self, state: StateId, prop: PropId) -> ParamValue {
        self.labels[state.index() * self.props.len() + prop.index()]
    }

    /// All edges, sorted by source and target.
    #[must_use]
    pub fn edges(&self) -> &[ParamEdge] {
        &self.edges
    }

    /// A state's edges.
    #[must_use]
    pub fn edges_from(&self, state: StateId) -> &[ParamEdge] {
        let at = state.index();
        &self.edges[self.edge_offsets[at] as usize..self.edge_offsets[at + 1] as usize]
    }

    /// The fairness constraints as lists of edges.
    #[must_use]
    pub fn fair(&self) -> &[Vec<(StateId, StateId)>] {
        &self.fair
    }

    /// The initial states.
    #[must_use]
    pub fn init(&self) -> &[StateId] {
        &self.init
    }

    /// Whether the user asserts that every concrete state has a successor.
    #[must_use]
    pub fn total(&self) -> bool {
        self.total
    }

    /// A value as text that both file formats read.
    #[must_use]
    pub fn value_text(&self, value: ParamValue) -> String {
        match value {
            ParamValue::Constant(value) => Belnap::from(value).letter().to_owned(),
            ParamValue::Expr(expr) => self.exprs.print(expr, &self.params),
        }
    }

    /// The structure under one assignment, given in the order of [`Self::params`]: edges with value `t` are
    /// must and may, with `u` may only, with `f` absent; labels likewise.
    ///
    /// # Errors
    /// If there is more than the ids can count.
    ///
    /// # Panics
    /// If `assignment` has another length than there are parameters.
    pub fn instance(&self, assignment: &[bool]) -> Result<Kmts, ModelTooLarge> {
        assert_eq!(assignment.len(), self.params.len(), "one truth value a parameter");
        let holds = self.exprs.evaluate_all(assignment);
        let value = |value: ParamValue| match value {
            ParamValue::Constant(value) => value,
            ParamValue::Expr(expr) => Kleene::from(holds[expr.index()]),
        };
        let mut builder = KmtsBuilder::with_names(self.state_names.clone());
        let props: Vec<PropId> = self.props.iter().map(|name| builder.add_prop(name)).collect();
        for state in self.states() {
            for &prop in &props {
                builder.set_label(state, prop, Belnap::from(value(self.label(state, prop))));
            }
        }
        for edge in &self.edges {
            match value(edge.value) {
                Kleene::True => builder.add_edge(edge.from, edge.to, true, true, None),
                Kleene::Unknown => builder.add_edge(edge.from, edge.to, true, false, None),
                Kleene::False => {}
            }
        }
        for constraint in &self.fair {
            builder.add_fairness(constraint.iter().map(|&(from, to)| (from, to, None)).collect());
        }
        self.init.iter().for_each(|&state| builder.add_init(state));
        builder.set_total(self.total);
        builder.finish()
    }

    /// All assignments, the first parameter changing slowest, `false` before `true`.
    ///
    /// # Errors
    /// `Stopped(Count)` if there are more than 2^30 of them.
    pub fn assignments(&self) -> Result<impl Iterator<Item = Vec<bool>> + use<>, Stopped> {
        let count = self.params.len();
        if count > 30 {
            return Err(Stopped(tertium_base::StopReason::Count));
        }
        Ok((0..1usize << count).map(move |bits| (0..count).map(|at| bits >> (count - 1 - at) & 1 != 0).collect()))
    }
}
