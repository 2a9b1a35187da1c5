//! How do the bindings' calls reach a library that is loaded later?
//!
//! The bindings call C functions by name, so these names must be there when the program is linked. Here each is a *trampoline*, as in a
//! procedure linkage table: one jump through a slot, which passes arguments, results and the stack on untouched, whatever the
//! function's type. A slot first leads to a function that ends the process with a message, and to the library once that is loaded.
//!
//! All of it is one piece of assembly, so that whoever links the slots (that is, [`fill`]) links the trampolines, too, before the
//! linker looks into the library itself for names. They are hidden: the library's calls of its own functions do not come here.

#![allow(
    unsafe_code,
    reason = "functions that only the linker and the loader bring together cannot be written without"
)]

use std::arch::global_asm;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::names::with_function_names;

/// A slot, and the jump through it. The slots of all functions follow each other.
macro_rules! trampoline {
    ($name:ident) => {
        concat!(
            ".section .data.tertium_z3_slots,\"aw\",%progbits\n2:\n.quad {absent}\n",
            ".section .text.tertium_z3,\"ax\",%progbits\n.p2align 3\n",
            ".globl ",
            stringify!($name),
            "\n.hidden ",
            stringify!($name),
            "\n.type ",
            stringify!($name),
            ",%function\n",
            stringify!($name),
            ":\n",
            jump!(),
            "\n.size ",
            stringify!($name),
            ", . - ",
            stringify!($name)
        )
    };
}

/// Jumps to where the slot before it leads.
#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    () => {
        "jmp qword ptr [rip + 2b]"
    };
}

/// Jumps to where the slot before it leads, by way of the register that the calling convention sets aside for that.
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    () => {
        "adrp x16, 2b\nldr x16, [x16, :lo12:2b]\nbr x16"
    };
}

/// The trampolines, the slots and the names in the same order.
macro_rules! trampolines {
    ($($name:ident)*) => {
        global_asm!(
            ".pushsection .data.tertium_z3_slots,\"aw\",%progbits",
            ".p2align 3",
            ".globl tertium_z3_slots",
            ".hidden tertium_z3_slots",
            ".type tertium_z3_slots,%object",
            "tertium_z3_slots:",
            $(trampoline!($name),)*
            ".section .data.tertium_z3_slots,\"aw\",%progbits",
            ".size tertium_z3_slots, . - tertium_z3_slots",
            ".popsection",
            absent = sym absent,
        );

        /// Which functions there are, slot by slot.
        pub(super) const NAMES: &[&CStr] = &[$(c_name(concat!(stringify!($name), "\0"))),*];
    };
}

with_function_names!(trampolines);

/// A slot for each of [`NAMES`].
type Slots = [AtomicPtr<c_void>; NAMES.len()];

unsafe extern "C" {
    // Defined above; words that are changed by `fill` alone, as a whole word each.
    #[link_name = "tertium_z3_slots"]
    safe static SLOTS: Slots;
}

const fn c_name(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name without an end"),
    }
}

/// Leads every slot to the function that `find` finds. A function that the library does not have keeps its slot as it was: a library of the
/// version that the bindings were built for has all that they call.
///
/// # Safety
/// What `find` returns for a name is the C function of that name and type, and stays where it is until the process ends.
pub(super) unsafe fn fill(find: impl Fn(&CStr) -> *mut c_void) {
    for (name, slot) in NAMES.iter().zip(&SLOTS) {
        let function = find(name);
        if !function.is_null() {
            slot.store(function, Ordering::Release);
        }
    }
}

/// Where a slot leads to before the library is loaded. Whoever comes here has a fault: there is no answer that could be returned.
#[allow(clippy::print_stderr, reason = "the process ends here")]
extern "C" fn absent() -> ! {
    eprintln!(
        "tertium: internal error: a function of the solver's library was called that is not loaded (tertium_smt::loading::load comes first)"
    );
    std::process::abort();
}
