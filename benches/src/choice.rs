//! Does the automatic choice cost more than it should?
//!
//! Each property of the models in `benches/choice` is asked alone, by default and of each engine that can be asked for. Printed are CPU times; the best
//! single engine is the one with a definite answer in the least time. By default an answer may take twice as long on 95 of 100 properties, five
//! times on the others, and has to be there wherever a single engine has one (exit 1 otherwise). Then all properties of a model are asked together: the first
//! violation is to be told within twice the time that it takes alone.
//!
//! `bench-choice [--tertium PATH] [--seconds N] [WORDS]`: only models whose names contain one of the words.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use serde_json::Value;

/// The ways to ask.
const ENGINES: [(&str, &[&str]); 3] =
    [("explicit", &["--engine", "explicit"]), ("sets", &["--engine", "symbolic"]), ("cegar", &["--refinements", "20"])];

/// Below this many seconds, times are not told apart: the program has to start.
const MOMENT: f64 = 0.1;
const MOST_USUAL: f64 = 2.0;
const MOST_EVER: f64 = 5.0;
/// So many of a hundred properties are within the usual bound.
const USUAL: usize = 95;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        (at + 1 < arguments.len()).then(|| arguments.drain(at..at + 2).nth(1).unwrap_or_default())
    };
    let beside = std::env::current_exe().unwrap_or_default().with_file_name("tertium");
    let tertium = option("--tertium").map_or(beside, PathBuf::from);
    let seconds = option("--seconds").and_then(|text| text.parse().ok()).unwrap_or(60);
    let asked = Asked { tertium, seconds };
    let wanted =
        |path: &Path| arguments.is_empty() || arguments.iter().any(|word| path.to_string_lossy().contains(word));
    let mut table = Table::default();
    for model in models().iter().filter(|path| wanted(path)) {
        asked.model(model, &mut table);
    }
    table.summary()
}

/// The CPU time of all processes that this one has started and that have ended, in seconds, as the system counts it in hundredths.
fn cpu_of_children() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / 100.0
}

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("choice");
    let mut models: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    models.sort();
    models
}

#[allow(clippy::print_stdout, reason = "a measurement is printed")]
fn say(text: &str) {
    println!("{text}");
}

#[derive(Default)]
struct Table {
    ratios: Vec<f64>,
    lost: usize,
    contradicted: usize,
    first: Vec<f64>,
}

impl Table {
    fn summary(mut self) -> ExitCode {
        self.ratios.sort_by(f64::total_cmp);
        let within = self.ratios.iter().filter(|&&ratio| ratio <= MOST_USUAL).count();
        let (all, most) = (self.ratios.len().max(1), self.ratios.last().copied().unwrap_or(0.0));
        let late = self.first.iter().filter(|&&ratio| ratio > MOST_USUAL).count();
        say(&format!(
            "\n{all} properties: {within} within {MOST_USUAL} times the best single engine, at most {most:.1} times; {} lost, {} contradicted; \
             first violations: {} of {} later than {MOST_USUAL} times",
            self.lost,
            self.contradicted,
            late,
            self.first.len()
        ));
        let good =
            within * 100 >= all * USUAL && most <= MOST_EVER && self.lost == 0 && self.contradicted == 0 && late == 0;
        if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// What one call found.
struct Answer {
    value: Option<String>,
    cpu: f64,
}

struct Asked {
    tertium: PathBuf,
    seconds: u64,
}

impl Asked {
    fn command(&self, model: &Path, options: &[&str]) -> Command {
        let mut command = Command::new(&self.tertium);
        command.arg("check").arg(model).args(["--timeout", &format!("{}s", self.seconds), "-q"]).args(options);
        command.env_remove("TERTIUM_DETERMINISTIC").stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn answer(&self, model: &Path, property: &str, options: &[&str]) -> Answer {
        let mut command = self.command(model, &["--format", "json", "--only", property]);
        command.args(options);
        let before = cpu_of_children();
        let output = command.output();
        let used = cpu_of_children() - before;
        let report: Value =
            output.ok().and_then(|output| serde_json::from_slice(&output.stdout).ok()).unwrap_or_default();
        let value = report["results"][0]["value"].as_str().filter(|value| ["true", "false"].contains(value));
        Answer { value: value.map(str::to_owned), cpu: used }
    }

    fn model(&self, model: &Path, table: &mut Table) {
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(model).unwrap_or_default();
        let named = text.lines().filter_map(|line| line.trim().strip_prefix("property "));
        let mut alone: BTreeMap<String, f64> = BTreeMap::new();
        for property in named.filter_map(|line| line.split_whitespace().next()) {
            let default = self.answer(model, property, &[]);
            let singles = ENGINES.map(|(engine, options)| (engine, self.answer(model, property, options)));
            let contradicts =
                |single: &Answer| single.value.is_some() && default.value.is_some() && single.value != default.value;
            table.contradicted += singles.iter().filter(|(_, single)| contradicts(single)).count();
            let definite = singles.iter().filter(|(_, single)| single.value.is_some());
            let best = definite.min_by(|a, b| a.1.cpu.total_cmp(&b.1.cpu));
            let ratio = best.map(|(_, best)| default.cpu.max(MOMENT) / best.cpu.max(MOMENT));
            table.lost += usize::from(best.is_some() && default.value.is_none());
            table.ratios.extend(ratio);
            if default.value.as_deref() == Some("false") {
                alone.insert(property.to_owned(), default.cpu);
            }
            let times: Vec<String> = singles
                .iter()
                .map(|(engine, single)| {
                    let time = single.value.as_ref().map_or_else(|| "-".to_owned(), |_| format!("{:.2}", single.cpu));
                    format!("{engine} {time:>6}")
                })
                .collect();
            say(&format!(
                "{:<28} {:<8} {:>6.2} s   {}   {}",
                format!("{name} {property}"),
                default.value.as_deref().unwrap_or("open"),
                default.cpu,
                times.join("  "),
                ratio.map_or_else(|| "no engine".to_owned(), |ratio| format!("{ratio:.1}"))
            ));
        }
        if let Some(ratio) = self.first_violation(model, &alone) {
            say(&format!("{:<28} first violation {ratio:.1} times as late as alone", name));
            table.first.push(ratio);
        }
    }

    /// How much later the first violation is told if everything is asked; in time that goes by, since the run goes on. The least of three, together and alone: a
    /// moment's delay by the system is not the choice's.
    fn first_violation(&self, model: &Path, alone: &BTreeMap<String, f64>) -> Option<f64> {
        let found: Vec<(String, f64)> = (0..3).map_while(|_| self.first_of_all(model, alone)).collect();
        let (name, together) = found.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let time_alone = |_| {
            let start = Instant::now();
            let _ = self.command(model, &["--only", &name]).stdout(Stdio::null()).status();
            start.elapsed().as_secs_f64()
        };
        let alone = (0..3).map(time_alone).min_by(f64::total_cmp)?;
        Some(together.max(MOMENT) / alone.max(MOMENT))
    }

    /// The first violation that is told, and when.
    fn first_of_all(&self, model: &Path, alone: &BTreeMap<String, f64>) -> Option<(String, f64)> {
        let start = Instant::now();
        let mut child = self.command(model, &["--format", "ndjson"]).stdout(Stdio::piped()).spawn().ok()?;
        let lines = BufReader::new(child.stdout.take()?).lines();
        let found = lines.map_while(Result::ok).find_map(|line| {
            let event: Value = serde_json::from_str(&line).ok()?;
            let name = event["name"].as_str().filter(|_| event["value"] == "false")?;
            alone.get(name).map(|_| (name.to_owned(), start.elapsed().as_secs_f64()))
        });
        let _ = child.kill();
        let _ = child.wait();
        found
    }
}
