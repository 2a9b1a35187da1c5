//! What does the user see when this program is at fault?
//!
//! A short message with what is needed to report it, and an exit code of its own; never a raw panic.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, PoisonError};

use tertium_base::visible::visible;
use tertium_report::failure::ErrorView;

use crate::command::terminal::{self, Stream};
use crate::command::{exit, failing};

/// Runs `work`; a panic in it becomes a message and the exit code for internal errors.
pub fn catch(work: impl FnOnce() -> u8) -> u8 {
    std::panic::set_hook(Box::new(|info| {
        // Some libraries panic where a limit refuses them something.
        if !tertium_base::panics::is_expected() {
            report(&description(info));
        }
    }));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        failing::write_document(view("a fault of this program"));
        exit::INTERNAL
    })
}

/// A fault of this program, for scripts.
pub fn view(what: &str) -> ErrorView {
    ErrorView { kind: "internal", message: what.to_owned(), exit_code: exit::INTERNAL, diagnostics: Vec::new() }
}

/// What was typed, for reports of faults.
static TYPED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps what was typed.
pub fn remember(words: &[OsString]) {
    let typed = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    *TYPED.lock().unwrap_or_else(PoisonError::into_inner) = typed;
}

/// Tells the user about a fault of this program.
pub fn report(what: &str) {
    let command = TYPED.lock().unwrap_or_else(PoisonError::into_inner).join(" ");
    terminal::write(
        Stream::Err,
        &format!(
            "internal error: {what}\n  \
             This is a fault of tertium {}, not of your model. No answer of this run should be relied on.\n  \
             Please report it with the model and this command: {}\n",
            env!("CARGO_PKG_VERSION"),
            visible(&command),
        ),
    );
}

fn description(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unexplained".to_owned());
    match info.location() {
        Some(place) => format!("{text} ({}:{})", place.file(), place.line()),
        None => text,
    }
}
