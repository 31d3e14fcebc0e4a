//! Counters of support events, one per quarter of an hour, channel, agent and measure (D-0140).
//!
//! Each node adds to rows of its own, so that nodes never wait for each other's row locks; readers
//! sum the rows. Agent 0 stands for no agent.

use std::collections::BTreeMap;

use confab_domain::ids::{AgentId, AppId, ChannelId};
use confab_domain::support::assignment::tally::{CountedEvents, Measure, Tally, TallyKey};

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, ids_as_text, ids_in, prepared, statements, values};
use crate::store::Store;

prepared! {
    POSTGRES_ADD_TALLIES = "INSERT INTO analytics_quarters (app, quarter, channel, agent, \
        measure, node, count) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], \
        $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) \
        ON CONFLICT (app, quarter, channel, agent, measure, node) \
        DO UPDATE SET count = analytics_quarters.count + excluded.count";
}

/// Counters of a range of quarters, of one channel (`$4`) and one agent (`$5`), or of all if these
/// are 0.
macro_rules! in_quarters {
    () => {
        "analytics_quarters WHERE app = $1 AND quarter >= $2 AND quarter < $3 \
         AND (channel = $4 OR $4 = 0) AND (agent = $5 OR $5 = 0)"
    };
}

/// `in_quarters` for SQLite and several consecutive ranges of quarters, each identified by its
/// position. `$2` lists the first quarter of each range and the end of the last one. Each range is
/// an index lookup, whatever its length.
macro_rules! in_points {
    () => {
        "(SELECT key AS place, value AS first, lead(value) OVER (ORDER BY key) AS next \
         FROM json_each($2)) p CROSS JOIN analytics_quarters \
         WHERE app = $1 AND quarter >= p.first AND quarter < p.next \
         AND (channel = $3 OR $3 = 0) AND (agent = $4 OR $4 = 0)"
    };
}

/// Sums counters by a column and by measure. The SQL function `tallied` of this crate sums in one
/// pass.
macro_rules! sqlite_sums {
    ($by:literal, $($counted:tt)*) => {
        concat!(
            "SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each((SELECT tallied(",
            $by,
            ", measure, count) FROM ",
            $($counted)*,
            "))"
        )
    };
}

macro_rules! postgres_sums {
    ($by:expr, $($counted:tt)*) => {
        concat!(
            "SELECT ",
            $by,
            ", measure, CAST(sum(count) AS BIGINT) FROM ",
            $($counted)*,
            " GROUP BY 1, 2"
        )
    };
}

statements! {
    ADD_TALLY = "INSERT INTO analytics_quarters (app, quarter, channel, agent, measure, node, \
        count) VALUES ($1, $2, $3, $4, $5, 0, $6) \
        ON CONFLICT (app, quarter, channel, agent, measure, node) \
        DO UPDATE SET count = analytics_quarters.count + excluded.count";
    SQLITE_SUMS = sqlite_sums!("0", in_quarters!());
    SQLITE_SUMS_BY_CHANNEL = sqlite_sums!("channel", in_quarters!());
    SQLITE_SUMS_BY_AGENT = sqlite_sums!("agent", in_quarters!());
    SQLITE_SUMS_OF_POINTS = sqlite_sums!("place", in_points!());
    POSTGRES_SUMS = postgres_sums!("CAST(0 AS BIGINT)", in_quarters!());
    POSTGRES_SUMS_BY_CHANNEL = postgres_sums!("channel", in_quarters!());
    POSTGRES_SUMS_BY_AGENT = postgres_sums!("agent", in_quarters!());
    // `$6` lists the first quarter of each range. PostgreSQL reads the rows in any order: along the
    // index a year took three times as long.
    POSTGRES_SUMS_OF_POINTS = postgres_sums!(
        concat!("CAST(width_bucket(quarter, ", ids_in!("$6"), ") - 1 AS BIGINT)"),
        in_quarters!());
}

/// Increases a counter on SQLite, whose only node has number 0.
pub(crate) fn add(app: AppId, tally: &Tally) -> Vec<Ask> {
    let [quarter, channel, agent, measure] = columns(&tally.key);
    vec![Ask::new(&ADD_TALLY, values![app.0, quarter, channel, agent, measure, tally.count])]
}

/// Returns the values of a key for the columns that follow the app.
pub(crate) fn columns(key: &TallyKey) -> [i64; 4] {
    let TallyKey { quarter, channel, agent, measure } = *key;
    [quarter, channel.0, agent.map_or(0, |agent| agent.0), measure.number()]
}

/// Filter of the counters to sum.
#[derive(Debug, Clone, Copy)]
pub struct TallyFilter {
    /// Range of quarters of an hour, counted since 1970: the first one, and the end, which is
    /// exclusive.
    pub quarters: (i64, i64),
    /// Includes only this channel; all channels if `None`.
    pub channel: Option<ChannelId>,
    /// Includes only this agent; all events if `None`.
    pub agent: Option<AgentId>,
}

impl TallyFilter {
    fn filters(&self) -> [i64; 2] {
        [self.channel.map_or(0, |it| it.0), self.agent.map_or(0, |it| it.0)]
    }
}

/// Key by which counters are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TalliesBy {
    /// A single sum, under the key 0.
    All,
    Channel,
    /// The id of the agent. Events without an agent are summed under the key 0.
    Agent,
}

impl Store {
    /// Sums counters by channel, by agent or in total.
    pub async fn tallies(
        &self,
        app: AppId,
        wanted: &TallyFilter,
        by: TalliesBy,
    ) -> Read<BTreeMap<i64, CountedEvents>> {
        let sql = match (self, by) {
            (Self::Sqlite(_), TalliesBy::All) => &SQLITE_SUMS,
            (Self::Sqlite(_), TalliesBy::Channel) => &SQLITE_SUMS_BY_CHANNEL,
            (Self::Sqlite(_), TalliesBy::Agent) => &SQLITE_SUMS_BY_AGENT,
            (Self::Postgres(_), TalliesBy::All) => &POSTGRES_SUMS,
            (Self::Postgres(_), TalliesBy::Channel) => &POSTGRES_SUMS_BY_CHANNEL,
            (Self::Postgres(_), TalliesBy::Agent) => &POSTGRES_SUMS_BY_AGENT,
        };
        let [channel, agent] = wanted.filters();
        let ask =
            |(from, until): (i64, i64)| Ask::new(sql, values![app.0, from, until, channel, agent]);
        let asks = match self {
            Self::Sqlite(_) => pieces(wanted.quarters).map(ask).into(),
            Self::Postgres(_) => vec![ask(wanted.quarters)],
        };
        Ok(summed_up(self.counted_by_each(asks).await?.concat()))
    }

    /// Sums counters of consecutive ranges of quarters. The keys of the result are the positions of
    /// the ranges, from 0 on.
    pub async fn tallies_of_points(
        &self,
        app: AppId,
        wanted: &TallyFilter,
        points: &[(i64, i64)],
    ) -> Read<BTreeMap<i64, CountedEvents>> {
        let [channel, agent] = wanted.filters();
        let ask = |points: &[(i64, i64)]| {
            let starts = points.iter().map(|point| point.0);
            let from = points.first().map_or(0, |point| point.0);
            let until = points.last().map_or(0, |point| point.1);
            match self {
                Self::Sqlite(_) => {
                    let bounds = ids_as_text(starts.chain([until]));
                    Ask::new(&SQLITE_SUMS_OF_POINTS, values![app.0, bounds, channel, agent])
                }
                Self::Postgres(_) => {
                    let starts = ids_as_text(starts);
                    let sql = &POSTGRES_SUMS_OF_POINTS;
                    Ask::new(sql, values![app.0, from, until, channel, agent, starts])
                }
            }
        };
        let size = match self {
            Self::Sqlite(_) => points.len().div_ceil(PIECES).max(1),
            Self::Postgres(_) => points.len().max(1),
        };
        let mut counted = self.counted_by_each(points.chunks(size).map(ask).collect()).await?;
        for (row, place) in counted.iter_mut().zip((0..).step_by(size)) {
            row.iter_mut().for_each(|it| it.0 += place);
        }
        Ok(summed_up(counted.concat()))
    }

    /// Runs up to four statements concurrently and returns key, measure and count of each row.
    async fn counted_by_each(&self, asks: Vec<Ask>) -> Read<Vec<Vec<(i64, i64, i64)>>> {
        let read = |row: &ValueRow| Ok((row.number(0)?, row.number(1)?, row.number(2)?));
        let mut asks = asks.into_iter();
        // Boxed to keep the caller's future small.
        let mut next = || {
            let ask = asks.next();
            Box::pin(async move {
                match ask {
                    Some(ask) => self.asked(ask, read).await,
                    None => Ok(Vec::new()),
                }
            })
        };
        let (first, second, third, fourth) = (next(), next(), next(), next());
        let (first, second, third, fourth) = tokio::try_join!(first, second, third, fourth)?;
        Ok(vec![first, second, third, fourth])
    }
}

/// Number of statements that read parts of a range concurrently on SQLite, because each connection
/// reads on a single core. A year of a large office has some million rows.
const PIECES: usize = 4;

/// Splits a range of quarters into [`PIECES`] consecutive ranges.
fn pieces((from, until): (i64, i64)) -> [(i64, i64); PIECES] {
    let size = until.saturating_sub(from) / PIECES as i64;
    [
        (from, from + size),
        (from + size, from + 2 * size),
        (from + 2 * size, from + 3 * size),
        (from + 3 * size, until),
    ]
}

fn summed_up(rows: Vec<(i64, i64, i64)>) -> BTreeMap<i64, CountedEvents> {
    let mut sums: BTreeMap<(i64, i64), i64> = BTreeMap::new();
    for (key, measure, count) in rows {
        *sums.entry((key, measure)).or_default() += count;
    }
    let mut found: BTreeMap<i64, CountedEvents> = BTreeMap::new();
    for ((key, measure), count) in sums {
        // Skip measures of newer versions, and sums that corrections reduced to 0.
        let measure = Measure::from_number(measure).filter(|_| count != 0);
        if let Some(measure) = measure {
            found.entry(key).or_default().add(measure, count);
        }
    }
    found
}
