//! Recounts an app's analytics from its sessions and messages, for the operator's command (D-0140).
//!
//! Servers continue to write. One statement compares stored and recounted numbers in a single
//! snapshot and stores the differences in a temporary table; events after the snapshot are counted
//! by the servers. The differences are then added in small commits, so other writers are not
//! blocked.

use confab_domain::app::AppCode;
use confab_domain::limits;
use confab_domain::support::assignment::tally::{Measure, QUARTER_US, bounds};

use super::command_database::CommandDatabase;
use crate::error::{CommandFailure, StoreError};
use crate::location::Location;
use crate::sql::{Ask, Row, Statement, ids_as_text, ids_in, statements, values};

const DOING: &str = "recounting analytics";

/// Node number of the rows that the command adds. No server has this number.
const NODE: i64 = limits::NODES_MAX;

/// Selects the time from the first message of each session to its first reply or resolution, as
/// rows of quarter, channel, agent and bucket.
macro_rules! took {
    ($at:literal, $by:literal, $measure:literal, $bucket:expr) => {
        concat!(
            "SELECT t.at / $2, t.channel, t.agent, CAST(",
            $measure,
            " AS BIGINT) + ",
            $bucket,
            ", CAST(1 AS BIGINT) FROM (SELECT c.channel, coalesce(s.",
            $by,
            ", 0) AS agent, s.",
            $at,
            " AS at, (s.",
            $at,
            " - s.first_message_at) / 1000000 AS seconds FROM sessions s \
             JOIN customer_rooms c ON c.room = s.room WHERE s.app = $1 AND s.",
            $at,
            " IS NOT NULL) t"
        )
    };
}

/// Selects the counts of sessions and messages minus the stored counts. `$3` and `$4` are the
/// numbers of the duration measures, `$5` contains the bounds of their buckets, and `$6` is the
/// number of the rating measure.
macro_rules! difference {
    ($bucket:expr) => {
        concat!(
            "INSERT INTO miscounted (quarter, channel, agent, measure, count) \
             SELECT quarter, channel, agent, measure, CAST(sum(count) AS BIGINT) FROM (\
             SELECT s.created_at / $2 AS quarter, c.channel AS channel, CAST(0 AS BIGINT) \
             AS agent, CAST(0 AS BIGINT) AS measure, CAST(1 AS BIGINT) AS count FROM sessions s \
             JOIN customer_rooms c ON c.room = s.room WHERE s.app = $1 \
             UNION ALL \
             SELECT m.posted_at / $2, c.channel, 0, 1, 1 FROM messages m \
             JOIN customer_rooms c ON c.room = m.room \
             WHERE c.app = $1 AND m.sender = c.customer \
             UNION ALL \
             SELECT m.posted_at / $2, c.channel, m.sender, 2, 1 FROM messages m \
             JOIN customer_rooms c ON c.room = m.room \
             JOIN dashboard_users d ON d.id = m.sender WHERE c.app = $1 AND d.app = $1 \
             UNION ALL ",
            took!("first_reply_at", "first_reply_by", "$3", $bucket),
            " UNION ALL ",
            took!("resolved_at", "resolved_by", "$4", $bucket),
            " UNION ALL \
             SELECT s.rated_at / $2, c.channel, coalesce(s.served_by, s.first_reply_by, 0), \
             CAST($6 AS BIGINT) + s.rating, 1 FROM sessions s \
             JOIN customer_rooms c ON c.room = s.room \
             WHERE s.app = $1 AND s.rating IS NOT NULL \
             UNION ALL \
             SELECT quarter, channel, agent, measure, -count FROM analytics_quarters \
             WHERE app = $1\
             ) counted GROUP BY 1, 2, 3, 4 HAVING sum(count) <> 0"
        )
    };
}

statements! {
    APP_NAMED = "SELECT id FROM apps WHERE code = $1";
    SQLITE_TABLE = "CREATE TEMP TABLE miscounted (place INTEGER PRIMARY KEY, quarter INTEGER, \
        channel INTEGER, agent INTEGER, measure INTEGER, count INTEGER)";
    POSTGRES_TABLE = "CREATE TEMP TABLE miscounted (place BIGINT GENERATED ALWAYS AS IDENTITY \
        PRIMARY KEY, quarter BIGINT, channel BIGINT, agent BIGINT, measure BIGINT, count BIGINT)";
    SQLITE_DIFFERENCE =
        difference!("(SELECT count(*) FROM json_each($5) WHERE value <= t.seconds)");
    POSTGRES_DIFFERENCE =
        difference!(concat!("width_bucket(t.seconds, ", ids_in!("$5"), ")"));
    LAST_PLACE = "SELECT coalesce(max(place), 0) FROM miscounted";
    // SQLite requires a condition in an upsert with SELECT, else it parses ON as part of a join.
    ADD_DIFFERENCE = "INSERT INTO analytics_quarters (app, quarter, channel, agent, measure, \
        node, count) SELECT CAST($1 AS BIGINT), quarter, channel, agent, measure, \
        CAST($2 AS BIGINT), count FROM miscounted WHERE place > $3 AND place <= $4 \
        ON CONFLICT (app, quarter, channel, agent, measure, node) \
        DO UPDATE SET count = analytics_quarters.count + excluded.count";
}

/// Recounts the analytics of an app. Returns whether the app exists.
///
/// An interrupted command must be repeated: until then, some numbers remain uncorrected.
pub async fn rebuild_analytics(location: &Location, code: &AppCode) -> Result<bool, StoreError> {
    let database = CommandDatabase::open_to_rebuild(location).await?;
    let found = database.query(DOING, &APP_NAMED, values![code.as_str()]).await?;
    let Some(app) = found.first().map(|row| row.number(0)).transpose()? else { return Ok(false) };
    let (table, difference) = match &database {
        CommandDatabase::Sqlite(_) => (&SQLITE_TABLE, &SQLITE_DIFFERENCE),
        CommandDatabase::Postgres(_) => (&POSTGRES_TABLE, &POSTGRES_DIFFERENCE),
    };
    let buckets = ids_as_text(bounds().iter().copied());
    let (first_reply, resolved) = (Measure::FIRST_REPLY, Measure::RESOLVED);
    let wanted = values![app, QUARTER_US, first_reply, resolved, buckets, Measure::RATED];
    write(&database, table, values![]).await?;
    database.write_temporary(DOING, &Ask::new(difference, wanted)).await?;
    let last = database.query(DOING, &LAST_PLACE, values![]).await?;
    let last = last.first().map(|row| row.number(0)).transpose()?.unwrap_or_default();
    let step = limits::RECOUNTED_PER_COMMIT;
    for place in (0..last).step_by(step as usize) {
        write(&database, &ADD_DIFFERENCE, values![app, NODE, place, place + step]).await?;
    }
    Ok(true)
}

async fn write(
    database: &CommandDatabase,
    statement: &'static Statement,
    values: Vec<crate::sql::SqlValue>,
) -> Result<(), StoreError> {
    let asks = [Ask::new(statement, values)];
    database.write(DOING, &asks).await.map(drop).map_err(CommandFailure::error)
}
