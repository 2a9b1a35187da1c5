//! Does a document have the shape that was published?
//!
//! The part of JSON Schema (2020-12) that the schemas in `docs/schema` use: `type`, `const`, `enum`, `properties`, `required`,
//! `additionalProperties`, `items`, `prefixItems`, `minimum`, `oneOf`, `anyOf` and `$ref` into the
//! same document. A keyword that is not known here is a mistake, so that nothing is taken for checked that was not.
//!
//! Stricter than the standard in one way: an object may only have properties that its schema names. Readers must accept
//! more, since fields are added; what we write must be described.

use serde_json::Value;

/// Everything in which a document breaks a schema; places are told as paths.
#[must_use]
pub fn violations(schema: &Value, document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Checker { root: schema }.check(schema, document, "$", &mut found, 0);
    found
}

struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>, depth: usize) {
        assert!(depth < 200, "the schema or the document is too deep at {path}");
        let Some(keywords) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                found.push(format!("{path}: not allowed"));
            }
            return;
        };
        for (keyword, wanted) in keywords {
            match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" | "$comment" => {}
                "$ref" => self.check(self.resolve(wanted), value, path, found, depth + 1),
                "type" => {
                    let fits = match wanted {
                        Value::Array(names) => names.iter().any(|name| is_a(value, name)),
                        name => is_a(value, name),
                    };
                    if !fits {
                        found.push(format!("{path}: {wanted} is wanted, found {value}"));
                    }
                }
                "const" if wanted != value => found.push(format!("{path}: {wanted} is wanted, found {value}")),
                "enum" if !wanted.as_array().is_some_and(|all| all.contains(value)) => {
                    found.push(format!("{path}: one of {wanted} is wanted, found {value}"));
                }
                "minimum" if value.as_f64().is_some_and(|number| Some(number) < wanted.as_f64()) => {
                    found.push(format!("{path}: {value} is less than {wanted}"));
                }
                "const" | "enum" | "minimum" => {}
                "required" => {
                    for name in wanted.as_array().into_iter().flatten().filter_map(Value::as_str) {
                        if value.is_object() && value.get(name).is_none() {
                            found.push(format!("{path}: `{name}` is missing"));
                        }
                    }
                }
                "properties" => self.properties(schema, wanted, value, path, found, depth),
                "additionalProperties" => {}
                "items" => {
                    let first = schema["prefixItems"].as_array().map_or(0, Vec::len);
                    for (at, item) in value.as_array().into_iter().flatten().enumerate().skip(first) {
                        self.check(wanted, item, &format!("{path}[{at}]"), found, depth + 1);
                    }
                }
                "prefixItems" => {
                    let pairs = wanted.as_array().into_iter().flatten().zip(value.as_array().into_iter().flatten());
                    for (at, (wanted, item)) in pairs.enumerate() {
                        self.check(wanted, item, &format!("{path}[{at}]"), found, depth + 1);
                    }
                }
                "oneOf" | "anyOf" => self.alternatives(keyword, wanted, value, path, found, depth),
                other => panic!("the schema uses `{other}` at {path}, which is not checked"),
            }
        }
        if !keywords.contains_key("properties") && keywords.contains_key("additionalProperties") {
            self.properties(schema, &Value::Null, value, path, found, depth);
        }
    }

    fn properties(
        &self,
        schema: &Value,
        known: &Value,
        value: &Value,
        path: &str,
        found: &mut Vec<String>,
        depth: usize,
    ) {
        for (name, inner) in value.as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            match (known.get(name), schema.get("additionalProperties")) {
                (Some(wanted), _) => self.check(wanted, inner, &path, found, depth + 1),
                (None, Some(wanted)) => self.check(wanted, inner, &path, found, depth + 1),
                (None, None) => found.push(format!("{path}: the schema does not name it")),
            }
        }
    }

    fn alternatives(
        &self,
        keyword: &str,
        wanted: &Value,
        value: &Value,
        path: &str,
        found: &mut Vec<String>,
        depth: usize,
    ) {
        let tried: Vec<Vec<String>> = wanted
            .as_array()
            .into_iter()
            .flatten()
            .map(|schema| {
                let mut broken = Vec::new();
                self.check(schema, value, path, &mut broken, depth + 1);
                broken
            })
            .collect();
        let fitting = tried.iter().filter(|broken| broken.is_empty()).count();
        if fitting == 0 {
            let nearest = tried.into_iter().min_by_key(Vec::len).unwrap_or_default();
            found.push(format!("{path}: no alternative fits; nearest: {}", nearest.join("; ")));
        } else if fitting > 1 && keyword == "oneOf" {
            found.push(format!("{path}: {fitting} alternatives fit"));
        }
    }

    fn resolve(&self, reference: &Value) -> &Value {
        let text = reference.as_str().unwrap_or_default();
        let pointer = text.strip_prefix('#').unwrap_or_else(|| panic!("`{text}` leads out of the document"));
        self.root.pointer(pointer).unwrap_or_else(|| panic!("`{text}` leads nowhere"))
    }
}

fn is_a(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        _ => panic!("`{name}` is no type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_named() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/count"},
            "b": {"type": "array", "items": {"enum": ["x", "y"]}}, "c": {"oneOf": [{"type": "null"}, {"const": 1}]}},
            "$defs": {"count": {"type": "integer", "minimum": 0}}});
        assert_eq!(violations(&schema, &json!({"a": 1, "b": ["x"], "c": null})), Vec::<String>::new());
        assert_eq!(violations(&schema, &json!({})), ["$: `a` is missing"]);
        assert_eq!(violations(&schema, &json!({"a": -1})), ["$.a: -1 is less than 0"]);
        assert_eq!(violations(&schema, &json!({"a": 1, "d": 2})), ["$.d: the schema does not name it"]);
        assert_eq!(violations(&schema, &json!({"a": 1, "b": ["z"]})).len(), 1);
        assert_eq!(violations(&schema, &json!({"a": 1, "c": 2})).len(), 1);
    }
}
