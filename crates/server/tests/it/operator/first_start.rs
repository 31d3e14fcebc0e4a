//! The first start creates an app and an admin, and prints the next steps (design/operations).

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use crate::support::answer::each;
use crate::support::process::{Folder, after};

/// Returns the shell lines of a greeting: the keys and the calls.
fn lines_to_paste(greeting: &str) -> String {
    let is_key = |line: &&str| line.trim_start().starts_with(['A', 'S']) && line.contains('=');
    let keys = greeting.lines().filter(is_key);
    let calls = greeting.lines().filter(|line| {
        let line = line.trim_start();
        line.starts_with("curl") || line.starts_with('-')
    });
    keys.chain(calls).collect::<Vec<_>>().join("\n")
}

/// Runs a line in a shell; returns all JSON values that it prints.
fn paste(line: &str) -> Vec<Value> {
    let output = Command::new("bash").args(["-c", line]).output().expect("bash runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{line}\n{printed}");
    let values = serde_json::Deserializer::from_str(&printed).into_iter::<Value>();
    values.map(|value| value.unwrap_or_else(|_| panic!("no JSON: {printed}"))).collect()
}

#[test]
fn the_keys_and_calls_of_the_first_start_can_be_pasted() {
    let curl = Command::new("curl").arg("--version").output();
    assert!(curl.is_ok(), "curl is not installed; the calls of the first start need it");
    let folder = Folder::new();
    let server = folder.serve();
    let greeting = server.greeting();
    let answers = paste(&lines_to_paste(&greeting));
    let [user, room] = &answers[..] else { panic!("two calls: {greeting}\n{answers:?}") };
    assert_eq!(user["results"]["user"]["user_id"], "ana", "{user}");
    assert_eq!(room["results"]["room"]["unique_id"], "hello", "{room}");
    assert!(greeting.contains(&format!("{}/docs", server.base)), "{greeting}");
    let is_text = |line: &&str| !line.contains("/dashboard/") && !line.contains("/widget/");
    for line in greeting.lines().filter(is_text) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn the_first_start_names_the_demo_unless_a_public_url_is_set() {
    let folder = Folder::new();
    let server = folder.serve();
    let greeting = server.greeting();
    let (_, rest) = greeting.split_once("/dashboard/sign-in#").expect("a link");
    let code = rest.lines().next().expect("a code");
    assert!(greeting.contains(&format!("{}/widget/demo#{code}\n", server.base)), "{greeting}");
    let folder = Folder::new();
    let server = folder.serve_with(&["--public-url", "https://chat.example.com"], &[]);
    let greeting = server.greeting();
    assert!(greeting.contains("sign-in#") && !greeting.contains("/widget/demo"), "{greeting}");
}

/// Returns the first code block below a heading of the README.
fn block_of_readme(heading: &str) -> String {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).expect("a README");
    let below = readme.split_once(heading).expect("the heading").1;
    let block = below.split_once("```sh\n").expect("a block").1;
    block.split_once("```").expect("its end").0.to_owned()
}

/// Returns all shell blocks of a guide.
fn blocks_of(page: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
    let text = std::fs::read_to_string(format!("{folder}{page}")).expect("a page");
    let blocks = text.split("```sh\n").skip(1);
    blocks.map(|rest| rest.split_once("```").expect("its end").0.to_owned()).collect()
}

#[test]
fn the_omnichannel_guide_can_be_pasted_from_top_to_bottom() {
    let folder = Folder::new();
    let server = folder.serve();
    let greeting = server.greeting();
    let blocks = blocks_of("omnichannel.md");
    assert!(blocks.len() > 12, "{}", blocks.len());
    let lines = blocks
        .concat()
        .replace("<app id>", &after(&greeting, "APP_ID="))
        .replace("<secret key>", &after(&greeting, "SECRET_KEY="))
        .replace("<admin e-mail>", after(&greeting, "admin").trim_end_matches(','))
        .replace("<admin password>", &password(&greeting))
        .replace("http://127.0.0.1:8787", &server.base);
    assert!(!lines.contains("='<"), "the guide has no other placeholders");
    let answers = paste(&format!("set -e -o pipefail\n{lines}"));
    assert!(answers.len() > 15, "{answers:?}");
    for answer in &answers {
        assert_eq!(answer["status"], 200, "{answer}");
    }
    let resolved = answers.iter().filter(|it| it["data"]["customer_room"]["is_resolved"] == true);
    assert_eq!(resolved.count(), 1, "{answers:?}");
}

#[test]
fn the_first_message_commands_of_the_readme_work() {
    let folder = Folder::new();
    let server = folder.serve();
    let greeting = server.greeting();
    let lines = block_of_readme("## First message").replace("http://127.0.0.1:8787", &server.base);
    assert!(!lines.contains('<'), "the commands have no other placeholders: {lines}");
    let keys = ["APP_ID=", "SDK_SECRET="].map(|key| format!("{key}{}\n", after(&greeting, key)));
    let answers = paste(&(keys.concat() + &lines));
    assert_eq!(answers.len(), 5, "{answers:?}");
    for answer in &answers {
        assert_eq!(answer["status"], 200, "{answer}");
    }
    let loaded = &answers[4]["results"]["comments"];
    assert_eq!(each(loaded, "message"), ["Hi Bob!"]);
}

#[tokio::test]
async fn the_first_start_prints_the_keys_once_and_the_second_start_none() {
    let folder = Folder::new();
    let server = folder.serve();
    let greeting = server.greeting();
    let (app_id, secret) = (after(&greeting, "APP_ID="), after(&greeting, "SDK_SECRET="));
    let secrets = [secret.clone(), after(&greeting, "SECRET_KEY="), password(&greeting)];
    server.first_app().furnish().await;
    server.signal("INT");
    server.ended();

    let server = folder.serve();
    let again = server.caller(&app_id, &secret);
    again.post_comment("ana", "support", "still here").await;
    let shown = server.printed() + &server.log.text();
    assert_eq!(server.printed(), "", "a second start prints nothing");
    for secret in secrets {
        assert!(secret.len() >= 20, "{secret}");
        assert!(!shown.contains(&secret), "{shown}");
    }
}

fn password(greeting: &str) -> String {
    let line =
        greeting.lines().find(|line| line.trim_start().starts_with("admin ")).expect("admin");
    line.split_whitespace().last().expect("a password").to_owned()
}

#[tokio::test]
async fn environment_variables_preset_all_credentials() {
    let folder = Folder::new();
    let preset = [
        ("CONFAB_APP_ID", "my-app"),
        ("CONFAB_SDK_SECRET", "my-sdk-secret"),
        ("CONFAB_SECRET_KEY", "my-secret-key"),
        ("CONFAB_ADMIN_EMAIL", "me@example.org"),
        ("CONFAB_ADMIN_PASSWORD", "my-own-three-words"),
        ("CONFAB_BRANDS", "ACME,SERVICE"),
    ];
    let server = folder.serve_with(&[], &preset);
    server.caller("my-app", "my-sdk-secret").furnish().await;
    let greeting = server.greeting();
    assert!(greeting.contains("-H \"ACME-SDK-APP-ID: $APP_ID\""), "{greeting}");
    for secret in ["my-sdk-secret", "my-secret-key", "my-own-three-words"] {
        assert!(!greeting.contains(secret), "a preset secret is not printed: {greeting}");
    }
    let lines = format!("CONFAB_SDK_SECRET=my-sdk-secret\n{}", lines_to_paste(&greeting));
    assert_eq!(paste(&lines)[0]["status"], 200, "the calls use the variable of the preset");
    let users = folder.run(&["user", "list"]).ok();
    assert!(users.contains("me@example.org"), "{users}");
}

#[tokio::test]
async fn a_file_presets_some_credentials_and_the_rest_is_generated() {
    let folder = Folder::new();
    folder.write("confab.toml", "app_id = \"from-the-file\"\nsdk_secret = \"file-secret\"\n");
    let server = folder.serve();
    server.caller("from-the-file", "file-secret").furnish().await;
    assert!(after(&server.greeting(), "SECRET_KEY=").len() >= 32);
    assert_eq!(after(&server.greeting(), "admin"), "admin@localhost,");
}

#[test]
fn an_invalid_preset_is_refused_by_name() {
    let folder = Folder::new();
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--app-id", "my app!"];
    let said = folder.run(&arguments).failed(1);
    assert!(said.contains("app_id must be 1 to 64 letters, digits, - or _"), "{said}");
}

#[test]
fn a_short_or_common_preset_password_is_refused() {
    let folder = Folder::new();
    let arguments = ["serve", "--listen", "127.0.0.1:0"];
    for (password, problem) in [
        ("short", "admin_password must have 8 to 255 characters"),
        ("Admin1234", "admin_password is one of the most common passwords"),
    ] {
        let said = folder.run_with(&arguments, &[("CONFAB_ADMIN_PASSWORD", password)]).failed(1);
        assert!(said.contains(problem), "{said}");
        assert!(!said.contains(password), "{said}");
    }
}

#[test]
fn the_data_folder_is_accessible_to_its_owner_only() {
    let folder = Folder::embedded();
    folder.serve();
    let mode = std::fs::metadata(folder.data()).expect("made").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn the_keys_are_different_on_every_installation() {
    let (here, there) = (Folder::new(), Folder::new());
    let greetings = [here.serve().greeting(), there.serve().greeting()];
    for label in ["APP_ID=", "SDK_SECRET=", "SECRET_KEY="] {
        assert_ne!(after(&greetings[0], label), after(&greetings[1], label), "{label}");
    }
    assert_ne!(password(&greetings[0]), password(&greetings[1]));
}
