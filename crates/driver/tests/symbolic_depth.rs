//! Where the set of all states is not found, the states within some depth are asked: they are those that a search sees, and a counterexample among them is told.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tertium_base::Budget;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::questions::questions;
use tertium_driver::program::symbolic::{Encoding, EncodingError};
use tertium_driver::program::{CheckOptions, ProgramAnswer, ProgramFile, check, from_text};
use tertium_driver::{Belnap, Observer, ProgramObserver};
use tertium_program::{Outcome, Semantics, State};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

fn loaded(text: &str) -> ProgramFile {
    from_text("program.gcl", text.to_owned(), &[], None).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// The numbers of states within depth 0, 1 and so on, by the definition of a step.
fn within(file: &ProgramFile, deepest: usize) -> Vec<usize> {
    let semantics = Semantics::new(&file.program);
    let start = semantics.initial_states(1 << 16, &Budget::unlimited()).expect("there are few");
    let mut frontier: BTreeSet<State> = start.into_iter().collect();
    let (mut seen, mut counts) = (frontier.clone(), vec![frontier.len()]);
    for _ in 0..deepest {
        let next = frontier.iter().flat_map(|state| semantics.successors(state));
        let next = next.filter_map(|successor| match successor.outcome {
            Outcome::Next(state) => Some(state),
            Outcome::Fault { .. } => None,
        });
        frontier = next.filter(|state| !seen.contains(state)).collect();
        seen.extend(frontier.iter().cloned());
        counts.push(seen.len());
    }
    counts
}

#[test]
fn states_within_a_depth_are_those_of_the_definition() {
    let compared = std::cell::Cell::new(0);
    for_random_cases(40, |case| {
        let shape = ProgramShape { faults: case.rng.chance(30), ..ProgramShape::default() };
        let text = random_program(&mut case.rng, &shape);
        case.keep("program.gcl", text.clone());
        let (file, deepest) = (loaded(&text), 6);
        for (depth, &count) in within(&file, deepest).iter().enumerate() {
            match Encoding::within_depth(&file.program, depth, &Budget::unlimited()) {
                Ok((encoding, _)) => assert_eq!(encoding.figures().states, count as f64, "depth {depth}\n{text}"),
                Err(EncodingError::Unfit(_)) => return,
                Err(why) => panic!("{why:?}"),
            }
        }
        compared.set(compared.get() + 1);
    });
    assert!(compared.get() > 20, "{} programs compared", compared.get());
}

/// All permutations of sixteen numbers, a set without a small diagram.
fn permutations() -> String {
    let (last, all) = (15, 0..16);
    let start: Vec<String> = all.map(|at| format!("p[{at}] = {at}")).collect();
    let swap = |at: usize| format!("p[{at}], p[{next}] := p[{next}], p[{at}];", next = at + 1);
    let swaps: Vec<String> = (0..last).map(swap).collect();
    format!(
        "system permutations\nvar p : array[0..{last}] of 0..{last}\ninit {}\nprocess P {{ loop {{ choose {{ {} }} }} }}\n\
         property near : ltl G p[0] != 3\nproperty distinct : ltl G p[0] != p[1]\nproperty again : ltl G F p[0] = 0\n",
        start.join(" && "),
        swaps.join(" } or { "),
    )
}

/// One who has seen enough with the first counterexample.
struct Patience(Arc<AtomicBool>);

impl Observer for Patience {
    fn phase(&self, _: &str) {}
}

impl ProgramObserver for Patience {
    fn decided(&self, _: &ProgramAnswer) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_limit_on_sets_leaves_what_is_known_within_a_depth() {
    let file = loaded(&permutations());
    let mut asked = questions(&file, &[], false).expect("they are there");
    asked.sort_by_key(|question| ["distinct", "again", "deadlocks", "near"].map(|name| name != question.name()));
    let options = CheckOptions { engine: EngineChoice::Symbolic, look_for_idle: false, ..CheckOptions::default() };
    let patience = Patience(Arc::default());
    let budget = Budget::unlimited().with_cancel(Arc::clone(&patience.0));
    let outcome = check(&file, &asked, &options, &budget, &patience).expect("a limit is no mistake");
    let [distinct, again, deadlocks, near] = &outcome.answers[..] else { panic!("four questions") };
    assert_eq!((near.value(), near.run().map(|run| run.steps.len())), (Belnap::False, Some(3)));
    for open in [distinct, deadlocks] {
        assert!(open.stopped().is_some());
        assert!(open.reasons()[0].what.starts_with("nothing within depth "), "{:?}", open.reasons());
    }
    // Nothing that is seen within a depth says what happens for ever.
    assert_eq!((again.value(), again.reasons().len()), (Belnap::Unknown, 0));
}
