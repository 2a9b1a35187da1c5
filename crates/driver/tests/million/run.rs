//! Batches of samples over all categories, with a file to go on from.

#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of this test")]

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tertium_testkit::reference::REFERENCE_LIMIT;
use tertium_testkit::{Case, Rng};

use super::sample::Tally;

/// Changes whenever the same seed no longer means the same samples.
const VERSION: u64 = 1;
/// Time for which one batch is planned, of every thread.
const BATCH: Duration = Duration::from_secs(20);
/// Time between two tables.
const TOLD_EVERY: Duration = Duration::from_secs(120);

/// One kind of case.
pub struct Category {
    /// Its name, also of its files.
    pub name: &'static str,
    /// What a case is, and what is compared.
    pub what: &'static str,
    /// How many of a thousand cases are of this kind.
    pub per_mille: u64,
    /// Draws one sample and compares all its cases; panics if one is wrong.
    pub draw: fn(&mut Case, &mut Tally),
}

/// What a run is asked for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed of the run.
    pub seed: u64,
    /// How many cases in all.
    pub cases: usize,
    /// Time after which no batch begins.
    pub seconds: Option<Duration>,
    /// How many samples are compared at a time.
    pub threads: usize,
    /// How many cases of each category at least.
    pub smallest: u64,
}

/// A run and how far it is.
pub struct Run {
    plan: Plan,
    /// Where wrong cases are kept; the file beside it has its name.
    folder: PathBuf,
    done: Vec<Tally>,
    is_kept: bool,
}

/// A sample that went wrong.
struct Wrong {
    category: &'static str,
    number: u64,
    why: String,
    kept: Vec<(String, String)>,
}

/// The seed of a sample. Categories are told apart by their names, so that a new one does not change the others.
fn seed_of(seed: u64, category: &str, number: u64) -> u64 {
    let mixed = category.bytes().fold(seed, |seed, byte| Rng::new(seed ^ u64::from(byte)).next_u64());
    Rng::new(mixed.wrapping_add(number)).next_u64()
}

/// Compares one sample.
fn compare(category: &Category, seed: u64, number: u64) -> Result<Tally, Wrong> {
    let (start, mut tally) = (Instant::now(), Tally { samples: 1, ..Tally::default() });
    let mut case = Case::new(seed_of(seed, category.name, number), number as usize);
    let done = catch_unwind(AssertUnwindSafe(|| (category.draw)(&mut case, &mut tally)));
    tally.microseconds = start.elapsed().as_micros() as u64;
    let Err(panic) = done else { return Ok(tally) };
    let text = panic.downcast_ref::<String>().cloned();
    let why = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default();
    if why == REFERENCE_LIMIT {
        tally.limited += 1;
        return Ok(tally);
    }
    Err(Wrong { category: category.name, number, why, kept: case.kept().to_vec() })
}

/// Compares one sample again, named as `category:number`.
///
/// # Panics
/// If it is wrong, or there is no such category.
#[allow(clippy::print_stdout, reason = "asked for by hand")]
pub fn repeat(categories: &[Category], only: &str, seed: u64, folder: &Path) {
    let (name, number) = only.split_once(':').unwrap_or((only, "0"));
    let category = categories.iter().find(|category| category.name == name);
    let category = category.unwrap_or_else(|| panic!("there is no category `{name}`"));
    match compare(category, seed, number.parse().unwrap_or_else(|_| panic!("no number: `{number}`"))) {
        Ok(tally) => println!("{only}: {tally:?}"),
        Err(wrong) => panic!("{}", wrong.keep(folder, seed)),
    }
}

impl Wrong {
    /// Writes the inputs down; the message with where they are.
    fn keep(&self, folder: &Path, seed: u64) -> String {
        let folder = folder.join(format!("{}-{seed}-{}", self.category, self.number));
        let mut text =
            format!("wrong: TERTIUM_SEED={seed} TERTIUM_ONLY={}:{}\n{}\n", self.category, self.number, self.why);
        let written = std::fs::create_dir_all(&folder).and_then(|()| {
            std::fs::write(folder.join("wrong.txt"), &text)?;
            self.kept.iter().try_for_each(|(name, input)| std::fs::write(folder.join(name), input))
        });
        match written {
            Ok(()) => text.push_str(&format!("kept in {}\n", folder.display())),
            Err(error) => text.push_str(&format!("not kept in {}: {error}\n", folder.display())),
        }
        text
    }
}

impl Run {
    /// A run from the beginning that leaves no file behind unless something is wrong.
    pub fn new(plan: Plan, folder: PathBuf) -> Self {
        Self { plan, folder, done: Vec::new(), is_kept: false }
    }

    /// A run that goes on where the file of one with the same seed ends.
    pub fn resumed(plan: Plan, folder: PathBuf, categories: &[Category]) -> Self {
        let mut run = Self { plan, folder, done: Vec::new(), is_kept: true };
        let text = std::fs::read_to_string(run.file()).unwrap_or_default();
        let found: Value = serde_json::from_str(&text).unwrap_or_default();
        if found["version"] == VERSION && found["seed"] == run.plan.seed {
            let tally = |category: &Category| Tally::from_json(&found["categories"][category.name]);
            run.done = categories.iter().map(tally).collect();
        }
        run
    }

    fn file(&self) -> PathBuf {
        self.folder.with_extension("json")
    }

    /// Whole or absent: whoever is interrupted goes on from the batch before.
    fn write(&self, categories: &[Category]) {
        if !self.is_kept {
            return;
        }
        let done: Map<String, Value> = categories
            .iter()
            .zip(&self.done)
            .map(|(category, tally)| (category.name.to_owned(), tally.to_json()))
            .collect();
        let value = json!({"version": VERSION, "seed": self.plan.seed, "categories": done});
        let (file, beside) = (self.file(), self.folder.with_extension("json.new"));
        let written = std::fs::write(&beside, format!("{value:#}\n")).and_then(|()| std::fs::rename(&beside, &file));
        written.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }

    /// How many cases of a category are wanted.
    fn wanted(&self, category: &Category) -> u64 {
        (self.plan.cases as u64 * category.per_mille).div_ceil(1000).max(self.plan.smallest)
    }

    /// Compares until everything planned is done or time is up; the table, or what is wrong.
    pub fn finish(mut self, categories: &[Category], tell: &mut dyn FnMut(&str)) -> Result<String, String> {
        self.done.resize(categories.len(), Tally::default());
        let (start, mut told) = (Instant::now(), Instant::now());
        tell(&explained(categories));
        loop {
            let batch = self.batch(categories);
            let out_of_time = self.plan.seconds.is_some_and(|most| start.elapsed() >= most);
            if batch.is_empty() || out_of_time {
                return Ok(self.table(categories, start.elapsed(), 0));
            }
            if let Err(wrong) = self.compare(categories, &batch) {
                let mut text = self.table(categories, start.elapsed(), wrong.len());
                wrong.iter().for_each(|wrong| text.push_str(&wrong.keep(&self.folder, self.plan.seed)));
                return Err(text);
            }
            self.write(categories);
            if told.elapsed() >= TOLD_EVERY {
                tell(&self.table(categories, start.elapsed(), 0));
                told = Instant::now();
            }
        }
    }

    /// The next samples: of every category in proportion to what is left of it, for about the time of a batch.
    fn batch(&self, categories: &[Category]) -> Vec<(usize, u64)> {
        let left: Vec<f64> =
            categories.iter().zip(&self.done).map(|(category, done)| self.left(category, done)).collect();
        let of_each = |done: &Tally| (done.microseconds as f64 / done.samples.max(1) as f64).max(1.0);
        let needed: f64 = left.iter().zip(&self.done).map(|(left, done)| left * of_each(done)).sum();
        // What is known from few samples is known badly: no batch is much larger than all before it.
        let spent: u64 = self.done.iter().map(|done| done.microseconds).sum();
        let time = (BATCH.as_micros() as f64 * self.plan.threads as f64).min(2.0 * spent as f64);
        let is_first = self.done.iter().any(|done| done.samples == 0);
        let share = if is_first { 0.0 } else { (time / needed.max(1.0)).min(1.0) };
        let mut batch = Vec::new();
        for (at, left) in left.iter().enumerate().filter(|(_, left)| **left > 0.0) {
            let count = ((left * share).ceil() as u64).clamp(1, 2 * self.done[at].samples + 1);
            batch.extend((0..count).map(|more| (at, self.done[at].samples + more)));
        }
        // Long ones are not left to the end.
        batch.sort_by_key(|&(at, number)| {
            (number, std::cmp::Reverse(self.done[at].microseconds / self.done[at].samples.max(1)))
        });
        batch
    }

    /// About how many samples of a category are left.
    fn left(&self, category: &Category, done: &Tally) -> f64 {
        let left = self.wanted(category).saturating_sub(done.cases());
        // What is refused or out of limits again and again ends, too.
        let is_barren = done.samples >= 20 && done.cases() == 0;
        let of_each = (done.cases() as f64 / done.samples.max(1) as f64).max(0.1);
        if left == 0 || is_barren { 0.0 } else { (left as f64 / of_each).max(1.0) }
    }

    /// Compares the samples of a batch. Only whole batches count, so that numbers follow each other without gaps.
    fn compare(&mut self, categories: &[Category], batch: &[(usize, u64)]) -> Result<(), Vec<Wrong>> {
        let next = AtomicUsize::new(0);
        let results: Mutex<(Vec<Tally>, Vec<Wrong>)> =
            Mutex::new((vec![Tally::default(); categories.len()], Vec::new()));
        let work = || {
            while let Some(&(at, number)) = batch.get(next.fetch_add(1, Ordering::Relaxed)) {
                let found = compare(&categories[at], self.plan.seed, number);
                let mut results = results.lock().expect("nobody panics with the results in hand");
                match found {
                    Ok(tally) => results.0[at].add(&tally),
                    Err(wrong) => results.1.push(wrong),
                }
                if !results.1.is_empty() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            (1..self.plan.threads.max(1)).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let (found, wrong) = results.into_inner().expect("all threads are done");
        self.done.iter_mut().zip(&found).for_each(|(done, found)| done.add(found));
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    fn table(&self, categories: &[Category], elapsed: Duration, wrong: usize) -> String {
        let mut text = format!(
            "{:<12} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>12} {:>9} {:>10}\n",
            "category",
            "cases",
            "wanted",
            "definite",
            "unknown",
            "refused",
            "limits",
            "certificates",
            "samples",
            "ms a case"
        );
        let mut all = Tally::default();
        for (category, done) in categories.iter().zip(&self.done) {
            text.push_str(&row(category.name, self.wanted(category), done));
            all.add(done);
        }
        text.push_str(&row("all", categories.iter().map(|category| self.wanted(category)).sum(), &all));
        for (category, done) in categories.iter().zip(&self.done) {
            for (why, count) in &done.refused {
                let _ = writeln!(text, "{count:>9} of {} refused: {why}", category.name);
            }
        }
        let _ = writeln!(
            text,
            "{wrong} wrong; seed {}, {:.0} s in this part of the run",
            self.plan.seed,
            elapsed.as_secs_f64()
        );
        text
    }
}

fn row(name: &str, wanted: u64, tally: &Tally) -> String {
    format!(
        "{name:<12} {:>9} {wanted:>9} {:>9} {:>8} {:>8} {:>9} {:>12} {:>9} {:>10.3}\n",
        tally.cases(),
        tally.definite,
        tally.unknown,
        tally.all_refused(),
        tally.limited,
        tally.certificates,
        tally.samples,
        tally.microseconds as f64 / 1000.0 / tally.cases().max(1) as f64,
    )
}

fn explained(categories: &[Category]) -> String {
    let mut text = "a case is one model with one question, answered in different ways:\n".to_owned();
    for category in categories {
        let _ =
            writeln!(text, "  {:<12} {:>4.1} %  {}", category.name, category.per_mille as f64 / 10.0, category.what);
    }
    text
}

#[test]
fn samples_have_seeds_of_their_own() {
    let mut seeds: Vec<u64> =
        ["linear", "star"].iter().flat_map(|name| (0..1000).map(|number| seed_of(7, name, number))).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 2000);
    assert_ne!(seed_of(7, "star", 0), seed_of(8, "star", 0));
}

/// A category for tests of the run itself: one case a sample, wrong where the number says so.
#[cfg(test)]
const PLAIN: [Category; 1] = [Category {
    name: "plain",
    what: "a number",
    per_mille: 1000,
    draw: |case, tally| {
        case.keep("number.txt", case.number.to_string());
        assert_ne!(case.number, 70, "seventy");
        tally.value(tertium_driver::Belnap::from(case.rng.chance(50)));
    },
}];

#[test]
fn a_run_goes_on_where_it_was_stopped_and_keeps_what_is_wrong() {
    let folder = super::certified::folder("million-run").join(std::process::id().to_string());
    let plan = |cases| Plan { seed: 5, cases, seconds: None, threads: 2, smallest: 1 };
    let kept = |run: &Run| Tally { microseconds: 0, ..run.done[0].clone() };
    for cases in [20, 50] {
        assert!(Run::resumed(plan(cases), folder.clone(), &PLAIN).finish(&PLAIN, &mut |_| {}).is_ok());
    }
    let again = kept(&Run::resumed(plan(50), folder.clone(), &PLAIN));
    let mut at_once = Tally::default();
    (0..again.samples)
        .for_each(|number| at_once.add(&compare(&PLAIN[0], 5, number).unwrap_or_else(|_| panic!("wrong"))));
    assert_eq!(again, Tally { microseconds: 0, ..at_once });
    assert!(again.cases() >= 50);
    let other = Run::resumed(Plan { seed: 6, ..plan(50) }, folder.clone(), &PLAIN);
    assert!(other.done.is_empty(), "the file of another seed says nothing");
    let wrong = Run::resumed(plan(100), folder.clone(), &PLAIN).finish(&PLAIN, &mut |_| {});
    let wrong = wrong.expect_err("sample 70 is wrong");
    assert!(
        wrong.contains("1 wrong") && wrong.contains("TERTIUM_ONLY=plain:70") && wrong.contains("seventy"),
        "{wrong}"
    );
    assert_eq!(std::fs::read_to_string(folder.join("plain-5-70/number.txt")).ok().as_deref(), Some("70"));
    let _ = std::fs::remove_dir_all(folder.parent().unwrap_or(&folder));
}
