//! The rules of branching proofs, each with a proof that uses it and ones that break it.

mod common;

use common::{accepted, branching, model, rejected};
use tertium_evidence::Deadlock;
use tertium_kernel::Assumption;
use tertium_logic::Logic;

/// `a` surely leads to `b` or `c` (open which), `b` surely loops, `c` possibly goes back to `a`.
const FORK: &str = "a: p=t q=f; b: p=t q=t; c: p=u q=t; a => b c; b => b; c -> a";

#[test]
fn labels_give_evidence_or_not() {
    let model = model(FORK);
    accepted(branching(&model, "p", Logic::Pml, "a", true).claims(&["a # p # t # -"]));
    accepted(branching(&model, "q", Logic::Pml, "a", false).claims(&["a # q # f # -"]));
    rejected(branching(&model, "p", Logic::Pml, "c", true).claims(&["c # p # t # -"]), "E0613", "its value is unknown");
    rejected(branching(&model, "p", Logic::Pml, "a", false).claims(&["a # p # f # -"]), "E0613", "`p` is false at `a`");
    rejected(branching(&model, "p", Logic::Pml, "a", true).claims(&["a # p # t # 0"]), "E0613", "operand 0");
}

#[test]
fn the_answer_must_be_among_the_claims() {
    let model = model(FORK);
    rejected(branching(&model, "p", Logic::Pml, "a", true).claims(&[]), "E0612", "`p` is true at `a`");
    rejected(branching(&model, "p", Logic::Pml, "b", true).claims(&["a # p # t # -"]), "E0612", "at `b`");
    rejected(branching(&model, "q", Logic::Pml, "b", false).claims(&["b # q # t # -"]), "E0612", "false at `b`");
    let twice = ["a # p # t # -", "a # p # t # -"];
    rejected(branching(&model, "p", Logic::Pml, "a", true).claims(&twice), "E0613", "two claims");
}

#[test]
fn connectives() {
    let model = model(FORK);
    let pml = |text, at, value| branching(&model, text, Logic::Pml, at, value);
    accepted(pml("p & !q", "a", true).claims(&[
        "a # p & !q # t # -",
        "a # p # t # -",
        "a # !q # t # -",
        "a # q # f # -",
    ]));
    rejected(
        pml("p & !q", "a", true).claims(&["a # p & !q # t # -", "a # p # t # -"]),
        "E0612",
        "`!q` is true at `a`, which no claim says",
    );
    accepted(pml("p & q", "a", false).claims(&["a # p & q # f # 1", "a # q # f # -"]));
    rejected(pml("p & q", "a", false).claims(&["a # p & q # f # 0", "a # q # f # -"]), "E0612", "`p` is false at `a`");
    rejected(pml("p & q", "a", false).claims(&["a # p & q # f # 2", "a # q # f # -"]), "E0613", "operand 2");
    accepted(pml("q -> p", "a", true).claims(&["a # q -> p # t # 0", "a # q # f # -"]));
    accepted(pml("p -> q", "a", false).claims(&["a # p -> q # f # -", "a # p # t # -", "a # q # f # -"]));
    rejected(pml("p -> q", "a", false).claims(&["a # p -> q # f # -", "a # p # t # -"]), "E0612", "`q` is false");
    accepted(pml("p <-> q", "b", true).claims(&["b # p <-> q # t # 0", "b # p # t # -", "b # q # t # -"]));
    accepted(pml("p <-> q", "a", false).claims(&["a # p <-> q # f # 0", "a # p # t # -", "a # q # f # -"]));
    accepted(pml("q xor p", "a", true).claims(&["a # q xor p # t # 1", "a # p # t # -", "a # q # f # -"]));
    rejected(
        pml("p <-> q", "b", true).claims(&["b # p <-> q # t # 2", "b # p # t # -", "b # q # t # -"]),
        "E0613",
        "operand 2",
    );
}

#[test]
fn an_equivalence_with_a_contradiction_is_false_too() {
    let model = model("a: p=b q=t");
    let asked = branching(&model, "p <-> q", Logic::Pml, "a", false);
    let result = asked.claims(&["a # p <-> q # f # 2", "a # p # t # -", "a # p # f # -"]);
    assert_eq!(result.unwrap().assumptions, [Assumption::Consistency]);
}

#[test]
fn steps_into_certain_sets() {
    let model = model(FORK);
    let ex = branching(&model, "EX q", Logic::Pml, "a", true);
    accepted(ex.claims(&["a # EX q # t # into b c", "b # q # t # -", "c # q # t # -"]));
    rejected(ex.claims(&["a # EX q # t # into b", "b # q # t # -"]), "E0613", "no such step is certain");
    rejected(ex.claims(&["a # EX q # t # into b c", "b # q # t # -"]), "E0612", "`q` is true at `c`");
    rejected(ex.claims(&["a # EX q # t # -", "b # q # t # -", "c # q # t # -"]), "E0613", "no choice");
    let open = branching(&model, "EX p", Logic::Pml, "c", true);
    rejected(open.claims(&["c # EX p # t # into a", "a # p # t # -"]), "E0613", "from `c` into {`a`}");
    let all = branching(&model, "AX p", Logic::Pml, "b", true);
    accepted(all.claims(&["b # AX p # t # -", "b # p # t # -"]));
    let refuted = branching(&model, "AX !q", Logic::Pml, "a", false);
    let claims = ["a # AX !q # f # into b c", "b # !q # f # -", "c # !q # f # -", "b # q # t # -", "c # q # t # -"];
    accepted(refuted.claims(&claims));
}

#[test]
fn steps_along_all_possible_edges() {
    let model = model(FORK);
    let all = branching(&model, "AX q", Logic::Pml, "a", true);
    accepted(all.claims(&["a # AX q # t # -", "b # q # t # -", "c # q # t # -"]));
    rejected(all.claims(&["a # AX q # t # -", "b # q # t # -"]), "E0612", "at `c`");
    let none = branching(&model, "EX !p", Logic::Pml, "c", false);
    accepted(none.claims(&["c # EX !p # f # -", "a # !p # f # -", "a # p # t # -"]));
}

#[test]
fn totality_makes_all_successors_together_certain() {
    let text = "a: p=f; b: p=t; c: p=t; a -> b; a -> c; b => b; c => c";
    let claims = ["a # EX p # t # into b c", "b # p # t # -", "c # p # t # -"];
    let open = model(text);
    rejected(branching(&open, "EX p", Logic::Pml, "a", true).claims(&claims), "E0613", "no such step is certain");
    let total = model(&format!("{text}; total"));
    accepted(branching(&total, "EX p", Logic::Pml, "a", true).claims(&claims));
    let mut asked = branching(&open, "EX p", Logic::Pml, "a", true);
    asked.reading.deadlock = Deadlock::Total;
    accepted(asked.claims(&claims));
}

#[test]
fn actions_select_edges() {
    let model = model("a: p=f; b: p=t; go/a => b; stay/a => a; b: p=t");
    let go = branching(&model, "<go> p", Logic::Mu, "a", true);
    accepted(go.claims(&["a # <go> p # t # into b", "b # p # t # -"]));
    let stay = branching(&model, "<stay> p", Logic::Mu, "a", true);
    rejected(stay.claims(&["a # <stay> p # t # into b", "b # p # t # -"]), "E0613", "no such step is certain");
    let all = branching(&model, "[go] p", Logic::Mu, "a", true);
    accepted(all.claims(&["a # [go] p # t # -", "b # p # t # -"]));
    let unknown = branching(&model, "[fly] p", Logic::Mu, "a", true);
    rejected(unknown.claims(&["a # [fly] p # t # -"]), "E0605", "the action `fly`");
}

/// Some step is promised, and it may be the other one.
#[test]
fn totality_promises_no_step_of_an_action() {
    let model = model("a: p=f; b: p=t; go/a -> b; stay/a -> b; stay/b => b; total");
    let claims = |text: &str| [format!("a # {text} # t # into b"), "b # p # t # -".to_owned()];
    for (text, holds) in [("EX p", true), ("<go> p", false), ("<stay> p", false)] {
        let lines = claims(text);
        let result = branching(&model, text, Logic::Mu, "a", true).claims(&[&lines[0], &lines[1]]);
        if holds { accepted(result) } else { rejected(result, "E0613", "no such step is certain") }
    }
}

/// The only path goes round a step that may be unfair: it is not known that there is a fair path.
#[test]
fn a_step_that_may_count_for_fairness_does_not_surely() {
    let round = "a: p=t; a => a";
    for (text, holds) in [(format!("{round}; fair a>a"), true), (format!("{round}; perhaps a>a"), false)] {
        let model = model(&text);
        let asked = branching(&model, "EG p", Logic::Ctl, "a", true);
        let written = tertium_logic::fair_ctl(&common::formula("EG p", Logic::Ctl), 1).expect("it is one of CTL");
        let result = asked.check(round_by(&model, &written));
        if holds { accepted(result) } else { rejected(result, "E0613", "no such step is certain") }
    }
}

/// A claim for every node at the one state, steps going round and disjunctions by the first operand.
fn round_by(model: &tertium_model::Kmts, written: &tertium_logic::Formula) -> tertium_evidence::Proof {
    use tertium_evidence::{Choice, Claim, Proof};
    use tertium_logic::Node;
    let state = common::state(model, "a");
    let choice = |node| match written.node(node) {
        Node::Diamond(..) => Choice::Into(vec![state]),
        Node::Or(..) => Choice::Operand(0),
        _ => Choice::None,
    };
    let claim = |node| Claim { state, node, positive: true, choice: choice(node) };
    // The other operand of the disjunction is not claimed: it would put off the fair step.
    let onward = |node| matches!(written.node(node), Node::Diamond(None, _));
    let put_off = |node| onward(node) || matches!(written.node(node), Node::And(_, right) if onward(right));
    let first = written.node_ids().filter(|&node| !put_off(node)).map(claim);
    Proof::Claims(first.collect())
}

#[test]
fn until_needs_its_goal() {
    let model = model("a: p=t q=f; b: p=t q=f; c: p=u q=t; a => b; b => c; b -> a; c => c");
    let ef = branching(&model, "EF q", Logic::Ctl, "a", true);
    accepted(ef.claims(&["a # EF q # t # into b", "b # EF q # t # into c", "c # EF q # t # 0", "c # q # t # -"]));
    rejected(ef.claims(&["a # EF q # t # into b", "b # EF q # t # into a"]), "E0613", "from `b` into {`a`}");
    let eu = branching(&model, "E[p U q]", Logic::Ctl, "a", true);
    let claims = |last| {
        [
            "a # E[p U q] # t # into b",
            "a # p # t # -",
            "b # E[p U q] # t # into c",
            last,
            "c # E[p U q] # t # 1",
            "c # q # t # -",
        ]
    };
    accepted(eu.claims(&claims("b # p # t # -")));
    rejected(eu.claims(&claims("c # p # f # -")), "E0612", "`p` is true at `b`, which no claim says");
}

#[test]
fn least_fixpoints_do_not_rest_on_themselves() {
    let model = model("a: p=t q=f; b: p=t q=t; a => a; a => b; b => b");
    let lie = ["a # EF q # t # into a"];
    rejected(branching(&model, "EF q", Logic::Ctl, "a", true).claims(&lie), "E0614", "`EF q` is true at `a`");
    let lie = ["a # AF q # t # onward", "b # AF q # t # 0", "b # q # t # -"];
    rejected(branching(&model, "AF q", Logic::Ctl, "a", true).claims(&lie), "E0614", "rests on itself");
    let lie = ["a # EG p # f # onward", "b # EG p # f # onward"];
    rejected(branching(&model, "EG p", Logic::Ctl, "a", false).claims(&lie), "E0614", "`EG p` is false");
    let lie = ["a # E[q M p] # t # into a", "a # p # t # -"];
    rejected(branching(&model, "E[q M p]", Logic::Ctl, "a", true).claims(&lie), "E0614", "`E[q M p]` is true");
    let lie = ["a # A[q W p] # f # into a", "a # p # f # -"];
    rejected(branching(&model, "A[q W p]", Logic::Ctl, "a", false).claims(&lie), "E0613", "`p` is false at `a`");
    let fine = ["a # EG p # t # into a", "a # p # t # -"];
    accepted(branching(&model, "EG p", Logic::Ctl, "a", true).claims(&fine));
    let fine = ["a # AG p # t # onward", "b # AG p # t # onward", "a # p # t # -", "b # p # t # -"];
    accepted(branching(&model, "AG p", Logic::Ctl, "a", true).claims(&fine));
    let fine = [
        "a # EF !p # f # onward",
        "b # EF !p # f # onward",
        "a # !p # f # -",
        "b # !p # f # -",
        "a # p # t # -",
        "b # p # t # -",
    ];
    accepted(branching(&model, "EF !p", Logic::Ctl, "a", false).claims(&fine));
}

#[test]
fn release_and_its_kin() {
    let model = model("a: p=f q=t; b: p=t q=t; c: p=f q=f; a => b; b => c; c => c");
    let ctl = |text, at, value| branching(&model, text, Logic::Ctl, at, value);
    let claims =
        ["a # A[p R q] # t # onward", "a # q # t # -", "b # A[p R q] # t # 0", "b # p # t # -", "b # q # t # -"];
    accepted(ctl("A[p R q]", "a", true).claims(&claims));
    rejected(ctl("A[p R q]", "a", true).claims(&claims[..4]), "E0612", "`q` is true at `b`");
    let claims = ["a # A[q W p] # t # onward", "a # q # t # -", "b # A[q W p] # t # 1", "b # p # t # -"];
    accepted(ctl("A[q W p]", "a", true).claims(&claims));
    let claims =
        ["a # E[p M q] # t # into b", "a # q # t # -", "b # E[p M q] # t # 0", "b # p # t # -", "b # q # t # -"];
    accepted(ctl("E[p M q]", "a", true).claims(&claims));
    rejected(ctl("E[p M q]", "a", true).claims(&claims[..4]), "E0612", "`q` is true at `b`");
    let claims = ["b # A[q W p] # t # 0", "b # p # t # -", "b # q # t # -"];
    rejected(ctl("A[q W p]", "b", true).claims(&claims), "E0613", "operand 0");
    let claims = ["c # A[q W p] # f # 0", "c # p # f # -", "c # q # f # -"];
    accepted(ctl("A[q W p]", "c", false).claims(&claims));
    let claims = ["c # A[q U p] # f # 0", "c # p # f # -", "c # q # f # -"];
    accepted(ctl("A[q U p]", "c", false).claims(&claims));
    rejected(ctl("A[q U p]", "c", false).claims(&claims[..2]), "E0612", "`q` is false at `c`");
    let claims = ["c # A[p R q] # f # 1", "c # q # f # -"];
    accepted(ctl("A[p R q]", "c", false).claims(&claims));
}

#[test]
fn deadlocks_end_paths_only_where_the_reading_says_so() {
    let model = model("a: p=t; b: p=t; a => b; a -> a");
    let claims = ["a # EG p # t # into b", "a # p # t # -", "b # EG p # t # onward", "b # p # t # -"];
    let mut asked = branching(&model, "EG p", Logic::Ctl, "a", true);
    rejected(asked.claims(&claims), "E0613", "a step along all possible edges");
    asked.reading.deadlock = Deadlock::Maximal;
    accepted(asked.claims(&claims));
    let vacuous = ["b # AF !p # t # onward"];
    let mut asked = branching(&model, "AF !p", Logic::Ctl, "b", true);
    accepted(asked.claims(&vacuous));
    asked.reading.deadlock = Deadlock::Maximal;
    rejected(asked.claims(&vacuous), "E0613", "may end in a deadlock");
    asked.reading.deadlock = Deadlock::Forbid;
    rejected(asked.claims(&vacuous), "E0621", "`b` is a reachable one");
}

#[test]
fn a_step_that_may_or_may_not_be_is_as_good_as_an_end() {
    let model = model("a: p=t; b: p=t; a -> b; b => b");
    let claims = ["a # EG p # t # onward", "a # p # t # -", "b # EG p # t # into b", "b # p # t # -"];
    let mut asked = branching(&model, "EG p", Logic::Ctl, "a", true);
    asked.reading.deadlock = Deadlock::Maximal;
    accepted(asked.claims(&claims));
    asked.reading.deadlock = Deadlock::Mu;
    rejected(asked.claims(&claims), "E0613", "proves nothing there");
}

#[test]
fn nested_fixpoints_are_decided_by_the_outermost() {
    // Going round a-b visits p again and again.
    let model = model("a: p=f; b: p=t; a => b; b => a");
    let text = "nu X. mu Y. p & EX X | EX Y";
    let parsed = common::formula(text, Logic::Mu);
    let or = parsed.node_ids().rev().nth(2).map(|id| parsed.to_builder().finish(id, Logic::Mu).to_string()).unwrap();
    let inner = format!("mu Y. {or}");
    let at = |state: &str, other: &str, by_p: bool| {
        let first = [
            format!("{state} # {text} # t # -"),
            format!("{state} # {inner} # t # -"),
            format!("{state} # {or} # t # {}", u8::from(!by_p)),
        ];
        let rest = if by_p {
            vec![
                format!("{state} # p & EX X # t # -"),
                format!("{state} # p # t # -"),
                format!("{state} # EX X # t # into {other}"),
                format!("{state} # X # t # -"),
            ]
        } else {
            vec![format!("{state} # EX Y # t # into {other}"), format!("{state} # Y # t # -")]
        };
        [first.to_vec(), rest].concat()
    };
    let check = |lines: Vec<String>| {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        branching(&model, text, Logic::Mu, "a", true).claims(&lines)
    };
    let extra = vec!["b # Y # t # -".to_owned(), "a # X # t # -".to_owned()];
    accepted(check([at("a", "b", false), at("b", "a", true), extra].concat()));
    // Claiming that b, too, goes on by Y puts p off forever.
    let lie = check([at("a", "b", false), at("b", "a", false)].concat());
    rejected(lie, "E0614", "rests on itself");
}

/// `EG p` as a greatest fixpoint, which holds: its falsity would have to be reached in finitely many steps.
#[test]
fn the_falsity_of_a_greatest_fixpoint_does_not_rest_on_itself() {
    let model = model("a: p=t; b: p=f; a => a; b => b");
    let text = "nu X. p & EX X";
    let lie = ["a # nu X. p & EX X # f # -", "a # p & EX X # f # 1", "a # EX X # f # -", "a # X # f # -"];
    rejected(branching(&model, text, Logic::Mu, "a", false).claims(&lie), "E0614", "rests on itself");
    let fine = ["b # nu X. p & EX X # f # -", "b # p & EX X # f # 0", "b # p # f # -"];
    accepted(branching(&model, text, Logic::Mu, "b", false).claims(&fine));
}

#[test]
fn proofs_that_do_not_fit_are_refused() {
    use tertium_evidence::Proof;
    let model = model(FORK);
    rejected(branching(&model, "p", Logic::Pml, "a", true).check(Proof::NoPath), "E0611", "does not prove");
    rejected(branching(&model, "p &", Logic::Pml, "a", true).check(Proof::NoPath), "E0605", "cannot be read");
    rejected(branching(&model, "r", Logic::Pml, "a", true).check(Proof::NoPath), "E0605", "the proposition `r`");
    let mut asked = branching(&model, "p", Logic::Pml, "c", true);
    for value in [tertium_lattice::Belnap::Unknown, tertium_lattice::Belnap::Both] {
        asked.value = value;
        rejected(asked.check(Proof::NoPath), "E0610", "does not prove");
    }
}

#[test]
fn numbers_that_nobody_has_are_refused() {
    use tertium_base::Budget;
    use tertium_evidence::{Choice, Claim, Proof};
    use tertium_kernel::check_certificate;
    use tertium_logic::NodeId;
    use tertium_model::StateId;
    let model = model(FORK);
    let asked = branching(&model, "EX p", Logic::Pml, "a", true);
    let claim = |state: usize, node: usize, choice: Choice| {
        Proof::Claims(vec![Claim { state: StateId::new(state), node: NodeId::new(node), positive: true, choice }])
    };
    rejected(asked.check(claim(77, 0, Choice::None)), "E0604", "number 77");
    rejected(asked.check(claim(0, 77, Choice::None)), "E0613", "node 77");
    rejected(asked.check(claim(0, 1, Choice::Into(vec![StateId::new(77)]))), "E0604", "number 77");
    let mut certificate = asked.certificate(claim(0, 1, Choice::None));
    certificate.state = StateId::new(99);
    rejected(check_certificate(&model, &certificate, &Budget::unlimited()), "E0604", "number 99");
}
