//! What is an expression worth that a person types while a program runs?

use tertium_base::Diagnostic;
use tertium_load::Failure;
use tertium_load::program::{Extras, Language, ProgramFile, from_text_with};
use tertium_load::{promela, smv};
use tertium_program::{Binary, Expr, Program, Semantics, Sort, State};

use super::Simulator;

/// An expression that a person wants to see.
#[derive(Debug)]
pub(super) struct Watch {
    text: String,
    file: ProgramFile,
}

impl Simulator<'_> {
    /// Adds an expression to be shown with every state.
    ///
    /// # Errors
    /// If it is no expression over the program's variables.
    pub fn watch(&mut self, text: &str) -> Result<(), Failure> {
        let watch = self.watching(text)?;
        self.watches.push(watch);
        Ok(())
    }

    /// Shows an expression no longer, or none at all; false if it was not shown.
    pub fn unwatch(&mut self, text: &str) -> bool {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let before = self.watches.len();
        self.watches.retain(|watch| !line.is_empty() && watch.text != line);
        self.watches.len() < before
    }

    pub(super) fn watching(&self, text: &str) -> Result<Watch, Failure> {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut name = "watched".to_owned();
        while self.file.source.text.contains(&name) || line.contains(&name) {
            name.push('_');
        }
        let text = &self.file.source.text;
        let file = match self.file.language {
            Language::Gcl => {
                let extras = Extras { sizes: self.file.sizes.clone(), ..Extras::default() };
                from_text_with("<watch>", format!("{text}\ndefine {name} = {line}\n"), &[], None, &extras)?
            }
            Language::Promela => promela::from_text(
                &self.file.file,
                &format!("{text}\npred ({line})\n"),
                &[],
                None,
                &self.file.defines,
                &[],
            )?,
            Language::Horn => {
                let message = "expressions cannot be watched in Horn clauses";
                return Err(Diagnostic::error("E0374", message).help("the registers are shown anyway").into());
            }
            Language::Smv => {
                let extras = Extras { predicates: vec![line.clone()], ..Extras::default() };
                smv::from_text(&self.file.file, text, &[], None, &[], &extras)?
            }
        };
        // What was typed stands at the end of the program's text: it may be an expression and nothing more, or states would not fit.
        let (own, read) = (&self.file.program, &file.program);
        let parts = |program: &Program| (program.variables.len(), program.processes.len(), program.channels.len());
        let named = |program: &Program| program.defines.len() + program.predicates.len();
        if parts(own) != parts(read) || own.steps.len() != read.steps.len() || named(own) + 1 != named(read) {
            let message = format!("`{line}` is more than one expression");
            return Err(Diagnostic::error("E0374", message)
                .help("an expression over the program's variables is wanted")
                .into());
        }
        Ok(Watch { text: line, file })
    }

    /// The watched expressions with their values now.
    #[must_use]
    pub fn watched(&self) -> Vec<(String, String)> {
        self.watches.iter().map(|watch| (watch.text.clone(), watch.value(self.run.last()))).collect()
    }
}

impl Watch {
    pub(super) fn value(&self, state: &State) -> String {
        let program = &self.file.program;
        let Some(named) = program.defines.last().or(program.predicates.last()) else { return "?".to_owned() };
        // In Promela a condition is a number that is not 0, and the number says more.
        let expr = match program.exprs.get(named.expr) {
            Expr::Binary(Binary::Ne, number, zero) if program.exprs.constant(zero) == Some(0) => number,
            _ => named.expr,
        };
        match Semantics::new(program).observe(expr, state) {
            Ok(value) if program.exprs.sort(expr) == Sort::Bool => (value != 0).to_string(),
            Ok(value) => value.to_string(),
            Err(kind) => format!("({})", kind.name()),
        }
    }
}
