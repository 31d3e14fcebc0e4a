//! Flags and arguments that several sub-commands of `confab webhooks` share.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use confab_domain::webhooks::event_kind::EventKind;

use crate::remote::running_server::{AFTER_HELP, server_flags};

/// Returns a parser of event kinds.
fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(EventKind::ALL.map(EventKind::as_str))
}

/// Returns a sub-command with the flags that all sub-commands have.
pub(crate) fn sub_command(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).arg(json_flag()).args(server_flags()).after_help(AFTER_HELP)
}

/// Returns the event kind as a positional argument.
pub(crate) fn kind_argument() -> Arg {
    Arg::new("kind").value_name("KIND").required(true).value_parser(kinds()).help("Kind of webhook")
}

/// Returns the event kind as a flag.
pub(crate) fn kind_flag() -> Arg {
    Arg::new("kind")
        .long("kind")
        .value_name("KIND")
        .value_parser(kinds())
        .help("Only webhooks of this kind")
}

pub(crate) fn json_flag() -> Arg {
    Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON, for programs")
}

/// Returns the value of a text argument, if it was given.
pub(crate) fn given<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a str> {
    matches.try_get_one::<String>(name).ok().flatten().map(String::as_str)
}

/// Returns the `--app` flag for a suggested command, if this command was called with it.
pub(crate) fn app_again(matches: &ArgMatches) -> String {
    given(matches, "app_id").map_or_else(String::new, |app| format!(" --app {app}"))
}
