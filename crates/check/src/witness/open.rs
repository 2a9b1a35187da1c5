//! A play between two winners who cannot both be right, up to what is open.
//!
//! Where a formula is unknown, the refuter can keep it from being proved and the verifier can keep it
//! from being refuted. Both follow winning moves; a play that is legal for both cannot go on forever, so
//! it stops at a label, a step or a choice of a hyper edge that the structure leaves open. In a block of
//! one parity every move to a smaller rank is a winning one, so that the search sees all plays of
//! such pairs of strategies; elsewhere it follows the solver's strategy.

use std::collections::HashSet;

use tertium_base::Stopped;
use tertium_base::narrow::to_u32;
use tertium_evidence::{OpenQuestion, PlayStep, Reason, StepDirection};
use tertium_logic::Node;
use tertium_model::{Edge, HyperId, StateId};

use crate::game::Solved;
use crate::game::arena::ObligationOutcome;
use crate::game::parity::{NO_MOVE, NO_RANK};
use crate::game::plan::{ModalStep, Obligation, Rule, dual};
use crate::game::steps::CertainSet;

/// Where a play is, and where it came from.
struct Visit {
    state: StateId,
    /// With the polarity of the question.
    obligation: Obligation,
    from: Option<usize>,
}

/// How a play goes on.
enum Next {
    To(StateId, Obligation),
    Stop(Reason),
}

/// Searches depth first, certain steps first, so that the first stop lies deep.
pub(super) fn open_question(
    solved: &Solved<'_>,
    state: StateId,
    root: Obligation,
    limit: usize,
) -> Result<OpenQuestion, Stopped> {
    let mut visits: Vec<Visit> = Vec::new();
    let mut known = HashSet::new();
    let mut open = vec![(None, Next::To(state, root))];
    let mut found = OpenQuestion::default();
    let mut ticks = 0;
    while let Some((from, next)) = open.pop() {
        solved.arena.task.budget.tick(&mut ticks)?;
        match next {
            Next::To(state, obligation) if known.insert((state, obligation)) => {
                let here = visits.len();
                visits.push(Visit { state, obligation, from });
                open.extend(solved.ways_on(state, obligation).into_iter().rev().map(|way| (Some(here), way)));
            }
            Next::To(..) => {}
            Next::Stop(reason) => {
                if found.reasons.is_empty() {
                    found.play = play_to(solved, &visits, from);
                }
                if !found.reasons.contains(&reason) {
                    found.reasons.push(reason);
                }
            }
        }
        if found.reasons.len() >= limit.max(1) {
            break;
        }
    }
    if found.reasons.is_empty() {
        found.play = play_to(solved, &visits, visits.len().checked_sub(1));
    }
    Ok(found)
}

/// The nodes asked about on the way to a visit.
fn play_to(solved: &Solved<'_>, visits: &[Visit], mut at: Option<usize>) -> Vec<PlayStep> {
    let mut play = Vec::new();
    while let Some(index) = at {
        let Visit { state, obligation, from } = visits[index];
        if let Some(node) = solved.arena.plan.node(obligation) {
            play.push(PlayStep { state, node, positive: obligation & 1 == 0 });
        }
        at = from;
    }
    play.reverse();
    play
}

impl Solved<'_> {
    /// The moves that both winners allow at an obligation that neither it nor its dual can be met; best first.
    fn ways_on(&self, state: StateId, obligation: Obligation) -> Vec<Next> {
        match self.arena.plan.plain_rules[obligation as usize] {
            Rule::Constant(_) => Vec::new(),
            Rule::Label(prop, _) => vec![Next::Stop(Reason::Label { state, prop })],
            Rule::Jump(to) => vec![Next::To(state, to)],
            Rule::All(a, b) => self.operands(state, obligation, [a, b], false),
            Rule::Any(a, b) => self.operands(state, dual(obligation), [dual(a), dual(b)], true),
            Rule::Box(step, to) => self.steps_on(state, obligation, step, to, false),
            Rule::Diamond(step, to) => self.steps_on(state, dual(obligation), step, dual(to), true),
        }
    }

    /// The operands by which the opponent keeps a conjunction from being met. `turned` says that the question
    /// has the other polarity.
    fn operands(&self, state: StateId, all: Obligation, operands: [Obligation; 2], turned: bool) -> Vec<Next> {
        let refutes = |operand: &Obligation| self.refutes(state, all, state, *operand);
        let question = |operand: Obligation| if turned { dual(operand) } else { operand };
        operands.into_iter().filter(refutes).map(|operand| Next::To(state, question(operand))).collect()
    }

    /// Whether the opponent wins by moving from one obligation, theirs to move, to another.
    fn refutes(&self, state: StateId, at: Obligation, target: StateId, to: Obligation) -> bool {
        let ObligationOutcome::At(reached) = self.arena.outcome(target, to) else {
            return self.arena.outcome(target, to) == ObligationOutcome::Lost;
        };
        let Some(next) = self.arena.find(target, reached) else { return false };
        if self.solution.even_wins.contains(next) {
            return false;
        }
        match self.arena.outcome(state, at) {
            // The other operand is met, so this one was the only way.
            ObligationOutcome::At(here) if here != at => true,
            ObligationOutcome::At(_) => self.arena.find(state, at).is_some_and(|here| self.is_good(here, next)),
            ObligationOutcome::Won | ObligationOutcome::Lost => false,
        }
    }

    /// Whether a move between two positions that the opponent wins brings them on.
    fn is_good(&self, here: usize, next: usize) -> bool {
        let game = &self.arena.game;
        if !game.moves(here).contains(&to_u32(next)) {
            return false;
        }
        if self.solution.intricate.contains(here) {
            let chosen = self.solution.strategy[here];
            return chosen != NO_MOVE && game.moves(here)[chosen as usize] as usize == next;
        }
        let rank = &self.solution.rank;
        game.class(next).block < game.class(here).block || rank[here] == NO_RANK || rank[next] < rank[here]
    }

    /// The steps by which the opponent keeps a universal obligation from being met.
    fn steps_on(&self, state: StateId, all: Obligation, step: ModalStep, to: Obligation, turned: bool) -> Vec<Next> {
        let question = if turned { dual(to) } else { to };
        let direction = self.direction(all);
        let steps = &self.arena.steps;
        if step.finite && !steps.something_certain(state) {
            return self.endings(state, to, direction);
        }
        let edges = self.arena.task.model.edges_from(state).filter(|&edge| steps.is_possible(step.filter, edge));
        let useful: Vec<Edge> = edges.filter(|edge| self.refutes(state, all, edge.target, to)).collect();
        let alone = self.is_only_successor(state, step);
        let certain = |edge: &Edge| alone || steps.is_certain(step.filter, *edge);
        let (sure, open): (Vec<Edge>, Vec<Edge>) = useful.into_iter().partition(certain);
        let on = sure.into_iter().map(|edge| Next::To(edge.target, question));
        on.chain(open.into_iter().map(|edge| Next::Stop(self.open_step(state, step, edge, direction)))).collect()
    }

    /// Whether totality makes the only possible successor certain.
    fn is_only_successor(&self, state: StateId, step: ModalStep) -> bool {
        let mut targets = self.arena.task.model.may_successors(state);
        let first = targets.next();
        first.is_some()
            && targets.all(|target| Some(target) == first)
            && self.arena.steps.set_counts(state, step, CertainSet::Total)
    }

    /// Where nothing is certain the path may end: the steps that would lead on to the opposite.
    fn endings(&self, state: StateId, to: Obligation, direction: StepDirection) -> Vec<Next> {
        let unmet = |target: StateId| self.proves(target, dual(to)) == Some(false);
        let targets = self.arena.task.model.may_successors(state).filter(|&target| unmet(target));
        let direction = match direction {
            StepDirection::Exists => StepDirection::Forall,
            StepDirection::Forall => StepDirection::Exists,
        };
        targets.map(|to| Next::Stop(Reason::Edge { from: state, to, direction })).collect()
    }

    /// The reason that a possible step is open: it is one of a hyper edge's, or nothing is known of it.
    fn open_step(&self, state: StateId, step: ModalStep, edge: Edge, direction: StepDirection) -> Reason {
        let (model, steps) = (self.arena.task.model, &self.arena.steps);
        for hyper in model.hyper_from(state) {
            let counts = steps.set_counts(state, step, CertainSet::Hyper(hyper.id));
            if counts && hyper.members.binary_search(&edge.target).is_ok() {
                return Reason::Hyper { from: state, members: hyper.members.to_vec(), direction };
            }
        }
        let something_smaller = model.edges_from(state).any(|edge| steps.is_certain(step.filter, edge))
            || model.hyper_range(state).any(|at| steps.set_counts(state, step, CertainSet::Hyper(HyperId::new(at))));
        if !something_smaller && steps.set_counts(state, step, CertainSet::Total) {
            let mut members: Vec<StateId> = model.may_successors(state).collect();
            members.dedup();
            return Reason::Hyper { from: state, members, direction };
        }
        Reason::Edge { from: state, to: edge.target, direction }
    }

    fn direction(&self, obligation: Obligation) -> StepDirection {
        let plan = &self.arena.plan;
        match self.arena.task.formula.node(plan.origin[(obligation >> 1) as usize]) {
            Node::All(_) | Node::Box(..) => StepDirection::Forall,
            _ => StepDirection::Exists,
        }
    }
}
