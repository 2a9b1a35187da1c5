//! Which states can be told apart at all? Merges those that cannot.
//!
//! Three-valued bisimulation: merged states have equal labels, their possible steps lead to the same classes,
//! and so do their certain sets (of which only inclusion-minimal ones matter). Every value of every formula is
//! kept. Steps carry their action and the fairness constraints that they belong to; steps of one state to
//! one class always belong to the same constraints, so that a fair path of the result is one of the original.
//!
//! Partition refinement (Paige and Tarjan 1987): classes are split by the signatures of their states. After a split the largest part keeps its number, and
//! only states with a step into a renumbered part are looked at again: a state is renumbered at most
//! logarithmically often.
//!
//! Not here: the completeness preorder, whose equivalence is coarser.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};

use crate::builder::{KmtsBuilder, ModelTooLarge};
use crate::kmts::{ActionId, EdgeId, Kmts, PropId, StateId};
use crate::names::Names;

/// A structure made from another, with the way back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    /// The new structure.
    pub structure: Kmts,
    /// For each old state the new one that stands for it, if there is one.
    pub new_of: Vec<Option<StateId>>,
    /// For each new state an old one that it stands for: the first.
    pub old_of: Vec<StateId>,
}

/// The quotient by three-valued bisimulation.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached.
pub fn minimise(kmts: &Kmts, budget: &Budget) -> Result<Mapped, Stopped> {
    let states = kmts.state_count();
    // Classes, members, tags, reverse edges and signatures: some thirty bytes a state and eight an edge.
    budget.reserve(states.saturating_mul(40) + kmts.edge_count().saturating_mul(8))?;
    let mut refiner = Refiner::new(kmts, budget);
    refiner.split_by_labels()?;
    loop {
        refiner.stabilise()?;
        if !refiner.separate_fairness()? {
            break;
        }
    }
    let classes = refiner.numbered_by_first();
    quotient(kmts, &classes).map_err(|_| Stopped(tertium_base::StopReason::Count))
}

/// The part that may edges (and members of certain sets) reach from the initial states, or from `from` if
/// given.
///
/// # Errors
/// `Stopped` if a limit of the budget is reached.
pub fn reachable(kmts: &Kmts, from: Option<&[StateId]>, budget: &Budget) -> Result<Mapped, Stopped> {
    let mut seen = vec![false; kmts.state_count()];
    let mut todo: Vec<StateId> = from.unwrap_or(kmts.init()).to_vec();
    todo.iter().for_each(|state| seen[state.index()] = true);
    let mut ticks = 0;
    while let Some(state) = todo.pop() {
        budget.tick(&mut ticks)?;
        for target in targets(kmts, state) {
            if !std::mem::replace(&mut seen[target.index()], true) {
                todo.push(target);
            }
        }
    }
    let mut next = 0;
    let classes: Vec<u32> = seen
        .iter()
        .map(|&seen| {
            next += u32::from(seen);
            if seen { next - 1 } else { u32::MAX }
        })
        .collect();
    quotient(kmts, &classes).map_err(|_| Stopped(tertium_base::StopReason::Count))
}

/// A stretch of [`Refiner::elements`].
type Range = std::ops::Range<usize>;

struct Refiner<'a> {
    kmts: &'a Kmts,
    budget: &'a Budget,
    class: Vec<u32>,
    /// All states, those of one class together; where each stands; where each class stands.
    elements: Vec<u32>,
    place: Vec<u32>,
    ranges: Vec<Range>,
    /// For each state the states with a step or certain set into it, as offsets and one list.
    source_offsets: Vec<u32>,
    sources: Vec<u32>,
    /// Per edge a number for the constraints that it belongs to; empty without constraints.
    tags: Vec<u32>,
    dirty: Vec<u32>,
    is_dirty: Vec<bool>,
    ticks: u32,
}

/// Everything that a state's steps and certain sets lead to; with repetitions.
fn targets(kmts: &Kmts, state: StateId) -> impl Iterator<Item = StateId> + '_ {
    let plain = kmts.edges_from(state).map(|edge| edge.target);
    plain.chain(kmts.hyper_from(state).flat_map(|edge| edge.members.iter().copied()))
}

fn turned_round(kmts: &Kmts) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0u32; kmts.state_count() + 1];
    for state in kmts.states() {
        targets(kmts, state).for_each(|target| offsets[target.index() + 1] += 1);
    }
    (0..kmts.state_count()).for_each(|at| offsets[at + 1] += offsets[at]);
    let mut next = offsets.clone();
    let mut sources = vec![0u32; offsets.last().map_or(0, |&end| end as usize)];
    for state in kmts.states() {
        for target in targets(kmts, state) {
            let place = &mut next[target.index()];
            sources[*place as usize] = state.number();
            *place += 1;
        }
    }
    (offsets, sources)
}

impl<'a> Refiner<'a> {
    fn new(kmts: &'a Kmts, budget: &'a Budget) -> Self {
        let states = kmts.state_count();
        let (source_offsets, sources) = turned_round(kmts);
        Self {
            kmts,
            budget,
            class: vec![0; states],
            elements: (0..to_u32(states)).collect(),
            place: (0..to_u32(states)).collect(),
            ranges: std::iter::once(0..states).collect(),
            source_offsets,
            sources,
            tags: fairness_tags(kmts),
            dirty: Vec::new(),
            is_dirty: vec![false; states],
            ticks: 0,
        }
    }

    fn mark(&mut self, state: u32) {
        if !std::mem::replace(&mut self.is_dirty[state as usize], true) {
            self.dirty.push(state);
        }
    }

    /// Puts `states` one after another from `at` on.
    fn lay_out(&mut self, at: usize, states: impl Iterator<Item = u32>) {
        for (place, state) in (at..).zip(states) {
            self.elements[place] = state;
            self.place[state as usize] = to_u32(place);
        }
    }

    fn split_by_labels(&mut self) -> Result<(), Stopped> {
        let kmts = self.kmts;
        let labels = |state: u32| {
            (0..kmts.props().len()).map(move |prop| kmts.label(StateId::new(state as usize), PropId::new(prop)) as u8)
        };
        let mut all = std::mem::take(&mut self.elements);
        // Whose turn it is tells states apart as labels do.
        let owner = |state: u32| kmts.owner(StateId::new(state as usize));
        all.sort_by(|&a, &b| labels(a).cmp(labels(b)).then_with(|| owner(a).cmp(&owner(b))));
        let mut parts = Vec::new();
        let mut start = 0;
        for group in all.chunk_by(|&a, &b| owner(a) == owner(b) && labels(a).eq(labels(b))) {
            parts.push(start..start + group.len());
            start += group.len();
        }
        self.elements = vec![0; all.len()];
        self.lay_out(0, all.into_iter());
        self.replace_class(0, parts);
        (0..to_u32(self.class.len())).for_each(|state| self.mark(state));
        self.budget.check()
    }

    /// Puts `parts` in the place of a class; the largest keeps its number, sources of the others are marked.
    fn replace_class(&mut self, class: u32, mut parts: Vec<Range>) {
        let Some(largest) = (0..parts.len()).max_by_key(|&at| parts[at].len()) else { return };
        self.ranges[class as usize] = parts.swap_remove(largest);
        for part in parts {
            let fresh = to_u32(self.ranges.len());
            for at in part.clone() {
                let state = self.elements[at];
                self.class[state as usize] = fresh;
                let sources = self.source_offsets[state as usize]..self.source_offsets[state as usize + 1];
                for source in sources {
                    self.mark(self.sources[source as usize]);
                }
            }
            self.ranges.push(part);
        }
    }

    /// Splits until the states of each class have equal signatures.
    fn stabilise(&mut self) -> Result<(), Stopped> {
        while !self.dirty.is_empty() {
            self.budget.check()?;
            let mut dirty = std::mem::take(&mut self.dirty);
            dirty.sort_unstable_by_key(|&state| (self.class[state as usize], state));
            // Numbers change only when all signatures of this round are known.
            let mut splits = Vec::new();
            let mut start = 0;
            while start < dirty.len() {
                let class = self.class[dirty[start] as usize];
                let count = dirty[start..].iter().take_while(|&&state| self.class[state as usize] == class).count();
                if let Some(parts) = self.split(class, &dirty[start..start + count])? {
                    splits.push((class, parts));
                }
                start += count;
            }
            dirty.iter().for_each(|&state| self.is_dirty[state as usize] = false);
            for (class, parts) in splits {
                self.replace_class(class, parts);
            }
        }
        Ok(())
    }

    /// The parts of a class some of whose states are marked; none if it stays whole. Takes time for the marked
    /// states only: the others have kept their common signature, and one of them stands for all.
    fn split(&mut self, class: u32, marked: &[u32]) -> Result<Option<Vec<Range>>, Stopped> {
        let range = self.ranges[class as usize].clone();
        if range.len() == 1 {
            return Ok(None);
        }
        for (at, &state) in (range.start..).zip(marked) {
            let (here, there) = (self.elements[at], self.place[state as usize] as usize);
            self.elements.swap(at, there);
            self.place[here as usize] = to_u32(there);
            self.place[state as usize] = to_u32(at);
        }
        let rest = range.start + marked.len()..range.end;
        let rest_signature =
            self.elements.get(rest.clone()).and_then(<[u32]>::first).map(|&state| self.signature(state));
        let mut signed: Vec<(Vec<u32>, u32)> = Vec::with_capacity(marked.len());
        for &state in marked {
            self.budget.tick(&mut self.ticks)?;
            signed.push((self.signature(state), state));
        }
        // What equals the rest comes last, next to it.
        signed.sort_by(|a, b| {
            let key = |signature: &Vec<u32>| Some(signature) == rest_signature.as_ref();
            (key(&a.0), &a.0, a.1).cmp(&(key(&b.0), &b.0, b.1))
        });
        let mut parts: Vec<Range> = Vec::new();
        let mut start = range.start;
        for group in signed.chunk_by(|a, b| a.0 == b.0) {
            parts.push(start..start + group.len());
            start += group.len();
        }
        match (&rest_signature, signed.last()) {
            (None, _) => {}
            (Some(rest_signature), Some((last, _))) if last == rest_signature => {
                if let Some(part) = parts.last_mut() {
                    part.end = rest.end;
                }
            }
            _ => parts.push(rest),
        }
        self.lay_out(range.start, signed.into_iter().map(|(_, state)| state));
        Ok((parts.len() > 1).then_some(parts))
    }

    /// Possible steps and minimal certain sets in terms of classes, as one list of numbers.
    fn signature(&self, state: u32) -> Vec<u32> {
        let from = StateId::new(state as usize);
        let code = |action: Option<ActionId>| action.map_or(0, |action| action.number() + 1);
        let class = |state: StateId| self.class[state.index()];
        let tag = |edge: EdgeId| self.tags.get(edge.index()).copied().unwrap_or(0);
        let mut possible: Vec<[u32; 3]> = self
            .kmts
            .edges_from(from)
            .filter(|edge| edge.may || !self.tags.is_empty())
            .map(|edge| [code(edge.action), class(edge.target), tag(edge.id) << 1 | u32::from(edge.may)])
            .collect();
        possible.sort_unstable();
        possible.dedup();
        let must = self.kmts.edges_from(from).filter(|edge| edge.must);
        let mut certain: Vec<(u32, Vec<u32>)> =
            must.map(|edge| (code(edge.action), vec![class(edge.target)])).collect();
        certain.extend(self.kmts.hyper_from(from).map(|edge| {
            let mut classes: Vec<u32> = edge.members.iter().map(|&member| class(member)).collect();
            classes.sort_unstable();
            classes.dedup();
            (code(edge.action), classes)
        }));
        keep_minimal(&mut certain);
        let mut signature: Vec<u32> = vec![to_u32(possible.len())];
        signature.extend(possible.into_iter().flatten());
        for (action, classes) in certain {
            signature.extend([action, to_u32(classes.len())]);
            signature.extend(classes);
        }
        signature
    }

    /// Splits classes into which one state has steps of different constraints. Says whether there were any.
    fn separate_fairness(&mut self) -> Result<bool, Stopped> {
        if self.tags.is_empty() {
            return Ok(false);
        }
        let mut found = false;
        for state in self.kmts.states() {
            self.budget.tick(&mut self.ticks)?;
            let mut steps: Vec<(Option<ActionId>, u32, u32, u32)> = self
                .kmts
                .edges_from(state)
                .map(|edge| {
                    let target = edge.target.number();
                    (edge.action, self.class[target as usize], self.tags[edge.id.index()], target)
                })
                .collect();
            steps.sort_unstable();
            let clash = steps
                .windows(2)
                .find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) && pair[0].2 != pair[1].2);
            if let Some(pair) = clash {
                self.set_apart(pair[0].1, pair[0].3);
                found = true;
            }
        }
        Ok(found)
    }

    /// Makes one state of a class a class of its own.
    fn set_apart(&mut self, class: u32, state: u32) {
        let range = self.ranges[class as usize].clone();
        let (first, there) = (self.elements[range.start], self.place[state as usize] as usize);
        self.elements.swap(range.start, there);
        self.place[first as usize] = to_u32(there);
        self.place[state as usize] = to_u32(range.start);
        self.replace_class(class, vec![range.start..range.start + 1, range.start + 1..range.end]);
    }

    /// Classes numbered in the order of their first states.
    fn numbered_by_first(&self) -> Vec<u32> {
        let mut number = vec![u32::MAX; self.ranges.len()];
        let mut next = 0;
        self.class
            .iter()
            .map(|&class| {
                let slot = &mut number[class as usize];
                if *slot == u32::MAX {
                    *slot = next;
                    next += 1;
                }
                *slot
            })
            .collect()
    }
}

/// Equal numbers for edges that belong to the same constraints; empty if there are none.
fn fairness_tags(kmts: &Kmts) -> Vec<u32> {
    if kmts.fairness().is_empty() {
        return Vec::new();
    }
    let mut known = std::collections::BTreeMap::new();
    (0..kmts.edge_count())
        .map(|edge| {
            let belongs: Vec<(bool, bool)> =
                kmts.fairness().iter().map(|f| (f.possible.contains(edge), f.certain.contains(edge))).collect();
            let next = to_u32(known.len());
            *known.entry(belongs).or_insert(next)
        })
        .collect()
}

/// Sorts and keeps, for each action, the sets that contain no other.
fn keep_minimal(sets: &mut Vec<(u32, Vec<u32>)>) {
    sets.sort();
    sets.dedup();
    if sets.iter().all(|(_, set)| set.len() == 1) {
        return;
    }
    let inside = |small: &[u32], large: &[u32]| small.iter().all(|item| large.binary_search(item).is_ok());
    let beaten: Vec<bool> = sets
        .iter()
        .map(|(action, set)| {
            sets.iter().any(|(other, smaller)| other == action && smaller.len() < set.len() && inside(smaller, set))
        })
        .collect();
    let mut at = 0;
    sets.retain(|_| {
        at += 1;
        !beaten[at - 1]
    });
}

/// The structure over classes; states of class `u32::MAX` are left out, with their steps.
pub(crate) fn quotient(kmts: &Kmts, classes: &[u32]) -> Result<Mapped, ModelTooLarge> {
    let count = classes.iter().filter(|&&class| class != u32::MAX).max().map_or(0, |&last| last as usize + 1);
    let mut old_of = vec![StateId::new(0); count];
    for state in kmts.states().rev() {
        if let Some(place) = old_of.get_mut(classes[state.index()] as usize) {
            *place = state;
        }
    }
    let mut names = Names::default();
    old_of.iter().for_each(|&state| names.push(kmts.state_name(state)));
    let mut builder = KmtsBuilder::with_names(names);
    let class = |state: StateId| StateId::new(classes[state.index()] as usize);
    kmts.actions().iter().for_each(|name| {
        builder.add_action(name);
    });
    for (at, name) in kmts.props().iter().enumerate() {
        let prop = builder.add_prop(name);
        old_of.iter().for_each(|&state| builder.set_label(class(state), prop, kmts.label(state, PropId::new(at))));
    }
    for &state in &old_of {
        for edge in kmts.edges_from(state) {
            builder.add_edge(class(state), class(edge.target), edge.may, edge.must, edge.action);
        }
        for edge in kmts.hyper_from(state) {
            let members: Vec<StateId> = edge.members.iter().map(|&member| class(member)).collect();
            builder.add_hyper(class(state), &members, edge.action);
        }
    }
    for constraint in kmts.fairness() {
        let mapped = |edges: &tertium_base::BitSet| {
            let all = old_of.iter().flat_map(|&state| kmts.edges_from(state).map(move |edge| (state, edge)));
            let inside = all.filter(|(_, edge)| edges.contains(edge.id.index()));
            inside.map(|(state, edge)| (class(state), class(edge.target), edge.action)).collect::<Vec<_>>()
        };
        builder.add_exact_fairness(mapped(&constraint.possible), mapped(&constraint.certain));
    }
    let mut init: Vec<StateId> = Vec::new();
    for &state in kmts.init().iter().filter(|state| classes[state.index()] != u32::MAX) {
        if !init.contains(&class(state)) {
            init.push(class(state));
        }
    }
    init.into_iter().for_each(|state| builder.add_init(state));
    builder.copy_owners(kmts, old_of.iter().map(|&state| (class(state), state)));
    builder.set_total(kmts.total());
    let new_of = classes.iter().map(|&class| (class != u32::MAX).then(|| StateId::new(class as usize))).collect();
    Ok(Mapped { structure: builder.finish()?, new_of, old_of })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Format, Model, read_bytes};

    fn kmts(text: &str) -> Kmts {
        let loaded = read_bytes("test", Format::Kmts, text.as_bytes(), &Budget::unlimited()).unwrap();
        match loaded.model {
            Some(Model::Kmts(kmts)) => kmts,
            _ => panic!("{:?}", loaded.diagnostics),
        }
    }

    #[test]
    fn equal_states_are_merged() {
        let twins = kmts(
            "state a p: t\nstate b p: t\nstate c p: ?\na -must-> c\nb -must-> c\nc -may-> a\nc -may-> b\ninit b\n",
        );
        let small = minimise(&twins, &Budget::unlimited()).unwrap();
        assert_eq!(small.structure.state_count(), 2);
        assert_eq!(small.new_of, [0, 0, 1].map(|at| Some(StateId::new(at))));
        assert_eq!(small.structure.init(), [StateId::new(0)]);
        assert_eq!(small.structure.edge_count(), 2);
    }

    #[test]
    fn steps_of_different_constraints_stay_apart() {
        let text = "state s\nstate t1\nstate t2\ns -must-> t1\ns -must-> t2\nt1 -must-> s\nt2 -must-> s\n";
        assert_eq!(minimise(&kmts(text), &Budget::unlimited()).unwrap().structure.state_count(), 1);
        let fair = kmts(&format!("{text}fair {{s -> t1}}\n"));
        let small = minimise(&fair, &Budget::unlimited()).unwrap();
        assert_eq!(small.structure.state_count(), 3);
        assert_eq!(small.structure.fairness()[0].possible.count(), 1);
    }

    #[test]
    fn a_long_chain_takes_no_square_of_time() {
        let mut text = "props p\nstate s100000 p: t\n".to_owned();
        for at in 0..100_000 {
            text += &format!("state s{at} p: f\ns{at} -must-> s{}\n", at + 1);
        }
        let chain = kmts(&text);
        let small = minimise(&chain, &Budget::unlimited()).unwrap();
        assert_eq!(small.structure.state_count(), chain.state_count());
    }

    #[test]
    fn only_what_is_reached_stays() {
        let all = kmts("state a\nstate b\nstate c\nstate d\ninit b\nb -hyperonly-> {c, d}\na -must-> b\nmixed\n");
        let part = reachable(&all, None, &Budget::unlimited()).unwrap();
        assert_eq!(part.old_of.iter().map(|&state| all.state_name(state)).collect::<Vec<_>>(), ["b", "c", "d"]);
        assert_eq!(part.structure.hyper_count(), 1);
    }
}
