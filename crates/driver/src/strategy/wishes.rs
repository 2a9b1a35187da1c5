//! How does the user want a program decided?

use std::collections::BTreeSet;
use std::sync::Arc;

use tertium_base::Diagnostic;
use tertium_cegar::options::CheckOptions;
use tertium_cegar::parameterised::AtLeast;
use tertium_cegar::predicate_abstraction::AbstractionOptions;
use tertium_cegar::refinement_loop::DEFAULT_REFINEMENTS;
use tertium_cegar::spotlight::{Parameters, SpotlightOptions};

use crate::failure::Failure;

/// Whether a program is run or abstracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Approach {
    /// As it fits the program.
    #[default]
    Free,
    /// It is run: options were given that are about running it.
    Run,
    /// It is run, and abstraction was refused in so many words.
    NoAbstraction,
    /// It is abstracted: options were given that are about that.
    Abstract,
}

/// Whether few processes may stand for all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SpotlightWish {
    /// Where it fits the program, or the program declares it.
    #[default]
    Allowed,
    /// Where the program declares it.
    IfDeclared,
    /// Yes.
    Wanted,
    /// No.
    Refused,
}

/// What the user wishes. Without any wish, what fits the program is done.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// How questions are read, and within which limits.
    pub options: CheckOptions,
    /// How a program is abstracted, if it is.
    pub abstraction: AbstractionOptions,
    /// Whether it is.
    pub approach: Approach,
    /// Whether few processes may stand for all.
    pub spotlight: SpotlightWish,
    /// What becomes of values that are not known in a spotlight.
    pub parameters: Parameters,
    /// How often something may be added to an abstraction.
    pub refinements: Option<u32>,
    /// Whether states are to be visited one by one, and nothing else.
    pub search_only: bool,
    /// Whether engines take turns one at a time to the end, so that the same one decides on every machine.
    pub deterministic: bool,
    /// Whether predicates were given; they are meant to be enough unless the user says otherwise.
    pub predicates_given: bool,
    /// The names of the questions that an earlier run has decided, or that need not be asked for another reason. They stay among the questions, since searches that are
    /// written down are about all of them.
    pub decided: Arc<BTreeSet<String>>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            options: CheckOptions::default(),
            abstraction: AbstractionOptions::default(),
            approach: Approach::default(),
            spotlight: SpotlightWish::default(),
            parameters: Parameters::default(),
            refinements: None,
            search_only: false,
            // What a library finds should be what it finds again.
            deterministic: true,
            predicates_given: false,
            decided: Arc::default(),
        }
    }
}

impl Wishes {
    /// How often predicates may be added.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        let usual = if self.predicates_given { 0 } else { DEFAULT_REFINEMENTS };
        self.refinements.unwrap_or(usual)
    }

    /// How often predicates may be added where nobody chose predicate abstraction.
    pub(super) fn usual_rounds(&self) -> u32 {
        self.refinements.unwrap_or(DEFAULT_REFINEMENTS)
    }

    /// How to look at few processes.
    pub(super) fn spotlight_options(&self) -> SpotlightOptions {
        let usual = SpotlightOptions { parameters: self.parameters, ..SpotlightOptions::default() };
        let rounds = self.refinements.map_or(usual.rounds, |rounds| rounds as usize + 1);
        SpotlightOptions { rounds, ..usual }
    }

    /// Whether the wishes make sense where a size is left open.
    pub(super) fn fit_every_size(&self, open: &[AtLeast]) -> Result<(), Failure> {
        let given = [
            ("--spotlight", self.spotlight == SpotlightWish::Wanted),
            ("--semantics thorough", self.abstraction.thorough),
            ("--parameters literal", self.parameters == Parameters::Literal),
            ("--abstraction none", self.approach == Approach::NoAbstraction),
            ("--device gpu", self.options.on_device),
        ];
        let Some((option, _)) = given.iter().find(|(_, given)| *given) else { return Ok(()) };
        let (name, least) = open.first().map_or(("N", 1), |open| (open.name.as_str(), open.least));
        Err(Diagnostic::error("E0353", format!("`{option}` is about one system, and `{name}` is left open"))
            .help(format!("give it a value: `-D {name}={least}`"))
            .into())
    }
}
