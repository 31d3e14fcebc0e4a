//! A customer's rating of a conversation, and the request for it (design/support).

use crate::ids::SessionId;

/// A customer's grade, from 1 (bad) to 5 (good).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rating(u8);

impl Rating {
    pub const BAD: Self = Self(1);
    pub const OKAY: Self = Self(3);
    pub const GOOD: Self = Self(5);

    /// Returns the rating with this number; `None` unless it is from 1 to 5.
    pub fn from_number(number: i64) -> Option<Self> {
        u8::try_from(number).ok().filter(|number| (1..=5).contains(number)).map(Self)
    }

    pub fn number(self) -> i64 {
        i64::from(self.0)
    }
}

/// The press of a button below a rating question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatingPress {
    /// The session that is rated.
    pub session: SessionId,
    pub rating: Rating,
}

/// A rating question for a customer, with its possible answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingQuestion {
    /// The session to be rated.
    pub session: SessionId,
    pub text: String,
    /// The grades with their button labels, the best one first.
    pub answers: [(Rating, String); 3],
}
