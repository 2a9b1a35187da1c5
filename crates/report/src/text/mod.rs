//! Reports as text for people: short, aligned, the verdict first.

mod abstraction;
mod certify;
mod check;
mod cluster;
mod compare;
mod completion;
mod explore;
mod formula;
mod lanes;
mod merge;
mod questions;
mod reduce;
mod run;
mod spotlight;
mod synthesis;

pub use abstraction::abstraction;
pub use certify::certify;
pub use check::{decreasing, heading, result, short_result, summary};
pub use cluster::cluster;
pub use compare::compare;
pub use completion::complete;
pub use explore::explore;
pub use formula::formula;
pub use merge::merge;
pub use questions::answers;
use questions::questions;
pub use reduce::{reduce, sat, structure_abstraction};
pub(crate) use run::repeated;
pub use run::table as run;
pub use spotlight::spotlight;
pub use synthesis::synthesis;

/// Shortens a text in the middle so that it takes at most `width` characters.
fn shortened(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_owned();
    }
    let keep = width.saturating_sub(3);
    let head: String = text.chars().take(keep - keep / 3).collect();
    let tail: String = text.chars().skip(count - keep / 3).collect();
    format!("{head}...{tail}")
}

/// Indents every line.
fn indented(text: &str, by: usize) -> String {
    let pad = " ".repeat(by);
    text.lines().map(|line| format!("{pad}{line}\n")).collect()
}

/// A number with its noun, in the plural where needed. Counts of states of a set end at the largest number; that one is no count.
fn counted(number: usize, noun: &str) -> String {
    if number == usize::MAX {
        return format!("more than 10^19 {noun}s");
    }
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
