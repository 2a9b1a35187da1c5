//! Counter abstraction (Pnueli, Xu and Zuck 2002): which program stands for all members of a family at once?
//!
//! Members of families are counted by place (counter abstraction): one program can do whatever the members can do, however many
//! there are. Here it is made for a question; properties that counted members are taken to keep to must be shown themselves.

use std::collections::BTreeMap;

use tertium_base::Diagnostic;
use tertium_gcl::Addition;
use tertium_gcl::parameterised::{self as families, FamilyProgram, Purpose};
use tertium_load::ProgramFile;
use tertium_load::questions::{Mistake, Question};
use tertium_logic::Logic;
use tertium_program::Program;

/// Why no program can be made.
#[derive(Debug)]
pub enum Unfit {
    /// The text has something that cannot be told.
    Refused(Box<Diagnostic>),
    /// The program could do more than the system can, and that matters.
    TooWide,
}

/// Properties and predicates that the command line adds to a file.
#[must_use]
pub fn additions(file: &ProgramFile) -> Vec<Addition> {
    if let Some(open) = &file.open {
        return open.additions.clone();
    }
    let own = file.program.properties.len() - file.given.len().min(file.program.properties.len());
    let added = file.program.properties[own..].iter().map(|property| Addition::Property {
        name: property.name.clone(),
        logic: Logic::from_name(&property.logic),
        text: property.source.clone(),
    });
    added.collect()
}

/// The program for a question. `sizes` are given where every family has one size: then only that one is looked at.
///
/// # Errors
/// If there is none.
pub fn compile(
    text: &str,
    sizes: Option<&BTreeMap<String, i64>>,
    additions: &[Addition],
    question: &Question,
    lemmas: &[String],
) -> Result<FamilyProgram, Unfit> {
    match question {
        Question::Property(asked) => made(text, sizes, additions, Purpose::Property(&asked.name), lemmas),
        Question::Never(never) => without(text, sizes, additions, never.mistake, lemmas),
        Question::Watched(_) => Err(Unfit::TooWide),
    }
}

/// The program for a mistake that should not happen.
fn without(
    text: &str,
    sizes: Option<&BTreeMap<String, i64>>,
    additions: &[Addition],
    mistake: Mistake,
    lemmas: &[String],
) -> Result<FamilyProgram, Unfit> {
    let purpose = if mistake == Mistake::Deadlock { Purpose::Steps } else { Purpose::Faults };
    let every = made(text, sizes, additions, purpose, lemmas)?;
    let unfit = match mistake {
        Mistake::Deadlock => !every.exact,
        Mistake::RangeOverflow => every.widened,
        _ => false,
    };
    if unfit { Err(Unfit::TooWide) } else { Ok(every) }
}

fn made(
    text: &str,
    sizes: Option<&BTreeMap<String, i64>>,
    additions: &[Addition],
    purpose: Purpose<'_>,
    lemmas: &[String],
) -> Result<FamilyProgram, Unfit> {
    match sizes {
        None => families::compile(text, additions, purpose, lemmas),
        Some(sizes) => families::compile_fixed(text, sizes, additions, purpose, lemmas),
    }
    .map_err(Unfit::Refused)
}

/// A program that was made for the question with this name, as a file.
#[must_use]
pub fn stand_in(file: &ProgramFile, name: &str, program: Program) -> ProgramFile {
    let given = file.given.iter().filter(|known| *known == name).cloned().collect();
    ProgramFile {
        given_predicates: file.given_predicates.min(program.predicates.len()),
        program,
        warnings: Vec::new(),
        sources: None,
        given,
        open: None,
        sizes: BTreeMap::new(),
        ..file.clone()
    }
}

/// Whether families have at least these many members.
#[must_use]
pub fn has_members(file: &ProgramFile, members: &[(String, usize)]) -> bool {
    let count = |family: &str| {
        let begins = format!("{family}[");
        file.program.processes.iter().filter(|process| process.name.starts_with(&begins)).count()
    };
    members.iter().all(|(family, wanted)| count(family) >= *wanted)
}
