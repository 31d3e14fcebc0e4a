//! Public JSON for the page of a signed-in agent: the agent, their app and this server.
//!
//! It contains no secrets, because any script in the page could read them.

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::page_settings::{LANGUAGES, PageSettings};
use confab_domain::agents::role::Role;
use confab_domain::agents::staffing::AgentEdit;
use confab_domain::field_problem::FieldProblem;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::support::settings::Settings;
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::apps::ShownApp;
use crate::body::Body;
use crate::fields::shape::Shape;
use crate::fields::{
    Email, Flag, Label, NonEmpty, NonEmptyIfPresent, Password, Picture, Short, field,
};
use crate::raw_json::{empty, raw};
use crate::request::request;

request! {
    /// Body of `POST /api/v2/sign_in`: an email address and a password, or a code.
    pub struct OpenSessionFields as "OpenSession" {
        /// Email address with which the agent signs in.
        email: Email, optional, example = "admin@localhost";
        /// Password of the agent; required if there is no `code`.
        password: Password, optional;
        /// One-time code from a sign-in link.
        code: NonEmpty<Short<{ limits::NAME_CHARS_MAX }>>, optional;
        /// Whether to stay signed in after the browser is closed.
        keep: Flag, optional;
    }
}

/// The credentials of a sign-in. No `Debug`, because they contain a password or a code.
pub enum SessionProof {
    Password { email: EmailAddress, password: String },
    Code(String),
}

/// A request to sign in with a cookie.
pub struct OpenSession {
    pub proof: SessionProof,
    /// Whether the cookie outlives the browser session.
    pub is_kept: bool,
}

impl OpenSession {
    /// Parses the body of `POST /api/v2/sign_in`. A code takes precedence over a password.
    pub fn read(body: &Body<'_>) -> Result<Self, Refusal> {
        let OpenSessionFields { email, password, code, keep } = body.read()?;
        let proof = match (code, email, password) {
            (Some(code), ..) => SessionProof::Code(code),
            (None, Some(email), Some(password)) => SessionProof::Password { email, password },
            (None, email, _) => {
                let missing = if email.is_none() { "email" } else { "password" };
                return Err(FieldProblem::new(missing, "is required").into());
            }
        };
        Ok(Self { proof, is_kept: keep.unwrap_or(false) })
    }
}

request! {
    /// Body of `PATCH /api/v2/me`. Absent fields keep their values.
    pub struct ChangeMeFields as "ChangeMe" {
        /// Display name of the caller.
        name: NonEmptyIfPresent<Label<{ limits::NAME_CHARS_MAX }>>, optional, example = "Ana";
        /// URL of the caller's picture; null removes it.
        avatar_url: Picture, optional;
        /// Language of the dashboard, `en` or `id`; null for the browser's language.
        language: Language, optional, example = "id";
        /// JSON object stored for the dashboard, at most 8192 bytes. It replaces the stored object.
        preferences: Preferences, optional;
    }
}

field! {
    /// A language of the dashboard; an empty string counts as absent.
    Language -> String;
    |reading, field, given| {
        let word = reading.filled_text(field, given)?;
        match LANGUAGES.contains(&word.as_str()) {
            true => Some(word),
            false => reading.wrong(field, format!("must be {}", LANGUAGES.join(" or "))),
        }
    }
}

field! {
    /// A JSON object stored for the dashboard.
    Preferences -> JsonText, Shape::Object;
    |reading, field, given| {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::PREFERENCES_BYTES_MAX)
    }
}

/// Parses changes to the caller's own profile.
pub fn read_change_of_me(body: &Body<'_>) -> Result<AgentEdit, Refusal> {
    let given = body.given::<ChangeMeFields>()?;
    let is_null = |field| given.is_null(field);
    let ChangeMeFields { name, avatar_url, language, preferences } = body.read()?;
    Ok(AgentEdit {
        name,
        avatar_url: avatar_url.or_else(|| is_null("avatar_url").then(String::new)),
        language: language.map(Some).or_else(|| is_null("language").then_some(None)),
        preferences,
        ..AgentEdit::default()
    })
}

/// Response data about the caller, their app and this server.
#[derive(Serialize, ToSchema)]
pub struct Me<'a> {
    pub user: MyUser<'a>,
    pub app: MyApp<'a>,
    pub server: ThisServer<'a>,
    /// Permissions of the caller. The dashboard checks these, never the role.
    #[schema(value_type = Vec<String>, example = json!(["conversations.all", "people.write"]))]
    pub may: &'static [&'static str],
}

/// The signed-in agent.
#[derive(Serialize, ToSchema)]
pub struct MyUser<'a> {
    id: i64,
    name: &'a str,
    email: &'a str,
    /// Role: `admin`, `supervisor` or `agent`.
    #[schema(value_type = String, example = "agent")]
    role: &'static str,
    avatar_url: Option<&'a str>,
    /// Whether the agent has set a password; false for agents who joined by a sign-in link.
    has_password: bool,
    /// User id under which the agent posts in rooms.
    chat_user_id: &'a str,
    /// Whether the agent accepts customers.
    is_available: bool,
    /// Whether an admin set the agent offline.
    force_offline: bool,
    /// Maximum number of assigned customers; null for the app's default.
    serves_max: Option<u32>,
    /// Ids of the channels that the agent serves; all channels if empty.
    channel_ids: Vec<i64>,
    /// Language of the dashboard; null for the browser's language.
    #[schema(example = "id")]
    language: Option<&'a str>,
    /// JSON object stored for the dashboard.
    #[schema(value_type = Object)]
    preferences: &'a RawValue,
}

impl<'a> MyUser<'a> {
    pub fn new(agent: &'a AgentRecord, has_password: bool, pages: &'a PageSettings) -> Self {
        let profile = &agent.profile;
        Self {
            id: profile.user.id.0,
            name: &profile.user.name,
            email: &profile.user.email,
            role: profile.user.role.as_str(),
            avatar_url: profile.avatar_url.as_deref(),
            has_password,
            chat_user_id: profile.sdk_user.as_str(),
            is_available: profile.is_available,
            force_offline: profile.is_forced_offline,
            serves_max: agent.serves_max,
            channel_ids: agent.channels.iter().map(|channel| channel.0).collect(),
            language: pages.language.as_deref(),
            preferences: pages.preferences.as_ref().map_or(empty(), raw),
        }
    }
}

/// The app of the signed-in agent.
#[derive(Serialize, ToSchema)]
pub struct MyApp<'a> {
    code: &'a str,
    name: &'a str,
    /// Whether a bot answers customers.
    has_bot: bool,
    /// Whether a customer who writes again after their conversation was resolved gets a new room.
    is_sessional: bool,
    /// Whether agents may assign waiting customers to themselves.
    is_agent_takeover_enabled: bool,
    /// Seconds after which a waiting customer is shown in amber.
    #[schema(example = 120)]
    waiting_amber_s: u32,
    /// Seconds after which a waiting customer is shown in red.
    #[schema(example = 300)]
    waiting_red_s: u32,
    /// Time zone of the office: a name, or an offset such as `+07:00`.
    #[schema(example = "Asia/Jakarta")]
    time_zone: &'a str,
}

impl<'a> MyApp<'a> {
    pub fn new(shown: ShownApp<'a>) -> Self {
        let (waiting_amber_s, waiting_red_s) = shown.settings.waiting_s();
        Self {
            waiting_amber_s,
            waiting_red_s,
            time_zone: shown.settings.get(Settings::TIMEZONE).unwrap_or("UTC"),
            code: shown.app.code.as_str(),
            name: &shown.app.name,
            has_bot: shown.hook(EventKind::Bot).1,
            is_sessional: shown.settings.is_on(Settings::IS_SESSIONAL),
            is_agent_takeover_enabled: shown.settings.is_on(Settings::TAKEOVER),
        }
    }
}

/// The server that sent the response.
#[derive(Serialize, ToSchema)]
pub struct ThisServer<'a> {
    /// First configured brand: the prefix of header names and of some paths.
    #[schema(example = "SERVICE")]
    pub brand: &'a str,
    #[schema(value_type = String, example = "0.1.0")]
    pub version: &'static str,
    #[schema(example = "https://chat.example.com")]
    pub public_url: &'a str,
    /// Maximum size of an uploaded file, in bytes.
    pub upload_max_bytes: u64,
    /// Allowed file name extensions of uploads; all if empty.
    #[schema(example = json!(["png", "pdf"]))]
    pub upload_types: &'a [String],
    /// Current Unix time of the server, in milliseconds.
    pub time_ms: i64,
}

/// Returns the permissions of a role, by the names that the dashboard checks.
pub fn rights(role: Role) -> &'static [&'static str] {
    match role {
        Role::Admin => &[
            "conversations.all",
            "conversations.assign",
            "people.read",
            "people.write",
            "channels",
            "bot",
            "webhooks",
            "buttons.write",
            "keys",
            "contacts.erase",
            "settings",
            "audit",
            "board",
            "analytics",
        ],
        Role::Supervisor => {
            &["conversations.all", "conversations.assign", "people.read", "board", "analytics"]
        }
        Role::Agent => &[],
    }
}
