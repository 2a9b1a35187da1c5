//! How does the thorough semantics grow with the structure?
//!
//! Prints, for sizes from 10^3 to 10^6 states with five edges a state: the CPU time of the search for a violating completion, of
//! the search for a satisfying one, and the exponents of growth of each, fitted over all sizes: of its work, counted in the
//! steps of its loops, and of its time. Theory speaks of work: the game of a weak formula is linear in the structure, the
//! others are at most quadratic. Exits with 1 if the work grows faster than that.
//!
//! Time grows faster than work where a small structure fits a cache and a large one does not. Steps lead near, as in programs, or
//! anywhere, and then every step of a large structure is one into memory that no cache holds. How much that costs on this
//! machine is measured by the plainest thing that looks at every step, which is to turn all of them round. Exits with 1,
//! too, if the time of a search exceeds its bound by more than that does, with some room for noise.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use tertium_base::{Budget, memory};
use tertium_bench::{Random, processor_time_of};
use tertium_check::thorough::{Method, Wanted, search};
use tertium_check::{Ask, Task};
use tertium_evidence::Reading;
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Kmts, KmtsBuilder, StateId};

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const SEED: u64 = 20_261;

/// Where steps lead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// To one of the next or last hundred states.
    Near,
    /// To any state.
    Anywhere,
}

impl Reach {
    const fn name(self) -> &'static str {
        match self {
            Self::Near => "steps lead near",
            Self::Anywhere => "steps lead anywhere",
        }
    }

    fn target(self, random: &mut Random, from: usize, states: usize) -> StateId {
        StateId::new(match self {
            Self::Near => (from + states + random.below(200) - 100) % states,
            Self::Anywhere => random.below(states),
        })
    }
}

/// Work may exceed its bound by so much: what is counted is rounded, and small structures have more that is reached at once.
const ROOM_FOR_WORK: f64 = 0.05;
/// Time may exceed its bound by so much, beside what memory costs: a search has more to keep than the steps themselves.
const ROOM_FOR_TIME: f64 = 0.25;

/// Which labels are open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Labels {
    /// `p` is true or open, `q` false or open and rarely true.
    Rare,
    /// `p`, `q` and `r` are true or open: hardly anything is decided before completions are searched.
    Open,
}

/// A formula, the greatest exponent it may have, the largest structure it is asked on, and that structure's labels.
struct Question {
    text: &'static str,
    logic: Logic,
    bound: f64,
    largest: usize,
    labels: Labels,
}

const QUESTIONS: [Question; 8] = [
    Question { text: "G p", logic: Logic::Ltl, bound: 1.0, largest: 1_000_000, labels: Labels::Rare },
    Question { text: "F q", logic: Logic::Ltl, bound: 1.0, largest: 1_000_000, labels: Labels::Rare },
    Question { text: "G p | F q", logic: Logic::Ltl, bound: 1.0, largest: 1_000_000, labels: Labels::Rare },
    Question { text: "G (p -> F q)", logic: Logic::Ltl, bound: 2.0, largest: 1_000_000, labels: Labels::Rare },
    Question { text: "F G p", logic: Logic::Ltl, bound: 2.0, largest: 1_000_000, labels: Labels::Rare },
    Question { text: "G F q -> G F !p", logic: Logic::Ltl, bound: 2.0, largest: 1_000_000, labels: Labels::Rare },
    Question { text: "AG (p -> (EX q & AF r))", logic: Logic::Ctl, bound: 1.0, largest: 100_000, labels: Labels::Open },
    Question { text: "AG (p | EX !p | AF r)", logic: Logic::Ctl, bound: 1.0, largest: 100_000, labels: Labels::Open },
];

fn main() -> ExitCode {
    let mut beyond = 0;
    for reach in [Reach::Near, Reach::Anywhere] {
        say(&format!("completions of partial structures, five edges a state, {}", reach.name()));
        say("formula                      states   violating        satisfying       how");
        for labels in [Labels::Rare, Labels::Open] {
            let models: Vec<Kmts> = SIZES.iter().map(|&size| structure(size, reach, labels)).collect();
            let memory = fitted(&turned_round(&models)) - 1.0;
            say(&format!("{:<24} {:>10} {memory:>10.2}", "memory adds", "exponent"));
            let asked = QUESTIONS.iter().filter(|question| question.labels == labels);
            beyond += asked.map(|question| measure(question, memory.max(0.0), &models)).sum::<usize>();
        }
        say("");
    }
    if beyond > 0 {
        say(&format!("{beyond} figures grow faster than they may"));
        return ExitCode::from(1);
    }
    ExitCode::SUCCESS
}

/// The time to turn all steps round, for each size.
fn turned_round(models: &[Kmts]) -> Vec<(f64, f64)> {
    let turn = |model: &Kmts| {
        let states = || (0..model.state_count()).map(StateId::new);
        let mut first = vec![0u32; model.state_count() + 1];
        states().flat_map(|state| model.edges_from(state)).for_each(|edge| first[edge.target.index() + 1] += 1);
        (0..model.state_count()).for_each(|at| first[at + 1] += first[at]);
        let mut sources = vec![0u32; first[model.state_count()] as usize];
        for state in states() {
            for edge in model.edges_from(state) {
                let place = &mut first[edge.target.index()];
                sources[*place as usize] = state.number();
                *place += 1;
            }
        }
        sources.len()
    };
    let timed = |model: &Kmts| (model.state_count() as f64, processor_time_of(|| turn(model)).0);
    models.iter().map(timed).collect()
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// A structure in which nobody finds an answer at once: every state has a certain step, and a tenth of the states a step of
/// which it is open where it leads.
fn structure(states: usize, reach: Reach, labels: Labels) -> Kmts {
    let mut random = Random::new(SEED);
    let mut builder = KmtsBuilder::new();
    let props = ["p", "q", "r"].map(|name| builder.add_prop(name));
    for at in 0..states {
        let state = builder.add_state(&format!("s{at}"));
        for (prop, value) in props.into_iter().zip(values(labels, &mut random)) {
            builder.set_label(state, prop, value);
        }
    }
    for at in 0..states {
        let from = StateId::new(at);
        let mut possible = Vec::new();
        for number in 0..1 + random.below(9) {
            let target = reach.target(&mut random, at, states);
            builder.add_edge(from, target, true, number == 0 || random.below(2) == 0, None);
            possible.push(target);
        }
        if possible.len() > 1 && random.below(10) == 0 {
            builder.add_hyper(from, &possible, None);
        }
    }
    builder.add_init(StateId::new(0));
    builder.finish().expect("the sizes measured fit")
}

fn values(labels: Labels, random: &mut Random) -> [Belnap; 3] {
    match labels {
        Labels::Rare => {
            let p = if random.below(4) == 0 { Belnap::Unknown } else { Belnap::True };
            let q = match random.below(50) {
                0 => Belnap::True,
                1 | 2 => Belnap::Unknown,
                _ => Belnap::False,
            };
            [p, q, Belnap::False]
        }
        Labels::Open => [2, 2, 3].map(|every| if random.below(every) == 0 { Belnap::Unknown } else { Belnap::True }),
    }
}

/// One formula on all sizes; returns how many figures are beyond their bounds. `memory` is what memory adds to an exponent of time.
fn measure(question: &Question, memory: f64, models: &[Kmts]) -> usize {
    let formula = parse(question.text, &ParseOptions::in_logic(question.logic)).formula.expect("it parses");
    let mut times: [Vec<(f64, f64)>; 2] = [Vec::new(), Vec::new()];
    let mut works: [Vec<(f64, f64)>; 2] = [Vec::new(), Vec::new()];
    for model in models.iter().filter(|model| model.state_count() <= question.largest) {
        let size = model.state_count();
        let mut line = format!("{:<24} {size:>10}", question.text);
        let mut how = String::new();
        for (side, satisfying) in [(0, false), (1, true)] {
            let search = || side_of(model, &formula, satisfying);
            let (time, (exists, method, work)) = processor_time_of(search);
            times[side].push((size as f64, time));
            works[side].push((size as f64, work as f64));
            line.push_str(&format!(
                " {:>10.3?} {:<5}",
                Duration::from_secs_f64(time),
                if exists { "yes" } else { "no" }
            ));
            how = described(method);
        }
        say(&format!("{line}  {how}"));
    }
    let judged = |kind: &str, figures: [Vec<(f64, f64)>; 2], most: f64| {
        let exponents = figures.map(|points| fitted(&points));
        let beyond = exponents.iter().filter(|&&exponent| exponent > most).count();
        let [violating, satisfying] = exponents;
        let verdict = if beyond > 0 { "  BEYOND" } else { "" };
        say(&format!("{:<19} {kind:>15} {violating:>10.2} {satisfying:>16.2}       at most {most:.2}{verdict}", ""));
        beyond
    };
    judged("exponent, work", works, question.bound + ROOM_FOR_WORK)
        + judged("exponent, time", times, question.bound + memory + ROOM_FOR_TIME)
}

/// Whether there is a completion of the kind, how it was searched, and how many steps the loops made.
fn side_of(model: &Kmts, formula: &Formula, satisfying: bool) -> (bool, Method, u64) {
    let budget = Budget::unlimited();
    let task = Task::new(model, formula, Reading::default(), Ask::At(model.init()), &budget).expect("names are known");
    let found = search(&task, Wanted { satisfying, states: model.init(), build: false }).expect("it is supported");
    (found.exists[0], found.method, budget.work().max(1))
}

fn described(method: Method) -> String {
    match method {
        Method::Tableau { positions, weak } => {
            format!("tableau, {positions} positions{}", if weak { "" } else { ", trees" })
        }
        Method::Product { states } => format!("product, {states} automaton states"),
        Method::PathGame { positions, states, kind, weak } => {
            let weak = if weak { ", weak" } else { "" };
            format!("game, {positions} positions, {} automaton with {states} states{weak}", kind.name())
        }
    }
}

/// The exponent of growth by least squares over the logarithms, the smallest size left out: there, start-up costs rule.
fn fitted(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().skip(1).map(|(size, cost)| (size.ln(), cost.ln())).collect();
    let count = logs.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| logs.iter().map(pick).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = logs.iter().map(|point| (point.0 - x).powi(2)).sum();
    covariance / variance
}
