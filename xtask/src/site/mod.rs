//! How do the pages of the documentation become a site?
//!
//! Every page becomes one file of HTML at its own path below `target/site`, the readme the first one; files that pages link to are copied beside
//! them. Style, script and the index of the search are files of the site: it works from a folder, without a server or a network.

mod page;
mod search;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use page::Page;

pub const HELP: &str = "site [FOLDER]   the documentation as HTML [default: target/site]";

const STYLE: &str = include_str!("../../assets/site.css");
const SCRIPT: &str = include_str!("../../assets/site.js");

/// A part of the list of pages.
const PARTS: [(&str, &str); 5] = [
    ("Guide", "docs/guide/"),
    ("Reference", "docs/"),
    ("Papers", "docs/papers/"),
    ("Decisions", "docs/adr/"),
    ("Project", ""),
];

/// Runs the command.
pub fn command(mut words: impl Iterator<Item = String>) -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = words.next().map_or_else(|| root.join("target/site"), PathBuf::from);
    match build(&root, &out) {
        Ok(pages) => {
            println!("{pages} pages; open {}", out.join("index.html").display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("xtask site: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the site and tells how many pages it has.
pub fn build(root: &Path, out: &Path) -> io::Result<usize> {
    let sources = sources(root)?;
    let pages = sources
        .iter()
        .map(|path| Ok(Page::read(root, path, &fs::read_to_string(root.join(path))?, &sources)))
        .collect::<io::Result<Vec<Page>>>()?;
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    let order = order(&pages, &fs::read_to_string(root.join("docs/guide/README.md"))?);
    for page in &pages {
        write(&out.join(page.target()), &whole(page, &order))?;
    }
    for file in pages.iter().flat_map(|page| &page.files).collect::<BTreeSet<&String>>() {
        copy(root, out, file)?;
    }
    for folder in pages.iter().flat_map(|page| &page.folders).collect::<BTreeSet<&String>>() {
        list(root, out, folder)?;
    }
    write(&out.join("site.css"), STYLE)?;
    write(&out.join("site.js"), SCRIPT)?;
    write(&out.join("search-index.js"), &search::index(&pages)?)?;
    Ok(pages.len())
}

/// Copies a file that a page links to.
fn copy(root: &Path, out: &Path, file: &str) -> io::Result<()> {
    let target = out.join(file);
    fs::create_dir_all(target.parent().unwrap_or(out))?;
    fs::copy(root.join(file), target)
        .map(|_| ())
        .map_err(|error| io::Error::new(error.kind(), format!("{file}, which a page links to: {error}")))
}

/// Copies the files of a folder that a page links to, with a list of them.
fn list(root: &Path, out: &Path, folder: &str) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    let mut items = String::new();
    for name in &names {
        copy(root, out, &format!("{folder}/{name}"))?;
        let name = page::escaped(name);
        items.push_str(&format!("<li><a href=\"{name}\">{name}</a></li>"));
    }
    let up = "../".repeat(folder.matches('/').count() + 1);
    let page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{folder} · Tertium</title>\
         <link rel=\"stylesheet\" href=\"{up}site.css\"></head>\n<body><main><h1>{folder}</h1><ul>{items}</ul></main></body></html>\n"
    );
    write(&out.join(folder).join("index.html"), &page)
}

/// The pages for readers, as paths from the root.
fn sources(root: &Path) -> io::Result<Vec<String>> {
    let mut found = vec!["README.md".to_owned(), "CHANGELOG.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    found.push("editors/README.md".to_owned());
    for folder in ["docs", "docs/guide", "docs/papers", "docs/adr"] {
        let mut here = Vec::new();
        for entry in fs::read_dir(root.join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if Path::new(&name).extension().is_some_and(|end| end == "md") {
                here.push(format!("{folder}/{name}"));
            }
        }
        here.sort();
        found.append(&mut here);
    }
    Ok(found)
}

/// The pages by part: those of the guide as the guide lists them, the others by their titles.
fn order<'a>(pages: &'a [Page], guide: &str) -> Vec<(&'static str, Vec<&'a Page>)> {
    let mut parts: BTreeMap<usize, Vec<&Page>> = BTreeMap::new();
    for page in pages.iter().filter(|page| page.source != "README.md") {
        let part = |(_, prefix): &(&str, &str)| {
            page.source.strip_prefix(prefix).is_some_and(|rest| prefix.is_empty() || !rest.contains('/'))
        };
        parts.entry(PARTS.iter().position(part).unwrap_or(PARTS.len() - 1)).or_default().push(page);
    }
    for (part, members) in &mut parts {
        members.sort_by_key(|page| {
            let name = page.source.rsplit('/').next().unwrap_or_default();
            let listed = if *part == 0 { guide.find(&format!("({name})")).unwrap_or(0) } else { 0 };
            // The numbers of papers and decisions are in the names of their files.
            (listed, if *part == 1 { page.title.to_lowercase() } else { page.source.clone() })
        });
    }
    parts.into_iter().map(|(part, members)| (PARTS[part].0, members)).collect()
}

/// A page with its frame.
fn whole(page: &Page, order: &[(&'static str, Vec<&Page>)]) -> String {
    let up = "../".repeat(page.target().matches('/').count());
    let mut list = String::new();
    for (part, members) in order {
        let open =
            if members.iter().any(|member| member.source == page.source) || *part == "Guide" { " open" } else { "" };
        list.push_str(&format!("<details{open}><summary>{part}</summary><ul>"));
        for member in members {
            let here = if member.source == page.source { " aria-current=\"page\"" } else { "" };
            list.push_str(&format!(
                "<li><a href=\"{up}{}\"{here}>{}</a></li>",
                member.target(),
                page::escaped(&member.title)
            ));
        }
        list.push_str("</ul></details>");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · Tertium</title>\n\
         <link rel=\"stylesheet\" href=\"{up}site.css\"></head>\n<body data-root=\"{up}\">\n\
         <nav><a class=\"home\" href=\"{up}index.html\">Tertium</a>\
         <label>Search <input id=\"search\" type=\"search\" autocomplete=\"off\"></label>\
         <ol id=\"found\" hidden></ol>{list}</nav>\n<main>\n{body}</main>\n\
         <script src=\"{up}search-index.js\"></script><script src=\"{up}site.js\"></script>\n</body></html>\n",
        title = page::escaped(&page.title),
        body = page.html,
    )
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
