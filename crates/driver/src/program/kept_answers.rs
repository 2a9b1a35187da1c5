//! Which answers are written down, and taken over by a run that goes on?
//!
//! A definite answer is written when it is there, as one record of the run's folder, which holds for one version, one text of the model and one set of options. Before
//! such an answer is taken over its run is repeated by the definition of a step and must show the answer, as any run that an engine has found. What an answer rests on without a run
//! (abstract states, a structure over them) is not written: where a certificate is wanted it is decided again. So is whatever cannot be written as it is told.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tertium_base::{Diagnostic, Severity};
use tertium_cegar::answer::{Cost, OnDemand, Repeats, Round, STUTTER, SolverWork, Vacuity};
use tertium_cegar::parameterised::Sizes;
use tertium_evidence::Deadlock;
use tertium_evidence::provenance::Provenance;
use tertium_explore::search::checkpoint_folder::{CheckpointFolder, RecordKind};
use tertium_lattice::Belnap;
use tertium_program::{Move, Outcome, ProcessId, Semantics, StepId, VarId};
use tertium_statespace::branching::DEPENDS_ON_ENDS;
use tertium_structures::vacuity::{NOT_KNOWN, VACUOUS};
use tertium_trace::itf;
use tertium_trace::run::{Run, execute, goes_on};
use tertium_trace::simulate::Simulator;

use super::answer::ProgramAnswer;
use super::questions::Question;
use super::run_confirmation::must_show;
use super::{ProgramFile, State};

/// Warnings that answers have without a place in the text. An answer with any other is decided again.
const WARNINGS: [&str; 3] = [VACUOUS, NOT_KNOWN, DEPENDS_ON_ENDS];

/// What a state without successors can mean, as answers tell it.
fn deadlock_named(name: &str) -> Option<&'static str> {
    let all = Deadlock::ALL.map(Deadlock::name);
    all.into_iter().chain([STUTTER]).find(|known| *known == name)
}

fn identity(question: &Question) -> String {
    let about = ProgramAnswer::about(question);
    format!("{}: {} ({})", about.name, about.formula, about.logic)
}

/// Writes a definite answer down, if all that is told of it can be.
pub fn keep(folder: &CheckpointFolder, file: &ProgramFile, question: &Question, answer: &ProgramAnswer) {
    if let Some(record) = written(file, answer) {
        folder.keep(RecordKind::Answer, &identity(question), record.to_string().as_bytes());
    }
}

/// The answer that is written down, if there is one that can be taken over; with `proofs` only one from which a certificate can be made.
#[must_use]
pub fn kept(folder: &CheckpointFolder, file: &ProgramFile, question: &Question, proofs: bool) -> Option<ProgramAnswer> {
    let record = folder.kept(RecordKind::Answer, &identity(question))?;
    let record: Value = serde_json::from_slice(&record).ok()?;
    if proofs && record["rests"] == json!(true) {
        return None;
    }
    let answer = read(file, question, &record)?;
    must_show(file, question, &answer).is_ok().then_some(answer)
}

fn written(file: &ProgramFile, answer: &ProgramAnswer) -> Option<Value> {
    let evidence = answer.verdict.evidence().filter(|_| answer.verdict.is_definite())?;
    let plain = |warning: &Diagnostic| {
        let is_placed = warning.primary.is_some() || !warning.secondary.is_empty();
        (!is_placed && warning.severity != Severity::Error && WARNINGS.contains(&warning.code)).then(|| {
            let weight = warning.severity == Severity::Warning;
            json!([warning.code, weight, warning.message, warning.notes, warning.helps])
        })
    };
    let warnings: Vec<Value> = answer.warnings.iter().map(plain).collect::<Option<_>>()?;
    let is_whole = evidence.system.is_none()
        && answer.condition.is_empty()
        && answer.failing_case.is_none()
        && answer.fails_from.is_none();
    if !is_whole {
        return None;
    }
    let run = evidence.run.as_ref().map(|run| {
        let moves: Vec<Value> = run.steps.iter().map(|taken| moves_written(&taken.moves)).collect();
        let failing = run.fault.as_ref().map(|(moves, _)| moves_written(moves));
        json!({"states": itf::document(file, run, None, None), "moves": moves, "failing": failing})
    });
    let repeats = evidence.repeats.as_ref().map(|repeats| json!([repeats.start, repeats.length, repeats.whenever]));
    let sizes = answer.sizes.as_ref().map(|sizes| json!([sizes.constant, sizes.least, sizes.value, sizes.held]));
    Some(json!({
        "value": answer.value() == Belnap::True,
        "deadlock": answer.deadlock,
        "provenance": answer.provenance,
        "cost": cost_written(&answer.cost),
        "choice": answer.choice,
        "rounds": answer.rounds.iter().map(round_written).collect::<Vec<_>>(),
        "established": answer.established,
        "left_out": answer.left_out.iter().map(|var| var.index()).collect::<Vec<_>>(),
        "idle": answer.idle.iter().map(|process| process.index()).collect::<Vec<_>>(),
        "spotlight": answer.spotlight,
        "sizes": sizes,
        "vacuity": format!("{:?}", answer.vacuity),
        "warnings": warnings,
        "run": run,
        "repeats": repeats,
        "ranking": evidence.ranking,
        "rests": evidence.basis.is_some(),
    }))
}

fn moves_written(moves: &[Move]) -> Value {
    let one = |mv: &Move| {
        let partner = mv.partner.map(|(pid, step)| (u64::from(pid), step.index()));
        json!([mv.pid, mv.step.index(), mv.inputs, partner])
    };
    moves.iter().map(one).collect()
}

fn cost_written(cost: &Cost) -> Value {
    let solver = cost.solver.map(|work| [work.predicates, work.calls, work.recalled]);
    let on_demand = cost.on_demand.map(|on_demand| [on_demand.made, on_demand.left]);
    let micros = u64::try_from(cost.elapsed.as_micros()).unwrap_or(u64::MAX);
    json!([cost.states, cost.transitions, cost.refinements, micros, solver, on_demand])
}

fn round_written(round: &Round) -> Value {
    json!([round.predicates, round.processes, round.parameters, round.states, round.calls, round.open])
}

fn read(file: &ProgramFile, question: &Question, record: &Value) -> Option<ProgramAnswer> {
    let mut answer = ProgramAnswer::about(question);
    answer.verdict.settle(record["value"].as_bool()?.into());
    answer.deadlock = deadlock_named(record["deadlock"].as_str()?)?;
    answer.provenance = serde_json::from_value::<Provenance>(record["provenance"].clone()).ok()?;
    answer.cost = cost_read(&record["cost"])?;
    answer.choice = optional(&record["choice"])?;
    answer.rounds = record["rounds"].as_array()?.iter().map(round_read).collect::<Option<_>>()?;
    answer.established = texts(&record["established"])?;
    answer.left_out = ids(&record["left_out"], file.program.variables.len(), VarId::new)?;
    answer.idle = ids(&record["idle"], file.program.processes.len(), ProcessId::new)?;
    answer.spotlight = match &record["spotlight"] {
        Value::Null => None,
        names => Some(texts(names)?),
    };
    answer.sizes = match &record["sizes"] {
        Value::Null => None,
        sizes => Some(sizes_read(sizes)?),
    };
    let vacuities = [Vacuity::NotSought, Vacuity::NotFound, Vacuity::Vacuous, Vacuity::NoInitialState];
    answer.vacuity = vacuities.into_iter().find(|vacuity| record["vacuity"] == format!("{vacuity:?}"))?;
    answer.warnings = record["warnings"].as_array()?.iter().map(warning_read).collect::<Option<_>>()?;
    let run = match &record["run"] {
        Value::Null => None,
        run => Some(run_read(file, run)?),
    };
    let repeats = match &record["repeats"] {
        Value::Null => None,
        repeats => {
            Some(Repeats { start: count(&repeats[0])?, length: count(&repeats[1])?, whenever: texts(&repeats[2])? })
        }
    };
    let ranking = texts(&record["ranking"])?;
    answer.show(|evidence| (evidence.run, evidence.repeats, evidence.ranking) = (run, repeats, ranking));
    Some(answer)
}

fn count(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Nothing, or a text.
fn optional(value: &Value) -> Option<Option<String>> {
    match value {
        Value::Null => Some(None),
        text => text.as_str().map(|text| Some(text.to_owned())),
    }
}

/// Ids by number, all below `most`.
fn ids<Id: Ord>(value: &Value, most: usize, new: fn(usize) -> Id) -> Option<BTreeSet<Id>> {
    let one = |number: &Value| count(number).filter(|number| *number < most).map(new);
    value.as_array()?.iter().map(one).collect()
}

fn cost_read(value: &Value) -> Option<Cost> {
    let numbers = |value: &Value, many: usize| -> Option<Vec<usize>> {
        value.as_array().filter(|all| all.len() == many)?.iter().map(count).collect()
    };
    let solver = match &value[4] {
        Value::Null => None,
        work => numbers(work, 3).map(|work| SolverWork { predicates: work[0], calls: work[1], recalled: work[2] }),
    };
    let on_demand = match &value[5] {
        Value::Null => None,
        made => numbers(made, 2).map(|made| OnDemand { made: made[0], left: made[1] }),
    };
    Some(Cost {
        states: count(&value[0])?,
        transitions: count(&value[1])?,
        refinements: count(&value[2])?,
        elapsed: Duration::from_micros(value[3].as_u64()?),
        solver,
        on_demand,
    })
}

fn round_read(value: &Value) -> Option<Round> {
    Some(Round {
        predicates: texts(&value[0])?,
        processes: texts(&value[1])?,
        parameters: count(&value[2])?,
        states: count(&value[3])?,
        calls: count(&value[4])?,
        open: optional(&value[5])?,
    })
}

fn sizes_read(value: &Value) -> Option<Sizes> {
    Some(Sizes {
        constant: value[0].as_str()?.to_owned(),
        least: value[1].as_i64()?,
        value: match &value[2] {
            Value::Null => None,
            number => Some(number.as_i64()?),
        },
        held: value[3].as_array()?.iter().map(Value::as_i64).collect::<Option<_>>()?,
    })
}

fn warning_read(value: &Value) -> Option<Diagnostic> {
    let code = WARNINGS.into_iter().find(|code| value[0] == *code)?;
    let message = value[2].as_str()?;
    let mut warning = match value[1].as_bool()? {
        true => Diagnostic::warning(code, message),
        false => Diagnostic::note_only(code, message),
    };
    (warning.notes, warning.helps) = (texts(&value[3])?, texts(&value[4])?);
    Some(warning)
}

/// The run, repeated; none if it cannot be.
fn run_read(file: &ProgramFile, value: &Value) -> Option<Run> {
    let stored = itf::read(file, value["states"].as_str()?).ok()?;
    let mut simulator = Simulator::along(file, &stored);
    simulator.replay(&stored).ok()?;
    let mut run = simulator.run().clone();
    run.deadlock = stored.deadlock;
    let (semantics, moves) = (super::semantics(file), value["moves"].as_array()?);
    if moves.len() != run.steps.len() {
        return None;
    }
    // Of several ways from one state to the next the one that was told is told again.
    let mut from = run.first.clone();
    for (taken, moves) in run.steps.iter_mut().zip(moves) {
        let moves = moves_read(file, moves)?;
        if moves != taken.moves && leads(&semantics, &from, &moves, &taken.state) {
            taken.moves = moves;
        }
        from = taken.state.clone();
    }
    if let (Some((moves, fault)), Some(told)) = (&mut run.fault, moves_read(file, &value["failing"])) {
        let is_told = |outcome: &Outcome| matches!(outcome, Outcome::Fault { fault: found, .. } if found.kind.name() == fault.kind.name());
        let same = semantics.successors(&from).into_iter().find(|next| next.moves == told && is_told(&next.outcome));
        if let Some(Outcome::Fault { fault: found, .. }) = same.map(|next| next.outcome) {
            (*moves, *fault) = (told, found);
        }
    }
    Some(run)
}

fn leads(semantics: &Semantics<'_>, from: &State, moves: &[Move], to: &State) -> bool {
    let Ok(outcome) = execute(semantics, from, moves) else { return false };
    !moves.is_empty() && goes_on(semantics, &outcome).is_some_and(|state| State::visible(state.slots.clone()) == *to)
}

/// Moves by number; none if the program has no such step.
fn moves_read(file: &ProgramFile, value: &Value) -> Option<Vec<Move>> {
    let pid = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let step = |value: &Value| count(value).filter(|step| *step < file.program.steps.len()).map(StepId::new);
    let one = |value: &Value| {
        let partner = match &value[3] {
            Value::Null => None,
            partner => Some((pid(&partner[0])?, step(&partner[1])?)),
        };
        let inputs = value[2].as_array()?.iter().map(Value::as_i64).collect::<Option<_>>()?;
        Some(Move { pid: pid(&value[0])?, step: step(&value[1])?, inputs, partner })
    };
    value.as_array()?.iter().map(one).collect()
}
