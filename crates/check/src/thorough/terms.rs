//! A formula as terms that a concrete state meets or not: what a tableau works on.
//!
//! The obligations of `game::plan` are terms already and keep their numbers. Those of CTL* and LTL come from the automata of
//! paths.

use tertium_base::narrow::to_u32;
use tertium_evidence::Deadlock;
use tertium_logic::Logic;
use tertium_logic::alternating::{self, path_terms};
use tertium_logic::automata::TranslationError;
use tertium_model::PropId;

use super::search::without_constants;
use crate::game::plan::{Plan, Rule};
use crate::{EngineError, Filter, Task, Unsupported};

pub(crate) use tertium_logic::alternating::TermId;

/// A term over a structure's propositions and steps.
pub(crate) type Term = alternating::Term<PropId, Filter>;

/// All terms of a formula over a structure.
pub(crate) type Terms = alternating::Terms<PropId, Filter>;

const NAME: &str = "thorough";

pub(crate) fn decline(reason: &str) -> Unsupported {
    Unsupported { engine: NAME, reason: reason.to_owned() }
}

/// The terms of a formula, and the one for its truth (or falsity).
pub(crate) fn terms_of_task(task: &Task<'_>, positive: bool) -> Result<(Terms, TermId), EngineError> {
    match task.formula.logic() {
        Logic::Pml | Logic::Ctl | Logic::Mu => {
            let plan = Plan::new(task).map_err(|problem| decline(problem.reason()))?;
            let root = plan.obligation(task.formula.root(), positive);
            Ok((terms_of_plan(&plan), root))
        }
        Logic::Atl | Logic::AtlStar => Err(decline("coalitions have to be written in fixpoints first").into()),
        Logic::CtlStar | Logic::Ltl => {
            let ends = task.reading.deadlock == Deadlock::Maximal;
            match path_terms(&without_constants(task), positive, ends, task.budget) {
                Ok((terms, root)) => Ok((terms.map(|atom| task.props[atom.index()], |_| Filter::Any), root)),
                Err(TranslationError::Stopped(stopped)) => Err(stopped.into()),
                Err(TranslationError::NotLinear) => {
                    Err(decline("modalities and fixpoints say nothing about a single path").into())
                }
            }
        }
    }
}

/// The obligations of a plan as terms of the same numbers.
fn terms_of_plan(plan: &Plan) -> Terms {
    let count = plan.plain_rules.len();
    let (always, never) = (to_u32(count), to_u32(count) + 1);
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
                let ends = to_u32(count) + to_u32(extra.len());
                extra.push(Term::Box(Filter::Any, never));
                extra.push(Term::Diamond(step.filter, to));
                Term::Any(vec![ends, ends + 1])
            }
            Rule::Box(step, to) if step.finite => {
                let goes_on = to_u32(count) + to_u32(extra.len());
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
    Terms::new(terms, priority)
}
