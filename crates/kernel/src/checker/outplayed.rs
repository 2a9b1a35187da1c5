//! Do these moves beat whoever tries to build a completion with the contrary?
//!
//! The ways to meet terms and the outcomes of a move are found here anew, by `completion_game` from their definitions; every one needs a stand that is beaten.
//! Then plays that never end are looked at. A watch that is kept for ever and is good again and again has a thread that meets its
//! odd priority for ever (there are finitely many threads at every stand, and each that was good comes from one that was): so that
//! no strongly connected part of the moves may be left where no watch is kept by all moves and made good by one. Where one is, plays that make it
//! good again and again are lost for the builder, and the others do without these moves.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::Diagnostic;
use tertium_base::narrow::to_u32;
use tertium_lattice::Belnap;
use tertium_model::ActionId;

use super::graph::Graph;
use super::{Case, Rejection, misfit};
use crate::completion_game::{CompletionGame, Demand, TermChoice, TermId, Terms};
use tertium_evidence::{Deadlock, Stand};

/// A term and a priority.
type Thread = (u32, u32);

/// From one stand to another, and what becomes of watches.
struct Move {
    from: u32,
    to: u32,
    /// The names of watches that are kept.
    kept: Vec<u32>,
    /// Those of them that are good.
    good: Vec<u32>,
}

struct Checker<'a> {
    case: &'a Case<'a>,
    game: CompletionGame<'a>,
    terms: Terms,
    stands: &'a [Stand],
    mixed: bool,
}

/// Checks that no completion of the asked state has the contrary of the answer.
pub(super) fn check(case: &Case<'_>, stands: &[Stand]) -> Result<(), Rejection> {
    if case.structure.constraints() > 0 {
        return Err(misfit("completions do not inherit fairness constraints"));
    }
    let ends = case.certificate.reading.deadlock == Deadlock::Maximal;
    let contrary = case.certificate.value == Belnap::False;
    let formula = case.formula;
    let Some(terms) = Terms::new(formula, case.structure.model, ends, contrary, case.budget)? else {
        return Err(misfit("the formula has operators that moves against completions do not know"));
    };
    let game = CompletionGame { model: case.structure.model, total: case.structure.total };
    let mixed = case.structure.model.is_mixed();
    let checker = Checker { case, game, terms, stands, mixed };
    checker.names()?;
    checker.start()?;
    let mut moves = Vec::new();
    for at in 0..stands.len() {
        checker.stand(at, &mut moves)?;
    }
    checker.plays(moves)
}

impl Checker<'_> {
    /// Refuses numbers that mean nothing.
    fn names(&self) -> Result<(), Rejection> {
        for (at, stand) in self.stands.iter().enumerate() {
            for &state in &stand.states {
                self.case.known_state(state, "a state of a stand")?;
            }
            let known = |term: &u32| (*term as usize) < self.terms.rules.len();
            if stand.states.is_empty() || !stand.terms.iter().all(known) {
                return Err(broken(format!("stand {at} has no state, or a term that the formula does not have")));
            }
            for watch in &stand.watched {
                let odd = |&(_, priority): &Thread| priority == 0 || priority % 2 == 1;
                let asked = |(term, _): &Thread| stand.terms.contains(term);
                if watch.threads.is_empty() || !watch.threads.iter().all(|thread| odd(thread) && asked(thread)) {
                    return Err(broken(format!("stand {at} watches something that it does not ask for")));
                }
            }
            let targets = stand.moves.iter().flat_map(|(_, targets)| targets);
            if let Some(target) = targets.copied().find(|&target| target as usize >= self.stands.len()) {
                return Err(broken(format!("stand {at} leads to stand {target}, and there is none")));
            }
        }
        Ok(())
    }

    /// The first stand is the asked state with the contrary; with nothing to meet, if nothing refines it.
    fn start(&self) -> Result<(), Rejection> {
        let asked = self.case.certificate.state;
        let first = self.stands.first().filter(|first| first.states == [asked]);
        let Some(first) = first else {
            return Err(broken(format!("the first stand is not at {}", self.case.state(asked))));
        };
        let nothing = self.case.certificate.value == Belnap::Both;
        let fits =
            if nothing { first.terms.is_empty() } else { first.terms.iter().all(|&term| term == self.terms.root) };
        if fits { Ok(()) } else { Err(broken("the first stand asks for something else than the contrary")) }
    }

    /// Checks the moves of a stand, and adds them.
    fn stand(&self, at: usize, moves: &mut Vec<Move>) -> Result<(), Rejection> {
        let stand = &self.stands[at];
        let ways = self.game.choices(&self.terms, &stand.states, &stand.terms, self.case.budget)?;
        if ways.len() != stand.moves.len() {
            let (found, told) = (ways.len(), stand.moves.len());
            let place = self.place(at);
            return Err(broken(format!("{place} can be met in {found} ways, and {told} have a move")));
        }
        for (way, (number, targets)) in ways.iter().zip(&stand.moves) {
            let mut demands = self.game.demands(&self.terms, &stand.states, way);
            if *number as usize >= demands.len() {
                return Err(broken(format!("{} follows up what is not there", self.place(at))));
            }
            let demand = demands.swap_remove(*number as usize);
            let outcomes = self.game.outcomes(&self.terms, &stand.states, &demand, self.case.budget)?;
            // Where everything certain is possible, a certain step leads somewhere: nothing is beaten by there being no outcome.
            if outcomes.is_empty() && !self.mixed && !matches!(demand, Demand::Asked(_)) {
                return Err(broken(format!("{} follows up a certain step that leads nowhere", self.place(at))));
            }
            if outcomes.len() != targets.len() {
                return Err(broken(format!("{} overlooks where a move may lead", self.place(at))));
            }
            for (outcome, &to) in outcomes.iter().zip(targets) {
                let target = &self.stands[to as usize];
                let carried = CompletionGame::carried(&self.terms, way, &demand, outcome.action);
                let needs = CompletionGame::behind(&self.terms, &carried);
                let refined = target.states.iter().all(|state| outcome.states.contains(state));
                if !refined || !target.terms.iter().all(|term| needs.contains(term)) {
                    return Err(broken(format!("{} leads to one that asks for more", self.place(at))));
                }
                moves.push(self.watches(at, to, way, &demand, outcome.action));
            }
        }
        Ok(())
    }

    /// What becomes of the watches of a stand on a move.
    fn watches(&self, at: usize, to: u32, way: &TermChoice, demand: &Demand, action: Option<ActionId>) -> Move {
        let carried = CompletionGame::carried(&self.terms, way, demand, action);
        let (mut kept, mut good) = (Vec::new(), Vec::new());
        for next in &self.stands[to as usize].watched {
            let Some(before) = self.stands[at].watched.iter().find(|watch| watch.name == next.name) else { continue };
            let all = self.onward(way, &carried, &before.threads);
            let met = &self.onward(way, &carried, &before.met).bound | &all.met;
            if next.threads.iter().all(|thread| met.contains(thread)) && next.met.is_empty() {
                good.push(next.name);
                kept.push(next.name);
            } else if next.threads.iter().all(|&thread| all.has(thread))
                && next.met.iter().all(|thread| met.contains(thread))
            {
                kept.push(next.name);
            }
        }
        Move { from: to_u32(at), to, kept, good }
    }

    /// Where threads go.
    fn onward(&self, way: &TermChoice, carried: &[TermId], threads: &[Thread]) -> Onward {
        let mut onward = Onward::default();
        for &(from, step, most) in &way.threads {
            let Some(to) = self.terms.rules[step as usize].behind().filter(|_| carried.contains(&step)) else {
                continue;
            };
            for &(_, priority) in threads.iter().filter(|(term, _)| *term == from) {
                if priority == 0 {
                    onward.free.insert(to);
                } else if most <= priority {
                    onward.bound.insert((to, priority));
                    if most == priority {
                        onward.met.insert((to, priority));
                    }
                }
            }
        }
        onward
    }

    /// Refuses moves on which a play can go on for ever without a watch that loses it.
    fn plays(&self, moves: Vec<Move>) -> Result<(), Rejection> {
        let mut open = vec![moves];
        while let Some(moves) = open.pop() {
            self.case.budget.check()?;
            for part in self.parts(moves)? {
                let common = |name: &u32| part.iter().all(|step| step.kept.contains(name));
                let names: BTreeSet<u32> =
                    part.iter().flat_map(|step| step.good.iter().copied()).filter(common).collect();
                if names.is_empty() {
                    let place = self.place(part[0].from as usize);
                    return Err(broken(format!("a play through {place} can go on for ever, and nothing is put off")));
                }
                open.push(part.into_iter().filter(|step| !step.good.iter().any(|name| names.contains(name))).collect());
            }
        }
        Ok(())
    }

    /// The moves of each strongly connected part.
    fn parts(&self, moves: Vec<Move>) -> Result<Vec<Vec<Move>>, Rejection> {
        let mut targets: Vec<Vec<u32>> = vec![Vec::new(); self.stands.len()];
        for step in &moves {
            targets[step.from as usize].push(step.to);
        }
        let mut graph = Graph::new();
        targets.into_iter().for_each(|targets| graph.push(targets));
        let component = graph.components(self.case.budget)?;
        let mut parts: BTreeMap<u32, Vec<Move>> = BTreeMap::new();
        for step in moves {
            let class = component[step.from as usize];
            if class == component[step.to as usize] {
                parts.entry(class).or_default().push(step);
            }
        }
        Ok(parts.into_values().collect())
    }

    fn place(&self, at: usize) -> String {
        let states: Vec<String> = self.stands[at].states.iter().map(|&state| self.case.state(state)).collect();
        format!("stand {at} at {}", states.join(" and "))
    }
}

/// Where threads lead.
#[derive(Default)]
struct Onward {
    /// Terms of threads of which nothing was said: they may say anything now.
    free: BTreeSet<u32>,
    /// Threads that keep to what was said.
    bound: BTreeSet<Thread>,
    /// Those of them that met their priority on the way.
    met: BTreeSet<Thread>,
}

impl Onward {
    fn has(&self, thread: Thread) -> bool {
        self.free.contains(&thread.0) || self.bound.contains(&thread)
    }
}

fn broken(message: impl Into<String>) -> Rejection {
    Diagnostic::error("E0623", message).into()
}
