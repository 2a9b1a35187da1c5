//! Abstract states made on demand: the same values, and what is far from a near run is not made.

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::Failure;
use tertium_driver::program::predicate_abstraction::{self, AbstractionOptions};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile};
use tertium_testkit::{Case, ProgramShape, for_random_cases, random_program};

use super::{KINDS, abstract_answers, loaded};

const LINEAR: [&str; 14] = [
    "F (n = 1)",
    "G (b -> F (n = 0))",
    "X (n = 1 || b)",
    "X X X (n < 3 || !b)",
    "G F b",
    "F G (n < 2)",
    "(n < 2) U b",
    "b R (n < 3)",
    "G (n = 1 -> X (n != 1))",
    "(G F b) -> F G (n = 0)",
    "(n = 0) W (b && X !b)",
    "G (n >= 0)",
    "F (b && X (n = 0))",
    "!(b U (n = 2)) || X b",
];

fn linear_text(case: &mut Case) -> String {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    let mut text = random_program(&mut case.rng, &shape);
    for process in ["P0", "P1"] {
        if text.contains(&format!("process {process}")) && case.rng.chance(30) {
            text.push_str(&format!("fair {process}\n"));
        }
    }
    for (number, formula) in case.rng.some_of(&LINEAR).into_iter().take(6).enumerate() {
        text.push_str(&format!("property l{number} : ltl {formula}\n"));
    }
    case.keep("program.gcl", &text);
    text
}

/// Making states on demand says what the whole structure says, for every kind of abstraction.
#[test]
fn on_demand_says_what_the_whole_structure_says() {
    let (on_demand, all) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(60, |case| {
        let text = linear_text(case);
        let predicates = case.rng.some_of(&["n = 1", "b", "n < 2", "n = 0", "b = (n = 1)"]);
        case.keep("predicates.txt", predicates.join("\n"));
        let file = loaded(&text, &predicates);
        let asked = questions(&file, &[], false).expect("no names are asked for");
        let deadlock = case.rng.chance(20).then_some(tertium_driver::Deadlock::Mu);
        let checked = CheckOptions { deadlock, fair: case.rng.chance(20), ..CheckOptions::default() };
        for kind in KINDS {
            case.keep("kind.txt", kind.name());
            let part = AbstractionOptions { kind, keep_small: case.rng.chance(25), ..AbstractionOptions::default() };
            let whole = AbstractionOptions { on_demand: false, ..part.clone() };
            let answers = |how: &AbstractionOptions| {
                predicate_abstraction::check(&file, &asked, &checked, how, &Budget::unlimited(), &())
                    .map(|found| found.answers)
            };
            let (part, whole) = match (answers(&part), answers(&whole)) {
                (Ok(part), Ok(whole)) => (part, whole),
                (Err(Failure::Input(_)), Err(Failure::Input(_))) => return,
                (part, whole) => panic!("{:?} {:?}", part.err(), whole.err()),
            };
            for (part, whole) in part.iter().zip(&whole) {
                assert_eq!(part.value(), whole.value(), "{}: {} ({kind:?})", part.name, part.formula);
                // What was not made is not known to be vacuous.
                let made_all = part.cost.on_demand.is_none_or(|made| made.left == 0);
                assert!(!part.is_vacuous() || whole.is_vacuous(), "{}: {} ({kind:?})", part.name, part.formula);
                assert!(
                    part.is_vacuous() || !whole.is_vacuous() || !made_all,
                    "{}: {} ({kind:?})",
                    part.name,
                    part.formula
                );
                all.set(all.get() + usize::from(part.logic == "ltl"));
                on_demand.set(on_demand.get() + usize::from(part.cost.on_demand.is_some()));
                if let Some(made) = part.cost.on_demand {
                    assert!(made.made <= whole.cost.states, "{}: {made:?}, {} in all", part.name, whole.cost.states);
                }
            }
        }
    });
    let (on_demand, all) = (on_demand.get(), all.get());
    assert!(on_demand * 2 > all, "only {on_demand} of {all} answers were found on demand");
}

fn with_and_without(file: &ProgramFile) -> (Vec<ProgramAnswer>, Vec<ProgramAnswer>) {
    let answers = |on_demand| {
        let how = AbstractionOptions { on_demand, ..AbstractionOptions::default() };
        abstract_answers(file, &how).unwrap_or_else(|failure| panic!("{failure:?}"))
    };
    (answers(true), answers(false))
}

/// A run that may break a property is near, and most of the abstraction is not: only what is near is made, and asked for.
#[test]
fn what_is_far_from_a_near_run_is_not_made() {
    let text = "system s\nvar n : int = 0\nvar m : int\nvar b : bool = false\ninit 1 <= m && m <= 2\n\
                process P { loop { n := n + m; } }\nprocess Q { loop { skip; } }\nprocess R { await n > 20; b := true; }\n\
                property soon : ltl F b\nproperty near : ltl X X (n <= 4)\n";
    let predicates: Vec<String> = (0..=20).map(|at| format!("n <= {at}")).collect();
    let predicates: Vec<&str> = predicates.iter().map(String::as_str).chain(["m <= 1", "m >= 1", "m <= 2"]).collect();
    let (part, whole) = with_and_without(&loaded(text, &predicates));
    for (number, (name, value)) in [("soon", Belnap::False), ("near", Belnap::True)].into_iter().enumerate() {
        let (part, whole) = (&part[number], &whole[number]);
        assert_eq!((part.name.as_str(), part.value(), whole.value()), (name, value, value));
        let made = part.cost.on_demand.expect("it was made on demand");
        assert!(made.made * 4 < whole.cost.states, "{name}: {made:?} of {} states", whole.cost.states);
        let (few, many) = (part.cost.solver.expect("a solver").calls, whole.cost.solver.expect("a solver").calls);
        assert!(few * 3 < many, "{name}: {few} calls, {many} for the whole structure");
    }
}

/// The same for a model with many abstract states.
#[test]
fn what_is_not_made_costs_no_questions() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fischer3.pml");
    let given = ["early: X X !P@crit".to_owned()];
    let file = tertium_driver::program::load(&path, &given, Some(tertium_driver::Logic::Ltl), &[]);
    let (part, whole) = with_and_without(&file.unwrap_or_else(|failure| panic!("{failure:?}")));
    let (part, whole) = (&part[0], &whole[0]);
    assert_eq!((part.value(), whole.value()), (Belnap::True, Belnap::True));
    let made = part.cost.on_demand.expect("it was made on demand");
    assert!(made.made * 50 < whole.cost.states, "{made:?} of {} states", whole.cost.states);
    let (few, many) = (part.cost.solver.expect("a solver").calls, whole.cost.solver.expect("a solver").calls);
    assert!(few * 10 < many, "{few} calls, {many} for the whole structure");
}
