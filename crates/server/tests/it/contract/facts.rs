//! A contract: the OpenAPI document without texts and examples, written as one fact per line, so
//! that changes are small diffs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Keys that only describe, and are not part of the contract.
const TEXTS: [&str; 3] = ["description", "example", "examples"];
const REFERENCE: &str = "#/components/schemas/";

/// A JSON schema, with references replaced by plain names.
pub(super) type Schema = Value;

#[derive(Debug, Default, PartialEq)]
pub(super) struct Contract {
    /// Calls by method and path; webhooks by `webhook` and their name.
    pub(super) calls: BTreeMap<String, Call>,
    /// Header of each kind of credential, by the credential's name.
    pub(super) proofs: BTreeMap<String, String>,
    pub(super) schemas: BTreeMap<String, Schema>,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Call {
    /// Alternative sets of credentials; one set is enough.
    pub(super) proofs: BTreeSet<BTreeSet<String>>,
    /// Parameters by location and name, such as `query limit`.
    pub(super) parameters: BTreeMap<String, Parameter>,
    pub(super) is_body_required: bool,
    /// Schemas of request bodies by media type.
    pub(super) bodies: BTreeMap<String, Schema>,
    /// Schemas of responses by status and media type.
    pub(super) answers: BTreeMap<String, BTreeMap<String, Schema>>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Parameter {
    pub(super) is_required: bool,
    pub(super) schema: Schema,
}

impl Contract {
    pub(super) fn of_document(document: &Value) -> Self {
        let mut contract = Self::default();
        for (path, operations) in members(&document["paths"]) {
            for (method, operation) in members(operations) {
                let name = format!("{} {path}", method.to_uppercase());
                contract.calls.insert(name, Call::of_operation(operation));
            }
        }
        for (name, webhook) in members(&document["webhooks"]) {
            contract.calls.insert(format!("webhook {name}"), Call::of_operation(&webhook["post"]));
        }
        let components = &document["components"];
        for (name, scheme) in members(&components["securitySchemes"]) {
            contract.proofs.insert(name.clone(), string(&scheme["name"]));
        }
        for (name, schema) in members(&components["schemas"]) {
            contract.schemas.insert(name.clone(), bare(schema));
        }
        contract
    }

    pub(super) fn to_text(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for (name, call) in &self.calls {
            lines.extend(call.facts().into_iter().map(|fact| format!("{name} {fact}")));
        }
        lines.extend(self.proofs.iter().map(|(name, header)| format!("proof {name} {header}")));
        for (name, schema) in &self.schemas {
            match properties(schema) {
                Some(properties) => {
                    let required = required(schema);
                    lines.extend(properties.iter().map(|(property, schema)| {
                        let mark = if required.contains(property.as_str()) { "!" } else { "" };
                        format!("schema {name}.{property}{mark} {schema}")
                    }));
                }
                None => lines.push(format!("schema {name} {schema}")),
            }
        }
        lines.sort();
        lines.join("\n") + "\n"
    }

    pub(super) fn of_text(text: &str) -> Self {
        let mut contract = Self::default();
        for line in text.lines() {
            let (kind, rest) = line.split_once(' ').expect("a kind of fact");
            let (name, fact) = rest.split_once(' ').expect("a name and a fact");
            match (kind, name.split_once('.')) {
                ("proof", _) => {
                    contract.proofs.insert(name.to_owned(), fact.to_owned());
                }
                ("schema", Some((schema, property))) => {
                    let schema = contract.schemas.entry(schema.to_owned());
                    let schema = schema.or_insert_with(|| serde_json::json!({"type": "object"}));
                    add_property(schema, property, json(fact));
                }
                ("schema", None) => {
                    contract.schemas.insert(name.to_owned(), json(fact));
                }
                _ => contract.calls.entry(format!("{kind} {name}")).or_default().learn(fact),
            }
        }
        contract
    }
}

impl Call {
    fn of_operation(operation: &Value) -> Self {
        let mut call = Self {
            is_body_required: operation["requestBody"]["required"] == true,
            bodies: contents(&operation["requestBody"]),
            ..Self::default()
        };
        for proof in operation["security"].as_array().into_iter().flatten() {
            call.proofs.insert(members(proof).map(|(name, _)| name.clone()).collect());
        }
        for it in operation["parameters"].as_array().into_iter().flatten() {
            let name = format!("{} {}", string(&it["in"]), string(&it["name"]));
            let is_required = it["required"] == true;
            call.parameters.insert(name, Parameter { is_required, schema: bare(&it["schema"]) });
        }
        for (status, answer) in members(&operation["responses"]) {
            call.answers.insert(status.clone(), contents(answer));
        }
        call
    }

    /// Returns the facts as lines that [`learn`](Self::learn) parses.
    fn facts(&self) -> Vec<String> {
        let mut facts = Vec::new();
        for proof in &self.proofs {
            let names: Vec<_> = proof.iter().map(String::as_str).collect();
            facts.push(format!("proof {}", names.join("+")));
        }
        for (name, Parameter { is_required, schema }) in &self.parameters {
            facts.push(format!("in {name}{} {schema}", if *is_required { "!" } else { "" }));
        }
        for (media, schema) in &self.bodies {
            let mark = if self.is_body_required { "!" } else { "" };
            facts.push(format!("takes {media}{mark} {schema}"));
        }
        // Most failures of a call have the same schema.
        let mut alike: BTreeMap<String, String> = BTreeMap::new();
        for (status, contents) in &self.answers {
            let mut looks = String::new();
            for (media, schema) in contents {
                let _ = write!(looks, " {media} {schema}");
            }
            let statuses = alike.entry(looks).or_default();
            let comma = if statuses.is_empty() { "" } else { "," };
            let _ = write!(statuses, "{comma}{status}");
        }
        facts.extend(alike.iter().map(|(looks, statuses)| format!("gives {statuses}{looks}")));
        facts
    }

    fn learn(&mut self, fact: &str) {
        let (kind, rest) = fact.split_once(' ').expect("a kind of fact");
        match kind {
            "proof" => {
                self.proofs.insert(rest.split('+').map(str::to_owned).collect());
            }
            "in" => {
                let (place, rest) = rest.split_once(' ').expect("a place");
                let (name, schema) = rest.split_once(' ').expect("a name");
                let (name, is_required) = marked(name);
                let parameter = Parameter { is_required, schema: json(schema) };
                self.parameters.insert(format!("{place} {name}"), parameter);
            }
            "takes" => {
                let (media, schema) = rest.split_once(' ').expect("a type");
                let (media, is_required) = marked(media);
                self.is_body_required = is_required;
                self.bodies.insert(media.to_owned(), json(schema));
            }
            "gives" => {
                let mut words = rest.splitn(2, ' ');
                let statuses = words.next().expect("statuses");
                let mut looks = words.next().unwrap_or_default();
                let mut contents = BTreeMap::new();
                while let Some((media, rest)) = looks.split_once(' ') {
                    let mut values = serde_json::Deserializer::from_str(rest).into_iter();
                    let schema = values.next().expect("a schema").expect("JSON");
                    contents.insert(media.to_owned(), schema);
                    looks = rest[values.byte_offset()..].trim_start();
                }
                for status in statuses.split(',') {
                    self.answers.insert(status.to_owned(), contents.clone());
                }
            }
            other => panic!("{other} is not a kind of fact"),
        }
    }
}

/// Returns the properties of a schema that has no other keys than its properties.
fn properties(schema: &Schema) -> Option<&Map<String, Value>> {
    let is_plain = members(schema).all(|(key, value)| match key.as_str() {
        "properties" | "required" => true,
        "type" => value == "object",
        _ => false,
    });
    schema["properties"].as_object().filter(|it| is_plain && !it.is_empty())
}

fn add_property(schema: &mut Schema, property: &str, value: Schema) {
    let (property, is_required) = marked(property);
    schema["properties"][property] = value;
    if is_required {
        let mut required: Vec<Value> = schema["required"].as_array().cloned().unwrap_or_default();
        required.push(property.into());
        schema["required"] = required.into();
    }
}

pub(super) fn required(schema: &Schema) -> BTreeSet<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

pub(super) fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn marked(name: &str) -> (&str, bool) {
    name.strip_suffix('!').map_or((name, false), |name| (name, true))
}

fn contents(of: &Value) -> BTreeMap<String, Schema> {
    members(&of["content"]).map(|(media, it)| (media.clone(), bare(&it["schema"]))).collect()
}

/// A schema without its texts, its lists of names sorted.
fn bare(schema: &Value) -> Schema {
    match schema {
        Value::Object(object) => {
            let mut bare_object = Map::new();
            for (key, value) in object {
                let value = match key.as_str() {
                    "properties" => {
                        members(value).map(|(name, it)| (name.clone(), bare(it))).collect()
                    }
                    "$ref" => string(value).replace(REFERENCE, "").into(),
                    "required" | "type" | "enum" => sorted(value),
                    key if TEXTS.contains(&key) => continue,
                    _ => bare(value),
                };
                bare_object.insert(key.clone(), value);
            }
            bare_object.into()
        }
        Value::Array(items) => items.iter().map(bare).collect(),
        plain => plain.clone(),
    }
}

fn sorted(value: &Value) -> Value {
    let Some(items) = value.as_array() else { return value.clone() };
    let mut items = items.clone();
    items.sort_by_key(Value::to_string);
    items.into()
}

fn string(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}
