//! The formulas that are asked of all small structures.

use tertium_logic::{Formula, Logic, ParseOptions, parse};

pub(super) const FORMULAS: [(Logic, &[&str]); 5] = [
    (
        Logic::Ltl,
        &[
            "G p",
            "F p",
            "G F p",
            "F G p",
            "X p",
            "p U !p",
            "G (p -> X !p)",
            "G F p & G F !p",
            "G (p -> F !p)",
            "F G p | G F p",
            "G (p -> X p) | F (p & X !p)",
            "(G F p -> G F X p) & F !p",
            "F (p & X !p) | G p",
            "X X (p | X !p)",
            "p R X p",
            "false",
            "F (p & X p & X X !p)",
        ],
    ),
    (Logic::Pml, &["p | !p", "p & EX !p", "EX p & AX !p", "EX p & EX !p", "AX (p & EX p) & EX EX !p", "AX AX false"]),
    (
        Logic::Ctl,
        &[
            "AG p",
            "AF p",
            "EF !p",
            "EG p",
            "AG EF p",
            "EF AG p",
            "A[p U !p]",
            "E[p U AX p]",
            "AG (p -> AF !p)",
            "AG EF p & AG EF !p",
            "AG (p -> EX p)",
            "EG EX p & AF !p",
            "A[EX p R p]",
            "AF AG p & EF !p",
            "AG (p -> (EX !p & AF p))",
            "EF (p & EX (p & EX !p))",
        ],
    ),
    (
        Logic::Mu,
        &[
            "mu X. p | <> X",
            "nu X. p & [] X",
            "nu X. mu Y. (p & <> X) | <> Y",
            "mu X. nu Y. (p & [] Y) | [] X",
            "nu X. mu Y. (p & [] X) | (!p & [] Y)",
            "mu X. nu Y. (p | <> X) & <> Y",
            "mu X. X | p",
            "nu X. <> X",
            "mu X. nu Y. <> (p & Y) | <> (!p & X)",
            "(nu X. mu Y. [] ((p & X) | (!p & Y))) & <> true",
        ],
    ),
    (
        Logic::CtlStar,
        &[
            "E G F p",
            "A F G p",
            "E (G F p & G F !p)",
            "A (F p -> G p)",
            "E F (p & X !p) & A G F p",
            "A (p U !p) | E X p",
            "A G E F p",
            "E X (p & A X !p)",
        ],
    ),
];

pub(super) fn formula(logic: Logic, text: &str) -> Formula {
    let parsed = parse(text, &ParseOptions::in_logic(logic));
    parsed.formula.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics))
}
