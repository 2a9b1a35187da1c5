//! Which mutants are there? One text file per area, read into a list.
//!
//! A mutant is a paragraph of lines `key: value`; a line that begins with a space goes on with the value of the line before, and
//! `#` begins a remark. `tests:` before the first mutant of a file is for all of them that name none.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Problem;

/// Whose soundness a mutant breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MutantTarget {
    /// What finds answers: a wrong answer, or a proof of one.
    Engine,
    /// What checks proofs: an obligation less.
    Kernel,
}

/// Tests of one test program: `tertium-check agreement`, `tertium-logic lib automata::`; more words are arguments of the program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tests {
    pub package: String,
    /// The name of an integration test, or `lib`.
    pub target: String,
    pub arguments: Vec<String>,
}

/// One bug, seeded on purpose.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mutant {
    /// What the environment variable must say; counted from one.
    pub number: u32,
    /// The file of the list that it stands in.
    pub area: String,
    pub name: String,
    pub file: String,
    pub kind: MutantTarget,
    /// What it breaks, for people.
    pub breaks: String,
    /// Text around the expression, where the expression alone occurs several times.
    pub within: Option<String>,
    pub original: String,
    pub wrong: String,
    pub tests: Vec<Tests>,
    /// Why no answer can differ; such a mutant is not counted.
    pub equivalent: Option<String>,
    /// Why it is known to be missed.
    pub missed: Option<String>,
}

/// All mutants of all areas, in the order of the files' names.
pub fn catalogue(folder: &Path) -> Result<Vec<Mutant>, Problem> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect::<Vec<_>>();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    let mut mutants: Vec<Mutant> = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let area = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for fields in paragraphs(&text).map_err(|problem| format!("{}: {problem}", path.display()))? {
            let mutant = mutant(&area, u32::try_from(mutants.len()).map_err(|_| "too many mutants")? + 1, fields)?;
            if mutants.iter().any(|other| other.name == mutant.name) {
                return Err(format!("two mutants are called {}", mutant.name));
            }
            mutants.push(mutant);
        }
    }
    Ok(mutants)
}

/// Keys and values of each mutant; the area's tests are put where a mutant has none.
fn paragraphs(text: &str) -> Result<Vec<Vec<(String, String)>>, Problem> {
    let mut usual: Vec<(String, String)> = Vec::new();
    let mut mutants: Vec<Vec<(String, String)>> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with("mutant:") {
            mutants.push(Vec::new());
        }
        let fields = mutants.last_mut().unwrap_or(&mut usual);
        match line.strip_prefix(' ') {
            Some(more) => {
                let (_, value) = fields.last_mut().ok_or(format!("line {}: goes on with nothing", number + 1))?;
                value.push(' ');
                value.push_str(more.trim());
            }
            None => {
                let (key, value) = line.split_once(':').ok_or(format!("line {}: no `key: value`", number + 1))?;
                fields.push((key.to_owned(), value.trim().to_owned()));
            }
        }
    }
    for fields in &mut mutants {
        let own = fields.iter().any(|(key, _)| key == "tests");
        fields.extend(usual.iter().filter(|_| !own).cloned());
    }
    Ok(mutants)
}

fn mutant(area: &str, number: u32, fields: Vec<(String, String)>) -> Result<Mutant, Problem> {
    let name = fields[0].1.clone();
    let problem = |what: &str| format!("{area}: {name}: {what}");
    const KEYS: [&str; 10] =
        ["mutant", "file", "kind", "breaks", "within", "original", "wrong", "tests", "equivalent", "missed"];
    for (at, (key, _)) in fields.iter().enumerate() {
        if !KEYS.contains(&key.as_str()) || fields[..at].iter().any(|(other, _)| other == key) {
            return Err(problem(&format!("`{key}` is unknown or said twice")));
        }
    }
    let said = |key: &str| fields.iter().find(|(other, _)| other == key).map(|(_, value)| value.clone());
    let needed = |key: &str| said(key).filter(|value| !value.is_empty()).ok_or(problem(&format!("no `{key}`")));
    let kind = match needed("kind")?.as_str() {
        "engine" => MutantTarget::Engine,
        "kernel" => MutantTarget::Kernel,
        _ => return Err(problem("`kind` is engine or kernel")),
    };
    let tests = needed("tests")?.split(';').map(tests).collect::<Option<Vec<_>>>();
    Ok(Mutant {
        number,
        area: area.to_owned(),
        file: needed("file")?,
        kind,
        breaks: needed("breaks")?,
        within: said("within"),
        original: needed("original")?,
        wrong: needed("wrong")?,
        tests: tests.ok_or(problem("`tests` are `package target arguments…`, separated by semicolons"))?,
        equivalent: said("equivalent"),
        missed: said("missed"),
        name,
    })
}

fn tests(text: &str) -> Option<Tests> {
    let mut words = text.split_whitespace().map(str::to_owned);
    Some(Tests { package: words.next()?, target: words.next()?, arguments: words.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# An area.\ntests: tertium-check agreement; tertium-logic lib automata:: --exact\n\n\
        mutant: one\nfile: a.rs\nkind: engine\nbreaks: this\n  and that\noriginal: a < b\nwrong: a <= b\n\n\
        mutant: two\nfile: a.rs\nkind: kernel\nbreaks: it\noriginal: c?\nwrong: ()\ntests: p lib\nmissed: hard\n";

    #[test]
    fn paragraphs_are_mutants() {
        let read = paragraphs(TEXT).and_then(|all| all.into_iter().map(|fields| mutant("x", 1, fields)).collect());
        let mutants: Vec<Mutant> = read.unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(mutants.len(), 2);
        assert_eq!(mutants[0].breaks, "this and that");
        assert_eq!(mutants[0].tests.len(), 2);
        assert_eq!(mutants[0].tests[1].arguments, ["automata::", "--exact"]);
        assert_eq!(mutants[1].tests[0].package, "p");
        assert_eq!(mutants[1].missed.as_deref(), Some("hard"));
    }

    #[test]
    fn what_is_missing_or_said_twice_is_told() {
        for (from, to, what) in [
            ("wrong: a <= b\n", "", "no `wrong`"),
            ("breaks: it", "file: b.rs", "said twice"),
            ("kind: kernel", "kind: other", "engine or kernel"),
        ] {
            let read = paragraphs(&TEXT.replace(from, to))
                .and_then(|all| all.into_iter().map(|fields| mutant("x", 1, fields)).collect::<Result<Vec<_>, _>>());
            assert!(read.is_err_and(|problem| problem.contains(what)), "{what}");
        }
    }
}
