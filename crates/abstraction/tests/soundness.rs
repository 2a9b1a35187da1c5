//! Random programs with small domains: every kind of abstraction is below the program in the completeness preorder, and the
//! exact kinds are exact.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{abstracted, atoms, concrete, explored, program, random_predicates, system};
use tertium_abstraction::hyper::smallest_hitting_sets;
use tertium_abstraction::{AbstractState, AbstractionKind, StructureOptions};
use tertium_base::Budget;
use tertium_model::refines;
use tertium_program::analysis::LocationInvariants;
use tertium_program::analysis::location_invariants::LinearConstraint;
use tertium_program::layout::{FRAME_LOCATION, FRAME_PROCESS};
use tertium_program::{LocationId, Outcome, ProcessId, Program, Scope, Semantics, State, VarId};
use tertium_smt::Limit;
use tertium_testkit::{Case, ProgramShape, for_random_cases, random_program};

fn random_case(case: &mut Case) -> Option<Program> {
    let shape = ProgramShape { processes: 1..=2, variables: 1..=2, statements: 1..=3, ..ProgramShape::default() };
    let text = random_program(&mut case.rng, &shape);
    case.keep("program.gcl", &text);
    let plain = program(&text, &[]);
    let predicates = random_predicates(&mut case.rng, &plain);
    case.keep("predicates.txt", predicates.join("\n"));
    let texts: Vec<&str> = predicates.iter().map(String::as_str).collect();
    let program = program(&text, &texts);
    // Blocks with loops have no terms.
    let mut probe = program.clone();
    let ways = program.step_ids().all(|step| probe.ways(step).is_ok());
    ways.then_some(program)
}

/// Some variables stay concrete, too.
fn keeping(case: &mut Case, mut program: Program) -> Program {
    let all: Vec<tertium_program::VarId> = program.variable_ids().collect();
    program.keep = case.rng.some_of(&all);
    case.keep("keep.txt", program.keep.iter().map(|&var| program.show_variable(var)).collect::<Vec<_>>().join(", "));
    program
}

#[test]
fn mixed_states_are_refined_by_the_program() {
    for_random_cases(30, |case| {
        let Some(program) = random_case(case) else { return };
        let program = keeping(case, program);
        check_below(case, &program, Limit::default(), false);
    });
}

/// Where predicates are local, abstract states stand for more, and what is said of them is still true.
#[test]
fn local_predicates_tell_less_and_nothing_wrong() {
    let dropped = std::cell::Cell::new(0);
    for_random_cases(40, |case| {
        let Some(program) = random_case(case) else { return };
        if check_below(case, &program, Limit::default(), true) == Some(true) {
            dropped.set(dropped.get() + 1);
        }
    });
    assert!(dropped.get() > 5, "only in {} programs something was dropped", dropped.get());
}

#[test]
fn diagrams_tell_what_each_state_alone_would() {
    let (shared, alone) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    for_random_cases(12, |case| {
        let shape = ProgramShape { processes: 2..=2, variables: 2..=4, statements: 1..=3, ..ProgramShape::default() };
        let text = random_program(&mut case.rng, &shape);
        case.keep("program.gcl", &text);
        let predicates = random_predicates(&mut case.rng, &program(&text, &[]));
        case.keep("predicates.txt", predicates.join("\n"));
        let texts: Vec<&str> = predicates.iter().map(String::as_str).collect();
        let program = program(&text, &texts);
        if !program.step_ids().all(|step| program.clone().ways(step).is_ok()) {
            return;
        }
        let program = keeping(case, program);
        for kind in AbstractionKind::ALL {
            case.keep("kind.txt", kind.name());
            let mut remembering = system(&program, kind, Limit::default());
            let mut forgetful = system(&program, kind, Limit::default()).forgetful();
            if case.rng.chance(50) {
                remembering.make_predicates_local(&[]);
                forgetful.make_predicates_local(&[]);
            }
            let (with, without) = (explored(&mut remembering).unwrap(), explored(&mut forgetful).unwrap());
            assert_eq!(with.states, without.states);
            assert_eq!(with.expansions, without.expansions);
            for state in &with.states {
                assert_eq!(remembering.possible_steps(state), forgetful.possible_steps(state));
            }
            shared.set(shared.get() + remembering.queries().calls());
            alone.set(alone.get() + forgetful.queries().calls());
        }
    });
    assert!(shared.get() <= alone.get(), "{} calls with diagrams, {} without", shared.get(), alone.get());
}

/// Compares the program with its abstractions of all kinds, in which predicates are local or not; whether some predicate was dropped somewhere.
fn check_below(case: &mut Case, program: &Program, limit: Limit, local: bool) -> Option<bool> {
    let (truth, _) = concrete(program, 3000)?;
    let mut dropped = false;
    for kind in AbstractionKind::ALL {
        case.keep("kind.txt", kind.name());
        let mut system = system(program, kind, limit);
        if local {
            let asked: Vec<_> = atoms(program).into_iter().map(|(_, atom)| atom).take(case.rng.below(2)).collect();
            dropped |= system.make_predicates_local(&asked);
        }
        let explored = explored(&mut system).unwrap();
        let names = atoms(program);
        let structure =
            explored.structure(&mut system, &names, &StructureOptions::default(), &Budget::unlimited()).unwrap();
        let relation = refines(&structure, &truth, &Budget::unlimited()).unwrap();
        let missed = relation.initial(&structure, &truth).err();
        assert_eq!(missed, None, "an initial state that refines no abstract one");
        if limit == Limit::default() {
            assert!(explored.initial.iter().all(|&(_, certain)| certain));
        }
        for (number, certain) in &explored.initial {
            let real = truth.init().iter().any(|&c| relation.contains(tertium_model::StateId::new(*number), c));
            assert!(real || !certain, "an initial state that stands for nothing");
        }
    }
    Some(dropped)
}

#[test]
fn every_abstraction_is_refined_by_its_program() {
    let done = std::cell::Cell::new(0);
    for_random_cases(60, |case| {
        let Some(program) = random_case(case) else { return };
        if check_below(case, &program, Limit::default(), false).is_some() {
            done.set(done.get() + 1);
        }
    });
    assert!(done.get() > 30, "only {} programs were compared", done.get());
}

#[test]
fn solvers_that_give_up_leave_less_known_never_something_wrong() {
    for_random_cases(25, |case| {
        let Some(program) = random_case(case) else { return };
        let work = *case.rng.pick(&[1, 30, 100, 300]);
        check_below(case, &program, Limit { work: Some(work), time: None }, false);
    });
}

/// All program states within types, at the locations of some abstract state; `None` if there are many.
fn all_states(program: &Program, bounds: &[(i64, i64)], locations: &[LocationId]) -> Option<Vec<State>> {
    let semantics = Semantics::new(program);
    let slots = semantics.first_slots().ok()?;
    let mut rows = vec![slots];
    for var in program.variable_ids() {
        let first = semantics.layout().fixed_slot(program, var)?;
        for cell in 0..program.variable(var).cells() {
            let (lo, hi) = bounds[var.index()];
            rows = rows
                .into_iter()
                .flat_map(|row| {
                    (lo..=hi).map(move |value| {
                        let mut row = row.clone();
                        row[first + cell] = value;
                        row
                    })
                })
                .collect();
            if rows.len() > 2000 {
                return None;
            }
        }
    }
    let frames = semantics.layout().initial_frames().to_vec();
    for row in &mut rows {
        for (instance, frame) in program.instances.iter().zip(&frames) {
            row[frame + 1] = i64::from(locations[instance.process.index()].number());
        }
    }
    Some(rows.into_iter().map(State::visible).collect())
}

type Sets = BTreeSet<BTreeSet<AbstractState>>;

type Told = BTreeMap<(ProcessId, LocationId), Vec<LinearConstraint<VarId>>>;

/// What is known at locations, as far as it can be written down.
fn told(program: &Program) -> Told {
    let (known, mut told) = (LocationInvariants::of(program), Told::new());
    let mut program = program.clone();
    for process in program.process_ids() {
        for at in (0..program.process(process).locations.len()).map(LocationId::new) {
            let constraints = known.at(process, at).unwrap_or_default().iter();
            let can_be_said = constraints.filter(|one| one.expr(&mut program).is_some()).cloned().collect();
            told.insert((process, at), can_be_said);
        }
    }
    told
}

/// Whether a state satisfies what is known where its processes are.
fn satisfies(semantics: &Semantics<'_>, told: &Told, state: &State) -> bool {
    let (program, layout) = (semantics.program(), semantics.layout());
    let frames = layout.frames(&state.slots);
    let slot = |frame: usize, at: usize| usize::try_from(state.slots[frame + at]).expect("not negative");
    let value = |var: VarId| {
        let base = match program.variable(var).scope {
            Scope::Global => 0,
            Scope::Local(process) => {
                *frames.iter().find(|&&frame| slot(frame, FRAME_PROCESS) == process.index()).expect("it runs")
            }
        };
        state.slots[base + layout.variable(var)]
    };
    frames.iter().all(|&frame| {
        let spot = (ProcessId::new(slot(frame, FRAME_PROCESS)), LocationId::new(slot(frame, FRAME_LOCATION)));
        told[&spot].iter().all(|one| one.holds(value))
    })
}

#[test]
fn possible_steps_and_certain_sets_are_exact() {
    let done = std::cell::Cell::new(0);
    for_random_cases(60, |case| {
        let Some(program) = random_case(case) else { return };
        let semantics = Semantics::new(&program);
        let mut system = system(&program, AbstractionKind::Hyper, Limit::default());
        let bounds: Vec<(i64, i64)> = tertium_abstraction::invariants::intervals(&program)
            .iter()
            .map(|(lo, hi)| (i64::try_from(lo.unwrap()).unwrap(), i64::try_from(hi.unwrap()).unwrap()))
            .collect();
        let explored = explored(&mut system).unwrap();
        let known = told(&program);
        for (state, expansion) in explored.states.iter().zip(&explored.expansions).take(12) {
            let Some(all) = all_states(&program, &bounds, &state.locations) else { return };
            // For every process, and for all together: the abstract states that each program state can step into.
            let mut rows: BTreeMap<Option<usize>, BTreeSet<BTreeSet<AbstractState>>> = BTreeMap::new();
            let stands_for =
                |c: &&State| abstracted(&program, &semantics, c) == *state && satisfies(&semantics, &known, c);
            for c in all.iter().filter(stands_for) {
                let mut own: BTreeMap<Option<usize>, BTreeSet<AbstractState>> = BTreeMap::new();
                for successor in semantics.successors(c) {
                    if let Outcome::Next(next) = successor.outcome {
                        let process = program.instances[successor.moves[0].pid as usize].process.index();
                        let target = abstracted(&program, &semantics, &next);
                        own.entry(Some(process)).or_default().insert(target.clone());
                        own.entry(None).or_default().insert(target);
                    }
                }
                for key in (0..program.processes.len()).map(Some).chain([None]) {
                    rows.entry(key).or_default().insert(own.remove(&key).unwrap_or_default());
                }
            }
            for (key, rows) in &rows {
                let expected: BTreeSet<&AbstractState> = rows.iter().flatten().collect();
                if let Some(process) = key {
                    let found: BTreeSet<&AbstractState> = expansion
                        .steps
                        .iter()
                        .filter(|step| step.may && step.process.index() == *process)
                        .map(|step| &step.target)
                        .collect();
                    assert_eq!(found, expected, "possible steps of {process} from {}", system.name(state));
                }
                let expected = hitting(rows);
                let found = certain(expansion, *key);
                let told: Vec<_> = expected.iter().filter(|set| !found.contains(*set)).collect();
                assert!(told.is_empty(), "certain sets of {key:?} from {}: missing {told:?}", system.name(state));
                let wrong: Vec<_> =
                    found.iter().filter(|set| !rows.iter().all(|row| row.iter().any(|t| set.contains(t)))).collect();
                assert!(wrong.is_empty(), "no certain sets of {key:?} from {}: {wrong:?}", system.name(state));
            }
        }
        done.set(done.get() + 1);
    });
    assert!(done.get() > 25, "only {} programs were compared", done.get());
}

/// The certain sets of a process, or of all together: what one process makes certain, all do.
fn certain(expansion: &tertium_abstraction::Expansion, key: Option<usize>) -> Sets {
    let fits = |process: Option<usize>| key.is_none() || process == key;
    let singles = expansion
        .steps
        .iter()
        .filter(|step| step.must && fits(Some(step.process.index())))
        .map(|step| BTreeSet::from([step.target.clone()]));
    let sets = expansion
        .hyper
        .iter()
        .filter(|(_, process)| fits(process.map(|process| process.index())))
        .map(|(set, _)| set.iter().cloned().collect());
    singles.chain(sets).collect()
}

fn hitting(rows: &BTreeSet<BTreeSet<AbstractState>>) -> Sets {
    if rows.is_empty() || rows.iter().any(BTreeSet::is_empty) {
        return Sets::new();
    }
    let states: Vec<&AbstractState> = rows.iter().flatten().collect::<BTreeSet<_>>().into_iter().collect();
    let rows: Vec<Vec<usize>> =
        rows.iter().map(|row| (0..states.len()).filter(|&at| row.contains(states[at])).collect()).collect();
    let sets = smallest_hitting_sets(&rows, 10_000);
    sets.into_iter().map(|set| set.into_iter().map(|at| states[at].clone()).collect()).collect()
}

#[test]
fn reached_states_lie_within_the_bounds_of_variables() {
    for_random_cases(100, |case| {
        let text = random_program(&mut case.rng, &ProgramShape::default());
        case.keep("program.gcl", &text);
        let program = program(&text, &[]);
        let semantics = Semantics::new(&program);
        let known = tertium_abstraction::invariants::intervals(&program);
        let mut states = semantics.initial_states(1 << 12, &Budget::unlimited()).unwrap();
        let mut seen: BTreeSet<Vec<i64>> = BTreeSet::new();
        while let Some(state) = states.pop().filter(|_| seen.len() < 2000) {
            if !seen.insert(state.slots.clone()) {
                continue;
            }
            for var in program.variable_ids() {
                let (at, (lo, hi)) = (semantics.layout().fixed_slot(&program, var).unwrap(), known[var.index()]);
                for &value in &state.slots[at..at + program.variable(var).cells()] {
                    let fits = lo.is_none_or(|lo| lo <= value.into()) && hi.is_none_or(|hi| hi >= value.into());
                    assert!(fits, "{} = {value}, not in {lo:?}..{hi:?}", program.show_variable(var));
                }
            }
            let next = |outcome| if let Outcome::Next(next) = outcome { Some(next) } else { None };
            states.extend(semantics.successors(&state).into_iter().filter_map(|successor| next(successor.outcome)));
        }
    });
}

#[test]
fn linear_forms_keep_bounds_that_intervals_alone_lose() {
    let text = "system linear\nvar x : 0..100 = 1\nvar y : 0..100 = 7\nprocess P { loop { x := x + y - x; y := 2 * y - y; } }\n";
    let program = program(text, &[]);
    let known = tertium_abstraction::invariants::intervals(&program);
    assert_eq!(known, [(Some(1), Some(7)), (Some(7), Some(7))]);
}
