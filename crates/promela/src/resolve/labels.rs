//! Which label does a `goto` mean?
//!
//! Labels share the scopes of variables: a name first used in a block belongs to that block, so two calls of one
//! inline have labels of their own. A `goto` means the label of its own block, else one of a block around, else any
//! of its process. Spin's way of looking is followed step by step.

use std::collections::HashMap;

use tertium_base::diagnostic::closest_name;
use tertium_base::{Diagnostic, Span};

use super::Resolver;
use crate::ast::{Label, LabelId, LabelRef, RefId};
use crate::symbols::Meaning;

/// The labels and jumps of one unit, in the order of the text.
#[derive(Default)]
pub(crate) struct Labels {
    /// Names in use, and the block each belongs to.
    names: Vec<(String, Vec<usize>)>,
    /// The entries of each name, and the labels that are called so; in the order of the text.
    entries: HashMap<String, Vec<usize>>,
    called: HashMap<String, Vec<usize>>,
    labels: Vec<Placed>,
    jumps: Vec<Jump>,
    steps: usize,
}

struct Placed {
    id: LabelId,
    name: usize,
    span: Span,
    inline: Option<String>,
    d_step: Option<usize>,
}

struct Jump {
    id: RefId,
    name: usize,
    text: String,
    span: Span,
    d_step: Option<usize>,
}

impl Labels {
    pub(crate) fn begin(&mut self) {
        self.names.clear();
        self.entries.clear();
        self.called.clear();
        self.labels.clear();
        self.jumps.clear();
    }

    pub(crate) fn new_step(&mut self) -> usize {
        self.steps += 1;
        self.steps
    }

    /// The entry of a name as seen from a block; a new one if it is not in use there.
    fn name(&mut self, name: &str, path: Vec<usize>) -> usize {
        let known = self.entries.get(name).into_iter().flatten().copied();
        let found = known.rev().find(|&entry| path.starts_with(&self.names[entry].1));
        found.unwrap_or_else(|| {
            let entry = self.names.len();
            self.names.push((name.to_owned(), path));
            self.entries.entry(name.to_owned()).or_default().push(entry);
            entry
        })
    }

    /// The labels with this name, in the order of the text.
    fn called(&self, name: &str) -> impl DoubleEndedIterator<Item = &Placed> {
        self.called.get(name).into_iter().flatten().map(|&at| &self.labels[at])
    }

    fn place(&mut self, label: Placed) {
        let name = self.names[label.name].0.clone();
        self.called.entry(name).or_default().push(self.labels.len());
        self.labels.push(label);
    }

    /// The label that a jump means.
    fn target(&self, jump: &Jump) -> Option<&Placed> {
        let mut best = None;
        for label in self.called(&jump.text).rev() {
            let (block, from) = (&self.names[label.name].1, &self.names[jump.name].1);
            if block == from {
                return Some(label);
            }
            if best.is_none() || from.starts_with(block) {
                best = Some(label);
            }
        }
        best
    }
}

impl<'a> Resolver<'a> {
    pub(crate) fn new_label(&mut self, label: &'a Label) {
        let text = &label.name.name;
        let variable = self.scopes.local(text).map(|symbol| self.symbols.variable(symbol).span);
        if let Some(span) = variable.or(self.scopes.global(text).map(|(_, span)| span)) {
            let diagnostic = Diagnostic::warning("W0504", format!("the label `{text}` is called like something else"))
                .at(label.name.span, "a label")
                .also(span, "declared here")
                .help("choose another name for the label");
            self.report(diagnostic);
        }
        let name = self.labels.name(text, self.scopes.path());
        let inline = self.place.inlines.last().cloned();
        let same = |old: &&Placed| self.labels.names[old.name].1 == self.labels.names[name].1 && old.inline == inline;
        if let Some(old) = self.labels.called(text).find(same) {
            let diagnostic = Diagnostic::error("E0514", format!("the label `{text}` stands twice"))
                .at(label.name.span, "second time")
                .also(old.span, "first time");
            self.diagnostics.push(diagnostic);
        }
        let placed = Placed { id: label.id, name, span: label.name.span, inline, d_step: self.place.d_step };
        self.labels.place(placed);
        if let Some(unit) = self.place.unit {
            self.symbols.units[unit.index()].labels.entry(text.clone()).or_default().push(label.id);
        }
    }

    pub(crate) fn new_goto(&mut self, target: &'a LabelRef) {
        let name = self.labels.name(&target.name.name, self.scopes.path());
        let text = target.name.name.clone();
        let d_step = self.place.d_step;
        self.labels.jumps.push(Jump { id: target.id, name, text, span: target.name.span, d_step });
    }

    /// Finds the targets of all jumps of the unit that was walked last.
    pub(crate) fn resolve_labels(&mut self) {
        let labels = std::mem::take(&mut self.labels);
        for jump in &labels.jumps {
            let Some(target) = labels.target(jump) else {
                self.no_label(&labels, jump);
                continue;
            };
            self.symbols.meanings[jump.id.index()] = Some(Meaning::Label(target.id));
            if jump.d_step == target.d_step {
                continue;
            }
            let (message, label) = match jump.d_step {
                Some(_) => ("`goto` leaves a `d_step`", "jumps out of it"),
                None => ("`goto` enters the middle of a `d_step`", "jumps into it"),
            };
            let diagnostic = Diagnostic::error("E0516", message)
                .at(jump.span, label)
                .also(target.span, "to here")
                .note("a `d_step` is one step from its beginning to its end")
                .help("use `atomic`, or move the label");
            self.report(diagnostic);
        }
        self.labels = labels;
    }

    fn no_label(&mut self, labels: &Labels, jump: &Jump) {
        let mut diagnostic = Diagnostic::error("E0514", format!("there is no label `{}`", jump.text))
            .at(jump.span, "jumps to nowhere")
            .note("a label belongs to one proctype");
        let known = labels.labels.iter().map(|label| labels.names[label.name].0.as_str());
        if let Some(close) = closest_name(&jump.text, known) {
            diagnostic = diagnostic.help(format!("a label with a similar name exists: `{close}`"));
        }
        self.report(diagnostic);
    }
}
