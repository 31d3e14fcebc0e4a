//! An app: one customer of this server, with its own users, rooms and keys.

use crate::ids::{AppId, DashboardUserId, UserKey};
use crate::people::UserId;
use crate::refusal::{FieldProblem, Refusal};
use crate::time::Timestamp;

/// The public name of an app: its app id in headers, its app code in the omnichannel API.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AppCode(String);

impl AppCode {
    const CHARS_MAX: usize = 64;

    /// Letters, digits, `-` and `_`, at most 64.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if text.is_empty() || text.len() > Self::CHARS_MAX || !text.chars().all(is_plain) {
            return Err(
                FieldProblem::new("app_id", "must be 1 to 64 letters, digits, - or _").into()
            );
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An app with its keys. No `Debug`: the keys must not reach a log.
#[derive(Clone)]
pub struct App {
    /// The integer inside this server.
    pub id: AppId,
    /// The public name.
    pub code: AppCode,
    /// The name for people.
    pub name: String,
    /// Opens the message API.
    pub sdk_secret: String,
    /// Signs webhooks and opens the omnichannel API.
    pub secret_key: String,
    /// The app's System user.
    pub system_user: UserKey,
    /// When it was created.
    pub created_at: Timestamp,
}

impl App {
    /// The user id of the app's System user (wire facts 3.6).
    pub fn system_user_id(code: &AppCode) -> UserId {
        UserId::system(code.as_str())
    }
}

/// What a dashboard user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Everything in the app.
    Admin,
    /// Serves customers.
    Agent,
    /// Sees all conversations.
    Supervisor,
}

impl Role {
    /// The number of spec 2.5.
    pub fn number(self) -> i64 {
        match self {
            Self::Admin => 1,
            Self::Agent => 2,
            Self::Supervisor => 3,
        }
    }

    /// The name of spec 2.5.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Agent => "agent",
            Self::Supervisor => "supervisor",
        }
    }

    /// Reads the number of spec 2.5.
    pub fn from_number(number: i64) -> Option<Self> {
        [Self::Admin, Self::Agent, Self::Supervisor].into_iter().find(|r| r.number() == number)
    }
}

/// Somebody who signs in to work in an app. The password's hash stays in the store.
#[derive(Debug, Clone)]
pub struct DashboardUser {
    /// The integer inside this server.
    pub id: DashboardUserId,
    /// The app worked in.
    pub app: AppId,
    /// The sign-in name, one in the whole server.
    pub email: String,
    /// The name for people.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// When the account was created.
    pub created_at: Timestamp,
}
