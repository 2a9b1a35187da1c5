//! What do the names of a model mean?
//!
//! The result of resolution: tables of variables, structures, proctypes and `mtype` constants,
//! and for every [`RefId`] of the tree its meaning. Lowering reads these tables and the tree; it looks up no name
//! except proctypes, which are unique in a model.

use std::collections::BTreeMap;

use tertium_base::{Span, id_type};

use crate::ast::{DeclId, LabelId, RefId, Visibility};

id_type! {
    /// A variable or parameter.
    pub struct SymbolId;
}
id_type! {
    /// A `typedef`.
    pub struct StructId;
}
id_type! {
    /// A proctype, `init`, `never` claim or `trace`, by its position in [`Symbols::units`].
    pub struct UnitId;
}

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DataType {
    /// One bit, 0 or 1.
    Bit,
    /// Like `Bit`.
    Bool,
    /// Eight bits, no sign.
    Byte,
    /// Like `Byte`.
    Pid,
    /// Sixteen bits with a sign.
    Short,
    /// Thirty-two bits with a sign.
    Int,
    /// So many bits, no sign.
    Unsigned(u8),
    /// A constant of the set with this number; stored as a byte.
    Mtype(u32),
    /// A channel's number; stored as a byte.
    Chan,
    /// A structure.
    Struct(StructId),
}

/// Whose a variable is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owner {
    /// Everyone's.
    Global,
    /// Each instance of this unit has its own.
    Unit(UnitId),
}

/// A channel made by a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelShape {
    /// How many messages it holds; 0 means rendezvous.
    pub capacity: u32,
    /// The types of a message's fields, structures spread out.
    pub fields: Vec<DataType>,
}

/// A variable, parameter or field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The declarator it comes from (its initial value stands there).
    pub decl: DeclId,
    /// What one cell holds.
    pub ty: DataType,
    /// How many cells; none for a plain variable. `byte a[1]` is an array.
    pub size: Option<u32>,
    /// How it asks to be shown or stored.
    pub visibility: Visibility,
    /// Whose it is.
    pub owner: Owner,
    /// Whether it is a parameter, and which (structures count as one).
    pub param: Option<u32>,
    /// The channel that `= [n] of { … }` makes; one for each cell.
    pub channel: Option<ChannelShape>,
    /// Where its name stands in its declaration.
    pub span: Span,
}

/// A `typedef`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Structure {
    /// Its name.
    pub name: String,
    /// Its fields in order; `owner` and `param` say nothing here.
    pub fields: Vec<Symbol>,
    /// Where.
    pub span: Span,
}

/// Which kind of code a unit is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnitKind {
    /// `proctype`.
    Proctype,
    /// `init`.
    Init,
    /// `never`.
    Never,
    /// `trace` or `notrace`.
    Trace,
}

/// A proctype, `init`, `never` claim or `trace`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit {
    /// Which kind.
    pub kind: UnitKind,
    /// Its name; `init`, `never_0` and the like where the text gives none.
    pub name: String,
    /// Its position in [`crate::ast::File::items`].
    pub item: usize,
    /// How many instances run from the start.
    pub active: u32,
    /// Its parameters.
    pub params: Vec<SymbolId>,
    /// All its variables, parameters first, in the order of the text.
    pub locals: Vec<SymbolId>,
    /// All its labels by name, in the order of the text; more than one where blocks reuse a name.
    pub labels: BTreeMap<String, Vec<LabelId>>,
    /// Where its name stands.
    pub span: Span,
}

/// Variables that every model has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Predefined {
    /// `_pid`.
    Pid,
    /// `_nr_pr`.
    NrPr,
    /// `_last`.
    Last,
    /// `_priority`.
    Priority,
    /// `_`: takes anything, gives nothing.
    Scratch,
}

/// What a reference means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// A variable; then, for each further part of the reference, the position of the field in its structure.
    Variable {
        /// The variable.
        symbol: SymbolId,
        /// Positions of fields, one for each part after the first.
        fields: Vec<u32>,
        /// The type of the place that is named in the end.
        ty: DataType,
        /// Whether the last part is an array and has no index. In `for (x in a)` the whole array is meant, elsewhere
        /// (and for arrays in the middle of the path) its first cell.
        whole_array: bool,
    },
    /// An `mtype` constant.
    Constant {
        /// Its number.
        value: i64,
        /// Its set.
        set: u32,
    },
    /// A variable that every model has.
    Predefined(Predefined),
    /// A label.
    Label(LabelId),
}

/// A set of `mtype` constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MtypeSet {
    /// Its name; `_unnamed_` for the common one, as Spin calls it.
    pub name: String,
    /// The constants: position + 1 is the value.
    pub names: Vec<String>,
}

/// Everything that resolution found out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symbols {
    /// Variables and parameters; a [`SymbolId`] is a position.
    pub variables: Vec<Symbol>,
    /// Structures; a [`StructId`] is a position.
    pub structures: Vec<Structure>,
    /// Proctypes, `init`, `never`, `trace`; a [`UnitId`] is a position. In the order of the text, which is the
    /// order in which active ones get their pids.
    pub units: Vec<Unit>,
    /// Sets of `mtype` constants; the common one first if there is any.
    pub mtypes: Vec<MtypeSet>,
    /// What each reference means; none only where a diagnostic was reported.
    pub meanings: Vec<Option<Meaning>>,
    /// Which variable a declarator makes; none for fields and where a diagnostic was reported.
    pub declared: Vec<Option<SymbolId>>,
}

impl Symbols {
    /// What a reference means.
    #[must_use]
    pub fn meaning(&self, id: RefId) -> Option<&Meaning> {
        self.meanings.get(id.index())?.as_ref()
    }

    /// A variable.
    #[must_use]
    pub fn variable(&self, id: SymbolId) -> &Symbol {
        &self.variables[id.index()]
    }

    /// A structure.
    #[must_use]
    pub fn structure(&self, id: StructId) -> &Structure {
        &self.structures[id.index()]
    }

    /// A unit.
    #[must_use]
    pub fn unit(&self, id: UnitId) -> &Unit {
        &self.units[id.index()]
    }

    /// The variable that a declarator makes.
    #[must_use]
    pub fn declared(&self, id: DeclId) -> Option<SymbolId> {
        self.declared.get(id.index()).copied().flatten()
    }

    /// The proctype with this name.
    #[must_use]
    pub fn proctype(&self, name: &str) -> Option<UnitId> {
        let named = |unit: &Unit| unit.kind == UnitKind::Proctype && unit.name == name;
        self.units.iter().position(named).map(UnitId::new)
    }

    /// The name of an `mtype` value.
    #[must_use]
    pub fn mtype_name(&self, set: u32, value: i64) -> Option<&str> {
        let names = &self.mtypes.get(set as usize)?.names;
        names.get(usize::try_from(value).ok()?.checked_sub(1)?).map(String::as_str)
    }
}
