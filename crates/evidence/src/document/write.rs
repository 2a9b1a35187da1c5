//! Certificates to text, claim by claim, so that a large proof is never held twice.

use std::io::{self, Write};

use tertium_logic::NodeId;
use tertium_model::{Kmts, Model, StateId, write_json};

use super::{FORMAT_VERSION, Place};
use crate::fingerprint::Fingerprint;
use crate::{Certificate, Choice, Claim, CompletionProof, Proof, Refuted};

/// Writes a certificate document: for each part which structure of a family it is about, that structure,
/// and its certificate.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_document(out: &mut dyn Write, parts: &[(Place, &Kmts, &Certificate)]) -> io::Result<()> {
    write!(out, "{{\n\"tertium_certificate\": {FORMAT_VERSION},\n\"parts\": [")?;
    for (at, (place, model, certificate)) in parts.iter().enumerate() {
        out.write_all(if at == 0 { b"\n{" } else { b",\n{" })?;
        Writer { out, model }.part(place, certificate)?;
        out.write_all(b"}")?;
    }
    out.write_all(b"\n]\n}\n")
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
        serde_json::to_writer(&mut self.out, text).map_err(io::Error::from)
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

    fn part(&mut self, place: &Place, certificate: &Certificate) -> io::Result<()> {
        match place {
            Place::Whole => {}
            Place::Element(name) | Place::Mistake(name) => {
                let kind = if matches!(place, Place::Element(_)) { "element" } else { "mistake" };
                write!(self.out, "\"where\": {{\"{kind}\": ")?;
                self.string(name)?;
                self.raw("},\n ")?;
            }
            Place::Property { text, stutter } => {
                self.raw("\"where\": {\"property\": {\"text\": ")?;
                self.string(text)?;
                write!(self.out, ", \"stutter\": {stutter}}}}},\n ")?;
            }
            Place::Assignment(values) => {
                self.raw("\"where\": {\"assignment\": ")?;
                serde_json::to_writer(&mut self.out, values).map_err(io::Error::from)?;
                self.raw("},\n ")?;
            }
        }
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
