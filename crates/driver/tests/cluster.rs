//! Do several processes say the same of random formulas of random models as one search does?
//!
//! Linear properties, with and without fairness, and everything that single states break. A run that is found has been repeated by the definition of a step, is fair
//! and breaks its formula, or the answer is an error. `make test-scaling` runs many.

use std::cell::Cell;
use std::net::TcpListener;
use std::time::Duration;

use tertium_base::Budget;
use tertium_driver::program::cluster::{ClusterOutcome, Team, decide};
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::safety::{Effort, Keeping};
use tertium_driver::program::space::Space;
use tertium_driver::program::{CheckOptions, Extras, ProgramFile, check};
use tertium_driver::{Belnap, ModelLanguage, ModelSource};
use tertium_testkit::spin::random_claim;
use tertium_testkit::{Case, for_random_cases, random_promela};

/// How many formulas a model gets.
const FORMULAS: usize = 3;
/// Larger state spaces are not compared.
const MOST: usize = 10_000;

/// What these processes say, each a thread of this one.
fn together(file: &ProgramFile, asked: &[Question], processes: usize, workers: usize, fair: bool) -> ClusterOutcome {
    let free = || TcpListener::bind("127.0.0.1:0").expect("a free port");
    let listeners: Vec<TcpListener> = (0..processes).map(|_| free()).collect();
    let address = |listener: &TcpListener| listener.local_addr().expect("bound").to_string();
    let addresses: Vec<String> = listeners.iter().map(address).collect();
    drop(listeners);
    let process = |process: usize| {
        let (budget, version) = (Budget::unlimited(), "test".to_owned());
        let team = Team { addresses: addresses.clone(), process, workers, version, patience: Duration::from_secs(60) };
        let meeting = team.meet(&budget).expect("all are there");
        let space = Space::new(&file.program, &budget).expect("no limit");
        let count = space.fixed_processes();
        let space = if fair { space.fair_to(count.expect("no process starts on the way")) } else { space };
        let effort =
            Effort { threads: 1, max_states: Some(MOST), reduction: false, store: Keeping::Exact, budget: &budget };
        decide(&space, asked, meeting, (&effort, None), &mut |_| {}).unwrap_or_else(|failure| panic!("{failure:?}"))
    };
    let mut outcomes: Vec<ClusterOutcome> = std::thread::scope(|scope| {
        let process = &process;
        let all: Vec<_> = (0..processes).map(|number| scope.spawn(move || process(number))).collect();
        all.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    let values =
        |outcome: &ClusterOutcome| -> Vec<Belnap> { outcome.answers.iter().map(|answer| answer.value()).collect() };
    let first = outcomes.swap_remove(0);
    outcomes.iter().for_each(|other| assert_eq!(values(other), values(&first), "all processes say the same"));
    first
}

/// Compares one model; how many linear properties were compared, and how many of them are false.
fn compare(file: &ProgramFile, fair: bool, (processes, workers): (usize, usize)) -> (usize, usize) {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let options = CheckOptions { max_states: Some(MOST), look_for_idle: false, fair, ..CheckOptions::default() };
    let one = check(file, &asked, &options, &Budget::unlimited(), &()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let found = together(file, &asked, processes, workers, fair);
    let (mut compared, mut violated) = (0, 0);
    for answer in &found.answers {
        let other = one.answers.iter().find(|other| other.name == answer.name).expect("the same questions");
        let (ours, theirs) = (answer.value(), other.value());
        if ours == Belnap::Unknown || theirs == Belnap::Unknown {
            continue;
        }
        assert_eq!(ours, theirs, "{}, fair: {fair}, {processes} processes of {workers} workers", answer.name);
        if ours == Belnap::False {
            let run = answer.run().expect("what is false comes with a run");
            let theirs = other.run().expect("theirs too");
            let is_shortest = run.loop_start.is_none() && theirs.loop_start.is_none();
            assert!(!is_shortest || run.steps.len() == theirs.steps.len(), "{}", answer.name);
        }
        if answer.name.starts_with("f_") {
            compared += 1;
            violated += usize::from(ours == Belnap::False);
        }
    }
    (compared, violated)
}

fn model(case: &mut Case, text: String, language: ModelLanguage) -> Option<ProgramFile> {
    case.keep("model.txt", text.clone());
    let name = if language == ModelLanguage::Promela { "model.pml" } else { "model.gcl" };
    ModelSource::of_text(name, language, text).program(&[], None, &[], &Extras::default()).ok()
}

#[test]
fn random_formulas_of_random_models() {
    let (compared, violated) = (Cell::new(0), Cell::new(0));
    for_random_cases(24, |case| {
        let mut text = random_promela(&mut case.rng);
        for number in 0..FORMULAS {
            text.push_str(&format!("ltl f_{number} {{ {} }}\n", random_claim(&mut case.rng, 3)));
        }
        let Some(file) = model(case, text, ModelLanguage::Promela) else { return };
        let size = *case.rng.pick(&[(1, 1), (1, 3), (2, 1), (2, 2)]);
        let space = Space::new(&file.program, &Budget::unlimited()).expect("no limit");
        let fair = case.rng.chance(50) && space.fixed_processes().is_some();
        let (more, false_ones) = compare(&file, fair, size);
        compared.set(compared.get() + more);
        violated.set(violated.get() + false_ones);
    });
    assert!(compared.get() > 10 && violated.get() > 0, "{} compared", compared.get());
}

/// Processes that starve unless the scheduler is as fair as it says.
#[test]
fn weak_and_strong_fairness() {
    let text = |first: &str, second: &str| {
        format!(
            "system s var x : 0..3 = 0 var y : 0..1 = 0
             process P {{ loop {{ y := 1 - y; }} }}
             process Q {{ loop {{ when y = 1 do x := (x + 1) mod 4; }} }}
             {first} {second}
             property f_again : ltl G F x = 3
             property f_moves : ltl G F y = 1
             property f_rests : ltl F G x = 0
             property f_never : ltl G !(x = 3)\n"
        )
    };
    let mut values = Vec::new();
    for (first, second) in [
        ("", ""),
        ("fair P", "fair Q"),
        ("fair P", "strong fair Q"),
        ("strong fair P", "strong fair Q"),
        ("", "strong fair Q"),
    ] {
        let mut case = Case::new(0, 0);
        let file = model(&mut case, text(first, second), ModelLanguage::Gcl).expect("no mistakes");
        for size in [(1, 1), (1, 2), (2, 1)] {
            let (compared, violated) = compare(&file, false, size);
            assert_eq!(compared, 4, "{first} {second}");
            values.push(violated);
        }
    }
    // With strong fairness to Q and fairness to P only the last two are false.
    assert_eq!(values.iter().min(), Some(&2), "{values:?}");
    assert!(values.iter().max() > Some(&2), "{values:?}");
}

/// What is left may have states at which strong fairness binds a run that goes round where it does not.
#[test]
fn strong_fairness_outside_of_the_component() {
    let text = "system phases strong fair P var phase, x, y : 0..1 = 0
                process Q { loop { choose { when phase = 0 do x := 1 - x } or { when phase = 0 do phase := 1 } or { when phase = 1 do skip } } }
                process P { loop { when phase = 1 do y := 1 - y } }
                property f_early: ltl F G !(phase = 0 && x = 1)
                property f_late: ltl F G !(phase = 1 && y = 1)\n";
    let file = model(&mut Case::new(0, 0), text.to_owned(), ModelLanguage::Gcl).expect("no mistakes");
    for size in [(1, 1), (2, 1), (3, 1)] {
        assert_eq!(compare(&file, false, size), (2, 2), "{size:?}");
    }
}
