//! Conversations that the app starts, with one customer or many (D-0157; channel facts 2).

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
use crate::fields::{Id, Key, Label, NonEmpty, Text, UniqueIdOrKey};
use crate::reading::{FieldJson, FieldReader};
use crate::request::request;

/// Maximum number of characters of a phone number, in any notation.
const NUMBER_CHARS_MAX: usize = 40;

request! {
    /// Body of `POST /api/v2/customer_rooms/start`.
    pub struct StartConversationFields as "StartConversation" {
        /// Id of the channel through which the message is sent.
        channel_id: Id, required, example = "7";
        /// Phone number of the customer in any usual notation. Without a calling code, the number
        /// belongs to the country of the channel's own number.
        phone_number: NonEmpty<Key>, required, example = "628123456789";
        /// Display name of the customer, used if the customer is new.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        template: TemplateFields, group;
        unique_id: UniqueIdOrKey, group;
    }
}

request! {
    /// Body of `POST /api/v3/admin/broadcast/client`.
    pub struct ClientBroadcastFields as "BroadcastToClients" {
        /// Id of the channel through which the messages are sent.
        channel_id: Id, required, example = "7";
        /// Phone number of the customer, or a list of phone numbers.
        phone_number: PhoneNumbers, optional, example = "628123456789";
        /// Alternative name of `phone_number`, used by older clients.
        phone_numbers: PhoneNumbers, optional;
        /// Start time; must not be in the future, because broadcasts cannot be scheduled.
        started_at: NonEmpty<Text>, optional;
        template: TemplateFields, group;
        unique_id: UniqueIdOrKey, group;
    }
    unread {
        /// Accepted and ignored: name of the broadcast.
        name: Text, optional;
        /// Accepted and ignored: namespace of the template in WhatsApp's older API.
        namespace: Text, optional;
        /// Accepted and ignored: `template_name` identifies the template.
        template_detail_id: Text, optional;
    }
}

/// Phone numbers: one or a list, as strings or integers. A string may contain several numbers,
/// separated by commas or semicolons.
pub(super) struct PhoneNumbers;

impl Field for PhoneNumbers {
    type Value = Vec<String>;

    const SHAPE: Shape = list(Items::Texts).at_most(limits::BROADCAST_NUMBERS_MAX);

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Vec<String>> {
        let texts = reading.keys(field, given)?;
        let numbers = texts.iter().flat_map(|it| it.split([',', ';'])).map(str::trim);
        let numbers: Vec<_> = numbers.filter(|it| !it.is_empty()).map(str::to_owned).collect();
        Some(numbers).filter(|it| !it.is_empty())
    }
}

/// A request to start a conversation.
pub struct ConversationInput {
    pub channel: ChannelId,
    /// Phone number as in the request.
    pub number: String,
    pub name: Option<String>,
    pub template: TemplateInput,
    pub unique_id: Option<UniqueId>,
}

/// Parses a request to start a conversation.
pub fn read_start(
    body: &Body<'_>,
    idempotency_key: Option<&str>,
) -> Result<ConversationInput, Refusal> {
    let fields: StartConversationFields = body.read_keyed(idempotency_key)?;
    let mut reading = FieldReader::default();
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

/// A request to send a template to many customers.
pub struct BroadcastInput {
    pub channel: ChannelId,
    /// Phone numbers as in the request, without duplicates.
    pub numbers: Vec<String>,
    pub template: TemplateInput,
    pub unique_id: Option<UniqueId>,
}

/// Parses a request to send a broadcast.
pub fn read_broadcast(
    body: &Body<'_>,
    idempotency_key: Option<&str>,
    now: Timestamp,
) -> Result<BroadcastInput, Refusal> {
    let fields: ClientBroadcastFields = body.read_keyed(idempotency_key)?;
    let mut reading = FieldReader::default();
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

/// Rejects a start time in the future. A time without a time zone is in UTC.
fn check_start(reading: &mut FieldReader, text: &str, now: Timestamp) {
    let zoneless = || {
        let plain = text.parse::<jiff::civil::DateTime>().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(plain).ok()
    };
    let at = text.parse::<jiff::Timestamp>().ok().or_else(zoneless);
    let problem = match at.map(|at| at.as_microsecond() > now.0) {
        Some(false) => return,
        Some(true) => "must not be in the future: messages are sent immediately",
        None => "must be a time such as 2026-11-17T09:30:00Z",
    };
    reading.wrong::<()>("started_at", problem);
}

/// The result of a broadcast for one phone number.
pub struct BroadcastOutcome {
    /// Phone number in the provider's notation.
    pub number: String,
    /// The posted message, or the reason for the failure.
    pub posted: Result<PostedMessage, String>,
}

/// Response data of a broadcast.
#[derive(Serialize, ToSchema)]
pub struct BroadcastShape<'a> {
    /// Id of the broadcast.
    broadcast_job_id: i64,
    broadcast_logs: Vec<BroadcastLog<'a>>,
}

/// The result of a broadcast for one phone number.
#[derive(Serialize, ToSchema)]
pub struct BroadcastLog<'a> {
    /// Message id; null if the message failed.
    id: Option<i64>,
    /// Message id as a string; null if the message failed.
    message_id: Option<String>,
    /// Id of the customer's room; null if the message failed.
    room_id: Option<String>,
    phone_number: &'a str,
    /// `queued`, or `failed` if the message cannot be sent. The later delivery state is the
    /// `channel_status` of the message in its room.
    status: &'static str,
    /// Reason for the failure; null if the message was queued.
    reason: Option<&'a str>,
    /// Always null: the message is sent after this response.
    sent_at: Option<String>,
    /// Values of the placeholders in the template's body.
    variables: Vec<&'a str>,
}

/// Returns the response data of a broadcast.
pub fn broadcast<'a>(
    id: i64,
    outcomes: &'a [BroadcastOutcome],
    variables: &'a [String],
) -> BroadcastShape<'a> {
    let log = |outcome: &'a BroadcastOutcome| {
        let message = outcome.posted.as_ref().ok().map(|posted| &posted.message);
        BroadcastLog {
            id: message.map(|it| it.id.0),
            message_id: message.map(|it| it.id.to_string()),
            room_id: message.map(|it| it.room.to_string()),
            phone_number: &outcome.number,
            status: if message.is_some() { "queued" } else { "failed" },
            reason: outcome.posted.as_ref().err().map(String::as_str),
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
    fn phone_numbers_are_accepted_in_all_formats_of_clients() {
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
    fn a_broadcast_without_numbers_with_too_many_or_in_the_future_is_refused() {
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
