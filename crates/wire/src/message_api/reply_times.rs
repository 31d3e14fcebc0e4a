//! `GET /get_average_reply_time_user` (wire facts 3.1).

use confab_domain::people::user::UserRef;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{self, field};
use crate::request::request;
use crate::time::to_the_second;

request! {
    /// Query of `GET /get_average_reply_time_user`.
    pub struct ReplyTimeFields {
        /// Id of the user whose reply times are computed.
        user_id: fields::AddressedUser, required, example = "ana";
        /// Start of the period: RFC 3339, a date with or without a time in UTC, or Unix time in
        /// seconds.
        start_time: Moment, optional, example = "2026-01-31T10:00:00Z";
        /// End of the period, in the formats of `start_time`.
        end_time: Moment, optional;
    }
}

field! {
    /// A time in one of several formats; an empty string counts as absent.
    pub(super) Moment -> Timestamp;
    |reading, field, given| {
        let text = reading.key(field, given).filter(|text| !text.is_empty())?;
        let problem = "must be a time, such as 2026-01-31T10:00:00Z";
        parsed(text.trim()).or_else(|| reading.wrong(field, problem))
    }
}

fn parsed(text: &str) -> Option<Timestamp> {
    if let Ok(seconds) = text.parse::<i64>() {
        return seconds.checked_mul(1_000_000).map(Timestamp);
    }
    let time = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let plain = text.parse::<jiff::civil::DateTime>().ok()?;
        jiff::tz::TimeZone::UTC.to_timestamp(plain).ok()
    });
    time.map(|time| Timestamp(time.as_microsecond()))
}

/// A request for a user's reply times within a period.
#[derive(Debug)]
pub struct ReplyTimes {
    pub user: UserRef,
    /// Start of the period; `None` if the period has no start.
    pub since: Option<Timestamp>,
    /// End of the period; `None` if the period has no end.
    pub until: Option<Timestamp>,
}

impl ReplyTimes {
    /// Parses the query.
    pub fn read(query: &Body<'_>) -> Result<Self, Refusal> {
        let ReplyTimeFields { user_id: user, start_time: since, end_time: until } =
            query.read_spelled()?;
        Ok(Self { user, since, until })
    }
}

/// The `results` object of `get_average_reply_time_user`.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReplyTimeBox {
    data: ReplyTime,
    /// Start of the requested period; empty if the request has none.
    start_time: String,
    /// End of the requested period; empty if the request has none.
    end_time: String,
}

/// The reply times of a user.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReplyTime {
    user_id: String,
    duration: ReplyDuration,
}

/// Times in seconds between other users' messages and the user's replies to them.
#[derive(Debug, Serialize, ToSchema)]
pub struct ReplyDuration {
    /// Average in whole seconds; 0 without replies.
    pub average: i64,
    /// Maximum in whole seconds; 0 without replies.
    pub longest: i64,
    /// Minimum in whole seconds; 0 without replies.
    pub shortest: i64,
}

/// Returns the response to `get_average_reply_time_user`.
pub fn reply_time(asked: &ReplyTimes, duration: ReplyDuration) -> ReplyTimeBox {
    let shown = |time: Option<Timestamp>| time.map(to_the_second).unwrap_or_default();
    ReplyTimeBox {
        data: ReplyTime { user_id: asked.user.address(), duration },
        start_time: shown(asked.since),
        end_time: shown(asked.until),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_accepted_in_several_formats() {
        let ten = Some(Timestamp(1_769_853_600_000_000));
        for text in [
            "2026-01-31T10:00:00Z",
            "2026-01-31T17:00:00+07:00",
            "2026-01-31 10:00:00",
            "1769853600",
        ] {
            assert_eq!(parsed(text), ten, "{text}");
        }
        assert_eq!(parsed("2026-01-31"), Some(Timestamp(1_769_817_600_000_000)));
        for wrong in ["yesterday", "2026-13-01", "10:00", "9223372036854775807"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
