//! Channels of Instagram, as their admins see them (channel facts 2 and 4.2). Tokens are shown by
//! their last letters.

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

/// What the account is called at Instagram, as webhooks name it.
pub const IG_ID: &str = "ig_id";
/// Until when the token is good, in microseconds since 1970 (D-0148).
pub const TOKEN_ENDS_AT: &str = "token_ends_at";
/// Whether stories that name the account become messages; they do unless this is `false`.
pub const STORY_MENTION_ENABLED: &str = "story_mention_enabled";

request! {
    /// `POST /api/v2/ig/connect`
    pub struct ConnectInstagramFields as "ConnectInstagram" {
        /// The token of the account, of an Instagram login. It is renewed by itself.
        access_token: SecretText, required, example = "IGAA...";
        /// The secret of the Instagram app, which signs what comes in.
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
        /// Stories that name the account become messages; true if it is absent.
        story_mention_enabled: Flag, optional;
        /// The name for people; that of the account if it is absent.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// `log:` sends nothing and prints what it would have sent.
        base_url: PrintedUrl, optional;
        /// What customers are told by itself: `online_message`, `offline_message`,
        /// `send_online_if_resolved`, `send_offline_each_message`.
        configs: Properties, optional;
    }
}

request! {
    /// `POST /api/v2/ig/connect/{id}/update`; what is absent stays.
    pub struct ChangeInstagramFields as "ChangeInstagram" {
        /// A new token of the same account; what waited for it goes out.
        access_token: SecretText, optional;
        /// The secret of the Instagram app.
        app_secret: SecretText, optional;
        /// What Meta tries the address of the hook with.
        verify_token: SecretText, optional;
        /// The version of Meta's API.
        api_version: ApiVersion, optional;
        /// Customers see that their messages were read.
        read_enabled: Flag, optional;
        /// People may answer for seven days, marked as such.
        human_agent_enabled: Flag, optional;
        /// Stories that name the account become messages.
        story_mention_enabled: Flag, optional;
        /// The name for people.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Nothing comes in or goes out while it is false.
        is_active: Flag, optional;
        /// What customers are told by itself.
        configs: Properties, optional;
    }
}

/// Reads a new account.
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

/// Reads what changes of an account.
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

/// A channel of Instagram.
#[derive(Serialize, ToSchema)]
#[schema(as = InstagramChannel)]
pub struct InstagramRecord<'a> {
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
    /// Always empty: an Instagram login has no page.
    page_id: &'static str,
    /// The integer of the account.
    ig_id: &'a str,
    /// What the account is called.
    username: &'a str,
    /// Always false.
    private_replies_enabled: bool,
    /// Always empty.
    private_replies_text: &'static str,
    /// Its last letters.
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
    /// Stories that name the account become messages.
    story_mention_enabled: bool,
    /// Until when the token is good; null until it was renewed once. `YYYY-MM-DDThh:mm:ssZ`
    token_ends_at: Option<String>,
    /// Where Meta brings what happens; empty if it cannot reach this server.
    webhook_url: String,
}

/// The record of a channel. `hook_url` is where Meta brings what happens.
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
    /// With the verify token whole.
    pub fn telling(self, verify_token: &str) -> Self {
        Self { verify_token: verify_token.to_owned(), ..self }
    }
}

/// `{ig_channel}`
#[derive(Serialize, ToSchema)]
pub struct InstagramBox<'a> {
    ig_channel: InstagramRecord<'a>,
}

/// `{ig_channels}`
#[derive(Serialize, ToSchema)]
pub struct InstagramList<'a> {
    ig_channels: Vec<InstagramRecord<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_token_and_secret_are_needed() {
        let read =
            |text: &str| read_new_instagram(&Body::from_json(text.as_bytes()).expect("JSON"));
        let Ok(wanted) = read(r#"{"access_token":"IGAA","app_secret":"s"}"#) else {
            panic!("good")
        };
        assert_eq!(wanted.account.setting(STORY_MENTION_ENABLED), "", "nothing was said");
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
