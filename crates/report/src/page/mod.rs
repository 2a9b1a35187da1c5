//! How does a person walk through a result?
//!
//! One HTML file that needs nothing else: style, script and data are inside, it works from a file, and its own policy forbids
//! it to fetch anything. The data are the views of [`view`], as JSON. Text of the user's only ever becomes text: the data are
//! escaped so that no markup can begin in them, and the script makes elements, never markup.
//!
//! A *live* page may ask its own server, and nobody else, what comes next ([`live`]).
//!
//! Not here: finding out what the views hold, and serving the page over a socket (`apps/tertium`).

mod graph;
pub mod headline;
mod invariant;
pub mod live;
pub mod view;

use serde::Serialize;
use tertium_base::visible::visible;

pub use graph::{decisions, graph, short_name};
pub use view::{PAGE_VERSION, Page};

const SHELL: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
/// What only a live page has: no other one can ask anybody.
const LIVE: &str = include_str!("assets/live.js");
/// What others have in its place: a kind of view that there is none of.
const NOT_LIVE: &str = "class LiveView extends RunView {}\n";
/// In the order in which later parts use earlier ones.
const SCRIPTS: [&str; 10] = [
    include_str!("assets/core.js"),
    include_str!("assets/expr.js"),
    include_str!("assets/source.js"),
    include_str!("assets/projection.js"),
    include_str!("assets/run.js"),
    include_str!("assets/layout.js"),
    include_str!("assets/draw.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/words.js"),
    include_str!("assets/main.js"),
];
/// Where those begin that know a live view if there is one.
const DRAWING: usize = 5;

/// The page for a document: a [`Page`], or anything of the same shape.
#[must_use]
pub fn html<T: Serialize>(title: &str, document: &T) -> String {
    filled(title, document, "", NOT_LIVE)
}

/// The page that its own server answers questions of.
#[must_use]
pub fn live_html<T: Serialize>(title: &str, document: &T) -> String {
    filled(title, document, " connect-src 'self';", LIVE)
}

/// `allowed` is what the page's policy allows besides what is inside, `more` what its script has for live views.
fn filled<T: Serialize>(title: &str, document: &T, allowed: &str, more: &str) -> String {
    let data = serde_json::to_string(document).unwrap_or_else(|error| format!("{{\"error\": \"{error}\"}}"));
    let script = format!(
        "(() => {{\n'use strict';\n{}}})();\n",
        [&SCRIPTS[..DRAWING], &[more], &SCRIPTS[DRAWING..]].concat().concat()
    );
    let mut page = String::with_capacity(data.len() + script.len() + STYLE.len() + SHELL.len());
    let mut rest = SHELL;
    // The parts are put in one after the other, so that nothing in them is taken for a place of the shell.
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, behind) = after.split_once("}}").unwrap_or((after, ""));
        page.push_str(before);
        match name {
            "title" => page.push_str(&as_text(&format!("{title} · Tertium"))),
            "allowed" => page.push_str(allowed),
            "style" => page.push_str(STYLE),
            "data" => page.push_str(&as_data(&data)),
            "script" => page.push_str(&script),
            _ => {}
        }
        rest = behind;
    }
    page.push_str(rest);
    page
}

/// Text inside an element.
fn as_text(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON inside a script element: signs that could end the element or begin markup stand in strings only, so they can be
/// written as escapes.
fn as_data(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in the data element.
    fn embedded(page: &str) -> &str {
        let (_, behind) = page.split_once("id=\"data\">").unwrap_or_else(|| panic!("no data in {page}"));
        behind.split_once("</script>").unwrap_or_else(|| panic!("the data do not end")).0
    }

    #[test]
    fn data_cannot_leave_their_element_and_come_back_as_they_were() {
        let hostile = "</script><script>alert(1)</script><!-- {{script}} \u{2028} & ' \" \\";
        let page = html("<b>&", &serde_json::json!({"text": hostile}));
        let data = embedded(&page);
        assert!(!data.contains('<') && !data.contains('>'), "{data}");
        let read: serde_json::Value = serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}"));
        assert_eq!(read["text"], hostile);
        assert!(page.contains("<title>&lt;b&gt;&amp; · Tertium</title>"));
        assert_eq!(page.matches("<script").count(), 2, "the data and the page's own");
    }

    #[test]
    fn the_page_fetches_nothing() {
        let page = html("x", &serde_json::json!({}));
        for word in ["http://", "https://", "src=", "@import", "fetch(", "XMLHttpRequest", "innerHTML", "eval("] {
            let allowed = if word == "http://" { page.matches("http://www.w3.org/2000/svg").count() } else { 0 };
            assert_eq!(page.matches(word).count(), allowed, "{word}");
        }
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn every_part_of_the_shell_is_filled() {
        let page = html("x", &serde_json::json!({"a": 1}));
        assert!(!page.contains("{{title}}") && !page.contains("{{style}}") && !page.contains("{{data}}"));
        assert!(page.contains("class Page {") && page.contains("--paper"));
    }
}
