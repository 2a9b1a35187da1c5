//! What a search asks of a device: memory, and kernels by name.

use std::fmt;

/// Why a device cannot do what it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceError {
    /// There is none, or no driver for it.
    Missing(String),
    /// Its memory does not suffice.
    Memory,
    /// It, or its compiler, reports a mistake.
    Failed(String),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(why) => write!(f, "no device for the search: {why}"),
            Self::Memory => f.write_str("the memory of the device does not suffice"),
            Self::Failed(why) => write!(f, "the device failed: {why}"),
        }
    }
}

impl std::error::Error for DeviceError {}

/// A kernel of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Expands the states of a level.
    Expand,
    /// Enters rows that were found elsewhere.
    EnterRows,
    /// Hands out the rows of states.
    GatherRows,
    /// Moves all states into another table.
    MoveStates,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Expand, Self::EnterRows, Self::GatherRows, Self::MoveStates];

    /// Its name in the source.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Expand => "expand",
            Self::EnterRows => "enter_rows",
            Self::GatherRows => "gather_rows",
            Self::MoveStates => "move_states",
        }
    }
}

/// A device with the kernels of one search.
pub trait Device {
    /// How many bytes of memory are free.
    fn free_bytes(&self) -> u64;

    /// Memory of so many zeros; its address.
    ///
    /// # Errors
    /// If there is not as much.
    fn allocate(&mut self, bytes: u64) -> Result<u64, DeviceError>;

    /// Gives memory back.
    ///
    /// # Errors
    /// If the device fails.
    fn release(&mut self, address: u64) -> Result<(), DeviceError>;

    /// Writes to memory.
    ///
    /// # Errors
    /// If the device fails.
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Reads memory.
    ///
    /// # Errors
    /// If the device fails.
    fn read(&mut self, address: u64, bytes: usize) -> Result<Vec<u8>, DeviceError>;

    /// Runs a kernel for so many pieces of work, and waits for it.
    ///
    /// # Errors
    /// If the device fails.
    fn launch(&mut self, kernel: Kernel, work: u64, arguments: &[u64]) -> Result<(), DeviceError>;
}
