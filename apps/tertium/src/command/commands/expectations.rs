//! Is an answer what the user expects, and what counts as a failure?

use tertium_base::Diagnostic;
use tertium_driver::{Failure, Located};
use tertium_report::view::{ResultView, Verdict};

use crate::command::args::FailOn;

/// The truth values of programs and of structures with may and must.
pub const BELNAP: [&str; 4] = ["true", "false", "unknown", "both"];

/// The values that the user expects.
#[derive(Debug)]
pub struct Expectations(Vec<(String, String)>);

impl Expectations {
    pub fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut pairs = Vec::new();
        for argument in arguments {
            let Some((name, value)) = argument.rsplit_once('=') else {
                return Err(Diagnostic::error("E0303", format!("`--expect {argument}` has no `=`"))
                    .help("write NAME=VALUE, for example `--expect safe=true`")
                    .into());
            };
            pairs.push((name.trim().to_owned(), long_word(value.trim()).to_owned()));
        }
        Ok(Self(pairs))
    }

    /// An expectation about nothing would pass for ever, and one of a value that there is not would never be met. `elements`: the truth values
    /// that the model has.
    pub fn fit<'a>(&self, names: impl Iterator<Item = &'a str> + Clone, elements: &[&str]) -> Result<(), Failure> {
        let mut mistakes = Vec::new();
        for (name, value) in &self.0 {
            if !elements.iter().any(|element| long_word(element) == value) {
                mistakes.push(Located::nowhere(no_value(name, value, elements)));
            }
            if names.clone().any(|known| known == name) {
                continue;
            }
            let known: Vec<&str> = names.clone().collect();
            let mut mistake = Diagnostic::error("E0304", format!("no property that is checked is named `{name}`"))
                .note(format!("checked are: {}", known.join(", ")));
            if let Some(close) = tertium_base::diagnostic::closest_name(name, known.iter().copied()) {
                mistake = mistake.help(format!("did you mean `{close}`?"));
            }
            mistakes.push(Located::nowhere(mistake));
        }
        if mistakes.is_empty() { Ok(()) } else { Err(Failure::Input(mistakes)) }
    }

    fn of(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn no_value(name: &str, value: &str, elements: &[&str]) -> Diagnostic {
    let known: Vec<&str> = elements.iter().map(|element| long_word(element)).collect();
    let mistake = Diagnostic::error("E0347", format!("`--expect {name}={value}`: `{value}` is not a value"));
    let mistake = mistake.note(format!("the values are: {}", known.join(", ")));
    match tertium_base::diagnostic::closest_name(value, known.iter().copied()) {
        Some(close) => mistake.help(format!("did you mean `{close}`?")),
        None => mistake,
    }
}

/// The letters that structures use are understood, too.
fn long_word(value: &str) -> &str {
    match value {
        "t" => "true",
        "f" => "false",
        "u" | "?" => "unknown",
        "b" => "both",
        other => other,
    }
}

/// How a result counts, given what the user expects.
pub fn judge(view: &mut ResultView, expectations: &Expectations, fail_on: &[FailOn], allow_empty: bool) {
    judge_value(view, expectations, fail_on);
    // A model in which nothing happens is a mistake more often than not.
    if view.empty && !allow_empty && view.verdict == Verdict::Success {
        view.verdict = Verdict::Open;
    }
}

fn judge_value(view: &mut ResultView, expectations: &Expectations, fail_on: &[FailOn]) {
    if let Some(expected) = expectations.of(&view.name) {
        let met = view.stopped.is_none() && (expected == view.value.word() || expected == long_word(view.value.word()));
        view.verdict = if met { Verdict::Success } else { Verdict::Failure };
        view.expected = Some(expected.to_owned());
        return;
    }
    if view.verdict == Verdict::Open && fail_on.contains(&FailOn::Unknown) {
        view.verdict = Verdict::Failure;
    }
    if fail_on.contains(&FailOn::Vacuous) {
        // Not having looked to the end is no reassurance.
        if view.verdict == Verdict::Success
            && view.warnings.iter().any(|warning| warning.code == tertium_driver::vacuity::NOT_KNOWN)
        {
            view.verdict = Verdict::Open;
        }
        if view.vacuous {
            view.verdict = Verdict::Failure;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_that_there_are_can_be_expected() {
        let fits = |text: &str, elements: &[&str]| {
            let expected = Expectations::parse(&[text.to_owned()]).unwrap_or_else(|failure| panic!("{failure}"));
            match expected.fit(["safe"].into_iter(), elements) {
                Ok(()) => "fits",
                Err(Failure::Input(messages)) => messages[0].diagnostic.code,
                Err(_) => "fails",
            }
        };
        for good in ["safe=true", "safe=f", "safe=?", "safe=unknown", "safe=b"] {
            assert_eq!(fits(good, &BELNAP), "fits", "{good}");
        }
        assert_eq!(fits("safe=maybe", &BELNAP), "E0347");
        assert_eq!(fits("safe=", &BELNAP), "E0347");
        assert_eq!(fits("save=true", &BELNAP), "E0304");
        // Values are those of the model's own lattice.
        assert_eq!(fits("safe=high", &["low", "high"]), "fits");
        assert_eq!(fits("safe=true", &["low", "high"]), "E0347");
        assert_eq!(fits("safe=true", &["t", "f"]), "fits");
    }
}
