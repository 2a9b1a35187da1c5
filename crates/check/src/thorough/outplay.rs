//! How is whoever tries to build a completion beaten? Moves for the independent checker.
//!
//! The game of `kernel::completion_game` is played out as a parity game, with what the checker asks to be watched as memory: for
//! formulas that put things off in one way only, the terms of one component whose threads have stayed there; for
//! all others Safra's trees, whose nodes are the watches. The moves of the winner are the proof.
//!
//! Nothing that an engine found out is used, so that the proof rests on nothing but itself; on mixed structures it also tells
//! why states are contradictory.

use std::collections::HashMap;

use super::completion_game::{CompletionGame, Demand, DemandOutcome, TermChoice, TermId, Terms};
use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};
use tertium_evidence::{Stand, Watch};
use tertium_logic::alternating::{Monitor, Thread};
use tertium_model::StateId;

use crate::game::parity::{self, Class, Game, NO_MOVE, Player};

/// Whether things are put off in one way only: components are bad as a whole, or good.
fn is_weak(terms: &Terms) -> bool {
    terms.priority.iter().all(|&priority| priority <= 1) && whole_components(terms)
}

/// The threads of a way that go on in a step which carries these terms.
fn threads(terms: &Terms, way: &TermChoice, steps: &[TermId]) -> Vec<Thread> {
    let behind = |&(from, step, most): &(TermId, TermId, u32)| {
        let to = terms.rules[step as usize].behind().filter(|_| steps.contains(&step))?;
        Some((from, to, most))
    };
    way.threads.iter().filter_map(behind).collect()
}

/// What the checker is told to watch with a memory.
fn watches(monitor: &Monitor, memory: u32) -> Vec<Watch> {
    match monitor {
        Monitor::Weak { memories, .. } => {
            let threads: Vec<_> = memories[memory as usize].1.iter().map(|&term| (term, 1)).collect();
            if threads.is_empty() { Vec::new() } else { vec![Watch { name: 0, threads, met: Vec::new() }] }
        }
        Monitor::Trees { tracker, odd } => {
            let width = 1 + to_u32(odd.len());
            let thread = |&state: &u32| match state % width {
                0 => (state / width, 0),
                guess => (state / width, odd[guess as usize - 1]),
            };
            let nodes = tracker.nodes(memory as usize).into_iter().enumerate();
            let watch = |(name, (all, met)): (usize, (Vec<u32>, Vec<u32>))| Watch {
                name: to_u32(name),
                threads: all.iter().map(thread).collect(),
                met: met.iter().map(thread).collect(),
            };
            nodes.map(watch).collect()
        }
    }
}

/// Whether in every component all terms have one priority.
fn whole_components(terms: &Terms) -> bool {
    let mut priority = vec![None; terms.rules.len()];
    let mut own = terms.priority.iter().zip(&terms.component);
    own.all(|(&own, &class)| *priority[class as usize].get_or_insert(own) == own)
}

/// A position of the game.
#[derive(Clone, Debug)]
enum Spot {
    /// A way is to be picked.
    Node(u32),
    /// A demand is to be picked, for a way of a node.
    TermChoice,
    /// An outcome is to be picked; it leads to one of these.
    Pick(Vec<u32>),
}

/// Who refines these states has to meet these terms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Node {
    states: Vec<StateId>,
    asked: Vec<TermId>,
    memory: u32,
    /// The priority of the step that led here.
    event: u32,
}

/// The game.
struct Play<'a> {
    rules: CompletionGame<'a>,
    terms: &'a Terms,
    budget: &'a Budget,
    monitor: Monitor,
    nodes: Vec<Node>,
    index: HashMap<Node, u32>,
    position_of: Vec<u32>,
    spots: Vec<Spot>,
    game: Game,
}

/// The moves that beat whoever tries to complete a state so that it meets the terms' root, or, if `nothing`, so that it meets
/// nothing in particular. None if there is such a completion.
///
/// # Errors
/// If the budget ends.
pub(super) fn outplayed(
    rules: CompletionGame<'_>,
    terms: &Terms,
    state: StateId,
    nothing: bool,
    budget: &Budget,
) -> Result<Option<Vec<Stand>>, Stopped> {
    let monitor = Monitor::new(is_weak(terms), &terms.priority, &terms.component, terms.root);
    let most = monitor.greatest_priority();
    let mut classes: Vec<Class> =
        (0..=most).map(|priority| Class { owner: Player::Even, priority, block: 0 }).collect();
    classes.push(Class { owner: Player::Odd, priority: 0, block: 0 });
    classes.push(Class { owner: Player::Even, priority: 0, block: 0 });
    let mut play = Play {
        rules,
        terms,
        budget,
        monitor,
        nodes: Vec::new(),
        index: HashMap::new(),
        position_of: Vec::new(),
        spots: Vec::new(),
        game: Game::new(classes),
    };
    let asked = if nothing { Vec::new() } else { vec![terms.root] };
    let memory = play.monitor.initial(&terms.component, &asked);
    play.node(Node { states: vec![state], asked, memory, event: 0 })?;
    play.build(most + 1)?;
    let solution = parity::solve(&play.game, budget)?;
    if solution.even_wins.contains(0) {
        return Ok(None);
    }
    Ok(Some(play.stands(&solution.strategy)))
}

impl Play<'_> {
    fn node(&mut self, node: Node) -> Result<u32, Stopped> {
        if let Some(&known) = self.index.get(&node) {
            return Ok(self.position_of[known as usize]);
        }
        let id = to_u32(self.nodes.len());
        self.budget.reserve(128 + 8 * node.asked.len())?;
        let position = self.game.add_position(node.event, self.budget)?;
        self.spots.push(Spot::Node(id));
        self.position_of.push(position);
        self.index.insert(node.clone(), id);
        self.nodes.push(node);
        Ok(position)
    }

    fn build(&mut self, way_class: u32) -> Result<(), Stopped> {
        let mut ways: HashMap<u32, (u32, TermChoice)> = HashMap::new();
        while self.game.closed() < self.game.len() {
            self.budget.check()?;
            let position = to_u32(self.game.closed());
            match self.spots[position as usize].clone() {
                Spot::Node(node) => {
                    let Node { states, asked, .. } = &self.nodes[node as usize];
                    for way in self.rules.ways(self.terms, states, asked, self.budget)? {
                        let at = self.game.add_position(way_class, self.budget)?;
                        self.spots.push(Spot::TermChoice);
                        self.game.add_move(at, self.budget)?;
                        ways.insert(at, (node, way));
                    }
                }
                Spot::TermChoice => {
                    if let Some((node, way)) = ways.remove(&position) {
                        self.demands(node, &way, way_class + 1)?;
                    }
                }
                Spot::Pick(targets) => {
                    for target in targets {
                        self.game.add_move(target, self.budget)?;
                    }
                }
            }
            self.game.close(self.budget)?;
        }
        Ok(())
    }

    /// The moves of whoever picks a demand, all of them, so that the choice is the number of the demand.
    fn demands(&mut self, node: u32, way: &TermChoice, pick_class: u32) -> Result<(), Stopped> {
        let Node { states, memory, .. } = self.nodes[node as usize].clone();
        for demand in self.rules.demands(self.terms, &states, way) {
            let mut targets = Vec::new();
            for outcome in self.rules.outcomes(self.terms, &states, &demand, self.budget)? {
                targets.push(self.outcome(memory, way, &demand, outcome)?);
            }
            let position = self.game.add_position(pick_class, self.budget)?;
            self.spots.push(Spot::Pick(targets));
            self.game.add_move(position, self.budget)?;
        }
        Ok(())
    }

    fn outcome(
        &mut self,
        memory: u32,
        way: &TermChoice,
        demand: &Demand,
        outcome: DemandOutcome,
    ) -> Result<u32, Stopped> {
        let steps = CompletionGame::carried(self.terms, way, demand, outcome.action);
        let asked = CompletionGame::behind(self.terms, &steps);
        let threads = threads(self.terms, way, &steps);
        let (memory, event) = self.monitor.step(&self.terms.component, memory, &threads, &asked);
        self.node(Node { states: outcome.states, asked, memory, event })
    }

    /// The stands that the winning moves come across from the first node.
    fn stands(&self, strategy: &[u32]) -> Vec<Stand> {
        let mut found = vec![0u32];
        let mut known: HashMap<u32, u32> = HashMap::from([(0, 0)]);
        let mut stands = Vec::new();
        while let Some(&node) = found.get(stands.len()) {
            let Node { states, asked, memory, .. } = &self.nodes[node as usize];
            let mut moves = Vec::new();
            for &way in self.game.moves(self.position_of[node as usize] as usize) {
                let choice = strategy[way as usize];
                if choice == NO_MOVE {
                    continue;
                }
                let pick = self.game.moves(way as usize)[choice as usize];
                let mut targets = Vec::new();
                for &target in self.game.moves(pick as usize) {
                    let Spot::Node(next) = self.spots[target as usize] else { continue };
                    let fresh = to_u32(found.len());
                    let at = *known.entry(next).or_insert(fresh);
                    if at == fresh {
                        found.push(next);
                    }
                    targets.push(at);
                }
                moves.push((choice, targets));
            }
            let mut watched = watches(&self.monitor, *memory);
            // Where nothing is to be met nothing is put off.
            watched.retain(|watch| watch.threads.iter().all(|(term, _)| asked.contains(term)));
            stands.push(Stand { states: states.clone(), terms: asked.clone(), watched, moves });
        }
        stands
    }
}
