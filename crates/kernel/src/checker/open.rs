//! Is an open question really open? The play is legal, and the elements it stops at are undecided.
//!
//! A light check: it shows that what the question points at is open in the model, not that the
//! value is unknown.

use tertium_base::Diagnostic;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic};
use tertium_model::{Kmts, StateId};

use super::Rejection;
use super::rules::{Rule, Rules};
use super::structure::{Filter, Names, Structure};
use tertium_evidence::{OpenQuestion, PlayStep, Reading, Reason};

/// Checks that `question` is a legal play about `formula` from `state`, and that its reasons are open.
///
/// # Errors
/// The first thing found wrong, told in the model's names.
pub fn check_open_question(
    model: &Kmts,
    formula: &Formula,
    reading: Reading,
    state: StateId,
    question: &OpenQuestion,
) -> Result<(), Rejection> {
    let names = Names::look_up(formula, model, &[]);
    let check = Check { structure: Structure::new(model, reading), formula, rules: Rules::of(formula), names };
    check.known(question)?;
    if question.play.first().is_some_and(|first| first.state != state) {
        return Err(broken(format!("the play does not begin at `{}`", model.state_name(state))));
    }
    let linear = matches!(formula.logic(), Logic::Ltl | Logic::CtlStar);
    if linear {
        check.path(question)?
    } else {
        check.play(question)?
    }
    if question.reasons.is_empty() {
        return Err(broken("the question gives no reason"));
    }
    question.reasons.iter().try_for_each(|reason| check.reason(reason))
}

struct Check<'a> {
    structure: Structure<'a>,
    formula: &'a Formula,
    rules: Rules,
    names: Names,
}

impl Check<'_> {
    fn name(&self, state: StateId) -> &str {
        self.structure.model.state_name(state)
    }

    /// All numbers are ones that the model and the formula have.
    fn known(&self, question: &OpenQuestion) -> Result<(), Rejection> {
        let states = self.structure.model.state_count();
        let plays = question
            .play
            .iter()
            .all(|step| step.state.index() < states && step.node.index() < self.formula.nodes().len());
        let reasons = question.reasons.iter().all(|reason| match reason {
            Reason::Label { state, prop } => {
                state.index() < states && prop.index() < self.structure.model.props().len()
            }
            Reason::Edge { from, to, .. } => from.index() < states && to.index() < states,
            Reason::Hyper { from, members, .. } => {
                from.index() < states && members.iter().all(|member| member.index() < states)
            }
        });
        let entry = question.loop_start.is_none_or(|entry| entry < question.play.len());
        if plays && reasons && entry {
            return Ok(());
        }
        Err(broken("the question has a number that the model or the formula does not have"))
    }

    fn path(&self, question: &OpenQuestion) -> Result<(), Rejection> {
        let states: Vec<StateId> = question.play.iter().map(|step| step.state).collect();
        let back = question.loop_start.and_then(|entry| Some((*states.last()?, states[entry])));
        for (from, to) in states.windows(2).map(|pair| (pair[0], pair[1])).chain(back) {
            let stutters = from == to && !self.structure.has_certain(from);
            if !stutters && !self.structure.possible_step(from, to) {
                return Err(broken(format!(
                    "the step from `{}` to `{}` is not possible",
                    self.name(from),
                    self.name(to)
                )));
            }
        }
        Ok(())
    }

    fn play(&self, question: &OpenQuestion) -> Result<(), Rejection> {
        let root = self.formula.root();
        if question.play.first().is_some_and(|first| first.node != root || !first.positive) {
            return Err(broken("the play does not begin with the whole formula"));
        }
        match question.play.windows(2).find(|pair| !self.legal(pair[0], pair[1])) {
            None => Ok(()),
            Some(pair) => Err(broken(format!(
                "the play's move from node {} at `{}` to node {} at `{}` is not legal",
                pair[0].node.index(),
                self.name(pair[0].state),
                pair[1].node.index(),
                self.name(pair[1].state)
            ))),
        }
    }

    fn legal(&self, from: PlayStep, to: PlayStep) -> bool {
        let target = (to.node, to.positive);
        let stays = from.state == to.state;
        match self.rules.get(from.node, from.positive) {
            Rule::Literal | Rule::Foreign => false,
            Rule::One(node, positive) => stays && target == (*node, *positive),
            Rule::Both(pair) | Rule::Either(pair) => stays && pair.contains(&target),
            Rule::Pairs(pairs) => stays && pairs.iter().any(|pair| pair.contains(&target)),
            Rule::Step { action, then, .. } => target == *then && self.steps(from, to, self.names.filter(*action)),
            Rule::Temporal(temporal) => {
                let again = target == (from.node, from.positive) && self.steps(from, to, Some(Filter::Any));
                let stops = temporal.stop.iter().flat_map(|(_, claims)| claims.iter().flatten());
                again || (stays && stops.chain(&temporal.hold).any(|&claim| claim == target))
            }
        }
    }

    /// Whether a step is possible, or at least part of something certain.
    fn steps(&self, from: PlayStep, to: PlayStep, filter: Option<Filter>) -> bool {
        filter.is_some_and(|filter| {
            self.structure.possible(from.state, filter).any(|target| target == to.state)
                || self.structure.plain_certain(from.state, filter).any(|target| target == to.state)
                || self.structure.model.hyper_from(from.state).any(|hyper| hyper.members.contains(&to.state))
        })
    }

    fn reason(&self, reason: &Reason) -> Result<(), Rejection> {
        let model = self.structure.model;
        let (open, what) = match reason {
            Reason::Label { state, prop } => (
                model.label(*state, *prop) == Belnap::Unknown,
                format!("the label `{}` of `{}` is not open", model.props()[prop.index()], self.name(*state)),
            ),
            Reason::Edge { from, to, .. } => (
                self.structure.possible_step(*from, *to) && !self.structure.certain_step(*from, *to),
                format!("the step from `{}` to `{}` is not open", self.name(*from), self.name(*to)),
            ),
            Reason::Hyper { from, members, .. } => (
                members.len() > 1
                    && self.structure.certain_within(*from, Filter::Any, |target| members.contains(&target)),
                format!(
                    "no certain step from `{}` leaves open which of the given members it leads to",
                    self.name(*from)
                ),
            ),
        };
        if open { Ok(()) } else { Err(broken(what)) }
    }
}

fn broken(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0620", message).into()
}
