//! How do messages travel over a pipe?
//!
//! `Content-Length: N`, an empty line, N bytes of JSON. What is no message is skipped up to the next header, so that
//! one bad message, a wrong length or noise on the pipe costs no more than what it hits.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// A longer message is not read.
const LONGEST: usize = 1 << 28;
/// A line longer than this is no header.
const LONGEST_LINE: u64 = 1 << 13;
const LENGTH: &[u8] = b"content-length:";

/// What came over the pipe.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Value),
    /// Bytes that are no message, and what is wrong with them.
    Broken(String),
}

/// Reads the next message; none at the end of the input.
///
/// # Errors
/// If the pipe is broken.
pub fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let length = match header(input)? {
        Header::End => return Ok(None),
        Header::Length(length) if length <= LONGEST => length,
        Header::Length(_) | Header::Unreadable => {
            return Ok(Some(Incoming::Broken("the length of a message is no number, or too large".to_owned())));
        }
    };
    let mut body = Vec::new();
    input.take(length as u64).read_to_end(&mut body)?;
    if body.len() < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Broken(format!("a message is no JSON: {error}")),
    }))
}

/// What stands before a message.
#[derive(Clone, Copy)]
enum Header {
    /// The end of the input.
    End,
    /// The length of the message.
    Length(usize),
    /// A length that is no number.
    Unreadable,
}

/// Skips to behind the next header.
fn header(input: &mut impl BufRead) -> io::Result<Header> {
    let mut found: Option<Header> = None;
    loop {
        let mut line = Vec::new();
        input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(Header::End);
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            match found {
                Some(header) => return Ok(header),
                None => continue,
            }
        }
        // Not only at the beginning of a line: the rest of a body whose length was too small may stand before it.
        let lower = text.to_ascii_lowercase();
        if let Some(at) = lower.windows(LENGTH.len()).rposition(|window| window == LENGTH) {
            let digits = std::str::from_utf8(&text[at + LENGTH.len()..]).unwrap_or("");
            found = Some(digits.trim().parse().map_or(Header::Unreadable, Header::Length));
        }
    }
}

/// Writes a message.
///
/// # Errors
/// If nobody reads it.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<String> {
        let mut input = bytes;
        let mut found = Vec::new();
        while let Some(incoming) = read(&mut input).unwrap() {
            found.push(match incoming {
                Incoming::Message(message) => message.to_string(),
                Incoming::Broken(_) => "broken".to_owned(),
            });
        }
        found
    }

    #[test]
    fn goes_on_behind_what_is_no_message() {
        let good = b"Content-Length: 2\r\nContent-Type: x\r\n\r\n{}".to_vec();
        let with = |before: &[u8]| all(&[before, &good, &good].concat());
        assert_eq!(with(b""), ["{}", "{}"]);
        assert_eq!(with(b"noise\r\n\r\nmore noise\n"), ["{}", "{}"]);
        assert_eq!(with(b"Content-Length: 3\r\n\r\n{\"a\":1}"), ["broken", "{}", "{}"], "too short");
        assert_eq!(with(b"Content-Length: 9\r\n\r\n{}"), ["broken", "{}"], "too long");
        assert_eq!(with(b"Content-Length: many\r\n\r\n"), ["broken", "{}", "{}"]);
        assert_eq!(with(b"Content-Length: 99999999999999\r\n\r\n"), ["broken", "{}", "{}"]);
        assert_eq!(with(&[0xff, 0xfe, b'\n']), ["{}", "{}"]);
        assert_eq!(with(b"content-length:2\n\n[]"), ["[]", "{}", "{}"]);
        assert_eq!(all(b"Content-Length: 20\r\n\r\n{}"), Vec::<String>::new(), "the input ends");
    }

    #[test]
    fn what_is_written_can_be_read() {
        let mut pipe = Vec::new();
        write(&mut pipe, &serde_json::json!({"text": "𝔘 ü"})).unwrap();
        assert_eq!(all(&pipe), ["{\"text\":\"𝔘 ü\"}"]);
    }
}
