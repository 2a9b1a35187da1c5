//! The abstraction itself: its program over truth values, its structure, and what it cost.

use tertium_abstraction::keep::Reason as Kept;
use tertium_abstraction::{EdgeCounts, Explored, Shape};
use tertium_base::Budget;
use tertium_model::Model;
use tertium_program::ExprId;

use super::predicate_abstraction::{AbstractionOptions, failed, prepare};
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
    /// What is known beforehand.
    pub invariants: Vec<String>,
    /// The steps over truth values.
    pub steps: Vec<ToldStep>,
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

/// Abstracts a program and tells how. With a target, the structure as text, too.
///
/// # Errors
/// If the program cannot be abstracted, or a limit is reached.
pub fn show(
    file: &ProgramFile,
    options: &AbstractionOptions,
    target: Option<Target>,
    budget: &Budget,
    observer: &dyn Observer,
) -> Result<(AbstractionSummary, Option<Vec<u8>>), Failure> {
    let asked: Vec<ExprId> =
        file.program.properties.iter().flat_map(|property| property.atoms.values().copied()).collect();
    let mut system = prepare(file, &asked, options, budget)?.system;
    let explored = Explored::visit(&mut system, budget, &mut |done, known| {
        observer.phase(&format!("abstracting: {done} of {known} states"));
    });
    let explored = explored.map_err(|why| failed(file, system.program(), why))?;
    let calls: Vec<(&'static str, u64)> =
        system.queries().counts().iter().map(|(purpose, count)| (purpose.word(), count.calls)).collect();
    let before = system.queries().calls();
    let written = match target {
        None => None,
        Some(target) => {
            let atoms: Vec<(String, ExprId)> =
                system.predicates().iter().map(|predicate| (predicate.name.clone(), predicate.expr)).collect();
            let structure = explored.structure(&mut system, &atoms, &Shape::default(), budget);
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
            statement: texts.join("; "),
            guard: step.guard.clone(),
            exact: step.exact,
            assignments: step.assignments.iter().map(ToString::to_string).collect(),
        }
    });
    let shown = AbstractionSummary {
        steps: told.collect(),
        predicates: system.predicates().iter().map(|predicate| predicate.name.clone()).collect(),
        kept: system
            .kept_variables()
            .iter()
            .map(|&(var, reason)| {
                let why = match reason {
                    Kept::Asked => "asked for".to_owned(),
                    Kept::Channel => "part of a channel".to_owned(),
                    Kept::Few(count) => format!("{count} values, none of which comes from an abstract variable"),
                };
                (program.show_variable(var), why)
            })
            .collect(),
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
