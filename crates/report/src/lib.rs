//! How is a result shown to people and to scripts?
//!
//! Versioned view types ([`view`], [`compare`], [`abstraction`], [`spotlight`], [`explore`], [`cluster`], [`questions`], [`failure`], [`simulate`], [`formula`], [`certify`]) that hold names and words
//! only, so that a page or a script needs nothing else; [`build`] makes them from structures and
//! evidence. Renderers take views alone: [`text`] for people, [`page`] for people with a browser, [`json`] for scripts, [`junit`] and
//! [`sarif`] for build servers.
//!
//! Not here: deciding anything, running engines, writing to a terminal or a file.
//!
//! ```
//! use tertium_report::certify::ResultView;
//! use tertium_report::view::{SCHEMA_VERSION, Tool};
//! use tertium_report::{CertifyReport, Style, json, text};
//!
//! let result = ResultView {
//!     name: "lit".to_owned(),
//!     formula: "AG lamp".to_owned(),
//!     logic: "ctl",
//!     value: "true".to_owned(),
//!     verdict: "proved",
//!     proof: "strategy",
//!     about: Vec::new(),
//!     obligations: 0,
//!     assumptions: Vec::new(),
//!     reason: None,
//! };
//! let report = CertifyReport {
//!     schema_version: SCHEMA_VERSION,
//!     tool: Tool { name: "tertium", version: "0".to_owned() },
//!     file: "lamp.kmts".to_owned(),
//!     certificate: "lit.cert.json".to_owned(),
//!     accepted: true,
//!     results: vec![result],
//! };
//! assert!(text::certify(&report, Style::default()).contains("proved"));
//! assert!(json::document(&report).contains("\"accepted\": true"));
//! ```

pub mod abstraction;
pub mod build;
pub mod certify;
pub mod cluster;
pub mod compare;
pub mod completion;
mod explained;
pub mod explore;
pub mod failure;
pub mod formula;
pub mod json;
pub mod junit;
pub mod listing;
pub mod merge;
mod ordered;
pub mod page;
pub mod questions;
pub mod reduce;
pub mod sarif;
pub mod several;
pub mod simulate;
pub mod spotlight;
pub mod style;
pub mod synthesis;
pub mod text;
pub mod view;

pub use certify::CertifyReport;
pub use compare::CompareReport;
pub use formula::FormulaReport;
pub use style::Style;
pub use view::{CheckReport, ResultView};
