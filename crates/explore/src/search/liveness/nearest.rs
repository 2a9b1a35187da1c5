//! The same question over anything that says what comes after a state, nearest states first.
//!
//! Where making a state costs much, say because a solver is asked, a search that goes deep first makes many that do not matter. Here
//! the product grows by the plain search of [`tertium_program::search`]; each time it has grown by a part, the components of what
//! is there are looked at, which costs little. So a run that is found needs few states, and is short.
//!
//! Not here: strong fairness, and rows of words, which have faster searches.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::rc::Rc;

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, Stopped};
use tertium_program::Successors;
use tertium_program::search::{Limits, nearest_first};

use super::components::Components;
use super::lasso;
use super::marked::{Edge, Marked, NOBODY};
use super::marks::Marks;

/// The components are looked at again after this many states of the product, and whenever it has grown by a quarter.
const FIRST_LOOK: usize = 4;

/// Watches runs: a generalised Büchi automaton over states.
pub trait Watch<S: Successors> {
    /// Where it starts.
    fn initial(&self) -> Vec<u32>;

    /// How many marks a run must collect infinitely often.
    fn marks(&self) -> u32;

    /// Where it can go from `at` when it sees `state`, each with the marks it collects.
    ///
    /// # Errors
    /// If that cannot be told.
    fn next(
        &mut self,
        successors: &mut S,
        at: u32,
        state: &S::State,
        out: &mut Vec<(u32, u64)>,
    ) -> Result<(), S::Failure>;
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Nearest<S> {
    /// The states that were met, in that order.
    pub states: Vec<S>,
    /// An accepted fair run, if there is one, by the numbers of its states: those before the cycle, and those of the cycle.
    pub lasso: Option<(Vec<usize>, Vec<usize>)>,
    /// States of the product that were visited.
    pub product: usize,
    /// Steps of the product that were looked at.
    pub transitions: usize,
}

/// Looks for an accepted run that takes steps of each of so many constraints for ever. A step is told by the constraints that it
/// counts for, one bit each; there are at most 64 marks and 64 constraints. Where nothing comes after a state, runs do not go on.
///
/// # Errors
/// If a limit is reached, or what comes next cannot be told.
pub fn nearest_accepted_run<S, W>(
    successors: &mut S,
    watch: &mut W,
    constraints: u32,
    limits: Limits<'_>,
) -> Result<Nearest<S::State>, S::Failure>
where
    S: Successors<Step = u64>,
    W: Watch<S>,
{
    assert!(constraints <= u64::BITS, "{constraints} constraints have no bits");
    let all = Marks::all((watch.marks() + constraints) as usize);
    let mut watched = WatchedSuccessors {
        successors,
        watch,
        numbers: HashMap::new(),
        states: Vec::new(),
        after: Vec::new(),
        edges: Vec::new(),
        starts: 0,
    };
    let (mut lasso, mut look_at) = (None, FIRST_LOOK);
    let reached = nearest_first(&mut watched, limits, &mut |watched, _, number| {
        if number < look_at {
            return Ok(ControlFlow::Continue(()));
        }
        look_at = number + (number / 4).max(FIRST_LOOK);
        lasso = watched.accepted(all, limits.budget)?;
        Ok(if lasso.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if lasso.is_none() {
        lasso = watched.accepted(all, limits.budget)?;
    }
    let program = |numbers: &Vec<u32>| numbers.iter().map(|&number| reached.states[number as usize].0).collect();
    let lasso = lasso.map(|(stem, cycle)| (program(&stem), program(&cycle)));
    Ok(Nearest { states: watched.states, lasso, product: reached.states.len(), transitions: reached.steps })
}

/// A state by its number, and where the watch is.
type Node = (usize, u32);

/// Steps from a state: what they count for, and where they lead.
type Steps = Rc<Vec<(u64, usize)>>;

/// Nodes before the cycle, and those of the cycle.
type Run = (Vec<u32>, Vec<u32>);

/// The product of states and what watches them, as it grows.
struct WatchedSuccessors<'w, S: Successors, W> {
    successors: &'w mut S,
    watch: &'w mut W,
    numbers: HashMap<S::State, usize>,
    states: Vec<S::State>,
    /// By state, once it was asked for.
    after: Vec<Option<Steps>>,
    /// By node, in the order of the search.
    edges: Vec<Vec<Edge>>,
    /// How many nodes it begins with; they come first.
    starts: u32,
}

fn number<S: Clone + Eq + std::hash::Hash>(numbers: &mut HashMap<S, usize>, states: &mut Vec<S>, state: S) -> usize {
    if let Some(&known) = numbers.get(&state) {
        return known;
    }
    numbers.insert(state.clone(), states.len());
    states.push(state);
    states.len() - 1
}

impl<S: Successors<Step = u64>, W: Watch<S>> WatchedSuccessors<'_, S, W> {
    /// What comes after a state; asked once.
    fn steps(&mut self, at: usize) -> Result<Steps, S::Failure> {
        if let Some(Some(known)) = self.after.get(at) {
            return Ok(Rc::clone(known));
        }
        let Self { successors, numbers, states, .. } = self;
        let (state, mut found) = (states[at].clone(), Vec::new());
        successors.after(&state, &mut |fair, target| {
            let target = number(numbers, states, target);
            found.push((fair, target));
            target
        })?;
        let found = Rc::new(found);
        self.after.resize(self.states.len(), None);
        self.after[at] = Some(Rc::clone(&found));
        Ok(found)
    }

    /// An accepted run within what is there.
    fn accepted(&self, all: Marks, budget: &Budget) -> Result<Option<Run>, S::Failure> {
        let starts: Vec<u32> = (0..self.starts).collect();
        let mut known: KnownSteps<'_, S::Failure> =
            KnownSteps { edges: &self.edges, all, budget, failure: PhantomData };
        let Some(component) = Components::default().run(&mut known, &starts, &mut |_| {})? else { return Ok(None) };
        Ok(Some(lasso::lasso(&mut known, &starts, &component)?))
    }
}

impl<S: Successors<Step = u64>, W: Watch<S>> Successors for WatchedSuccessors<'_, S, W> {
    type State = Node;
    type Step = ();
    type Failure = S::Failure;

    fn initial(&mut self) -> Result<Vec<Node>, S::Failure> {
        let mut nodes = Vec::new();
        for state in self.successors.initial()? {
            let at = number(&mut self.numbers, &mut self.states, state);
            nodes.extend(self.watch.initial().into_iter().map(|watch| (at, watch)));
        }
        nodes.sort_unstable();
        nodes.dedup();
        self.starts = to_u32(nodes.len());
        Ok(nodes)
    }

    fn after(&mut self, &(at, watch): &Node, arrive: &mut dyn FnMut((), Node) -> usize) -> Result<(), S::Failure> {
        let (state, mut moves) = (self.states[at].clone(), Vec::new());
        self.watch.next(self.successors, watch, &state, &mut moves)?;
        let mut edges = Vec::new();
        // Where the watch has seen enough, nobody asks what comes next.
        if !moves.is_empty() {
            let shift = self.watch.marks() as usize;
            for &(fair, target) in self.steps(at)?.iter() {
                for &(next, marks) in &moves {
                    let mut marks = Marks::of_monitor(marks);
                    (0..64).filter(|at| fair >> at & 1 == 1).for_each(|at| marks.insert(shift + at));
                    edges.push(Edge { target: to_u32(arrive((), (target, next))), marks, mover: NOBODY });
                }
            }
        }
        self.edges.push(edges);
        Ok(())
    }
}

/// The steps that are known already. From states that nobody went on from there are none.
struct KnownSteps<'k, F> {
    edges: &'k [Vec<Edge>],
    all: Marks,
    budget: &'k Budget,
    failure: PhantomData<F>,
}

impl<F: From<Stopped>> Marked for KnownSteps<'_, F> {
    type Failure = F;

    fn all_marks(&self) -> Marks {
        self.all
    }

    fn budget(&self) -> &Budget {
        self.budget
    }

    fn size(&self) -> (usize, usize) {
        (self.edges.len(), 0)
    }

    fn edges(&mut self, number: u32, out: &mut Vec<Edge>) -> Result<(), F> {
        out.clear();
        out.extend(self.edges.get(number as usize).into_iter().flatten());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tertium_testkit::{Rng, for_random_cases};

    use super::*;

    /// Steps between numbers, each with what it counts for.
    struct Graph {
        steps: Vec<Vec<(u64, usize)>>,
        asked: usize,
    }

    impl Successors for Graph {
        type State = usize;
        type Step = u64;
        type Failure = Stopped;

        fn initial(&mut self) -> Result<Vec<usize>, Stopped> {
            Ok(vec![0])
        }

        fn after(&mut self, &state: &usize, arrive: &mut dyn FnMut(u64, usize) -> usize) -> Result<(), Stopped> {
            self.asked += 1;
            for &(fair, target) in &self.steps[state] {
                arrive(fair, target);
            }
            Ok(())
        }
    }

    /// By its state and whether the number is odd: where it can go.
    struct Parity(Vec<[Vec<(u32, u64)>; 2]>);

    impl Watch<Graph> for Parity {
        fn initial(&self) -> Vec<u32> {
            vec![0]
        }

        fn marks(&self) -> u32 {
            2
        }

        fn next(&mut self, _: &mut Graph, at: u32, state: &usize, out: &mut Vec<(u32, u64)>) -> Result<(), Stopped> {
            out.extend(&self.0[at as usize][state % 2]);
            Ok(())
        }
    }

    fn random_graph(rng: &mut Rng) -> Graph {
        let size = 1 + rng.below(8);
        let steps =
            (0..size).map(|_| (0..rng.below(4)).map(|_| (rng.below(2) as u64, rng.below(size))).collect()).collect();
        Graph { steps, asked: 0 }
    }

    fn random_watch(rng: &mut Rng) -> Parity {
        let size = 1 + rng.below(3);
        let mut some = || (0..rng.below(3)).map(|_| (to_u32(rng.below(size)), rng.below(4) as u64)).collect();
        Parity((0..size).map(|_| [some(), some()]).collect())
    }

    /// All steps of the product, from everything that can be reached.
    fn product(graph: &Graph, watch: &Parity) -> Vec<(Node, Node, u64)> {
        let (mut seen, mut open, mut edges) = (HashSet::from([(0, 0)]), vec![(0, 0)], Vec::new());
        while let Some((at, state)) = open.pop() {
            for &(next, marks) in &watch.0[state as usize][at % 2] {
                for &(fair, target) in &graph.steps[at] {
                    edges.push(((at, state), (target, next), marks | fair << 2));
                    if seen.insert((target, next)) {
                        open.push((target, next));
                    }
                }
            }
        }
        edges
    }

    fn reachable(edges: &[(Node, Node, u64)], from: Node) -> HashSet<Node> {
        let (mut seen, mut open) = (HashSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            let next = edges.iter().filter(|edge| edge.0 == at).map(|edge| edge.1);
            open.extend(next.filter(|&target| seen.insert(target)));
        }
        seen
    }

    /// Some node can come back to itself by steps that carry all marks together.
    fn accepts(edges: &[(Node, Node, u64)]) -> bool {
        edges.iter().any(|&(home, ..)| {
            let there = reachable(edges, home);
            let back = |node: &Node| there.contains(node) && reachable(edges, *node).contains(&home);
            let inside = edges.iter().filter(|(from, to, _)| (*from == home || back(from)) && back(to));
            there.contains(&home) && inside.fold(0, |all, edge| all | edge.2) == 7
        })
    }

    #[test]
    fn finds_a_run_exactly_if_there_is_one() {
        let found_some = std::cell::Cell::new(0);
        for_random_cases(400, |case| {
            let (mut graph, mut watch) = (random_graph(&mut case.rng), random_watch(&mut case.rng));
            let edges = product(&graph, &watch);
            let budget = Budget::unlimited();
            let limits = Limits { most: usize::MAX, budget: &budget };
            let found = nearest_accepted_run(&mut graph, &mut watch, 1, limits).expect("no limit");
            assert_eq!(found.lasso.is_some(), accepts(&edges), "{edges:?}");
            assert!(graph.asked <= graph.steps.len(), "no state is asked twice");
            let Some((stem, cycle)) = found.lasso else { return };
            found_some.set(found_some.get() + 1);
            let path: Vec<usize> = stem.iter().chain(&cycle).chain(&cycle[..1]).map(|&at| found.states[at]).collect();
            assert_eq!(path[0], 0);
            for pair in path.windows(2) {
                assert!(graph.steps[pair[0]].iter().any(|step| step.1 == pair[1]), "{path:?}");
            }
        });
        assert!(found_some.get() > 50, "only {} runs", found_some.get());
    }

    #[test]
    fn a_run_that_is_near_needs_few_states() {
        let mut steps: Vec<Vec<(u64, usize)>> = (0..1000).map(|at| vec![(1, (at + 1) % 1000)]).collect();
        steps[2].push((1, 0));
        let mut graph = Graph { steps, asked: 0 };
        let mut watch = Parity(vec![[vec![(0, 3)], vec![(0, 3)]]]);
        let budget = Budget::unlimited();
        let limits = Limits { most: usize::MAX, budget: &budget };
        let found = nearest_accepted_run(&mut graph, &mut watch, 1, limits).expect("no limit");
        assert_eq!(found.lasso.map(|(stem, cycle)| (stem.len(), cycle.len())), Some((0, 3)));
        assert!(graph.asked <= 8, "{} states were asked for", graph.asked);
    }
}
