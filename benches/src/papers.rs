//! Do we get the values and figures of the papers?
//!
//! The tables of Saïdi (2000, figure 9), of Bonsai (2014, tables 1 and 2), and the examples and experiments of parameterised three-valued abstraction (2014):
//! each with the figure of the paper beside ours. Every row is one call of the command. Exits with 1 if a value contradicts: if the paper has a
//! definite value and we have another one, if only one of the two is unknown (unless the row says why), or if work depends on a bound
//! that abstraction leaves out. Times are seconds of CPU time, of all that has to be done; the papers' are by their clocks.
//!
//! `papers [--tertium PATH] [WORDS]`: only rows whose names contain one of the words.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value;
use tertium_bench::processor_time;
use tertium_bench::resources::Resources;

/// The initial predicates of Saïdi's version A: guards and property.
const GUARDS: [&str; 6] = ["--predicate", "y1 = 0", "--predicate", "y2 = 0", "--predicate", "y1 <= y2"];

/// Running a model ends here.
const MOST_STATES: &str = "3000000";

/// A value of a paper, and what it takes to get it here.
struct Row {
    name: String,
    model: String,
    property: &'static str,
    options: Vec<String>,
    /// The paper's value.
    value: &'static str,
    /// What else the paper tells.
    figures: String,
    /// Why one of the two may be unknown where the other is not.
    differs: Option<&'static str>,
}

/// What the command says.
struct Found {
    value: String,
    states: u64,
    predicates: u64,
    rounds: u64,
    calls: u64,
    seconds: f64,
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let given = words.iter().position(|word| word == "--tertium").filter(|at| at + 1 < words.len());
    let given = given.map(|at| words.drain(at..at + 2).nth(1).unwrap_or_default());
    let beside = std::env::current_exe().unwrap_or_default().with_file_name("tertium");
    let tertium = given.map_or(beside, PathBuf::from);
    let mut tables = Tables { tertium, words, contradictions: Vec::new() };
    tables.saidi();
    tables.bonsai();
    tables.parameterised();
    for contradiction in &tables.contradictions {
        say(&format!("contradicts: {contradiction}"));
    }
    if tables.contradictions.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

struct Tables {
    tertium: PathBuf,
    words: Vec<String>,
    contradictions: Vec<String>,
}

impl Tables {
    /// Figure 9: three versions of the bakery protocol, and the nine states of figure 4.
    fn saidi(&mut self) {
        self.head("Saïdi, Model Checking Guided Abstraction and Analysis (2000), figures 4 and 9");
        let versions: [(&str, &str, &str, &[&str]); 3] = [
            ("a", "true", "3 predicates, 0 refinements, 27 calls, 1.8 s", &GUARDS),
            ("b", "false", "3 + 3 + 4 predicates, 2 refinements, 72 + 32 + 134 calls, 23.9 s", &GUARDS),
            ("c", "true", "5 + 3 + 2 predicates, 2 refinements, 120 + 35 + 32 calls, 18.6 s", &[]),
        ];
        for (version, value, figures, predicates) in versions {
            let name = format!("bakery {version}");
            let model = format!("corpus/gcl/bakery_{version}.gcl");
            let row = Row {
                options: texts(&["--refinements", "20"], predicates),
                ..row(name, model, "mutex", value, figures)
            };
            let found = self.show(&row);
            if version == "a" && found.is_some_and(|found| found.rounds > 0) {
                self.contradictions.push("bakery a: the paper needs no refinement".to_owned());
            }
        }
        let name = "bakery a, figure 4".to_owned();
        let row = row(name, "corpus/gcl/bakery_a.gcl".to_owned(), "mutex_ctl", "true", "9 abstract states");
        let row = Row { options: texts(&["--refinements", "0"], &GUARDS), ..row };
        if self.show(&row).is_some_and(|found| found.states != 9) {
            self.contradictions.push("bakery a: the abstract state graph has nine states".to_owned());
        }
    }

    /// Tables 1 and 2: seconds over growing bounds, by abstraction and by running the model.
    fn bonsai(&mut self) {
        self.head("Vijzelaar et al., Bonsai: Cutting Models Down to Size (2014), tables 1 and 2");
        let concrete = ["1.64", "5.85", "23.85", "121.61"];
        let bounds = [12, 14, 16, 18].into_iter().zip(concrete).collect::<Vec<_>>();
        self.growth("bakery", "MAX", "18.49 s", &bounds);
        let concrete = ["11.16", "22.58", "50.01", "108.08"];
        let bounds = [12, 13, 14, 15].into_iter().zip(concrete).collect::<Vec<_>>();
        self.growth("fischer", "LONG", "40.08 s", &bounds);
    }

    fn growth(&mut self, model: &str, constant: &str, by_abstraction: &str, bounds: &[(u32, &str)]) {
        let mut works = Vec::new();
        for (exponent, concrete) in bounds {
            let path = format!("examples/{model}.pml");
            let define = format!("-D{constant}={}", 1u64 << exponent);
            let name = format!("{model} to 2^{exponent}, abstract");
            let abstracted = Row {
                options: texts(&["--abstraction", "hyper", "--refinements", "0", &define], &[]),
                ..row(name, path.clone(), "mutex", "true", by_abstraction)
            };
            works.extend(self.show(&abstracted).map(|found| found.states));
            let name = format!("{model} to 2^{exponent}, concrete");
            let figures = format!("{concrete} s to check, 2 s before");
            let options = texts(&["--abstraction", "none", "--max-states", MOST_STATES, &define], &[]);
            let differs = Some("given up after so many states: our graph is larger than the paper's");
            self.show(&Row { options, differs, ..row(name, path, "mutex", "true", &figures) });
        }
        if works.windows(2).any(|pair| pair[0] != pair[1]) {
            self.contradictions.push(format!("{model}: abstract states depend on the bound: {works:?}"));
        }
    }

    /// The examples of sections 2 to 4, and the systems of section 5.
    fn parameterised(&mut self) {
        self.head("Timm and Gruner, Parameterisation of Three-Valued Abstractions (2014), examples and section 5");
        let models = "docs/papers/models";
        let literal = "read by definition 3 as it stands";
        for (name, file, property, value, figures, options) in [
            ("section 2, G p", "unknown_steps.kmts", "always", "false", "", &["--ltl", "tg"][..]),
            ("section 2, G F p", "unknown_steps.kmts", "again", "unknown", literal, &["--ltl", "tg"]),
            ("section 3, G F p", "parameter.kmts", "again", "true", "one parameter", &[]),
        ] {
            let row = row(name.to_owned(), format!("{models}/{file}"), property, value, figures);
            self.show(&Row { options: texts(options, &[]), ..row });
        }
        let sets = "a certain set says that one of the two branches is taken";
        let light = ["--spotlight", "P1"];
        let both = ["--spotlight", "P1,P2"];
        for (name, file, property, value, figures, differs, options) in [
            (
                "4.1, three-valued",
                "spotlight_loop",
                "live",
                "unknown",
                "",
                Some(sets),
                texts(&light, &["--parameters", "off"]),
            ),
            (
                "4.2, rule I",
                "spotlight_loop",
                "live",
                "false",
                "one parameter",
                None,
                texts(&light, &["--parameters", "literal"]),
            ),
            ("4.2, without rule II", "mutex_flags", "mutex", "unknown", "13 states", None, texts(&both, &PURE)),
            ("4.2, rule II", "mutex_flags", "mutex", "true", "", None, texts(&both, &[])),
        ] {
            let row = row(name.to_owned(), format!("corpus/gcl/{file}.gcl"), property, value, figures);
            self.show(&Row { options, differs, ..row });
        }
        self.resources();
    }

    /// Multiple-resource allocation with up to 25 processes and 140 dependencies. The paper has no table: it says that parameters decide
    /// where the pure approach runs out of memory.
    fn resources(&mut self) {
        for processes in [5, 22, 25] {
            let system = Resources::of(processes);
            let Some(model) = written(processes, &system.gcl()) else {
                self.contradictions.push("the models of section 5 cannot be written to target/bench/papers".to_owned());
                return;
            };
            for (property, lit) in [("safe", "P1,P2"), ("release", "P1"), ("modes", "A,B")] {
                let name = format!("{property}, {processes} processes");
                let figures = format!("{} dependencies; decided", system.dependencies());
                let model = model.to_string_lossy().into_owned();
                self.show(&Row {
                    options: texts(&["--spotlight", lit], &[]),
                    ..row(name, model, property, "true", &figures)
                });
            }
        }
        let model = "corpus/gcl/spotlight/starvation25.gcl".to_owned();
        self.show(&row("starvation, 25 processes".to_owned(), model, "live", "false", ""));
    }

    fn head(&self, title: &str) {
        say(&format!("\n{title}\n"));
        say(&format!(
            "{:<26} | {:<7}  {:<72} | {:<7} {:>7} {:>6} {:>6} {:>6} {:>8}",
            "", "paper", "", "ours", "states", "preds", "rounds", "calls", "seconds"
        ));
    }

    /// Shows a row, and notes a contradiction.
    fn show(&mut self, row: &Row) -> Option<Found> {
        if !self.words.is_empty() && !self.words.iter().any(|word| row.name.contains(word.as_str())) {
            return None;
        }
        let found = match self.asked(row) {
            Ok(found) => found,
            Err(why) => {
                self.contradictions.push(format!("{}: {why}", row.name));
                return None;
            }
        };
        let explained = row.differs.is_some() && [row.value, &found.value].contains(&"unknown");
        let note =
            row.differs.filter(|_| found.value != row.value).map_or_else(String::new, |why| format!("  ({why})"));
        say(&format!(
            "{:<26} | {:<7}  {:<72} | {:<7} {:>7} {:>6} {:>6} {:>6} {:>8.2}{note}",
            row.name,
            row.value,
            row.figures,
            found.value,
            found.states,
            found.predicates,
            found.rounds,
            found.calls,
            found.seconds
        ));
        if found.value != row.value && !explained {
            self.contradictions.push(format!("{}: {} in the paper, {} here", row.name, row.value, found.value));
        }
        Some(found)
    }

    fn asked(&self, row: &Row) -> Result<Found, String> {
        let start = processor_time();
        let mut command = Command::new(&self.tertium);
        command.args(["check", &row.model, "--only", row.property, "--format", "json"]).args(&row.options);
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|why| format!("{} cannot be run: {why}", self.tertium.display()))?;
        let seconds = processor_time() - start;
        let report: Value = serde_json::from_slice(&output.stdout)
            .map_err(|_| String::from_utf8_lossy(&output.stderr).trim().to_owned())?;
        let results = report["results"].as_array().into_iter().flatten();
        let result = results.into_iter().find(|result| result["name"] == row.property);
        let result = result.ok_or_else(|| format!("no result for `{}`: {report}", row.property))?;
        let count = |name: &str| result["stats"][name].as_u64().unwrap_or(0);
        Ok(Found {
            value: result["value"].as_str().unwrap_or_default().to_owned(),
            states: count("states"),
            predicates: count("predicates"),
            rounds: count("refinements"),
            calls: count("solver_calls"),
            seconds,
        })
    }
}

/// The spotlight without names and without further processes or predicates.
const PURE: [&str; 4] = ["--parameters", "off", "--refinements", "0"];

fn row(name: String, model: String, property: &'static str, value: &'static str, figures: &str) -> Row {
    Row { name, model, property, options: Vec::new(), value, figures: figures.to_owned(), differs: None }
}

fn texts(first: &[&str], more: &[&str]) -> Vec<String> {
    first.iter().chain(more).map(|&text| text.to_owned()).collect()
}

/// The file with a system of this many processes.
fn written(processes: usize, text: &str) -> Option<PathBuf> {
    let folder = Path::new("target/bench/papers");
    std::fs::create_dir_all(folder).ok()?;
    let file = folder.join(format!("resources{processes}.gcl"));
    std::fs::write(&file, text).ok()?;
    Some(file)
}
