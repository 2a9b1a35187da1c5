//! What leaves a formula of PML or CTL open, read off the labels of its sub-formulas.
//!
//! The game knows every reason and costs a position per state and sub-formula. On a large structure one reason is
//! found faster from the values alone: an unknown value is followed to an operand, or along certain steps to a
//! state, that is unknown too, until a label or a step is open. For an until the nearest possible goal shows the
//! way; for a release every certain step leads closer to where it fails, so the walk ends.

use std::collections::{HashMap, HashSet, VecDeque};

use tertium_evidence::{OpenQuestion, PlayStep, Reason, StepDirection};
use tertium_lattice::{Belnap, TruthValue};
use tertium_logic::{Logic, Node, NodeId};
use tertium_model::{Edge, StateId};

use crate::explicit::Explicit;
use crate::{Ask, Engine, EngineError, Filter, Task, Values};

/// One open element that leaves the task's formula unknown at a state, with the play to it. None if the value is not
/// unknown, or if the walk meets something that only the game understands: fixpoints, `W` and `M`, deadlocks as ends.
///
/// # Errors
/// If the formula is none of PML, CTL, or a limit is reached.
pub fn open_question_by_labels(task: &Task<'_>, state: StateId) -> Result<Option<OpenQuestion>, EngineError> {
    if task.formula.logic() == Logic::Mu {
        return Ok(None);
    }
    let mut walk = Walk { task, values: HashMap::new(), seen: HashSet::new(), play: Vec::new() };
    let root = WalkQuestion { state, node: task.formula.root(), positive: true };
    if walk.value(root.node, true, state)? != Belnap::Unknown {
        return Ok(None);
    }
    let Some(reason) = walk.run(root)? else { return Ok(None) };
    Ok(Some(OpenQuestion { play: walk.play, loop_start: None, reasons: vec![reason] }))
}

/// A question on the way: is the node true (or, if not `positive`, false) at the state?
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct WalkQuestion {
    state: StateId,
    node: NodeId,
    positive: bool,
}

/// Where the walk goes.
enum Next {
    To(WalkQuestion),
    Stop(Reason),
    Lost,
}

/// An existential path question: the operands' polarity is that of the node, turned round under `A`.
#[derive(Clone, Copy)]
struct PathQuestion {
    place: WalkQuestion,
    operands_positive: bool,
    direction: StepDirection,
}

struct Walk<'t> {
    task: &'t Task<'t>,
    values: HashMap<NodeId, Values>,
    seen: HashSet<WalkQuestion>,
    play: Vec<PlayStep>,
}

impl Walk<'_> {
    fn run(&mut self, mut place: WalkQuestion) -> Result<Option<Reason>, EngineError> {
        loop {
            self.task.budget.check()?;
            if !self.seen.insert(place) {
                return Ok(None);
            }
            self.enter(place);
            match self.next(place)? {
                Next::To(on) => place = on,
                Next::Stop(reason) => return Ok(Some(reason)),
                Next::Lost => return Ok(None),
            }
        }
    }

    fn enter(&mut self, place: WalkQuestion) {
        let step = PlayStep { state: place.state, node: place.node, positive: place.positive };
        if self.play.last() != Some(&step) {
            self.play.push(step);
        }
    }

    /// The value of a node at a state; the negation's if not `positive`.
    fn value(&mut self, node: NodeId, positive: bool, state: StateId) -> Result<Belnap, EngineError> {
        if !self.values.contains_key(&node) {
            let formula = self.task.formula.to_builder().finish(node, self.task.formula.logic());
            let part = Task { formula: &formula, ask: Ask::All, ..self.task.clone() };
            self.values.insert(node, Explicit.values(&part)?);
        }
        let value = self.values.get(&node).map_or(Belnap::Unknown, |values| values.at(state));
        Ok(if positive { value } else { value.not() })
    }

    fn next(&mut self, place: WalkQuestion) -> Result<Next, EngineError> {
        let WalkQuestion { state, node, positive } = place;
        match self.task.formula.node(node) {
            Node::Atom(atom) => Ok(Next::Stop(Reason::Label { state, prop: self.task.props[atom.index()] })),
            Node::Not(a) => Ok(Next::To(WalkQuestion { node: a, positive: !positive, ..place })),
            Node::And(a, b) | Node::Or(a, b) | Node::Iff(a, b) | Node::Xor(a, b) => self.unknown_operand(place, [a, b]),
            Node::Implies(a, b) => match self.unknown_operand(place, [b])? {
                Next::Lost => self.unknown_operand(WalkQuestion { positive: !positive, ..place }, [a]),
                found => Ok(found),
            },
            Node::Diamond(action, a) => self.one_step(self.question(place, true), self.task.filter(action), a),
            Node::Box(action, a) => self.one_step(self.question(place, false), self.task.filter(action), a),
            Node::Exists(path) => self.path(self.question(place, true), path, true),
            Node::All(path) => self.path(self.question(place, false), path, false),
            _ => Ok(Next::Lost),
        }
    }

    /// `A` asks the existential question about the negations of its operands; so does a negative `E`, but then the
    /// question as a whole is about falsity, and an unknown value is unknown either way.
    fn question(&self, place: WalkQuestion, exists: bool) -> PathQuestion {
        let direction = if exists { StepDirection::Exists } else { StepDirection::Forall };
        PathQuestion { place, operands_positive: exists, direction }
    }

    fn unknown_operand<const N: usize>(
        &mut self,
        place: WalkQuestion,
        operands: [NodeId; N],
    ) -> Result<Next, EngineError> {
        for node in operands {
            if self.value(node, true, place.state)? == Belnap::Unknown {
                return Ok(Next::To(WalkQuestion { node, ..place }));
            }
        }
        Ok(Next::Lost)
    }

    fn path(&mut self, question: PathQuestion, path: NodeId, exists: bool) -> Result<Next, EngineError> {
        match (self.task.formula.node(path), exists) {
            (Node::Next(a), _) => self.one_step(question, Filter::Any, a),
            (Node::Finally(b), true) | (Node::Globally(b), false) => self.until(question, None, b),
            (Node::Until(a, b), true) | (Node::Release(a, b), false) => self.until(question, Some(a), b),
            (Node::Globally(b), true) | (Node::Finally(b), false) => self.release(question, None, b),
            (Node::Release(a, b), true) | (Node::Until(a, b), false) => self.release(question, Some(a), b),
            _ => Ok(Next::Lost),
        }
    }

    /// The polarity under which an operand of a path question is asked about in the play.
    fn operand(&self, question: PathQuestion, state: StateId, node: NodeId) -> Next {
        Next::To(WalkQuestion { state, node, positive: question.place.positive })
    }

    fn one_step(&mut self, question: PathQuestion, filter: Filter, a: NodeId) -> Result<Next, EngineError> {
        let state = question.place.state;
        let mut open = None;
        for edge in self.possible_edges(state, filter) {
            let value = self.value(a, question.operands_positive, edge.target)?;
            if edge.must && value == Belnap::Unknown {
                return Ok(self.operand(question, edge.target, a));
            }
            if !edge.must && value.not_refuted() && open.is_none() {
                open = Some(edge.target);
            }
        }
        Ok(open.map_or(Next::Lost, |to| Next::Stop(self.open_step(question, state, to))))
    }

    fn possible_edges(&self, state: StateId, filter: Filter) -> Vec<Edge> {
        let selected = |edge: &Edge| match filter {
            Filter::Any => true,
            Filter::Action(action) => edge.action == Some(action),
            Filter::Fair(constraint) => self.task.model.fairness()[constraint].possible.contains(edge.id.index()),
        };
        self.task.model.edges_from(state).filter(|edge| edge.may && selected(edge)).collect()
    }

    /// The reason that a possible step is: part of a choice, if a hyper edge covers it.
    fn open_step(&self, question: PathQuestion, from: StateId, to: StateId) -> Reason {
        let direction = question.direction;
        match self.task.model.hyper_from(from).find(|hyper| hyper.members.contains(&to)) {
            Some(hyper) => Reason::Hyper { from, members: hyper.members.to_vec(), direction },
            None => Reason::Edge { from, to, direction },
        }
    }

    /// Follows a shortest possible path to the goal up to what is open on it.
    fn until(&mut self, question: PathQuestion, side: Option<NodeId>, goal: NodeId) -> Result<Next, EngineError> {
        let path = self.possible_path(question, side, goal)?;
        let Some((&last, before)) = path.split_last() else { return Ok(Next::Lost) };
        for (at, &state) in before.iter().enumerate() {
            self.enter(WalkQuestion { state, ..question.place });
            if let Some(side) = side
                && self.value(side, true, state)? == Belnap::Unknown
            {
                return Ok(self.operand(question, state, side));
            }
            let to = path[at + 1];
            if !self.task.model.must_successors(state).any(|target| target == to) {
                return Ok(Next::Stop(self.open_step(question, state, to)));
            }
        }
        self.enter(WalkQuestion { state: last, ..question.place });
        if self.value(goal, true, last)? == Belnap::Unknown {
            return Ok(self.operand(question, last, goal));
        }
        Ok(Next::Lost)
    }

    fn possible_path(
        &mut self,
        question: PathQuestion,
        side: Option<NodeId>,
        goal: NodeId,
    ) -> Result<Vec<StateId>, EngineError> {
        let start = question.place.state;
        let mut parent: HashMap<StateId, StateId> = HashMap::from([(start, start)]);
        let mut queue = VecDeque::from([start]);
        let mut ticks = 0;
        while let Some(state) = queue.pop_front() {
            self.task.budget.tick(&mut ticks)?;
            if self.value(goal, question.operands_positive, state)?.not_refuted() {
                return Ok(trace_back(&parent, state));
            }
            let goes_on = match side {
                Some(side) => self.value(side, question.operands_positive, state)?.not_refuted(),
                None => true,
            };
            if goes_on {
                for to in self.task.model.may_successors(state) {
                    parent.entry(to).or_insert_with(|| {
                        queue.push_back(to);
                        state
                    });
                }
            }
        }
        Ok(Vec::new())
    }

    /// The body is open here, or every certain step leads to where the release fails sooner.
    fn release(&mut self, question: PathQuestion, side: Option<NodeId>, body: NodeId) -> Result<Next, EngineError> {
        let WalkQuestion { state, node, .. } = question.place;
        for operand in [Some(body), side].into_iter().flatten() {
            if self.value(operand, true, state)? == Belnap::Unknown {
                return Ok(self.operand(question, state, operand));
            }
        }
        // The quantified node itself, turned so that it reads as the existential question.
        let mut open = None;
        for edge in self.possible_edges(state, Filter::Any) {
            let value = self.value(node, question.operands_positive, edge.target)?;
            if edge.must && value == Belnap::Unknown {
                return Ok(Next::To(WalkQuestion { state: edge.target, ..question.place }));
            }
            if !edge.must && value.not_refuted() && open.is_none() {
                open = Some(edge.target);
            }
        }
        Ok(open.map_or(Next::Lost, |to| Next::Stop(self.open_step(question, state, to))))
    }
}

fn trace_back(parent: &HashMap<StateId, StateId>, mut state: StateId) -> Vec<StateId> {
    let mut path = vec![state];
    while let Some(&before) = parent.get(&state) {
        if before == state {
            break;
        }
        path.push(before);
        state = before;
    }
    path.reverse();
    path
}
