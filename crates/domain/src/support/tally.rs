//! Tallies: what an office achieved, counted by quarters of an hour (D-0140).
//!
//! Every tally is a function of a session or of a message, as they are kept. A decision writes the
//! difference that it makes; all of them are made anew from sessions and messages and are equal.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::ids::{AgentId, ChannelId};
use crate::messages::message::PostedMessage;
use crate::messages::rating::Rating;
use crate::time::Timestamp;
use crate::webhooks::event::Session;

/// A quarter of an hour, in microseconds: every time zone is some of them away from UTC.
pub const QUARTER_US: i64 = 15 * 60 * 1_000_000;

/// Longer times count as this long.
const LONGEST_S: i64 = 400 * 86_400;

/// The first second of each bucket but the first, which has what took no second. Each is a tenth
/// wide at most, so that its middle is no more than 5 % away from what is in it.
static BOUNDS: LazyLock<Vec<i64>> = LazyLock::new(|| {
    let next = |bound: &i64| Some(bound + (bound / 10).max(1)).filter(|it| *it <= LONGEST_S);
    std::iter::successors(Some(1), next).collect()
});

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Conversations that began.
    Opened,
    /// Messages of customers.
    MessageIn,
    /// Messages of those who work in the app.
    MessageOut,
    /// Conversations that customers rated so (D-0136).
    Rated(Rating),
    /// First replies that took as long as is in this bucket.
    FirstReply(u16),
    /// Conversations that were resolved after as long as is in this bucket.
    Resolved(u16),
}

impl Measure {
    /// The number that ratings are stored with, plus the rating.
    pub const RATED: i64 = 10;
    /// The number that first replies are stored with, plus their bucket.
    pub const FIRST_REPLY: i64 = 1_000;
    /// The number that ends are stored with, plus their bucket.
    pub const RESOLVED: i64 = 2_000;

    /// As it is stored.
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

    /// The one that is stored so.
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

/// So many more, or less, of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub key: TallyKey,
    pub count: i64,
}

/// Of what, when, where and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TallyKey {
    /// Which quarter of an hour since 1970.
    pub quarter: i64,
    pub channel: ChannelId,
    /// Nobody where it is not the doing of somebody who works in the app.
    pub agent: Option<AgentId>,
    pub measure: Measure,
}

/// What one decision adds up.
#[derive(Debug, Default)]
pub struct Tallies(BTreeMap<TallyKey, i64>);

impl Tallies {
    /// A message in a customer's room, if it is the customer's or that of somebody who works there.
    pub fn add_message(&mut self, channel: ChannelId, said: &PostedMessage, is_customers: bool) {
        let agent = said.sender.works_as();
        let measure = match agent {
            None if is_customers => Measure::MessageIn,
            None => return,
            Some(_) => Measure::MessageOut,
        };
        let quarter = quarter(said.message.posted_at);
        self.add(TallyKey { quarter, channel, agent, measure }, 1);
    }

    /// A session was so before, and is so now. What is another one has not changed.
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

    /// Those that changed something.
    pub fn into_changed(self) -> impl Iterator<Item = Tally> {
        let tallies = self.0.into_iter().map(|(key, count)| Tally { key, count });
        tallies.filter(|tally| tally.count != 0)
    }
}

/// What a session counts for, as it is. One that is open again is not resolved.
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

/// The quarter of an hour that a moment is in.
pub fn quarter(time: Timestamp) -> i64 {
    time.0.div_euclid(QUARTER_US)
}

/// The bucket of so many seconds: how many bounds are not above.
pub fn bucket(seconds: i64) -> u16 {
    BOUNDS.partition_point(|bound| *bound <= seconds) as u16
}

/// The first seconds of all buckets but the first.
pub fn bounds() -> &'static [i64] {
    &BOUNDS
}

/// The seconds in the middle of a bucket.
fn middle(bucket: u16) -> i64 {
    let Some(place) = usize::from(bucket).checked_sub(1) else { return 0 };
    let first = BOUNDS.get(place).or(BOUNDS.last()).copied().unwrap_or_default();
    let next = BOUNDS.get(place + 1).copied().unwrap_or(first + 1);
    (first + next - 1) / 2
}

/// How long something took, how often.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram(BTreeMap<u16, i64>);

impl Histogram {
    /// How often in all.
    pub fn count(&self) -> i64 {
        self.0.values().sum()
    }

    fn add_all(&mut self, other: &Self) {
        for (bucket, count) in &other.0 {
            *self.0.entry(*bucket).or_default() += count;
        }
    }

    /// So many seconds, or less, in so many of a hundred cases; within 5 %. Nothing without any.
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

/// What customers thought, added up.
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

    /// The mean, in hundredths; nothing without any.
    pub fn average_hundredths(&self) -> Option<i64> {
        (self.count > 0).then(|| (self.sum * 200 + self.count) / (self.count * 2))
    }
}

/// Everything that was counted of something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountedEvents {
    pub opened: i64,
    pub messages_in: i64,
    pub messages_out: i64,
    pub ratings: Ratings,
    /// From the customer's first message to the first reply.
    pub first_reply: Histogram,
    /// From the customer's first message to the end.
    pub resolve: Histogram,
}

impl CountedEvents {
    /// So many more of a measure.
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

    /// Everything that another one has.
    pub fn add_all(&mut self, other: &Self) {
        self.opened += other.opened;
        self.messages_in += other.messages_in;
        self.messages_out += other.messages_out;
        self.ratings.count += other.ratings.count;
        self.ratings.sum += other.ratings.sum;
        self.first_reply.add_all(&other.first_reply);
        self.resolve.add_all(&other.resolve);
    }

    /// How many conversations were resolved.
    pub fn resolved(&self) -> i64 {
        self.resolve.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_bucket_is_within_five_percent_of_what_is_in_it() {
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
    fn percentiles_are_of_all_that_was_counted() {
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
    fn measures_are_read_as_they_are_stored() {
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
