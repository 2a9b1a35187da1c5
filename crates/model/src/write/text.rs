//! Models as lines for people.

use std::io::{self, Write};

use tertium_base::BitSet;
use tertium_lattice::Belnap;

use super::json::edge_sources;
use super::{quoted, separated};
use crate::kmts::{ActionId, Edge, EdgeId, HyperEdge, Kmts, PropId, StateId};
use crate::lattice_model::LatticeModel;
use crate::owners::PlayerId;
use crate::param::ParamModel;
use crate::read::{Model, Property, is_bare_name};

/// Writes a model, and the properties that came with it, as `.kmts`.
///
/// # Errors
/// Whatever the output reports.
pub fn write_kmts(out: &mut dyn Write, model: &Model, properties: &[Property]) -> io::Result<()> {
    match model {
        Model::Kmts(kmts) => kmts_lines(out, kmts)?,
        Model::Lattice(model) => lattice_lines(out, model)?,
        Model::Param(model) => param_lines(out, model)?,
    }
    for property in properties {
        out.write_all(b"property ")?;
        name(out, &property.name)?;
        // One line: a line break inside a formula means no more than a blank.
        let formula = property.formula.replace(['\n', '\r'], " ");
        match &property.logic {
            Some(logic) => writeln!(out, " : [{logic}] {formula}")?,
            None => writeln!(out, " : {formula}")?,
        }
    }
    Ok(())
}

fn name(out: &mut dyn Write, name: &str) -> io::Result<()> {
    if is_bare_name(name) { out.write_all(name.as_bytes()) } else { quoted(out, name) }
}

fn list<'a>(out: &mut dyn Write, keyword: &str, names: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
    write!(out, "{keyword} ")?;
    separated(out, ", ", names, |out, item| name(out, item))?;
    out.write_all(b"\n")
}

fn strings(list: &[String]) -> impl Iterator<Item = &str> {
    list.iter().map(String::as_str)
}

/// A value as written after a colon or inside `-[ ]->`; quoted if it would not be read back as it stands.
fn value(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let plain = !text.is_empty()
        && text.trim() == text
        && !text.bytes().any(|byte| matches!(byte, b',' | b'#' | b']' | b'"' | b'\\') || byte < 0x20);
    if plain { out.write_all(text.as_bytes()) } else { quoted(out, text) }
}

fn state_lines<'a>(
    out: &mut dyn Write,
    props: &[String],
    states: impl Iterator<Item = (StateId, &'a str)>,
    text: impl Fn(StateId, PropId) -> String,
) -> io::Result<()> {
    for (state, state_name) in states {
        out.write_all(b"state ")?;
        name(out, state_name)?;
        if !props.is_empty() {
            out.write_all(b"  ")?;
        }
        separated(out, ", ", props.iter().enumerate(), |out, (at, prop)| {
            name(out, prop)?;
            out.write_all(b": ")?;
            value(out, &text(state, PropId::new(at)))
        })?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn init_line<'a>(out: &mut dyn Write, init: impl ExactSizeIterator<Item = &'a str>) -> io::Result<()> {
    if init.len() == 0 {
        return Ok(());
    }
    list(out, "init", init)
}

fn kmts_lines(out: &mut dyn Write, kmts: &Kmts) -> io::Result<()> {
    list(out, "props", strings(kmts.props()))?;
    if !kmts.actions().is_empty() {
        list(out, "actions", strings(kmts.actions()))?;
    }
    if kmts.total() {
        out.write_all(b"total\n")?;
    }
    if kmts.is_mixed() {
        out.write_all(b"mixed\n")?;
    }
    let listed = kmts.states().map(|state| (state, kmts.state_name(state)));
    state_lines(out, kmts.props(), listed, |state, prop| match kmts.label(state, prop) {
        Belnap::Unknown => "?".to_owned(),
        value => value.letter().to_owned(),
    })?;
    init_line(out, kmts.init().iter().map(|&state| kmts.state_name(state)))?;
    owner_lines(out, kmts)?;
    for state in kmts.states() {
        for edge in kmts.edges_from(state) {
            plain_edge(out, kmts, state, edge)?;
        }
        for edge in kmts.hyper_from(state) {
            hyper_edge(out, kmts, state, edge)?;
        }
    }
    fairness_lines(out, kmts)
}

/// One line for each player but `system`, who owns the rest.
fn owner_lines(out: &mut dyn Write, kmts: &Kmts) -> io::Result<()> {
    for player in (1..kmts.players().len()).map(PlayerId::new) {
        out.write_all(b"owner ")?;
        let owned = kmts.states().filter(|&state| kmts.owner(state) == player);
        separated(out, ", ", owned, |out, state| name(out, kmts.state_name(state)))?;
        out.write_all(b" = ")?;
        name(out, &kmts.players()[player.index()])?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn edge_start(out: &mut dyn Write, kmts: &Kmts, from: StateId, kind: &str, action: Option<ActionId>) -> io::Result<()> {
    name(out, kmts.state_name(from))?;
    write!(out, " -{kind}")?;
    if let Some(action) = action {
        out.write_all(b":")?;
        name(out, &kmts.actions()[action.index()])?;
    }
    out.write_all(b"-> ")
}

fn plain_edge(out: &mut dyn Write, kmts: &Kmts, from: StateId, edge: Edge) -> io::Result<()> {
    let kind = match (edge.may, edge.must) {
        (true, true) => "must",
        (true, false) => "may",
        _ => "mustonly",
    };
    edge_start(out, kmts, from, kind, edge.action)?;
    name(out, kmts.state_name(edge.target))?;
    out.write_all(b"\n")
}

fn hyper_edge(out: &mut dyn Write, kmts: &Kmts, from: StateId, edge: HyperEdge<'_>) -> io::Result<()> {
    // `hyper` adds may edges of the same action, so it fits only if those are there anyway.
    let possible = |member: &StateId| {
        kmts.edges_from(from).any(|plain| plain.may && plain.target == *member && plain.action == edge.action)
    };
    let kind = if edge.members.iter().all(possible) { "hyper" } else { "hyperonly" };
    edge_start(out, kmts, from, kind, edge.action)?;
    out.write_all(b"{")?;
    separated(out, ", ", edge.members, |out, &member| name(out, kmts.state_name(member)))?;
    out.write_all(b"}\n")
}

fn fairness_lines(out: &mut dyn Write, kmts: &Kmts) -> io::Result<()> {
    let sources = edge_sources(kmts);
    let set = |out: &mut dyn Write, edges: &BitSet| {
        out.write_all(b"{")?;
        separated(out, ",\n  ", edges.iter(), |out, at| {
            let edge = kmts.edge(EdgeId::new(at));
            name(out, kmts.state_name(sources(at)))?;
            out.write_all(b" -")?;
            if let Some(action) = edge.action {
                name(out, &kmts.actions()[action.index()])?;
                out.write_all(b"-")?;
            }
            out.write_all(b"> ")?;
            name(out, kmts.state_name(edge.target))
        })?;
        out.write_all(b"}")
    };
    for constraint in kmts.fairness() {
        out.write_all(b"fair ")?;
        set(out, &constraint.possible)?;
        if constraint.certain != constraint.possible {
            out.write_all(b" certain ")?;
            set(out, &constraint.certain)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn valued_edge(out: &mut dyn Write, from: &str, text: &str, to: &str) -> io::Result<()> {
    name(out, from)?;
    out.write_all(b" -[")?;
    value(out, text)?;
    out.write_all(b"]-> ")?;
    name(out, to)?;
    out.write_all(b"\n")
}

fn param_lines(out: &mut dyn Write, model: &ParamModel) -> io::Result<()> {
    list(out, "params", strings(model.params()))?;
    list(out, "props", strings(model.props()))?;
    if model.total() {
        out.write_all(b"total\n")?;
    }
    let listed = model.states().map(|state| (state, model.state_name(state)));
    state_lines(out, model.props(), listed, |state, prop| model.value_text(model.label(state, prop)))?;
    init_line(out, model.init().iter().map(|&state| model.state_name(state)))?;
    for edge in model.edges() {
        valued_edge(out, model.state_name(edge.from), &model.value_text(edge.value), model.state_name(edge.to))?;
    }
    for constraint in model.fair() {
        out.write_all(b"fair {")?;
        separated(out, ",\n  ", constraint, |out, &(from, to)| {
            name(out, model.state_name(from))?;
            out.write_all(b" -> ")?;
            name(out, model.state_name(to))
        })?;
        out.write_all(b"}\n")?;
    }
    Ok(())
}

fn lattice_lines(out: &mut dyn Write, model: &LatticeModel) -> io::Result<()> {
    let lattice = model.lattice();
    out.write_all(b"lattice")?;
    if let Some(known) = model.lattice_name() {
        out.write_all(b" ")?;
        name(out, known)?;
    }
    if !model.built_in {
        out.write_all(b" {\n  ")?;
        list(out, "elements", strings(lattice.names()))?;
        out.write_all(b"  order ")?;
        let pairs = lattice.elements().flat_map(|low| lattice.elements().map(move |high| (low, high)));
        separated(out, ", ", pairs.filter(|&(low, high)| covers(model, low, high)), |out, (low, high)| {
            name(out, lattice.name(low))?;
            out.write_all(b" < ")?;
            name(out, lattice.name(high))
        })?;
        if lattice.len() == 1 {
            name(out, &lattice.names()[0])?;
        }
        out.write_all(b"\n  neg ")?;
        separated(out, ", ", lattice.elements(), |out, element| {
            name(out, lattice.name(element))?;
            out.write_all(b": ")?;
            name(out, lattice.name(lattice.neg(element)))
        })?;
        out.write_all(b"\n}")?;
    }
    out.write_all(b"\n")?;
    list(out, "props", strings(model.props()))?;
    let listed = model.states().map(|state| (state, model.state_name(state)));
    state_lines(out, model.props(), listed, |state, prop| lattice.name(model.label(state, prop)).to_owned())?;
    init_line(out, model.init().iter().map(|&state| model.state_name(state)))?;
    for state in model.states() {
        for edge in model.edges_from(state) {
            valued_edge(out, model.state_name(state), lattice.name(edge.value), model.state_name(edge.target))?;
        }
    }
    Ok(())
}

/// Whether `high` is next above `low`.
fn covers(model: &LatticeModel, low: tertium_lattice::Element, high: tertium_lattice::Element) -> bool {
    let lattice = model.lattice();
    let below = |a, b| a != b && lattice.leq(a, b);
    below(low, high) && !lattice.elements().any(|between| below(low, between) && below(between, high))
}
