//! Which words are coloured, and how?
//!
//! One place decides, so that an unknown never looks like a failure anywhere.

use tertium_base::visible::visible;

/// What a piece of text stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A property holds.
    Good,
    /// A property fails.
    Bad,
    /// A property is open, or a run was stopped.
    Open,
    /// Sources contradict each other.
    Clash,
    /// Something to look at first.
    Strong,
    /// Something to look at last.
    Faint,
    /// A warning.
    Warning,
}

/// Whether text carries colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    /// Whether to write ANSI escapes.
    pub colour: bool,
    /// Whether to show what is usually left out: whole runs, all labels, the engine.
    pub verbose: bool,
}

impl Style {
    /// The text in the colour of its role, or as it is.
    #[must_use]
    pub fn paint(self, role: Role, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let code = match role {
            Role::Good => "1;32",
            Role::Bad => "1;31",
            Role::Open => "1;36",
            Role::Clash => "1;35",
            Role::Strong => "1",
            Role::Faint => "2",
            Role::Warning => "1;33",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// The role of a value's word.
#[must_use]
pub fn role_of(value: &str) -> Role {
    match value {
        "true" => Role::Good,
        "false" => Role::Bad,
        "both" => Role::Clash,
        _ => Role::Open,
    }
}

/// Text from a file made safe for a terminal, on one line ([`tertium_base::visible`]).
#[must_use]
pub fn safe(text: &str) -> String {
    visible(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_never_looks_like_a_failure() {
        let style = Style { colour: true, verbose: false };
        let paint = |value: &str| style.paint(role_of(value), "x");
        assert_ne!(paint("unknown"), paint("false"));
        assert_ne!(paint("both"), paint("false"));
        assert_ne!(paint("u1"), paint("false"));
    }

    #[test]
    fn escapes_in_a_name_do_not_reach_the_terminal() {
        assert_eq!(safe("a\x1b[31mb\u{202e}\n"), "a\\u{1b}[31mb\\u{202e}\\n");
    }
}
