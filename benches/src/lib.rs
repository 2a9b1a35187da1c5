//! What the measurements share: random structures of any size, and timing that takes the best of several runs.

pub mod families;
pub mod resources;

use std::time::{Duration, Instant};

use tertium_base::narrow::below;
use tertium_lattice::Belnap;
use tertium_model::{Kmts, KmtsBuilder, StateId};

/// A small generator of pseudo-random numbers (splitmix64), so that every run measures the same input.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator with this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        below(self.draw(), bound)
    }
}

/// Whether a generated structure leaves anything open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Openness {
    /// Every edge is certain, every label known.
    Complete,
    /// Half of the edges are only possible, a fifth of the labels unknown.
    Partial,
}

/// A random structure with the propositions `p` and `q`, five edges a state on average and at least one.
/// The same seed gives the same shape for both kinds of openness.
///
/// # Panics
/// If `states` is beyond what a structure can hold.
#[must_use]
pub fn random_kmts(states: usize, openness: Openness, seed: u64) -> Kmts {
    let mut random = Random::new(seed);
    let mut builder = KmtsBuilder::new();
    let (p, q) = (builder.add_prop("p"), builder.add_prop("q"));
    for at in 0..states {
        let state = builder.add_state(&format!("s{at}"));
        for (prop, one_in) in [(p, 2), (q, 50)] {
            let value = Belnap::from(random.below(one_in) == 0);
            let hidden = random.below(5) == 0 && openness == Openness::Partial;
            builder.set_label(state, prop, if hidden { Belnap::Unknown } else { value });
        }
    }
    for at in 0..states {
        for _ in 0..1 + random.below(9) {
            let target = StateId::new(random.below(states));
            let certain = random.below(2) == 0 || openness == Openness::Complete;
            builder.add_edge(StateId::new(at), target, true, certain, None);
        }
    }
    builder.add_init(StateId::new(0));
    builder.finish().expect("the sizes measured fit")
}

/// The shortest of `runs` timings of `work`, and its last result.
pub fn best_of<T>(runs: usize, mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut best = Duration::MAX;
    let mut result = None;
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let value = work();
        best = best.min(start.elapsed());
        result = Some(value);
    }
    (best, result.expect("at least one run"))
}

/// The system may count the CPU time of a thread in hundredths of a second: what is shorter than this is done again and again.
const LONG_ENOUGH: f64 = 0.2;

/// The CPU time, in seconds, that the calling thread spends on `work`, and its last result. Other work on the machine does
/// not count, unless it is in the way in caches.
pub fn processor_time_of<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let start = thread_time();
    let mut runs = 0.0;
    loop {
        let value = work();
        runs += 1.0;
        let spent = thread_time() - start;
        if spent >= LONG_ENOUGH {
            return (spent / runs, value);
        }
    }
}

/// The exponent `e` of a growth `size^e` between two measurements.
#[must_use]
pub fn exponent(small: (f64, Duration), large: (f64, Duration)) -> f64 {
    (large.1.as_secs_f64() / small.1.as_secs_f64()).ln() / (large.0 / small.0).ln()
}

/// Seconds of CPU time that this process and the ones it has waited for have used, as far as the system tells; time by
/// the clock elsewhere. Counts hundredths of a second.
#[must_use]
pub fn processor_time() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let by_the_clock = START.get_or_init(Instant::now).elapsed().as_secs_f64();
    let used = std::fs::read_to_string("/proc/self/stat").ok().and_then(|text| {
        // The name of the program, in parentheses, may hold spaces; the times are the 12th to 15th field after it.
        let fields = text.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
        Some(fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0)
    });
    used.unwrap_or(by_the_clock)
}

/// Seconds of CPU time that the calling thread has used, as far as the system tells; of the whole process elsewhere.
#[must_use]
pub fn thread_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = text.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    used.map_or_else(processor_time, |nanoseconds| nanoseconds / 1e9)
}
