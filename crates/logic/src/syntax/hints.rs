//! What is said about a mistake in a formula, and how to repair it?
//!
//! One function per kind of mistake, so that wording and codes stand in one place.

use tertium_base::{Diagnostic, Span};

use super::token::{Quantifier, Token, keyword};
use crate::formula::Logic;

/// How a token is named in messages.
fn shown(token: &Token<'_>) -> String {
    let text = match token {
        Token::End => return "the end of the formula".to_owned(),
        Token::Word(word) | Token::Number(word) | Token::Foreign(word) => word,
        Token::Quoted(_) => return "a quoted atom".to_owned(),
        Token::Placeholder(_) => return "a placeholder".to_owned(),
        Token::Infix(_) => return "a connective".to_owned(),
        Token::Bounds(..) => return "the bounds of an operator".to_owned(),
        Token::Modal(..) => return "a modality".to_owned(),
        Token::Coalition(_) => return "a coalition".to_owned(),
        Token::Binder(_) => return "a fixpoint".to_owned(),
        Token::Path(_) | Token::Quantified(..) | Token::Quantifier(_) => return "a temporal operator".to_owned(),
        Token::Open => "(",
        Token::Close => ")",
        Token::SquareOpen => "[",
        Token::SquareClose => "]",
        Token::Not => "!",
        Token::True => "true",
        Token::False => "false",
        Token::Equals => "=",
        Token::Dot => ".",
    };
    let cut: String = text.chars().take(40).collect();
    format!("`{cut}`")
}

/// Bounds of an operator that are no bounds.
pub(super) fn wrong_bounds(lo: u32, hi: u32, span: Span) -> Diagnostic {
    Diagnostic::error("E0118", format!("from {lo} to {hi} is no stretch of positions"))
        .at(span, "these bounds")
        .help(format!("bounds are two numbers in order, at most {}: `F[0,5] p`", super::bounds::LONGEST_BOUND))
}

/// What an operand may begin with in this logic.
fn operand_starts(logic: Logic) -> &'static str {
    match logic {
        Logic::Pml => "an atom, `true`, `false`, `!`, `(`, `AX`, `EX`, `[…]` or `<…>`",
        Logic::Ctl => "an atom, `true`, `false`, `!`, `(`, `AX`, `EX`, `AF`, `EF`, `AG`, `EG`, `A[` or `E[`",
        Logic::Ltl => "an atom, `true`, `false`, `!`, `(`, `X`, `F`, `G`, `[]` or `<>`",
        Logic::CtlStar => "an atom, `true`, `false`, `!`, `(`, `A`, `E`, `X`, `F` or `G`",
        Logic::Atl | Logic::AtlStar => {
            "an atom, `true`, `false`, `!`, `(`, `<<…>>`, `[[…]]`, `A`, `E`, `X`, `F` or `G`"
        }
        Logic::Mu => "an atom, a variable, `true`, `false`, `!`, `(`, `mu`, `nu`, `AX`, `EX`, `[…]` or `<…>`",
    }
}

fn connectives(logic: Logic) -> &'static str {
    match logic {
        Logic::Ltl | Logic::CtlStar | Logic::Atl | Logic::AtlStar => {
            "`&`, `|`, `xor`, `->`, `<->`, `U`, `R`, `W`, `M` or the end"
        }
        _ => "`&`, `|`, `xor`, `->`, `<->` or the end",
    }
}

/// Whether a word that is a name in this logic is an operator of another one.
pub(super) fn is_foreign_operator(logic: Logic, word: &str) -> bool {
    foreign_advice(logic, word).is_some()
}

/// What to write instead of another logic's operator.
fn foreign_advice(logic: Logic, word: &str) -> Option<String> {
    if keyword(logic, word).is_some() {
        return None;
    }
    let home = |candidates: &[Logic]| {
        let names: Vec<_> = candidates.iter().map(|logic| format!("`--logic {}`", logic.name())).collect();
        names.join(" or ")
    };
    let linear = home(&[Logic::Ltl, Logic::CtlStar]);
    let branching = home(&[Logic::Ctl, Logic::CtlStar]);
    Some(match word {
        "X" | "F" | "G" if logic == Logic::Ctl => {
            format!("`{word}` is an operator of ltl: write `A{word}` or `E{word}`, or use {linear}")
        }
        "X" | "F" | "G" => format!("`{word}` is an operator of ltl: use {linear}"),
        "U" | "R" | "V" | "W" | "M" => {
            format!("`{word}` is a temporal operator: use `--logic ltl`, `--logic ctl` or `--logic ctl*`")
        }
        "A" | "E" | "AX" | "EX" | "AF" | "EF" | "AG" | "EG" => {
            format!("`{word}` is an operator of ctl: use {branching}")
        }
        "mu" | "nu" => format!("`{word}` is a fixpoint of the mu-calculus: use {}", home(&[Logic::Mu])),
        _ => return None,
    })
}

pub(super) fn missing_operand(token: &Token<'_>, span: Span, logic: Logic) -> Diagnostic {
    let diagnostic = Diagnostic::error("E0102", format!("a formula is missing before {}", shown(token)))
        .at(span, format!("expected {}", operand_starts(logic)));
    match token {
        Token::Number(number) => diagnostic
            .note(format!("`{number}` is a number, not a formula"))
            .help("write `true` or `false`, compare as in `x = 3`, or quote an expression: `\"x > 3\"`"),
        Token::Foreign("[]" | "<>") => diagnostic
            .help("in ctl write `AG`, `AF`, `EG` or `EF`; `[]` and `<>` belong to `--logic ltl`, `pml` and `mu`"),
        Token::Foreign(_) | Token::SquareOpen => diagnostic
            .note("`<<P>>` and `[[P]]`, which speak of players, belong to atl and atl*")
            .note("modalities with actions belong to pml and the mu-calculus")
            .help("use `--logic mu` for `<act> p` and `[act] p`, or quote a comparison: `\"x < 3\"`"),
        Token::Infix(_) => diagnostic.help("a connective needs a formula on both sides"),
        _ => diagnostic,
    }
}

pub(super) fn missing_connective(before: Option<&str>, token: &Token<'_>, span: Span, logic: Logic) -> Diagnostic {
    let diagnostic = Diagnostic::error("E0103", format!("a connective is missing before {}", shown(token)))
        .at(span, format!("expected {}", connectives(logic)));
    let word = match token {
        Token::Word(word) => Some(*word),
        _ => None,
    };
    if let Some(advice) = before.into_iter().chain(word).find_map(|word| foreign_advice(logic, word)) {
        return diagnostic.help(advice);
    }
    match token {
        Token::Equals | Token::Foreign(_) | Token::Number(_) => {
            diagnostic.help("only `name = value` may stand unquoted; quote other comparisons: `\"x < 3\"`")
        }
        Token::Dot => {
            diagnostic.help("a dot stands inside a name, as in `P.x`, or after the variable of `mu` and `nu`")
        }
        _ => diagnostic.help("two formulas side by side: write `&` or `|` between them"),
    }
}

pub(super) fn quantifier_without_bracket(quantifier: Quantifier, span: Span) -> Diagnostic {
    let letter = if quantifier == Quantifier::All { 'A' } else { 'E' };
    Diagnostic::error("E0106", format!("in ctl `{letter}` needs a bracket with `U`, `R`, `W` or `M` in it"))
        .at(span, "expected `[` after this")
        .help(format!(
            "write `{letter}[p U q]`, or `{letter}X`, `{letter}F`, `{letter}G` as one word, or use `--logic ctl*`"
        ))
}

pub(super) fn quantifier_without_until(span: Span) -> Diagnostic {
    Diagnostic::error("E0106", "in ctl this bracket needs `U`, `R`, `W` or `M` between two formulas")
        .at(span, "no temporal operator directly inside")
        .help("write `A[p U q]`; for other path formulas use `--logic ctl*`")
}

pub(super) fn temporal_outside_quantifier(span: Span) -> Diagnostic {
    Diagnostic::error("E0106", "in ctl this operator needs a path quantifier of its own")
        .at(span, "only directly inside `A[…]` or `E[…]`, and once")
        .help("write `A[p U q]` or `E[p U q]`, or use `--logic ltl` or `--logic ctl*`")
}

pub(super) fn binder_without_variable(span: Span) -> Diagnostic {
    Diagnostic::error("E0107", "a fixpoint needs a variable")
        .at(span, "expected a name")
        .help("write `mu X. p | <> X` or `nu X. p & [] X`")
}

pub(super) fn binder_without_dot(name: &str, span: Span) -> Diagnostic {
    let name: String = name.chars().take(40).collect();
    Diagnostic::error("E0107", format!("a dot is missing after the fixpoint variable `{name}`"))
        .at(span, "expected `.`")
        .help(format!("write `mu {name}. …`"))
}

pub(super) fn no_value(name: &str, span: Span) -> Diagnostic {
    let name: String = name.chars().take(40).collect();
    Diagnostic::error("E0108", format!("`{name} =` has no value"))
        .at(span, "expected a number or a name")
        .help("quote what is not of the form `name = value`: `\"x = y + 1\"`")
}

fn bracket_name(square: bool) -> (&'static str, &'static str) {
    if square { ("[", "]") } else { ("(", ")") }
}

pub(super) fn wrong_closer(opened: Span, square: bool, span: Span) -> Diagnostic {
    let (opener, closer) = bracket_name(square);
    Diagnostic::error("E0105", format!("`{opener}` is closed by the wrong bracket"))
        .at(span, format!("expected `{closer}`"))
        .also(opened, "opened here")
}

pub(super) fn unmatched_closer(square: bool, span: Span) -> Diagnostic {
    let (opener, closer) = bracket_name(square);
    Diagnostic::error("E0105", format!("`{closer}` closes nothing"))
        .at(span, "no open bracket before it")
        .help(format!("remove it or open a group with `{opener}`"))
}

pub(super) fn unclosed(opened: Span, square: bool, count: usize, end: Span) -> Diagnostic {
    let (opener, closer) = bracket_name(square);
    let diagnostic = Diagnostic::error("E0104", format!("`{opener}` is not closed"))
        .at(opened, "opened here")
        .also(end, format!("expected `{closer}`"));
    if count > 1 { diagnostic.note(format!("{count} brackets are open at the end")) } else { diagnostic }
}
