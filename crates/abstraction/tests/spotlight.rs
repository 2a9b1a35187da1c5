//! Random programs with small domains: whatever is put into the spotlight, the abstraction is below the program in the
//! completeness preorder.

mod common;

use common::{atoms, concrete_named, program, random_predicates, system};
use tertium_abstraction::AbstractionKind;
use tertium_abstraction::spotlight::{
    Label, MOST_PARAMETERS, Parameter, SHADE, ShadeModel, SpotExplored, SpotShape, Spotlight,
};
use tertium_base::Budget;
use tertium_lattice::Belnap;
use tertium_model::{Kmts, PropId, StateId, refines};
use tertium_program::search::Limits;
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

fn check_below(program: &Program, spotlight: &Spotlight, shade: ShadeModel, limit: Limit) -> Option<()> {
    let name = |process: ProcessId| match spotlight.holds(process) {
        true => program.process(process).name.clone(),
        false => SHADE.to_owned(),
    };
    let (truth, _) = concrete_named(program, 3000, &name)?;
    let mut system = system(program, AbstractionKind::Hyper, limit);
    let budget = Budget::unlimited();
    let limits = Limits { most: 100_000, budget: &budget };
    let mut explored = SpotExplored::visit_with(&mut system, (spotlight, shade), limits, &mut |_, _| {}).unwrap();
    let shape = SpotShape { anything: shade == ShadeModel::AtRest, ..SpotShape::default() };
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
        let shade = *case.rng.pick(&[ShadeModel::Effects, ShadeModel::Havoc, ShadeModel::AtRest]);
        if check_below(&program, &spotlight, shade, Limit::default()).is_some() {
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
        check_below(&program, &spotlight, ShadeModel::Effects, Limit { work: Some(work), time: None });
    });
}

/// Two branches of which nobody knows which is taken: one of them is certain, neither alone.
#[test]
fn complementary_branches_are_certain_together() {
    let text = "system s\nvar v : int\nvar p : bool = false\n\
        process P { head: while v > 0 { skip; } mark: p := true; }\nprocess Q { loop { v := *; } }";
    let program = program(text, &["p"]);
    let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
    let budget = Budget::unlimited();
    let spotlight = Spotlight::of(vec![ProcessId::new(0)]);
    let mut explored = SpotExplored::visit(&mut system, &spotlight, &budget, &mut |_, _| {}).unwrap();
    let first = explored.plain(&mut system, 0, 0).unwrap();
    assert_eq!((first.steps.len(), first.joint.len(), first.may_stop), (2, 1, false));
    assert!(first.steps.iter().all(|step| !step.must));
    let structure = explored.structure(&mut system, 0, &atoms(&program), &SpotShape::default(), &budget).unwrap();
    assert_eq!(structure.hyper_count(), 1);
}

/// Every possible step and no certain one but those of the shade is left out where the shade is at rest.
#[test]
fn without_the_shade_there_is_a_part_of_the_structure() {
    let compared = std::cell::Cell::new(0);
    for_random_cases(20, |case| {
        let Some((program, spotlight)) = random_case(case) else { return };
        let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
        let budget = Budget::unlimited();
        let whole = SpotExplored::visit(&mut system, &spotlight, &budget, &mut |_, _| {}).unwrap();
        let limits = Limits { most: 100_000, budget: &budget };
        let rest = (&spotlight, ShadeModel::AtRest);
        let part = SpotExplored::visit_with(&mut system, rest, limits, &mut |_, _| {}).unwrap();
        for (number, state) in part.states.iter().enumerate() {
            let same = whole.states.iter().position(|known| known == state).expect("a state of the whole");
            for step in &part.steps[number] {
                let target = &part.states[step.target];
                let found =
                    whole.steps[same].iter().find(|known| known.mover == step.mover).expect("a step of the whole");
                assert_eq!((&whole.states[found.target], found.may, found.must), (target, step.may, step.must));
                compared.set(compared.get() + 1);
            }
            let certain =
                |explored: &SpotExplored, at: usize| explored.steps[at].iter().filter(|step| step.must != 0).count();
            assert_eq!(certain(&part, number), certain(&whole, same));
        }
    });
    assert!(compared.get() > 50);
}

/// Names for unknown labels, as far as they go, in the order of states.
fn with_names(case: &mut Case, system: &mut tertium_abstraction::System, mut spotlight: Spotlight) -> SpotExplored {
    loop {
        let explored = SpotExplored::visit(system, &spotlight, &Budget::unlimited(), &mut |_, _| {}).unwrap();
        let unknown: Vec<(usize, usize)> = (0..explored.states.len())
            .flat_map(|at| (0..explored.states[at].labels.len()).map(move |predicate| (at, predicate)))
            .filter(|&(at, predicate)| explored.states[at].labels[predicate] == Label::Unknown)
            .collect();
        if spotlight.parameters.len() >= MOST_PARAMETERS.min(3) || unknown.is_empty() {
            return explored;
        }
        let (at, predicate) = *case.rng.pick(&unknown);
        let site = Parameter::Site(explored.entered[at].clone(), predicate);
        if spotlight.parameters.contains(&site) {
            return explored;
        }
        spotlight.parameters.push(site);
    }
}

/// Whether the first structure says no more than the second: labels and certain steps are there, possible ones not missing.
fn says_no_more(less: &Kmts, more: &Kmts, props: usize) {
    for state in less.states() {
        for prop in (0..props).map(PropId::new) {
            let (told, known) = (less.label(state, prop), more.label(state, prop));
            assert!(told == Belnap::Unknown || told == known, "{told} for {known}");
        }
        for edge in less.edges_from(state).filter(|edge| edge.must) {
            assert!(more.must_successors(state).any(|target| target == edge.target));
        }
        for edge in more.edges_from(state).filter(|edge| edge.may) {
            assert!(less.edges_from(state).any(|known| known.may && known.target == edge.target));
        }
    }
}

#[test]
fn instances_of_the_parameterised_structure_are_its_structures() {
    let (named, equal) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(25, |case| {
        let Some((program, spotlight)) = random_case(case) else { return };
        let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
        let mut explored = with_names(case, &mut system, spotlight);
        let (atoms, budget) = (atoms(&program), Budget::unlimited());
        let shape = SpotShape { stutter: true, single: true, ..SpotShape::default() };
        let family = explored.parameterised(&mut system, &atoms, &[], &budget).unwrap();
        assert_eq!(1usize << family.params().len(), explored.assignments());
        for assignment in 0..explored.assignments() {
            let given: Vec<bool> = (0..family.params().len()).map(|at| assignment >> at & 1 != 0).collect();
            let instance = family.instance(&given).unwrap();
            let structure = explored.structure(&mut system, assignment, &atoms, &shape, &budget).unwrap();
            says_no_more(&instance, &structure, atoms.len());
            equal.set(equal.get() + usize::from(instance.state_count() == structure.state_count()));
        }
        named.set(named.get() + family.params().len());
    });
    assert!(named.get() > 5, "only {} names", named.get());
}

/// The two branches of a loop get one parameter, `x1` and `!x1`; each instance has one of them, for certain.
#[test]
fn branches_get_complementary_parameters() {
    let text = "system s\nvar v : int\nvar p : bool = false\n\
        process P { head: while v > 0 { skip; } mark: p := true; }\nprocess Q { loop { v := *; } }";
    let program = program(text, &["p"]);
    let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
    let budget = Budget::unlimited();
    let spotlight = Spotlight::of(vec![ProcessId::new(0)]);
    let mut explored = SpotExplored::visit(&mut system, &spotlight, &budget, &mut |_, _| {}).unwrap();
    let branches = explored.complementary_branches(&mut system).unwrap();
    assert_eq!(branches.len(), 1);
    let family = explored.parameterised(&mut system, &atoms(&program), &branches, &budget).unwrap();
    let first: Vec<String> =
        family.edges_from(StateId::new(0)).iter().map(|edge| family.value_text(edge.value)).collect();
    assert!(first.contains(&"x1".to_owned()) && first.contains(&"!x1".to_owned()), "{first:?}");
    for given in [[false], [true]] {
        assert_eq!(family.instance(&given).unwrap().must_successors(StateId::new(0)).count(), 1);
    }
}
