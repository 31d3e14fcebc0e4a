//! The command line: help for everybody, and a clear word for who mistypes.

use crate::process::Folder;

#[test]
fn every_command_explains_itself() {
    let folder = Folder::embedded();
    let commands: [&[&str]; 11] = [
        &[],
        &["serve"],
        &["app"],
        &["app", "create"],
        &["app", "list"],
        &["app", "rotate-keys"],
        &["user"],
        &["user", "list"],
        &["user", "reset-password"],
        &["backup"],
        &["config"],
    ];
    for command in commands {
        for flag in ["--help", "-h"] {
            let help = folder.run(&[command, &[flag]].concat()).ok();
            assert!(help.contains("Usage: confab"), "{command:?}: {help}");
            assert!(help.lines().count() > 5, "{command:?}: {help}");
        }
    }
    let help = folder.run(&["--help"]).ok();
    for command in ["serve", "app", "user", "backup", "config"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(command)), "{help}");
    }
    let version = folder.run(&["--version"]).ok();
    assert!(version.starts_with("confab "), "{version}");
    assert!(!folder.data().exists(), "asking makes nothing");
}

#[test]
fn every_setting_is_a_flag_with_a_help_text_but_secrets_are_not() {
    let folder = Folder::embedded();
    let help = folder.run(&["serve", "--help"]).ok();
    for setting in confab_server::config::SETTINGS {
        let flag = format!("--{} ", setting.flag());
        assert_eq!(help.contains(&flag), setting.has_flag(), "{flag}");
    }
}

#[test]
fn a_mistake_on_the_command_line_ends_with_2_and_names_the_mistake() {
    let folder = Folder::embedded();
    let mistakes: [(&[&str], &str); 9] = [
        (&["serve", "--lissten", "x"], "--lissten"),
        (&["serve", "--sdk-secret", "x"], "--sdk-secret"),
        (&["serve", "extra"], "extra"),
        (&["dance"], "dance"),
        (&["app", "dance"], "dance"),
        (&["backup"], "FILE"),
        (&["app", "rotate-keys"], "APP_ID"),
        (&["user", "reset-password"], "EMAIL"),
        (&["serve", "--listen"], "--listen"),
    ];
    for (arguments, name) in mistakes {
        let said = folder.run(arguments).failed(2);
        assert!(said.contains(name), "{arguments:?}: {said}");
        assert!(said.contains("Usage") || said.contains("--help"), "{arguments:?}: {said}");
    }
    for arguments in [&[][..], &["app"], &["user"]] {
        folder.run(arguments).failed(2);
    }
    assert!(!folder.data().exists(), "a mistake makes nothing");
}
