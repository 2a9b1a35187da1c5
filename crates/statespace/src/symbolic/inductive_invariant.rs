//! Which inductive invariant shows that nothing bad is ever reached?
//!
//! The set of reachable states is one; a smaller text says as much. It is generalised: cells that the proof does not need are quantified away,
//! as long as what remains is inductive and all of it is good. The set goes into a certificate (`invariant_terms`), whose obligations a solver decides
//! without this engine; so whatever is wrong here costs a certificate, never a wrong one.

use tertium_base::Stopped;
use tertium_cegar::predicate_abstraction::basis::Basis;
use tertium_dd::{Bit, QuantifiedBits, RelationPart, Set, TransitionRelation};
use tertium_encode::{Encoding, EncodingError, InstantiatedProgram};
use tertium_kernel::vocabulary::NoTerm;

use super::invariant_terms;

/// Cells are forgotten in portions, and so many portions are tried.
const MOST_TRIALS: usize = 2000;

/// A set of states that contains the initial ones, that no step leaves, and whose states are all `good`; why there is none.
pub(super) fn basis(encoding: &Encoding<'_>, subject: &InstantiatedProgram<'_>, good: &Set) -> Basis {
    let set = match smaller(encoding, subject, good) {
        // Whoever has no room for a smaller set takes the one that is there.
        Err(EncodingError::Stopped(_)) => encoding.reached.clone(),
        Err(EncodingError::Unfit(why)) => return Basis::Untold(why),
        Ok(set) => set,
    };
    match invariant_terms::abstraction(encoding, subject, &set) {
        Ok(invariant) => Basis::States(invariant),
        Err(NoTerm(why)) => Basis::Untold(why),
    }
}

fn smaller(encoding: &Encoding<'_>, subject: &InstantiatedProgram<'_>, good: &Set) -> Result<Set, EncodingError> {
    // From other states not all steps are known.
    let good = &good.and(&encoding.plausible()?)?;
    // Whoever checks that only listed processes are started has to know who is there.
    let starts = invariant_terms::later(subject).is_ok_and(|later| !later.is_empty());
    let locations: Vec<usize> = encoding.locations();
    let mut generalisation = Generalisation {
        encoding,
        good,
        relation: encoding.relation(),
        fixed: if starts { locations } else { Vec::new() },
        kept: vec![false; encoding.cells().cells.len()],
        set: encoding.reached.clone(),
        trials: 0,
    };
    generalisation.grow()?;
    generalisation.shrink()?;
    Ok(generalisation.set)
}

/// Which cells an inductive invariant needs.
struct Generalisation<'s, 'p> {
    encoding: &'s Encoding<'p>,
    good: &'s Set,
    relation: TransitionRelation,
    /// Cells that are never forgotten.
    fixed: Vec<usize>,
    kept: Vec<bool>,
    set: Set,
    trials: usize,
}

impl Generalisation<'_, '_> {
    /// Begins with the cells that tell good from bad; as long as a step leads out, something that it depends on is kept as well.
    fn grow(&mut self) -> Result<(), EncodingError> {
        for at in self.cells_of(self.good).into_iter().chain(self.fixed.iter().copied()) {
            self.kept[at] = true;
        }
        loop {
            let set = self.projected(&self.kept)?;
            let Some(leaving) = leaving(&self.relation, &set)? else {
                self.set = set;
                return Ok(());
            };
            let fresh: Vec<usize> =
                self.cells_with(&leaving.support()).into_iter().filter(|&at| !self.kept[at]).collect();
            // If nothing is left to be kept, the step leads out of what can be reached, which none does.
            if fresh.is_empty() || self.trials > MOST_TRIALS {
                self.kept.fill(true);
                self.set = self.encoding.reached.clone();
                return Ok(());
            }
            let leaving = leaving.clone();
            match self.keeper(&leaving, &fresh)? {
                Some(one) => self.kept[one] = true,
                None => fresh.into_iter().for_each(|at| self.kept[at] = true),
            }
        }
    }

    /// One cell whose value keeps a step inside.
    fn keeper(&mut self, leaving: &RelationPart, fresh: &[usize]) -> Result<Option<usize>, EncodingError> {
        for &at in fresh {
            self.trials += 1;
            let mut kept = self.kept.clone();
            kept[at] = true;
            let set = self.projected(&kept)?;
            if leaving.image(&set)?.is_subset(&set)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Forgets what is not needed: half of the cells at once, then quarters, at last single ones.
    fn shrink(&mut self) -> Result<(), EncodingError> {
        let cells: Vec<usize> = (0..self.kept.len()).filter(|&at| self.kept[at] && !self.fixed.contains(&at)).collect();
        let mut portion = cells.len();
        while portion > 0 && self.trials < MOST_TRIALS {
            for part in cells.chunks(portion) {
                let here: Vec<usize> = part.iter().copied().filter(|&at| self.kept[at]).collect();
                if here.is_empty() {
                    continue;
                }
                self.trials += 1;
                let tried = forgotten(self.encoding, &self.set, &here)?;
                if tried.is_subset(self.good)? && leaving(&self.relation, &tried)?.is_none() {
                    here.iter().for_each(|&at| self.kept[at] = false);
                    self.set = tried;
                }
            }
            portion /= 2;
        }
        Ok(())
    }

    /// What can be reached, as far as these cells tell.
    fn projected(&self, kept: &[bool]) -> Result<Set, EncodingError> {
        let others: Vec<usize> = (0..kept.len()).filter(|&at| !kept[at]).collect();
        forgotten(self.encoding, &self.encoding.reached, &others)
    }

    /// The cells that a set depends on, before a step or after it.
    fn cells_of(&self, set: &Set) -> Vec<usize> {
        self.cells_with(&set.support())
    }

    /// The cells that these bits belong to.
    fn cells_with(&self, bits: &[Bit]) -> Vec<usize> {
        let cells = &self.encoding.cells().cells;
        let speaks = |&at: &usize| {
            let own =
                |&(now, later): &(Bit, Bit)| bits.binary_search(&now).is_ok() || bits.binary_search(&later).is_ok();
            cells[at].bits.iter().any(own)
        };
        (0..cells.len()).filter(speaks).collect()
    }
}

/// The set with any values of these cells.
fn forgotten(encoding: &Encoding<'_>, set: &Set, cells: &[usize]) -> Result<Set, EncodingError> {
    let bits = cells.iter().flat_map(|&at| encoding.cells().cells[at].bits.iter().map(|&(now, _)| now));
    let bits: QuantifiedBits = encoding.diagrams().quantified(bits)?;
    Ok(set.exists(&bits)?.and(&encoding.typed(cells)?)?)
}

/// Steps that lead out of a set.
fn leaving<'r>(relation: &'r TransitionRelation, set: &Set) -> Result<Option<&'r RelationPart>, Stopped> {
    for part in &relation.parts {
        if !part.image(set)?.is_subset(set)? {
            return Ok(Some(part));
        }
    }
    Ok(None)
}
