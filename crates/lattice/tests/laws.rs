//! Do all domains obey their laws, on all values?

use tertium_lattice::{Belnap, DeMorganLattice, Kleene, LatticeError, TruthValue, laws};

#[test]
fn the_fixed_domains_obey_all_laws() {
    laws::truth_domain::<bool>();
    laws::truth_domain::<Kleene>();
    laws::truth_domain::<Belnap>();
}

#[test]
fn all_four_lattice_operations_are_monotone_in_both_orders() {
    let operations: [fn(Belnap, Belnap) -> Belnap; 4] =
        [Belnap::and, Belnap::or, Belnap::consensus, Belnap::accumulate];
    let orders: [fn(Belnap, Belnap) -> bool; 2] = [Belnap::truth_le, Belnap::info_le];
    for (number, operation) in operations.iter().enumerate() {
        for leq in orders {
            for &a in Belnap::ALL {
                for &b in Belnap::ALL.iter().filter(|&&b| leq(a, b)) {
                    for &c in Belnap::ALL {
                        assert!(leq(operation(a, c), operation(b, c)), "operation {number}: {a:?}, {b:?}, {c:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn information_operations_are_the_bounds_of_the_information_order() {
    for &a in Belnap::ALL {
        for &b in Belnap::ALL {
            for &c in Belnap::ALL {
                assert_eq!(c.info_le(a.consensus(b)), c.info_le(a) && c.info_le(b), "{a:?}, {b:?}, {c:?}");
                assert_eq!(a.accumulate(b).info_le(c), a.info_le(c) && b.info_le(c), "{a:?}, {b:?}, {c:?}");
            }
        }
    }
}

#[test]
fn kleene_sits_inside_belnap() {
    for &a in Kleene::ALL {
        assert_eq!(Belnap::from(a.not()), Belnap::from(a).not());
        for &b in Kleene::ALL {
            assert_eq!(Belnap::from(a.and(b)), Belnap::from(a).and(b.into()));
            assert_eq!(Belnap::from(a.or(b)), Belnap::from(a).or(b.into()));
            assert_eq!(a.info_le(b), Belnap::from(a).info_le(b.into()));
        }
    }
}

#[test]
fn bits_and_values_say_the_same() {
    for &a in Belnap::ALL {
        assert_eq!(Belnap::from_evidence(a.for_true(), a.for_false()), a);
        assert_eq!(a.not_refuted(), !a.for_false());
        assert_eq!(a.is_definite(), a.for_true() != a.for_false());
        let lattice = DeMorganLattice::built_in("Belnap4").unwrap();
        assert!(lattice.element(a.letter()).is_some());
    }
}

#[test]
fn the_built_in_lattices_obey_all_laws() {
    for name in [
        "B2",
        "K3",
        "Belnap4",
        "2x2 boolean product",
        "B2xB2",
        "B2xB2xB2",
        "K3xK3",
        "K3xB2",
        "Belnap4xBelnap4",
        "Belnap4xK3xB2",
        "chain2",
        "chain3",
        "chain4",
        "chain9",
        "chain12",
        "chain4xK3",
        "chain12xchain3",
    ] {
        laws::de_morgan_lattice(&DeMorganLattice::built_in(name).unwrap());
    }
}

#[test]
fn the_lattice_belnap4_is_the_type_belnap() {
    let lattice = DeMorganLattice::built_in("Belnap4").unwrap();
    let element = |value: Belnap| lattice.element(value.letter()).unwrap();
    for &a in Belnap::ALL {
        assert_eq!(lattice.neg(element(a)), element(a.not()));
        for &b in Belnap::ALL {
            assert_eq!(lattice.meet(element(a), element(b)), element(a.and(b)));
            assert_eq!(lattice.join(element(a), element(b)), element(a.or(b)));
        }
    }
}

#[test]
fn product_elements_are_named_by_their_parts() {
    let names = |name: &str| DeMorganLattice::built_in(name).unwrap().names().join(" ");
    assert_eq!(names("B2"), "f t");
    assert_eq!(names("B2xB2"), "00 01 10 11");
    assert_eq!(names("2x2 boolean product"), "00 01 10 11");
    assert_eq!(names("K3xB2"), "ff ft uf ut tf tt");
    assert_eq!(names("chain3xB2"), "0f 0t 1f 1t 2f 2t");
    assert!(names("chain11xB2").starts_with("0,f 0,t 1,f"));
}

#[test]
fn unknown_names_and_giants_are_refused() {
    for name in
        ["", "x", "K4", "chain", "chain1", "chain0", "chain03", "chain-4", "chain+4", "K3x", "xK3", "k3", "K3 x K3"]
    {
        assert_eq!(
            DeMorganLattice::built_in(name).unwrap_err(),
            LatticeError::UnknownName { name: name.to_owned() },
            "{name}"
        );
    }
    for name in [
        "chain1025",
        "chain99999999999999999999999999",
        "chain1000xchain1000",
        "Belnap4xBelnap4xBelnap4xBelnap4xBelnap4xB2",
    ] {
        let refused = DeMorganLattice::built_in(name).unwrap_err();
        assert!(matches!(refused, LatticeError::TooLarge { limit: 1024, .. }), "{name}: {refused}");
    }
}

#[test]
fn the_largest_lattices_can_be_made() {
    for name in ["chain1024", "Belnap4xBelnap4xBelnap4xBelnap4xBelnap4", "B2xB2xB2xB2xB2xB2xB2xB2xB2xB2"] {
        assert_eq!(DeMorganLattice::built_in(name).unwrap().len(), 1024);
    }
}
