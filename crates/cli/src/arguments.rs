//! Arguments that several commands share.

use clap::{Arg, ArgAction};
use confab_runtime::config::{SETTINGS, Setting};

/// Returns the argument for an app id.
pub(super) fn app_id(is_required: bool) -> Arg {
    Arg::new("app_id_argument")
        .value_name("APP_ID")
        .required(is_required)
        .help("App id: letters, digits, - and _")
}

/// Returns the flags of the selected settings.
pub(super) fn flags(keys: impl Fn(&Setting) -> bool) -> Vec<Arg> {
    let has_flag = |setting: &&Setting| setting.has_flag() && keys(setting);
    SETTINGS.iter().filter(has_flag).map(flag).collect()
}

/// Returns the flags that every command needs: the location of the data and the key file.
pub(super) fn location_flags() -> Vec<Arg> {
    flags(|setting| ["data", "database_url", "secrets_key_file"].contains(&setting.key))
}

fn flag(setting: &'static Setting) -> Arg {
    let default = match setting.default {
        "" => String::new(),
        default => format!(" [default: {default}]"),
    };
    Arg::new(setting.key)
        .long(setting.flag())
        .value_name("VALUE")
        .action(ArgAction::Set)
        .help(format!("{}: {}{default}", setting.help, setting.allowed))
}
