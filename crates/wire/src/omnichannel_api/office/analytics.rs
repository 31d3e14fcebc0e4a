//! Statistics about conversations, replies and ratings (D-0140).

use std::collections::BTreeMap;

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, ChannelId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::assignment::tally::{CountedEvents, Histogram, Ratings};
use confab_domain::time::Timestamp;
use jiff::ToSpan;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use super::period::{Interval, Period, Point};
use crate::body::Body;
use crate::fields::{Id, NonEmpty, field};
use crate::request::request;
use crate::time::is_zone;

request! {
    /// Query of `GET /api/v2/analytics/…`.
    pub struct AnalyticsFields {
        /// First day of the period; default 29 days before the last day.
        from: Day, optional, example = "2026-11-01";
        /// Last day of the period, inclusive; default today.
        until: Day, optional, example = "2026-11-16";
        /// Time zone in which days begin: a name or an offset; default the app's time zone.
        zone: ZoneName, optional, example = "Asia/Jakarta";
        /// Channel id, to count only conversations in this channel.
        channel: NonEmpty<Id>, optional;
        /// Agent id, to count only the work of this agent.
        agent: NonEmpty<Id>, optional;
        /// Length of the intervals: `day` or `hour`.
        by: StepWord, or Interval::Day, default = || "day".into();
        /// Table to export: `series`, `agents` or `channels`.
        of: TableWord, or Table::Series, default = || "series".into();
    }
}

field! {
    /// A calendar day, such as `2026-01-31`.
    Day -> Date;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        let day = text.parse::<Date>().ok().filter(|_| text.len() == 10);
        day.or_else(|| reading.wrong(field, "must be a date such as 2026-01-31"))
    }
}

field! {
    /// A time zone: a name such as `Asia/Jakarta`, or an offset such as `+07:00`.
    ZoneName -> String;
    |reading, field, given| {
        let name = reading.filled_text(field, given)?;
        let problem = "must be a time zone like Asia/Jakarta, or an offset like +07:00";
        if is_zone(&name) { Some(name) } else { reading.wrong(field, problem) }
    }
}

field! {
    /// The length of the intervals: `day` or `hour`.
    StepWord -> Interval;
    |reading, field, given| {
        match reading.filled_text(field, given)?.as_str() {
            "day" => Some(Interval::Day),
            "hour" => Some(Interval::Hour),
            _ => reading.wrong(field, "must be day or hour"),
        }
    }
}

/// The table of a CSV export: one row per interval, agent or channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    Series,
    Agents,
    Channels,
}

field! {
    /// The table of a CSV export: `series`, `agents` or `channels`.
    TableWord -> Table;
    |reading, field, given| {
        match reading.filled_text(field, given)?.as_str() {
            "series" => Some(Table::Series),
            "agents" => Some(Table::Agents),
            "channels" => Some(Table::Channels),
            _ => reading.wrong(field, "must be series, agents or channels"),
        }
    }
}

/// A request for statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalyticsInput {
    pub period: Period,
    pub step: Interval,
    pub channel: Option<ChannelId>,
    pub agent: Option<AgentId>,
    pub table: Table,
}

impl AnalyticsInput {
    /// Parses the query. `own_zone` is the app's time zone.
    pub fn read(query: &Body<'_>, own_zone: &str, now: Timestamp) -> Result<Self, Refusal> {
        let AnalyticsFields { from, until, zone, channel, agent, by, of } = query.read()?;
        let own_zone = if is_zone(own_zone) { own_zone } else { "UTC" };
        let zone = zone.unwrap_or_else(|| own_zone.to_owned());
        let today = Period::today(&zone, now).unwrap_or(Date::ZERO);
        let until = until.unwrap_or(today);
        let from = from.or_else(|| until.checked_sub(29.days()).ok()).unwrap_or(until);
        let wrong = |field: &str, why: String| Err(FieldProblem::new(field, why).into());
        if from > until {
            return wrong("from", "must not be after until".to_owned());
        }
        let days_max = match by {
            Interval::Day => limits::ANALYTICS_DAYS_MAX,
            Interval::Hour => limits::ANALYTICS_HOURLY_DAYS_MAX,
        };
        let days = from.until(until).map_or(i32::MAX, |span| span.get_days());
        if days >= days_max {
            return wrong("from", format!("must be within {days_max} days of until"));
        }
        let Some(period) = Period::new(&zone, from, until) else {
            return wrong("until", "must be a valid date".to_owned());
        };
        let (channel, agent) = (channel.map(ChannelId), agent.map(AgentId));
        Ok(Self { period, step: by, channel, agent, table: of })
    }
}

/// The distribution of durations, in seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Took {
    /// Number of durations.
    pub count: i64,
    /// Median in seconds, accurate to 5 %; null if `count` is 0.
    pub median: Option<i64>,
    /// 90th percentile in seconds, accurate to 5 %; null if `count` is 0.
    pub p90: Option<i64>,
}

impl From<&Histogram> for Took {
    fn from(histogram: &Histogram) -> Self {
        let percentile = |percent| histogram.percentile(percent);
        Self { count: histogram.count(), median: percentile(50), p90: percentile(90) }
    }
}

/// Customers' ratings of ended conversations.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RatingCounts {
    /// Average from 1 (bad) to 5 (good), rounded to two digits; null if `count` is 0.
    #[schema(example = 4.33)]
    pub average: Option<f64>,
    /// Number of ratings.
    pub count: i64,
}

impl From<Ratings> for RatingCounts {
    fn from(ratings: Ratings) -> Self {
        let average = ratings.average_hundredths().map(|it| it as f64 / 100.0);
        Self { average, count: ratings.count }
    }
}

/// Statistics of a period, for the whole app, one agent or one channel.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Numbers {
    /// Seconds from the first message of a conversation to the first reply by staff.
    pub first_reply_s: Took,
    /// Number of messages from customers; 0 in the statistics of one agent.
    pub messages_in: i64,
    /// Number of messages from staff.
    pub messages_out: i64,
    /// Number of conversations started; 0 in the statistics of one agent.
    pub opened: i64,
    /// Customers' ratings. A rating counts for the agent who was assigned last or, if none was
    /// assigned, for the agent who replied first.
    pub rating: RatingCounts,
    /// Seconds from the first message of a conversation to its resolution.
    pub resolve_s: Took,
    /// Number of conversations resolved and not reopened.
    pub resolved: i64,
}

impl From<&CountedEvents> for Numbers {
    fn from(counted: &CountedEvents) -> Self {
        Self {
            first_reply_s: Took::from(&counted.first_reply),
            messages_in: counted.messages_in,
            messages_out: counted.messages_out,
            opened: counted.opened,
            rating: counted.ratings.into(),
            resolve_s: Took::from(&counted.resolve),
            resolved: counted.resolved(),
        }
    }
}

/// Statistics of a whole period.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsSummary<'a> {
    #[serde(flatten)]
    numbers: Numbers,
    /// First day of the period.
    #[schema(example = "2026-11-01")]
    from: String,
    /// Last day of the period.
    #[schema(example = "2026-11-16")]
    until: String,
    /// Number of customers who are waiting now and are not handled by a bot.
    waiting_now: usize,
    zone: &'a str,
}

/// Response data with the statistics of a whole period.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsSummaryBox<'a> {
    summary: AnalyticsSummary<'a>,
}

/// Returns the statistics of a whole period.
pub fn summary<'a>(
    wanted: &'a AnalyticsInput,
    counted: &CountedEvents,
    waiting_now: usize,
) -> AnalyticsSummaryBox<'a> {
    let Period { from, until, zone_name, .. } = &wanted.period;
    AnalyticsSummaryBox {
        summary: AnalyticsSummary {
            numbers: Numbers::from(counted),
            from: from.to_string(),
            until: until.to_string(),
            waiting_now,
            zone: zone_name,
        },
    }
}

/// Statistics of a day or an hour.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct AnalyticsPoint {
    /// Start of the interval.
    #[schema(example = "2026-11-01T00:00:00+07:00")]
    pub at: String,
    /// Median time from a conversation's first message to the first reply in seconds; null without
    /// first replies.
    pub first_reply_median_s: Option<i64>,
    pub messages_in: i64,
    pub messages_out: i64,
    pub opened: i64,
    /// Customers' ratings in this interval.
    pub rating: RatingCounts,
    /// Median time from a conversation's first message to its resolution in seconds; null without
    /// resolutions.
    pub resolve_median_s: Option<i64>,
    pub resolved: i64,
}

/// Response data with the statistics of each day or hour.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsSeries {
    /// All intervals of the period in order, including those without activity.
    pub points: Vec<AnalyticsPoint>,
}

/// Returns the statistics of each interval. The keys of `counted` are indexes into `points`.
pub fn series(points: &[Point], counted: &BTreeMap<i64, CountedEvents>) -> AnalyticsSeries {
    let nothing = CountedEvents::default();
    let point = |(place, point): (i64, &Point)| {
        let all = counted.get(&place).unwrap_or(&nothing);
        AnalyticsPoint {
            at: point.at.clone(),
            first_reply_median_s: all.first_reply.percentile(50),
            messages_in: all.messages_in,
            messages_out: all.messages_out,
            opened: all.opened,
            rating: all.ratings.into(),
            resolve_median_s: all.resolve.percentile(50),
            resolved: all.resolved(),
        }
    };
    AnalyticsSeries { points: (0..).zip(points).map(point).collect() }
}

/// Statistics of one agent or channel.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct AnalyticsRow {
    pub id: i64,
    pub name: String,
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// Response data with the statistics of each agent.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsAgents {
    /// All agents of the app, and deleted ones with activity in the period.
    pub agents: Vec<AnalyticsRow>,
}

/// Response data with the statistics of each channel.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsChannels {
    /// All channels of the app, and deleted ones with activity in the period.
    pub channels: Vec<AnalyticsRow>,
}
