//! `tertium lsp`: help while a model is being written, in any editor that speaks the language server protocol.
//!
//! Messages come and go over a pipe ([`transport`]); [`server`] keeps the open documents and answers in order;
//! [`features`] and [`semantic_tokens`] turn what `driver` knows about a text into the protocol's words; [`checking`] decides properties beside
//! the conversation. Positions are those of the protocol ([`text`]).
//!
//! Nothing is decided here, and no file is ever written: edits are proposals to the editor.

mod checking;
mod document;
mod errors_page;
mod features;
mod semantic_tokens;
mod server;
mod text;
mod transport;
mod uri;

use std::io::{self, BufReader, BufWriter};
use std::sync::mpsc::channel;

use server::{Event, Server};

/// Serves an editor on standard input and output until it says goodbye.
pub fn run() -> u8 {
    let (events, inbox) = channel();
    let from_reader = events.clone();
    std::thread::spawn(move || {
        let mut input = BufReader::new(io::stdin().lock());
        loop {
            let event = match transport::read(&mut input) {
                Ok(Some(incoming)) => Event::Incoming(incoming),
                Ok(None) | Err(_) => Event::End,
            };
            let ends = matches!(event, Event::End);
            if from_reader.send(event).is_err() || ends {
                return;
            }
        }
    });
    Server::new(BufWriter::new(io::stdout().lock()), events).run(&inbox)
}
