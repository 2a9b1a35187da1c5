//! Text to certificates, with every mistake located.

use std::collections::HashMap;

use tertium_base::{Budget, Diagnostic, Span};
use tertium_lattice::Belnap;
use tertium_logic::{Logic, NodeId};
use tertium_model::{Format, Kmts, Model, StateId, read_bytes};

use super::format::{
    AbstractionText, Body, ChoiceText, CompletionText, CountedText, Head, InvariantText, LaterText, PartText,
    PlaceText, ProofText, PropertyText, StandText, WatchText,
};
use super::structure::structure_of;
use super::{CertificatePlace, FORMAT_VERSION, InvariantPart};
use crate::abstraction::{AbstractState, Abstraction, Later, Structure};
use crate::fingerprint::Fingerprint;
use crate::{
    Certificate, Choice, Claim, CompletionProof, Deadlock, LinearReading, Proof, Reading, Refuted, Stand, Watch,
};

/// A certificate document, its names not yet looked up in a model.
#[derive(Clone, Debug)]
pub struct Document {
    /// The certificates, in the order of the file.
    pub parts: Vec<Part>,
    /// A proof over abstract states that nothing bad is reached.
    pub invariant: Option<InvariantPart>,
    /// The structure over abstract states that the certificates are about.
    pub structure: Option<(Abstraction, Structure)>,
    /// Proofs about programs in which members of families are counted.
    pub counted: Option<CountedPart>,
}

/// Proofs about programs in which members of families are counted: what was asked comes first.
#[derive(Clone, Debug)]
pub struct CountedPart {
    /// The constant that the text leaves open; none if every family has the size that the text says.
    pub constant: Option<String>,
    /// What is shown with counted members.
    pub shown: Vec<ShownPart>,
    /// What is shown of the systems of single sizes.
    pub sizes: Vec<SizedPart>,
}

/// One proof about a program in which members are counted.
#[derive(Clone, Debug)]
pub struct ShownPart {
    /// The others that are taken to hold of counted members, by their numbers.
    pub lemmas: Vec<usize>,
    /// The proof.
    pub document: Document,
    /// Its text.
    pub text: String,
}

/// One proof about the system of one size.
#[derive(Clone, Debug)]
pub struct SizedPart {
    /// The size.
    pub size: i64,
    /// Of what is shown, the number of what this is about.
    pub of: usize,
    /// The proof.
    pub document: Document,
    /// Its text.
    pub text: String,
}

/// One certificate of a document.
#[derive(Clone, Debug)]
pub struct Part {
    place: CertificatePlace,
    fingerprint: Fingerprint,
    logic: Logic,
    reading: Reading,
    value: Belnap,
    text: PartText,
}

/// Reads a certificate document. Never panics and never recurses without a limit, whatever the text.
///
/// # Errors
/// What keeps the text from being a document of a version that this crate knows, with its place.
pub fn read_document(text: &str) -> Result<Document, Box<Diagnostic>> {
    let version = match serde_json::from_str::<Head>(text) {
        Ok(head) => head.tertium_certificate,
        Err(error) => {
            return Err(malformed(text, &error)
                .help("a certificate begins with `{\"tertium_certificate\": 2, …`")
                .into());
        }
    };
    if version != FORMAT_VERSION {
        return Err(Diagnostic::error("E0602", format!("the certificate has format version {version}"))
            .at(find(text, "tertium_certificate"), "version")
            .help(format!("this program reads version {FORMAT_VERSION}"))
            .into());
    }
    let body: Body = serde_json::from_str(text).map_err(|error| Box::new(malformed(text, &error)))?;
    let parts = body.parts.into_iter().map(|part| Part::new(part, text)).collect::<Result<Vec<_>, _>>()?;
    if let (Some(counted), true) = (&body.counted, parts.is_empty() && body.invariant.is_none()) {
        let counted = Some(counted_of(counted, text)?);
        return Ok(Document { parts, invariant: None, structure: None, counted });
    }
    if parts.is_empty() && body.invariant.is_none() {
        return Err(Diagnostic::error("E0601", "this certificate proves nothing: it has no parts")
            .at(find(text, "tertium_certificate"), "`parts`, or an `invariant`, should follow")
            .into());
    }
    let invariant = body.invariant.map(|invariant| invariant_of(&invariant, text)).transpose()?;
    let structure = body.structure.map(|structure| structure_of(structure, text)).transpose()?;
    if body.counted.is_some() || invariant.is_some() && (structure.is_some() || !parts.is_empty()) {
        return Err(Diagnostic::error(
            "E0601",
            "a certificate has parts, an invariant, or counted members, and only one",
        )
        .at(find(text, if body.counted.is_some() { "counted" } else { "invariant" }), "here")
        .into());
    }
    Ok(Document { parts, invariant, structure, counted: None })
}

fn counted_of(counted: &CountedText, text: &str) -> Result<CountedPart, Box<Diagnostic>> {
    let wrong = |why: &str| Box::new(Diagnostic::error("E0601", why.to_owned()).at(find(text, "counted"), "here"));
    let inner = |value: &serde_json::Value| -> Result<(Document, String), Box<Diagnostic>> {
        if value.get("counted").is_some() {
            return Err(wrong("a proof with counted members rests on proofs of other kinds"));
        }
        let text = value.to_string();
        let document =
            read_document(&text).map_err(|why| wrong(&format!("a proof in it cannot be read: {}", why.message)))?;
        Ok((document, text))
    };
    let mut found = CountedPart { constant: counted.constant.clone(), shown: Vec::new(), sizes: Vec::new() };
    for shown in &counted.shown {
        let (document, text) = inner(&shown.certificate)?;
        found.shown.push(ShownPart { lemmas: shown.lemmas.clone(), document, text });
    }
    for sized in &counted.sizes {
        let (document, text) = inner(&sized.certificate)?;
        found.sizes.push(SizedPart { size: sized.size, of: sized.of, document, text });
    }
    let known = |&at: &usize| at < found.shown.len();
    let fits = found.shown.iter().flat_map(|shown| &shown.lemmas).chain(found.sizes.iter().map(|sized| &sized.of));
    if found.shown.is_empty() || !fits.into_iter().all(known) {
        return Err(wrong("a proof that is rested on is not there"));
    }
    Ok(found)
}

pub(super) fn unknown(text: &str, what: &str, word: &str, known: &[&str]) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("E0601", format!("`{word}` is no {what}"))
            .at(find(text, word), "here")
            .help(format!("one of {}", known.join(", "))),
    )
}

fn logic_of(text: &str, name: &str) -> Result<Logic, Box<Diagnostic>> {
    Logic::from_name(name).ok_or_else(|| unknown(text, "logic", name, &Logic::ALL.map(Logic::name)))
}

fn place_of(place: &PlaceText) -> CertificatePlace {
    match place {
        PlaceText::Whole => CertificatePlace::Whole,
        PlaceText::Assignment(values) => CertificatePlace::Assignment(values.clone()),
        PlaceText::Element(name) => CertificatePlace::Element(name.clone()),
        PlaceText::Property(PropertyText { text, stutter, fair }) => {
            CertificatePlace::Property { text: text.clone(), stutter: *stutter, fair: *fair }
        }
        PlaceText::Mistake(name) => CertificatePlace::Mistake(name.clone()),
        PlaceText::FairCompletions => CertificatePlace::FairCompletions,
    }
}

fn invariant_of(invariant: &InvariantText, text: &str) -> Result<InvariantPart, Box<Diagnostic>> {
    let value = match invariant.value.as_str() {
        "true" => Belnap::True,
        "false" => Belnap::False,
        other => return Err(unknown(text, "value that an invariant proves", other, &["true", "false"])),
    };
    Ok(InvariantPart {
        place: place_of(&invariant.place),
        formula: invariant.formula.clone(),
        logic: logic_of(text, &invariant.logic)?,
        value,
        over: abstraction_of(&invariant.over, text)?,
    })
}

pub(super) fn abstraction_of(over: &AbstractionText, text: &str) -> Result<Abstraction, Box<Diagnostic>> {
    let mut states = Vec::with_capacity(over.states.len());
    for state in &over.states {
        let cube: Option<Vec<Option<bool>>> = state.cube.chars().map(marked).collect();
        let cube = cube.ok_or_else(|| unknown(text, "list of truth values", &state.cube, &["`T`, `F` and `?`"]))?;
        states.push(AbstractState { at: state.at.clone(), values: state.values.clone(), cube });
    }
    let (always, cells, predicates) = (over.always.clone(), over.cells.clone(), over.predicates.clone());
    let named = |later: &LaterText| Later {
        pid: later.pid,
        process: later.process.clone(),
        given: later.given.iter().map(|(name, &value)| (name.clone(), value)).collect(),
    };
    let later = over.later.iter().map(named).collect();
    Ok(Abstraction { later, shared: over.shared.clone(), always, cells, predicates, states })
}

pub(super) fn marked(mark: char) -> Option<Option<bool>> {
    match mark {
        'T' => Some(Some(true)),
        'F' => Some(Some(false)),
        '?' => Some(None),
        _ => None,
    }
}

fn malformed(text: &str, error: &serde_json::Error) -> Diagnostic {
    let message = error.to_string();
    // serde_json ends its messages with the place, which the span shows already.
    let cause = message.rsplit_once(" at line ").map_or(message.as_str(), |(cause, _)| cause);
    let at = offset(text, error.line(), error.column());
    Diagnostic::error("E0601", format!("this is not a certificate: {cause}")).at(Span::new(at, at), "here")
}

/// The byte that serde_json means; its columns count bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

/// Where a string first stands in the text, quotes included; the beginning if it is written with escapes.
fn find(text: &str, value: &str) -> Span {
    let quoted = format!("\"{value}\"");
    text.find(&quoted).map_or(Span::default(), |at| Span::new(at, at + quoted.len()))
}

impl Part {
    fn new(part: PartText, text: &str) -> Result<Self, Box<Diagnostic>> {
        let unknown = |what: &str, word: &str, known: &[&str]| unknown(text, what, word, known);
        let fingerprint = Fingerprint::from_text(&part.model).ok_or_else(|| {
            unknown("fingerprint of a model", &part.model, &["`fnv1a128:` and 32 hexadecimal digits"])
        })?;
        let logic = logic_of(text, &part.logic)?;
        let deadlock = Deadlock::ALL
            .into_iter()
            .find(|known| known.name() == part.deadlock)
            .ok_or_else(|| unknown("reading of deadlocks", &part.deadlock, &Deadlock::ALL.map(Deadlock::name)))?;
        let linear = LinearReading::ALL.into_iter().find(|known| known.name() == part.linear).ok_or_else(|| {
            unknown("reading of linear formulas", &part.linear, &LinearReading::ALL.map(LinearReading::name))
        })?;
        let value = match part.value.as_str() {
            "true" => Belnap::True,
            "false" => Belnap::False,
            "both" if matches!(part.proof, ProofText::Outplayed(..)) => Belnap::Both,
            // Only two completions that disagree show that nothing is settled.
            "unknown" if matches!(part.proof, ProofText::Completions(..)) => Belnap::Unknown,
            other => {
                return Err(Diagnostic::error(
                    "E0610",
                    format!("a proof of this kind proves `true` or `false`, not `{other}`"),
                )
                .at(find(text, "value"), "here")
                .into());
            }
        };
        let place = place_of(&part.place);
        Ok(Self { place, fingerprint, logic, reading: Reading { deadlock, linear }, value, text: part })
    }

    /// Which structure of a family it is about.
    #[must_use]
    pub fn place(&self) -> &CertificatePlace {
        &self.place
    }

    /// The formula's text.
    #[must_use]
    pub fn formula(&self) -> &str {
        &self.text.formula
    }

    /// How deadlocks and linear formulas are read.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// The logic that the formula is written in.
    #[must_use]
    pub fn logic(&self) -> Logic {
        self.logic
    }

    /// Whether it is a list of claims.
    #[must_use]
    pub fn is_claims(&self) -> bool {
        matches!(self.text.proof, ProofText::Claims(_))
    }

    /// The answer that it proves.
    #[must_use]
    pub fn value(&self) -> Belnap {
        self.value
    }

    /// The certificate with its names looked up in `model`; `text` is the document's text, for places.
    ///
    /// # Errors
    /// If the model is not the one that the certificate was made for, or names are missing.
    pub fn certificate_for(&self, model: &Kmts, text: &str) -> Result<Certificate, Vec<Diagnostic>> {
        let found = Fingerprint::of(model);
        if found != self.fingerprint {
            return Err(vec![
                Diagnostic::error("E0603", "the certificate was made for another model")
                    .at(find(text, &self.text.model), "fingerprint of that model")
                    .note(format!("this model's fingerprint is `{found}`"))
                    .help("check the model again to get a certificate for it as it is now"),
            ]);
        }
        let mut names = StateNames::of(model);
        let state = names.get(&self.text.state);
        let proof = names.proof(&self.text.proof);
        if names.unknown.is_empty() && names.problems.is_empty() {
            return Ok(Certificate {
                formula: self.text.formula.clone(),
                logic: self.logic,
                reading: self.reading,
                state,
                value: self.value,
                proof,
            });
        }
        Err(names.unknown.iter().map(|name| name.diagnostic(text)).chain(names.problems).collect())
    }
}

/// A state's name that cannot be looked up.
struct Unusable {
    name: String,
    ambiguous: bool,
}

impl Unusable {
    fn diagnostic(&self, text: &str) -> Diagnostic {
        let (name, place) = (&self.name, find(text, &self.name));
        if self.ambiguous {
            Diagnostic::error("E0604", format!("several states of the model are named `{name}`"))
                .at(place, "which one?")
        } else {
            Diagnostic::error("E0604", format!("no state of the model is named `{name}`")).at(place, "unknown state")
        }
    }
}

/// More unknown names than these are not reported one by one.
const MOST_REPORTED: usize = 20;

struct StateNames<'a> {
    /// None for a name that several states have.
    known: HashMap<&'a str, Option<StateId>>,
    unknown: Vec<Unusable>,
    /// What is wrong with completions.
    problems: Vec<Diagnostic>,
}

impl<'a> StateNames<'a> {
    fn of(model: &'a Kmts) -> Self {
        let mut known = HashMap::with_capacity(model.state_count());
        for (at, name) in model.state_names().iter().enumerate() {
            known.entry(name).and_modify(|state| *state = None).or_insert(Some(StateId::new(at)));
        }
        Self { known, unknown: Vec::new(), problems: Vec::new() }
    }

    fn get(&mut self, name: &str) -> StateId {
        let found = self.known.get(name).copied();
        if let Some(Some(state)) = found {
            return state;
        }
        if self.unknown.len() < MOST_REPORTED && self.unknown.iter().all(|known| known.name != name) {
            self.unknown.push(Unusable { name: name.to_owned(), ambiguous: found.is_some() });
        }
        // Never used: a certificate with an unknown name is refused.
        StateId::new(0)
    }

    fn all(&mut self, names: &[Box<str>]) -> Vec<StateId> {
        names.iter().map(|name| self.get(name)).collect()
    }

    fn proof(&mut self, proof: &ProofText) -> Proof {
        match proof {
            ProofText::NoPath => Proof::NoPath,
            ProofText::NoWord => Proof::NoWord,
            ProofText::Settled(settled) => Proof::Settled {
                positions: settled.positions.iter().map(|(name, memory)| (self.get(name), *memory)).collect(),
                moves: settled.moves.clone(),
            },
            ProofText::Refuted(claims) => Proof::Refuted(
                claims
                    .iter()
                    .map(|claim| Refuted {
                        state: self.get(&claim.state),
                        terms: terms(&claim.terms),
                        watched: terms(&claim.watched),
                        rank: claim.rank,
                    })
                    .collect(),
            ),
            ProofText::Outplayed(stands) => Proof::Outplayed(stands.iter().map(|stand| self.stand(stand)).collect()),
            ProofText::Completions(both) => {
                match (self.completion(&both.satisfying), self.completion(&both.violating)) {
                    (Some(satisfying), Some(violating)) => Proof::Completions(Box::new([satisfying, violating])),
                    // Never used: what is wrong was said.
                    _ => Proof::NoPath,
                }
            }
            ProofText::Lasso(lasso) => Proof::Lasso { stem: self.all(&lasso.stem), cycle: self.all(&lasso.cycle) },
            ProofText::Plays(plays) => Proof::Plays {
                positions: plays.positions.iter().map(|(name, memory)| (self.get(name), *memory)).collect(),
                moves: plays.moves.clone(),
            },
            ProofText::Labels(labels) => Proof::Labels(
                labels
                    .iter()
                    .map(|label| (NodeId::new(label.node as usize), self.all(&label.yes), self.all(&label.no)))
                    .collect(),
            ),
            ProofText::Claims(claims) => Proof::Claims(
                claims
                    .iter()
                    .map(|claim| Claim {
                        state: self.get(&claim.state),
                        node: NodeId::new(claim.node as usize),
                        positive: claim.is,
                        choice: self.choice(&claim.by),
                    })
                    .collect(),
            ),
        }
    }

    fn stand(&mut self, stand: &StandText) -> Stand {
        let watch =
            |watch: &WatchText| Watch { name: watch.name, threads: watch.threads.clone(), met: watch.met.clone() };
        Stand {
            states: self.all(&stand.states),
            terms: stand.terms.clone(),
            watched: stand.watched.iter().map(watch).collect(),
            moves: stand.moves.clone(),
        }
    }

    /// A completion; its own proof speaks of its own states.
    fn completion(&mut self, text: &CompletionText) -> Option<CompletionProof> {
        let bytes = text.structure.to_string();
        let loaded = read_bytes("completion", Format::Json, bytes.as_bytes(), &Budget::unlimited()).ok()?;
        let Some(Model::Kmts(structure)) = loaded.model else {
            let why = loaded.diagnostics.first().map_or("it is another kind of model", |found| &found.message);
            self.problems.push(Diagnostic::error("E0622", format!("a completion is no structure: {why}")));
            return None;
        };
        let mut inner = StateNames::of(&structure);
        let proof = inner.proof(&text.proof);
        let mut refines = vec![Vec::new(); structure.state_count()];
        for (name, refined) in &text.refines {
            let (state, refined) = (inner.get(name), self.all(refined));
            if let Some(place) = refines.get_mut(state.index()) {
                *place = refined;
            }
        }
        for name in &inner.unknown {
            let message = format!("no single state of a completion is named `{}`", name.name);
            self.problems.push(Diagnostic::error("E0622", message));
        }
        let usable = inner.unknown.is_empty() && inner.problems.is_empty();
        self.problems.append(&mut inner.problems);
        usable.then_some(CompletionProof { structure, refines, proof })
    }

    fn choice(&mut self, choice: &ChoiceText) -> Choice {
        match choice {
            ChoiceText::Nothing => Choice::None,
            ChoiceText::Operand(operand) => Choice::Operand(*operand),
            ChoiceText::Into(members) => Choice::Into(self.all(members)),
            ChoiceText::Onward => Choice::Onward,
            ChoiceText::Along(set) => Choice::Along(*set),
        }
    }
}

fn terms(texts: &[(u32, bool)]) -> Vec<(NodeId, bool)> {
    texts.iter().map(|&(node, positive)| (NodeId::new(node as usize), positive)).collect()
}
