//! docs/message-api.md describes the calls and message types of the message API, generated from the
//! OpenAPI document.

use std::fmt::Write as _;

use serde_json::Value;

use super::{check_page, document, resolved, sample_body};

const BASE: &str = "/api/v2.1/rest/";

const INTRO: &str = "\
# The message API

<!-- Made from the program: CONFAB_WRITE_GENERATED=1 cargo test --test it \
-- documentation -->

An app's servers post, load and delete messages here. Every call has the base path
`/api/v2.1/rest` and two headers: `SERVICE-SDK-APP-ID` with the app id and `SERVICE-SDK-SECRET`
with the SDK secret. A body is JSON (`Content-Type: application/json`) or urlencoded. A success is
`{\"results\": …, \"status\": 200}`; failures have [codes](errors.md). The page `/docs` of the
server has the same calls, to try in the browser.

The samples work after the [first message](../README.md#first-message): users `ana` and `bob`,
room `first`.

**Repeating a request.** A client that does not know whether its message was posted repeats the
request with the same unique id: the field `unique_temp_id`, or the header `Idempotency-Key` where
the body has none. The answer is the first message, and nothing is posted twice. Every other
message needs another id, or none: then the server makes one.
";

const PARTS: [&str; 3] = ["Messages", "Rooms", "Users"];

#[test]
fn the_message_api_page_is_up_to_date_and_has_every_call() {
    let document = document();
    let calls = calls(&document);
    let mut page = INTRO.to_owned();
    page.push_str("\n| call | |\n|---|---|\n");
    for part in PARTS {
        for (name, operation) in calls.iter().filter(|(_, it)| is_in(it, part)) {
            let anchor = name.to_lowercase().replace(' ', "-").replace('/', "");
            let summary = operation["summary"].as_str().unwrap_or_default();
            let _ = writeln!(page, "| [{name}](#{anchor}) | {summary} |");
        }
    }
    for part in PARTS {
        let _ = write!(page, "\n## {part}\n");
        for (name, operation) in calls.iter().filter(|(_, it)| is_in(it, part)) {
            write_call(&mut page, &document, name, operation);
        }
    }
    write_types(&mut page, &document);
    check_page("message-api.md", &page);
    let left: Vec<_> = calls.iter().filter(|(name, _)| !page.contains(name.as_str())).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn is_in(operation: &Value, part: &str) -> bool {
    let tag = operation["tags"][0].as_str().unwrap_or_default();
    tag == part || (part == "Users" && !PARTS.contains(&tag))
}

/// Returns the calls, named by method and last part of the path.
fn calls(document: &Value) -> Vec<(String, &Value)> {
    let mut calls = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        let Some(call) = path.strip_prefix(BASE) else { continue };
        for (method, operation) in methods.as_object().expect("methods") {
            calls.push((format!("{} /{call}", method.to_uppercase()), operation));
        }
    }
    calls
}

fn write_call(page: &mut String, document: &Value, name: &str, operation: &Value) {
    let summary = operation["summary"].as_str().unwrap_or_default();
    let _ = write!(page, "\n### {name}\n\n{summary}.\n");
    let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    let fields = fields(document, body, "", 1);
    if !parameters.is_empty() || !fields.is_empty() {
        page.push_str("\n| takes | in | type | required | |\n|---|---|---|---|---|\n");
    }
    for it in parameters {
        let name = it["name"].as_str().unwrap_or_default();
        let place = it["in"].as_str().unwrap_or_default();
        let required = if it["required"] == true { "yes" } else { "" };
        let (kind, about) = (kind(document, &it["schema"]), about(it));
        let _ = writeln!(page, "| `{name}` | {place} | {kind} | {required} | {about} |");
    }
    for Field { name, kind, is_required, about } in fields {
        let required = if is_required { "yes" } else { "" };
        let _ = writeln!(page, "| `{name}` | body | {kind} | {required} | {about} |");
    }
    if let Some(sample) = sample_body(document, operation) {
        let _ = write!(page, "\n```json\n{sample}\n```\n");
    }
    let results = &operation["responses"]["200"]["content"]["application/json"]["schema"];
    page.push_str("\n| answer | type | |\n|---|---|---|\n");
    for Field { name, kind, about, .. } in self::fields(document, results, "", 4) {
        if name != "status" && name != "results" {
            let _ = writeln!(page, "| `{name}` | {kind} | {about} |");
        }
    }
    let failures = operation["responses"].as_object().expect("responses").keys();
    let failures: Vec<_> = failures.filter(|it| *it != "200").map(String::as_str).collect();
    let _ = write!(page, "\nFails with {}.\n", failures.join(", "));
}

fn write_types(page: &mut String, document: &Value) {
    page.push_str("\n## Types of messages\n\nThe field `type` decides what `payload` holds.\n");
    let content =
        &document["paths"][format!("{BASE}post_comment")]["post"]["requestBody"]["content"];
    let samples = content["application/json"]["examples"].as_object().expect("samples");
    for sample in samples.values() {
        let kind = sample["summary"].as_str().unwrap_or_default();
        let _ = write!(page, "\n### {kind}\n");
        let schema = &document["components"]["schemas"][format!("{}Payload", in_camel_case(kind))];
        if let Some(about) = schema["description"].as_str() {
            let _ =
                write!(page, "\n{about}\n\n| `payload` | type | required | |\n|---|---|---|---|\n");
        }
        for Field { name, kind, is_required, about } in fields(document, schema, "", 4) {
            let required = if is_required { "yes" } else { "" };
            let _ = writeln!(page, "| `{name}` | {kind} | {required} | {about} |");
        }
        let sample = serde_json::to_string_pretty(&sample["value"]).expect("JSON");
        let _ = write!(page, "\n```json\n{sample}\n```\n");
    }
}

fn in_camel_case(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(capital).collect()
}

struct Field {
    name: String,
    kind: String,
    is_required: bool,
    about: String,
}

/// Returns the fields of an object, and of nested objects up to this number of levels.
fn fields(document: &Value, schema: &Value, prefix: &str, levels: usize) -> Vec<Field> {
    let schema = plain(document, schema);
    let required = schema["required"].as_array();
    let mut found = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let full_name = format!("{prefix}{name}");
        let is_required = required.is_some_and(|it| it.contains(&name.as_str().into()));
        let (kind, about) = (kind(document, property), about(property));
        found.push(Field { name: full_name.clone(), kind, is_required, about });
        let inside = plain(document, property);
        let (inside, mark) = match inside.get("items") {
            Some(items) => (items, "[]."),
            None => (inside, "."),
        };
        if levels > 1 && property.get("anyOf").is_none() {
            found.extend(fields(document, inside, &format!("{full_name}{mark}"), levels - 1));
        }
    }
    found
}

/// Returns a schema with its reference resolved and without a null variant.
fn plain<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let schema = resolved(document, schema);
    let variants = schema["oneOf"].as_array().map_or(&[][..], Vec::as_slice);
    let mut others = variants.iter().filter(|it| it["type"] != "null");
    match (others.next(), others.next()) {
        (Some(only), None) => resolved(document, only),
        _ => schema,
    }
}

fn kind(document: &Value, schema: &Value) -> String {
    if schema.get("anyOf").is_some() {
        return "object".to_owned();
    }
    let schema = plain(document, schema);
    let types = match &schema["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        one => Vec::from_iter(one.as_str()),
    };
    let types: Vec<_> = types.into_iter().filter(|it| *it != "null").collect();
    let kind = if types.is_empty() { "any JSON".to_owned() } else { types.join(" or ") };
    let values = schema["enum"].as_array().map_or(&[][..], Vec::as_slice);
    let values: Vec<_> = values.iter().filter_map(Value::as_str).collect();
    let bound = |key: &str| schema.get(key).map(Value::to_string);
    match (values.is_empty(), bound("maxLength"), bound("maxItems")) {
        (false, ..) => format!("`{}`", values.join("`, `")),
        (_, Some(most), _) => format!("{kind}, at most {most} characters"),
        (_, _, Some(most)) => format!("{kind}, at most {most}"),
        _ => kind,
    }
}

fn about(of: &Value) -> String {
    of["description"].as_str().unwrap_or_default().replace('|', "\\|").replace('\n', " ")
}
