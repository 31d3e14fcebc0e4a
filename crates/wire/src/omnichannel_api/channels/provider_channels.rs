//! Telegram channels, as admins see and configure them, and the types that the channels of all
//! providers share (channel facts 2). Responses show at most the last four characters of tokens.

use confab_domain::channels::channel::Channel;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::channels::provider_health::ProviderHealth;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::auto_reply::AutoReplies;
use confab_domain::time::Timestamp;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::shape::string;
use crate::fields::{Flag, Label, NonEmpty, PageNumber, PageSize, Properties, Text, field};
use crate::omnichannel_api::people::office_hours::read_channel_configs;
use crate::request::request;
use crate::time::to_the_microsecond;

/// Name of the secret with the bot's token.
const BOT_TOKEN: &str = "bot_token";
/// Name of the setting whose value `log:` means that outgoing messages are printed instead of sent.
const BASE_URL: &str = "base_url";
const TOKEN_CHARS_MAX: usize = 256;

request! {
    /// Body of `POST /api/v2/telegram/connect`.
    pub struct ConnectTelegramFields as "ConnectTelegram" {
        /// Token of the bot, from BotFather.
        bot_token: BotToken, required, example = "123456789:AAE...";
        /// Display name of the channel; defaults to the name of the bot.
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
    /// Body of `POST /api/v2/telegram/connect/{id}/update`. Absent fields keep their values.
    pub struct ChangeTelegramFields as "ChangeTelegram" {
        /// New token of the same bot; pending messages are sent with it.
        bot_token: BotToken, optional;
        /// Display name of the channel.
        name: Label<{ limits::NAME_CHARS_MAX }>, optional;
        /// Whether the channel is active; an inactive channel neither receives nor sends messages.
        is_active: Flag, optional;
        /// Automatic replies: `online_message`, `offline_message`, `send_online_if_resolved`,
        /// `send_offline_each_message`.
        configs: Properties, optional;
    }
}

request! {
    /// Body of `POST /api/v2/channels/{id}/events`: either `body`, or `from` and `text`.
    pub struct PlayEventFields as "PlayEvent" {
        /// Webhook body to simulate, in the provider's format.
        body: Text, optional;
        /// Provider's id of the simulated customer.
        from: NonEmpty<Text>, optional, example = "77";
        /// Text of the simulated message.
        text: NonEmpty<Text>, optional, example = "hello";
    }
}

request! {
    /// Query of `GET /api/v3/admin/channel/{kind}`.
    pub struct ProviderListFields {
        /// Page number, from 1.
        page: PageNumber, or 1, default = || 1.into();
        /// Channels per page, from 1 to 100.
        limit: PageSize, or limits::PAGE_DEFAULT, default = || limits::PAGE_DEFAULT.into();
    }
}

field! {
    /// The token of a bot. Letters, digits and `: _ -` only, because it becomes part of a URL path.
    BotToken -> String, string().at_most(TOKEN_CHARS_MAX);
    |reading, field, given| {
        let token = reading.filled_text(field, given)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
        if token.len() > TOKEN_CHARS_MAX || !token.chars().all(is_plain) {
            return reading.wrong(field, "must be a bot token of BotFather");
        }
        Some(token)
    }
}

field! {
    /// The only base URL that a channel may set: `log:`.
    pub(super) PrintedUrl -> String;
    |reading, field, given| {
        let url = reading.filled_text(field, given)?;
        if url == "log:" { Some(url) } else { reading.wrong(field, "must be log: or absent") }
    }
}

/// Values to set for a provider channel; absent ones are unchanged. No `Debug`, because the account
/// contains secrets.
pub struct ProviderChannelInput {
    pub name: Option<String>,
    pub is_active: Option<bool>,
    pub account: ProviderAccount,
    /// Automatic replies of the channel.
    pub auto_replies: Option<AutoReplies>,
}

/// Parses a request to connect a Telegram bot.
pub fn read_new_telegram(body: &Body<'_>) -> Result<ProviderChannelInput, Refusal> {
    let ConnectTelegramFields { bot_token, name, base_url, configs } = body.read()?;
    let mut account = ProviderAccount::default();
    account.secrets.insert(BOT_TOKEN.to_owned(), bot_token);
    account.settings.extend(base_url.map(|url| (BASE_URL.to_owned(), url)));
    let auto_replies = configs.map(|it| auto_replies(&it)).transpose()?;
    Ok(ProviderChannelInput { name, is_active: None, account, auto_replies })
}

/// Parses a request to change a Telegram channel.
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

/// An event that an admin simulates in a channel.
pub enum PlayedEvent {
    /// A webhook body in the provider's format.
    Body(String),
    Message {
        from: String,
        text: String,
    },
}

/// Parses the event to simulate.
pub fn read_played(body: &Body<'_>) -> Result<PlayedEvent, Refusal> {
    body.read_then(|fields: PlayEventFields, reading| match fields {
        PlayEventFields { body: Some(body), .. } => Some(PlayedEvent::Body(body)),
        PlayEventFields { from: Some(from), text: Some(text), .. } => {
            Some(PlayedEvent::Message { from, text })
        }
        _ => reading.wrong("body", "is required, unless from and text are present"),
    })
}

/// Returns a simulated Telegram update with a customer's message.
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

/// A Telegram channel.
#[derive(Serialize, ToSchema)]
#[schema(as = ServiceChannel)]
pub struct ProviderRecord<'a> {
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
    /// User name of the bot in Telegram.
    username: &'a str,
    /// Masked token of the bot.
    bot_token: String,
    /// URL to which Telegram sends webhooks; empty if Confab polls Telegram instead.
    webhook_url: String,
}

/// Returns a Telegram channel as admins see it. `hook_url` is the URL to which Telegram sends
/// webhooks.
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

/// Masks a token except for its last four characters, or completely if it has fewer than 16
/// characters.
pub(super) fn masked_token(token: &str) -> String {
    let count = token.chars().count();
    let shown = if count < 16 { 0 } else { 4 };
    let last: String = token.chars().skip(count - shown).collect();
    if token.is_empty() { String::new() } else { format!("****{last}") }
}

/// Response data with one Telegram channel.
#[derive(Serialize, ToSchema)]
pub struct TelegramBox<'a> {
    telegram_channel: ProviderRecord<'a>,
}

/// Response data with a list of Telegram channels.
#[derive(Serialize, ToSchema)]
pub struct TelegramList<'a> {
    telegram_channels: Vec<ProviderRecord<'a>>,
}

/// Number and size of a page of channels.
#[derive(Debug, Clone, Copy)]
pub struct ProviderPage {
    pub number: u64,
    pub size: usize,
}

/// Parses the page number and page size from the query.
pub fn read_service_page(query: &Body<'_>) -> Result<ProviderPage, Refusal> {
    let ProviderListFields { page, limit } = query.read()?;
    Ok(ProviderPage { number: page, size: limit })
}

/// The state of a channel and of its provider account.
pub struct ChannelCondition<'a> {
    pub channel: &'a Channel,
    pub health: Option<&'a ProviderHealth>,
    /// Transport of incoming events: `webhook`, `polling`, `imap`, `lmtp`, or `printed` for a
    /// channel with base URL `log:`, which is not connected to its provider.
    pub way: &'static str,
    pub last_event_at: Option<Timestamp>,
    pub last_sent_at: Option<Timestamp>,
    /// Number of messages to customers that are not sent yet.
    pub waiting: u64,
    /// Number of customers' events that could not be handled.
    pub given_up_events: u64,
    pub notes: Vec<&'a str>,
}

/// State of a channel and of its connection to the provider.
#[derive(Serialize, ToSchema)]
pub struct ConditionShape<'a> {
    id: i64,
    /// `ok`, `limited`, `unauthorized`, `misconfigured` or `unreachable`; `off` if the channel is
    /// inactive.
    state: &'static str,
    /// Description of the problem and its remedy; empty if there is no problem.
    reason: &'a str,
    /// Time since which the connection has had this state, as `YYYY-MM-DDThh:mm:ss.ssssssZ`.
    since: Option<String>,
    /// Transport of incoming events: `webhook`, `polling`, `imap`, `lmtp`, or `printed` for a
    /// channel with base URL `log:`, which is not connected to its provider.
    way: &'static str,
    /// Time of the last event from a customer.
    last_event_at: Option<String>,
    /// Time when a message was last sent.
    last_sent_at: Option<String>,
    /// Number of messages to customers that are not sent yet.
    waiting: u64,
    /// Number of customers' events that could not be handled, at most 10000. They are the
    /// deliveries of kind `channel_event` in state `failed`, and can be replayed.
    given_up_events: u64,
    /// Hints for admins, for example that the provider cannot reach this server.
    notes: Vec<&'a str>,
}

/// Response data with the state of a channel.
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

/// Response data of a simulated event.
#[derive(Serialize, ToSchema)]
pub struct PlayedBox {
    /// Number of accepted events.
    pub events: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_tokens_show_their_last_four_characters() {
        assert_eq!(masked_token("123456789:AAE-abcdefgh"), "****efgh");
        assert_eq!(masked_token("short"), "****");
        assert_eq!(masked_token(""), "");
    }

    #[test]
    fn a_token_that_would_change_the_url_path_is_refused() {
        let read = |text: &str| read_new_telegram(&Body::from_json(text.as_bytes()).expect("JSON"));
        assert!(read(r#"{"bot_token":"12:AAE_-x"}"#).is_ok());
        for wrong in [r#"{}"#, r#"{"bot_token":""}"#, r#"{"bot_token":"a/../b"}"#] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
