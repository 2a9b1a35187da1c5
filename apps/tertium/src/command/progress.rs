//! Is it still alive, and what is it doing?
//!
//! On a terminal a line that ticks, from half a second on; elsewhere one line every ten seconds. For scripts that read lines
//! of JSON, the beginning of every phase and once a second how far it has come, on standard output among the results. What comes
//! by the clock is left out with `-q`, or where the variable `TERTIUM_PROGRESS` is `off`: the output is then the same on every
//! machine.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tertium_base::Budget;
use tertium_base::narrow::millis;
use tertium_driver::strategy::portfolio::BETWEEN_LANES;
use tertium_driver::{Belnap, Counts};
use tertium_report::json::{self, ProgressView};

use crate::command::commands::known::SharedFindings;
use crate::command::terminal::{self, Stream};

/// The variable of the environment that switches progress off.
const OFF_SWITCH: &str = "TERTIUM_PROGRESS";

/// What the run is doing now, told by the pipeline and shown by a thread.
#[derive(Clone, Debug, Default)]
pub struct Phase {
    now: Arc<Mutex<Now>>,
    budget: Option<Budget>,
    /// Whether it is told as events on standard output.
    events: bool,
    /// Who remembers what is known.
    known: Option<SharedFindings>,
    /// Who else wants to know.
    listener: Option<Listener>,
}

/// Somebody outside who wants to know what a run is doing.
#[derive(Clone)]
pub struct Listener(pub Arc<dyn tertium_driver::Observer + Send + Sync>);

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Listener")
    }
}

#[derive(Debug, Default)]
struct Now {
    what: String,
    /// When a search began, and the work done before it.
    search: Option<(Instant, u64)>,
    /// How far it has come.
    counts: Option<Counts>,
    /// The line that comes before all events.
    header: Option<String>,
}

impl tertium_driver::Observer for Phase {
    fn phase(&self, what: &str) {
        self.begin(what, None);
    }

    fn search(&self, what: &str) {
        self.begin(what, self.budget.as_ref().map(|budget| (Instant::now(), budget.work())));
    }

    fn counts(&self, counts: Counts) {
        if let Some(listener) = &self.listener {
            listener.0.counts(counts);
        }
        if let Ok(mut now) = self.now.lock() {
            now.counts = Some(counts);
        }
    }

    fn answered(&self, name: &str, value: Belnap) {
        if let Some(known) = &self.known {
            known.answered(name, value);
        }
        if let Some(listener) = &self.listener {
            listener.0.answered(name, value);
        }
    }
}

/// The name of a phase, without how far it has come.
fn name(what: &str) -> String {
    let own = |part: &str| part.split(": ").next().unwrap_or(part).to_owned();
    what.split(BETWEEN_LANES).map(own).collect::<Vec<_>>().join(BETWEEN_LANES)
}

impl Phase {
    /// One that shows how much work a search has done, as this budget counts it.
    pub fn counting(budget: &Budget) -> Self {
        Self { budget: Some(budget.clone()), ..Self::default() }
    }

    /// With a first line for standard output, and with events after it if they are wanted.
    #[must_use]
    pub fn with_events(self, header: String, events: bool) -> Self {
        if let Ok(mut now) = self.now.lock() {
            now.header = Some(header);
        }
        Self { events, ..self }
    }

    /// With somebody outside who is told, too.
    #[must_use]
    pub fn with_listener(self, listener: Option<Listener>) -> Self {
        Self { listener, ..self }
    }

    /// With somebody who remembers what is known.
    #[must_use]
    pub fn with_known(self, known: SharedFindings) -> Self {
        Self { known: Some(known), ..self }
    }

    /// How far the search has come.
    #[must_use]
    pub fn progress(&self) -> Counts {
        self.now.lock().ok().and_then(|now| now.counts).unwrap_or_default()
    }

    /// The first line, if it has not been written yet.
    #[must_use]
    pub fn header(&self) -> Option<String> {
        self.now.lock().ok().and_then(|mut now| now.header.take())
    }

    fn begin(&self, what: &str, search: Option<(Instant, u64)>) {
        if let Some(listener) = &self.listener {
            listener.0.phase(what);
        }
        let Ok(mut now) = self.now.lock() else { return };
        let is_new = name(&now.what) != name(what);
        what.clone_into(&mut now.what);
        now.search = search;
        if is_new {
            now.counts = None;
        }
        if is_new && self.events {
            let header = now.header.take().unwrap_or_default();
            terminal::write(Stream::Out, &format!("{header}{}", json::phase_line(&name(what))));
        }
    }

    fn text(&self) -> String {
        let Ok(now) = self.now.lock() else { return String::new() };
        let (Some((start, before)), Some(budget)) = (now.search, &self.budget) else { return now.what.clone() };
        let done = (budget.work() - before) as f64;
        let rate = done / start.elapsed().as_secs_f64().max(0.001);
        format!("{}: {:.1} M steps, {:.1} M/s", now.what, done / 1e6, rate / 1e6)
    }

    /// How far it has come, as an event.
    fn event(&self, start: Instant) -> Option<String> {
        let now = self.now.lock().ok()?;
        let counts = now.counts.unwrap_or_default();
        let progress = ProgressView {
            states: counts.states,
            rate: counts.rate,
            waiting: counts.waiting,
            depth: counts.depth,
            memory_bytes: tertium_base::memory::in_use(),
            elapsed_ms: millis(start.elapsed()),
        };
        Some(json::progress_line(&name(&now.what), &progress))
    }
}

/// The thread that shows the phase; dropping it clears the line.
#[derive(Debug)]
pub struct Progress {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Whether a line that ticks stands on the terminal.
static SHOWN: AtomicBool = AtomicBool::new(false);

impl Progress {
    /// Takes the line that ticks away, so that something else can be written there; it comes again with the next tick.
    pub fn clear() {
        if SHOWN.swap(false, Ordering::Relaxed) {
            terminal::write(Stream::Err, "\r\x1b[2K");
        }
    }

    /// Starts to show `phase`, unless `quiet` or the environment does not want it.
    #[must_use]
    pub fn start(phase: Phase, quiet: bool) -> Self {
        if quiet || terminal::is_silent() || std::env::var_os(OFF_SWITCH).is_some_and(|value| value == "off") {
            return Self { done: None, thread: None };
        }
        let (done, ended) = channel();
        let live = terminal::is_terminal(Stream::Err) && !phase.events;
        let show = move || {
            let start = Instant::now();
            let mut wait = Duration::from_millis(match (phase.events, live) {
                (true, _) => 1_000,
                (false, true) => 500,
                (false, false) => 10_000,
            });
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                if phase.events {
                    terminal::write(Stream::Out, &phase.event(start).unwrap_or_default());
                    continue;
                }
                let line = format!("{} ... {}s{}", phase.text(), start.elapsed().as_secs(), memory());
                if live {
                    SHOWN.store(true, Ordering::Relaxed);
                    terminal::write(Stream::Err, &format!("\r\x1b[2K{line}"));
                    wait = Duration::from_millis(200);
                } else {
                    terminal::write(Stream::Err, &format!("{line}\n"));
                }
            }
            Self::clear();
        };
        // Where the system gives no thread, nothing is shown.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(show).ok();
        Self { done: Some(done), thread }
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
