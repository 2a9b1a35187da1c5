//! Which terms say that all paths, or some, satisfy a linear formula?
//!
//! Quantifiers of CTL* become the automata of their paths, one term per automaton state, from the inside out. A formula of
//! LTL is one quantifier over all paths.

use tertium_base::Budget;
use tertium_base::narrow::to_u32;

use super::{Term, TermId, Terms};
use crate::automata::{Marks, Tgba, Translation, TranslationError, ltl_to_tgba};
use crate::formula::{ActionId, Atom, AtomId, Formula, FormulaBuilder, Logic, Node, NodeId};

type PathTerm = Term<AtomId, Option<ActionId>>;

/// The terms of a formula of CTL* or LTL, and the one for its truth, or its falsity if not `positive`. If a path `ends` where there is no
/// step, its last state is read for ever; otherwise only infinite paths count.
///
/// # Errors
/// If the budget ends, or a path is said to have modalities, fixpoints or constants of a lattice.
pub fn path_terms(
    formula: &Formula,
    positive: bool,
    ends: bool,
    budget: &Budget,
) -> Result<(Terms<AtomId, Option<ActionId>>, TermId), TranslationError> {
    let mut maker = StarMaker { formula, ends, budget, terms: Vec::new(), priority: Vec::new(), known: Vec::new() };
    let root = maker.formula(positive)?;
    Ok((Terms::new(maker.terms, maker.priority), root))
}

/// Makes the terms of a CTL* formula, quantifiers from the inside out.
struct StarMaker<'t> {
    formula: &'t Formula,
    /// Whether a path may end where there is no step; its last state is then read for ever.
    ends: bool,
    budget: &'t Budget,
    terms: Vec<PathTerm>,
    priority: Vec<u32>,
    /// For each node of the formula that is a state formula: the terms for its truth and its falsity.
    known: Vec<Option<[TermId; 2]>>,
}

impl StarMaker<'_> {
    fn add(&mut self, term: PathTerm, priority: u32) -> TermId {
        self.terms.push(term);
        self.priority.push(priority);
        to_u32(self.terms.len() - 1)
    }

    fn formula(&mut self, positive: bool) -> Result<TermId, TranslationError> {
        for id in self.formula.node_ids() {
            let terms = self.node(id)?;
            self.known.push(terms);
        }
        let root = self.formula.root();
        let both = match self.known[root.index()] {
            Some(both) if self.formula.logic() == Logic::CtlStar => both,
            _ => [self.quantified(root, true, true)?, self.quantified(root, true, false)?],
        };
        Ok(both[usize::from(!positive)])
    }

    /// The terms of a node, if it is a state formula.
    fn node(&mut self, id: NodeId) -> Result<Option<[TermId; 2]>, TranslationError> {
        let node = self.formula.node(id);
        let both = |node: NodeId, known: &Vec<Option<[TermId; 2]>>| known[node.index()];
        Ok(match node {
            Node::True => Some([self.add(Term::All(Vec::new()), 0), self.add(Term::Any(Vec::new()), 0)]),
            Node::False => Some([self.add(Term::Any(Vec::new()), 0), self.add(Term::All(Vec::new()), 0)]),
            Node::Atom(atom) => Some([self.add(Term::Label(atom, true), 0), self.add(Term::Label(atom, false), 0)]),
            Node::Not(a) => both(a, &self.known).map(|[yes, no]| [no, yes]),
            Node::And(a, b) => self.pair(a, b, |[a, na], [b, nb]| [vec![a, b], vec![na, nb]]),
            Node::Or(a, b) => self.pair(a, b, |[a, na], [b, nb]| [vec![na, nb], vec![a, b]]).map(|[no, yes]| [yes, no]),
            Node::Implies(a, b) => {
                self.pair(a, b, |[a, na], [b, nb]| [vec![a, nb], vec![na, b]]).map(|[no, yes]| [yes, no])
            }
            Node::Iff(a, b) => self.equivalence(a, b),
            Node::Xor(a, b) => self.equivalence(a, b).map(|[yes, no]| [no, yes]),
            Node::Exists(path) => Some([self.quantified(path, false, true)?, self.quantified(path, false, false)?]),
            Node::All(path) => Some([self.quantified(path, true, true)?, self.quantified(path, true, false)?]),
            _ => None,
        })
    }

    /// A conjunction and the disjunction that negates it.
    fn pair(
        &mut self,
        a: NodeId,
        b: NodeId,
        parts: impl FnOnce([TermId; 2], [TermId; 2]) -> [Vec<TermId>; 2],
    ) -> Option<[TermId; 2]> {
        let [all, any] = parts(self.known[a.index()]?, self.known[b.index()]?);
        Some([self.add(Term::All(all), 0), self.add(Term::Any(any), 0)])
    }

    fn equivalence(&mut self, a: NodeId, b: NodeId) -> Option<[TermId; 2]> {
        let ([a, not_a], [b, not_b]) = (self.known[a.index()]?, self.known[b.index()]?);
        let mut two = |x, y| self.add(Term::All(vec![x, y]), 0);
        let (both, neither, first, second) = (two(a, b), two(not_a, not_b), two(a, not_b), two(not_a, b));
        Some([self.add(Term::Any(vec![both, neither]), 0), self.add(Term::Any(vec![first, second]), 0)])
    }

    /// That all paths (or some path) satisfy a path formula; or that this is not so.
    fn quantified(&mut self, path: NodeId, all: bool, positive: bool) -> Result<TermId, TranslationError> {
        // `A psi` holds iff no path satisfies `!psi`.
        let universal = all == positive;
        let (linear, atoms) = self.linear(path);
        let options = Translation { classical: true, ..Translation::default() };
        let automaton = ltl_to_tgba(&linear, all, options, self.budget)?;
        Ok(self.automaton(&automaton, &atoms, universal))
    }

    /// The path formula over atoms that stand for its greatest state formulas.
    fn linear(&self, path: NodeId) -> (Formula, Vec<[TermId; 2]>) {
        let mut builder = FormulaBuilder::new();
        let (mut made, mut atoms) = (Vec::new(), Vec::new());
        for id in self.formula.node_ids().take(path.index() + 1) {
            let node = match self.known.get(id.index()).copied().flatten() {
                Some(terms) => {
                    atoms.push(terms);
                    builder.atom(Atom { text: format!("{}", atoms.len() - 1), quoted: true })
                }
                None => builder.add(self.formula.node(id).map_children(|child: NodeId| made[child.index()])),
            };
            made.push(node);
        }
        (builder.finish(made[path.index()], Logic::Ltl), atoms)
    }

    /// Terms for "some path is accepted", or for "no path is".
    fn automaton(&mut self, automaton: &Tgba, atoms: &[[TermId; 2]], universal: bool) -> TermId {
        if automaton.states.is_empty() {
            return self.add(if universal { Term::All(Vec::new()) } else { Term::Any(Vec::new()) }, 0);
        }
        let levels = automaton.marks.max(1);
        let first = to_u32(self.terms.len());
        // Each automaton state, for each mark that it waits for: as entered by an ordinary step, and by one that
        // completes a round of marks; and all that again for paths that have ended.
        let count = automaton.states.len() * levels * 2;
        let place = |state: usize, level: usize, round: bool, ended: bool| {
            first + to_u32(usize::from(ended) * count + (state * levels + level) * 2 + usize::from(round))
        };
        let phases = if self.ends { 2 } else { 1 };
        let shift = u32::from(universal);
        for _ in 0..count * phases / 2 {
            self.add(Term::Any(Vec::new()), 1 + shift);
            self.add(Term::Any(Vec::new()), 2 + shift);
        }
        for (state, transitions) in automaton.states.iter().enumerate() {
            for (level, ended) in (0..levels).flat_map(|level| [(level, false), (level, true)]) {
                if ended && phases == 1 {
                    continue;
                }
                let mut ways = Vec::new();
                for transition in transitions {
                    let (next, round) = advance(level, transition.marks, automaton.marks);
                    let literals = transition.guard.literals().iter();
                    let mut way: Vec<TermId> = literals
                        .map(|literal| atoms[literal.atom().index()][usize::from(literal.is_negative() != universal)])
                        .collect();
                    let [on, last] = [false, true].map(|ended| place(transition.target, next, round, ended));
                    way.push(if ended { last } else { self.onward(on, last, universal) });
                    ways.push(self.add(if universal { Term::Any(way) } else { Term::All(way) }, 0));
                }
                let rule = if universal { Term::All(ways) } else { Term::Any(ways) };
                self.terms[place(state, level, false, ended) as usize] = rule.clone();
                self.terms[place(state, level, true, ended) as usize] = rule;
            }
        }
        place(automaton.initial, 0, false, false)
    }

    /// A path goes on with a step to `on`, or ends and goes on with `last` at the same state; or (`universal`) neither is accepted.
    fn onward(&mut self, on: TermId, last: TermId, universal: bool) -> TermId {
        let step = if universal { Term::Box(None, on) } else { Term::Diamond(None, on) };
        let step = self.add(step, 0);
        if !self.ends {
            return step;
        }
        let constant = self.add(if universal { Term::All(Vec::new()) } else { Term::Any(Vec::new()) }, 0);
        let guard = if universal { Term::Diamond(None, constant) } else { Term::Box(None, constant) };
        let parts = vec![self.add(guard, 0), last];
        let ending = self.add(if universal { Term::Any(parts) } else { Term::All(parts) }, 0);
        let both = vec![step, ending];
        self.add(if universal { Term::All(both) } else { Term::Any(both) }, 0)
    }
}

/// The next mark to wait for after a step with these marks, and whether a round was completed.
fn advance(level: usize, marks: Marks, count: usize) -> (usize, bool) {
    let ahead = |mut level: usize| {
        while level < count && marks.contains(level) {
            level += 1;
        }
        level
    };
    match ahead(level) {
        level if level < count => (level, false),
        _ => (ahead(0) % count.max(1), true),
    }
}
