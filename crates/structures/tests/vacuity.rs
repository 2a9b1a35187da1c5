//! Vacuity against its definition (Beer and others 1997; Kupferman and Vardi 2003): a property that is true is vacuous if it stays true with what an
//! implication demands mutated to `false`; whatever else the consequent is mutated to, it then stays true as well.

use tertium_base::Budget;
use tertium_lattice::Belnap;
use tertium_load::Loaded;
use tertium_logic::Logic;
use tertium_model::Model;
use tertium_structures::answer::Answer;
use tertium_structures::check::{CheckOptions, Session};
use tertium_testkit::{Case, StructureShape, for_random_cases};

fn check(loaded: &Loaded, text: &str, logic: Logic, vacuity: bool, thorough: bool) -> Answer {
    let options = CheckOptions {
        logic: Some(logic),
        look_for_vacuity: vacuity,
        thorough,
        parameters: true,
        ..CheckOptions::default()
    };
    let budget = Budget::unlimited();
    let session = Session::new(loaded, options, &budget).unwrap();
    let parsed = session.properties(&[text.to_owned()], &[]).unwrap();
    session.check(&parsed[0], &budget, &()).unwrap()
}

/// A property with one implication, and the same with another consequent.
fn response(case: &mut Case, logic: Logic) -> impl Fn(&str) -> String + use<> {
    let shapes: &[(&str, &str)] = match logic {
        Logic::Ltl => &[("G (", " -> F ("), ("F (", " -> G ("), ("G (", " -> X (")],
        Logic::CtlStar => &[("A G (", " -> F ("), ("A (G (", " -> E X (")],
        _ => &[("AG (", " -> AF ("), ("AG (", " -> EX ("), ("EF (", " -> AG (")],
    };
    let (before, after) = *case.rng.pick(shapes);
    let antecedent = *case.rng.pick(&["p", "!p", "q", "p & q", "p & !p"]);
    let closing: String = format!("{before}{after}").chars().filter(|&sign| sign == '(').map(|_| ')').collect();
    move |consequent| format!("{before}{antecedent}{after}{consequent}{closing}")
}

fn agrees_with_the_definition(shape: &StructureShape, cases: usize, thorough: bool) {
    let (vacuous, plain) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(cases, |case| {
        let structure = case.structure(shape);
        let loaded = Loaded::of_model("model", Model::Kmts(structure));
        let logic = *case.rng.pick(&[Logic::Ltl, Logic::Ctl, Logic::CtlStar]);
        if thorough && logic == Logic::CtlStar {
            return;
        }
        let with = response(case, logic);
        let found = check(&loaded, &with("q"), logic, true, thorough);
        let unlooked = check(&loaded, &with("q"), logic, false, thorough);
        assert_eq!(found.value(), unlooked.value(), "looking for vacuity changes no value");
        if unlooked.verdict.value() != Belnap::True {
            assert!(!found.vacuous);
            return;
        }
        let no_path = found.warnings.iter().any(|warning| warning.code == "W0302");
        // `q` stands for the whole consequent of an implication: `X false` is not `false` where paths end.
        let stays = stays_true_without(&loaded, &with("q"), logic, thorough);
        assert_eq!(found.vacuous, stays || no_path, "{}", with("q"));
        if stays {
            vacuous.set(vacuous.get() + 1);
            for other in ["p", "!q", "true"] {
                let mutated = check(&loaded, &with(other), logic, false, thorough);
                assert_eq!(mutated.verdict.value(), Belnap::True, "{} by {other}", with("q"));
            }
        } else {
            plain.set(plain.get() + 1);
        }
    });
    assert!(vacuous.get() > 0 && plain.get() > 0, "both occur: {} and {}", vacuous.get(), plain.get());
}

/// The text with its one implication's right side replaced by `false`, asked anew.
fn stays_true_without(loaded: &Loaded, text: &str, logic: Logic, thorough: bool) -> bool {
    let arrow = text.find(" -> ").expect("an implication");
    let rest = &text[arrow + 4..];
    // The implication ends where a parenthesis closes that was open before it.
    let mut depth = 0i32;
    let end = rest.find(|sign: char| {
        depth += i32::from(sign == '(') - i32::from(sign == ')');
        depth < 0
    });
    let closing = end.map_or("", |end| &rest[end..]);
    let mutated = format!("{} -> false{closing}", &text[..arrow]);
    check(loaded, &mutated, logic, false, thorough).verdict.value() == Belnap::True
}

#[test]
fn plain_structures() {
    agrees_with_the_definition(&StructureShape::default(), 300, false);
}

#[test]
fn all_completions() {
    agrees_with_the_definition(&StructureShape { states: 1..=3, ..StructureShape::default() }, 120, true);
}

#[test]
fn fair_structures() {
    agrees_with_the_definition(&StructureShape { fairness: 2, density: 50, ..StructureShape::default() }, 300, false);
}
