//! `confab webhooks`: receivers and deliveries of a running server.
//!
//! One file a sub-command. `answers` has the shapes of the API's answers, `filters` the flags that
//! choose deliveries, `shown` how things look to people.

mod answers;
mod endpoints;
mod filters;
mod list;
mod pretty_json;
mod replay;
mod show;
mod shown;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use confab_domain::webhooks::notice_kind::NoticeKind;

use super::CommandError;
use super::running_server::{AFTER_HELP, server_flags, with_server};
use super::server_api::{AnswerData, ServerApi};
use crate::config::Effective;

pub(super) use answers::DeliveryAnswer;
pub(super) use shown::{short_time, took};

/// What webhooks, and pushes, tell of.
fn kinds() -> PossibleValuesParser {
    PossibleValuesParser::new(NoticeKind::ALL.map(NoticeKind::as_str))
}

pub(super) fn command() -> Command {
    Command::new("webhooks")
        .about("See and repeat what a running server sends, and say where to")
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list::command())
        .subcommand(show::command())
        .subcommand(replay::command())
        .subcommands(endpoints::commands())
}

pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let (name, matches) = matches.subcommand().ok_or("no command was given")?;
    with_server(matches, settings, async |api: ServerApi| match name {
        "list" => list::run(matches, &api).await,
        "show" => show::run(matches, &api).await,
        "replay" => replay::run(matches, &api).await,
        "endpoints" => endpoints::list(matches, &api).await,
        "set" => endpoints::set(matches, &api).await,
        "test" => endpoints::test(matches, &api).await,
        verb => endpoints::pause_or_resume(verb, matches, &api).await,
    })
}

/// A sub-command with the flags that all of them have.
fn sub_command(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).arg(json_flag()).args(server_flags()).after_help(AFTER_HELP)
}

/// The kind of webhook, as an argument without a flag.
pub(super) fn kind_argument() -> Arg {
    Arg::new("kind")
        .value_name("KIND")
        .required(true)
        .value_parser(kinds())
        .help("What the webhook tells of")
}

/// The kind of webhook, as a flag.
pub(super) fn kind_flag() -> Arg {
    Arg::new("kind")
        .long("kind")
        .value_name("KIND")
        .value_parser(kinds())
        .help("Only those of this kind")
}

pub(super) fn json_flag() -> Arg {
    Arg::new("json")
        .long("json")
        .action(ArgAction::SetTrue)
        .help("Print the data of the server's answer as they are, for programs")
}

/// Prints the raw data if they are wanted, else what `for_people` makes of them.
pub(super) fn print(
    matches: &ArgMatches,
    data: &AnswerData,
    for_people: impl FnOnce(&AnswerData) -> Result<String, CommandError>,
) -> Result<(), CommandError> {
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("{}", for_people(data)?),
    }
    Ok(())
}

/// A text that was given, by the name of its flag.
pub(super) fn given<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a str> {
    matches.try_get_one::<String>(name).ok().flatten().map(String::as_str)
}
