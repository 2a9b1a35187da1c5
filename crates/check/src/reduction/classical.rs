//! An ordinary two-valued checker for formulas in positive normal form.
//!
//! It knows nothing of third values. A run gives it a set of states for every literal and two relations
//! for every kind of step: one for `EX`, one for `AX`. Operators of CTL are solved by a work list over
//! their unfolding, fixpoints by iteration from scratch.

use tertium_base::narrow::to_u32;
use tertium_base::{BitSet, Budget, Stopped};
use tertium_logic::{AtomId, ElementId, Formula, Node, NodeId, VarId};

use super::relation::{Predecessors, Relation};

/// The two relations of one kind of step.
pub(super) struct Modality {
    /// What `EX` looks at.
    pub diamond: Relation,
    /// What `AX` looks at.
    pub boxed: Relation,
}

/// What a path that ends in a deadlock does to `EG`, `ER`, `AF` and `AU`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// Nothing: there are no such paths.
    Never,
    /// It ends only where no step is possible: the relation of `EX` is what is certain, that of `AX` what is
    /// possible.
    Surely,
    /// It ends wherever no step is certain: the other way round.
    Perhaps,
}

/// A two-valued structure that a formula's names are bound to.
pub(super) struct Run<'r> {
    /// How many states there are.
    pub states: usize,
    /// Where an atom holds, or with `false` its negation.
    pub literal: &'r dyn Fn(AtomId, bool) -> BitSet,
    /// Whether a constant holds, or with `false` its negation.
    pub constant: &'r dyn Fn(ElementId, bool) -> bool,
    /// Steps of any kind, then those of each action of the formula.
    pub modalities: Vec<Modality>,
    /// How paths end.
    pub ending: Ending,
}

/// Fixpoints nested deeper are declined: the iteration of one inside the other is a recursion.
pub(super) const DEEPEST: usize = 500;

/// The states where a formula in positive normal form holds.
pub(super) fn evaluate(formula: &Formula, run: &Run<'_>, budget: &Budget) -> Result<BitSet, Stopped> {
    let any = &run.modalities[0];
    let mut evaluation = Evaluation {
        formula,
        run,
        budget,
        predecessors: Predecessors::of(run.states, [&any.diamond, &any.boxed]),
        schedule: Schedule::new(formula),
        sets: vec![None; formula.nodes().len()],
        variables: vec![None; formula.variables().len()],
        ticks: 0,
    };
    evaluation.round(None)?;
    let root = evaluation.sets[formula.root().index()].take();
    Ok(root.unwrap_or_else(|| BitSet::empty(run.states)))
}

/// Which nodes are evaluated in the rounds of which fixpoint.
struct Schedule {
    closed: Vec<NodeId>,
    /// For each node, if it is a fixpoint, what depends on its variable and on none further in.
    rounds: Vec<Vec<NodeId>>,
}

impl Schedule {
    fn new(formula: &Formula) -> Self {
        let mut binder = vec![None; formula.variables().len()];
        for id in formula.node_ids() {
            if let Node::Mu(var, _) | Node::Nu(var, _) = formula.node(id) {
                binder[var.index()] = Some(id);
            }
        }
        let mut schedule = Self { closed: Vec::new(), rounds: vec![Vec::new(); formula.nodes().len()] };
        let mut free: Vec<Vec<NodeId>> = Vec::new();
        for id in formula.node_ids() {
            let node = formula.node(id);
            let mut here: Vec<NodeId> = match node {
                Node::Var(var) => binder[var.index()].into_iter().collect(),
                _ => node.children().flat_map(|child| free[child.index()].iter().copied()).collect(),
            };
            here.sort_unstable();
            here.dedup();
            here.retain(|&binder| binder != id);
            // Operands stand before operators, so the innermost fixpoint has the smallest number.
            match here.first() {
                Some(innermost) => schedule.rounds[innermost.index()].push(id),
                None => schedule.closed.push(id),
            }
            free.push(here);
        }
        schedule
    }
}

struct Evaluation<'e> {
    formula: &'e Formula,
    run: &'e Run<'e>,
    budget: &'e Budget,
    predecessors: Predecessors,
    schedule: Schedule,
    sets: Vec<Option<BitSet>>,
    variables: Vec<Option<BitSet>>,
    ticks: u32,
}

impl Evaluation<'_> {
    /// Evaluates what depends on a fixpoint's variable, or with none what depends on no variable.
    fn round(&mut self, of: Option<NodeId>) -> Result<(), Stopped> {
        let nodes = match of {
            Some(binder) => self.schedule.rounds[binder.index()].clone(),
            None => self.schedule.closed.clone(),
        };
        for id in nodes {
            self.budget.check()?;
            let set = match self.formula.node(id) {
                Node::Mu(var, body) => Some(self.fixpoint(id, var, body, false)?),
                Node::Nu(var, body) => Some(self.fixpoint(id, var, body, true)?),
                node => self.operator(node)?,
            };
            self.sets[id.index()] = set;
        }
        Ok(())
    }

    fn fixpoint(&mut self, id: NodeId, var: VarId, body: NodeId, greatest: bool) -> Result<BitSet, Stopped> {
        let states = self.run.states;
        let mut current = if greatest { BitSet::full(states) } else { BitSet::empty(states) };
        loop {
            self.variables[var.index()] = Some(current.clone());
            self.round(Some(id))?;
            let next = self.set(body);
            if next == current {
                return Ok(current);
            }
            current = next;
        }
    }

    /// The set of a node evaluated before.
    fn set(&self, id: NodeId) -> BitSet {
        self.sets[id.index()].clone().unwrap_or_else(|| BitSet::empty(self.run.states))
    }

    fn constant(&self, value: bool) -> BitSet {
        if value { BitSet::full(self.run.states) } else { BitSet::empty(self.run.states) }
    }

    fn operator(&mut self, node: Node) -> Result<Option<BitSet>, Stopped> {
        let run = self.run;
        Ok(Some(match node {
            Node::True => self.constant(true),
            Node::False => self.constant(false),
            Node::Element(element) => self.constant((run.constant)(element, true)),
            Node::Atom(atom) => (run.literal)(atom, true),
            Node::Not(a) => match self.formula.node(a) {
                Node::Atom(atom) => (run.literal)(atom, false),
                Node::Element(element) => self.constant((run.constant)(element, false)),
                _ => return Ok(None),
            },
            Node::Var(var) => self.variables[var.index()].clone().unwrap_or_else(|| BitSet::empty(run.states)),
            Node::And(a, b) => {
                let mut set = self.set(a);
                set.intersect_with(&self.set(b));
                set
            }
            Node::Or(a, b) => {
                let mut set = self.set(a);
                set.union_with(&self.set(b));
                set
            }
            Node::Diamond(action, a) => {
                let (modality, inside) = (&run.modalities[action.map_or(0, |at| at.index() + 1)], self.set(a));
                BitSet::from_fn(run.states, |state| modality.diamond.exists(state, &inside))
            }
            Node::Box(action, a) => {
                let (modality, met) = (&run.modalities[action.map_or(0, |at| at.index() + 1)], self.set(a));
                BitSet::from_fn(run.states, |state| modality.boxed.all(state, &met))
            }
            Node::Exists(path) => return self.quantified(path, false),
            Node::All(path) => return self.quantified(path, true),
            _ => return Ok(None),
        }))
    }

    fn quantified(&mut self, path: NodeId, all: bool) -> Result<Option<BitSet>, Stopped> {
        Ok(Some(match self.formula.node(path) {
            Node::Next(a) => {
                let set = self.set(a);
                BitSet::from_fn(self.run.states, |state| self.next(all, Ending::Never, state, &set))
            }
            Node::Finally(b) => self.until(all, &self.constant(true), &self.set(b))?,
            Node::Globally(b) => self.release(all, &self.constant(false), &self.set(b))?,
            Node::Until(a, b) => self.until(all, &self.set(a), &self.set(b))?,
            Node::Release(a, b) => self.release(all, &self.set(a), &self.set(b))?,
            _ => return Ok(None),
        }))
    }

    /// `AX` or `EX` at a state, with regard to paths that end there.
    fn next(&self, all: bool, ending: Ending, state: usize, set: &BitSet) -> bool {
        let Modality { diamond, boxed } = &self.run.modalities[0];
        match (all, ending) {
            (false, Ending::Never) => diamond.exists(state, set),
            (false, Ending::Surely) => diamond.exists(state, set) || boxed.all(state, set),
            (false, Ending::Perhaps) => diamond.exists(state, set) || boxed.is_empty_at(state),
            (true, Ending::Never) => boxed.all(state, set),
            (true, Ending::Surely) => !diamond.is_empty_at(state) && boxed.all(state, set),
            (true, Ending::Perhaps) => diamond.exists(state, set) && boxed.all(state, set),
        }
    }

    /// Least solution of `Z = b | (a & next Z)`.
    fn until(&mut self, all: bool, a: &BitSet, b: &BitSet) -> Result<BitSet, Stopped> {
        let ending = if all { self.run.ending } else { Ending::Never };
        let mut set = BitSet::empty(self.run.states);
        let mut open: Vec<u32> = (0..to_u32(self.run.states)).collect();
        while let Some(state) = open.pop() {
            self.budget.tick(&mut self.ticks)?;
            let at = state as usize;
            if !set.contains(at) && (b.contains(at) || (a.contains(at) && self.next(all, ending, at, &set))) {
                set.insert(at);
                open.extend_from_slice(self.predecessors.of_state(at));
            }
        }
        Ok(set)
    }

    /// Greatest solution of `Z = b & (a | next Z)`.
    fn release(&mut self, all: bool, a: &BitSet, b: &BitSet) -> Result<BitSet, Stopped> {
        let ending = if all { Ending::Never } else { self.run.ending };
        let mut set = BitSet::full(self.run.states);
        let mut open: Vec<u32> = (0..to_u32(self.run.states)).collect();
        while let Some(state) = open.pop() {
            self.budget.tick(&mut self.ticks)?;
            let at = state as usize;
            if set.contains(at) && !(b.contains(at) && (a.contains(at) || self.next(all, ending, at, &set))) {
                set.remove(at);
                open.extend_from_slice(self.predecessors.of_state(at));
            }
        }
        Ok(set)
    }
}
