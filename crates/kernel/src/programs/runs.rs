//! Does a stored run show what a program is asked?
//!
//! A run is believed state by state: it begins in an initial state, and each state is one that a step of the program leads to, by the definition of
//! a step. What it shows is then proved like anything about a structure: its states become one, labelled with what the formula speaks of, and the checker of
//! linear proofs looks at the path. Who must step on a loop follows from the program: a weakly fair process steps there, or is somewhere on it unable to; a strongly fair
//! one steps there, or is unable to everywhere on it. A loop may be gone round in different ways, so that each process may choose its own.
//!
//! A run that ends shows that a formula is false if no way to go on could repair it. That is right with fairness, too: a scheduler that takes turns is fair
//! from any state on.

use tertium_base::narrow::to_u32;
use tertium_evidence::itf::StoredRun;
use tertium_evidence::{Certificate, Proof, Reading};
use tertium_lattice::Belnap;
use tertium_load::questions::{Mistake, PropertyQuery};
use tertium_logic::{Logic, Node, NodeId};
use tertium_model::{Kmts, KmtsBuilder, StateId};
use tertium_program::{Fairness, Move, Outcome, Semantics, State, Successor};

use super::established::{Established, Means, NotShown};
use super::question::{Asks, Subject};
use crate::checker::{Rejection, Subject as SubjectKind, check_certificate_of};
use crate::structures::sentence;

fn refused(why: impl Into<String>) -> NotShown {
    NotShown::Refused(why.into())
}

/// What a stored run shows about a question.
pub(super) fn established(
    subject: &Subject<'_>,
    stored: &StoredRun,
    means: Means<'_>,
) -> Result<Established, NotShown> {
    if stored.repeats {
        return Err(refused(
            "its end repeats without any state coming back: the certificate beside it proves that, not the run",
        ));
    }
    let semantics = Semantics::new(&subject.file.program).within(means.budget);
    let run = Replayed::new(&semantics, stored, means)?;
    let value = match &subject.asks {
        Asks::Never(mistake, _) => run.goes_wrong(*mistake)?,
        Asks::Claim(..) => {
            return Err(refused("a run does not say what the claim does: the certificate beside it does"));
        }
        Asks::Property(asked) if asked.formula.logic().is_strategic() => {
            return Err(refused("a run does not say what players can enforce: the certificate beside it does"));
        }
        Asks::Property(asked) => match asked.invariant {
            Some((root, holds)) if run.breaks(asked, root, holds) => asked.exists.into(),
            _ => run.refutes(subject, asked, means)?,
        },
    };
    let count = stored.states.len();
    let over = match stored.loop_start {
        Some(start) => format!("by a lasso: {start} states, then {} again and again", count - start),
        None => format!("by a run of {count} states"),
    };
    let proof = if stored.loop_start.is_some() { "lasso" } else { "run" };
    Ok(Established { value, proof, over, obligations: 0, assumptions: Vec::new() })
}

/// A run that the definition of a step allows.
struct Replayed<'a, 'p> {
    semantics: &'a Semantics<'p>,
    states: &'a [State],
    loop_start: Option<usize>,
    /// For each position who can take the step from there to the next; nobody where it only stays.
    steppers: Vec<Vec<u32>>,
}

impl<'a, 'p> Replayed<'a, 'p> {
    fn new(semantics: &'a Semantics<'p>, stored: &'a StoredRun, means: Means<'_>) -> Result<Self, NotShown> {
        let states = &stored.states;
        let initial = states.first().is_some_and(|first| semantics.is_initial(first) == Ok(true));
        if !initial {
            return Err(refused("its first state is not an initial one"));
        }
        let mut run = Self { semantics, states, loop_start: stored.loop_start, steppers: Vec::new() };
        for at in 0..states.len() {
            means.budget.check()?;
            let Some(next) = run.next(at) else { break };
            let steppers = run.steppers(at, &states[next])?;
            run.steppers.push(steppers);
        }
        Ok(run)
    }

    /// The position after this one.
    fn next(&self, at: usize) -> Option<usize> {
        if at + 1 < self.states.len() { Some(at + 1) } else { self.loop_start }
    }

    fn successors(&self, at: usize) -> Vec<Successor> {
        self.semantics.successors(&self.states[at])
    }

    /// Whoever can step from a position to a state.
    fn steppers(&self, at: usize, to: &State) -> Result<Vec<u32>, NotShown> {
        let successors = self.successors(at);
        let arrives = |successor: &&Successor| successor.outcome.state() == Some(to);
        let mut found: Vec<u32> = successors.iter().filter(arrives).filter_map(mover).collect();
        if found.is_empty() {
            found = self.chosen(at, to);
        }
        // Where nothing can happen any more, a run that does not end stays where it is.
        let stays = || to == &self.states[at] && successors.iter().all(|one| one.outcome.state().is_none());
        if found.is_empty() && (!stays() || is_open(&successors)) {
            return Err(refused(format!("no step of the program leads from its state {at} to the next one")));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Whoever can step there by choosing a value that no list of steps can hold: one of those in the next state.
    fn chosen(&self, at: usize, to: &State) -> Vec<u32> {
        let mut values = to.slots.clone();
        values.sort_unstable();
        values.dedup();
        let from = &self.states[at];
        let mut found = Vec::new();
        for open in self.semantics.moves(from) {
            let count = self.semantics.program().step(open.step).inputs.len();
            if !open.inputs.is_empty() || count == 0 || count > 2 {
                continue;
            }
            let rows: Vec<Vec<i64>> = if count == 1 {
                values.iter().map(|&value| vec![value]).collect()
            } else {
                values.iter().flat_map(|&a| values.iter().map(move |&b| vec![a, b])).collect()
            };
            let leads = |inputs: Vec<i64>| {
                let taken = Move { inputs, ..open.clone() };
                matches!(self.semantics.execute(from, &taken), Some(Outcome::Next(next)) if next == *to)
            };
            if rows.into_iter().any(leads) {
                found.push(open.pid);
            }
        }
        found
    }

    /// The mistake happens at the end.
    fn goes_wrong(&self, mistake: Mistake) -> Result<Belnap, NotShown> {
        if self.loop_start.is_some() {
            return Err(refused("it never ends, so that nothing goes wrong at its end"));
        }
        let last = self.states.len() - 1;
        let happens = if matches!(mistake, Mistake::Deadlock | Mistake::EndState) {
            self.semantics.is_deadlock(&self.states[last]) && !is_open(&self.successors(last))
        } else {
            self.successors(last).iter().any(|successor| {
                matches!(&successor.outcome, Outcome::Fault { fault, .. } if Mistake::of(&fault.kind) == Some(mistake))
            })
        };
        if happens { Ok(Belnap::False) } else { Err(refused("what it is asked about does not happen at its end")) }
    }

    /// Some state has the value that should not be, or should be, reached.
    fn breaks(&self, asked: &PropertyQuery, root: NodeId, holds: bool) -> bool {
        self.states.iter().any(|state| self.condition(asked, root, state) == Some(!holds))
    }

    /// The value of a condition in a state, as far as its atoms have values there.
    fn condition(&self, asked: &PropertyQuery, root: NodeId, state: &State) -> Option<bool> {
        let mut values: Vec<Option<bool>> = Vec::new();
        for id in asked.formula.node_ids().take(root.index() + 1) {
            let of = |node: NodeId| values[node.index()];
            let and = |a: Option<bool>, b: Option<bool>| match (a, b) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
            let not = |value: Option<bool>| value.map(|value| !value);
            values.push(match asked.formula.node(id) {
                Node::True => Some(true),
                Node::False => Some(false),
                Node::Atom(atom) => {
                    let meaning = asked.atoms.get(atom.index());
                    meaning.and_then(|&meaning| self.semantics.observe(meaning, state).ok()).map(|value| value != 0)
                }
                Node::Not(a) => not(of(a)),
                Node::And(a, b) => and(of(a), of(b)),
                Node::Or(a, b) => not(and(not(of(a)), not(of(b)))),
                Node::Implies(a, b) => not(and(of(a), not(of(b)))),
                Node::Iff(a, b) => of(a).zip(of(b)).map(|(a, b)| a == b),
                Node::Xor(a, b) => of(a).zip(of(b)).map(|(a, b)| a != b),
                _ => None,
            });
        }
        values[root.index()]
    }

    /// The run as a structure. With `open`, anything may follow its last state.
    fn structure(&self, asked: &PropertyQuery, fair: &[Vec<usize>], open: bool) -> Result<Kmts, NotShown> {
        let mut builder = KmtsBuilder::new();
        let states: Vec<StateId> = (0..self.states.len()).map(|at| builder.add_state(&at.to_string())).collect();
        for (atom, &meaning) in asked.formula.atoms().iter().zip(&asked.atoms) {
            let prop = builder.add_prop(&atom.text);
            for (&id, state) in states.iter().zip(self.states) {
                if let Ok(value) = self.semantics.observe(meaning, state) {
                    builder.set_label(id, prop, (value != 0).into());
                }
            }
        }
        let edge = |at: usize| self.next(at).map(|next| (states[at], states[next], None));
        for (from, to, action) in (0..states.len()).filter_map(edge) {
            builder.add_edge(from, to, true, true, action);
        }
        for constraint in fair {
            builder.add_fairness(constraint.iter().filter_map(|&at| edge(at)).collect());
        }
        if open {
            let anything = builder.add_state("anything");
            builder.add_edge(states[states.len() - 1], anything, true, false, None);
            builder.add_edge(anything, anything, true, false, None);
            builder.set_total(true);
        }
        builder.add_init(states[0]);
        builder.finish().map_err(|error| refused(error.to_string()))
    }

    /// No run that begins like this satisfies the formula, or this one, which never ends, does not.
    fn refutes(&self, subject: &Subject<'_>, asked: &PropertyQuery, means: Means<'_>) -> Result<Belnap, NotShown> {
        if asked.formula.logic() != Logic::Ltl {
            return Err(refused(
                "it does not decide the property: a run breaks linear formulas and invariants, and reaches what `EF` asks for",
            ));
        }
        let rests = self.steppers.iter().any(Vec::is_empty);
        if (rests || self.loop_start.is_none()) && !subject.frame.stutter {
            return Err(refused("it ends, and as deadlocks are read only runs that do not end count"));
        }
        let (fair, open) = match self.loop_start {
            None => (Vec::new(), true),
            Some(start) => (self.fairness(subject, start)?, false),
        };
        let model = self.structure(asked, &fair, open)?;
        let position = |at: usize| StateId::new(at);
        let start = self.loop_start.unwrap_or(self.states.len());
        let (stem, cycle) = ((0..start).map(position).collect(), (start..self.states.len()).map(position).collect());
        let certificate = Certificate {
            formula: asked.formula.text(),
            logic: asked.formula.logic(),
            reading: Reading::default(),
            state: position(0),
            value: Belnap::False,
            proof: Proof::Lasso { stem, cycle },
        };
        match check_certificate_of(&model, SubjectKind::Graph, &certificate, &[], means.budget) {
            Ok(accepted) if accepted.assumptions.is_empty() => Ok(Belnap::False),
            Ok(_) => Err(refused("it refutes the formula only under an assumption")),
            Err(Rejection::Stopped(stopped)) => Err(stopped.into()),
            Err(Rejection::Refused(why)) => Err(refused(sentence(&why))),
        }
    }

    /// For each process that is treated fairly the positions of the loop whose steps count for it.
    fn fairness(&self, subject: &Subject<'_>, start: usize) -> Result<Vec<Vec<usize>>, NotShown> {
        let program = &subject.file.program;
        let mut constraints = Vec::new();
        let most = self.states[start..].iter().map(|state| self.processes(state)).max().unwrap_or(0);
        for pid in 0..to_u32(most) {
            let declared =
                program.instances.get(pid as usize).map(|instance| program.process(instance.process).fairness);
            let strong = match declared {
                Some(Fairness::Strong) => true,
                Some(Fairness::Weak) => false,
                _ if subject.everyone => false,
                _ => continue,
            };
            let steps = |at: &usize| self.steppers[*at].contains(&pid);
            let mut unable = Vec::new();
            for at in start..self.states.len() {
                if !self.can_step(at, pid)? {
                    unable.push(at);
                }
            }
            let everywhere = unable.len() == self.states.len() - start;
            let mut counting: Vec<usize> = (start..self.states.len()).filter(steps).collect();
            if !strong || everywhere {
                counting.extend(unable);
            }
            constraints.push(counting);
        }
        Ok(constraints)
    }

    fn processes(&self, state: &State) -> usize {
        self.semantics.layout().frames(&state.slots).len()
    }

    /// Whether a process can step at a position.
    fn can_step(&self, at: usize, pid: u32) -> Result<bool, NotShown> {
        let successors = self.successors(at);
        let own = |successor: &&Successor| mover(successor) == Some(pid) && successor.outcome.state().is_some();
        if successors.iter().any(|successor| own(&successor)) {
            return Ok(true);
        }
        if is_open(&successors) {
            return Err(refused(format!("who can step at its state {at} is not known")));
        }
        Ok(false)
    }
}

/// Who takes a step.
fn mover(successor: &Successor) -> Option<u32> {
    successor.moves.first().map(|taken| taken.pid)
}

/// Whether a bound hides what else can happen.
fn is_open(successors: &[Successor]) -> bool {
    successors.iter().any(|one| matches!(&one.outcome, Outcome::Fault { fault, .. } if !fault.kind.is_error()))
}
