//! Horn clauses: which relations hold of everything that clauses derive, and of nothing bad?
//!
//! Property-directed reachability for linear arithmetic, as Spacer does it inside Z3 (Komuravelli, Gurfinkel and Chaki 2014). Relations stand for what is reached at places, clauses for steps between them; a clause without a conclusion
//! must never apply. A solution is an inductive invariant for each place.
//!
//! Nothing rests on it: what is found is read from text as a term over the arguments, and whoever uses it shows what follows. Only "there is a solution" comes with something to use.

mod reader;

use tertium_base::{Budget, panics};
use z3::ast::{Ast, Bool, Dynamic, forall_const};
use z3::{Fixedpoint, FuncDecl, Params, SatResult, Sort as Z3Sort};

use self::reader::interpretations;
use crate::library::{self, Call};
use crate::loading;
use crate::solver::{Limit, SolverError};
use crate::term::{TermId, Terms};
use crate::z3_solver::{Z3, sort};

/// Steps that an unrolling may have, where that has an end. Work is not counted as a whole: without an end to its levels the engine may go on for ever.
pub const FEW_LEVELS: u32 = 8;

/// What is reached at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation {
    /// Symbols for its arguments.
    pub arguments: Vec<TermId>,
}

/// If the arguments of a relation are such that a condition holds, then another relation holds, of these arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HornClause {
    /// The relation that is assumed of its own arguments; none where everything begins.
    pub from: Option<usize>,
    /// What else is assumed, about those arguments and other symbols.
    pub condition: TermId,
    /// The conclusion; none where there must be nothing.
    pub to: Option<(usize, Vec<TermId>)>,
}

/// Relations and clauses about them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HornClauses {
    /// The relations, by their numbers.
    pub relations: Vec<Relation>,
    /// The clauses.
    pub clauses: Vec<HornClause>,
}

/// What became of the question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HornReply {
    /// For each relation a term over its arguments; none where it could not be read.
    Solved(Vec<Option<TermId>>),
    /// The clauses contradict each other: something bad is derived.
    Refuted,
    /// Nothing is known.
    GaveUp,
}

impl HornClauses {
    /// Asks for a solution within a limit, by unrollings of at most so many steps; none: however many it takes, which may be more than the limit allows.
    ///
    /// # Errors
    /// If there is no library.
    pub fn solve(
        &self,
        terms: &mut Terms,
        limit: Limit,
        levels: Option<u32>,
        budget: &Budget,
    ) -> Result<HornReply, SolverError> {
        loading::load()?;
        if library::is_spent() {
            return Ok(HornReply::GaveUp);
        }
        let mut solver = Z3::new()?;
        let done = panics::quietly(|| {
            let _call = Call::begin(budget);
            library::limit_memory(budget);
            self.ask(terms, &mut solver, limit.within(budget), levels)
        });
        if done.is_none() {
            library::failed();
        }
        Ok(done.flatten().unwrap_or(HornReply::GaveUp))
    }

    fn ask(&self, terms: &mut Terms, solver: &mut Z3, limit: Limit, levels: Option<u32>) -> Option<HornReply> {
        let engine = Fixedpoint::new();
        let mut params = Params::new();
        params.set_symbol("engine", "spacer");
        // Slicing and inlining leave relations out of the answer.
        params.set_bool("xform.slice", false);
        params.set_bool("xform.inline_linear", false);
        params.set_bool("xform.inline_eager", false);
        params.set_u32("rlimit", limit.work.unwrap_or(0));
        let millis = limit.time.map_or(u32::MAX, |time| u32::try_from(time.as_millis() + 1).unwrap_or(u32::MAX));
        params.set_u32("timeout", millis);
        if let Some(levels) = levels {
            params.set_u32("spacer.max_level", levels);
        }
        engine.set_params(&params);
        let relations = self.relations.iter().enumerate().map(|(number, relation)| {
            let sorts: Vec<Z3Sort> = relation.arguments.iter().map(|&symbol| sort(terms.sort(symbol))).collect();
            FuncDecl::new(format!("place{number}"), &sorts.iter().collect::<Vec<_>>(), &Z3Sort::bool())
        });
        let relations: Vec<FuncDecl> = relations.collect();
        let bad = FuncDecl::new("bad", &[], &Z3Sort::bool());
        relations.iter().chain([&bad]).for_each(|relation| engine.register_relation(relation));
        for clause in &self.clauses {
            let rule = self.rule(terms, solver, (&relations, &bad), clause)?;
            engine.add_rule(&rule, None);
        }
        match engine.query_relations(&[&bad]) {
            _ if library::failed() => None,
            SatResult::Sat => Some(HornReply::Refuted),
            SatResult::Unknown => None,
            SatResult::Unsat => {
                let text = engine.get_answer()?.to_string();
                Some(HornReply::Solved(interpretations(terms, &self.relations, &text)))
            }
        }
    }

    fn rule(
        &self,
        terms: &mut Terms,
        solver: &mut Z3,
        (relations, bad): (&[FuncDecl], &FuncDecl),
        clause: &HornClause,
    ) -> Option<Bool> {
        let mut all = vec![clause.condition];
        all.extend(clause.from.iter().flat_map(|&from| self.relations[from].arguments.iter().copied()));
        all.extend(clause.to.iter().flat_map(|(_, arguments)| arguments.iter().copied()));
        let mut body: Vec<Bool> = Vec::new();
        for condition in terms.side_conditions(&all) {
            body.push(solver.make(terms, condition)?.as_bool()?);
        }
        body.push(solver.make(terms, clause.condition)?.as_bool()?);
        if let Some(from) = clause.from {
            body.push(applied(terms, solver, &relations[from], &self.relations[from].arguments)?);
        }
        let head = match &clause.to {
            Some((to, arguments)) => applied(terms, solver, &relations[*to], arguments)?,
            None => bad.apply(&[]).as_bool()?,
        };
        let rule = Bool::and(&body).implies(&head);
        let symbols: Vec<TermId> = terms.symbols_of(&all).into_iter().map(|symbol| terms.of_symbol(symbol)).collect();
        let symbols: Option<Vec<Dynamic>> = symbols.into_iter().map(|symbol| solver.make(terms, symbol)).collect();
        let symbols = symbols?;
        let symbols: Vec<&dyn Ast> = symbols.iter().map(|symbol| symbol as &dyn Ast).collect();
        Some(if symbols.is_empty() { rule } else { forall_const(&symbols, &[], &rule) })
    }
}

fn applied(terms: &mut Terms, solver: &mut Z3, relation: &FuncDecl, arguments: &[TermId]) -> Option<Bool> {
    let made: Option<Vec<Dynamic>> = arguments.iter().map(|&argument| solver.make(terms, argument)).collect();
    let made = made?;
    let made: Vec<&dyn Ast> = made.iter().map(|argument| argument as &dyn Ast).collect();
    relation.apply(&made).as_bool()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    /// `x` counts from 0 while it is below `most`; bad above `bad`.
    fn counter(terms: &mut Terms, most: i128, bad: i128) -> HornClauses {
        let x = terms.fresh("x", Sort::Int, (None, None));
        let (zero, one) = (terms.int(0), terms.int(1));
        let (most, bad) = (terms.int(most), terms.int(bad));
        let (next, goes_on, is_bad, always) =
            (terms.add(x, one), terms.lt(x, most), terms.lt(bad, x), terms.bool(true));
        let step = HornClause { from: Some(0), condition: goes_on, to: Some((0, vec![next])) };
        let start = HornClause { from: None, condition: always, to: Some((0, vec![zero])) };
        let wrong = HornClause { from: Some(0), condition: is_bad, to: None };
        HornClauses { relations: vec![Relation { arguments: vec![x] }], clauses: vec![start, step, wrong] }
    }

    #[test]
    fn a_counter_has_an_invariant_or_none() {
        let mut terms = Terms::new();
        let limit = Limit { work: Some(1_000_000), time: None };
        let clauses = counter(&mut terms, 10, 10);
        let reply = clauses.solve(&mut terms, limit, Some(FEW_LEVELS), &Budget::unlimited()).expect("the library");
        let HornReply::Solved(found) = reply else { panic!("{reply:?}") };
        assert!(found[0].is_some_and(|term| terms.as_bool(term).is_none()), "{found:?}");
        // Its derivation is shorter than the unrollings may be.
        let clauses = counter(&mut terms, 10, 3);
        assert_eq!(
            clauses.solve(&mut terms, limit, Some(FEW_LEVELS), &Budget::unlimited()).expect("the library"),
            HornReply::Refuted
        );
    }
}
