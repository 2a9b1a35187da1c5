//! What is a model to a program that embeds Tertium?

use std::path::Path;

use tertium_base::Budget;
use tertium_driver::program::{self, Extras, Language, ProgramFile};
use tertium_driver::{Failure, Located, Logic, input};

/// What is added to a model when it is read.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Properties besides those of the model, as formulas, or `NAME: FORMULA`.
    pub properties: Vec<String>,
    /// The logic of these, if it cannot be told from the formula.
    pub logic: Option<Logic>,
    /// Values of constants (guarded commands) or macros (Promela).
    pub defines: Vec<(String, String)>,
}

/// A model that was read.
#[derive(Debug)]
pub struct Model(pub(super) ModelKind);

/// What kinds of models there are.
#[derive(Debug)]
pub(super) enum ModelKind {
    Structure(Box<Structure>),
    Program(Box<ProgramFile>),
}

/// A partial structure, and what was added to it.
#[derive(Debug)]
pub(super) struct Structure {
    pub(super) loaded: input::Loaded,
    pub(super) given: Vec<String>,
    pub(super) logic: Option<Logic>,
}

impl Model {
    /// Reads a model; the file's name says in which language it is.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Failure> {
        Self::load_with(path, &LoadOptions::default(), &Budget::unlimited())
    }

    /// The same with properties and constants of one's own, within limits.
    ///
    /// # Errors
    /// Everything that is wrong with the file or with what is added, or the limit that was reached.
    pub fn load_with(path: impl AsRef<Path>, options: &LoadOptions, budget: &Budget) -> Result<Self, Failure> {
        let path = path.as_ref();
        if !program::is_program(path) {
            return Ok(Self::structure(input::load(path, budget)?, options));
        }
        let extras = Extras { every: true, ..Extras::default() };
        let file = program::load_with(path, &options.properties, options.logic, &options.defines, &extras)?;
        Ok(Self(ModelKind::Program(Box::new(file))))
    }

    /// Reads a model from a text; the ending of `name` says in which language it is: `.gcl`, `.pml`, `.smv`, `.smt2`, else lines as in `.kmts`.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Failure> {
        Self::from_text_with(name, text, &LoadOptions::default(), &Budget::unlimited())
    }

    /// The same with properties of one's own, within limits.
    ///
    /// # Errors
    /// Everything that is wrong with the text or with what is added, or the limit that was reached.
    pub fn from_text_with(name: &str, text: &str, options: &LoadOptions, budget: &Budget) -> Result<Self, Failure> {
        let (given, logic) = (options.properties.as_slice(), options.logic);
        let file = match Language::of(Path::new(name)) {
            None => return Ok(Self::structure(input::from_text(name, text, budget)?, options)),
            Some(Language::Promela) => program::promela::from_text(name, text, given, logic, &options.defines, &[])?,
            Some(Language::Horn) => program::horn::from_text(name, text, given, &options.defines, &Extras::default())?,
            Some(Language::Smv) => {
                program::smv::from_text(name, text, given, logic, &options.defines, &Extras::default())?
            }
            Some(Language::Gcl) => {
                let sizes = program::sizes::sizes(&options.defines)?;
                let extras = Extras { every: true, sizes, ..Extras::default() };
                program::from_text_with(name, text.to_owned(), given, logic, &extras)?
            }
        };
        Ok(Self(ModelKind::Program(Box::new(file))))
    }

    fn structure(loaded: input::Loaded, options: &LoadOptions) -> Self {
        let (given, logic) = (options.properties.clone(), options.logic);
        Self(ModelKind::Structure(Box::new(Structure { loaded, given, logic })))
    }

    /// Remarks about the model.
    #[must_use]
    pub fn warnings(&self) -> &[Located] {
        match &self.0 {
            ModelKind::Structure(structure) => structure.loaded.warnings(),
            ModelKind::Program(file) => &file.warnings,
        }
    }
}
