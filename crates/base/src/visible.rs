//! Which characters of a text would deceive whoever reads it?
//!
//! Control characters move a terminal's cursor or worse; marks of writing direction show a text in another order than the one it
//! is read in (Boucher and Anderson, "Trojan Source", 2021); characters without width hide differences between names. Whatever comes
//! from a model, a property or a file name is shown with these written out, as `\u{202e}`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character is not seen, or changes how others are seen. Line ends and tabs count, too.
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A text on one line, with everything deceptive written out.
///
/// ```
/// use tertium_base::visible::visible;
/// assert_eq!(visible("plain é"), "plain é");
/// assert_eq!(visible("a\u{202e}b\n\x1b[31m"), "a\\u{202e}b\\n\\u{1b}[31m");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    written_out(text, |_| false)
}

/// As [`visible`], with line ends and tabs as they are.
#[must_use]
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    written_out(text, |c| matches!(c, '\n' | '\t'))
}

fn written_out(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(|c| is_deceptive(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_deceptive(c) && !stays(c) {
            write_out(c, &mut shown);
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Writes one character out.
pub fn write_out(c: char, to: &mut String) {
    match c {
        '\n' => to.push_str("\\n"),
        '\t' => to.push_str("\\t"),
        c => drop(write!(to, "\\u{{{:x}}}", c as u32)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_deceptive_is_left() {
        let all: String = (0..=u32::from(char::MAX)).filter_map(char::from_u32).collect();
        assert!(!visible(&all).chars().any(is_deceptive));
        assert!(!visible_lines(&all).chars().any(|c| is_deceptive(c) && !matches!(c, '\n' | '\t')));
    }

    #[test]
    fn what_people_write_stays() {
        let text = "größe → ∀x. naïve 日本 ελ Ж שלום";
        assert!(matches!(visible(text), Cow::Borrowed(_)));
        assert_eq!(visible_lines("a\tb\nc"), "a\tb\nc");
    }
}
