//! Which processes should be looked at closely to begin with, and is that worth while at all?
//!
//! Those that the property names; if it names none, those that write what it speaks of, as long as they are few.

use crate::limits;
use std::collections::BTreeSet;

use tertium_abstraction::System;
use tertium_program::{ExprId, ProcessId, Program, Scope};

use tertium_load::program::{Language, ProgramFile};
use tertium_load::questions::Question;

/// The processes that expressions name by location or by local variables.
#[must_use]
pub fn named(program: &Program, atoms: &[ExprId]) -> Vec<ProcessId> {
    let mut found: BTreeSet<ProcessId> = BTreeSet::new();
    for &atom in atoms {
        let footprint = program.footprint_of(atom);
        found.extend(footprint.locations.iter().copied());
        found.extend(footprint.reads.iter().filter_map(|&var| match program.variable(var).scope {
            Scope::Local(process) => Some(process),
            Scope::Global => None,
        }));
    }
    found.into_iter().collect()
}

/// The processes to begin with; the predicates are those of the property.
pub fn processes(system: &mut System, atoms: &[ExprId]) -> Vec<ProcessId> {
    let named = named(system.program(), atoms);
    if !named.is_empty() {
        return named;
    }
    let mut writers: Vec<ProcessId> = Vec::new();
    for process in system.program().process_ids() {
        let operations = system.operations_of(process);
        let predicates = system.predicates().len();
        if operations.iter().any(|&operation| (0..predicates).any(|at| system.touches(operation, at))) {
            writers.push(process);
        }
    }
    if writers.len() <= limits::SPOTLIGHT_START_FEW { writers } else { Vec::new() }
}

/// Why a program is looked at through a spotlight although nobody asked for it; none if it is not.
#[must_use]
pub fn reason(file: &ProgramFile, questions: &[Question]) -> Option<String> {
    let program = &file.program;
    let count = program.processes.len();
    if file.language != Language::Gcl || !program.is_static() {
        return None;
    }
    if !program.spotlight.is_empty() {
        return Some("the file declares a spotlight".to_owned());
    }
    // Mistakes name no process: each is looked for process by process.
    let named = questions.iter().filter_map(|question| match question {
        Question::Property(asked) => Some(named(program, &asked.atoms).len()),
        Question::Never(_) => Some(0),
        Question::Watched(_) => None,
    });
    let few = named.max().is_some_and(|most| most <= limits::SPOTLIGHT_START_FEW);
    let unbounded = !program.functions.is_empty()
        || program.variables.iter().any(|variable| matches!(program.bounds(variable.ty), (None, _) | (_, None)));
    let many = count >= limits::SPOTLIGHT_START_VERY_MANY || (count >= limits::SPOTLIGHT_START_MANY && unbounded);
    (few && many).then(|| format!("there are {count} processes, and the properties speak of few of them"))
}
