//! Of complete games exactly one side has a strategy, and closed loops keep what they promise, by the definitions.

use std::cell::Cell;

use tertium_base::Budget;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, StateId};
use tertium_testkit::reference::{LinearReading, linear_values};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

use super::*;

fn asked<'a>(
    model: &'a Kmts,
    mine: &'a [bool],
    states: &'a [StateId],
    (objective, negated): (&'a Formula, bool),
    budget: &'a Budget,
) -> SynthesisTask<'a> {
    SynthesisTask { model, mine, silent: &[], states, objective, negated, budget }
}

/// The player follows a strategy and the others do what they can; the objective holds on all paths.
fn assert_wins(task: &SynthesisTask<'_>, found: &ClosedLoop) {
    let structure = &found.structure;
    let shown = Kmts::state_name;
    for at in structure.states() {
        let origin = found.origin[at.index()];
        let successors: Vec<StateId> = structure.may_successors(at).map(|to| found.origin[to.index()]).collect();
        if task.mine[origin.index()] {
            assert!(!successors.is_empty(), "stuck at {}", shown(structure, at));
            let mut chosen = successors.clone();
            chosen.sort_unstable();
            chosen.dedup();
            let certain = task.model.certain_sets(origin, None);
            assert!(certain.contains(&chosen), "no certain move of {}: {chosen:?}", shown(structure, at));
        } else {
            let mut all: Vec<StateId> = task.model.may_successors(origin).collect();
            let mut kept = successors.clone();
            all.sort_unstable();
            all.dedup();
            kept.sort_unstable();
            kept.dedup();
            assert_eq!(kept, all, "the others can do something else at {}", shown(structure, at));
        }
    }
    let mut builder = task.objective.to_builder();
    let formula = if task.negated {
        let mut nodes = Vec::new();
        for &node in task.objective.nodes() {
            nodes.push(builder.add(node.map_children(|child: tertium_logic::NodeId| nodes[child.index()])));
        }
        let root = builder.add(Node::Not(nodes[task.objective.root().index()]));
        builder.finish(root, Logic::Ltl)
    } else {
        task.objective.clone()
    };
    let values = linear_values(structure, &formula, LinearReading::Bg);
    for &start in structure.init() {
        assert_eq!(values[start.index()], Belnap::True, "{formula} on the closed loop");
    }
}

#[test]
fn of_complete_games_exactly_one_side_has_a_strategy() {
    let (mine_won, others_won) = (Cell::new(0), Cell::new(0));
    for_random_cases(400, |case| {
        let shape = StructureShape { states: 1..=5, complete: true, density: 40, ..StructureShape::default() };
        let model = case.structure(&shape);
        let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(Logic::Ltl) });
        let mine: Vec<bool> = model.states().map(|_| case.rng.chance(50)).collect();
        let theirs: Vec<bool> = mine.iter().map(|&mine| !mine).collect();
        let budget = Budget::unlimited();
        let states = [model.init()[0]];
        let (own, other) = (
            asked(&model, &mine, &states, (&formula, false), &budget),
            asked(&model, &theirs, &states, (&formula, true), &budget),
        );
        let (own_found, other_found) = (synthesise(&own).expect("no limit"), synthesise(&other).expect("no limit"));
        assert!(own_found.strategy.is_some() != other_found.strategy.is_some(), "nobody wins, or both do");
        if let Some(found) = &own_found.strategy {
            mine_won.set(mine_won.get() + 1);
            assert_wins(&own, found);
        }
        if let Some(found) = &other_found.strategy {
            others_won.set(others_won.get() + 1);
            assert_wins(&other, found);
        }
    });
    assert!(mine_won.get() > 50 && others_won.get() > 50, "{} {}", mine_won.get(), others_won.get());
}

#[test]
fn in_partial_games_at_most_one_side_has_a_strategy() {
    let (won, open) = (Cell::new(0), Cell::new(0));
    for_random_cases(400, |case| {
        let model =
            case.structure(&StructureShape { states: 1..=5, hyper: true, density: 45, ..StructureShape::default() });
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Ltl) });
        let mine: Vec<bool> = model.states().map(|_| case.rng.chance(50)).collect();
        let theirs: Vec<bool> = mine.iter().map(|&mine| !mine).collect();
        let budget = Budget::unlimited();
        let states = [model.init()[0]];
        let own = asked(&model, &mine, &states, (&formula, false), &budget);
        let other = asked(&model, &theirs, &states, (&formula, true), &budget);
        let (own_found, other_found) = (synthesise(&own).expect("no limit"), synthesise(&other).expect("no limit"));
        assert!(own_found.strategy.is_none() || other_found.strategy.is_none(), "both win");
        match (&own_found.strategy, &other_found.strategy) {
            (Some(found), _) => assert_wins(&own, found),
            (_, Some(found)) => assert_wins(&other, found),
            (None, None) => open.set(open.get() + 1),
        }
        won.set(won.get() + usize::from(own_found.strategy.is_some()));
    });
    assert!(won.get() > 20 && open.get() > 20, "{} {}", won.get(), open.get());
}

#[test]
fn generalised_reactivity_and_parity_agree() {
    let objectives = [
        "G F p",
        "G F p & G F q",
        "G F p -> G F q",
        "(G F p & G F !q) -> (G F q & G F !p)",
        "G (p -> X q) & (G F p -> G F q)",
        "G !(p & q) & G F p & G F q",
        "(p W q) & (G F !p -> (G F q & G F (p | q)))",
        "G (p -> F q)",
        "G !(p & q) & (G F !p -> G (p -> F q) & G (q -> F !q))",
        "G (p -> F !p) -> G (q -> F p) & G F q",
        "G (q -> X q) & G (q -> F p) & G F !p",
    ];
    let objectives: Vec<Formula> = objectives
        .iter()
        .map(|text| parse(text, &ParseOptions::in_logic(Logic::Ltl)).formula.expect("they are formulas"))
        .collect();
    let won = Cell::new(0);
    for_random_cases(400, |case| {
        let hyper = case.number % 2 == 1;
        let shape = StructureShape { states: 1..=6, complete: !hyper, hyper, density: 35, ..StructureShape::default() };
        let model = case.structure(&shape);
        let formula = case.rng.pick(&objectives).clone();
        case.keep("objective.txt", formula.text());
        let mine: Vec<bool> = model.states().map(|_| case.rng.chance(50)).collect();
        let budget = Budget::unlimited();
        let states = [model.init()[0]];
        let task = asked(&model, &mine, &states, (&formula, false), &budget);
        let (special, general) = (synthesise(&task).expect("no limit"), synthesise_by_parity(&task).expect("no limit"));
        assert!(matches!(special.method, SynthesisMethod::GeneralisedReactivity { .. }), "it is of this form");
        assert_eq!(special.strategy.is_some(), general.strategy.is_some());
        for found in special.strategy.iter().chain(&general.strategy) {
            assert_wins(&task, found);
        }
        won.set(won.get() + usize::from(special.strategy.is_some()));
    });
    assert!(won.get() > 50, "{}", won.get());
}
