//! Is every term of `docs/glossary.md` found where it points, and every paper of `docs/references.md` named by its module?

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.as_ref().display()))
}

/// The rows of all tables of a page, without their headings; every row has `width` cells.
fn rows(page: &str, width: usize) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let text = read(page);
    for line in text.lines().filter(|line| line.starts_with('|')) {
        if line.starts_with("|-") {
            rows.pop();
            continue;
        }
        let cells: Vec<String> = line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
        assert_eq!(cells.len(), width, "{page}: {line}");
        rows.push(cells);
    }
    rows
}

/// The files that a cell points to; a cell that points nowhere is a file that is not there.
fn files(cell: &str) -> Vec<String> {
    cell.split(',').map(|file| file.trim().trim_matches('`').to_owned()).collect()
}

/// A text in small letters, its lines joined: comment marks and line ends part no term.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['/', '!', '>', '#']).trim());
    let words: Vec<String> = lines.flat_map(str::split_whitespace).map(str::to_lowercase).collect();
    words.join(" ")
}

/// Whether a text has a term, whatever its capitals.
fn has(text: &str, term: &str) -> bool {
    plain(text).contains(&term.to_lowercase())
}

#[test]
fn every_term_is_found_where_it_points() {
    let rows = rows("docs/glossary.md", 4);
    assert!(rows.len() > 20, "only {} terms are read", rows.len());
    for row in &rows {
        let [term, meaning, code, guide] = &row[..] else { unreachable!("rows have four cells") };
        assert!(meaning.len() > 20, "{term} is not explained");
        assert!(files(code).iter().all(|file| file.ends_with(".rs")), "{term}: {code} is no code");
        assert!(files(guide).iter().all(|file| file.starts_with("docs/")), "{term}: {guide} is no page for users");
        for file in files(code).into_iter().chain(files(guide)) {
            assert!(has(&read(&file), term), "`{term}` is not found in {file}");
        }
    }
}

#[test]
fn terms_stand_in_order_and_once() {
    let terms: Vec<String> = rows("docs/glossary.md", 4).into_iter().map(|row| row[0].to_lowercase()).collect();
    for pair in terms.windows(2) {
        assert!(pair[0] < pair[1], "`{}` should stand after `{}`", pair[0], pair[1]);
    }
}

/// The header of a module names the first author and the year.
#[test]
fn every_paper_is_named_in_the_first_lines_of_its_modules() {
    let rows = rows("docs/references.md", 5);
    assert!(rows.len() > 20, "only {} papers are read", rows.len());
    for row in &rows {
        let [authors, title, _, year, modules] = &row[..] else { unreachable!("rows have five cells") };
        let first = authors.split(',').next().and_then(|author| author.split_whitespace().last()).unwrap_or_default();
        for file in files(modules) {
            let text = read(&file);
            let header: String = text.lines().take_while(|line| line.starts_with("//!")).collect::<Vec<_>>().join("\n");
            assert!(has(&header, first) && has(&header, year), "{file} does not name {first} {year}: {title}");
        }
    }
}
