//! Can a three-valued question be answered by two-valued checkers?
//!
//! Yes: by two runs over the positive normal form. The pessimistic run counts a literal only if it is
//! surely so, lets `EX` look at what is certain and `AX` at what is possible; it finds where the value
//! is true. The optimistic run does the opposite; where it fails the value is false. One completion with
//! all possible steps and one with only certain ones would *not* do, since a formula can contain both
//! quantifiers. [`Reduction`] gives each run two relations; [`ActionBit`] is for checkers with a single
//! relation, on twice the states; [`lattice_values`] makes one run for every join-irreducible element.
//!
//! Not here: anything fast. The engine is as plain as its correctness proof, and shares its checker with none.

mod bit;
mod classical;
mod kmts_run;
mod lattice;
mod linear;
mod relation;

pub use bit::ActionBit;
pub use lattice::lattice_values;

use tertium_logic::positive_normal_form;

use crate::{Engine, EngineError, Task, Unsupported, Values};
use kmts_run::Side;

/// Two classical runs with two relations each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reduction;

impl Engine for Reduction {
    fn name(&self) -> &'static str {
        "reduction"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        supports(self.name(), task)
    }

    fn values(&self, task: &Task<'_>) -> Result<Values, EngineError> {
        self.supports(task)?;
        let formula = positive_normal_form(task.formula, false);
        Ok(Values {
            for_true: kmts_run::run(task, &formula, Side::Pessimistic)?,
            not_refuted: kmts_run::run(task, &formula, Side::Optimistic)?,
        })
    }
}

/// What every form of the reduction needs: a branching formula without ill-placed variables.
fn supports(engine: &'static str, task: &Task<'_>) -> Result<(), Unsupported> {
    let decline = |reason: String| Unsupported { engine, reason };
    crate::game::plan(task).map_err(|why| decline(why.reason))?;
    if nesting(task.formula) > classical::DEEPEST {
        return Err(decline(format!("its fixpoints nest more than {} deep", classical::DEEPEST)));
    }
    Ok(())
}

/// How deep fixpoints nest.
pub(crate) fn nesting(formula: &tertium_logic::Formula) -> usize {
    use tertium_logic::Node;
    let mut depths: Vec<usize> = Vec::new();
    for &node in formula.nodes() {
        let below = node.children().map(|child| depths[child.index()]).max().unwrap_or(0);
        depths.push(below + usize::from(matches!(node, Node::Mu(..) | Node::Nu(..))));
    }
    depths.last().copied().unwrap_or(0)
}
