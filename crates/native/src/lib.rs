//! Forms of steps as code of the processor at hand.
//!
//! [`translate`] makes a function of each process's form, with Cranelift; [`code`] holds the finished functions and calls them. [`compiler`]
//! does it layout by layout in the background, while a search goes on without.
//!
//! Not here: what an instruction of the form means; that is `steps`, which everything here is compared with.
//!
//! ```
//! use std::sync::Arc;
//! use tertium_explore::compiled::Compiled;
//! use tertium_native::compiler::NativeCompiler;
//! use tertium_program::Semantics;
//! use tertium_steps::machine::Source;
//!
//! let text = "system s var x : 0..9 = 0 process P { while x < 9 { x := x + 1; } }";
//! let program = tertium_gcl::compile(text).program.expect("no mistakes");
//! let semantics = Semantics::new(&program);
//! let compiled = Compiled::of(&semantics);
//! let source = Source::of(&semantics, compiled.packing(), None).expect("nothing unusual");
//! let compiled = match NativeCompiler::new(source) {
//!     Some(compiler) => tertium_native::with_native_steps(compiled, Arc::new(compiler)),
//!     None => compiled, // Not on this processor.
//! };
//! # let _ = compiled;
//! ```

pub mod code;
pub mod compiler;
pub mod translate;

use std::sync::Arc;

use tertium_explore::compiled::Compiled;
use tertium_steps::machine::{FormSteps, Machines};

/// The same successors, with native code for the steps as soon as there is some.
#[must_use]
pub fn with_native_steps<'p>(compiled: Compiled<'p>, machines: Arc<dyn Machines>) -> Compiled<'p> {
    let functions = FormSteps::new(machines, compiled.packing());
    compiled.with_functions(Arc::new(functions))
}
