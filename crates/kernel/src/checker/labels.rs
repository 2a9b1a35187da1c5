//! Are the labels of quantified sub-formulas right, from the inside out?
//!
//! What witnesses `E psi`, or refutes `A psi`, is a certain path, or what the reading accepts in its place;
//! what excludes it is that there is no possible path.

use std::collections::HashMap;

use tertium_base::{BitSet, Diagnostic};
use tertium_lattice::Belnap;
use tertium_logic::{Node, NodeId};
use tertium_model::StateId;

use super::linear::{Linear, Op, Sight, Steps, translate};
use super::paths::StatePaths;
use super::{Case, Rejection, forced, misfit};
use tertium_evidence::LinearReading;

type Labelled = (NodeId, Vec<StateId>, Vec<StateId>);
type Computed = HashMap<NodeId, (BitSet, BitSet)>;

pub(super) fn check(case: &Case<'_>, labels: &[Labelled]) -> Result<(), Rejection> {
    if matches!(case.certificate.reading.linear, LinearReading::Tg | LinearReading::TgPnf) {
        return Err(misfit("the readings `tg` and `tg-pnf` are for linear formulas only"));
    }
    let claimed = index(case, labels)?;
    let mut computed = Computed::new();
    for id in case.formula.node_ids() {
        let (path, exists) = match case.formula.node(id) {
            Node::Exists(path) => (path, true),
            Node::All(path) => (path, false),
            _ => continue,
        };
        let (yes, no): (&[StateId], &[StateId]) =
            claimed.get(&id).map_or((&[], &[]), |labelled| (&labelled.1, &labelled.2));
        let question = Question::new(case, id, path, exists, &computed)?;
        let (witnessed, excluded) = if exists { (yes, no) } else { (no, yes) };
        question.check_witnessed(case, witnessed)?;
        question.check_excluded(case, excluded)?;
        computed.insert(id, (set(case, yes), set(case, no)));
    }
    root(case, &computed)
}

fn index<'a>(case: &Case<'_>, labels: &'a [Labelled]) -> Result<HashMap<NodeId, &'a Labelled>, Rejection> {
    let mut claimed = HashMap::new();
    for labelled in labels {
        let node = labelled.0;
        let quantified = node.index() < case.formula.nodes().len()
            && matches!(case.formula.node(node), Node::All(_) | Node::Exists(_));
        if !quantified {
            return Err(broken(format!("node {} is labelled, and it is no quantified sub-formula", node.index())));
        }
        for &state in labelled.1.iter().chain(&labelled.2) {
            case.known_state(state, "a labelled state")?;
        }
        if claimed.insert(node, labelled).is_some() {
            return Err(broken(format!("{} is labelled twice", case.node(node))));
        }
    }
    Ok(claimed)
}

fn set(case: &Case<'_>, states: &[StateId]) -> BitSet {
    let mut set = BitSet::empty(case.structure.model.state_count());
    for state in states {
        set.insert(state.index());
    }
    set
}

/// Which paths decide a quantified formula: for `E psi` those of `psi`, for `A psi` those of its negation.
struct Question {
    node: NodeId,
    exists: bool,
    asked: Linear,
    contrary: Linear,
}

impl Question {
    fn new(case: &Case<'_>, node: NodeId, path: NodeId, exists: bool, computed: &Computed) -> Result<Self, Rejection> {
        let make = |positive| {
            translate(case.formula, &case.names, path, positive, Steps::Ignored, computed)
                .ok_or_else(|| misfit("the formula has an operator that is not one of CTL*"))
        };
        Ok(Self { node, exists, asked: make(exists)?, contrary: make(!exists)? })
    }

    /// Certain paths; then, as far as the reading goes, prefixes, the absence of a contrary path, and strategies.
    fn check_witnessed(&self, case: &Case<'_>, states: &[StateId]) -> Result<(), Rejection> {
        let search = case.search(&self.asked, Sight::Pessimistic);
        let mut open = states.to_vec();
        drop_shown(&mut open, &search.run(&StatePaths::certain(case.structure), &starts(states))?.from);
        // Whatever stands for a path takes it for granted that there is one.
        let possible = StatePaths::possible(case.structure);
        let some = case.search(&self.asked, Sight::Optimistic).run(&possible, &starts(&open))?.from;
        if let Some(at) = some.iter().position(|&some| !some) {
            return Err(self.not_shown(case, open[at]));
        }
        if case.prefixes_count() && !open.is_empty() {
            let paths = StatePaths::certain(case.structure).and_prefixes();
            let found = search.run(&paths, &starts(&open))?.from;
            drop_shown(&mut open, &found);
        }
        if case.absence_counts() && !open.is_empty() {
            let contrary = case.search(&self.contrary, Sight::Optimistic).run(&possible, &starts(&open))?.from;
            drop_shown(&mut open, &contrary.iter().map(|found| !found).collect::<Vec<_>>());
        }
        if case.certificate.reading.linear == LinearReading::Hyper && !open.is_empty() {
            let shown = forced::can_avoid(case, &self.contrary, &open)?;
            drop_shown(&mut open, &shown);
        }
        open.first().map_or(Ok(()), |&state| Err(self.not_shown(case, state)))
    }

    fn not_shown(&self, case: &Case<'_>, state: StateId) -> Rejection {
        broken(format!("no certain path shows that {}", case.says((state, self.node, self.exists))))
    }

    fn check_excluded(&self, case: &Case<'_>, states: &[StateId]) -> Result<(), Rejection> {
        let found = case
            .search(&self.asked, Sight::Optimistic)
            .run(&StatePaths::possible(case.structure), &starts(states))?
            .from;
        match states.iter().zip(found).find(|(_, found)| *found) {
            None => Ok(()),
            Some((&state, _)) => {
                Err(broken(format!("a possible path denies that {}", case.says((state, self.node, !self.exists)))))
            }
        }
    }
}

fn starts(states: &[StateId]) -> Vec<u32> {
    states.iter().map(|state| state.number()).collect()
}

/// Drops the states that have a mark.
fn drop_shown(states: &mut Vec<StateId>, shown: &[bool]) {
    let mut shown = shown.iter();
    states.retain(|_| shown.next() != Some(&true));
}

/// The asked value follows from the labels at the asked state.
fn root(case: &Case<'_>, computed: &Computed) -> Result<(), Rejection> {
    let root = case.formula.root();
    let positive = case.certificate.value == Belnap::True;
    let linear = translate(case.formula, &case.names, root, positive, Steps::Ignored, computed)
        .ok_or_else(|| misfit("the formula has an operator that is not one of CTL*"))?;
    let mut holds: Vec<bool> = Vec::with_capacity(linear.ops.len());
    for &op in &linear.ops {
        let value = match op {
            Op::And(a, b) => holds[a as usize] && holds[b as usize],
            Op::Or(a, b) => holds[a as usize] || holds[b as usize],
            literal => linear
                .holds(literal, Some(case.certificate.state), true, Sight::Pessimistic, case.structure.model)
                .ok_or_else(|| misfit("the formula speaks of a path, and no quantifier says of which"))?,
        };
        holds.push(value);
    }
    if holds[linear.root as usize] {
        return Ok(());
    }
    Err(broken(format!("the labels do not show that {}", case.says((case.certificate.state, root, positive)))))
}

fn broken(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0619", message).into()
}
