//! Does the translation of fair CTL mean "on fair paths"?

use tertium_logic::{Logic, fair_ctl};
use tertium_testkit::reference::{Deadlocks, branching_values, star_values};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

/// Without hyper edges, Emerson and Lei's fixpoints and the search for fair paths must agree, also where
/// something is open: certain paths by certain steps, possible paths by possible ones.
#[test]
fn fair_ctl_speaks_of_fair_paths() {
    for_random_cases(150, |case| {
        let actions = case.rng.below(3);
        let shape = StructureShape { states: 1..=3, density: 45, fairness: 2, actions, ..StructureShape::default() };
        let structure = case.structure(&shape);
        if structure.fairness().is_empty() {
            return;
        }
        let formula = case.formula(&FormulaShape { size: 5, ..FormulaShape::new(Logic::Ctl) });
        let translated = fair_ctl(&formula, structure.fairness().len()).expect("CTL is translated");
        let as_star = formula.to_builder().finish(formula.root(), Logic::CtlStar);
        assert_eq!(branching_values(&structure, &translated, Deadlocks::Mu), star_values(&structure, &as_star));
    });
}
