//! Random formulas of each logic.

use tertium_logic::{Atom, Coalition, Formula, FormulaBuilder, Logic, Node, NodeId, VarId};

use crate::Rng;

/// What a random formula looks like.
#[derive(Clone, Debug)]
pub struct FormulaShape {
    /// Its logic.
    pub logic: Logic,
    /// About how many operators it has at most.
    pub size: usize,
    /// The atoms it draws from; must not be empty.
    pub atoms: Vec<String>,
    /// The actions that its modalities draw from, next to none at all (PML and mu-calculus only).
    pub actions: Vec<String>,
    /// The lattice constants that it draws from.
    pub elements: Vec<String>,
    /// Whether every fixpoint variable stands below a modality inside its binder.
    pub guarded: bool,
}

impl FormulaShape {
    /// Formulas of this logic over `p` and `q`, guarded, with about eight operators.
    #[must_use]
    pub fn new(logic: Logic) -> Self {
        Self {
            logic,
            size: 8,
            atoms: vec!["p".to_owned(), "q".to_owned()],
            actions: Vec::new(),
            elements: Vec::new(),
            guarded: true,
        }
    }
}

/// A formula of this shape. Fixpoint variables always stand below an even number of negations.
pub fn random_formula(rng: &mut Rng, shape: &FormulaShape) -> Formula {
    let size = rng.between(&(0..=shape.size));
    let mut maker = Maker { rng, shape, builder: FormulaBuilder::new(), scope: Vec::new(), positive: true };
    let root = match shape.logic {
        Logic::Pml => maker.modal(size, false),
        Logic::Mu => maker.modal(size, true),
        Logic::Ctl => maker.state(size),
        Logic::CtlStar => maker.state_star(size),
        Logic::Ltl => maker.path(size, false),
        Logic::Atl => maker.strategic(size, false),
        Logic::AtlStar => maker.strategic(size, true),
    };
    maker.builder.finish(root, shape.logic)
}

/// A variable that may be used: bound at this polarity, and whether a modality lies between.
#[derive(Clone, Copy)]
struct Bound {
    var: VarId,
    positive: bool,
    below_modality: bool,
}

struct Maker<'a> {
    rng: &'a mut Rng,
    shape: &'a FormulaShape,
    builder: FormulaBuilder,
    scope: Vec<Bound>,
    positive: bool,
}

impl Maker<'_> {
    fn leaf(&mut self) -> NodeId {
        let usable: Vec<VarId> = self
            .scope
            .iter()
            .filter(|bound| bound.positive == self.positive && (bound.below_modality || !self.shape.guarded))
            .map(|bound| bound.var)
            .collect();
        if !usable.is_empty() && self.rng.chance(60) {
            let var = *self.rng.pick(&usable);
            return self.builder.add(Node::Var(var));
        }
        if !self.shape.elements.is_empty() && self.rng.chance(15) {
            let name = self.rng.pick(&self.shape.elements).clone();
            return self.builder.element(&name);
        }
        if self.rng.chance(10) {
            let constant = if self.rng.chance(50) { Node::True } else { Node::False };
            return self.builder.add(constant);
        }
        let text = self.rng.pick(&self.shape.atoms).clone();
        self.builder.atom(Atom { text, quoted: false })
    }

    fn negated(&mut self, sub: impl FnOnce(&mut Self) -> NodeId) -> NodeId {
        self.positive = !self.positive;
        let inner = sub(self);
        self.positive = !self.positive;
        inner
    }

    /// Without free variables: for operators that use their operands in both polarities.
    fn closed(&mut self, sub: impl FnOnce(&mut Self) -> NodeId) -> NodeId {
        let scope = std::mem::take(&mut self.scope);
        let inner = sub(self);
        self.scope = scope;
        inner
    }

    /// A connective over what `sub` makes.
    fn connective(&mut self, size: usize, sub: impl Fn(&mut Self, usize) -> NodeId) -> NodeId {
        let kind = self.rng.below(10);
        if kind < 2 {
            let a = self.negated(|maker| sub(maker, size - 1));
            return self.builder.add(Node::Not(a));
        }
        let left = self.rng.below(size);
        let right = size - 1 - left;
        let node = match kind {
            2..=4 => Node::And(sub(self, left), sub(self, right)),
            5..=7 => Node::Or(sub(self, left), sub(self, right)),
            8 => Node::Implies(self.negated(|maker| sub(maker, left)), sub(self, right)),
            _ => {
                let a = self.closed(|maker| sub(maker, left));
                let b = self.closed(|maker| sub(maker, right));
                if self.rng.chance(50) { Node::Iff(a, b) } else { Node::Xor(a, b) }
            }
        };
        self.builder.add(node)
    }

    /// PML, or with `fixpoints` the mu-calculus.
    fn modal(&mut self, size: usize, fixpoints: bool) -> NodeId {
        if size == 0 {
            return self.leaf();
        }
        match self.rng.below(10) {
            0..=3 => self.connective(size, |maker, size| maker.modal(size, fixpoints)),
            4..=6 if fixpoints => self.fixpoint(size),
            _ => self.modality(size, fixpoints),
        }
    }

    fn modality(&mut self, size: usize, fixpoints: bool) -> NodeId {
        let scope = self.scope.clone();
        self.scope.iter_mut().for_each(|bound| bound.below_modality = true);
        let a = self.modal(size - 1, fixpoints);
        self.scope = scope;
        let action = if self.shape.actions.is_empty() || self.rng.chance(40) {
            None
        } else {
            let name = self.rng.pick(&self.shape.actions).clone();
            Some(self.builder.action(&name))
        };
        let node = if self.rng.chance(50) { Node::Box(action, a) } else { Node::Diamond(action, a) };
        self.builder.add(node)
    }

    fn fixpoint(&mut self, size: usize) -> NodeId {
        let name = ["X", "Y", "Z"][self.scope.len().min(2)];
        let var = self.builder.fresh_variable(name);
        self.scope.push(Bound { var, positive: self.positive, below_modality: false });
        let a = self.modal(size - 1, true);
        self.scope.pop();
        let node = if self.rng.chance(50) { Node::Mu(var, a) } else { Node::Nu(var, a) };
        self.builder.add(node)
    }

    /// CTL: every temporal operator directly below a path quantifier.
    fn state(&mut self, size: usize) -> NodeId {
        if size == 0 {
            return self.leaf();
        }
        if self.rng.chance(40) {
            return self.connective(size, Self::state);
        }
        let temporal = self.temporal(size, Self::state, 6);
        self.quantified(temporal)
    }

    fn quantified(&mut self, path: NodeId) -> NodeId {
        let node = if self.rng.chance(50) { Node::All(path) } else { Node::Exists(path) };
        self.builder.add(node)
    }

    /// ATL: every temporal operator directly below a coalition of `P`, `Q` and `system`.
    fn state_atl(&mut self, size: usize) -> NodeId {
        self.strategic(size, false)
    }

    fn state_atl_star(&mut self, size: usize) -> NodeId {
        self.strategic(size, true)
    }

    /// A state formula of ATL, or with `star` of ATL*.
    fn strategic(&mut self, size: usize, star: bool) -> NodeId {
        let state = if star { Self::state_atl_star } else { Self::state_atl };
        if size == 0 {
            return self.leaf();
        }
        if self.rng.chance(30) {
            return self.connective(size, state);
        }
        let path = if star && self.rng.chance(60) { self.path(size - 1, false) } else { self.temporal(size, state, 7) };
        let coalition = self.coalition();
        let id = self.builder.coalition(coalition);
        self.builder.add(Node::Coalition(id, path))
    }

    fn coalition(&mut self) -> Coalition {
        let cannot_avoid = self.rng.chance(40);
        if self.rng.chance(10) {
            return Coalition::all(cannot_avoid);
        }
        let chosen = ["P", "Q", "system"].into_iter().filter(|_| self.rng.chance(40));
        Coalition::new(chosen.map(str::to_owned).collect(), cannot_avoid)
    }

    /// One of the first `kinds` temporal operators; `M` is the last one and not part of CTL.
    fn temporal(&mut self, size: usize, sub: fn(&mut Self, usize) -> NodeId, kinds: usize) -> NodeId {
        let kind = self.rng.below(kinds);
        if kind < 3 {
            let a = sub(self, size - 1);
            return self.builder.add([Node::Next(a), Node::Finally(a), Node::Globally(a)][kind]);
        }
        let left = self.rng.below(size);
        let (a, b) = (sub(self, left), sub(self, size - 1 - left));
        let binary = [Node::Until(a, b), Node::Release(a, b), Node::WeakUntil(a, b), Node::StrongRelease(a, b)];
        self.builder.add(binary[kind - 3])
    }

    /// A state formula of CTL*.
    fn state_star(&mut self, size: usize) -> NodeId {
        if size == 0 {
            return self.leaf();
        }
        if self.rng.chance(40) {
            return self.connective(size, Self::state_star);
        }
        let path = self.path_star(size - 1);
        self.quantified(path)
    }

    fn path_star(&mut self, size: usize) -> NodeId {
        self.path(size, true)
    }

    fn path_linear(&mut self, size: usize) -> NodeId {
        self.path(size, false)
    }

    /// A path formula: of LTL, or with `star` one that may contain path quantifiers.
    fn path(&mut self, size: usize, star: bool) -> NodeId {
        if size == 0 {
            return self.leaf();
        }
        let sub = if star { Self::path_star } else { Self::path_linear };
        match self.rng.below(10) {
            0..=3 => self.connective(size, sub),
            4 if star => self.state_star(size),
            _ => self.temporal(size, sub, 7),
        }
    }
}
