//! A model in memory whose certificates are attacked: the kernel's findings about it, and fingerprints that fit.
//!
//! A fingerprint guards against mix-ups, not against forgery: whoever forges computes it. So do these tests, so that no forgery is refused
//! for so little ([`Victim::refit`]).
#![allow(dead_code, reason = "not every test that shares this uses all of it")]

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use tertium_base::Budget;
use tertium_certify::{Decider, Request};
use tertium_evidence::{Document, Fingerprint, read_document};
use tertium_gcl::Addition;
use tertium_gcl::parameterised::{Purpose, compile};
use tertium_kernel::Finding;
use tertium_kernel::obligations::ProofObligations;
use tertium_kernel::programs::question::{Settings, Subject};
use tertium_kernel::programs::{self, lines};
use tertium_kernel::structures;
use tertium_load::program::{Extras, Language, from_text_with};
use tertium_load::questions::{Mistake, Question, questions};
use tertium_load::sizes::asked_of;
use tertium_load::{Failure, Loaded, ProgramFile, cuts, promela};
use tertium_logic::Logic;
use tertium_model::{Kmts, Model};

/// Looks at the budget after which a certificate is not looked at any further.
pub const MOST_EFFORT: u64 = 200_000;

/// What a model is read as.
pub enum LoadedModel {
    /// A program.
    Program(Box<ProgramFile>),
    /// A structure.
    Structure(Box<Loaded>),
}

/// A model whose certificates are attacked.
pub struct Victim {
    /// Its file name; the ending says what it is.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The model.
    pub kind: LoadedModel,
    graphs: RefCell<HashMap<String, Option<Fingerprint>>>,
}

/// How much one certificate may take; what takes more is not accepted.
pub fn budget() -> Budget {
    Budget::unlimited().with_effort(Some(MOST_EFFORT))
}

fn settings_of(request: &Request) -> Settings {
    Settings { deadlock: request.deadlock, linear: request.linear, fair: request.fair }
}

impl Victim {
    /// Reads a model, with properties that the user gives.
    pub fn read(name: &str, text: &str, given: &[String]) -> Result<Self, Failure> {
        let kind = match Language::of(name.as_ref()) {
            Some(Language::Promela) => {
                LoadedModel::Program(Box::new(promela::from_text(name, text, given, None, &[], &[])?))
            }
            Some(Language::Horn) => LoadedModel::Program(Box::new(tertium_load::horn::from_text(
                name,
                text,
                given,
                &[],
                &Extras::default(),
            )?)),
            Some(Language::Smv) => LoadedModel::Program(Box::new(tertium_load::smv::from_text(
                name,
                text,
                given,
                None,
                &[],
                &Extras::default(),
            )?)),
            Some(Language::Gcl) => {
                let extras = Extras { every: true, ..Extras::default() };
                LoadedModel::Program(Box::new(from_text_with(name, text.to_owned(), given, None, &extras)?))
            }
            None => {
                LoadedModel::Structure(Box::new(tertium_load::structure::from_text(name, text, &Budget::unlimited())?))
            }
        };
        Ok(Self { name: name.to_owned(), text: text.to_owned(), kind, graphs: RefCell::default() })
    }

    /// The names of its questions.
    pub fn questions(&self) -> Vec<String> {
        match &self.kind {
            LoadedModel::Program(file) => {
                let asked = questions(file, &[], false).unwrap_or_default();
                asked.iter().map(|question| question.name().to_owned()).collect()
            }
            LoadedModel::Structure(loaded) => {
                loaded.properties().iter().map(|property| property.name.clone()).collect()
            }
        }
    }

    /// What the kernel finds; nothing if the document cannot be read.
    pub fn findings(&self, document: &Value, request: &Request) -> Vec<Finding> {
        let text = document.to_string();
        let Ok(read) = read_document(&text) else { return Vec::new() };
        let found = match &self.kind {
            LoadedModel::Program(file) => {
                programs::certify_loaded(file, (&read, &text), request, &Decider::default(), &budget())
            }
            LoadedModel::Structure(loaded) => structures::certify(loaded, (&read, &text), request, &budget()),
        };
        match found {
            Ok(found) => found,
            Err(Failure::Internal(why)) => panic!("{why}\n{}\n{text}", self.text),
            Err(_) => Vec::new(),
        }
    }

    /// Puts the fingerprints into a document that the structures have which the kernel will compare them with.
    pub fn refit(&self, document: &mut Value, request: &Request, question: &str) {
        match &self.kind {
            LoadedModel::Structure(loaded) => refit_structure(loaded, document),
            LoadedModel::Program(file) if document.get("counted").is_some() => refit_counted(file, document, question),
            LoadedModel::Program(file) => {
                let key = format!("{question} {:?} {:?} {}", request.deadlock, request.linear, request.fair);
                let graph = || {
                    let known = self.graphs.borrow().get(&key).copied();
                    known.unwrap_or_else(|| {
                        let found = graph_of(file, question, settings_of(request)).as_ref().map(Fingerprint::of);
                        self.graphs.borrow_mut().insert(key.clone(), found);
                        found
                    })
                };
                refit_program(file, document, (question, settings_of(request)), graph);
            }
        }
    }
}

fn parts(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    document.get_mut("parts").and_then(Value::as_array_mut).into_iter().flatten()
}

fn refit_structure(loaded: &Loaded, document: &mut Value) {
    for part in parts(document) {
        let place = part.get("where");
        let found = match &loaded.model {
            Model::Kmts(model) => Some(Fingerprint::of(model)),
            Model::Param(model) => {
                let value = |name: &String| place.and_then(|place| place["assignment"][name].as_bool());
                let assignment: Option<Vec<bool>> = model.params().iter().map(value).collect();
                assignment.and_then(|values| model.instance(&values).ok()).map(|model| Fingerprint::of(&model))
            }
            Model::Lattice(model) => {
                let element = place.and_then(|place| place["element"].as_str());
                let lattice = model.lattice();
                let found = element.and_then(|name| lattice.elements().find(|&at| lattice.name(at) == name));
                found.and_then(|at| cuts::cut(model, at).ok()).map(|model| Fingerprint::of(&model))
            }
        };
        if let Some(found) = found {
            part["model"] = json!(found.to_string());
        }
    }
}

/// The graph that certificates about a question speak of.
pub fn graph_of(file: &ProgramFile, question: &str, settings: Settings) -> Option<Kmts> {
    let asked = asked_of(file, question)?;
    let subject = Subject::of(file, &asked, settings).ok()?;
    subject.graph(&budget()).ok()
}

fn refit_program(
    file: &ProgramFile,
    document: &mut Value,
    (question, settings): (&str, Settings),
    graph: impl Fn() -> Option<Fingerprint>,
) {
    if document.get("parts").is_none() {
        return;
    }
    let found = if document.get("structure").is_some() {
        read_document(&document.to_string()).ok().and_then(|read| drawn(file, &read, question, settings))
    } else {
        graph()
    };
    let Some(found) = found else { return };
    for part in parts(document) {
        part["model"] = json!(found.to_string());
    }
}

fn drawn(file: &ProgramFile, document: &Document, question: &str, settings: Settings) -> Option<Fingerprint> {
    let (over, structure) = document.structure.as_ref()?;
    let asked = asked_of(file, question)?;
    let subject = Subject::of(file, &asked, settings).ok()?;
    let budget = budget();
    let mut writer = ProofObligations::new(&subject.file.program, over, lines(&subject.file), &budget).ok()?;
    Some(Fingerprint::of(&writer.sketch(structure, &subject.atoms(), subject.frame).ok()?))
}

/// The first proof of a document with counted members, and those about single sizes. Lemmas keep what fingerprints they have.
fn refit_counted(file: &ProgramFile, document: &mut Value, question: &str) {
    let lemma = |shown: &Value| {
        let text = shown.pointer("/certificate/parts/0/where/property/text");
        let text = text.or_else(|| shown.pointer("/certificate/invariant/where/property/text"));
        text.and_then(Value::as_str).map(str::to_owned)
    };
    let Some(shown) = document.pointer("/counted/shown").and_then(Value::as_array) else { return };
    let mut additions = file.open.as_ref().map_or_else(Vec::new, |open| open.additions.clone());
    for (at, shown) in shown.iter().enumerate().skip(1) {
        let Some(text) = lemma(shown) else { return };
        additions.push(Addition::Property { name: format!("lemma {at}"), logic: Some(Logic::Ltl), text });
    }
    for at in 0..shown.len() {
        let name = if at == 0 { question.to_owned() } else { format!("lemma {at}") };
        let pointer = format!("/counted/shown/{at}");
        let Some(part) = document.pointer_mut(&pointer) else { return };
        let numbers = part["lemmas"].as_array().cloned().unwrap_or_default();
        let named = |number: &Value| match number.as_u64() {
            Some(0) | None => question.to_owned(),
            Some(number) => format!("lemma {number}"),
        };
        let lemmas: Vec<String> = numbers.iter().map(named).collect();
        let purpose = match Mistake::from_name(question).filter(|_| at == 0) {
            Some(Mistake::Deadlock) => Purpose::Steps,
            Some(_) => Purpose::Faults,
            None => Purpose::Property(&name),
        };
        let Ok(every) = compile(&file.source.text, &additions, purpose, &lemmas) else { continue };
        let made = ProgramFile {
            given: every.program.properties.iter().map(|property| property.name.clone()).collect(),
            program: every.program,
            open: None,
            sizes: BTreeMap::new(),
            ..file.clone()
        };
        let graph = || graph_of(&made, &name, Settings::default()).as_ref().map(Fingerprint::of);
        refit_program(&made, &mut part["certificate"], (&name, Settings::default()), graph);
    }
    refit_sizes(file, document, question);
}

fn refit_sizes(file: &ProgramFile, document: &mut Value, question: &str) {
    let Some(constant) = file.open.as_ref().and_then(|open| open.constants.first()) else { return };
    let Some(sizes) = document.pointer_mut("/counted/sizes").and_then(Value::as_array_mut) else { return };
    for sized in sizes {
        let Some(size) = sized["size"].as_i64().filter(|size| (constant.least..16).contains(size)) else { continue };
        let sizes = BTreeMap::from([(constant.name.clone(), size)]);
        let extras = Extras { sizes, ..Extras::default() };
        let Ok(system) = from_text_with(&file.file, file.source.text.clone(), &[], None, &extras) else { continue };
        let graph = || graph_of(&system, question, Settings::default()).as_ref().map(Fingerprint::of);
        refit_program(&system, &mut sized["certificate"], (question, Settings::default()), graph);
    }
}

/// Makes a document say that it is about a question, in all its parts.
pub fn retarget(victim: &Victim, document: &mut Value, question: &str) {
    let LoadedModel::Program(file) = &victim.kind else {
        let LoadedModel::Structure(loaded) = &victim.kind else { return };
        let Some(property) = loaded.properties().iter().find(|property| property.name == question) else { return };
        let Ok(parsed) = property.clone().parse(None, &loaded.element_names()) else { return };
        for part in parts(document) {
            part["formula"] = json!(parsed.formula.text());
            part["logic"] = json!(parsed.formula.logic().name());
        }
        return;
    };
    let Some(asked) = asked_of(file, question) else { return };
    retarget_to(file, document, &asked);
    if let Some(shown) = document.pointer_mut("/counted/shown/0/certificate") {
        retarget_to(file, shown, &asked);
    }
    for sized in document.pointer_mut("/counted/sizes").and_then(Value::as_array_mut).into_iter().flatten() {
        retarget_to(file, &mut sized["certificate"], &asked);
    }
}

fn retarget_to(file: &ProgramFile, document: &mut Value, asked: &Question) {
    let Ok(subject) = Subject::of(file, asked, Settings::default()) else { return };
    let (formula, logic) = (subject.formula().text(), subject.formula().logic().name());
    let place = |old: &Value| match asked {
        Question::Property(asked) => {
            let mut place = json!({"property": {"text": asked.source, "stutter": subject.frame.stutter}});
            if old.pointer("/property/fair") == Some(&json!(true)) {
                place["property"]["fair"] = json!(true);
            }
            place
        }
        _ => json!({"mistake": asked.name()}),
    };
    for part in parts(document) {
        part["where"] = place(&part["where"]);
        part["formula"] = json!(formula);
        part["logic"] = json!(logic);
    }
    if let Some(invariant) = document.get_mut("invariant") {
        invariant["where"] = place(&invariant["where"]);
        invariant["formula"] = json!(formula);
        invariant["logic"] = json!(logic);
    }
}
