//! Messenger channels, as admins see and configure them (channel facts 2 and 4.2). Responses show
//! at most the last four characters of tokens.

use confab_domain::channels::channel::Channel;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::account_fields::{
    ACCESS_TOKEN, API_VERSION, APP_SECRET, ApiVersion, BASE_URL, MetaId, READ_ENABLED, SecretText,
    VERIFY_TOKEN, account, flag, meta_secrets,
};
use super::provider_channels::{PrintedUrl, ProviderChannelInput, auto_replies, masked_token};
use crate::body::Body;
use crate::fields::{Flag, Label, Properties};
use crate::request::request;

/// Name of the setting that decides whether agents may reply after Meta's 24-hour messaging window,
/// with the tag `HUMAN_AGENT`.
pub const HUMAN_AGENT_ENABLED: &str = "human_agent_enabled";
const PAGE_ID: &str = "page_id";

request! {
    /// Body of `POST /api/v2/fb/connect`.
    pub struct ConnectMessengerFields as "ConnectMessenger" {
        /// Access token of the page, not of a person, with the permission to send messages.
        access_token: SecretText, required, example = "EAAG...";
        /// Facebook's id of the page.
        page_id: MetaId, required, example = "104839281920384";
        /// Secret of the Meta app, which signs webhooks.
        app_secret: SecretText, required;
        /// Token with which Meta verifies the webhook URL; generated if absent.
        verify_token: SecretText, optional;
        /// Version of Meta's API; default v25.0.
        api_version: ApiVersion, optional, example = "v25.0";
        /// Whether to mark customers' messages as read in Messenger once they are received.
        read_enabled: Flag, optional;
        /// Whether agents may reply for seven days after the customer's last message instead of
        /// one, with the tag `HUMAN_AGENT`. The Meta app needs Meta's approval for this tag.
        human_agent_enabled: Flag, optional;
        /// Display name of the channel; defaults to the name of the page.
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
    /// Body of `POST /api/v2/fb/connect/{id}/update`. Absent fields keep their values.
    pub struct ChangeMessengerFields as "ChangeMessenger" {
        /// New access token of the same page; pending messages are sent with it.
        access_token: SecretText, optional;
        /// Secret of the Meta app.
        app_secret: SecretText, optional;
        /// Token with which Meta verifies the webhook URL.
        verify_token: SecretText, optional;
        /// Version of Meta's API.
        api_version: ApiVersion, optional;
        /// Whether to mark customers' messages as read in Messenger once they are received.
        read_enabled: Flag, optional;
        /// Whether agents may reply for seven days after the customer's last message instead of
        /// one, with the tag `HUMAN_AGENT`.
        human_agent_enabled: Flag, optional;
        /// Display name of the channel.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Whether the channel is active; an inactive channel neither receives nor sends messages.
        is_active: Flag, optional;
        /// Automatic replies: `online_message`, `offline_message`, `send_online_if_resolved`,
        /// `send_offline_each_message`.
        configs: Properties, optional;
    }
}

/// Parses a request to connect a Facebook page.
pub fn read_new_messenger(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ConnectMessengerFields = body.read()?;
    let mut account = account(&[
        (API_VERSION, fields.api_version),
        (BASE_URL, fields.base_url),
        (HUMAN_AGENT_ENABLED, flag(fields.human_agent_enabled)),
        (PAGE_ID, Some(fields.page_id)),
        (READ_ENABLED, flag(fields.read_enabled)),
    ]);
    account.secrets =
        meta_secrets(Some(fields.access_token), Some(fields.app_secret), fields.verify_token);
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    Ok(ProviderChannelInput { name: fields.name, is_active: None, account, auto_replies })
}

/// Parses a request to change a Messenger channel.
pub fn read_messenger(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ChangeMessengerFields = body.read()?;
    let mut account = account(&[
        (API_VERSION, fields.api_version),
        (HUMAN_AGENT_ENABLED, flag(fields.human_agent_enabled)),
        (READ_ENABLED, flag(fields.read_enabled)),
    ]);
    account.secrets = meta_secrets(fields.access_token, fields.app_secret, fields.verify_token);
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    let (name, is_active) = (fields.name, fields.is_active);
    Ok(ProviderChannelInput { name, is_active, account, auto_replies })
}

/// Returns a simulated Meta webhook with a customer's message. `object` decides whether `page` is a
/// Messenger page or an Instagram account.
pub fn page_webhook(
    object: &str,
    page: &str,
    from: &str,
    text: &str,
    id: i64,
    now: Timestamp,
) -> String {
    let at = now.unix_ms();
    let element = json!({
        "sender": {"id": from}, "recipient": {"id": page}, "timestamp": at,
        "message": {"mid": format!("m_played_{id}"), "text": text},
    });
    json!({"object": object, "entry": [{"id": page, "time": at, "messaging": [element]}]})
        .to_string()
}

/// A Messenger channel.
#[derive(Serialize, ToSchema)]
#[schema(as = MessengerChannel)]
pub struct MessengerRecord<'a> {
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
    /// Facebook's id of the page.
    page_id: &'a str,
    /// Name of the page.
    profile_name: &'a str,
    /// Masked access token.
    long_lived_token: String,
    /// Masked access token.
    access_token: String,
    /// Masked secret of the Meta app.
    app_secret: String,
    /// Masked token with which Meta verifies the webhook URL.
    verify_token: String,
    /// Version of Meta's API; empty for the default.
    api_version: &'a str,
    /// Whether customers' messages are marked as read in Messenger once they are received.
    read_enabled: bool,
    /// Whether agents may reply for seven days after the customer's last message instead of one,
    /// with the tag `HUMAN_AGENT`.
    human_agent_enabled: bool,
    /// URL to which Meta sends webhooks; empty if Meta cannot reach this server.
    webhook_url: String,
}

/// Returns a Messenger channel as admins see it. `hook_url` is the URL to which Meta sends
/// webhooks.
pub fn messenger_record<'a>(
    channel: &'a Channel,
    account: &'a ProviderAccount,
    hook_url: Option<String>,
) -> MessengerRecord<'a> {
    let masked = |name: &str| masked_token(account.secret(name));
    MessengerRecord {
        id: channel.id.0,
        app_id: channel.app.0,
        is_active: channel.is_active,
        name: &channel.name,
        badge_url: channel.logo_url.as_deref(),
        use_channel_responder: false,
        page_id: account.setting(PAGE_ID),
        profile_name: account.setting("username"),
        long_lived_token: masked(ACCESS_TOKEN),
        access_token: masked(ACCESS_TOKEN),
        app_secret: masked(APP_SECRET),
        verify_token: masked(VERIFY_TOKEN),
        api_version: account.setting(API_VERSION),
        read_enabled: account.setting(READ_ENABLED) == "true",
        human_agent_enabled: account.setting(HUMAN_AGENT_ENABLED) == "true",
        webhook_url: hook_url.unwrap_or_default(),
    }
}

impl MessengerRecord<'_> {
    /// Returns the record with the verify token unmasked.
    pub fn with_verify_token(self, verify_token: &str) -> Self {
        Self { verify_token: verify_token.to_owned(), ..self }
    }
}

/// Response data with one Messenger channel.
#[derive(Serialize, ToSchema)]
pub struct MessengerBox<'a> {
    fb_channel: MessengerRecord<'a>,
}

/// Response data with a list of Messenger channels.
#[derive(Serialize, ToSchema)]
pub struct MessengerList<'a> {
    fb_channels: Vec<MessengerRecord<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use confab_providers::{Provider, meta_provider, read};

    #[test]
    fn the_adapter_accepts_a_simulated_message() {
        for (object, provider) in
            [("page", Provider::Messenger), ("instagram", Provider::Instagram)]
        {
            let body = page_webhook(object, "104", "4242", "hello", 7, Timestamp(5_000_000));
            assert_eq!(meta_provider(body.as_bytes()), Some(provider));
            let events = read(provider, body.as_bytes()).expect("a webhook");
            assert_eq!(events[0].account.as_deref(), Some("104"));
            assert_eq!((events.len(), events[0].lane.as_str()), (1, "4242"));
            assert_eq!(events[0].at, Some(Timestamp(5_000_000)));
        }
    }

    #[test]
    fn values_that_would_change_the_request_are_refused() {
        let read =
            |text: &str| read_new_messenger(&Body::from_json(text.as_bytes()).expect("JSON"));
        let good = r#"{"access_token":"EAAG","page_id":104,"app_secret":"s",
            "human_agent_enabled":true}"#;
        let Ok(wanted) = read(good) else { panic!("the fields are valid") };
        assert_eq!(wanted.account.setting(PAGE_ID), "104");
        assert_eq!(wanted.account.setting(HUMAN_AGENT_ENABLED), "true");
        for wrong in [
            r#"{}"#,
            r#"{"access_token":"EAAG","page_id":"104"}"#,
            r#"{"access_token":"EAAG","app_secret":"s"}"#,
            r#"{"access_token":"EA AG","page_id":"104","app_secret":"s"}"#,
            r#"{"access_token":"EAAG","page_id":"../104","app_secret":"s"}"#,
            r#"{"access_token":"EAAG","page_id":"104","app_secret":"s","api_version":"new"}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
