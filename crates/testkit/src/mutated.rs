//! Texts as nobody would write them: seeds from which pieces are cut, into which pieces are put, and that end too soon.

use crate::Rng;

/// `text` after up to six changes: one of `pieces` put in, something cut out or repeated, the end cut off.
#[must_use]
pub fn mutated(rng: &mut Rng, text: &str, pieces: &[&str]) -> String {
    let mut text = text.to_owned();
    for _ in 0..rng.below(6) + 1 {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (from, to) = (*rng.pick(&places), *rng.pick(&places));
        let (from, to) = (from.min(to), from.max(to));
        match rng.below(4) {
            0 => text.insert_str(from, rng.pick::<&str>(pieces)),
            1 => text.replace_range(from..near(&text, to.min(from + 20)), ""),
            2 => {
                let copy = text[from..to].to_owned();
                text.insert_str(*rng.pick(&places), &copy);
            }
            _ => text.truncate(to),
        }
    }
    text
}

/// The first place from here on where a character begins.
fn near(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|&place| text.is_char_boundary(place)).unwrap_or(text.len())
}
