//! Certificate files: round trips, located mistakes, and texts that are damaged at random.

mod common;

use std::collections::BTreeMap;

use common::{branching, claim, formula, linear, model, state, states};
use tertium_base::Budget;
use tertium_evidence::{
    Certificate, CertificatePlace, Fingerprint, LinearReading, Proof, read_document, write_document,
};
use tertium_kernel::check_certificate;
use tertium_logic::{Logic, NodeId};
use tertium_model::Kmts;
use tertium_testkit::for_random_cases;

fn fork() -> Kmts {
    model("a: p=t q=f; b \"x\": p=t q=t; c\u{e9}: p=u q=t; a => a; b \"x\": p=t q=t; c\u{e9} -> a")
}

/// One certificate of each kind; not all of them prove what they say.
fn samples(model: &Kmts) -> Vec<Certificate> {
    let text = "EF q | !p";
    let parsed = formula(text, Logic::Ctl);
    let lines = ["a # EF q | !p # t # 0", "a # EF q # t # into a c\u{e9}", "a # p # f # -", "a # EF q # f # onward"];
    let claims = lines.iter().map(|line| claim(model, &parsed, line)).collect();
    let a = state(model, "a");
    vec![
        branching(model, text, Logic::Ctl, "a", true).certificate(Proof::Claims(claims)),
        linear(model, "G p", LinearReading::BgTotal, "a", true).certificate(Proof::NoPath),
        linear(model, "G \"p\"", LinearReading::Tg, "a", false)
            .certificate(Proof::Lasso { stem: vec![], cycle: states(model, "a c\u{e9}") }),
        linear(model, "G p", LinearReading::Hyper, "a", false)
            .certificate(Proof::Plays { positions: vec![(a, 0), (a, 3)], moves: vec![vec![1, 0], vec![]] }),
        branching(model, "A G p", Logic::CtlStar, "a", true).certificate(Proof::Labels(vec![(
            NodeId::new(2),
            vec![a],
            vec![],
        )])),
    ]
}

fn written(parts: &[(CertificatePlace, &Kmts, &Certificate)]) -> String {
    let mut bytes = Vec::new();
    write_document(&mut bytes, parts).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn what_is_written_is_read() {
    let model = fork();
    let samples = samples(&model);
    let places = [
        CertificatePlace::Whole,
        CertificatePlace::Assignment(BTreeMap::from([("x\"1".to_owned(), true), ("y".to_owned(), false)])),
        CertificatePlace::Element("half".to_owned()),
        CertificatePlace::Whole,
        CertificatePlace::Whole,
    ];
    let parts: Vec<_> = places.iter().cloned().zip(&samples).map(|(place, one)| (place, &model, one)).collect();
    let text = written(&parts);
    let document = read_document(&text).unwrap();
    assert_eq!(document.parts.len(), samples.len());
    for ((part, sample), place) in document.parts.iter().zip(&samples).zip(&places) {
        assert_eq!(part.certificate_for(&model, &text).unwrap(), *sample, "{text}");
        assert_eq!(part.place(), place);
        assert_eq!((part.formula(), part.logic(), part.value()), (sample.formula.as_str(), sample.logic, sample.value));
    }
}

#[test]
fn the_format_is_what_the_documentation_says() {
    let model = model("idle: ready=f; busy: ready=f; done: ready=t; idle => busy; busy => done; done => done");
    let text = "EF ready";
    let parsed = formula(text, Logic::Ctl);
    let lines = [
        "idle # EF ready # t # into busy",
        "busy # EF ready # t # into done",
        "done # EF ready # t # 0",
        "done # ready # t # -",
    ];
    let claims = lines.iter().map(|line| claim(&model, &parsed, line)).collect();
    let certificate = branching(&model, text, Logic::Ctl, "idle", true).certificate(Proof::Claims(claims));
    let written = written(&[(CertificatePlace::Whole, &model, &certificate)]);
    let guide = include_str!("../../../docs/certificates.md");
    assert!(guide.contains(&written), "docs/certificates.md should show\n{written}");
    check_certificate(&model, &certificate, &Budget::unlimited()).unwrap();
}

#[track_caller]
fn refused(text: &str, code: &str, place: &str, words: &str) {
    let diagnostic = read_document(text).unwrap_err();
    assert_eq!(diagnostic.code, code, "{diagnostic:?}");
    assert!(diagnostic.message.contains(words), "`{}` does not say `{words}`", diagnostic.message);
    let span = diagnostic.primary.as_ref().unwrap().span;
    assert!(text[span.start..].starts_with(place), "at `{}`, not at `{place}`", &text[span.start..]);
}

#[test]
fn mistakes_are_located() {
    let model = model("a: p=t; a => a");
    let good = written(&[(
        CertificatePlace::Whole,
        &model,
        &linear(&model, "G p", LinearReading::Bg, "a", true).certificate(Proof::NoPath),
    )]);
    refused("", "E0601", "", "EOF");
    refused("{}", "E0601", "}", "missing field `tertium_certificate`");
    refused("[1, 2]", "E0601", "", "not a certificate");
    refused(&"[".repeat(100_000), "E0601", "[", "not a certificate");
    refused("{\"tertium_certificate\": 2}", "E0601", "\"tertium_certificate\"", "it has no parts");
    refused("{\"tertium_certificate\": 1, \"pieces\": 7}", "E0602", "\"tertium_certificate\"", "version 1");
    refused(&good.replace("\"ltl\"", "\"lt\""), "E0601", "\"lt\"", "`lt` is no logic");
    refused(&good.replace("\"mu\"", "\"nu\""), "E0601", "\"nu\"", "`nu` is no reading of deadlocks");
    refused(&good.replace("\"bg\"", "\"gb\""), "E0601", "\"gb\"", "`gb` is no reading of linear formulas");
    refused(&good.replace("\"true\"", "\"unknown\""), "E0610", "\"value\"", "not `unknown`");
    refused(&good.replace("fnv1a128:", "md5:"), "E0601", "\"md5:", "no fingerprint");
    refused(&good.replace("\"no-path\"", "\"no-way\""), "E0601", "\"", "unknown variant `no-way`");
    refused(&good.replace("\"logic\"", "\"logik\""), "E0601", "\"", "unknown field `logik`");
}

#[test]
fn a_certificate_for_another_model_is_refused() {
    let first = model("a: p=t; a => a");
    let second = model("a: p=t; a -> a");
    let text = written(&[(
        CertificatePlace::Whole,
        &first,
        &linear(&first, "G p", LinearReading::Bg, "a", true).certificate(Proof::NoPath),
    )]);
    let part = &read_document(&text).unwrap().parts[0];
    part.certificate_for(&first, &text).unwrap();
    let refusal = part.certificate_for(&second, &text).unwrap_err().remove(0);
    assert_eq!(refusal.code, "E0603");
    assert!(refusal.notes[0].contains(&Fingerprint::of(&second).to_string()));
    let span = refusal.primary.unwrap().span;
    assert!(text[span.start..span.end].contains(&Fingerprint::of(&first).to_string()));
}

#[test]
fn unknown_and_ambiguous_names_are_all_reported() {
    let model = model("a: p=t; b: p=t; a => b; b => a");
    let lasso = Proof::Lasso { stem: vec![], cycle: states(&model, "a b") };
    let text = written(&[(
        CertificatePlace::Whole,
        &model,
        &linear(&model, "G !p", LinearReading::Bg, "a", false).certificate(lasso),
    )]);
    let wrong = text.replace("\"cycle\": [\"a\", \"b\"]", "\"cycle\": [\"x\", \"y\", \"x\"]");
    let found = read_document(&wrong).unwrap().parts[0].certificate_for(&model, &wrong).unwrap_err();
    let messages: Vec<_> = found.iter().map(|diagnostic| (diagnostic.code, diagnostic.message.as_str())).collect();
    assert_eq!(
        messages,
        [("E0604", "no state of the model is named `x`"), ("E0604", "no state of the model is named `y`")]
    );
    let mut twins = tertium_model::KmtsBuilder::new();
    let first = twins.add_state("a");
    twins.add_state("a");
    twins.add_edge(first, first, true, true, None);
    let twins = twins.finish().unwrap();
    let certificate =
        Certificate { state: first, ..linear(&model, "G !p", LinearReading::Bg, "a", true).certificate(Proof::NoPath) };
    let text = written(&[(CertificatePlace::Whole, &twins, &certificate)]);
    let found = read_document(&text).unwrap().parts[0].certificate_for(&twins, &text).unwrap_err();
    assert_eq!(found[0].message, "several states of the model are named `a`");
}

#[test]
fn damaged_texts_are_refused_without_panic() {
    let model = fork();
    let samples = samples(&model);
    let texts: Vec<String> = samples.iter().map(|one| written(&[(CertificatePlace::Whole, &model, one)])).collect();
    for_random_cases(4000, |case| {
        let mut bytes = case.rng.pick(&texts).clone().into_bytes();
        for _ in 0..case.rng.between(&(1..=4)) {
            damage(&mut bytes, &mut case.rng);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        case.keep("damaged.json", text.as_str());
        match read_document(&text) {
            Err(diagnostic) => assert!(diagnostic.primary.is_some() && diagnostic.code.starts_with("E06")),
            Ok(document) => {
                for part in &document.parts {
                    if let Ok(certificate) = part.certificate_for(&model, &text) {
                        let _ = check_certificate(&model, &certificate, &Budget::unlimited());
                    }
                }
            }
        }
    });
}

fn damage(bytes: &mut Vec<u8>, rng: &mut tertium_testkit::Rng) {
    if bytes.is_empty() {
        return;
    }
    let at = rng.below(bytes.len());
    let end = (at + rng.below(30)).min(bytes.len());
    match rng.below(5) {
        0 => drop(bytes.drain(at..end)),
        1 => bytes[at] = u8::try_from(rng.below(256)).unwrap(),
        2 => bytes.truncate(at),
        3 => {
            let copy = bytes[at..end].to_vec();
            let to = rng.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        // Digits hide most of the numbers that a checker must not trust.
        _ => {
            let digits: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
            if !digits.is_empty() {
                bytes[*rng.pick(&digits)] = b'0' + u8::try_from(rng.below(10)).unwrap();
            }
        }
    }
}
