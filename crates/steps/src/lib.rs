//! The steps of a program as a small intermediate form over packed rows, and what that means.
//!
//! [`lower`] makes the form of a program, for states of one layout; [`form`] is its data, [`interpret`] its definition. [`machine`] runs
//! forms, interpreted or as somebody else compiled them, for the searches of `explore`.
//!
//! Not here: code for processors of any kind.
//!
//! ```
//! use tertium_explore::successors::Plain;
//! use tertium_program::Semantics;
//! use tertium_steps::interpret::{Outcomes, run};
//! use tertium_steps::lower::Lowering;
//!
//! let text = "system s var x : 0..9 = 0 process P { while x < 9 { x := x + 1; } }";
//! let program = tertium_gcl::compile(text).program.expect("no mistakes");
//! let semantics = Semantics::new(&program);
//! let plain = Plain::of(&semantics);
//! let lowering = Lowering::of(&semantics, plain.packing(), None).expect("nothing unusual");
//! let form = lowering.layout(&[0]).expect("it is small");
//! let initial = semantics.initial_states(1, &tertium_base::Budget::unlimited()).expect("there is one");
//! let mut found = Outcomes::default();
//! let any = run(&form.steps[0], &form.tables, &plain.row(&initial[0]), false, &mut Vec::new(), &mut found);
//! assert_eq!((any, found.ends.len()), (Ok(true), 1));
//! ```

pub mod form;
pub mod interpret;
pub mod lower;
pub mod machine;
