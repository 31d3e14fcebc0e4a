//! Folders have few enough files that a reader finds the right one.

use std::collections::BTreeMap;

use super::{Source, report, sources};

/// Maximum number of files in a folder, without `mod.rs` and subfolders.
const FILES_MAX: usize = 20;

/// Folders that may have more files, each with the reason.
const LISTS: [(&str, &str); 1] = [("crates/store/src/tables", "one file per table")];

/// Returns the number of files in each folder of shipped code, and of the tests of the server.
fn counts(sources: &[Source]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for source in sources {
        let Some((folder, name)) = source.path.rsplit_once('/') else { continue };
        let parts: Vec<_> = folder.split('/').collect();
        let is_shipped = parts.starts_with(&["crates"]) && parts.get(2) == Some(&"src");
        let is_of_tests = parts.starts_with(&["crates", "server", "tests", "it"]);
        if (is_shipped || is_of_tests) && name != "mod.rs" {
            *counts.entry(folder).or_default() += 1;
        }
    }
    counts
}

/// Returns the folders that have too many files, or that need not be listed as exceptions.
fn breaches(sources: &[Source], lists: &[(&str, &str)]) -> Vec<String> {
    let mut counts = counts(sources);
    counts.retain(|_, count| *count > FILES_MAX);
    let needless = lists.iter().filter(|(folder, _)| counts.remove(folder).is_none());
    let mut found: Vec<_> =
        needless.map(|(folder, _)| format!("{folder} is no exception")).collect();
    found.extend(counts.iter().map(|(folder, count)| format!("{folder} has {count} files")));
    found
}

#[test]
fn no_folder_has_more_than_20_files() {
    report("folders have subfolders by subject", &breaches(&sources(), &LISTS));
}

#[test]
fn crowded_folders_and_needless_exceptions_are_found() {
    let folder = |path: &str, count: usize| {
        let path = path.to_owned();
        (0..count).map(move |n| Source { path: format!("{path}/f{n}.rs"), text: String::new() })
    };
    let mut files: Vec<_> = folder("crates/domain/src/a", 21).collect();
    files.extend(folder("crates/domain/src/a/b", 20));
    files.extend(folder("crates/domain/src/list", 30));
    files.extend(folder("crates/domain/tests", 30));
    files.extend(folder("crates/server/tests/it/c", 22));
    files.push(Source { path: "crates/domain/src/a/b/mod.rs".to_owned(), text: String::new() });
    let lists = [("crates/domain/src/list", "one per X"), ("crates/domain/src/a/b", "none")];
    let expected = [
        "crates/domain/src/a/b is no exception",
        "crates/domain/src/a has 21 files",
        "crates/server/tests/it/c has 22 files",
    ];
    assert_eq!(breaches(&files, &lists), expected);
}
