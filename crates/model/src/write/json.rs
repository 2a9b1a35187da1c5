//! Models as JSON, in the fields and the order in which people list them.

use std::io::{self, Write};

use tertium_base::BitSet;

use super::{quoted, separated};
use crate::kmts::{EdgeId, Kmts, PropId, StateId};
use crate::lattice_model::LatticeModel;
use crate::param::ParamModel;
use crate::read::{Model, Property};

/// Writes a model, and the properties that came with it, as JSON.
///
/// # Errors
/// Whatever the output reports.
pub fn write_json(out: &mut dyn Write, model: &Model, properties: &[Property]) -> io::Result<()> {
    out.write_all(b"{")?;
    match model {
        Model::Kmts(kmts) => kmts_fields(out, kmts)?,
        Model::Lattice(model) => lattice_fields(out, model)?,
        Model::Param(model) => param_fields(out, model)?,
    }
    if !properties.is_empty() {
        out.write_all(b",\n \"properties\": [")?;
        separated(out, ",\n  ", properties, property)?;
        out.write_all(b"]")?;
    }
    out.write_all(b"}\n")
}

fn property(out: &mut dyn Write, property: &Property) -> io::Result<()> {
    out.write_all(b"{\"name\": ")?;
    quoted(out, &property.name)?;
    if let Some(logic) = &property.logic {
        out.write_all(b", \"logic\": ")?;
        quoted(out, logic)?;
    }
    out.write_all(b", \"formula\": ")?;
    quoted(out, &property.formula)?;
    out.write_all(b"}")
}

fn names<'a>(out: &mut dyn Write, names: impl IntoIterator<Item = &'a str>) -> io::Result<()> {
    out.write_all(b"[")?;
    separated(out, ", ", names, |out, name| quoted(out, name))?;
    out.write_all(b"]")
}

/// `"states": {...}` with one line a state.
fn states<'a>(
    out: &mut dyn Write,
    props: &[String],
    states: impl Iterator<Item = (StateId, &'a str)>,
    value: impl Fn(StateId, PropId) -> Option<String>,
) -> io::Result<()> {
    out.write_all(b"\"states\": {")?;
    separated(out, ",\n  ", states, |out, (state, name)| {
        quoted(out, name)?;
        out.write_all(b": {")?;
        let labels = props.iter().enumerate().filter_map(|(at, prop)| Some((prop, value(state, PropId::new(at))?)));
        separated(out, ", ", labels, |out, (prop, value)| {
            quoted(out, prop)?;
            out.write_all(b": ")?;
            quoted(out, &value)
        })?;
        out.write_all(b"}")
    })?;
    out.write_all(b"},\n \"props\": ")?;
    names(out, props.iter().map(String::as_str))
}

fn init<'a>(out: &mut dyn Write, init: impl Iterator<Item = &'a str>) -> io::Result<()> {
    let init: Vec<&str> = init.collect();
    match init[..] {
        [] => Ok(()),
        [single] => {
            out.write_all(b",\n \"init\": ")?;
            quoted(out, single)
        }
        _ => {
            out.write_all(b",\n \"init\": ")?;
            names(out, init)
        }
    }
}

fn kmts_fields(out: &mut dyn Write, kmts: &Kmts) -> io::Result<()> {
    let listed = kmts.states().map(|state| (state, kmts.state_name(state)));
    states(out, kmts.props(), listed, |state, prop| Some(kmts.label(state, prop).letter().to_owned()))?;
    if !kmts.actions().is_empty() {
        out.write_all(b",\n \"actions\": ")?;
        names(out, kmts.actions().iter().map(String::as_str))?;
    }
    edges(out, kmts, "must", |edge| edge.must)?;
    edges(out, kmts, "may", |edge| edge.may)?;
    hyper_edges(out, kmts)?;
    fairness(out, kmts)?;
    init(out, kmts.init().iter().map(|&state| kmts.state_name(state)))?;
    owners(out, kmts)?;
    if kmts.total() {
        out.write_all(b",\n \"total\": true")?;
    }
    if kmts.is_mixed() {
        out.write_all(b",\n \"mixed\": true")?;
    }
    Ok(())
}

/// The owners of states that do not belong to `system`.
fn owners(out: &mut dyn Write, kmts: &Kmts) -> io::Result<()> {
    if !kmts.is_game() {
        return Ok(());
    }
    out.write_all(b",\n \"owner\": {")?;
    let owned = kmts.states().filter(|&state| kmts.owner(state).index() > 0);
    separated(out, ", ", owned, |out, state| {
        quoted(out, kmts.state_name(state))?;
        out.write_all(b": ")?;
        quoted(out, kmts.owner_name(state))
    })?;
    out.write_all(b"}")
}

fn edges(out: &mut dyn Write, kmts: &Kmts, field: &str, wanted: fn(crate::Edge) -> bool) -> io::Result<()> {
    write!(out, ",\n \"{field}\": [")?;
    let all = kmts.states().flat_map(|state| kmts.edges_from(state).map(move |edge| (state, edge)));
    separated(out, ",\n  ", all.filter(|(_, edge)| wanted(*edge)), |out, (state, edge)| {
        one_edge(out, kmts, state, edge)
    })?;
    out.write_all(b"]")
}

fn one_edge(out: &mut dyn Write, kmts: &Kmts, from: StateId, edge: crate::Edge) -> io::Result<()> {
    out.write_all(b"[")?;
    quoted(out, kmts.state_name(from))?;
    out.write_all(b", ")?;
    quoted(out, kmts.state_name(edge.target))?;
    action(out, kmts, edge.action)?;
    out.write_all(b"]")
}

fn action(out: &mut dyn Write, kmts: &Kmts, action: Option<crate::ActionId>) -> io::Result<()> {
    let Some(action) = action else { return Ok(()) };
    out.write_all(b", ")?;
    quoted(out, &kmts.actions()[action.index()])
}

fn hyper_edges(out: &mut dyn Write, kmts: &Kmts) -> io::Result<()> {
    if kmts.hyper_count() == 0 {
        return Ok(());
    }
    out.write_all(b",\n \"hyper\": [")?;
    let all = kmts.states().flat_map(|state| kmts.hyper_from(state).map(move |edge| (state, edge)));
    separated(out, ",\n  ", all, |out, (state, edge)| {
        out.write_all(b"[")?;
        quoted(out, kmts.state_name(state))?;
        out.write_all(b", ")?;
        names(out, edge.members.iter().map(|&member| kmts.state_name(member)))?;
        action(out, kmts, edge.action)?;
        out.write_all(b"]")
    })?;
    out.write_all(b"]")
}

fn fairness(out: &mut dyn Write, kmts: &Kmts) -> io::Result<()> {
    if kmts.fairness().is_empty() {
        return Ok(());
    }
    let sources = edge_sources(kmts);
    let set = |out: &mut dyn Write, edges: &BitSet| {
        out.write_all(b"[")?;
        separated(out, ", ", edges.iter(), |out, at| one_edge(out, kmts, sources(at), kmts.edge(EdgeId::new(at))))?;
        out.write_all(b"]")
    };
    out.write_all(b",\n \"fair\": [")?;
    separated(out, ",\n  ", kmts.fairness(), |out, constraint| {
        if constraint.possible == constraint.certain {
            return set(out, &constraint.possible);
        }
        out.write_all(b"{\"possible\": ")?;
        set(out, &constraint.possible)?;
        out.write_all(b", \"certain\": ")?;
        set(out, &constraint.certain)?;
        out.write_all(b"}")
    })?;
    out.write_all(b"]")
}

/// The source of an edge by its number.
pub(super) fn edge_sources(kmts: &Kmts) -> impl Fn(usize) -> StateId + '_ {
    |edge| StateId::new(kmts.edge_offsets.partition_point(|&offset| offset as usize <= edge) - 1)
}

fn param_fields(out: &mut dyn Write, model: &ParamModel) -> io::Result<()> {
    let listed = model.states().map(|state| (state, model.state_name(state)));
    states(out, model.props(), listed, |state, prop| Some(model.value_text(model.label(state, prop))))?;
    out.write_all(b",\n \"params\": ")?;
    names(out, model.params().iter().map(String::as_str))?;
    out.write_all(b",\n \"edges\": [")?;
    separated(out, ",\n  ", model.edges(), |out, edge| {
        names(out, [model.state_name(edge.from), &model.value_text(edge.value), model.state_name(edge.to)])
    })?;
    out.write_all(b"]")?;
    if !model.fair().is_empty() {
        out.write_all(b",\n \"fair\": [")?;
        separated(out, ",\n  ", model.fair(), |out, constraint| {
            out.write_all(b"[")?;
            separated(out, ", ", constraint, |out, &(from, to)| {
                names(out, [model.state_name(from), model.state_name(to)])
            })?;
            out.write_all(b"]")
        })?;
        out.write_all(b"]")?;
    }
    init(out, model.init().iter().map(|&state| model.state_name(state)))?;
    if model.total() {
        out.write_all(b",\n \"total\": true")?;
    }
    Ok(())
}

fn lattice_fields(out: &mut dyn Write, model: &LatticeModel) -> io::Result<()> {
    let lattice = model.lattice();
    if let Some(name) = model.lattice_name() {
        out.write_all(b"\"lattice\": ")?;
        quoted(out, name)?;
        out.write_all(b",\n ")?;
    }
    out.write_all(b"\"elements\": ")?;
    names(out, lattice.names().iter().map(String::as_str))?;
    if !model.built_in {
        out.write_all(b",\n \"leq\": [")?;
        let pairs = lattice.elements().flat_map(|low| lattice.elements().map(move |high| (low, high)));
        separated(out, ", ", pairs.filter(|&(low, high)| lattice.leq(low, high)), |out, (low, high)| {
            names(out, [lattice.name(low), lattice.name(high)])
        })?;
        out.write_all(b"],\n \"neg\": {")?;
        separated(out, ", ", lattice.elements(), |out, element| {
            quoted(out, lattice.name(element))?;
            out.write_all(b": ")?;
            quoted(out, lattice.name(lattice.neg(element)))
        })?;
        out.write_all(b"}")?;
    }
    out.write_all(b",\n ")?;
    let listed = model.states().map(|state| (state, model.state_name(state)));
    states(out, model.props(), listed, |state, prop| Some(lattice.name(model.label(state, prop)).to_owned()))?;
    out.write_all(b",\n \"edges\": [")?;
    let all = model.states().flat_map(|state| model.edges_from(state).iter().map(move |edge| (state, edge)));
    separated(out, ",\n  ", all, |out, (from, edge)| {
        names(out, [model.state_name(from), lattice.name(edge.value), model.state_name(edge.target)])
    })?;
    out.write_all(b"]")?;
    init(out, model.init().iter().map(|&state| model.state_name(state)))
}
