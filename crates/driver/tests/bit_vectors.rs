//! Bit-vectors in guarded commands: what operators compute, against a reference evaluator, and whether all engines and the independent checker agree.

use std::collections::BTreeMap;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramFile, check, from_text};
use tertium_testkit::{Case, for_random_cases};

fn read(text: &str) -> ProgramFile {
    from_text("bits.gcl", text.to_owned(), &[], None).unwrap_or_else(|why| panic!("{why:?}\n{text}"))
}

/// The values of all questions, by name; those that were not decided are left out.
fn values(file: &ProgramFile, engine: EngineChoice, max_states: Option<usize>) -> BTreeMap<String, bool> {
    let asked = questions(file, &[], false).unwrap_or_else(|why| panic!("{why:?}"));
    let options = CheckOptions { engine, max_states, look_for_idle: false, ..CheckOptions::default() };
    let budget = Budget::unlimited().with_effort(Some(2_000_000)).with_memory(Some(1 << 30));
    let found =
        check(file, &asked, &options, &budget, &()).unwrap_or_else(|why| panic!("{why:?}\n{}", file.source.text));
    let definite = |value: Belnap| matches!(value, Belnap::True | Belnap::False).then_some(value == Belnap::True);
    found.answers.iter().filter_map(|answer| Some((answer.name.clone(), definite(answer.value())?))).collect()
}

/// Variables of one width with their values, and what is computed from them.
struct Values {
    bits: u32,
    known: Vec<u64>,
}

impl Values {
    fn mask(&self) -> u64 {
        (1 << self.bits) - 1
    }

    /// An expression over bit-vectors, and its value.
    fn expr(&self, case: &mut Case, deep: usize) -> (String, u64) {
        if deep == 0 || case.rng.chance(20) {
            let at = case.rng.below(self.known.len());
            return (format!("v{at}"), self.known[at]);
        }
        let (a, x) = self.expr(case, deep - 1);
        let (b, y) = if case.rng.chance(25) {
            let constant = case.rng.next_u64() & self.mask();
            (constant.to_string(), constant)
        } else {
            self.expr(case, deep - 1)
        };
        let by = case.rng.below(self.bits as usize + 2);
        let (text, value) = match case.rng.below(13) {
            0 => (format!("({a} + {b})"), x.wrapping_add(y)),
            1 => (format!("({a} - {b})"), x.wrapping_sub(y)),
            2 => (format!("({a} * {b})"), x.wrapping_mul(y)),
            3 => (format!("({a} & {b})"), x & y),
            4 => (format!("({a} | {b})"), x | y),
            5 => (format!("({a} ^ {b})"), x ^ y),
            6 => (format!("({a} ^ {})", self.mask()), !x),
            7 => (format!("-({a})"), x.wrapping_neg()),
            8 => (format!("({a} << {by})"), x.checked_shl(u32::try_from(by).unwrap_or(99)).unwrap_or(0)),
            9 => (format!("({a} >> {by})"), x.checked_shr(u32::try_from(by).unwrap_or(99)).unwrap_or(0)),
            10 => (format!("(if {a} < {b} then {a} else {b})"), x.min(y)),
            11 if y != 0 && b.starts_with(|c: char| c.is_ascii_digit()) => (format!("({a} div {b})"), x / y),
            11 => (format!("bits({a} + 1, {})", self.bits), x.wrapping_add(1)),
            _ => {
                let other = 1 + case.rng.below(8);
                let kept = (1u64 << other) - 1;
                (format!("bits(bits({a}, {other}), {})", self.bits), x & kept)
            }
        };
        (text, value & self.mask())
    }
}

#[test]
fn operators_compute_what_remains_in_so_many_bits() {
    for_random_cases(40, |case| {
        let bits = [1, 2, 3, 5, 8, 16, 31, 32][case.rng.below(8)];
        let mut world = Values { bits, known: Vec::new() };
        world.known = (0..3).map(|_| case.rng.next_u64() & world.mask()).collect();
        let mut text = "system random\n".to_owned();
        for (at, value) in world.known.iter().enumerate() {
            text.push_str(&format!("var v{at} : bits[{bits}] = {value}\n"));
        }
        text.push_str("process P { loop { skip } }\n");
        for number in 0..12 {
            let (expr, value) = world.expr(case, 3);
            text.push_str(&format!("property p{number} : ctl AG ({expr} = {value})\n"));
        }
        case.keep("model.gcl", &text);
        let found = values(&read(&text), EngineChoice::Explicit, None);
        for number in 0..12 {
            assert_eq!(found.get(&format!("p{number}")), Some(&true), "p{number}\n{text}");
        }
    });
}

#[test]
fn engines_agree_on_programs_over_bits() {
    let decided = std::cell::Cell::new(0);
    for_random_cases(25, |case| {
        let bits = 2 + u32::try_from(case.rng.below(3)).unwrap_or(0);
        let world = Values { bits, known: vec![0; 2] };
        let mut text =
            format!("system random\nvar v0 : bits[{bits}] = {}\nvar v1 : bits[{bits}] = 0\n", case.rng.below(4));
        for process in ["P", "Q"] {
            let (guard, _) = world.expr(case, 1);
            let (first, _) = world.expr(case, 2);
            let (second, _) = world.expr(case, 2);
            text.push_str(&format!(
                "process {process} {{ loop {{ choose {{ when {guard} != 1 do v0 := {first} }} or {{ v1 := {second} }} or {{ v1 := * in 0..1 }} }} }}\n"
            ));
        }
        for number in 0..3 {
            let (expr, _) = world.expr(case, 1);
            text.push_str(&format!("property p{number} : ctl AG ({expr} != {})\n", case.rng.below(1 << bits)));
            text.push_str(&format!("property q{number} : ltl G (v0 = {number} -> F v1 = {number})\n"));
        }
        case.keep("model.gcl", &text);
        let file = read(&text);
        // A limit on states is one of the search.
        let explicit = values(&file, EngineChoice::Auto, Some(20_000));
        let symbolic = values(&file, EngineChoice::Symbolic, None);
        assert_eq!(explicit, symbolic, "{text}");
        let auto = values(&file, EngineChoice::Auto, None);
        for (name, value) in &auto {
            assert_eq!(explicit.get(name), Some(value), "{name}\n{text}");
        }
        decided.set(decided.get() + auto.len());
    });
    assert!(decided.get() > 100, "only {}", decided.get());
}

#[test]
fn mistakes_about_bits_are_told() {
    let code = |text: &str| match from_text("bits.gcl", text.to_owned(), &[], None) {
        Ok(_) => "none".to_owned(),
        Err(why) => format!("{why:?}"),
    };
    let with = |statement: &str| {
        format!("system s\nvar a : bits[8] = 0\nvar b : bits[4] = 0\nvar n : int = 0\nprocess P {{ {statement} }}\n")
    };
    for (statement, wanted) in [
        ("a := 256", "E0407"),
        ("a := n", "E0407"),
        ("a := b", "E0407"),
        ("a := a + b", "E0407"),
        ("await a & 1 = 1", "E0407"),
        ("n := n ^ 1", "E0407"),
        ("a := bits(n, 33)", "E0415"),
        ("a := bits(n)", "E0412"),
        ("a := bits(n, 8) + bits(b, 8); n := a + 1; await (a & 1) = 1 && a > n", "none"),
    ] {
        let found = code(&with(statement));
        assert!(found.contains(wanted), "{statement}: {found}");
    }
    assert!(code("system s\nvar a : bits[40]\nprocess P { skip }").contains("E0415"));
}
