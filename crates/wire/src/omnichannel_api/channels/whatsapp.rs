//! Channels of WhatsApp's Cloud API, as their admins see them (channel facts 2). Tokens are shown
//! by their last letters.

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
    /// `POST /api/v2/wa/connect`
    pub struct ConnectWhatsappFields as "ConnectWhatsapp" {
        /// A system user's token, with the right to send messages of WhatsApp.
        access_token: SecretText, required, example = "EAAG...";
        /// The integer of the number at Meta; it is not the number itself.
        phone_number_id: MetaId, required, example = "106540352242922";
        /// The WhatsApp business account. With it the hook is set by itself, and templates are
        /// listed.
        business_id: MetaId, optional, example = "102290129340398";
        /// The secret of the Meta app, which signs what comes in. Nothing comes in without it.
        app_secret: SecretText, optional;
        /// What Meta tries the address of the hook with; one is made if it is absent.
        verify_token: SecretText, optional;
        /// The version of Meta's API; v25.0 if it is absent.
        api_version: ApiVersion, optional, example = "v25.0";
        /// Customers see that their messages were read, once they are here.
        read_enabled: Flag, optional;
        /// Where what Meta tells is forwarded to, as it came.
        forward_url: Short<{ limits::URL_CHARS_MAX }>, optional;
        /// Whether it is, if there is an address.
        forward_enabled: Flag, optional;
        /// The name for people; that of the number if it is absent.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// `log:` sends nothing and prints what it would have sent.
        base_url: PrintedUrl, optional;
        /// What customers are told by itself: `online_message`, `offline_message`,
        /// `send_online_if_resolved`, `send_offline_each_message`.
        configs: Properties, optional;
    }
}

request! {
    /// `POST /api/v2/wa/connect/{id}/update`; what is absent stays.
    pub struct ChangeWhatsappFields as "ChangeWhatsapp" {
        /// A new token for the same number; what waited for it goes out.
        access_token: SecretText, optional;
        /// The WhatsApp business account.
        business_id: MetaId, optional;
        /// The secret of the Meta app.
        app_secret: SecretText, optional;
        /// What Meta tries the address of the hook with.
        verify_token: SecretText, optional;
        /// The version of Meta's API.
        api_version: ApiVersion, optional;
        /// Customers see that their messages were read.
        read_enabled: Flag, optional;
        /// Where what Meta tells is forwarded to, as it came; an empty text is nowhere.
        forward_url: Short<{ limits::URL_CHARS_MAX }>, optional;
        /// Whether it is, if there is an address.
        forward_enabled: Flag, optional;
        /// The name for people.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Nothing comes in or goes out while it is false.
        is_active: Flag, optional;
        /// What customers are told by itself.
        configs: Properties, optional;
    }
}

/// Reads a new number.
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

/// Reads what changes of a number.
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

/// A webhook of WhatsApp in which a customer says something to this number.
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

/// A channel of WhatsApp.
#[derive(Serialize, ToSchema)]
#[schema(as = WhatsappChannel)]
pub struct WhatsappRecord<'a> {
    /// The integer.
    id: i64,
    /// The app's integer.
    app_id: i64,
    /// Nothing comes in or goes out while it is false.
    is_active: bool,
    /// The name for people.
    name: &'a str,
    /// A picture.
    badge_url: Option<&'a str>,
    /// Always false.
    use_channel_responder: bool,
    /// The number as people write it.
    phone_number: &'a str,
    /// The integer of the number at Meta.
    phone_number_id: &'a str,
    /// The WhatsApp business account.
    business_id: &'a str,
    /// Where Meta's API is.
    base_url: &'a str,
    /// Always `cloud_api`.
    platform: &'static str,
    /// Customers see that their messages were read.
    read_enabled: bool,
    /// Whether what Meta tells is forwarded.
    forward_enabled: bool,
    /// Where to.
    forward_url: Option<String>,
    /// Always true.
    is_on_cloud: bool,
    /// Always false.
    is_coex: bool,
    /// Always `PMP`: Meta bills by the message.
    pricing_model: &'static str,
    /// `YYYY-MM-DDThh:mm:ss.ssssssZ`
    created_at: String,
    /// `YYYY-MM-DDThh:mm:ss.ssssssZ`
    updated_at: String,
    /// Its last letters.
    access_token: String,
    /// Its last letters; empty if there is none, and nothing comes in.
    app_secret: String,
    /// Its last letters.
    verify_token: String,
    /// Empty if it is the default.
    api_version: &'a str,
    /// Where Meta brings what happens; empty if it cannot reach this server.
    webhook_url: String,
}

/// The record of a channel. `hook_url` is where Meta brings what happens, `base_url` where its API
/// is.
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
    /// With the verify token whole.
    pub fn telling(self, verify_token: &str) -> Self {
        Self { verify_token: verify_token.to_owned(), ..self }
    }
}

/// `{wa_channel}`
#[derive(Serialize, ToSchema)]
pub struct WhatsappBox<'a> {
    wa_channel: WhatsappRecord<'a>,
}

/// `{wa_channels}`
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
    fn what_could_lead_elsewhere_is_refused() {
        let good = r#"{"access_token":"EAAG","phone_number_id":106540352242922,"business_id":"1",
            "api_version":"v26.0","read_enabled":true}"#;
        let Ok(wanted) = read(good) else { panic!("good") };
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
    fn a_played_message_is_one_that_the_adapter_reads() {
        let body = whatsapp_webhook("106", "628123456", "hello", 7, Timestamp(5_000_000));
        let events = crate::channels::whatsapp::read(body.as_bytes()).expect("a webhook");
        assert_eq!(events[0].account.as_deref(), Some("106"));
        assert_eq!(events[0].lane, "628123456");
    }
}
