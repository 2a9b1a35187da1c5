//! What the tests of abstraction share: compiling, abstracting, and the program's own structure.
#![allow(dead_code, reason = "each test uses a part")]

use std::collections::HashMap;

use tertium_abstraction::{AbstractState, AbstractionKind, Explored, Failed, Options, Predicate, System};
use tertium_base::Budget;
use tertium_gcl::{Addition, compile_with};
use tertium_lattice::{Belnap, Kleene};
use tertium_model::{Kmts, KmtsBuilder, StateId};
use tertium_program::{LocationId, Outcome, Program, Semantics, State, Type};
use tertium_smt::{Limit, Queries, Z3};
use tertium_testkit::Rng;

pub fn program(text: &str, predicates: &[&str]) -> Program {
    let additions: Vec<Addition> = predicates.iter().map(|text| Addition::Predicate((*text).to_owned())).collect();
    let compiled = compile_with(text, &additions);
    assert!(compiled.program.is_some(), "{:?} {:?}", compiled.diagnostics, compiled.additions);
    compiled.program.unwrap()
}

pub fn predicates(program: &Program) -> Vec<Predicate> {
    program.predicates.iter().map(|named| Predicate { name: named.name.clone(), expr: named.expr }).collect()
}

pub fn system(program: &Program, kind: AbstractionKind, limit: Limit) -> System {
    let options = Options { kind, keep: program.keep.clone(), keep_small: false, limit, ..Options::default() };
    let queries = Queries::new(Box::new(Z3::new().unwrap()), limit, &Budget::unlimited());
    System::new(program, &predicates(program), &options, queries).unwrap()
}

pub fn explored(system: &mut System) -> Result<Explored, Failed> {
    Explored::visit(system, &Budget::unlimited(), &mut |_, _| {})
}

pub fn atoms(program: &Program) -> Vec<(String, tertium_program::ExprId)> {
    program.predicates.iter().map(|named| (named.name.clone(), named.expr)).collect()
}

/// Random predicates over the global variables of a program.
pub fn random_predicates(rng: &mut Rng, program: &Program) -> Vec<String> {
    let globals: Vec<(String, bool)> = program
        .variables
        .iter()
        .filter(|variable| variable.dimensions.is_empty() && variable.scope == tertium_program::Scope::Global)
        .filter(|variable| matches!(variable.ty, Type::Bool | Type::Range { .. }))
        .map(|variable| (variable.name.clone(), variable.ty == Type::Bool))
        .collect();
    let mut texts = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let (name, truth) = rng.pick(&globals).clone();
        let (other, other_truth) = rng.pick(&globals).clone();
        texts.push(match (truth, other_truth, rng.below(4)) {
            (true, true, 0) => format!("{name} = {other}"),
            (true, _, _) => name,
            (false, false, 0) => format!("{name} <= {other}"),
            (false, false, 1) => format!("({name} + {other}) mod 2 = 1"),
            (false, _, 2) => format!("2 div {name} = 1"),
            (false, _, _) => format!("{name} = {}", rng.below(3)),
        });
    }
    texts.sort();
    texts.dedup();
    texts
}

/// The reachable structure of a program; `None` if it is large.
pub fn concrete(program: &Program, most: usize) -> Option<(Kmts, Vec<State>)> {
    concrete_named(program, most, &|process| program.process(process).name.clone())
}

/// The same, with names for the processes that step.
pub fn concrete_named(
    program: &Program,
    most: usize,
    name: &dyn Fn(tertium_program::ProcessId) -> String,
) -> Option<(Kmts, Vec<State>)> {
    let semantics = Semantics::new(program);
    let mut states = semantics.initial_states(1 << 12, &Budget::unlimited()).ok()?;
    let initial = states.len();
    let mut known: HashMap<State, usize> = states.iter().cloned().zip(0..).collect();
    let mut edges = Vec::new();
    let mut at = 0;
    while at < states.len() {
        if states.len() > most {
            return None;
        }
        for successor in semantics.successors(&states[at].clone()) {
            if let Outcome::Next(next) = successor.outcome {
                let number = *known.entry(next.clone()).or_insert_with(|| {
                    states.push(next);
                    states.len() - 1
                });
                edges.push((at, number, successor.moves[0].pid));
            }
        }
        at += 1;
    }
    let mut builder = KmtsBuilder::new();
    (0..states.len()).for_each(|number| {
        builder.add_state(&number.to_string());
    });
    let props: Vec<_> = atoms(program).iter().map(|(name, _)| builder.add_prop(name)).collect();
    let actions: Vec<_> =
        program.instances.iter().map(|instance| builder.add_action(&name(instance.process))).collect();
    for (number, state) in states.iter().enumerate() {
        for ((_, atom), &prop) in atoms(program).iter().zip(&props) {
            let value = match semantics.observe(*atom, state) {
                Ok(0) => Belnap::False,
                Ok(_) => Belnap::True,
                Err(_) => Belnap::Unknown,
            };
            builder.set_label(StateId::new(number), prop, value);
        }
    }
    for (from, to, pid) in edges {
        builder.add_edge(StateId::new(from), StateId::new(to), true, true, Some(actions[pid as usize]));
    }
    (0..initial).for_each(|number| builder.add_init(StateId::new(number)));
    Some((builder.finish().unwrap(), states))
}

/// The abstract state, with every predicate decided, that a program state belongs to.
pub fn abstracted(program: &Program, semantics: &Semantics<'_>, state: &State) -> AbstractState {
    let frames = semantics.layout().frames(&state.slots);
    let mut locations: Vec<LocationId> = program.processes.iter().map(|process| process.entry).collect();
    for (instance, frame) in program.instances.iter().zip(frames) {
        locations[instance.process.index()] = LocationId::new(usize::try_from(state.slots[frame + 1]).unwrap());
    }
    let holds = |expr| matches!(semantics.observe(expr, state), Ok(value) if value != 0);
    let cube =
        program.predicates.iter().map(|named| if holds(named.expr) { Kleene::True } else { Kleene::False }).collect();
    AbstractState { locations, kept: Vec::new(), cube, stopped: false }
}
