//! How do tokens combine into a formula, at any depth and in spite of mistakes?
//!
//! An operator-precedence parser with its own stack: the depth of a formula is limited by memory only. A
//! mistake is recorded and repaired (an operand or a connective is assumed), so that one run finds
//! several; a formula comes out only if there was none.
//!
//! Not here: the choice among logics (`parse`) and the meaning of words (`token`).

use std::collections::HashMap;

use tertium_base::{Diagnostic, Span};

use super::hints;
use super::nodes::{binder_node, infix_node, path_node, quantifier_node};
use super::token::{Binder, Infix, Lexed, Modality, PathOp, Placed, Quantifier, Token, UNARY};
use crate::coalition::{Coalition, CoalitionId};
use crate::formula::{ActionId, Atom, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};

/// After this many mistakes the rest of the text is not looked at.
const MOST_MISTAKES: usize = 20;

/// What came out of one attempt.
pub(crate) struct Attempt {
    /// The formula, if there was no mistake.
    pub(crate) formula: Option<Formula>,
    /// Where each atom stands first.
    pub(crate) atom_spans: Vec<Span>,
    /// Where each lattice constant stands first.
    pub(crate) element_spans: Vec<Span>,
    /// Where each action stands first.
    pub(crate) action_spans: Vec<Span>,
    /// Where each coalition stands first.
    pub(crate) coalition_spans: Vec<Span>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Parses the tokens of a text in one logic.
pub(crate) fn parse_tokens(lexed: Lexed<'_>, logic: Logic, elements: &[String]) -> Attempt {
    let mut parser = Parser::new(lexed, logic, elements);
    parser.run();
    parser.finish()
}

/// A unary operator that waits for its operand.
#[derive(Clone, Copy)]
pub(super) enum Prefix {
    Not,
    Path(PathOp),
    Quantified(Quantifier, PathOp),
    /// `F[0,5]`, `AG[0,5]`.
    Bounded(Option<Quantifier>, PathOp, u32, u32),
    Quantifier(Quantifier),
    Modal(Modality, Option<ActionId>),
    Coalition(CoalitionId),
}

/// Something begun and not ended.
enum OpenConstruct {
    Prefix(Prefix, Span),
    Infix(Infix, usize),
    Binder(Binder, VarId, Span),
    Group(Group),
}

/// An open parenthesis or bracket.
struct Group {
    opened: Span,
    square: bool,
    /// `A[a U b]` of CTL: the quantifier, and the left side once the temporal operator is reached.
    quantifier: Option<Quantifier>,
    left: Option<(Infix, usize)>,
}

pub(super) struct Parser<'t, 'e> {
    pub(super) logic: Logic,
    pub(super) tokens: Vec<Placed<'t>>,
    pub(super) at: usize,
    frames: Vec<OpenConstruct>,
    /// The operand just read; an index into `tree`.
    pub(super) operand: Option<usize>,
    /// Every occurrence of every operator, operands first; equal parts are not shared yet.
    pub(super) tree: Vec<(Node, Span)>,
    builder: FormulaBuilder,
    /// Whether some operator has bounds.
    pub(super) has_bounds: bool,
    elements: &'e [String],
    atoms: HashMap<String, NodeId>,
    scopes: HashMap<&'t str, Vec<VarId>>,
    atom_spans: Vec<Span>,
    element_spans: Vec<Span>,
    action_spans: Vec<Span>,
    coalition_spans: Vec<Span>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'t, 'e> Parser<'t, 'e> {
    fn new(lexed: Lexed<'t>, logic: Logic, elements: &'e [String]) -> Self {
        Self {
            logic,
            tokens: lexed.tokens,
            at: 0,
            frames: Vec::new(),
            operand: None,
            tree: Vec::new(),
            builder: FormulaBuilder::new(),
            has_bounds: false,
            elements,
            atoms: HashMap::new(),
            scopes: HashMap::new(),
            atom_spans: Vec::new(),
            element_spans: Vec::new(),
            action_spans: Vec::new(),
            coalition_spans: Vec::new(),
            diagnostics: lexed.diagnostics,
        }
    }

    pub(super) fn peek(&self, ahead: usize) -> &Token<'t> {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].0
    }

    fn run(&mut self) {
        loop {
            let (token, span) = self.tokens[self.at].clone();
            if token == Token::End || self.diagnostics.len() >= MOST_MISTAKES {
                return self.end(span);
            }
            self.at += 1;
            if self.operand.is_some() {
                self.after_operand(token, span);
            } else {
                self.before_operand(token, span);
            }
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    // --- Where an operand is expected ---

    fn before_operand(&mut self, token: Token<'t>, span: Span) {
        match token {
            Token::Open => self.open(span, false, None),
            Token::Not => self.frames.push(OpenConstruct::Prefix(Prefix::Not, span)),
            Token::Path(op) => {
                let prefix = self.bounded(None, op).unwrap_or(Prefix::Path(op));
                self.frames.push(OpenConstruct::Prefix(prefix, span));
            }
            Token::Quantified(quantifier, op) => {
                let prefix = self.bounded(Some(quantifier), op).unwrap_or(Prefix::Quantified(quantifier, op));
                self.frames.push(OpenConstruct::Prefix(prefix, span));
            }
            Token::Quantifier(quantifier) => self.quantifier(quantifier, span),
            Token::Modal(modality, action) => self.modal(modality, action, span),
            Token::Coalition(coalition) => self.coalition(coalition, span),
            Token::Binder(binder) => self.binder(binder, span),
            Token::True => self.set_operand(Node::True, span),
            Token::False => self.set_operand(Node::False, span),
            Token::Word(word) => self.word(word, span),
            Token::Quoted(text) => self.atom(text, true, span),
            Token::Placeholder(text) => self.atom(text, false, span),
            other => self.missing_operand(&other, span),
        }
    }

    fn set_operand(&mut self, node: Node, span: Span) {
        self.tree.push((node, span));
        self.operand = Some(self.tree.len() - 1);
    }

    fn open(&mut self, opened: Span, square: bool, quantifier: Option<Quantifier>) {
        self.frames.push(OpenConstruct::Group(Group { opened, square, quantifier, left: None }));
    }

    /// `A` and `E`: before a bracket in CTL, before any path formula in CTL*.
    fn quantifier(&mut self, quantifier: Quantifier, span: Span) {
        let square = *self.peek(0) == Token::SquareOpen;
        let opens = square || *self.peek(0) == Token::Open;
        if self.logic == Logic::Ctl {
            if opens {
                self.at += 1;
                return self.open(span, square, Some(quantifier));
            }
            self.report(hints::quantifier_without_bracket(quantifier, span));
            return;
        }
        self.frames.push(OpenConstruct::Prefix(Prefix::Quantifier(quantifier), span));
        self.square_group();
    }

    fn modal(&mut self, modality: Modality, action: Option<&'t str>, span: Span) {
        let action = action.map(|name| {
            let id = self.builder.action(name);
            if id.index() == self.action_spans.len() {
                self.action_spans.push(span);
            }
            id
        });
        self.frames.push(OpenConstruct::Prefix(Prefix::Modal(modality, action), span));
    }

    /// `<<P>>` before a path formula, which may stand in square brackets.
    fn coalition(&mut self, coalition: Coalition, span: Span) {
        let id = self.builder.coalition(coalition);
        if id.index() == self.coalition_spans.len() {
            self.coalition_spans.push(span);
        }
        self.frames.push(OpenConstruct::Prefix(Prefix::Coalition(id), span));
        self.square_group();
    }

    /// A square bracket that only groups.
    fn square_group(&mut self) {
        if *self.peek(0) == Token::SquareOpen {
            let opened = self.tokens[self.at].1;
            self.at += 1;
            self.open(opened, true, None);
        }
    }

    fn binder(&mut self, binder: Binder, span: Span) {
        let Token::Word(name) = *self.peek(0) else {
            return self.report(hints::binder_without_variable(self.tokens[self.at].1));
        };
        self.at += 1;
        if *self.peek(0) == Token::Dot {
            self.at += 1;
        } else {
            self.report(hints::binder_without_dot(name, self.tokens[self.at].1));
        }
        let variable = self.builder.fresh_variable(name);
        self.scopes.entry(name).or_default().push(variable);
        self.frames.push(OpenConstruct::Binder(binder, variable, span));
    }

    /// A name: a fixpoint variable in scope, a lattice constant, `x = 3`, or an atom.
    fn word(&mut self, word: &'t str, span: Span) {
        if *self.peek(0) == Token::Equals {
            return self.comparison(word, span);
        }
        if let Some(&variable) = self.scopes.get(word).and_then(|variables| variables.last()) {
            return self.set_operand(Node::Var(variable), span);
        }
        if self.elements.iter().any(|element| element == word) {
            let node = self.builder.element(word);
            let Node::Element(id) = self.builder.node(node) else { unreachable!("an element's node is an element") };
            if id.index() == self.element_spans.len() {
                self.element_spans.push(span);
            }
            return self.set_operand(Node::Element(id), span);
        }
        self.atom(word.to_owned(), false, span);
    }

    fn comparison(&mut self, name: &str, span: Span) {
        self.at += 1;
        let (value, value_span) = self.tokens[self.at].clone();
        let text = match value {
            Token::Word(word) => word,
            Token::Number(number) => number,
            Token::True => "true",
            Token::False => "false",
            _ => {
                self.report(hints::no_value(name, value_span));
                return self.atom(name.to_owned(), false, span);
            }
        };
        self.at += 1;
        self.atom(format!("{name}={text}"), false, span.to(value_span));
    }

    fn atom(&mut self, text: String, quoted: bool, span: Span) {
        // A name means the same with and without quotes, so the text alone identifies an atom.
        let node = match self.atoms.get(&text) {
            Some(&node) => node,
            None => {
                let node = self.builder.atom(Atom { text: text.clone(), quoted });
                self.atoms.insert(text, node);
                self.atom_spans.push(span);
                node
            }
        };
        self.set_operand(self.builder.node(node), span);
    }

    fn missing_operand(&mut self, token: &Token<'t>, span: Span) {
        self.report(hints::missing_operand(token, span, self.logic));
        match token {
            // The mistake is what is missing before this token; it itself can still be used.
            Token::Infix(_) | Token::Close | Token::SquareClose => {
                self.set_operand(Node::True, span);
                self.after_operand(token.clone(), span);
            }
            Token::Number(_) => self.set_operand(Node::True, span),
            _ => {}
        }
    }

    // --- Where a connective or an end is expected ---

    fn after_operand(&mut self, token: Token<'t>, span: Span) {
        match token {
            Token::Infix(infix) if infix.is_temporal() && self.logic == Logic::Ctl => self.ctl_temporal(infix, span),
            Token::Infix(infix) => self.infix(infix),
            Token::Close => self.close(false, span),
            Token::SquareClose => self.close(true, span),
            other => self.missing_connective(other, span),
        }
    }

    fn infix(&mut self, infix: Infix) {
        let needed = infix.strength() + u8::from(infix.groups_right());
        self.reduce_while(|strength| strength >= needed);
        if let Some(left) = self.operand.take() {
            self.frames.push(OpenConstruct::Infix(infix, left));
        }
    }

    /// `U` and its kin in CTL: only once, and directly inside `A[…]` or `E[…]`.
    fn ctl_temporal(&mut self, infix: Infix, span: Span) {
        self.reduce_while(|_| true);
        let operand = self.operand.take();
        match self.frames.last_mut() {
            Some(OpenConstruct::Group(group)) if group.quantifier.is_some() && group.left.is_none() => {
                group.left = operand.map(|operand| (infix, operand));
            }
            _ => self.report(hints::temporal_outside_quantifier(span)),
        }
    }

    fn close(&mut self, square: bool, span: Span) {
        self.reduce_while(|_| true);
        match self.frames.pop() {
            Some(OpenConstruct::Group(group)) => {
                if group.square != square {
                    self.report(hints::wrong_closer(group.opened, group.square, span));
                }
                self.end_group(&group, span);
            }
            Some(frame) => self.frames.push(frame),
            None => self.report(hints::unmatched_closer(square, span)),
        }
    }

    fn end_group(&mut self, group: &Group, span: Span) {
        let Some(quantifier) = group.quantifier else { return };
        let whole = group.opened.to(span);
        let (Some((infix, left)), Some(right)) = (group.left, self.operand.take()) else {
            self.report(hints::quantifier_without_until(whole));
            return self.set_operand(Node::True, whole);
        };
        self.set_operand(infix_node(infix, left, right), whole);
        let path = NodeId::new(self.tree.len() - 1);
        self.set_operand(quantifier_node(quantifier, path), whole);
    }

    fn missing_connective(&mut self, token: Token<'t>, span: Span) {
        let before = self.operand.map(|operand| self.tree[operand]);
        let word = before.and_then(|(node, _)| match node {
            Node::Atom(_) => self.builder_atom_text(node),
            _ => None,
        });
        self.report(hints::missing_connective(word, &token, span, self.logic));
        if let Some((node, before_span)) = before {
            // A foreign word such as `F` before an operand was meant as an operator: read on behind it.
            let foreign = word.is_some_and(|word| hints::is_foreign_operator(self.logic, word));
            if foreign && matches!(node, Node::Atom(_)) && before_span.end <= span.start {
                self.operand = None;
                return self.before_operand(token, span);
            }
        }
        match token {
            Token::Word(word) if hints::is_foreign_operator(self.logic, word) => self.infix(Infix::And),
            Token::Foreign(_) | Token::Equals | Token::Dot | Token::Number(_) => {}
            other => {
                self.infix(Infix::And);
                self.before_operand(other, span);
            }
        }
    }

    fn builder_atom_text(&self, node: Node) -> Option<&'t str> {
        // The token before the current one is the atom, if it was a plain name.
        let previous = self.at.checked_sub(2)?;
        match (&self.tokens[previous].0, node) {
            (Token::Word(word), Node::Atom(_)) => Some(word),
            _ => None,
        }
    }

    // --- Completing what was begun ---

    /// Completes operators on top of the stack while their strength passes the test; groups stop it.
    fn reduce_while(&mut self, passes: impl Fn(u8) -> bool) {
        while let (Some(operand), Some(frame)) = (self.operand, self.frames.last()) {
            let span = self.tree[operand].1;
            let right = NodeId::new(operand);
            let (strength, node, from) = match *frame {
                OpenConstruct::Prefix(prefix, from) => (UNARY, self.prefix_node(prefix, right), from),
                OpenConstruct::Infix(infix, left) => {
                    (infix.strength(), infix_node(infix, left, operand), self.tree[left].1)
                }
                OpenConstruct::Binder(binder, variable, from) => (0, binder_node(binder, variable, right), from),
                OpenConstruct::Group(_) => return,
            };
            if !passes(strength) {
                return;
            }
            if let Some(OpenConstruct::Binder(_, variable, _)) = self.frames.pop() {
                self.leave_scope(variable);
            }
            self.set_operand(node, from.to(span));
        }
    }

    fn leave_scope(&mut self, variable: VarId) {
        let name = self.builder.variable_name(variable);
        if let Some(variables) = self.scopes.get_mut(name) {
            variables.pop();
        }
    }

    fn prefix_node(&mut self, prefix: Prefix, operand: NodeId) -> Node {
        match prefix {
            Prefix::Not => Node::Not(operand),
            Prefix::Path(op) => path_node(op, operand),
            Prefix::Bounded(quantifier, op, lo, hi) => self.bounded_node(quantifier, op, (lo, hi), operand),
            Prefix::Quantifier(quantifier) => quantifier_node(quantifier, operand),
            Prefix::Coalition(coalition) => Node::Coalition(coalition, operand),
            Prefix::Modal(Modality::Diamond, action) => Node::Diamond(action, operand),
            Prefix::Modal(Modality::Box, action) => Node::Box(action, operand),
            Prefix::Quantified(quantifier, op) => {
                let span = self.tree[operand.index()].1;
                self.tree.push((path_node(op, operand), span));
                quantifier_node(quantifier, NodeId::new(self.tree.len() - 1))
            }
        }
    }

    fn end(&mut self, span: Span) {
        if self.diagnostics.len() >= MOST_MISTAKES {
            return;
        }
        if self.operand.is_none() {
            let diagnostic = if self.tokens.len() == 1 {
                Diagnostic::error("E0100", "the formula is empty").at(span, "nothing here")
            } else {
                hints::missing_operand(&Token::End, span, self.logic)
            };
            self.report(diagnostic);
            return;
        }
        self.reduce_while(|_| true);
        let open: Vec<_> = self
            .frames
            .iter()
            .filter_map(|frame| match frame {
                OpenConstruct::Group(group) => Some((group.opened, group.square)),
                _ => None,
            })
            .collect();
        if let Some(&(opened, square)) = open.last() {
            self.report(hints::unclosed(opened, square, open.len(), span));
        }
    }

    fn finish(mut self) -> Attempt {
        if self.diagnostics.is_empty() {
            self.diagnostics = super::scope::check(&self.tree, self.logic, &self.builder);
        }
        self.check_size_of_bounds();
        let formula = match self.operand {
            Some(root) if self.diagnostics.is_empty() => Some(self.share(root)),
            _ => None,
        };
        Attempt {
            formula,
            atom_spans: self.atom_spans,
            element_spans: self.element_spans,
            action_spans: self.action_spans,
            coalition_spans: self.coalition_spans,
            diagnostics: self.diagnostics,
        }
    }

    /// The tree as a formula, in which equal parts are one node.
    fn share(&mut self, root: usize) -> Formula {
        let mut shared: Vec<NodeId> = Vec::with_capacity(self.tree.len());
        for &(node, _) in &self.tree {
            let id = self.builder.add(node.map_children(|child| shared[child.index()]));
            shared.push(id);
        }
        self.builder.finish(shared[root], self.logic)
    }
}
