//! Programs quoted in a page of the documentation, and whether they can run on this machine.

/// Returns the program in the first fenced block of this language.
pub fn program<'a>(page: &'a str, language: &str) -> &'a str {
    let start = format!("```{language}\n");
    let (_, rest) =
        page.split_once(&start).unwrap_or_else(|| panic!("the page has no block of {language}"));
    rest.split_once("```").expect("the block ends").0
}

/// Whether the PATH contains a program of this name.
pub fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}
