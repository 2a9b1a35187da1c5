//! Structures whose edges carry values: elements of a lattice, expressions over parameters, or plain letters.

use std::collections::BTreeSet;

use tertium_base::narrow::to_u32;
use tertium_base::{Diagnostic, Span};
use tertium_lattice::{DeMorganLattice, Element, Kleene};

use super::bytes::Flow;
use super::draft::{Draft, LatticeDraft, NONE, Plane, suggest};
use super::finish::{dead_state, take_names};
use crate::expr::{ExprNode, ExprTable, is_name_letter};
use crate::kmts::{MAY, MUST, StateId, TARGET};
use crate::lattice_model::{LatticeEdge, LatticeModel};
use crate::param::{ParamEdge, ParamModel, ParamValue};

fn state(number: u32) -> StateId {
    StateId::new(number as usize)
}

/// The text of a label's value as it was written, if there is one.
fn label_text<'d>(draft: &'d Draft<'_>, at: usize, prop: u32) -> Option<&'d str> {
    let plane = &draft.planes[prop as usize];
    if !Plane::get(&plane.set, at) {
        return None;
    }
    Some(match (Plane::get(&plane.for_true, at), Plane::get(&plane.for_false, at)) {
        (true, false) => "t",
        (false, true) => "f",
        (false, false) => "u",
        (true, true) => "b",
    })
}

fn value_span(draft: &Draft<'_>, edge: usize, text: &str) -> Option<Span> {
    draft.valued_places.get(edge).map(|&at| Span::new(at, at + text.len()))
}

fn placed(diagnostic: Diagnostic, span: Option<Span>, text: &str) -> Diagnostic {
    match span {
        Some(span) => diagnostic.at(span, text),
        None => diagnostic,
    }
}

/// The name of a state by its final number, while names still stand in the order of their first mention.
fn final_name<'d>(draft: &'d Draft<'_>, renumber: Option<&[u32]>, state: u32) -> &'d str {
    let mentioned = renumber.and_then(|order| order.iter().position(|&declared| declared == state));
    draft.name(mentioned.map_or(state, |at| to_u32(at)))
}

/// Edges with the values `t`, `u`, `f`, `b` and no parameters are plain edges.
pub(super) fn constant_edges(draft: &mut Draft<'_>) -> Flow {
    let valued = std::mem::take(&mut draft.valued);
    for (at, &(from, value, to)) in valued.iter().enumerate() {
        let text = draft.values.names().get(value as usize);
        let (may, must) = match text {
            "t" | "true" => (true, true),
            "u" | "?" | "unknown" => (true, false),
            "b" | "both" => (false, true),
            "f" | "false" => continue,
            _ => {
                let diagnostic = Diagnostic::error("E0213", format!("`{text}` is no value of an edge"))
                    .help("an expression needs the parameters declared in `params`, an element its `lattice`");
                let span = value_span(draft, at, text);
                draft.report.add(placed(diagnostic, span, "expected t, u, f or b"));
                if draft.report.is_full() {
                    return Ok(());
                }
                continue;
            }
        };
        let place = draft.valued_places.get(at).copied().unwrap_or(0);
        draft.edge(from, to, may, must, NONE, place)?;
    }
    Ok(())
}

/// Reports what a structure of this kind cannot have.
fn refuse_plain_parts(draft: &mut Draft<'_>, kind: &str, plain_edges: bool) {
    let hyper = !draft.hyper.sources.is_empty();
    let parts = [
        ("hyper edges", hyper),
        ("must and may edges", plain_edges && !draft.words.is_empty()),
        ("actions on edges", draft.actions.len() > 0),
        ("owners of states", !draft.owners.is_empty()),
        ("fairness constraints", plain_edges && !draft.fair.is_empty()),
        ("the assertion `total`", plain_edges && draft.total.is_some_and(|(total, _)| total)),
    ];
    for (part, _) in parts.into_iter().filter(|(_, present)| *present) {
        let place = draft.hyper.places.first().filter(|_| part == "hyper edges").map(|&at| Span::new(at, at + 1));
        let diagnostic = Diagnostic::error("E0219", format!("a {kind} structure cannot have {part}"));
        draft.report.add(placed(diagnostic, place, "not possible here"));
    }
}

pub(super) fn param_model(
    draft: &mut Draft<'_>,
    props: &[u32],
    renumber: Option<Vec<u32>>,
) -> Flow<Option<ParamModel>> {
    refuse_plain_parts(draft, "parameterised", false);
    let params = check_params(draft);
    let mut exprs = ExprTable::default();
    let values = parse_values(draft, &params, &mut exprs);
    let labels = param_labels(draft, props, &values)?;
    let edges = param_edges(draft, &values, renumber.as_deref())?;
    if draft.report.has_errors() {
        return Ok(None);
    }
    let states = draft.declared as usize;
    let mut edge_offsets = vec![0u32; states + 1];
    edges.iter().for_each(|edge| edge_offsets[edge.from.index() + 1] += 1);
    (0..states).for_each(|at| edge_offsets[at + 1] += edge_offsets[at]);
    let model = ParamModel {
        state_names: take_names(draft, renumber),
        props: props.iter().map(|&prop| draft.props.names().get(prop as usize).to_owned()).collect(),
        params,
        exprs,
        labels,
        edges,
        edge_offsets,
        fair: draft.fair.iter().map(|constraint| fair_pairs(&constraint.possible)).collect(),
        init: draft.init.iter().map(|&number| state(number)).collect(),
        total: draft.total.is_some_and(|(total, _)| total),
    };
    check_param_model(draft, &model);
    Ok(Some(model))
}

fn fair_pairs(pairs: &[(u32, u32, u32)]) -> Vec<(StateId, StateId)> {
    pairs.iter().map(|&(from, to, _)| (state(from), state(to))).collect()
}

fn check_params(draft: &mut Draft<'_>) -> Vec<String> {
    let given = draft.params.take().unwrap_or_default();
    let mut seen = BTreeSet::new();
    for (name, span) in &given {
        let reserved = ["t", "u", "f", "b", "true", "false", "unknown"].contains(&name.as_str());
        let shaped = name.chars().all(is_name_letter) && !name.is_empty();
        if reserved || !shaped {
            let why = if reserved { "means a value" } else { "has letters that expressions cannot have" };
            draft.report.add(
                Diagnostic::error("E0222", format!("a parameter cannot be named `{name}`, which {why}"))
                    .at(*span, "choose another name"),
            );
        }
        if !seen.insert(name) {
            draft.duplicate("E0222", "parameter", name.as_bytes(), *span, None);
        }
    }
    given.into_iter().map(|(name, _)| name).collect()
}

/// The meaning of every text that occurs as a value; none for what is not one.
fn parse_values(
    draft: &Draft<'_>,
    params: &[String],
    exprs: &mut ExprTable,
) -> Vec<Result<ParamValue, Box<Diagnostic>>> {
    draft.values.names().iter().map(|text| parse_value(text, params, exprs)).collect()
}

fn parse_value(text: &str, params: &[String], exprs: &mut ExprTable) -> Result<ParamValue, Box<Diagnostic>> {
    match text {
        "t" | "true" => return Ok(ParamValue::Constant(Kleene::True)),
        "u" | "?" | "unknown" => return Ok(ParamValue::Constant(Kleene::Unknown)),
        "f" | "false" => return Ok(ParamValue::Constant(Kleene::False)),
        "b" | "both" if !params.iter().any(|param| param == text) => {
            return Err(Box::new(
                Diagnostic::error("E0213", "a parameterised structure has no value `b`")
                    .at(Span::new(0, text.len()), "expected t, u, f or an expression"),
            ));
        }
        _ => {}
    }
    let id = exprs.parse(text, params)?;
    Ok(match exprs.node(id) {
        ExprNode::Constant(value) => ParamValue::Constant(Kleene::from(*value)),
        _ => ParamValue::Expr(id),
    })
}

fn report_at(draft: &mut Draft<'_>, diagnostic: &Diagnostic, at: Option<usize>) {
    let mut diagnostic = diagnostic.clone();
    match at {
        Some(at) => diagnostic = diagnostic.shifted(at),
        None => diagnostic.primary = None,
    }
    draft.report.add(diagnostic);
}

fn param_labels(
    draft: &mut Draft<'_>,
    props: &[u32],
    values: &[Result<ParamValue, Box<Diagnostic>>],
) -> Flow<Vec<ParamValue>> {
    let (states, width) = (draft.declared as usize, props.len());
    draft.budget.reserve(states * width * size_of::<ParamValue>())?;
    let mut labels = vec![ParamValue::Constant(Kleene::Unknown); states * width];
    let mut column = vec![0; draft.props.len()];
    for (at, &prop) in props.iter().enumerate() {
        column[prop as usize] = at;
        for state in 0..states {
            let value = match label_text(draft, state, prop) {
                Some("t") => Kleene::True,
                Some("f") => Kleene::False,
                Some("b") => {
                    draft.report.add(Diagnostic::error("E0213", "a parameterised structure has no value `b`"));
                    Kleene::Unknown
                }
                _ => Kleene::Unknown,
            };
            labels[state * width + at] = ParamValue::Constant(value);
        }
    }
    for label in std::mem::take(&mut draft.odd) {
        match &values[label.value as usize] {
            Ok(value) => labels[label.state as usize * width + column[label.prop as usize]] = *value,
            Err(diagnostic) => report_at(draft, diagnostic, Some(label.at)),
        }
    }
    Ok(labels)
}

fn param_edges(
    draft: &mut Draft<'_>,
    values: &[Result<ParamValue, Box<Diagnostic>>],
    renumber: Option<&[u32]>,
) -> Flow<Vec<ParamEdge>> {
    let valued = std::mem::take(&mut draft.valued);
    let plain = std::mem::take(&mut draft.words);
    draft.budget.reserve((valued.len() + plain.len()) * size_of::<ParamEdge>())?;
    let mut edges = Vec::with_capacity(valued.len() + plain.len());
    for (at, &(from, value, to)) in valued.iter().enumerate() {
        match &values[value as usize] {
            Ok(ParamValue::Constant(Kleene::False)) => {}
            Ok(value) => edges.push(ParamEdge { from: state(from), to: state(to), value: *value }),
            Err(diagnostic) => {
                let place = draft.valued_places.get(at).copied();
                report_at(draft, diagnostic, place);
            }
        }
    }
    join_plain_edges(draft, &plain, renumber, &mut edges);
    edges.sort_unstable();
    edges.dedup();
    drop_weaker_edges(&mut edges);
    Ok(edges)
}

/// Must and may edges beside expressions: certain and possible is `t`, possible only is `u`.
fn join_plain_edges(draft: &mut Draft<'_>, words: &[u32], renumber: Option<&[u32]>, edges: &mut Vec<ParamEdge>) {
    let mut plain: Vec<(u32, u32)> = draft.sources.iter().copied().zip(words.iter().copied()).collect();
    plain.sort_unstable_by_key(|(from, word)| (*from, word & TARGET));
    for mentions in plain.chunk_by(|a, b| (a.0, a.1 & TARGET) == (b.0, b.1 & TARGET)) {
        let (from, to) = (mentions[0].0, mentions[0].1 & TARGET);
        let kind = mentions.iter().fold(0, |kind, mention| kind | mention.1) & !TARGET;
        let value = match kind {
            _ if kind == MAY => Kleene::Unknown,
            _ if kind == MAY | MUST => Kleene::True,
            _ => {
                let message = format!(
                    "a step from `{}` to `{}` is certain but not possible, which a parameterised structure cannot say",
                    final_name(draft, renumber, from),
                    final_name(draft, renumber, to)
                );
                draft.report.add(Diagnostic::error("E0211", message).help("list the edge in `may` too"));
                continue;
            }
        };
        edges.push(ParamEdge { from: state(from), to: state(to), value: ParamValue::Constant(value) });
    }
}

/// Beside an edge with value `t` between the same states all others count for nothing.
fn drop_weaker_edges(edges: &mut Vec<ParamEdge>) {
    let surely: BTreeSet<(StateId, StateId)> = edges
        .iter()
        .filter(|edge| edge.value == ParamValue::Constant(Kleene::True))
        .map(|edge| (edge.from, edge.to))
        .collect();
    edges.retain(|edge| edge.value == ParamValue::Constant(Kleene::True) || !surely.contains(&(edge.from, edge.to)));
}

fn check_param_model(draft: &mut Draft<'_>, model: &ParamModel) {
    if let Some((true, span)) = draft.total {
        let dead: Vec<StateId> = model.states().filter(|&state| model.edges_from(state).is_empty()).collect();
        for state in dead {
            draft.report.add(dead_state(model.state_name(state), span));
        }
    }
    for (constraint, pairs) in draft.fair.iter().zip(&model.fair) {
        let span = Span::new(constraint.span.start, constraint.span.end.min(constraint.span.start + 60));
        let is_edge = |(from, to): &(StateId, StateId)| model.edges_from(*from).iter().any(|edge| edge.to == *to);
        if let Some((from, to)) = pairs.iter().find(|pair| !is_edge(pair)) {
            let (from, to) = (model.state_name(*from), model.state_name(*to));
            let message = format!("a fairness constraint names `{from}` to `{to}`, which is no edge");
            draft.report.add(Diagnostic::warning("W0203", message).at(span, "in this constraint"));
        }
        if !pairs.iter().any(is_edge) {
            draft.report.add(
                Diagnostic::warning("W0202", "a fairness constraint has no edges, so that no path is fair")
                    .at(span, "this constraint"),
            );
        }
    }
}

pub(super) fn lattice_model(
    draft: &mut Draft<'_>,
    props: &[u32],
    renumber: Option<Vec<u32>>,
) -> Flow<Option<LatticeModel>> {
    refuse_plain_parts(draft, "lattice-valued", true);
    if let Some((_, span)) = draft.params.as_ref().and_then(|params| params.first()) {
        let span = *span;
        draft.report.add(
            Diagnostic::error("E0219", "a lattice-valued structure cannot have parameters")
                .at(span, "not possible here"),
        );
    }
    let spec = draft.lattice.take().unwrap_or_default();
    let Some((lattice, built_in)) = build_lattice(draft, &spec) else { return Ok(None) };
    let elements: Vec<Option<Element>> = draft.values.names().iter().map(|text| lattice.element(text)).collect();
    let Some(labels) = lattice_labels(draft, props, &lattice, &elements, &spec, renumber.as_deref())? else {
        return Ok(None);
    };
    let Some((edge_offsets, edges)) = lattice_edges(draft, &lattice, &elements)? else { return Ok(None) };
    Ok(Some(LatticeModel {
        lattice,
        lattice_name: spec.name,
        built_in,
        state_names: take_names(draft, renumber),
        props: props.iter().map(|&prop| draft.props.names().get(prop as usize).to_owned()).collect(),
        labels,
        edge_offsets,
        edges,
        init: draft.init.iter().map(|&number| state(number)).collect(),
    }))
}

/// The lattice as written down, or by its name; and whether the name alone would do.
fn build_lattice(draft: &mut Draft<'_>, spec: &LatticeDraft) -> Option<(DeMorganLattice, bool)> {
    let written = spec.leq.is_some() || spec.covers.is_some() || spec.neg.is_some();
    let result = if written { written_lattice(spec) } else { named_lattice(spec) };
    match result {
        Ok(lattice) => Some((lattice, !written)),
        Err(diagnostic) => {
            draft.report.add(*diagnostic);
            None
        }
    }
}

fn written_lattice(spec: &LatticeDraft) -> Result<DeMorganLattice, Box<Diagnostic>> {
    let broken = |message: String| Box::new(Diagnostic::error("E0216", message).at(spec.span, "this lattice"));
    let elements = spec.elements.as_deref().ok_or_else(|| broken("the lattice has no `elements`".to_owned()))?;
    let names: Vec<&str> = elements.iter().map(|(name, _)| name.as_str()).collect();
    let pair = |(low, high, _): &'_ (String, String, Span)| (low.clone(), high.clone());
    let below: Vec<(String, String)> = spec.leq.iter().chain(&spec.covers).flatten().map(pair).collect();
    let neg: Vec<(String, String)> = spec.neg.iter().flatten().map(pair).collect();
    let borrow = |list: &'_ [(String, String)]| list.to_vec();
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    DeMorganLattice::new(&names, &borrow(&below), &borrow(&neg)).map_err(|error| {
        let span = elements.first().map_or(spec.span, |(_, span)| *span);
        let span = if spec.span == Span::default() { span } else { spec.span };
        Box::new(Diagnostic::error("E0216", error.to_string()).at(span, "this lattice"))
    })
}

fn named_lattice(spec: &LatticeDraft) -> Result<DeMorganLattice, Box<Diagnostic>> {
    let Some(name) = &spec.name else {
        return Err(Box::new(
            Diagnostic::error("E0215", "the lattice has no order")
                .help("give `leq` or `covers` and `neg`, or the name of a built-in lattice in `lattice`"),
        ));
    };
    let lattice = DeMorganLattice::built_in(name).map_err(|error| {
        Box::new(
            Diagnostic::error("E0215", error.to_string())
                .at(spec.span, "neither built in nor written down")
                .help(format!("built in are {}", DeMorganLattice::BUILT_IN.join(", ")))
                .help("a lattice of your own needs `elements`, `leq` or `covers`, and `neg`"),
        )
    })?;
    for (element, span) in spec.elements.iter().flatten() {
        if lattice.element(element).is_none() {
            let diagnostic = Diagnostic::error("E0217", format!("`{element}` is no element of the lattice `{name}`"))
                .at(*span, "not an element");
            return Err(Box::new(diagnostic.note(format!("its elements are {}", lattice.names().join(", ")))));
        }
    }
    Ok(lattice)
}

fn unknown_element(text: &str, span: Option<Span>, lattice: &DeMorganLattice) -> Diagnostic {
    let diagnostic = Diagnostic::error("E0217", format!("`{text}` is no element of the lattice"));
    let diagnostic = suggest(diagnostic, text, lattice.names().iter().map(String::as_str));
    let listed = lattice.names().iter().take(40).map(String::as_str).collect::<Vec<_>>().join(", ");
    placed(diagnostic.note(format!("its elements are {listed}")), span, "not an element")
}

fn lattice_labels(
    draft: &mut Draft<'_>,
    props: &[u32],
    lattice: &DeMorganLattice,
    elements: &[Option<Element>],
    spec: &LatticeDraft,
    renumber: Option<&[u32]>,
) -> Flow<Option<Vec<Element>>> {
    let (states, width) = (draft.declared as usize, props.len());
    draft.budget.reserve(states * width * size_of::<Option<Element>>())?;
    let mut labels: Vec<Option<Element>> = vec![None; states * width];
    let mut column = vec![0; draft.props.len()];
    for (at, &prop) in props.iter().enumerate() {
        column[prop as usize] = at;
        for state in 0..states {
            let Some(text) = label_text(draft, state, prop) else { continue };
            labels[state * width + at] = lattice.element(text);
            if labels[state * width + at].is_none() {
                let diagnostic = unknown_element(text, None, lattice);
                draft.report.add(diagnostic);
                labels[state * width + at] = Some(lattice.bottom());
            }
        }
    }
    for label in std::mem::take(&mut draft.odd) {
        let text = draft.values.names().get(label.value as usize);
        if elements[label.value as usize].is_none() {
            let diagnostic = unknown_element(text, Some(Span::new(label.at, label.at + text.len())), lattice);
            draft.report.add(diagnostic);
        }
        let value = elements[label.value as usize].unwrap_or(lattice.bottom());
        labels[label.state as usize * width + column[label.prop as usize]] = Some(value);
    }
    if let Some(missing) = labels.iter().position(Option::is_none) {
        let prop = draft.props.names().get(props[missing % width] as usize);
        let name = final_name(draft, renumber, to_u32(missing / width));
        let message = format!("state `{name}` has no value for `{prop}`");
        let diagnostic = Diagnostic::error("E0218", message)
            .note("a lattice need not have an element that means unknown, so every label must be given");
        let span = Some(spec.span).filter(|span| span.end > 0);
        draft.report.add(placed(diagnostic, span, "values are taken from this lattice"));
    }
    Ok(labels.into_iter().collect())
}

type LatticeEdges = (Vec<u32>, Vec<LatticeEdge>);

fn lattice_edges(
    draft: &mut Draft<'_>,
    lattice: &DeMorganLattice,
    elements: &[Option<Element>],
) -> Flow<Option<LatticeEdges>> {
    let mut valued = std::mem::take(&mut draft.valued);
    for (at, &(_, value, _)) in valued.iter().enumerate() {
        if elements[value as usize].is_none() && !draft.report.is_full() {
            let text = draft.values.names().get(value as usize);
            let diagnostic = unknown_element(text, value_span(draft, at, text), lattice);
            draft.report.add(diagnostic);
        }
    }
    if draft.report.has_errors() {
        return Ok(None);
    }
    draft.budget.reserve(valued.len() * size_of::<LatticeEdge>() + draft.declared as usize * 4)?;
    valued.sort_unstable_by_key(|(from, _, to)| (*from, *to));
    let mut offsets = vec![0u32; draft.declared as usize + 1];
    let mut edges: Vec<LatticeEdge> = Vec::with_capacity(valued.len());
    for mentions in valued.chunk_by(|a, b| (a.0, a.2) == (b.0, b.2)) {
        let values = mentions.iter().filter_map(|(_, value, _)| elements[*value as usize]);
        let value = values.fold(lattice.bottom(), |joined, value| lattice.join(joined, value));
        edges.push(LatticeEdge { target: state(mentions[0].2), value });
        offsets[mentions[0].0 as usize + 1] += 1;
    }
    (0..draft.declared as usize).for_each(|at| offsets[at + 1] += offsets[at]);
    Ok(Some((offsets, edges)))
}
