//! Renaming keeps what a text means, on every model of the corpus; and no text, however broken, stops the editor.

use std::path::{Path, PathBuf};

use tertium_base::Budget;
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::editor::rename::{replaced, target};
use tertium_driver::editor::{TextKind, analyse, complete, format, rename};
use tertium_driver::{Failure, program};
use tertium_testkit::Rng;

const FOLDERS: [&str; 6] =
    ["examples", "corpus/gcl", "corpus/gcl/bounded", "corpus/good", "corpus/promela/micro", "docs/guide/models"];

/// All texts that the editor helps with.
fn texts() -> Vec<(PathBuf, TextKind, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for folder in FOLDERS {
        let entries = std::fs::read_dir(root.join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        for path in entries.map(|entry| entry.unwrap().path()) {
            if let Some(kind) = TextKind::of(&path) {
                let text = std::fs::read_to_string(&path).unwrap();
                all.push((path, kind, text));
            }
        }
    }
    all.sort();
    assert!(all.len() > 40, "{} texts", all.len());
    all
}

/// The values of all questions, and how many states were visited for each.
fn meaning(kind: TextKind, file: &str, text: &str) -> Result<Vec<String>, Failure> {
    let budget = Budget::unlimited();
    if kind == TextKind::Kmts {
        let loaded = tertium_driver::input::from_text(file, text, &budget)?;
        let options = CheckOptions { parameters: true, ..CheckOptions::default() };
        let session = Session::new(&loaded, options, &budget)?;
        let properties = session.properties(&[], &[])?;
        let answers = properties.iter().map(|property| session.check(property, &budget, &()));
        return answers.map(|answer| Ok(format!("{:?}", answer?.value()))).collect();
    }
    let file = match kind {
        TextKind::Promela => program::promela::from_text(file, text, &[], None, &[], &[])?,
        _ => program::from_text(file, text.to_owned(), &[], None)?,
    };
    let questions = program::questions::questions(&file, &[], false)?;
    let options = program::CheckOptions { max_states: Some(300), look_for_idle: false, ..Default::default() };
    let outcome = program::check(&file, &questions, &options, &budget, &())?;
    Ok(outcome.answers.iter().map(|answer| format!("{:?} {}", answer.value(), answer.cost.states)).collect())
}

#[test]
fn renaming_keeps_the_meaning_of_every_model() {
    let mut rng = Rng::new(11);
    let (mut done, mut refused) = (0, Vec::new());
    for (path, kind, text) in texts() {
        let file = path.to_string_lossy();
        let analysis = analyse(kind, &file, &text);
        if analysis.is_broken() {
            continue;
        }
        let before = meaning(kind, &file, &text).ok();
        let count = analysis.names.symbols().len();
        // A few names of each text; all would take minutes.
        for symbol in (0..count).filter(|_| count <= 6 || rng.chance(600 / count)) {
            let symbol = &analysis.names.symbols()[symbol];
            if target(&analysis, &text, symbol.span.start).is_err() {
                continue;
            }
            let new_name = format!("{}_fresh", symbol.name);
            let places = match rename(&analysis, &file, &text, symbol.span.start, &new_name) {
                Ok(places) => places,
                Err(refusal) => {
                    refused.push(format!("{file}: {}: {refusal:?}", symbol.name));
                    continue;
                }
            };
            let changed = replaced(&text, &places, &new_name);
            let after = meaning(kind, &file, &changed).ok();
            assert_eq!(before, after, "{file}: {} became {new_name}\n{changed}", symbol.name);
            let again = analyse(kind, &file, &changed);
            let back = rename(&again, &file, &changed, places[0].start, &symbol.name);
            let back = back.unwrap_or_else(|refusal| panic!("{file}: {new_name} back: {refusal:?}"));
            assert_eq!(replaced(&changed, &back, &symbol.name), text, "{file}: {new_name} and back");
            done += 1;
        }
    }
    assert!(done > 150, "{done} renamed");
    assert!(refused.is_empty(), "{done} renamed, refused:\n{}", refused.join("\n"));
}

/// One small change at a random place.
fn damaged(rng: &mut Rng, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let noise = ['{', '}', '(', '"', ':', '@', '.', '-', '>', '#', '\n', 'x', '\u{1d518}', '/', '*', ',', '['];
    for _ in 0..=rng.below(4) {
        let at = rng.below(letters.len() + 1);
        let end = (at + rng.below(12)).min(letters.len());
        match rng.below(3) {
            0 => drop(letters.drain(at..end)),
            1 => letters.insert(at, *rng.pick(&noise)),
            _ => {
                let piece: Vec<char> = letters[at..end].to_vec();
                let to = rng.below(letters.len() + 1);
                letters.splice(to..to, piece);
            }
        }
    }
    letters.into_iter().collect()
}

#[test]
fn broken_texts_have_names_where_they_stand() {
    let mut rng = Rng::new(12);
    let texts = texts();
    for number in 0..1500 {
        let (path, kind, text) = rng.pick(&texts);
        if text.len() > 3000 {
            continue;
        }
        let (file, text) = (path.to_string_lossy(), damaged(&mut rng, text));
        let analysis = analyse(*kind, &file, &text);
        let names = &analysis.names;
        for found in names.uses().iter().filter(|found| found.span.end <= text.len()) {
            let symbol = &names.symbols()[found.symbol];
            assert_eq!(
                text.get(found.span.start..found.span.end),
                Some(symbol.name.as_str()),
                "{number} {file}\n{text}"
            );
        }
        for symbol in names.symbols() {
            assert!(symbol.parent.is_none_or(|parent| parent < names.symbols().len()));
            assert!(symbol.extent.start <= symbol.extent.end, "{symbol:?}");
        }
        let mut at = rng.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let _ = complete(&analysis, &text, at);
        let _ = rename(&analysis, &file, &text, at, "fresh");
        if let Ok(Some(neat)) = format(*kind, &file, &text) {
            assert_eq!(format(*kind, &file, &neat).ok().flatten().as_ref(), Some(&neat), "{number} {file}\n{text}");
        }
    }
}
