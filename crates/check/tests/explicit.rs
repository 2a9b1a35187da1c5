//! The labelling engine gives the values that the definitions give, on random small structures.

use tertium_base::Budget;
use tertium_check::explicit::Explicit;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::{Deadlock, Reading};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, KmtsBuilder};
use tertium_testkit::reference::{Deadlocks, branching_values};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

const CONVENTIONS: [(Deadlock, Deadlocks); 3] =
    [(Deadlock::Mu, Deadlocks::Mu), (Deadlock::Maximal, Deadlocks::Maximal), (Deadlock::Total, Deadlocks::Total)];

fn explicit_values(model: &Kmts, formula: &Formula, deadlock: Deadlock) -> Vec<Belnap> {
    let budget = Budget::unlimited();
    let reading = Reading { deadlock, ..Reading::default() };
    let task = Task::new(model, formula, reading, Ask::All, &budget).expect("generated names are known");
    let values = Explicit.values(&task).expect("the engine supports what is generated");
    model.states().map(|state| values.at(state)).collect()
}

fn agrees_with_definitions(cases: usize, structures: &StructureShape, formulas: &FormulaShape) {
    for_random_cases(cases, |case| {
        let model = case.structure(structures);
        let formula = case.formula(formulas);
        for (deadlock, reference) in CONVENTIONS {
            let expected = branching_values(&model, &formula, reference);
            assert_eq!(explicit_values(&model, &formula, deadlock), expected, "{}", deadlock.name());
        }
    });
}

#[test]
fn ctl_on_plain_structures() {
    agrees_with_definitions(1000, &StructureShape::default(), &FormulaShape::new(Logic::Ctl));
}

#[test]
fn ctl_on_hyper_edges() {
    let structures = StructureShape { hyper: true, ..StructureShape::default() };
    agrees_with_definitions(1000, &structures, &FormulaShape::new(Logic::Ctl));
}

#[test]
fn ctl_on_mixed_structures() {
    let structures = StructureShape { hyper: true, mixed: true, both_labels: true, ..StructureShape::default() };
    agrees_with_definitions(1000, &structures, &FormulaShape::new(Logic::Ctl));
}

#[test]
fn ctl_on_total_structures() {
    let structures = StructureShape { hyper: true, total: true, ..StructureShape::default() };
    agrees_with_definitions(500, &structures, &FormulaShape::new(Logic::Ctl));
}

#[test]
fn pml_with_actions() {
    let structures = StructureShape { hyper: true, actions: 2, ..StructureShape::default() };
    let formulas = FormulaShape { actions: structures.action_names(), ..FormulaShape::new(Logic::Pml) };
    agrees_with_definitions(1000, &structures, &formulas);
}

#[test]
fn mu_calculus_with_alternation() {
    let structures = StructureShape { hyper: true, actions: 2, ..StructureShape::default() };
    let formulas =
        FormulaShape { size: 14, actions: structures.action_names(), guarded: false, ..FormulaShape::new(Logic::Mu) };
    agrees_with_definitions(2000, &structures, &formulas);
}

#[test]
fn mu_calculus_on_mixed_structures() {
    let structures = StructureShape { hyper: true, mixed: true, both_labels: true, ..StructureShape::default() };
    let formulas = FormulaShape { size: 12, ..FormulaShape::new(Logic::Mu) };
    agrees_with_definitions(1000, &structures, &formulas);
}

/// A state with more successors than a small counter holds, which leave the set one after the other.
#[test]
fn many_successors_of_one_state() {
    for successors in [254, 255, 256, 300] {
        let mut builder = KmtsBuilder::new();
        let p = builder.add_prop("p");
        let hub = builder.add_state("hub");
        builder.set_label(hub, p, Belnap::True);
        for at in 0..successors {
            let leaf = builder.add_state(&format!("leaf{at}"));
            builder.set_label(leaf, p, if at == 7 { Belnap::Unknown } else { Belnap::True });
            builder.add_edge(hub, leaf, true, at % 2 == 0, None);
            // Only the eighth leaf has a loop; from the others the path leads to a state without p.
            if at == 7 {
                builder.add_edge(leaf, leaf, true, true, None);
            } else {
                let out = builder.add_state(&format!("out{at}"));
                builder.set_label(out, p, Belnap::False);
                builder.add_edge(leaf, out, true, true, None);
            }
        }
        builder.add_init(hub);
        let model = builder.finish().expect("a small structure");
        let formula = parse("EG p", &ParseOptions::in_logic(Logic::Ctl)).formula.expect("it parses");
        for (deadlock, reference) in CONVENTIONS {
            let expected = branching_values(&model, &formula, reference);
            assert_eq!(explicit_values(&model, &formula, deadlock), expected, "{}", deadlock.name());
        }
    }
}
