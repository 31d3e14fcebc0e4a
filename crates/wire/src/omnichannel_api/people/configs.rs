//! Webhooks and settings of an app, with one call for each (spec 4.2, wire facts 5.2).

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::ChannelId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::configuring::WebhookUpdate;
use confab_domain::support::settings::Settings;
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::apps::ShownApp;
use crate::body::Body;
use crate::fields::{Flag, HookUrl, Within, field};
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// Body of `POST /api/v1/app/webhook/...`.
    pub struct WebhookFields as "RegisterWebhook" {
        /// URL to which the webhook is sent; unchanged if absent. An empty string removes the
        /// webhook.
        webhook_url: HookUrl, optional, example = "https://hooks.example.com/resolved";
        /// Whether the webhook is enabled.
        is_webhook_enabled: Flag, optional;
    }
}

/// Parses `webhook_url` and `is_webhook_enabled`.
pub fn read_webhook(body: &Body<'_>, kind: EventKind) -> Result<WebhookUpdate, Refusal> {
    let fields = body.read_exactly::<WebhookFields>()?;
    let WebhookFields { webhook_url: url, is_webhook_enabled: is_enabled } = fields;
    Ok(WebhookUpdate { kind, url, is_enabled, url_field: "webhook_url" })
}

request! {
    /// Body of `POST /api/v2/app/config/..._webhook`.
    pub struct ConfigHookFields as "ConfigWebhook" {
        /// URL to which the webhook is sent; unchanged if absent. An empty string removes the
        /// webhook.
        url: HookUrl, optional, example = "https://hooks.example.com/session";
        /// Whether the webhook is enabled.
        enabled: Flag, optional;
    }
}

/// Parses `url` and `enabled`.
pub fn read_config_hook(body: &Body<'_>, kind: EventKind) -> Result<WebhookUpdate, Refusal> {
    let ConfigHookFields { url, enabled: is_enabled } = body.read_exactly()?;
    Ok(WebhookUpdate { kind, url, is_enabled, url_field: "url" })
}

request! {
    /// Body of `POST /api/v1/app/bot/integrate`.
    pub struct BotFields as "IntegrateBot" {
        /// URL to which customers' messages are sent; unchanged if absent. An empty string removes
        /// the webhook.
        bot_webhook_url: HookUrl, optional, example = "https://bot.example.com/hook";
        /// Whether customers' messages are sent to the bot.
        is_bot_enabled: Flag, optional;
    }
}

/// Parses `bot_webhook_url` and `is_bot_enabled`.
pub fn read_bot(body: &Body<'_>) -> Result<WebhookUpdate, Refusal> {
    let BotFields { bot_webhook_url: url, is_bot_enabled: is_enabled } = body.read_exactly()?;
    Ok(WebhookUpdate { kind: EventKind::Bot, url, is_enabled, url_field: "bot_webhook_url" })
}

request! {
    /// Body of `POST /api/v1/app/bot/activation`.
    pub struct ActivationFields as "ActivateBotOfApp" {
        /// Whether customers' messages are sent to the bot.
        is_active: Flag, required;
    }
}

/// Parses `is_active`.
pub fn read_activation(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: ActivationFields| fields.is_active)
}

request! {
    /// Body of `POST /api/v2/app/bot/force_send`.
    pub struct ForceSendFields as "ForceSendBot" {
        /// Whether the bot receives every message, even while an agent is assigned.
        is_force_send_bot: Flag, required;
    }
}

/// Parses `is_force_send_bot`.
pub fn read_force_send(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: ForceSendFields| fields.is_force_send_bot)
}

request! {
    /// Body of `POST /api/v1/admin/service/set_sessional`.
    pub struct SessionalFields as "SetSessional" {
        /// Whether a customer who writes again after their conversation was resolved gets a new
        /// room.
        is_sessional: Flag, required;
    }
}

/// Parses `is_sessional`.
pub fn read_sessional(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: SessionalFields| fields.is_sessional)
}

request! {
    /// Body of `POST /api/v1/app/config/agent_takeover`.
    pub struct TakeoverFields as "SetTakeover" {
        /// Whether agents may assign waiting customers to themselves.
        is_agent_takeover_enabled: Flag, required;
    }
}

/// Parses `is_agent_takeover_enabled`.
pub fn read_takeover(body: &Body<'_>) -> Result<bool, Refusal> {
    body.read().map(|fields: TakeoverFields| fields.is_agent_takeover_enabled)
}

request! {
    /// Body of `POST /api/v2/app/config/agent_allocation`.
    pub struct AllocationFields as "SetAllocation" {
        /// Whether agents are assigned automatically.
        is_agent_allocation_enabled: Flag, optional;
        /// Maximum number of customers assigned to one agent.
        agent_customers_max: Within<1, { limits::AGENT_CUSTOMERS_MAX }>, optional;
        /// Maximum number of agents in one room.
        room_agents_max: Within<1, { limits::ROOM_AGENTS_MAX }>, optional;
        /// Seconds that an agent may be disconnected before their customers wait again.
        agent_offline_grace_seconds: Within<0, { limits::OFFLINE_GRACE_MAX_S }>, optional;
    }
}

/// Parses the settings of agent allocation and returns those that are present, by name. At least
/// one is required.
pub fn read_allocation(body: &Body<'_>) -> Result<Vec<(&'static str, String)>, Refusal> {
    let fields: AllocationFields = body.read_exactly()?;
    let text = |number: Option<u32>| number.map(|number| number.to_string());
    let settings = [
        (Settings::ALLOCATES, fields.is_agent_allocation_enabled.map(|flag| flag.to_string())),
        (Settings::AGENT_CUSTOMERS_MAX, text(fields.agent_customers_max)),
        (Settings::ROOM_AGENTS_MAX, text(fields.room_agents_max)),
        (Settings::OFFLINE_GRACE_S, text(fields.agent_offline_grace_seconds)),
    ];
    some_of(settings, "is required, or another setting of agent allocation")
}

request! {
    /// Body of `POST /api/v2/app/config/security` (D-0070, D-0071).
    pub struct SecurityFields as "SetSecurity" {
        /// Proof that a visitor of the widget needs to open the chat of their `user_id`: nothing
        /// (`none`), the secret of their first visit or an identity token (`secret`), or an
        /// identity token (`identity_token`).
        visitor_proof: Choice, optional, pattern = "^(none|secret|identity_token)$";
        /// How clients that know the app id can register users: with a password (`open`), or only
        /// with an identity token (`identity_token`).
        registration: Choice, optional, pattern = "^(open|identity_token)$";
        /// Result of `get_user_list` for clients: empty (`off`); ids, names and pictures (`names`);
        /// or also `extras` (`all`).
        user_list: Choice, optional, pattern = "^(off|names|all)$";
        /// Users who see whether agents and customers are online: those who share a room with them
        /// (`shared_rooms`), or all (`all`).
        agent_and_customer_presence: Choice, optional, pattern = "^(shared_rooms|all)$";
        /// Users who may create rooms with agents and customers: those who share a room with them
        /// (`shared_rooms`), or all (`all`).
        agent_and_customer_rooms: Choice, optional, pattern = "^(shared_rooms|all)$";
    }
}

field! {
    /// A value that is allowed for the setting with the field's name; an empty string counts as
    /// absent.
    Choice -> String;
    |reading, field, given| {
        let word = reading.filled_text(field, given)?;
        let words = Settings::words(field);
        if !words.contains(&word.as_str()) {
            return reading.wrong(field, format!("must be {}", words.join(" or ")));
        }
        Some(word)
    }
}

/// Parses the security settings and returns those that are present, by name. At least one is
/// required.
pub fn read_security(body: &Body<'_>) -> Result<Vec<(&'static str, String)>, Refusal> {
    let fields: SecurityFields = body.read_exactly()?;
    let settings = [
        (Settings::VISITOR_PROOF, fields.visitor_proof),
        (Settings::REGISTRATION, fields.registration),
        (Settings::USER_LIST, fields.user_list),
        (Settings::AGENT_AND_CUSTOMER_PRESENCE, fields.agent_and_customer_presence),
        (Settings::AGENT_AND_CUSTOMER_ROOMS, fields.agent_and_customer_rooms),
    ];
    some_of(settings, "is required, or another setting of security")
}

/// Returns the settings that are present. If there are none, reports `problem` for the first
/// setting.
fn some_of<const N: usize>(
    settings: [(&'static str, Option<String>); N],
    problem: &str,
) -> Result<Vec<(&'static str, String)>, Refusal> {
    let first = settings[0].0;
    let given = settings.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let given: Vec<_> = given.collect();
    if given.is_empty() { Err(FieldProblem::new(first, problem).into()) } else { Ok(given) }
}

/// Returns the security settings.
pub fn security_configs(settings: &Settings) -> Configs {
    Configs::of(Settings::CHOICES.map(|(name, _)| (name, setting(settings, name))))
}

request! {
    /// Query of `GET /api/v2/app/configs`.
    pub struct ConfigsFields {
        /// Whether to include settings that were never changed.
        show_all: Flag, or false;
    }
}

/// Parses `show_all`.
pub fn read_configs(query: &Body<'_>) -> Result<bool, Refusal> {
    query.read().map(|fields: ConfigsFields| fields.show_all)
}

/// Response data with settings by name. Values are booleans, strings or null.
#[derive(Serialize, ToSchema)]
pub struct Configs {
    /// Settings by name.
    #[schema(value_type = Object, example = json!({"is_sessional": false}))]
    configs: Map<String, Value>,
}

impl Configs {
    fn of<const N: usize>(pairs: [(&str, Value); N]) -> Self {
        Self { configs: pairs.map(|(name, value)| (name.to_owned(), value)).into_iter().collect() }
    }
}

impl Configs {
    /// Adds a setting for each Instagram channel: whether stories that mention the account become
    /// messages (spec 4.2).
    #[must_use]
    pub fn with_stories(mut self, of_channels: Vec<(ChannelId, bool)>) -> Self {
        let named = |(channel, is_on): (ChannelId, bool)| {
            (format!("ig_story_mention_enabled:{channel}"), Value::Bool(is_on))
        };
        self.configs.extend(of_channels.into_iter().map(named));
        self
    }
}

const NEW_SESSION: [&str; 2] = ["new_session_webhook_url", "is_new_session_webhook_enabled"];
const AUTH: [&str; 2] = ["auth_webhook_url", "is_auth_webhook_enabled"];

/// Returns two settings of the webhook for new sessions: its URL, and whether it is enabled, as a
/// string (spec 4.2).
pub fn new_session_configs(app: ShownApp<'_>) -> Configs {
    hook_configs(NEW_SESSION, app.hook(EventKind::NewSession))
}

/// Returns two settings of the logout webhook: its URL, and whether it is enabled, as a string
/// (spec 4.2).
pub fn auth_configs(app: ShownApp<'_>) -> Configs {
    hook_configs(AUTH, app.hook(EventKind::LoggedOut))
}

fn hook_configs(names: [&str; 2], (url, is_enabled): (&str, bool)) -> Configs {
    Configs::of([(names[0], url.into()), (names[1], is_enabled.to_string().into())])
}

/// Returns the settings that were changed. If `shows_all` is true, returns all settings, and values
/// that are derived from the app's channels.
pub fn all_configs(app: ShownApp<'_>, shows_all: bool, has_whatsapp: bool) -> Configs {
    let mut configs = Map::new();
    for (names, kind) in [(NEW_SESSION, EventKind::NewSession), (AUTH, EventKind::LoggedOut)] {
        if shows_all || app.endpoint(kind).is_some() {
            configs.extend(hook_configs(names, app.hook(kind)).configs);
        }
    }
    for name in Settings::NAMES {
        if shows_all || app.settings.get(name).is_some() {
            configs.insert(name.to_owned(), setting(app.settings, name));
        }
    }
    let widget = app.settings.get(Settings::WIDGET);
    if shows_all || widget.is_some() {
        configs.insert(Settings::WIDGET.to_owned(), widget.into());
    }
    if shows_all {
        let derived = [
            ("is_waca_channel_enabled", has_whatsapp),
            // All agents may start conversations in channels that allow it (D-0157).
            ("agent_send_outbound_message_inbox", has_whatsapp),
            // Only admins send broadcasts.
            ("agent_send_broadcast_message_access", false),
            // Properties do not exist by default.
            ("default_properties_created", false),
        ];
        configs.extend(derived.map(|(name, is_on)| (name.to_owned(), Value::Bool(is_on))));
    }
    Configs { configs }
}

/// Returns the value of a setting: a boolean for a switch, otherwise a string.
fn setting(settings: &Settings, name: &str) -> Value {
    match name {
        Settings::AGENT_CUSTOMERS_MAX => settings.agent_customers_max().to_string().into(),
        Settings::ROOM_AGENTS_MAX => settings.room_agents_max().to_string().into(),
        Settings::OFFLINE_GRACE_S => settings.offline_grace_s().to_string().into(),
        _ if Settings::CHOICES.iter().any(|(of, _)| *of == name) => settings.choice(name).into(),
        _ => settings.is_on(name).into(),
    }
}

/// Returns the settings of automatic agent assignment.
pub fn allocation_configs(settings: &Settings) -> Configs {
    let names = [
        Settings::ALLOCATES,
        Settings::AGENT_CUSTOMERS_MAX,
        Settings::ROOM_AGENTS_MAX,
        Settings::OFFLINE_GRACE_S,
    ];
    Configs::of(names.map(|name| (name, setting(settings, name))))
}

/// Response data with the setting `is_sessional`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Sessional {
    /// Whether a customer who writes again after their conversation was resolved gets a new room.
    is_sessional: bool,
}

/// Returns the setting `is_sessional`.
pub fn sessional(settings: &Settings) -> Sessional {
    Sessional { is_sessional: settings.is_on(Settings::IS_SESSIONAL) }
}

/// Response data with the setting `is_agent_takeover_enabled`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Takeover {
    /// Whether agents may assign waiting customers to themselves.
    is_agent_takeover_enabled: bool,
}

/// Returns the setting `is_agent_takeover_enabled`.
pub fn takeover(settings: &Settings) -> Takeover {
    Takeover { is_agent_takeover_enabled: settings.is_on(Settings::TAKEOVER) }
}

/// Response data with the settings of the bot.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BotConfig)]
pub struct BotShape<'a> {
    /// URL of the bot webhook, or an empty string.
    bot_webhook_url: &'a str,
    /// Whether customers' messages are sent to the bot.
    is_bot_enabled: bool,
    /// Whether the bot receives every message, even while an agent is assigned.
    is_force_send_bot: bool,
}

/// Returns the settings of the bot.
pub fn bot(app: ShownApp<'_>) -> BotShape<'_> {
    let (bot_webhook_url, is_bot_enabled) = app.hook(EventKind::Bot);
    let is_force_send_bot = app.settings.is_on(Settings::FORCES_BOT);
    BotShape { bot_webhook_url, is_bot_enabled, is_force_send_bot }
}

/// A registered webhook.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookConfig)]
pub struct WebhookConfigShape<'a> {
    id: i64,
    /// Kind of event for which the webhook is sent.
    #[schema(example = "mark_as_resolved")]
    r#type: &'static str,
    url: &'a str,
    is_active: bool,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    #[schema(example = "2026-01-31T10:00:00Z")]
    updated_at: String,
}

/// Response data with a list of registered webhooks.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookConfigs<'a> {
    /// All webhooks of the app, without those of custom buttons.
    webhook_configs: Vec<WebhookConfigShape<'a>>,
}

/// Returns the registered webhooks of the app, without those of custom buttons.
pub fn webhook_configs(app: ShownApp<'_>) -> WebhookConfigs<'_> {
    let registered = app.endpoints.iter().filter(|it| it.name.is_empty());
    let shown = registered.map(|it| WebhookConfigShape {
        id: it.id.0,
        r#type: it.kind.as_str(),
        url: &it.url,
        is_active: it.is_enabled,
        created_at: to_the_second(it.created_at),
        updated_at: to_the_second(it.updated_at),
    });
    WebhookConfigs { webhook_configs: shown.collect() }
}
