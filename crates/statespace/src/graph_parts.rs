//! The steps and labels of a collected graph, made by several threads.
//!
//! Each thread takes a range of states; what it finds is entered in the order of the states, so the structure is the same for any number of threads.

use std::ops::Range;
use std::thread::{Builder, scope};

use tertium_base::Budget;
use tertium_base::narrow::to_u32;
use tertium_explore::search::breadth::Explored;
use tertium_explore::successors::{Expansion, RowSuccessors as _};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_model::{ActionId, KmtsBuilder, PropId, StateId};
use tertium_program::ExprId;

use super::branching::{GraphOptions, label};
use super::space::Space;

/// So many states are one range.
const RANGE: usize = 1 << 13;

/// Edges of a fairness constraint.
pub(crate) type ConstraintEdges = Vec<(StateId, StateId, Option<ActionId>)>;

/// What a graph is made of.
pub(crate) struct GraphSource<'g, 'p> {
    pub space: &'g Space<'p>,
    pub explored: &'g Explored,
    pub atoms: &'g [(String, ExprId)],
    /// The processes with weak fairness, in the order of their constraints.
    pub fair: &'g [u32],
    /// By process.
    pub actions: &'g [ActionId],
    pub shape: GraphOptions,
    pub threads: usize,
    pub budget: &'g Budget,
}

/// The part of a graph that begins in a range of states.
struct GraphPart {
    first: usize,
    /// The values of all atoms, state by state.
    labels: Vec<Belnap>,
    edges: ConstraintEdges,
    constraints: Vec<ConstraintEdges>,
}

impl GraphSource<'_, '_> {
    /// Enters the labels and steps of all states; what fairness constrains, by constraint.
    pub(crate) fn enter(&self, builder: &mut KmtsBuilder, props: &[PropId]) -> Result<Vec<ConstraintEdges>, Failure> {
        let (count, mut constraints) = (self.explored.store.len(), vec![Vec::new(); self.fair.len()]);
        let mut from = 0;
        while from < count {
            let ranges: Vec<Range<usize>> = (from..count)
                .step_by(RANGE)
                .take(self.threads.max(1))
                .map(|from| from..count.min(from + RANGE))
                .collect();
            from = ranges.last().map_or(count, |last| last.end);
            for part in self.parts(&ranges) {
                let part = part?;
                for (at, values) in part.labels.chunks(props.len().max(1)).enumerate() {
                    let state = StateId::new(part.first + at);
                    props.iter().zip(values).for_each(|(&prop, &value)| builder.set_label(state, prop, value));
                }
                for (from, to, action) in part.edges {
                    builder.add_edge(from, to, true, true, action);
                }
                for (all, edges) in constraints.iter_mut().zip(part.constraints) {
                    all.extend(edges);
                }
            }
        }
        Ok(constraints)
    }

    /// The parts of these ranges, each made by a thread.
    fn parts(&self, ranges: &[Range<usize>]) -> Vec<Result<GraphPart, Failure>> {
        let Some((own, others)) = ranges.split_first() else { return Vec::new() };
        scope(|scope| {
            let begin = |range: &Range<usize>| {
                let taken = range.clone();
                // Where the system gives no thread, this one does the work.
                (range.clone(), Builder::new().spawn_scoped(scope, move || self.part(taken)).ok())
            };
            let begun: Vec<_> = others.iter().map(begin).collect();
            let mut parts = vec![self.part(own.clone())];
            for (range, thread) in begun {
                parts.push(match thread.map(|thread| thread.join()) {
                    Some(Ok(part)) => part,
                    Some(Err(panic)) => std::panic::resume_unwind(panic),
                    None => self.part(range),
                });
            }
            parts
        })
    }

    fn part(&self, range: Range<usize>) -> Result<GraphPart, Failure> {
        let (space, store) = (self.space, &self.explored.store);
        let (mut base, mut branches) = (store.branches(), store.branches());
        let (mut scratch, mut found) = (space.stepper.scratch(), Expansion::default());
        let (mut row, mut ticks) = (Vec::new(), 0);
        let constraints = vec![Vec::new(); self.fair.len()];
        let mut part = GraphPart { first: range.start, labels: Vec::new(), edges: Vec::new(), constraints };
        for number in range {
            self.budget.tick(&mut ticks)?;
            store.read(to_u32(number), &mut base);
            let from = StateId::new(number);
            if !self.atoms.is_empty() {
                let state = space.state(base.words());
                part.labels.extend(self.atoms.iter().map(|(_, atom)| label(space, *atom, &state)));
            }
            space.stepper.expand(base.words(), &mut scratch, &mut found);
            if found.steps() == 0 && self.shape.stutter {
                part.edges.push((from, from, None));
                part.constraints.iter_mut().for_each(|edges| edges.push((from, from, None)));
            }
            for at in 0..found.steps() {
                found.copy_row(at, &mut row);
                let Ok((target, false)) = store.insert(&base, &row, &mut branches) else {
                    return Err(Failure::Internal("a state was missed by the search".to_owned()));
                };
                let (to, mover) = (StateId::new(target as usize), found.movers[at]);
                let action = self.actions.get(mover as usize).copied();
                part.edges.push((from, to, action));
                for (&pid, edges) in self.fair.iter().zip(&mut part.constraints) {
                    if pid == mover || !found.movers.contains(&pid) {
                        edges.push((from, to, action));
                    }
                }
            }
        }
        Ok(part)
    }
}
