//! No two files import each other, directly or in a loop, by a `use` outside of functions.

use std::collections::{BTreeMap, BTreeSet};

use super::uses::imported;
use super::{Source, report, sources};

/// The path of a module, starting with its crate.
type Module = Vec<String>;

/// Returns the module of a file.
fn module(path: &str) -> Option<Module> {
    let (krate, inside) = path.strip_suffix(".rs")?.split_once("/src/")?;
    let krate = krate.rsplit('/').next()?.replace('-', "_");
    let mut module = vec![format!("confab_{krate}")];
    module.extend(inside.split('/').map(str::to_owned));
    module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
    Some(module)
}

/// Returns the text of a file without comments, its test module and items for tests only.
fn shipped(source: &Source) -> String {
    let mut text = String::new();
    let mut lines = source.text.lines().filter(|line| !line.trim_start().starts_with("//"));
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            // A visibility such as `pub(in …)` is not an import.
            let hidden = line.split_once("pub(in ").and_then(|(_, rest)| rest.split_once(") "));
            text.push_str(hidden.map_or(line, |(_, item)| item));
            text.push('\n');
        } else if lines.next().is_some_and(|next| next.ends_with("mod tests {")) {
            break;
        }
    }
    text
}

/// Returns paths outside of `use` lines: `crate::limits::PAGE_MAX`, or `list::run` if the file
/// declares a module of that name.
fn in_passing(text: &str) -> impl Iterator<Item = String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let children: BTreeSet<&str> = text.lines().filter_map(child).collect();
    let paths = text.split(move |c| !is_part(c)).filter(move |path| {
        let first = path.split("::").next().unwrap_or_default();
        path.contains("::") && (first == "crate" || children.contains(first))
    });
    // `imported` handles groups.
    paths.filter(|path| !path.ends_with("::")).map(str::to_owned)
}

/// Returns the child module that a line declares, such as `pub mod list;`.
fn child(line: &str) -> Option<&str> {
    let declared = line.trim().strip_suffix(';')?;
    let (visibility, name) = declared.rsplit_once("mod ")?;
    (visibility.is_empty() || visibility.starts_with("pub")).then_some(name)
}

/// Returns the absolute form of a path.
fn absolute(path: &str, from: &Module) -> Module {
    let mut parts = path.split("::").peekable();
    let mut whole = match *parts.peek().unwrap_or(&"") {
        "crate" => from[..1].to_vec(),
        "self" | "super" => from.clone(),
        name if name.starts_with("confab_") => Module::new(),
        _ => from.clone(),
    };
    while parts.next_if(|part| ["crate", "self"].contains(part)).is_some() {}
    while parts.next_if_eq(&"super").is_some() {
        whole.pop();
    }
    whole.extend(parts.map(str::to_owned));
    whole
}

/// Returns the files that each file imports.
fn imports(sources: &[Source]) -> BTreeMap<&str, BTreeSet<&str>> {
    let shipped_files = || sources.iter().filter(|source| !source.is_test());
    let by_module: BTreeMap<Module, &str> =
        shipped_files().filter_map(|it| Some((module(&it.path)?, it.path.as_str()))).collect();
    let mut imports = BTreeMap::new();
    for source in shipped_files() {
        let Some(from) = module(&source.path) else { continue };
        let text = shipped(source);
        let paths = imported(&text).into_iter().chain(in_passing(&text));
        let file = |path: String| {
            let path = absolute(&path, &from);
            (1..=path.len()).rev().find_map(|count| by_module.get(&path[..count]).copied())
        };
        let files = paths.filter_map(file).filter(|it| *it != source.path);
        imports.insert(source.path.as_str(), files.collect());
    }
    imports
}

/// Returns the imports that are part of a loop or lie between two loops.
fn circles(mut imports: BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    loop {
        let before = imports.len();
        let imported: BTreeSet<&str> = imports.values().flatten().copied().collect();
        imports.retain(|file, imports| imported.contains(file) && !imports.is_empty());
        let left: BTreeSet<&str> = imports.keys().copied().collect();
        imports.values_mut().for_each(|files| files.retain(|file| left.contains(file)));
        if imports.len() == before {
            break;
        }
    }
    let arrows = |(file, files): (&&str, &BTreeSet<&str>)| {
        files.iter().map(|it| format!("{file} imports {it}")).collect::<Vec<_>>()
    };
    imports.iter().flat_map(arrows).collect()
}

#[test]
fn no_two_files_import_each_other_directly_or_in_a_loop() {
    let sources = sources();
    let imports = imports(&sources);
    let arrows: usize = imports.values().map(BTreeSet::len).sum();
    assert!(arrows > 1000, "imports were found: {arrows}");
    report("imports go in one direction", &circles(imports));
}

#[test]
fn import_loops_of_any_length_are_found() {
    let file = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let found = |sources: &[Source]| circles(imports(sources));
    let (a, b) = ("crates/domain/src/a.rs", "crates/domain/src/b/mod.rs");
    let straight =
        [file(a, "use crate::b::c::X;"), file(b, ""), file("crates/domain/src/b/c.rs", "")];
    assert_eq!(found(&straight), Vec::<String>::new());
    let through_three = [
        file(a, "use crate::b::{self, X};"),
        file(b, "pub use c::X;"),
        file("crates/domain/src/b/c.rs", "fn x() { crate::a::go() }"),
    ];
    assert_eq!(found(&through_three).len(), 3);
    let parent_and_child = [
        file(b, "mod c;\nfn run() { c::run() }"),
        file("crates/domain/src/b/c.rs", "use super::Parent;\npub(in crate::b) fn run() {}"),
    ];
    assert_eq!(found(&parent_and_child).len(), 2);
    let seen_by_the_parent = [
        file(b, "mod c;\nfn run() { c::run() }"),
        file("crates/domain/src/b/c.rs", "pub(in crate::b) fn run() {}"),
    ];
    assert_eq!(found(&seen_by_the_parent), Vec::<String>::new());
    let in_tests = [
        file(a, "use crate::b::X;"),
        file(b, "#[cfg(test)]\nmod tests {\n    use crate::a::Y;\n}\n"),
    ];
    assert_eq!(found(&in_tests), Vec::<String>::new());
}
