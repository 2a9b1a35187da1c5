//! How does a program read in the languages of other checkers?
//!
//! Every way to take a step becomes one disjunct of a transition relation: its condition, what it writes, and that the rest
//! stays. [`smv`] writes finite programs with their properties for NuSMV and nuXmv, [`vmt`] any program with its invariants for
//! tools that read VMT-LIB. Both are made from the terms of steps, which tests compare with the definition of a step.
//!
//! What cannot be said there is refused, or left out with a comment that says so.

pub mod smv;
pub mod vmt;

use tertium_base::Diagnostic;
use tertium_base::narrow::to_i64;
use tertium_load::failure::Failure;
use tertium_load::program::ProgramFile;
use tertium_load::questions::{PropertyQuery, Question, questions};
use tertium_program::{
    Action, Binary, Expr, ExprId, InitialValue, ProcessId, Program, Scope, Sort, Step, StepTerms, Type, VarId,
};

use crate::structures::smv::is_reserved;

/// A place of the state that can change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cell {
    var: VarId,
    /// The position in the array; 0 for a plain variable.
    at: usize,
    /// The name in the other language.
    name: String,
    ty: Type,
    /// The value before the first step; none for any.
    initial: Option<i64>,
}

/// One way to take a step.
#[derive(Clone, Debug)]
struct ExportedStep {
    pid: usize,
    terms: StepTerms,
}

/// A program taken apart into cells and ways.
struct Parts {
    program: Program,
    cells: Vec<Cell>,
    ways: Vec<ExportedStep>,
}

fn refused(format: &str, why: impl std::fmt::Display) -> Failure {
    Diagnostic::error("E0362", format!("the program cannot be written as {format}: {why}"))
        .note("steps are written as formulas over variables; channels and processes that are created have none")
        .into()
}

/// What has no formula over fixed variables, by its name.
fn obstacle(file: &ProgramFile) -> Option<String> {
    let program = &file.program;
    let starts = |step: &&Step| matches!(step.action, Action::Run { .. });
    if let Some(step) = program.steps.iter().find(starts) {
        return Some(format!("`{}` in line {} starts processes", step.text, file.line(step.span)));
    }
    if let Some(channel) = program.channels.first() {
        return Some(format!("it has the channel `{}`", channel.name));
    }
    let copies = |process: ProcessId| program.instances.iter().filter(|one| one.process == process).count();
    if let Some(process) = program.process_ids().find(|&process| copies(process) > 1) {
        return Some(format!("`{}` runs {} times at once", program.process(process).name, copies(process)));
    }
    if let Some(step) = program.steps.iter().find(|step| step.action == Action::End) {
        return Some(format!("`{}` may end, and is not there any more then", program.process(step.process).name));
    }
    let others = [
        (program.trace.is_some(), "it has a `trace` or `notrace`"),
        (program.persistent, "in Promela a run goes on after an assertion that fails, which has no formula"),
        (!program.is_static(), "its processes are not fixed"),
    ];
    others.iter().find(|(found, _)| *found).map(|(_, why)| (*why).to_owned())
}

impl Parts {
    fn new(file: &ProgramFile, format: &str) -> Result<Self, Failure> {
        let mut program = file.program.clone();
        if let Some(why) = obstacle(file) {
            return Err(refused(format, why));
        }
        let mut ways = Vec::new();
        for id in program.step_ids() {
            let source = program.step(id).source;
            let process = program.step(id).process;
            // Steps inside a block are parts of the ways that begin before it.
            if program.location(process, source).hold != tertium_program::Hold::Free {
                continue;
            }
            let pid = program.instances.iter().position(|instance| instance.process == process);
            let Some(pid) = pid else { continue };
            let found = program.ways(id).map_err(|_| {
                let text = program.show_step(program.step(id));
                refused(format, format!("`{text}` has no formula (a block with a loop, or too many ways through)"))
            })?;
            ways.extend(found.into_iter().map(|way| ExportedStep { pid, terms: way.terms }));
        }
        let cells = cells(&program, format)?;
        Ok(Self { program, cells, ways })
    }

    /// The cells of a variable, in order.
    fn cells_of(&self, var: VarId) -> Vec<&Cell> {
        self.cells.iter().filter(|cell| cell.var == var).collect()
    }

    /// The value of a cell after a way, over the state before it; none if it stays.
    fn after(&mut self, way: &StepTerms, cell: &Cell) -> Option<ExprId> {
        if !way.updates.iter().any(|update| update.place.variable() == cell.var) {
            return None;
        }
        let variable = self.program.variable(cell.var).clone();
        let sort = self.program.sort_of(variable.ty);
        let read = if variable.dimensions.is_empty() {
            self.program.exprs.var(cell.var, sort)
        } else {
            let mut rest = cell.at;
            let mut indices = Vec::new();
            for dimension in variable.dimensions.iter().rev() {
                indices.push(dimension.lo + to_i64(rest % dimension.len as usize));
                rest /= dimension.len as usize;
            }
            let indices: Vec<ExprId> = indices.into_iter().rev().map(|index| self.program.exprs.int(index)).collect();
            self.program.exprs.element(cell.var, &indices, sort)
        };
        let value = self.program.after(way, read);
        (value != read).then_some(value)
    }
}

fn cells(program: &Program, format: &str) -> Result<Vec<Cell>, Failure> {
    let mut cells: Vec<Cell> = Vec::new();
    for var in program.variable_ids() {
        let variable = program.variable(var);
        if variable.cells() > 1024 {
            return Err(refused(format, format!("`{}` has too many elements", program.show_variable(var))));
        }
        let owner = match variable.scope {
            Scope::Global => String::new(),
            Scope::Local(process) => format!("{}_", plain_name(&program.process(process).name)),
        };
        let base = format!("{owner}{}", plain_name(&variable.name));
        for at in 0..variable.cells() {
            let mut name = if variable.dimensions.is_empty() { base.clone() } else { format!("{base}_{at}") };
            while is_taken(&name) || cells.iter().any(|cell| cell.name == name) {
                name.push('_');
            }
            let initial = match &variable.initial {
                InitialValue::Any => None,
                InitialValue::Same(value) => Some(*value),
                InitialValue::Each(values) => values.get(at).copied(),
                _ => return Err(refused(format, "an initial value is computed when a process starts")),
            };
            cells.push(Cell { var, at, name, ty: variable.ty, initial });
        }
    }
    Ok(cells)
}

/// Whether a name means something else in one of the languages: a word of its own, or what is written here besides variables.
fn is_taken(name: &str) -> bool {
    const SMT_LIB: [&str; 16] = [
        "abs", "and", "assert", "distinct", "div", "exists", "forall", "ite", "let", "match", "mod", "not", "or",
        "par", "select", "store",
    ];
    let ours = ["at_", "can_", "input_"].iter().any(|prefix| name.starts_with(prefix)) || name == "stepped";
    ours || is_reserved(name) || SMT_LIB.contains(&name)
}

/// A name of letters, digits and underscores that begins with a letter.
fn plain_name(name: &str) -> String {
    let mut plain: String =
        name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if !plain.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        plain.insert_str(0, "v_");
    }
    plain.trim_end_matches('_').to_owned()
}

/// The name of a process's location.
fn location_name(program: &Program, process: ProcessId) -> String {
    format!("at_{}", plain_name(&program.process(process).name))
}

/// The properties as they are asked.
fn asked(file: &ProgramFile) -> Result<Vec<PropertyQuery>, Failure> {
    let all = questions(file, &[], false)?;
    Ok(all
        .into_iter()
        .filter_map(|question| match question {
            Question::Property(asked) => Some(*asked),
            Question::Never(_) | Question::Watched(_) => None,
        })
        .collect())
}

/// An array read as the cells it may mean, each with the condition that the indices mean it; the last without one.
fn element_cells<'c>(parts: &'c Parts, var: VarId, indices: &[ExprId]) -> Vec<(&'c Cell, Vec<(ExprId, i64)>)> {
    let variable = parts.program.variable(var);
    let mut found = Vec::new();
    for cell in parts.cells_of(var) {
        let mut rest = cell.at;
        let mut wanted: Vec<i64> = Vec::new();
        for dimension in variable.dimensions.iter().rev() {
            wanted.push(dimension.lo + to_i64(rest % dimension.len as usize));
            rest /= dimension.len as usize;
        }
        wanted.reverse();
        let pairs: Vec<(ExprId, i64)> = indices.iter().copied().zip(wanted).collect();
        let fits =
            |&(index, value): &(ExprId, i64)| parts.program.exprs.constant(index).is_none_or(|known| known == value);
        if pairs.iter().all(fits) {
            let open = pairs.into_iter().filter(|(index, _)| parts.program.exprs.constant(*index).is_none()).collect();
            found.push((cell, open));
        }
    }
    found
}

/// Whether an expression has truth values.
fn is_truth(program: &Program, expr: ExprId) -> bool {
    program.exprs.sort(expr) == Sort::Bool
}

/// Whether an expression reads an input.
fn reads_inputs(program: &Program, expr: ExprId) -> bool {
    program.exprs.reachable(&[expr]).iter().any(|&part| matches!(program.exprs.get(part), Expr::Input(..)))
}

/// Expressions written out larger than this are refused.
const LARGEST: u32 = 200_000;

/// How one language writes operators.
trait Syntax {
    /// Its name for messages.
    const NAME: &'static str;

    fn constant(value: i64, truth: bool) -> String;
    fn location(parts: &Parts, process: ProcessId, location: usize) -> String;
    fn input(parts: &Parts, position: u32) -> String;
    fn choose(condition: &str, yes: &str, no: &str) -> String;
    fn equal(a: &str, b: &str) -> String;
    fn all(conditions: &[String]) -> String;
    /// An operator over operands that are written already; none if the language has no such thing.
    fn operator(parts: &Parts, expr: ExprId, operands: &[&String]) -> Option<String>;
}

/// What needs no operator: conditions under which nothing can go wrong are full of them.
fn obvious<S: Syntax>(expr: Expr, operands: &[&String]) -> Option<String> {
    let truth = S::constant(1, true);
    match (expr, operands) {
        (Expr::Binary(Binary::Implies, _, _), [_, b]) if **b == truth => Some(truth),
        (Expr::Binary(Binary::And, _, _), [a, b]) if **a == truth => Some((*b).clone()),
        (Expr::Binary(Binary::And, _, _), [a, b]) if **b == truth => Some((*a).clone()),
        _ => None,
    }
}

/// An expression of the program in another language.
fn written<S: Syntax>(parts: &Parts, root: ExprId) -> Result<String, Failure> {
    let exprs = &parts.program.exprs;
    if exprs.size(root) > LARGEST {
        return Err(refused(S::NAME, "an expression is too large"));
    }
    let mut known: std::collections::HashMap<ExprId, String> = std::collections::HashMap::new();
    for id in exprs.reachable(&[root]) {
        let text = match exprs.get(id) {
            Expr::Bool(value) => S::constant(i64::from(value), true),
            Expr::Int(value) => S::constant(value, false),
            Expr::Member(_, position) => S::constant(i64::from(position), false),
            Expr::Var(var) => parts.cells_of(var).first().map_or_else(String::new, |cell| cell.name.clone()),
            Expr::Element(var, indices) => {
                let chosen = element_cells(parts, var, exprs.list(indices));
                let mut text = chosen
                    .last()
                    .map_or_else(|| S::constant(0, is_truth(&parts.program, id)), |(cell, _)| cell.name.clone());
                for (cell, open) in chosen.iter().rev().skip(1) {
                    let here: Vec<String> = open
                        .iter()
                        .map(|(index, value)| S::equal(&known[index], &S::constant(*value, false)))
                        .collect();
                    text = S::choose(&S::all(&here), &cell.name, &text);
                }
                text
            }
            Expr::Input(position, _) => S::input(parts, position),
            Expr::At(process, location) => S::location(parts, process, location.index()),
            Expr::If(c, a, b) => S::choose(&known[&c], &known[&a], &known[&b]),
            _ => {
                let operands: Vec<&String> = exprs.children(id).iter().map(|child| &known[child]).collect();
                obvious::<S>(exprs.get(id), &operands)
                    .or_else(|| S::operator(parts, id, &operands))
                    .ok_or_else(|| refused(S::NAME, format!("`{}` has no counterpart there", parts.program.show(id))))?
            }
        };
        known.insert(id, text);
    }
    Ok(known.remove(&root).unwrap_or_default())
}
