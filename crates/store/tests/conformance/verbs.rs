//! Checks that the suite, as the contract of the store, calls every public function of the store.
//! It reads the source and lists functions without a call.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Types with the same functions on every engine, and the names of their values in tests.
const TYPES: [(&str, &str); 4] = [
    ("Store", "store"),
    ("Registry", "registry"),
    ("Secrets", "secrets"),
    ("AppSnapshot", "snapshot"),
];

/// Files that run on every engine. Tests of a single engine prove nothing about others.
const ON_EVERY_ENGINE: [&str; 4] = ["suite", "world", "engine.rs", "model.rs"];

/// Returns the text of every Rust file in a folder.
fn texts(path: &Path) -> Vec<String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry"));
        return entries.flat_map(|entry| texts(&entry.path())).collect();
    }
    let is_rust = path.extension().is_some_and(|kind| kind == "rs");
    is_rust.then(|| fs::read_to_string(path).expect("text")).into_iter().collect()
}

/// Returns the public functions of a type in the source.
fn functions(source: &str, of: &str) -> BTreeSet<String> {
    let (begin, mut is_inside, mut found) = (format!("impl {of} {{"), false, BTreeSet::new());
    for line in source.lines() {
        is_inside = line == begin || is_inside && line != "}";
        let public =
            ["    pub async fn ", "    pub fn "].iter().find_map(|it| line.strip_prefix(it));
        if let Some(rest) = public.filter(|_| is_inside) {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            found.insert(rest[..end].to_owned());
        }
    }
    found
}

/// Joins the lines without comments and spaces, so that a call is found however it is broken.
fn squeezed(text: &str) -> String {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.chars().filter(|c| !c.is_whitespace())).collect()
}

fn is_called(tests: &str, (store_type, by): (&str, &str), function: &str) -> bool {
    [format!("{by}.{function}("), format!("{store_type}::{function}(")].iter().any(|call| {
        let is_whole =
            |at: usize| !tests[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        tests.match_indices(call.as_str()).any(|(at, _)| is_whole(at))
    })
}

/// Returns the functions of a type that no test calls.
fn uncalled(source: &str, tests: &str, store_type: (&str, &str)) -> Vec<String> {
    let functions = functions(source, store_type.0).into_iter();
    let missing = functions.filter(|function| !is_called(tests, store_type, function));
    missing.map(|function| format!("{}::{function}", store_type.0)).collect()
}

#[test]
fn every_public_function_of_the_store_is_called_on_every_engine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = texts(&root.join("src")).join("\n");
    let count = |store_type: &str| functions(&source, store_type).len();
    assert!(count("Store") > 80 && count("Registry") > 8, "the public functions were found");
    let folder = root.join("tests/conformance");
    let tests = ON_EVERY_ENGINE.iter().flat_map(|name| texts(&folder.join(name)));
    let tests = squeezed(&tests.collect::<Vec<_>>().join("\n"));
    let missing: Vec<_> =
        TYPES.into_iter().flat_map(|store_type| uncalled(&source, &tests, store_type)).collect();
    assert!(missing.is_empty(), "the suite needs a test of: {}", missing.join(", "));
}

#[test]
fn a_public_function_without_a_call_is_reported() {
    let source = "impl Store {\n    pub async fn page(&self) {}\n    pub fn decide<T>() {}\n    \
        pub(crate) fn own() {}\n}\nimpl Other {\n    pub fn else_where() {}\n}\n";
    let missing = |tests: &str| uncalled(source, &squeezed(tests), TYPES[0]);
    assert_eq!(missing("world.store\n    .page(1); Store::decide(2)"), Vec::<String>::new());
    let others = "// store.page()\nother.page(1); restore.page(2); store.pages(3); store.decide(4)";
    assert_eq!(missing(others), ["Store::page"]);
    assert_eq!(missing(""), ["Store::decide", "Store::page"]);
}
