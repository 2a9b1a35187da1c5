//! What do all paths have in common? LTL by sets, one for each state of an automaton.
//!
//! A path that breaks the formula is one that the automaton of its negation accepts. The states of the product from which such
//! a path starts are a greatest fixpoint around least ones, one for every acceptance mark and every fairness constraint. The
//! product is never made: each state of the automaton has its own set of states, so its diagrams stay as small as those of the
//! structure.

use tertium_base::Stopped;
use tertium_dd::Set;
use tertium_evidence::{Deadlock, LinearReading};
use tertium_lattice::Belnap;
use tertium_logic::{Atom, Formula, Logic, Node, NodeId};
use tertium_model::Kmts;

use super::evaluate::Atoms;
use super::listed::Listed;
use super::structure::Structure;
use super::values::Pair;
use crate::automata::automaton::Automaton;
use crate::automata::question::{Question, positive_normal_form};
use crate::automata::translate;
use crate::{EngineError, Filter, Task, Unsupported};

/// Whether nothing is open about a structure's steps, labels and fairness.
pub(super) fn is_complete(model: &Kmts) -> bool {
    model.is_complete() && model.fairness().iter().all(|fair| fair.possible == fair.certain)
}

fn is_total(task: &Task<'_>) -> bool {
    task.model.total() || matches!(task.reading.deadlock, Deadlock::Total | Deadlock::Maximal)
}

/// Whether strategies could refute more than paths do.
pub(super) fn strategies_count(task: &Task<'_>) -> bool {
    is_total(task) || task.model.hyper_count() > 0
}

/// What counts as a refutation besides a certain path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Refutations {
    /// A certain prefix after which the future does not matter.
    prefixes: bool,
    /// That no possible path is to the contrary.
    absence: bool,
    /// A certain path need not be possible.
    mixed: bool,
}

/// The value of the task's formula on its structure.
pub(super) fn listed_value(task: &Task<'_>, listed: &Listed) -> Result<Pair, EngineError> {
    let total = task.reading.linear == LinearReading::BgTotal && !is_complete(task.model);
    let refutations = Refutations {
        prefixes: total && task.model.fairness().is_empty(),
        absence: total,
        mixed: task.model.is_mixed(),
    };
    let fairness = task.model.fairness().len();
    value(&listed.structure, task.formula, &listed.atoms(task), fairness, refutations)
}

/// The value of a linear formula over all infinite fair paths: true where no possible path breaks it, false where a certain
/// one does. The structure's fairness constraints are numbered from 0 to `fairness`.
///
/// # Errors
/// If a limit is reached, or the structure does not know the steps of its constraints.
pub fn linear_value(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    fairness: usize,
) -> Result<Pair, EngineError> {
    value(structure, formula, atoms, fairness, Refutations::default())
}

fn value(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    fairness: usize,
    refutations: Refutations,
) -> Result<Pair, EngineError> {
    let breaking = Automata::new(structure, formula, atoms, false, fairness)?;
    let possible = breaking.starts(false)?;
    let mut certain = if structure.is_complete() && decided(atoms) {
        possible.clone()
    } else {
        let mut won = breaking.winning(true)?;
        if refutations.prefixes {
            won = breaking.with_prefixes(won)?;
        }
        breaking.at_start(&won)?
    };
    if !refutations.mixed {
        certain = certain.and(&possible)?;
    }
    if refutations.absence {
        let keeping = Automata::new(structure, formula, atoms, true, fairness)?.starts(false)?;
        certain = certain.or(&possible.minus(&keeping)?)?;
    }
    Ok(Pair { yes: possible.not(), open: certain.not() })
}

fn decided(atoms: &Atoms) -> bool {
    atoms.labels.iter().flatten().all(Pair::is_decided)
        && atoms.elements.iter().all(|value| matches!(value, Belnap::True | Belnap::False))
}

/// Where a fair path starts that satisfies the formula: possibly, and certainly.
///
/// # Errors
/// As for [`linear_value`].
pub fn paths(structure: &Structure, formula: &Formula, atoms: &Atoms, fairness: usize) -> Result<Pair, EngineError> {
    let automata = Automata::new(structure, formula, atoms, true, fairness)?;
    Ok(Pair { yes: automata.starts(true)?, open: automata.starts(false)? })
}

/// What must happen again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Recurring {
    /// Any step.
    Step,
    /// A transition with this mark.
    Mark(u32),
    /// A step of this fairness constraint.
    Fair(usize),
}

/// A structure together with an automaton for a linear formula.
#[derive(Debug)]
pub struct Automata<'s> {
    pub(super) structure: &'s Structure,
    pub(super) automaton: Automaton,
    /// For each transition where it can be taken: possibly, and certainly.
    pub(super) guards: Vec<Vec<Pair>>,
    fairness: usize,
}

impl<'s> Automata<'s> {
    /// The automaton of `formula`, or of its negation unless `positive`.
    ///
    /// # Errors
    /// As for [`linear_value`].
    pub fn new(
        structure: &'s Structure,
        formula: &Formula,
        atoms: &Atoms,
        positive: bool,
        fairness: usize,
    ) -> Result<Self, EngineError> {
        let known = |filter| structure.steps(filter).is_some();
        if !known(Filter::Any) || !(0..fairness).map(Filter::Fair).all(known) {
            let reason = "the structure has no steps, or none for its fairness constraints".to_owned();
            return Err(Unsupported { engine: super::NAME, reason }.into());
        }
        let (question, constants) = question(formula, atoms, positive);
        let automaton = translate::automaton(&question, structure.diagrams.budget())?;
        let mut guards = Vec::new();
        for steps in &automaton.transitions {
            let mut row = Vec::new();
            for step in steps {
                let mut guard = Pair::decided(structure.states.clone());
                for literal in &step.cube {
                    let label = meaning(structure, atoms, &constants, literal.atom as usize);
                    let label = if literal.positive { label } else { label.not() };
                    guard = Pair { yes: guard.yes.and(&label.yes)?, open: guard.open.and(&label.open)? };
                }
                row.push(guard);
            }
            guards.push(row);
        }
        Ok(Self { structure, automaton, guards, fairness })
    }

    pub(super) fn recurring(&self) -> Vec<Recurring> {
        let marks = (0..self.automaton.marks).map(Recurring::Mark);
        let all: Vec<Recurring> = marks.chain((0..self.fairness).map(Recurring::Fair)).collect();
        if all.is_empty() { vec![Recurring::Step] } else { all }
    }

    pub(super) fn guard(&self, certain: bool, from: usize, number: usize) -> &Set {
        let guard = &self.guards[from][number];
        if certain { &guard.yes } else { &guard.open }
    }

    /// One step back from `target`, one set per state of the automaton, by steps of one kind.
    pub(super) fn before(&self, target: &[Set], kind: Recurring, certain: bool) -> Result<Vec<Set>, Stopped> {
        let filter = if let Recurring::Fair(at) = kind { Filter::Fair(at) } else { Filter::Any };
        let empty = self.structure.diagrams.empty();
        let Some(steps) = self.structure.steps(filter) else { return Ok(vec![empty; target.len()]) };
        let relation = if certain { steps.sure() } else { &steps.possible };
        let mut known: Vec<Option<Set>> = vec![None; target.len()];
        let mut found = Vec::with_capacity(target.len());
        for (from, transitions) in self.automaton.transitions.iter().enumerate() {
            let mut all = empty.clone();
            for (number, transition) in transitions.iter().enumerate() {
                let to = transition.target as usize;
                if matches!(kind, Recurring::Mark(mark) if transition.marks >> mark & 1 == 0) || target[to].is_empty() {
                    continue;
                }
                if known[to].is_none() {
                    known[to] = Some(relation.before(&target[to])?);
                }
                if let Some(before) = &known[to] {
                    all = all.or(&self.guard(certain, from, number).and(before)?)?;
                }
            }
            found.push(all);
        }
        Ok(found)
    }

    /// Everything in `room` with steps inside it to `goal`.
    pub(super) fn closure(&self, goal: Vec<Set>, room: Option<&[Set]>, certain: bool) -> Result<Vec<Set>, Stopped> {
        let (mut reached, mut fresh) = (goal.clone(), goal);
        while fresh.iter().any(|set| !set.is_empty()) {
            let before = self.before(&fresh, Recurring::Step, certain)?;
            for (at, mut found) in before.into_iter().enumerate() {
                if let Some(room) = room {
                    found = found.and(&room[at])?;
                }
                fresh[at] = found.minus(&reached[at])?;
                reached[at] = reached[at].or(&fresh[at])?;
            }
        }
        Ok(reached)
    }

    /// Where accepting fair paths start, one set per state of the automaton.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn winning(&self, certain: bool) -> Result<Vec<Set>, Stopped> {
        let mut inside = vec![self.structure.states.clone(); self.automaton.transitions.len()];
        loop {
            let last = inside.clone();
            for kind in self.recurring() {
                let taken = self.before(&inside, kind, certain)?;
                let goal: Result<Vec<Set>, Stopped> =
                    taken.iter().zip(&inside).map(|(taken, inside)| taken.and(inside)).collect();
                inside = if kind == Recurring::Step { goal? } else { self.closure(goal?, Some(&inside), certain)? };
            }
            if inside == last {
                return Ok(inside);
            }
        }
    }

    /// The same with prefixes after which the automaton accepts whatever comes.
    fn with_prefixes(&self, mut won: Vec<Set>) -> Result<Vec<Set>, Stopped> {
        let open_future = self.automaton.accepts_unknown();
        for (from, transitions) in self.automaton.transitions.iter().enumerate() {
            for (number, transition) in transitions.iter().enumerate() {
                if open_future[transition.target as usize] {
                    won[from] = won[from].or(self.guard(true, from, number))?;
                }
            }
        }
        self.closure(won, None, true)
    }

    pub(super) fn at_start(&self, won: &[Set]) -> Result<Set, Stopped> {
        let mut all = self.structure.diagrams.empty();
        for &start in &self.automaton.initial {
            all = all.or(&won[start as usize])?;
        }
        Ok(all)
    }

    /// The states of the structure at which an accepted fair path starts.
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn starts(&self, certain: bool) -> Result<Set, Stopped> {
        self.at_start(&self.winning(certain)?)
    }
}

fn meaning(structure: &Structure, atoms: &Atoms, constants: &[Belnap], at: usize) -> Pair {
    let constant = |value: Belnap| Pair {
        yes: structure.diagrams.constant(value.for_true()),
        open: structure.diagrams.constant(value.not_refuted()),
    };
    match at.checked_sub(atoms.labels.len()) {
        Some(number) => constant(constants.get(number).copied().unwrap_or(Belnap::Unknown)),
        None => atoms.labels[at].clone().unwrap_or_else(|| constant(Belnap::Unknown)),
    }
}

/// The formula or its negation in positive normal form, constants as atoms behind its own; and their values.
fn question(formula: &Formula, atoms: &Atoms, positive: bool) -> (Question<'static>, Vec<Belnap>) {
    let mut builder = formula.to_builder();
    let mut constants: Vec<Belnap> = Vec::new();
    let mut images: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let image = match node {
            Node::Element(element) => match atoms.elements[element.index()] {
                Belnap::True => builder.add(Node::True),
                Belnap::False => builder.add(Node::False),
                value => {
                    let known = constants.iter().position(|&known| known == value);
                    let at = known.unwrap_or_else(|| {
                        constants.push(value);
                        constants.len() - 1
                    });
                    // A line break cannot occur in an atom that a user wrote.
                    builder.atom(Atom { text: format!("\nvalue {at}"), quoted: true })
                }
            },
            node => builder.add(node.map_children(|child| images[child.index()])),
        };
        images.push(image);
    }
    let root = positive_normal_form(&mut builder, images[formula.root().index()], positive);
    (Question { formula: builder.finish(root, Logic::Ltl), meanings: Vec::new() }, constants)
}
