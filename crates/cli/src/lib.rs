//! The command line, with one file per command.
//!
//! Only `main` calls it, and passes in the server. Most commands work on the data; `trigger`,
//! `webhooks`, `channels` and `listen` call a running server (`running_server` finds it,
//! `server_api` calls its API). A command reads the settings, performs one operation and prints the
//! result or the problem. Exit codes: 0 success, 1 failure, 2 wrong usage.

#[macro_use]
mod say;

mod apps;
mod arguments;
mod completions;
mod config;
mod data;
mod doctor;
mod listen;
mod manual;
mod moving;
mod remote;
mod stop_signals;
mod verify;
mod webhooks;

mod command_error;
mod inert_text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use self::arguments::flags;
pub use self::command_error::CommandError;
pub use self::stop_signals::StopSignals;
use confab_runtime::config::{Config, Effective, SETTINGS, Setting, from_everywhere};
use confab_runtime::failures::chain;
use confab_runtime::process::private_files;

/// Runs the server with the given settings until a signal stops it.
pub type Serve = fn(Config) -> Result<(), CommandError>;

const ABOUT: &str = "A self-hosted chat message API: rooms, messages and system events over REST.";
const AFTER_HELP: &str = "\
Every setting is a flag (--listen), an environment variable (CONFAB_LISTEN) and a key in
confab.toml (listen = \"...\"). A flag overrides the variable, which overrides the file.
`confab config` shows the effective settings and their sources.

Start here:
  confab serve            run the server; the first start prints keys and example calls
  confab app create shop  create another app
  confab backup FILE      copy all data while the server runs; restore it with `confab restore`
  confab export APP FILE  write an app as JSON lines; import it elsewhere with `confab import`
  confab doctor           check the server's environment and advise what to do
  confab check            read all stored data and report damage

Webhooks on your laptop:
  confab listen --forward-to http://localhost:3000/hook
                          forward every webhook of a running server to your program
  confab trigger bot      send an example webhook

Messaging providers:
  confab channels add telegram --token-file FILE
                          connect a bot; messages to it appear in the inbox";

/// Runs the program with the given command line, and returns its exit code. `serve` runs the
/// server; it is passed in, so that the commands do not depend on HTTP.
pub fn run(arguments: impl IntoIterator<Item = OsString>, serve: Serve) -> ExitCode {
    private_files::begin();
    let matches = match program().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            // Help and version were requested; only other errors are misuse.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    match run_command(&matches, serve) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("confab: {}", chain(&*error));
            ExitCode::FAILURE
        }
    }
}

/// Returns the definition of the whole command line.
pub fn program() -> Command {
    Command::new("confab")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(AFTER_HELP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("config_file")
                .long("config")
                .value_name("FILE")
                .global(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Settings file [default: confab.toml, if it exists]"),
        )
        .subcommand(Command::new("serve").about("Run the server").args(flags(|_| true)))
        .subcommand(apps::app::command())
        .subcommand(apps::user::command())
        .subcommand(data::analytics::command())
        .subcommand(data::backup::command())
        .subcommand(data::restore::command())
        .subcommand(moving::export::command())
        .subcommand(moving::import::command())
        .subcommand(data::search::command())
        .subcommand(data::secrets::command())
        .subcommand(doctor::command())
        .subcommand(remote::ready::command())
        .subcommand(data::check::command())
        .subcommand(config::command())
        .subcommand(verify::command())
        .subcommand(listen::command())
        .subcommand(remote::trigger::command())
        .subcommand(webhooks::command())
        .subcommand(remote::channels::command())
        .subcommand(completions::command())
        .subcommand(manual::command())
}

fn run_command(matches: &ArgMatches, serve: Serve) -> Result<(), CommandError> {
    let (name, matches) = matches.subcommand().ok_or("no command was given")?;
    // These commands do not depend on the settings.
    match name {
        "completions" => return completions::run(matches, program()),
        "man" => return manual::run(matches, program()),
        _ => {}
    }
    let settings = settings(matches)?;
    match name {
        "serve" => serve(Config::from_effective(&settings)?),
        "app" => apps::app::run(matches, &settings),
        "user" => apps::user::run(matches, &settings),
        "analytics" => data::analytics::run(matches, &settings),
        "backup" => data::backup::run(matches, &settings),
        "restore" => data::restore::run(matches, &settings),
        "export" => moving::export::run(matches, &settings),
        "import" => moving::import::run(matches, &settings),
        "search" => data::search::run(matches, &settings),
        "secrets" => data::secrets::run(matches, &settings),
        "doctor" => doctor::run(matches, &settings),
        "ready" => remote::ready::run(&settings),
        "check" => data::check::run(matches, &settings),
        "config" => config::run(&settings),
        "verify" => verify::run(matches),
        "listen" => listen::run(matches, &settings),
        "trigger" => remote::trigger::run(matches, &settings),
        "webhooks" => webhooks::run(matches, &settings),
        "channels" => remote::channels::run(matches, &settings),
        other => Err(format!("unknown command {other}").into()),
    }
}

fn settings(matches: &ArgMatches) -> Result<Effective, CommandError> {
    // Read flags from the innermost sub-command, which defines them.
    let mut innermost = matches;
    while let Some((_, inner)) = innermost.subcommand() {
        innermost = inner;
    }
    let flag = |setting: &Setting| {
        let value = innermost.try_get_one::<String>(setting.key);
        value.ok().flatten().cloned()
    };
    let file = innermost.get_one::<PathBuf>("config_file");
    let variable = |name: &str| std::env::var(name).ok();
    let settings = from_everywhere(flag, variable, file.map(PathBuf::as_path))?;
    warn_of_unknown_variables();
    Ok(settings)
}

/// Warns of environment variables that begin with `CONFAB_` but belong to no setting. They are not
/// an error, because Kubernetes sets such variables for a service named confab.
fn warn_of_unknown_variables() {
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with("CONFAB_")) else { continue };
        if !SETTINGS.iter().any(|setting| setting.variable() == name) {
            eprintln!(
                "confab: the environment variable {name} is ignored: there is no such setting"
            );
        }
    }
}

#[cfg(test)]
mod tests;
