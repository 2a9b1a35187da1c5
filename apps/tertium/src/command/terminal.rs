//! Where does text go, and in which colours?
//!
//! Results go to standard output, everything else to standard error. A reader that has gone away (a
//! closed pipe) ends the run quietly instead of with a fault; results that are lost otherwise (a full disk) make it fail.

use std::cell::RefCell;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::command::args::Colour;
use crate::command::exit;

/// Which stream a text is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Results.
    Out,
    /// Messages and progress.
    Err,
}

/// Whether to colour what goes to a stream.
///
/// `--color` decides; else `NO_COLOR` and `CLICOLOR_FORCE`; else whether the stream is a terminal that
/// is not `dumb`.
#[must_use]
pub fn coloured(choice: Colour, stream: Stream) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_on = |name: &str| is_set(name) && std::env::var_os(name).is_some_and(|value| value != "0");
    match choice {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto if is_set("NO_COLOR") => false,
        Colour::Auto if is_on("CLICOLOR_FORCE") => true,
        Colour::Auto if std::env::var_os("CLICOLOR").is_some_and(|value| value == "0") => false,
        Colour::Auto => is_terminal(stream) && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// Whether a person sees the stream as it is written.
#[must_use]
pub fn is_terminal(stream: Stream) -> bool {
    match stream {
        Stream::Out => std::io::stdout().is_terminal(),
        Stream::Err => std::io::stderr().is_terminal(),
    }
}

static WRITTEN: AtomicBool = AtomicBool::new(false);

/// The first text for standard output that was lost, and why.
static LOSS: Mutex<Option<std::io::Error>> = Mutex::new(None);

/// Writes text. A result that cannot be written is remembered for [`code_with_losses`], unless its reader has gone; that is
/// nobody's fault.
pub fn write(stream: Stream, text: &str) {
    let _pen = crate::command::watchdog::pen();
    write_last(stream, text);
}

/// What a thread would have written.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// Results.
    pub out: String,
    /// Messages, if they are captured, too.
    pub err: Option<String>,
}

thread_local! {
    /// Where this thread's texts go instead of the streams.
    static CAPTURED: RefCell<Option<Captured>> = const { RefCell::new(None) };
}

/// Does something and returns, too, what it would have written to standard output from this thread.
pub fn capturing_results<T>(work: impl FnOnce() -> T) -> (T, String) {
    let (done, captured) = capturing(Captured::default(), work);
    (done, captured.out)
}

/// Does something without writing anything from this thread.
pub fn capturing_all<T>(work: impl FnOnce() -> T) -> (T, Captured) {
    capturing(Captured { out: String::new(), err: Some(String::new()) }, work)
}

fn capturing<T>(empty: Captured, work: impl FnOnce() -> T) -> (T, Captured) {
    let before = CAPTURED.with(|captured| captured.borrow_mut().replace(empty));
    let done = work();
    let found = CAPTURED.with(|captured| std::mem::replace(&mut *captured.borrow_mut(), before));
    (done, found.unwrap_or_default())
}

/// Whether nobody is to see what this thread does.
#[must_use]
pub fn is_silent() -> bool {
    CAPTURED.with(|captured| captured.borrow().as_ref().is_some_and(|captured| captured.err.is_some()))
}

/// Keeps a text for whoever captures it; false if nobody does.
fn capture(stream: Stream, text: &str) -> bool {
    CAPTURED.with(|captured| {
        let mut captured = captured.borrow_mut();
        let kept = captured.as_mut().and_then(|captured| match stream {
            Stream::Out => Some(&mut captured.out),
            Stream::Err => captured.err.as_mut(),
        });
        kept.map(|kept| kept.push_str(text)).is_some()
    })
}

/// The same for the one who has the pen.
pub fn write_last(stream: Stream, text: &str) {
    if text.is_empty() || capture(stream, text) {
        return;
    }
    if stream == Stream::Out {
        WRITTEN.store(true, Ordering::Relaxed);
    }
    match stream {
        Stream::Out => note_loss(write_all(anstream::AutoStream::always(std::io::stdout()), text)),
        // There is no one left to tell.
        Stream::Err => drop(write_all(anstream::AutoStream::always(std::io::stderr()), text)),
    }
}

/// Whether there is anything on standard output.
#[must_use]
pub fn has_written() -> bool {
    WRITTEN.load(Ordering::Relaxed)
}

/// Remembers that something for standard output was not written.
pub fn note_loss(written: std::io::Result<()>) {
    let Err(error) = written else { return };
    if error.kind() != std::io::ErrorKind::BrokenPipe
        && let Ok(mut loss) = LOSS.lock()
    {
        loss.get_or_insert(error);
    }
}

/// The exit code, given that results may have been lost: whoever relies on 0 relies on having read them.
#[must_use]
pub fn code_with_losses(code: u8) -> u8 {
    let loss = LOSS.lock().ok().and_then(|mut loss| loss.take());
    let Some(error) = loss else { return code };
    write(Stream::Err, &format!("error[E0302]: cannot write standard output: {error}\n"));
    if code == exit::INTERNAL { code } else { exit::BAD_INPUT }
}

fn write_all(mut to: impl Write, text: &str) -> std::io::Result<()> {
    to.write_all(text.as_bytes())?;
    to.flush()
}
