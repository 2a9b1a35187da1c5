//! Which formula of the mu-calculus says the same as one about coalitions?
//!
//! On turn-based structures a coalition's next step is a *controllable predecessor* (Alur, Henzinger and Kupferman 2002): "some step" where the state belongs to one of its players, "every step" elsewhere. Whose turn
//! it is, is a label that every state has for certain ([`owner_atom`]), so the formula `(own & EX a) | (!own & AX a)` has the values of a partial game: the coalition's moves are certain and the others' possible for true, the
//! other way round for false (de Alfaro, Godefroid and Jagadeesan 2004). Since such games are determined, `[[P]]` is what all others can enforce.
//!
//! Operators of ATL are fixpoints of that predecessor. Other path formulas become a deterministic parity automaton that reads labels along the play (the game is one of perfect information with memory); its states become nested fixpoints, greatest ones for
//! even priorities. The automaton's letters are sets of literals that have evidence, and more evidence is never worse, so a letter is tested by a conjunction of literals. Large automata have no form.

use std::collections::BTreeMap;

use tertium_base::Budget;

use crate::automata::{Determiniser, Literal};
use crate::coalition::{Coalition, Players};
use crate::formula::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};

/// What the text of an atom begins with that says whose turn it is.
pub const OWNER_PREFIX: &str = "owner in ";

/// A form with more fixpoints is given up.
const MOST_FIXPOINTS: usize = 256;
/// Automata that test more literals are given up: every set of them is a letter.
const MOST_LITERALS: usize = 8;
/// Looks at its budget that the translation into an automaton may take.
const MOST_EFFORT: u64 = 20_000;

/// The text of the atom that is true where one of these players has the turn.
#[must_use]
pub fn owner_atom(players: &Players) -> String {
    format!("{OWNER_PREFIX}{{{}}}", players.text())
}

/// A formula of ATL or ATL* as one of the mu-calculus over the structure's labels and owners; `None` if it would be large, or if it is of another logic.
#[must_use]
pub fn coalition_form(formula: &Formula) -> Option<Formula> {
    if !formula.logic().is_strategic() {
        return None;
    }
    let mut writer = Writer { formula, builder: formula.to_builder(), made: Vec::new(), names: 0 };
    for id in formula.node_ids() {
        let made = writer.state_formula(formula.node(id))?;
        writer.made.push(made);
    }
    let root = writer.made[formula.root().index()]?;
    Some(writer.builder.finish(root, Logic::Mu))
}

/// At which states the coalition moves.
#[derive(Clone, Copy)]
enum Movers {
    Everywhere,
    Nowhere,
    /// Where the first formula holds; where the second does not.
    Where(NodeId, NodeId),
}

struct Writer<'f> {
    formula: &'f Formula,
    builder: FormulaBuilder,
    /// By node, its form if it is about states.
    made: Vec<Option<NodeId>>,
    names: usize,
}

impl Writer<'_> {
    /// The form of a node, none if it is about paths. The outer `None`: it would be large.
    fn state_formula(&mut self, node: Node) -> Option<Option<NodeId>> {
        let (movers, path) = match node {
            Node::All(path) => (Movers::Nowhere, path),
            Node::Exists(path) => (Movers::Everywhere, path),
            Node::Coalition(id, path) => {
                let coalition = self.formula.coalitions()[id.index()].clone();
                (self.movers(&coalition), path)
            }
            Node::Diamond(..) | Node::Box(..) | Node::Mu(..) | Node::Nu(..) | Node::Var(_) => return None,
            _ if node.is_path_operator() => return Some(None),
            _ => {
                let known = node.children().all(|operand| self.made[operand.index()].is_some());
                let of = |operand: NodeId| self.made[operand.index()].unwrap_or(operand);
                return Some(known.then(|| self.builder.add(node.map_children(of))));
            }
        };
        self.enforced(movers, path).map(Some)
    }

    fn movers(&mut self, coalition: &Coalition) -> Movers {
        match &coalition.players {
            Players::All if coalition.cannot_avoid => Movers::Nowhere,
            Players::All => Movers::Everywhere,
            Players::Named(names) if names.is_empty() && coalition.cannot_avoid => Movers::Everywhere,
            Players::Named(names) if names.is_empty() => Movers::Nowhere,
            players @ Players::Named(_) => {
                let own = self.builder.atom(Atom { text: owner_atom(players), quoted: true });
                let other = self.builder.add(Node::Not(own));
                if coalition.cannot_avoid { Movers::Where(other, own) } else { Movers::Where(own, other) }
            }
        }
    }

    /// The controllable predecessor.
    fn before(&mut self, movers: Movers, a: NodeId) -> NodeId {
        match movers {
            Movers::Everywhere => self.builder.add(Node::Diamond(None, a)),
            Movers::Nowhere => self.builder.add(Node::Box(None, a)),
            Movers::Where(own, other) => {
                let (some, every) = (self.builder.add(Node::Diamond(None, a)), self.builder.add(Node::Box(None, a)));
                let (chosen, suffered) =
                    (self.builder.add(Node::And(own, some)), self.builder.add(Node::And(other, every)));
                self.builder.add(Node::Or(chosen, suffered))
            }
        }
    }

    /// That the movers can enforce a path formula.
    fn enforced(&mut self, movers: Movers, path: NodeId) -> Option<NodeId> {
        if let Some(state) = self.made[path.index()] {
            return Some(state);
        }
        let of = |operand: NodeId| self.made[operand.index()];
        let (a, b, least) = match self.formula.node(path) {
            Node::Next(a) if of(a).is_some() => {
                let a = of(a)?;
                return Some(self.before(movers, a));
            }
            Node::Finally(a) => (None, of(a), true),
            Node::Globally(a) => (None, of(a), false),
            Node::Until(a, b) if of(a).is_some() => (of(a), of(b), true),
            Node::WeakUntil(a, b) if of(a).is_some() => (of(a), of(b), false),
            Node::Release(a, b) if of(a).is_some() => (of(a), of(b), false),
            Node::StrongRelease(a, b) if of(a).is_some() => (of(a), of(b), true),
            _ => (None, None, false),
        };
        let Some(b) = b else { return self.by_automaton(movers, path) };
        let waits = matches!(self.formula.node(path), Node::Finally(_) | Node::Until(..) | Node::WeakUntil(..));
        Some(self.fixpoint(movers, (a, b), least, waits))
    }

    /// `b | (a & before Z)` if it `waits` for b, else `b & (a | before Z)`; without `a`, that is always, or never, so.
    fn fixpoint(&mut self, movers: Movers, (a, b): (Option<NodeId>, NodeId), least: bool, waits: bool) -> NodeId {
        let variable = self.variable();
        let again = self.builder.add(Node::Var(variable));
        let step = self.before(movers, again);
        let step = match a {
            None => step,
            Some(a) if waits => self.builder.add(Node::And(a, step)),
            Some(a) => self.builder.add(Node::Or(a, step)),
        };
        let body = self.builder.add(if waits { Node::Or(b, step) } else { Node::And(b, step) });
        self.builder.add(if least { Node::Mu(variable, body) } else { Node::Nu(variable, body) })
    }

    fn variable(&mut self) -> VarId {
        loop {
            let name = format!("Z{}", self.names);
            self.names += 1;
            if !self.builder.knows_name(&name) {
                return self.builder.fresh_variable(&name);
            }
        }
    }

    fn by_automaton(&mut self, movers: Movers, path: NodeId) -> Option<NodeId> {
        let (linear, standing) = self.linear(path);
        let budget = Budget::unlimited().with_effort(Some(MOST_EFFORT));
        let automaton = Determiniser::new(&linear, false, &budget).ok()?;
        if automaton.literals().len() > MOST_LITERALS {
            return None;
        }
        let mut unfolding = Unfolding { writer: self, automaton, standing: &standing, movers, opened: 0 };
        let initial = unfolding.automaton.initial();
        unfolding.place((initial, 0), &[])
    }

    /// A path formula over atoms that stand for its parts about states, and what those stand for.
    fn linear(&self, path: NodeId) -> (Formula, Vec<NodeId>) {
        let mut builder = FormulaBuilder::new();
        let (mut made, mut standing) = (Vec::new(), Vec::new());
        for id in self.formula.node_ids().take(path.index() + 1) {
            let node = match self.made[id.index()] {
                Some(form) => {
                    standing.push(form);
                    builder.atom(Atom { text: format!("{}", standing.len() - 1), quoted: true })
                }
                None => builder.add(self.formula.node(id).map_children(|child: NodeId| made[child.index()])),
            };
            made.push(node);
        }
        (builder.finish(made[path.index()], Logic::Ltl), standing)
    }
}

/// A state of the automaton, and the priority of the step into it.
type Place = (usize, u32);

/// A deterministic automaton that becomes fixpoints.
struct Unfolding<'w, 'f> {
    writer: &'w mut Writer<'f>,
    automaton: Determiniser,
    standing: &'w [NodeId],
    movers: Movers,
    opened: usize,
}

impl Unfolding<'_, '_> {
    /// "The movers win from this place on"; places around it have variables. As deep as there are fixpoints, at most.
    fn place(&mut self, at: Place, around: &[(Place, VarId)]) -> Option<NodeId> {
        if let Some(&(_, variable)) = around.iter().find(|(place, _)| *place == at) {
            return Some(self.writer.builder.add(Node::Var(variable)));
        }
        self.opened += 1;
        if self.opened > MOST_FIXPOINTS {
            return None;
        }
        let variable = self.writer.variable();
        // Inside of a place, those of lesser priority begin anew: so the outermost fixpoint that is met again and again has the greatest priority.
        let mut inside: Vec<(Place, VarId)> = around.iter().copied().filter(|(place, _)| place.1 >= at.1).collect();
        inside.push((at, variable));
        let mut body = self.writer.builder.add(Node::False);
        for ((target, priority), letters) in self.steps(at.0) {
            let there = match self.automaton.decided(target) {
                Some(won) => self.writer.builder.add(if won { Node::True } else { Node::False }),
                None => {
                    let next = self.place((target, priority), &inside)?;
                    self.writer.before(self.movers, next)
                }
            };
            for letter in letters {
                let step = letter.iter().fold(there, |all, &literal| {
                    let test = self.test(literal);
                    self.writer.builder.add(Node::And(test, all))
                });
                body = self.writer.builder.add(Node::Or(body, step));
            }
        }
        let even = at.1.is_multiple_of(2);
        Some(self.writer.builder.add(if even { Node::Nu(variable, body) } else { Node::Mu(variable, body) }))
    }

    fn test(&mut self, literal: Literal) -> NodeId {
        let form = self.standing[literal.atom().index()];
        if literal.is_negative() { self.writer.builder.add(Node::Not(form)) } else { form }
    }

    /// Where each letter leads; of the letters that lead to one place only the smallest, for more evidence is never worse.
    fn steps(&mut self, state: usize) -> BTreeMap<Place, Vec<Vec<Literal>>> {
        let literals = self.automaton.literals().to_vec();
        let mut found: BTreeMap<Place, Vec<u32>> = BTreeMap::new();
        let mut letters: Vec<u32> = (0..1u32 << literals.len()).collect();
        letters.sort_by_key(|letter| letter.count_ones());
        for letter in letters {
            let has = |literal: Literal| {
                literals.iter().position(|&known| known == literal).is_some_and(|at| letter >> at & 1 == 1)
            };
            let place = self.automaton.successor(state, has);
            let smallest = found.entry(place).or_default();
            if smallest.iter().all(|&smaller| smaller & !letter != 0) {
                smallest.push(letter);
            }
        }
        let list =
            |letter: u32| (0..literals.len()).filter(|at| letter >> at & 1 == 1).map(|at| literals[at]).collect();
        found.into_iter().map(|(place, letters)| (place, letters.into_iter().map(list).collect())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    fn form(text: &str, logic: Logic) -> Option<String> {
        let parsed = parse(text, &ParseOptions::in_logic(logic));
        let formula = parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
        coalition_form(&formula).map(|form| form.to_string())
    }

    #[test]
    fn operators_of_atl_are_fixpoints_of_the_controllable_predecessor() {
        let own = "\"owner in {P}\"";
        assert_eq!(form("<<P>> F p", Logic::Atl).unwrap(), format!("mu Z0. p | ({own} & EX Z0 | !{own} & AX Z0)"));
        assert_eq!(form("[[P]] X p", Logic::Atl).unwrap(), format!("!{own} & EX p | {own} & AX p"));
        assert_eq!(form("<<>> G p", Logic::Atl).unwrap(), "nu Z0. p & AX Z0");
        assert_eq!(form("<<all>> (p U q)", Logic::Atl).unwrap(), "mu Z0. q | p & EX Z0");
        assert_eq!(form("<<>> (p R q)", Logic::Atl).unwrap(), "nu Z0. q & (p | AX Z0)");
        assert_eq!(form("A (p W q)", Logic::Atl).unwrap(), "nu Z0. q | p & AX Z0");
        assert_eq!(form("E (p M q)", Logic::Atl).unwrap(), "mu Z0. q & (p | EX Z0)");
    }

    #[test]
    fn path_formulas_have_one_unless_they_are_large() {
        for text in ["<<P>> G F p", "<<P, Q>> (F p & G q)", "[[P]] (G F p -> G F q)", "<<P>> X X <<Q>> F G p"] {
            assert!(form(text, Logic::AtlStar).is_some(), "{text}");
        }
        let many = (0..9).map(|at| format!("G F p{at}")).collect::<Vec<_>>().join(" & ");
        assert_eq!(form(&format!("<<P>> ({many})"), Logic::AtlStar), None);
        assert_eq!(form("AG p", Logic::Ctl), None);
    }
}
