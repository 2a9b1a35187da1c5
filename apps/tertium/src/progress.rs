//! Is it still alive, and what is it doing?
//!
//! On a terminal a line that ticks, from half a second on; elsewhere one line every ten seconds.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::terminal::{self, Stream};

/// What the run is doing now, told by the pipeline and shown by a thread.
#[derive(Clone, Debug, Default)]
pub struct Phase(Arc<Mutex<String>>);

impl tertium_driver::Observer for Phase {
    fn phase(&self, what: &str) {
        if let Ok(mut now) = self.0.lock() {
            what.clone_into(&mut now);
        }
    }
}

impl Phase {
    fn text(&self) -> String {
        self.0.lock().map_or_else(|_| String::new(), |now| now.clone())
    }
}

/// The thread that shows the phase; dropping it clears the line.
#[derive(Debug)]
pub struct Progress {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts to show `phase`, unless `quiet`.
    #[must_use]
    pub fn start(phase: Phase, quiet: bool) -> Self {
        if quiet {
            return Self { done: None, thread: None };
        }
        let (done, ended) = channel();
        let live = terminal::is_terminal(Stream::Err);
        let thread = std::thread::spawn(move || {
            let start = Instant::now();
            let mut wait = Duration::from_millis(if live { 500 } else { 10_000 });
            let mut shown = false;
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                let line = format!("{} ... {}s{}", phase.text(), start.elapsed().as_secs(), memory());
                if live {
                    terminal::write(Stream::Err, &format!("\r\x1b[2K{line}"));
                    shown = true;
                    wait = Duration::from_millis(200);
                } else {
                    terminal::write(Stream::Err, &format!("{line}\n"));
                }
            }
            if shown {
                terminal::write(Stream::Err, "\r\x1b[2K");
            }
        });
        Self { done: Some(done), thread: Some(thread) }
    }
}

fn memory() -> String {
    let bytes = tertium_base::memory::in_use();
    if bytes < 10 << 20 { String::new() } else { format!(", {} MB", bytes >> 20) }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
