//! Cones by what bounds them, and by what spans them: from either description to the other (Motzkin and others 1953; Chernikova 1968; adjacency as in Fukuda and Prodon 1996).
//!
//! Vectors are integers without a common divisor. Numbers that become too large, and descriptions that become too long, are refused: whoever asks then claims less.

use super::congruences::gcd;

/// A vector of integers.
pub(super) type Vector = Vec<i128>;

/// Vectors in one description may have at most so many.
const MOST_VECTORS: usize = 96;
/// Numbers may have at most this absolute value: what follows from larger ones helps nobody.
const MOST_NUMBER: i128 = 1 << 40;

/// Numbers became too large, or there are too many vectors.
#[derive(Debug)]
pub(super) struct TooLarge;

/// Either bounds: all vectors whose product with each of `lines` is 0, and with each of `rays` not negative. Or what spans: all sums of multiples of `lines` and of non-negative multiples of `rays`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Description {
    /// Equations, or directions with their opposites.
    pub lines: Vec<Vector>,
    /// Inequalities, or directions.
    pub rays: Vec<Vector>,
}

/// The product of two vectors; nothing if it is too large.
pub(super) fn product(a: &[i128], b: &[i128]) -> Result<i128, TooLarge> {
    let mut sum: i128 = 0;
    for (&a, &b) in a.iter().zip(b) {
        sum = a.checked_mul(b).and_then(|part| sum.checked_add(part)).ok_or(TooLarge)?;
    }
    Ok(sum)
}

/// Without what all numbers have in common.
pub(super) fn reduced(mut vector: Vector) -> Result<Vector, TooLarge> {
    let common = vector.iter().fold(0, |common, &number| gcd(common, number)).abs();
    if common > 1 {
        vector.iter_mut().for_each(|number| *number /= common);
    }
    if vector.iter().any(|number| number.abs() > MOST_NUMBER) { Err(TooLarge) } else { Ok(vector) }
}

/// `a` times `by_a` and `b` times `by_b`, added.
fn combined(a: &[i128], by_a: i128, b: &[i128], by_b: i128) -> Result<Vector, TooLarge> {
    let sum = a.iter().zip(b).map(|(&a, &b)| a.checked_mul(by_a)?.checked_add(b.checked_mul(by_b)?));
    reduced(sum.collect::<Option<Vector>>().ok_or(TooLarge)?)
}

/// A ray, and which of the inequalities so far are equations for it.
#[derive(Clone)]
struct Ray {
    vector: Vector,
    saturated: u128,
}

/// The description of the other kind, of vectors of this length. The result is as short as can be.
pub(super) fn dual(of: &Description, length: usize) -> Result<Description, TooLarge> {
    if of.rays.len() > MOST_VECTORS {
        return Err(TooLarge);
    }
    let unit = |at: usize| (0..length).map(|other| i128::from(other == at)).collect::<Vector>();
    let mut lines: Vec<Vector> = (0..length).map(unit).collect();
    let mut rays: Vec<Ray> = Vec::new();
    for equation in &of.lines {
        cut(&mut lines, &mut rays, equation, None)?;
    }
    for (number, inequality) in of.rays.iter().enumerate() {
        cut(&mut lines, &mut rays, inequality, Some(number))?;
    }
    let mut found = Description { lines, rays: rays.into_iter().map(|ray| ray.vector).collect() };
    found.simplify()?;
    Ok(found)
}

/// What one more bound leaves; `number` is that of an inequality.
fn cut(lines: &mut Vec<Vector>, rays: &mut Vec<Ray>, bound: &[i128], number: Option<usize>) -> Result<(), TooLarge> {
    let bit = number.map_or(0, |number| 1_u128 << number);
    for (at, line) in lines.iter().enumerate() {
        let through = product(bound, line)?;
        if through == 0 {
            continue;
        }
        let mut line = lines.swap_remove(at);
        if through < 0 {
            line.iter_mut().for_each(|number| *number = -*number);
        }
        let through = through.abs();
        for other in lines.iter_mut() {
            let by = product(bound, other)?;
            *other = combined(other, through, &line, -by)?;
        }
        for ray in rays.iter_mut() {
            let by = product(bound, &ray.vector)?;
            ray.vector = combined(&ray.vector, through, &line, -by)?;
            ray.saturated |= bit;
        }
        if bit != 0 {
            rays.push(Ray { vector: line, saturated: bit - 1 });
        }
        return Ok(());
    }
    let values: Vec<i128> = rays.iter().map(|ray| product(bound, &ray.vector)).collect::<Result<_, _>>()?;
    let mut kept: Vec<Ray> = Vec::new();
    for (at, (ray, &value)) in rays.iter().zip(&values).enumerate() {
        if value == 0 {
            kept.push(Ray { saturated: ray.saturated | bit, ..ray.clone() });
        } else if value > 0 {
            if bit != 0 {
                kept.push(ray.clone());
            }
            for (against, &below) in values.iter().enumerate().filter(|&(_, &below)| below < 0) {
                if adjacent(rays, at, against) {
                    let other = &rays[against];
                    let vector = combined(&ray.vector, -below, &other.vector, value)?;
                    kept.push(Ray { vector, saturated: ray.saturated & other.saturated | bit });
                }
            }
        }
        if kept.len() > MOST_VECTORS {
            return Err(TooLarge);
        }
    }
    *rays = kept;
    Ok(())
}

/// Whether two rays span a face: no other ray is bounded by all that bounds both.
fn adjacent(rays: &[Ray], a: usize, b: usize) -> bool {
    let both = rays[a].saturated & rays[b].saturated;
    rays.iter().enumerate().all(|(at, ray)| at == a || at == b || ray.saturated & both != both)
}

impl Description {
    /// One form for equal descriptions that are as short as can be: lines in reduced echelon form, rays without the first number of any line, all in order.
    fn simplify(&mut self) -> Result<(), TooLarge> {
        let mut open = std::mem::take(&mut self.lines);
        let length = open.first().or(self.rays.first()).map_or(0, Vec::len);
        for column in 0..length {
            let Some(at) = open.iter().position(|line| line[column] != 0) else { continue };
            let mut pivot = open.swap_remove(at);
            if pivot[column] < 0 {
                pivot.iter_mut().for_each(|number| *number = -*number);
            }
            for vector in open.iter_mut().chain(&mut self.lines).chain(&mut self.rays) {
                if vector[column] != 0 {
                    *vector = combined(vector, pivot[column], &pivot, -vector[column])?;
                }
            }
            self.lines.push(pivot);
        }
        self.rays.sort_unstable();
        self.rays.dedup();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_has_four_corners() {
        // 0 <= x <= 2, 0 <= y <= 3, and the last number is not negative.
        let bounds = Description {
            lines: vec![],
            rays: vec![vec![1, 0, 0], vec![-1, 0, 2], vec![0, 1, 0], vec![0, -1, 3], vec![0, 0, 1]],
        };
        let corners = dual(&bounds, 3).expect("small");
        assert_eq!(corners.lines, Vec::<Vector>::new());
        assert_eq!(corners.rays, vec![vec![0, 0, 1], vec![0, 3, 1], vec![2, 0, 1], vec![2, 3, 1]]);
        let back = dual(&corners, 3).expect("small");
        assert_eq!(back.rays, vec![vec![-1, 0, 2], vec![0, -1, 3], vec![0, 1, 0], vec![1, 0, 0]]);
    }

    #[test]
    fn a_line_has_its_equation() {
        let spanned = Description { lines: vec![vec![1, 1, 0]], rays: vec![vec![0, 1, 1]] };
        let bounds = dual(&spanned, 3).expect("small");
        assert_eq!(bounds.lines, vec![vec![1, -1, 1]]);
        assert_eq!(bounds.rays, vec![vec![0, 0, 1]]);
    }
}
