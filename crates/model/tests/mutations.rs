//! Thousands of broken inputs: no panic, no hang, every refusal has a message, nearly every message a place.
//!
//! `TERTIUM_CASES` multiplies the number of inputs.

use tertium_base::{Budget, render::render};
use tertium_model::{Format, read_bytes};
use tertium_testkit::{Rng, corpus, for_random_cases};

/// Refusals that are about the input as a whole.
const WITHOUT_PLACE: [&str; 8] = ["E0200", "E0211", "E0213", "E0215", "E0217", "E0219", "E0220", "W0201"];

const LINES: &str = "# all statements\nprops p, q\nactions go, \"a b\"\nstate a  p: t, q: ?\nstate b  p: f\nstate \"c d\"\n\
    init a, b\na -must-> b\nb -may:go-> a\na -mustonly-> a\na -hyper-> {a, \"c d\"}\nb -hyperonly:go-> {a,\n b}\nmixed\n\
    fair {a -> b, b -go-> a}\nfair {a -> b} certain {}\nproperty x : ctl AG p # note\nproperty y : [mu] mu X. <>X\n";
const PARAMS: &str =
    "params x1, x2\nstate a p: x1 & !x2\nstate b p: (x1 | x2)\na -[x1]-> b\nb -must-> b\na -[!x1]-> a\ninit a\ntotal\n";
const LATTICE: &str = "lattice Mine {\n elements o, a, b, i\n order o < a < i, o < b < i\n neg o: i, i: o, a: b, b: a\n}\n\
    state s p: a\nstate t p: i\ns -[b]-> t\nt -[i]-> s\ninit s\n";

fn seeds() -> Vec<(Format, Vec<u8>)> {
    let mut seeds: Vec<(Format, Vec<u8>)> =
        [LINES, PARAMS, LATTICE].into_iter().map(|text| (Format::Kmts, text.as_bytes().to_vec())).collect();
    let vectors = corpus::vectors();
    for vector in vectors.iter().step_by(9).filter(|vector| vector["model"].is_object()) {
        seeds.push((Format::Json, vector["model"].to_string().into_bytes()));
    }
    let all = r#"{"states":{"a":{"p":"t"},"b":{"p":"\u00e9"}},"props":["p"],"actions":["x"],"must":[["a","b","x"]],"may":[["a","b"]],
        "hyper":[["a",["a","b"],"x"]],"fair":[[["a","b"]],{"possible":[["a","b"]],"certain":[]}],"total":true,"mixed":false,
        "init":["a"],"params":["x1"],"edges":[["a","x1","b"]],"lattice":"K3","elements":["f","u","t"],"leq":[["f","u"]],
        "covers":[],"neg":{"f":"t"},"properties":["AG p",{"name":"n","logic":"ltl","formula":"G p"}],"model":{}}"#;
    seeds.push((Format::Json, all.as_bytes().to_vec()));
    seeds
}

fn mutate(rng: &mut Rng, text: &mut Vec<u8>) {
    const PIECES: [&[u8]; 20] = [
        b"\"", b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\n", b"\0", b"\xff", b"\xc3", b"-", b"->", b"1e9", b"NaN",
        b"null", b"\\ud800", b"#", b"\"a\"",
    ];
    let at = rng.below(text.len() + 1);
    match rng.below(6) {
        0 => text.truncate(at),
        1 => {
            let piece = *rng.pick(&PIECES);
            text.splice(at..at, piece.iter().copied());
        }
        2 if at < text.len() => text[at] = rng.next_u64().to_le_bytes()[0],
        3 if at < text.len() => {
            let end = (at + 1 + rng.below(12)).min(text.len());
            text.drain(at..end);
        }
        4 => {
            let (from, len) = (rng.below(text.len() + 1), rng.below(40));
            let copied = text[from..(from + len).min(text.len())].to_vec();
            text.splice(at..at, copied);
        }
        _ => {
            let repeated = rng.pick(&PIECES).repeat(1 + rng.below(2000));
            text.splice(at..at, repeated);
        }
    }
}

#[test]
fn broken_inputs_are_refused_with_messages() {
    let seeds = seeds();
    for_random_cases(4000, |case| {
        let (format, seed) = case.rng.pick(&seeds);
        let mut text = seed.clone();
        for _ in 0..1 + case.rng.below(4) {
            mutate(&mut case.rng, &mut text);
        }
        case.keep("input", String::from_utf8_lossy(&text));
        let loaded = read_bytes("input", *format, &text, &Budget::unlimited()).expect("no limit");
        let refused = loaded.diagnostics.iter().any(tertium_base::Diagnostic::is_error);
        assert_eq!(loaded.model.is_none(), refused, "{:?}", loaded.diagnostics);
        for (diagnostic, source) in loaded.messages() {
            let placed = diagnostic.primary.is_some() || WITHOUT_PLACE.contains(&diagnostic.code);
            assert!(placed, "no place: {diagnostic:?}");
            assert_eq!(diagnostic.primary.is_some(), source.is_some(), "{diagnostic:?}");
            if let Some(label) = &diagnostic.primary {
                assert!(label.span.start <= text.len(), "{diagnostic:?}");
            }
            assert!(render(diagnostic, source, false).contains(diagnostic.code));
        }
    });
}

/// Hands out a few bytes at a time, so that every token is cut by the end of the window somewhere.
struct Trickle<'a>(&'a [u8], usize);

impl std::io::Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn how_the_input_arrives_does_not_matter() {
    let seeds = seeds();
    for_random_cases(1500, |case| {
        let (format, seed) = case.rng.pick(&seeds);
        let mut text = seed.clone();
        if case.rng.chance(50) {
            mutate(&mut case.rng, &mut text);
        }
        case.keep("input", String::from_utf8_lossy(&text));
        let whole = tertium_model::read_stream("input", *format, &text[..], &Budget::unlimited()).unwrap();
        let step = 1 + case.rng.below(7);
        let pieces = tertium_model::read_stream("input", *format, Trickle(&text, step), &Budget::unlimited()).unwrap();
        assert_eq!(whole.model, pieces.model);
        assert_eq!(whole.diagnostics, pieces.diagnostics);
    });
}
