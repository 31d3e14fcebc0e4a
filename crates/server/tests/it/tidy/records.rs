//! Code cites only recorded decisions and no paths outside of the repository, and all metrics are
//! documented for operators.

use std::collections::BTreeSet;

use super::{Source, report, root, sources};

/// Returns the numbers of the decisions that a text cites, such as `D-0007`.
fn cited(text: &str) -> BTreeSet<String> {
    let starts = text.match_indices("D-").map(|(at, _)| &text[at + 2..]);
    let number = |rest: &str| rest.get(..4).map(str::to_owned);
    starts.filter_map(number).filter(|it| it.bytes().all(|b| b.is_ascii_digit())).collect()
}

/// Returns the checked files that are not Rust files: manifests, documents and decision records.
fn other_texts() -> Vec<Source> {
    let mut found = Vec::new();
    for name in ["Cargo.toml", "Makefile", "README.md", "ARCHITECTURE.md", ".ci/run"] {
        let text = std::fs::read_to_string(root().join(name)).unwrap_or_default();
        found.push(Source { path: name.to_owned(), text });
    }
    for entry in std::fs::read_dir(root().join("docs/decisions")).expect("records") {
        let path = entry.expect("a record").path();
        let text = std::fs::read_to_string(&path).expect("text");
        found.push(Source { path: path.display().to_string(), text });
    }
    found
}

fn recorded() -> BTreeSet<String> {
    let records = std::fs::read_dir(root().join("docs/decisions")).expect("records");
    let names = records.map(|record| record.expect("a record").file_name());
    names.filter_map(|name| name.to_str()?.get(..4).map(str::to_owned)).collect()
}

#[test]
fn every_cited_decision_has_a_record() {
    let recorded = recorded();
    assert!(recorded.len() > 20, "{recorded:?}");
    let mut found = Vec::new();
    for source in sources().into_iter().chain(other_texts()) {
        let unknown = cited(&source.text).into_iter().filter(|number| !recorded.contains(number));
        found.extend(unknown.map(|number| format!("{} cites {number}", source.path)));
    }
    report("a cited decision has a record in docs/decisions", &found);
}

#[test]
fn no_file_names_a_path_outside_of_the_repository() {
    let outside = [concat!("../", "shared"), concat!("/", "work/")];
    let mut found = Vec::new();
    for source in sources().into_iter().chain(other_texts()) {
        for (at, line) in source.text.lines().enumerate() {
            if outside.iter().any(|path| line.contains(path)) {
                found.push(format!("{}:{}", source.path, at + 1));
            }
        }
    }
    report("a checkout needs no files outside of it", &found);
}

#[test]
fn the_documented_metrics_are_exactly_those_in_the_source() {
    let page = std::fs::read_to_string(root().join("docs/operating/monitoring.md")).expect("page");
    let listed: BTreeSet<_> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split('`').next())
        .filter(|name| name.starts_with("confab_"))
        .collect();
    let sources = sources();
    let shipped = sources.iter().filter(|it| it.is_in("crates") && !it.is_test());
    let counted: BTreeSet<_> = shipped.flat_map(|it| counted(&it.text)).collect();
    assert_eq!(counted, listed);
}

/// Returns the names of metrics in `counter!("…` and similar macros.
fn counted(text: &str) -> impl Iterator<Item = &str> {
    let calls = ["counter!(", "gauge!(", "histogram!("];
    let after = calls.into_iter().flat_map(|call| text.split(call).skip(1));
    let names = after.filter_map(|it| it.trim_start().strip_prefix('"')?.split('"').next());
    names.filter(|name| name.starts_with("confab_"))
}
