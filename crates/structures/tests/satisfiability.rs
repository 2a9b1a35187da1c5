//! Formulas have a model exactly if one is found: small models are found by trying all structures, and every model found satisfies its formula by the definitions.

use tertium_base::Budget;
use tertium_evidence::Deadlock;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_structures::satisfiability::satisfiable;
use tertium_testkit::completions::{complete_structures, truths};
use tertium_testkit::reference::Deadlocks;
use tertium_testkit::{FormulaShape, for_random_cases};

fn formula(text: &str, logic: Logic) -> Formula {
    let parsed = parse(text, &ParseOptions::in_logic(logic));
    parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics))
}

#[test]
fn every_small_model_is_found_and_every_model_is_one() {
    let candidates = complete_structures(&["p", "q"], 2);
    let (yes, no) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(250, |case| {
        let logic = *case.rng.pick(&Logic::WITHOUT_PLAYERS);
        let asked = case.formula(&FormulaShape { size: 6, ..FormulaShape::new(logic) });
        let deadlock = *case.rng.pick(&[Deadlock::Mu, Deadlock::Total]);
        let convention = if deadlock == Deadlock::Mu { Deadlocks::Mu } else { Deadlocks::Total };
        let budget = Budget::unlimited().with_effort(Some(20_000));
        let Ok(found) = satisfiable(&asked, Some(deadlock), &budget) else { return };
        if let Some(model) = &found.model {
            assert!(model.is_complete() && found.checked);
            let first = model.init()[0].index();
            assert!(truths(model, &asked, convention)[first], "what was found is no model");
            yes.set(yes.get() + 1);
            return;
        }
        no.set(no.get() + 1);
        let total = |kmts: &tertium_model::Kmts| kmts.states().all(|state| !kmts.is_dead(state));
        for candidate in candidates.iter().filter(|kmts| deadlock == Deadlock::Mu || total(kmts)) {
            assert!(!truths(candidate, &asked, convention).contains(&true), "a model was missed");
        }
    });
    assert!(yes.get() > 100 && no.get() > 10, "{} {}", yes.get(), no.get());
}

#[test]
fn known_formulas() {
    let cases = [
        ("AG (p -> AF q) & EF (p & !q)", Logic::Ctl, true),
        ("AG p & EF !p", Logic::Ctl, false),
        ("AF p & AG !p", Logic::Ctl, false),
        ("EG p & AF !p", Logic::Ctl, false),
        ("EX p & EX !p & AX q", Logic::Pml, true),
        ("[] false", Logic::Pml, true),
        ("<> p & [] !p", Logic::Pml, false),
        ("G F p & F G !p", Logic::Ltl, false),
        ("G F p & G F !p", Logic::Ltl, true),
        ("X p & X !p", Logic::Ltl, false),
        ("E F G p & A G F !p", Logic::CtlStar, false),
        ("E G F p & E G !p", Logic::CtlStar, true),
        ("nu X. <> X & mu Y. p | [] Y", Logic::Mu, true),
        ("(nu X. <a> X) & (mu Y. [a] Y)", Logic::Mu, false),
        ("false", Logic::Ctl, false),
        ("true", Logic::Ltl, true),
    ];
    for (text, logic, expected) in cases {
        let found = satisfiable(&formula(text, logic), None, &Budget::unlimited())
            .unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(found.model.is_some(), expected, "{text}");
    }
    // A deadlock satisfies every linear formula, for it has no infinite path.
    let never = satisfiable(&formula("G F p & F G !p", Logic::Ltl), Some(Deadlock::Mu), &Budget::unlimited()).unwrap();
    assert!(never.model.is_some_and(|model| model.is_dead(model.init()[0])));
}
