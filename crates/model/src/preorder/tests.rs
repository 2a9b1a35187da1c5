//! The solver against the definition, and formulas against the states they tell apart.

use super::*;
use crate::kmts::ActionId;
use crate::read::{Format, Model, read_bytes};
use tertium_lattice::TruthValue;

fn kmts(text: &str) -> Kmts {
    let loaded = read_bytes("test", Format::Kmts, text.as_bytes(), &Budget::unlimited()).unwrap();
    match loaded.model {
        Some(Model::Kmts(kmts)) => kmts,
        _ => panic!("{:?}", loaded.diagnostics),
    }
}

/// The greatest relation by trying all pairs until nothing changes.
fn plain_relation(left: &Kmts, right: &Kmts) -> Vec<Vec<bool>> {
    let mut related = vec![vec![true; right.state_count()]; left.state_count()];
    let same = |a: Option<ActionId>, c: Option<ActionId>| {
        a.map(|a| &left.actions()[a.index()]) == c.map(|c| &right.actions()[c.index()])
    };
    loop {
        let mut changed = false;
        for a in left.states() {
            for c in right.states() {
                let now = related[a.index()][c.index()];
                let ok = now && holds(left, right, a, c, &related, &same);
                changed |= ok != now;
                related[a.index()][c.index()] = ok;
            }
        }
        if !changed {
            return related;
        }
    }
}

fn holds(
    left: &Kmts,
    right: &Kmts,
    a: StateId,
    c: StateId,
    related: &[Vec<bool>],
    same: &dyn Fn(Option<ActionId>, Option<ActionId>) -> bool,
) -> bool {
    let labels = left.props().iter().all(|prop| {
        let (mine, theirs) = (left.prop_by_name(prop).unwrap(), right.prop_by_name(prop).unwrap());
        left.label(a, mine).info_le(right.label(c, theirs))
    });
    let actions =
        |kmts: &Kmts| (0..kmts.actions().len()).map(|at| Some(ActionId::new(at))).chain([None]).collect::<Vec<_>>();
    let certain = actions(left).into_iter().all(|wanted| {
        left.certain_sets(a, wanted).iter().all(|demand| {
            actions(right).into_iter().filter(|found| same(wanted, *found)).any(|found| {
                right
                    .certain_sets(c, found)
                    .iter()
                    .any(|answer| answer.iter().all(|c| demand.iter().any(|a| related[a.index()][c.index()])))
            })
        })
    });
    let possible = right.edges_from(c).filter(|step| step.may).all(|step| {
        left.edges_from(a).any(|origin| {
            let fits = step.action.is_none() || same(origin.action, step.action);
            origin.may && fits && related[origin.target.index()][step.target.index()]
        })
    });
    labels && certain && possible
}

#[test]
fn small_examples() {
    let coarse = kmts("state a p: ?\nstate b p: t\na -may-> b\nb -must-> b\n");
    let fine = kmts("state a p: f\nstate b p: t\na -must-> b\nb -must-> b\n");
    let relation = refines(&coarse, &fine, &Budget::unlimited()).unwrap();
    let pairs: Vec<_> = relation.pairs().map(|(a, c)| (a.index(), c.index())).collect();
    assert_eq!(pairs, [(0, 0), (0, 1), (1, 1)]);
    let back = refines(&fine, &coarse, &Budget::unlimited()).unwrap();
    assert_eq!(back.pairs().count(), 1);
    let why = back.distinction(&fine, &coarse, (StateId::new(0), StateId::new(0)), &Budget::unlimited()).unwrap();
    assert_eq!(why.unwrap().formula.unwrap().display(&fine).to_string(), "!p");
}

#[test]
fn other_propositions_are_no_answer() {
    let left = kmts("state a p: ?\n");
    let right = kmts("state a q: ?\n");
    let Err(CompareError::Props(mismatch)) = refines(&left, &right, &Budget::unlimited()) else { panic!("compared") };
    assert_eq!((mismatch.only_abstract, mismatch.only_concrete), (vec!["p".to_owned()], vec!["q".to_owned()]));
}

#[test]
fn long_chains_need_no_stack() {
    let chain = |length: usize| {
        let mut text = format!("props\nstate s{length}\n");
        for at in 0..length {
            text += &format!("state s{at}\ns{at} -must-> s{}\n", at + 1);
        }
        kmts(&text)
    };
    let (short, long) = (chain(150), chain(151));
    let relation = refines(&short, &long, &Budget::unlimited()).unwrap();
    let start = |kmts: &Kmts| kmts.state_by_name("s0").unwrap();
    let pair = (start(&short), start(&long));
    assert!(!relation.contains(pair.0, pair.1));
    let why = relation.distinction(&short, &long, pair, &Budget::unlimited()).unwrap().unwrap();
    assert_eq!(why.trail.len(), 151);
    assert_eq!(why.formula.unwrap().nodes().len(), 152);
}

#[test]
fn the_solver_agrees_with_the_definition() {
    let mut seed = 20_261_115u64;
    let mut below = move |bound: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % bound
    };
    for round in 0..3000 {
        let structures = [0, 1].map(|_| random(&mut below, round));
        let [left, right] = structures.each_ref().map(|text| kmts(text));
        let expected = plain_relation(&left, &right);
        let relation = refines(&left, &right, &Budget::unlimited()).unwrap();
        for a in left.states() {
            for c in right.states() {
                let place = || {
                    format!(
                        "{} and {} of\n{}\n{}",
                        left.state_name(a),
                        right.state_name(c),
                        structures[0],
                        structures[1]
                    )
                };
                assert_eq!(relation.contains(a, c), expected[a.index()][c.index()], "{}", place());
                let why = relation.distinction(&left, &right, (a, c), &Budget::unlimited()).unwrap();
                assert_eq!(why.is_none(), relation.contains(a, c), "{}", place());
            }
        }
    }
}

fn random(below: &mut impl FnMut(usize) -> usize, round: usize) -> String {
    let states = 1 + below(4);
    let actions = ["", ":x", ":y"];
    let with_actions = round.is_multiple_of(3);
    let mut text = "props p\nmixed\nactions x, y\n".to_owned();
    for at in 0..states {
        text += &format!("state s{at} p: {}\n", ["t", "f", "?", "?", "b"][below(5)]);
        if below(3) > 0 && round % 4 == 1 {
            text += &format!("s{at} -may-> s{}\n", below(states));
        }
    }
    for _ in 0..below(states * 3 + 1) {
        let action = if with_actions { actions[below(3)] } else { "" };
        let kind = ["must", "may", "may", "mustonly"][below(if round.is_multiple_of(5) { 4 } else { 3 })];
        text += &format!("s{} -{kind}{action}-> s{}\n", below(states), below(states));
    }
    for _ in 0..below(3) {
        let action = if with_actions { actions[below(3)] } else { "" };
        text += &format!("s{} -hyper{action}-> {{s{}, s{}}}\n", below(states), below(states), below(states));
    }
    // Totality needs a successor everywhere.
    if round % 4 == 1 {
        for at in 0..states {
            text += &format!("s{at} -may-> s{}\n", below(states));
        }
        text += "total\n";
    }
    text
}

#[test]
fn alternating_refinement_needs_equal_owners() {
    let text = "props p\nstate s p: f\nstate t p: t\ninit s\ns -must-> t\nt -must-> s\n";
    let (a, b) = (kmts(&format!("{text}owner s = P\n")), kmts(&format!("{text}owner s = Q\n")));
    let (s, t) = (StateId::new(0), StateId::new(1));
    let budget = Budget::unlimited();
    assert!(refines(&a, &b, &budget).unwrap().contains(s, s));
    let relation = refines_alternating(&a, &b, &budget).unwrap();
    assert!(!relation.contains(s, s) && !relation.contains(t, t));
    let found = relation.distinction(&a, &b, (t, t), &budget).unwrap().unwrap();
    let last = &found.trail.last().unwrap().reason;
    assert_eq!(*last, Reason::Owner { abstracted: "P".to_owned(), concrete: "Q".to_owned() });
    assert!(refines_alternating(&a, &a, &budget).unwrap().contains(s, s));
}

/// On structures of one owner per state the alternating relation is the plain one among states of equal owners.
#[test]
fn quotients_keep_players_apart() {
    let twins = kmts("state a\nstate b\nstate c\na -must-> c\nb -must-> c\nc -may-> a\nc -may-> b\nowner b = P\n");
    let small = crate::minimise(&twins, &Budget::unlimited()).unwrap().structure;
    assert_eq!((small.state_count(), small.players().len()), (3, 2));
    let small = crate::quotient_by_refinement(&twins, &Budget::unlimited()).unwrap().structure;
    assert_eq!(small.players(), ["system", "P"]);
}
