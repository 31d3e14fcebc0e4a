//! `confab verify`: checks a webhook's signature and explains why it is invalid.

use std::io::Read;

use clap::{Arg, ArgMatches, Command};
use confab_verify::{Reason, why};

use super::command_error::CommandError;

pub(super) fn command() -> Command {
    let needed = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("TEXT").required(true).help(help)
    };
    Command::new("verify")
        .about("Verify the signature of a webhook, and explain why it is invalid")
        .after_help("The raw body is read from standard input: confab verify ... < body.json")
        .arg(needed("secret", "The app's secret key"))
        .arg(needed("signature", "Value of the header service-signature-key"))
}

/// Exits with code 0 if the signature is valid, else 1.
pub(super) fn run(matches: &ArgMatches) -> Result<(), CommandError> {
    let given = |name: &str| matches.get_one::<String>(name).map_or("", String::as_str);
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body)?;
    let reason = why(given("secret"), &body, given("signature"));
    match reason {
        Reason::Fits => say!("{} ({} bytes)", reason.advice(), body.len()),
        _ => return Err(format!("{} ({} bytes)", reason.advice(), body.len()).into()),
    }
    Ok(())
}
