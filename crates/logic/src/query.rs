//! Which formula belongs where a temporal-logic query has its placeholder?
//!
//! A *query* (Chan 2000) is a formula with a placeholder `?{p, q}`: what is asked for are the strongest propositional formulas over the
//! atoms listed with which it holds. The placeholder must stand once and positively, so that a weaker formula in its place
//! makes the whole weaker. A propositional formula is handled as its set of *rows*, the rows of the truth table where it holds, and written as
//! the disjunction of its prime implicants: in Kleene's tables, that is the form which is true wherever every row that
//! unknown labels leave open belongs to it.
//!
//! Not here: solving queries (crates `check` and `structures`).

use std::collections::BTreeSet;

use crate::formula::{Atom, AtomId, Formula, FormulaBuilder, Logic, Node, NodeId};

/// At most this many atoms may be listed: their rows are counted in one small array.
pub const MOST_QUERY_ATOMS: usize = 8;

/// How a placeholder over all propositions of the model is written.
pub(crate) const ANY: &str = "?";

/// A set of rows of a truth table over at most [`MOST_QUERY_ATOMS`] atoms. Bit `i` of a row's number is the value of atom `i`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct RowSet([u64; 4]);

impl RowSet {
    /// No row: the formula `false`.
    pub const NONE: Self = Self([0; 4]);

    /// The set of these rows.
    #[must_use]
    pub fn of(rows: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::NONE;
        rows.into_iter().for_each(|row| set.0[row >> 6] |= 1 << (row & 63));
        set
    }

    /// All rows over this many atoms: the formula `true`.
    #[must_use]
    pub fn all(atoms: usize) -> Self {
        Self::of(0..1 << atoms)
    }

    /// Whether a row is in it.
    #[must_use]
    pub const fn contains(self, row: usize) -> bool {
        self.0[row >> 6] >> (row & 63) & 1 != 0
    }

    /// What is in either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// What is in this set alone.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// Whether everything in it is in `other`, so that its formula is at least as strong.
    #[must_use]
    pub fn is_subset(self, other: Self) -> bool {
        self.without(other) == Self::NONE
    }

    /// Its rows, ascending.
    pub fn rows(self) -> impl Iterator<Item = usize> {
        (0..256).filter(move |&row| self.contains(row))
    }
}

/// The placeholder of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// The atom that stands for it.
    pub atom: AtomId,
    /// The atoms listed; none for `?`, which lists all propositions of the model.
    pub names: Option<Vec<String>>,
}

/// Why a formula with placeholders is no query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoQuery {
    /// There is more than one placeholder, or one stands in several places.
    Several,
    /// It stands under an odd number of negations.
    Negative,
    /// It stands where both polarities matter, as beside `<->` and `xor`.
    Mixed,
}

/// The atom's text of a placeholder that lists these names, as it is written.
pub(crate) fn placeholder_text(names: &[&str]) -> String {
    format!("{ANY}{{{}}}", names.join(", "))
}

/// Whether an atom is a placeholder.
#[must_use]
pub fn is_placeholder(atom: &Atom) -> bool {
    !atom.quoted && atom.text.starts_with(ANY)
}

/// The placeholder of a formula; none if it has none.
///
/// # Errors
/// If it has several, or one that does not stand positively.
pub fn placeholder(formula: &Formula) -> Result<Option<Placeholder>, NoQuery> {
    let is = |atom: AtomId| is_placeholder(&formula.atoms()[atom.index()]);
    let found = formula.node_ids().filter_map(|id| match formula.node(id) {
        Node::Atom(atom) if is(atom) => Some((id, atom)),
        _ => None,
    });
    let found: Vec<(NodeId, AtomId)> = found.collect();
    let Some(&(node, atom)) = found.first() else { return Ok(None) };
    let places = places(formula, node);
    if found.len() > 1 || places.count > 1 {
        return Err(NoQuery::Several);
    }
    match (places.positive, places.negative) {
        (true, false) => {}
        (_, true) if places.positive => return Err(NoQuery::Mixed),
        _ => return Err(NoQuery::Negative),
    }
    let text = &formula.atoms()[atom.index()].text;
    let listed = text.strip_prefix(ANY).and_then(|rest| rest.strip_prefix('{')).and_then(|rest| rest.strip_suffix('}'));
    let split =
        |list: &str| list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    Ok(Some(Placeholder { atom, names: listed.map(split) }))
}

struct Places {
    count: usize,
    positive: bool,
    negative: bool,
}

/// In how many places a node occurs, and under which signs. Beside `<->` it is one place with both signs.
fn places(formula: &Formula, node: NodeId) -> Places {
    let nodes = formula.nodes().len();
    let (mut count, mut signs) = (vec![0usize; nodes], vec![[false; 2]; nodes]);
    (count[formula.root().index()], signs[formula.root().index()]) = (1, [true, false]);
    for id in formula.node_ids().rev() {
        let (here, [plus, minus]) = (count[id.index()], signs[id.index()]);
        let mut pass = |child: NodeId, sign: [bool; 2]| {
            count[child.index()] = count[child.index()].saturating_add(here);
            let entry = &mut signs[child.index()];
            *entry = [entry[0] | sign[0], entry[1] | sign[1]];
        };
        match formula.node(id) {
            Node::Not(a) => pass(a, [minus, plus]),
            Node::Implies(a, b) => {
                pass(a, [minus, plus]);
                pass(b, [plus, minus]);
            }
            Node::Iff(a, b) | Node::Xor(a, b) => [a, b].into_iter().for_each(|child| pass(child, [plus || minus; 2])),
            other => other.children().for_each(|child| pass(child, [plus, minus])),
        }
    }
    let [positive, negative] = signs[node.index()];
    Places { count: count[node.index()], positive, negative }
}

/// A conjunction of literals: which atoms it speaks of, and their values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Term {
    spoken_of: u16,
    values: u16,
}

impl Term {
    fn covers(self, row: usize) -> bool {
        row & usize::from(self.spoken_of) == usize::from(self.values)
    }
}

/// All prime implicants of a set of rows over this many atoms, by merging (Quine 1952, `McCluskey` 1956); those that speak of few atoms first.
#[must_use]
pub fn prime_implicants(rows: RowSet, atoms: usize) -> Vec<Term> {
    let spoken_of = u16::try_from((1usize << atoms) - 1).unwrap_or(u16::MAX);
    let row = |row: usize| Term { spoken_of, values: u16::try_from(row).unwrap_or(u16::MAX) };
    let mut level: BTreeSet<Term> = rows.rows().map(row).collect();
    let mut primes = Vec::new();
    while !level.is_empty() {
        let (mut merged, mut next) = (BTreeSet::new(), BTreeSet::new());
        for &term in &level {
            for bit in (0..atoms).map(|at| 1u16 << at).filter(|bit| term.spoken_of & bit != 0) {
                if level.contains(&Term { values: term.values ^ bit, ..term }) {
                    merged.insert(term);
                    next.insert(Term { spoken_of: term.spoken_of & !bit, values: term.values & !bit });
                }
            }
        }
        primes.extend(level.difference(&merged).copied());
        level = next;
    }
    // Few atoms first, and atoms before their negations, in the order of the list.
    let order = |bits: u16| std::cmp::Reverse(bits.reverse_bits());
    primes.sort_by_key(|term| (term.spoken_of.count_ones(), order(term.spoken_of), order(term.values)));
    primes
}

/// Terms enough to cover the rows, where each row is either there or not: none of them can be left out.
#[must_use]
pub fn irredundant(terms: &[Term], rows: RowSet) -> Vec<Term> {
    let mut kept = terms.to_vec();
    let mut at = kept.len();
    while at > 0 {
        at -= 1;
        let others = |row: usize| kept.iter().enumerate().any(|(other, term)| other != at && term.covers(row));
        if rows.rows().all(others) {
            kept.remove(at);
        }
    }
    kept
}

/// The disjunction of terms over atoms of these names.
fn disjunction(builder: &mut FormulaBuilder, terms: &[Term], names: &[String]) -> NodeId {
    let mut any: Option<NodeId> = None;
    for term in terms {
        let mut all: Option<NodeId> = None;
        for (at, name) in names.iter().enumerate().filter(|(at, _)| term.spoken_of >> at & 1 != 0) {
            let mut literal = builder.atom(Atom { text: name.clone(), quoted: false });
            if term.values >> at & 1 == 0 {
                literal = builder.add(Node::Not(literal));
            }
            all = Some(all.map_or(literal, |others| builder.add(Node::And(others, literal))));
        }
        let all = all.unwrap_or_else(|| builder.add(Node::True));
        any = Some(any.map_or(all, |others| builder.add(Node::Or(others, all))));
    }
    any.unwrap_or_else(|| builder.add(Node::False))
}

/// Terms as a formula that stands alone.
#[must_use]
pub fn terms_formula(terms: &[Term], names: &[String]) -> Formula {
    let mut builder = FormulaBuilder::new();
    let root = disjunction(&mut builder, terms, names);
    builder.finish(root, Logic::Ctl)
}

/// The query with its placeholder replaced by the disjunction of these terms.
#[must_use]
pub fn filled(query: &Formula, placeholder: AtomId, terms: &[Term], names: &[String]) -> Formula {
    let mut builder = query.to_builder();
    let formula = disjunction(&mut builder, terms, names);
    let mut made: Vec<NodeId> = Vec::with_capacity(query.nodes().len());
    for id in query.node_ids() {
        made.push(match query.node(id) {
            Node::Atom(atom) if atom == placeholder => formula,
            node => builder.add(node.map_children(|child| made[child.index()])),
        });
    }
    builder.finish(made[query.root().index()], query.logic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse};

    fn read(text: &str) -> Formula {
        let parsed = parse(text, &ParseOptions::default());
        parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics))
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn queries_are_read_and_written() {
        let query = read("AG (p -> AF ?{q,  r})");
        assert_eq!(query.text(), "AG (p -> AF ?{q, r})");
        assert_eq!(read(&query.text()).text(), query.text());
        assert_eq!(placeholder(&query).unwrap().unwrap().names, Some(names(&["q", "r"])));
        assert_eq!(placeholder(&read("EF ?")).unwrap().unwrap().names, None);
        assert_eq!(placeholder(&read("EF ?{}")).unwrap().unwrap().names, Some(Vec::new()));
        assert_eq!(placeholder(&read("AG \"?{q}\"")), Ok(None), "a quoted atom is a proposition");
    }

    #[test]
    fn one_placeholder_in_a_positive_place() {
        let of = |text: &str| placeholder(&read(text)).map(|found| found.is_some());
        assert_eq!(of("AG p"), Ok(false));
        assert_eq!(of("!EF !?{p}"), Ok(true));
        assert_eq!(of("(?{p} -> q) -> q"), Ok(true));
        assert_eq!(of("AG !?{p}"), Err(NoQuery::Negative));
        assert_eq!(of("AG (?{p} -> q)"), Err(NoQuery::Negative));
        assert_eq!(of("AG (?{p} <-> q)"), Err(NoQuery::Mixed));
        assert_eq!(of("AG ?{p} & EF ?{q}"), Err(NoQuery::Several));
        assert_eq!(of("AG ?{p} & EF ?{p}"), Err(NoQuery::Several));
    }

    #[test]
    fn sets_of_rows_are_written_as_their_prime_implicants() {
        let of = |rows: &[usize]| {
            let set = RowSet::of(rows.iter().copied());
            terms_formula(&prime_implicants(set, 2), &names(&["p", "q"])).text()
        };
        assert_eq!(of(&[]), "false");
        assert_eq!(of(&[0, 1, 2, 3]), "true");
        assert_eq!(of(&[1, 3]), "p");
        assert_eq!(of(&[1, 2, 3]), "p | q");
        assert_eq!(of(&[1, 2]), "p & !q | !p & q");
    }

    /// Every set of rows over three atoms: the primes are exactly the implicants of which no part is one.
    #[test]
    fn primes_agree_with_their_definition() {
        let all: Vec<Term> = (0u16..8)
            .flat_map(|spoken_of| (0u16..8).map(move |values| Term { spoken_of, values }))
            .filter(|term| term.values & !term.spoken_of == 0)
            .collect();
        for bits in 0usize..256 {
            let rows = RowSet::of((0..8).filter(|row| bits >> row & 1 != 0));
            let implicant = |term: &Term| (0..8).all(|row| !term.covers(row) || rows.contains(row));
            let weaker =
                |a: &Term, b: &Term| a != b && a.spoken_of & !b.spoken_of == 0 && b.values & a.spoken_of == a.values;
            let implicants: Vec<Term> = all.iter().copied().filter(implicant).collect();
            let mut primes: Vec<Term> =
                implicants.iter().copied().filter(|term| !implicants.iter().any(|other| weaker(other, term))).collect();
            let found = prime_implicants(rows, 3);
            let few = irredundant(&found, rows);
            assert!((0..8).all(|row| few.iter().any(|term| term.covers(row)) == rows.contains(row)), "{bits}");
            let mut found = found;
            found.sort_unstable();
            primes.sort_unstable();
            assert_eq!(found, primes, "{bits}");
        }
    }
}
