//! What always holds, by where the processes are?
//!
//! For people who read a proof that rests on visiting every state: the states are grouped by the places of the processes, and
//! for each group the values that every variable has there are listed. Every line is true of the program; together they are
//! weaker than the set of states, which is what the proof itself uses.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use tertium_base::Budget;
use tertium_program::Semantics;
use tertium_program::search::{Limits, nearest_first};
use tertium_program::successors::Defined;

use super::ProgramFile;
use super::wording::values;

/// More states are not grouped.
const MOST_STATES: usize = 5_000;
/// More groups are not told.
const MOST_GROUPS: usize = 150;
/// Of more values only the least and the greatest are told, or how many there are.
const MOST_VALUES: usize = 4;

/// One line per combination of places; `None` if there are too many states or combinations, or a limit is reached.
#[must_use]
pub fn invariant(file: &ProgramFile, budget: &Budget) -> Option<Vec<(String, String)>> {
    let semantics = Semantics::new(&file.program);
    let mut initial = semantics.initial_states(MOST_STATES as u64, budget).ok()?;
    initial.sort();
    let mut groups: BTreeMap<String, Vec<(String, BTreeSet<String>)>> = BTreeMap::new();
    let limits = Limits { most: MOST_STATES, budget };
    let searched = nearest_first(&mut Defined::from(&semantics, initial), limits, &mut |_, reached, number| {
        add(&mut groups, values(&semantics, &reached.states[number]));
        Ok(if groups.len() > MOST_GROUPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    if searched.is_err() || groups.len() > MOST_GROUPS {
        return None;
    }
    Some(groups.into_iter().map(|(at, held)| (at, told(&held))).collect())
}

fn add(groups: &mut BTreeMap<String, Vec<(String, BTreeSet<String>)>>, state: Vec<(String, String)>) {
    let (places, held): (Vec<_>, Vec<_>) = state.into_iter().partition(|(name, _)| name.ends_with('@'));
    let at: Vec<String> = places.into_iter().map(|(process, place)| format!("{process}{place}")).collect();
    let at = if at.is_empty() { "everywhere".to_owned() } else { at.join("  ") };
    let group = groups.entry(at).or_default();
    for (name, value) in held {
        match group.iter_mut().find(|(known, _)| *known == name) {
            Some((_, seen)) => _ = seen.insert(value),
            None => group.push((name, BTreeSet::from([value]))),
        }
    }
}

fn told(held: &[(String, BTreeSet<String>)]) -> String {
    held.iter().map(|(name, seen)| told_values(name, seen)).collect::<Vec<_>>().join("  ")
}

fn told_values(name: &str, seen: &BTreeSet<String>) -> String {
    let all: Vec<&str> = seen.iter().map(String::as_str).collect();
    if let [only] = all.as_slice() {
        return format!("{name}={only}");
    }
    let numbers: Option<Vec<i64>> = all.iter().map(|value| value.parse().ok()).collect();
    match numbers {
        Some(mut numbers) => {
            numbers.sort_unstable();
            match numbers.as_slice() {
                few if few.len() <= MOST_VALUES => {
                    let few: Vec<String> = few.iter().map(ToString::to_string).collect();
                    format!("{name}∈{{{}}}", few.join(","))
                }
                [least, .., greatest] => format!("{least}≤{name}≤{greatest}"),
                _ => String::new(),
            }
        }
        None if all.len() <= MOST_VALUES => format!("{name}∈{{{}}}", all.join(",")),
        None => format!("{name}: {} values", all.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_grouped_by_the_places_of_the_processes() {
        let text =
            "system s\nvar x : 0..9 = 0\nprocess P { a: x := x + 1; b: x := x + 2; loop { c: x := * in 3..9; } }";
        let file = super::super::from_text("s.gcl", text.to_owned(), &[], None);
        let file = file.unwrap_or_else(|failure| panic!("{failure:?}"));
        let found = invariant(&file, &Budget::unlimited()).unwrap_or_else(|| panic!("few states"));
        let lines: Vec<String> = found.iter().map(|(at, holds)| format!("{at}: {holds}")).collect();
        assert_eq!(lines, ["P@a: x=0", "P@b: x=1", "P@c: 3≤x≤9"]);
    }
}
