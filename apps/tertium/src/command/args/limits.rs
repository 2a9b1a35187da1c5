//! How long may a command work, and with how much memory?

use clap::Args;

use crate::command::units::{Duration, Size};

/// Limits on a run; the same for every command that works.
#[derive(Args, Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Stop after this time, for example `60s`, `500ms`, `5m`
    #[arg(long, value_name = "TIME", help_heading = "Limits")]
    pub timeout: Option<Duration>,
    /// Stop before using more memory than this, for example `4G`, `200M` [default: 80 % of what the machine or its control
    /// group has]
    #[arg(long, value_name = "SIZE", help_heading = "Limits")]
    pub memory: Option<Size>,
}
