//! Users of an app: those who can be in a room, and whose they are (D-0065).

use std::borrow::Borrow;

use crate::field_problem::FieldProblem;
use crate::ids::{AgentId, AppId, ChannelId, ID_END, UserKey};
use crate::json_text::JsonText;
use crate::limits;
use crate::refusal::Refusal;
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

/// Separates a channel's id from a customer's user id, which never contains it.
const CHANNEL_END: char = ':';

/// A user as a request names one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum UserRef {
    /// By name alone: in a room whoever is there by that name, elsewhere the app's own user.
    Named(UserId),
    /// By name, in a call with the app's own credentials: like [`UserRef::Named`], and where the
    /// app has no user of its own by that name, its only customer of that name (D-0203).
    Addressed(UserId),
    /// Exactly this one, as who proved to be it is meant.
    Of(Realm, UserId),
}

impl UserRef {
    /// The app's own user of this name, also in a room.
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

    /// The name.
    pub fn user_id(&self) -> &UserId {
        match self {
            Self::Named(user_id) | Self::Addressed(user_id) | Self::Of(_, user_id) => user_id,
        }
    }

    /// Where the user is looked for who is in none of the rooms asked about.
    pub fn realm(&self) -> Realm {
        match self {
            Self::Named(_) | Self::Addressed(_) => Realm::App,
            Self::Of(realm, _) => *realm,
        }
    }

    /// Whether it leads to this user, outside of rooms.
    pub fn is(&self, user: &User) -> bool {
        *self.user_id() == user.user_id && self.realm() == user.realm
    }

    /// The users among `users`, which may list one twice, that this reference can resolve to
    /// outside of rooms: at most one, except that several customers may have an addressed name.
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

    /// The user among `users` that this reference resolves to outside of rooms, if there is exactly
    /// one.
    pub fn found_in<'a, U: Borrow<User>>(&self, users: &'a [U]) -> Option<&'a U> {
        match self.candidates(users)[..] {
            [found] => Some(found),
            _ => None,
        }
    }

    /// The same, or a refusal that says whether no user or several users have the name.
    pub fn resolved_in<'a, U: Borrow<User>>(&self, users: &'a [U]) -> Result<&'a U, Refusal> {
        let unknown = || Refusal::UsersNotFound(vec![self.address()]);
        let refusal = || self.ambiguity_in(users).unwrap_or_else(unknown);
        self.found_in(users).ok_or_else(refusal)
    }

    /// The refusal of a name that several customers have.
    pub fn ambiguity_in<U: Borrow<User>>(&self, users: &[U]) -> Option<Refusal> {
        let candidates = self.candidates(users);
        (candidates.len() > 1).then(|| Refusal::UserAmbiguous {
            user: self.as_str().to_owned(),
            addresses: candidates.iter().map(|&it| it.borrow().itself().address()).collect(),
        })
    }

    /// How a caller with the app's own credentials names exactly this user: a customer with the
    /// channel's id, everybody else by the user id.
    pub fn address(&self) -> String {
        match self {
            Self::Of(Realm::Channel(channel), user_id) => {
                format!("{channel}{CHANNEL_END}{}", user_id.as_str())
            }
            _ => self.as_str().to_owned(),
        }
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
        assert_eq!(ana.resolved_in(&[three.clone(), three.clone()]), Ok(&three), "listed twice");
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
