//! Does a linear formula have one value in all completions, whatever labels they settle?
//!
//! A copy of the structure in which every state stands once for every way to settle the labels that are open there and
//! that the formula speaks of. On it every label is known, and paths are read as ever.

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_logic::Node;
use tertium_model::{Kmts, KmtsBuilder, PropId, StateId};

use super::linear::{Sight, Steps};
use super::search::{FairStep, PathSearch, Paths};
use super::structure::Filter;
use super::{Case, Rejection, misfit};
use tertium_evidence::Deadlock;

/// More open labels of one state than these are not settled one by one.
const MOST_OPEN: usize = 16;

/// The structure with every open label settled in every way.
struct Settled {
    /// States with known labels and no steps: only labels are read here.
    labels: Kmts,
    /// For each state of the model its first copy; one more at the end.
    first: Vec<u32>,
}

impl Settled {
    fn new(case: &Case<'_>) -> Result<Self, Rejection> {
        let model = case.structure.model;
        let props = used_props(case);
        let mut builder = KmtsBuilder::new();
        let names: Vec<PropId> = model.props().iter().map(|name| builder.add_prop(name)).collect();
        let mut first = Vec::with_capacity(model.state_count() + 1);
        let mut ticks = 0;
        for state in model.states() {
            first.push(to_u32(builder.state_count()));
            let open: Vec<PropId> =
                props.iter().copied().filter(|&prop| model.label(state, prop) == Belnap::Unknown).collect();
            if open.len() > MOST_OPEN || builder.state_count() > u32::MAX as usize / 4 {
                let message = format!("{} has too many open labels to settle them one by one", case.state(state));
                return Err(misfit(message));
            }
            for way in 0..1u32 << open.len() {
                case.budget.tick(&mut ticks)?;
                let copy = builder.add_state(model.state_name(state));
                for &prop in &props {
                    let chosen = open.iter().position(|&other| other == prop).map(|bit| way >> bit & 1 == 1);
                    let value = match chosen {
                        Some(true) => Belnap::True,
                        Some(false) => Belnap::False,
                        None => model.label(state, prop),
                    };
                    builder.set_label(copy, names[prop.index()], value);
                }
            }
        }
        first.push(to_u32(builder.state_count()));
        let labels = builder.finish().map_err(|error| misfit(error.to_string()))?;
        Ok(Self { labels, first })
    }

    fn copies(&self, state: StateId) -> std::ops::Range<u32> {
        self.first[state.index()]..self.first[state.index() + 1]
    }

    /// The state that a copy stands for.
    fn origin(&self, copy: u32) -> StateId {
        StateId::new(self.first.partition_point(|&first| first <= copy) - 1)
    }
}

/// The propositions that the formula speaks of, in the formula's order.
fn used_props(case: &Case<'_>) -> Vec<PropId> {
    let atoms = case.formula.atoms().len();
    let used =
        |at: &usize| case.formula.nodes().iter().any(|node| matches!(node, Node::Atom(atom) if atom.index() == *at));
    let mut props = Vec::new();
    for prop in (0..atoms).filter(used).filter_map(|at| case.names.atoms[at]) {
        if !props.contains(&prop) {
            props.push(prop);
        }
    }
    props
}

fn fits(case: &Case<'_>) -> Result<(), Rejection> {
    if case.structure.constraints() > 0 {
        return Err(misfit("completions do not inherit fairness constraints"));
    }
    if case.structure.deadlock == Deadlock::Maximal {
        return Err(misfit("on completions, linear formulas speak of infinite paths only"));
    }
    Ok(())
}

/// Possible paths, labels settled anew at every step.
struct Words<'a> {
    case: &'a Case<'a>,
    settled: &'a Settled,
}

impl Paths for Words<'_> {
    fn state(&self, vertex: u32) -> Option<StateId> {
        Some(StateId::new(vertex as usize))
    }

    fn steps(&self, vertex: u32) -> Vec<FairStep> {
        let targets = self.case.structure.possible(self.settled.origin(vertex), Filter::Any);
        let copies = targets.flat_map(|target| self.settled.copies(target));
        copies.map(|target| FairStep { target, certain: true, fair: Vec::new() }).collect()
    }

    fn constraints(&self) -> usize {
        0
    }
}

/// Checks that no possible path refutes the formula, however labels are settled.
pub(super) fn no_word(case: &Case<'_>) -> Result<(), Rejection> {
    fits(case)?;
    if case.certificate.value != Belnap::True {
        return Err(misfit("that no path refutes the formula proves `true`, nothing else"));
    }
    let settled = Settled::new(case)?;
    let linear = case.linear(false, Steps::Ignored)?;
    let starts: Vec<u32> = settled.copies(case.certificate.state).collect();
    let search = PathSearch { linear: &linear, sight: Sight::Pessimistic, model: &settled.labels, budget: case.budget };
    match search.run(&Words { case, settled: &settled }, &starts)?.example {
        None => Ok(()),
        Some(path) => {
            let path: Vec<StateId> = path.iter().map(|copy| settled.origin(copy.number())).collect();
            let message = format!("some completion has a path that refutes the formula: {} …", case.path(&path));
            Err(Diagnostic::error("E0617", message).into())
        }
    }
}

/// The paths that a strategy follows. Vertices are positions with a way to settle their labels.
struct Followed<'a> {
    settled: &'a Settled,
    positions: &'a [(StateId, u32)],
    moves: &'a [Vec<Vec<u32>>],
    /// For each position its first vertex.
    first: Vec<u32>,
}

impl Followed<'_> {
    fn position(&self, vertex: u32) -> usize {
        self.first.partition_point(|&first| first <= vertex) - 1
    }

    fn vertices(&self, position: usize) -> std::ops::Range<u32> {
        self.first[position]..self.first[position] + to_u32(self.moves[position].len())
    }
}

impl Paths for Followed<'_> {
    fn state(&self, vertex: u32) -> Option<StateId> {
        let position = self.position(vertex);
        let copy = self.settled.first[self.positions[position].0.index()] + vertex - self.first[position];
        Some(StateId::new(copy as usize))
    }

    fn steps(&self, vertex: u32) -> Vec<FairStep> {
        let position = self.position(vertex);
        let targets = &self.moves[position][(vertex - self.first[position]) as usize];
        let vertices = targets.iter().flat_map(|&to| self.vertices(to as usize));
        vertices.map(|target| FairStep { target, certain: true, fair: Vec::new() }).collect()
    }

    fn constraints(&self) -> usize {
        0
    }
}

/// Checks that every completion has a path that refutes the formula: the one that the moves follow in it.
pub(super) fn check(case: &Case<'_>, positions: &[(StateId, u32)], moves: &[Vec<Vec<u32>>]) -> Result<(), Rejection> {
    fits(case)?;
    if case.certificate.value != Belnap::False {
        return Err(misfit("a strategy against completions proves `false`, nothing else"));
    }
    if positions.len() != moves.len() {
        return Err(broken(format!("there are {} positions and {} lists of moves", positions.len(), moves.len())));
    }
    for &(state, _) in positions {
        case.known_state(state, "the state of a position")?;
    }
    if positions.first().map(|first| first.0) != Some(case.certificate.state) {
        return Err(broken(format!("the first position is not at {}", case.state(case.certificate.state))));
    }
    let settled = Settled::new(case)?;
    let mut first = Vec::with_capacity(positions.len());
    let mut vertices: usize = 0;
    for (at, ways) in moves.iter().enumerate() {
        first.push(to_u32(vertices));
        vertices += ways.len();
        if vertices > u32::MAX as usize / 2 {
            return Err(broken("there are more positions than can be counted"));
        }
        legal(case, &settled, positions, at, ways)?;
    }
    let followed = Followed { settled: &settled, positions, moves, first };
    let linear = case.linear(true, Steps::Ignored)?;
    let search = PathSearch { linear: &linear, sight: Sight::Pessimistic, model: &settled.labels, budget: case.budget };
    let starts: Vec<u32> = followed.vertices(0).collect();
    match search.run(&followed, &starts)?.example {
        None => Ok(()),
        Some(path) => {
            let path: Vec<StateId> = path.iter().map(|copy| settled.origin(copy.number())).collect();
            Err(broken(format!("a path that the moves follow does not refute the formula: {} …", case.path(&path))))
        }
    }
}

/// Checks that a position answers every way to settle labels by a move into all of a certain set.
fn legal(
    case: &Case<'_>,
    settled: &Settled,
    positions: &[(StateId, u32)],
    at: usize,
    ways: &[Vec<u32>],
) -> Result<(), Rejection> {
    let state = positions[at].0;
    let wanted = settled.copies(state).len();
    if ways.len() != wanted {
        let message = format!(
            "position {at} at {} answers {} ways to settle labels, and there are {wanted}",
            case.state(state),
            ways.len()
        );
        return Err(broken(message));
    }
    for targets in ways {
        if let Some(&wild) = targets.iter().find(|&&to| to as usize >= positions.len()) {
            return Err(broken(format!("position {at} moves to position {wild}, which there is not")));
        }
        let reached = |member: StateId| targets.iter().any(|&to| positions[to as usize].0 == member);
        if !case.structure.certain_within(state, Filter::Any, reached) {
            return Err(broken(format!("position {at} at {} moves into no certain set", case.state(state))));
        }
    }
    Ok(())
}

fn broken(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0618", message).into()
}
