//! A second solver is asked about every reply; one that contradicts, hangs or is missing makes nothing wrong.

use std::time::Duration;

use tertium_base::Budget;
use tertium_smt::{Limit, Process, Purpose, Queries, Reply, Solver, SolverError, Sort, TermId, Terms, Z3};

/// A solver that says the same to everything.
fn stubborn(reply: &str) -> Vec<String> {
    let script = format!("while read line; do case \"$line\" in *check-sat*) echo {reply};; esac; done");
    ["sh", "-c", &script].map(str::to_owned).to_vec()
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
    let script = "read a; while read line; do case \"$line\" in *check-sat*) echo unsat; exec sleep 60;; esac; done";
    let mut slow = Process::new(&["sh", "-c", script].map(str::to_owned)).unwrap();
    slow.limit(Limit { work: None, time: Some(Duration::from_millis(50)) });
    assert_eq!(slow.check(&mut terms, &[le]), Reply::GaveUp);
    let missing = Process::new(&["no-such-solver-anywhere".to_owned()]);
    assert!(matches!(missing, Err(SolverError::Process(_))));
    let wrong = Process::new(&stubborn("sat"));
    assert!(matches!(wrong, Err(SolverError::Process(_))), "it calls `false` satisfiable");
}
