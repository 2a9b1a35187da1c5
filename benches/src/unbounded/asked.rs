//! Which properties are asked, what should be answered, and what is?

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tertium_base::Budget;
use tertium_driver::Belnap;
use tertium_driver::program::questions::{Question, questions};
use tertium_driver::program::{ProgramFile, from_text};
use tertium_driver::strategy::{self, ProgramQuery, Wishes};
use tertium_lattice::TruthValue as _;
use tertium_logic::Logic;
use tertium_program::InitialValue;

/// Each property gets this much time.
pub const LIMIT: Duration = Duration::from_secs(10);

/// A property of a program, and its value.
pub struct AskedProperty {
    /// The program's name, and its own.
    pub name: String,
    /// Its own name.
    pub property: String,
    /// The program's text, maybe with negations.
    pub text: String,
    /// Where the program stands.
    pub path: PathBuf,
    /// The name of the logic.
    pub logic: &'static str,
    /// Its value.
    pub wanted: Belnap,
    /// Whether single states decide it, so that Horn clauses can say it.
    pub by_states: bool,
    /// Whether it is the negation of one that stands in the file.
    pub negation: bool,
}

/// What was answered, and how long that took.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    /// The value.
    pub value: Belnap,
    /// Seconds.
    pub seconds: f64,
}

impl Default for Answered {
    fn default() -> Self {
        Self { value: Belnap::Unknown, seconds: 0.0 }
    }
}

/// The properties of all programs in a folder that have one of these names (none: of all), with negations if wanted.
pub fn properties(folder: &Path, names: &[String], negations: bool) -> Result<Vec<AskedProperty>, String> {
    let entries = std::fs::read_dir(folder).map_err(|why| format!("`{}`: {why}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "gcl"));
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        if names.is_empty() || names.contains(&stem) {
            let text = std::fs::read_to_string(&path).map_err(|why| format!("`{}`: {why}", path.display()))?;
            found.extend(properties_of(&path, &stem, &text, negations)?);
        }
    }
    Ok(found)
}

fn properties_of(path: &Path, stem: &str, text: &str, negations: bool) -> Result<Vec<AskedProperty>, String> {
    let mut text = text.to_owned();
    let mut wanted: Vec<(String, Belnap, bool)> = Vec::new();
    for (name, formula, value) in expected(&text) {
        let (logic, formula) = formula.split_once(' ').unwrap_or_default();
        if negations && Logic::from_name(logic).is_some_and(|logic| logic != Logic::Ltl) {
            text.push_str(&format!("property not_{name} : {logic} !({})\n", formula.trim()));
            wanted.push((format!("not_{name}"), value.not(), true));
        }
        wanted.push((name, value, false));
    }
    let file = loaded(path, &text)?;
    // Of several initial states each of the two may be false of another one.
    let any = |variable: &tertium_program::Variable| matches!(variable.initial, InitialValue::Any);
    let starts_once = file.program.init.is_none() && !file.program.variables.iter().any(any);
    let mut found = Vec::new();
    for (property, wanted, negation) in wanted.into_iter().filter(|(_, _, negation)| starts_once || !negation) {
        let asked = questions(&file, std::slice::from_ref(&property), false)
            .map_err(|why| format!("{stem}.{property}: {why:?}"))?;
        let Some(Question::Property(asked)) = asked.first() else {
            return Err(format!("{stem}.{property} is no property"));
        };
        let name = format!("{stem}.{property}");
        let (logic, by_states) = (asked.formula.logic().name(), asked.invariant.is_some());
        let (text, path) = (text.clone(), path.to_owned());
        found.push(AskedProperty { name, property, text, path, logic, wanted, by_states, negation });
    }
    Ok(found)
}

/// The properties of a text with a value behind them: name, logic with formula, value.
fn expected(text: &str) -> Vec<(String, String, Belnap)> {
    let one = |line: &str| {
        let (head, value) = line.trim().strip_prefix("property ")?.rsplit_once("//")?;
        let value = match value.trim() {
            "true" => Belnap::True,
            "false" => Belnap::False,
            _ => return None,
        };
        let (name, formula) = head.split_once(':')?;
        Some((name.trim().to_owned(), formula.trim().to_owned(), value))
    };
    text.lines().filter_map(one).collect()
}

/// A program of a text.
pub fn loaded(path: &Path, text: &str) -> Result<ProgramFile, String> {
    let name = path.display().to_string();
    from_text(&name, text.to_owned(), &[], None).map_err(|why| format!("`{name}` cannot be read: {why:?}"))
}

impl AskedProperty {
    /// Its value without options, and the time that took.
    pub fn answered(&self) -> Answered {
        let Ok(file) = loaded(&self.path, &self.text) else { return Answered::default() };
        let start = Instant::now();
        let value = value(&file, &self.property).unwrap_or(Belnap::Unknown);
        Answered { value, seconds: start.elapsed().as_secs_f64() }
    }
}

/// The value of one property, within the limit.
pub fn value(file: &ProgramFile, property: &str) -> Option<Belnap> {
    let asked = questions(file, &[property.to_owned()], false).ok()?;
    let budget = Budget::unlimited().with_time(Some(LIMIT));
    let query = ProgramQuery { file, questions: &asked, wishes: &Wishes::default() };
    Some(strategy::decide(&query, &budget, &()).ok()?.answers.first()?.value())
}
