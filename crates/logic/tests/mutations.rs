//! No text makes a reader panic, loop or lie: seeds, mutated again and again.
//!
//! The stable-toolchain sibling of the fuzz targets. `TERTIUM_FUZZ_RUNS` and `TERTIUM_SEED` make it run longer
//! and differently; a failure shows the input.

#![allow(clippy::cast_possible_truncation, reason = "drawn numbers")]

use tertium_base::Budget;
use tertium_logic::automata::{Letters, read_hoa, reduce};
use tertium_logic::{Logic, ParseOptions, parse, positive_normal_form, simplify};

/// How many mutated texts each reader is given.
const RUNS: u64 = 20_000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs `target` on as many mutated seeds as are asked for.
fn run(seeds: &[&str], tokens: &[&str], target: fn(&str)) {
    let seed = setting("TERTIUM_SEED", 1);
    let mut random = Random(seed);
    let mut pool: Vec<String> = seeds.iter().map(|seed| (*seed).to_owned()).collect();
    for runs in 0..setting("TERTIUM_FUZZ_RUNS", RUNS) {
        let input = mutated(&mut random, &pool, tokens);
        let outcome = std::panic::catch_unwind(|| target(&input));
        assert!(outcome.is_ok(), "seed {seed}, run {runs}, input {input:?}");
        if random.below(50) == 0 && input.len() < 2000 {
            match random.below(400) {
                place if place >= seeds.len() && place < pool.len() => pool[place] = input,
                _ if pool.len() < 400 => pool.push(input),
                _ => {}
            }
        }
    }
}

fn mutated(random: &mut Random, pool: &[String], tokens: &[&str]) -> String {
    let mut bytes = pool[random.below(pool.len())].clone().into_bytes();
    for _ in 0..1 + random.below(6) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(8)).min(bytes.len());
        match random.below(7) {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..at, [random.below(256) as u8])),
            2 | 3 => drop(bytes.splice(at..at, tokens[random.below(tokens.len())].bytes())),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                drop(bytes.splice(to..to, part));
            }
            5 => {
                let other = pool[random.below(pool.len())].as_bytes();
                let from = random.below(other.len() + 1);
                let to = (from + random.below(20)).min(other.len());
                drop(bytes.splice(at..at, other[from..to].iter().copied()));
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn formula_target(text: &str) {
    for logic in [None, Some(Logic::Pml), Some(Logic::Ctl), Some(Logic::Ltl), Some(Logic::CtlStar), Some(Logic::Mu)] {
        let options = ParseOptions { logic, elements: vec!["high".to_owned()] };
        let parsed = parse(text, &options);
        assert_eq!(parsed.formula.is_none(), parsed.diagnostics.iter().any(|diagnostic| diagnostic.is_error()));
        for diagnostic in &parsed.diagnostics {
            let span = diagnostic.primary.as_ref().expect("a place").span;
            assert!(span.start <= span.end && span.end <= text.len(), "{diagnostic:?}");
        }
        let Some(formula) = parsed.formula else { continue };
        let options = ParseOptions { logic: Some(formula.logic()), ..options };
        let again = parse(&formula.text(), &options).formula.expect("printed formulas parse");
        assert_eq!(again, formula, "{}", formula.text());
        let negation = positive_normal_form(&formula, true);
        assert!(simplify(&negation).nodes().len() <= negation.nodes().len());
    }
}

#[test]
fn no_text_upsets_the_formula_parser() {
    let seeds = [
        "AG (request -> AF grant)",
        "A[p U q] & E[r W s]",
        "G F p -> [] <> q",
        "nu X. p & [] X | <a> mu Y. X | Y",
        "A (F p & (G F p | X E G p))",
        "P[2].x & P@label & x = 3 & \"x > 0\"",
        "a xor b <-> c",
        "p U q R r M s",
    ];
    let tokens = [
        " ", "(", ")", "[", "]", "<", ">", "[]", "<>", "!", "&", "|", "->", "<->", "xor", " U ", " R ", "mu X. ",
        "nu Y.", "X", "F ", "G ", "A", "E", "AX ", "EG ", "\"", "=", "true", "false", "high", "p", "[2]", "@", ".",
        "\\", "é", "\n",
    ];
    run(&seeds, &tokens, formula_target);
}

fn automaton_target(text: &str) {
    match read_hoa(text) {
        Err(diagnostic) => {
            let span = diagnostic.primary.as_ref().expect("a place").span;
            assert!(span.start <= span.end && span.end <= text.len(), "{diagnostic:?}");
        }
        Ok(automaton) => {
            let again = read_hoa(&automaton.to_hoa("again", Letters::Classical)).expect("written automata are read");
            assert_eq!(again.marks, automaton.marks);
            if automaton.size().states < 40 {
                let smaller = reduce(&automaton, &Budget::unlimited()).expect("no limit is set");
                assert!(smaller.size().states <= automaton.size().states);
            }
        }
    }
}

#[test]
fn no_text_upsets_the_automaton_reader() {
    let seeds = [include_str!("../../../fuzz/seeds/hoa/0"), include_str!("../../../fuzz/seeds/hoa/1")];
    let tokens = [
        " ",
        "HOA: v1",
        "States: 3",
        "Start: 1",
        "AP: 1 \"p\"",
        "Acceptance: 2 Inf(0)&Inf(1)",
        "Alias: @b 0|1",
        "--BODY--",
        "State: 1",
        "--END--",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "&",
        "|",
        "!",
        "t",
        "f",
        "0",
        "1",
        "2",
        "99",
        "@a",
        "\"",
        "/*",
        "*/",
        "Inf(0)",
        "Fin(1)",
        "properties: x",
        "\\",
    ];
    run(&seeds, &tokens, automaton_target);
}
