//! Games over predicates say what the game over all states says: random programs with small domains, every kind of abstraction, with fairness and runs that end; and programs that only predicates can decide.

use std::cell::Cell;

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::predicate_abstraction::{AbstractionOptions, Limit};
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile};
use tertium_driver::strategy::{self, Approach, ProgramQuery, Wishes};
use tertium_testkit::{Case, ProgramShape, for_random_cases, random_program};

use super::{KINDS, loaded};

fn decided(file: &ProgramFile, wishes: &Wishes) -> Result<Vec<ProgramAnswer>, tertium_driver::Failure> {
    let asked: Vec<_> = questions(file, &[], false).expect("no names are asked for");
    let asked: Vec<_> =
        asked.into_iter().filter(|question| question.name().starts_with('g') && question.name().len() == 2).collect();
    let query = ProgramQuery { file, questions: &asked, wishes };
    strategy::decide(&query, &Budget::unlimited(), &()).map(|outcome| outcome.answers)
}

fn by_states(file: &ProgramFile) -> Vec<ProgramAnswer> {
    let options = CheckOptions { look_for_idle: false, ..CheckOptions::default() };
    let wishes = Wishes { options, approach: Approach::NoAbstraction, ..Wishes::default() };
    decided(file, &wishes).unwrap_or_else(|failure| panic!("{failure:?}"))
}

fn random_text(case: &mut Case) -> String {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    let mut text = random_program(&mut case.rng, &shape);
    let environment = text.contains("process P1 ") && case.rng.chance(30);
    for process in ["P0", "P1"] {
        if text.contains(&format!("process {process} ")) && case.rng.chance(30) {
            text.push_str(&format!("{} {process}\n", if case.rng.chance(30) { "strong fair" } else { "fair" }));
        }
    }
    let (own, picks) = if environment { ("system", "environment") } else { ("P0", "scheduler") };
    if environment {
        text.push_str("environment P1, scheduler\n");
    }
    text.push_str(&format!(
        "property g1 : atl <<{own}>> F (n = 1)\nproperty g2 : atl <<{own}, {picks}>> G (n < 2)\n\
         property g3 : atl [[{own}]] F b\nproperty g4 : atl <<>> G (n < 2 || <<{picks}>> F b)\n\
         property g5 : atl <<{picks}>> (b U n = 2)\nproperty g6 : atl* <<{own}>> (G F b -> G F (n = 0))\n\
         property g7 : atl* <<{own}>> X X (n = 1 || b)\nproperty g8 : atl [[{picks}]] G (b -> <<{own}>> F !b)\n"
    ));
    case.keep("program.gcl", &text);
    text
}

/// Whether definite answers are those of all states; how many are definite.
fn compare(case: &mut Case, limit: Limit) -> usize {
    let text = random_text(case);
    // Members of a family have names of their own.
    if text.contains("process P0[") {
        return 0;
    }
    let predicates = case.rng.some_of(&["n = 1", "b", "n < 2", "n = 0", "b = (n = 1)"]);
    case.keep("predicates.txt", predicates.join("\n"));
    let file = loaded(&text, &predicates);
    let truth = by_states(&file);
    let mut definite = 0;
    for kind in KINDS {
        let refinements = Some(if case.rng.chance(50) { 0 } else { 3 });
        let keep_small = case.rng.chance(25);
        let abstraction = AbstractionOptions { kind, limit, keep_small, ..AbstractionOptions::default() };
        let wishes = Wishes { abstraction, approach: Approach::Abstract, refinements, ..Wishes::default() };
        // Blocks with loops have no terms.
        let Ok(found) = decided(&file, &wishes) else { return definite };
        for (answer, expected) in found.iter().zip(&truth) {
            let known = expected.value() != Belnap::Unknown;
            if answer.value() != Belnap::Unknown {
                definite += usize::from(known);
                let (name, value) = (&answer.name, answer.value());
                assert!(
                    !known || value == expected.value(),
                    "{name} is {value} by {}, and {}\n{text}",
                    kind.name(),
                    expected.value()
                );
            }
        }
    }
    definite
}

#[test]
fn games_over_predicates_have_the_values_of_all_states() {
    let definite = Cell::new(0);
    for_random_cases(24, |case| definite.set(definite.get() + compare(case, Limit::default())));
    assert!(definite.get() > 90, "only {} answers are definite", definite.get());
}

/// Numbers without bounds: a player who can always answer, one who cannot, and one who needs a predicate for it.
#[test]
fn games_without_bounds_are_decided_by_predicates() {
    let text = "system chase\nvar x : int = 0\nvar turn : bool = false\n\
                process Push { loop { choose { when turn do x, turn := x + 1, false; } or { when turn do x, turn := x - 1, false; } } }\n\
                process Hold { loop { choose { when !turn && x > 0 do x, turn := x - 1, true; } or { when !turn && x < 0 do x, turn := x + 1, true; } or { when !turn do turn := true; } } }\n\
                property g1 : atl <<Hold>> G (x <= 1 && x >= -1)\n\
                property g2 : atl <<Push>> G (x != 5 || turn)\n\
                property g3 : atl <<Push>> F x = 3\n\
                property g4 : atl <<>> G (x != 3)\n\
                property g5 : atl* <<Push, Hold>> X X x >= 0\n";
    let file = loaded(text, &[]);
    let found = decided(&file, &Wishes::default()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let value = |name: &str| {
        found.iter().find(|answer| answer.name == name).map(|answer| (answer.value(), answer.reasons())).unwrap()
    };
    assert_eq!(value("g1").0, Belnap::True, "{:?}", value("g1").1);
    assert_eq!(value("g3").0, Belnap::False, "{:?}", value("g3").1);
    assert_eq!(value("g4").0, Belnap::False, "{:?}", value("g4").1);
    assert!(found.iter().any(|answer| answer.cost.refinements > 0), "some predicates are found on the way");
    assert!(found.iter().all(|answer| answer.cost.solver.is_some()), "predicates were asked");
}
