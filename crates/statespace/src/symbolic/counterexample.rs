//! Which counterexample shows that a branching formula is false? After Clarke, Grumberg, McMillan and Zhao (1995).
//!
//! As far as one run shows it: `AG` by a run to where its operand fails, `AF` by one that goes round and never gets there, `EX`
//! below a negation by a step. At the end of one operator the next begins, so `AG (p -> AF q)` gets a run to `p` and on into a
//! loop without `q`. Where everything would have to be shown at once (`EF p` is false) the run ends. With fairness every
//! path goes on fairly.

use std::collections::HashMap;

use tertium_base::StopReason;
use tertium_check::Filter;
use tertium_check::symbolic::{
    Atoms, Automata, Fairness, Pair, Structure, fair_goal, lasso, shortest_path, shortest_path_forward, star_paths,
};
use tertium_dd::Set;
use tertium_encode::Encoding;
use tertium_load::failure::Failure;
use tertium_logic::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId};
use tertium_structures::engines;
use tertium_trace::run::{self, Run};

/// The values of a formula's parts.
pub(super) type Evaluate<'f> = &'f dyn Fn(&Formula) -> Result<Pair, Failure>;

/// What a run is looked for in.
pub(super) struct BranchingCounterexample<'f, 'p> {
    pub encoding: &'f Encoding<'p>,
    pub structure: &'f Structure,
    pub formula: &'f Formula,
    pub atoms: &'f Atoms,
    /// The values of parts of the formula, under the fairness at hand.
    pub evaluate: Evaluate<'f>,
    pub fairness: &'f Fairness,
    /// The processes to which the scheduler is fair.
    pub fair: &'f [u32],
    /// Where fair paths start; none if all paths count.
    pub fairly: Option<Set>,
    /// Whether a path may end where there is no step.
    pub ending: bool,
}

/// A node with the value that is shown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Obligation {
    node: NodeId,
    wanted: bool,
}

/// How a run goes on for an operator.
enum Continuation {
    /// Along these states, then it shows one of the places.
    To(Vec<Vec<bool>>, Vec<Obligation>),
    /// For ever: before the loop, and the loop.
    Round(Vec<Vec<bool>>, Vec<Vec<bool>>),
    /// There is nothing more to show by one run.
    End,
}

struct CounterexampleBuilder<'w, 'f, 'p> {
    with: &'w BranchingCounterexample<'f, 'p>,
    known: HashMap<NodeId, Pair>,
    rows: Vec<Vec<bool>>,
}

impl BranchingCounterexample<'_, '_> {
    /// A run from one of these initial states, at which the formula is false; none if no run shows it.
    pub fn run(&self, broken: &Set) -> Result<Option<Run>, Failure> {
        let mut walk = CounterexampleBuilder { with: self, known: HashMap::new(), rows: Vec::new() };
        let mut from = broken.clone();
        let mut place = Obligation { node: self.formula.root(), wanted: false };
        loop {
            match walk.onward(place, &mut from)? {
                Continuation::To(path, places) => {
                    walk.extend(path);
                    if let Some(last) = walk.rows.last() {
                        from = self.structure.single(last)?;
                    }
                    let Some(next) = walk.best(&places, &from)? else { return walk.finished() };
                    place = next;
                }
                Continuation::Round(stem, cycle) => {
                    // The way round begins where the run is: with its stem or, without one, with its loop.
                    if stem.is_empty() {
                        walk.rows.pop();
                    }
                    walk.extend(stem);
                    return walk.lasso(&cycle);
                }
                Continuation::End => return walk.finished(),
            }
        }
    }
}

impl CounterexampleBuilder<'_, '_, '_> {
    /// Adds a path that begins where the run is.
    fn extend(&mut self, path: Vec<Vec<bool>>) {
        let known = usize::from(!self.rows.is_empty()).min(path.len());
        self.rows.extend(path.into_iter().skip(known));
    }

    fn states(&self, rows: &[Vec<bool>]) -> Vec<tertium_program::State> {
        rows.iter().map(|row| self.with.encoding.state(row)).collect()
    }

    /// A run of one state shows nothing.
    fn finished(&self) -> Result<Option<Run>, Failure> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        run::connect_resting(&self.with.encoding.semantics, &self.states(&self.rows)).map(Some)
    }

    fn lasso(&self, cycle: &[Vec<bool>]) -> Result<Option<Run>, Failure> {
        let (stem, cycle) = (self.states(&self.rows), self.states(cycle));
        run::connect_lasso(&self.with.encoding.semantics, &stem, &cycle, self.with.fair).map(Some)
    }

    fn value(&mut self, node: NodeId) -> Result<Pair, Failure> {
        if let Some(known) = self.known.get(&node) {
            return Ok(known.clone());
        }
        let formula = self.with.formula;
        let value = (self.with.evaluate)(&formula.to_builder().finish(node, formula.logic()))?;
        self.known.insert(node, value.clone());
        Ok(value)
    }

    /// The states where a node surely has the value.
    fn holds(&mut self, place: Obligation) -> Result<Set, Failure> {
        let value = self.value(place.node)?;
        let states = &self.with.structure.states;
        Ok(if place.wanted { states.and(&value.yes)? } else { states.minus(&value.open)? })
    }

    fn has_steps(&self, node: NodeId) -> bool {
        let formula = self.with.formula;
        let part = formula.to_builder().finish(node, formula.logic());
        part.nodes()
            .iter()
            .any(|node| matches!(node, Node::All(_) | Node::Exists(_) | Node::Diamond(..) | Node::Box(..)))
    }

    /// Of these places that can be shown at a state of `from`, the first whose node looks at steps; none if none does.
    fn best(&mut self, places: &[Obligation], from: &Set) -> Result<Option<Obligation>, Failure> {
        for &place in places {
            if self.has_steps(place.node) && !self.holds(place)?.and(from)?.is_empty() {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// What one operator adds; `from` becomes smaller if only some of its states show it.
    fn onward(&mut self, place: Obligation, from: &mut Set) -> Result<Continuation, Failure> {
        let Obligation { node, wanted } = place;
        let operands = match self.with.formula.node(node) {
            Node::Not(a) => vec![Obligation { node: a, wanted: !wanted }],
            Node::And(a, b) | Node::Or(a, b) => vec![Obligation { node: a, wanted }, Obligation { node: b, wanted }],
            Node::Implies(a, b) => vec![Obligation { node: a, wanted: !wanted }, Obligation { node: b, wanted }],
            Node::Diamond(action, a) if wanted => return self.step(action, a, wanted, from),
            Node::Box(action, a) if !wanted => return self.step(action, a, wanted, from),
            Node::Exists(path) if wanted => return self.path(path, true, from),
            Node::All(path) if !wanted => return self.path(path, false, from),
            _ => return Ok(Continuation::End),
        };
        let Some(chosen) = self.best(&operands, from)? else { return Ok(Continuation::End) };
        *from = from.and(&self.holds(chosen)?)?;
        Ok(Continuation::To(Vec::new(), vec![chosen]))
    }

    fn step(
        &mut self,
        action: Option<tertium_logic::ActionId>,
        node: NodeId,
        wanted: bool,
        from: &Set,
    ) -> Result<Continuation, Failure> {
        let filter = action.and_then(|action| self.with.atoms.filters.get(action.index())).copied();
        let filter = filter.unwrap_or(Filter::Any);
        let goal = self.holds(Obligation { node, wanted })?;
        self.step_into(filter, &goal, vec![Obligation { node, wanted }], from)
    }

    fn step_into(
        &self,
        filter: Filter,
        goal: &Set,
        places: Vec<Obligation>,
        from: &Set,
    ) -> Result<Continuation, Failure> {
        let structure = self.with.structure;
        let Some(steps) = structure.steps(filter) else { return Ok(Continuation::End) };
        let first = structure.some(&steps.possible.preimage(goal)?.and(from)?);
        let Some(first) = first else { return Ok(Continuation::End) };
        let after = steps.possible.image(&structure.single(&first)?)?.and(goal)?;
        let Some(second) = structure.some(&after) else { return Ok(Continuation::End) };
        Ok(Continuation::To(vec![first, second], places))
    }

    /// States from which a path goes on as it must.
    fn going_on(&self, set: &Set) -> Result<Set, Failure> {
        Ok(match &self.with.fairly {
            Some(fairly) => set.and(fairly)?,
            None => set.clone(),
        })
    }

    /// A path of `E path`, or of `E !path` unless `wanted`.
    fn path(&mut self, path: NodeId, wanted: bool, from: &Set) -> Result<Continuation, Failure> {
        let formula = self.with.formula;
        let shape = formula.node(path);
        if !shape.children().all(|child| formula.is_state_formula(child)) {
            return self.any_path(path, wanted, from);
        }
        let place = |node| Obligation { node, wanted };
        // Negated, an operator is its dual with negated operands, which is what the wanted value says.
        match (shape, wanted) {
            (Node::Next(a), _) => {
                let goal = self.holds(place(a))?;
                self.step_into(Filter::Any, &self.going_on(&goal)?, vec![place(a)], from)
            }
            (Node::Finally(a), true) | (Node::Globally(a), false) => {
                let room = self.with.structure.states.clone();
                let goal = self.holds(place(a))?;
                self.until(&room, &goal, vec![place(a)], from)
            }
            (Node::Until(a, b), true) | (Node::Release(a, b), false) => {
                let (room, goal) = (self.holds(place(a))?, self.holds(place(b))?);
                self.until(&room, &goal, vec![place(b)], from)
            }
            (Node::StrongRelease(a, b), true) | (Node::WeakUntil(a, b), false) => {
                let room = self.holds(place(b))?;
                let goal = room.and(&self.holds(place(a))?)?;
                self.until(&room, &goal, vec![place(a), place(b)], from)
            }
            (Node::Globally(a), true) | (Node::Finally(a), false) => {
                let room = self.holds(place(a))?;
                self.release(&room, &self.with.structure.diagrams.empty(), Vec::new(), from)
            }
            (Node::Release(a, b), true) | (Node::Until(a, b), false) => {
                let room = self.holds(place(b))?;
                let goal = room.and(&self.holds(place(a))?)?;
                self.release(&room, &goal, vec![place(a), place(b)], from)
            }
            (Node::WeakUntil(a, b), true) | (Node::StrongRelease(a, b), false) => {
                let goal = self.holds(place(b))?;
                let room = goal.or(&self.holds(place(a))?)?;
                self.release(&room, &goal, vec![place(b)], from)
            }
            _ => self.any_path(path, wanted, from),
        }
    }

    /// Within the room to the goal, by a shortest way; none if there is none.
    fn way(&self, room: &Set, goal: &Set, from: &Set) -> Result<Option<Vec<Vec<bool>>>, Failure> {
        let goal = self.going_on(goal)?;
        let inside = Structure { states: room.or(&goal)?, ..self.with.structure.clone() };
        Ok(shortest_path(&inside, &from.and(&inside.states)?, &goal)?)
    }

    fn until(&self, room: &Set, goal: &Set, places: Vec<Obligation>, from: &Set) -> Result<Continuation, Failure> {
        Ok(self.way(room, goal, from)?.map_or(Continuation::End, |path| Continuation::To(path, places)))
    }

    /// To the goal within the room, or for ever within the room.
    fn release(&self, room: &Set, goal: &Set, places: Vec<Obligation>, from: &Set) -> Result<Continuation, Failure> {
        if let Some(path) = self.way(room, goal, from)? {
            return Ok(Continuation::To(path, places));
        }
        if self.with.ending {
            let dead = self.with.encoding.dead()?.and(room)?;
            if let Some(path) = self.way(room, &dead, from)? {
                return Ok(Continuation::To(path, Vec::new()));
            }
        }
        let mut builder = FormulaBuilder::new();
        let atom = builder.atom(Atom { text: "room".to_owned(), quoted: false });
        let root = builder.add(Node::Globally(atom));
        let stays = builder.finish(root, Logic::Ltl);
        let atoms = Atoms { labels: vec![Some(Pair::decided(room.clone()))], ..Atoms::default() };
        self.round(&stays, &atoms, true, from)
    }

    /// A path of any linear formula; what it says about states is told by their values.
    fn any_path(&self, path: NodeId, wanted: bool, from: &Set) -> Result<Continuation, Failure> {
        let BranchingCounterexample { structure, formula, atoms, fairness, .. } = self.with;
        let (question, labels) = star_paths(structure, formula, atoms, fairness, path).map_err(engines::failure)?;
        if let Some(found) = self.to_goal_and_on(&question, &labels, wanted, from)? {
            return Ok(found);
        }
        self.round(&question, &labels, wanted, from)
    }

    /// A shortest path to a goal, and on as was promised; none if something else is asked of paths.
    fn to_goal_and_on(
        &self,
        question: &Formula,
        labels: &Atoms,
        wanted: bool,
        from: &Set,
    ) -> Result<Option<Continuation>, Failure> {
        let BranchingCounterexample { structure, fairness, .. } = self.with;
        let goal = fair_goal(structure, question, labels, fairness, wanted).map_err(engines::failure)?;
        let Some((promise, goal)) = goal else { return Ok(None) };
        let Some(mut stem) = shortest_path_forward(structure, from, &goal)? else { return Ok(None) };
        let Some(last) = stem.pop() else { return Ok(None) };
        let Continuation::Round(prefix, cycle) = self.round(&promise, labels, true, &structure.single(&last)?)? else {
            return Ok(None);
        };
        stem.extend(prefix);
        Ok(Some(Continuation::Round(stem, cycle)))
    }

    fn round(&self, formula: &Formula, atoms: &Atoms, wanted: bool, from: &Set) -> Result<Continuation, Failure> {
        let automata = Automata::new(self.with.structure, formula, atoms, wanted, self.with.fairness);
        match lasso(&automata.map_err(engines::failure)?, from) {
            Ok(Some(found)) => Ok(Continuation::Round(found.prefix, found.cycle)),
            // Too long to be written out.
            Ok(None) | Err(tertium_base::Stopped(StopReason::Count)) => Ok(Continuation::End),
            Err(stopped) => Err(stopped.into()),
        }
    }
}
