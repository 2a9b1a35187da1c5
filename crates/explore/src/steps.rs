//! The steps of a program, made ready to be taken.

use tertium_base::narrow::{to_i64, to_u32};
use tertium_program::layout::FRAME_LOCATION;
use tertium_program::{
    Action, Assign, Domain, ExprId, Hold, InitialValue, LocationId, ProcessId, Program, Scope, Semantics, StepId,
    VarId, Width,
};

use crate::channels::{PatternCode, limits};
use crate::code::{Code, CodeId, Compiler};

/// One assignment: where, what, and which values fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AssignCode {
    pub place: CodeId,
    pub value: CodeId,
    pub lo: i64,
    pub hi: i64,
}

/// The values of an input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputCode {
    Fixed(i64, i64),
    Range(CodeId, CodeId),
    /// Without bounds.
    Open,
}

#[derive(Clone, Debug)]
pub(crate) enum ActionCode {
    Assign(Vec<AssignCode>),
    Assert(CodeId),
    Send { channel: CodeId, message: Vec<CodeId>, sorted: bool },
    Receive { pattern: PatternCode, keep: bool },
    Run { process: usize, arguments: Vec<CodeId>, priority: Option<CodeId>, then: Vec<AssignCode> },
    SetPriority { pid: CodeId, value: CodeId },
    Print(Vec<CodeId>),
    End,
    Together,
}

/// A step.
#[derive(Clone, Debug)]
pub(crate) struct StepCode {
    pub id: StepId,
    pub rank: u32,
    /// It can be taken only if none of these can.
    pub yields_to: Vec<StepId>,
    pub provided: Option<CodeId>,
    /// None if it always holds.
    pub guard: Option<CodeId>,
    pub inputs: Vec<InputCode>,
    pub action: ActionCode,
    pub target: i64,
    /// Whether control is kept where it leads.
    pub holds: bool,
    /// Whether it leads on inside a deterministic block, which is one step as far as `_last` is concerned.
    pub inside: bool,
}

/// A location: its steps by rank, then in source order.
#[derive(Clone, Debug)]
pub(crate) struct LocationCode {
    pub steps: Vec<StepCode>,
    pub end: bool,
    pub hold: Hold,
    /// Whether one of the steps receives, so that somebody may meet it here.
    pub receives: bool,
}

/// What a local variable holds when its process is created.
#[derive(Clone, Debug)]
pub(crate) enum InitialCode {
    Values(Vec<i64>),
    Argument(usize, Option<Width>),
    Computed(CodeId, Option<Width>),
    /// The number of a channel of the new frame, counted from its first.
    Channel(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct LocalCode {
    pub offset: usize,
    pub cells: usize,
    pub initial: InitialCode,
}

#[derive(Clone, Debug)]
pub(crate) struct ProcessCode {
    pub locations: Vec<LocationCode>,
    pub entry: i64,
    pub locals: Vec<LocalCode>,
    pub frame: usize,
}

/// All processes of a program; what cannot be made ready traps when it is reached.
pub(crate) fn compile(semantics: &Semantics<'_>, code: &mut Code) -> Vec<ProcessCode> {
    let program = semantics.program();
    program
        .process_ids()
        .map(|id| {
            let mut compiler = Compiler { code: &mut *code, semantics, owner: Some(id) };
            let process = program.process(id);
            ProcessCode {
                locations: (0..process.locations.len()).map(|at| location(&mut compiler, id, at)).collect(),
                entry: to_i64(process.entry.index()),
                locals: process.locals.iter().map(|&local| local_variable(&mut compiler, id, local)).collect(),
                frame: semantics.layout().frame_size(id),
            }
        })
        .collect()
}

fn location(compiler: &mut Compiler<'_, '_, '_>, process: ProcessId, at: usize) -> LocationCode {
    let program = compiler.semantics.program();
    let location = program.location(process, LocationId::new(at));
    let mut steps: Vec<StepCode> = location.steps.iter().map(|&id| step(compiler, id)).collect();
    steps.sort_by_key(|step| step.rank);
    let receives = steps.iter().any(|step| matches!(step.action, ActionCode::Receive { .. }));
    LocationCode { steps, end: location.end, hold: location.hold, receives }
}

fn step(compiler: &mut Compiler<'_, '_, '_>, id: StepId) -> StepCode {
    let program = compiler.semantics.program();
    let step = program.step(id);
    // Nothing interrupts a deterministic block.
    let provided = program.process(step.process).provided;
    let provided = provided.filter(|_| program.location(step.process, step.source).hold != Hold::Deterministic);
    let provided = provided.map(|condition| compiler.expr(condition));
    let guard = compiler.expr(step.guard);
    let holds =
        step.action != Action::End && !step.frees && program.location(step.process, step.target).hold != Hold::Free;
    let inside = holds && program.location(step.process, step.target).hold == Hold::Deterministic;
    StepCode {
        id,
        rank: step.rank,
        yields_to: step.yields_to.clone(),
        provided,
        guard: Some(guard).filter(|&guard| !compiler.code.is_true(guard)),
        inputs: step.inputs.iter().map(|input| domain(compiler, input.domain)).collect(),
        action: action(compiler, &step.action),
        target: to_i64(step.target.index()),
        holds,
        inside,
    }
}

fn action(compiler: &mut Compiler<'_, '_, '_>, action: &Action) -> ActionCode {
    let all = |compiler: &mut Compiler<'_, '_, '_>, exprs: &[ExprId]| -> Vec<CodeId> {
        exprs.iter().map(|&id| compiler.expr(id)).collect()
    };
    match action {
        Action::Assign(assigns) => ActionCode::Assign(assignments(compiler, assigns)),
        Action::Assert(condition) => ActionCode::Assert(compiler.expr(*condition)),
        Action::Send { channel, message, sorted } => {
            ActionCode::Send { channel: compiler.expr(*channel), message: all(compiler, message), sorted: *sorted }
        }
        Action::Receive { pattern, keep } => {
            ActionCode::Receive { pattern: PatternCode::of(compiler, pattern), keep: *keep }
        }
        Action::Run { process, arguments, priority, then } => ActionCode::Run {
            process: process.index(),
            arguments: all(compiler, arguments),
            priority: priority.map(|priority| compiler.expr(priority)),
            then: assignments(compiler, then),
        },
        Action::SetPriority { pid, value } => {
            ActionCode::SetPriority { pid: compiler.expr(*pid), value: compiler.expr(*value) }
        }
        Action::Print { values, .. } => ActionCode::Print(all(compiler, values)),
        Action::End => ActionCode::End,
        // Nothing that is run from a text has it; whoever runs it all the same asks the definition of a step.
        Action::Together { .. } => ActionCode::Together,
    }
}

fn assignments(compiler: &mut Compiler<'_, '_, '_>, assigns: &[Assign]) -> Vec<AssignCode> {
    let mut codes = Vec::with_capacity(assigns.len());
    for assign in assigns {
        let program = compiler.semantics.program();
        let (lo, hi) = limits(program, program.variable(assign.place.variable()).ty);
        codes.push(AssignCode { place: compiler.place(assign.place), value: compiler.expr(assign.value), lo, hi });
    }
    codes
}

fn domain(compiler: &mut Compiler<'_, '_, '_>, domain: Domain) -> InputCode {
    match domain {
        Domain::Range(lo, hi) => InputCode::Range(compiler.expr(lo), compiler.expr(hi)),
        Domain::Type(ty) => match compiler.semantics.program().bounds(ty) {
            (Some(lo), Some(hi)) => InputCode::Fixed(lo, hi),
            _ => InputCode::Open,
        },
    }
}

fn local_variable(compiler: &mut Compiler<'_, '_, '_>, process: ProcessId, local: VarId) -> LocalCode {
    let program: &Program = compiler.semantics.program();
    let variable = program.variable(local);
    let width = program.stored_width(variable.ty);
    let cells = variable.cells();
    let wrap = |value: i64| width.map_or(value, |width| width.wrap(value));
    let initial = match &variable.initial {
        InitialValue::Any => InitialCode::Values(vec![wrap(0); cells]),
        InitialValue::Same(value) => InitialCode::Values(vec![wrap(*value); cells]),
        InitialValue::Each(values) => InitialCode::Values(values.clone()),
        InitialValue::Argument(position) => InitialCode::Argument(*position as usize, width),
        InitialValue::Computed(expr) => InitialCode::Computed(compiler.expr(*expr), width),
        InitialValue::Channel(id) => {
            debug_assert_eq!(variable.scope, Scope::Local(process));
            let row = &program.process(process).channels;
            InitialCode::Channel(row.iter().position(|channel| channel == id).unwrap_or(0))
        }
    };
    LocalCode { offset: compiler.semantics.layout().variable(local), cells, initial }
}

/// The slot of a process's location, given the first slot of its frame.
pub(crate) fn location_slot(frame: usize) -> u32 {
    to_u32(frame + FRAME_LOCATION)
}
