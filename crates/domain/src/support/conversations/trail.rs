//! The history of a customer's room: assignments and the states of its conversations
//! (design/support). Every decision adds its own entries, from any source.

use crate::agents::agent::Person;
use crate::ids::{RoomId, TrailId};
use crate::messages::rating::Rating;
use crate::time::Timestamp;

/// An entry in the history of a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailEntry {
    /// Id. Newer entries have greater ones.
    pub id: TrailId,
    pub room: RoomId,
    pub what: TrailKind,
    /// Staff member who caused the entry; `None` for the customer, the app or the server.
    pub by: Option<Person>,
    /// Agent who joined or left.
    pub agent: Option<Person>,
    pub at: Timestamp,
}

/// The kind of a history entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrailKind {
    /// A message opened a session.
    Opened,
    /// An agent was assigned by another person, the app or the server.
    Assigned,
    /// An agent assigned themselves.
    Taken,
    /// An agent left.
    Left,
    /// An agent was removed by another person, the app or the server.
    Removed,
    /// An agent replaced the agents who were assigned before.
    Transferred,
    /// An agent or all agents were removed to return the customer to the queue.
    Returned,
    Resolved,
    Reopened,
    BotOn,
    BotOff,
    /// The customer rated the conversation.
    Rated(Rating),
}

impl TrailKind {
    /// All kinds that have no value; that is, all except `Rated`.
    pub const PLAIN: [Self; 11] = [
        Self::Opened,
        Self::Assigned,
        Self::Taken,
        Self::Left,
        Self::Removed,
        Self::Transferred,
        Self::Returned,
        Self::Resolved,
        Self::Reopened,
        Self::BotOn,
        Self::BotOff,
    ];

    /// Returns the name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Assigned => "assigned",
            Self::Taken => "taken",
            Self::Left => "left",
            Self::Removed => "removed",
            Self::Transferred => "transferred",
            Self::Returned => "returned",
            Self::Resolved => "resolved",
            Self::Reopened => "reopened",
            Self::BotOn => "bot_on",
            Self::BotOff => "bot_off",
            Self::Rated(_) => "rated",
        }
    }

    /// Returns the customer's rating, for the kind `Rated`.
    pub fn rating(self) -> Option<Rating> {
        if let Self::Rated(rating) = self { Some(rating) } else { None }
    }

    /// Returns the name for the database. A rating is appended to it.
    pub fn stored(self) -> String {
        let name = self.as_str();
        self.rating().map_or_else(|| name.to_owned(), |it| format!("{name}_{}", it.number()))
    }

    pub fn from_stored(text: &str) -> Option<Self> {
        if let Some(number) = text.strip_prefix("rated_") {
            return number.parse().ok().and_then(Rating::from_number).map(Self::Rated);
        }
        Self::PLAIN.into_iter().find(|it| it.as_str() == text)
    }

    /// Returns the kind for an assignment: `Taken` if agents assigned themselves, else `Assigned`.
    pub fn of_coming(agent: &Person, by: Option<&Person>) -> Self {
        if by.is_some_and(|by| by.id == agent.id) { Self::Taken } else { Self::Assigned }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_kinds_are_parsed_unchanged() {
        let rated = (1..=5).filter_map(Rating::from_number).map(TrailKind::Rated);
        for kind in TrailKind::PLAIN.into_iter().chain(rated) {
            assert_eq!(TrailKind::from_stored(&kind.stored()), Some(kind));
        }
        assert_eq!(TrailKind::Rated(Rating::GOOD).stored(), "rated_5");
        assert_eq!(TrailKind::from_stored("rated_6"), None);
        assert_eq!(TrailKind::from_stored("shouted"), None);
    }
}
