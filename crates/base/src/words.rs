//! Large tables of words that threads share.
//!
//! A table as large as a state store is read at random places, and with pages of four kilobytes nearly every read first has to find
//! its page. Where the system has larger pages, a table asks for them.

use std::sync::atomic::AtomicU64;

/// A large page has so many bytes; where it has not, asking for one does no harm.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 2 << 20;

/// So many words, all zero, on large pages where the system gives some. Memory is taken when it is first written to.
#[must_use]
#[allow(unsafe_code, reason = "thousands of megabytes would be written twice: the system hands out zeros")]
pub fn zeroed(len: usize) -> Box<[AtomicU64]> {
    let words = Box::<[AtomicU64]>::new_zeroed_slice(len);
    // SAFETY: an atomic word has the bit validity of a word, for which all bits zero is a value.
    let words = unsafe { words.assume_init() };
    ask_for_large_pages(&words);
    words
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "a hint to the system, which has no other form")]
fn ask_for_large_pages(words: &[AtomicU64]) {
    let range = words.as_ptr_range();
    let (start, end) = (range.start.addr().next_multiple_of(LARGE_PAGE), range.end.addr() / LARGE_PAGE * LARGE_PAGE);
    if start < end {
        let first = range.start.with_addr(start).cast_mut().cast();
        // SAFETY: the range lies inside of one allocation that is ours, and this advice changes no byte of it.
        let advised = unsafe { rustix::mm::madvise(first, end - start, rustix::mm::Advice::LinuxHugepage) };
        // A system without large pages says so, and goes on with small ones.
        let _ = advised;
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_: &[AtomicU64]) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn all_words_are_zero_and_hold_what_is_written() {
        for len in [0, 1, 1000, 1 << 19] {
            let words = zeroed(len);
            assert_eq!(words.len(), len);
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 0));
            words.iter().zip(1..).for_each(|(word, number)| word.store(number, Ordering::Relaxed));
            assert!(words.iter().zip(1..).all(|(word, number)| word.load(Ordering::Relaxed) == number));
        }
    }
}
