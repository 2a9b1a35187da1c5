//! What did a check of several models find out?
//!
//! The documents about the models one by one, in the format that was asked for, become one; a summary counts values over all of them.

use serde::Serialize;
use serde_json::Value;

use crate::ordered::Ordered;
use crate::style::{Role, Style, role_of, safe};
use crate::view::{ResultView, SCHEMA_VERSION, Tool};

/// How many properties have which value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// How many there are.
    pub properties: usize,
    /// How many have each value, and how many were stopped.
    pub values: Ordered<usize>,
}

/// The word under which runs that ended early are counted.
const STOPPED: &str = "stopped";

impl Tally {
    /// Counts results.
    #[must_use]
    pub fn of(results: &[ResultView]) -> Self {
        let mut tally = Self::default();
        for word in ["true", "false", "unknown", "both"] {
            tally.values.0.push((word.to_owned(), 0));
        }
        for view in results {
            tally.add(if view.stopped.is_some() { STOPPED } else { view.value.word() }, 1);
        }
        tally.properties = results.len();
        tally.values.0.retain(|(_, number)| *number > 0);
        tally
    }

    fn add(&mut self, word: &str, number: usize) {
        match self.values.0.iter_mut().find(|(known, _)| known == word) {
            Some((_, count)) => *count += number,
            None => self.values.0.push((word.to_owned(), number)),
        }
    }
}

/// What became of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelOutcome {
    /// The file, as the user wrote it or as its folder has it.
    pub file: String,
    /// The exit code that it alone would have.
    pub exit_code: u8,
    /// What it has to say.
    pub tally: Tally,
    /// The document about it, where one was asked for.
    pub document: String,
}

/// The summary over all models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SummaryView {
    /// How many models were asked about.
    pub models: usize,
    /// How many of them have no result: they cannot be read, for example.
    pub refused: usize,
    /// How many the run did not come to.
    pub not_begun: usize,
    /// How many properties have which value.
    #[serde(flatten)]
    pub tally: Tally,
    /// What the command exits with.
    pub exit_code: u8,
}

/// What became of several models.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeveralReport {
    /// Those that were looked at, in order.
    pub outcomes: Vec<ModelOutcome>,
    /// Those that the run did not come to.
    pub not_begun: Vec<String>,
}

impl SeveralReport {
    /// Counts over all models.
    #[must_use]
    pub fn summary(&self, exit_code: u8) -> SummaryView {
        let mut tally = Tally::of(&[]);
        for word in ["true", "false", "unknown", "both"] {
            tally.values.0.push((word.to_owned(), 0));
        }
        for outcome in &self.outcomes {
            tally.properties += outcome.tally.properties;
            outcome.tally.values.0.iter().for_each(|(word, number)| tally.add(word, *number));
        }
        tally.values.0.retain(|(_, number)| *number > 0);
        let refused = self.outcomes.iter().filter(|outcome| is_refused(outcome)).count();
        let models = self.outcomes.len() + self.not_begun.len();
        SummaryView { models, refused, not_begun: self.not_begun.len(), tally, exit_code }
    }

    /// One JSON document: a summary, and the documents about the models as they are for one.
    #[must_use]
    pub fn json(&self, tool: &Tool, exit_code: u8) -> String {
        #[derive(Serialize)]
        struct Head<'a> {
            schema_version: u32,
            tool: &'a Tool,
            summary: SummaryView,
        }
        let head = Head { schema_version: SCHEMA_VERSION, tool, summary: self.summary(exit_code) };
        let head = crate::json::document(&head);
        let reports: Vec<String> = self.outcomes.iter().map(|outcome| indented(&outcome.document)).collect();
        let opened = head.trim_end().trim_end_matches('}').trim_end();
        format!("{opened},\n  \"reports\": [\n{}\n  ]\n}}\n", reports.join(",\n"))
    }

    /// The last of newline-delimited lines.
    #[must_use]
    pub fn line(&self, exit_code: u8) -> String {
        #[derive(Serialize)]
        struct Total {
            r#type: &'static str,
            #[serde(flatten)]
            summary: SummaryView,
        }
        crate::json::line(&Total { r#type: "total", summary: self.summary(exit_code) })
    }

    /// One SARIF document with a run for each model.
    #[must_use]
    pub fn sarif(&self) -> String {
        let parsed = self.outcomes.iter().filter_map(|outcome| serde_json::from_str::<Value>(&outcome.document).ok());
        let mut runs = Vec::new();
        let mut document = serde_json::json!({"version": "2.1.0"});
        for mut one in parsed {
            runs.append(one["runs"].as_array_mut().unwrap_or(&mut Vec::new()));
            document = one;
        }
        document["runs"] = Value::Array(runs);
        crate::json::document(&document)
    }

    /// One JUnit document with a suite for each model.
    #[must_use]
    pub fn junit(&self) -> String {
        let suites = self.outcomes.iter().map(|outcome| {
            let lines = outcome.document.lines().filter(|line| {
                !["<?xml", "<testsuites", "</testsuites"].iter().any(|frame| line.trim_start().starts_with(frame))
            });
            lines.map(|line| format!("{line}\n")).collect::<String>()
        });
        let suites: String = suites.collect();
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tertium\">\n{suites}</testsuites>\n")
    }

    /// For people: the counts, and every model that is not all true.
    #[must_use]
    pub fn text(&self, exit_code: u8, style: Style) -> String {
        let summary = self.summary(exit_code);
        let parts: Vec<String> = (summary.tally.values.0.iter())
            .map(|(word, number)| style.paint(role_of(word), &format!("{number} {}", safe(word))))
            .collect();
        let counted =
            |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
        let mut text = format!(
            "\n{}, {}: {}\n",
            counted(summary.models, "model", "models"),
            counted(summary.tally.properties, "property", "properties"),
            if parts.is_empty() { "nothing was decided".to_owned() } else { parts.join(", ") }
        );
        for outcome in self.outcomes.iter().filter(|outcome| outcome.exit_code != 0) {
            let (role, word) = match outcome.exit_code {
                10 => (Role::Bad, "false"),
                5 => (Role::Open, "unknown"),
                2 => (Role::Bad, "refused"),
                130 => (Role::Open, "stopped"),
                _ => (Role::Bad, "fault"),
            };
            text.push_str(&format!("  {}  {}\n", style.paint(role, &format!("{word:7}")), safe(&outcome.file)));
        }
        for file in &self.not_begun {
            text.push_str(&format!("  {}  {}\n", style.paint(Role::Open, "not yet"), safe(file)));
        }
        text
    }
}

/// Whether a model has no result.
fn is_refused(outcome: &ModelOutcome) -> bool {
    !matches!(outcome.exit_code, 0 | 5 | 10 | 130)
}

/// A document as an element of a list in another one.
fn indented(document: &str) -> String {
    document.trim_end().lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(file: &str, exit_code: u8, words: &[&str], document: &str) -> ModelOutcome {
        let mut tally = Tally::default();
        words.iter().for_each(|word| tally.add(word, 1));
        tally.properties = words.len();
        ModelOutcome { file: file.to_owned(), exit_code, tally, document: document.to_owned() }
    }

    #[test]
    fn documents_about_models_become_one() {
        let one = "{\n  \"results\": [\n    1\n  ]\n}\n";
        let report = SeveralReport {
            outcomes: vec![outcome("a.gcl", 10, &["true", "false"], one), outcome("b.gcl", 2, &[], one)],
            not_begun: vec!["c.gcl".to_owned()],
        };
        let json: Value = serde_json::from_str(&report.json(&Tool::tertium("0"), 2)).unwrap();
        assert_eq!(json["reports"].as_array().map(Vec::len), Some(2));
        let summary = &json["summary"];
        assert_eq!((&summary["models"], &summary["refused"]), (&Value::from(3), &Value::from(1)));
        assert_eq!((&summary["values"]["true"], &summary["exit_code"]), (&Value::from(1), &Value::from(2)));
        let text = report.text(2, Style::default());
        assert!(text.contains("3 models, 2 properties: 1 true, 1 false"), "{text}");
        assert!(text.contains("refused  b.gcl") && text.contains("not yet  c.gcl"), "{text}");
        let line: Value = serde_json::from_str(&report.line(2)).unwrap();
        assert_eq!(line["type"], "total");
        // Nothing at all is a document, too.
        let none: Value = serde_json::from_str(&SeveralReport::default().json(&Tool::tertium("0"), 0)).unwrap();
        assert_eq!(none["reports"], serde_json::json!([]));
    }

    #[test]
    fn suites_and_runs_are_put_side_by_side() {
        let suite = |name: &str| {
            format!(
                "<?xml version=\"1.0\"?>\n<testsuites name=\"tertium\">\n  <testsuite name=\"{name}\">\n  </testsuite>\n</testsuites>\n"
            )
        };
        let report = SeveralReport {
            outcomes: vec![outcome("a", 0, &[], &suite("a")), outcome("b", 0, &[], &suite("b"))],
            not_begun: Vec::new(),
        };
        let text = report.junit();
        assert_eq!((text.matches("<testsuites").count(), text.matches("<testsuite ").count()), (1, 2), "{text}");
        let run = |name: &str| format!("{{\"version\": \"2.1.0\", \"runs\": [\"{name}\"]}}");
        let report = SeveralReport {
            outcomes: vec![outcome("a", 0, &[], &run("a")), outcome("b", 0, &[], &run("b"))],
            not_begun: Vec::new(),
        };
        let sarif: Value = serde_json::from_str(&report.sarif()).unwrap();
        assert_eq!(sarif["runs"], serde_json::json!(["a", "b"]));
    }
}
