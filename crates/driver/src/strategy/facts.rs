//! What does the text of a program tell about which engine fits it?

use std::sync::OnceLock;

use tertium_abstraction::invariants::reachable_bounds;
use tertium_cegar::limits::SPOTLIGHT_START_VERY_MANY as VERY_MANY;
use tertium_encode::{InstantiatedProgram, estimate};
use tertium_load::ProgramFile;
use tertium_load::program::Language;
use tertium_load::questions::Question;
use tertium_logic::{Logic, Node};
use tertium_program::{Action, Program, Step, Type, VarId};

use super::ProgramQuery;
use super::limits::Limits;

/// What the text of a program tells.
pub(super) struct Facts {
    /// How far engines go.
    pub(super) limits: Limits,
    /// Why there may be too many states to visit, if the variables say so.
    pub(super) large: Option<String>,
    /// Whether nothing but an unknown function stands in the way of visiting all states.
    pub(super) only_functions: bool,
    /// Whether there are functions of which nothing is known.
    pub(super) functions: bool,
    /// Whether there are finitely many states.
    pub(super) is_bounded: bool,
    /// Whether members of families are counted before everything is abstracted together.
    pub(super) many: bool,
    /// Whether one step changes many variables at once, as in synchronous systems.
    pub(super) synchronous: bool,
    /// Whether formulas ask for so many things again and again that automata for them are large.
    pub(super) much_fairness: bool,
    /// Whether there are so many processes that even small domains are too many states.
    pub(super) very_many: bool,
    log10_states: OnceLock<Option<f64>>,
}

impl Facts {
    pub(super) fn of(request: &ProgramQuery<'_>) -> Self {
        let (file, limits) = (request.file, Limits::of(request.file.language));
        let large_ones = large_variables(&file.program, limits.large_domain);
        let names: Vec<String> = large_ones.into_iter().map(|var| file.program.show_variable(var)).collect();
        let functions = !file.program.functions.is_empty();
        Self {
            limits,
            large: large(&names).or_else(|| unknown_function(&file.program)),
            only_functions: functions && names.is_empty(),
            functions,
            is_bounded: is_bounded(file),
            many: file.program.processes.len() >= limits.many_processes,
            synchronous: is_synchronous(&file.program),
            much_fairness: request.questions.iter().any(asks_for_much_fairness),
            very_many: file.program.processes.len() >= VERY_MANY,
            log10_states: OnceLock::new(),
        }
    }

    /// Whether sets of states are tried before anything else.
    pub(super) fn sets_first(&self) -> bool {
        self.synchronous || self.much_fairness || self.limits.sets_first
    }

    /// By its types the program has at most ten to the power of this many states; none if that is not many, or diagrams do not fit.
    pub(super) fn log10_states(&self, file: &ProgramFile) -> Option<f64> {
        *self.log10_states.get_or_init(|| {
            let subject = InstantiatedProgram::new(&file.program, &[]);
            let estimate = subject.and_then(|subject| estimate(&subject)).ok()?;
            let few = match (self.much_fairness, self.synchronous) {
                (true, _) => 0.0,
                (false, true) => self.limits.few_synchronous_log10.min(self.limits.few_states_log10),
                (false, false) => self.limits.few_states_log10,
            };
            let many = estimate.log10_states >= few;
            (many && estimate.widest <= self.limits.widest_for_diagrams).then_some(estimate.log10_states)
        })
    }
}

/// So many conditions of fairness in one linear formula make large automata, and none over sets.
const MUCH_FAIRNESS: usize = 4;

/// Whether a formula asks for many things again and again.
fn asks_for_much_fairness(question: &Question) -> bool {
    let Question::Property(asked) = question else { return false };
    let again = |node: &&Node| match node {
        Node::Globally(inner) => matches!(asked.formula.node(*inner), Node::Finally(_)),
        _ => false,
    };
    // Over a graph every quantifier of CTL* has an automaton of its own.
    let most = if asked.formula.logic() == Logic::CtlStar { 1 } else { MUCH_FAIRNESS };
    asked.formula.nodes().iter().filter(again).count() >= most
}

/// A step that assigns to so many variables is one of a synchronous system.
const SYNCHRONOUS_ASSIGNS: usize = 8;

/// Whether a process does nothing but take one step again and again that changes many variables at once.
pub(super) fn is_synchronous(program: &Program) -> bool {
    let wide = |step: &Step| matches!(&step.action, Action::Assign(assigns) if assigns.len() >= SYNCHRONOUS_ASSIGNS);
    program.processes.iter().any(|process| match process.locations.as_slice() {
        [only] => only.steps.iter().any(|&id| wide(program.step(id))),
        _ => false,
    })
}

/// Whether there are finitely many states.
fn is_bounded(file: &ProgramFile) -> bool {
    let bounded = |(lo, hi): &(Option<i128>, Option<i128>)| lo.is_some() && hi.is_some();
    let by_type = |var: VarId| matches!(file.program.bounds(file.program.variable(var).ty), (Some(_), Some(_)));
    file.language == Language::Promela
        || file.program.variable_ids().all(by_type)
        || reachable_bounds(&file.program).iter().all(bounded)
}

/// Why a program cannot be run to the end although its variables are small.
fn unknown_function(program: &Program) -> Option<String> {
    program.functions.first().map(|function| format!("nothing is known about the function `{}`", function.name))
}

/// Variables that have no small range.
pub(super) fn large_variables(program: &Program, most: i128) -> Vec<VarId> {
    let exceeds = |(lo, hi): (Option<i128>, Option<i128>)| {
        let size = lo.zip(hi).and_then(|(lo, hi)| hi.checked_sub(lo));
        size.is_none_or(|size| size > most)
    };
    let by_type = |var: &VarId| {
        let ty = program.variable(*var).ty;
        let (lo, hi) = program.bounds(ty);
        !matches!(ty, Type::Bool | Type::Channel) && exceeds((lo.map(i128::from), hi.map(i128::from)))
    };
    let mut large: Vec<VarId> = program.variable_ids().filter(by_type).collect();
    // What is small by its type needs no analysis.
    if !large.is_empty() {
        let known = reachable_bounds(program);
        large.retain(|var| exceeds(known[var.index()]));
    }
    large
}

/// Why a program may have too many states to visit, if its variables say so.
fn large(names: &[String]) -> Option<String> {
    let (first, rest) = names.split_first()?;
    Some(match rest {
        [] => format!("`{first}` has no small range"),
        [second] => format!("`{first}` and `{second}` have no small range"),
        _ => format!("`{first}` and {} others have no small range", rest.len()),
    })
}
