//! Channels of messengers' services, as their admins see them (channel facts 2). Tokens are shown
//! by their last letters.

use confab_domain::channels::channel::Channel;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::channels::provider_health::ProviderHealth;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::auto_reply::AutoReplies;
use confab_domain::time::Timestamp;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::shape::string;
use crate::fields::{Filled, Flag, Label, PageNumber, PageSize, Properties, Text, field};
use crate::omnichannel_api::people::office_hours::read_channel_configs;
use crate::request::request;
use crate::time::to_the_microsecond;

/// What a bot's token is called among its account's secrets.
const BOT_TOKEN: &str = "bot_token";
/// Where a channel says that nothing is sent.
const BASE_URL: &str = "base_url";
const TOKEN_CHARS_MAX: usize = 256;

request! {
    /// `POST /api/v2/telegram/connect`
    pub struct ConnectTelegramFields as "ConnectTelegram" {
        /// As BotFather gave it.
        bot_token: BotToken, required, example = "123456789:AAE...";
        /// The name for people; the bot's own if it is absent.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// `log:` sends nothing and prints what it would have sent.
        base_url: PrintedUrl, optional;
        /// What customers are told by itself: `online_message`, `offline_message`,
        /// `send_online_if_resolved`, `send_offline_each_message`.
        configs: Properties, optional;
    }
}

request! {
    /// `POST /api/v2/telegram/connect/{id}/update`; what is absent stays.
    pub struct ChangeTelegramFields as "ChangeTelegram" {
        /// A new token of the same bot; what waited for it goes out.
        bot_token: BotToken, optional;
        /// The name for people.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Nothing comes in or goes out while it is false.
        is_active: Flag, optional;
        /// What customers are told by itself.
        configs: Properties, optional;
    }
}

request! {
    /// `POST /api/v2/channels/{id}/events`: either a body, or who says what.
    pub struct PlayEventFields as "PlayEvent" {
        /// What the service would send, as text.
        body: Text, optional;
        /// Who says it, as the service names them.
        from: Filled<Text>, optional, example = "77";
        /// What they say.
        text: Filled<Text>, optional, example = "hello";
    }
}

request! {
    /// `GET /api/v3/admin/channel/{kind}`
    pub struct ProviderListFields {
        /// From 1 on.
        page: PageNumber, or 1, default = || 1.into();
        /// From 1 to 100.
        limit: PageSize, or limits::PAGE_DEFAULT, default = || limits::PAGE_DEFAULT.into();
    }
}

field! {
    /// A bot's token: it becomes part of a path, so nothing else may stand in it.
    BotToken -> String, string().at_most(TOKEN_CHARS_MAX);
    |reading, field, given| {
        let token = reading.filled_text(field, given)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
        if token.len() > TOKEN_CHARS_MAX || !token.chars().all(is_plain) {
            return reading.wrong(field, "must be a token as BotFather gives it");
        }
        Some(token)
    }
}

field! {
    /// The one address that a channel may name by itself.
    pub(super) PrintedUrl -> String;
    |reading, field, given| {
        let url = reading.filled_text(field, given)?;
        if url == "log:" { Some(url) } else { reading.wrong(field, "must be log: or absent") }
    }
}

/// A bot as its owner wants it; what is nothing stays. No `Debug`: it holds a token.
pub struct ProviderChannelInput {
    pub name: Option<String>,
    pub is_active: Option<bool>,
    pub account: ProviderAccount,
    /// What customers are told by itself.
    pub auto_replies: Option<AutoReplies>,
}

/// Reads a new bot.
pub fn read_new_telegram(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let ConnectTelegramFields { bot_token, name, base_url, configs } = body.read()?;
    let mut account = ProviderAccount::default();
    account.secrets.insert(BOT_TOKEN.to_owned(), bot_token);
    account.settings.extend(base_url.map(|url| (BASE_URL.to_owned(), url)));
    let auto_replies = configs.map(|it| auto_replies(&it)).transpose()?;
    Ok(ProviderChannelInput { name, is_active: None, account, auto_replies })
}

/// Reads what changes of a bot.
pub fn read_telegram(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let ChangeTelegramFields { bot_token, name, is_active, configs } = body.read()?;
    let mut account = ProviderAccount::default();
    account.secrets.extend(bot_token.map(|token| (BOT_TOKEN.to_owned(), token)));
    let auto_replies = configs.map(|it| auto_replies(&it)).transpose()?;
    Ok(ProviderChannelInput { name, is_active, account, auto_replies })
}

pub(super) fn auto_replies(configs: &JsonText) -> Result<AutoReplies, Refusal> {
    read_channel_configs(&Body::from_json(configs.as_str().as_bytes())?)
}

/// What somebody has a channel told.
pub enum PlayedEvent {
    /// As the service would write it.
    Body(String),
    PostedMessage {
        from: String,
        text: String,
    },
}

/// Reads what a channel is to be told.
pub fn read_played(body: &Body<'_>) -> Result<PlayedEvent, Refusal> {
    body.read_then(|fields: PlayEventFields, reading| match fields {
        PlayEventFields { body: Some(body), .. } => Some(PlayedEvent::Body(body)),
        PlayEventFields { from: Some(from), text: Some(text), .. } => {
            Some(PlayedEvent::PostedMessage { from, text })
        }
        _ => reading.wrong("body", "must be given, or from and text"),
    })
}

/// An update of Telegram in which a customer says something.
pub fn telegram_update(from: &str, text: &str, id: i64, now: Timestamp) -> String {
    let chat = from.parse::<i64>().unwrap_or(0);
    let message = json!({
        "message_id": id,
        "date": now.unix_seconds(),
        "chat": {"id": chat, "type": "private", "first_name": format!("Customer {from}")},
        "from": {"id": chat, "is_bot": false, "first_name": format!("Customer {from}")},
        "text": text,
    });
    json!({"update_id": id, "message": message}).to_string()
}

/// A channel of a service.
#[derive(Serialize, ToSchema)]
#[schema(as = ServiceChannel)]
pub struct ProviderRecord<'a> {
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
    /// What the account is called at the service.
    username: &'a str,
    /// Its last letters.
    bot_token: String,
    /// Where the service brings what happens; empty where it is asked.
    webhook_url: String,
}

/// The record of a channel. `hook_url` is where its service brings what happens.
pub fn service_record<'a>(
    channel: &'a Channel,
    account: &'a ProviderAccount,
    hook_url: Option<String>,
) -> ProviderRecord<'a> {
    ProviderRecord {
        id: channel.id.0,
        app_id: channel.app.0,
        is_active: channel.is_active,
        name: &channel.name,
        badge_url: channel.logo_url.as_deref(),
        use_channel_responder: false,
        username: account.setting("username"),
        bot_token: masked_token(account.secret(BOT_TOKEN)),
        webhook_url: hook_url.unwrap_or_default(),
    }
}

/// The last four letters, of what has enough of them.
pub(super) fn masked_token(token: &str) -> String {
    let count = token.chars().count();
    let shown = if count < 16 { 0 } else { 4 };
    let last: String = token.chars().skip(count - shown).collect();
    if token.is_empty() { String::new() } else { format!("****{last}") }
}

/// `{telegram_channel}`
#[derive(Serialize, ToSchema)]
pub struct TelegramBox<'a> {
    telegram_channel: ProviderRecord<'a>,
}

/// `{telegram_channels}`
#[derive(Serialize, ToSchema)]
pub struct TelegramList<'a> {
    telegram_channels: Vec<ProviderRecord<'a>>,
}

/// Which page of a list is wanted.
#[derive(Debug, Clone, Copy)]
pub struct ProviderPage {
    pub number: u64,
    pub size: usize,
}

/// Reads which page is wanted.
pub fn read_service_page(query: &Body<'_>) -> Result<ProviderPage, Refusal> {
    let ProviderListFields { page, limit } = query.read()?;
    Ok(ProviderPage { number: page, size: limit })
}

/// What is known of how a channel is.
pub struct ChannelCondition<'a> {
    pub channel: &'a Channel,
    pub health: Option<&'a ProviderHealth>,
    /// `webhook`, `polling`, `imap`, `lmtp` or `printed`.
    pub way: &'static str,
    pub last_event_at: Option<Timestamp>,
    pub last_sent_at: Option<Timestamp>,
    /// What is said to customers and was not sent yet.
    pub waiting: u64,
    /// Events of customers that were given up.
    pub given_up_events: u64,
    pub notes: Vec<&'a str>,
}

/// How a channel is.
#[derive(Serialize, ToSchema)]
pub struct ConditionShape<'a> {
    id: i64,
    /// `ok`, `limited`, `unauthorized`, `misconfigured`, `unreachable` or `off`.
    state: &'static str,
    /// What is wrong and what to do about it; empty where all is well.
    reason: &'a str,
    /// `YYYY-MM-DDThh:mm:ss.ssssssZ`
    since: Option<String>,
    /// How what happens comes in: `webhook`, `polling`, `imap`, `lmtp` or `printed`.
    way: &'static str,
    /// When a customer was last heard.
    last_event_at: Option<String>,
    /// When something was last sent.
    last_sent_at: Option<String>,
    /// What is said to customers and was not sent yet.
    waiting: u64,
    /// Events of customers that could not be handled, up to 10000. They are the deliveries of kind
    /// `channel_event` that are `failed`, and can be replayed.
    given_up_events: u64,
    /// What else somebody should know.
    notes: Vec<&'a str>,
}

/// `{health}`
#[derive(Serialize, ToSchema)]
pub struct ConditionBox<'a> {
    health: ConditionShape<'a>,
}

pub fn channel_condition<'a>(known: ChannelCondition<'a>) -> ConditionBox<'a> {
    let ChannelCondition { channel, health, way, waiting, notes, .. } = known;
    let state = match channel.is_active {
        true => health.map_or("ok", |it| it.state.as_str()),
        false => "off",
    };
    let shape = ConditionShape {
        id: channel.id.0,
        state,
        reason: health.map_or("", |it| it.reason.as_str()),
        since: health.map(|it| to_the_microsecond(it.since)),
        way,
        last_event_at: known.last_event_at.map(to_the_microsecond),
        last_sent_at: known.last_sent_at.map(to_the_microsecond),
        waiting,
        given_up_events: known.given_up_events,
        notes,
    };
    ConditionBox { health: shape }
}

/// `{events}`
#[derive(Serialize, ToSchema)]
pub struct PlayedBox {
    /// How many events were taken in.
    pub events: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_token_the_last_letters_are_shown_if_it_has_enough() {
        assert_eq!(masked_token("123456789:AAE-abcdefgh"), "****efgh");
        assert_eq!(masked_token("short"), "****");
        assert_eq!(masked_token(""), "");
    }

    #[test]
    fn a_token_that_could_lead_elsewhere_is_refused() {
        let read = |text: &str| read_new_telegram(&Body::from_json(text.as_bytes()).expect("JSON"));
        assert!(read(r#"{"bot_token":"12:AAE_-x"}"#).is_ok());
        for wrong in [r#"{}"#, r#"{"bot_token":""}"#, r#"{"bot_token":"a/../b"}"#] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
