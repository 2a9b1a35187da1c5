//! Which predicates does a run begin with that goes on?
//!
//! Predicates that refinement has found are written down after its rounds, as expressions of the program, and a run that goes on begins with them. Any predicates make a sound abstraction, so
//! nothing but the effort depends on what stands there; what is no expression over the program's variables is not taken.

use std::time::Instant;

use tertium_abstraction::Predicate;
use tertium_explore::search::checkpoint_folder::{CheckpointFolder, RecordKind};
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_load::questions::QuestionId;
use tertium_program::fingerprint::fingerprint;
use tertium_program::{Binary, Expr, ExprId, Program, Sort, Type, Unary, VarId};

use super::Loop;
use crate::predicate_abstraction::Prepared;

/// What the predicates of single states are written for.
pub(super) const OF_STATES: &str = "states";

/// When predicates were written.
pub(super) struct PredicateRecords {
    program: u64,
    last: Instant,
}

impl PredicateRecords {
    /// Of a run that is written down.
    pub(super) fn of(folder: Option<&CheckpointFolder>, program: &Program) -> Option<Self> {
        folder.map(|_| Self { program: fingerprint(program), last: Instant::now() })
    }
}

impl Loop<'_> {
    /// Writes down the predicates that are there, unless that was done not long ago.
    pub(super) fn write_predicates(&mut self, prepared: &Prepared, about: &str) {
        let Some(folder) = self.work.options.checkpoints.as_deref() else { return };
        let Some(records) = self.records.as_mut().filter(|records| records.last.elapsed() >= folder.every()) else {
            return;
        };
        let program = prepared.system.program();
        let mut bytes = Vec::new();
        for predicate in prepared.system.predicates() {
            if let Some(words) = words_of(program, predicate.expr) {
                bytes.extend((words.len() as u64).to_le_bytes());
                words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
            }
        }
        folder.keep(RecordKind::Predicates, &format!("{:016x} {about}", records.program), &bytes);
        records.last = Instant::now();
    }

    /// Adds the predicates that an earlier run has written down; whether there were any.
    pub(super) fn take_up_predicates(&self, prepared: &mut Prepared, about: &str) -> bool {
        let (Some(folder), Some(records)) = (self.work.options.checkpoints.as_deref(), &self.records) else {
            return false;
        };
        let record = folder.kept(RecordKind::Predicates, &format!("{:016x} {about}", records.program));
        let before = prepared.system.predicates().len();
        for words in record.iter().flat_map(|bytes| lists(bytes)) {
            let Some(expr) = expression(prepared.system.program_mut(), &words) else { continue };
            if prepared.system.predicates().iter().any(|known| known.expr == expr) {
                continue;
            }
            let name = prepared.system.program().show(expr);
            // What has no term is no predicate.
            let _ = prepared.system.add_predicate(Predicate { name, expr });
        }
        prepared.system.predicates().len() > before
    }

    /// Answers a question on the structure, first over the predicates that an earlier run has found: more than are needed may be in the way.
    pub(super) fn refined_from_kept(
        &mut self,
        own: &mut Prepared,
        number: QuestionId,
        calls: usize,
    ) -> Result<(), Failure> {
        let (first, before) = (own.system.predicates().len(), self.answers[number.index()].clone());
        let name = self.questions[number.index()].name().to_owned();
        let knows_more = self.take_up_predicates(own, &name);
        self.refined(own, number, calls)?;
        let answer = &self.answers[number.index()];
        if knows_more && answer.value() == Belnap::Unknown && answer.stopped().is_none() {
            own.system.keep_predicates(first);
            self.answers[number.index()] = before;
            self.refined(own, number, calls)?;
        }
        Ok(())
    }
}

/// The lists in a record.
fn lists(bytes: &[u8]) -> Vec<Vec<i64>> {
    let mut words = bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().unwrap_or_default()));
    let mut lists = Vec::new();
    while let Some(len) = words.next().and_then(|len| usize::try_from(len).ok()) {
        let list: Vec<i64> = words.by_ref().take(len).collect();
        if list.len() < len {
            break;
        }
        lists.push(list);
    }
    lists
}

const NEGATIONS: [Unary; 3] = [Unary::Not, Unary::Negate, Unary::Complement];
const OPERATORS: [Binary; 21] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Mod,
    Binary::Quotient,
    Binary::Remainder,
    Binary::Eq,
    Binary::Ne,
    Binary::Lt,
    Binary::Le,
    Binary::Gt,
    Binary::Ge,
    Binary::And,
    Binary::Or,
    Binary::Implies,
    Binary::BitAnd,
    Binary::BitOr,
    Binary::BitXor,
    Binary::Shl,
    Binary::Shr,
];

/// Takes truth values, and gives one.
const fn is_logical(operator: Binary) -> bool {
    matches!(operator, Binary::And | Binary::Or | Binary::Implies)
}

/// An expression as words, operands first: a number for the operator, and the places of its operands. None if something else occurs than
/// constants, variables and operators.
fn words_of(program: &Program, root: ExprId) -> Option<Vec<i64>> {
    let (exprs, mut words) = (&program.exprs, Vec::new());
    let all = exprs.reachable(&[root]);
    let at = |id: ExprId| all.binary_search(&id).ok().and_then(|at| i64::try_from(at).ok());
    let number = |index: usize| i64::try_from(index).ok();
    for &id in &all {
        match exprs.get(id) {
            Expr::Bool(value) => words.extend([0, i64::from(value)]),
            Expr::Int(value) => words.extend([1, value]),
            Expr::Var(var) => words.extend([2, number(var.index())?]),
            Expr::Element(var, list) => {
                let indices = exprs.list(list);
                words.extend([3, number(var.index())?, number(indices.len())?]);
                for &index in indices {
                    words.push(at(index)?);
                }
            }
            Expr::Unary(operator, a) => {
                words.extend([4, number(NEGATIONS.iter().position(|known| *known == operator)?)?, at(a)?]);
            }
            Expr::Binary(operator, a, b) => {
                words.extend([5, number(OPERATORS.iter().position(|known| *known == operator)?)?, at(a)?, at(b)?]);
            }
            Expr::If(c, a, b) => words.extend([6, at(c)?, at(a)?, at(b)?]),
            _ => return None,
        }
    }
    Some(words)
}

/// The truth value that words stand for; none if they stand for nothing of this program.
fn expression(program: &mut Program, words: &[i64]) -> Option<ExprId> {
    let (mut words, mut known): (_, Vec<ExprId>) = (words.iter().copied(), Vec::new());
    while let Some(tag) = words.next() {
        let mut next = || usize::try_from(words.next()?).ok();
        let expr = match tag {
            0 => program.exprs.bool(next()? != 0),
            1 => program.exprs.int(words.next()?),
            2 | 3 => {
                let var = VarId::new(next().filter(|at| *at < program.variables.len())?);
                let count = if tag == 3 { next()? } else { 0 };
                let mut indices = Vec::new();
                for _ in 0..count {
                    indices.push(known.get(next()?).copied()?);
                }
                variable(program, var, &indices)?
            }
            4 => {
                let operator = *NEGATIONS.get(next()?)?;
                let a = known.get(next()?).copied()?;
                let sort = if operator == Unary::Not { Sort::Bool } else { Sort::Int };
                (program.exprs.sort(a) == sort).then(|| program.exprs.add(Expr::Unary(operator, a)))?
            }
            5 => {
                let operator = *OPERATORS.get(next()?)?;
                let (a, b) = (known.get(next()?).copied()?, known.get(next()?).copied()?);
                let sorts = (program.exprs.sort(a), program.exprs.sort(b));
                let fits = match operator {
                    Binary::Eq | Binary::Ne => sorts.0 == sorts.1,
                    operator if is_logical(operator) => sorts == (Sort::Bool, Sort::Bool),
                    _ => sorts == (Sort::Int, Sort::Int),
                };
                fits.then(|| program.exprs.add(Expr::Binary(operator, a, b)))?
            }
            6 => {
                let mut part = || known.get(next()?).copied();
                let (c, a, b) = (part()?, part()?, part()?);
                let exprs = &program.exprs;
                let fits = exprs.sort(c) == Sort::Bool && exprs.sort(a) == exprs.sort(b);
                fits.then(|| program.exprs.add(Expr::If(c, a, b)))?
            }
            _ => return None,
        };
        let exprs = &program.exprs;
        if exprs.depth(expr) > tertium_program::expr::DEEPEST || exprs.size(expr) > tertium_program::expr::LARGEST {
            return None;
        }
        known.push(expr);
    }
    known.last().copied().filter(|&root| program.exprs.sort(root) == Sort::Bool)
}

/// A variable, or a cell of an array.
fn variable(program: &mut Program, var: VarId, indices: &[ExprId]) -> Option<ExprId> {
    let variable = program.variable(var);
    let fits = variable.dimensions.len() == indices.len();
    let sort = if variable.ty == Type::Bool { Sort::Bool } else { Sort::Int };
    if !fits || indices.iter().any(|&index| program.exprs.sort(index) != Sort::Int) {
        return None;
    }
    Some(match indices {
        [] => program.exprs.add_sorted(Expr::Var(var), sort),
        indices => {
            let list = program.exprs.add_list(indices);
            program.exprs.add_sorted(Expr::Element(var, list), sort)
        }
    })
}

#[cfg(test)]
mod tests {
    use tertium_load::program::from_text;

    use super::*;

    const TEXT: &str = "system s var x, y : int = 0 var b : bool var a : array[0..3] of int\n\
        process P { loop { x := x + 1; } }\n\
        property one : ctl AG (x + 2 * y <= 7 || b && a[x] = 3 -> (if b then x else y) < a[0] - 1)\n\
        property two : ctl AG !(x div 3 = y mod 2)\n";

    #[test]
    fn expressions_that_are_written_and_read_are_the_same() {
        let mut program = from_text("s.gcl", TEXT.to_owned(), &[], None).expect("no mistakes").program;
        let all = (0..program.exprs.len()).map(ExprId::new);
        let truths: Vec<ExprId> = all.filter(|&expr| program.exprs.sort(expr) == Sort::Bool).collect();
        let mut compared = 0;
        for expr in truths {
            let Some(words) = words_of(&program, expr) else { continue };
            assert_eq!(expression(&mut program, &words), Some(expr), "{}", program.show(expr));
            compared += 1;
        }
        assert!(compared >= 6, "{compared}");
    }

    #[test]
    fn whatever_stands_there_is_a_truth_value_or_nothing() {
        let mut program = from_text("s.gcl", TEXT.to_owned(), &[], None).expect("no mistakes").program;
        let all: Vec<Vec<i64>> =
            (0..program.exprs.len()).filter_map(|at| words_of(&program, ExprId::new(at))).collect();
        for words in all {
            for (at, value) in
                (0..words.len()).flat_map(|at| [-1, 0, 1, 2, 3, 6, 99, i64::MAX].map(|value| (at, value)))
            {
                let mut wrong = words.clone();
                wrong[at] = value;
                for words in [&wrong[..], &wrong[..at]] {
                    if let Some(expr) = expression(&mut program, words) {
                        assert_eq!(program.exprs.sort(expr), Sort::Bool);
                    }
                }
            }
        }
        assert_eq!(lists(&[1, 0, 0, 0, 0, 0, 0, 0, 7]), Vec::<Vec<i64>>::new());
    }
}
