//! `confab search`: rebuilds the search index (D-0145).

use clap::{ArgMatches, Command};
use confab_runtime::config::Effective;
use confab_store::rebuild_search;

use crate::arguments::location_flags;
use crate::command_error::CommandError;
use crate::data::registry::existing_data;

pub(crate) fn command() -> Command {
    let rebuild = Command::new("rebuild")
        .about("Empty the search index, so that servers rebuild it from all messages")
        .after_help(
            "Running servers start to rebuild the index at once, stopped ones when they start. \
             Search results show the progress (meta.indexed_until).",
        )
        .args(location_flags());
    Command::new("search")
        .about("Maintain the search index")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(rebuild)
}

pub(crate) fn run(_: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(rebuild_search(&existing_data(settings)?))?;
    say!("Emptied the search index; running servers rebuild it.");
    Ok(())
}
