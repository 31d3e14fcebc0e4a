//! Instagram channels, as admins see and configure them (channel facts 2 and 4.2). Responses show
//! at most the last four characters of tokens.

use confab_domain::channels::channel::Channel;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::account_fields::{
    ACCESS_TOKEN, API_VERSION, APP_SECRET, ApiVersion, BASE_URL, READ_ENABLED, SecretText,
    VERIFY_TOKEN, account, flag, meta_secrets,
};
use super::messenger::HUMAN_AGENT_ENABLED;
use super::provider_channels::{PrintedUrl, ProviderChannelInput, auto_replies, masked_token};
use crate::body::Body;
use crate::fields::{Flag, Label, Properties};
use crate::request::request;
use crate::time::to_the_second;

/// Name of the setting with Instagram's id of the account, by which webhooks name the account.
pub const IG_ID: &str = "ig_id";
/// Name of the setting with the expiry time of the access token, in microseconds since 1970.
pub const TOKEN_ENDS_AT: &str = "token_ends_at";
/// Name of the setting that decides whether stories that mention the account become messages; every
/// value except `false` means yes.
pub const STORY_MENTION_ENABLED: &str = "story_mention_enabled";

request! {
    /// Body of `POST /api/v2/ig/connect`.
    pub struct ConnectInstagramFields as "ConnectInstagram" {
        /// Access token of the account, from an Instagram login. Confab renews it automatically.
        access_token: SecretText, required, example = "IGAA...";
        /// Secret of the Instagram app, which signs webhooks.
        app_secret: SecretText, required;
        /// Token with which Meta verifies the webhook URL; generated if absent.
        verify_token: SecretText, optional;
        /// Version of Meta's API; default v25.0.
        api_version: ApiVersion, optional, example = "v25.0";
        /// Whether to mark customers' messages as read in Instagram once they are received.
        read_enabled: Flag, optional;
        /// Whether agents may reply for seven days after the customer's last message instead of
        /// one, with the tag `HUMAN_AGENT`. The Meta app needs Meta's approval for this tag.
        human_agent_enabled: Flag, optional;
        /// Whether stories that mention the account become messages; default true.
        story_mention_enabled: Flag, optional;
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
    /// Body of `POST /api/v2/ig/connect/{id}/update`. Absent fields keep their values.
    pub struct ChangeInstagramFields as "ChangeInstagram" {
        /// New access token of the same account; pending messages are sent with it.
        access_token: SecretText, optional;
        /// Secret of the Instagram app.
        app_secret: SecretText, optional;
        /// Token with which Meta verifies the webhook URL.
        verify_token: SecretText, optional;
        /// Version of Meta's API.
        api_version: ApiVersion, optional;
        /// Whether to mark customers' messages as read in Instagram once they are received.
        read_enabled: Flag, optional;
        /// Whether agents may reply for seven days after the customer's last message instead of
        /// one, with the tag `HUMAN_AGENT`.
        human_agent_enabled: Flag, optional;
        /// Whether stories that mention the account become messages.
        story_mention_enabled: Flag, optional;
        /// Display name of the channel.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Whether the channel is active; an inactive channel neither receives nor sends messages.
        is_active: Flag, optional;
        /// Automatic replies: `online_message`, `offline_message`, `send_online_if_resolved`,
        /// `send_offline_each_message`.
        configs: Properties, optional;
    }
}

/// Parses a request to connect an Instagram account.
pub fn read_new_instagram(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ConnectInstagramFields = body.read()?;
    let mut account = account(&[
        (API_VERSION, fields.api_version),
        (BASE_URL, fields.base_url),
        (HUMAN_AGENT_ENABLED, flag(fields.human_agent_enabled)),
        (READ_ENABLED, flag(fields.read_enabled)),
        (STORY_MENTION_ENABLED, flag(fields.story_mention_enabled)),
    ]);
    account.secrets =
        meta_secrets(Some(fields.access_token), Some(fields.app_secret), fields.verify_token);
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    Ok(ProviderChannelInput { name: fields.name, is_active: None, account, auto_replies })
}

/// Parses a request to change an Instagram channel.
pub fn read_instagram(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let fields: ChangeInstagramFields = body.read()?;
    let mut account = account(&[
        (API_VERSION, fields.api_version),
        (HUMAN_AGENT_ENABLED, flag(fields.human_agent_enabled)),
        (READ_ENABLED, flag(fields.read_enabled)),
        (STORY_MENTION_ENABLED, flag(fields.story_mention_enabled)),
    ]);
    account.secrets = meta_secrets(fields.access_token, fields.app_secret, fields.verify_token);
    let auto_replies = fields.configs.map(|it| auto_replies(&it)).transpose()?;
    let (name, is_active) = (fields.name, fields.is_active);
    Ok(ProviderChannelInput { name, is_active, account, auto_replies })
}

/// An Instagram channel.
#[derive(Serialize, ToSchema)]
#[schema(as = InstagramChannel)]
pub struct InstagramRecord<'a> {
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
    /// Always empty, because an account with an Instagram login has no Facebook page.
    page_id: &'static str,
    /// Instagram's id of the account.
    ig_id: &'a str,
    /// User name of the account in Instagram.
    username: &'a str,
    /// Always false; the field exists only for compatibility with existing clients.
    private_replies_enabled: bool,
    /// Always empty.
    private_replies_text: &'static str,
    /// Masked access token.
    access_token: String,
    /// Masked secret of the Instagram app.
    app_secret: String,
    /// Masked token with which Meta verifies the webhook URL.
    verify_token: String,
    /// Version of Meta's API; empty for the default.
    api_version: &'a str,
    /// Whether customers' messages are marked as read in Instagram once they are received.
    read_enabled: bool,
    /// Whether agents may reply for seven days after the customer's last message instead of one,
    /// with the tag `HUMAN_AGENT`.
    human_agent_enabled: bool,
    /// Whether stories that mention the account become messages.
    story_mention_enabled: bool,
    /// Expiry time of the access token, as `YYYY-MM-DDThh:mm:ssZ`; null until Confab has renewed
    /// the token.
    token_ends_at: Option<String>,
    /// URL to which Meta sends webhooks; empty if Meta cannot reach this server.
    webhook_url: String,
}

/// Returns an Instagram channel as admins see it. `hook_url` is the URL to which Meta sends
/// webhooks.
pub fn instagram_record<'a>(
    channel: &'a Channel,
    account: &'a ProviderAccount,
    hook_url: Option<String>,
) -> InstagramRecord<'a> {
    let masked = |name: &str| masked_token(account.secret(name));
    let ends_at = account.setting(TOKEN_ENDS_AT).parse().ok().map(Timestamp);
    InstagramRecord {
        id: channel.id.0,
        app_id: channel.app.0,
        is_active: channel.is_active,
        name: &channel.name,
        badge_url: channel.logo_url.as_deref(),
        use_channel_responder: false,
        page_id: "",
        ig_id: account.setting(IG_ID),
        username: account.setting("username"),
        private_replies_enabled: false,
        private_replies_text: "",
        access_token: masked(ACCESS_TOKEN),
        app_secret: masked(APP_SECRET),
        verify_token: masked(VERIFY_TOKEN),
        api_version: account.setting(API_VERSION),
        read_enabled: account.setting(READ_ENABLED) == "true",
        human_agent_enabled: account.setting(HUMAN_AGENT_ENABLED) == "true",
        story_mention_enabled: account.setting(STORY_MENTION_ENABLED) != "false",
        token_ends_at: ends_at.map(to_the_second),
        webhook_url: hook_url.unwrap_or_default(),
    }
}

impl InstagramRecord<'_> {
    /// Returns the record with the verify token unmasked.
    pub fn with_verify_token(self, verify_token: &str) -> Self {
        Self { verify_token: verify_token.to_owned(), ..self }
    }
}

/// Response data with one Instagram channel.
#[derive(Serialize, ToSchema)]
pub struct InstagramBox<'a> {
    ig_channel: InstagramRecord<'a>,
}

/// Response data with a list of Instagram channels.
#[derive(Serialize, ToSchema)]
pub struct InstagramList<'a> {
    ig_channels: Vec<InstagramRecord<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_and_secret_are_both_required() {
        let read =
            |text: &str| read_new_instagram(&Body::from_json(text.as_bytes()).expect("JSON"));
        let Ok(wanted) = read(r#"{"access_token":"IGAA","app_secret":"s"}"#) else {
            panic!("the fields are valid")
        };
        assert_eq!(
            wanted.account.setting(STORY_MENTION_ENABLED),
            "",
            "absent settings are not stored"
        );
        for wrong in [
            r#"{"access_token":"IGAA"}"#,
            r#"{"app_secret":"s"}"#,
            r#"{"access_token":"IG AA","app_secret":"s"}"#,
            r#"{"access_token":"IGAA","app_secret":"s\r\nx: y"}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
