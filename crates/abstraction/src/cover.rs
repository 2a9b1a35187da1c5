//! Which cubes say the same as many cubes?
//!
//! A set of cubes is made irredundant: one that the others cover, together with combinations that cannot occur, is left out. Whether
//! cubes cover everything is decided by splitting on a predicate that most of them speak of (the unate recursive paradigm of Espresso; Brayton et al. 1984).

use crate::assignments::Cube;

/// With more cubes than this a set is left as it is.
const MOST_CUBES: usize = 200;

/// The cubes without those that the others cover, given that none of `never` occurs. Wide ones go first.
#[must_use]
pub(crate) fn irredundant(mut cubes: Vec<Cube>, never: &[Cube]) -> Vec<Cube> {
    if cubes.len() + never.len() > MOST_CUBES {
        return cubes;
    }
    let mut order: Vec<usize> = (0..cubes.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse((cubes[at].len(), at)));
    let mut left_out = vec![false; cubes.len()];
    for at in order {
        let others = cubes.iter().enumerate().filter(|(other, _)| *other != at && !left_out[*other]);
        let others: Vec<&Cube> = others.map(|(_, cube)| cube).chain(never).collect();
        left_out[at] = covers(&others, &cubes[at]);
    }
    let mut at = 0;
    cubes.retain(|_| {
        at += 1;
        !left_out[at - 1]
    });
    cubes
}

/// Whether every combination in a cube is in one of the others.
#[must_use]
pub(crate) fn covers(cubes: &[&Cube], cube: &Cube) -> bool {
    let rest: Vec<Cube> = cubes.iter().filter_map(|known| cofactor(known, cube)).collect();
    is_everything(rest)
}

/// What is left of a cube where the literals of another hold; none if they exclude each other.
fn cofactor(cube: &Cube, given: &[(usize, bool)]) -> Option<Cube> {
    let known = |predicate: usize| given.iter().find(|(other, _)| *other == predicate).map(|(_, value)| *value);
    let mut left = Cube::new();
    for &(predicate, value) in cube {
        match known(predicate) {
            Some(other) if other != value => return None,
            Some(_) => {}
            None => left.push((predicate, value)),
        }
    }
    Some(left)
}

/// Whether cubes cover all combinations.
fn is_everything(cubes: Vec<Cube>) -> bool {
    let mut open = vec![cubes];
    while let Some(cubes) = open.pop() {
        if cubes.iter().any(Vec::is_empty) {
            continue;
        }
        let Some(predicate) = most_mentioned(&cubes) else { return false };
        for value in [true, false] {
            open.push(cubes.iter().filter_map(|cube| cofactor(cube, &[(predicate, value)])).collect());
        }
    }
    true
}

/// The predicate that most cubes speak of, if some cube speaks of it and another of its negation; none if no split can help.
fn most_mentioned(cubes: &[Cube]) -> Option<usize> {
    let mut counts: std::collections::BTreeMap<usize, [usize; 2]> = std::collections::BTreeMap::new();
    for &(predicate, value) in cubes.iter().flatten() {
        counts.entry(predicate).or_default()[usize::from(value)] += 1;
    }
    // A cover of everything that has no empty cube speaks of some predicate in both ways.
    let both = counts.into_iter().filter(|(_, [f, t])| *f > 0 && *t > 0);
    both.max_by_key(|(predicate, [f, t])| (f + t, std::cmp::Reverse(*predicate))).map(|(predicate, _)| predicate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_testkit::for_random_cases;

    fn holds(cubes: &[Cube], point: usize) -> bool {
        cubes.iter().any(|cube| cube.iter().all(|&(predicate, value)| (point >> predicate & 1 != 0) == value))
    }

    #[test]
    fn what_is_left_says_the_same_where_it_matters() {
        for_random_cases(200, |case| {
            let cube = |case: &mut tertium_testkit::Case| -> Cube {
                let drawn = (0..5).map(|at| (at, case.rng.chance(50), case.rng.chance(45)));
                drawn.filter(|(_, _, kept)| *kept).map(|(at, value, _)| (at, value)).collect()
            };
            let all: Vec<Cube> = (0..case.rng.below(9)).map(|_| cube(case)).collect();
            let never: Vec<Cube> = (0..case.rng.below(3)).map(|_| cube(case)).collect();
            let less = irredundant(all.clone(), &never);
            for point in (0..32).filter(|&point| !holds(&never, point)) {
                assert_eq!(holds(&all, point), holds(&less, point), "{all:?} {never:?} {less:?} at {point}");
            }
            for at in 0..less.len() {
                let others: Vec<Cube> =
                    (0..less.len()).filter(|&other| other != at).map(|other| less[other].clone()).collect();
                let needed = (0..32)
                    .any(|point| !holds(&never, point) && holds(&less[at..=at], point) && !holds(&others, point));
                assert!(needed, "{:?} is covered by {others:?} and {never:?}", less[at]);
            }
        });
    }
}
