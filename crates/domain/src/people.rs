//! Users of an app: those who can be in a room.

use crate::ids::{AppId, UserKey};
use crate::json_text::JsonText;
use crate::limits;
use crate::refusal::FieldProblem;
use crate::time::Timestamp;

/// The name an app gave its user.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UserId(String);

impl UserId {
    /// Letters, digits and `. - _ @` only (wire facts 3.1).
    pub fn parse(field: &str, text: &str) -> Result<Self, FieldProblem> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@');
        if text.is_empty() {
            return Err(FieldProblem::new(field, "must not be empty"));
        }
        if text.chars().count() > limits::USER_ID_CHARS_MAX {
            return Err(FieldProblem::new(field, "must have at most 255 characters"));
        }
        if !text.chars().all(is_plain) {
            return Err(FieldProblem::new(field, "may hold letters, digits and . - _ @ only"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Takes a user id that the store holds, which was parsed when it came in.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The id of an app's System user.
    pub(crate) fn system(app_code: &str) -> Self {
        Self(format!("system@{app_code}"))
    }

    /// Whether it is the name of somebody who works in an app: no customer may be called so.
    pub fn is_reserved(&self) -> bool {
        self.0.ends_with("@dashboard")
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A user as the store keeps it. Token and password hash are not here: no rule needs them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The integer this server gave.
    pub key: UserKey,
    /// The app the user belongs to.
    pub app: AppId,
    /// The name the app gave.
    pub user_id: UserId,
    /// The name for people.
    pub username: String,
    /// A picture, or an empty text.
    pub avatar_url: String,
    /// Whatever the app keeps about the user.
    pub extras: Option<JsonText>,
    /// False after deactivation: may not post.
    pub is_active: bool,
    /// When the user was created.
    pub created_at: Timestamp,
    /// When the profile last changed.
    pub updated_at: Timestamp,
}
