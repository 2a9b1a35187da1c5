//! How fast are three-valued checks of explicit structures, compared with two-valued ones?
//!
//! For sizes from 10^4 to 10^6 states with five edges a state, each formula is checked on a partial structure and on
//! the complete structure of the same shape, as a user does it: the file is read, the formula decided. Printed are
//! the ratio of the two, the exponent of growth, and the peak of memory per edge. The last columns give the check
//! alone. Exits with 1 if a figure is beyond its bound.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use tertium_base::{Budget, memory};
use tertium_bench::{Openness, best_of, exponent, random_kmts};
use tertium_check::automata::AutomataEngine;
use tertium_check::explicit::Explicit;
use tertium_check::{Ask, Engine, Task};
use tertium_evidence::{LinearReading, Reading};
use tertium_logic::{Formula, Logic, ParseOptions, parse};
use tertium_model::{Format, Kmts, Model, read_file, refines, write_json};

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
const RUNS: usize = 5;
/// Checks of one structure once it is read.
const CHECKS: usize = 3;
const SEED: u64 = 20_261;

/// A three-valued check may cost this much of the two-valued one, as a user does it: reading the file included.
const RATIO_BOUND: f64 = 1.3;
/// The same for the check alone on the largest structure. It takes a tenth of a second, and where the pages of memory lie
/// moves it by a tenth up or down from run to run.
const ALONE_BOUND: f64 = 1.4;
/// Linear, with room for caches that a small structure fits and a large one does not.
const EXPONENT_BOUND: f64 = 1.3;
/// Bytes an edge at the peak, on the largest structure.
const MEMORY_BOUND: usize = 100;

const PREORDER_STATES: usize = 2_000;
/// "In seconds".
const PREORDER_BOUND: Duration = Duration::from_secs(5);

const FORMULAS: [(&str, Logic); 5] = [
    ("AG EF q", Logic::Ctl),
    ("A[p U q]", Logic::Ctl),
    ("AG (p -> AF q)", Logic::Ctl),
    ("EG (p | EX q)", Logic::Ctl),
    ("G (p -> F q)", Logic::Ltl),
];

/// One structure on disk, complete and partial.
struct Files {
    states: usize,
    edges: usize,
    complete: PathBuf,
    partial: PathBuf,
}

/// What one check takes.
struct Cost {
    whole: Duration,
    check: Duration,
    peak: usize,
}

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("target/bench"), PathBuf::from);
    let files = match make_files(&folder) {
        Ok(files) => files,
        Err(failure) => {
            say(&format!("{}: {failure}", folder.display()));
            return ExitCode::from(2);
        }
    };
    say("Reading the file and deciding the formula, best of 5; partial structure against complete one");
    say("formula            states  complete   partial  ratio growth bytes/edge | check alone   ratio");
    let mut beyond = 0;
    for (text, logic) in FORMULAS {
        beyond += measure(text, logic, &files);
    }
    beyond += usize::from(!preorder_in_time());
    if beyond > 0 {
        say(&format!(
            "{beyond} figures are beyond their bounds (ratio {RATIO_BOUND}, alone {ALONE_BOUND}, growth {EXPONENT_BOUND}, {MEMORY_BOUND} bytes)"
        ));
        return ExitCode::from(1);
    }
    ExitCode::SUCCESS
}

/// The completeness preorder between a partial structure and the complete one of the same shape.
fn preorder_in_time() -> bool {
    let (coarse, fine) =
        (random_kmts(PREORDER_STATES, Openness::Partial, SEED), random_kmts(PREORDER_STATES, Openness::Complete, SEED));
    let (time, relation) = best_of(3, || refines(&coarse, &fine, &Budget::unlimited()));
    let pairs = relation.map_or(0, |relation| relation.pairs().count());
    say(&format!("preorder of {PREORDER_STATES} states with {PREORDER_STATES}: {time:.2?}, {pairs} pairs"));
    time < PREORDER_BOUND
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn make_files(folder: &Path) -> std::io::Result<Vec<Files>> {
    std::fs::create_dir_all(folder)?;
    SIZES
        .iter()
        .map(|&states| {
            let path = |kind: &str| folder.join(format!("random-{states}-{kind}.json"));
            let files = Files { states, edges: 0, complete: path("complete"), partial: path("partial") };
            let complete = random_kmts(states, Openness::Complete, SEED);
            let edges = complete.edge_count();
            save(complete, &files.complete)?;
            save(random_kmts(states, Openness::Partial, SEED), &files.partial)?;
            Ok(Files { edges, ..files })
        })
        .collect()
}

fn save(model: Kmts, path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    write_json(&mut out, &Model::Kmts(model), &[])?;
    out.flush()
}

/// One formula on all sizes; returns how many figures are beyond their bounds.
fn measure(text: &str, logic: Logic, files: &[Files]) -> usize {
    let formula = parse(text, &ParseOptions::in_logic(logic)).formula.expect("the formulas measured parse");
    let mut beyond = 0;
    let mut smallest: Option<(f64, Duration)> = None;
    for file in files {
        let [two, three] = costs([&file.complete, &file.partial], &formula);
        let ratio = three.whole.as_secs_f64() / two.whole.as_secs_f64();
        let check_ratio = three.check.as_secs_f64() / two.check.as_secs_f64();
        let size = file.states as f64;
        let growth = smallest.map(|small| exponent(small, (size, three.whole)));
        smallest.get_or_insert((size, three.whole));
        let bytes = three.peak.max(two.peak) / file.edges;
        let largest = file.states == SIZES[SIZES.len() - 1];
        beyond += usize::from(ratio > RATIO_BOUND)
            + usize::from(check_ratio > ALONE_BOUND && largest)
            + usize::from(growth.is_some_and(|growth| growth > EXPONENT_BOUND))
            + usize::from(bytes > MEMORY_BOUND && largest);
        let growth = growth.map_or(String::new(), |growth| format!("{growth:.2}"));
        say(&format!(
            "{text:<16} {size:>8} {:>9.2?} {:>9.2?} {ratio:>6.2} {growth:>6} {bytes:>10} | {:>9.2?} {:>9.2?} {check_ratio:>5.2}",
            two.whole, three.whole, two.check, three.check
        ));
    }
    beyond
}

/// The costs of both structures, taken in turns so that a busy moment of the machine meets both.
fn costs(paths: [&Path; 2], formula: &Formula) -> [Cost; 2] {
    let mut costs = [Cost::UNKNOWN; 2];
    for _ in 0..RUNS {
        for (cost, path) in costs.iter_mut().zip(paths) {
            cost.add_run(path, formula);
        }
    }
    costs
}

impl Cost {
    const UNKNOWN: Self = Self { whole: Duration::MAX, check: Duration::MAX, peak: 0 };

    fn add_run(&mut self, path: &Path, formula: &Formula) {
        let before = memory::in_use();
        memory::reset_peak();
        let (reading, model) = best_of(1, || {
            let loaded = read_file(path, Format::Json, &Budget::unlimited()).expect("nothing limits the reading");
            let Some(Model::Kmts(model)) = loaded.model else { panic!("{} is no structure", path.display()) };
            model
        });
        let (check_time, decided) = best_of(CHECKS, || check(&model, formula));
        assert!(decided, "the engine does what is measured");
        self.whole = self.whole.min(reading + check_time);
        self.check = self.check.min(check_time);
        self.peak = self.peak.max(memory::peak().saturating_sub(before));
    }
}

fn check(model: &Kmts, formula: &Formula) -> bool {
    let budget = Budget::unlimited();
    let reading = Reading { linear: LinearReading::Bg, ..Reading::default() };
    let task = Task::new(model, formula, reading, Ask::At(model.init()), &budget).expect("names are known");
    if formula.logic() == Logic::Ltl { AutomataEngine.values(&task).is_ok() } else { Explicit.values(&task).is_ok() }
}
