//! Translations accept exactly the words on which the formula has evidence of truth.

use std::time::Duration;

use tertium_base::Budget;

use super::{Determiniser, Kind, Literal, Translation, ltl_to_tgba, plain_tableau};
use crate::testing::words::Lasso;
use crate::testing::{Random, random_formula};
use crate::{Formula, Logic, ParseOptions, parse};

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
        let little = Budget::unlimited().with_time(Some(Duration::from_millis(20)));
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
        ("G p", Kind::Safety),
        ("X X p", Kind::Safety),
        ("p W q", Kind::Safety),
        ("F p", Kind::CoSafety),
        ("p U q", Kind::CoSafety),
        ("G F p", Kind::Buchi),
        ("G (p -> F q)", Kind::Buchi),
        ("G F p & G F q", Kind::Buchi),
        ("F G p", Kind::CoBuchi),
        ("F (p & G q)", Kind::CoBuchi),
        ("F G p | F G q", Kind::CoBuchi),
        ("G F p -> G F q", Kind::Parity),
    ] {
        let found = Determiniser::new(&read(text), false, &Budget::unlimited()).unwrap();
        assert_eq!(found.kind(), kind, "{text}");
    }
}
