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

/// A set of all states with so many nodes is no target of steps.
const MOST_TARGET_NODES: usize = 10 * CLUSTER_NODES;

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
    forward: Schedule,
    backward: Schedule,
    /// What is said of the state after a step alone, as an invariant of the model is. It takes no part in the schedules: a target that
    /// keeps to it is no larger for it, and no bit waits for it before it is quantified.
    afterwards: Vec<Set>,
    /// Backwards from everything: with what is said of the state afterwards.
    whole: Schedule,
    pub(crate) nodes: usize,
    pub(crate) support: Vec<Bit>,
}

impl Conjunction {
    /// The clusters.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &Set> {
        self.forward.sets().chain(&self.afterwards)
    }

    /// Where steps from `sources` lead, in bits for afterwards.
    pub(crate) fn targets(&self, sources: &Set) -> Result<Set, Stopped> {
        self.kept(self.forward.product(sources)?)
    }

    /// From where steps lead into `target`, which is in bits for afterwards.
    pub(crate) fn sources_into(&self, target: &Set) -> Result<Set, Stopped> {
        self.backward.product(&self.kept(target.clone())?)
    }

    /// From where steps lead anywhere. What is said of the state afterwards is one set first, as long as that stays small.
    pub(crate) fn sources(&self, full: &Set) -> Result<Set, Stopped> {
        let mut target = full.clone();
        for condition in &self.afterwards {
            target = target.and(condition)?;
            if target.nodes() > MOST_TARGET_NODES {
                return self.whole.product(full);
            }
        }
        self.backward.product(&target)
    }

    fn kept(&self, set: Set) -> Result<Set, Stopped> {
        self.afterwards.iter().try_fold(set, |set, condition| set.and(condition))
    }
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
    let (afterwards, conjuncts): (Vec<Set>, Vec<Set>) =
        conjuncts.into_iter().partition(|conjunct| conjunct.support().iter().all(|bit| later.contains(bit)));
    let afterwards = gathered(afterwards, most_nodes)?;
    let clusters = gathered(by_benefit(conjuncts, &now, &later), most_nodes)?;
    let clusters = without_private_inputs(diagrams, clusters, &inputs)?;
    if let Some(one) = together(diagrams, &clusters, &afterwards, most_nodes)? {
        // What it shared with conjuncts that said nothing else is its own now.
        return Ok(Clustered::One(one.exists(&diagrams.quantified(inputs)?)?));
    }
    let all = || clusters.iter().chain(&afterwards);
    let support: BTreeSet<Bit> = all().flat_map(Set::support).collect();
    Ok(Clustered::Several(Conjunction {
        nodes: all().map(Set::nodes).sum(),
        support: support.into_iter().collect(),
        backward: Schedule::new(diagrams, by_benefit(clusters.clone(), &back, &now), &back)?,
        whole: Schedule::new(diagrams, by_benefit(all().cloned().collect(), &back, &now), &back)?,
        forward: Schedule::new(diagrams, clusters, &now)?,
        afterwards,
    }))
}

/// Conjuncts that follow each other become one cluster as long as that stays small.
fn gathered(ordered: Vec<Set>, most_nodes: usize) -> Result<Vec<Set>, Stopped> {
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
    Ok(clusters)
}

/// All of it as one set, if that is small.
fn together(
    diagrams: &Diagrams,
    clusters: &[Set],
    afterwards: &[Set],
    most_nodes: usize,
) -> Result<Option<Set>, Stopped> {
    let full = diagrams.full();
    let (one, other) = match (clusters, afterwards) {
        ([], []) => return Ok(Some(full)),
        ([one], []) | ([], [one]) => return Ok(Some(one.clone())),
        ([one], [other]) if one.nodes() + other.nodes() <= most_nodes => (one, other),
        _ => return Ok(None),
    };
    let both = one.and(other)?;
    Ok(Some(both).filter(|both| both.nodes() <= most_nodes))
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
