//! Which ranking function shows that something is reached, from every state of a set?
//!
//! Layers of sets: in the first the goal holds, from each other one a step leads (or, if every run has to get there, all steps lead) into an earlier one. The number of a
//! state's layer is a ranking function. Blocks of states with the same labels, and with or without a layer, become the abstract states of a
//! structure; that steps decrease the ranking function is an obligation of the certificate like any other. So whatever is wrong here costs a certificate,
//! never a wrong one.

use tertium_base::narrow::to_u32;
use tertium_cegar::predicate_abstraction::basis::Basis;
use tertium_check::symbolic::Pair;
use tertium_dd::Set;
use tertium_encode::{Encoding, EncodingError, InstantiatedProgram};
use tertium_evidence::abstraction::{Rank, RankedSet, Structure};
use tertium_kernel::vocabulary::NoTerm;
use tertium_logic::{Formula, Node, NodeId};

use super::invariant_terms;

/// More layers are not written down.
const MOST_LAYERS: usize = 200;
/// More blocks are not told apart.
const MOST_BLOCKS: usize = 24;

/// The one place of a formula that says that something is reached.
pub(super) struct Reachability {
    /// What is reached.
    pub goal: NodeId,
    /// What holds until then, if anything.
    pub until: Option<NodeId>,
    /// Whether every run gets there, and not only some.
    universal: bool,
}

impl Reachability {
    /// The place, if there is exactly one, and it speaks of single states.
    pub fn of(formula: &Formula) -> Option<Self> {
        let reaches = |node: NodeId| match formula.node(node) {
            Node::Finally(goal) => Some((goal, None)),
            Node::Until(until, goal) => Some((goal, Some(until))),
            _ => None,
        };
        let mut found = formula.node_ids().filter_map(|id| Some((id, reaches(id)?)));
        let (id, (goal, until)) = found.next()?;
        let single = found.next().is_none();
        let of_states = std::iter::once(goal).chain(until).all(|node| formula.is_propositional(node));
        let universal = !formula.nodes().iter().any(|node| matches!(node, Node::Exists(path) if *path == id));
        (single && of_states).then_some(Self { goal, until, universal })
    }
}

/// What layers are made of: the place in the formula with its sets, and the labels.
pub(super) struct Asked<'a> {
    pub reachability: &'a Reachability,
    pub goal: &'a Set,
    pub until: Option<&'a Set>,
    /// By atom of the property; none where it is not used.
    pub labels: &'a [Option<Pair>],
}

/// A structure over blocks of states with the number of the layer as ranking function; or why there is none.
pub(super) fn basis(encoding: &Encoding<'_>, subject: &InstantiatedProgram<'_>, asked: &Asked<'_>) -> Basis {
    match layered(encoding, subject, asked) {
        Ok(basis) => basis,
        Err(EncodingError::Stopped(stopped)) => Basis::Untold(format!("its layers were not all found: {stopped}")),
        Err(EncodingError::Unfit(why)) => Basis::Untold(why),
    }
}

fn layered(
    encoding: &Encoding<'_>,
    subject: &InstantiatedProgram<'_>,
    asked: &Asked<'_>,
) -> Result<Basis, EncodingError> {
    let untold = |why: String| Ok(Basis::Untold(why));
    let Some(layers) = layers(encoding, asked)? else {
        return untold(format!("there are more than {MOST_LAYERS} layers of states before what is to be reached"));
    };
    let Some(blocks) = Blocks::of(encoding, &layers, asked)? else {
        return untold(format!("there are more than {MOST_BLOCKS} combinations of labels, or one has no value"));
    };
    let mut structure = blocks.structure(encoding, asked)?;
    let sets: Vec<Set> = blocks.all.iter().map(|block| block.set.clone()).collect();
    match invariant_terms::layered(encoding, subject, &sets, &layers) {
        Err(NoTerm(why)) => untold(why),
        Ok((over, rank)) => {
            structure.ranks[0].terms = vec![rank];
            Ok(Basis::Structure(over, Box::new(structure)))
        }
    }
}

/// The layers of reachable states; none if there are too many.
fn layers(encoding: &Encoding<'_>, asked: &Asked<'_>) -> Result<Option<Vec<Set>>, EncodingError> {
    let (relation, reached, dead) = (encoding.relation(), &encoding.reached, encoding.dead()?);
    let mut layers = vec![asked.goal.and(reached)?];
    let mut all = layers[0].clone();
    loop {
        let before = if asked.reachability.universal {
            reached.minus(&relation.preimage(&reached.minus(&all)?)?)?.minus(&dead)?
        } else {
            relation.preimage(&all)?.and(reached)?
        };
        let held = match asked.until {
            Some(until) => before.and(until)?,
            None => before,
        };
        let next = held.minus(&all)?;
        if next.is_empty() {
            return Ok(Some(layers));
        }
        if layers.len() >= MOST_LAYERS {
            return Ok(None);
        }
        all = all.or(&next)?;
        layers.push(next);
    }
}

/// States with the same labels.
struct Block {
    set: Set,
    labels: Vec<Option<bool>>,
    /// Whether it has a layer, and not the first.
    pending: bool,
    /// Whether the goal holds.
    done: bool,
}

struct Blocks {
    all: Vec<Block>,
}

impl Blocks {
    fn of(encoding: &Encoding<'_>, layers: &[Set], asked: &Asked<'_>) -> Result<Option<Self>, EncodingError> {
        let (goal, mut pending) = (&layers[0], encoding.diagrams().empty());
        for layer in &layers[1..] {
            pending = pending.or(layer)?;
        }
        let rest = encoding.reached.minus(goal)?.minus(&pending)?;
        let labels = vec![None; asked.labels.len()];
        let block = |set: &Set, pending, done| Block { set: set.clone(), labels: labels.clone(), pending, done };
        let mut all = vec![block(goal, false, true), block(&pending, true, false), block(&rest, false, false)];
        for (at, label) in asked.labels.iter().enumerate() {
            let Some(label) = label else { continue };
            if !label.open.and(&encoding.reached)?.is_subset(&label.yes)? {
                return Ok(None);
            }
            let mut split = Vec::new();
            for block in all {
                for (value, set) in [(true, block.set.and(&label.yes)?), (false, block.set.minus(&label.yes)?)] {
                    let mut labels = block.labels.clone();
                    labels[at] = Some(value);
                    split.push(Block { set, labels, ..block });
                }
            }
            split.retain(|block| !block.set.is_empty());
            if split.len() > MOST_BLOCKS {
                return Ok(None);
            }
            all = split;
        }
        all.retain(|block| !block.set.is_empty());
        Ok(Some(Self { all }))
    }

    /// The blocks that a set has states of.
    fn met(&self, set: &Set) -> Result<Vec<u32>, EncodingError> {
        let mut met = Vec::new();
        for (number, block) in self.all.iter().enumerate() {
            if !block.set.and(set)?.is_empty() {
                met.push(to_u32(number));
            }
        }
        Ok(met)
    }

    fn structure(&self, encoding: &Encoding<'_>, asked: &Asked<'_>) -> Result<Structure, EncodingError> {
        let mut structure = Structure {
            initial: self.met(&encoding.init)?,
            labels: self.all.iter().map(|block| block.labels.clone()).collect(),
            stops: self.met(&encoding.dead()?)?,
            ranks: vec![Rank::default()],
            ..Structure::default()
        };
        for (number, block) in self.all.iter().enumerate() {
            let from = to_u32(number);
            let mut targets: Vec<u32> = Vec::new();
            for pid in 0..to_u32(encoding.program().instances.len()) {
                let mut image = encoding.diagrams().empty();
                for part in encoding.steps_of(pid) {
                    image = image.or(&part.image(&block.set)?)?;
                }
                let to = self.met(&image)?;
                if block.pending && asked.reachability.universal {
                    let still = to.iter().filter(|&&to| self.all[to as usize].pending);
                    structure.ranks[0].decreasing.extend(still.map(|&to| (from, pid, to)));
                }
                targets.extend(&to);
                if !to.is_empty() {
                    structure.steps.push((from, pid, to));
                }
            }
            if block.pending && !asked.reachability.universal {
                structure.ranked.push(self.nearer(from, targets));
            }
        }
        Ok(structure)
    }

    /// That some step leads nearer to the goal.
    fn nearer(&self, from: u32, mut targets: Vec<u32>) -> RankedSet {
        targets.sort_unstable();
        targets.dedup();
        let member = |to: u32| match &self.all[to as usize] {
            block if block.done => Some((to, Vec::new())),
            block if block.pending => Some((to, vec![(0, true)])),
            _ => None,
        };
        RankedSet { from, by: None, into: targets.into_iter().filter_map(member).collect() }
    }
}
