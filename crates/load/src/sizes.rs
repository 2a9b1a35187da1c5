//! Which sizes does a file leave open?
//!
//! `const N >= 1` stands for every number from 1 on: the file then holds one system for each of them.

use std::collections::BTreeMap;

use tertium_base::Diagnostic;
use tertium_gcl::Addition;
pub use tertium_gcl::parameterised::AtLeast;
use tertium_logic::Logic;

use crate::failure::Failure;
use crate::program::{Extras, ProgramFile, from_text_with};
use crate::questions::{Question, questions};

/// A file that leaves a size open, with what is needed to read it again for each size.
#[derive(Clone, Debug)]
pub struct Open {
    /// The constants of which only the least value is said.
    pub constants: Vec<AtLeast>,
    /// The properties that the command line gave.
    pub given: Vec<String>,
    /// The logic of those that name none.
    pub logic: Option<Logic>,
    /// What the command line added for abstraction.
    pub extras: Extras,
    /// All of it, as the compiler takes it.
    pub additions: Vec<Addition>,
}

/// The message for a size that is not said where one is needed.
pub fn unsized_error(constant: &AtLeast) -> Diagnostic {
    let (name, least) = (&constant.name, constant.least);
    Diagnostic::error("E0352", format!("`{name}` is any number from {least} on, and one is needed here"))
        .at(constant.span, "left open")
        .help(format!("give it a value: `-D {name}={least}`; `check` looks at every value"))
}

/// Values for constants from the command line.
///
/// # Errors
/// If one is no number.
pub fn sizes(defines: &[(String, String)]) -> Result<BTreeMap<String, i64>, Failure> {
    let number = |(name, value): &(String, String)| match value.parse() {
        Ok(value) => Ok((name.clone(), value)),
        Err(_) => Err(Diagnostic::error("E0331", format!("`-D {name}={value}`: the value is no number"))
            .help("in guarded commands `-D N=3` gives a value to `const N >= 1`")
            .into()),
    };
    defines.iter().map(number).collect()
}

/// Whether the values fit the constants that are left open.
///
/// # Errors
/// If one does not.
pub fn fit(sizes: &BTreeMap<String, i64>, open: &[AtLeast]) -> Result<(), Failure> {
    for (name, &value) in sizes {
        let Some(constant) = open.iter().find(|constant| constant.name == *name) else {
            return Err(Diagnostic::error("E0331", format!("no constant `{name}` is left open"))
                .help("`-D N=3` gives a value to `const N >= 1`; other constants have theirs in the text")
                .into());
        };
        if value < constant.least {
            let message = format!("`{name}` is at least {}, not {value}", constant.least);
            return Err(Diagnostic::error("E0331", message).into());
        }
    }
    Ok(())
}

/// The system of one size; none if there is no such system.
///
/// # Errors
/// If the text cannot be read with the least size.
pub fn system(file: &ProgramFile, open: &Open, constant: &AtLeast, size: i64) -> Result<Option<ProgramFile>, Failure> {
    let sizes = BTreeMap::from([(constant.name.clone(), size)]);
    let extras = Extras { sizes, every: false, ..open.extras.clone() };
    match from_text_with(&file.file, file.source.text.clone(), &open.given, open.logic, &extras) {
        Ok(file) => Ok(Some(file)),
        Err(Failure::Input(_)) if size > constant.least => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// The question with this name to a program; none if it cannot be asked there.
#[must_use]
pub fn asked_of(file: &ProgramFile, name: &str) -> Option<Question> {
    let found = questions(file, &[name.to_owned()], false).ok()?;
    found.into_iter().find(|question| question.name() == name)
}

/// The message for more than one size that is left open.
pub fn two_open(constants: &[AtLeast]) -> Diagnostic {
    let names: Vec<String> = constants.iter().map(|constant| format!("`{}`", constant.name)).collect();
    let mut error = Diagnostic::error("E0352", format!("{} are left open, and only one can be", names.join(" and ")));
    if let Some(last) = constants.last() {
        error =
            error.at(last.span, "left open, too").help(format!("give it a value: `-D {}={}`", last.name, last.least));
    }
    error
}
