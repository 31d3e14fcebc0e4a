//! Rooms, and references to them in requests (design/message-api).

use crate::field_problem::FieldProblem;
use crate::ids::{AppId, ID_END, MessageId, RoomId, UserKey};
use crate::limits;
use crate::people::user::{Realm, User, UserRef};
use crate::time::Timestamp;

/// The kind of a room, which decides who may join.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RoomKind {
    /// A room of exactly two participants. Each pair of users has at most one.
    Single,
    /// A room to which the app or a participant adds users.
    Group,
    /// A room that every active user of the app may join.
    Public,
}

impl RoomKind {
    /// Returns the name of the kind in the public API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Group => "group",
            Self::Public => "channel",
        }
    }

    /// Parses the name of a kind in the public API.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Single, Self::Group, Self::Public].into_iter().find(|k| k.as_str() == text)
    }
}

/// A string that identifies a room in its app, chosen by a client or created by the server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomUniqueId(String);

impl RoomUniqueId {
    /// Parses a unique id. It may not contain control characters, nor `#`, `+` and `/`, which have
    /// a special meaning in realtime topics.
    pub fn parse(field: &str, text: &str) -> Result<Self, FieldProblem> {
        if text.is_empty() {
            return Err(FieldProblem::new(field, "must not be empty"));
        }
        if text.chars().count() > limits::ROOM_UNIQUE_ID_CHARS_MAX {
            return Err(FieldProblem::new(field, "must have at most 255 characters"));
        }
        if text.chars().any(|c| matches!(c, '#' | '+' | '/') || c.is_control()) {
            return Err(FieldProblem::new(field, "must not contain #, +, / or control characters"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Wraps an id from the store or created by the server, without checking it.
    pub fn from_trusted(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A reference to a room in a request. Resolved within the caller's app only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RoomRef {
    Id(RoomId),
    Unique(RoomUniqueId),
    /// A number that may be an integer id or a unique id. It means the room with this integer id if
    /// there is one, else the room with this unique id.
    Either(RoomId, RoomUniqueId),
}

impl RoomRef {
    /// Parses a room of the public API: an integer id or a unique id.
    pub fn parse(field: &str, text: &str) -> Result<Self, FieldProblem> {
        let unique = RoomUniqueId::parse(field, text)?;
        let is_digits = text.bytes().all(|b| b.is_ascii_digit());
        let id = text.parse::<i64>().ok().filter(|id| is_digits && (1..ID_END).contains(id));
        Ok(match id {
            Some(id) => Self::Either(RoomId(id), unique),
            None => Self::Unique(unique),
        })
    }

    /// Returns the text that the client sent, for error messages.
    pub fn shown(&self) -> String {
        match self {
            Self::Id(id) => id.to_string(),
            Self::Unique(unique) | Self::Either(_, unique) => unique.as_str().to_owned(),
        }
    }
}

/// A room as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    pub id: RoomId,
    pub app: AppId,
    /// String that names the room in its app.
    pub unique_id: RoomUniqueId,
    pub kind: RoomKind,
    /// Display name; empty for single rooms.
    pub name: String,
    /// URL of a picture; an empty string if there is none.
    pub avatar_url: String,
    /// Text that the app stores with the room, usually JSON.
    pub options: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The customer whom the room serves, if it is a customer's room.
    pub customer: Option<UserKey>,
    /// Counter that rises whenever a user joins or leaves.
    pub audience: i64,
}

impl Room {
    /// Creates a room with these ids and this kind, without a name, a picture, options and a
    /// customer.
    pub fn new(
        id: RoomId,
        app: AppId,
        unique_id: RoomUniqueId,
        kind: RoomKind,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            app,
            unique_id,
            kind,
            name: String::new(),
            avatar_url: String::new(),
            options: String::new(),
            created_at: now,
            updated_at: now,
            customer: None,
            audience: 0,
        }
    }

    /// Returns the rank of a user among participants with equal user ids. The user id alone means
    /// the participant with the highest rank.
    pub fn rank_of(&self, user: &User) -> impl Ord + use<> {
        (self.customer == Some(user.key), user.realm == Realm::App, user.key)
    }
}

/// The newest message of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastMessage {
    pub id: MessageId,
    /// Number of the message, which is also the number of messages the room has ever had.
    pub number: u64,
}

/// The two users of a single room, in an order that does not depend on the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    first: UserRef,
    second: UserRef,
}

impl Pair {
    /// Creates a pair of two users. Fails if their user ids are equal.
    pub fn new(a: impl Into<UserRef>, b: impl Into<UserRef>) -> Result<Self, FieldProblem> {
        let (a, b) = (a.into(), b.into());
        if a.user_id() == b.user_id() {
            return Err(FieldProblem::new("user_ids", "must name two different users"));
        }
        let (first, second) = if a.user_id() < b.user_id() { (a, b) } else { (b, a) };
        Ok(Self { first, second })
    }

    /// Returns the text from which the unique id of the pair's room is derived: the two user ids,
    /// and their realms unless both users are the app's own. Lines separate them, because user ids
    /// contain no line break.
    pub fn seed(&self) -> String {
        let [first, second] = [&self.first, &self.second];
        let names = format!("{}\n{}", first.as_str(), second.as_str());
        match (first.realm(), second.realm()) {
            (Realm::App, Realm::App) => names,
            (one, other) => format!("{names}\n{}\n{}", one.number(), other.number()),
        }
    }

    pub fn users(&self) -> [&UserRef; 2] {
        [&self.first, &self.second]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ChannelId;
    use crate::people::user::UserId;

    #[test]
    fn digits_are_parsed_as_id_or_unique_id_and_other_texts_as_unique_id() {
        let unique = |text: &str| RoomUniqueId::from_trusted(text.to_owned());
        assert_eq!(RoomRef::parse("room_id", "55"), Ok(RoomRef::Either(RoomId(55), unique("55"))));
        for text in ["+55", "-5", "0x5", "9007199254740992", "0", "room-1", "5 5"] {
            let parsed = RoomRef::parse("room_id", text);
            if text.starts_with('+') {
                assert!(parsed.is_err(), "{text}");
            } else {
                assert_eq!(parsed, Ok(RoomRef::Unique(unique(text))), "{text}");
            }
        }
    }

    #[test]
    fn the_order_of_a_pair_does_not_matter() {
        let user = |id: &str| UserId::parse("user_id", id).expect("valid");
        assert_eq!(Pair::new(user("a"), user("b")), Pair::new(user("b"), user("a")));
        assert!(Pair::new(user("a"), user("a")).is_err());
    }

    #[test]
    fn pairs_with_equal_names_in_different_realms_have_different_seeds() {
        let user = |id: &str| UserId::parse("user_id", id).expect("valid");
        let of = |realm| UserRef::Of(realm, user("a"));
        let seed = |a: UserRef| Pair::new(a, user("b")).expect("two different users").seed();
        assert_eq!(seed(user("a").into()), seed(of(Realm::App)));
        let customer = seed(of(Realm::Channel(ChannelId(5))));
        assert_ne!(customer, seed(of(Realm::App)));
        assert_ne!(customer, seed(of(Realm::Channel(ChannelId(6)))));
    }
}
