//! Files that are packaged with the program mention only settings, ports, paths, metrics and
//! commands that the program has.

mod containers;
mod debian;
mod documents;
mod handbook;
mod monitoring;
mod proxies;
mod rolling_restart;

use std::path::Path;

use confab_runtime::config::SETTINGS;
use yaml_rust2::{Yaml, YamlLoader};

/// Returns the text of a file of the repository.
fn text_of(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the documents of a YAML file.
fn documents(path: &str) -> Vec<Yaml> {
    let text = text_of(path);
    YamlLoader::load_from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Asserts that every `CONFAB_` word of a text is the variable of a setting.
fn check_variables(text: &str, path: &str) {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let named: Vec<_> = words.filter(|word| word.starts_with("CONFAB_")).collect();
    for name in &named {
        let is_setting = SETTINGS.iter().any(|setting| setting.variable() == *name);
        assert!(is_setting, "{path}: {name} is not a setting");
    }
    assert!(!named.is_empty(), "{path} names settings");
}

fn default_of(key: &str) -> &'static str {
    SETTINGS.iter().find(|setting| setting.key == key).expect("a setting").default
}
