//! What can be done with Tertium without its command?

mod model;
mod programs;
mod report;
mod structures;

use tertium_base::Budget;
use tertium_driver::check::CheckOptions;
use tertium_driver::strategy::Wishes;
use tertium_driver::{Failure, Observer};

use self::model::ModelKind;
pub use self::model::{LoadOptions, Model};
pub use self::report::{Evidence, PropertyReport, Report, Run, RunStep};

/// How properties are checked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The names of the properties to check; all of the model if there are none.
    pub only: Vec<String>,
    /// For programs: readings, limits, and which engines are wanted.
    pub wishes: Wishes,
    /// For structures: readings, engine, semantics.
    pub structures: CheckOptions,
    /// Whether definite answers come with certificates that `tertium certify` accepts, where they have any. It costs time.
    pub certificates: bool,
}

/// Checks the properties of a model.
///
/// # Errors
/// If a name is not one of a property, options do not fit the model, or two parts of Tertium disagree. A limit that is reached is no error:
/// verdicts say so.
pub fn check(model: &Model, options: &Options, budget: &Budget, observer: &dyn Observer) -> Result<Report, Failure> {
    match &model.0 {
        ModelKind::Program(file) => programs::check(file, options, budget, observer),
        ModelKind::Structure(structure) => structures::check(structure, options, budget, observer),
    }
}
