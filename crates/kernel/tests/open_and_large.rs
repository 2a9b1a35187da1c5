//! Open questions, answers without a path, and proofs too long for anything but loops.

mod common;

use common::{accepted, branching, formula, linear, model, node, rejected, state};
use tertium_base::Budget;
use tertium_evidence::{
    Certificate, Choice, Claim, LinearReading, OpenQuestion, PlayStep, Proof, Reading, Reason, StepDirection,
};
use tertium_kernel::{Rejection, check_certificate, check_open_question};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_model::{Kmts, KmtsBuilder, PropId, StateId};

fn opened(model: &Kmts, text: &str, play: &[(&str, &str)], reason: Reason) -> Result<(), String> {
    let formula = formula(text, Logic::Ctl);
    let step =
        |&(at, what): &(&str, &str)| PlayStep { state: state(model, at), node: node(&formula, what), positive: true };
    let question = OpenQuestion { play: play.iter().map(step).collect(), loop_start: None, reasons: vec![reason] };
    let first = state(model, play[0].0);
    check_open_question(model, &formula, Reading::default(), first, &question).map_err(|rejection| match rejection {
        Rejection::Refused(diagnostic) => diagnostic.message,
        Rejection::Stopped(stopped) => stopped.to_string(),
    })
}

#[test]
fn open_questions_must_be_legal_and_open() {
    let model = model("a: p=t; b: p=u; c: p=t; a => b; a -> c; b => b; c => c");
    let (a, b, c) = (state(&model, "a"), state(&model, "b"), state(&model, "c"));
    let label = |state| Reason::Label { state, prop: PropId::new(0) };
    let edge = |to| Reason::Edge { from: a, to, direction: StepDirection::Forall };
    let play = [("a", "AG p"), ("b", "AG p"), ("b", "p")];
    opened(&model, "AG p", &play, label(b)).unwrap();
    opened(&model, "AG p", &play[..1], edge(c)).unwrap();
    assert!(opened(&model, "AG p", &play, label(c)).unwrap_err().contains("`p` of `c` is not open"));
    assert!(opened(&model, "AG p", &play, edge(b)).unwrap_err().contains("from `a` to `b` is not open"));
    let jump = [("b", "AG p"), ("a", "AG p")];
    assert!(opened(&model, "AG p", &jump, label(b)).unwrap_err().contains("is not legal"));
    let inner = [("a", "p")];
    assert!(opened(&model, "AG p", &inner, label(b)).unwrap_err().contains("the whole formula"));
    let wild = Reason::Hyper { from: a, members: vec![b, c], direction: StepDirection::Exists };
    opened(&model, "AG p", &play, wild).unwrap();
    let wild = Reason::Hyper { from: b, members: vec![a, c], direction: StepDirection::Exists };
    assert!(opened(&model, "AG p", &play, wild).is_err());
}

#[test]
fn a_prefix_stands_for_a_path_only_where_there_may_be_one() {
    let dead = model("a: p=f");
    let asked = linear(&dead, "p", LinearReading::BgTotal, "a", false);
    rejected(asked.lasso("a", ""), "E0621", "nothing shows that there is a path");
    let root = formula("E F !p", Logic::CtlStar).root();
    let mut asked = branching(&dead, "E F !p", Logic::CtlStar, "a", true);
    asked.reading.linear = LinearReading::BgTotal;
    let labels = Proof::Labels(vec![(root, vec![state(&dead, "a")], vec![])]);
    rejected(asked.check(labels), "E0619", "no certain path shows");
}

/// A line of states that ends in a loop; `p` everywhere, `q` at the end only.
fn line(length: usize) -> Kmts {
    let mut builder = KmtsBuilder::new();
    let states: Vec<StateId> = (0..length).map(|at| builder.add_state(&format!("s{at}"))).collect();
    let (p, q) = (builder.add_prop("p"), builder.add_prop("q"));
    for (at, &from) in states.iter().enumerate() {
        builder.set_label(from, p, Belnap::True);
        builder.set_label(from, q, (at + 1 == length).into());
        builder.add_edge(from, states[(at + 1).min(length - 1)], true, true, None);
    }
    builder.finish().unwrap()
}

#[test]
fn long_proofs_take_loops_only() {
    const LENGTH: usize = 100_000;
    let model = line(LENGTH);
    let certificate = |text: &str, proof| Certificate {
        formula: text.to_owned(),
        logic: Logic::Ctl,
        reading: Reading::default(),
        state: StateId::new(0),
        value: Belnap::True,
        proof: Proof::Claims(proof),
    };
    let always = formula("AG p", Logic::Ctl);
    let (root, p) = (always.root(), node(&always, "p"));
    let claims = (0..LENGTH).map(StateId::new).flat_map(|state| {
        let goes_on = Claim { state, node: root, positive: true, choice: Choice::Onward };
        [goes_on, Claim { state, node: p, positive: true, choice: Choice::None }]
    });
    let mut proof = certificate("AG p", claims.collect());
    accepted(check_certificate(&model, &proof, &Budget::unlimited()));
    if let Proof::Claims(claims) = &mut proof.proof {
        claims.pop();
    }
    rejected(check_certificate(&model, &proof, &Budget::unlimited()), "E0612", "`p` is true at `s99999`");

    let arrives = formula("EF q", Logic::Ctl);
    let (root, q) = (arrives.root(), node(&arrives, "q"));
    let into = |at: usize| Choice::Into(vec![StateId::new(at + 1)]);
    let steps =
        (0..LENGTH - 1).map(|at| Claim { state: StateId::new(at), node: root, positive: true, choice: into(at) });
    let last = StateId::new(LENGTH - 1);
    let end = [
        Claim { state: last, node: root, positive: true, choice: Choice::Operand(0) },
        Claim { state: last, node: q, positive: true, choice: Choice::None },
    ];
    let mut proof = certificate("EF q", steps.chain(end).collect());
    accepted(check_certificate(&model, &proof, &Budget::unlimited()));
    if let Proof::Claims(claims) = &mut proof.proof {
        claims[LENGTH - 1].choice = Choice::Into(vec![last]);
    }
    rejected(check_certificate(&model, &proof, &Budget::unlimited()), "E0614", "rests on itself");
}

#[test]
fn many_alternatives_are_no_reason_to_branch() {
    let model = model("a: p=t; a => a");
    let text = format!("G ({})", vec!["(p | X !p)"; 60].join(" & "));
    accepted(linear(&model, &text, LinearReading::Bg, "a", true).check(Proof::NoPath));
    let deep = format!("{}p{}", "G (p & ".repeat(300), ")".repeat(300));
    accepted(linear(&model, &deep, LinearReading::Bg, "a", true).check(Proof::NoPath));
}

#[test]
fn a_limit_stops_the_check() {
    let model = line(20_000);
    let budget = Budget::unlimited().with_time(Some(std::time::Duration::ZERO));
    let certificate = linear(&model, "G p", LinearReading::Bg, "s0", true).certificate(Proof::NoPath);
    assert!(matches!(check_certificate(&model, &certificate, &budget), Err(Rejection::Stopped(_))));
}
