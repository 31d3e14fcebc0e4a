//! `confab doctor`: looks at everything around the server and says what to do (D-0182).
//!
//! Called by an operator, beside a running server or without one. One file a part of the world:
//! [`machine`] (disk, clock, open files, certificate, key file), [`database`], [`neighbours`]
//! (NATS, S3, a collector of traces), [`server`] (its addresses, whether it is ready), [`public`]
//! (where others reach it, and the proxy there), [`apps`] (endpoints and channels). Each adds
//! [`finding`]s. It changes nothing, but for a file that it writes to the data folder and an object
//! in the bucket, both removed at once, and sends no secret anywhere but to the running server and
//! the collector of these settings.

mod apps;
mod clock_difference;
mod database;
mod finding;
mod machine;
mod neighbours;
mod public;
mod server;

use clap::{ArgMatches, Command};
use serde::Serialize;

use self::finding::{DoctorFinding, Findings, Level};
use super::arguments::flags;
use super::command_error::CommandError;
use super::registry::with_registry;
use super::webhooks::json_flag;
use crate::config::{Config, Effective};

pub(super) use self::server::get;

pub(super) fn command() -> Command {
    Command::new("doctor")
        .about("Look at everything around the server and say what is wrong and what to do")
        .after_help(
            "Looks at the settings, the disk, the certificate, the clock, PostgreSQL, NATS, S3 and \
             the collector of traces; and, of a running server, at its public address and the \
             proxy there, at endpoints and channels. Run it as the user that serves, with the \
             settings of the server.\n\
             Exit code 0: nothing is in trouble (there may be warnings); 1: something is.",
        )
        .arg(json_flag())
        .args(flags(|_| true))
}

pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let mut findings = Findings::default();
    look(settings, &mut findings)?;
    let (trouble, warnings) = (findings.count(Level::Trouble), findings.count(Level::Warning));
    match matches.get_flag("json") {
        true => say!("{}", as_json(&findings.0, trouble, warnings)?),
        false => print(&findings.0, trouble, warnings),
    }
    match trouble {
        0 => Ok(()),
        _ => Err("something is in trouble; what to do stands beside it".into()),
    }
}

fn look(settings: &Effective, findings: &mut Findings) -> Result<(), CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let config = match Config::from_effective(settings) {
        Ok(config) => config,
        Err(error) => {
            let advice = "change it; `confab config` shows every setting and where it comes from";
            findings.trouble("settings", error.to_string(), advice);
            return Ok(());
        }
    };
    findings.ok("settings", "every value can be used");
    machine::look(settings, &config, findings);
    let is_running = runtime.block_on(async {
        database::look(&config, findings).await;
        neighbours::look(&config, findings).await;
        server::look(settings, &config, findings).await
    });
    let public_url = settings.given("public_url");
    runtime.block_on(public::look(&config, public_url, is_running.is_some(), findings));
    let Some(server) = is_running else {
        findings.skipped("endpoints", "only a running server knows how they are");
        findings.skipped("channels", "only a running server knows how they are");
        return Ok(());
    };
    // Opening the data would bring them up to date; that the server of these settings did already.
    match with_registry(settings, async |registry| Ok(registry.apps().await?)) {
        Ok(found) => runtime.block_on(apps::look(&config, &server, found, findings)),
        Err(error) => findings.trouble(
            "apps",
            format!("the apps cannot be read: {}", crate::failures::chain(&*error)),
            "run it as the user that serves, with the same key file (secrets_key_file)",
        ),
    }
    Ok(())
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
        (0, 0) => say!("Nothing is wrong."),
        _ => say!("{trouble} in trouble, {warnings} warnings."),
    }
}
