//! `confab analytics`: rebuilds the analytics of an app (D-0140).

use clap::{Arg, ArgMatches, Command};
use confab_domain::app::AppCode;
use confab_runtime::config::Effective;
use confab_store::rebuild_analytics;

use crate::arguments::location_flags;
use crate::command_error::CommandError;
use crate::data::registry::existing_data;

pub(crate) fn command() -> Command {
    Command::new("analytics")
        .about("Maintain the analytics of an app's dashboard")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("rebuild")
                .about(
                    "Recompute the analytics from all conversations and messages; servers may be \
                     running",
                )
                .arg(Arg::new("app").long("app").value_name("APP_ID").required(true).help("App id"))
                .args(location_flags()),
        )
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let (_, matches) = matches.subcommand().ok_or("no command was given")?;
    let code = matches.get_one::<String>("app").ok_or("name the app")?;
    let code = AppCode::parse(code)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if !runtime.block_on(rebuild_analytics(&existing_data(settings)?, &code))? {
        return Err(format!("there is no app {}; see `confab app list`", code.as_str()).into());
    }
    say!("Rebuilt the analytics of {}.", code.as_str());
    Ok(())
}
