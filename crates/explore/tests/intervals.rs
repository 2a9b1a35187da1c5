//! Every state that can be reached lies within the intervals, and widening loses no more than it must.

use std::ops::ControlFlow;

use tertium_base::Budget;
use tertium_program::analysis::intervals::{Interval, Intervals, MessageField, stored};
use tertium_program::search::{Limits, nearest_first};
use tertium_program::successors::Defined;
use tertium_program::{Program, Scope, Semantics, State};
use tertium_testkit::{ProgramShape, for_random_cases, random_program, random_promela};

const MOST_STATES: usize = 3000;

fn gcl(text: &str) -> Program {
    let compiled = tertium_gcl::compile(text);
    compiled.program.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics))
}

/// Compares all states that a search reaches; says how many.
fn all_lie_within(program: &Program) -> usize {
    let (semantics, budget) = (Semantics::new(program), Budget::unlimited());
    let Ok(initial) = semantics.initial_states(1 << 12, &budget) else { return 0 };
    let found = Intervals::of(program);
    let mut states = Defined::from(&semantics, initial);
    let mut seen = 0;
    let limits = Limits { most: MOST_STATES, budget: &budget };
    // A search that comes to its limit has compared what it has seen.
    let _ = nearest_first(&mut states, limits, &mut |_, reached, number| {
        lies_within(&semantics, &found, &reached.states[number]);
        seen += 1;
        Ok(ControlFlow::Continue(()))
    });
    seen
}

fn lies_within(semantics: &Semantics<'_>, found: &Intervals, state: &State) {
    let (program, layout) = (semantics.program(), semantics.layout());
    let frames = layout.frames(&state.slots);
    for (var, variable) in program.variable_ids().map(|var| (var, program.variable(var))) {
        for base in bases(program, &frames, state, variable.scope) {
            for &value in &state.slots[base + layout.variable(var)..][..variable.cells()] {
                let known = found.variable(var).unwrap_or_else(|| panic!("{} is reached", program.show_variable(var)));
                assert!(known.contains(value), "{} = {value}, not in {known:?}", program.show_variable(var));
            }
        }
    }
    for at in 0..program.channels.len() {
        let id = tertium_program::ChannelId::new(at);
        let channel = program.channel(id);
        for base in bases(program, &frames, state, channel.scope) {
            let cells = &state.slots[base + layout.channel(id) + 1..];
            for (place, &value) in cells.iter().enumerate().take(channel.capacity as usize * channel.fields.len()) {
                let at = place % channel.fields.len();
                let sent = found.field(MessageField { of: channel.fields.len(), at });
                let known = sent.map(|sent| stored(program, channel.fields[at], sent));
                let known = known.unwrap_or(Interval::exactly(0)).join(Interval::exactly(0));
                assert!(known.contains(value), "{value} in {}, not in {known:?}", channel.name);
            }
        }
    }
}

/// Where the copies of what has this scope are counted from.
fn bases(program: &Program, frames: &[usize], state: &State, scope: Scope) -> Vec<usize> {
    let Scope::Local(process) = scope else { return vec![0] };
    let runs = |frame: usize| program.process_ids().nth(usize::try_from(state.slots[frame]).expect("a process"));
    frames.iter().copied().filter(|&frame| runs(frame) == Some(process)).collect()
}

#[test]
fn states_of_random_programs_lie_within() {
    let seen = std::cell::Cell::new(0);
    for_random_cases(150, |case| {
        let text = random_program(&mut case.rng, &ProgramShape::default());
        case.keep("program.gcl", text.as_str());
        seen.set(seen.get() + all_lie_within(&gcl(&text)));
        let text = random_promela(&mut case.rng);
        case.keep("model.pml", text.as_str());
        let read = tertium_promela::read("model.pml", &text, &tertium_promela::Options::default());
        let lowered = tertium_promela::lower::lower(&read.file, &read.symbols, &read.sources);
        seen.set(seen.get() + all_lie_within(&lowered.program));
    });
    assert!(seen.get() > 10_000, "{} states", seen.get());
}

fn interval(text: &str, name: &str) -> Interval {
    let program = gcl(text);
    let var = program.variable_ids().find(|&var| program.variable(var).name == name).expect("there is one");
    Intervals::of(&program).variable(var).expect("it is reached")
}

#[test]
fn what_is_taken_modulo_is_not_widened() {
    let text = "
system ring
var x : 0..1000 = 0
var y : 0..1000 = 0
var z : 0..1000 = 0
process P { loop { x := (x + 1) mod 100; y := x; z := y; y := z; } }
";
    for name in ["x", "y", "z"] {
        assert_eq!(interval(text, name), Interval::between(0, 99), "{name}");
    }
}

#[test]
fn one_round_gives_back_what_widening_lost() {
    let text = "
system back
var x : int = 0
var y : 0..50 = 3
var z : 0..1000 = 0
process P { loop { x := x + 1; y := x; z := y + 2; } }
";
    assert_eq!(interval(text, "x"), Interval::at_least(0));
    assert_eq!(interval(text, "y"), Interval::between(0, 50));
    assert_eq!(interval(text, "z"), Interval::between(0, 52));
}
