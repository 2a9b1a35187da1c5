//! How far does each part of the abstraction-refinement engines go?
//!
//! One table: a limit that is reached leaves a question open, with a reason, or leaves it to another technique; none of them makes an answer. All are counts, so that the
//! same program is decided in the same way on every machine. How far engines go before another one has its turn is in the strategy of `driver`.

// parameterised/mod.rs

/// Sizes that are run before anything is shown for all of them, and how many more afterwards.
pub const PARAMETERISED_FIRST_SIZES: i64 = 3;
/// Sizes that are run before anything is shown for all of them, and how many more afterwards.
pub const PARAMETERISED_MORE_SIZES: i64 = 2;
/// States that are visited of each of them.
pub const PARAMETERISED_FIRST_STATES: usize = 20_000;
/// States that are visited of each of them.
pub const PARAMETERISED_MORE_STATES: usize = 60_000;
/// A size that the abstraction suggests is not run if it is larger than the least by more than this.
pub const PARAMETERISED_FARTHEST: i64 = 12;

// predicate_abstraction/abstraction_view.rs

/// Abstractions are drawn up to this many states.
pub const ABSTRACTION_VIEW_MOST_STATES: usize = 3_000;
/// States that stand for others are looked for in this many abstract ones.
pub const ABSTRACTION_VIEW_MOST_SAMPLED: usize = 24;

// predicate_abstraction/basis.rs

/// Of arrays with more cells no bounds are told.
pub const BASIS_MOST_CELLS: usize = 256;

// predicate_abstraction/concretise.rs

/// How often a loop is followed in search of a program state that was seen before.
pub const CONCRETISE_MOST_ROUNDS: usize = 64;

// predicate_abstraction/infix.rs

/// Terms that are nested deeper stay as they are.
pub const INFIX_DEEPEST: usize = 24;

// predicate_abstraction/mistakes.rs

/// At most this many places where it may happen are tried in the program.
pub const MISTAKES_MOST_TRIES: usize = 8;

// predicate_abstraction/on_the_fly.rs

/// Marks of the automaton and fair processes together.
pub const ON_THE_FLY_MOST_MARKS: usize = 63;

// predicate_abstraction/round_history.rs

/// Rounds with more abstract states than this are not drawn, nor those that take more looks at the budget, nor more rounds.
pub const ROUND_HISTORY_MOST_STATES: usize = 400;
/// Rounds with more abstract states than this are not drawn, nor those that take more looks at the budget, nor more rounds.
pub const ROUND_HISTORY_MOST_EFFORT: u64 = 10_000;
/// Rounds with more abstract states than this are not drawn, nor those that take more looks at the budget, nor more rounds.
pub const ROUND_HISTORY_MOST_ROUNDS: usize = 12;

// predicate_abstraction/mod.rs

/// Looks at the budget that the search for completions of an abstraction may take: about a million small steps.
pub const COMPLETIONS_MOST_EFFORT: u64 = 300;

// predicate_abstraction/set_encoding.rs

/// Predicates are few bits: to lay out a larger cache costs more than it saves.
pub const SET_ENCODING_MOST_RESULTS: usize = 1 << 19;

// refine/choice.rs

/// A form is compared with this many constants before they are taken for the trace of a counter.
pub const CHOICE_FEW_CONSTANTS: usize = 3;
/// Relations between variables have at most this many.
pub const CHOICE_FEW_VARIABLES: usize = 3;

// refine/lift.rs

/// Constants up to this size are kept.
pub const LIFT_SMALL: i128 = 8;
/// Constants not farther apart than this share a symbol.
pub const LIFT_NEAR: i128 = 8;

// refine/recur.rs

/// How often what is missing is added.
pub const RECUR_PATIENCE: usize = 4;
/// Sets described by more conditions than this are not looked at.
pub const RECUR_MOST_CONDITIONS: usize = 64;

// refinement_loop/augmented.rs

/// More states are not made.
pub const AUGMENTED_MOST_STATES: usize = 200_000;
/// More requirements are not met: each makes the structure twice as large.
pub const AUGMENTED_MOST_REQUIREMENTS: usize = 6;

// refinement_loop/every_start.rs

/// Longer paths are not pulled back for all initial states together.
pub const EVERY_START_LONGEST: usize = 120;

// refinement_loop/horn_predicates.rs

/// After so many rounds of refinement an engine for Horn clauses is asked for an invariant.
pub const HORN_AFTER_ROUNDS: usize = 3;
/// For more questions together each may cost less at first: paths still teach something.
pub const HORN_FEW_QUESTIONS: usize = 2;
/// What it may do then for each of them, in the library's own units.
pub const HORN_FIRST_WORK: u32 = 2_000_000;
/// After so many rounds, or where paths teach nothing more, it is asked again and may do so much.
pub const HORN_AGAIN_AFTER_ROUNDS: usize = 12;
/// What it may do then.
pub const HORN_MOST_WORK: u32 = 30_000_000;
/// An invariant with more atoms is not used.
pub const HORN_MOST_ATOMS: usize = 40;

// refinement_loop/inductive_predicates.rs

/// So many inductive comparisons become predicates for one condition that is to hold for ever.
pub const INDUCTIVE_MOST_FOR_GOAL: usize = 2;

// refinement_loop/k_induction.rs

/// After so many rounds of refinement it is tried whether a property follows from itself after several steps.
pub const K_INDUCTION_AFTER_ROUNDS: usize = 2;
/// A property is taken to hold for at most so many steps.
pub const K_INDUCTION_DEEPEST: usize = 16;
/// Programs with more combinations of locations are not looked at.
pub const K_INDUCTION_MOST_PLACES: usize = 120;
/// Nor are those with more steps between them.
pub const K_INDUCTION_MOST_MOVES: usize = 400;
/// Conditions that together have more parts are not used.
pub const K_INDUCTION_MOST_TERMS: usize = 1_500;
/// More conditions do not become predicates.
pub const K_INDUCTION_MOST_CONDITIONS: usize = 24;
/// The abstraction over them has at most so many states.
pub const K_INDUCTION_MOST_STATES: usize = 2_000;

// refinement_loop/lasso_structure.rs

/// Of longer runs no certificate is made: there are obligations for every position.
pub const LASSO_STRUCTURE_LONGEST: usize = 400;

// refinement_loop/mod.rs

/// The rounds of refinement if nobody says how many.
pub const DEFAULT_REFINEMENTS: u32 = 20;
/// More abstract states than this are not visited unless the user allows more.
pub const REFINEMENT_MOST_STATES: usize = 100_000;
/// After so many rounds a ranked game is played for what single states decide.
pub const GAME_AFTER_ROUNDS: usize = 3;
/// How many changes of numbers are looked at when predicates have not helped.
pub const REFINEMENT_MANY_CHANGES: usize = 800;

// refinement_loop/open_cycles.rs

/// So many states of an open cycle are named.
pub const OPEN_CYCLE_MOST_STATES: usize = 4;
/// So many states get values of the program.
pub const OPEN_CYCLE_MOST_SAMPLES: usize = 8;
/// So many values of one state are told.
pub const OPEN_CYCLE_MOST_VALUES: usize = 6;
/// So many functions that were tried are named.
pub const OPEN_CYCLE_MOST_FUNCTIONS: usize = 3;

// refinement_loop/paths.rs

/// With so many predicates they are local first.
pub const LOCAL_PREDICATES_MANY: usize = 4;

// refinement_loop/partitioned_invariants.rs

/// States are told apart by so many conditions at most: cells are twice as many for each.
pub const PARTITION_MOST_CONDITIONS: usize = 3;
/// So many constraints of cells become predicates.
pub const PARTITION_MOST_PREDICATES: usize = 12;

// refinement_loop/ranking.rs

/// Of the integers that predicates suggest, so many are looked at for a linear property.
pub const RANKING_MOST_CANDIDATES: usize = 16;
/// Of the numbers that decrease somewhere, how many are combined.
pub const RANKING_MOST_USEFUL: usize = 6;
/// Of the numbers that decrease somewhere, how many are combined.
pub const RANKING_MOST_TOGETHER: usize = 3;
/// If the initial states are described by more comparisons, these are not made predicates.
pub const RANKING_MOST_OF_START: usize = 6;

// refinement_loop/ranked_games.rs

/// How many changes of numbers are looked at for a game before predicates are refined, and after that has not helped.
pub const RANKING_GAME_FEW_CHANGES: usize = 1_600;
/// The same, after refinement has not helped.
pub const RANKING_GAME_MANY_CHANGES: usize = 4_000;
/// Of the integers that predicates suggest, so many are looked at for a game, those first that steps of open cycles change.
pub const RANKING_GAME_MOST_CANDIDATES: usize = 40;
/// Of those that decrease somewhere, so many are looked at together with choices.
pub const RANKING_GAME_MOST_WITH_SETS: usize = 16;
/// With more predicates than this, and than so many more than before, a game is not played as long as other ways are left.
pub const RANKING_GAME_FEW_PREDICATES: usize = 16;
/// With more predicates than this, and than so many more than before, a game is not played as long as other ways are left.
pub const RANKING_GAME_FEW_MORE: usize = 6;
/// So often what is missing for a decrease becomes predicates: a loop of so many phases is followed.
pub const RANKING_GAME_MOST_PHASES: usize = 3;
/// With more combinations of locations in an open cycle, steps are not chosen together with ranking functions.
pub const RANKING_GAME_MOST_PLACES: usize = 8;
/// Whatever was looked at before, so many places may still be asked for certain sets with rank conditions.
pub const RANKING_GAME_LEFT_FOR_SETS: usize = 1_600;
/// So often functions are looked for together with choices, each time with what the last ones made reachable.
pub const RANKING_GAME_MOST_CHOICES: usize = 3;
/// So many functions are tried together where none alone defends more claims.
pub const RANKING_GAME_MOST_AT_ONCE: usize = 4;
/// In structures with more abstract states they are not.
pub const RANKING_GAME_FEW_STATES: usize = 64;
/// With so many functions that were found together with choices, it is looked again at what is open.
pub const RANKING_GAME_MOST_WIDENING: usize = 2;
/// So many ranking functions are part of one game at most.
pub const RANKING_GAME_MOST_TOGETHER: usize = 6;
/// So many ranking functions that exclude the cycles of open parts, one for each part and level, are part of one game at most.
pub const RANKING_GAME_MOST_LEVELS: usize = 32;
/// So many pairs are tried as lexicographic ranking functions of steps that are chosen.
pub const RANKING_GAME_MOST_PAIRS: usize = 30;
/// Where the solver gives up more often, looking for ranking functions of a game ends early.
pub const RANKING_GAME_MOST_GIVEN_UP: u64 = 3;
/// So many conditions under which candidates would decrease become predicates.
pub const RANKING_GAME_MOST_CONDITIONS: usize = 6;
/// So many certain sets with rank conditions are kept for one state, process and ranking function.
pub const RANKING_GAME_MOST_SETS: usize = 16;

// refinement_loop/ranking_synthesis.rs

/// A component with more steps is not solved for ranking functions.
pub const RANKING_SYNTHESIS_MOST_STEPS: usize = 60;
/// So many systems of inequalities are solved for one property and one set of predicates.
pub const RANKING_SYNTHESIS_MOST_SYSTEMS: usize = 40;
/// A nested ranking function has at most so many phases.
pub const RANKING_SYNTHESIS_MOST_PHASES: usize = 4;

// refinement_loop/recurrent_sets.rs

/// So many initial states are run from.
pub const RECURRENT_SETS_MOST_STARTS: usize = 6;
/// The program is run for this many states, each counted once for every state of the automaton.
pub const RECURRENT_SETS_MOST_NODES: usize = 12_000;
/// Cycles that are looked at closely, and how often the same steps are, from different states.
pub const RECURRENT_SETS_MOST_CYCLES: usize = 120;
/// Cycles that are looked at closely, and how often the same steps are, from different states.
pub const RECURRENT_SETS_MOST_OF_ONE: usize = 8;
/// Ways back to the same locations that are drawn as cycles, most of which do not last.
pub const RECURRENT_SETS_MOST_DRAWN: usize = 20_000;
/// With more marks and processes that are treated fairly, states are not told apart by which of them had their turn.
pub const RECURRENT_SETS_MOST_PROGRESS: usize = 6;
/// So many values are tried for an input that may have any.
pub const RECURRENT_SETS_MOST_GUESSES: usize = 5;
/// Longer cycles are not looked at.
pub const RECURRENT_SETS_LONGEST: usize = 40;
/// How often a cycle is taken before anything is proved about it.
pub const RECURRENT_SETS_TRIED_AGAIN: usize = 6;
/// How often a cycle is shown.
pub const RECURRENT_SETS_SHOWN: usize = 3;

// refinement_loop/resolvents.rs

/// So many variables are part of a sum that a loop leaves as it is.
pub const CONSERVED_MOST_VARIABLES: usize = 4;
/// So many steps of loops are looked at for such sums.
pub const CONSERVED_MOST_STEPS: usize = 2_000;
/// So many constants such a sum is compared with.
pub const CONSERVED_MOST_BOUNDS: usize = 4;
/// So many comparisons of such sums become predicates.
pub const CONSERVED_MOST_PREDICATES: usize = 6;
/// So many preconditions that speak of chosen values become predicates.
pub const INPUT_PRECONDITIONS_MOST: usize = 6;
/// So often a chosen value is followed from one variable to the next.
pub const INPUT_PRECONDITIONS_MOST_COPIES: usize = 3;
/// So many comparisons that follow from two others become predicates.
pub const RESOLVENTS_MOST: usize = 8;
/// Of remainders by larger numbers than this not each is told.
pub const REMAINDERS_MOST: i64 = 8;
/// So many invariants become predicates that say when both sides are equal.
pub const TIGHT_INVARIANTS_MOST: usize = 4;

// refinement_loop/rounds.rs

/// Predicates that one round may add, and that there may be in all, or for each round that is allowed: where each path
/// teaches ever more, none of them is what matters.
pub const ROUNDS_MOST_NEW: usize = 32;
/// Predicates that one round may add, and that there may be in all, or for each round that is allowed: where each path
/// teaches ever more, none of them is what matters.
pub const ROUNDS_MOST_PREDICATES: usize = 72;
/// Predicates that one round may add, and that there may be in all, or for each round that is allowed: where each path
/// teaches ever more, none of them is what matters.
pub const ROUNDS_MOST_EACH: usize = 4;

// refinement_loop/search.rs

/// This many bad states are collected at most in one round.
pub const SEARCH_MOST_BAD: usize = 4;

// refinement_loop/structure.rs

/// Structures with more abstract states than this are not made unless the user allows more.
pub const STRUCTURE_MOST_STATES: usize = 10_000;
/// Nor are those for which the solver is called more often: states that are told without it cost little.
pub const STRUCTURE_MOST_VISIT_CALLS: u64 = 3_000;
/// Looks at the budget that the first predicates get before runs without end are looked for.
pub const STRUCTURE_FIRST_LOOK_EFFORT: u64 = 3_000;
/// Calls of the solver after which no further round begins.
pub const STRUCTURE_MOST_CALLS: u64 = 4_000;
/// The same where paths alone are looked at: what they do not teach soon, the whole structure may.
pub const STRUCTURE_MOST_FOR_PATHS: u64 = 1_000;
/// If an open run is met among so few states, the whole structure may well be small enough to look for what cannot go on for ever.
pub const STRUCTURE_FEW_STATES: usize = 60;
/// With at most so many predicates a ranked game is played again after a round.
pub const STRUCTURE_GAME_FEW_PREDICATES: usize = 8;
/// How many changes of numbers are looked at before predicates are added.
pub const STRUCTURE_FEW_CHANGES: usize = 400;
/// Open elements that are looked at in one round.
pub const STRUCTURE_MOST_REASONS: usize = 4;

// refinement_loop/zones.rs

/// More states than this are not looked at.
pub const ZONES_MOST_STATES: usize = 30_000;
/// More states than this are not looked at.
pub const ZONES_MOST_ON_PATHS: usize = 2_000;
/// More lines than this are not told.
pub const ZONES_MOST_LINES: usize = 200;

// refinement_loop/static_invariants.rs

/// Fewer combinations of locations than this are left to zones, which say more.
pub const STATIC_LEAST_COMBINATIONS: usize = 2_000;

// spotlight/certificate_basis.rs

/// No more states than this are told of several processes together.
pub const SPOTLIGHT_CERTIFICATE_BASIS_MOST_TOGETHER: usize = 2_000;

// spotlight/replay.rs

/// At most this many states of the program are looked at.
pub const SPOTLIGHT_REPLAY_MOST_STATES: usize = 2_000;

// spotlight/rounds.rs

/// At most this many predicates are added in one round, and in all.
pub const SPOTLIGHT_ROUNDS_AT_ONCE: usize = 3;
/// With more abstract states than this, an answer that was found without the shade is told without what it rests on.
pub const SPOTLIGHT_ROUNDS_MOST_COARSE: usize = 5_000;
/// At most this many predicates are added in one round, and in all.
pub const SPOTLIGHT_ROUNDS_MOST_PREDICATES: usize = 24;
/// At most this many parameters stand for values that no step changes.
pub const SPOTLIGHT_ROUNDS_MOST_RIGID: usize = 3;

// spotlight/start.rs

/// More writers than this are not taken into the spotlight at once.
pub const SPOTLIGHT_START_FEW: usize = 3;
/// With fewer processes a program is run, or abstracted as a whole.
pub const SPOTLIGHT_START_MANY: usize = 6;
/// With this many processes even small domains are too many states.
pub const SPOTLIGHT_START_VERY_MANY: usize = 16;
