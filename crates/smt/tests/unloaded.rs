//! A call of the library before it is loaded ends the process with a message, and jumps to nowhere.
#![cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]

use std::process::Command;

/// Said to the process that makes the mistake.
const MISTAKEN: &str = "TERTIUM_TEST_CALLS_BEFORE_LOADING";

#[test]
fn a_call_before_loading_ends_with_a_message() {
    if std::env::var_os(MISTAKEN).is_some() {
        let version = z3::full_version();
        panic!("{version} was told without a library; {:?}", tertium_smt::loading::load());
    }
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this).arg("--nocapture").env(MISTAKEN, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && output.status.code().is_none(), "ended by a signal: {:?}", output.status);
    assert!(said.contains("a function of the solver's library was called that is not loaded"), "{said}");
}
