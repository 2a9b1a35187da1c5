//! Which priorities matter?
//!
//! A priority counts only where it can be met again and again. So terms that never come back, and terms that come back to nothing odd, have
//! priority 0; and where neither anything even nor a round without anything odd comes back, every round is bad, and 1 says so of all of it.

use tertium_base::{Budget, Stopped};

use super::terms::{Term, TermId};
use crate::checker::Graph;

/// The priorities that matter, of terms with these.
pub(super) fn that_matter(rules: &[Term], given: &[u32], budget: &Budget) -> Result<Vec<u32>, Stopped> {
    let odd = |at: usize| given[at] % 2 == 1;
    let (component, comes_back) = rounds(rules, |_| true, budget)?;
    let (_, without_odd) = rounds(rules, |at| !odd(at), budget)?;
    let (mut has_odd, mut has_good) = (vec![false; rules.len()], vec![false; rules.len()]);
    for (at, &class) in component.iter().enumerate() {
        has_odd[class as usize] |= odd(at);
        has_good[class as usize] |= without_odd[at] || (given[at] > 0 && !odd(at));
    }
    let matters = |at: usize| match component[at] as usize {
        class if !comes_back[at] || !has_odd[class] => 0,
        class if !has_good[class] => 1,
        _ => given[at],
    };
    Ok((0..rules.len()).map(matters).collect())
}

/// The strongly connected components of the terms that are kept, and whether each of them lies on a round.
fn rounds(rules: &[Term], kept: impl Fn(usize) -> bool, budget: &Budget) -> Result<(Vec<u32>, Vec<bool>), Stopped> {
    let mut graph = Graph::new();
    for (at, rule) in rules.iter().enumerate() {
        let leads = rule.here().iter().copied().chain(rule.behind());
        let leads: Vec<TermId> = leads.filter(|&to| kept(at) && kept(to as usize)).collect();
        graph.push(leads);
    }
    let component = graph.components(budget)?;
    let on_cycle = graph.on_cycle(&component);
    Ok((component, on_cycle))
}
