//! Quantifier elimination (Cooper 1972; test points as of Loos and Weispfenning 1993): is there a value of an input, said exactly and without a quantifier?
//!
//! A comparison with the input changes its value at one place at most two neighbours wide. So the line falls apart into intervals on which the whole term has one value: each begins where a comparison
//! changes, or has no beginning. It is enough to try these beginnings, and a value below all of them; where the input has factors, a multiple of it is tried, and from each beginning as far as the next number that it divides. Where quotients or remainders
//! of the input by constants matter, it is written as a multiple of these and a remainder, one remainder after the other. Where the input occurs in another way (in a product, an index, a function) nothing is said.

use std::collections::{BTreeSet, HashMap, HashSet};

use tertium_smt::{Bounds, Sort, Term, TermId, Terms};

use crate::system::Choice;

/// A disjunction with more parts is not made.
const MOST_PARTS: usize = 400;
/// Where factors have a greater common multiple, nothing is said.
const MOST_MULTIPLE: i128 = 6;
/// Where there are factors, a disjunction with more parts for one input is not made: remainders are hard for solvers, too.
const MOST_PARTS_OF_MULTIPLES: usize = 48;

/// Where quotients and remainders have a greater common multiple, nothing is said.
const MOST_MODULUS: i128 = 6;

/// A comparison `factor * input + rest <= value`, or with `=`.
struct Comparison {
    atom: TermId,
    factor: i128,
    rest: Vec<(TermId, i128)>,
    value: i128,
    equals: bool,
}

/// "For some values of these inputs, the term holds", without quantifiers; none if an input occurs in another way than alone in comparisons, or there is too much to try.
pub(crate) fn eliminated(terms: &mut Terms, term: TermId, inputs: &[Choice]) -> Option<TermId> {
    let mut parts: BTreeSet<TermId> = BTreeSet::from([term]);
    for &input in inputs {
        let mut next = BTreeSet::new();
        for part in parts {
            next.extend(without(terms, part, input)?);
            if next.len() > MOST_PARTS {
                return None;
            }
        }
        parts = next;
    }
    let parts: Vec<TermId> = parts.into_iter().collect();
    Some(terms.any(&parts))
}

/// The alternatives that together say that the term holds for some value of the input.
fn without(terms: &mut Terms, term: TermId, input: Choice) -> Option<Vec<TermId>> {
    if terms.sort(input.symbol) == Sort::Bool {
        let values = [terms.bool(false), terms.bool(true)];
        let put = |value: TermId| terms.substitute(term, &HashMap::from([(input.symbol, value)]));
        return Some(values.map(put).to_vec());
    }
    if let Some((modulus, places)) = divided(terms, term, input.symbol)? {
        return by_remainders(terms, (term, input), modulus, &places);
    }
    let comparisons = comparisons(terms, term, input.symbol)?;
    // The input times this has no factor in any comparison; it is what values are tried of.
    let multiple = comparisons.iter().try_fold(1i128, |multiple, one| {
        let multiple = multiple / greatest_common_divisor(multiple, one.factor.abs()) * one.factor.abs();
        (multiple <= MOST_MULTIPLE).then_some(multiple)
    })?;
    // Comparisons may have been simplified by what is known of the symbol.
    let own = terms.bounds(input.symbol);
    let scaled = |bound: Option<i128>| bound.map_or(Some(None), |bound| bound.checked_mul(multiple).map(Some));
    let low = scaled([input.bounds.0, own.0].into_iter().flatten().max())?;
    let high = scaled([input.bounds.1, own.1].into_iter().flatten().min())?;
    let mut begins: BTreeSet<TermId> = BTreeSet::new();
    for one in &comparisons {
        begins.extend(one.begins(terms, multiple)?);
    }
    begins.extend(low.map(|low| terms.int(low)));
    if multiple > 1 && begins.len() > MOST_PARTS_OF_MULTIPLES / usize::try_from(multiple).unwrap_or(usize::MAX) {
        return None;
    }
    let mut found = Vec::new();
    if low.is_none() {
        // Below all of them; an upper bound does no harm.
        let first = |one: &Comparison| (one.atom, terms.bool(!one.equals && one.factor > 0));
        let first = comparisons.iter().map(first).collect();
        found.push(terms.substitute(term, &first));
    }
    for begin in begins {
        for further in 0..multiple {
            let value = terms.weighted(&[(begin, 1)], further);
            found.push(put(terms, term, (value, multiple), &comparisons, (low, high))?);
        }
    }
    Some(found)
}

/// A quotient or remainder by a constant, of a sum in which the input has a factor.
struct Divided {
    term: TermId,
    is_quotient: bool,
    divisor: i128,
    factor: i128,
    rest: Vec<(TermId, i128)>,
    constant: i128,
}

/// The quotients and remainders of the input by constants, and a common multiple of these constants; inside `None` if there are none, none at all if one is of another form.
fn divided(terms: &Terms, term: TermId, input: TermId) -> Option<Option<(i128, Vec<Divided>)>> {
    let (mut found, mut modulus) = (Vec::new(), 1i128);
    for id in terms.reachable(&[term]) {
        let (of, by, is_quotient) = match terms.get(id) {
            Term::Div(of, by) => (of, by, true),
            Term::Mod(of, by) => (of, by, false),
            _ => continue,
        };
        if !terms.reachable(&[of, by]).contains(&input) {
            continue;
        }
        let divisor = terms.as_int(by).filter(|&by| by > 0 && by <= MOST_MODULUS)?;
        let (parts, constant) = match terms.get(of) {
            Term::Sum(sum) => (terms.sum(sum).parts.clone(), terms.sum(sum).constant),
            _ => (vec![(of, 1)], 0),
        };
        let &(_, factor) = parts.iter().find(|(part, _)| *part == input)?;
        let rest: Vec<(TermId, i128)> = parts.into_iter().filter(|(part, _)| *part != input).collect();
        let others: Vec<TermId> = rest.iter().map(|&(part, _)| part).collect();
        if terms.reachable(&others).contains(&input) {
            return None;
        }
        modulus = modulus / greatest_common_divisor(modulus, divisor) * divisor;
        found.push(Divided { term: id, is_quotient, divisor, factor, rest, constant });
    }
    if modulus > MOST_MODULUS {
        return None;
    }
    Some((!found.is_empty()).then_some((modulus, found)))
}

/// The alternatives for each remainder of the input by the modulus: quotients and remainders are those of the remainder then.
fn by_remainders(
    terms: &mut Terms,
    (term, input): (TermId, Choice),
    modulus: i128,
    places: &[Divided],
) -> Option<Vec<TermId>> {
    let multiple = terms.fresh("?multiple", Sort::Int, (None, None));
    let own = terms.bounds(input.symbol);
    let low = [input.bounds.0, own.0].into_iter().flatten().max();
    let high = [input.bounds.1, own.1].into_iter().flatten().min();
    let mut found = Vec::new();
    for remainder in 0..modulus {
        let mut map = HashMap::from([(input.symbol, terms.weighted(&[(multiple, modulus)], remainder))]);
        for place in places {
            let own = place.factor.checked_mul(remainder)?.checked_add(place.constant)?;
            let (left, divisor) = (terms.weighted(&place.rest, own), terms.int(place.divisor));
            let value = if place.is_quotient {
                let quotient = terms.div(left, divisor);
                let each = place.factor.checked_mul(modulus / place.divisor)?;
                terms.weighted(&[(quotient, 1), (multiple, each)], 0)
            } else {
                terms.modulo(left, divisor)
            };
            map.insert(place.term, value);
        }
        let part = terms.substitute(term, &map);
        // Rounded so that nothing outside of the bounds of the input is let in.
        let bounds = (
            low.map(|low| -(remainder - low).div_euclid(modulus)),
            high.map(|high| (high - remainder).div_euclid(modulus)),
        );
        found.extend(without(terms, part, Choice { symbol: multiple, bounds })?);
        if found.len() > MOST_PARTS {
            return None;
        }
    }
    Some(found)
}

/// The term where the input, times a number, has this value, which it has to be able to have.
fn put(
    terms: &mut Terms,
    term: TermId,
    (value, multiple): (TermId, i128),
    comparisons: &[Comparison],
    (low, high): Bounds,
) -> Option<TermId> {
    let mut map = HashMap::new();
    for one in comparisons {
        map.insert(one.atom, one.at(terms, value, multiple)?);
    }
    let mut all = vec![terms.substitute(term, &map)];
    if multiple > 1 {
        let (number, zero) = (terms.int(multiple), terms.int(0));
        let remainder = terms.modulo(value, number);
        all.push(terms.eq(remainder, zero));
    }
    if let Some(low) = low {
        let low = terms.int(low);
        all.push(terms.le(low, value));
    }
    if let Some(high) = high {
        let high = terms.int(high);
        all.push(terms.le(value, high));
    }
    Some(terms.all(&all))
}

/// The greatest common divisor of positive numbers.
const fn greatest_common_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The comparisons in which the input occurs; none if it occurs elsewhere.
fn comparisons(terms: &Terms, term: TermId, input: TermId) -> Option<Vec<Comparison>> {
    let reachable = terms.reachable(&[term]);
    let mut depending: HashSet<TermId> = HashSet::from([input]);
    let mut grown = true;
    while std::mem::take(&mut grown) {
        for &id in &reachable {
            let depends = !depending.contains(&id) && terms.children(id).iter().any(|child| depending.contains(child));
            grown |= depends && depending.insert(id);
        }
    }
    let mut found = Vec::new();
    for id in reachable.into_iter().filter(|&id| id != input && depending.contains(&id)) {
        match terms.get(id) {
            Term::Not(_) | Term::And(_) => {}
            Term::Same(a, _) | Term::Ite(_, a, _) if terms.sort(a) == Sort::Bool => {}
            // Looked at where it is compared.
            Term::Sum(_) => {}
            Term::AtMost(form, value) => found.push(compared(terms, id, (form, value, false), input, &depending)?),
            Term::Equals(form, value) => found.push(compared(terms, id, (form, value, true), input, &depending)?),
            _ => return None,
        }
    }
    Some(found)
}

fn compared(
    terms: &Terms,
    atom: TermId,
    (form, value, equals): (TermId, i128, bool),
    input: TermId,
    depending: &HashSet<TermId>,
) -> Option<Comparison> {
    let parts = match terms.get(form) {
        Term::Sum(sum) => terms.sum(sum).parts.clone(),
        _ => vec![(form, 1)],
    };
    let &(_, factor) = parts.iter().find(|(part, _)| *part == input)?;
    let rest: Vec<(TermId, i128)> = parts.into_iter().filter(|(part, _)| *part != input).collect();
    (!rest.iter().any(|(part, _)| depending.contains(part))).then_some(Comparison { atom, factor, rest, value, equals })
}

impl Comparison {
    /// The rest and the value, times what makes the factor of the input, times a multiple of all factors, 1 or -1.
    fn scaled(&self, multiple: i128, sign: i128) -> Option<(Vec<(TermId, i128)>, i128)> {
        let times = (multiple / self.factor.abs()).checked_mul(sign)?;
        let rest = self.rest.iter().map(|&(part, weight)| Some((part, weight.checked_mul(times)?)));
        Some((rest.collect::<Option<_>>()?, self.value.checked_mul(times)?))
    }

    /// The values of the input, times a number, with which it begins to have another value.
    fn begins(&self, terms: &mut Terms, multiple: i128) -> Option<Vec<TermId>> {
        // Where both sides are equal: `value - rest`, or the opposite.
        let sign = self.factor.signum();
        let (rest, edge) = self.scaled(multiple, sign)?;
        let rest: Vec<(TermId, i128)> =
            rest.into_iter().map(|(part, weight)| Some((part, weight.checked_neg()?))).collect::<Option<_>>()?;
        let mut begins = Vec::new();
        if self.equals || sign < 0 {
            begins.push(terms.weighted(&rest, edge));
        }
        if self.equals || sign > 0 {
            begins.push(terms.weighted(&rest, edge.checked_add(1)?));
        }
        Some(begins)
    }

    /// The comparison where the input, times a number, has this value.
    fn at(&self, terms: &mut Terms, value: TermId, multiple: i128) -> Option<TermId> {
        let (mut parts, most) = self.scaled(multiple, 1)?;
        parts.push((value, self.factor.signum()));
        let (left, most) = (terms.weighted(&parts, 0), terms.int(most));
        Some(if self.equals { terms.eq(left, most) } else { terms.le(left, most) })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tertium_smt::{Assignment, SymbolId, Value};
    use tertium_testkit::{Rng, for_random_cases};

    use super::*;

    /// A truth value made of comparisons of these symbols.
    fn random_term(terms: &mut Terms, rng: &mut Rng, symbols: &[TermId], factors: &[i128], depth: usize) -> TermId {
        if depth == 0 || rng.chance(25) {
            let mut parts = Vec::new();
            for &symbol in symbols {
                if rng.chance(60) {
                    parts.push((symbol, factors[rng.below(factors.len())]));
                }
            }
            let constant = i128::try_from(rng.below(7)).unwrap_or(0) - 3;
            let (form, zero) = (terms.weighted(&parts, constant), terms.int(0));
            if rng.chance(15) {
                let (divisor, value) =
                    (terms.int(2 + i128::from(rng.chance(30))), terms.int(i128::from(rng.chance(50))));
                let rest = if rng.chance(70) { terms.modulo(form, divisor) } else { terms.div(form, divisor) };
                return if rng.chance(70) { terms.eq(rest, value) } else { terms.le(rest, value) };
            }
            return if rng.chance(70) { terms.le(form, zero) } else { terms.eq(form, zero) };
        }
        let [a, b] = [0, 1].map(|_| random_term(terms, rng, symbols, factors, depth - 1));
        match rng.below(4) {
            0 => terms.and(a, b),
            1 => terms.or(a, b),
            2 => terms.not(a),
            _ => {
                let c = random_term(terms, rng, symbols, factors, depth - 1);
                terms.ite(c, a, b)
            }
        }
    }

    fn holds(terms: &Terms, term: TermId, values: &BTreeMap<SymbolId, i128>) -> bool {
        let symbols = values.iter().map(|(&symbol, &value)| (symbol, Value::Int(value))).collect();
        let value = terms.eval(term, &Assignment { symbols, ..Assignment::default() });
        value.and_then(|value| value.as_bool()).expect("all symbols have values")
    }

    /// Whether the term holds for some values of the inputs, which are tried far beyond what it compares.
    fn tried(
        terms: &Terms,
        term: TermId,
        inputs: &[(SymbolId, Choice)],
        values: &mut BTreeMap<SymbolId, i128>,
    ) -> bool {
        let Some((&(symbol, choice), rest)) = inputs.split_first() else { return holds(terms, term, values) };
        let (low, high) = (choice.bounds.0.unwrap_or(-40), choice.bounds.1.unwrap_or(40));
        (low..=high).any(|value| {
            values.insert(symbol, value);
            tried(terms, term, rest, values)
        })
    }

    #[test]
    fn what_is_eliminated_is_what_all_values_say() {
        let eliminations = std::cell::Cell::new(0usize);
        for_random_cases(200, |case| {
            let rng = &mut case.rng;
            let mut terms = Terms::new();
            let known: Vec<TermId> = ["a", "b"].map(|name| terms.fresh(name, Sort::Int, (None, None))).to_vec();
            let bounds = [(None, None), (Some(-2), None), (None, Some(2)), (Some(-1), Some(1))][rng.below(4)];
            let inputs = [("x", bounds), ("y", (None, None))]
                .map(|(name, bounds)| Choice { symbol: terms.fresh(name, Sort::Int, bounds), bounds });
            let two = rng.chance(15);
            let inputs = if two { &inputs[..] } else { &inputs[..1] };
            // Of two inputs with factors more values would have to be tried.
            let factors: &[i128] = if two { &[1, -1] } else { &[1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 2, -3] };
            let most = if two { 1 } else { 3 };
            let symbols: Vec<TermId> = known.iter().copied().chain(inputs.iter().map(|input| input.symbol)).collect();
            let term = random_term(&mut terms, rng, &symbols, factors, 3);
            let Some(without) = eliminated(&mut terms, term, inputs) else { return };
            eliminations.set(eliminations.get() + 1);
            let id = |symbol: TermId| match terms.get(symbol) {
                Term::Symbol(id) => id,
                _ => panic!("a symbol"),
            };
            let named: Vec<(SymbolId, Choice)> = inputs.iter().map(|&input| (id(input.symbol), input)).collect();
            assert!(
                inputs.iter().all(|input| !terms.reachable(&[without]).contains(&input.symbol)),
                "an input is left"
            );
            for a in -most..=most {
                for b in [0, most] {
                    let mut values = BTreeMap::from([(id(known[0]), a), (id(known[1]), b)]);
                    let said = holds(&terms, without, &values);
                    assert_eq!(said, tried(&terms, term, &named, &mut values), "a={a} b={b}");
                }
            }
        });
        assert!(eliminations.get() > 50, "only {} terms were looked at", eliminations.get());
    }
}
