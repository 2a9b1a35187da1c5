//! From the text of guarded commands to a program graph, or to messages that say what is wrong.
//!
//! [`compile`] reads a file: tokens (`lexer`), tree (`parser`, [`ast`]), control flow (`flow`), names and types
//! (`names`, `declare`, `exprs`), graph (`lower`) and properties (`formula`). [`parameterised`] makes one program of a system of every size. [`format`](mod@format) lays a text out,
//! [`symbols`] finds its names.
//! The language is described in `docs/language.md`.
//!
//! Not here: running programs, and evaluating formulas.
//!
//! ```
//! let text = "system s var x : 0..3 = 0 process P { loop { x := x + 1; } } property small: ltl G x <= 3";
//! let compiled = tertium_gcl::compile(text);
//! let program = compiled.program.expect("no mistakes");
//! assert_eq!((program.processes.len(), program.properties[0].name.as_str()), (1, "small"));
//!
//! let compiled = tertium_gcl::compile("system s process P { y := 1; }");
//! assert!(compiled.program.is_none() && compiled.diagnostics[0].is_error());
//! ```

mod arithmetic;
pub mod ast;
pub mod constants;
mod declare;
mod expand;
mod exprs;
mod fairness;
mod flow;
pub mod format;
mod formula;
pub mod imports;
mod lexer;
mod lower;
mod names;
pub mod parameterised;
mod parser;
mod quantifiers;
mod rewrite;
pub mod symbols;

use std::collections::BTreeMap;

use tertium_base::{Diagnostic, Span};
use tertium_logic::Logic;
use tertium_program::{Named, Program, Property};

use crate::ast::Item;
use crate::lexer::lex;
use crate::names::{Elaborator, ExprContext, Ty, Typed, Use};
use crate::parameterised::AtLeast;
use crate::parser::Parser;

/// What a text was found to mean.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program; none if there are errors.
    pub program: Option<Program>,
    /// All mistakes and warnings about the text.
    pub diagnostics: Vec<Diagnostic>,
    /// Mistakes in what was added to the text, one list per addition; places point into the addition's own text.
    pub additions: Vec<Vec<Diagnostic>>,
    /// Constants of which only the least value is said. They have that value, unless another was asked for.
    pub open: Vec<AtLeast>,
}

/// Something said about a program outside of its text, for example on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addition {
    /// A property; without a logic, the least one that accepts the formula is taken.
    Property {
        /// Its name.
        name: String,
        /// Its logic.
        logic: Option<Logic>,
        /// The formula.
        text: String,
    },
    /// A predicate for abstraction.
    Predicate(String),
    /// Variables to stay concrete: `x`, `P.x`, `P[2].x`, with commas between them.
    Keep(String),
    /// Processes to be kept apart: `P`, `P[2]`, with commas between them.
    Spotlight(String),
}

/// The tree of a text, and what is wrong with its syntax.
#[must_use]
pub fn parse(text: &str) -> (ast::File, Vec<Diagnostic>) {
    parser::parse(text, &lex(text))
}

/// Reads a program.
///
/// ```
/// let compiled = tertium_gcl::compile("system s\nvar x : nat = 0\nprocess P { loop { x := x + 1; } }");
/// assert_eq!(compiled.diagnostics, []);
/// assert_eq!(compiled.program.unwrap().steps.len(), 1);
/// ```
#[must_use]
pub fn compile(text: &str) -> Compiled {
    compile_with(text, &[])
}

/// Reads a program together with what is said about it elsewhere.
#[must_use]
pub fn compile_with(text: &str, additions: &[Addition]) -> Compiled {
    compile_sized(text, additions, &BTreeMap::new())
}

/// As [`compile_with`], with values for constants that are left open.
///
/// ```
/// let text = "system s const N >= 1 var x : nat = 0 process P[i : 1..N] { x := i; }";
/// let compiled = tertium_gcl::compile_sized(text, &[], &[("N".to_owned(), 3)].into());
/// assert_eq!(compiled.program.unwrap().processes.len(), 3);
/// assert_eq!(compiled.open[0].least, 1);
/// ```
#[must_use]
pub fn compile_sized(text: &str, additions: &[Addition], sizes: &BTreeMap<String, i64>) -> Compiled {
    let lexed = lex(text);
    let (file, diagnostics) = parser::parse(text, &lexed);
    let missing = imports::missing(&file, text);
    let expand::Expanded { file, tables, diagnostics: expanding } = expand_sized(text, file, sizes);
    let name = file.name.as_ref().map_or("", |name| name.name.as_str());
    let mut elaborator = Elaborator::new(text, name);
    elaborator.sizes.clone_from(sizes);
    elaborator.tables = std::rc::Rc::new(tables);
    diagnostics.into_iter().chain(missing).chain(expanding).for_each(|diagnostic| elaborator.report(diagnostic));
    elaborator.declarations(&file);
    elaborator.rest(&file);
    for item in &file.items {
        if let Item::Property(decl) = item {
            elaborator.property(decl, &lexed.tokens);
        }
    }
    let mut diagnostics = std::mem::take(&mut elaborator.diagnostics);
    let additions: Vec<_> = additions.iter().map(|addition| elaborator.addition(addition)).collect();
    elaborator.apply_fairness();
    diagnostics.append(&mut elaborator.diagnostics);
    let fails = diagnostics.iter().chain(additions.iter().flatten()).any(Diagnostic::is_error);
    let open = elaborator.open.iter().filter_map(|&(entry, least)| {
        let name = elaborator.named[entry].ident;
        Some(AtLeast { name: name.name.clone(), least: least?, span: name.span })
    });
    let open = open.collect();
    Compiled { program: (!fails).then_some(elaborator.program), diagnostics, additions, open }
}

/// A file without sugar, for these values of its constants.
pub(crate) fn expand_sized(text: &str, file: ast::File, sizes: &BTreeMap<String, i64>) -> expand::Expanded {
    let values = constants(text, &file, sizes);
    expand::expand(file, expand::KnownConstants { values, ..Default::default() })
}

/// The integer constants of a file.
pub(crate) fn constants(text: &str, file: &ast::File, sizes: &BTreeMap<String, i64>) -> BTreeMap<String, i64> {
    let constant = |item: &&Item| matches!(item, Item::Const(..) | Item::AtLeast(..) | Item::Enumeration(..));
    let items = file.items.iter().filter(constant).cloned().collect();
    let constants = ast::File { name: None, items };
    let mut elaborator = Elaborator::new(text, "");
    elaborator.sizes.clone_from(sizes);
    elaborator.declarations(&constants);
    let value = |named: &names::NamedExpr<'_>| match named.progress {
        names::Progress::Done(Some(Typed { id, ty: Ty::Int })) => {
            Some((named.ident.name.clone(), elaborator.program.exprs.constant(id)?))
        }
        _ => None,
    };
    elaborator.named.iter().filter_map(value).collect()
}

impl Elaborator<'_> {
    /// Adds something; returns what is wrong with it.
    pub(crate) fn addition(&mut self, addition: &Addition) -> Vec<Diagnostic> {
        // Places in an addition's text are not those of the file, so nothing counts as reported before.
        self.forget_reported();
        match addition {
            Addition::Property { name, logic, text } => self.added_property(name, *logic, text),
            Addition::Predicate(text) => self.added_predicate(text),
            Addition::Keep(text) => self.added(text, "keep", |elaborator, item| {
                if let Item::Keep(variables) = item {
                    let variables = elaborator.leaves_kept(variables);
                    let kept: Vec<_> = variables.iter().flat_map(|variable| elaborator.kept(variable)).collect();
                    elaborator.program.keep.extend(kept);
                }
            }),
            Addition::Spotlight(text) => self.added(text, "spotlight", |elaborator, item| {
                if let Item::Spotlight(processes) = item {
                    elaborator.spotlight(processes);
                }
            }),
        }
        std::mem::take(&mut self.diagnostics)
    }

    fn added_property(&mut self, name: &str, logic: Option<Logic>, text: &str) {
        let lexed = lex(text);
        let broken = !lexed.diagnostics.is_empty();
        lexed.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        if broken {
            return;
        }
        if let Some((formula, logic, atoms)) = self.formula(text, &lexed.tokens, logic, false) {
            self.program.properties.push(Property {
                name: name.to_owned(),
                logic: logic.name().to_owned(),
                source: text.to_owned(),
                formula,
                atoms,
                span: Span::new(0, text.len()),
            });
        }
    }

    fn added_predicate(&mut self, text: &str) {
        let lexed = lex(text);
        let mut parser = Parser::new(text, &lexed.tokens);
        parser.diagnostics.extend(lexed.diagnostics.iter().cloned());
        let expr = parser.expr();
        if expr.is_ok() && !parser.ends() {
            let _ = parser.expected::<()>("the end of the predicate");
        }
        let broken = !parser.diagnostics.is_empty();
        parser.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        let Ok(expr) = expr else { return };
        let expr = self.expanded(&expr, &[]);
        if !broken && let Some(id) = self.of_type(&expr, Ty::Bool, &ExprContext::global(Use::Guard)) {
            let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
            self.program.predicates.push(Named { name, expr: id, span: expr.span });
        }
    }

    /// Reads `text` as what follows `keyword` in a file.
    fn added(&mut self, text: &str, keyword: &str, add: impl FnOnce(&mut Self, &Item)) {
        let lexed = lex(text);
        let mut parser = Parser::new(text, &lexed.tokens);
        parser.diagnostics.extend(lexed.diagnostics.iter().cloned());
        let item = parser.list_item(keyword);
        let broken = !parser.diagnostics.is_empty();
        parser.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        if let Ok(item) = item
            && !broken
        {
            add(self, &item);
        }
    }
}
