//! Do the truth domains give the recorded answers?

use serde_json::Value;
use tertium_lattice::{Belnap, DeMorganLattice, TruthValue};
use tertium_testkit::corpus::{vectors, vectors_with_semantics};

fn strings(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

fn pairs(list: &Value) -> Vec<(String, String)> {
    list.as_array().unwrap().iter().map(|pair| (strings(pair)[0].clone(), strings(pair)[1].clone())).collect()
}

fn table(map: &Value) -> Vec<(String, String)> {
    map.as_object().unwrap().iter().map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned())).collect()
}

#[test]
fn join_irreducibles_and_stars() {
    for vector in vectors_with_semantics("join-irreducibles") {
        let name = vector["id"].as_str().unwrap().strip_prefix("lat.J.").unwrap();
        let written =
            DeMorganLattice::new(&strings(&vector["elements"]), &pairs(&vector["leq"]), &table(&vector["neg"]))
                .unwrap();
        let built_in = DeMorganLattice::built_in(name).unwrap();
        assert_eq!(written, built_in, "{name}");
        let irreducibles: Vec<&str> = written.join_irreducibles().iter().map(|&j| written.name(j)).collect();
        assert_eq!(irreducibles, strings(&vector["expected"]["J"]), "{name}");
        for (j, star) in table(&vector["expected"]["star"]) {
            assert_eq!(written.name(written.star(written.element(&j).unwrap())), star, "{name}: star of {j}");
        }
    }
}

#[test]
fn elements_of_named_lattices_in_structures() {
    for vector in vectors_with_semantics("lattice") {
        let model = &vector["model"];
        let lattice = DeMorganLattice::built_in(model["lattice"].as_str().unwrap()).unwrap();
        assert_eq!(lattice.names(), strings(&model["elements"]), "{}", vector["id"]);
    }
}

#[test]
fn information_meet_and_join() {
    let value = |name: &Value| *Belnap::ALL.iter().find(|value| value.letter() == name.as_str().unwrap()).unwrap();
    let recorded: Vec<Value> =
        vectors().into_iter().filter(|vector| vector["id"].as_str().unwrap().starts_with("bilattice.")).collect();
    assert!(!recorded.is_empty());
    for vector in recorded {
        let (a, b) = (value(&vector["operands"][0]), value(&vector["operands"][1]));
        assert_eq!(a.consensus(b), value(&vector["expected"]["meet"]), "{}", vector["id"]);
        assert_eq!(a.accumulate(b), value(&vector["expected"]["join"]), "{}", vector["id"]);
    }
}
