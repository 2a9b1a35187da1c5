//! How is an answer written: formats, colours, and what counts as a failure?

use clap::{Args, ValueEnum};

/// How text looks; the same for every command.
#[derive(Args, Debug, Clone, Copy)]
pub struct Look {
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto, help_heading = "Output")]
    pub color: Colour,
    /// Show more: whole runs, engine, cost
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,
    /// Show less: no warnings, no progress, one line per answer
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// How to write results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One document
    Json,
    /// One line per result, as soon as it is known
    Ndjson,
    /// For code scanning services
    Sarif,
    /// For build servers
    Junit,
}

/// How to write what is not a list of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlainFormat {
    /// For people
    Text,
    /// One document
    Json,
}

impl From<PlainFormat> for Format {
    fn from(format: PlainFormat) -> Self {
        match format {
            PlainFormat::Text => Self::Text,
            PlainFormat::Json => Self::Json,
        }
    }
}

/// What counts as a failure besides false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// An unknown or a stopped run
    Unknown,
    /// A property that holds for a reason that says little
    Vacuous,
}

/// Which certificates are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Certificates {
    /// Those that take at most ten seconds and four times as long as the answer
    Auto,
    /// All
    Always,
    /// None: runs and the page only
    Never,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal that can
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
