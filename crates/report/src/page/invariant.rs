//! How is a long invariant told in few lines?
//!
//! A proof rests on a list of rows: where the processes are, and what holds there. Read by a person, most of it says the same thing again
//! and again. What is common to all rows is told once, then what is common to all rows with one process at one place, then which places exclude each other,
//! and what is left is grouped by what holds. Every line is a consequence of the whole list, so it is true of the program; the list itself stays what the
//! proof rests on.

use std::collections::{BTreeMap, BTreeSet};

use super::view::InvariantView;

/// More groups of what is left are not told.
const MOST_GROUPS: usize = 24;
/// More pairs of places that exclude each other are not told.
const MOST_PAIRS: usize = 12;
/// More places of one group are counted instead.
const MOST_PLACES: usize = 6;
/// A shorter list is read as it is.
const FEW: usize = 12;

/// One row, taken apart.
struct Row<'a> {
    places: Vec<&'a str>,
    literals: BTreeSet<&'a str>,
}

/// The list in fewer lines; nothing if it is short already, or does not get shorter.
#[must_use]
pub fn summary(list: &[InvariantView]) -> Vec<InvariantView> {
    if list.len() <= FEW {
        return Vec::new();
    }
    let rows: Vec<Row<'_>> = list.iter().map(taken_apart).collect();
    let everywhere = common(rows.iter());
    let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for place in rows.iter().flat_map(|row| &row.places) {
        places.entry(place).or_insert_with(|| {
            let own = common(rows.iter().filter(|row| row.places.contains(place)));
            own.difference(&everywhere).copied().collect()
        });
    }
    let mut lines = Vec::new();
    let mut tell = |at: String, holds: &BTreeSet<&str>| {
        if !holds.is_empty() {
            let holds = holds.iter().copied().collect::<Vec<_>>().join(", ");
            lines.push(InvariantView { at, holds });
        }
    };
    tell("everywhere".to_owned(), &everywhere);
    for (place, holds) in &places {
        tell((*place).to_owned(), holds);
    }
    for (group, at) in left_over(&rows, &everywhere, &places) {
        tell(at, &group);
    }
    lines.extend(exclusions(&rows));
    if lines.len() < list.len() { lines } else { Vec::new() }
}

/// Places stand between blanks; literals between commas or two blanks, but not those inside of a list or a set of values.
fn taken_apart(row: &InvariantView) -> Row<'_> {
    let mut literals = BTreeSet::new();
    for part in row.holds.split("  ") {
        let (mut depth, mut from) = (0_usize, 0);
        for (at, letter) in part.char_indices() {
            match letter {
                '[' | '{' | '(' => depth += 1,
                ']' | '}' | ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 && part[at..].starts_with(", ") => {
                    literals.insert(part[from..at].trim());
                    from = at + 1;
                }
                _ => {}
            }
        }
        literals.insert(part[from..].trim());
    }
    literals.retain(|literal| !literal.is_empty() && *literal != "true");
    Row { places: row.at.split_whitespace().filter(|word| word.contains('@')).collect(), literals }
}

fn common<'r, 'a: 'r>(mut rows: impl Iterator<Item = &'r Row<'a>>) -> BTreeSet<&'a str> {
    let first = rows.next().map(|row| row.literals.clone()).unwrap_or_default();
    rows.fold(first, |kept, row| kept.intersection(&row.literals).copied().collect())
}

/// What is told neither of all rows nor of single places, with the places of the rows that have it; nothing if that is much.
fn left_over<'a>(
    rows: &[Row<'a>],
    everywhere: &BTreeSet<&'a str>,
    places: &BTreeMap<&'a str, BTreeSet<&'a str>>,
) -> Vec<(BTreeSet<&'a str>, String)> {
    // Alternatives at the same places hold one or the other: they are told only where there is one row.
    let mut alone: BTreeMap<&[&str], usize> = BTreeMap::new();
    for row in rows {
        *alone.entry(row.places.as_slice()).or_default() += 1;
    }
    let mut groups: BTreeMap<BTreeSet<&str>, Vec<String>> = BTreeMap::new();
    for row in rows.iter().filter(|row| alone[row.places.as_slice()] == 1) {
        let told =
            |literal: &&str| everywhere.contains(literal) || row.places.iter().any(|at| places[at].contains(literal));
        let rest: BTreeSet<&str> = row.literals.iter().copied().filter(|literal| !told(literal)).collect();
        groups.entry(rest).or_default().push(row.places.join(" "));
    }
    groups.retain(|rest, _| !rest.is_empty());
    if groups.len() > MOST_GROUPS {
        return Vec::new();
    }
    let named = |(rest, at): (BTreeSet<&'a str>, Vec<String>)| {
        let more = at.len().saturating_sub(MOST_PLACES);
        let named = at.into_iter().take(MOST_PLACES).collect::<Vec<_>>().join(" or ");
        (rest, if more == 0 { named } else { format!("{named}, and {more} more") })
    };
    groups.into_iter().map(named).collect()
}

/// Places of two processes that are never taken at once.
fn exclusions(rows: &[Row<'_>]) -> Vec<InvariantView> {
    let mut together = BTreeSet::new();
    let mut places = BTreeSet::new();
    for row in rows {
        for (number, place) in row.places.iter().enumerate() {
            places.insert((number, *place));
            together.extend(row.places[number + 1..].iter().map(|other| (*place, *other)));
        }
    }
    let mut found = Vec::new();
    for (number, place) in &places {
        for (other_number, other) in places.range((number + 1, "")..) {
            if other_number > number && !together.contains(&(*place, *other)) {
                found.push(InvariantView { at: format!("{place} {other}"), holds: "never at once".to_owned() });
            }
        }
    }
    if found.len() > MOST_PAIRS { Vec::new() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(lines: &[&str]) -> Vec<InvariantView> {
        let row = |line: &&str| {
            let (at, holds) = line.split_once(": ").unwrap_or((line, ""));
            InvariantView { at: at.to_owned(), holds: holds.to_owned() }
        };
        lines.iter().map(row).collect()
    }

    /// Three places each; `x` tells where P is, `k` never changes, and both are never at `c`.
    fn protocol() -> Vec<InvariantView> {
        let mut lines = Vec::new();
        for (one, x) in [("a", 0), ("b", 1), ("c", 1), ("d", 2)] {
            for other in ["a", "b", "c", "d"] {
                if (one, other) != ("c", "c") {
                    lines
                        .push(format!("P@{one} Q@{other}: x={x}  k=[1, 2]{}", if one == other { "  y=0" } else { "" }));
                }
            }
        }
        rows(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_common_is_told_once() {
        let told: Vec<String> =
            summary(&protocol()).iter().map(|line| format!("{}: {}", line.at, line.holds)).collect();
        let wanted = [
            "everywhere: k=[1, 2]",
            "P@a: x=0",
            "P@b: x=1",
            "P@c: x=1",
            "P@d: x=2",
            "P@a Q@a or P@b Q@b or P@d Q@d: y=0",
            "P@c Q@c: never at once",
        ];
        assert_eq!(told, wanted);
    }

    #[test]
    fn every_line_follows_from_the_list() {
        // Alternatives at the same places: neither `x=1` nor `x=2` may be told of them.
        let mut list = protocol();
        list.push(InvariantView { at: "P@e Q@a".to_owned(), holds: "x=1, k=[1, 2]".to_owned() });
        list.push(InvariantView { at: "P@e Q@a".to_owned(), holds: "x=2, k=[1, 2]".to_owned() });
        for line in summary(&list) {
            let claimed = taken_apart(&line);
            for row in list.iter().map(taken_apart) {
                let places: Vec<Vec<&str>> = line.at.split(" or ").map(|at| at.split_whitespace().collect()).collect();
                let applies = line.at == "everywhere"
                    || places.iter().any(|at| at.iter().all(|place| row.places.contains(place)));
                if line.holds == "never at once" {
                    assert!(!applies, "{line:?}");
                } else if applies {
                    assert!(claimed.literals.is_subset(&row.literals), "{line:?}");
                }
            }
        }
    }

    #[test]
    fn a_short_list_stays_as_it_is() {
        assert_eq!(summary(&rows(&["P@a: x=0", "P@b: x=1"])), []);
        assert_eq!(summary(&[]), []);
    }
}
