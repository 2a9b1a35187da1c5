//! What does the search of the site look at?

use std::io;

use serde::Serialize;

use super::page::Page;

/// What is known of one section.
#[derive(Serialize)]
struct Entry<'a> {
    page: &'a str,
    heading: &'a str,
    link: String,
    text: String,
}

/// The index as a script that sets one variable, so that it is also read from a folder, where browsers fetch nothing.
pub fn index(pages: &[Page]) -> io::Result<String> {
    let entries: Vec<Entry<'_>> = pages
        .iter()
        .flat_map(|page| {
            page.sections.iter().filter(|section| !section.heading.is_empty() || !section.text.is_empty()).map(
                |section| Entry {
                    page: &page.title,
                    heading: &section.heading,
                    link: format!("{}#{}", page.target(), section.anchor),
                    text: section.text.split_whitespace().collect::<Vec<&str>>().join(" "),
                },
            )
        })
        .collect();
    // `</script>` in a text would end the script if a page ever held it; the index is a file of its own, and escaped all the same.
    Ok(format!("var searchIndex = {};\n", serde_json::to_string(&entries)?.replace("</", "<\\/")))
}
