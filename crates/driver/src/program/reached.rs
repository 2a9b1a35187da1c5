//! What always holds, by where the processes are?
//!
//! For people who read a proof that rests on visiting every state: the states are grouped by the places of the processes, and
//! for each group the values that every variable has there are listed. Every line is true of the program; together they are
//! weaker than the set of states, which is what the proof itself uses.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use tertium_base::Budget;
use tertium_program::{NoInitialStates, Semantics, State};

use super::ProgramFile;
use super::run::{arrival, values};

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
    let initial: Result<Vec<State>, NoInitialStates> = semantics.initial_states(MOST_STATES as u64, budget);
    let mut known: HashSet<State> = initial.ok()?.into_iter().collect();
    let mut ordered: Vec<State> = known.iter().cloned().collect();
    ordered.sort();
    let mut queue: VecDeque<State> = ordered.into();
    let mut groups: BTreeMap<String, Vec<(String, BTreeSet<String>)>> = BTreeMap::new();
    let mut ticks = 0;
    while let Some(state) = queue.pop_front() {
        budget.tick(&mut ticks).ok()?;
        add(&mut groups, values(&semantics, &state));
        if known.len() > MOST_STATES || groups.len() > MOST_GROUPS {
            return None;
        }
        for successor in semantics.successors(&state) {
            if let Some(next) = arrival(&successor.outcome)
                && known.insert(next.clone())
            {
                queue.push_back(next.clone());
            }
        }
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
