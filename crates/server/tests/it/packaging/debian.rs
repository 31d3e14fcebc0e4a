//! Files of the Debian package. `scripts/test-package` tests that the package can be installed,
//! upgraded and removed.

use confab_runtime::config::SETTINGS;

use super::{default_of, text_of};
use crate::support::process::Folder;

#[test]
fn the_packaged_configuration_names_only_existing_settings() {
    let text = text_of("packaging/debian/confab.toml");
    let key = |line: &str| {
        let (key, value) = line.trim_start_matches("# ").split_once(" = ")?;
        value.starts_with('"').then(|| key.to_owned())
    };
    let keys: Vec<_> = text.lines().filter_map(key).collect();
    assert!(keys.len() >= 8, "{keys:?}");
    for key in keys {
        assert!(SETTINGS.iter().any(|setting| setting.key == key), "{key} is not a setting");
    }
    let folder = Folder::embedded();
    folder.write("confab.toml", &text);
    let shown = folder.run(&["config", "--config", "confab.toml"]).ok();
    let data = shown.lines().find(|line| line.starts_with("data ")).expect("a line");
    assert!(data.contains("/var/lib/confab") && data.ends_with("confab.toml"), "{data}");
}

#[test]
fn the_systemd_unit_starts_confab_as_its_user_and_waits_for_its_shutdown() {
    let unit = text_of("packaging/debian/confab.service");
    let value = |key: &str| {
        let line = unit.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        line.unwrap_or_else(|| panic!("{key}")).to_owned()
    };
    let start = value("ExecStart");
    let (program, arguments) = start.split_once(' ').expect("arguments");
    assert_eq!((program, value("User").as_str()), ("/usr/bin/confab", "confab"));
    // On a machine with the package the configuration file points to real data, so the test names a
    // missing file.
    let arguments: Vec<_> = arguments.split(' ').collect();
    assert_eq!(arguments[1..], ["--config", "/etc/confab/confab.toml"]);
    let refused = Folder::embedded().run(&[arguments[0], "--config", "none.toml"]).failed(1);
    assert!(refused.contains("none.toml"), "the command line parses: {refused}");
    let stop: u64 = value("TimeoutStopSec").parse().expect("seconds");
    let grace: u64 = default_of("stop_grace_seconds").parse().expect("seconds");
    let settings = text_of("packaging/debian/confab.toml");
    let drain = settings.lines().find_map(|line| line.strip_prefix("# drain_seconds = "));
    let drain: u64 = drain.expect("drain_seconds is in the file").parse().expect("seconds");
    assert!(stop > drain + grace + 10);
    for hardening in
        ["NoNewPrivileges", "ProtectSystem", "PrivateTmp", "SystemCallFilter", "LimitNOFILE"]
    {
        assert!(!value(hardening).is_empty());
    }
}
