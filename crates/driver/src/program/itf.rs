//! How is a run stored for other tools, and read again?
//!
//! The Informal Trace Format: one JSON object with `vars`, `states` and, for a lasso, `loop`. Integers are `{"#bigint": "3"}`,
//! enumeration members are strings, arrays are maps from index to value. Where a process is, is the variable `P@`; what led
//! to a state stands in its `#meta`. A run without end on which no state repeats has `repeats` in the `#meta` of the whole: the steps that can be taken again and
//! again, and the condition that lets them. What the run shows stands there as `shows`. Where processes come and go, names do not say everything, so that the state as it is stored
//! stands there too, as `slots`.

use serde_json::{Map, Value, json};
use tertium_base::Diagnostic;
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{Dimension, LocationId, ProcessId, Program, Semantics, State, Type, VarId};

use super::ProgramFile;
use super::answer::Repeats;
use super::run::{Run, tell, tell_fault};
use crate::failure::Failure;

/// What a stored run is said to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The name of the question.
    pub property: String,
    /// The formula, or the mistake that should not happen, in words.
    pub formula: String,
    /// The value that it shows the question to have.
    pub value: bool,
    /// Whether only runs count on which the scheduler is fair to every process.
    pub fair: bool,
}

/// A run as one document, with what it shows if that is known; `repeats` says why its end can be taken for ever although no
/// state of it repeats.
#[must_use]
pub fn document(file: &ProgramFile, run: &Run, claim: Option<&Claim>, repeats: Option<&Repeats>) -> String {
    let semantics = Semantics::new(&file.program);
    // The last state of a lasso is the one that it returns to.
    let count = run.steps.len() + 1 - usize::from(run.loop_start.is_some());
    let mut states = Vec::new();
    for (at, state) in run.states().take(count).enumerate() {
        let mut meta = Map::from_iter([("index".to_owned(), json!(at))]);
        if let Some(before) = at.checked_sub(1) {
            add_step(file, &run.steps[before].moves, &mut meta);
        }
        if !semantics.layout().is_fixed() {
            meta.insert("slots".to_owned(), json!(state.slots));
        }
        let mut entry = Map::from_iter([("#meta".to_owned(), Value::Object(meta))]);
        entry.extend(values(&semantics, state));
        states.push(Value::Object(entry));
    }
    let mut meta = Map::from_iter([
        ("format".to_owned(), json!("ITF")),
        ("description".to_owned(), json!(description(file, claim))),
        ("source".to_owned(), json!(file.file)),
    ]);
    if let Some(Claim { property, formula, value, fair }) = claim {
        let shows = json!({"property": property, "formula": formula, "value": value, "fair": fair});
        meta.insert("shows".to_owned(), shows);
    }
    if let (Some(_), Some(last)) = (run.loop_start, run.steps.last()) {
        let mut closing = Map::new();
        add_step(file, &last.moves, &mut closing);
        meta.insert("closing-step".to_owned(), Value::Object(closing));
    }
    if let Some((moves, fault)) = &run.fault {
        let mut failing = Map::new();
        add_step(file, moves, &mut failing);
        failing.insert("fault".to_owned(), json!(fault.kind.name()));
        failing.insert("message".to_owned(), json!(tell_fault(&file.program, fault)));
        meta.insert("failing-step".to_owned(), Value::Object(failing));
    }
    if run.deadlock {
        meta.insert("deadlock".to_owned(), json!(true));
    }
    if let Some(repeats) = repeats {
        let Repeats { start, length, whenever } = repeats;
        meta.insert("repeats".to_owned(), json!({"from": start, "steps": length, "whenever": whenever}));
    }
    if !file.sizes.is_empty() {
        meta.insert("constants".to_owned(), json!(file.sizes));
    }
    let vars: Vec<String> = values(&semantics, &run.first).into_iter().map(|(name, _)| name).collect();
    let mut whole = Map::from_iter([
        ("#meta".to_owned(), Value::Object(meta)),
        ("vars".to_owned(), json!(vars)),
        ("states".to_owned(), Value::Array(states)),
    ]);
    if let Some(start) = run.loop_start {
        whole.insert("loop".to_owned(), json!(start));
    }
    let mut text = serde_json::to_string_pretty(&Value::Object(whole)).unwrap_or_default();
    text.push('\n');
    text
}

fn description(file: &ProgramFile, claim: Option<&Claim>) -> String {
    let name = &file.program.name;
    match claim {
        Some(claim) => format!("a run of `{name}` found for `{}`", claim.property),
        None => format!("a run of `{name}`"),
    }
}

fn add_step(file: &ProgramFile, moves: &[tertium_program::Move], meta: &mut Map<String, Value>) {
    if let Some(told) = tell(file, moves) {
        meta.insert("process".to_owned(), json!(told.process));
        meta.insert("line".to_owned(), json!(told.line));
        meta.insert("statement".to_owned(), json!(told.statement));
    }
}

/// A state as ITF values by name.
fn values(semantics: &Semantics<'_>, state: &State) -> Vec<(String, Value)> {
    let (program, layout) = (semantics.program(), semantics.layout());
    if !layout.is_fixed() {
        return super::run::values(semantics, state).into_iter().map(|(name, value)| (name, json!(value))).collect();
    }
    let mut all = Vec::new();
    for var in program.variable_ids() {
        let Some(first) = layout.fixed_slot(program, var) else { continue };
        let variable = program.variable(var);
        let cells: Vec<Value> = (state.slots[first..first + variable.cells()].iter())
            .map(|&value| scalar(program, variable.ty, value))
            .collect();
        all.push((program.show_variable(var), nested(&variable.dimensions, &cells)));
    }
    for frame in layout.frames(&state.slots) {
        let process = ProcessId::new(state.slots[frame + FRAME_PROCESS] as usize);
        let at = LocationId::new(state.slots[frame + FRAME_LOCATION] as usize);
        all.push((place_name(program, process), json!(location(program, process, at))));
    }
    all
}

fn place_name(program: &Program, process: ProcessId) -> String {
    format!("{}@", program.process(process).name)
}

/// The label and the number, since labels alone may be missing or shared.
fn location(program: &Program, process: ProcessId, at: LocationId) -> String {
    match program.location(process, at).labels.first() {
        Some(label) => format!("{label}#{}", at.index()),
        None => format!("#{}", at.index()),
    }
}

fn scalar(program: &Program, ty: Type, value: i64) -> Value {
    match ty {
        Type::Bool => json!(value != 0),
        Type::Enum(_) => json!(program.show_value(ty, value)),
        _ => json!({"#bigint": value.to_string()}),
    }
}

fn nested(dimensions: &[Dimension], cells: &[Value]) -> Value {
    let Some((first, rest)) = dimensions.split_first() else {
        return cells.first().cloned().unwrap_or(Value::Null);
    };
    let size = cells.len() / first.len as usize;
    let pair =
        |(at, part): (usize, &[Value])| json!([{"#bigint": (first.lo + at as i64).to_string()}, nested(rest, part)]);
    let pairs: Vec<Value> = cells.chunks(size.max(1)).enumerate().map(pair).collect();
    json!({"#map": pairs})
}

/// The states of a stored run, and where it loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
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
    pub claim: Option<Claim>,
}

fn mistake(what: impl Into<String>) -> Failure {
    Diagnostic::error("E0320", what)
        .help("a run of this program is written by `tertium check FILE --evidence DIR`")
        .into()
}

/// Reads the states of a stored run of this program.
///
/// # Errors
/// If the text is no such run.
pub fn read(file: &ProgramFile, text: &str) -> Result<Stored, Failure> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| mistake(format!("the run is no JSON: {error}")))?;
    let states = document.get("states").and_then(Value::as_array);
    let states = states.ok_or_else(|| mistake("the run has no list of `states`"))?;
    let semantics = Semantics::new(&file.program);
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
    Ok(Stored { states, loop_start, fails, deadlock, repeats, claim: read_claim(&meta["shows"])? })
}

/// What a run is said to show, if anything is said.
fn read_claim(shows: &Value) -> Result<Option<Claim>, Failure> {
    if shows.is_null() {
        return Ok(None);
    }
    let text = |key: &str| shows[key].as_str().map(str::to_owned);
    let claim = text("property").zip(text("formula")).zip(shows["value"].as_bool());
    let ((property, formula), value) =
        claim.ok_or_else(|| mistake("what the run shows (`shows`) lacks its property, formula or value"))?;
    Ok(Some(Claim { property, formula, value, fair: shows["fair"] == json!(true) }))
}

fn read_state(semantics: &Semantics<'_>, entry: &Value, at: usize) -> Result<State, Failure> {
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
        slots[layout.initial_frames()[pid] + FRAME_LOCATION] = number as i64;
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
        let process = usize::try_from(slots[at + FRAME_PROCESS]).ok().filter(|&id| id < program.processes.len())?;
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
            program.enumeration(id).members.iter().position(|known| known == member)? as i64
        }
        _ => match value.get("#bigint") {
            Some(digits) => digits.as_str()?.parse().ok()?,
            None => value.as_i64()?,
        },
    };
    program.admits(ty, number).then_some(number)
}
