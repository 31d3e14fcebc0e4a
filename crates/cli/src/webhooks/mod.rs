//! `confab webhooks`: manages the endpoints and deliveries of a running server.
//!
//! One file per sub-command. `answers` has the API's responses, `arguments` the shared flags,
//! `filters` the flags that select deliveries, `shown` the formats for the terminal.

mod answers;
mod arguments;
mod endpoints;
mod filters;
mod list;
mod pretty_json;
mod replay;
mod show;
mod shown;

use clap::{ArgMatches, Command};
use confab_runtime::config::Effective;

use super::command_error::CommandError;
use crate::remote::running_server::{AFTER_HELP, with_server};
use crate::remote::server_api::ServerApi;

pub(super) use answers::{DeliveryAnswer, EndpointsAnswer, ShownEndpoint};
pub(super) use arguments::{app_again, given, json_flag, kind_argument, kind_flag};
pub(super) use shown::{short_time, took};

pub(super) fn command() -> Command {
    Command::new("webhooks")
        .about("List and repeat the deliveries of a running server, and manage its endpoints")
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
