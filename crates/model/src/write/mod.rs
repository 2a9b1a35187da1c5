//! How is a model written down again?
//!
//! `.json` and `.kmts` so that reading gives the same model back, DOT for drawing, Aldebaran `.aut` for other
//! tools. Every writer goes straight to its output; none builds the text in memory.
//!
//! Not here: reading.

mod aut;
mod dot;
mod json;
mod text;

use std::io::{self, Write};

pub use aut::write_aut;
pub use dot::write_dot;
pub use json::write_json;
pub use text::write_kmts;

/// Items with a separator between, each written by `each`.
fn separated<T>(
    out: &mut dyn Write,
    separator: &str,
    items: impl IntoIterator<Item = T>,
    mut each: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.write_all(separator.as_bytes())?;
        }
        each(out, item)?;
    }
    Ok(())
}

/// A name in double quotes with JSON's escapes, which all formats here share.
fn quoted(out: &mut dyn Write, name: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    let mut plain = 0;
    for (at, byte) in name.bytes().enumerate() {
        if byte >= 0x20 && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.write_all(&name.as_bytes()[plain..at])?;
        match byte {
            b'"' | b'\\' => write!(out, "\\{}", byte as char)?,
            b'\n' => out.write_all(b"\\n")?,
            b'\t' => out.write_all(b"\\t")?,
            _ => write!(out, "\\u{byte:04x}")?,
        }
        plain = at + 1;
    }
    out.write_all(&name.as_bytes()[plain..])?;
    out.write_all(b"\"")
}
