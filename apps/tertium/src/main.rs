//! Tertium on the command line: what was typed goes to the library, and its exit code to the shell.

use std::process::ExitCode;

use tertium_base::memory::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    tertium::command::main(std::env::args_os().collect()).into()
}
