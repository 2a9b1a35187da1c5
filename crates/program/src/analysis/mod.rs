//! What holds of a program whatever it does, found without running it?

pub mod constants;

pub use constants::Constants;
