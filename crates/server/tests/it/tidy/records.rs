//! Code and pages cite only existing decision records and design pages and no paths outside of the
//! repository, and all metrics are documented for operators.

use std::collections::BTreeSet;

use super::{Source, files, report, root, sources};

/// Returns the numbers of the decisions that a text cites, such as `D-0002`.
fn cited(text: &str) -> BTreeSet<String> {
    let starts = text.match_indices("D-").map(|(at, _)| &text[at + 2..]);
    let number = |rest: &str| rest.get(..4).map(str::to_owned);
    starts.filter_map(number).filter(|it| it.bytes().all(|b| b.is_ascii_digit())).collect()
}

/// Returns the design pages that a text cites, such as `storage` for `design/storage`.
fn cited_pages(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("design/").map(|(at, name)| &text[at + name.len()..]);
    let name = |rest: &str| rest.find(|c: char| !c.is_ascii_lowercase() && c != '-');
    starts.map(move |rest| &rest[..name(rest).unwrap_or(rest.len())]).filter(|it| !it.is_empty())
}

/// Returns all checked files: sources, manifests, migrations, scripts and pages.
fn texts() -> Vec<Source> {
    let read = |name: &str| {
        let text = std::fs::read_to_string(root().join(name)).expect("text");
        Source { path: name.to_owned(), text }
    };
    let mut found: Vec<_> = ["Cargo.toml", "Makefile", ".ci/run"].into_iter().map(read).collect();
    found.extend(super::pages());
    found.extend(files("docs", &["sql"]));
    found.extend(files("crates", &["rs", "sql", "toml"]));
    found.extend(files("bench", &["rs", "toml"]));
    found.extend(files("web", &["ts", "tsx"]));
    found
}

fn recorded() -> BTreeSet<String> {
    let records = std::fs::read_dir(root().join("docs/decisions")).expect("records");
    let names = records.map(|record| record.expect("a record").file_name());
    names.filter_map(|name| name.to_str()?.get(..4).map(str::to_owned)).collect()
}

#[test]
fn every_cited_decision_and_design_page_exists() {
    let recorded = recorded();
    assert!(recorded.len() > 20, "{recorded:?}");
    let mut found = Vec::new();
    for source in texts() {
        let unknown = cited(&source.text).into_iter().filter(|number| !recorded.contains(number));
        found.extend(unknown.map(|number| format!("{} cites D-{number}", source.path)));
        let pages = cited_pages(&source.text);
        let gone = pages.filter(|it| !root().join(format!("docs/design/{it}.md")).exists());
        found.extend(gone.map(|page| format!("{} cites design/{page}", source.path)));
    }
    report("a citation names a record or page in docs", &found);
}

#[test]
fn no_file_names_a_path_outside_of_the_repository() {
    let outside = [concat!("../", "shared"), concat!("/", "work/")];
    let mut found = Vec::new();
    // The pages have a folder of the same name.
    for source in texts().into_iter().filter(|it| !it.is_in("web/")) {
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
