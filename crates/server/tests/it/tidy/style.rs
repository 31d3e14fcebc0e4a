//! Rules of the style that can be checked automatically.

use super::{report, sources};

const COLUMNS_MAX: usize = 100;

#[test]
fn no_line_is_longer_than_100_columns() {
    let mut found = Vec::new();
    for source in sources() {
        let lines = source.text.lines().enumerate();
        let long = lines.filter(|(_, line)| without_string(line).chars().count() > COLUMNS_MAX);
        found.extend(long.map(|(at, _)| format!("{}:{}", source.path, at + 1)));
    }
    report("lines have at most 100 columns", &found);
}

/// Returns a line without its string literals, which need not be broken.
fn without_string(line: &str) -> String {
    match (line.find('"'), line.rfind('"')) {
        (Some(first), Some(last)) => format!("{}{}", &line[..first], &line[last..]),
        _ => line.to_owned(),
    }
}

#[test]
fn code_outside_of_tests_does_not_unwrap() {
    let mut found = Vec::new();
    for source in sources() {
        let lines = source.shipped_lines().filter(|(_, line)| line.contains(".unwrap()"));
        found.extend(lines.map(|(number, _)| format!("{}:{number}", source.path)));
    }
    report("no unwrap outside tests", &found);
}

#[test]
fn no_todo_macros_are_left() {
    let markers = ["todo", "dbg", "unimplemented"].map(|name| format!("{name}!("));
    let mut found = Vec::new();
    for source in sources() {
        for (at, line) in source.text.lines().enumerate() {
            if markers.iter().any(|marker| line.contains(marker)) {
                found.push(format!("{}:{}", source.path, at + 1));
            }
        }
    }
    report("todo!, dbg! and unimplemented! must not be left", &found);
}

#[test]
fn every_file_starts_with_a_module_comment() {
    let found: Vec<_> = sources()
        .into_iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| source.path)
        .collect();
    report("a file starts with a comment about its purpose", &found);
}

#[test]
fn tests_do_not_sleep() {
    let sleeps = [concat!("thread::", "sleep"), concat!("time::", "sleep")];
    let mut found = Vec::new();
    for source in sources() {
        let is_for_tests = source.is_in("crates/test-servers/");
        let shipped = if is_for_tests { 0 } else { source.shipped_lines().count() };
        for (at, line) in source.text.lines().enumerate().skip(shipped) {
            let is_bench = source.is_in("bench/");
            if !is_bench && sleeps.iter().any(|sleep| line.contains(sleep)) {
                found.push(format!("{}:{}", source.path, at + 1));
            }
        }
    }
    report("tests must not sleep", &found);
}
