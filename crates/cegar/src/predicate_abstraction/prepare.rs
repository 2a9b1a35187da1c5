//! How does a program become one that can be abstracted?
//!
//! Its processes are taken apart where they have to be, the predicates it begins with are chosen, and a solver is made ready.

use std::collections::HashMap;

pub use tertium_abstraction::AbstractionKind;
use tertium_abstraction::{AbstractState, Failed, Options, Predicate, System};
use tertium_base::{Budget, Diagnostic};
use tertium_evidence::abstraction::Later;
use tertium_instantiate::{Instantiated, MOST_COPIES, Origin, Unsupported};
use tertium_kernel::vocabulary::NoTerm;
use tertium_load::failure::{Failure, Located};
use tertium_load::program::{Language, ProgramFile};
use tertium_load::questions::PropertyQuery;
use tertium_program::{ExprId, Program, VarId};
pub use tertium_smt::Limit;
use tertium_smt::{Process, Queries, Solver};

use super::basis::{self, Basis};
use super::predicates;
use crate::solver;

/// How to abstract.
#[derive(Clone, Debug)]
pub struct AbstractionOptions {
    /// Which kind of abstraction.
    pub kind: AbstractionKind,
    /// How much one question to the solver may cost.
    pub limit: Limit,
    /// The command of a second solver that every reply is compared with.
    pub cross_check: Option<Vec<String>>,
    /// The limit on abstract states.
    pub max_states: Option<usize>,
    /// The limit on calls of the solver for a structure of all of them.
    pub most_calls: Option<u64>,
    /// Whether variables with few values stay concrete without being asked for.
    pub keep_small: bool,
    /// Whether the value is wanted that all completions of the abstraction agree on.
    pub thorough: bool,
    /// Whether refinement may look at the distances of variables before it looks for predicates.
    pub zones: bool,
    /// Whether abstract states are made on demand where that may be enough; otherwise all that can be reached.
    pub on_demand: bool,
}

impl Default for AbstractionOptions {
    fn default() -> Self {
        Self {
            kind: AbstractionKind::Hyper,
            limit: Limit::default(),
            cross_check: None,
            max_states: None,
            most_calls: None,
            keep_small: true,
            thorough: false,
            zones: true,
            on_demand: true,
        }
    }
}

/// A program ready to be abstracted.
#[derive(Debug)]
pub struct Prepared {
    /// The system.
    pub system: System,
    /// What expressions of the program became, if its processes had to be taken apart.
    pub(crate) moved: Option<HashMap<ExprId, ExprId>>,
    /// The variables that channels became.
    pub(crate) channels: Vec<VarId>,
    /// The steps of the program that those of the system come from, if its processes had to be taken apart.
    pub(crate) steps: Option<Vec<Origin>>,
    /// The processes that may be started later; why they cannot be told, if they cannot.
    pub(crate) later: Result<Vec<Later>, NoTerm>,
}

impl Prepared {
    /// What a certificate says about these abstract states.
    pub(crate) fn told_states(&self, states: &[AbstractState]) -> Basis {
        basis::states(&self.system, states, &self.later)
    }

    /// What is known of every state, whatever the locations.
    pub(crate) fn told_invariants(&self) -> Basis {
        basis::invariants(&self.system, &self.later)
    }

    /// The atoms of a property by name, and what they became.
    #[must_use]
    pub fn atoms(&self, asked: &PropertyQuery) -> Vec<(String, ExprId)> {
        let atoms = asked.formula.atoms().iter().zip(&asked.atoms);
        atoms.map(|(atom, &expr)| (atom.text.clone(), self.expr(expr))).collect()
    }

    pub(crate) fn expr(&self, expr: ExprId) -> ExprId {
        self.moved.as_ref().and_then(|moved| moved.get(&expr).copied()).unwrap_or(expr)
    }
}

/// Prepares a program: predicates, terms, solver.
///
/// # Errors
/// If the program cannot be abstracted, or a solver does not work.
pub fn prepare(
    file: &ProgramFile,
    asked: &[ExprId],
    options: &AbstractionOptions,
    budget: &Budget,
) -> Result<Prepared, Failure> {
    if file.language != Language::Promela {
        let system = system(file, (&file.program, &[]), file.given_predicates, asked, options, budget)?;
        return Ok(Prepared { system, moved: None, channels: Vec::new(), steps: None, later: Ok(Vec::new()) });
    }
    let refused = |why| unsupported(file, &file.program, &why);
    let mut separated = Instantiated::new(&file.program).map_err(refused)?;
    let mut moved = HashMap::new();
    for &expr in asked {
        moved.insert(expr, separated.observed(&file.program, expr).map_err(refused)?);
    }
    let own = file.program.predicates.len() - file.given_predicates;
    let given = separated.origins.iter().filter(|&&origin| origin >= own).count();
    let asked: Vec<ExprId> = asked.iter().map(|expr| moved[expr]).collect();
    let system = system(file, (&separated.program, &separated.channels), given, &asked, options, budget)?;
    let later = basis::later(&file.program, &separated);
    Ok(Prepared { system, moved: Some(moved), channels: separated.channels, steps: Some(separated.steps), later })
}

/// How a program is abstracted.
pub(crate) fn how(program: &Program, channels: &[VarId], options: &AbstractionOptions) -> Options {
    let mut how =
        Options { kind: options.kind, keep: program.keep.clone(), limit: options.limit, ..Options::default() };
    how.keep_small = options.keep_small;
    how.channels = channels.to_vec();
    how.most_states = options.max_states.unwrap_or(how.most_states);
    how.most_calls = options.most_calls.unwrap_or(how.most_calls);
    how
}

pub(crate) fn system(
    file: &ProgramFile,
    (program, channels): (&Program, &[VarId]),
    given: usize,
    asked: &[ExprId],
    options: &AbstractionOptions,
    budget: &Budget,
) -> Result<System, Failure> {
    let how = how(program, channels, options);
    let chosen = predicates::beginning(program, given, asked, &how);
    over(file, program, &chosen, &how, options, budget)
}

/// A program over these predicates.
pub(crate) fn over(
    file: &ProgramFile,
    program: &Program,
    chosen: &[Predicate],
    how: &Options,
    options: &AbstractionOptions,
    budget: &Budget,
) -> Result<System, Failure> {
    let solver = solver::z3().map_err(|missing| *missing)?;
    let mut queries = Queries::new(Box::new(solver), options.limit, budget);
    if let Some(command) = &options.cross_check {
        queries = queries.cross_checked(second_solver(command)?);
    }
    System::new(program, chosen, how, queries).map_err(|why| unsupported(file, program, &why))
}

/// The solver that every reply is compared with.
pub(crate) fn second_solver(command: &[String]) -> Result<Box<dyn Solver>, Failure> {
    let second = Process::new(command).map_err(|error| {
        Diagnostic::error("E0328", format!("the second solver cannot be used: {error}"))
            .help("`--cross-check` wants the command of an SMT-LIB 2 solver, for example `cvc5`")
    })?;
    Ok(Box::new(second))
}

pub(crate) fn unsupported(file: &ProgramFile, program: &Program, why: &Unsupported) -> Failure {
    let error = |message: String| Diagnostic::error("E0326", message);
    let help = "leave out `--abstraction` and `--predicate`: then the program is run as it is";
    match why {
        Unsupported::Processes => {
            error("programs with priorities, traces or `_last` cannot be abstracted".to_owned()).help(help).into()
        }
        Unsupported::Starts(step) => {
            let diagnostic = error("this statement may start processes without end".to_owned())
                .at(
                    program.step(*step).span,
                    format!("abstraction tells at most {MOST_COPIES} processes apart, and at most 32 at the same time"),
                )
                .help(
                    "bound how often it is executed by a counter that only processes which start others write, or leave \
                     out `--abstraction` and `--predicate`: then the program is run as it is",
                );
            Located::within(diagnostic, &file.source).into()
        }
        Unsupported::Step(step) => {
            let diagnostic = error("this statement cannot be abstracted".to_owned())
                .at(program.step(*step).span, "a block with a loop, or a channel that is large or not known beforehand")
                .help(help);
            Located::within(diagnostic, &file.source).into()
        }
        Unsupported::Expression(text) => error(format!("`{text}` cannot be abstracted")).help(help).into(),
        Unsupported::Initial(var) => {
            let name = program.show_variable(*var);
            error(format!("what `{name}` begins with is computed from what is not known")).help(help).into()
        }
        Unsupported::Keep(var) => {
            let name = program.show_variable(*var);
            error(format!("`{name}` cannot stay concrete: too many values come in")).help("do not keep it").into()
        }
        Unsupported::KeepFromStart(var) => {
            let name = program.show_variable(*var);
            let diagnostic = error(format!("`{name}` cannot stay concrete: it may begin with too many values"))
                .at(program.variable(*var).span, "no bounds are known of what it begins with")
                .help(format!(
                    "do not keep it, give it an initial value, or bound it in `init`: `init {name} >= 0 && {name} < 10`"
                ));
            Located::within(diagnostic, &file.source).into()
        }
    }
}

/// Something that ended abstraction.
#[must_use]
pub fn failed(file: &ProgramFile, program: &Program, why: Failed) -> Failure {
    match why {
        Failed::Stopped(stopped) => stopped.into(),
        Failed::Unsupported(why) => unsupported(file, program, &why),
    }
}
