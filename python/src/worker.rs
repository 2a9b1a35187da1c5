//! Who does the work while Python goes on?
//!
//! A thread works under a budget. The thread that asked waits without holding Python, looks a few times a second whether the user has pressed Ctrl-C
//! or somebody has cancelled the work, and passes on what it is told of the progress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use tertium::{Belnap, Budget, Counts, Observer};

/// How often the waiting thread looks up.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// How long work that is cancelled may take to come to its end; then it is left to itself.
const GRACE: Duration = Duration::from_millis(500);

/// Counts are told this often at most.
const BETWEEN_COUNTS: Duration = Duration::from_millis(100);

/// The stack of the thread that works; the command line has as much.
const STACK: usize = 16 << 20;

/// Limits on the work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    time: Option<Duration>,
    memory: Option<usize>,
}

impl Limits {
    /// Seconds and bytes.
    pub fn new(seconds: Option<f64>, memory: Option<usize>) -> PyResult<Self> {
        let time = seconds.map(Duration::try_from_secs_f64).transpose();
        let time = time.map_err(|error| PyValueError::new_err(format!("timeout: {error}")))?;
        Ok(Self { time, memory })
    }
}

/// How work ended.
#[derive(Debug)]
pub enum Outcome<T> {
    /// It came to its end; whether it was cancelled on the way.
    Done(T, bool),
    /// It was cancelled and did not come to its end in time; nobody waits for it any more.
    Left,
}

impl Outcome<Result<String, String>> {
    /// Whether there is a result, and the document about it.
    pub fn document(self) -> (bool, String) {
        match self {
            Self::Done(Ok(document), _) => (true, document),
            Self::Done(Err(document), _) => (false, document),
            Self::Left => (false, String::new()),
        }
    }
}

/// What the working thread tells.
enum Told<T> {
    Phase(String),
    States(usize),
    Answered(String, Belnap),
    Done(T),
}

/// Tells the waiting thread.
struct Teller<T> {
    events: Mutex<Sender<Told<T>>>,
    last_count: Mutex<Option<Instant>>,
}

impl<T> Teller<T> {
    fn tell(&self, event: Told<T>) {
        // Where nobody waits any more, nobody is told.
        let _ = self.events.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }
}

impl<T: Send> Observer for Teller<T> {
    fn phase(&self, what: &str) {
        self.tell(Told::Phase(what.to_owned()));
    }

    fn counts(&self, counts: Counts) {
        let mut last = self.last_count.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= BETWEEN_COUNTS) {
            *last = Some(Instant::now());
            self.tell(Told::States(counts.states));
        }
    }

    fn answered(&self, name: &str, value: Belnap) {
        self.tell(Told::Answered(name.to_owned(), value));
    }
}

/// Does the work in a thread of its own and waits for it.
///
/// # Errors
/// If the user pressed Ctrl-C, `progress` or `cancel` raised something, or there is a fault in the work.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    limits: Limits,
    progress: Option<Py<PyAny>>,
    cancel: Option<Py<PyAny>>,
    work: impl FnOnce(Arc<dyn Observer + Send + Sync>, &Budget) -> T + Send + 'static,
) -> PyResult<Outcome<T>> {
    let flag = Arc::new(AtomicBool::new(false));
    let budget = Budget::unlimited().with_time(limits.time).with_memory(limits.memory).with_cancel(Arc::clone(&flag));
    let (events, inbox) = channel();
    let teller = Arc::new(Teller { events: Mutex::new(events), last_count: Mutex::new(None) });
    let worker = move || {
        let done = work(Arc::clone(&teller) as Arc<dyn Observer + Send + Sync>, &budget);
        teller.tell(Told::Done(done));
    };
    std::thread::Builder::new().name("tertium".to_owned()).stack_size(STACK).spawn(worker)?;
    let mut waiting = Waiting { inbox: Mutex::new(inbox), flag, progress, cancel, cancelled: None };
    let outcome = waiting.wait(py);
    // Whoever leaves early, with an exception, leaves nobody working.
    waiting.flag.store(true, Ordering::Relaxed);
    outcome
}

/// The thread that asked, and waits.
struct Waiting<T> {
    /// Only this thread reads; the lock lets it wait without Python.
    inbox: Mutex<Receiver<Told<T>>>,
    flag: Arc<AtomicBool>,
    progress: Option<Py<PyAny>>,
    cancel: Option<Py<PyAny>>,
    /// When the work was cancelled.
    cancelled: Option<Instant>,
}

impl<T: Send> Waiting<T> {
    fn wait(&mut self, py: Python<'_>) -> PyResult<Outcome<T>> {
        loop {
            let inbox = &self.inbox;
            let told = py.detach(|| inbox.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(BETWEEN_LOOKS));
            match told {
                Ok(Told::Done(done)) => return Ok(Outcome::Done(done, self.cancelled.is_some())),
                Ok(event) => self.pass_on(py, event)?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(PyRuntimeError::new_err(
                        "a fault of tertium, not of the model; its message is on standard error",
                    ));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            py.check_signals()?;
            if self.cancelled.is_none() && self.is_cancelled(py)? {
                self.flag.store(true, Ordering::Relaxed);
                self.cancelled = Some(Instant::now());
            }
            if self.cancelled.is_some_and(|since| since.elapsed() > GRACE) {
                return Ok(Outcome::Left);
            }
        }
    }

    fn is_cancelled(&self, py: Python<'_>) -> PyResult<bool> {
        let Some(cancel) = &self.cancel else { return Ok(false) };
        cancel.call_method0(py, "is_set")?.is_truthy(py)
    }

    fn pass_on(&self, py: Python<'_>, event: Told<T>) -> PyResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let (kind, text, value) = match event {
            Told::Phase(what) => ("phase", what, None),
            Told::States(states) => ("states", states.to_string(), None),
            Told::Answered(name, value) => ("answer", name, Some(value.to_string())),
            Told::Done(_) => return Ok(()),
        };
        progress.call1(py, (kind, text, value)).map(drop)
    }
}
