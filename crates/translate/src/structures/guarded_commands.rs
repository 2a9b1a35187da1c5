//! How does a complete structure read as a program of guarded commands?
//!
//! Its states are the values of one variable, its propositions are definitions over it, and each player is a process that steps where the states are theirs. So a controller, or the strategy of an environment, can be read, simulated
//! (whoever simulates it moves for the player whose steps are open, and the others answer) and checked like any other program.
//!
//! Not here: partial structures, since a program has no step that is only possible.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tertium_base::Diagnostic;
use tertium_lattice::Belnap;
use tertium_load::failure::Failure;
use tertium_logic::{Atom, Formula, Node, NodeId};
use tertium_model::{Kmts, PropId, StateId};

/// A complete structure as a program, with these properties.
///
/// # Errors
/// If something in it is open, or it has no state.
pub fn structure_program(kmts: &Kmts, name: &str, properties: &[(String, Formula)]) -> Result<String, Failure> {
    if !kmts.is_complete() || kmts.state_count() == 0 {
        return Err(Diagnostic::error("E0394", "a structure that leaves something open is not a program")
            .note("steps of a program are there or not")
            .help("write it as `.kmts`")
            .into());
    }
    let mut writer = Writer { kmts, used: reserved(), text: String::new() };
    writer.program(name, properties);
    Ok(writer.text)
}

fn reserved() -> BTreeSet<String> {
    let mut used: BTreeSet<String> = tertium_gcl::symbols::keywords().iter().map(|&word| word.to_owned()).collect();
    // Operators of the logics, which would be read as such in properties.
    let operators =
        ["A", "E", "X", "F", "G", "U", "R", "V", "W", "M", "AX", "EX", "AF", "EF", "AG", "EG", "mu", "nu", "xor"];
    used.extend(operators.map(str::to_owned));
    used
}

struct Writer<'k> {
    kmts: &'k Kmts,
    used: BTreeSet<String>,
    text: String,
}

impl Writer<'_> {
    fn program(&mut self, name: &str, properties: &[(String, Formula)]) {
        let kmts = self.kmts;
        let system = self.fresh(name);
        let props: Vec<String> = kmts.props().iter().map(|prop| self.fresh(prop)).collect();
        let places: Vec<String> = kmts.states().map(|state| self.fresh(kmts.state_name(state))).collect();
        let (place, kind) = (self.fresh("place"), self.fresh("Place"));
        self.line(&format!("system {system}\n"));
        for (original, written) in kmts.props().iter().zip(&props).filter(|(original, written)| original != written) {
            self.line(&format!("// {written} stands for {}", original.replace(['\n', '\r'], " ")));
        }
        self.line(&format!("type {kind} = {{{}}}", places.join(", ")));
        self.initial(&place, &kind, &places);
        self.line("");
        for (at, prop) in props.iter().enumerate() {
            let holds = |state: &StateId| kmts.label(*state, PropId::new(at)) == Belnap::True;
            let where_true: Vec<StateId> = kmts.states().filter(holds).collect();
            self.line(&format!("define {prop} = {}", one_of(&place, &places, &where_true)));
        }
        for player in kmts.players() {
            self.process(player, &place, &places);
        }
        self.line("");
        for (name, formula) in properties {
            let name = self.fresh(name);
            let renamed = with_names(formula, kmts.props(), &props);
            self.line(&format!("property {name} : {} {}", formula.logic().name(), renamed.text()));
        }
    }

    fn initial(&mut self, place: &str, kind: &str, places: &[String]) {
        let kmts = self.kmts;
        match kmts.init() {
            [only] => self.line(&format!("var {place} : {kind} = {}", places[only.index()])),
            [] => self.line(&format!("var {place} : {kind}")),
            several => {
                self.line(&format!("var {place} : {kind}"));
                self.line(&format!("init {}", one_of(place, places, several)));
            }
        }
    }

    /// One player's steps.
    fn process(&mut self, player: &str, place: &str, places: &[String]) {
        let kmts = self.kmts;
        let mut branches = Vec::new();
        for state in kmts.states().filter(|&state| kmts.owner_name(state) == player) {
            let mut targets: Vec<StateId> = kmts.may_successors(state).collect();
            targets.dedup();
            let step =
                |to: StateId| format!("when {place} = {} do {place} := {};", places[state.index()], places[to.index()]);
            branches.extend(targets.into_iter().map(step));
        }
        if branches.is_empty() {
            return;
        }
        // The players' usual names are words of the language.
        let name = self.fresh(match player {
            tertium_model::SYSTEM => "controller",
            "environment" => "env",
            other => other,
        });
        let body = match &branches[..] {
            [only] => format!("    {only}"),
            several => {
                let written: Vec<String> = several.iter().map(|branch| format!("{{ {branch} }}")).collect();
                format!("    choose {}", written.join("\n    or     "))
            }
        };
        self.line(&format!("\nprocess {name} {{\n  loop {{\n{body}\n  }}\n}}"));
    }

    fn line(&mut self, text: &str) {
        // Writing into memory does not fail.
        let _ = writeln!(self.text, "{text}");
    }

    /// A name that the language allows and that nothing else has.
    fn fresh(&mut self, wanted: &str) -> String {
        let letter = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '_' };
        let mut base: String = wanted.chars().map(letter).collect();
        if !base.starts_with(|sign: char| sign.is_ascii_alphabetic()) {
            base.insert_str(0, "s_");
        }
        let (mut name, mut number) = (base.clone(), 1);
        while !self.used.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        name
    }
}

/// "The place is one of these."
fn one_of(place: &str, places: &[String], states: &[StateId]) -> String {
    if states.is_empty() {
        return "false".to_owned();
    }
    let cases: Vec<String> = states.iter().map(|state| format!("{place} = {}", places[state.index()])).collect();
    cases.join(" || ")
}

/// A formula over the names that propositions were given.
fn with_names(formula: &Formula, old: &[String], new: &[String]) -> Formula {
    let mut builder = formula.to_builder();
    let mut made: Vec<NodeId> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        let of = |operand: NodeId| made[operand.index()];
        let written = match node {
            Node::Atom(atom) => {
                let text = &formula.atoms()[atom.index()].text;
                let name = old.iter().position(|known| known == text).map_or(text, |at| &new[at]);
                builder.atom(Atom { text: name.clone(), quoted: false })
            }
            other => builder.add(other.map_children(of)),
        };
        made.push(written);
    }
    builder.finish(made[formula.root().index()], formula.logic())
}
