//! What happened in a run, for people and for other tools?
//!
//! A [`Run`] is a sequence of moves that the definition of a step allows ([`run`]); searches that find states have it connect
//! them. [`wording`] says steps, faults and states in the words of the program's text, [`narration`] what else there is to see along
//! a run (what could have happened instead, messages, fairness), [`unfold`] what the parts of a formula are worth along it, and
//! [`propositional`] in one state. [`reorder`] tells a run with fewer changes of process. [`itf`] stores runs in the Informal
//! Trace Format, [`trail`] follows the trails of Spin, [`simulate`] walks, and repeats stored runs.
//!
//! Not here: searching for runs (`explore`, `driver`), and whether a run shows what it is said to show.
//!
//! ```
//! use tertium_base::Budget;
//! use tertium_load::program::from_text;
//! use tertium_trace::simulate::Simulator;
//!
//! let text = "system s var x : 0..3 = 0 process P { x := x + 1; x := x + 2; }";
//! let file = from_text("s.gcl", text.to_owned(), &[], None).expect("no mistakes");
//! let mut simulator = Simulator::new(&file, &Budget::unlimited()).expect("it has a beginning");
//! while let Some(choice) = simulator.choices().first() {
//!     simulator.take(choice).expect("it was offered");
//! }
//! assert_eq!(simulator.position(), 2);
//! assert!(simulator.values().contains(&("x".to_owned(), "3".to_owned())));
//! ```

pub mod itf;
pub mod narration;
pub mod propositional;
pub mod reorder;
pub mod run;
pub mod simulate;
pub mod trail;
pub mod unfold;
pub mod wording;

pub use run::Run;
