//! Users of an app, and references to them in requests (D-0065).

use std::borrow::Borrow;

use crate::field_problem::FieldProblem;
use crate::ids::{AgentId, AppId, ChannelId, ID_END, UserKey};
use crate::json_text::JsonText;
use crate::limits;
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// Name that an app gave its user.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UserId(String);

impl UserId {
    /// Parses a user id: letters, digits and `. - _ @` only (wire facts 3.1).
    pub fn parse(field: &str, text: &str) -> Result<Self, FieldProblem> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@');
        if text.is_empty() {
            return Err(FieldProblem::new(field, "must not be empty"));
        }
        if text.chars().count() > limits::USER_ID_CHARS_MAX {
            return Err(FieldProblem::new(field, "must have at most 255 characters"));
        }
        if !text.chars().all(is_plain) {
            return Err(FieldProblem::new(field, "may contain only letters, digits and . - _ @"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Wraps a user id from the store, which was parsed when it was received.
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the user id of the System user of an app.
    pub(crate) fn system(app_code: &str) -> Self {
        Self(format!("system@{app_code}"))
    }

    /// Whether the id is that of an app's System user.
    fn is_system(&self) -> bool {
        self.0.starts_with("system@")
    }

    /// Whether the id is reserved for users that post for agents. No customer may have such an id.
    pub fn is_reserved(&self) -> bool {
        self.0.ends_with("@dashboard")
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Removes the plus sign of a phone number. User ids cannot contain one, because they are part of
/// MQTT topics. Other texts are returned unchanged.
pub fn without_plus(text: &str) -> &str {
    let is_number = |rest: &&str| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_digit());
    text.strip_prefix('+').filter(is_number).unwrap_or(text)
}

/// The owner of a user id: the app or a channel. The same user id in two realms names two users
/// (D-0065).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Realm {
    /// The app itself. Its users are those registered by its server or by themselves, those that
    /// post for agents, and the System user.
    App,
    /// A channel. Its users are the customers who write through it.
    Channel(ChannelId),
}

impl Realm {
    /// Returns the number that represents the realm in the store: 0 for the app, else the channel's
    /// id, which is never 0.
    pub fn number(self) -> i64 {
        match self {
            Self::App => 0,
            Self::Channel(channel) => channel.0,
        }
    }

    /// Returns the realm that this number represents in the store.
    pub fn from_number(number: i64) -> Self {
        if number == 0 { Self::App } else { Self::Channel(ChannelId(number)) }
    }
}

/// Separates a channel's id from a customer's user id, which never contains it.
const CHANNEL_END: char = ':';

/// A reference to a user in a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum UserRef {
    /// A user id alone: in a room, the participant with this id; elsewhere, the app's own user.
    Named(UserId),
    /// A user id in a call with the app's own credentials. Resolves like [`UserRef::Named`], but if
    /// the app has no user of its own with this id, also to its only customer with this id
    /// (D-0203).
    Addressed(UserId),
    /// Exactly one user, by realm and user id, such as the authenticated caller.
    Of(Realm, UserId),
}

impl UserRef {
    /// Returns a reference to the app's own user with this id, in rooms too.
    pub fn own(user_id: UserId) -> Self {
        Self::Of(Realm::App, user_id)
    }

    /// Parses a user id, or `<channel id>:<user id>`, which names a channel's customer (D-0203).
    pub fn parse_addressed(field: &str, text: &str) -> Result<Self, FieldProblem> {
        let Some((channel, user_id)) = text.split_once(CHANNEL_END) else {
            return UserId::parse(field, text).map(Self::Addressed);
        };
        let is_integer = !channel.is_empty() && channel.bytes().all(|it| it.is_ascii_digit());
        match channel.parse::<i64>() {
            Ok(channel) if is_integer && (1..ID_END).contains(&channel) => {
                let realm = Realm::Channel(ChannelId(channel));
                Ok(Self::Of(realm, UserId::parse(field, user_id)?))
            }
            _ => Err(FieldProblem::new(field, "must have a channel's id before the colon")),
        }
    }

    pub fn user_id(&self) -> &UserId {
        match self {
            Self::Named(user_id) | Self::Addressed(user_id) | Self::Of(_, user_id) => user_id,
        }
    }

    /// Returns the realm in which the reference resolves, unless it resolves to a participant of a
    /// room.
    pub fn realm(&self) -> Realm {
        match self {
            Self::Named(_) | Self::Addressed(_) => Realm::App,
            Self::Of(realm, _) => *realm,
        }
    }

    /// Whether the reference names this user without a room. Ignores the customers whom
    /// [`UserRef::Addressed`] may mean.
    pub fn is(&self, user: &User) -> bool {
        *self.user_id() == user.user_id && self.realm() == user.realm
    }

    /// Returns those of `users` to whom the reference can resolve without a room, each of them
    /// once. There are several only if several customers have an addressed user id.
    fn candidates<'a, U: Borrow<User>>(&self, users: &'a [U]) -> Vec<&'a U> {
        if let Some(found) = users.iter().find(|user| self.is((*user).borrow())) {
            return vec![found];
        }
        let Self::Addressed(user_id) = self else { return Vec::new() };
        let mut found: Vec<&U> = Vec::new();
        for user in users.iter().filter(|user| (*user).borrow().user_id == *user_id) {
            if !found.iter().any(|other| (*other).borrow().realm == user.borrow().realm) {
                found.push(user);
            }
        }
        found
    }

    /// Returns the one of `users` to whom the reference resolves without a room, if there is
    /// exactly one.
    pub fn found_in<'a, U: Borrow<User>>(&self, users: &'a [U]) -> Option<&'a U> {
        match self.candidates(users)[..] {
            [found] => Some(found),
            _ => None,
        }
    }

    /// Like [`Self::found_in`], but returns a refusal if no user or several users match.
    pub fn resolved_in<'a, U: Borrow<User>>(&self, users: &'a [U]) -> Result<&'a U, Refusal> {
        let unknown = || Refusal::UsersNotFound(vec![self.address()]);
        let refusal = || self.ambiguity_in(users).unwrap_or_else(unknown);
        self.found_in(users).ok_or_else(refusal)
    }

    /// Returns a refusal if several customers have the user id.
    pub fn ambiguity_in<U: Borrow<User>>(&self, users: &[U]) -> Option<Refusal> {
        let candidates = self.candidates(users);
        (candidates.len() > 1).then(|| Refusal::UserAmbiguous {
            user: self.as_str().to_owned(),
            addresses: candidates.iter().map(|&it| it.borrow().itself().address()).collect(),
        })
    }

    /// Returns the text by which a call with the app's own credentials names exactly this user:
    /// `<channel id>:<user id>` for a customer, the user id for others.
    pub fn address(&self) -> String {
        match self {
            Self::Of(Realm::Channel(channel), user_id) => {
                format!("{channel}{CHANNEL_END}{}", user_id.as_str())
            }
            _ => self.as_str().to_owned(),
        }
    }

    pub fn as_str(&self) -> &str {
        self.user_id().as_str()
    }
}

impl From<UserId> for UserRef {
    fn from(user_id: UserId) -> Self {
        Self::Named(user_id)
    }
}

/// A user as stored. Token and password hash are missing, because no rule needs them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub key: UserKey,
    pub app: AppId,
    /// The owner of the user id: the app, or a channel.
    pub realm: Realm,
    /// Name that the app gave the user.
    pub user_id: UserId,
    /// Display name.
    pub username: String,
    /// URL of a picture; an empty string if there is none.
    pub avatar_url: String,
    /// Metadata that the app stores with the user.
    pub extras: Option<JsonText>,
    /// Whether the user may post. `false` after deactivation.
    pub is_active: bool,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time of the last change of the profile.
    pub updated_at: Timestamp,
}

impl User {
    /// Whether the user is the app's System user, which posts system events.
    pub fn is_system(&self) -> bool {
        self.realm == Realm::App && self.user_id.is_system()
    }

    /// Returns a reference to exactly this user.
    pub fn itself(&self) -> UserRef {
        UserRef::Of(self.realm, self.user_id.clone())
    }

    /// Returns the agent for whom this user posts, if it posts for one. The user and the agent have
    /// the same integer id.
    pub fn works_as(&self) -> Option<AgentId> {
        let is_speaker = self.realm == Realm::App && self.user_id.is_reserved();
        is_speaker.then_some(AgentId(self.key.0))
    }

    /// Resolves a user id in a request of this user: their own id means exactly themselves.
    pub fn means(&self, user_id: UserId) -> UserRef {
        if user_id == self.user_id { self.itself() } else { user_id.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;

    fn addressed(text: &str) -> UserRef {
        UserRef::parse_addressed("user_id", text).expect("valid")
    }

    fn user(name: &str, realm: Realm) -> User {
        let facts = example::facts();
        let user_id = UserId::from_stored(name.to_owned());
        User { realm, user_id, ..User::clone(&facts.users[0]) }
    }

    #[test]
    fn an_addressed_name_is_the_apps_own_user_or_else_its_only_customer() {
        let of = |channel| user("ana", Realm::Channel(ChannelId(channel)));
        let (own, three, five) = (user("ana", Realm::App), of(3), of(5));
        let ana = addressed("ana");
        assert_eq!(ana.resolved_in(std::slice::from_ref(&three)), Ok(&three));
        assert_eq!(
            ana.resolved_in(&[three.clone(), three.clone()]),
            Ok(&three),
            "a user listed twice counts once"
        );
        assert_eq!(ana.resolved_in(&[three.clone(), own.clone(), five.clone()]), Ok(&own));
        let both = [three.clone(), five.clone()];
        let ambiguous = Refusal::UserAmbiguous {
            user: "ana".to_owned(),
            addresses: vec!["3:ana".to_owned(), "5:ana".to_owned()],
        };
        assert_eq!(ana.resolved_in(&both), Err(ambiguous));
        assert_eq!(addressed("5:ana").resolved_in(&both), Ok(&five));
        let unknown = Refusal::UsersNotFound(vec!["7:ana".to_owned()]);
        assert_eq!(addressed("7:ana").resolved_in(&both), Err(unknown));
        let named = UserRef::from(UserId::from_stored("ana".to_owned()));
        assert_eq!(named.found_in(&[three]), None, "a name alone never means a customer");
    }

    #[test]
    fn a_customers_address_is_the_channels_id_a_colon_and_the_user_id() {
        assert_eq!(addressed("3:ana").address(), "3:ana");
        assert_eq!(addressed("ana").address(), "ana");
        for wrong in [":ana", "x:ana", "0:ana", "-3:ana", "+3:ana", "3:", "3:5:ana", "3 :ana"] {
            assert!(UserRef::parse_addressed("user_id", wrong).is_err(), "{wrong}");
        }
    }
}
