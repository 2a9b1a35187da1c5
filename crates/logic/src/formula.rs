//! Formulas as graphs in which equal sub-formulas are one node and children come before parents.
//!
//! A formula is one table of nodes. A pass over it is a loop over that table, never a recursion, so a
//! formula of any depth is safe to print, normalise, evaluate and drop. One node type serves all
//! logics: `AX p` is `All(Next(p))`, so CTL is the part of CTL* where quantifiers and temporal
//! operators alternate.

use std::collections::HashMap;

use tertium_base::id_type;

use crate::coalition::{Coalition, CoalitionId};
pub use crate::logic_name::Logic;

id_type! {
    /// A node of one formula.
    pub struct NodeId;
}
id_type! {
    /// An atomic proposition of one formula.
    pub struct AtomId;
}
id_type! {
    /// A lattice constant of one formula.
    pub struct ElementId;
}
id_type! {
    /// A fixpoint variable; every binder has its own.
    pub struct VarId;
}
id_type! {
    /// An action name in a modality of one formula.
    pub struct ActionId;
}

/// An atomic proposition as the user wrote it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom {
    /// The text that is looked up in the model: `p`, `x=3`, or the inside of `"x > 0"`.
    pub text: String,
    /// Whether it was written in double quotes.
    pub quoted: bool,
}

/// One operator and its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// Top of the truth order.
    True,
    /// Bottom of the truth order.
    False,
    /// A constant of the user's lattice.
    Element(ElementId),
    /// An atomic proposition.
    Atom(AtomId),
    /// A fixpoint variable.
    Var(VarId),
    /// Negation.
    Not(NodeId),
    /// Conjunction.
    And(NodeId, NodeId),
    /// Disjunction.
    Or(NodeId, NodeId),
    /// `a -> b`, the same as `!a | b`.
    Implies(NodeId, NodeId),
    /// `a <-> b`, the same as `(a & b) | (!a & !b)`.
    Iff(NodeId, NodeId),
    /// `a xor b`, the negation of `a <-> b`.
    Xor(NodeId, NodeId),
    /// `X a`: at the next position of the path.
    Next(NodeId),
    /// `F a`: at some position of the path.
    Finally(NodeId),
    /// `G a`: at every position of the path.
    Globally(NodeId),
    /// `a U b`.
    Until(NodeId, NodeId),
    /// `a R b` (also written `V`).
    Release(NodeId, NodeId),
    /// `a W b`, the same as `b R (a | b)`.
    WeakUntil(NodeId, NodeId),
    /// `a M b`, the same as `b U (a & b)`.
    StrongRelease(NodeId, NodeId),
    /// `A a`: on all paths.
    All(NodeId),
    /// `E a`: on some path.
    Exists(NodeId),
    /// `<<P, Q>> a` or `[[P, Q]] a`: what players can enforce, or cannot avoid.
    Coalition(CoalitionId, NodeId),
    /// `<act> a`, or `<> a` and `EX a` of PML and the mu-calculus without an action.
    Diamond(Option<ActionId>, NodeId),
    /// `[act] a`, or `[] a` and `AX a` of PML and the mu-calculus without an action.
    Box(Option<ActionId>, NodeId),
    /// Least fixpoint.
    Mu(VarId, NodeId),
    /// Greatest fixpoint.
    Nu(VarId, NodeId),
}

impl Node {
    /// The operands, left to right.
    pub fn children(self) -> impl Iterator<Item = NodeId> {
        let (first, second) = match self {
            Self::True | Self::False | Self::Element(_) | Self::Atom(_) | Self::Var(_) => (None, None),
            Self::Not(a)
            | Self::Next(a)
            | Self::Finally(a)
            | Self::Globally(a)
            | Self::All(a)
            | Self::Exists(a)
            | Self::Coalition(_, a)
            | Self::Diamond(_, a)
            | Self::Box(_, a)
            | Self::Mu(_, a)
            | Self::Nu(_, a) => (Some(a), None),
            Self::And(a, b)
            | Self::Or(a, b)
            | Self::Implies(a, b)
            | Self::Iff(a, b)
            | Self::Xor(a, b)
            | Self::Until(a, b)
            | Self::Release(a, b)
            | Self::WeakUntil(a, b)
            | Self::StrongRelease(a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second)
    }

    /// Whether it looks along a path.
    #[must_use]
    pub const fn is_path_operator(self) -> bool {
        matches!(
            self,
            Self::Next(_)
                | Self::Finally(_)
                | Self::Globally(_)
                | Self::Until(..)
                | Self::Release(..)
                | Self::WeakUntil(..)
                | Self::StrongRelease(..)
        )
    }

    /// The same operator over other operands.
    #[must_use]
    pub fn map_children(self, mut map: impl FnMut(NodeId) -> NodeId) -> Self {
        match self {
            Self::True | Self::False | Self::Element(_) | Self::Atom(_) | Self::Var(_) => self,
            Self::Not(a) => Self::Not(map(a)),
            Self::Next(a) => Self::Next(map(a)),
            Self::Finally(a) => Self::Finally(map(a)),
            Self::Globally(a) => Self::Globally(map(a)),
            Self::All(a) => Self::All(map(a)),
            Self::Exists(a) => Self::Exists(map(a)),
            Self::Coalition(coalition, a) => Self::Coalition(coalition, map(a)),
            Self::Diamond(action, a) => Self::Diamond(action, map(a)),
            Self::Box(action, a) => Self::Box(action, map(a)),
            Self::Mu(var, a) => Self::Mu(var, map(a)),
            Self::Nu(var, a) => Self::Nu(var, map(a)),
            Self::And(a, b) => Self::And(map(a), map(b)),
            Self::Or(a, b) => Self::Or(map(a), map(b)),
            Self::Implies(a, b) => Self::Implies(map(a), map(b)),
            Self::Iff(a, b) => Self::Iff(map(a), map(b)),
            Self::Xor(a, b) => Self::Xor(map(a), map(b)),
            Self::Until(a, b) => Self::Until(map(a), map(b)),
            Self::Release(a, b) => Self::Release(map(a), map(b)),
            Self::WeakUntil(a, b) => Self::WeakUntil(map(a), map(b)),
            Self::StrongRelease(a, b) => Self::StrongRelease(map(a), map(b)),
        }
    }
}

/// A formula: its nodes, children first, and the names they use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    nodes: Vec<Node>,
    root: NodeId,
    logic: Logic,
    atoms: Vec<Atom>,
    elements: Vec<String>,
    variables: Vec<String>,
    actions: Vec<String>,
    coalitions: Vec<Coalition>,
}

impl Formula {
    /// Whether no path operator of the part at `root` stands outside a quantifier.
    #[must_use]
    pub fn is_state_formula(&self, root: NodeId) -> bool {
        // Parts are shared: each is looked at once.
        let mut seen = vec![false; root.index() + 1];
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match self.node(id) {
                Node::All(_) | Node::Exists(_) | Node::Coalition(..) => {}
                node if node.is_path_operator() => return false,
                node => open.extend(node.children()),
            }
        }
        true
    }

    /// Whether the part at `root` says something of one state only: atoms and connectives, no quantifiers, steps or fixpoints.
    #[must_use]
    pub fn is_propositional(&self, root: NodeId) -> bool {
        // Parts are shared: each is looked at once.
        let mut seen = vec![false; root.index() + 1];
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match self.node(id) {
                Node::True | Node::False | Node::Atom(_) => {}
                node @ (Node::Not(_)
                | Node::And(..)
                | Node::Or(..)
                | Node::Implies(..)
                | Node::Iff(..)
                | Node::Xor(..)) => open.extend(node.children()),
                _ => return false,
            }
        }
        true
    }

    /// The outermost operator's node; always the last one of the table.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The logic it is written in.
    #[must_use]
    pub fn logic(&self) -> Logic {
        self.logic
    }

    /// All nodes; operands stand before what uses them.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The ids of all nodes, operands first.
    pub fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::new)
    }

    /// One node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The atomic propositions, in order of first appearance.
    #[must_use]
    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    /// The lattice constants, in order of first appearance.
    #[must_use]
    pub fn elements(&self) -> &[String] {
        &self.elements
    }

    /// The fixpoint variables' names; several binders may share a name but never an id.
    #[must_use]
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The action names used in modalities.
    #[must_use]
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// The coalitions that it speaks of.
    #[must_use]
    pub fn coalitions(&self) -> &[Coalition] {
        &self.coalitions
    }

    /// A builder that knows this formula's names and nodes, to make a formula from parts of it.
    #[must_use]
    pub fn to_builder(&self) -> FormulaBuilder {
        let known = self.nodes.iter().enumerate().map(|(at, &node)| (node, NodeId::new(at))).collect();
        FormulaBuilder {
            nodes: self.nodes.clone(),
            known,
            atoms: NameTable::from_entries(&self.atoms),
            elements: NameTable::from_entries(&self.elements),
            variables: self.variables.clone(),
            actions: NameTable::from_entries(&self.actions),
            coalitions: NameTable::from_entries(&self.coalitions),
        }
    }
}

/// Makes formulas node by node; equal nodes get equal ids.
#[derive(Clone, Debug, Default)]
pub struct FormulaBuilder {
    nodes: Vec<Node>,
    known: HashMap<Node, NodeId>,
    atoms: NameTable<Atom>,
    elements: NameTable<String>,
    variables: Vec<String>,
    actions: NameTable<String>,
    coalitions: NameTable<Coalition>,
}

/// Names in order of first appearance, each once.
#[derive(Clone, Debug)]
struct NameTable<T> {
    entries: Vec<T>,
    index: HashMap<T, usize>,
}

impl<T> Default for NameTable<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), index: HashMap::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> NameTable<T> {
    fn from_entries(entries: &[T]) -> Self {
        let index = entries.iter().cloned().enumerate().map(|(at, entry)| (entry, at)).collect();
        Self { entries: entries.to_vec(), index }
    }

    fn intern(&mut self, entry: T) -> usize {
        if let Some(&at) = self.index.get(&entry) {
            return at;
        }
        self.entries.push(entry.clone());
        self.index.insert(entry, self.entries.len() - 1);
        self.entries.len() - 1
    }
}

impl FormulaBuilder {
    /// A builder with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The node for this operator over operands made before.
    pub fn add(&mut self, node: Node) -> NodeId {
        debug_assert!(node.children().all(|child| child.index() < self.nodes.len()));
        *self.known.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            NodeId::new(self.nodes.len() - 1)
        })
    }

    /// The operator behind a node made before.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// The node of an atomic proposition.
    pub fn atom(&mut self, atom: Atom) -> NodeId {
        let id = AtomId::new(self.atoms.intern(atom));
        self.add(Node::Atom(id))
    }

    /// The node of a lattice constant.
    pub fn element(&mut self, name: &str) -> NodeId {
        let id = ElementId::new(self.elements.intern(name.to_owned()));
        self.add(Node::Element(id))
    }

    /// A fixpoint variable that no other binder has.
    pub fn fresh_variable(&mut self, name: &str) -> VarId {
        self.variables.push(name.to_owned());
        VarId::new(self.variables.len() - 1)
    }

    /// The name of a fixpoint variable.
    #[must_use]
    pub fn variable_name(&self, variable: VarId) -> &str {
        &self.variables[variable.index()]
    }

    /// How many fixpoint variables there are.
    #[must_use]
    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// Whether an atom or a lattice constant has this name.
    #[must_use]
    pub fn knows_name(&self, name: &str) -> bool {
        let atom = |quoted| Atom { text: name.to_owned(), quoted };
        self.atoms.index.contains_key(&atom(false))
            || self.atoms.index.contains_key(&atom(true))
            || self.elements.index.contains_key(name)
    }

    /// The id of an action name.
    pub fn action(&mut self, name: &str) -> ActionId {
        ActionId::new(self.actions.intern(name.to_owned()))
    }

    /// The id of a coalition.
    pub fn coalition(&mut self, coalition: Coalition) -> CoalitionId {
        CoalitionId::new(self.coalitions.intern(coalition))
    }

    /// A coalition by its id.
    #[must_use]
    pub fn coalition_of(&self, id: CoalitionId) -> &Coalition {
        &self.coalitions.entries[id.index()]
    }

    /// The formula below `root`, without the nodes that it does not use. The names stay, so ids of atoms,
    /// elements, variables, actions and coalitions mean the same in every formula of one builder.
    #[must_use]
    pub fn finish(&self, root: NodeId, logic: Logic) -> Formula {
        let mut used = vec![false; root.index() + 1];
        used[root.index()] = true;
        for at in (0..=root.index()).rev() {
            if used[at] {
                for child in self.nodes[at].children() {
                    used[child.index()] = true;
                }
            }
        }
        let mut renumbered = vec![NodeId::new(0); root.index() + 1];
        let mut nodes = Vec::new();
        for at in (0..=root.index()).filter(|&at| used[at]) {
            nodes.push(self.nodes[at].map_children(|child| renumbered[child.index()]));
            renumbered[at] = NodeId::new(nodes.len() - 1);
        }
        Formula {
            root: renumbered[root.index()],
            nodes,
            logic,
            atoms: self.atoms.entries.clone(),
            elements: self.elements.entries.clone(),
            variables: self.variables.clone(),
            actions: self.actions.entries.clone(),
            coalitions: self.coalitions.entries.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_parts_are_one_node_and_unused_ones_are_dropped() {
        let mut builder = FormulaBuilder::new();
        let p = builder.atom(Atom { text: "p".into(), quoted: false });
        let q = builder.atom(Atom { text: "q".into(), quoted: false });
        let first = builder.add(Node::And(p, q));
        let second = builder.add(Node::And(p, q));
        assert_eq!(first, second);
        let only_q = builder.add(Node::Next(q));
        let formula = builder.finish(only_q, Logic::Ltl);
        assert_eq!(formula.nodes(), [Node::Atom(AtomId::new(1)), Node::Next(NodeId::new(0))]);
    }
}
