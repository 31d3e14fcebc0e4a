//! No two files import each other, directly or in a loop, by a path of any form.

use std::collections::{BTreeMap, BTreeSet};

use super::uses::{Names, Path};
use super::{Source, report, sources};

/// Returns the module of a file.
fn module(path: &str) -> Option<Path> {
    let (krate, inside) = path.strip_suffix(".rs")?.split_once("/src/")?;
    let krate = krate.rsplit('/').next()?.replace('-', "_");
    let mut module = vec![format!("confab_{krate}")];
    module.extend(inside.split('/').map(str::to_owned));
    module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
    Some(module)
}

/// Returns the files that each file imports.
fn imports(sources: &[Source]) -> BTreeMap<&str, BTreeSet<&str>> {
    let shipped_files = sources.iter().filter(|source| !source.is_test());
    let files: BTreeMap<Path, (&str, Names)> = shipped_files
        .filter_map(|it| Some((module(&it.path)?, it)))
        .map(|(module, it)| (module.clone(), (it.path.as_str(), Names::of(&it.text, &module))))
        .collect();
    let file = |path: Path| (1..=path.len()).rev().find_map(|count| files.get(&path[..count]));
    let imported = |module: &Path, names: &Names| {
        let by_path = names.paths().into_iter().filter_map(file);
        // A macro is visible in the modules next to and below the one that defines it.
        let by_macro = names.inherited_macros().flat_map(|name| {
            let definers = files.iter().filter(|(_, (_, names))| names.own_macros.contains(name));
            let above = definers.filter(|(it, _)| module.starts_with(&it[..1.max(it.len() - 1)]));
            above.map(|(_, file)| file)
        });
        by_path.chain(by_macro).map(|(path, _)| *path).collect::<BTreeSet<_>>()
    };
    let mut imports = BTreeMap::new();
    for (module, (path, names)) in &files {
        let mut imported = imported(module, names);
        imported.remove(path);
        imports.insert(*path, imported);
    }
    imports
}

/// Returns the imports that are part of a loop.
fn circles(imports: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    let reachable: BTreeMap<_, _> =
        imports.keys().map(|it| (*it, reachable(imports, it))).collect();
    let mut found = Vec::new();
    for (file, imported) in imports {
        let back = imported.iter().filter(|it| reachable[**it].contains(file));
        found.extend(back.map(|it| format!("{file} imports {it}")));
    }
    found
}

/// Returns the files that a file imports, directly or indirectly.
fn reachable<'a>(imports: &BTreeMap<&str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut left: Vec<_> = imports[from].iter().copied().collect();
    while let Some(file) = left.pop() {
        if found.insert(file) {
            left.extend(&imports[file]);
        }
    }
    found
}

#[test]
fn no_two_files_import_each_other_directly_or_in_a_loop() {
    let sources = sources();
    let imports = imports(&sources);
    let arrows: usize = imports.values().map(BTreeSet::len).sum();
    assert!(arrows > 1000, "imports were found: {arrows}");
    report("imports go in one direction", &circles(&imports));
}

fn file(path: &str, text: &str) -> Source {
    Source { path: path.to_owned(), text: text.to_owned() }
}

fn found(sources: &[Source]) -> Vec<String> {
    circles(&imports(sources))
}

#[test]
fn import_loops_of_any_length_are_found() {
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

/// Returns the number of imports in a loop, if `a` has this text and `b` imports `a`.
fn loop_with(text: &str) -> usize {
    let root = "#[macro_use]\nmod b;\nmod a;";
    found(&[
        file("crates/domain/src/lib.rs", root),
        file("crates/domain/src/a.rs", text),
        file("crates/domain/src/b.rs", "use crate::a::A;\nmacro_rules! x { () => {} }"),
    ])
    .len()
}

#[test]
fn an_import_of_every_form_is_found() {
    let forms = [
        "use crate::b::X;",
        "pub(crate) use super::b::X as Y;",
        "use crate::{c, b::{X, Y}};",
        "fn f() { use crate::b; }",
        "fn f() { { use super::b::{self as other}; } }",
        "use crate::b; fn f() { b::x() }",
        "use crate as root; fn f() { root::b::x() }",
        "fn f() { use crate as root; use root::b as other; other::x() }",
        "use super::*; fn f() { b::x() }",
        "fn f() { crate::b::x::<u8>() }",
        "fn f() { super::b::x() }",
        "fn f() { let 'x' = c else { super::b::x() }; }",
        "mod inside { fn f() { super::super::b::x() } }",
        "mod inside {} fn f() { super::b::x() }",
        "fn f(x: &'static super::b::X) -> Vec<crate::b::X> {}",
        "impl crate::b::X for Y {}",
        "fn f() { <crate::b::X as Y>::x() }",
        "#[derive(crate::b::X)] struct A;",
        "#[serde(with = \"crate::b\")] struct A;",
        "#[serde(default = \"super::b::x\")] struct A;",
        "fn f() { crate::b::x!() }",
        "macro_rules! y { () => { $crate::b::x() } }",
        "fn f() { x!() }",
        "#[cfg(not(test))] use crate::b::X;",
        "#[cfg(test)] use crate::c; use crate::b;",
    ];
    let missed: Vec<_> = forms.into_iter().filter(|text| loop_with(text) != 2).collect();
    assert_eq!(missed, Vec::<&str>::new());
}

#[test]
fn text_that_only_resembles_an_import_is_not_found() {
    let others = [
        "// use crate::b;",
        "/// [`crate::b::X`]",
        "/* use /* crate::b; */ crate::b; */",
        "fn f() { \"crate::b::x()\"; r#\"crate::b::x\"#; }",
        "pub(in crate::b) fn f() {}",
        "fn f() { x.b::<u8>(); y::crate_b::x() }",
        "use other::b; fn f() { b::x() }",
        "mod inside { fn f() { super::b::x() } }",
        "macro_rules! x { () => {} } fn f() { x!() }",
        "#[cfg(test)] fn f() { crate::b::x() }",
        "#[cfg(test)] mod tests { use crate::b; } fn f() {}",
    ];
    let wrong: Vec<_> = others.into_iter().filter(|text| loop_with(text) != 0).collect();
    assert_eq!(wrong, Vec::<&str>::new());
}
