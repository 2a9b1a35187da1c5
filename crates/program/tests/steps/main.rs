//! Channels, meetings, blocks, ranks, time-outs, creation and priorities do what their descriptions say.
//!
//! Programs are built by hand, as a front end would. Each test names the rule it pins.

mod build;

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::narrow::{to_i64, to_usize};
use tertium_base::{Budget, Span};
use tertium_program::*;

use self::build::{Bench, reach, receive, rows};

#[test]
fn a_queue_is_first_in_first_out_and_truncates() {
    let mut bench = Bench::new();
    let (x, y) = (bench.global("x"), bench.global("y"));
    let q = bench.channel("q", 2, 1);
    let p = bench.process("P", 5);
    bench.start(p);
    for (at, value) in [(0, 300), (1, 5)] {
        let action = bench.send(q, &[value], false);
        bench.step(p, at, at + 1, None, action);
    }
    bench.step(p, 2, 3, None, receive(q, vec![Field::Bind(Place::Var(x))], false, false));
    bench.step(p, 3, 4, None, receive(q, vec![Field::Bind(Place::Var(y))], false, false));
    let (values, faults, deadlocks) = reach(&bench.program, &[x, y]);
    assert_eq!((values, faults.len(), deadlocks), (rows(&[&[0, 0], &[44, 0], &[44, 5]]), 0, 0));
}

#[test]
fn a_full_queue_blocks_and_a_missing_message_too() {
    let mut bench = Bench::new();
    let x = bench.global("x");
    let q = bench.channel("q", 1, 1);
    let p = bench.process("P", 3);
    bench.start(p);
    for at in 0..2 {
        let action = bench.send(q, &[1], false);
        bench.step(p, at, at + 1, None, action);
    }
    let two = bench.program.exprs.int(2);
    let r = bench.process("R", 2);
    bench.start(r);
    bench.step(r, 0, 1, None, receive(q, vec![Field::Match(two)], true, false));
    let (_, _, deadlocks) = reach(&bench.program, &[x]);
    assert_eq!(deadlocks, 1);
}

#[test]
fn sorted_sends_random_receives_copies_and_polls() {
    let mut bench = Bench::new();
    let (x, y, z) = (bench.global("x"), bench.global("y"), bench.global("z"));
    let q = bench.channel("q", 3, 2);
    let p = bench.process("P", 7);
    bench.start(p);
    for (at, message) in [[3, 1], [1, 2], [1, 1]].iter().enumerate() {
        let action = bench.send(q, message, true);
        bench.step(p, at, at + 1, None, action);
    }
    let one = bench.program.exprs.int(1);
    // The copy sees the smallest message; the second receive looks past it.
    bench.step(p, 3, 4, None, receive(q, vec![Field::Bind(Place::Var(x)), Field::Bind(Place::Var(y))], false, true));
    let three = bench.program.exprs.int(3);
    bench.step(p, 4, 5, None, receive(q, vec![Field::Match(three), Field::Bind(Place::Var(z))], true, false));
    let pattern = Pattern { channel: q, fields: vec![Field::Match(one), Field::Skip], anywhere: false };
    let pattern = bench.program.exprs.add_pattern(pattern);
    let poll = bench.program.exprs.add(Expr::Poll(pattern));
    let length = bench.program.exprs.add(Expr::Length(q));
    let two = bench.program.exprs.int(2);
    let both = bench.program.exprs.eq(length, two);
    let guard = bench.program.exprs.and(poll, both);
    let action = bench.set(x, 9);
    bench.step(p, 5, 6, Some(guard), action);
    let (values, faults, deadlocks) = reach(&bench.program, &[x, y, z]);
    assert_eq!(values, rows(&[&[0, 0, 0], &[1, 1, 0], &[1, 1, 1], &[9, 1, 1]]));
    assert_eq!((faults.len(), deadlocks), (0, 0));
}

/// A sender and a receiver on a channel without a buffer.
fn meeting(provided: bool) -> (BTreeSet<Vec<i64>>, usize) {
    let mut bench = Bench::new();
    let x = bench.global("x");
    let q = bench.channel("q", 0, 1);
    let (s, r) = (bench.process("S", 2), bench.process("R", 2));
    bench.start(s);
    bench.start(r);
    let action = bench.send(q, &[4], false);
    bench.step(s, 0, 1, None, action);
    bench.step(r, 0, 1, None, receive(q, vec![Field::Bind(Place::Var(x))], false, false));
    let condition = bench.program.exprs.bool(provided);
    bench.program.processes[r.index()].provided = Some(condition);
    let (values, _, deadlocks) = reach(&bench.program, &[x]);
    (values, deadlocks)
}

#[test]
fn sender_and_receiver_meet_in_one_step_if_the_receiver_may_run() {
    assert_eq!(meeting(true), (rows(&[&[0], &[4]]), 0));
    assert_eq!(meeting(false), (rows(&[&[0]]), 1));
}

#[test]
fn nobody_meets_itself() {
    let mut bench = Bench::new();
    let x = bench.global("x");
    let q = bench.channel("q", 0, 1);
    let p = bench.process("P", 2);
    bench.start(p);
    let action = bench.send(q, &[4], false);
    bench.step(p, 0, 1, None, action);
    bench.step(p, 0, 1, None, receive(q, vec![Field::Bind(Place::Var(x))], false, false));
    assert_eq!(reach(&bench.program, &[x]).2, 1);
}

#[test]
fn control_passes_to_the_receiver_who_keeps_it_inside_a_block() {
    let mut bench = Bench::new();
    let (x, seen) = (bench.global("x"), bench.global("seen"));
    let q = bench.channel("q", 0, 0);
    let (s, r, o) = (bench.process("S", 3), bench.process("R", 3), bench.process("O", 2));
    [s, r, o].into_iter().for_each(|p| bench.start(p));
    let action = bench.send(q, &[], false);
    bench.step(s, 0, 1, None, action);
    bench.hold(s, 1, Hold::WhileEnabled);
    let action = bench.set(x, 1);
    bench.step(s, 1, 2, None, action);
    bench.step(r, 0, 1, None, receive(q, Vec::new(), false, false));
    bench.hold(r, 1, Hold::WhileEnabled);
    let action = bench.set(x, 5);
    bench.step(r, 1, 2, None, action);
    // The observer must never see control between the meeting and the receiver's assignment.
    let at = bench.program.exprs.add(Expr::At(r, LocationId::new(1)));
    let action = bench.set(seen, 1);
    bench.step(o, 0, 1, Some(at), action);
    let (values, ..) = reach(&bench.program, &[x, seen]);
    assert_eq!(values, rows(&[&[0, 0], &[5, 0], &[1, 0]]));
}

/// A block of three steps whose second waits for `ready`.
fn block(hold: Hold) -> (BTreeSet<Vec<i64>>, BTreeMap<&'static str, usize>) {
    let mut bench = Bench::new();
    let (x, ready) = (bench.global("x"), bench.global("ready"));
    let (p, r) = (bench.process("P", 4), bench.process("R", 2));
    bench.start(p);
    bench.start(r);
    let read = bench.program.read(ready);
    let one = bench.program.exprs.int(1);
    let waits = bench.program.exprs.eq(read, one);
    for (at, guard) in [(0, None), (1, Some(waits)), (2, None)] {
        let action = bench.set(x, to_i64(at) + 1);
        bench.step(p, at, at + 1, guard, action);
    }
    bench.hold(p, 1, hold);
    bench.hold(p, 2, hold);
    let action = bench.set(ready, 1);
    bench.step(r, 0, 1, None, action);
    let (values, faults, _) = reach(&bench.program, &[x, ready]);
    (values, faults)
}

#[test]
fn blocks_are_interrupted_refused_or_faulty_where_they_wait() {
    let none = BTreeMap::new();
    assert_eq!(block(Hold::WhileEnabled), (rows(&[&[0, 0], &[0, 1], &[1, 0], &[1, 1], &[3, 1]]), none.clone()));
    assert_eq!(block(Hold::Indivisible), (rows(&[&[0, 0], &[0, 1], &[3, 1]]), none));
    let blocked = BTreeMap::from([("blocked-in-d_step", 1)]);
    assert_eq!(block(Hold::Deterministic), (rows(&[&[0, 0], &[0, 1], &[3, 1]]), blocked));
}

#[test]
fn a_block_that_never_ends_is_a_fault() {
    let mut bench = Bench::new();
    let x = bench.global("x");
    let p = bench.process("P", 2);
    bench.start(p);
    bench.step(p, 0, 1, None, Action::skip());
    bench.step(p, 1, 1, None, Action::skip());
    bench.hold(p, 1, Hold::WhileEnabled);
    assert_eq!(reach(&bench.program, &[x]).1, BTreeMap::from([("endless-atomic", 1)]));
}

#[test]
fn a_step_of_higher_rank_waits_until_the_others_cannot() {
    let mut bench = Bench::new();
    let (x, flag) = (bench.global("x"), bench.global("flag"));
    let (p, r) = (bench.process("P", 2), bench.process("R", 2));
    bench.start(p);
    bench.start(r);
    let read = bench.program.read(flag);
    let zero = bench.program.exprs.int(0);
    let guard = bench.program.exprs.eq(read, zero);
    let action = bench.set(x, 1);
    bench.step(p, 0, 1, Some(guard), action);
    let action = bench.set(x, 2);
    let otherwise = bench.step(p, 0, 1, None, action);
    bench.program.steps[otherwise.index()].rank = 1;
    let action = bench.set(flag, 1);
    bench.step(r, 0, 1, None, action);
    let (values, ..) = reach(&bench.program, &[x, flag]);
    assert_eq!(values, rows(&[&[0, 0], &[1, 0], &[0, 1], &[1, 1], &[2, 1]]));
    let terms = bench.program.step_terms(otherwise).unwrap();
    assert_eq!(bench.program.show(terms.enabled), "flag != 0");
}

#[test]
fn a_timeout_happens_only_when_nothing_else_can() {
    let mut bench = Bench::new();
    let x = bench.global("x");
    let (p, r) = (bench.process("P", 2), bench.process("R", 2));
    bench.start(p);
    bench.start(r);
    let timeout = bench.program.exprs.add(Expr::Timeout);
    let action = bench.set(x, 2);
    bench.step(p, 0, 1, Some(timeout), action);
    let action = bench.set(x, 1);
    bench.step(r, 0, 1, None, action);
    let (values, _, deadlocks) = reach(&bench.program, &[x]);
    assert_eq!((values, deadlocks), (rows(&[&[0], &[1], &[2]]), 0));
    assert!(bench.program.footprint(StepId::new(0)).whole_system);
}

#[test]
fn instances_are_created_with_arguments_and_removed_youngest_first() {
    let mut bench = Bench::new();
    let (x, pid, count) = (bench.global("x"), bench.global("pid"), bench.global("count"));
    let (main, child) = (bench.process("Main", 4), bench.process("Child", 3));
    bench.start(main);
    let n = bench.var("n", Scope::Local(child), InitialValue::Argument(0));
    let seven = bench.program.exprs.int(263);
    let result = bench.program.exprs.add(Expr::Input(0, Sort::Int));
    let then = vec![Assign { place: Place::Var(pid), value: result }];
    bench.step(main, 0, 1, None, Action::Run { process: child, arguments: vec![seven], priority: None, then });
    let number = bench.program.exprs.add(Expr::ProcessCount);
    let action = Action::Assign(vec![Assign { place: Place::Var(count), value: number }]);
    bench.step(main, 1, 2, None, action);
    bench.step(main, 2, 3, None, Action::End);
    let value = bench.program.read(n);
    bench.step(child, 0, 1, None, Action::Assign(vec![Assign { place: Place::Var(x), value }]));
    bench.step(child, 1, 2, None, Action::End);
    assert!(!bench.program.is_static());
    let (values, faults, deadlocks) = reach(&bench.program, &[x, pid, count]);
    // The argument is truncated to a byte; the main process can only end once its child is gone.
    assert!(values.contains(&vec![7, 1, 2]) && values.contains(&vec![7, 1, 1]), "{values:?}");
    assert_eq!((faults.len(), deadlocks), (0, 0));
    let semantics = Semantics::new(&bench.program);
    let mut sizes = BTreeSet::new();
    let mut open = semantics.initial_states(1, &Budget::unlimited()).unwrap();
    while let Some(state) = open.pop() {
        sizes.insert(semantics.layout().frames(&state.slots).len());
        open.extend(semantics.successors(&state).iter().filter_map(|s| s.outcome.state().cloned()));
    }
    assert_eq!(sizes, BTreeSet::from([0, 1, 2]));
}

#[test]
fn only_the_highest_priority_runs() {
    let mut bench = Bench::new();
    let x = bench.global("x");
    let (low, high) = (bench.process("Low", 2), bench.process("High", 2));
    bench.program.priorities = true;
    for (process, priority, value) in [(low, 1, 1), (high, 5, 2)] {
        bench.program.instances.push(Instance { process, arguments: Vec::new(), priority });
        let action = bench.set(x, value);
        bench.step(process, 0, 1, None, action);
    }
    assert_eq!(reach(&bench.program, &[x]).0, rows(&[&[0], &[2], &[1]]));
    let semantics = Semantics::new(&bench.program);
    let start = &semantics.initial_states(1, &Budget::unlimited()).unwrap()[0];
    assert_eq!(semantics.moves(start).iter().map(|mv| mv.pid).collect::<Vec<_>>(), [1]);
}

#[test]
fn unbounded_inputs_are_refused_by_search_and_accepted_by_replay() {
    let mut bench = Bench::new();
    let x = bench.global("x");
    bench.program.variables[x.index()].ty = Type::Int;
    let p = bench.process("P", 2);
    bench.start(p);
    let value = bench.program.exprs.add(Expr::Input(0, Sort::Int));
    let step = bench.step(p, 0, 1, None, Action::Assign(vec![Assign { place: Place::Var(x), value }]));
    bench.program.steps[step.index()].inputs.push(Input { name: "x".into(), domain: Domain::Type(Type::Nat) });
    assert_eq!(reach(&bench.program, &[x]).1, BTreeMap::from([("unbounded-input", 1)]));
    let semantics = Semantics::new(&bench.program);
    let start = &semantics.initial_states(1, &Budget::unlimited()).unwrap()[0];
    let with = |value| Move { pid: 0, step, inputs: vec![value], partner: None };
    let Some(Outcome::Next(next)) = semantics.execute(start, &with(1 << 40)) else { panic!("replay") };
    assert_eq!(next.slots[semantics.layout().variable(x)], 1 << 40);
    assert_eq!(semantics.execute(start, &with(-1)), None);
    assert_eq!(semantics.execute(&next, &with(1)), None);
}

#[test]
fn unknown_functions_need_an_interpretation() {
    let mut bench = Bench::new();
    let x = bench.global("x");
    let f = bench.program.add_function(Function {
        name: "f".into(),
        arguments: vec![Type::Int],
        result: Type::Int,
        span: Span::default(),
    });
    let p = bench.process("P", 2);
    bench.start(p);
    let read = bench.program.read(x);
    let list = bench.program.exprs.add_list(&[read]);
    let value = bench.program.exprs.add(Expr::Apply(f, list));
    bench.step(p, 0, 1, None, Action::Assign(vec![Assign { place: Place::Var(x), value }]));
    assert_eq!(reach(&bench.program, &[x]).1, BTreeMap::from([("uninterpreted-function", 1)]));
    let mut known = Interpretation::default();
    known.set(f, vec![0], 17);
    let semantics = Semantics::new(&bench.program).with_functions(known);
    let start = &semantics.initial_states(1, &Budget::unlimited()).unwrap()[0];
    let successors = semantics.successors(start);
    assert_eq!(successors[0].outcome.state().unwrap().slots[semantics.layout().variable(x)], 17);
}

#[test]
fn footprints_of_known_channels_are_exact() {
    let mut bench = Bench::new();
    let (x, y) = (bench.global("x"), bench.global("y"));
    let (q, r) = (bench.channel("q", 1, 1), bench.channel("r", 1, 1));
    let p = bench.process("P", 2);
    bench.start(p);
    let action = bench.send(q, &[1], false);
    let sends_q = bench.step(p, 0, 1, None, action);
    let takes_r = bench.step(p, 0, 1, None, receive(r, vec![Field::Bind(Place::Var(x))], false, false));
    let takes_q = bench.step(p, 0, 1, None, receive(q, vec![Field::Bind(Place::Var(y))], false, false));
    let prints = |id| bench.program.footprint(id);
    let same_process = |mut print: Footprint| {
        print.moves.clear();
        print.inspects = Channels::default();
        print
    };
    let independent = |a, b| same_process(prints(a)).is_independent_of(&same_process(prints(b)));
    assert!(independent(sends_q, takes_r));
    assert!(!independent(sends_q, takes_q));
    assert_eq!(prints(takes_r).writes, BTreeSet::from([x]));
}

#[test]
fn a_step_that_yields_waits_only_for_those_it_names() {
    let mut bench = Bench::new();
    let (x, flag) = (bench.global("x"), bench.global("flag"));
    let p = bench.process("P", 2);
    bench.start(p);
    let (read, one) = (bench.program.read(flag), bench.program.exprs.int(1));
    let guard = bench.program.exprs.eq(read, one);
    let action = bench.set(x, 1);
    let first = bench.step(p, 0, 1, Some(guard), action);
    let action = bench.set(x, 2);
    let otherwise = bench.step(p, 0, 1, None, action);
    bench.program.steps[otherwise.index()].yields_to = vec![first];
    // Stands behind `else`, so that both can be taken.
    let action = bench.set(x, 3);
    bench.step(p, 0, 1, None, action);
    assert_eq!(reach(&bench.program, &[x]).0, rows(&[&[0], &[2], &[3]]));
    bench.program.variables[flag.index()].initial = InitialValue::Same(1);
    assert_eq!(reach(&bench.program, &[x]).0, rows(&[&[0], &[1], &[3]]));
    let terms = bench.program.step_terms(otherwise).unwrap();
    assert_eq!(bench.program.show(terms.enabled), "flag != 1");
}

#[test]
fn jumping_into_a_block_does_not_take_control() {
    let mut bench = Bench::new();
    let (x, y) = (bench.global("x"), bench.global("y"));
    let (p, r) = (bench.process("P", 3), bench.process("R", 2));
    bench.start(p);
    bench.start(r);
    let action = bench.set(x, 1);
    let jump = bench.step(p, 0, 1, None, action);
    let action = bench.set(x, 2);
    bench.step(p, 1, 2, None, action);
    bench.hold(p, 1, Hold::WhileEnabled);
    let action = bench.set(y, 1);
    bench.step(r, 0, 1, None, action);
    assert!(!reach(&bench.program, &[x, y]).0.contains(&vec![1, 0]));
    bench.program.steps[jump.index()].frees = true;
    assert!(reach(&bench.program, &[x, y]).0.contains(&vec![1, 0]));
}

#[test]
fn a_higher_priority_interrupts_a_block() {
    let mut bench = Bench::new();
    let (x, y) = (bench.global("x"), bench.global("y"));
    let (low, high) = (bench.process("Low", 3), bench.process("High", 2));
    bench.program.priorities = true;
    for (process, priority) in [(low, 1), (high, 5)] {
        bench.program.instances.push(Instance { process, arguments: Vec::new(), priority });
    }
    for at in 0..2 {
        let action = bench.set(x, at + 1);
        bench.step(low, to_usize(at), to_usize(at) + 1, None, action);
    }
    bench.hold(low, 1, Hold::WhileEnabled);
    let (read, one) = (bench.program.read(x), bench.program.exprs.int(1));
    let waits = bench.program.exprs.eq(read, one);
    let action = bench.set(y, 1);
    bench.step(high, 0, 1, Some(waits), action);
    assert_eq!(reach(&bench.program, &[x, y]).0, rows(&[&[0, 0], &[1, 0], &[1, 1], &[2, 1]]));
}

#[test]
fn a_run_goes_on_after_a_failed_assertion_only_where_that_is_meant() {
    let mut bench = Bench::new();
    let x = bench.global("x");
    let p = bench.process("P", 3);
    bench.start(p);
    let never = bench.program.exprs.bool(false);
    bench.step(p, 0, 1, None, Action::Assert(never));
    let action = bench.set(x, 1);
    bench.step(p, 1, 2, None, action);
    let failed = BTreeMap::from([("assertion", 1)]);
    assert_eq!(reach(&bench.program, &[x]), (rows(&[&[0]]), failed.clone(), 0));
    bench.program.persistent = true;
    assert_eq!(reach(&bench.program, &[x]), (rows(&[&[0], &[1]]), failed, 0));
}

#[test]
fn events_follow_the_trace_or_are_faults() {
    let mut bench = Bench::new();
    let q = bench.channel("q", 2, 1);
    let (p, watch) = (bench.process("P", 3), bench.process("trace", 2));
    bench.start(p);
    for (at, value) in [(0, 7), (1, 8)] {
        let action = bench.send(q, &[value], false);
        bench.step(p, at, at + 1, None, action);
    }
    let seven = bench.program.exprs.int(7);
    let expected = bench.step(watch, 0, 1, None, receive(q, vec![Field::Match(seven)], false, true));
    let variable = bench.global("event");
    let trace = Trace { process: watch, sends: vec![expected], variable, negated: false };
    bench.program.trace = Some(trace.clone());
    // The first event is allowed, the second is one too many.
    assert_eq!(reach(&bench.program, &[variable]).1, BTreeMap::from([("trace", 1)]));
    // What is forbidden is complete after the first.
    bench.program.trace = Some(Trace { negated: true, ..trace });
    assert_eq!(reach(&bench.program, &[variable]).1, BTreeMap::from([("trace", 1)]));
}
