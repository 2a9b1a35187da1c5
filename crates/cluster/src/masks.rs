//! How all processes agree which bits of rows are stored, so that they can send keys instead of rows.
//!
//! When there are enough states, each process says which bits vary among its own, and the mask is made of what all have said (`explore`'s store). A state that has no key by it
//! is kept aside, and sent as a row; after the round all agree on another mask, and then it is entered. Keys that were sent are of
//! the mask of their round, and who keeps a state does not depend on masks, so nothing else has to be done anew.

use std::sync::{Arc, PoisonError};

use tertium_base::narrow::folded;
use tertium_explore::rows::RowList;
use tertium_explore::search::Observer;
use tertium_explore::store::VaryingBits;
use tertium_explore::successors::RowSuccessors;

use crate::failure::ClusterFailure;
use crate::leader::Leader;
use crate::own_states::RoundReport;
use crate::owners::KeyOwners;
use crate::threads::lock;

/// So often all agree on another mask; then rows are stored whole.
const MOST_ATTEMPTS: u32 = 8;

/// How rows are masked.
#[derive(Clone, Debug, Default)]
enum Masking {
    /// There are too few states to tell.
    #[default]
    NotYet,
    Keys(Arc<KeyOwners>),
    /// Too many bits vary.
    Never,
}

/// What a process knows of masks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Masks {
    masking: Masking,
    attempts: u32,
    /// The bits that varied among states that are not visited yet.
    sampled: VaryingBits,
}

impl Masks {
    /// A number that is another one if rows are masked in another way.
    pub fn digest(&self) -> u64 {
        let digest = match &self.masking {
            Masking::NotYet => 0,
            Masking::Keys(owners) => owners.digest(),
            Masking::Never => 1,
        };
        folded(u128::from(digest) * u128::from(0xA076_1D64_78BD_642F_u64))
    }

    /// How often a mask was agreed on.
    pub fn made(&self) -> usize {
        self.attempts as usize
    }

    /// Whether it is time to agree on a mask, or another one.
    pub fn are_due(&self, reports: &[RoundReport], enough: usize) -> bool {
        let states: usize = reports.iter().map(|report| report.states).sum();
        let is_time = matches!(self.masking, Masking::NotYet) && states >= enough.max(1);
        reports.len() > 1 && (is_time || reports.iter().any(|report| report.aside > 0))
    }
}

impl<S: RowSuccessors, O: Observer> Leader<'_, '_, '_, S, O> {
    /// Agrees on a mask with all processes, and enters what was kept aside.
    pub fn mask_together(&mut self) -> Result<(), ClusterFailure> {
        let aside = self.take_aside();
        let ours = self.varying(&aside);
        let mut varying = VaryingBits::default();
        for theirs in self.rounds.gather(ours.0)? {
            varying.absorb(&theirs);
        }
        self.own.masks.attempts += 1;
        self.mask_by(&varying);
        let owners = match &self.own.masks.masking {
            Masking::Keys(owners) => Some(owners),
            Masking::NotYet | Masking::Never => None,
        };
        self.shared.mask_by(owners);
        self.enter_aside(aside)
    }

    fn take_aside(&mut self) -> RowList {
        let mut aside = RowList::default();
        for outbox in &self.shared.outboxes {
            let theirs = &mut lock(outbox).aside;
            (0..theirs.len()).for_each(|at| aside.add(theirs.row(at)));
            theirs.clear();
        }
        aside
    }

    /// The bits in which states of this process differ from the first initial one.
    fn varying(&mut self, aside: &RowList) -> VaryingBits {
        let Some(first) = self.own.question.initial.first() else { return VaryingBits::default() };
        let store = self.shared.store();
        if matches!(self.own.masks.masking, Masking::NotYet) && !store.is_empty() {
            // Far from the beginning other bits vary.
            let rows = self.worker.walk(&store);
            rows.iter().for_each(|row| self.own.masks.sampled.note(first, row));
        }
        let Masks { sampled, attempts, .. } = &self.own.masks;
        let mut varying = sampled.clone();
        store.note_varying(first, &mut varying);
        for at in 0..aside.len() {
            varying.note(first, aside.row(at));
            varying.absorb(&store.missing_bits(aside.row(at), attempts.saturating_sub(1)));
        }
        varying
    }

    /// Masks the rows of this process's states.
    fn mask_by(&mut self, varying: &VaryingBits) {
        let Some(first) = self.own.question.initial.first() else { return };
        let mut store = self.shared.store.write().unwrap_or_else(PoisonError::into_inner);
        if let Err(stopped) = self.own.question.options.budget.reserve(store.bytes()) {
            self.own.stopped = Some(stopped);
        } else if self.own.masks.attempts > MOST_ATTEMPTS {
            store.store_whole_rows(self.threads);
        } else {
            store.mask_by(first, varying, self.threads);
        }
        let owners = store.key_mask().map(|mask| Arc::new(KeyOwners::of(mask, self.shared.processes)));
        self.own.masks.masking = owners.map_or(Masking::Never, Masking::Keys);
    }
}
