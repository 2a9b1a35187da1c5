//! What shows that one player of a game wins it, or that the others do?
//!
//! The answer of `synthesise` as a question about players: `<<PLAYER>> (objective)` is true if the player wins and false if the others do. It is decided once more as such, with a certificate that `certify` accepts.

use tertium_base::{Budget, Diagnostic};
use tertium_driver::check::{CheckOptions, Session};
use tertium_driver::program::Extras;
use tertium_driver::program::proof::{Written, certificate_of};
use tertium_driver::program::questions::{PropertyQuery, questions};
use tertium_driver::strategy::{self, Approach, ProgramQuery, Wishes};
use tertium_driver::{Belnap, Failure, Formula, Logic, ModelSource, Node};

use crate::command::args::SynthesiseArgs;

/// A certificate, and the question that it answers.
pub struct StrategyCertificate {
    /// The text of the file.
    pub text: String,
    /// The formula, as `-p` takes it.
    pub question: String,
}

fn none(why: &str) -> Failure {
    Diagnostic::error("E0392", format!("there is no certificate of this strategy: {why}"))
        .help("leave out `--certificate`; the closed loop that `-o` writes has proofs of its own: `tertium check LOOP --evidence DIR`")
        .into()
}

/// The player as formulas name it.
fn coalition(player: &str) -> String {
    let plain = player.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
    if plain && player != "all" { format!("<<{player}>>") } else { format!("<<\"{player}\">>") }
}

/// The certificate for a structure.
///
/// # Errors
/// If there is none, a limit is reached, or two parts of this program disagree.
pub fn of_structure(
    args: &SynthesiseArgs,
    source: &ModelSource,
    (objective, wins): (&Formula, bool),
    budget: &Budget,
) -> Result<StrategyCertificate, Failure> {
    let loaded = source.structure(budget)?;
    let question = format!("{} ({})", coalition(&args.player), objective.text());
    let options = CheckOptions { logic: Some(Logic::AtlStar), always_recheck: true, ..CheckOptions::default() };
    let session = Session::new(&loaded, options, budget)?;
    let asked = session.properties(std::slice::from_ref(&question), &[])?;
    let answer = session.check(&asked[0], budget, &())?;
    agree(answer.verdict.value(), wins, &question)?;
    if answer.certificates.is_empty() {
        return Err(none("its automaton is too large"));
    }
    Ok(StrategyCertificate { text: session.certificate_text(&answer)?, question })
}

/// The certificate for a program.
///
/// # Errors
/// If there is none, a limit is reached, or two parts of this program disagree.
pub fn of_program(
    args: &SynthesiseArgs,
    source: &ModelSource,
    (asked, wins): (&[&PropertyQuery], bool),
    budget: &Budget,
) -> Result<StrategyCertificate, Failure> {
    if asked.iter().any(|query| query.formula.nodes().iter().any(|node| matches!(node, Node::Next(_)))) {
        return Err(none(
            "`X` counts steps of the program in an objective, and moves of players in a formula about them",
        ));
    }
    let all: Vec<String> = asked.iter().map(|query| format!("({})", query.source)).collect();
    let question = format!("{} ({})", coalition(&args.player), all.join(" && "));
    let given = [format!("strategy: {question}")];
    let file = source.program(&given, Some(Logic::AtlStar), &args.text.defines, &Extras::default())?;
    let questions = questions(&file, &["strategy".to_owned()], false)?;
    let wishes = Wishes { approach: Approach::NoAbstraction, ..Wishes::default() };
    let query = ProgramQuery { file: &file, questions: &questions, wishes: &wishes };
    let outcome = strategy::decide(&query, budget, &())?;
    let answer = &outcome.answers[0];
    if let Some(limit) = answer.stopped() {
        return Err(tertium_base::Stopped(limit).into());
    }
    agree(answer.value(), wins, &question)?;
    match certificate_of(&file, &questions[0], answer, &wishes.options, budget)? {
        Written::Certificate(text) | Written::WithObligations { text, .. } => {
            Ok(StrategyCertificate { text, question })
        }
        Written::None(why) => Err(none(&why)),
    }
}

fn agree(value: Belnap, wins: bool, question: &str) -> Result<(), Failure> {
    match value == Belnap::from(wins) {
        true => Ok(()),
        false => Err(Failure::Internal(format!("a strategy was found, and {question} is {value}"))),
    }
}
