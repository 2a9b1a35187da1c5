//! What does a linear formula ask of paths for ever? Justice and compassion as sets, outside the automaton.
//!
//! `G F p` as a part of an automaton doubles its transitions with every further `p`. As a set that a fair path meets again and again it is one more
//! least fixpoint of Emerson and Lei (1986), and `G F p -> G F q` is one of strong fairness. Conjuncts of these forms are taken out of what a path is asked
//! for; the automaton is made for the rest. For CTL with fairness (Clarke, Emerson, Sistla 1986) nothing is left but one operator: `E (promise & X p)` is
//! `EX (p & fair)`, where `fair` are the states at which the promise can be kept.

use tertium_logic::{Formula, FormulaBuilder, Logic, Node, NodeId};

use super::evaluate::{Atoms, evaluate};
use super::structure::Structure;
use super::values::Pair;
use crate::EngineError;

/// A part of a formula, or its negation.
type Signed = (NodeId, bool);

/// A linear formula as the conjuncts that a path satisfies.
pub(super) struct Conjuncts<'f> {
    formula: &'f Formula,
    /// For each node whether it is about single states.
    about_states: Vec<bool>,
    /// Conditions that hold again and again.
    justice: Vec<Signed>,
    /// If the first holds again and again, so does the second.
    compassion: Vec<(Signed, Signed)>,
    /// Conditions that always hold.
    always: Vec<Signed>,
    /// Everything else.
    others: Vec<Signed>,
}

/// One operator of a path, under promises.
#[derive(Clone, Copy)]
pub(super) enum FairOperator {
    Next(Signed),
    Until(Option<Signed>, Signed),
}

impl<'f> Conjuncts<'f> {
    /// The conjuncts of a formula, or of its negation unless `positive`.
    pub fn of(formula: &'f Formula, positive: bool) -> Self {
        let mut about_states: Vec<bool> = Vec::with_capacity(formula.nodes().len());
        for &node in formula.nodes() {
            let plain = !node.is_path_operator() && !matches!(node, Node::Exists(_) | Node::All(_));
            about_states.push(plain && node.children().all(|child| about_states[child.index()]));
        }
        let mut found = Self {
            formula,
            about_states,
            justice: Vec::new(),
            compassion: Vec::new(),
            always: Vec::new(),
            others: Vec::new(),
        };
        let mut open = vec![(formula.root(), positive)];
        while let Some((id, positive)) = open.pop() {
            match (formula.node(id), positive) {
                (Node::Not(a), _) => open.push((a, !positive)),
                (Node::And(a, b), true) | (Node::Or(a, b), false) => open.extend([(b, positive), (a, positive)]),
                (Node::Implies(a, b), false) => open.extend([(b, false), (a, true)]),
                _ => found.note((id, positive)),
            }
        }
        found
    }

    fn note(&mut self, part: Signed) {
        if let Some(condition) = self.recurrent(part) {
            self.justice.push(condition);
        } else if let Some(pair) = self.compassionate(part) {
            self.compassion.push(pair);
        } else if let Some(condition) = self.permanent(part) {
            self.always.push(condition);
        } else {
            self.others.push(part);
        }
    }

    /// The condition of `G F p`, and of `!F G p`.
    fn recurrent(&self, (id, positive): Signed) -> Option<Signed> {
        let inner = match (self.formula.node(id), positive) {
            (Node::Globally(a), true) => self.formula.node(a),
            (Node::Finally(a), false) => self.formula.node(a),
            _ => return None,
        };
        match (inner, positive) {
            (Node::Finally(a), true) | (Node::Globally(a), false) => {
                self.about_states[a.index()].then_some((a, positive))
            }
            _ => None,
        }
    }

    fn compassionate(&self, (id, positive): Signed) -> Option<(Signed, Signed)> {
        let (Node::Implies(a, b), true) = (self.formula.node(id), positive) else { return None };
        self.recurrent((a, true)).zip(self.recurrent((b, true)))
    }

    /// The condition of `G p`, and of `!F p`.
    fn permanent(&self, (id, positive): Signed) -> Option<Signed> {
        match (self.formula.node(id), positive) {
            (Node::Globally(a), true) | (Node::Finally(a), false) => {
                self.about_states[a.index()].then_some((a, positive))
            }
            _ => None,
        }
    }

    /// Whether anything is asked for again and again.
    pub fn has_fairness(&self) -> bool {
        !self.justice.is_empty() || !self.compassion.is_empty()
    }

    /// The one operator that is left beside promises, if it is one of CTL over states.
    pub fn operator(&self) -> Option<FairOperator> {
        let &[(id, positive)] = self.others.as_slice() else { return None };
        let plain = |a: NodeId| self.about_states[a.index()];
        match (self.formula.node(id), positive) {
            (Node::Next(a), _) if plain(a) => Some(FairOperator::Next((a, positive))),
            (Node::Finally(a), true) | (Node::Globally(a), false) if plain(a) => {
                Some(FairOperator::Until(None, (a, positive)))
            }
            (Node::Until(a, b), true) | (Node::Release(a, b), false) if plain(a) && plain(b) => {
                Some(FairOperator::Until(Some((a, positive)), (b, positive)))
            }
            _ => None,
        }
    }

    /// What is promised and what is to be reached, if a path is asked for nothing else: formulas of the same atoms.
    pub fn reached_under_promise(&self) -> Option<(Formula, Formula)> {
        let Some(FairOperator::Until(None, goal)) = self.operator().filter(|_| self.always.is_empty()) else {
            return None;
        };
        let mut builder = self.formula.to_builder();
        let images: Vec<NodeId> = self.formula.node_ids().collect();
        let promise = self.promise(&mut builder, &images);
        let goal = signed(&mut builder, goal);
        Some((builder.finish(promise, Logic::Ltl), builder.finish(goal, Logic::Pml)))
    }

    /// What is promised, as one formula of a builder that has the nodes of this one as `images`.
    pub fn promise(&self, builder: &mut FormulaBuilder, images: &[NodeId]) -> NodeId {
        let image = |(id, positive): Signed| (images[id.index()], positive);
        let mut parts = Vec::new();
        for &part in &self.justice {
            parts.push(again(builder, image(part)));
        }
        for &(often, then) in &self.compassion {
            let (often, then) = (again(builder, image(often)), again(builder, image(then)));
            parts.push(builder.add(Node::Implies(often, then)));
        }
        for &part in &self.always {
            let condition = signed(builder, image(part));
            parts.push(builder.add(Node::Globally(condition)));
        }
        conjunction(builder, &parts)
    }

    /// What always holds, as one condition.
    pub fn condition(&self, builder: &mut FormulaBuilder, images: &[NodeId]) -> NodeId {
        let image = |(id, positive): Signed| (images[id.index()], positive);
        let parts: Vec<NodeId> = self.always.iter().map(|&part| signed(builder, image(part))).collect();
        conjunction(builder, &parts)
    }

    /// What is left for an automaton when justice and compassion are sets.
    pub fn rest(&self) -> Formula {
        let mut builder = self.formula.to_builder();
        let mut parts: Vec<NodeId> = self.others.iter().map(|&part| signed(&mut builder, part)).collect();
        for &part in &self.always {
            let condition = signed(&mut builder, part);
            parts.push(builder.add(Node::Globally(condition)));
        }
        let root = conjunction(&mut builder, &parts);
        builder.finish(root, Logic::Ltl)
    }

    /// The sets of justice, and the pairs of sets of compassion.
    pub fn sets(&self, structure: &Structure, atoms: &Atoms) -> Result<PromisedSets, EngineError> {
        let plain = Atoms { filters: Vec::new(), ..atoms.clone() };
        let value = |part: Signed| {
            let mut builder = self.formula.to_builder();
            let root = signed(&mut builder, part);
            evaluate(structure, &builder.finish(root, Logic::Pml), &plain, false)
        };
        let justice: Result<Vec<Pair>, EngineError> = self.justice.iter().map(|&part| value(part)).collect();
        let pair = |&(often, then): &(Signed, Signed)| Ok((value(often)?, value(then)?));
        let compassion: Result<Vec<(Pair, Pair)>, EngineError> = self.compassion.iter().map(pair).collect();
        Ok(PromisedSets { justice: justice?, compassion: compassion? })
    }
}

/// What a path meets for ever.
#[derive(Clone, Debug, Default)]
pub(super) struct PromisedSets {
    /// Sets that are met again and again.
    pub justice: Vec<Pair>,
    /// If the first is met again and again, so is the second.
    pub compassion: Vec<(Pair, Pair)>,
}

/// The nodes of a formula in the builder that it was made by.
pub(super) fn embed(builder: &mut FormulaBuilder, formula: &Formula) -> Vec<NodeId> {
    let mut images: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let image = builder.add(node.map_children(|child| images[child.index()]));
        images.push(image);
    }
    images
}

/// A part with its sign.
pub(super) fn signed(builder: &mut FormulaBuilder, (id, positive): Signed) -> NodeId {
    if positive { id } else { builder.add(Node::Not(id)) }
}

fn again(builder: &mut FormulaBuilder, part: Signed) -> NodeId {
    let condition = signed(builder, part);
    let eventually = builder.add(Node::Finally(condition));
    builder.add(Node::Globally(eventually))
}

fn conjunction(builder: &mut FormulaBuilder, parts: &[NodeId]) -> NodeId {
    let mut parts = parts.iter().copied();
    let Some(first) = parts.next() else { return builder.add(Node::True) };
    parts.fold(first, |all, part| builder.add(Node::And(all, part)))
}
