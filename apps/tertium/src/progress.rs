//! Is it still alive, and what is it doing?
//!
//! On a terminal a line that ticks, from half a second on; elsewhere one line every ten seconds.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tertium_base::Budget;

use crate::terminal::{self, Stream};

/// What the run is doing now, told by the pipeline and shown by a thread.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    now: Arc<Mutex<Now>>,
    budget: Option<Budget>,
}

#[derive(Debug, Default)]
struct Now {
    what: String,
    /// When a search began, and the work done before it.
    search: Option<(Instant, u64)>,
}

impl tertium_driver::Observer for Phase {
    fn phase(&self, what: &str) {
        self.begin(what, None);
    }

    fn search(&self, what: &str) {
        self.begin(what, self.budget.as_ref().map(|budget| (Instant::now(), budget.work())));
    }
}

impl Phase {
    /// One that shows how much work a search has done, as this budget counts it.
    pub fn counting(budget: &Budget) -> Self {
        Self { budget: Some(budget.clone()), ..Self::default() }
    }

    fn begin(&self, what: &str, search: Option<(Instant, u64)>) {
        if let Ok(mut now) = self.now.lock() {
            what.clone_into(&mut now.what);
            now.search = search;
        }
    }

    fn text(&self) -> String {
        let Ok(now) = self.now.lock() else { return String::new() };
        let (Some((start, before)), Some(budget)) = (now.search, &self.budget) else { return now.what.clone() };
        let done = (budget.work() - before) as f64;
        let rate = done / start.elapsed().as_secs_f64().max(0.001);
        format!("{}: {:.1} M steps, {:.1} M/s", now.what, done / 1e6, rate / 1e6)
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
