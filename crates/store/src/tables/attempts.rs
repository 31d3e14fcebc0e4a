//! Attempts of deliveries: requests and their results.
//!
//! On PostgreSQL, rows are keyed by the bucket of their delivery (D-0014). The first recorded
//! result of an attempt is retained; later ones are ignored.

use confab_domain::ids::{AppId, DeliveryId, EndpointId};
use confab_domain::webhooks::delivery::{Attempt, ErrorClass, Lane};

use crate::error::Read;
use crate::reading::listing::LoggedAttempt;
use crate::sql::{Ask, Row, ValueRow, as_offset, columns, count, prepared, statements, values};
use crate::store::Store;

macro_rules! attempt_columns {
    ($a:literal) => {
        columns!($a; "number", "at", "error", "status", "peer", "name_us", "connect_us", "tls_us",
            "head_us", "body_us", "answer", "url", "headers")
    };
}

/// Lets the result of an attempt replace the entry that marks its start (`Attempt::BEGUN`), but no
/// other result.
macro_rules! ends_begun_attempt {
    () => {
        "DO UPDATE SET at = excluded.at, error = excluded.error, status = excluded.status, \
        peer = excluded.peer, name_us = excluded.name_us, connect_us = excluded.connect_us, \
        tls_us = excluded.tls_us, head_us = excluded.head_us, body_us = excluded.body_us, \
        answer = excluded.answer, url = excluded.url, headers = excluded.headers \
        WHERE attempts.answer = 'begun'"
    };
}

/// Number of columns of an attempt.
const COLUMNS: usize = count(attempt_columns!(""));

prepared! {
    POSTGRES_INSERT_ATTEMPTS = concat!("INSERT INTO attempts (bucket, delivery, number, at, error, \
        status, peer, name_us, connect_us, tls_us, head_us, body_us, answer, url, headers) \
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], \
        $6::bigint[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], \
        $12::bigint[], $13::text[], $14::text[], $15::text[]) \
        ON CONFLICT (bucket, delivery, number) ", ends_begun_attempt!());
    // For a few rows of one shard: see `postgres/sharding.rs`.
    POSTGRES_INSERT_ATTEMPT = concat!("INSERT INTO attempts (bucket, delivery, number, at, error, \
        status, peer, name_us, connect_us, tls_us, head_us, body_us, answer, url, headers) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
        ON CONFLICT (bucket, delivery, number) ", ends_begun_attempt!());
}

// On PostgreSQL the attempts of an app are looked up delivery by delivery, because a freely planned
// join reads all attempts when the planner misjudges.
statements! {
    SQLITE_INSERT_ATTEMPT = concat!("INSERT INTO attempts (delivery, number, at, error, status, \
        peer, name_us, connect_us, tls_us, head_us, body_us, answer, url, headers) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) \
        ON CONFLICT (delivery, number) ", ends_begun_attempt!());
    SQLITE_ATTEMPTS = concat!("SELECT ", attempt_columns!(""), " FROM attempts WHERE delivery = $1 \
        ORDER BY number");
    POSTGRES_ATTEMPTS = concat!("SELECT ", attempt_columns!(""), " FROM attempts WHERE bucket = $1 \
        AND delivery = $2 ORDER BY number");
    SQLITE_ATTEMPTS_OF_APP = concat!("SELECT ", attempt_columns!("a."), ", d.id, d.endpoint, \
        d.body FROM deliveries d JOIN attempts a ON a.delivery = d.id WHERE d.app = $1 \
        ORDER BY d.id DESC, a.number DESC LIMIT $2 OFFSET $3");
    POSTGRES_ATTEMPTS_OF_APP = concat!("SELECT ", attempt_columns!("a."), ", d.id, d.endpoint, \
        d.body FROM deliveries d CROSS JOIN LATERAL ( SELECT * FROM attempts \
        WHERE bucket = d.bucket AND delivery = d.id ORDER BY number DESC) a WHERE d.app = $1 \
        AND d.attempts > 0 ORDER BY d.id DESC, a.number DESC LIMIT $2 OFFSET $3");
}

pub(crate) fn row(row: &ValueRow) -> Read<Attempt> {
    let phase = |column| Ok(row.maybe_number(column)?.map(|us| us as u32));
    Ok(Attempt {
        number: row.number(0)? as u32,
        at: row.time(1)?,
        error: error_class(row, 2)?,
        status: row.maybe_number(3)?.map(|status| status as u16),
        peer: row.maybe_text(4)?,
        phases_us: [phase(5)?, phase(6)?, phase(7)?, phase(8)?, phase(9)?],
        answer: row.text(10)?,
        url: row.maybe_text(11)?,
        headers: row.maybe_text(12)?,
    })
}

pub(crate) fn error_class(row: &ValueRow, column: usize) -> Read<Option<ErrorClass>> {
    let known = |_| row.known(column, "error class", ErrorClass::parse);
    row.maybe_word(column)?.map(known).transpose()
}

impl Store {
    /// Returns the attempts of a delivery, oldest first.
    pub(super) async fn attempts(&self, lane: Lane, delivery: DeliveryId) -> Read<Vec<Attempt>> {
        let ask = match self {
            Self::Sqlite(_) => Ask::new(&SQLITE_ATTEMPTS, values![delivery.0]),
            Self::Postgres(_) => Ask::new(&POSTGRES_ATTEMPTS, values![lane.bucket(), delivery.0]),
        };
        self.query_now(ask, row).await
    }

    /// Returns a page of the app's attempts, those of the newest delivery first.
    pub async fn logged_attempts(
        &self,
        app: AppId,
        skipped: u64,
        size: usize,
    ) -> Read<Vec<LoggedAttempt>> {
        let text = match self {
            Self::Sqlite(_) => &SQLITE_ATTEMPTS_OF_APP,
            Self::Postgres(_) => &POSTGRES_ATTEMPTS_OF_APP,
        };
        let logged = |row: &ValueRow| {
            let delivery = row.number(COLUMNS)?;
            Ok(LoggedAttempt {
                attempt: self::row(row)?,
                delivery: DeliveryId(delivery),
                endpoint: EndpointId(row.number(COLUMNS + 1)?),
                body: self.sealer().open_body(delivery, row.text(COLUMNS + 2)?)?,
            })
        };
        let page = values![app.0, size as i64, as_offset(skipped)];
        self.asked(Ask::new(text, page), logged).await
    }
}
