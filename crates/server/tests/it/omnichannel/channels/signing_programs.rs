//! The programs of `docs/widget.md` sign tokens that authenticate a customer, in every language
//! that is installed.

use std::path::Path;
use std::process::Command;

use confab_test_servers::programs::{is_installed, program};
use serde_json::json;

use super::widget::nonce;
use crate::support::office::Office;
use crate::support::test_server::TestServer;

const PAGE: &str = include_str!("../../../../../../docs/widget.md");

/// Language on the page, file name, and command that runs the file.
const LANGUAGES: [(&str, &str, &[&str]); 5] = [
    ("javascript", "sign.cjs", &["node"]),
    ("python", "sign.py", &["python3"]),
    ("php", "sign.php", &["php"]),
    ("ruby", "sign.rb", &["ruby"]),
    ("go", "sign.go", &["go", "run"]),
];

fn signed(command: &[&str], file: &Path, given: [&str; 4]) -> String {
    let ran = Command::new(command[0]).args(&command[1..]).arg(file).args(given).output();
    String::from_utf8(ran.expect("the program runs").stdout).expect("text").trim().to_owned()
}

#[tokio::test]
async fn the_documented_programs_sign_tokens_that_the_server_accepts() {
    let server = TestServer::start().await;
    let admin = Office::of(&server).hire("ada", "admin").await;
    let required = json!({"is_identity_required": true});
    admin.put("/api/v2/widget_settings", required).await.data();
    let folder = tempfile::tempdir().expect("a folder");
    let mut ran = Vec::new();
    for (language, file, command) in LANGUAGES {
        let file = folder.path().join(file);
        std::fs::write(&file, program(PAGE, language)).expect("written");
        if !is_installed(command[0]) {
            println!("{language}: not run, {} is not installed", command[0]);
            continue;
        }
        for user in ["vera", "vera@example.com"] {
            for (secret, is_right) in [(server.secret.as_str(), true), ("another secret", false)] {
                let nonce = nonce(&server).await;
                let token = signed(command, &file, [secret, "shop", user, &nonce]);
                let body = json!({
                    "app_id": "shop", "user_id": user, "name": "Vera", "nonce": nonce,
                    "identity_token": token,
                });
                let status = server.initiate_chat(&body).await.status;
                assert_eq!(status == 200, is_right, "{language}, {user}: {status}");
            }
        }
        ran.push(language);
    }
    println!("ran: {}", ran.join(", "));
    assert!(!ran.is_empty(), "install node, python3, php, ruby or go to check the page");
}
