//! What is told in the end: one line for each mutant, the misses explained, and the figures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::GOAL;
use super::catalogue::MutantTarget;
use super::run::{Fate, Judged, name};

/// The table, and whether enough mutants were caught.
pub fn table(judged: &[Judged]) -> (String, bool) {
    let mut text = String::from("| mutant | kind | what it breaks | caught by | layer |\n|---|---|---|---|---|\n");
    for one in judged {
        let (by, layer) = match (&one.fate, &one.mutant.equivalent) {
            (Fate::Caught { tests, test, layer, .. }, _) => {
                (format!("{} {test}", name(tests)).trim().to_owned(), layer.name())
            }
            (Fate::NotRun, _) => (String::new(), "not run"),
            (Fate::Missed, Some(_)) => (String::new(), "equivalent"),
            (Fate::Missed, None) => (String::new(), "**missed**"),
        };
        let kind = if one.mutant.kind == MutantTarget::Kernel { "kernel" } else { "engine" };
        let breaks = one.mutant.breaks.replace('|', "\\|");
        let _ = writeln!(text, "| {} | {kind} | {breaks} | {by} | {layer} |", one.mutant.name);
    }
    explained(&mut text, judged);
    let (line, reached) = summary(judged);
    let _ = writeln!(text, "\n{line}");
    (text, reached)
}

fn explained(text: &mut String, judged: &[Judged]) {
    for one in judged.iter().filter(|one| one.fate == Fate::Missed) {
        let mutant = &one.mutant;
        let why = match (&mutant.equivalent, &mutant.missed) {
            (Some(why), _) => format!("equivalent: {why}"),
            (None, Some(why)) => format!("missed: {why}"),
            (None, None) => "missed, and nobody has said why".to_owned(),
        };
        let _ =
            write!(text, "\n{}: {why}\n  {}: `{}` was `{}`\n", mutant.name, mutant.file, mutant.original, mutant.wrong);
    }
    for one in judged.iter().filter(|one| one.is_caught() && one.mutant.equivalent.is_some()) {
        let _ = write!(text, "\n{}: is called equivalent, and was caught\n", one.mutant.name);
    }
}

/// The figures in one line. A mutant that is called equivalent and is caught is none, and counts.
fn summary(judged: &[Judged]) -> (String, bool) {
    let not_run = judged.iter().filter(|one| one.fate == Fate::NotRun).count();
    let equivalent = judged.iter().filter(|one| one.fate == Fate::Missed && one.mutant.equivalent.is_some()).count();
    let all = judged.len() - not_run - equivalent;
    let mut layers: BTreeMap<_, usize> = BTreeMap::new();
    for one in judged {
        if let Fate::Caught { layer, .. } = one.fate {
            *layers.entry(layer).or_default() += 1;
        }
    }
    let caught: usize = layers.values().sum();
    let by = layers.iter().map(|(layer, count)| format!("{count} by {}", layer.name())).collect::<Vec<_>>().join(", ");
    let tenths = (caught * 1000).checked_div(all).unwrap_or(0);
    let mut line = format!(
        "{caught} of {all} mutants caught ({}.{} %; {by}), {} missed, {equivalent} equivalent",
        tenths / 10,
        tenths % 10,
        all - caught
    );
    if not_run > 0 {
        let _ = write!(line, ", {not_run} not run");
    }
    (line, not_run == 0 && caught * 100 >= all * GOAL)
}
