//! Forged certificates: whatever is accepted is true.
//!
//! Honest certificates of small models are changed, field by field and at random, and made to claim other things. The kernel may
//! accept what comes out only if the value that it says to be proved is the one that the question has ([`honest`]).
//! The short run takes samples; `make test-forged` forges many more, about random models, too.

#[path = "../common/mod.rs"]
mod common;
mod fair_completions;
mod honest;
mod models;
mod mutate;

use std::cell::Cell;
use std::io::Write;

use serde_json::Value;
use tertium_certify::Request;
use tertium_load::Loaded;
use tertium_logic::Logic;
use tertium_model::{Model, write_kmts};
use tertium_testkit::formulas::random_formula;
use tertium_testkit::structures::random_structure;
use tertium_testkit::{
    Case, FormulaShape, ProgramShape, Rng, StructureShape, for_random_cases, random_program, random_promela,
};

use common::{LoadedModel, Victim, retarget};
use honest::{Effort, Material};
use mutate::{Pool, change, claim, sites};

/// How many certificates were forged, and what became of them.
#[derive(Default)]
struct Tally {
    forged: Cell<usize>,
    refused: Cell<usize>,
    accepted: Cell<usize>,
    open: Cell<usize>,
}

impl Tally {
    fn tell(&self, what: &str) {
        let line = format!(
            "{what}: {} forged, {} refused, {} accepted with a true claim, {} about what nobody knows\n",
            self.forged.get(),
            self.refused.get(),
            self.accepted.get(),
            self.open.get()
        );
        let _ = std::io::stdout().write_all(line.as_bytes());
    }
}

fn more(count: &Cell<usize>) {
    count.set(count.get() + 1);
}

/// A model under attack.
struct Attack<'t> {
    material: Material,
    questions: Vec<String>,
    pool: Pool,
    tally: &'t Tally,
}

impl<'t> Attack<'t> {
    fn on(material: Material, tally: &'t Tally) -> Self {
        let mut pool = Pool::default();
        for honest in &material.honest {
            pool.learn(&honest.document);
        }
        if let LoadedModel::Structure(loaded) = &material.victim.kind {
            pool.learn_states(state_names(loaded));
        }
        Self { questions: material.victim.questions(), material, pool, tally }
    }

    /// Asks the kernel about a forged document; what is wrong if it accepts something that is not so.
    fn judge(&self, document: &mut Value, asking: usize, question: &str) -> Result<(), String> {
        let asked = &self.material.askings[asking];
        let request = Request { only: vec![question.to_owned()], ..asked.request.clone() };
        self.material.victim.refit(document, &request, question);
        more(&self.tally.forged);
        let found = self.material.victim.findings(document, &request);
        let mut accepted = false;
        for finding in found.iter().filter(|finding| finding.is_proved()) {
            if asked.open.contains(&finding.name) {
                more(&self.tally.open);
                continue;
            }
            let truth = asked.truth.get(&finding.name);
            if !asked.allows(&finding.name, &finding.value) {
                return Err(format!("{finding:?} is accepted, and the value is {truth:?}\n{request:?}"));
            }
            accepted = true;
        }
        more(if accepted { &self.tally.accepted } else { &self.tally.refused });
        Ok(())
    }

    fn expect(&self, mut document: Value, asking: usize, question: &str) {
        if let Err(why) = self.judge(&mut document, asking, question) {
            panic!("{why}\n{}\n{}\n{document}", self.material.victim.name, self.material.victim.text);
        }
    }

    /// Every document about every question with every value, under every reading: a sample of `most`.
    fn claims(&self, most: usize, rng: &mut Rng) {
        let mut claims = Vec::new();
        for honest in 0..self.material.honest.len() {
            for question in &self.questions {
                for value in ["true", "false", "unknown", "both"] {
                    claims.extend((0..self.material.askings.len()).map(|asking| (honest, question, value, asking)));
                }
            }
        }
        rng.shuffle(&mut claims);
        for (honest, question, value, asking) in claims.into_iter().take(most) {
            let mut document = self.material.honest[honest].document.clone();
            retarget(&self.material.victim, &mut document, question);
            claim(&mut document, value);
            self.expect(document, asking, question);
        }
    }

    /// Each field of every document replaced by every other value: a sample of `most`.
    fn fields(&self, most: usize, rng: &mut Rng) {
        let mut changes = Vec::new();
        for (number, honest) in self.material.honest.iter().enumerate() {
            for (pointer, key) in sites(&honest.document) {
                let Some(value) = honest.document.pointer(&pointer) else { continue };
                let others = self.pool.others(&key, value).into_iter();
                changes.extend(others.map(|other| (number, pointer.clone(), other)));
            }
        }
        rng.shuffle(&mut changes);
        for (number, pointer, other) in changes.into_iter().take(most) {
            let honest = &self.material.honest[number];
            let mut document = honest.document.clone();
            let Some(place) = document.pointer_mut(&pointer) else { continue };
            *place = other;
            self.expect(document, honest.asking, &honest.question);
        }
    }

    /// A document with several changes that claims something, at random; with the reading and the question.
    fn random(&self, rng: &mut Rng) -> (Value, usize, String) {
        let honest = rng.pick(&self.material.honest);
        let mut document = honest.document.clone();
        let mut question = honest.question.clone();
        let mut asking = honest.asking;
        if rng.chance(60) {
            question = rng.pick(&self.questions).clone();
            retarget(&self.material.victim, &mut document, &question);
        }
        if rng.chance(20) {
            asking = rng.below(self.material.askings.len());
        }
        if rng.chance(60) {
            claim(&mut document, ["true", "false"][rng.below(2)]);
        }
        if rng.chance(20)
            && let Some(parts) = document.get_mut("parts").and_then(Value::as_array_mut)
        {
            let proof = self.pool.bold_proof(rng);
            parts.iter_mut().for_each(|part| part["proof"] = proof.clone());
        }
        for _ in 0..rng.below(4) {
            change(&mut document, &self.pool, rng);
        }
        (document, asking, question)
    }

    fn at_random(&self, count: usize, case: &mut Case) {
        if self.material.honest.is_empty() {
            return;
        }
        for _ in 0..count {
            let (mut document, asking, question) = self.random(&mut case.rng);
            if let Err(why) = self.judge(&mut document, asking, &question) {
                case.keep("forged.cert.json", document.to_string());
                panic!("{question}: {why}");
            }
        }
    }
}

fn state_names(loaded: &Loaded) -> impl Iterator<Item = String> + '_ {
    (0..loaded.size().0).map(|at| loaded.state_name(tertium_model::StateId::new(at)).to_owned())
}

fn material(name: &str, text: &str) -> Material {
    let victim = Victim::read(name, text, &[]).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    Material::of(victim, Effort::Every)
}

/// Attacks the models of a kind with so many claims and changed fields each.
fn attack(ending: &str, most: usize) {
    for (name, text) in models::MODELS.iter().filter(|(name, _)| name.ends_with(ending)) {
        let tally = Tally::default();
        let attack = Attack::on(material(name, text), &tally);
        assert!(!attack.material.honest.is_empty(), "nothing is proved of {name}");
        attack.claims(most, &mut Rng::new(1));
        attack.fields(most, &mut Rng::new(2));
        tally.tell(&format!("{name}, {} honest certificates", attack.material.honest.len()));
        assert!(tally.refused.get() > 0 && tally.accepted.get() > 0, "{name} is no model to attack");
    }
}

#[test]
fn programs_of_guarded_commands() {
    attack(".gcl", 100);
}

#[test]
fn models_in_promela() {
    attack(".pml", 100);
}

#[test]
fn structures() {
    attack(".kmts", 1000);
}

#[test]
fn random_structures() {
    let tally = Tally::default();
    for_random_cases(20, |case| {
        let shape = StructureShape {
            states: 1..=4,
            hyper: case.rng.chance(40),
            mixed: case.rng.chance(15),
            both_labels: case.rng.chance(10),
            fairness: if case.rng.chance(25) { 2 } else { 0 },
            actions: if case.rng.chance(25) { 2 } else { 0 },
            total: case.rng.chance(20),
            ..StructureShape::default()
        };
        let structure = random_structure(&mut case.rng, &shape);
        let mut text = Vec::new();
        write_kmts(&mut text, &Model::Kmts(structure), &[]).expect("a list of bytes takes everything");
        let mut text = String::from_utf8(text).expect("it is a text");
        for at in 0..6 {
            let logic = Logic::WITHOUT_PLAYERS[case.rng.below(Logic::WITHOUT_PLAYERS.len())];
            let actions = if matches!(logic, Logic::Pml | Logic::Mu) { shape.action_names() } else { Vec::new() };
            let wanted = FormulaShape { size: 5, actions, ..FormulaShape::new(logic) };
            let formula = random_formula(&mut case.rng, &wanted);
            text.push_str(&format!("property p{at} : [{}] {}\n", logic.name(), formula.text()));
        }
        case.keep("structure.kmts", &text);
        let Ok(victim) = Victim::read("random.kmts", &text, &[]) else { return };
        let effort = Effort::One(case.rng.below(1000));
        Attack::on(Material::of(victim, effort), &tally).at_random(150, case);
    });
    tally.tell("random structures");
}

const ASKED: &str = "
property p1 : ltl G (n < 2)
property p2 : ltl G (b -> n < 2)
property p3 : ctl AG (n = 0 || b)
property p4 : ctl EF (n = 1 && b)
property p5 : ltl F (n = 1)
property p6 : ctl AG EF (n = 0)
property p7 : ltl G F (n = 0)
property p8 : ctl AF (n = 1 || !b)
property p9 : mu nu X. (n < 3 && [] X)
";

#[test]
fn random_programs() {
    let tally = Tally::default();
    let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    for_random_cases(2, |case| {
        let mut text = random_program(&mut case.rng, &shape);
        text.push_str(if case.rng.chance(50) { "" } else { "fair P0\n" });
        text.push_str(ASKED);
        case.keep("program.gcl", &text);
        let Ok(victim) = Victim::read("random.gcl", &text, &[]) else { return };
        let effort = Effort::One(case.rng.below(1000));
        Attack::on(Material::of(victim, effort), &tally).at_random(100, case);
    });
    tally.tell("random programs");
}

#[test]
fn random_promela_models() {
    let tally = Tally::default();
    for_random_cases(1, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", &text);
        let Ok(victim) = Victim::read("random.pml", &text, &[]) else { return };
        let effort = Effort::One(case.rng.below(1000));
        Attack::on(Material::of(victim, effort), &tally).at_random(60, case);
    });
    tally.tell("random Promela models");
}
