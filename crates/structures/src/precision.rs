//! Is the compositional value already the strongest one?
//!
//! A quick test, sufficient and not necessary: no atom occurs both positively and negatively; and, where
//! steps may be open, all path quantifiers are universal or all are existential. Steps are an unknown
//! that universal quantifiers read negatively and existential ones positively.

use tertium_logic::Formula;
use tertium_logic::classify::{existential_only, mixed_atoms, universal_only};

/// What the quick test says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precision {
    /// The compositional value is the strongest on structures whose steps are all decided.
    pub with_decided_steps: bool,
    /// The same with open steps, without hyper edges.
    pub always: bool,
    /// What stands in the way.
    pub obstacle: Option<String>,
}

/// Applies the test.
#[must_use]
pub fn precision(formula: &Formula) -> Precision {
    let mixed = mixed_atoms(formula);
    let obstacle = match mixed.first() {
        Some(atom) => Some(format!("`{}` occurs both positively and negatively", formula.atoms()[atom.index()].text)),
        None if !universal_only(formula) && !existential_only(formula) => {
            Some("it quantifies over paths both universally and existentially".to_owned())
        }
        None => None,
    };
    Precision { with_decided_steps: mixed.is_empty(), always: obstacle.is_none(), obstacle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tertium_logic::{ParseOptions, parse};

    #[track_caller]
    fn check(text: &str, with_decided_steps: bool, always: bool) {
        let formula = parse(text, &ParseOptions::default()).formula.unwrap();
        let found = precision(&formula);
        assert_eq!((found.with_decided_steps, found.always), (with_decided_steps, always), "{text}");
    }

    #[test]
    fn unmixed_formulas_are_precise() {
        check("AG (p -> AF q)", true, true);
        check("p | !p", false, false);
        check("AX p & EX !q", true, false);
        check("!EF p", true, true);
        check("G F p", true, true);
        check("p <-> q", false, false);
    }
}
