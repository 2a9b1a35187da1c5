//! Is this the structure that a certificate speaks of?
//!
//! A number that depends on what a structure says and not on the order in which its file says it: every
//! statement (a state, a label, an edge, …) is hashed on its own, and the hashes are added up. It guards
//! against mix-ups, not against forgery; a wrong proof is found out by the checker in any case.
//!
//! The function is part of the certificate format: changing it takes a new format version.

use tertium_base::BitSet;
use tertium_model::{ActionId, EdgeId, Kmts, StateId};

/// A structure's number, equal for equal content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fingerprint(u128);

const PREFIX: &str = "fnv1a128:";

impl Fingerprint {
    /// The fingerprint of a structure: its states, propositions, labels, edges, hyper edges, fairness constraints,
    /// owners and whether it is total. Initial states do not matter to a certificate, which names its state.
    #[must_use]
    pub fn of(model: &Kmts) -> Self {
        let content = Content::new(model);
        let mut sum = content.states().wrapping_add(content.edges());
        for (at, constraint) in model.fairness().iter().enumerate() {
            sum = sum.wrapping_add(content.fairness(at, &constraint.possible, b"possible"));
            sum = sum.wrapping_add(content.fairness(at, &constraint.certain, b"certain"));
            sum = sum.wrapping_add(Hash::of(b"constraint").number(at).finish());
        }
        // A closed structure says nothing of players, and keeps the number that it always had.
        for state in model.states().filter(|&state| model.owner(state).index() > 0) {
            let owner = Hash::of(b"owner").bytes(model.state_name(state).as_bytes());
            sum = sum.wrapping_add(owner.bytes(model.owner_name(state).as_bytes()).finish());
        }
        Self(sum.wrapping_add(Hash::of(b"total").number(usize::from(model.total())).finish()))
    }

    /// The fingerprint that a text such as `fnv1a128:0f…` denotes.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let plain = digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        plain.then(|| u128::from_str_radix(digits, 16).ok().map(Self)).flatten()
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{PREFIX}{:032x}", self.0)
    }
}

/// FNV-1a with 128 bits, and a final mix so that sums of hashes do not cancel out.
#[derive(Clone, Copy)]
struct Hash(u128);

impl Hash {
    fn of(tag: &[u8]) -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d).bytes(tag)
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        // The end of a text must count, or `ab` then `c` would be `a` then `bc`.
        self.0 = (self.0 ^ 0x1_00).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        self
    }

    fn number(self, number: usize) -> Self {
        self.bytes(&(number as u64).to_le_bytes())
    }

    fn hash(self, other: u128) -> Self {
        self.bytes(&other.to_le_bytes())
    }

    fn finish(self) -> u128 {
        let mut mixed = self.0;
        for _ in 0..2 {
            mixed ^= mixed >> 67;
            mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        }
        mixed ^ (mixed >> 61)
    }
}

struct Content<'a> {
    model: &'a Kmts,
    names: Vec<u128>,
}

impl<'a> Content<'a> {
    fn new(model: &'a Kmts) -> Self {
        let names = model.state_names().iter().map(|name| Hash::of(b"state").bytes(name.as_bytes()).finish()).collect();
        Self { model, names }
    }

    fn name(&self, state: StateId) -> u128 {
        self.names[state.index()]
    }

    fn action(&self, action: Option<ActionId>) -> &[u8] {
        action.map_or(b"", |action| self.model.actions()[action.index()].as_bytes())
    }

    fn states(&self) -> u128 {
        let mut sum = self.names.iter().fold(0u128, |sum, name| sum.wrapping_add(*name));
        for (at, prop) in self.model.props().iter().enumerate() {
            sum = sum.wrapping_add(Hash::of(b"prop").bytes(prop.as_bytes()).finish());
            for state in self.model.states() {
                let value = self.model.label(state, tertium_model::PropId::new(at));
                let label = Hash::of(b"label").hash(self.name(state)).bytes(prop.as_bytes());
                sum = sum.wrapping_add(label.bytes(value.letter().as_bytes()).finish());
            }
        }
        sum
    }

    fn edges(&self) -> u128 {
        let mut sum = 0u128;
        for state in self.model.states() {
            for edge in self.model.edges_from(state) {
                let kind = [u8::from(edge.may), u8::from(edge.must)];
                sum = sum.wrapping_add(self.edge(b"edge", state, edge.id).bytes(&kind).finish());
            }
            for hyper in self.model.hyper_from(state) {
                let members = hyper.members.iter().fold(0u128, |sum, &member| sum.wrapping_add(self.name(member)));
                let hash = Hash::of(b"hyper").hash(self.name(state)).hash(members).bytes(self.action(hyper.action));
                sum = sum.wrapping_add(hash.finish());
            }
        }
        sum
    }

    fn edge(&self, tag: &[u8], source: StateId, id: EdgeId) -> Hash {
        let edge = self.model.edge(id);
        Hash::of(tag).hash(self.name(source)).hash(self.name(edge.target)).bytes(self.action(edge.action))
    }

    fn fairness(&self, constraint: usize, edges: &BitSet, kind: &[u8]) -> u128 {
        let mut sum = 0u128;
        for state in self.model.states() {
            for at in self.model.edge_range(state).filter(|&at| edges.contains(at)) {
                let hash = self.edge(b"fair", state, EdgeId::new(at)).number(constraint).bytes(kind);
                sum = sum.wrapping_add(hash.finish());
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_lattice::Belnap;
    use tertium_model::KmtsBuilder;

    fn structure(order: [&str; 3], change: impl Fn(&mut KmtsBuilder)) -> Fingerprint {
        let mut builder = KmtsBuilder::new();
        for name in order {
            builder.add_state(name);
        }
        let at = |builder: &KmtsBuilder, name: &str| StateId::new(builder.state_names().position(name).unwrap());
        let (a, b, c) = (at(&builder, "a"), at(&builder, "b"), at(&builder, "c"));
        let p = builder.add_prop("p");
        builder.set_label(a, p, Belnap::True);
        builder.add_edge(a, b, true, true, None);
        builder.add_edge(b, c, true, false, None);
        builder.add_hyper(c, &[a, b], None);
        builder.add_fairness(vec![(a, b, None)]);
        change(&mut builder);
        Fingerprint::of(&builder.finish().unwrap())
    }

    #[test]
    fn order_does_not_matter_and_everything_else_does() {
        let plain = structure(["a", "b", "c"], |_| {});
        assert_eq!(plain, structure(["c", "a", "b"], |_| {}));
        let first = StateId::new(0);
        let second = StateId::new(1);
        let p = tertium_model::PropId::new(0);
        let changes: [&dyn Fn(&mut KmtsBuilder); 7] = [
            &|builder| builder.set_label(second, p, Belnap::False),
            &|builder| builder.set_total(true),
            &|builder| builder.add_edge(second, first, true, false, None),
            &|builder| builder.add_edge(second, StateId::new(2), false, true, None),
            &|builder| builder.add_hyper(first, &[first, StateId::new(2)], None),
            &|builder| builder.add_fairness(vec![]),
            &|builder| {
                builder.add_prop("q");
            },
        ];
        for (at, change) in changes.iter().enumerate() {
            assert_ne!(plain, structure(["a", "b", "c"], change), "change {at}");
        }
    }

    #[test]
    fn the_function_stays_what_it_is() {
        let fingerprint = structure(["a", "b", "c"], |_| {});
        assert_eq!(Fingerprint::from_text(&fingerprint.to_string()), Some(fingerprint));
        assert_eq!(fingerprint.to_string(), "fnv1a128:9713ce230efc6082bfea39f32fb96b37");
        assert_eq!(Fingerprint::from_text("fnv1a128:+0000000000000000000000000000000"), None);
        assert_eq!(Fingerprint::from_text("7"), None);
    }
}
