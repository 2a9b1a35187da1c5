//! The tools: what an assistant can ask for, and the command of this program that answers it.

use serde_json::{Value, json};
use tertium_driver::ModelLanguage;

use crate::command::commands::explain;

/// How long a call works if nobody says how long it may.
const SECONDS: u64 = 60;

/// More steps of a run are not shown.
const MOST_STEPS: u64 = 10_000;

/// What is to be run for a call.
#[derive(Debug)]
pub struct ToolCommand {
    /// The words after the program's name.
    pub arguments: Vec<String>,
    /// What it reads from standard input.
    pub text: String,
    /// What it writes.
    pub answer: Answer,
}

/// What a command writes.
#[derive(Debug)]
pub enum Answer {
    /// Lines of events, which together are a document.
    Events,
    /// One document.
    Document,
    /// A text, which is told under this key.
    Text(&'static str),
    /// Nothing: the result is known already.
    Known(Value),
}

/// Why there is nothing to run.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such tool.
    NoTool(String),
    /// Its arguments are not what it takes.
    Arguments(String),
}

/// The tools with the shapes of their arguments.
pub fn list() -> Value {
    json!([
        tool(
            "check",
            "Check properties",
            "Decides temporal properties of a model: each is true, false or unknown. False comes with a counterexample run, unknown with what keeps it open. \
             Without `properties` those of the model are decided; programs are asked for deadlocks, assertion violations and values out of range, too.",
            &with_model(&[
                (
                    "properties",
                    json!({"type": "array", "items": {"type": "string"}, "description": "formulas, each `FORMULA` or `NAME: FORMULA`; LTL, CTL, CTL*, PML or mu-calculus"})
                ),
                (
                    "only",
                    json!({"type": "array", "items": {"type": "string"}, "description": "names of the model's properties to decide, instead of all"})
                ),
                (
                    "logic",
                    json!({"type": "string", "enum": ["pml", "ctl", "ctl*", "ltl", "mu", "atl", "atl*"], "description": "the logic of `properties`, where the operators do not tell it"})
                ),
                ("fair", json!({"type": "boolean", "description": "Promela: processes are scheduled weakly fairly"})),
                (
                    "timeout_seconds",
                    json!({"type": "number", "minimum": 0, "description": "default 60; what is not decided by then is unknown"})
                ),
                ("memory_megabytes", json!({"type": "number", "minimum": 1})),
            ]),
            &[],
        ),
        tool(
            "explain",
            "Explain a verdict or a message",
            "With `property`: decides one property and tells in words why it has its value: the whole run, the reasons, what to try next. With `code`, such as E0343: what a message means and what to do.",
            &with_model(&[
                (
                    "property",
                    json!({"type": "string", "description": "the name of a property of the model, or a formula"})
                ),
                ("code", json!({"type": "string", "description": "the code of a message; then no model is needed"})),
                ("timeout_seconds", json!({"type": "number", "minimum": 0})),
            ]),
            &[],
        ),
        tool(
            "simulate",
            "Simulate a program",
            "Runs a program by chance and returns the run step by step: process, line, statement, values.",
            &with_model(&[
                ("steps", json!({"type": "integer", "minimum": 0, "maximum": MOST_STEPS, "description": "default 20"})),
                (
                    "seed",
                    json!({"type": "integer", "minimum": 0, "description": "the same seed takes the same steps; default 0"})
                ),
                (
                    "watch",
                    json!({"type": "array", "items": {"type": "string"}, "description": "expressions whose values are shown at the end"})
                ),
            ]),
            &[],
        ),
        tool(
            "format",
            "Lay out a program",
            "Lays out a program in guarded commands (gcl) and returns the text; changes no file.",
            &[
                ("model", json!({"type": "string", "description": "the text of the program"})),
                ("path", json!({"type": "string"}))
            ],
            &[],
        ),
        tool(
            "list_properties",
            "List properties",
            "Lists what can be asked of a model: its own properties and what every program is asked, with formulas and logics. Decides nothing.",
            &with_model(&[]),
            &[],
        ),
    ])
}

fn tool(name: &str, title: &str, description: &str, properties: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        properties.iter().map(|(key, shape)| ((*key).to_owned(), shape.clone())).collect();
    json!({
        "name": name,
        "title": title,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "required": required, "additionalProperties": false},
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    })
}

/// The arguments that name a model, and others.
fn with_model(others: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    let languages: Vec<&str> = ModelLanguage::ALL.iter().map(|language| language.name()).collect();
    let mut all = vec![
        (
            "model",
            json!({"type": "string", "description": "the text of the model; `language` says what it is written in"}),
        ),
        ("language", json!({"type": "string", "enum": languages})),
        ("path", json!({"type": "string", "description": "a file with the model, instead of its text"})),
        (
            "defines",
            json!({"type": "object", "additionalProperties": {"type": ["string", "number"]}, "description": "values of constants (gcl) or macros (Promela)"}),
        ),
    ];
    all.extend(others.iter().cloned());
    all
}

/// The command for a call.
///
/// # Errors
/// If there is no such tool, or it does not take these arguments.
pub fn command(params: &Value) -> Result<ToolCommand, Refused> {
    let name = params["name"].as_str().unwrap_or_default();
    let tools = list();
    let Some(tool) = tools.as_array().into_iter().flatten().find(|tool| tool["name"] == name) else {
        return Err(Refused::NoTool(format!("there is no tool `{name}`")));
    };
    let nothing = json!({});
    let given = Given(if params["arguments"].is_null() { &nothing } else { &params["arguments"] });
    given.fits(&tool["inputSchema"]).map_err(Refused::Arguments)?;
    match name {
        "check" => given.check(),
        "explain" => given.explain(),
        "simulate" => given.simulate(),
        "format" => given.format(),
        _ => given.properties(),
    }
    .map_err(Refused::Arguments)
}

/// The arguments of a call.
struct Given<'a>(&'a Value);

impl Given<'_> {
    /// Whether every argument is known and of its type; an argument that would be ignored is a mistake.
    fn fits(&self, schema: &Value) -> Result<(), String> {
        let Some(given) = self.0.as_object() else { return Err("the arguments are no object".to_owned()) };
        for (key, value) in given {
            let shape = &schema["properties"][key];
            let fits = match shape["type"].as_str() {
                None => return Err(format!("`{key}` is not an argument of this tool")),
                Some("string") => value.is_string(),
                Some("boolean") => value.is_boolean(),
                Some("integer") => {
                    value.as_u64().is_some_and(|number| number <= shape["maximum"].as_u64().unwrap_or(u64::MAX))
                }
                Some("number") => {
                    value.as_f64().is_some_and(|number| number >= shape["minimum"].as_f64().unwrap_or(0.0))
                }
                Some("array") => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
                Some(_) => value.is_object(),
            };
            let allowed = shape["enum"].as_array().is_none_or(|known| known.contains(value));
            if !fits || !allowed {
                return Err(format!("`{key}` is not as it should be: {shape}"));
            }
        }
        Ok(())
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0[key].as_str()
    }

    fn list(&self, key: &str) -> impl Iterator<Item = &str> {
        self.0[key].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// A command about the model that is given.
    fn about_model(&self, command: &[&str], answer: Answer) -> Result<ToolCommand, String> {
        let mut arguments: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
        let text = match (self.text("path"), self.text("model")) {
            (Some(_), Some(_)) => return Err("`model` and `path` are two ways to say the same; give one".to_owned()),
            (None, None) => return Err("give a model: its text as `model` with `language`, or a `path`".to_owned()),
            (Some(path), None) => {
                // A path that begins with a dash is no option.
                arguments.push(if path.starts_with('-') { format!("./{path}") } else { path.to_owned() });
                String::new()
            }
            (None, Some(text)) => {
                let reads_language = command[0] != "fmt";
                if reads_language && self.text("language").is_none() {
                    return Err("a `model` that is given as text needs its `language`".to_owned());
                }
                arguments.push("-".to_owned());
                text.to_owned()
            }
        };
        arguments.extend(self.text("language").map(|language| format!("--language={language}")));
        for (name, value) in self.0["defines"].as_object().into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            arguments.extend(["-D".to_owned(), format!("{name}={value}")]);
        }
        Ok(ToolCommand { arguments, text, answer })
    }

    fn timeout(&self) -> String {
        let seconds = self.0["timeout_seconds"].as_f64().unwrap_or(SECONDS as f64);
        format!("--timeout={seconds}s")
    }

    fn check(&self) -> Result<ToolCommand, String> {
        let mut command = self.about_model(&["check"], Answer::Events)?;
        command.arguments.extend(["--format=ndjson".to_owned(), self.timeout()]);
        command.arguments.extend(self.list("properties").map(|formula| format!("--property={formula}")));
        command.arguments.extend(self.list("only").map(|name| format!("--only={name}")));
        command.arguments.extend(self.text("logic").map(|logic| format!("--logic={logic}")));
        command.arguments.extend((self.0["fair"] == true).then(|| "--fair".to_owned()));
        let memory = self.0["memory_megabytes"].as_f64().map(|megabytes| format!("--memory={megabytes}M"));
        command.arguments.extend(memory);
        Ok(command)
    }

    fn explain(&self) -> Result<ToolCommand, String> {
        if let Some(code) = self.text("code") {
            let text = explain::entry(code).ok_or_else(|| format!("there is no message `{code}`"))?;
            let result = json!({
                "content": [{"type": "text", "text": text}],
                "structuredContent": {"code": code, "explanation": text},
                "isError": false,
            });
            return Ok(ToolCommand { arguments: Vec::new(), text: String::new(), answer: Answer::Known(result) });
        }
        let property = self.text("property").ok_or("give a `property` of the model, or the `code` of a message")?;
        let mut command = self.about_model(&["check"], Answer::Text("explanation"))?;
        let is_name = property.chars().all(|letter| letter.is_alphanumeric() || "_-.[]".contains(letter));
        let option = if is_name { "--only" } else { "--property" };
        command.arguments.extend([format!("{option}={property}"), "--verbose".to_owned(), self.timeout()]);
        Ok(command)
    }

    fn simulate(&self) -> Result<ToolCommand, String> {
        let mut command = self.about_model(&["simulate"], Answer::Document)?;
        let number = |key: &str, usual: u64| self.0[key].as_u64().unwrap_or(usual);
        command.arguments.extend([
            "--format=json".to_owned(),
            format!("--steps={}", number("steps", 20)),
            format!("--seed={}", number("seed", 0)),
            format!("--timeout={SECONDS}s"),
        ]);
        command.arguments.extend(self.list("watch").map(|expression| format!("--watch={expression}")));
        Ok(command)
    }

    fn format(&self) -> Result<ToolCommand, String> {
        self.about_model(&["fmt", "--stdout"], Answer::Text("text"))
    }

    fn properties(&self) -> Result<ToolCommand, String> {
        let mut command = self.about_model(&["check", "--list"], Answer::Document)?;
        command.arguments.push("--format=json".to_owned());
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, arguments: Value) -> Refused {
        command(&json!({"name": name, "arguments": arguments})).expect_err("it is refused")
    }

    #[test]
    fn arguments_that_would_be_ignored_are_refused() {
        assert!(matches!(refused("prove", json!({})), Refused::NoTool(_)));
        for arguments in [
            json!({}),
            json!([]),
            json!({"model": "x"}),
            json!({"model": "x", "language": "basic"}),
            json!({"model": "x", "language": "gcl", "path": "y"}),
            json!({"path": "y", "prove": true}),
            json!({"path": "y", "properties": "p"}),
            json!({"path": "y", "timeout_seconds": -1}),
        ] {
            assert!(matches!(refused("check", arguments.clone()), Refused::Arguments(_)), "{arguments}");
        }
        assert!(matches!(refused("explain", json!({"path": "y"})), Refused::Arguments(_)));
        assert!(matches!(refused("explain", json!({"code": "E9999"})), Refused::Arguments(_)));
    }

    #[test]
    fn nothing_that_is_given_becomes_an_option() {
        let command = |name: &str, arguments: Value| {
            command(&json!({"name": name, "arguments": arguments})).expect("it fits").arguments
        };
        assert_eq!(command("check", json!({"path": "--help"}))[1], "./--help");
        let words = command("check", json!({"path": "m.gcl", "properties": ["--evidence=x"], "only": ["-q"]}));
        assert!(words.contains(&"--property=--evidence=x".to_owned()) && words.contains(&"--only=-q".to_owned()));
    }
}
