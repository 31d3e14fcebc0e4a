//! `confab ready`: checks whether the running server accepts writes. For health checks of
//! containers that have no HTTP client.

use clap::Command;
use confab_runtime::config::Effective;

use crate::arguments::flags;
use crate::command_error::CommandError;
use crate::doctor::get;
use crate::remote::api_client::exchange;
use crate::remote::running_server::configured_server;

pub(crate) fn command() -> Command {
    Command::new("ready")
        .about("Check whether the running server is ready; exit code 0 if it is, 1 if not")
        .after_help(
            "Requests /ready from the server that runs with these settings. Exit code 0: the \
             server accepts writes and makes deliveries; 1: it does not, or it does not run.",
        )
        .args(flags(|_| true))
}

pub(crate) fn run(settings: &Effective) -> Result<(), CommandError> {
    let server = configured_server(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = runtime.block_on(exchange(get(&server, "/ready")));
    let answer = answer.map_err(|why| format!("{server} does not respond: {why}"))?;
    if !answer.status.is_success() {
        return Err(format!("{server} responded with {}", answer.status).into());
    }
    say!("ready");
    Ok(())
}
