//! Sorted keys, in memory or in a file: each as the difference from the one before it, in blocks that are found by their first key.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use tertium_base::narrow::folded;

use crate::rows::{put, take};

/// So many keys are a block.
const BLOCK: usize = 512;
/// Bytes are written when there are so many.
const WRITTEN_AT_ONCE: usize = 1 << 18;

/// Where a block begins.
#[derive(Clone, Copy, Debug)]
struct BlockStart {
    first: u64,
    offset: u64,
    sum: u64,
}

/// All bits of a block in 64.
fn sum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        folded(u128::from(sum ^ u64::from_le_bytes(word)) * u128::from(0xD6E8_FEB8_6659_FD93_u64)).rotate_left(23)
    })
}

/// A file of sorted keys, one part after the other. It goes when this does.
#[derive(Debug)]
pub(super) struct KeyFile {
    file: File,
    path: PathBuf,
    /// What is not written yet.
    buffer: Vec<u8>,
    written: u64,
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        // Whoever cannot remove it finds it in the folder that was named.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl KeyFile {
    pub fn create(path: PathBuf) -> io::Result<Self> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
        Ok(Self { file, path, buffer: Vec::new(), written: 0 })
    }

    fn end(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= WRITTEN_AT_ONCE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.written))?;
        self.file.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn read(&mut self, offset: u64, len: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        if offset + len as u64 > self.written {
            self.flush()?;
        }
        bytes.resize(len, 0);
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.read_exact(bytes)
    }

    /// Bytes in the file.
    pub fn bytes(&self) -> u64 {
        self.end()
    }
}

/// Sorted keys that are a part of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedKeys {
    blocks: Vec<BlockStart>,
    end: u64,
    len: usize,
}

impl SortedKeys {
    pub fn len(&self) -> usize {
        self.len
    }

    /// Bytes that are kept in memory.
    pub fn index_bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<BlockStart>()
    }

    /// Reads the keys of the block that begins with the key of this number; none behind the last.
    pub fn read_at(&self, file: &mut KeyFile, number: usize, keys: &mut Vec<u64>) -> io::Result<()> {
        if number < self.len { self.read_block(file, number / BLOCK, &mut Vec::new(), keys) } else { Ok(()) }
    }

    fn read_block(&self, file: &mut KeyFile, at: usize, bytes: &mut Vec<u8>, keys: &mut Vec<u64>) -> io::Result<()> {
        let start = self.blocks[at];
        let end = self.blocks.get(at + 1).map_or(self.end, |next| next.offset);
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is not what was written");
        let len = usize::try_from(end - start.offset).map_err(|_| damaged())?;
        file.read(start.offset, len, bytes)?;
        if sum(bytes) != start.sum {
            return Err(damaged());
        }
        keys.clear();
        keys.push(start.first);
        let (mut rest, mut key) = (bytes.as_slice(), start.first);
        while !rest.is_empty() {
            key = take(&mut rest).ok().and_then(|step| key.checked_add(step)).ok_or_else(damaged)?;
            keys.push(key);
        }
        Ok(())
    }
}

/// Writes keys, which come in order and differ, behind what is in a file.
pub(super) struct KeyWriter<'f> {
    file: &'f mut KeyFile,
    written: SortedKeys,
    block: Vec<u8>,
    in_block: usize,
    last: u64,
}

impl<'f> KeyWriter<'f> {
    pub fn new(file: &'f mut KeyFile) -> Self {
        Self { file, written: SortedKeys::default(), block: Vec::new(), in_block: 0, last: 0 }
    }

    pub fn add(&mut self, key: u64) -> io::Result<()> {
        if self.in_block == BLOCK {
            self.close_block()?;
        }
        if self.in_block == 0 {
            let offset = self.file.end();
            self.written.blocks.push(BlockStart { first: key, offset, sum: 0 });
        } else {
            put(&mut self.block, key - self.last);
        }
        self.last = key;
        self.in_block += 1;
        self.written.len += 1;
        Ok(())
    }

    fn close_block(&mut self) -> io::Result<()> {
        if let Some(start) = self.written.blocks.last_mut() {
            start.sum = sum(&self.block);
        }
        self.file.append(&self.block)?;
        self.block.clear();
        self.in_block = 0;
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<SortedKeys> {
        self.close_block()?;
        self.written.end = self.file.end();
        Ok(self.written)
    }
}

/// Sorted keys wherever they are.
#[derive(Debug)]
pub(super) enum KeyRun {
    Memory(Vec<u64>),
    Disk(KeyFile, SortedKeys),
}

impl KeyRun {
    /// A run in a file of its own.
    pub fn on_disk(path: &Path, write: impl FnOnce(&mut KeyWriter<'_>) -> io::Result<()>) -> io::Result<Self> {
        let mut file = KeyFile::create(path.to_owned())?;
        let mut writer = KeyWriter::new(&mut file);
        write(&mut writer)?;
        let keys = writer.finish()?;
        file.flush()?;
        Ok(Self::Disk(file, keys))
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Memory(keys) => keys.len(),
            Self::Disk(_, keys) => keys.len(),
        }
    }

    /// Bytes in memory and on disk.
    pub fn bytes(&self) -> (usize, u64) {
        match self {
            Self::Memory(keys) => (keys.capacity() * 8, 0),
            Self::Disk(file, keys) => (keys.index_bytes(), file.bytes()),
        }
    }

    pub fn cursor(&mut self) -> KeyCursor<'_> {
        match self {
            Self::Memory(keys) => KeyCursor::in_memory(keys),
            Self::Disk(file, keys) => KeyCursor::in_file(file, keys),
        }
    }
}

/// Goes through sorted keys.
pub(super) struct KeyCursor<'k> {
    source: Option<(&'k mut KeyFile, &'k SortedKeys)>,
    /// The keys at hand: all of them, or those of a block.
    keys: std::borrow::Cow<'k, [u64]>,
    at: usize,
    next_block: usize,
    bytes: Vec<u8>,
}

impl<'k> KeyCursor<'k> {
    pub fn in_memory(keys: &'k [u64]) -> Self {
        Self { source: None, keys: keys.into(), at: 0, next_block: 0, bytes: Vec::new() }
    }

    pub fn in_file(file: &'k mut KeyFile, keys: &'k SortedKeys) -> Self {
        Self { source: Some((file, keys)), keys: Vec::new().into(), at: 0, next_block: 0, bytes: Vec::new() }
    }

    /// The next key, which stays the next.
    pub fn peek(&mut self) -> io::Result<Option<u64>> {
        if self.at == self.keys.len() {
            let Some((file, keys)) = &mut self.source else { return Ok(None) };
            if self.next_block == keys.blocks.len() {
                return Ok(None);
            }
            keys.read_block(file, self.next_block, &mut self.bytes, self.keys.to_mut())?;
            (self.next_block, self.at) = (self.next_block + 1, 0);
        }
        Ok(self.keys.get(self.at).copied())
    }

    pub fn next_key(&mut self) -> io::Result<Option<u64>> {
        let key = self.peek()?;
        self.at += usize::from(key.is_some());
        Ok(key)
    }

    /// Whether this key is among them. Those before it are passed; blocks that cannot have it are not read.
    pub fn has(&mut self, key: u64) -> io::Result<bool> {
        let is_behind = self.keys.last().is_none_or(|&last| last < key);
        if let (true, Some((_, keys))) = (is_behind, &self.source) {
            let rest = &keys.blocks[self.next_block..];
            let skipped = rest.partition_point(|block| block.first <= key).saturating_sub(1);
            self.next_block += skipped;
            self.at = self.keys.len();
            // What is at hand ends before the key, and so does what was skipped.
            if self.peek()?.is_none() {
                return Ok(false);
            }
        }
        self.at += self.keys[self.at..].partition_point(|&other| other < key);
        Ok(self.keys.get(self.at) == Some(&key))
    }
}

/// Merges sorted keys, each once; `each` gets them in order.
pub(super) fn merge(mut cursors: Vec<KeyCursor<'_>>, each: &mut dyn FnMut(u64) -> io::Result<()>) -> io::Result<()> {
    let mut heap = std::collections::BinaryHeap::new();
    for (at, cursor) in cursors.iter_mut().enumerate() {
        heap.extend(cursor.next_key()?.map(|key| std::cmp::Reverse((key, at))));
    }
    let mut last = None;
    while let Some(std::cmp::Reverse((key, at))) = heap.pop() {
        if last != Some(key) {
            each(key)?;
            last = Some(key);
        }
        heap.extend(cursors[at].next_key()?.map(|key| std::cmp::Reverse((key, at))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tertium_testkit::Rng;

    fn random_keys(rng: &mut Rng, most: usize) -> Vec<u64> {
        let range = *rng.pick(&[50, 5_000, usize::MAX >> 1]);
        let keys: BTreeSet<u64> = (0..rng.below(most)).map(|_| rng.below(range) as u64).collect();
        keys.into_iter().collect()
    }

    #[test]
    fn keys_come_back_are_found_and_merged() {
        let mut rng = Rng::new(28);
        for round in 0..60 {
            let lists: Vec<Vec<u64>> = (0..1 + rng.below(4)).map(|_| random_keys(&mut rng, 4_000)).collect();
            let name = |at: usize| format!("tertium-keys-{}-{round}-{at}", std::process::id());
            let written = lists.iter().enumerate().map(|(at, keys)| {
                let path = std::env::temp_dir().join(name(at));
                KeyRun::on_disk(&path, |writer| keys.iter().try_for_each(|&key| writer.add(key))).expect("written")
            });
            let mut runs: Vec<KeyRun> = written.collect();
            let asked = random_keys(&mut rng, 3_000);
            for (run, keys) in runs.iter_mut().zip(&lists) {
                assert_eq!(run.len(), keys.len());
                let mut cursor = run.cursor();
                for &key in &asked {
                    assert_eq!(cursor.has(key).expect("readable"), keys.binary_search(&key).is_ok(), "{key}");
                }
            }
            let mut merged = Vec::new();
            let cursors = runs.iter_mut().map(KeyRun::cursor).collect();
            merge(cursors, &mut |key| {
                merged.push(key);
                Ok(())
            })
            .expect("readable");
            let expected: BTreeSet<u64> = lists.concat().into_iter().collect();
            assert_eq!(merged, expected.into_iter().collect::<Vec<u64>>());
        }
    }

    #[test]
    fn what_is_not_what_was_written_is_noticed() {
        let path = std::env::temp_dir().join(format!("tertium-keys-{}-damaged", std::process::id()));
        let mut run =
            KeyRun::on_disk(&path, |writer| (0..2_000).try_for_each(|key| writer.add(key * 3))).expect("written");
        let mut bytes = std::fs::read(&path).expect("written");
        bytes[700] ^= 4;
        std::fs::write(&path, bytes).expect("written");
        let mut cursor = run.cursor();
        let read = std::iter::from_fn(|| cursor.next_key().transpose()).collect::<io::Result<Vec<u64>>>();
        assert!(read.is_err());
    }
}
