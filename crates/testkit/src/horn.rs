//! Random linear Horn clauses over integers and truth values, as scripts of SMT-LIB.
//!
//! Small numbers and many bounds, so that most scripts have an answer that is found soon: with some way to `false`, or with none.

use std::fmt::Write as _;

use crate::Rng;

/// A predicate: for each argument whether it is a truth value.
struct Predicate {
    name: String,
    truths: Vec<bool>,
}

/// Values in the constraints lie between the negative of this number and the number itself.
const LARGEST: usize = 6;

/// A random script.
#[must_use]
pub fn random_horn(rng: &mut Rng) -> String {
    let predicates: Vec<Predicate> = (0..rng.between(&(1..=3))).map(|at| predicate(rng, at)).collect();
    let mut text = "(set-logic HORN)\n".to_owned();
    for Predicate { name, truths } in &predicates {
        let sorts: Vec<&str> = truths.iter().map(|&truth| if truth { "Bool" } else { "Int" }).collect();
        let _ = writeln!(text, "(declare-fun {name} ({}) Bool)", sorts.join(" "));
    }
    for _ in 0..rng.between(&(1..=2)) {
        let head = rng.below(predicates.len());
        text.push_str(&Clause::new(rng, None, Some(&predicates[head])).written());
    }
    for _ in 0..rng.between(&(1..=4)) {
        let (body, head) = (rng.below(predicates.len()), rng.below(predicates.len()));
        text.push_str(&Clause::new(rng, Some(&predicates[body]), Some(&predicates[head])).written());
    }
    for _ in 0..rng.between(&(1..=2)) {
        let body = rng.below(predicates.len());
        text.push_str(&Clause::new(rng, Some(&predicates[body]), None).written());
    }
    text.push_str("(check-sat)\n");
    text
}

fn predicate(rng: &mut Rng, at: usize) -> Predicate {
    let truths = (0..rng.between(&(1..=3))).map(|_| rng.chance(20)).collect();
    Predicate { name: format!("p{at}"), truths }
}

/// One clause while it is made.
struct Clause<'r> {
    rng: &'r mut Rng,
    /// Its variables: numbers, then truth values.
    numbers: Vec<String>,
    truths: Vec<String>,
    body: Vec<String>,
    head: String,
}

impl<'r> Clause<'r> {
    fn new(rng: &'r mut Rng, body: Option<&Predicate>, head: Option<&Predicate>) -> Self {
        let mut clause =
            Clause { rng, numbers: Vec::new(), truths: Vec::new(), body: Vec::new(), head: "false".to_owned() };
        if let Some(body) = body {
            let arguments: Vec<String> = body.truths.iter().map(|&truth| clause.variable(truth)).collect();
            clause.body.push(applied(&body.name, &arguments));
        }
        // Something that is chosen anew.
        if clause.numbers.is_empty() || clause.rng.chance(30) {
            let chosen = clause.variable(false);
            let (low, high) = (clause.number(), clause.number());
            clause.body.push(format!("(>= {chosen} {low})"));
            clause.body.push(format!("(<= {chosen} {high})"));
        }
        for _ in 0..clause.rng.between(&(0..=2)) {
            let condition = clause.condition(1);
            clause.body.push(condition);
        }
        if let Some(head) = head {
            let arguments: Vec<String> = head.truths.iter().map(|&truth| clause.argument(truth)).collect();
            clause.head = applied(&head.name, &arguments);
        } else {
            let condition = clause.condition(1);
            clause.body.push(condition);
        }
        clause
    }

    fn variable(&mut self, truth: bool) -> String {
        let (letter, known) = if truth { ('b', &mut self.truths) } else { ('x', &mut self.numbers) };
        known.push(format!("{letter}{}", known.len()));
        known[known.len() - 1].clone()
    }

    /// A constant, as solvers write it.
    fn number(&mut self) -> String {
        let value = self.rng.below(LARGEST + 1);
        if value > 0 && self.rng.chance(30) { format!("(- {value})") } else { value.to_string() }
    }

    fn argument(&mut self, truth: bool) -> String {
        if truth { self.condition(1) } else { self.term(1) }
    }

    fn term(&mut self, depth: usize) -> String {
        let known = self.numbers.clone();
        match self.rng.below(if depth == 0 { 3 } else { 9 }) {
            0 => self.number(),
            1 | 2 => self.rng.pick(&known).clone(),
            3 | 4 => format!("(+ {} {})", self.rng.pick(&known), self.number()),
            5 => format!("(- {} {})", self.term(0), self.term(0)),
            6 => format!("(* {} {})", self.rng.between(&(2..=3)), self.rng.pick(&known)),
            7 => format!("(mod {} {})", self.rng.pick(&known), self.rng.between(&(2..=4))),
            _ => format!("(ite {} {} {})", self.condition(0), self.term(0), self.term(0)),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let truths = self.truths.clone();
        if !truths.is_empty() && self.rng.chance(30) {
            return self.rng.pick(&truths).clone();
        }
        match self.rng.below(if depth == 0 { 5 } else { 8 }) {
            5 => format!("(not {})", self.condition(0)),
            6 => format!("(and {} {})", self.condition(0), self.condition(0)),
            7 => format!("(or {} {})", self.condition(0), self.condition(0)),
            at => format!("({} {} {})", ["<", "<=", ">", ">=", "="][at], self.term(depth), self.term(0)),
        }
    }

    fn written(&self) -> String {
        let numbers = self.numbers.iter().map(|name| format!("({name} Int)"));
        let all: Vec<String> = numbers.chain(self.truths.iter().map(|name| format!("({name} Bool)"))).collect();
        let (variables, body, head) = (all.join(" "), self.body.join(" "), &self.head);
        format!("(assert (forall ({variables}) (=> (and true {body}) {head})))\n")
    }
}

fn applied(name: &str, arguments: &[String]) -> String {
    format!("({name} {})", arguments.join(" "))
}
