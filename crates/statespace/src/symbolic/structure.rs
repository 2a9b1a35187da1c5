//! What do the engines over sets see of an encoded program?
//!
//! A structure whose steps are all decided: one relation for all steps, one for each fairness constraint and one for each process.
//! Labels are pairs of sets, open where a condition has no value.

use std::cell::RefCell;
use std::rc::Rc;

use tertium_base::Stopped;
use tertium_base::narrow::to_u32;
use tertium_check::Filter;
use tertium_check::symbolic::{KnownFixpoints, Pair, Steps, Structure};
use tertium_dd::{RelationPart, TransitionRelation};
use tertium_encode::{Encoding, EncodingError};
use tertium_model::ActionId;
use tertium_program::ExprId;

/// An expression's value as labels: unknown where it has none.
///
/// # Errors
/// If it is not one of those that are encoded, or a limit is reached.
pub fn label(encoding: &Encoding<'_>, expr: ExprId) -> Result<Pair, EncodingError> {
    let (holds, wrong) = encoding.condition(expr)?;
    Ok(Pair { yes: holds.minus(&wrong)?, open: holds.or(&wrong)? })
}

/// The structure of reachable states. Constraint `i` of fairness is that of the `i`-th pid in `fair`; actions are
/// numbered like the processes; states without successors get a loop if `stutter`.
///
/// # Errors
/// `Stopped` if a limit is reached.
pub fn structure(encoding: &Encoding<'_>, fair: &[u32], actions: bool, stutter: bool) -> Result<Structure, Stopped> {
    let diagrams = encoding.diagrams().clone();
    let loops = if stutter { vec![RelationPart::new(&diagrams, encoding.dead()?, &[])?] } else { Vec::new() };
    let pids = 0..to_u32(encoding.program().instances.len());
    let mut all = encoding.relation();
    all.parts.extend(loops.iter().cloned());
    let mut steps = vec![(Filter::Any, Steps::complete(all))];
    for (at, &pid) in fair.iter().enumerate() {
        let disabled = encoding.enabled(pid).not();
        let mut parts = encoding.steps_of(pid).to_vec();
        for other in pids.clone().filter(|&other| other != pid) {
            let idle: Result<Vec<RelationPart>, Stopped> =
                encoding.steps_of(other).iter().map(|part| part.from(&disabled)).collect();
            parts.extend(idle?);
        }
        parts.extend(loops.iter().cloned());
        steps.push((Filter::Fair(at), Steps::complete(TransitionRelation { parts })));
    }
    if actions {
        for pid in pids {
            let relation = TransitionRelation { parts: encoding.steps_of(pid).to_vec() };
            steps.push((Filter::Action(ActionId::new(pid as usize)), Steps::complete(relation)));
        }
    }
    let bits = encoding.cells().state_bits();
    Ok(Structure { diagrams, bits, states: encoding.reached.clone(), steps, known: KnownFixpoints::default() })
}

/// What a structure is made of besides the encoding: as [`structure`] is asked for it.
type StructureKey = (Vec<u32>, bool, bool);

/// The structures of one encoding that were asked for, so that what is found about paths in one of them is found once for all questions. Clones share them.
#[derive(Clone, Default)]
pub struct KnownStructures(Rc<RefCell<Vec<(StructureKey, Structure)>>>);

impl KnownStructures {
    /// As [`structure`].
    ///
    /// # Errors
    /// `Stopped` if a limit is reached.
    pub fn structure(
        &self,
        encoding: &Encoding<'_>,
        fair: &[u32],
        actions: bool,
        stutter: bool,
    ) -> Result<Structure, Stopped> {
        let key = (fair.to_vec(), actions, stutter);
        let known = self.0.borrow().iter().find(|(known, _)| *known == key).map(|(_, known)| known.clone());
        if let Some(known) = known {
            return Ok(known);
        }
        let made = structure(encoding, fair, actions, stutter)?;
        self.0.borrow_mut().push((key, made.clone()));
        Ok(made)
    }
}
