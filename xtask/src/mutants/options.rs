//! What the command is asked to do.

use std::path::PathBuf;
use std::time::Duration;

use super::Problem;
use super::catalogue::Mutant;

pub const HELP: &str = "\
  --check           only compare the list of mutants with the sources
  --build-only      make the copy of the sources and its test programs, run nothing
  --list FILE       where the list of test programs and mutants is written (DIR/list.json)
  --run-list FILE   run from such a list, without cargo
  --dir DIR         where the copy and what is built from it stand (target/mutants)
  --only WORD       only mutants with this word in their name, area or file (repeatable)
  --threads N       test programs at a time (as many as there are cores)
  --limit SECONDS   for each test program (five times what it takes without a mutant, at least 60)
  --memory MIB      for each test program (6144)
  --total SECONDS   for everything; mutants that are not through by then are told as not run
  --results FILE    what became of each mutant, one line of JSON each; those that stand there are not run again";

/// The arguments, understood.
#[derive(Debug, Default)]
pub struct Options {
    pub check: bool,
    pub build_only: bool,
    pub list: Option<PathBuf>,
    pub run_list: Option<PathBuf>,
    pub dir: Option<PathBuf>,
    pub only: Vec<String>,
    pub threads: Option<usize>,
    pub limit: Option<Duration>,
    pub memory_mib: Option<u64>,
    pub total: Option<Duration>,
    pub results: Option<PathBuf>,
}

impl Options {
    /// Is this mutant asked for?
    pub fn wants(&self, mutant: &Mutant) -> bool {
        let has = |word: &String| [&mutant.name, &mutant.area, &mutant.file].iter().any(|text| text.contains(word));
        self.only.is_empty() || self.only.iter().any(has)
    }
}

pub fn options(mut words: impl Iterator<Item = String>) -> Result<Options, Problem> {
    let mut options = Options::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--check" => options.check = true,
            "--build-only" => options.build_only = true,
            "--list" | "--run-list" | "--dir" | "--only" | "--threads" | "--limit" | "--memory" | "--total"
            | "--results" => {
                let value = words.next().ok_or_else(|| format!("{word} needs a value\n{HELP}"))?;
                valued(&mut options, &word, value)?;
            }
            _ => return Err(format!("unknown option {word}\n{HELP}")),
        }
    }
    Ok(options)
}

fn valued(options: &mut Options, word: &str, value: String) -> Result<(), Problem> {
    let number =
        || value.parse::<u64>().ok().filter(|&number| number > 0).ok_or(format!("{word} needs a number, not {value}"));
    match word {
        "--list" => options.list = Some(value.into()),
        "--run-list" => options.run_list = Some(value.into()),
        "--dir" => options.dir = Some(value.into()),
        "--threads" => options.threads = Some(usize::try_from(number()?).map_err(|error| error.to_string())?),
        "--total" => options.total = Some(Duration::from_secs(number()?)),
        "--results" => options.results = Some(value.into()),
        "--limit" => options.limit = Some(Duration::from_secs(number()?)),
        "--memory" => options.memory_mib = Some(number()?),
        _ => options.only.push(value),
    }
    Ok(())
}
