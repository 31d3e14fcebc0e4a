//! Checks that each failure that a test receives is listed in the OpenAPI document for its call.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use reqwest::Method;

/// A call of the OpenAPI document with its statuses.
struct Listed {
    method: String,
    path: Vec<String>,
    statuses: BTreeSet<String>,
}

/// Failure statuses of any call: transport failures, bodies and methods that the document does not
/// list, and internal errors.
const OF_ANY_CALL: [u16; 5] = [405, 408, 413, 415, 500];

/// Panics if the document lists the call but not its failure status.
pub fn check(method: &Method, path: &str, status: u16) {
    if status < 400 || OF_ANY_CALL.contains(&status) {
        return;
    }
    let path = path.replacen("/api/v2/mobile/", "/api/v2/sdk/", 1);
    let parts: Vec<_> = path.split('/').collect();
    let fits = |call: &&Listed| call.method == method.as_str() && fits(&call.path, &parts);
    let literals = |call: &&Listed| call.path.iter().filter(|it| !it.starts_with('{')).count();
    let Some(call) = listed().iter().filter(fits).max_by_key(literals) else { return };
    if call.statuses.contains(&status.to_string()) {
        return;
    }
    let path = call.path.join("/");
    panic!("{method} {path} answers {status}; list it in the call's row of `calls!`");
}

fn fits(template: &[String], parts: &[&str]) -> bool {
    let same = |(template, part): (&String, &&str)| template.starts_with('{') || template == part;
    template.len() == parts.len() && template.iter().zip(parts).all(same)
}

fn listed() -> &'static [Listed] {
    static LISTED: OnceLock<Vec<Listed>> = OnceLock::new();
    LISTED.get_or_init(|| {
        let document = confab_http::document(&["SERVICE".to_owned()]);
        let document = serde_json::to_value(document).expect("JSON");
        let mut listed = Vec::new();
        for (path, methods) in document["paths"].as_object().expect("paths") {
            for (method, operation) in methods.as_object().expect("methods") {
                let statuses = operation["responses"].as_object().expect("responses");
                listed.push(Listed {
                    method: method.to_uppercase(),
                    path: path.split('/').map(str::to_owned).collect(),
                    statuses: statuses.keys().cloned().collect(),
                });
            }
        }
        listed
    })
}
