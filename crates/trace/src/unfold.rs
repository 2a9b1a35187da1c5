//! What are the parts of a formula worth along one run, and which of them decide?
//!
//! A run is a finite sequence of states, or a lasso. Along it every part of a formula has a value at every position; where a
//! finite run says nothing about what comes after its end, the value is unknown. A quantifier over paths is decided by this run
//! only in one direction: one path makes `A` false or `E` true. From the whole formula [`Unfolded::blame`] leads down to the
//! parts that decide it.
//!
//! For people who read a run, and for whoever asks what a stored run shows ([`value`]); engines do not use it.

use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Formula, Node, NodeId};

/// More rows than this are not shown.
const MOST_ROWS: usize = 80;
/// More positions that decide are not told.
const MOST_BLAMED: usize = 60;

/// A run as its atoms see it.
#[derive(Clone, Debug)]
pub struct Seen {
    /// For each position the values of the formula's atoms.
    pub atoms: Vec<Vec<Belnap>>,
    /// The position that follows the last one.
    pub loop_start: Option<usize>,
    /// Whether every step of the run surely exists.
    pub certain: bool,
}

/// One part of the formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The part.
    pub node: NodeId,
    /// How deep it stands.
    pub depth: usize,
    /// Its value at each position.
    pub values: Vec<Belnap>,
}

/// A part that decides at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// The part.
    pub node: NodeId,
    /// The position.
    pub at: usize,
    /// Its value there.
    pub value: Belnap,
    /// Whether what decides is that it keeps this value from there on.
    pub forever: bool,
}

/// A formula along a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfolded {
    /// The parts, outermost first.
    pub rows: Vec<Row>,
    /// What decides, from the whole formula down.
    pub blame: Vec<Blamed>,
}

/// Unfolds a formula along a run; nothing if the run is empty.
#[must_use]
pub fn unfold(formula: &Formula, seen: &Seen) -> Unfolded {
    if seen.atoms.is_empty() {
        return Unfolded::default();
    }
    let along = Along::new(formula, seen);
    Unfolded { rows: along.rows(), blame: along.blame() }
}

/// What the run settles about the whole formula at its beginning; unknown if it settles nothing.
#[must_use]
pub fn value(formula: &Formula, seen: &Seen) -> Belnap {
    if seen.atoms.is_empty() {
        return Belnap::Unknown;
    }
    Along::new(formula, seen).of(formula.root())[0]
}

struct Along<'a> {
    formula: &'a Formula,
    seen: &'a Seen,
    values: Vec<Vec<Belnap>>,
}

impl<'a> Along<'a> {
    fn new(formula: &'a Formula, seen: &'a Seen) -> Self {
        let mut along = Along { formula, seen, values: Vec::new() };
        for node in formula.node_ids() {
            let values = along.value(formula.node(node));
            along.values.push(values);
        }
        along
    }

    fn of(&self, node: NodeId) -> &[Belnap] {
        &self.values[node.index()]
    }

    fn length(&self) -> usize {
        self.seen.atoms.len()
    }

    fn after(&self, at: usize) -> Option<usize> {
        if at + 1 < self.length() { Some(at + 1) } else { self.seen.loop_start }
    }

    fn value(&self, node: Node) -> Vec<Belnap> {
        let each = |value: &dyn Fn(usize) -> Belnap| (0..self.length()).map(value).collect::<Vec<_>>();
        let (no, yes) = (Belnap::False, Belnap::True);
        match node {
            Node::True => each(&|_| yes),
            Node::False => each(&|_| no),
            Node::Atom(atom) => each(&|at| self.seen.atoms[at].get(atom.index()).copied().unwrap_or(Belnap::Unknown)),
            Node::Not(a) => each(&|at| self.of(a)[at].not()),
            Node::And(a, b) => each(&|at| self.of(a)[at].and(self.of(b)[at])),
            Node::Or(a, b) => each(&|at| self.of(a)[at].or(self.of(b)[at])),
            Node::Implies(a, b) => each(&|at| self.of(a)[at].not().or(self.of(b)[at])),
            Node::Iff(a, b) => each(&|at| same(self.of(a)[at], self.of(b)[at])),
            Node::Xor(a, b) => each(&|at| same(self.of(a)[at], self.of(b)[at]).not()),
            Node::Next(a) => each(&|at| self.after(at).map_or(Belnap::Unknown, |next| self.of(a)[next])),
            Node::Finally(a) => self.back(no, &|at, next| self.of(a)[at].or(next)),
            Node::Globally(a) => self.back(yes, &|at, next| self.of(a)[at].and(next)),
            Node::Until(a, b) => self.back(no, &|at, next| self.of(b)[at].or(self.of(a)[at].and(next))),
            Node::WeakUntil(a, b) => self.back(yes, &|at, next| self.of(b)[at].or(self.of(a)[at].and(next))),
            Node::Release(a, b) => self.back(yes, &|at, next| self.of(b)[at].and(self.of(a)[at].or(next))),
            Node::StrongRelease(a, b) => self.back(no, &|at, next| self.of(b)[at].and(self.of(a)[at].or(next))),
            Node::All(a) => each(&|at| self.by_one_path(self.of(a)[at], no)),
            Node::Exists(a) => each(&|at| self.by_one_path(self.of(a)[at], yes)),
            // What other steps do, and fixed points over them, cannot be seen in one run.
            Node::Element(_)
            | Node::Var(_)
            | Node::Diamond(..)
            | Node::Box(..)
            | Node::Mu(..)
            | Node::Nu(..)
            | Node::Coalition(..) => each(&|_| Belnap::Unknown),
        }
    }

    fn by_one_path(&self, value: Belnap, decisive: Belnap) -> Belnap {
        if self.seen.certain && value == decisive { value } else { Belnap::Unknown }
    }

    /// A temporal operator from the back: a fixed point on the loop, unknown beyond the end of a finite run.
    fn back(&self, first: Belnap, step: &dyn Fn(usize, Belnap) -> Belnap) -> Vec<Belnap> {
        let length = self.length();
        let mut values = vec![first; length];
        // Going round twice is enough: after one round each position on the loop has seen all others.
        for _ in 0..2 {
            for at in (0..length).rev() {
                let next = self.after(at).map_or(Belnap::Unknown, |next| values[next]);
                values[at] = step(at, next);
            }
        }
        values
    }

    /// The parts in the order in which they are written, each once.
    fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut shown = vec![false; self.formula.nodes().len()];
        let mut stack = vec![(self.formula.root(), 0)];
        while let Some((node, depth)) = stack.pop() {
            if rows.len() == MOST_ROWS || std::mem::replace(&mut shown[node.index()], true) {
                continue;
            }
            let kind = self.formula.node(node);
            if matches!(kind, Node::True | Node::False | Node::Var(_)) {
                continue;
            }
            rows.push(Row { node, depth, values: self.of(node).to_vec() });
            let children: Vec<NodeId> = kind.children().collect();
            stack.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
        }
        rows
    }

    fn blame(&self) -> Vec<Blamed> {
        let mut found: Vec<Blamed> = Vec::new();
        let mut open = vec![(self.formula.root(), 0)];
        while let Some((node, at)) = open.pop() {
            let value = self.of(node)[at];
            let definite = matches!(value, Belnap::True | Belnap::False);
            if !definite || found.len() == MOST_BLAMED || found.iter().any(|b| b.node == node && b.at == at) {
                continue;
            }
            let (mut causes, forever) = self.causes(node, at, value == Belnap::True);
            found.push(Blamed { node, at, value, forever: false });
            if let Some(lasting) = forever {
                found.push(Blamed { node: lasting, at, value: self.of(lasting)[at], forever: true });
            }
            causes.reverse();
            open.extend(causes);
        }
        found
    }

    /// Which parts at which positions make a part what it is; or the part that never changes again.
    fn causes(&self, node: NodeId, at: usize, holds: bool) -> (Vec<(NodeId, usize)>, Option<NodeId>) {
        let is = |part: NodeId, at: usize, wanted: bool| {
            self.of(part)[at] == if wanted { Belnap::True } else { Belnap::False }
        };
        let one = |parts: &[(NodeId, bool)]| {
            parts
                .iter()
                .find(|&&(part, wanted)| is(part, at, wanted))
                .map(|&(part, _)| (part, at))
                .into_iter()
                .collect()
        };
        let first = |part: NodeId, wanted: bool| self.from(at).find(|&at| is(part, at, wanted)).map(|at| (part, at));
        match self.formula.node(node) {
            Node::Not(a) | Node::All(a) | Node::Exists(a) => (vec![(a, at)], None),
            Node::And(a, b) if holds => (vec![(a, at), (b, at)], None),
            Node::And(a, b) => (one(&[(a, false), (b, false)]), None),
            Node::Or(a, b) if !holds => (vec![(a, at), (b, at)], None),
            Node::Or(a, b) => (one(&[(a, true), (b, true)]), None),
            Node::Implies(a, b) if !holds => (vec![(a, at), (b, at)], None),
            Node::Implies(a, b) => (one(&[(a, false), (b, true)]), None),
            Node::Iff(a, b) | Node::Xor(a, b) => (vec![(a, at), (b, at)], None),
            Node::Next(a) => (self.after(at).map(|next| (a, next)).into_iter().collect(), None),
            Node::Finally(a) if holds => (first(a, true).into_iter().collect(), None),
            Node::Globally(a) if !holds => (first(a, false).into_iter().collect(), None),
            Node::Finally(a) | Node::Globally(a) => (Vec::new(), Some(a)),
            Node::Until(_, b) | Node::WeakUntil(_, b) if holds => match first(b, true) {
                Some(reached) => (vec![reached], None),
                None => (Vec::new(), Some(b)),
            },
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                let stuck = self.from(at).find(|&at| is(a, at, false) && is(b, at, false));
                match stuck {
                    Some(at) => (vec![(a, at), (b, at)], None),
                    None => (Vec::new(), Some(b)),
                }
            }
            Node::Release(_, b) | Node::StrongRelease(_, b) if !holds => match first(b, false) {
                Some(broken) => (vec![broken], None),
                None => (Vec::new(), Some(b)),
            },
            _ => (Vec::new(), None),
        }
    }

    /// The positions from one on, each once, in the order in which the run meets them.
    fn from(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let back = self.seen.loop_start.unwrap_or(self.length()).min(at);
        let length = self.length();
        (at..length).chain(if self.seen.loop_start.is_some() { back..at } else { 0..0 })
    }
}

fn same(a: Belnap, b: Belnap) -> Belnap {
    a.and(b).or(a.not().and(b.not()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_base::narrow::to_u32;
    use tertium_logic::{Logic, ParseOptions, parse};

    fn unfolded(text: &str, logic: Logic, atoms: &[&str], loop_start: Option<usize>) -> (Formula, Unfolded) {
        let formula = parse(text, &ParseOptions::in_logic(logic)).formula.unwrap_or_else(|| panic!("{text}"));
        let names: Vec<String> = formula.atoms().iter().map(|atom| atom.text.clone()).collect();
        let values = |state: &&str| {
            names.iter().map(|name| if state.contains(name.as_str()) { Belnap::True } else { Belnap::False }).collect()
        };
        let seen = Seen { atoms: atoms.iter().map(values).collect(), loop_start, certain: true };
        let unfolded = unfold(&formula, &seen);
        (formula, unfolded)
    }

    fn told(formula: &Formula, unfolded: &Unfolded) -> Vec<String> {
        let tell = |b: &Blamed| {
            let lasting = if b.forever { " for ever" } else { "" };
            format!("{} at {} is {:?}{lasting}", formula.text_of(b.node, 100), b.at, b.value)
        };
        unfolded.blame.iter().map(tell).collect()
    }

    #[test]
    fn a_broken_invariant_is_blamed_on_the_state_that_breaks_it() {
        let (formula, unfolded) = unfolded("G !(p & q)", Logic::Ltl, &["p", "q", "pq"], None);
        assert_eq!(unfolded.rows[0].values, [Belnap::False, Belnap::False, Belnap::False]);
        let told = told(&formula, &unfolded);
        assert_eq!(told[0], "G !(p & q) at 0 is False");
        assert_eq!(told[2], "p & q at 2 is True");
    }

    #[test]
    fn a_loop_without_what_is_wanted_is_blamed_from_where_it_begins() {
        let (formula, unfolded) = unfolded("G (p -> F q)", Logic::Ltl, &["q", "p", "", ""], Some(2));
        assert!(told(&formula, &unfolded).contains(&"q at 1 is False for ever".to_owned()), "{unfolded:?}");
    }

    #[test]
    fn the_end_of_a_finite_run_says_nothing_about_what_follows() {
        let (_, unfolded) = unfolded("F q", Logic::Ltl, &["", ""], None);
        assert_eq!(unfolded.rows[0].values, [Belnap::Unknown, Belnap::Unknown]);
        assert!(unfolded.blame.is_empty());
    }

    #[test]
    fn one_path_decides_a_quantifier_in_one_direction() {
        let (_, all) = unfolded("AG p", Logic::Ctl, &["p", "p"], Some(0));
        assert_eq!(all.rows[0].values[0], Belnap::Unknown);
        let (_, some) = unfolded("EG p", Logic::Ctl, &["p", "p"], Some(0));
        assert_eq!(some.rows[0].values[0], Belnap::True);
    }

    /// Values on a lasso by the definition of the operators: a position's successors are followed far enough.
    fn reference(formula: &Formula, node: NodeId, at: usize, seen: &Seen, fuel: usize) -> Belnap {
        let next = |at: usize| if at + 1 < seen.atoms.len() { at + 1 } else { seen.loop_start.unwrap_or(0) };
        let of = |node, at| reference(formula, node, at, seen, fuel);
        let mut path = vec![at];
        while path.len() < fuel {
            path.push(next(path[path.len() - 1]));
        }
        match formula.node(node) {
            Node::Atom(atom) => seen.atoms[at][atom.index()],
            Node::Not(a) => of(a, at).not(),
            Node::And(a, b) => of(a, at).and(of(b, at)),
            Node::Or(a, b) => of(a, at).or(of(b, at)),
            Node::Next(a) => of(a, next(at)),
            Node::Finally(a) => path.iter().map(|&at| of(a, at)).fold(Belnap::False, Belnap::or),
            Node::Globally(a) => path.iter().map(|&at| of(a, at)).fold(Belnap::True, Belnap::and),
            Node::Until(a, b) => path.iter().rev().fold(Belnap::False, |rest, &at| of(b, at).or(of(a, at).and(rest))),
            other => panic!("not in this test: {other:?}"),
        }
    }

    #[test]
    fn values_on_every_small_lasso_are_those_of_the_definition() {
        for text in ["G F p", "F G p", "p U (q U p)", "G (p | X q)", "F (p & X !p)"] {
            let formula = parse(text, &ParseOptions::in_logic(Logic::Ltl)).formula.unwrap_or_else(|| panic!("{text}"));
            let atoms = formula.atoms().len();
            for length in 1..=3usize {
                for code in 0..4u32.pow(to_u32(length * atoms)) {
                    let value = |at: u32| Belnap::ALL[(code / 4u32.pow(at) % 4) as usize];
                    let rows = (0..length).map(|i| (0..atoms).map(|j| value(to_u32(i * atoms + j))).collect());
                    for start in 0..length {
                        let seen = Seen { atoms: rows.clone().collect(), loop_start: Some(start), certain: true };
                        let found = unfold(&formula, &seen);
                        let wanted: Vec<Belnap> =
                            (0..length).map(|at| reference(&formula, formula.root(), at, &seen, 8)).collect();
                        assert_eq!(found.rows[0].values, wanted, "{text} on {seen:?}");
                    }
                }
            }
        }
    }
}
