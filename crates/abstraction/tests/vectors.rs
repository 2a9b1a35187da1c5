//! Worked examples: single steps over one predicate, and the bakery protocols.

mod common;

use common::{explored, program, system};
use tertium_abstraction::AbstractionKind;
use tertium_lattice::Kleene;
use tertium_smt::Limit;

/// What is possible and certain from `p` and from `!p`: targets `p`, `!p`, and both together as a certain set.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
struct Row {
    to_p: (bool, bool),
    to_not_p: (bool, bool),
    either: bool,
}

const fn row(to_p: (bool, bool), to_not_p: (bool, bool), either: bool) -> Row {
    Row { to_p, to_not_p, either }
}

fn rows(statement: &str, predicate: &str) -> [Row; 2] {
    let text = format!("system s\nvar x : int\nprocess P {{ loop {{ {statement}; }} }}");
    let program = program(&text, &[predicate]);
    let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
    let explored = explored(&mut system).unwrap();
    [Kleene::True, Kleene::False].map(|from| {
        let at = explored.states.iter().position(|state| state.cube == [from]).unwrap();
        let expansion = &explored.expansions[at];
        let to = |value: Kleene| {
            let step = expansion.steps.iter().find(|step| step.target.cube == [value]);
            step.map_or((false, false), |step| (step.may, step.must))
        };
        let (to_p, to_not_p) = (to(Kleene::True), to(Kleene::False));
        let either = to_p.1 || to_not_p.1 || expansion.hyper.iter().any(|(set, _)| set.len() == 2);
        Row { to_p, to_not_p, either }
    })
}

const NONE: (bool, bool) = (false, false);
const MAY: (bool, bool) = (true, false);
const BOTH: (bool, bool) = (true, true);

#[test]
fn single_steps_over_one_predicate() {
    let check = |statement: &str, predicate: &str, from_p: Row, from_not_p: Row| {
        assert_eq!(rows(statement, predicate), [from_p, from_not_p], "{statement} over {predicate}");
    };
    check("x := x + 1", "x > 0", row(BOTH, NONE, true), row(MAY, MAY, true));
    check("x := x + 1", "x mod 2 = 0", row(NONE, BOTH, true), row(BOTH, NONE, true));
    check("when x > 5 do skip", "x > 0", row(MAY, NONE, false), row(NONE, NONE, false));
    check("x := -x", "x > 0", row(NONE, BOTH, true), row(MAY, MAY, true));
    check("x := 2 * x", "x mod 2 = 0", row(BOTH, NONE, true), row(BOTH, NONE, true));
}

#[test]
fn inputs_without_bounds_are_chosen() {
    let text = "system s\nvar x, i : int\nprocess P { loop { atomic { i := *; x := x + i; i := 0; } } }";
    let program = program(text, &["x > 0"]);
    let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
    let explored = explored(&mut system).unwrap();
    assert_eq!(explored.states.len(), 2);
    for expansion in &explored.expansions {
        assert_eq!(expansion.steps.len(), 2);
        assert!(expansion.steps.iter().all(|step| step.may && step.must), "{expansion:?}");
    }
    let text =
        "system s\nvar x : int\nvar i : 0..1\nprocess P { loop { atomic { i := * in 0..1; x := x + i; i := 0; } } }";
    let program = common::program(text, &["x > 0"]);
    let mut system = common::system(&program, AbstractionKind::Hyper, Limit::default());
    let explored = common::explored(&mut system).unwrap();
    let from = |value: Kleene| {
        let at = explored.states.iter().position(|state| state.cube == [value]).unwrap();
        let steps = explored.expansions[at].steps.iter();
        steps.map(|step| (step.target.cube[0], step.must)).collect::<Vec<_>>()
    };
    assert_eq!(from(Kleene::True), [(Kleene::True, true)]);
    assert_eq!(from(Kleene::False), [(Kleene::False, true), (Kleene::True, false)]);
}

fn example(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/gcl").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn bakery_with_unbounded_tickets() {
    let program = program(&example("bakery_a.gcl"), &["y1 = 0", "y2 = 0", "y1 <= y2"]);
    for kind in AbstractionKind::ALL {
        let mut system = system(&program, kind, Limit::default());
        let explored = explored(&mut system).unwrap();
        let edges = explored.edges();
        assert_eq!(
            (explored.states.len(), edges.both, edges.may, edges.must, edges.hyper),
            (9, 14, 0, 0, 0),
            "{kind:?}"
        );
        let calls = system.queries().calls();
        assert!(calls <= 27, "{kind:?}: {calls} calls");
    }
    let mut system = system(&program, AbstractionKind::Cartesian, Limit::default());
    let steps = system.boolean_program().unwrap();
    let told: Vec<String> = steps
        .iter()
        .map(|step| {
            let changes: Vec<String> = step.assignments.iter().map(ToString::to_string).collect();
            format!("when {} do {}", step.guard, changes.join(", "))
        })
        .collect();
    assert_eq!(
        told,
        [
            "when T do B1 := F, B3 := F",
            "when B2 | B3 do ",
            "when T do B1 := T, B3 := T",
            "when T do B2 := F, B3 := T",
            "when B1 | !B3 do ",
            "when T do B2 := T, B3 := B1",
        ]
    );
    assert!(system.queries().calls() <= 27, "{} calls", system.queries().calls());
}

#[test]
fn bakery_with_choosing_flags_step_by_step() {
    let first = ["y1 = 0", "y2 = 0", "y1 <= y2", "x1 = 0", "x2 = 0"];
    let second = ["P1.t = 0", "P1.t <= y2", "P2.t = 0"];
    let third = ["y1 <= P2.t", "P1.t <= P2.t"];
    let mut all: Vec<&str> = Vec::new();
    let mut counts = Vec::new();
    let text = example("bakery_c.gcl");
    for more in [&first[..], &second[..], &third[..]] {
        all.extend(more);
        let program = program(&text, &all);
        let mut system = system(&program, AbstractionKind::Boolean, Limit::default());
        counts.push(explored(&mut system).unwrap().states.len());
        if all.len() == first.len() {
            let calls = system.queries().calls();
            assert!(calls <= 120, "{calls} calls");
        }
    }
    // Fewer than in the papers: invariants of locations leave combinations out.
    assert_eq!(counts, [65, 102, 116]);
    let program = program(&text, &first);
    let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
    explored(&mut system).unwrap();
    system.boolean_program().unwrap();
    let calls = system.queries().calls();
    assert!(calls <= 100, "{calls} calls with certain sets and the printed program");
}
