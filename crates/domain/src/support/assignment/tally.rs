//! Tallies: support statistics, counted per quarter of an hour (D-0140).
//!
//! Every tally is a function of a stored session or message. A decision writes the difference that
//! it makes, so that a recount from the stored sessions and messages gives the same numbers.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::ids::{AgentId, ChannelId};
use crate::messages::message::PostedMessage;
use crate::messages::rating::Rating;
use crate::time::Timestamp;
use crate::webhooks::event::Session;

/// A quarter of an hour in microseconds. The offsets of all time zones are multiples of it.
pub const QUARTER_US: i64 = 15 * 60 * 1_000_000;

/// Maximum lower bound of a bucket, in seconds. The last bucket counts all longer durations.
const LONGEST_S: i64 = 400 * 86_400;

/// Lower bounds in seconds of all buckets except the first, which counts durations of 0 seconds. A
/// bucket is 1 second wide or at most a tenth of its lower bound, so that its middle differs by at
/// most 5 % from each duration in it.
static BOUNDS: LazyLock<Vec<i64>> = LazyLock::new(|| {
    let next = |bound: &i64| Some(bound + (bound / 10).max(1)).filter(|it| *it <= LONGEST_S);
    std::iter::successors(Some(1), next).collect()
});

/// A kind of counted event, with its rating or the bucket of its duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Sessions that were opened.
    Opened,
    /// Messages from customers.
    MessageIn,
    /// Messages from staff.
    MessageOut,
    /// Ratings of this value.
    Rated(Rating),
    /// First replies to customers. The value is the bucket of the time until the reply.
    FirstReply(u16),
    /// Resolved sessions. The value is the bucket of the time until the resolution.
    Resolved(u16),
}

impl Measure {
    /// First number of the range in which ratings are stored.
    pub const RATED: i64 = 10;
    /// First number of the range in which first replies are stored.
    pub const FIRST_REPLY: i64 = 1_000;
    /// First number of the range in which resolutions are stored.
    pub const RESOLVED: i64 = 2_000;

    /// Returns the number by which the database identifies the measure.
    pub fn number(self) -> i64 {
        match self {
            Self::Opened => 0,
            Self::MessageIn => 1,
            Self::MessageOut => 2,
            Self::Rated(rating) => Self::RATED + rating.number(),
            Self::FirstReply(bucket) => Self::FIRST_REPLY + i64::from(bucket),
            Self::Resolved(bucket) => Self::RESOLVED + i64::from(bucket),
        }
    }

    /// Returns the measure that the database identifies by this number.
    pub fn from_number(number: i64) -> Option<Self> {
        let bucket = |first: i64| u16::try_from(number - first).unwrap_or_default();
        match number {
            0 => Some(Self::Opened),
            1 => Some(Self::MessageIn),
            2 => Some(Self::MessageOut),
            Self::RATED..Self::FIRST_REPLY => {
                Rating::from_number(number - Self::RATED).map(Self::Rated)
            }
            Self::FIRST_REPLY..Self::RESOLVED => Some(Self::FirstReply(bucket(Self::FIRST_REPLY))),
            Self::RESOLVED..3_000 => Some(Self::Resolved(bucket(Self::RESOLVED))),
            _ => None,
        }
    }
}

/// A change of a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub key: TallyKey,
    pub count: i64,
}

/// The dimensions by which events are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TallyKey {
    /// Number of the quarter of an hour, counted from 1970.
    pub quarter: i64,
    pub channel: ChannelId,
    /// Agent, admin or supervisor; `None` where no staff member is involved.
    pub agent: Option<AgentId>,
    pub measure: Measure,
}

/// The changes of counts that one decision causes.
#[derive(Debug, Default)]
pub struct Tallies(BTreeMap<TallyKey, i64>);

impl Tallies {
    /// Counts a message in a customer's room, if the customer or a staff member sent it.
    pub fn add_message(&mut self, channel: ChannelId, posted: &PostedMessage, is_customers: bool) {
        let agent = posted.sender.works_as();
        let measure = match agent {
            None if is_customers => Measure::MessageIn,
            None => return,
            Some(_) => Measure::MessageOut,
        };
        let quarter = quarter(posted.message.posted_at);
        self.add(TallyKey { quarter, channel, agent, measure }, 1);
    }

    /// Counts the difference between two states of a session. A new session counts as a whole.
    pub fn add_session(
        &mut self,
        channel: ChannelId,
        before: Option<&Session>,
        now: Option<&Session>,
    ) {
        let Some(now) = now else { return };
        for key in keys_of(channel, now) {
            self.add(key, 1);
        }
        let Some(before) = before.filter(|it| it.id == now.id) else { return };
        for key in keys_of(channel, before) {
            self.add(key, -1);
        }
    }

    fn add(&mut self, key: TallyKey, count: i64) {
        *self.0.entry(key).or_default() += count;
    }

    /// Returns the changes that are not zero.
    pub fn into_changed(self) -> impl Iterator<Item = Tally> {
        let tallies = self.0.into_iter().map(|(key, count)| Tally { key, count });
        tallies.filter(|tally| tally.count != 0)
    }
}

/// Returns the keys under which a session counts in its current state. A reopened session does not
/// count as resolved.
fn keys_of(channel: ChannelId, session: &Session) -> Vec<TallyKey> {
    let key = |at, agent, measure| TallyKey { quarter: quarter(at), channel, agent, measure };
    let took = |at: Timestamp| bucket((at.0 - session.first_message_at.0).div_euclid(1_000_000));
    let mut keys = vec![key(session.created_at, None, Measure::Opened)];
    if let Some(at) = session.first_reply_at {
        keys.push(key(at, session.first_reply_by, Measure::FirstReply(took(at))));
    }
    if let Some(at) = session.resolved_at {
        keys.push(key(at, session.resolved_by, Measure::Resolved(took(at))));
    }
    if let (Some(rating), Some(at)) = (session.rating, session.rated_at) {
        keys.push(key(at, session.rated_agent(), Measure::Rated(rating)));
    }
    keys
}

/// Returns the number of the quarter of an hour that contains a time, counted from 1970.
pub fn quarter(time: Timestamp) -> i64 {
    time.0.div_euclid(QUARTER_US)
}

/// Returns the bucket of a duration in seconds.
pub fn bucket(seconds: i64) -> u16 {
    BOUNDS.partition_point(|bound| *bound <= seconds) as u16
}

/// Returns the lower bounds in seconds of all buckets except the first.
pub fn bounds() -> &'static [i64] {
    &BOUNDS
}

/// Returns the middle of a bucket in seconds.
fn middle(bucket: u16) -> i64 {
    let Some(place) = usize::from(bucket).checked_sub(1) else { return 0 };
    let first = BOUNDS.get(place).or(BOUNDS.last()).copied().unwrap_or_default();
    let next = BOUNDS.get(place + 1).copied().unwrap_or(first + 1);
    (first + next - 1) / 2
}

/// The number of durations in each bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram(BTreeMap<u16, i64>);

impl Histogram {
    /// Returns the number of durations.
    pub fn count(&self) -> i64 {
        self.0.values().sum()
    }

    fn add_all(&mut self, other: &Self) {
        for (bucket, count) in &other.0 {
            *self.0.entry(*bucket).or_default() += count;
        }
    }

    /// Returns a percentile of the durations in seconds, accurate to 5 %; `None` if there are no
    /// durations.
    pub fn percentile(&self, percent: i64) -> Option<i64> {
        let rank = (self.count() * percent + 99) / 100;
        let mut passed = 0;
        let found = self.0.iter().find(|(_, count)| {
            passed += **count;
            passed >= rank.max(1)
        });
        found.map(|(bucket, _)| middle(*bucket))
    }
}

/// The number and sum of ratings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ratings {
    pub count: i64,
    sum: i64,
}

impl Ratings {
    fn add(&mut self, rating: Rating, count: i64) {
        self.count += count;
        self.sum += count * rating.number();
    }

    /// Returns the average rating in hundredths of a point; `None` without ratings.
    pub fn average_hundredths(&self) -> Option<i64> {
        (self.count > 0).then(|| (self.sum * 200 + self.count) / (self.count * 2))
    }
}

/// The totals of all measures in one period, for one channel, agent or the whole app.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountedEvents {
    pub opened: i64,
    pub messages_in: i64,
    pub messages_out: i64,
    pub ratings: Ratings,
    /// Durations from the customer's first message to the first reply.
    pub first_reply: Histogram,
    /// Durations from the customer's first message to the resolution.
    pub resolve: Histogram,
}

impl CountedEvents {
    /// Adds counts of one measure.
    pub fn add(&mut self, measure: Measure, count: i64) {
        match measure {
            Measure::Opened => self.opened += count,
            Measure::MessageIn => self.messages_in += count,
            Measure::MessageOut => self.messages_out += count,
            Measure::Rated(rating) => self.ratings.add(rating, count),
            Measure::FirstReply(bucket) => *self.first_reply.0.entry(bucket).or_default() += count,
            Measure::Resolved(bucket) => *self.resolve.0.entry(bucket).or_default() += count,
        }
    }

    /// Adds all counts of another value.
    pub fn add_all(&mut self, other: &Self) {
        self.opened += other.opened;
        self.messages_in += other.messages_in;
        self.messages_out += other.messages_out;
        self.ratings.count += other.ratings.count;
        self.ratings.sum += other.ratings.sum;
        self.first_reply.add_all(&other.first_reply);
        self.resolve.add_all(&other.resolve);
    }

    /// Returns the number of resolved sessions.
    pub fn resolved(&self) -> i64 {
        self.resolve.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_bucket_is_within_five_percent_of_its_durations() {
        assert_eq!((bucket(-5), bucket(0), middle(0)), (0, 0, 0));
        let mut seconds = 1;
        while seconds < bounds()[bounds().len() - 1] {
            let shown = middle(bucket(seconds));
            assert!((shown - seconds).abs() * 20 <= seconds, "{seconds} is shown as {shown}");
            seconds += (seconds / 97).max(1);
        }
        assert!(bounds().len() < 200, "{}", bounds().len());
        assert_eq!(bucket(i64::MAX), bounds().len() as u16);
    }

    #[test]
    fn percentiles_cover_all_counted_durations() {
        let mut counted = CountedEvents::default();
        assert_eq!(counted.first_reply.percentile(50), None);
        for seconds in 1..=10 {
            counted.add(Measure::FirstReply(bucket(seconds)), 1);
        }
        assert_eq!(counted.first_reply.percentile(50), Some(5));
        assert_eq!(counted.first_reply.percentile(90), Some(9));
        assert_eq!(counted.first_reply.percentile(100), Some(10));
        counted.add(Measure::FirstReply(bucket(1)), 90);
        assert_eq!(counted.first_reply.percentile(90), Some(1));
        assert_eq!(counted.first_reply.count(), 100);
    }

    #[test]
    fn stored_measures_are_parsed_unchanged() {
        let last = bounds().len() as u16;
        for measure in [
            Measure::Opened,
            Measure::MessageIn,
            Measure::MessageOut,
            Measure::Rated(Rating::BAD),
            Measure::Rated(Rating::GOOD),
            Measure::FirstReply(0),
            Measure::FirstReply(last),
            Measure::Resolved(0),
            Measure::Resolved(last),
        ] {
            assert_eq!(Measure::from_number(measure.number()), Some(measure));
        }
        assert_eq!(Measure::from_number(3), None);
        assert_eq!(Measure::from_number(16), None);
    }
}
