//! LINE channels, as admins see and configure them (channel facts 2). Responses show at most the
//! last four characters of tokens.

use confab_domain::channels::channel::Channel;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::account_fields::{SecretText, account, secrets};
use super::provider_channels::{PrintedUrl, ProviderChannelInput, auto_replies, masked_token};
use crate::body::Body;
use crate::fields::{Flag, Label, Properties};
use crate::request::request;

const ACCESS_TOKEN: &str = "access_token";
const SECRET_KEY: &str = "secret_key";
const READ_ENABLED: &str = "read_enabled";
const BASE_URL: &str = "base_url";

request! {
    /// Body of `POST /api/v2/line/connect`.
    pub struct ConnectLineFields as "ConnectLine" {
        /// Long-lived channel access token of the Messaging API.
        access_token: SecretText, required;
        /// Channel secret, which signs webhooks.
        secret_key: SecretText, required;
        /// Whether to mark customers' messages as read in LINE once they are received.
        read_enabled: Flag, optional;
        /// Display name of the channel; defaults to the name of the account.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// `log:` to print outgoing messages on the server's standard output instead of sending
        /// them.
        base_url: PrintedUrl, optional;
        /// Automatic replies: `online_message`, `offline_message`, `send_online_if_resolved`,
        /// `send_offline_each_message`.
        configs: Properties, optional;
    }
}

request! {
    /// Body of `POST /api/v2/line/connect/{id}/update`. Absent fields keep their values.
    pub struct ChangeLineFields as "ChangeLine" {
        /// New access token of the same account; pending messages are sent with it.
        access_token: SecretText, optional;
        /// Channel secret, which signs webhooks.
        secret_key: SecretText, optional;
        /// Whether to mark customers' messages as read in LINE once they are received.
        read_enabled: Flag, optional;
        /// Display name of the channel.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Whether the channel is active; an inactive channel neither receives nor sends messages.
        is_active: Flag, optional;
        /// Automatic replies: `online_message`, `offline_message`, `send_online_if_resolved`,
        /// `send_offline_each_message`.
        configs: Properties, optional;
    }
}

/// Parses a request to connect a LINE account.
pub fn read_new_line(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ConnectLineFields = body.read()?;
    let mut account = account(&[
        (BASE_URL, fields.base_url),
        (READ_ENABLED, fields.read_enabled.map(|it| it.to_string())),
    ]);
    account.secrets = secrets(&[
        (ACCESS_TOKEN, Some(fields.access_token)),
        (SECRET_KEY, Some(fields.secret_key)),
    ]);
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    Ok(ProviderChannelInput { name: fields.name, is_active: None, account, auto_replies })
}

/// Parses a request to change a LINE channel.
pub fn read_line(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ChangeLineFields = body.read()?;
    let mut account = account(&[(READ_ENABLED, fields.read_enabled.map(|it| it.to_string()))]);
    account.secrets =
        secrets(&[(ACCESS_TOKEN, fields.access_token), (SECRET_KEY, fields.secret_key)]);
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    let (name, is_active) = (fields.name, fields.is_active);
    Ok(ProviderChannelInput { name, is_active, account, auto_replies })
}

/// Returns a simulated LINE webhook with a customer's message.
pub fn line_webhook(from: &str, text: &str, id: i64, now: Timestamp) -> String {
    let event = json!({
        "type": "message", "mode": "active", "timestamp": now.0 / 1_000,
        "source": {"type": "user", "userId": from},
        "webhookEventId": format!("played-{id}"), "deliveryContext": {"isRedelivery": false},
        "message": {"id": format!("played-{id}"), "type": "text", "text": text},
    });
    json!({"destination": "played", "events": [event]}).to_string()
}

/// A LINE channel.
#[derive(Serialize, ToSchema)]
#[schema(as = LineChannel)]
pub struct LineRecord<'a> {
    /// Id of the channel, as used in the paths of other calls.
    id: i64,
    /// Integer id of the app to which the channel belongs.
    app_id: i64,
    /// Whether the channel is active; an inactive channel neither receives nor sends messages.
    is_active: bool,
    /// Display name of the channel.
    name: &'a str,
    /// URL of the channel's picture.
    badge_url: Option<&'a str>,
    /// Always false; the field exists only for compatibility with existing clients.
    use_channel_responder: bool,
    /// Name of the LINE account, such as `@shop`.
    username: &'a str,
    /// Masked access token.
    access_token: String,
    /// Masked channel secret.
    secret_key: String,
    /// Whether customers' messages are marked as read in LINE once they are received.
    read_enabled: bool,
    /// URL to which LINE sends webhooks; empty if LINE cannot reach this server.
    webhook_url: String,
}

/// Returns a LINE channel as admins see it. `hook_url` is the URL to which LINE sends webhooks.
pub fn line_record<'a>(
    channel: &'a Channel,
    account: &'a ProviderAccount,
    hook_url: Option<String>,
) -> LineRecord<'a> {
    LineRecord {
        id: channel.id.0,
        app_id: channel.app.0,
        is_active: channel.is_active,
        name: &channel.name,
        badge_url: channel.logo_url.as_deref(),
        use_channel_responder: false,
        username: account.setting("username"),
        access_token: masked_token(account.secret(ACCESS_TOKEN)),
        secret_key: masked_token(account.secret(SECRET_KEY)),
        read_enabled: account.setting(READ_ENABLED) == "true",
        webhook_url: hook_url.unwrap_or_default(),
    }
}

/// Response data with one LINE channel.
#[derive(Serialize, ToSchema)]
pub struct LineBox<'a> {
    line_channel: LineRecord<'a>,
}

/// Response data with a list of LINE channels.
#[derive(Serialize, ToSchema)]
pub struct LineList<'a> {
    line_channels: Vec<LineRecord<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_adapter_accepts_a_simulated_message() {
        let body = line_webhook("U1", "hello", 7, Timestamp(5_000_000));
        let events = confab_providers::line::read(body.as_bytes()).expect("a webhook");
        assert_eq!((events.len(), events[0].lane.as_str()), (1, "U1"));
        assert_eq!(events[0].at, Some(Timestamp(5_000_000)));
    }

    #[test]
    fn token_and_secret_are_both_required() {
        let read = |text: &str| read_new_line(&Body::from_json(text.as_bytes()).expect("JSON"));
        assert!(read(r#"{"access_token":"a/b+c=","secret_key":"s"}"#).is_ok());
        for wrong in [
            r#"{"access_token":"a"}"#,
            r#"{"secret_key":"s"}"#,
            r#"{"access_token":"a b","secret_key":"s"}"#,
            r#"{"access_token":"a","secret_key":"s\r\nx: y"}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
