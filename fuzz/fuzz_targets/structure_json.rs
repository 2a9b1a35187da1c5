//! Any bytes as a `.json` structure: no panic, and what is accepted survives writing and reading.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| tertium_fuzz::structure_round_trip(bytes, tertium_model::Format::Json));
