//! Finds the paths by which a file names other modules: in `use` items at any depth, and in code.

use std::collections::BTreeMap;

use super::code::{after_group, is_word, shipped, tokens};

/// A path of modules and names, or a module, whose path starts with its crate.
pub(super) type Path = Vec<String>;

/// A path of a `use` item. The last part of a glob import is `*`.
struct Use<'a> {
    path: Vec<&'a str>,
    /// Name under which the file uses the path.
    name: &'a str,
}

/// Returns every path of the `use` items of a text, with groups expanded.
pub(super) fn imported(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let starts = (0..tokens.len()).filter(|at| is_use(&tokens, *at));
    starts.flat_map(|at| uses(&tokens, at)).map(|it| it.path.join("::")).collect()
}

/// Whether a `use` item is at this position, and not the `use<'a>` of a type.
fn is_use(tokens: &[&str], at: usize) -> bool {
    tokens[at] == "use"
        && tokens.get(at + 1).is_some_and(|it| is_word(it) || ["{", "::"].contains(it))
}

fn uses<'a>(tokens: &[&'a str], at: usize) -> Vec<Use<'a>> {
    let tree = tokens[at + 1..].split(|it| *it == ";").next().unwrap_or_default();
    let mut found = Vec::new();
    expand(&[], tree, &mut found);
    found
}

fn expand<'a>(before: &[&'a str], tree: &[&'a str], found: &mut Vec<Use<'a>>) {
    let head = tree.split(|it| *it == "{" || *it == "as").next().unwrap_or_default();
    let mut path = before.to_vec();
    path.extend(head.iter().filter(|it| **it != "::"));
    if tree.get(head.len()) == Some(&"{") {
        let inside = &tree[head.len() + 1..after_group(tree, head.len()) - 1];
        let mut rest = inside;
        while !rest.is_empty() {
            let end = comma(rest);
            expand(&path, &rest[..end], found);
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    } else if !path.is_empty() {
        path.pop_if(|last| *last == "self" && !before.is_empty());
        let name = tree.get(head.len() + 1).or(path.last()).copied().unwrap_or_default();
        found.push(Use { path, name });
    }
}

/// Returns the position of the first comma outside of groups, or the length.
fn comma(tree: &[&str]) -> usize {
    let mut at = 0;
    while at < tree.len() && tree[at] != "," {
        at = if tree[at] == "{" { after_group(tree, at) } else { at + 1 };
    }
    at
}

/// The names of a file that lead to other files.
#[derive(Default)]
pub(super) struct Names {
    /// Paths behind the names of `use` and `mod` items. Functions may use one name differently.
    bound: BTreeMap<String, Vec<Path>>,
    /// Modules of which everything is visible: the file itself, and those of glob imports.
    globs: Vec<Path>,
    /// Paths in `use` items and in code. Those that begin with a name of the file are relative.
    paths: Vec<Path>,
    /// Macros that the file defines, and calls without a path.
    pub(super) own_macros: Vec<String>,
    called_macros: Vec<String>,
}

impl Names {
    /// Reads the shipped code of a file.
    pub(super) fn of(text: &str, file: &Path) -> Self {
        let tokens = shipped(&tokens(text));
        let mut names = Self { globs: vec![file.clone()], ..Self::default() };
        // The module of each open brace.
        let mut modules = vec![file.clone()];
        let mut at = 0;
        while at < tokens.len() {
            let module = modules.last().unwrap_or(file).clone();
            at += match &tokens[at..] {
                ["use", ..] if is_use(&tokens, at) => {
                    uses(&tokens, at).into_iter().for_each(|it| names.import(&it, &module));
                    tokens[at..].iter().take_while(|it| **it != ";").count()
                }
                ["mod", name, end, ..] if ["{", ";"].contains(end) => {
                    names.bind(name, child(&module, name));
                    if *end == "{" {
                        modules.push(child(&module, name));
                    }
                    3
                }
                ["{", ..] => {
                    modules.push(module);
                    1
                }
                ["}", ..] => {
                    modules.pop();
                    1
                }
                // A visibility is not an import.
                ["pub", "(", ..] => after_group(&tokens, at + 1) - at,
                ["#", "[", ..] => {
                    let attribute = &tokens[at..after_group(&tokens, at + 1)];
                    names.read_strings(attribute, &module);
                    1
                }
                ["macro_rules", "!", name, ..] => {
                    names.own_macros.push((*name).to_owned());
                    3
                }
                ["::" | ".", word, ..] if is_word(word) => 2,
                ["$", word, ..] if *word != "crate" => 2,
                [word, "!", "(" | "[" | "{", ..] => {
                    names.called_macros.push((*word).to_owned());
                    1
                }
                [word, ..] if is_word(word) => names.read_path(&tokens[at..], &module),
                _ => 1,
            };
        }
        names
    }

    fn import(&mut self, import: &Use<'_>, module: &Path) {
        let path = absolute(&import.path, module);
        if import.name == "*" {
            self.globs.push(path[..path.len() - 1].to_vec());
        } else {
            self.bind(import.name, path.clone());
        }
        self.paths.push(path);
    }

    fn bind(&mut self, name: &str, path: Path) {
        self.bound.entry(name.to_owned()).or_default().push(path);
    }

    /// Reads a path such as `crate::limits::PAGE_MAX` and returns the number of its tokens.
    fn read_path(&mut self, tokens: &[&str], module: &Path) -> usize {
        let mut path = vec![tokens[0]];
        while let ["::", part, ..] = &tokens[2 * path.len() - 1..]
            && is_word(part)
        {
            path.push(part);
        }
        if path.len() > 1 {
            self.paths.push(absolute(&path, module));
        }
        2 * path.len() - 1
    }

    /// Reads the paths in strings of an attribute, such as `#[serde(with = "crate::dates")]`.
    fn read_strings(&mut self, attribute: &[&str], module: &Path) {
        for pair in attribute.windows(2).filter(|pair| pair[0] == "=") {
            let inside = tokens(pair[1].trim_matches('"'));
            if inside.first().is_some_and(|it| is_word(it)) {
                self.read_path(&inside, module);
            }
        }
    }

    /// Returns the absolute paths by which the file names other modules.
    pub(super) fn paths(&self) -> Vec<Path> {
        self.paths.iter().flat_map(|path| self.resolved(path, false, 0)).collect()
    }

    /// Replaces the first name of a path by the paths behind it.
    fn resolved(&self, path: &Path, is_from_glob: bool, depth: usize) -> Vec<Path> {
        const DEPTH_MAX: usize = 8;
        let first = path.first().map_or("", String::as_str);
        if first.starts_with("confab_") {
            return vec![path.clone()];
        }
        if depth == DEPTH_MAX {
            return Vec::new();
        }
        let mut found = Vec::new();
        for bound in self.bound.get(first).into_iter().flatten() {
            // `use url;` names a crate, not itself.
            if bound[0] != first {
                let path = [bound, &path[1..]].concat();
                found.extend(self.resolved(&path, is_from_glob, depth + 1));
            }
        }
        // A name of the file hides the names of globs.
        let is_hidden = is_from_glob || self.bound.contains_key(first);
        for glob in self.globs.iter().filter(|_| !is_hidden) {
            found.extend(self.resolved(&[glob, &path[..]].concat(), true, depth + 1));
        }
        found
    }

    /// Returns the macros that the file calls without defining or importing them.
    pub(super) fn inherited_macros(&self) -> impl Iterator<Item = &String> {
        let is_own =
            |name: &&String| self.own_macros.contains(name) || self.bound.contains_key(*name);
        self.called_macros.iter().filter(move |name| !is_own(name))
    }
}

fn child(module: &Path, name: &str) -> Path {
    [module.as_slice(), &[name.to_owned()]].concat()
}

/// Returns the absolute form of a path that begins with `crate`, `self` or `super`.
fn absolute(path: &[&str], module: &Path) -> Path {
    let mut parts = path.iter().peekable();
    let mut whole = match path[0] {
        "crate" => module[..1].to_vec(),
        "self" | "super" => module.clone(),
        _ => Path::new(),
    };
    while parts.next_if(|part| ["crate", "self"].contains(part)).is_some() {}
    while parts.next_if(|part| **part == "super").is_some() {
        whole.pop();
    }
    whole.extend(parts.map(|part| (*part).to_owned()));
    whole
}

#[test]
fn groups_of_imports_are_expanded() {
    let text =
        "use a::b;\npub(crate) use c::{self, d::{e, f as g},\n    h};\nfn x() {}\nuse crate::i::*;";
    let paths = imported(text);
    assert_eq!(paths, ["a::b", "c", "c::d::e", "c::d::f", "c::h", "crate::i::*"]);
}
