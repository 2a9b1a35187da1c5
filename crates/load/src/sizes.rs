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

/// What the command line gives to constants: the text with other values where it gives some, and numbers for what it leaves open.
///
/// # Errors
/// If a value is no number, no truth value and no name.
pub fn given(text: String, defines: &[(String, String)]) -> Result<(String, BTreeMap<String, i64>), Failure> {
    let constants = tertium_gcl::constants::names(&text);
    let (known, open): (Vec<_>, Vec<_>) = defines.iter().cloned().partition(|(name, _)| constants.contains(name));
    for (name, value) in &known {
        let word = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let number = value.parse::<i64>().is_ok();
        if !number && (value.is_empty() || !word || value.starts_with(|c: char| c.is_ascii_digit())) {
            let error = Diagnostic::error("E0331", format!("`-D {name}={value}`: the value is no number and no name"));
            return Err(error.help("give a number, `true`, `false`, or the name of a constant").into());
        }
    }
    let sizes = sizes(&open)?;
    let text =
        if known.is_empty() { text } else { tertium_gcl::constants::with_values(&text, &known.into_iter().collect()) };
    Ok((text, sizes))
}

/// Whether the values fit the constants that are left open.
///
/// # Errors
/// If one does not.
pub fn fit(sizes: &BTreeMap<String, i64>, open: &[AtLeast]) -> Result<(), Failure> {
    for (name, &value) in sizes {
        let Some(constant) = open.iter().find(|constant| constant.name == *name) else {
            return Err(Diagnostic::error("E0331", format!("there is no constant `{name}`"))
                .help("`-D N=3` gives a value to `const N >= 1`, and another one to `const N = 2`")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Language, from_text_in};

    #[test]
    fn the_command_line_gives_values_to_any_constant() {
        let text = "system s\nconst N = 2 +\n 1\nconst FLAG = false\nconst K >= 1\nvar x : 0..N = N\nprocess P[i : 1..K] { await FLAG; }\n";
        let load = |defines: &[(&str, &str)]| {
            let defines: Vec<(String, String)> =
                defines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            from_text_in(Language::Gcl, "m.gcl", text.to_owned(), &[], None, &defines, &Extras::default())
        };
        let file = load(&[("N", "5"), ("FLAG", "true"), ("K", "2")]).expect("all of them are constants");
        assert_eq!(file.program.processes.len(), 2);
        assert_eq!(file.program.show_type(file.program.variables[0].ty), "0..5");
        assert_eq!(file.source.text.matches('\n').count(), text.matches('\n').count());
        assert!(load(&[("N", "5")]).is_err(), "a size is left open");
        for wrong in [("M", "5"), ("N", "5 + 1"), ("N", ""), ("K", "true"), ("K", "0")] {
            assert!(load(&[("K", "2"), wrong]).is_err(), "{wrong:?}");
        }
    }
}
