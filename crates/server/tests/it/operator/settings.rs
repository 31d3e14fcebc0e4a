//! Precedence of settings: flag, environment, file, default (design/operations).

use crate::support::process::Folder;

/// Returns the words of the `confab config` line about a setting.
fn line(printed: &str, key: &str) -> Vec<String> {
    let line = printed.lines().find(|line| line.split_whitespace().next() == Some(key));
    let line = line.unwrap_or_else(|| panic!("{key} in {printed}"));
    line.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn config_shows_every_setting_with_its_value_and_source() {
    let folder = Folder::embedded();
    folder.write(
        "confab.toml",
        "data = \"./file-data\"\nlisten = \"127.0.0.1:3\"\nlog_level = \"warn\"",
    );
    let environment = [("CONFAB_LISTEN", "127.0.0.1:2"), ("CONFAB_LOG_LEVEL", "debug")];
    let arguments = ["config", "--listen", "127.0.0.1:1"];
    let printed = folder.run_with(&arguments, &environment).ok();
    assert_eq!(line(&printed, "listen"), ["listen", "127.0.0.1:1", "flag"]);
    assert_eq!(line(&printed, "log_level"), ["log_level", "debug", "environment"]);
    assert_eq!(line(&printed, "data"), ["data", "./file-data", "confab.toml"]);
    assert_eq!(line(&printed, "log_format"), ["log_format", "text", "default"]);
    for setting in confab_runtime::config::SETTINGS {
        line(&printed, setting.key);
    }
    assert!(!folder.data().exists(), "the command creates no data folder");
}

#[test]
fn config_masks_secrets_from_every_source() {
    let folder = Folder::embedded();
    folder.write("confab.toml", "secret_key = \"hidden-in-the-file\"");
    let environment =
        [("CONFAB_SDK_SECRET", "hidden-in-the-air"), ("CONFAB_ADMIN_PASSWORD", "hidden-too")];
    let ended = folder.run_with(&["config"], &environment);
    let shown = format!("{}{}", ended.out, ended.err);
    let printed = ended.ok();
    assert!(!shown.contains("hidden"), "{shown}");
    assert_eq!(line(&printed, "sdk_secret"), ["sdk_secret", "********", "environment"]);
    assert_eq!(line(&printed, "admin_password"), ["admin_password", "********", "environment"]);
    assert_eq!(line(&printed, "secret_key"), ["secret_key", "********", "confab.toml"]);
    let unset = folder.run_with(&["config", "--config", "/dev/null"], &[]).ok();
    assert_eq!(
        line(&unset, "sdk_secret"),
        ["sdk_secret", "default"],
        "an empty secret is not masked"
    );
}

#[test]
fn another_file_can_be_named_and_must_exist() {
    let folder = Folder::embedded();
    folder.write("other.toml", "log_level = \"error\"");
    let printed = folder.run(&["config", "--config", "other.toml"]).ok();
    assert_eq!(line(&printed, "log_level"), ["log_level", "error", "other.toml"]);
    let said = folder.run(&["config", "--config", "missing.toml"]).failed(1);
    assert!(said.contains("missing.toml cannot be read"), "{said}");
}

#[test]
fn an_unknown_key_in_the_file_is_refused_with_the_known_ones() {
    let folder = Folder::embedded();
    folder.write("confab.toml", "lissten = \"127.0.0.1:1\"");
    for command in [&["serve"][..], &["config"], &["app", "list"], &["backup", "x"]] {
        let said = folder.run(command).failed(1);
        assert!(said.contains("lissten") && said.contains("lmtp_domains, data"), "{said}");
        assert!(said.contains("confab.toml"), "{said}");
    }
    assert!(!folder.data().exists(), "a failed command creates no data folder");
}

#[test]
fn a_file_that_is_not_toml_is_refused_with_its_name_and_line() {
    let folder = Folder::embedded();
    folder.write("confab.toml", "listen = 127.0.0.1:1");
    let said = folder.run(&["serve"]).failed(1);
    assert!(said.contains("confab.toml is not valid TOML") && said.contains("line 1"), "{said}");
}

#[test]
fn an_invalid_value_is_refused_with_its_name_source_and_allowed_values() {
    let folder = Folder::embedded();
    let said = folder.run(&["serve", "--log-level", "loud"]).failed(1);
    for part in ["log_level", "loud", "flag", "error, warn, info, debug or trace"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    let environment = [("CONFAB_APP_REQUESTS_PER_SECOND", "many")];
    let said = folder.run_with(&["serve"], &environment).failed(1);
    for part in ["app_requests_per_second", "many", "environment", "a whole number"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    folder.write("confab.toml", "listen = \"here\"");
    let said = folder.run(&["serve"]).failed(1);
    for part in ["listen", "here", "confab.toml", "an address and port"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    folder.write("confab.toml", "stop_grace_seconds = true");
    let said = folder.run(&["serve"]).failed(1);
    assert!(said.contains("stop_grace_seconds has the wrong type"), "{said}");
    assert!(!folder.data().exists(), "a failed command creates no data folder");
}

#[test]
fn config_shows_all_values_and_names_an_invalid_one() {
    let folder = Folder::embedded();
    let ended = folder.run(&["config", "--log-format", "xml"]);
    assert_eq!(line(&ended.out, "log_format"), ["log_format", "xml", "flag"]);
    let said = ended.failed(1);
    assert!(said.contains("log_format") && said.contains("text or json"), "{said}");
}

#[test]
fn an_unknown_variable_is_only_a_warning() {
    let folder = Folder::embedded();
    let ended = folder.run_with(&["config"], &[("CONFAB_SERVICE_HOST", "10.0.0.1")]);
    assert!(ended.err.contains("CONFAB_SERVICE_HOST"), "{}", ended.err);
    ended.ok();
}

#[test]
fn a_listen_address_in_use_is_named_with_its_setting() {
    let folder = Folder::embedded();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    for (setting, arguments) in [
        ("listen (--listen, CONFAB_LISTEN)", ["--listen", &address, "--mqtt-listen", ""]),
        (
            "mqtt_listen (--mqtt-listen, CONFAB_MQTT_LISTEN)",
            ["--mqtt-listen", &address, "--listen", "127.0.0.1:0"],
        ),
    ] {
        let said = folder.run(&[&["serve"], &arguments[..]].concat()).failed(1);
        assert!(said.contains(&format!("cannot listen on {address}")), "{said}");
        assert!(said.contains(setting), "{said}");
    }
}

#[tokio::test]
async fn a_server_starts_without_mqtt_if_the_default_port_is_in_use() {
    let folder = Folder::embedded().and_app().await;
    // If binding fails, another program has the port, which serves the test as well.
    let _taken = std::net::TcpListener::bind("127.0.0.1:1883");
    let server = folder.launch_without(&["CONFAB_MQTT_LISTEN"]).listening();
    let line = server.log.wait_for("MQTT over TCP is off");
    for part in ["127.0.0.1:1883", "--mqtt-listen", "CONFAB_MQTT_LISTEN"] {
        assert!(line.contains(part), "{line}");
    }
    server.shop().register("ana").await;
}
