//! Proofs about a structure over abstract states: made from what an answer rests on, and checked against the program.
//!
//! The structure is drawn by `tertium_evidence` from lists; obligations say that it is an abstraction of the program, and an ordinary
//! certificate says what holds of it. What the proof does not use is left out, so that nothing has to be shown for it.

use std::borrow::Cow;

use tertium_base::Budget;
use tertium_check::{Ask, Task};
use tertium_evidence::abstraction::{Abstraction, Frame, Grounds, NoTerm, Obligation, Structure};
use tertium_evidence::{Certificate, Choice, Deadlock, Place, Proof, Reading, check_certificate_with, write_structure};
use tertium_lattice::Belnap;
use tertium_logic::Logic;
use tertium_model::{Kmts, StateId};
use tertium_program::Fairness;

use super::check::CheckOptions;
use super::grounded::{self, Decider, Verdict, lines};
use super::proof::{Written, fair_to_all};
use super::questions::Asked;
use super::{ProgramAnswer, ProgramFile};
use crate::check::bound;
use crate::engines::{self, EngineChoice};
use crate::failure::Failure;
use crate::prove;

/// Writes the certificate of a definite answer that was found on a structure over abstract states.
///
/// # Errors
/// If a limit is reached.
pub(super) fn certificate(
    file: &ProgramFile,
    asked: &Asked,
    answer: &ProgramAnswer,
    (over, structure): (&Abstraction, &Structure),
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Written, Failure> {
    match Question::about(file, asked, (over, structure), answer.value, options) {
        Ok((question, structure)) => question.written(structure, budget),
        Err(why) => Ok(Written::None(why)),
    }
}

/// Whether a structure over abstract states shows that a property is true.
///
/// # Errors
/// If a limit is reached.
pub(super) fn shows(
    file: &ProgramFile,
    asked: &Asked,
    (over, structure): (&Abstraction, &Structure),
    options: &CheckOptions,
    budget: &Budget,
) -> Result<bool, Failure> {
    let Ok((question, structure)) = Question::about(file, asked, (over, structure), Belnap::True, options) else {
        return Ok(false);
    };
    let Ok(model) = question.model(&structure) else { return Ok(false) };
    Ok(question.proofs(&model, budget)?.is_ok())
}

fn speaks_of_paths(logic: Logic) -> bool {
    matches!(logic, Logic::Ctl | Logic::CtlStar | Logic::Ltl)
}

/// Why fairness is in the way: strong fairness is known to linear formulas that are true, and to no others.
fn unfair(file: &ProgramFile, structure: &Structure, (logic, value): (Logic, Belnap), stutter: bool) -> Option<String> {
    let strong = file.program.processes.iter().any(|process| process.fairness == Fairness::Strong);
    let linear = logic == Logic::Ltl && value == Belnap::True;
    if structure.makes_promises() && !linear {
        return Some("what cannot go on for ever shows only that linear formulas are true (E0610)".to_owned());
    }
    // A path that ends keeps no promise of what happens again and again, and would be left out.
    if structure.makes_promises() && !stutter {
        return Some("what cannot go on for ever needs runs that end to stay where they are (E0610)".to_owned());
    }
    (strong && speaks_of_paths(logic) && !linear)
        .then(|| "strong fairness cannot be written as constraints on edges".to_owned())
}

/// A question as one about a structure.
struct Question<'a> {
    file: Cow<'a, ProgramFile>,
    asked: &'a Asked,
    over: &'a Abstraction,
    frame: Frame,
    reading: Reading,
    value: Belnap,
    everyone: bool,
}

impl<'a> Question<'a> {
    /// The question, and the structure without what does not matter to it; why there can be no proof.
    fn about(
        file: &'a ProgramFile,
        asked: &'a Asked,
        (over, structure): (&'a Abstraction, &Structure),
        value: Belnap,
        options: &CheckOptions,
    ) -> Result<(Self, Structure), String> {
        let mut file = Cow::Borrowed(file);
        if options.fair {
            fair_to_all(&mut file.to_mut().program);
        }
        let fair = file.program.processes.iter().any(|process| process.fairness != Fairness::None);
        let logic = asked.formula.logic();
        let stutter = options.deadlock.is_none()
            && (matches!(logic, Logic::Ltl | Logic::CtlStar) || (logic == Logic::Ctl && fair));
        let frame = Frame { fair: speaks_of_paths(logic), stutter };
        if let Some(why) = unfair(&file, structure, (logic, value), frame.stutter) {
            return Err(why);
        }
        let mut reading = Reading { deadlock: options.deadlock.unwrap_or(Deadlock::Mu), ..Reading::default() };
        reading.linear = options.linear.unwrap_or(reading.linear);
        let mut structure = structure.clone();
        if !frame.stutter {
            structure.stops.clear();
        }
        Ok((Self { file, asked, over, frame, reading, value, everyone: options.fair }, structure))
    }

    fn atoms(&self) -> Vec<String> {
        self.asked.formula.atoms().iter().map(|atom| atom.text.clone()).collect()
    }

    fn model(&self, structure: &Structure) -> Result<Kmts, String> {
        structure.model(&self.file.program, &self.over.later, &self.atoms(), self.frame).map_err(|NoTerm(why)| why)
    }

    fn written(&self, structure: Structure, budget: &Budget) -> Result<Written, Failure> {
        let model = match self.model(&structure) {
            Ok(model) => model,
            Err(why) => return Ok(Written::None(why)),
        };
        let proved = match self.proofs(&model, budget)? {
            Ok(proved) if self.value == Belnap::False => self.begun(proved, budget)?,
            proved => proved,
        };
        let proved = match proved {
            Ok(proved) => proved,
            Err(why) => return Ok(Written::None(why)),
        };
        let pruned = pruned(&structure, &proved, self.reading);
        let (structure, model) = match self.model(&pruned) {
            Ok(smaller) if self.accepted(&smaller, &proved, budget) => (pruned, smaller),
            _ => (structure, model),
        };
        let obligations = match obligations(&self.file, self.over, &structure, self.asked, self.frame) {
            Ok(obligations) => obligations,
            Err(why) => return Ok(Written::None(why)),
        };
        let states: Vec<usize> = proved.iter().map(|proof| proof.state.index()).collect();
        let starts = if self.value == Belnap::False { starts(&self.file, self.over, &states) } else { Ok(Vec::new()) };
        let obligations = match starts {
            Ok(starts) => obligations.into_iter().chain(starts).collect::<Vec<_>>(),
            Err(why) => return Ok(Written::None(why)),
        };
        if let Verdict::Fails(why) = grounded::decide(&obligations, &Decider::default(), budget)? {
            return Ok(Written::None(why));
        }
        let (text, stutter) = (self.asked.source.clone(), self.frame.stutter);
        let place = Place::Property { text, stutter, fair: self.everyone };
        let parts: Vec<_> = proved.iter().map(|certificate| (place.clone(), &model, certificate)).collect();
        let mut text = Vec::new();
        write_structure(&mut text, (self.over, &structure), &parts)
            .map_err(|error| Failure::Internal(error.to_string()))?;
        let text = String::from_utf8(text).map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(Written::Grounded { text, obligations })
    }

    /// The first of several proofs of falsity that is about a state in which the program begins.
    fn begun(&self, proved: Vec<Certificate>, budget: &Budget) -> Result<Result<Vec<Certificate>, String>, Failure> {
        let mut last = "the program begins nowhere".to_owned();
        for certificate in proved {
            match starts(&self.file, self.over, &[certificate.state.index()]) {
                Err(why) => last = why,
                Ok(obligations) => match grounded::decide(&obligations, &Decider::default(), budget)? {
                    Verdict::Holds => return Ok(Ok(vec![certificate])),
                    Verdict::Fails(why) => last = why,
                },
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
            let task = bound(Task::new(model, &formula, self.reading, Ask::At(&ask), budget))?;
            let (_, values) = engines::evaluate(&task, EngineChoice::Auto)?;
            if values.at(state) != self.value {
                if self.value == Belnap::True {
                    return Ok(Err("what it rests on proves it only together with more".to_owned()));
                }
                continue;
            }
            let certificate = prove::certificate(&task, &self.asked.formula, state, self.value)?;
            prove::recheck(model, &certificate, &[], budget)?;
            proved.push(certificate);
        }
        if proved.is_empty() {
            return Ok(Err("no initial state of the abstraction shows it".to_owned()));
        }
        Ok(Ok(proved))
    }

    fn accepted(&self, model: &Kmts, proved: &[Certificate], budget: &Budget) -> bool {
        proved.iter().all(|certificate| check_certificate_with(model, certificate, &[], budget).is_ok())
    }
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

/// The obligations of a structure; why it proves nothing, if it does not fit.
pub(super) fn obligations(
    file: &ProgramFile,
    over: &Abstraction,
    structure: &Structure,
    asked: &Asked,
    frame: Frame,
) -> Result<Vec<Obligation>, String> {
    let no_term = |NoTerm(why): NoTerm| why;
    let mut needed = structure.clone();
    // Who is able to step matters to fairness only.
    let fair: Vec<u32> = (0..file.program.instances.len() as u32)
        .filter(|&pid| file.program.process(file.program.instances[pid as usize].process).fairness != Fairness::None)
        .collect();
    for (_, who) in &mut needed.able {
        who.retain(|pid| frame.fair && fair.contains(pid));
    }
    let mut grounds = Grounds::new(&file.program, over, lines(file)).map_err(no_term)?;
    grounds.structure(&needed, &asked.atoms, frame).map_err(no_term)
}

/// That the program begins in these states, of which something is false.
pub(super) fn starts(file: &ProgramFile, over: &Abstraction, states: &[usize]) -> Result<Vec<Obligation>, String> {
    let no_term = |NoTerm(why): NoTerm| why;
    let mut grounds = Grounds::new(&file.program, over, lines(file)).map_err(no_term)?;
    let mut found = Vec::new();
    for &state in states {
        found.extend(grounds.starts_in(state).map_err(no_term)?);
    }
    Ok(found)
}

/// Why a structure is refused beside its obligations: what it is asked for is not what it can show.
pub(super) fn frame(
    file: &ProgramFile,
    structure: &Structure,
    (logic, value): (Logic, Belnap),
    stutter: bool,
) -> Result<Frame, String> {
    match unfair(file, structure, (logic, value), stutter) {
        Some(why) => Err(why),
        None => Ok(Frame { fair: speaks_of_paths(logic), stutter }),
    }
}
