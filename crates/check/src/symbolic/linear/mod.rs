//! What do all paths have in common? LTL by sets, one for each state of an automaton.
//!
//! A path that breaks the formula is one that the automaton of its negation accepts. The states of the product from which such
//! a path starts are a greatest fixpoint around least ones, one for every acceptance mark and every fairness constraint (Emerson, Lei
//! 1986; for LTL: Clarke, Grumberg, Hamaguchi 1994). The
//! product is never made: each state of the automaton has its own set of states, so its diagrams stay as small as those of the
//! structure.
//!
//! Strong fairness (who can step again and again does) takes states out instead of keeping them in: inside the core of fair
//! loops a state in which somebody can step is kept if that step can be reached.

mod fixpoints;
mod known;

use tertium_base::narrow::to_u32;
use tertium_dd::{Set, TransitionRelation};
use tertium_evidence::{Deadlock, LinearReading};
use tertium_lattice::Belnap;
use tertium_logic::Formula;

use crate::automata::automaton::{Automaton, Transition};
use crate::automata::question::EdgeValues;
use crate::automata::translate;
use crate::symbolic::evaluate::Atoms;
use crate::symbolic::linear_query::LinearQuery;
use crate::symbolic::listed::Listed;
use crate::symbolic::plays;
use crate::symbolic::promises::{Conjuncts, PromisedSets};
use crate::symbolic::stepwise::{Need, StepValues, stepwise_value};
use crate::symbolic::structure::Structure;
use crate::symbolic::values::Pair;
use crate::{EngineError, Filter, Task, Unsupported};

pub use known::KnownFixpoints;

/// Whether every path goes on: by the structure, the deadlock convention, or the reading.
fn is_total(task: &Task<'_>) -> bool {
    task.model.total()
        || matches!(task.reading.deadlock, Deadlock::Total | Deadlock::Maximal)
        || task.reading.linear == LinearReading::BgTotal
}

/// What refutes the task's formula besides certain paths.
fn refutations(task: &Task<'_>) -> Refutations {
    if task.is_decided() {
        return Refutations::default();
    }
    let (total, unfair) = (is_total(task), task.model.fairness().is_empty());
    let has_sets = total || task.model.hyper_count() > 0;
    Refutations { mixed: task.model.is_mixed(), ..Refutations::of(task.reading.linear, total, unfair, has_sets) }
}

/// Whose steps a fair path takes, if it could.
#[derive(Clone, Debug)]
pub struct StrongFairness {
    /// The states in which there is such a step.
    pub enabled: Set,
    /// The steps, by the filter that selects them.
    pub steps: Filter,
}

/// What paths do besides satisfying a formula.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// So many constraints of the structure, numbered from 0: steps of each are taken for ever.
    pub constraints: usize,
    /// Steps that are taken for ever if they can be taken again and again. Only for structures whose steps are all
    /// decided.
    pub strong: Vec<StrongFairness>,
}

impl From<usize> for Fairness {
    fn from(constraints: usize) -> Self {
        Self { constraints, strong: Vec::new() }
    }
}

/// What counts as a refutation besides a certain path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Refutations {
    /// A certain prefix after which the future does not matter.
    prefixes: bool,
    /// That no possible path is to the contrary.
    absence: bool,
    /// A strategy over certain sets.
    plays: bool,
    /// A certain path need not be possible.
    mixed: bool,
}

impl Refutations {
    fn of(reading: LinearReading, total: bool, unfair: bool, has_sets: bool) -> Self {
        let (hyper, bg_total) = (reading == LinearReading::Hyper, reading == LinearReading::BgTotal);
        Self {
            prefixes: (hyper || bg_total) && total && unfair,
            absence: bg_total || hyper && total && unfair,
            plays: hyper && has_sets,
            mixed: false,
        }
    }
}

/// The value of the task's formula on its structure.
pub(super) fn listed_value(task: &Task<'_>, listed: &Listed) -> Result<Pair, EngineError> {
    let (atoms, fairness) = (listed.atoms(task), task.model.fairness().len().into());
    match &listed.values {
        Some(values) => {
            stepwise_value(&listed.structure, task.formula, &atoms, &fairness, values, task.model.is_mixed())
        }
        None => value(&listed.structure, task.formula, &atoms, &fairness, refutations(task)),
    }
}

/// The value of a linear formula over all infinite fair paths: true where no possible path breaks it, false where a certain
/// one does.
///
/// # Errors
/// If a limit is reached, or the structure does not know the steps of its constraints.
pub fn linear_value(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    fairness: &Fairness,
) -> Result<Pair, EngineError> {
    value(structure, formula, atoms, fairness, Refutations::default())
}

/// The same with what else refutes under a reading, if everything certain is possible. With `total`, every path can be
/// continued. Values of steps are not looked at; [`stepwise_value`] does.
///
/// # Errors
/// As for [`linear_value`].
pub fn linear_value_by(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    fairness: &Fairness,
    reading: LinearReading,
    total: bool,
) -> Result<Pair, EngineError> {
    let refutations = Refutations::of(reading, total, fairness.constraints == 0, true);
    value(structure, formula, atoms, fairness, refutations)
}

fn value(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    fairness: &Fairness,
    refutations: Refutations,
) -> Result<Pair, EngineError> {
    let breaking = Automata::new(structure, formula, atoms, false, fairness)?;
    let possible = breaking.starts(false)?;
    // A prefix may refute where no path goes on.
    let mut certain = if structure.is_complete() && decided(atoms) && !refutations.prefixes {
        possible.clone()
    } else {
        let mut won = breaking.winning(true)?;
        if refutations.prefixes {
            won = breaking.with_prefixes(won)?;
        }
        breaking.at_start(&won)?
    };
    if !refutations.mixed && !atoms.elements.contains(&Belnap::Both) {
        certain = certain.and(&possible)?;
    }
    if refutations.absence && !possible.is_subset(&certain)? {
        let keeping = Automata::new(structure, formula, atoms, true, fairness)?.starts(false)?;
        certain = certain.or(&possible.minus(&keeping)?)?;
    }
    if refutations.plays && !possible.is_subset(&certain)? {
        let forced = plays::forced(structure, formula, atoms, fairness.constraints)?;
        certain = certain.or(&possible.and(&forced)?)?;
    }
    Ok(Pair { yes: possible.not(), open: certain.not() })
}

fn decided(atoms: &Atoms) -> bool {
    atoms.labels.iter().flatten().all(Pair::is_decided)
        && atoms.elements.iter().all(|value| matches!(value, Belnap::True | Belnap::False))
}

/// Where a fair path starts that satisfies the formula, or breaks it unless `positive`: certainly, and possibly.
///
/// # Errors
/// As for [`linear_value`].
pub fn paths(
    structure: &Structure,
    formula: &Formula,
    atoms: &Atoms,
    positive: bool,
    fairness: &Fairness,
) -> Result<Pair, EngineError> {
    let automata = Automata::new(structure, formula, atoms, positive, fairness)?;
    let open = automata.starts(false)?;
    let yes = if structure.is_complete() && decided(atoms) { open.clone() } else { automata.starts(true)? };
    Ok(Pair { yes, open })
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
    /// A step that strong fairness asks for, by its number.
    Strong(usize),
    /// A step from a state of justice, by its number.
    Justice(usize),
    /// A step from a state that compassion asks for, by its number.
    Compassion(usize),
}

fn has_steps(structure: &Structure, fairness: &Fairness) -> Result<(), EngineError> {
    let known = |filter| structure.steps(filter).is_some();
    let constraints = (0..fairness.constraints).map(Filter::Fair);
    let mut wanted = constraints.chain(fairness.strong.iter().map(|strong| strong.steps));
    if known(Filter::Any) && wanted.all(known) {
        return Ok(());
    }
    let reason = "the structure has no steps, or none for its fairness constraints".to_owned();
    Err(Unsupported { engine: super::NAME, reason }.into())
}

/// A structure together with an automaton for a linear formula.
#[derive(Debug)]
pub struct Automata<'s> {
    pub(super) structure: &'s Structure,
    pub(super) automaton: Automaton,
    /// For each transition where it can be taken: possibly, and certainly.
    pub(super) guards: Vec<Vec<Pair>>,
    pub(super) fairness: Fairness,
    /// What the formula asks for again and again, beside the automaton.
    pub(super) promised: PromisedSets,
    /// For each transition what it asks of the values of steps, if they enter the formula.
    needs: Vec<Vec<Need>>,
    values: Option<StepValues>,
}

/// What a watcher can do when it reads a state: where, to which of its own states, and whether that is marked.
#[derive(Clone, Debug)]
pub struct GuardedTransition {
    /// Where it does so.
    pub guard: Pair,
    /// Where it goes.
    pub target: usize,
    /// Whether an accepted path does so again and again.
    pub accepting: bool,
}

impl<'s> Automata<'s> {
    /// A watcher that begins in `initial`; for each of its states what it can do there. It accepts paths on which it does
    /// something marked again and again.
    ///
    /// # Errors
    /// If the structure has no steps, or none for its fairness constraints.
    pub fn watching(
        structure: &'s Structure,
        initial: usize,
        ways: Vec<Vec<GuardedTransition>>,
        fairness: &Fairness,
    ) -> Result<Self, EngineError> {
        has_steps(structure, fairness)?;
        let step = |way: &GuardedTransition| Transition {
            cube: Vec::new(),
            target: to_u32(way.target),
            marks: u64::from(way.accepting),
        };
        let transitions = ways.iter().map(|ways| ways.iter().map(step).collect()).collect();
        let automaton = Automaton { initial: vec![to_u32(initial)], transitions, marks: 1 };
        let guards = ways.into_iter().map(|ways| ways.into_iter().map(|way| way.guard).collect()).collect();
        Ok(Self {
            structure,
            automaton,
            guards,
            fairness: fairness.clone(),
            promised: PromisedSets::default(),
            needs: Vec::new(),
            values: None,
        })
    }

    /// The automaton of `formula`, or of its negation unless `positive`.
    ///
    /// # Errors
    /// As for [`linear_value`].
    pub fn new(
        structure: &'s Structure,
        formula: &Formula,
        atoms: &Atoms,
        positive: bool,
        fairness: &Fairness,
    ) -> Result<Self, EngineError> {
        has_steps(structure, fairness)?;
        let conjuncts = Conjuncts::of(formula, positive);
        if conjuncts.has_fairness() && structure.is_complete() && decided(atoms) {
            let rest = LinearQuery::new(&conjuncts.rest(), atoms, true, EdgeValues::Ignored);
            let mut automata = Self::asking(structure, &rest, atoms, fairness)?;
            automata.promised = conjuncts.sets(structure, atoms)?;
            return Ok(automata);
        }
        let asked = LinearQuery::new(formula, atoms, positive, EdgeValues::Ignored);
        Self::asking(structure, &asked, atoms, fairness)
    }

    /// The automaton of the negation of `formula`, with the values of steps.
    pub(super) fn breaking_stepwise(
        structure: &'s Structure,
        formula: &Formula,
        atoms: &Atoms,
        fairness: &Fairness,
        values: &StepValues,
    ) -> Result<Self, EngineError> {
        has_steps(structure, fairness)?;
        let asked = LinearQuery::new(formula, atoms, false, values.entering());
        let mut automata = Self::asking(structure, &asked, atoms, fairness)?;
        let need = |step: &Transition| Need::of(&step.cube, asked.first_free());
        automata.needs = automata.automaton.transitions.iter().map(|steps| steps.iter().map(need).collect()).collect();
        automata.values = Some(values.clone());
        Ok(automata)
    }

    fn asking(
        structure: &'s Structure,
        asked: &LinearQuery,
        atoms: &Atoms,
        fairness: &Fairness,
    ) -> Result<Self, EngineError> {
        let automaton = translate::automaton(&asked.question, structure.diagrams.budget())?;
        let mut guards = Vec::new();
        for steps in &automaton.transitions {
            let mut row = Vec::new();
            for step in steps {
                let mut guard = Pair::decided(structure.states.clone());
                for literal in step.cube.iter().filter(|literal| (literal.atom as usize) < asked.first_free()) {
                    let label = asked.meaning(structure, atoms, literal.atom as usize);
                    let label = if literal.positive { label } else { label.not() };
                    guard = Pair { yes: guard.yes.and(&label.yes)?, open: guard.open.and(&label.open)? };
                }
                row.push(guard);
            }
            guards.push(row);
        }
        Ok(Self {
            structure,
            automaton,
            guards,
            fairness: fairness.clone(),
            promised: PromisedSets::default(),
            needs: Vec::new(),
            values: None,
        })
    }

    pub(super) fn recurring(&self) -> Vec<Recurring> {
        let marks = (0..self.automaton.marks).map(Recurring::Mark);
        let justice = (0..self.promised.justice.len()).map(Recurring::Justice);
        let all: Vec<Recurring> =
            marks.chain((0..self.fairness.constraints).map(Recurring::Fair)).chain(justice).collect();
        if all.is_empty() { vec![Recurring::Step] } else { all }
    }

    /// The steps that a kind of recurrence speaks of.
    pub(super) fn filter(&self, kind: Recurring) -> Filter {
        match kind {
            Recurring::Fair(at) => Filter::Fair(at),
            Recurring::Strong(at) => self.fairness.strong[at].steps,
            Recurring::Step | Recurring::Mark(_) | Recurring::Justice(_) | Recurring::Compassion(_) => Filter::Any,
        }
    }

    /// From where steps of a kind are taken, if that is not anywhere.
    fn sources(&self, kind: Recurring, certain: bool) -> Option<&Set> {
        let pair = match kind {
            Recurring::Justice(at) => &self.promised.justice[at],
            Recurring::Compassion(at) => &self.promised.compassion[at].1,
            _ => return None,
        };
        Some(if certain { &pair.yes } else { &pair.open })
    }

    pub(super) fn guard(&self, certain: bool, from: usize, number: usize) -> &Set {
        let guard = &self.guards[from][number];
        if certain { &guard.yes } else { &guard.open }
    }

    fn need(&self, from: usize, number: usize) -> Need {
        self.needs.get(from).map_or(Need::Nothing, |needs| needs[number])
    }

    /// The steps of a kind that a transition goes along, in up to two relations. Those of all transitions are the same two.
    fn along(&self, filter: Filter, certain: bool, need: Need) -> [Option<&TransitionRelation>; 2] {
        match (&self.values, self.structure.steps(filter)) {
            (Some(values), _) => values.along(filter, certain, need),
            (None, Some(steps)) => [Some(if certain { steps.sure() } else { &steps.possible }), None],
            (None, None) => [None, None],
        }
    }
}
