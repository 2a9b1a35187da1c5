//! Proofs about linear and CTL* formulas: ones that hold and ones that were tampered with.

mod common;

use common::{accepted, branching, linear, model, rejected, state, states};
use tertium_evidence::LinearReading::{Bg, BgTotal, Hyper, Tg, TgPnf};
use tertium_evidence::{Deadlock, Proof};
use tertium_kernel::{Accepted, Assumption, Rejection};
use tertium_logic::{Logic, NodeId};

const LOOP: &str = "a: p=t; b: p=f; c: p=u; a => b; b => a; a -> a; b -> c; c => c";

#[test]
fn a_path_of_certain_steps_refutes() {
    let model = model(LOOP);
    let asked = linear(&model, "G p", Bg, "a", false);
    accepted(asked.lasso("", "a b"));
    accepted(asked.lasso("a b", "a b"));
    rejected(asked.lasso("", "a"), "E0615", "from `a` to `a` is not certain");
    rejected(asked.lasso("a b", "c"), "E0615", "from `b` to `c` is not certain");
    rejected(asked.lasso("b", "a b"), "E0615", "does not begin at `a`");
    rejected(asked.lasso("", ""), "E0615", "does not begin at `a`");
    rejected(asked.lasso("a b", ""), "E0615", "only an infinite one counts");
    rejected(linear(&model, "G F p", Bg, "a", false).lasso("", "a b"), "E0616", "does not refute");
    rejected(linear(&model, "G p", Bg, "c", false).lasso("", "c"), "E0616", "does not refute");
    rejected(linear(&model, "G p", Bg, "a", true).lasso("", "a b"), "E0611", "does not prove");
    accepted(linear(&model, "F G p", Bg, "a", false).lasso("", "a b"));
    accepted(linear(&model, "X p", Bg, "a", false).lasso("", "a b"));
    accepted(linear(&model, "p U !p -> X X !p", Bg, "a", false).lasso("", "a b"));
}

#[test]
fn an_unfair_path_refutes_nothing() {
    let text = "a: p=t; b: p=f; a => a; a => b; b => a";
    let unfair = model(&format!("{text}; fair a>b"));
    rejected(linear(&unfair, "F !p", Bg, "a", false).lasso("", "a"), "E0615", "fairness constraint 1");
    accepted(linear(&unfair, "G p", Bg, "a", false).lasso("", "a b"));
    accepted(linear(&model(text), "F !p", Bg, "a", false).lasso("", "a"));
    let ends = linear(&unfair, "G p", BgTotal, "a", false);
    rejected(ends.lasso("a b", ""), "E0615", "not fair");
    // The steps of the stem come once only.
    let stem = model("a: p=t; b: p=f; a => b; b => b; fair a>b");
    rejected(linear(&stem, "G p", Bg, "a", false).lasso("a", "b"), "E0615", "fairness constraint 1");
}

#[test]
fn a_prefix_refutes_if_no_state_is_stuck() {
    let model = model("a: p=t; b: p=f; c: p=t; a => b; b -> c; c -> c");
    accepted(linear(&model, "G p", BgTotal, "a", false).lasso("a b", ""));
    rejected(linear(&model, "G p", Bg, "a", false).lasso("a b", ""), "E0615", "infinite");
    rejected(linear(&model, "G p", Hyper, "a", false).lasso("a b", ""), "E0615", "infinite");
    let fair = common::model("a: p=t; b: p=f; a => b; b -> a; fair b>a");
    rejected(linear(&fair, "G p", BgTotal, "a", false).lasso("a b", ""), "E0615", "not fair");
    rejected(linear(&model, "F G !p", BgTotal, "a", false).lasso("a b", ""), "E0616", "does not refute");
    rejected(linear(&model, "G p", BgTotal, "a", false).lasso("a", ""), "E0616", "does not refute");
    let result = linear(&model, "G p", BgTotal, "a", false).lasso("a b", "");
    assert_eq!(result.unwrap().assumptions, [Assumption::Totality]);
    let total = model.clone().with_total(true);
    accepted(linear(&total, "G p", Hyper, "a", false).lasso("a b", ""));
}

#[test]
fn a_path_may_stutter_in_a_deadlock() {
    let model = model("a: p=t; b: p=f; a => b");
    let mut asked = linear(&model, "F G p", Bg, "a", false);
    rejected(asked.lasso("a b", ""), "E0615", "infinite");
    asked.reading.deadlock = Deadlock::Maximal;
    accepted(asked.lasso("a b", ""));
    rejected(asked.lasso("a", ""), "E0615", "ends at `a`");
    asked.formula = "F !p";
    rejected(asked.lasso("a b", ""), "E0616", "does not refute");
    // A path that ended takes no step again and again.
    let fair = common::model("a: p=t; b: p=f; a => b; fair a>b");
    let mut asked = linear(&fair, "G p", Bg, "a", false);
    asked.reading.deadlock = Deadlock::Maximal;
    rejected(asked.lasso("a b", ""), "E0615", "not fair");
    asked.value = true.into();
    accepted(asked.check(Proof::NoPath));
}

#[test]
fn edge_values_enter_the_operators() {
    // The bad step is open: literally `false`, and rightly unknown.
    let model = model("a: p=t; b: p=f; a => a; a -> b; b => b");
    let literal = linear(&model, "G p", Tg, "a", false).lasso("a", "b");
    assert_eq!(literal.unwrap().assumptions, [Assumption::LiteralReading]);
    rejected(linear(&model, "G p", TgPnf, "a", false).lasso("a", "b"), "E0616", "does not refute");
    rejected(linear(&model, "G p", Bg, "a", false).lasso("a", "b"), "E0615", "not certain");
    rejected(linear(&model, "G p", Tg, "b", false).lasso("b", "a"), "E0615", "not possible");
    // `G true` is not true literally once a step is open.
    rejected(linear(&model, "G true", Tg, "a", true).check(Proof::NoPath), "E0617", "refutes");
    accepted(linear(&model, "G true", TgPnf, "a", true).check(Proof::NoPath));
    accepted(linear(&model, "G true", Bg, "a", true).check(Proof::NoPath));
    accepted(linear(&model, "G !p", Tg, "b", true).check(Proof::NoPath));
}

#[test]
fn truth_needs_all_possible_paths() {
    let model = model("a: p=t q=t; b: p=u q=t; c: p=t q=f; a => b; b -> a; b -> c; c => c");
    accepted(linear(&model, "F !q | G q", Bg, "b", true).check(Proof::NoPath));
    rejected(linear(&model, "G q", Bg, "a", true).check(Proof::NoPath), "E0617", "`a`, `b`, `c`");
    rejected(linear(&model, "G p", Bg, "a", true).check(Proof::NoPath), "E0617", "a possible path refutes");
    accepted(linear(&model, "G F p", Bg, "a", true).check(Proof::NoPath));
    rejected(linear(&model, "F G p", Bg, "a", true).check(Proof::NoPath), "E0617", "refutes");
    accepted(linear(&model, "G (q | p)", Bg, "c", true).check(Proof::NoPath));
    // Excluded middle is not for free.
    rejected(linear(&model, "G (p | !p)", Bg, "a", true).check(Proof::NoPath), "E0617", "refutes");
}

#[test]
fn fairness_excludes_paths() {
    let text = "a: p=t; b: p=f; a => a; a => b; b => a";
    rejected(linear(&model(text), "G F !p", Bg, "a", true).check(Proof::NoPath), "E0617", "refutes");
    accepted(linear(&model(&format!("{text}; fair a>b")), "G F !p", Bg, "a", true).check(Proof::NoPath));
    let two = model(&format!("{text}; fair a>b; fair a>a"));
    accepted(linear(&two, "G F !p & G F p", Bg, "a", true).check(Proof::NoPath));
    rejected(linear(&two, "F G p", Bg, "a", true).check(Proof::NoPath), "E0617", "refutes");
}

#[test]
fn stuttering_ends_are_paths_too() {
    let model = model("a: p=t; b: p=f; a -> a; a => b");
    let mut asked = linear(&model, "G p", Bg, "a", true);
    accepted(asked.check(Proof::NoPath));
    asked.reading.deadlock = Deadlock::Maximal;
    rejected(asked.check(Proof::NoPath), "E0617", "`b`");
    let open = common::model("a: p=t; b: p=f; a -> b; b => b");
    let mut asked = linear(&open, "F !p", Bg, "a", true);
    accepted(asked.check(Proof::NoPath));
    asked.reading.deadlock = Deadlock::Maximal;
    rejected(asked.check(Proof::NoPath), "E0617", "refutes");
}

#[test]
fn all_possible_paths_refute() {
    let model = model("a: p=f; b: p=f; c: p=u; a -> b; a -> c; b => b; c => c");
    accepted(linear(&model, "p", BgTotal, "a", false).check(Proof::NoPath));
    rejected(linear(&model, "X p", BgTotal, "a", false).check(Proof::NoPath), "E0617", "satisfies");
    rejected(linear(&model, "p", Bg, "a", false).check(Proof::NoPath), "E0611", "surely has a successor");
    rejected(linear(&model, "p", Hyper, "a", false).check(Proof::NoPath), "E0611", "surely has a successor");
    accepted(linear(&model.clone().with_total(true), "p", Hyper, "a", false).check(Proof::NoPath));
    let fair = common::model("a: p=f; a => a; fair a>a");
    let assumed = linear(&fair, "p", BgTotal, "a", false).check(Proof::NoPath);
    assert_eq!(assumed.unwrap().assumptions, [Assumption::Totality, Assumption::FairPath]);
    let total = fair.clone().with_total(true);
    rejected(linear(&total, "p", Hyper, "a", false).check(Proof::NoPath), "E0611", "no fair path at all");
    let dead = common::model("a: p=f");
    rejected(
        linear(&dead, "p", BgTotal, "a", false).check(Proof::NoPath),
        "E0621",
        "nothing shows that there is a path",
    );
}

fn plays(model: &tertium_model::Kmts, text: &str, positions: &str, moves: &[&[u32]]) -> Result<Accepted, Rejection> {
    let positions = states(model, positions).into_iter().zip(0..).collect();
    let moves = moves.iter().map(|moves| moves.to_vec()).collect();
    linear(model, text, Hyper, "a", false).check(Proof::Plays { positions, moves })
}

#[test]
fn strategies_over_certain_sets() {
    let model = model("a: p=t; b: p=f; c: p=f; a => b c; b => a; c => a; c -> c");
    accepted(plays(&model, "G p", "a b c", &[&[1, 2], &[0], &[0]]));
    rejected(plays(&model, "G p", "a b c", &[&[1], &[0], &[0]]), "E0618", "position 0 at `a` moves into {`b`}");
    rejected(plays(&model, "G p", "a b c", &[&[1, 2], &[0], &[]]), "E0618", "position 2 at `c`");
    rejected(plays(&model, "G p", "a b c", &[&[1, 2], &[0], &[2]]), "E0618", "position 2 at `c`");
    rejected(plays(&model, "G p", "b a c", &[&[1], &[0, 2], &[1]]), "E0618", "first position is not at `a`");
    rejected(plays(&model, "G p", "a b c", &[&[1, 7], &[0], &[0]]), "E0618", "position 7");
    rejected(plays(&model, "G p", "a b c", &[&[1, 2], &[0]]), "E0618", "3 positions and 2 lists");
    rejected(plays(&model, "G F p", "a b c", &[&[1, 2], &[0], &[0]]), "E0618", "a play does not refute");
    accepted(plays(&model, "F G p", "a b c", &[&[1, 2], &[0], &[0]]));
    let other = linear(&model, "G p", Bg, "a", false);
    let proof = Proof::Plays { positions: vec![(state(&model, "a"), 0)], moves: vec![vec![0]] };
    rejected(other.check(proof), "E0611", "in the reading `hyper`");
}

#[test]
fn plays_are_fair_whatever_the_adversary_does() {
    let text = "a: p=t; b: p=f; c: p=f; a => b c; b => a; c => a";
    let one = model(&format!("{text}; fair a>b"));
    rejected(plays(&one, "G p", "a b c", &[&[1, 2], &[0], &[0]]), "E0618", "without fairness constraint 1");
    let both = model(&format!("{text}; fair a>b a>c"));
    accepted(plays(&both, "G p", "a b c", &[&[1, 2], &[0], &[0]]));
}

#[test]
fn plays_end_where_deadlocks_stutter() {
    let model = model("a: p=t; b: p=f; a -> b");
    let check = |moves: &[&[u32]], deadlock| {
        let mut asked = linear(&model, "X X G p & p", Hyper, "b", false);
        asked.reading.deadlock = deadlock;
        let positions = states(&model, "b a").into_iter().zip(0..).collect();
        asked.check(Proof::Plays { positions, moves: moves.iter().map(|moves| moves.to_vec()).collect() })
    };
    accepted(check(&[&[], &[0]], Deadlock::Maximal));
    rejected(check(&[&[], &[0]], Deadlock::Mu), "E0618", "position 0 at `b`");
    // From `a` the path may end or reach `b`; ending there does not refute.
    let mut asked = linear(&model, "F G p", Hyper, "a", false);
    asked.reading.deadlock = Deadlock::Maximal;
    let proof = Proof::Plays {
        positions: vec![(state(&model, "a"), 0), (state(&model, "b"), 0)],
        moves: vec![vec![1], vec![]],
    };
    rejected(asked.check(proof.clone()), "E0618", "a play does not refute");
    asked.formula = "X false | !p";
    accepted(asked.check(proof.clone()));
    let fair = common::model("a: p=t; b: p=f; a -> b; fair a>b");
    let asked = common::Asked { model: &fair, ..asked };
    rejected(asked.check(proof), "E0618", "can end at");
}

#[test]
fn labels_from_the_inside_out() {
    let model = model("a: p=t; b: p=f; c: p=u; a => b; b => a; a -> c; c => c");
    let text = "A G (E F p)";
    let formula = common::formula(text, Logic::CtlStar);
    let inner = formula.node_ids().find(|&id| matches!(formula.node(id), tertium_logic::Node::Exists(_))).unwrap();
    let check = |inner_true: &str, root_true: &str, root_false: &str, at: &str, value: bool| {
        let labels = vec![
            (inner, states(&model, inner_true), vec![]),
            (formula.root(), states(&model, root_true), states(&model, root_false)),
        ];
        branching(&model, text, Logic::CtlStar, at, value).check(Proof::Labels(labels))
    };
    rejected(check("a b c", "a", "", "a", true), "E0619", "is true at `c`");
    rejected(check("a b", "a", "", "a", true), "E0619", "a possible path denies");
    rejected(check("a b", "", "a", "a", false), "E0619", "no certain path shows");
    let closed = common::model("a: p=t; b: p=f; a => b; b => a");
    let labels = |inner_states: &str, root: &str| {
        let labels =
            vec![(inner, states(&closed, inner_states), vec![]), (formula.root(), states(&closed, root), vec![])];
        branching(&closed, text, Logic::CtlStar, "a", true).check(Proof::Labels(labels))
    };
    accepted(labels("a b", "a"));
    rejected(labels("a", "a"), "E0619", "a possible path denies");
    rejected(labels("a b", "b"), "E0619", "the labels do not show");
    rejected(labels("a b", ""), "E0619", "the labels do not show");
    let twice = Proof::Labels(vec![(inner, vec![], vec![]), (inner, vec![], vec![])]);
    rejected(branching(&closed, text, Logic::CtlStar, "a", true).check(twice), "E0619", "labelled twice");
    let wild = Proof::Labels(vec![(NodeId::new(0), vec![], vec![])]);
    rejected(branching(&closed, text, Logic::CtlStar, "a", true).check(wild), "E0619", "node 0");
    let wild = Proof::Labels(vec![(NodeId::new(70), vec![], vec![])]);
    rejected(branching(&closed, text, Logic::CtlStar, "a", true).check(wild), "E0619", "node 70");
}

#[test]
fn labels_by_what_the_reading_accepts_for_a_path() {
    // Where the step leads is open, and both ways reach p.
    let fork = model("a: p=f; b: p=t; c: p=t; a => b c; b => a; c => a");
    let text = "E G F p";
    let check = |model: &tertium_model::Kmts, reading| {
        let root = common::formula(text, Logic::CtlStar).root();
        let labels = Proof::Labels(vec![(root, states(model, "a"), vec![])]);
        let mut asked = branching(model, text, Logic::CtlStar, "a", true);
        asked.reading.linear = reading;
        asked.check(labels)
    };
    accepted(check(&fork, Hyper));
    rejected(check(&fork, Bg), "E0619", "no certain path shows");
    rejected(check(&fork, Tg), "E0611", "for linear formulas only");
    let one_sided = model("a: p=f; b: p=t; c: p=f; a => b c; b => a; c => a");
    rejected(check(&one_sided, Hyper), "E0619", "no certain path shows");
    let open = model("a: p=f; b: p=t; a -> b; b -> a");
    rejected(check(&open, Hyper), "E0619", "no certain path shows");
    accepted(check(&open, BgTotal));
    accepted(check(&open.clone().with_total(true), Hyper));
    let neglected = model("a: p=f; b: p=t; c: p=t; a => b c; b => a; c => a; fair a>b");
    rejected(check(&neglected, Hyper), "E0619", "no certain path shows");
    let fair = model("a: p=f; b: p=t; c: p=t; a => b c; b => a; c => a; fair a>b a>c");
    accepted(check(&fair, Hyper));
}
