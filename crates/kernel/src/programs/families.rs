//! Proofs about programs in which members of families are counted by place.
//!
//! A certificate lists what was shown: first what was asked, then properties that counted members are taken to keep to, which must be shown
//! themselves. Each of these programs is made again from the text, and the proof about it is checked like one about any other program.
//! Sizes that have fewer members than a question names have proofs of their own.
//!
//! What is trusted here beside the definition of a step is that such a program can do whatever the system can do: `tertium_gcl::parameterised`.

use std::collections::BTreeMap;

use tertium_evidence::{CertificatePlace, CountedPart, Document};
use tertium_gcl::Addition;
use tertium_gcl::parameterised::{self as families, FamilyProgram, Purpose};
use tertium_lattice::Belnap;
use tertium_load::program::{Extras, from_text_with};
use tertium_load::questions::{Mistake, Question};
use tertium_load::sizes::{AtLeast, asked_of};
use tertium_load::{Failure, ProgramFile};
use tertium_logic::{Logic, Node};

use super::established::{Established, Means, NotShown, established as shown_by};
use super::question::{Settings, Subject};
use crate::structures::sentence;

fn refused(why: impl Into<String>) -> NotShown {
    NotShown::Refused(why.into())
}

/// For which sizes something is shown, for people.
pub(super) fn about(file: &ProgramFile) -> Vec<String> {
    vec![match open_constant(file) {
        Some(constant) => format!("for every {} >= {}, with members counted by place", constant.name, constant.least),
        None => "with members counted by place".to_owned(),
    }]
}

fn open_constant(file: &ProgramFile) -> Option<&AtLeast> {
    file.open.as_ref()?.constants.first()
}

/// What a certificate with counted members shows about a question.
pub(super) fn established(
    file: &ProgramFile,
    question: &Question,
    settings: Settings,
    counted: &CountedPart,
    means: Means<'_>,
) -> Result<Established, NotShown> {
    if settings.fair || settings.deadlock.is_some() || settings.linear.is_some() {
        return Err(refused(
            "counted members show only what is true of all runs, of which those that end stay for ever (E0611)",
        ));
    }
    let open: Vec<&str> =
        file.open.iter().flat_map(|open| &open.constants).map(|constant| constant.name.as_str()).collect();
    if counted.constant.as_deref() != open.first().copied() || open.len() > 1 {
        return Err(refused("it is about sizes that are not what is left open in the text"));
    }
    if counted.shown.iter().skip(1).any(|lemma| lemma_text(&lemma.document).is_none()) {
        return Err(refused("what counted members are taken to keep to must be properties"));
    }
    let name = question.name();
    if file.program.properties.iter().filter(|property| property.name == name).count() > 1 {
        return Err(refused(format!("several properties are called `{name}`: give this one another name")));
    }
    let checking = Checking { file, question, counted, means };
    let mut whole: Option<Established> = None;
    for at in 0..counted.shown.len() {
        let shown = checking.shown(at)?;
        match &mut whole {
            None => whole = Some(shown),
            Some(whole) => whole.obligations += shown.obligations,
        }
    }
    whole.ok_or_else(|| refused("it shows nothing"))
}

/// A lemma's name: none that a text can give to a property.
fn lemma_name(at: usize) -> String {
    format!("lemma {at}")
}

struct Checking<'a> {
    file: &'a ProgramFile,
    question: &'a Question,
    counted: &'a CountedPart,
    means: Means<'a>,
}

impl Checking<'_> {
    /// The properties of the command line, and those that are taken to hold of counted members. The question is not among the latter: it is the text's.
    fn additions(&self) -> Vec<Addition> {
        let mut additions = match &self.file.open {
            Some(open) => open.additions.clone(),
            None => given(self.file),
        };
        for (at, lemma) in self.counted.shown.iter().enumerate().skip(1) {
            if let Some(text) = lemma_text(&lemma.document) {
                let (name, text) = (lemma_name(at), text.to_owned());
                additions.push(Addition::Property { name, logic: Some(Logic::Ltl), text });
            }
        }
        additions
    }

    /// The name of something that is shown, in the programs that are made.
    fn name(&self, at: usize) -> String {
        if at == 0 { self.question.name().to_owned() } else { lemma_name(at) }
    }

    fn shown(&self, at: usize) -> Result<Established, NotShown> {
        let shown = &self.counted.shown[at];
        let lemmas: Vec<String> = shown.lemmas.iter().map(|&at| self.name(at)).collect();
        let every = self.made(at, &lemmas)?;
        let name = self.name(at);
        let file = stand_in(self.file, every.program);
        let question = self
            .question_in(&file, at)
            .ok_or_else(|| refused(format!("`{name}` is no question of the program that is made")))?;
        let found = self.of_all_runs(&file, &question, (&shown.document, &shown.text))?;
        self.smaller_sizes(at, &every.families)?;
        Ok(found)
    }

    /// The question with a number, in a program that is made for it or in a system of one size.
    fn question_in(&self, file: &ProgramFile, at: usize) -> Option<Question> {
        match (at, self.question) {
            (0, Question::Never(never)) => Some(Question::Never(never.clone())),
            _ => asked_of(file, &self.name(at)),
        }
    }

    /// What is shown of all runs, of which those that end stay for ever: nothing else carries over.
    fn of_all_runs(
        &self,
        file: &ProgramFile,
        question: &Question,
        document: (&Document, &str),
    ) -> Result<Established, NotShown> {
        let universal = match question {
            Question::Property(asked) => {
                asked.formula.logic() == Logic::Ltl || (asked.invariant.is_some() && !asked.exists)
            }
            Question::Never(_) => true,
            Question::Watched(_) => false,
        };
        if !universal {
            return Err(refused("counted members show only what is true of all runs (E0611)"));
        }
        let subject = Subject::of(file, question, Settings::default()).map_err(refused)?;
        let found = shown_by(&subject, document, self.means)?;
        if found.value == Belnap::True {
            Ok(found)
        } else {
            Err(refused("counted members show that something is true, nothing else (E0610)"))
        }
    }

    /// The program that is made for something that is shown.
    fn made(&self, at: usize, lemmas: &[String]) -> Result<FamilyProgram, NotShown> {
        let (text, additions) = (&self.file.source.text, self.additions());
        let name = self.name(at);
        let mistake = match (at, self.question) {
            (0, Question::Never(never)) => Some(never.mistake),
            _ => None,
        };
        let purpose = match mistake {
            Some(Mistake::Deadlock) => Purpose::Steps,
            Some(_) => Purpose::Faults,
            None => Purpose::Property(&name),
        };
        let made = match &self.counted.constant {
            Some(_) => families::compile(text, &additions, purpose, lemmas),
            None => families::compile_fixed(text, &self.file.sizes, &additions, purpose, lemmas),
        };
        let every = made.map_err(|why| refused(sentence(&why)))?;
        let unfit = match mistake {
            Some(Mistake::Deadlock) => !every.exact,
            Some(Mistake::RangeOverflow) => every.widened,
            _ => false,
        };
        if unfit { Err(refused("counted members may do more here than members can")) } else { Ok(every) }
    }

    /// Sizes with fewer members than something names have proofs of their own.
    fn smaller_sizes(&self, at: usize, members: &[(String, usize)]) -> Result<(), NotShown> {
        let Some(constant) = open_constant(self.file) else {
            let enough = has_members(self.file, members);
            return if enough { Ok(()) } else { Err(refused("there are fewer members than it names")) };
        };
        for size in constant.least.. {
            self.means.budget.check()?;
            let system = self.of_size(constant, size)?;
            if has_members(&system, members) {
                return Ok(());
            }
            let question = self.question_in(&system, at).ok_or_else(|| {
                refused(format!("`{}` cannot be asked for {} = {size}", self.name(at), constant.name))
            })?;
            if matches!(&question, Question::Property(asked) if asked.formula.node(asked.formula.root()) == Node::True)
            {
                continue;
            }
            let sized = self.counted.sizes.iter().find(|sized| sized.of == at && sized.size == size);
            let sized = sized.ok_or_else(|| refused(format!("nothing is shown for {} = {size}", constant.name)))?;
            self.of_all_runs(&system, &question, (&sized.document, &sized.text)).map_err(|why| match why {
                NotShown::Refused(why) => refused(format!("for {} = {size}: {why}", constant.name)),
                failed => failed,
            })?;
        }
        Ok(())
    }

    /// The system of one size, with the same properties.
    fn of_size(&self, constant: &AtLeast, size: i64) -> Result<ProgramFile, Failure> {
        let mut given: Vec<String> = self.file.open.as_ref().map_or_else(Vec::new, |open| open.given.clone());
        let logic = self.file.open.as_ref().and_then(|open| open.logic);
        for (at, lemma) in self.counted.shown.iter().enumerate().skip(1) {
            if let Some(text) = lemma_text(&lemma.document) {
                given.push(format!("lemma_{at}: {text}"));
            }
        }
        let sizes = BTreeMap::from([(constant.name.clone(), size)]);
        let extras = Extras { sizes, ..Extras::default() };
        let mut system = from_text_with(&self.file.file, self.file.source.text.clone(), &given, logic, &extras)?;
        let first =
            system.program.properties.len() - (self.counted.shown.len() - 1).min(system.program.properties.len());
        for (at, property) in system.program.properties.iter_mut().enumerate().skip(first) {
            property.name = lemma_name(at - first + 1);
        }
        system.given = system
            .program
            .properties
            .iter()
            .skip(system.program.properties.len() - given.len())
            .map(|property| property.name.clone())
            .collect();
        Ok(system)
    }
}

/// The properties that the command line gives.
fn given(file: &ProgramFile) -> Vec<Addition> {
    let own = file.program.properties.len() - file.given.len().min(file.program.properties.len());
    let added = file.program.properties[own..].iter().map(|property| Addition::Property {
        name: property.name.clone(),
        logic: Logic::from_name(&property.logic),
        text: property.source.clone(),
    });
    added.collect()
}

/// The property that a document about a lemma speaks of.
fn lemma_text(document: &Document) -> Option<&str> {
    let place = match (&document.invariant, document.parts.first()) {
        (Some(invariant), _) => &invariant.place,
        (None, Some(part)) => part.place(),
        (None, None) => return None,
    };
    if let CertificatePlace::Property { text, .. } = place { Some(text) } else { None }
}

/// A program that was made, as a file.
fn stand_in(file: &ProgramFile, program: tertium_program::Program) -> ProgramFile {
    let given = program.properties.iter().map(|property| property.name.clone()).collect();
    ProgramFile {
        program,
        warnings: Vec::new(),
        sources: None,
        given,
        given_predicates: 0,
        open: None,
        sizes: BTreeMap::new(),
        ..file.clone()
    }
}

/// Whether families have at least these many members.
fn has_members(file: &ProgramFile, members: &[(String, usize)]) -> bool {
    let count = |family: &str| {
        let begins = format!("{family}[");
        file.program.processes.iter().filter(|process| process.name.starts_with(&begins)).count()
    };
    members.iter().all(|(family, wanted)| count(family) >= *wanted)
}
