//! What is there to see in a structure?
//!
//! For people who look at it: the value of a formula's parts at every state, what a run makes of the formula, which steps a
//! proof chooses, and what would come of deciding the first thing that is open. Everything here is bounded by the size of the
//! structure; no answer rests on it.

use tertium_base::Budget;
use tertium_evidence::{Choice, Proof, Reason};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, Node, NodeId};
use tertium_model::{Kmts, KmtsBuilder, Model, PropId, StateId};

use crate::answer::{Answer, Run, Value};
use crate::check::{CheckOptions, Session};
use tertium_load::Loaded;
use tertium_load::failure::Failure;
use tertium_load::property::Parsed;
use tertium_trace::unfold::{Seen, Unfolded, unfold};

/// Larger structures are not drawn.
pub const MOST_STATES: usize = 6_000;
/// Nor are those with more edges.
pub const MOST_EDGES: usize = 24_000;
/// Parts of formulas are valued while parts times states stay below this.
const MOST_WORK: usize = 60_000;
/// More parts are not valued.
const MOST_PARTS: usize = 10;

/// Whether a structure is small enough to be looked at.
#[must_use]
pub fn is_small(model: &Kmts) -> bool {
    model.state_count() <= MOST_STATES && model.edge_count() + model.hyper_count() <= MOST_EDGES
}

/// A formula's values at all states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valued {
    /// The formula.
    pub formula: String,
    /// Its values.
    pub values: Vec<Belnap>,
}

/// The values of a formula and of those of its parts that have one at a state, the whole first.
///
/// # Errors
/// If a limit is reached.
pub fn values(model: &Kmts, parsed: &Parsed, options: &CheckOptions, budget: &Budget) -> Result<Vec<Valued>, Failure> {
    let loaded = Loaded::of_model("", Model::Kmts(model.clone()));
    let options =
        CheckOptions { all_states: true, look_for_vacuity: false, at: None, always_recheck: false, ..options.clone() };
    let Ok(session) = Session::new(&loaded, options, budget) else { return Ok(Vec::new()) };
    let (formula, mut found) = (&parsed.formula, Vec::new());
    for node in parts(formula) {
        if found.len() == MOST_PARTS || (found.len() + 1) * model.state_count() > MOST_WORK {
            break;
        }
        let part = formula.to_builder().finish(node, formula.logic());
        let text = formula.text_of(node, 160);
        match session.check(&Parsed { formula: part, ..parsed.clone() }, budget, &()) {
            Ok(answer) if answer.stopped().is_none() => {
                let letters = answer.per_state.unwrap_or_default();
                let values: Option<Vec<Belnap>> = letters.iter().map(as_belnap).collect();
                found.extend(values.filter(|values| !values.is_empty()).map(|values| Valued { formula: text, values }));
            }
            Ok(_) => break,
            Err(stopped @ Failure::Stopped(_)) => return Err(stopped),
            // A part that no engine takes by itself is left out.
            Err(_) => {}
        }
    }
    Ok(found)
}

const fn as_belnap(value: &Value) -> Option<Belnap> {
    match value {
        Value::Belnap(value) => Some(*value),
        Value::Element { .. } => None,
    }
}

/// The whole, and the parts that have a value at a state by themselves.
fn parts(formula: &Formula) -> Vec<NodeId> {
    let mut stands_alone = vec![false; formula.nodes().len()];
    for node in formula.node_ids() {
        let kind = formula.node(node);
        let all = kind.children().all(|child| stands_alone[child.index()]);
        stands_alone[node.index()] = match kind {
            Node::Atom(_) => true,
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => all,
            Node::All(_) | Node::Exists(_) => formula.logic() != Logic::Ltl,
            Node::Diamond(..) | Node::Box(..) => all,
            _ => false,
        };
    }
    let mut found = vec![formula.root()];
    found.extend(formula.node_ids().rev().filter(|&node| stands_alone[node.index()] && node != formula.root()));
    found
}

/// A formula along a run of the structure.
#[must_use]
pub fn along(model: &Kmts, formula: &Formula, run: &Run) -> Unfolded {
    let label =
        |state: StateId, name: &str| model.prop_by_name(name).map_or(Belnap::Unknown, |prop| model.label(state, prop));
    let atoms = |&state: &StateId| formula.atoms().iter().map(|atom| label(state, &atom.text)).collect();
    let back = run.loop_start.and_then(|start| Some((*run.states.last()?, *run.states.get(start)?)));
    let certain = (run.states.windows(2).map(|pair| (pair[0], pair[1])))
        .chain(back)
        .all(|(from, to)| model.must_successors(from).any(|next| next == to));
    let seen = Seen { atoms: run.states.iter().map(atoms).collect(), loop_start: run.loop_start, certain };
    unfold(formula, &seen)
}

/// The steps that a proof chooses: from a state into one of these.
#[must_use]
pub fn strategy(answer: &Answer) -> Vec<(StateId, Vec<StateId>)> {
    let mut found: Vec<(StateId, Vec<StateId>)> = Vec::new();
    for proved in answer.certificates.iter().filter(|proved| proved.structure.is_none()) {
        let Proof::Claims(claims) = &proved.certificate.proof else { continue };
        for claim in claims {
            if let Choice::Into(members) = &claim.choice
                && !found.iter().any(|(from, to)| *from == claim.state && to == members)
            {
                found.push((claim.state, members.clone()));
            }
        }
    }
    found.sort();
    found
}

/// A way to decide what is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The label is true, or is false.
    Label(bool),
    /// The step exists, or does not.
    Step(bool),
    /// Of the steps of which one is certain, this one is.
    Member(StateId),
}

/// What the property would be if the first open thing were decided. Nothing if that cannot be tried.
///
/// # Errors
/// If a limit is reached.
pub fn decisions(
    model: &Kmts,
    reason: &Reason,
    parsed: &Parsed,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Vec<(Decision, Belnap)>, Failure> {
    if !model.fairness().is_empty() || model.state_count() > MOST_STATES {
        return Ok(Vec::new());
    }
    let ways = match reason {
        Reason::Label { .. } => vec![Decision::Label(true), Decision::Label(false)],
        Reason::Edge { .. } => vec![Decision::Step(true), Decision::Step(false)],
        Reason::Hyper { members, .. } if members.len() <= 4 => members.iter().map(|&to| Decision::Member(to)).collect(),
        Reason::Hyper { .. } => return Ok(Vec::new()),
    };
    let mut found = Vec::new();
    for way in ways {
        let Some(changed) = changed(model, reason, &way) else { continue };
        let loaded = Loaded::of_model("", Model::Kmts(changed));
        let options = CheckOptions { look_for_vacuity: false, ..options.clone() };
        let checked = Session::new(&loaded, options, budget).and_then(|session| session.check(parsed, budget, &()));
        match checked {
            Ok(answer) if answer.stopped().is_none() => {
                found.extend(as_belnap(&answer.value()).map(|value| (way, value)));
            }
            Err(stopped @ Failure::Stopped(_)) => return Err(stopped),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(found)
}

/// The structure with one thing decided.
fn changed(model: &Kmts, reason: &Reason, way: &Decision) -> Option<Kmts> {
    let mut builder = KmtsBuilder::new();
    for state in model.states() {
        builder.add_state(model.state_name(state));
    }
    builder.copy_owners(model, model.states().map(|state| (state, state)));
    model.props().iter().for_each(|prop| _ = builder.add_prop(prop));
    model.actions().iter().for_each(|action| _ = builder.add_action(action));
    for state in model.states() {
        for prop in (0..model.props().len()).map(PropId::new) {
            let decided = match (reason, way) {
                (Reason::Label { state: at, prop: which }, Decision::Label(holds))
                    if *at == state && *which == prop =>
                {
                    if *holds {
                        Belnap::True
                    } else {
                        Belnap::False
                    }
                }
                _ => model.label(state, prop),
            };
            builder.set_label(state, prop, decided);
        }
        for edge in model.edges_from(state) {
            let open = matches!(reason, Reason::Edge { from, to, .. } if *from == state && *to == edge.target);
            match way {
                Decision::Step(false) if open => {}
                Decision::Step(true) if open => builder.add_edge(state, edge.target, true, true, edge.action),
                _ => builder.add_edge(state, edge.target, edge.may, edge.must, edge.action),
            }
        }
        for hyper in model.hyper_from(state) {
            match (reason, way) {
                (Reason::Hyper { from, members, .. }, Decision::Member(to))
                    if *from == state && hyper.members == members.as_slice() =>
                {
                    builder.add_edge(state, *to, true, true, hyper.action);
                }
                _ => builder.add_hyper(state, hyper.members, hyper.action),
            }
        }
    }
    model.init().iter().for_each(|&state| builder.add_init(state));
    builder.set_total(model.total());
    let changed = builder.finish().ok()?;
    let dead = changed.total() && changed.states().any(|state| changed.is_dead(state));
    (!dead).then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_load::property::Property;

    const DOOR: &str = "props open, lamp\nstate shut open: f, lamp: f\nstate wide open: t, lamp: ?\ninit shut\n\
        shut -may-> wide\nwide -must-> shut\nshut -must-> shut\n";

    fn door() -> Kmts {
        let loaded = tertium_load::structure::from_text("door.kmts", DOOR, &Budget::unlimited())
            .unwrap_or_else(|failure| panic!("{failure:?}"));
        loaded.kmts().cloned().unwrap_or_else(|| panic!("a structure with may and must"))
    }

    fn parsed(text: &str) -> Parsed {
        Property::from_argument(text, 1).parse(None, &[]).unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
    }

    #[test]
    fn the_parts_of_a_formula_are_valued_at_every_state() {
        let found = values(&door(), &parsed("AG (open -> lamp)"), &CheckOptions::default(), &Budget::unlimited());
        let found = found.unwrap_or_else(|failure| panic!("{failure:?}"));
        let texts: Vec<&str> = found.iter().map(|valued| valued.formula.as_str()).collect();
        assert_eq!(texts, ["AG (open -> lamp)", "open -> lamp", "lamp", "open"]);
        assert_eq!(found[1].values, [Belnap::True, Belnap::Unknown]);
        assert_eq!(found[3].values, [Belnap::False, Belnap::True]);
    }

    #[test]
    fn deciding_a_label_or_a_step_tells_what_comes_of_it() {
        let model = door();
        let (shut, wide) = (StateId::new(0), StateId::new(1));
        let tried = |reason: &Reason, text: &str| {
            decisions(&model, reason, &parsed(text), &CheckOptions::default(), &Budget::unlimited())
                .unwrap_or_else(|failure| panic!("{failure:?}"))
        };
        let lamp = Reason::Label { state: wide, prop: PropId::new(1) };
        let found = tried(&lamp, "AG (open -> lamp)");
        assert_eq!(found, [(Decision::Label(true), Belnap::True), (Decision::Label(false), Belnap::Unknown)]);
        let step = Reason::Edge { from: shut, to: wide, direction: tertium_evidence::StepDirection::Exists };
        let found = tried(&step, "EF open");
        assert_eq!(found, [(Decision::Step(true), Belnap::True), (Decision::Step(false), Belnap::False)]);
    }
}
