//! What the page of somebody who signed in needs to know: who they are, their app, this server.
//!
//! No secrets: what stands in a page can be read by whatever runs in it.

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::role::Role;
use confab_domain::field_problem::FieldProblem;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::service::customer_room::AgentRecord;
use confab_domain::service::settings::Settings;
use confab_domain::webhooks::notice_kind::NoticeKind;
use serde::Serialize;
use utoipa::ToSchema;

use super::apps::ShownApp;
use crate::body::Body;
use crate::fields::{Email, Filled, Flag, Password, Short};
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
}

impl<'a> MyUser<'a> {
    pub fn new(agent: &'a AgentRecord) -> Self {
        let profile = &agent.profile;
        Self {
            id: profile.user.id.0,
            name: &profile.user.name,
            email: &profile.user.email,
            role: profile.user.role.as_str(),
            avatar_url: profile.avatar_url.as_deref(),
            chat_user_id: profile.sdk_user.as_str(),
            is_available: profile.is_available,
            force_offline: profile.is_forced_offline,
            serves_max: agent.serves_max,
            channel_ids: agent.channels.iter().map(|channel| channel.0).collect(),
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
}

impl<'a> MyApp<'a> {
    pub fn new(shown: ShownApp<'a>) -> Self {
        Self {
            code: shown.app.code.as_str(),
            name: &shown.app.name,
            has_bot: shown.hook(NoticeKind::Bot).1,
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
            "settings",
        ],
        Role::Supervisor => &["conversations.all", "conversations.assign", "people.read"],
        Role::Agent => &[],
    }
}
