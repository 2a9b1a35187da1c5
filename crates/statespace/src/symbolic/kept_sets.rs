//! Sets of reached states in the folder of a run.

use std::cell::Cell;
use std::time::Instant;

use tertium_dd::Set;
use tertium_encode::{Bounds, InstantiatedProgram, ReachedSets};
use tertium_explore::search::checkpoint_folder::{CheckpointFolder, RecordKind};
use tertium_program::fingerprint::fingerprint;

/// The sets that are reached by the steps of one program.
pub(super) struct KeptSets<'a> {
    folder: &'a CheckpointFolder,
    /// What gives bits their meaning, besides their order.
    identity: String,
    last: Cell<Instant>,
}

impl<'a> KeptSets<'a> {
    pub(super) fn of(folder: &'a CheckpointFolder, subject: &InstantiatedProgram<'_>, believed: &[Bounds]) -> Self {
        let identity = format!("{:016x} {believed:?}", fingerprint(subject.program()));
        Self { folder, identity, last: Cell::new(Instant::now()) }
    }

    fn name(&self, order: &str) -> String {
        format!("{} {order}", self.identity)
    }
}

impl ReachedSets for KeptSets<'_> {
    fn kept(&self, order: &str) -> Option<Vec<u32>> {
        let bytes = self.folder.kept(RecordKind::Set, &self.name(order))?;
        Some(bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default())).collect())
    }

    fn reached(&self, order: &str, set: &Set, is_all: bool) {
        if !is_all && self.last.get().elapsed() < self.folder.every() {
            return;
        }
        let bytes: Vec<u8> = set.to_words().into_iter().flat_map(u32::to_le_bytes).collect();
        self.folder.keep(RecordKind::Set, &self.name(order), &bytes);
        self.last.set(Instant::now());
    }
}
