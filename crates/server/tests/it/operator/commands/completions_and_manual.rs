//! `confab completions` and `confab man`: generated from the command definitions, so that they are
//! never out of date (design/operations).

use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use confab_test_servers::programs::is_installed;

use crate::support::process::Folder;

const COMMANDS: [&str; 19] = [
    "serve",
    "app",
    "user",
    "analytics",
    "backup",
    "restore",
    "search",
    "secrets",
    "doctor",
    "ready",
    "check",
    "config",
    "verify",
    "listen",
    "trigger",
    "webhooks",
    "channels",
    "completions",
    "man",
];

#[test]
fn completions_of_every_shell_contain_all_commands_and_settings() {
    let folder = Folder::embedded();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = folder.run(&["completions", shell]).ok();
        for command in COMMANDS {
            assert!(said.contains(command), "{command} for {shell}");
        }
        assert!(said.contains("database-url") && said.contains("public-url"), "{shell}");
    }
    let said = folder.run(&["completions", "cmd"]).failed(2);
    assert!(said.contains("bash"), "{said}");
    assert_eq!(folder.run_unread(&["completions", "bash"]).code, Some(0));
}

#[test]
fn bash_completes_commands_and_flags() {
    if !is_installed("bash") {
        return;
    }
    let folder = Folder::embedded();
    let script = folder.run(&["completions", "bash"]).ok();
    folder.write("confab.bash", &script);
    let completed = |words: &str, at: usize| {
        let asked = format!(
            "source ./confab.bash; COMP_WORDS=({words}); COMP_CWORD={at}; \
             _confab confab \"${{COMP_WORDS[{at}]}}\" \"${{COMP_WORDS[{}]}}\"; \
             echo \"${{COMPREPLY[@]}}\"",
            at - 1
        );
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", &asked]).current_dir(folder.path()).stdin(Stdio::null());
        String::from_utf8(bash.output().expect("bash runs").stdout).expect("text")
    };
    assert_eq!(completed("confab doc", 1).trim(), "doctor");
    assert!(completed("confab serve --lis", 2).contains("--listen"));
    assert!(completed("confab app ''", 2).contains("rotate-keys"));
}

#[test]
fn the_manual_has_a_world_readable_page_for_every_command() {
    let folder = Folder::embedded();
    let page = folder.run(&["man"]).ok();
    assert!(page.contains(".TH confab 1"), "{page}");
    let page = page.replace("\\-", "-");
    for command in COMMANDS {
        assert!(page.contains(&format!("confab-{command}(1)")), "{command}: {page}");
    }
    std::fs::create_dir(folder.path().join("man1")).expect("made");
    folder.run(&["man", "--folder", "man1"]).ok();
    for command in COMMANDS {
        let page = folder.path().join(format!("man1/confab-{command}.1"));
        let mode = std::fs::metadata(&page).expect("a page").permissions().mode();
        assert_eq!(mode & 0o777, 0o644, "{command}");
    }
    let page = std::fs::read_to_string(folder.path().join("man1/confab-serve.1")).expect("a page");
    let page = page.replace("\\-", "-");
    assert!(page.contains("--database-url") && page.contains("PostgreSQL database to use"));
    let said = folder.run(&["man", "--folder", "nowhere"]).failed(1);
    assert!(said.contains("nowhere"), "{said}");
}

#[test]
fn completions_and_manual_do_not_depend_on_valid_settings() {
    let folder = Folder::embedded();
    folder.write("confab.toml", "listen = \"nowhere\"\nsurprise = 1\n");
    folder.run(&["completions", "fish"]).ok();
    folder.run(&["man"]).ok();
}
