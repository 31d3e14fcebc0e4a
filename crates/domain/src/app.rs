//! Apps: the tenants of this server, each with its own users, rooms and keys.

use crate::field_problem::FieldProblem;
use crate::ids::{AgentId, AppId, UserKey};
use crate::people::user::UserId;
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// Public name of an app. Requests name the app by it: as the app id in headers, and as the app
/// code in the omnichannel API.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AppCode(String);

impl AppCode {
    const CHARS_MAX: usize = 64;

    /// Names that no new app may have, because they are first segments of the server's paths.
    pub const RESERVED: [&str; 12] = [
        "api",
        "bot",
        "chat",
        "dashboard",
        "docs",
        "files",
        "health",
        "metrics",
        "mqtt",
        "ready",
        "realtime",
        "widget",
    ];

    /// Parses an app's name: 1 to 64 letters, digits, `-` and `_`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if text.is_empty() || text.len() > Self::CHARS_MAX || !text.chars().all(is_plain) {
            return Err(
                FieldProblem::new("app_id", "must be 1 to 64 letters, digits, - or _").into()
            );
        }
        Ok(Self(text.to_owned()))
    }

    /// Parses the name of a new app. Fails for reserved names, which would be ambiguous in paths
    /// such as `/{app_code}/bot`.
    pub fn parse_new(text: &str) -> Result<Self, Refusal> {
        let code = Self::parse(text)?;
        if Self::RESERVED.iter().any(|word| word.eq_ignore_ascii_case(text)) {
            let problem = format!("must not be {text}, which is a path of the server");
            return Err(FieldProblem::new("app_id", problem).into());
        }
        Ok(code)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An app with its keys. No `Debug`: the keys must not reach a log.
#[derive(Clone)]
pub struct App {
    /// Integer id, used inside this server only.
    pub id: AppId,
    /// Public name.
    pub code: AppCode,
    /// Display name.
    pub name: String,
    /// Key that authenticates the message API.
    pub sdk_secret: String,
    /// Key that signs webhooks and authenticates the omnichannel API.
    pub secret_key: String,
    /// Second secret key, which is also valid while the secret key is being changed.
    pub other_key: Option<OtherKey>,
    /// The user that posts the app's system events.
    pub system_user: UserKey,
    pub created_at: Timestamp,
    /// Whether an endpoint receives every message of every room.
    pub has_chat_message_webhook: bool,
    /// Whether loaded messages include the `extras` of their senders.
    pub shows_sender_extras: bool,
}

impl App {
    /// Returns the user id of the app's System user (wire facts 3.6).
    pub fn system_user_id(code: &AppCode) -> UserId {
        UserId::system(code.as_str())
    }

    /// Returns the user id of the user that posts for an agent. The user and the agent have the
    /// same integer id.
    pub fn speaker_id(code: &AppCode, user: AgentId) -> UserId {
        UserId::from_stored(format!("{}_{user}@dashboard", code.as_str()))
    }

    /// Returns the keys that sign webhooks now: the current one, and the second one if it is valid.
    /// The current key signs the header of spec 5, and both keys sign `webhook-signature`.
    pub fn signing_keys(&self, now: Timestamp) -> (&str, Option<&str>) {
        let other = self.other_key.as_ref().filter(|other| other.standing.counts_at(now));
        (&self.secret_key, other.map(|other| other.key.as_str()))
    }

    /// Returns the keys that authenticate the omnichannel API now. A staged key is included so that
    /// callers can switch before the promotion, and an old one until its expiry so that they can
    /// switch after it.
    pub fn opening_keys(&self, now: Timestamp) -> (&str, Option<&str>) {
        self.signing_keys(now)
    }
}

/// The second secret key of an app. No `Debug`: keys must not reach a log.
#[derive(Clone)]
pub struct OtherKey {
    pub key: String,
    /// Whether the key will replace the current one or was replaced by it.
    pub standing: KeyState,
}

impl OtherKey {
    /// Creates the key from its stored form. A staged key has no expiry.
    pub fn from_stored(key: String, until: Option<Timestamp>) -> Self {
        let standing = until.map_or(KeyState::Staged, |until| KeyState::Old { until });
        Self { key, standing }
    }
}

/// State of an app's second secret key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// The key that will replace the current one.
    Staged,
    /// The key that the current one replaced.
    Old {
        /// Time when the key expires.
        until: Timestamp,
    },
}

impl KeyState {
    /// Whether the key is valid at this time.
    pub fn counts_at(self, now: Timestamp) -> bool {
        match self {
            Self::Staged => true,
            Self::Old { until } => now < until,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_769_853_600_500_000);

    fn app(other_key: Option<OtherKey>) -> App {
        App {
            id: AppId(1),
            code: AppCode::parse("shop").expect("a code"),
            name: "Shop".to_owned(),
            sdk_secret: "sdk".to_owned(),
            secret_key: "current".to_owned(),
            other_key,
            system_user: UserKey(2),
            created_at: NOW,
            has_chat_message_webhook: false,
            shows_sender_extras: false,
        }
    }

    #[track_caller]
    fn check(other_key: Option<OtherKey>, now: Timestamp, other: Option<&str>) {
        let app = app(other_key);
        assert_eq!(app.signing_keys(now), ("current", other));
        assert_eq!(app.opening_keys(now), ("current", other));
    }

    #[test]
    fn a_single_key_signs_and_authenticates() {
        check(None, NOW, None);
    }

    #[test]
    fn a_staged_key_is_valid_next_to_the_current_one_without_expiry() {
        let staged = || Some(OtherKey::from_stored("new".to_owned(), None));
        check(staged(), NOW, Some("new"));
        check(staged(), NOW.days_later(4000), Some("new"));
    }

    #[test]
    fn an_old_key_is_valid_before_its_expiry_only() {
        let end = NOW.days_later(7);
        let old = || Some(OtherKey::from_stored("old".to_owned(), Some(end)));
        check(old(), NOW, Some("old"));
        check(old(), Timestamp(end.0 - 1), Some("old"));
        check(old(), end, None);
        check(old(), Timestamp(end.0 + 1), None);
    }

    #[test]
    fn without_an_overlap_the_old_key_expires_immediately() {
        let ended = OtherKey::from_stored("old".to_owned(), Some(NOW.days_later(0)));
        check(Some(ended), NOW, None);
    }
}
