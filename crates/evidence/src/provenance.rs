//! Which engine decided, and by which technique?
//!
//! Every answer has a [`Provenance`]. Its words are the field's, and are the same in every report: `name`s in JSON, [`Provenance::phrase`] in
//! sentences.

use serde::{Deserialize, Serialize};

/// What computed an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Nothing yet: the run ended before this question was begun.
    None,
    /// Structures: labelling of states.
    Explicit,
    /// Structures: two-valued model checking, once for each cut.
    Reduction,
    /// Structures: automata on infinite words.
    Automata,
    /// Structures: parity games.
    Game,
    /// Sets of states as decision diagrams, of structures and of programs.
    Symbolic,
    /// Structures: all completions.
    Thorough,
    /// Programs: the states themselves.
    Explore,
    /// Programs: abstraction, refined where that helps.
    Cegar,
    /// Programs: few processes as they are, all others summed up.
    Spotlight,
    /// Programs: families of processes of every size.
    Parameterised,
}

/// By which means an engine decided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Technique {
    /// None yet.
    None,
    /// States are labelled with the sub-formulas that hold, by fixpoints.
    Labelling,
    /// One run of a two-valued model checker for each cut.
    TwoValuedReduction,
    /// Is the language of the product with the negated property's automaton empty?
    AutomataEmptiness,
    /// Who wins the evaluation game?
    ParityGame,
    /// Fixpoints of sets that are binary decision diagrams.
    DecisionDiagrams,
    /// Decision diagrams, the states that can be reached by saturation.
    Saturation,
    /// Do all completions agree? Generalised model checking.
    GeneralisedModelChecking,
    /// Every state is visited, and looked at by itself.
    ExplicitStateSearch,
    /// Strongly connected components of the product, on the fly: one that accepts is a counterexample.
    AcceptingComponents,
    /// States of the product that no accepted run can stay in are removed, until none is left to remove.
    OneWayCatchThemYoung,
    /// A depth-first search for cycles inside one for accepting states; the store may take a state for another.
    NestedDfs,
    /// A few bits of a hash table are kept of each state.
    Bitstate,
    /// A hash value is kept of each state.
    HashCompaction,
    /// States are what they satisfy of some predicates.
    PredicateAbstraction,
    /// Predicate abstraction, and all completions of the abstract structure agree.
    AbstractCompletions,
    /// What is known of variables and locations before any search excludes it.
    AbstractInterpretation,
    /// The property follows from itself after several steps: predicate abstraction over what holds then.
    KInduction,
    /// States are bounds of differences of variables.
    Zones,
    /// Something falls with every round of what would break the property, and cannot fall for ever.
    RankingFunction,
    /// States from which certain steps lead back into the same set, again and again.
    RecurrentSet,
    /// Members of a family are counted by place.
    CounterAbstraction,
    /// Processes outside the spotlight may do anything.
    SpotlightAbstraction,
}

/// What a search could leave out without losing an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateReduction {
    /// Orders of independent steps; then also what is below.
    PartialOrder,
    /// States between steps of one process alone, and values that are never read again.
    StatementMerging,
    /// Values that are never read again.
    DeadVariables,
}

/// Where an answer comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Provenance {
    /// What computed it.
    pub engine: Engine,
    /// By which means.
    pub technique: Technique,
    /// What was left out of the states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<StateReduction>,
}

impl Provenance {
    /// Of a question that nobody has begun with.
    pub const NONE: Self = Self::new(Engine::None, Technique::None);

    /// Of an answer for which nothing was left out.
    #[must_use]
    pub const fn new(engine: Engine, technique: Technique) -> Self {
        Self { engine, technique, reduction: None }
    }

    /// The same with what was left out.
    #[must_use]
    pub const fn reduced(self, reduction: Option<StateReduction>) -> Self {
        Self { reduction, ..self }
    }

    /// What follows "decided by" in a sentence.
    #[must_use]
    pub fn phrase(self) -> String {
        let technique = match (self.engine, self.technique) {
            (Engine::Symbolic, Technique::PredicateAbstraction) => "predicate abstraction over BDDs",
            (Engine::Cegar, Technique::PredicateAbstraction) => "predicate abstraction (CEGAR)",
            (_, technique) => technique.phrase(),
        };
        match self.reduction {
            None => technique.to_owned(),
            Some(reduction) => format!("{technique} with {}", reduction.phrase()),
        }
    }
}

impl Technique {
    /// In words.
    #[must_use]
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::None => "nothing yet",
            Self::Labelling => "labelling of states",
            Self::TwoValuedReduction => "two-valued model checking of every cut",
            Self::AutomataEmptiness => "automata on infinite words",
            Self::ParityGame => "a parity game",
            Self::DecisionDiagrams => "BDDs (fixpoints of sets)",
            Self::Saturation => "BDDs (saturation)",
            Self::GeneralisedModelChecking => "generalised model checking (all completions)",
            Self::ExplicitStateSearch => "explicit-state search",
            Self::AcceptingComponents => "explicit-state search for accepting components",
            Self::OneWayCatchThemYoung => "explicit-state search, one way catch them young",
            Self::NestedDfs => "nested depth-first search",
            Self::Bitstate => "explicit-state search (bitstate)",
            Self::HashCompaction => "explicit-state search (hash compaction)",
            Self::PredicateAbstraction => "predicate abstraction",
            Self::AbstractCompletions => "predicate abstraction, all completions agree",
            Self::AbstractInterpretation => "abstract interpretation (invariants of locations)",
            Self::KInduction => "k-induction",
            Self::Zones => "zones (difference bounds)",
            Self::RankingFunction => "predicate abstraction and a ranking function",
            Self::RecurrentSet => "a recurrent set",
            Self::CounterAbstraction => "counter abstraction",
            Self::SpotlightAbstraction => "spotlight abstraction",
        }
    }
}

impl StateReduction {
    /// In words.
    #[must_use]
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::PartialOrder => "partial-order reduction",
            Self::StatementMerging => "statement merging",
            Self::DeadVariables => "dead-variable reduction",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_scripts_and_for_people() {
        let found = Provenance::new(Engine::Explore, Technique::ExplicitStateSearch);
        assert_eq!(
            serde_json::to_string(&found).unwrap_or_default(),
            r#"{"engine":"explore","technique":"explicit-state-search"}"#
        );
        let reduced = found.reduced(Some(StateReduction::PartialOrder));
        assert_eq!(reduced.phrase(), "explicit-state search with partial-order reduction");
        assert!(serde_json::to_string(&reduced).unwrap_or_default().ends_with(r#""reduction":"partial-order"}"#));
        assert_eq!(Provenance::new(Engine::Cegar, Technique::Zones).phrase(), "zones (difference bounds)");
    }
}
