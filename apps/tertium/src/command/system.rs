//! What is asked of the system that the standard library does not offer.

#[allow(unsafe_code, reason = "two functions of the C library that take numbers only")]
mod c {
    unsafe extern "C" {
        /// Ends the process without running anything at its exit.
        pub safe fn _exit(code: i32) -> !;

        /// Gives memory that is not in use back to the system.
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        pub safe fn malloc_trim(pad: usize) -> i32;
    }
}

/// Ends the process at once. Other threads may be in the middle of anything, also in libraries that would be torn down under them by an
/// orderly exit.
pub fn end_at_once(code: u8) -> ! {
    c::_exit(i32::from(code))
}

/// Gives memory that was freed back to the system, where it can be told to.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    c::malloc_trim(0);
}
