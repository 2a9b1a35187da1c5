//! Which ranking functions exclude the cycles of steps, level by level?

use std::collections::{BTreeMap, BTreeSet};

use tertium_evidence::abstraction::Taken;

use super::ranked_games::GameRank;
use crate::limits;

/// Ranking functions that exclude cycles of the open part, level by level: where one decreases and none of the steps increases it, its decreasing steps are taken out and what is left is looked at again.
pub(super) fn level_by_level(ranks: &[GameRank], steps: Vec<Taken>) -> Vec<usize> {
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<Vec<Taken>> = vec![steps];
    let lists: Vec<[BTreeSet<Taken>; 2]> = ranks
        .iter()
        .map(|one| [&one.rank.decreasing, &one.rank.non_increasing].map(|list| list.iter().copied().collect()))
        .collect();
    while let Some(part) = open.pop() {
        for component in components(&part) {
            let useful = |at: &usize| {
                let [down, kept] = &lists[*at];
                component.iter().all(|step| down.contains(step) || kept.contains(step))
            };
            let falls = |at: usize| component.iter().filter(|step| lists[at][0].contains(step)).count();
            let best = (0..ranks.len()).filter(useful).max_by_key(|&at| (falls(at), std::cmp::Reverse(at)));
            let Some(best) = best.filter(|&at| falls(at) > 0) else { continue };
            if chosen.len() < limits::RANKING_GAME_MOST_LEVELS || chosen.contains(&best) {
                chosen.insert(best);
                open.push(component.into_iter().filter(|step| !lists[best][0].contains(step)).collect());
            }
        }
    }
    chosen.into_iter().collect()
}

/// The steps inside each strongly connected set.
pub(super) fn components(steps: &[Taken]) -> Vec<Vec<Taken>> {
    let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
    for &(from, _, to) in steps {
        for state in [from, to] {
            let next = numbers.len();
            numbers.entry(state).or_insert(next);
        }
    }
    let mut successors = vec![Vec::new(); numbers.len()];
    for (from, _, to) in steps {
        successors[numbers[from]].push(numbers[to]);
    }
    let component = tertium_base::graph::components(numbers.len(), |at| successors[at].iter().copied());
    let mut found: BTreeMap<usize, Vec<Taken>> = BTreeMap::new();
    for &step in steps {
        let [from, to] = [step.0, step.2].map(|state| component.at(numbers[&state]));
        if from == to {
            found.entry(from).or_default().push(step);
        }
    }
    found.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_evidence::abstraction::Rank;

    fn rank(decreasing: &[Taken], non_increasing: &[Taken]) -> GameRank {
        let rank = Rank { decreasing: decreasing.to_vec(), non_increasing: non_increasing.to_vec(), ..Rank::default() };
        GameRank { candidates: Vec::new(), rank, sets: Vec::new() }
    }

    const INNER: Taken = (0, 0, 0);
    const OUT: Taken = (0, 0, 1);
    const BACK: Taken = (1, 0, 0);

    #[test]
    fn an_inner_loop_has_a_function_of_its_own_level() {
        let inner = rank(&[INNER], &[]);
        let outer = rank(&[OUT], &[INNER, BACK]);
        let steps = vec![INNER, OUT, BACK];
        assert_eq!(level_by_level(&[inner, outer], steps), [0, 1]);
        // What may increase where nothing is taken out yet excludes nothing.
        assert_eq!(level_by_level(&[rank(&[INNER], &[])], vec![INNER, OUT, BACK]), [] as [usize; 0]);
    }

    #[test]
    fn parts_without_a_way_back_have_functions_of_their_own() {
        let far: Taken = (1, 0, 1);
        let steps = vec![INNER, OUT, far];
        // The step between both lies on no cycle, so nobody has to decrease there.
        assert_eq!(level_by_level(&[rank(&[INNER], &[]), rank(&[far], &[])], steps), [0, 1]);
    }

    #[test]
    fn nothing_is_chosen_that_decreases_nowhere() {
        let idle = rank(&[], &[INNER, OUT, BACK]);
        assert_eq!(level_by_level(&[idle], vec![INNER, OUT, BACK]), [] as [usize; 0]);
    }
}
