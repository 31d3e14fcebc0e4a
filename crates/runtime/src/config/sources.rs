//! The sources of settings, and the effective value of each setting.

use std::fmt;
use std::path::{Path, PathBuf};

use super::table::{SETTINGS, Setting};
use crate::config::error::ConfigError;

/// The source of a setting's effective value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    Flag,
    /// The environment variable of the setting.
    Environment,
    /// The configuration file, with its path.
    File(PathBuf),
    /// The default value, because no other source has a value.
    Default,
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("flag"),
            Self::Environment => f.write_str("environment"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// The value of every setting, with its source. No `Debug`: it has secrets.
pub struct Effective {
    values: Vec<(&'static Setting, String, SettingSource)>,
}

impl Effective {
    /// Iterates over all settings with their values and sources, in the order of [`SETTINGS`].
    pub fn all(&self) -> impl Iterator<Item = (&'static Setting, &str, &SettingSource)> {
        self.values.iter().map(|(setting, value, source)| (*setting, value.as_str(), source))
    }

    fn entry(&self, key: &str) -> (&'static Setting, &str, &SettingSource) {
        self.all().find(|(setting, _, _)| setting.key == key).expect("the key is in the table")
    }

    /// Returns the text of a setting's value.
    pub fn text(&self, key: &str) -> &str {
        self.entry(key).1
    }

    /// Returns the source of a setting's value.
    pub fn source(&self, key: &str) -> &SettingSource {
        self.entry(key).2
    }

    /// Returns the text of a setting's value, or `None` if it is empty.
    pub fn given(&self, key: &str) -> Option<String> {
        Some(self.text(key)).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Parses a setting's value. The error names the setting, its source and the allowed values.
    pub fn parsed<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let (setting, value, source) = self.entry(key);
        parse(value.trim()).ok_or_else(|| {
            ConfigError(format!(
                "{key} = {value:?} ({source}) is not valid; it must be {}",
                setting.allowed
            ))
        })
    }
}

/// Reads all sources. `flag` and `variable` return the text of one flag or variable; `file` is the
/// path of the configuration file. Without a path, `confab.toml` is read if it exists.
pub fn from_everywhere(
    flag: impl Fn(&Setting) -> Option<String>,
    variable: impl Fn(&str) -> Option<String>,
    file: Option<&Path>,
) -> Result<Effective, ConfigError> {
    let (path, table) = read_file(file)?;
    for key in table.keys() {
        check_key(key, &path)?;
    }
    let mut values = Vec::new();
    for setting in SETTINGS {
        let is_given = |value: &String| !value.is_empty() || setting.is_emptied_by_variable;
        let in_file = table.get(setting.key).map(|value| file_text(setting, value)).transpose()?;
        let (value, source) = if let Some(value) = flag(setting) {
            (value, SettingSource::Flag)
        } else if let Some(value) = variable(&setting.variable()).filter(is_given) {
            (value, SettingSource::Environment)
        } else if let Some(value) = in_file {
            (value, SettingSource::File(path.clone()))
        } else {
            (setting.default.to_owned(), SettingSource::Default)
        };
        values.push((setting, value, source));
    }
    Ok(Effective { values })
}

fn read_file(named: Option<&Path>) -> Result<(PathBuf, toml::Table), ConfigError> {
    let path = named.map_or_else(|| PathBuf::from("confab.toml"), Path::to_owned);
    if named.is_none() && !path.exists() {
        return Ok((path, toml::Table::new()));
    }
    let shown = path.display();
    let text = std::fs::read_to_string(&path)
        .map_err(|error| ConfigError(format!("{shown} cannot be read: {error}")))?;
    let table =
        text.parse().map_err(|error| ConfigError(format!("{shown} is not valid TOML: {error}")))?;
    Ok((path, table))
}

fn check_key(key: &str, path: &Path) -> Result<(), ConfigError> {
    if SETTINGS.iter().any(|setting| setting.key == key) {
        return Ok(());
    }
    let known: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
    Err(ConfigError(format!(
        "{}: unknown setting {key:?}; the settings are {}",
        path.display(),
        known.join(", ")
    )))
}

fn file_text(setting: &Setting, value: &toml::Value) -> Result<String, ConfigError> {
    let plain = |value: &toml::Value| match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Float(number) => Some(number.to_string()),
        _ => None,
    };
    let text = match value {
        toml::Value::Array(items) => {
            let texts: Option<Vec<_>> = items.iter().map(plain).collect();
            texts.map(|texts| texts.join(","))
        }
        other => plain(other),
    };
    text.ok_or_else(|| {
        ConfigError(format!("{} has the wrong type; it must be {}", setting.key, setting.allowed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use confab_outbound::AllowList;

    fn effective(flags: &[(&str, &str)], variables: &[(&str, &str)], file: &str) -> Effective {
        try_effective(flags, variables, file).expect("valid")
    }

    fn try_effective(
        flags: &[(&str, &str)],
        variables: &[(&str, &str)],
        file: &str,
    ) -> Result<Effective, ConfigError> {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("confab.toml");
        std::fs::write(&path, file).expect("written");
        let find = |all: &[(&str, &str)], key: &str| {
            all.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_owned())
        };
        from_everywhere(
            |setting| find(flags, setting.key),
            |variable| find(variables, variable),
            Some(&path),
        )
    }

    #[test]
    fn a_flag_overrides_the_environment_which_overrides_the_file_and_the_default() {
        let file = "listen = \"127.0.0.1:3\"\nlog_level = \"warn\"\nbrands = [\"A\", \"B\"]";
        let environment = [("CONFAB_LISTEN", "127.0.0.1:2"), ("CONFAB_LOG_LEVEL", "debug")];
        let all = effective(&[("listen", "127.0.0.1:1")], &environment, file);
        assert_eq!(all.entry("listen").1, "127.0.0.1:1");
        assert_eq!(*all.entry("listen").2, SettingSource::Flag);
        assert_eq!(*all.entry("log_level").2, SettingSource::Environment);
        assert_eq!(all.entry("brands").1, "A,B");
        assert_eq!((all.entry("data").1, all.entry("data").2), ("./data", &SettingSource::Default));
    }

    #[test]
    fn an_empty_variable_disables_mqtt_and_counts_as_not_set_for_other_settings() {
        let empty =
            ["CONFAB_MQTT_LISTEN", "CONFAB_LISTEN", "CONFAB_LMTP_LISTEN"].map(|it| (it, ""));
        let all = effective(&[], &empty, "lmtp_listen = \"127.0.0.1:2424\"");
        assert_eq!(all.entry("mqtt_listen").1, "");
        assert_eq!(*all.entry("mqtt_listen").2, SettingSource::Environment);
        assert_eq!(*all.entry("listen").2, SettingSource::Default);
        assert_eq!(all.entry("lmtp_listen").1, "127.0.0.1:2424", "the file's value stays");
    }

    #[test]
    fn an_unknown_key_is_rejected_with_the_list_of_known_keys() {
        let error = try_effective(&[], &[], "lissten = 1").err().expect("refused").to_string();
        assert!(error.contains("lissten") && error.contains("lmtp_domains, data"), "{error}");
    }

    #[test]
    fn an_invalid_value_is_rejected_with_its_key_source_and_allowed_values() {
        for (key, value) in [
            ("listen", "nowhere"),
            ("log_level", "loud"),
            ("log_format", "xml"),
            ("app_requests_per_second", "-1"),
            ("app_concurrent_requests", "0"),
            ("drain_seconds", "4000"),
            ("stop_grace_seconds", "soon"),
            ("brands", "A,,B"),
            ("webhook_allow", "0.0.0.0/0"),
            ("webhook_loopback", "maybe"),
        ] {
            let error = Config::from_effective(&effective(&[(key, value)], &[], ""));
            let error = error.err().expect("refused").to_string();
            for part in [key, value, "flag", "must be"] {
                assert!(error.contains(part), "{error} should name {part}");
            }
        }
    }

    #[test]
    fn non_public_targets_are_allowed_by_name_or_address_block() {
        let all = effective(&[], &[], "webhook_allow = [\"hooks.lan:8080\", \"10.0.0.0/8\"]");
        let config = Config::from_effective(&all).expect("valid");
        let expected = AllowList::parse("hooks.lan:8080 10.0.0.0/8").expect("valid");
        assert_eq!(config.webhook_allow, expected);
        let none = Config::from_effective(&effective(&[], &[], "")).expect("valid");
        assert_eq!(none.webhook_allow, AllowList::default());
    }

    #[test]
    fn webhooks_to_loopback_are_off_on_reachable_servers_unless_configured() {
        let calls = |settings: &[(&str, &str)]| {
            Config::from_effective(&effective(settings, &[], "")).expect("valid").webhook_loopback
        };
        assert!(calls(&[]));
        assert!(calls(&[("listen", "[::1]:8787"), ("mqtt_listen", "")]));
        let public = ("public_url", "https://chat.example");
        for reached in [
            public,
            ("listen", "0.0.0.0:8787"),
            ("listen", "192.168.0.5:8787"),
            ("mqtt_listen", "[::]:1883"),
            ("trusted_proxies", "10.0.0.0/8"),
        ] {
            assert!(!calls(&[reached]), "{reached:?}");
            assert!(calls(&[reached, ("webhook_loopback", "on")]), "{reached:?}");
        }
        assert!(!calls(&[("webhook_loopback", "off")]));
    }

    #[test]
    fn a_wrong_type_in_the_file_is_rejected() {
        let error = try_effective(&[], &[], "listen = true").err().expect("refused").to_string();
        assert!(error.contains("listen has the wrong type"), "{error}");
    }
}
