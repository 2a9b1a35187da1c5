//! How is an abstraction of a program a partial game?
//!
//! An abstract state belongs to the scheduler. It surely can pick a process that can step in all program states which the abstract one stands for, and may pick one that can step in some. The state *between* then stands for those of them in which the process
//! can step, and belongs to the player of the process: possible steps and certain sets are those of this process, and that it has a step at all is certain. Where nobody may be able to step, the scheduler may stay in a copy of the state for ever.
//!
//! Each state of the program's own game refines the abstract state that covers it, owner by owner, so the program's game refines this one in the alternating sense (de Alfaro, Godefroid and Jagadeesan 2004): definite values of ATL and ATL* hold of it.

use std::collections::BTreeMap;

use tertium_abstraction::{AbstractState, Expansion, Explored, Failed, System};
use tertium_base::{Budget, StopReason, Stopped};
use tertium_evidence::{OpenQuestion, Reason as Open, StepDirection};
use tertium_explore::search::liveness::Scheduling;
use tertium_lattice::{Belnap, Kleene};
use tertium_model::{Kmts, KmtsBuilder, PropId, StateId};
use tertium_program::{ExprId, ProcessId};

use crate::players::{Players, enabled, taken};

/// What a state of the game stands for: an abstract state, and the process that was picked there, if one was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    state: usize,
    picked: Option<ProcessId>,
}

/// The game, and what its states stand for.
pub(super) struct PredicateGame {
    pub(super) model: Kmts,
    pub(super) places: Vec<Place>,
}

/// What is drawn.
#[derive(Clone, Copy)]
pub(super) struct Drawing<'a> {
    pub(super) explored: &'a Explored,
    pub(super) atoms: &'a [(String, ExprId)],
    pub(super) players: &'a Players,
    pub(super) promises: &'a Scheduling,
}

/// A process that is treated fairly, with what is said of it.
struct Promise {
    process: usize,
    can: PropId,
    does: PropId,
}

struct Draft<'a> {
    drawing: Drawing<'a>,
    builder: KmtsBuilder,
    props: Vec<PropId>,
    promises: Vec<Promise>,
    places: Vec<Place>,
}

impl Drawing<'_> {
    /// The game over all abstract states.
    pub(super) fn game(&self, system: &mut System, budget: &Budget) -> Result<PredicateGame, Failed> {
        let mut builder = KmtsBuilder::new();
        for state in &self.explored.states {
            let own = builder.add_state(&system.name(state));
            builder.set_owner(own, &self.players.scheduler);
        }
        let props = self.atoms.iter().map(|(name, _)| builder.add_prop(name)).collect();
        let treated = self.promises.weak.iter().chain(&self.promises.strong);
        let promise = |&pid: &u32| Promise {
            process: pid as usize,
            can: builder.add_prop(&enabled(pid)),
            does: builder.add_prop(&taken(pid)),
        };
        let promises = treated.map(promise).collect();
        let places = (0..self.explored.states.len()).map(|state| Place { state, picked: None }).collect();
        let mut draft = Draft { drawing: *self, builder, props, promises, places };
        for (number, expansion) in self.explored.expansions.iter().enumerate() {
            budget.check()?;
            draft.state(system, number, expansion)?;
        }
        draft.finish()
    }

    /// What leaves a question open, as the abstraction knows it: a step that is possible or that a process may be able to take is one between abstract states.
    pub(super) fn in_abstract_states(&self, places: &[Place], open: &OpenQuestion) -> OpenQuestion {
        let at = |state: StateId| places.get(state.index()).copied();
        let mut found = OpenQuestion { reasons: Vec::new(), ..open.clone() };
        found.play.iter_mut().for_each(|step| {
            step.state = at(step.state).map_or(step.state, |place| StateId::new(place.state));
        });
        for reason in &open.reasons {
            match reason {
                Open::Label { state, prop } if prop.index() < self.atoms.len() => {
                    let state = at(*state).map_or(*state, |place| StateId::new(place.state));
                    found.reasons.push(Open::Label { state, prop: *prop });
                }
                Open::Label { state, prop } => {
                    let treated: Vec<u32> = self.promises.weak.iter().chain(&self.promises.strong).copied().collect();
                    let pid = treated.get((prop.index() - self.atoms.len()) / 2).map(|&pid| pid as usize);
                    found.reasons.extend(at(*state).into_iter().flat_map(|place| self.steps(place.state, pid)));
                }
                Open::Edge { from, to, .. } => {
                    found.reasons.extend(self.step(at(*from), at(*to)));
                }
                Open::Hyper { from, members, .. } => {
                    found.reasons.extend(members.iter().flat_map(|to| self.step(at(*from), at(*to))));
                }
            }
        }
        found.reasons.dedup();
        found
    }

    /// An open step of the game: one of the abstraction, or all those of a process that may be able to step, or of all.
    fn step(&self, from: Option<Place>, to: Option<Place>) -> Vec<Open> {
        match (from, to) {
            (Some(Place { state, picked: Some(_) }), Some(to)) => {
                let (from, to) = (StateId::new(state), StateId::new(to.state));
                vec![Open::Edge { from, to, direction: StepDirection::Exists }]
            }
            (Some(from), Some(to)) => self.steps(from.state, to.picked.map(ProcessId::index)),
            _ => Vec::new(),
        }
    }

    /// The possible steps of a process from an abstract state, or of all processes.
    fn steps(&self, state: usize, process: Option<usize>) -> Vec<Open> {
        let own = |step: &&tertium_abstraction::AbstractStep| {
            step.may && process.is_none_or(|process| step.process.index() == process)
        };
        let steps = self.explored.expansions[state].steps.iter().filter(own);
        let edge = |to: usize| Open::Edge {
            from: StateId::new(state),
            to: StateId::new(to),
            direction: StepDirection::Exists,
        };
        steps.filter_map(|step| self.explored.find(&step.target)).map(edge).collect()
    }
}

impl Draft<'_> {
    fn state(&mut self, system: &mut System, number: usize, expansion: &Expansion) -> Result<(), Failed> {
        if expansion.untold {
            // What is not told may be anything; such states are made on demand, and never for a game.
            return Err(Stopped(StopReason::Count).into());
        }
        let from = StateId::new(number);
        let mut labels = Vec::new();
        for (at, &(_, atom)) in self.drawing.atoms.iter().enumerate() {
            let value = system.label(&self.drawing.explored.states[number], atom, expansion.deadlock)?;
            labels.push((self.props[at], value.into()));
        }
        let turns = self.turns(number, expansion);
        let mut members: Vec<StateId> = turns.values().copied().collect();
        for (process, &turn) in &turns {
            self.builder.add_edge(from, turn, true, !expansion.may_rest[process.index()], None);
        }
        let ended = (expansion.may_stop && !turns.is_empty()).then(|| self.ended(number));
        if let Some(end) = ended {
            self.builder.add_edge(from, end, true, false, None);
            self.builder.add_edge(end, end, true, true, None);
            members.push(end);
        }
        match members.is_empty() {
            true => self.builder.add_edge(from, from, true, true, None),
            // Somebody can step, or it has come to its end.
            false => self.builder.add_hyper(from, &members, None),
        }
        for state in members.into_iter().chain([from]) {
            for &(prop, value) in &labels {
                self.builder.set_label(state, prop, value);
            }
            self.promise(state, expansion, &turns, ended);
        }
        Ok(())
    }

    /// A state for each process that may step, with its moves.
    fn turns(&mut self, number: usize, expansion: &Expansion) -> BTreeMap<ProcessId, StateId> {
        let drawing = self.drawing;
        let to = |state: &AbstractState| drawing.explored.find(state).map(StateId::new);
        let mut turns: BTreeMap<ProcessId, StateId> = BTreeMap::new();
        for step in &expansion.steps {
            let turn = *turns.entry(step.process).or_insert_with(|| {
                let name = format!(
                    "{}: {}",
                    self.builder.state_names().get(number),
                    drawing.players.of_process[step.process.index()]
                );
                let turn = self.builder.add_state(&name);
                self.builder.set_owner(turn, &drawing.players.of_process[step.process.index()]);
                self.places.push(Place { state: number, picked: Some(step.process) });
                turn
            });
            if let Some(to) = to(&step.target) {
                self.builder.add_edge(turn, to, step.may, step.must, None);
            }
        }
        for (&process, &turn) in &turns {
            let sets = expansion.hyper.iter().filter(|(_, by)| *by == Some(process));
            for members in sets.filter_map(|(set, _)| set.iter().map(to).collect::<Option<Vec<StateId>>>()) {
                self.builder.add_hyper(turn, &members, None);
            }
            // Who was picked can step.
            let own = expansion.steps.iter().filter(|step| step.may && step.process == process);
            let all: Vec<StateId> = own.filter_map(|step| to(&step.target)).collect();
            if !all.is_empty() {
                self.builder.add_hyper(turn, &all, None);
            }
        }
        turns
    }

    fn ended(&mut self, number: usize) -> StateId {
        let end = self.builder.add_state(&format!("{} (ended)", self.builder.state_names().get(number)));
        self.builder.set_owner(end, &self.drawing.players.scheduler);
        self.places.push(Place { state: number, picked: None });
        end
    }

    /// Who can step at a state of the game, and who does, as far as fairness asks for it.
    fn promise(
        &mut self,
        state: StateId,
        expansion: &Expansion,
        turns: &BTreeMap<ProcessId, StateId>,
        ended: Option<StateId>,
    ) {
        for promise in &self.promises {
            let turn = turns.iter().find(|(process, _)| process.index() == promise.process).map(|(_, &turn)| turn);
            let can = match turn {
                None => Kleene::False,
                Some(_) if Some(state) == ended => Kleene::False,
                Some(turn) if turn == state || !expansion.may_rest[promise.process] => Kleene::True,
                Some(_) => Kleene::Unknown,
            };
            self.builder.set_label(state, promise.can, can.into());
            self.builder.set_label(state, promise.does, Belnap::from(turn == Some(state)));
        }
    }

    fn finish(mut self) -> Result<PredicateGame, Failed> {
        for &(number, _) in &self.drawing.explored.initial {
            self.builder.add_init(StateId::new(number));
        }
        // Who never has a turn is a player all the same: it owns a state that nobody reaches.
        for player in self.drawing.players.names() {
            let idle = self.builder.add_state(&format!("idle:{player}"));
            self.builder.set_owner(idle, player);
            self.builder.add_edge(idle, idle, true, true, None);
            let promised = self.promises.iter().flat_map(|promise| [promise.can, promise.does]);
            for prop in self.props.iter().copied().chain(promised).collect::<Vec<_>>() {
                self.builder.set_label(idle, prop, Belnap::False);
            }
        }
        let model = self.builder.finish().map_err(|_| Stopped(StopReason::Count))?;
        Ok(PredicateGame { model, places: self.places })
    }
}
