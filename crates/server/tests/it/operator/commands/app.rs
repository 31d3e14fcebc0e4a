//! `confab app`, while the server runs.

use std::time::{Duration, Instant};

use confab_domain::limits;

use crate::support::office::sign_in;
use crate::support::process::{Folder, after};

#[tokio::test]
async fn an_app_created_while_the_server_runs_can_be_used_at_once() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    server.shop().furnish().await;
    let printed = folder.run(&["app", "create", "second", "--name", "The second app"]).ok();
    assert_eq!(after(&printed, "app id"), "second");
    let second = server.caller("second", &after(&printed, "SDK secret"));
    second.furnish().await;
    second.post_comment("ana", "support", "hello").await;
    assert!(server.shop().texts("support").await.is_empty());
    assert!(after(&printed, "secret key").len() >= 32);
    let unnamed = folder.run(&["app", "create"]).ok();
    let code = after(&unnamed, "app id");
    server.caller(&code, &after(&unnamed, "SDK secret")).furnish().await;
}

#[tokio::test]
async fn app_create_adds_an_admin_or_prints_how_to_add_one() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let printed = folder.run(&["app", "create", "second", "--admin", "Boss@Example.com"]).ok();
    let line = after(&printed, "admin");
    assert_eq!(line, "boss@example.com", "{printed}");
    let password = printed.split_whitespace().last().expect("a password").to_owned();
    let second = server.caller("second", &after(&printed, "SDK secret"));
    let fields = [("email", line), ("password", password)];
    sign_in(&second, "/api/v1/auth", &fields).await.data();

    let said = folder.run(&["app", "create", "third", "--admin", "boss@example.com"]).failed(1);
    assert!(said.contains("boss@example.com is already the sign-in name of a user"), "{said}");
    let said = folder.run(&["app", "create", "third", "--admin", "nobody"]).failed(1);
    assert!(said.contains("--admin"), "{said}");
    let printed = folder.run(&["app", "create", "third"]).ok();
    assert!(printed.contains("--admin EMAIL"), "{printed}");
    let curl = printed.lines().find(|line| line.starts_with("curl")).expect("a line to paste");
    assert!(curl.contains("create_agent") && curl.contains("SERVICE-App-Id: third"), "{curl}");
}

#[tokio::test]
async fn reserved_names_are_refused_as_app_ids() {
    let folder = Folder::with_app().await;
    for code in ["api", "bot", "dashboard", "files", "realtime", "widget", "API"] {
        let said = folder.run(&["app", "create", code]).failed(1);
        assert!(said.contains("app_id must not be"), "{said}");
    }
    folder.run(&["app", "create", "apis"]).ok();
    let fresh = Folder::new();
    fresh.write("confab.toml", "app_id = \"docs\"\n");
    let said = fresh.run(&["serve"]).failed(1);
    assert!(said.contains("app_id must not be"), "{said}");
}

#[test]
fn apps_are_listed_without_their_keys() {
    let folder = Folder::new();
    let first = folder.run(&["app", "create", "first"]).ok();
    folder.run(&["app", "create", "second", "--name", "The second app"]).ok();
    let listed = folder.run(&["app", "list"]).ok();
    let lines: Vec<_> = listed.lines().collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert!(lines[0].starts_with("first  ") && lines[1].starts_with("second  "), "{listed}");
    assert!(lines[1].ends_with("The second app"), "{listed}");
    assert!(!listed.contains(&after(&first, "SDK secret")), "{listed}");
}

#[test]
fn an_existing_or_invalid_app_id_is_refused() {
    let folder = Folder::new();
    folder.run(&["app", "create", "shop"]).ok();
    let said = folder.run(&["app", "create", "shop"]).failed(1);
    assert!(said.contains("app shop exists already"), "{said}");
    let said = folder.run(&["app", "create", "my shop"]).failed(1);
    assert!(said.contains("letters, digits, - or _"), "{said}");
    let said = folder.run(&["app", "rotate-keys", "nobody"]).failed(1);
    assert!(said.contains("there is no app nobody"), "{said}");
    assert_eq!(folder.run(&["app", "list"]).ok().lines().count(), 1);
}

#[tokio::test]
async fn rotated_keys_work_and_the_old_secret_stops_within_a_second() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let old = server.shop();
    old.furnish().await;
    let printed = folder.run(&["app", "rotate-keys", &old.code]).ok();
    let rotated = Instant::now();
    let new = old.with_secret(&after(&printed, "SDK secret"));
    assert_ne!(new.secret, old.secret);
    let asked = [("user_id", "ana")];
    // Keys are cached for a second: until then the old one may still be accepted.
    loop {
        let is_over = rotated.elapsed() >= Duration::from_millis(limits::KNOWN_APP_AGE_MS);
        let answer = old.get("user_profile", &asked).await;
        if is_over || answer.status != 200 {
            answer.refused(401, "unauthorized");
            break;
        }
    }
    new.get("user_profile", &asked).await.results();
}

#[test]
fn commands_in_a_folder_without_data_fail_and_create_nothing() {
    let folder = Folder::embedded();
    for command in [
        &["export", "shop", "shop.jsonl"][..],
        &["import", "shop", "/dev/null"],
        &["app", "list"],
        &["app", "key", "show", "shop"],
        &["user", "list"],
        &["user", "link", "ana@shop.example"],
        &["search", "rebuild"],
        &["analytics", "rebuild", "--app", "shop"],
    ] {
        let said = folder.run(command).failed(1);
        assert!(said.contains("there is no data in ./data; name"), "{command:?}: {said}");
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 0, "{command:?}");
    }
}
