//! How does a structure read in the language of NuSMV and nuXmv?
//!
//! A complete structure becomes one variable with its states as values, definitions for its propositions, and its properties. The relation must be total there: states without successors lead to a
//! value `dead` that stays, and the formulas are relativised, so that only steps that the structure has count. A fairness constraint is over edges here and over
//! states there: a variable tells whether the last step was one of its edges.
//!
//! Names that the language reserves, or that are no identifiers, are written otherwise; a comment says what stands for what.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tertium_base::Diagnostic;
use tertium_load::failure::Failure;
use tertium_load::structure::Loaded;
use tertium_logic::{Atom, Formula, Logic, MarkedSteps, Node, NodeId, relativise};
use tertium_model::{Edge, Kmts, Model, PropId, StateId};

/// What NuSMV 2.7 and nuXmv 2.1 keep for themselves.
const RESERVED: &[&str] = &[
    "A",
    "ABF",
    "ABG",
    "AF",
    "AG",
    "ASSIGN",
    "AX",
    "BU",
    "COMPASSION",
    "COMPID",
    "COMPUTE",
    "COMPWFF",
    "CONSTANTS",
    "CONSTARRAY",
    "CONSTRAINT",
    "CTLSPEC",
    "CTLWFF",
    "DEFINE",
    "E",
    "EBF",
    "EBG",
    "EF",
    "EG",
    "EX",
    "F",
    "FAIRNESS",
    "FALSE",
    "FROZENVAR",
    "FUN",
    "G",
    "H",
    "IN",
    "INIT",
    "INVAR",
    "INVARSPEC",
    "ISA",
    "ITYPE",
    "IVAR",
    "JUSTICE",
    "LTLSPEC",
    "LTLWFF",
    "MAX",
    "MDEFINE",
    "MIN",
    "MIRROR",
    "MODULE",
    "NAME",
    "NEXTWFF",
    "O",
    "PARSYNTH",
    "PRED",
    "PREDICATES",
    "PSLSPEC",
    "PSLWFF",
    "READ",
    "S",
    "SIMPWFF",
    "SPEC",
    "T",
    "TRANS",
    "TRUE",
    "U",
    "URGENT",
    "V",
    "VALID",
    "VAR",
    "WRITE",
    "X",
    "Y",
    "Z",
    "abs",
    "array",
    "at",
    "bool",
    "boolean",
    "case",
    "clock",
    "cos",
    "count",
    "esac",
    "exp",
    "extend",
    "floor",
    "in",
    "init",
    "integer",
    "ln",
    "max",
    "min",
    "mod",
    "next",
    "noncontinuous",
    "of",
    "pi",
    "pow",
    "process",
    "real",
    "resize",
    "self",
    "signed",
    "sin",
    "sizeof",
    "swconst",
    "tan",
    "time",
    "toint",
    "typeof",
    "union",
    "unsigned",
    "uwconst",
    "word",
    "word1",
    "xnor",
    "xor",
];

/// Whether the language keeps a name for itself.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    RESERVED.binary_search(&name).is_ok()
}

/// Identifiers of the language that differ from each other.
#[derive(Default)]
struct Identifiers {
    taken: BTreeSet<String>,
}

impl Identifiers {
    /// An identifier that looks like `name`.
    fn give(&mut self, name: &str) -> String {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut plain: String = name.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect();
        if !plain.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_') {
            plain.insert(0, '_');
        }
        if !is_reserved(&plain) && self.taken.insert(plain.clone()) {
            return plain;
        }
        let numbered = (1..=self.taken.len() + 1).map(|number| format!("{plain}_{number}"));
        let mut free = numbered.filter(|candidate| !self.taken.contains(candidate));
        let given = free.next().unwrap_or_else(|| format!("{plain}_"));
        self.taken.insert(given.clone());
        given
    }
}

/// The identifiers of one structure.
struct Written<'k> {
    kmts: &'k Kmts,
    variable: String,
    states: Vec<String>,
    props: Vec<String>,
    /// The value for "no further step", and the definition of its absence; none if every state has a successor.
    dead: Option<[String; 2]>,
    /// One variable for each fairness constraint.
    fair: Vec<String>,
}

/// A structure with its properties.
///
/// # Errors
/// If it leaves something open, or takes its values in a lattice.
pub fn structure_text(loaded: &Loaded) -> Result<String, Failure> {
    let kmts = match &loaded.model {
        Model::Kmts(kmts) if kmts.is_complete() => kmts,
        _ => {
            let message = format!("`{}` is no classical structure, and smv has no third truth value", loaded.file);
            return Err(Diagnostic::error("E0338", message)
                .help("`--to completions -o DIR` writes classical structures that decide its properties together, each of which can be written as smv")
                .into());
        }
    };
    let written = Written::new(kmts);
    let mut out = format!("-- {}\n", one_line(&loaded.file));
    written.renamed(&mut out);
    written.declarations(&mut out);
    written.transitions(&mut out);
    let mut names = Identifiers::default();
    for property in loaded.properties() {
        let parsed = property.clone().parse(None, &[]).map_err(Failure::Input)?;
        written.specification(&names.give(&property.name), &parsed.formula, &mut out);
    }
    Ok(out)
}

impl<'k> Written<'k> {
    fn new(kmts: &'k Kmts) -> Self {
        let mut names = Identifiers::default();
        let variable = names.give("state");
        let props = kmts.props().iter().map(|name| names.give(name)).collect();
        let states = kmts.states().map(|state| names.give(kmts.state_name(state))).collect();
        let ends = kmts.states().any(|state| kmts.is_dead(state));
        let dead = ends.then(|| [names.give("dead"), names.give("alive")]);
        let fair = (0..kmts.fairness().len()).map(|at| names.give(&format!("fair_{at}"))).collect();
        Self { kmts, variable, states, props, dead, fair }
    }

    fn state(&self, state: StateId) -> &str {
        &self.states[state.index()]
    }

    /// What is called otherwise than in the file.
    fn renamed(&self, out: &mut String) {
        let states = self.kmts.states().map(|state| (self.kmts.state_name(state), self.state(state)));
        let props = self.kmts.props().iter().map(String::as_str).zip(self.props.iter().map(String::as_str));
        for (name, given) in states.chain(props).filter(|(name, given)| name != given) {
            let _ = writeln!(out, "-- {given} stands for {}", one_line(name));
        }
        if !self.kmts.actions().is_empty() {
            out.push_str("-- Actions of steps are left out.\n");
        }
    }

    fn declarations(&self, out: &mut String) {
        let values: Vec<&str> =
            self.states.iter().map(String::as_str).chain(self.dead.iter().map(|[dead, _]| dead.as_str())).collect();
        let _ = writeln!(out, "MODULE main\nVAR\n  {} : {{{}}};", self.variable, values.join(", "));
        for name in &self.fair {
            let _ = writeln!(out, "  {name} : boolean;");
        }
        if !self.props.is_empty() || self.dead.is_some() {
            out.push_str("DEFINE\n");
        }
        for (at, name) in self.props.iter().enumerate() {
            let holds = |state: &StateId| self.kmts.label(*state, PropId::new(at)).for_true();
            let _ = writeln!(out, "  {name} := {};", self.is_one_of(self.kmts.states().filter(holds)));
        }
        if let Some([dead, alive]) = &self.dead {
            let _ = writeln!(out, "  {alive} := {} != {dead};", self.variable);
        }
        let every = || self.kmts.states().collect::<Vec<_>>();
        let init = if self.kmts.init().is_empty() { every() } else { self.kmts.init().to_vec() };
        let _ = writeln!(out, "INIT {};", self.is_one_of(init.into_iter()));
    }

    fn is_one_of(&self, states: impl Iterator<Item = StateId>) -> String {
        let names: Vec<&str> = states.map(|state| self.state(state)).collect();
        match names[..] {
            [] => "FALSE".to_owned(),
            _ => format!("{} in {{{}}}", self.variable, names.join(", ")),
        }
    }

    fn transitions(&self, out: &mut String) {
        out.push_str("TRANS\n  case\n");
        let variable = &self.variable;
        for state in self.kmts.states() {
            let _ = write!(out, "    {variable} = {} : ", self.state(state));
            let edges: Vec<Edge> = self.kmts.edges_from(state).collect();
            match (&edges[..], &self.dead) {
                ([], Some([dead, _])) => self.step(dead, |_| false, out),
                (edges, _) if self.fair.is_empty() => {
                    let mut targets: Vec<&str> = edges.iter().map(|edge| self.state(edge.target)).collect();
                    targets.dedup();
                    let _ = write!(out, "next({variable}) in {{{}}}", targets.join(", "));
                }
                (edges, _) => {
                    for (at, edge) in edges.iter().enumerate() {
                        out.push_str(if at == 0 { "" } else { " | " });
                        let counts =
                            |constraint: usize| self.kmts.fairness()[constraint].possible.contains(edge.id.index());
                        self.step(self.state(edge.target), counts, out);
                    }
                }
            }
            out.push_str(";\n");
        }
        if let Some([dead, _]) = &self.dead {
            let _ = write!(out, "    {variable} = {dead} : ");
            self.step(dead, |_| false, out);
            out.push_str(";\n");
        }
        out.push_str("  esac;\n");
        for name in &self.fair {
            let _ = writeln!(out, "JUSTICE {name};");
        }
    }

    fn step(&self, target: &str, counts: impl Fn(usize) -> bool, out: &mut String) {
        let _ = write!(out, "(next({}) = {target}", self.variable);
        for (at, name) in self.fair.iter().enumerate() {
            let _ = write!(out, " & {}next({name})", if counts(at) { "" } else { "!" });
        }
        out.push(')');
    }

    fn specification(&self, name: &str, formula: &Formula, out: &mut String) {
        let keyword = match formula.logic() {
            Logic::Ltl => "LTLSPEC",
            Logic::Pml | Logic::Ctl => "CTLSPEC",
            Logic::CtlStar | Logic::Mu | Logic::Atl | Logic::AtlStar => {
                let _ = writeln!(
                    out,
                    "-- {name} is a formula of {}, which has no counterpart here.",
                    formula.logic().name()
                );
                return;
            }
        };
        let mut mark = "alive".to_owned();
        while self.kmts.props().contains(&mark) {
            mark.push('\'');
        }
        let asked = match &self.dead {
            Some(_) => relativise(formula, &mark, MarkedSteps::Both),
            None => formula.clone(),
        };
        let atom = |atom: &Atom| match &self.dead {
            Some([_, alive]) if atom.text == mark => Some(alive.clone()),
            _ => self.kmts.prop_by_name(&atom.text).map(|prop| self.props[prop.index()].clone()),
        };
        let _ = match formula_text(&asked, |at| atom(&asked.atoms()[at])) {
            Some(text) => writeln!(out, "{keyword} NAME {name} := {text};"),
            None => writeln!(out, "-- {name} speaks of something that has no counterpart here."),
        };
    }
}

/// Text that ends no comment.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// A formula of PML, LTL or CTL, with atoms as `atom` writes them; none if something has no counterpart.
#[must_use]
pub fn formula_text(formula: &Formula, atom: impl Fn(usize) -> Option<String>) -> Option<String> {
    let mut texts: Vec<String> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let at = |id: NodeId| &texts[id.index()];
        let text = match node {
            Node::True => "TRUE".to_owned(),
            Node::False => "FALSE".to_owned(),
            Node::Atom(id) => atom(id.index())?,
            Node::Not(a) => format!("(!{})", at(a)),
            Node::And(a, b) => format!("({} & {})", at(a), at(b)),
            Node::Or(a, b) => format!("({} | {})", at(a), at(b)),
            Node::Implies(a, b) => format!("({} -> {})", at(a), at(b)),
            Node::Iff(a, b) => format!("({} <-> {})", at(a), at(b)),
            Node::Xor(a, b) => format!("({} xor {})", at(a), at(b)),
            Node::Next(a) => format!("(X {})", at(a)),
            Node::Finally(a) => format!("(F {})", at(a)),
            Node::Globally(a) => format!("(G {})", at(a)),
            Node::Until(a, b) => format!("({} U {})", at(a), at(b)),
            Node::Release(a, b) => format!("({} V {})", at(a), at(b)),
            Node::WeakUntil(a, b) => format!("({1} V ({0} | {1}))", at(a), at(b)),
            Node::StrongRelease(a, b) => format!("({1} U ({0} & {1}))", at(a), at(b)),
            Node::All(path) => quantified("A", "E", formula.node(path), &texts)?,
            Node::Exists(path) => quantified("E", "A", formula.node(path), &texts)?,
            Node::Diamond(None, a) => format!("(EX {})", at(a)),
            Node::Box(None, a) => format!("(AX {})", at(a)),
            _ => return None,
        };
        texts.push(text);
        if texts.iter().map(String::len).sum::<usize>() > LARGEST_FORMULA {
            return None;
        }
    }
    texts.pop()
}

/// Formulas share equal parts, and text does not: one that would grow beyond this is left out.
const LARGEST_FORMULA: usize = 1 << 24;

/// `A` or `E` over one temporal operator; release is the dual of until under the other quantifier.
fn quantified(quantifier: &str, dual: &str, path: Node, texts: &[String]) -> Option<String> {
    let at = |id: NodeId| &texts[id.index()];
    Some(match path {
        Node::Next(a) => format!("({quantifier}X {})", at(a)),
        Node::Finally(a) => format!("({quantifier}F {})", at(a)),
        Node::Globally(a) => format!("({quantifier}G {})", at(a)),
        Node::Until(a, b) => format!("{quantifier}[{} U {}]", at(a), at(b)),
        Node::Release(a, b) => format!("(!{dual}[(!{}) U (!{})])", at(a), at(b)),
        Node::WeakUntil(a, b) => format!("(!{dual}[(!{1}) U (!({0} | {1}))])", at(a), at(b)),
        Node::StrongRelease(a, b) => format!("{quantifier}[{1} U ({0} & {1})]", at(a), at(b)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_are_sorted() {
        assert!(RESERVED.is_sorted());
        assert!(["next", "self", "count", "T", "S", "xnor"].iter().all(|name| is_reserved(name)));
    }

    #[test]
    fn identifiers_differ() {
        let mut names = Identifiers::default();
        let given: Vec<String> =
            ["next", "a b", "a_b", "1", "next_1", "next"].iter().map(|name| names.give(name)).collect();
        assert_eq!(given, ["next_1", "a_b", "a_b_1", "_1", "next_1_1", "next_2"]);
    }
}
