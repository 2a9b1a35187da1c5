//! Which equivalent formula of linear time gives the smaller automaton?
//!
//! In positive normal form `p` and `!p` are two independent atoms, so a formula is a negation-free one over
//! twice as many atoms, and every classical law without negation holds. Used here: laws of suffix-closed
//! formulas (eventual ones are never spoilt by a longer past, universal ones never by a shorter future),
//! implication found by syntax, and merging of operators.
//!
//! Not here: laws with negation. `p | !p` stays what it is.

use std::collections::HashMap;

use crate::formula::{Formula, FormulaBuilder, Node, NodeId};

/// Operators deeper than this inside a newly merged formula are not merged further.
const DEEPEST: u32 = 100;
/// Implication is looked for to this depth.
const IMPLICATION_DEPTH: u32 = 8;
/// And given up after this many comparisons.
const IMPLICATION_WORK: u32 = 2000;
/// Longer conjunctions and disjunctions are not searched for pairs.
const LONGEST_LIST: usize = 48;

/// An equivalent formula for translation. `formula` must be of LTL in positive normal form.
#[must_use]
pub(crate) fn rewrite(formula: &Formula) -> Formula {
    let mut rewriter =
        Rewriter { builder: formula.to_builder(), kinds: Vec::new(), known: HashMap::new(), depth: 0, work: 0 };
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for id in formula.node_ids() {
        let node = formula.node(id).map_children(|operand| made[operand.index()]);
        made.push(rewriter.add(node));
    }
    rewriter.builder.finish(made[formula.root().index()], formula.logic())
}

/// Whether a formula's words are closed under longer pasts (eventual) and shorter ones (universal).
#[derive(Clone, Copy, Default)]
struct WordClosure {
    eventual: bool,
    universal: bool,
}

struct Rewriter {
    builder: FormulaBuilder,
    kinds: Vec<WordClosure>,
    known: HashMap<(NodeId, NodeId), bool>,
    depth: u32,
    /// Comparisons made for the present implication.
    work: u32,
}

impl Rewriter {
    fn node(&self, id: NodeId) -> Node {
        self.builder.node(id)
    }

    fn raw(&mut self, node: Node) -> NodeId {
        self.builder.add(node)
    }

    fn constant(&mut self, value: bool) -> NodeId {
        self.raw(if value { Node::True } else { Node::False })
    }

    fn is(&self, id: NodeId, value: bool) -> bool {
        self.node(id) == if value { Node::True } else { Node::False }
    }

    fn is_constant(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::True | Node::False)
    }

    fn add(&mut self, node: Node) -> NodeId {
        if self.depth >= DEEPEST {
            return self.raw(node);
        }
        self.depth += 1;
        let made = match node {
            Node::Next(a) => self.next(a),
            Node::Finally(a) => self.eventually(a, true),
            Node::Globally(a) => self.eventually(a, false),
            Node::Until(a, b) => self.until(a, b, true),
            Node::Release(a, b) => self.until(a, b, false),
            Node::And(a, b) => self.list(vec![a, b], true),
            Node::Or(a, b) => self.list(vec![a, b], false),
            other => self.raw(other),
        };
        self.depth -= 1;
        made
    }

    // --- Kinds ---

    fn kind(&mut self, id: NodeId) -> WordClosure {
        // Operands have smaller ids, so filling up from below always finds them.
        while self.kinds.len() <= id.index() {
            let node = self.node(NodeId::new(self.kinds.len()));
            let kind = self.kind_of(node);
            self.kinds.push(kind);
        }
        self.kinds[id.index()]
    }

    fn kind_of(&self, node: Node) -> WordClosure {
        let of = |id: NodeId| self.kinds[id.index()];
        match node {
            Node::True | Node::False => WordClosure { eventual: true, universal: true },
            Node::Next(a) => of(a),
            Node::Finally(a) => WordClosure { eventual: true, universal: of(a).universal },
            Node::Globally(a) => WordClosure { eventual: of(a).eventual, universal: true },
            Node::And(a, b) | Node::Or(a, b) => WordClosure {
                eventual: of(a).eventual && of(b).eventual,
                universal: of(a).universal && of(b).universal,
            },
            Node::Until(a, b) => {
                WordClosure { eventual: of(b).eventual, universal: of(a).universal && of(b).universal }
            }
            Node::Release(a, b) => {
                WordClosure { eventual: of(a).eventual && of(b).eventual, universal: of(b).universal }
            }
            _ => WordClosure::default(),
        }
    }

    /// Whether it says the same at every position of a word.
    fn is_suspendable(&mut self, id: NodeId) -> bool {
        let kind = self.kind(id);
        kind.eventual && kind.universal
    }

    // --- Temporal operators ---

    fn next(&mut self, a: NodeId) -> NodeId {
        if self.is_suspendable(a) { a } else { self.raw(Node::Next(a)) }
    }

    /// `F a`, or `G a` by duality.
    fn eventually(&mut self, a: NodeId, finally: bool) -> NodeId {
        let wrap = |a: NodeId| if finally { Node::Finally(a) } else { Node::Globally(a) };
        let kind = self.kind(a);
        if if finally { kind.eventual } else { kind.universal } {
            return a;
        }
        match self.node(a) {
            Node::Next(inner) => {
                let inner = self.add(wrap(inner));
                return self.add(Node::Next(inner));
            }
            Node::Until(_, b) if finally => return self.add(wrap(b)),
            Node::Release(_, b) if !finally => return self.add(wrap(b)),
            _ => {}
        }
        // F (x | e) = F x | e for eventual e; F (x & s) = F x & s for suspendable s; dually for G.
        for conjunction in [!finally, finally] {
            let parts = self.parts(a, conjunction);
            if parts.len() < 2 || parts.len() > LONGEST_LIST {
                continue;
            }
            let same_way = conjunction != finally;
            let (out, inside): (Vec<NodeId>, Vec<NodeId>) = parts.into_iter().partition(|&part| {
                let kind = self.kind(part);
                (kind.eventual || !finally && same_way) && (kind.universal || finally && same_way)
            });
            if !out.is_empty() && !inside.is_empty() {
                let inside = self.list(inside, conjunction);
                let wrapped = self.add(wrap(inside));
                return self.list([out, vec![wrapped]].concat(), conjunction);
            }
            if same_way {
                let bare: Vec<NodeId> = inside.iter().map(|&part| self.without_until(part, finally)).collect();
                if bare != inside {
                    let bare = self.list(bare, conjunction);
                    return self.add(wrap(bare));
                }
            }
        }
        self.raw(wrap(a))
    }

    /// Inside `F`, `a U b` and `b` mean the same; dually inside `G`.
    fn without_until(&self, part: NodeId, finally: bool) -> NodeId {
        match self.node(part) {
            Node::Until(_, b) if finally => b,
            Node::Release(_, b) if !finally => b,
            _ => part,
        }
    }

    /// `a U b`, or `a R b` by duality.
    fn until(&mut self, a: NodeId, b: NodeId, until: bool) -> NodeId {
        let wrap = |a: NodeId, b: NodeId| if until { Node::Until(a, b) } else { Node::Release(a, b) };
        let kind = self.kind(b);
        let closed = if until { kind.eventual } else { kind.universal };
        let absorbed = if until { self.implies(a, b) } else { self.implies(b, a) };
        if closed || absorbed || self.is_constant(b) {
            return b;
        }
        if self.is(a, until) {
            return self.add(if until { Node::Finally(b) } else { Node::Globally(b) });
        }
        match (self.node(a), self.node(b)) {
            (Node::Next(a), Node::Next(b)) => {
                let inner = self.add(wrap(a, b));
                return self.add(Node::Next(inner));
            }
            (_, Node::Until(c, _)) if until && self.implies(a, c) => return b,
            (_, Node::Release(c, _)) if !until && self.implies(c, a) => return b,
            _ => {}
        }
        self.until_with_parts(a, b, until)
    }

    fn until_with_parts(&mut self, a: NodeId, b: NodeId, until: bool) -> NodeId {
        let wrap = |a: NodeId, b: NodeId| if until { Node::Until(a, b) } else { Node::Release(a, b) };
        for conjunction in [!until, until] {
            let parts = self.parts(b, conjunction);
            if parts.len() < 2 || parts.len() > LONGEST_LIST {
                continue;
            }
            let same_way = conjunction != until;
            let (out, inside): (Vec<NodeId>, Vec<NodeId>) = parts.into_iter().partition(|&part| {
                let kind = self.kind(part);
                (kind.eventual || !until && same_way) && (kind.universal || until && same_way)
            });
            if !out.is_empty() && !inside.is_empty() {
                let inside = self.list(inside, conjunction);
                let wrapped = self.add(wrap(a, inside));
                return self.list([out, vec![wrapped]].concat(), conjunction);
            }
        }
        // (x | y) U b = x U b if y implies b; dually for R.
        let parts = self.parts(a, !until);
        if parts.len() > 1 && parts.len() <= LONGEST_LIST {
            let kept: Vec<NodeId> = parts
                .iter()
                .copied()
                .filter(|&part| !if until { self.implies(part, b) } else { self.implies(b, part) })
                .collect();
            if kept.len() < parts.len() {
                let kept = self.list(kept, !until);
                return self.add(wrap(kept, b));
            }
        }
        self.raw(wrap(a, b))
    }

    // --- Conjunctions and disjunctions ---

    /// The parts of a conjunction or disjunction, sorted; more than [`LONGEST_LIST`] only tell their number.
    fn parts(&self, id: NodeId, conjunction: bool) -> Vec<NodeId> {
        let mut parts = Vec::new();
        let mut todo = vec![id];
        while let Some(id) = todo.pop() {
            match self.node(id) {
                Node::And(a, b) if conjunction => todo.extend([a, b]),
                Node::Or(a, b) if !conjunction => todo.extend([a, b]),
                _ => parts.push(id),
            }
            if parts.len() > LONGEST_LIST {
                return vec![id; LONGEST_LIST + 1];
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// The conjunction or disjunction of these formulas.
    fn list(&mut self, formulas: Vec<NodeId>, conjunction: bool) -> NodeId {
        let combine = |a: NodeId, b: NodeId| if conjunction { Node::And(a, b) } else { Node::Or(a, b) };
        let mut parts: Vec<NodeId> = Vec::new();
        for &formula in &formulas {
            let inner = self.parts(formula, conjunction);
            if inner.len() > LONGEST_LIST {
                parts = formulas.clone();
                break;
            }
            parts.extend(inner);
        }
        parts.sort_unstable();
        parts.dedup();
        if parts.iter().any(|&part| self.is(part, !conjunction)) {
            return self.constant(!conjunction);
        }
        parts.retain(|&part| !self.is(part, conjunction));
        if parts.len() <= LONGEST_LIST {
            self.drop_implied(&mut parts, conjunction);
            if self.depth < DEEPEST {
                self.depth += 1;
                self.merge(&mut parts, conjunction);
                self.depth -= 1;
            }
        }
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return self.constant(conjunction) };
        parts.fold(first, |all, part| self.raw(combine(all, part)))
    }

    fn drop_implied(&mut self, parts: &mut Vec<NodeId>, conjunction: bool) {
        let mut at = 0;
        while at < parts.len() {
            let redundant = (0..parts.len()).any(|other| {
                let (stronger, weaker) =
                    if conjunction { (parts[other], parts[at]) } else { (parts[at], parts[other]) };
                other != at && self.implies(stronger, weaker)
            });
            if redundant {
                parts.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Merges parts in pairs as long as some law applies.
    fn merge(&mut self, parts: &mut Vec<NodeId>, conjunction: bool) {
        let mut at = 0;
        'parts: while at < parts.len() {
            for other in at + 1..parts.len() {
                if let Some(merged) = self.merged(parts[at], parts[other], conjunction) {
                    parts.remove(other);
                    parts.remove(at);
                    match self.parts(merged, conjunction) {
                        inner if inner.len() > LONGEST_LIST => parts.push(merged),
                        inner => parts.extend(inner),
                    }
                    parts.sort_unstable();
                    parts.dedup();
                    self.drop_implied(parts, conjunction);
                    at = 0;
                    continue 'parts;
                }
            }
            at += 1;
        }
    }

    fn merged(&mut self, a: NodeId, b: NodeId, conjunction: bool) -> Option<NodeId> {
        let both = |rewriter: &mut Self, a, b| rewriter.list(vec![a, b], conjunction);
        let node = match (self.node(a), self.node(b)) {
            (Node::Next(a), Node::Next(b)) => Node::Next(both(self, a, b)),
            (Node::Globally(a), Node::Globally(b)) if conjunction => Node::Globally(both(self, a, b)),
            (Node::Finally(a), Node::Finally(b)) if !conjunction => Node::Finally(both(self, a, b)),
            // F G a & F G b = F G (a & b), and G F a | G F b = G F (a | b).
            (Node::Finally(a), Node::Finally(b)) => match (self.node(a), self.node(b)) {
                (Node::Globally(_), Node::Globally(_)) => Node::Finally(both(self, a, b)),
                _ => return None,
            },
            (Node::Globally(a), Node::Globally(b)) => match (self.node(a), self.node(b)) {
                (Node::Finally(_), Node::Finally(_)) => Node::Globally(both(self, a, b)),
                _ => return None,
            },
            (Node::Until(a, goal), Node::Until(b, same)) if conjunction && goal == same => {
                Node::Until(both(self, a, b), goal)
            }
            (Node::Until(hold, a), Node::Until(same, b)) if !conjunction && hold == same => {
                Node::Until(hold, both(self, a, b))
            }
            (Node::Release(hold, a), Node::Release(same, b)) if conjunction && hold == same => {
                Node::Release(hold, both(self, a, b))
            }
            (Node::Release(a, goal), Node::Release(b, same)) if !conjunction && goal == same => {
                Node::Release(both(self, a, b), goal)
            }
            _ => return None,
        };
        Some(self.add(node))
    }

    // --- Implication ---

    /// Whether syntax shows that `a` implies `b`.
    fn implies(&mut self, a: NodeId, b: NodeId) -> bool {
        self.work = 0;
        self.implies_within(a, b, IMPLICATION_DEPTH)
    }

    fn implies_within(&mut self, a: NodeId, b: NodeId, depth: u32) -> bool {
        if a == b || self.is(a, false) || self.is(b, true) {
            return true;
        }
        self.work += 1;
        if depth == 0 || self.work > IMPLICATION_WORK || self.is(a, true) || self.is(b, false) {
            return false;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known;
        }
        let found = self.find_implication(a, b, depth - 1);
        // A failure at small depth may be a success at a larger one.
        if found || depth == IMPLICATION_DEPTH {
            self.known.insert((a, b), found);
        }
        found
    }

    fn find_implication(&mut self, a: NodeId, b: NodeId, depth: u32) -> bool {
        let (left, right) = (self.node(a), self.node(b));
        let mut implies = |a, b| self.implies_within(a, b, depth);
        let by_structure = match (left, right) {
            (_, Node::And(c, d)) => return implies(a, c) && implies(a, d),
            (Node::Or(c, d), _) => return implies(c, b) && implies(d, b),
            (Node::Next(c), Node::Next(d)) => implies(c, d),
            (Node::Until(c, d), Node::Until(e, f)) => implies(c, e) && implies(d, f),
            (Node::Release(c, d), Node::Release(e, f)) => implies(c, e) && implies(d, f),
            (Node::Finally(c), Node::Finally(d)) => implies(c, d),
            _ => false,
        };
        if by_structure {
            return true;
        }
        let from_left = match left {
            Node::And(c, d) => implies(c, b) || implies(d, b),
            Node::Globally(c) | Node::Release(_, c) => implies(c, b),
            Node::Until(c, d) => implies(c, b) && implies(d, b),
            _ => false,
        };
        let to_right = from_left
            || match right {
                Node::Or(c, d) => implies(a, c) || implies(a, d),
                Node::Finally(d) | Node::Until(_, d) => implies(a, d),
                Node::Release(c, d) => implies(a, c) && implies(a, d),
                _ => false,
            };
        to_right || self.implies_by_kind(a, b, depth)
    }

    /// A universal formula that implies `x` implies it for ever; an eventual one is implied by what comes later.
    fn implies_by_kind(&mut self, a: NodeId, b: NodeId, depth: u32) -> bool {
        let (universal, eventual) = (self.kind(a).universal, self.kind(b).eventual);
        let for_ever = match self.node(b) {
            Node::Globally(x) | Node::Release(_, x) | Node::Next(x) if universal => self.implies_within(a, x, depth),
            _ => false,
        };
        for_ever
            || match self.node(a) {
                Node::Finally(x) | Node::Until(_, x) | Node::Next(x) if eventual => self.implies_within(x, b, depth),
                _ => false,
            }
    }
}
