//! How are Horn clauses read? They ask one question, whether they are satisfiable; nothing is added to them but predicates' names and registers that stay concrete.

use std::sync::Arc;

use tertium_base::{Diagnostic, SourceFile};
use tertium_horn::compile;
pub use tertium_horn::{Predicate, Register};

use crate::failure::{Failure, Located};
use crate::program::{Extras, Language, ProgramFile};
use crate::promela::kept_variables;

/// Reads a script of clauses.
///
/// # Errors
/// Everything that is wrong with the text, and what cannot be added to it.
pub fn from_text(
    file: &str,
    text: &str,
    given: &[String],
    defines: &[(String, String)],
    extras: &Extras,
) -> Result<ProgramFile, Failure> {
    let added = [
        (!given.is_empty(), "`--property` is"),
        (!defines.is_empty(), "`--define` is"),
        (!extras.spotlight.is_empty(), "`--spotlight` is"),
        (!extras.predicates.is_empty(), "`--predicate` is"),
    ];
    if let Some((_, what)) = added.iter().find(|(is, _)| *is) {
        return Err(Diagnostic::error("E0331", format!("{what} not for Horn clauses")).help("leave it out").into());
    }
    let compiled = compile(text);
    let source = Arc::new(SourceFile::new(file, text));
    let messages: Vec<Located> =
        compiled.diagnostics.into_iter().map(|message| Located::within(message, &source)).collect();
    let Some(mut program) = compiled.program else { return Err(Failure::Input(messages)) };
    program.keep = kept_variables(&program, &extras.keep)?;
    Ok(ProgramFile::alone(file, source, program, messages, Language::Horn))
}

/// Whether a script asks queries, to which solvers reply `sat` if they can be derived.
#[must_use]
pub fn has_queries(file: &ProgramFile) -> bool {
    compile(&file.source.text).has_queries
}

/// The predicates that clauses are about, and where the program holds their arguments.
#[must_use]
pub fn predicates(file: &ProgramFile) -> Vec<Predicate> {
    compile(&file.source.text).predicates
}
