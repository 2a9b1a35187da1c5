//! Is there a completion that meets a term? A game between someone who builds it and someone who looks for a flaw.
//!
//! A position is a cell and the terms that a concrete state of it has to meet. The builder picks a way to meet them
//! (`tertium_logic::alternating::ways`); the other picks what has to be followed up, a demanded step of the structure or a step that the way
//! asks for; the builder picks where it leads. The builder wins if no thread is bad (its `Monitor`), and then the positions
//! of a winning strategy are the states of a completion (`completion`).
//!
//! Terms whose compositional value is known at a cell are not played for: whoever refines it meets them, or nobody
//! does. So only the open part of the structure is looked at.

use std::collections::HashMap;

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};
use tertium_logic::alternating::{self, Knowledge, Monitor, Thread, ways};
use tertium_model::{ActionId, PropId, StateId};

use super::cells::{CellStep, Cells};
use super::terms::{Term, TermId, Terms};
use crate::Filter;
use crate::game::parity::{self, Class, Game, NO_MOVE, Player, Solution};

/// What is known before the game: compositional values.
pub(crate) trait Decider {
    /// Whether all that refines the state meets the term, or nothing does, if that is known.
    fn decided(&self, state: StateId, term: TermId) -> Option<bool>;
}

/// Nothing is known.
#[derive(Debug)]
pub(crate) struct Nothing;

impl Decider for Nothing {
    fn decided(&self, _: StateId, _: TermId) -> Option<bool> {
        None
    }
}

/// One way to meet terms at a cell.
pub(crate) type AlternatingBranch = alternating::AlternatingBranch<PropId>;

/// A position of the game.
#[derive(Clone, Copy, Debug)]
enum Spot {
    /// The builder meets terms: `node` counts into the nodes.
    Node(u32),
    /// A way was picked; it counts into the ways of the node.
    AlternatingBranch { node: u32, way: u32 },
    /// Something is followed up, and the builder picks the step.
    Pick,
}

/// A cell with the terms to meet there, and what the monitor remembers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    /// What is refined.
    pub cell: u32,
    /// The number of the set of terms.
    pub asked: u32,
    /// What the monitor remembers.
    pub memory: u32,
    /// The priority of the step that led here.
    event: u32,
}

/// Something that a way has to follow up: one of these steps, and the step term that asks for it, if the structure
/// does not.
#[derive(Clone, Debug)]
pub(crate) struct Requirement {
    /// The steps to pick from.
    pub steps: Vec<CellStep>,
    /// The term that wants a step.
    pub diamond: Option<TermId>,
}

/// The game and who wins it.
#[derive(Debug)]
pub(crate) struct Tableau<'t> {
    /// The structure's cells.
    pub cells: &'t Cells<'t>,
    /// The formula's terms.
    pub terms: &'t Terms,
    root: TermId,
    decider: &'t dyn DebugDecider,
    /// Watches threads.
    pub monitor: Monitor,
    sets: Vec<Vec<TermId>>,
    set_index: HashMap<Vec<TermId>, u32>,
    nodes: Vec<Node>,
    node_index: HashMap<Node, u32>,
    /// For each node its position.
    position_of: Vec<u32>,
    /// For each node that was looked into its ways.
    ways: Vec<Vec<AlternatingBranch>>,
    spots: Vec<Spot>,
    game: Game,
    solution: Option<Solution>,
    budget: &'t Budget,
    ticks: u32,
}

/// A decider that can be shown.
pub(crate) trait DebugDecider: Decider + std::fmt::Debug {}
impl<T: Decider + std::fmt::Debug> DebugDecider for T {}

struct At<'a> {
    cells: &'a Cells<'a>,
    cell: u32,
    decider: &'a dyn DebugDecider,
}

impl Knowledge<PropId> for At<'_> {
    fn label(&self, prop: PropId) -> Option<bool> {
        self.cells.label(self.cell, prop)
    }

    fn decided(&self, term: TermId) -> Option<bool> {
        self.cells.states(self.cell).find_map(|state| self.decider.decided(state, term))
    }

    /// A completion settles them as it likes.
    fn labels_are_free(&self) -> bool {
        true
    }
}

impl<'t> Tableau<'t> {
    /// Plays for a term at these cells.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn play(
        cells: &'t Cells<'t>,
        terms: &'t Terms,
        root: TermId,
        starts: &[u32],
        decider: &'t dyn DebugDecider,
        budget: &'t Budget,
    ) -> Result<Self, Stopped> {
        let monitor = Monitor::new(terms.weak, &terms.priority, &terms.component, root);
        let most = monitor.greatest_priority();
        let mut classes: Vec<Class> =
            (0..=most).map(|priority| Class { owner: Player::Even, priority, block: 0 }).collect();
        classes.push(Class { owner: Player::Odd, priority: 0, block: 0 });
        classes.push(Class { owner: Player::Even, priority: 0, block: 0 });
        let mut tableau = Self {
            cells,
            terms,
            root,
            decider,
            monitor,
            sets: Vec::new(),
            set_index: HashMap::new(),
            nodes: Vec::new(),
            node_index: HashMap::new(),
            position_of: Vec::new(),
            ways: Vec::new(),
            spots: Vec::new(),
            game: Game::new(classes),
            solution: None,
            budget,
            ticks: 0,
        };
        for &cell in starts {
            tableau.start(cell)?;
        }
        tableau.build(most + 1)?;
        tableau.solution = Some(parity::solve(&tableau.game, budget)?);
        Ok(tableau)
    }

    /// How many positions the game has.
    pub fn size(&self) -> usize {
        self.game.len()
    }

    fn start(&mut self, cell: u32) -> Result<Option<u32>, Stopped> {
        let Some(asked) = self.left_to_meet(cell, &[self.root]) else { return Ok(None) };
        let memory = self.monitor.initial(&self.terms.component, &asked);
        let asked = self.set(asked);
        self.node(Node { cell, asked, memory, event: 0 }).map(Some)
    }

    /// What of these terms is open at a cell; none if one of them cannot be met.
    fn left_to_meet(&self, cell: u32, asked: &[TermId]) -> Option<Vec<TermId>> {
        let known = At { cells: self.cells, cell, decider: self.decider };
        let mut left = Vec::with_capacity(asked.len());
        for &term in asked {
            match known.decided(term) {
                Some(true) => {}
                Some(false) => return None,
                None => left.push(term),
            }
        }
        Some(left)
    }

    fn set(&mut self, set: Vec<TermId>) -> u32 {
        if let Some(&known) = self.set_index.get(&set) {
            return known;
        }
        let id = to_u32(self.sets.len());
        self.set_index.insert(set.clone(), id);
        self.sets.push(set);
        id
    }

    fn node(&mut self, node: Node) -> Result<u32, Stopped> {
        if let Some(&known) = self.node_index.get(&node) {
            return Ok(known);
        }
        let id = to_u32(self.nodes.len());
        self.budget.reserve(64)?;
        let position = self.game.add_position(node.event, self.budget)?;
        self.spots.push(Spot::Node(id));
        self.nodes.push(node);
        self.ways.push(Vec::new());
        self.position_of.push(position);
        self.node_index.insert(node, id);
        Ok(id)
    }

    fn build(&mut self, way_class: u32) -> Result<(), Stopped> {
        let mut picks: HashMap<u32, Vec<u32>> = HashMap::new();
        while self.game.closed() < self.game.len() {
            self.budget.tick(&mut self.ticks)?;
            let position = self.game.closed();
            match self.spots[position] {
                Spot::Node(node) => self.node_moves(node, way_class)?,
                Spot::AlternatingBranch { node, way } => {
                    self.way_moves(node, way as usize, way_class + 1, &mut picks)?
                }
                Spot::Pick => {
                    for target in picks.remove(&to_u32(position)).unwrap_or_default() {
                        self.game.add_move(target, self.budget)?;
                    }
                }
            }
            self.game.close(self.budget)?;
        }
        Ok(())
    }

    fn node_moves(&mut self, node: u32, way_class: u32) -> Result<(), Stopped> {
        let Node { cell, asked, .. } = self.nodes[node as usize];
        let known = At { cells: self.cells, cell, decider: self.decider };
        let found = ways(self.terms, &self.sets[asked as usize], &known, self.budget, &mut self.ticks)?;
        for way in 0..to_u32(found.len()) {
            let position = self.game.add_position(way_class, self.budget)?;
            self.spots.push(Spot::AlternatingBranch { node, way });
            self.game.add_move(position, self.budget)?;
        }
        self.ways[node as usize] = found;
        Ok(())
    }

    fn way_moves(
        &mut self,
        node: u32,
        way: usize,
        pick_class: u32,
        picks: &mut HashMap<u32, Vec<u32>>,
    ) -> Result<(), Stopped> {
        // Whoever has nothing to meet finds a completion of any consistent cell.
        if self.sets[self.nodes[node as usize].asked as usize].is_empty() {
            return Ok(());
        }
        for requirement in self.requirements(node, way) {
            let mut targets = Vec::new();
            for (_, target) in self.candidates(node, way, &requirement)? {
                targets.push(self.position_of[target as usize]);
            }
            if let [only] = targets[..] {
                self.game.add_move(only, self.budget)?;
                continue;
            }
            let position = self.game.add_position(pick_class, self.budget)?;
            self.spots.push(Spot::Pick);
            picks.insert(position, targets);
            self.game.add_move(position, self.budget)?;
        }
        Ok(())
    }

    /// What a way has to follow up.
    pub fn requirements(&self, node: u32, way: usize) -> Vec<Requirement> {
        let cell = self.nodes[node as usize].cell;
        let mut all = Vec::new();
        self.cells.demands(cell, |steps| all.push(Requirement { steps: steps.to_vec(), diamond: None }));
        for &term in &self.ways[node as usize][way].steps {
            if let Term::Diamond(filter, _) = self.terms.terms[term as usize] {
                let steps = self.cells.possible(cell).filter(|step| fits(filter, step.action)).collect();
                all.push(Requirement { steps, diamond: Some(term) });
            }
        }
        all
    }

    /// The steps that can meet a requirement, each with the node that it leads to.
    fn candidates(
        &mut self,
        node: u32,
        way: usize,
        requirement: &Requirement,
    ) -> Result<Vec<(CellStep, u32)>, Stopped> {
        let mut found = Vec::new();
        for &step in &requirement.steps {
            let carried = self.carried(node, way, requirement.diamond, step.action);
            let asked = self.behind(&carried);
            let Some(asked) = self.left_to_meet(step.cell, &asked) else { continue };
            let memory = self.nodes[node as usize].memory;
            let way = &self.ways[node as usize][way];
            let goes_on = |&(from, step, most): &(TermId, TermId, u32)| {
                let to = self.terms.terms[step as usize].behind_step()?;
                let meets = carried.binary_search(&step).is_ok() && asked.binary_search(&to).is_ok();
                meets.then_some((from, to, most))
            };
            let threads: Vec<Thread> = way.threads.iter().filter_map(goes_on).collect();
            let (memory, event) = self.monitor.step(&self.terms.component, memory, &threads, &asked);
            let asked = self.set(asked);
            let target = self.node(Node { cell: step.cell, asked, memory, event })?;
            found.push((step, target));
        }
        Ok(found)
    }

    /// The step terms that a step with this action carries; ascending.
    pub fn carried(&self, node: u32, way: usize, diamond: Option<TermId>, action: Option<ActionId>) -> Vec<TermId> {
        let carries = |term: &TermId| match self.terms.terms[*term as usize] {
            Term::Box(filter, _) => fits(filter, action),
            _ => diamond == Some(*term),
        };
        self.ways[node as usize][way].steps.iter().copied().filter(carries).collect()
    }

    /// The terms behind step terms; ascending.
    pub fn behind(&self, carried: &[TermId]) -> Vec<TermId> {
        let behind = |&term: &TermId| self.terms.terms[term as usize].behind_step();
        let mut asked: Vec<TermId> = carried.iter().filter_map(behind).collect();
        asked.sort_unstable();
        asked.dedup();
        asked
    }

    // --- The outcome ---

    /// The node where the play for a cell begins; none if it is lost at once.
    pub fn root(&mut self, cell: u32) -> Result<Option<u32>, Stopped> {
        self.start(cell)
    }

    /// Whether the builder wins from a node.
    pub fn is_won(&self, node: u32) -> bool {
        let position = self.position_of[node as usize] as usize;
        self.solution.as_ref().is_some_and(|solution| solution.even_wins.contains(position))
    }

    /// A node's cell.
    pub fn cell(&self, node: u32) -> u32 {
        self.nodes[node as usize].cell
    }

    /// What a node has to meet.
    pub fn asked(&self, node: u32) -> &[TermId] {
        &self.sets[self.nodes[node as usize].asked as usize]
    }

    /// The way that the builder picks at a node that is won.
    pub fn chosen_way(&self, node: u32) -> Option<(usize, &AlternatingBranch)> {
        let choice = self.strategy(self.position_of[node as usize])?;
        self.ways[node as usize].get(choice).map(|way| (choice, way))
    }

    fn strategy(&self, position: u32) -> Option<usize> {
        let choice = self.solution.as_ref()?.strategy[position as usize];
        (choice != NO_MOVE).then_some(choice as usize)
    }

    /// The steps that the builder takes at a node that is won, by a way; one for each requirement.
    pub fn chosen_steps(&mut self, node: u32, way: usize) -> Result<Vec<(CellStep, u32)>, Stopped> {
        let position = self.position_of[node as usize] as usize;
        let at = self.game.moves(position)[way] as usize;
        let mut taken = Vec::new();
        for (number, requirement) in self.requirements(node, way).iter().enumerate() {
            let candidates = self.candidates(node, way, requirement)?;
            let to = self.game.moves(at)[number];
            let choice = match self.spots[to as usize] {
                Spot::Pick => self.strategy(to),
                _ => Some(0),
            };
            taken.extend(choice.and_then(|choice| candidates.get(choice).copied()));
        }
        Ok(taken)
    }

    /// The nodes that the other player's strategy comes across from a node that is lost, and for each the places in this
    /// list of the nodes that it leads to.
    pub fn refutation(&self, root: u32) -> (Vec<u32>, Vec<Vec<usize>>) {
        let mut nodes = vec![root];
        let mut known: HashMap<u32, usize> = HashMap::from([(root, 0)]);
        let mut edges: Vec<Vec<usize>> = Vec::new();
        while edges.len() < nodes.len() {
            let position = self.position_of[nodes[edges.len()] as usize] as usize;
            let mut targets = Vec::new();
            for &way in self.game.moves(position) {
                let Some(choice) = self.strategy(way) else { continue };
                let to = self.game.moves(way as usize)[choice];
                let outcomes = match self.spots[to as usize] {
                    Spot::Pick => self.game.moves(to as usize),
                    _ => std::slice::from_ref(&self.game.moves(way as usize)[choice]),
                };
                for &outcome in outcomes {
                    let Spot::Node(node) = self.spots[outcome as usize] else { continue };
                    let next = nodes.len();
                    let at = *known.entry(node).or_insert(next);
                    if at == next {
                        nodes.push(node);
                    }
                    targets.push(at);
                }
            }
            edges.push(targets);
        }
        (nodes, edges)
    }

    /// What a weak monitor watches at a node.
    pub fn watched(&self, node: u32) -> &[TermId] {
        self.monitor.focus(self.nodes[node as usize].memory).map_or(&[], |(_, watched)| watched)
    }
}

/// Whether a step with an action is of the kind that a filter selects.
fn fits(filter: Filter, action: Option<ActionId>) -> bool {
    match filter {
        Filter::Any => true,
        Filter::Action(wanted) => action == Some(wanted),
        // Structures with fairness constraints are declined before.
        Filter::Fair(_) => false,
    }
}
