//! In which order are engines tried?

use tertium_base::Diagnostic;

use super::ProgramQuery;
use super::engine::ProgramEngine;
use super::explicit::{ExplicitSearch, Extent};
use super::facts::Facts;
use super::predicates::{AbstractionRefinement, GivenPredicates};
use super::processes::{CounterAbstraction, EverySize, SpotlightAbstraction, When};
use super::symbolic::{Cause, DecisionDiagrams};
use super::wishes::{Approach, SpotlightWish};
use crate::engines::EngineChoice;
use crate::failure::Failure;
use crate::program::safety::Keeping;
use crate::program::spotlight::{Parameters, start};

/// How much of what is left of the budget an engine gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Share {
    /// All of it.
    Whole,
    /// Half of the time, so that something is left for a search.
    Half,
}

/// An engine in its place.
pub(super) struct Stage {
    pub(super) engine: Box<dyn ProgramEngine>,
    pub(super) share: Share,
    /// Whether the user wants this engine: what it cannot do is then an error.
    pub(super) is_wished: bool,
}

impl Stage {
    fn tried(engine: impl ProgramEngine + 'static) -> Self {
        Self { engine: Box::new(engine), share: Share::Whole, is_wished: false }
    }

    fn wished(engine: impl ProgramEngine + 'static) -> Self {
        Self { is_wished: true, ..Self::tried(engine) }
    }

    fn in_half(engine: impl ProgramEngine + 'static) -> Self {
        Self { share: Share::Half, ..Self::tried(engine) }
    }
}

/// The ordered list of engines for a request.
pub(super) fn of(request: &ProgramQuery<'_>, facts: &Facts) -> Result<Vec<Stage>, Failure> {
    let wishes = request.wishes;
    if let Some(open) = &request.file.open {
        wishes.fit_every_size(&open.constants)?;
        return Ok(vec![Stage::wished(EverySize)]);
    }
    let mut stages = Vec::new();
    match light(request) {
        Light::All => must_not_name_parameters(request)?,
        Light::Wished => return Ok(vec![Stage::wished(SpotlightAbstraction)]),
        Light::Tried => {
            let is_wished = wishes.parameters != Parameters::On;
            stages.push(Stage { is_wished, ..Stage::tried(SpotlightAbstraction) });
            stages.push(Stage::tried(CounterAbstraction(When::AfterSpotlight)));
            stages.push(Stage::tried(DecisionDiagrams(Cause::VeryMany)));
        }
    }
    stages.extend(match (wishes.approach, wishes.rounds()) {
        (Approach::Abstract, 0) => vec![Stage::wished(GivenPredicates)],
        (Approach::Abstract, rounds) => vec![Stage::wished(AbstractionRefinement { rounds })],
        (Approach::Run | Approach::NoAbstraction, _) => concrete(request, facts),
        (Approach::Free, _) => free(request, facts),
    });
    Ok(stages)
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
fn free(request: &ProgramQuery<'_>, facts: &Facts) -> Vec<Stage> {
    // Who wants sets gets them, or the reason why there are none.
    if facts.large.is_none() || request.wishes.options.engine == EngineChoice::Symbolic {
        return concrete(request, facts);
    }
    let rounds = request.wishes.usual_rounds();
    let mut stages = vec![
        Stage::wished(ExplicitSearch(Extent::First(facts.limits.first_states))),
        Stage::in_half(CounterAbstraction(When::Many)),
        Stage::in_half(AbstractionRefinement { rounds }),
        Stage::in_half(CounterAbstraction(When::Otherwise)),
    ];
    if facts.is_bounded {
        stages.extend(concrete(request, facts));
    } else {
        stages.push(Stage::wished(ExplicitSearch(Extent::More(facts.limits.more_states))));
    }
    stages
}

/// All states, one by one or as sets.
fn concrete(request: &ProgramQuery<'_>, facts: &Facts) -> Vec<Stage> {
    let options = &request.wishes.options;
    if options.engine == EngineChoice::Symbolic {
        return vec![Stage::wished(DecisionDiagrams(Cause::Wished))];
    }
    let mut stages = Vec::new();
    let chosen =
        options.engine != EngineChoice::Auto || options.max_states.is_some() || options.store != Keeping::Exact;
    if !chosen && options.deadlock.is_none() && options.linear.is_none() && facts.log10_states(request.file).is_some() {
        stages.push(Stage::wished(ExplicitSearch(Extent::First(facts.limits.short_search))));
        stages.push(Stage::tried(DecisionDiagrams(Cause::ManyStates)));
    }
    stages.push(Stage::wished(ExplicitSearch(Extent::Whole)));
    stages
}
