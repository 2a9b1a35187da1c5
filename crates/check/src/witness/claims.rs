//! A winning strategy, written as claims about the nodes of the formula.

use std::collections::HashSet;

use tertium_base::Stopped;
use tertium_evidence::{Choice, Claim};
use tertium_logic::{Node, NodeId};
use tertium_model::{HyperId, StateId};

use crate::game::Solved;
use crate::game::arena::ObligationOutcome;
use crate::game::parity::NO_MOVE;
use crate::game::plan::{Obligation, Rule, Unfolding, dual};
use crate::game::steps::CertainSet;

/// The claims that an obligation about a node needs, itself first; it must be won.
pub(super) fn claims(solved: &Solved<'_>, state: StateId, root: Obligation) -> Result<Vec<Claim>, Stopped> {
    let mut writer = Writer { solved, known: HashSet::new(), open: Vec::new() };
    if let Some(node) = solved.arena.plan.node(root) {
        writer.need(state, node, root & 1 == 0);
    }
    let budget = solved.arena.task.budget;
    let (mut ticks, mut done) = (0, 0);
    let mut claims = Vec::new();
    while done < writer.open.len() {
        budget.tick(&mut ticks)?;
        let (state, node, positive) = writer.open[done];
        done += 1;
        let choice = writer.choose(state, node, positive);
        claims.push(Claim { state, node, positive, choice });
    }
    Ok(claims)
}

struct Writer<'s, 't> {
    solved: &'s Solved<'t>,
    known: HashSet<(StateId, Obligation)>,
    open: Vec<(StateId, NodeId, bool)>,
}

impl Writer<'_, '_> {
    fn need(&mut self, state: StateId, node: NodeId, positive: bool) {
        let obligation = self.solved.arena.plan.obligation(node, positive);
        if self.known.insert((state, obligation)) {
            self.open.push((state, node, positive));
        }
    }

    /// The choice of a claim; asks for the claims it needs.
    fn choose(&mut self, state: StateId, node: NodeId, positive: bool) -> Choice {
        let formula = self.solved.arena.task.formula;
        match formula.node(node) {
            Node::Not(a) => self.one(state, a, !positive),
            Node::Mu(_, a) | Node::Nu(_, a) => self.one(state, a, positive),
            Node::Var(var) => match self.solved.arena.plan.binder[var.index()] {
                Some(binder) => self.one(state, binder, positive),
                None => Choice::None,
            },
            Node::And(a, b) | Node::Or(a, b) => self.connective(state, node, positive, [(a, positive), (b, positive)]),
            Node::Implies(a, b) => self.connective(state, node, positive, [(a, !positive), (b, positive)]),
            Node::Iff(a, b) | Node::Xor(a, b) => self.equivalence(state, node, positive, a, b),
            Node::Diamond(_, a) | Node::Box(_, a) => self.modality(state, node, positive, a),
            Node::All(path) | Node::Exists(path) => {
                match (formula.node(path), self.solved.arena.plan.unfoldings[node.index()]) {
                    (_, Some(unfolding)) => self.unfold(state, node, positive, unfolding),
                    (Node::Next(a), None) => self.modality(state, node, positive, a),
                    _ => Choice::None,
                }
            }
            _ => Choice::None,
        }
    }

    fn one(&mut self, state: StateId, node: NodeId, positive: bool) -> Choice {
        self.need(state, node, positive);
        Choice::None
    }

    fn connective(&mut self, state: StateId, node: NodeId, positive: bool, operands: [(NodeId, bool); 2]) -> Choice {
        let obligation = self.solved.arena.plan.obligation(node, positive);
        if let Rule::All(..) = self.solved.arena.plan.rule(obligation) {
            operands.iter().for_each(|&(operand, side)| self.need(state, operand, side));
            return Choice::None;
        }
        let chosen = self.solved.picked(state, obligation);
        let (operand, side) = operands[usize::from(chosen)];
        self.need(state, operand, side);
        Choice::Operand(chosen)
    }

    fn equivalence(&mut self, state: StateId, node: NodeId, positive: bool, a: NodeId, b: NodeId) -> Choice {
        let plan = &self.solved.arena.plan;
        let obligation = plan.obligation(node, positive);
        let Some(stages) = plan.stages[node.index()] else { return Choice::None };
        if let Rule::Any(..) = plan.rule(obligation) {
            let chosen = self.solved.picked(state, obligation);
            self.need(state, a, chosen == 0);
            self.need(state, b, chosen == 0);
            return Choice::Operand(chosen);
        }
        // Which of the two is false, and which is true.
        let stages = if positive { stages } else { stages.map(dual) };
        let [refuted, proved] = stages.map(|stage| self.solved.picked(state, stage));
        self.need(state, [a, b][usize::from(proved)], true);
        self.need(state, [a, b][usize::from(refuted)], false);
        Choice::Operand(match (proved, refuted) {
            (0, 1) => 0,
            (1, 0) => 1,
            (0, _) => 2,
            _ => 3,
        })
    }

    fn modality(&mut self, state: StateId, node: NodeId, positive: bool, operand: NodeId) -> Choice {
        let obligation = self.solved.arena.plan.obligation(node, positive);
        match self.step(state, obligation, operand, positive) {
            Choice::Onward => Choice::None,
            choice => choice,
        }
    }

    /// An operator of CTL either stops or goes on.
    fn unfold(&mut self, state: StateId, node: NodeId, positive: bool, unfolding: Unfolding) -> Choice {
        let Unfolding { goal: (goal, number), side, onward, step } = unfolding;
        let plan = &self.solved.arena.plan;
        let obligation = plan.obligation(node, positive);
        let [onward, step] = [onward, step].map(|stage| if positive { stage } else { dual(stage) });
        match plan.rule(obligation) {
            Rule::Any(..) => {
                if self.solved.picked(state, obligation) == 0 {
                    self.need(state, goal, positive);
                    return Choice::Operand(number);
                }
                side.into_iter().for_each(|side| self.need(state, side, positive));
            }
            _ => {
                self.need(state, goal, positive);
                if let Some(side) = side
                    && self.solved.picked(state, onward) == 0
                {
                    self.need(state, side, positive);
                    return Choice::Operand(0);
                }
            }
        }
        self.step(state, step, node, positive)
    }

    /// A step by the rule of an obligation, towards claims about `node`.
    fn step(&mut self, state: StateId, obligation: Obligation, node: NodeId, positive: bool) -> Choice {
        let solved = self.solved;
        let (members, choice) = match solved.arena.plan.rule(obligation) {
            Rule::Diamond(..) => match solved.chosen_set(state, obligation) {
                ChosenSet::Members(members) => (members.clone(), Choice::Into(members)),
                ChosenSet::AllOrEnd(members) => (members, Choice::Onward),
            },
            Rule::Box(step, _) => {
                let steps = &solved.arena.steps;
                let edges = solved.arena.task.model.edges_from(state);
                let possible = edges.filter(|&edge| steps.is_possible(step.filter, edge));
                (possible.map(|edge| edge.target).collect(), Choice::Onward)
            }
            _ => (Vec::new(), Choice::None),
        };
        members.into_iter().for_each(|member| self.need(member, node, positive));
        choice
    }
}

/// How a won existential step is taken.
enum ChosenSet {
    /// Into these states, ascending.
    Members(Vec<StateId>),
    /// Into all possible successors, or nowhere.
    AllOrEnd(Vec<StateId>),
}

impl Solved<'_> {
    /// Which operand of a won disjunction the strategy shows: 0 or 1.
    fn picked(&self, state: StateId, obligation: Obligation) -> u8 {
        let Rule::Any(a, b) = self.arena.plan.rule(obligation) else { return 0 };
        match (self.arena.outcome(state, a), self.arena.outcome(state, b)) {
            (ObligationOutcome::Won, _) => 0,
            (_, ObligationOutcome::Won) => 1,
            (ObligationOutcome::Lost, _) => 1,
            (_, ObligationOutcome::Lost) => 0,
            (ObligationOutcome::At(_), ObligationOutcome::At(_)) => self.strategy(state, obligation).min(1) as u8,
        }
    }

    /// The strategy's move at a position; 0 if it has none.
    fn strategy(&self, state: StateId, obligation: Obligation) -> u32 {
        let chosen = self.arena.find(state, obligation).map_or(NO_MOVE, |position| self.solution.strategy[position]);
        if chosen == NO_MOVE { 0 } else { chosen }
    }

    /// The certain set that the strategy uses at a won existential step: the moves of the position were made
    /// in the same order.
    fn chosen_set(&self, state: StateId, obligation: Obligation) -> ChosenSet {
        let Rule::Diamond(step, to) = self.arena.plan.rule(obligation) else { return ChosenSet::Members(Vec::new()) };
        let (model, steps) = (self.arena.task.model, &self.arena.steps);
        let plain = model.edges_from(state).filter(|&edge| steps.is_certain(step.filter, edge));
        let mut sets: Vec<(Option<CertainSet>, Vec<StateId>)> = plain.map(|edge| (None, vec![edge.target])).collect();
        let hyper = model.hyper_range(state).map(|at| CertainSet::Hyper(HyperId::new(at)));
        for set in hyper.chain([CertainSet::Total, CertainSet::Ending]) {
            if steps.set_counts(state, step, set) {
                let mut members: Vec<StateId> = steps.members(state, set).collect();
                members.sort_unstable();
                members.dedup();
                sets.push((Some(set), members));
            }
        }
        let lost = |member: &StateId| self.arena.outcome(*member, to) == ObligationOutcome::Lost;
        let won = |member: &StateId| self.arena.outcome(*member, to) == ObligationOutcome::Won;
        sets.retain(|(_, members)| !members.iter().any(lost));
        let at_once = sets.iter().position(|(_, members)| members.iter().all(won));
        let chosen = at_once.unwrap_or(self.strategy(state, obligation) as usize).min(sets.len().saturating_sub(1));
        match sets.into_iter().nth(chosen) {
            Some((Some(CertainSet::Ending), members)) => ChosenSet::AllOrEnd(members),
            Some((_, members)) => ChosenSet::Members(members),
            None => ChosenSet::Members(Vec::new()),
        }
    }
}
