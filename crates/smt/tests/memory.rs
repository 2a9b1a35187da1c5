//! What Z3 allocates counts, too. In a process of its own, since the limit is the whole library's.

use tertium_base::{Budget, StopReason, Stopped};
use tertium_smt::{Limit, Reply, Scripts};

/// A question that takes much memory: the squares of many numbers, bit by bit.
fn squares(count: usize) -> (String, usize) {
    let mut text = String::new();
    for at in 0..count {
        text.push_str(&format!("(declare-const x{at} (_ BitVec 512))(declare-const y{at} (_ BitVec 512))\n"));
        text.push_str(&format!("(assert (= (bvmul x{at} y{at}) (bvudiv y{at} x{at})))\n"));
    }
    (text + "(check-sat)\n", count)
}

#[test]
fn a_question_that_takes_too_much_memory_is_given_up() {
    let budget = Budget::unlimited().with_memory(Some(150 << 20));
    let mut scripts = Scripts::z3(Limit { work: None, time: None }).unwrap().within(&budget);
    let (text, count) = squares(60);
    assert_eq!(scripts.ask(&text, count), Reply::GaveUp);
    assert_eq!(scripts.stopped(), Err(Stopped(StopReason::Memory)));
    let used = tertium_base::memory::of_process().unwrap_or_default();
    assert!(used < 400 << 20, "{used} bytes");
    // Whatever is asked now has an answer that holds, or none.
    assert_ne!(scripts.ask("(assert false)\n(check-sat)", 1), Reply::Sat);
}
