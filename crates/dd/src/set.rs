//! Which rows belong to a set? Reduced ordered binary decision diagrams (Bryant 1986) with complemented edges (Brace, Rudell,
//! Bryant 1990), and the operations on them.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use oxidd::util::num::F64;
use oxidd::util::{OptBool, SatCountCache};
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function as _, FunctionSubst, Subst};
use oxidd_core::{DiagramRules as _, HasLevel as _, Manager as _, Node};
use oxidd_rules_bdd::complement_edge::BCDDRules;
use tertium_base::narrow::to_u32;
use tertium_base::{StopReason, Stopped};

use crate::manager::Function;
use crate::store::{Bit, Store};

/// A set of rows of one store. Equal sets are equal values; comparing takes no time.
#[derive(Clone)]
pub struct Set {
    pub(crate) function: Function,
    pub(crate) store: Arc<Store>,
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function
    }
}

impl Eq for Set {}

impl std::hash::Hash for Set {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

impl std::fmt::Debug for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "set of {} nodes", self.nodes())
    }
}

/// Two to this, twice, is a number of floating point.
const MOST_COUNTED: usize = 1000;

/// The root of a set's diagram.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Root {
    /// The terminal for the empty set: no row belongs to it.
    Empty,
    /// The terminal for the full set: every row belongs to it.
    Full,
    /// A node for one bit, with both cofactors.
    Node {
        /// The bit.
        bit: Bit,
        /// Where it is not set.
        unset: Set,
        /// Where it is set.
        set: Set,
    },
}

/// Some bits, to be quantified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantifiedBits(pub(crate) Set);

/// New names for some bits.
#[derive(Clone)]
pub struct Renaming {
    substitution: Arc<Subst<Function>>,
    nothing: bool,
}

impl std::fmt::Debug for Renaming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.nothing { "renaming of nothing" } else { "renaming" })
    }
}

impl Renaming {
    pub(crate) fn new(from: Vec<u32>, to: Vec<Function>) -> Self {
        Self { nothing: from.is_empty(), substitution: Arc::new(Subst::new(from, to)) }
    }
}

impl Set {
    pub(crate) fn new(function: Function, store: Arc<Store>) -> Self {
        Self { function, store }
    }

    /// Rows of both sets.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn and(&self, other: &Self) -> Result<Self, Stopped> {
        self.store.run(|| self.function.and(&other.function))
    }

    /// Rows of either set.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn or(&self, other: &Self) -> Result<Self, Stopped> {
        self.store.run(|| self.function.or(&other.function))
    }

    /// Rows of this set that are not in the other.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn minus(&self, other: &Self) -> Result<Self, Stopped> {
        self.and(&other.not())
    }

    /// Equivalence: rows that both sets have, or neither.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn iff(&self, other: &Self) -> Result<Self, Stopped> {
        self.store.run(|| self.function.equiv(&other.function))
    }

    /// If-then-else: rows of `yes` where this set is, of `no` elsewhere.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn ite(&self, yes: &Self, no: &Self) -> Result<Self, Stopped> {
        if yes == no {
            return Ok(yes.clone());
        }
        self.store.run(|| self.function.ite(&yes.function, &no.function))
    }

    /// All other rows. Takes no time and no node: the edge to the diagram is marked.
    #[must_use]
    pub fn not(&self) -> Self {
        match self.function.not() {
            Ok(function) => Self { function, store: Arc::clone(&self.store) },
            Err(_) => unreachable!("a mark on an edge needs no node"),
        }
    }

    /// Existential quantification: the rows that are in the set for some value of these bits.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn exists(&self, bits: &QuantifiedBits) -> Result<Self, Stopped> {
        self.store.run(|| self.function.exists(&bits.0.function))
    }

    /// The relational product: as `self.and(other)` and then [`Self::exists`], in one go.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn and_exists(&self, other: &Self, bits: &QuantifiedBits) -> Result<Self, Stopped> {
        self.store.run(|| self.function.apply_exists(BooleanOperator::And, &other.function, &bits.0.function))
    }

    /// The same set with other bits. The new names must not occur in the set unless they are renamed themselves.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn renamed(&self, renaming: &Renaming) -> Result<Self, Stopped> {
        if renaming.nothing {
            return Ok(self.clone());
        }
        self.store.run(|| self.function.substitute(renaming.substitution.as_ref()))
    }

    /// Whether it has no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.function.satisfiable()
    }

    /// Whether it has every row.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.function.valid()
    }

    /// Whether every row of this set is in the other.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn is_subset(&self, other: &Self) -> Result<bool, Stopped> {
        Ok(self.minus(other)?.is_empty())
    }

    /// How many rows there are over `bits` bits (the set must depend on no other), as a power of two: 3.0 for eight rows.
    /// None for the empty set, and where even that is no number.
    #[must_use]
    pub fn log2_count(&self, bits: usize) -> Option<f64> {
        let mut cache: SatCountCache<F64, std::hash::RandomState> = SatCountCache::default();
        let scale = bits.min(MOST_COUNTED);
        let scaled = self.function.sat_count(to_u32(scale), &mut cache).0;
        (scaled > 0.0).then(|| scaled.log2() + (bits - scale) as f64)
    }

    /// How many rows there are over `bits` bits; exact up to 2^53.
    #[must_use]
    pub fn count(&self, bits: usize) -> f64 {
        if bits > MOST_COUNTED {
            return self.log2_count(bits).map_or(0.0, f64::exp2);
        }
        let mut cache: SatCountCache<F64, std::hash::RandomState> = SatCountCache::default();
        self.function.sat_count(to_u32(bits), &mut cache).0
    }

    /// The values of these bits in one row of the set, none if it is empty: of all rows the one whose first set bit
    /// comes last, so that equal sets give equal rows.
    #[must_use]
    pub fn pick(&self, bits: &[Bit]) -> Option<Vec<bool>> {
        let cube = self.function.pick_cube(|_, _, _| false)?;
        Some(bits.iter().map(|bit| cube.get(bit.index()) == Some(&OptBool::True)).collect())
    }

    /// The set as a union of disjoint cubes over these bits, of which it must not depend on any other.
    ///
    /// # Errors
    /// `Stopped` if there are more than `most`, or another limit is reached.
    pub fn cubes(&self, bits: &[Bit], most: usize) -> Result<Vec<Vec<Option<bool>>>, Stopped> {
        let mut rest = self.clone();
        let mut cubes = Vec::new();
        while let Some(cube) = rest.function.pick_cube(|_, _, _| false) {
            if cubes.len() >= most {
                return Err(Stopped(StopReason::Count));
            }
            let value = |bit: &Bit| match cube.get(bit.index()) {
                Some(OptBool::True) => Some(true),
                Some(OptBool::False) => Some(false),
                _ => None,
            };
            let values: Vec<Option<bool>> = bits.iter().map(value).collect();
            let fixed: Vec<(Bit, bool)> =
                bits.iter().zip(&values).filter_map(|(&bit, &value)| Some((bit, value?))).collect();
            rest = rest.minus(&self.store.cube(&fixed)?)?;
            cubes.push(values);
        }
        Ok(cubes)
    }

    /// Whether the row with these set bits belongs to it; the other bits are not set.
    #[must_use]
    pub fn contains(&self, set: impl Fn(Bit) -> bool) -> bool {
        let bits = self.store.bit_count();
        self.function.eval((0..bits).map(|bit| (to_u32(bit), set(Bit::new(bit)))))
    }

    /// The root of its diagram. Following the cofactors visits every node, which is how a set is written down.
    #[must_use]
    pub fn root(&self) -> Root {
        let Some((set, unset)) = self.function.cofactors() else {
            return if self.is_empty() { Root::Empty } else { Root::Full };
        };
        let level = self.level();
        let part = |function| Self { function, store: Arc::clone(&self.store) };
        Root::Node { bit: Bit::new(level as usize), unset: part(unset), set: part(set) }
    }

    /// The number of the first bit that it depends on, since bits stand in the order of their numbers; the largest number if
    /// it depends on none.
    pub(crate) fn level(&self) -> u32 {
        self.function.with_manager_shared(|manager, edge| manager.get_node(edge).level())
    }

    /// The support: the bits that it depends on, in order.
    #[must_use]
    pub fn support(&self) -> Vec<Bit> {
        self.function.with_manager_shared(|manager, root| {
            let (mut seen, mut levels, mut open) = (HashSet::new(), BTreeSet::new(), vec![root]);
            while let Some(edge) = open.pop() {
                let Node::Inner(node) = manager.get_node(edge) else { continue };
                if seen.insert(edge.node_id()) {
                    levels.insert(node.level());
                    open.extend([0, 1].map(|side| BCDDRules::cofactor(edge.tag(), node, side)));
                }
            }
            levels.into_iter().map(|level| Bit::new(level as usize)).collect()
        })
    }

    /// How many nodes its diagram has.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.function.node_count()
    }
}
