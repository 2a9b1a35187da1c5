//! Proof obligations of steps: terms, which certificates over predicates rest on, say what the definition of a step says: on every state of random
//! programs, the same successors and the same mistakes. Obligations are right only as far as this is.

mod models;

use std::collections::{BTreeSet, HashMap};

use tertium_base::Budget;
use tertium_base::narrow::{to_i64, to_u32, to_usize};
use tertium_driver::program::{Extras, ProgramFile, from_text_with};
use tertium_evidence::abstraction::Later;
use tertium_kernel::obligations::Input;
use tertium_kernel::obligations::terms::{Term, TermId, Terms};
use tertium_kernel::obligations::{Machine, Wrong};
use tertium_program::{
    Action, ChannelId, FaultKind, InitialValue, Outcome, ProcessId, Program, Scope, Semantics, State, Type,
};
use tertium_testkit::{ProgramShape, for_random_cases, random_program, random_promela};

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Truth(bool),
    Number(i128),
    Array(Vec<i128>),
}

/// The value of a term; arrays outside their cells hold 0.
fn eval(terms: &Terms, root: TermId, given: &HashMap<TermId, Value>) -> Value {
    let mut known: HashMap<TermId, Value> = HashMap::new();
    for id in terms.reachable(&[root]) {
        let number = |at: TermId| match &known[&at] {
            Value::Number(value) => *value,
            Value::Truth(value) => i128::from(*value),
            Value::Array(_) => panic!("no number"),
        };
        let truth = |at: TermId| number(at) != 0;
        let value = match terms.get(id) {
            Term::Truth(value) => Value::Truth(*value),
            Term::Number(value) => Value::Number(*value),
            Term::Symbol(name) | Term::Hidden(name) => {
                given.get(&id).cloned().unwrap_or_else(|| panic!("{name} has no value"))
            }
            Term::Op("and", parts) => Value::Truth(parts.iter().all(|&part| truth(part))),
            Term::Op("or", parts) => Value::Truth(parts.iter().any(|&part| truth(part))),
            Term::Op("not", parts) => Value::Truth(!truth(parts[0])),
            Term::Op("=>", parts) => Value::Truth(!truth(parts[0]) || truth(parts[1])),
            Term::Op("=", parts) => Value::Truth(known[&parts[0]] == known[&parts[1]]),
            Term::Op("<=", parts) => Value::Truth(number(parts[0]) <= number(parts[1])),
            Term::Op("ite", parts) => known[&parts[if truth(parts[0]) { 1 } else { 2 }]].clone(),
            Term::Op("+", parts) => Value::Number(number(parts[0]) + number(parts[1])),
            Term::Op("-", parts) if parts.len() == 1 => Value::Number(-number(parts[0])),
            Term::Op("-", parts) => Value::Number(number(parts[0]) - number(parts[1])),
            Term::Op("*", parts) => Value::Number(number(parts[0]) * number(parts[1])),
            Term::Op("div", parts) => Value::Number(number(parts[0]).checked_div_euclid(number(parts[1])).unwrap_or(0)),
            Term::Op("mod", parts) => Value::Number(number(parts[0]).checked_rem_euclid(number(parts[1])).unwrap_or(0)),
            Term::Op("select", parts) => {
                let Value::Array(cells) = &known[&parts[0]] else { panic!("no array") };
                let at = usize::try_from(number(parts[1])).unwrap_or(usize::MAX);
                let cell = cells.get(at).copied().unwrap_or(0);
                if terms.sort(id) == terms.sort(parts[1]) { Value::Number(cell) } else { Value::Truth(cell != 0) }
            }
            Term::Op("store", parts) => {
                let Value::Array(mut cells) = known[&parts[0]].clone() else { panic!("no array") };
                if let Some(cell) = usize::try_from(number(parts[1])).ok().and_then(|at| cells.get_mut(at)) {
                    *cell = number(parts[2]);
                }
                Value::Array(cells)
            }
            Term::Bits(op, _, a, b) => Value::Number(match *op {
                "bvand" => number(*a) & number(*b),
                "bvor" => number(*a) | number(*b),
                _ => number(*a) ^ number(*b),
            }),
            other => panic!("{other:?}"),
        };
        known.insert(id, value);
    }
    known[&root].clone()
}

/// A symbol, and the slots of a state that it stands for.
struct Cell {
    symbol: TermId,
    /// In which slot whoever it belongs to runs, if it is not everyone's.
    pid: Option<usize>,
    /// The first slot: in the state, or in the frame of its process.
    first: usize,
    count: usize,
    truth: bool,
    array: bool,
}

impl Cell {
    fn value(&self, slots: &[i64]) -> (TermId, Value) {
        let value = match (self.array, self.truth) {
            (true, _) => Value::Array(slots.iter().map(|&slot| i128::from(slot)).collect()),
            (false, true) => Value::Truth(slots[0] != 0),
            (false, false) => Value::Number(i128::from(slots[0])),
        };
        (self.symbol, value)
    }
}

/// The symbols of a machine.
struct Cells(Vec<Cell>);

/// A state as named values; processes that have ended are only there as such.
type Seen = std::collections::BTreeMap<TermId, Vec<i64>>;

impl Cells {
    /// None if two cells share a name.
    fn new(machine: &Machine<'_>, semantics: &Semantics<'_>) -> Option<Self> {
        let (program, layout) = (semantics.program(), semantics.layout());
        let mut all = Vec::new();
        let mut add = |name: String, pid, first, count, truth, array| {
            let Some(symbol) = machine.terms.find(&name) else { return };
            all.push(Cell { symbol, pid, first, count, truth, array });
        };
        let whose = |pid: Option<usize>| pid.map_or(String::new(), |pid| format!("{}.", machine.name(pid)));
        let owners = |scope: Scope| match scope {
            Scope::Global => vec![None],
            Scope::Local(process) => {
                (0..machine.processes()).filter(|&slot| machine.process(slot) == process).map(Some).collect::<Vec<_>>()
            }
        };
        for var in program.variable_ids() {
            let variable = program.variable(var);
            for pid in owners(variable.scope) {
                let (truth, array) = (variable.ty == Type::Bool, !variable.dimensions.is_empty());
                let name = format!("{}{}", whose(pid), variable.name);
                add(name, pid, layout.variable(var), variable.cells(), truth, array);
            }
        }
        for id in (0..program.channels.len()).map(ChannelId::new) {
            let channel = program.channel(id);
            for pid in owners(channel.scope) {
                let first = layout.channel(id);
                add(format!("{}len({})", whose(pid), channel.name), pid, first, 1, false, false);
                for place in 0..channel.capacity as usize {
                    for field in 0..channel.fields.len() {
                        let name = format!("{}{}[{place}].{field}", whose(pid), channel.name);
                        add(name, pid, first + 1 + place * channel.fields.len() + field, 1, false, false);
                    }
                }
            }
        }
        for slot in 0..machine.processes() {
            add(format!("@{}", machine.name(slot)), Some(slot), 1, 1, false, false);
        }
        let symbols: BTreeSet<TermId> = all.iter().map(|cell| cell.symbol).collect();
        (symbols.len() == all.len()).then_some(Self(all))
    }

    /// The values of a state; a process that has ended is at its last place.
    fn seen(&self, machine: &Machine<'_>, semantics: &Semantics<'_>, state: &State) -> Seen {
        let frames = semantics.layout().frames(&state.slots);
        let mut seen = Seen::new();
        let runs = |slot: usize| {
            let frame = frames.get(machine.pid(slot)).copied()?;
            (state.slots[frame] == to_i64(machine.process(slot).index())).then_some(frame)
        };
        for cell in &self.0 {
            let first = match cell.pid.map(|slot| (slot, runs(slot))) {
                None => cell.first,
                Some((_, Some(frame))) => frame + cell.first,
                Some((pid, None)) => {
                    if cell.symbol == machine.location(pid) {
                        seen.insert(cell.symbol, vec![to_i64(machine.gone(pid))]);
                    }
                    continue;
                }
            };
            seen.insert(cell.symbol, state.slots[first..first + cell.count].to_vec());
        }
        seen
    }

    /// What a slot holds that nobody runs in, as the machine says it.
    fn empty(&self, program: &Program, machine: &Machine<'_>, values: &mut HashMap<TermId, Value>) {
        for var in program.variable_ids() {
            let variable = program.variable(var);
            let first = match &variable.initial {
                InitialValue::Same(value) => vec![program.stored(variable.ty, *value); variable.cells()],
                InitialValue::Each(values) => values.clone(),
                _ => vec![0; variable.cells()],
            };
            for slot in program.instances.len()..machine.processes() {
                let symbol = machine.terms.find(&format!("{}.{}", machine.name(slot), variable.name));
                let Some(cell) = self.0.iter().find(|cell| Some(cell.symbol) == symbol) else { continue };
                if variable.scope == Scope::Local(machine.process(slot)) {
                    let (_, value) = cell.value(&first);
                    values.insert(cell.symbol, value);
                }
            }
        }
    }

    /// The same for terms. What has ended holds anything.
    fn values(&self, seen: &Seen) -> HashMap<TermId, Value> {
        let one = |cell: &Cell| cell.value(&seen.get(&cell.symbol).cloned().unwrap_or_else(|| vec![0; cell.count]));
        self.0.iter().map(one).collect()
    }

    /// Back from terms; what belongs to processes that have ended is forgotten.
    fn back(&self, machine: &Machine<'_>, values: &HashMap<TermId, Value>) -> Seen {
        let gone = |pid: usize| values[&machine.location(pid)] == Value::Number(machine.gone(pid) as i128);
        let small = |value: i128| i64::try_from(value).expect("values are small");
        let mut seen = Seen::new();
        for cell in &self.0 {
            if cell.pid.is_some_and(|pid| gone(pid) && cell.symbol != machine.location(pid)) {
                continue;
            }
            let slots = match &values[&cell.symbol] {
                Value::Truth(value) => vec![i64::from(*value)],
                Value::Number(value) => vec![small(*value)],
                Value::Array(cells) => cells.iter().map(|&cell| small(cell)).collect(),
            };
            seen.insert(cell.symbol, slots);
        }
        seen
    }
}

/// All values of inputs; none if there are too many.
fn choices(terms: &Terms, inputs: &[Input]) -> Option<Vec<HashMap<TermId, Value>>> {
    let mut rows = vec![HashMap::new()];
    for input in inputs {
        let (lo, hi) = (input.bounds.0?, input.bounds.1?);
        let truth = format!("{:?}", terms.sort(input.symbol)) == "Bool";
        let value = |value: i128| if truth { Value::Truth(value != 0) } else { Value::Number(value) };
        let with = |row: &HashMap<TermId, Value>, at: i128| {
            let mut row = row.clone();
            row.insert(input.symbol, value(at));
            row
        };
        rows = rows.iter().flat_map(|row| (lo..=hi).map(|at| with(row, at)).collect::<Vec<_>>()).collect();
        if rows.len() > 200 {
            return None;
        }
    }
    Some(rows)
}

const fn kind(fault: &FaultKind) -> Wrong {
    match fault {
        FaultKind::Assertion => Wrong::Assertion,
        FaultKind::Index { .. } => Wrong::Index,
        FaultKind::DivisionByZero => Wrong::Division,
        FaultKind::OutOfRange { .. } => Wrong::Range,
        _ => Wrong::Other,
    }
}

/// The states and mistakes that follow, as terms say, and whether there are any.
type Follows = (BTreeSet<Seen>, BTreeSet<Wrong>, bool);

fn by_terms(machine: &mut Machine<'_>, cells: &Cells, seen: &Seen) -> Option<Follows> {
    let given = cells.values(seen);
    let (mut next, mut wrong, mut some) = (BTreeSet::new(), BTreeSet::new(), false);
    for pid in 0..machine.processes() {
        let Value::Number(at) = given[&machine.location(pid)] else { panic!("no location") };
        let moves = machine.moves(pid, usize::try_from(at).ok()?).ok()?;
        for way in &moves.ways {
            for row in choices(&machine.terms, &way.inputs)? {
                let all: HashMap<TermId, Value> = given.clone().into_iter().chain(row).collect();
                if eval(&machine.terms, way.taken, &all) != Value::Truth(true) {
                    continue;
                }
                some |= way.sure;
                let mut after = given.clone();
                after.extend(way.after.iter().map(|(&symbol, &value)| (symbol, eval(&machine.terms, value, &all))));
                next.insert(cells.back(machine, &after));
            }
        }
        for slip in &moves.slips {
            for row in choices(&machine.terms, &slip.inputs)? {
                let all: HashMap<TermId, Value> = given.clone().into_iter().chain(row).collect();
                if eval(&machine.terms, slip.when, &all) == Value::Truth(true) {
                    wrong.insert(slip.wrong);
                    some |= slip.exact;
                }
            }
        }
    }
    Some((next, wrong, some))
}

/// What was compared: states, steps in which two processes meet, and steps that start one.
#[derive(Clone, Copy, Default)]
struct Compared {
    states: usize,
    meetings: usize,
    starts: usize,
}

/// The processes that are started in some states; none if one that runs from the start is.
fn later(semantics: &Semantics<'_>, initial: &[State]) -> Option<Vec<Later>> {
    let program = semantics.program();
    let (mut found, mut known, mut open) = (BTreeSet::new(), BTreeSet::new(), initial.to_vec());
    let running: Vec<_> = program.instances.iter().map(|instance| instance.process).collect();
    while let Some(state) = open.pop() {
        if known.len() > 400 || !known.insert(state.slots.clone()) {
            continue;
        }
        for (pid, frame) in semantics.layout().frames(&state.slots).into_iter().enumerate() {
            let process = ProcessId::new(to_usize(state.slots[frame]));
            if running.get(pid) != Some(&process) {
                found.insert((to_u32(pid), process));
            }
        }
        for successor in semantics.successors(&state) {
            for mv in &successor.moves {
                let starts =
                    matches!(program.step(mv.step).action, Action::Run { process, .. } if running.contains(&process));
                if starts && program.steps.iter().any(|step| step.action == Action::End) {
                    return None;
                }
            }
            open.extend(successor.outcome.state().cloned());
        }
    }
    let named = |(pid, process): (u32, ProcessId)| Later {
        pid,
        process: program.process(process).name.clone(),
        given: Vec::new(),
    };
    Some(found.into_iter().map(named).collect())
}

/// Compares all states of a program, up to a limit.
fn compare(program: &Program, text: &str) -> Compared {
    let (semantics, mut compared) = (Semantics::new(program), Compared::default());
    let Ok(initial) = semantics.initial_states(500, &Budget::unlimited()) else { return compared };
    let Some(later) = later(&semantics, &initial) else { return compared };
    let Ok(mut machine) = Machine::with(program, &later) else { return compared };
    let Some(cells) = Cells::new(&machine, &semantics) else { return compared };
    let Ok(start) = machine.initial() else { return compared };
    for state in &initial {
        let mut given = cells.values(&cells.seen(&machine, &semantics, state));
        cells.empty(program, &machine, &mut given);
        assert_eq!(eval(&machine.terms, start, &given), Value::Truth(true), "{text}\n{state:?}");
    }
    let (mut known, mut open) = (BTreeSet::new(), initial);
    while let Some(state) = open.pop() {
        if known.len() > 200 || !known.insert(state.slots.clone()) {
            continue;
        }
        let successors = semantics.successors(&state);
        for mv in successors.iter().flat_map(|successor| &successor.moves) {
            compared.meetings += usize::from(mv.partner.is_some());
            compared.starts += usize::from(matches!(program.step(mv.step).action, Action::Run { .. }));
        }
        let (mut next, mut wrong) = (BTreeSet::new(), BTreeSet::new());
        for successor in &successors {
            match &successor.outcome {
                Outcome::Next(to) => {
                    next.insert(cells.seen(&machine, &semantics, to));
                    open.push(to.clone());
                }
                Outcome::Fault { fault, .. } => {
                    wrong.insert(kind(&fault.kind));
                }
            }
        }
        let seen = cells.seen(&machine, &semantics, &state);
        let Some((mine, slips, some)) = by_terms(&mut machine, &cells, &seen) else { return compared };
        // Whoever is started in states that were not visited is not listed.
        if slips.contains(&Wrong::Unlisted) && known.len() >= 100 {
            return compared;
        }
        assert!(!slips.contains(&Wrong::Unlisted), "{text}\nfrom {:?}", state.slots);
        compared.states += 1;
        assert_eq!(mine, next, "{text}\nfrom {:?}", state.slots);
        assert!(wrong.is_subset(&slips), "{wrong:?} but {slips:?}\n{text}\nfrom {:?}", state.slots);
        assert!(!some || !successors.is_empty(), "a step that is none\n{text}\nfrom {:?}", state.slots);
        assert!(some || successors.is_empty() || !slips.is_empty(), "a step is missed\n{text}\nfrom {:?}", state.slots);
    }
    compared
}

#[test]
fn guarded_commands_as_terms_are_their_steps() {
    let count = std::cell::Cell::new(0);
    for_random_cases(120, |case| {
        let text = random_program(&mut case.rng, &ProgramShape::default());
        case.keep("program.gcl", &text);
        let file: ProgramFile = from_text_with("test.gcl", text.clone(), &[], None, &Extras::default())
            .unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
        count.set(count.get() + compare(&file.program, &text).states);
    });
    assert!(count.get() > 1500, "only {} states were compared", count.get());
}

#[test]
fn promela_as_terms_are_its_steps() {
    let (all, models) = (std::cell::Cell::new(Compared::default()), std::cell::Cell::new(0));
    let note = |compared: Compared| {
        let Compared { states, meetings, starts } = all.get();
        all.set(Compared {
            states: states + compared.states,
            meetings: meetings + compared.meetings,
            starts: starts + compared.starts,
        });
        models.set(models.get() + usize::from(compared.states > 0));
    };
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela");
    let read = |name: &str| std::fs::read_dir(folder.join(name)).expect("the corpus").filter_map(Result::ok);
    let mut paths: Vec<_> = read("micro").chain(read("abstracted")).collect();
    paths.sort_by_key(std::fs::DirEntry::path);
    for path in paths {
        let text = std::fs::read_to_string(path.path()).unwrap_or_default();
        if let Ok(file) = models::read_promela(&text) {
            note(compare(&file.program, &text));
        }
    }
    for_random_cases(150, |case| {
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", &text);
        if let Ok(file) = models::read_promela(&text) {
            note(compare(&file.program, &text));
        }
    });
    let (Compared { states, meetings, starts }, models) = (all.get(), models.get());
    let told = format!("{states} states of {models} models were compared, {meetings} meetings and {starts} starts\n");
    let _ = std::io::Write::write_all(&mut std::io::stdout(), told.as_bytes());
    assert!(states > 300 && models > 15 && meetings > 50 && starts > 50, "{told}");
}

/// `timeout` is a condition on all processes; put in for `else`, which models have anyway, it meets everything else there is.
#[test]
fn time_outs_as_terms_are_those_of_the_definition() {
    let (models, states) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(120, |case| {
        let text = random_promela(&mut case.rng);
        let text =
            if case.rng.chance(50) { text.replacen("else", "timeout", 1) } else { text.replace("else", "timeout") };
        let waiting = "active proctype waiter() { byte w; do :: timeout -> w = w + 1 :: w > 1 -> break od }\n";
        let text = if text.contains("timeout") { text } else { format!("{text}\n{waiting}") };
        case.keep("model.pml", &text);
        let Ok(file) = models::read_promela(&text) else { return };
        let compared = compare(&file.program, &text).states;
        states.set(states.get() + compared);
        models.set(models.get() + usize::from(compared > 0));
    });
    let (models, states) = (models.get(), states.get());
    assert!(models > 30 && states > 500, "{states} states of {models} models were compared");
}

/// A loop in a block that constants decide is a row of steps.
#[test]
fn counted_loops_as_terms_are_rows_of_steps() {
    for (text, least) in [
        (
            "byte x; active proctype p() { byte i; do :: x < 9 -> atomic { i = 0; do :: i < 5 -> x++; i++ :: else -> break od } \
          :: x > 8 -> x = 0 od }",
            3,
        ),
        (
            "byte x; active proctype p() { byte i; do :: d_step { i = 3; do :: i > 0 -> i--; x = x + i :: else -> break od } \
          :: x > 20 -> x = 0 od }",
            3,
        ),
        (
            "byte x; byte a[4]; active proctype p() { byte i; do :: atomic { i = 0; do :: i < 4 -> if :: a[i] = x :: a[i] = 1 fi; \
          i++ :: i == 4 -> break od; x = (x + 1) % 3 } od }",
            10,
        ),
    ] {
        let file = models::promela(text);
        let states = compare(&file.program, text).states;
        assert!(states >= least, "{states} states of\n{text}");
    }
    // What nothing decides is refused.
    let endless = "byte x; active proctype p() { atomic { do :: x < 200 -> x++ :: break od } }";
    let file = models::promela(endless);
    let mut machine = Machine::new(&file.program).expect("cells");
    assert!(machine.moves(0, 0).is_err());
}
