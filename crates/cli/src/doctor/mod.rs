//! `confab doctor`: checks the server's environment and gives advice (design/operations).
//!
//! An operator runs the command with or without a running server. One module per area adds
//! [`finding`]s: [`machine`] (disk, open files, certificate), [`database`], [`key_file`],
//! [`neighbours`] (NATS, S3, a trace collector), [`server`] (its addresses, whether it is ready),
//! [`public`] (its public URL, and the proxy there), [`apps`] (endpoints and channels).
//! [`database`] and [`public`] also compare clocks by [`clock_difference`]. The data is only read;
//! the only things written are a file in the data folder and an object in the bucket, both removed
//! at once (design/operations). App keys are sent only to a server that is proven to use this data,
//! and each configured credential only to its own service.

mod apps;
mod clock_difference;
mod database;
mod finding;
mod key_file;
mod machine;
mod neighbours;
mod permissions;
mod public;
mod server;

use clap::{ArgMatches, Command};
use confab_runtime::config::{Config, Effective};
use confab_runtime::counted::counted;
use confab_runtime::failures::chain;
use serde::Serialize;

use self::database::Data;
use self::finding::{DoctorFinding, Findings, Level};
use self::server::{RespondingServer, ServedData};
use super::arguments::flags;
use super::command_error::CommandError;
use super::webhooks::json_flag;

pub(super) use self::server::get;

pub(super) fn command() -> Command {
    Command::new("doctor")
        .about("Check the server's environment, and advise what to do about problems")
        .after_help(
            "Checks the settings, the disk, the certificate, the clock, PostgreSQL, NATS, S3 and \
             the trace collector. If the server is running, also checks its public URL, the proxy \
             in front of it, endpoints and channels. Run it as the server's user, with the \
             server's settings.\n\
             Exit code 0: no trouble, though there may be warnings; 1: trouble.",
        )
        .arg(json_flag())
        .args(flags(|_| true))
}

pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let mut findings = Findings::default();
    check(settings, &mut findings)?;
    let (trouble, warnings) = (findings.count(Level::Trouble), findings.count(Level::Warning));
    match matches.get_flag("json") {
        true => say!("{}", as_json(&findings.0, trouble, warnings)?),
        false => print(&findings.0, trouble, warnings),
    }
    match trouble {
        0 => Ok(()),
        _ => Err("there is trouble; follow the advice above".into()),
    }
}

fn check(settings: &Effective, findings: &mut Findings) -> Result<(), CommandError> {
    let config = match Config::from_effective(settings) {
        Ok(config) => config,
        Err(error) => {
            let advice = "correct it; `confab config` shows every setting and its source";
            findings.trouble("settings", error.to_string(), advice);
            return Ok(());
        }
    };
    findings.ok("settings", "all values are valid");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(check_environment(settings, &config, findings));
    Ok(())
}

async fn check_environment(settings: &Effective, config: &Config, findings: &mut Findings) {
    machine::check(settings, config, findings);
    let (data, is_served) = database::check(config, findings).await;
    let sealer = key_file::check(config, &data, findings).await;
    neighbours::check(config, findings).await;
    let server = server::check(settings, config, is_served, findings).await;
    let running = server.as_ref().filter(|it| it.data != ServedData::Others).map(|it| &it.url);
    public::check(config, settings.given("public_url"), running, findings).await;
    // Send no app's key to a server that may use other data.
    let ours = server.filter(|it| it.data == ServedData::Ours);
    let (server, data, sealer) = match (ours, data, sealer) {
        (Some(RespondingServer { url, .. }), Data::Read(data), Some(sealer))
            if data.schema().is_current() =>
        {
            (url, data, sealer)
        }
        (ours, ..) => {
            let why = match ours {
                None => "this needs the running server of this data",
                Some(_) => "the apps cannot be read",
            };
            findings.skipped("endpoints", why);
            findings.skipped("channels", why);
            return;
        }
    };
    match data.apps(&sealer).await {
        Ok(found) => apps::check(config, &server, found, findings).await,
        Err(error) => {
            let found = format!("failed to read the apps: {}", chain(&error));
            findings.trouble("apps", found, "run `confab check` to find the damage");
        }
    }
}

#[derive(Serialize)]
struct DoctorReport<'a> {
    findings: &'a [DoctorFinding],
    trouble: usize,
    warnings: usize,
}

fn as_json(
    findings: &[DoctorFinding],
    trouble: usize,
    warnings: usize,
) -> Result<String, CommandError> {
    Ok(serde_json::to_string_pretty(&DoctorReport { findings, trouble, warnings })?)
}

fn print(findings: &[DoctorFinding], trouble: usize, warnings: usize) {
    for DoctorFinding { check, level, found, advice } in findings {
        say!("{:<8} {check:<16} {found}", level.as_str());
        if !advice.is_empty() {
            say!("{:<25} -> {advice}", "");
        }
    }
    match (trouble, warnings) {
        (0, 0) => say!("No problems found."),
        _ => say!("Trouble: {trouble}, {}.", counted(warnings, "warning")),
    }
}
