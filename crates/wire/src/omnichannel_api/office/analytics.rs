//! What an office achieved (D-0140).

use std::collections::BTreeMap;

use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AgentId, ChannelId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::tally::{CountedEvents, Histogram, Ratings};
use confab_domain::time::Timestamp;
use jiff::ToSpan;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use super::period::{Period, Point, Step};
use crate::body::Body;
use crate::fields::{Filled, Id, field};
use crate::request::request;
use crate::time::is_zone;

request! {
    /// `GET /api/v2/analytics/…`
    pub struct AnalyticsFields {
        /// The first day; 30 days with the last one if absent.
        from: Day, optional, example = "2026-11-01";
        /// The last day, which is part of it; today if absent.
        until: Day, optional, example = "2026-11-16";
        /// Whose days they are: a name or an offset; the app's if absent.
        zone: ZoneName, optional, example = "Asia/Jakarta";
        /// Only what came through this channel.
        channel: Filled<Id>, optional;
        /// Only what this agent did.
        agent: Filled<Id>, optional;
        /// Into what the time is cut: `day` or `hour`.
        by: StepWord, or Step::Day, default = || "day".into();
        /// What is exported: `series`, `agents` or `channels`.
        of: TableWord, or Table::Series, default = || "series".into();
    }
}

field! {
    /// A day.
    Day -> Date;
    |reading, field, given| {
        let text = reading.filled_text(field, given)?;
        let day = text.parse::<Date>().ok().filter(|_| text.len() == 10);
        day.or_else(|| reading.wrong(field, "must be a day such as 2026-01-31"))
    }
}

field! {
    /// A time zone that is known.
    ZoneName -> String;
    |reading, field, given| {
        let name = reading.filled_text(field, given)?;
        let problem = "must be a time zone like Asia/Jakarta, or an offset like +07:00";
        if is_zone(&name) { Some(name) } else { reading.wrong(field, problem) }
    }
}

field! {
    /// How fine.
    StepWord -> Step;
    |reading, field, given| {
        match reading.filled_text(field, given)?.as_str() {
            "day" => Some(Step::Day),
            "hour" => Some(Step::Hour),
            _ => reading.wrong(field, "must be day or hour"),
        }
    }
}

/// What is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    Series,
    Agents,
    Channels,
}

field! {
    /// Which table.
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

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalyticsInput {
    pub period: Period,
    pub step: Step,
    pub channel: Option<ChannelId>,
    pub agent: Option<AgentId>,
    pub table: Table,
}

impl AnalyticsInput {
    /// Reads the query, with the app's own zone, at this moment.
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
            Step::Day => limits::ANALYTICS_DAYS_MAX,
            Step::Hour => limits::ANALYTICS_HOURLY_DAYS_MAX,
        };
        let days = from.until(until).map_or(i32::MAX, |span| span.get_days());
        if days >= days_max {
            return wrong("from", format!("must be within {days_max} days of until"));
        }
        let Some(period) = Period::new(&zone, from, until) else {
            return wrong("until", "must be a day of the calendar".to_owned());
        };
        let (channel, agent) = (channel.map(ChannelId), agent.map(AgentId));
        Ok(Self { period, step: by, channel, agent, table: of })
    }
}

/// How long something took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Took {
    /// How many there were.
    pub count: i64,
    /// Half of them took no longer, within 5 %; null without any.
    pub median: Option<i64>,
    /// Nine of ten took no longer, within 5 %.
    pub p90: Option<i64>,
}

impl From<&Histogram> for Took {
    fn from(histogram: &Histogram) -> Self {
        let percentile = |percent| histogram.percentile(percent);
        Self { count: histogram.count(), median: percentile(50), p90: percentile(90) }
    }
}

/// What customers said about conversations after their end (D-0136).
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Rated {
    /// From 1 (bad) to 5 (good), to the hundredth; null without any.
    #[schema(example = 4.33)]
    pub average: Option<f64>,
    /// How many said something.
    pub count: i64,
}

impl From<Ratings> for Rated {
    fn from(ratings: Ratings) -> Self {
        let average = ratings.average_hundredths().map(|it| it as f64 / 100.0);
        Self { average, count: ratings.count }
    }
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Numbers {
    /// Seconds from a customer's first message to the first reply of a person.
    pub first_reply_s: Took,
    /// Messages of customers; of none where it is about one agent.
    pub messages_in: i64,
    /// Messages of those who work in the app.
    pub messages_out: i64,
    /// Conversations that began; of none where it is about one agent.
    pub opened: i64,
    /// What customers said about conversations; of an agent, about those they served last.
    pub rating: Rated,
    /// Seconds from a customer's first message to the end.
    pub resolve_s: Took,
    /// Conversations that were resolved and are not open again.
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

/// A period as a whole.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsSummary<'a> {
    #[serde(flatten)]
    numbers: Numbers,
    /// The first day.
    #[schema(example = "2026-11-01")]
    from: String,
    /// The last day.
    #[schema(example = "2026-11-16")]
    until: String,
    /// Customers who wait now, and no bot answers.
    waiting_now: usize,
    zone: &'a str,
}

/// `{summary}`
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsSummaryBox<'a> {
    summary: AnalyticsSummary<'a>,
}

/// A period as a whole, and how many wait now.
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

/// A day or an hour.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct AnalyticsPoint {
    /// When it begins.
    #[schema(example = "2026-11-01T00:00:00+07:00")]
    pub at: String,
    /// Null without any.
    pub first_reply_median_s: Option<i64>,
    pub messages_in: i64,
    pub messages_out: i64,
    pub opened: i64,
    /// What customers said about conversations in this time.
    pub rating: Rated,
    /// Null without any.
    pub resolve_median_s: Option<i64>,
    pub resolved: i64,
}

/// `{points}`
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsSeries {
    /// All of the period, also where nothing happened, the first one first.
    pub points: Vec<AnalyticsPoint>,
}

/// A period day by day or hour by hour, from what was counted in each, by its place.
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

/// An agent or a channel.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct AnalyticsRow {
    pub id: i64,
    pub name: String,
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// `{agents}`
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsAgents {
    /// Everybody who works in the app, and who did something in that time.
    pub agents: Vec<AnalyticsRow>,
}

/// `{channels}`
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalyticsChannels {
    /// Every channel, and those that are gone where something happened in that time.
    pub channels: Vec<AnalyticsRow>,
}
