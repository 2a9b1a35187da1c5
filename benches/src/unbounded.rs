//! How many temporal properties of unbounded data are decided, and in what time?
//!
//! The programs of `corpus/gcl/unbounded`, property by property, without options, each within ten seconds; the values stand behind the properties. Tells for each logic how many are solved, open and wrong, and which took longest;
//! what Z3's Spacer says about those that single states decide, as Horn clauses of the same programs; and how time grows with the number of variables and of loops. Exits with 1 if an answer is wrong, or if fewer are solved than before.
//!
//! `bench-unbounded [--corpus FOLDER] [--jobs N] [--negations] [NAME …]`. A plain program: it needs the folder and the solver's library, nothing else. `--negations` asks the negation of each property about states, too, where the program begins in one state.

#[path = "unbounded/asked.rs"]
mod asked;
#[path = "unbounded/growing.rs"]
mod growing;
#[path = "unbounded/spacer.rs"]
mod spacer;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tertium_base::memory;
use tertium_driver::Belnap;

use self::asked::{Answered, AskedProperty};

#[global_allocator]
static ALLOCATOR: memory::CountingAllocator = memory::CountingAllocator;

/// At least so many of a hundred are solved.
const BAR: usize = 90;
/// So many of the slowest are named.
const SLOWEST: usize = 8;
/// Stack of a thread that asks.
const STACK: usize = 64 << 20;

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// What the command line says.
struct Arguments {
    corpus: PathBuf,
    jobs: usize,
    negations: bool,
    names: Vec<String>,
}

impl Arguments {
    fn read(words: &[String]) -> Result<Self, String> {
        let mut found = Self { corpus: default_corpus(), jobs: 1, negations: false, names: Vec::new() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` wants a value"));
            match word.as_str() {
                "--corpus" => found.corpus = PathBuf::from(value()?),
                "--jobs" => {
                    let jobs = value()?;
                    let number = jobs.parse().ok().filter(|&number| number > 0);
                    found.jobs = number.ok_or_else(|| format!("`{jobs}` is no number of jobs"))?;
                }
                "--negations" => found.negations = true,
                _ if word.starts_with("--") => return Err(format!("`{word}` is no option")),
                _ => found.names.push(word.clone()),
            }
        }
        Ok(found)
    }
}

/// The folder under the present one, else the one beside these sources.
fn default_corpus() -> PathBuf {
    let here = Path::new("corpus/gcl/unbounded");
    if here.is_dir() { here.to_owned() } else { Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(here) }
}

#[derive(Default)]
struct Tally {
    solved: usize,
    open: Vec<String>,
    wrong: Vec<String>,
    seconds: f64,
}

impl Tally {
    fn add(&mut self, name: &str, value: Belnap, wanted: Belnap, seconds: f64) {
        self.seconds += seconds;
        match value {
            Belnap::Unknown => self.open.push(name.to_owned()),
            _ if value == wanted => self.solved += 1,
            _ => self.wrong.push(name.to_owned()),
        }
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [word, file, property] = words.as_slice()
        && word == spacer::WORD
    {
        return spacer::answer(Path::new(file), property);
    }
    if let Err(missing) = tertium_smt::loading::load() {
        say(&format!("the solver's library: {missing}"));
        return ExitCode::from(1);
    }
    let arguments = match Arguments::read(&words) {
        Ok(arguments) => arguments,
        Err(mistake) => {
            say(&mistake);
            return ExitCode::from(2);
        }
    };
    let properties = match asked::properties(&arguments.corpus, &arguments.names, arguments.negations) {
        Ok(properties) if !properties.is_empty() => properties,
        Ok(_) => {
            say(&format!("there are no properties in `{}`", arguments.corpus.display()));
            return ExitCode::from(1);
        }
        Err(mistake) => {
            say(&mistake);
            return ExitCode::from(1);
        }
    };
    let answered = all_answered(&properties, arguments.jobs);
    let decided = tell(&properties, &answered);
    let beside = spacer::compare(&properties, &answered, arguments.jobs);
    let grown = !arguments.names.is_empty() || growing::tell();
    if decided && beside && grown { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Answers all properties, several at a time, in their order.
fn all_answered(properties: &[AskedProperty], jobs: usize) -> Vec<Answered> {
    in_parallel(properties, jobs, AskedProperty::answered)
}

/// What a function gives for each, several at a time, in their order.
fn in_parallel<T: Sync, R: Send + Default + Clone>(of: &[T], jobs: usize, one: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(vec![R::default(); of.len()]);
    let work = || {
        while let Some((at, item)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, of.get(at)?))) {
            let result = one(item);
            if let Ok(mut found) = found.lock() {
                found[at] = result;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            if std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_err() {
                work();
            }
        }
    });
    found.into_inner().unwrap_or_default()
}

/// Tells what was decided; whether nothing is wrong and enough is solved.
fn tell(properties: &[AskedProperty], answered: &[Answered]) -> bool {
    let mut tallies: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for (property, answer) in properties.iter().zip(answered) {
        tallies.entry(property.logic).or_default().add(&property.name, answer.value, property.wanted, answer.seconds);
    }
    say("logic   solved  open  wrong  seconds");
    for (logic, tally) in &tallies {
        let (open, wrong) = (tally.open.len(), tally.wrong.len());
        say(&format!("{logic:<6}  {:>6}  {open:>4}  {wrong:>5}  {:>7.2}", tally.solved, tally.seconds));
    }
    let mut slowest: Vec<(f64, &str)> =
        properties.iter().zip(answered).map(|(property, answer)| (answer.seconds, property.name.as_str())).collect();
    slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    slowest.iter().take(SLOWEST).for_each(|(seconds, name)| say(&format!("{seconds:>7.2} s  {name}")));
    let list = |of: fn(&Tally) -> &Vec<String>| tallies.values().flat_map(of).cloned().collect::<Vec<_>>();
    let (open, wrong) = (list(|tally| &tally.open), list(|tally| &tally.wrong));
    let solved: usize = tallies.values().map(|tally| tally.solved).sum();
    let all = solved + open.len() + wrong.len();
    say(&format!("{solved} of {all} solved; open: {}", open.join(" ")));
    if !wrong.is_empty() {
        say(&format!("wrong: {}", wrong.join(" ")));
    }
    let enough = solved * 100 >= BAR * all;
    if !enough {
        say(&format!("fewer than {BAR} of a hundred are solved"));
    }
    wrong.is_empty() && enough
}
