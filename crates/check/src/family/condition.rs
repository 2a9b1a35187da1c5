//! For which parameters? Sets of assignments as sums of cubes, small enough to be read.
//!
//! The answers of a family are found as disjoint cubes. Every cube is widened by dropping parameters as long
//! as it stays clear of the cubes with another answer; what is left are prime implicants, and those
//! that the others cover are dropped.

/// A partial assignment of the parameters, in their order: the set of assignments that extend it.
pub type Cube = Vec<Option<bool>>;

/// A set of assignments: those in one of the cubes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Condition {
    /// Each once; none is covered by the others.
    pub cubes: Vec<Cube>,
}

impl Condition {
    /// The smallest condition found that holds on `on` and not on `off`; together they are everything.
    #[must_use]
    pub fn minimal(on: &[Cube], off: &[Cube]) -> Self {
        let mut primes: Vec<Cube> = Vec::new();
        for cube in on {
            let widened = widen(cube, off);
            if !primes.contains(&widened) {
                primes.push(widened);
            }
        }
        // Fewest literals first, so that what is dropped below is the longest.
        primes.sort_by_key(|cube| (literals(cube), std::cmp::Reverse(cube.clone())));
        let mut at = primes.len();
        while at > 0 {
            at -= 1;
            let cube = primes.remove(at);
            if !covered(&cube, &primes) {
                primes.insert(at, cube);
            }
        }
        Self { cubes: primes }
    }

    /// Whether it holds under an assignment.
    #[must_use]
    pub fn holds(&self, assignment: &[bool]) -> bool {
        let inside =
            |cube: &Cube| cube.iter().zip(assignment).all(|(want, have)| want.is_none_or(|want| want == *have));
        self.cubes.iter().any(inside)
    }

    /// Whether it never holds.
    #[must_use]
    pub fn is_never(&self) -> bool {
        self.cubes.is_empty()
    }

    /// Whether it always holds.
    #[must_use]
    pub fn is_always(&self) -> bool {
        self.cubes.iter().any(|cube| literals(cube) == 0)
    }

    /// As an expression over the parameters' names: `x1 || !x2`, `true`, `false`.
    #[must_use]
    pub fn text(&self, params: &[String]) -> String {
        if self.is_never() {
            return "false".to_owned();
        }
        if self.is_always() {
            return "true".to_owned();
        }
        let literal = |(name, want): (&String, &Option<bool>)| match want {
            Some(true) => Some(name.clone()),
            Some(false) => Some(format!("!{name}")),
            None => None,
        };
        let cube = |cube: &Cube| params.iter().zip(cube).filter_map(literal).collect::<Vec<_>>().join(" && ");
        self.cubes.iter().map(cube).collect::<Vec<_>>().join(" || ")
    }
}

fn literals(cube: &Cube) -> usize {
    cube.iter().flatten().count()
}

fn meet(a: &Cube, b: &Cube) -> bool {
    a.iter().zip(b).all(|(a, b)| a.is_none() || b.is_none() || a == b)
}

/// Drops parameters, the first ones first, as long as the cube meets nothing in `off`.
fn widen(cube: &Cube, off: &[Cube]) -> Cube {
    let mut wide = cube.clone();
    for at in 0..wide.len() {
        let dropped = wide[at].take();
        if dropped.is_some() && off.iter().any(|other| meet(&wide, other)) {
            wide[at] = dropped;
        }
    }
    wide
}

/// Whether every assignment in `cube` is in one of `others`.
fn covered(cube: &Cube, others: &[Cube]) -> bool {
    let mut rest = vec![cube.clone()];
    for other in others {
        rest = rest.into_iter().flat_map(|cube| without(cube, other)).collect();
    }
    rest.is_empty()
}

/// What is in `cube` and not in `other`, as disjoint cubes.
fn without(cube: Cube, other: &Cube) -> Vec<Cube> {
    if !meet(&cube, other) {
        return vec![cube];
    }
    let mut parts = Vec::new();
    let mut inside = cube;
    for (at, want) in other.iter().enumerate() {
        if let (Some(want), None) = (want, inside[at]) {
            let mut outside = inside.clone();
            outside[at] = Some(!want);
            parts.push(outside);
            inside[at] = Some(*want);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(text: &str) -> Cube {
        text.chars()
            .map(|letter| match letter {
                '1' => Some(true),
                '0' => Some(false),
                _ => None,
            })
            .collect()
    }

    /// Every function of three parameters, given by its minterms, keeps its meaning and loses nothing.
    #[test]
    fn every_function_of_three_parameters_is_kept() {
        let minterm = |bits: usize| -> Cube { (0..3).map(|at| Some(bits >> at & 1 != 0)).collect() };
        for function in 0u32..256 {
            let (on, off): (Vec<usize>, Vec<usize>) = (0..8).partition(|bits| function >> bits & 1 != 0);
            let on: Vec<Cube> = on.into_iter().map(minterm).collect();
            let off: Vec<Cube> = off.into_iter().map(minterm).collect();
            let condition = Condition::minimal(&on, &off);
            for bits in 0..8 {
                let assignment: Vec<bool> = (0..3).map(|at| bits >> at & 1 != 0).collect();
                assert_eq!(condition.holds(&assignment), function >> bits & 1 != 0, "{function} at {assignment:?}");
            }
            assert_eq!(condition.is_always(), off.is_empty());
            assert_eq!(condition.is_never(), on.is_empty());
            for at in 0..condition.cubes.len() {
                let mut others = condition.cubes.clone();
                let one = others.remove(at);
                assert!(!covered(&one, &others), "{function}: {one:?} is not needed");
            }
        }
    }

    #[test]
    fn conditions_read_like_formulas() {
        let params = ["x1".to_owned(), "x2".to_owned()];
        let condition = Condition::minimal(&[cube("1-"), cube("00")], &[cube("01")]);
        assert_eq!(condition.text(&params), "x1 || !x2");
        assert_eq!(Condition::minimal(&[], &[cube("--")]).text(&params), "false");
        assert_eq!(Condition::minimal(&[cube("1-"), cube("0-")], &[]).text(&params), "true");
    }
}
