//! One run for every word: a deterministic parity automaton, made as far as it is walked.
//!
//! A state of it holds the states that runs of the given automaton can be in, each inside nested braces. An accepting
//! transition puts a new brace around its target; of several ways to the same state the one with
//! the oldest braces counts, the longer one if they agree. A brace whose states all lie in inner
//! braces has seen every one of its runs accept: the inner braces go, and it is *good* at this step. A
//! brace without states goes, which is *bad* for its number. A word is accepted if from some time on
//! a brace is never lost, nor an older one, and is good again and again (the construction of Safra in the
//! form that Redziejowski gave it).
//!
//! Letters are sets of literals as words of bits; only those that occur are ever looked at.

use std::collections::HashMap;

use tertium_base::narrow::to_u32;

use super::automaton::Automaton;

/// A transition of the given automaton, its literals as bits, after counting off the marks in turn.
#[derive(Clone, Debug)]
struct BuchiTransition {
    need: Vec<u64>,
    target: u32,
    accepting: bool,
}

/// States with the braces around each, outermost first. Sorted by state.
type Nesting = Vec<(u32, Vec<u32>)>;

/// A deterministic automaton in the making. Priorities: the largest that occurs infinitely often
/// decides, even accepts.
#[derive(Debug)]
pub(crate) struct Deterministic {
    steps: Vec<Vec<BuchiTransition>>,
    states: Vec<Nesting>,
    numbers: HashMap<Nesting, u32>,
    letters: HashMap<Vec<u64>, u32>,
    letter_bits: Vec<Vec<u64>>,
    known: HashMap<(u32, u32), (u32, u32)>,
}

impl Deterministic {
    /// Nothing made but the initial state, which has number 0.
    pub(crate) fn new(automaton: &Automaton, bits_of: impl Fn(&[super::automaton::Literal]) -> Vec<u64>) -> Self {
        let marks = automaton.marks.max(1);
        let mut steps: Vec<Vec<BuchiTransition>> = Vec::new();
        for from in &automaton.transitions {
            for level in 0..marks {
                let in_turn = |step: &super::automaton::Transition| {
                    let mut next = level;
                    while next < automaton.marks && step.marks >> next & 1 != 0 {
                        next += 1;
                    }
                    let accepting = next == automaton.marks;
                    let next = if accepting { 0 } else { next };
                    BuchiTransition { need: bits_of(&step.cube), target: step.target * marks + next, accepting }
                };
                steps.push(from.iter().map(in_turn).collect());
            }
        }
        let mut initial: Nesting = automaton.initial.iter().map(|&state| (state * marks, vec![0])).collect();
        initial.sort_unstable();
        initial.dedup();
        Self {
            steps,
            states: vec![initial.clone()],
            numbers: HashMap::from([(initial, 0)]),
            letters: HashMap::new(),
            letter_bits: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// How many priorities can occur: all are below this.
    pub(crate) fn priorities(&self) -> u32 {
        2 * to_u32(self.steps.len()) + 4
    }

    /// The number of a letter.
    pub(crate) fn letter(&mut self, bits: Vec<u64>) -> u32 {
        if let Some(&number) = self.letters.get(&bits) {
            return number;
        }
        let number = to_u32(self.letter_bits.len());
        self.letter_bits.push(bits.clone());
        self.letters.insert(bits, number);
        number
    }

    /// Where a letter leads from a state, and the priority seen on the way.
    pub(crate) fn step(&mut self, state: u32, letter: u32) -> (u32, u32) {
        if let Some(&known) = self.known.get(&(state, letter)) {
            return known;
        }
        let (next, priority) = self.successor(state, letter);
        let number = match self.numbers.get(&next) {
            Some(&number) => number,
            None => {
                let number = to_u32(self.states.len());
                self.states.push(next.clone());
                self.numbers.insert(next, number);
                number
            }
        };
        self.known.insert((state, letter), (number, priority));
        (number, priority)
    }

    fn successor(&self, state: u32, letter: u32) -> (Nesting, u32) {
        let from = &self.states[state as usize];
        let have = &self.letter_bits[letter as usize];
        let old = from.iter().flat_map(|(_, braces)| braces).max().map_or(0, |&last| last + 1);
        let mut fresh = old;
        let mut next: HashMap<u32, Vec<u32>> = HashMap::new();
        for (at, braces) in from {
            for step in &self.steps[*at as usize] {
                if !step.need.iter().zip(have).all(|(need, have)| need & !have == 0) {
                    continue;
                }
                let mut way = braces.clone();
                if step.accepting {
                    way.push(fresh);
                    fresh += 1;
                }
                let better = next.get(&step.target).is_none_or(|known| is_older(&way, known));
                if better {
                    next.insert(step.target, way);
                }
            }
        }
        let mut next: Nesting = next.into_iter().collect();
        next.sort_unstable();
        let event = settle(&mut next, old, fresh);
        // The least event decides and an odd one is good; turned round for "the largest, even".
        (next, self.priorities() - 1 - event.unwrap_or(self.priorities() - 2))
    }
}

/// Whether one way has older braces than another, or continues it.
fn is_older(way: &[u32], other: &[u32]) -> bool {
    match way.iter().zip(other).find(|(mine, theirs)| mine != theirs) {
        Some((mine, theirs)) => mine < theirs,
        None => way.len() > other.len(),
    }
}

/// Removes what good braces contain and numbers the rest anew, oldest first. Returns the least event
/// among the `old` braces: `2b` if brace `b` is lost, `2b + 1` if it is good.
fn settle(next: &mut Nesting, old: u32, fresh: u32) -> Option<u32> {
    let mut used = vec![false; fresh as usize];
    let mut innermost = vec![false; fresh as usize];
    for (_, braces) in next.iter() {
        braces.iter().for_each(|&brace| used[brace as usize] = true);
        if let Some(&last) = braces.last() {
            innermost[last as usize] = true;
        }
    }
    let good = |brace: u32| used[brace as usize] && !innermost[brace as usize];
    let event = (0..old).find_map(|brace| match (used[brace as usize], good(brace)) {
        (false, _) => Some(2 * brace),
        (true, true) => Some(2 * brace + 1),
        (true, false) => None,
    });
    for (_, braces) in next.iter_mut() {
        if let Some(outermost) = braces.iter().position(|&brace| good(brace)) {
            braces.truncate(outermost + 1);
        }
    }
    let mut kept: Vec<u32> = next.iter().flat_map(|(_, braces)| braces.iter().copied()).collect();
    kept.sort_unstable();
    kept.dedup();
    for (_, braces) in next.iter_mut() {
        for brace in braces.iter_mut() {
            *brace = kept.binary_search(brace).map_or(*brace, |place| to_u32(place));
        }
    }
    event
}

#[cfg(test)]
pub(crate) mod tests {
    use tertium_base::Budget;
    use tertium_logic::Logic;
    use tertium_testkit::{FormulaShape, Rng, for_random_cases};

    use super::super::automaton::Literal;
    use super::super::tableau::plain_automaton;
    use super::*;

    /// A word over the literals of two atoms that repeats from `entry` on.
    #[derive(Debug)]
    pub(crate) struct Word {
        letters: Vec<u64>,
        entry: usize,
    }

    fn bits(cube: &[Literal]) -> Vec<u64> {
        vec![cube.iter().fold(0, |bits, literal| bits | 1 << (2 * literal.atom + u32::from(literal.positive)))]
    }

    pub(crate) fn random_word(rng: &mut Rng) -> Word {
        let length = rng.between(&(1..=5));
        Word { letters: (0..length).map(|_| rng.below(16) as u64).collect(), entry: rng.below(length) }
    }

    /// Straight from the definition: a reachable position on a cycle with every mark.
    pub(crate) fn accepts(automaton: &Automaton, word: &Word) -> bool {
        let next = |at: usize| if at + 1 < word.letters.len() { at + 1 } else { word.entry };
        let steps = |(state, at): (u32, usize)| {
            let fits = move |step: &&super::super::automaton::Transition| bits(&step.cube)[0] & !word.letters[at] == 0;
            let lead = move |step: &super::super::automaton::Transition| ((step.target, next(at)), step.marks);
            automaton.transitions[state as usize].iter().filter(fits).map(lead).collect::<Vec<_>>()
        };
        let reach = |from: &[(u32, usize)]| {
            let mut seen = from.to_vec();
            let mut at = 0;
            while at < seen.len() {
                for (target, _) in steps(seen[at]) {
                    if !seen.contains(&target) {
                        seen.push(target);
                    }
                }
                at += 1;
            }
            seen
        };
        let starts: Vec<(u32, usize)> = automaton.initial.iter().map(|&state| (state, 0)).collect();
        reach(&starts).into_iter().any(|node| {
            let component: Vec<_> =
                reach(&[node]).into_iter().filter(|&other| reach(&[other]).contains(&node)).collect();
            let inner: Vec<u64> = component
                .iter()
                .flat_map(|&from| steps(from))
                .filter(|(target, _)| component.contains(target))
                .map(|(_, marks)| marks)
                .collect();
            let all = inner.iter().fold(0, |sum, marks| sum | marks);
            !inner.is_empty() && all.count_ones() == automaton.marks
        })
    }

    fn accepts_deterministically(automaton: &Automaton, word: &Word) -> bool {
        let mut deterministic = Deterministic::new(automaton, bits);
        let mut state = 0;
        let mut seen: Vec<(usize, u32)> = Vec::new();
        let mut priorities = Vec::new();
        let mut at = 0;
        loop {
            if let Some(entry) = seen.iter().position(|&known| known == (at, state)) {
                return priorities[entry..].iter().max().is_some_and(|largest| largest % 2 == 0);
            }
            seen.push((at, state));
            let letter = deterministic.letter(vec![word.letters[at]]);
            let (next, priority) = deterministic.step(state, letter);
            assert!((1..deterministic.priorities()).contains(&priority));
            priorities.push(priority);
            state = next;
            at = if at + 1 < word.letters.len() { at + 1 } else { word.entry };
        }
    }

    #[test]
    fn accepts_the_same_words() {
        for_random_cases(300, |case| {
            let formula = case.formula(&FormulaShape { size: 7, ..FormulaShape::new(Logic::Ltl) });
            let mut builder = formula.to_builder();
            let root = super::super::question::positive_normal_form(&mut builder, formula.root(), true);
            let normal = builder.finish(root, Logic::Ltl);
            let automaton = plain_automaton(&normal, &Budget::unlimited()).expect("no limit");
            for _ in 0..20 {
                let word = random_word(&mut case.rng);
                let expected = accepts(&automaton, &word);
                assert_eq!(
                    accepts_deterministically(&automaton, &word),
                    expected,
                    "{:?} from {}",
                    word.letters,
                    word.entry
                );
            }
        });
    }
}
