//! What the page of somebody who signed in needs to know: who they are, their app, this server.
//!
//! No secrets: what stands in a page can be read by whatever runs in it.

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::page_settings::{LANGUAGES, PageSettings};
use confab_domain::agents::role::Role;
use confab_domain::agents::staffing::AgentEdit;
use confab_domain::field_problem::FieldProblem;
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::customer_room::AgentRecord;
use confab_domain::support::settings::Settings;
use confab_domain::webhooks::event_kind::EventKind;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::apps::ShownApp;
use crate::body::Body;
use crate::fields::shape::Shape;
use crate::fields::{Email, Filled, Flag, Label, NotEmptied, Password, Picture, Short, field};
use crate::raw_json::{empty, raw};
use crate::request::request;

request! {
    /// `POST /api/v2/sign_in`: an e-mail address and a password, or a code
    pub struct OpenSessionFields as "OpenSession" {
        /// The sign-in name.
        email: Email, optional, example = "admin@localhost";
        /// The password.
        password: Password, optional;
        /// A code that signs in once, from a link.
        code: Filled<Short<{ limits::NAME_CHARS_MAX }>>, optional;
        /// Stay signed in after the browser ends.
        keep: Flag, optional;
    }
}

/// What somebody signs in with. No `Debug`: it holds a password or a code.
pub enum SessionProof {
    Password { email: EmailAddress, password: String },
    Code(String),
}

/// Who wants to sign in by a cookie.
pub struct OpenSession {
    pub proof: SessionProof,
    /// Whether the cookie outlives the browser's run.
    pub is_kept: bool,
}

impl OpenSession {
    /// Reads the request: a code counts before everything else.
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
    /// `PATCH /api/v2/me`: what is absent stays
    pub struct ChangeMeFields as "ChangeMe" {
        /// The name for people.
        name: NotEmptied<Label<{ limits::NAME_CHARS_MAX }>>, optional, example = "Ana";
        /// A picture; null takes it away.
        avatar_url: Picture, optional;
        /// The language of the pages, `en` or `id`; null is the browser's.
        language: Language, optional, example = "id";
        /// Whatever the pages keep for themselves, at most 8192 bytes; it replaces what was there.
        preferences: Preferences, optional;
    }
}

field! {
    /// A language that pages speak; an empty text counts as missing.
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
    /// What pages keep for themselves.
    Preferences -> JsonText, Shape::Object;
    |reading, field, given| {
        let json = reading.json_object(field, given);
        reading.within_bytes(field, json, limits::PREFERENCES_BYTES_MAX)
    }
}

/// Reads how somebody changes themselves.
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

/// `{user, app, server, may}`
#[derive(Serialize, ToSchema)]
pub struct Me<'a> {
    pub user: MyUser<'a>,
    pub app: MyApp<'a>,
    pub server: ThisServer<'a>,
    /// What they may do. Pages look here, and never at the role.
    #[schema(value_type = Vec<String>, example = json!(["conversations.all", "people.write"]))]
    pub may: &'static [&'static str],
}

/// Who is signed in.
#[derive(Serialize, ToSchema)]
pub struct MyUser<'a> {
    id: i64,
    name: &'a str,
    email: &'a str,
    /// `admin`, `supervisor` or `agent`.
    #[schema(value_type = String, example = "agent")]
    role: &'static str,
    avatar_url: Option<&'a str>,
    /// Whether they ever set a password; who was hired by a link has none until then.
    has_password: bool,
    /// The user that speaks for them in rooms: whose messages are their own.
    chat_user_id: &'a str,
    /// Whether they take customers.
    is_available: bool,
    /// Whether an admin took them offline.
    force_offline: bool,
    /// How many customers they serve at most; null is as many as the app says.
    serves_max: Option<u32>,
    /// The only channels they serve; all if there are none.
    channel_ids: Vec<i64>,
    /// The language of the pages; null is the browser's.
    #[schema(example = "id")]
    language: Option<&'a str>,
    /// Whatever the pages keep for themselves.
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

/// The app they work in.
#[derive(Serialize, ToSchema)]
pub struct MyApp<'a> {
    code: &'a str,
    name: &'a str,
    /// Whether a bot answers customers.
    has_bot: bool,
    /// Whether a resolved customer who writes again gets a new room.
    is_sessional: bool,
    /// Whether agents may take customers that nobody serves.
    is_agent_takeover_enabled: bool,
    /// After how many seconds a waiting customer is shown in amber.
    #[schema(example = 120)]
    waiting_amber_s: u32,
    /// After how many in red.
    #[schema(example = 300)]
    waiting_red_s: u32,
    /// Where the office is: a name, or an offset like `+07:00`.
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

/// The server that they are signed in at.
#[derive(Serialize, ToSchema)]
pub struct ThisServer<'a> {
    /// The first brand: what headers and some paths begin with.
    #[schema(example = "SERVICE")]
    pub brand: &'a str,
    #[schema(value_type = String, example = "0.1.0")]
    pub version: &'static str,
    #[schema(example = "https://chat.example.com")]
    pub public_url: &'a str,
    /// Bytes of an uploaded file at most.
    pub upload_max_bytes: u64,
    /// What the names of uploaded files end in; any if there is nothing.
    #[schema(example = json!(["png", "pdf"]))]
    pub upload_types: &'a [String],
    /// Its clock, in milliseconds.
    pub time_ms: i64,
}

/// What a role may do, in words that pages ask for.
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
