//! How does one page become HTML?
//!
//! Headings get the anchors that links between pages use; links to other pages lead to their files of HTML, and links to other files of the project are
//! kept and remembered, so that these files are copied.

use std::path::{Component, Path};

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

/// A section of a page, for the search.
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// Where it begins in the page.
    pub anchor: String,
    /// Its text.
    pub text: String,
}

/// A page.
pub struct Page {
    /// Where it stands in the project.
    pub source: String,
    /// Its first heading.
    pub title: String,
    /// What stands in it.
    pub html: String,
    /// What the search finds.
    pub sections: Vec<Section>,
    /// Files of the project that it links to or shows.
    pub files: Vec<String>,
    /// Folders of the project that it links to.
    pub folders: Vec<String>,
}

/// Text that means itself.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The file of a page.
pub fn target(source: &str) -> String {
    match source {
        "README.md" => "index.html".to_owned(),
        other => format!("{}.html", other.trim_end_matches(".md")),
    }
}

/// The anchor of a heading, as those who show Markdown give it.
pub fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
}

/// A path from the root for a link on a page.
pub fn resolved(source: &str, link: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let folder = Path::new(source).parent().unwrap_or(Path::new(""));
    for component in folder.join(link).components() {
        match component {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    parts.join("/")
}

impl Page {
    /// Where its HTML goes.
    pub fn target(&self) -> String {
        target(&self.source)
    }

    /// Reads a page of the project at `root`; `pages` are the sources of all of them.
    pub fn read(root: &Path, source: &str, text: &str, pages: &[String]) -> Self {
        let mut page = Self {
            source: source.to_owned(),
            title: String::new(),
            html: String::new(),
            sections: vec![Section { heading: String::new(), anchor: String::new(), text: String::new() }],
            files: Vec::new(),
            folders: Vec::new(),
        };
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        let mut events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
        page.name_sections(&mut events);
        for event in &mut events {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    let link = page.linked(root, dest_url, pages);
                    *dest_url = CowStr::from(link);
                }
                // What transcripts leave out, as tests read them.
                Event::Text(text) if text.contains("[..]") => *text = CowStr::from(text.replace("[..]", "…")),
                _ => {}
            }
        }
        html::push_html(&mut page.html, events.into_iter());
        // Wide tables scroll by themselves.
        page.html = page.html.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>");
        page
    }

    /// Gives headings their anchors, and gathers what the search looks at.
    fn name_sections(&mut self, events: &mut [Event<'_>]) {
        let mut heading: Option<usize> = None;
        for at in 0..events.len() {
            match &events[at] {
                Event::Start(Tag::Heading { .. }) => {
                    heading = Some(at);
                    self.sections.push(Section { heading: String::new(), anchor: String::new(), text: String::new() });
                }
                Event::End(TagEnd::Heading(_)) => {
                    let Some(start) = heading.take() else { continue };
                    let Some(section) = self.sections.last_mut() else { continue };
                    section.anchor = anchor(&section.heading);
                    if self.title.is_empty() {
                        self.title.clone_from(&section.heading);
                    }
                    if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                        *id = Some(CowStr::from(section.anchor.clone()));
                    }
                }
                Event::Text(text) | Event::Code(text) => {
                    let Some(section) = self.sections.last_mut() else { continue };
                    if heading.is_some() {
                        section.heading.push_str(text);
                    } else {
                        section.text.push_str(text);
                        section.text.push(' ');
                    }
                }
                Event::SoftBreak | Event::HardBreak if heading.is_none() => {
                    if let Some(section) = self.sections.last_mut() {
                        section.text.push(' ');
                    }
                }
                _ => {}
            }
        }
    }

    /// Where a link leads on the site.
    fn linked(&mut self, root: &Path, link: &str, pages: &[String]) -> String {
        if link.contains("://") || link.starts_with('#') || link.starts_with("mailto:") {
            return link.to_owned();
        }
        let (file, heading) = link.split_once('#').map_or((link, ""), |(file, heading)| (file, heading));
        let path = resolved(&self.source, file);
        let up = "../".repeat(self.target().matches('/').count());
        let heading = if heading.is_empty() { String::new() } else { format!("#{heading}") };
        let page = [path.clone(), format!("{path}/README.md")].into_iter().find(|path| pages.contains(path));
        match page {
            Some(page) => format!("{up}{}{heading}", target(&page)),
            None if root.join(&path).is_dir() => {
                self.folders.push(path.clone());
                format!("{up}{path}/index.html")
            }
            None => {
                self.files.push(path.clone());
                format!("{up}{path}{heading}")
            }
        }
    }
}
