//! Linear equalities (Karr 1976): which sums of variables have one value?

use super::congruences::gcd;
use super::constraint::{LinearConstraint, Relation};
use super::domain::{AbstractDomain, Assigned};

/// Equations: one factor for each variable, then the sum. Each begins with a variable that no other one has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearEqualities {
    dimensions: usize,
    rows: Vec<Vec<i128>>,
}

/// One equation after the other.
type Rows = Vec<Vec<i128>>;

/// Numbers became too large; what is known is given up.
struct TooLarge;

/// Divides by what all numbers have in common; the first of them becomes positive.
fn normalised(mut row: Vec<i128>) -> Result<Vec<i128>, TooLarge> {
    let common = row.iter().fold(0, |common, &factor| gcd(common, factor));
    let negative = row.iter().find(|&&factor| factor != 0).is_some_and(|&first| first < 0);
    let by = if negative { common.checked_neg().ok_or(TooLarge)? } else { common };
    if by != 0 {
        for factor in &mut row {
            *factor = factor.checked_div(by).ok_or(TooLarge)?;
        }
    }
    Ok(row)
}

/// A row without this column, by subtracting multiples of another one that has it.
fn without(row: &[i128], column: usize, pivot: &[i128]) -> Result<Vec<i128>, TooLarge> {
    let (own, other) = (row[column], pivot[column]);
    let reduced = row.iter().zip(pivot).map(|(&a, &b)| {
        let (a, b) = (a.checked_mul(other)?, b.checked_mul(own)?);
        a.checked_sub(b)
    });
    normalised(reduced.collect::<Option<_>>().ok_or(TooLarge)?)
}

/// Reduced row echelon form over the first `columns`; rows without any of these come out separately.
fn echelon(rows: Rows, columns: usize) -> Result<(Rows, Rows), TooLarge> {
    let (mut open, mut done): (Rows, Rows) = (rows, Rows::new());
    for column in 0..columns {
        let Some(at) = open.iter().position(|row| row[column] != 0) else { continue };
        let pivot = normalised(open.swap_remove(at))?;
        for row in open.iter_mut().chain(&mut done).filter(|row| row[column] != 0) {
            *row = without(row, column, &pivot)?;
        }
        done.push(pivot);
    }
    open.retain(|row| row.iter().any(|&factor| factor != 0));
    Ok((done, open))
}

impl LinearEqualities {
    /// Says whether anything is left.
    fn with(&mut self, row: Vec<i128>) -> bool {
        let mut rows = self.rows.clone();
        rows.push(row);
        let Ok((rows, rest)) = echelon(rows, self.dimensions) else { return true };
        self.rows = rows;
        // `0 = 3`.
        rest.is_empty()
    }

    fn row(&self, terms: &[(usize, i128)], sum: i128) -> Vec<i128> {
        let mut row = vec![0; self.dimensions + 1];
        terms.iter().for_each(|&(dimension, factor)| row[dimension] = factor);
        row[self.dimensions] = sum;
        row
    }

    /// The only value of a variable, if there is one only.
    pub(super) fn value(&self, dimension: usize) -> Option<i128> {
        let alone = |row: &&Vec<i128>| {
            let mut factors = row[..self.dimensions].iter().enumerate();
            factors.all(|(at, &factor)| (factor != 0) == (at == dimension))
        };
        let row = self.rows.iter().find(alone)?;
        (row[self.dimensions] % row[dimension] == 0).then(|| row[self.dimensions] / row[dimension])
    }

    /// A variable has one value; says whether anything is left.
    #[must_use]
    pub(super) fn fix(&mut self, dimension: usize, value: i128) -> bool {
        match self.value(dimension) {
            Some(known) => known == value,
            None => self.with(self.row(&[(dimension, 1)], value)),
        }
    }

    fn assigned(&self, assigned: &[Assigned]) -> Result<Self, TooLarge> {
        let (old, new) = (self.dimensions, assigned.len());
        // New values come last, the sum behind them.
        let widened = |row: &Vec<i128>| {
            let mut wide = row.clone();
            wide.splice(old..old, std::iter::repeat_n(0, new));
            wide
        };
        let mut rows: Vec<Vec<i128>> = self.rows.iter().map(widened).collect();
        for (at, one) in assigned.iter().enumerate() {
            let Some(constant) = one.value.constant() else { continue };
            let mut row = vec![0; old + new + 1];
            for (&dimension, &factor) in &one.value.factors {
                row[dimension] = factor.checked_neg().ok_or(TooLarge)?;
            }
            row[old + at] = 1;
            row[old + new] = constant;
            rows.push(row);
        }
        // What is overwritten is eliminated first.
        let gone: Vec<usize> = (0..old).filter(|&at| assigned.iter().any(|one| one.dimension == at)).collect();
        let place = |at: usize| assigned.iter().rposition(|one| one.dimension == at).map_or(at, |new| old + new);
        let kept: Vec<usize> = (0..old).map(place).collect();
        let unused: Vec<usize> = (old..old + new).filter(|at| !kept.contains(at)).collect();
        let order: Vec<usize> = gone.iter().chain(&unused).chain(&kept).copied().chain([old + new]).collect();
        let reordered = rows.iter().map(|row| order.iter().map(|&at| row[at]).collect()).collect();
        let eliminated = gone.len() + unused.len();
        let (_, rest) = echelon(reordered, eliminated)?;
        let rest = rest.into_iter().map(|row| row[eliminated..].to_vec()).collect();
        let (rows, _) = echelon(rest, old)?;
        Ok(Self { dimensions: old, rows })
    }

    /// The equations that follow from both: what the spaces that the rows span have in common (Zassenhaus).
    fn common(&self, other: &Self) -> Result<Self, TooLarge> {
        let width = self.dimensions + 1;
        let nothing = vec![0; width];
        let twice = |row: &Vec<i128>| [row.as_slice(), row.as_slice()].concat();
        let once = |row: &Vec<i128>| [row.as_slice(), nothing.as_slice()].concat();
        let rows = self.rows.iter().map(twice).chain(other.rows.iter().map(once)).collect();
        let (_, rest) = echelon(rows, width)?;
        let rest = rest.into_iter().map(|row| row[width..].to_vec()).collect();
        let (rows, _) = echelon(rest, self.dimensions)?;
        Ok(Self { dimensions: self.dimensions, rows })
    }
}

impl AbstractDomain for LinearEqualities {
    fn top(dimensions: usize) -> Self {
        Self { dimensions, rows: Vec::new() }
    }

    fn assume(&mut self, constraint: &LinearConstraint<usize>) -> bool {
        match constraint.relation {
            Relation::Equal(sum) => self.with(self.row(&constraint.terms, sum)),
            _ => true,
        }
    }

    fn assign(&mut self, assigned: &[Assigned]) {
        *self = self.assigned(assigned).unwrap_or_else(|TooLarge| Self::top(self.dimensions));
    }

    fn join(&mut self, other: &Self) {
        *self = self.common(other).unwrap_or_else(|TooLarge| Self::top(self.dimensions));
    }

    /// Every join that changes something leaves fewer equations.
    fn widen(&mut self, next: &Self) {
        self.join(next);
    }

    fn includes(&self, other: &Self) -> bool {
        let follows = |row: &Vec<i128>| {
            let mut rows = other.rows.clone();
            rows.push(row.clone());
            echelon(rows, self.dimensions).is_ok_and(|(rows, rest)| rows.len() == other.rows.len() && rest.is_empty())
        };
        self.rows.iter().all(follows)
    }

    /// Equations of more than one variable; the others are left to intervals.
    fn constraints(&self) -> Vec<LinearConstraint<usize>> {
        let told = |row: &Vec<i128>| {
            let factors = row[..self.dimensions].iter().enumerate();
            let terms: Vec<(usize, i128)> =
                factors.filter(|&(_, &factor)| factor != 0).map(|(at, &factor)| (at, factor)).collect();
            LinearConstraint { terms, relation: Relation::Equal(row[self.dimensions]) }
        };
        self.rows.iter().map(told).filter(|row| row.terms.len() > 1).collect()
    }
}
