//! Which program is encoded: the one that was given, or one in which every copy of a process has code of its own?
//!
//! Sets are over fixed places. Programs whose processes have several copies, begin later or end, and those with channels, are
//! taken apart first, such that each of their states is one of what they become. Questions are put to that, and runs are told as
//! runs of the program itself, repeated by the definition of a step.

use std::collections::{BTreeSet, HashMap};

use tertium_abstraction::invariants::intervals;
use tertium_abstraction::{MOST_COPIES, Restoring, Separated, Unsupported};
use tertium_base::Budget;
use tertium_evidence::abstraction::{Later, NoTerm};
use tertium_program::{Expr, ExprId, Program, State, StepId, Type, VarId};
use tertium_smt::Bounds;

use super::NoSets;
use crate::failure::Failure;
use crate::program::abstracted::{basis, retell};
use crate::program::run::Run;

/// A program and what is encoded of it.
#[derive(Debug)]
pub struct Subject<'p> {
    original: &'p Program,
    apart: Option<Apart>,
}

#[derive(Debug)]
struct Apart {
    separated: Separated,
    /// What questions became.
    moved: HashMap<ExprId, ExprId>,
    /// Between which values each variable lies in all states that can be reached.
    bounds: Vec<Bounds>,
}

/// What the places of a program taken apart need besides its text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Special<'p> {
    /// The largest number of a channel.
    pub channels: usize,
    /// Steps that stand for a misuse of channels.
    pub misused: Option<&'p BTreeSet<StepId>>,
    /// Between which values each variable lies in all states that can be reached.
    bounds: Option<&'p [Bounds]>,
}

impl Special<'_> {
    pub fn is_misuse(self, step: StepId) -> bool {
        self.misused.is_some_and(|misused| misused.contains(&step))
    }

    /// Whether the program was taken apart.
    pub fn is_apart(self) -> bool {
        self.misused.is_some()
    }

    /// Smallest and largest value of a type; channels are known by their numbers.
    pub fn of_type(self, program: &Program, ty: Type) -> (Option<i64>, Option<i64>) {
        match ty {
            Type::Channel => (Some(0), Some(self.channels as i64)),
            ty => program.bounds(ty),
        }
    }

    /// The values that a variable has in states that can be reached; none if they are not bounded.
    pub fn limits(self, program: &Program, var: VarId) -> Option<(i64, i64)> {
        let (Some(lo), Some(hi)) = self.of_type(program, program.variable(var).ty) else { return None };
        let known = self.bounds.and_then(|bounds| bounds.get(var.index()).copied()).unwrap_or((None, None));
        let number = |value: Option<i128>| value.and_then(|value| i64::try_from(value).ok());
        Some((number(known.0).map_or(lo, |value| value.max(lo)), number(known.1).map_or(hi, |value| value.min(hi))))
    }
}

impl<'p> Subject<'p> {
    /// The program itself where its processes are fixed, else what it becomes when taken apart; `asked` are what questions say
    /// about states.
    ///
    /// # Errors
    /// If it has something that is not encoded, in words.
    pub fn new(original: &'p Program, asked: &[ExprId]) -> Result<Self, NoSets> {
        if original.is_static() && original.channels.is_empty() && original.last.is_none() && !speaks_of_pids(original)
        {
            return Ok(Self { original, apart: None });
        }
        let obstacles = [
            (original.priorities, "its processes have priorities"),
            (original.trace.is_some(), "it has a `trace` or `notrace`"),
            (original.must_be_deterministic(), "it has `D_proctype`s"),
        ];
        if let Some((_, why)) = obstacles.iter().find(|(found, _)| *found) {
            return Err(NoSets::unfit(*why));
        }
        let refused = |why| refused(original, &why);
        let mut separated = Separated::exactly(original).map_err(refused)?;
        let mut moved = HashMap::new();
        for &expr in asked {
            moved.insert(expr, separated.observed(original, expr).map_err(refused)?);
        }
        let bounds = intervals(&separated.program);
        Ok(Self { original, apart: Some(Apart { separated, moved, bounds }) })
    }

    /// The program that was given.
    #[must_use]
    pub fn original(&self) -> &'p Program {
        self.original
    }

    /// The program that is encoded.
    #[must_use]
    pub fn program(&self) -> &Program {
        self.apart.as_ref().map_or(self.original, |apart| &apart.separated.program)
    }

    /// What an expression of a question became.
    #[must_use]
    pub fn expr(&self, expr: ExprId) -> ExprId {
        self.apart.as_ref().and_then(|apart| apart.moved.get(&expr).copied()).unwrap_or(expr)
    }

    pub(super) fn special(&self) -> Special<'_> {
        self.apart.as_ref().map_or_else(Special::default, |apart| Special {
            channels: apart.separated.channel_count(),
            misused: Some(&apart.separated.misused),
            bounds: Some(&apart.bounds),
        })
    }

    /// The processes that may be started later, as whoever checks a certificate names them.
    pub(super) fn later(&self) -> Result<Vec<Later>, NoTerm> {
        self.apart.as_ref().map_or_else(|| Ok(Vec::new()), |apart| basis::later(self.original, &apart.separated))
    }

    /// The states of the program that was given, by those of what is encoded.
    pub fn restoring(&self) -> impl Fn(&State) -> State + use<'_, 'p> {
        let restoring = self.apart.as_ref().map(|apart| Restoring::new(&apart.separated, self.original));
        move |state| match &restoring {
            Some(restoring) => State::visible(restoring.slots(&state.slots)),
            None => state.clone(),
        }
    }

    /// A run of what is encoded as a run of the program that was given.
    ///
    /// # Errors
    /// If it cannot be repeated, which is a fault of this program.
    pub fn retold(&self, run: Run, budget: &Budget) -> Result<Run, Failure> {
        let Some(apart) = &self.apart else { return Ok(run) };
        let told = retell::run(self.original, &apart.separated.steps, &run, budget)?;
        told.ok_or_else(|| Failure::Internal("a run over sets is none of the program".to_owned()))
    }
}

/// Whether something is said of processes by their numbers.
fn speaks_of_pids(program: &Program) -> bool {
    let by_pid = |expr: Expr| {
        matches!(
            expr,
            Expr::Remote(..)
                | Expr::RemoteElement(..)
                | Expr::RemoteAt(..)
                | Expr::FirstInstance(_)
                | Expr::ProcessCount
        )
    };
    (0..program.exprs.len()).any(|at| by_pid(program.exprs.get(ExprId::new(at))))
}

fn refused(program: &Program, why: &Unsupported) -> NoSets {
    let statement = |step: StepId| program.step(step).text.clone();
    NoSets::unfit(match why {
        Unsupported::Processes => "its processes are not fixed".to_owned(),
        Unsupported::Starts(step) => format!(
            "`{}` may start processes without end: at most {MOST_COPIES} are told apart, and 32 at the same time",
            statement(*step)
        ),
        Unsupported::Step(step) => {
            format!(
                "`{}` uses a channel that is large, or not known beforehand, or leaves too much behind",
                statement(*step)
            )
        }
        Unsupported::Expression(text) => {
            format!("`{text}` speaks of what is enabled, or of channels not known beforehand")
        }
        Unsupported::Initial(var) | Unsupported::Keep(var) => {
            format!("what `{}` begins with is computed from what is not known", program.show_variable(*var))
        }
    })
}
