//! Terms and questions as SMT-LIB 2 text.

use std::collections::BTreeSet;
use std::fmt::Write;

use tertium_base::smtlib::symbol as quoted;

use crate::term::{BitOp, FunctionId, Sort, SymbolId, Term, TermId, Terms};

/// A whole question: declarations, bounds, assertions, `(check-sat)`.
#[must_use]
pub fn script(terms: &mut Terms, assertions: &[TermId]) -> String {
    let mut text = String::from("(set-logic ALL)\n");
    text.push_str(&body(terms, assertions));
    text.push_str("(check-sat)\n");
    text
}

/// Declarations, bounds and assertions.
#[must_use]
pub fn body(terms: &mut Terms, assertions: &[TermId]) -> String {
    let conditions = terms.side_conditions(assertions);
    let all: Vec<TermId> = conditions.into_iter().chain(assertions.iter().copied()).collect();
    let printed: Vec<String> = all.iter().map(|&term| Printer::new(terms).print(term)).collect();
    let mut text = String::new();
    let reachable = terms.reachable(&all);
    let mut functions: BTreeSet<FunctionId> = BTreeSet::new();
    for &id in &reachable {
        if let Term::Apply(function, _) = terms.get(id) {
            functions.insert(function);
        }
    }
    for symbol in terms.symbols_of(&all) {
        let _ = writeln!(
            text,
            "(declare-fun {} () {})",
            quoted(&terms.symbol(symbol).name),
            sort(terms.symbol(symbol).sort)
        );
    }
    for function in functions {
        let function = terms.function(function);
        let arguments: Vec<&str> = function.arguments.iter().map(|&argument| sort(argument)).collect();
        let _ = writeln!(
            text,
            "(declare-fun {} ({}) {})",
            quoted(&function.name),
            arguments.join(" "),
            sort(function.result)
        );
    }
    for term in printed {
        let _ = writeln!(text, "(assert {term})");
    }
    text
}

/// One term. Shared parts are written out each time; questions are small.
#[must_use]
pub fn show(terms: &mut Terms, term: TermId) -> String {
    Printer::new(terms).print(term)
}

fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "Bool",
        Sort::Int => "Int",
        Sort::BoolArray => "(Array Int Bool)",
        Sort::IntArray => "(Array Int Int)",
    }
}

fn number(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// Prints with a stack of its own, so that no depth is too deep.
struct Printer<'t> {
    terms: &'t mut Terms,
    text: String,
}

enum Job {
    Term(TermId),
    Text(String),
}

impl<'t> Printer<'t> {
    fn new(terms: &'t mut Terms) -> Self {
        Self { terms, text: String::new() }
    }

    fn print(mut self, root: TermId) -> String {
        let mut open = vec![Job::Term(root)];
        while let Some(job) = open.pop() {
            match job {
                Job::Text(text) => self.text.push_str(&text),
                Job::Term(id) => {
                    let jobs = self.jobs(id);
                    open.extend(jobs.into_iter().rev());
                }
            }
        }
        self.text
    }

    fn call(&self, head: &str, operands: &[TermId]) -> Vec<Job> {
        let mut jobs = vec![Job::Text(format!("({head}"))];
        for &operand in operands {
            jobs.push(Job::Text(" ".to_owned()));
            jobs.push(Job::Term(operand));
        }
        jobs.push(Job::Text(")".to_owned()));
        jobs
    }

    fn name(&self, symbol: SymbolId) -> String {
        quoted(&self.terms.symbol(symbol).name)
    }

    fn jobs(&mut self, id: TermId) -> Vec<Job> {
        match self.terms.get(id) {
            Term::Bool(value) => vec![Job::Text(value.to_string())],
            Term::Int(value) => vec![Job::Text(number(value))],
            Term::Symbol(symbol) => vec![Job::Text(self.name(symbol))],
            Term::Not(a) => self.call("not", &[a]),
            Term::And(list) => self.call("and", self.terms.list(list)),
            Term::Same(a, b) => self.call("=", &[a, b]),
            Term::Ite(c, a, b) => self.call("ite", &[c, a, b]),
            Term::Sum(sum) => {
                let sum = self.terms.sum(sum).clone();
                let mut jobs = vec![Job::Text(format!("(+ {}", number(sum.constant)))];
                for (part, factor) in sum.parts {
                    jobs.push(Job::Text(format!(" (* {} ", number(factor))));
                    jobs.push(Job::Term(part));
                    jobs.push(Job::Text(")".to_owned()));
                }
                jobs.push(Job::Text(")".to_owned()));
                jobs
            }
            Term::Mul(a, b) => self.call("*", &[a, b]),
            Term::Div(a, b) => self.call("div", &[a, b]),
            Term::Mod(a, b) => self.call("mod", &[a, b]),
            Term::Bits(op, width, a, b) => bits(op, width, a, b),
            Term::AtMost(a, most) => compared("<=", a, most),
            Term::Equals(a, value) => compared("=", a, value),
            Term::Apply(function, list) => {
                let name = quoted(&self.terms.function(function).name);
                self.call(&name, self.terms.list(list))
            }
            Term::Select(a, index) => self.call("select", &[a, index]),
            Term::Store(a, index, value) => self.call("store", &[a, index, value]),
            Term::Forall(list, body) => self.forall(list, body),
        }
    }

    fn forall(&mut self, list: crate::term::ListId, body: TermId) -> Vec<Job> {
        let symbols = self.terms.list(list).to_vec();
        let mut head = String::from("(forall (");
        for &symbol in &symbols {
            if let Term::Symbol(name) = self.terms.get(symbol) {
                let _ = write!(head, "({} {})", self.name(name), sort(self.terms.sort(symbol)));
            }
        }
        head.push_str(") (=> true ");
        let conditions = self.terms.inner_conditions(&symbols, body);
        let mut jobs = vec![Job::Text(head)];
        for condition in conditions {
            jobs.push(Job::Term(condition));
            jobs.push(Job::Text(" ".to_owned()));
        }
        jobs.push(Job::Term(body));
        jobs.push(Job::Text("))".to_owned()));
        jobs
    }
}

fn compared(op: &str, a: TermId, value: i128) -> Vec<Job> {
    vec![Job::Text(format!("({op} ")), Job::Term(a), Job::Text(format!(" {})", number(value)))]
}

/// The value of the bit vector is read as signed: what is at or above half its range stands for a negative number.
fn bits(op: BitOp, width: u32, a: TermId, b: TermId) -> Vec<Job> {
    let op = match op {
        BitOp::And => "bvand",
        BitOp::Or => "bvor",
        BitOp::Xor => "bvxor",
        BitOp::Shl => "bvshl",
        BitOp::Shr => "bvashr",
    };
    let (half, whole) = (1i128 << (width - 1), 1i128 << width);
    vec![
        Job::Text(format!("(let ((r (bv2nat ({op} ((_ int2bv {width}) ")),
        Job::Term(a),
        Job::Text(format!(") ((_ int2bv {width}) ")),
        Job::Term(b),
        Job::Text(format!("))))) (ite (< r {half}) r (- r {whole})))")),
    ]
}
