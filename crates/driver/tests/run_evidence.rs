//! What does a stored run show? Only what it breaks, by the definition of a step; whatever the file says.

use tertium_base::Budget;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::run::{self, Run};
use tertium_driver::program::run_evidence::{RunEvidence, shows};
use tertium_driver::program::simulate::Simulator;
use tertium_driver::program::{self, CheckOptions, ProgramFile, from_text, itf, load, promela, semantics, wording};
use tertium_driver::{Belnap, Failure};

fn gcl(text: &str) -> ProgramFile {
    from_text("model.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn pml(text: &str) -> ProgramFile {
    promela::from_text("model.pml", text, &[], None, &[], &[]).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

fn question(file: &ProgramFile, name: &str) -> Question {
    questions(file, &[name.to_owned()], false).unwrap_or_else(|failure| panic!("{failure:?}")).remove(0)
}

fn shown(file: &ProgramFile, name: &str, run: &Run, fair: bool) -> RunEvidence {
    shows(&semantics(file), &question(file, name), run, fair).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// Every run of up to `length` steps, and every lasso that returns to one of its states.
fn runs(file: &ProgramFile, length: usize) -> Vec<Run> {
    let semantics = semantics(file);
    let first = semantics.initial_states(1000, &Budget::unlimited()).expect("initial states");
    let mut open: Vec<Run> = first
        .into_iter()
        .map(|first| Run { first, steps: Vec::new(), loop_start: None, fault: None, deadlock: false })
        .collect();
    let mut found = Vec::new();
    while let Some(run) = open.pop() {
        let next = if run.steps.len() < length { semantics.successors(run.last()) } else { Vec::new() };
        for successor in next {
            let Some(state) = run::arrival(&successor.outcome).cloned() else { continue };
            let mut longer = run.clone();
            longer.steps.push(run::Taken { moves: successor.moves, state: state.clone() });
            let returns = longer.states().take(longer.steps.len()).position(|known| *known == state);
            found.extend(returns.map(|start| Run { loop_start: Some(start), ..longer.clone() }));
            open.push(longer);
        }
        found.push(run);
    }
    found
}

/// The value of a variable in every state of a run.
fn values(file: &ProgramFile, run: &Run, name: &str) -> Vec<i64> {
    let semantics = semantics(file);
    let value = |state| {
        let all = wording::values(&semantics, state);
        let text = all.into_iter().find(|(known, _)| known == name).map(|(_, value)| value);
        text.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{name} has no value"))
    };
    run.states().map(value).collect()
}

const COUNTER: &str = "system counter
var x : 0..3 = 0
process P { loop { choose { when x < 3 do x := x + 1; } or { when x > 0 do x := x - 1; } } }
process Q { loop { idle: skip; } }
property small   : ltl G (x < 2)
property returns : ltl G F (x = 0)
property grows   : ltl F (x = 3)
property reach   : ctl EF (x = 3)
property never2  : ctl AG (x != 2)
";

#[test]
fn a_run_shows_exactly_what_it_breaks() {
    let file = gcl(COUNTER);
    let (mut broken, mut all) = (0, 0);
    for run in runs(&file, 6) {
        let x = values(&file, &run, "x");
        let shows_false = |name: &str| shown(&file, name, &run, false) == RunEvidence::Value(Belnap::False);
        let shows_true = |name: &str| shown(&file, name, &run, false) == RunEvidence::Value(Belnap::True);
        assert_eq!(shows_false("small"), x.iter().any(|&x| x >= 2), "{x:?}");
        assert_eq!(shows_false("never2"), x.contains(&2), "{x:?}");
        assert_eq!(shows_true("reach"), x.contains(&3), "{x:?}");
        let cycle = run.loop_start.map(|start| &x[start..]);
        assert_eq!(shows_false("returns"), cycle.is_some_and(|cycle| !cycle.contains(&0)), "{x:?}");
        assert_eq!(shows_false("grows"), cycle.is_some() && !x.contains(&3), "{x:?}");
        assert!(!shows_true("small") && !shows_true("grows") && !shows_false("reach"), "one run shows nothing of all");
        assert!(!shows_false("deadlocks"), "there are none");
        all += 1;
        broken += usize::from(shows_false("returns"));
    }
    assert!(all > 500 && broken > 50, "{all} runs, {broken} broken");
}

#[test]
fn a_loop_that_starves_a_fair_process_shows_nothing() {
    let text = "system s\nvar x : bool = false\nvar y : bool = false\n\
        process P { x := true; }\nprocess Q { loop { y := !y; } }\nproperty comes : ltl F x\n";
    let unfair = gcl(text);
    let fair = gcl(&format!("{text}fair P\n"));
    let lassos =
        |file: &ProgramFile| runs(file, 3).into_iter().filter(|run| run.loop_start.is_some()).collect::<Vec<_>>();
    let starving = |file: &ProgramFile, fair: bool| {
        lassos(file).iter().filter(|run| shown(file, "comes", run, fair) == RunEvidence::Value(Belnap::False)).count()
    };
    assert!(starving(&unfair, false) > 0);
    assert_eq!((starving(&fair, false), starving(&unfair, true)), (0, 0));
}

#[test]
fn faults_and_deadlocks_must_be_there() {
    let file = gcl("system s\nvar x : 0..2 = 0\nvar a : array[0..1] of bool = false\n\
        process P { x := x + 1; choose { assert x = 2; } or { a[x + 1] := true; } or { await x = 2; } }\n");
    for run in runs(&file, 2) {
        let names = ["assertions", "array-bounds", "deadlocks"];
        assert!(names.iter().all(|name| matches!(shown(&file, name, &run, false), RunEvidence::Nothing(_))), "{run:?}");
    }
    let semantics = semantics(&file);
    let before = runs(&file, 1).into_iter().find(|run| run.steps.len() == 1).expect("a step");
    for successor in semantics.successors(before.last()) {
        let tertium_program::Outcome::Fault { fault, .. } = &successor.outcome else { continue };
        let kind = fault.kind.name();
        let run = Run { fault: Some((successor.moves.clone(), fault.clone())), ..before.clone() };
        let found = ["assertions", "array-bounds"]
            .map(|name| shown(&file, name, &run, false) == RunEvidence::Value(Belnap::False));
        assert_eq!(found, [kind == "assertion", kind == "array-bounds"], "{kind}");
    }
    let stuck = gcl("system s\nvar x : 0..1 = 0\nprocess P { x := 1; await x = 0; }\n");
    let found: Vec<bool> = runs(&stuck, 2)
        .iter()
        .map(|run| {
            (run.steps.len() == 1) == (shown(&stuck, "deadlocks", run, false) == RunEvidence::Value(Belnap::False))
        })
        .collect();
    assert!(found.iter().all(|&fits| fits) && found.len() == 2, "{found:?}");
}

#[test]
fn a_never_claim_is_read_to_the_end_of_the_run_and_no_further() {
    let file = pml("byte x; active proctype P() { do :: x < 3 -> x++ :: x = 0 od } \
        never { do :: x == 2 -> break :: else od }");
    for run in runs(&file, 6).into_iter().filter(|run| run.loop_start.is_none()) {
        let x = values(&file, &run, "x");
        let expected = x.contains(&2);
        assert_eq!(shown(&file, "never", &run, false) == RunEvidence::Value(Belnap::False), expected, "{x:?}");
    }
}

/// A stored run that says something else than it shows, or that is no run, is never taken for what it says.
#[test]
fn what_a_file_says_is_not_believed() {
    let file = gcl(COUNTER);
    let replay = |text: &str| -> Result<Run, Failure> {
        let stored = itf::read(&file, text)?;
        let mut simulator = Simulator::along(&file, &stored);
        simulator.replay(&stored)?;
        Ok(simulator.run().clone())
    };
    let run = runs(&file, 3).into_iter().find(|run| values(&file, run, "x").ends_with(&[2])).expect("a run");
    let claim = itf::Claim { property: "small".into(), formula: "G (x < 2)".into(), value: false, fair: false };
    let text = itf::document(&file, &run, Some(&claim), None);
    assert_eq!(itf::read(&file, &text).expect("a run").claim, Some(claim));
    let found = replay(&text).expect("a run");
    assert_eq!(shown(&file, "small", &found, false), RunEvidence::Value(Belnap::False));
    // Each number of the document replaced by each other one: whatever is still a run shows what its states say.
    let mut refused = 0;
    for (at, _) in text.match_indices("\"#bigint\": \"") {
        for digit in "0123".chars() {
            let place = at + "\"#bigint\": \"".len();
            let mut forged = text.clone();
            forged.replace_range(place..=place, &digit.to_string());
            match replay(&forged) {
                Ok(run) => {
                    let broken = values(&file, &run, "x").iter().any(|&x| x >= 2);
                    assert_eq!(shown(&file, "small", &run, false) == RunEvidence::Value(Belnap::False), broken);
                }
                Err(failure) => {
                    assert!(matches!(failure, Failure::Input(_)), "{failure:?}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0);
    for said in ["\"deadlock\": true,", "\"failing-step\": {\"fault\": \"assertion\"},"] {
        let forged = text.replacen("\"#meta\": {", &format!("\"#meta\": {{{said}"), 1);
        let whole = forged.replacen("\"format\": \"ITF\"", &format!("{said} \"format\": \"ITF\""), 1);
        assert!(replay(&whole).is_err(), "{said}");
    }
}

/// Whatever the searches find in the small models is shown by the run as it is stored and read again.
#[test]
fn runs_that_are_found_show_what_they_were_found_for() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/promela/micro");
    let mut models: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus").filter_map(|e| Some(e.ok()?.path())).collect();
    models.sort();
    let (mut count, budget) = (0, Budget::unlimited());
    for path in models.iter().filter(|path| path.extension().is_some_and(|extension| extension == "pml")) {
        for fair in [false, true] {
            let Ok(file) = load(path, &[], None, &[]) else { continue };
            let Ok(asked) = questions(&file, &[], false) else { continue };
            let options =
                CheckOptions { fair, max_states: Some(5000), look_for_idle: false, ..CheckOptions::default() };
            let Ok(outcome) = program::check(&file, &asked, &options, &budget, &()) else { continue };
            for (question, answer) in asked.iter().zip(&outcome.answers) {
                let Some(run) = answer.run().filter(|_| answer.repeats().is_none()) else { continue };
                let stored = itf::read(&file, &itf::document(&file, run, None, None));
                let stored = stored.unwrap_or_else(|failure| panic!("{path:?} {}: {failure:?}", answer.name));
                let mut simulator = Simulator::along(&file, &stored);
                let replayed = simulator.replay(&stored);
                replayed.unwrap_or_else(|failure| panic!("{path:?} {}: {failure:?}", answer.name));
                let found = shows(&semantics(&file), question, simulator.run(), fair);
                let found = found.unwrap_or_else(|failure| panic!("{path:?} {}: {failure:?}", answer.name));
                assert_eq!(found, RunEvidence::Value(answer.value()), "{path:?} {} fair: {fair}", answer.name);
                count += 1;
            }
        }
    }
    assert!(count > 100, "only {count} runs");
}
