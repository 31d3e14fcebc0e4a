//! An app: one customer of this server, with its own users, rooms and keys.

use crate::field_problem::FieldProblem;
use crate::ids::{AgentId, AppId, UserKey};
use crate::people::user::UserId;
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// The public name of an app: its app id in headers, its app code in the omnichannel API.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AppCode(String);

impl AppCode {
    const CHARS_MAX: usize = 64;

    /// What no new app is called.
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

    /// The same for an app that is to be made: some names stand for other things where apps are
    /// named, as in `/{app_code}/bot` (D-0130).
    pub fn parse_new(text: &str) -> Result<Self, Refusal> {
        let code = Self::parse(text)?;
        if Self::RESERVED.iter().any(|word| word.eq_ignore_ascii_case(text)) {
            let problem = format!("must be something else: {text} stands for a part of the server");
            return Err(FieldProblem::new("app_id", problem).into());
        }
        Ok(code)
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
    /// Beside it while the secret key is being changed (D-0029).
    pub other_key: Option<OtherKey>,
    /// The app's System user.
    pub system_user: UserKey,
    /// When it was created.
    pub created_at: Timestamp,
    /// A receiver is told of every message of every room (D-0105).
    pub has_chat_message_webhook: bool,
    /// Whether loaded messages include the `extras` of their senders (D-0204).
    pub shows_sender_extras: bool,
}

impl App {
    /// The user id of the app's System user (wire facts 3.6).
    pub fn system_user_id(code: &AppCode) -> UserId {
        UserId::system(code.as_str())
    }

    /// The user id of the user that speaks for an agent; both have the same integer.
    pub fn speaker_id(code: &AppCode, user: AgentId) -> UserId {
        UserId::from_stored(format!("{}_{user}@dashboard", code.as_str()))
    }

    /// The keys that sign webhooks now: the current one signs the header of spec 5 and, together
    /// with the other one, `webhook-signature`.
    pub fn signing_keys(&self, now: Timestamp) -> (&str, Option<&str>) {
        let other = self.other_key.as_ref().filter(|other| other.standing.counts_at(now));
        (&self.secret_key, other.map(|other| other.key.as_str()))
    }

    /// The keys that open the omnichannel API now. A staged one does, so that callers can change
    /// before the promotion; an old one does until its end, so that they can change after it.
    pub fn opening_keys(&self, now: Timestamp) -> (&str, Option<&str>) {
        self.signing_keys(now)
    }
}

/// A second secret key of an app. No `Debug`.
#[derive(Clone)]
pub struct OtherKey {
    pub key: String,
    /// What it is to the current one.
    pub standing: KeyState,
}

impl OtherKey {
    /// From where it is kept: a staged key has no end.
    pub fn from_stored(key: String, until: Option<Timestamp>) -> Self {
        let standing = until.map_or(KeyState::Staged, |until| KeyState::Old { until });
        Self { key, standing }
    }
}

/// What a second key is to the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It will be the current one.
    Staged,
    /// It was the current one.
    Old {
        /// From this moment on it counts no more.
        until: Timestamp,
    },
}

impl KeyState {
    /// Whether the key is good for anything at this moment.
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
    fn one_key_signs_and_opens_alone() {
        check(None, NOW, None);
    }

    #[test]
    fn a_staged_key_counts_beside_the_current_one_without_end() {
        let staged = || Some(OtherKey::from_stored("new".to_owned(), None));
        check(staged(), NOW, Some("new"));
        check(staged(), NOW.days_later(4000), Some("new"));
    }

    #[test]
    fn an_old_key_counts_until_its_end_and_not_at_it() {
        let end = NOW.days_later(7);
        let old = || Some(OtherKey::from_stored("old".to_owned(), Some(end)));
        check(old(), NOW, Some("old"));
        check(old(), Timestamp(end.0 - 1), Some("old"));
        check(old(), end, None);
        check(old(), Timestamp(end.0 + 1), None);
    }

    #[test]
    fn without_an_overlap_the_old_key_counts_no_more_at_once() {
        let ended = OtherKey::from_stored("old".to_owned(), Some(NOW.days_later(0)));
        check(Some(ended), NOW, None);
    }
}
