//! A conjunctive partition of steps that write many bits at once, with early quantification (Burch, Clarke, Long 1991).
//!
//! The steps of a synchronous system are a conjunction: what becomes of each bit. Together they may need far more nodes than apart, so the relational
//! product takes one cluster after the other, and quantifies each bit as soon as no later cluster speaks of it. Which order quantifies early is found by
//! the benefit heuristic of Ranjan, Aziz, Brayton, Plessier and Pixley (IWLS 1995), once for images and once for preimages; conjuncts that
//! follow each other become one cluster as long as that stays small.

use std::collections::BTreeSet;

use tertium_base::Stopped;

use crate::set::{QuantifiedBits, Set};
use crate::store::{Bit, Diagrams};

/// Conjuncts become one cluster up to this many nodes (Ranjan, Aziz, Brayton, Plessier, Pixley 1995). Of 500, 1,000, 2,000 and 5,000 nodes, 1,000 was fastest over eleven
/// synchronous models: 0.3 s together, where 5,000 took 0.5 s.
pub const CLUSTER_NODES: usize = 1_000;

/// In which order clusters are taken, and which bits are quantified after each.
#[derive(Debug)]
pub(crate) struct Schedule {
    /// Those of which no cluster speaks.
    first: QuantifiedBits,
    clusters: Vec<(Set, QuantifiedBits)>,
}

impl Schedule {
    fn new(diagrams: &Diagrams, clusters: Vec<Set>, quantified: &BTreeSet<Bit>) -> Result<Self, Stopped> {
        let supports: Vec<BTreeSet<Bit>> = clusters.iter().map(|set| set.support().into_iter().collect()).collect();
        let mut left = quantified.clone();
        let mut steps = Vec::new();
        for (at, cluster) in clusters.into_iter().enumerate().rev() {
            let here: Vec<Bit> = left.intersection(&supports[at]).copied().collect();
            here.iter().for_each(|bit| _ = left.remove(bit));
            steps.push((cluster, diagrams.quantified(here)?));
        }
        steps.reverse();
        Ok(Self { first: diagrams.quantified(left)?, clusters: steps })
    }

    /// The clusters.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &Set> {
        self.clusters.iter().map(|(cluster, _)| cluster)
    }

    /// The relational product of a set with all clusters.
    pub(crate) fn product(&self, set: &Set) -> Result<Set, Stopped> {
        let mut found = set.exists(&self.first)?;
        for (cluster, bits) in &self.clusters {
            if found.is_empty() {
                break;
            }
            found = found.and_exists(cluster, bits)?;
        }
        Ok(found)
    }
}

/// Steps as a conjunction.
#[derive(Debug)]
pub(crate) struct Conjunction {
    pub(crate) forward: Schedule,
    pub(crate) backward: Schedule,
    pub(crate) nodes: usize,
    pub(crate) support: Vec<Bit>,
}

/// What a conjunction became.
pub(crate) enum Clustered {
    /// It is small enough to be one set.
    One(Set),
    Several(Conjunction),
}

/// Orders and clusters conjuncts.
pub(crate) fn clustered(
    diagrams: &Diagrams,
    conjuncts: Vec<Set>,
    written: &[(Bit, Bit)],
    inputs: &[Bit],
    most_nodes: usize,
) -> Result<Clustered, Stopped> {
    let inputs: BTreeSet<Bit> = inputs.iter().copied().collect();
    let conjuncts = without_private_inputs(diagrams, conjuncts, &inputs)?;
    let now: BTreeSet<Bit> = written.iter().map(|&(now, _)| now).chain(inputs.iter().copied()).collect();
    let later: BTreeSet<Bit> = written.iter().map(|&(_, later)| later).collect();
    let back: BTreeSet<Bit> = later.iter().chain(&inputs).copied().collect();
    let ordered = by_benefit(conjuncts, &now, &later);
    let mut clusters: Vec<Set> = Vec::new();
    for conjunct in ordered {
        if let Some(last) = clusters.last_mut() {
            // Two sets have at most the product of their nodes; what is surely too large is not tried.
            let both = if last.nodes() + conjunct.nodes() > most_nodes { None } else { Some(last.and(&conjunct)?) };
            if let Some(both) = both.filter(|both| both.nodes() <= most_nodes) {
                *last = both;
                continue;
            }
        }
        clusters.push(conjunct);
    }
    let clusters = without_private_inputs(diagrams, clusters, &inputs)?;
    match clusters.as_slice() {
        [] => return Ok(Clustered::One(diagrams.full())),
        // What it shared with conjuncts that said nothing else is its own now.
        [one] => return Ok(Clustered::One(one.exists(&diagrams.quantified(inputs)?)?)),
        _ => {}
    }
    let nodes = clusters.iter().map(Set::nodes).sum();
    let support: BTreeSet<Bit> = clusters.iter().flat_map(Set::support).collect();
    let backward = by_benefit(clusters.clone(), &back, &now);
    Ok(Clustered::Several(Conjunction {
        forward: Schedule::new(diagrams, clusters, &now)?,
        backward: Schedule::new(diagrams, backward, &back)?,
        nodes,
        support: support.into_iter().collect(),
    }))
}

/// Quantifies inputs of which one conjunct alone speaks.
fn without_private_inputs(
    diagrams: &Diagrams,
    conjuncts: Vec<Set>,
    inputs: &BTreeSet<Bit>,
) -> Result<Vec<Set>, Stopped> {
    let supports: Vec<Vec<Bit>> = conjuncts.iter().map(Set::support).collect();
    let mut users = std::collections::BTreeMap::new();
    for bit in supports.iter().flatten().filter(|bit| inputs.contains(bit)) {
        *users.entry(*bit).or_insert(0usize) += 1;
    }
    let mut left = Vec::new();
    for (conjunct, support) in conjuncts.into_iter().zip(supports) {
        let own: Vec<Bit> = support.into_iter().filter(|bit| users.get(bit) == Some(&1)).collect();
        let conjunct = if own.is_empty() { conjunct } else { conjunct.exists(&diagrams.quantified(own)?)? };
        if !conjunct.is_full() {
            left.push(conjunct);
        }
    }
    Ok(left)
}

/// The order in which most bits are quantified early and few are brought in.
fn by_benefit(conjuncts: Vec<Set>, quantified: &BTreeSet<Bit>, introduced: &BTreeSet<Bit>) -> Vec<Set> {
    let mut open: Vec<(Set, BTreeSet<Bit>, BTreeSet<Bit>)> = Vec::new();
    for conjunct in conjuncts {
        let support = conjunct.support();
        let gone = support.iter().filter(|bit| quantified.contains(bit)).copied().collect();
        let fresh =
            support.iter().filter(|bit| introduced.contains(bit) && !quantified.contains(bit)).copied().collect();
        open.push((conjunct, gone, fresh));
    }
    let mut users = std::collections::BTreeMap::new();
    for bit in open.iter().flat_map(|(_, gone, _)| gone) {
        *users.entry(*bit).or_insert(0usize) += 1;
    }
    let (mut ordered, mut seen) = (Vec::new(), BTreeSet::new());
    while !open.is_empty() {
        let left = users.values().filter(|&&count| count > 0).count().max(1) as f64;
        let most_fresh = open.iter().map(|(_, _, fresh)| fresh.len()).max().unwrap_or(0).max(1) as f64;
        let benefit = |(_, gone, fresh): &(Set, BTreeSet<Bit>, BTreeSet<Bit>)| {
            let private = gone.iter().filter(|bit| users.get(bit) == Some(&1)).count() as f64;
            let known = gone.iter().filter(|bit| seen.contains(*bit)).count() as f64;
            let all = gone.len().max(1) as f64;
            let deepest = gone.iter().next_back().map_or(0.0, |bit| bit.index() as f64) * 1e-6;
            6.0 * private / all + all / left + known / all - fresh.len() as f64 / most_fresh + deepest
        };
        let mut best = (0, f64::NEG_INFINITY);
        for (at, one) in open.iter().enumerate() {
            let value = benefit(one);
            if value > best.1 {
                best = (at, value);
            }
        }
        let (conjunct, gone, _) = open.remove(best.0);
        for bit in gone {
            seen.insert(bit);
            users.entry(bit).and_modify(|count| *count = count.saturating_sub(1));
        }
        ordered.push(conjunct);
    }
    ordered
}
