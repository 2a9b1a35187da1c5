//! Why is nothing bad ever reached? Because the abstract states contain every beginning, no step leads out of them, and none of them
//! is bad.

use std::collections::HashMap;

use tertium_base::narrow::to_u32;
use tertium_logic::{Formula, Node, NodeId};
use tertium_program::ExprId;

use super::Goal;
use super::machine::NoTerm;
use super::proof_obligations::{Expected, Group, Obligation, ProofObligations, one_line};
use super::steps::{StepPath, Wrong};
use super::terms::TermId;

impl ProofObligations<'_, '_> {
    /// Everything that has to hold so that the abstract states contain all states that can be reached, and none of them is bad.
    ///
    /// # Errors
    /// If something has no term.
    pub fn invariant(&mut self, goal: &Goal<'_>) -> Result<Vec<Obligation>, NoTerm> {
        let mut found = Vec::new();
        self.always_holds(&mut found)?;
        let all: Vec<usize> = (0..self.abstraction.states.len()).collect();
        let groups = self.groups(&all);
        self.begins_inside(&groups, &mut found)?;
        self.stays_inside(&groups, &mut found)?;
        self.excludes_slips(Wrong::Unlisted, &groups, &mut found)?;
        self.excludes(goal, &groups, &mut found)?;
        Ok(found)
    }

    /// That the program begins somewhere at all; needed where something is claimed of a run that exists.
    ///
    /// # Errors
    /// If initial states have no term, or depend on functions of which nothing is known.
    pub fn starts(&mut self) -> Result<Option<Obligation>, NoTerm> {
        let start = self.initial()?;
        if self.machine.terms.has_functions(&[start]) {
            return Err(NoTerm::new("whether the program begins depends on functions"));
        }
        Ok(self.obligation("starts", "the program has an initial state".to_owned(), &[start], Expected::Sat))
    }

    /// Every initial state is in one of the groups.
    pub(super) fn begins_inside(&mut self, groups: &[Group], found: &mut Vec<Obligation>) -> Result<(), NoTerm> {
        let start = self.initial()?;
        let mut parts = vec![start];
        let entries: Vec<Option<u32>> =
            (0..self.machine.processes()).map(|slot| Some(to_u32(self.machine.beginning(slot)))).collect();
        let mut inside = Vec::new();
        for group in groups.iter().filter(|group| agrees(&group.at, &entries)) {
            let valued = self.valued(&group.values);
            inside.push(self.machine.terms.and(valued, group.inside));
        }
        let inside = self.machine.terms.any(&inside);
        parts.push(self.machine.terms.not(inside));
        let known = self.known(&entries);
        let parts: Vec<TermId> = parts.iter().map(|&part| self.machine.terms.substitute(part, &known)).collect();
        let about = "every initial state is in an abstract one that is listed for it".to_owned();
        found.extend(self.obligation("initial", about, &parts, Expected::Unsat));
        Ok(())
    }

    /// No step leads out of the groups.
    fn stays_inside(&mut self, groups: &[Group], found: &mut Vec<Obligation>) -> Result<(), NoTerm> {
        let mut places: HashMap<&[Option<u32>], Vec<usize>> = HashMap::new();
        for (number, group) in groups.iter().enumerate() {
            places.entry(group.at.as_slice()).or_default().push(number);
        }
        for group in groups {
            for pid in 0..self.machine.processes() {
                for source in self.places(pid, group.at[pid]) {
                    for way in &self.moves(pid, source)?.ways {
                        if group.at[pid].is_none() && self.is_unnoticed(way) {
                            continue;
                        }
                        self.has_room()?;
                        self.stays(group, way, groups, &places, found)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn stays(
        &mut self,
        group: &Group,
        way: &StepPath,
        groups: &[Group],
        places: &HashMap<&[Option<u32>], Vec<usize>>,
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        let mut then = group.at.clone();
        for (slot, target) in self.targets(way)? {
            then[slot] = Some(target);
        }
        let candidates: Vec<&Group> = match places.get(then.as_slice()) {
            Some(there) if then.iter().all(Option::is_some) => there.iter().map(|&number| &groups[number]).collect(),
            _ => groups.iter().filter(|other| agrees(&other.at, &then)).collect(),
        };
        let mut at = group.at.clone();
        at[way.pid] = Some(to_u32(way.source));
        let known = self.known_with(&at, &group.values);
        let mut inside = Vec::new();
        for other in candidates {
            let (standing, valued) = (self.standing(&other.at), self.valued(&other.values));
            let there = self.machine.terms.and(standing, valued);
            let there = self.machine.terms.substitute(there, &way.after);
            let there = self.machine.terms.substitute(there, &known);
            // Most groups are not where this step leads, which is seen at once.
            if self.machine.terms.as_truth(there) != Some(false) {
                let part = self.machine.terms.substitute(other.inside, &way.after);
                inside.push(self.machine.terms.and(there, part));
            }
        }
        let inside = self.machine.terms.any(&inside);
        let outside = self.machine.terms.not(inside);
        let mut parts =
            [group.inside, way.taken, outside].map(|part| self.machine.terms.substitute(part, &known)).to_vec();
        parts.extend(self.held_in_arrays(&group.values, &parts));
        parts.extend(self.facts_at(&known, &parts));
        let about = format!("{} leads into abstract states that are listed, from {}", self.told(way), self.placed(&at));
        found.extend(self.obligation("step", about, &parts, Expected::Unsat));
        Ok(())
    }

    /// Where the processes that a way moves stand afterwards.
    pub(super) fn targets(&self, way: &StepPath) -> Result<Vec<(usize, u32)>, NoTerm> {
        let mut found = Vec::new();
        for (slot, at) in self.machine.at.iter().enumerate() {
            let Some(&after) = way.after.get(at) else { continue };
            let target = self.machine.terms.as_number(after).and_then(|at| u32::try_from(at).ok());
            found.push((slot, target.ok_or_else(|| NoTerm::new("a step without a target"))?));
        }
        Ok(found)
    }

    /// None of the groups is bad.
    fn excludes(&mut self, goal: &Goal<'_>, groups: &[Group], found: &mut Vec<Obligation>) -> Result<(), NoTerm> {
        match goal {
            Goal::Condition { formula, root, holds, atoms } => {
                let good = self.surely(formula, *root, *holds, atoms)?;
                let bad = self.machine.terms.not(good);
                for group in groups {
                    let mut parts = vec![group.inside, bad];
                    parts.extend(self.about_deadlock(&group.at, bad)?);
                    let about = format!("the property holds, from {}", self.placed(&group.at));
                    self.excluded(group, "holds", about, &parts, found);
                }
            }
            Goal::Wrong(wrong) => self.excludes_slips(*wrong, groups, found)?,
            Goal::Stuck => {
                for group in groups {
                    let stuck = self.deadlocked(&group.at)?;
                    let about = format!("some process can step, or all may rest, from {}", self.placed(&group.at));
                    self.excluded(group, "free", about, &[group.inside, stuck], found);
                }
            }
            // A block that could go round has no terms, and is refused here.
            Goal::Endless => {
                self.resting_places()?;
            }
        }
        Ok(())
    }

    pub(super) fn excludes_slips(
        &mut self,
        wrong: Wrong,
        groups: &[Group],
        found: &mut Vec<Obligation>,
    ) -> Result<(), NoTerm> {
        for group in groups {
            for pid in 0..self.machine.processes() {
                for source in self.places(pid, group.at[pid]) {
                    let moves = self.moves(pid, source)?;
                    for slip in moves.slips.iter().filter(|slip| slip.wrong == wrong) {
                        let mut at = group.at.clone();
                        at[pid] = Some(to_u32(source));
                        let text = one_line(&self.machine.program.step(slip.step).text);
                        let (line, place) = (self.line(slip.step), self.placed(&at));
                        let (kind, what) = match wrong {
                            Wrong::Unlisted => ("listed", "starts only what is listed"),
                            _ => ("fine", "does not go wrong"),
                        };
                        let about = format!("`{text}` of {} ({line}) {what}, from {place}", self.machine.name(pid));
                        let here = Group { at, ..group.clone() };
                        self.excluded(&here, kind, about, &[group.inside, slip.when], found);
                    }
                }
            }
        }
        Ok(())
    }

    fn excluded(
        &mut self,
        group: &Group,
        kind: &'static str,
        about: String,
        parts: &[TermId],
        found: &mut Vec<Obligation>,
    ) {
        let known = self.known_with(&group.at, &group.values);
        let mut parts: Vec<TermId> = parts.iter().map(|&part| self.machine.terms.substitute(part, &known)).collect();
        parts.extend(self.held_in_arrays(&group.values, &parts));
        // What holds at these locations holds here: it is proved of every reachable state.
        parts.extend(self.facts_at(&known, &parts));
        found.extend(self.obligation(kind, about, &parts, Expected::Unsat));
    }

    /// If a term speaks of `deadlock`: what follows from that, and from what it follows.
    pub(super) fn about_deadlock(&mut self, at: &[Option<u32>], term: TermId) -> Result<Option<TermId>, NoTerm> {
        if !self.machine.terms.reachable(&[term]).contains(&self.machine.deadlock) {
            return Ok(None);
        }
        let (perhaps, surely) = (self.deadlocked(at)?, self.surely_deadlocked(at)?);
        let terms = &mut self.machine.terms;
        let (least, most) =
            (terms.implies(surely, self.machine.deadlock), terms.implies(self.machine.deadlock, perhaps));
        Ok(Some(self.machine.terms.and(least, most)))
    }

    /// Where a propositional part of a formula surely has a value, whatever atoms without one are taken for.
    fn surely(&mut self, formula: &Formula, root: NodeId, holds: bool, atoms: &[ExprId]) -> Result<TermId, NoTerm> {
        let (yes, no) = (self.machine.terms.truth(true), self.machine.terms.truth(false));
        let mut values: Vec<(TermId, TermId)> = Vec::new();
        for id in formula.node_ids().take(root.index() + 1) {
            let at = |node: NodeId| values[node.index()];
            let turned = |(t, f): (TermId, TermId)| (f, t);
            let pair = match formula.node(id) {
                Node::True => (yes, no),
                Node::False => (no, yes),
                Node::Atom(atom) => {
                    let expr = atoms.get(atom.index()).ok_or_else(|| NoTerm::new("an atom without a meaning"))?;
                    self.machine.observed(*expr)?
                }
                Node::Not(a) => turned(at(a)),
                Node::And(a, b) => self.both(at(a), at(b)),
                Node::Or(a, b) => turned(self.both(turned(at(a)), turned(at(b)))),
                Node::Implies(a, b) => turned(self.both(at(a), turned(at(b)))),
                node @ (Node::Iff(a, b) | Node::Xor(a, b)) => {
                    let (a, b) = (at(a), at(b));
                    let (all, none) = (self.both(a, b), self.both(turned(a), turned(b)));
                    let same = turned(self.both(turned(all), turned(none)));
                    if matches!(node, Node::Iff(..)) { same } else { turned(same) }
                }
                _ => (no, no),
            };
            values.push(pair);
        }
        let (surely, surely_not) = values[root.index()];
        Ok(if holds { surely } else { surely_not })
    }

    fn both(&mut self, a: (TermId, TermId), b: (TermId, TermId)) -> (TermId, TermId) {
        (self.machine.terms.and(a.0, b.0), self.machine.terms.or(a.1, b.1))
    }
}

/// Whether a state at `here` may be one at `there`.
fn agrees(here: &[Option<u32>], there: &[Option<u32>]) -> bool {
    here.iter().zip(there).all(|(a, b)| a.is_none() || b.is_none() || a == b)
}
