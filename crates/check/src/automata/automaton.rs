//! Generalised Büchi automata over independent literals, as the searches read them.
//!
//! `p` and `!p` are two letters of their own: on a partial word both may be allowed (read
//! optimistically) or neither (read pessimistically), so nothing here knows excluded middle.

use tertium_base::graph::{Components, components};

/// An atom or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Literal {
    /// The atom's index in the question.
    pub atom: u32,
    /// Whether it is the atom itself.
    pub positive: bool,
}

/// A step of the automaton: allowed where all its literals are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Transition {
    /// Sorted, without repetition.
    pub cube: Vec<Literal>,
    /// Where it leads.
    pub target: u32,
    /// The acceptance marks it carries.
    pub marks: u64,
}

/// A run is accepting if it takes transitions of every mark infinitely often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Automaton {
    /// Where runs start.
    pub initial: Vec<u32>,
    /// Each state's transitions.
    pub transitions: Vec<Vec<Transition>>,
    /// How many marks there are; at most [`MAX_MARKS`].
    pub marks: u32,
}

/// States of an automaton that lead to each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Component {
    /// The states, ascending.
    pub members: Vec<usize>,
    /// The marks that every transition between them carries.
    pub marks: u64,
}

/// More marks than this do not fit the words that searches carry along; one bit is left for
/// "there is a step at all".
pub(crate) const MAX_MARKS: u32 = 63;

impl Automaton {
    /// The states from which some run accepts the word in which nothing is known at any position.
    pub(crate) fn accepts_unknown(&self) -> Vec<bool> {
        let blank = |state: usize| self.transitions[state].iter().filter(|step| step.cube.is_empty());
        let full = if self.marks == 0 { 0 } else { u64::MAX >> (64 - self.marks) };
        let reach: Vec<Vec<bool>> = (0..self.transitions.len())
            .map(|from| {
                let mut seen = vec![false; self.transitions.len()];
                let mut todo = vec![from];
                while let Some(state) = todo.pop() {
                    for step in blank(state) {
                        if !std::mem::replace(&mut seen[step.target as usize], true) {
                            todo.push(step.target as usize);
                        }
                    }
                }
                seen
            })
            .collect();
        let on_good_cycle = |state: usize| {
            let component = |other: usize| reach[state][other] && reach[other][state];
            let marks = (0..self.transitions.len())
                .filter(|&from| component(from))
                .flat_map(|from| blank(from).filter(|step| component(step.target as usize)))
                .fold(0, |sum, step| sum | step.marks);
            component(state) && marks & full == full
        };
        let good: Vec<bool> = (0..self.transitions.len()).map(on_good_cycle).collect();
        (0..self.transitions.len())
            .map(|from| good[from] || reach[from].iter().zip(&good).any(|(&reached, &good)| reached && good))
            .collect()
    }

    /// Puts transitions that leave their component first, and those with more marks: a search that follows
    /// them meets accepting cycles soon.
    pub(crate) fn hopeful_first(&mut self) {
        let leaves: Vec<Vec<bool>> = {
            let reach: Vec<Vec<bool>> = (0..self.transitions.len()).map(|from| self.reached(from)).collect();
            let back = |from: usize, target: u32| reach[target as usize][from] || target as usize == from;
            let leaves = |from: usize| self.transitions[from].iter().map(|step| !back(from, step.target)).collect();
            (0..self.transitions.len()).map(leaves).collect()
        };
        for (steps, leaves) in self.transitions.iter_mut().zip(leaves) {
            let mut keyed: Vec<(bool, u32, Transition)> =
                steps.drain(..).zip(leaves).map(|(step, leaves)| (!leaves, step.marks.count_zeros(), step)).collect();
            keyed.sort_by_key(|(stays, missing, _)| (*stays, *missing));
            steps.extend(keyed.into_iter().map(|(_, _, step)| step));
        }
    }

    /// The parts in which a run can stay for ever and accept: states that lead to each other, with transitions of every mark
    /// between them.
    pub(crate) fn accepting_components(&self) -> Vec<Component> {
        let successors = |state: usize| self.transitions[state].iter().map(|step| step.target as usize);
        let Components { of: numbers, count } = components(self.transitions.len(), successors);
        let mut found: Vec<Component> =
            (0..count).map(|_| Component { members: Vec::new(), marks: u64::MAX }).collect();
        let mut seen = vec![None; count];
        for (from, steps) in self.transitions.iter().enumerate() {
            let at = numbers[from] as usize;
            found[at].members.push(from);
            for step in steps.iter().filter(|step| numbers[step.target as usize] as usize == at) {
                found[at].marks &= step.marks;
                seen[at] = Some(seen[at].unwrap_or(0) | step.marks);
            }
        }
        let full = if self.marks == 0 { 0 } else { u64::MAX >> (64 - self.marks) };
        let accepts = |seen: Option<u64>| seen.is_some_and(|seen| seen & full == full);
        found.into_iter().zip(seen).filter(|(_, seen)| accepts(*seen)).map(|(found, _)| found).collect()
    }

    /// The states that one or more transitions lead to.
    fn reached(&self, from: usize) -> Vec<bool> {
        let mut seen = vec![false; self.transitions.len()];
        let mut todo = vec![from];
        while let Some(state) = todo.pop() {
            for step in &self.transitions[state] {
                if !std::mem::replace(&mut seen[step.target as usize], true) {
                    todo.push(step.target as usize);
                }
            }
        }
        seen
    }

    /// Drops transitions that another one covers: same target, fewer literals, more marks.
    #[cfg(test)]
    pub(crate) fn drop_covered(&mut self) {
        for steps in &mut self.transitions {
            let mut kept: Vec<Transition> = Vec::new();
            for step in steps.drain(..) {
                if kept.iter().any(|other| covers(other, &step)) {
                    continue;
                }
                kept.retain(|other| !covers(&step, other));
                kept.push(step);
            }
            *steps = kept;
        }
    }
}

#[cfg(test)]
fn covers(general: &Transition, special: &Transition) -> bool {
    general.target == special.target
        && special.marks & !general.marks == 0
        && general.cube.iter().all(|literal| special.cube.binary_search(literal).is_ok())
}
