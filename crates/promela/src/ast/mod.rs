//! The text of a Promela model as a tree, after preprocessing and before names mean anything.
//!
//! Calls of `inline` are expanded here already, since Spin expands them like macros. Everything else stands as
//! written. References carry a [`RefId`] and declared variables a [`DeclId`]; what they mean is looked up in the
//! tables of [`crate::symbols`], so that the tree itself never changes.
//!
//! Spans count bytes over all sources of a model, see [`crate::sources`].
//!
//! The depth of a tree is bounded by the parser, so recursion over it is safe.

mod declarations;
mod expressions;
mod formulas;
mod statements;

use tertium_base::{Span, id_type};

pub use self::declarations::{
    Active, ChannelInit, Declarator, Init, Initializer, MtypeDecl, Never, Proctype, Trace, TypeKind, TypeName, Typedef,
    VarDecl, Visibility,
};
pub use self::expressions::{Binary, Expr, ExprKind, Probe, RefPart, Remote, Run, Unary, VarRef};
pub use self::formulas::{Formula, FormulaKind, Ltl, LtlOp};
pub use self::statements::{Branch, Exclusive, ForLoop, ForRange, Inlined, Label, LabelRef, RecvArg, Stmt, StmtKind};

id_type! {
    /// A place where a variable, field path, `mtype` constant or label is named. Unique in one [`File`].
    pub struct RefId;
}
id_type! {
    /// A declared variable, parameter or field. Unique in one [`File`].
    pub struct DeclId;
}

id_type! {
    /// A label of some statement. Unique in one [`File`].
    pub struct LabelId;
}

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// A whole model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// What it declares, in the order of the text.
    pub items: Vec<Item>,
    /// How many [`RefId`]s it uses: `0..refs`.
    pub refs: usize,
    /// How many [`DeclId`]s it uses: `0..decls`.
    pub decls: usize,
    /// How many [`LabelId`]s it uses: `0..labels`.
    pub labels: usize,
}

/// What stands at the top level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// Global variables.
    Vars(VarDecl),
    /// `mtype = { … }`, `mtype:name = { … }`.
    Mtype(MtypeDecl),
    /// `typedef T { … }`.
    Typedef(Typedef),
    /// `proctype P(…) { … }`.
    Proctype(Box<Proctype>),
    /// `init { … }`.
    Init(Init),
    /// `never { … }`.
    Never(Never),
    /// `trace { … }` or `notrace { … }`.
    Trace(Trace),
    /// `ltl name { … }`.
    Ltl(Box<Ltl>),
    /// `pred EXPR`: a predicate for abstraction.
    Pred(Expr),
}
