//! Users of an app: those who can be in a room, and whose they are (D-0065).

use crate::field_problem::FieldProblem;
use crate::ids::{AgentId, AppId, ChannelId, UserKey};
use crate::json_text::JsonText;
use crate::limits;
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

    /// Whether it is that of an app's System user.
    fn is_system(&self) -> bool {
        self.0.starts_with("system@")
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

/// A phone number without its plus, which no user id may hold (MQTT topics name users); anything
/// else as it is.
pub fn without_plus(text: &str) -> &str {
    let is_number = |rest: &&str| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_digit());
    text.strip_prefix('+').filter(is_number).unwrap_or(text)
}

/// Whose user it is. Within a realm a name is one person; the same name in another realm is
/// somebody else (D-0065).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Realm {
    /// The app's own: whom its server registers, whoever registers by themselves, those who work
    /// in the app, and its System user.
    App,
    /// Customers of this channel, who come through it and no other way.
    Channel(ChannelId),
}

impl Realm {
    /// As the store keeps it: no channel has the integer 0.
    pub fn number(self) -> i64 {
        match self {
            Self::App => 0,
            Self::Channel(channel) => channel.0,
        }
    }

    /// Takes a number that the store holds.
    pub fn from_number(number: i64) -> Self {
        if number == 0 { Self::App } else { Self::Channel(ChannelId(number)) }
    }
}

/// A user as a request names one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum UserRef {
    /// By name alone: in a room whoever is there by that name, elsewhere the app's own user.
    Named(UserId),
    /// Exactly this one, as who proved to be it is meant.
    Of(Realm, UserId),
}

impl UserRef {
    /// The app's own user of this name, also in a room.
    pub fn own(user_id: UserId) -> Self {
        Self::Of(Realm::App, user_id)
    }

    /// The name.
    pub fn user_id(&self) -> &UserId {
        match self {
            Self::Named(user_id) | Self::Of(_, user_id) => user_id,
        }
    }

    /// Where the user is looked for who is in none of the rooms asked about.
    pub fn realm(&self) -> Realm {
        match self {
            Self::Named(_) => Realm::App,
            Self::Of(realm, _) => *realm,
        }
    }

    /// Whether it leads to this user, outside of rooms.
    pub fn is(&self, user: &User) -> bool {
        *self.user_id() == user.user_id && self.realm() == user.realm
    }

    /// The text of the name.
    pub fn as_str(&self) -> &str {
        self.user_id().as_str()
    }
}

impl From<UserId> for UserRef {
    fn from(user_id: UserId) -> Self {
        Self::Named(user_id)
    }
}

/// A user as the store keeps it. Token and password hash are not here: no rule needs them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The integer this server gave.
    pub key: UserKey,
    /// The app the user belongs to.
    pub app: AppId,
    /// Whose user it is within the app.
    pub realm: Realm,
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

impl User {
    /// Whether it is the app's System user, who says what happened.
    pub fn is_system(&self) -> bool {
        self.realm == Realm::App && self.user_id.is_system()
    }

    /// How a request of this user itself names it.
    pub fn itself(&self) -> UserRef {
        UserRef::Of(self.realm, self.user_id.clone())
    }

    /// The one whom this user speaks for, if it is somebody who works in the app: both have the
    /// same integer.
    pub fn works_as(&self) -> Option<AgentId> {
        let is_speaker = self.realm == Realm::App && self.user_id.is_reserved();
        is_speaker.then_some(AgentId(self.key.0))
    }

    /// Whom this user means by a name: themselves by their own.
    pub fn means(&self, user_id: UserId) -> UserRef {
        if user_id == self.user_id { self.itself() } else { user_id.into() }
    }
}
