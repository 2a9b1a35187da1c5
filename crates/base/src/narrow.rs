//! How does a number become a smaller one without becoming another number?
//!
//! Tables are indexed with `u32` to save memory, values of programs are `i64`, and the language counts in `usize`. A cast with `as`
//! between them drops bits silently, and a number that has lost bits is a wrong state, a wrong count, a wrong answer. These functions
//! panic instead, which the application reports as an internal error. The check costs a comparison that is never taken.
//!
//! Whatever a user can make too large has a limit with a message of its own long before; what is here is the last line of defence.
//! Where a measured loop cannot afford even that, the cast stays and says why under `#[expect(clippy::cast_possible_truncation)]`.

use std::time::Duration;

/// An index or a count in 32 bits.
///
/// ```
/// assert_eq!(tertium_base::narrow::to_u32(7), 7);
/// ```
///
/// # Panics
/// If it needs more bits.
#[inline]
#[must_use]
#[track_caller]
#[expect(clippy::cast_possible_truncation, reason = "compared before")]
pub const fn to_u32(number: usize) -> u32 {
    assert!(number <= u32::MAX as usize, "a table with more than 2^32 entries");
    number as u32
}

/// An index or a count as a value of a program.
///
/// # Panics
/// If it is 2^63 or more.
#[inline]
#[must_use]
#[track_caller]
#[expect(clippy::cast_possible_wrap, reason = "compared before")]
pub const fn to_i64(number: usize) -> i64 {
    assert!(number as u128 <= i64::MAX as u128, "a count of 2^63 or more");
    number as i64
}

/// A value of a program that is an index, such as the number of a process, a location or a cell.
///
/// # Panics
/// If it is negative, or beyond what can be indexed.
#[inline]
#[must_use]
#[track_caller]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared before")]
pub const fn to_usize(value: i64) -> usize {
    assert!(value >= 0 && value as u128 <= usize::MAX as u128, "a value that is no index");
    value as usize
}

/// The lower 32 bits of a word that holds two numbers.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the other half is not meant")]
pub const fn low_half(word: u64) -> u32 {
    word as u32
}

/// The upper 32 bits of a word that holds two numbers.
#[inline]
#[must_use]
pub const fn high_half(word: u64) -> u32 {
    low_half(word >> 32)
}

/// Both halves of a product, mixed: what hash functions are made of.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the upper half is mixed in")]
pub const fn folded(wide: u128) -> u64 {
    wide as u64 ^ (wide >> 64) as u64
}

/// A random number below a bound, of which there is at least one.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "below a number of this type")]
pub const fn below(random: u64, bound: usize) -> usize {
    (random % bound as u64) as usize
}

/// Whole milliseconds; 2^64 of them are half a billion years.
#[must_use]
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A count that was computed with fractions, as a whole number: what is not a number is 0, what is too large the largest. For
/// figures that are shown (states of a symbolic set, rates, sizes), never for a number that something is decided by.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, which is what is meant")]
pub const fn whole(number: f64) -> usize {
    number as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_the_same() {
        assert_eq!(to_u32(u32::MAX as usize), u32::MAX);
        assert_eq!(to_i64(usize::MAX >> 1), i64::MAX);
        assert_eq!(to_usize(i64::MAX), usize::MAX >> 1);
        assert_eq!(to_usize(0), 0);
    }

    #[test]
    #[should_panic(expected = "more than 2^32 entries")]
    fn the_first_number_with_33_bits_is_refused() {
        let _ = to_u32(1 << 32);
    }

    #[test]
    #[should_panic(expected = "2^63 or more")]
    fn a_count_does_not_become_negative() {
        let _ = to_i64(1 << 63);
    }

    #[test]
    #[should_panic(expected = "no index")]
    fn a_negative_value_is_no_index() {
        let _ = to_usize(-1);
    }

    #[test]
    fn figures_saturate() {
        assert_eq!((whole(2.9), whole(-1.0), whole(f64::NAN), whole(1e300)), (2, 0, 0, usize::MAX));
        assert_eq!(millis(Duration::MAX), u64::MAX);
    }
}
