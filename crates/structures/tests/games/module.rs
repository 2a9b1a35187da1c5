//! Module checking is what all environments say: prunings are tried one by one, with and without copies of states.

use tertium_base::Budget;
use tertium_check::explicit::Explicit;
use tertium_check::{Ask, Engine, Task};
use tertium_lattice::Belnap;
use tertium_load::Loaded;
use tertium_logic::classify::universal_only;
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, KmtsBuilder, Model, StateId, refines};
use tertium_structures::answer::Answer;
use tertium_structures::check::{CheckOptions, Session};
use tertium_structures::module::prunings;
use tertium_testkit::{FormulaShape, for_random_cases};

use super::{Game, READING, random_game};

fn module(model: &Kmts, formula: &Formula) -> Answer {
    let budget = Budget::unlimited();
    let loaded = Loaded::of_model("module", Model::Kmts(model.clone()));
    let options = CheckOptions { module: true, logic: Some(Logic::Ctl), ..CheckOptions::default() };
    let session = Session::new(&loaded, options, &budget).unwrap();
    let parsed = session.properties(&[formula.text()], &[]).unwrap();
    session.check(&parsed[0], &budget, &()).unwrap_or_else(|error| panic!("{formula}: {error:?}"))
}

fn satisfies(model: &Kmts, formula: &Formula) -> bool {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, READING, Ask::All, &budget).unwrap();
    Explicit.values(&task).unwrap().at(model.init()[0]) == Belnap::True
}

/// The structure in which each state has so many copies, and the environment at each of its copies one of its nonempty sets of moves to copies.
fn pruned(game: &Game, copies: usize, mut number: usize) -> Option<Kmts> {
    let mut builder = KmtsBuilder::new();
    let nodes: Vec<StateId> = (0..game.next.len() * copies).map(|at| builder.add_state(&format!("{at}"))).collect();
    for (name, set) in ["p", "q"].iter().zip(game.labels) {
        let prop = builder.add_prop(name);
        nodes.iter().for_each(|&at| builder.set_label(at, prop, Belnap::from(set >> (at.index() / copies) & 1 == 1)));
    }
    for &from in &nodes {
        let all: Vec<usize> =
            (0..game.next.len()).filter(|to| game.next[from.index() / copies] >> to & 1 == 1).collect();
        let open = game.owners[from.index() / copies] != "system";
        let sets = if open { (1usize << all.len()) - 1 } else { 1 };
        let chosen = if open { number % sets + 1 } else { (1 << all.len()) - 1 };
        number /= sets;
        for (_, &to) in all.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1) {
            let copy = number % copies;
            number /= copies;
            builder.add_edge(from, nodes[to * copies + copy], true, true, None);
        }
    }
    builder.add_init(nodes[0]);
    (number == 0).then(|| builder.finish().expect("it is small"))
}

#[test]
fn modules_are_checked_as_all_prunings_are() {
    let counts = std::cell::Cell::new([0usize; 2]);
    for_random_cases(150, |case| {
        let game = random_game(&mut case.rng, 3);
        let (game, model) = (&game, game.kmts());
        if !model.is_game() {
            return;
        }
        let formula = case.formula(&FormulaShape { size: 4, ..FormulaShape::new(Logic::Ctl) });
        let answer = module(&model, &formula);
        let value = answer.verdict.value();
        assert!(matches!(value, Belnap::True | Belnap::False), "{formula}: a complete design is decided");
        let each = |copies: usize, most: usize| (0..most).filter_map(move |number| pruned(game, copies, number));
        // Numbers beyond the last pruning of one copy give none; with copies a part is looked at.
        let violated = each(1, 4096).chain(each(2, 600)).any(|environment| !satisfies(&environment, &formula));
        if value == Belnap::True {
            assert!(!violated, "{formula} fails in an environment");
        }
        if universal_only(&formula) {
            assert_eq!(
                value,
                Belnap::from(satisfies(&model, &formula)),
                "{formula}: leaving out moves cannot break it"
            );
        }
        if let Some(both) = &answer.completions {
            let shown = &both[1].structure;
            assert!(!satisfies(shown, &formula), "{formula}: the shown environment violates it");
            let relation = refines(&prunings(&model).unwrap(), shown, &Budget::unlimited()).unwrap();
            assert!(relation.contains(model.init()[0], shown.init()[0]), "{formula}: it is a pruning");
        } else if value == Belnap::False {
            assert!(violated, "{formula} is false, and no small environment violates it");
        }
        let [yes, no] = counts.get();
        counts.set([yes + usize::from(value == Belnap::True), no + usize::from(value == Belnap::False)]);
    });
    let [yes, no] = counts.get();
    assert!(yes > 10 && no > 10, "{yes} true and {no} false say little");
}

#[test]
fn only_structures_with_an_environment_are_modules() {
    let budget = Budget::unlimited();
    let game = Game { next: vec![1], owners: vec!["system"], labels: [1, 0] };
    let loaded = Loaded::of_model("closed", Model::Kmts(game.kmts()));
    let options = CheckOptions { module: true, ..CheckOptions::default() };
    assert!(Session::new(&loaded, options, &budget).is_err());
}
