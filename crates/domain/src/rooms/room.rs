//! Rooms, and the ways a caller may name one (D-0018).

use crate::field_problem::FieldProblem;
use crate::ids::{AppId, ID_END, MessageId, RoomId, UserKey};
use crate::limits;
use crate::people::user::{Realm, User, UserRef};
use crate::time::Timestamp;

/// How a room takes people in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RoomKind {
    /// Exactly two participants, one room per pair.
    Single,
    /// Invited participants.
    Group,
    /// Open to every active user of the app.
    Public,
}

impl RoomKind {
    /// The public name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Group => "group",
            Self::Public => "channel",
        }
    }

    /// Reads the public name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Single, Self::Group, Self::Public].into_iter().find(|k| k.as_str() == text)
    }
}

/// The string that names a room in its app.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomUniqueId(String);

impl RoomUniqueId {
    /// Any text without `#`, `+` and `/`, which would break realtime topics, and without controls.
    pub fn parse(field: &str, text: &str) -> Result<Self, FieldProblem> {
        if text.is_empty() {
            return Err(FieldProblem::new(field, "must not be empty"));
        }
        if text.chars().count() > limits::ROOM_UNIQUE_ID_CHARS_MAX {
            return Err(FieldProblem::new(field, "must have at most 255 characters"));
        }
        if text.chars().any(|c| matches!(c, '#' | '+' | '/') || c.is_control()) {
            return Err(FieldProblem::new(field, "must not hold #, +, / or control characters"));
        }
        Ok(Self(text.to_owned()))
    }

    /// Takes an id that the store holds or that the server made.
    pub fn from_trusted(text: String) -> Self {
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A room as a caller names it. Always looked up within the caller's app.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RoomRef {
    /// By integer.
    Id(RoomId),
    /// By unique id.
    Unique(RoomUniqueId),
    /// A text of digits: the integer if there is such a room, else the unique id.
    Either(RoomId, RoomUniqueId),
}

impl RoomRef {
    /// Reads a room as the public API writes it: an integer or a unique id.
    pub fn parse(field: &str, text: &str) -> Result<Self, FieldProblem> {
        let unique = RoomUniqueId::parse(field, text)?;
        let is_digits = text.bytes().all(|b| b.is_ascii_digit());
        let id = text.parse::<i64>().ok().filter(|id| is_digits && (1..ID_END).contains(id));
        Ok(match id {
            Some(id) => Self::Either(RoomId(id), unique),
            None => Self::Unique(unique),
        })
    }

    /// As the caller wrote it, for error texts.
    pub fn shown(&self) -> String {
        match self {
            Self::Id(id) => id.to_string(),
            Self::Unique(unique) | Self::Either(_, unique) => unique.as_str().to_owned(),
        }
    }
}

/// A room as the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    pub id: RoomId,
    pub app: AppId,
    /// The string that names it in the app.
    pub unique_id: RoomUniqueId,
    /// How it takes people in.
    pub kind: RoomKind,
    /// The name for people; empty for single rooms.
    pub name: String,
    /// A picture, or an empty text.
    pub avatar_url: String,
    /// Free text of the app, usually JSON.
    pub options: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Whom it serves, if it is a customer's room.
    pub customer: Option<UserKey>,
    /// Rises with everybody who comes or goes.
    pub audience: i64,
}

impl Room {
    /// One that was just opened, with nothing but what names it.
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

    /// Who of several of one name in the room is meant by it: the greatest.
    pub fn rank_of(&self, user: &User) -> impl Ord + use<> {
        (self.customer == Some(user.key), user.realm == Realm::App, user.key)
    }
}

/// The newest message of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastMessage {
    pub id: MessageId,
    /// Its number: how many messages the room has ever had.
    pub number: u64,
}

/// The two people of a single room, in one order whoever asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    first: UserRef,
    second: UserRef,
}

impl Pair {
    /// Two users of different names.
    pub fn new(a: impl Into<UserRef>, b: impl Into<UserRef>) -> Result<Self, FieldProblem> {
        let (a, b) = (a.into(), b.into());
        if a.user_id() == b.user_id() {
            return Err(FieldProblem::new("user_ids", "must name two different users"));
        }
        let (first, second) = if a.user_id() < b.user_id() { (a, b) } else { (b, a) };
        Ok(Self { first, second })
    }

    /// What the pair's room unique id is derived from: the names, and whose users they are unless
    /// both are the app's own. User ids hold no line break.
    pub fn seed(&self) -> String {
        let [first, second] = [&self.first, &self.second];
        let names = format!("{}\n{}", first.as_str(), second.as_str());
        match (first.realm(), second.realm()) {
            (Realm::App, Realm::App) => names,
            (one, other) => format!("{names}\n{}\n{}", one.number(), other.number()),
        }
    }

    /// Both users.
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
    fn digits_are_read_as_integer_or_unique_id_and_the_rest_as_unique_id() {
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
    fn a_pair_is_the_same_whoever_is_named_first() {
        let user = |id: &str| UserId::parse("user_id", id).expect("valid");
        assert_eq!(Pair::new(user("a"), user("b")), Pair::new(user("b"), user("a")));
        assert!(Pair::new(user("a"), user("a")).is_err());
    }

    #[test]
    fn the_room_of_a_channels_customer_is_not_that_of_who_has_the_same_name() {
        let user = |id: &str| UserId::parse("user_id", id).expect("valid");
        let of = |realm| UserRef::Of(realm, user("a"));
        let seed = |a: UserRef| Pair::new(a, user("b")).expect("two").seed();
        assert_eq!(seed(user("a").into()), seed(of(Realm::App)));
        let customer = seed(of(Realm::Channel(ChannelId(5))));
        assert_ne!(customer, seed(of(Realm::App)));
        assert_ne!(customer, seed(of(Realm::Channel(ChannelId(6)))));
    }
}
