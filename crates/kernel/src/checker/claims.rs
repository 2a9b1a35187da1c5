//! Is every claim of a branching proof backed by its rule, and the answer among the claims?

use std::collections::HashMap;

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_logic::{Node, NodeId};
use tertium_model::{Edge, StateId};

use super::ranked::{self, Changes, RankedNeeds};
use super::rules::{Rule, Rules, Temporal};
use super::structure::Filter;
use super::{Case, Rejection, cycles, graph::Graph};
use tertium_evidence::{Choice, Claim, Deadlock};

/// What a claim needs: another claim.
pub(super) type Need = (StateId, NodeId, bool);

/// What a claim needs, and what leads there does to ranks.
type Needs = Vec<(Need, Changes)>;

pub(super) fn check(case: &Case<'_>, claims: &[Claim]) -> Result<(), Rejection> {
    let checker = Checker { case, claims, rules: Rules::of(case.formula), known: index(case, claims)? };
    let root = (case.certificate.state, case.formula.root(), case.certificate.value == Belnap::True);
    if !checker.known.contains_key(&root) {
        return Err(missing(format!("no claim says that {}", case.says(root))));
    }
    let needs = checker.needs()?;
    if case.ranked.is_some() {
        return ranked::check(case, claims, &checker.rules, needs);
    }
    let mut graph = Graph::new();
    needs.into_iter().for_each(|needs| graph.push(needs.into_iter().map(|(need, _)| need)));
    cycles::check(case, claims, &checker.rules, &graph)
}

fn index(case: &Case<'_>, claims: &[Claim]) -> Result<HashMap<Need, u32>, Rejection> {
    case.budget.reserve(claims.len().saturating_mul(48))?;
    if claims.len() >= u32::MAX as usize {
        return Err(broken("more claims than can be counted"));
    }
    let mut known = HashMap::with_capacity(claims.len());
    for (at, claim) in claims.iter().enumerate() {
        case.known_state(claim.state, "the state of a claim")?;
        if claim.node.index() >= case.formula.nodes().len() {
            let message = format!(
                "a claim speaks of node {}, and the formula has {}",
                claim.node.index(),
                case.formula.nodes().len()
            );
            return Err(broken(message));
        }
        if known.insert(key(claim), to_u32(at)).is_some() {
            return Err(broken(format!("two claims say that {}", case.says(key(claim)))));
        }
    }
    Ok(known)
}

pub(super) fn key(claim: &Claim) -> Need {
    (claim.state, claim.node, claim.positive)
}

struct Checker<'a> {
    case: &'a Case<'a>,
    claims: &'a [Claim],
    rules: Rules,
    known: HashMap<Need, u32>,
}

impl Checker<'_> {
    /// Which claims each claim rests on, every rule checked on the way.
    fn needs(&self) -> Result<RankedNeeds, Rejection> {
        let mut all = RankedNeeds::with_capacity(self.claims.len());
        let mut ticks = 0;
        let mut needs = Vec::new();
        for claim in self.claims {
            self.case.budget.tick(&mut ticks)?;
            needs.clear();
            self.apply(claim, &mut needs)?;
            let mut found = Vec::with_capacity(needs.len());
            for &(ref need, changes) in &needs {
                let Some(&at) = self.known.get(need) else {
                    return Err(missing(format!(
                        "the claim that {} rests on {}, which no claim says",
                        self.case.says(key(claim)),
                        self.case.says(*need)
                    )));
                };
                found.push((at, changes));
            }
            all.push(found);
        }
        Ok(all)
    }

    fn apply(&self, claim: &Claim, needs: &mut Needs) -> Result<(), Rejection> {
        // What is said of the same state leaves every rank as it is.
        let here = |(node, positive): (NodeId, bool)| ((claim.state, node, positive), Changes::default());
        match (self.rules.get(claim.node, claim.positive), &claim.choice) {
            (Rule::Literal, Choice::None) => return self.literal(claim),
            (Rule::One(node, positive), Choice::None) => needs.push(here((*node, *positive))),
            (Rule::Both(pair), Choice::None) => needs.extend(pair.map(here)),
            (Rule::Either(pair), Choice::Operand(operand)) => match pair.get(usize::from(*operand)) {
                Some(&chosen) => needs.push(here(chosen)),
                None => return Err(self.wrong_choice(claim)),
            },
            (Rule::Pairs(pairs), Choice::Operand(operand)) => match pairs.get(usize::from(*operand)) {
                Some(chosen) => needs.extend(chosen.map(here)),
                None => return Err(self.wrong_choice(claim)),
            },
            (Rule::Step { exists: true, action, then }, Choice::Into(members)) => {
                self.step_into(claim, self.filter(*action), members, *then, needs)?;
            }
            (Rule::Step { exists: true, action, then }, Choice::Along(set)) => {
                self.step_along(claim, self.filter(*action), *set, *then, needs)?;
            }
            (Rule::Step { exists: false, action, then }, Choice::None) => {
                self.steps_onward(claim, self.filter(*action), *then, needs);
            }
            (Rule::Temporal(temporal), choice) => self.temporal(claim, *temporal, choice, needs)?,
            (Rule::Foreign, _) => {
                return Err(broken(format!(
                    "{} is no state formula that a claim can speak of",
                    self.case.node(claim.node)
                )));
            }
            _ => return Err(self.wrong_choice(claim)),
        }
        Ok(())
    }

    /// Names are known to be bound: [`Case::known_names`] comes first.
    fn filter(&self, action: Option<tertium_logic::ActionId>) -> Option<Filter> {
        self.case.names.filter(action)
    }

    fn steps_onward(&self, claim: &Claim, filter: Option<Filter>, (node, positive): (NodeId, bool), needs: &mut Needs) {
        let Some(filter) = filter else { return };
        // Steps of several processes between the same states need not do the same to ranks: each is a need of its own.
        let along = |edge: Edge| ((edge.target, node, positive), self.case.changes_along(&edge));
        needs.extend(self.case.structure.possible_edges(claim.state, filter).map(along));
    }

    /// A step along a certain set with rank conditions. Nothing says for whose fairness it counts.
    fn step_along(
        &self,
        claim: &Claim,
        filter: Option<Filter>,
        set: u32,
        (node, positive): (NodeId, bool),
        needs: &mut Needs,
    ) -> Result<(), Rejection> {
        let members = match filter {
            Some(Filter::Any) => self.case.ranked_members(set, claim.state, None),
            Some(Filter::Action(action)) => self.case.ranked_members(set, claim.state, Some(action)),
            Some(Filter::Fair(_)) | None => None,
        };
        let members = members.ok_or_else(|| self.wrong_choice(claim))?;
        needs.extend(members.into_iter().map(|(member, changes)| ((member, node, positive), changes)));
        Ok(())
    }

    fn literal(&self, claim: &Claim) -> Result<(), Rejection> {
        let value = match self.case.formula.node(claim.node) {
            Node::True => Some(Belnap::True),
            Node::False => Some(Belnap::False),
            Node::Element(element) => self.case.names.elements[element.index()],
            Node::Atom(atom) => {
                self.case.names.atoms[atom.index()].map(|prop| self.case.structure.model.label(claim.state, prop))
            }
            _ => None,
        };
        let value = value.unwrap_or(Belnap::Unknown);
        if if claim.positive { value.for_true() } else { value.for_false() } {
            return Ok(());
        }
        Err(broken(format!("the model does not say that {}: its value is {value}", self.case.says(key(claim)))))
    }

    fn step_into(
        &self,
        claim: &Claim,
        filter: Option<Filter>,
        members: &[StateId],
        (node, positive): (NodeId, bool),
        needs: &mut Needs,
    ) -> Result<(), Rejection> {
        for &member in members {
            self.case.known_state(member, "the target of a step")?;
        }
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        let inside = |state: StateId| sorted.binary_search(&state).is_ok();
        let Some(filter) = filter.filter(|&filter| self.case.structure.certain_within(claim.state, filter, inside))
        else {
            let targets: Vec<_> = members.iter().map(|&member| self.case.state(member)).collect();
            return Err(broken(format!(
                "the claim that {} uses a step from {} into {{{}}}, and no such step is certain",
                self.case.says(key(claim)),
                self.case.state(claim.state),
                targets.join(", ")
            )));
        };
        let changes = self.case.changes_into(claim.state, filter, &sorted);
        needs.extend(sorted.iter().zip(changes).map(|(&member, changes)| ((member, node, positive), changes)));
        Ok(())
    }

    fn temporal(&self, claim: &Claim, temporal: Temporal, choice: &Choice, needs: &mut Needs) -> Result<(), Rejection> {
        let here = |(node, positive): (NodeId, bool)| ((claim.state, node, positive), Changes::default());
        let structure = &self.case.structure;
        let maximal = structure.deadlock == Deadlock::Maximal;
        let again = (claim.node, claim.positive);
        match (choice, temporal.stop) {
            (Choice::Operand(operand), Some((number, stops))) if *operand == number => {
                needs.extend(stops.into_iter().flatten().map(here));
                return Ok(());
            }
            (Choice::Into(members), _) if temporal.exists => {
                self.step_into(claim, Some(Filter::Any), members, again, needs)?;
            }
            (Choice::Along(set), _) if temporal.exists => {
                self.step_along(claim, Some(Filter::Any), *set, again, needs)?;
            }
            // A path that goes on forever or ends in a deadlock: either way all possible successors do.
            (Choice::Onward, _) if !temporal.exists || (maximal && !temporal.least) => {
                if maximal && temporal.least && !structure.has_certain(claim.state) {
                    return Err(broken(format!(
                        "the claim that {} goes on from {}, where the path may end in a deadlock",
                        self.case.says(key(claim)),
                        self.case.state(claim.state)
                    )));
                }
                self.steps_onward(claim, Some(Filter::Any), again, needs);
            }
            _ => return Err(self.wrong_choice(claim)),
        }
        needs.extend(temporal.hold.map(here));
        Ok(())
    }

    fn wrong_choice(&self, claim: &Claim) -> Rejection {
        let choice = match &claim.choice {
            Choice::None => "no choice".to_owned(),
            Choice::Operand(operand) => format!("operand {operand}"),
            Choice::Into(_) => "a step into a certain set".to_owned(),
            Choice::Onward => "a step along all possible edges".to_owned(),
            Choice::Along(set) => format!("the certain set {set} with rank conditions"),
        };
        broken(format!("the claim that {} gives {choice}, which proves nothing there", self.case.says(key(claim))))
    }
}

impl Case<'_> {
    /// A claim as the end of a sentence.
    pub(super) fn says(&self, (state, node, positive): Need) -> String {
        let word = if positive { "true" } else { "false" };
        format!("{} is {word} at {}", self.node(node), self.state(state))
    }
}

fn missing(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0612", message).into()
}

fn broken(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0613", message).into()
}
