//! What can be asked of a model?

use serde::Serialize;

use crate::style::{Role, Style, safe};
use crate::view::{Input, Tool};

/// Everything that `check --list` has to say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListReport {
    /// [`crate::view::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Who says it.
    pub tool: Tool,
    /// Of what.
    pub input: Input,
    /// The properties, in the order in which they would be decided.
    pub properties: Vec<PropertyView>,
}

/// A property before it is decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PropertyView {
    /// Its name.
    pub name: String,
    /// Its formula, or in words what every program is asked.
    pub formula: String,
    /// The logic's name; `safety` for what every program is asked.
    pub logic: String,
}

impl ListReport {
    /// For people: a line for each property.
    #[must_use]
    pub fn text(&self, style: Style) -> String {
        let line = |property: &PropertyView| {
            let logic = style.paint(Role::Faint, &format!("({})", property.logic));
            format!("  {}: {}  {logic}\n", style.paint(Role::Strong, &safe(&property.name)), safe(&property.formula))
        };
        let lines: String = self.properties.iter().map(line).collect();
        format!(
            "{}\n\n{}",
            safe(&self.input.file),
            if lines.is_empty() { "  no properties\n".to_owned() } else { lines }
        )
    }
}
