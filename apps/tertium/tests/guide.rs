//! Links between the pages lead somewhere, and commands that stand outside of transcripts work, too.

mod common;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(common::ROOT).to_owned()
}

/// All pages for users, with their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let mut paths = vec![root().join("README.md"), root().join("editors/README.md")];
    for folder in ["docs", "docs/guide", "docs/papers", "docs/adr"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap();
        paths.extend(
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "md")),
        );
    }
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// The text without what stands in fences and in code.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut prose = String::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if !fenced {
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    prose
}

/// The anchor that readers of Markdown give to a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut count = 0;
    for (page, text) in pages() {
        for link in prose(&text).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').map_or((link, None), |(file, heading)| (file, Some(heading)));
            let path = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(path.exists(), "{}: {link}", page.display());
            if let Some(heading) = heading {
                let target = std::fs::read_to_string(&path).unwrap();
                let named = format!("<a name=\"{heading}\">");
                let found = target.lines().any(|line| {
                    line.contains(&named) || line.starts_with('#') && anchor(line.trim_start_matches('#')) == heading
                });
                assert!(found, "{}: {link}", page.display());
            }
            count += 1;
        }
    }
    assert!(count > 80, "{count} links");
}

#[test]
fn commands_outside_of_transcripts_work() {
    let mut count = 0;
    for (page, text) in pages().into_iter().filter(|(page, _)| page.starts_with(root().join("docs/guide"))) {
        for block in text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            for line in block.lines() {
                let first = line.split_whitespace().next().unwrap_or("");
                let Some(command) =
                    line.strip_prefix(first).filter(|_| first == "tertium" || first.ends_with("/tertium"))
                else {
                    continue;
                };
                let command = command.split([';', '|', '>', '#']).next().unwrap_or("");
                let output = common::tertium(root(), &command.split_whitespace().collect::<Vec<_>>());
                let code = output.status.code();
                let shown = String::from_utf8_lossy(&output.stderr);
                assert!(matches!(code, Some(0 | 5 | 10)), "{}: {line}: {code:?}\n{shown}", page.display());
                count += 1;
            }
        }
    }
    assert!(count >= 3, "{count} commands");
}
