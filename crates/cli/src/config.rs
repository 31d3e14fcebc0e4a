//! `confab config`: prints the effective settings and their sources.

use clap::Command;
use confab_runtime::config::{Config, Effective, Secrecy};

use super::arguments::flags;
use super::command_error::CommandError;

pub(super) fn command() -> Command {
    Command::new("config")
        .about("Print the effective settings and their sources; secrets are masked")
        .args(flags(|_| true))
}

pub(super) fn run(settings: &Effective) -> Result<(), CommandError> {
    for (setting, value, source) in settings.all() {
        let is_hidden = setting.secrecy != Secrecy::Open && !value.is_empty();
        let shown = if is_hidden { "********" } else { value };
        say!("{:<24} {:<24} {source}", setting.key, shown);
    }
    // Print all values first, then report the invalid one.
    Config::from_effective(settings)?;
    Ok(())
}
