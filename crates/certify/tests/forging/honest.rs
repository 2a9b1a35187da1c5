//! Honest certificates of a model, and what is true of it: the material of forgers, and the oracle.
//!
//! What is true is said by `check` under the same reading; of a program whose graph is small, by an evaluation of that graph, too.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tertium_base::Budget;
use tertium_certify::Request;
use tertium_driver::check::{CheckOptions as StructureOptions, Session};
use tertium_driver::engines::EngineChoice;
use tertium_driver::program::predicate_abstraction::{self, AbstractionKind, AbstractionOptions};
use tertium_driver::program::proof::{Written, certificate, certificate_of};
use tertium_driver::program::{CheckOptions, ProgramAnswer, check, parameterised, refinement_loop};
use tertium_driver::property::Property;
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use tertium_driver::{Belnap, Failure};
use tertium_evidence::{Deadlock, LinearReading};
use tertium_load::questions::{Question, questions};
use tertium_load::{Loaded, ProgramFile};
use tertium_model::Model;

use crate::common::{LoadedModel, MOST_EFFORT, Victim, graph_of};

/// A way to read questions, and what is true then.
pub struct Asking {
    /// How questions are read; it names none.
    pub request: Request,
    /// By name what may be found; what is not listed may not be found to be anything.
    pub truth: BTreeMap<String, String>,
    /// Questions of which nobody knows.
    pub open: BTreeSet<String>,
}

impl Asking {
    fn of(request: Request) -> Self {
        Self { request, truth: BTreeMap::new(), open: BTreeSet::new() }
    }

    /// Whether a question may be found to have this value.
    pub fn allows(&self, question: &str, value: &str) -> bool {
        self.truth.get(question).is_some_and(|truth| truth == value)
    }
}

/// A certificate that is accepted.
pub struct Honest {
    /// The number of the way to read the question.
    pub asking: usize,
    /// The question.
    pub question: String,
    /// The certificate.
    pub document: Value,
}

/// A model with certificates, and what is true.
pub struct Material {
    /// The model.
    pub victim: Victim,
    /// The ways to read questions.
    pub askings: Vec<Asking>,
    /// The certificates.
    pub honest: Vec<Honest>,
}

/// How many ways to make certificates are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// All of them.
    Every,
    /// One, chosen by this number.
    One(usize),
}

impl Effort {
    fn takes(self, at: usize, of: usize) -> bool {
        match self {
            Self::Every => true,
            Self::One(chosen) => chosen % of == at,
        }
    }
}

fn within() -> Budget {
    Budget::unlimited().with_effort(Some(MOST_EFFORT))
}

impl Material {
    /// Checks a model in many ways.
    pub fn of(victim: Victim, effort: Effort) -> Self {
        let mut material = Self { victim, askings: Vec::new(), honest: Vec::new() };
        match &material.victim.kind {
            LoadedModel::Program(file) => {
                let file = file.clone();
                let readings = [
                    (None, false),
                    (None, true),
                    (Some(Deadlock::Mu), false),
                    (Some(Deadlock::Maximal), false),
                    (Some(Deadlock::Maximal), true),
                ];
                for (at, reading) in readings.into_iter().enumerate() {
                    // Solvers take time: beyond the first reading each has one way to make certificates.
                    let effort = if at == 0 { effort } else { Effort::One(4 * at) };
                    material.of_program(&file, reading, effort);
                }
            }
            LoadedModel::Structure(_) => material.of_structure_readings(effort),
        }
        material.keep_accepted();
        material
    }

    fn add(&mut self, asking: usize, question: &str, text: &str) {
        let Ok(document) = serde_json::from_str::<Value>(text) else { return };
        if self.honest.iter().all(|known| known.document != document) {
            self.honest.push(Honest { asking, question: question.to_owned(), document });
        }
    }

    /// Whoever makes a certificate that is refused is at fault, and that is tested elsewhere; what rests on assumptions serves no forger either.
    fn keep_accepted(&mut self) {
        let honest = std::mem::take(&mut self.honest);
        for made in honest {
            let asking = &self.askings[made.asking];
            let request = Request { only: vec![made.question.clone()], ..asking.request.clone() };
            let found = self.victim.findings(&made.document, &request);
            let known = !asking.open.contains(&made.question);
            for finding in found.iter().filter(|finding| known && finding.is_proved()) {
                let so = asking.allows(&made.question, &finding.value);
                assert!(so, "{finding:?}\n{}\n{}", self.victim.text, made.document);
            }
            self.honest.push(made);
        }
    }

    fn of_program(&mut self, file: &ProgramFile, (deadlock, fair): (Option<Deadlock>, bool), effort: Effort) {
        let options = CheckOptions { deadlock, fair, look_for_idle: false, ..CheckOptions::default() };
        let asked = questions(file, &[], false).unwrap_or_default();
        let request = Request { deadlock, fair, ..Request::default() };
        let number = self.askings.len();
        let decided = decided(file, &asked, &options);
        let Ok(answers) = decided else { return };
        let mut asking = Asking::of(request);
        for (question, answer) in asked.iter().zip(&answers) {
            let name = question.name().to_owned();
            match answer.value() {
                Belnap::True | Belnap::False => {
                    asking.truth.insert(name, answer.value().word().to_owned());
                }
                Belnap::Unknown | Belnap::Both => {
                    asking.open.insert(name);
                }
            }
        }
        self.askings.push(asking);
        self.written(file, (&asked, &answers), &options, number);
        if file.open.is_some() {
            return;
        }
        if effort.takes(0, 4) {
            self.of_graphs(file, (&asked, &answers), &options, number);
        }
        self.abstracted(file, &asked, &options, (number, effort));
    }

    /// Certificates about the graph, of what is true and of what is false.
    fn of_graphs(
        &mut self,
        file: &ProgramFile,
        (asked, answers): (&[Question], &[ProgramAnswer]),
        options: &CheckOptions,
        number: usize,
    ) {
        for (question, answer) in asked.iter().zip(answers) {
            if let Ok(Written::Certificate(text)) = certificate(file, question, options, &within()) {
                self.add(number, question.name(), &text);
            }
            if let Some(document) = self.graph_certificate(file, (question, answer), options, number) {
                self.add(number, question.name(), &document.to_string());
            }
        }
    }

    /// The certificate that the graph as a structure has for the question; and whether its value is what was found.
    fn graph_certificate(
        &self,
        file: &ProgramFile,
        (question, answer): (&Question, &ProgramAnswer),
        options: &CheckOptions,
        number: usize,
    ) -> Option<Value> {
        let Question::Property(asked) = question else { return None };
        let settings = options.settings();
        let graph = graph_of(file, &asked.name, settings).filter(|graph| graph.state_count() <= 200)?;
        let loaded = Loaded::of_model("graph", Model::Kmts(graph));
        let how = StructureOptions { deadlock: options.deadlock, ..StructureOptions::default() };
        let session = Session::new(&loaded, how, &within()).ok()?;
        let parsed = asked.on_structure().ok()?;
        let found = session.check(&parsed, &within(), &()).ok()?;
        let strong = file.program.processes.iter().any(|process| process.fairness == tertium_program::Fairness::Strong);
        let definite = matches!(found.value().word(), "true" | "false");
        if definite && !strong && !self.askings[number].open.contains(&asked.name) {
            assert_eq!(found.value().word(), answer.value().word(), "{} {options:?}\n{}", asked.name, self.victim.text);
        }
        let mut document: Value = serde_json::from_str(&session.certificate_text(&found).ok()?).ok()?;
        let stutter = matches!(asked.formula.logic().name(), "ltl" | "ctl*")
            || asked.formula.logic().name() == "ctl" && is_fair(file, options);
        let stutter = stutter && options.deadlock.is_none();
        for part in document["parts"].as_array_mut()? {
            part["where"] = json!({"property": {"text": asked.source, "stutter": stutter, "fair": options.fair}});
        }
        Some(document)
    }

    fn abstracted(
        &mut self,
        file: &ProgramFile,
        asked: &[Question],
        options: &CheckOptions,
        (number, effort): (usize, Effort),
    ) {
        let mut ways = Vec::new();
        for kind in AbstractionKind::ALL {
            for keep_small in [true, false] {
                ways.push(AbstractionOptions {
                    kind,
                    keep_small,
                    max_states: Some(60),
                    ..AbstractionOptions::default()
                });
            }
        }
        let count = ways.len() + 3;
        // Of all ways a third is taken at once: four kinds of abstraction, with and without small values kept.
        let taken = |at: usize| effort.takes(at, count) && (effort != Effort::Every || at.is_multiple_of(3));
        for (at, how) in ways.iter().enumerate().filter(|(at, _)| taken(*at)) {
            let rounds = if (at + at / 2) % 2 == 0 { 3 } else { 0 };
            let found = match rounds {
                0 => predicate_abstraction::check(file, asked, options, how, &within(), &()),
                rounds => refinement_loop::check(file, asked, options, how, rounds, &within(), &()),
            };
            if let Ok(found) = found {
                self.written(file, (asked, &found.answers), options, number);
            }
        }
        if effort.takes(count - 1, count) {
            let options = CheckOptions { engine: EngineChoice::Symbolic, keep_basis: true, ..options.clone() };
            if let Ok(found) = check(file, asked, &options, &within(), &()) {
                self.written(file, (asked, &found.answers), &options, number);
            }
        }
    }

    fn written(
        &mut self,
        file: &ProgramFile,
        (asked, answers): (&[Question], &[ProgramAnswer]),
        options: &CheckOptions,
        number: usize,
    ) {
        for (question, answer) in asked.iter().zip(answers) {
            if !matches!(answer.value(), Belnap::True | Belnap::False) {
                continue;
            }
            match certificate_of(file, question, answer, options, &within()) {
                Ok(Written::Certificate(text) | Written::WithObligations { text, .. }) => {
                    self.add(number, question.name(), &text);
                }
                Ok(Written::None(_)) | Err(_) => {}
            }
        }
    }

    fn of_structure_readings(&mut self, effort: Effort) {
        let linear = [None, Some(LinearReading::Bg), Some(LinearReading::BgTotal), Some(LinearReading::TgPnf)];
        let deadlocks = [None, Some(Deadlock::Maximal), Some(Deadlock::Total)];
        let mut at = 0;
        for deadlock in deadlocks {
            for linear in linear {
                at += 1;
                // The default reading is always among them.
                if at == 1 || effort.takes(at - 1, 12) {
                    self.of_structure(deadlock, linear);
                }
            }
        }
    }

    fn of_structure(&mut self, deadlock: Option<Deadlock>, linear: Option<LinearReading>) {
        let request = Request { deadlock, linear, ..Request::default() };
        let mut asking = Asking::of(request);
        let mut made = Vec::new();
        for thorough in [false, true] {
            // Completions have no open steps: thorough values know no reading of linear formulas.
            let linear = if thorough { None } else { linear };
            let options = StructureOptions {
                deadlock,
                linear,
                thorough,
                parameters: true,
                always_recheck: true,
                ..Default::default()
            };
            let LoadedModel::Structure(loaded) = &self.victim.kind else { return };
            let Ok(session) = Session::new(loaded, options, &within()) else { continue };
            for (name, value, text) in answers(&session, loaded.properties()) {
                if thorough && linear != asking.request.linear {
                    // The kernel may know more than the engine of a reading, never more than what all completions agree on.
                    let definite = value.filter(|value| value == "true" || value == "false");
                    if let Some(value) = definite {
                        asking.truth.entry(name).or_insert(value);
                    }
                    continue;
                }
                match value {
                    // What all completions agree on is more than what operators tell; without it, unknown is nothing that is proved.
                    Some(value) if thorough || value == "true" || value == "false" || is_lattice(loaded) => {
                        asking.truth.insert(name.clone(), value);
                    }
                    Some(_) => {}
                    None => {
                        asking.open.insert(name.clone());
                    }
                }
                made.push((name, text));
            }
        }
        if made.is_empty() {
            return;
        }
        let number = self.askings.len();
        self.askings.push(asking);
        for (name, text) in made {
            self.add(number, &name, &text);
        }
    }
}

fn is_lattice(loaded: &Loaded) -> bool {
    matches!(loaded.model, Model::Lattice(_))
}

fn is_fair(file: &ProgramFile, options: &CheckOptions) -> bool {
    options.fair || file.program.processes.iter().any(|process| process.fairness != tertium_program::Fairness::None)
}

/// The properties that can be checked, with their values, if they are found, and their certificates.
fn answers(session: &Session<'_>, properties: &[Property]) -> Vec<(String, Option<String>, String)> {
    let mut found = Vec::new();
    for property in properties {
        let Ok(parsed) = session.properties(&[], std::slice::from_ref(&property.name)) else { continue };
        for parsed in parsed {
            let Ok(answer) = session.check(&parsed, &within(), &()) else { continue };
            let value = answer.stopped().is_none().then(|| answer.value().word().to_owned());
            let text = session.certificate_text(&answer).unwrap_or_default();
            found.push((answer.name, value, text));
        }
    }
    found
}

fn decided(file: &ProgramFile, asked: &[Question], options: &CheckOptions) -> Result<Vec<ProgramAnswer>, Failure> {
    let how = AbstractionOptions { max_states: Some(200), ..AbstractionOptions::default() };
    if file.open.is_some() {
        let found =
            parameterised::check(file, asked, options, (&how, refinement_loop::DEFAULT_REFINEMENTS), &within(), &())?;
        return Ok(found.answers);
    }
    let wishes = Wishes { options: options.clone(), abstraction: how, ..Wishes::default() };
    let request = ProgramQuery { file, questions: asked, wishes: &wishes };
    Ok(strategy::decide(&request, &within(), &())?.answers)
}
