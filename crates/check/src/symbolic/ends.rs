//! How does a path go on that has ended, where finite paths count?

use tertium_base::Stopped;
use tertium_dd::{Bit, RelationPart, Set};

use super::stepwise::StepValues;
use super::structure::Structure;
use crate::Filter;

/// Where finite paths count, a path that ends stays where it is for ever, marked by a bit: possible where nothing
/// forces a step, certain where there is none; that a path ends or goes on is certain. Staying counts for no fairness
/// constraint.
pub(super) fn add_ends(structure: &mut Structure, ended: (Bit, Bit)) -> Result<Option<Ends>, Stopped> {
    let diagrams = structure.diagrams.clone();
    let running = diagrams.bit(ended.0)?.not();
    for (_, steps) in &mut structure.steps {
        steps.possible = steps.possible.from(&running)?;
        if let Some(certain) = &mut steps.certain {
            *certain = certain.from(&running)?;
        }
        if let Some(hyper) = &mut steps.hyper {
            hyper.choices = hyper.choices.and(&running)?;
        }
        if let Some((states, _)) = &mut steps.together {
            *states = states.and(&running)?;
        }
    }
    let Some((_, all)) = structure.steps.iter_mut().find(|(filter, _)| *filter == Filter::Any) else {
        return Ok(None);
    };
    let dead = structure.states.minus(&all.possible.sources(&diagrams)?)?.and(&running)?;
    let pushed = all.pushed(&diagrams)?;
    let may_end = structure.states.minus(&pushed)?.and(&running)?.or(&dead)?;
    let over = diagrams.bit(ended.1)?;
    let enter = |from: &Set| RelationPart::new(&diagrams, from.and(&over)?, &[ended]);
    let stay = RelationPart::new(&diagrams, structure.states.minus(&running)?, &[])?;
    let ends_or_goes_on = may_end.minus(&dead)?;
    let ends = Ends { surely: enter(&dead)?, perhaps: enter(&ends_or_goes_on)?, stay, running };
    let mut certain = all.sure().clone();
    certain.parts.extend([ends.surely.clone(), ends.stay.clone()]);
    all.possible.parts.extend([ends.surely.clone(), ends.perhaps.clone(), ends.stay.clone()]);
    all.certain = Some(certain);
    let known = all.together.take().map_or_else(|| diagrams.empty(), |(states, _)| states);
    let together = known.or(&ends_or_goes_on)?;
    all.together = (!together.is_empty()).then(|| (together, all.possible.clone()));
    structure.bits.push(ended);
    Ok(Some(ends))
}

/// The steps of paths that end.
pub(super) struct Ends {
    /// Into the end, where there is no other step.
    surely: RelationPart,
    /// Into the end, where nothing forces another step.
    perhaps: RelationPart,
    /// At the end.
    stay: RelationPart,
    /// Where paths have not ended.
    running: Set,
}

impl Ends {
    /// Gives the steps their values: what must end surely does.
    pub fn add_to(&self, values: &mut StepValues) -> Result<(), Stopped> {
        for (filter, kind) in &mut values.kinds {
            for steps in [&mut kind.perhaps, &mut kind.surely] {
                steps.certain = steps.certain.from(&self.running)?;
                steps.open = steps.open.from(&self.running)?;
                if *filter == Filter::Any {
                    steps.certain.parts.extend([self.surely.clone(), self.stay.clone()]);
                    steps.open.parts.push(self.perhaps.clone());
                }
            }
        }
        Ok(())
    }
}
