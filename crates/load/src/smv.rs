//! How is an SMV model read?
//!
//! The model, properties and predicates from the command line. Formulas are SMV's own: of CTL or LTL, as their operators say, or conditions that always hold.

use std::sync::Arc;

use tertium_base::{Diagnostic, SourceFile};
use tertium_logic::Logic;
use tertium_smv::{Addition, compile};

use crate::failure::{Failure, Located};
use crate::program::{Extras, Language, ProgramFile};
use crate::promela::kept_variables;
use crate::property::Property;

/// Reads a model together with what the command line adds.
///
/// # Errors
/// Everything that is wrong with the text and what is added to it.
pub fn from_text(
    file: &str,
    text: &str,
    given: &[String],
    logic: Option<Logic>,
    defines: &[(String, String)],
    extras: &Extras,
) -> Result<ProgramFile, Failure> {
    if !extras.spotlight.is_empty() || !defines.is_empty() {
        let what = if defines.is_empty() { "`--spotlight` is" } else { "`--define` is" };
        let error = Diagnostic::error("E0331", format!("{what} not for SMV"));
        return Err(error.help("leave it out").into());
    }
    let linear = match logic {
        None => None,
        Some(Logic::Ltl) => Some(true),
        Some(Logic::Ctl) => Some(false),
        Some(other) => {
            let what = format!("properties of SMV models are in ctl or ltl, not in {}", other.name());
            return Err(Diagnostic::error("E0592", what).help("write the property in one of them").into());
        }
    };
    let properties: Vec<Property> =
        given.iter().enumerate().map(|(at, text)| Property::from_argument(text, at + 1)).collect();
    let mut additions: Vec<Addition> = properties
        .iter()
        .map(|property| Addition::Property { name: property.name.clone(), linear, text: property.text.clone() })
        .collect();
    additions.extend(extras.predicates.iter().cloned().map(Addition::Predicate));
    let compiled = compile(text, &additions);
    let source = Arc::new(SourceFile::new(file, text));
    let mut messages: Vec<Located> =
        compiled.diagnostics.into_iter().map(|message| Located::within(message, &source)).collect();
    let mut sources: Vec<(Arc<SourceFile>, usize)> =
        properties.iter().map(|property| (Arc::clone(&property.source), property.offset)).collect();
    sources.extend(extras.predicates.iter().map(|text| (Arc::new(SourceFile::new("--predicate", text.as_str())), 0)));
    for ((source, offset), mistakes) in sources.iter().zip(compiled.additions) {
        messages.extend(mistakes.into_iter().map(|mistake| Located::within(mistake.shifted(*offset), source)));
    }
    let Some(mut program) = compiled.program else { return Err(Failure::Input(messages)) };
    let kept = kept_variables(&program, &extras.keep)?;
    program.keep.extend(kept);
    Ok(ProgramFile {
        given: properties.iter().map(|property| property.name.clone()).collect(),
        unnamed: properties.iter().filter(|property| !property.named).map(|property| property.name.clone()).collect(),
        given_predicates: extras.predicates.len(),
        ..ProgramFile::alone(file, source, program, messages, Language::Smv)
    })
}
