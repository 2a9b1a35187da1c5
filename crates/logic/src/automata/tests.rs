//! Translations accept exactly the words on which the formula has evidence of truth.

use tertium_base::Budget;

use super::{
    AcceptanceKind, Determiniser, Letters, Literal, Translation, TranslationError, ltl_to_tgba, plain_tableau, read_hoa,
};
use crate::testing::words::Lasso;
use crate::testing::{Random, random_formula};
use crate::{Formula, Logic, ParseOptions, parse};

/// Looks at the budget after which what explodes is given up.
const LITTLE: u64 = 20;

pub(super) fn read(text: &str) -> Formula {
    parse(text, &ParseOptions::in_logic(Logic::Ltl)).formula.unwrap_or_else(|| panic!("`{text}`"))
}

/// The word as stem and cycle of bits, two an atom.
pub(super) fn bits(word: &Lasso) -> (Vec<Vec<bool>>, Vec<Vec<bool>>) {
    let letter = |letter: &Vec<(bool, bool)>| letter.iter().flat_map(|&(truth, falsity)| [truth, falsity]).collect();
    let letters: Vec<Vec<bool>> = word.letters.iter().map(letter).collect();
    let (stem, cycle) = letters.split_at(word.loop_at);
    (stem.to_vec(), cycle.to_vec())
}

#[test]
fn translations_accept_the_words_of_the_formula() {
    let mut random = Random::new(31);
    let budget = Budget::unlimited();
    let mut compared = 0;
    for round in 0..2000 {
        let formula = random_formula(&mut random, Logic::Ltl, 1 + round % 8);
        let options = Translation { classical: false, rewrite: random.coin(), reduce: random.coin() };
        let automaton = ltl_to_tgba(&formula, false, options, &budget).unwrap();
        let negation = ltl_to_tgba(&formula, true, options, &budget).unwrap();
        // The oracle explodes now and then; the value by definition is compared with in any case.
        let little = Budget::unlimited().with_effort(Some(LITTLE));
        let plain = plain_tableau(&formula, false, &little).ok().filter(|plain| plain.size().transitions < 2000);
        compared += usize::from(plain.is_some());
        let full = ltl_to_tgba(&formula, false, Translation::default(), &budget).unwrap();
        for _ in 0..25 {
            let word = Lasso::random(&mut random, 3, 5);
            let (truth, falsity) = word.value(&formula);
            let (stem, cycle) = bits(&word);
            if let Some(plain) = &plain {
                assert_eq!(plain.accepts(&stem, &cycle), truth, "plain: {formula} on {word:?}");
            }
            assert_eq!(automaton.accepts(&stem, &cycle), truth, "{options:?}: {formula} on {word:?}\n{automaton:?}");
            assert_eq!(negation.accepts(&stem, &cycle), falsity, "{options:?}: !({formula}) on {word:?}");
            assert_eq!(full.accepts(&stem, &cycle), truth, "all reductions: {formula} on {word:?}\n{full:?}");
        }
    }
    assert!(compared > 1500, "the plain tableau was compared on {compared} formulas only");
}

#[test]
fn classical_translations_are_right_on_classical_words() {
    let mut random = Random::new(32);
    let budget = Budget::unlimited();
    let options = Translation { classical: true, ..Translation::default() };
    for round in 0..1500 {
        let formula = random_formula(&mut random, Logic::Ltl, 1 + round % 9);
        let automaton = ltl_to_tgba(&formula, false, options, &budget).unwrap();
        for _ in 0..20 {
            let word = Lasso::classical(&mut random, 3, 5);
            let (stem, cycle) = bits(&word);
            assert_eq!(automaton.accepts(&stem, &cycle), word.value(&formula).0, "{formula} on {word:?}");
        }
    }
    let contradiction = ltl_to_tgba(&read("F (p & !p)"), false, options, &budget).unwrap();
    assert_eq!(contradiction.size().states, 0);
    let kept = ltl_to_tgba(&read("F (p & !p)"), false, Translation::default(), &budget).unwrap();
    assert_eq!(kept.size().states, 2);
}

/// Whether the run on a word meets an even greatest priority infinitely often.
fn deterministic_accepts(determiniser: &mut Determiniser, word: &Lasso) -> bool {
    let mut state = determiniser.initial();
    let mut priorities = Vec::new();
    let mut seen: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    loop {
        if let Some(start) = seen.iter().position(|&place| place == (at, state)) {
            return priorities[start..].iter().max().is_some_and(|greatest| greatest % 2 == 0);
        }
        seen.push((at, state));
        let letter = &word.letters[at];
        let holds = |literal: Literal| {
            let (truth, falsity) = letter[literal.atom().index()];
            if literal.is_negative() { falsity } else { truth }
        };
        let (next, priority) = determiniser.successor(state, holds);
        assert!(priority <= determiniser.greatest_priority());
        priorities.push(priority);
        state = next;
        at = word.next(at);
    }
}

#[test]
fn deterministic_automata_accept_the_words_of_the_formula() {
    let mut random = Random::new(33);
    let budget = Budget::unlimited();
    let mut kinds = std::collections::BTreeMap::new();
    for round in 0..1500 {
        let formula = random_formula(&mut random, Logic::Ltl, 1 + round % 8);
        let mut determiniser = Determiniser::new(&formula, round % 2 == 1, &budget).unwrap();
        let automaton = ltl_to_tgba(&formula, round % 2 == 1, Translation::default(), &budget).unwrap();
        let mut direct = Determiniser::of_automaton(&automaton, &budget).unwrap();
        *kinds.entry(determiniser.kind()).or_insert(0) += 1;
        for _ in 0..30 {
            let word = Lasso::random(&mut random, 3, 6);
            let (truth, falsity) = word.value(&formula);
            let expected = if round % 2 == 1 { falsity } else { truth };
            let kind = determiniser.kind();
            assert_eq!(deterministic_accepts(&mut determiniser, &word), expected, "{kind:?} {formula} on {word:?}");
            assert_eq!(
                deterministic_accepts(&mut direct, &word),
                expected,
                "{:?} {formula} on {word:?}",
                direct.kind()
            );
        }
    }
    assert_eq!(kinds.len(), 5, "{kinds:?}");
}

#[test]
fn easy_classes_are_recognised() {
    for (text, kind) in [
        ("G p", AcceptanceKind::Safety),
        ("X X p", AcceptanceKind::Safety),
        ("p W q", AcceptanceKind::Safety),
        ("F p", AcceptanceKind::CoSafety),
        ("p U q", AcceptanceKind::CoSafety),
        ("G F p", AcceptanceKind::Buchi),
        ("G (p -> F q)", AcceptanceKind::Buchi),
        ("G F p & G F q", AcceptanceKind::Buchi),
        ("F G p", AcceptanceKind::CoBuchi),
        ("F (p & G q)", AcceptanceKind::CoBuchi),
        ("F G p | F G q", AcceptanceKind::CoBuchi),
        ("G F p -> G F q", AcceptanceKind::Parity),
    ] {
        let found = Determiniser::new(&read(text), false, &Budget::unlimited()).unwrap();
        assert_eq!(found.kind(), kind, "{text}");
    }
}

#[test]
fn written_automata_read_back_with_the_same_words() {
    let mut random = Random::new(34);
    let budget = Budget::unlimited();
    for round in 0..300 {
        let formula = random_formula(&mut random, Logic::Ltl, 1 + round % 8);
        let automaton = ltl_to_tgba(&formula, false, Translation::default(), &budget).unwrap();
        let classical = read_hoa(&automaton.to_hoa(&formula.text(), Letters::Classical)).unwrap();
        let exact = read_hoa(&automaton.to_hoa("exact", Letters::FourValued)).unwrap();
        for _ in 0..15 {
            let word = Lasso::classical(&mut random, 3, 5);
            let truth = word.value(&formula).0;
            assert_eq!(read_word(&classical, &formula, &word), truth, "{formula} on {word:?}");
            let word = Lasso::random(&mut random, 3, 5);
            assert_eq!(read_word(&exact, &formula, &word), word.value(&formula).0, "{formula} on {word:?}");
        }
    }
}

/// Whether an automaton over named propositions accepts a word over the formula's atoms.
fn read_word(automaton: &super::Tgba, formula: &Formula, word: &Lasso) -> bool {
    let letter = |letter: &Vec<(bool, bool)>| -> Vec<bool> {
        let value = |name: &String| {
            let (atom, sign) = match name.strip_suffix('+') {
                Some(atom) => (atom, Some(true)),
                None => name.strip_suffix('-').map_or((name.as_str(), None), |atom| (atom, Some(false))),
            };
            let index = formula.atoms().iter().position(|known| known.text == atom).unwrap();
            let (truth, falsity) = letter[index];
            match sign {
                None => [truth, falsity],
                Some(positive) => {
                    let bit = if positive { truth } else { falsity };
                    [bit, !bit]
                }
            }
        };
        automaton.atoms.iter().flat_map(value).collect()
    };
    let letters: Vec<Vec<bool>> = word.letters.iter().map(letter).collect();
    automaton.accepts(&letters[..word.loop_at], &letters[word.loop_at..])
}

#[test]
fn automata_of_other_tools_are_read() {
    // As Spot 2.11 writes `ltl2tgba -B 'G F a & b U c'` and ltl3ba its aliases.
    let spot = r#"HOA: v1
name: "GFa & (b U c)"
States: 3
Start: 0
AP: 3 "c" "b" "a"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc semi-deterministic
properties: stutter-invariant terminal
--BODY--
State: 0
[0] 1
[!0&1] 0
State: 1
[!2] 1
[2] 2
State: 2 {0}
[!2] 1
[2] 2
--END--
"#;
    let automaton = read_hoa(spot).unwrap();
    assert_eq!(automaton.size().states, 3);
    // Letters over c, b, a: two bits each.
    let letter = |c: bool, b: bool, a: bool| vec![c, !c, b, !b, a, !a];
    assert!(
        automaton.accepts(&[letter(false, true, false), letter(true, false, false)], &[letter(false, false, true)])
    );
    assert!(!automaton.accepts(&[letter(false, false, true)], &[letter(true, true, true)]));
    let aliases = "HOA: v1 AP: 2 \"p\" \"q\" Alias: @x 0&!1 Alias: @y @x|(1) Start: 0 Start: 1 Acceptance: 2 Inf(0)&Inf(1) \
                   --BODY-- State: [@y] 0 \"n\" {0} 0 1 {1} State: 1 [t] 1 {0 1} --END--";
    let automaton = read_hoa(aliases).unwrap();
    assert_eq!((automaton.size().states, automaton.initial, automaton.marks), (3, 2, 2));
}

#[test]
fn bad_automata_are_refused_with_a_place() {
    let head = "HOA: v1 States: 2 Start: 0 AP: 1 \"p\" ";
    for (text, code) in [
        ("".to_owned(), "E0130"),
        ("HOA: v2".to_owned(), "E0130"),
        (format!("{head}Acceptance: 1 Inf(0) --BODY-- State: 0 [0 1 --END--"), "E0131"),
        (format!("{head}Acceptance: 1 Inf(0) --BODY-- State: 0 [1] 0 --END--"), "E0133"),
        (format!("{head}Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 7 --END--"), "E0133"),
        (format!("{head}Acceptance: 1 Inf(0) --BODY-- State: 0 0 0 --END--"), "E0132"),
        (format!("{head}Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0&1 --END--"), "E0132"),
        (format!("{head}Acceptance: 1 Fin(0) --BODY-- --END--"), "E0132"),
        (format!("{head}Acceptance: 2 Inf(0)|Inf(1) --BODY-- --END--"), "E0132"),
        (format!("{head}--BODY-- --END--"), "E0134"),
        (format!("{head}Acceptance: 1 Inf(0) --BODY-- State: 0"), "E0131"),
        ("HOA: v1 States: 99999999999999999999".to_owned(), "E0133"),
        (format!("{head}Alias: @a {}0{}", "(".repeat(100_000), ")".repeat(99_999)), "E0131"),
        ("HOA: v1 /* ".to_owned(), "E0131"),
    ] {
        let refused = read_hoa(&text).expect_err(&text);
        assert_eq!(refused.code, code, "{text:.80}: {refused:?}");
        assert!(refused.primary.is_some());
    }
}

#[test]
fn deterministic_automata_are_written_as_parity() {
    let mut determiniser = Determiniser::new(&read("G F p -> G F q"), false, &Budget::unlimited()).unwrap();
    let text = determiniser.to_hoa("fairness", Letters::Classical, 1000).unwrap();
    assert!(text.contains("acc-name: parity max even") && text.contains("AP: 2 \"p\" \"q\""), "{text}");
    let mut safety = Determiniser::new(&read("G p"), false, &Budget::unlimited()).unwrap();
    let text = safety.to_hoa("safety", Letters::FourValued, 1000).unwrap();
    assert!(text.contains("States: 2") && text.contains("Acceptance: 2 Fin(1) & (Inf(0))"), "{text}");
}

#[test]
fn large_formulas_are_translated_or_stopped() {
    let chain = read(&format!("{}p", "X ".repeat(1000)));
    let automaton = ltl_to_tgba(&chain, false, Translation::default(), &Budget::unlimited()).unwrap();
    assert_eq!(automaton.size().states, 1002);
    let many = |count: usize| {
        let parts: Vec<String> = (0..count).map(|at| format!("G F p{at}")).collect();
        read(&parts.join(" & "))
    };
    let automaton = ltl_to_tgba(&many(8), false, Translation::default(), &Budget::unlimited()).unwrap();
    assert_eq!((automaton.size().states, automaton.marks), (1, 8));
    let either = read(&(0..100).map(|at| format!("F G p{at}")).collect::<Vec<_>>().join(" | "));
    let automaton = ltl_to_tgba(&either, false, Translation::default(), &Budget::unlimited()).unwrap();
    assert_eq!((automaton.size().states, automaton.marks), (101, 1));
    let little = Budget::unlimited().with_effort(Some(LITTLE));
    assert!(matches!(
        ltl_to_tgba(&many(60), false, Translation::default(), &little),
        Err(TranslationError::Stopped(_))
    ));
}
