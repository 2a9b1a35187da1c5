//! In which language is a model, and where does its text come from?
//!
//! A file's name says its language, or the user does; a text that is already there (standard input, an editor, a notebook) has a name for
//! messages and a language that was said. A name that says nothing is refused: what is read in the wrong language has mistakes that are not
//! there.

use std::path::{Path, PathBuf};

use tertium_base::{Budget, Diagnostic};
use tertium_logic::Logic;
use tertium_model::Format;

use crate::failure::Failure;
use crate::program::{self, Extras, Language, ProgramFile};
use crate::structure::{self, Loaded};

/// The languages of models.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ModelLanguage {
    /// Structures in lines for people.
    Kmts,
    /// Structures as JSON.
    Json,
    /// Labelled transition systems in Aldebaran's format.
    Aut,
    /// Guarded commands.
    Gcl,
    /// Promela.
    Promela,
    /// SMV.
    Smv,
    /// Horn clauses.
    Horn,
}

impl ModelLanguage {
    /// All of them.
    pub const ALL: [Self; 7] = [Self::Kmts, Self::Json, Self::Aut, Self::Gcl, Self::Promela, Self::Smv, Self::Horn];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kmts => "kmts",
            Self::Json => "json",
            Self::Aut => "aut",
            Self::Gcl => "gcl",
            Self::Promela => "promela",
            Self::Smv => "smv",
            Self::Horn => "horn",
        }
    }

    /// The language with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }

    /// The language of a file, as the ending of its name says.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match Language::of(path) {
            Some(Language::Gcl) => Some(Self::Gcl),
            Some(Language::Promela) => Some(Self::Promela),
            Some(Language::Smv) => Some(Self::Smv),
            Some(Language::Horn) => Some(Self::Horn),
            None => Format::of(path).map(|format| match format {
                Format::Kmts => Self::Kmts,
                Format::Json => Self::Json,
                Format::Aut => Self::Aut,
            }),
        }
    }

    /// The language of programs that it is; none if it is one of structures.
    #[must_use]
    pub const fn program(self) -> Option<Language> {
        match self {
            Self::Gcl => Some(Language::Gcl),
            Self::Promela => Some(Language::Promela),
            Self::Smv => Some(Language::Smv),
            Self::Horn => Some(Language::Horn),
            Self::Kmts | Self::Json | Self::Aut => None,
        }
    }

    /// The kind of model, as reports name it.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self.program() {
            Some(language) => language.name(),
            None => "kmts",
        }
    }

    /// How structures are written in it; lines where it is one of programs.
    pub(crate) const fn format(self) -> Format {
        match self {
            Self::Json => Format::Json,
            Self::Aut => Format::Aut,
            Self::Kmts | Self::Gcl | Self::Promela | Self::Smv | Self::Horn => Format::Kmts,
        }
    }

    /// Whether a file in a folder is a model without being named: `.json` may be anything.
    #[must_use]
    pub const fn is_told_by_its_ending(self) -> bool {
        !matches!(self, Self::Json)
    }
}

/// The message for a name that says no language.
pub(crate) fn unknown_ending(path: &Path) -> Diagnostic {
    let message = format!("the name of `{}` does not tell in which language it is", path.display());
    Diagnostic::error("E0343", message)
        .note("known endings are .kmts, .json and .aut (structures), .gcl (guarded commands), .pml, .prom and .promela (Promela), .smv (SMV), .smt2 (Horn clauses)")
        .help("rename it; or, with `check`, `explore`, `simulate` and `abstract`, say it: `--language gcl`")
}

/// A model before it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelSource {
    /// The path as the user wrote it, or a name for messages.
    pub path: PathBuf,
    /// In which language it is.
    pub language: ModelLanguage,
    /// The text, if it is there already.
    text: Option<String>,
}

impl ModelSource {
    /// A file, in the language that was said or that its name tells.
    ///
    /// # Errors
    /// If neither tells it.
    pub fn of_file(path: &Path, said: Option<ModelLanguage>) -> Result<Self, Failure> {
        match said.or_else(|| ModelLanguage::of(path)) {
            Some(language) => Ok(Self { path: path.to_owned(), language, text: None }),
            None => Err(unknown_ending(path).into()),
        }
    }

    /// A text that is already there.
    #[must_use]
    pub fn of_text(name: &str, language: ModelLanguage, text: String) -> Self {
        Self { path: PathBuf::from(name), language, text: Some(text) }
    }

    /// Whether it is a program.
    #[must_use]
    pub const fn is_program(&self) -> bool {
        self.language.program().is_some()
    }

    /// The language of the program that it is.
    ///
    /// # Errors
    /// If it is a structure.
    pub fn must_be_program(&self) -> Result<Language, Failure> {
        self.language.program().ok_or_else(|| {
            Diagnostic::error("E0325", format!("`{}` is not a program", self.path.display()))
                .help("a program is a file that ends in `.gcl`, in Promela in `.pml`, in SMV in `.smv`")
                .into()
        })
    }

    /// Whether its text was there before, so that no file can be named.
    #[must_use]
    pub const fn is_text(&self) -> bool {
        self.text.is_some()
    }

    /// The name, as messages and reports have it.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// The text.
    ///
    /// # Errors
    /// If it is a file that cannot be read.
    pub fn text(&self) -> Result<String, Failure> {
        self.text.clone().map_or_else(|| program::read_text(&self.path), Ok)
    }

    /// Reads the program, as [`program::load_with`] does.
    ///
    /// # Errors
    /// Everything that is wrong with the text and what is added to it; and if it is a structure.
    pub fn program(
        &self,
        given: &[String],
        logic: Option<Logic>,
        defines: &[(String, String)],
        extras: &Extras,
    ) -> Result<ProgramFile, Failure> {
        let language = self.must_be_program()?;
        program::from_text_in(language, &self.name(), self.text()?, given, logic, defines, extras)
    }

    /// Reads the structure, as [`structure::load`] does.
    ///
    /// # Errors
    /// Everything that is wrong with the file, or the limit that was reached; and if it is a program.
    pub fn structure(&self, budget: &Budget) -> Result<Loaded, Failure> {
        match &self.text {
            _ if self.is_program() => Err(structure::is_a_program(&self.path)),
            Some(text) => structure::from_bytes(&self.name(), self.language.format(), text.as_bytes(), budget),
            None => structure::load_in(&self.path, self.language.format(), budget),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_language_or_nothing_does() {
        let of = |name: &str| ModelSource::of_file(Path::new(name), None).map(|source| source.language);
        assert_eq!(of("a/b.gcl").unwrap(), ModelLanguage::Gcl);
        assert_eq!(of("b.promela").unwrap(), ModelLanguage::Promela);
        assert_eq!(of("b.JSON").unwrap(), ModelLanguage::Json);
        for name in ["b.txt", "b", ".gcl", "gcl", "b.gcl.bak"] {
            let Err(Failure::Input(messages)) = of(name) else { panic!("`{name}` is taken") };
            assert_eq!(messages[0].diagnostic.code, "E0343");
        }
        let said = ModelSource::of_file(Path::new("b.txt"), Some(ModelLanguage::Aut)).unwrap();
        assert_eq!((said.language, said.is_program()), (ModelLanguage::Aut, false));
    }

    #[test]
    fn texts_are_read_in_the_language_that_is_said() {
        let budget = Budget::unlimited();
        let kmts = "props p\nstate s p: t\ninit s\n";
        let json = r#"{"states": {"s": {"p": "t"}}, "props": ["p"], "init": "s"}"#;
        for (language, text) in [(ModelLanguage::Kmts, kmts), (ModelLanguage::Json, json)] {
            let source = ModelSource::of_text("<stdin>", language, text.to_owned());
            assert_eq!(source.structure(&budget).unwrap().size(), (1, 0), "{language:?}");
            assert!(source.program(&[], None, &[], &Extras::default()).is_err());
        }
        let text = "system s var x : 0..3 = 0 process P { loop { x := x; } }";
        let source = ModelSource::of_text("<stdin>", ModelLanguage::Gcl, text.to_owned());
        assert_eq!(source.program(&[], None, &[], &Extras::default()).unwrap().language, Language::Gcl);
        assert!(source.structure(&budget).is_err());
    }
}
