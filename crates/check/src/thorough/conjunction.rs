//! Is there a completion that satisfies several formulas at once?
//!
//! They may be of different logics, whose paths differ: those of CTL* are infinite, while `EX` of CTL asks for a step alone. So they are not joined as formulas, but as terms, which speak of
//! concrete states: the tableau plays for the conjunction of the terms of all.

use tertium_base::narrow::to_u32;
use tertium_model::StateId;

use super::cells::Cells;
use super::completion::extract;
use super::search::{Found, Method, Wanted, search, supported};
use super::tableau::{Nothing, Tableau};
use super::terms::{Term, TermId, Terms, decline, terms_of_task};
use crate::{EngineError, Task};

/// Looks for completions that satisfy the formulas of all tasks, which ask about one structure in one reading.
///
/// # Errors
/// If there is no task, one is not supported, or a limit is reached.
pub fn search_conjunction(tasks: &[Task<'_>], states: &[StateId], build: bool) -> Result<Found, EngineError> {
    let Some(first) = tasks.first() else { return Err(decline("there is no formula").into()) };
    if tasks.len() == 1 {
        return search(first, Wanted { satisfying: true, states, build });
    }
    if !first.model.fairness().is_empty() {
        return Err(decline("completions with fairness are decided, not shown").into());
    }
    for task in tasks {
        supported(task)?;
    }
    let (terms, root) = joined(tasks)?;
    let cells = Cells::new(first, states)?;
    let starts: Vec<u32> = states.iter().filter_map(|&state| cells.of(state)).collect();
    let mut tableau = Tableau::play(&cells, &terms, root, &starts, &Nothing, first.budget)?;
    let (mut exists, mut completions) = (Vec::new(), Vec::new());
    for &state in states {
        let node = match cells.of(state) {
            Some(cell) => tableau.root(cell)?.filter(|&node| tableau.is_won(node)),
            None => None,
        };
        exists.push(node.is_some());
        if build {
            completions.push(match node {
                Some(node) => Some(extract(&mut tableau, node, first.budget)?),
                None => None,
            });
        }
    }
    let method = Method::Tableau { positions: tableau.size(), weak: terms.weak };
    Ok(Found { exists, completions, method })
}

/// The terms of all tasks in one table, and one that asks for the roots of all.
fn joined(tasks: &[Task<'_>]) -> Result<(Terms, TermId), EngineError> {
    let (mut terms, mut priority, mut roots) = (Vec::new(), Vec::new(), Vec::new());
    for task in tasks {
        let (own, root) = terms_of_task(task, true)?;
        let offset = to_u32(terms.len());
        let moved = |id: TermId| id + offset;
        terms.extend(own.terms.into_iter().map(|term| match term {
            Term::Label(prop, value) => Term::Label(prop, value),
            Term::All(parts) => Term::All(parts.into_iter().map(moved).collect()),
            Term::Any(parts) => Term::Any(parts.into_iter().map(moved).collect()),
            Term::Diamond(filter, to) => Term::Diamond(filter, moved(to)),
            Term::Box(filter, to) => Term::Box(filter, moved(to)),
        }));
        priority.extend(own.priority);
        roots.push(moved(root));
    }
    let root = to_u32(terms.len());
    terms.push(Term::All(roots));
    priority.push(0);
    Ok((Terms::new(terms, priority), root))
}
