//! Programs in which members of families are counted by place: how they are made for a question, and what proves an answer that
//! rests on them.
//!
//! A certificate lists what was shown: the question, and the properties that counted members are taken to keep to, which must be shown
//! themselves ([soundness](../../../../docs/soundness.md)). The kernel makes each of these programs again from the text. Sizes that have fewer members than a
//! question names have proofs of their own, about their graphs.

use std::collections::BTreeMap;

use tertium_base::{Budget, Diagnostic};
use tertium_evidence::write_counted;
use tertium_gcl::Addition;
use tertium_gcl::every::{self, Every, Purpose};
use tertium_kernel::obligations::Obligation;
use tertium_lattice::Belnap;
use tertium_logic::{Logic, Node};
use tertium_program::Program;

use super::abstracted::basis::Counted;
use super::abstracted::blank;
use super::check::CheckOptions;
use super::proof::{self, Written};
use super::questions::{Asked, Mistake, Question};
use super::{ProgramAnswer, ProgramFile};
use crate::failure::Failure;
use tertium_load::sizes::{asked_of, system};

/// Why no program can be made.
pub(super) enum Unfit {
    /// The text has something that cannot be told.
    Refused(Box<Diagnostic>),
    /// The program could do more than the system can, and that matters.
    TooWide,
}

/// Properties and predicates that the command line adds to a file.
pub(super) fn additions(file: &ProgramFile) -> Vec<Addition> {
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
pub(super) fn compile(
    text: &str,
    sizes: Option<&BTreeMap<String, i64>>,
    additions: &[Addition],
    question: &Question,
    lemmas: &[String],
) -> Result<Every, Unfit> {
    match question {
        Question::Property(asked) => made(text, sizes, additions, Purpose::Property(&asked.name), lemmas),
        Question::Never(mistake) => without(text, sizes, additions, *mistake, lemmas),
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
) -> Result<Every, Unfit> {
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
) -> Result<Every, Unfit> {
    match sizes {
        None => every::compile(text, additions, purpose, lemmas),
        Some(sizes) => every::compile_fixed(text, sizes, additions, purpose, lemmas),
    }
    .map_err(Unfit::Refused)
}

/// A program that was made for the question with this name, as a file.
pub(super) fn stand_in(file: &ProgramFile, name: &str, program: Program) -> ProgramFile {
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
pub(super) fn has_members(file: &ProgramFile, members: &[(String, usize)]) -> bool {
    let count = |family: &str| {
        let begins = format!("{family}[");
        file.program.processes.iter().filter(|process| process.name.starts_with(&begins)).count()
    };
    members.iter().all(|(family, wanted)| count(family) >= *wanted)
}

/// Writes the certificate of an answer that was found by counting members.
///
/// # Errors
/// If a limit is reached, or the independent checker disagrees with an answer.
pub(super) fn certificate(
    file: &ProgramFile,
    counted: &Counted,
    options: &CheckOptions,
    budget: &Budget,
) -> Result<Written, Failure> {
    if options.deadlock.is_some() || options.linear.is_some() {
        return Ok(Written::None("members are counted where runs that end stay for ever, and nowhere else".to_owned()));
    }
    let mut writing = Writing { file, counted, options, budget, obligations: Vec::new(), sizes: Vec::new() };
    let mut shown = Vec::new();
    for at in 0..counted.shown.len() {
        match writing.shown(at)? {
            Ok(text) => shown.push((writing.lemmas(at), text)),
            Err(why) => return Ok(Written::None(why)),
        }
    }
    let mut text = Vec::new();
    write_counted(&mut text, counted.constant.as_deref(), &shown, &writing.sizes)
        .map_err(|error| Failure::Internal(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(Written::Grounded { text, obligations: writing.obligations })
}

struct Writing<'a> {
    file: &'a ProgramFile,
    counted: &'a Counted,
    options: &'a CheckOptions,
    budget: &'a Budget,
    obligations: Vec<Obligation>,
    sizes: Vec<(i64, usize, String)>,
}

impl Writing<'_> {
    /// The numbers of what something takes to hold.
    fn lemmas(&self, at: usize) -> Vec<usize> {
        let shown = &self.counted.shown;
        let position = |name: &String| shown.iter().position(|known| known.name == *name);
        shown[at].lemmas.iter().filter_map(position).collect()
    }

    /// The certificate of one thing that was shown, or why there is none; those of small systems are kept aside.
    fn shown(&mut self, at: usize) -> Result<Result<String, String>, Failure> {
        let shown = &self.counted.shown[at];
        let sizes = self.counted.constant.is_none().then_some(&self.file.sizes);
        let Some(question) = asked_of(self.file, &shown.name) else {
            return Ok(Err(format!("`{}` cannot be asked", shown.name)));
        };
        let every = compile(&self.file.source.text, sizes, &additions(self.file), &question, &shown.lemmas);
        let Ok(every) = every else { return Ok(Err("the program that it rests on is not there".to_owned())) };
        let made = stand_in(self.file, &shown.name, every.program);
        let Some(question) = asked_of(&made, &shown.name) else {
            return Ok(Err("the program that it rests on has no such question".to_owned()));
        };
        let answer = ProgramAnswer { value: Belnap::True, basis: shown.basis.clone(), ..blank(&question) };
        let text = match proof::certificate_of(&made, &question, &answer, self.options, self.budget)? {
            Written::Certificate(text) => text,
            Written::Grounded { text, obligations } => {
                let numbered = |obligation: Obligation| Obligation {
                    name: if at == 0 { obligation.name } else { format!("{at}-{}", obligation.name) },
                    ..obligation
                };
                self.obligations.extend(obligations.into_iter().map(numbered));
                text
            }
            Written::None(why) => return Ok(Err(why)),
        };
        Ok(self.smaller(at, &every.families)?.map(|()| text))
    }

    /// The certificates of systems that have fewer members than something names.
    fn smaller(&mut self, at: usize, members: &[(String, usize)]) -> Result<Result<(), String>, Failure> {
        let constant = self.file.open.as_ref().and_then(|open| Some((open, open.constants.first()?)));
        let Some((open, constant)) = constant.filter(|_| self.counted.constant.is_some()) else { return Ok(Ok(())) };
        let name = &self.counted.shown[at].name;
        for size in constant.least.. {
            let no = || format!("there is no certificate for {} = {size}", constant.name);
            let Some(system) = system(self.file, open, constant, size)? else { return Ok(Err(no())) };
            if has_members(&system, members) {
                break;
            }
            let Some(question) = asked_of(&system, name) else { return Ok(Err(no())) };
            if matches!(&question, Question::Property(asked) if is_trivial(asked)) {
                continue;
            }
            match proof::certificate(&system, &question, self.options, self.budget)? {
                Written::Certificate(text) => self.sizes.push((size, at, text)),
                Written::None(why) => return Ok(Err(format!("{}: {why}", no()))),
                Written::Grounded { .. } => return Ok(Err(no())),
            }
        }
        Ok(Ok(()))
    }
}

/// Whether a property is about no members at all, and so true whatever happens.
fn is_trivial(asked: &Asked) -> bool {
    asked.formula.node(asked.formula.root()) == Node::True
}
