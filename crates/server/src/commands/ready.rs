//! `confab ready`: checks whether the running server accepts writes. For health checks of
//! containers that have no HTTP client.

use clap::Command;

use super::api_client::exchange;
use super::arguments::flags;
use super::command_error::CommandError;
use super::doctor::get;
use super::running_server::configured_server;
use crate::config::Effective;

pub(super) fn command() -> Command {
    Command::new("ready")
        .about("Ask the running server whether it is ready; exit code 0 if it is, 1 if not")
        .after_help(
            "Asks for /ready of the server that runs with these settings. Exit code 0: it takes \
             writes and deliveries move; 1: it does not, or there is none.",
        )
        .args(flags(|_| true))
}

pub(super) fn run(settings: &Effective) -> Result<(), CommandError> {
    let server = configured_server(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answer = runtime.block_on(exchange(get(&server, "/ready")));
    let answer = answer.map_err(|why| format!("{server} does not answer: {why}"))?;
    if !answer.status.is_success() {
        return Err(format!("{server} answers with {}", answer.status).into());
    }
    say!("ready");
    Ok(())
}
