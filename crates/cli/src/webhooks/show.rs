//! `confab webhooks show`: shows one delivery with its attempts and body.

use clap::{Arg, ArgMatches, Command};

use super::answers::{ShownWholeDelivery, WholeDeliveryAnswer};
use super::arguments::sub_command;
use super::pretty_json::pretty;
use super::shown::print;
use super::shown::{attempt, result};
use crate::command_error::CommandError;
use crate::inert_text::{inert, inert_line};
use crate::remote::server_api::{CALL_LIMIT, ServerApi};

pub(super) fn command() -> Command {
    sub_command("show", "Show one delivery with its attempts, timings and body")
        .arg(id_argument().required(true))
}

/// Returns the argument for a delivery id.
pub(super) fn id_argument() -> Arg {
    Arg::new("id")
        .value_name("ID")
        .value_parser(delivery_id)
        .help("Delivery id, as `confab webhooks list` or the header webhook-id shows it")
}

/// Parses a delivery id. The header `webhook-id` has it with the prefix `msg_`.
fn delivery_id(text: &str) -> Result<i64, &'static str> {
    let digits = text.strip_prefix("msg_").unwrap_or(text);
    let id = digits.parse().ok().filter(|id| *id > 0);
    id.ok_or("a delivery id is a number, such as 372808598552768 or msg_372808598552768")
}

pub(super) async fn run(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let id = matches.get_one::<i64>("id").ok_or("name the delivery")?;
    let data = api.get(&format!("/deliveries/{id}"), &[], CALL_LIMIT).await?;
    print(matches, &data, |data| Ok(whole(&data.read::<WholeDeliveryAnswer>()?.delivery)))
}

fn whole(whole: &ShownWholeDelivery) -> String {
    let delivery = &whole.delivery;
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let number = delivery.sequence.map(|sequence| sequence.to_string());
    let facts = [
        ("delivery", delivery.id.to_string()),
        ("kind", delivery.kind.clone()),
        ("room", text(&delivery.room_id)),
        ("sequence", text(&number)),
        ("url", delivery.url.clone()),
        ("standing", delivery.standing.clone()),
        ("attempts", delivery.attempts.to_string()),
        ("last", result(delivery.last_status, delivery.last_error.as_deref())),
        ("created at", delivery.created_at.clone()),
        ("due at", text(&delivery.due_at)),
    ];
    let mut lines: Vec<_> =
        facts.iter().map(|(name, fact)| format!("{name:<12}{}", inert_line(fact))).collect();
    if !whole.attempt_list.is_empty() {
        lines.push("\nattempts (UTC)".to_owned());
        lines.extend(whole.attempt_list.iter().map(attempt));
    }
    lines.push(format!("\nbody\n{}", inert(&pretty(&whole.body))));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_id_is_a_number_with_or_without_the_prefix_of_the_header() {
        for text in ["7", "msg_7"] {
            assert_eq!(delivery_id(text), Ok(7));
        }
        for text in ["", "msg_", "0", "-7", "bot"] {
            assert!(delivery_id(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_delivery_is_shown_with_its_attempts_and_an_indented_body() {
        let text = r#"{"delivery":{"id":7,"kind":"bot","room_id":"55","sequence":3,
            "url":"http://a/b","standing":"waiting","attempts":1,"last_status":null,
            "last_error":"connect_refused","created_at":"2026-11-15T10:00:00.000000Z",
            "due_at":"2026-11-15T10:00:05.000000Z","body":"{\"b\":1.0,\"a\":[]}",
            "attempt_list":[{"number":1,"at":"2026-11-15T10:00:00.000000Z","status":null,
            "error":"connect_refused","peer":null,"answer":"the connection was refused",
            "phases_us":{"name":null,"connect":null,"tls":null,"head":null,"body":null}}]}}"#;
        let boxed: WholeDeliveryAnswer = serde_json::from_str(text).expect("a delivery");
        let expected = "\
delivery    7
kind        bot
room        55
sequence    3
url         http://a/b
standing    waiting
attempts    1
last        connect_refused
created at  2026-11-15T10:00:00.000000Z
due at      2026-11-15T10:00:05.000000Z

attempts (UTC)
#1  2026-11-15 10:00:00  connect_refused  from -
    no timings
    answer: the connection was refused

body
{
  \"b\": 1.0,
  \"a\": []
}";
        assert_eq!(whole(&boxed.delivery), expected);
    }
}
