//! Which predicates does an abstraction begin with?
//!
//! Those that the command line gives; without any, those of the text, and the comparisons in guards, assertions and the
//! properties that are asked. Predicates that say the same, or the opposite, count once; those over concrete variables only
//! are not needed.

use std::collections::BTreeSet;

use tertium_abstraction::invariants::intervals;
use tertium_abstraction::keep::kept;
use tertium_abstraction::translate::Translator;
use tertium_abstraction::{Options, Predicate};
use tertium_program::{Action, Binary, Expr, ExprId, Program, Sort, Unary, VarId};
use tertium_smt::{Term, TermId, Terms};

/// The predicates to begin with. `given` of those in the program are from the command line, at the end.
#[must_use]
pub fn beginning(program: &Program, given: usize, asked: &[ExprId], options: &Options) -> Vec<Predicate> {
    let own = program.predicates.len() - given;
    if given > 0 {
        let named = program.predicates[own..].iter();
        return named.map(|named| Predicate { name: named.name.clone(), expr: named.expr }).collect();
    }
    let mut chosen = Chosen::new(program, options);
    for named in &program.predicates {
        chosen.add(named.expr, Some(named.name.clone()));
    }
    for step in &program.steps {
        let mut conditions = vec![step.guard];
        conditions.extend(program.process(step.process).provided);
        if let Action::Assert(condition) = step.action {
            conditions.push(condition);
        }
        conditions.into_iter().for_each(|condition| chosen.add_atoms(condition));
    }
    for &atom in asked {
        chosen.add_atoms(atom);
    }
    chosen.predicates
}

/// The comparisons that a condition is made of.
fn atoms(program: &Program, condition: ExprId) -> Vec<ExprId> {
    let exprs = &program.exprs;
    let mut open = vec![condition];
    let mut atoms = Vec::new();
    while let Some(id) = open.pop() {
        let truths = |a: ExprId| exprs.sort(a) == Sort::Bool;
        match exprs.get(id) {
            Expr::Unary(Unary::Not, a) => open.push(a),
            Expr::Binary(Binary::And | Binary::Or | Binary::Implies, a, b) => open.extend([b, a]),
            Expr::Binary(Binary::Eq | Binary::Ne, a, b) if truths(a) => open.extend([b, a]),
            Expr::If(c, a, b) if truths(a) => open.extend([b, a, c]),
            Expr::Bool(_) | Expr::At(..) | Expr::Deadlock => {}
            _ => atoms.push(id),
        }
    }
    atoms
}

/// What the program says about its initial states, beyond the predicates that are there.
pub(crate) fn of_start(program: &Program, known: &[Predicate]) -> Vec<Predicate> {
    let said = program.init.map(|init| atoms(program, init)).unwrap_or_default();
    let functions = |expr: ExprId| {
        let parts = program.exprs.reachable(&[expr]);
        parts.into_iter().any(|id| matches!(program.exprs.get(id), Expr::Apply(..) | Expr::Input(..)))
    };
    let new = |expr: &ExprId| known.iter().all(|other| other.expr != *expr) && !functions(*expr);
    said.into_iter().filter(new).map(|expr| Predicate { name: program.show(expr), expr }).collect()
}

struct Chosen<'p> {
    program: &'p Program,
    terms: Terms,
    translator: Translator,
    concrete: BTreeSet<VarId>,
    known: BTreeSet<TermId>,
    predicates: Vec<Predicate>,
}

impl<'p> Chosen<'p> {
    fn new(program: &'p Program, options: &Options) -> Self {
        let bounds = intervals(program);
        let concrete = kept(program, &bounds, options).into_iter().map(|(var, _)| var).collect();
        let mut terms = Terms::new();
        let translator = Translator::new(program, &bounds, &mut terms);
        Self { program, terms, translator, concrete, known: BTreeSet::new(), predicates: Vec::new() }
    }

    /// Adds the comparisons that a condition is made of.
    fn add_atoms(&mut self, condition: ExprId) {
        for atom in atoms(self.program, condition) {
            self.add(atom, None);
        }
    }

    fn add(&mut self, expr: ExprId, name: Option<String>) {
        let reachable = self.program.exprs.reachable(&[expr]);
        let odd = |id: &ExprId| matches!(self.program.exprs.get(*id), Expr::Input(..) | Expr::Deadlock | Expr::At(..));
        let reads = self.program.footprint_of(expr).reads;
        let functions = reachable.iter().any(|&id| matches!(self.program.exprs.get(id), Expr::Apply(..)));
        let concrete = !functions && reads.iter().all(|var| self.concrete.contains(var));
        if reachable.iter().any(odd) || concrete {
            return;
        }
        let Ok(term) = self.translator.term(self.program, expr, &mut self.terms) else { return };
        let positive = match self.terms.get(term) {
            Term::Not(inner) => inner,
            _ => term,
        };
        if self.terms.as_bool(positive).is_none() && self.known.insert(positive) {
            let name = name.unwrap_or_else(|| self.program.show(expr));
            self.predicates.push(Predicate { name, expr });
        }
    }
}
