//! A formula as terms that a concrete state meets or not: what a tableau works on.
//!
//! A term is met at a state by its rule: a label, all or one of some terms at the same state, another term at
//! some or at every successor. Terms that are met over and over carry priorities: a thread of terms is good if
//! the greatest priority that it meets infinitely often is even. So PML, CTL, mu-calculus and CTL* are one kind of
//! thing (an alternating tree automaton), and nothing here is three-valued any more.
//!
//! The obligations of `game::plan` are terms already and keep their numbers. Quantifiers of CTL* become the
//! automata of their paths, one term per automaton state.

use tertium_evidence::Deadlock;
use tertium_logic::automata::{Marks, Tgba, Translation, TranslationError, ltl_to_tgba};
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId};
use tertium_model::PropId;

use crate::game::plan::{Plan, Rule};
use crate::{EngineError, Filter, Task, Unsupported};

/// A term's number.
pub(crate) type TermId = u32;

/// How a term is met at a concrete state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Term {
    /// The label is this.
    Label(PropId, bool),
    /// All of these are met; always, if there are none.
    All(Vec<TermId>),
    /// One of these is met; never, if there are none.
    Any(Vec<TermId>),
    /// Some step of the kind leads to a state that meets the term.
    Diamond(Filter, TermId),
    /// Every step of the kind leads to a state that meets the term.
    Box(Filter, TermId),
}

impl Term {
    /// The terms that are asked for at the same state.
    pub fn local(&self) -> &[TermId] {
        match self {
            Self::All(terms) | Self::Any(terms) => terms,
            _ => &[],
        }
    }

    /// The term that is asked for at successors.
    pub fn behind_step(&self) -> Option<TermId> {
        match self {
            Self::Diamond(_, to) | Self::Box(_, to) => Some(*to),
            _ => None,
        }
    }
}

/// All terms of a formula.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// The rules.
    pub terms: Vec<Term>,
    /// What counts when it is met infinitely often; of weak terms, 1 in the components whose cycles are bad, else 0.
    pub priority: Vec<u32>,
    /// Terms that lead to each other have one number.
    pub component: Vec<u32>,
    /// Whether in every component all cycles are good or all are bad.
    pub weak: bool,
}

const NAME: &str = "thorough";

pub(crate) fn decline(reason: &str) -> Unsupported {
    Unsupported { engine: NAME, reason: reason.to_owned() }
}

impl Terms {
    /// The terms of a branching formula, and the one for its truth (or falsity).
    pub fn of_task(task: &Task<'_>, positive: bool) -> Result<(Self, TermId), EngineError> {
        match task.formula.logic() {
            Logic::Pml | Logic::Ctl | Logic::Mu => {
                let plan = Plan::new(task).map_err(|problem| decline(problem.reason()))?;
                let root = plan.obligation(task.formula.root(), positive);
                Ok((Self::of_plan(&plan), root))
            }
            Logic::CtlStar | Logic::Ltl => {
                let mut maker = StarMaker { task, terms: Vec::new(), priority: Vec::new(), known: Vec::new() };
                let root = maker.formula(positive)?;
                Ok((Self::finish(maker.terms, maker.priority), root))
            }
        }
    }

    /// The obligations of a plan as terms of the same numbers.
    pub fn of_plan(plan: &Plan) -> Self {
        let count = plan.plain_rules.len();
        let (always, never) = (count as TermId, count as TermId + 1);
        let mut terms = Vec::with_capacity(count + 2);
        let mut extra: Vec<Term> = vec![Term::All(Vec::new()), Term::Any(Vec::new())];
        for &rule in &plan.plain_rules {
            terms.push(match rule {
                Rule::Constant(true) => Term::All(Vec::new()),
                Rule::Constant(false) => Term::Any(Vec::new()),
                Rule::Label(prop, value) => Term::Label(prop, value),
                Rule::Jump(to) => Term::All(vec![to]),
                Rule::Any(a, b) => Term::Any(vec![a, b]),
                Rule::All(a, b) => Term::All(vec![a, b]),
                Rule::Diamond(step, to) if step.finite => {
                    let ends = count as TermId + extra.len() as TermId;
                    extra.push(Term::Box(Filter::Any, never));
                    extra.push(Term::Diamond(step.filter, to));
                    Term::Any(vec![ends, ends + 1])
                }
                Rule::Box(step, to) if step.finite => {
                    let goes_on = count as TermId + extra.len() as TermId;
                    extra.push(Term::Diamond(Filter::Any, always));
                    extra.push(Term::Box(step.filter, to));
                    Term::All(vec![goes_on, goes_on + 1])
                }
                Rule::Diamond(step, to) => Term::Diamond(step.filter, to),
                Rule::Box(step, to) => Term::Box(step.filter, to),
            });
        }
        let mut priority = plan.order.priority.clone();
        terms.extend(extra);
        priority.resize(terms.len(), 0);
        Self::finish(terms, priority)
    }

    fn finish(terms: Vec<Term>, mut priority: Vec<u32>) -> Self {
        let component = components(&terms);
        let mut seen = vec![(false, false); terms.len()];
        let cyclic = cyclic_components(&terms, &component);
        for (at, &class) in component.iter().enumerate() {
            if !cyclic[class as usize] {
                priority[at] = 0;
            }
            let (even, odd) = &mut seen[class as usize];
            *even |= priority[at] > 0 && priority[at].is_multiple_of(2);
            *odd |= !priority[at].is_multiple_of(2);
        }
        let weak = seen.iter().all(|&(even, odd)| !(even && odd)) && all_cycles_agree(&terms, &priority, &component);
        if weak {
            for (at, &class) in component.iter().enumerate() {
                priority[at] = u32::from(seen[class as usize].1);
            }
        }
        Self { terms, priority, component, weak }
    }
}

/// Whether no cycle avoids the odd priorities of a component that has some: then the component's terms can all be
/// given that parity.
fn all_cycles_agree(terms: &[Term], priority: &[u32], component: &[u32]) -> bool {
    let mut odd = vec![false; terms.len()];
    for (at, &class) in component.iter().enumerate() {
        odd[class as usize] |= !priority[at].is_multiple_of(2);
    }
    let inside = |at: usize| odd[component[at] as usize] && priority[at].is_multiple_of(2);
    let rest: Vec<Term> = terms
        .iter()
        .enumerate()
        .map(|(at, term)| {
            let keep = |to: &TermId| inside(at) && inside(*to as usize) && component[at] == component[*to as usize];
            Term::All(successors(term).filter(keep).collect())
        })
        .collect();
    let classes = components(&rest);
    !cyclic_components(&rest, &classes).iter().any(|&cyclic| cyclic)
}

fn successors(term: &Term) -> impl Iterator<Item = TermId> + '_ {
    term.local().iter().copied().chain(term.behind_step())
}

fn cyclic_components(terms: &[Term], component: &[u32]) -> Vec<bool> {
    let mut cyclic = vec![false; terms.len()];
    for (at, term) in terms.iter().enumerate() {
        if successors(term).any(|to| component[to as usize] == component[at]) {
            cyclic[component[at] as usize] = true;
        }
    }
    cyclic
}

/// The strongly connected component of each term.
fn components(terms: &[Term]) -> Vec<u32> {
    super::graph::components(terms.len(), |at, next| successors(&terms[at]).nth(next).map(|to| to as usize))
}

/// Makes the terms of a CTL* formula, quantifiers from the inside out.
struct StarMaker<'t> {
    task: &'t Task<'t>,
    terms: Vec<Term>,
    priority: Vec<u32>,
    /// For each node of the formula that is a state formula: the terms for its truth and its falsity.
    known: Vec<Option<[TermId; 2]>>,
}

impl StarMaker<'_> {
    fn add(&mut self, term: Term, priority: u32) -> TermId {
        self.terms.push(term);
        self.priority.push(priority);
        (self.terms.len() - 1) as TermId
    }

    fn formula(&mut self, positive: bool) -> Result<TermId, EngineError> {
        for id in self.task.formula.node_ids() {
            let terms = self.node(id)?;
            self.known.push(terms);
        }
        let root = self.task.formula.root();
        let both = match self.known[root.index()] {
            Some(both) if self.task.formula.logic() == Logic::CtlStar => both,
            _ => [self.quantified(root, true, true)?, self.quantified(root, true, false)?],
        };
        Ok(both[usize::from(!positive)])
    }

    /// The terms of a node, if it is a state formula.
    fn node(&mut self, id: NodeId) -> Result<Option<[TermId; 2]>, EngineError> {
        let node = self.task.formula.node(id);
        let both = |node: NodeId, known: &Vec<Option<[TermId; 2]>>| known[node.index()];
        Ok(match node {
            Node::True => Some([self.add(Term::All(Vec::new()), 0), self.add(Term::Any(Vec::new()), 0)]),
            Node::False => Some([self.add(Term::Any(Vec::new()), 0), self.add(Term::All(Vec::new()), 0)]),
            Node::Element(element) => {
                let value = self.task.elements[element.index()].for_true();
                let constant = |value| if value { Term::All(Vec::new()) } else { Term::Any(Vec::new()) };
                Some([self.add(constant(value), 0), self.add(constant(!value), 0)])
            }
            Node::Atom(atom) => {
                let prop = self.task.props[atom.index()];
                Some([self.add(Term::Label(prop, true), 0), self.add(Term::Label(prop, false), 0)])
            }
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
    fn quantified(&mut self, path: NodeId, all: bool, positive: bool) -> Result<TermId, EngineError> {
        // `A psi` holds iff no path satisfies `!psi`.
        let universal = all == positive;
        let (linear, atoms) = self.linear(path);
        let options = Translation { classical: true, ..Translation::default() };
        let automaton = match ltl_to_tgba(&linear, all, options, self.task.budget) {
            Ok(automaton) => automaton,
            Err(TranslationError::Stopped(stopped)) => return Err(stopped.into()),
            Err(TranslationError::NotLinear) => {
                return Err(decline("modalities and fixpoints say nothing about a single path").into());
            }
        };
        Ok(self.automaton(&automaton, &atoms, universal))
    }

    /// The path formula over atoms that stand for its greatest state formulas.
    fn linear(&self, path: NodeId) -> (Formula, Vec<[TermId; 2]>) {
        let mut builder = FormulaBuilder::new();
        let (mut made, mut atoms) = (Vec::new(), Vec::new());
        for id in self.task.formula.node_ids().take(path.index() + 1) {
            let node = match self.known.get(id.index()).copied().flatten() {
                Some(terms) => {
                    atoms.push(terms);
                    builder.atom(Atom { text: format!("{}", atoms.len() - 1), quoted: true })
                }
                None => builder.add(self.task.formula.node(id).map_children(|child: NodeId| made[child.index()])),
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
        let first = self.terms.len() as TermId;
        // Each automaton state, for each mark that it waits for: as entered by an ordinary step, and by one that
        // completes a round of marks; and all that again for paths that have ended.
        let count = automaton.states.len() * levels * 2;
        let place = |state: usize, level: usize, round: bool, ended: bool| {
            first + (usize::from(ended) * count + (state * levels + level) * 2 + usize::from(round)) as TermId
        };
        let phases = if self.ends() { 2 } else { 1 };
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

    /// Whether a path may end where there is no step; its last state is then read for ever.
    fn ends(&self) -> bool {
        self.task.reading.deadlock == Deadlock::Maximal
    }

    /// A path goes on with a step to `on`, or ends and goes on with `last` at the same state; or (`universal`) neither is accepted.
    fn onward(&mut self, on: TermId, last: TermId, universal: bool) -> TermId {
        let step = if universal { Term::Box(Filter::Any, on) } else { Term::Diamond(Filter::Any, on) };
        let step = self.add(step, 0);
        if !self.ends() {
            return step;
        }
        let constant = self.add(if universal { Term::All(Vec::new()) } else { Term::Any(Vec::new()) }, 0);
        let guard = if universal { Term::Diamond(Filter::Any, constant) } else { Term::Box(Filter::Any, constant) };
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
