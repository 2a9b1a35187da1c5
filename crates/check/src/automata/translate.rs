//! From a question to the automaton that the searches run.
//!
//! The translation is the formula library's; tests compare it with the plain tableau.

use tertium_base::narrow::to_u32;
use tertium_base::{Budget, StopReason, Stopped};
use tertium_logic::automata::{Tgba, Translation, TranslationError, ltl_to_tgba};

use super::automaton::{Automaton, Literal, Transition};
use super::question::Question;

/// An automaton that accepts the words that satisfy the question's formula.
///
/// # Errors
/// If the budget ends.
pub(crate) fn automaton(question: &Question<'_>, budget: &Budget) -> Result<Automaton, Stopped> {
    let translated = ltl_to_tgba(&question.formula, false, Translation::default(), budget);
    let mut automaton = match translated {
        Ok(tgba) => converted(&tgba),
        Err(TranslationError::Stopped(stopped)) => return Err(stopped),
        Err(TranslationError::NotLinear) => {
            debug_assert!(false, "questions are linear by construction");
            return Err(Stopped(StopReason::Count));
        }
    };
    automaton.hopeful_first();
    Ok(automaton)
}

/// The same automaton with literals as the searches know them; never without a state.
fn converted(tgba: &Tgba) -> Automaton {
    let literal = |literal: &tertium_logic::automata::Literal| Literal {
        atom: literal.atom().number(),
        positive: !literal.is_negative(),
    };
    let transition = |step: &tertium_logic::automata::Transition| {
        let mut cube: Vec<Literal> = step.guard.literals().iter().map(literal).collect();
        cube.sort_unstable();
        Transition { cube, target: to_u32(step.target), marks: step.marks.0 }
    };
    let mut transitions: Vec<Vec<Transition>> =
        tgba.states.iter().map(|steps| steps.iter().map(transition).collect()).collect();
    if transitions.is_empty() {
        transitions.push(Vec::new());
    }
    Automaton { initial: vec![to_u32(tgba.initial)], transitions, marks: to_u32(tgba.marks) }
}

#[cfg(test)]
mod tests {
    use tertium_logic::Logic;
    use tertium_testkit::{FormulaShape, for_random_cases};

    use super::super::determinise::tests::{accepts, random_word};
    use super::super::question::positive_normal_form;
    use super::super::tableau::plain_automaton;
    use super::*;

    #[test]
    fn accepts_what_the_plain_tableau_accepts() {
        for_random_cases(300, |case| {
            let formula = case.formula(&FormulaShape { size: 8, ..FormulaShape::new(Logic::Ltl) });
            let mut builder = formula.to_builder();
            let root = positive_normal_form(&mut builder, formula.root(), true);
            let formula = builder.finish(root, Logic::Ltl);
            let budget = Budget::unlimited();
            let plain = plain_automaton(&formula, &budget).expect("no limit");
            let found = automaton(&Question { formula, meanings: Vec::new() }, &budget).expect("no limit");
            for _ in 0..20 {
                let word = random_word(&mut case.rng);
                assert_eq!(accepts(&found, &word), accepts(&plain, &word), "{word:?}");
            }
        });
    }
}
