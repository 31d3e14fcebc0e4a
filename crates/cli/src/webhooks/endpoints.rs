//! `confab webhooks endpoints`, `set`, `pause`, `resume`, `test`: manages the endpoints of
//! webhooks.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value, json};

use super::answers::{AttemptAnswer, EndpointAnswer, EndpointsAnswer};
use super::arguments::{given, kind_argument, sub_command};
use super::shown::print;
use super::shown::{ENDPOINT_HEADS, attempt, endpoint_row, table};
use crate::command_error::CommandError;
use crate::inert_text::inert_line;
use crate::remote::server_api::{CALL_LIMIT, ServerApi};

/// Time limit of a test call, longer than the minute that the server waits for a receiver.
const TEST_CALL_LIMIT: Duration = Duration::from_secs(75);

/// The numeric settings of an endpoint: API name, allowed range and help text.
const MANNERS: [(&str, RangeInclusive<i64>, &str); 3] = [
    ("timeout_ms", 100..=60_000, "Time limit of an attempt in milliseconds"),
    ("at_once_max", 1..=1000, "Maximum number of concurrent attempts"),
    ("block_s", 0..=864_000, "Seconds for which a failing delivery blocks its room"),
];

pub(super) fn commands() -> [Command; 5] {
    let of_kind = |name, about| sub_command(name, about).arg(kind_argument());
    [
        sub_command("endpoints", "List the endpoints and their state"),
        set_command(),
        of_kind("pause", "Pause the deliveries of a kind"),
        of_kind("resume", "Resume the deliveries of a kind"),
        of_kind("test", "Send one example now and show the receiver's response"),
    ]
}

fn set_command() -> Command {
    let url = Arg::new("url")
        .value_name("URL")
        .required(true)
        .help("URL of the receiver, such as https://example.com/hook");
    let manner = |(name, allowed, help): (&'static str, RangeInclusive<i64>, &str)| {
        Arg::new(name)
            .long(name.replace('_', "-"))
            .value_name("NUMBER")
            .help(format!("{help}: {} to {}", allowed.start(), allowed.end()))
            .value_parser(value_parser!(i64).range(allowed))
    };
    let pace = Arg::new("per_second_max")
        .long("per-second-max")
        .value_name("NUMBER")
        .value_parser(pace)
        .help(
            "Maximum number of attempts that start per second: 1 to 100000, or none for no limit",
        );
    let disabled = Arg::new("disabled")
        .long("disabled")
        .action(ArgAction::SetTrue)
        .help("Disable the endpoint: no deliveries are created for it");
    sub_command("set", "Register or change the endpoint for a kind of webhook")
        .args([kind_argument(), url])
        .args(MANNERS.map(manner))
        .args([pace, disabled])
}

/// Parses a rate: a number, or `none`, which becomes null and means no limit.
fn pace(text: &str) -> Result<Value, String> {
    match text.parse::<u32>() {
        _ if text == "none" => Ok(Value::Null),
        Ok(number @ 1..=100_000) => Ok(json!(number)),
        _ => Err("must be 1 to 100000, or none".to_owned()),
    }
}

pub(super) async fn list(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let data = api.get("/endpoints", &[], CALL_LIMIT).await?;
    print(matches, &data, |data| {
        let EndpointsAnswer { endpoints } = data.read()?;
        if endpoints.is_empty() {
            return Ok("No endpoint is registered. Register one with `confab webhooks set KIND \
                URL`, or run `confab listen`, which needs none."
                .to_owned());
        }
        Ok(table(ENDPOINT_HEADS, &endpoints.iter().map(endpoint_row).collect::<Vec<_>>()))
    })
}

pub(super) async fn set(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let kind = given(matches, "kind").ok_or("name the kind")?;
    let data = api.put(&format!("/endpoints/{kind}"), &wanted(matches)).await?;
    print(matches, &data, |data| {
        let EndpointAnswer { endpoint } = data.read()?;
        let url = inert_line(&endpoint.url);
        Ok(format!(
            "{kind} is sent to {url} ({}). Test it with `confab webhooks test {kind}`.",
            endpoint.state
        ))
    })
}

fn wanted(matches: &ArgMatches) -> Value {
    let mut wanted = Map::new();
    wanted.insert("url".to_owned(), json!(given(matches, "url")));
    for (name, ..) in MANNERS {
        if let Some(number) = matches.get_one::<i64>(name) {
            wanted.insert(name.to_owned(), json!(number));
        }
    }
    if let Some(pace) = matches.get_one::<Value>("per_second_max") {
        wanted.insert("per_second_max".to_owned(), pace.clone());
    }
    if matches.get_flag("disabled") {
        wanted.insert("is_enabled".to_owned(), json!(false));
    }
    Value::Object(wanted)
}

pub(super) async fn pause_or_resume(
    verb: &str,
    matches: &ArgMatches,
    api: &ServerApi,
) -> Result<(), CommandError> {
    let kind = given(matches, "kind").ok_or("name the kind")?;
    let data = api.post(&format!("/endpoints/{kind}/{verb}"), &json!({}), CALL_LIMIT).await?;
    print(matches, &data, |data| {
        let EndpointAnswer { endpoint } = data.read()?;
        let (state, waiting) = (inert_line(&endpoint.state), endpoint.waiting);
        Ok(format!("{kind} is {state}; waiting deliveries: {waiting}"))
    })
}

/// Tests an endpoint. Exits with code 0 if the receiver accepted the example, else 1.
pub(super) async fn test(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let kind = given(matches, "kind").ok_or("name the kind")?;
    let path = format!("/endpoints/{kind}/test");
    let data = api.post(&path, &json!({}), TEST_CALL_LIMIT).await?;
    let AttemptAnswer { attempt: made } = data.read()?;
    print(matches, &data, |_| Ok(attempt(&made)))?;
    match made.error {
        Some(error) => {
            Err(format!("the receiver did not accept the webhook: {}", inert_line(&error)).into())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted_of(arguments: &[&str]) -> Result<Value, clap::Error> {
        let line = ["set", "bot", "http://a/b"].iter().chain(arguments);
        set_command().try_get_matches_from(line).map(|matches| wanted(&matches))
    }

    #[test]
    fn only_given_flags_are_in_the_request() {
        assert_eq!(wanted_of(&[]).expect("valid"), json!({"url": "http://a/b"}));
        let all = ["--timeout-ms", "100", "--at-once-max", "8", "--block-s", "0"];
        let all = [&all[..], &["--per-second-max", "none", "--disabled"]].concat();
        let expected = json!({"url": "http://a/b", "timeout_ms": 100, "at_once_max": 8,
            "block_s": 0, "per_second_max": null, "is_enabled": false});
        assert_eq!(wanted_of(&all).expect("valid"), expected);
        let paced = wanted_of(&["--per-second-max", "50"]).expect("valid");
        assert_eq!(paced["per_second_max"], 50);
    }

    #[test]
    fn values_out_of_range_are_refused_before_the_server_is_called() {
        for wrong in [
            ["--timeout-ms", "99"],
            ["--timeout-ms", "60001"],
            ["--at-once-max", "0"],
            ["--per-second-max", "0"],
            ["--per-second-max", "fast"],
            ["--block-s", "864001"],
        ] {
            assert!(wanted_of(&wrong).is_err(), "{wrong:?}");
        }
        let unknown = set_command().try_get_matches_from(["set", "bott", "http://a/b"]);
        assert!(unknown.expect_err("refused").to_string().contains("mark_as_resolved"));
    }
}
