//! How is a guard told over predicates and over the variables that stay concrete?
//!
//! What speaks of nothing else is told exactly; of the rest, the cubes that exclude it.

use std::collections::{BTreeSet, HashMap};

use tertium_smt::{Sort, Term, TermId};

use crate::assignments::cube_text;
use crate::expand::Failed;
use crate::system::System;

impl System {
    /// The guard over the predicates: exactly if they say it all, else where it is not surely false.
    pub(crate) fn guard_text(&mut self, relation: TermId) -> Result<(String, bool), Failed> {
        let (named, symbols) = self.named(relation);
        let kept: HashMap<TermId, String> =
            self.terms.reachable(&[named]).into_iter().filter_map(|id| Some((id, self.kept_text(id)?))).collect();
        if self.speaks_only_of(named, &symbols, &kept) {
            return Ok((self.truth_text(named, &symbols, &kept), true));
        }
        let never = self.never_cubes(relation)?;
        let parts: Vec<String> = never.iter().map(|cube| format!("!({})", cube_text(cube))).collect();
        Ok((if parts.is_empty() { "T".to_owned() } else { parts.join(" & ") }, false))
    }

    /// The same, where conditions on variables that stay concrete have these texts.
    fn speaks_only_of(&self, term: TermId, symbols: &[TermId], kept: &HashMap<TermId, String>) -> bool {
        let mut waiting = vec![term];
        let mut seen = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            if symbols.contains(&id) || kept.contains_key(&id) || !seen.insert(id) {
                continue;
            }
            match self.terms.get(id) {
                Term::Bool(_) => {}
                Term::Not(inner) => waiting.push(inner),
                Term::And(list) => waiting.extend(self.terms.list(list)),
                Term::Same(a, b) => waiting.extend([a, b]),
                Term::Ite(c, a, b) => waiting.extend([c, a, b]),
                _ => return false,
            }
        }
        true
    }

    /// A truth value, or a comparison of a sum with a number, over cells that stay concrete and nothing else.
    fn kept_text(&self, id: TermId) -> Option<String> {
        match self.terms.get(id) {
            Term::Symbol(_) if self.terms.sort(id) == Sort::Bool => self.kept_name(id),
            Term::AtMost(sum, most) => {
                let (left, right) = self.kept_sides(sum, most)?;
                Some(format!("{left} <= {right}"))
            }
            Term::Equals(sum, value) => {
                let (left, right) = self.kept_sides(sum, value)?;
                Some(format!("{left} = {right}"))
            }
            _ => None,
        }
    }

    fn kept_name(&self, id: TermId) -> Option<String> {
        let kept = self.kept.iter().find(|kept| kept.symbol == id)?;
        let name = self.program.show_variable(kept.var);
        Some(if self.program.variable(kept.var).cells() > 1 { format!("{name}[{}]", kept.cell) } else { name })
    }

    /// What is compared, with what is added on the left and what is taken away on the right.
    fn kept_sides(&self, sum: TermId, number: i128) -> Option<(String, String)> {
        let (parts, number) = match self.terms.get(sum) {
            Term::Sum(sum) => {
                let sum = self.terms.sum(sum);
                (sum.parts.clone(), number.checked_sub(sum.constant)?)
            }
            _ => (vec![(sum, 1)], number),
        };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (part, factor) in parts {
            let name = self.kept_name(part)?;
            let text = if factor.abs() == 1 { name } else { format!("{} * {name}", factor.abs()) };
            if factor > 0 { left.push(text) } else { right.push(text) }
        }
        match (left.is_empty(), number) {
            (true, _) => left.push((-number).to_string()),
            (false, 0) if !right.is_empty() => {}
            (false, _) => right.push(number.to_string()),
        }
        if right.is_empty() {
            right.push("0".to_owned());
        }
        Some((left.join(" + "), right.join(" + ")))
    }

    /// A term over the predicates' symbols.
    fn truth_text(&self, term: TermId, symbols: &[TermId], kept: &HashMap<TermId, String>) -> String {
        let name = |id: TermId| symbols.iter().position(|&symbol| symbol == id).map(|at| format!("B{}", at + 1));
        let mut texts: HashMap<TermId, String> = HashMap::new();
        for id in self.terms.reachable(&[term]) {
            if let Some(text) = kept.get(&id) {
                texts.insert(id, text.clone());
                continue;
            }
            let text = match self.terms.get(id) {
                Term::Bool(value) => if value { "T" } else { "F" }.to_owned(),
                Term::Not(inner) => match self.terms.get(inner) {
                    Term::And(list) => {
                        let parts = self.terms.list(list).iter().map(|part| negated(&texts[part])).collect();
                        joined(parts, " | ")
                    }
                    _ => negated(&texts[&inner]),
                },
                Term::And(list) => {
                    let parts = self.terms.list(list).iter().map(|part| texts[part].clone()).collect();
                    joined(parts, " & ")
                }
                Term::Same(a, b) => format!("({} = {})", texts[&a], texts[&b]),
                Term::Ite(c, a, b) => format!("(if {} then {} else {})", texts[&c], texts[&a], texts[&b]),
                _ => name(id).unwrap_or_else(|| "?".to_owned()),
            };
            texts.insert(id, text);
        }
        let text = &texts[&term];
        text.strip_prefix('(')
            .and_then(|text| text.strip_suffix(')'))
            .filter(|inner| balanced(inner))
            .unwrap_or(text)
            .to_owned()
    }
}

/// In the order of the predicates' names, whatever their signs.
fn joined(mut parts: Vec<String>, between: &str) -> String {
    parts.sort_by(|a, b| a.trim_start_matches('!').cmp(b.trim_start_matches('!')));
    format!("({})", parts.join(between))
}

fn negated(text: &str) -> String {
    // A comparison of variables that stay concrete.
    if !text.starts_with(['(', '!']) {
        for (sign, opposite) in [(" <= ", " > "), (" = ", " != ")] {
            if text.contains(sign) {
                return text.replacen(sign, opposite, 1);
            }
        }
    }
    text.strip_prefix('!').filter(|rest| !rest.contains(' ')).map_or_else(|| format!("!{text}"), str::to_owned)
}

/// Whether no bracket closes before it opens, so that the outer pair may go.
fn balanced(text: &str) -> bool {
    let mut depth = 0i32;
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}
