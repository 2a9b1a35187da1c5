//! Symbolic model checking (Burch, Clarke, McMillan, Dill, Hwang 1990): what is the value of a formula at every state, when states
//! are sets?
//!
//! States are rows of bits, sets of states and relations between them decision diagrams. A formula's value is two sets,
//! as everywhere: evidence for true, and not refuted. PML, CTL, the mu-calculus and, through it, fair CTL are evaluated by
//! fixpoints of sets; LTL by the product with an automaton, one set for each of its states, and CTL* quantifier by quantifier.
//!
//! A [`Structure`] can be made from one that lists its states ([`Symbolic`] is an [`Engine`] of the usual kind), or
//! from anything else that knows its steps as sets; programs are encoded by whoever knows programs.
//!
//! [`lattice_values`] has one set per join-irreducible element of a lattice instead of two. [`ternary_values`] has one
//! diagram with three values; the measurements compare all of them.
//!
//! Not here: what bits mean, and evidence, which is found from the values.

mod cuts;
mod ends;
mod evaluate;
mod family;
mod linear;
mod linear_query;
mod listed;
mod path;
mod plays;
mod promises;
mod star;
mod stepwise;
mod structure;
mod ternary;
mod values;

use tertium_base::{StopReason, Stopped};
use tertium_dd::with_deep_stack;
use tertium_evidence::Deadlock;
use tertium_logic::{Logic, Node};

use crate::task::require_logic;
use crate::{Engine, EngineError, Task, Unsupported, Values, rounds};
use listed::Listed;

pub use cuts::lattice_values;
pub use evaluate::{Atoms, evaluate};
pub use family::family_sets;
pub use linear::{
    Automata, Fairness, GuardedTransition, KnownFixpoints, StrongFairness, linear_value, linear_value_by, paths,
};
pub use path::{Lasso, lasso, shortest_path, shortest_path_forward};
pub use star::{fair_goal, star_paths, star_value};
pub use stepwise::{Graded, StepKind, StepValues, stepwise_value};
pub use structure::{Hyper, Steps, Structure};
pub use ternary::ternary_values;
pub use values::Pair;

/// The name of this engine.
const NAME: &str = "symbolic";

/// The engine over decision diagrams.
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbolic;

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        require_logic(NAME, task.formula, &[Logic::Pml, Logic::Ctl, Logic::CtlStar, Logic::Ltl, Logic::Mu])?;
        let decline = |reason: String| Err(Unsupported { engine: NAME, reason });
        match task.formula.logic() {
            Logic::Ltl => return linear_supported(task),
            Logic::CtlStar => return star_supported(task),
            Logic::Pml | Logic::Ctl | Logic::Mu | Logic::Atl | Logic::AtlStar => {}
        }
        if rounds::nesting(task.formula) > rounds::DEEPEST {
            return decline(format!("its fixpoints nest more than {} deep", rounds::DEEPEST));
        }
        Ok(())
    }

    fn values(&self, task: &Task<'_>) -> Result<Values, EngineError> {
        self.supports(task)?;
        let on_its_own = with_deep_stack(|| listed_values(task));
        on_its_own.map_err(|_| Stopped(StopReason::Memory))?
    }
}

fn listed_values(task: &Task<'_>) -> Result<Values, EngineError> {
    let listed = Listed::new(task)?;
    let atoms = listed.atoms(task);
    let pair = match task.formula.logic() {
        Logic::Ltl => linear::listed_value(task, &listed)?,
        Logic::CtlStar => {
            let fairness = task.model.fairness().len().into();
            star_value(&listed.structure, task.formula, &atoms, &fairness, listed.ended)?
        }
        logic => {
            let ending = task.reading.deadlock == Deadlock::Maximal && logic == Logic::Ctl;
            evaluate(&listed.structure, task.formula, &atoms, ending)?
        }
    };
    Ok(listed.values(&pair))
}

/// What says nothing about a single path.
fn is_modal(node: &Node) -> bool {
    matches!(node, Node::Diamond(..) | Node::Box(..) | Node::Var(_) | Node::Mu(..) | Node::Nu(..))
}

fn star_supported(task: &Task<'_>) -> Result<(), Unsupported> {
    if task.formula.nodes().iter().any(is_modal) {
        let reason = "modalities and fixpoints say nothing about a single path".to_owned();
        return Err(Unsupported { engine: NAME, reason });
    }
    Ok(())
}

/// Linear questions are answered under every reading.
fn linear_supported(task: &Task<'_>) -> Result<(), Unsupported> {
    let branching = |node: &Node| is_modal(node) || matches!(node, Node::All(_) | Node::Exists(_));
    if task.formula.nodes().iter().any(branching) {
        let reason = "modalities, fixpoints and path quantifiers say nothing about a single path".to_owned();
        return Err(Unsupported { engine: NAME, reason });
    }
    Ok(())
}
