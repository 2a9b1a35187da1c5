//! Which names does a text declare, and where is each of them used?
//!
//! Front ends fill a [`SymbolTable`]; editors ask it: what is under the cursor, where is it declared, where else does it
//! stand. A text with mistakes has a table, too: of what could be understood.
//!
//! Not here: what names mean to a program; front ends have richer tables for that.

use crate::source::Span;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SymbolKind {
    /// A whole system.
    System,
    /// A fixed value.
    Constant,
    /// A type.
    Type,
    /// One value of an enumeration.
    Member,
    /// A variable that everyone sees.
    Variable,
    /// A variable of one process.
    Local,
    /// What a process or a definition is given; the index of a family.
    Parameter,
    /// A part of a structure.
    Field,
    /// A function.
    Function,
    /// A process or a family of processes.
    Process,
    /// A place in a process.
    Label,
    /// A name for an expression.
    Definition,
    /// A predicate for abstraction.
    Predicate,
    /// A property to be decided.
    Property,
    /// A state of a structure.
    State,
    /// A proposition of a structure.
    Proposition,
    /// An action on edges of a structure.
    Action,
    /// A player who owns states of a structure.
    Player,
    /// Text that is put in place of its name.
    Macro,
    /// Statements that are put in place of a call.
    Inline,
}

impl SymbolKind {
    /// The word for it in messages.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Constant => "constant",
            Self::Type => "type",
            Self::Member => "value",
            Self::Variable => "variable",
            Self::Local => "local variable",
            Self::Parameter => "parameter",
            Self::Field => "field",
            Self::Function => "function",
            Self::Process => "process",
            Self::Label => "label",
            Self::Definition => "definition",
            Self::Predicate => "predicate",
            Self::Property => "property",
            Self::State => "state",
            Self::Proposition => "proposition",
            Self::Action => "action",
            Self::Player => "player",
            Self::Macro => "macro",
            Self::Inline => "inline",
        }
    }
}

/// A declared name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub kind: SymbolKind,
    /// Where the name is declared.
    pub span: Span,
    /// The whole declaration.
    pub extent: Span,
    /// The declaration in one line, with what is known of it: `const N = 2 * K`.
    pub detail: String,
    /// What else is worth knowing, one remark each: a constant's value, the normal form of a property.
    pub notes: Vec<String>,
    /// The symbol that it belongs to, by position: the process of a local variable.
    pub parent: Option<usize>,
}

/// A place where a name is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Use {
    /// Where.
    pub span: Span,
    /// The symbol, by position.
    pub symbol: usize,
}

/// All names of a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SymbolTable {
    symbols: Vec<Symbol>,
    uses: Vec<Use>,
}

impl SymbolTable {
    /// Enters a symbol; returns its position.
    pub fn declare(&mut self, symbol: Symbol) -> usize {
        self.symbols.push(symbol);
        self.symbols.len() - 1
    }

    /// Enters a use. Call [`Self::finish`] after the last one.
    pub fn use_at(&mut self, span: Span, symbol: usize) {
        self.uses.push(Use { span, symbol });
    }

    /// Puts the uses into the order of the text, each once; a declaration is no use.
    pub fn finish(&mut self) {
        self.uses.sort_unstable();
        self.uses.dedup_by_key(|found| found.span);
        let symbols = &self.symbols;
        self.uses.retain(|found| symbols[found.symbol].span != found.span);
    }

    /// The symbols in the order of their declaration.
    #[must_use]
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// The same, to add what is found out later.
    pub fn symbols_mut(&mut self) -> &mut [Symbol] {
        &mut self.symbols
    }

    /// The uses in the order of the text.
    #[must_use]
    pub fn uses(&self) -> &[Use] {
        &self.uses
    }

    /// The symbol whose name stands at a byte offset, and where; right behind a name counts as at it.
    #[must_use]
    pub fn at(&self, offset: usize) -> Option<Use> {
        let declared = self.symbols.iter().enumerate().map(|(symbol, found)| Use { span: found.span, symbol });
        let all = declared.chain(self.uses.iter().copied());
        let touched = all.filter(|found| found.span.start <= offset && offset <= found.span.end);
        touched.max_by_key(|found| (offset < found.span.end, std::cmp::Reverse(found.span.end - found.span.start)))
    }

    /// Every place of a symbol's name in the order of the text, its declaration among them.
    #[must_use]
    pub fn places(&self, symbol: usize) -> Vec<Span> {
        let uses = self.uses.iter().filter(|found| found.symbol == symbol).map(|found| found.span);
        let mut all: Vec<Span> = self.symbols.get(symbol).map(|found| found.span).into_iter().chain(uses).collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, start: usize) -> Symbol {
        let span = Span::new(start, start + name.len());
        let (detail, notes) = (String::new(), Vec::new());
        Symbol { name: name.to_owned(), kind: SymbolKind::Variable, span, extent: span, detail, notes, parent: None }
    }

    #[test]
    fn a_name_is_found_at_its_ends_too() {
        let mut table = SymbolTable::default();
        let x = table.declare(symbol("x", 4));
        let y = table.declare(symbol("long", 10));
        table.use_at(Span::new(30, 34), y);
        table.use_at(Span::new(20, 21), x);
        table.use_at(Span::new(21, 25), y);
        table.use_at(Span::new(10, 14), y);
        table.use_at(Span::new(20, 21), x);
        table.finish();
        assert_eq!(table.at(21).map(|found| found.symbol), Some(y), "the name that begins here wins");
        assert_eq!(table.at(5).map(|found| found.symbol), Some(x));
        assert_eq!(table.at(7), None);
        assert_eq!(table.places(y), [Span::new(10, 14), Span::new(21, 25), Span::new(30, 34)]);
        assert_eq!(table.uses().len(), 3);
    }
}
