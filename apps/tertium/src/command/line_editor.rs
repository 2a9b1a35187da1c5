//! Which line does a person type?
//!
//! On a terminal, a line can be edited (arrows, Home, End, Ctrl-A, E, U, K, W) and earlier ones brought back (up, down). [`LineBuffer`] is the line and what
//! keys do to it, without any terminal; [`LineEditor`] reads keys in raw mode and draws. Where input or output is no terminal, lines are read as they come.

use std::io::{BufRead, IsTerminal, Read};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::command::terminal::{self, Stream};

/// A key, as terminals send them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A letter.
    Letter(char),
    /// Return.
    Enter,
    /// Deletes to the left.
    Backspace,
    /// Deletes to the right.
    Delete,
    /// One to the left.
    Left,
    /// One to the right.
    Right,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// An earlier line.
    Up,
    /// A later line.
    Down,
    /// Deletes everything before the cursor.
    KillBefore,
    /// Deletes everything behind the cursor.
    KillAfter,
    /// Deletes the word before the cursor.
    KillWord,
    /// Ends the input, in an empty line.
    EndOfInput,
    /// Nothing that is known.
    Other,
}

/// What a key leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// The line goes on.
    Going,
    /// The line is complete.
    Complete,
    /// There are no more lines.
    Ended,
}

/// A line that is being typed, and those before it.
#[derive(Clone, Debug, Default)]
pub struct LineBuffer {
    letters: Vec<char>,
    cursor: usize,
    history: Vec<String>,
    /// Which line of the history is shown; its length for the new one.
    shown: usize,
    /// The new line, while an earlier one is shown.
    draft: Vec<char>,
}

impl LineBuffer {
    /// The line.
    #[must_use]
    pub fn text(&self) -> String {
        self.letters.iter().collect()
    }

    /// How many letters stand behind the cursor.
    #[must_use]
    pub fn behind(&self) -> usize {
        self.letters.len() - self.cursor
    }

    /// Takes the line away and remembers it.
    pub fn finish(&mut self) -> String {
        let line = self.text();
        if !line.trim().is_empty() && self.history.last() != Some(&line) {
            self.history.push(line.clone());
        }
        (self.letters, self.cursor, self.draft) = (Vec::new(), 0, Vec::new());
        self.shown = self.history.len();
        line
    }

    /// Does what a key says.
    pub fn key(&mut self, key: Key) -> Edit {
        match key {
            Key::Letter(letter) => {
                self.letters.insert(self.cursor, letter);
                self.cursor += 1;
            }
            Key::Enter => return Edit::Complete,
            Key::EndOfInput if self.letters.is_empty() => return Edit::Ended,
            Key::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.letters.remove(self.cursor);
            }
            Key::Delete | Key::EndOfInput if self.cursor < self.letters.len() => {
                self.letters.remove(self.cursor);
            }
            Key::Left => self.cursor = self.cursor.saturating_sub(1),
            Key::Right => self.cursor = (self.cursor + 1).min(self.letters.len()),
            Key::Home => self.cursor = 0,
            Key::End => self.cursor = self.letters.len(),
            Key::Up => self.show(self.shown.saturating_sub(1)),
            Key::Down => self.show((self.shown + 1).min(self.history.len())),
            Key::KillBefore => {
                self.letters.drain(..self.cursor);
                self.cursor = 0;
            }
            Key::KillAfter => self.letters.truncate(self.cursor),
            Key::KillWord => {
                let before = &self.letters[..self.cursor];
                let word = before.iter().rposition(|letter| !letter.is_whitespace()).map_or(0, |last| last + 1);
                let start = before[..word].iter().rposition(|letter| letter.is_whitespace()).map_or(0, |at| at + 1);
                self.letters.drain(start..self.cursor);
                self.cursor = start;
            }
            Key::Backspace | Key::Delete | Key::EndOfInput | Key::Other => {}
        }
        Edit::Going
    }

    fn show(&mut self, wanted: usize) {
        if wanted == self.shown {
            return;
        }
        if self.shown == self.history.len() {
            self.draft.clone_from(&self.letters);
        }
        self.letters = match self.history.get(wanted) {
            Some(line) => line.chars().collect(),
            None => self.draft.clone(),
        };
        (self.shown, self.cursor) = (wanted, self.letters.len());
    }
}

/// The next key from a row of bytes; none at their end.
pub fn read_key(bytes: &mut dyn Iterator<Item = u8>) -> Option<Key> {
    let first = bytes.next()?;
    Some(match first {
        b'\r' | b'\n' => Key::Enter,
        0x7f | 0x08 => Key::Backspace,
        0x01 => Key::Home,
        0x02 => Key::Left,
        0x04 => Key::EndOfInput,
        0x05 => Key::End,
        0x06 => Key::Right,
        0x0b => Key::KillAfter,
        0x0e => Key::Down,
        0x10 => Key::Up,
        0x15 => Key::KillBefore,
        0x17 => Key::KillWord,
        0x1b => escape(bytes),
        0x20..=0x7e => Key::Letter(char::from(first)),
        0xc0.. => letter(first, bytes),
        _ => Key::Other,
    })
}

/// `ESC [ A` and the like.
fn escape(bytes: &mut dyn Iterator<Item = u8>) -> Key {
    if !matches!(bytes.next(), Some(b'[' | b'O')) {
        return Key::Other;
    }
    let mut number = 0u32;
    for byte in bytes {
        match byte {
            b'0'..=b'9' => number = number.saturating_mul(10).saturating_add(u32::from(byte - b'0')),
            b';' => number = 0,
            b'A' => return Key::Up,
            b'B' => return Key::Down,
            b'C' => return Key::Right,
            b'D' => return Key::Left,
            b'H' => return Key::Home,
            b'F' => return Key::End,
            b'~' => {
                return match number {
                    1 | 7 => Key::Home,
                    3 => Key::Delete,
                    4 | 8 => Key::End,
                    _ => Key::Other,
                };
            }
            _ => return Key::Other,
        }
    }
    Key::Other
}

/// A letter of several bytes.
fn letter(first: u8, bytes: &mut dyn Iterator<Item = u8>) -> Key {
    let more = match first {
        0xc0..=0xdf => 1,
        0xe0..=0xef => 2,
        _ => 3,
    };
    let all: Vec<u8> = std::iter::once(first).chain(bytes.take(more)).collect();
    std::str::from_utf8(&all).ok().and_then(|text| text.chars().next()).map_or(Key::Other, Key::Letter)
}

/// Reads lines from standard input.
#[derive(Debug, Default)]
pub struct LineEditor {
    buffer: LineBuffer,
}

/// The terminal as it was; it is put back when this goes.
struct RawMode(Termios);

impl RawMode {
    fn enter() -> Option<Self> {
        let before = tcgetattr(std::io::stdin()).ok()?;
        let mut raw = before.clone();
        // Signals stay: Ctrl-C ends the program as everywhere.
        raw.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        tcsetattr(std::io::stdin(), OptionalActions::Now, &raw).ok()?;
        Some(Self(before))
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
    }
}

impl LineEditor {
    /// The next line; none at the end of the input.
    pub fn line(&mut self, prompt: &str) -> Option<String> {
        let edits = std::io::stdin().is_terminal() && terminal::is_terminal(Stream::Out);
        match RawMode::enter().filter(|_| edits) {
            Some(_raw) => self.edited(prompt),
            None => {
                terminal::write(Stream::Out, prompt);
                let mut line = String::new();
                let read = std::io::stdin().lock().read_line(&mut line).unwrap_or(0);
                (read > 0).then(|| line.trim_end_matches(['\n', '\r']).to_owned())
            }
        }
    }

    fn edited(&mut self, prompt: &str) -> Option<String> {
        let mut input = std::io::stdin().lock();
        let mut bytes = std::iter::from_fn(move || {
            let mut byte = [0u8];
            (input.read(&mut byte).ok()? == 1).then_some(byte[0])
        });
        loop {
            self.draw(prompt);
            let edit = read_key(&mut bytes).map_or(Edit::Ended, |key| self.buffer.key(key));
            match edit {
                Edit::Going => {}
                Edit::Complete => {
                    terminal::write(Stream::Out, "\n");
                    return Some(self.buffer.finish());
                }
                Edit::Ended => return None,
            }
        }
    }

    fn draw(&self, prompt: &str) {
        let behind = self.buffer.behind();
        let back = if behind > 0 { format!("\x1b[{behind}D") } else { String::new() };
        terminal::write(Stream::Out, &format!("\r\x1b[K{prompt}{}{back}", self.buffer.text()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What remains of the keys of a terminal, with `|` where the cursor is.
    fn typed(buffer: &mut LineBuffer, keys: &str) -> String {
        let mut bytes = keys.bytes();
        while let Some(key) = read_key(&mut bytes) {
            if buffer.key(key) == Edit::Complete {
                buffer.finish();
            }
        }
        let mut shown: Vec<char> = buffer.text().chars().collect();
        shown.insert(shown.len() - buffer.behind(), '|');
        shown.into_iter().collect()
    }

    #[test]
    fn a_line_is_edited() {
        let fresh = LineBuffer::default;
        assert_eq!(typed(&mut fresh(), "watch x"), "watch x|");
        assert_eq!(typed(&mut fresh(), "wach\x1b[D\x1b[Dt\x1b[C"), "watc|h");
        assert_eq!(typed(&mut fresh(), "abc\x01X\x05Y\x7f\x7f"), "Xab|");
        assert_eq!(typed(&mut fresh(), "one two \x17"), "one |");
        assert_eq!(typed(&mut fresh(), "one two\x1b[D\x1b[D\x0b"), "one t|");
        assert_eq!(typed(&mut fresh(), "one two\x1b[D\x15"), "|o");
        assert_eq!(typed(&mut fresh(), "ab\x1b[H\x1b[3~"), "|b");
        assert_eq!(typed(&mut fresh(), "größe\x1b[D\x7f"), "grö|e");
        assert_eq!(typed(&mut fresh(), "a\x1b[5~\x1bz\x00b"), "ab|");
    }

    #[test]
    fn earlier_lines_come_back() {
        let mut buffer = LineBuffer::default();
        assert_eq!(typed(&mut buffer, "first\rsecond\rsecond\r\rnew\x1b[A"), "second|");
        assert_eq!(typed(&mut buffer, "\x1b[A\x1b[A\x1b[A"), "first|");
        assert_eq!(typed(&mut buffer, "\x1b[B\x1b[B\x1b[B"), "new|");
        assert_eq!(buffer.key(Key::EndOfInput), Edit::Going);
        assert_eq!(LineBuffer::default().key(Key::EndOfInput), Edit::Ended);
    }
}
