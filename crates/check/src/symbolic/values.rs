//! How the values of a formula at all states are held, and the operators on them.
//!
//! One interface, three ways: two sets ([`Pairs`]), one set per join-irreducible element of a lattice (`cuts`), one diagram with
//! three values (`ternary`).

use tertium_base::Stopped;
use tertium_dd::Set;
use tertium_lattice::Belnap;
use tertium_logic::{ActionId, AtomId, ElementId};

use super::evaluate::Atoms;
use super::structure::{Steps, Structure};
use crate::Filter;

/// Values at all states with the operators of branching logics.
pub(super) trait Representation {
    /// The values of one formula.
    type Value: Clone + PartialEq;

    /// True everywhere, or false everywhere.
    fn constant(&self, truth: bool) -> Self::Value;
    /// A constant of the formula.
    fn element(&self, element: ElementId) -> Self::Value;
    /// An atom's labels.
    fn atom(&self, atom: AtomId) -> Self::Value;
    /// Negation.
    fn not(&self, a: &Self::Value) -> Result<Self::Value, Stopped>;
    /// Conjunction.
    fn and(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Stopped>;
    /// Disjunction.
    fn or(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Stopped>;
    /// `EX`, along the steps that an action selects.
    fn exists_next(&self, action: Option<ActionId>, a: &Self::Value) -> Result<Self::Value, Stopped>;

    /// `E[a U b]`.
    fn exists_until(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Stopped> {
        let mut value = b.clone();
        loop {
            let next = self.exists_next(None, &value)?;
            let next = self.or(&value, &self.and(a, &next)?)?;
            if next == value {
                return Ok(value);
            }
            value = next;
        }
    }

    /// `E[a R b]`.
    fn exists_release(&self, a: &Self::Value, b: &Self::Value) -> Result<Self::Value, Stopped> {
        let mut value = b.clone();
        loop {
            let next = self.exists_next(None, &value)?;
            let next = self.and(&value, &self.or(a, &next)?)?;
            if next == value {
                return Ok(value);
            }
            value = next;
        }
    }
}

/// Evidence for true, and not refuted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// States whose value carries evidence for true.
    pub yes: Set,
    /// States whose value is not refuted.
    pub open: Set,
}

impl Pair {
    /// A value that is decided everywhere.
    #[must_use]
    pub fn decided(set: Set) -> Self {
        Self { yes: set.clone(), open: set }
    }

    /// The value of the negation.
    #[must_use]
    pub fn not(&self) -> Self {
        Self { yes: self.open.not(), open: self.yes.not() }
    }

    /// Whether it is decided everywhere.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        self.yes == self.open
    }

    fn both(&self, other: &Self, map: impl Fn(&Set, &Set) -> Result<Set, Stopped>) -> Result<Self, Stopped> {
        if self.is_decided() && other.is_decided() {
            return Ok(Self::decided(map(&self.yes, &other.yes)?));
        }
        Ok(Self { yes: map(&self.yes, &other.yes)?, open: map(&self.open, &other.open)? })
    }
}

/// Values as two sets.
pub(super) struct Pairs<'s> {
    pub structure: &'s Structure,
    pub atoms: &'s Atoms,
    /// Whether a path may end where there is no step.
    pub ending: bool,
    all: &'s Steps,
}

impl<'s> Pairs<'s> {
    pub fn new(structure: &'s Structure, atoms: &'s Atoms, ending: bool) -> Option<Self> {
        Some(Self { structure, atoms, ending, all: structure.steps(Filter::Any)? })
    }

    fn belnap(&self, value: Belnap) -> Pair {
        let constant = |all| self.structure.diagrams.constant(all);
        Pair { yes: constant(value.for_true()), open: constant(value.not_refuted()) }
    }

    /// The same sets for both sides where nothing is open.
    fn once(&self, a: &Pair, b: &Pair) -> bool {
        a.is_decided() && b.is_decided() && self.all.is_complete()
    }

    /// Where a possible step leads into `target` or, if paths may end, nothing forces a step.
    fn perhaps_onward(&self, target: &Set) -> Result<Set, Stopped> {
        let found = self.all.possible.preimage(target)?;
        if self.ending { found.or(&self.all.pushed(&self.structure.diagrams)?.not()) } else { Ok(found) }
    }

    /// Where something certain leads into `target` or, if paths may end, every possible step does.
    fn surely_onward(&self, target: &Set) -> Result<Set, Stopped> {
        let found = self.all.surely_before(target)?;
        if self.ending { found.or(&self.all.possible.preimage(&target.not())?.not()) } else { Ok(found) }
    }

    fn shrink(&self, a: &Set, b: &Set, onward: impl Fn(&Set) -> Result<Set, Stopped>) -> Result<Set, Stopped> {
        let mut inside = b.and(&self.structure.states)?;
        loop {
            let next = inside.and(&a.or(&onward(&inside)?)?)?;
            if next == inside {
                return Ok(inside);
            }
            inside = next;
        }
    }

    fn grow_surely(&self, a: &Set, b: &Set) -> Result<Set, Stopped> {
        if self.all.is_plain() {
            return self.all.sure().backward_reachable(b, Some(a));
        }
        let mut reached = b.clone();
        loop {
            let next = reached.or(&a.and(&self.all.surely_before(&reached)?)?)?;
            if next == reached {
                return Ok(reached);
            }
            reached = next;
        }
    }
}

impl Representation for Pairs<'_> {
    type Value = Pair;

    fn constant(&self, truth: bool) -> Pair {
        Pair::decided(self.structure.diagrams.constant(truth))
    }

    fn element(&self, element: ElementId) -> Pair {
        self.belnap(self.atoms.elements.get(element.index()).copied().unwrap_or(Belnap::Unknown))
    }

    fn atom(&self, atom: AtomId) -> Pair {
        let label = self.atoms.labels.get(atom.index()).and_then(Option::as_ref);
        label.cloned().unwrap_or_else(|| self.belnap(Belnap::Unknown))
    }

    fn not(&self, a: &Pair) -> Result<Pair, Stopped> {
        Ok(a.not())
    }

    fn and(&self, a: &Pair, b: &Pair) -> Result<Pair, Stopped> {
        a.both(b, Set::and)
    }

    fn or(&self, a: &Pair, b: &Pair) -> Result<Pair, Stopped> {
        a.both(b, Set::or)
    }

    fn exists_next(&self, action: Option<ActionId>, a: &Pair) -> Result<Pair, Stopped> {
        let filter = action.map_or(Filter::Any, |action| self.atoms.filters[action.index()]);
        let Some(steps) = self.structure.steps(filter) else { return Ok(self.belnap(Belnap::Unknown)) };
        let open = steps.possible.preimage(&a.open)?;
        let yes = if a.is_decided() && steps.is_complete() { open.clone() } else { steps.surely_before(&a.yes)? };
        Ok(Pair { yes, open })
    }

    fn exists_until(&self, a: &Pair, b: &Pair) -> Result<Pair, Stopped> {
        let states = &self.structure.states;
        let (room, goal) = (a.open.and(states)?, b.open.and(states)?);
        if self.once(a, b) {
            return Ok(Pair::decided(self.all.possible.backward_reachable(&goal, Some(&room))?));
        }
        let (sure_room, sure_goal) = (a.yes.and(states)?, b.yes.and(states)?);
        let yes = self.grow_surely(&sure_room, &sure_goal)?;
        // What surely happens may happen, so the wider search begins where the narrower one ended.
        let within = sure_room.minus(&room)?.is_empty() && sure_goal.minus(&goal)?.is_empty();
        let start = if within && self.all.is_consistent()? { goal.or(&yes)? } else { goal };
        let open = self.all.possible.backward_reachable(&start, Some(&room))?;
        Ok(Pair { yes, open })
    }

    fn exists_release(&self, a: &Pair, b: &Pair) -> Result<Pair, Stopped> {
        let open = self.shrink(&a.open, &b.open, |inside| self.perhaps_onward(inside))?;
        if self.once(a, b) {
            return Ok(Pair::decided(open));
        }
        let yes = self.shrink(&a.yes, &b.yes, |inside| self.surely_onward(inside))?;
        Ok(Pair { yes, open })
    }
}
