//! What Promela has besides processes and channels, decided over sets: priorities, `enabled`, traces, processes without a choice,
//! claims that take notes, receives that use what they have just received. Verdicts are those of a search, and runs are repeated.

mod models;

use tertium_base::Budget;
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::check::CheckOutcome;
use tertium_driver::program::questions::questions;
use tertium_driver::program::{CheckOptions, ProgramFile, check};
use tertium_driver::provenance::Engine;
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use tertium_driver::{Belnap, Failure};

use self::models::promela;

fn answers(file: &ProgramFile, engine: EngineChoice) -> Result<CheckOutcome, Failure> {
    let asked = questions(file, &[], false).expect("no names are asked for");
    let options = CheckOptions { engine, look_for_idle: false, keep_basis: true, ..CheckOptions::default() };
    check(file, &asked, &options, &Budget::unlimited(), &())
}

/// The verdicts over sets are those of a search, and among them are these; whatever is false has a run.
fn decides(text: &str, expected: &[(&str, Belnap)]) {
    let file = promela(text);
    let sets = answers(&file, EngineChoice::Symbolic).unwrap_or_else(|failure| panic!("{failure:?}\n{text}")).answers;
    let visited = answers(&file, EngineChoice::Auto).unwrap_or_else(|failure| panic!("{failure:?}\n{text}")).answers;
    for (one, other) in sets.iter().zip(&visited) {
        assert_eq!((&one.name, one.value()), (&other.name, other.value()), "{text}");
        assert_eq!(one.run().is_some(), one.value() == Belnap::False, "{} of {text}", one.name);
    }
    for (name, value) in expected {
        let answer = sets.iter().find(|answer| answer.name == *name);
        let answer = answer.unwrap_or_else(|| panic!("nobody asks for {name} in {text}"));
        assert_eq!(answer.value(), *value, "{name} of {text}");
    }
}

fn refused(text: &str) -> String {
    match answers(&promela(text), EngineChoice::Symbolic) {
        Err(Failure::Input(why)) => why[0].diagnostic.message.clone(),
        other => panic!("{other:?}\n{text}"),
    }
}

#[test]
fn only_the_highest_priority_steps() {
    let two = |low: u32, high: u32| {
        format!(
            "byte x; active proctype L() priority {low} {{ x = 1; assert(x == 1) }}\n\
             active proctype H() priority {high} {{ x = 2; x = 3 }}\nltl p {{ [] (x == 1 -> <> (x == 3)) }}\n"
        )
    };
    decides(&two(1, 5), &[("assertions", Belnap::True), ("p", Belnap::False)]);
    decides(&two(1, 1), &[("assertions", Belnap::False)]);
    decides(&two(5, 1), &[("assertions", Belnap::True), ("p", Belnap::True)]);
}

#[test]
fn priorities_are_set_and_given_to_those_who_are_started() {
    decides(
        "byte x; active proctype L() priority 1 { set_priority(_pid, 7); x++; assert(x == 1); set_priority(_pid, 1); x++ }\n\
         active proctype H() priority 5 { x++; assert(_priority == 5 && get_priority(0) < 7) }\n",
        &[("assertions", Belnap::False)],
    );
    decides(
        "byte x; proctype W(byte k) { x = k; x = k + 10 }\n\
         init priority 10 { run W(1) priority 2; run W(2) priority 3; set_priority(_pid, 1); x == 99 }\n\
         ltl p { [] (x == 11 -> [] (x != 12)) }\nltl q { <> (x == 11) }\n",
        &[("p", Belnap::True), ("q", Belnap::True)],
    );
}

#[test]
fn higher_priorities_interrupt_atomic_blocks_but_not_d_steps() {
    let with = |block: &str| {
        format!(
            "byte x; bool go; active proctype L() priority 1 {{ {block} {{ go = true; x = 1; x = 2 }} }}\n\
             active proctype H() priority 5 {{ go -> assert(x == 0 || x == 2); x = 7 }}\nltl p {{ [] (x != 7 || go) }}\n\
             ltl q {{ <> (x == 2) }}\n"
        )
    };
    decides(&with("atomic"), &[("assertions", Belnap::True), ("q", Belnap::True)]);
    decides(&with("d_step"), &[("assertions", Belnap::True), ("q", Belnap::True)]);
}

#[test]
fn whoever_is_started_in_a_block_may_be_gone_before_it_goes_on() {
    // The first to be started is done before the second is started, which gets its number.
    decides(
        "byte n; proctype A() { skip }\nproctype B() { n = _pid }\n\
         init { atomic { run A() priority 3; run B() priority 2; skip } }\nltl p { [] (n != 2) }\nltl q { <> (n == 2) }\n",
        &[("p", Belnap::True), ("q", Belnap::False)],
    );
}

#[test]
fn what_is_enabled_can_be_asked() {
    decides(
        "byte x, y; chan q = [1] of { byte };\nactive proctype A() { d_step { x == 1; x = 2 }; atomic { q?x; x = 3 } }\n\
         active proctype B() { y = enabled(0); x = 1; y = enabled(0); (x == 2 && !enabled(0)) -> q!4; enabled(0) -> y = 9; assert(enabled(0)) }\n\
         ltl p { [] (y == 9 -> x >= 2) }\nltl q0 { <> enabled(0) }\n",
        &[("assertions", Belnap::False), ("p", Belnap::True), ("q0", Belnap::True)],
    );
    decides(
        "byte x; active proctype A() { x == 1 -> x = 2 }\nactive proctype B() provided (!enabled(0)) { x = 1; x = 5 }\n\
         never { do :: !enabled(0) :: enabled(0) -> break od }\n",
        &[("never", Belnap::False)],
    );
}

#[test]
fn whoever_asks_in_a_circle_is_refused() {
    let why =
        refused("byte x; active proctype A() { enabled(1) -> x = 1 }\nactive proctype B() { enabled(0) -> x = 2 }\n");
    assert!(why.contains("asks back"), "{why}");
    let why = refused("byte x; active proctype A() { enabled(_pid) -> x = 1 }\n");
    assert!(why.contains("enabled"), "{why}");
}

#[test]
fn traces_watch_what_is_sent_and_received() {
    let with = |trace: &str| {
        format!(
            "mtype = {{ a, b }}; chan q = [1] of {{ mtype }}; chan r = [0] of {{ byte }};\n\
             active proctype A() {{ q!a; r!1; q!b }}\nactive proctype B() {{ mtype m; byte x; q?m; r?x; q?m }}\n{trace}\n"
        )
    };
    decides(&with("trace { q!a; q!b }"), &[("trace", Belnap::True), ("end-states", Belnap::True)]);
    decides(&with("trace { q!b; q!a }"), &[("trace", Belnap::False)]);
    decides(&with("trace { q!a; r!1; r?1; q!b; q!a }"), &[("trace", Belnap::True)]);
    decides(&with("trace { q?a; r?2; q?b }"), &[("trace", Belnap::False)]);
    decides(&with("notrace { q!a; q!b }"), &[("trace", Belnap::False)]);
    decides(&with("notrace { q!b; q!a }"), &[("trace", Belnap::True)]);
    decides(&with("trace { do :: q!a :: q!a -> q!b od }"), &[("other-faults", Belnap::False)]);
}

#[test]
fn processes_without_a_choice_are_watched() {
    let with = |guard: &str| {
        format!(
            "byte x; active D_proctype P() {{ if :: x == 0 -> x = 1 :: {guard} -> x = 2 fi; x = 3 }}\nltl p {{ <> (x == 3) }}\n"
        )
    };
    decides(&with("x <= 1"), &[("other-faults", Belnap::False), ("p", Belnap::True)]);
    decides(&with("x == 1"), &[("other-faults", Belnap::True), ("p", Belnap::True)]);
    // Of two mistakes the one that is told is that of the event.
    let text =
        "byte x; chan q = [1] of { byte }; active D_proctype P() { if :: x == 0 -> skip :: q!1 fi }\ntrace { q!2 }\n";
    decides(text, &[("other-faults", Belnap::True), ("trace", Belnap::False)]);
}

#[test]
fn claims_take_notes() {
    let with = |claim: &str| {
        format!(
            "byte x; byte seen; bool met[2]; active proctype P() {{ do :: x = 1 :: x = 2 :: x < 2 -> break od; x = 3 }}\n\
             never {{ {claim} }}\n"
        )
    };
    decides(&with("do :: x > seen -> seen = x :: x < seen -> break :: else od"), &[("never", Belnap::False)]);
    decides(&with("do :: x > 4 -> break :: else -> seen = x od"), &[("never", Belnap::True)]);
    decides(
        &with("do :: x == 1 -> met[0] = true :: x == 3 -> met[1] = true :: met[0] && met[1] -> break :: else od"),
        &[("never", Belnap::False)],
    );
    decides(&with("accept: do :: seen < 3 -> seen = seen + 1 :: x < 3 && seen == 3 od"), &[("never", Belnap::False)]);
}

#[test]
fn places_of_a_receive_use_what_was_received_before() {
    for capacity in [0, 2] {
        decides(
            &format!(
                "chan q = [{capacity}] of {{ byte, byte }}; byte a[3];\nactive proctype S() {{ q!1,7; q!2,9 }}\n\
                 active proctype R() {{ byte i; q?i,a[i]; assert(a[1] == 7 && a[0] == 0); q?i,a[i]; assert(a[2] == 8) }}\n"
            ),
            &[("assertions", Belnap::False)],
        );
    }
}

#[test]
fn channels_travel_in_messages() {
    let with = |sent: &str| {
        format!(
            "chan srv = [1] of {{ chan }}; active proctype C() {{ chan r = [1] of {{ byte }}; byte v; srv!{sent}; r?v; assert(v == 42) }}\n\
             active proctype S() {{ chan x; srv?x; x!42 }}\n"
        )
    };
    decides(&with("r"), &[("assertions", Belnap::True), ("end-states", Belnap::True)]);
    let why = refused(&with("42"));
    assert!(why.contains("no channel's"), "{why}");
}

#[test]
fn wide_numbers_with_few_values_are_small() {
    decides(
        "int x; active proctype P() { x = 3; x = x * x; x = x - 10; x = (x * 100000) % 77 }\n\
         ltl p { <> (x < 0) && [] (x <= 9) }\n",
        &[("p", Belnap::True)],
    );
    decides(
        "byte a[4]; byte s; active proctype P() { byte i; d_step { for (i : 0 .. 3) { a[i] = i }; for (i in a) { s = s + a[i] } } assert(s == 6) }\n\
         active proctype Q() { s > 0 -> s = 0 }\n",
        &[("assertions", Belnap::False)],
    );
}

#[test]
fn certificates_say_what_they_do_not_know() {
    let file = promela("byte x; active proctype A() priority 2 { x = 1 }\nactive proctype B() priority 3 { x = 2 }\n");
    let outcome = answers(&file, EngineChoice::Symbolic).expect("it is decided");
    let ends = outcome.answers.iter().find(|answer| answer.name == "end-states").expect("it is asked");
    assert_eq!(ends.value(), Belnap::True);
    let basis = format!("{:?}", ends.basis());
    assert!(basis.contains("priorities"), "{basis}");
}

#[test]
fn sets_are_chosen_where_a_search_would_not_end() {
    let file = promela(
        "byte x[8]; active [8] proctype C() { do :: x[_pid] < 9 -> x[_pid]++ :: x[_pid] > 0 -> x[_pid]-- od }\n\
         ltl low { [] (x[0] < 10 && x[7] < 10) }\nltl up { [] (x[3] < 9) }\nltl near { [] (x[3] < 2) }\n",
    );
    let asked = questions(&file, &[], false).expect("no names are asked for");
    let wishes = Wishes::default();
    let query = ProgramQuery { file: &file, questions: &asked, wishes: &wishes };
    let outcome = strategy::decide(&query, &Budget::unlimited(), &()).unwrap_or_else(|failure| panic!("{failure:?}"));
    let answer = |name: &str| outcome.answers.iter().find(|answer| answer.name == name).expect("it is asked");
    let low = answer("low");
    assert_eq!((low.value(), low.provenance.engine), (Belnap::True, Engine::Symbolic));
    assert!(low.cost.states > 100_000_000_000, "{} states", low.cost.states);
    // What is near is found by the search that tells whether sets are worth while.
    for (name, engine) in [("up", Engine::Symbolic), ("near", Engine::Explore)] {
        let answer = answer(name);
        assert_eq!(
            (answer.value(), answer.provenance.engine, answer.run().is_some()),
            (Belnap::False, engine, true),
            "{name}"
        );
    }
}
