//! Packaged documents contain only links and paths that work offline.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::text_of;

/// Folder of the documents on an installed system.
const PACKAGED: &str = "/usr/share/doc/confab/";

/// Copies the documents to a temporary folder, as `scripts/make-dist` does for packages.
fn shipped() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/copy-documents");
    let copied = Command::new(script).arg(folder.path()).status().expect("it runs");
    assert!(copied.success());
    folder
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|it| it == "md") {
            found.push(path);
        }
    }
    found
}

/// Returns the link targets of a page, without code blocks.
fn links(text: &str) -> Vec<String> {
    let prose: String = text.split("```").step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|it| it.split([')', ' ', '#']).next());
    targets.filter(|target| !target.is_empty()).map(str::to_owned).collect()
}

#[test]
fn every_link_of_a_packaged_page_is_a_packaged_file_or_a_url() {
    let folder = shipped();
    let root = folder.path().canonicalize().expect("a path");
    let (mut missing, mut count) = (Vec::new(), 0);
    for page in pages(&root) {
        for target in links(&fs::read_to_string(&page).expect("text")) {
            count += 1;
            if ["https://", "http://", "mailto:"].iter().any(|it| target.starts_with(it)) {
                continue;
            }
            let found = page.parent().expect("a folder").join(&target).canonicalize();
            if !found.is_ok_and(|found| found.starts_with(&root)) {
                missing.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(count > 200, "{count} links");
}

#[test]
fn every_path_below_the_documentation_folder_is_packaged() {
    let folder = shipped();
    let mut count = 0;
    for page in ["packaging/debian/confab.toml", "docs/operating/monitoring.md"] {
        let text = text_of(page);
        let words = text.split(|c: char| c.is_whitespace() || ['`', '(', ')'].contains(&c));
        for place in words.filter_map(|word| word.strip_prefix(PACKAGED)) {
            let place = place.trim_end_matches('.');
            assert!(folder.path().join(place).exists(), "{page}: {place}");
            count += 1;
        }
    }
    assert_eq!(count, 3);
    let settings = text_of("packaging/debian/confab.toml");
    let elsewhere = settings.split_whitespace().find(|it| it.starts_with("docs/"));
    assert_eq!(elsewhere, None, "repository paths are not in the package");
}
