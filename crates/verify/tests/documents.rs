//! Tests that the programs in `docs/webhooks.md` work as documented, in every installed language.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use confab_test_servers::programs::{is_installed, program};
use confab_verify::sign;

const PAGE: &str = include_str!("../../../docs/webhooks.md");
const KEY: &str = "7f3c9e1d5a8b2c4e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6";
const BODIES: [&str; 4] = ["{}", r#"{"text":"Grüße 👋 \u2028"}"#, "{\"a\": 1.0}\n", ""];

/// Language on the page, file name, and command that runs the file. The Rust program is a doc test
/// of the crate. Go compiles first, which takes time.
const LANGUAGES: [(&str, &str, &[&str]); 4] = [
    ("javascript", "verify.js", &["node"]),
    ("python", "verify.py", &["python3"]),
    ("go", "verify.go", &["go", "run"]),
    ("php", "verify.php", &["php"]),
];

/// Whether the program accepts the body.
fn accepts(command: &[&str], file: &Path, body: &[u8], signature: &str) -> bool {
    let mut child = Command::new(command[0])
        .args(&command[1..])
        .arg(file)
        .args([KEY, signature])
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    // A program that fails immediately does not read its input.
    let _ = child.stdin.take().expect("piped").write_all(body);
    child.wait().expect("it ends").success()
}

#[test]
fn the_programs_on_the_page_accept_only_signed_bodies() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut ran = Vec::new();
    for (language, file, command) in LANGUAGES {
        let file = folder.path().join(file);
        std::fs::write(&file, program(PAGE, language)).expect("written");
        if !is_installed(command[0]) {
            println!("{language}: not run, {} is not installed", command[0]);
            continue;
        }
        for body in BODIES.map(str::as_bytes) {
            let right = sign(KEY, body);
            assert!(accepts(command, &file, body, &right), "{language}: the correct signature");
            let changed = [body, b" "].concat();
            assert!(!accepts(command, &file, &changed, &right), "{language}: a changed body");
            let other = sign("another key", body);
            assert!(!accepts(command, &file, body, &other), "{language}: another key");
            assert!(!accepts(command, &file, body, "nonsense"), "{language}: nonsense");
        }
        ran.push(language);
    }
    println!("ran: {}", ran.join(", "));
    assert!(!ran.is_empty(), "install node, python3, go or php to check the page");
}

#[test]
fn the_rust_program_calls_this_crate() {
    assert!(
        program(PAGE, "rust")
            .contains("confab_verify::verify(&arguments[1], &body, &arguments[2])")
    );
}
