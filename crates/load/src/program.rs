//! Which program does a file hold?
//!
//! [`load`] reads the text and what the command line adds to it: properties, predicates, values of constants. What is asked of a
//! program is listed by [`crate::questions`].

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tertium_base::{Diagnostic, SourceFile, Span, files};
use tertium_gcl::{Addition, compile_sized};
use tertium_logic::Logic;
use tertium_program::Program;
use tertium_promela::sources::Sources;

use crate::failure::{Failure, Located};
use crate::imports::Bundle;
use crate::property::Property;
use crate::{horn, imports, promela, sizes, smv};

/// A program with its text.
#[derive(Clone, Debug)]
pub struct ProgramFile {
    /// The path as the user wrote it.
    pub file: String,
    /// The text.
    pub source: Arc<SourceFile>,
    /// What it means.
    pub program: Program,
    /// Remarks about the text.
    pub warnings: Vec<Located>,
    /// Which language it is written in.
    pub language: Language,
    /// All texts of a model that consists of several.
    pub sources: Option<Sources>,
    /// Whether some statement is labelled `accept`.
    pub accepts: bool,
    /// Macros from the command line.
    pub defines: Vec<(String, String)>,
    /// The names of the properties that the command line gave.
    pub given: Vec<String>,
    /// Those of them that the user did not name.
    pub unnamed: Vec<String>,
    /// How many of the program's predicates, the last ones, the command line gave.
    pub given_predicates: usize,
    /// What the text leaves open, if it stands for systems of every size; the program is then the smallest of them.
    pub open: Option<sizes::Open>,
    /// The values that were given to what the text leaves open.
    pub sizes: BTreeMap<String, i64>,
}

impl ProgramFile {
    /// A program that was read from one text to which nothing is added yet; it is named after the file.
    pub(crate) fn alone(
        file: &str,
        source: Arc<SourceFile>,
        mut program: Program,
        warnings: Vec<Located>,
        language: Language,
    ) -> Self {
        program.name =
            std::path::Path::new(file).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
        Self {
            file: file.to_owned(),
            source,
            program,
            warnings,
            language,
            sources: None,
            accepts: false,
            defines: Vec::new(),
            given: Vec::new(),
            unnamed: Vec::new(),
            given_predicates: 0,
            open: None,
            sizes: BTreeMap::new(),
        }
    }
}

/// The languages of programs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// Guarded commands.
    Gcl,
    /// Promela.
    Promela,
    /// SMV, the language of NuSMV and nuXmv.
    Smv,
    /// Horn clauses in SMT-LIB.
    Horn,
}

impl Language {
    /// The language of a file, as its name says; none if it is no program.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "gcl" => Some(Self::Gcl),
            "pml" | "prom" | "promela" => Some(Self::Promela),
            "smv" => Some(Self::Smv),
            "smt2" => Some(Self::Horn),
            _ => None,
        }
    }

    /// The word for it in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gcl => "gcl",
            Self::Promela => "promela",
            Self::Smv => "smv",
            Self::Horn => "horn",
        }
    }
}

/// Whether a file holds a program, as its name says.
#[must_use]
pub fn is_program(path: &Path) -> bool {
    Language::of(path).is_some()
}

/// Reads a text from a file.
///
/// # Errors
/// If there is no such regular file, or it is no text, or longer than any program.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    let bytes = files::read(path, files::LARGEST_TEXT)
        .map_err(|error| Diagnostic::error("E0300", format!("`{}` cannot be read: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Diagnostic::error("E0317", format!("`{}` is not a text: byte {at} is not UTF-8", path.display())).into()
    })
}

/// Reads a program together with properties from the command line, which are in `logic` if one is given. `defines` are macros
/// for Promela.
///
/// # Errors
/// Everything that is wrong with the text and the properties.
pub fn load(
    path: &Path,
    given: &[String],
    logic: Option<Logic>,
    defines: &[(String, String)],
) -> Result<ProgramFile, Failure> {
    load_with(path, given, logic, defines, &Extras::default())
}

/// As [`load`], from a text that is already there.
///
/// # Errors
/// Everything that is wrong with the text and the properties.
pub fn from_text(file: &str, text: String, given: &[String], logic: Option<Logic>) -> Result<ProgramFile, Failure> {
    from_text_with(file, text, given, logic, &Extras::default())
}

/// What the command line adds for abstraction.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Predicates.
    pub predicates: Vec<String>,
    /// Variables that stay concrete.
    pub keep: Vec<String>,
    /// Processes that are looked at closely.
    pub spotlight: Vec<String>,
    /// Values for constants that the text leaves open.
    pub sizes: BTreeMap<String, i64>,
    /// Whether the text may stand for systems of every size.
    pub every: bool,
}

/// As [`load`], with what abstraction needs.
///
/// # Errors
/// Everything that is wrong with the text and what is added to it.
pub fn load_with(
    path: &Path,
    given: &[String],
    logic: Option<Logic>,
    defines: &[(String, String)],
    extras: &Extras,
) -> Result<ProgramFile, Failure> {
    let text = read_text(path)?;
    let language = Language::of(path).unwrap_or(Language::Gcl);
    from_text_in(language, &path.to_string_lossy(), text, given, logic, defines, extras)
}

/// As [`load_with`], from a text in a language.
///
/// # Errors
/// Everything that is wrong with the text and what is added to it.
pub fn from_text_in(
    language: Language,
    name: &str,
    text: String,
    given: &[String],
    logic: Option<Logic>,
    defines: &[(String, String)],
    extras: &Extras,
) -> Result<ProgramFile, Failure> {
    match language {
        Language::Smv => smv::from_text(name, &text, given, logic, defines, extras),
        Language::Horn => horn::from_text(name, &text, given, defines, extras),
        Language::Promela if !extras.spotlight.is_empty() => {
            let error = Diagnostic::error("E0331", "`--spotlight` is for guarded commands");
            Err(error.help("leave it out for Promela").into())
        }
        Language::Promela => {
            let mut file = promela::from_text(name, &text, given, logic, defines, &extras.predicates)?;
            file.program.keep = promela::kept_variables(&file.program, &extras.keep)?;
            Ok(file)
        }
        Language::Gcl if !defines.is_empty() => {
            let bundle = imports::bundle(name, &text);
            let (text, given_sizes) = sizes::given(bundle.text, defines)?;
            from_text_with(name, text, given, logic, &Extras { sizes: given_sizes, ..extras.clone() })
        }
        Language::Gcl => from_text_with(name, text, given, logic, extras),
    }
}

/// As [`from_text`], with what abstraction needs.
///
/// # Errors
/// Everything that is wrong with the text and what is added to it.
pub fn from_text_with(
    file: &str,
    text: String,
    given: &[String],
    logic: Option<Logic>,
    extras: &Extras,
) -> Result<ProgramFile, Failure> {
    let properties: Vec<Property> =
        given.iter().enumerate().map(|(at, text)| Property::from_argument(text, at + 1)).collect();
    let mut additions: Vec<Addition> = properties
        .iter()
        .map(|property| Addition::Property { name: property.name.clone(), logic, text: property.text.clone() })
        .collect();
    additions.extend(extras.predicates.iter().cloned().map(Addition::Predicate));
    additions.extend(extras.keep.iter().cloned().map(Addition::Keep));
    additions.extend(extras.spotlight.iter().cloned().map(Addition::Spotlight));
    let Bundle { text, sources: files, diagnostics: importing } = imports::bundle(file, &text);
    let compiled = compile_sized(&text, &additions, &extras.sizes);
    let source = Arc::new(SourceFile::new(file, text));
    let place = |diagnostic: Diagnostic| {
        let span = diagnostic.primary.as_ref().map_or_else(Span::default, |label| label.span);
        let piece = files.as_ref().and_then(|files| files.piece(span));
        Located::within(diagnostic, &piece.map_or_else(|| Arc::clone(&source), |piece| Arc::new(piece.clone())))
    };
    let failed = !importing.is_empty();
    let mut messages: Vec<Located> = importing.into_iter().chain(compiled.diagnostics).map(place).collect();
    let mut sources: Vec<(Arc<SourceFile>, usize)> =
        properties.iter().map(|property| (Arc::clone(&property.source), property.offset)).collect();
    for (name, texts) in
        [("--predicate", &extras.predicates), ("--keep", &extras.keep), ("--spotlight", &extras.spotlight)]
    {
        sources.extend(texts.iter().map(|text| (Arc::new(SourceFile::new(name, text.as_str())), 0)));
    }
    for ((source, offset), mistakes) in sources.iter().zip(compiled.additions) {
        let place = |mistake: Diagnostic| Located::within(mistake.shifted(*offset), source);
        messages.extend(mistakes.into_iter().map(place));
    }
    let Some(program) = compiled.program.filter(|_| !failed) else { return Err(Failure::Input(messages)) };
    sizes::fit(&extras.sizes, &compiled.open)?;
    let constants: Vec<_> =
        compiled.open.into_iter().filter(|constant| !extras.sizes.contains_key(&constant.name)).collect();
    if let (Some(constant), false) = (constants.first(), extras.every) {
        return Err(Failure::Input(vec![Located::within(sizes::unsized_error(constant), &source)]));
    }
    let open = (!constants.is_empty()).then(|| sizes::Open {
        constants,
        given: given.to_vec(),
        logic,
        extras: extras.clone(),
        additions,
    });
    Ok(ProgramFile {
        file: file.to_owned(),
        source,
        program,
        warnings: messages,
        language: Language::Gcl,
        sources: files,
        accepts: false,
        defines: Vec::new(),
        given: properties.iter().map(|property| property.name.clone()).collect(),
        unnamed: properties.iter().filter(|property| !property.named).map(|property| property.name.clone()).collect(),
        given_predicates: extras.predicates.len(),
        open,
        sizes: extras.sizes.clone(),
    })
}

impl ProgramFile {
    /// The text that a place lies in.
    #[must_use]
    pub fn source_of(&self, span: Span) -> Arc<SourceFile> {
        let piece = self.sources.as_ref().and_then(|sources| sources.piece(span));
        piece.map_or_else(|| Arc::clone(&self.source), |piece| Arc::new(piece.clone()))
    }

    /// Messages about places of the program, with the texts they lie in.
    #[must_use]
    pub fn located(&self, failure: Failure) -> Failure {
        let Failure::Input(mut messages) = failure else { return failure };
        for message in messages.iter_mut().filter(|message| message.source.is_none()) {
            message.source = message.diagnostic.primary.as_ref().map(|label| self.source_of(label.span));
        }
        Failure::Input(messages)
    }

    /// The line of a place, in whichever text it is.
    #[must_use]
    pub fn line(&self, span: Span) -> usize {
        let piece = self.sources.as_ref().and_then(|sources| sources.piece(span));
        piece.unwrap_or(&self.source).line_column(span.start).0
    }

    /// The name of the file that a place lies in, unless it is the model's own.
    #[must_use]
    pub fn other_file(&self, span: Span) -> Option<String> {
        let piece = self.sources.as_ref().and_then(|sources| sources.piece(span))?;
        (piece.name != self.source.name).then(|| piece.name.clone())
    }

    /// The texts of the model, its own first.
    #[must_use]
    pub fn texts(&self) -> Vec<(String, String)> {
        // The text of a system is followed by those that it imports.
        let own = self.sources.as_ref().and_then(|sources| sources.pieces().first()).filter(|own| own.first_line == 1);
        let own = own.map_or(&self.source.text, |own| &own.text);
        let mut texts = vec![(self.source.name.clone(), own.clone())];
        for piece in self.sources.iter().flat_map(|sources| sources.pieces()) {
            // A piece that begins elsewhere than in the first line is part of a text that is there already.
            let known = texts.iter().any(|(name, _)| *name == piece.name);
            if piece.first_line == 1 && !known && !piece.text.is_empty() {
                texts.push((piece.name.clone(), piece.text.clone()));
            }
        }
        texts
    }

    /// How people call the process with this pid that runs this code.
    #[must_use]
    pub fn process_name(&self, process: tertium_program::ProcessId, pid: u32) -> String {
        let name = &self.program.process(process).name;
        match self.language {
            Language::Gcl | Language::Smv | Language::Horn => name.clone(),
            Language::Promela => format!("{name}({pid})"),
        }
    }

    /// The program as one line for people.
    #[must_use]
    pub fn description(&self) -> String {
        let counted =
            |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
        format!(
            "{}, {}, {}",
            counted(self.program.instances.len(), "process", "processes"),
            counted(self.program.variables.len(), "variable", "variables"),
            counted(self.program.steps.len(), "step", "steps"),
        )
    }
}
