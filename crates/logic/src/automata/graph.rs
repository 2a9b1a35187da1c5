//! Which nodes of a graph lie on common cycles? Tarjan's components, without recursion.

/// The strongly connected components of a graph, numbered so that edges lead to lower or equal numbers.
pub(crate) struct Components {
    /// For each node its component.
    pub(crate) of: Vec<usize>,
    /// How many there are.
    pub(crate) count: usize,
}

/// Finds the components of the graph with nodes `0..count`.
pub(crate) fn components<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> Components {
    const UNSEEN: usize = usize::MAX;
    let mut order = vec![UNSEEN; count];
    let mut low = vec![0; count];
    let mut of = vec![UNSEEN; count];
    let (mut next, mut found) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    let mut path: Vec<(usize, I)> = Vec::new();
    for root in 0..count {
        if order[root] != UNSEEN {
            continue;
        }
        path.push((root, successors(root)));
        (order[root], low[root]) = (next, next);
        next += 1;
        open.push(root);
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            match rest.next() {
                Some(target) if order[target] == UNSEEN => {
                    (order[target], low[target]) = (next, next);
                    next += 1;
                    open.push(target);
                    path.push((target, successors(target)));
                }
                Some(target) if of[target] == UNSEEN => low[node] = low[node].min(order[target]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        low[*parent] = low[*parent].min(low[node]);
                    }
                    if low[node] == order[node] {
                        while let Some(member) = open.pop() {
                            of[member] = found;
                            if member == node {
                                break;
                            }
                        }
                        found += 1;
                    }
                }
            }
        }
    }
    Components { of, count: found }
}
