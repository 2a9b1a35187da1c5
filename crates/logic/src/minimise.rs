//! Which form of a formula loses nothing when its parts are valued one by one?
//!
//! `p | !p` is unknown where `p` is, although it is true whatever `p` is. A *semantic minimisation* of a formula has, part
//! by part, the value that all completions agree on. For a propositional formula it is the disjunction of all prime
//! implicants: a partial valuation makes it true iff it contains an implicant, and false iff it contradicts every one.
//!
//! Other formulas have a form for each side ([`crate::disjunctive`]): the disjunctive one is false exactly where all completions agree
//! that it is; the negation of that of its negation is true exactly where they agree that it is. Often the two are one. They are
//! formulas of the mu-calculus: CTL, CTL* and LTL are not closed under minimisation.
//!
//! Where there is no such form, or none of a bearable size, every greatest propositional part is replaced by its minimisation. The
//! result means the same on complete structures and is never less precise; it need not be the most precise.
//!
//! Not here: values on structures.

use tertium_base::{Budget, StopReason, Stopped};

use crate::disjunctive::{Obstacle, disjunctive_form};
use crate::formula::{AtomId, Formula, FormulaBuilder, Logic, Node, NodeId};
use crate::normal::positive_normal_form;

/// More implicants than this are too many to be of use.
const MOST_CUBES: usize = 4096;

/// A formula after minimisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimised {
    /// The formula.
    pub formula: Formula,
    /// Whether it is true wherever all completions agree on that, on every structure; and false likewise, unless there is a
    /// formula of its own for that.
    pub exact: bool,
    /// The formula that is false wherever all completions agree on that, if it is another one.
    pub refuting: Option<Formula>,
    /// What stood in the way of an exact one.
    pub obstacle: Option<Obstacle>,
}

impl Minimised {
    /// The kinds of structures on which an exact form may lose something after all: mixed ones, if there are modalities, since one
    /// concrete state may then refine several; and those declared to have no deadlock, if modalities name actions.
    #[must_use]
    pub fn exceptions(&self) -> Vec<&'static str> {
        let nodes = || self.formula.nodes().iter().chain(self.refuting.iter().flat_map(|form| form.nodes()));
        let modal = nodes().any(|node| matches!(node, Node::Box(..) | Node::Diamond(..)));
        let named = nodes().any(|node| matches!(node, Node::Box(Some(_), _) | Node::Diamond(Some(_), _)));
        modal.then_some("mixed").into_iter().chain(named.then_some("total")).collect()
    }
}

/// A conjunction of atoms and negated atoms; sorted.
type Cube = Vec<(AtomId, bool)>;

/// The strongest form that is known.
///
/// # Errors
/// If the budget ends, or there are too many implicants.
pub fn minimise(formula: &Formula, budget: &Budget) -> Result<Minimised, Stopped> {
    let propositional = propositional_nodes(formula);
    // A formula of LTL speaks of paths, of which there may be none.
    if propositional[formula.root().index()] && formula.logic() != Logic::Ltl {
        return with_implicants(formula, &propositional, None, budget);
    }
    match by_sides(formula, budget)? {
        Ok(found) => Ok(found),
        Err(obstacle) => with_implicants(formula, &propositional, Some(obstacle), budget),
    }
}

/// A form for each side, unless something stands in the way.
fn by_sides(formula: &Formula, budget: &Budget) -> Result<Result<Minimised, Obstacle>, Stopped> {
    let (possible, broken) = match (disjunctive_form(formula, false, budget)?, disjunctive_form(formula, true, budget)?)
    {
        (Ok(possible), Ok(broken)) => (possible, broken),
        (Err(obstacle), _) | (_, Err(obstacle)) => return Ok(Err(obstacle)),
    };
    let is = |form: &Formula, wanted: Node| form.node(form.root()) == wanted;
    let surely = positive_normal_form(&broken, true);
    let exact = |formula, refuting| Ok(Ok(Minimised { formula, exact: true, refuting, obstacle: None }));
    if is(&possible, Node::False) || possible.text() == surely.text() {
        return exact(possible, None);
    }
    let refuting = if is(&surely, Node::True) { None } else { Some(possible) };
    exact(surely, refuting)
}

/// Replaces propositional parts by the disjunction of their prime implicants.
fn with_implicants(
    formula: &Formula,
    propositional: &[bool],
    obstacle: Option<Obstacle>,
    budget: &Budget,
) -> Result<Minimised, Stopped> {
    let greatest = greatest_nodes(formula, propositional);
    let mut builder = formula.to_builder();
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for id in formula.node_ids() {
        let new = if propositional[id.index()] {
            // Only the greatest propositional parts are looked at.
            if greatest[id.index()] {
                let cubes = prime_implicants(formula, id, budget)?;
                disjunction(&mut builder, &cubes)
            } else {
                id
            }
        } else {
            builder.add(formula.node(id).map_children(|child| made[child.index()]))
        };
        made.push(new);
    }
    let formula = builder.finish(made[formula.root().index()], formula.logic());
    Ok(Minimised { formula, exact: obstacle.is_none(), refuting: None, obstacle })
}

/// For each node whether it consists of atoms and Boolean operators.
fn propositional_nodes(formula: &Formula) -> Vec<bool> {
    let mut found: Vec<bool> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let here = match node {
            Node::True | Node::False | Node::Atom(_) => true,
            Node::Not(_) | Node::And(..) | Node::Or(..) | Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => {
                node.children().all(|child| found[child.index()])
            }
            _ => false,
        };
        found.push(here);
    }
    found
}

/// For each node whether it is the root or has a parent that is not propositional.
fn greatest_nodes(formula: &Formula, propositional: &[bool]) -> Vec<bool> {
    let mut greatest = vec![false; propositional.len()];
    greatest[formula.root().index()] = true;
    for (node, _) in formula.nodes().iter().zip(propositional).filter(|(_, propositional)| !**propositional) {
        node.children().for_each(|child| greatest[child.index()] = true);
    }
    greatest
}

/// All prime implicants of a propositional node, shortest first.
fn prime_implicants(formula: &Formula, id: NodeId, budget: &Budget) -> Result<Vec<Cube>, Stopped> {
    let part = formula.to_builder().finish(id, formula.logic());
    let normal = positive_normal_form(&part, false);
    let mut cubes = closed_under_consensus(implicants(&normal, budget)?, budget)?;
    // Shortest first, and atoms before their negations.
    cubes.sort_by_cached_key(|cube| {
        (cube.len(), cube.iter().map(|&(atom, positive)| (atom, !positive)).collect::<Cube>())
    });
    Ok(cubes)
}

/// Implicants that together are the formula, which is in positive normal form.
fn implicants(normal: &Formula, budget: &Budget) -> Result<Vec<Cube>, Stopped> {
    let mut of: Vec<Vec<Cube>> = Vec::with_capacity(normal.nodes().len());
    let mut ticks = 0;
    for node in normal.nodes() {
        let cubes = match *node {
            Node::True => vec![Vec::new()],
            Node::Atom(atom) => vec![vec![(atom, true)]],
            Node::Not(a) => match normal.node(a) {
                Node::Atom(atom) => vec![vec![(atom, false)]],
                _ => Vec::new(),
            },
            Node::Or(a, b) => {
                let mut either = of[a.index()].clone();
                for cube in &of[b.index()] {
                    absorb(&mut either, cube.clone());
                }
                either
            }
            Node::And(a, b) => {
                let mut both = Vec::new();
                for left in &of[a.index()] {
                    for right in &of[b.index()] {
                        budget.tick(&mut ticks)?;
                        if let Some(cube) = joined(left, right) {
                            absorb(&mut both, cube);
                        }
                    }
                }
                both
            }
            _ => Vec::new(),
        };
        if cubes.len() > MOST_CUBES {
            return Err(Stopped(StopReason::Count));
        }
        of.push(cubes);
    }
    Ok(of.pop().unwrap_or_default())
}

/// Both conjunctions at once; none if they contradict each other.
fn joined(left: &Cube, right: &Cube) -> Option<Cube> {
    let mut cube: Cube = left.iter().chain(right).copied().collect();
    cube.sort_unstable();
    cube.dedup();
    cube.windows(2).all(|pair| pair[0].0 != pair[1].0).then_some(cube)
}

/// Adds a conjunction unless a weaker one is there, and drops stronger ones; whether it was added.
fn absorb(cubes: &mut Vec<Cube>, cube: Cube) -> bool {
    let weaker = |small: &Cube, large: &Cube| small.iter().all(|literal| large.binary_search(literal).is_ok());
    if cubes.iter().any(|other| weaker(other, &cube)) {
        return false;
    }
    cubes.retain(|other| !weaker(&cube, other));
    cubes.push(cube);
    true
}

/// Adds what two implicants that differ in one atom's sign imply without it, until nothing new comes.
fn closed_under_consensus(mut cubes: Vec<Cube>, budget: &Budget) -> Result<Vec<Cube>, Stopped> {
    let mut ticks = 0;
    loop {
        let mut grown = cubes.clone();
        let mut changed = false;
        for (at, left) in cubes.iter().enumerate() {
            for right in &cubes[..at] {
                budget.tick(&mut ticks)?;
                if let Some(cube) = consensus(left, right) {
                    changed |= absorb(&mut grown, cube);
                }
            }
            if grown.len() > MOST_CUBES {
                return Err(Stopped(StopReason::Count));
            }
        }
        if !changed {
            return Ok(grown);
        }
        cubes = grown;
    }
}

fn consensus(left: &Cube, right: &Cube) -> Option<Cube> {
    let mut opposed = left.iter().filter(|&&(atom, sign)| right.binary_search(&(atom, !sign)).is_ok());
    let &(atom, _) = opposed.next()?;
    if opposed.next().is_some() {
        return None;
    }
    let without = |cube: &Cube| cube.iter().copied().filter(|(other, _)| *other != atom).collect::<Cube>();
    joined(&without(left), &without(right))
}

fn disjunction(builder: &mut FormulaBuilder, cubes: &[Cube]) -> NodeId {
    let mut any: Option<NodeId> = None;
    for cube in cubes {
        let mut all: Option<NodeId> = None;
        for &(atom, positive) in cube {
            let mut literal = builder.add(Node::Atom(atom));
            if !positive {
                literal = builder.add(Node::Not(literal));
            }
            all = Some(all.map_or(literal, |others| builder.add(Node::And(others, literal))));
        }
        let all = all.unwrap_or_else(|| builder.add(Node::True));
        any = Some(any.map_or(all, |others| builder.add(Node::Or(others, all))));
    }
    any.unwrap_or_else(|| builder.add(Node::False))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse::{ParseOptions, parse};
    use tertium_base::narrow::to_u32;

    #[track_caller]
    fn check(text: &str, expected: &str, exact: bool) {
        let formula = parse(text, &ParseOptions::default()).formula.unwrap();
        let found = minimise(&formula, &Budget::unlimited()).unwrap();
        assert_eq!((found.formula.text().as_str(), found.exact), (expected, exact), "{text}");
    }

    #[test]
    fn prime_implicants_are_found() {
        check("p | !p", "true", true);
        check("p & !p", "false", true);
        check("q & (p | !p)", "q", true);
        check("(p & q) | (!p & r)", "p & q | !p & r | q & r", true);
        check("p <-> q", "p & q | !p & !q", true);
        check("p", "p", true);
    }

    #[test]
    fn parts_of_other_formulas_are_minimised() {
        check("<> (q & (p | !p)) & [a] (p & !p)", "EX q & [a] false", false);
        check("AG (p | !p)", "true", true);
    }

    #[test]
    fn modal_formulas_have_a_form_for_each_side() {
        check("AX (q & (p | !p)) & EX (p & !p)", "false", true);
        check("p & !p & AX p", "false", true);
        check("AX p", "AX p", true);
        check("AX p | EX !p", "true", true);
        let formula = parse("p & q | !p & EX q", &ParseOptions::default()).formula.unwrap();
        let found = minimise(&formula, &Budget::unlimited()).unwrap();
        let refuting = found.refuting.map(|form| form.text());
        assert_eq!(found.formula.text(), "(!p | q) & (p | EX q) & (q | EX q)");
        assert_eq!(refuting.as_deref(), Some("p & q | !p & EX q"));
    }

    /// Every formula over three atoms as a truth table: the minimisation has the value that all completions agree on.
    #[test]
    fn values_are_the_strongest_for_every_function_of_three_atoms() {
        for table in 0..256u32 {
            let rows: Vec<String> = (0..8)
                .filter(|row| table >> row & 1 == 1)
                .map(|row| {
                    let literal = |(at, name)| format!("{}{name}", if row >> at & 1 == 1 { "" } else { "!" });
                    ["p", "q", "r"].into_iter().enumerate().map(literal).collect::<Vec<_>>().join(" & ")
                })
                .collect();
            let text = if rows.is_empty() { "p & !p".to_owned() } else { format!("({})", rows.join(") | (")) };
            let formula = parse(&text, &ParseOptions::default()).formula.unwrap();
            let least = minimise(&formula, &Budget::unlimited()).unwrap().formula;
            for partial in 0..27u32 {
                // Digit 0: unknown, 1: true, 2: false.
                let digit = |at: u32| partial / 3u32.pow(at) % 3;
                let fits = |row: &u32| (0..3).all(|at| digit(at) == 0 || (digit(at) == 1) == (row >> at & 1 == 1));
                let values: Vec<bool> = (0..8).filter(fits).map(|row| table >> row & 1 == 1).collect();
                let agreed = values.iter().all(|&value| value == values[0]).then_some(values[0]);
                assert_eq!(kleene(&least, |name| digit(to_u32("pqr".find(name).unwrap()))), agreed, "{text}");
            }
        }
    }

    fn kleene(formula: &Formula, digit: impl Fn(&str) -> u32) -> Option<bool> {
        let mut values: Vec<Option<bool>> = Vec::new();
        for node in formula.nodes() {
            let of = |id: NodeId| values[id.index()];
            let and = |a: Option<bool>, b: Option<bool>| match (a, b) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
            values.push(match *node {
                Node::True => Some(true),
                Node::False => Some(false),
                Node::Atom(atom) => match digit(&formula.atoms()[atom.index()].text) {
                    0 => None,
                    digit => Some(digit == 1),
                },
                Node::Not(a) => of(a).map(|value| !value),
                Node::And(a, b) => and(of(a), of(b)),
                Node::Or(a, b) => and(of(a).map(|v| !v), of(b).map(|v| !v)).map(|v| !v),
                other => panic!("{other:?} is not in a disjunction of conjunctions"),
            });
        }
        values[formula.root().index()]
    }
}
