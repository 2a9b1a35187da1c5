//! Has something been put off forever? What a tableau remembers of the threads so far.
//!
//! A thread follows one term through the ways and steps of a play. It is bad if the greatest priority that it
//! meets infinitely often is odd. A monitor is deterministic and gives every step a priority, so that a play
//! has no bad thread iff the greatest priority given infinitely often is even.
//!
//! For weak terms (all of CTL) it looks at one component with bad cycles at a time and at the terms whose threads
//! have stayed in it; when none is left it is the next component's turn. In general it follows guesses "from now
//! on nothing above this odd priority" by Safra's trees.

use std::collections::HashMap;

use tertium_base::narrow::to_u32;

use super::TermId;
use crate::automata::Tracker;

/// A thread that a step carries on: from a term to one that is left to meet, and the greatest priority between.
pub type Thread = (TermId, TermId, u32);

/// What a weak monitor remembers: a component, and the terms in it whose threads are watched.
pub type Focus = (u32, Vec<TermId>);

/// Watches threads.
#[derive(Debug)]
pub enum Monitor {
    /// For weak terms.
    Weak {
        /// The components with bad cycles, ascending.
        bad: Vec<u32>,
        /// What was remembered so far.
        memories: Vec<Focus>,
        /// The numbers of these.
        index: HashMap<Focus, u32>,
    },
    /// For all terms.
    Trees {
        /// The trees.
        tracker: Tracker,
        /// The odd priorities.
        odd: Vec<u32>,
    },
}

impl Monitor {
    /// For plays that begin with one term. `weak`: in every component of terms all cycles are good or all are bad.
    pub fn new(weak: bool, priority: &[u32], component: &[u32], root: TermId) -> Self {
        let is_odd = |priority: &u32| !priority.is_multiple_of(2);
        if weak {
            let both = priority.iter().zip(component);
            let mut bad: Vec<u32> = both.filter(|(own, _)| is_odd(own)).map(|(_, &class)| class).collect();
            bad.sort_unstable();
            bad.dedup();
            return Self::Weak { bad, memories: Vec::new(), index: HashMap::new() };
        }
        let mut odd: Vec<u32> = priority.iter().copied().filter(is_odd).collect();
        odd.sort_unstable();
        odd.dedup();
        let width = 1 + to_u32(odd.len());
        Self::Trees { tracker: Tracker::new(root * width, priority.len() * width as usize), odd }
    }

    /// The memory before anything happened.
    pub fn initial(&mut self, component: &[u32], asked: &[TermId]) -> u32 {
        match self {
            Self::Weak { bad, memories, index } => {
                let focus = next_focus(component, bad, bad.last().copied().unwrap_or(0), asked);
                remember(memories, index, focus)
            }
            Self::Trees { .. } => 0,
        }
    }

    /// The focus behind a memory of a weak monitor.
    pub fn focus(&self, memory: u32) -> Option<&Focus> {
        match self {
            Self::Weak { memories, .. } => memories.get(memory as usize),
            Self::Trees { .. } => None,
        }
    }

    /// The memory after a step that carries these threads to a state where `asked` is left to meet, and the priority of that step.
    pub fn step(&mut self, component: &[u32], memory: u32, threads: &[Thread], asked: &[TermId]) -> (u32, u32) {
        match self {
            Self::Weak { bad, memories, index } => {
                let (class, watched) = &memories[memory as usize];
                let threads = threads.iter().filter(|(from, ..)| watched.binary_search(from).is_ok());
                let mut kept: Vec<TermId> =
                    threads.map(|&(_, to, _)| to).filter(|&to| component[to as usize] == *class).collect();
                kept.sort_unstable();
                kept.dedup();
                if !kept.is_empty() {
                    let focus = (*class, kept);
                    return (remember(memories, index, focus), 1);
                }
                let focus = next_focus(component, bad, *class, asked);
                (remember(memories, index, focus), 2)
            }
            Self::Trees { tracker, odd } => {
                let width = 1 + to_u32(odd.len());
                let moves = |state: u32| {
                    let (term, guess) = (state / width, state % width);
                    let mut targets = Vec::new();
                    for &(_, to, most) in threads.iter().filter(|(from, ..)| *from == term) {
                        if guess == 0 {
                            targets.extend((0..width).map(|next| (to * width + next, false)));
                        } else if most <= odd[guess as usize - 1] {
                            targets.push((to * width + guess, most == odd[guess as usize - 1]));
                        }
                    }
                    targets
                };
                let (next, priority) = tracker.step(memory as usize, moves);
                (to_u32(next), priority + 1)
            }
        }
    }

    /// No step has a greater priority.
    pub fn greatest_priority(&self) -> u32 {
        match self {
            Self::Weak { .. } => 2,
            Self::Trees { tracker, .. } => tracker.greatest_priority() + 1,
        }
    }
}

fn remember(memories: &mut Vec<Focus>, index: &mut HashMap<Focus, u32>, focus: Focus) -> u32 {
    if let Some(&known) = index.get(&focus) {
        return known;
    }
    memories.push(focus.clone());
    index.insert(focus, to_u32(memories.len()) - 1);
    to_u32(memories.len()) - 1
}

/// The next bad component after `class` that has terms to be met, with all of them.
fn next_focus(component: &[u32], bad: &[u32], class: u32, asked: &[TermId]) -> Focus {
    let start = bad.partition_point(|&other| other <= class);
    for at in 0..bad.len() {
        let next = bad[(start + at) % bad.len()];
        let watched: Vec<TermId> = asked.iter().copied().filter(|&term| component[term as usize] == next).collect();
        if !watched.is_empty() {
            return (next, watched);
        }
    }
    (bad.first().copied().unwrap_or(0), Vec::new())
}
