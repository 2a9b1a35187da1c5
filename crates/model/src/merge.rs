//! What do two viewpoints say of one system together, and where do they disagree?
//!
//! Merging viewpoints (Easterbrook and Chechik 2001): states and propositions of the same name are the same. A viewpoint that lacks a state or a proposition says nothing
//! about it. Over the *product* of the two lattices every value is the pair of what each says, so that a formula's value is the pair of its values. Over `Belnap4` what is
//! known is added up: what one knows, the merger knows, and where one says true and the other false it says both.
//!
//! Not here: which states of two models are the same if their names differ.

use std::collections::{BTreeMap, BTreeSet};

use tertium_base::narrow::to_u32;
use tertium_lattice::{Belnap, DeMorganLattice, Element};

use crate::kmts::{PropId, StateId};
use crate::lattice_model::{LatticeEdge, LatticeModel};
use crate::names::Names;

/// Pairs of states that are looked at; the product has an edge for every pair of which one viewpoint knows nothing.
const MOST_PAIRS: usize = 4_000_000;

/// In which lattice two viewpoints meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MergeOver {
    /// The product of the two lattices.
    Product,
    /// Belnap's: true, false, unknown, both.
    Belnap,
}

/// Two viewpoints in one structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The structure.
    pub model: LatticeModel,
    /// Where both know something, and not the same.
    pub disagreements: Vec<Disagreement>,
    /// States that only the first has, and that only the second has.
    pub states_of_one: [Vec<String>; 2],
    /// The same of propositions.
    pub props_of_one: [Vec<String>; 2],
}

/// A place where two viewpoints contradict each other. Values are the first's, then the second's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// On a label.
    Label {
        /// The state.
        state: String,
        /// The proposition.
        prop: String,
        /// What they say.
        values: [String; 2],
    },
    /// On an edge.
    Edge {
        /// Its source.
        from: String,
        /// Its target.
        to: String,
        /// What they say.
        values: [String; 2],
    },
    /// On whether a state is initial.
    Initial {
        /// The state.
        state: String,
        /// Whether the first takes it for initial; the second does not, or the other way round.
        first: bool,
    },
}

/// Why two structures cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// This one's values (0 or 1) are in a lattice that has no place in Belnap's, or whose name is not known.
    Lattice(usize),
    /// This one knows nothing of a state or proposition of the other, and its lattice has no word for that.
    NoUnknown(usize),
    /// The product has too many elements, or there are too many pairs of states.
    TooLarge,
}

/// Merges two viewpoints.
///
/// # Errors
/// If the lattices do not fit, or the result is too large.
pub fn merge(first: &LatticeModel, second: &LatticeModel, over: MergeOver) -> Result<Merged, MergeError> {
    let lattice = common_lattice(first, second, over)?;
    let states = union(first.state_names().iter(), second.state_names().iter());
    let props = union(first.props().iter().map(String::as_str), second.props().iter().map(String::as_str));
    if states.len().saturating_mul(states.len()) > MOST_PAIRS {
        return Err(MergeError::TooLarge);
    }
    let [a, b] = [Viewpoint::new(first, &states, &props, 0)?, Viewpoint::new(second, &states, &props, 1)?];
    let mut merger = Merger { a, b, lattice, over, states: &states, props: &props, disagreements: Vec::new() };
    let labels = merger.labels()?;
    let (edge_offsets, edges) = merger.edges()?;
    let init = merger.initial();
    let Merger { lattice, disagreements, .. } = merger;
    let name = match over {
        MergeOver::Belnap => "Belnap4".to_owned(),
        MergeOver::Product => product_name(first, second),
    };
    let mut state_names = Names::default();
    states.iter().for_each(|name| state_names.push(name));
    let lacking = |names: &[String], known: &dyn Fn(&str) -> bool| {
        names.iter().filter(|name| !known(name)).cloned().collect::<Vec<_>>()
    };
    Ok(Merged {
        model: LatticeModel {
            lattice,
            lattice_name: Some(name),
            built_in: true,
            state_names,
            props: props.clone(),
            labels,
            edge_offsets,
            edges,
            init,
        },
        disagreements,
        states_of_one: [
            lacking(&states, &|name| second.state_by_name(name).is_some()),
            lacking(&states, &|name| first.state_by_name(name).is_some()),
        ],
        props_of_one: [
            lacking(&props, &|name| second.props().iter().any(|known| known == name)),
            lacking(&props, &|name| first.props().iter().any(|known| known == name)),
        ],
    })
}

fn product_name(first: &LatticeModel, second: &LatticeModel) -> String {
    format!("{}x{}", first.lattice_name().unwrap_or_default(), second.lattice_name().unwrap_or_default())
}

fn common_lattice(first: &LatticeModel, second: &LatticeModel, over: MergeOver) -> Result<DeMorganLattice, MergeError> {
    for (at, model) in [first, second].into_iter().enumerate() {
        let letters = model.lattice().names().iter().all(|name| belnap(name).is_some());
        if !model.built_in || (over == MergeOver::Belnap && !letters) {
            return Err(MergeError::Lattice(at));
        }
    }
    let name = match over {
        MergeOver::Belnap => "Belnap4".to_owned(),
        MergeOver::Product => product_name(first, second),
    };
    DeMorganLattice::built_in(&name).map_err(|_| MergeError::TooLarge)
}

/// The value that a letter of `B2`, `K3` and `Belnap4` means.
fn belnap(letter: &str) -> Option<Belnap> {
    [Belnap::True, Belnap::False, Belnap::Unknown, Belnap::Both].into_iter().find(|value| value.letter() == letter)
}

/// Names in order of first appearance.
fn union<'n>(first: impl Iterator<Item = &'n str>, second: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    first.chain(second).filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}

/// One model as it speaks of the common states and propositions.
struct Viewpoint<'m> {
    model: &'m LatticeModel,
    /// For each common state its own.
    states: Vec<Option<StateId>>,
    props: Vec<Option<PropId>>,
    /// What it says of what it does not have.
    unknown: Element,
}

impl<'m> Viewpoint<'m> {
    fn new(model: &'m LatticeModel, states: &[String], props: &[String], at: usize) -> Result<Self, MergeError> {
        let states: Vec<_> = states.iter().map(|name| model.state_by_name(name)).collect();
        let own = |name: &String| model.props().iter().position(|known| known == name).map(PropId::new);
        let props: Vec<_> = props.iter().map(own).collect();
        let lacks = states.contains(&None) || props.contains(&None);
        let lattice = model.lattice();
        // Of factors that know the unknown, the element that is unknown in all of them.
        let unknown = lattice.elements().find(|&element| lattice.name(element).chars().all(|letter| letter == 'u'));
        match unknown {
            None if lacks => Err(MergeError::NoUnknown(at)),
            found => Ok(Self { model, states, props, unknown: found.unwrap_or(lattice.bottom()) }),
        }
    }

    fn label(&self, state: usize, prop: usize) -> Option<Element> {
        Some(self.model.label(self.states[state]?, self.props[prop]?))
    }

    /// The edges of a common state that this viewpoint has, by own target.
    fn edges(&self, state: usize) -> BTreeMap<StateId, Element> {
        let edges = self.states[state].map_or(&[][..], |own| self.model.edges_from(own));
        edges.iter().map(|edge| (edge.target, edge.value)).collect()
    }

    /// None if it knows one of the states not.
    fn edge(&self, edges: &BTreeMap<StateId, Element>, from: usize, to: usize) -> Option<Element> {
        let (_, to) = (self.states[from]?, self.states[to]?);
        Some(edges.get(&to).copied().unwrap_or(self.model.lattice().bottom()))
    }

    fn is_initial(&self, state: usize) -> Option<bool> {
        let own = self.states[state]?;
        Some(self.model.init().is_empty() || self.model.init().contains(&own))
    }

    fn name(&self, element: Element) -> &str {
        self.model.lattice().name(element)
    }
}

struct Merger<'m> {
    a: Viewpoint<'m>,
    b: Viewpoint<'m>,
    lattice: DeMorganLattice,
    over: MergeOver,
    states: &'m [String],
    props: &'m [String],
    disagreements: Vec<Disagreement>,
}

impl Merger<'_> {
    /// What two say together; and whether they contradict each other.
    fn value(&self, a: Option<Element>, b: Option<Element>) -> Result<(Element, bool), MergeError> {
        let (known_a, known_b) = (a.unwrap_or(self.a.unknown), b.unwrap_or(self.b.unknown));
        let (name_a, name_b) = (self.a.name(known_a), self.b.name(known_b));
        let silent = |name: &str| name.chars().all(|letter| letter == 'u');
        let differ = !silent(name_a) && !silent(name_b) && name_a != name_b;
        let element = match self.over {
            MergeOver::Product => {
                self.lattice.elements().nth(known_a.index() * self.b.model.lattice().len() + known_b.index())
            }
            MergeOver::Belnap => {
                let both = belnap(name_a).zip(belnap(name_b));
                both.and_then(|(a, b)| self.lattice.element(a.accumulate(b).letter()))
            }
        };
        Ok((element.ok_or(MergeError::TooLarge)?, differ))
    }

    fn words(&self, a: Option<Element>, b: Option<Element>) -> [String; 2] {
        let word = |view: &Viewpoint<'_>, value: Option<Element>| view.name(value.unwrap_or(view.unknown)).to_owned();
        [word(&self.a, a), word(&self.b, b)]
    }

    fn labels(&mut self) -> Result<Vec<Element>, MergeError> {
        let mut labels = Vec::with_capacity(self.states.len() * self.props.len());
        for state in 0..self.states.len() {
            for prop in 0..self.props.len() {
                let (a, b) = (self.a.label(state, prop), self.b.label(state, prop));
                let (value, differ) = self.value(a, b)?;
                labels.push(value);
                if differ {
                    let (state, prop) = (self.states[state].clone(), self.props[prop].clone());
                    self.disagreements.push(Disagreement::Label { state, prop, values: self.words(a, b) });
                }
            }
        }
        Ok(labels)
    }

    fn edges(&mut self) -> Result<(Vec<u32>, Vec<LatticeEdge>), MergeError> {
        let (mut offsets, mut edges) = (vec![0u32], Vec::new());
        for from in 0..self.states.len() {
            let (of_a, of_b) = (self.a.edges(from), self.b.edges(from));
            for to in 0..self.states.len() {
                let (a, b) = (self.a.edge(&of_a, from, to), self.b.edge(&of_b, from, to));
                let (value, differ) = self.value(a, b)?;
                if value != self.lattice.bottom() {
                    edges.push(LatticeEdge { target: StateId::new(to), value });
                }
                if differ {
                    let (from, to) = (self.states[from].clone(), self.states[to].clone());
                    self.disagreements.push(Disagreement::Edge { from, to, values: self.words(a, b) });
                }
            }
            offsets.push(to_u32(edges.len()));
        }
        Ok((offsets, edges))
    }

    /// What one takes for initial is.
    fn initial(&mut self) -> Vec<StateId> {
        let mut init = Vec::new();
        for at in 0..self.states.len() {
            let (a, b) = (self.a.is_initial(at), self.b.is_initial(at));
            if a == Some(true) || b == Some(true) {
                init.push(StateId::new(at));
            }
            if let (Some(a), Some(b)) = (a, b)
                && a != b
            {
                self.disagreements.push(Disagreement::Initial { state: self.states[at].clone(), first: a });
            }
        }
        init
    }
}
