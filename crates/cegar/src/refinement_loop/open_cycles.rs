//! What is told of a cycle that no ranking function excludes?
//!
//! States of the program that it may go through, the integers that were tried and the step on which each of them may grow, and a condition that would make one decrease.

use std::collections::{BTreeMap, BTreeSet};

use tertium_evidence::abstraction::Taken;
use tertium_smt::{TermId, smtlib};

use super::ranked_games::{GameRank, Play};
use super::ranking_levels::components;
use super::reasons::reason;
use crate::answer::Reason;
use crate::limits;
use crate::predicate_abstraction::infix::infix;

/// Why no value was defended, and what may be tried next.
#[derive(Default)]
pub(super) struct Lacking {
    /// Conditions under which candidates would decrease.
    pub(super) conditions: Vec<TermId>,
    /// Conditions under which phases have ended.
    pub(super) phase_ends: Vec<TermId>,
    /// The same for people.
    pub(super) told: Option<Reason>,
}

impl Play<'_> {
    /// What is lacking for the open steps.
    pub(super) fn lacking(&mut self, ranks: &[GameRank], inside: &[Taken]) -> Lacking {
        let conditions = self.conditions(ranks, inside);
        let phase_ends = self.ranking.phase_ends.clone();
        let Some(cycle) = components(inside).into_iter().min_by_key(Vec::len) else {
            return Lacking { conditions, phase_ends, told: None };
        };
        let mut states: Vec<u32> = cycle.iter().map(|step| step.0).collect();
        states.dedup();
        let named: BTreeMap<u32, String> = cycle
            .iter()
            .flat_map(|step| [step.0, step.2])
            .collect::<BTreeSet<u32>>()
            .into_iter()
            .take(limits::OPEN_CYCLE_MOST_SAMPLES)
            .map(|state| (state, format!("`{}`", self.example(state))))
            .collect();
        let name = |state: u32| named.get(&state).map_or("another state", String::as_str);
        let shown: Vec<&str> = states.iter().take(limits::OPEN_CYCLE_MOST_STATES).map(|&state| name(state)).collect();
        let more = if states.len() > shown.len() { ", …" } else { "" };
        let tried = ranks.iter().take(limits::OPEN_CYCLE_MOST_FUNCTIONS).map(|rank| {
            let function = rank.shown();
            match cycle.iter().find(|step| rank.may_increase(step)) {
                Some(&(from, _, to)) if from == to => format!("`{function}` may grow at states like {}", name(from)),
                Some(&(from, _, to)) => {
                    format!("`{function}` may grow from states like {} to {}", name(from), name(to))
                }
                None => format!("`{function}` does not grow, but need not decrease"),
            }
        });
        let tried: Vec<String> = tried.collect();
        let tried = if tried.is_empty() { "no linear function decreases".to_owned() } else { tried.join("; ") };
        let what = format!("a cycle through states like {}{more} may go on for ever: {tried}", shown.join(", "));
        let texts: Vec<String> = conditions.iter().take(2).map(|&term| self.text(term)).collect();
        let help = match texts.as_slice() {
            [] => "add a predicate that tells its phases apart, `--predicate EXPR`, or a variable that counts down"
                .to_owned(),
            _ => format!(
                "a predicate that says when one of them decreases may help: `--predicate '{}'`",
                texts.join("'` or `--predicate '")
            ),
        };
        Lacking { conditions, phase_ends, told: Some(reason(what, &help)) }
    }

    /// A program state that an abstract one stands for; its own name if the solver finds none.
    fn example(&mut self, state: u32) -> String {
        let system = &mut *self.ranking.system;
        let state = &self.ranking.drawn.explored.states[state as usize];
        let Ok(Some(sample)) = system.sample(state) else { return system.name(state) };
        let program = system.program();
        let places = program
            .process_ids()
            .zip(&state.locations)
            .map(|(process, &at)| format!("{}@{}", program.process(process).name, program.location_name(process, at)));
        let values = sample.iter().filter(|(_, cells)| cells.len() == 1);
        let values = values.map(|(var, cells)| format!("{}={}", program.show_variable(*var), cells[0]));
        places.chain(values.take(limits::OPEN_CYCLE_MOST_VALUES)).collect::<Vec<_>>().join(" ")
    }

    fn text(&mut self, term: TermId) -> String {
        let terms = self.ranking.system.asking().0;
        infix(&smtlib::show(terms, term))
    }
}
