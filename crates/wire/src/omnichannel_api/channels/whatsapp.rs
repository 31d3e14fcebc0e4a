//! WhatsApp Cloud API channels, as admins see and configure them (channel facts 2). Responses show
//! at most the last four characters of tokens.

use confab_domain::channels::channel::Channel;
use confab_domain::channels::forwarding::{FORWARD_ENABLED, FORWARD_URL, ForwardTarget};
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
use crate::fields::{Flag, Label, Properties, Short};
use crate::request::request;
use crate::time::to_the_microsecond;

const PHONE_NUMBER_ID: &str = "phone_number_id";
const BUSINESS_ID: &str = "business_id";

request! {
    /// Body of `POST /api/v2/wa/connect`.
    pub struct ConnectWhatsappFields as "ConnectWhatsapp" {
        /// Access token of a system user, with the permission to send WhatsApp messages.
        access_token: SecretText, required, example = "EAAG...";
        /// Meta's id of the phone number, not the number itself.
        phone_number_id: MetaId, required, example = "106540352242922";
        /// Id of the WhatsApp business account. Required to register the webhook automatically and
        /// to list templates.
        business_id: MetaId, optional, example = "102290129340398";
        /// Secret of the Meta app, which signs webhooks. Required to receive messages.
        app_secret: SecretText, optional;
        /// Token with which Meta verifies the webhook URL; generated if absent.
        verify_token: SecretText, optional;
        /// Version of Meta's API; default v25.0.
        api_version: ApiVersion, optional, example = "v25.0";
        /// Whether to mark customers' messages as read in WhatsApp once they are received.
        read_enabled: Flag, optional;
        /// URL to which Meta's webhooks are forwarded unchanged.
        forward_url: Short<{ limits::URL_CHARS_MAX }>, optional;
        /// Whether to forward webhooks to `forward_url`.
        forward_enabled: Flag, optional;
        /// Display name of the channel; defaults to the display name of the phone number in
        /// WhatsApp.
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
    /// Body of `POST /api/v2/wa/connect/{id}/update`. Absent fields keep their values.
    pub struct ChangeWhatsappFields as "ChangeWhatsapp" {
        /// New access token for the same phone number; pending messages are sent with it.
        access_token: SecretText, optional;
        /// Id of the WhatsApp business account.
        business_id: MetaId, optional;
        /// Secret of the Meta app.
        app_secret: SecretText, optional;
        /// Token with which Meta verifies the webhook URL.
        verify_token: SecretText, optional;
        /// Version of Meta's API.
        api_version: ApiVersion, optional;
        /// Whether to mark customers' messages as read in WhatsApp once they are received.
        read_enabled: Flag, optional;
        /// URL to which Meta's webhooks are forwarded unchanged; an empty string removes it.
        forward_url: Short<{ limits::URL_CHARS_MAX }>, optional;
        /// Whether to forward webhooks to `forward_url`.
        forward_enabled: Flag, optional;
        /// Display name of the channel.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Whether the channel is active; an inactive channel neither receives nor sends messages.
        is_active: Flag, optional;
        /// Automatic replies: `online_message`, `offline_message`, `send_online_if_resolved`,
        /// `send_offline_each_message`.
        configs: Properties, optional;
    }
}

/// Parses a request to connect a WhatsApp number.
pub fn read_new_whatsapp(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ConnectWhatsappFields = body.read()?;
    let mut account = account(&[
        (API_VERSION, fields.api_version),
        (BASE_URL, fields.base_url),
        (BUSINESS_ID, fields.business_id),
        (FORWARD_ENABLED, flag(fields.forward_enabled)),
        (FORWARD_URL, fields.forward_url),
        (PHONE_NUMBER_ID, Some(fields.phone_number_id)),
        (READ_ENABLED, flag(fields.read_enabled)),
    ]);
    account.secrets =
        meta_secrets(Some(fields.access_token), fields.app_secret, fields.verify_token);
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    Ok(ProviderChannelInput { name: fields.name, is_active: None, account, auto_replies })
}

/// Parses a request to change a WhatsApp channel.
pub fn read_whatsapp(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ChangeWhatsappFields = body.read()?;
    let mut account = account(&[
        (API_VERSION, fields.api_version),
        (BUSINESS_ID, fields.business_id),
        (FORWARD_ENABLED, flag(fields.forward_enabled)),
        (FORWARD_URL, fields.forward_url),
        (READ_ENABLED, flag(fields.read_enabled)),
    ]);
    account.secrets = meta_secrets(fields.access_token, fields.app_secret, fields.verify_token);
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    let (name, is_active) = (fields.name, fields.is_active);
    Ok(ProviderChannelInput { name, is_active, account, auto_replies })
}

/// Returns a simulated WhatsApp webhook with a message from the customer `from` to the phone number
/// `phone_number_id`.
pub fn whatsapp_webhook(
    phone_number_id: &str,
    from: &str,
    text: &str,
    id: i64,
    now: Timestamp,
) -> String {
    let message = json!({
        "from": from, "id": format!("wamid.played.{id}"),
        "timestamp": now.unix_seconds().to_string(), "type": "text", "text": {"body": text},
    });
    let contact = json!({"profile": {"name": format!("Customer {from}")}, "wa_id": from});
    let value = json!({
        "messaging_product": "whatsapp", "metadata": {"phone_number_id": phone_number_id},
        "contacts": [contact], "messages": [message],
    });
    let change = json!({"field": "messages", "value": value});
    json!({"object": "whatsapp_business_account", "entry": [{"id": "0", "changes": [change]}]})
        .to_string()
}

/// A WhatsApp channel.
#[derive(Serialize, ToSchema)]
#[schema(as = WhatsappChannel)]
pub struct WhatsappRecord<'a> {
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
    /// Phone number in the format in which Meta displays it.
    phone_number: &'a str,
    /// Meta's id of the phone number.
    phone_number_id: &'a str,
    /// Id of the WhatsApp business account.
    business_id: &'a str,
    /// Base URL of Meta's API; `log:` if outgoing messages are printed instead of sent.
    base_url: &'a str,
    /// Always `cloud_api`.
    platform: &'static str,
    /// Whether customers' messages are marked as read in WhatsApp once they are received.
    read_enabled: bool,
    /// Whether Meta's webhooks are forwarded to `forward_url`.
    forward_enabled: bool,
    /// URL to which Meta's webhooks are forwarded; null if none is set.
    forward_url: Option<String>,
    /// Always true.
    is_on_cloud: bool,
    /// Always false; the field exists only for compatibility with existing clients.
    is_coex: bool,
    /// Always `PMP`: Meta bills per message.
    pricing_model: &'static str,
    /// Time of creation, as `YYYY-MM-DDThh:mm:ss.ssssssZ`.
    created_at: String,
    /// Time of the last change, as `YYYY-MM-DDThh:mm:ss.ssssssZ`.
    updated_at: String,
    /// Masked access token.
    access_token: String,
    /// Masked secret of the Meta app; if it is empty, the channel receives no messages.
    app_secret: String,
    /// Masked token with which Meta verifies the webhook URL.
    verify_token: String,
    /// Version of Meta's API; empty for the default.
    api_version: &'a str,
    /// URL to which Meta sends webhooks; empty if Meta cannot reach this server.
    webhook_url: String,
}

/// Returns a WhatsApp channel as admins see it. `hook_url` is the URL to which Meta sends webhooks,
/// `base_url` the URL of Meta's API.
pub fn whatsapp_record<'a>(
    channel: &'a Channel,
    account: &'a ProviderAccount,
    hook_url: Option<String>,
    base_url: &'a str,
) -> WhatsappRecord<'a> {
    let masked = |name: &str| masked_token(account.secret(name));
    let forward = ForwardTarget::of(account);
    let own_base = Some(account.setting(BASE_URL)).filter(|it| !it.is_empty());
    WhatsappRecord {
        id: channel.id.0,
        app_id: channel.app.0,
        is_active: channel.is_active,
        name: &channel.name,
        badge_url: channel.logo_url.as_deref(),
        use_channel_responder: false,
        phone_number: account.setting("username"),
        phone_number_id: account.setting(PHONE_NUMBER_ID),
        business_id: account.setting(BUSINESS_ID),
        base_url: own_base.unwrap_or(base_url),
        platform: "cloud_api",
        read_enabled: account.setting(READ_ENABLED) == "true",
        forward_enabled: forward.as_ref().is_some_and(|it| it.is_enabled),
        forward_url: forward.map(|it| it.url),
        is_on_cloud: true,
        is_coex: false,
        pricing_model: "PMP",
        created_at: to_the_microsecond(channel.created_at),
        updated_at: to_the_microsecond(channel.updated_at),
        access_token: masked(ACCESS_TOKEN),
        app_secret: masked(APP_SECRET),
        verify_token: masked(VERIFY_TOKEN),
        api_version: account.setting(API_VERSION),
        webhook_url: hook_url.unwrap_or_default(),
    }
}

impl WhatsappRecord<'_> {
    /// Returns the record with the verify token unmasked.
    pub fn with_verify_token(self, verify_token: &str) -> Self {
        Self { verify_token: verify_token.to_owned(), ..self }
    }
}

/// Response data with one WhatsApp channel.
#[derive(Serialize, ToSchema)]
pub struct WhatsappBox<'a> {
    wa_channel: WhatsappRecord<'a>,
}

/// Response data with a list of WhatsApp channels.
#[derive(Serialize, ToSchema)]
pub struct WhatsappList<'a> {
    wa_channels: Vec<WhatsappRecord<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ProviderChannelInput, Refusal> {
        read_new_whatsapp(&Body::from_json(text.as_bytes()).expect("JSON"))
    }

    #[test]
    fn values_that_would_change_the_request_are_refused() {
        let good = r#"{"access_token":"EAAG","phone_number_id":106540352242922,"business_id":"1",
            "api_version":"v26.0","read_enabled":true}"#;
        let Ok(wanted) = read(good) else { panic!("the fields are valid") };
        assert_eq!(wanted.account.setting(PHONE_NUMBER_ID), "106540352242922");
        assert_eq!(wanted.account.setting(READ_ENABLED), "true");
        assert_eq!(wanted.account.secret(ACCESS_TOKEN), "EAAG");
        for wrong in [
            r#"{}"#,
            r#"{"access_token":"EAAG"}"#,
            r#"{"access_token":"EA AG","phone_number_id":"1"}"#,
            r#"{"access_token":"EAAG\r\nx: y","phone_number_id":"1"}"#,
            r#"{"access_token":"EAAG","phone_number_id":"../1"}"#,
            r#"{"access_token":"EAAG","phone_number_id":"1","api_version":"v25.0/.."}"#,
            r#"{"access_token":"EAAG","phone_number_id":"1","business_id":"x"}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_adapter_accepts_a_simulated_message() {
        let body = whatsapp_webhook("106", "628123456", "hello", 7, Timestamp(5_000_000));
        let events = confab_providers::whatsapp::read(body.as_bytes()).expect("a webhook");
        assert_eq!(events[0].account.as_deref(), Some("106"));
        assert_eq!(events[0].lane, "628123456");
    }
}
