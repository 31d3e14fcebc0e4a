//! Links between the documentation pages lead to existing files and headings.

use std::collections::BTreeSet;

use regex::Regex;

use super::{pages, report, root};

/// Returns the anchors of a page's headings, as GitHub creates them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut found = BTreeSet::new();
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        let title = line.trim_start_matches('#');
        if is_code || title == line || !title.starts_with(' ') {
            continue;
        }
        let title = title.trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let repeated = (1..).map(|count| format!("{anchor}-{count}"));
        let free = std::iter::once(anchor.clone()).chain(repeated).find(|it| !found.contains(it));
        found.extend(free);
    }
    found
}

#[test]
fn every_link_of_a_page_leads_to_an_existing_file_and_heading() {
    let code = Regex::new("(?s)```.*?```|`[^`\n]*`").expect("a pattern");
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a pattern");
    let (mut found, mut count) = (Vec::new(), 0);
    for page in pages() {
        let path = root().join(&page.path);
        let folder = path.parent().expect("a folder");
        let text = code.replace_all(&page.text, "");
        for target in link.captures_iter(&text) {
            let target = &target[1];
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { path.clone() } else { folder.join(file) };
            let has_anchor = || {
                let text = std::fs::read_to_string(&file).unwrap_or_default();
                anchors(&text).contains(anchor)
            };
            if !file.exists() || !(anchor.is_empty() || has_anchor()) {
                found.push(format!("{}: {target}", page.path));
            }
        }
    }
    assert!(count > 100, "{count} links");
    report("a link leads to an existing file and heading", &found);
}

#[test]
fn anchors_of_headings_are_those_of_github() {
    let text = "# One `code` (two)\n```\n# none\n```\n## Same\n## Same\n#tag\n";
    let expected = ["one-code-two", "same", "same-1"].map(str::to_owned);
    assert_eq!(anchors(text), BTreeSet::from(expected));
}
