//! A step as terms is the step that is executed.
//!
//! In every reachable state of random programs: the step is enabled where its term says so, safe where its term says so,
//! and weakest precondition and strongest postcondition agree with what execution does.

use std::collections::HashSet;

use tertium_base::Budget;
use tertium_base::narrow::{to_i64, to_usize};
use tertium_program::analysis::partial_evaluation::{fold, rewrite};
use tertium_program::expr::{Expr, ExprId, Sort};
use tertium_program::{
    Action, Domain, FaultKind, Move, Outcome, Place, Program, Scope, Semantics, State, StepId, Type, VarId,
};
use tertium_testkit::{ProgramShape, for_random_cases, random_program};

/// The cells of a variable in a state of a program with fixed processes.
fn cells(program: &Program, state: &State, var: VarId) -> Vec<i64> {
    let semantics = Semantics::new(program);
    let first = semantics.layout().fixed_slot(program, var).unwrap();
    state.slots[first..first + program.variable(var).cells()].to_vec()
}

/// `expr` with its inputs and values before the step put in.
fn instantiated(program: &mut Program, expr: ExprId, inputs: &[i64], before: &State) -> ExprId {
    let frozen = program.clone();
    let constant = |exprs: &mut tertium_program::Exprs, value: i64, sort| match sort {
        Sort::Bool => exprs.bool(value != 0),
        Sort::Int => exprs.int(value),
    };
    rewrite(&mut program.exprs, expr, &mut |exprs, expr, sort| match expr {
        Expr::Input(position, _) => constant(exprs, inputs[position as usize], sort),
        Expr::OldVar(var) => constant(exprs, cells(&frozen, before, var)[0], sort),
        Expr::OldElement(var, indices) => {
            let lo = frozen.variable(var).dimensions[0].lo;
            let index = exprs.list(indices)[0];
            // An index that is not constant is looked up by cases.
            let row = cells(&frozen, before, var);
            let mut value = constant(exprs, row[0], sort);
            for (position, &cell) in row.iter().enumerate() {
                let (here, cell) = (exprs.int(lo + to_i64(position)), constant(exprs, cell, sort));
                let same = exprs.eq(index, here);
                value = exprs.ite(same, cell, value);
            }
            value
        }
        _ => fold(exprs, expr, sort),
    })
}

fn holds(program: &Program, expr: ExprId, state: &State) -> Result<bool, FaultKind> {
    Semantics::new(program).observe(expr, state).map(|value| value != 0)
}

fn some_states(program: &Program) -> Vec<State> {
    let semantics = Semantics::new(program);
    let mut states = semantics.initial_states(1 << 20, &Budget::unlimited()).unwrap();
    let mut known: HashSet<State> = states.iter().cloned().collect();
    let mut at = 0;
    while at < states.len() && states.len() < 40 {
        for successor in semantics.successors(&states[at].clone()) {
            if let Outcome::Next(state) = successor.outcome
                && known.insert(state.clone())
            {
                states.push(state);
            }
        }
        at += 1;
    }
    states.truncate(40);
    states
}

/// Every choice of inputs for a step: both truth values, or some numbers inside and outside of the domain.
fn input_rows(program: &Program, step: StepId) -> Vec<Vec<i64>> {
    let mut rows = vec![Vec::new()];
    for input in &program.step(step).inputs {
        let values = if input.domain == Domain::Type(Type::Bool) { 0..2 } else { 0..4 };
        let longer =
            |row: &Vec<i64>| values.clone().map(|value| [row.as_slice(), &[value]].concat()).collect::<Vec<_>>();
        rows = rows.iter().flat_map(longer).collect();
    }
    rows
}

fn check_step(program: &mut Program, step: StepId, state: &State, post: ExprId) {
    let process = program.step(step).process;
    let source = program.step(step).source;
    let at = program.exprs.add(Expr::At(process, source));
    if holds(program, at, state) != Ok(true) {
        return;
    }
    let terms = program.step_terms(step).unwrap();
    let (wp, pre) = (program.wp(&terms, post), program.pre(&terms, post));
    let yes = program.exprs.bool(true);
    let sp = program.sp(&terms, yes);
    for inputs in input_rows(program, step) {
        let [enabled, safe, wp, pre] =
            [terms.enabled, terms.safe, wp, pre].map(|expr| instantiated(program, expr, &inputs, state));
        let pid = process.number();
        let mv = Move { pid, step, inputs: inputs.clone(), partner: None };
        let semantics = Semantics::new(program);
        let offered = semantics.moves(state);
        let faulty = offered.contains(&Move { inputs: Vec::new(), ..mv.clone() }) && !inputs.is_empty();
        let what = format!("{} in {state:?} with {inputs:?}", program.step(step).text);
        match semantics.execute(state, &mv) {
            None if !faulty => {
                assert_eq!(holds(program, enabled, state), Ok(false), "enabled: {what}");
                assert_eq!(holds(program, wp, state), Ok(true), "wp where the step cannot be taken: {what}");
            }
            None | Some(Outcome::Fault { .. }) => {
                assert_eq!(holds(program, safe, state), Ok(false), "safe: {what}");
                assert_eq!(holds(program, wp, state), Ok(false), "wp of a fault: {what}");
                assert_ne!(holds(program, pre, state), Ok(true), "pre of a fault: {what}");
            }
            Some(Outcome::Next(next)) => {
                assert_eq!(holds(program, enabled, state), Ok(true), "enabled: {what}");
                assert_eq!(holds(program, safe, state), Ok(true), "safe: {what}");
                // Where the goal itself has no value in the next state, the terms promise nothing.
                if let Ok(reached) = holds(program, post, &next) {
                    assert_eq!(holds(program, wp, state), Ok(reached), "wp: {what}");
                    assert_eq!(holds(program, pre, state), Ok(reached), "pre: {what}");
                }
                let sp = instantiated(program, sp, &inputs, state);
                assert_eq!(holds(program, sp, &next), Ok(true), "sp: {what}: {}", program.show(sp));
                not_too_weak(program, sp, step, &next, &what);
            }
        }
    }
}

/// The strongest postcondition fixes every variable that the step writes.
fn not_too_weak(program: &Program, sp: ExprId, step: StepId, next: &State, what: &str) {
    let Action::Assign(assigns) = &program.step(step).action else { return };
    for assign in assigns {
        let Place::Var(var) = assign.place else { continue };
        let slot = Semantics::new(program).layout().fixed_slot(program, var).unwrap();
        let mut other = next.clone();
        other.slots[slot] = if next.slots[slot] == 0 { 1 } else { 0 };
        assert_ne!(holds(program, sp, &other), Ok(true), "sp too weak: {what}");
    }
}

#[test]
fn terms_agree_with_execution() {
    for_random_cases(60, |case| {
        let text = random_program(&mut case.rng, &ProgramShape { statements: 1..=3, ..ProgramShape::default() });
        case.keep("program.gcl", text.clone());
        let mut program = tertium_gcl::compile(&text).program.unwrap();
        let atoms: Vec<ExprId> =
            program.properties.iter().flat_map(|property| property.atoms.values().copied()).collect();
        let post = atoms.into_iter().filter(|&atom| !program.footprint_of(atom).whole_system).collect::<Vec<_>>();
        let post = program.exprs.any(&post);
        for state in some_states(&program) {
            for step in program.step_ids() {
                check_step(&mut program, step, &state, post);
            }
        }
        assert!(program.variables.iter().all(|variable| variable.scope == Scope::Global || variable.cells() > 0));
    });
}

#[test]
fn independent_steps_commute() {
    for_random_cases(80, |case| {
        let text = random_program(&mut case.rng, &ProgramShape { processes: 2..=3, ..ProgramShape::default() });
        case.keep("program.gcl", text.clone());
        let program = tertium_gcl::compile(&text).program.unwrap();
        let semantics = Semantics::new(&program);
        for state in some_states(&program) {
            let moves: Vec<Move> = semantics.moves(&state);
            for a in &moves {
                for b in moves.iter().filter(|b| b.pid > a.pid) {
                    if program.footprint(a.step).is_independent_of(&program.footprint(b.step)) {
                        check_diamond(&semantics, &state, a, b);
                    }
                }
            }
        }
    });
}

fn check_diamond(semantics: &Semantics<'_>, state: &State, a: &Move, b: &Move) {
    let free = |state: &State| State::visible(state.slots.clone());
    let after = |state: &State, mv: &Move| match semantics.execute(state, mv) {
        Some(Outcome::Next(next)) => Some(free(&next)),
        _ => None,
    };
    let (Some(first), Some(second)) = (after(state, a), after(state, b)) else { return };
    let one = after(&first, b).expect("b stays enabled after a");
    let other = after(&second, a).expect("a stays enabled after b");
    assert_eq!(one, other, "{a:?} and {b:?} in {state:?}");
}

/// What the ways through the step `first` do in a state: the states they lead to, and whether one of them fails.
fn by_terms(program: &mut Program, first: StepId, state: &State) -> Option<(HashSet<State>, bool)> {
    let (mut next, mut fails) = (HashSet::new(), false);
    for way in program.ways(first).ok()? {
        let mut rows = vec![Vec::new()];
        for &step in &way.steps {
            let own = input_rows(program, step);
            rows = rows
                .iter()
                .flat_map(|row: &Vec<i64>| own.iter().map(move |more| [row.as_slice(), more].concat()))
                .collect();
        }
        for inputs in rows {
            let [enabled, safe] = [way.terms.enabled, way.terms.safe].map(|e| instantiated(program, e, &inputs, state));
            if holds(program, safe, state) != Ok(true) {
                fails = true;
            } else if holds(program, enabled, state) == Ok(true) {
                next.insert(assigned(program, &way.terms, &inputs, state));
            }
        }
    }
    Some((next, fails))
}

/// The state after the updates of a step.
fn assigned(program: &mut Program, terms: &tertium_program::StepTerms, inputs: &[i64], state: &State) -> State {
    let mut next = state.clone();
    let value = |program: &mut Program, expr| {
        let expr = instantiated(program, expr, inputs, state);
        Semantics::new(program).observe(expr, state).unwrap()
    };
    for update in &terms.updates {
        let var = update.place.variable();
        let mut slot = Semantics::new(program).layout().fixed_slot(program, var).unwrap();
        if let Place::Element(_, indices) = update.place {
            let index = program.exprs.list(indices)[0];
            slot += to_usize(value(program, index) - program.variable(var).dimensions[0].lo);
        }
        next.slots[slot] = value(program, update.value);
    }
    let frame = Semantics::new(program).layout().initial_frames()[terms.jump.0.index()];
    next.slots[frame + 1] = to_i64(terms.jump.2.index());
    next
}

#[test]
fn whole_blocks_agree_with_execution() {
    let blocks = std::cell::Cell::new(0);
    for_random_cases(150, |case| {
        let text = random_program(&mut case.rng, &ProgramShape { processes: 1..=2, ..ProgramShape::default() });
        case.keep("program.gcl", text.clone());
        let mut program = tertium_gcl::compile(&text).program.unwrap();
        for state in some_states(&program).into_iter().take(12) {
            for first in program.step_ids() {
                let step = program.step(first);
                let at = Expr::At(step.process, step.source);
                let enters = program.location(step.process, step.target).hold != tertium_program::Hold::Free;
                let inside = program.location(step.process, step.source).hold != tertium_program::Hold::Free;
                let at = program.exprs.add(at);
                if inside || holds(&program, at, &state) != Ok(true) {
                    continue;
                }
                let Some(found) = by_terms(&mut program, first, &state) else { continue };
                let (mut next, mut fails) = (HashSet::new(), false);
                for successor in Semantics::new(&program).successors(&state) {
                    if successor.moves[0].step == first {
                        match successor.outcome {
                            Outcome::Next(state) => drop(next.insert(state)),
                            Outcome::Fault { .. } => fails = true,
                        }
                    }
                }
                assert_eq!(found, (next, fails), "{} in {state:?}", program.step(first).text);
                blocks.set(blocks.get() + usize::from(enters));
            }
        }
    });
    assert!(blocks.get() > 50, "only {} blocks were entered", blocks.get());
}
