//! Which automaton over sets is a `never` claim that has variables of its own?
//!
//! Its states are where the claim is and what values its variables have. What it does in one of them is executed for all states of the
//! program at once, and these are split by the values that the variables have then, so that every state leads to states.

use std::collections::BTreeMap;

use tertium_dd::Set;
use tertium_program::{Assign, Expr, Hold, LocationId, Place, ProcessId, Program, StepId, Type};

use crate::EncodingError;
use crate::bit_vector::BitVector;
use crate::encoding::Encoding;
use crate::evaluation::{Evaluation, SymbolicState, SymbolicValue};
use crate::instantiated::{InstantiatedClaimStep, InstantiatedProgram};

/// Claims whose automaton has more states are not unfolded.
const MOST_CLAIM_STATES: usize = 4096;
/// Everything forbidden has happened.
const DONE: usize = 0;

/// The values of the claim's variables, in the order of their places.
type Valuation = Vec<i64>;

/// A transition of the automaton.
#[derive(Clone, Debug)]
pub struct ClaimStep {
    /// The states in which it does so.
    pub guard: Set,
    /// The state that comes next.
    pub target: usize,
    /// Whether an accepted path does so again and again.
    pub accepting: bool,
}

/// A claim as a Büchi automaton whose guards are sets of states.
#[derive(Clone, Debug)]
pub struct ClaimAutomaton {
    /// The initial state.
    pub initial: usize,
    /// By state, its transitions.
    pub steps: Vec<Vec<ClaimStep>>,
    /// Whether something that the claim looks at has no value somewhere.
    pub blurred: bool,
}

/// A claim that is being unfolded.
struct ClaimUnfolding<'b, 'p> {
    encoding: &'b Encoding<'p>,
    subject: &'b InstantiatedProgram<'p>,
    claim: ProcessId,
    /// Where its variables lie in a state.
    slots: Vec<usize>,
    states: Vec<(LocationId, Valuation)>,
    numbers: BTreeMap<(LocationId, Valuation), usize>,
    blurred: bool,
}

/// The claim in the middle of an uninterruptible block, in some states.
struct BlockPosition {
    at: LocationId,
    values: Valuation,
    states: Set,
}

impl ClaimAutomaton {
    /// Unfolds a claim with the values of its variables.
    ///
    /// # Errors
    /// If it has too many, or something is not encoded; if a limit is reached.
    pub fn of(
        encoding: &Encoding<'_>,
        subject: &InstantiatedProgram<'_>,
        claim: ProcessId,
    ) -> Result<Self, EncodingError> {
        let mut unfolding = ClaimUnfolding {
            encoding,
            subject,
            claim,
            slots: slots(encoding, subject, claim)?,
            states: Vec::new(),
            numbers: BTreeMap::new(),
            blurred: false,
        };
        let program = subject.original();
        let entry = program.process(claim).entry;
        let first: Valuation = unfolding.slots.iter().map(|&slot| encoding.cells().first[slot]).collect();
        // The first number is that of the state in which everything forbidden has happened.
        unfolding.states.push((entry, Valuation::new()));
        let start = unfolding.number(entry, first);
        let all = encoding.reached.clone();
        let mut steps = vec![vec![ClaimStep { guard: all, target: DONE, accepting: true }]];
        while steps.len() < unfolding.states.len() {
            if unfolding.states.len() > MOST_CLAIM_STATES {
                return Err(EncodingError::unfit(format!(
                    "the `never` claim with the values of its variables has more than {MOST_CLAIM_STATES} states"
                )));
            }
            steps.push(unfolding.transitions(steps.len())?);
        }
        let initial = if program.location(claim, entry).end { DONE } else { start };
        Ok(Self { initial, steps, blurred: unfolding.blurred })
    }
}

/// Where the variables of a claim lie.
fn slots(
    encoding: &Encoding<'_>,
    subject: &InstantiatedProgram<'_>,
    claim: ProcessId,
) -> Result<Vec<usize>, EncodingError> {
    let mut found = Vec::new();
    for var in subject.noted_by(claim) {
        let slot = encoding.semantics.layout().fixed_slot(encoding.program(), var);
        let slot = slot.ok_or_else(|| EncodingError::unfit("a `never` claim assigns to what has no fixed place"))?;
        found.extend(slot..slot + encoding.program().variable(var).cells());
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

impl ClaimUnfolding<'_, '_> {
    fn program(&self) -> &Program {
        self.subject.original()
    }

    fn number(&mut self, at: LocationId, values: Valuation) -> usize {
        let next = self.states.len();
        let number = *self.numbers.entry((at, values.clone())).or_insert(next);
        if number == next {
            self.states.push((at, values));
        }
        number
    }

    /// The moment at which the claim has noted this.
    fn moment(&self, values: &Valuation) -> SymbolicState {
        let mut moment = self.encoding.start().clone();
        for (&slot, &value) in self.slots.iter().zip(values) {
            moment.slots[slot] = match &moment.slots[slot] {
                SymbolicValue::Truth(_) => SymbolicValue::Truth(self.encoding.diagrams().constant(value != 0)),
                SymbolicValue::Number(_) => SymbolicValue::Number(BitVector::constant(self.encoding.diagrams(), value)),
            };
        }
        moment
    }

    /// The transitions from a state.
    fn transitions(&mut self, state: usize) -> Result<Vec<ClaimStep>, EncodingError> {
        let (at, values) = self.states[state].clone();
        let mut found: BTreeMap<usize, Set> = BTreeMap::new();
        let mut passed: BTreeMap<(LocationId, Valuation), Set> = BTreeMap::new();
        let marked = self.marked(at, &values)?;
        let mut open = vec![BlockPosition { at, values, states: self.encoding.reached.clone() }];
        while let Some(position) = open.pop() {
            self.encoding.diagrams().budget().check()?;
            let mut left = position.states.clone();
            let location = self.program().location(self.claim, position.at).clone();
            for id in location.steps {
                let taken = self.take(id, &position.values, &left)?;
                for (values, states) in taken {
                    if location.hold == Hold::Deterministic {
                        left = left.minus(&states)?;
                    }
                    let Some(values) = values else {
                        arrive(&mut found, DONE, &states)?;
                        continue;
                    };
                    let target = self.program().step(id).target;
                    let mut rest = states;
                    if self.stays(id) {
                        let none = self.encoding.diagrams().empty();
                        let before = passed.entry((target, values.clone())).or_insert(none);
                        let fresh = rest.minus(before)?;
                        (*before, rest) = (before.or(&fresh)?, rest.and(before)?);
                        open.push(BlockPosition { at: target, values: values.clone(), states: fresh });
                    }
                    if !rest.is_empty() {
                        let target = if self.ends(id) { DONE } else { self.number(target, values) };
                        arrive(&mut found, target, &rest)?;
                    }
                }
            }
        }
        let mut steps = Vec::new();
        for (target, states) in found {
            let (yes, no) = (states.and(&marked)?, states.minus(&marked)?);
            steps.push(ClaimStep { guard: yes, target, accepting: true });
            steps.push(ClaimStep { guard: no, target, accepting: false });
        }
        Ok(steps)
    }

    /// Where the claim, or some process, is at an acceptance label.
    fn marked(&mut self, at: LocationId, values: &Valuation) -> Result<Set, EncodingError> {
        let diagrams = self.encoding.diagrams();
        if self.program().location(self.claim, at).accept {
            return Ok(diagrams.full());
        }
        let Some(accepting) = self.encoding.program().exprs.find(Expr::Accepting) else { return Ok(diagrams.empty()) };
        let moment = self.moment(values);
        Ok(Evaluation::new(&self.encoding.semantics, diagrams, &moment).truth(accepting)?.0)
    }

    /// Takes a step in the states where it can be taken, which are told apart by what is noted then; nothing is where what
    /// it asserts does not hold.
    fn take(
        &mut self,
        id: StepId,
        values: &Valuation,
        from: &Set,
    ) -> Result<Vec<(Option<Valuation>, Set)>, EncodingError> {
        let moment = self.moment(values);
        let (encoding, noted) = (self.encoding, self.subject.noted(id)?);
        let mut evaluation = Evaluation::new(&encoding.semantics, encoding.diagrams(), &moment);
        let InstantiatedClaimStep { guard, rivals, assigns, asserted } = noted;
        let mut taken = self.known(from, evaluation.truth(*guard)?)?;
        for &rival in rivals {
            let (holds, wrong) = evaluation.truth(rival)?;
            taken = self.known(&taken, (holds.not(), wrong))?;
        }
        let mut found = Vec::new();
        if let Some(asserted) = *asserted {
            let (holds, wrong) = evaluation.truth(asserted)?;
            found.push((None, self.known(&taken, (holds.not(), wrong.clone()))?));
            taken = self.known(&taken, (holds, wrong))?;
        }
        let mut after = moment.clone();
        for assign in assigns {
            taken = self.assign(assign, &mut evaluation, &mut after, taken)?;
        }
        for (values, states) in self.split_by_values(&after, taken)? {
            found.push((Some(values), states));
        }
        found.retain(|(_, states)| !states.is_empty());
        Ok(found)
    }

    /// The states where a condition holds; those where it has no value are noticed.
    fn known(
        &mut self,
        among: &Set,
        (holds, wrong): (Set, crate::evaluation::Undefined),
    ) -> Result<Set, EncodingError> {
        let wrong = wrong.any()?;
        self.blurred |= !among.and(&wrong)?.is_empty();
        Ok(among.and(&holds)?.minus(&wrong)?)
    }

    fn assign(
        &mut self,
        assign: &Assign,
        evaluation: &mut Evaluation<'_, '_>,
        after: &mut SymbolicState,
        taken: Set,
    ) -> Result<Set, EncodingError> {
        let (program, diagrams) = (self.encoding.program(), self.encoding.diagrams());
        let (var, all) = (assign.place.variable(), diagrams.full());
        let base = self.encoding.semantics.layout().fixed_slot(program, var);
        let base = base.ok_or_else(|| EncodingError::unfit("a `never` claim assigns to what has no fixed place"))?;
        let mut taken = taken;
        let mut chosen = vec![all.clone()];
        if let Place::Element(_, indices) = assign.place {
            for &index in program.exprs.list(indices) {
                evaluation.seen(index)?;
            }
            let (cells, wrong) = evaluation.cells(var, indices)?;
            taken = self.known(&taken, (all.clone(), wrong))?;
            chosen = cells;
        }
        let seen = evaluation.seen(assign.value)?;
        taken = self.known(&taken, (all, seen.wrong.clone()))?;
        let value = if program.variable(var).ty == Type::Bool {
            SymbolicValue::Truth(evaluation.as_truth(&seen.value)?)
        } else {
            let number = evaluation.as_number(&seen.value)?;
            let (lo, hi) = program.bounds(program.variable(var).ty);
            let fits = number.within(lo.unwrap_or(i64::MIN >> 2), hi.unwrap_or(i64::MAX >> 2), diagrams)?;
            self.blurred |= !taken.minus(&fits)?.is_empty();
            taken = taken.and(&fits)?;
            SymbolicValue::Number(number)
        };
        for (at, here) in chosen.iter().enumerate().filter(|(_, here)| !here.is_empty()) {
            after.slots[base + at] = evaluation.ite(here, &value, &after.slots[base + at])?;
        }
        Ok(taken)
    }

    /// The states, told apart by the values of the claim's variables.
    fn split_by_values(&self, after: &SymbolicState, states: Set) -> Result<Vec<(Valuation, Set)>, EncodingError> {
        let mut parts = vec![(Valuation::new(), states)];
        for &slot in &self.slots {
            let bits: Vec<Set> = match &after.slots[slot] {
                SymbolicValue::Truth(set) => vec![set.clone(), self.encoding.diagrams().empty()],
                SymbolicValue::Number(number) => (0..number.width()).map(|at| number.bit(at).clone()).collect(),
            };
            // From the sign down: each bit doubles what stands before it.
            let mut next: Vec<(Valuation, i64, Set)> =
                parts.into_iter().map(|(values, set)| (values, 0, set)).collect();
            for (at, bit) in bits.iter().enumerate().rev() {
                let mut split = Vec::new();
                for (values, value, set) in next {
                    let (with, without) = (set.and(bit)?, set.minus(bit)?);
                    let one = if at + 1 == bits.len() { -1 } else { 1 };
                    split.push((values.clone(), 2 * value + one, with));
                    split.push((values, 2 * value, without));
                }
                split.retain(|(_, _, set)| !set.is_empty());
                next = split;
                if next.len() > MOST_CLAIM_STATES {
                    return Err(EncodingError::unfit(format!(
                        "the `never` claim with the values of its variables has more than {MOST_CLAIM_STATES} states"
                    )));
                }
            }
            let noted = |(mut values, value, set): (Valuation, i64, Set)| {
                values.push(value);
                (values, set)
            };
            parts = next.into_iter().map(noted).collect();
        }
        Ok(parts)
    }

    fn ends(&self, id: StepId) -> bool {
        let target = self.program().location(self.claim, self.program().step(id).target);
        target.steps.is_empty() || target.end
    }

    /// Whether the step leads on inside a block.
    fn stays(&self, id: StepId) -> bool {
        let step = self.program().step(id);
        !step.frees && self.program().location(self.claim, step.target).hold != Hold::Free && !self.ends(id)
    }
}

fn arrive(found: &mut BTreeMap<usize, Set>, target: usize, states: &Set) -> Result<(), EncodingError> {
    let known = match found.get(&target) {
        Some(known) => known.or(states)?,
        None => states.clone(),
    };
    found.insert(target, known);
    Ok(())
}
