//! Which nodes of a graph lead to each other?
//!
//! Tarjan's search for strongly connected components (1972) in Pearce's version (2016): one number a node tells whether it was met,
//! where it stands among the nodes whose component is not complete, and which component it has. A large graph does not fit
//! any cache, so every look at a node that a step leads to costs what many instructions cost; here there is one a step.

/// The strongly connected component of each node; those that others lead to have smaller numbers.
///
/// `successor(node, n)` is the node's successor number `n`, if there are that many.
pub(crate) fn components(count: usize, successor: impl Fn(usize, usize) -> Option<usize>) -> Vec<u32> {
    let mut search = Search { mark: vec![UNSEEN; count], open: Vec::new(), path: Vec::new(), found: 0 };
    for start in 0..count {
        if search.mark[start] == UNSEEN {
            search.enter(start);
            search.run(&successor);
        }
    }
    search.mark.iter_mut().for_each(|mark| *mark = u32::MAX - *mark);
    search.mark
}

const UNSEEN: u32 = 0;

struct Search {
    /// Of a node that is open the least place on `open`, counted from one, that it is known to lead to; of a finished one its
    /// component, counted down from the greatest number. There are no more of both together than nodes, so they do not meet.
    mark: Vec<u32>,
    /// Nodes whose component is not complete yet.
    open: Vec<usize>,
    /// The nodes being looked at: their place on `open`, counted from one, and their next successor.
    path: Vec<(u32, usize)>,
    found: u32,
}

impl Search {
    fn enter(&mut self, node: usize) {
        self.open.push(node);
        let place = self.open.len() as u32;
        self.mark[node] = place;
        self.path.push((place, 0));
    }

    fn run(&mut self, successor: &impl Fn(usize, usize) -> Option<usize>) {
        while let Some((place, next)) = self.path.last_mut() {
            let (place, node) = (*place, self.open[*place as usize - 1]);
            let to = successor(node, *next);
            *next += 1;
            match to {
                Some(to) if self.mark[to] == UNSEEN => self.enter(to),
                // A finished node has a greater number than any that is open.
                Some(to) => self.mark[node] = self.mark[node].min(self.mark[to]),
                None => self.leave(node, place),
            }
        }
    }

    fn leave(&mut self, node: usize, place: u32) {
        self.path.pop();
        let low = self.mark[node];
        if low == place {
            for member in self.open.drain(place as usize - 1..) {
                self.mark[member] = u32::MAX - self.found;
            }
            self.found += 1;
        } else if let Some(&(above, _)) = self.path.last() {
            let above = self.open[above as usize - 1];
            self.mark[above] = self.mark[above].min(low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    /// Whether each node leads to each other one, by walking.
    fn reached(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
        let mut seen = vec![false; edges.len()];
        let mut todo = vec![from];
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                todo.extend(&edges[node]);
            }
        }
        seen
    }

    #[test]
    fn nodes_that_lead_to_each_other_share_a_number_and_others_are_in_order() {
        let mut seed = 7u64;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % bound
        };
        for round in 0..300 {
            let count = 1 + round % 14;
            let edges: Vec<Vec<usize>> = (0..count).map(|_| (0..below(4)).map(|_| below(count)).collect()).collect();
            let component = components(count, |node, next| edges[node].get(next).copied());
            let reached: Vec<Vec<bool>> = (0..count).map(|from| reached(&edges, from)).collect();
            for (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
                let both = reached[a][b] && reached[b][a];
                assert_eq!(component[a] == component[b], both, "{edges:?}: {a} and {b}");
                assert!(!reached[a][b] || component[b] <= component[a], "{edges:?}: {a} leads to {b}");
            }
            let most = component.iter().max().map_or(0, |&most| most as usize + 1);
            assert!((0..most as u32).all(|number| component.contains(&number)), "{edges:?}: {component:?}");
        }
    }
}
