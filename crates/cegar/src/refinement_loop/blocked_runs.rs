//! Does a value depend on what runs mean that are blocked, or end?
//!
//! To CTL a state without successors is just that: `AF p` is true there. To LTL and CTL* the run stays where it is. Where the same game over the same abstract states has another value if runs stay, or may have one, the answer says so.

use std::collections::BTreeMap;

use tertium_abstraction::StructureOptions;
use tertium_base::Diagnostic;
use tertium_check::ranked_game;
use tertium_check::{Ask, Task};
use tertium_evidence::Reading;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, Node};

use super::Loop;
use super::ranked_games::defended;
use super::ranking::{DrawnAbstraction, treated_fairly};
use crate::predicate_abstraction::basis;
use crate::predicate_abstraction::{Prepared, failed};
use crate::ranked_structure::ranked_structure;
use tertium_load::failure::Failure;
use tertium_load::questions::PropertyQuery;
use tertium_structures::check::bound;

impl Loop<'_> {
    /// A remark if the value of a formula of CTL rests on runs that are blocked or end being no paths.
    pub(super) fn about_blocked_runs(
        &self,
        prepared: &mut Prepared,
        asked: &PropertyQuery,
        (formula, starts): (&Formula, bool),
        drawn: &DrawnAbstraction,
        value: Belnap,
    ) -> Result<Option<Diagnostic>, Failure> {
        let options = self.work.options;
        let plain = asked.formula.logic() == Logic::Ctl
            && options.deadlock.is_none()
            && treated_fairly(prepared.system.program(), Logic::Ctl, options).0.is_empty();
        // What a next state is where there is none is another matter.
        let next = formula.node_ids().any(|id| matches!(formula.node(id), Node::Next(_)));
        let Some(place) = blocked_place(prepared, drawn).filter(|_| plain && !next) else { return Ok(None) };
        let atoms = prepared.atoms(asked);
        let stay = StructureOptions { stutter: true, ..StructureOptions::default() };
        let model = drawn.explored.structure(&mut prepared.system, &atoms, &stay, self.work.budget);
        let model = model.map_err(|why| failed(self.work.file, prepared.system.program(), why))?;
        let program = prepared.system.program();
        let names: BTreeMap<u32, String> = basis::pids(program)
            .into_iter()
            .map(|(process, pid)| (pid, program.process(process).name.clone()))
            .collect();
        let ranked = ranked_structure(&drawn.structure, &model, &names);
        let mut other = None;
        for wanted in [value == Belnap::True, value != Belnap::True] {
            let task = bound(Task::new(&model, formula, Reading::default(), Ask::At(model.init()), self.work.budget))?;
            let Some(solution) = ranked_game::solve(&task, &ranked, model.init(), wanted)? else { return Ok(None) };
            if defended(&drawn.explored.initial, starts, &solution, wanted) {
                other = Some(Belnap::from(wanted));
                break;
            }
        }
        if other == Some(value) {
            return Ok(None);
        }
        let then = other.map_or("may be another one".to_owned(), |other| format!("is {}", other.word()));
        let message = format!(
            "runs that are blocked, or end, do not count here; if they stay where they are, as in LTL and CTL*, the value {then}"
        );
        let diagnostic =
            Diagnostic::warning("W0411", message).note(format!("a run may be blocked, or end, at {place}"));
        Ok(Some(diagnostic.help("`--deadlock maximal` lets such runs count in all logics, `--deadlock mu` in none")))
    }
}

/// Where a run may end; where it does so before the ends of all processes, if there is such a place.
fn blocked_place(prepared: &Prepared, drawn: &DrawnAbstraction) -> Option<String> {
    let program = prepared.system.program();
    let all = drawn.explored.states.iter().zip(&drawn.explored.expansions);
    let ending: Vec<_> = all.filter(|(_, expansion)| expansion.may_stop).map(|(state, _)| state).collect();
    let at_end = |locations: &[tertium_program::LocationId]| {
        program.process_ids().zip(locations).all(|(process, &at)| program.location(process, at).end)
    };
    let state = ending.iter().find(|state| !at_end(&state.locations)).or(ending.first())?;
    let places = program.process_ids().zip(&state.locations);
    let places = places
        .map(|(process, &at)| format!("`{}@{}`", program.process(process).name, program.location_name(process, at)));
    Some(places.collect::<Vec<_>>().join(", "))
}
