//! Registering webhooks and setting switches (spec 4.2, wire facts 5.2, D-0034).

use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::service::configuring::HookWish;
use confab_domain::service::settings::Settings;
use confab_domain::webhooks::notice_kind::NoticeKind;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::apps::ShownApp;
use crate::body::Body;
use crate::reading::{Given, Reading};
use crate::time::to_the_second;

/// `POST /api/v1/app/webhook/...`
#[derive(Deserialize, ToSchema)]
#[schema(as = RegisterWebhook)]
pub struct WebhookFields<'a> {
    /// Where the webhook is posted to; without one it stays where it was.
    #[schema(value_type = Option<String>, example = "https://hooks.example.com/resolved")]
    #[serde(borrow, default)]
    webhook_url: Given<'a>,
    /// Whether it is sent.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_webhook_enabled: Given<'a>,
}

/// Reads `webhook_url` and `is_webhook_enabled`.
pub fn read_webhook(body: &Body<'_>, kind: NoticeKind) -> Result<HookWish, Refusal> {
    let fields: WebhookFields<'_> = body.fields()?;
    let flag = ("is_webhook_enabled", fields.is_webhook_enabled);
    read_hook(kind, ("webhook_url", fields.webhook_url), flag)
}

/// `POST /api/v2/app/config/..._webhook`
#[derive(Deserialize, ToSchema)]
#[schema(as = ConfigWebhook)]
pub struct ConfigHookFields<'a> {
    /// Where the webhook is posted to; without one it stays where it was.
    #[schema(value_type = Option<String>, example = "https://hooks.example.com/session")]
    #[serde(borrow, default)]
    url: Given<'a>,
    /// Whether it is sent.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    enabled: Given<'a>,
}

/// Reads `url` and `enabled`.
pub fn read_config_hook(body: &Body<'_>, kind: NoticeKind) -> Result<HookWish, Refusal> {
    let fields: ConfigHookFields<'_> = body.fields()?;
    read_hook(kind, ("url", fields.url), ("enabled", fields.enabled))
}

/// `POST /api/v1/app/bot/integrate`
#[derive(Deserialize, ToSchema)]
#[schema(as = IntegrateBot)]
pub struct BotFields<'a> {
    /// Where customers' messages are posted to; without one it stays where it was.
    #[schema(value_type = Option<String>, example = "https://bot.example.com/hook")]
    #[serde(borrow, default)]
    bot_webhook_url: Given<'a>,
    /// Whether they are sent.
    #[schema(value_type = Option<bool>)]
    #[serde(default)]
    is_bot_enabled: Given<'a>,
}

/// Reads `bot_webhook_url` and `is_bot_enabled`.
pub fn read_bot(body: &Body<'_>) -> Result<HookWish, Refusal> {
    let fields: BotFields<'_> = body.fields()?;
    let url = ("bot_webhook_url", fields.bot_webhook_url);
    read_hook(NoticeKind::Bot, url, ("is_bot_enabled", fields.is_bot_enabled))
}

fn read_hook(
    kind: NoticeKind,
    url: (&'static str, Given<'_>),
    is_enabled: (&str, Given<'_>),
) -> Result<HookWish, Refusal> {
    let mut reading = Reading::default();
    let (url_field, url) = (url.0, reading.filled_text(url.0, url.1));
    let is_enabled = reading.boolean(is_enabled.0, is_enabled.1);
    reading.finish()?;
    Ok(HookWish { kind, url, is_enabled, url_field })
}

/// `POST /api/v1/app/bot/activation`
#[derive(Deserialize, ToSchema)]
#[schema(as = ActivateBot)]
pub struct ActivationFields<'a> {
    /// Whether the bot is sent customers' messages.
    #[schema(value_type = bool, required = true)]
    #[serde(borrow, default)]
    is_active: Given<'a>,
}

/// Reads `is_active`.
pub fn read_activation(body: &Body<'_>) -> Result<bool, Refusal> {
    let fields: ActivationFields<'_> = body.fields()?;
    needed_flag("is_active", fields.is_active)
}

/// `POST /api/v2/app/bot/force_send`
#[derive(Deserialize, ToSchema)]
#[schema(as = ForceSendBot)]
pub struct ForceSendFields<'a> {
    /// Whether the bot hears of every message, also while an agent serves.
    #[schema(value_type = bool, required = true)]
    #[serde(borrow, default)]
    is_force_send_bot: Given<'a>,
}

/// Reads `is_force_send_bot`.
pub fn read_force_send(body: &Body<'_>) -> Result<bool, Refusal> {
    let fields: ForceSendFields<'_> = body.fields()?;
    needed_flag("is_force_send_bot", fields.is_force_send_bot)
}

/// `POST /api/v1/admin/service/set_sessional`
#[derive(Deserialize, ToSchema)]
#[schema(as = SetSessional)]
pub struct SessionalFields<'a> {
    /// Whether a resolved customer who writes again gets a new room.
    #[schema(value_type = bool, required = true)]
    #[serde(borrow, default)]
    is_sessional: Given<'a>,
}

/// Reads `is_sessional`.
pub fn read_sessional(body: &Body<'_>) -> Result<bool, Refusal> {
    let fields: SessionalFields<'_> = body.fields()?;
    needed_flag("is_sessional", fields.is_sessional)
}

/// `POST /api/v1/app/config/agent_takeover`
#[derive(Deserialize, ToSchema)]
#[schema(as = SetTakeover)]
pub struct TakeoverFields<'a> {
    /// Whether agents may take customers that nobody serves.
    #[schema(value_type = bool, required = true)]
    #[serde(borrow, default)]
    is_agent_takeover_enabled: Given<'a>,
}

/// Reads `is_agent_takeover_enabled`.
pub fn read_takeover(body: &Body<'_>) -> Result<bool, Refusal> {
    let fields: TakeoverFields<'_> = body.fields()?;
    needed_flag("is_agent_takeover_enabled", fields.is_agent_takeover_enabled)
}

/// A flag that must be there.
pub(super) fn needed_flag(field: &str, given: Given<'_>) -> Result<bool, Refusal> {
    let mut reading = Reading::default();
    let flag = reading.boolean(field, given);
    reading.needed(field, flag).ok_or_else(|| reading.refusal())
}

/// `POST /api/v2/app/config/agent_allocation`
#[derive(Deserialize, ToSchema)]
#[schema(as = SetAllocation)]
pub struct AllocationFields<'a> {
    /// Whether the server itself assigns agents.
    #[schema(value_type = Option<bool>)]
    #[serde(borrow, default)]
    is_agent_allocation_enabled: Given<'a>,
    /// Customers that one agent serves at most.
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 10000)]
    #[serde(default)]
    agent_customers_max: Given<'a>,
    /// Agents of one room at most.
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 100)]
    #[serde(default)]
    room_agents_max: Given<'a>,
    /// How long an agent may be away before their customers wait again.
    #[schema(value_type = Option<u32>, minimum = 0, maximum = 86400)]
    #[serde(default)]
    agent_offline_grace_seconds: Given<'a>,
}

/// What is to be set, by name; at least one thing.
pub fn read_allocation(body: &Body<'_>) -> Result<Vec<(&'static str, String)>, Refusal> {
    let fields: AllocationFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let mut wanted = Vec::new();
    let name = Settings::ALLOCATES;
    let allocates = reading.boolean(name, fields.is_agent_allocation_enabled);
    wanted.extend(allocates.map(|flag| (name, flag.to_string())));
    let numbers = [
        (Settings::AGENT_CUSTOMERS_MAX, fields.agent_customers_max, 1, limits::AGENT_CUSTOMERS_MAX),
        (Settings::ROOM_AGENTS_MAX, fields.room_agents_max, 1, limits::ROOM_AGENTS_MAX),
        (
            Settings::OFFLINE_GRACE_S,
            fields.agent_offline_grace_seconds,
            0,
            limits::OFFLINE_GRACE_MAX_S,
        ),
    ];
    for (name, given, least, most) in numbers {
        let number = read_within(&mut reading, name, given, least, most);
        wanted.extend(number.map(|number| (name, number.to_string())));
    }
    reading.finish()?;
    if wanted.is_empty() {
        let mut reading = Reading::default();
        let problem = "is required, or another setting of agent allocation";
        reading.wrong::<()>(Settings::ALLOCATES, problem);
        return Err(reading.refusal());
    }
    Ok(wanted)
}

/// `POST /api/v2/app/config/security` (D-0070, D-0071)
#[derive(Deserialize, ToSchema)]
#[schema(as = SetSecurity)]
pub struct SecurityFields<'a> {
    /// What a visitor of the widget shows to get the chat of their `user_id`: nothing, the secret
    /// of their first visit (or an identity token), or an identity token.
    #[schema(value_type = Option<String>, pattern = "^(none|secret|identity_token)$")]
    #[serde(borrow, default)]
    visitor_proof: Given<'a>,
    /// Whether somebody who knows the app's id registers with a password, or only with an identity
    /// token.
    #[schema(value_type = Option<String>, pattern = "^(open|identity_token)$")]
    #[serde(default)]
    registration: Given<'a>,
    /// What `get_user_list` shows to clients: nobody; ids, names and pictures; or also `extras`.
    #[schema(value_type = Option<String>, pattern = "^(off|names|all)$")]
    #[serde(default)]
    user_list: Given<'a>,
    /// Who is shown whether agents and customers are there: those in a room with them, or all.
    #[schema(value_type = Option<String>, pattern = "^(shared_rooms|all)$")]
    #[serde(default)]
    agent_and_customer_presence: Given<'a>,
    /// Who opens rooms with agents and customers: those in a room with them, or all.
    #[schema(value_type = Option<String>, pattern = "^(shared_rooms|all)$")]
    #[serde(default)]
    agent_and_customer_rooms: Given<'a>,
}

/// What is to be set, by name; at least one thing.
pub fn read_security(body: &Body<'_>) -> Result<Vec<(&'static str, String)>, Refusal> {
    let fields: SecurityFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let given = [
        (Settings::VISITOR_PROOF, fields.visitor_proof),
        (Settings::REGISTRATION, fields.registration),
        (Settings::USER_LIST, fields.user_list),
        (Settings::AGENT_AND_CUSTOMER_PRESENCE, fields.agent_and_customer_presence),
        (Settings::AGENT_AND_CUSTOMER_ROOMS, fields.agent_and_customer_rooms),
    ];
    let mut wanted = Vec::new();
    for (name, given) in given {
        let Some(word) = reading.filled_text(name, given) else { continue };
        let words = Settings::words(name);
        match words.contains(&word.as_str()) {
            true => wanted.push((name, word)),
            false => drop(reading.wrong::<()>(name, format!("must be {}", words.join(" or ")))),
        }
    }
    reading.finish()?;
    if wanted.is_empty() {
        let mut reading = Reading::default();
        let problem = "is required, or another setting of security";
        reading.wrong::<()>(Settings::VISITOR_PROOF, problem);
        return Err(reading.refusal());
    }
    Ok(wanted)
}

/// What strangers may do.
pub fn security_configs(settings: &Settings) -> Configs {
    Configs::of(Settings::CHOICES.map(|(name, _)| (name, setting(settings, name))))
}

/// An integer within bounds; an empty text counts as missing.
pub(super) fn read_within(
    reading: &mut Reading,
    field: &str,
    given: Given<'_>,
    least: u32,
    most: u32,
) -> Option<u32> {
    let number = reading.integer(field, given)?;
    match u32::try_from(number).ok().filter(|number| (least..=most).contains(number)) {
        Some(number) => Some(number),
        None => reading.wrong(field, format!("must be an integer from {least} to {most}")),
    }
}

/// `GET /api/v2/app/configs`
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ConfigsFields<'a> {
    /// Also what was never set.
    #[param(value_type = Option<bool>)]
    #[serde(borrow, default)]
    show_all: Given<'a>,
}

/// Reads whether everything is to be shown.
pub fn read_configs(query: &Body<'_>) -> Result<bool, Refusal> {
    let fields: ConfigsFields<'_> = query.fields()?;
    let mut reading = Reading::default();
    let shows_all = reading.boolean("show_all", fields.show_all).unwrap_or(false);
    reading.finish().map(|()| shows_all)
}

/// `{configs}`: names with what they are set to, a boolean, a text or null.
#[derive(Serialize, ToSchema)]
pub struct Configs {
    /// By name.
    #[schema(value_type = Object, example = json!({"is_sessional": false}))]
    configs: Map<String, Value>,
}

impl Configs {
    fn of<const N: usize>(pairs: [(&str, Value); N]) -> Self {
        Self { configs: pairs.map(|(name, value)| (name.to_owned(), value)).into_iter().collect() }
    }
}

const NEW_SESSION: [&str; 2] = ["new_session_webhook_url", "is_new_session_webhook_enabled"];
const AUTH: [&str; 2] = ["auth_webhook_url", "is_auth_webhook_enabled"];

/// Where the app is told of new sessions; whether it is, as a text (spec 4.2).
pub fn new_session_configs(app: ShownApp<'_>) -> Configs {
    hook_configs(NEW_SESSION, app.hook(NoticeKind::NewSession))
}

/// Where the app is told of logouts; whether it is, as a text (spec 4.2).
pub fn auth_configs(app: ShownApp<'_>) -> Configs {
    hook_configs(AUTH, app.hook(NoticeKind::LoggedOut))
}

fn hook_configs(names: [&str; 2], (url, is_enabled): (&str, bool)) -> Configs {
    Configs::of([(names[0], url.into()), (names[1], is_enabled.to_string().into())])
}

/// Everything that the app is set to; with `shows_all` also what was never set.
pub fn all_configs(app: ShownApp<'_>, shows_all: bool) -> Configs {
    let mut configs = Map::new();
    for (names, kind) in [(NEW_SESSION, NoticeKind::NewSession), (AUTH, NoticeKind::LoggedOut)] {
        if shows_all || app.endpoint(kind).is_some() {
            configs.extend(hook_configs(names, app.hook(kind)).configs);
        }
    }
    for name in Settings::NAMES {
        if shows_all || app.settings.get(name).is_some() {
            configs.insert(name.to_owned(), setting(app.settings, name));
        }
    }
    if shows_all {
        // Keys of the spec for what is not here (D-0034).
        configs.insert("widget".to_owned(), Value::Null);
        let absent = [
            "default_properties_created",
            "is_waca_channel_enabled",
            "agent_send_outbound_message_inbox",
            "agent_send_broadcast_message_access",
        ];
        configs.extend(absent.map(|name| (name.to_owned(), Value::Bool(false))));
    }
    Configs { configs }
}

/// Switches are booleans, numbers and words are texts.
fn setting(settings: &Settings, name: &str) -> Value {
    match name {
        Settings::AGENT_CUSTOMERS_MAX => settings.agent_customers_max().to_string().into(),
        Settings::ROOM_AGENTS_MAX => settings.room_agents_max().to_string().into(),
        Settings::OFFLINE_GRACE_S => settings.offline_grace_s().to_string().into(),
        _ if Settings::CHOICES.iter().any(|(of, _)| *of == name) => settings.choice(name).into(),
        _ => settings.is_on(name).into(),
    }
}

/// What the built-in allocation is set to.
pub fn allocation_configs(settings: &Settings) -> Configs {
    let names = [
        Settings::ALLOCATES,
        Settings::AGENT_CUSTOMERS_MAX,
        Settings::ROOM_AGENTS_MAX,
        Settings::OFFLINE_GRACE_S,
    ];
    Configs::of(names.map(|name| (name, setting(settings, name))))
}

/// `{is_sessional}`
#[derive(Debug, Serialize, ToSchema)]
pub struct Sessional {
    /// Whether a resolved customer who writes again gets a new room.
    is_sessional: bool,
}

/// Whether the app is sessional.
pub fn sessional(settings: &Settings) -> Sessional {
    Sessional { is_sessional: settings.is_on(Settings::IS_SESSIONAL) }
}

/// `{is_agent_takeover_enabled}`
#[derive(Debug, Serialize, ToSchema)]
pub struct Takeover {
    /// Whether agents may take customers that nobody serves.
    is_agent_takeover_enabled: bool,
}

/// Whether agents may take customers that nobody serves.
pub fn takeover(settings: &Settings) -> Takeover {
    Takeover { is_agent_takeover_enabled: settings.is_on(Settings::TAKEOVER) }
}

/// `{bot_webhook_url, is_bot_enabled, is_force_send_bot}`
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BotConfig)]
pub struct BotShape<'a> {
    /// Empty if there is none.
    bot_webhook_url: &'a str,
    /// Whether the bot is sent customers' messages.
    is_bot_enabled: bool,
    /// Whether it hears of every message, also while an agent serves.
    is_force_send_bot: bool,
}

/// How the bot is integrated.
pub fn bot(app: ShownApp<'_>) -> BotShape<'_> {
    let (bot_webhook_url, is_bot_enabled) = app.hook(NoticeKind::Bot);
    let is_force_send_bot = app.settings.is_on(Settings::FORCES_BOT);
    BotShape { bot_webhook_url, is_bot_enabled, is_force_send_bot }
}

/// A registered webhook.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookConfig)]
pub struct WebhookConfigShape<'a> {
    id: i64,
    /// Which webhook.
    #[schema(example = "mark_as_resolved")]
    r#type: &'static str,
    url: &'a str,
    is_active: bool,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    #[schema(example = "2026-01-31T10:00:00Z")]
    updated_at: String,
}

/// `{webhook_configs}`
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookConfigs<'a> {
    /// All of the app.
    webhook_configs: Vec<WebhookConfigShape<'a>>,
}

/// Every webhook that the app registered, but for those of custom buttons.
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
