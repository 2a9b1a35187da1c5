//! A formula as obligations: what must be shown, and by which moves.
//!
//! An obligation is a node of the formula with a polarity, or an inner stage of one operator. It is a
//! number whose lowest bit is the polarity: `2 k` asks for evidence that term `k` is true, `2 k + 1` that it
//! is false, and the rule of the one is the dual of the rule of the other. So negation is a jump, and no
//! normal form is needed. Operators of CTL unfold at their own node.

use tertium_base::narrow::to_u32;
use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_logic::{ActionId, Formula, Node, NodeId};
use tertium_model::PropId;

use super::order;
use crate::{Filter, Task};

/// A term with a polarity.
pub(crate) type Obligation = u32;

/// The same term with the other polarity.
#[inline]
pub(crate) const fn dual(obligation: Obligation) -> Obligation {
    obligation ^ 1
}

/// Which steps a modality speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ModalStep {
    /// The edges that count.
    pub filter: Filter,
    /// Whether a path may end here: "deadlocked or `EX`", "not deadlocked and `AX`".
    pub finite: bool,
}

/// How an obligation is met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// It is, or is not, whatever the state.
    Constant(bool),
    /// The label carries evidence for true (or, with `false`, for false).
    Label(PropId, bool),
    /// By meeting another one at the same state.
    Jump(Obligation),
    /// By meeting one of the two.
    Any(Obligation, Obligation),
    /// By meeting both.
    All(Obligation, Obligation),
    /// By meeting another one all over some certain set.
    Diamond(ModalStep, Obligation),
    /// By meeting another one at every possible successor.
    Box(ModalStep, Obligation),
}

impl Rule {
    fn dual(self) -> Self {
        match self {
            Self::Constant(value) => Self::Constant(!value),
            Self::Label(prop, wanted) => Self::Label(prop, !wanted),
            Self::Jump(to) => Self::Jump(dual(to)),
            Self::Any(a, b) => Self::All(dual(a), dual(b)),
            Self::All(a, b) => Self::Any(dual(a), dual(b)),
            Self::Diamond(step, to) => Self::Box(step, dual(to)),
            Self::Box(step, to) => Self::Diamond(step, dual(to)),
        }
    }

    /// The obligations it leads to; `same_state` leaves out those behind a step.
    pub fn targets(self, same_state: bool) -> impl Iterator<Item = Obligation> {
        let (first, second) = match self {
            Self::Constant(_) | Self::Label(..) => (None, None),
            Self::Jump(to) => (Some(to), None),
            Self::Any(a, b) | Self::All(a, b) => (Some(a), Some(b)),
            Self::Diamond(_, to) | Self::Box(_, to) => ((!same_state).then_some(to), None),
        };
        first.into_iter().chain(second)
    }
}

/// An operator of CTL that unfolds: `b | (a & next)` or `b & (a | next)`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfolding {
    /// The node of `b`, and its number among the operands of the temporal operator.
    pub goal: (NodeId, u8),
    /// The node of `a`; none for `F` and `G`.
    pub side: Option<NodeId>,
    /// The obligation behind `a`, positive; the step itself if there is no `a`.
    pub onward: Obligation,
    /// The step, positive.
    pub step: Obligation,
}

/// Why a formula has no plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoPlan {
    /// A quantifier without a temporal operator below it, or the other way round.
    NotCtl,
    /// A coalition, which has to be written in fixpoints first.
    Players,
    /// A variable that no fixpoint binds.
    FreeVariable,
    /// A variable below an odd number of negations inside its fixpoint.
    OddVariable,
}

impl NoPlan {
    /// The reason, as the end of a sentence.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NotCtl => "a path quantifier stands before something that is no temporal operator",
            Self::Players => "coalitions have to be written in fixpoints first",
            Self::FreeVariable => "a fixpoint variable is not bound",
            Self::OddVariable => "a fixpoint variable stands below an odd number of negations",
        }
    }
}

/// All obligations of a formula.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// How each is met, past all jumps.
    pub rules: Vec<Rule>,
    /// How each is met, jump by jump.
    pub plain_rules: Vec<Rule>,
    /// For each term the node it is or belongs to.
    pub origin: Vec<NodeId>,
    /// The fixpoint of each variable.
    pub binder: Vec<Option<NodeId>>,
    /// For each node how it unfolds, if it is a fixpoint operator of CTL.
    pub unfoldings: Vec<Option<Unfolding>>,
    /// For `<->` and `xor` the two stages, positive.
    pub stages: Vec<Option<[Obligation; 2]>>,
    /// Blocks, priorities and what may not be skipped.
    pub order: order::Order,
    /// How many nodes there are: terms below this number are nodes.
    pub nodes: usize,
}

impl Plan {
    /// The obligations of a task's formula.
    pub fn new(task: &Task<'_>) -> Result<Self, NoPlan> {
        let maximal = task.reading.deadlock == Deadlock::Maximal;
        let names = Names { props: &task.props, elements: &task.elements, filters: &task.filters, maximal };
        Self::with_names(task.formula, names)
    }

    /// The obligations of a formula whose names mean whatever they may: to see whether it has a plan at all.
    pub fn without_names(formula: &Formula) -> Result<Self, NoPlan> {
        let props = vec![PropId::new(0); formula.atoms().len()];
        let elements = vec![Belnap::Unknown; formula.elements().len()];
        let filters = vec![Filter::Any; formula.actions().len()];
        Self::with_names(formula, Names { props: &props, elements: &elements, filters: &filters, maximal: false })
    }

    fn with_names(formula: &Formula, names: Names<'_>) -> Result<Self, NoPlan> {
        let mut maker = Maker::new(formula, names);
        for id in formula.node_ids() {
            maker.add_node(id)?;
        }
        maker.finish()
    }

    /// That a node is true, or false.
    pub fn obligation(&self, node: NodeId, positive: bool) -> Obligation {
        to_u32(node.index() * 2) | u32::from(!positive)
    }

    /// How an obligation is met.
    #[inline]
    pub fn rule(&self, obligation: Obligation) -> Rule {
        self.rules[obligation as usize]
    }

    /// The node that an obligation asks about, if it is not an inner stage.
    pub fn node(&self, obligation: Obligation) -> Option<NodeId> {
        let term = (obligation >> 1) as usize;
        (term < self.nodes).then(|| NodeId::new(term))
    }
}

/// What the names of a formula mean, and whether paths may end.
#[derive(Clone, Copy)]
struct Names<'t> {
    props: &'t [PropId],
    elements: &'t [Belnap],
    filters: &'t [Filter],
    maximal: bool,
}

struct Maker<'t> {
    formula: &'t Formula,
    names: Names<'t>,
    /// One rule per term, positive; nodes first, then stages.
    rules: Vec<Rule>,
    origin: Vec<NodeId>,
    binder: Vec<Option<NodeId>>,
    unfoldings: Vec<Option<Unfolding>>,
    stages: Vec<Option<[Obligation; 2]>>,
    /// Whether meeting a term over and over is good (`Some(true)`) or bad; none for what is no fixpoint.
    lasting: Vec<Option<bool>>,
}

const fn positive(node: NodeId) -> Obligation {
    to_u32(node.index() * 2)
}

impl<'t> Maker<'t> {
    fn new(formula: &'t Formula, names: Names<'t>) -> Self {
        let count = formula.nodes().len();
        let mut binder = vec![None; formula.variables().len()];
        for id in formula.node_ids() {
            if let Node::Mu(var, _) | Node::Nu(var, _) = formula.node(id) {
                binder[var.index()] = Some(id);
            }
        }
        Self {
            formula,
            names,
            rules: vec![Rule::Constant(false); count],
            origin: formula.node_ids().collect(),
            binder,
            unfoldings: vec![None; count],
            stages: vec![None; count],
            lasting: vec![None; count],
        }
    }

    fn add_stage(&mut self, of: NodeId, rule: Rule) -> Obligation {
        self.rules.push(rule);
        self.origin.push(of);
        self.lasting.push(None);
        to_u32((self.rules.len() - 1) * 2)
    }

    fn add_node(&mut self, id: NodeId) -> Result<(), NoPlan> {
        let filters = self.names.filters;
        let filter = |action: Option<ActionId>| action.map_or(Filter::Any, |action| filters[action.index()]);
        let plain = |action| ModalStep { filter: filter(action), finite: false };
        let rule = match self.formula.node(id) {
            Node::True => Rule::Constant(true),
            Node::False => Rule::Constant(false),
            Node::Element(element) => Rule::Constant(self.names.elements[element.index()].for_true()),
            Node::Atom(atom) => Rule::Label(self.names.props[atom.index()], true),
            Node::Var(var) => Rule::Jump(positive(self.binder[var.index()].ok_or(NoPlan::FreeVariable)?)),
            Node::Not(a) => Rule::Jump(dual(positive(a))),
            Node::And(a, b) => Rule::All(positive(a), positive(b)),
            Node::Or(a, b) => Rule::Any(positive(a), positive(b)),
            Node::Implies(a, b) => Rule::Any(dual(positive(a)), positive(b)),
            Node::Iff(a, b) => self.add_equivalence(id, a, b, true),
            Node::Xor(a, b) => self.add_equivalence(id, a, b, false),
            Node::Diamond(action, a) => Rule::Diamond(plain(action), positive(a)),
            Node::Box(action, a) => Rule::Box(plain(action), positive(a)),
            Node::Mu(_, a) | Node::Nu(_, a) => {
                self.lasting[id.index()] = Some(matches!(self.formula.node(id), Node::Nu(..)));
                Rule::Jump(positive(a))
            }
            Node::All(path) => self.add_quantified(id, path, true)?,
            Node::Exists(path) => self.add_quantified(id, path, false)?,
            Node::Coalition(..) => return Err(NoPlan::Players),
            Node::Next(_)
            | Node::Finally(_)
            | Node::Globally(_)
            | Node::Until(..)
            | Node::Release(..)
            | Node::WeakUntil(..)
            | Node::StrongRelease(..) => return Ok(()),
        };
        self.rules[id.index()] = rule;
        Ok(())
    }

    /// `(a & b) | (!a & !b)`, or with `!same` its negation.
    fn add_equivalence(&mut self, id: NodeId, a: NodeId, b: NodeId, same: bool) -> Rule {
        let (a, b) = (positive(a), positive(b));
        let stages = if same {
            [Rule::All(a, b), Rule::All(dual(a), dual(b))]
        } else {
            [Rule::Any(dual(a), dual(b)), Rule::Any(a, b)]
        };
        let [first, second] = stages.map(|rule| self.add_stage(id, rule));
        self.stages[id.index()] = Some([first, second]);
        if same { Rule::Any(first, second) } else { Rule::All(first, second) }
    }

    fn add_quantified(&mut self, id: NodeId, path: NodeId, all: bool) -> Result<Rule, NoPlan> {
        // (goal and its number, other side, whether it stops at the goal, whether it may last forever)
        let (goal, side, stops, lasting) = match self.formula.node(path) {
            Node::Next(a) => return Ok(self.step_rule(all, false, positive(a))),
            Node::Finally(b) => ((b, 0), None, true, false),
            Node::Globally(b) => ((b, 0), None, false, true),
            Node::Until(a, b) => ((b, 1), Some(a), true, false),
            Node::Release(a, b) => ((b, 1), Some(a), false, true),
            Node::WeakUntil(a, b) => ((b, 1), Some(a), true, true),
            Node::StrongRelease(a, b) => ((b, 1), Some(a), false, false),
            _ => return Err(NoPlan::NotCtl),
        };
        let finite = self.names.maximal && all != lasting;
        let rule = self.step_rule(all, finite, positive(id));
        let step = self.add_stage(id, rule);
        let onward = match side {
            None => step,
            Some(a) if stops => self.add_stage(id, Rule::All(positive(a), step)),
            Some(a) => self.add_stage(id, Rule::Any(positive(a), step)),
        };
        self.unfoldings[id.index()] = Some(Unfolding { goal, side, onward, step });
        self.lasting[id.index()] = Some(lasting);
        let goal = positive(goal.0);
        Ok(if stops { Rule::Any(goal, onward) } else { Rule::All(goal, onward) })
    }

    fn step_rule(&self, all: bool, finite: bool, to: Obligation) -> Rule {
        let step = ModalStep { filter: Filter::Any, finite };
        if all { Rule::Box(step, to) } else { Rule::Diamond(step, to) }
    }

    fn finish(self) -> Result<Plan, NoPlan> {
        let formula = self.formula;
        let mut rules: Vec<Rule> = self.rules.iter().flat_map(|&rule| [rule, rule.dual()]).collect();
        // A constant's two sides need not be each other's negation.
        for id in formula.node_ids() {
            if let Node::Element(element) = formula.node(id) {
                let refuted = self.names.elements[element.index()].for_false();
                rules[positive(id) as usize + 1] = Rule::Constant(refuted);
            }
        }
        let lasting: Vec<Option<bool>> = self.lasting.iter().flat_map(|&good| [good, good.map(|good| !good)]).collect();
        let plain_rules = rules.clone();
        let order = order::Order::new(formula, &mut rules, &lasting);
        let odd = |id: &NodeId| order.block[positive(*id) as usize] == order.block[positive(*id) as usize + 1];
        if self.binder.iter().flatten().any(odd) {
            return Err(NoPlan::OddVariable);
        }
        Ok(Plan {
            rules,
            plain_rules,
            origin: self.origin,
            binder: self.binder,
            unfoldings: self.unfoldings,
            stages: self.stages,
            order,
            nodes: formula.nodes().len(),
        })
    }
}
