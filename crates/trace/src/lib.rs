//! What happened in a run, for people and for other tools?
//!
//! A [`Run`] is a sequence of moves that the definition of a step allows ([`run`]); searches that find states have it connect
//! them. [`wording`] says steps, faults and states in the words of the program's text, [`narration`] what else there is to see along
//! a run (what could have happened instead, messages, fairness), [`unfold`] what the parts of a formula are worth along it, and
//! [`propositional`] in one state. [`reorder`] tells a run with fewer changes of process. [`itf`] stores runs in the Informal
//! Trace Format, [`trail`] follows the trails of Spin, [`simulate`] walks, and repeats stored runs.
//!
//! Not here: searching for runs (`explore`, `driver`), and whether a run shows what it is said to show.

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
