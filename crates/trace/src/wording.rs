//! How are steps, faults and states told in the words of the program's text?
//!
//! A step is told by who makes it, in which line and with which statement; a state by the names and values of what it holds.

use tertium_base::narrow::{low_half, to_i64, to_usize};
use tertium_evidence::unknown::Reason;
use tertium_load::ProgramFile;
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{
    Action, Context, Expr, ExprId, Fault, FaultKind, InitialValue, LocationId, Move, NoInitialStates, Outcome,
    ProcessId, Program, Semantics, Slot, State, StepId, Type,
};

/// A step as people read it: who, in which line, what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepNarration {
    /// The process's name.
    pub process: String,
    /// The line of its first statement, counted from 1.
    pub line: usize,
    /// The file of its first statement, unless it is the model's own.
    pub file: Option<String>,
    /// The statements, inputs with their values.
    pub statement: String,
    /// The process that takes part without having begun.
    pub partner: Option<String>,
}

/// Statements of a block beyond this many are counted only.
const MOST_STATEMENTS: usize = 6;

/// Tells a step.
#[must_use]
pub fn tell(file: &ProgramFile, moves: &[Move]) -> Option<StepNarration> {
    let program = &file.program;
    let first = moves.first()?;
    let process = file.process_name(program.step(first.step).process, first.pid);
    let line = file.line(program.step(first.step).span);
    let mut parts: Vec<String> =
        moves.iter().take(MOST_STATEMENTS).map(|mv| joint_statement(file, first.pid, mv)).collect();
    if moves.len() > MOST_STATEMENTS {
        parts.push(format!("... ({} more)", moves.len() - MOST_STATEMENTS));
    }
    let met = moves.iter().find_map(|mv| mv.partner);
    let partner = met.map(|(pid, step)| file.process_name(program.step(step).process, pid));
    let place = file.other_file(program.step(first.step).span);
    Some(StepNarration { process, line, file: place, statement: parts.join("; "), partner })
}

/// What the moves from a state print, one after the other.
#[must_use]
pub fn printed(semantics: &Semantics<'_>, from: &State, moves: &[Move]) -> String {
    let program = semantics.program();
    let (mut now, mut text) = (from.clone(), String::new());
    for mv in moves {
        if let Action::Print { format, values } = &program.step(mv.step).action {
            let frames = semantics.layout().frames(&now.slots);
            let me = Some(mv.pid as usize);
            let context = Context { me, ..semantics.observer(&now.slots, &frames) };
            let values: Vec<(ExprId, i64)> =
                values.iter().map(|&value| (value, semantics.value(value, &context).unwrap_or(0))).collect();
            text.push_str(&formatted(program, format, &values));
        }
        match semantics.execute(&now, mv) {
            Some(Outcome::Next(next) | Outcome::Fault { next: Some(next), .. }) => now = next,
            _ => break,
        }
    }
    text
}

/// How C prints a value as unsigned: the bits of an `int`.
fn unsigned(value: i64) -> u32 {
    low_half(value.cast_unsigned())
}

/// A format with its values: `%d`, `%u`, `%c`, `%x`, `%o` and `%e` for names.
fn formatted(program: &Program, format: &str, values: &[(ExprId, i64)]) -> String {
    let (mut text, mut letters, mut values) = (String::new(), format.chars(), values.iter());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => {}
            },
            '%' => {
                let Some(kind) = letters.next() else { break };
                let Some(&(expr, value)) = values.next().filter(|_| kind != '%') else {
                    text.push('%');
                    continue;
                };
                match kind {
                    'c' => text.extend(u32::try_from(value).ok().and_then(char::from_u32)),
                    'x' => text.push_str(&format!("{:x}", unsigned(value))),
                    'o' => text.push_str(&format!("{:o}", unsigned(value))),
                    'u' => text.push_str(&unsigned(value).to_string()),
                    'e' => text.push_str(&value_name(program, expr, value)),
                    _ => text.push_str(&value.to_string()),
                }
            }
            other => text.push(other),
        }
    }
    text
}

/// The name of a value, from the type of the variable it was read from or else the first enumeration.
fn value_name(program: &Program, expr: ExprId, value: i64) -> String {
    let ty = match program.exprs.get(expr) {
        Expr::Var(var) | Expr::Element(var, _) => Some(program.variable(var).ty),
        _ => None,
    };
    let named = ty.filter(|ty| matches!(ty, Type::Enum(_)));
    let first = (!program.enumerations.is_empty()).then(|| Type::Enum(tertium_program::EnumId::new(0)));
    named.or(first).map_or_else(|| value.to_string(), |ty| program.show_value(ty, value))
}

/// A statement, with the receiver's if two processes meet, and with its process if that is not the one that began.
fn joint_statement(file: &ProgramFile, began: u32, mv: &Move) -> String {
    let program = &file.program;
    let mut text = statement(program, mv.step, &mv.inputs);
    if mv.pid != began {
        text = format!("{}: {text}", file.process_name(program.step(mv.step).process, mv.pid));
    }
    if let Some((pid, step)) = mv.partner {
        let receiver = file.process_name(program.step(step).process, pid);
        text.push_str(&format!(" -> {receiver} {}", statement(program, step, &[])));
    }
    text
}

/// A statement as it was written, with the values chosen for its inputs.
#[must_use]
pub fn statement(program: &Program, step: StepId, inputs: &[i64]) -> String {
    let step = program.step(step);
    let mut text =
        if step.text.is_empty() { program.show_step(step) } else { step.text.trim_end_matches(';').to_owned() };
    if text.contains('\n') {
        text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    for (input, value) in step.inputs.iter().zip(inputs) {
        let shown = match input.domain {
            tertium_program::Domain::Type(ty) => program.show_value(ty, *value),
            tertium_program::Domain::Range(..) => value.to_string(),
        };
        text.push_str(&format!(" [{shown}]"));
    }
    text
}

/// What went wrong, in words.
#[must_use]
pub fn tell_fault(program: &Program, fault: &Fault) -> String {
    match &fault.kind {
        FaultKind::Assertion => "the assertion does not hold".to_owned(),
        FaultKind::Index { array, index } => {
            format!("index {index} lies outside `{}`", program.show_variable(*array))
        }
        FaultKind::DivisionByZero => "division by zero".to_owned(),
        FaultKind::OutOfRange { variable, value } => {
            let ty = program.show_type(program.variable(*variable).ty);
            format!("{value} does not fit `{}`, which is {ty}", program.show_variable(*variable))
        }
        FaultKind::EndlessBlock => "the atomic block goes round for ever".to_owned(),
        FaultKind::BlockTooLong => "the atomic block was not followed to its end".to_owned(),
        FaultKind::Event => "this event is not what the trace allows".to_owned(),
        FaultKind::NoChannel(0) => "the channel variable holds no channel yet".to_owned(),
        FaultKind::MessageShape => "the message has another number of fields than the channel".to_owned(),
        FaultKind::PollWithoutBuffer => "a channel without a buffer cannot be polled".to_owned(),
        FaultKind::BlockedInDeterministic => "a statement inside `d_step` cannot be executed".to_owned(),
        FaultKind::TooManyProcesses => "there are 255 processes already".to_owned(),
        FaultKind::Circular => "whether this process can step would depend on itself".to_owned(),
        FaultKind::Priority(value) => format!("priorities lie between 1 and 255; {value} does not"),
        FaultKind::NotDeterministic => "a `D_proctype` has a choice here".to_owned(),
        FaultKind::AmbiguousEvent => "the trace can follow this event in two ways".to_owned(),
        other => other.name().to_owned(),
    }
}

/// The state as names and values: variables, then where each process is.
#[must_use]
pub fn values(semantics: &Semantics<'_>, state: &State) -> Vec<(String, String)> {
    let (program, layout) = (semantics.program(), semantics.layout());
    if program.persistent || !layout.is_fixed() {
        return slot_values(semantics, state);
    }
    let mut all = Vec::new();
    for var in program.variable_ids() {
        let variable = program.variable(var);
        let Some(first) = layout.fixed_slot(program, var) else { continue };
        let name = program.show_variable(var);
        for cell in 0..variable.cells() {
            let value = program.show_value(variable.ty, state.slots[first + cell]);
            all.push((format!("{name}{}", indices(&variable.dimensions, cell)), value));
        }
    }
    let places = layout.frames(&state.slots).into_iter().map(|frame| {
        let process = ProcessId::new(to_usize(state.slots[frame + FRAME_PROCESS]));
        let location = LocationId::new(to_usize(state.slots[frame + FRAME_LOCATION]));
        (format!("{}@", program.process(process).name), place(program, process, location))
    });
    // A language without places has one, which has no name.
    all.extend(places.filter(|(_, place)| !place.is_empty()));
    all
}

/// As [`values`] where processes come and go: channels with their messages, locals with their process.
fn slot_values(semantics: &Semantics<'_>, state: &State) -> Vec<(String, String)> {
    let (program, layout) = (semantics.program(), semantics.layout());
    let owner = |pid: Option<u32>| pid.map_or_else(String::new, |pid| format!("{}.", instance(semantics, state, pid)));
    let (mut all, mut places) = (Vec::new(), Vec::new());
    let slots = layout.slots(program, &state.slots);
    for (at, slot) in slots.iter().enumerate() {
        let value = state.slots[at];
        match *slot {
            // The number of a channel says nothing where the channel itself is shown.
            Slot::Cell { var, .. } if matches!(program.variable(var).initial, InitialValue::Channel(_)) => {}
            Slot::Cell { var, cell, pid } => {
                let variable = program.variable(var);
                let name = cell_name(&variable.name, &variable.dimensions, cell as usize);
                all.push((format!("{}{name}", owner(pid)), program.show_value(variable.ty, value)));
            }
            Slot::Length { channel, pid } if program.channel(channel).capacity > 0 => {
                let messages = messages(program, channel, &state.slots[at + 1..], to_usize(value));
                all.push((format!("{}{}", owner(pid), program.channel(channel).name), messages));
            }
            Slot::Location { pid, process } => {
                // Statements are told by their lines, so only places with a name are worth a word.
                let location = LocationId::new(to_usize(value));
                let at = place(program, process, location);
                if at == "end" || !program.location(process, location).labels.is_empty() {
                    places.push((format!("{}@", instance(semantics, state, pid)), at));
                }
            }
            _ => {}
        }
    }
    all.extend(places);
    all
}

/// The process with this pid: `P(2)`.
fn instance(semantics: &Semantics<'_>, state: &State, pid: u32) -> String {
    let frame = semantics.layout().frames(&state.slots).get(pid as usize).copied();
    let process = frame.map(|frame| ProcessId::new(to_usize(state.slots[frame + FRAME_PROCESS])));
    process.map_or_else(|| pid.to_string(), |process| format!("{}({pid})", semantics.program().process(process).name))
}

/// The messages of a channel: `[1 red, 2 green]`.
fn messages(program: &Program, channel: tertium_program::ChannelId, slots: &[i64], count: usize) -> String {
    let fields = &program.channel(channel).fields;
    let message = |at: usize| {
        let parts = fields.iter().enumerate();
        let parts = parts.map(|(field, &ty)| program.show_value(ty, slots[at * fields.len() + field]));
        parts.collect::<Vec<_>>().join(" ")
    };
    format!("[{}]", (0..count).map(message).collect::<Vec<_>>().join(", "))
}

/// The name of a cell; `[]` in a name stands for an index that comes before its end.
fn cell_name(name: &str, dimensions: &[tertium_program::Dimension], cell: usize) -> String {
    let written = indices(dimensions, cell);
    let mut rest = written.split_inclusive(']');
    let mut parts = name.split("[]");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(rest.next().unwrap_or_default());
        text.push_str(part);
    }
    text.extend(rest);
    text
}

/// `[2][0]` for a cell of an array, nothing for a plain variable.
#[must_use]
pub fn indices(dimensions: &[tertium_program::Dimension], mut cell: usize) -> String {
    let mut parts = Vec::new();
    for dimension in dimensions.iter().rev() {
        let len = dimension.len as usize;
        parts.push(format!("[{}]", dimension.lo + to_i64(cell % len)));
        cell /= len;
    }
    parts.reverse();
    parts.concat()
}

/// Where a process is: its label, `end`, or the number of the location.
fn place(program: &Program, process: ProcessId, location: LocationId) -> String {
    let at = program.location(process, location);
    if at.labels.is_empty() && at.end && at.steps.iter().all(|&step| program.step(step).action == Action::End) {
        return "end".to_owned();
    }
    program.location_name(process, location)
}

/// Why the initial states cannot be listed, in words.
#[must_use]
pub fn no_initial(program: &Program, why: &NoInitialStates) -> Reason {
    match why {
        NoInitialStates::Unbounded(var) => {
            let name = program.show_variable(*var);
            Reason {
                what: format!("`{name}` may start as any integer, so the initial states cannot be listed"),
                help: format!("give `{name}` an initial value or a range, or bound it in `init`"),
                about: Some(name),
                span: Some(program.variable(*var).span),
            }
        }
        NoInitialStates::TooMany(limit) => Reason {
            what: format!("there are more than {limit} candidates for initial states"),
            about: None,
            span: None,
            help: "give more variables an initial value".to_owned(),
        },
        NoInitialStates::Fault(kind) => Reason {
            what: format!("the initial states cannot be computed: {}", kind.name()),
            about: None,
            span: None,
            help: "change `init` so that it can be evaluated for every candidate".to_owned(),
        },
        NoInitialStates::Stopped(stopped) => {
            Reason { what: stopped.to_string(), about: None, span: None, help: "raise the limit".to_owned() }
        }
    }
}
