//! The command line: help, and clear errors for typing mistakes.

use crate::support::process::Folder;

#[test]
fn every_command_has_a_help_text() {
    let folder = Folder::embedded();
    let commands: [&[&str]; 33] = [
        &[],
        &["serve"],
        &["app"],
        &["app", "create"],
        &["app", "list"],
        &["app", "rotate-keys"],
        &["app", "key"],
        &["app", "key", "stage"],
        &["app", "key", "unstage"],
        &["app", "key", "promote"],
        &["app", "key", "retire"],
        &["app", "key", "show"],
        &["user"],
        &["user", "list"],
        &["user", "reset-password"],
        &["backup"],
        &["restore"],
        &["doctor"],
        &["ready"],
        &["completions"],
        &["man"],
        &["config"],
        &["listen"],
        &["trigger"],
        &["webhooks"],
        &["webhooks", "list"],
        &["webhooks", "show"],
        &["webhooks", "replay"],
        &["webhooks", "endpoints"],
        &["webhooks", "set"],
        &["webhooks", "pause"],
        &["webhooks", "resume"],
        &["webhooks", "test"],
    ];
    for command in commands {
        for flag in ["--help", "-h"] {
            let help = folder.run(&[command, &[flag]].concat()).ok();
            assert!(help.contains("Usage: confab"), "{command:?}: {help}");
            assert!(help.lines().count() > 5, "{command:?}: {help}");
        }
    }
    let help = folder.run(&["--help"]).ok();
    for command in [
        "serve", "app", "user", "backup", "restore", "doctor", "config", "listen", "trigger",
        "webhooks",
    ] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(command)), "{help}");
    }
    let version = folder.run(&["--version"]).ok();
    assert!(version.starts_with("confab "), "{version}");
    assert!(!folder.data().exists(), "the command creates no data folder");
}

#[test]
fn every_setting_but_secrets_is_a_flag_in_the_help_text() {
    let folder = Folder::embedded();
    let help = folder.run(&["serve", "--help"]).ok();
    for setting in confab_runtime::config::SETTINGS {
        let flag = format!("--{} ", setting.flag());
        assert_eq!(help.contains(&flag), setting.has_flag(), "{flag}");
    }
}

#[test]
fn a_usage_error_exits_with_2_and_names_the_argument() {
    let folder = Folder::embedded();
    let mistakes: [(&[&str], &str); 17] = [
        (&["serve", "--lissten", "x"], "--lissten"),
        (&["serve", "--sdk-secret", "x"], "--sdk-secret"),
        (&["serve", "extra"], "extra"),
        (&["dance"], "dance"),
        (&["app", "dance"], "dance"),
        (&["backup"], "FILE"),
        (&["restore"], "FILE"),
        (&["completions"], "SHELL"),
        (&["app", "rotate-keys"], "APP_ID"),
        (&["app", "key", "stage"], "APP_ID"),
        (&["app", "key", "promote", "shop", "--overlap-days", "31"], "--overlap-days"),
        (&["app", "key", "promote", "shop", "--overlap-days", "-1"], "-1"),
        (&["user", "reset-password"], "EMAIL"),
        (&["serve", "--listen"], "--listen"),
        (&["trigger", "bott"], "bott"),
        (&["webhooks", "list", "--limit", "101"], "101"),
        (&["webhooks", "replay", "7", "--all"], "--all"),
    ];
    for (arguments, name) in mistakes {
        let said = folder.run(arguments).failed(2);
        assert!(said.contains(name), "{arguments:?}: {said}");
        assert!(said.contains("Usage") || said.contains("--help"), "{arguments:?}: {said}");
    }
    for arguments in [&[][..], &["app"], &["app", "key"], &["user"], &["webhooks"]] {
        folder.run(arguments).failed(2);
    }
    assert!(!folder.data().exists(), "a failed command creates no data folder");
}

#[test]
fn a_closed_standard_output_is_not_an_error() {
    let ended = Folder::embedded().run_unread(&["config"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
}

#[test]
fn the_nats_url_is_never_shown() {
    let folder = Folder::embedded();
    let shown = folder.run(&["config", "--nats-url", "nats://confab:planted@127.0.0.1:1"]).ok();
    assert!(shown.contains("nats_url") && !shown.contains("planted"), "{shown}");
    let wrong = folder.run(&["serve", "--nats-url", "http://confab:planted@127.0.0.1:1"]);
    let said = wrong.failed(1);
    assert!(said.contains("nats_url (flag) is not valid; it must be an address"), "{said}");
    assert!(!said.contains("planted"), "{said}");
}

#[test]
fn the_database_url_is_never_shown_with_its_password() {
    let folder = Folder::embedded();
    let url = "postgres://confab:planted@127.0.0.1:1/chat";
    let shown = folder.run(&["config", "--database-url", url]).ok();
    assert!(shown.contains("database_url") && !shown.contains("planted"), "{shown}");
    let said = folder.run(&["app", "list", "--database-url", url]).failed(1);
    assert!(said.contains("PostgreSQL chat at 127.0.0.1:1"), "{said}");
    assert!(!said.contains("planted"), "{said}");
    let wrong = folder.run(&["app", "list", "--database-url", "postgres://a:planted@h:x/"]);
    let said = wrong.failed(1);
    assert!(said.contains("it must be an address such as"), "{said}");
    assert!(!said.contains("planted"), "{said}");
}

#[test]
fn backup_refuses_postgresql_and_names_pg_dump() {
    let url = "postgres://confab@127.0.0.1:1/chat";
    let said = Folder::embedded().run(&["backup", "copy.db", "--database-url", url]).failed(1);
    assert!(said.contains("pg_dump"), "{said}");
}
