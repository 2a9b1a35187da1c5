//! Random formulas for tests, the same ones in every run unless `TERTIUM_SEED` says otherwise, and plain
//! evaluators ([`words`], [`structures`]) that everything else is compared with.

pub(crate) mod structures;
pub(crate) mod words;

use crate::coalition::Coalition;
use crate::formula::{Atom, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};

/// A small generator of pseudo-random numbers (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    /// The generator of the run's seed, different for every `stream`.
    pub(crate) fn new(stream: u64) -> Self {
        let seed: u64 = std::env::var("TERTIUM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ stream)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        tertium_base::narrow::below(self.next(), bound.max(1))
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A random formula of a logic with about `size` operators over atoms `p`, `q`, `r`.
pub(crate) fn random_formula(random: &mut Random, logic: Logic, size: usize) -> Formula {
    random_formula_over(random, logic, size, &["p", "q", "r"])
}

/// A random formula over these atoms.
pub(crate) fn random_formula_over(random: &mut Random, logic: Logic, size: usize, atoms: &[&str]) -> Formula {
    let mut maker = Maker { random, logic, builder: FormulaBuilder::new(), scope: Vec::new(), atoms };
    let root = maker.state(size, true);
    maker.builder.finish(root, logic)
}

struct Maker<'r> {
    random: &'r mut Random,
    logic: Logic,
    builder: FormulaBuilder,
    /// Variables in scope and whether they may be used at this polarity.
    scope: Vec<(VarId, bool)>,
    atoms: &'r [&'r str],
}

impl Maker<'_> {
    fn leaf(&mut self, positive: bool) -> NodeId {
        let usable: Vec<VarId> =
            self.scope.iter().filter(|(_, polarity)| *polarity == positive).map(|&(variable, _)| variable).collect();
        if !usable.is_empty() && self.random.coin() {
            let variable = self.random.pick(&usable);
            return self.builder.add(Node::Var(variable));
        }
        match self.random.below(8) {
            0 => self.builder.add(Node::True),
            1 => self.builder.add(Node::False),
            _ => {
                let text = self.random.pick(self.atoms).to_owned();
                self.builder.atom(Atom { text, quoted: false })
            }
        }
    }

    fn two(&mut self, size: usize, positive: bool, path: bool) -> (NodeId, NodeId) {
        let left = self.random.below(size);
        let make = if path { Self::path } else { Self::state };
        let a = make(self, left, positive);
        let b = make(self, size - 1 - left, positive);
        (a, b)
    }

    fn boolean(&mut self, size: usize, positive: bool, path: bool) -> NodeId {
        let make = if path { Self::path } else { Self::state };
        let node = match self.random.below(if self.scope.is_empty() { 6 } else { 4 }) {
            0 => Node::Not(make(self, size - 1, !positive)),
            1 => {
                let left = self.random.below(size);
                let a = make(self, left, !positive);
                Node::Implies(a, make(self, size - 1 - left, positive))
            }
            choice => {
                let (a, b) = self.two(size, positive, path);
                match choice {
                    2 => Node::And(a, b),
                    3 => Node::Or(a, b),
                    4 => Node::Iff(a, b),
                    _ => Node::Xor(a, b),
                }
            }
        };
        self.builder.add(node)
    }

    fn state(&mut self, size: usize, positive: bool) -> NodeId {
        if size == 0 {
            return self.leaf(positive);
        }
        if self.logic == Logic::Ltl {
            return self.path(size, positive);
        }
        if self.random.below(5) < 2 {
            return self.boolean(size, positive, false);
        }
        let node = match self.logic {
            Logic::Pml => self.modal(size, positive),
            Logic::Mu if self.random.coin() => self.fixpoint(size, positive),
            Logic::Mu => self.modal(size, positive),
            Logic::Ctl => {
                let path = self.temporal(size, positive, false);
                self.quantified(path)
            }
            Logic::CtlStar | Logic::Ltl => {
                let path = self.path(size - 1, positive);
                self.quantified(path)
            }
            Logic::Atl => {
                let path = self.temporal(size, positive, false);
                self.strategic(path)
            }
            Logic::AtlStar => {
                let path = self.path(size - 1, positive);
                self.strategic(path)
            }
        };
        self.builder.add(node)
    }

    fn quantified(&mut self, path: NodeId) -> Node {
        if self.random.coin() { Node::All(path) } else { Node::Exists(path) }
    }

    fn strategic(&mut self, path: NodeId) -> Node {
        let cannot_avoid = self.random.coin();
        let coalition = match self.random.below(5) {
            0 => return self.quantified(path),
            1 => Coalition::all(cannot_avoid),
            2 => Coalition::new(Vec::new(), cannot_avoid),
            3 => Coalition::new(vec!["P[2]".to_owned(), "the other".to_owned()], cannot_avoid),
            _ => Coalition::new(vec!["P".to_owned()], cannot_avoid),
        };
        Node::Coalition(self.builder.coalition(coalition), path)
    }

    fn modal(&mut self, size: usize, positive: bool) -> Node {
        let operand = self.state(size - 1, positive);
        let action = (self.random.below(3) == 0).then(|| self.builder.action("act"));
        if self.random.coin() { Node::Diamond(action, operand) } else { Node::Box(action, operand) }
    }

    fn fixpoint(&mut self, size: usize, positive: bool) -> Node {
        let name = self.random.pick(&["X", "Y", "Z0"]);
        let variable = self.builder.fresh_variable(name);
        self.scope.push((variable, positive));
        let body = self.state(size - 1, positive);
        self.scope.pop();
        if self.random.coin() { Node::Mu(variable, body) } else { Node::Nu(variable, body) }
    }

    fn path(&mut self, size: usize, positive: bool) -> NodeId {
        if size == 0 {
            return self.leaf(positive);
        }
        match self.random.below(5) {
            0 | 1 => self.boolean(size, positive, true),
            2 if self.logic == Logic::CtlStar => self.state(size, positive),
            _ => self.temporal(size, positive, true),
        }
    }

    fn temporal(&mut self, size: usize, positive: bool, path: bool) -> NodeId {
        let make = if path { Self::path } else { Self::state };
        let node = match self.random.below(7) {
            0 => Node::Next(make(self, size - 1, positive)),
            1 => Node::Finally(make(self, size - 1, positive)),
            2 => Node::Globally(make(self, size - 1, positive)),
            choice => {
                let (a, b) = self.two(size, positive, path);
                match choice {
                    3 => Node::Until(a, b),
                    4 => Node::Release(a, b),
                    5 => Node::WeakUntil(a, b),
                    _ => Node::StrongRelease(a, b),
                }
            }
        };
        self.builder.add(node)
    }
}
