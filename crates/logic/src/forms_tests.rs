//! Normal forms, laws and translations keep values: random formulas on random four-valued words and structures.

use crate::classify::{alternation_depth, is_ctl, mixed_atoms, tree_size, unguarded_variables, universal_only};
use crate::testing::structures::Structure;
use crate::testing::words::Lasso;
use crate::testing::{Random, random_formula};
use crate::{Formula, Logic, Node, ParseOptions, ctl_to_mu, fair_ctl, parse, positive_normal_form as pnf, simplify};

fn read(text: &str, logic: Logic) -> Formula {
    parse(text, &ParseOptions::in_logic(logic)).formula.unwrap_or_else(|| panic!("`{text}`"))
}

fn is_positive(formula: &Formula) -> bool {
    formula.nodes().iter().all(|&node| match node {
        Node::Not(a) => matches!(formula.node(a), Node::Atom(_) | Node::Element(_)),
        Node::Implies(..) | Node::Iff(..) | Node::Xor(..) | Node::WeakUntil(..) | Node::StrongRelease(..) => false,
        _ => true,
    })
}

#[test]
fn linear_forms_keep_values_on_four_valued_words() {
    let mut random = Random::new(21);
    for round in 0..3000 {
        let formula = random_formula(&mut random, Logic::Ltl, round % 12);
        let (plain, negated, simple) = (pnf(&formula, false), pnf(&formula, true), simplify(&formula));
        assert!(is_positive(&plain) && is_positive(&negated), "{formula}");
        for _ in 0..10 {
            let word = Lasso::random(&mut random, 3, 5);
            let (truth, falsity) = word.value(&formula);
            assert_eq!(word.value(&plain), (truth, falsity), "{formula} to {plain} on {word:?}");
            assert_eq!(word.value(&negated), (falsity, truth), "not {formula} to {negated} on {word:?}");
            assert_eq!(word.value(&simple), (truth, falsity), "{formula} to {simple} on {word:?}");
        }
    }
}

#[test]
fn branching_forms_keep_values_on_four_valued_structures() {
    let mut random = Random::new(22);
    for logic in [Logic::Pml, Logic::Ctl, Logic::Mu] {
        for round in 0..2000 {
            let formula = random_formula(&mut random, logic, round % 12);
            let (plain, negated, simple) = (pnf(&formula, false), pnf(&formula, true), simplify(&formula));
            assert!(is_positive(&plain) && is_positive(&negated), "{formula}");
            for _ in 0..4 {
                let structure = Structure::random(&mut random, 3, 0, false);
                let values = structure.values(&formula);
                assert_eq!(structure.values(&plain), values, "{formula} to {plain} on {structure:?}");
                assert_eq!(structure.values(&simple), values, "{formula} to {simple} on {structure:?}");
                let swapped: Vec<_> = values.iter().map(|&(t, f)| (f, t)).collect();
                assert_eq!(structure.values(&negated), swapped, "not {formula} to {negated} on {structure:?}");
                if let Some(fixpoints) = ctl_to_mu(&formula) {
                    assert_eq!(structure.values(&fixpoints), values, "{formula} to {fixpoints} on {structure:?}");
                }
            }
        }
    }
}

#[test]
fn every_random_ctl_formula_translates() {
    let mut random = Random::new(23);
    for _ in 0..200 {
        let formula = random_formula(&mut random, Logic::Ctl, 8);
        let fixpoints = ctl_to_mu(&formula).expect("a ctl formula");
        assert_eq!(read(&fixpoints.text(), Logic::Mu).text(), fixpoints.text());
    }
    assert!(ctl_to_mu(&read("A F G p", Logic::CtlStar)).is_none());
}

#[test]
fn fair_fixpoints_agree_with_components() {
    let mut random = Random::new(24);
    for _ in 0..3000 {
        let constraints = 1 + random.below(2);
        let structure = Structure::random(&mut random, 1, constraints, true);
        let p: Vec<bool> = structure.labels.iter().map(|label| label[0].0).collect();
        let value = |text: &str| -> Vec<bool> {
            let fair = fair_ctl(&read(text, Logic::Ctl), constraints).expect("a ctl formula");
            structure.values(&fair).iter().map(|&(truth, _)| truth).collect()
        };
        let fair = structure.fair_forever(&vec![true; structure.states]);
        let step = |from: usize, to: usize| structure.steps[from][to].0;
        let states = 0..structure.states;
        let next: Vec<bool> = states.clone().map(|a| states.clone().any(|b| step(a, b) && p[b] && fair[b])).collect();
        assert_eq!(value("EG p"), structure.fair_forever(&p), "{structure:?}");
        assert_eq!(value("EX p"), next, "{structure:?}");
        assert_eq!(value("!AF !p"), structure.fair_forever(&p), "{structure:?}");
        assert_eq!(value("!AX !p"), next, "{structure:?}");
        let mut reaches: Vec<bool> = states.clone().map(|at| p[at] && fair[at]).collect();
        for _ in states.clone() {
            reaches = states.clone().map(|a| reaches[a] || states.clone().any(|b| step(a, b) && reaches[b])).collect();
        }
        assert_eq!(value("EF p"), reaches, "{structure:?}");
        assert_eq!(value("!AG !p"), reaches, "{structure:?}");
        // E[a R b] without a is EG b; with a = b it is b on a fair state.
        let here: Vec<bool> = states.clone().map(|at| p[at] && fair[at]).collect();
        assert_eq!(value("E[p R p]"), here, "{structure:?}");
        assert_eq!(value("!A[!p U !p]"), here, "{structure:?}");
    }
    let plain = read("AG p", Logic::Ctl);
    assert_eq!(fair_ctl(&plain, 0), Some(plain));
}

#[test]
fn deep_formulas_are_normalised_in_linear_size() {
    let deep = read(&format!("{}p", "!X ".repeat(100_000)), Logic::Ltl);
    assert_eq!(pnf(&deep, false).nodes().len(), 100_001);
    let chain = read(&format!("p{}", " <-> q".repeat(1000)), Logic::Ltl);
    let normal = pnf(&chain, false);
    assert!(normal.nodes().len() < 7 * 1000, "{}", normal.nodes().len());
    assert_eq!(tree_size(&normal), u64::MAX);
    let nested = format!("{}{}", (0..3000).map(|at| format!("mu X{at}. ")).collect::<String>(), "<> X0");
    assert_eq!(simplify(&read(&nested, Logic::Mu)).text(), "mu X0. EX X0");
}

#[test]
fn kinds_are_recognised() {
    for (text, depth) in [
        ("p", 0),
        ("mu X. p | <> X", 1),
        ("nu X. mu Y. (p & <> X) | <> Y", 2),
        ("nu X. [] X & mu Y. p | <> Y", 1),
        ("mu X. nu Y. mu Z. <> X & <> Y & <> Z", 3),
        ("mu X. nu Y. (mu Z. p | <> Z) & <> X & <> Y", 2),
        ("nu X. !(nu Y. !(p & <> X) & [] Y)", 2),
    ] {
        assert_eq!(alternation_depth(&read(text, Logic::Mu)), depth, "{text}");
    }
    assert_eq!(unguarded_variables(&read("mu X. p | <> X", Logic::Mu)), []);
    assert_eq!(unguarded_variables(&read("mu X. p | (<> nu Y. X & Y) | X", Logic::Mu)).len(), 2);
    assert_eq!(unguarded_variables(&read("mu X. <> nu Y. X & <> Y", Logic::Mu)), []);
    assert!(universal_only(&read("AG !EF p", Logic::Ctl)) && !universal_only(&read("AG EF p", Logic::Ctl)));
    assert!(is_ctl(&read("A G E F p", Logic::CtlStar)) && !is_ctl(&read("A G F p", Logic::CtlStar)));
    assert_eq!(mixed_atoms(&read("G (p -> F q) & !p", Logic::Ltl)).len(), 0);
    assert_eq!(mixed_atoms(&read("G (p -> F p)", Logic::Ltl)).len(), 1);
}

#[test]
fn excluded_middle_is_not_a_law() {
    for text in ["p | !p", "p & !p", "p <-> p", "p -> p"] {
        assert_eq!(simplify(&read(text, Logic::Ltl)).text(), text);
    }
    for (text, simple) in [
        ("p & (p | q)", "p"),
        ("!!p & true", "p"),
        ("(F F p) U false", "false"),
        ("G (p R G q)", "G q"),
        ("true U p", "F p"),
        ("F G F p | false", "G F p"),
    ] {
        assert_eq!(simplify(&read(text, Logic::Ltl)).text(), simple, "{text}");
    }
    for text in ["EF true", "AG false", "E[p U true]", "AX false", "EX true", "AF false", "EG true"] {
        assert_eq!(simplify(&read(text, Logic::Ctl)).text(), text);
    }
}
