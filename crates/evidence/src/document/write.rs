//! Certificates to text, claim by claim, so that a large proof is never held twice.

use std::io::{self, Write};

use tertium_logic::NodeId;
use tertium_model::{Kmts, Model, StateId, write_json};

use super::{CertificatePlace, FORMAT_VERSION, InvariantPart};
use crate::abstraction::{Abstraction, Later, Rank, RankedSet, Structure};
use crate::fingerprint::Fingerprint;
use crate::{Certificate, Choice, Claim, CompletionProof, Proof, Refuted, Stand};

/// Writes a certificate document: for each part which structure of a family it is about, that structure,
/// and its certificate.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_document(out: &mut dyn Write, parts: &[(CertificatePlace, &Kmts, &Certificate)]) -> io::Result<()> {
    write!(out, "{{\n\"tertium_certificate\": {FORMAT_VERSION},\n\"parts\": [")?;
    written_parts(out, parts)
}

fn written_parts(out: &mut dyn Write, parts: &[(CertificatePlace, &Kmts, &Certificate)]) -> io::Result<()> {
    for (at, (place, model, certificate)) in parts.iter().enumerate() {
        out.write_all(if at == 0 { b"\n{" } else { b",\n{" })?;
        Writer { out, model }.part(place, certificate)?;
        out.write_all(b"}")?;
    }
    out.write_all(b"\n]\n}\n")
}

/// Writes a certificate document about a structure over abstract states.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_structure(
    out: &mut dyn Write,
    (over, structure): (&Abstraction, &Structure),
    parts: &[(CertificatePlace, &Kmts, &Certificate)],
) -> io::Result<()> {
    write!(out, "{{\n\"tertium_certificate\": {FORMAT_VERSION},\n\"structure\": {{")?;
    abstraction(out, over)?;
    out.write_all(b",\n  \"labels\": [")?;
    for (at, row) in structure.labels.iter().enumerate() {
        let row: String = row.iter().map(|&value| mark(value)).collect();
        write!(out, "{}\"{row}\"", if at == 0 { "" } else { ", " })?;
    }
    out.write_all(b"]")?;
    listed(out, "initial", &structure.initial)?;
    listed(out, "stops", &structure.stops)?;
    if !structure.untold.is_empty() {
        listed(out, "untold", &structure.untold)?;
    }
    listed(out, "steps", &structure.steps)?;
    listed(out, "certain", &structure.certain)?;
    listed(out, "able", &structure.able)?;
    if structure.makes_promises() {
        let ranks = structure.ranks.iter();
        let told = |rank: &Rank| serde_json::json!({"terms": rank.terms, "decreasing": rank.decreasing, "non_increasing": rank.non_increasing});
        listed(out, "ranks", &ranks.map(told).collect::<Vec<_>>())?;
        let set = |set: &RankedSet| serde_json::json!({"from": set.from, "by": set.by, "into": set.into});
        if !structure.ranked.is_empty() {
            listed(out, "ranked", &structure.ranked.iter().map(set).collect::<Vec<_>>())?;
        }
        listed(out, "strong", &structure.strong)?;
    }
    out.write_all(b"},\n\"parts\": [")?;
    written_parts(out, parts)
}

/// A list, with a line for each item that is a list itself.
fn listed<T: serde::Serialize>(out: &mut dyn Write, name: &str, items: &[T]) -> io::Result<()> {
    write!(out, ",\n  \"{name}\": [")?;
    for (at, item) in items.iter().enumerate() {
        out.write_all(if at == 0 { b"\n   " } else { b",\n   " })?;
        serde_json::to_writer(&mut *out, item).map_err(io::Error::from)?;
    }
    out.write_all(b"]")
}

/// Writes a certificate document about abstract states that contain everything that is reached.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_invariant(out: &mut dyn Write, invariant: &InvariantPart) -> io::Result<()> {
    write!(out, "{{\n\"tertium_certificate\": {FORMAT_VERSION},\n\"invariant\": {{")?;
    place(out, &invariant.place)?;
    let value = invariant.value.to_string();
    for (name, value) in [("formula", invariant.formula.as_str()), ("logic", invariant.logic.name()), ("value", &value)]
    {
        write!(out, "\"{name}\": ")?;
        string(out, value)?;
        out.write_all(b",\n ")?;
    }
    abstraction(out, &invariant.over)?;
    out.write_all(b"}\n}\n")
}

/// Writes a certificate document about programs in which members of families are counted. `shown` has certificates as they are written by
/// the other functions here, each with the numbers of those that it takes to hold; `sizes` has the size of a system, the number
/// of what is shown of it, and the certificate.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_counted(
    out: &mut dyn Write,
    constant: Option<&str>,
    shown: &[(Vec<usize>, String)],
    sizes: &[(i64, usize, String)],
) -> io::Result<()> {
    write!(out, "{{\n\"tertium_certificate\": {FORMAT_VERSION},\n\"counted\": {{")?;
    if let Some(constant) = constant {
        out.write_all(b"\"constant\": ")?;
        string(out, constant)?;
        out.write_all(b",\n ")?;
    }
    out.write_all(b"\"shown\": [")?;
    for (at, (lemmas, certificate)) in shown.iter().enumerate() {
        let (comma, certificate) = (if at == 0 { "" } else { "," }, certificate.trim_end());
        write!(out, "{comma}\n{{\"lemmas\": {lemmas:?}, \"certificate\": {certificate}}}")?;
    }
    out.write_all(b"],\n \"sizes\": [")?;
    for (at, (size, of, certificate)) in sizes.iter().enumerate() {
        let (comma, certificate) = (if at == 0 { "" } else { "," }, certificate.trim_end());
        write!(out, "{comma}\n{{\"size\": {size}, \"of\": {of}, \"certificate\": {certificate}}}")?;
    }
    out.write_all(b"]}\n}\n")
}

fn string(out: &mut dyn Write, text: &str) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
}

/// What the abstract states are over, and the states.
fn abstraction(out: &mut dyn Write, over: &Abstraction) -> io::Result<()> {
    out.write_all(b"\"over\": {")?;
    later(out, &over.later)?;
    if !over.shared.is_empty() {
        texts(out, "shared", &over.shared)?;
    }
    for (name, list) in [("always", &over.always), ("cells", &over.cells), ("predicates", &over.predicates)] {
        texts(out, name, list)?;
    }
    out.write_all(b"\"states\": [")?;
    for (at, state) in over.states.iter().enumerate() {
        out.write_all(if at == 0 { b"\n   {\"at\": " } else { b",\n   {\"at\": " })?;
        serde_json::to_writer(&mut *out, &state.at).map_err(io::Error::from)?;
        out.write_all(b", \"values\": ")?;
        serde_json::to_writer(&mut *out, &state.values).map_err(io::Error::from)?;
        let cube: String = state.cube.iter().map(|&value| mark(value)).collect();
        write!(out, ", \"cube\": \"{cube}\"}}")?;
    }
    out.write_all(b"]}")
}

fn texts(out: &mut dyn Write, name: &str, list: &[String]) -> io::Result<()> {
    write!(out, "\"{name}\": [")?;
    for (at, text) in list.iter().enumerate() {
        out.write_all(if at == 0 { b"\n   " } else { b",\n   " })?;
        string(out, text)?;
    }
    out.write_all(b"],\n  ")
}

/// The processes that may be started later, if there are any.
fn later(out: &mut dyn Write, later: &[Later]) -> io::Result<()> {
    for (at, one) in later.iter().enumerate() {
        out.write_all(if at == 0 { b"\"later\": [\n   " } else { b",\n   " })?;
        write!(out, "{{\"pid\": {}, \"process\": ", one.pid)?;
        string(out, &one.process)?;
        out.write_all(b", \"given\": {")?;
        for (position, (name, value)) in one.given.iter().enumerate() {
            out.write_all(if position == 0 { b"" } else { b", " })?;
            string(out, name)?;
            write!(out, ": {value}")?;
        }
        out.write_all(b"}}")?;
    }
    out.write_all(if later.is_empty() { b"" } else { b"],\n  " })
}

const fn mark(value: Option<bool>) -> char {
    match value {
        Some(true) => 'T',
        Some(false) => 'F',
        None => '?',
    }
}

/// Which structure of a family, or which question about a program.
fn place(out: &mut dyn Write, place: &CertificatePlace) -> io::Result<()> {
    match place {
        CertificatePlace::Whole => Ok(()),
        CertificatePlace::FairCompletions => out.write_all(b"\"where\": \"fair-completions\",\n "),
        CertificatePlace::Element(name) | CertificatePlace::Mistake(name) => {
            let kind = if matches!(place, CertificatePlace::Element(_)) { "element" } else { "mistake" };
            write!(out, "\"where\": {{\"{kind}\": ")?;
            string(out, name)?;
            out.write_all(b"},\n ")
        }
        CertificatePlace::Property { text, stutter, fair } => {
            out.write_all(b"\"where\": {\"property\": {\"text\": ")?;
            string(out, text)?;
            let fair = if *fair { ", \"fair\": true" } else { "" };
            write!(out, ", \"stutter\": {stutter}{fair}}}}},\n ")
        }
        CertificatePlace::Assignment(values) => {
            out.write_all(b"\"where\": {\"assignment\": ")?;
            serde_json::to_writer(&mut *out, values).map_err(io::Error::from)?;
            out.write_all(b"},\n ")
        }
    }
}

struct Writer<'a> {
    out: &'a mut dyn Write,
    model: &'a Kmts,
}

impl Writer<'_> {
    fn raw(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    fn string(&mut self, text: &str) -> io::Result<()> {
        self::string(self.out, text)
    }

    fn field(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.string(name)?;
        self.raw(": ")?;
        self.string(value)?;
        self.raw(",\n ")
    }

    fn state(&mut self, state: StateId) -> io::Result<()> {
        if state.index() >= self.model.state_count() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the certificate has a state that its model lacks",
            ));
        }
        let model = self.model;
        self.string(model.state_name(state))
    }

    /// A list on one line.
    fn list<T>(&mut self, items: &[T], item: impl FnMut(&mut Self, &T) -> io::Result<()>) -> io::Result<()> {
        self.separated(items, ["[", ", "], item)
    }

    /// A list with a line for each item.
    fn lines<T>(&mut self, items: &[T], item: impl FnMut(&mut Self, &T) -> io::Result<()>) -> io::Result<()> {
        self.separated(items, ["[\n  ", ",\n  "], item)
    }

    fn separated<T>(
        &mut self,
        items: &[T],
        [first, next]: [&str; 2],
        mut item: impl FnMut(&mut Self, &T) -> io::Result<()>,
    ) -> io::Result<()> {
        for (at, one) in items.iter().enumerate() {
            self.raw(if at == 0 { first } else { next })?;
            item(self, one)?;
        }
        self.raw(if items.is_empty() { "[]" } else { "]" })
    }

    fn states(&mut self, states: &[StateId]) -> io::Result<()> {
        self.list(states, |writer, &state| writer.state(state))
    }

    fn part(&mut self, place: &CertificatePlace, certificate: &Certificate) -> io::Result<()> {
        self::place(self.out, place)?;
        let fingerprint = Fingerprint::of(self.model).to_string();
        self.field("model", &fingerprint)?;
        self.field("formula", &certificate.formula)?;
        self.field("logic", certificate.logic.name())?;
        self.field("deadlock", certificate.reading.deadlock.name())?;
        self.field("linear", certificate.reading.linear.name())?;
        self.raw("\"state\": ")?;
        self.state(certificate.state)?;
        self.raw(",\n ")?;
        self.field("value", certificate.value.word())?;
        self.raw("\"proof\": ")?;
        self.proof(&certificate.proof)
    }

    fn proof(&mut self, proof: &Proof) -> io::Result<()> {
        match proof {
            Proof::NoPath => return self.raw("\"no-path\""),
            Proof::NoWord => return self.raw("\"no-word\""),
            Proof::Claims(claims) => {
                self.raw("{\"claims\": ")?;
                self.lines(claims, |writer, claim| writer.claim(claim))?;
            }
            Proof::Lasso { stem, cycle } => {
                self.raw("{\"lasso\": {\"stem\": ")?;
                self.states(stem)?;
                self.raw(", \"cycle\": ")?;
                self.states(cycle)?;
                self.raw("}")?;
            }
            Proof::Plays { positions, moves } => {
                self.raw("{\"plays\": ")?;
                self.positions(positions)?;
                self.lines(moves, |writer, moves| writer.list(moves, |writer, to| write!(writer.out, "{to}")))?;
                self.raw("}")?;
            }
            Proof::Settled { positions, moves } => {
                self.raw("{\"settled\": ")?;
                self.positions(positions)?;
                self.lines(moves, |writer, ways| {
                    writer.list(ways, |writer, way| writer.list(way, |writer, to| write!(writer.out, "{to}")))
                })?;
                self.raw("}")?;
            }
            Proof::Refuted(claims) => {
                self.raw("{\"refuted\": ")?;
                self.lines(claims, |writer, claim| writer.refuted(claim))?;
            }
            Proof::Outplayed(stands) => {
                self.raw("{\"outplayed\": ")?;
                self.lines(stands, |writer, stand| writer.stand(stand))?;
            }
            Proof::Completions(both) => {
                self.raw("{\"completions\": {\"satisfying\": ")?;
                self.completion(&both[0])?;
                self.raw(",\n \"violating\": ")?;
                self.completion(&both[1])?;
                self.raw("}")?;
            }
            Proof::Labels(labels) => {
                self.raw("{\"labels\": ")?;
                self.lines(labels, |writer, (node, yes, no)| {
                    write!(writer.out, "{{\"node\": {}, \"true\": ", node.index())?;
                    writer.states(yes)?;
                    writer.raw(", \"false\": ")?;
                    writer.states(no)?;
                    writer.raw("}")
                })?;
            }
        }
        self.raw("}")
    }

    /// The positions of a strategy; its moves follow.
    fn positions(&mut self, positions: &[(StateId, u32)]) -> io::Result<()> {
        self.raw("{\"positions\": ")?;
        self.lines(positions, |writer, &(state, memory)| {
            writer.raw("[")?;
            writer.state(state)?;
            write!(writer.out, ", {memory}]")
        })?;
        self.raw(",\n \"moves\": ")
    }

    fn terms(&mut self, terms: &[(NodeId, bool)]) -> io::Result<()> {
        self.list(terms, |writer, (node, positive)| write!(writer.out, "[{}, {positive}]", node.index()))
    }

    fn refuted(&mut self, claim: &Refuted) -> io::Result<()> {
        self.raw("{\"state\": ")?;
        self.state(claim.state)?;
        self.raw(", \"terms\": ")?;
        self.terms(&claim.terms)?;
        self.raw(", \"watched\": ")?;
        self.terms(&claim.watched)?;
        write!(self.out, ", \"rank\": {}}}", claim.rank)
    }

    fn stand(&mut self, stand: &Stand) -> io::Result<()> {
        self.raw("{\"states\": ")?;
        self.states(&stand.states)?;
        self.raw(", \"terms\": ")?;
        self.list(&stand.terms, |writer, term| write!(writer.out, "{term}"))?;
        self.raw(", \"watched\": ")?;
        self.list(&stand.watched, |writer, watch| {
            write!(writer.out, "{{\"name\": {}, \"threads\": ", watch.name)?;
            writer.threads(&watch.threads)?;
            writer.raw(", \"met\": ")?;
            writer.threads(&watch.met)?;
            writer.raw("}")
        })?;
        self.raw(", \"moves\": ")?;
        self.list(&stand.moves, |writer, (demand, stands)| {
            write!(writer.out, "[{demand}, ")?;
            writer.list(stands, |writer, stand| write!(writer.out, "{stand}"))?;
            writer.raw("]")
        })?;
        self.raw("}")
    }

    fn threads(&mut self, threads: &[(u32, u32)]) -> io::Result<()> {
        self.list(threads, |writer, (term, priority)| write!(writer.out, "[{term}, {priority}]"))
    }

    fn completion(&mut self, completion: &CompletionProof) -> io::Result<()> {
        self.raw("{\"structure\": ")?;
        write_json(self.out, &Model::Kmts(completion.structure.clone()), &[])?;
        self.raw(",\n \"refines\": ")?;
        let named = completion.structure.states().zip(&completion.refines);
        for (at, (state, refined)) in named.enumerate() {
            self.raw(if at == 0 { "{\n  " } else { ",\n  " })?;
            self.string(completion.structure.state_name(state))?;
            self.raw(": ")?;
            self.states(refined)?;
        }
        self.raw("}")?;
        self.raw(",\n \"proof\": ")?;
        Writer { out: self.out, model: &completion.structure }.proof(&completion.proof)?;
        self.raw("}")
    }

    fn claim(&mut self, claim: &Claim) -> io::Result<()> {
        self.raw("{\"state\": ")?;
        self.state(claim.state)?;
        write!(self.out, ", \"node\": {}, \"is\": {}", claim.node.index(), claim.positive)?;
        match &claim.choice {
            Choice::None => {}
            Choice::Onward => self.raw(", \"by\": \"onward\"")?,
            Choice::Along(set) => write!(self.out, ", \"by\": {{\"along\": {set}}}")?,
            Choice::Operand(operand) => write!(self.out, ", \"by\": {{\"operand\": {operand}}}")?,
            Choice::Into(members) => {
                self.raw(", \"by\": {\"into\": ")?;
                self.states(members)?;
                self.raw("}")?;
            }
        }
        self.raw("}")
    }
}
