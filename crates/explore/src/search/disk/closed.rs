//! The keys of the states that were visited: a few sorted runs, each at least twice as long as the next (O'Neil et al. 1996).

use std::io;
use std::path::{Path, PathBuf};

use super::sorted::{KeyCursor, KeyRun, merge};

/// Visited states by their keys.
#[derive(Debug)]
pub(super) struct ClosedKeys {
    folder: PathBuf,
    /// The longest first.
    runs: Vec<KeyRun>,
    /// Runs with more keys are in files.
    most_in_memory: usize,
    made: usize,
}

impl ClosedKeys {
    pub fn new(folder: &Path, most_in_memory: usize) -> Self {
        Self { folder: folder.to_owned(), runs: Vec::new(), most_in_memory, made: 0 }
    }

    /// Adds sorted keys, none of which is there.
    pub fn add(&mut self, run: KeyRun) -> io::Result<()> {
        if run.len() == 0 {
            return Ok(());
        }
        let run = match run {
            KeyRun::Memory(keys) if keys.len() > self.most_in_memory => {
                let path = self.next_path();
                KeyRun::on_disk(&path, |writer| keys.iter().try_for_each(|&key| writer.add(key)))?
            }
            run => run,
        };
        self.runs.push(run);
        while let [.., before, last] = self.runs.as_slice()
            && before.len() < 2 * last.len()
        {
            self.merge_last()?;
        }
        Ok(())
    }

    fn next_path(&mut self) -> PathBuf {
        self.made += 1;
        self.folder.join(format!("closed-{}.keys", self.made))
    }

    fn merge_last(&mut self) -> io::Result<()> {
        let mut two = self.runs.split_off(self.runs.len() - 2);
        let len = two.iter().map(KeyRun::len).sum();
        let cursors: Vec<KeyCursor<'_>> = two.iter_mut().map(KeyRun::cursor).collect();
        let merged = if len <= self.most_in_memory {
            let mut keys = Vec::with_capacity(len);
            merge(cursors, &mut |key| {
                keys.push(key);
                Ok(())
            })?;
            KeyRun::Memory(keys)
        } else {
            let path = self.next_path();
            KeyRun::on_disk(&path, |writer| merge(cursors, &mut |key| writer.add(key)))?
        };
        self.runs.push(merged);
        Ok(())
    }

    /// Cursors to ask for keys that come in order.
    pub fn cursors(&mut self) -> Vec<KeyCursor<'_>> {
        self.runs.iter_mut().map(KeyRun::cursor).collect()
    }

    /// Bytes in memory and on disk.
    pub fn bytes(&self) -> (usize, u64) {
        self.runs.iter().map(KeyRun::bytes).fold((0, 0), |sum, run| (sum.0 + run.0, sum.1 + run.1))
    }
}
