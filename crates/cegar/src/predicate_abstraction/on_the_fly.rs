//! On the fly: is there a run that may break a linear property? Abstract states are made while it is looked for (Courcoubetis, Vardi, Wolper and Yannakakis 1992).
//!
//! The automaton of the negated formula watches the paths of possible steps, and what it reads of a state is whatever may hold there. If it accepts
//! none, the property is true, and the part of the structure that was made proves it. A path that it accepts is looked at closely: its states are
//! asked for what is certain, then the others that were made. If that settles nothing, the path is what the next round of refinement learns from.
//!
//! What is decided, is decided by the engines for structures, on the part that was made: whatever may follow the rest is left open there.
//! Not here: readings in which more than possible steps makes a property true; those want the whole structure.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use tertium_abstraction::{AbstractState, Expansion, Explored, Failed, PossiblePaths, StructureOptions, System};
use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_check::automata::linear_open_question;
use tertium_check::{Ask, Task};
use tertium_evidence::{LinearReading, OpenQuestion, Reading};
use tertium_explore::search::liveness::{Nearest, Watch, nearest_accepted_run};
use tertium_lattice::{Belnap, Kleene};
use tertium_logic::Logic;
use tertium_logic::automata::{Literal, Tgba, Translation, TranslationError, ltl_to_tgba};
use tertium_model::StateId;
use tertium_program::search::Limits;
use tertium_program::{ExprId, Fairness};

use super::{AbstractionCheck, Prepared, failed, shape, where_it_starts, why_open, with_fairness};
use crate::answer::{OnDemand, ProgramAnswer};
use crate::limits;
use crate::observer::ProgramObserver;
use tertium_load::failure::Failure;
use tertium_load::questions::{PropertyQuery, Question};
use tertium_structures::check::bound;
use tertium_structures::engines::EngineChoice;

/// What was found.
pub(crate) enum OnTheFlyAnswer {
    /// The property has a value.
    Answered(Box<ProgramAnswer>),
    /// This path may break it, or not.
    Open(Box<OpenRun>),
}

/// A path that may break a property.
pub(crate) struct OpenRun {
    /// Its states, and what they lead to.
    pub part: Explored,
    /// The path, and what is not decided on it.
    pub open: OpenQuestion,
    /// The same for people.
    pub why: String,
    /// Abstract states that were made to find it.
    pub made: usize,
}

/// What a search for a run made, and found.
struct Searched {
    found: Nearest<AbstractState>,
    /// States of which it was asked what follows.
    made: usize,
    part: Explored,
}

/// A path of abstract states that goes round.
struct Lasso {
    states: Vec<AbstractState>,
    /// Each state with what comes after it.
    steps: Vec<(AbstractState, AbstractState)>,
}

impl Lasso {
    fn new(found: &Nearest<AbstractState>, stem: &[usize], cycle: &[usize]) -> Self {
        let states: Vec<AbstractState> = stem.iter().chain(cycle).map(|&at| found.states[at].clone()).collect();
        let next = states.iter().skip(1).chain(states.get(stem.len())).cloned();
        let steps = states.iter().cloned().zip(next).collect();
        Self { states, steps }
    }

    fn takes(&self, from: &AbstractState, to: &AbstractState) -> bool {
        self.steps.iter().any(|(here, there)| here == from && there == to)
    }

    /// Whether it ends in a state.
    fn ends_in(&self, state: &AbstractState) -> bool {
        let stays = AbstractState { stopped: true, ..state.clone() };
        self.states.contains(&stays) || self.takes(state, state)
    }
}

impl AbstractionCheck<'_> {
    /// Looks for a run that may break a linear property; nothing if this question is none, or a limit was reached.
    pub(crate) fn on_demand(
        &self,
        prepared: &mut Prepared,
        question: &Question,
    ) -> Result<Option<OnTheFlyAnswer>, Failure> {
        match self.sought(prepared, question) {
            // The structure will meet the same limit, and say so.
            Err(Failure::Stopped(_)) => Ok(None),
            found => found,
        }
    }

    fn sought(&self, prepared: &mut Prepared, question: &Question) -> Result<Option<OnTheFlyAnswer>, Failure> {
        let Question::Property(asked) = question else { return Ok(None) };
        let start = Instant::now();
        let Some(automaton) = self.watching(prepared, asked)? else { return Ok(None) };
        let atoms: Vec<ExprId> = asked.atoms.iter().map(|&atom| prepared.expr(atom)).collect();
        let shape = shape(prepared.system.program(), Logic::Ltl, self.options);
        let watch = Negation::new(&automaton, &atoms, asked, self.observer);
        let Some(Searched { found, made, part }) = self.search(prepared, watch, &shape)? else { return Ok(None) };
        let met = found.states.iter().filter(|state| !state.stopped).count();
        let on_demand = Some(OnDemand { made, left: met - made });
        let answered = |mut answer: ProgramAnswer| {
            (answer.cost.on_demand, answer.cost.states, answer.cost.elapsed) = (on_demand, made, start.elapsed());
            Ok(Some(OnTheFlyAnswer::Answered(Box::new(answer))))
        };
        let Some((stem, cycle)) = &found.lasso else {
            let answer = self.judged(prepared, &part, question)?;
            return if answer.value() == Belnap::True { answered(answer) } else { Ok(None) };
        };
        let lasso = Lasso::new(&found, stem, cycle);
        let near = self.closely(prepared, &part, &lasso.states)?;
        let answer = self.judged(prepared, &near, question)?;
        if answer.value() == Belnap::False {
            return answered(answer);
        }
        // What else was made may tell more, and is asked for anyway if the whole structure is.
        let all: Vec<AbstractState> = told(&part).cloned().collect();
        let closer = self.closely(prepared, &part, &all)?;
        let answer = self.judged(prepared, &closer, question)?;
        if answer.value() == Belnap::False {
            return answered(answer);
        }
        // No path teaches where the program starts.
        if answer.reasons().contains(&where_it_starts()) {
            return Ok(None);
        }
        self.open_run(prepared, (near, made), &lasso, asked, &shape)
    }

    /// The answer on a part of the structure.
    fn judged(&self, prepared: &mut Prepared, part: &Explored, question: &Question) -> Result<ProgramAnswer, Failure> {
        let judge = AbstractionCheck { completions: false, ..*self };
        Ok(judge.answer_with(prepared, part, question)?.0)
    }

    /// Searches possible paths: first as if they could end anywhere and were fair anyway, then, if one of those is accepted, as they are.
    fn search(
        &self,
        prepared: &mut Prepared,
        mut watch: Negation<'_>,
        shape: &StructureOptions,
    ) -> Result<Option<Searched>, Failure> {
        for loosely in [true, false] {
            let make = if loosely { PossiblePaths::loosely } else { PossiblePaths::new };
            let mut paths = make(&mut prepared.system, shape);
            let limits = Limits { most: usize::MAX, budget: self.budget };
            let found = match nearest_accepted_run(&mut paths, &mut watch, to_u32(shape.fair.len()), limits) {
                Ok(found) => found,
                Err(why) => return Err(failed(self.file, prepared.system.program(), why)),
            };
            if found.lasso.is_none() || paths.is_exact() {
                return Ok(Some(Searched { made: paths.made(), part: paths.explored(), found }));
            }
        }
        Ok(None)
    }

    /// The automaton of the negated formula, if possible steps alone make the property true.
    fn watching(&self, prepared: &mut Prepared, asked: &PropertyQuery) -> Result<Option<Tgba>, Failure> {
        let options = self.options;
        let plain = asked.formula.logic() == Logic::Ltl && asked.formula.elements().is_empty() && !self.thorough;
        let read = options.deadlock.is_none()
            && !matches!(options.linear, Some(LinearReading::Tg | LinearReading::TgPnf))
            && options.engine == EngineChoice::Auto;
        let strong = !with_fairness(prepared.system.program(), Fairness::Strong).is_empty();
        if !plain || !read || strong {
            return Ok(None);
        }
        for &atom in &asked.atoms {
            let atom = prepared.expr(atom);
            match prepared.system.condition(atom, true) {
                Ok(term) if !prepared.system.speaks_of_deadlock(term) => {}
                _ => return Ok(None),
            }
        }
        let automaton = match ltl_to_tgba(&asked.formula, true, Translation::default(), self.budget) {
            Ok(automaton) => automaton,
            Err(TranslationError::Stopped(_) | TranslationError::NotLinear) => return Ok(None),
        };
        let fair = shape(prepared.system.program(), Logic::Ltl, options).fair.len();
        Ok((automaton.marks + fair <= limits::ON_THE_FLY_MOST_MARKS).then_some(automaton))
    }

    /// Some states with everything that may and must follow from them.
    fn closely(&self, prepared: &mut Prepared, part: &Explored, states: &[AbstractState]) -> Result<Explored, Failure> {
        let mut known: HashMap<AbstractState, Expansion> = HashMap::new();
        for state in states.iter().filter(|state| !state.stopped) {
            if known.contains_key(state) {
                continue;
            }
            let expansion = prepared.system.expand(state);
            let expansion = expansion.map_err(|why| failed(self.file, prepared.system.program(), why))?;
            known.insert(state.clone(), expansion);
        }
        let initial = part.initial.iter().map(|&(at, certain)| (part.states[at].clone(), certain)).collect();
        Ok(Explored::part(initial, known, prepared.system.program().processes.len()))
    }

    /// What is not decided along a path.
    fn open_run(
        &self,
        prepared: &mut Prepared,
        (part, made): (Explored, usize),
        lasso: &Lasso,
        asked: &PropertyQuery,
        shape: &StructureOptions,
    ) -> Result<Option<OnTheFlyAnswer>, Failure> {
        let atoms = prepared.atoms(asked);
        let system = &mut prepared.system;
        let structure = along(&part, lasso).structure(system, &atoms, shape, self.budget);
        let structure = structure.map_err(|why| failed(self.file, system.program(), why))?;
        let Some(first) = lasso.states.first().and_then(|first| part.find(first)) else { return Ok(None) };
        let open = open_question(&structure, asked, StateId::new(first), self.budget)?;
        let Some(open) = open.filter(|open| !open.play.is_empty()) else { return Ok(None) };
        let why = why_open(system, &structure, Some(&open)).what;
        Ok(Some(OnTheFlyAnswer::Open(Box::new(OpenRun { part, open, why, made }))))
    }
}

/// The states of which it was asked what follows.
fn told(part: &Explored) -> impl Iterator<Item = &AbstractState> {
    part.states.iter().zip(&part.expansions).filter(|(_, expansion)| !expansion.untold).map(|(state, _)| state)
}

/// The path that breaks a property on a structure whose possible steps are those of one path.
fn open_question(
    structure: &tertium_model::Kmts,
    asked: &PropertyQuery,
    first: StateId,
    budget: &Budget,
) -> Result<Option<OpenQuestion>, Failure> {
    let (formula, ask) = (asked.on_structure()?.formula, [first]);
    let task = bound(Task::new(structure, &formula, Reading::default(), Ask::At(&ask), budget))?;
    linear_open_question(&task, first).map_err(tertium_structures::engines::failure)
}

/// The same states, with no possible steps but those of a path.
fn along(part: &Explored, lasso: &Lasso) -> Explored {
    let mut narrow = part.clone();
    for (state, expansion) in part.states.iter().zip(&mut narrow.expansions) {
        expansion.untold = false;
        expansion.may_stop &= lasso.ends_in(state);
        expansion.steps.iter_mut().for_each(|step| step.may &= lasso.takes(state, &step.target));
        expansion.steps.retain(|step| step.may || step.must);
    }
    narrow
}

/// The automaton of a negated formula; it reads whatever may hold.
struct Negation<'a> {
    automaton: &'a Tgba,
    atoms: &'a [ExprId],
    asked: &'a PropertyQuery,
    observer: &'a dyn ProgramObserver,
    labels: HashMap<AbstractState, Vec<Option<Kleene>>>,
}

impl<'a> Negation<'a> {
    fn new(
        automaton: &'a Tgba,
        atoms: &'a [ExprId],
        asked: &'a PropertyQuery,
        observer: &'a dyn ProgramObserver,
    ) -> Self {
        Self { automaton, atoms, asked, observer, labels: HashMap::new() }
    }

    /// The values of the atoms that are read from here.
    fn look(&mut self, system: &mut System, at: u32, state: &AbstractState) -> Result<&[Option<Kleene>], Failed> {
        // Where nothing happens any more, everything is as it was before.
        let state = AbstractState { stopped: false, ..state.clone() };
        let (atoms, steps) = (self.atoms, &self.automaton.states[at as usize]);
        let labels = self.labels.entry(state.clone()).or_insert_with(|| vec![None; atoms.len()]);
        let read: BTreeSet<usize> = steps
            .iter()
            .flat_map(|step| step.guard.literals().iter().map(|literal| literal.atom().index()).collect::<Vec<_>>())
            .collect();
        for atom in read {
            if labels[atom].is_none() {
                labels[atom] = Some(system.label(&state, atoms[atom], None)?);
            }
        }
        Ok(labels)
    }
}

impl Watch<PossiblePaths<'_>> for Negation<'_> {
    fn initial(&self) -> Vec<u32> {
        if self.automaton.states.is_empty() { Vec::new() } else { vec![to_u32(self.automaton.initial)] }
    }

    fn marks(&self) -> u32 {
        to_u32(self.automaton.marks)
    }

    fn next(
        &mut self,
        paths: &mut PossiblePaths<'_>,
        at: u32,
        state: &AbstractState,
        out: &mut Vec<(u32, u64)>,
    ) -> Result<(), Failed> {
        if paths.made() % 16 == 1 {
            let (name, calls) = (&self.asked.name, paths.system.queries().calls());
            self.observer.phase(&format!("{name}: {} abstract states made, {calls} solver calls", paths.made()));
        }
        let automaton = self.automaton;
        let labels = self.look(paths.system, at, state)?;
        let refuted = |literal: Literal| if literal.is_negative() { Kleene::True } else { Kleene::False };
        let may = |literal: Literal| labels[literal.atom().index()] != Some(refuted(literal));
        for step in automaton.states[at as usize].iter().filter(|step| step.guard.passes(may)) {
            out.push((to_u32(step.target), step.marks.0));
        }
        Ok(())
    }
}
