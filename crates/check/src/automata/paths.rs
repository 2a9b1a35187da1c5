//! At which states does a path (certain, possible) satisfy a linear formula?
//!
//! The common ground of LTL and CTL*: an LTL formula is refuted by a certain path of its negation and
//! true without a possible one; `E psi` has truth evidence by a certain path of `psi` and is not refuted by a
//! possible one. What counts as certain depends on the reading: certain steps, and with totality
//! also a prefix after which the future does not matter, the absence of any possible path to the
//! contrary, or a strategy over hyper edges.

use tertium_base::{BitSet, Budget, Stopped};
use tertium_evidence::{Deadlock, LinearReading};
use tertium_logic::NodeId;
use tertium_model::StateId;

use super::automaton::MAX_MARKS;
use super::graph::PathGraph;
use super::product::{Product, Side, fits_marks};
use super::question::{EdgeValues, Question, Questions};
use super::search::ComponentSearch;
use super::translate;
use crate::{Ask, EngineError, Task, Unsupported};

/// The name of this engine.
pub(crate) const NAME: &str = "automata";

/// Where paths exist. States that were not asked about are in neither set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathSets {
    /// States with a possible path.
    pub possible: BitSet,
    /// States with a certain path, or what stands for one under the reading.
    pub certain: BitSet,
}

/// What the questions about one task share.
#[derive(Debug)]
pub(crate) struct Paths<'t, 'a> {
    /// The task.
    pub task: &'t Task<'a>,
    /// Its structure's paths.
    pub graph: PathGraph<'a>,
    /// Whether something certain may be impossible, so that the two sides are independent.
    mixed: bool,
    complete: bool,
}

impl<'t, 'a> Paths<'t, 'a> {
    /// The paths of a task's structure under its reading.
    pub(crate) fn new(task: &'t Task<'a>) -> Self {
        let graph = PathGraph::new(task.model, task.reading);
        Self { task, graph, mixed: task.is_mixed(), complete: task.is_decided() }
    }

    /// Whether every concrete state has a successor: by the structure, the deadlock convention, or the reading.
    pub(crate) fn total(&self) -> bool {
        self.graph.total
            || self.task.reading.deadlock == Deadlock::Maximal
            || self.task.reading.linear == LinearReading::BgTotal
    }

    /// Whether a certain prefix counts if the future after it does not matter.
    pub(crate) fn prefixes_count(&self) -> bool {
        let asked = matches!(self.task.reading.linear, LinearReading::BgTotal | LinearReading::Hyper);
        asked && self.total() && self.task.model.fairness().is_empty()
    }

    /// Whether the absence of any possible path to the contrary counts.
    pub(crate) fn absence_counts(&self) -> bool {
        match self.task.reading.linear {
            LinearReading::BgTotal => true,
            LinearReading::Hyper => self.total() && self.task.model.fairness().is_empty(),
            LinearReading::Bg | LinearReading::Tg | LinearReading::TgPnf => false,
        }
    }

    /// Whether strategies over hyper edges count and can add anything.
    pub(crate) fn plays_count(&self) -> bool {
        self.task.reading.linear == LinearReading::Hyper && (self.total() || self.task.model.hyper_count() > 0)
    }

    /// How the value of edges enters the formula.
    pub(crate) fn edge_values(&self) -> EdgeValues {
        match self.task.reading.linear {
            LinearReading::Tg => EdgeValues::Literal,
            LinearReading::TgPnf => EdgeValues::Negation,
            _ => EdgeValues::Ignored,
        }
    }

    /// The side on which paths are certain.
    pub(crate) fn certain_side(&self) -> Side {
        if self.edge_values() == EdgeValues::Ignored { Side::Certain } else { Side::CertainValue }
    }

    /// Where a path satisfies `node` (or its negation).
    ///
    /// # Errors
    /// If the budget ends or the formula needs more marks than a search can carry.
    pub(crate) fn exist(
        &self,
        questions: &mut Questions<'a>,
        node: NodeId,
        positive: bool,
        ask: Ask<'_>,
    ) -> Result<PathSets, EngineError> {
        let question = questions.question(node, positive, self.edge_values());
        let mut sets = self.plain(&question, ask)?;
        if self.complete {
            sets.certain.clone_from(&sets.possible);
            return Ok(sets);
        }
        if self.absence_counts() && self.any_open(&sets, ask) {
            let contrary = questions.question(node, !positive, EdgeValues::Ignored);
            self.add_where_absent(&contrary, &mut sets, ask)?;
        }
        if self.plays_count() && self.any_open(&sets, ask) {
            super::plays::add_plays(self, questions, (node, positive), &mut sets, ask)?;
        }
        Ok(sets)
    }

    /// Possible paths, and certain ones by certain steps or prefixes.
    fn plain(&self, question: &Question<'_>, ask: Ask<'_>) -> Result<PathSets, EngineError> {
        let budget = self.task.budget;
        let automaton = translate::automaton(question, budget)?;
        if !fits_marks(&automaton, &self.graph) {
            return Err(too_many_marks().into());
        }
        let mut sets = PathSets { possible: self.no_states(), certain: self.no_states() };
        let product = |side| Product::new(&self.graph, &question.meanings, &automaton, side);
        let mut possible = Half::new(product(Side::Possible), budget)?;
        if self.complete {
            for state in self.asked(ask) {
                if possible.wins(state, |_| None, budget)? {
                    sets.possible.insert(state.index());
                }
            }
            return Ok(sets);
        }
        let mut certain = product(self.certain_side());
        if self.prefixes_count() {
            certain = certain.with_open_future(automaton.accepts_unknown());
        }
        let certain = Half::new(certain, budget)?;
        let carries_over = !self.prefixes_count();
        let mut halves = Halves { possible, certain, mixed: self.mixed, carries_over, certain_first: false };
        for state in self.asked(ask) {
            let (possible, certain) = halves.at(state, budget)?;
            if possible {
                sets.possible.insert(state.index());
            }
            if certain {
                sets.certain.insert(state.index());
            }
        }
        Ok(sets)
    }

    /// With totality, a path to one side exists where none to the other does.
    fn add_where_absent(&self, contrary: &Question<'_>, sets: &mut PathSets, ask: Ask<'_>) -> Result<(), EngineError> {
        let budget = self.task.budget;
        let automaton = translate::automaton(contrary, budget)?;
        if !fits_marks(&automaton, &self.graph) {
            return Err(too_many_marks().into());
        }
        let product = Product::new(&self.graph, &contrary.meanings, &automaton, Side::Possible);
        let mut contrary = Half::new(product, budget)?;
        for state in self.open_states(sets, ask) {
            if !contrary.wins(state, |_| None, budget)? {
                sets.certain.insert(state.index());
            }
        }
        Ok(())
    }

    fn no_states(&self) -> BitSet {
        BitSet::empty(self.task.model.state_count())
    }

    /// The states asked about.
    pub(crate) fn asked<'s>(&self, ask: Ask<'s>) -> Box<dyn Iterator<Item = StateId> + 's> {
        match ask {
            Ask::All => Box::new(self.task.model.states()),
            Ask::At(states) => Box::new(states.iter().copied()),
        }
    }

    /// The asked states with a possible path and no certain one.
    pub(crate) fn open_states(&self, sets: &PathSets, ask: Ask<'_>) -> Vec<StateId> {
        let open = |state: &StateId| sets.possible.contains(state.index()) && !sets.certain.contains(state.index());
        self.asked(ask).filter(open).collect()
    }

    fn any_open(&self, sets: &PathSets, ask: Ask<'_>) -> bool {
        self.asked(ask).any(|state| sets.possible.contains(state.index()) && !sets.certain.contains(state.index()))
    }
}

/// A product and what is known of its nodes.
struct Half<'p, 'm> {
    product: Product<'p, 'm>,
    search: ComponentSearch,
}

impl<'p, 'm> Half<'p, 'm> {
    fn new(product: Product<'p, 'm>, budget: &Budget) -> Result<Self, Stopped> {
        let search = ComponentSearch::new(&product, budget)?;
        Ok(Self { product, search })
    }

    fn wins(
        &mut self,
        state: StateId,
        known: impl Fn(usize) -> Option<bool>,
        budget: &Budget,
    ) -> Result<bool, Stopped> {
        for start in self.product.starts(state.index()) {
            if self.search.wins(&self.product, start, &known, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Possible and certain paths side by side. Unless the structure is mixed a certain path is possible, so
/// either search spares the other work; the one that settled the last state goes first. Certain
/// prefixes are no paths, and in a structure that contradicts totality may not go on: where they count, nothing
/// carries over.
struct Halves<'p, 'm> {
    possible: Half<'p, 'm>,
    certain: Half<'p, 'm>,
    mixed: bool,
    carries_over: bool,
    certain_first: bool,
}

impl Halves<'_, '_> {
    /// Whether a possible, and a certain path starts at a state.
    fn at(&mut self, state: StateId, budget: &Budget) -> Result<(bool, bool), Stopped> {
        let Self { possible, certain, .. } = self;
        if self.mixed {
            return Ok((possible.wins(state, |_| None, budget)?, certain.wins(state, |_| None, budget)?));
        }
        if !self.carries_over {
            let some = possible.wins(state, |_| None, budget)?;
            return Ok((some, some && certain.wins(state, |_| None, budget)?));
        }
        if self.certain_first {
            let lost = |node: usize| possible.search.verdict(node).filter(|wins| !wins);
            if certain.wins(state, lost, budget)? {
                return Ok((true, true));
            }
        }
        let won = |node: usize| certain.search.verdict(node).filter(|&wins| wins);
        if !possible.wins(state, won, budget)? {
            self.certain_first = false;
            return Ok((false, false));
        }
        let lost = |node: usize| possible.search.verdict(node).filter(|wins| !wins);
        let certain = certain.wins(state, lost, budget)?;
        self.certain_first = certain;
        Ok((true, certain))
    }
}

fn too_many_marks() -> Unsupported {
    Unsupported {
        engine: NAME,
        reason: format!("untils of the formula and fairness constraints together are more than {MAX_MARKS}"),
    }
}
