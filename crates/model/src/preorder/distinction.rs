//! Why does one state not refine another? The violated clause, the way to it, and a formula.
//!
//! A pair given up in some round was given up because of pairs given up in earlier rounds, so going back to
//! reasons ends. The formula for a pair has evidence for true at the first state and none at the second:
//! from labels it is a literal; from a certain set `A` without an answer it is a diamond over formulas that
//! hold on all of `A` and fail at some member of every certain set of the second state; from a possible step
//! without an origin it is a box over formulas that hold at all possible successors of the first state and
//! fail at the step's target.

use std::collections::HashMap;

use tertium_base::{Budget, Stopped};
use tertium_lattice::Belnap;

use super::pml::{Pml, PmlNode, PmlTable};
use super::sides::{ANY, Code, Codes, certain_sets, fits};
use super::{Relation, match_props};
use crate::kmts::{ActionId, Kmts, PropId, StateId};

/// Formulas that would be longer than this when written out are not given.
const LONGEST: u64 = 20_000;
/// More pairs than this are not looked at for a formula.
const MOST_PAIRS: usize = 1_000_000;

/// The clause that a pair of states violates. States are named by their structure: the refined (first) one
/// or the refining (second) one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The first state has a value that the second does not have.
    Label {
        /// The proposition, by its number in the first structure.
        prop: PropId,
        /// Its value at the first state.
        abstracted: Belnap,
        /// Its value at the second.
        concrete: Belnap,
    },
    /// Another player chooses the steps of the second state.
    Owner {
        /// The owner of the first state.
        abstracted: String,
        /// The owner of the second.
        concrete: String,
    },
    /// Something is certain at the first state and has no answer at the second.
    Certain {
        /// The action of the certain set, by its name.
        action: Option<String>,
        /// Its members, states of the first structure.
        members: Vec<StateId>,
    },
    /// A step is possible at the second state and has no origin at the first.
    Possible {
        /// The action of the step, by its name.
        action: Option<String>,
        /// Where it leads: a state of the second structure.
        target: StateId,
    },
}

/// One pair on the way from the two states to the labels in which they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrailStep {
    /// State of the first structure.
    pub abstracted: StateId,
    /// State of the second structure, which does not refine it.
    pub concrete: StateId,
    /// The clause that they violate.
    pub reason: Reason,
}

/// Why a state does not refine another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinction {
    /// From the two states on, the clauses that are violated; each step is a cause of the one before.
    pub trail: Vec<TrailStep>,
    /// A formula over the first structure's names that is true at the first state (has evidence for true, if
    /// the structure is mixed) and not at the second. None if it would be too long to be of use.
    pub formula: Option<Pml>,
}

impl Relation {
    /// Why `c` does not refine `a`, or none if it does. `abstracted` and `concrete` must be the structures
    /// that the relation was made of.
    ///
    /// # Errors
    /// `Stopped` if a limit of the budget is reached.
    pub fn distinction(
        &self,
        abstracted: &Kmts,
        concrete: &Kmts,
        pair: (StateId, StateId),
        budget: &Budget,
    ) -> Result<Option<Distinction>, Stopped> {
        let Ok(props) = match_props(abstracted, concrete) else { return Ok(None) };
        if self.contains(pair.0, pair.1) {
            return Ok(None);
        }
        let codes = Codes::new(abstracted, concrete);
        let search =
            DistinctionSearch { relation: self, left: abstracted, right: concrete, props: &props, codes: &codes };
        let pair = (pair.0.index(), pair.1.index());
        Ok(Some(Distinction { trail: search.trail(pair), formula: search.formula(pair, budget)? }))
    }
}

/// Pairs of states by their numbers.
type Pair = (usize, usize);

/// A violated clause with the earlier pairs that violate it.
enum Cause {
    Label(usize),
    Owner,
    /// The certain set of the left; for each certain set of the right a member that refines none of it.
    Certain(Code, Vec<usize>, Vec<usize>),
    /// The step of the right, and the possible successors of the left.
    Possible(Code, usize, Vec<usize>),
}

impl Cause {
    /// The pairs that this cause rests on.
    fn pairs(&self) -> Vec<Pair> {
        match self {
            Self::Label(_) | Self::Owner => Vec::new(),
            Self::Certain(_, members, missed) => {
                missed.iter().flat_map(|&c| members.iter().map(move |&a| (a, c))).collect()
            }
            Self::Possible(_, target, successors) => successors.iter().map(|&a| (a, *target)).collect(),
        }
    }
}

struct DistinctionSearch<'a> {
    relation: &'a Relation,
    left: &'a Kmts,
    right: &'a Kmts,
    props: &'a [usize],
    codes: &'a Codes,
}

impl DistinctionSearch<'_> {
    fn round(&self, pair: Pair) -> u32 {
        self.relation.rounds.get(pair.0, pair.1)
    }

    /// The latest round in which one of these pairs fell; `u32::MAX` if one stays.
    fn latest(&self, pairs: impl Iterator<Item = Pair>) -> u32 {
        pairs.map(|pair| self.round(pair)).max().map_or(0, |latest| latest)
    }

    /// A cause that rests on pairs which fell before this one; the shallowest of them.
    fn cause(&self, pair: Pair) -> Option<Cause> {
        let before = self.round(pair);
        if before == 0 {
            let differs = |&at: &usize| {
                let (mine, theirs) = self.labels(pair, at);
                mine.for_true() && !theirs.for_true() || mine.for_false() && !theirs.for_false()
            };
            let owner = self.relation.alternating.then_some(Cause::Owner);
            return (0..self.props.len()).find(differs).map(Cause::Label).or(owner);
        }
        let causes = self.certain_causes(pair, before).into_iter().chain(self.possible_causes(pair, before));
        let weight = |cause: &Cause| {
            let pairs = cause.pairs();
            (self.latest(pairs.iter().copied()), pairs.len())
        };
        causes.min_by_key(weight)
    }

    fn labels(&self, (a, c): Pair, prop: usize) -> (Belnap, Belnap) {
        (
            self.left.label(StateId::new(a), PropId::new(prop)),
            self.right.label(StateId::new(c), PropId::new(self.props[prop])),
        )
    }

    fn certain_causes(&self, (a, c): Pair, before: u32) -> Vec<Cause> {
        let answers = certain_sets(self.right, StateId::new(c), |action| self.codes.right(action));
        let demands = certain_sets(self.left, StateId::new(a), |action| self.codes.left(action));
        let mut causes = Vec::new();
        for (wanted, members) in demands {
            let latest = |c: usize| self.latest(members.iter().map(|&a| (a, c)));
            let missed = |set: &Vec<usize>| {
                let best = set.iter().copied().min_by_key(|&c| latest(c))?;
                (latest(best) < before).then_some(best)
            };
            let fitting = answers.iter().filter(|(code, _)| fits(wanted, *code));
            let all: Option<Vec<usize>> = fitting.map(|(_, set)| missed(set)).collect();
            if let Some(mut all) = all {
                all.sort_unstable();
                all.dedup();
                causes.push(Cause::Certain(wanted, members, all));
            }
        }
        causes
    }

    fn possible_causes(&self, (a, c): Pair, before: u32) -> Vec<Cause> {
        let steps = self.right.edges_from(StateId::new(c)).filter(|edge| edge.may);
        let mut causes = Vec::new();
        for step in steps {
            let wanted = self.codes.right(step.action);
            let target = step.target.index();
            let mut successors: Vec<usize> = self
                .left
                .edges_from(StateId::new(a))
                .filter(|edge| edge.may && fits(wanted, self.codes.left(edge.action)))
                .map(|edge| edge.target.index())
                .collect();
            successors.dedup();
            if successors.iter().all(|&a| self.round((a, target)) < before) {
                causes.push(Cause::Possible(wanted, target, successors));
            }
        }
        causes
    }

    /// From the pair along the latest fallen causes to labels or to something that is simply missing.
    fn trail(&self, mut pair: Pair) -> Vec<TrailStep> {
        let mut trail = Vec::new();
        while let Some(cause) = self.cause(pair) {
            let next = cause.pairs().into_iter().max_by_key(|&pair| self.round(pair));
            trail.push(TrailStep {
                abstracted: StateId::new(pair.0),
                concrete: StateId::new(pair.1),
                reason: self.reason(pair, cause),
            });
            match next {
                Some(next) => pair = next,
                None => break,
            }
        }
        trail
    }

    fn reason(&self, pair: Pair, cause: Cause) -> Reason {
        match cause {
            Cause::Label(prop) => {
                let (abstracted, concrete) = self.labels(pair, prop);
                Reason::Label { prop: PropId::new(prop), abstracted, concrete }
            }
            Cause::Owner => Reason::Owner {
                abstracted: self.left.owner_name(StateId::new(pair.0)).to_owned(),
                concrete: self.right.owner_name(StateId::new(pair.1)).to_owned(),
            },
            Cause::Certain(code, members, _) => Reason::Certain {
                action: self.action_name(code),
                members: members.into_iter().map(StateId::new).collect(),
            },
            Cause::Possible(code, target, _) => {
                Reason::Possible { action: self.action_name(code), target: StateId::new(target) }
            }
        }
    }

    fn action_name(&self, code: Code) -> Option<String> {
        if code == ANY {
            return None;
        }
        let own = self.left.actions().get(code as usize).cloned();
        own.or_else(|| self.right.actions().get(code as usize - self.left.actions().len()).cloned())
    }

    /// The formula, built from the earliest pairs on; pairs are looked at once each.
    fn formula(&self, pair: Pair, budget: &Budget) -> Result<Option<Pml>, Stopped> {
        let mut table = PmlTable::default();
        let mut known: HashMap<Pair, usize> = HashMap::new();
        let mut open: HashMap<Pair, Cause> = HashMap::new();
        let mut todo = vec![pair];
        let mut ticks = 0;
        while let Some(&next) = todo.last() {
            budget.tick(&mut ticks)?;
            if known.contains_key(&next) {
                todo.pop();
                continue;
            }
            if let Some(cause) = open.remove(&next) {
                let Some(node) = self.node(next, &cause, &known, &mut table) else { return Ok(None) };
                known.insert(next, node);
                continue;
            }
            let Some(cause) = self.cause(next) else { return Ok(None) };
            todo.extend(cause.pairs().into_iter().filter(|pair| !known.contains_key(pair)));
            open.insert(next, cause);
            if known.len() + open.len() > MOST_PAIRS {
                return Ok(None);
            }
        }
        let root = known[&pair];
        Ok((table.size(root) <= LONGEST).then(|| table.take(root)))
    }

    /// None if the formula would need an action that the first structure does not have, or would have to tell owners apart.
    fn node(&self, pair: Pair, cause: &Cause, known: &HashMap<Pair, usize>, table: &mut PmlTable) -> Option<usize> {
        let some = |members: &[usize], c: usize, table: &mut PmlTable| {
            let parts = members.iter().map(|&a| known[&(a, c)]).collect();
            table.or(parts)
        };
        Some(match cause {
            Cause::Label(prop) => {
                let (mine, theirs) = self.labels(pair, *prop);
                let positive = mine.for_true() && !theirs.for_true();
                let prop = PropId::new(*prop);
                table.add(if positive { PmlNode::Prop(prop) } else { PmlNode::NotProp(prop) })
            }
            Cause::Owner => return None,
            Cause::Certain(code, members, missed) => {
                let parts = missed.iter().map(|&c| some(members, c, table)).collect();
                let inner = table.and(parts);
                table.add(PmlNode::Diamond(self.action_id(*code)?, inner))
            }
            Cause::Possible(code, target, successors) => {
                let inner = some(successors, *target, table);
                table.add(PmlNode::Box(self.action_id(*code)?, inner))
            }
        })
    }

    fn action_id(&self, code: Code) -> Option<Option<ActionId>> {
        match code {
            ANY => Some(None),
            // ATL knows no actions.
            _ if self.relation.alternating => None,
            _ if (code as usize) < self.left.actions().len() => Some(Some(ActionId::new(code as usize))),
            _ => None,
        }
    }
}
