//! Random programs with small domains: whatever is put into the spotlight, the abstraction is below the program in the
//! completeness preorder.

mod common;

use common::{atoms, concrete_named, program, random_predicates, system};
use tertium_abstraction::Kind;
use tertium_abstraction::spotlight::{SHADE, SpotExplored, SpotShape, Spotlight};
use tertium_base::Budget;
use tertium_model::refines;
use tertium_program::{ProcessId, Program};
use tertium_smt::Limit;
use tertium_testkit::{Case, ProgramShape, for_random_cases, random_program};

fn random_case(case: &mut Case) -> Option<(Program, Spotlight)> {
    let shape = ProgramShape { processes: 2..=3, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    let text = random_program(&mut case.rng, &shape);
    case.keep("program.gcl", &text);
    let plain = program(&text, &[]);
    let predicates = random_predicates(&mut case.rng, &plain);
    case.keep("predicates.txt", predicates.join("\n"));
    let texts: Vec<&str> = predicates.iter().map(String::as_str).collect();
    let program = program(&text, &texts);
    let mut probe = program.clone();
    // Blocks with loops have no terms.
    if !program.step_ids().all(|step| probe.ways(step).is_ok()) {
        return None;
    }
    let all: Vec<ProcessId> = program.process_ids().collect();
    let lit = case.rng.some_of(&all);
    case.keep("spotlight.txt", format!("{lit:?}"));
    Some((program, Spotlight::of(lit)))
}

fn check_below(program: &Program, spotlight: &Spotlight, limit: Limit) -> Option<()> {
    let name = |process: ProcessId| match spotlight.holds(process) {
        true => program.process(process).name.clone(),
        false => SHADE.to_owned(),
    };
    let (truth, _) = concrete_named(program, 3000, &name)?;
    let mut system = system(program, Kind::Hyper, limit);
    let budget = Budget::unlimited();
    let mut explored = SpotExplored::visit(&mut system, spotlight, &budget, &mut |_, _| {}).unwrap();
    let shape = SpotShape::default();
    let structure = explored.structure(&mut system, 0, &atoms(program), &shape, &budget).unwrap();
    let relation = refines(&structure, &truth, &budget).unwrap();
    assert_eq!(relation.initial(&structure, &truth).err(), None, "an initial state that refines no abstract one");
    assert!(!explored.certain || !truth.init().is_empty());
    Some(())
}

#[test]
fn a_spotlight_is_refined_by_its_program() {
    let done = std::cell::Cell::new(0);
    for_random_cases(60, |case| {
        let Some((program, spotlight)) = random_case(case) else { return };
        if check_below(&program, &spotlight, Limit::default()).is_some() {
            done.set(done.get() + 1);
        }
    });
    assert!(done.get() > 25, "only {} programs were compared", done.get());
}

#[test]
fn a_solver_that_gives_up_leaves_less_known() {
    for_random_cases(20, |case| {
        let Some((program, spotlight)) = random_case(case) else { return };
        let work = *case.rng.pick(&[1, 30, 100, 300]);
        check_below(&program, &spotlight, Limit { work: Some(work), time: None });
    });
}

/// Two branches of which nobody knows which is taken: one of them is certain, neither alone.
#[test]
fn complementary_branches_are_certain_together() {
    let text = "system s\nvar v : int\nvar p : bool = false\n\
        process P { head: while v > 0 { skip; } mark: p := true; }\nprocess Q { loop { v := *; } }";
    let program = program(text, &["p"]);
    let mut system = system(&program, Kind::Hyper, Limit::default());
    let budget = Budget::unlimited();
    let spotlight = Spotlight::of(vec![ProcessId::new(0)]);
    let mut explored = SpotExplored::visit(&mut system, &spotlight, &budget, &mut |_, _| {}).unwrap();
    let first = explored.plain(&mut system, 0, 0).unwrap();
    assert_eq!((first.steps.len(), first.joint.len(), first.may_stop), (2, 1, false));
    assert!(first.steps.iter().all(|step| !step.must));
    let structure = explored.structure(&mut system, 0, &atoms(&program), &SpotShape::default(), &budget).unwrap();
    assert_eq!(structure.hyper_count(), 1);
}
