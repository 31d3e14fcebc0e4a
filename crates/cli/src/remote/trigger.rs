//! `confab trigger`: makes a running server send one example webhook.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use confab_domain::webhooks::event_kind::EventKind;
use confab_runtime::config::Effective;
use serde::Deserialize;
use serde_json::json;

use crate::command_error::CommandError;
use crate::inert_text::inert_line;
use crate::remote::running_server::{AFTER_HELP, server_flags, with_server};
use crate::remote::server_api::{CALL_LIMIT, ServerApi};
use crate::webhooks::{DeliveryAnswer, app_again, given, json_flag, kind_argument};

#[derive(Deserialize)]
struct TriggerAnswer {
    delivery_ids: Vec<i64>,
    listeners: u64,
}

pub(crate) fn command() -> Command {
    let room = Arg::new("room").long("room").value_name("ROOM_ID").help("Room id for the example");
    let body = Arg::new("body").long("body").value_name("FILE").help(
        "File with a JSON object to send instead of the example; - reads it from standard input",
    );
    let kinds = EventKind::ALL.map(EventKind::as_str).into_iter().chain([MESSAGE]);
    let kind = kind_argument()
        .value_parser(PossibleValuesParser::new(kinds))
        .help("Kind of webhook; `message` simulates a message of a provider's customer");
    Command::new("trigger")
        .about("Send one example webhook, with signature and retries like a real one")
        .after_help(AFTER_HELP)
        .args([kind, room, body, json_flag()])
        .args(message_flags())
        .args(server_flags())
}

/// The `kind` that simulates a message from a customer of a provider, instead of sending a webhook.
const MESSAGE: &str = "message";

fn message_flags() -> [Arg; 3] {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        let arg = Arg::new(name).long(name).value_name(value).help(help);
        arg.help_heading("With `message`")
    };
    [
        flag("channel", "CHANNEL_ID", "Channel of the customer"),
        flag("from", "ID", "Customer's id at the provider, such as 77"),
        flag("text", "TEXT", "Text of the message"),
    ]
}

/// Simulates a message from a customer of a provider, which the server processes like a real
/// message.
async fn simulate_message(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let needed = |name: &str| {
        let value = given(matches, name).map(str::to_owned);
        value.ok_or_else(|| format!("`confab trigger message` needs --{name}"))
    };
    let (channel, from, text) = (needed("channel")?, needed("from")?, needed("text")?);
    let body = json!({"from": from, "text": text});
    let data = api.post_at(&format!("/api/v2/channels/{channel}/events"), &body).await?;
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("The channel received the message; see the inbox."),
    }
    Ok(())
}

pub(crate) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    if given(matches, "kind") == Some(MESSAGE) {
        return with_server(matches, settings, async |api: ServerApi| {
            simulate_message(matches, &api).await
        });
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

/// Returns the URL to which a delivery is sent. Errors are ignored, because the example is already
/// being sent.
async fn receiver(api: &ServerApi, id: i64) -> String {
    let asked = api.get(&format!("/deliveries/{id}"), &[], CALL_LIMIT).await;
    let delivery = asked.ok().and_then(|data| data.read::<DeliveryAnswer>().ok());
    delivery.map_or("an unknown receiver".to_owned(), |it| inert_line(&it.delivery.url))
}

fn summary(kind: &str, triggered: &TriggerAnswer, app: &str) -> String {
    let listening = match triggered.listeners {
        0 => String::new(),
        1 => " It was passed to one `confab listen`.".to_owned(),
        count => format!(" It was passed to {count} `confab listen`."),
    };
    match triggered.delivery_ids.as_slice() {
        [] if listening.is_empty() => format!(
            "Nothing was sent: no endpoint for {kind} is registered, and no `confab listen` is \
             running.\n\
             Register one with `confab webhooks set {kind} URL{app}`, or run `confab listen` in \
             another terminal."
        ),
        [] => listening.trim_start().to_owned(),
        [id, ..] => format!("See the result with `confab webhooks show {id}{app}`.{listening}"),
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
    fn suggested_commands_repeat_the_app_flag() {
        let triggered = |ids: &[i64]| TriggerAnswer { delivery_ids: ids.to_vec(), listeners: 0 };
        let one = summary("bot", &triggered(&[7]), " --app shop");
        assert_eq!(one, "See the result with `confab webhooks show 7 --app shop`.");
        let none = summary("bot", &triggered(&[]), " --app shop");
        assert!(none.contains("confab webhooks set bot URL --app shop`"), "{none}");
    }

    #[test]
    fn the_summary_names_the_receivers_or_explains_how_to_add_one() {
        let none = summary_of(&[], 0);
        for way in ["confab webhooks set bot URL", "confab listen"] {
            assert!(none.contains(way), "{none}");
        }
        assert_eq!(summary_of(&[], 1), "It was passed to one `confab listen`.");
        assert_eq!(summary_of(&[7], 0), "See the result with `confab webhooks show 7`.");
        let both =
            "See the result with `confab webhooks show 7`. It was passed to 2 `confab listen`.";
        assert_eq!(summary_of(&[7, 8], 2), both);
    }
}
