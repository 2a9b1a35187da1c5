//! What does the user see when this program is at fault?
//!
//! A short message with what is needed to report it, and an exit code of its own; never a raw panic.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

use tertium_base::visible::visible;
use tertium_report::failure::ErrorView;

use crate::terminal::{self, Stream};
use crate::{exit, failing};

/// Runs `work`; a panic in it becomes a message and the exit code for internal errors.
pub fn catch(work: impl FnOnce() -> u8) -> u8 {
    std::panic::set_hook(Box::new(|info| {
        // Some libraries panic where a limit refuses them something.
        if !tertium_base::panics::is_expected() {
            report(&description(info));
        }
    }));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        document("a fault of this program");
        exit::INTERNAL
    })
}

/// Tells scripts about a fault of this program.
pub fn document(what: &str) {
    failing::write_document(ErrorView {
        kind: "internal",
        message: what.to_owned(),
        exit_code: exit::INTERNAL,
        diagnostics: Vec::new(),
    });
}

/// Tells the user about a fault of this program.
pub fn report(what: &str) {
    let command: Vec<String> = std::env::args().collect();
    terminal::write(
        Stream::Err,
        &format!(
            "internal error: {what}\n  \
             This is a fault of tertium {}, not of your model. No answer of this run should be relied on.\n  \
             Please report it with the model and this command: {}\n",
            env!("CARGO_PKG_VERSION"),
            visible(&command.join(" ")),
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
