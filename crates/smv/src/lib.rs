//! SMV, the language of NuSMV and nuXmv: text to program graph.
//!
//! The way of the data: text → tokens → tree ([`ast`]) → flat model, without modules → program graph. All of a synchronous model's variables
//! change in one step of one process; `process` modules take turns. Specifications become properties, with fairness in their formulas and the past
//! in variables that remember it. Mistakes are values with their places; what is not taken is refused by name.
//!
//! Not here: values of states, engines.
//!
//! ```
//! let text = "MODULE main
//! VAR x : 0..3; up : boolean;
//! ASSIGN init(x) := 0;
//!        next(x) := case up & x < 3 : x + 1; !up & x > 0 : x - 1; TRUE : x; esac;
//! CTLSPEC AG (x = 3 -> EF x = 0)";
//! let compiled = tertium_smv::compile(text, &[]);
//! let program = compiled.program.expect("no mistakes");
//! assert_eq!((program.processes.len(), program.steps.len()), (1, 1));
//! assert_eq!(program.properties[0].logic, "ctl");
//! ```

pub mod ast;
mod flatten;
mod lexer;
mod lower;
mod parser;
mod values;
mod words;

use tertium_base::{Diagnostic, Span};
use tertium_program::Program;

pub use parser::KEYWORDS;

use crate::ast::{Expr, Model, SpecKind};
use crate::flatten::InstanceId;
use crate::lower::Lowering;

pub(crate) use tertium_base::narrow::to_i64;

/// Reading and lowering call themselves as deep as expressions and names lead.
const STACK: usize = 256 << 20;

/// What is added to a text from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Addition {
    /// A formula: of CTL if it has path quantifiers, else of LTL if it has operators of time, else a condition that always holds.
    Property {
        /// Its name.
        name: String,
        /// Whether it must be linear (`ltl`) or not (`ctl`); none if its operators tell.
        linear: Option<bool>,
        /// The formula.
        text: String,
    },
    /// A predicate for abstraction.
    Predicate(String),
}

/// What became of a text.
#[derive(Debug)]
pub struct Compiled {
    /// What it means; none if there are mistakes.
    pub program: Option<Program>,
    /// What is wrong with the text, or remarkable.
    pub diagnostics: Vec<Diagnostic>,
    /// What is wrong with each addition; places are in its text.
    pub additions: Vec<Vec<Diagnostic>>,
}

/// Reads a model with what is added to it.
#[must_use]
pub fn compile(text: &str, additions: &[Addition]) -> Compiled {
    let work = || compile_here(text, additions);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.ok().and_then(|thread| thread.join().ok())
    })
    .unwrap_or_else(|| {
        let error = Diagnostic::error("E0733", "there is no room to read the model").at(Span::default(), "not read");
        Compiled { program: None, diagnostics: vec![error], additions: vec![Vec::new(); additions.len()] }
    })
}

/// The tree of a text, as far as it was understood, and what is wrong with it.
#[must_use]
pub fn parse(text: &str) -> (Model, Vec<Diagnostic>) {
    parser::parse(text)
}

fn compile_here(text: &str, additions: &[Addition]) -> Compiled {
    let (model, mut diagnostics) = parser::parse(text);
    let mut mistakes: Vec<Vec<Diagnostic>> = vec![Vec::new(); additions.len()];
    // Formulas from outside are read as if they stood behind the text, so that one text has all places.
    let mut whole = text.to_owned();
    let mut read: Vec<Option<Expr>> = Vec::new();
    let mut begins = Vec::new();
    for (addition, mistakes) in additions.iter().zip(&mut mistakes) {
        let (Addition::Property { text, .. } | Addition::Predicate(text)) = addition;
        let (expr, wrong) = parser::parse_expr(text);
        mistakes.extend(wrong);
        whole.push('\n');
        begins.push(whole.len());
        read.push(expr.map(|expr| expr.shifted(whole.len())));
        whole.push_str(text);
    }
    let flat = flatten::flatten(&model);
    diagnostics.extend(flat.diagnostics.iter().cloned());
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Compiled { program: None, diagnostics, additions: mistakes };
    }
    let asked: Vec<&Expr> = read.iter().flatten().collect();
    let mut lowering = Lowering::new(&flat, &whole, &asked);
    if lowering.system().is_ok() {
        lowering.specifications();
        for (((addition, expr), wrong), begin) in additions.iter().zip(&read).zip(&mut mistakes).zip(&begins) {
            let Some(expr) = expr else { continue };
            let known = lowering.diagnostics.len();
            match addition {
                Addition::Property { name, linear, .. } => {
                    let kind = kind_of(expr, *linear);
                    if let Ok(property) = lowering.property(name.clone(), expr, kind, InstanceId::new(0), expr.span) {
                        lowering.program.properties.push(property);
                    }
                }
                Addition::Predicate(text) => {
                    let _ = lowering.predicate(expr, InstanceId::new(0), text.trim());
                }
            }
            wrong.extend(lowering.diagnostics.split_off(known).into_iter().map(|wrong| moved_back(wrong, *begin)));
        }
        lowering.behaviour();
    }
    diagnostics.extend(lowering.diagnostics);
    let broken = diagnostics.iter().chain(mistakes.iter().flatten()).any(Diagnostic::is_error);
    let program = (!broken).then_some(lowering.program);
    Compiled { program, diagnostics, additions: mistakes }
}

/// In which logic a formula is, if nobody says so.
fn kind_of(expr: &Expr, linear: Option<bool>) -> SpecKind {
    match linear {
        Some(true) => SpecKind::Ltl,
        Some(false) => SpecKind::Ctl,
        None if !expr.has_time() => SpecKind::Invariant,
        None if expr.has_quantifier() => SpecKind::Ctl,
        None => SpecKind::Ltl,
    }
}

/// A message about a text that begins at a place of a longer one.
fn moved_back(mut message: Diagnostic, begin: usize) -> Diagnostic {
    for label in message.primary.iter_mut().chain(&mut message.secondary) {
        if label.span.start >= begin {
            label.span = Span::new(label.span.start - begin, label.span.end - begin);
        }
    }
    message
}
