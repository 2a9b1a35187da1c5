//! The laws of truth domains, as checks that try everything.
//!
//! For the tests of this crate and of anyone who adds a domain. Each check panics with the values that
//! break its law.

use crate::{DeMorganLattice, Element, TruthValue};

/// Every law of [`TruthValue`], on all values.
///
/// # Panics
/// If a law does not hold.
pub fn truth_domain<V: TruthValue>() {
    values_are_listed_once::<V>();
    orders_are_partial::<V>();
    truth_order_is_a_distributive_lattice::<V>();
    negation_is_de_morgan::<V>();
    connectives_respect_information::<V>();
}

fn values_are_listed_once<V: TruthValue>() {
    for (at, a) in V::ALL.iter().enumerate() {
        assert!(!V::ALL[..at].contains(a), "{a:?} twice");
    }
    assert!(V::ALL.contains(&V::FALSE) && V::ALL.contains(&V::TRUE));
}

fn orders_are_partial<V: TruthValue>() {
    is_partial_order(V::ALL, V::truth_le, "truth");
    is_partial_order(V::ALL, V::info_le, "information");
}

fn is_partial_order<T: Copy + Eq + std::fmt::Debug>(all: &[T], leq: impl Fn(T, T) -> bool, name: &str) {
    for &a in all {
        assert!(leq(a, a), "{name}: {a:?} is not below itself");
        for &b in all {
            assert!(a == b || !(leq(a, b) && leq(b, a)), "{name}: {a:?} and {b:?} are below each other");
            for &c in all {
                assert!(leq(a, c) || !(leq(a, b) && leq(b, c)), "{name}: {a:?} to {b:?} to {c:?}");
            }
        }
    }
}

fn truth_order_is_a_distributive_lattice<V: TruthValue>() {
    is_distributive_lattice(V::ALL, V::truth_le, V::and, V::or);
    for &a in V::ALL {
        assert!(V::FALSE.truth_le(a) && a.truth_le(V::TRUE), "{a:?} is outside");
    }
}

fn is_distributive_lattice<T: Copy + Eq + std::fmt::Debug>(
    all: &[T],
    leq: impl Fn(T, T) -> bool,
    and: impl Fn(T, T) -> T,
    or: impl Fn(T, T) -> T,
) {
    for &a in all {
        for &b in all {
            assert!(leq(and(a, b), a) && leq(and(a, b), b), "meet of {a:?} and {b:?} is no lower bound");
            assert!(leq(a, or(a, b)) && leq(b, or(a, b)), "join of {a:?} and {b:?} is no upper bound");
            assert_eq!(and(a, or(a, b)), a, "absorption: {a:?}, {b:?}");
            assert_eq!(or(a, and(a, b)), a, "absorption: {a:?}, {b:?}");
            for &c in all {
                assert!(leq(c, and(a, b)) || !(leq(c, a) && leq(c, b)), "meet of {a:?} and {b:?} misses {c:?}");
                assert!(leq(or(a, b), c) || !(leq(a, c) && leq(b, c)), "join of {a:?} and {b:?} misses {c:?}");
                assert_eq!(and(a, or(b, c)), or(and(a, b), and(a, c)), "distributivity: {a:?}, {b:?}, {c:?}");
                assert_eq!(and(a, and(b, c)), and(and(a, b), c), "associativity: {a:?}, {b:?}, {c:?}");
                assert_eq!(or(a, or(b, c)), or(or(a, b), c), "associativity: {a:?}, {b:?}, {c:?}");
            }
        }
    }
}

fn negation_is_de_morgan<V: TruthValue>() {
    for &a in V::ALL {
        assert_eq!(a.not().not(), a, "double negation: {a:?}");
        for &b in V::ALL {
            assert_eq!(a.and(b).not(), a.not().or(b.not()), "De Morgan: {a:?}, {b:?}");
            assert_eq!(a.truth_le(b), b.not().truth_le(a.not()), "negation keeps the order: {a:?}, {b:?}");
        }
    }
}

/// More information in never means less information out.
fn connectives_respect_information<V: TruthValue>() {
    for &a in V::ALL {
        for &b in V::ALL.iter().filter(|&&b| a.info_le(b)) {
            assert!(a.not().info_le(b.not()), "not: {a:?} to {b:?}");
            for &c in V::ALL {
                assert!(a.and(c).info_le(b.and(c)), "and {c:?}: {a:?} to {b:?}");
                assert!(a.or(c).info_le(b.or(c)), "or {c:?}: {a:?} to {b:?}");
            }
        }
    }
}

/// Every law of a De Morgan lattice, its join-irreducible elements and cuts, on all elements.
///
/// # Panics
/// If a law does not hold.
pub fn de_morgan_lattice(lattice: &DeMorganLattice) {
    let all: Vec<Element> = lattice.elements().collect();
    let leq = |a, b| lattice.leq(a, b);
    is_partial_order(&all, leq, "truth");
    is_distributive_lattice(&all, leq, |a, b| lattice.meet(a, b), |a, b| lattice.join(a, b));
    for &a in &all {
        assert!(leq(lattice.bottom(), a) && leq(a, lattice.top()), "{a:?} is outside");
        assert_eq!(lattice.neg(lattice.neg(a)), a, "double negation: {a:?}");
        assert_eq!(lattice.element(lattice.name(a)), Some(a));
        for &b in &all {
            let negated = lattice.join(lattice.neg(a), lattice.neg(b));
            assert_eq!(lattice.neg(lattice.meet(a, b)), negated, "De Morgan: {a:?}, {b:?}");
        }
    }
    cuts_determine_values(lattice, &all);
}

fn cuts_determine_values(lattice: &DeMorganLattice, all: &[Element]) {
    let irreducible = |j: Element| {
        j != lattice.bottom() && all.iter().all(|&x| all.iter().all(|&y| lattice.join(x, y) != j || x == j || y == j))
    };
    let expected: Vec<Element> = all.iter().copied().filter(|&j| irreducible(j)).collect();
    assert_eq!(lattice.join_irreducibles(), expected, "join-irreducible elements");
    for &a in all {
        assert_eq!(lattice.from_cuts(|j| lattice.cut(a, j)), a, "cuts of {a:?}");
    }
    for &j in lattice.join_irreducibles() {
        let star = lattice.star(j);
        assert_eq!(lattice.star(star), j, "star of star of {j:?}");
        for &a in all {
            assert_eq!(lattice.cut(lattice.neg(a), j), !lattice.cut(a, star), "star of {j:?} at {a:?}");
        }
    }
}
