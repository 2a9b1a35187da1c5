//! Which engines are tried, in which order and beside which others?

use tertium_base::Diagnostic;

use tertium_load::questions::QuestionId;
use tertium_program::{Domain, Program, Step};

use super::ProgramQuery;
use super::engine::{EngineId, ProgramEngine};
use super::explicit::{ExplicitSearch, Extent, QuestionChoice, is_about_runs};
use super::facts::Facts;
use super::on_device::SearchOnDevice;
use super::predicates::{AbstractionRefinement, GivenPredicates};
use super::processes::{CounterAbstraction, EverySize, SpotlightAbstraction, When};
use super::seen_ranges::may_be_seen;
use super::symbolic::{Cause, DecisionDiagrams};
use super::wishes::{Approach, SpotlightWish};
use crate::engines::EngineChoice;
use crate::failure::Failure;
use crate::program::safety::Keeping;
use crate::program::spotlight::{Parameters, start};

/// What is done before the next phase begins.
pub(super) struct Phase {
    pub(super) lanes: Vec<Lane>,
}

impl Phase {
    /// One stage after the other.
    fn alone(stages: Vec<Stage>) -> Self {
        Self { lanes: vec![Lane::with_share(1, stages)] }
    }
}

/// Engines that come one after the other, beside those of other lanes.
pub(super) struct Lane {
    /// Its share of the time.
    pub(super) share: u64,
    /// What a look at the budget takes, in microseconds, where turns are counted in them.
    pub(super) look: u64,
    /// How long it works before the others begin, in microseconds.
    pub(super) first: u64,
    /// How long the others work together before it begins, in microseconds.
    pub(super) after: u64,
    pub(super) stages: Vec<Stage>,
}

impl Lane {
    fn with_share(share: u64, stages: Vec<Stage>) -> Self {
        let look = stages.first().map_or(1, |stage| look_of(stage.engine.id()));
        Self { share, look, first: 0, after: 0, stages }
    }
}

/// What a look at the budget takes on the average, in microseconds: it may be ten times as much or as little.
const fn look_of(engine: EngineId) -> u64 {
    match engine {
        EngineId::Explicit | EngineId::Device => 1_000,
        EngineId::Symbolic => 5_000,
        EngineId::Parameterised
        | EngineId::Spotlight
        | EngineId::CounterAbstraction
        | EngineId::PredicateAbstraction
        | EngineId::Cegar => 100,
    }
}

/// Steps with more combinations of chosen values lead to many states each.
const MANY_COMBINATIONS: u64 = 1 << 10;

/// An engine in its place.
pub(super) struct Stage {
    pub(super) engine: Box<dyn ProgramEngine>,
    /// Whether the user wants this engine: what it cannot do is then an error.
    pub(super) is_wished: bool,
    /// Whether it ends soon by itself.
    pub(super) is_short: bool,
}

impl Stage {
    fn tried(engine: impl ProgramEngine + 'static) -> Self {
        Self { engine: Box::new(engine), is_wished: false, is_short: false }
    }

    fn wished(engine: impl ProgramEngine + 'static) -> Self {
        Self { is_wished: true, ..Self::tried(engine) }
    }

    /// A search of the first states.
    fn probe(most: usize) -> Self {
        let search = ExplicitSearch { extent: Extent::First(most), asked: QuestionChoice::All };
        Self { is_short: true, ..Self::wished(search) }
    }

    fn search(extent: Extent, asked: QuestionChoice) -> Self {
        Self::wished(ExplicitSearch { extent, asked })
    }
}

/// What is done for a request, phase by phase.
pub(super) fn of(request: &ProgramQuery<'_>, facts: &Facts) -> Result<Vec<Phase>, Failure> {
    let wishes = request.wishes;
    if let Some(open) = &request.file.open {
        wishes.fit_every_size(&open.constants)?;
        return Ok(vec![Phase::alone(vec![Stage::wished(EverySize)])]);
    }
    if wishes.options.on_device {
        let search = Stage::search(Extent::Whole, QuestionChoice::All);
        return Ok(vec![Phase::alone(vec![Stage::wished(SearchOnDevice), search])]);
    }
    let mut few_processes = Vec::new();
    match light(request) {
        Light::All => must_not_name_parameters(request)?,
        Light::Wished => return Ok(vec![Phase::alone(vec![Stage::wished(SpotlightAbstraction)])]),
        Light::Tried => {
            let is_wished = wishes.parameters != Parameters::On;
            few_processes.push(Stage { is_wished, ..Stage::tried(SpotlightAbstraction) });
            few_processes.push(Stage::tried(CounterAbstraction(When::AfterSpotlight)));
        }
    }
    Ok(match (wishes.approach, wishes.rounds()) {
        (Approach::Abstract, 0) => vec![Phase::alone(vec![Stage::wished(GivenPredicates)])],
        (Approach::Abstract, rounds) => vec![Phase::alone(vec![Stage::wished(AbstractionRefinement { rounds })])],
        (Approach::Run | Approach::NoAbstraction, _) => {
            let rest = together(request, facts, few_processes, Vec::new());
            probe(request, facts, false).into_iter().chain([rest]).collect()
        }
        (Approach::Free, _) => free(request, facts, few_processes),
    })
}

/// Whether all processes are looked at.
enum Light {
    All,
    Wished,
    Tried,
}

fn light(request: &ProgramQuery<'_>) -> Light {
    let declared = !request.file.program.spotlight.is_empty();
    match request.wishes.spotlight {
        SpotlightWish::Wanted => Light::Wished,
        SpotlightWish::Allowed | SpotlightWish::IfDeclared if declared => Light::Wished,
        SpotlightWish::Allowed if start::reason(request.file, request.questions).is_some() => Light::Tried,
        _ => Light::All,
    }
}

/// An option that would be ignored is an error.
fn must_not_name_parameters(request: &ProgramQuery<'_>) -> Result<(), Failure> {
    if request.wishes.parameters == Parameters::On {
        return Ok(());
    }
    let name = &request.file.source.name;
    let message =
        format!("`--parameters` is for structures and for programs in a spotlight, and `{name}` is not one of them");
    Err(Diagnostic::error("E0354", message).help("leave it out for other programs").into())
}

/// What is done if the user leaves it open whether the program is run or abstracted.
fn free(request: &ProgramQuery<'_>, facts: &Facts, few_processes: Vec<Stage>) -> Vec<Phase> {
    // Who wants sets gets them, or the reason why there are none.
    if request.wishes.options.engine == EngineChoice::Symbolic {
        return vec![together(request, facts, Vec::new(), Vec::new())];
    }
    let is_needed = facts.large.is_some();
    let rounds = request.wishes.usual_rounds();
    let mut abstraction = Vec::new();
    if is_needed {
        abstraction.push(Stage::tried(CounterAbstraction(When::Many)));
    }
    // What few of very many processes leave open is not settled by abstracting all of them together.
    if (is_needed || is_plain(request)) && (few_processes.is_empty() || !facts.very_many) {
        abstraction.push(Stage::tried(AbstractionRefinement { rounds }));
    }
    if is_needed && (few_processes.is_empty() || !facts.very_many) {
        abstraction.push(Stage::tried(CounterAbstraction(When::Otherwise)));
    }
    probe(request, facts, is_needed).into_iter().chain([together(request, facts, few_processes, abstraction)]).collect()
}

/// The first states, for all questions, before others begin.
fn probe(request: &ProgramQuery<'_>, facts: &Facts, is_needed: bool) -> Option<Phase> {
    // Where one step leads to very many states, sets need not wait until they are listed.
    let widely = facts.sets_first() || chooses_widely(&request.file.program);
    let lists_much = widely && facts.log10_states(request.file).is_some();
    (is_needed || is_plain(request) && !lists_much).then(|| Phase::alone(vec![Stage::probe(facts.limits.first_states)]))
}

/// Whether a step chooses from so many combinations of values that listing them takes longer than most sets.
fn chooses_widely(program: &Program) -> bool {
    let values = |domain: Domain| match domain {
        Domain::Type(ty) => match program.bounds(ty) {
            (Some(lo), Some(hi)) => hi.abs_diff(lo).saturating_add(1),
            _ => 1,
        },
        Domain::Range(..) => 1,
    };
    let combinations = |step: &Step| step.inputs.iter().map(|input| values(input.domain)).fold(1, u64::saturating_mul);
    program.steps.iter().any(|step| combinations(step) > MANY_COMBINATIONS)
}

/// Whether the user has chosen nothing about how states are visited.
fn is_plain(request: &ProgramQuery<'_>) -> bool {
    let options = &request.wishes.options;
    options.engine == EngineChoice::Auto
        && options.max_states.is_none()
        && options.store == Keeping::Exact
        && options.deadlock.is_none()
        && options.linear.is_none()
}

/// All states, one by one and as sets, beside few processes and abstraction where these are worth a try.
fn together(request: &ProgramQuery<'_>, facts: &Facts, few_processes: Vec<Stage>, abstraction: Vec<Stage>) -> Phase {
    if request.wishes.options.engine == EngineChoice::Symbolic {
        return Phase::alone(vec![Stage::wished(DecisionDiagrams(Cause::Wished))]);
    }
    let mut lanes = Vec::new();
    let sets = cause_for_sets(request, facts);
    let has_few = !few_processes.is_empty();
    if has_few {
        lanes.push(Lane::with_share(shares::FEW_PROCESSES, few_processes));
    }
    if !abstraction.is_empty() {
        // Where it decides something at all, it mostly does so at once.
        let share = if facts.is_bounded { shares::ABSTRACTION } else { shares::UNBOUNDED };
        let first = if facts.sets_first() && sets.is_some() { 0 } else { shares::ABSTRACTION_FIRST };
        lanes.push(Lane { first, ..Lane::with_share(share, abstraction) });
    }
    if let Some(cause) = sets {
        let (first, after) = if facts.sets_first() { (shares::SETS_FIRST, 0) } else { (0, shares::SETS_AFTER) };
        let sets = vec![Stage::tried(DecisionDiagrams(cause))];
        lanes.push(Lane { first, after, ..Lane::with_share(shares::SETS, sets) });
    }
    // What few of very many processes leave open is not settled by visiting the states of all of them.
    let endless = !facts.is_bounded || (has_few && facts.very_many);
    let extent = match endless && !lanes.is_empty() {
        true => Extent::More(facts.limits.more_states),
        false => Extent::Whole,
    };
    let (runs, states): (Vec<QuestionId>, Vec<QuestionId>) =
        QuestionId::all(request.questions).partition(|&question| is_about_runs(request, question));
    if request.wishes.options.disk.is_some() {
        // What is left of the memory is for the search on disk, until that has ended.
        let searches = [QuestionChoice::States, QuestionChoice::Runs].map(|asked| Stage::search(extent, asked));
        lanes.push(Lane::with_share(shares::SEARCH, searches.into()));
        return Phase { lanes };
    }
    let share = if runs.is_empty() || states.is_empty() { shares::SEARCH } else { shares::SEARCH / 2 };
    if !states.is_empty() || runs.is_empty() {
        lanes.push(Lane::with_share(share, vec![Stage::search(extent, QuestionChoice::States)]));
    }
    if !runs.is_empty() {
        lanes.push(Lane::with_share(share, vec![Stage::search(extent, QuestionChoice::Runs)]));
    }
    Phase { lanes }
}

/// Why sets are worth a try, if they are.
fn cause_for_sets(request: &ProgramQuery<'_>, facts: &Facts) -> Option<Cause> {
    if !is_plain(request) || request.wishes.search_only {
        return None;
    }
    let many = facts.log10_states(request.file).map(|_| Cause::ManyStates);
    many.or_else(|| (!facts.is_bounded && may_be_seen(&request.file.program)).then_some(Cause::SeenRanges))
}

/// Shares of the effort, in no unit: only their ratios count. Where one engine alone would do, the default takes as much longer as the others have
/// shares (`make bench-choice`): a search is mostly the one, and so has more than half.
mod shares {
    pub(super) const FEW_PROCESSES: u64 = 30;
    pub(super) const ABSTRACTION: u64 = 18;
    /// Of a program that cannot be searched to the end.
    pub(super) const UNBOUNDED: u64 = 60;
    pub(super) const SETS: u64 = 26;
    pub(super) const SEARCH: u64 = 56;
    /// In microseconds.
    pub(super) const ABSTRACTION_FIRST: u64 = 100_000;
    /// In microseconds: what a search ends by then needs no sets.
    pub(super) const SETS_AFTER: u64 = 250_000;
    /// In microseconds: so long sets of states of a synchronous system are computed before anything else is tried.
    pub(super) const SETS_FIRST: u64 = 3_000_000;
}
