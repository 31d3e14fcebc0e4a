//! Checks the source files against the rules of the design and of the style.

mod circles;
mod code;
mod directions;
mod folders;
mod links;
mod log_calls;
mod principals;
mod prose;
mod records;
mod style;
mod uses;

use std::path::{Path, PathBuf};

/// A source file of the repository.
struct Source {
    /// Path relative to the repository.
    path: String,
    text: String,
}

/// Returns the root folder of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Returns every Rust file of the crates and of the bench.
fn sources() -> Vec<Source> {
    let of_folder = |folder| files(folder, &["rs"]).into_iter();
    let found: Vec<_> = ["crates", "bench"].into_iter().flat_map(of_folder).collect();
    assert!(found.len() > 100, "the source was found: {} files", found.len());
    found
}

/// Returns the files with one of these extensions in a folder of the repository, except built ones.
fn files(folder: &str, extensions: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root().join(folder), extensions, &mut found);
    found
}

/// Returns the Markdown pages in the root folder and in `docs`.
fn pages() -> Vec<Source> {
    let mut found = files("docs", &["md"]);
    for entry in std::fs::read_dir(root()).expect("the root") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|it| it == "md") {
            let text = std::fs::read_to_string(&path).expect("text");
            let name = path.file_name().and_then(|it| it.to_str()).expect("a name").to_owned();
            found.push(Source { path: name, text });
        }
    }
    found
}

fn collect(folder: &Path, extensions: &[&str], found: &mut Vec<Source>) {
    const BUILT: [&str; 3] = ["target", "dist", "node_modules"];
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_built = path.file_name().is_some_and(|name| BUILT.iter().any(|it| name == *it));
        let extension = path.extension().and_then(|it| it.to_str());
        if path.is_dir() && !is_built {
            collect(&path, extensions, found);
        } else if extension.is_some_and(|it| extensions.contains(&it)) {
            let text = std::fs::read_to_string(&path).expect("text");
            let path =
                path.strip_prefix(root()).expect("inside").to_str().expect("text").to_owned();
            found.push(Source { path, text });
        }
    }
}

impl Source {
    /// Whether the file is in this folder or below it.
    fn is_in(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// Whether the file is used by tests only.
    fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }

    /// Returns the lines before `#[cfg(test)]` with their numbers, or none for test files.
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

/// Fails with a list of all violations if there are any.
#[track_caller]
fn report(rule: &str, breaches: &[String]) {
    assert!(breaches.is_empty(), "{rule}:\n{}", breaches.join("\n"));
}
