//! The value of a branching formula at every state, by the clauses of its definition.
//!
//! With `H(s)` for everything certain at `s` (must edges as singletons, hyper edges, and the set of all
//! may-successors if the structure is total):
//!
//! - `T(EX g)`: some set of `H(s)` lies in `T(g)`;  `P(EX g)`: some may-successor lies in `P(g)`;
//! - `T(AX g)`: all may-successors lie in `T(g)`;   `P(AX g)`: every set of `H(s)` meets `P(g)`;
//! - `T(!g)` and `P(!g)` are the complements of `P(g)` and `T(g)`; all else is componentwise.

use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{ActionId, Formula, Node, NodeId, VarId};
use tertium_model::{EdgeId, Kmts, StateId};

use super::REFERENCE_LIMIT;

/// What a state without successors means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deadlocks {
    /// `AX` is vacuously true there and `EX` false.
    Mu,
    /// It ends a finite maximal path: matters for `EG`, `ER`, `AF`, `AU` (and so for `EW` and `AM`).
    Maximal,
    /// There are none: the may-successors of a state together are a certain set.
    Total,
}

/// The value of `formula` at every state, in order.
///
/// Atoms and actions are looked up by name; the action `fair:0` selects the edges of the first fairness
/// constraint, and so on. A hyper edge counts for a constraint if all its members do.
///
/// # Panics
/// If the formula is not one of PML, CTL or mu-calculus, or uses a name that the structure lacks; with [`REFERENCE_LIMIT`] if
/// fixpoints are nested so deeply that the naive iteration does not end in time.
#[must_use]
pub fn branching_values(structure: &Kmts, formula: &Formula, deadlocks: Deadlocks) -> Vec<Belnap> {
    let structure = match deadlocks {
        Deadlocks::Total => structure.clone().with_total(true),
        _ => structure.clone(),
    };
    let variables = vec![None; formula.variables().len()];
    let mut evaluator = Evaluator { structure: &structure, formula, deadlocks, variables, evaluations: 0 };
    evaluator.value(formula.root())
}

/// A value at every state.
type Column = Vec<Belnap>;

/// Which edges a modality speaks of.
#[derive(Clone, Copy)]
enum Selection {
    Any,
    Action(tertium_model::ActionId),
    Fair(usize),
}

/// How a step of an unfolding treats states without successors.
#[derive(Clone, Copy)]
enum UnfoldingStep {
    /// `EX` and `AX` as they are.
    Plain,
    /// "Deadlocked or `EX`" and "not deadlocked and `AX`".
    EndsAtDeadlocks,
}

struct Evaluator<'a> {
    structure: &'a Kmts,
    formula: &'a Formula,
    deadlocks: Deadlocks,
    variables: Vec<Option<Column>>,
    /// How many nodes were evaluated: the naive iteration is exponential in the nesting of fixpoints.
    evaluations: u64,
}

/// So many nodes are evaluated at most; of ten thousand random formulas, one needs more.
const MOST_EVALUATIONS: u64 = 20_000_000;

impl Evaluator<'_> {
    fn constant(&self, value: Belnap) -> Column {
        vec![value; self.structure.state_count()]
    }

    /// Recursive, since generated formulas are small.
    fn value(&mut self, id: NodeId) -> Column {
        self.evaluations += 1;
        assert!(self.evaluations <= MOST_EVALUATIONS, "{REFERENCE_LIMIT}");
        match self.formula.node(id) {
            Node::True => self.constant(Belnap::True),
            Node::False => self.constant(Belnap::False),
            Node::Element(element) => self.constant(constant_by_name(&self.formula.elements()[element.index()])),
            Node::Atom(atom) => self.labels(&self.formula.atoms()[atom.index()].text),
            Node::Var(var) => self.variables[var.index()].clone().expect("every variable is bound"),
            Node::Not(a) => self.value(a).into_iter().map(Belnap::not).collect(),
            Node::And(a, b) => both(&self.value(a), &self.value(b), Belnap::and),
            Node::Or(a, b) => both(&self.value(a), &self.value(b), Belnap::or),
            Node::Implies(a, b) => both(&self.value(a), &self.value(b), |a, b| a.not().or(b)),
            Node::Iff(a, b) => both(&self.value(a), &self.value(b), equivalent),
            Node::Xor(a, b) => both(&self.value(a), &self.value(b), |a, b| equivalent(a, b).not()),
            Node::Diamond(action, a) => {
                let inner = self.value(a);
                self.exists_next(self.selection(action), UnfoldingStep::Plain, &inner)
            }
            Node::Box(action, a) => {
                let inner = self.value(a);
                self.all_next(self.selection(action), UnfoldingStep::Plain, &inner)
            }
            Node::Mu(var, a) => self.fixpoint(var, a, Belnap::False),
            Node::Nu(var, a) => self.fixpoint(var, a, Belnap::True),
            Node::Exists(path) => self.quantified(path, false),
            Node::All(path) => self.quantified(path, true),
            other => panic!("{other:?} is no operator of PML, CTL or the mu-calculus"),
        }
    }

    fn labels(&self, name: &str) -> Column {
        let prop = self.structure.prop_by_name(name).unwrap_or_else(|| panic!("no proposition `{name}`"));
        self.structure.states().map(|state| self.structure.label(state, prop)).collect()
    }

    fn selection(&self, action: Option<ActionId>) -> Selection {
        let Some(action) = action else { return Selection::Any };
        let name = &self.formula.actions()[action.index()];
        if let Some(number) = name.strip_prefix("fair:") {
            return Selection::Fair(number.parse().expect("the number of a fairness constraint"));
        }
        let at = self.structure.actions().iter().position(|known| known == name);
        Selection::Action(tertium_model::ActionId::new(at.unwrap_or_else(|| panic!("no action `{name}`"))))
    }

    /// The may-successors by the selected edges.
    fn possible(&self, state: StateId, selection: Selection) -> Vec<StateId> {
        let selected = |at: &usize| {
            let edge = self.structure.edge(EdgeId::new(*at));
            edge.may
                && match selection {
                    Selection::Any => true,
                    Selection::Action(action) => edge.action == Some(action),
                    Selection::Fair(number) => self.structure.fairness()[number].possible.contains(*at),
                }
        };
        let edges = self.structure.edge_range(state).filter(selected);
        edges.map(|at| self.structure.edge(EdgeId::new(at)).target).collect()
    }

    /// `H(s)`, by the selected edges.
    fn certain(&self, state: StateId, selection: Selection) -> Vec<Vec<StateId>> {
        match selection {
            Selection::Any => self.structure.certain_sets(state, None),
            Selection::Action(action) => self.structure.certain_sets(state, Some(action)),
            Selection::Fair(number) => self.certain_and_fair(state, number),
        }
    }

    fn certain_and_fair(&self, state: StateId, number: usize) -> Vec<Vec<StateId>> {
        let counted = &self.structure.fairness()[number].certain;
        let counts = |target: StateId, action| {
            self.structure
                .edges_from(state)
                .any(|edge| edge.target == target && edge.action == action && counted.contains(edge.id.index()))
        };
        let musts = self.structure.edges_from(state).filter(|edge| edge.must && counts(edge.target, edge.action));
        let hypers = self.structure.hyper_from(state);
        let hypers = hypers.filter(|edge| edge.members.iter().all(|&member| counts(member, edge.action)));
        let mut sets: Vec<Vec<StateId>> =
            musts.map(|edge| vec![edge.target]).chain(hypers.map(|edge| edge.members.to_vec())).collect();
        // Totality makes some possible step certain; a fair one if all of them are.
        let possible: Vec<_> = self.structure.edges_from(state).filter(|edge| edge.may).collect();
        if self.structure.total()
            && !possible.is_empty()
            && possible.iter().all(|edge| counts(edge.target, edge.action))
        {
            sets.push(possible.iter().map(|edge| edge.target).collect());
        }
        sets
    }

    fn exists_next(&self, selection: Selection, step: UnfoldingStep, inner: &Column) -> Column {
        let at = |state: StateId| inner[state.index()];
        let value = |state| {
            let (may, sets) = (self.possible(state, selection), self.certain(state, selection));
            let mut for_true = sets.iter().any(|set| set.iter().all(|&target| at(target).for_true()));
            let mut not_refuted = may.iter().any(|&target| at(target).not_refuted());
            if let UnfoldingStep::EndsAtDeadlocks = step {
                for_true |= may.iter().all(|&target| at(target).for_true());
                not_refuted |= sets.is_empty();
            }
            Belnap::from_evidence(for_true, !not_refuted)
        };
        self.structure.states().map(value).collect()
    }

    fn all_next(&self, selection: Selection, step: UnfoldingStep, inner: &Column) -> Column {
        let at = |state: StateId| inner[state.index()];
        let value = |state| {
            let (may, sets) = (self.possible(state, selection), self.certain(state, selection));
            let mut for_true = may.iter().all(|&target| at(target).for_true());
            let mut not_refuted = sets.iter().all(|set| set.iter().any(|&target| at(target).not_refuted()));
            if let UnfoldingStep::EndsAtDeadlocks = step {
                for_true &= !sets.is_empty();
                not_refuted &= may.iter().any(|&target| at(target).not_refuted());
            }
            Belnap::from_evidence(for_true, !not_refuted)
        };
        self.structure.states().map(value).collect()
    }

    /// Iterates from `start` until nothing changes: each round of a monotone function changes one of two bits of some state for good.
    fn fixpoint(&mut self, var: VarId, body: NodeId, start: Belnap) -> Column {
        let mut current = self.constant(start);
        for _ in 0..2 * current.len() + 1 {
            self.variables[var.index()] = Some(current.clone());
            let next = self.value(body);
            if next == current {
                self.variables[var.index()] = None;
                return current;
            }
            current = next;
        }
        panic!("the iteration of {:?} does not settle: its body is not monotone", self.formula.node(body));
    }

    /// `A` or `E` before a temporal operator, by its unfolding.
    fn quantified(&mut self, path: NodeId, all: bool) -> Column {
        match self.formula.node(path) {
            Node::Next(a) => {
                let inner = self.value(a);
                self.next(all, UnfoldingStep::Plain, &inner)
            }
            Node::Finally(b) => {
                let (a, b) = (self.constant(Belnap::True), self.value(b));
                self.until(all, &a, &b)
            }
            Node::Globally(b) => {
                let (a, b) = (self.constant(Belnap::False), self.value(b));
                self.release(all, &a, &b)
            }
            Node::Until(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.until(all, &a, &b)
            }
            Node::Release(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.release(all, &a, &b)
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.release(all, &b, &both(&a, &b, Belnap::or))
            }
            Node::StrongRelease(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.until(all, &b, &both(&a, &b, Belnap::and))
            }
            other => panic!("{other:?} is no temporal operator of CTL"),
        }
    }

    fn next(&self, all: bool, step: UnfoldingStep, inner: &Column) -> Column {
        if all { self.all_next(Selection::Any, step, inner) } else { self.exists_next(Selection::Any, step, inner) }
    }

    fn step_if(&self, deadlocks_matter: bool) -> UnfoldingStep {
        if deadlocks_matter && self.deadlocks == Deadlocks::Maximal {
            UnfoldingStep::EndsAtDeadlocks
        } else {
            UnfoldingStep::Plain
        }
    }

    /// Least solution of `Z = b | (a & next Z)`.
    fn until(&self, all: bool, a: &Column, b: &Column) -> Column {
        let mut current = self.constant(Belnap::False);
        loop {
            let next = self.next(all, self.step_if(all), &current);
            let unfolded = both(b, &both(a, &next, Belnap::and), Belnap::or);
            if unfolded == current {
                return current;
            }
            current = unfolded;
        }
    }

    /// Greatest solution of `Z = b & (a | next Z)`.
    fn release(&self, all: bool, a: &Column, b: &Column) -> Column {
        let mut current = self.constant(Belnap::True);
        loop {
            let next = self.next(all, self.step_if(!all), &current);
            let unfolded = both(b, &both(a, &next, Belnap::or), Belnap::and);
            if unfolded == current {
                return current;
            }
            current = unfolded;
        }
    }
}

fn both(a: &Column, b: &Column, combine: impl Fn(Belnap, Belnap) -> Belnap) -> Column {
    a.iter().zip(b).map(|(&a, &b)| combine(a, b)).collect()
}

fn equivalent(a: Belnap, b: Belnap) -> Belnap {
    a.and(b).or(a.not().and(b.not()))
}

pub(super) fn constant_by_name(name: &str) -> Belnap {
    match name {
        "t" | "true" => Belnap::True,
        "f" | "false" => Belnap::False,
        "u" | "unknown" => Belnap::Unknown,
        "b" | "both" => Belnap::Both,
        _ => panic!("no truth value `{name}`"),
    }
}
