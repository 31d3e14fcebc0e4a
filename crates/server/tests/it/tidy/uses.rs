//! Parses the `use` lines of a file into single paths.

/// Returns every path of the `use` lines of a text, with groups expanded.
pub(super) fn imported(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for statement in statements(text) {
        expand("", &statement, &mut paths);
    }
    paths
}

/// Returns the `use` statements with single blanks and without `use` and `;`.
fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(first) = start_of_use(line.trim()) else { continue };
        let mut statement = first.to_owned();
        while !statement.contains(';') {
            let Some(more) = lines.next() else { break };
            statement.push_str(more.trim());
        }
        let whole = statement.split(';').next().unwrap_or_default();
        found.push(whole.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    found
}

fn start_of_use(line: &str) -> Option<&str> {
    let public = line.strip_prefix("pub").map(|rest| rest.trim_start_matches(|c| c != ' '));
    public.unwrap_or(line).trim_start().strip_prefix("use ")
}

fn expand(before: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some((head, group)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or(tree).trim();
        paths.push(format!("{before}{name}").trim_end_matches("::self").to_owned());
        return;
    };
    let inside = group.rsplit_once('}').map_or(group, |it| it.0);
    let before = format!("{before}{}", head.trim());
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in inside.char_indices().chain([(inside.len(), ',')]) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inside[start..at].trim().is_empty() {
                    expand(&before, &inside[start..at], paths);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

#[test]
fn groups_of_imports_are_expanded() {
    let text =
        "use a::b;\npub(crate) use c::{self, d::{e, f as g},\n    h};\nfn x() {}\nuse crate::i::*;";
    let paths = imported(text);
    assert_eq!(paths, ["a::b", "c", "c::d::e", "c::d::f", "c::h", "crate::i::*"]);
}
