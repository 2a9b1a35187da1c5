//! How does one kind of structure become another?
//!
//! - [`to_pks`]: unknown edges become unknown labels (a proposition that tells how a state was entered);
//! - [`to_mts`]: labels become steps to a sink;
//! - [`merge_hyper`]: hyper edges become steps to merged states, for tools that know no hyper edges;
//! - [`lattice_to_kmts`], [`kmts_to_lattice`]: structures over Kleene's and Belnap's lattice and core ones.
//!
//! Each returns the map from new states to old ones where they differ.
//!
//! Not here: the translation of formulas that goes with [`to_pks`] and [`to_mts`]; it is told at each.

use std::collections::BTreeMap;

use tertium_base::narrow::to_u32;
use tertium_lattice::{Belnap, DeMorganLattice};

use crate::builder::{KmtsBuilder, ModelTooLarge};
use crate::kmts::{ActionId, Kmts, PropId, StateId};
use crate::lattice_model::{LatticeEdge, LatticeModel};

/// Why a structure has no translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// It has something that the target kind cannot express.
    Unsupported(&'static str),
    /// The result would be too large.
    TooLarge(ModelTooLarge),
}

impl std::fmt::Display for TranslateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "the structure has {what}, which the translation cannot express"),
            Self::TooLarge(what) => write!(f, "the translation would have {what}"),
        }
    }
}

impl std::error::Error for TranslateError {}

impl From<ModelTooLarge> for TranslateError {
    fn from(what: ModelTooLarge) -> Self {
        Self::TooLarge(what)
    }
}

/// A translated structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translated {
    /// The new structure.
    pub structure: Kmts,
    /// For each new state the old one that it stands for; none for states that the translation adds.
    pub old_of: Vec<Option<StateId>>,
    /// The name of the proposition or action that the translation adds.
    pub added: Option<String>,
}

/// A name that is not among `known`: `wanted`, or with primes.
pub(crate) fn fresh(wanted: &str, known: &[String]) -> String {
    let mut name = wanted.to_owned();
    while known.contains(&name) {
        name.push('\'');
    }
    name
}

pub(crate) fn refuse(kmts: &Kmts, hyper: bool, mixed: bool, extras: bool) -> Result<(), TranslateError> {
    let checks = [
        ("hyper edges", hyper && kmts.hyper_count() > 0),
        ("steps that are certain but not possible", mixed && kmts.is_mixed()),
        ("fairness constraints", extras && !kmts.fairness().is_empty()),
        ("the assertion `total`", extras && kmts.total()),
        ("owners of states", kmts.is_game()),
    ];
    match checks.into_iter().find(|(_, found)| *found) {
        Some((what, _)) => Err(TranslateError::Unsupported(what)),
        None => Ok(()),
    }
}

/// A structure without open edges: every state has two copies, entered surely (`s.t`) or possibly (`s.u`),
/// and the new proposition `ex` is true at the one and unknown at the other.
///
/// `EX g` becomes `EX (ex & g)` and `AX g` becomes `AX (ex -> g)`; values at `s.t` are those at `s`. Initial
/// states are the `s.t`.
///
/// # Errors
/// If there are hyper edges, mixed steps, fairness constraints or `total`, which this would lose.
pub fn to_pks(kmts: &Kmts) -> Result<Translated, TranslateError> {
    refuse(kmts, true, true, true)?;
    let added = fresh("ex", kmts.props());
    let mut builder = KmtsBuilder::new();
    let mut old_of = Vec::new();
    for state in kmts.states() {
        for copy in ["t", "u"] {
            builder.add_state(&format!("{}.{copy}", kmts.state_name(state)));
            old_of.push(Some(state));
        }
    }
    let copy = |state: StateId, sure: bool| StateId::new(state.index() * 2 + usize::from(!sure));
    copy_names(kmts, &mut builder);
    let entered = builder.add_prop(&added);
    for state in kmts.states() {
        for sure in [true, false] {
            copy_labels(kmts, state, copy(state, sure), &mut builder);
            let value = if sure { Belnap::True } else { Belnap::Unknown };
            builder.set_label(copy(state, sure), entered, value);
            for edge in kmts.edges_from(state) {
                builder.add_edge(copy(state, sure), copy(edge.target, edge.must), true, true, edge.action);
            }
        }
    }
    kmts.init().iter().for_each(|&state| builder.add_init(copy(state, true)));
    Ok(Translated { structure: builder.finish()?, old_of, added: Some(added) })
}

fn copy_names(kmts: &Kmts, builder: &mut KmtsBuilder) {
    kmts.props().iter().for_each(|name| {
        builder.add_prop(name);
    });
    kmts.actions().iter().for_each(|name| {
        builder.add_action(name);
    });
}

fn copy_labels(kmts: &Kmts, from: StateId, to: StateId, builder: &mut KmtsBuilder) {
    for prop in (0..kmts.props().len()).map(PropId::new) {
        builder.set_label(to, prop, kmts.label(from, prop));
    }
}

/// A structure without propositions: `p` at `s` becomes a step `p` to a sink, certain for `t`, possible for
/// `u`, absent for `f`, certain but not possible for `b`.
///
/// Steps without an action get a new one, `step`; so `EX g` becomes `<step> g` (or one diamond for each action
/// joined by `|`), and an atom `p` becomes `<p> true`.
///
/// # Errors
/// If a proposition has the name of an action, or if there is `total`, which would count the new steps.
pub fn to_mts(kmts: &Kmts) -> Result<Translated, TranslateError> {
    if kmts.props().iter().any(|prop| kmts.actions().contains(prop)) {
        return Err(TranslateError::Unsupported("a proposition with the name of an action"));
    }
    refuse(kmts, false, false, true)?;
    let taken: Vec<String> = kmts.props().iter().chain(kmts.actions()).cloned().collect();
    let added = fresh("step", &taken);
    let mut builder = KmtsBuilder::with_names(kmts.state_names().clone());
    let names: Vec<String> = kmts.state_names().iter().map(str::to_owned).collect();
    let sink = builder.add_state(&fresh("sink", &names));
    kmts.actions().iter().for_each(|name| {
        builder.add_action(name);
    });
    let step = builder.add_action(&added);
    let labels: Vec<ActionId> = kmts.props().iter().map(|name| builder.add_action(name)).collect();
    for state in kmts.states() {
        for edge in kmts.edges_from(state) {
            builder.add_edge(state, edge.target, edge.may, edge.must, Some(edge.action.unwrap_or(step)));
        }
        for edge in kmts.hyper_from(state) {
            builder.add_hyper(state, edge.members, Some(edge.action.unwrap_or(step)));
        }
        for (at, &label) in labels.iter().enumerate() {
            let value = kmts.label(state, PropId::new(at));
            if value != Belnap::False {
                builder.add_edge(state, sink, value.not_refuted(), value.for_true(), Some(label));
            }
        }
    }
    kmts.init().iter().for_each(|&state| builder.add_init(state));
    let old_of = kmts.states().map(Some).chain([None]).collect();
    Ok(Translated { structure: builder.finish()?, old_of, added: Some(added) })
}

/// A structure without hyper edges: each becomes a step, certain but not possible, to a merged state that says
/// what all members say together. Sound but not as precise; the result is mixed.
///
/// # Errors
/// If there are fairness constraints, or if the result would be too large.
pub fn merge_hyper(kmts: &Kmts) -> Result<Translated, TranslateError> {
    refuse(kmts, false, false, false)?;
    if !kmts.fairness().is_empty() {
        return Err(TranslateError::Unsupported("fairness constraints"));
    }
    let mut builder = KmtsBuilder::with_names(kmts.state_names().clone());
    copy_names(kmts, &mut builder);
    let mut old_of: Vec<Option<StateId>> = kmts.states().map(Some).collect();
    let mut merged: BTreeMap<Vec<StateId>, StateId> = BTreeMap::new();
    for state in kmts.states() {
        copy_labels(kmts, state, state, &mut builder);
        for edge in kmts.edges_from(state) {
            builder.add_edge(state, edge.target, edge.may, edge.must, edge.action);
        }
        for edge in kmts.hyper_from(state) {
            let target = *merged.entry(edge.members.to_vec()).or_insert_with(|| {
                old_of.push(None);
                let names: Vec<&str> = edge.members.iter().map(|&member| kmts.state_name(member)).collect();
                builder.add_state(&format!("{{{}}}", names.join(",")))
            });
            builder.add_edge(state, target, false, true, edge.action);
        }
    }
    for (members, &state) in &merged {
        add_consensus(kmts, members, state, &mut builder);
    }
    kmts.init().iter().for_each(|&state| builder.add_init(state));
    builder.set_total(kmts.total());
    Ok(Translated { structure: builder.finish()?, old_of, added: None })
}

/// What all members say: labels by consensus, possible what one can do, certain what all must do.
fn add_consensus(kmts: &Kmts, members: &[StateId], state: StateId, builder: &mut KmtsBuilder) {
    for prop in (0..kmts.props().len()).map(PropId::new) {
        let values = members.iter().map(|&member| kmts.label(member, prop));
        builder.set_label(state, prop, values.reduce(Belnap::consensus).unwrap_or(Belnap::Unknown));
    }
    let mut steps: BTreeMap<(StateId, Option<ActionId>), (bool, usize)> = BTreeMap::new();
    for edge in members.iter().flat_map(|&member| kmts.edges_from(member)) {
        let (may, must) = steps.entry((edge.target, edge.action)).or_default();
        *may |= edge.may;
        *must += usize::from(edge.must);
    }
    for ((target, action), (may, must)) in steps {
        if may || must == members.len() {
            builder.add_edge(state, target, may, must == members.len(), action);
        }
    }
}

/// The core structure that a structure over `B2`, `K3` or `Belnap4` (by the names of its elements) means.
///
/// # Errors
/// If the lattice is another one.
pub fn lattice_to_kmts(model: &LatticeModel) -> Result<Kmts, TranslateError> {
    let lattice = model.lattice();
    let known = ["B2", "K3", "Belnap4"].iter().filter_map(|name| DeMorganLattice::built_in(name).ok());
    if !known.into_iter().any(|built_in| same_order(lattice, &built_in)) {
        return Err(TranslateError::Unsupported("a lattice other than B2, K3 and Belnap4"));
    }
    let value = |element| match lattice.name(element) {
        "t" => Belnap::True,
        "u" => Belnap::Unknown,
        "b" => Belnap::Both,
        _ => Belnap::False,
    };
    let mut builder = KmtsBuilder::with_names(model.state_names().clone());
    let props: Vec<PropId> = model.props().iter().map(|name| builder.add_prop(name)).collect();
    for state in model.states() {
        props.iter().for_each(|&prop| builder.set_label(state, prop, value(model.label(state, prop))));
        for edge in model.edges_from(state) {
            let value = value(edge.value);
            if value != Belnap::False {
                builder.add_edge(state, edge.target, value.not_refuted(), value.for_true(), None);
            }
        }
    }
    model.init().iter().for_each(|&state| builder.add_init(state));
    Ok(builder.finish()?)
}

/// Whether two lattices have the same elements, order and negation, whatever the order of listing.
fn same_order(a: &DeMorganLattice, b: &DeMorganLattice) -> bool {
    let image = |element| b.element(a.name(element));
    a.len() == b.len()
        && a.elements().all(|x| {
            image(x).is_some_and(|bx| {
                b.name(b.neg(bx)) == a.name(a.neg(x))
                    && a.elements().all(|y| image(y).is_some_and(|by| a.leq(x, y) == b.leq(bx, by)))
            })
        })
}

/// The structure over `K3`, or over `Belnap4` if it is mixed.
///
/// # Errors
/// If there are hyper edges, actions, fairness constraints or `total`.
pub fn kmts_to_lattice(kmts: &Kmts) -> Result<LatticeModel, TranslateError> {
    refuse(kmts, true, false, true)?;
    if !kmts.actions().is_empty() {
        return Err(TranslateError::Unsupported("actions"));
    }
    let name = if kmts.is_mixed() { "Belnap4" } else { "K3" };
    let missing = TranslateError::Unsupported("values outside the lattice");
    let lattice = DeMorganLattice::built_in(name).map_err(|_| missing.clone())?;
    let element = |value: Belnap| lattice.element(value.letter()).ok_or_else(|| missing.clone());
    let mut labels = Vec::new();
    let mut edges = Vec::new();
    let mut edge_offsets = vec![0u32];
    for state in kmts.states() {
        for prop in (0..kmts.props().len()).map(PropId::new) {
            labels.push(element(kmts.label(state, prop))?);
        }
        for edge in kmts.edges_from(state) {
            let value = element(Belnap::from_evidence(edge.must, !edge.may))?;
            edges.push(LatticeEdge { target: edge.target, value });
        }
        edge_offsets.push(to_u32(edges.len()));
    }
    Ok(LatticeModel {
        lattice,
        lattice_name: Some(name.to_owned()),
        built_in: true,
        state_names: kmts.state_names().clone(),
        props: kmts.props().to_vec(),
        labels,
        edge_offsets,
        edges,
        init: kmts.init().to_vec(),
    })
}
