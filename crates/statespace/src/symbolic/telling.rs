//! How does the thread that works on sets tell the one that waits what it does?

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use tertium_base::Diagnostic;
use tertium_cegar::answer::ProgramAnswer;
use tertium_cegar::observer::ProgramObserver;
use tertium_dd::Gauge;
use tertium_encode::Encoding;

/// Passes on what comes, and how far the present phase has come, until the work ends.
pub(super) fn listen(receiver: &Receiver<News>, gauge: &Gauge, observer: &dyn ProgramObserver) {
    let mut phase = String::new();
    loop {
        match receiver.recv_timeout(BETWEEN_FIGURES) {
            Ok(News::Phase(what)) => {
                observer.phase(&what);
                phase = what;
            }
            Ok(News::Answer(answer)) => observer.decided(&answer),
            Err(RecvTimeoutError::Timeout) if !phase.is_empty() => {
                let (nodes, products) = (gauge.nodes(), gauge.products());
                observer.phase(&format!("{phase}: {nodes} nodes, {products} relational products"));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// How often it is told how far sets have come.
const BETWEEN_FIGURES: Duration = Duration::from_millis(500);

/// Whom the thread that decides tells what.
#[derive(Clone, Copy)]
pub(super) struct Telling<'t> {
    pub(super) sender: &'t Sender<News>,
    pub(super) gauge: &'t Gauge,
    pub(super) observer: &'t dyn ProgramObserver,
}

/// What the thread that decides tells the one that listens.
pub(super) enum News {
    Phase(String),
    /// A question has this answer, which stays.
    Answer(Box<ProgramAnswer>),
}

/// What the sets were like.
pub(super) fn figures(encoding: &Encoding<'_>) -> Diagnostic {
    let figures = encoding.figures();
    let states = match figures.log10_states {
        None => "no state".to_owned(),
        Some(log10) if log10 < 9.0 => format!("{} states", figures.states),
        Some(log10) => format!("{:.2}e{} states", 10f64.powf(log10.fract()), log10.trunc()),
    };
    Diagnostic::note_only(
        "W0430",
        format!("{states} in {} bits; the set of them has {} nodes", figures.bits, figures.reached_nodes),
    )
}
