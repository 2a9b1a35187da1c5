//! Is a table accepted exactly if it is a De Morgan lattice, and is the named witness one?

use tertium_lattice::{DeMorganLattice, LatticeError, laws};
use tertium_testkit::{Rng, for_random_cases};

/// A table as a user might write it: elements by number, order pairs, negation.
#[derive(Clone, Debug)]
struct Table {
    size: usize,
    below: Vec<(usize, usize)>,
    negation: Vec<usize>,
}

/// The definitions, word by word.
struct Definitions {
    size: usize,
    leq: Vec<Vec<bool>>,
    neg: Vec<usize>,
}

impl Definitions {
    fn new(table: &Table) -> Self {
        let mut leq = vec![vec![false; table.size]; table.size];
        (0..table.size).for_each(|at| leq[at][at] = true);
        table.below.iter().for_each(|&(a, b)| leq[a][b] = true);
        for k in 0..table.size {
            for i in 0..table.size {
                for j in 0..table.size {
                    leq[i][j] |= leq[i][k] && leq[k][j];
                }
            }
        }
        Self { size: table.size, leq, neg: table.negation.clone() }
    }

    fn all(&self) -> std::ops::Range<usize> {
        0..self.size
    }

    fn is_order(&self) -> bool {
        self.all().all(|a| self.all().all(|b| a == b || !(self.leq[a][b] && self.leq[b][a])))
    }

    fn meet(&self, a: usize, b: usize) -> Option<usize> {
        let lower = |c: usize| self.leq[c][a] && self.leq[c][b];
        self.all().find(|&m| lower(m) && self.all().all(|c| !lower(c) || self.leq[c][m]))
    }

    fn join(&self, a: usize, b: usize) -> Option<usize> {
        let upper = |c: usize| self.leq[a][c] && self.leq[b][c];
        self.all().find(|&j| upper(j) && self.all().all(|c| !upper(c) || self.leq[j][c]))
    }

    fn is_lattice(&self) -> bool {
        self.all().all(|a| self.all().all(|b| self.meet(a, b).is_some() && self.join(a, b).is_some()))
    }

    /// `a & (b | c)` and `(a & b) | (a & c)`.
    fn both_sides(&self, a: usize, b: usize, c: usize) -> (usize, usize) {
        let meet = |x, y| self.meet(x, y).unwrap();
        let join = |x, y| self.join(x, y).unwrap();
        (meet(a, join(b, c)), join(meet(a, b), meet(a, c)))
    }

    fn is_distributive(&self) -> bool {
        let equal = |a, b, c| {
            let (left, right) = self.both_sides(a, b, c);
            left == right
        };
        self.all().all(|a| self.all().all(|b| self.all().all(|c| equal(a, b, c))))
    }

    fn negation_fits(&self) -> bool {
        self.all().all(|a| self.neg[self.neg[a]] == a)
            && self.all().all(|a| self.all().all(|b| !self.leq[a][b] || self.leq[self.neg[b]][self.neg[a]]))
    }

    fn is_de_morgan_lattice(&self) -> bool {
        self.is_order() && self.is_lattice() && self.is_distributive() && self.negation_fits()
    }
}

fn name(at: usize) -> String {
    format!("e{at}")
}

fn number(name: &str) -> usize {
    name[1..].parse().unwrap()
}

fn make(table: &Table) -> Result<DeMorganLattice, LatticeError> {
    let elements: Vec<String> = (0..table.size).map(name).collect();
    let below: Vec<_> = table.below.iter().map(|&(a, b)| (name(a), name(b))).collect();
    let negation: Vec<_> = table.negation.iter().enumerate().map(|(a, &b)| (name(a), name(b))).collect();
    DeMorganLattice::new(&elements, &below, &negation)
}

/// The error's witness really breaks the law that it names.
fn assert_witness(error: &LatticeError, truth: &Definitions, below: &[(usize, usize)]) {
    assert!(error.law().is_some(), "{error}");
    match error {
        LatticeError::Cycle { elements } => {
            let way: Vec<usize> = elements.iter().map(|name| number(name)).collect();
            assert!(way.len() >= 2);
            for (at, &a) in way.iter().enumerate() {
                assert!(below.contains(&(a, way[(at + 1) % way.len()])), "{error}: no such pair was given");
            }
        }
        LatticeError::NoMeet { of: [a, b], candidates } => {
            assert_eq!(truth.meet(number(a), number(b)), None);
            let lower = |c: usize| truth.leq[c][number(a)] && truth.leq[c][number(b)];
            let maximal = |c: &usize| lower(*c) && truth.all().all(|d| d == *c || !(lower(d) && truth.leq[*c][d]));
            let expected: Vec<String> = truth.all().filter(maximal).map(name).collect();
            assert_eq!(*candidates, expected);
        }
        LatticeError::NoJoin { of: [a, b], candidates } => {
            assert_eq!(truth.join(number(a), number(b)), None);
            let upper = |c: usize| truth.leq[number(a)][c] && truth.leq[number(b)][c];
            let minimal = |c: &usize| upper(*c) && truth.all().all(|d| d == *c || !(upper(d) && truth.leq[d][*c]));
            let expected: Vec<String> = truth.all().filter(minimal).map(name).collect();
            assert_eq!(*candidates, expected);
        }
        LatticeError::NotDistributive { of: [a, b, c], meet_of_join, join_of_meets } => {
            let (left, right) = truth.both_sides(number(a), number(b), number(c));
            assert_eq!((left, right), (number(meet_of_join), number(join_of_meets)));
            assert_ne!(left, right);
        }
        LatticeError::NotInvolution { element, negation, double_negation } => {
            assert_eq!(truth.neg[number(element)], number(negation));
            assert_eq!(truth.neg[number(negation)], number(double_negation));
            assert_ne!(element, double_negation);
        }
        LatticeError::NotAntitone { lower: [a, not_a], upper: [b, not_b] } => {
            assert!(truth.leq[number(a)][number(b)]);
            assert_eq!((truth.neg[number(a)], truth.neg[number(b)]), (number(not_a), number(not_b)));
            assert!(!truth.leq[number(not_b)][number(not_a)]);
        }
        other => panic!("{other} is not about a law"),
    }
}

fn check(table: &Table) -> bool {
    let truth = Definitions::new(table);
    match make(table) {
        Ok(lattice) => {
            assert!(truth.is_de_morgan_lattice(), "accepted");
            laws::de_morgan_lattice(&lattice);
            true
        }
        Err(error) => {
            assert!(!truth.is_de_morgan_lattice(), "refused: {error}");
            assert_witness(&error, &truth, &table.below);
            false
        }
    }
}

/// A few elements in a random order relation (now and then with a cycle).
fn random_table(rng: &mut Rng) -> Table {
    let size = rng.between(&(1..=6));
    let mut below = Vec::new();
    for a in 0..size {
        for b in 0..size {
            let upwards = a < b;
            if a != b && rng.chance(if upwards { 45 } else { 1 }) {
                below.push((a, b));
            }
        }
    }
    let mut negation: Vec<usize> = (0..size).collect();
    if rng.chance(70) {
        negation.reverse();
    } else {
        rng.shuffle(&mut negation);
    }
    Table { size, below, negation }
}

/// A random De Morgan lattice: the down-sets of a random order put beside its dual, negated by
/// "complement of the mirror image". Elements come in a random order.
fn random_lattice(rng: &mut Rng) -> Table {
    let half = rng.between(&(1..=2));
    let points = 2 * half;
    let mirror = |point: usize| (point + half) % points;
    let mut under = vec![vec![false; points]; points];
    for (a, row) in under.iter_mut().enumerate().take(half) {
        row[a + 1..half].fill_with(|| rng.chance(50));
    }
    // Between the halves only pairs that are their own mirror image keep the mirror order-reversing.
    for a in 0..half {
        under[a][mirror(a)] = rng.chance(40);
    }
    for a in 0..half {
        for b in 0..half {
            under[mirror(b)][mirror(a)] |= under[a][b];
        }
    }
    close(&mut under);
    let is_down_set =
        |set: &usize| (0..points).all(|b| set >> b & 1 == 0 || (0..points).all(|a| !under[a][b] || set >> a & 1 != 0));
    let mut sets: Vec<usize> = (0..1 << points).filter(is_down_set).collect();
    rng.shuffle(&mut sets);
    let negation_of = |set: usize| {
        let image: usize = (0..points).filter(|point| set >> point & 1 != 0).map(|point| 1 << mirror(point)).sum();
        !image & ((1 << points) - 1)
    };
    let place = |set: usize| sets.iter().position(|&other| other == set).unwrap();
    let mut below = Vec::new();
    for (a, &small) in sets.iter().enumerate() {
        for (b, &large) in sets.iter().enumerate() {
            if a != b && small & large == small {
                below.push((a, b));
            }
        }
    }
    let negation = sets.iter().map(|&set| place(negation_of(set))).collect();
    Table { size: sets.len(), below, negation }
}

fn close(relation: &mut [Vec<bool>]) {
    let size = relation.len();
    for k in 0..size {
        for i in 0..size {
            for j in 0..size {
                relation[i][j] |= relation[i][k] && relation[k][j];
            }
        }
    }
}

/// One small mistake.
fn damage(rng: &mut Rng, table: &mut Table) {
    match rng.below(3) {
        0 if !table.below.is_empty() => {
            let lost = *rng.pick(&table.below.clone());
            table.below.retain(|&pair| pair != lost);
        }
        1 => {
            let (a, b) = (rng.below(table.size), rng.below(table.size));
            table.below.push((a, b));
        }
        _ => {
            let (a, b) = (rng.below(table.size), rng.below(table.size));
            table.negation.swap(a, b);
        }
    }
}

#[test]
fn random_tables_are_judged_as_by_the_definitions() {
    for_random_cases(3000, |case| {
        let table = random_table(&mut case.rng);
        case.keep("table.txt", format!("{table:?}"));
        check(&table);
    });
}

#[test]
fn random_lattices_are_accepted_and_damaged_ones_judged() {
    for_random_cases(500, |case| {
        let mut table = random_lattice(&mut case.rng);
        case.keep("table.txt", format!("{table:?}"));
        assert!(check(&table), "a De Morgan lattice was refused");
        damage(&mut case.rng, &mut table);
        case.keep("damaged.txt", format!("{table:?}"));
        check(&table);
    });
}

#[track_caller]
fn refuse(elements: &[&str], below: &[(&str, &str)], negation: &[(&str, &str)], message: &str) {
    assert_eq!(DeMorganLattice::new(elements, below, negation).unwrap_err().to_string(), message);
}

#[test]
fn messages_name_the_law_and_the_elements() {
    refuse(&[], &[], &[], "the lattice has no element");
    refuse(&["a", "b", "a"], &[], &[], "element `a` is listed twice");
    refuse(&["a"], &[("a", "c")], &[], "the order names `c`, no element");
    refuse(&["a"], &[], &[("a", "c")], "the negation names `c`, no element");
    refuse(&["a", "b"], &[("a", "b")], &[("a", "b")], "element `b` has no negation");
    refuse(
        &["a", "b"],
        &[("a", "b")],
        &[("a", "b"), ("b", "a"), ("a", "a")],
        "element `a` has two negations, `b` and `a`",
    );
    refuse(&["a", "b", "c"], &[("a", "b"), ("b", "c"), ("c", "a")], &[], "not an order: `a` <= `b` <= `c` <= `a`");
    refuse(&["a", "b"], &[], &[], "`a` and `b` have no greatest lower bound: they have no lower bound at all");
    refuse(
        &["0", "a", "b"],
        &[("0", "a"), ("0", "b")],
        &[],
        "`a` and `b` have no least upper bound: they have no upper bound at all",
    );
    refuse(
        &["0", "a", "b", "c", "d", "1"],
        &[("0", "a"), ("0", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "1"), ("d", "1")],
        &[],
        "`a` and `b` have no least upper bound: `c`, `d` are all minimal upper bounds",
    );
}

const DIAMOND: [(&str, &str); 6] = [("0", "a"), ("0", "b"), ("0", "c"), ("a", "1"), ("b", "1"), ("c", "1")];

#[test]
fn the_two_smallest_lattices_that_are_not_distributive_are_refused() {
    refuse(
        &["0", "a", "b", "c", "1"],
        &DIAMOND,
        &[],
        "not distributive: `c` & (`a` | `b`) = `c`, but (`c` & `a`) | (`c` & `b`) = `0`",
    );
    refuse(
        &["0", "a", "b", "c", "1"],
        &[("0", "a"), ("a", "b"), ("b", "1"), ("0", "c"), ("c", "1")],
        &[],
        "not distributive: `b` & (`a` | `c`) = `b`, but (`b` & `a`) | (`b` & `c`) = `a`",
    );
}

#[test]
fn bad_negations_are_refused() {
    let chain = [("f", "u"), ("u", "t")];
    refuse(
        &["f", "u", "t"],
        &chain,
        &[("f", "t"), ("u", "f"), ("t", "u")],
        "negation is no involution: !`f` = `t`, but !`t` = `u`",
    );
    refuse(
        &["f", "u", "t"],
        &chain,
        &[("f", "f"), ("u", "u"), ("t", "t")],
        "negation does not turn the order round: `f` <= `u`, but not !`u` = `u` <= `f` = !`f`",
    );
}

#[test]
fn too_many_elements_are_refused_before_any_table_is_made() {
    let elements: Vec<String> = (0..100_000).map(|at| at.to_string()).collect();
    let refused = DeMorganLattice::new(&elements, &[], &[]).unwrap_err();
    assert_eq!(refused.to_string(), "the lattice has 100000 elements; 1024 are the most");
}
