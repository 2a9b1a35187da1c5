//! What abstract steps are said to do to ranking functions is what every step of the program between them does.

mod common;

use std::collections::HashMap;

use common::{abstracted, concrete, program, random_predicates, system};
use tertium_abstraction::{AbstractState, AbstractionKind, Change};
use tertium_program::{Binary, ExprId, Outcome, ProcessId, Program, Scope, Semantics, Sort, State, Type};
use tertium_smt::Limit;
use tertium_testkit::{Case, ProgramShape, Rng, for_random_cases, random_program};

/// One integer, or two: variables, and how far they are from numbers or from each other.
fn random_rank(rng: &mut Rng, program: &mut Program) -> Vec<ExprId> {
    let is_number = |var: &tertium_program::VarId| {
        let variable = program.variable(*var);
        variable.scope == Scope::Global && variable.dimensions.is_empty() && matches!(variable.ty, Type::Range { .. })
    };
    let numbers: Vec<_> = program.variable_ids().filter(is_number).collect();
    if numbers.is_empty() {
        return Vec::new();
    }
    let mut rank = Vec::new();
    for _ in 0..1 + rng.below(2) {
        let number = program.exprs.var(*rng.pick(&numbers), Sort::Int);
        let other = match rng.below(3) {
            0 => program.exprs.var(*rng.pick(&numbers), Sort::Int),
            _ => program.exprs.int([-1, 0, 1, 2][rng.below(4)]),
        };
        rank.push(match rng.below(3) {
            0 => program.exprs.binary(Binary::Sub, other, number),
            1 => program.exprs.binary(Binary::Add, number, other),
            _ => program.exprs.binary(Binary::Sub, number, other),
        });
    }
    rank
}

/// By the definition: whether it decreases, and whether it does not increase.
fn truth(before: &[i64], after: &[i64]) -> (bool, bool) {
    match before.iter().zip(after).position(|(was, is)| was != is) {
        None => (false, true),
        Some(first) => {
            let decreases = after[first] < before[first] && before[first] >= 0;
            (decreases, decreases || (first + 1 == before.len() && after[first] < before[first]))
        }
    }
}

fn case_of(case: &mut Case) -> Option<(Program, Vec<ExprId>)> {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=3, statements: 1..=3, ..ProgramShape::default() };
    let text = random_program(&mut case.rng, &shape);
    case.keep("program.gcl", &text);
    let predicates = random_predicates(&mut case.rng, &program(&text, &[]));
    case.keep("predicates.txt", predicates.join("\n"));
    let texts: Vec<&str> = predicates.iter().map(String::as_str).collect();
    let mut program = program(&text, &texts);
    let rank = random_rank(&mut case.rng, &mut program);
    case.keep("rank.txt", rank.iter().map(|&expr| program.show(expr)).collect::<Vec<_>>().join(", "));
    let ways = program.step_ids().all(|step| program.clone().ways(step).is_ok());
    (ways && !rank.is_empty()).then_some((program, rank))
}

#[test]
fn steps_do_to_ranking_functions_what_is_said() {
    let (steps, decreasing, kept) = (std::cell::Cell::new(0), std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(60, |case| {
        let Some((program, rank)) = case_of(case) else { return };
        let Some((_, states)) = concrete(&program, 1500) else { return };
        let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
        let terms: Vec<_> = rank.iter().map(|&expr| system.number(expr).expect("a number")).collect();
        let semantics = Semantics::new(&program);
        let value = |state: &State| -> Vec<i64> {
            rank.iter().map(|&expr| semantics.observe(expr, state).expect("it has a value")).collect()
        };
        let mut known: HashMap<(AbstractState, ProcessId, AbstractState), Change> = HashMap::new();
        for state in &states {
            let from = abstracted(&program, &semantics, state);
            for successor in semantics.successors(state) {
                let Outcome::Next(next) = successor.outcome else { continue };
                let process = program.instances[successor.moves[0].pid as usize].process;
                let to = abstracted(&program, &semantics, &next);
                let said = *known
                    .entry((from.clone(), process, to.clone()))
                    .or_insert_with(|| system.change(&from, process, &to, &terms).expect("no limit is reached"));
                let (decreases, does_not_increase) = truth(&value(state), &value(&next));
                assert!(decreases || !said.decreases, "{:?} to {:?}: {said:?}", value(state), value(&next));
                assert!(does_not_increase || !said.does_not_increase, "{:?} to {:?}", value(state), value(&next));
                assert!(said.decreases_somehow || !said.decreases);
                steps.set(steps.get() + 1);
                decreasing.set(decreasing.get() + usize::from(said.decreases));
                kept.set(kept.get() + usize::from(said.does_not_increase && !said.decreases));
            }
        }
    });
    let (steps, decreasing, kept) = (steps.get(), decreasing.get(), kept.get());
    assert!(decreasing > 20 && kept > 100 && decreasing + kept < steps, "{decreasing}, {kept} of {steps}");
}
