//! What is a formula about players on a structure with owners?
//!
//! ATL and ATL* are evaluated as their forms in the mu-calculus (`tertium_logic::coalition_form`) by the same engines as everything else: whose turn it is becomes a label of the structure. So the values are those of partial games (a coalition's moves
//! certain and the others' possible, and dually), proofs are strategies that the kernel re-checks with its own reading of owners, and an unknown names the open step.
//! Where the automaton of a path formula is too large for that form, parity games are played beside it (`tertium_check::synthesis`).

use std::borrow::Cow;

use tertium_base::{BitSet, Budget, Diagnostic};
use tertium_check::synthesis::{CoalitionTask, coalition_values};
use tertium_evidence::observer::Observer;
use tertium_evidence::{CertificatePlace, Deadlock};
use tertium_kernel::Subject;
use tertium_lattice::Belnap;
use tertium_load::failure::{Failure, Located};
use tertium_load::property::Parsed;
use tertium_logic::{Formula, coalition_form, owner_atom};
use tertium_model::{Kmts, Model, StateId};

use crate::answer::{Answer, Proved, Value};
use crate::check::{Session, meet_at};
use crate::engines::{self, EngineChoice};
use crate::prove;
use crate::query::is_query;

/// The structure and the formula that are evaluated; none if a formula about players has no small form.
#[must_use]
pub fn evaluated<'a>(model: &'a Kmts, formula: &'a Formula) -> Option<(Cow<'a, Kmts>, Cow<'a, Formula>)> {
    if !formula.logic().is_strategic() {
        return Some((Cow::Borrowed(model), prove::evaluated_formula(model, formula)));
    }
    let form = coalition_form(formula)?;
    Some((Cow::Owned(with_turns(model, &form)), Cow::Owned(form)))
}

/// The structure with a label for each coalition of a formula: true where one of its players has the turn.
#[must_use]
pub fn with_turns(model: &Kmts, formula: &Formula) -> Kmts {
    let mut owned = model.clone();
    for coalition in formula.coalitions().iter().filter(|coalition| !coalition.names().is_empty()) {
        let turn = BitSet::from_fn(model.state_count(), |at| coalition.contains(model.owner_name(StateId::new(at))));
        // The same players may stand in `<<…>>` and in `[[…]]`.
        owned = owned.with_definite_prop(&owner_atom(&coalition.players), turn).unwrap_or_else(|same| *same);
    }
    owned
}

/// Why a formula about players cannot be asked here.
pub(crate) fn declined(session: &Session<'_>, parsed: &Parsed) -> Option<Located> {
    let formula = &parsed.formula;
    if !formula.logic().is_strategic() {
        return None;
    }
    let refuse = |why: &str, help: &str| {
        let message = format!("a formula of {} cannot be decided here: {why}", formula.logic().name());
        Some(Located::nowhere(Diagnostic::error("E0358", message).help(help.to_owned())))
    };
    let Model::Kmts(model) = session.checked_model() else {
        return refuse("only structures with may and must have players", "leave out the lattice or the parameters");
    };
    if is_query(formula) {
        return refuse("it is a query", "ask for values of formulas without `?`");
    }
    if !model.fairness().is_empty() {
        let help = "write what is assumed into the formula: `<<P>> (G F served -> G F done)` in atl*";
        return refuse("the structure has fairness constraints, and nobody is said to grant them", help);
    }
    if session.options.thorough {
        let help = "leave out `--semantics thorough` or `--module`";
        return refuse("completions and environments are known for formulas without players", help);
    }
    if session.reading.deadlock == Deadlock::Maximal {
        return refuse("`--deadlock maximal` lets a path end, and then nobody moves", "use `--deadlock mu` or `total`");
    }
    let taken = formula.coalitions().iter().map(|coalition| owner_atom(&coalition.players));
    if let Some(name) = taken.into_iter().find(|name| model.prop_by_name(name).is_some()) {
        return refuse(&format!("a proposition has the name `{name}`"), "give the proposition another name");
    }
    let ends = model.states().find(|&state| model.is_dead(state)).filter(|_| coalition_form(formula).is_none());
    if let Some(dead) = ends {
        let why =
            format!("the automaton of its path formula is large, and a play can end at `{}`", model.state_name(dead));
        return refuse(&why, "give that state a step to itself, or split the path formula");
    }
    let by_product = matches!(session.options.engine, EngineChoice::Auto | EngineChoice::Game);
    if !by_product && coalition_form(formula).is_none() {
        let why = "the automaton of its path formula is large, and only parity games are played beside one";
        return refuse(why, "leave out `--engine`, or use `--engine game`");
    }
    None
}

impl Session<'_> {
    /// Decides a formula about players whose path formulas have large automata: parity games beside them.
    pub(crate) fn check_by_product(
        &self,
        model: &Kmts,
        answer: &mut Answer,
        budget: &Budget,
        observer: &dyn Observer,
    ) -> Result<(), Failure> {
        let asked = answer.formula.clone();
        let total = model.total() || self.reading.deadlock == Deadlock::Total;
        let task = CoalitionTask { model, formula: &asked, total, budget };
        let values = coalition_values(&task).map_err(engines::failure)?;
        answer.provenance = EngineChoice::Game.provenance(asked.logic());
        let (value, state) = meet_at(&self.ask, |state| values[state.index()]);
        if self.options.all_states {
            answer.per_state = Some(values.iter().copied().map(Value::Belnap).collect());
        }
        answer.verdict.settle(value);
        answer.state = state;
        let states: &[StateId] = match (value, &state) {
            (Belnap::True, _) => &self.ask,
            (Belnap::False, Some(state)) => std::slice::from_ref(state),
            _ => return Ok(()),
        };
        observer.phase(&format!("proving {}", answer.name));
        let mut proved = Vec::new();
        for &state in states {
            let Some(certificate) = prove::strategy(&task, self.reading, state, value)? else { return Ok(()) };
            prove::recheck((model, Subject::structure(model)), &certificate, &[], budget)?;
            proved.push(Proved { place: CertificatePlace::Whole, structure: None, certificate });
        }
        (answer.certificates, answer.checked) = (proved, true);
        Ok(())
    }
}

/// Why a module has no formula about players.
pub fn no_environments() -> Diagnostic {
    let why = "a formula about players cannot be decided here: environments are known for formulas without players";
    Diagnostic::error("E0358", why).help("leave out `--module`")
}
