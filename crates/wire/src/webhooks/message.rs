//! `payload.from` and `payload.message` (spec 2.5, wire facts 6.1 and 6.5).

use confab_domain::json_text::JsonText;
use confab_domain::messages::message::Message;
use confab_domain::people::user::User;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::raw_json::{empty, raw};
use crate::time::{to_the_microsecond, to_the_second};

/// Sender of the message.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookSender)]
pub(super) struct SenderShape<'a> {
    avatar_url: &'a str,
    email: &'a str,
    id: i64,
    id_str: String,
    name: &'a str,
}

impl<'a> From<&'a User> for SenderShape<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            avatar_url: &user.avatar_url,
            email: user.user_id.as_str(),
            id: user.key.0,
            id_str: user.key.to_string(),
            name: &user.username,
        }
    }
}

/// The message that a webhook is about.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookMessage)]
pub(super) struct MessageShape<'a> {
    comment_before_id: i64,
    comment_before_id_str: String,
    created_at: String,
    disable_link_preview: bool,
    #[schema(value_type = Object)]
    extras: &'a RawValue,
    id: i64,
    id_str: String,
    #[schema(value_type = Object)]
    payload: &'a RawValue,
    text: &'a str,
    timestamp: String,
    r#type: &'a str,
    unique_temp_id: String,
    unix_nano_timestamp: i64,
    unix_timestamp: i64,
}

impl<'a> From<&'a Message> for MessageShape<'a> {
    fn from(message: &'a Message) -> Self {
        // The first message of a room follows number 0 (wire facts 6.1).
        let before = message.before.map_or(0, |id| id.0);
        Self {
            comment_before_id: before,
            comment_before_id_str: before.to_string(),
            created_at: to_the_microsecond(message.posted_at),
            // The message API of spec 4.1 has no parameter for it.
            disable_link_preview: false,
            extras: or_empty(message.extras.as_ref()),
            id: message.id.0,
            id_str: message.id.to_string(),
            payload: or_empty(message.payload.as_ref()),
            text: &message.text,
            timestamp: to_the_second(message.posted_at),
            r#type: message.kind.as_str(),
            unique_temp_id: message.unique_id().to_string(),
            unix_nano_timestamp: message.posted_at.0.saturating_mul(1000),
            unix_timestamp: message.posted_at.unix_seconds(),
        }
    }
}

/// The message of the new session webhook, with fewer keys (spec 2.5).
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookOpeningMessage)]
pub(super) struct OpeningMessageShape<'a> {
    id: i64,
    id_str: String,
    #[schema(value_type = Object)]
    payload: &'a RawValue,
    text: &'a str,
    timestamp: String,
    r#type: &'a str,
}

impl<'a> From<&'a Message> for OpeningMessageShape<'a> {
    fn from(message: &'a Message) -> Self {
        Self {
            id: message.id.0,
            id_str: message.id.to_string(),
            payload: or_empty(message.payload.as_ref()),
            text: &message.text,
            timestamp: to_the_second(message.posted_at),
            r#type: message.kind.as_str(),
        }
    }
}

/// Returns the JSON, or `{}` if there is none. Spec 2.5 allows JSON or null for the payload and
/// extras of a text; wire facts 6.1 have `{}`, whose keys receivers can read without a null check.
fn or_empty(json: Option<&JsonText>) -> &RawValue {
    json.map_or(empty(), raw)
}
