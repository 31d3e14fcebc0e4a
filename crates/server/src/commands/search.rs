//! `confab search`: rebuilds the search index (D-0145).

use clap::{ArgMatches, Command};
use confab_store::rebuild_search;

use super::arguments::location_flags;
use super::command_error::CommandError;
use super::registry::existing_data;
use crate::config::Effective;

pub(super) fn command() -> Command {
    let rebuild = Command::new("rebuild")
        .about("Empty the index of search, so that it is written anew from all messages")
        .after_help(
            "Also while servers run: they begin at once, and searches say how far they are \
             (meta.indexed_until). Otherwise the next start begins.",
        )
        .args(location_flags());
    Command::new("search")
        .about("The index that search goes by")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(rebuild)
}

pub(super) fn run(_: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(rebuild_search(&existing_data(settings)?))?;
    say!("The index of search is empty; it is written anew while a server runs.");
    Ok(())
}
