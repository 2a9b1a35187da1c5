//! Has a formula about paths the value of its form in CTL, and of its form in the mu-calculus?

use std::cell::Cell;

use tertium_logic::{Formula, Logic, branching_form, fixpoint_form};
use tertium_testkit::reference::{Deadlocks, branching_values, star_values};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

/// On complete structures in which every state has a successor, the two are equal everywhere.
#[test]
fn forms_have_the_value_of_what_they_come_from() {
    have_the_same_value(branching_form, 40);
}

/// The same of forms in the mu-calculus.
#[test]
fn fixpoints_have_the_value_of_what_they_come_from() {
    have_the_same_value(fixpoint_form, 200);
}

fn have_the_same_value(form: fn(&Formula) -> Option<Formula>, least: usize) {
    let found = Cell::new(0);
    for_random_cases(600, |case| {
        let shape = StructureShape { states: 1..=3, density: 60, ..StructureShape::default() };
        let structure = case.structure(&shape);
        let structure = case.completion(&structure).structure;
        if structure.states().any(|state| structure.is_dead(state)) {
            return;
        }
        let logic = if case.rng.chance(60) { Logic::Ltl } else { Logic::CtlStar };
        let formula = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(logic) });
        let Some(form) = form(&formula) else { return };
        found.set(found.get() + 1);
        let mut builder = formula.to_builder();
        let root = match logic {
            Logic::Ltl => builder.add(tertium_logic::Node::All(formula.root())),
            _ => formula.root(),
        };
        let as_star = builder.finish(root, Logic::CtlStar);
        assert_eq!(branching_values(&structure, &form, Deadlocks::Mu), star_values(&structure, &as_star), "{form}");
    });
    assert!(found.get() > least, "only {} formulas have one", found.get());
}
