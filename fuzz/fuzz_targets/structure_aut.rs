//! Any bytes as an `.aut` transition system: no panic, and what is accepted survives writing as a structure and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| tertium_fuzz::structure_round_trip(bytes, tertium_model::Format::Aut));
