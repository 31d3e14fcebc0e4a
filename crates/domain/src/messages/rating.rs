//! What a customer thinks of a conversation, and the question that asks for it (D-0136).

use crate::ids::SessionId;

/// From 1, which is bad, to 5, which is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rating(u8);

impl Rating {
    pub const BAD: Self = Self(1);
    pub const OKAY: Self = Self(3);
    pub const GOOD: Self = Self(5);

    /// Nothing if the number is none of the five.
    pub fn from_number(number: i64) -> Option<Self> {
        u8::try_from(number).ok().filter(|number| (1..=5).contains(number)).map(Self)
    }

    pub fn number(self) -> i64 {
        i64::from(self.0)
    }
}

/// The press of one of the buttons of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatingPress {
    /// The conversation that was asked about.
    pub session: SessionId,
    pub rating: Rating,
}

/// What a customer is asked, with the words that answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingQuestion {
    /// The conversation that it is about.
    pub session: SessionId,
    pub text: String,
    /// The best one first.
    pub answers: [(Rating, String); 3],
}
