//! How far does each engine go before another has its turn?
//!
//! These limits choose between engines; none of them makes an answer. What an engine leaves open because of one is asked of the next. They are counts, not times, so
//! that the same program is decided in the same way on every machine.

use tertium_base::Budget;
use tertium_load::program::Language;

/// The limits of the choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// States that are visited before a program with large domains is abstracted.
    pub first_states: usize,
    /// States that are visited of a program without bounds after abstraction left something open.
    pub more_states: usize,
    /// With this many processes, members of families are counted before all processes are abstracted together.
    pub many_processes: usize,
    /// A variable with more values than this is large.
    pub large_domain: i128,
    /// The same for synchronous systems, where it decides which questions are asked of which slice.
    pub large_synchronous_domain: i128,
    /// By its types a program with fewer states than this power of ten is searched without a thought of diagrams.
    pub few_states_log10: f64,
    /// The same for synchronous systems, whose steps lead to many states each.
    pub few_synchronous_log10: f64,
    /// Whether models in the language were mostly written for sets.
    pub sets_first: bool,
    /// Variables with more values are counted up one by one, which takes long over sets, too.
    pub widest_for_diagrams: u64,
    /// What diagrams may take before the search has its turn, in bytes.
    pub room_for_diagrams: usize,
    /// Looks at the budget that one remark beside an answer (vacuity, faults on the way, what would decide it) may always cost.
    pub remark_effort: u64,
    /// And this part of the effort that all answers so far have cost.
    pub remark_share: u64,
}

impl Limits {
    /// What a remark beside an answer may cost, within a budget.
    #[must_use]
    pub fn for_a_remark(&self, budget: &Budget) -> Budget {
        budget.apart(self.remark_effort.saturating_add(budget.effort() / self.remark_share))
    }

    /// The limits for programs in a language. Models in Promela are mostly written for a search, their values are bounded, and a message
    /// needs bits in every place of its channel: more states are visited first, and diagrams get less room.
    #[must_use]
    pub const fn of(language: Language) -> Self {
        let usual = Self {
            first_states: 40_000,
            more_states: 400_000,
            many_processes: 6,
            large_domain: 4096,
            large_synchronous_domain: 15,
            few_states_log10: 8.0,
            few_synchronous_log10: 4.5,
            sets_first: false,
            widest_for_diagrams: u64::MAX,
            room_for_diagrams: 512 << 20,
            remark_effort: 3_000,
            remark_share: 4,
        };
        match language {
            Language::Gcl | Language::Horn => usual,
            Language::Smv => Self { few_states_log10: 2.0, sets_first: true, ..usual },
            Language::Promela => Self {
                first_states: 100_000,
                few_states_log10: 10.0,
                widest_for_diagrams: 4096,
                room_for_diagrams: 64 << 20,
                ..usual
            },
        }
    }
}
