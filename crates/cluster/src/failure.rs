//! Why a search on several machines ends without an answer.

use std::fmt;

/// What went wrong. None of it says anything about the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterFailure {
    /// A process was there, and is gone.
    Lost {
        /// Which one.
        process: usize,
        /// Its address.
        address: String,
    },
    /// A process did not come, or not in time.
    Absent {
        /// Which one.
        process: usize,
        /// Its address.
        address: String,
        /// What was tried, and what the system said.
        cause: String,
    },
    /// A process is there and will not do: another version, another number of processes.
    Refused {
        /// Which one.
        process: usize,
        /// Why.
        cause: String,
    },
    /// The process cannot listen, or has no threads to work with.
    Unable {
        /// What the system said.
        cause: String,
    },
    /// A process cannot write down its part of the states.
    Unwritable {
        /// Which one.
        process: usize,
        /// What the system said.
        cause: String,
    },
    /// A process cannot go on with its part of the states.
    Unresumable {
        /// Which one.
        process: usize,
        /// Why.
        cause: String,
    },
    /// A message cannot be read.
    Unreadable {
        /// What is wrong with it.
        cause: String,
    },
}

impl fmt::Display for ClusterFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost { process, address } => write!(f, "process {process} ({address}) was lost"),
            Self::Absent { process, address, cause } => {
                write!(f, "process {process} ({address}) cannot be reached: {cause}")
            }
            Self::Refused { process, cause } => write!(f, "process {process} cannot take part: {cause}"),
            Self::Unable { cause } => write!(f, "this process cannot take part: {cause}"),
            Self::Unwritable { process, cause } => write!(f, "process {process} cannot write its checkpoints: {cause}"),
            Self::Unresumable { process, cause } => {
                write!(f, "process {process} cannot go on with what is written down: {cause}")
            }
            Self::Unreadable { cause } => write!(f, "a message cannot be read: {cause}"),
        }
    }
}

impl std::error::Error for ClusterFailure {}
