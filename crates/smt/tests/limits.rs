//! Questions that would take for ever end with the budget, and say which limit it was.
//!
//! Nothing here measures time: without its limits a question would not end, so that a test that ends is a test that passes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tertium_base::{Budget, StopReason, Stopped};
use tertium_smt::{Bounds, Limit, Process, Purpose, Queries, Reply, Scripts, Sort, Z3};

/// Sums of three cubes: nobody has found the answer by trying.
const CUBES: &str = "(declare-const x Int)(declare-const y Int)(declare-const z Int)
(assert (= (+ (* x x x) (* y y y) (* z z z)) 42))
(check-sat)";

/// Pigeons, two more than holes: short to write down, and long to refute.
fn pigeons(holes: usize) -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    let pigeon = |p: usize, h: usize| format!("p{p}_{h}");
    let pigeons = holes + 2;
    for p in 0..pigeons {
        (0..holes).for_each(|h| text.push_str(&format!("(declare-const {} Bool)\n", pigeon(p, h))));
        let somewhere: Vec<String> = (0..holes).map(|h| pigeon(p, h)).collect();
        text.push_str(&format!("(assert (or {}))\n", somewhere.join(" ")));
        count += 1;
    }
    for h in 0..holes {
        for p in 0..pigeons {
            for q in 0..p {
                text.push_str(&format!("(assert (not (and {} {})))\n", pigeon(p, h), pigeon(q, h)));
                count += 1;
            }
        }
    }
    (text + "(check-sat)\n", count)
}

const NO_LIMIT: Limit = Limit { work: None, time: None };

#[test]
fn a_script_ends_with_the_time() {
    for (text, count) in [pigeons(40), (CUBES.to_owned(), 1)] {
        let budget = Budget::unlimited().with_time(Some(Duration::from_millis(300)));
        let mut scripts = Scripts::z3(NO_LIMIT).unwrap().within(&budget);
        assert_eq!(scripts.ask(&text, count), Reply::GaveUp);
        assert_eq!(scripts.stopped(), Err(Stopped(StopReason::Time)));
    }
}

#[test]
fn a_script_ends_when_the_user_asks() {
    for (text, count) in [pigeons(40), (CUBES.to_owned(), 1)] {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_cancel(Arc::clone(&flag));
        let asking = std::thread::spawn(move || {
            let mut scripts = Scripts::z3(NO_LIMIT).unwrap().within(&budget);
            let reply = scripts.ask(&text, count);
            (reply, scripts.stopped())
        });
        std::thread::sleep(Duration::from_millis(200));
        flag.store(true, Ordering::Relaxed);
        let ended = asking.join().unwrap();
        assert_eq!(ended, (Reply::GaveUp, Err(Stopped(StopReason::Interrupted))));
    }
}

#[test]
fn after_the_time_of_one_question_others_are_answered() {
    let budget = Budget::unlimited().with_time(Some(Duration::from_millis(100)));
    let mut scripts = Scripts::z3(NO_LIMIT).unwrap().within(&budget);
    let (text, count) = pigeons(40);
    assert_eq!(scripts.ask(&text, count), Reply::GaveUp);
    let mut scripts = scripts.within(&Budget::unlimited());
    assert_eq!(scripts.ask("(assert false)\n(check-sat)", 1), Reply::Unsat);
    assert_eq!(scripts.stopped(), Ok(()));
}

#[test]
fn an_answer_that_the_budget_prevents_is_not_remembered() {
    let mut terms = tertium_smt::Terms::new();
    let names: Vec<_> = ["x", "y", "z"].iter().map(|name| terms.fresh(*name, Sort::Int, Bounds::default())).collect();
    let cubes: Vec<_> = names
        .iter()
        .map(|&x| {
            let square = terms.mul(x, x);
            terms.mul(square, x)
        })
        .collect();
    let sum = cubes.into_iter().reduce(|a, b| terms.add(a, b)).unwrap();
    let number = terms.int(42);
    let question = terms.eq(sum, number);
    let budget = Budget::unlimited().with_time(Some(Duration::from_millis(300)));
    let mut queries = Queries::new(Box::new(Z3::new().unwrap()), NO_LIMIT, &budget);
    let reply = queries.satisfiable(&mut terms, Purpose::Other, &[question]);
    assert_eq!(reply, Err(Stopped(StopReason::Time)));
    assert_eq!(queries.satisfiable(&mut terms, Purpose::Other, &[question]), Err(Stopped(StopReason::Time)));
}

#[test]
fn a_solver_of_its_own_process_ends_with_the_budget() {
    let time = format!("300.{}", std::process::id());
    let script = format!("read x; read x; read x; read x; read x; echo unsat; echo tertium-end; sleep {time}");
    let command: Vec<String> = ["sh", "-c", &script].iter().map(|&word| word.to_owned()).collect();
    let limit = Limit { work: None, time: Some(Duration::from_secs(100_000)) };
    let budget = Budget::unlimited().with_time(Some(Duration::from_millis(200)));
    let mut timed = Scripts::command(&command, limit).unwrap().within(&budget);
    assert_eq!(timed.ask("(assert true)\n(check-sat)", 1), Reply::GaveUp);
    assert_eq!(timed.stopped(), Err(Stopped(StopReason::Time)));
    drop(timed);
    if cfg!(target_os = "linux") {
        // What is killed is gone a moment later.
        let gone = || {
            std::thread::sleep(Duration::from_millis(50));
            sleeping(&time) == 0
        };
        assert!((0..600).any(|_| gone()), "what a solver has started ends with it");
    }

    let flag = Arc::new(AtomicBool::new(true));
    let mut cancelled =
        Scripts::command(&command, limit).unwrap().within(&Budget::unlimited().with_cancel(Arc::clone(&flag)));
    assert_eq!(cancelled.ask("(assert true)\n(check-sat)", 1), Reply::GaveUp);
    assert_eq!(cancelled.stopped(), Err(Stopped(StopReason::Interrupted)));
}

/// How many processes sleep for this time.
fn sleeping(time: &str) -> usize {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let sleeps = |process: &std::fs::DirEntry| {
        std::fs::read(process.path().join("cmdline")).is_ok_and(|line| line == format!("sleep\0{time}\0").as_bytes())
    };
    processes.filter(sleeps).count()
}

#[test]
fn a_solver_that_does_not_read_holds_up_nobody() {
    let script = "read x; read x; read x; read x; read x; echo unsat; echo tertium-end; sleep 300";
    let command: Vec<String> = ["sh", "-c", script].iter().map(|&word| word.to_owned()).collect();
    let mut process = Process::new(&command).unwrap();
    let budget = Budget::unlimited().with_time(Some(Duration::from_millis(200)));
    tertium_smt::Solver::budget(&mut process, &budget);
    let long = "(assert true)\n".repeat(100_000) + "(check-sat)\n";
    assert_eq!(process.answer(&long), Reply::GaveUp);
}
