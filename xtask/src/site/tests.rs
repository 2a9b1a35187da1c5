//! The site is whole: every link leads somewhere, and the words of the field are found.

use std::path::{Path, PathBuf};

use super::page::{Page, anchor, resolved};
use super::{build, search};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn built(name: &str) -> PathBuf {
    let out = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target").join(name);
    assert!(build(&root(), &out).unwrap() > 30);
    out
}

fn pages_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages_below(&path, found);
        } else if path.extension().is_some_and(|end| end == "html") {
            found.push(path);
        }
    }
}

#[test]
fn every_link_of_the_site_leads_somewhere() {
    let out = built("site-links");
    let mut pages = Vec::new();
    pages_below(&out, &mut pages);
    let mut count = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let links = text.split("href=\"").skip(1).chain(text.split("src=\"").skip(1));
        for link in links.filter_map(|rest| rest.split('"').next()).filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let path = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(path.is_file(), "{}: {link}", page.display());
            if !heading.is_empty() {
                let target = std::fs::read_to_string(&path).unwrap();
                let there = [format!("id=\"{heading}\""), format!("name=\"{heading}\"")];
                assert!(there.iter().any(|mark| target.contains(mark)), "{}: {link}", page.display());
            }
            count += 1;
        }
    }
    assert!(count > 1000, "{count} links");
}

#[test]
fn the_words_of_the_field_are_found() {
    let out = built("site-words");
    let index = std::fs::read_to_string(out.join("search-index.js")).unwrap().to_lowercase();
    for word in
        ["counterexample", "cegar", "ranking function", "bdd", "termination", "partial-order reduction", "fairness"]
    {
        assert!(index.contains(word), "{word}");
    }
}

#[test]
fn text_of_a_page_stays_text() {
    let page = Page::read(
        &root(),
        "docs/x.md",
        "# A <b>\n\n`</script>` & [y](y.md#z) ![p](p.png)\n",
        &["docs/y.md".to_owned()],
    );
    assert!(page.html.contains("<code>&lt;/script&gt;</code> &amp; <a href=\"../docs/y.html#z\">"), "{}", page.html);
    assert_eq!(page.files, ["docs/p.png"]);
    assert!(!search::index(&[page]).unwrap().contains("</script>"));
}

#[test]
fn anchors_and_paths_are_those_of_the_sources() {
    assert_eq!(anchor("What `check` does, and when"), "what-check-does-and-when");
    assert_eq!(resolved("docs/guide/tutorial.md", "../../corpus/gcl/a.gcl"), "corpus/gcl/a.gcl");
}
