//! Why do the completions of all instances of a family agree?
//!
//! Each instance is a structure without parameters, and has a proof as such. If one is missing the answer stands without any.

use std::sync::Arc;

use tertium_base::Budget;
use tertium_check::thorough::decide;
use tertium_check::{Ask, Task};
use tertium_evidence::{Certificate, CertificatePlace};
use tertium_kernel::Subject;
use tertium_lattice::Belnap;
use tertium_logic::Formula;
use tertium_model::{Kmts, ParamModel, StateId};

use crate::answer::{Answer, Proved};
use crate::check::{Session, bound};
use crate::engines::{self, EngineChoice};
use crate::family::assignments;
use crate::prove;
use tertium_load::cuts::too_large;
use tertium_load::failure::Failure;

impl Session<'_> {
    /// Proofs for all instances of a value that the completions of each agree on.
    pub(crate) fn prove_family_thoroughly(
        &self,
        model: &ParamModel,
        answer: &mut Answer,
        budget: &Budget,
    ) -> Result<(), Failure> {
        let value = answer.verdict.value();
        if !matches!(value, Belnap::True | Belnap::False) {
            return Ok(());
        }
        let mut proved = Vec::new();
        for assignment in assignments(model.params().len()) {
            let instance = Arc::new(model.instance(&assignment).map_err(too_large)?);
            let found = match self.thorough_instance(&instance, &answer.formula, value, budget) {
                // The answer stands without its proof, which may take more than the answer did.
                Err(Failure::Stopped(_)) => return Ok(()),
                found => found?,
            };
            if found.is_empty() {
                return Ok(());
            }
            let pairs: std::collections::BTreeMap<String, bool> =
                model.params().iter().cloned().zip(assignment).collect();
            let placed = |certificate| Proved {
                place: CertificatePlace::Assignment(pairs.clone()),
                structure: Some(Arc::clone(&instance)),
                certificate,
            };
            proved.extend(found.into_iter().map(placed));
        }
        answer.certificates = proved;
        answer.checked = true;
        Ok(())
    }

    /// The proofs of one instance: at all states for a truth, at one for a falsity; none if one is missing.
    fn thorough_instance(
        &self,
        instance: &Kmts,
        formula: &Formula,
        value: Belnap,
        budget: &Budget,
    ) -> Result<Vec<Certificate>, Failure> {
        let mut proved = Vec::new();
        for &state in &self.ask {
            let certificate = self.thorough_proof_at(instance, formula, (state, value), budget)?;
            match certificate {
                Some(certificate) => {
                    let subject = (instance, Subject::structure(instance));
                    prove::recheck(subject, &certificate, &self.loaded.constants(), budget)?;
                    proved.push(certificate);
                    if value == Belnap::False {
                        break;
                    }
                }
                None if value == Belnap::True => return Ok(Vec::new()),
                None => {}
            }
        }
        Ok(proved)
    }

    fn thorough_proof_at(
        &self,
        instance: &Kmts,
        formula: &Formula,
        (state, value): (StateId, Belnap),
        budget: &Budget,
    ) -> Result<Option<Certificate>, Failure> {
        let one = [state];
        if instance.fairness().is_empty() {
            let task = bound(Task::new(instance, formula, self.thorough_reading(), Ask::At(&one), budget))?;
            if decide(&task, state).map_err(engines::failure)?.value != value {
                return Ok(None);
            }
            return self.thorough_certificate(&task, state, value);
        }
        // Completions inherit no fairness: only what is compositional is proved.
        let fair = prove::evaluated_formula(instance, formula);
        let task = bound(Task::new(instance, &fair, self.thorough_reading(), Ask::At(&one), budget))?;
        let (_, values) = engines::evaluate(&task, EngineChoice::Auto)?;
        if values.at(state) != value {
            return Ok(None);
        }
        prove::certificate(&task, formula, state, value).map(Some)
    }
}
