//! Connections that notice when a process is gone.
//!
//! Timely dataflow reads from each peer with a thread of its own, which panics if the connection breaks or what comes makes no sense. The stream
//! that it reads from is dropped then, and notes whose it was; workers look at the note and end.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use std::sync::Arc;
use timely::communication::allocator::zero_copy::stream::Stream;

/// Nobody is lost.
const NOBODY: usize = usize::MAX;

/// What is known of the peers of a process.
#[derive(Debug)]
pub(crate) struct PeerWatch {
    lost: AtomicUsize,
    /// Everything is done: who goes now is not lost.
    finished: AtomicBool,
    sent: AtomicU64,
}

impl PeerWatch {
    pub fn new() -> Self {
        Self { lost: AtomicUsize::new(NOBODY), finished: AtomicBool::new(false), sent: AtomicU64::new(0) }
    }

    /// The first process that was lost.
    pub fn lost(&self) -> Option<usize> {
        Some(self.lost.load(Ordering::Acquire)).filter(|&process| process != NOBODY)
    }

    pub fn finish(&self) {
        self.finished.store(true, Ordering::Release);
    }

    /// Bytes written to other processes.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    fn note(&self, process: usize) {
        if !self.finished.load(Ordering::Acquire) {
            let _ = self.lost.compare_exchange(NOBODY, process, Ordering::AcqRel, Ordering::Relaxed);
        }
    }
}

/// A connection to one process.
#[derive(Debug)]
pub(crate) struct PeerStream {
    pub socket: TcpStream,
    pub process: usize,
    pub watch: Arc<PeerWatch>,
}

impl Drop for PeerStream {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.watch.note(self.process);
        }
    }
}

impl Read for PeerStream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        // Only the library's threads read and write. They panic if the connection breaks, or when the other end of their queues has.
        tertium_base::panics::expect_here();
        self.socket.read(bytes)
    }
}

impl Write for PeerStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        tertium_base::panics::expect_here();
        let written = self.socket.write(bytes)?;
        self.watch.sent.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        tertium_base::panics::expect_here();
        self.socket.flush()
    }
}

impl Stream for PeerStream {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { socket: self.socket.try_clone()?, process: self.process, watch: Arc::clone(&self.watch) })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.socket.shutdown(how)
    }
}
