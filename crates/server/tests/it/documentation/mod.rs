//! The samples that the OpenAPI document shows.

mod samples;

use serde_json::Value;

/// The OpenAPI document of the routes as they are now.
fn document() -> Value {
    let document = confab_server::http::document(&["SERVICE".to_owned()]);
    serde_json::to_value(document).expect("JSON")
}

/// What a reference inside the document leads to.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let Some(target) = schema["$ref"].as_str() else { return schema };
    document.pointer(target.trim_start_matches('#')).expect("a schema")
}

/// The JSON body that the page `/docs` offers for a call.
fn sample_body(document: &Value, operation: &Value) -> Option<Value> {
    let content = &operation["requestBody"]["content"]["application/json"];
    let examples = content["examples"].as_object();
    let first = examples.and_then(|it| it.values().next()).map(|it| &it["value"]);
    first.or_else(|| resolved(document, &content["schema"]).get("example")).cloned()
}
