//! Reads the source and fails on a breach of what the design and the style forbid.

mod circles;
mod directions;
mod records;
mod style;
mod uses;

use std::path::{Path, PathBuf};

/// A source file of the repository.
struct Source {
    /// Relative to the repository.
    path: String,
    text: String,
}

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Every Rust file of the crates and of the bench.
fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for folder in ["crates", "bench"] {
        collect(&root().join(folder), &mut found);
    }
    assert!(found.len() > 100, "the source was found: {} files", found.len());
    found
}

fn collect(folder: &Path, found: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            collect(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = std::fs::read_to_string(&path).expect("text");
            let path =
                path.strip_prefix(root()).expect("inside").to_str().expect("text").to_owned();
            found.push(Source { path, text });
        }
    }
}

impl Source {
    /// In the folder, or in a folder inside it.
    fn is_in(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// A test, or something that only tests use.
    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }

    /// The lines outside of `#[cfg(test)] mod tests`, with their numbers.
    fn shipped_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_shipped = !self.is_test();
        self.text
            .lines()
            .enumerate()
            .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
            .filter(move |_| is_shipped)
            .map(|(at, line)| (at + 1, line))
    }
}

/// Fails with all breaches at once.
#[track_caller]
fn report(rule: &str, breaches: &[String]) {
    assert!(breaches.is_empty(), "{rule}:\n{}", breaches.join("\n"));
}
