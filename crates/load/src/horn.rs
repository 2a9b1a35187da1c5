//! How are Horn clauses read? They ask one question, whether they are satisfiable; nothing is added to them but predicates' names and registers that stay concrete.

use std::collections::BTreeMap;
use std::sync::Arc;

use tertium_base::{Diagnostic, SourceFile};
use tertium_horn::compile;

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
    program.name =
        std::path::Path::new(file).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    program.keep = kept_variables(&program, &extras.keep)?;
    Ok(ProgramFile {
        file: file.to_owned(),
        source,
        program,
        warnings: messages,
        language: Language::Horn,
        sources: None,
        accepts: false,
        defines: Vec::new(),
        given: Vec::new(),
        unnamed: Vec::new(),
        given_predicates: 0,
        open: None,
        sizes: BTreeMap::new(),
    })
}
