//! How small are the automata? The usual lists of formulas, with bounds that must not be exceeded.
//!
//! Beside each stands the number of states of the never claim that `spin -f` of Spin 6.5.2 prints (0 if it prints
//! none: it has no `X`). Its automata are classical and have one acceptance condition; ours are generalised,
//! but their tests of `p` and `!p` are independent, so `G (q | G F p) & G (r | G F !p)` cannot be smaller than
//! with four atoms. `cargo test sizes -- --nocapture` prints the table.

use tertium_base::Budget;

use super::tests::read;
use super::{Determiniser, Translation, ltl_to_tgba};

struct Case {
    formula: &'static str,
    spin: usize,
    /// The most states and transitions ours may have.
    bound: (usize, usize),
}

const fn case(formula: &'static str, spin: usize, bound: (usize, usize)) -> Case {
    Case { formula, spin, bound }
}

const ETESSAMI_HOLZMANN: &[Case] = &[
    case("p U (q & G r)", 2, (2, 3)),
    case("p U (q & X (r U s))", 0, (3, 5)),
    case("p U (q & X (r & F (s & X F (t & X F (u & X F v)))))", 0, (7, 13)),
    case("F (p & X G q)", 0, (2, 3)),
    case("F (p & X (q & X F r))", 0, (4, 6)),
    case("F (q & X (p U r))", 0, (3, 5)),
    case("F G p | G F q", 5, (4, 8)),
    case("G (p -> q U r)", 4, (2, 5)),
    case("G (p & X F (q & X F (r & X F s)))", 0, (5, 19)),
    case("G F p & G F q & G F r & G F s & G F t", 0, (1, 32)),
    case("p U q U r | q U r U p | r U p U q", 8, (2, 4)),
    case("G (p -> q U (G r | G s))", 8, (4, 9)),
];
const SOMENZI_BLOEM: &[Case] = &[
    case("p U q", 2, (2, 3)),
    case("p U q U r", 3, (3, 6)),
    case("!(p U q U r)", 5, (3, 6)),
    case("G F p -> G F q", 5, (4, 8)),
    case("F p U G q", 4, (3, 7)),
    case("G p U q", 4, (4, 6)),
    case("!(F F p <-> F p)", 3, (2, 3)),
    case("!(G F p -> G F q)", 3, (2, 4)),
    case("!(G F p <-> G F q)", 9, (3, 9)),
    case("p R (p | q)", 3, (2, 3)),
    case("X p U X q | !X (p U q)", 0, (5, 10)),
    case("X p U q | !X (p U (p & q))", 0, (4, 8)),
    case("G (p -> F q) & (X p U q | !X (p U (p & q)))", 0, (6, 18)),
    case("G (p -> F q) & (X p U X q | !X (p U q))", 0, (8, 25)),
    case("G (p -> F q)", 4, (2, 5)),
    case("!G (p -> X (q R r))", 0, (3, 5)),
    case("!(G F p | F G q)", 3, (2, 4)),
    case("G (F p & F q)", 3, (1, 4)),
    case("F p & F !p", 4, (4, 9)),
    case("(X q & r) R X (((s U p) R r) U (s R r))", 0, (5, 9)),
    case("G (q | G F p) & G (r | G F !p) | G q | G r", 13, (4, 9)),
    case("G (q | F G p) & G (r | F G !p) | G q | G r", 17, (5, 9)),
    case("!(G (q | G F p) & G (r | G F !p) | G q | G r)", 23, (11, 38)),
    case("!(G (q | F G p) & G (r | F G !p) | G q | G r)", 18, (9, 28)),
    case("G (q | X G p) & G (r | X G !p)", 0, (4, 9)),
    case("G (q | X p & X !p)", 0, (2, 4)),
    case("p U p | q U p", 2, (2, 3)),
];
const DWYER: &[Case] = &[
    case("F r -> !p U r", 4, (4, 7)),
    case("G (q -> G !p)", 4, (2, 3)),
    case("G (q & !r & F r -> !p U r)", 7, (3, 7)),
    case("G (q & !r -> !p W r)", 4, (2, 5)),
    case("!r W (p & !r)", 3, (2, 3)),
    case("G !q | F (q & F p)", 5, (5, 11)),
    case("G (q & !r -> !r W (p & !r))", 4, (2, 6)),
    case("G (q & !r -> !r U (p & !r))", 4, (2, 6)),
    case("G (q & !r & F r -> p U r)", 7, (3, 7)),
    case("!p W s", 3, (2, 3)),
    case("F r -> !p U (s | r)", 4, (4, 9)),
    case("G !q | F (q & !p W s)", 5, (5, 11)),
    case("G (q & !r & F r -> !p U (s | r))", 8, (3, 9)),
    case("G (q & !r -> !p W (s | r))", 4, (2, 7)),
    case("G (p -> F s)", 4, (2, 5)),
    case("F r -> (p -> !r U (s & !r)) U r", 5, (6, 17)),
    case("G (q -> G (p -> F s))", 6, (3, 9)),
    case("G (q & !r & F r -> (p -> !r U (s & !r)) U r)", 9, (6, 25)),
    case("G (q & !r -> (p -> !r U (s & !r)) W r)", 6, (4, 19)),
    case("F p -> !p U (s & !p & X (!p U t))", 0, (5, 9)),
    case("F r -> !p U (r | s & !p & X (!p U t))", 0, (5, 11)),
    case("G (s & X F t -> X F (t & F p))", 0, (8, 34)),
    case("G (p -> F (s & X F t))", 0, (4, 15)),
    case("G (q -> G (s & X F t -> X (!t U (t & F p))))", 0, (9, 37)),
];

#[test]
#[allow(clippy::print_stdout, reason = "the table is what this test is run for by hand")]
fn automata_sizes_stay_within_bounds() {
    let budget = Budget::unlimited();
    let mut sums = (0, 0);
    for (list, cases) in
        [("Etessami, Holzmann", ETESSAMI_HOLZMANN), ("Somenzi, Bloem", SOMENZI_BLOEM), ("Dwyer", DWYER)]
    {
        println!("{list}");
        for case in cases {
            let automaton = ltl_to_tgba(&read(case.formula), false, Translation::default(), &budget).unwrap();
            let kind = Determiniser::new(&read(case.formula), false, &budget).unwrap().kind();
            let size = automaton.size();
            println!(
                "{:3} {:4} {:4} {:2} {:3}  {:9} {}",
                size.states,
                size.edges,
                size.transitions,
                size.marks,
                case.spin,
                kind.name(),
                case.formula
            );
            assert!(size.states <= case.bound.0, "{}: {size}", case.formula);
            assert!(size.transitions <= case.bound.1, "{}: {size}", case.formula);
            if case.spin > 0 {
                sums = (sums.0 + size.states, sums.1 + case.spin);
            }
        }
    }
    println!("states where Spin prints a claim: {} against {}", sums.0, sums.1);
    assert!(sums.0 < sums.1, "{sums:?}");
}
