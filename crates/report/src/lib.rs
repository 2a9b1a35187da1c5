//! How is a result shown to people and to scripts?
//!
//! Versioned view types ([`view`], [`compare`], [`abstraction`], [`explore`], [`failure`], [`simulate`], [`formula`], [`certify`]) that hold names and words
//! only, so that a page or a script needs nothing else; [`build`] makes them from structures and
//! evidence. Renderers take views alone: [`text`] for people, [`page`] for people with a browser, [`json`] for scripts, [`junit`] and
//! [`sarif`] for build servers.
//!
//! Not here: deciding anything, running engines, writing to a terminal or a file.

pub mod abstraction;
pub mod build;
pub mod certify;
pub mod compare;
pub mod explore;
pub mod failure;
pub mod formula;
pub mod json;
pub mod junit;
mod ordered;
pub mod page;
pub mod sarif;
pub mod simulate;
pub mod style;
pub mod text;
pub mod view;

pub use certify::CertifyReport;
pub use compare::CompareReport;
pub use formula::FormulaReport;
pub use style::Style;
pub use view::{CheckReport, ResultView};
