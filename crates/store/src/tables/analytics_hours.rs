//! What offices achieved, by quarters of an hour (D-0140).
//!
//! A row is what one node added: many nodes never wait for each other's rows, and what is read is
//! their sum. Nobody is agent 0.

use std::collections::BTreeMap;

use confab_domain::ids::{AgentId, AppId, ChannelId};
use confab_domain::service::tally::{Counted, Measure, QUARTER_US, Tally, TallyKey, bounds};

use crate::error::Read;
use crate::sql::{Ask, Row, Statement, ValueRow, ids_as_text, prepared, statements, values};
use crate::store::Store;

prepared! {
    POSTGRES_ADD_TALLIES = "INSERT INTO analytics_hours (app, quarter, channel, agent, measure, \
        node, count) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], \
        $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) \
        ON CONFLICT (app, quarter, channel, agent, measure, node) \
        DO UPDATE SET count = analytics_hours.count + excluded.count";
}

/// Sums of what was counted within some quarters, of one channel or all (0), of one agent or all.
macro_rules! sums {
    ($by:literal) => {
        concat!(
            "SELECT ",
            $by,
            ", measure, CAST(sum(count) AS BIGINT) FROM analytics_hours \
             WHERE app = $1 AND quarter >= $2 AND quarter < $3 \
             AND (channel = $4 OR $4 = 0) AND (agent = $5 OR $5 = 0) GROUP BY 1, 2"
        )
    };
}

statements! {
    ADD_TALLY = "INSERT INTO analytics_hours (app, quarter, channel, agent, measure, node, count) \
        VALUES ($1, $2, $3, $4, $5, 0, $6) \
        ON CONFLICT (app, quarter, channel, agent, measure, node) \
        DO UPDATE SET count = analytics_hours.count + excluded.count";
    SUMS = sums!("CAST(0 AS BIGINT)");
    SUMS_BY_QUARTER = sums!("quarter");
    SUMS_BY_HOUR = sums!("quarter - quarter % 4");
    SUMS_BY_CHANNEL = sums!("channel");
    SUMS_BY_AGENT = sums!("agent");
}

/// How long something took: of which bucket, by whom, when. `$3` is the number of the measure, `$4`
/// has the bounds of the buckets.
macro_rules! took {
    ($at:literal, $by:literal, $bucket:ident) => {
        concat!(
            "INSERT INTO analytics_hours (app, quarter, channel, agent, measure, node, count) \
             SELECT t.app, t.at / $2, t.channel, t.agent, CAST($3 AS BIGINT) + ",
            $bucket!(),
            ", 0, count(*) FROM (SELECT s.app, c.channel, coalesce(s.",
            $by,
            ", 0) AS agent, s.",
            $at,
            " AS at, (s.",
            $at,
            " - s.first_message_at) / 1000000 AS seconds FROM sessions s \
             JOIN customer_rooms c ON c.room = s.room WHERE s.app = $1 AND s.",
            $at,
            " IS NOT NULL) t GROUP BY 1, 2, 3, 4, 5"
        )
    };
}

macro_rules! sqlite_bucket {
    () => {
        "(SELECT count(*) FROM json_each($4) WHERE value <= t.seconds)"
    };
}

macro_rules! postgres_bucket {
    () => {
        "width_bucket(t.seconds, translate($4, '[]', '{}')::bigint[])"
    };
}

// Making all anew: from sessions and from messages, as they are kept.
statements! {
    // Who would add something waits until all is there.
    POSTGRES_LOCK = "LOCK TABLE analytics_hours IN EXCLUSIVE MODE";
    FORGET = "DELETE FROM analytics_hours WHERE app = $1";
    OPENED = "INSERT INTO analytics_hours (app, quarter, channel, agent, measure, node, count) \
        SELECT s.app, s.created_at / $2, c.channel, 0, 0, 0, count(*) FROM sessions s \
        JOIN customer_rooms c ON c.room = s.room WHERE s.app = $1 \
        GROUP BY 1, 2, 3";
    MESSAGES_IN = "INSERT INTO analytics_hours (app, quarter, channel, agent, measure, node, \
        count) SELECT c.app, m.posted_at / $2, c.channel, 0, 1, 0, count(*) \
        FROM customer_rooms c JOIN messages m ON m.room = c.room \
        WHERE c.app = $1 AND m.sender = c.customer \
        GROUP BY 1, 2, 3";
    MESSAGES_OUT = "INSERT INTO analytics_hours (app, quarter, channel, agent, measure, node, \
        count) SELECT c.app, m.posted_at / $2, c.channel, m.sender, 2, 0, count(*) \
        FROM customer_rooms c JOIN messages m ON m.room = c.room \
        JOIN dashboard_users d ON d.id = m.sender WHERE c.app = $1 AND d.app = $1 \
        GROUP BY 1, 2, 3, 4";
    SQLITE_FIRST_REPLIES = took!("first_reply_at", "first_reply_by", sqlite_bucket);
    POSTGRES_FIRST_REPLIES = took!("first_reply_at", "first_reply_by", postgres_bucket);
    SQLITE_RESOLVED = took!("resolved_at", "resolved_by", sqlite_bucket);
    POSTGRES_RESOLVED = took!("resolved_at", "resolved_by", postgres_bucket);
}

/// A tally of this node, which is the only one.
pub(crate) fn add(app: AppId, tally: &Tally) -> Vec<Ask> {
    let [quarter, channel, agent, measure] = columns(&tally.key);
    vec![Ask::new(&ADD_TALLY, values![app.0, quarter, channel, agent, measure, tally.count])]
}

/// The columns of a key behind its app.
pub(crate) fn columns(key: &TallyKey) -> [i64; 4] {
    let TallyKey { quarter, channel, agent, measure } = *key;
    [quarter, channel.0, agent.map_or(0, |agent| agent.0), measure.number()]
}

/// All of an app, made anew in one transaction.
pub(crate) fn anew(app: AppId, is_sqlite: bool) -> Vec<Ask> {
    let quarters = |sql| Ask::new(sql, values![app.0, QUARTER_US]);
    let bounds = ids_as_text(bounds().iter().copied());
    let took = |sql: &'static Statement, measure: i64| {
        Ask::new(sql, values![app.0, QUARTER_US, measure, bounds.clone()])
    };
    let (lock, first_replies, resolved) = match is_sqlite {
        true => (None, &SQLITE_FIRST_REPLIES, &SQLITE_RESOLVED),
        false => (Some(&POSTGRES_LOCK), &POSTGRES_FIRST_REPLIES, &POSTGRES_RESOLVED),
    };
    let mut asks: Vec<_> = lock.into_iter().map(|sql| Ask::new(sql, values![])).collect();
    asks.push(Ask::new(&FORGET, values![app.0]));
    asks.extend([&OPENED, &MESSAGES_IN, &MESSAGES_OUT].map(quarters));
    asks.push(took(first_replies, Measure::FIRST_REPLY));
    asks.push(took(resolved, Measure::RESOLVED));
    asks
}

/// What is to be summed up.
#[derive(Debug, Clone, Copy)]
pub struct WantedTallies {
    /// The first quarter of an hour since 1970, and the first after them.
    pub quarters: (i64, i64),
    /// Of this channel only.
    pub channel: Option<ChannelId>,
    /// By this agent only.
    pub agent: Option<AgentId>,
}

/// Into what it is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TalliesBy {
    /// Nothing: all under 0.
    All,
    /// Quarters of an hour.
    Quarter,
    /// Hours of UTC, by their first quarters.
    Hour,
    Channel,
    /// Nobody is 0.
    Agent,
}

impl Store {
    /// What was counted, summed up by what it is split into.
    pub async fn tallies(
        &self,
        app: AppId,
        wanted: &WantedTallies,
        by: TalliesBy,
    ) -> Read<BTreeMap<i64, Counted>> {
        let sql = match by {
            TalliesBy::All => &SUMS,
            TalliesBy::Quarter => &SUMS_BY_QUARTER,
            TalliesBy::Hour => &SUMS_BY_HOUR,
            TalliesBy::Channel => &SUMS_BY_CHANNEL,
            TalliesBy::Agent => &SUMS_BY_AGENT,
        };
        let WantedTallies { quarters: (from, until), channel, agent } = *wanted;
        let (channel, agent) = (channel.map_or(0, |it| it.0), agent.map_or(0, |it| it.0));
        let ask = Ask::new(sql, values![app.0, from, until, channel, agent]);
        let read = |row: &ValueRow| Ok((row.number(0)?, row.number(1)?, row.number(2)?));
        let mut found: BTreeMap<i64, Counted> = BTreeMap::new();
        for (key, measure, count) in self.asked(ask, read).await? {
            // What a newer version counts is left out, and what was taken back is nothing.
            let measure = Measure::from_number(measure).filter(|_| count != 0);
            if let Some(measure) = measure {
                found.entry(key).or_default().add(measure, count);
            }
        }
        Ok(found)
    }
}
