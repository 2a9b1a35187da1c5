//! Programs in which members of families are counted by place: how they are made for a question, and what proves an answer that
//! rests on them.
//!
//! A certificate lists what was shown: the question, and the properties that counted members are taken to keep to, which must be shown
//! themselves ([soundness](../../../../docs/soundness.md)). Whoever checks it makes each of these programs again from the text, and checks the proof
//! about it like one about any other program. Sizes that have fewer members than a question names have proofs of their own, about their graphs.
//!
//! What is trusted here beside the definition of a step is that such a program can do whatever the system can do: `tertium_gcl::every`, whose results are
//! compared with the systems of small sizes in the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tertium_base::{Budget, Diagnostic};
use tertium_evidence::abstraction::Obligation;
use tertium_evidence::{CountedPart, Deadlock, Document, Place, Reading, write_counted};
use tertium_gcl::Addition;
use tertium_gcl::every::{self, Every, Purpose};
use tertium_lattice::Belnap;
use tertium_logic::{Logic, Node};
use tertium_program::Program;

use super::abstracted::basis::Counted;
use super::abstracted::blank;
use super::check::CheckOptions;
use super::grounded::{self, Decider};
use super::proof::{self, Written};
use super::questions::{Asked, Mistake, Question};
use super::{Extras, ProgramAnswer, ProgramFile};
use crate::certify::PartOutcome;
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

/// What a document asks, as far as it says so in one place.
fn asked_by(document: &Document) -> Option<(&Place, Logic, Belnap)> {
    match (&document.invariant, document.parts.as_slice()) {
        (Some(invariant), _) => Some((&invariant.place, invariant.logic, invariant.value)),
        (None, [first, rest @ ..]) => {
            let same = |part: &tertium_evidence::Part| {
                (part.place(), part.logic(), part.value()) == (first.place(), first.logic(), first.value())
            };
            rest.iter().all(same).then(|| (first.place(), first.logic(), first.value()))
        }
        (None, []) => None,
    }
}

/// Whether all parts are read as usual.
fn is_plain(document: &Document) -> bool {
    let usual = Reading { deadlock: Deadlock::Mu, ..Reading::default() };
    document.parts.iter().all(|part| part.reading() == usual)
}

/// Whether what a document proves is said of all runs, of which those that end stay for ever.
fn is_of_all_runs(document: &Document) -> bool {
    let all = match asked_by(document) {
        Some((Place::Mistake(_), _, Belnap::True)) => true,
        Some((Place::Property { stutter, fair, .. }, logic, Belnap::True)) => {
            !fair && (document.invariant.is_some() || (*stutter && logic == Logic::Ltl))
        }
        _ => false,
    };
    all && is_plain(document)
}

/// Checks a certificate that rests on counted members.
///
/// # Errors
/// If the program cannot be read, or a limit is reached. A certificate that is wrong is no error.
pub(super) fn certify(
    path: &Path,
    counted: &CountedPart,
    defines: &[(String, String)],
    decider: &Decider,
    budget: &Budget,
) -> Result<Vec<PartOutcome>, Failure> {
    let file = super::load_with(path, &[], None, defines, &Extras { every: true, ..Extras::default() })?;
    let checking = Checking { path, file: &file, counted, defines, decider, budget };
    let mut outcomes = Vec::new();
    for at in 0..counted.shown.len() {
        let mut found = checking.shown(at)?;
        let about = checking.about();
        for outcome in &mut found {
            outcome.place = Some(match &outcome.place {
                Some(place) => format!("{about}; {place}"),
                None => about.clone(),
            });
        }
        outcomes.extend(found);
    }
    if checking.fits().is_ok() {
        for (number, sized) in counted.sizes.iter().enumerate() {
            outcomes.extend(checking.sized(number, sized.size)?);
        }
    }
    Ok(outcomes)
}

struct Checking<'a> {
    path: &'a Path,
    file: &'a ProgramFile,
    counted: &'a CountedPart,
    defines: &'a [(String, String)],
    decider: &'a Decider,
    budget: &'a Budget,
}

/// A question that cannot be one of the text's own.
fn certified(at: usize) -> String {
    format!("certified {at}")
}

impl Checking<'_> {
    fn about(&self) -> String {
        match self.file.open.as_ref().and_then(|open| open.constants.first()) {
            Some(constant) => {
                format!("every {} >= {}, with members counted by place", constant.name, constant.least)
            }
            None => "the program with members counted by place".to_owned(),
        }
    }

    /// Something that is wrong with a proof as a whole.
    fn rejected(&self, at: usize, why: String) -> Vec<PartOutcome> {
        let question = asked_by(&self.counted.shown[at].document);
        let formula = match question {
            Some((Place::Property { text, .. }, ..)) => text.clone(),
            Some((Place::Mistake(name), ..)) => name.clone(),
            _ => String::new(),
        };
        vec![PartOutcome {
            formula,
            logic: question.map_or(Logic::Ltl, |(_, logic, _)| logic),
            state: "every initial state".to_owned(),
            value: question.map_or(Belnap::Unknown, |(.., value)| value),
            proof: "certificate",
            place: None,
            caveats: Vec::new(),
            rejected: Some(why),
        }]
    }

    /// Everything that is shown, as properties with names of their own.
    fn additions(&self) -> Vec<Addition> {
        let one = |(at, shown): (usize, &tertium_evidence::ShownPart)| match asked_by(&shown.document) {
            Some((Place::Property { text, .. }, logic, _)) => {
                Some(Addition::Property { name: certified(at), logic: Some(logic), text: text.clone() })
            }
            _ => None,
        };
        self.counted.shown.iter().enumerate().filter_map(one).collect()
    }

    /// Whether the text leaves open what the certificate says it does.
    fn fits(&self) -> Result<(), String> {
        let open: Vec<&str> =
            self.file.open.iter().flat_map(|open| &open.constants).map(|constant| constant.name.as_str()).collect();
        match (&self.counted.constant, open.as_slice()) {
            (None, []) => Ok(()),
            (Some(constant), [only]) if constant == only => Ok(()),
            (Some(constant), _) => {
                Err(format!("it is about every value of `{constant}`, which is not what is left open"))
            }
            (None, _) => Err("it is about one size, and the size is left open".to_owned()),
        }
    }

    fn shown(&self, at: usize) -> Result<Vec<PartOutcome>, Failure> {
        let shown = &self.counted.shown[at];
        if let Err(why) = self.fits() {
            return Ok(self.rejected(at, why));
        }
        if !is_of_all_runs(&shown.document) {
            let why =
                "counted members show only what is true of all runs, of which those that end stay for ever (E0611)";
            return Ok(self.rejected(at, why.to_owned()));
        }
        let names: Vec<String> = shown.lemmas.iter().map(|&at| certified(at)).collect();
        let sizes = self.counted.constant.is_none().then_some(&self.file.sizes);
        let (text, additions) = (&self.file.source.text, self.additions());
        let made = match asked_by(&shown.document) {
            Some((Place::Mistake(name), ..)) => match Mistake::from_name(name) {
                Some(mistake) => without(text, sizes, &additions, mistake, &names),
                None => return Ok(self.rejected(at, format!("`{name}` is no mistake that is looked for"))),
            },
            _ => made(text, sizes, &additions, Purpose::Property(&certified(at)), &names),
        };
        let every = match made {
            Ok(every) => every,
            Err(Unfit::Refused(why)) => return Ok(self.rejected(at, crate::certify::sentence(&why))),
            Err(Unfit::TooWide) => {
                let why = "counted members may do more here than members can".to_owned();
                return Ok(self.rejected(at, why));
            }
        };
        let mut file = stand_in(self.file, "", every.program);
        file.given = file
            .program
            .properties
            .iter()
            .map(|known| known.name.clone())
            .filter(|known| *known == certified(at))
            .collect();
        let reload = |_: Option<(&str, Logic)>| Ok(file.clone());
        let mut outcomes = proof::check_document(&shown.document, &shown.text, &reload, self.decider, self.budget)?;
        if let Some(last) = outcomes.last_mut().filter(|last| last.rejected.is_none()) {
            last.rejected = self.smaller(at, &every.families)?;
        }
        Ok(outcomes)
    }

    /// Why sizes with fewer members than something names are not covered, if they are not.
    fn smaller(&self, at: usize, members: &[(String, usize)]) -> Result<Option<String>, Failure> {
        let Some(constant) = self.file.open.as_ref().and_then(|open| open.constants.first()) else {
            let enough = has_members(self.file, members);
            return Ok((!enough).then(|| "there are fewer members than it names".to_owned()));
        };
        let covered: BTreeSet<i64> =
            self.counted.sizes.iter().filter(|sized| sized.of == at).map(|sized| sized.size).collect();
        for size in constant.least.. {
            if has_members(&self.of_size(size, None)?, members) {
                break;
            }
            if !covered.contains(&size) && !self.is_trivial(at, size)? {
                return Ok(Some(format!("nothing is shown for {} = {size}", constant.name)));
            }
        }
        Ok(None)
    }

    /// Whether a property says nothing about the system of one size.
    fn is_trivial(&self, at: usize, size: i64) -> Result<bool, Failure> {
        let Some((Place::Property { text, .. }, logic, _)) = asked_by(&self.counted.shown[at].document) else {
            return Ok(false);
        };
        let asked = grounded::given(&self.of_size(size, Some((text, logic)))?)?;
        Ok(asked.as_ref().is_some_and(is_trivial))
    }

    fn of_size(&self, size: i64, property: Option<(&str, Logic)>) -> Result<ProgramFile, Failure> {
        let mut defines = self.defines.to_vec();
        defines.extend(self.counted.constant.iter().map(|constant| (constant.clone(), size.to_string())));
        proof::reload(self.path, property, &defines)
    }

    fn sized(&self, number: usize, size: i64) -> Result<Vec<PartOutcome>, Failure> {
        let sized = &self.counted.sizes[number];
        let constant = self.counted.constant.as_deref().unwrap_or_default();
        let (asked, wanted) = (asked_by(&sized.document), asked_by(&self.counted.shown[sized.of].document));
        let same = match (asked, wanted) {
            (Some((Place::Mistake(one), _, Belnap::True)), Some((Place::Mistake(other), ..))) => one == other,
            (
                Some((Place::Property { text: one, stutter, fair }, logic, Belnap::True)),
                Some((Place::Property { text: other, .. }, wanted, _)),
            ) => one == other && logic == wanted && !fair && (*stutter || logic != Logic::Ltl),
            _ => false,
        };
        if !same || !is_plain(&sized.document) {
            return Ok(self.rejected(sized.of, format!("what is shown for {constant} = {size} is something else")));
        }
        let reload = |property: Option<(&str, Logic)>| self.of_size(size, property);
        let mut outcomes = proof::check_document(&sized.document, &sized.text, &reload, self.decider, self.budget)?;
        for outcome in &mut outcomes {
            outcome.place = Some(match &outcome.place {
                Some(place) => format!("{constant} = {size}; {place}"),
                None => format!("{constant} = {size}"),
            });
        }
        Ok(outcomes)
    }
}
