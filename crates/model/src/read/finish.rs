//! Does everything fit together? Checks a whole draft and builds the model that it describes.
//!
//! Not here: values of lattices and parameters ([`super::valued`]).

use std::collections::BTreeMap;

use tertium_base::narrow::to_u32;
use tertium_base::{Diagnostic, Span};

use super::bytes::{Flow, Halt};
use super::draft::{Draft, NONE, Plane, suggest};
use super::{Model, valued};
use crate::builder::{KmtsBuilder, ModelTooLarge};
use crate::kmts::{ActionId, Kmts, MUST, StateId, TARGET};
use crate::names::Names;

/// The model, or none if there are errors; those are in the draft's report.
pub(crate) fn finish(draft: &mut Draft<'_>) -> Flow<Option<Model>> {
    check_states(draft);
    let Some(props) = check_props(draft) else { return Ok(None) };
    if draft.report.has_errors() {
        return Ok(None);
    }
    let renumber = take_order(draft)?;
    let model = if draft.lattice.is_some() {
        valued::lattice_model(draft, &props, renumber)?.map(Model::Lattice)
    } else if draft.params.is_some() {
        valued::param_model(draft, &props, renumber)?.map(Model::Param)
    } else {
        valued::constant_edges(draft)?;
        plain_model(draft, &props, renumber)?.map(Model::Kmts)
    };
    Ok(model.filter(|_| !draft.report.has_errors()))
}

fn check_states(draft: &mut Draft<'_>) {
    // A lattice may stand alone, but then nothing is said about states.
    if draft.declared == 0 && (draft.lattice.is_none() || !draft.properties.is_empty()) {
        if draft.report.has_errors() {
            return;
        }
        draft.report.add(
            Diagnostic::error("E0220", "the structure has no states")
                .help("states are listed in the field `states` (.json) or in lines `state NAME` (.kmts)"),
        );
        return;
    }
    let forward = std::mem::take(&mut draft.forward);
    for &(state, at) in forward.iter().filter(|(state, _)| draft.order[*state as usize] == NONE) {
        if draft.report.is_full() {
            break;
        }
        let name = draft.name(state);
        let diagnostic = Diagnostic::error("E0204", format!("no state is named `{name}`"))
            .at(Span::new(at, at + name.len()), "not declared");
        let declared = draft.states.names().iter().enumerate().filter(|(id, _)| draft.order[*id] != NONE);
        let diagnostic = suggest(diagnostic, name, declared.map(|(_, name)| name));
        draft.report.add(diagnostic);
    }
}

/// The propositions in their final order, by their numbers in the draft.
fn check_props(draft: &mut Draft<'_>) -> Option<Vec<u32>> {
    let Some(declared) = draft.declared_props.take() else {
        return Some((0..to_u32(draft.props.len())).collect());
    };
    let names = draft.props.names();
    let mut undeclared = (0..to_u32(draft.props.len())).filter(|prop| !declared.contains(prop)).peekable();
    if undeclared.peek().is_none() {
        return Some(declared);
    }
    for prop in undeclared {
        let (name, at) = (names.get(prop as usize), draft.prop_places[prop as usize]);
        let diagnostic = Diagnostic::error("E0207", format!("proposition `{name}` is not declared in `props`"))
            .at(Span::new(at, at + name.len()), "not declared");
        let known = declared.iter().map(|&prop| names.get(prop as usize));
        draft.report.add(suggest(diagnostic, name, known));
    }
    None
}

/// If states are mentioned in another order than they are declared: from the one number to the other.
fn take_order(draft: &mut Draft<'_>) -> Flow<Option<Vec<u32>>> {
    let order = std::mem::take(&mut draft.order);
    let same = order.iter().enumerate().all(|(at, &declared)| at == declared as usize);
    if same {
        return Ok(None);
    }
    draft.budget.reserve(order.len() * 8 + draft.states.names().bytes())?;
    for state in draft.sources.iter_mut().chain(&mut draft.hyper.sources).chain(&mut draft.hyper.members) {
        *state = order[*state as usize];
    }
    for word in &mut draft.words {
        *word = *word & !TARGET | order[(*word & TARGET) as usize];
    }
    for state in &mut draft.init {
        *state = order[*state as usize];
    }
    for (state, _, _) in &mut draft.owners {
        *state = order[*state as usize];
    }
    for (from, _, to) in &mut draft.valued {
        (*from, *to) = (order[*from as usize], order[*to as usize]);
    }
    for constraint in &mut draft.fair {
        let pairs = constraint.possible.iter_mut().chain(constraint.certain.iter_mut().flatten());
        for (from, to, _) in pairs {
            (*from, *to) = (order[*from as usize], order[*to as usize]);
        }
    }
    for (from, to, _) in &mut draft.must_places {
        (*from, *to) = (order[*from as usize], order[*to as usize]);
    }
    for label in &mut draft.odd {
        label.state = order[label.state as usize];
    }
    for plane in &mut draft.planes {
        for words in [&mut plane.set, &mut plane.for_true, &mut plane.for_false] {
            *words = permuted(words, &order);
        }
    }
    Ok(Some(order))
}

fn permuted(words: &[u64], order: &[u32]) -> Vec<u64> {
    let mut moved = vec![0; order.len().div_ceil(64)];
    for (at, &to) in order.iter().enumerate() {
        if Plane::get(words, at) {
            moved[to as usize >> 6] |= 1 << (to & 63);
        }
    }
    moved
}

/// The names of the states in their final order.
pub(super) fn take_names(draft: &mut Draft<'_>, renumber: Option<Vec<u32>>) -> Names {
    let names = std::mem::take(&mut draft.states).into_names();
    let Some(order) = renumber else { return names };
    let mut inverse = vec![0u32; order.len()];
    for (at, &to) in order.iter().enumerate() {
        inverse[to as usize] = to_u32(at);
    }
    let mut sorted = Names::default();
    inverse.iter().for_each(|&at| sorted.push(names.get(at as usize)));
    sorted
}

fn plain_model(draft: &mut Draft<'_>, props: &[u32], renumber: Option<Vec<u32>>) -> Flow<Option<Kmts>> {
    resolve_odd_labels(draft);
    if draft.report.has_errors() {
        return Ok(None);
    }
    // What the builder needs beside the mentions: the sorted words, two tables of offsets, label sets.
    let states = draft.declared as usize;
    draft.budget.reserve(draft.words.len() * 4 + draft.edge_actions.len() * 4 + states * 8)?;
    let mut builder = KmtsBuilder::with_names(take_names(draft, renumber));
    for &prop in props {
        let name = draft.props.names().get(prop as usize);
        let plane = std::mem::take(&mut draft.planes[prop as usize]);
        builder.add_labelled_prop(name, plane.for_true, plane.for_false);
    }
    draft.actions.names().iter().for_each(|name| {
        builder.add_action(name);
    });
    builder.set_edges(
        std::mem::take(&mut draft.sources),
        std::mem::take(&mut draft.words),
        std::mem::take(&mut draft.edge_actions),
    );
    add_hyper_edges(draft, &mut builder);
    add_fairness(draft, &mut builder);
    draft.init.iter().for_each(|&state| builder.add_init(StateId::new(state as usize)));
    add_owners(draft, &mut builder);
    builder.set_total(draft.total.is_some_and(|(total, _)| total));
    let kmts = builder.finish().map_err(too_large)?;
    draft.budget.check()?;
    check_mixed(draft, &kmts);
    check_total(draft, &kmts);
    check_fairness(draft, &kmts);
    Ok(Some(kmts))
}

pub(super) fn too_large(what: ModelTooLarge) -> Halt {
    Diagnostic::error("E0221", what.to_string()).into()
}

fn resolve_odd_labels(draft: &mut Draft<'_>) {
    let odd = std::mem::take(&mut draft.odd);
    for label in odd {
        let text = draft.values.names().get(label.value as usize);
        let (yes, no) = match text {
            "true" | "yes" | "1" => (true, false),
            "false" | "no" | "0" => (false, true),
            "unknown" | "?" => (false, false),
            "both" => (true, true),
            _ => {
                let span = Span::new(label.at, label.at + text.len());
                let diagnostic = Diagnostic::error("E0209", format!("`{text}` is no value of a label"))
                    .at(span, "expected t, u, f or b")
                    .note("t is true, u (or ?) unknown, f false, b both (contradictory sources)")
                    .help("an expression needs the parameters declared in `params`, an element its `lattice`");
                draft.report.add(diagnostic);
                continue;
            }
        };
        let plane = &mut draft.planes[label.prop as usize];
        let put = |words: &mut Vec<u64>, bit: bool| {
            let at = label.state as usize;
            if bit {
                words.resize(words.len().max((at >> 6) + 1), 0);
                words[at >> 6] |= 1 << (at & 63);
            }
        };
        put(&mut plane.for_true, yes);
        put(&mut plane.for_false, no);
    }
}

fn action(number: u32) -> Option<ActionId> {
    (number != NONE).then(|| ActionId::new(number as usize))
}

fn add_hyper_edges(draft: &Draft<'_>, builder: &mut KmtsBuilder) {
    let mut members = Vec::new();
    for at in 0..draft.hyper.sources.len() {
        members.clear();
        members.extend(draft.members_of(at).iter().map(|&member| StateId::new(member as usize)));
        let from = StateId::new(draft.hyper.sources[at] as usize);
        builder.add_hyper(from, &members, action(draft.hyper.actions[at]));
    }
}

fn add_fairness(draft: &Draft<'_>, builder: &mut KmtsBuilder) {
    let resolve = |pairs: &[(u32, u32, u32)]| {
        let ids =
            |&(from, to, act): &(u32, u32, u32)| (StateId::new(from as usize), StateId::new(to as usize), action(act));
        pairs.iter().map(ids).collect::<Vec<_>>()
    };
    for constraint in &draft.fair {
        match &constraint.certain {
            None => builder.add_fairness(resolve(&constraint.possible)),
            Some(certain) => builder.add_split_fairness(resolve(&constraint.possible), resolve(certain)),
        }
    }
}

/// Owners of states; one that is said twice must be the same.
fn add_owners(draft: &mut Draft<'_>, builder: &mut KmtsBuilder) {
    let mut first: BTreeMap<u32, (u32, usize)> = BTreeMap::new();
    for (state, player, at) in std::mem::take(&mut draft.owners) {
        let before = *first.entry(state).or_insert((player, at));
        let id = StateId::new(state as usize);
        if before.0 == player {
            builder.set_owner(id, draft.players.names().get(player as usize));
            continue;
        }
        let name = builder.state_names().get(state as usize).to_owned();
        draft.report.add(
            Diagnostic::error("E0227", format!("state `{name}` has two owners"))
                .at(Span::new(at, at + name.len()), "another owner here")
                .also(Span::new(before.1, before.1 + name.len()), "owned here first")
                .help("a state belongs to one player; simultaneous moves are written as several states"),
        );
    }
}

/// Something certain that is not possible: forbidden, allowed, or worth a warning.
fn check_mixed(draft: &mut Draft<'_>, kmts: &Kmts) {
    if draft.mixed.is_some_and(|(mixed, _)| mixed) {
        return;
    }
    let maybe = kmts.edge_words.iter().any(|edge| edge.kind() == MUST >> 30) || kmts.hyper_count() > 0;
    if !maybe {
        return;
    }
    for state in kmts.states() {
        let Some((target, _)) = kmts.impossible_but_certain(state) else { continue };
        let (from, to) = (kmts.state_name(state), kmts.state_name(target));
        let message = format!("a step from `{from}` to `{to}` is certain but not possible");
        let forbidden = draft.mixed.is_some();
        let diagnostic = match forbidden {
            true => Diagnostic::error("E0211", message).note("`mixed` is false, so every must edge must be a may edge"),
            false => Diagnostic::warning("W0201", message)
                .note("the structure is mixed: answers may be `both`")
                .help("list the edge in `may` too, or say `mixed` to allow it"),
        };
        draft.report.add(match place_of(draft, state, target) {
            Some(span) => diagnostic.at(span, "listed here"),
            None => diagnostic,
        });
        // One warning tells the user what they need to know; errors come with all their places.
        if !forbidden || draft.report.is_full() {
            return;
        }
    }
}

/// Where a must edge or a hyper edge between these states was mentioned, if that is still known.
fn place_of(draft: &Draft<'_>, from: StateId, to: StateId) -> Option<Span> {
    let (from, to) = (from.number(), to.number());
    let plain = draft.must_places.iter().find(|(source, target, _)| (*source, *target) == (from, to));
    let at = plain.map(|(_, _, at)| *at).or_else(|| {
        let known = 0..draft.hyper.places.len();
        let hyper = known.into_iter().find(|&at| draft.hyper.sources[at] == from && draft.members_of(at).contains(&to));
        hyper.map(|at| draft.hyper.places[at])
    })?;
    Some(Span::new(at, at + 1))
}

fn check_total(draft: &mut Draft<'_>, kmts: &Kmts) {
    let Some((true, span)) = draft.total else { return };
    for state in kmts.states().filter(|&state| kmts.is_dead(state)) {
        draft.report.add(dead_state(kmts.state_name(state), span));
        if draft.report.is_full() {
            return;
        }
    }
}

pub(super) fn dead_state(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0212", format!("state `{name}` has no successor, but the structure is said to be total"))
        .at(span, "asserted here")
        .help(format!("add a may edge from `{name}`, or drop `total`"))
}

fn check_fairness(draft: &mut Draft<'_>, kmts: &Kmts) {
    for (constraint, built) in draft.fair.iter().zip(kmts.fairness()) {
        let span = Span::new(constraint.span.start, constraint.span.end.min(constraint.span.start + 60));
        let stray = constraint.possible.iter().find(|&&(from, to, act)| {
            let from = StateId::new(from as usize);
            !kmts.edges_from(from).any(|edge| edge.target.number() == to && (act == NONE || edge.action == action(act)))
        });
        if let Some(&(from, to, _)) = stray {
            let name = |state: u32| kmts.state_names().get(state as usize);
            let message = format!("a fairness constraint names `{}` to `{}`, which is no edge", name(from), name(to));
            draft.report.add(Diagnostic::warning("W0203", message).at(span, "in this constraint"));
        }
        if built.possible.is_empty() {
            draft.report.add(
                Diagnostic::warning("W0202", "a fairness constraint has no edges, so that no path is fair")
                    .at(span, "this constraint")
                    .note("every statement about all fair paths is then true for lack of such paths"),
            );
        }
    }
}
