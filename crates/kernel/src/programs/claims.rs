//! What does a `never` claim forbid, as a question about a structure?
//!
//! A `never` claim is a Büchi automaton that reads the states of a run, the first one included (Holzmann 2003). It is matched if the product of the program's
//! graph with it (Vardi, Wolper 1986) has a path that passes accepting states again and again: so the claim is never matched if and only if
//! `!(G F "accepting")` holds of the product. Runs that end are read again and again where they end; a path of the product that ends is one on which the
//! claim has nothing to say any more, and does not count. Every path of the product is one of the graph, with the same steps: fairness is that of the graph.
//!
//! Not here: claims that assign to variables, which have no finite automaton of this kind.

use std::collections::{BTreeSet, HashMap};

use tertium_base::Budget;
use tertium_lattice::Belnap;
use tertium_load::Failure;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{ActionId, Kmts, KmtsBuilder, PropId, StateId};
use tertium_program::{Action, Expr, ExprId, Hold, LocationId, ProcessId, Program, StepId};

use super::graph::{MOST_STATES, NoGraph};

/// The proposition that says that something accepting is passed.
const ACCEPTING: &str = "accepting";

/// The linear formula over one proposition, whose name it gives.
pub(super) fn formula(text: &str) -> Result<Formula, String> {
    parse(text, &ParseOptions::in_logic(Logic::Ltl)).formula.ok_or_else(|| format!("`{text}` is no formula"))
}

/// One thing the claim can do when it reads a state.
#[derive(Clone, Debug, Default)]
struct ClaimEdge {
    /// Atoms and the values they must have.
    needs: Vec<(usize, bool)>,
    /// Atoms that are asserted: if one does not hold, what is forbidden has happened.
    asserts: Vec<usize>,
    target: usize,
}

/// A claim that only looks at states.
#[derive(Clone, Debug)]
pub struct ClaimAutomaton {
    initial: usize,
    states: Vec<Vec<ClaimEdge>>,
    accepting: Vec<bool>,
    /// The state from which everything is accepted.
    done: usize,
    /// The atom that says that a process is at an acceptance label, which counts for the claim, too.
    accept_atom: Option<usize>,
    atoms: Vec<ExprId>,
}

impl ClaimAutomaton {
    /// The claim of a program.
    ///
    /// # Errors
    /// If it does more than look at states.
    pub(super) fn of(program: &Program, claim: ProcessId) -> Result<Self, String> {
        let count = program.process(claim).locations.len();
        let entry = program.process(claim).entry;
        let mut automaton = Self {
            initial: if program.location(claim, entry).end { count } else { entry.index() },
            states: vec![Vec::new(); count + 1],
            accepting: vec![false; count + 1],
            done: count,
            accept_atom: None,
            atoms: Vec::new(),
        };
        automaton.accepting[count] = true;
        automaton.states[count].push(ClaimEdge { target: count, ..ClaimEdge::default() });
        for at in (0..count).map(LocationId::new) {
            automaton.accepting[at.index()] = program.location(claim, at).accept;
            automaton.states[at.index()] = automaton.ways(program, claim, at)?;
        }
        automaton.accept_atom = program.exprs.find(Expr::Accepting).map(|expr| automaton.atom(expr));
        Ok(automaton)
    }

    /// That it is never matched, over the product.
    pub(super) fn never_matched() -> Result<Formula, String> {
        formula(&format!("!(G F \"{ACCEPTING}\")"))
    }

    fn atom(&mut self, expr: ExprId) -> usize {
        let known = self.atoms.iter().position(|&known| known == expr);
        known.unwrap_or_else(|| {
            self.atoms.push(expr);
            self.atoms.len() - 1
        })
    }

    /// What it looks at, by names that the graph's labels get.
    pub(super) fn atoms(&self) -> Vec<(String, ExprId)> {
        self.atoms.iter().enumerate().map(|(at, &atom)| (at.to_string(), atom)).collect()
    }

    /// All ways from one location to the next that is not inside a block.
    fn ways(&mut self, program: &Program, claim: ProcessId, from: LocationId) -> Result<Vec<ClaimEdge>, String> {
        let (mut found, mut open) = (Vec::new(), vec![(from, ClaimEdge::default(), BTreeSet::new())]);
        while let Some((at, way, passed)) = open.pop() {
            for &id in &program.location(claim, at).steps {
                let step = program.step(id);
                let mut way = way.clone();
                self.read(program, id, &mut way)?;
                let target = program.location(claim, step.target);
                let ends = target.steps.is_empty() || target.end;
                let inside = !step.frees && target.hold != Hold::Free && !ends;
                if inside && !passed.contains(&step.target) {
                    let mut passed = passed.clone();
                    passed.insert(step.target);
                    open.push((step.target, way, passed));
                    continue;
                }
                // The closing brace, or an end label: what is forbidden has happened.
                way.target = if ends { self.done } else { step.target.index() };
                found.push(way);
            }
        }
        Ok(found)
    }

    /// What one step of the claim asks of the state that it reads.
    fn read(&mut self, program: &Program, id: StepId, way: &mut ClaimEdge) -> Result<(), String> {
        let step = program.step(id);
        way.needs.push((self.atom(step.guard), true));
        for &rival in &step.yields_to {
            way.needs.push((self.atom(program.step(rival).guard), false));
        }
        match &step.action {
            Action::Assign(assigns) if assigns.is_empty() => Ok(()),
            Action::Print { .. } => Ok(()),
            Action::Assert(condition) => {
                way.asserts.push(self.atom(*condition));
                Ok(())
            }
            _ => Err("a claim that assigns to variables has no certificates".to_owned()),
        }
    }

    /// Where it can go from a state that gives its atoms these values.
    fn next(&self, at: usize, atoms: &[bool]) -> BTreeSet<usize> {
        let goes = |way: &&ClaimEdge| way.needs.iter().all(|&(atom, wanted)| atoms[atom] == wanted);
        let arrives =
            |way: &ClaimEdge| if way.asserts.iter().all(|&atom| atoms[atom]) { way.target } else { self.done };
        self.states[at].iter().filter(goes).map(arrives).collect()
    }

    /// The product of a graph, labelled with the claim's atoms, with the claim.
    pub(super) fn product(&self, graph: &Kmts, budget: &Budget) -> Result<Kmts, NoGraph> {
        let mut product = Product::new(self, graph);
        for &start in graph.init() {
            let start = product.number((start, self.initial))?;
            product.builder.add_init(start);
        }
        let (mut at, mut ticks) = (0, 0);
        while at < product.pairs.len() {
            budget.tick(&mut ticks).map_err(Failure::from)?;
            product.expand(at)?;
            at += 1;
        }
        for edges in product.fair {
            product.builder.add_fairness(edges);
        }
        product.builder.finish().map_err(|error| NoGraph::Open(error.to_string()))
    }
}

struct Product<'a> {
    claim: &'a ClaimAutomaton,
    graph: &'a Kmts,
    builder: KmtsBuilder,
    accepting: PropId,
    pairs: Vec<(StateId, usize)>,
    known: HashMap<(StateId, usize), StateId>,
    /// By constraint of the graph, the edges that count.
    fair: Vec<Vec<(StateId, StateId, Option<ActionId>)>>,
}

impl<'a> Product<'a> {
    fn new(claim: &'a ClaimAutomaton, graph: &'a Kmts) -> Self {
        let mut builder = KmtsBuilder::new();
        let accepting = builder.add_prop(ACCEPTING);
        for action in graph.actions() {
            builder.add_action(action);
        }
        let fair = vec![Vec::new(); graph.fairness().len()];
        Self { claim, graph, builder, accepting, pairs: Vec::new(), known: HashMap::new(), fair }
    }

    /// The values of the claim's atoms at a state of the graph.
    fn atoms(&self, state: StateId) -> Result<Vec<bool>, NoGraph> {
        let value = |at: usize| match self.graph.label(state, PropId::new(at)) {
            Belnap::True => Ok(true),
            Belnap::False => Ok(false),
            _ => Err(NoGraph::Open("what the claim looks at has no value in a state that is reached".to_owned())),
        };
        (0..self.claim.atoms.len()).map(value).collect()
    }

    fn number(&mut self, pair: (StateId, usize)) -> Result<StateId, NoGraph> {
        if let Some(&id) = self.known.get(&pair) {
            return Ok(id);
        }
        if self.pairs.len() >= MOST_STATES {
            return Err(NoGraph::Open(format!("the product with the claim has more than {MOST_STATES} states")));
        }
        let id = self.builder.add_state(&self.pairs.len().to_string());
        let atoms = self.atoms(pair.0)?;
        let accepts = self.claim.accepting[pair.1] || self.claim.accept_atom.is_some_and(|atom| atoms[atom]);
        self.builder.set_label(id, self.accepting, accepts.into());
        self.known.insert(pair, id);
        self.pairs.push(pair);
        Ok(id)
    }

    fn expand(&mut self, at: usize) -> Result<(), NoGraph> {
        let (state, place) = self.pairs[at];
        let places = self.claim.next(place, &self.atoms(state)?);
        let graph = self.graph;
        for edge in graph.edges_from(state) {
            for &next in &places {
                let to = self.number((edge.target, next))?;
                let taken = (StateId::new(at), to, edge.action);
                self.builder.add_edge(taken.0, taken.1, true, true, taken.2);
                for (constraint, counting) in graph.fairness().iter().zip(&mut self.fair) {
                    if constraint.certain.contains(edge.id.index()) {
                        counting.push(taken);
                    }
                }
            }
        }
        Ok(())
    }
}
