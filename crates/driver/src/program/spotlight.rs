//! What can be said by looking at few processes? The engine is [`tertium_cegar::spotlight`]; what it leaves open is up to the
//! [strategy](crate::strategy).

pub use tertium_cegar::spotlight::{Parameters, SpotlightOptions, check, rounds, start, view};
