//! Compares the OpenAPI document with the released one: nothing may be removed or narrowed.
//!
//! `released.txt` is the document of the last release, one fact per line. Additions are allowed.
//! Each removal or restriction needs an entry with its reason in `intended.txt`.

mod facts;
mod narrowed;
mod tests_of_comparison;

use std::collections::BTreeSet;
use std::path::PathBuf;

use facts::Contract;
use narrowed::narrowed;

fn file(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/contract")).join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).expect("a file of this folder")
}

/// Returns the contract of the current routes.
fn current() -> Contract {
    let document = confab_http::document(&["SERVICE".to_owned()]);
    Contract::of_document(&serde_json::to_value(document).expect("JSON"))
}

/// Returns the contract of the document in `web/openapi.json`.
fn served() -> Contract {
    let document = text("../../../../../web/openapi.json");
    Contract::of_document(&serde_json::from_str(&document).expect("JSON"))
}

/// An intended change as the comparison reports it, where `*` matches any text.
struct Intended {
    change: String,
    reason: String,
}

impl Intended {
    /// Parses the list: one change per line, with its reason indented below.
    fn list(text: &str) -> Vec<Self> {
        let mut list: Vec<Self> = Vec::new();
        for line in text.lines().filter(|it| !it.is_empty() && !it.starts_with('#')) {
            match (line.strip_prefix("    "), list.last_mut()) {
                (Some(reason), Some(last)) => last.reason += reason,
                _ => list.push(Self { change: line.to_owned(), reason: String::new() }),
            }
        }
        list
    }

    fn covers(&self, change: &str) -> bool {
        let mut parts = self.change.split('*');
        let first = parts.next().unwrap_or_default();
        let Some(mut rest) = change.strip_prefix(first) else { return false };
        let mut parts: Vec<_> = parts.collect();
        let Some(last) = parts.pop() else { return rest.is_empty() };
        for part in parts {
            let Some((_, after)) = rest.split_once(part) else { return false };
            rest = after;
        }
        rest.ends_with(last)
    }
}

/// Returns the problems: changes that are not listed as intended, and entries without a change or a
/// reason.
fn problems(changes: &BTreeSet<String>, intended: &[Intended]) -> Vec<String> {
    let is_meant = |change: &&String| intended.iter().any(|it| it.covers(change));
    let unmeant = changes.iter().filter(|change| !is_meant(change)).cloned();
    let unneeded = intended.iter().filter(|it| !changes.iter().any(|change| it.covers(change)));
    let unneeded = unneeded.map(|it| format!("intended.txt: no change is “{}”", it.change));
    let bare = intended.iter().filter(|it| it.reason.is_empty());
    let bare = bare.map(|it| format!("intended.txt: “{}” has no reason below it", it.change));
    unmeant.chain(unneeded).chain(bare).collect()
}

#[test]
fn the_released_contract_holds_except_for_intended_changes() {
    // Only the value `released` updates the file.
    if std::env::var_os("CONFAB_WRITE_GENERATED").is_some_and(|it| it == "released") {
        std::fs::write(file("released.txt"), served().to_text()).expect("written");
        return;
    }
    let released = Contract::of_text(&text("released.txt"));
    let changes = narrowed(&released, &current());
    let problems = problems(&changes, &Intended::list(&text("intended.txt")));
    assert!(
        problems.is_empty(),
        "{} changes break the released contract:\n\n{}\n\nUndo them, or enter them with their \
         reason in crates/server/tests/it/contract/intended.txt.",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn a_contract_written_as_text_is_parsed_back_unchanged() {
    let released = text("released.txt");
    assert!(Contract::of_text(&released).to_text() == released, "released.txt was edited by hand");
    let current = current();
    assert!(Contract::of_text(&current.to_text()) == current);
}

#[test]
fn unlisted_changes_and_entries_without_a_change_or_a_reason_are_reported() {
    let list = "# About the list.\nGET /a: status 4* is gone\n    Never answered.\nB.c: is gone\n";
    let list = Intended::list(list);
    let changes = ["GET /a: status 404 is gone", "GET /b: status 404 is gone"];
    let changes = changes.map(str::to_owned).into();
    let expected = [
        "GET /b: status 404 is gone",
        "intended.txt: no change is “B.c: is gone”",
        "intended.txt: “B.c: is gone” has no reason below it",
    ];
    assert_eq!(problems(&changes, &list), expected);
}
