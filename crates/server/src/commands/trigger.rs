//! `confab trigger`: makes a running server send one example webhook.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use confab_domain::webhooks::event_kind::EventKind;
use serde::Deserialize;
use serde_json::json;

use super::command_error::CommandError;
use super::inert_text::inert_line;
use super::running_server::{AFTER_HELP, server_flags, with_server};
use super::server_api::{CALL_LIMIT, ServerApi};
use super::webhooks::{DeliveryAnswer, app_again, given, json_flag, kind_argument};
use crate::config::Effective;

#[derive(Deserialize)]
struct TriggerAnswer {
    delivery_ids: Vec<i64>,
    listeners: u64,
}

pub(super) fn command() -> Command {
    let room = Arg::new("room")
        .long("room")
        .value_name("ROOM_ID")
        .help("The room that the example shall be about");
    let body = Arg::new("body").long("body").value_name("FILE").help(
        "Send what is in this file, a JSON object, instead of the example; - reads it from \
               standard input",
    );
    let kinds = EventKind::ALL.map(EventKind::as_str).into_iter().chain([MESSAGE]);
    let kind = kind_argument()
        .value_parser(PossibleValuesParser::new(kinds))
        .help("What the webhook tells of; `message` has a customer of a channel write");
    Command::new("trigger")
        .about("Send one example webhook, the way a real one goes")
        .after_help(AFTER_HELP)
        .args([kind, room, body, json_flag()])
        .args(message_flags())
        .args(server_flags())
}

/// The kind that sends no webhook but simulates a message of a provider's customer.
const MESSAGE: &str = "message";

fn message_flags() -> [Arg; 3] {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name(value).help(help);
        arg.help_heading("With `message`")
    };
    [
        flag("channel", "CHANNEL_ID", "The channel that a customer writes through"),
        flag("from", "ID", "Who writes, as the service names them, such as 77"),
        flag("text", "TEXT", "What they write"),
    ]
}

/// Simulates a message of a provider's customer, which takes the path of real ones.
async fn say(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let needed = |name: &str| {
        let value = given(matches, name).map(str::to_owned);
        value.ok_or_else(|| format!("`confab trigger message` needs --{name}"))
    };
    let (channel, from, text) = (needed("channel")?, needed("from")?, needed("text")?);
    let body = json!({"from": from, "text": text});
    let data = api.post_at(&format!("/api/v2/channels/{channel}/events"), &body).await?;
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("The message is on its way to the inbox."),
    }
    Ok(())
}

pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    if given(matches, "kind") == Some(MESSAGE) {
        return with_server(matches, settings, async |api: ServerApi| say(matches, &api).await);
    }
    let own = given(matches, "body").map(own_body).transpose()?;
    with_server(matches, settings, async |api: ServerApi| trigger(matches, &api, own).await)
}

/// Reads a custom body and checks that it is a JSON object. It is sent unchanged.
fn own_body(file: &str) -> Result<String, CommandError> {
    let read = match file {
        "-" => std::io::read_to_string(std::io::stdin()),
        file => std::fs::read_to_string(file),
    };
    let text = read.map_err(|error| format!("{file} cannot be read: {error}"))?;
    let checked: Result<serde_json::Map<String, serde_json::Value>, _> =
        serde_json::from_str(&text);
    checked.map_err(|error| format!("{file} is not a JSON object: {error}"))?;
    Ok(text.trim().to_owned())
}

async fn trigger(
    matches: &ArgMatches,
    api: &ServerApi,
    own: Option<String>,
) -> Result<(), CommandError> {
    let kind = given(matches, "kind").ok_or("name the kind")?;
    let mut body = json!({"kind": kind});
    if let Some(room) = given(matches, "room") {
        body["room_id"] = json!(room);
    }
    if let Some(own) = own {
        body["body"] = json!(own);
    }
    let data = api.post("/trigger", &body, CALL_LIMIT).await?;
    if matches.get_flag("json") {
        say!("{}", data.text());
        return Ok(());
    }
    let triggered: TriggerAnswer = data.read()?;
    for id in &triggered.delivery_ids {
        say!("delivery {id} to {}", receiver(api, *id).await);
    }
    say!("{}", summary(kind, &triggered, &app_again(matches)));
    Ok(())
}

/// Returns the URL of a delivery. Errors are ignored, because the example is already being sent.
async fn receiver(api: &ServerApi, id: i64) -> String {
    let asked = api.get(&format!("/deliveries/{id}"), &[], CALL_LIMIT).await;
    let delivery = asked.ok().and_then(|data| data.read::<DeliveryAnswer>().ok());
    delivery.map_or("an unknown receiver".to_owned(), |it| inert_line(&it.delivery.url))
}

fn summary(kind: &str, triggered: &TriggerAnswer, app: &str) -> String {
    let told = match triggered.listeners {
        0 => String::new(),
        1 => " One `confab listen` was told.".to_owned(),
        count => format!(" {count} `confab listen` were told."),
    };
    match triggered.delivery_ids.as_slice() {
        [] if told.is_empty() => format!(
            "Nobody was told: no receiver of {kind} is registered and nobody listens.\n\
             Register one with `confab webhooks set {kind} URL{app}`, or run `confab listen` in \
             another terminal."
        ),
        [] => told.trim_start().to_owned(),
        [id, ..] => format!("`confab webhooks show {id}{app}` tells what became of it.{told}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary_of(delivery_ids: &[i64], listeners: u64) -> String {
        let triggered = TriggerAnswer { delivery_ids: delivery_ids.to_vec(), listeners };
        summary("bot", &triggered, "")
    }

    #[test]
    fn who_named_the_app_is_told_to_name_it_again() {
        let triggered = |ids: &[i64]| TriggerAnswer { delivery_ids: ids.to_vec(), listeners: 0 };
        let one = summary("bot", &triggered(&[7]), " --app shop");
        assert_eq!(one, "`confab webhooks show 7 --app shop` tells what became of it.");
        let nobody = summary("bot", &triggered(&[]), " --app shop");
        assert!(nobody.contains("confab webhooks set bot URL --app shop`"), "{nobody}");
    }

    #[test]
    fn who_is_told_is_said_and_if_nobody_is_then_how_to_be() {
        let nobody = summary_of(&[], 0);
        for way in ["confab webhooks set bot URL", "confab listen"] {
            assert!(nobody.contains(way), "{nobody}");
        }
        assert_eq!(summary_of(&[], 1), "One `confab listen` was told.");
        assert_eq!(summary_of(&[7], 0), "`confab webhooks show 7` tells what became of it.");
        let both = "`confab webhooks show 7` tells what became of it. 2 `confab listen` were told.";
        assert_eq!(summary_of(&[7, 8], 2), both);
    }
}
