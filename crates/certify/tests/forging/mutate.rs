//! How documents are changed: every field to every other value of its kind, lists made shorter, longer and disordered, parts taken
//! from elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tertium_testkit::Rng;

/// At most so many different values of one field are kept.
const MOST_OF_A_FIELD: usize = 40;

/// Words that documents of a model may use: what stands in fields of its certificates, and names from every namespace.
#[derive(Default)]
pub struct Pool {
    fields: BTreeMap<String, Vec<Value>>,
    states: BTreeSet<String>,
    terms: BTreeSet<String>,
}

/// What fields of these names hold.
const WORDS: [(&str, &[&str]); 4] = [
    ("value", &["true", "false", "unknown", "both"]),
    ("logic", &["pml", "ctl", "ctl*", "ltl", "mu"]),
    ("deadlock", &["mu", "maximal", "total", "forbid"]),
    ("linear", &["bg", "bg-total", "hyper", "tg", "tg-pnf"]),
];

/// Terms that are no predicates over cells, or say nothing.
const TERMS: [&str; 14] = [
    "true",
    "false",
    "0",
    "1",
    "(- 1)",
    "|?0|",
    "|?1|",
    "(= 0 |?0|)",
    "|!deadlock|",
    "(not |!deadlock|)",
    "#0",
    "#1",
    "|$@P|",
    "(ite (= 0 |?0|) 0 1)",
];

/// Whether terms over cells stand in a field of this name.
fn holds_terms(key: &str) -> bool {
    matches!(key, "shared[]" | "always[]" | "predicates[]" | "terms[]" | "cells[]")
}

impl Pool {
    /// Takes in what stands in a document.
    pub fn learn(&mut self, document: &Value) {
        self.learn_at("document", document);
    }

    /// Names of states that are there without any document.
    pub fn learn_states(&mut self, names: impl Iterator<Item = String>) {
        self.states.extend(names);
    }

    fn learn_at(&mut self, key: &str, value: &Value) {
        let known = self.fields.entry(key.to_owned()).or_default();
        if known.len() < MOST_OF_A_FIELD && !known.contains(value) {
            known.push(value.clone());
        }
        match value {
            Value::Array(items) => {
                let inner = format!("{key}[]");
                items.iter().for_each(|item| self.learn_at(&inner, item));
            }
            Value::Object(fields) => fields.iter().for_each(|(name, item)| self.learn_at(name, item)),
            Value::String(text) if key == "state" || key == "into[]" => {
                self.states.insert(text.clone());
            }
            Value::String(text) if holds_terms(key) => {
                self.terms.insert(text.clone());
            }
            _ => {}
        }
    }

    /// Everything that may stand in place of a value in a field.
    pub fn others(&self, key: &str, value: &Value) -> Vec<Value> {
        let mut others = match value {
            Value::Bool(truth) => vec![json!(!truth)],
            Value::Null => vec![json!(0), json!(1), json!(2)],
            Value::Number(number) => numbers(number.as_i64().unwrap_or(0)),
            Value::String(text) => self.texts(key, text),
            Value::Array(items) => lists(items),
            Value::Object(fields) => {
                let without = |name: &String| {
                    let mut fewer = fields.clone();
                    fewer.remove(name);
                    Value::Object(fewer)
                };
                fields.keys().map(without).collect()
            }
        };
        if key == "proof" {
            others.extend(self.proofs());
        }
        if key == "by" || (key == "claims[]" && value.get("by").is_none()) {
            others.extend(self.choices(key, value));
        }
        others.extend(self.fields.get(key).into_iter().flatten().cloned());
        others.retain(|other| other != value);
        others
    }

    fn texts(&self, key: &str, text: &str) -> Vec<Value> {
        if let Some((_, words)) = WORDS.iter().find(|(name, _)| *name == key) {
            return words.iter().map(|word| json!(word)).collect();
        }
        if matches!(key, "cube" | "labels[]") && text.chars().all(|mark| "TF?".contains(mark)) {
            return marks(text);
        }
        if holds_terms(key) {
            let own = self.terms.iter().map(|term| json!(term));
            let changed =
                [format!("(not {text})"), format!("(- {text})"), format!("(+ {text} 1)"), format!("(or {text} true)")];
            return own
                .chain(TERMS.iter().map(|term| json!(term)))
                .chain(changed.iter().map(|term| json!(term)))
                .collect();
        }
        if key == "formula" || key == "text" {
            return ["true", "false", "G true", "true }\nactive proctype Evil() { skip }\nltl q { true"]
                .iter()
                .map(|text| json!(text))
                .collect();
        }
        if key == "model" {
            return Vec::new();
        }
        self.states.iter().map(|name| json!(name)).collect()
    }

    /// A proof of every kind that says next to nothing.
    fn proofs(&self) -> Vec<Value> {
        let mut proofs = vec![
            json!("no-path"),
            json!("no-word"),
            json!({"claims": []}),
            json!({"labels": []}),
            json!({"refuted": []}),
            json!({"outplayed": []}),
            json!({"lasso": {"stem": [], "cycle": []}}),
            json!({"plays": {"positions": [], "moves": []}}),
            json!({"settled": {"positions": [], "moves": []}}),
        ];
        for state in self.states.iter().take(6) {
            proofs.push(json!({"lasso": {"stem": [], "cycle": [state]}}));
            proofs.push(json!({"lasso": {"stem": [state], "cycle": []}}));
            proofs.push(json!({"plays": {"positions": [[state, 0]], "moves": [[]]}}));
            proofs.push(json!({"plays": {"positions": [[state, 0]], "moves": [[0]]}}));
            proofs.push(json!({"settled": {"positions": [[state, 0]], "moves": [[]]}}));
            proofs.push(json!({"settled": {"positions": [[state, 0]], "moves": [[[]]]}}));
            proofs.push(json!({"settled": {"positions": [[state, 0]], "moves": [[[0], [0]]]}}));
            proofs.push(json!({"refuted": [{"state": state, "terms": [], "watched": [], "rank": 0}]}));
            proofs.push(json!({"outplayed": [{"states": [state], "terms": [], "watched": [], "moves": [[0, []]]}]}));
            proofs.push(json!({"outplayed": [{"states": [state], "terms": [], "watched": [], "moves": []}]}));
            proofs.push(json!({"outplayed": [{"states": [], "terms": [0], "watched": [], "moves": [[0, [0]]]}]}));
            for node in 0..4 {
                for is in [true, false] {
                    proofs.push(json!({"claims": [{"state": state, "node": node, "is": is}]}));
                    proofs.push(json!({"refuted": [{"state": state, "terms": [[node, is]], "watched": [[node, is]], "rank": 0}]}));
                }
                proofs.push(json!({"labels": [{"node": node, "true": [state], "false": []}]}));
                proofs.push(json!({"outplayed": [{"states": [state], "terms": [node], "watched": [{"name": 0, "threads": [[node, 1]]}], "moves": [[0, [0]]]}]}));
            }
        }
        proofs
    }

    fn choices(&self, key: &str, value: &Value) -> Vec<Value> {
        let mut choices = vec![json!("onward"), json!({"into": []})];
        choices.extend((0..4).map(|operand| json!({"operand": operand})));
        choices.extend(self.states.iter().take(6).map(|state| json!({"into": [state]})));
        if key == "by" {
            return choices;
        }
        let with = |choice: Value| {
            let mut claim = value.clone();
            claim["by"] = choice;
            claim
        };
        choices.into_iter().map(with).collect()
    }

    /// A proof that claims much: whatever a forger may hope to be closed.
    pub fn bold_proof(&self, rng: &mut Rng) -> Value {
        let states: Vec<&String> = self.states.iter().take(12).collect();
        if states.is_empty() {
            return json!("no-path");
        }
        let nodes = 1 + rng.below(8);
        let some = |rng: &mut Rng| -> Vec<String> {
            let chance = 30 + 40 * rng.below(2);
            states.iter().filter(|_| rng.chance(chance)).map(|name| (*name).clone()).collect()
        };
        match rng.below(6) {
            0 | 1 => {
                let mut claims = Vec::new();
                let (kept, positive) = (50 + rng.below(51), rng.chance(50));
                for state in &states {
                    for node in 0..nodes {
                        if !rng.chance(kept) {
                            continue;
                        }
                        let is = if rng.chance(15) { !positive } else { positive };
                        let mut claim = json!({"state": state, "node": node, "is": is});
                        match rng.below(5) {
                            0 => claim["by"] = json!({"operand": rng.below(2)}),
                            1 => claim["by"] = json!("onward"),
                            2 => claim["by"] = json!({"into": some(rng)}),
                            3 => claim["by"] = json!({"into": [*rng.pick(&states)]}),
                            _ => {}
                        }
                        claims.push(claim);
                    }
                }
                json!({ "claims": claims })
            }
            2 => {
                let label = |rng: &mut Rng, node: usize| json!({"node": node, "true": some(rng), "false": some(rng)});
                json!({"labels": (0..nodes).map(|node| label(rng, node)).collect::<Vec<_>>()})
            }
            3 => json!({"lasso": {"stem": some(rng), "cycle": some(rng)}}),
            4 => {
                let count = 1 + rng.below(4);
                let positions: Vec<Value> = (0..count).map(|_| json!([*rng.pick(&states), rng.below(3)])).collect();
                let moves = |rng: &mut Rng| -> Vec<usize> { (0..rng.below(3)).map(|_| rng.below(count)).collect() };
                if rng.chance(50) {
                    let moves: Vec<_> = (0..count).map(|_| moves(rng)).collect();
                    json!({"plays": {"positions": positions, "moves": moves}})
                } else {
                    let ways = 1 << rng.below(2);
                    let moves: Vec<Vec<_>> = (0..count).map(|_| (0..ways).map(|_| moves(rng)).collect()).collect();
                    json!({"settled": {"positions": positions, "moves": moves}})
                }
            }
            _ => {
                let terms = |rng: &mut Rng| -> Vec<Value> {
                    (0..rng.below(3)).map(|_| json!([rng.below(nodes), rng.chance(50)])).collect()
                };
                let claim = |rng: &mut Rng, state: &String| {
                    let terms = terms(rng);
                    let watched = if rng.chance(50) { terms.clone() } else { Vec::new() };
                    json!({"state": state, "terms": terms, "watched": watched, "rank": rng.below(3)})
                };
                json!({"refuted": states.iter().map(|&state| claim(rng, state)).collect::<Vec<_>>()})
            }
        }
    }
}

fn numbers(number: i64) -> Vec<Value> {
    let mut found: BTreeSet<i64> = [0, 1, 2, 3, 7, -1, 4_294_967_295].into();
    found.extend([number - 1, number + 1, number + 2, -number]);
    found.remove(&number);
    found.into_iter().map(|number| json!(number)).chain([Value::Null]).collect()
}

/// A list of marks with one changed, one missing, one more.
fn marks(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for (at, mark) in text.char_indices() {
        for other in "TF?".chars().filter(|other| *other != mark) {
            found.push(format!("{}{other}{}", &text[..at], &text[at + 1..]));
        }
        found.push(format!("{}{}", &text[..at], &text[at + 1..]));
    }
    found.push(format!("{text}?"));
    found.push("?".repeat(text.len()));
    found.into_iter().map(Value::String).collect()
}

fn lists(items: &[Value]) -> Vec<Value> {
    let mut found = vec![json!([])];
    for at in 0..items.len().min(12) {
        let mut fewer = items.to_vec();
        let item = fewer.remove(at);
        found.push(Value::Array(fewer));
        let mut more = items.to_vec();
        more.insert(at, item);
        found.push(Value::Array(more));
        found.push(json!([items[at]]));
        if at > 0 {
            let mut swapped = items.to_vec();
            swapped.swap(at - 1, at);
            found.push(Value::Array(swapped));
        }
    }
    found
}

/// A place in a document: a JSON pointer, and the name of the field.
pub type Site = (String, String);

/// All places of a document.
pub fn sites(document: &Value) -> Vec<Site> {
    let mut found = Vec::new();
    collect(document, String::new(), "document".to_owned(), &mut found);
    found
}

fn collect(value: &Value, pointer: String, key: String, found: &mut Vec<Site>) {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                collect(item, format!("{pointer}/{at}"), format!("{key}[]"), found);
            }
        }
        Value::Object(fields) => {
            for (name, item) in fields {
                let escaped = name.replace('~', "~0").replace('/', "~1");
                collect(item, format!("{pointer}/{escaped}"), name.clone(), found);
            }
        }
        _ => {}
    }
    if !pointer.is_empty() {
        found.push((pointer, key));
    }
}

/// Changes one place at random.
pub fn change(document: &mut Value, pool: &Pool, rng: &mut Rng) {
    let sites = sites(document);
    if sites.is_empty() {
        return;
    }
    let (pointer, key) = rng.pick(&sites).clone();
    let Some(place) = document.pointer_mut(&pointer) else { return };
    let others = pool.others(&key, place);
    if !others.is_empty() {
        *place = rng.pick(&others).clone();
    }
}

/// Makes all parts claim a value.
pub fn claim(document: &mut Value, value: &str) {
    for pointer in ["/parts", "/counted/shown/0/certificate/parts"] {
        for part in document.pointer_mut(pointer).and_then(Value::as_array_mut).into_iter().flatten() {
            part["value"] = json!(value);
        }
    }
    for pointer in ["/invariant", "/counted/shown/0/certificate/invariant"] {
        if let Some(invariant) = document.pointer_mut(pointer) {
            invariant["value"] = json!(value);
        }
    }
}
