//! FORCE (Aloul, Markov, Sakallah 2003): a linear order in which what depends on each other stands close together.
//!
//! Every edge pulls what it connects towards its centre of gravity; after some rounds the order is that of the places. Far cheaper than cutting a graph, and of use as the
//! first order for diagrams of synchronous systems, whose variables have no process to stand with.

/// At most so many rounds.
const ROUNDS: usize = 60;

/// An order of `count` things, which begin in the order of their numbers; `edges` connect some of them. The better of the first order and the one found.
pub(crate) fn order(count: usize, edges: &[Vec<usize>]) -> Vec<usize> {
    let mut place: Vec<usize> = (0..count).collect();
    let (mut best, mut least) = (place.clone(), span(edges, &place));
    let mut idle = 0;
    for _ in 0..ROUNDS {
        let mut pulls = vec![(0.0f64, 0usize); count];
        for edge in edges {
            let centre = edge.iter().map(|&at| place[at] as f64).sum::<f64>() / edge.len().max(1) as f64;
            for &at in edge {
                pulls[at] = (pulls[at].0 + centre, pulls[at].1 + 1);
            }
        }
        let wanted = |at: usize| if pulls[at].1 == 0 { place[at] as f64 } else { pulls[at].0 / pulls[at].1 as f64 };
        let mut sorted: Vec<usize> = (0..count).collect();
        sorted.sort_by(|&a, &b| wanted(a).total_cmp(&wanted(b)).then(place[a].cmp(&place[b])));
        let mut next = vec![0; count];
        for (at, &one) in sorted.iter().enumerate() {
            next[one] = at;
        }
        if next == place {
            break;
        }
        place = next;
        let now = span(edges, &place);
        if now < least {
            (best, least, idle) = (place.clone(), now, 0);
        } else {
            idle += 1;
            if idle > 5 {
                break;
            }
        }
    }
    let mut found: Vec<usize> = (0..count).collect();
    found.sort_by_key(|&at| best[at]);
    found
}

/// How far apart the ends of all edges are, together.
fn span(edges: &[Vec<usize>], place: &[usize]) -> usize {
    let one = |edge: &Vec<usize>| {
        let places = || edge.iter().map(|&at| place[at]);
        places().max().unwrap_or(0) - places().min().unwrap_or(0)
    };
    edges.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffled_chain_is_laid_out_closer() {
        let count = 30;
        // Things 0, 7, 14, … (modulo 30) are neighbours.
        let chain: Vec<usize> = (0..count).map(|at| at * 7 % count).collect();
        let edges: Vec<Vec<usize>> = chain.windows(2).map(<[usize]>::to_vec).collect();
        let found = order(count, &edges);
        let mut place = vec![0; count];
        found.iter().enumerate().for_each(|(at, &one)| place[one] = at);
        let first: Vec<usize> = (0..count).collect();
        assert!(span(&edges, &place) * 2 < span(&edges, &first), "{found:?}");
        let mut sorted = found;
        sorted.sort_unstable();
        assert_eq!(sorted, first);
    }
}
