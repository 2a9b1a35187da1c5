//! How is a run stored for other tools, and read again?
//!
//! The Informal Trace Format: one JSON object with `vars`, `states` and, for a lasso, `loop`. Integers are `{"#bigint": "3"}`,
//! enumeration members are strings, arrays are maps from index to value. Where a process is, is the variable `P@`; what led
//! to a state stands in its `#meta`. A run without end on which no state repeats has `repeats` in the `#meta` of the whole: the steps that can be taken again and
//! again, and the condition that lets them. What the run shows stands there as `shows`. Where processes come and go, names do not say everything, so that the state as it is stored
//! stands there too, as `slots`.

use serde_json::{Map, Value, json};
use tertium_base::narrow::{to_i64, to_usize};
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{Dimension, LocationId, ProcessId, Program, Semantics, State, Type};

use crate::run::{Repeats, Run};
use crate::wording::{self, tell, tell_fault};
use tertium_load::Failure;
use tertium_load::ProgramFile;

pub use tertium_evidence::itf::{RunClaim as Claim, StoredRun as Stored, place_name, read_run};

/// Reads the states of a stored run of this program.
///
/// # Errors
/// If the text is no such run.
pub fn read(file: &ProgramFile, text: &str) -> Result<Stored, Failure> {
    read_run(&file.program, text).map_err(|mistake| Failure::from(*mistake))
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
        return wording::values(semantics, state).into_iter().map(|(name, value)| (name, json!(value))).collect();
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
        let process = ProcessId::new(to_usize(state.slots[frame + FRAME_PROCESS]));
        let at = LocationId::new(to_usize(state.slots[frame + FRAME_LOCATION]));
        all.push((place_name(program, process), json!(location(program, process, at))));
    }
    all
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
        |(at, part): (usize, &[Value])| json!([{"#bigint": (first.lo + to_i64(at)).to_string()}, nested(rest, part)]);
    let pairs: Vec<Value> = cells.chunks(size.max(1)).enumerate().map(pair).collect();
    json!({"#map": pairs})
}
