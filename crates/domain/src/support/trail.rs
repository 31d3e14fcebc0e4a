//! The trail of a customer's room: who came and went, and what became of its conversations
//! (D-0116). Each decision adds to it what it decides, through whichever door.

use crate::agents::agent::Person;
use crate::ids::{RoomId, TrailId};
use crate::messages::rating::Rating;
use crate::time::Timestamp;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailEntry {
    /// Newer ones have greater ones.
    pub id: TrailId,
    pub room: RoomId,
    pub what: TrailKind,
    /// By whose decision; nobody's if the customer, the app or the server decided.
    pub by: Option<Person>,
    /// Who came or left.
    pub agent: Option<Person>,
    pub at: Timestamp,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrailKind {
    /// A customer's message opened a conversation.
    Opened,
    /// Somebody had an agent come.
    Assigned,
    /// An agent came by themselves.
    Taken,
    /// An agent left by themselves.
    Left,
    /// Somebody took an agent out.
    Removed,
    /// An agent came in the place of others.
    Transferred,
    /// Those who served left, and the customer waits for anybody.
    Returned,
    Resolved,
    Reopened,
    BotOn,
    BotOff,
    /// The customer said how it was (D-0136).
    Rated(Rating),
}

impl TrailKind {
    /// All but those that carry something.
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

    /// Its public name.
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

    /// What the customer said.
    pub fn rating(self) -> Option<Rating> {
        if let Self::Rated(rating) = self { Some(rating) } else { None }
    }

    /// What it is stored by: its name, with what it carries behind it.
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

    /// How an agent comes by somebody's decision, who may be the agent.
    pub fn of_coming(agent: &Person, by: Option<&Person>) -> Self {
        if by.is_some_and(|by| by.id == agent.id) { Self::Taken } else { Self::Assigned }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_read_as_it_is_stored() {
        let rated = (1..=5).filter_map(Rating::from_number).map(TrailKind::Rated);
        for kind in TrailKind::PLAIN.into_iter().chain(rated) {
            assert_eq!(TrailKind::from_stored(&kind.stored()), Some(kind));
        }
        assert_eq!(TrailKind::Rated(Rating::GOOD).stored(), "rated_5");
        assert_eq!(TrailKind::from_stored("rated_6"), None);
        assert_eq!(TrailKind::from_stored("shouted"), None);
    }
}
