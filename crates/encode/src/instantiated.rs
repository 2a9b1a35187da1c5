//! Instantiation: is the program encoded as it was given, or as one in which every copy of a process has code of its own?
//!
//! Sets are over fixed places. Programs whose processes have several copies, begin later or end, and those with channels, are
//! taken apart first, such that each of their states is one of what they become. Questions are put to that, and runs are told as
//! runs of the program itself, repeated by the definition of a step.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tertium_abstraction::invariants::{intervals, reachable_bounds};
use tertium_base::narrow::to_i64;
use tertium_instantiate::{Instantiated, MOST_COPIES, Restoring, Unsupported};
use tertium_program::analysis::ValueSets;
use tertium_program::{
    Action, Assign, Expr, ExprId, Hold, InitialValue, LocationId, Mistake, ProcessId, Program, State, StepId, Type,
    VarId,
};

use crate::EncodingError;

/// The smallest and the largest value, where there is one.
pub type Bounds = (Option<i128>, Option<i128>);

/// A program and its instance that is encoded.
#[derive(Debug)]
pub struct InstantiatedProgram<'p> {
    original: &'p Program,
    apart: Option<Instantiation>,
    /// What the steps of claims became that take notes.
    noted: BTreeMap<StepId, InstantiatedClaimStep>,
    /// The values of variables at the places of whoever writes them.
    values: ValueSets,
    /// Between which values each variable lies in all states that can be reached, as far as that is known and needed.
    bounds: Vec<Bounds>,
}

/// What a step of a claim with variables looks at and assigns, in terms of the instance.
#[derive(Clone, Debug)]
pub(crate) struct InstantiatedClaimStep {
    pub guard: ExprId,
    /// The conditions of those it yields to.
    pub rivals: Vec<ExprId>,
    pub assigns: Vec<Assign>,
    pub asserted: Option<ExprId>,
}

#[derive(Debug)]
struct Instantiation {
    separated: Instantiated,
    /// What questions became.
    moved: HashMap<ExprId, ExprId>,
}

/// What is known of an instance besides its text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InstanceFacts<'p> {
    /// The largest number of a channel.
    pub channels: usize,
    /// Steps that stand for a misuse of channels.
    pub misused: Option<&'p BTreeSet<StepId>>,
    /// Steps that stand for events that are not allowed.
    strayed: Option<&'p BTreeSet<StepId>>,
    /// The variable of whoever watches events, and the values with which it may rest.
    pub resting: Option<(VarId, &'p [i64])>,
    /// Between which values each variable lies in all states that can be reached.
    bounds: Option<&'p [Bounds]>,
    /// The values of variables at the places of whoever writes them.
    values: Option<&'p ValueSets>,
}

impl<'p> InstanceFacts<'p> {
    /// What goes wrong with a step that stands for something that goes wrong.
    pub fn fails(self, step: StepId) -> Option<Mistake> {
        let among = |steps: Option<&BTreeSet<StepId>>| steps.is_some_and(|steps| steps.contains(&step));
        let strays = among(self.strayed).then_some(Mistake::Trace);
        strays.or_else(|| among(self.misused).then_some(Mistake::Other))
    }

    /// Whether the program was taken apart.
    pub fn is_apart(self) -> bool {
        self.misused.is_some()
    }

    /// Smallest and largest value of a type; channels are known by their numbers.
    pub fn of_type(self, program: &Program, ty: Type) -> (Option<i64>, Option<i64>) {
        match ty {
            Type::Channel => (Some(0), Some(to_i64(self.channels))),
            ty => program.bounds(ty),
        }
    }

    /// The values that a variable has in states that can be reached; none if they are not bounded.
    pub fn limits(self, program: &Program, var: VarId) -> Option<(i64, i64)> {
        let (lo, hi) = self.of_type(program, program.variable(var).ty);
        let known = self.bounds.and_then(|bounds| bounds.get(var.index()).copied()).unwrap_or((None, None));
        let number = |value: Option<i128>| value.and_then(|value| i64::try_from(value).ok());
        let least = |one: Option<i64>, other: Option<i64>| one.max(other);
        let most = |one: Option<i64>, other: Option<i64>| one.into_iter().chain(other).min();
        let (lo, hi) = (least(number(known.0), lo)?, most(number(known.1), hi)?);
        let few = self.values.filter(|_| is_wide((lo, hi))).and_then(|values| values.bounds(var));
        Some(few.map_or((lo, hi), |(least, most)| (least.max(lo), most.min(hi))))
    }

    /// The values of variables with many values while a process is at a place; nothing if it never rests there.
    pub fn at(self, program: &Program, process: ProcessId, at: LocationId) -> Option<Vec<(VarId, &'p BTreeSet<i64>)>> {
        let Some(values) = self.values else { return Some(Vec::new()) };
        if is_passed(program, process, at) {
            return None;
        }
        // Nobody comes to a place of which nothing is known.
        let Some(known) = values.at(process, at) else { return Some(Vec::new()) };
        let wide = |var: VarId| match program.bounds(program.variable(var).ty) {
            (Some(lo), Some(hi)) => is_wide((lo, hi)),
            _ => false,
        };
        Some(known.iter().filter(|(var, _)| wide(**var)).map(|(&var, values)| (var, values)).collect())
    }
}

/// Bounds of the variables whose types have none: what interval analysis and invariants of locations say. Of the others nothing.
fn of_unbounded(program: &Program) -> Vec<Bounds> {
    let unbounded = |var: VarId| {
        let (lo, hi) = program.bounds(program.variable(var).ty);
        lo.is_none() || hi.is_none()
    };
    if !program.variable_ids().any(unbounded) {
        return Vec::new();
    }
    let known = reachable_bounds(program);
    program.variable_ids().map(|var| if unbounded(var) { known[var.index()] } else { (None, None) }).collect()
}

/// Whether a process can never rest at a location: it is inside a deterministic block, and nobody is left there without control.
fn is_passed(program: &Program, process: ProcessId, at: LocationId) -> bool {
    if program.location(process, at).hold != Hold::Deterministic || program.process(process).entry == at {
        return false;
    }
    program.steps.iter().all(|step| {
        let own = step.process == process && step.target == at;
        let (moved, keeps) = match &step.action {
            Action::Together { moves, control, .. } => {
                (moves.contains(&(process, at)), control.unwrap_or(step.process) == process)
            }
            Action::Send { .. } => (false, false),
            _ => (false, true),
        };
        !(own || moved) || (keeps && !step.frees)
    })
}

/// Whether there are more values than it does harm to tell apart.
const fn is_wide((lo, hi): (i64, i64)) -> bool {
    hi.abs_diff(lo) > 255
}

impl<'p> InstantiatedProgram<'p> {
    /// The program itself where its processes are fixed, else what it becomes when taken apart; `asked` are what questions say
    /// about states.
    ///
    /// # Errors
    /// If it has something that is not encoded, in words.
    pub fn new(original: &'p Program, asked: &[ExprId]) -> Result<Self, EncodingError> {
        if original.is_static() && original.channels.is_empty() && original.last.is_none() && !speaks_of_pids(original)
        {
            let (bounds, values) = (of_unbounded(original), ValueSets::of(original));
            return Ok(Self { original, apart: None, noted: BTreeMap::new(), values, bounds });
        }
        let refused = |why| refused(original, &why);
        let mut separated = Instantiated::exactly(original).map_err(refused)?;
        let mut moved = HashMap::new();
        for &expr in asked {
            moved.insert(expr, separated.observed(original, expr).map_err(refused)?);
        }
        let (bounds, values) = (intervals(&separated.program), ValueSets::of(&separated.program));
        let apart = Some(Instantiation { separated, moved });
        Ok(Self { original, apart, noted: BTreeMap::new(), values, bounds })
    }

    /// The same, with bounds that are believed of variables whose types have none, by variable. They are checked: a program of which some run leaves them is not encoded
    /// ([`Encoding::of`](crate::Encoding::of)). So that nothing is left out unseen, they say nothing of a variable that may begin with any value, or outside of them.
    #[must_use]
    pub fn within(mut self, believed: &[Bounds]) -> Self {
        if self.apart.is_some() {
            return self;
        }
        let original = self.original;
        for ((var, known), &(lo, hi)) in original.variable_ids().zip(&mut self.bounds).zip(believed) {
            let fits = |&value: &i64| {
                let value = i128::from(value);
                lo.is_none_or(|lo| lo <= value) && hi.is_none_or(|hi| value <= hi)
            };
            let begins_within = match &original.variable(var).initial {
                InitialValue::Same(value) => fits(value),
                InitialValue::Each(values) => values.iter().all(fits),
                _ => false,
            };
            if begins_within {
                *known = (known.0.max(lo), known.1.into_iter().chain(hi).min());
            }
        }
        self
    }

    /// The same, with claims that take notes.
    ///
    /// # Errors
    /// As above.
    pub fn watched(original: &'p Program, asked: &[ExprId], claims: &[ProcessId]) -> Result<Self, EncodingError> {
        let mut subject = Self::new(original, asked)?;
        for id in original.step_ids().filter(|&id| claims.contains(&original.step(id).process)) {
            let noted = subject.note(id).map_err(|why| refused(original, &why))?;
            subject.noted.insert(id, noted);
        }
        Ok(subject)
    }

    fn note(&mut self, id: StepId) -> Result<InstantiatedClaimStep, Unsupported> {
        let original = self.original;
        let step = original.step(id);
        let mut moved = |expr: ExprId| match &mut self.apart {
            Some(apart) => apart.separated.observed(original, expr),
            None => Ok(expr),
        };
        let guard = moved(step.guard)?;
        let rivals = step.yields_to.iter().map(|&rival| moved(original.step(rival).guard)).collect::<Result<_, _>>()?;
        let asserted = match step.action {
            Action::Assert(condition) => Some(moved(condition)?),
            _ => None,
        };
        let mut assigns = Vec::new();
        if let Action::Assign(noted) = &step.action {
            for &Assign { place, value } in noted {
                let value = moved(value)?;
                assigns.push(Assign { place, value });
            }
        }
        if let Some(apart) = &mut self.apart {
            for assign in &mut assigns {
                assign.place = apart.separated.observed_place(original, assign.place)?;
            }
        }
        Ok(InstantiatedClaimStep { guard, rivals, assigns, asserted })
    }

    /// What a step of a claim became.
    pub(crate) fn noted(&self, id: StepId) -> Result<&InstantiatedClaimStep, EncodingError> {
        self.noted.get(&id).ok_or_else(|| EncodingError::unfit("a `never` claim was not prepared"))
    }

    /// The variables that a claim assigns to, as they are encoded.
    pub(crate) fn noted_by(&self, claim: ProcessId) -> BTreeSet<VarId> {
        let own = self.noted.iter().filter(|&(&id, _)| self.original.step(id).process == claim);
        own.flat_map(|(_, noted)| noted.assigns.iter().map(|assign| assign.place.variable())).collect()
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

    pub(crate) fn special(&self) -> InstanceFacts<'_> {
        let values = Some(&self.values);
        let bounds = Some(self.bounds.as_slice());
        let plain = || InstanceFacts { values, bounds, ..InstanceFacts::default() };
        self.apart.as_ref().map_or_else(plain, |apart| InstanceFacts {
            values,
            channels: apart.separated.channel_count(),
            misused: Some(&apart.separated.misused),
            strayed: Some(&apart.separated.strayed),
            resting: apart.separated.resting.as_ref().map(|(var, values)| (*var, values.as_slice())),
            bounds,
        })
    }

    /// What the program became when it was taken apart; none if it is encoded as it stands.
    #[must_use]
    pub fn separated(&self) -> Option<&Instantiated> {
        self.apart.as_ref().map(|apart| &apart.separated)
    }

    /// The states of the program that was given, by those of what is encoded.
    pub fn restoring(&self) -> impl Fn(&State) -> State + use<'_, 'p> {
        let restoring = self.apart.as_ref().map(|apart| Restoring::new(&apart.separated, self.original));
        move |state| match &restoring {
            Some(restoring) => State::visible(restoring.slots(&state.slots)),
            None => state.clone(),
        }
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
                | Expr::Enabled(_)
                | Expr::PriorityOf(_)
        )
    };
    (0..program.exprs.len()).any(|at| by_pid(program.exprs.get(ExprId::new(at))))
}

fn refused(program: &Program, why: &Unsupported) -> EncodingError {
    let statement = |step: StepId| program.step(step).text.clone();
    EncodingError::unfit(match why {
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
            format!(
                "`{text}` speaks of channels not known beforehand, of a place by its number, or asks whether something \
                 is enabled that asks back or goes wrong"
            )
        }
        Unsupported::Initial(var) | Unsupported::Keep(var) | Unsupported::KeepFromStart(var) => {
            format!("what `{}` begins with is computed from what is not known", program.show_variable(*var))
        }
    })
}
