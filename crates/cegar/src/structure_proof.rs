//! Proofs about a structure over abstract states, made from what an answer rests on.
//!
//! The structure is drawn by the kernel from lists, together with the obligations that say that it is an abstraction of the program; an ordinary
//! certificate says what holds of it. What the proof does not use is left out, so that nothing has to be shown for it.

use std::collections::BTreeMap;

use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_check::{Ask, Task, ranked_game};
use tertium_evidence::abstraction::{Abstraction, RankedSet, Structure};
use tertium_evidence::{Certificate, CertificatePlace, Choice, Deadlock, Proof, Reading, write_structure};
use tertium_kernel::obligations::{Drawn, Obligation, ProofObligations, StructureReading};
use tertium_kernel::programs::question::Subject;
use tertium_kernel::programs::{begins, fairness_fits, frame_for, lines};
use tertium_kernel::solve::{Decided, Decider, decide};
use tertium_kernel::vocabulary::NoTerm;
use tertium_kernel::{Rejection, Subject as SubjectKind, check_certificate_of, check_ranked_certificate};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_model::{Kmts, StateId};

use crate::answer::ProgramAnswer;
use crate::options::CheckOptions;
use crate::predicate_abstraction::basis::pids;
use crate::ranked_structure::{claimed_formula, fair_paths, ranked_structure};
use tertium_load::ProgramFile;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_structures::check::bound;
use tertium_structures::engines::{self, EngineChoice};
use tertium_structures::prove;

/// What became of the attempt to write a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Written {
    /// The certificate, accepted by the independent checker.
    Certificate(String),
    /// The certificate over abstract states, and the obligations that were found to hold.
    WithObligations {
        /// The certificate.
        text: String,
        /// The obligations.
        obligations: Vec<Obligation>,
    },
    /// Why there is none.
    None(String),
}

/// Writes the certificate of a definite answer that was found on a structure over abstract states.
///
/// # Errors
/// If a limit is reached.
pub fn certificate(
    file: &ProgramFile,
    asked: &PropertyQuery,
    answer: &ProgramAnswer,
    (over, structure): (&Abstraction, &Structure),
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Written, Failure> {
    match Question::about(file, asked, (over, structure), answer.value(), options) {
        Ok((question, structure)) => {
            let written = question.written(structure.clone(), budget)?;
            let linear = asked.formula.logic() == Logic::Ltl && !question.frame.claims;
            let by_claims = !structure.ranks.is_empty() || question.is_strongly_fair();
            if !linear || !by_claims || !matches!(written, Written::None(_)) {
                return Ok(written);
            }
            // The form of a linear formula in CTL may have a strategy where paths prove nothing.
            let frame = frame_for(&question.subject, true);
            if fairness_fits(&question.subject, frame, &structure, question.value).is_err() {
                return Ok(written);
            }
            Question { frame, ..question }.written(structure, budget)
        }
        Err(why) => Ok(Written::None(why)),
    }
}

/// A question as one about a structure.
struct Question<'a> {
    subject: Subject<'a>,
    asked: &'a PropertyQuery,
    over: &'a Abstraction,
    value: Belnap,
    /// How structures are drawn.
    frame: StructureReading,
}

impl<'a> Question<'a> {
    /// The question, and the structure without what does not matter to it; why there can be no proof.
    fn about(
        file: &'a ProgramFile,
        asked: &'a PropertyQuery,
        (over, structure): (&'a Abstraction, &Structure),
        value: Belnap,
        options: &CheckOptions,
    ) -> Result<(Self, Structure), String> {
        let subject = Subject::property(file, asked, options.settings());
        let linear = asked.formula.logic() == Logic::Ltl;
        // Of a linear formula that is false, ranks show it by claims only, and what is strongly fair.
        let by_claims = !structure.ranks.is_empty() || subject.is_strongly_fair();
        let frame = frame_for(&subject, linear && value == Belnap::False && by_claims);
        let mut structure = structure.clone();
        if !subject.frame.stutter {
            structure.stops.clear();
        }
        // Without the promise of strong fairness, or where paths may end, it is proved without it or not at all.
        if !frame.stutter || !frame.fair || frame.claims {
            structure.strong.clear();
        }
        fairness_fits(&subject, frame, &structure, value)?;
        Ok((Self { subject, asked, over, value, frame }, structure))
    }

    fn proof_obligations(&self, budget: &Budget) -> Result<ProofObligations<'_, 'a>, String> {
        let file = &self.subject.file;
        ProofObligations::new(&file.program, self.over, lines(file), budget).map_err(|NoTerm(why)| why)
    }

    /// The structure, for whoever looks for a proof.
    fn sketch(&self, structure: &Structure, budget: &Budget) -> Result<Kmts, String> {
        let mut writer = self.proof_obligations(budget)?;
        let sketch = writer.sketch(structure, &self.subject.atoms(), self.frame);
        sketch.map_err(|NoTerm(why)| why)
    }

    /// The structure with what it rests on; of what is false also that the program begins where that is shown.
    fn drawn(&self, structure: &Structure, shown: &[StateId], budget: &Budget) -> Result<Drawn, String> {
        let mut writer = self.proof_obligations(budget)?;
        let drawn = writer.draw(structure, &self.subject.atoms(), self.frame);
        let mut drawn = drawn.map_err(|NoTerm(why)| why)?;
        if self.value == Belnap::False {
            drawn.obligations.extend(begins(&mut writer, &drawn.model, shown).map_err(|NoTerm(why)| why)?);
        }
        Ok(drawn)
    }

    /// Whether ranks stand beside the structure, so that claims make use of them.
    fn is_ranked(&self, structure: &Structure) -> bool {
        self.frame.claims && (!structure.ranks.is_empty() || self.is_strongly_fair())
    }

    /// Whether some process is treated strongly fairly, of which only claims know.
    fn is_strongly_fair(&self) -> bool {
        self.subject.is_strongly_fair()
    }

    fn written(&self, structure: Structure, budget: &Budget) -> Result<Written, Failure> {
        if self.is_ranked(&structure) {
            return self.written_with_ranks(structure, budget);
        }
        let model = match self.sketch(&structure, budget) {
            Ok(model) => model,
            Err(why) => return none(why, budget),
        };
        let proved = match self.proofs(&model, budget)? {
            Ok(proved) if self.value == Belnap::False => self.begun(proved, &model, budget)?,
            proved => proved,
        };
        let proved = match proved {
            Ok(proved) => proved,
            Err(why) => return none(why, budget),
        };
        let pruned = pruned(&structure, &proved, self.subject.reading);
        let structure = match self.sketch(&pruned, budget) {
            Ok(smaller) if self.accepted(&smaller, &proved, budget) => pruned,
            _ => structure,
        };
        self.with_obligations(&structure, &proved, budget)
    }

    /// The certificate of a strategy in a ranked game.
    fn written_with_ranks(&self, mut structure: Structure, budget: &Budget) -> Result<Written, Failure> {
        let model = match self.sketch(&structure, budget) {
            Ok(model) => model,
            Err(why) => return none(why, budget),
        };
        let proved = self.claims_with_ranks(&structure, &model, budget)?;
        let proved = match self.value {
            Belnap::False => self.begun(proved, &model, budget)?,
            _ if proved.len() == model.init().len() => Ok(proved),
            _ => Err("what it rests on proves it only together with more".to_owned()),
        };
        let mut proved = match proved {
            Ok(proved) => proved,
            Err(why) => return none(why, budget),
        };
        leave_out_unused_sets(&mut structure, &mut proved);
        structure.certain = pruned(&structure, &proved, self.subject.reading).certain;
        self.with_obligations(&structure, &proved, budget)
    }

    /// A winning strategy as claims, from each initial state where there is one.
    fn claims_with_ranks(
        &self,
        structure: &Structure,
        model: &Kmts,
        budget: &Budget,
    ) -> Result<Vec<Certificate>, Failure> {
        let asked = &self.asked.formula;
        let Some(formula) = claimed_formula(asked, &fair_paths(model)) else { return Ok(Vec::new()) };
        let formula = prove::evaluated_formula(model, &formula);
        let program = &self.subject.file.program;
        let names = pids(program).into_iter().map(|(process, pid)| (pid, program.process(process).name.clone()));
        let ranked = ranked_structure(structure, model, &names.collect());
        let reading = self.subject.reading;
        let task = bound(Task::new(model, &formula, reading, Ask::At(model.init()), budget))?;
        let positive = self.value == Belnap::True;
        let Some(solution) = ranked_game::solve(&task, &ranked, model.init(), positive)? else { return Ok(Vec::new()) };
        let claims = |&state: &StateId| {
            let proof = Proof::Claims(solution.claims(state, positive)?);
            let (formula, logic, value) = (asked.text(), asked.logic(), self.value);
            Some(Certificate { formula, logic, reading, state, value, proof })
        };
        Ok(model.init().iter().filter_map(claims).collect())
    }

    fn with_obligations(
        &self,
        structure: &Structure,
        proved: &[Certificate],
        budget: &Budget,
    ) -> Result<Written, Failure> {
        let shown: Vec<StateId> = proved.iter().map(|proof| proof.state).collect();
        let Drawn { model, obligations, ranked } = match self.drawn(structure, &shown, budget) {
            Ok(drawn) => drawn,
            Err(why) => return none(why, budget),
        };
        if self.is_ranked(structure) {
            for certificate in proved {
                match check_ranked_certificate(&model, &ranked, certificate, budget) {
                    Ok(_) => {}
                    Err(Rejection::Stopped(stopped)) => return Err(stopped.into()),
                    Err(why) => {
                        return Err(Failure::Internal(format!("the independent checker refuses a strategy: {why}")));
                    }
                }
            }
        }
        if let Decided::Fails(why) = decide(&obligations, &Decider::default(), budget)? {
            return Ok(Written::None(why));
        }
        let (text, stutter) = (self.asked.source.clone(), self.subject.frame.stutter);
        let place = CertificatePlace::Property { text, stutter, fair: self.subject.everyone };
        let parts: Vec<_> = proved.iter().map(|certificate| (place.clone(), &model, certificate)).collect();
        let mut text = Vec::new();
        write_structure(&mut text, (self.over, structure), &parts)
            .map_err(|error| Failure::Internal(error.to_string()))?;
        let text = String::from_utf8(text).map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(Written::WithObligations { text, obligations })
    }

    /// The first of several proofs of falsity that is about a state in which the program begins; or all, if they are about all in which it can.
    fn begun(
        &self,
        proved: Vec<Certificate>,
        model: &Kmts,
        budget: &Budget,
    ) -> Result<Result<Vec<Certificate>, String>, Failure> {
        let mut last = "the program begins nowhere".to_owned();
        let mut writer = match self.proof_obligations(budget) {
            Ok(writer) => writer,
            Err(why) => return Ok(Err(why)),
        };
        let mut is_met = |starts: Result<Option<Obligation>, NoTerm>| -> Result<bool, Failure> {
            let obligations: Vec<Obligation> = match starts {
                Ok(obligation) => obligation.into_iter().collect(),
                Err(NoTerm(why)) => {
                    last = why;
                    return Ok(false);
                }
            };
            match decide(&obligations, &Decider::default(), budget)? {
                Decided::Holds => Ok(true),
                Decided::Fails(why) => {
                    last = why;
                    Ok(false)
                }
            }
        };
        for certificate in &proved {
            if is_met(writer.starts_in(certificate.state.index()))? {
                return Ok(Ok(vec![certificate.clone()]));
            }
        }
        let shown: Vec<StateId> = proved.iter().map(|proof| proof.state).collect();
        if is_met(begins(&mut writer, model, &shown))? {
            return Ok(Ok(proved));
        }
        Ok(Err(last))
    }

    /// What is true is so at every initial state; what is false, at some of them.
    fn proofs(&self, model: &Kmts, budget: &Budget) -> Result<Result<Vec<Certificate>, String>, Failure> {
        let formula = prove::evaluated_formula(model, &self.asked.formula);
        let mut proved = Vec::new();
        for &state in model.init() {
            let ask = [state];
            let task = bound(Task::new(model, &formula, self.subject.reading, Ask::At(&ask), budget))?;
            let (_, values) = engines::evaluate(&task, EngineChoice::Auto)?;
            if values.at(state) != self.value {
                if self.value == Belnap::True {
                    return Ok(Err("what it rests on proves it only together with more".to_owned()));
                }
                continue;
            }
            let certificate = prove::certificate(&task, &self.asked.formula, state, self.value)?;
            prove::recheck((model, SubjectKind::Abstraction), &certificate, &[], budget)?;
            proved.push(certificate);
        }
        if proved.is_empty() {
            return Ok(Err("no initial state of the abstraction shows it".to_owned()));
        }
        Ok(Ok(proved))
    }

    fn accepted(&self, model: &Kmts, proved: &[Certificate], budget: &Budget) -> bool {
        let accepts =
            |certificate| check_certificate_of(model, SubjectKind::Abstraction, certificate, &[], budget).is_ok();
        proved.iter().all(accepts)
    }
}

/// Drops the certain sets with rank conditions that no claim uses.
fn leave_out_unused_sets(structure: &mut Structure, proved: &mut [Certificate]) {
    let mut used: BTreeMap<u32, u32> = BTreeMap::new();
    for certificate in proved {
        let Proof::Claims(claims) = &mut certificate.proof else { continue };
        for claim in claims {
            if let Choice::Along(set) = &mut claim.choice {
                let next = to_u32(used.len());
                *set = *used.entry(*set).or_insert(next);
            }
        }
    }
    let mut kept = vec![RankedSet::default(); used.len()];
    for (old, new) in used {
        kept[new as usize] = structure.ranked[old as usize].clone();
    }
    structure.ranked = kept;
}

/// No certificate, for this reason, unless a limit is reached.
fn none(why: String, budget: &Budget) -> Result<Written, Failure> {
    budget.check()?;
    Ok(Written::None(why))
}

/// The structure without certain sets and able processes that proofs do not use.
fn pruned(structure: &Structure, proved: &[Certificate], reading: Reading) -> Structure {
    let mut used: Vec<(StateId, &[StateId])> = Vec::new();
    for certificate in proved {
        match &certificate.proof {
            Proof::NoPath | Proof::NoWord => {}
            Proof::Claims(claims) if reading.deadlock != Deadlock::Maximal => {
                used.extend(claims.iter().filter_map(|claim| match &claim.choice {
                    Choice::Into(members) => Some((claim.state, members.as_slice())),
                    _ => None,
                }));
            }
            _ => return structure.clone(),
        }
    }
    let inside = |from: u32, set: &[u32]| {
        used.iter().any(|(state, members)| {
            state.index() == from as usize && set.iter().all(|&at| members.contains(&StateId::new(at as usize)))
        })
    };
    let certain = structure.certain.iter().filter(|(from, _, into)| inside(*from, into)).cloned().collect();
    Structure { certain, ..structure.clone() }
}
