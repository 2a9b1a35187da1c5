//! Fairness: where all completions agree, the thorough value says so.

use super::*;

/// Which of the steps that are only possible are there, the same wherever a path comes by; fairness stays as it is.
fn resolved(case: &mut Case, partial: &Kmts) -> Kmts {
    let mut builder = tertium_model::KmtsBuilder::new();
    partial.states().for_each(|state| {
        builder.add_state(partial.state_name(state));
    });
    let props: Vec<_> = partial.props().iter().map(|name| builder.add_prop(name)).collect();
    let mut kept = Vec::new();
    for state in partial.states() {
        for &prop in &props {
            let label = match partial.label(state, prop) {
                Belnap::Unknown => Belnap::from(case.rng.chance(50)),
                label => label,
            };
            builder.set_label(state, prop, label);
        }
        for edge in partial.edges_from(state).filter(|edge| edge.may) {
            if edge.must || case.rng.chance(50) {
                builder.add_edge(state, edge.target, true, true, None);
                kept.push((edge.id, state, edge.target));
            }
        }
    }
    for constraint in partial.fairness() {
        let counts = kept.iter().filter(|(id, ..)| constraint.possible.contains(id.index()));
        builder.add_fairness(counts.map(|&(_, from, to)| (from, to, None)).collect());
    }
    partial.init().iter().for_each(|&state| builder.add_init(state));
    builder.finish().expect("a small structure")
}

/// The value of the fair reading on a complete structure.
fn fair_truth(model: &Kmts, formula: &Formula) -> Vec<Belnap> {
    let fair = tertium_logic::fair_ctl(formula, model.fairness().len()).unwrap_or_else(|| formula.clone());
    let budget = Budget::unlimited();
    let task = Task::new(model, &fair, common::reading(Deadlock::Mu), Ask::All, &budget).expect("names are known");
    let values: Values = match formula.logic() {
        Logic::Ltl => AutomataEngine.values(&task).unwrap(),
        _ => Explicit.values(&task).unwrap(),
    };
    model.states().map(|state| values.at(state)).collect()
}

/// Under fairness: what all completions agree on is what each of them says, and no less than the compositional value.
#[test]
fn fair_completions_agree_where_they_are_said_to() {
    let gained = std::cell::Cell::new(0);
    for_random_cases(60, |case| {
        let shape = StructureShape { states: 1..=3, props: 1, fairness: 2, ..StructureShape::default() };
        let partial = case.structure(&shape);
        for logic in [Logic::Ltl, Logic::Ctl] {
            let shape = FormulaShape { size: 5, atoms: vec!["p".to_owned()], ..FormulaShape::new(logic) };
            let formula = case.formula(&shape);
            let budget = Budget::unlimited().with_effort(Some(200_000));
            let task = Task::new(&partial, &formula, common::reading(Deadlock::Mu), Ask::All, &budget).expect("names");
            let Ok(thorough) = Thorough.values(&task) else { continue };
            let compositional = fair_truth(&partial, &formula);
            for state in partial.states() {
                let (exact, coarse) = (thorough.at(state), compositional[state.index()]);
                assert!(
                    coarse.info_le(exact),
                    "{coarse:?} and {exact:?}: {}\n{}",
                    formula.text(),
                    show_structure(&partial)
                );
                gained.set(gained.get() + usize::from(coarse != exact));
            }
            for _ in 0..6 {
                let complete = resolved(case, &partial);
                let truths = fair_truth(&complete, &formula);
                for state in partial.states() {
                    let (said, truth) = (thorough.at(state), truths[state.index()]);
                    assert!(
                        said.info_le(truth),
                        "{said:?} and {truth:?} of {}: {}",
                        formula.text(),
                        show_structure(&complete)
                    );
                }
            }
        }
    });
    assert!(gained.get() > 0, "completions never said more");
}
