//! A second solver is asked about every reply; one that contradicts, hangs or is missing makes nothing wrong.

use std::time::Duration;

use tertium_base::Budget;
use tertium_smt::{Limit, Opinions, Process, Purpose, Queries, Reply, Solver, SolverError, Sort, TermId, Terms, Z3};

/// A solver that says the same to everything.
fn stubborn(reply: &str) -> Vec<String> {
    scripted(&format!("echo {reply}"))
}

fn questions(terms: &mut Terms) -> (TermId, TermId) {
    let x = terms.fresh("x", Sort::Int, (Some(0), None));
    let y = terms.fresh("y", Sort::Int, (Some(0), None));
    (terms.le(x, y), terms.lt(y, x))
}

#[test]
fn a_reply_that_is_contradicted_is_not_believed() {
    let mut terms = Terms::new();
    let (le, gt) = questions(&mut terms);
    let second = Process::new(&stubborn("unsat")).unwrap();
    let queries = Queries::new(Box::new(Z3::new().unwrap()), Limit::default(), &Budget::unlimited());
    let mut queries = queries.cross_checked(Box::new(second));
    assert_eq!(queries.satisfiable(&mut terms, Purpose::Other, &[le]).unwrap(), Reply::GaveUp);
    assert_eq!(queries.disagreements().len(), 1);
    assert!(queries.disagreements()[0].contains("(declare-fun x () Int)"), "{}", queries.disagreements()[0]);
    // Where both agree, the reply stands.
    let three = terms.int(3);
    let x = terms.fresh("z", Sort::Int, (None, None));
    let (low, high) = (terms.lt(x, three), terms.lt(three, x));
    assert_eq!(queries.satisfiable(&mut terms, Purpose::Other, &[low, high]).unwrap(), Reply::Unsat);
    assert_eq!(queries.disagreements().len(), 1);
    assert_eq!(queries.gave_up(), 1);
    assert_eq!(queries.satisfiable(&mut terms, Purpose::Other, &[gt, le]).unwrap(), Reply::Unsat);
}

#[test]
fn a_solver_that_does_not_answer_gives_up() {
    let mut terms = Terms::new();
    let (le, _) = questions(&mut terms);
    // Answers the first question, with which it is tried out, and no other.
    let reply = "if [ -z \"$n\" ]; then n=1; echo unsat; else exec sleep 60; fi";
    let mut slow = Process::new(&scripted(reply)).unwrap();
    slow.limit(Limit { work: None, time: Some(Duration::from_millis(50)) });
    assert_eq!(slow.check(&mut terms, &[le]), Reply::GaveUp);
    let missing = Process::new(&["no-such-solver-anywhere".to_owned()]);
    assert!(matches!(missing, Err(SolverError::Process(_))));
    let wrong = Process::new(&stubborn("sat"));
    assert!(matches!(wrong, Err(SolverError::Process(_))), "it calls `false` satisfiable");
}

/// A solver that answers the script on its input in this way, and repeats what it is told to.
fn scripted(reply: &str) -> Vec<String> {
    let script = format!(
        "while read line; do case \"$line\" in *check-sat*) {reply};; *echo*) echo \"$line\" | sed 's/.*\"\\(.*\\)\".*/\\1/';; esac; done"
    );
    ["sh", "-c", &script].map(str::to_owned).to_vec()
}

#[test]
fn scripts_are_answered_word_for_word() {
    let unsat = "(declare-fun x () Int)\n(assert (< x 0))\n(assert (> x 0))\n(check-sat)\n";
    let sat = "(declare-fun x () Int)\n(assert (< x 0))\n(check-sat)\n";
    let wrong = "(declare-fun x () Int)\n(assert (< x nobody))\n(check-sat)\n";
    let mut scripts = tertium_smt::Scripts::z3(Limit::default()).unwrap();
    assert_eq!(scripts.ask(unsat, 2), Reply::Unsat);
    assert_eq!(scripts.ask(sat, 1), Reply::Sat);
    // Without the assertion that is not understood there would be a model.
    assert_eq!(scripts.ask(wrong, 1), Reply::GaveUp);
    assert_eq!(scripts.ask(unsat, 2), Reply::Unsat);
    assert_eq!(scripts.asked(), 4);
}

#[test]
fn a_complaint_is_no_answer_to_a_later_script() {
    // Every script but the first is answered twice: once more than asked.
    let twice = "echo '(error \"what?\")'; echo unsat";
    let limit = Limit { time: Some(Duration::from_secs(3600)), ..Limit::default() };
    let starts = "if [ -z \"$n\" ]; then n=1; echo unsat; else ".to_owned() + twice + "; fi";
    let mut scripts = tertium_smt::Scripts::command(&scripted(&starts), limit).unwrap();
    assert_eq!(scripts.ask("(assert true)\n(check-sat)\n", 1), Reply::GaveUp);
    assert_eq!(scripts.ask("(assert true)\n(check-sat)\n", 1), Reply::GaveUp);
    let mut honest = tertium_smt::Scripts::command(&scripted("echo unsat"), limit).unwrap();
    assert_eq!(honest.ask("; a comment\n(set-logic ALL)\n(assert false)\n(check-sat)\n", 1), Reply::Unsat);
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn names_that_mean_something_to_a_solver_are_still_names() {
    let mut solvers: Vec<Process> = Vec::new();
    for command in ["cvc5", "z3"] {
        match Process::new(&[command.to_owned()]) {
            Ok(solver) => solvers.push(solver),
            Err(_) => eprintln!("skipped: there is no {command}"),
        }
    }
    let names = "@P .x and as assert bag bvadd char concat div distinct exists exit exp false fp is ite let match mod \
        not or par pi pop push select sep sin store true tuple update xor _ P[1].x x' 1st to_int abs iand RNE";
    for name in names.split_whitespace() {
        let mut terms = Terms::new();
        let symbol = terms.fresh(name, Sort::Int, (Some(0), None));
        let (one, two) = (terms.int(1), terms.int(2));
        let between = [terms.lt(one, symbol), terms.lt(symbol, two)];
        for solver in &mut solvers {
            assert_eq!(solver.check(&mut terms, &between[..1]), Reply::Sat, "{name}: {:?}", solver.complaint());
            assert_eq!(solver.check(&mut terms, &between), Reply::Unsat, "{name}: {:?}", solver.complaint());
        }
    }
}

#[test]
fn what_a_solver_says_instead_of_an_answer_is_told() {
    let mut terms = Terms::new();
    let (le, _) = questions(&mut terms);
    let reply = "if [ -z \"$n\" ]; then n=1; echo unsat; else echo '(error \"no such logic\")'; fi";
    let mut solver = Process::new(&scripted(reply)).unwrap();
    assert_eq!(solver.check(&mut terms, &[le]), Reply::GaveUp);
    assert_eq!(solver.complaint(), Some("(error \"no such logic\")"));
    let second = Process::new(&scripted(reply)).unwrap();
    let queries = Queries::new(Box::new(Z3::new().unwrap()), Limit::default(), &Budget::unlimited());
    let mut queries = queries.cross_checked(Box::new(second));
    assert_eq!(queries.satisfiable(&mut terms, Purpose::Other, &[le]).unwrap(), Reply::Sat);
    assert_eq!(queries.opinions(), Opinions { asked: 1, open: 1 });
}
