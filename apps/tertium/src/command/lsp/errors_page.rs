//! Where is a message explained?
//!
//! The page of all messages lies among the sources, and may lie elsewhere for others. A link leads to the entry of one
//! code, if the page can be read here.

use std::collections::BTreeMap;
use std::path::Path;

use super::uri;

/// The page of all messages.
#[derive(Clone, Debug)]
pub struct ErrorsPage {
    address: String,
    /// The anchor of each code's entry.
    anchors: BTreeMap<String, String>,
}

impl ErrorsPage {
    /// The page at an address.
    pub fn at(address: &str) -> Self {
        let text = uri::to_path(address).and_then(|path| std::fs::read_to_string(path).ok());
        Self { address: address.to_owned(), anchors: text.map_or_else(BTreeMap::new, |text| anchors(&text)) }
    }

    /// The page among the sources that the program was built in, if it is there.
    pub fn find() -> Option<Self> {
        let program = std::env::current_exe().ok()?;
        let pages = program.ancestors().skip(1).take(5).map(|folder| folder.join("docs/errors.md"));
        let page = pages.into_iter().find(|page: &std::path::PathBuf| page.is_file())?;
        Some(Self::at(&uri::of_path(Path::new(&page))))
    }

    /// The address of a code's entry.
    pub fn link(&self, code: &str) -> String {
        match self.anchors.get(code) {
            Some(anchor) => format!("{}#{anchor}", self.address),
            None => self.address.clone(),
        }
    }
}

/// The anchors that readers of Markdown give to headings `### CODE: what`.
fn anchors(page: &str) -> BTreeMap<String, String> {
    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    let anchor = |heading: &str| -> String {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
    };
    headings.filter_map(|heading| Some((heading.split_once(':')?.0.to_owned(), anchor(heading)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_the_anchors_of_their_headings() {
        let found = anchors("# Messages\n### E0405: a name that is `not` known, yet\ntext\n### W1: x\n");
        assert_eq!(found["E0405"], "e0405-a-name-that-is-not-known-yet");
        assert_eq!(found.len(), 2);
    }
}
