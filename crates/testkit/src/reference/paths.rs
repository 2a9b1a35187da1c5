//! The exact value of linear and CTL* formulas, by guessing the truth of every sub-formula.
//!
//! The formula is brought into positive form with `p` and `!p` as independent literals. A *position* is an
//! edge together with a guess, for every temporal sub-formula, whether it holds where the edge begins. A
//! guess fixes all other sub-formulas there, and the guess after a step fixes the one before it by the
//! unfolding of each operator. A path has a satisfying guess iff it reaches a cycle on which no `U` is
//! promised for ever without being fulfilled and no `R` denied for ever without a reason. So a formula with
//! few temporal operators is decided on a small structure by looking at all guesses: slow, and short.

use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, Node, NodeId};
use tertium_model::{EdgeId, Kmts, KmtsBuilder, StateId};

use super::Steps;
use super::branching::constant_by_name;

/// What reference evaluators panic with where a formula has too many temporal operators or nested fixpoints for them: a limit of theirs,
/// no difference.
pub const REFERENCE_LIMIT: &str =
    "the limit of a reference evaluator is reached: too many temporal operators or nested fixpoints";

/// How open steps weaken a linear formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearReading {
    /// True on all fair may-paths; false on a fair must-path.
    Bg,
    /// The same for systems that have a fair path from everywhere: also false if all fair may-paths refute the
    /// formula, and without fairness constraints by a must-prefix after which nothing is known.
    BgTotal,
    /// Edge values multiplied into the operators as they stand.
    Tg,
    /// Edge values multiplied into the positive normal form of the negation.
    TgPnf,
}

/// The value of "on all infinite paths, the formula" at every state.
///
/// # Panics
/// If the formula is not linear or uses a proposition that the structure lacks.
#[must_use]
pub fn linear_values(structure: &Kmts, formula: &Formula, reading: LinearReading) -> Vec<Belnap> {
    let labels = |id: NodeId| match formula.node(id) {
        Node::Atom(atom) => Some(label_column(structure, &formula.atoms()[atom.index()].text)),
        Node::Element(element) => Some(constant_column(structure, &formula.elements()[element.index()])),
        _ => None,
    };
    let edges = reading == LinearReading::Tg;
    let mut negation = Positive::of(formula, formula.root(), false, edges, &labels);
    if reading == LinearReading::TgPnf {
        negation = negation.with_edge_values();
    }
    let certain =
        if matches!(reading, LinearReading::Bg | LinearReading::BgTotal) { Steps::Certain } else { Steps::Possible };
    let not_true = some_path(structure, &negation, Bit::NotRefuted, Steps::Possible);
    let mut refuted = some_path(structure, &negation, Bit::ForTrue, certain);
    if reading == LinearReading::BgTotal {
        let itself = Positive::of(formula, formula.root(), true, false, &labels);
        let possible = some_path(structure, &itself, Bit::NotRefuted, Steps::Possible);
        let by_prefix = some_path(&with_unknown_end(structure), &negation.with_unknown_state(), Bit::ForTrue, certain);
        // A prefix can be continued by a fair path only if something says so.
        let prefixes_count = structure.fairness().is_empty();
        for at in 0..refuted.len() {
            refuted[at] |= not_true[at] && (!possible[at] || (prefixes_count && by_prefix[at]));
        }
    }
    (0..structure.state_count()).map(|at| Belnap::from_evidence(!not_true[at], refuted[at])).collect()
}

/// The value of a CTL* formula at every state; quantifiers range over fair infinite paths.
///
/// # Panics
/// If the formula is no state formula of CTL* or uses a proposition that the structure lacks.
#[must_use]
pub fn star_values(structure: &Kmts, formula: &Formula) -> Vec<Belnap> {
    let mut columns: Vec<Option<Vec<Belnap>>> = Vec::new();
    for &node in formula.nodes() {
        let labels = |id: NodeId| columns[id.index()].clone();
        let exists = |path: NodeId, positive: bool| -> Vec<Belnap> {
            let positive = Positive::of(formula, path, positive, false, &labels);
            let for_true = some_path(structure, &positive, Bit::ForTrue, Steps::Certain);
            let not_refuted = some_path(structure, &positive, Bit::NotRefuted, Steps::Possible);
            for_true.iter().zip(not_refuted).map(|(&yes, open)| Belnap::from_evidence(yes, !open)).collect()
        };
        let combine = |a: NodeId, b: NodeId, operation: &dyn Fn(Belnap, Belnap) -> Belnap| {
            Some(labels(a)?.into_iter().zip(labels(b)?).map(|(a, b)| operation(a, b)).collect())
        };
        let negated = |column: Vec<Belnap>| column.into_iter().map(Belnap::not).collect::<Vec<_>>();
        let column = match node {
            Node::True => Some(vec![Belnap::True; structure.state_count()]),
            Node::False => Some(vec![Belnap::False; structure.state_count()]),
            Node::Atom(atom) => Some(label_column(structure, &formula.atoms()[atom.index()].text)),
            Node::Element(element) => Some(constant_column(structure, &formula.elements()[element.index()])),
            Node::Not(a) => labels(a).map(negated),
            Node::And(a, b) => combine(a, b, &|a, b| a.and(b)),
            Node::Or(a, b) => combine(a, b, &|a, b| a.or(b)),
            Node::Implies(a, b) => combine(a, b, &|a, b| a.not().or(b)),
            Node::Iff(a, b) => combine(a, b, &|a, b| a.and(b).or(a.not().and(b.not()))),
            Node::Xor(a, b) => combine(a, b, &|a, b| a.and(b).or(a.not().and(b.not())).not()),
            Node::Exists(path) => Some(exists(path, true)),
            Node::All(path) => Some(negated(exists(path, false))),
            _ => None,
        };
        columns.push(column);
    }
    columns.swap_remove(formula.root().index()).expect("a state formula")
}

fn label_column(structure: &Kmts, name: &str) -> Vec<Belnap> {
    let prop = structure.prop_by_name(name).unwrap_or_else(|| panic!("no proposition `{name}`"));
    structure.states().map(|state| structure.label(state, prop)).collect()
}

fn constant_column(structure: &Kmts, name: &str) -> Vec<Belnap> {
    vec![constant_by_name(name); structure.state_count()]
}

/// One operator of a positive formula; operands by index.
#[derive(Clone, Debug)]
enum Part {
    Constant(bool),
    /// The value at the state, or its negation.
    Label(Vec<Belnap>),
    /// The value of the edge that is taken: true for must, else unknown; or its negation.
    Edge {
        positive: bool,
    },
    And(usize, usize),
    Or(usize, usize),
    Next(usize),
    Until(usize, usize),
    Release(usize, usize),
}

/// A linear formula without negation, operands before what uses them; the last part is the formula.
#[derive(Clone, Debug, Default)]
struct Positive {
    parts: Vec<Part>,
}

/// Which evidence is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bit {
    ForTrue,
    NotRefuted,
}

impl Positive {
    /// The formula below `id`, or its negation. Nodes with `labels` are literals. With `edges`, the value of
    /// the step is multiplied into every operator before negation is pushed inwards.
    fn of(
        formula: &Formula,
        id: NodeId,
        positive: bool,
        edges: bool,
        labels: &dyn Fn(NodeId) -> Option<Vec<Belnap>>,
    ) -> Self {
        let mut made = Self::default();
        made.add(formula, id, positive, edges, labels);
        made
    }

    fn push(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// `a & b`, or for a negation `a | b`.
    fn both(&mut self, positive: bool, a: usize, b: usize) -> usize {
        self.push(if positive { Part::And(a, b) } else { Part::Or(a, b) })
    }

    /// `a U b`, or for a negation `a R b`.
    fn until(&mut self, positive: bool, a: usize, b: usize) -> usize {
        self.push(if positive { Part::Until(a, b) } else { Part::Release(a, b) })
    }

    /// The edge's value, or true without edges; negated if asked.
    fn edge(&mut self, positive: bool, edges: bool) -> usize {
        self.push(if edges { Part::Edge { positive } } else { Part::Constant(positive) })
    }

    /// Recursive, since generated formulas are small.
    fn add(
        &mut self,
        formula: &Formula,
        id: NodeId,
        positive: bool,
        edges: bool,
        labels: &dyn Fn(NodeId) -> Option<Vec<Belnap>>,
    ) -> usize {
        if let Some(column) = labels(id) {
            let negated = |column: Vec<Belnap>| column.into_iter().map(Belnap::not).collect();
            return self.push(Part::Label(if positive { column } else { negated(column) }));
        }
        let sub = |made: &mut Self, a: NodeId, keep: bool| made.add(formula, a, keep == positive, edges, labels);
        match formula.node(id) {
            Node::True => self.push(Part::Constant(positive)),
            Node::False => self.push(Part::Constant(!positive)),
            Node::Not(a) => sub(self, a, false),
            Node::And(a, b) => {
                let (a, b) = (sub(self, a, true), sub(self, b, true));
                self.both(positive, a, b)
            }
            Node::Or(a, b) => {
                let (a, b) = (sub(self, a, true), sub(self, b, true));
                self.both(!positive, a, b)
            }
            Node::Implies(a, b) => {
                let (a, b) = (sub(self, a, false), sub(self, b, true));
                self.both(!positive, a, b)
            }
            Node::Iff(a, b) => {
                self.equivalence(positive, [a, b], |made, a, keep| made.add(formula, a, keep, edges, labels))
            }
            Node::Xor(a, b) => {
                self.equivalence(!positive, [a, b], |made, a, keep| made.add(formula, a, keep, edges, labels))
            }
            Node::Next(a) => {
                let (r, a) = (self.edge(positive, edges), sub(self, a, true));
                let next = self.push(Part::Next(a));
                self.both(positive, r, next)
            }
            Node::Finally(b) => {
                let (r, b) = (self.edge(positive, edges), sub(self, b, true));
                self.until(positive, r, b)
            }
            Node::Globally(b) => {
                let (r, b) = (self.edge(positive, edges), sub(self, b, true));
                let (never, inner) = (self.push(Part::Constant(!positive)), self.both(positive, r, b));
                self.until(!positive, never, inner)
            }
            Node::Until(a, b) => {
                let (a, b) = (sub(self, a, true), sub(self, b, true));
                self.guarded_until(positive, edges, a, b)
            }
            Node::StrongRelease(a, b) => {
                let (a, b) = (sub(self, a, true), sub(self, b, true));
                let both = self.both(positive, a, b);
                self.guarded_until(positive, edges, b, both)
            }
            Node::Release(a, b) => {
                let (a, b) = (sub(self, a, true), sub(self, b, true));
                self.guarded_release(positive, edges, a, b)
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (sub(self, a, true), sub(self, b, true));
                let either = self.both(!positive, a, b);
                self.guarded_release(positive, edges, b, either)
            }
            other => panic!("{other:?} is no linear operator"),
        }
    }

    /// `(a & b) | (!a & !b)`, or its negation `(!a | !b) & (a | b)`. With four values that is not the same as
    /// `(a & !b) | (!a & b)`: both true and false differs from unknown.
    fn equivalence(
        &mut self,
        positive: bool,
        of: [NodeId; 2],
        add: impl Fn(&mut Self, NodeId, bool) -> usize,
    ) -> usize {
        let (a, b) = (add(self, of[0], true), add(self, of[1], true));
        let (not_a, not_b) = (add(self, of[0], false), add(self, of[1], false));
        let (first, second) = (self.both(positive, a, b), self.both(positive, not_a, not_b));
        self.both(!positive, first, second)
    }

    /// `(r & a) U b` or its negation, the operands being negated already.
    fn guarded_until(&mut self, positive: bool, edges: bool, a: usize, b: usize) -> usize {
        let r = self.edge(positive, edges);
        let left = self.both(positive, r, a);
        self.until(positive, left, b)
    }

    /// `a R (b & (a | r))` or its negation, the operands being negated already.
    fn guarded_release(&mut self, positive: bool, edges: bool, a: usize, b: usize) -> usize {
        let r = self.edge(positive, edges);
        let either = self.both(!positive, a, r);
        let right = self.both(positive, b, either);
        self.until(!positive, a, right)
    }

    /// The same formula with the value of the step multiplied into its temporal operators.
    fn with_edge_values(&self) -> Self {
        let mut made = Self::default();
        let mut places: Vec<usize> = Vec::new();
        for part in &self.parts {
            let place = match *part {
                Part::And(a, b) => made.push(Part::And(places[a], places[b])),
                Part::Or(a, b) => made.push(Part::Or(places[a], places[b])),
                Part::Next(a) => {
                    let (r, next) = (made.edge(true, true), made.push(Part::Next(places[a])));
                    made.push(Part::And(r, next))
                }
                Part::Until(a, b) => made.guarded_until(true, true, places[a], places[b]),
                Part::Release(a, b) => made.guarded_release(true, true, places[a], places[b]),
                _ => made.push(part.clone()),
            };
            places.push(place);
        }
        made
    }

    /// The same formula over structures with one more state, where nothing is known.
    fn with_unknown_state(&self) -> Self {
        let mut made = self.clone();
        for part in &mut made.parts {
            if let Part::Label(column) = part {
                column.push(Belnap::Unknown);
            }
        }
        made
    }

    fn is_temporal(&self, at: usize) -> bool {
        matches!(self.parts[at], Part::Next(_) | Part::Until(..) | Part::Release(..))
    }

    /// The truth of all parts at a position, given that of the temporal ones by `temporal`.
    fn truths(&self, state: StateId, must: bool, bit: Bit, temporal: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let mut truths: Vec<bool> = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let truth = match part {
                Part::Constant(value) => *value,
                Part::Label(column) if bit == Bit::ForTrue => column[state.index()].for_true(),
                Part::Label(column) => column[state.index()].not_refuted(),
                Part::Edge { positive: true } => must || bit == Bit::NotRefuted,
                Part::Edge { positive: false } => !must && bit == Bit::NotRefuted,
                Part::And(a, b) => truths[*a] && truths[*b],
                Part::Or(a, b) => truths[*a] || truths[*b],
                Part::Next(_) | Part::Until(..) | Part::Release(..) => temporal(at, &truths),
            };
            truths.push(truth);
        }
        truths
    }
}

/// The structure with must edges from everywhere to a state where nothing is known and nothing changes.
fn with_unknown_end(structure: &Kmts) -> Kmts {
    let mut builder = KmtsBuilder::new();
    for state in structure.states() {
        builder.add_state(structure.state_name(state));
    }
    let end = builder.add_state("@u");
    for state in structure.states() {
        for edge in structure.edges_from(state) {
            builder.add_edge(state, edge.target, edge.may, edge.must, None);
        }
        builder.add_edge(state, end, false, true, None);
    }
    builder.add_edge(end, end, true, true, None);
    builder.finish().expect("one more state fits")
}

/// An edge and a truth for each part where the edge begins.
struct Position {
    source: StateId,
    edge: EdgeId,
    truths: Vec<bool>,
    next: Vec<usize>,
}

/// At which states a fair infinite path of these steps begins that satisfies the formula.
fn some_path(structure: &Kmts, formula: &Positive, bit: Bit, steps: Steps) -> Vec<bool> {
    let positions = positions(structure, formula, bit, steps);
    let good = reaching_good_cycles(structure, formula, steps, &positions);
    let mut found = vec![false; structure.state_count()];
    for (position, good) in positions.iter().zip(good) {
        found[position.source.index()] |= good && *position.truths.last().expect("a formula has parts");
    }
    found
}

fn positions(structure: &Kmts, formula: &Positive, bit: Bit, steps: Steps) -> Vec<Position> {
    let temporal: Vec<usize> = (0..formula.parts.len()).filter(|&at| formula.is_temporal(at)).collect();
    assert!(temporal.len() <= 12, "{REFERENCE_LIMIT}");
    let guess_of = |truths: &[bool]| {
        temporal.iter().enumerate().filter(|(_, at)| truths[**at]).map(|(bit, _)| 1usize << bit).sum::<usize>()
    };
    let mut made: Vec<Position> = Vec::new();
    let mut first_of_edge = vec![usize::MAX; structure.edge_count()];
    for source in structure.states() {
        for edge in structure.edges_from(source).filter(|edge| steps.takes(edge)) {
            first_of_edge[edge.id.index()] = made.len();
            for guess in 0..1usize << temporal.len() {
                let place = |at: usize| temporal.iter().position(|&other| other == at).unwrap_or_default();
                let truths = formula.truths(source, edge.must, bit, |at, _| guess >> place(at) & 1 != 0);
                made.push(Position { source, edge: edge.id, truths, next: Vec::new() });
            }
        }
    }
    for later in 0..made.len() {
        let (target, after) = (made[later].source, made[later].truths.clone());
        for earlier in structure.states() {
            for edge in structure.edges_from(earlier).filter(|edge| steps.takes(edge) && edge.target == target) {
                let truths = formula.truths(earlier, edge.must, bit, |at, truths| match formula.parts[at] {
                    Part::Next(a) => after[a],
                    Part::Until(a, b) => truths[b] || (truths[a] && after[at]),
                    Part::Release(a, b) => truths[b] && (truths[a] || after[at]),
                    _ => unreachable!("only temporal parts are asked for"),
                });
                let before = first_of_edge[edge.id.index()] + guess_of(&truths);
                made[before].next.push(later);
            }
        }
    }
    made
}

/// Which positions lead to a cycle that keeps all promises and is fair.
fn reaching_good_cycles(structure: &Kmts, formula: &Positive, steps: Steps, positions: &[Position]) -> Vec<bool> {
    let component = components(positions);
    let mut good = vec![false; positions.len()];
    for number in 0..positions.len() {
        let members: Vec<&Position> =
            positions.iter().zip(&component).filter(|(_, at)| **at == number).map(|(position, _)| position).collect();
        let has_cycle = members.iter().any(|position| position.next.iter().any(|&next| component[next] == number));
        let keeps_promises = formula.parts.iter().enumerate().all(|(at, part)| match *part {
            Part::Until(_, b) => members.iter().any(|position| !position.truths[at] || position.truths[b]),
            Part::Release(_, b) => members.iter().any(|position| position.truths[at] || !position.truths[b]),
            _ => true,
        });
        let is_fair = structure.fairness().iter().all(|constraint| {
            let counted = if steps == Steps::Possible { &constraint.possible } else { &constraint.certain };
            members.iter().any(|position| counted.contains(position.edge.index()))
        });
        if has_cycle && keeps_promises && is_fair {
            (0..positions.len()).filter(|&at| component[at] == number).for_each(|at| good[at] = true);
        }
    }
    loop {
        let reaching = |at: usize| good[at] || positions[at].next.iter().any(|&next| good[next]);
        let further: Vec<bool> = (0..positions.len()).map(reaching).collect();
        if further == good {
            return good;
        }
        good = further;
    }
}

/// For each position the number of its strongly connected component, by two searches.
fn components(positions: &[Position]) -> Vec<usize> {
    let mut back = vec![Vec::new(); positions.len()];
    for (at, position) in positions.iter().enumerate() {
        position.next.iter().for_each(|&next| back[next].push(at));
    }
    let mut finished = Vec::new();
    let mut seen = vec![false; positions.len()];
    for start in 0..positions.len() {
        let mut open = vec![(start, 0)];
        while let Some((at, child)) = open.pop() {
            if child == 0 && std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match positions[at].next.get(child) {
                Some(&next) => open.extend([(at, child + 1), (next, 0)]),
                None => finished.push(at),
            }
        }
    }
    let mut component = vec![usize::MAX; positions.len()];
    let mut number = 0;
    for &start in finished.iter().rev() {
        if component[start] != usize::MAX {
            continue;
        }
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            if component[at] == usize::MAX {
                component[at] = number;
                open.extend(&back[at]);
            }
        }
        number += 1;
    }
    component
}
