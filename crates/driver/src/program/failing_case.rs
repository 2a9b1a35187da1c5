//! For which members does a property of all members of a family fail?
//!
//! `forall i != j in P :` stands for one case for each choice of members, in lexicographic order. A counterexample breaks one of them; which one is
//! seen by evaluating the cases along it.

use tertium_lattice::Belnap;
use tertium_logic::{Logic, Node, NodeId};
use tertium_program::{Program, Semantics};

use super::answer::ProgramAnswer;
use super::questions::{PropertyQuery, Question};
use super::run::Run;
use super::{ProgramFile, narration, propositional};

/// The members, by the names that `forall` brings in, for which a run shows that the property fails; none if it is not about members, or if that cannot
/// be seen along the run.
#[must_use]
pub fn failing_case(file: &ProgramFile, question: &Question, answer: &ProgramAnswer) -> Option<Vec<(String, i64)>> {
    let Question::Property(asked) = question else { return None };
    let run = answer.run().filter(|_| answer.value() == Belnap::False)?;
    let (names, family) = binder(&asked.source)?;
    let cases = cases(&members(&file.program, family), names.len());
    let semantics = super::semantics(file);
    let broken = match asked.invariant {
        Some((root, true)) => {
            let parts = conjuncts(asked, root, cases.len())?;
            broken_in(&semantics, asked, &parts, run)?
        }
        _ if asked.formula.logic() == Logic::Ltl && run.loop_start.is_some() && answer.repeats().is_none() => {
            let parts = conjuncts(asked, asked.formula.root(), cases.len())?;
            parts.iter().position(|&part| broken_along(&semantics, asked, part, run))?
        }
        _ => return None,
    };
    Some(names.into_iter().map(str::to_owned).zip(cases.get(broken)?.iter().copied()).collect())
}

/// The names and the family of `forall i != j in P :`.
fn binder(source: &str) -> Option<(Vec<&str>, &str)> {
    let (names, rest) = source.trim_start().strip_prefix("forall ")?.split_once(" in ")?;
    let (family, _) = rest.split_once(':')?;
    Some((names.split("!=").map(str::trim).collect(), family.trim()))
}

/// The numbers of a family's members.
fn members(program: &Program, family: &str) -> Vec<i64> {
    let number = |name: &str| name.strip_prefix(family)?.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let mut found: Vec<i64> = program.processes.iter().filter_map(|process| number(&process.name)).collect();
    found.sort_unstable();
    found
}

/// Every choice of so many different members, in lexicographic order.
fn cases(members: &[i64], wanted: usize) -> Vec<Vec<i64>> {
    let mut cases: Vec<Vec<i64>> = vec![Vec::new()];
    for _ in 0..wanted {
        let longer = |case: &Vec<i64>| {
            let free = members.iter().filter(|member| !case.contains(member));
            free.map(|&member| [case.as_slice(), &[member]].concat()).collect::<Vec<_>>()
        };
        cases = cases.iter().flat_map(longer).collect();
    }
    cases
}

/// The parts of a conjunction of so many; a part may be a conjunction itself.
fn conjuncts(asked: &PropertyQuery, root: NodeId, count: usize) -> Option<Vec<NodeId>> {
    let (mut parts, mut rest) = (Vec::new(), root);
    for _ in 1..count {
        let Node::And(before, last) = asked.formula.node(rest) else { return None };
        parts.push(last);
        rest = before;
    }
    parts.push(rest);
    parts.reverse();
    Some(parts)
}

/// The first part that does not hold in the last state of a run.
fn broken_in(semantics: &Semantics<'_>, asked: &PropertyQuery, parts: &[NodeId], run: &Run) -> Option<usize> {
    let observed = |&atom| semantics.observe(atom, run.last()).ok().map(|value| value != 0);
    let atoms: Vec<bool> = asked.atoms.iter().map(observed).collect::<Option<_>>()?;
    parts.iter().position(|&part| !propositional::value(&asked.formula, part, &atoms, &mut Vec::new()))
}

/// Whether a linear formula is false along a lasso.
fn broken_along(semantics: &Semantics<'_>, asked: &PropertyQuery, part: NodeId, run: &Run) -> bool {
    let case = asked.with_formula(&asked.name, asked.formula.to_builder().finish(part, Logic::Ltl));
    let rows = narration::along(semantics, &case, run).rows;
    rows.first().and_then(|row| row.values.first()) == Some(&Belnap::False)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_of_different_members_are_in_order() {
        assert_eq!(binder("forall i != j in Cache : G x"), Some((vec!["i", "j"], "Cache")));
        assert_eq!(binder("G forall"), None);
        assert_eq!(cases(&[1, 2, 3], 2), [[1, 2], [1, 3], [2, 1], [2, 3], [3, 1], [3, 2]]);
        assert_eq!(cases(&[4], 2), Vec::<Vec<i64>>::new());
    }
}
