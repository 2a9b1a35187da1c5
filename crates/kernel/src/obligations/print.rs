//! Terms as SMT-LIB text, and whole questions as scripts that stand alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use tertium_base::smtlib::symbol as quoted;

use super::terms::{Sort, Term, TermId, Terms};

/// A part that is used again is given a name if it is longer than this.
const LONG: usize = 24;
/// Whatever is used, a text longer than this is given a name, so that no text is copied often.
const LONGEST: usize = 4096;

impl Terms {
    /// One term, written out. Operators of bit vectors are short: `(bvand 16 a b)`.
    #[must_use]
    pub fn show(&self, term: TermId) -> String {
        let mut texts: HashMap<TermId, String> = HashMap::new();
        for id in self.reachable(&[term]) {
            let text = match self.get(id) {
                Term::Bits(op, width, a, b) => format!("({op} {width} {} {})", texts[a], texts[b]),
                _ => self.text(id, &texts),
            };
            texts.insert(id, text);
        }
        texts.remove(&term).unwrap_or_default()
    }

    /// A whole question: declarations, what is known of the cells, assertions, `(check-sat)`. Also how many assertions it has.
    pub fn script(&mut self, comments: &[String], assertions: &[TermId], expected: &str) -> (String, usize) {
        let facts = self.facts(assertions);
        let all: Vec<TermId> = facts.iter().chain(assertions).copied().collect();
        let mut text = String::new();
        for line in comments.iter().flat_map(|comment| comment.lines()) {
            let _ = writeln!(text, "; {line}");
        }
        let _ = writeln!(text, "(set-info :status {expected})\n(set-logic ALL)");
        self.declarations(&all, &mut text);
        let texts = self.definitions(&all, &mut text);
        for assertion in &all {
            let _ = writeln!(text, "(assert {})", texts[assertion]);
        }
        text.push_str("(check-sat)\n");
        (text, all.len())
    }

    fn declarations(&self, roots: &[TermId], text: &mut String) {
        let mut functions: BTreeSet<&str> = BTreeSet::new();
        let bound = self.bound(roots);
        for id in self.reachable(roots) {
            match self.get(id) {
                Term::Symbol(name) | Term::Hidden(name) if !bound.contains(&id) => {
                    let _ = writeln!(text, "(declare-fun {} () {})", quoted(name), sort_name(self.sort(id)));
                }
                Term::Apply(name, _) => {
                    functions.insert(name);
                }
                _ => {}
            }
        }
        for name in functions {
            let Some(function) = self.function(name) else { continue };
            let arguments: Vec<&str> = function.arguments.iter().map(|&sort| sort_name(sort)).collect();
            let (name, result) = (quoted(name), sort_name(function.result));
            let _ = writeln!(text, "(declare-fun {name} ({}) {result})", arguments.join(" "));
        }
    }

    fn bound(&self, roots: &[TermId]) -> BTreeSet<TermId> {
        let quantified = self.reachable(roots).into_iter().filter_map(|id| match self.get(id) {
            Term::Forall(symbols, _) => Some(symbols.to_vec()),
            _ => None,
        });
        quantified.flatten().collect()
    }

    /// Names for parts that are used again; the texts of all parts.
    fn definitions(&self, roots: &[TermId], text: &mut String) -> HashMap<TermId, String> {
        let bound = self.bound(roots);
        let reachable = self.reachable(roots);
        let mut uses: BTreeMap<TermId, usize> = BTreeMap::new();
        let mut open: BTreeSet<TermId> = bound.clone();
        for &id in &reachable {
            for child in self.children(id) {
                *uses.entry(child).or_default() += 1;
                // Operands come first, so that one pass finds everything with a bound symbol in it.
                if open.contains(&child) && !matches!(self.get(id), Term::Forall(..)) {
                    open.insert(id);
                }
            }
        }
        let mut texts: HashMap<TermId, String> = HashMap::new();
        let mut count = 0;
        for &id in &reachable {
            let mut own = self.text(id, &texts);
            let again = uses.get(&id).copied().unwrap_or(0) > 1 && own.len() > LONG;
            if !open.contains(&id) && (again || own.len() > LONGEST) {
                let name = format!("!{count}");
                count += 1;
                let _ = writeln!(text, "(define-fun {name} () {} {own})", sort_name(self.sort(id)));
                own = name;
            }
            texts.insert(id, own);
        }
        texts
    }

    fn text(&self, id: TermId, texts: &HashMap<TermId, String>) -> String {
        let call = |head: &str, operands: &[TermId]| {
            let mut text = format!("({head}");
            for operand in operands {
                text.push(' ');
                text.push_str(&texts[operand]);
            }
            text.push(')');
            text
        };
        match self.get(id) {
            Term::Truth(value) => value.to_string(),
            Term::Number(value) if *value < 0 => format!("(- {})", value.unsigned_abs()),
            Term::Number(value) => value.to_string(),
            Term::Symbol(name) | Term::Hidden(name) => quoted(name),
            Term::Op(head, operands) => call(head, operands),
            Term::Apply(name, operands) if operands.is_empty() => quoted(name),
            Term::Apply(name, operands) => call(&quoted(name), operands),
            Term::Bits(op, width, a, b) => {
                let (half, whole) = (1i128 << (width - 1), 1i128 << width);
                let (a, b) = (&texts[a], &texts[b]);
                format!(
                    "(let ((r (bv2nat ({op} ((_ int2bv {width}) {a}) ((_ int2bv {width}) {b}))))) (ite (< r {half}) r (- r {whole})))"
                )
            }
            Term::Forall(symbols, body) => {
                let mut text = String::from("(forall (");
                for symbol in symbols {
                    let _ = write!(text, "({} {})", texts[symbol], sort_name(self.sort(*symbol)));
                }
                let _ = write!(text, ") {})", texts[body]);
                text
            }
        }
    }
}

const fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "Bool",
        Sort::Int => "Int",
        Sort::BoolArray => "(Array Int Bool)",
        Sort::IntArray => "(Array Int Int)",
    }
}
