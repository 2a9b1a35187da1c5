//! Which priorities do the steps between sets need?
//!
//! A priority counts on cycles only, and only in comparison with others. The fewer there are by which a set is entered, the shorter
//! the formula.

use std::collections::{BTreeSet, HashMap};

use super::sets::{Choice, Move, Sets};

/// Sets with more steps are left as they are.
const MOST_STEPS: usize = 20_000;

/// What is left of priorities.
#[derive(Debug)]
pub(super) struct Events {
    /// For each set its component.
    pub component: Vec<usize>,
    /// For each component whether steps stay in it.
    pub cyclic: Vec<bool>,
    /// For each set the priority by which it is entered from another component.
    pub entry: Vec<u32>,
}

impl Events {
    /// Gives steps inside components as few priorities as is easily done.
    pub fn reduce(sets: &mut Sets) -> Self {
        let component = sets.components();
        renumber(sets, &component);
        lower(sets, &component);
        renumber(sets, &component);
        sets.choices.iter_mut().for_each(drop_covered);
        let mut entry = vec![0; sets.len()];
        let mut cyclic = vec![false; sets.len()];
        for (_, step) in inner(sets, &component) {
            cyclic[component[step.to]] = true;
            entry[step.to] = entry[step.to].max(step.event);
        }
        Self { component, cyclic, entry }
    }
}

/// Drops choices that ask for all that another one asks for.
fn drop_covered(choices: &mut Vec<Choice>) {
    let covers = |less: &Choice, more: &Choice| {
        less.labels.iter().all(|label| more.labels.contains(label))
            && less.moves.iter().all(|step| more.moves.contains(step))
    };
    let mut kept: Vec<Choice> = Vec::new();
    for choice in choices.drain(..) {
        if !kept.iter().any(|other| covers(other, &choice)) {
            kept.retain(|other| !covers(&choice, other));
            kept.push(choice);
        }
    }
    *choices = kept;
}

/// The steps inside components, each with the set that it starts from.
fn inner<'s>(sets: &'s Sets, component: &'s [usize]) -> impl Iterator<Item = (usize, Move)> + 's {
    let of = |set: usize| sets.moves(set).map(move |step| (set, step));
    (0..sets.len()).flat_map(of).filter(|(set, step)| component[*set] == component[step.to])
}

/// Keeps order and parity, and makes neighbours of one parity one.
fn renumber(sets: &mut Sets, component: &[usize]) {
    let mut seen = vec![BTreeSet::new(); sets.len()];
    for (set, step) in inner(sets, component) {
        seen[component[set]].insert(step.event);
    }
    let new: Vec<HashMap<u32, u32>> = seen.iter().map(renumbered).collect();
    for (set, choices) in sets.choices.iter_mut().enumerate() {
        for step in choices.iter_mut().flat_map(|choice| choice.moves.iter_mut()) {
            let inside = component[set] == component[step.to];
            step.event = if inside { new[component[set]][&step.event] } else { 0 };
        }
    }
}

fn renumbered(seen: &BTreeSet<u32>) -> HashMap<u32, u32> {
    let mut last: Option<u32> = None;
    let mut new = HashMap::new();
    for &event in seen {
        let next = match last {
            None => event % 2,
            Some(last) if last % 2 == event % 2 => last,
            Some(last) => last + 1,
        };
        new.insert(event, next);
        last = Some(next);
    }
    new
}

/// Gives a step the least priority by which its target is entered, if every cycle through it has another one as great as its own.
fn lower(sets: &mut Sets, component: &[usize]) {
    let steps: Vec<(usize, Move)> = inner(sets, component).collect();
    if steps.len() > MOST_STEPS {
        return;
    }
    let mut least = vec![u32::MAX; sets.len()];
    for (_, step) in &steps {
        least[step.to] = least[step.to].min(step.event);
    }
    for (set, step) in steps {
        let wanted = least[step.to];
        if step.event > wanted && !leads(sets, component, step.to, set, step.event) {
            for other in sets.choices[set].iter_mut().flat_map(|choice| choice.moves.iter_mut()) {
                if (other.to, other.event) == (step.to, step.event) {
                    other.event = wanted;
                }
            }
        }
    }
}

/// Whether steps inside a component, all of lesser priority, lead from one set to another.
fn leads(sets: &Sets, component: &[usize], from: usize, to: usize, below: u32) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(set) = open.pop() {
        if set == to {
            return true;
        }
        let next = sets.moves(set).filter(|step| component[step.to] == component[from] && step.event < below);
        for step in next {
            if seen.insert(step.to) {
                open.push(step.to);
            }
        }
    }
    false
}
