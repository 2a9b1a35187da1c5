//! Of which sets of abstract states is a member certain, by a step that changes a ranking function as wanted?
//!
//! As for other certain sets (`hyper`), but only steps count that decrease the ranking function from a value that is not negative, or that do not increase it: the condition stands inside "there
//! is a step". So whoever chooses steps can be said to come nearer to a goal.
//!
//! Not here: which ranking functions, and what follows for games.

use std::collections::BTreeMap;

use tertium_lattice::Kleene;
use tertium_program::ProcessId;
use tertium_smt::TermId;

use crate::choices::Closed;
use crate::expand::{Case, Failed};
use crate::state::AbstractState;
use crate::system::{OperationId, System};
use crate::view::View;

impl System {
    /// The smallest sets of abstract states of which a process can surely reach a member by a step that decreases a ranking function (or, if not `decreasing`, does not increase it).
    /// `alone`: no other process steps between the same states, so that what possible steps do tells what this one does.
    ///
    /// # Errors
    /// If a limit is reached, or a kept variable gets too many values.
    pub fn ranked_sets(
        &mut self,
        state: &AbstractState,
        process: ProcessId,
        rank: &[TermId],
        decreasing: bool,
        alone: bool,
    ) -> Result<Vec<Vec<AbstractState>>, Failed> {
        if state.stopped {
            return Ok(Vec::new());
        }
        let view = self.view(state);
        let mut reached: BTreeMap<AbstractState, Vec<Closed>> = BTreeMap::new();
        let at = state.locations[process.index()].index();
        let operations = self.open_operations(&view, process, at);
        // Where there is nothing to choose, all steps do what this one does.
        if alone
            && let [only] = operations[..]
            && self.operations[only].inputs.is_empty()
        {
            return Ok(Vec::new());
        }
        for operation in operations {
            for case in self.cases(state, &view, operation)? {
                let condition = self.rank_condition(&case, rank, decreasing);
                for target in self.targets(state, &view, &case)? {
                    let closed = self.reach_with(&view, &case, &target, condition);
                    if self.terms.as_bool(closed.exact) != Some(false) {
                        reached.entry(target).or_default().push(closed);
                    }
                }
            }
        }
        let mut sets = Vec::new();
        let mut open = BTreeMap::new();
        for (target, ways) in reached {
            if self.surely(&view, &ways)? {
                sets.push(vec![target]);
            } else {
                open.insert(target, ways);
            }
        }
        sets.extend(self.hitting(&view, &open)?);
        Ok(sets)
    }

    /// The operations of a process that a state does not plainly exclude.
    fn open_operations(&mut self, view: &View, process: ProcessId, at: usize) -> Vec<OperationId> {
        let mut open = self.leaving[process.index()][at].clone();
        open.retain(|&operation| {
            let relation = self.simplify(view, self.operations[operation].relation);
            self.terms.as_bool(relation) != Some(false)
        });
        open
    }

    fn rank_condition(&mut self, case: &Case, rank: &[TermId], decreasing: bool) -> TermId {
        let after: Vec<TermId> = rank.iter().map(|&term| self.after(case.operation, term)).collect();
        let [decrease, no_increase] = self.decrease(rank, &after);
        if decreasing { decrease } else { no_increase }
    }

    /// When a case leads into a target and a condition holds, for some inputs.
    fn reach_with(&mut self, view: &View, case: &Case, target: &AbstractState, condition: TermId) -> Closed {
        let mut parts = vec![case.relation, condition];
        for (&term, &value) in case.after.iter().zip(&target.cube) {
            match value {
                Kleene::True => parts.push(term),
                Kleene::False => parts.push(self.terms.not(term)),
                Kleene::Unknown => {}
            }
        }
        let whole = self.terms.all(&parts);
        let whole = self.simplify(view, whole);
        let inputs = self.operations[case.operation].inputs.clone();
        self.close(whole, &inputs)
    }
}
