//! Programs that stand in a page of the documentation, and what can run them here.

/// The program in the fenced block of a language.
pub fn program<'a>(page: &'a str, language: &str) -> &'a str {
    let start = format!("```{language}\n");
    let (_, rest) = page.split_once(&start).unwrap_or_else(|| panic!("{language} on the page"));
    rest.split_once("```").expect("the block ends").0
}

/// Whether a program of this name is found by the PATH.
pub fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}
