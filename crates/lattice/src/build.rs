//! Is this table a De Morgan lattice? Checks the laws and makes the tables.
//!
//! Bounds are found in an order of the elements in which smaller ones come first: the greatest lower
//! bound of two elements, if it exists, is then the last of their common lower bounds.
//! Distributivity is checked as "join-irreducible elements are prime", which is equivalent in finite
//! lattices and takes a number of word operations quadratic in the size.

use std::collections::{HashMap, VecDeque};

use crate::rows::{Rows, common, first, last, members};
use crate::{DeMorganLattice, Element, LatticeError};

/// The lattice that these tables describe; see [`DeMorganLattice::new`].
pub(crate) fn from_tables<S: AsRef<str>>(
    elements: &[S],
    below: &[(S, S)],
    negation: &[(S, S)],
) -> Result<DeMorganLattice, LatticeError> {
    check_size(elements.len())?;
    let places = number_names(elements)?;
    let names: Vec<String> = elements.iter().map(|name| name.as_ref().to_owned()).collect();
    let find = |name: &S, in_negation: bool| {
        let unknown = || LatticeError::UnknownElement { name: name.as_ref().to_owned(), in_negation };
        places.get(name.as_ref()).copied().ok_or_else(unknown)
    };
    let mut order = Rows::new(names.len());
    for (lower, upper) in below {
        order.set(find(lower, false)?.index(), find(upper, false)?.index());
    }
    let mut negations: Vec<Option<Element>> = vec![None; names.len()];
    for (element, value) in negation {
        let (at, value) = (find(element, true)?, find(value, true)?);
        if let Some(other) = negations[at.index()].replace(value).filter(|&other| other != value) {
            let values = [other, value].map(|value| names[value.index()].clone());
            return Err(LatticeError::NegationTwice { element: names[at.index()].clone(), values });
        }
    }
    Builder { names, places }.build(order, &negations)
}

/// The lattice with this order and negation, both by index; used for built-in ones.
pub(crate) fn from_functions(
    names: Vec<String>,
    leq: impl Fn(usize, usize) -> bool,
    neg: impl Fn(usize) -> usize,
) -> Result<DeMorganLattice, LatticeError> {
    check_size(names.len())?;
    let places = number_names(&names)?;
    let size = names.len();
    let mut order = Rows::new(size);
    for a in 0..size {
        for b in (0..size).filter(|&b| leq(a, b)) {
            order.set(a, b);
        }
    }
    let negations: Vec<_> = (0..size).map(|at| Some(Element::new(neg(at)))).collect();
    Builder { names, places }.build(order, &negations)
}

/// Whether this many elements are acceptable.
pub(crate) fn check_size(given: usize) -> Result<(), LatticeError> {
    let limit = DeMorganLattice::MAX_ELEMENTS;
    match given {
        0 => Err(LatticeError::Empty),
        _ if given > limit => Err(LatticeError::TooLarge { given, limit }),
        _ => Ok(()),
    }
}

fn number_names<S: AsRef<str>>(elements: &[S]) -> Result<HashMap<String, Element>, LatticeError> {
    let mut places = HashMap::new();
    for (at, name) in elements.iter().enumerate() {
        let name = name.as_ref().to_owned();
        if places.insert(name.clone(), Element::new(at)).is_some() {
            return Err(LatticeError::DuplicateElement { name });
        }
    }
    Ok(places)
}

struct Builder {
    names: Vec<String>,
    places: HashMap<String, Element>,
}

impl Builder {
    fn name(&self, at: usize) -> String {
        self.names[at].clone()
    }

    fn build(self, given: Rows, negations: &[Option<Element>]) -> Result<DeMorganLattice, LatticeError> {
        let mut order = given.clone();
        order.close();
        self.check_antisymmetry(&given, &order)?;
        let bounds = self.find_bounds(&order)?;
        let irreducibles = join_irreducibles(&order, &bounds.joins);
        self.check_distributivity(&order, &irreducibles, &bounds)?;
        let negations = self.check_negation(&order, negations)?;
        let stars = stars(&order, &irreducibles, &negations);
        let size = self.names.len();
        let extreme = |table: &[Element]| (1..size).fold(Element::new(0), |a, b| table[a.index() * size + b]);
        Ok(DeMorganLattice {
            bottom: extreme(&bounds.meets),
            top: extreme(&bounds.joins),
            names: self.names,
            places: self.places,
            meets: bounds.meets,
            joins: bounds.joins,
            negations,
            irreducibles,
            stars,
        })
    }

    fn check_antisymmetry(&self, given: &Rows, order: &Rows) -> Result<(), LatticeError> {
        let size = self.names.len();
        for a in 0..size {
            if let Some(b) = (0..size).find(|&b| b != a && order.get(a, b) && order.get(b, a)) {
                let mut elements = shortest_way(given, a, b);
                elements.extend(shortest_way(given, b, a));
                return Err(LatticeError::Cycle { elements: elements.into_iter().map(|at| self.name(at)).collect() });
            }
        }
        Ok(())
    }

    fn find_bounds(&self, order: &Rows) -> Result<Bounds, LatticeError> {
        let size = self.names.len();
        let sorted = Sorted::new(order);
        let mut bounds =
            Bounds { meets: vec![Element::new(0); size * size], joins: vec![Element::new(0); size * size] };
        for a in 0..size {
            for b in a..size {
                let meet = sorted.meet(a, b).map_err(|candidates| LatticeError::NoMeet {
                    of: [self.name(a), self.name(b)],
                    candidates: candidates.into_iter().map(|at| self.name(at)).collect(),
                })?;
                let join = sorted.join(a, b).map_err(|candidates| LatticeError::NoJoin {
                    of: [self.name(a), self.name(b)],
                    candidates: candidates.into_iter().map(|at| self.name(at)).collect(),
                })?;
                for at in [a * size + b, b * size + a] {
                    bounds.meets[at] = Element::new(meet);
                    bounds.joins[at] = Element::new(join);
                }
            }
        }
        Ok(bounds)
    }

    /// If `j <= b | c` but neither `j <= b` nor `j <= c`, then `j & (b | c) = j`, while `j & b` and `j & c`
    /// are smaller than `j`, and so is their join, because `j` is join-irreducible.
    fn check_distributivity(
        &self,
        order: &Rows,
        irreducibles: &[Element],
        bounds: &Bounds,
    ) -> Result<(), LatticeError> {
        let size = self.names.len();
        let mut below = Rows::new(size);
        for a in 0..size {
            for j in irreducibles.iter().filter(|j| order.get(j.index(), a)) {
                below.set(a, j.index());
            }
        }
        for b in 0..size {
            for c in b..size {
                let join = bounds.joins[b * size + c].index();
                let lost = |word: usize| below.row(join)[word] & !(below.row(b)[word] | below.row(c)[word]);
                if let Some(word) = (0..below.row(join).len()).find(|&word| lost(word) != 0) {
                    let j = word * 64 + lost(word).trailing_zeros() as usize;
                    let meet = |a: usize, b: usize| bounds.meets[a * size + b].index();
                    let join_of_meets = bounds.joins[meet(j, b) * size + meet(j, c)].index();
                    return Err(LatticeError::NotDistributive {
                        of: [self.name(j), self.name(b), self.name(c)],
                        meet_of_join: self.name(meet(j, join)),
                        join_of_meets: self.name(join_of_meets),
                    });
                }
            }
        }
        Ok(())
    }

    fn check_negation(&self, order: &Rows, given: &[Option<Element>]) -> Result<Vec<Element>, LatticeError> {
        let missing = |at: usize| LatticeError::NegationMissing { element: self.name(at) };
        let negations: Vec<Element> =
            given.iter().enumerate().map(|(at, value)| value.ok_or_else(|| missing(at))).collect::<Result<_, _>>()?;
        let neg = |at: usize| negations[at].index();
        let size = negations.len();
        if let Some(at) = (0..size).find(|&at| neg(neg(at)) != at) {
            return Err(LatticeError::NotInvolution {
                element: self.name(at),
                negation: self.name(neg(at)),
                double_negation: self.name(neg(neg(at))),
            });
        }
        for a in 0..size {
            if let Some(b) = (0..size).find(|&b| order.get(a, b) && !order.get(neg(b), neg(a))) {
                return Err(LatticeError::NotAntitone {
                    lower: [self.name(a), self.name(neg(a))],
                    upper: [self.name(b), self.name(neg(b))],
                });
            }
        }
        Ok(negations)
    }
}

struct Bounds {
    meets: Vec<Element>,
    joins: Vec<Element>,
}

/// The order with smaller elements first, so that extreme bounds are found by position.
struct Sorted {
    /// Element at each position, and position of each element.
    elements: Vec<usize>,
    places: Vec<usize>,
    up: Rows,
    down: Rows,
}

impl Sorted {
    fn new(order: &Rows) -> Self {
        let down = order.transposed();
        let mut elements: Vec<usize> = (0..down.size()).collect();
        elements.sort_by_key(|&at| down.count(at));
        let mut places = vec![0; elements.len()];
        for (place, &at) in elements.iter().enumerate() {
            places[at] = place;
        }
        Self { up: order.renamed(&places), down: down.renamed(&places), elements, places }
    }

    /// The greatest lower bound, or else all maximal lower bounds.
    fn meet(&self, a: usize, b: usize) -> Result<usize, Vec<usize>> {
        let shared = common(self.down.row(self.places[a]), self.down.row(self.places[b]));
        match last(&shared) {
            Some(greatest) if self.down.row(greatest) == shared => Ok(self.elements[greatest]),
            _ => Err(self.extreme(&shared, &self.up)),
        }
    }

    /// The least upper bound, or else all minimal upper bounds.
    fn join(&self, a: usize, b: usize) -> Result<usize, Vec<usize>> {
        let shared = common(self.up.row(self.places[a]), self.up.row(self.places[b]));
        match first(&shared) {
            Some(least) if self.up.row(least) == shared => Ok(self.elements[least]),
            _ => Err(self.extreme(&shared, &self.down)),
        }
    }

    /// Those of `shared` beyond which `further` knows no other one of them.
    fn extreme(&self, shared: &[u64], further: &Rows) -> Vec<usize> {
        let alone = |&at: &usize| members(&common(shared, further.row(at))).all(|other| other == at);
        let mut found: Vec<usize> = members(shared).filter(alone).map(|at| self.elements[at]).collect();
        found.sort_unstable();
        found
    }
}

/// The elements that are not the join of what lies strictly below them.
fn join_irreducibles(order: &Rows, joins: &[Element]) -> Vec<Element> {
    let size = order.size();
    let is_irreducible = |at: usize| {
        let mut below = (0..size).filter(|&other| other != at && order.get(other, at));
        let Some(one) = below.next() else { return false };
        below.fold(one, |join, other| joins[join * size + other].index()) != at
    };
    (0..size).filter(|&at| is_irreducible(at)).map(Element::new).collect()
}

/// `neg(j)` is meet-irreducible, so the elements that are not below it have a least one, and that is `j`'s partner.
fn stars(order: &Rows, irreducibles: &[Element], negations: &[Element]) -> Vec<Element> {
    let mut stars = negations.to_vec();
    for &j in irreducibles {
        let outside = |k: &&Element| !order.get(k.index(), negations[j.index()].index());
        let least = irreducibles.iter().filter(outside).max_by_key(|k| order.count(k.index()));
        stars[j.index()] = *least.expect("top is not below the negation of a non-bottom element");
    }
    stars
}

/// The elements on a shortest chain of given pairs from `from` to `to`, the last one left out.
fn shortest_way(given: &Rows, from: usize, to: usize) -> Vec<usize> {
    let mut came_from = HashMap::from([(to, to)]);
    let mut open = VecDeque::from([to]);
    let back = given.transposed();
    while let Some(at) = open.pop_front() {
        for earlier in members(back.row(at)) {
            came_from.entry(earlier).or_insert_with(|| {
                open.push_back(earlier);
                at
            });
        }
    }
    let mut way = vec![from];
    let mut at = came_from[&from];
    while at != to {
        way.push(at);
        at = came_from[&at];
    }
    way
}
