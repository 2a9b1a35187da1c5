//! What proves an answer that was found by counting members of families by place?
//!
//! A certificate lists what was shown: the question, and the properties that counted members are taken to keep to, which must be shown
//! themselves ([soundness](../../../../docs/soundness.md)). The kernel makes each of these programs again from the text. Sizes that have fewer members than a
//! question names have proofs of their own, about their graphs.

use tertium_base::Budget;
use tertium_cegar::counter_abstraction::{additions, compile, has_members, stand_in};
use tertium_evidence::{Verdict, write_counted};
use tertium_kernel::obligations::Obligation;
use tertium_logic::Node;

use super::answer::ProgramEvidence;
use super::check::CheckOptions;
use super::predicate_abstraction::basis::Counted;
use super::predicate_abstraction::blank;
use super::proof::{self, Written};
use super::questions::{PropertyQuery, Question};
use super::{ProgramAnswer, ProgramFile};
use crate::failure::Failure;
use tertium_load::sizes::{asked_of, system};

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
    Ok(Written::WithObligations { text, obligations: writing.obligations })
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
        let evidence = ProgramEvidence { basis: shown.basis.clone(), ..ProgramEvidence::default() };
        let answer = ProgramAnswer { verdict: Verdict::Holds(evidence), ..blank(&question) };
        let text = match proof::certificate_of(&made, &question, &answer, self.options, self.budget)? {
            Written::Certificate(text) => text,
            Written::WithObligations { text, obligations } => {
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
                Written::WithObligations { .. } => return Ok(Err(no())),
            }
        }
        Ok(Ok(()))
    }
}

/// Whether a property is about no members at all, and so true whatever happens.
fn is_trivial(asked: &PropertyQuery) -> bool {
    asked.formula.node(asked.formula.root()) == Node::True
}
