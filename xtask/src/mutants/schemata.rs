//! Where are the expressions that mutants replace, and what stands there in the copy?

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::Problem;
use super::catalogue::Mutant;

/// Which mutant is active, said to the programs that run.
pub const VARIABLE: &str = "TERTIUM_MUTANT";

/// What is added to every file with a mutant.
const HELPER: &str = r#"
/// Is this the mutant of the run?
fn mutant_is_active(number: u32) -> bool {
    static ACTIVE: ::std::sync::OnceLock<u32> = ::std::sync::OnceLock::new();
    *ACTIVE.get_or_init(|| {
        ::std::env::var("TERTIUM_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    }) == number
}
"#;

/// For each file, what replaces which part of it, by position.
pub type Sites = BTreeMap<String, BTreeMap<usize, Site>>;

/// One expression, and what else it may be: several mutants of the same expression are alternatives.
#[derive(Debug)]
pub struct Site {
    range: Range<usize>,
    alternatives: Vec<(u32, String)>,
}

/// The places of all mutants; a problem names the mutant.
pub fn sites(root: &Path, mutants: &[Mutant]) -> Result<Sites, Problem> {
    let mut sites = Sites::new();
    for mutant in mutants {
        let problem = |what: String| format!("{}: {} ({})", mutant.name, what, mutant.file);
        let text = std::fs::read_to_string(root.join(&mutant.file)).map_err(|error| problem(error.to_string()))?;
        let range = place(&text, mutant).map_err(problem)?;
        let of_file = sites.entry(mutant.file.clone()).or_default();
        let meets = |site: &Site| site.range.start < range.end && range.start < site.range.end && site.range != range;
        if of_file.values().any(meets) {
            return Err(problem("another mutant is about a part of the expression, or about more than it".to_owned()));
        }
        let site = of_file.entry(range.start).or_insert(Site { range, alternatives: Vec::new() });
        site.alternatives.push((mutant.number, mutant.wrong.clone()));
    }
    Ok(sites)
}

fn place(text: &str, mutant: &Mutant) -> Result<Range<usize>, String> {
    let (outer, shift) = match &mutant.within {
        Some(within) => {
            let range = only(text, within, "the text around the original")?;
            (&text[range.clone()], range.start)
        }
        None => (text, 0),
    };
    let range = only(outer, &mutant.original, "the original")?;
    Ok(range.start + shift..range.end + shift)
}

/// The one place of a pattern.
fn only(text: &str, pattern: &str, what: &str) -> Result<Range<usize>, String> {
    let found = occurrences(text, pattern);
    match <[Range<usize>; 1]>::try_from(found) {
        Ok([range]) => Ok(range),
        Err(found) => Err(format!("{what} occurs {} times, not once: `{pattern}`", found.len())),
    }
}

/// Where a pattern stands, as whole words; a space of it is any white space, line ends included.
fn occurrences(text: &str, pattern: &str) -> Vec<Range<usize>> {
    let mut pieces = pattern.split_whitespace();
    let Some(first) = pieces.next() else { return Vec::new() };
    let rest = pieces.collect::<Vec<_>>();
    let ends = text.match_indices(first).filter_map(|(start, _)| {
        let mut end = start + first.len();
        for piece in &rest {
            let blank = text[end..].len() - text[end..].trim_start().len();
            let there = blank > 0 && text[end + blank..].starts_with(piece);
            end = there.then_some(end + blank + piece.len())?;
        }
        whole_words(text, &(start..end)).then_some(start..end)
    });
    ends.collect()
}

/// Does no identifier reach across either end?
fn whole_words(text: &str, range: &Range<usize>) -> bool {
    let is_word = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let (before, after) = (text[..range.start].chars().next_back(), text[range.end..].chars().next());
    let inside = &text[range.clone()];
    !(is_word(before) && is_word(inside.chars().next()) || is_word(inside.chars().next_back()) && is_word(after))
}

/// A file with all its mutants: each expression chooses between itself and what is wrong.
pub fn mutated(text: &str, sites: &BTreeMap<usize, Site>) -> String {
    let mut result = String::new();
    let mut done = 0;
    for site in sites.values() {
        result.push_str(&text[done..site.range.start]);
        result.push('(');
        for (number, wrong) in &site.alternatives {
            result.push_str(&format!("if mutant_is_active({number}) {{ {wrong} }} else "));
        }
        result.push_str(&format!("{{ {} }})", &text[site.range.clone()]));
        done = site.range.end;
    }
    result.push_str(&text[done..]);
    result.push_str(HELPER);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_is_any_white_space_and_words_are_whole() {
        assert_eq!(occurrences("a\n    .b() + aa .b()", "a .b()"), vec![0..10]);
        assert_eq!(occurrences("x < y || xx < y", "x < y"), vec![0..5]);
        assert!(occurrences("a.b()", "a .b()").is_empty());
    }

    #[test]
    fn alternatives_of_one_expression_are_a_chain() {
        let site = Site { range: 3..8, alternatives: vec![(1, "a <= b".to_owned()), (2, "true".to_owned())] };
        let text = mutated("if a < b {}", &BTreeMap::from([(3, site)]));
        let wanted = "if (if mutant_is_active(1) { a <= b } else if mutant_is_active(2) { true } else { a < b }) {}";
        assert!(text.starts_with(wanted), "{text}");
        assert!(text.contains(VARIABLE));
    }
}
