//! What is the value of a property over a lattice, and why?
//!
//! An engine for lattices gives the value. It is proved by *cuts*, one structure with may and must for each
//! join-irreducible element: a formula's value is above the element exactly where its cut has evidence
//! for true. The same cuts give values of linear formulas and of games, and tell why: a run in a cut shows that the value
//! is at least an element, or that it is not.

use std::sync::Arc;

use tertium_base::{Budget, Diagnostic};
use tertium_check::lattice_valued::{LatticeTask, direct_values};
use tertium_check::reduction::lattice_values;
use tertium_check::{Ask, Task};
use tertium_evidence::{CertificatePlace, Deadlock, LinearReading, Verdict};
use tertium_kernel::Subject;
use tertium_lattice::{Belnap, DeMorganLattice, Element};
use tertium_load::cuts::{constants, cut, too_large};
use tertium_load::failure::Failure;
use tertium_logic::{Formula, Logic};
use tertium_model::{LatticeModel, Model, PropId, StateId};

use crate::answer::{Answer, CutEvidence, CutStep, CutStory, OpenReason, Proved, StructureEvidence, Value};
use crate::check::{SMALL, Session, bound};
use crate::engines::{self, EngineChoice};
use crate::prove;
use crate::vacuity;

impl Session<'_> {
    /// Decides a property of a lattice-valued structure.
    pub(crate) fn check_lattice(
        &self,
        model: &LatticeModel,
        answer: &mut Answer,
        budget: &Budget,
    ) -> Result<(), Failure> {
        self.refuse_over_a_lattice()?;
        let formula = answer.formula.clone();
        let task = bound(LatticeTask::new(model, &formula, budget))?;
        let values = self.lattice_values(&task)?;
        answer.provenance = self.options.engine.provenance(formula.logic());
        let value_at = |state: StateId| values[state.index()];
        let value = self.least(model, &values);
        answer.verdict = element_verdict(model, value);
        answer.state = self.ask.iter().copied().find(|&state| value_at(state) == value);
        if self.options.all_states {
            answer.per_state = Some(model.states().map(|state| element_value(model, value_at(state))).collect());
        }
        if model.edge_count() <= SMALL || self.options.always_recheck {
            let (proofs, cuts) = self.prove_cuts(model, &formula, &value_at, budget)?;
            answer.checked = !proofs.is_empty();
            answer.certificates = proofs;
            answer.cuts = telling(model.lattice(), cuts);
        }
        if self.options.look_for_vacuity {
            self.look_for_vacuity_over_a_lattice(&task, value, answer)?;
        }
        Ok(())
    }

    /// Deadlock conventions and readings that weigh open steps are for structures with may and must.
    fn refuse_over_a_lattice(&self) -> Result<(), Failure> {
        let refused = |option: String, help: &str| {
            let what = format!("`{option}` has no meaning over a lattice");
            Err(Diagnostic::error("E0314", what).help(help).into())
        };
        if self.reading.deadlock != Deadlock::Mu {
            let option = format!("--deadlock {}", self.reading.deadlock.name());
            return refused(option, "leave it out: AX holds where no step is possible");
        }
        match self.reading.linear {
            LinearReading::Hyper | LinearReading::Bg => Ok(()),
            other => refused(
                format!("--ltl {}", other.name()),
                "leave it out: an edge's value weakens the quantifier over paths",
            ),
        }
    }

    /// The meet of the values at the states asked about.
    fn least(&self, model: &LatticeModel, values: &[Element]) -> Element {
        let lattice = model.lattice();
        self.ask.iter().fold(lattice.top(), |sum, &state| lattice.meet(sum, values[state.index()]))
    }

    fn lattice_values(&self, task: &LatticeTask<'_>) -> Result<Vec<Element>, Failure> {
        let linear = matches!(task.formula.logic(), Logic::Ltl | Logic::CtlStar);
        match self.options.engine {
            EngineChoice::Auto | EngineChoice::Symbolic if linear => self.values_by_cuts(task),
            EngineChoice::Auto | EngineChoice::Explicit => direct_values(task).map_err(engines::failure),
            EngineChoice::Reduction => lattice_values(task).map_err(engines::failure),
            EngineChoice::Symbolic => tertium_check::symbolic::lattice_values(task).map_err(engines::failure),
            EngineChoice::Game | EngineChoice::Automata => self.values_by_cuts(task),
        }
    }

    /// One run of an engine for structures with may and must for each join-irreducible element.
    fn values_by_cuts(&self, task: &LatticeTask<'_>) -> Result<Vec<Element>, Failure> {
        let (model, lattice) = (task.model, task.model.lattice());
        let mut values = vec![lattice.bottom(); model.state_count()];
        for &at in lattice.join_irreducibles() {
            let structure = cut(model, at).map_err(too_large)?;
            let constants = constants(model, at);
            let task = Task::with_constants(&structure, task.formula, &constants, self.reading, Ask::All, task.budget);
            let (_, found) = engines::evaluate(&bound(task)?, self.options.engine)?;
            for state in model.states().filter(|state| found.for_true.contains(state.index())) {
                values[state.index()] = lattice.join(values[state.index()], at);
            }
        }
        Ok(values)
    }

    /// Proofs of the value at every state asked about: that it is above the elements it is above, and not
    /// above the others. A cut refutes its element's star.
    fn prove_cuts(
        &self,
        model: &LatticeModel,
        formula: &Formula,
        value_at: &dyn Fn(StateId) -> Element,
        budget: &Budget,
    ) -> Result<(Vec<Proved>, Vec<CutEvidence>), Failure> {
        let lattice = model.lattice();
        let (mut proofs, mut cuts) = (Vec::new(), Vec::new());
        for &at in lattice.join_irreducibles() {
            let structure = Arc::new(cut(model, at).map_err(too_large)?);
            let constants = constants(model, at);
            let task = Task::with_constants(&structure, formula, &constants, self.reading, Ask::All, budget);
            let task = bound(task)?;
            for &state in &self.ask {
                let value = value_at(state);
                let above = lattice.cut(value, at).then_some((at, Belnap::True));
                let star = lattice.star(at);
                let not_above_star = (!lattice.cut(value, star)).then_some((star, Belnap::False));
                for (element, side) in [above, not_above_star].into_iter().flatten() {
                    let certificate = prove::certificate(&task, formula, state, side)?;
                    prove::recheck((&structure, Subject::Cut), &certificate, &constants, budget)?;
                    let run = prove::run_of(&task, &certificate);
                    cuts.push(CutEvidence { element, above: side == Belnap::True, state, run });
                    let place = CertificatePlace::Element(lattice.name(at).to_owned());
                    proofs.push(Proved { place, structure: Some(Arc::clone(&structure)), certificate });
                }
            }
        }
        Ok((proofs, cuts))
    }

    /// Why a value over a lattice is what it is, in names.
    #[must_use]
    pub fn cut_stories(&self, answer: &Answer) -> Vec<CutStory> {
        let Model::Lattice(model) = self.checked_model() else { return Vec::new() };
        answer.cuts.iter().map(|cut| story(model, &answer.formula, cut)).collect()
    }

    /// A value is vacuous if a stronger formula, without what an implication demands, has it, too.
    fn look_for_vacuity_over_a_lattice(
        &self,
        task: &LatticeTask<'_>,
        value: Element,
        answer: &mut Answer,
    ) -> Result<(), Failure> {
        if value == task.model.lattice().bottom() {
            return Ok(());
        }
        match self.find_vacuity_over_a_lattice(task, value, answer) {
            Err(Failure::Stopped(stopped)) => {
                answer.warnings.push(vacuity::not_looked_for(&stopped.to_string()));
                Ok(())
            }
            found => found,
        }
    }

    fn find_vacuity_over_a_lattice(
        &self,
        task: &LatticeTask<'_>,
        value: Element,
        answer: &mut Answer,
    ) -> Result<(), Failure> {
        let (model, name) = (task.model, task.model.lattice().name(value));
        if task.formula.logic() == Logic::Ltl && !starts_infinite_path(model, &self.ask, task.budget)? {
            answer.vacuous = true;
            answer.warnings.push(vacuity::no_infinite_path());
            return Ok(());
        }
        let stronger = vacuity::strengthened(task.formula);
        let most = vacuity::most_looked_at(model.edge_count());
        if stronger.len() > most {
            let why =
                format!("only {most} of {} implications were looked at, for the size of the structure", stronger.len());
            answer.warnings.push(vacuity::not_looked_for(&why));
        }
        for stronger in stronger.into_iter().take(most) {
            task.budget.check()?;
            let Ok(task) = LatticeTask::new(model, &stronger.formula, task.budget) else { continue };
            let values = self.lattice_values(&task)?;
            if self.least(model, &values) == value {
                answer.vacuous = true;
                answer.warnings.push(vacuity::same_value(&stronger.antecedent, name));
            }
        }
        Ok(())
    }
}

/// What is worth telling: that the value is at least the greatest such elements, and not at least the least of the others; the rest follows.
fn telling(lattice: &DeMorganLattice, cuts: Vec<CutEvidence>) -> Vec<CutEvidence> {
    let refuted: Vec<Element> = cuts.iter().filter(|cut| !cut.above).map(|cut| cut.element).collect();
    let shown: Vec<Element> =
        cuts.iter().filter(|cut| cut.above && !refuted.contains(&cut.element)).map(|cut| cut.element).collect();
    let lower = |a: Element, b: Element| a != b && lattice.leq(a, b);
    let extreme = |cut: &CutEvidence| {
        if cut.above {
            shown.contains(&cut.element) && !shown.iter().any(|&other| lower(cut.element, other))
        } else {
            !refuted.iter().any(|&other| lower(other, cut.element))
        }
    };
    let mut told: Vec<CutEvidence> = Vec::new();
    for cut in cuts.into_iter().filter(|cut| extreme(cut)) {
        if !told.iter().any(|known| known.element == cut.element) {
            told.push(cut);
        }
    }
    told.sort_by_key(|cut| (!cut.above, cut.element));
    told
}

/// One cut's evidence in names, with the values along its run.
fn story(model: &LatticeModel, formula: &Formula, cut: &CutEvidence) -> CutStory {
    let lattice = model.lattice();
    let spoken_of = |prop: &String| formula.atoms().iter().any(|atom| atom.text == *prop);
    let labels = |state: StateId| {
        let of =
            |(at, prop): (usize, &String)| (prop.clone(), lattice.name(model.label(state, PropId::new(at))).to_owned());
        model.props().iter().enumerate().filter(|(_, prop)| spoken_of(prop)).map(of).collect()
    };
    let states: &[StateId] = cut.run.as_ref().map_or(&[], |run| &run.states);
    let loop_start = cut.run.as_ref().and_then(|run| run.loop_start);
    let edge = |at: usize| {
        let next = if at + 1 < states.len() { Some(at + 1) } else { loop_start };
        let edges = model.edges_from(states[at]).iter();
        let found = edges.clone().find(|edge| next.is_some_and(|next| edge.target == states[next]));
        found.map(|edge| lattice.name(edge.value).to_owned())
    };
    let step = |at: usize| CutStep {
        state: model.state_name(states[at]).to_owned(),
        labels: labels(states[at]),
        edge: edge(at),
    };
    CutStory {
        element: lattice.name(cut.element).to_owned(),
        above: cut.above,
        state: model.state_name(cut.state).to_owned(),
        run: (0..states.len()).map(step).collect(),
        loop_start,
    }
}

/// Whether an infinite path along edges that are not false starts at one of these states.
fn starts_infinite_path(model: &LatticeModel, from: &[StateId], budget: &Budget) -> Result<bool, Failure> {
    let bottom = model.lattice().bottom();
    let mut goes_on = vec![true; model.state_count()];
    loop {
        budget.check()?;
        let step = |state: StateId| {
            let mut edges = model.edges_from(state).iter();
            edges.any(|edge| edge.value != bottom && goes_on[edge.target.index()])
        };
        let next: Vec<bool> = model.states().map(|state| goes_on[state.index()] && step(state)).collect();
        if next == goes_on {
            return Ok(from.iter().any(|state| goes_on[state.index()]));
        }
        goes_on = next;
    }
}

/// Top holds, bottom fails, and an element between is open, for no reason but that it is this element.
fn element_verdict(model: &LatticeModel, element: Element) -> Verdict<StructureEvidence, OpenReason> {
    let (lattice, name) = (model.lattice(), model.lattice().name(element).to_owned());
    let evidence = |element| StructureEvidence { run: None, element: Some(element) };
    match element {
        top if top == lattice.top() => Verdict::Holds(evidence(name)),
        bottom if bottom == lattice.bottom() => Verdict::Fails(evidence(name)),
        _ => Verdict::Indefinite(vec![OpenReason::Element(name)]),
    }
}

fn element_value(model: &LatticeModel, element: Element) -> Value {
    let lattice = model.lattice();
    Value::Element {
        name: lattice.name(element).to_owned(),
        is_top: element == lattice.top(),
        is_bottom: element == lattice.bottom(),
    }
}
