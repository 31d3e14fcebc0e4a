//! Documentation pages that are generated from the program, and the samples of the API document.

mod error_codes;
mod errors_page;
mod message_api_page;
mod samples;

use std::path::PathBuf;

use serde_json::Value;

/// Returns the OpenAPI document of the current routes.
fn document() -> Value {
    let document = confab_http::document(&["SERVICE".to_owned()]);
    serde_json::to_value(document).expect("JSON")
}

/// Returns the schema to which a reference of the document resolves, or the schema itself.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let Some(target) = schema["$ref"].as_str() else { return schema };
    document.pointer(target.trim_start_matches('#')).expect("a schema")
}

/// Returns the sample JSON body that the page `/docs` shows for a call.
fn sample_body(document: &Value, operation: &Value) -> Option<Value> {
    let content = &operation["requestBody"]["content"]["application/json"];
    let examples = content["examples"].as_object();
    let first = examples.and_then(|it| it.values().next()).map(|it| &it["value"]);
    first.or_else(|| resolved(document, &content["schema"]).get("example")).cloned()
}

/// Asserts that a page has the expected text, or writes it if `CONFAB_WRITE_GENERATED` is set.
fn check_page(name: &str, expected: &str) {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs")).join(name);
    if std::env::var_os("CONFAB_WRITE_GENERATED").is_some() {
        std::fs::write(&path, expected).expect("written");
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == expected,
        "docs/{name} is out of date; write it again: CONFAB_WRITE_GENERATED=1 cargo test -p \
         confab-server --test it -- documentation"
    );
}
