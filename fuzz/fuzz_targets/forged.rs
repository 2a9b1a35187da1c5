//! An honest certificate of a small model with some changes: what is accepted is so, by `check` and by the values of the model's graph.
//!
//! The input says which certificate is taken, what it is made to be about, and then, eight bytes each, what is changed: so that whatever leads further into the
//! kernel is kept, and changed further.
#![no_main]

#[path = "../../crates/certify/tests/common/mod.rs"]
mod common;
#[path = "../../crates/certify/tests/forging/honest.rs"]
mod honest;
#[path = "../../crates/certify/tests/forging/models.rs"]
mod models;
#[path = "../../crates/certify/tests/forging/mutate.rs"]
#[allow(dead_code, reason = "fields are changed at random only")]
mod mutate;

use libfuzzer_sys::fuzz_target;
use tertium_certify::Request;
use tertium_testkit::Rng;

use common::{Victim, retarget};
use honest::{Effort, Material};
use mutate::{Pool, change, claim};

/// Structures of each kind, and programs whose proofs need no solver.
const TAKEN: [&str; 8] = [
    "plain.kmts",
    "hyper.kmts",
    "fair.kmts",
    "mixed.kmts",
    "actions.kmts",
    "labelled.pml",
    "claimed.pml",
    "matched.pml",
];
/// More changes leave nothing of a certificate.
const MOST_CHANGES: usize = 6;

struct Attacked {
    material: Material,
    questions: Vec<String>,
    pool: Pool,
}

fn attacked() -> Vec<Attacked> {
    let taken = models::MODELS.iter().filter(|(name, _)| TAKEN.contains(name));
    let attacked = taken.map(|(name, text)| {
        let victim = Victim::read(name, text, &[]).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        let questions = victim.questions();
        let material = Material::of(victim, Effort::One(0));
        let mut pool = Pool::default();
        material.honest.iter().for_each(|honest| pool.learn(&honest.document));
        Attacked { material, questions, pool }
    });
    attacked.filter(|attacked| !attacked.material.honest.is_empty()).collect()
}

thread_local! {
    static ATTACKED: Vec<Attacked> = attacked();
}

fuzz_target!(|data: &[u8]| {
    let Some((&[model, honest, question, value, asking], changes)) = data.split_first_chunk::<5>() else { return };
    ATTACKED.with(|all| {
        let one = &all[usize::from(model) % all.len()];
        let honest = &one.material.honest[usize::from(honest) % one.material.honest.len()];
        let mut document = honest.document.clone();
        let question = match question {
            0..128 => &honest.question,
            other => &one.questions[usize::from(other) % one.questions.len()],
        };
        if *question != honest.question {
            retarget(&one.material.victim, &mut document, question);
        }
        if let 128.. = value {
            claim(&mut document, ["true", "false", "unknown", "both"][usize::from(value) % 4]);
        }
        let asking = if asking < 192 { honest.asking } else { usize::from(asking) % one.material.askings.len() };
        for eight in changes.chunks_exact(8).take(MOST_CHANGES) {
            let seed = eight.iter().fold(0, |seed: u64, &byte| seed << 8 | u64::from(byte));
            change(&mut document, &one.pool, &mut Rng::new(seed));
        }
        let asked = &one.material.askings[asking];
        let request = Request { only: vec![question.clone()], ..asked.request.clone() };
        one.material.victim.refit(&mut document, &request, question);
        for finding in one.material.victim.findings(&document, &request) {
            let known = finding.is_proved() && !asked.open.contains(&finding.name);
            let so = asked.allows(&finding.name, &finding.value);
            assert!(!known || so, "{finding:?} is accepted\n{request:?}\n{}\n{document}", one.material.victim.text);
        }
    });
});
