//! How does one say what a text is: its language, its constants, what it may include?

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use tertium_driver::ModelLanguage;

use super::values::definition;

/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// A language's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanguageName(pub ModelLanguage);

impl ValueEnum for LanguageName {
    fn value_variants<'a>() -> &'a [Self] {
        use ModelLanguage::{Aut, Gcl, Horn, Json, Kmts, Promela, Smv};
        &[Self(Kmts), Self(Json), Self(Aut), Self(Gcl), Self(Promela), Self(Smv), Self(Horn)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            ModelLanguage::Kmts => "structures, in lines",
            ModelLanguage::Json => "structures, as JSON",
            ModelLanguage::Aut => "labelled transition systems in Aldebaran's format",
            ModelLanguage::Gcl => "guarded commands",
            ModelLanguage::Promela => "Promela",
            ModelLanguage::Smv => "SMV, as NuSMV and nuXmv read it",
            ModelLanguage::Horn => "Horn clauses in SMT-LIB",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// What is said of a model's text; the same for every command that reads programs.
#[derive(Args, Debug, Clone, Default)]
pub struct TextArgs {
    /// The language of standard input (`-`), or of files whose names do not tell it
    #[arg(long, value_enum, value_name = "LANGUAGE", help_heading = "The model")]
    pub language: Option<LanguageName>,
    /// Promela: a macro, as for a C preprocessor; guarded commands: a value for `const N >= 1`; may be repeated
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition, help_heading = "The model")]
    pub defines: Vec<(String, String)>,
    /// Promela: a folder whose files may be included, besides the model's own; may be repeated
    #[arg(long = "include-dir", value_name = "DIR", help_heading = "The model")]
    pub include_dirs: Vec<PathBuf>,
}
