//! What is the value of a property over a lattice that the user wrote down?
//!
//! An engine for lattices gives the value. It is proved by *cuts*, one structure with may and must for each
//! join-irreducible element: a formula's value is above the element exactly where its cut has evidence
//! for true.

use std::sync::Arc;

use tertium_base::{Budget, Diagnostic};
use tertium_check::lattice_valued::{LatticeTask, direct_values};
use tertium_check::reduction::lattice_values;
use tertium_check::{Ask, EngineError, Task, Unsupported};
use tertium_evidence::{Deadlock, Place};
use tertium_kernel::Subject;
use tertium_lattice::{Belnap, Element};
use tertium_load::cuts::{constants, cut, too_large};
use tertium_logic::Formula;
use tertium_model::{LatticeModel, StateId};

use crate::answer::{Answer, Proved, Value};
use crate::check::{SMALL, Session, bound};
use crate::engines::{self, EngineChoice};
use crate::prove;
use tertium_load::failure::Failure;

impl Session<'_> {
    /// Decides a property of a lattice-valued structure.
    pub(crate) fn check_lattice(
        &self,
        model: &LatticeModel,
        answer: &mut Answer,
        budget: &Budget,
    ) -> Result<(), Failure> {
        if self.reading.deadlock != Deadlock::Mu {
            let what = format!("`--deadlock {}` has no meaning over a lattice", self.reading.deadlock.name());
            return Err(Diagnostic::error("E0314", what)
                .help("leave it out: AX holds where no step is possible")
                .into());
        }
        let formula = answer.formula.clone();
        let task = bound(LatticeTask::new(model, &formula, budget))?;
        let values = self.lattice_values(&task)?;
        answer.provenance = self.options.engine.provenance(formula.logic());
        let lattice = model.lattice();
        let value_at = |state: StateId| values[state.index()];
        let value = self.ask.iter().fold(lattice.top(), |sum, &state| lattice.meet(sum, value_at(state)));
        answer.value = element_value(model, value);
        answer.state = self.ask.iter().copied().find(|&state| value_at(state) == value);
        if self.options.all_states {
            answer.per_state = Some(model.states().map(|state| element_value(model, value_at(state))).collect());
        }
        if model.edge_count() <= SMALL || self.options.always_recheck {
            answer.certificates = self.prove_cuts(model, &formula, &value_at, budget)?;
            answer.checked = !answer.certificates.is_empty();
        }
        Ok(())
    }

    fn lattice_values(&self, task: &LatticeTask<'_>) -> Result<Vec<Element>, Failure> {
        let decline = |reason: &str| {
            engines::failure(EngineError::Unsupported(Unsupported {
                engine: self.options.engine.name(),
                reason: reason.to_owned(),
            }))
        };
        match self.options.engine {
            EngineChoice::Auto | EngineChoice::Explicit => direct_values(task).map_err(engines::failure),
            EngineChoice::Reduction => lattice_values(task).map_err(engines::failure),
            EngineChoice::Symbolic => tertium_check::symbolic::lattice_values(task).map_err(engines::failure),
            EngineChoice::Game => Err(decline("games are played on structures with may and must")),
            EngineChoice::Automata => Err(decline("linear formulas have no value over a lattice")),
        }
    }

    /// Proofs of the value at every state asked about: that it is above the elements it is above, and not
    /// above the others. A cut refutes its element's star.
    fn prove_cuts(
        &self,
        model: &LatticeModel,
        formula: &Formula,
        value_at: &dyn Fn(StateId) -> Element,
        budget: &Budget,
    ) -> Result<Vec<Proved>, Failure> {
        let lattice = model.lattice();
        let mut proofs = Vec::new();
        for &at in lattice.join_irreducibles() {
            let structure = Arc::new(cut(model, at).map_err(too_large)?);
            let constants = constants(model, at);
            let task = Task::with_constants(&structure, formula, &constants, self.reading, Ask::All, budget);
            let task = bound(task)?;
            for &state in &self.ask {
                let value = value_at(state);
                let above = lattice.cut(value, at).then_some(Belnap::True);
                let not_above_star = (!lattice.cut(value, lattice.star(at))).then_some(Belnap::False);
                for side in [above, not_above_star].into_iter().flatten() {
                    let certificate = prove::certificate(&task, formula, state, side)?;
                    prove::recheck((&structure, Subject::Cut), &certificate, &constants, budget)?;
                    let place = Place::Element(lattice.name(at).to_owned());
                    proofs.push(Proved { place, structure: Some(Arc::clone(&structure)), certificate });
                }
            }
        }
        Ok(proofs)
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
