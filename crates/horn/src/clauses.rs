//! Commands of a script, and the clauses that they assert.

use std::collections::BTreeMap;

use tertium_base::{Diagnostic, Span};

use crate::sexpr::Form;
use crate::terms::{LARGEST, Names, Op, Sort, Term, refused, sort, wrong};

/// A clause: body and constraint imply the head.
#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// The predicate of the body and its arguments.
    pub body: Option<(usize, Vec<Term>)>,
    /// What else must hold.
    pub constraint: Vec<Term>,
    /// The predicate of the head; none for `false`.
    pub head: Option<(usize, Vec<Term>)>,
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
    pub diagnostics: Vec<Diagnostic>,
}

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
                "set-info" | "set-option" | "check-sat" | "get-model" | "exit" | "get-info" | "get-proof" | "echo"
                | "get-unsat-core",
                _,
            ) => Ok(()),
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
        let arguments: Result<Vec<Sort>, _> = sorts.list().unwrap_or_default().iter().map(sort).collect();
        let number = self.names.len();
        if self.predicates.insert(text.to_owned(), number).is_some() {
            return Err(wrong(format!("`{text}` is declared twice"), name.span()));
        }
        self.names.push(text.to_owned());
        self.arguments.push(arguments?);
        Ok(())
    }

    /// `forall` around a clause, also as `not exists`.
    fn assertion(&mut self, formula: &Form, mut variables: Vec<(String, Sort)>) -> Result<(), Box<Diagnostic>> {
        let (mut form, mut negated) = (formula, false);
        loop {
            match form.headed() {
                Some(("forall", [names, inner])) if !negated => {
                    quantified(names, &mut variables)?;
                    form = inner;
                }
                Some(("exists", [names, inner])) if negated => {
                    quantified(names, &mut variables)?;
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
        let term = self.term(form, &variables)?;
        self.clause(if negated { term.not() } else { term }, variables, formula.span())
    }

    fn query(&mut self, goal: &Form) -> Result<(), Box<Diagnostic>> {
        let span = goal.span();
        let mut variables = self.variables.clone();
        let term = match goal.atom().and_then(|name| self.predicates.get(name)) {
            // A predicate by its name: at any arguments.
            Some(&at) => {
                let first = variables.len();
                let sorts = self.arguments[at].clone();
                variables.extend(sorts.iter().enumerate().map(|(at, &sort)| (format!("any_{at}"), sort)));
                Term::Predicate(at, sorts.iter().enumerate().map(|(at, &sort)| Term::Var(first + at, sort)).collect())
            }
            None => self.term(goal, &variables)?,
        };
        self.clause(term.not(), variables, span)
    }

    fn term(&self, form: &Form, variables: &[(String, Sort)]) -> Result<Term, Box<Diagnostic>> {
        let bound = variables.iter().enumerate().map(|(at, (name, sort))| (name.clone(), Term::Var(at, *sort)));
        let mut names = Names {
            predicates: &self.predicates,
            arguments: &self.arguments,
            macros: &self.macros,
            bound: bound.collect(),
            depth: 0,
            room: LARGEST,
        };
        let term = names.term(form)?;
        if term.sort() == Sort::Bool { Ok(term) } else { Err(wrong("a formula should stand here", form.span())) }
    }

    /// A formula as a clause: what it denies is body and constraint, what it says at last is the head.
    fn clause(&mut self, term: Term, variables: Vec<(String, Sort)>, span: Span) -> Result<(), Box<Diagnostic>> {
        let mut clause = Clause { body: None, constraint: Vec::new(), head: None, variables, span };
        let mut open = vec![term];
        while let Some(said) = open.pop() {
            match said {
                Term::Bool(false) => {}
                Term::Apply(Op::Implies, mut sides) => {
                    let (head, body) = (sides.pop(), sides.pop());
                    denied(body.unwrap_or(Term::Bool(true)), &mut clause)?;
                    open.extend(head);
                }
                Term::Apply(Op::Or, parts) => open.extend(parts),
                Term::Apply(Op::Not, mut inner) => denied(inner.swap_remove(0), &mut clause)?,
                Term::Predicate(at, arguments) => {
                    if clause.head.replace((at, arguments)).is_some() {
                        return Err(refused("a clause with two heads", span));
                    }
                }
                Term::Apply(Op::And, parts) if parts.iter().any(Term::has_predicate) => {
                    // Several heads: one clause each.
                    for part in parts {
                        let rest = open.iter().cloned().chain([part]).collect();
                        let mut whole = Term::Apply(Op::Or, rest);
                        let body = clause.body.iter().map(|(at, arguments)| Term::Predicate(*at, arguments.clone()));
                        let body: Vec<Term> = body.chain(clause.constraint.iter().cloned()).collect();
                        whole = Term::Apply(Op::Implies, vec![Term::Apply(Op::And, body), whole]);
                        self.clause(whole, clause.variables.clone(), span)?;
                    }
                    return Ok(());
                }
                other if other.has_predicate() => return Err(refused("a predicate in such a place", span)),
                other => clause.constraint.push(other.not()),
            }
        }
        self.clauses.push(clause);
        Ok(())
    }
}

/// What must hold for a clause to say something.
fn denied(term: Term, clause: &mut Clause) -> Result<(), Box<Diagnostic>> {
    let mut open = vec![term];
    while let Some(part) = open.pop() {
        match part {
            Term::Bool(true) => {}
            Term::Apply(Op::And, parts) => open.extend(parts.into_iter().rev()),
            Term::Predicate(at, arguments) => {
                if clause.body.replace((at, arguments)).is_some() {
                    return Err(refused("a nonlinear clause, with two predicates in its body,", clause.span));
                }
            }
            Term::Apply(Op::Not, inner) if matches!(inner[0], Term::Apply(Op::Or, _)) => {
                if let Some(Term::Apply(_, parts)) = inner.into_iter().next() {
                    open.extend(parts.into_iter().rev().map(Term::not));
                }
            }
            other if other.has_predicate() => return Err(refused("a predicate in such a place", clause.span)),
            other => clause.constraint.push(other),
        }
    }
    Ok(())
}

fn quantified(names: &Form, variables: &mut Vec<(String, Sort)>) -> Result<(), Box<Diagnostic>> {
    for pair in names.list().unwrap_or_default() {
        match pair.list() {
            Some([name, of]) if name.atom().is_some() => {
                variables.push((name.atom().unwrap_or_default().to_owned(), sort(of)?));
            }
            _ => return Err(wrong("a variable is a name and a sort", pair.span())),
        }
    }
    Ok(())
}
