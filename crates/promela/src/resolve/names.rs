//! Which declaration does a name belong to?
//!
//! Blocks in braces are scopes. A name may not be declared where it can be seen already, so looking it up never has
//! to choose.

use std::collections::BTreeMap;

use tertium_base::diagnostic::closest_name;
use tertium_base::narrow::to_i64;
use tertium_base::{Diagnostic, Span};

use super::Resolver;
use crate::ast::{Ident, VarRef};
use crate::symbols::{DataType, Meaning, Predefined, Symbol, SymbolId};

/// What a global name is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Global {
    Variable(SymbolId),
    Proctype,
    Typedef(crate::symbols::StructId),
    Constant { set: u32 },
}

/// The names that can be seen.
#[derive(Default)]
pub(crate) struct Scopes {
    globals: BTreeMap<String, (Global, Span)>,
    /// Open blocks of the present unit, outermost first: its number and its variables.
    blocks: Vec<(usize, BTreeMap<String, SymbolId>)>,
    opened: usize,
}

impl Scopes {
    pub(crate) fn open(&mut self) {
        self.opened += 1;
        self.blocks.push((self.opened, BTreeMap::new()));
    }

    pub(crate) fn close(&mut self) {
        self.blocks.pop();
    }

    /// The numbers of the open blocks.
    pub(crate) fn path(&self) -> Vec<usize> {
        self.blocks.iter().map(|(number, _)| *number).collect()
    }

    pub(crate) fn local(&self, name: &str) -> Option<SymbolId> {
        self.blocks.iter().rev().find_map(|(_, names)| names.get(name).copied())
    }

    pub(crate) fn global(&self, name: &str) -> Option<(Global, Span)> {
        self.globals.get(name).copied()
    }
}

fn predefined(name: &str) -> Option<Predefined> {
    match name {
        "_pid" => Some(Predefined::Pid),
        "_nr_pr" => Some(Predefined::NrPr),
        "_last" => Some(Predefined::Last),
        "_priority" => Some(Predefined::Priority),
        "_" => Some(Predefined::Scratch),
        _ => None,
    }
}

impl Resolver<'_> {
    /// Enters a global name; a second one is reported.
    pub(crate) fn new_global(&mut self, name: &Ident, what: Global) -> bool {
        if predefined(&name.name).is_some() {
            self.error("E0511", format!("`{}` is part of the language", name.name), name.span, "declared again");
            return false;
        }
        // A constant may take the name of a variable; uses behind it mean the constant, as in Spin.
        let constant = matches!(what, Global::Constant { .. });
        match self.scopes.global(&name.name) {
            Some((old, span)) if !(constant && matches!(old, Global::Variable(_))) => {
                self.twice(name, span);
                false
            }
            _ => {
                self.scopes.globals.insert(name.name.clone(), (what, name.span));
                true
            }
        }
    }

    /// Enters a local variable; one that hides another is reported.
    pub(crate) fn new_local(&mut self, name: &Ident, symbol: SymbolId) -> bool {
        let seen = match (self.scopes.local(&name.name), self.scopes.global(&name.name)) {
            (Some(local), _) => Some(self.symbols.variable(local).span),
            (None, Some((_, span))) => Some(span),
            (None, None) => None,
        };
        if let Some(span) = seen {
            self.twice(name, span);
            return false;
        }
        if predefined(&name.name).is_some() {
            self.error("E0511", format!("`{}` is part of the language", name.name), name.span, "declared again");
            return false;
        }
        if let Some((_, names)) = self.scopes.blocks.last_mut() {
            names.insert(name.name.clone(), symbol);
        }
        true
    }

    fn twice(&mut self, name: &Ident, old: Span) {
        let diagnostic = Diagnostic::error("E0511", format!("`{}` is declared twice", name.name))
            .at(name.span, "second declaration")
            .also(old, "first declaration, seen from here")
            .note("a declaration may not hide another one in Promela")
            .help("choose another name");
        self.report(diagnostic);
    }

    /// Looks up a reference without its indices; reports what is missing.
    pub(crate) fn look_up(&mut self, reference: &VarRef) -> Option<Meaning> {
        let first = &reference.parts[0].name;
        let meaning = self.first_part(first)?;
        let Meaning::Variable { symbol, .. } = meaning else {
            if let Some(field) = reference.parts.get(1) {
                self.error("E0512", format!("`{}` has no fields", first.name), field.name.span, "not a field");
                return None;
            }
            if let Some(index) = &reference.parts[0].index {
                self.error("E0512", format!("`{}` is not an array", first.name), index.span, "index of no array");
                return None;
            }
            return Some(meaning);
        };
        self.field_path(reference, symbol)
    }

    fn first_part(&mut self, name: &Ident) -> Option<Meaning> {
        let variable = |symbol| Meaning::Variable { symbol, fields: Vec::new(), ty: DataType::Bit, whole_array: false };
        let global = self.scopes.global(&name.name).map(|(global, _)| global);
        if let Some(Global::Constant { set }) = global {
            let names = &self.symbols.mtypes[set as usize].names;
            let value = names.iter().position(|known| *known == name.name).map_or(0, |position| to_i64(position) + 1);
            return Some(Meaning::Constant { value, set });
        }
        if let Some(symbol) = self.scopes.local(&name.name) {
            return Some(variable(symbol));
        }
        match global {
            Some(Global::Variable(symbol)) => return Some(variable(symbol)),
            Some(Global::Proctype) => {
                let diagnostic = Diagnostic::error("E0512", format!("`{}` is a proctype, not a variable", name.name))
                    .at(name.span, "used as a value")
                    .help(format!("`run {}(…)` starts it; `{}@label` asks where it is", name.name, name.name));
                self.report(diagnostic);
                return None;
            }
            Some(Global::Typedef(_)) => {
                self.error("E0512", format!("`{}` is a type, not a variable", name.name), name.span, "used as a value");
                return None;
            }
            _ => {}
        }
        if let Some(predefined) = predefined(&name.name) {
            return Some(Meaning::Predefined(predefined));
        }
        self.unknown(name);
        None
    }

    fn unknown(&mut self, name: &Ident) {
        let mut diagnostic = Diagnostic::error("E0510", format!("nothing is named `{}`", name.name))
            .at(name.span, "not declared before this place");
        let locals = self.scopes.blocks.iter().flat_map(|(_, names)| names.keys());
        let known = locals.chain(self.scopes.globals.keys()).map(String::as_str);
        if let Some(close) = closest_name(&name.name, known) {
            diagnostic = diagnostic.help(format!("something with a similar name exists: `{close}`"));
        } else {
            diagnostic = diagnostic.help("declare it before its first use, e.g. `byte x;`");
        }
        self.report(diagnostic);
    }

    /// The fields of a reference to a variable.
    fn field_path(&mut self, reference: &VarRef, symbol: SymbolId) -> Option<Meaning> {
        let mut fields = Vec::new();
        let mut here = self.symbols.variable(symbol).clone();
        self.check_index(&here, reference, 0);
        for position in 1..reference.parts.len() {
            let name = &reference.parts[position].name;
            let DataType::Struct(id) = here.ty else {
                let message = format!("`{}` has no fields", here.name);
                let diagnostic = Diagnostic::error("E0512", message).at(name.span, "not a field");
                self.report(diagnostic.also(here.span, "not declared as a structure"));
                return None;
            };
            let structure = self.symbols.structure(id);
            let Some(field) = structure.fields.iter().position(|field| field.name == name.name) else {
                let message = format!("`{}` has no field `{}`", structure.name, name.name);
                let mut diagnostic = Diagnostic::error("E0510", message)
                    .at(name.span, "no such field")
                    .also(structure.span, "the type is declared here");
                let known = structure.fields.iter().map(|field| field.name.as_str());
                if let Some(close) = closest_name(&name.name, known) {
                    diagnostic = diagnostic.help(format!("a field with a similar name exists: `{close}`"));
                }
                self.report(diagnostic);
                return None;
            };
            here = structure.fields[field].clone();
            fields.push(u32::try_from(field).unwrap_or(0));
            self.check_index(&here, reference, position);
        }
        let last = &reference.parts[reference.parts.len() - 1];
        let whole_array = here.size.is_some() && last.index.is_none();
        Some(Meaning::Variable { symbol, fields, ty: here.ty, whole_array })
    }

    /// Arrays need an index except in `for (…)`; without one, Spin takes cell 0.
    fn check_index(&mut self, here: &Symbol, reference: &VarRef, position: usize) {
        let part = &reference.parts[position];
        if here.size.is_some() && part.index.is_none() && !self.place.in_for {
            let diagnostic = Diagnostic::warning("W0503", format!("the array `{}` has no index here", here.name))
                .at(part.name.span, "its first cell is meant")
                .also(here.span, "declared as an array")
                .help(format!("write `{}[0]`, or another index", here.name));
            self.report(diagnostic);
        }
        // A plain variable is an array of one cell.
        if let (None, Some(index)) = (here.size, &part.index)
            && self.constant(index) != Some(0)
        {
            let diagnostic = Diagnostic::error("E0512", format!("`{}` is not an array", here.name))
                .at(index.span, "index of no array")
                .also(here.span, "declared here");
            self.report(diagnostic);
        }
    }
}
