//! Any finite De Morgan lattice that a user writes down, as tables.
//!
//! A De Morgan lattice is a finite distributive lattice with a negation that turns the order round and
//! undoes itself. Everything is checked when it is made (`build.rs`), so that engines may
//! rely on the laws: every element is the join of the join-irreducible ones below it, and these are
//! prime, so a value can be computed as one Boolean per join-irreducible element (its *cuts*).

use std::collections::HashMap;

use crate::LatticeError;

/// An element of one lattice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Element(u16);

impl Element {
    #[expect(clippy::cast_possible_truncation, reason = "compared before")]
    pub(crate) const fn new(index: usize) -> Self {
        assert!(index < DeMorganLattice::MAX_ELEMENTS, "more elements than a lattice may have");
        Self(index as u16)
    }

    /// Its place in the list of elements.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A finite De Morgan lattice. `meet`, `join`, `neg` are look-ups.
///
/// ```
/// use tertium_lattice::DeMorganLattice;
/// let lattice = DeMorganLattice::new(
///     &["no", "maybe", "yes"],
///     &[("no", "maybe"), ("maybe", "yes")],
///     &[("no", "yes"), ("maybe", "maybe"), ("yes", "no")],
/// )?;
/// let (maybe, yes) = (lattice.element("maybe").unwrap(), lattice.element("yes").unwrap());
/// assert_eq!(lattice.meet(maybe, yes), maybe);
/// assert_eq!(lattice.join_irreducibles(), [maybe, yes]);
/// assert_eq!(lattice.star(maybe), yes);
/// # Ok::<(), tertium_lattice::LatticeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeMorganLattice {
    pub(crate) names: Vec<String>,
    pub(crate) places: HashMap<String, Element>,
    pub(crate) meets: Vec<Element>,
    pub(crate) joins: Vec<Element>,
    pub(crate) negations: Vec<Element>,
    pub(crate) bottom: Element,
    pub(crate) top: Element,
    pub(crate) irreducibles: Vec<Element>,
    /// Per element; meaningful for join-irreducible ones only.
    pub(crate) stars: Vec<Element>,
}

impl DeMorganLattice {
    /// More elements than this are refused: the tables grow with their square.
    pub const MAX_ELEMENTS: usize = 1024;

    /// The lattice with these elements. `below` lists pairs, the lower element first; all pairs of the
    /// order, the covering pairs, or anything between, since what follows by reflexivity and transitivity is
    /// added. `negation` lists each element with its negation.
    ///
    /// # Errors
    /// The first law that does not hold, with the elements that break it.
    pub fn new<S: AsRef<str>>(elements: &[S], below: &[(S, S)], negation: &[(S, S)]) -> Result<Self, LatticeError> {
        crate::build::from_tables(elements, below, negation)
    }

    /// How many elements there are; never zero.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// All elements, in the order of the list that they came from.
    pub fn elements(&self) -> impl DoubleEndedIterator<Item = Element> + ExactSizeIterator + use<> {
        (0..self.len()).map(Element::new)
    }

    /// The names of all elements, in their order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// An element's name.
    #[must_use]
    pub fn name(&self, element: Element) -> &str {
        &self.names[element.index()]
    }

    /// The element with this name.
    #[must_use]
    pub fn element(&self, name: &str) -> Option<Element> {
        self.places.get(name).copied()
    }

    /// The least element: false.
    #[must_use]
    pub fn bottom(&self) -> Element {
        self.bottom
    }

    /// The greatest element: true.
    #[must_use]
    pub fn top(&self) -> Element {
        self.top
    }

    /// Conjunction: the greatest element below both.
    #[inline]
    #[must_use]
    pub fn meet(&self, a: Element, b: Element) -> Element {
        self.meets[a.index() * self.len() + b.index()]
    }

    /// Disjunction: the least element above both.
    #[inline]
    #[must_use]
    pub fn join(&self, a: Element, b: Element) -> Element {
        self.joins[a.index() * self.len() + b.index()]
    }

    /// Negation.
    #[inline]
    #[must_use]
    pub fn neg(&self, a: Element) -> Element {
        self.negations[a.index()]
    }

    /// Whether `b` is at least as true as `a`.
    #[inline]
    #[must_use]
    pub fn leq(&self, a: Element, b: Element) -> bool {
        self.meet(a, b) == a
    }

    /// The elements that are neither bottom nor a join of others, in their order.
    #[must_use]
    pub fn join_irreducibles(&self) -> &[Element] {
        &self.irreducibles
    }

    /// The partner of a join-irreducible element `j`: for all `a`, `neg(a) >= j` iff not `a >= star(j)`.
    ///
    /// # Panics
    /// If `j` is not join-irreducible.
    #[must_use]
    pub fn star(&self, j: Element) -> Element {
        assert!(self.irreducibles.contains(&j), "`{}` is not join-irreducible", self.name(j));
        self.stars[j.index()]
    }

    /// The cut of `a` at a join-irreducible element: is `a` at least `j`?
    #[inline]
    #[must_use]
    pub fn cut(&self, a: Element, j: Element) -> bool {
        self.leq(j, a)
    }

    /// The element with these cuts: the join of the join-irreducible elements that `holds` accepts.
    #[must_use]
    pub fn from_cuts(&self, mut holds: impl FnMut(Element) -> bool) -> Element {
        self.irreducibles.iter().filter(|&&j| holds(j)).fold(self.bottom, |value, &j| self.join(value, j))
    }
}
