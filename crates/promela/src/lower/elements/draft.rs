//! Elements and how they are joined: what one statement becomes, and which of them a block or an escape reaches.

use std::collections::BTreeMap;

use tertium_base::Span;

use crate::ast::{self, Declarator, LabelId, RefId, Stmt, VarRef};

/// A position in [`Draft::elements`].
pub type ElementId = usize;

/// What an element does.
#[derive(Clone, Debug)]
pub enum ElementKind<'a> {
    /// A single statement.
    Basic(Basic<'a>),
    /// `else`.
    Else,
    /// A jump to a label.
    Goto(LabelId),
    /// A jump to the end of a loop.
    Break(ElementId),
    /// Where the options of a choice meet, or a loop ends: goes on at once.
    Join,
    /// `if` or `do`: the first elements of the options, `else` last.
    Choice(Vec<ElementId>),
    /// A block: its first element.
    Block(ElementId),
    /// `atomic`: its first element.
    Atomic(ElementId),
    /// `d_step`: its first element.
    DStep(ElementId),
    /// `unless`: the first element of the body.
    Unless(ElementId),
    /// The end of the process.
    End,
}

/// A statement that is one step.
#[derive(Clone, Debug)]
pub enum Basic<'a> {
    /// As written.
    Plain(&'a Stmt),
    /// A declaration that sets a variable anew.
    Reset(&'a Declarator),
    /// Always possible, does nothing.
    Skip,
    /// The start of a loop or choice: `v = e`.
    Set(&'a VarRef, &'a ast::Expr),
    /// `v = n`.
    SetTo(&'a VarRef, i64),
    /// `v <= e` or `v < e`.
    Compare(ast::Binary, &'a VarRef, &'a ast::Expr),
    /// `v <= n`.
    AtMost(&'a VarRef, i64),
    /// `v = v + 1`.
    Next(&'a VarRef),
    /// The counter of a loop over a channel starts at 0.
    CounterStart(RefId, u32),
    /// The counter is less than the channel's length.
    CounterLess(RefId, u32, &'a VarRef),
    /// The counter grows.
    CounterNext(RefId, u32),
    /// The first message of a channel goes to a variable.
    Take(&'a VarRef, &'a VarRef),
    /// And back to the end of the channel.
    PutBack(&'a VarRef, &'a VarRef),
}

/// One statement in its place.
#[derive(Clone, Debug)]
pub struct Element<'a> {
    pub kind: ElementKind<'a>,
    /// What comes after it.
    pub next: ElementId,
    /// Inside an atomic block or `d_step`, and not its last.
    pub atom: bool,
    /// The last of an atomic block or `d_step`.
    pub last: bool,
    /// The `d_step` it belongs to.
    pub d_step: Option<ElementId>,
    /// The first elements of what escapes it, outermost first.
    pub escapes: Vec<ElementId>,
    pub end: bool,
    pub progress: bool,
    pub accept: bool,
    pub names: Vec<String>,
    pub span: Span,
}

impl Element<'_> {
    /// Whether it lies inside an atomic block or is its last.
    pub const fn in_block(&self) -> bool {
        self.atom || self.last
    }
}

/// The arranged statements of one unit.
#[derive(Clone, Debug, Default)]
pub struct Draft<'a> {
    pub elements: Vec<Element<'a>>,
    pub first: ElementId,
    pub labels: BTreeMap<LabelId, ElementId>,
    /// Loops that are open, innermost last: where `break` leads.
    pub(super) loops: Vec<ElementId>,
    pub(super) claim: bool,
}

impl<'a> Draft<'a> {
    pub fn add(&mut self, kind: ElementKind<'a>, next: ElementId, span: Span) -> ElementId {
        self.elements.push(Element {
            kind,
            next,
            atom: false,
            last: false,
            d_step: None,
            escapes: Vec::new(),
            end: false,
            progress: false,
            accept: false,
            names: Vec::new(),
            span,
        });
        self.elements.len() - 1
    }

    pub(super) fn choice(&mut self, options: Vec<ElementId>, join: ElementId, span: Span) -> ElementId {
        let id = self.add(ElementKind::Choice(Vec::new()), join, span);
        self.set_options(id, options);
        id
    }

    /// `else` is tried after all other options.
    pub(super) fn set_options(&mut self, id: ElementId, options: Vec<ElementId>) {
        let otherwise = |&option: &ElementId| matches!(self.elements[option].kind, ElementKind::Else);
        let (last, mut first): (Vec<ElementId>, Vec<ElementId>) = options.into_iter().partition(otherwise);
        first.extend(last);
        self.elements[id].kind = ElementKind::Choice(first);
    }

    /// Marks what was added since `start` as atomic; what goes on at `next` last is outside. Inner blocks are blocks.
    pub(super) fn make_atomic(&mut self, start: usize, id: ElementId, next: ElementId) {
        for at in start..self.elements.len() {
            if at != id {
                self.elements[at].atom = true;
                self.elements[at].last = false;
                if let ElementKind::Atomic(first) = self.elements[at].kind {
                    self.elements[at].kind = ElementKind::Block(first);
                }
            }
        }
        let ElementKind::Atomic(first) = self.elements[id].kind else { return };
        let last = self.last_of(first, next);
        if let Some(last) = last {
            self.elements[last].atom = false;
            self.elements[last].last = true;
        }
    }

    pub(super) fn make_deterministic(&mut self, start: usize, id: ElementId, next: ElementId) {
        for at in start..self.elements.len() {
            if at != id {
                self.elements[at].d_step = Some(id);
                self.elements[at].atom = true;
                self.elements[at].last = false;
                if let ElementKind::Atomic(first) | ElementKind::DStep(first) = self.elements[at].kind {
                    self.elements[at].kind = ElementKind::Block(first);
                }
            }
        }
        let ElementKind::DStep(first) = self.elements[id].kind else { return };
        let last = self.last_of(first, next);
        if let Some(last) = last {
            self.elements[last].atom = false;
            self.elements[last].last = true;
        }
    }

    /// The last element of the sequence from `first` on that goes on at `next`. A choice or loop ends with its join.
    fn last_of(&self, first: ElementId, next: ElementId) -> Option<ElementId> {
        let (mut at, mut before) = (first, None);
        // A sequence is a chain: choices go on at their joins, blocks at what follows them.
        for _ in 0..=self.elements.len() {
            if at == next {
                break;
            }
            before = Some(at);
            at = self.elements[at].next;
        }
        let last = before?;
        match self.elements[last].kind {
            ElementKind::Block(inner) | ElementKind::Atomic(inner) => self.last_of(inner, next).or(Some(last)),
            _ => Some(last),
        }
    }

    /// Everything added since `start` can be escaped from, also what inner escapes do, but nothing inside a `d_step`,
    /// which is one step; outer escapes come first.
    pub(super) fn attach_escape(&mut self, start: usize, escape: ElementId) {
        for element in self.elements[start..].iter_mut().filter(|element| element.d_step.is_none()) {
            element.escapes.insert(0, escape);
        }
    }

    /// The element that a jump leads to; none for other elements.
    pub fn jump(&self, id: ElementId) -> Option<ElementId> {
        match self.elements[id].kind {
            ElementKind::Goto(label) => self.labels.get(&label).copied(),
            ElementKind::Break(to) => Some(to),
            ElementKind::Join => Some(self.elements[id].next),
            _ => None,
        }
    }
}
