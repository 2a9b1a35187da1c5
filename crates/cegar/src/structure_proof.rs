//! Proofs about a structure over abstract states, made from what an answer rests on.
//!
//! The structure is drawn by the kernel from lists, together with the obligations that say that it is an abstraction of the program; an ordinary
//! certificate says what holds of it. What the proof does not use is left out, so that nothing has to be shown for it.

use tertium_base::Budget;
use tertium_check::{Ask, Task};
use tertium_evidence::abstraction::{Abstraction, Structure};
use tertium_evidence::{Certificate, Choice, Deadlock, Place, Proof, Reading, write_structure};
use tertium_kernel::obligations::{Drawn, Obligation, ProofObligations};
use tertium_kernel::programs::question::Subject;
use tertium_kernel::programs::{fairness_fits, lines};
use tertium_kernel::solve::{Decided, Decider, decide};
use tertium_kernel::vocabulary::NoTerm;
use tertium_kernel::{Subject as Kind, check_certificate_of};
use tertium_lattice::Belnap;
use tertium_model::{Kmts, StateId};

use crate::answer::ProgramAnswer;
use crate::options::CheckOptions;
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
        Ok((question, structure)) => question.written(structure, budget),
        Err(why) => Ok(Written::None(why)),
    }
}

/// A question as one about a structure.
struct Question<'a> {
    subject: Subject<'a>,
    asked: &'a PropertyQuery,
    over: &'a Abstraction,
    value: Belnap,
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
        fairness_fits(&subject, structure, value)?;
        let mut structure = structure.clone();
        if !subject.frame.stutter {
            structure.stops.clear();
        }
        Ok((Self { subject, asked, over, value }, structure))
    }

    fn proof_obligations(&self, budget: &Budget) -> Result<ProofObligations<'_, 'a>, String> {
        let file = &self.subject.file;
        ProofObligations::new(&file.program, self.over, lines(file), budget).map_err(|NoTerm(why)| why)
    }

    /// The structure, for whoever looks for a proof.
    fn sketch(&self, structure: &Structure, budget: &Budget) -> Result<Kmts, String> {
        let mut writer = self.proof_obligations(budget)?;
        let sketch = writer.sketch(structure, &self.subject.atoms(), self.subject.frame);
        sketch.map_err(|NoTerm(why)| why)
    }

    /// The structure with what it rests on; of what is false also that the program begins in these states.
    fn drawn(&self, structure: &Structure, states: &[usize], budget: &Budget) -> Result<Drawn, String> {
        let mut writer = self.proof_obligations(budget)?;
        let drawn = writer.draw(structure, &self.subject.atoms(), self.subject.frame);
        let mut drawn = drawn.map_err(|NoTerm(why)| why)?;
        if self.value == Belnap::False {
            for &state in states {
                drawn.obligations.extend(writer.starts_in(state).map_err(|NoTerm(why)| why)?);
            }
        }
        Ok(drawn)
    }

    fn written(&self, structure: Structure, budget: &Budget) -> Result<Written, Failure> {
        let model = match self.sketch(&structure, budget) {
            Ok(model) => model,
            Err(why) => return none(why, budget),
        };
        let proved = match self.proofs(&model, budget)? {
            Ok(proved) if self.value == Belnap::False => self.begun(proved, budget)?,
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
        let states: Vec<usize> = proved.iter().map(|proof| proof.state.index()).collect();
        let Drawn { model, obligations } = match self.drawn(&structure, &states, budget) {
            Ok(drawn) => drawn,
            Err(why) => return none(why, budget),
        };
        if let Decided::Fails(why) = decide(&obligations, &Decider::default(), budget)? {
            return Ok(Written::None(why));
        }
        let (text, stutter) = (self.asked.source.clone(), self.subject.frame.stutter);
        let place = Place::Property { text, stutter, fair: self.subject.everyone };
        let parts: Vec<_> = proved.iter().map(|certificate| (place.clone(), &model, certificate)).collect();
        let mut text = Vec::new();
        write_structure(&mut text, (self.over, &structure), &parts)
            .map_err(|error| Failure::Internal(error.to_string()))?;
        let text = String::from_utf8(text).map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(Written::WithObligations { text, obligations })
    }

    /// The first of several proofs of falsity that is about a state in which the program begins.
    fn begun(&self, proved: Vec<Certificate>, budget: &Budget) -> Result<Result<Vec<Certificate>, String>, Failure> {
        let mut last = "the program begins nowhere".to_owned();
        let mut writer = match self.proof_obligations(budget) {
            Ok(writer) => writer,
            Err(why) => return Ok(Err(why)),
        };
        for certificate in proved {
            match writer.starts_in(certificate.state.index()) {
                Err(NoTerm(why)) => last = why,
                Ok(obligation) => {
                    let obligations: Vec<Obligation> = obligation.into_iter().collect();
                    match decide(&obligations, &Decider::default(), budget)? {
                        Decided::Holds => return Ok(Ok(vec![certificate])),
                        Decided::Fails(why) => last = why,
                    }
                }
            }
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
            prove::recheck((model, Kind::Abstraction), &certificate, &[], budget)?;
            proved.push(certificate);
        }
        if proved.is_empty() {
            return Ok(Err("no initial state of the abstraction shows it".to_owned()));
        }
        Ok(Ok(proved))
    }

    fn accepted(&self, model: &Kmts, proved: &[Certificate], budget: &Budget) -> bool {
        let accepts = |certificate| check_certificate_of(model, Kind::Abstraction, certificate, &[], budget).is_ok();
        proved.iter().all(accepts)
    }
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
