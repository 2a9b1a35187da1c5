//! Runs as they are stored: the Informal Trace Format, read for one program.
//!
//! What a file says is checked against the program's names and types, and believed no further: whether it is a run of the program, and what it
//! shows, others find out.

use serde_json::{Value, json};
use tertium_base::Diagnostic;
use tertium_base::narrow::to_i64;
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{ProcessId, Program, Semantics, State, Type, VarId};

/// What a stored run is said to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunClaim {
    /// The name of the question.
    pub property: String,
    /// The formula, or the mistake that should not happen, in words.
    pub formula: String,
    /// The value that it shows the question to have.
    pub value: bool,
    /// Whether only runs count on which the scheduler is fair to every process.
    pub fair: bool,
}

/// The states of a stored run, and where it loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRun {
    /// The states in order.
    pub states: Vec<State>,
    /// The position to which the last one returns.
    pub loop_start: Option<usize>,
    /// The kind of what goes wrong in one more step, with the process and the line of that step.
    pub fails: Option<(String, Option<String>, Option<u64>)>,
    /// Whether it is said to end in a deadlock.
    pub deadlock: bool,
    /// Whether its end is said to be taken again and again although no state repeats.
    pub repeats: bool,
    /// What it is said to show.
    pub claim: Option<RunClaim>,
}

fn mistake(what: impl Into<String>) -> Box<Diagnostic> {
    Diagnostic::error("E0320", what)
        .help("a run of this program is written by `tertium check FILE --evidence DIR`")
        .into()
}

/// Reads the states of a stored run of this program.
///
/// # Errors
/// If the text is no such run.
pub fn read_run(program: &Program, text: &str) -> Result<StoredRun, Box<Diagnostic>> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| mistake(format!("the run is no JSON: {error}")))?;
    let states = document.get("states").and_then(Value::as_array);
    let states = states.ok_or_else(|| mistake("the run has no list of `states`"))?;
    let semantics = Semantics::new(program);
    let read = |(at, entry): (usize, &Value)| read_state(&semantics, entry, at);
    let states: Vec<State> = states.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let position = |start: &Value| start.as_u64().and_then(|start| usize::try_from(start).ok()).unwrap_or(usize::MAX);
    let loop_start = document.get("loop").map(position);
    if states.is_empty() || loop_start.is_some_and(|start| start >= states.len()) {
        return Err(mistake("the run has no states, or loops to one that it does not have"));
    }
    let meta = document.get("#meta").unwrap_or(&Value::Null);
    let failing = &meta["failing-step"];
    let fails = failing["fault"]
        .as_str()
        .map(|kind| (kind.to_owned(), failing["process"].as_str().map(str::to_owned), failing["line"].as_u64()));
    let (deadlock, repeats) = (meta["deadlock"] == json!(true), meta.get("repeats").is_some());
    Ok(StoredRun { states, loop_start, fails, deadlock, repeats, claim: read_claim(&meta["shows"])? })
}

/// What a run is said to show, if anything is said.
fn read_claim(shows: &Value) -> Result<Option<RunClaim>, Box<Diagnostic>> {
    if shows.is_null() {
        return Ok(None);
    }
    let text = |key: &str| shows[key].as_str().map(str::to_owned);
    let claim = text("property").zip(text("formula")).zip(shows["value"].as_bool());
    let ((property, formula), value) =
        claim.ok_or_else(|| mistake("what the run shows (`shows`) lacks its property, formula or value"))?;
    Ok(Some(RunClaim { property, formula, value, fair: shows["fair"] == json!(true) }))
}

fn read_state(semantics: &Semantics<'_>, entry: &Value, at: usize) -> Result<State, Box<Diagnostic>> {
    let (program, layout) = (semantics.program(), semantics.layout());
    let missing = |name: &str| mistake(format!("state {at} of the run has no usable value for `{name}`"));
    if !layout.is_fixed() {
        return stored_slots(semantics, entry).ok_or_else(|| missing("slots"));
    }
    let mut slots = semantics.first_slots().map_err(|_| mistake("the program's initial values cannot be computed"))?;
    for var in program.variable_ids() {
        let name = program.show_variable(var);
        let Some(first) = layout.fixed_slot(program, var) else { continue };
        let cells = entry.get(&name).and_then(|value| read_cells(program, var, value)).ok_or_else(|| missing(&name))?;
        slots[first..first + cells.len()].copy_from_slice(&cells);
    }
    for (pid, instance) in program.instances.iter().enumerate() {
        let name = place_name(program, instance.process);
        let number = entry.get(&name).and_then(Value::as_str).and_then(|text| text.rsplit('#').next()?.parse().ok());
        let number: usize = number.ok_or_else(|| missing(&name))?;
        if number >= program.process(instance.process).locations.len() {
            return Err(missing(&name));
        }
        slots[layout.initial_frames()[pid] + FRAME_LOCATION] = to_i64(number);
    }
    Ok(State::visible(slots))
}

/// The state as it was stored, if its frames are those of processes of the program.
fn stored_slots(semantics: &Semantics<'_>, entry: &Value) -> Option<State> {
    let (program, layout) = (semantics.program(), semantics.layout());
    let slots: Option<Vec<i64>> = entry.get("#meta")?.get("slots")?.as_array()?.iter().map(Value::as_i64).collect();
    let slots = slots?;
    let mut at = layout.global_size();
    while at < slots.len() {
        let process =
            usize::try_from(*slots.get(at + FRAME_PROCESS)?).ok().filter(|&id| id < program.processes.len())?;
        let process = ProcessId::new(process);
        let location = usize::try_from(*slots.get(at + FRAME_LOCATION)?).ok()?;
        if location >= program.process(process).locations.len() {
            return None;
        }
        at += layout.frame_size(process);
    }
    (at == slots.len()).then(|| State::visible(slots))
}

fn read_cells(program: &Program, var: VarId, value: &Value) -> Option<Vec<i64>> {
    let variable = program.variable(var);
    let mut values = vec![value];
    for dimension in &variable.dimensions {
        let mut inner = Vec::new();
        for value in values {
            let pairs = value.get("#map")?.as_array()?;
            if pairs.len() != dimension.len as usize {
                return None;
            }
            for pair in pairs {
                inner.push(pair.as_array()?.get(1)?);
            }
        }
        values = inner;
    }
    values.into_iter().map(|value| read_scalar(program, variable.ty, value)).collect()
}

fn read_scalar(program: &Program, ty: Type, value: &Value) -> Option<i64> {
    let number = match ty {
        Type::Bool => i64::from(value.as_bool()?),
        Type::Enum(id) => {
            let member = value.as_str()?;
            to_i64(program.enumeration(id).members.iter().position(|known| known == member)?)
        }
        _ => match value.get("#bigint") {
            Some(digits) => digits.as_str()?.parse().ok()?,
            None => value.as_i64()?,
        },
    };
    program.admits(ty, number).then_some(number)
}

/// The name under which the place of a process is stored.
#[must_use]
pub fn place_name(program: &Program, process: ProcessId) -> String {
    format!("{}@", program.process(process).name)
}
