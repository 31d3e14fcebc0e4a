//! `confab user`: resetting lost passwords.

use confab_domain::agents::role::Role;
use confab_domain::app::AppCode;
use confab_store::{NewAgentAccount, NewApp};

use crate::support::engine;
use crate::support::process::Folder;

const PRESET: [(&str, &str); 2] =
    [("CONFAB_ADMIN_EMAIL", "boss@example.org"), ("CONFAB_ADMIN_PASSWORD", "forgotten")];

#[test]
fn dashboard_users_are_listed_while_the_server_runs() {
    let folder = Folder::new();
    let _server = folder.serve_with(&["--app-id", "shop"], &PRESET);
    let listed = folder.run(&["user", "list"]).ok();
    assert_eq!(listed, "boss@example.org  admin  shop  Admin\n");
}

#[test]
fn a_new_password_is_generated_or_read_from_standard_input() {
    let folder = Folder::new();
    let _server = folder.serve_with(&[], &PRESET);
    let printed = folder.run(&["user", "reset-password", "boss@example.org"]).ok();
    let made = printed.trim().rsplit(' ').next().expect("a password");
    assert!(printed.starts_with("The new password of boss@example.org is "), "{printed}");
    assert!(made.len() >= 20, "{printed}");
    let again = folder.run(&["user", "reset-password", "boss@example.org"]).ok();
    assert_ne!(again, printed);
    let arguments = ["user", "reset-password", "boss@example.org"];
    let printed = folder.run_with_input(&arguments, "my own choice\n").ok();
    assert_eq!(printed, "The password of boss@example.org is changed.\n");
}

#[test]
fn a_short_or_common_password_is_refused() {
    let folder = Folder::new();
    let _server = folder.serve_with(&[], &PRESET);
    let arguments = ["user", "reset-password", "boss@example.org"];
    for (password, problem) in [
        ("short", "the password must have 8 to 255 characters"),
        ("Password123", "the password is one of the most common passwords"),
    ] {
        let said = folder.run_with_input(&arguments, password).failed(1);
        assert!(said.contains(problem), "{said}");
        assert!(!said.contains(password), "{said}");
    }
}

#[test]
fn an_unknown_user_is_named_in_the_error() {
    let folder = Folder::new();
    folder.run(&["app", "create", "shop"]).ok();
    let said = folder.run(&["user", "reset-password", "nobody@example.org"]).failed(1);
    assert!(said.contains("there is no user nobody@example.org"), "{said}");
    assert_eq!(folder.run(&["user", "list"]).ok(), "");
}

#[tokio::test]
async fn control_characters_in_stored_names_are_replaced_when_listed() {
    let folder = Folder::new();
    let admin = NewAgentAccount {
        email: "boss@example.org".to_owned(),
        name: "\u{1b}[2JBoss\nadmin".to_owned(),
        role: Role::Admin,
        password_hash: String::new(),
        sdk_key: "sdk-key".to_owned(),
    };
    let app = NewApp {
        code: AppCode::parse("shop").expect("a code"),
        name: "Shop\u{9b}31m".to_owned(),
        sdk_secret: "sdk".to_owned(),
        secret_key: "key".to_owned(),
        system_token: "token".to_owned(),
    };
    let mut registry = engine::registry(&folder.location()).await;
    assert!(registry.create_app(&app, Some(&admin)).await.expect("made"));
    let listed = folder.run(&["user", "list"]).ok();
    assert_eq!(listed, "boss@example.org  admin  shop  \u{fffd}[2JBoss admin\n");
    let apps = folder.run(&["app", "list"]).ok();
    assert!(apps.ends_with("  Shop\u{fffd}31m\n"), "{apps}");
    let said = folder.run(&["app", "create", "other", "--name", "\u{1b}[2J"]).failed(1);
    assert!(said.contains("name must not contain control characters"), "{said}");
}
