//! Are conditions of fairness that are kept as sets what automata make of them?

use tertium_base::Budget;
use tertium_check::automata::AutomataEngine;
use tertium_check::symbolic::Symbolic;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::Reading;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

fn atom(builder: &mut FormulaBuilder, text: &str) -> NodeId {
    builder.atom(Atom { text: text.to_owned(), quoted: false })
}

/// Justice, compassion, or both with something that never happens.
fn promise(builder: &mut FormulaBuilder, which: usize) -> NodeId {
    let mut again = |text: &str| {
        let condition = atom(builder, text);
        let eventually = builder.add(Node::Finally(condition));
        builder.add(Node::Globally(eventually))
    };
    let (p, q) = (again("p"), again("q"));
    let compassion = builder.add(Node::Implies(q, p));
    match which {
        0 => p,
        1 => compassion,
        2 => builder.add(Node::And(p, q)),
        _ => {
            let never = atom(builder, "r");
            let not = builder.add(Node::Not(never));
            let always = builder.add(Node::Globally(not));
            let both = builder.add(Node::And(q, compassion));
            builder.add(Node::And(both, always))
        }
    }
}

/// A formula whose quantifiers go over paths that keep a promise, or, of a linear one, that the promise implies.
fn promised(formula: &Formula, which: usize) -> Formula {
    let mut builder = formula.to_builder();
    let promise = promise(&mut builder, which);
    let mut images: Vec<NodeId> = Vec::new();
    for node in formula.nodes() {
        let image = match node.map_children(|child| images[child.index()]) {
            Node::Exists(path) => {
                let both = builder.add(Node::And(promise, path));
                builder.add(Node::Exists(both))
            }
            Node::All(path) => {
                let kept = builder.add(Node::Implies(promise, path));
                builder.add(Node::All(kept))
            }
            other => builder.add(other),
        };
        images.push(image);
    }
    let root = images[formula.root().index()];
    if formula.logic() == Logic::Ltl {
        let kept = builder.add(Node::Implies(promise, root));
        return builder.finish(kept, Logic::Ltl);
    }
    builder.finish(root, Logic::CtlStar)
}

#[test]
fn promises_as_sets_are_what_automata_say() {
    for_random_cases(600, |case| {
        let (complete, total) = (case.rng.chance(80), case.rng.chance(50));
        let shape =
            StructureShape { states: 1..=6, props: 3, complete, total, density: 30, ..StructureShape::default() };
        let model = case.structure(&shape);
        let logic = [Logic::Ctl, Logic::CtlStar, Logic::Ltl][case.rng.below(3)];
        let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(logic) });
        let promised = promised(&formula, case.rng.below(4));
        let budget = Budget::unlimited();
        let task = Task::new(&model, &promised, Reading::default(), Ask::All, &budget).expect("names are known");
        let (Ok(found), Ok(expected)) = (Symbolic.values(&task), AutomataEngine.values(&task)) else {
            panic!("not supported: {}", promised.text());
        };
        for state in model.states() {
            assert_eq!(found.at(state), expected.at(state), "at {}: {}", model.state_name(state), promised.text());
        }
    });
}
