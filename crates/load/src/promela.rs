//! How is a Promela model read?
//!
//! The model and the properties from the command line, which become `ltl` blocks behind it; macros from the command line are
//! defined before it. Messages point into whichever file they are about.

use std::collections::BTreeMap;
use std::sync::Arc;

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, SourceFile, Span};
use tertium_logic::Logic;
use tertium_program::{Program, Scope, VarId};
use tertium_promela::lower::lower;
use tertium_promela::sources::Sources;
use tertium_promela::{Options, read};

use crate::failure::{Failure, Located};
use crate::program::{Language, ProgramFile};
use crate::property::Property;

/// Lets models include files from a folder besides their own.
///
/// # Errors
/// If there is no such folder.
pub fn allow_includes(folder: &std::path::Path) -> std::io::Result<()> {
    tertium_promela::include::allow(folder)
}

/// The variables that `--keep` names, with commas between them: `x`, or `P:x` and `P.x` for a local one. Without its process a
/// name means the global variable, or else the local ones of every process.
///
/// # Errors
/// If there is no such variable.
pub fn kept_variables(program: &Program, texts: &[String]) -> Result<Vec<VarId>, Failure> {
    let mut kept = Vec::new();
    for text in texts {
        for name in text.split(',').map(str::trim) {
            let found = named(program, name);
            if found.is_empty() {
                return Err(Located::within(unknown_variable(program, name), &keep_source(text)).into());
            }
            kept.extend(found);
        }
    }
    Ok(kept)
}

fn keep_source(text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new("--keep", text))
}

fn unknown_variable(program: &Program, name: &str) -> Diagnostic {
    let error = Diagnostic::error("E0365", format!("`--keep`: no variable is named `{name}`"));
    let names: Vec<&str> = program.variables.iter().map(|variable| variable.name.as_str()).collect();
    match closest_name(name, names) {
        Some(close) => error.help(format!("did you mean `{close}`?")),
        None => error.help("`x` names a global variable, `P:x` one of the process type `P`"),
    }
}

/// The variables with a name.
fn named(program: &Program, name: &str) -> Vec<VarId> {
    let owner = |var: VarId| match program.variable(var).scope {
        Scope::Local(process) => Some(program.process(process).name.as_str()),
        Scope::Global => None,
    };
    let of_process = |var: &VarId| {
        let local = program.variable(*var).name.as_str();
        owner(*var).is_some_and(|process| {
            [format!("{process}:{local}"), format!("{process}.{local}")].contains(&name.to_owned())
        })
    };
    let plain = |var: &VarId| program.variable(*var).name == name;
    let global = |var: &VarId| owner(*var).is_none() && plain(var);
    for fits in [&global as &dyn Fn(&VarId) -> bool, &of_process, &plain] {
        let found: Vec<VarId> = program.variable_ids().filter(|var| fits(var)).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Reads a model together with properties from the command line.
///
/// # Errors
/// Everything that is wrong with the text and the properties.
pub fn from_text(
    file: &str,
    text: &str,
    given: &[String],
    logic: Option<Logic>,
    defines: &[(String, String)],
    predicates: &[String],
) -> Result<ProgramFile, Failure> {
    if let Some(logic) = logic.filter(|&logic| logic != Logic::Ltl) {
        let what = format!("properties of Promela models are linear; `{}` is not", logic.name());
        return Err(Diagnostic::error("E0592", what).help("write the property in ltl").into());
    }
    let properties: Vec<Property> =
        given.iter().enumerate().map(|(at, text)| Property::from_argument(text, at + 1)).collect();
    let wrong: Vec<Located> = properties.iter().filter_map(more_than_a_formula).collect();
    if !wrong.is_empty() {
        return Err(Failure::Input(wrong));
    }
    if let Some(predicate) = predicates.iter().find(|predicate| stray(predicate).is_some()) {
        let source = Arc::new(SourceFile::new("--predicate", predicate.as_str()));
        return Err(Located::within(not_one(stray(predicate).unwrap_or_default(), "condition"), &source).into());
    }
    let mut whole = text.to_owned();
    for predicate in predicates {
        whole.push_str(&format!("\npred ({predicate})\n"));
    }
    let mut added = Vec::new();
    for (at, property) in properties.iter().enumerate() {
        whole.push_str(&format!("\nltl given_{at}_{} {{ ", text.len()));
        added.push(whole.len());
        whole.push_str(&property.text);
        whole.push_str(" }\n");
    }
    let options = Options { defines: defines.to_vec(), ..Options::default() };
    let model = read(file, &whole, &options);
    let mut texts = Texts { sources: &model.sources, file, text, known: BTreeMap::new() };
    let place = |message: Diagnostic| {
        let at = place_of(&message).start;
        let own = added.iter().rposition(|&start| start <= at).filter(|_| at < whole.len());
        match own {
            Some(number) => {
                let property = &properties[number];
                Located::within(moved(message, added[number], property.offset), &property.source)
            }
            None => texts.within(message),
        }
    };
    let mut messages: Vec<Diagnostic> = model.diagnostics.clone();
    if messages.iter().any(Diagnostic::is_error) {
        return Err(Failure::Input(messages.into_iter().map(place).collect()));
    }
    let lowered = lower(&model.file, &model.symbols, &model.sources);
    let failed = lowered.diagnostics.iter().any(Diagnostic::is_error);
    messages.extend(lowered.diagnostics);
    let messages: Vec<Located> = messages.into_iter().map(place).collect();
    if failed {
        return Err(Failure::Input(messages));
    }
    let mut program = lowered.program;
    program.name =
        std::path::Path::new(file).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    let first = program.properties.len().saturating_sub(properties.len());
    let own = |(at, known): (usize, &tertium_program::Property)| known.name == format!("given_{at}_{}", text.len());
    let added = program.properties[first..].iter().enumerate();
    if added.len() != properties.len() || !added.into_iter().all(own) {
        let swallowed = Diagnostic::error("E0597", "what the command line gives is not read as a property")
            .note("the model's text ends inside a comment, a conditional or a statement")
            .help("end it there");
        return Err(swallowed.into());
    }
    for (known, property) in program.properties[first..].iter_mut().zip(&properties) {
        known.name.clone_from(&property.name);
        known.source.clone_from(&property.text);
    }
    Ok(ProgramFile {
        file: file.to_owned(),
        source: Arc::new(SourceFile::new(file, text)),
        program,
        warnings: messages,
        language: Language::Promela,
        sources: Some(model.sources),
        accepts: lowered.accepts,
        defines: defines.to_vec(),
        given: properties.iter().map(|property| property.name.clone()).collect(),
        unnamed: properties.iter().filter(|property| !property.named).map(|property| property.name.clone()).collect(),
        given_predicates: predicates.len(),
        open: None,
        sizes: BTreeMap::new(),
    })
}

/// The texts that messages are about, each copied once however many messages there are.
struct Texts<'a> {
    sources: &'a Sources,
    file: &'a str,
    text: &'a str,
    /// By where a piece begins; none is the model's own text.
    known: BTreeMap<Option<usize>, Arc<SourceFile>>,
}

impl Texts<'_> {
    /// A message with the text it is about.
    fn within(&mut self, message: Diagnostic) -> Located {
        let piece = self.sources.piece(place_of(&message));
        let source = self
            .known
            .entry(piece.map(|piece| piece.offset))
            .or_insert_with(|| Arc::new(piece.cloned().unwrap_or_else(|| SourceFile::new(self.file, self.text))));
        Located::within(message, source)
    }
}

fn place_of(message: &Diagnostic) -> Span {
    message.primary.as_ref().map_or_else(Span::default, |label| label.span)
}

/// A message about a text that begins at `from` in one source and at `to` in another.
fn moved(mut message: Diagnostic, from: usize, to: usize) -> Diagnostic {
    for label in message.primary.iter_mut().chain(&mut message.secondary) {
        let place = |at: usize| at.saturating_sub(from) + to;
        label.span = Span::new(place(label.span.start), place(label.span.end));
    }
    message
}

/// Where a text does not stay inside the brackets that are put around it.
fn stray(text: &str) -> Option<Span> {
    let marks = ["{", "}", "#", "/*", "*/", "//", "\"", ";"];
    let found = marks.iter().filter_map(|mark| text.find(mark).map(|at| Span::new(at, at + mark.len())));
    found.min_by_key(|span| span.start)
}

/// A property from the command line that could be more than one formula: it stands behind the model's text, and must not become part of it.
fn more_than_a_formula(property: &Property) -> Option<Located> {
    let span = stray(&property.text)?.shifted(property.offset);
    Some(Located::within(not_one(span, "formula"), &property.source))
}

fn not_one(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("E0597", format!("this is more than one {what}"))
        .at(span, format!("cannot stand in a {what}"))
        .help("write what belongs to the model into the model")
}
