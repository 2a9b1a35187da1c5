//! Does one depth-first search do the same with every store, and do its limits bind?

use std::time::Duration;

use tertium_base::Budget;
use tertium_explore::search::breadth::{Options, breadth_first};
use tertium_explore::search::compaction::compact_search;
use tertium_explore::search::depth::depth_first;
use tertium_explore::search::{Finding, Observer, Summary};
use tertium_explore::store::Keeping;
use tertium_explore::successors::{Expansion, Plain, RowSuccessors};
use tertium_program::{Program, Semantics};

const COUNTER: &str = "var x : 0..20000 = 0; process P { while x < 20000 { x := x + 1; } }";

/// Thousands of initial states with hardly anything behind each.
const BEGINNINGS: &str = "var x : 0..20000; var y : bool = false; process P { y := true; }";

fn program(text: &str) -> Program {
    let compiled = tertium_gcl::compile(&format!("system s\n{text}"));
    compiled.program.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics))
}

fn initial(plain: &Plain<'_>) -> Vec<Vec<u32>> {
    let states = plain.semantics().initial_states(1 << 20, &Budget::unlimited()).expect("they can be listed");
    states.iter().map(|state| plain.row(state)).collect()
}

/// Every state breaks its only condition, and one is enough to know.
struct SoonDone;

impl Observer for SoonDone {
    type Scratch = ();

    fn scratch(&self) {}

    fn look(&self, _: &[u32], (): &mut (), broken: &mut dyn FnMut(usize)) {
        broken(0);
    }

    fn is_enough(&self, summary: &Summary) -> bool {
        summary.findings.contains_key(&Finding::Broken(0))
    }
}

/// Breaks condition 0 where the first word is one of a few.
struct Some7;

impl Observer for Some7 {
    type Scratch = ();

    fn scratch(&self) {}

    fn look(&self, row: &[u32], (): &mut (), broken: &mut dyn FnMut(usize)) {
        if row.first().is_some_and(|word| word % 7 == 3) {
            broken(0);
        }
    }
}

fn options(budget: &Budget) -> Options<'_> {
    Options { threads: 1, max_states: None, stop_at_finding: false, budget }
}

/// All depth-first searches of a program, by name.
fn searches<O: Observer>(text: &str, observer: &O, budget: &Budget) -> Vec<(&'static str, Summary)> {
    let program = program(text);
    let plain = Plain::of(&Semantics::new(&program));
    let (initial, options) = (initial(&plain), options(budget));
    let compact = |keeping| compact_search(&plain, observer, &initial, keeping, &options, &mut |_| {}).summary;
    vec![
        ("exact", depth_first(&plain, observer, &initial, &options, &mut |_| {}).summary),
        ("hash compaction", compact(Keeping::Compact)),
        ("bitstate", compact(Keeping::Bits)),
    ]
}

#[test]
fn what_is_enough_ends_the_search() {
    for text in [COUNTER, BEGINNINGS] {
        for (name, summary) in searches(text, &SoonDone, &Budget::unlimited()) {
            assert!(!summary.complete() && summary.states < 5_000, "{name}: {} states of {text}", summary.states);
        }
    }
}

#[test]
fn time_binds_where_runs_are_short() {
    let budget = Budget::unlimited().with_time(Some(Duration::ZERO));
    for text in [COUNTER, BEGINNINGS] {
        for (name, summary) in searches(text, &Some7, &budget) {
            assert!(!summary.complete() && summary.states < 5_000, "{name}: {} states of {text}", summary.states);
        }
    }
}

#[test]
fn all_stores_see_the_same() {
    let text = "var x : 0..30 = 0; var y : 0..30 = 0;
        process P { loop { x := (x + 1) mod 31; } }
        process Q { while y < 30 { y := y + 1; } assert x < 30; }";
    let program = program(text);
    let plain = Plain::of(&Semantics::new(&program));
    let budget = Budget::unlimited();
    let broad = breadth_first(&plain, &Some7, &initial(&plain), &options(&budget), &mut |_| {}).summary;
    assert!(broad.complete() && broad.findings.contains_key(&Finding::Broken(0)));
    for (name, summary) in searches(text, &Some7, &budget) {
        let seen = |summary: &Summary| (summary.states, summary.transitions, summary.deadlocks, summary.faults);
        assert_eq!(seen(&summary), seen(&broad), "{name}");
        assert!(summary.findings.keys().eq(broad.findings.keys()), "{name}");
    }
}

/// The run that is kept of a finding begins at the start, makes single steps, and ends where the finding is.
#[test]
fn runs_lead_to_what_was_found() {
    let program =
        program("var x : 0..50 = 0; process P { loop { x := (x + 3) mod 51; } } process Q { assert x < 40; }");
    let plain = Plain::of(&Semantics::new(&program));
    let (initial, budget) = (initial(&plain), Budget::unlimited());
    let found = compact_search(&plain, &Some7, &initial, Keeping::Compact, &options(&budget), &mut |_| {});
    assert_eq!(found.runs.len(), found.summary.findings.len());
    assert!(found.runs.len() >= 2, "a broken condition and a failing assertion");
    for (finding, run) in &found.runs {
        let place = &found.summary.findings[finding];
        assert_eq!((run.len(), &run[run.len() - 1]), (place.depth + 1, &place.row), "{finding:?}");
        assert!(initial.contains(&run[0]));
        for pair in run.windows(2) {
            let mut after = Expansion::default();
            plain.expand(&pair[0], &mut plain.scratch(), &mut after);
            assert!((0..after.steps()).any(|at| after.row(at) == pair[1]), "{finding:?}: {pair:?}");
        }
    }
}
