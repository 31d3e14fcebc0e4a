//! Channels of Messenger, as their admins see them (channel facts 2 and 4.2). Tokens are shown by
//! their last letters.

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

/// Whether people may answer after the window, marked as such (D-0137).
pub const HUMAN_AGENT_ENABLED: &str = "human_agent_enabled";
const PAGE_ID: &str = "page_id";

request! {
    /// `POST /api/v2/fb/connect`
    pub struct ConnectMessengerFields as "ConnectMessenger" {
        /// The token of the page, with the right to send messages; not that of a person.
        access_token: SecretText, required, example = "EAAG...";
        /// The integer of the page.
        page_id: MetaId, required, example = "104839281920384";
        /// The secret of the Meta app, which signs what comes in.
        app_secret: SecretText, required;
        /// What Meta tries the address of the hook with; one is made if it is absent.
        verify_token: SecretText, optional;
        /// The version of Meta's API; v25.0 if it is absent.
        api_version: ApiVersion, optional, example = "v25.0";
        /// Customers see that their messages were read, once they are here.
        read_enabled: Flag, optional;
        /// People may answer for seven days instead of one, marked as such (`HUMAN_AGENT`). Meta
        /// must have approved that for the app.
        human_agent_enabled: Flag, optional;
        /// The name for people; that of the page if it is absent.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// `log:` sends nothing and prints what it would have sent.
        base_url: PrintedUrl, optional;
        /// What customers are told by itself: `online_message`, `offline_message`,
        /// `send_online_if_resolved`, `send_offline_each_message`.
        configs: Properties, optional;
    }
}

request! {
    /// `POST /api/v2/fb/connect/{id}/update`; what is absent stays.
    pub struct ChangeMessengerFields as "ChangeMessenger" {
        /// A new token of the same page; what waited for it goes out.
        access_token: SecretText, optional;
        /// The secret of the Meta app.
        app_secret: SecretText, optional;
        /// What Meta tries the address of the hook with.
        verify_token: SecretText, optional;
        /// The version of Meta's API.
        api_version: ApiVersion, optional;
        /// Customers see that their messages were read.
        read_enabled: Flag, optional;
        /// People may answer for seven days, marked as such.
        human_agent_enabled: Flag, optional;
        /// The name for people.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Nothing comes in or goes out while it is false.
        is_active: Flag, optional;
        /// What customers are told by itself.
        configs: Properties, optional;
    }
}

/// Reads a new page.
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

/// Reads what changes of a page.
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

/// A webhook of Meta's in which a customer says something to this page, or to this account of
/// Instagram, by the `object` of the webhook.
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

/// A channel of Messenger.
#[derive(Serialize, ToSchema)]
#[schema(as = MessengerChannel)]
pub struct MessengerRecord<'a> {
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
    /// The integer of the page.
    page_id: &'a str,
    /// What the page is called.
    profile_name: &'a str,
    /// The last letters of the token.
    long_lived_token: String,
    /// The same.
    access_token: String,
    /// Its last letters.
    app_secret: String,
    /// Its last letters.
    verify_token: String,
    /// Empty if it is the default.
    api_version: &'a str,
    /// Customers see that their messages were read.
    read_enabled: bool,
    /// People may answer for seven days, marked as such.
    human_agent_enabled: bool,
    /// Where Meta brings what happens; empty if it cannot reach this server.
    webhook_url: String,
}

/// The record of a channel. `hook_url` is where Meta brings what happens.
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
    /// With the verify token whole.
    pub fn telling(self, verify_token: &str) -> Self {
        Self { verify_token: verify_token.to_owned(), ..self }
    }
}

/// `{fb_channel}`
#[derive(Serialize, ToSchema)]
pub struct MessengerBox<'a> {
    fb_channel: MessengerRecord<'a>,
}

/// `{fb_channels}`
#[derive(Serialize, ToSchema)]
pub struct MessengerList<'a> {
    fb_channels: Vec<MessengerRecord<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::{Provider, meta_provider, read};

    #[test]
    fn a_played_message_is_one_that_the_adapter_reads() {
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
    fn what_could_lead_elsewhere_is_refused() {
        let read =
            |text: &str| read_new_messenger(&Body::from_json(text.as_bytes()).expect("JSON"));
        let good = r#"{"access_token":"EAAG","page_id":104,"app_secret":"s",
            "human_agent_enabled":true}"#;
        let Ok(wanted) = read(good) else { panic!("good") };
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
