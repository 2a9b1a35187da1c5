//! Expressions over program variables, as a table in which equal ones are one entry.
//!
//! Operands stand before what uses them, so most passes are loops over the table. The same table holds
//! what programs say and what analyses derive from them (weakest preconditions, [`crate::terms`]).
//!
//! Evaluation rules, used alike by every reader: `&&`, `||`, `->` and `if` look at their second operand
//! only when the first does not decide; every other operator looks at all operands, left to right.
//!
//! Not here: values ([`crate::eval`]) and printing ([`crate::show`]).

use std::collections::HashMap;

use tertium_base::id_type;

use crate::graph::{LocationId, ProcessId};
use crate::types::{EnumId, FunctionId, VarId, Width};

/// How deep the expressions of a program may be.
pub const DEEPEST: u32 = 1000;
/// How large the expressions of a program may be.
pub const LARGEST: u32 = 1_000_000;

id_type! {
    /// An expression of one table.
    pub struct ExprId;
}
id_type! {
    /// A list of expressions of one table: arguments or indices.
    pub struct ListId;
}
id_type! {
    /// A message pattern of one table.
    pub struct PatternId;
}

/// What kind of value an expression has. Everything that is not a truth value is an integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth value.
    Bool,
    /// Integer; also members of enumerations, channels and pids.
    Int,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unary {
    /// Negation of a truth value.
    Not,
    /// Negation of an integer.
    Negate,
    /// All bits flipped: `-x - 1`.
    Complement,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binary {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient such that the remainder is never negative (as in SMT-LIB). Faults on 0.
    Div,
    /// The remainder that goes with `Div`, never negative. Faults on 0.
    Mod,
    /// Quotient rounded towards zero (as in C). Faults on 0.
    Quotient,
    /// The remainder that goes with `Quotient`. Faults on 0.
    Remainder,
    /// Equal; both operands of one sort.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// At most.
    Le,
    /// Greater.
    Gt,
    /// At least.
    Ge,
    /// Conjunction, left first.
    And,
    /// Disjunction, left first.
    Or,
    /// Implication, left first.
    Implies,
    /// Bits set in both.
    BitAnd,
    /// Bits set in either.
    BitOr,
    /// Bits set in one.
    BitXor,
    /// Left shift.
    Shl,
    /// Right shift that keeps the sign.
    Shr,
}

impl Binary {
    /// The sort of the result.
    #[must_use]
    pub const fn sort(self) -> Sort {
        match self {
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::And | Self::Or | Self::Implies => {
                Sort::Bool
            }
            _ => Sort::Int,
        }
    }
}

/// One operator and its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A member of an enumeration; its value is its position.
    Member(EnumId, u32),
    /// A plain variable. A local one is the executing process's if it is of that process's code, and
    /// otherwise that of the only instance of its process.
    Var(VarId),
    /// A cell of an array. Faults if an index is out of bounds.
    Element(VarId, ListId),
    /// An input of the step at hand, by position, and what kind of value it is.
    Input(u32, Sort),
    /// One operand.
    Unary(Unary, ExprId),
    /// Two operands.
    Binary(Binary, ExprId, ExprId),
    /// `if c then a else b`.
    If(ExprId, ExprId, ExprId),
    /// What remains of an integer in a machine word.
    Wrap(Width, ExprId),
    /// An uninterpreted function at these arguments.
    Apply(FunctionId, ListId),
    /// Whether the only instance of a process is at a location.
    At(ProcessId, LocationId),
    /// Whether no process can step and not all are at an end.
    Deadlock,
    /// The value a plain variable had before a step; occurs in strongest postconditions only.
    OldVar(VarId),
    /// The value an array cell had before a step; occurs in strongest postconditions only.
    OldElement(VarId, ListId),
    /// A local variable of the instance with this pid; 0 if no instance of its process has it.
    Remote(ExprId, VarId),
    /// A cell of a local array of the instance with this pid.
    RemoteElement(ExprId, VarId, ListId),
    /// Whether the instance with this pid runs this process and is at this location; false if there is none.
    RemoteAt(ExprId, ProcessId, LocationId),
    /// How many messages a channel holds.
    Length(ExprId),
    /// How many messages a channel can hold.
    Capacity(ExprId),
    /// Whether a receive with this pattern would succeed.
    Poll(PatternId),
    /// Whether no other step of the whole system is enabled.
    Timeout,
    /// How many processes there are, finished ones that are not yet removed included.
    ProcessCount,
    /// The executing process's pid.
    OwnPid,
    /// Whether no process is at a progress location.
    NonProgress,
    /// Whether some process is at an accepting location.
    Accepting,
    /// Whether the process with this pid can step.
    Enabled(ExprId),
    /// The location of the process with this pid, counted from 1; 0 if there is no such process.
    LocationOf(ExprId),
    /// The priority of the process with this pid.
    PriorityOf(ExprId),
    /// The pid of the oldest instance of a process; -1 if there is none.
    FirstInstance(ProcessId),
}

/// What a receive does with one field of a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Field {
    /// The field must have this value.
    Match(ExprId),
    /// The field's value goes to this place.
    Bind(Place),
    /// The field is ignored.
    Skip,
}

/// Something that can be assigned to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A plain variable.
    Var(VarId),
    /// A cell of an array.
    Element(VarId, ListId),
}

impl Place {
    /// The variable or array that is written.
    #[must_use]
    pub const fn variable(self) -> VarId {
        match self {
            Self::Var(var) | Self::Element(var, _) => var,
        }
    }
}

/// Which message of a channel a receive or poll speaks of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    /// The channel.
    pub channel: ExprId,
    /// One entry per field.
    pub fields: Vec<Field>,
    /// Whether any message may match, not only the oldest.
    pub anywhere: bool,
}

/// The table of all expressions of one program.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<Expr>,
    sorts: Vec<Sort>,
    /// Depth and size of each expression written out as a tree.
    extents: Vec<(u32, u32)>,
    known: HashMap<Expr, ExprId>,
    lists: Vec<Box<[ExprId]>>,
    known_lists: HashMap<Box<[ExprId]>, ListId>,
    patterns: Vec<Pattern>,
}

impl Exprs {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many expressions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operator behind an id.
    #[inline]
    #[must_use]
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.index()]
    }

    /// The sort of an expression.
    #[must_use]
    pub fn sort(&self, id: ExprId) -> Sort {
        self.sorts[id.index()]
    }

    /// How deep an expression is. Front ends keep it below [`DEEPEST`], so that evaluating may recurse.
    #[must_use]
    pub fn depth(&self, id: ExprId) -> u32 {
        self.extents[id.index()].0
    }

    /// How many operators an expression has, written out as a tree. Front ends keep it below [`LARGEST`], because
    /// evaluating takes that long.
    #[must_use]
    pub fn size(&self, id: ExprId) -> u32 {
        self.extents[id.index()].1
    }

    /// The id of this operator over these operands, if it was added before.
    #[must_use]
    pub fn find(&self, expr: Expr) -> Option<ExprId> {
        self.known.get(&expr).copied()
    }

    /// The members of a list.
    #[inline]
    #[must_use]
    pub fn list(&self, id: ListId) -> &[ExprId] {
        &self.lists[id.index()]
    }

    /// A message pattern.
    #[must_use]
    pub fn pattern(&self, id: PatternId) -> &Pattern {
        &self.patterns[id.index()]
    }

    /// The id of a list.
    pub fn add_list(&mut self, members: &[ExprId]) -> ListId {
        if let Some(&id) = self.known_lists.get(members) {
            return id;
        }
        let id = ListId::new(self.lists.len());
        self.lists.push(members.into());
        self.known_lists.insert(members.into(), id);
        id
    }

    /// The id of a new pattern.
    pub fn add_pattern(&mut self, pattern: Pattern) -> PatternId {
        self.patterns.push(pattern);
        PatternId::new(self.patterns.len() - 1)
    }

    /// The id of this operator over operands made before, as it stands, with the sort it has. For
    /// variables, function values and remote reads the caller knows the sort: use [`Self::add_sorted`].
    pub fn add(&mut self, expr: Expr) -> ExprId {
        let sort = self.sort_of(expr);
        self.add_sorted(expr, sort)
    }

    /// As [`Self::add`] with the sort given.
    pub fn add_sorted(&mut self, expr: Expr, sort: Sort) -> ExprId {
        if let Some(&id) = self.known.get(&expr) {
            return id;
        }
        let id = ExprId::new(self.nodes.len());
        self.nodes.push(expr);
        self.sorts.push(sort);
        self.known.insert(expr, id);
        let (mut depth, mut size) = (0u32, 1u32);
        for child in self.children(id) {
            let (below, nodes) = self.extents[child.index()];
            depth = depth.max(below);
            size = size.saturating_add(nodes);
        }
        self.extents.push((depth.saturating_add(1), size));
        id
    }

    fn sort_of(&self, expr: Expr) -> Sort {
        match expr {
            Expr::Bool(_)
            | Expr::Unary(Unary::Not, _)
            | Expr::At(..)
            | Expr::RemoteAt(..)
            | Expr::Deadlock
            | Expr::Poll(_)
            | Expr::Timeout
            | Expr::NonProgress
            | Expr::Accepting
            | Expr::Enabled(_) => Sort::Bool,
            Expr::Binary(op, _, _) => op.sort(),
            Expr::If(_, then, _) => self.sort(then),
            Expr::Input(_, sort) => sort,
            _ => Sort::Int,
        }
    }

    /// The truth value `value`.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.add(Expr::Bool(value))
    }

    /// The integer `value`.
    pub fn int(&mut self, value: i64) -> ExprId {
        self.add(Expr::Int(value))
    }

    /// The constant's value, if the expression is one. Truth values count as 0 and 1.
    #[must_use]
    pub fn constant(&self, id: ExprId) -> Option<i64> {
        match self.get(id) {
            Expr::Bool(value) => Some(i64::from(value)),
            Expr::Int(value) => Some(value),
            Expr::Member(_, position) => Some(i64::from(position)),
            _ => None,
        }
    }

    /// The operands of an expression: lists, patterns and all.
    pub fn children(&self, id: ExprId) -> Vec<ExprId> {
        let mut children = Vec::new();
        match self.get(id) {
            Expr::Unary(_, a)
            | Expr::Wrap(_, a)
            | Expr::Remote(a, _)
            | Expr::RemoteAt(a, _, _)
            | Expr::Length(a)
            | Expr::Capacity(a)
            | Expr::Enabled(a)
            | Expr::LocationOf(a)
            | Expr::PriorityOf(a) => children.push(a),
            Expr::Binary(_, a, b) => children.extend([a, b]),
            Expr::If(a, b, c) => children.extend([a, b, c]),
            Expr::Element(_, list) | Expr::OldElement(_, list) | Expr::Apply(_, list) => {
                children.extend(self.list(list));
            }
            Expr::RemoteElement(a, _, list) => {
                children.push(a);
                children.extend(self.list(list));
            }
            Expr::Poll(pattern) => {
                let pattern = self.pattern(pattern);
                children.push(pattern.channel);
                children.extend(pattern.fields.iter().filter_map(|field| match *field {
                    Field::Match(value) => Some(value),
                    Field::Bind(_) | Field::Skip => None,
                }));
            }
            _ => {}
        }
        children
    }

    /// Everything below and including `roots`, operands first.
    #[must_use]
    pub fn reachable(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut seen = std::collections::BTreeSet::new();
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.children(id));
            }
        }
        seen.into_iter().collect()
    }
}
