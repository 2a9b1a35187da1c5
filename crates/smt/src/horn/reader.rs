//! A solution of Horn clauses as Z3 writes it, read as terms.
//!
//! The text is a conjunction of `(forall ((A Int) …) (= (place0 A …) …))`, or of one such part; `let` gives names to what occurs more than once. What has another shape is not read.

use std::collections::HashMap;

use super::Relation;
use crate::term::{Sort, TermId, Terms};

/// What is nested deeper is not read.
const DEEPEST: usize = 200;

/// A text in brackets.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Word(String),
    List(Vec<Part>),
}

/// For each relation what the text says about it, as a term over its arguments.
pub(super) fn interpretations(terms: &mut Terms, relations: &[Relation], text: &str) -> Vec<Option<TermId>> {
    let mut found = vec![None; relations.len()];
    let Some(part) = parts(text) else { return found };
    let mut open = vec![&part];
    while let Some(part) = open.pop() {
        let Part::List(list) = part else { continue };
        match list.as_slice() {
            [Part::Word(and), rest @ ..] if and == "and" => open.extend(rest),
            [Part::Word(forall), Part::List(_), body] if forall == "forall" => open.push(body),
            // Remarks for the solver.
            [Part::Word(remark), body, ..] if remark == "!" => open.push(body),
            _ => {
                if let Some((number, term)) = interpretation(terms, relations, part) {
                    found[number] = Some(term);
                }
            }
        }
    }
    found
}

fn interpretation(terms: &mut Terms, relations: &[Relation], body: &Part) -> Option<(usize, TermId)> {
    let Part::List(list) = body else { return None };
    let [Part::Word(equal), head, says] = list.as_slice() else { return None };
    if equal != "=" && equal != "=>" {
        return None;
    }
    let (name, arguments): (&str, &[Part]) = match head {
        Part::Word(name) => (name, &[]),
        Part::List(list) => match list.as_slice() {
            [Part::Word(name), arguments @ ..] => (name, arguments),
            _ => return None,
        },
    };
    let number: usize = name.strip_prefix("place")?.parse().ok()?;
    let formal = &relations.get(number)?.arguments;
    let mut names: HashMap<String, TermId> = HashMap::new();
    for (argument, &symbol) in arguments.iter().zip(formal) {
        let Part::Word(name) = argument else { return None };
        names.insert(name.clone(), symbol);
    }
    let term = read(terms, &names, says, 0)?;
    (terms.sort(term) == Sort::Bool).then_some((number, term))
}

/// The brackets of a text.
fn parts(text: &str) -> Option<Part> {
    let mut open: Vec<Vec<Part>> = vec![Vec::new()];
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c != '(' && c != ')' && !c.is_whitespace() {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            open.last_mut()?.push(Part::Word(std::mem::take(&mut word)));
        }
        match c {
            '(' if open.len() > DEEPEST => return None,
            '(' => open.push(Vec::new()),
            ')' => {
                let list = open.pop()?;
                open.last_mut()?.push(Part::List(list));
            }
            _ => {}
        }
    }
    let mut all = open.pop().filter(|_| open.is_empty())?;
    all.pop().filter(|_| all.is_empty())
}

/// A term; none if it has an operator that is not known here. No deeper than the brackets.
fn read(terms: &mut Terms, names: &HashMap<String, TermId>, part: &Part, depth: usize) -> Option<TermId> {
    let list = match part {
        Part::Word(word) => return word_of(terms, names, word),
        Part::List(list) => list,
    };
    let (Part::Word(operator), operands) = list.split_first()? else { return None };
    if depth > DEEPEST {
        return None;
    }
    if operator == "let" {
        let [Part::List(bound), body] = operands else { return None };
        let mut inner = names.clone();
        for one in bound {
            let Part::List(pair) = one else { return None };
            let [Part::Word(name), value] = pair.as_slice() else { return None };
            let value = read(terms, names, value, depth + 1)?;
            inner.insert(name.clone(), value);
        }
        return read(terms, &inner, body, depth + 1);
    }
    let mut values = Vec::new();
    for operand in operands {
        values.push(read(terms, names, operand, depth + 1)?);
    }
    applied(terms, operator, &values)
}

fn word_of(terms: &mut Terms, names: &HashMap<String, TermId>, word: &str) -> Option<TermId> {
    match word {
        "true" => Some(terms.bool(true)),
        "false" => Some(terms.bool(false)),
        _ => match names.get(word) {
            Some(&term) => Some(term),
            None => word.parse::<i128>().ok().map(|value| terms.int(value)),
        },
    }
}

fn applied(terms: &mut Terms, operator: &str, values: &[TermId]) -> Option<TermId> {
    let all = |sort: Sort, terms: &Terms| values.iter().all(|&value| terms.sort(value) == sort);
    let numbers = all(Sort::Int, terms);
    let truths = all(Sort::Bool, terms);
    match (operator, values) {
        ("and", _) if truths => Some(terms.all(values)),
        ("or", _) if truths => Some(terms.any(values)),
        ("not", &[a]) if truths => Some(terms.not(a)),
        ("=>", &[a, b]) if truths => {
            let not = terms.not(a);
            Some(terms.or(not, b))
        }
        ("=", &[a, b]) if numbers || truths => Some(terms.eq(a, b)),
        ("<=", &[a, b]) if numbers => Some(terms.le(a, b)),
        ("<", &[a, b]) if numbers => Some(terms.lt(a, b)),
        (">=", &[a, b]) if numbers => Some(terms.le(b, a)),
        (">", &[a, b]) if numbers => Some(terms.lt(b, a)),
        ("-", &[a]) if numbers => {
            let zero = terms.int(0);
            Some(terms.sub(zero, a))
        }
        ("-", &[a, b]) if numbers => Some(terms.sub(a, b)),
        ("+", &[first, ref rest @ ..]) if numbers => Some(rest.iter().fold(first, |sum, &value| terms.add(sum, value))),
        ("*", &[a, b]) if numbers => match (terms.as_int(a), terms.as_int(b)) {
            (Some(factor), _) => Some(terms.weighted(&[(b, factor)], 0)),
            (_, Some(factor)) => Some(terms.weighted(&[(a, factor)], 0)),
            _ => None,
        },
        ("ite", &[c, a, b]) if terms.sort(c) == Sort::Bool && terms.sort(a) == terms.sort(b) => {
            Some(terms.ite(c, a, b))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let mut terms = Terms::new();
        let x = terms.fresh("x", Sort::Int, (None, None));
        let relations = [Relation { arguments: vec![x] }, Relation { arguments: Vec::new() }];
        let text = "(and (forall ((A Int)) (! (= (place0 A) (let ((a!1 (not (>= A 11)))) (and a!1 (<= 0 A)))) :weight 0)) (= place1 false))";
        let found = interpretations(&mut terms, &relations, text);
        let (zero, ten) = (terms.int(0), terms.int(10));
        let (low, high) = (terms.le(zero, x), terms.le(x, ten));
        assert_eq!(found, [Some(terms.and(low, high)), Some(terms.bool(false))]);
        for other in ["", "(", "(= place0", "(forall ((A Int)) (= (place7 A) true))", "(= (place0 A) (frob A))"] {
            assert_eq!(interpretations(&mut terms, &relations, other), [None, None], "{other}");
        }
    }
}
