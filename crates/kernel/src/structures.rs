//! Does a certificate prove what a structure asks?
//!
//! The question is the structure's own property, or one that the user gives: its formula, how it is read, and all initial states. For each of them
//! a proof is looked up in the document; what the document says besides has no effect.

use tertium_base::diagnostic::closest_name;
use tertium_base::{Budget, Diagnostic};
use tertium_evidence::{Certificate, CertificatePlace, Deadlock, Document, LinearReading, Part, Reading};
use tertium_lattice::{Belnap, Element};
use tertium_load::cuts::{self, too_large};
use tertium_load::property::{Parsed, Property, no_such_property};
use tertium_load::{Failure, Loaded};
use tertium_logic::{Logic, ParseOptions};
use tertium_model::{Kmts, LatticeModel, Model, ParamModel, StateId};

use crate::checker::{Assumption, Rejection, Subject, check_certificate_of};
use crate::finding::{Finding, Verdict, proof_word};
use crate::marked_structure::MarkedStructure;
use crate::request::Request;

/// Families with more parameters are not gone through instance by instance.
const MOST_PARAMETERS: usize = 16;

/// Checks a document about a structure; `text` is the document's text.
///
/// # Errors
/// If a question cannot be read, or a limit is reached. A proof that is wrong is no error.
pub fn certify(
    loaded: &Loaded,
    (document, text): (&Document, &str),
    request: &Request,
    budget: &Budget,
) -> Result<Vec<Finding>, Failure> {
    if document.parts.is_empty() || document.structure.is_some() {
        let other = Diagnostic::error("E0626", "this certificate is about a program, not about a structure");
        return Err(other.help("give the program that it was made for").into());
    }
    let reading = Reading {
        deadlock: request.deadlock.unwrap_or_default(),
        linear: request.linear.unwrap_or(LinearReading::Hyper),
    };
    let states = asked_states(loaded, request.at.as_deref())?;
    let mut findings = Vec::new();
    for parsed in questions(loaded, document, request)? {
        let question = Question { loaded, formula: parsed.formula.text(), parsed, reading, states: &states, budget };
        findings.push(question.finding(document, text)?);
    }
    Ok(findings)
}

/// The questions that must be proved.
fn questions(loaded: &Loaded, document: &Document, request: &Request) -> Result<Vec<Parsed>, Failure> {
    let own = loaded.properties();
    let mut chosen: Vec<Property> = Vec::new();
    for name in &request.only {
        let found = own.iter().find(|property| property.name == *name);
        chosen.push(found.ok_or_else(|| no_such_property(name, own))?.clone());
    }
    chosen.extend(request.given.iter().enumerate().map(|(at, text)| Property::from_argument(text, at + 1)));
    let asks_all = !request.names_questions();
    if asks_all {
        chosen.extend(own.iter().cloned());
    }
    let mut parsed = Vec::new();
    for property in chosen {
        parsed.push(property.parse(request.logic, &loaded.element_names()).map_err(Failure::Input)?);
    }
    if asks_all {
        parsed.retain(|parsed| document.parts.iter().any(|part| speaks_of(part, parsed)));
        if parsed.is_empty() {
            return Err(not_asked(document.parts.first().map_or("", |part| part.formula())).into());
        }
    }
    Ok(parsed)
}

/// The message for a certificate of something that the model does not ask.
pub(crate) fn not_asked(formula: &str) -> Diagnostic {
    Diagnostic::error("E0627", "the certificate proves nothing that this model asks")
        .note(format!("it speaks of `{}`", formula.chars().take(200).collect::<String>()))
        .help("name the model's property with `--only NAME`, or give the one that must be proved with `-p FORMULA`")
}

fn speaks_of(part: &Part, parsed: &Parsed) -> bool {
    let logic = parsed.formula.logic();
    part.logic() == logic && canonical(part.formula(), logic) == parsed.formula.text()
}

/// A formula of a certificate as this program writes it, so that it can be compared; nothing else is done with it.
pub(crate) fn canonical(text: &str, logic: Logic) -> String {
    let parsed = tertium_logic::parse(text, &ParseOptions::in_logic(logic));
    parsed.formula.map_or_else(|| text.to_owned(), |formula| formula.text())
}

fn asked_states(loaded: &Loaded, at: Option<&str>) -> Result<Vec<StateId>, Failure> {
    let Some(name) = at else { return Ok(loaded.initial_states()) };
    let all = || (0..loaded.size().0).map(|at| loaded.state_name(StateId::new(at)));
    if let Some(found) = all().position(|known| known == name) {
        return Ok(vec![StateId::new(found)]);
    }
    let mut mistake = Diagnostic::error("E0628", format!("`--at {name}`: the model has no state of this name"));
    if let Some(close) = closest_name(name, all()) {
        mistake = mistake.help(format!("did you mean `{close}`?"));
    }
    Err(mistake.into())
}

/// A proof at one state, or why there is none.
enum StateProof {
    Proved { value: Belnap, proof: &'static str, assumptions: Vec<Assumption> },
    Refused(String),
}

struct Question<'a> {
    loaded: &'a Loaded,
    formula: String,
    parsed: Parsed,
    reading: Reading,
    states: &'a [StateId],
    budget: &'a Budget,
}

impl Question<'_> {
    fn finding(&self, document: &Document, text: &str) -> Result<Finding, Failure> {
        let mut finding = Finding {
            name: self.parsed.property.name.clone(),
            formula: self.formula.clone(),
            logic: self.parsed.formula.logic().name(),
            value: String::new(),
            proof: "certificate",
            about: self.about(),
            obligations: 0,
            verdict: Verdict::Refused("nothing in the certificate is about this question".to_owned()),
        };
        let parts: Vec<&Part> = document.parts.iter().filter(|part| speaks_of(part, &self.parsed)).collect();
        if parts.is_empty() {
            return Ok(finding);
        }
        if let Some(other) = document.parts.iter().find(|part| !speaks_of(part, &self.parsed)) {
            let formula = other.formula();
            finding.verdict = Verdict::Refused(format!("a part of it is about `{formula}`, which is another question"));
            return Ok(finding);
        }
        match &self.loaded.model {
            Model::Kmts(model) if parts.iter().any(|part| *part.place() == CertificatePlace::FairCompletions) => {
                self.of_fair_completions(model, &parts, text, &mut finding)?;
            }
            Model::Kmts(model) => {
                let place = |part: &Part| *part.place() == CertificatePlace::Whole;
                let parts: Vec<&Part> = parts.into_iter().filter(|part| place(part)).collect();
                let subject = (model, Subject::structure(model));
                let (value, shown) = self.of_structure(subject, &parts, &self.loaded.constants(), text)?;
                settle(&mut finding, value.word(), shown);
            }
            Model::Param(model) => self.of_family(model, &parts, text, &mut finding)?,
            Model::Lattice(model) => self.over_lattice(model, &parts, text, &mut finding)?,
        }
        if let (Verdict::Refused(why), Some(part)) = (&mut finding.verdict, parts_reading(document, &self.parsed))
            && part != self.reading
        {
            why.push_str(&format!(
                "; it was made for `--deadlock {} --ltl {}`, and the question is read otherwise",
                part.deadlock.name(),
                part.linear.name()
            ));
        }
        Ok(finding)
    }

    /// How the question is read, and of which states.
    fn about(&self) -> Vec<String> {
        let mut about = Vec::new();
        let names: Vec<&str> = self.states.iter().map(|&state| self.loaded.state_name(state)).collect();
        about.push(match names[..] {
            [only] => format!("at {only}"),
            _ => format!("at all {} initial states", names.len()),
        });
        if self.reading.deadlock != Deadlock::Mu {
            about.push(format!("deadlocks read as `{}`", self.reading.deadlock.name()));
        }
        if self.reading.linear != LinearReading::Hyper {
            about.push(format!("linear formulas read as `{}`", self.reading.linear.name()));
        }
        about
    }

    /// What all completions agree on, each step of them counting for fairness as the step of the structure does that it stands for.
    fn of_fair_completions(
        &self,
        model: &Kmts,
        parts: &[&Part],
        text: &str,
        finding: &mut Finding,
    ) -> Result<(), Failure> {
        if parts.iter().any(|part| *part.place() != CertificatePlace::FairCompletions) {
            finding.verdict = Verdict::Refused("its parts are about different structures".to_owned());
            return Ok(());
        }
        let marked = match MarkedStructure::of(model, &self.parsed.formula) {
            Ok(marked) => marked,
            Err(why) => {
                finding.verdict = Verdict::Refused(why);
                return Ok(());
            }
        };
        let states: Vec<StateId> = self.states.iter().map(|state| marked.begins[state.index()]).collect();
        let question = Question {
            formula: marked.formula.text(),
            parsed: Parsed { formula: marked.formula, ..self.parsed.clone() },
            reading: MarkedStructure::reading(self.reading),
            states: &states,
            ..*self
        };
        let subject = (&marked.model, Subject::structure(&marked.model));
        let (value, shown) = question.of_structure(subject, parts, &self.loaded.constants(), text)?;
        finding.about.push("steps of completions count for fairness as those that they stand for".to_owned());
        settle(finding, value.word(), shown);
        Ok(())
    }

    /// The value that parts prove of one structure, which all initial states must agree on.
    fn of_structure(
        &self,
        subject: (&Kmts, Subject),
        parts: &[&Part],
        constants: &[(String, Belnap)],
        text: &str,
    ) -> Result<(Belnap, StateProof), Failure> {
        let Some(value) = parts.first().map(|part| part.value()) else {
            return Ok((Belnap::Unknown, StateProof::Refused("nothing in it is about this structure".to_owned())));
        };
        let mut kinds: Vec<&'static str> = Vec::new();
        let mut assumptions: Vec<Assumption> = Vec::new();
        let (mut last, mut decisive) = (None, false);
        for &state in self.states {
            let shown = self.at_state(subject, state, (value, parts), constants, text)?;
            match shown {
                StateProof::Proved { value: here, proof, assumptions: more } => {
                    decisive |= here == value;
                    kinds.push(proof);
                    assumptions.extend(more);
                    if value == Belnap::False {
                        // One initial state is enough.
                        last = None;
                        break;
                    }
                }
                StateProof::Refused(why) => {
                    last = Some(why);
                    if value != Belnap::False {
                        break;
                    }
                }
            }
        }
        if let Some(why) = last {
            return Ok((value, StateProof::Refused(why)));
        }
        if !decisive {
            return Ok((value, StateProof::Refused(format!("no initial state is shown to be {}", value.word()))));
        }
        assumptions.sort_unstable();
        assumptions.dedup();
        let proof = kinds.first().copied().unwrap_or("certificate");
        Ok((value, StateProof::Proved { value, proof, assumptions }))
    }

    /// Whether a part proves the value at a state. Where the value is unknown a state at which it is true does not count against it.
    fn at_state(
        &self,
        (model, subject): (&Kmts, Subject),
        state: StateId,
        (value, parts): (Belnap, &[&Part]),
        constants: &[(String, Belnap)],
        text: &str,
    ) -> Result<StateProof, Failure> {
        let mut why = format!("nothing is proved at the initial state {}", model.state_name(state));
        for part in parts
            .iter()
            .filter(|part| part.value() == value || value == Belnap::Unknown && part.value() == Belnap::True)
        {
            let read = match part.certificate_for(model, text) {
                Ok(read) => read,
                Err(problems) => {
                    why = problems.iter().map(sentence).collect::<Vec<_>>().join("; ");
                    continue;
                }
            };
            if read.state != state {
                continue;
            }
            // The question is the model's; only the proof is the file's.
            let certificate = Certificate {
                formula: self.formula.clone(),
                logic: self.parsed.formula.logic(),
                reading: self.reading,
                state,
                value: part.value(),
                proof: read.proof,
            };
            match check_certificate_of(model, subject, &certificate, constants, self.budget) {
                Ok(accepted) => {
                    let proof = proof_word(&certificate.proof);
                    return Ok(StateProof::Proved { value: part.value(), proof, assumptions: accepted.assumptions });
                }
                Err(Rejection::Stopped(stopped)) => return Err(stopped.into()),
                Err(Rejection::Refused(problem)) => why = sentence(&problem),
            }
        }
        Ok(StateProof::Refused(why))
    }

    /// A family has a value if every instance has it.
    fn of_family(&self, model: &ParamModel, parts: &[&Part], text: &str, finding: &mut Finding) -> Result<(), Failure> {
        let count = model.params().len();
        if count > MOST_PARAMETERS {
            finding.verdict =
                Verdict::Refused(format!("families of more than {MOST_PARAMETERS} parameters are not gone through"));
            return Ok(());
        }
        let mut values = Vec::new();
        let mut kept: Vec<Assumption> = Vec::new();
        for bits in 0..1usize << count {
            let assignment: Vec<bool> = (0..count).map(|at| bits >> at & 1 == 1).collect();
            let named = || model.params().iter().cloned().zip(assignment.iter().copied());
            let place = CertificatePlace::Assignment(named().collect());
            let own: Vec<&Part> = parts.iter().copied().filter(|part| *part.place() == place).collect();
            let instance = model.instance(&assignment).map_err(too_large)?;
            // An instance is a structure like any other: what its completions agree on is so of it.
            let subject = Subject::structure(&instance);
            let (value, shown) = self.of_structure((&instance, subject), &own, &self.loaded.constants(), text)?;
            if !matches!(value, Belnap::True | Belnap::False) {
                finding.verdict =
                    Verdict::Refused("of a family something is proved to be true, or to be false".to_owned());
                return Ok(());
            }
            match shown {
                StateProof::Proved { proof, assumptions, .. } => {
                    finding.proof = proof;
                    kept.extend(assumptions);
                    values.push(value);
                }
                StateProof::Refused(why) => {
                    let at: Vec<String> = named().map(|(name, value)| format!("{name}={value}")).collect();
                    finding.verdict = Verdict::Refused(format!("for {}: {why}", at.join(", ")));
                    return Ok(());
                }
            }
        }
        let first = values.first().copied().unwrap_or(Belnap::Unknown);
        if values.iter().any(|&value| value != first) {
            finding.verdict = Verdict::Refused("instances have different values: the family has none".to_owned());
            return Ok(());
        }
        finding.about.push(format!("in all {} instances", values.len()));
        settle(finding, first.word(), StateProof::Proved { value: first, proof: finding.proof, assumptions: kept });
        Ok(())
    }

    /// A value in a lattice is known if of every join-irreducible element it is shown that the value is above it, or that it is not.
    fn over_lattice(
        &self,
        model: &LatticeModel,
        parts: &[&Part],
        text: &str,
        finding: &mut Finding,
    ) -> Result<(), Failure> {
        let lattice = model.lattice();
        let mut least = lattice.top();
        for &state in self.states {
            let mut value = lattice.bottom();
            for &element in lattice.join_irreducibles() {
                match self.above(model, state, element, parts, text)? {
                    Ok(true) => value = lattice.join(value, element),
                    Ok(false) => {}
                    Err(why) => {
                        finding.verdict = Verdict::Refused(why);
                        return Ok(());
                    }
                }
            }
            least = lattice.meet(least, value);
        }
        settle(
            finding,
            lattice.name(least),
            StateProof::Proved { value: Belnap::Unknown, proof: "strategy", assumptions: Vec::new() },
        );
        Ok(())
    }

    /// Whether the value at a state is above an element, as cuts prove it: that at the element says that it is, that at its star that it is not.
    fn above(
        &self,
        model: &LatticeModel,
        state: StateId,
        element: Element,
        parts: &[&Part],
        text: &str,
    ) -> Result<Result<bool, String>, Failure> {
        let lattice = model.lattice();
        let mut whys = Vec::new();
        for (at, value) in [(element, Belnap::True), (lattice.star(element), Belnap::False)] {
            let place = CertificatePlace::Element(lattice.name(at).to_owned());
            let own: Vec<&Part> = parts.iter().copied().filter(|part| *part.place() == place).collect();
            if !own.iter().any(|part| part.value() == value) {
                continue;
            }
            let cut = cuts::cut(model, at).map_err(too_large)?;
            match self.at_state((&cut, Subject::Cut), state, (value, &own), &cuts::constants(model, at), text)? {
                StateProof::Proved { assumptions, .. } if assumptions.is_empty() => {
                    return Ok(Ok(value == Belnap::True));
                }
                StateProof::Proved { .. } => whys.push("it rests on an assumption".to_owned()),
                StateProof::Refused(why) => whys.push(why),
            }
        }
        let because = if whys.is_empty() { String::new() } else { format!(": {}", whys.join("; ")) };
        let (name, state) = (lattice.name(element), model.state_name(state));
        Ok(Err(format!("it is not shown whether the value at {state} is at least {name}{because}")))
    }
}

fn settle(finding: &mut Finding, value: &str, shown: StateProof) {
    value.clone_into(&mut finding.value);
    finding.verdict = match shown {
        StateProof::Proved { proof, assumptions, .. } => {
            finding.proof = proof;
            if assumptions.is_empty() { Verdict::Proved } else { Verdict::Assuming(assumptions) }
        }
        StateProof::Refused(why) => Verdict::Refused(why),
    };
}

fn parts_reading(document: &Document, parsed: &Parsed) -> Option<Reading> {
    document.parts.iter().find(|part| speaks_of(part, parsed)).map(Part::reading)
}

pub(crate) fn sentence(diagnostic: &Diagnostic) -> String {
    format!("{} ({})", diagnostic.message, diagnostic.code)
}
