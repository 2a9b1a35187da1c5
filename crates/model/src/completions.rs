//! Which classical structures decide a question about a partial one?
//!
//! The *pessimistic* and the *optimistic completion* (Bruns and Godefroid 1999), in a form that is right for formulas with both path quantifiers: a formula in positive
//! normal form holds in the pessimistic one iff its value is true (or has evidence for true), and fails in the optimistic one iff its value is false. An atom and its negation are two propositions, for
//! both hold, or neither, where a label is unknown. `EX` and `AX` follow different relations (certain and possible steps, or the other way round); a classical structure
//! has one, so where they differ every state has two copies, and a mark tells by which of the two a state was entered (`tertium_logic::relativise`).
//!
//! A structure over a lattice has one such run for each join-irreducible element: the pessimistic completion of its cut there.
//!
//! Not here: the translation of formulas (`structures`).

use tertium_lattice::Belnap;

use crate::builder::KmtsBuilder;
use crate::kmts::{Edge, Kmts, PropId, StateId};
use crate::translate::{TranslateError, fresh, refuse};

/// Which of the two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompletionSide {
    /// Only what is certain counts: decides where the value is true.
    Pessimistic,
    /// Whatever is possible counts: decides where the value is false.
    Optimistic,
}

/// A classical structure that decides one side of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassicalCompletion {
    /// The structure: complete.
    pub structure: Kmts,
    /// The proposition that is true where a state was entered by a step of `EX`; none if `EX` and `AX` follow the same steps.
    pub mark: Option<String>,
    /// For each proposition of the original the one that stands for its negation; none where it is `!p` everywhere.
    pub negations: Vec<Option<String>>,
}

impl CompletionSide {
    /// Whether a value counts as true.
    #[must_use]
    pub const fn holds(self, value: Belnap) -> bool {
        match self {
            Self::Pessimistic => value.for_true(),
            Self::Optimistic => value.not_refuted(),
        }
    }

    /// Whether the negation of a value counts as true.
    #[must_use]
    pub const fn fails(self, value: Belnap) -> bool {
        match self {
            Self::Pessimistic => value.for_false(),
            Self::Optimistic => !value.for_true(),
        }
    }

    /// Whether `EX` follows an edge, and whether `AX` does.
    const fn followed(self, edge: Edge) -> (bool, bool) {
        match self {
            Self::Pessimistic => (edge.must, edge.may),
            Self::Optimistic => (edge.may, edge.must),
        }
    }
}

/// One of the two completions.
///
/// # Errors
/// If there are hyper edges or fairness constraints, if `total` makes sets of open steps certain, or if the result would be too large.
pub fn classical_completion(kmts: &Kmts, side: CompletionSide) -> Result<ClassicalCompletion, TranslateError> {
    let decided = kmts.states().all(|state| kmts.edges_from(state).all(|edge| edge.may == edge.must));
    refuse(kmts, true, false, false)?;
    if !kmts.fairness().is_empty() {
        return Err(TranslateError::Unsupported("fairness constraints"));
    }
    if kmts.total() && !decided {
        return Err(TranslateError::Unsupported("the assertion `total`"));
    }
    let mut builder = KmtsBuilder::new();
    let copies: &[&str] = if decided { &[""] } else { &[".e", ".a"] };
    for state in kmts.states() {
        for copy in copies {
            builder.add_state(&format!("{}{copy}", kmts.state_name(state)));
        }
    }
    for name in kmts.actions() {
        builder.add_action(name);
    }
    let entered = |state: StateId, at: usize| StateId::new(state.index() * copies.len() + at);
    for state in kmts.states() {
        for at in 0..copies.len() {
            let from = entered(state, at);
            for edge in kmts.edges_from(state) {
                let (exists, all) = side.followed(edge);
                if exists {
                    builder.add_edge(from, entered(edge.target, 0), true, true, edge.action);
                }
                if all && !decided {
                    builder.add_edge(from, entered(edge.target, 1), true, true, edge.action);
                }
            }
        }
    }
    let negations = complete_labels(kmts, side, copies.len(), &mut builder);
    let mark = (!decided).then(|| fresh("by_ex", builder.props()));
    if let Some(name) = &mark {
        let prop = builder.add_prop(name);
        for state in kmts.states() {
            (0..copies.len()).for_each(|at| builder.set_label(entered(state, at), prop, Belnap::from(at == 0)));
        }
    }
    kmts.init().iter().for_each(|&state| builder.add_init(entered(state, 0)));
    Ok(ClassicalCompletion { structure: builder.finish()?, mark, negations })
}

/// Labels every copy, and returns the propositions that stand for negations.
fn complete_labels(kmts: &Kmts, side: CompletionSide, copies: usize, builder: &mut KmtsBuilder) -> Vec<Option<String>> {
    let mut taken = kmts.props().to_vec();
    let mut negations = Vec::new();
    for name in kmts.props() {
        builder.add_prop(name);
    }
    for prop in (0..kmts.props().len()).map(PropId::new) {
        let values: Vec<Belnap> = kmts.states().map(|state| kmts.label(state, prop)).collect();
        let mut label = |name: &str, holds: &dyn Fn(Belnap) -> bool| {
            let id = builder.add_prop(name);
            for (state, &value) in values.iter().enumerate() {
                let copies = (0..copies).map(|at| StateId::new(state * copies + at));
                copies.for_each(|copy| builder.set_label(copy, id, Belnap::from(holds(value))));
            }
        };
        label(&kmts.props()[prop.index()], &|value| side.holds(value));
        let open = values.iter().any(|&value| side.holds(value) == side.fails(value));
        negations.push(open.then(|| {
            let name = fresh(&format!("not_{}", kmts.props()[prop.index()]), &taken);
            label(&name, &|value| side.fails(value));
            taken.push(name.clone());
            name
        }));
    }
    negations
}
