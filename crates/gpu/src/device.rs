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
    /// Tells what comes after states of conditions.
    Spread,
    /// Leaves all states as candidates for runs that go on for ever.
    LeaveAll,
    /// Leaves states to the definition of a step.
    LeaveToHost,
    /// Forgets what has arrived.
    BeginPass,
    /// Removes states at which something is missing.
    Judge,
    /// Tells rows of conditions.
    TellRows,
    /// Hands out what is known of states.
    TakeFlags,
    /// Looks for rows.
    FindRows,
    /// Hands out the row at a place.
    RowOfPlace,
    /// Finds a state that is left.
    SomeLeft,
    /// Finds the number of a state by its place.
    NumberOf,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Expand,
        Self::EnterRows,
        Self::GatherRows,
        Self::MoveStates,
        Self::Spread,
        Self::LeaveAll,
        Self::LeaveToHost,
        Self::BeginPass,
        Self::Judge,
        Self::TellRows,
        Self::TakeFlags,
        Self::FindRows,
        Self::RowOfPlace,
        Self::SomeLeft,
        Self::NumberOf,
    ];

    /// Its name in the source.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Expand => "expand",
            Self::EnterRows => "enter_rows",
            Self::GatherRows => "gather_rows",
            Self::MoveStates => "move_states",
            Self::Spread => "spread",
            Self::LeaveAll => "leave_all",
            Self::LeaveToHost => "leave_to_host",
            Self::BeginPass => "begin_pass",
            Self::Judge => "judge",
            Self::TellRows => "tell_rows",
            Self::TakeFlags => "take_flags",
            Self::FindRows => "find_rows",
            Self::RowOfPlace => "row_of_place",
            Self::SomeLeft => "some_left",
            Self::NumberOf => "number_of",
        }
    }

    /// Whether it is there only where an automaton watches the program.
    #[must_use]
    pub const fn is_about_cycles(self) -> bool {
        !matches!(self, Self::Expand | Self::EnterRows | Self::GatherRows | Self::MoveStates)
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
