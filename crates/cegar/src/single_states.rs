//! Is the value of a formula a matter of single states?
//!
//! `G p` and `AG p` are true if every state that is reached satisfies `p`, `EF p` is false if none does. Then a set of states that contains everything that is
//! reached is all that an answer rests on. The independent checker decides this for itself.

use tertium_lattice::Belnap;
use tertium_logic::{Formula, Logic, Node, NodeId};

/// The condition on single states, and the value that it must have in all of them, for a formula to have a value; none if the formula says more.
#[must_use]
pub fn condition_of_every_state(formula: &Formula, value: Belnap) -> Option<(NodeId, bool)> {
    let (mut root, mut wanted) = (formula.root(), value == Belnap::True);
    // A linear formula is false because of one run, an unknown one for no reason of this kind.
    let branching = formula.logic() == Logic::Ctl;
    if !(value == Belnap::True || (value == Belnap::False && branching)) {
        return None;
    }
    while let Node::Not(inner) = formula.node(root) {
        (root, wanted) = (inner, !wanted);
    }
    // On all paths always, or on no path ever.
    let path = match (formula.logic(), formula.node(root), wanted) {
        (Logic::Ltl, ..) => root,
        (Logic::Ctl, Node::All(path), true) | (Logic::Ctl, Node::Exists(path), false) => path,
        _ => return None,
    };
    let condition = match (formula.node(path), wanted) {
        (Node::Globally(condition), true) | (Node::Finally(condition), false) => condition,
        _ => return None,
    };
    formula.is_propositional(condition).then_some((condition, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_logic::{ParseOptions, parse};

    fn told(logic: Logic, text: &str, value: Belnap) -> Option<(String, bool)> {
        let formula = parse(text, &ParseOptions::in_logic(logic)).formula.expect("a formula");
        let (root, holds) = condition_of_every_state(&formula, value)?;
        Some((formula.to_builder().finish(root, Logic::Pml).text(), holds))
    }

    #[test]
    fn what_holds_always_or_never_is_a_matter_of_single_states() {
        let found = |text: &str, holds: bool| Some((text.to_owned(), holds));
        assert_eq!(told(Logic::Ctl, "AG (p | q)", Belnap::True), found("p | q", true));
        assert_eq!(told(Logic::Ctl, "EF p", Belnap::False), found("p", false));
        assert_eq!(told(Logic::Ctl, "!EF p", Belnap::True), found("p", false));
        assert_eq!(told(Logic::Ctl, "!AG !p", Belnap::False), found("!p", true));
        assert_eq!(told(Logic::Ltl, "G p", Belnap::True), found("p", true));
        assert_eq!(told(Logic::Ltl, "!F p", Belnap::True), found("p", false));
    }

    #[test]
    fn whatever_says_more_is_not() {
        for text in ["AG EF p", "EG p", "AF p", "AX p", "AG p & AG q", "AG (p -> AX q)"] {
            assert_eq!(told(Logic::Ctl, text, Belnap::True), None, "{text}");
        }
        for text in ["AG p", "EG p", "AF p", "EF AX p"] {
            assert_eq!(told(Logic::Ctl, text, Belnap::False), None, "{text}");
        }
        for text in ["F p", "G F p", "G (p -> X q)", "p"] {
            assert_eq!(told(Logic::Ltl, text, Belnap::True), None, "{text}");
        }
        assert_eq!(told(Logic::Ltl, "G p", Belnap::False), None);
        assert_eq!(told(Logic::Ltl, "F p", Belnap::False), None);
        assert_eq!(told(Logic::Ctl, "AG p", Belnap::Unknown), None);
    }
}
