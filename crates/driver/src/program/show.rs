//! The abstraction itself: its program over truth values, its structure, and what it cost.

use tertium_abstraction::invariants::intervals;
use tertium_abstraction::keep::{MOST_INDEX_VALUES, Reason as Kept, Taint, tainted};
use tertium_abstraction::{EdgeCounts, Explored, StructureOptions, System};
use tertium_base::Budget;
use tertium_lattice::Kleene;
use tertium_model::Model;
use tertium_program::{Action, Expr, ExprId, LocationId, Place, Program, StepId, VarId};

use super::error_trace::{ErrorTrace, error_traces};
use super::predicate_abstraction::{AbstractionOptions, Prepared, failed, prepare};
use super::questions::{PropertyQuery, Question, questions};
use crate::Observer;
use crate::export::{Target, export};
use crate::failure::Failure;
use crate::input::Loaded;
use crate::program::ProgramFile;

/// A step over truth values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldStep {
    /// Who takes it.
    pub process: String,
    /// Where it stands: a label or a number.
    pub at: String,
    /// Where it leads.
    pub to: String,
    /// The statement.
    pub statement: String,
    /// When it may be taken.
    pub guard: String,
    /// Whether it can then surely be taken.
    pub exact: bool,
    /// `B1 := F`, and so on.
    pub assignments: Vec<String>,
}

/// What an abstraction is.
#[derive(Clone, Debug)]
pub struct AbstractionSummary {
    /// The predicates: `B1` is the first.
    pub predicates: Vec<String>,
    /// Variables that stay concrete, and why.
    pub kept: Vec<(String, String)>,
    /// Indices that do not stay concrete, and why.
    pub tainted: Vec<(String, String)>,
    /// What is known beforehand.
    pub invariants: Vec<String>,
    /// What holds at the start, over the predicates and kept variables.
    pub initially: String,
    /// The steps over truth values.
    pub steps: Vec<ToldStep>,
    /// Abstract paths to states that may break a property, if they are asked for.
    pub traces: Vec<ErrorTrace>,
    /// Abstract states that can be reached.
    pub states: usize,
    /// Initial ones among them.
    pub initial: usize,
    /// The steps between them.
    pub edges: EdgeCounts,
    /// Calls of the solver by purpose, for the structure.
    pub calls: Vec<(&'static str, u64)>,
    /// Calls for the program over truth values.
    pub program_calls: u64,
    /// Calls in which the solver gave up.
    pub gave_up: u64,
    /// The solver.
    pub solver: String,
}

/// Abstracts a program and tells how. With a target, the structure as text, too; with traces, the paths to what may be broken.
///
/// # Errors
/// If the program cannot be abstracted, or a limit is reached.
pub fn show(
    file: &ProgramFile,
    options: &AbstractionOptions,
    (target, with_traces): (Option<Target>, bool),
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(AbstractionSummary, Option<Vec<u8>>), Failure> {
    let asked: Vec<ExprId> =
        file.program.properties.iter().flat_map(|property| property.atoms.values().copied()).collect();
    let mut prepared = prepare(file, &asked, options, budget)?;
    let system = &mut prepared.system;
    let explored = Explored::visit(system, budget, &mut |done, known| {
        observer.phase(&format!("abstracting: {done} of {known} states"));
    });
    let explored = explored.map_err(|why| failed(file, system.program(), why))?;
    let calls: Vec<(&'static str, u64)> =
        system.queries().counts().iter().map(|(purpose, count)| (purpose.word(), count.calls)).collect();
    let before = system.queries().calls();
    let traces = if with_traces { traces(file, &mut prepared, &explored, budget)? } else { Vec::new() };
    let system = &mut prepared.system;
    let written = match target {
        None => None,
        Some(target) => {
            let atoms = atoms_with_locations(system);
            let options = StructureOptions { by_statement: true, ..StructureOptions::default() };
            let structure = explored.structure(system, &atoms, &options, budget);
            let structure = structure.map_err(|why| failed(file, system.program(), why))?;
            let loaded = Loaded::of_model("", Model::Kmts(structure));
            let mut text = Vec::new();
            export(&loaded, target, &mut text).map_err(|error| Failure::Internal(error.to_string()))?;
            Some(text)
        }
    };
    let labelled = system.queries().calls();
    let steps = system.boolean_program();
    let steps = steps.map_err(|why| failed(file, system.program(), why))?;
    let program = &system.program().clone();
    let told = steps.iter().map(|step| {
        let operation = &system.operations()[step.operation];
        let texts: Vec<&str> = operation.steps.iter().map(|&id| program.step(id).text.as_str()).collect();
        ToldStep {
            process: program.process(operation.process).name.clone(),
            at: program.location_name(operation.process, operation.source),
            to: program.location_name(operation.process, operation.target),
            statement: texts.join("; "),
            guard: step.guard.clone(),
            exact: step.exact,
            assignments: (kept_assignments(system, &operation.steps).into_iter())
                .chain(step.assignments.iter().map(ToString::to_string))
                .collect(),
        }
    });
    let shown = AbstractionSummary {
        initially: initially(system, &explored),
        steps: told.collect(),
        traces,
        predicates: system.predicates().iter().map(|predicate| predicate.name.clone()).collect(),
        kept: system
            .kept_variables()
            .iter()
            .map(|&(var, reason)| {
                let why = match reason {
                    Kept::Asked => "asked for".to_owned(),
                    Kept::Channel => "part of a channel".to_owned(),
                    Kept::Few(count) => format!("{count} values, none of which comes from an abstract variable"),
                    Kept::Index(array) => format!("an index of `{}`", program.show_variable(array)),
                    Kept::Feeds(other) => {
                        format!("`{}`, which stays concrete, is computed from it", program.show_variable(other))
                    }
                };
                (program.show_variable(var), why)
            })
            .collect(),
        tainted: told_taints(program, system.kept_variables()),
        invariants: system
            .invariants()
            .into_iter()
            .map(|(var, (lo, hi))| {
                let name = program.show_variable(var);
                match (lo, hi) {
                    (Some(lo), Some(hi)) if lo == hi => format!("{name} = {lo}"),
                    (Some(lo), Some(hi)) => format!("{lo} <= {name} <= {hi}"),
                    (Some(lo), None) => format!("{name} >= {lo}"),
                    (None, Some(hi)) => format!("{name} <= {hi}"),
                    (None, None) => name,
                }
            })
            .chain(location_invariants(program, system))
            .collect(),
        states: explored.states.len(),
        initial: explored.initial.len(),
        edges: explored.edges(),
        calls,
        program_calls: system.queries().calls() - labelled,
        gave_up: system.queries().gave_up(),
        solver: system.queries().solver(),
    };
    debug_assert!(before <= labelled);
    Ok((shown, written))
}

/// What holds wherever processes are at locations: one line for each location.
fn location_invariants(program: &Program, system: &System) -> Vec<String> {
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    for one in system.location_invariants() {
        let place =
            format!("{}@{}", program.process(one.process).name, program.location_name(one.process, one.location));
        let condition = one.condition.map_or_else(|| "never".to_owned(), |condition| program.show(condition));
        match told.last_mut() {
            Some((last, conditions)) if *last == place => conditions.push(condition),
            _ => told.push((place, vec![condition])),
        }
    }
    told.into_iter().map(|(place, conditions)| format!("{place}: {}", conditions.join(", "))).collect()
}

/// Why indices do not stay concrete.
fn told_taints(program: &Program, kept: &[(VarId, Kept)]) -> Vec<(String, String)> {
    let found = tainted(program, &intervals(program), kept);
    let told = |(index, array, taint): (VarId, VarId, Taint)| {
        let array = program.show_variable(array);
        let why = match taint {
            Taint::From(var) => format!("`{}`, which is abstract, flows into it", program.show_variable(var)),
            Taint::Chosen => "a value flows into it that a step chooses or computes from such a one".to_owned(),
            Taint::Range => format!("it has more than {MOST_INDEX_VALUES} values, or is no plain variable"),
        };
        (program.show_variable(index), format!("an index of `{array}`, but {why}"))
    };
    found.into_iter().map(told).collect()
}

/// The paths to what may be broken.
fn traces(
    file: &ProgramFile,
    prepared: &mut Prepared,
    explored: &Explored,
    budget: &Budget,
) -> Result<Vec<ErrorTrace>, Failure> {
    let asked: Vec<PropertyQuery> = (questions(file, &[], false)?.into_iter())
        .filter_map(|question| match question {
            Question::Property(asked) => Some(*asked),
            _ => None,
        })
        .collect();
    error_traces(file, prepared, explored, &asked, budget)
}

/// The predicates, and where the processes are.
fn atoms_with_locations(system: &mut System) -> Vec<(String, ExprId)> {
    let mut atoms: Vec<(String, ExprId)> =
        system.predicates().iter().map(|predicate| (predicate.name.clone(), predicate.expr)).collect();
    let program = system.program_mut();
    for process in program.process_ids() {
        for at in (0..program.process(process).locations.len()).map(LocationId::new) {
            let name = format!("{}@{}", program.process(process).name, program.location_name(process, at));
            if !atoms.iter().any(|(known, _)| *known == name) {
                atoms.push((name, program.exprs.add(Expr::At(process, at))));
            }
        }
    }
    atoms
}

/// With more initial states than this, only their number is told.
const MOST_INITIAL: usize = 8;

/// What holds at the start.
fn initially(system: &System, explored: &Explored) -> String {
    let cube = |&(number, _): &(usize, bool)| {
        let state = &explored.states[number];
        let kept = system.kept().iter().zip(&state.kept).map(|(kept, &value)| {
            let name = system.program().show_variable(kept.var);
            let cell = if system.program().variable(kept.var).dimensions.is_empty() {
                String::new()
            } else {
                format!("[{}]", kept.cell)
            };
            format!("{name}{cell} = {value}")
        });
        let literals = state.cube.iter().enumerate().filter_map(|(at, value)| match value {
            Kleene::True => Some(format!("B{}", at + 1)),
            Kleene::False => Some(format!("!B{}", at + 1)),
            Kleene::Unknown => None,
        });
        let all: Vec<String> = literals.chain(kept).collect();
        if all.is_empty() { "T".to_owned() } else { all.join(" & ") }
    };
    match explored.initial.as_slice() {
        [] => "F".to_owned(),
        [only] => cube(only),
        some if some.len() > MOST_INITIAL => format!("one of {} combinations", some.len()),
        some => some.iter().map(|one| format!("({})", cube(one))).collect::<Vec<_>>().join(" | "),
    }
}

/// What steps write to variables that stay concrete.
fn kept_assignments(system: &System, steps: &[StepId]) -> Vec<String> {
    let program = system.program();
    let is_kept = |var: VarId| system.kept_variables().iter().any(|&(kept, _)| kept == var);
    let written = steps.iter().flat_map(|&step| match &program.step(step).action {
        Action::Assign(written) => written.as_slice(),
        _ => &[],
    });
    let kept = written.filter(|assign| is_kept(assign.place.variable()));
    kept.map(|assign| {
        let name = program.show_variable(assign.place.variable());
        let place = match assign.place {
            Place::Element(_, indices) => {
                let shown = program.exprs.list(indices).iter().map(|&index| format!("[{}]", program.show(index)));
                format!("{name}{}", shown.collect::<String>())
            }
            Place::Var(_) => name,
        };
        format!("{place} := {}", program.show(assign.value))
    })
    .collect()
}
