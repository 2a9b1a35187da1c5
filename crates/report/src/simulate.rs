//! A run that was led, in words.

use serde::Serialize;

use crate::style::safe;
use crate::view::{Input, Ordered, RunView, Tool};

/// What a stored run shows of a property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownView {
    /// The name of the property.
    pub property: String,
    /// The formula, as the model has it.
    pub formula: String,
    /// The value that the run is said to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<bool>,
    /// The value that it shows; none if it shows nothing, or if that cannot be told.
    pub value: Option<bool>,
    /// Why it shows nothing of what it is said to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The formula that it was stored for, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_for: Option<String>,
    /// Whether only runs count on which the scheduler is fair to every process.
    pub fair: bool,
}

impl ShownView {
    /// Whether it shows what it is said to show, or anything if nothing is said.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.value.is_some() && (self.claimed.is_none() || self.claimed == self.value)
    }

    /// In one or two lines.
    #[must_use]
    pub fn text(&self) -> String {
        let formula = safe(&self.formula);
        let fair = if self.fair { ", where only fair runs count" } else { "" };
        let word = |value: Option<bool>| match value {
            Some(value) => format!("`{}` is {value}", safe(&self.property)),
            None => format!("anything of `{}`", safe(&self.property)),
        };
        let mut text = match (&self.reason, self.value) {
            (None, value) if self.holds() => format!("shows that {}: {}{fair}\n", word(value), formula),
            (reason, _) => {
                let that = if self.claimed.is_some() { "that " } else { "" };
                let reason = reason.as_deref().unwrap_or("it shows the opposite");
                format!("does not show {that}{}: {}{fair}\n  because {reason}\n", word(self.claimed), formula)
            }
        };
        if let Some(other) = &self.stored_for {
            text.push_str(&format!("  note: it was stored for another formula: {}\n", safe(other)));
        }
        text
    }
}

/// Everything that one `simulate` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SimulateReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// Of what.
    pub input: Input,
    /// Where chance began; none for a stored run.
    pub seed: Option<u64>,
    /// For a stored run, how it was followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<String>,
    /// `fault`, `deadlock`, `finished`, or none if it could go on.
    pub ending: Option<&'static str>,
    /// For a stored run, what it shows of the property that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shows: Option<ShownView>,
    /// The run.
    pub run: RunView,
    /// Watched expressions with their last values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watched: Option<Ordered<String>>,
}
