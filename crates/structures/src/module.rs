//! Does a property hold whatever the environment does?
//!
//! Module checking (Kupferman, Vardi and Wolper 2001): an environment may leave out any of its moves, but not all, and otherwise at each visit; the property must hold in all of these prunings. A pruning is a completion of the structure in which the
//! environment's steps are possible only and one of them is certain, so this is the thorough semantics of that structure. Where the design itself is complete, a property that not all completions satisfy is false: some environment violates it.
//!
//! Not here: completions (`thorough`), programs (`statespace`).

use tertium_base::Diagnostic;
use tertium_lattice::Belnap;
use tertium_load::cuts::too_large;
use tertium_load::failure::Failure;
use tertium_model::{Kmts, KmtsBuilder, PropId, SYSTEM, StateId};

use crate::answer::{Answer, Value};

/// The name of the player whose moves may be left out.
const ENVIRONMENT: &str = "environment";

fn refusal(why: &str, help: &str) -> Failure {
    let message = format!("a module cannot be checked here: {why}");
    Diagnostic::error("E0359", message).help(help.to_owned()).into()
}

/// Why a program is no module: nobody is its environment.
pub fn no_environment() -> Failure {
    let help = "write `environment P, scheduler` for the processes that are not part of the design";
    refusal("the program names no environment", help)
}

/// Structures over a lattice and with parameters have no owners.
pub(crate) fn no_owners() -> Failure {
    refusal("only structures with may and must have players", "leave out the lattice or the parameters")
}

/// The structure whose completions are the prunings: steps of the environment are possible only, and some step is certain where one was.
///
/// # Errors
/// If no state belongs to an environment, or there are fairness constraints.
pub fn prunings(model: &Kmts) -> Result<Kmts, Failure> {
    if !model.is_game() {
        let help = "write `owner STATE = environment` for states where the environment moves";
        return Err(refusal("no state belongs to another player than `system`", help));
    }
    if !model.fairness().is_empty() {
        return Err(refusal("the structure has fairness constraints", "leave them out"));
    }
    // A player of that name is the environment; else everybody but the system is.
    let environment = model.player_by_name(ENVIRONMENT);
    let is_open = |state: StateId| match environment {
        Some(player) => model.owner(state) == player,
        None => model.owner_name(state) != SYSTEM,
    };
    let mut builder = KmtsBuilder::with_names(model.state_names().clone());
    for name in model.actions() {
        builder.add_action(name);
    }
    for (at, name) in model.props().iter().enumerate() {
        let prop = builder.add_prop(name);
        model.states().for_each(|state| builder.set_label(state, prop, model.label(state, PropId::new(at))));
    }
    for state in model.states() {
        let open = is_open(state);
        for edge in model.edges_from(state) {
            builder.add_edge(state, edge.target, edge.may, edge.must && !open, edge.action);
        }
        if !open {
            model.hyper_from(state).for_each(|edge| builder.add_hyper(state, edge.members, edge.action));
        } else if !model.certain_sets(state, None).is_empty() {
            let all: Vec<StateId> = model.may_successors(state).collect();
            builder.add_hyper(state, &all, None);
        }
    }
    model.init().iter().for_each(|&state| builder.add_init(state));
    builder.copy_owners(model, model.states().map(|state| (state, state)));
    builder.set_total(model.total());
    builder.finish().map_err(too_large)
}

/// What the value over all prunings says of the module: of a complete design, that one environment violates the property is enough.
pub(crate) fn settle(original: &Kmts, answer: &mut Answer) {
    answer.semantics = "module";
    // They speak of the prunings, and the file does not have them.
    answer.certificates.clear();
    if answer.stopped().is_none() && answer.verdict.value() == Belnap::Unknown && original.is_complete() {
        answer.verdict.settle(Belnap::False);
    }
    for value in answer.per_state.iter_mut().flatten().filter(|_| original.is_complete()) {
        if *value == Value::Belnap(Belnap::Unknown) {
            *value = Value::Belnap(Belnap::False);
        }
    }
}
