//! Deliveries to endpoints, and their progress.
//!
//! Scans read deliveries in the order of their marks, so that they read only new rows, however many
//! deliveries are unfinished or were delivered. SQLite has one writer, so ids and marks rise in
//! commit order. PostgreSQL keys rows by bucket (D-0014), and a row's mark is the number of the
//! transaction that wrote it: the mark of a row that a scan does not see yet is at least the
//! smallest number of the transactions that ran during the scan.

use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::limits;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{
    Attempt, BUCKETS, Backlog, Delivery, DeliveryHead, DeliveryState, Lane, ListedDelivery,
    Progress,
};

use super::{attempts, endpoints};
use crate::error::Read;
use crate::reading::listing::{
    DeliveryListing, LeasedBuckets, ListEnd, ScanMark, ScannedDeliveries,
};
use crate::secrets::sealer::Sealer;
use crate::sql::{Ask, Row, ValueRow, columns, count, on_shards, prepared, statements, values};
use crate::store::Store;

/// Columns of a delivery without its content: kind, depth and body.
macro_rules! delivery_columns {
    ($d:literal) => {
        columns!($d; "id", "app", "endpoint", "lane", "sequence", "created_at", "standing",
            "attempts", "tries", "since", "due_at", "failed_at")
    };
}

/// Number of columns of a delivery without its content.
const COLUMNS: usize = count(delivery_columns!(""));
/// Column of the mark in a scan without content. [`WHOLE_MARK`] is the column in a scan with
/// content.
pub(crate) const MARK: usize = COLUMNS;
pub(crate) const WHOLE_MARK: usize = COLUMNS + 3;

prepared! {
    POSTGRES_INSERT_DELIVERIES = "INSERT INTO deliveries (bucket, id, app, endpoint, kind, lane, \
        sequence, created_at, depth, body, mark, standing, attempts, tries, since, due_at) \
        SELECT bucket, id, app, endpoint, kind, lane, sequence, created_at, depth, body, \
        pg_current_xact_id()::text::bigint, 0, 0, 0, created_at, created_at \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], \
        $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::text[]) \
        new (bucket, id, app, endpoint, kind, lane, sequence, created_at, depth, body)";
    // The plus keeps updates off the index of unfinished deliveries: statistics gathered while
    // nothing waited make it look small to PostgreSQL, which would scan all of it for each row.
    POSTGRES_UPDATE_DELIVERIES = concat!("UPDATE deliveries d SET standing = new.standing, \
        attempts = new.attempts, tries = new.tries, since = new.since, due_at = new.due_at, \
        failed_at = new.failed_at \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], \
        $6::bigint[], $7::bigint[], $8::bigint[]) \
        new (bucket, id, standing, attempts, tries, since, due_at, failed_at) \
        WHERE d.bucket = new.bucket AND d.id = new.id \
        AND +d.standing < 2 AND d.attempts < new.attempts",
        on_shards!(" AND d.bucket = ANY ($1)"));
    POSTGRES_REPLAY = concat!("UPDATE deliveries d SET standing = 0, tries = 0, since = new.at, \
        due_at = new.at, failed_at = NULL, mark = pg_current_xact_id()::text::bigint \
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) new (bucket, id, at) \
        WHERE d.bucket = new.bucket AND d.id = new.id", on_shards!(" AND d.bucket = ANY ($1)"));
}

statements! {
    SQLITE_INSERT_DELIVERY = "INSERT INTO deliveries (id, app, endpoint, kind, lane, sequence, \
        created_at, depth, body, mark, standing, attempts, tries, since, due_at, failed_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $1, 0, 0, 0, $7, $7, NULL)";
    SQLITE_UPDATE_DELIVERY = "UPDATE deliveries SET standing = $2, attempts = $3, tries = $4, \
        since = $5, due_at = $6, failed_at = $7 \
        WHERE id = $1 AND standing < 2 AND attempts < $3";
    SQLITE_REPLAY = "UPDATE deliveries SET standing = 0, tries = 0, since = $2, due_at = $2, \
        failed_at = NULL, mark = $3 WHERE id = $1";
    SQLITE_WAITING = concat!("SELECT ", delivery_columns!(""), ", mark FROM deliveries \
        WHERE standing < 2 AND mark >= $1 AND (mark, id) > ($1, $2) ORDER BY mark, id LIMIT $3");
    SQLITE_WAITING_WHOLE = concat!("SELECT ", delivery_columns!(""), ", kind, depth, body, mark \
        FROM deliveries WHERE standing < 2 AND mark >= $1 AND (mark, id) > ($1, $2) \
        ORDER BY mark, id LIMIT $3");
    POSTGRES_WAITING = concat!("SELECT ", delivery_columns!(""), ", mark FROM deliveries \
        WHERE bucket = ANY ($1) AND standing < 2 AND (mark, id) > ($2, $3) ORDER BY mark, id \
        LIMIT $4");
    POSTGRES_WAITING_WHOLE = concat!("SELECT ", delivery_columns!(""), ", kind, depth, body, mark \
        FROM deliveries WHERE bucket = ANY ($1) AND standing < 2 AND (mark, id) > ($2, $3) \
        ORDER BY mark, id LIMIT $4");
    SQLITE_DELIVERY = concat!("SELECT ", delivery_columns!(""), ", kind, depth, body \
        FROM deliveries WHERE id = $1");
    POSTGRES_DELIVERIES = concat!("SELECT ", delivery_columns!("d."), ", d.kind, d.depth, d.body \
        FROM unnest($1::bigint[], $2::bigint[]) asked (bucket, id) \
        JOIN deliveries d ON d.bucket = asked.bucket AND d.id = asked.id",
        on_shards!(" WHERE d.bucket = ANY ($1)"));

    // Lists of an app's deliveries, from either end, and the backlogs of its endpoints. Backlogs
    // count a bounded number of rows, and the plus makes the planner use the index of unfinished
    // deliveries, not that of the app. On PostgreSQL attempts are looked up delivery by delivery: a
    // freely planned join reads all attempts when the planner misjudges.
    SQLITE_NEWEST_DELIVERIES = concat!("SELECT ", delivery_columns!("d."), ", d.kind, a.status, \
        a.error, a.url FROM deliveries d LEFT JOIN attempts a ON a.delivery = d.id \
        AND a.number = d.attempts WHERE d.app = $1 AND d.id >= $2 AND d.id < $3 ORDER BY d.id DESC \
        LIMIT $4");
    SQLITE_OLDEST_DELIVERIES = concat!("SELECT ", delivery_columns!("d."), ", d.kind, a.status, \
        a.error, a.url FROM deliveries d LEFT JOIN attempts a ON a.delivery = d.id \
        AND a.number = d.attempts WHERE d.app = $1 AND d.id >= $2 AND d.id < $3 ORDER BY d.id \
        LIMIT $4");
    POSTGRES_NEWEST_DELIVERIES = concat!("SELECT ", delivery_columns!("d."), ", d.kind, a.status, \
        a.error, a.url FROM deliveries d LEFT JOIN LATERAL ( \
        SELECT status, error, url FROM attempts \
        WHERE bucket = d.bucket AND delivery = d.id AND number = d.attempts LIMIT 1) a ON true \
        WHERE d.app = $1 AND d.id >= $2 AND d.id < $3 ORDER BY d.id DESC LIMIT $4");
    POSTGRES_OLDEST_DELIVERIES = concat!("SELECT ", delivery_columns!("d."), ", d.kind, a.status, \
        a.error, a.url FROM deliveries d LEFT JOIN LATERAL ( \
        SELECT status, error, url FROM attempts \
        WHERE bucket = d.bucket AND delivery = d.id AND number = d.attempts LIMIT 1) a ON true \
        WHERE d.app = $1 AND d.id >= $2 AND d.id < $3 ORDER BY d.id LIMIT $4");
    BACKLOGS = "SELECT endpoint, count(*), min(created_at) FROM ( \
        SELECT endpoint, created_at FROM deliveries WHERE +app = $1 AND standing < 2 \
        ORDER BY mark LIMIT $2) waiting GROUP BY endpoint";
    // Uses the index of failed events; a bounded number is counted.
    GIVEN_UP_EVENTS = "SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE endpoint = $1 \
        AND standing = 3 AND kind = 'channel_event' LIMIT $2) given_up";
}

pub(crate) fn pending<R: Row>(row: &R) -> Result<DeliveryHead, R::Error> {
    let progress = Progress {
        standing: row.known_number(6, "standing", DeliveryState::from_number)?,
        attempts: row.number(7)? as u32,
        tries: row.number(8)? as u32,
        since: row.time(9)?,
        due_at: row.time(10)?,
        failed_at: row.maybe_time(11)?,
    };
    Ok(DeliveryHead {
        id: DeliveryId(row.number(0)?),
        app: AppId(row.number(1)?),
        endpoint: EndpointId(row.number(2)?),
        lane: Lane(row.number(3)?),
        sequence: row.number(4)? as u64,
        created_at: row.time(5)?,
        progress,
    })
}

/// Reads a delivery with its content.
pub(crate) fn row<R: Row>(row: &R, sealer: &Sealer) -> Result<(Delivery, Progress), R::Error> {
    let DeliveryHead { id, app, endpoint, lane, sequence, created_at, progress } = pending(row)?;
    let kind = endpoints::kind(row, COLUMNS)?;
    let (depth, column) = (row.number(COLUMNS + 1)? as u32, COLUMNS + 2);
    let body = sealer.open_body(id.0, row.text(column)?);
    let body = body.map_err(|why| R::unreadable(column, why))?.into();
    Ok((Delivery { id, app, endpoint, kind, lane, sequence, created_at, depth, body }, progress))
}

fn listed(row: &ValueRow) -> Read<ListedDelivery> {
    Ok(ListedDelivery {
        pending: pending(row)?,
        kind: endpoints::kind(row, COLUMNS)?,
        last_status: row.maybe_number(COLUMNS + 1)?.map(|status| status as u16),
        last_error: attempts::error_class(row, COLUMNS + 2)?,
        last_url: row.maybe_text(COLUMNS + 3)?,
    })
}

fn backlog(row: &ValueRow) -> Read<Backlog> {
    Ok(Backlog {
        endpoint: EndpointId(row.number(0)?),
        waiting: row.number(1)? as u64,
        oldest: row.time(2)?,
    })
}

impl Store {
    /// Returns unfinished deliveries of these buckets that were added or replayed after the scan
    /// that returned this mark, in no particular order. Deliveries of earlier scans may be returned
    /// again.
    pub async fn waiting_deliveries(
        &self,
        buckets: &[i64],
        after: ScanMark,
    ) -> Read<ScannedDeliveries> {
        match self {
            Self::Sqlite(engine) => engine.waiting_deliveries(after).await,
            Self::Postgres(engine) => engine.waiting_deliveries(buckets, after).await,
        }
    }

    /// Returns the deliveries with these ids and their content, in no particular order. Ids without
    /// a delivery are ignored.
    pub async fn deliveries(&self, ids: &[(Lane, DeliveryId)]) -> Read<Vec<(Delivery, Progress)>> {
        match self {
            Self::Sqlite(engine) => engine.read(|reads| reads.deliveries(ids)),
            Self::Postgres(engine) => engine.deliveries(ids).await,
        }
    }

    /// Returns a delivery of the app with all its attempts.
    pub async fn delivery(
        &self,
        app: AppId,
        delivery: DeliveryId,
    ) -> Read<Option<(Delivery, Progress, Vec<Attempt>)>> {
        let found = match self {
            Self::Sqlite(engine) => {
                engine.read(|reads| reads.deliveries(&[(Lane(0), delivery)]))?
            }
            Self::Postgres(engine) => engine.delivery_in_any_bucket(delivery).await?,
        };
        let of_app = found.into_iter().find(|(found, _)| found.app == app);
        let Some((found, progress)) = of_app else { return Ok(None) };
        let attempts = self.attempts(found.lane, delivery).await?;
        Ok(Some((found, progress, attempts)))
    }

    /// Returns a page of the app's deliveries.
    pub async fn listed_deliveries(
        &self,
        app: AppId,
        listing: DeliveryListing,
    ) -> Read<Vec<ListedDelivery>> {
        let text = match (self, listing.from_end) {
            (Self::Sqlite(_), ListEnd::Newest) => &SQLITE_NEWEST_DELIVERIES,
            (Self::Sqlite(_), ListEnd::Oldest) => &SQLITE_OLDEST_DELIVERIES,
            (Self::Postgres(_), ListEnd::Newest) => &POSTGRES_NEWEST_DELIVERIES,
            (Self::Postgres(_), ListEnd::Oldest) => &POSTGRES_OLDEST_DELIVERIES,
        };
        let (least, end) = listing.ids;
        let values = values![app.0, least.0, end.0, listing.size as i64];
        self.asked(Ask::new(text, values), listed).await
    }

    /// Returns the backlogs of the app's endpoints. Counts at most `limits::BACKLOG_COUNTED_MAX`
    /// deliveries.
    pub async fn backlogs(&self, app: AppId) -> Read<Vec<Backlog>> {
        let values = values![app.0, limits::BACKLOG_COUNTED_MAX as i64];
        self.asked(Ask::new(&BACKLOGS, values), backlog).await
    }

    /// Returns the number of failed events of customers for this endpoint, up to a bound.
    pub async fn given_up_events(&self, endpoint: EndpointId) -> Read<u64> {
        let values = values![endpoint.0, limits::BACKLOG_COUNTED_MAX as i64];
        let counted = self.asked(Ask::new(&GIVEN_UP_EVENTS, values), |row| row.number(0)).await?;
        Ok(counted.first().map_or(0, |count| *count as u64))
    }

    /// Renews this sender's bucket leases for `limits::BUCKET_LEASE_S` seconds from the call, and
    /// returns its buckets and the number of senders. Releases the buckets in `given` for other
    /// senders; leases further free buckets only if `given` is empty.
    pub async fn hold_buckets(&self, sender: &str, given: &[i64]) -> Read<LeasedBuckets> {
        match self {
            Self::Sqlite(_) => Ok(LeasedBuckets { buckets: (0..BUCKETS).collect(), senders: 1 }),
            Self::Postgres(engine) => engine.hold_buckets(sender, given).await,
        }
    }

    /// Ends this sender's leases, so that other senders can lease its buckets at once.
    pub async fn give_up_buckets(&self, sender: &str) -> Read<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(engine) => engine.give_up_buckets(sender).await,
        }
    }

    /// Deletes some finished deliveries created before a time, with their attempts; on PostgreSQL
    /// also creates the partitions of the coming days. Unfinished deliveries are never deleted,
    /// because the clock that determines their age may be wrong. Callers repeat the call while it
    /// returns more than 0 (D-0031).
    pub async fn purge_deliveries(&self, before: Timestamp, now: Timestamp) -> Read<usize> {
        match self {
            Self::Sqlite(engine) => engine.writer.purge(DeliveryId::first_at(before)).await,
            Self::Postgres(engine) => engine.purge_deliveries(before, now).await,
        }
    }
}
