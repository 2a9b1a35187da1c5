//! How is a parameterised structure put together?
//!
//! States come with all their labels, edges in any order. Boolean functions of the parameters become expressions without
//! redundant parts ([`ParamBuilder::function`]).

use tertium_base::narrow::to_u32;
use tertium_lattice::Kleene;

use crate::builder::ModelTooLarge;
use crate::expr::{ExprId, ExprNode, ExprTable, ParamId};
use crate::kmts::{StateId, TARGET};
use crate::names::Names;
use crate::param::{ParamEdge, ParamModel, ParamValue};

/// A parameterised structure in the making.
#[derive(Clone, Debug, Default)]
pub struct ParamBuilder {
    names: Names,
    props: Vec<String>,
    params: Vec<String>,
    exprs: ExprTable,
    labels: Vec<ParamValue>,
    edges: Vec<ParamEdge>,
    init: Vec<StateId>,
    total: bool,
}

impl ParamBuilder {
    /// A structure over these parameters and propositions, without states.
    #[must_use]
    pub fn new(params: Vec<String>, props: Vec<String>) -> Self {
        Self { params, props, ..Self::default() }
    }

    /// Adds a state with one label for each proposition; labels that are left out are unknown.
    pub fn add_state(&mut self, name: &str, labels: &[ParamValue]) -> StateId {
        let state = StateId::new(self.names.len());
        self.names.push(name);
        let unknown = ParamValue::Constant(Kleene::Unknown);
        self.labels.extend((0..self.props.len()).map(|at| labels.get(at).copied().unwrap_or(unknown)));
        state
    }

    /// Adds an edge; parallel edges count as their disjunction.
    pub fn add_edge(&mut self, from: StateId, to: StateId, value: ParamValue) {
        if value != ParamValue::Constant(Kleene::False) {
            self.edges.push(ParamEdge { from, to, value });
        }
    }

    /// Adds an initial state.
    pub fn add_init(&mut self, state: StateId) {
        self.init.push(state);
    }

    /// Says whether every concrete state has a successor.
    pub fn set_total(&mut self, total: bool) {
        self.total = total;
    }

    /// The value that is true under the assignments for which `holds` says so. An assignment is a number: bit `p` is the value
    /// of parameter `p`.
    pub fn function(&mut self, holds: &dyn Fn(usize) -> bool) -> ParamValue {
        let count = self.params.len();
        let all = 0..1usize << count;
        if all.clone().all(holds) {
            return ParamValue::Constant(Kleene::True);
        }
        if !all.clone().any(holds) {
            return ParamValue::Constant(Kleene::False);
        }
        let cubes = prime_cover(count, holds);
        let parts: Vec<ExprId> = cubes.iter().map(|cube| self.cube(count, *cube)).collect();
        ParamValue::Expr(if parts.len() == 1 { parts[0] } else { self.exprs.add(ExprNode::Or(parts)) })
    }

    fn cube(&mut self, count: usize, (care, value): (usize, usize)) -> ExprId {
        let mut literals = Vec::new();
        for at in (0..count).filter(|at| care >> at & 1 != 0) {
            let param = self.exprs.add(ExprNode::Param(ParamId::new(at)));
            literals.push(if value >> at & 1 != 0 { param } else { self.exprs.add(ExprNode::Not(param)) });
        }
        if literals.len() == 1 { literals[0] } else { self.exprs.add(ExprNode::And(literals)) }
    }

    /// The structure.
    ///
    /// # Errors
    /// If there is more than the ids can count.
    pub fn finish(mut self) -> Result<ParamModel, ModelTooLarge> {
        let states = self.names.len();
        let most = TARGET as usize;
        if states > most || self.edges.len() > u32::MAX as usize {
            return Err(ModelTooLarge { what: "states", limit: most });
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        let mut edge_offsets = vec![0u32; states + 1];
        for edge in &self.edges {
            edge_offsets[edge.from.index() + 1] += 1;
        }
        for at in 0..states {
            edge_offsets[at + 1] += edge_offsets[at];
        }
        debug_assert_eq!(edge_offsets[states], to_u32(self.edges.len()));
        Ok(ParamModel {
            state_names: self.names,
            props: self.props,
            params: self.params,
            exprs: self.exprs,
            labels: self.labels,
            edges: self.edges,
            edge_offsets,
            fair: Vec::new(),
            init: self.init,
            total: self.total,
        })
    }
}

/// An irredundant set of prime implicants (Quine, McCluskey) of a function of few parameters: for each the parameters that
/// it fixes, and their values.
fn prime_cover(count: usize, holds: &dyn Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let whole = (1usize << count) - 1;
    let inside = |care: usize, value: usize| (0..=whole).filter(move |at| at & care == value);
    let mut primes: Vec<(usize, usize)> = Vec::new();
    let mut cares: Vec<usize> = (0..=whole).collect();
    cares.sort_by_key(|care| care.count_ones());
    for care in cares {
        for value in (0..=whole).filter(|value| value & !care == 0) {
            let known = primes.iter().any(|&(wide, fixed)| care & wide == wide && value & wide == fixed);
            if !known && inside(care, value).all(holds) {
                primes.push((care, value));
            }
        }
    }
    let mut at = primes.len();
    while at > 0 {
        at -= 1;
        let (care, value) = primes[at];
        let covered = |point: usize| {
            let others = primes.iter().enumerate().filter(|(other, _)| *other != at);
            others.into_iter().any(|(_, &(care, value))| point & care == value)
        };
        if inside(care, value).all(covered) {
            primes.remove(at);
        }
    }
    primes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_covered_exactly() {
        for table in 0..256usize {
            let mut builder = ParamBuilder::new(["x1", "x2", "x3"].map(str::to_owned).to_vec(), vec!["p".to_owned()]);
            let value = builder.function(&|at| table >> at & 1 != 0);
            builder.add_state("s", &[value]);
            let model = builder.finish().unwrap();
            for at in 0..8usize {
                let given: Vec<bool> = (0..3).map(|bit| at >> bit & 1 != 0).collect();
                let instance = model.instance(&given).unwrap();
                let label = instance.label(StateId::new(0), crate::kmts::PropId::new(0));
                assert_eq!(label, tertium_lattice::Belnap::from(table >> at & 1 != 0), "{table:b} at {at:b}");
            }
        }
    }

    #[test]
    fn expressions_are_short() {
        let mut builder = ParamBuilder::new(["x1", "x2"].map(str::to_owned).to_vec(), Vec::new());
        let value = builder.function(&|at| at != 0);
        let model = builder.finish().unwrap();
        assert_eq!(model.value_text(value), "x1 | x2");
    }
}
