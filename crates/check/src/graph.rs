//! Which nodes of a graph lead to each other?

/// The strongly connected component of each node; those that others lead to have smaller numbers.
///
/// `successor(node, n)` is the node's successor number `n`, if there are that many.
pub(crate) fn components(count: usize, successor: impl Fn(usize, usize) -> Option<usize>) -> Vec<u32> {
    const OPEN: u32 = u32::MAX;
    let mut number = vec![0u32; count];
    let mut low = vec![0u32; count];
    let mut component = vec![OPEN; count];
    let (mut seen, mut found) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..count {
        if number[start] == 0 {
            path.push((start, 0));
        }
        while let Some((at, next)) = path.last_mut() {
            let (here, index) = (*at, *next);
            if index == 0 {
                seen += 1;
                (number[here], low[here]) = (seen, seen);
                open.push(here);
            }
            *next += 1;
            match successor(here, index) {
                Some(to) if number[to] == 0 => path.push((to, 0)),
                Some(to) if component[to] == OPEN => low[here] = low[here].min(number[to]),
                Some(_) => {}
                None => {
                    path.pop();
                    if low[here] == number[here] {
                        while let Some(member) = open.pop() {
                            component[member] = found;
                            if member == here {
                                break;
                            }
                        }
                        found += 1;
                    }
                    if let Some(&(above, _)) = path.last() {
                        low[above] = low[above].min(low[here]);
                    }
                }
            }
        }
    }
    component
}
