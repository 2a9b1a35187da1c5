//! Commands of a script, and the clauses that they assert.

use std::collections::BTreeMap;

use tertium_base::{Diagnostic, Span};

use crate::sexpr::Form;
use crate::terms::{LARGEST, Names, Op, Sort, Term, declared, refused, sort, wrong};

/// A clause: body and constraint imply the head.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// The predicate of the body and its arguments.
    pub body: Option<(usize, Vec<Term>)>,
    /// What else must hold.
    pub constraint: Vec<Term>,
    /// The predicate of the head; none for `false`.
    pub head: Option<(usize, Vec<Term>)>,
    /// Which goal its `false` is: 0, or the number of the query that it stands for.
    pub goal: usize,
    /// The names and sorts of its variables.
    pub variables: Vec<(String, Sort)>,
    pub span: Span,
}

/// What was read so far.
#[derive(Default)]
pub(crate) struct Script {
    pub predicates: BTreeMap<String, usize>,
    pub names: Vec<String>,
    pub arguments: Vec<Vec<Sort>>,
    pub clauses: Vec<Clause>,
    macros: BTreeMap<String, (Vec<String>, Form)>,
    /// Variables of the format of fixed points: `declare-var`.
    variables: Vec<(String, Sort)>,
    /// The queries, one after the other; none in the format of SMT-LIB, which asks whether `false` is derived.
    pub goals: Vec<Goal>,
    /// Where `check-sat` stands.
    checked: Option<Span>,
    pub diagnostics: Vec<Diagnostic>,
}

/// The names and sorts of variables, by their numbers.
type Variables = Vec<(String, Sort)>;

/// A question about the clauses before it.
#[derive(Clone, Debug)]
pub(crate) struct Goal {
    /// The predicate that a query names.
    pub predicate: Option<String>,
    pub span: Span,
}

/// A formula is at most so many clauses.
const MOST_CLAUSES: usize = 10_000;

/// Nothing: what went wrong is noted.
pub(crate) struct Wrong;

impl Script {
    /// Takes one command.
    pub fn command(&mut self, form: &Form) -> Result<(), Wrong> {
        let done = self.take(form);
        done.map_err(|error| {
            self.diagnostics.push(*error);
            Wrong
        })
    }

    fn take(&mut self, form: &Form) -> Result<(), Box<Diagnostic>> {
        let span = form.span();
        let Some((head, rest)) = form.headed() else { return Err(wrong("a command should stand here", span)) };
        match (head, rest) {
            ("set-logic", [logic]) => match logic.atom() {
                Some("HORN") => Ok(()),
                other => Err(refused(&format!("the logic `{}`", other.unwrap_or("?")), span)),
            },
            (
                "set-info" | "set-option" | "get-model" | "exit" | "get-info" | "get-proof" | "echo" | "get-unsat-core",
                _,
            ) => Ok(()),
            ("check-sat", []) => {
                self.checked = Some(span);
                Ok(())
            }
            ("declare-fun", [name, sorts, result]) => {
                if sort(result)? != Sort::Bool {
                    return Err(refused("a function that is no predicate", span));
                }
                self.declare(name, sorts)
            }
            ("declare-rel", [name, sorts]) => self.declare(name, sorts),
            ("declare-const", [_, _]) => Err(refused("a constant without a value", span)),
            ("declare-var", [name, of]) => {
                let of = sort(of)?;
                self.variables.push((name.atom().unwrap_or_default().to_owned(), of));
                Ok(())
            }
            ("define-fun", [name, parameters, _, body]) => {
                let names: Vec<String> = parameters
                    .list()
                    .unwrap_or_default()
                    .iter()
                    .filter_map(|pair| Some(pair.list()?.first()?.atom()?.to_owned()))
                    .collect();
                self.macros.insert(name.atom().unwrap_or_default().to_owned(), (names, body.clone()));
                Ok(())
            }
            ("define-const", [name, _, body]) => {
                self.macros.insert(name.atom().unwrap_or_default().to_owned(), (Vec::new(), body.clone()));
                Ok(())
            }
            ("assert", [formula]) => self.assertion(formula, Vec::new()),
            ("rule", [formula, ..]) => self.assertion(formula, self.variables.clone()),
            ("query", [goal, ..]) => self.query(goal),
            (other, _) => Err(refused(&format!("the command `{other}`"), span)),
        }
    }

    fn declare(&mut self, name: &Form, sorts: &Form) -> Result<(), Box<Diagnostic>> {
        let Some(text) = name.atom() else { return Err(wrong("a name should stand here", name.span())) };
        if self.predicates.contains_key(text) {
            return Err(wrong(format!("`{text}` is declared twice"), name.span()));
        }
        let arguments: Vec<Sort> = sorts.list().unwrap_or_default().iter().map(sort).collect::<Result<_, _>>()?;
        self.predicates.insert(text.to_owned(), self.names.len());
        self.names.push(text.to_owned());
        self.arguments.push(arguments);
        Ok(())
    }

    /// `forall` around a clause, also as `not exists`.
    fn assertion(&mut self, formula: &Form, mut variables: Vec<(String, Sort)>) -> Result<(), Box<Diagnostic>> {
        if let Some(asked) = self.goals.last().map(|goal| goal.span).or(self.checked) {
            let late = *refused("a clause after the question that it would take part in", formula.span());
            return Err(Box::new(late.also(asked, "asked here")));
        }
        let (mut form, mut negated) = (formula, false);
        loop {
            match form.headed() {
                Some(("forall", [names, inner])) if !negated => {
                    variables.extend(declared(names)?);
                    form = inner;
                }
                Some(("exists", [names, inner])) if negated => {
                    variables.extend(declared(names)?);
                    form = inner;
                }
                Some(("not", [inner])) => {
                    negated = !negated;
                    form = inner;
                }
                Some(("!", [inner, ..])) => form = inner,
                _ => break,
            }
        }
        let (term, variables) = self.term(form, variables)?;
        self.clauses_of(if negated { term.not() } else { term }, variables, 0, formula.span())
    }

    /// `(query p)`: can `p` be derived, at some arguments?
    fn query(&mut self, goal: &Form) -> Result<(), Box<Diagnostic>> {
        let span = goal.span();
        if self.goals.is_empty() && self.clauses.iter().any(|clause| clause.head.is_none()) {
            return Err(refused("a query beside clauses that imply `false`", span));
        }
        let mut variables = self.variables.clone();
        let (name, term) = match goal.atom().and_then(|name| self.predicates.get(name).map(|&at| (name, at))) {
            // A predicate by its name: at any arguments.
            Some((name, at)) => {
                let first = variables.len();
                let sorts = self.arguments[at].clone();
                variables.extend(sorts.iter().enumerate().map(|(at, &sort)| (format!("any_{at}"), sort)));
                let arguments = sorts.iter().enumerate().map(|(at, &sort)| Term::Var(first + at, sort)).collect();
                (Some(name.to_owned()), Term::Predicate(at, arguments))
            }
            None => {
                let (term, all) = self.term(goal, variables)?;
                variables = all;
                (None, term)
            }
        };
        self.goals.push(Goal { predicate: name, span });
        self.clauses_of(term.not(), variables, self.goals.len() - 1, span)
    }

    /// A formula over these variables, and the variables with those of quantifiers inside.
    fn term(&self, form: &Form, variables: Vec<(String, Sort)>) -> Result<(Term, Variables), Box<Diagnostic>> {
        let bound = variables.iter().enumerate().map(|(at, (name, sort))| (name.clone(), Term::Var(at, *sort)));
        let mut names = Names {
            predicates: &self.predicates,
            arguments: &self.arguments,
            macros: &self.macros,
            bound: bound.collect(),
            depth: 0,
            room: LARGEST,
            variables,
        };
        let term = names.term(form)?;
        if term.sort() == Sort::Bool {
            Ok((term, names.variables))
        } else {
            Err(wrong("a formula should stand here", form.span()))
        }
    }

    /// A formula as clauses, each a disjunction: what it denies is body and constraint, what it says is the head.
    fn clauses_of(
        &mut self,
        term: Term,
        variables: Vec<(String, Sort)>,
        goal: usize,
        span: Span,
    ) -> Result<(), Box<Diagnostic>> {
        let clause = Clause { body: None, constraint: Vec::new(), head: None, goal, variables, span };
        let mut drafts = vec![Draft { clause, open: vec![(term, true)] }];
        let mut count = 0;
        while let Some(mut draft) = drafts.pop() {
            count += 1;
            if count > MOST_CLAUSES {
                return Err(refused("a formula that is so many clauses", span));
            }
            if let Some(cases) = draft.advance()? {
                drafts.extend(cases.into_iter().rev());
            } else if !draft.clause.constraint.contains(&Term::Bool(false)) {
                self.clauses.push(draft.clause);
            }
        }
        Ok(())
    }
}

/// A clause that is being made of a formula.
#[derive(Clone)]
struct Draft {
    clause: Clause,
    /// Parts of the disjunction that have not been looked at, each said or denied; the next one last.
    open: Vec<(Term, bool)>,
}

impl Draft {
    /// Takes the parts apart until all are, or one of them makes several clauses.
    fn advance(&mut self) -> Result<Option<Vec<Self>>, Box<Diagnostic>> {
        while let Some((term, said)) = self.open.pop() {
            match (term, said) {
                (Term::Bool(value), said) if value != said => {}
                (Term::Bool(_), _) => self.clause.constraint.push(Term::Bool(false)),
                (Term::Apply(Op::Not, mut inner), said) => self.open.push((inner.swap_remove(0), !said)),
                (Term::Apply(Op::Or, parts), true) => {
                    self.open.extend(parts.into_iter().rev().map(|part| (part, true)))
                }
                (Term::Apply(Op::And, parts), false) => {
                    self.open.extend(parts.into_iter().rev().map(|part| (part, false)));
                }
                (Term::Apply(Op::Implies, mut sides), true) => {
                    let (head, body) = (sides.pop(), sides.pop());
                    self.open.extend(head.map(|head| (head, true)));
                    self.open.extend(body.map(|body| (body, false)));
                }
                (Term::Predicate(at, arguments), said) => self.predicate(at, arguments, said)?,
                (Term::Quantified(all, inner), said) if all == said => self.open.push((*inner, said)),
                (term, said) if term.is_more_than_constraint() => return self.split(term, said).map(Some),
                (term, true) => self.clause.constraint.push(term.not()),
                (term, false) => self.clause.constraint.push(term),
            }
        }
        Ok(None)
    }

    fn predicate(&mut self, at: usize, arguments: Vec<Term>, said: bool) -> Result<(), Box<Diagnostic>> {
        let (place, what) = if said {
            (&mut self.clause.head, "a clause with two heads")
        } else {
            (&mut self.clause.body, "a nonlinear clause, with two predicates in its body,")
        };
        if arguments.iter().any(Term::is_more_than_constraint) {
            return Err(refused("a predicate inside an argument", self.clause.span));
        }
        let fact = (at, arguments);
        match place {
            Some(known) if *known == fact => Ok(()),
            Some(_) => Err(refused(what, self.clause.span)),
            None => {
                *place = Some(fact);
                Ok(())
            }
        }
    }

    /// A part with predicates in it that is a conjunction: one clause for each of its members.
    fn split(&self, term: Term, said: bool) -> Result<Vec<Self>, Box<Diagnostic>> {
        let span = self.clause.span;
        let two = |mut sides: Vec<Term>| {
            let last = sides.pop().unwrap_or(Term::Bool(true));
            (sides.pop().unwrap_or(Term::Bool(true)), last)
        };
        let cases: Vec<Vec<(Term, bool)>> = match (term, said) {
            (Term::Apply(Op::And, parts), true) | (Term::Apply(Op::Or, parts), false) => {
                parts.into_iter().map(|part| vec![(part, said)]).collect()
            }
            (Term::Apply(Op::Implies, sides), false) => {
                let (body, head) = two(sides);
                vec![vec![(body, true)], vec![(head, false)]]
            }
            (Term::Apply(Op::If, mut parts), said) => {
                let no = parts.pop().unwrap_or(Term::Bool(true));
                let (condition, yes) = two(parts);
                vec![vec![(yes, said), (condition.clone(), false)], vec![(no, said), (condition, true)]]
            }
            (Term::Apply(Op::Eq, sides), said) if sides[0].sort() == Sort::Bool => {
                let (a, b) = two(sides);
                vec![vec![(b.clone(), said), (a.clone(), false)], vec![(b, !said), (a, true)]]
            }
            (Term::Quantified(..), _) => return Err(refused("a quantifier in such a place", span)),
            _ => return Err(refused("a predicate in such a place", span)),
        };
        let with = |parts: Vec<(Term, bool)>| {
            let mut draft = self.clone();
            draft.open.extend(parts);
            draft
        };
        Ok(cases.into_iter().map(with).collect())
    }
}
