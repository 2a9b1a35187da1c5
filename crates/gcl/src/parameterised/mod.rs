//! Parameterised families: can one program stand for a system of every size?
//!
//! Counter abstraction (German and Sistla 1992; Pnueli, Xu and Zuck 2002), as a translation from text to text.
//!
//! `const N >= 2` leaves a size open, and `process P[i : 1..N]` is then a family of every size. [`compile`] makes one program
//! that can do whatever any of these systems can do, as far as one question sees it: the members that the question names are processes
//! of their own, whose numbers nobody knows; of all others only how many are where is known (`others`). What holds of all
//! runs of that program holds for every size.
//!
//! Cells of arrays over the family belong to its members. What cannot be told this way (a member that looks at another by
//! its number) is refused with its place (`size_dependence`).
//!
//! Not here: sizes one by one, and what to conclude.

mod fixed;
mod lemma;
mod one_program;
mod others;
mod size_dependence;

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::{Diagnostic, Span};
use tertium_logic::Logic;
use tertium_program::Program;

use crate::ast::{Expr, ExprKind, File, Ident, Item, ProcessRef};
use crate::expand::{Expanded, Expansion, KnownConstants, Tables, expand};
use crate::formula::{self, Binder};
use crate::lexer::lex;
use crate::names::Elaborator;
use crate::{Addition, rewrite};

/// A constant that is any number from its least value on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AtLeast {
    /// Its name.
    pub name: String,
    /// Its least value.
    pub least: i64,
    /// Where it is declared.
    pub span: Span,
}

/// What the program is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose<'n> {
    /// A property with this name.
    Property(&'n str),
    /// That no step of a member goes wrong.
    Faults,
    /// That some process can step.
    Steps,
}

/// Why there is no program for every size, and where.
pub type Refused = Box<Diagnostic>;

/// A program that stands for every size.
#[derive(Clone, Debug)]
pub struct FamilyProgram {
    /// The program.
    pub program: Program,
    /// Whether it can do nothing that no system can do.
    pub exact: bool,
    /// Whether a type was made wider, so that values may lie outside of it unseen.
    pub widened: bool,
    /// The families, and how many of their members are processes of their own.
    pub families: Vec<(String, usize)>,
}

/// What members of families stand for in the formulas of such a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    families: BTreeMap<String, KnownMembers>,
    /// Arrays whose cells belong to members, and whose.
    owned: BTreeMap<String, String>,
    /// The family whose members the question names.
    bound: Option<String>,
}

/// What is known of the members of a family that are processes of their own.
#[derive(Clone, Debug, Default)]
struct KnownMembers {
    /// The family's index.
    index: String,
    /// How many there are.
    count: usize,
    /// The variable that holds their numbers.
    numbers: String,
    /// Which of them has a number that a question names.
    constants: BTreeMap<i64, usize>,
}

impl Members {
    /// The position of the member that an index means, among those that are processes of their own.
    fn position(&self, family: &str, index: &Expr, bound: &[(String, i64)]) -> Option<i64> {
        let known = self.families.get(family)?;
        match &index.kind {
            ExprKind::Name(_) if self.bound.as_deref() != Some(family) => None,
            ExprKind::Name(name) => bound.iter().find(|(known, _)| *known == name.name).map(|&(_, at)| at),
            ExprKind::Int(number) => known.constants.get(number).and_then(|&at| i64::try_from(at).ok()),
            _ => None,
        }
    }

    /// An atom over members: bound names stand for positions.
    pub(crate) fn in_formula(&self, atom: &Expr, bound: &[(String, i64)]) -> Expr {
        let at = |position: i64, span: Span| Expr { kind: ExprKind::Int(position), span };
        let whom = |who: &ProcessRef| {
            let index = who.index.as_deref()?;
            let position = self.position(&who.name.name, index, bound)?;
            Some(ProcessRef { name: who.name.clone(), index: Some(Box::new(at(position, index.span))) })
        };
        rewrite::expr(atom, &|part| {
            let kind = match &part.kind {
                ExprKind::At(who, label) => ExprKind::At(whom(who)?, label.clone()),
                ExprKind::Field(who, name, parts) => {
                    let parts = parts.iter().map(|part| self.in_formula(part, bound)).collect();
                    ExprKind::Field(whom(who)?, name.clone(), parts)
                }
                ExprKind::Index(name, parts) => {
                    let family = self.owned.get(&name.name)?;
                    let position = self.position(family, parts.first()?, bound)?;
                    ExprKind::Index(name.clone(), vec![at(position, parts[0].span)])
                }
                ExprKind::Name(name) => {
                    let (_, position) = bound.iter().find(|(known, _)| *known == name.name)?;
                    let known = self.families.get(self.bound.as_ref()?)?;
                    let numbers = Ident { name: known.numbers.clone(), span: part.span };
                    ExprKind::Index(numbers, vec![at(*position, part.span)])
                }
                _ => return None,
            };
            Some(Expr { kind, span: part.span })
        })
    }
}

/// A question, as far as it matters whom it speaks of.
struct AskedMembers {
    binder: Option<Binder>,
    atoms: Vec<Expr>,
}

/// The properties that say what holds in every state, by their names. If they are shown together, each of them may be taken to hold of the
/// members that are counted (`lemmas` of [`compile`]).
#[must_use]
pub fn lemmas(text: &str, additions: &[Addition]) -> Vec<String> {
    let (file, _) = crate::parser::parse(text, &lex(text));
    let Expanded { file, tables, .. } = every_size(text, file);
    lemma::all(text, &file, &tables, additions).into_iter().map(|lemma| lemma.title).collect()
}

/// The program that stands for a system of every size, for one purpose; `additions` are what the command line adds, `lemmas` the properties that
/// members which are counted keep to.
///
/// # Errors
/// Why there is none, with the place.
pub fn compile(
    text: &str,
    additions: &[Addition],
    purpose: Purpose<'_>,
    lemmas: &[String],
) -> Result<FamilyProgram, Refused> {
    let Expanded { file, tables, diagnostics } = every_size(text, parsed(text)?);
    expanded(diagnostics)?;
    of_file(text, &file, tables, additions, (purpose, lemmas))
}

/// As [`compile`], for a text whose families have one size each, given by `sizes` where the text leaves it open: the members of the largest families
/// are counted, and there are as many as the text says.
///
/// # Errors
/// Why there is no such program, with the place.
pub fn compile_fixed(
    text: &str,
    sizes: &BTreeMap<String, i64>,
    additions: &[Addition],
    purpose: Purpose<'_>,
    lemmas: &[String],
) -> Result<FamilyProgram, Refused> {
    let Expanded { file, tables, diagnostics } = crate::expand_sized(text, parsed(text)?, sizes);
    expanded(diagnostics)?;
    of_file(text, &fixed::opened(text, file, sizes)?, tables, additions, (purpose, lemmas))
}

/// Mistakes in what stands for something else, among them what depends on the size.
fn expanded(diagnostics: Vec<Diagnostic>) -> Result<(), Refused> {
    match diagnostics.into_iter().find(Diagnostic::is_error) {
        Some(mistake) => Err(Box::new(mistake)),
        None => Ok(()),
    }
}

/// A file without sugar, of which nothing is known that depends on what it leaves open.
fn every_size(text: &str, file: File) -> Expanded {
    let mut open: BTreeSet<String> = BTreeSet::new();
    loop {
        let before = open.len();
        for item in &file.items {
            match item {
                Item::AtLeast(name, _) => {
                    open.insert(name.name.clone());
                }
                Item::Const(name, value) => {
                    let mut depends = false;
                    rewrite::visit(value, &mut |part| {
                        depends |= matches!(&part.kind, ExprKind::Name(known) if open.contains(&known.name));
                    });
                    open.extend(depends.then(|| name.name.clone()));
                }
                _ => {}
            }
        }
        if open.len() == before {
            break;
        }
    }
    let mut values = crate::constants(text, &file, &BTreeMap::new());
    values.retain(|name, _| !open.contains(name));
    expand(file, KnownConstants { values, open })
}

/// Whether a name is that of a family of processes.
fn is_family(file: &File, name: &str) -> bool {
    let family = |item: &Item| matches!(item, Item::Process(decl) if decl.name.name == name && decl.family.is_some());
    file.items.iter().any(family)
}

fn parsed(text: &str) -> Result<File, Refused> {
    let (file, mistakes) = crate::parser::parse(text, &lex(text));
    match mistakes.into_iter().find(Diagnostic::is_error) {
        Some(mistake) => Err(Box::new(mistake)),
        None => Ok(file),
    }
}

fn of_file(
    text: &str,
    file: &File,
    tables: Tables,
    additions: &[Addition],
    (purpose, lemmas): (Purpose<'_>, &[String]),
) -> Result<FamilyProgram, Refused> {
    let lexed = lex(text);
    let name = file.name.as_ref().map_or("", |name| name.name.as_str());
    let asked = asked(text, file, &tables, additions, purpose);
    let mut least = Elaborator::new(text, name);
    least.declarations(file);
    let mut known = lemma::all(text, file, &tables, additions);
    known.retain(|lemma| lemmas.contains(&lemma.title));
    let told = one_program::file(text, file, &least, &asked, (purpose, &known))?;
    let mut elaborator = Elaborator::new(text, name);
    elaborator.members = Some(told.members);
    elaborator.tables = std::rc::Rc::new(tables);
    elaborator.declarations(&told.file);
    elaborator.rest(&told.file);
    for item in &told.file.items {
        match (item, purpose) {
            (Item::Property(decl), Purpose::Property(wanted)) if decl.name.name == wanted => {
                elaborator.property(decl, &lexed.tokens);
            }
            _ => {}
        }
    }
    for addition in additions {
        let wanted = match addition {
            Addition::Property { name, .. } => purpose == Purpose::Property(name),
            Addition::Predicate(_) => true,
            Addition::Keep(_) | Addition::Spotlight(_) => false,
        };
        if wanted {
            // A predicate over single members has no meaning here; it is only a hint.
            let mistakes = elaborator.addition(addition);
            let mistake = mistakes.into_iter().find(Diagnostic::is_error);
            if let (Some(mistake), Addition::Property { .. }) = (mistake, addition) {
                return Err(Box::new(mistake));
            }
        }
    }
    match elaborator.diagnostics.into_iter().find(Diagnostic::is_error) {
        Some(mistake) => Err(Box::new(mistake)),
        None => Ok(FamilyProgram {
            program: elaborator.program,
            exact: told.exact,
            widened: told.widened,
            families: told.families,
        }),
    }
}

fn asked(text: &str, file: &File, tables: &Tables, additions: &[Addition], purpose: Purpose<'_>) -> AskedMembers {
    let is_family = |name: &str| is_family(file, name);
    let plain = |(binder, atoms): (Option<Binder>, Vec<Expr>)| {
        let mut expansion = Expansion::new(tables);
        AskedMembers { binder, atoms: atoms.iter().map(|atom| expansion.expr(atom)).collect() }
    };
    let Purpose::Property(wanted) = purpose else { return AskedMembers { binder: None, atoms: Vec::new() } };
    let lexed = lex(text);
    for item in &file.items {
        if let Item::Property(decl) = item
            && decl.name.name == wanted
        {
            return plain(formula::atoms_of(text, &lexed.tokens, decl, &is_family));
        }
    }
    for addition in additions {
        if let Addition::Property { name, logic, text } = addition
            && name == wanted
        {
            let logic: Option<Logic> = *logic;
            return plain(formula::read_atoms(text, &lex(text).tokens, logic, &is_family));
        }
    }
    AskedMembers { binder: None, atoms: Vec::new() }
}
