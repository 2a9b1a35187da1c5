//! Does a property hold for a reason that says little?
//!
//! Vacuity detection (Beer, Ben-David, Eisner, Rodeh 1997 and 2001; Kupferman and Vardi 2003). Two cases are looked for. A structure with no
//! fair path, or no infinite one, makes every universal property true. And an implication whose antecedent is never true makes its consequent
//! irrelevant: the property then stays true when `a -> b` is replaced by `!a`, which is the strongest mutation of `b`, namely `false`. The formula that was
//! asked is mutated, not the one that fairness translates it to.

use tertium_base::{Budget, Diagnostic};
use tertium_check::automata::starts_fair_path;
use tertium_check::{Ask, Task};
use tertium_evidence::Deadlock;
use tertium_lattice::Belnap;
use tertium_load::Failure;
use tertium_logic::{Formula, Logic, Node, NodeId};
use tertium_model::Model;

use crate::answer::Answer;
use crate::check::{Session, meet_at};
use crate::query::is_query;
use crate::{coalitions, engines};

/// So many steps of a structure are looked at for it, all implications together: each costs as much as the property itself.
const MOST_STEPS: usize = 5_000_000;

/// Looks at the budget that it may always cost.
const LEAST_EFFORT: u64 = 20_000;

/// An implication that can be strengthened.
#[derive(Clone, Debug)]
pub struct Strengthened {
    /// The text of its antecedent.
    pub antecedent: String,
    /// The whole formula with the implication replaced by the antecedent's negation.
    pub formula: Formula,
}

/// The formula once for each implication that occurs only positively, with it replaced by `!antecedent`.
#[must_use]
pub fn strengthened(formula: &Formula) -> Vec<Strengthened> {
    implications(formula)
        .into_iter()
        .map(|(id, antecedent)| Strengthened {
            antecedent: formula.text_of(antecedent, 80),
            formula: replaced(formula, id, antecedent),
        })
        .collect()
}

/// How many implications of a formula are looked at on a structure with so many edges.
#[must_use]
pub const fn most_looked_at(edges: usize) -> usize {
    MOST_STEPS / if edges == 0 { 1 } else { edges }
}

/// Whether a formula has an implication that may hold for its antecedent alone.
#[must_use]
pub fn has_implications(formula: &Formula) -> bool {
    !implications(formula).is_empty()
}

/// The implications that occur only positively, each with its antecedent, outermost first.
#[must_use]
pub fn implications(formula: &Formula) -> Vec<(NodeId, NodeId)> {
    // In CTL* promises are what stands for fairness; of one path whoever writes it means it.
    let (positive, branching) = (positive_only(formula), formula.logic() == Logic::CtlStar);
    let implication = |id: NodeId| match formula.node(id) {
        Node::Implies(antecedent, _) if positive[id.index()] && !(branching && is_promise(formula, antecedent)) => {
            Some((id, antecedent))
        }
        _ => None,
    };
    formula.node_ids().rev().filter_map(implication).collect()
}

/// Whether a part of a formula promises something of paths (`G F p`, `G F p -> G F q`, `G !deadlock`): that few paths keep a promise says nothing of the property.
fn is_promise(formula: &Formula, id: NodeId) -> bool {
    match formula.node(id) {
        Node::And(a, b) | Node::Implies(a, b) => is_promise(formula, a) && is_promise(formula, b),
        Node::Globally(a) => match formula.node(a) {
            Node::Finally(_) => true,
            Node::Not(inner) => {
                matches!(formula.node(inner), Node::Atom(atom) if formula.atoms()[atom.index()].text == "deadlock")
            }
            _ => false,
        },
        _ => false,
    }
}

/// The code of what says that a property holds for a reason that says little.
pub const VACUOUS: &str = "W0303";

/// The code of what is said where it was not looked for, or not to the end.
pub const NOT_KNOWN: &str = "W0308";

/// What is said there.
pub fn not_looked_for(why: &str) -> Diagnostic {
    Diagnostic::note_only(NOT_KNOWN, format!("whether the property holds vacuously is not known: {why}"))
}

/// For each node whether it occurs under an even number of negations only.
fn positive_only(formula: &Formula) -> Vec<bool> {
    let count = formula.nodes().len();
    let (mut up, mut down) = (vec![false; count], vec![false; count]);
    up[formula.root().index()] = true;
    for id in formula.node_ids().rev() {
        let (yes, no) = (up[id.index()], down[id.index()]);
        let mut mark = |child: NodeId, flips: bool| {
            up[child.index()] |= if flips { no } else { yes };
            down[child.index()] |= if flips { yes } else { no };
        };
        match formula.node(id) {
            Node::Not(a) => mark(a, true),
            Node::Implies(a, b) => {
                mark(a, true);
                mark(b, false);
            }
            Node::Iff(a, b) | Node::Xor(a, b) => {
                for child in [a, b] {
                    mark(child, false);
                    mark(child, true);
                }
            }
            node => node.children().for_each(|child| mark(child, false)),
        }
    }
    (0..count).map(|at| up[at] && !down[at]).collect()
}

fn replaced(formula: &Formula, target: NodeId, antecedent: NodeId) -> Formula {
    let mut builder = formula.to_builder();
    let mut copies: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for id in formula.node_ids() {
        let copy = if id == target {
            builder.add(Node::Not(copies[antecedent.index()]))
        } else {
            builder.add(formula.node(id).map_children(|child| copies[child.index()]))
        };
        copies.push(copy);
    }
    builder.finish(copies[formula.root().index()], formula.logic())
}

/// A property holds for a reason that says little: this antecedent is never true.
pub fn never_matters(antecedent: &str) -> Diagnostic {
    let what = format!("vacuous: the property holds because `{antecedent}` is never true where it matters");
    Diagnostic::warning(VACUOUS, what)
}

/// The same over a lattice, of any value but false.
pub fn same_value(antecedent: &str, value: &str) -> Diagnostic {
    let what = format!(
        "vacuous: the value stays {value} whatever follows from `{antecedent}`; its negation alone has the same value"
    );
    Diagnostic::warning(VACUOUS, what)
}

/// No path, so everything is true of all of them.
pub fn no_infinite_path() -> Diagnostic {
    Diagnostic::warning("W0302", "vacuous: no infinite path starts here, so every linear property holds")
}

impl Session<'_> {
    /// Looks for vacuous truth of the formula that was asked. The property holds either way, so a limit that is reached is only told.
    pub(crate) fn look_for_vacuity(&self, answer: &mut Answer, budget: &Budget) -> Result<(), Failure> {
        if !self.options.look_for_vacuity || answer.verdict.value() != Belnap::True || is_query(&answer.formula) {
            return Ok(());
        }
        // Values of a lattice are compared where they are computed.
        if matches!(self.checked_model(), Model::Lattice(_)) {
            return Ok(());
        }
        let formula = answer.formula.clone();
        // As much again as everything before may be spent, and always some: the answer is there.
        let share = budget.apart(budget.effort().saturating_add(LEAST_EFFORT));
        match self.find_vacuity(&formula, answer, &share) {
            Err(Failure::Stopped(stopped)) => {
                answer.warnings.push(not_looked_for(&stopped.to_string()));
                Ok(())
            }
            found => found,
        }
    }

    fn find_vacuity(&self, formula: &Formula, answer: &mut Answer, budget: &Budget) -> Result<(), Failure> {
        if let Some(warning) = self.no_path_warning(formula, budget)? {
            answer.vacuous = true;
            answer.warnings.push(warning);
            return Ok(());
        }
        let stronger = strengthened(formula);
        let most = most_looked_at(edges(self.checked_model()));
        if stronger.len() > most {
            let why =
                format!("only {most} of {} implications were looked at, for the size of the structure", stronger.len());
            answer.warnings.push(not_looked_for(&why));
        }
        for stronger in stronger.into_iter().take(most) {
            budget.check()?;
            if self.plain_value(&stronger.formula, budget)? == Belnap::True {
                answer.vacuous = true;
                answer.warnings.push(never_matters(&stronger.antecedent));
            }
        }
        Ok(())
    }

    /// A universal property is true of a system without paths, whatever it says.
    fn no_path_warning(&self, formula: &Formula, budget: &Budget) -> Result<Option<Diagnostic>, Failure> {
        let Some(model) = self.kmts() else { return Ok(None) };
        let fair = !model.fairness().is_empty();
        let linear = formula.logic() == Logic::Ltl && self.reading.deadlock == Deadlock::Mu;
        if !speaks_of_paths(formula) || !(fair || linear) {
            return Ok(None);
        }
        for &state in &self.ask {
            if starts_fair_path(model, self.reading, state, budget)? {
                return Ok(None);
            }
        }
        Ok(Some(if fair {
            Diagnostic::warning("W0302", "vacuous: no fair path starts here, so every property of all paths holds")
        } else {
            no_infinite_path()
        }))
    }

    /// The value of a formula in the way that the property was asked, without evidence; unknown if it cannot be asked so.
    fn plain_value(&self, formula: &Formula, budget: &Budget) -> Result<Belnap, Failure> {
        match self.checked_model() {
            Model::Kmts(model) if self.options.thorough => self.thorough_value(model, formula, budget),
            Model::Kmts(model) => {
                let Some((model, formula)) = coalitions::evaluated(model, formula) else {
                    return Ok(Belnap::Unknown);
                };
                let Ok(task) = Task::new(&model, &formula, self.reading, Ask::At(&self.ask), budget) else {
                    return Ok(Belnap::Unknown);
                };
                let (_, values) = engines::evaluate(&task, self.options.engine)?;
                Ok(meet_at(&self.ask, |state| values.at(state)).0)
            }
            Model::Param(model) => self.family_value(model, formula, budget),
            Model::Lattice(_) => Ok(Belnap::Unknown),
        }
    }
}

fn edges(model: &Model) -> usize {
    match model {
        Model::Kmts(model) => model.edge_count(),
        Model::Lattice(model) => model.edge_count(),
        Model::Param(model) => model.edges().len(),
    }
}

/// Whether a formula says something about paths.
fn speaks_of_paths(formula: &Formula) -> bool {
    let quantifies = || formula.nodes().iter().any(|node| matches!(node, Node::All(_) | Node::Exists(_)));
    match formula.logic() {
        Logic::Ltl => true,
        Logic::CtlStar | Logic::Ctl => quantifies(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_logic::{ParseOptions, parse};

    fn texts(text: &str) -> Vec<String> {
        let formula = parse(text, &ParseOptions::default()).formula.unwrap();
        strengthened(&formula).iter().map(|found| found.formula.text()).collect()
    }

    #[test]
    fn positive_implications_are_strengthened_one_at_a_time() {
        assert_eq!(texts("AG (p -> AF q)"), ["AG !p"]);
        assert_eq!(texts("!(p -> q)"), Vec::<String>::new());
        assert_eq!(texts("AG p").len(), 0);
        let many: Vec<String> = (0..12).map(|number| format!("(p{number} -> q)")).collect();
        assert_eq!(texts(&format!("AG ({})", many.join(" & "))).len(), 12, "none is left out");
    }
}
