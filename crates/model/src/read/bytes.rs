//! The bytes of an input as one long stretch, of which a window is in memory.
//!
//! A token is always whole inside the window: it is moved to the front, and the window grows if it must.
//! Every refill asks the budget, so that reading stops in time whatever the input is.
//!
//! Not here: what the bytes mean.

use std::io::Read;

use tertium_base::{Budget, Diagnostic, SourceFile, Span, Stopped};

/// How much is read at a time.
const WINDOW: usize = 256 * 1024;
/// No single token (a name, a formula, a line with a property) may be longer.
const LONGEST_TOKEN: usize = 64 * 1024 * 1024;

/// Why reading cannot go on.
#[derive(Debug)]
pub(crate) enum Halt {
    /// A limit was reached.
    Stopped(Stopped),
    /// The input is not what it should be, and no sense can be made of what follows.
    Broken(Box<Diagnostic>),
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<Diagnostic> for Halt {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Broken(Box::new(diagnostic))
    }
}

pub(crate) type Flow<T = ()> = Result<T, Halt>;

pub(crate) struct ByteSource<'b, R> {
    input: R,
    budget: &'b Budget,
    window: Vec<u8>,
    at: usize,
    end: usize,
    /// Offset of the window's first byte, and the line breaks before it.
    base: usize,
    lines: usize,
    finished: bool,
}

impl<'b, R: Read> ByteSource<'b, R> {
    pub fn new(input: R, budget: &'b Budget) -> Self {
        Self { input, budget, window: vec![0; WINDOW], at: 0, end: 0, base: 0, lines: 0, finished: false }
    }

    /// Offset of the next byte in the whole input.
    #[inline]
    pub fn offset(&self) -> usize {
        self.base + self.at
    }

    /// The next byte, or none at the end.
    #[inline]
    pub fn peek(&mut self) -> Flow<Option<u8>> {
        if self.at < self.end {
            return Ok(Some(self.window[self.at]));
        }
        Ok(if self.refill(self.at)? { Some(self.window[self.at]) } else { None })
    }

    /// Takes the byte that was peeked at.
    #[inline]
    pub fn bump(&mut self) {
        self.at += 1;
    }

    /// What is in the window from here on; more with [`Self::more`].
    #[inline]
    pub fn rest(&self) -> &[u8] {
        &self.window[self.at..self.end]
    }

    /// Takes `count` bytes, which must be in the window, and returns them.
    #[inline]
    pub fn take(&mut self, count: usize) -> &[u8] {
        let from = self.at;
        self.at += count;
        &self.window[from..self.at]
    }

    /// Bytes of the window before the next one, for a token that has been taken already.
    #[inline]
    pub fn taken(&self, count: usize) -> &[u8] {
        &self.window[self.at - count..self.at]
    }

    /// Reads more behind what is in the window. `false` at the end of the input.
    pub fn more(&mut self) -> Flow<bool> {
        self.refill(self.at)
    }

    /// Drops what is before `keep` and reads on behind the rest.
    fn refill(&mut self, keep: usize) -> Flow<bool> {
        self.budget.check()?;
        if self.finished {
            return Ok(false);
        }
        self.lines += line_breaks(&self.window[..keep]);
        self.base += keep;
        self.window.copy_within(keep..self.end, 0);
        self.end -= keep;
        self.at -= keep;
        if self.end == self.window.len() {
            self.widen()?;
        }
        self.fill()
    }

    fn widen(&mut self) -> Flow {
        let size = self.window.len();
        if size >= LONGEST_TOKEN {
            let here = self.offset();
            return Err(Diagnostic::error("E0201", format!("a single word is longer than {} MB", LONGEST_TOKEN >> 20))
                .at(Span::new(here, here + 1), "begins here")
                .into());
        }
        self.budget.reserve(size)?;
        self.window.resize(size * 2, 0);
        Ok(())
    }

    fn fill(&mut self) -> Flow<bool> {
        loop {
            match self.input.read(&mut self.window[self.end..]) {
                Ok(0) => {
                    self.finished = true;
                    return Ok(false);
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(failure) if failure.kind() == std::io::ErrorKind::Interrupted => self.budget.check()?,
                Err(failure) => {
                    let here = self.base + self.end;
                    return Err(Diagnostic::error("E0200", format!("the input cannot be read: {failure}"))
                        .at(Span::new(here, here), "failed here")
                        .into());
                }
            }
        }
    }

    /// The line that `at` stands in as a source of its own, cut to what the window still holds.
    pub fn line_around(&self, name: &str, span: Span) -> SourceFile {
        let local = |offset: usize| offset.saturating_sub(self.base).min(self.end);
        let (from, to) = (local(span.start), local(span.end));
        let held = &self.window[..self.end];
        let start = held[..from].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let end = held[to..].iter().position(|&byte| byte == b'\n').map_or(self.end, |at| to + at);
        SourceFile {
            name: name.to_owned(),
            text: String::from_utf8_lossy(&held[start..end]).into_owned(),
            first_line: self.lines + line_breaks(&held[..start]) + 1,
            offset: self.base + start,
        }
    }
}

pub(crate) fn line_breaks(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}
