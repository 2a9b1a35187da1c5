//! Structures as NuSMV reads them: the text is taken apart again, by code of its own, and has the same values.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::Budget;
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::export::smv::structure_text;
use tertium_driver::input::{Loaded, from_text};
use tertium_driver::{Belnap, Formula, Kmts, Logic};
use tertium_logic::{ParseOptions, parse};
use tertium_model::{KmtsBuilder, Model, StateId};
use tertium_testkit::{FormulaShape, StructureShape, for_random_cases};

/// A module as it was written: values of `state`, definitions, initial values, steps, specifications.
#[derive(Default, Debug)]
struct Module {
    values: Vec<String>,
    definitions: BTreeMap<String, BTreeSet<String>>,
    init: BTreeSet<String>,
    steps: Vec<(String, Vec<String>)>,
    specifications: Vec<(Logic, String)>,
}

fn listed(text: &str) -> Vec<String> {
    let inside = text.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(inside, _)| inside);
    inside.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

impl Module {
    fn read(text: &str) -> Self {
        let mut module = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with("--")) {
            if let Some(values) = line.strip_prefix("state : ") {
                module.values = listed(values);
            } else if let Some(init) = line.strip_prefix("INIT ") {
                module.init = listed(init).into_iter().collect();
            } else if let Some((name, set)) = line.split_once(" := ").filter(|_| !line.contains("SPEC")) {
                let set: BTreeSet<String> = match set.split_once("!= ") {
                    Some((_, out)) => {
                        module.values.iter().filter(|value| **value != out.trim_end_matches(';')).cloned().collect()
                    }
                    None => listed(set).into_iter().collect(),
                };
                module.definitions.insert(name.to_owned(), set);
            } else if let Some((from, to)) = line.strip_prefix("state = ").and_then(|line| line.split_once(" : ")) {
                let single = || vec![to.trim_start_matches("(next(state) = ").trim_end_matches([')', ';']).to_owned()];
                module.steps.push((from.to_owned(), if to.contains('{') { listed(to) } else { single() }));
            } else if let Some((head, formula)) = line.split_once(" := ") {
                let logic = if head.starts_with("LTL") { Logic::Ltl } else { Logic::Ctl };
                let formula = formula.trim_end_matches(';').replace("TRUE", "true").replace("FALSE", "false");
                module.specifications.push((logic, formula));
            }
        }
        module
    }

    fn structure(&self) -> Kmts {
        let mut builder = KmtsBuilder::new();
        let number = |name: &str| StateId::new(self.values.iter().position(|value| value == name).expect("a value"));
        for value in &self.values {
            builder.add_state(value);
        }
        for (name, set) in &self.definitions {
            let prop = builder.add_prop(name);
            self.values
                .iter()
                .for_each(|value| builder.set_label(number(value), prop, Belnap::from(set.contains(value))));
        }
        for (from, to) in &self.steps {
            assert!(!to.is_empty(), "the relation must be total");
            to.iter().for_each(|to| builder.add_edge(number(from), number(to), true, true, None));
        }
        self.init.iter().for_each(|value| builder.add_init(number(value)));
        builder.finish().unwrap()
    }
}

fn value(loaded: &Loaded) -> Belnap {
    let budget = Budget::unlimited();
    let session = Session::new(loaded, CheckOptions::default(), &budget).unwrap();
    let parsed = session.properties(&[], &[]).unwrap_or_else(|error| panic!("{error:?}"));
    match session.check(&parsed[0], &budget, &()).unwrap().value() {
        tertium_driver::answer::Value::Belnap(value) => value,
        tertium_driver::answer::Value::Element { .. } => panic!("no lattice here"),
    }
}

fn with_formula(model: Kmts, formula: Formula) -> Loaded {
    Loaded::of_model("model", Model::Kmts(model)).with_properties(&[("f".to_owned(), formula)])
}

#[test]
fn the_module_has_the_same_values() {
    let ends = std::cell::Cell::new(0);
    for_random_cases(500, |case| {
        let shape = StructureShape { complete: true, density: *case.rng.pick(&[15, 40]), ..StructureShape::default() };
        let structure = case.structure(&shape);
        let logic = *case.rng.pick(&[Logic::Pml, Logic::Ctl, Logic::Ltl]);
        let formula = case.formula(&FormulaShape::new(logic));
        let dead = structure.states().any(|state| structure.is_dead(state));
        ends.set(ends.get() + usize::from(dead));
        let original = with_formula(structure, formula);
        let text = structure_text(&original).unwrap();
        case.keep("model.smv", text.clone());
        let module = Module::read(&text);
        let (logic, spec) = &module.specifications[0];
        let parsed = parse(spec, &ParseOptions::in_logic(*logic));
        let formula = parsed.formula.unwrap_or_else(|| panic!("{spec}: {:?}", parsed.diagnostics));
        assert_eq!(value(&with_formula(module.structure(), formula)), value(&original));
    });
    assert!(ends.get() > 50);
}

#[test]
fn names_that_are_kept_there_are_written_otherwise() {
    let text = "props next, T, state, 'x', \"a b\"\nstate self next: t, T: f, state: t, 'x': t, \"a b\": f\nstate 1 next: f, T: t, state: f, 'x': f, \"a b\": t\n\
                init self\nself -must-> 1\n1 -must-> self\nproperty count : ctl AG (next -> AX T)\nproperty count_1 : ltl G F \"a b\"\n";
    let written = structure_text(&from_text("names.kmts", text, &Budget::unlimited()).unwrap()).unwrap();
    insta::assert_snapshot!(written);
}

#[test]
fn fairness_is_over_edges() {
    let text = "props p\nstate a p: f\nstate b p: t\ninit a\na -must-> a\na -must-> b\nb -must-> a\nfair {a -> b}\nproperty comes : ltl F p\n";
    insta::assert_snapshot!(structure_text(&from_text("fair.kmts", text, &Budget::unlimited()).unwrap()).unwrap());
}

#[test]
fn what_is_open_is_refused() {
    let open = from_text("open.kmts", "state a p: ?\ninit a\na -must-> a\n", &Budget::unlimited()).unwrap();
    assert!(format!("{:?}", structure_text(&open)).contains("completions"));
}
