//! Small structures and certificates written in a line or two.
#![allow(dead_code, reason = "each test file uses a part of it")]

use tertium_base::Budget;
use tertium_evidence::{Certificate, Choice, Claim, Deadlock, LinearReading, Proof, Reading};
use tertium_kernel::{Accepted, Rejection, check_certificate};
use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, NodeId, ParseOptions, parse};
use tertium_model::{Kmts, KmtsBuilder, StateId};

/// A structure from lines: `a: p=t q=f` (a state), `a => b` (certain and possible), `a -> b` (possible),
/// `a +> b` (certain only), `a => b c` (a hyper edge and its possible steps), with `act` before the arrow's
/// source as in `act/a => b`; `fair a>b c>d`; `perhaps a>b c>d` (steps that may count for a constraint, and none that
/// surely does); `init a`; `total`.
pub fn model(text: &str) -> Kmts {
    let mut builder = KmtsBuilder::new();
    let lines: Vec<&str> = text.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()).collect();
    for line in lines.iter().filter(|line| line.contains(':')) {
        builder.add_state(line.split_once(':').unwrap().0.trim());
    }
    for line in lines {
        add_line(&mut builder, line);
    }
    builder.finish().unwrap()
}

fn add_line(builder: &mut KmtsBuilder, line: &str) {
    let find = |builder: &KmtsBuilder, name: &str| {
        StateId::new(builder.state_names().position(name.trim()).unwrap_or_else(|| panic!("no state {name}")))
    };
    if let Some((name, labels)) = line.split_once(':') {
        let state = find(builder, name);
        for label in labels.split_whitespace() {
            let (prop, value) = label.split_once('=').unwrap();
            let prop = builder.add_prop(prop);
            let values = [Belnap::True, Belnap::False, Belnap::Unknown, Belnap::Both];
            let value = values.into_iter().find(|known| known.letter() == value).unwrap();
            builder.set_label(state, prop, value);
        }
        return;
    }
    if line == "total" {
        return builder.set_total(true);
    }
    if let Some(name) = line.strip_prefix("init ") {
        let first = find(builder, name);
        return builder.add_init(first);
    }
    if let Some((certain, pairs)) = [true, false]
        .into_iter()
        .find_map(|certain| Some((certain, line.strip_prefix(if certain { "fair" } else { "perhaps" })?)))
    {
        let pairs = pairs.split_whitespace().map(|pair| pair.split_once('>').unwrap());
        let edges = pairs.map(|(from, to)| (find(builder, from), find(builder, to), None)).collect();
        return if certain { builder.add_fairness(edges) } else { builder.add_split_fairness(edges, Vec::new()) };
    }
    let arrow = ["=>", "->", "+>"].into_iter().find(|arrow| line.contains(arrow)).unwrap();
    let (source, targets) = line.split_once(arrow).unwrap();
    let (action, source) =
        source.split_once('/').map_or((None, source), |(action, source)| (Some(action.trim()), source));
    let action = action.map(|action| builder.add_action(action));
    let source = find(builder, source);
    let targets: Vec<StateId> = targets.split_whitespace().map(|name| find(builder, name)).collect();
    for &target in &targets {
        let single = targets.len() == 1;
        builder.add_edge(source, target, arrow != "+>", single && arrow != "->", action);
    }
    if targets.len() > 1 {
        builder.add_hyper(source, &targets, action);
    }
}

pub fn formula(text: &str, logic: Logic) -> Formula {
    let parsed = parse(text, &ParseOptions::in_logic(logic));
    parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics))
}

/// The node of the formula that prints as `text`.
pub fn node(formula: &Formula, text: &str) -> NodeId {
    let wanted = |&id: &NodeId| formula.to_builder().finish(id, formula.logic()).to_string() == text;
    formula.node_ids().find(wanted).unwrap_or_else(|| {
        let all: Vec<_> =
            formula.node_ids().map(|id| formula.to_builder().finish(id, formula.logic()).to_string()).collect();
        panic!("no node `{text}` among {all:?}")
    })
}

pub fn state(model: &Kmts, name: &str) -> StateId {
    model.state_by_name(name).unwrap_or_else(|| panic!("no state {name}"))
}

pub fn states(model: &Kmts, names: &str) -> Vec<StateId> {
    names.split_whitespace().map(|name| state(model, name)).collect()
}

/// A claim from `a | EF p | t | into b c`; the choice is `-`, `0`, `1`, …, `onward` or `into …`.
pub fn claim(model: &Kmts, formula: &Formula, text: &str) -> Claim {
    let fields: Vec<&str> = text.split(" # ").map(str::trim).collect();
    let [at, what, value, choice] = fields[..] else { panic!("four fields in `{text}`") };
    let choice = match choice {
        "-" => Choice::None,
        "onward" => Choice::Onward,
        number if number.len() == 1 => Choice::Operand(number.parse().unwrap()),
        into => Choice::Into(states(model, into.strip_prefix("into").unwrap())),
    };
    Claim { state: state(model, at), node: node(formula, what), positive: value == "t", choice }
}

pub struct Asked<'a> {
    pub model: &'a Kmts,
    pub formula: &'a str,
    pub logic: Logic,
    pub reading: Reading,
    pub at: &'a str,
    pub value: Belnap,
}

impl Asked<'_> {
    pub fn certificate(&self, proof: Proof) -> Certificate {
        Certificate {
            formula: self.formula.to_owned(),
            logic: self.logic,
            reading: self.reading,
            state: state(self.model, self.at),
            value: self.value,
            proof,
        }
    }

    pub fn check(&self, proof: Proof) -> Result<Accepted, Rejection> {
        check_certificate(self.model, &self.certificate(proof), &Budget::unlimited())
    }

    pub fn claims(&self, lines: &[&str]) -> Result<Accepted, Rejection> {
        let parsed = formula(self.formula, self.logic);
        self.check(Proof::Claims(lines.iter().map(|line| claim(self.model, &parsed, line)).collect()))
    }

    pub fn lasso(&self, stem: &str, cycle: &str) -> Result<Accepted, Rejection> {
        self.check(Proof::Lasso { stem: states(self.model, stem), cycle: states(self.model, cycle) })
    }
}

pub fn branching<'a>(model: &'a Kmts, text: &'a str, logic: Logic, at: &'a str, value: bool) -> Asked<'a> {
    Asked { model, formula: text, logic, reading: Reading::default(), at, value: value.into() }
}

pub fn linear<'a>(model: &'a Kmts, text: &'a str, reading: LinearReading, at: &'a str, value: bool) -> Asked<'a> {
    let reading = Reading { deadlock: Deadlock::Mu, linear: reading };
    Asked { model, formula: text, logic: Logic::Ltl, reading, at, value: value.into() }
}

#[track_caller]
pub fn accepted(result: Result<Accepted, Rejection>) {
    if let Err(rejection) = result {
        panic!("rejected: {rejection}");
    }
}

#[track_caller]
pub fn rejected(result: Result<Accepted, Rejection>, code: &str, words: &str) {
    match result {
        Ok(_) => panic!("accepted, and {code} was expected"),
        Err(Rejection::Stopped(stopped)) => panic!("{stopped}"),
        Err(Rejection::Refused(diagnostic)) => {
            assert_eq!(diagnostic.code, code, "{}", diagnostic.message);
            assert!(diagnostic.message.contains(words), "`{}` does not say `{words}`", diagnostic.message);
        }
    }
}
