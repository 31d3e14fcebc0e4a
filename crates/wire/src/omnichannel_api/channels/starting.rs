//! Writing to customers first: one, or many at once (D-0157; channel facts 2).

use confab_domain::ids::ChannelId;
use confab_domain::limits;
use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::templates::{TemplateFields, TemplateInput};
use crate::body::Body;
use crate::fields::kind::Field;
use crate::fields::shape::{Items, Shape, list};
use crate::fields::{Filled, Id, Key, Label, Text, UniqueIdOrKey};
use crate::reading::{Given, Reading};
use crate::request::request;

/// Longer texts are no phone numbers, however they are written.
const NUMBER_CHARS_MAX: usize = 40;

request! {
    /// `POST /api/v2/customer_rooms/start`
    pub struct StartConversationFields as "StartConversation" {
        /// The channel that the customer is written to through.
        channel_id: Id, required, example = "7";
        /// The customer's number, as people write it; without a calling code it is one of the
        /// country of the channel's own number.
        phone_number: Filled<Key>, required, example = "628123456789";
        /// What the customer is called from now on, if they are new.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        template: TemplateFields, group;
        unique_id: UniqueIdOrKey, group;
    }
}

request! {
    /// `POST /api/v3/admin/broadcast/client`
    pub struct BroadcastFields as "BroadcastToClients" {
        /// The channel that they are written to through.
        channel_id: Id, required, example = "7";
        /// Whom to write to: a number, or several.
        phone_number: PhoneNumbers, optional, example = "628123456789";
        /// The same, as older clients call it.
        phone_numbers: PhoneNumbers, optional;
        /// Nothing may be sent later: a time that is still to come is refused.
        started_at: Filled<Text>, optional;
        template: TemplateFields, group;
        unique_id: UniqueIdOrKey, group;
    }
    unread {
        /// What the broadcast is called; it is not kept.
        name: Text, optional;
        /// Of the template, for WhatsApp's older API; it is not needed any more.
        namespace: Text, optional;
        /// Which template, as another service counts; its name counts.
        template_detail_id: Text, optional;
    }
}

/// Phone numbers: one or a list, texts or integers; several in one text by commas.
pub(super) struct PhoneNumbers;

impl Field for PhoneNumbers {
    type Value = Vec<String>;

    const SHAPE: Shape = list(Items::Texts).at_most(limits::BROADCAST_NUMBERS_MAX);

    fn read(reading: &mut Reading, field: &str, given: Given<'_>) -> Option<Vec<String>> {
        let texts = reading.keys(field, given)?;
        let numbers = texts.iter().flat_map(|it| it.split([',', ';'])).map(str::trim);
        let numbers: Vec<_> = numbers.filter(|it| !it.is_empty()).map(str::to_owned).collect();
        Some(numbers).filter(|it| !it.is_empty())
    }
}

/// A conversation that somebody wants to start.
pub struct ConversationInput {
    pub channel: ChannelId,
    /// As it was typed.
    pub number: String,
    pub name: Option<String>,
    pub template: TemplateInput,
    pub unique_id: Option<UniqueId>,
}

/// Reads whom to write to, and what.
pub fn read_start(
    body: &Body<'_>,
    idempotency_key: Option<&str>,
) -> Result<ConversationInput, Refusal> {
    let fields: StartConversationFields = body.read_keyed(idempotency_key)?;
    let mut reading = Reading::default();
    let number = reading.short("phone_number", fields.phone_number, NUMBER_CHARS_MAX);
    let Some(number) = number else { return Err(reading.refusal()) };
    Ok(ConversationInput {
        channel: ChannelId(fields.channel_id),
        number,
        name: fields.name,
        template: fields.template.into(),
        unique_id: fields.unique_id.0,
    })
}

/// A template that is to be sent to many.
pub struct BroadcastInput {
    pub channel: ChannelId,
    /// As they were given, each once.
    pub numbers: Vec<String>,
    pub template: TemplateInput,
    pub unique_id: Option<UniqueId>,
}

/// Reads whom to write to, and what.
pub fn read_broadcast(
    body: &Body<'_>,
    idempotency_key: Option<&str>,
    now: Timestamp,
) -> Result<BroadcastInput, Refusal> {
    let fields: BroadcastFields = body.read_keyed(idempotency_key)?;
    let mut reading = Reading::default();
    let given = fields.phone_number.into_iter().chain(fields.phone_numbers).flatten();
    let mut numbers: Vec<String> = Vec::new();
    for number in given {
        if !numbers.contains(&number) {
            numbers.extend(reading.short("phone_number", number, NUMBER_CHARS_MAX));
        }
        if numbers.len() > limits::BROADCAST_NUMBERS_MAX {
            let max = limits::BROADCAST_NUMBERS_MAX;
            reading.wrong::<()>("phone_number", format!("must name at most {max} numbers"));
            break;
        }
    }
    reading.needed("phone_number", Some(()).filter(|()| !numbers.is_empty()));
    if let Some(text) = fields.started_at {
        check_start(&mut reading, &text, now);
    }
    reading.finish()?;
    Ok(BroadcastInput {
        channel: ChannelId(fields.channel_id),
        numbers,
        template: fields.template.into(),
        unique_id: fields.unique_id.0,
    })
}

/// What has no zone is UTC.
fn check_start(reading: &mut Reading, text: &str, now: Timestamp) {
    let zoneless = || {
        let plain = text.parse::<jiff::civil::DateTime>().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(plain).ok()
    };
    let at = text.parse::<jiff::Timestamp>().ok().or_else(zoneless);
    let problem = match at.map(|at| at.as_microsecond() > now.0) {
        Some(false) => return,
        Some(true) => "is still to come: nothing is sent later, call again then",
        None => "must be a time such as 2026-11-17T09:30:00Z",
    };
    reading.wrong::<()>("started_at", problem);
}

/// What became of one of those who are written to.
pub struct BroadcastOutcome {
    /// As the service takes it.
    pub number: String,
    /// What was said, or why nothing was.
    pub said: Result<PostedMessage, String>,
}

/// `{broadcast_job_id, broadcast_logs}`
#[derive(Serialize, ToSchema)]
pub struct BroadcastShape<'a> {
    /// The integer of this call.
    broadcast_job_id: i64,
    broadcast_logs: Vec<BroadcastLog<'a>>,
}

/// One of those who are written to.
#[derive(Serialize, ToSchema)]
pub struct BroadcastLog<'a> {
    /// The message's integer; null if nothing was said.
    id: Option<i64>,
    /// The same as text.
    message_id: Option<String>,
    /// The customer's room.
    room_id: Option<String>,
    phone_number: &'a str,
    /// `queued`, or `failed` if it cannot be sent. How far it is then stands with the message in
    /// its room, as `channel_status`.
    status: &'static str,
    /// Why it failed.
    reason: Option<&'a str>,
    /// Always null: it is sent after this answer.
    sent_at: Option<String>,
    /// What stands in the body of the template.
    variables: Vec<&'a str>,
}

/// What became of all of them.
pub fn broadcast<'a>(
    id: i64,
    outcomes: &'a [BroadcastOutcome],
    variables: &'a [String],
) -> BroadcastShape<'a> {
    let log = |outcome: &'a BroadcastOutcome| {
        let message = outcome.said.as_ref().ok().map(|said| &said.message);
        BroadcastLog {
            id: message.map(|it| it.id.0),
            message_id: message.map(|it| it.id.to_string()),
            room_id: message.map(|it| it.room.to_string()),
            phone_number: &outcome.number,
            status: if message.is_some() { "queued" } else { "failed" },
            reason: outcome.said.as_ref().err().map(String::as_str),
            sent_at: None,
            variables: variables.iter().map(String::as_str).collect(),
        }
    };
    BroadcastShape { broadcast_job_id: id, broadcast_logs: outcomes.iter().map(log).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<BroadcastInput, Refusal> {
        let body = Body::from_json(json.as_bytes()).expect("JSON");
        read_broadcast(&body, None, Timestamp(1_794_000_000_000_000))
    }

    #[test]
    fn numbers_are_read_in_every_way_that_clients_write_them() {
        for given in [
            r#""phone_number":"628123456789""#,
            r#""phone_number":628123456789"#,
            r#""phone_numbers":["628123456789"]"#,
            r#""phone_number":"628123456789","phone_numbers":[628123456789]"#,
            r#""phone_numbers":"628123456789, 628123456789","started_at":"2020-01-01 09:30:00""#,
        ] {
            let json = format!(r#"{{"channel_id":"7","template_name":"a",{given}}}"#);
            let wanted = read(&json).map_err(|it| it.to_string());
            let wanted = wanted.unwrap_or_else(|why| panic!("{given}: {why}"));
            assert_eq!(wanted.numbers, ["628123456789"], "{given}");
            assert_eq!(wanted.channel, ChannelId(7));
        }
    }

    #[test]
    fn what_names_nobody_too_many_or_another_time_is_refused() {
        let many: Vec<_> = (0..=limits::BROADCAST_NUMBERS_MAX).map(|it| it.to_string()).collect();
        let many = format!(r#""phone_numbers":"{}""#, many.join(","));
        for given in [
            r#""phone_number":"""#,
            r#""phone_numbers":[]"#,
            r#""phone_number":{"a":1}"#,
            r#""phone_number":"1","started_at":"2099-01-01T09:30:00+07:00""#,
            r#""phone_number":"1","started_at":"tomorrow""#,
            &many,
        ] {
            let json = format!(r#"{{"channel_id":7,"template_name":"a",{given}}}"#);
            assert!(read(&json).is_err(), "{given}");
        }
        assert!(read(r#"{"phone_number":"1","template_name":"a"}"#).is_err());
    }
}
